/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Limits: an input from somebody else may ask for more memory and time than its size explains, as a
 * compressed section does. Each limit has a default that no sound input reaches, and --max raises
 * it.
 */
#ifndef HWFLOW_INPUT_LIMITS_H
#define HWFLOW_INPUT_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/** enum limit - the limits, LIMIT_input and so on: the rows of input_limits.def */
enum limit {
#define LIMIT(word, value, unit, what) LIMIT_##word,
#include "input_limits.def"
#undef LIMIT
	LIMITS,
};

/** limit_of() - the value of a limit, in its unit */
uint64_t limit_of(enum limit limit);

/**
 * limit_spend() - spend something of which a file may have a share, and all files a limit
 * @limit: the limit of what all files together spend beyond their shares
 * @share: what the file may spend yet; less by @amount afterwards, or 0
 * @amount: what it spends
 *
 * Return: false if the limit is reached: nothing was spent.
 */
bool limit_spend(enum limit limit, uint64_t *share, uint64_t amount);

/** limits_forget() - nothing is spent, as at the start of the process */
void limits_forget(void);

/**
 * limit_take() - take the value of --max
 * @text: WORD=N, where N may end in K, M, G or T for powers of 1024
 *
 * Return: false if it is wrong: the reason was printed on stderr.
 */
bool limit_take(const char *text);

/**
 * limit_text() - what a message says where a limit is reached
 * @limit: which one
 *
 * Return: "the limit is 16M bytes of names of functions; --max=names=N raises it". The text is
 * valid for as long as the process runs.
 */
const char *limit_text(enum limit limit);

#endif /* HWFLOW_INPUT_LIMITS_H */
