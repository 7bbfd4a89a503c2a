/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What insn_llvm.c has disassembled: patterns of encodings, for it alone. */
#ifndef HWF_INSN_LLVM_PATTERNS_H
#define HWF_INSN_LLVM_PATTERNS_H

#include <stdint.h>

/* Encodings: 0 and 1 are fixed, a run of one letter is a field. T32: both half-words in order. */
static const char *const a64_patterns[] = {
	"000101iiiiiiiiiiiiiiiiiiiiiiiiii", /* B */
	"100101iiiiiiiiiiiiiiiiiiiiiiiiii", /* BL */
	"01010100iiiiiiiiiiiiiiiiiii0cccc", /* B.cond */
	"01010100iiiiiiiiiiiiiiiiiii1cccc", /* BC.cond */
	"s011010oiiiiiiiiiiiiiiiiiiittttt", /* CBZ, CBNZ */
	"b011011onnnnniiiiiiiiiiiiiittttt", /* TBZ, TBNZ */
	"s1110100cccmmmmm00iiiiiiiiittttt", /* CB<cc> (register) */
	"01110100cccmmmmm1hiiiiiiiiittttt", /* CBB<cc>, CBH<cc> */
	"s1110101cccuuuuuu0iiiiiiiiittttt", /* CB<cc> (immediate) */
	"s111010kcccmmmmmhhiiiiiiiiittttt", /* all of CB, CBB, CBH */
	"1101011000l11111000000nnnnn00000", /* BR, BLR */
	"1101011000l1111100001knnnnn11111", /* BRAAZ, BLRAAZ and B */
	"1101011100l1111100001knnnnnmmmmm", /* BRAA, BLRAA and B */
	"1101011001011111000000nnnnn00000", /* RET */
	"110101100101111100001k11111mmmmm", /* RETAA, RETAASPPCR and B */
	"0101010100kiiiiiiiiiiiiiiii11111", /* RETAASPPC, RETABSPPC */
	"110101101001111100001k1111111111", /* ERETAA, ERETAB */
	"11010110ooo111110000kk1111100000", /* ERET, DRPS, TEXIT */
	"1101011ooooppppp0000kknnnnnmmmmm", /* all branches to a register */
	"11010101000000110011cccc1oo11111", /* DSB, DMB, ISB, SB */
	"11010101000000110011cccc0oo11111", /* CLREX, DSB nXS */
	"11010101000000110010ccccooo11111", /* hints */
	"1101010100000011000100000ootttt1", /* WFET, WFIT */
	"110101010000001100010000ooottttt", /* system with register */
	"11010101001000110011cccc011ttttt", /* TSTART, TTEST */
	"1101010100llppppnnnnmmmmooottttt", /* all system */
	"11010100000iiiiiiiiiiiiiiii000ll", /* SVC, HVC, SMC */
	"11010100001iiiiiiiiiiiiiiii00000", /* BRK */
	"11010100010iiiiiiiiiiiiiiii00000", /* HLT */
	"11010100oooiiiiiiiiiiiiiiiippplx", /* with them DCPS, TENTER */
	"0000000000000000iiiiiiiiiiiiiiii", /* UDF */
	NULL,
};

static const char *const a32_patterns[] = {
	"cccc1010iiiiiiiiiiiiiiiiiiiiiiii", /* B */
	"cccc1011iiiiiiiiiiiiiiiiiiiiiiii", /* BL */
	"1111101hiiiiiiiiiiiiiiiiiiiiiiii", /* BLX (immediate) */
	"cccc0001001011111111111100oommmm", /* BX, BXJ, BLX (register) */
	"cccc000101100000000000000111iiii", /* SMC */
	"cccc00010oo0xxxxxxxxyyyy0pppmmmm", /* miscellaneous */
	"1110000100100000111111110ooommmm", /* BKPT, HLT and neighbours */
	"111000010oo0iiiiiiiiiiii0111jjjj", /* HLT, BKPT, HVC, SMC */
	"cccc0001011000000000000001101110", /* ERET */
	"cccc000oooosnnnn1111iiiiitt0mmmm", /* ALU to PC, register */
	"cccc0001101s00001111iiiiitt0mmmm", /* MOV PC */
	"cccc0001101snnnn1111000000001110", /* MOV PC, LR with should-be bits */
	"cccc000oooosnnnn1111ssss0tt1mmmm", /* ALU to PC, shift by register */
	"cccc001oooosnnnn1111rrrriiiiiiii", /* ALU to PC, immediate */
	"cccc00xoooosnnnnddddiiiiijjjmmmm", /* all ALU */
	"cccc010pu0w1nnnn1111iiiiiiiiiiii", /* LDR PC, immediate */
	"cccc01001001110111110000iiiiiiii", /* LDR PC, [SP], #imm */
	"cccc011pu0w1nnnn1111iiiiitt0mmmm", /* LDR PC, register */
	"cccc01xpubwlnnnnttttiiiiijjjmmmm", /* all loads, stores, media */
	"cccc100pu0w1nnnn1rrrrrrrrrrrrrrr", /* LDM with PC */
	"cccc1000101111011rrrrrrrrrrrrrrr", /* POP with PC */
	"cccc100pu1w1nnnn1rrrrrrrrrrrrrrr", /* LDM with PC, exception return */
	"cccc100puswlnnnnrrrrrrrrrrrrrrrr", /* all LDM, STM, RFE, SRS */
	"1111100pu0w1nnnn0000101000000000", /* RFE */
	"111101010111111111110000oooocccc", /* DSB, DMB, ISB, SB */
	"111101010111xxxxxxxxyyyyoooocccc", /* these with should-be bits */
	"cccc001100100000111100000000hhhh", /* hints */
	"cccc00110o10ppppxxxxyyyyhhhhhhhh", /* hints, MSR (immediate) */
	"cccc1111iiiiiiiiiiiiiiiiiiiiiiii", /* SVC */
	"cccc01111111iiiiiiiiiiii1111jjjj", /* UDF */
	"cccc111000000111tttt1111ooo1mmmm", /* CP15 barriers */
	"cccc1110ooolnnnnttttppppqqq1mmmm", /* MCR, MRC */
	"cccc000puswlnnnnttttiiii1oo1jjjj", /* multiplies, extra loads and stores */
	NULL,
};

