// SPDX-License-Identifier: GPL-2.0-only
/* hwflow record --trigger: its argument, where its functions are, and when latency() fires. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/trigger/trigger.h"
#include "record/trigger/trigger_watch.h"

#define MS UINT64_C(1000000)

/* Below each program: /proc/PID/maps lists what is mapped here first */
#define LOW UINT64_C(0x200000)

/* Functions that the tests look for in this program */
int trigger_first(int value);
int trigger_second(int value);

__attribute__((noinline)) int trigger_first(int value)
{
	return value * 3 + 1;
}

__attribute__((noinline)) int trigger_second(int value)
{
	return value * 5 + 2;
}

static struct record_trigger parse(const char *text)
{
	struct record_trigger trigger;
	char message[256] = "";

	assert_int_equal(record_trigger_parse(&trigger, text, message, sizeof(message)), 0);
	assert_string_equal(message, "");
	assert_ptr_equal(trigger.text, text);
	return trigger;
}

static void check_tracepoint(const char *text, const char *name, const char *filter)
{
	const struct record_trigger trigger = parse(text);

	assert_int_equal(trigger.kind, TRIGGER_TRACEPOINT);
	assert_string_equal(trigger.tracepoint, name);
	assert_string_equal(trigger.filter, filter);
}

static void system_calls_and_signals_are_tracepoints(void **state)
{
	(void)state;
	check_tracepoint("sched:sched_switch", "sched:sched_switch", "");
	check_tracepoint("sched:sched_switch:prev_prio < 10 || next_comm ~ \"a:b\"",
			 "sched:sched_switch", "prev_prio < 10 || next_comm ~ \"a:b\"");
	check_tracepoint("syscall:openat", "syscalls:sys_enter_openat", "");
	check_tracepoint("syscalls:sys_exit_openat:ret<0", "syscalls:sys_exit_openat", "ret<0");
	check_tracepoint("signal:USR1", "signal:signal_deliver", "sig==10");
	check_tracepoint("signal:SIGSEGV", "signal:signal_deliver", "sig==11");
	check_tracepoint("signal:64", "signal:signal_deliver", "sig==64");
	check_tracepoint("signal:signal_generate:sig==9", "signal:signal_generate", "sig==9");
	assert_int_equal(parse("exit").kind, TRIGGER_EXIT);
}

static void check_point(const struct record_trigger_point *point, const char *name,
			uint64_t distance, const char *file)
{
	assert_string_equal(point->point, name);
	assert_int_equal(point->distance, distance);
	assert_string_equal(point->file, file);
}

static void a_function_may_have_an_offset_and_a_file(void **state)
{
	struct record_trigger trigger = parse("request");

	(void)state;
	assert_int_equal(trigger.kind, TRIGGER_CODE);
	assert_int_equal(trigger.point_count, 1);
	assert_false(trigger.points[0].is_address);
	check_point(&trigger.points[0], "request", 0, "");
	trigger = parse("request#2+0x1c@/opt/a:b/server");
	assert_int_equal(trigger.kind, TRIGGER_CODE);
	check_point(&trigger.points[0], "request#2", 28, "/opt/a:b/server");
	trigger = parse("exit+0");
	assert_int_equal(trigger.kind, TRIGGER_CODE);
	trigger = parse("0x400780");
	assert_true(trigger.points[0].is_address);
	assert_int_equal(trigger.points[0].value, 0x400780);
	trigger = parse("0x780@lib.so");
	assert_false(trigger.points[0].is_address);
	check_point(&trigger.points[0], "0x780", 0, "lib.so");
}

