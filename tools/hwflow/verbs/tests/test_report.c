/* SPDX-License-Identifier: GPL-2.0-only */
/* Names, branches and counts: a capture against the results that came with it. */
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

#include "tests/perfdata_test.h"

#include "base/error.h"
#include "perfdata/perfdata_samples.h"
#include "verbs/tally.h"

#define FOLDER "perf_with_unformatted_trace"
#define BASE   UINT64_C(0x629b292000)

/* not in a header that tests can have without main() */
int cmd_script(int argc, char **argv);
int cmd_report(int argc, char **argv);

static const char *captures(void)
{
	const char *folder = getenv("HWFLOW_CAPTURES");

	return folder ? folder : "../shared/data";
}

/* An image of the capture's program at @BASE, or a skipped test. */
struct program {
	struct contents file;
	struct hwf_image *image;
	struct hwf_image_space *space;
	struct symbols *symbols;
	char path[PATH_MAX];
};

static void program_open(struct program *program, const char *path)
{
	struct hwf_image_file *file;

	if (path != program->path)
		snprintf(program->path, sizeof(program->path), "%s", path);
	assert_int_equal(hwf_image_new(&program->image, NULL, NULL), 0);
	assert_int_equal(hwf_image_add_space(program->image, NULL, NULL, &program->space), 0);
	assert_int_equal(hwf_image_add_file(program->image, path, NULL, &file), 0);
	hwf_image_map_elf(program->space, file, BASE);
	assert_int_equal(symbols_new(&program->symbols, NULL, false), 0);
}

static void program_load(struct program *program)
{
	*program = (struct program){.file = capture(FOLDER "/etm_test_loop")};
	snprintf(program->path, sizeof(program->path), "%s/perf/" FOLDER "/etm_test_loop",
		 captures());
	program_open(program, program->path);
}

static void program_close(struct program *program)
{
	symbols_free(program->symbols);
	hwf_image_free(program->image);
}

static void check_name(const struct program *program, uint64_t address, const char *name,
		       uint64_t offset, uint64_t first, uint64_t last)
{
	const struct place_name found =
		symbols_find(program->symbols, program->space, BASE + address);

	assert_string_equal(found.function->name, name);
	assert_int_equal(found.offset, offset);
	assert_int_equal(found.first - BASE, first);
	assert_int_equal(found.last - BASE, last);
}

static void functions_have_names(void **state)
{
	struct program program;
	struct place_name main_name, loop_name;

	(void)state;
	program_load(&program);
	check_name(&program, 0x1000, "_start", 0, 0x1000, 0x1007);
	check_name(&program, 0x1004, "_start", 4, 0x1000, 0x1007);
	check_name(&program, 0x100c, "_start_main", 0, 0x100c, 0x1053);
	check_name(&program, 0x1088, "_Z4Loopv", 0x34, 0x1054, 0x108b);
	check_name(&program, 0x10e0, "__libc_init@plt", 0, 0x10e0, 0x10ef);
	/* the head of the table of stubs has no name, nor has what is before all code */
	check_name(&program, 0x10c0, "[etm_test_loop]", 0x10c0, 0x10b4, 0x10df);
	check_name(&program, 0x10, "[etm_test_loop]", 0x10, 0, 0x47b);
	main_name = symbols_find(program.symbols, program.space, BASE + 0x108c);
	loop_name = symbols_find(program.symbols, program.space, BASE + 0x1054);
	assert_true(main_name.function->bounded);
	assert_int_not_equal(main_name.function->id, loop_name.function->id);
	assert_true(main_name.function->id < symbols_count(program.symbols));
	assert_string_equal(symbols_find(program.symbols, program.space, BASE - 4).function->name,
			    "[unknown]");
	assert_string_equal(symbols_find(program.symbols, NULL, BASE).function->name, "[unknown]");
	program_close(&program);
	free(program.file.bytes);
}

static void save(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *stream = fopen(path, "we");

	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, size, stream), size);
	fclose(stream);
}

/* Names and lines of a damaged program: any answer will do. */
static void damaged_programs_are_survived(void **state)
{
	struct program program, damaged = {0};
	uint32_t seed = 2463534242;
	char path[64];

	(void)state;
	program_load(&program);
	temporary(path, sizeof(path));
	for (int round = 0; round < 300; round++) {
		uint8_t *bytes = malloc(program.file.size);

		memcpy(bytes, program.file.bytes, program.file.size);
		for (int i = 0; i < 20; i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[(seed >> 8) % (i < 10 ? program.file.size : 0x200)] = (uint8_t)seed;
		}
		memcpy(bytes, program.file.bytes, 20);
		save(path, bytes, round % 3 ? program.file.size : (seed >> 4) % program.file.size);
		program_open(&damaged, path);
		for (uint64_t at = 0; at < 0x1100; at += 20) {
			symbols_find(damaged.symbols, damaged.space, BASE + at);
			symbols_line(damaged.symbols, damaged.space, BASE + at);
		}
		program_close(&damaged);
		free(bytes);
	}
	unlink(path);
	program_close(&program);
	free(program.file.bytes);
}

