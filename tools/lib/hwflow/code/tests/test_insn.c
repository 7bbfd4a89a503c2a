/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Instruction classes, by vectors assembled by hand from the encodings of Arm DDI 0487. What is a
 * P0 instruction: section D4.4, R_PBVZM to R_BHLTJ.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "hwflow/insn.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

/* A T32 word has its first half-word on top; a narrow one is zero-extended. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order that rows are read */
struct direct_vector {
	const char *text;
	uint32_t opcode;
	uint64_t pc;
	uint64_t target;
	enum hwf_insn_sub sub;
	bool conditional;
	enum hwf_isa target_isa; /* HWF_ISA_UNKNOWN: that of the instruction */
};

struct vector {
	const char *text;
	uint32_t opcode;
	enum hwf_insn_kind kind;
	enum hwf_insn_sub sub;
	bool conditional;
};

struct call_vector {
	const char *text;
	uint32_t opcode;
	enum hwf_insn_call call;
};

static const struct direct_vector a64_direct[] = {
	{"b .", 0x14000000, 0x1000, 0x1000, HWF_SUB_NONE, false, 0},
	{"b +0x7fffffc", 0x15ffffff, 0x10000000, 0x17fffffc, HWF_SUB_NONE, false, 0},
	{"b -0x8000000", 0x16000000, 0x10000000, 0x08000000, HWF_SUB_NONE, false, 0},
	{"b -4 below zero", 0x17ffffff, 0, 0xfffffffffffffffc, HWF_SUB_NONE, false, 0},
	{"b +4 over the top", 0x14000001, 0xfffffffffffffffc, 0, HWF_SUB_NONE, false, 0},
	{"b -4 over 4 GiB", 0x17ffffff, 0x100000000, 0xfffffffc, HWF_SUB_NONE, false, 0},
	{"bl +0x7fffffc", 0x95ffffff, 0xffff800010000000, 0xffff800017fffffc, HWF_SUB_LINK, false,
	 0},
	{"bl -0x8000000", 0x96000000, 0xffff800010000000, 0xffff800008000000, HWF_SUB_LINK, false,
	 0},
	{"b.eq +0xffffc", 0x547fffe0, 0x200000, 0x2ffffc, HWF_SUB_NONE, true, 0},
	{"b.eq -0x100000", 0x54800000, 0x200000, 0x100000, HWF_SUB_NONE, true, 0},
	{"b.al +4", 0x5400002e, 0x1000, 0x1004, HWF_SUB_NONE, true, 0},
	{"bc.ne +4", 0x54000031, 0x1000, 0x1004, HWF_SUB_NONE, true, 0},
	{"cbz w0, +4", 0x34000020, 0x1000, 0x1004, HWF_SUB_NONE, true, 0},
	{"cbnz x30, +0xffffc", 0xb57ffffe, 0x200000, 0x2ffffc, HWF_SUB_NONE, true, 0},
	{"cbnz x30, -0x100000", 0xb580001e, 0x200000, 0x100000, HWF_SUB_NONE, true, 0},
	{"tbz w0, #0, +0x7ffc", 0x3603ffe0, 0x10000, 0x17ffc, HWF_SUB_NONE, true, 0},
	{"tbz w0, #0, -0x8000", 0x36040000, 0x10000, 0x8000, HWF_SUB_NONE, true, 0},
	{"tbnz x5, #63, +4", 0xb7f80025, 0x1000, 0x1004, HWF_SUB_NONE, true, 0},
	{"cbgt x1, x2, +0x3fc", 0xf4021fe1, 0x1000, 0x13fc, HWF_SUB_NONE, true, 0},
	{"cbgt x1, x2, -0x400", 0xf4022001, 0x1000, 0xc00, HWF_SUB_NONE, true, 0},
	{"cbhs w1, w2, +4", 0x74620021, 0x1000, 0x1004, HWF_SUB_NONE, true, 0},
	{"cbne w1, w2, +4", 0x74e20021, 0x1000, 0x1004, HWF_SUB_NONE, true, 0},
	{"cbbgt w1, w2, -4", 0x7402bfe1, 0, 0xfffffffffffffffc, HWF_SUB_NONE, true, 0},
	{"cbhhi w1, w2, +8", 0x7442c041, 0x1000, 0x1008, HWF_SUB_NONE, true, 0},
	{"cbgt x1, #63, -0x400", 0xf51fa001, 0x1000, 0xc00, HWF_SUB_NONE, true, 0},
	{"cbne w1, #0, +4", 0x75e00021, 0x1000, 0x1004, HWF_SUB_NONE, true, 0},
};