static const char *const t32_patterns[] = {
	"11110scccchhhhhh10j0kiiiiiiiiiii", /* B T3, control */
	"11110shhhhhhhhhh10j1kiiiiiiiiiii", /* B T4 */
	"11110shhhhhhhhhh11j1kiiiiiiiiiii", /* BL */
	"11110shhhhhhhhhh11j0kiiiiiiiiiii", /* BLX (immediate) */
	"1110100pu0w1nnnn1mrrrrrrrrrrrrrr", /* LDM with PC, RFE */
	"1110100010111101pm0rrrrrrrrrrrrr", /* POP */
	"1110100pu0w1nnnn1100000000000000", /* RFE */
	"1110100ppuwlnnnnrrrrrrrrrrrrrrrr", /* all LDM, STM, RFE, SRS, dual, exclusive */
	"111010001101nnnn11110000000hmmmm", /* TBB, TBH */
	"111010001101nnnnttttxxxxoooommmm", /* these with should-be bits, exclusive loads */
	"111110001101nnnn1111iiiiiiiiiiii", /* LDR PC, 12-bit offset */
	"111110000101nnnn11111puwiiiiiiii", /* LDR PC, 8-bit offset */
	"11111000010111011111101uiiiiiiii", /* LDR PC, [SP], #imm */
	"111110000101nnnn1111000000iimmmm", /* LDR PC, register */
	"11111000u10111111111iiiiiiiiiiii", /* LDR PC, literal */
	"1111100suppplnnnttttiiiiiiiiiiii", /* all loads and stores of one register */
	"111100111ooonnnn10j0kiiiiiiiiiii", /* control */
	"111101111ooonnnn10j0kiiiiiiiiiii", /* exceptions */
	"111101111110iiii1000jjjjjjjjjjjj", /* HVC */
	"111101111111iiii10q0000000000000", /* SMC, UDF */
	"111101111111iiii1010jjjjjjjjjjjj", /* UDF */
	"111100111010111110000000hhhhhhhh", /* hints */
	"111100111011111110001111oooocccc", /* DSB, DMB, ISB, SB */
	"111100111100mmmm1000111100000000", /* BXJ */
	"111100111101111010001111iiiiiiii", /* SUBS PC, LR, ERET */
	"111100111101nnnn10001111iiiiiiii", /* these with should-be bits */
	"1110111000000111tttt1111ooo1mmmm", /* CP15 barriers */
	"111k1110ooolnnnnttttppppqqq1mmmm", /* MCR, MRC */
	"11101010oooosnnnnxiiddddiittmmmm", /* ALU, register */
	"11110i0oooosnnnn0jjjddddkkkkkkkk", /* ALU, immediate */
	"11110i1oooosnnnn0jjjddddkkkkkkkk", /* ALU, plain immediate */
	"11110i10x0x011110jjj1111kkkkkkkk", /* ADR to PC */
	"11111010xttsnnnn1111dddd0ooommmm", /* shifts by register, extensions */
	NULL,
};

/* What may stand in an IT block, as one or two half-words. */
static const uint16_t it_members[][2] = {
	{0x4770, 0},      {0x4718, 0},      {0x4798, 0},      {0x46f7, 0},      {0x4697, 0},
	{0x4497, 0},      {0xbd00, 0},      {0xbd10, 0},      {0xe000, 0},      {0xe7fe, 0},
	{0xbf20, 0},      {0xbf30, 0},      {0xbf00, 0},      {0x1840, 0},      {0xf000, 0xb800},
	{0xf000, 0xf800}, {0xf000, 0xe800}, {0xf8d0, 0xf000}, {0xf85d, 0xfb04}, {0xe8bd, 0x8010},
	{0xe8d1, 0xf002}, {0xf3c2, 0x8f00}, {0xf3de, 0x8f04}, {0xe990, 0xc000}, {0xf3bf, 0x8f6f},
	{0xf3bf, 0x8f4f}, {0xf3af, 0x8002}, {0xee07, 0x0f95}, {0xdf00, 0},
};

#endif /* HWF_INSN_LLVM_PATTERNS_H */