static void threads_have_names_over_time(void **state)
{
	struct perfdata_event events[] = {
		{.time = 5, .tid = 1, .kind = PERFDATA_COMM, .u.comm.name = "one"},
		{.time = 9, .tid = 1, .kind = PERFDATA_COMM, .u.comm.name = "two"},
		{.time = 10, .pid = 7, .tid = 2, .kind = PERFDATA_FORK, .u.parent.tid = 1},
		{.time = 12, .tid = 1, .kind = PERFDATA_COMM, .u.comm.name = "three"},
		{.time = 20, .pid = 9, .tid = 2, .kind = PERFDATA_COMM, .u.comm.name = "worker"},
		{.time = 30, .tid = 8, .kind = PERFDATA_FORK, .u.parent.tid = 8},
	};
	const struct perfdata_info info = {.events = events,
					   .event_count = sizeof(events) / sizeof(events[0])};
	struct threads *threads;

	(void)state;
	assert_int_equal(threads_new(&threads, &info), 0);
	assert_string_equal(threads_name(threads, 1, 4), "one");
	assert_string_equal(threads_name(threads, 1, 5), "one");
	assert_string_equal(threads_name(threads, 1, 9), "two");
	assert_string_equal(threads_name(threads, 1, 99), "three");
	assert_string_equal(threads_name(threads, 2, 15), "two");
	assert_string_equal(threads_name(threads, 2, 20), "worker");
	assert_string_equal(threads_name(threads, 3, 20), "");
	assert_string_equal(threads_name(threads, 8, 40), "");
	assert_int_equal(threads_process(threads, 2, 19), 7);
	assert_int_equal(threads_process(threads, 2, 20), 9);
	assert_int_equal(threads_process(threads, 3, 20), PERFDATA_ANY);
	threads_free(threads);
	assert_int_equal(threads_new(&threads, NULL), 0);
	assert_string_equal(threads_name(threads, 1, 1), "");
	threads_free(threads);
}

/* Count a range once. */
static void tally_one(struct tally *tally, const struct execution *execution,
		      const struct hwf_flow_range *range)
{
	const struct hwf_profile_block block = {.start = range->start,
						.end = range->end,
						.space = execution->space,
						.insn = range->insn,
						.taken = range->taken,
						.not_taken = !range->taken,
						.instructions = range->instructions,
						.isa = range->isa,
						.p0 = range->p0};
	struct hwf_profile *profile = hwf_profile_new();

	assert_non_null(profile);
	hwf_profile_add_block(profile, &block);
	tally_profile(tally, execution, profile);
	hwf_profile_free(profile);
}

/* struct counting - a tally of the program, and what it prints */
struct counting {
	struct program program;
	struct execution execution;
	struct threads *threads;
	struct tally *tally;
	char *text;
};

/* @comm: as for tally_new(); @info: has the names of threads, or is NULL */
static void counting_named(struct counting *counting, enum tally_by by, const char *comm,
			   const struct perfdata_info *info)
{
	static const struct input_piece piece = {.tid = 1};

	*counting = (struct counting){.execution = {.piece = &piece}};
	program_load(&counting->program);
	counting->execution.space = counting->program.space;
	assert_int_equal(threads_new(&counting->threads, info), 0);
	assert_int_equal(
		tally_new(&counting->tally, by, comm, counting->program.symbols, counting->threads),
		0);
}

static void counting_begin(struct counting *counting, enum tally_by by)
{
	counting_named(counting, by, NULL, NULL);
}

/* @count instructions, @bytes from @start on to the end of the last */
static void count_range(struct counting *counting, uint64_t start, uint64_t bytes, uint32_t count)
{
	const struct hwf_flow_range range = {.start = BASE + start,
					     .end = BASE + start + bytes,
					     .instructions = count,
					     .isa = HWF_ISA_A64};

	tally_one(counting->tally, &counting->execution, &range);
}

static const char *counted(struct counting *counting, enum tally_sort sort)
{
	size_t size;
	FILE *out = open_memstream(&counting->text, &size);

	assert_non_null(out);
	tally_print(counting->tally, &(struct tally_rows){.sort = sort}, out);
	fclose(out);
	return counting->text;
}

static void counting_end(struct counting *counting)
{
	free(counting->text);
	tally_free(counting->tally);
	threads_free(counting->threads);
	program_close(&counting->program);
	free(counting->program.file.bytes);
}

