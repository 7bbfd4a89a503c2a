// SPDX-License-Identifier: GPL-2.0-only
/* verify: recordings of CPUs against the log of a machine, which has other recordings as well. */
#include <fcntl.h>
#include <limits.h>

#include "tests/perfdata_test.h"

#include "base/error.h"
#include "hwflow/ete.h"
#include "hwflow/insn.h"
#include "source/input.h"
#include "truth/truth.h"

/* not in a header that tests can have without main() */
int cmd_verify(int argc, char **argv);

#define NOP    0xd503201fu
#define BRANCH 0x14000000u /* to itself */
#define CBZ    0xb4ffffe0u /* x0, one instruction back */

/* Synchronisation, Trace Info, Trace On, timestamp, 0x2000 at EL0 in A64, two Atoms E */
#define TRACE(timestamp)                                                             \
	{0,    0,    0,    0,           0,    0, 0,    0, 0, 0,    0,    0x80, 0x01, \
	 0x00, 0x04, 0x02, (timestamp), 0x82, 0, 0x10, 0, 0, 0x30, 0xf7, 0xf7}

/* The same with a context identifier */
#define TRACE_OF(timestamp, tid)                                                            \
	{0,    0,           0,    0, 0,    0, 0, 0,    0,     0, 0, 0x80, 0x01, 0x00, 0x04, \
	 0x02, (timestamp), 0x82, 0, 0x10, 0, 0, 0xb0, (tid), 0, 0, 0,    0xf7, 0xf7}

/* The same at EL1, an Atom N and an Atom E */
#define TRACE_OF_KERNEL(timestamp, tid)                                                     \
	{0,    0,           0,    0, 0,    0, 0, 0,    0,     0, 0, 0x80, 0x01, 0x00, 0x04, \
	 0x02, (timestamp), 0x82, 0, 0x10, 0, 0, 0xb1, (tid), 0, 0, 0,    0xf6, 0xf7}

static const struct perfdata_cpu cpus[] = {
	{.cpu = 0,
	 .protocol = PERFDATA_ETE,
	 .regs = {.trcconfigr = 0x801,
		  .trcidr0 = 0x084002a1,
		  .trcidr2 = 0x40001088,
		  .trcdevarch = 0x47735a13}},
	{.cpu = 1,
	 .protocol = PERFDATA_ETE,
	 .regs = {.trcconfigr = 0x801,
		  .trcidr0 = 0x084002a1,
		  .trcidr2 = 0x40001088,
		  .trcdevarch = 0x47735a13}},
};

/* struct world - a recording of two CPUs, its program, and a log */
struct world {
	char root[32];
	char program[64];
	char recording[64];
	char log[64];
	char said[4096];
};

static void write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

/* TRCCONFIGR.CID: the trace has context identifiers */
#define CID 0x40

/* struct bytes - the trace of an AUX record */
struct bytes {
	const uint8_t *bytes;
	size_t size;
};

/* A recording of two AUX records of each CPU, with context identifiers; process 8 has @other mapped
 */
static void write_named_recording(const struct world *world, const struct bytes traces[2],
				  const char *other)
{
	struct perfdata_mapping mapping = {
		.address = 0x2000, .length = 0x1000, .prot = 5, .path = "/program"};
	struct perfdata_cpu named[2] = {cpus[0], cpus[1]};
	struct perfdata_recording recording = recording_make(true);
	struct perfdata_writer *writer;

	named[0].regs.trcconfigr |= CID;
	named[1].regs.trcconfigr |= CID;
	recording.cpus = named;
	recording.cpu_count = 2;
	assert_int_equal(perfdata_writer_open(&writer, world->recording, &recording), 0);
	for (int32_t i = 7; i <= 9; i++) {
		const struct perfdata_stamp begin = {1, i, i, 0};

		mapping.path = i == 8 ? other : "/program";
		assert_int_equal(perfdata_write_mmap2(writer, &begin, &mapping), 0);
	}
	for (uint64_t at = 0; at < 4; at++) {
		const int32_t i = (int32_t)(at & 1);
		const struct perfdata_stamp end = {900 + at, 7, 7, i};
		const struct perfdata_area area = {
			.idx = (uint32_t)i, .pid = -1, .tid = PERFDATA_ANY, .cpu = i};

		assert_int_equal(perfdata_write_session(writer, &end, &area,
							at / 2 * traces[i].size, traces[i].bytes,
							traces[i].size, 0),
				 0);
	}
	assert_int_equal(perfdata_writer_close(writer), 0);
}

