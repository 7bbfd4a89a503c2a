/* SPDX-License-Identifier: GPL-2.0-only */
/* What benchmarks of pairs give: the middle of what was measured. */
#ifndef HWFLOW_BENCH_MEDIAN_H
#define HWFLOW_BENCH_MEDIAN_H

#include <stdlib.h>

static inline int bench_compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;

	return (x > y) - (x < y);
}

/* @values are sorted */
static inline double bench_median(double *values, unsigned int count)
{
	qsort(values, count, sizeof(*values), bench_compare_doubles);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

#endif