/* Code that goes on from one function into the next counts for both. */
static void ranges_are_split_at_functions(void **state)
{
	static const char want[] =
		"  share   instructions        calls        taken    not taken  function\n"
		" 60.00%              3            0            0            0  _start_main  "
		"(etm_test_loop)\n"
		" 40.00%              2            0            0            0  _start  "
		"(etm_test_loop)\n";
	struct counting counting;
	const char *text;

	(void)state;
	counting_begin(&counting, TALLY_FUNCTION);
	count_range(&counting, 0x1000, 8, 2);
	count_range(&counting, 0x100c, 12, 3);
	assert_string_equal(counted(&counting, TALLY_INSTRUCTIONS), want);
	counting_end(&counting);
	counting_begin(&counting, TALLY_FUNCTION);
	count_range(&counting, 0x1000, 24, 6);
	assert_int_equal(tally_total(counting.tally).instructions, 6);
	text = counted(&counting, TALLY_NAME);
	assert_non_null(strstr(text, " 16.67%              1            0            0            "
				     "0  __tls_align_reference"));
	assert_non_null(strstr(text, " 33.33%              2 "));
	assert_non_null(strstr(text, " 50.00%              3 "));
	counting_end(&counting);
}

/* What was found for one thread does not count for the next. */
static void threads_are_counted_apart(void **state)
{
	struct counting counting;
	const char *text;

	(void)state;
	counting_begin(&counting, TALLY_THREAD);
	for (counting.execution.tid = 7; counting.execution.tid < 9; counting.execution.tid++)
		count_range(&counting, 0x1000, 8, 2);
	text = counted(&counting, TALLY_INSTRUCTIONS);
	assert_non_null(strstr(text, " 50.00%              2            0            0            "
				     "0  [thread] 7\n"));
	assert_non_null(strstr(text, "  [thread] 8\n"));
	counting_end(&counting);
}

/* The shell becomes a server, which makes a thread: two instructions each, four of the server. */
static const char *count_names(struct counting *counting, enum tally_by by, const char *comm)
{
	static struct perfdata_event events[] = {
		{.time = 5, .pid = 1, .tid = 1, .kind = PERFDATA_COMM, .u.comm.name = "shell"},
		{.time = 9, .pid = 1, .tid = 1, .kind = PERFDATA_COMM, .u.comm.name = "server"},
		{.time = 10, .pid = 1, .tid = 2, .kind = PERFDATA_FORK, .u.parent.tid = 1},
		{.time = 11, .pid = 1, .tid = 2, .kind = PERFDATA_COMM, .u.comm.name = "worker"},
	};
	static const struct perfdata_info info = {.events = events, .event_count = 4};
	static const struct input_piece pieces[] = {
		{.time = 5, .tid = 1}, {.time = 9, .tid = 1}, {.time = 12, .tid = 2}};

	counting_named(counting, by, comm, &info);
	for (size_t i = 0; i < 3; i++) {
		counting->execution.piece = &pieces[i];
		counting->execution.tid = pieces[i].tid;
		count_range(counting, 0x1000, 8, 2);
		if (i == 1)
			count_range(counting, 0x1000, 8, 2);
	}
	return counted(counting, TALLY_INSTRUCTIONS);
}

/*
 * Thread 1 goes from one cgroup to another one, and makes thread 2, of which there is no sample. Of
 * the idle thread there is no record.
 */
static void threads_are_in_the_cgroup_of_their_next_sample(void **state)
{
	static const struct perfdata_cgroup cgroups[] = {{1, "/"}, {7, "/first"}, {8, "/second"}};
	static const struct perfdata_sample samples[] = {
		{.time = 6, .tid = 1, .cgroup = 7},
		{.time = 7, .tid = 0, .cgroup = 1},
		{.time = 20, .tid = 1, .cgroup = 8},
		{.time = 21, .tid = 1, .cgroup = 9},
		{.time = 22, .tid = 1},
	};
	static struct perfdata_event events[] = {
		{.time = 10, .pid = 1, .tid = 2, .kind = PERFDATA_FORK, .u.parent.tid = 1}};
	static const struct perfdata_info info = {.events = events,
						  .event_count = 1,
						  .samples = samples,
						  .sample_count = 5,
						  .cgroups = cgroups,
						  .cgroup_count = 3};
	static const struct input_piece pieces[] = {
		{.time = 5, .tid = 1, .pid = 5},  {.time = 9, .tid = 1, .pid = 5},
		{.time = 12, .tid = 2, .pid = 5}, {.time = 30, .tid = 1, .pid = 5},
		{.time = 30, .tid = 0, .pid = 5}, {.time = 30, .tid = 3, .pid = 5}};
	struct counting counting;
	const char *text;

	(void)state;
	for (int by = TALLY_PROCESS; by <= TALLY_CGROUP; by++) {
		counting_named(&counting, (enum tally_by)by, NULL, &info);
		for (size_t i = 0; i < 6; i++) {
			counting.execution.piece = &pieces[i];
			counting.execution.tid = pieces[i].tid;
			count_range(&counting, 0x1000, 8, 2);
		}
		text = counted(&counting, TALLY_INSTRUCTIONS);
		if (by == TALLY_PROCESS) {
			assert_non_null(strstr(text,
					       "              2            0            0     "
					       "       0  swapper 0\n"));
		} else {
			assert_non_null(strstr(text, " 50.00%              6 "));
			assert_non_null(strstr(text, "  /second\n"));
			assert_non_null(strstr(text,
					       " 16.67%              2            0            "
					       "0            0  /first\n"));
			assert_non_null(strstr(text,
					       "              2            0            0     "
					       "       0  /\n"));
			assert_non_null(strstr(text, "  [unknown]\n"));
		}
		counting_end(&counting);
	}
}