static void latency_has_two_functions_and_a_time(void **state)
{
	static const struct {
		const char *text;
		uint64_t limit;
	} times[] = {
		{"latency(a,b+4@lib.so)>250ns", 250},
		{"latency(a,b+4@lib.so)>3us", 3000},
		{"latency(a,b+4@lib.so)>5ms", 5 * MS},
		{"latency(a,b+4@lib.so)>2s", 2000 * MS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		const struct record_trigger trigger = parse(times[i].text);

		assert_int_equal(trigger.kind, TRIGGER_LATENCY);
		assert_int_equal(trigger.point_count, 2);
		assert_int_equal(trigger.limit, times[i].limit);
		check_point(&trigger.points[0], "a", 0, "");
		check_point(&trigger.points[1], "b", 4, "lib.so");
	}
}

static void wrong_triggers_are_refused_with_a_reason(void **state)
{
	static const struct {
		const char *text;
		const char *reason;
	} wrong[] = {
		{"", "SYMBOL[+OFFSET][@FILE] or ADDRESS[@FILE] expected"},
		{"a b", "SYMBOL[+OFFSET][@FILE]"},
		{"f@", "a file expected behind '@'"},
		{"f+x", "'+x': a number of bytes expected"},
		{"f+", "a number of bytes expected"},
		{"+4", "a number of bytes expected"},
		{"12q", "'12q' is not an address"},
		{"0x99999999999999999", "is not an address"},
		{"sched:", "a tracepoint expected: SYSTEM:NAME[:FILTER]"},
		{":name", "a tracepoint expected"},
		{"sched::x", "a tracepoint expected"},
		{"sched:../x", "a tracepoint expected"},
		{"sched:sched_switch:", "a filter expected behind the second ':'"},
		{"syscall:", "a system call expected"},
		{"syscall:../x", "a system call expected"},
		{"signal:", "a signal expected"},
		{"signal:USR3", "'USR3': a signal expected"},
		{"signal:65", "'65': a signal expected"},
		{"signal:0", "a signal expected"},
		{"latency(a)>5ms", "latency(BEGIN,END)>TIME expected"},
		{"latency(a,b)", "latency(BEGIN,END)>TIME expected"},
		{"latency(a,b)<5ms", "latency(BEGIN,END)>TIME expected"},
		{"latency(a,)>5ms", "SYMBOL[+OFFSET][@FILE]"},
		{"latency(,b)>5ms", "SYMBOL[+OFFSET][@FILE]"},
		{"latency(a,b)>5", "'5': a time expected: a number with ns, us, ms or s"},
		{"latency(a,b)>ms", "a time expected"},
		{"latency(a,b)>-5ms", "a time expected"},
		{"latency(a,b)>5 minutes", "a time expected"},
		{"latency(a,b)>99999999999999s", "a time expected"},
	};
	struct record_trigger trigger;
	char message[256];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		message[0] = '\0';
		assert_int_equal(
			record_trigger_parse(&trigger, wrong[i].text, message, sizeof(message)),
			-EINVAL);
		if (!strstr(message, wrong[i].reason))
			fail_msg("%s: %s", wrong[i].text, message);
	}
}

static void the_tail_of_a_trigger_is_a_time(void **state)
{
	static const char *const wrong[] = {"", "5", "ms", "-5ms", "5 ms", "99999999999999s"};
	struct record_trigger trigger = parse("main");
	char message[256];

	(void)state;
	assert_int_equal(trigger.tail, 0);
	assert_int_equal(record_trigger_parse_tail(&trigger, "120ms", message, sizeof(message)), 0);
	assert_int_equal(trigger.tail, 120 * MS);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(
			record_trigger_parse_tail(&trigger, wrong[i], message, sizeof(message)),
			-EINVAL);
		assert_non_null(strstr(message, "a time expected"));
	}
}

static void check_report(const char *text, const struct trigger_hit *hit, const char *expected)
{
	const struct record_trigger trigger = parse(text);
	char report[256];
	FILE *file = fmemopen(report, sizeof(report), "w");

	assert_non_null(file);
	record_trigger_report(file, &trigger, hit);
	fclose(file);
	assert_string_equal(report, expected);
}

static void a_hit_is_reported_with_time_thread_and_cpu(void **state)
{
	struct trigger_hit hit = {.time = 25068278192, .tid = 128, .cpu = 3};

	(void)state;
	check_report("mix", &hit,
		     "hwflow record: trigger mix: at 25.068278192, thread 128, CPU 3\n");
	hit.duration = 7 * MS + 1248;
	check_report("latency(a,b)>5ms", &hit,
		     "hwflow record: trigger latency(a,b)>5ms: at 25.068278192, thread 128, CPU 3, "
		     "7.001248 ms\n");
	hit.cpu = TRIGGER_NO_CPU;
	check_report("exit", &hit, "hwflow record: trigger exit: at 25.068278192, thread 128\n");
}

