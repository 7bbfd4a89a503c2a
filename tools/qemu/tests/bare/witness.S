// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program at EL0 that is traced while an instruction traps, one faults, one is executed again after its
 * fault, and one is interrupted; at EL1, no more than that needs. Starts at EL1, MMU off. The trace
 * goes to the file "trace", the registers that a decoder wants to "registers".
 *
 * With AARCH32 the program is that of aarch32.s, in the file of this name. CONFIG is TRCCONFIGR;
 * with EL1 that is traced as well.
 */
#ifdef EL1
#define FILTER 3        /* TRFCR_EL1: EL1 is traced, too */
#define VIEW   0x4f0201 /* TRCVICTLR */
#elif defined(LEFT_OUT)
#define FILTER 3 /* nor is it prohibited */
#define VIEW   0x6f0201
#else
#define FILTER 1
#define VIEW   0x6f0201
#endif
#ifndef CONFIG
#define CONFIG 0x1000 /* a return stack */
#endif

	.section .text.start, "ax"
	.global _start
_start:
	adrp	x0, stack
	add	x0, x0, :lo12:stack
	mov	sp, x0
	adr	x0, vectors
	msr	vbar_el1, x0
	/* no floating point at EL0, yet; the counter is EL0's to read */
	mov	x0, #(1 << 20)
	msr	cpacr_el1, x0
	mov	x0, #2
	msr	cntkctl_el1, x0

	/* distributor: affinity routing, Group 1; redistributor: awake, PPI 27 */
	mov	x1, #0x08000000
	mov	w0, #0x12
	str	w0, [x1]
	ldr	x1, =0x080a0014
	str	wzr, [x1]
	ldr	x1, =0x080b0080
	mov	w0, #-1
	str	w0, [x1]
	ldr	x1, =0x080b0100
	mov	w0, #(1 << 27)
	str	w0, [x1]
	mov	x0, #0xf0
	msr	S3_0_C4_C6_0, x0	/* ICC_PMR_EL1 */
	mov	x0, #1
	msr	S3_0_C12_C12_7, x0	/* ICC_IGRPEN1_EL1 */
	isb

	/* the trace buffer: 1 MB, Fill mode, triggers ignored */
	adrp	x0, buffer
	msr	S3_0_C9_C11_2, x0	/* TRBBASER_EL1 */
	msr	S3_0_C9_C11_1, x0	/* TRBPTR_EL1 */
	msr	S3_0_C9_C11_3, xzr	/* TRBSR_EL1 */
	add	x0, x0, #0x100, lsl #12
	mov	x1, #0x19
	orr	x0, x0, x1
	msr	S3_0_C9_C11_0, x0	/* TRBLIMITR_EL1 */

	/* the trace unit: unlocked; Non-secure EL0 only, or EL1, too */
	msr	oslar_el1, xzr
	isb
	ldr	x0, =CONFIG
	msr	S2_1_C0_C4_0, x0	/* TRCCONFIGR */
	mov	x0, #0x1000
	msr	S2_1_C0_C10_0, x0	/* TRCRSR */
#ifdef EVENT
	/* ETEEvent 0 where the program is at EVENT: comparator 0, selector 2 */
	ldr	x0, =program + EVENT
	msr	S2_1_C2_C0_0, x0	/* TRCACVR0 */
	msr	S2_1_C2_C0_2, xzr	/* TRCACATR0 */
	ldr	x0, =0x40001
	msr	S2_1_C1_C2_0, x0	/* TRCRSCTLR2 */
	mov	x0, #2
	msr	S2_1_C0_C8_0, x0	/* TRCEVENTCTL0R */
	mov	x0, #1
	msr	S2_1_C0_C9_0, x0	/* TRCEVENTCTL1R */
#else
	msr	S2_1_C0_C8_0, xzr	/* TRCEVENTCTL0R */
	msr	S2_1_C0_C9_0, xzr