static void threads_and_processes_have_a_row_for_each_name(void **state)
{
	struct counting counting;
	const char *text;

	(void)state;
	text = count_names(&counting, TALLY_THREAD, NULL);
	assert_non_null(strstr(text, " 50.00%              4 "));
	assert_non_null(strstr(text, "  server 1\n"));
	assert_non_null(strstr(text, "  shell 1\n"));
	assert_non_null(strstr(text, "  worker 2\n"));
	counting_end(&counting);
	text = count_names(&counting, TALLY_PROCESS, NULL);
	assert_non_null(strstr(text, " 75.00%              6            0            0            "
				     "0  server 1\n"));
	assert_non_null(strstr(text, "  shell 1\n"));
	assert_null(strstr(text, "worker"));
	counting_end(&counting);
	text = count_names(&counting, TALLY_FUNCTION, "server");
	assert_non_null(strstr(text, "100.00%              4 "));
	assert_int_equal(tally_ranges(counting.tally), 2);
	counting_end(&counting);
	count_names(&counting, TALLY_FUNCTION, "serve");
	assert_int_equal(tally_total(counting.tally).instructions, 0);
	counting_end(&counting);
}

/* A branch of a kind, which is no exception */
static struct hwf_insn branch_insn(enum hwf_branch_kind kind, uint64_t target)
{
	struct hwf_insn insn = {.size = 4, .kind = HWF_INSN_DIRECT, .target = target};

	insn.conditional = kind == HWF_BRANCH_CONDITIONAL;
	if (kind == HWF_BRANCH_INDIRECT || kind == HWF_BRANCH_RETURN)
		insn.kind = HWF_INSN_INDIRECT;
	if (kind == HWF_BRANCH_CALL)
		insn.sub = HWF_SUB_LINK;
	if (kind == HWF_BRANCH_RETURN)
		insn.sub = HWF_SUB_RET;
	assert_int_equal(hwf_branch_of_insn(&insn, 4, NULL, true).kind, kind);
	return insn;
}

/* Calls counted for a branch from one place to another, and for nothing else */
static uint64_t calls_of(struct counting *counting, enum hwf_branch_kind kind, bool taken,
			 uint64_t from, uint64_t to)
{
	struct hwf_profile_block block = {.start = BASE + from,
					  .end = BASE + from + 4,
					  .space = counting->program.space,
					  .insn = branch_insn(kind, BASE + to),
					  .taken = taken,
					  .not_taken = !taken,
					  .isa = HWF_ISA_A64,
					  .p0 = true};
	const struct hwf_profile_edge edge = {.from = block.start,
					      .to = BASE + to,
					      .from_space = block.space,
					      .to_space = block.space,
					      .count = taken,
					      .insn = block.insn};
	uint64_t before = tally_total(counting->tally).calls;
	struct hwf_profile *profile = hwf_profile_new();

	assert_non_null(profile);
	hwf_profile_add_block(profile, &block);
	hwf_profile_add_edge(profile, &edge);
	tally_profile(counting->tally, &counting->execution, profile);
	hwf_profile_free(profile);
	return tally_total(counting->tally).calls - before;
}

/*
 * _start is 1000 to 1007, _start_main begins at 100c. A jump from one function to the beginning of
 * another stands for a call; what goes elsewhere does not, nor does a loop to where a function
 * begins.
 */
static void jumps_to_other_functions_are_calls(void **state)
{
	static const enum hwf_branch_kind kinds[] = {HWF_BRANCH_JUMP, HWF_BRANCH_INDIRECT,
						     HWF_BRANCH_CONDITIONAL};
	struct counting counting;
	const char *text;

	(void)state;
	counting_begin(&counting, TALLY_FUNCTION);
	count_range(&counting, 0x1010, 4, 1);
	/* what is remembered of a word is of both of its halves */
	assert_int_equal(calls_of(&counting, HWF_BRANCH_JUMP, true, 0x1004, 0x100e), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(calls_of(&counting, kinds[i], true, 0x1004, 0x100c), 1);
		assert_int_equal(calls_of(&counting, kinds[i], true, 0x1004, 0x1010), 0);
		assert_int_equal(calls_of(&counting, kinds[i], true, 0x1014, 0x100c), 0);
		assert_int_equal(calls_of(&counting, kinds[i], false, 0x1004, 0x100c), 0);
		/* nobody knows what is at 0 */
		assert_int_equal(calls_of(&counting, kinds[i], true, 0x1004, 0 - BASE), 0);
	}
	assert_int_equal(calls_of(&counting, HWF_BRANCH_CALL, true, 0x1014, 0x100c), 1);
	assert_int_equal(calls_of(&counting, HWF_BRANCH_RETURN, true, 0x1004, 0x100c), 0);
	/* all of them are calls of the function that was jumped to */
	text = counted(&counting, TALLY_NAME);
	assert_non_null(strstr(text, "100.00%              1            4            4            "
				     "0  _start_main"));
	counting_end(&counting);
}