static void functions_are_found_in_a_process(void **state)
{
	const struct record_options options = {.output = "perf.data"};
	struct record_trigger trigger =
		parse("latency(trigger_first,trigger_second+4@/proc/self/exe)>1ms");
	char message[8192] = "";
	uint64_t address;

	(void)state;
	assert_int_equal(trigger_first(0) + trigger_second(0), 3);
	assert_int_equal(
		record_trigger_find(&trigger, &options, getpid(), message, sizeof(message)), 0);
	assert_int_equal(record_trigger_address(&trigger.points[0], getpid(), &address, message,
						sizeof(message)),
			 0);
	assert_int_equal(address, (uintptr_t)trigger_first);
	assert_int_equal(record_trigger_address(&trigger.points[1], getpid(), &address, message,
						sizeof(message)),
			 0);
	assert_int_equal(address, (uintptr_t)trigger_second + 4);
	/* process 1 has another program */
	assert_int_not_equal(
		record_trigger_address(&trigger.points[0], 1, &address, message, sizeof(message)),
		0);
}

/* Map the page with an offset of a file, as number @count of the pages at LOW. */
static void map_low(unsigned int count, const char *path, uint64_t offset, int protection)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), address = LOW + 2 * page * count;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal((uintptr_t)mmap((void *)address, page, protection,
					 MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd,
					 (off_t)(offset / page * page)),
			 address);
	close(fd);
}

static void unmap_low(unsigned int count)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	assert_int_equal(munmap((void *)(LOW + 2 * page * count), page), 0);
}

static void a_function_is_in_an_executable_mapping_of_its_file(void **state)
{
	const struct record_options options = {.output = "perf.data"};
	struct record_trigger trigger = parse("trigger_first@/proc/self/exe");
	struct record_trigger_point *point = &trigger.points[0];
	char message[8192] = "";
	uint64_t address;

	(void)state;
	assert_int_equal(
		record_trigger_find(&trigger, &options, getpid(), message, sizeof(message)), 0);
	map_low(0, "/proc/self/exe", point->value, PROT_READ);
	map_low(1, "/bin/sh", point->value, PROT_READ | PROT_EXEC);
	map_low(2, "/proc/self/exe", 0, PROT_READ | PROT_EXEC);
	assert_int_equal(
		record_trigger_address(point, getpid(), &address, message, sizeof(message)), 0);
	assert_int_equal(address, (uintptr_t)trigger_first);
	/* a mapping that has the code is found at LOW */
	map_low(3, "/proc/self/exe", point->value, PROT_READ | PROT_EXEC);
	assert_int_equal(
		record_trigger_address(point, getpid(), &address, message, sizeof(message)), 0);
	assert_in_range(address, LOW, LOW + 16 * (uint64_t)sysconf(_SC_PAGESIZE));
	for (unsigned int i = 0; i < 4; i++)
		unmap_low(i);
	/* data of the file only */
	strcpy(point->file, "/bin/sh");
	map_low(0, "/bin/sh", point->value, PROT_READ);
	assert_int_equal(
		record_trigger_address(point, getpid(), &address, message, sizeof(message)),
		-ENOENT);
	assert_non_null(strstr(message, "has not mapped code of /bin/sh"));
	unmap_low(0);
}

static void programs_that_are_not_found_are_reported(void **state)
{
	char *const command[] = {"no-such-program-of-hwflow", NULL};
	char *const script[] = {"/proc/self/status", NULL};
	struct record_options options = {.command = command};
	struct record_trigger trigger = parse("main");
	char message[8192];

	(void)state;
	assert_int_not_equal(record_trigger_find(&trigger, &options, 0, message, sizeof(message)),
			     0);
	assert_non_null(strstr(message, "not in a directory of PATH"));
	options.command = script;
	assert_int_not_equal(record_trigger_find(&trigger, &options, 0, message, sizeof(message)),
			     0);
	assert_non_null(strstr(message, "not an ELF file"));
	options.command = NULL;
	assert_int_not_equal(record_trigger_find(&trigger, &options, 0, message, sizeof(message)),
			     0);
	assert_non_null(strstr(message, "Append @FILE"));
	trigger = parse("no_such_function");
	assert_int_not_equal(
		record_trigger_find(&trigger, &options, getpid(), message, sizeof(message)), 0);
	assert_non_null(strstr(message, "has no function no_such_function"));
}

static void add(struct trigger_watch *watch, uint64_t time, uint32_t tid,
		enum trigger_sample_kind kind)
{
	const struct trigger_sample sample = {.time = time, .tid = tid, .kind = kind};