#endif
	msr	S2_1_C0_C12_0, xzr	/* TRCTSCTLR */
	msr	S2_1_C0_C13_0, xzr	/* TRCSYNCPR */
	msr	S2_1_C0_C15_0, xzr	/* TRCBBCTLR */
	ldr	x0, =VIEW
	msr	S2_1_C0_C0_2, x0	/* TRCVICTLR */
	msr	S2_1_C0_C1_2, xzr	/* TRCVIIECTLR */
	msr	S2_1_C0_C2_2, xzr	/* TRCVISSCTLR */
	mov	x0, #FILTER
	msr	S3_0_C1_C2_1, x0	/* TRFCR_EL1 */
	mov	x0, #1
	msr	S2_1_C0_C1_0, x0	/* TRCPRGCTLR.EN */
	isb

	/* EL0, interrupts on */
#ifdef AARCH32
	mov	x0, #0x10
	msr	spsr_el1, x0
	adrp	x12, interrupts
	add	x12, x12, :lo12:interrupts
	adrp	x0, program
	add	x0, x0, :lo12:program
#else
	msr	spsr_el1, xzr
	adr	x0, program
#endif
	msr	elr_el1, x0
	adrp	x0, user_stack
	add	x0, x0, :lo12:user_stack
	msr	sp_el0, x0
	eret

#ifndef AARCH32
program:
	/* calls, loops, branches of all kinds */
	mov	x20, #50
1:	bl	function
	tbz	x20, #2, 2f
	cbz	x0, 2f
	nop
2:	adr	x1, 3f
	br	x1
	nop
3:	subs	x20, x20, #1
	b.ne	1b
	isb
	/* a block of many, in it one that traps and is skipped */
	mov	x1, #1
	add	x1, x1, #1
	mrs	x2, mair_el1
	add	x1, x1, #1
	/* one that is executed again */
	add	x1, x1, #1
	fmov	d0, x1
	add	x1, x1, #1
	/* one that faults, the first of its block and not */
	mov	x3, #(0x500 << 32)
	ldr	x4, [x3]
	add	x1, x1, #1
	b	4f
4:	ldr	x4, [x3]
	ldp	x4, x5, [x3]
	add	x1, x1, #1
	/* a call that changes nothing */
	svc	#0
	add	x1, x1, #1
	/* three times: a timer, and a loop until it comes */
	mov	x21, #3
5:	mov	x0, #500
	svc	#2
	adrp	x6, interrupts
	ldr	w7, [x6, :lo12:interrupts]
6:	ldr	w8, [x6, :lo12:interrupts]
	add	x9, x9, #1
	eor	x10, x9, x8
	cmp	w7, w8
	b.eq	6b
	subs	x21, x21, #1
	b.ne	5b
	wfe
	svc	#1
