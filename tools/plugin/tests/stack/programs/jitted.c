// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions that the program writes: they call each other, functions of the program, and functions
 * in another mapping; some leave by tail calls. Those of the first mapping have names in a map as
 * perf reads it. Those of the second have none, so there are no tail calls into it: who was left
 * would not be known.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../check.h"

#define COUNT 24 /* functions of a mapping */
#define WORDS 48 /* at most, of a function */

#define STP_PRE  0xa9be7bfdu /* stp x29, x30, [sp, #-32]! */
#define MOV_FP   0x910003fdu /* mov x29, sp */
#define STR_X19  0xf9000bf3u /* str x19, [sp, #16] */
#define LDR_X19  0xf9400bf3u /* ldr x19, [sp, #16] */
#define LDP_POST 0xa8c27bfdu /* ldp x29, x30, [sp], #32 */
#define MOV_X19  0xaa0003f3u /* mov x19, x0 */
#define ADD_X19  0x8b000273u /* add x19, x19, x0 */
#define MOV_X0   0xaa1303e0u /* mov x0, x19 */
#define ADD_ONE  0x91000400u /* add x0, x0, #1 */
#define BLR_X16  0xd63f0200u
#define BR_X16   0xd61f0200u
#define RET      0xd65f03c0u

typedef uint64_t function(uint64_t);

static uint32_t *mappings[2];

__attribute__((noinline)) static uint64_t of_program(uint64_t value)
{
	return value + 1;
}

/* Code that calls a function of the program is called by one. */
__attribute__((noinline)) static uint64_t call(const uint32_t *code, uint64_t value)
{
	function *to;

	memcpy(&to, &code, sizeof(to));
	return to(value) + 1;
}

static uint32_t *function_at(unsigned int mapping, unsigned int number)
{
	return mappings[mapping] + (size_t)WORDS * number;
}

__attribute__((noinline)) static uint64_t back(uint64_t value)
{
	return call(function_at(value & 1, 1), value);
}

/* x16 is the address of what is branched to then */
static uint32_t *put_branch(uint32_t *at, uint64_t address, uint32_t branch)
{
	*at++ = 0xd2800010u | (uint32_t)(address & 0xffff) << 5; /* movz x16 */
	for (uint32_t i = 1; i < 4; i++)
		*at++ = 0xf2800010u | i << 21 |
			(uint32_t)(address >> 16 * i & 0xffff) << 5; /* movk */
	*at++ = branch;
	return at;
}

static void put_function(unsigned int mapping, unsigned int number)
{
	uint32_t *at = function_at(mapping, number);
	uint64_t called[3];
	size_t count = 0;

	if (number < 2) {
		*at++ = ADD_ONE;
		*at++ = RET;
		return;
	}
	called[count++] = (uintptr_t)function_at(mapping, number - 1);
	called[count++] =
		(uintptr_t)function_at(mapping ^ (number % 3 == 0 && number % 5), number - 2);
	if (number % 4 == 0)
		called[count++] = number % 8 ? (uintptr_t)back : (uintptr_t)of_program;
	*at++ = STP_PRE;
	*at++ = MOV_FP;
	*at++ = STR_X19;
	*at++ = MOV_X19;
	for (size_t i = 0; i < count - (number % 5 == 0); i++) {
		at = put_branch(at, called[i], BLR_X16);
		*at++ = ADD_X19;
	}
	*at++ = MOV_X0;
	*at++ = LDR_X19;
	*at++ = LDP_POST;
	if (number % 5)
		*at++ = RET;
	else
		at = put_branch(at, called[count - 1], BR_X16);
	CHECK(at <= function_at(mapping, number) + WORDS);
}

int main(void)
{
	const size_t size = (size_t)COUNT * WORDS * sizeof(uint32_t);
	char name[64];
	uint64_t results[2];
	FILE *map;

	for (int i = 0; i < 2; i++) {
		mappings[i] = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(mappings[i] != MAP_FAILED);
	}
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(name, "w");
	CHECK(map);
	for (unsigned int i = 0; i < COUNT; i++) {
		put_function(0, i);
		put_function(1, i);
		fprintf(map, "%llx %zx written_%u\n",
			(unsigned long long)(uintptr_t)function_at(0, i), WORDS * sizeof(uint32_t),
			i);
	}
	CHECK(!fclose(map));
	for (int i = 0; i < 2; i++)
		__builtin___clear_cache((char *)mappings[i], (char *)mappings[i] + size);
	for (unsigned int i = 0; i < 2; i++)
		results[i] = call(function_at(i, 17), 5);
	CHECK(results[0] == results[1]);
	for (unsigned int i = 0; i < COUNT; i++)
		call(function_at(i & 1, i % 14), i);
	return 0;
}