	assert_int_equal(trigger_watch_add(watch, &sample), 0);
}

/* The rings are read: at which time does the trigger fire, and after how long? */
static uint64_t fires_at(struct trigger_watch *watch, uint64_t *duration)
{
	struct trigger_sample begun, hit;

	trigger_watch_read(watch);
	if (trigger_watch_next(watch, &begun, &hit) != 1)
		return 0;
	assert_int_equal(begun.kind, TRIGGER_SAMPLE_BEGIN);
	assert_int_equal(begun.tid, hit.tid);
	*duration = hit.time - begun.time;
	return hit.time;
}

static void latency_fires_above_the_limit_only(void **state)
{
	struct trigger_watch watch = {.limit = 5 * MS};
	uint64_t duration = 0;

	(void)state;
	add(&watch, 1 * MS, 7, TRIGGER_SAMPLE_BEGIN);
	add(&watch, 6 * MS, 7, TRIGGER_SAMPLE_END);
	add(&watch, 7 * MS, 7, TRIGGER_SAMPLE_BEGIN);
	add(&watch, 12 * MS + 1, 7, TRIGGER_SAMPLE_END);
	assert_int_equal(fires_at(&watch, &duration), 0);
	assert_int_equal(fires_at(&watch, &duration), 12 * MS + 1);
	assert_int_equal(duration, 5 * MS + 1);
	assert_int_equal(fires_at(&watch, &duration), 0);
	assert_int_equal(watch.count, 0);
	/* an end without a beginning */
	add(&watch, 90 * MS, 7, TRIGGER_SAMPLE_END);
	add(&watch, 91 * MS, 8, TRIGGER_SAMPLE_END);
	assert_int_equal(fires_at(&watch, &duration), 0);
	assert_int_equal(fires_at(&watch, &duration), 0);
	trigger_watch_free(&watch);
}

static void latency_is_of_one_thread(void **state)
{
	struct trigger_watch watch = {.limit = 5 * MS};
	uint64_t duration = 0;

	(void)state;
	for (uint32_t tid = 200; tid > 100; tid--)
		add(&watch, (300 - tid) * MS / 100, tid, TRIGGER_SAMPLE_BEGIN);
	for (uint32_t tid = 200; tid > 100; tid--)
		add(&watch, (300 - tid) * MS / 100 + (tid == 150 ? 6 : 4) * MS, tid,
		    TRIGGER_SAMPLE_END);
	assert_int_equal(fires_at(&watch, &duration), 0);
	assert_int_equal(fires_at(&watch, &duration), 7 * MS + MS / 2);
	assert_int_equal(duration, 6 * MS);
	assert_int_equal(fires_at(&watch, &duration), 0);
	trigger_watch_free(&watch);
}

static void an_end_belongs_to_the_latest_beginning(void **state)
{
	struct trigger_watch watch = {.limit = 5 * MS};
	uint64_t duration = 0;

	(void)state;
	add(&watch, 1 * MS, 7, TRIGGER_SAMPLE_BEGIN);
	add(&watch, 6 * MS, 7, TRIGGER_SAMPLE_BEGIN);
	add(&watch, 7 * MS, 7, TRIGGER_SAMPLE_END);
	add(&watch, 8 * MS, 7, TRIGGER_SAMPLE_END);
	assert_int_equal(fires_at(&watch, &duration), 0);
	assert_int_equal(fires_at(&watch, &duration), 8 * MS);
	assert_int_equal(duration, 7 * MS);
	/* beginnings without an end do not add up */
	for (unsigned int i = 0; i < 1000; i++)
		add(&watch, 9 * MS + i, 7, TRIGGER_SAMPLE_BEGIN);
	add(&watch, 10 * MS, 7, TRIGGER_SAMPLE_END);
	fires_at(&watch, &duration);
	assert_int_equal(fires_at(&watch, &duration), 0);
	assert_int_equal(watch.thread_count, 1);
	/* the latest are known */
	assert_int_equal(watch.threads[0].depth,
			 sizeof(watch.threads[0].begins) / sizeof(watch.threads[0].begins[0]) - 1);
	trigger_watch_free(&watch);
}

