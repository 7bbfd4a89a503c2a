// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generated programs that record their own path in memory: what is decoded equals it. Each program is recorded seven
 * times: with room for all trace; with a small AUX area that wraps; with a reader that is too slow; in snapshot mode;
 * while it is moved from CPU to CPU; while another thread, which is recorded as well, shares its CPU; and with signals,
 * whose handler notes where it has interrupted the program.
 *
 * -s SEED or ARM_ETE_SEED sets the seed, -n NUMBER or ARM_ETE_PROGRAMS the number of programs.
 */
#include "data.h"
#include "random_program.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest.h"

#define PROGRAMS 10
#define FUEL 60000
#define ATTEMPTS 10

/**
 * struct mode - how a program is recorded
 * @name: for the name of the test
 * @aux_pages: of 4 KB
 * @interval: microseconds between two reads of the AUX area; 0: read at the end only
 * @snapshot: old trace is overwritten
 * @may_lose: trace may be lost; with no @interval it is if it does not fit
 * @migrates: the thread is moved to the next CPU at each @interval
 * @shares: another thread executes another program on the same CPU, with an event of its own
 * @signals: the thread gets a signal at each @interval
 * @in_tree_lacks: why the in-tree driver may fail, or NULL
 */
struct mode {
	const char *name;
	unsigned int aux_pages;
	unsigned int interval;
	bool snapshot;
	bool may_lose;
	bool migrates;
	bool shares;
	bool signals;
	const char *in_tree_lacks;
};

/*
 * When the trace buffer is full the in-tree driver drains it and enables it again, but does not restart the trace unit
 * (arm_trbe_irq_handler()). What the trace unit makes meanwhile is lost, so that the next bytes are the rest of a
 * packet, and no Trace Info tells where to begin. In snapshot mode the driver does the same at the end of the AUX area.
 */
#define NO_RESTART "the trace unit is not restarted behind a full buffer"

static const struct mode modes[] = {
	{ .name = "complete", .aux_pages = 1024 },
	{ .name = "wraps", .aux_pages = 16, .interval = 100, .may_lose = true,
	  .in_tree_lacks = NO_RESTART },
	{ .name = "loses", .aux_pages = 2, .may_lose = true, .in_tree_lacks = NO_RESTART },
	{ .name = "snapshot", .aux_pages = 8, .snapshot = true, .in_tree_lacks = NO_RESTART },
	{ .name = "migrates", .aux_pages = 1024, .interval = 300, .migrates = true },
	{ .name = "shares a CPU", .aux_pages = 1024, .shares = true },
	{ .name = "signals", .aux_pages = 1024, .interval = 200, .signals = true },
};

struct test {
	const struct record_pmu *pmu;
	const struct mode *mode;
	uint64_t config;
	struct random_program *program;
	size_t unit;
	struct record record;
	struct decode decode;
	struct expect expected;
	struct expect decoded;
	char text[256];
};

static bool fails(struct test *test, const char *what, int error)
{
	if (error)
		snprintf(test->text, sizeof(test->text), "%s: %s", what, decode_error(error));
	return error;
}

/* Have a thread, or 0 for the caller, run on the CPU of one trace unit */
static int pin(const struct record_unit *unit, pid_t tid)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(unit->cpu, &set);
	return sched_setaffinity(tid, sizeof(set), &set) ? -errno : 0;
}

static void migrate(void *ctx, pid_t tid)
{
	struct test *test = ctx;

	/* the thread may have ended */
	pin(&test->pmu->units[test->unit++ % test->pmu->unit_count], tid);
}

/* A signal, while the program is in the middle of its path */
static void send_signal(void *ctx, pid_t tid)
{
	struct test *test = ctx;
	const struct random_program *program = test->program;
	siginfo_t info = { .si_signo = SIGALRM, .si_code = SI_QUEUE };
	const uint32_t *log = program->log;

	info.si_value.sival_ptr = &test->program->notes;
	if (__atomic_load_n(&log[0], __ATOMIC_RELAXED) == UINT32_MAX ||
	    __atomic_load_n(&log[program->log_count / 4 * 3], __ATOMIC_RELAXED) != UINT32_MAX ||
	    program->notes.count >= WORKLOAD_NOTES - 1)
		return;
	syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, SIGALRM, &info);
}

