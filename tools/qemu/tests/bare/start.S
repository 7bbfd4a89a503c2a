/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entry, vectors, and calls at a lower Exception level.
 *
 * Everything runs with the MMU off and exceptions masked. A synchronous exception is written
 * down and its instruction skipped; only SVC, HVC and SMC #RETURN end a call at a lower level.
 * An IRQ at EL1, where a test takes one, is written down, and masked in what it returns to. An SError is
 * written down.
 */
#define RETURN 0xe1

	.section .text.start, "ax"
	.global _start
_start:
	adrp	x0, stack_base
	add	x0, x0, :lo12:stack_base
	mov	sp, x0
	mrs	x1, CurrentEL
	lsr	x1, x1, #2
	adrp	x2, base_el
	str	w1, [x2, :lo12:base_el]
	adr	x3, vectors_1
	msr	vbar_el1, x3
	cmp	x1, #2
	b.lt	1f
	adr	x3, vectors_2
	msr	vbar_el2, x3
	cmp	x1, #3
	b.lt	1f
	adr	x3, vectors_3
	msr	vbar_el3, x3
1:	isb
	bl	main
2:	wfi
	b	2b

	/* Each slot of each level's table does the same. */
	.macro	table el
	.balign	2048
vectors_\el:
	.irp	slot, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.balign	128
	.if	\el == 1 && \slot == 5
	b	interrupt_1
	.elseif	(\slot & 3) == 3
	b	serror_\el
	.else
	b	handler_\el
	.endif
	.endr
	.endm

	.macro	handler el
handler_\el:
	stp	x0, x1, [sp, #-32]!
	stp	x2, x3, [sp, #16]
	mrs	x0, esr_el\el
	adrp	x2, base_el
	ldr	w2, [x2, :lo12:base_el]
	lsr	x1, x0, #26
	orr	x1, x1, #4		/* as from AArch64, if it is from AArch32 */
	sub	x1, x1, #0x15		/* SVC, HVC, SMC */
	cmp	x1, #2
	b.hi	1f
	and	x1, x0, #0xffff
	cmp	x1, #RETURN
	b.ne	1f
	cmp	w2, #\el
	b.eq	run_returns
	/* out of EL0, and more to climb */
	cmp	w2, #3
	b.eq	2f
	hvc	#RETURN
2:	smc	#RETURN
1:	adrp	x2, taken
	add	x2, x2, :lo12:taken
	mov	w1, #\el
	str	w1, [x2]
	str	w0, [x2, #4]
	mrs	x0, elr_el\el
	add	x0, x0, #4
	msr	elr_el\el, x0
	ldp	x2, x3, [sp, #16]
	ldp	x0, x1, [sp], #32
	eret
	.endm

	.macro	serror el
serror_\el:
	stp	x0, x1, [sp, #-16]!
	adrp	x0, serror
	add	x0, x0, :lo12:serror
	ldr	x1, [x0]
	add	x1, x1, #1
	str	x1, [x0]
	mov	x1, #\el
	str	x1, [x0, #8]
	mrs	x1, esr_el\el
	str	x1, [x0, #16]
	mrs	x1, elr_el\el
	str	x1, [x0, #24]
	ldp	x0, x1, [sp], #16
	eret
	.endm

interrupt_1:
	stp	x0, x1, [sp, #-16]!
	adrp	x0, interrupt
	add	x0, x0, :lo12:interrupt
	ldr	x1, [x0]
	add	x1, x1, #1
	str	x1, [x0]
	mrs	x1, elr_el1
	str	x1, [x0, #8]
	mrs	x1, S3_0_C9_C11_3	/* TRBSR_EL1 */
	str	x1, [x0, #16]
	mrs	x1, spsr_el1
	orr	x1, x1, #0x80
	msr	spsr_el1, x1
	ldp	x0, x1, [sp], #16
	eret

	.text
	table	1
	table	2
	table	3
	handler	1
	handler	2
	handler	3
	serror	1
	serror	2
	serror	3

/*
 * void run_lower(unsigned spsr, void (*function)(void *), void *argument, unsigned base);
 * a function in AArch32 ends with SVC or HVC #RETURN, and gets no argument.
 */
	.global run_lower
run_lower:
	stp	x29, x30, [sp, #-96]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	mov	x4, sp
	adrp	x5, base_sp
	str	x4, [x5, :lo12:base_sp]
	adrp	x6, stack_low
	add	x6, x6, :lo12:stack_low
	adrp	x7, traps_first
	ldr	w8, [x7, :lo12:traps_first]
	adr	x7, trampoline
	sub	x7, x7, x8, lsl #2
	tst	x0, #0x10
	csel	x7, x7, x1, eq
	cmp	w3, #2
	b.eq	2f
	b.gt	3f
	msr	spsr_el1, x0
	msr	elr_el1, x7
	msr	sp_el0, x6
	b	4f
2:	msr	spsr_el2, x0
	msr	elr_el2, x7
	b	5f
3:	msr	spsr_el3, x0
	msr	elr_el3, x7
	sub	x8, x6, #0x1000
	msr	sp_el2, x8
5:	sub	x8, x6, #0x2000
	msr	sp_el1, x8
	sub	x8, x6, #0x3000
	msr	sp_el0, x8
4:	mov	x0, x2
	isb
	eret

/* x0 argument, x1 function, x3 base level; the level is in SPSR's M field, kept in x9 by nobody */
	udf	#0
	udf	#0
trampoline:
	mov	x19, x3
	blr	x1
	/* EL0 knows SVC only; others go where they came from */
	adrp	x1, lower_el
	ldr	w1, [x1, :lo12:lower_el]
	cbz	w1, 1f
	cmp	w19, #3
	b.eq	2f
	hvc	#RETURN
2:	smc	#RETURN
1:	svc	#RETURN

run_returns:
	adrp	x5, base_sp
	ldr	x4, [x5, :lo12:base_sp]
	mov	sp, x4
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #96
	ret

/* long semihost(unsigned operation, void *argument) */
	.global semihost
semihost:
	hlt	#0xf000
	ret

	.bss
	.balign	4096
	.space	0x8000
stack_base:
	.space	0x6000
stack_low:
	.balign	8
	.global base_el, lower_el, traps_first, taken, interrupt, serror
base_el:	.space	4
lower_el:	.space	4
traps_first:	.space	4
		.balign	8
taken:		.space	8
base_sp:	.space	8
interrupt:	.space	24
serror:		.space	32