static const struct vector a64_kinds[] = {
	{"br x0", 0xd61f0000, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"br x30", 0xd61f03c0, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"braaz x1", 0xd61f083f, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"brabz x2", 0xd61f0c5f, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"braa x0, x1", 0xd71f0801, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"brab x0, sp", 0xd71f0c1f, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"blr x30", 0xd63f03c0, HWF_INSN_INDIRECT, HWF_SUB_LINK, false},
	{"blraaz x1", 0xd63f083f, HWF_INSN_INDIRECT, HWF_SUB_LINK, false},
	{"blrabz x0", 0xd63f0c1f, HWF_INSN_INDIRECT, HWF_SUB_LINK, false},
	{"blraa x1, sp", 0xd73f083f, HWF_INSN_INDIRECT, HWF_SUB_LINK, false},
	{"blrab x0, x1", 0xd73f0c01, HWF_INSN_INDIRECT, HWF_SUB_LINK, false},
	{"ret", 0xd65f03c0, HWF_INSN_INDIRECT, HWF_SUB_RET, false},
	{"ret x0", 0xd65f0000, HWF_INSN_INDIRECT, HWF_SUB_RET, false},
	{"retaa", 0xd65f0bff, HWF_INSN_INDIRECT, HWF_SUB_RET, false},
	{"retab", 0xd65f0fff, HWF_INSN_INDIRECT, HWF_SUB_RET, false},
	{"retaasppc -4", 0x5500003f, HWF_INSN_INDIRECT, HWF_SUB_RET, false},
	{"retabsppc -0x3fffc", 0x553fffff, HWF_INSN_INDIRECT, HWF_SUB_RET, false},
	{"retaasppcr x3", 0xd65f0be3, HWF_INSN_INDIRECT, HWF_SUB_RET, false},
	{"retabsppcr x30", 0xd65f0ffe, HWF_INSN_INDIRECT, HWF_SUB_RET, false},
	{"eret", 0xd69f03e0, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"eretaa", 0xd69f0bff, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"eretab", 0xd69f0fff, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"texit", 0xd6ff03e0, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"texit nb", 0xd6ff07e0, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"isb", 0xd5033fdf, HWF_INSN_ISB, HWF_SUB_NONE, false},
	{"isb #0", 0xd50330df, HWF_INSN_ISB, HWF_SUB_NONE, false},
	{"dsb sy", 0xd5033f9f, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"ssbb", 0xd503309f, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"dsb synxs", 0xd5033e3f, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"dmb ish", 0xd5033bbf, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"sb", 0xd50330ff, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"wfe", 0xd503205f, HWF_INSN_WFX, HWF_SUB_NONE, false},
	{"wfi", 0xd503207f, HWF_INSN_WFX, HWF_SUB_NONE, false},
	{"wfet x0", 0xd5031000, HWF_INSN_WFX, HWF_SUB_NONE, false},
	{"wfit xzr", 0xd503103f, HWF_INSN_WFX, HWF_SUB_NONE, false},
	{"tstart x0", 0xd5233060, HWF_INSN_TSTART, HWF_SUB_NONE, false},
	{"tstart xzr", 0xd523307f, HWF_INSN_TSTART, HWF_SUB_NONE, false},
	{"ttest x0", 0xd5233160, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"tcommit", 0xd503307f, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"tcancel #0", 0xd4600000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"tenter #5", 0xd4e000a0, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"drps", 0xd6bf03e0, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"dsb nxs of option 0", 0xd503303f, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"dsb nxs of option 15", 0xd5033f3f, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"clrex", 0xd5033f5f, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"nop", 0xd503201f, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"trcit x0", 0xd50b72e0, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"trcit xzr", 0xd50b72ff, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"yield", 0xd503203f, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"sev", 0xd503209f, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"cb of condition 4", 0x74820021, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"cb of condition 5", 0xf4a20021, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"cb of size 1", 0x74024021, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"cbb of 64 bits", 0xf4028021, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"cb immediate, bit 14", 0x75004021, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"retaasppc, bit 22", 0x5540003f, HWF_INSN_OTHER, HWF_SUB_NONE, false},
};

static const struct call_vector a64_calls[] = {
	{"svc #0", 0xd4000001, HWF_CALL_SVC},     {"svc #0xffff", 0xd41fffe1, HWF_CALL_SVC},
	{"hvc #0", 0xd4000002, HWF_CALL_HVC},     {"smc #0", 0xd4000003, HWF_CALL_SMC},
	{"brk #1", 0xd4200020, HWF_CALL_BRK},     {"hlt #0xf000", 0xd45e0000, HWF_CALL_HLT},
	{"udf #0", 0x00000000, HWF_CALL_UDF},     {"udf #0xffff", 0x0000ffff, HWF_CALL_UDF},
	{"above udf", 0x00010000, HWF_CALL_NONE}, {"dcps1", 0xd4a00001, HWF_CALL_NONE},
	{"tenter #0", 0xd4e00000, HWF_CALL_NONE},
};