/*
 * CPU 1 is traced a little later than CPU 0. @count AUX records of each, the first one with @flags
 */
static void write_recording(const struct world *world, uint64_t flags, uint64_t count)
{
	static const uint8_t traces[2][25] = {TRACE(100), TRACE(105)};
	const struct perfdata_mapping mapping = {
		.address = 0x2000, .length = 0x1000, .prot = 5, .path = "/program"};
	const struct perfdata_stamp begin = {1, 7, 7, 0};
	struct perfdata_recording recording = recording_make(true);
	struct perfdata_writer *writer;

	recording.cpus = cpus;
	recording.cpu_count = 2;
	assert_int_equal(perfdata_writer_open(&writer, world->recording, &recording), 0);
	assert_int_equal(perfdata_write_mmap2(writer, &begin, &mapping), 0);
	for (uint64_t at = 0; at < 2 * count; at++) {
		const int32_t i = (int32_t)(at & 1);
		const struct perfdata_stamp end = {900 + at, 7, 7, i};
		const struct perfdata_area area = {
			.idx = (uint32_t)i, .pid = -1, .tid = PERFDATA_ANY, .cpu = i};

		assert_int_equal(perfdata_write_session(writer, &end, &area,
							at / 2 * sizeof(traces[i]), traces[i],
							sizeof(traces[i]), at < 2 ? flags : 0),
				 0);
	}
	assert_int_equal(perfdata_writer_close(writer), 0);
}

static void world_make(struct world *world)
{
	static const uint32_t program[] = {NOP, NOP, BRANCH};

	*world = (struct world){.root = "/tmp/hwflow-verify-XXXXXX"};
	assert_non_null(mkdtemp(world->root));
	snprintf(world->program, sizeof(world->program), "%s/program", world->root);
	snprintf(world->recording, sizeof(world->recording), "%s/recording", world->root);
	snprintf(world->log, sizeof(world->log), "%s/log", world->root);
	write_file(world->program, program, sizeof(program));
	write_recording(world, 0, 1);
}

static void world_remove(const struct world *world)
{
	unlink(world->program);
	unlink(world->recording);
	unlink(world->log);
	rmdir(world->root);
}

/* ---- the log: block 0 is the program, block 1 its branch, block 2 neither ---- */

static void put_section(FILE *file, uint32_t type, const void *head, size_t head_size,
			const void *bytes, size_t size)
{
	const struct truth_section section = {.type = type, .length = head_size + size};
	static const uint8_t zeros[8];

	fwrite(&section, sizeof(section), 1, file);
	if (head_size)
		fwrite(head, head_size, 1, file);
	if (size)
		fwrite(bytes, size, 1, file);
	fwrite(zeros, 1, (8 - section.length % 8) % 8, file);
}

static void put_block(FILE *file, uint32_t number, uint64_t pc, const uint32_t *opcodes,
		      uint16_t count)
{
	const struct truth_block block = {.size = (uint32_t)sizeof(block) + 4 * count,
					  .number = number,
					  .pc = pc,
					  .isa = HWF_ISA_A64,
					  .count = count};

	put_section(file, TRUTH_BLOCKS, &block, sizeof(block), opcodes, 4 * (size_t)count);
}

