// SPDX-License-Identifier: GPL-2.0-only
/* The number of processes, where nobody says how many. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cpus.h"
#include "source/input.h"

/* Processes for a file of so many MB, if @wanted are asked for */
static unsigned int jobs_of(unsigned int megabytes, unsigned int wanted)
{
	char path[] = "/tmp/test_ahead.XXXXXX";
	const int fd = mkstemp(path);
	struct input_options options;
	struct input *input;
	unsigned int jobs;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)megabytes << 20), 0);
	close(fd);
	input_options_init(&options);
	options.path = path;
	options.protocol = INPUT_ETE;
	assert_int_equal(input_option(&options, INPUT_OPT_CONFIG,
				      "TRCCONFIGR=1,TRCIDR0=0x084002a1,TRCIDR2=0x40001088,"
				      "TRCDEVARCH=0x47735a13"),
			 0);
	options.quiet = true;
	options.jobs = wanted;
	assert_int_equal(input_open(&input, &options), 0);
	jobs = input->jobs;
	input_close(input);
	input_options_free(&options);
	unlink(path);
	return jobs;
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static void the_default_depends_on_cpus_and_trace(void **state)
{
	const unsigned int cpus = cpus_available();
	cpu_set_t all, one;
	size_t first = 0;

	(void)state;
	assert_int_equal(jobs_of(1, 0), 1);
	assert_int_equal(jobs_of(7, 0), 1);
	assert_int_equal(jobs_of(8, 0), least(cpus, 2));
	assert_int_equal(jobs_of(40, 0), least(cpus, 10));
	assert_int_equal(jobs_of(400, 0), least(cpus, 16));
	assert_int_equal(jobs_of(1, 3), 3);
	assert_int_equal(jobs_of(400, 1), 1);
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(first, &all))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(jobs_of(400, 0), 1);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_depends_on_cpus_and_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