/* Whether all signals were delivered while the program was executed, and there was at least one */
static bool signals_are_in_program(const struct random_program *program)
{
	for (uint64_t i = 0; i < program->notes.count; i++)
		if (!random_program_has(program, program->notes.notes[i].pc))
			return false;
	return program->notes.count;
}

static bool record_program_run(struct test *test)
{
	const struct record_config config = {
		.pmu = test->pmu,
		.config = test->config,
		.cpu = -1,
		.aux_pages = (unsigned int)(test->mode->aux_pages * 4096UL /
					    (unsigned long)getpagesize()) ?: 1,
		.snapshot = test->mode->snapshot,
		.poll = test->mode->migrates ? migrate : test->mode->signals ? send_signal : NULL,
		.poll_ctx = test,
	};
	struct workload_call call = { workload_random, &test->program->registers };

	random_program_clear(test->program);
	if (fails(test, "recording fails", record_thread(&test->record, &config, workload_traced,
							 &call, test->mode->interval)))
		return false;
	return !config.snapshot || !fails(test, "snapshot", record_snapshot(&test->record));
}

static bool expect_program(struct test *test)
{
	expect_rows(&test->expected, workload_traced_before);
	expect_rows(&test->expected, workload_random_before);
	if (!random_program_expect(test->program, &test->expected)) {
		snprintf(test->text, sizeof(test->text), "the path in memory has an end");
		return false;
	}
	expect_rows(&test->expected, workload_random_after);
	expect_rows(&test->expected, workload_traced_after);
	return !fails(test, "the expected execution", test->expected.error);
}

/* Gaps may come from a loss that is reported, and from nothing else */
static bool gaps_are_losses(struct test *test)
{
	for (size_t i = 0; i < test->decode.count; i++) {
		const struct decode_item *item = &test->decode.items[i];

		if (item->kind != DECODE_GAP || item->gap == DECODE_GAP_FLAGS ||
		    item->gap == DECODE_GAP_OVERFLOW)
			continue;
		decode_item_text(item, test->text, sizeof(test->text));
		return false;
	}
	return true;
}

static bool compare_pieces(struct test *test)
{
	return gaps_are_losses(test) && expect_pieces(&test->expected, &test->decoded, test->text,
						      sizeof(test->text));
}

/* The trace of a snapshot begins anywhere, and has no gap from there to the end of the execution */
static bool compare_snapshot(struct test *test)
{
	if (!test->decode.gaps)
		return expect_tail(&test->expected, &test->decoded, test->text, sizeof(test->text));
	snprintf(test->text, sizeof(test->text), "%zu gaps", test->decode.gaps);
	return false;
}

static bool compare(struct test *test)
{
	if (fails(test, "decoding", decode_add_self(&test->decode)) ||
	    fails(test, "decoding", decode_record(&test->decode, &test->record)) ||
	    fails(test, "decoding", expect_decoded(&test->decoded, &test->decode)))
		return false;
	if (test->record.lost) {
		snprintf(test->text, sizeof(test->text), "%" PRIu64 " records are lost",
			 test->record.lost);
		return false;
	}
	if (test->mode->snapshot)
		return compare_snapshot(test);
	if (test->mode->may_lose && test->decode.gaps)
		return compare_pieces(test);
	return expect_equal(&test->expected, &test->decoded, test->text, sizeof(test->text));
}

static void begin(struct test *test)
{
	test->record.fd = -1;
	expect_init(&test->expected);
	expect_init(&test->decoded);
	decode_init(&test->decode);
}

static void end(struct test *test)
{
	ksft_print_msg("%" PRIu64 " of %" PRIu64 " instructions, %zu interruptions\n",
		       expect_instructions(&test->decoded), expect_instructions(&test->expected),
		       test->decoded.interruptions);
	ksft_print_msg("%zu bytes, %zu records, %zu gaps, %" PRIu64 " signals\n",
		       test->record.length, test->record.part_count, test->decode.gaps,
		       test->program->notes.count);
	record_close(&test->record);
	decode_free(&test->decode);
	expect_free(&test->decoded);
	expect_free(&test->expected);
}

