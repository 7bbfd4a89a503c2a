/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executions: what a program must have executed, and what was decoded, in the same form, so that both can be compared.
 *
 * An execution is a list of runs and of exceptions. A run is as long as possible: two ranges of which the second one
 * begins where the first one ends are one run. So two executions of the same instructions in the same order are equal,
 * however the trace was divided into ranges.
 *
 * Functions return 0 or a negative errno, unless their comment says another value.
 */
#ifndef ARM_ETE_SELFTESTS_EXPECT_H
#define ARM_ETE_SELFTESTS_EXPECT_H

#include "decode.h"
#include "workload.h"

/**
 * enum expect_kind - what an item of an execution is
 * @EXPECT_RUN: instructions from @start up to @end were executed one after another
 * @EXPECT_EXCEPTION: exception @start, whose preferred return address is @end, was taken
 * @EXPECT_GAP: execution is not known
 */
enum expect_kind {
	EXPECT_RUN,
	EXPECT_EXCEPTION,
	EXPECT_GAP,
};

/**
 * struct expect_item - a run, an exception, or a gap
 * @start: see enum expect_kind
 * @end: see enum expect_kind
 * @kind: enum expect_kind
 */
struct expect_item {
	uint64_t start;
	uint64_t end;
	uint8_t kind;
};

/**
 * struct expect - an execution
 * @items: runs, exceptions, gaps
 * @count: number of @items
 * @room: for so many items
 * @interruptions: exceptions that the kernel handled for itself, which are not among @items
 * @handler: for expect_decoded(): address of a signal handler; an interrupt that leads there is left out, too
 * @error: the first error
 */
struct expect {
	struct expect_item *items;
	size_t count;
	size_t room;
	size_t interruptions;
	uint64_t handler;
	int error;
};

/** expect_init() - begin with an empty execution */
void expect_init(struct expect *expect);

/** expect_free() - free its memory */
void expect_free(struct expect *expect);

/** expect_range() - append instructions from @start up to @end */
void expect_range(struct expect *expect, uint64_t start, uint64_t end);

/** expect_exception() - append exception @number with preferred return address @ret */
void expect_exception(struct expect *expect, uint64_t number, uint64_t ret);

/** expect_rows() - append a table of workload.h; the rows of a workload end with WORKLOAD_END */
void expect_rows(struct expect *expect, const struct workload_row *rows);

/**
 * expect_decoded() - the execution that was decoded
 * @expect: empty; receives it
 * @decode: what was decoded
 *
 * Exceptions that the kernel handled for itself are left out: interrupts and faults after which execution went on at
 * the preferred return address. The function fails with -EBADMSG if the number of instructions of a range does not fit
 * its addresses.
 */
int expect_decoded(struct expect *expect, const struct decode *decode);

/** expect_instructions() - instructions of all runs, of 4 bytes each */
uint64_t expect_instructions(const struct expect *expect);

/**
 * expect_equal() - compare two executions
 * @expected: must have no gap
 * @decoded: must have no gap, either
 * @text: receives the first difference, if there is one
 * @size: bytes of @text
 *
 * Return: true if they are equal.
 */
bool expect_equal(const struct expect *expected, const struct expect *decoded, char *text,
		  size_t size);

/**
 * expect_pieces() - find the pieces between gaps of an execution in what was expected
 * @expected: must have no gap
 * @decoded: may have gaps
 * @text: receives the first item that was not found
 * @size: bytes of @text
 *
 * Pieces must follow each other. The first one must be at the beginning. At a gap, a run may begin late or end early.
 *
 * Return: true if all pieces are found.
 */
bool expect_pieces(const struct expect *expected, const struct expect *decoded, char *text,
		   size_t size);

/**
 * expect_tail() - compare an execution with the end of what was expected
 * @expected: must have no gap
 * @decoded: must have no gap, either; its first run may begin late
 * @text: receives the first difference, if there is one
 * @size: bytes of @text
 *
 * Return: true if it is its end, and not empty.
 */
bool expect_tail(const struct expect *expected, const struct expect *decoded, char *text,
		 size_t size);

#endif
