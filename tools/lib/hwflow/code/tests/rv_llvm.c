/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * RISC-V instructions against LLVM: writes encodings for llvm-mc to disassemble, then compares what
 * LLVM says of each with what we say. Driven by rv-llvm.sh.
 *
 *	rv_llvm gen SEED > INPUT
 *	rv_llvm check rv32|rv64|zcm INPUT TEXT
 *
 * A line of INPUT is one instruction. A line of TEXT is what rv-llvm.sh makes of LLVM's answer to
 * the same line: kind, rd, rs1, offset (or constant), size; "invalid" where LLVM has none.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwflow/rv_insn.h"

#define PC        UINT64_C(0x40000000)
#define NR_RANDOM 400u /* fillings of each major opcode and funct3 */
#define MAX_SHOWN 20u

/* of the N extension, which LLVM does not have any more */
#define URET 0x00200073u

static const char *const kinds[] = {"other",   "branch", "jump",   "jumpreg",
				    "trapret", "ecall",  "ebreak", "upper"};

static uint64_t random_state;

static uint32_t random_word(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)((random_state * 0x2545f4914f6cdd1d) >> 32);
}

static void print_short(uint32_t half)
{
	printf("[0x%02" PRIx32 " 0x%02" PRIx32 "]\n", half & 0xff, half >> 8 & 0xff);
}

static void print_long(uint32_t word)
{
	printf("[0x%02" PRIx32 " 0x%02" PRIx32 " 0x%02" PRIx32 " 0x%02" PRIx32 "]\n", word & 0xff,
	       word >> 8 & 0xff, word >> 16 & 0xff, word >> 24);
}

/* All short ones; of each major opcode and funct3 some, and each bit of the immediates alone */
static void generate(void)
{
	static const uint32_t systems[] = {0x00000073, 0x00100073, 0x00200073, 0x10200073,
					   0x30200073, 0x70200073, 0x7b200073, 0x10500073};

	for (uint32_t half = 1; half < 0x10000; half++)
		if ((half & 3) != 3)
			print_short(half);
	for (uint32_t major = 3; major < 0x80; major += 4) {
		if ((major & 0x1f) == 0x1f)
			continue;
		for (uint32_t funct = 0; funct < 8; funct++) {
			uint32_t base = major | funct << 12;

			for (unsigned int i = 0; i < NR_RANDOM; i++)
				print_long((random_word() & 0xffff8f80) | base);
			for (unsigned int bit = 7; bit < 32; bit++)
				print_long(base | 1u << bit);
		}
	}
	for (unsigned int i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		for (unsigned int bit = 0; bit < 26; bit++)
			print_long(systems[i] ^ (bit ? 1u << (6 + bit) : 0));
}

/* What LLVM prints of a target is its distance; constants are the upper 20 bits. */
static bool is_same(const struct hwf_rv_insn *insn, unsigned int isa, const char *text)
{
	char kind[32];
	unsigned int rd, rs1, size;
	int64_t value;
	uint64_t want;

	if (sscanf(text, "%31s %u %u %" SCNi64 " %u", kind, &rd, &rs1, &value, &size) != 5)
		return false;
	if (strcmp(kind, kinds[insn->kind]) != 0 || size != insn->size)
		return false;
	switch (insn->kind) {
	case HWF_RV_BRANCH:
	case HWF_RV_JUMP:
		want = PC + (uint64_t)value;
		break;
	case HWF_RV_UPPER:
		/* 20 bits of a constant, sign-extended; rs1 1: on top of the address */
		want = (uint64_t)(int64_t)(int32_t)((uint32_t)value << 12) + (rs1 ? PC : 0);
		rs1 = 0;
		break;
	case HWF_RV_JUMP_REG:
		want = (uint64_t)value;
		break;
	default:
		return true;
	}
	if (!(isa & HWF_RV_64))
		want = (uint32_t)want;
	return insn->target == want && insn->rd == rd && insn->rs1 == rs1;
}

static uint32_t parse_bytes(char *line)
{
	uint32_t word = 0;
	unsigned int shift = 0;

	for (char *byte = strtok(line, "[] \n"); byte; byte = strtok(NULL, "[] \n")) {
		word |= (uint32_t)strtoul(byte, NULL, 16) << shift;
		shift += 8;
	}
	return word;
}

static int check(const char *name, const char *input_path, const char *text_path)
{
	unsigned int isa = !strcmp(name, "rv64")  ? HWF_RV_64
			   : !strcmp(name, "zcm") ? HWF_RV_ZCM
						  : 0;
	unsigned int same[8] = {0}, different = 0, invalid = 0;
	FILE *input = fopen(input_path, "r"), *text = fopen(text_path, "r");
	char line[128], answer[128];

	if (!input || !text)
		return 2;
	while (fgets(line, sizeof(line), input)) {
		struct hwf_rv_insn insn;
		uint32_t word = parse_bytes(line);

		if (!fgets(answer, sizeof(answer), text))
			return 2;
		hwf_rv_insn(word, PC, isa, &insn);
		/* what LLVM does not know changes no flow with us; hints are instructions */
		if (!strncmp(answer, "invalid", 7) ? insn.kind == HWF_RV_OTHER || word == URET
						   : is_same(&insn, isa, answer)) {
			same[insn.kind]++;
			invalid += !strncmp(answer, "invalid", 7);
		} else if (different++ < MAX_SHOWN) {
			printf("# %08" PRIx32 ": %s rd %u rs1 %u %" PRIx64 " size %u, LLVM: %s",
			       word, kinds[insn.kind], insn.rd, insn.rs1, insn.target, insn.size,
			       answer);
		}
	}
	printf("# %s: %u differ, %u invalid\n", name, different, invalid);
	for (unsigned int i = 0; i < 8; i++) {
		printf("# %s: %u same\n", kinds[i], same[i]);
		if (!same[i])
			different++;
	}
	return different != 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "gen")) {
		random_state = strtoull(argv[2], NULL, 0) * 2 + 1;
		generate();
		return 0;
	}
	if (argc == 5 && !strcmp(argv[1], "check"))
		return check(argv[2], argv[3], argv[4]);
	return 2;
}