function:
	stp	x29, x30, [sp, #-16]!
	mov	x0, x20
	and	x0, x0, #3
	cbnz	x0, 1f
	bl	leaf
1:	ldp	x29, x30, [sp], #16
	ret
leaf:	mov	x11, x30
	adr	x2, 1f
	blr	x2
	ret	x11
1:	ret
#endif

synchronous:
	stp	x0, x1, [sp, #-16]!
	mrs	x0, esr_el1
	lsr	x1, x0, #26
	cmp	x1, #0x07
	b.eq	1f
	/* SVC from AArch64, or from AArch32 */
	cmp	x1, #0x15
	b.eq	5f
	cmp	x1, #0x11
	b.ne	2f
5:	and	x1, x0, #0xffff
	cbz	x1, 3f
	cmp	x1, #1
	b.eq	4f
	cmp	x1, #3
	b.eq	6f
	cmp	x1, #4
	b.eq	7f
	cmp	x1, #5
	b.eq	8f
	/* a timer after so many ticks as x0 said */
	ldr	x0, [sp]
	msr	cntv_tval_el0, x0
	mov	x0, #1
	msr	cntv_ctl_el0, x0
	b	3f
1:	mov	x0, #(3 << 20)
	msr	cpacr_el1, x0
	b	3f
6:	mov	x0, #(1 << 20)
	msr	cpacr_el1, x0
	b	3f
	/* on to the next instruction: IL */
2:	ubfx	x1, x0, #25, #1
	mrs	x0, elr_el1
	add	x0, x0, #2
	add	x0, x0, x1, lsl #1
	msr	elr_el1, x0
3:	ldp	x0, x1, [sp], #16
	eret
	/* trace is prohibited; allowed again, the buffer having been disabled meanwhile */
7:	msr	S3_0_C1_C2_1, xzr	/* TRFCR_EL1 */
	b	3b
8:	mrs	x0, S3_0_C9_C11_0	/* TRBLIMITR_EL1 */
	bic	x1, x0, #1
	msr	S3_0_C9_C11_0, x1
	isb
	msr	S3_0_C9_C11_0, x0
	isb
	mov	x0, #FILTER
	msr	S3_0_C1_C2_1, x0
	b	3b
4:	msr	S3_0_C1_C2_1, xzr	/* TRFCR_EL1 */
	isb
	hint	#18			/* TSB CSYNC */
	dsb	sy
	msr	S2_1_C0_C1_0, xzr	/* TRCPRGCTLR */
	isb
	adr	x0, trace_name
	adrp	x1, buffer
	mrs	x2, S3_0_C9_C11_1	/* TRBPTR_EL1 */
	sub	x2, x2, x1
	bl	write
	adr	x1, registers
	mrs	x0, S2_1_C0_C4_0	/* TRCCONFIGR */
	str	x0, [x1]
	mrs	x0, S2_1_C0_C8_7	/* TRCIDR0 */
	str	x0, [x1, #8]
	mrs	x0, S2_1_C0_C9_7	/* TRCIDR1 */
	str	x0, [x1, #16]
	mrs	x0, S2_1_C0_C10_7	/* TRCIDR2 */
	str	x0, [x1, #24]
	mrs	x0, S2_1_C0_C0_6	/* TRCIDR8 */
	str	x0, [x1, #32]
	mrs	x0, S2_1_C7_C15_6	/* TRCDEVARCH */
	str	x0, [x1, #40]
	mrs	x0, S3_0_C9_C11_3	/* TRBSR_EL1 */
	str	x0, [x1, #48]
	adr	x0, registers_name
	mov	x2, #56
	bl	write
	mov	x0, #0x18
	adr	x1, exit
	hlt	#0xf000

	/* x2 bytes at x1 to the file that x0 names, by semihosting; registers are not kept */
write:	mov	x4, x1
	mov	x5, x2
	adr	x1, block
	mov	x2, #5			/* to write, binary */
	stp	x0, x2, [x1]
	mov	x2, x0
1:	ldrb	w3, [x2], #1
	cbnz	w3, 1b
	sub	x2, x2, x0
	sub	x2, x2, #1
	str	x2, [x1, #16]
	mov	x0, #1			/* SYS_OPEN */
	hlt	#0xf000
	mov	x6, x0
	stp	x6, x4, [x1]
	str	x5, [x1, #16]
	mov	x0, #5			/* SYS_WRITE */
	hlt	#0xf000
	str	x6, [x1]
	mov	x0, #2			/* SYS_CLOSE */
	hlt	#0xf000
	ret
	.balign	8
exit:	.quad	0x20026, 0
block:	.space	24
registers:
	.space	56
trace_name:
	.asciz	"trace"
registers_name:
	.asciz	"registers"
	.balign	4

interrupt:
	stp	x0, x1, [sp, #-16]!
	msr	cntv_ctl_el0, xzr
	mrs	x0, S3_0_C12_C12_0	/* ICC_IAR1_EL1 */
	adrp	x1, interrupts
	add	x1, x1, :lo12:interrupts
	msr	S3_0_C12_C12_1, x0	/* ICC_EOIR1_EL1 */
	ldr	w0, [x1]
	add	w0, w0, #1
	str	w0, [x1]
	ldp	x0, x1, [sp], #16
	eret

	.balign	2048
vectors:
	.rept	8
	.balign	128
	b	.
	.endr
	/* from AArch64, from AArch32 */
	.rept	2
	.balign	128
	b	synchronous
	.balign	128
	b	interrupt
	.balign	128
	b	.
	.balign	128
	b	.
	.endr

#ifdef AARCH32
	.balign	4096
program:
	.incbin	AARCH32
#endif

	.bss
	.balign	4096
buffer:	.space	0x100000
	.space	4096
stack:	.space	4096
user_stack:
interrupts:
	.space	8