/* Record until no signal has come outside the program */
static bool record_with_signals(struct test *test)
{
	bool recorded = record_program_run(test);

	for (int i = 0; i < ATTEMPTS && recorded && test->mode->signals; i++) {
		if (signals_are_in_program(test->program))
			return true;
		record_close(&test->record);
		recorded = record_program_run(test);
	}
	return recorded;
}

static void *record_other(void *ctx)
{
	return record_program_run(ctx) ? ctx : NULL;
}

/* Two threads, two events, two programs: on the CPU of the first trace unit */
static bool run_both(struct test *test, struct test *other)
{
	void *recorded = NULL;
	cpu_set_t before;
	pthread_t id;
	bool equal;

	begin(other);
	sched_getaffinity(0, sizeof(before), &before);
	pin(&test->pmu->units[0], 0);
	if (fails(test, "thread", -pthread_create(&id, NULL, record_other, other)))
		return false;
	equal = record_program_run(test);
	pthread_join(id, &recorded);
	sched_setaffinity(0, sizeof(before), &before);
	equal = equal && recorded && expect_program(test) && expect_program(other) &&
		compare(test) && compare(other);
	if (*other->text)
		snprintf(test->text, sizeof(test->text), "the other program: %.200s", other->text);
	end(other);
	return equal;
}

static bool run(struct test *test, struct random_program *neighbour)
{
	struct test other = *test;
	bool equal;

	begin(test);
	test->decoded.handler = test->mode->signals ? (uintptr_t)workload_note : 0;
	other.program = neighbour;
	equal = test->mode->shares ? run_both(test, &other) :
	       record_with_signals(test) && expect_program(test) && compare(test);
	end(test);
	return equal;
}

static void skip_mode(struct test *test, size_t number, const char *variant, const char *why)
{
	ksft_test_result_skip("program %zu, %s, %s: %s\n", number, variant, test->mode->name, why);
}

static void test_mode(struct test *test, struct random_program *neighbour, size_t number,
		      const char *variant)
{
	if (test->mode->migrates && test->pmu->unit_count < 2) {
		skip_mode(test, number, variant, "only one CPU has a trace unit");
		return;
	}
	if (run(test, neighbour)) {
		ksft_test_result_pass("program %zu, %s, %s\n", number, variant, test->mode->name);
		return;
	}
	ksft_print_msg("%s\n", test->text);
	if (test->pmu->in_tree && test->mode->in_tree_lacks)
		ksft_test_result_xfail("program %zu, %s, %s: %s\n", number, variant,
				       test->mode->name, test->mode->in_tree_lacks);
	else
		ksft_test_result_fail("program %zu, %s, %s\n", number, variant, test->mode->name);
}

/* Program @number, in all modes */
static void test_program(const struct record_pmu *pmu, uint64_t seed, size_t number)
{
	const struct data_variant *variant = &data_variants[number % data_variant_count];
	static struct random_program program, neighbour;
	const char *why;

	if (random_program_make(&program, seed + number, FUEL) ||
	    random_program_make(&neighbour, ~(seed + number), FUEL))
		ksft_exit_fail_msg("program %zu cannot be made\n", number);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		struct test test = {
			.pmu = pmu,
			.mode = &modes[i],
			.config = variant->config,
			.program = &program,
		};

		if (data_supports(pmu, variant, &why))
			test_mode(&test, &neighbour, number, variant->name);
		else
			skip_mode(&test, number, variant->name, why);
	}
	random_program_free(&program);
	random_program_free(&neighbour);
}

int main(int argc, char **argv)
{
	struct data_options options;
	struct record_pmu pmu;

	data_begin(&pmu, &options, argc, argv);
	if (!options.programs)
		options.programs = PROGRAMS;
	ksft_print_msg("seed %" PRIu64 ": -s %" PRIu64 " for the same again\n", options.seed,
		       options.seed);
	if (data_handle(SIGALRM, workload_note))
		ksft_exit_fail_msg("signal handler: %s\n", strerror(errno));
	ksft_set_plan((unsigned int)(options.programs * ARRAY_SIZE(modes)));
	for (size_t i = 0; i < options.programs; i++)
		test_program(&pmu, options.seed, i);
	record_free_pmu(&pmu);
	ksft_finished();
}
