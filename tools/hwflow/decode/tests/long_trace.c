/* SPDX-License-Identifier: GPL-2.0-only */
/* long_trace ROUNDS - a program with a branch every few instructions, half of them unpredictable.
 */
#include <stdint.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

__attribute__((noinline)) static uint64_t add(uint64_t a)
{
	return a + state;
}

__attribute__((noinline)) static uint64_t turn(uint64_t a)
{
	return a << 5 | a >> 59;
}

__attribute__((noinline)) static uint64_t choose(uint64_t a)
{
	return a & 4 ? turn(a) : add(a);
}

int main(int argc, char **argv)
{
	static uint64_t (*const functions[])(uint64_t) = {add, turn, choose};
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t sum = 0;

	while (rounds--)
		sum = functions[next_random() % 3](sum);
	return !sum;
}