/* What a thread did on a CPU: a stream */
static void put_cpu(FILE *file, uint8_t cpu, uint8_t tid, const uint8_t *events, size_t count)
{
	const struct truth_stream stream = {.pid = 7, .tid = tid};
	const uint8_t context[] = {TRUTH_CONTEXT, 0, 1, cpu + 1, 7, 7};
	uint8_t *bytes = malloc(sizeof(context) + count);

	assert_non_null(bytes);
	memcpy(bytes, context, sizeof(context));
	memcpy(bytes + sizeof(context), events, count);
	put_section(file, TRUTH_STREAM, &stream, sizeof(stream), bytes, sizeof(context) + count);
	free(bytes);
}

/* struct cpu_log - events of one CPU */
struct cpu_log {
	uint8_t events[40];
	size_t count;
};

static FILE *begin_log(const struct world *world, const uint32_t *program)
{
	const struct truth_head head = {
		.magic = TRUTH_MAGIC, .version = TRUTH_VERSION, .size = sizeof(head)};
	FILE *file = fopen(world->log, "we");

	assert_non_null(file);
	fwrite(&head, sizeof(head), 1, file);
	put_block(file, 0, 0x2000, program, 3);
	put_block(file, 1, 0x2008, program + 2, 1);
	put_block(file, 2, 0x3000, program, 1);
	/* the first without its branch */
	put_block(file, 3, 0x2000, program, 2);
	return file;
}

static void end_log(FILE *file)
{
	put_section(file, TRUTH_END, NULL, 0, NULL, 0);
	fclose(file);
}

static void write_log(const struct world *world, const uint32_t *program,
		      const struct cpu_log logs[2])
{
	FILE *file = begin_log(world, program);

	for (uint8_t cpu = 0; cpu < 2; cpu++)
		put_cpu(file, cpu, 7 + cpu, logs[cpu].events, logs[cpu].count);
	end_log(file);
}

