/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace of a thread that executes one program, then another one at the same addresses. */
#include "exec_test.h"

static const struct perfdata_cpu cpu = {
	.protocol = PERFDATA_ETE,
	.regs = {.trcconfigr = 1,
		 .trcidr0 = 0x084002a1,
		 .trcidr2 = 0x40001088,
		 .trcdevarch = 0x47735a13},
};

/* Each begins with trace of the long program, which is 4 instructions, a call, and one more. */
#define LONG SYNC, TRACE_ON, FIRST, ATOMS, CALL(8), TRACE_ON, AT(8), ATOM

/* the short program is 3 */
static const uint8_t then_short[] = {LONG, CALL(8), TRACE_ON, AT(0), ATOMS, CALL(4)};
/* its first instruction has a page fault, or an interrupt */
static const uint8_t fault_first[] = {LONG,     CALL(8), TRACE_ON, AT(0),  IRQ(0),
				      TRACE_ON, AT(0),   ATOMS,    CALL(4)};
/* exec was called, and had not come back when the piece ended */
static const uint8_t under_way[] = {LONG, CALL(8)};
#define SHORT TRACE_ON, AT(0), ATOMS, CALL(4)
/* exec was called, and more often than the recording says */
static const uint8_t more[] = {LONG, CALL(8), SHORT, SHORT, SHORT};
/* exec was not called last, and the new program has no trace */
static const uint8_t interrupted[] = {LONG, IRQ(8)};
/* not a call: whatever this is, it is not exec */
static const uint8_t no_call[] = {LONG, IRQ(8), TRACE_ON, AT(0), ATOMS, IRQ(4)};
/* a call returns to the first instruction: this is not exec */
static const uint8_t returns[] = {LONG, AT(0), CALL(0), TRACE_ON, AT(0), ATOMS, CALL(8), SHORT};
/* the first instruction of the long program is not executed yet */
static const uint8_t at_first[] = {SYNC, TRACE_ON, FIRST, IRQ(0)};
static const uint8_t short_alone[] = {SYNC, TRACE_ON, FIRST, ATOMS, CALL(4)};

static struct perfdata_stamp at(uint64_t time)
{
	return (struct perfdata_stamp){time, TID, TID, PERFDATA_ANY};
}

/* exec, and what it maps */
static void write_exec(struct perfdata_writer *writer, const char *path, uint64_t time)
{
	const struct perfdata_mapping
		mapping = {.address = BASE, .length = LENGTH, .prot = 5, .path = path},
		vdso = {.address = 0xffff00000000, .length = LENGTH, .prot = 5, .path = "[vdso]"};
	const struct perfdata_stamp stamp = at(time);

	assert_int_equal(perfdata_write_comm(writer, &stamp, path + 1, true), 0);
	assert_int_equal(perfdata_write_mmap2(writer, &stamp, &mapping), 0);
	assert_int_equal(perfdata_write_mmap2(writer, &stamp, &vdso), 0);
}

/* struct piece - an AUX record */
struct piece {
	const uint8_t *bytes;
	size_t size;
	uint64_t flags;
};

/*
 * As perf record --per-thread has it: tracing starts, exec of the long program, the first piece;
 * and before the last piece's record exec of the short one. With @step 0 there are no times.
 */
static void write_recording(const char *path, const struct piece *pieces, size_t count,
			    uint64_t step)
{
	const struct perfdata_area area = {.pid = TID, .tid = TID, .cpu = PERFDATA_ANY};
	struct perfdata_recording recording = recording_make(false);
	struct perfdata_stamp stamp = at(step);
	struct perfdata_writer *writer;
	uint64_t offset = 0;

	recording.cpus = &cpu;
	recording.cpu_count = 1;
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	assert_int_equal(perfdata_write_itrace_start(writer, &stamp), 0);
	write_exec(writer, "/long", 2 * step);
	for (size_t i = 0; i < count; i++) {
		stamp = at((10 * i + 9) * step);
		if (i == count - 1)
			write_exec(writer, "/short", (10 * i + 5) * step);
		assert_int_equal(perfdata_write_session(writer, &stamp, &area, offset,
							pieces[i].bytes, pieces[i].size,
							pieces[i].flags),
				 0);
		offset += pieces[i].size;
	}
	assert_int_equal(perfdata_writer_close(writer), 0);
}

/* Decoded with times, and without. */
static struct found decode_pieces(const struct piece *pieces, size_t count)
{
	char directory[] = "/tmp/hwflow-exec-XXXXXX", path[PATH_MAX];
	struct found found[2];

	make_programs(directory);
	for (uint64_t step = 0; step < 2; step++) {
		snprintf(path, sizeof(path), "%s/recording", directory);
		write_recording(path, pieces, count, step);
		found[step] = decode(path, directory);
	}
	remove_programs(directory);
	assert_int_equal(found[0].instructions, found[1].instructions);
	assert_int_equal(found[0].gaps, found[1].gaps);
	return found[0];
}

#define DECODE(...)                                        \
	decode_pieces((const struct piece[]){__VA_ARGS__}, \
		      sizeof((const struct piece[]){__VA_ARGS__}) / sizeof(struct piece))
#define PIECE(bytes, ...) {(bytes), sizeof(bytes), __VA_ARGS__}

static void each_program_has_its_code(void **state)
{
	struct found found = DECODE(PIECE(then_short, 0));

	(void)state;
	assert_int_equal(found.instructions, 5 + 3);
	assert_int_equal(found.gaps, 0);
	found = DECODE(PIECE(fault_first, 0));
	assert_int_equal(found.instructions, 5 + 3);
	assert_int_equal(found.gaps, 0);
	found = DECODE(PIECE(returns, 0));
	assert_int_equal(found.instructions, 5 + 4 + 3);
	assert_int_equal(found.gaps, 0);
}

/* A record ends while the kernel is in exec: the record after it begins with the new program. */
static void exec_may_have_no_trace_yet(void **state)
{
	struct found found = DECODE(PIECE(under_way, 0));

	(void)state;
	assert_int_equal(found.instructions, 5);
	assert_int_equal(found.gaps, 0);
	found = DECODE(PIECE(under_way, 0), PIECE(short_alone, 0));
	assert_int_equal(found.instructions, 5 + 3);
	assert_int_equal(found.gaps, 0);
	/* the second piece begins with a program that began before it */
	found = DECODE(PIECE(at_first, 0), PIECE(then_short, 0));
	assert_int_equal(found.instructions, 5 + 3);
	assert_int_equal(found.gaps, 0);
}

/* What both programs have is not known then: nothing is taken for the code of either. */
static void what_is_not_certain_is_a_gap(void **state)
{
	static const struct piece pieces[] = {
		PIECE(more, 0),
		PIECE(interrupted, 0),
		PIECE(no_call, 0),
		PIECE(then_short, PERFDATA_AUX_TRUNCATED),
		PIECE(under_way, PERFDATA_AUX_TRUNCATED),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		const struct found found = decode_pieces(&pieces[i], 1);

		assert_int_equal(found.instructions, 0);
		assert_true(found.gaps > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_program_has_its_code),
		cmocka_unit_test(exec_may_have_no_trace_yet),
		cmocka_unit_test(what_is_not_certain_is_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
