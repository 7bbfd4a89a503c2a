// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of libc that call the program: qsort, bsearch, atexit, constructors. In a dynamic
 * program the first calls of each function go through lazy binding. split() has a part that the
 * compiler moves away (.cold).
 */
#include <search.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../check.h"

static volatile int zero;
static jmp_buf out;
static int constructed;

__attribute__((noinline)) static int value_of(int value)
{
	return value + zero;
}

__attribute__((constructor)) static void construct(void)
{
	constructed = value_of(1);
}

static int compare(const void *left, const void *right)
{
	return value_of(*(const int *)left) - value_of(*(const int *)right);
}

/* A sort in the comparison of a sort */
static int compare_sorting(const void *left, const void *right)
{
	int few[4] = {3, *(const int *)left, 1, *(const int *)right};

	qsort(few, 4, sizeof(few[0]), compare);
	return compare(left, right);
}

static int compare_jumping(const void *left, const void *right)
{
	if (*(const int *)left == 7)
		longjmp(out, 1);
	return compare(left, right);
}

static void visit(const void *node, VISIT order, int depth)
{
	(void)node;
	if (order != preorder)
		value_of(depth);
}

__attribute__((noinline, cold)) static int unlikely(int value)
{
	return value_of(value) + 1;
}

/* With -O2 the unlikely branches are in split.cold; jumps there and back */
__attribute__((noinline)) static int split(int value)
{
	int result = value_of(value);

	if (__builtin_expect(value % 3 == 0, 0)) {
		result += unlikely(value);
		if (value % 2)
			result += unlikely(result);
		value_of(result);
	}
	return value_of(result);
}

static void at_exit(void)
{
	value_of(1);
}

static void fill(int *numbers, size_t count)
{
	unsigned int state = 1;

	for (size_t i = 0; i < count; i++) {
		state = state * 1103515245 + 12345;
		numbers[i] = (int)(state >> 16) % 1000;
	}
}

int main(void)
{
	static int numbers[300];
	volatile int jumped = 0;
	void *root = NULL;
	int sum = 0;

	CHECK(constructed);
	CHECK(!atexit(at_exit));
	fill(numbers, 300);
	qsort(numbers, 300, sizeof(numbers[0]), compare);
	for (int i = 1; i < 300; i++)
		CHECK(numbers[i - 1] <= numbers[i]);
	CHECK(bsearch(&numbers[17], numbers, 300, sizeof(numbers[0]), compare));
	fill(numbers, 40);
	qsort(numbers, 40, sizeof(numbers[0]), compare_sorting);
	fill(numbers, 300);
	numbers[100] = 7;
	if (!setjmp(out))
		qsort(numbers, 300, sizeof(numbers[0]), compare_jumping);
	else
		jumped = value_of(1);
	CHECK(jumped);
	for (int i = 0; i < 50; i++)
		CHECK(tsearch(&numbers[i], &root, compare));
	twalk(root, visit);
	for (int i = 0; i < 300; i++)
		sum += split(i);
	CHECK(sum > 0);
	puts("callbacks: good");
	return 0;
}