static char *word(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* hwflow verify with one process or several; what it says is in @world->said */
static int verify_jobs(struct world *world, const char *option, const char *jobs)
{
	char truth[80], symfs[64];
	char *argv[] = {word("verify"), word("--quiet"),  truth, symfs, word(option),
			word(jobs),     world->recording, NULL};
	const int said = memfd_create("said", MFD_CLOEXEC), out = dup(STDOUT_FILENO);
	ssize_t length;
	int status;

	assert_true(said >= 0 && out >= 0);
	snprintf(truth, sizeof(truth), "--truth=%s", world->log);
	snprintf(symfs, sizeof(symfs), "--symfs=%s", world->root);
	fflush(stdout);
	dup2(said, STDOUT_FILENO);
	optind = 0;
	status = cmd_verify(7, argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	length = pread(said, world->said, sizeof(world->said) - 1, 0);
	assert_true(length >= 0);
	world->said[length] = '\0';
	close(said);
	close(out);
	return status;
}

/* hwflow verify; what it says, whatever the number of processes */
static int verify(struct world *world, const char *option)
{
	const int status = verify_jobs(world, option, "-j1");
	char one[sizeof(world->said)];

	memcpy(one, world->said, sizeof(one));
	/* each piece has a batch of its own */
	setenv("HWFLOW_SHARD_BYTES", "1", 1);
	assert_int_equal(verify_jobs(world, option, "-j3"), status);
	unsetenv("HWFLOW_SHARD_BYTES");
	assert_string_equal(world->said, one);
	return status;
}

static const uint32_t program[] = {NOP, NOP, BRANCH};

#define ON(time)  TRUTH_ENABLED, (time)
#define OFF(time) TRUTH_DISABLED, (time)
#define BLOCK(n)  (TRUTH_FIRST_BLOCK + (n))
/* what the trace has */
#define TRACED BLOCK(0), BLOCK(1)

#define LOG(...) {{__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__})}

static void other_recordings_do_not_count(void **state)
{
	static const struct cpu_log logs[][2] = {
		/* the only one; it is disabled when it is done, or never */
		{LOG(ON(90), TRACED, OFF(110)), LOG(ON(92), TRACED)},
		/* before and after it; CPU 1 began when CPU 0 was under way */
		{LOG(ON(1), TRACED, OFF(20), ON(90), TRACED, OFF(110), ON(120), BLOCK(2)),
		 LOG(ON(2), TRACED, OFF(21), ON(103), TRACED, OFF(111), ON(121), TRACED)},
		/* a log that does not say when */
		{LOG(TRACED), LOG(TRACED)},
	};
	struct world world;

	(void)state;
	world_make(&world);
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		write_log(&world, program, logs[i]);
		assert_int_equal(verify(&world, "--quiet"), EXIT_GOOD);
		assert_non_null(strstr(world.said, "cpu 1: equal: 4 instructions"));
		assert_non_null(strstr(world.said, "equal: 2 CPUs, 8 instructions"));
	}
	assert_int_equal(verify(&world, "--cpu=1"), EXIT_GOOD);
	assert_non_null(strstr(world.said, "equal: 1 CPU, 4 instructions"));
	world_remove(&world);
}

static void what_its_time_has_counts(void **state)
{
	static const struct cpu_log logs[][2] = {
		/* more than the trace, in front, behind, and on the other CPU */
		{LOG(ON(90), BLOCK(1), TRACED, OFF(110)), LOG(ON(92), TRACED)},
		{LOG(ON(90), TRACED, BLOCK(1), OFF(110)), LOG(ON(92), TRACED)},
		{LOG(ON(90), TRACED, OFF(110)), LOG(ON(92), TRACED, BLOCK(2), BLOCK(1))},
		/* enabled twice meanwhile, and the second time is not in the trace */
		{LOG(ON(90), TRACED, OFF(101), ON(102), BLOCK(1)), LOG(ON(92), TRACED)},
		/* the CPU did something at no other time than others */
		{LOG(ON(1), TRACED, OFF(20)), LOG(ON(92), TRACED)},
		{LOG(ON(120), TRACED, OFF(125)), LOG(ON(92), TRACED)},
	};
	struct world world;

	(void)state;
	world_make(&world);
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		write_log(&world, program, logs[i]);
		assert_int_equal(verify(&world, "--quiet"), EXIT_GAPS);
		assert_non_null(strstr(world.said, "DIFFERENT: 2 CPUs"));
	}
	world_remove(&world);
}

/* The buffer was full, and there was no other trace behind it. */
static void what_was_lost_at_the_end_is_no_difference(void **state)
{
	static const struct cpu_log logs[] = {
		LOG(ON(90), TRACED, BLOCK(1), BLOCK(0), OFF(110)),
		LOG(ON(92), TRACED),
	};
	static const struct cpu_log whole[] = {LOG(ON(90), TRACED, BLOCK(2), TRACED),
					       LOG(ON(92), TRACED, TRACED)};
	static const struct cpu_log more[] = {LOG(ON(90), TRACED, BLOCK(2), TRACED, BLOCK(1)),
					      LOG(ON(92), TRACED, TRACED)};
	struct world world;

	(void)state;
	world_make(&world);
	write_log(&world, program, logs);
	assert_int_equal(verify(&world, "--cpu=0"), EXIT_GAPS);
	write_recording(&world, PERFDATA_AUX_COLLISION, 1);
	assert_int_equal(verify(&world, "--cpu=0"), EXIT_GOOD);
	assert_non_null(strstr(world.said, "4 instructions, 0 exceptions; 4 more lost"));
	/* but behind trace that came after it and is whole */
	write_recording(&world, PERFDATA_AUX_COLLISION, 2);
	write_log(&world, program, whole);
	assert_int_equal(verify(&world, "--cpu=0"), EXIT_GOOD);
	write_log(&world, program, more);
	assert_int_equal(verify(&world, "--cpu=0"), EXIT_GAPS);
	world_remove(&world);
}