/* One line of simpleperf's results: so many times from here to there. */
struct expected {
	uint64_t from;
	uint64_t to;
	unsigned int times;
	unsigned int seen;
};

/* struct seen - branches and ranges of the capture, counted against the results */
struct seen {
	struct expected ranges[16], branches[16];
	size_t range_count, branch_count;
	unsigned int others;
};

/* "100c-1050:1": first and last instruction; "106c->1074:100": branch and target, 0 for none */
static void expect(struct seen *seen, const char *line)
{
	struct expected row = {0};
	unsigned long from, to;

	if (sscanf(line, "%lx->%lx:%u", &from, &to, &row.times) == 3) {
		row.from = from;
		row.to = to;
		seen->branches[seen->branch_count++] = row;
	} else if (sscanf(line, "%lx-%lx:%u", &from, &to, &row.times) == 3) {
		row.from = from;
		row.to = to;
		seen->ranges[seen->range_count++] = row;
	}
}

static void count(struct seen *seen, struct expected *rows, size_t rows_used, uint64_t from,
		  uint64_t to)
{
	for (size_t i = 0; i < rows_used; i++) {
		if (rows[i].from == from && rows[i].to == to) {
			rows[i].seen++;
			return;
		}
	}
	seen->others++;
}

static void see_range(void *ctx, const struct execution *execution,
		      const struct hwf_flow_range *range)
{
	struct seen *seen = ctx;

	(void)execution;
	count(seen, seen->ranges, seen->range_count, range->start - BASE,
	      range->end - range->insn.size - BASE);
}

static void see_branch(void *ctx, const struct execution *execution,
		       const struct hwf_branch *branch)
{
	struct seen *seen = ctx;
	/* it leaves out where indirect branches go */
	const bool known = branch->kind != HWF_BRANCH_INDIRECT && branch->kind != HWF_BRANCH_RETURN;

	assert_int_equal(execution->tid, 319);
	if (branch->kind != HWF_BRANCH_START && branch->taken)
		count(seen, seen->branches, seen->branch_count, branch->from - BASE,
		      known ? branch->to - BASE : 0);
}

static int open_capture(struct input **input, struct input_options *options, char *symfs,
			char *path)
{
	snprintf(symfs, PATH_MAX, "%s/perf/" FOLDER, captures());
	snprintf(path, PATH_MAX, "%s/perf/" FOLDER "/" FOLDER ".data", captures());
	input_options_init(options);
	options->path = path;
	options->symfs = symfs;
	return input_open(input, options);
}

static void branches_are_those_simpleperf_expects(void **state)
{
	struct contents text = capture("simpleperf-expected-etm_test_loop.txt");
	struct seen seen = {0};
	const struct execution_sink sink = {.branch = see_branch, .range = see_range, .ctx = &seen};
	char symfs[PATH_MAX], path[PATH_MAX], copy[1024] = "";
	struct input_options options;
	struct execution execution;
	struct input *input;

	(void)state;
	assert_true(text.size < sizeof(copy));
	memcpy(copy, text.bytes, text.size);
	for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n"))
		expect(&seen, line);
	assert_int_equal(seen.range_count, 10);
	assert_int_equal(seen.branch_count, 9);
	assert_int_equal(open_capture(&input, &options, symfs, path), 0);
	assert_int_equal(execution_run(&execution, input, &sink), EXIT_GOOD);
	for (size_t i = 0; i < seen.range_count; i++)
		assert_int_equal(seen.ranges[i].seen, seen.ranges[i].times);
	for (size_t i = 0; i < seen.branch_count; i++)
		assert_int_equal(seen.branches[i].seen, seen.branches[i].times);
	assert_int_equal(seen.others, 0);
	input_close(input);
	input_options_free(&options);
	free(text.bytes);
}

/* What a command writes to stdout, 0 behind it; to be freed. */
static struct contents output_of(int (*command)(int, char **), int argc, char **argv, int status)
{
	const int old = dup(STDOUT_FILENO);
	struct contents output;
	char path[64];
	FILE *file;

	temporary(path, sizeof(path));
	fflush(stdout);
	file = fopen(path, "we");
	assert_non_null(file);
	dup2(fileno(file), STDOUT_FILENO);
	assert_int_equal(command(argc, argv), status);
	fflush(stdout);
	dup2(old, STDOUT_FILENO);
	close(old);
	fclose(file);
	output = load(path);
	unlink(path);
	output.bytes = realloc(output.bytes, output.size + 1);
	output.bytes[output.size] = 0;
	return output;
}

