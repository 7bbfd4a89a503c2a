// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words into the sum, many at a time. The fold is a polynomial in BENCH_K, so it need not be done
 * one word after the other: terms are summed up side by side, and put together at the end.
 */
#include <stddef.h>
#include <string.h>

#include "hwflow/words.h"

#include "bench.h"

#define K2  (BENCH_K * BENCH_K)
#define K4  (K2 * K2)
#define K8  (K4 * K4)
#define K16 (K8 * K8)

/* What a word adds to the sum */
static inline uint64_t term(const struct hwf_word *word, uint64_t offset)
{
	return bench_fold_packet(0, offset + word->at, bench_exact(word->type, word->entry),
				 word->value);
}

static inline uint64_t two(const struct hwf_word *words, uint64_t offset)
{
	return term(&words[0], offset) * BENCH_K + term(&words[1], offset);
}

/* A multiplication does not wait for the one before. */
static uint64_t fold_four(uint64_t sum, uint64_t offset, const struct hwf_word *words, size_t count)
{
	size_t i = 0;

	for (; i + 4 <= count; i += 4)
		sum = sum * K4 + two(&words[i], offset) * K2 + two(&words[i + 2], offset);
	for (; i < count; i++)
		sum = sum * BENCH_K + term(&words[i], offset);
	return sum;
}

#ifdef __x86_64__
/* FOLDED - as many terms as four registers hold */
#define FOLDED 16u

typedef uint64_t folded __attribute__((vector_size(32)));

_Static_assert(sizeof(struct hwf_word) == 16 && offsetof(struct hwf_word, at) == 8 &&
		       offsetof(struct hwf_word, type) == 12 &&
		       offsetof(struct hwf_word, entry) == 13,
	       "a word is two numbers: the value; and offset, type and entry");

/* The same for @count words, a multiple of FOLDED, where the core has instructions for it */
__attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"))) static uint64_t
fold_many(uint64_t sum, uint64_t offset, const struct hwf_word *words, size_t count)
{
	folded sums[4] = {{0}, {0}, {0}, {0, 0, 0, sum}};

	for (size_t i = 0; i < count; i += FOLDED) {
#pragma GCC unroll 4
		for (size_t j = 0; j < 4; j++) {
			folded a;
			folded b;
			folded content;
			folded where;

			memcpy(&a, &words[i + 4 * j], sizeof(a));
			memcpy(&b, &words[i + 4 * j + 2], sizeof(b));
			/* words 0, 2, 1, 3: what is cheapest */
			content = __builtin_shufflevector(a, b, 0, 4, 2, 6);
			where = __builtin_shufflevector(a, b, 1, 5, 3, 7);
			a = (where & 0xffffffff) + offset;
			b = (content << 8 | content >> 56) + (where >> 32 & 0xffff);
			sums[j] = sums[j] * K16 + ((a << 40 | a >> 24) ^ b);
		}
	}
	sum = 0;
	for (size_t j = 0; j < 4; j++) {
		sum = sum * K2 + sums[j][0] * BENCH_K + sums[j][2];
		sum = sum * K2 + sums[j][1] * BENCH_K + sums[j][3];
	}
	return sum;
}

uint64_t bench_fold_words(uint64_t sum, uint64_t offset, const struct hwf_word *words, size_t count)
{
	size_t many = __builtin_cpu_supports("avx2") ? count / FOLDED * FOLDED : 0;

	if (many)
		sum = fold_many(sum, offset, words, many);
	return fold_four(sum, offset, words + many, count - many);
}
#else
uint64_t bench_fold_words(uint64_t sum, uint64_t offset, const struct hwf_word *words, size_t count)
{
	return fold_four(sum, offset, words, count);
}
#endif