/* The beginning is in the ring of a CPU that is read later than that of the end. */
static void samples_of_two_rings_are_ordered_by_time(void **state)
{
	struct trigger_watch watch = {.limit = 5 * MS};
	uint64_t duration = 0;

	(void)state;
	add(&watch, 1 * MS, 7, TRIGGER_SAMPLE_BEGIN);
	add(&watch, 20 * MS, 7, TRIGGER_SAMPLE_END);
	assert_int_equal(fires_at(&watch, &duration), 0);
	add(&watch, 18 * MS, 7, TRIGGER_SAMPLE_BEGIN);
	add(&watch, 17 * MS, 7, TRIGGER_SAMPLE_END);
	assert_int_equal(fires_at(&watch, &duration), 17 * MS);
	assert_int_equal(duration, 16 * MS);
	assert_int_equal(fires_at(&watch, &duration), 0);
	trigger_watch_free(&watch);
}

static void a_thread_that_ended_has_no_beginning(void **state)
{
	struct trigger_watch watch = {.limit = 5 * MS};
	uint64_t duration = 0;

	(void)state;
	add(&watch, 1 * MS, 7, TRIGGER_SAMPLE_BEGIN);
	add(&watch, 2 * MS, 7, TRIGGER_SAMPLE_EXIT);
	add(&watch, 9 * MS, 7, TRIGGER_SAMPLE_END);
	add(&watch, 10 * MS, 7, TRIGGER_SAMPLE_BEGIN);
	assert_int_equal(fires_at(&watch, &duration), 0);
	assert_int_equal(fires_at(&watch, &duration), 0);
	assert_int_equal(watch.thread_count, 1);
	/* samples were lost */
	trigger_watch_forget(&watch);
	add(&watch, 99 * MS, 7, TRIGGER_SAMPLE_END);
	assert_int_equal(fires_at(&watch, &duration), 0);
	assert_int_equal(fires_at(&watch, &duration), 0);
	trigger_watch_free(&watch);
}

static void only_a_request_that_may_be_slow_is_watched_without_a_rest(void **state)
{
	struct trigger_watch watch = {.limit = 5 * MS};
	uint64_t duration = 0;

	(void)state;
	assert_int_equal(trigger_watch_rest(&watch), 5 * MS / 8);
	add(&watch, 1 * MS, 7, TRIGGER_SAMPLE_BEGIN);
	add(&watch, 2 * MS, 8, TRIGGER_SAMPLE_BEGIN);
	add(&watch, 3 * MS, 8, TRIGGER_SAMPLE_END);
	fires_at(&watch, &duration);
	assert_int_equal(fires_at(&watch, &duration), 0);
	assert_int_equal(trigger_watch_rest(&watch), 5 * MS / 8);
	/* thread 7: soon longer than the limit, longer, and by far too long to be one request */
	watch.latest = 6 * MS - 1000;
	assert_int_equal(trigger_watch_rest(&watch), 1000);
	watch.latest = 6 * MS + 1;
	assert_int_equal(trigger_watch_rest(&watch), 0);
	watch.latest = 42 * MS;
	assert_int_equal(trigger_watch_rest(&watch), 5 * MS / 8);
	watch.limit = 5000 * MS;
	assert_int_equal(trigger_watch_rest(&watch), 10 * MS);
	trigger_watch_free(&watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_calls_and_signals_are_tracepoints),
		cmocka_unit_test(a_function_may_have_an_offset_and_a_file),
		cmocka_unit_test(latency_has_two_functions_and_a_time),
		cmocka_unit_test(wrong_triggers_are_refused_with_a_reason),
		cmocka_unit_test(the_tail_of_a_trigger_is_a_time),
		cmocka_unit_test(a_hit_is_reported_with_time_thread_and_cpu),
		cmocka_unit_test(functions_are_found_in_a_process),
		cmocka_unit_test(a_function_is_in_an_executable_mapping_of_its_file),
		cmocka_unit_test(programs_that_are_not_found_are_reported),
		cmocka_unit_test(latency_fires_above_the_limit_only),
		cmocka_unit_test(latency_is_of_one_thread),
		cmocka_unit_test(an_end_belongs_to_the_latest_beginning),
		cmocka_unit_test(samples_of_two_rings_are_ordered_by_time),
		cmocka_unit_test(a_thread_that_ended_has_no_beginning),
		cmocka_unit_test(only_a_request_that_may_be_slow_is_watched_without_a_rest),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