/* Runs a command on the capture, with up to two more words; not every machine has C++ names. */
static struct contents run(int (*command)(int, char **), const char *more, const char *still_more)
{
	char symfs[PATH_MAX], path[PATH_MAX];
	char plain[] = "--no-demangle";
	char *argv[] = {(char *)(uintptr_t)"verb",     symfs, plain, path, (char *)(uintptr_t)more,
			(char *)(uintptr_t)still_more, NULL};
	struct contents file = capture(FOLDER "/" FOLDER ".data");

	free(file.bytes);
	snprintf(symfs, sizeof(symfs), "--symfs=%s/perf/" FOLDER, captures());
	snprintf(path, sizeof(path), "%s/perf/" FOLDER "/" FOLDER ".data", captures());
	return output_of(command, 4 + (more != NULL) + (still_more != NULL), argv, EXIT_GOOD);
}

static void the_report_is_a_table(void **state)
{
	static const char want[] =
		"  share   instructions        calls        taken    not taken  function\n"
		" 96.40%            910            1          202            1  _Z4Loopv  "
		"(etm_test_loop)\n"
		"  1.91%             18            1            1            0  _start_main  "
		"(etm_test_loop)\n"
		"  1.69%             16 in 3 more: --limit=0 shows all\n"
		"\n"
		"Nothing is missing.\n";
	struct contents output = run(cmd_report, "--limit=2", NULL);
	const char *table = strstr((const char *)output.bytes, "  share");

	(void)state;
	assert_non_null(strstr((const char *)output.bytes,
			       ".data: 944 instructions in 208 ranges, from 76 bytes of trace"));
	assert_non_null(table);
	assert_string_equal(table, want);
	free(output.bytes);
}

static void the_report_is_by_thread_or_file_too(void **state)
{
	static const char thread[] = "100.00%            944            3          207            "
				     "1  etm_test_loop 319\n";
	static const char file[] = "100.00%            944            3          207            1  "
				   "/data/local/tmp/etm_test_loop\n";
	struct contents output = run(cmd_report, "--by=thread", "--sort=name");

	(void)state;
	assert_non_null(strstr((const char *)output.bytes, thread));
	free(output.bytes);
	output = run(cmd_report, "--by=dso", "--sort=calls");
	assert_non_null(strstr((const char *)output.bytes, file));
	free(output.bytes);
}

/* struct given - ranges and branches that are given one by one, and then counted */
struct given {
	struct tally *tally;
	struct hwf_flow_range last;
};

static void take_given_range(void *ctx, const struct execution *execution,
			     const struct hwf_flow_range *range)
{
	struct given *given = ctx;

	given->last = *range;
	tally_one(given->tally, execution, range);
}

/* The block of a direct branch has counted the call already, if it is one to the target. */
static void take_given_branch(void *ctx, const struct execution *execution,
			      const struct hwf_branch *branch)
{
	struct given *given = ctx;
	const struct hwf_insn *insn = &given->last.insn;
	const struct hwf_profile_block diverted = {.start = given->last.start,
						   .end = given->last.end,
						   .space = branch->from_space,
						   .insn = *insn,
						   .diverted = 1,
						   .p0 = true};
	const struct hwf_profile_edge edge = {.from = branch->from,
					      .to = branch->to,
					      .from_space = branch->from_space,
					      .to_space = branch->to_space,
					      .count = 1,
					      .insn = *insn};
	struct hwf_profile *profile;

	if (!branch->has_from || !branch->has_to || !branch->taken ||
	    branch->kind == HWF_BRANCH_EXCEPTION || hwf_profile_edge_follows(&edge))
		return;
	profile = hwf_profile_new();
	assert_non_null(profile);
	if (insn->kind == HWF_INSN_DIRECT)
		hwf_profile_add_block(profile, &diverted);
	hwf_profile_add_edge(profile, &edge);
	tally_profile(given->tally, execution, profile);
	hwf_profile_free(profile);
}

/* The table of a recording or capture; NULL if it is none that can be decoded. To be freed. */
static char *table_of(const char *path, bool counted)
{
	struct execution_sink sink = {.branch = take_given_branch, .range = take_given_range};
	struct given given;
	struct execution execution;
	struct input_options options;
	struct symbols *symbols;
	struct threads *threads;
	const struct gap_kind *kinds;
	struct tally *tally;
	struct input *input;
	size_t kind_count;
	uint64_t gaps = 0;
	char *text = NULL;
	size_t size;
	FILE *file;

	input_options_init(&options);
	options.path = path;
	options.quiet = true;
	if (input_open(&input, &options))
		return NULL;
	assert_int_equal(threads_new(&threads, input_recording(input)), 0);
	assert_int_equal(symbols_new(&symbols, NULL, false), 0);
	assert_int_equal(symbols_recording(symbols, input_recording(input)), 0);
	assert_int_equal(tally_new(&tally, TALLY_FUNCTION, NULL, symbols, threads), 0);
	given.tally = tally;
	sink.ctx = &given;
	if (counted)
		sink = (struct execution_sink){.counts = tally_profile, .ctx = tally};
	execution_run(&execution, input, &sink);
	kinds = gaps_kinds(input->gaps, &kind_count);
	file = open_memstream(&text, &size);
	assert_non_null(file);
	for (size_t i = 0; i < kind_count; i++)
		gaps += kinds[i].count;
	fprintf(file, "%llu ranges, %llu gaps\n", (unsigned long long)tally_ranges(tally),
		(unsigned long long)gaps);
	tally_print(tally, &(struct tally_rows){.sort = TALLY_NAME}, file);
	fclose(file);
	tally_free(tally);
	symbols_free(symbols);
	threads_free(threads);
	input_close(input);
	input_options_free(&options);
	return text;
}