/* Where the image is not what was executed, that is said. */
static void code_that_was_changed_is_shown(void **state)
{
	static const uint32_t changed[] = {NOP, NOP, NOP};
	static const struct cpu_log logs[] = {LOG(ON(90), BLOCK(0), BLOCK(2)), LOG(TRACED)};
	struct world world;

	(void)state;
	world_make(&world);
	write_log(&world, changed, logs);
	assert_int_equal(verify(&world, "--cpu=0"), EXIT_GAPS);
	assert_non_null(
		strstr(world.said, "  image:   2008 has 14000000, executed was d503201f\n"));
	/* elsewhere it is the same */
	assert_null(strstr(world.said, "image:   2004"));
	world_remove(&world);
}

#define BYTES(array) {array, sizeof(array)}

static void each_instruction_is_of_the_thread_of_the_log(void **state)
{
	static const uint8_t first[] = TRACE_OF(100, 7), good[] = TRACE_OF(105, 8),
			     bad[] = TRACE_OF(105, 9);
	static const struct bytes named[] = {BYTES(first), BYTES(good)};
	static const struct bytes misnamed[] = {BYTES(first), BYTES(bad)};
	static const struct cpu_log logs[] = {LOG(ON(90), TRACED, TRACED, OFF(110)),
					      LOG(ON(92), TRACED, TRACED)};
	struct world world;

	(void)state;
	world_make(&world);
	write_log(&world, program, logs);
	write_named_recording(&world, named, "/program");
	assert_int_equal(verify(&world, "--quiet"), EXIT_GOOD);
	assert_non_null(strstr(world.said, "equal: 2 CPUs, 16 instructions"));
	write_named_recording(&world, misnamed, "/program");
	assert_int_equal(verify(&world, "--quiet"), EXIT_GAPS);
	assert_non_null(strstr(world.said, "cpu 1: difference after 3 equal instructions"));
	assert_non_null(strstr(world.said, "  log:     these are of thread 8\n"));
	assert_non_null(strstr(world.said, "  decoded: of thread 9\n"));
	world_remove(&world);
}

/* The trace unit was disabled and enabled between the two timestamps of an AUX record. */
static void the_first_and_the_last_timestamp_count(void **state)
{
	static const uint8_t start[] = TRACE_OF(100, 7), later[] = {0x02, 120, 0xf7, 0xf7};
	static const uint8_t other[] = TRACE_OF(105, 8);
	static const struct cpu_log logs[] = {LOG(ON(90), TRACED, OFF(103), ON(115), BLOCK(1),
						  BLOCK(1), TRACED, BLOCK(1), BLOCK(1)),
					      LOG(ON(92), TRACED, TRACED)};
	uint8_t whole[sizeof(start) + sizeof(later)];
	const struct bytes traces[] = {BYTES(whole), BYTES(other)};
	struct world world;

	(void)state;
	world_make(&world);
	memcpy(whole, start, sizeof(start));
	memcpy(whole + sizeof(start), later, sizeof(later));
	write_log(&world, program, logs);
	write_named_recording(&world, traces, "/program");
	assert_int_equal(verify(&world, "--quiet"), EXIT_GOOD);
	assert_non_null(strstr(world.said, "equal: 2 CPUs, 20 instructions"));
	world_remove(&world);
}

/* In the kernel the end of each range is compared, also where the next one follows without a jump.
 */