static const struct direct_vector a32_direct[] = {
	{"b .", 0xeafffffe, 0x8000, 0x8000, HWF_SUB_NONE, false, 0},
	{"b +0x2000004", 0xea7fffff, 0x8000000, 0xa000004, HWF_SUB_NONE, false, 0},
	{"b -0x1fffff8", 0xea800000, 0x8000000, 0x6000008, HWF_SUB_NONE, false, 0},
	{"b -4 below zero", 0xeafffffd, 0, 0xfffffffc, HWF_SUB_NONE, false, 0},
	{"b +8 over the top", 0xea000000, 0xfffffffc, 4, HWF_SUB_NONE, false, 0},
	{"beq +8", 0x0a000000, 0x8000, 0x8008, HWF_SUB_NONE, true, 0},
	{"ble +8", 0xda000000, 0x8000, 0x8008, HWF_SUB_NONE, true, 0},
	{"bl .", 0xebfffffe, 0x8000, 0x8000, HWF_SUB_LINK, false, 0},
	{"blne +8", 0x1b000000, 0x8000, 0x8008, HWF_SUB_LINK, true, 0},
	{"blx +8", 0xfa000000, 0x8000, 0x8008, HWF_SUB_LINK, false, HWF_ISA_T32},
	{"blx +10", 0xfb000000, 0x8000, 0x800a, HWF_SUB_LINK, false, HWF_ISA_T32},
	{"blx -0x1fffff8", 0xfa800000, 0x8000000, 0x6000008, HWF_SUB_LINK, false, HWF_ISA_T32},
	{"blx -2 below zero", 0xfbfffffd, 0, 0xfffffffe, HWF_SUB_LINK, false, HWF_ISA_T32},
	{"blx +10 over the top", 0xfb000000, 0xfffffffc, 6, HWF_SUB_LINK, false, HWF_ISA_T32},
};