/* Recordings and captures whose tables were compared */
static unsigned int compared;

static int compare_tables(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	const char *name = path + walk->base;
	const char *ending = strrchr(name, '.');
	char source[PATH_MAX];
	char *given, *counted;

	(void)status;
	snprintf(source, sizeof(source), "%s", path);
	if (kind != FTW_F)
		return 0;
	if (!strcmp(name, "snapshot.ini"))
		source[walk->base] = 0;
	else if (!ending || strcmp(ending, ".data") != 0)
		return 0;
	given = table_of(source, false);
	counted = table_of(source, true);
	if (given)
		assert_string_equal(given, counted);
	compared += given && strstr(given, "\n100.00%") == NULL;
	free(given);
	free(counted);
	return 0;
}

/* The counts of sessions are the sums over all ranges and branches. */
static void counts_are_sums(void **state)
{
	struct stat status;

	(void)state;
	if (stat(captures(), &status))
		skip();
	assert_int_equal(nftw(captures(), compare_tables, 8, FTW_PHYS), 0);
	assert_true(compared > 10);
}

static size_t lines(struct contents output)
{
	size_t count = 0;

	for (size_t i = 0; i < output.size; i++)
		count += output.bytes[i] == '\n';
	return count;
}

static void the_script_is_a_line_a_branch(void **state)
{
	static const char call[] =
		"etm_test_loop       319   1667.196293520    629b2930a0 main+0x14 (etm_test_loop)"
		"  =>    629b293054 _Z4Loopv (etm_test_loop)  call\n";
	static const char passed[] = "629b29306c _Z4Loopv+0x18 (etm_test_loop)  ..    629b293070 "
				     "_Z4Loopv+0x1c (etm_test_loop)  conditional not taken\n";
	struct contents output = run(cmd_script, NULL, NULL);

	(void)state;
	assert_non_null(strstr((const char *)output.bytes, call));
	/* 207 taken, and two beginnings of trace */
	assert_int_equal(lines(output), 209);
	free(output.bytes);
	output = run(cmd_script, "--not-taken", NULL);
	assert_non_null(strstr((const char *)output.bytes, passed));
	assert_int_equal(lines(output), 210);
	free(output.bytes);
	output = run(cmd_script, "--insn", NULL);
	assert_non_null(strstr((const char *)output.bytes,
			       "  94000024   629b293050 _start_main+0x44 (etm_test_loop)\n"));
	assert_int_equal(lines(output), 944);
	free(output.bytes);
}

static void wrong_options_are_refused(void **state)
{
	const char *const wrong[] = {"--by=color", "--sort=size", "--limit=many",
				     "--limit=", "--nonsense"};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *argv[] = {(char *)(uintptr_t)"verb", (char *)(uintptr_t)wrong[i],
				(char *)(uintptr_t)"file", NULL};
		char *two[] = {argv[0], argv[2], argv[2], NULL};

		assert_int_equal(cmd_report(3, argv), EXIT_USAGE);
		assert_int_equal(cmd_script(3, argv), EXIT_USAGE);
		assert_int_equal(cmd_report(3, two), EXIT_USAGE);
	}
}

#define JIT_CODE UINT64_C(0x500000)

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* The table of a range that two processes execute, in turns, at the same address of one space. */
static char *table_of_turns(const char *folder, const struct hwf_image_space *space,
			    enum tally_by by)
{
	static const struct perfdata_event events[] = {
		{.kind = PERFDATA_COMM, .pid = 70, .tid = 70, .u.comm.name = "seventy"},
		{.kind = PERFDATA_COMM, .pid = 71, .tid = 71, .u.comm.name = "seventy-one"}};
	static const struct input_piece piece = {.pid = PERFDATA_ANY, .time = 9};
	const struct hwf_flow_range range = {
		.start = JIT_CODE, .end = JIT_CODE + 8, .instructions = 2, .isa = HWF_ISA_A64};
	struct perfdata_info info = {.events = (struct perfdata_event *)events, .event_count = 2};
	struct execution execution = {.piece = &piece, .space = space};
	char path[PATH_MAX], *text = NULL;
	struct symbols *symbols;
	struct threads *threads;
	struct tally *tally;
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/data", folder);
	info.path = path;
	assert_int_equal(threads_new(&threads, &info), 0);
	assert_int_equal(symbols_new(&symbols, NULL, false), 0);
	assert_int_equal(symbols_recording(symbols, &info), 0);
	assert_int_equal(tally_new(&tally, by, NULL, symbols, threads), 0);
	for (int turn = 0; turn < 10; turn++) {
		execution.tid = turn % 3 ? 70 : 71;
		tally_one(tally, &execution, &range);
	}
	file = open_memstream(&text, &size);
	assert_non_null(file);
	tally_print(tally, &(struct tally_rows){.sort = TALLY_NAME}, file);
	fclose(file);
	tally_free(tally);
	symbols_free(symbols);
	threads_free(threads);
	return text;
}

