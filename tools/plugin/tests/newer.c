// SPDX-License-Identifier: GPL-2.0-only
/*
 * newer mops|sme|lse128 - instructions that QEMU does not have in all versions, each with a result
 * that is compared: memory copies and sets (FEAT_MOPS, QEMU 8.2), streaming SVE mode
 * (FEAT_SME, 7.1), 128-bit atomics (FEAT_LSE128, 10.2).
 *
 * Prints "newer: good". If the processor does not have the feature, the instruction is undefined.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ROOM 20000

static uint8_t buffer[ROOM], expected[ROOM];

static void copy(uint8_t *to, const uint8_t *from, uint64_t size)
{
	__asm__ volatile(".arch_extension mops\n"
			 "	cpyp [%0]!, [%1]!, %2!\n"
			 "	cpym [%0]!, [%1]!, %2!\n"
			 "	cpye [%0]!, [%1]!, %2!\n"
			 : "+r"(to), "+r"(from), "+r"(size)
			 :
			 : "memory", "cc");
}

static void copy_forward(uint8_t *to, const uint8_t *from, uint64_t size)
{
	__asm__ volatile(".arch_extension mops\n"
			 "	cpyfp [%0]!, [%1]!, %2!\n"
			 "	cpyfm [%0]!, [%1]!, %2!\n"
			 "	cpyfe [%0]!, [%1]!, %2!\n"
			 : "+r"(to), "+r"(from), "+r"(size)
			 :
			 : "memory", "cc");
}

static void set(uint8_t *to, uint64_t value, uint64_t size)
{
	__asm__ volatile(".arch_extension mops\n"
			 "	setp [%0]!, %1!, %2\n"
			 "	setm [%0]!, %1!, %2\n"
			 "	sete [%0]!, %1!, %2\n"
			 : "+r"(to), "+r"(size)
			 : "r"(value)
			 : "memory", "cc");
}

/* Sizes and distances that cross pages, overlap and end at odd addresses */
static int mops(void)
{
	static const uint16_t sizes[] = {0, 1, 15, 16, 17, 255, 4095, 4096, 4097, 9001};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = sizes[i];

		for (size_t at = 0; at < ROOM; at++)
			buffer[at] = expected[at] = (uint8_t)(at * 31 + at / 251);
		set(buffer + 3, 0x5a, size);
		memset(expected + 3, 0x5a, size);
		copy(buffer + 101, buffer + 7, size);
		memmove(expected + 101, expected + 7, size);
		copy(buffer + 7, buffer + 1001, size);
		memmove(expected + 7, expected + 1001, size);
		copy_forward(buffer + 10001, buffer + 13, size);
		memmove(expected + 10001, expected + 13, size);
		if (memcmp(buffer, expected, ROOM) != 0)
			return 1;
	}
	return 0;
}

/* The vector length in streaming mode, by two instructions */
static int sme(void)
{
	uint64_t bytes, count;

	__asm__ volatile(".arch_extension sme\n"
			 "	smstart sm\n"
			 "	rdsvl %0, #1\n"
			 "	cntb %1\n"
			 "	smstop sm\n"
			 : "=r"(bytes), "=r"(count));
	return bytes != count || bytes < 16;
}

/* SWPP exchanges 16 bytes; its operands are x0 and x1. */
static int lse128(void)
{
	uint64_t word[2] __attribute__((aligned(16))) = {1, 2};
	register uint64_t low __asm__("x0") = 3;
	register uint64_t high __asm__("x1") = 4;
	register uint64_t *at __asm__("x2") = word;

	/* swpp x0, x1, [x2] */
	__asm__ volatile(".inst 0x19218040" : "+r"(low), "+r"(high) : "r"(at) : "memory");
	return low != 1 || high != 2 || word[0] != 3 || word[1] != 4;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int bad = 2;

	if (!strcmp(what, "mops"))
		bad = mops();
	else if (!strcmp(what, "sme"))
		bad = sme();
	else if (!strcmp(what, "lse128"))
		bad = lse128();
	puts(bad ? "newer: wrong" : "newer: good");
	return bad;
}
