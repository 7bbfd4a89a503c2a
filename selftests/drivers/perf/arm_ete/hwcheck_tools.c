// SPDX-License-Identifier: GPL-2.0-only
/* Clocks, files and numbers for hwflow-hwcheck. */
#include "hwcheck.h"

#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

/**
 * hwcheck_ns() - CLOCK_MONOTONIC_RAW
 *
 * Return: nanoseconds.
 */
uint64_t hwcheck_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/**
 * hwcheck_ticks() - CNTVCT_EL0, not before the instructions in front of it
 *
 * Return: its value.
 */
uint64_t hwcheck_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
	return ticks;
}

/**
 * hwcheck_frequency() - CNTFRQ_EL0
 *
 * Return: ticks a second, as firmware has set it.
 */
uint64_t hwcheck_frequency(void)
{
	uint64_t frequency;

	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
	return frequency;
}

/**
 * hwcheck_number() - the number that a file has
 * @format: of its path
 *
 * Return: the number, in any base that C knows; UINT64_MAX if there is none.
 */
uint64_t hwcheck_number(const char *format, ...)
{
	char path[256], text[64], *end;
	uint64_t number;
	va_list arguments;
	FILE *file;

	va_start(arguments, format);
	vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	file = fopen(path, "r");
	if (!file)
		return UINT64_MAX;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	number = strtoull(text, &end, 0);
	return end == text ? UINT64_MAX : number;
}

/**
 * hwcheck_pin() - execute on one CPU only
 * @cpu: its number
 *
 * Return: whether the caller does.
 */
bool hwcheck_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((unsigned int)cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set) && sched_getcpu() == cpu;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

/**
 * hwcheck_median() - a percentile
 * @values: sorted by the function
 * @count: number of @values
 * @percent: 50 is the median, 100 the maximum
 *
 * Return: the value; 0 if there is none.
 */
uint64_t hwcheck_median(uint64_t *values, size_t count, unsigned int percent)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof(*values), compare);
	return values[(count - 1) * percent / 100];
}

/**
 * hwcheck_until() - when a check has used its part of the time
 * @check: has the time for all checks
 * @percent: part of it
 *
 * Return: the time, as of hwcheck_ns().
 */
uint64_t hwcheck_until(const struct hwcheck *check, unsigned int percent)
{
	return hwcheck_ns() + (uint64_t)check->seconds * percent * 10000000;
}