/* A name that was found for one process is not that of another; a row of a thread is its own. */
static void threads_and_processes_are_told_apart(void **state)
{
	static const char *const names[] = {"perf-70.map", "perf-71.map", "code"};
	char folder[] = "/tmp/hwflow-report-XXXXXX", path[PATH_MAX];
	struct hwf_image_space *space;
	struct hwf_image_file *file;
	struct hwf_image *image;
	char *functions, *threads;

	(void)state;
	assert_non_null(mkdtemp(folder));
	write_file(folder, names[0], "500000 40 of_seventy\n");
	write_file(folder, names[1], "500000 40 of_seventy_one\n");
	write_file(folder, names[2], "no ELF file, no symbols, but a name in each process");
	snprintf(path, sizeof(path), "%s/code", folder);
	assert_int_equal(hwf_image_new(&image, NULL, NULL), 0);
	assert_int_equal(hwf_image_add_space(image, NULL, NULL, &space), 0);
	assert_int_equal(hwf_image_add_file(image, path, NULL, &file), 0);
	assert_int_equal(hwf_image_map(space, JIT_CODE, 0x40, file, 0), 0);
	functions = table_of_turns(folder, space, TALLY_FUNCTION);
	assert_non_null(strstr(functions, " 60.00%             12 "));
	assert_non_null(strstr(functions, " 40.00%              8 "));
	assert_non_null(strstr(functions, " of_seventy  ("));
	assert_non_null(strstr(functions, " of_seventy_one  ("));
	threads = table_of_turns(folder, space, TALLY_THREAD);
	assert_non_null(strstr(threads, " seventy 70\n"));
	assert_non_null(strstr(threads, " seventy-one 71\n"));
	assert_non_null(strstr(threads, " 60.00%             12 "));
	free(functions);
	free(threads);
	hwf_image_free(image);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

/* Between two pieces a mapping may change. */
static void names_of_a_piece_are_its_own(void **state)
{
	static const struct input_piece pieces[2] = {{.pid = PERFDATA_ANY}, {.pid = PERFDATA_ANY}};
	struct hwf_flow_range range = {.instructions = 2, .isa = HWF_ISA_A64};
	struct execution execution = {.tid = 70};
	struct program program;
	struct threads *threads;
	struct tally *tally;
	char *text = NULL;
	size_t size;
	FILE *file;

	(void)state;
	program_load(&program);
	execution.space = program.space;
	range.start = BASE + 0x1010;
	range.end = range.start + 8;
	assert_int_equal(threads_new(&threads, NULL), 0);
	assert_int_equal(tally_new(&tally, TALLY_DSO, NULL, program.symbols, threads), 0);
	execution.piece = &pieces[0];
	tally_one(tally, &execution, &range);
	assert_int_equal(hwf_image_map(program.space, BASE, 0x2000, NULL, 0), 0);
	execution.piece = &pieces[1];
	tally_one(tally, &execution, &range);
	file = open_memstream(&text, &size);
	assert_non_null(file);
	tally_print(tally, &(struct tally_rows){.sort = TALLY_NAME}, file);
	fclose(file);
	assert_non_null(strstr(text, " 50.00%              2            0            0            "
				     "0  [unknown]\n"));
	free(text);
	tally_free(tally);
	threads_free(threads);
	free(program.file.bytes);
	program_close(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_names),
		cmocka_unit_test(damaged_programs_are_survived),
		cmocka_unit_test(threads_have_names_over_time),
		cmocka_unit_test(ranges_are_split_at_functions),
		cmocka_unit_test(threads_are_counted_apart),
		cmocka_unit_test(threads_are_in_the_cgroup_of_their_next_sample),
		cmocka_unit_test(threads_and_processes_have_a_row_for_each_name),
		cmocka_unit_test(jumps_to_other_functions_are_calls),
		cmocka_unit_test(branches_are_those_simpleperf_expects),
		cmocka_unit_test(the_report_is_a_table),
		cmocka_unit_test(the_report_is_by_thread_or_file_too),
		cmocka_unit_test(counts_are_sums),
		cmocka_unit_test(threads_and_processes_are_told_apart),
		cmocka_unit_test(names_of_a_piece_are_its_own),
		cmocka_unit_test(the_script_is_a_line_a_branch),
		cmocka_unit_test(wrong_options_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
