// SPDX-License-Identifier: GPL-2.0-only
/* --request: the time of a request, from the samples of a recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_samples.h"
#include "select/request.h"
#include "source/input_private.h"

#define BEGIN(at, thread) \
	{.event = "request-begin:breakpoint:f:0x10", .time = (at), .tid = (thread), .cpu = 0}
#define END(at, thread) \
	{.event = "request-end:breakpoint:g:0x20", .time = (at), .tid = (thread), .cpu = 0}

/* struct recording - what is "opened" */
struct recording {
	struct input_state state;
	struct perfdata_info info;
};

static const struct perfdata_info *info_of(const struct input *input)
{
	return &((const struct recording *)input->private_data)->info;
}

static const struct input_kind kind = {.recording = info_of};

static int find(const struct perfdata_sample *samples, size_t count, bool known, uint64_t number,
		uint64_t times[2])
{
	struct recording recording = {
		.state = {.kind = &kind},
		.info = {.samples = samples, .sample_count = count, .clock = {.known = known}}};
	const struct input input = {.path = "test", .private_data = &recording};

	times[0] = times[1] = 0;
	return request_times(&input, number, &times[0], &times[1]);
}

static void a_request_is_of_one_thread(void **state)
{
	static const struct perfdata_sample samples[] = {
		BEGIN(10, 1), BEGIN(20, 2), {.event = "sched:sched_switch", .time = 25, .tid = 1},
		END(30, 1),   END(40, 2),
	};
	uint64_t times[2];

	(void)state;
	assert_int_equal(find(samples, 5, true, 1, times), 0);
	assert_int_equal(times[0], 10);
	assert_int_equal(times[1], 30);
	assert_int_equal(find(samples, 5, true, 2, times), 0);
	assert_int_equal(times[0], 20);
	assert_int_equal(times[1], 40);
}

static void requests_may_be_in_others(void **state)
{
	static const struct perfdata_sample samples[] = {BEGIN(10, 1), BEGIN(20, 1), END(30, 1),
							 END(40, 1),   BEGIN(50, 1), END(60, 1)};
	uint64_t times[2];

	(void)state;
	assert_int_equal(find(samples, 6, true, 1, times), 0);
	assert_int_equal(times[0], 20);
	assert_int_equal(find(samples, 6, true, 2, times), 0);
	assert_int_equal(times[0], 10);
	assert_int_equal(times[1], 40);
	assert_int_equal(find(samples, 6, true, 3, times), 0);
	assert_int_equal(times[0], 50);
}

static void what_is_not_there_is_refused(void **state)
{
	static const struct perfdata_sample samples[] = {BEGIN(10, 1), END(20, 1), END(30, 2)};
	uint64_t times[2];

	(void)state;
	assert_int_equal(find(samples, 0, true, 1, times), EXIT_USAGE);
	assert_int_equal(find(samples, 1, true, 1, times), EXIT_USAGE);
	assert_int_equal(find(samples, 3, true, 1, times), 0);
	/* an old recording has no beginnings */
	assert_int_equal(find(samples, 3, true, 2, times), EXIT_USAGE);
	assert_int_equal(find(samples, 3, true, 3, times), EXIT_USAGE);
	/* times of the trace cannot be compared with them */
	assert_int_equal(find(samples, 3, false, 1, times), EXIT_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_of_one_thread),
		cmocka_unit_test(requests_may_be_in_others),
		cmocka_unit_test(what_is_not_there_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