static void each_range_of_the_kernel_ends_with_the_thread_of_the_log(void **state)
{
	static const uint32_t kernel[] = {NOP, CBZ, BRANCH};
	static const uint8_t user_trace[] = TRACE_OF(100, 7);
	static const uint8_t kernel_trace[] = TRACE_OF_KERNEL(105, 9);
	static const struct bytes traces[] = {BYTES(user_trace), BYTES(kernel_trace)};
	static const uint8_t first[] = {BLOCK(3), BLOCK(1)}, range[] = {BLOCK(3)},
			     next[] = {BLOCK(1)};
	char image[100];
	struct world world;

	(void)state;
	world_make(&world);
	write_file(world.program, kernel, sizeof(kernel));
	write_named_recording(&world, traces, "/program");
	snprintf(image, sizeof(image), "--image=%s@0x2000", world.program);
	for (uint8_t tid = 8; tid <= 9; tid++) {
		FILE *log = begin_log(&world, kernel);

		put_cpu(log, 1, 9, first, sizeof(first));
		put_cpu(log, 1, tid, range, sizeof(range));
		put_cpu(log, 1, 9, next, sizeof(next));
		end_log(log);
		assert_int_equal(verify(&world, image), EXIT_GAPS);
		/* CPU 0 has trace and no log */
		assert_non_null(strstr(world.said, "cpu0: has trace, but is not in the log\n"));
		assert_non_null(strstr(world.said,
				       tid == 9 ? "cpu 1: equal: 6 instructions"
						: "cpu 1: difference after 5 equal instructions"));
	}
	world_remove(&world);
}

/* Synchronisation and Trace Info without Trace On, and where execution is: 0x2008 at EL0 */
#define SYNC_OF(tid)                                               \
	{0,    0,    0,    0, 0,    0, 0, 0,    0,     0, 0, 0x80, \
	 0x01, 0x00, 0x82, 2, 0x10, 0, 0, 0xb0, (tid), 0, 0, 0}

#define ATOMS 4000

/* A trace that is cut into shards: rounds of the loop at 0x2008; returns how many */
static size_t trace_loop(struct bytes *trace, uint8_t bytes[6 * ATOMS])
{
	static const uint8_t begin[] = TRACE_OF(105, 8), sync[] = SYNC_OF(8);
	size_t rounds = 1, at = sizeof(begin);

	memcpy(bytes, begin, sizeof(begin));
	for (unsigned int i = 0; i < 5; i++) {
		memset(bytes + at, 0xf7, ATOMS);
		memcpy(bytes + at + ATOMS, sync, sizeof(sync));
		at += ATOMS + sizeof(sync);
		rounds += ATOMS;
	}
	*trace = (struct bytes){bytes, at};
	return rounds;
}

/* The difference is in the last shard, far from the context that its instructions have. */
static void the_code_of_the_last_context_is_shown(void **state)
{
	/* b.al in place of b */
	static const uint32_t other[] = {NOP, NOP, 0x5400000e};
	static const uint8_t first[] = TRACE_OF(100, 7);
	static uint8_t bytes[6 * ATOMS], events[2 * 6 * ATOMS];
	struct bytes traces[] = {BYTES(first), {0}};
	const size_t rounds = trace_loop(&traces[1], bytes);
	char path[80];
	struct world world;
	FILE *log;

	(void)state;
	world_make(&world);
	snprintf(path, sizeof(path), "%s/other", world.root);
	write_file(path, other, sizeof(other));
	write_named_recording(&world, traces, "/other");
	memset(events, BLOCK(1), 2 * rounds + 2);
	events[0] = events[rounds + 1] = BLOCK(0);
	/* one of the last is elsewhere */
	events[2 * rounds] = BLOCK(2);
	log = begin_log(&world, program);
	put_cpu(log, 1, 8, events, 2 * rounds + 2);
	end_log(log);
	assert_int_equal(verify(&world, "--cpu=1"), EXIT_GAPS);
	assert_non_null(strstr(world.said, "cpu 1: difference after 40006 equal instructions"));
	assert_non_null(
		strstr(world.said, "  image:   2008 has 5400000e, executed was 14000000\n"));
	unlink(path);
	world_remove(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_recordings_do_not_count),
		cmocka_unit_test(what_its_time_has_counts),
		cmocka_unit_test(what_was_lost_at_the_end_is_no_difference),
		cmocka_unit_test(code_that_was_changed_is_shown),
		cmocka_unit_test(each_instruction_is_of_the_thread_of_the_log),
		cmocka_unit_test(the_first_and_the_last_timestamp_count),
		cmocka_unit_test(each_range_of_the_kernel_ends_with_the_thread_of_the_log),
		cmocka_unit_test(the_code_of_the_last_context_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