static const struct vector a32_kinds[] = {
	{"bx r0", 0xe12fff10, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"bx pc", 0xe12fff1f, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"bx lr", 0xe12fff1e, HWF_INSN_INDIRECT, HWF_SUB_IMPLIED_RET, false},
	{"bxeq lr", 0x012fff1e, HWF_INSN_INDIRECT, HWF_SUB_IMPLIED_RET, true},
	{"blx r3", 0xe12fff33, HWF_INSN_INDIRECT, HWF_SUB_LINK, false},
	{"blxne lr", 0x112fff3e, HWF_INSN_INDIRECT, HWF_SUB_LINK, true},
	{"bxj r2", 0xe12fff22, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"mov pc, lr", 0xe1a0f00e, HWF_INSN_INDIRECT, HWF_SUB_IMPLIED_RET, false},
	{"mov pc, r1", 0xe1a0f001, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"mov pc, lr, lsl #1", 0xe1a0f08e, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"movs pc, lr", 0xe1b0f00e, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"subs pc, lr, #4", 0xe25ef004, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"subseq pc, lr, #4", 0x025ef004, HWF_INSN_INDIRECT, HWF_SUB_ERET, true},
	{"add pc, pc, r1, lsl #2", 0xe08ff101, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"addls pc, pc, r1, lsl #2", 0x908ff101, HWF_INSN_INDIRECT, HWF_SUB_NONE, true},
	{"and pc, r0, #1", 0xe200f001, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"mvn pc, #0", 0xe3e0f000, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"orr pc, r0, r1, lsl r2", 0xe180f211, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldr pc, [pc, #-4]", 0xe51ff004, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldr pc, [sp], #4", 0xe49df004, HWF_INSN_INDIRECT, HWF_SUB_IMPLIED_RET, false},
	{"ldr pc, [sp], #-4", 0xe41df004, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldr pc, [sp, #4]!", 0xe5bdf004, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldr pc, [r0, r1]", 0xe790f001, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"pop {r4, pc}", 0xe8bd8010, HWF_INSN_INDIRECT, HWF_SUB_IMPLIED_RET, false},
	{"popne {r4, pc}", 0x18bd8010, HWF_INSN_INDIRECT, HWF_SUB_IMPLIED_RET, true},
	{"ldm sp, {pc}", 0xe89d8000, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldmib r0, {pc}", 0xe9908000, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldmda r0!, {pc}", 0xe8308000, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldm sp!, {pc}^", 0xe8fd8000, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"ldm sp!, {sp, pc}", 0xe8bda000, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"rfeia sp!", 0xf8bd0a00, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"rfedb r0", 0xf9100a00, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"eret", 0xe160006e, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"eretcc", 0x3160006e, HWF_INSN_INDIRECT, HWF_SUB_ERET, true},
	{"isb", 0xf57ff06f, HWF_INSN_ISB, HWF_SUB_NONE, false},
	{"mcr p15, 0, r0, c7, c5, 4", 0xee070f95, HWF_INSN_ISB, HWF_SUB_NONE, false},
	{"mcreq p15, 0, r1, c7, c5, 4", 0x0e071f95, HWF_INSN_ISB, HWF_SUB_NONE, true},
	{"dsb", 0xf57ff04f, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"dmb", 0xf57ff05f, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"sb", 0xf57ff070, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"mcr p15, 0, r0, c7, c10, 4", 0xee070f9a, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"mcr p15, 0, r0, c7, c10, 5", 0xee070fba, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"wfe", 0xe320f002, HWF_INSN_WFX, HWF_SUB_NONE, false},
	{"wfi", 0xe320f003, HWF_INSN_WFX, HWF_SUB_NONE, false},
	{"wfieq", 0x0320f003, HWF_INSN_WFX, HWF_SUB_NONE, true},
	{"yield", 0xe320f001, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"cmp pc, #0", 0xe35f0000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"tst r0, #1, Rd 15", 0xe310f001, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"cmp r0, r1, Rd 15", 0xe150f001, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"movw pc, #1", 0xe300f001, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"ldrb pc, [r0]", 0xe5d0f000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"ldrt pc, [r0], #4", 0xe4b0f004, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"str pc, [r0]", 0xe580f000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"ldr r0, [pc]", 0xe59f0000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"pop {r4, lr}", 0xe8bd4010, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"stm r0, {pc}", 0xe8808000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"srsia #19", 0xf8cd0513, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"mul pc, r1, r0", 0xe00f0091, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"ldrh pc, [r0]", 0xe1d0f0b0, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"uxtb pc, r1", 0xe6eff071, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"mrc p14, 0, APSR_nzcv", 0xee10fe10, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"mrc p15, 0, r0, c7, c5, 4", 0xee170f95, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"mcr2 p15, 0, r0, c7, c5, 4", 0xfe070f95, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"clrex", 0xf57ff01f, HWF_INSN_OTHER, HWF_SUB_NONE, false},
};

static const struct call_vector a32_calls[] = {
	{"svc #0", 0xef000000, HWF_CALL_SVC},       {"svceq #0xffffff", 0x0fffffff, HWF_CALL_SVC},
	{"hvc #0", 0xe1400070, HWF_CALL_HVC},       {"smc #1", 0xe1600071, HWF_CALL_SMC},
	{"bkpt #0xffff", 0xe12fff7f, HWF_CALL_BRK}, {"hlt #0", 0xe1000070, HWF_CALL_HLT},
	{"udf #0", 0xe7f000f0, HWF_CALL_UDF},       {"udf #0xffff", 0xe7ffffff, HWF_CALL_UDF},
	{"mcr p14", 0xee000e10, HWF_CALL_NONE},     {"condition 15", 0xff000000, HWF_CALL_NONE},
};

static const struct direct_vector t32_direct[] = {
	{"wls lr, r4, #6", 0xf044c803, 0x1000, 0x100a, HWF_SUB_LOOP, true, 0},
	{"wlstp.8 lr, r3, #12", 0xf003c007, 0x1000, 0x1010, HWF_SUB_LOOP, true, 0},
	{"le lr, #-20", 0xf00fc00b, 0x1e104, 0x1e0f4, HWF_SUB_LOOP, true, 0},
	{"le #-4", 0xf02fc003, 0x1000, 0x1000, HWF_SUB_LOOP, false, 0},
	{"letp lr, #-8", 0xf01fc005, 0x1000, 0xffc, HWF_SUB_LOOP, true, 0},
	{"b .", 0xe7fe, 0x1002, 0x1002, HWF_SUB_NONE, false, 0},
	{"b +0x802", 0xe3ff, 0x1000, 0x1802, HWF_SUB_NONE, false, 0},
	{"b -0x7fc", 0xe400, 0x1000, 0x804, HWF_SUB_NONE, false, 0},
	{"b -4 below zero", 0xe7fc, 0, 0xfffffffc, HWF_SUB_NONE, false, 0},
	{"b +4 over the top", 0xe000, 0xfffffffe, 2, HWF_SUB_NONE, false, 0},
	{"beq .", 0xd0fe, 0x1000, 0x1000, HWF_SUB_NONE, true, 0},
	{"beq +0x102", 0xd07f, 0x1000, 0x1102, HWF_SUB_NONE, true, 0},
	{"ble -0xfc", 0xdd80, 0x1000, 0xf04, HWF_SUB_NONE, true, 0},
	{"cbz r0, +4", 0xb100, 0x1000, 0x1004, HWF_SUB_NONE, true, 0},
	{"cbz r0, +0x82", 0xb3f8, 0x1000, 0x1082, HWF_SUB_NONE, true, 0},
	{"cbnz r7, +0x42", 0xb9ff, 0x1000, 0x1042, HWF_SUB_NONE, true, 0},
	{"cbnz r0, +0x44", 0xbb00, 0x1000, 0x1044, HWF_SUB_NONE, true, 0},
	{"cbz r0, +4 over the top", 0xb100, 0xfffffffe, 2, HWF_SUB_NONE, true, 0},
	{"beq.w +4", 0xf0008000, 0x1000, 0x1004, HWF_SUB_NONE, true, 0},
	{"ble.w +0x100002", 0xf37fafff, 0x1000, 0x101002, HWF_SUB_NONE, true, 0},
	{"beq.w -0xffffc", 0xf4008000, 0x200000, 0x100004, HWF_SUB_NONE, true, 0},
	{"beq.w +0x40004, J1", 0xf000a000, 0x1000, 0x41004, HWF_SUB_NONE, true, 0},
	{"beq.w +0x80004, J2", 0xf0008800, 0x1000, 0x81004, HWF_SUB_NONE, true, 0},
	{"b.w +4", 0xf000b800, 0x1000, 0x1004, HWF_SUB_NONE, false, 0},
	{"b.w +0x1000002", 0xf3ff97ff, 0x1000000, 0x2000002, HWF_SUB_NONE, false, 0},
	{"b.w -0xfffffc", 0xf4009000, 0x1000000, 0x4, HWF_SUB_NONE, false, 0},
	{"b.w +0x800004, J1 clear", 0xf0009800, 0x1000, 0x801004, HWF_SUB_NONE, false, 0},
	{"b.w +0x400004, J2 clear", 0xf000b000, 0x1000, 0x401004, HWF_SUB_NONE, false, 0},
	{"b.w -4 below zero", 0xf7ffbffc, 0, 0xfffffffc, HWF_SUB_NONE, false, 0},
	{"bl +4", 0xf000f800, 0x1000, 0x1004, HWF_SUB_LINK, false, 0},
	{"bl +0x1000002", 0xf3ffd7ff, 0x1000000, 0x2000002, HWF_SUB_LINK, false, 0},
	{"bl -0xfffffc", 0xf400d000, 0x1000000, 0x4, HWF_SUB_LINK, false, 0},
	{"blx +4", 0xf000e800, 0x1000, 0x1004, HWF_SUB_LINK, false, HWF_ISA_A32},
	{"blx +4, off a word", 0xf000e800, 0x1002, 0x1004, HWF_SUB_LINK, false, HWF_ISA_A32},
	{"blx +0x1000000", 0xf3ffc7fe, 0x1000000, 0x2000000, HWF_SUB_LINK, false, HWF_ISA_A32},
	{"blx -0xfffffc", 0xf400c000, 0x1000002, 0x4, HWF_SUB_LINK, false, HWF_ISA_A32},
	{"blx +4 over the top", 0xf000e800, 0xfffffffe, 0, HWF_SUB_LINK, false, HWF_ISA_A32},
};

static const struct vector t32_kinds[] = {
	{"bx r3", 0x4718, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"bx lr", 0x4770, HWF_INSN_INDIRECT, HWF_SUB_IMPLIED_RET, false},
	{"bxns r3", 0x471c, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"bxaut r12, lr, sp", 0xfb5ecf1d, HWF_INSN_INDIRECT, HWF_SUB_IMPLIED_RET, false},
	{"bxaut r1, r2, r3", 0xfb521f13, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"autg r1, r2, r3", 0xfb521f03, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"smmulr r4, r2, r3", 0xfb52f413, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"blx r3", 0x4798, HWF_INSN_INDIRECT, HWF_SUB_LINK, false},
	{"blx lr", 0x47f0, HWF_INSN_INDIRECT, HWF_SUB_LINK, false},
	{"blxns r3", 0x479c, HWF_INSN_INDIRECT, HWF_SUB_LINK, false},
	{"bxj r2", 0xf3c28f00, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"mov pc, lr", 0x46f7, HWF_INSN_INDIRECT, HWF_SUB_IMPLIED_RET, false},
	{"mov pc, r2", 0x4697, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"add pc, r2", 0x4497, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"pop {pc}", 0xbd00, HWF_INSN_INDIRECT, HWF_SUB_IMPLIED_RET, false},
	{"pop.w {r4, pc}", 0xe8bd8010, HWF_INSN_INDIRECT, HWF_SUB_IMPLIED_RET, false},
	{"ldr.w pc, [sp], #4", 0xf85dfb04, HWF_INSN_INDIRECT, HWF_SUB_IMPLIED_RET, false},
	{"ldr pc, [sp], #-4", 0xf85df904, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldr pc, [r0, #-4]", 0xf850fc04, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldr pc, [r0, #4]!", 0xf850ff04, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldr.w pc, [r0]", 0xf8d0f000, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldr.w pc, [pc, #0]", 0xf8dff000, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldr.w pc, [pc, #-0xfff]", 0xf85fffff, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldr.w pc, [r0, r1, lsl #2]", 0xf850f021, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldm.w r0, {pc}", 0xe8908000, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldm.w sp, {pc}", 0xe89d8000, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldmdb r0!, {r1, pc}", 0xe9308002, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"tbb [r0, r1]", 0xe8d0f001, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"tbh [pc, r1, lsl #1]", 0xe8dff011, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"rfedb r0", 0xe810c000, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"rfeia r0!", 0xe9b0c000, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"subs pc, lr, #4", 0xf3de8f04, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"eret", 0xf3de8f00, HWF_INSN_INDIRECT, HWF_SUB_ERET, false},
	{"isb", 0xf3bf8f6f, HWF_INSN_ISB, HWF_SUB_NONE, false},
	{"mcr p15, 0, r1, c7, c5, 4", 0xee071f95, HWF_INSN_ISB, HWF_SUB_NONE, false},
	{"dsb", 0xf3bf8f4f, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"dmb", 0xf3bf8f5f, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"sb", 0xf3bf8f70, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"mcr p15, 0, r0, c7, c10, 4", 0xee070f9a, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"mcr p15, 0, r0, c7, c10, 5", 0xee070fba, HWF_INSN_BARRIER, HWF_SUB_NONE, false},
	{"wfe", 0xbf20, HWF_INSN_WFX, HWF_SUB_NONE, false},
	{"wfi", 0xbf30, HWF_INSN_WFX, HWF_SUB_NONE, false},
	{"wfe.w", 0xf3af8002, HWF_INSN_WFX, HWF_SUB_NONE, false},
	{"wfi.w", 0xf3af8003, HWF_INSN_WFX, HWF_SUB_NONE, false},
	{"nop", 0xbf00, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"sev", 0xbf40, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"nop.w", 0xf3af8000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"cps #2", 0xf3af8102, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"clrex", 0xf3bf8f2f, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"mov r8, lr", 0x46f0, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"mov r7, lr", 0x4677, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"add r8, r2", 0x4490, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"cmp pc, r0", 0x4587, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"pop {r4}", 0xbc10, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"push {lr}", 0xb500, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"ldr r0, [pc]", 0x4800, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"blx to half a word", 0xf000e801, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"dls lr, r0", 0xf040e001, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"dlstp.8 lr, r3", 0xf003e001, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"lctp", 0xf00fe001, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"le to a third kind", 0xf03fc003, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"wls of pc", 0xf04fc003, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"blx to half a word, further", 0xf050c003, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"ldrexb", 0xe8d00f4f, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"ldr pc, register, bit 6", 0xf850f040, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"ldr pc, [r0], #-4", 0xf850f904, HWF_INSN_INDIRECT, HWF_SUB_NONE, false},
	{"ldr pc of p, w clear", 0xf850fa04, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"ldrt pc, [r0, #4]", 0xf850fe04, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"pld [r0]", 0xf890f000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"str.w pc, [r0]", 0xf8c0f000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"ldr.w r0, [r0]", 0xf8d00000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"ldm.w r0, {lr}", 0xe8904000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"stm.w r0, {pc}", 0xe8808000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"cmp.w r0, r1", 0xebb00f01, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"mrs r0, CPSR", 0xf3ef8000, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"msr CPSR_f, r0", 0xf3808800, HWF_INSN_OTHER, HWF_SUB_NONE, false},
	{"mrc p15, 0, r0, c7, c5, 4", 0xee170f95, HWF_INSN_OTHER, HWF_SUB_NONE, false},
};

static const struct call_vector t32_calls[] = {
	{"svc #0xff", 0xdfff, HWF_CALL_SVC},         {"hvc #0", 0xf7e08000, HWF_CALL_HVC},
	{"smc #0", 0xf7f08000, HWF_CALL_SMC},        {"bkpt #0", 0xbe00, HWF_CALL_BRK},
	{"hlt #0x3f", 0xbabf, HWF_CALL_HLT},         {"udf #0", 0xde00, HWF_CALL_UDF},
	{"udf.w #0xffff", 0xf7ffafff, HWF_CALL_UDF}, {"rev16", 0xba40, HWF_CALL_NONE},
	{"dcps1", 0xf78f8001, HWF_CALL_NONE},
};

static struct hwf_insn decode(enum hwf_isa isa, uint32_t opcode, uint64_t pc, unsigned int *it_left)
{
	bool wide = opcode > 0xffff;
	struct hwf_insn insn;

	if (isa == HWF_ISA_A64)
		hwf_insn_a64(opcode, pc, &insn);
	else if (isa == HWF_ISA_A32)
		hwf_insn_a32(opcode, pc, &insn);
	else
		hwf_insn_t32((uint16_t)(wide ? opcode >> 16 : opcode),
			     (uint16_t)(wide ? opcode : 0xffff), pc, it_left, &insn);
	assert_int_equal(insn.size, isa == HWF_ISA_T32 && !wide ? 2 : 4);
	return insn;
}

static void check(const char *text, const struct hwf_insn *insn, const struct hwf_insn *expected)
{
	if (insn->kind != expected->kind || insn->sub != expected->sub ||
	    insn->call != expected->call || insn->target_isa != expected->target_isa ||
	    insn->target != expected->target || insn->conditional != expected->conditional)
		fail_msg("%s: kind %u, sub %u, call %u, isa %u, target %" PRIx64 ", conditional %d",
			 text, insn->kind, insn->sub, insn->call, insn->target_isa, insn->target,
			 insn->conditional);
}

static void check_direct(enum hwf_isa isa, const struct direct_vector *vector, size_t nr)
{
	for (; nr != 0; vector++, nr--) {
		enum hwf_isa target_isa = vector->target_isa;
		struct hwf_insn expected = {
			.kind = HWF_INSN_DIRECT,
			.sub = (uint8_t)vector->sub,
			.target = vector->target,
			.target_isa = (uint8_t)(target_isa != HWF_ISA_UNKNOWN ? target_isa : isa),
			.conditional = vector->conditional,
		};
		unsigned int it_left = 0;
		struct hwf_insn insn = decode(isa, vector->opcode, vector->pc, &it_left);

		check(vector->text, &insn, &expected);
	}
}

static void check_kinds(enum hwf_isa isa, const struct vector *vector, size_t nr)
{
	for (; nr != 0; vector++, nr--) {
		struct hwf_insn expected = {
			.kind = (uint8_t)vector->kind,
			.sub = (uint8_t)vector->sub,
			.target_isa = (uint8_t)isa,
			.conditional = vector->conditional,
		};
		unsigned int it_left = 0;
		struct hwf_insn insn = decode(isa, vector->opcode, 0x1000, &it_left);

		check(vector->text, &insn, &expected);
	}
}

/* No P0 instructions, so @conditional is of no use there. */
static void check_calls(enum hwf_isa isa, const struct call_vector *vector, size_t nr)
{
	for (; nr != 0; vector++, nr--) {
		struct hwf_insn expected = {
			.call = (uint8_t)vector->call,
			.target_isa = (uint8_t)isa,
		};
		unsigned int it_left = 0;
		struct hwf_insn insn = decode(isa, vector->opcode, 0x1000, &it_left);

		expected.conditional = insn.conditional;
		check(vector->text, &insn, &expected);
	}
}

static void a64_direct_branches_have_their_target(void **state)
{
	(void)state;
	check_direct(HWF_ISA_A64, a64_direct, NR(a64_direct));
}

static void a64_instructions_have_their_kind(void **state)
{
	(void)state;
	check_kinds(HWF_ISA_A64, a64_kinds, NR(a64_kinds));
}

static void a64_calls_are_named(void **state)
{
	(void)state;
	check_calls(HWF_ISA_A64, a64_calls, NR(a64_calls));
}

static void a32_direct_branches_have_their_target(void **state)
{
	(void)state;
	check_direct(HWF_ISA_A32, a32_direct, NR(a32_direct));
}

static void a32_instructions_have_their_kind(void **state)
{
	(void)state;
	check_kinds(HWF_ISA_A32, a32_kinds, NR(a32_kinds));
}

static void a32_calls_are_named(void **state)
{
	(void)state;
	check_calls(HWF_ISA_A32, a32_calls, NR(a32_calls));
}

static void t32_direct_branches_have_their_target(void **state)
{
	(void)state;
	check_direct(HWF_ISA_T32, t32_direct, NR(t32_direct));
}

static void t32_instructions_have_their_kind(void **state)
{
	(void)state;
	check_kinds(HWF_ISA_T32, t32_kinds, NR(t32_kinds));
}

static void t32_calls_are_named(void **state)
{
	(void)state;
	check_calls(HWF_ISA_T32, t32_calls, NR(t32_calls));
}

static void t32_wide_begins_at_e800(void **state)
{
	(void)state;
	assert_false(hwf_insn_t32_is_wide(0x0000));
	assert_false(hwf_insn_t32_is_wide(0xd800));
	assert_false(hwf_insn_t32_is_wide(0xe7ff));
	assert_true(hwf_insn_t32_is_wide(0xe800));
	assert_true(hwf_insn_t32_is_wide(0xf000));
	assert_true(hwf_insn_t32_is_wide(0xffff));
}

/* Mask 1000 is one instruction, xyz1 is four; what x, y and z say of THEN and ELSE is no matter. */
static void t32_it_opens_a_block_of_its_length(void **state)
{
	static const unsigned int lengths[16] = {0, 4, 3, 4, 2, 4, 3, 4, 1, 4, 3, 4, 2, 4, 3, 4};

	(void)state;
	for (uint32_t mask = 0; mask < 16; mask++) {
		unsigned int it_left = 0;
		struct hwf_insn insn = decode(HWF_ISA_T32, 0xbf00 | mask, 0, &it_left);

		assert_int_equal(it_left, lengths[mask]);
		if (mask != 0)
			assert_int_equal(insn.kind, HWF_INSN_OTHER);
	}
}

static void t32_it_block_makes_its_instructions_conditional(void **state)
{
	static const uint32_t block[] = {0xbf00, 0xf3bf8f6f, 0xbf30, 0xf000f800};
	unsigned int it_left = 0;

	(void)state;
	decode(HWF_ISA_T32, 0xbf01, 0, &it_left); /* ITTTT EQ */
	for (size_t i = 0; i < NR(block); i++) {
		assert_int_equal(it_left, 4 - i);
		assert_true(decode(HWF_ISA_T32, block[i], 0, &it_left).conditional);
	}
	assert_int_equal(it_left, 0);
	assert_false(decode(HWF_ISA_T32, 0xf000f800, 0, &it_left).conditional);
	assert_int_equal(it_left, 0);
}

static void t32_it_block_makes_returns_conditional(void **state)
{
	static const uint32_t returns[] = {0x4770, 0xbd00, 0xe8bd8010, 0xf85dfb04, 0x46f7};

	(void)state;
	for (size_t i = 0; i < NR(returns); i++) {
		unsigned int it_left = 0;
		struct hwf_insn insn;

		decode(HWF_ISA_T32, 0xbf08, 0, &it_left); /* IT EQ */
		insn = decode(HWF_ISA_T32, returns[i], 0, &it_left);
		assert_int_equal(insn.kind, HWF_INSN_INDIRECT);
		assert_int_equal(insn.sub, HWF_SUB_IMPLIED_RET);
		assert_true(insn.conditional);
		assert_int_equal(it_left, 0);
	}
}

static void p0_depends_on_the_kind_and_wfx_mode(void **state)
{
	static const bool p0[][2] = {{false, false}, {true, true},  {true, true}, {true, true},
				     {false, false}, {false, true}, {true, true}};

	(void)state;
	for (unsigned int kind = HWF_INSN_OTHER; kind <= HWF_INSN_TSTART; kind++) {
		struct hwf_insn insn = {.kind = (uint8_t)kind};

		assert_int_equal(hwf_insn_is_p0(&insn, false), p0[kind][0]);
		assert_int_equal(hwf_insn_is_p0(&insn, true), p0[kind][1]);
	}
}

static void every_field_is_set(void **state)
{
	unsigned int it_left = 0;
	struct hwf_insn insn = {1, 1, 1, 1, 1, 1, true};

	(void)state;
	hwf_insn_a64(0xd503201f, 0, &insn);
	assert_memory_equal(&insn, (&(struct hwf_insn){.size = 4, .target_isa = HWF_ISA_A64}),
			    offsetof(struct hwf_insn, conditional) + 1);
	insn = (struct hwf_insn){1, 1, 1, 1, 1, 1, true};
	hwf_insn_a32(0xe320f000, 0, &insn);
	assert_memory_equal(&insn, (&(struct hwf_insn){.size = 4, .target_isa = HWF_ISA_A32}),
			    offsetof(struct hwf_insn, conditional) + 1);
	insn = (struct hwf_insn){1, 1, 1, 1, 1, 1, true};
	hwf_insn_t32(0xbf00, 0, 0, &it_left, &insn);
	assert_memory_equal(&insn, (&(struct hwf_insn){.size = 2, .target_isa = HWF_ISA_T32}),
			    offsetof(struct hwf_insn, conditional) + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a64_direct_branches_have_their_target),
		cmocka_unit_test(a64_instructions_have_their_kind),
		cmocka_unit_test(a64_calls_are_named),
		cmocka_unit_test(a32_direct_branches_have_their_target),
		cmocka_unit_test(a32_instructions_have_their_kind),
		cmocka_unit_test(a32_calls_are_named),
		cmocka_unit_test(t32_direct_branches_have_their_target),
		cmocka_unit_test(t32_instructions_have_their_kind),
		cmocka_unit_test(t32_calls_are_named),
		cmocka_unit_test(t32_wide_begins_at_e800),
		cmocka_unit_test(t32_it_opens_a_block_of_its_length),
		cmocka_unit_test(t32_it_block_makes_its_instructions_conditional),
		cmocka_unit_test(t32_it_block_makes_returns_conditional),
		cmocka_unit_test(p0_depends_on_the_kind_and_wfx_mode),
		cmocka_unit_test(every_field_is_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
