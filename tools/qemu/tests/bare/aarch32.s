@ SPDX-License-Identifier: GPL-2.0-only
@
@ What witness.S traces at EL0 in AArch32: A32 and T32 code that calls each other, with each kind of
@ branch, executed and not; with traps, faults, instructions executed again, and interrupts. r12 is
@ the address of the count of interrupts. SVC #1 ends, #2 sets a timer, #3 takes floating point away,
@ #4 prohibits trace, #5 allows it again.

	.syntax	unified
	.fpu	neon
	.arm
	b	1f
	.space	252
stack_top:
1:	adr	sp, stack_top
	mov	r11, r12
	mov	r10, #20
again:	bl	a32_function
	blx	t32_function
	@ jumps through a table, a register, memory
	and	r0, r10, #3
	add	pc, pc, r0, lsl #2
	nop
	b	1f
	b	1f
	b	2f
	nop
1:	add	r9, r9, #1
2:	adr	r1, t32_indirect
	add	r1, r1, #1
	blx	r1
	adr	r1, 3f
	tst	r10, #1
	bxeq	r1
	movne	pc, r1
	nop
3:	adr	r1, 4f
	str	r1, [sp, #-4]!
	tst	r10, #2
	ldreq	pc, [sp], #4
	ldmne	sp!, {pc}
	nop
4:	adr	r1, 5f
	tst	r10, #4
	@ to the instruction behind it: taken, or not
next:	movne	pc, r1
5:	beq	6f
6:	isb
	tst	r10, #1
	@ ISB as it once was, executed or not; WFE, too
isb:	mcreq	p15, 0, r0, c7, c5, 4
wfe:	wfene
	subs	r10, r10, #1
	bne	again

	@ each condition with all flags; r0 is 0 at the end
	mov	r0, #0
1:	msr	apsr_nzcvq, r0
	.irp	c, eq, ne, cs, cc, mi, pl, vs, vc, hi, ls, ge, lt, gt, le
	b\c	2f
	nop
2:
	.endr
	adds	r0, r0, #0x10000000
	bne	1b
	blx	t32_conditions

	@ a block of many, in it some that trap and are skipped
	add	r0, r0, #1
	udf	#1
	add	r0, r0, #1
	bkpt	#1
	add	r0, r0, #1
	@ one that is executed again, one whose condition does not hold
	svc	#3
	add	r1, r1, #1
	cmp	r1, r1
	vmoveq	s0, r1
	vmovne	s0, r1
	svcne	#0
	@ one that faults, the first of its block and not
	mov	r3, #0x60000000
	ldr	r4, [r3]
	b	7f
7:	ldr	r4, [r3]
	ldmne	r3, {r4, pc}
	add	r0, r0, #1
	@ a load of the PC that faults
	ldr	pc, [r3]
	svceq	#0
	@ what was traced goes to memory
	svc	#4
	.inst	0xe320f012		@ TSB CSYNC
	dsb	sy
	svc	#5
	blx	t32_faults
	@ twice: a timer, and a loop until it comes
	mov	r9, #2
8:	mov	r0, #500
	svc	#2
	ldr	r7, [r11]
9:	ldr	r8, [r11]
	add	r6, r6, #1
	cmp	r7, r8
	beq	9b
	subs	r9, r9, #1
	bne	8b
	blx	t32_interrupts
	svc	#1

a32_function:
	push	{r4, lr}
	ands	r0, r10, #3
	bleq	a32_leaf
	blne	a32_second
	popeq	{r4, pc}
	pop	{r4, lr}
	bx	lr
a32_leaf:
	mov	pc, lr
a32_second:
	bx	lr

	.thumb
t32_function:
	push	{r4, lr}
	cbz	r0, 1f
	nop
1:	cbnz	r0, 2f
	nop.w
2:	and	r0, r10, #3
	cmp	r0, #1
	beq	3f
	bgt.w	4f
	bl	t32_leaf
3:	nop.w
	nop.w
4:	tbb	[pc, r0]
5:	.byte	(6f - 5b) / 2, (6f - 5b) / 2, (7f - 5b) / 2, (6f - 5b) / 2
6:	add	r9, #1
7:	cmp	r0, #2
	@ IT blocks of all lengths: a branch at the end, taken or not
	it	eq
	bleq	t32_leaf
	ite	ge
	addge	r2, #2
	addlt.w	r2, r2, #3
	ittt	ne
	addne	r2, #1
	addne.w	r2, r2, #1
	bne.w	8f
	nop
8:	itete	hi
	movhi	r2, #1
	movls.w	r2, #2
	addhi	r2, #3
	blls	t32_leaf
	it	cs
	isbcs
	itt	cc
	wfecc
	addcc	r2, #1
	adr	r1, 9f + 1
	it	mi
	bxmi	r1
	adr	r1, 9f
	it	pl
	movpl	pc, r1
	nop
	.balign	4
9:	tst	r10, #1
	itt	eq
	addeq	r2, #1
t32_isb:
	isbeq
	it	ne
t32_wfe:
	wfene
	blx	a32_leaf
	b.w	10f
	nop
10:	pop	{r4, pc}
	.balign	4
t32_conditions:
1:	msr	apsr_nzcvq, r0
	.irp	c, eq, ne, cs, cc, mi, pl, vs, vc, hi, ls, ge, lt, gt, le
	it	\c
	b\c	2f
	nop
2:
	.endr
	adds	r0, r0, #0x10000000
	bne	1b
	bx	lr
t32_leaf:
	b	1f
	nop
1:	cmp	r0, #1
	it	eq
	bxeq	lr
	mov	pc, lr

	.balign	4
t32_indirect:
	push	{r0, lr}
	adr	r1, a32_leaf
	blx	r1
	adr	r1, 1f
	adds	r1, #1
	push	{r1}
	ldr	pc, [sp], #4
	nop
	.balign	4
1:	add	sp, #4
	ldr.w	pc, [sp], #4

t32_faults:
	push	{r4, lr}
	svc	#3
	@ what the syndrome does not tell the size of is skipped as if it had four bytes
	udf	#1
	nop
	bkpt	#1
	adds	r0, #1
	cmp	r0, r0
	@ executed again in an IT block, in the middle and at its end
	ittee	eq
	addeq	r0, #1
	vmoveq	s0, r1
	vmovne	s0, r1
	addne	r0, #1
	ite	ne
	svcne	#0
	svceq	#3
	itt	eq
	addeq	r0, #1
	vmoveq	s1, r1
	mov	r3, #0x60000000
	udf.w	#1
	ldr	r4, [r3]
	nop
	ldr.w	r4, [r3, #4]
	b	1f
1:	ldmia	r3!, {r4}
	nop
	nop.w
	ldr	pc, [r3]
	@ more trace than stays in the trace unit by itself
	mov	r0, #300
1:	adr	r1, 2f
	adds	r1, #1
	bx	r1
	nop
	.balign	4
2:	subs	r0, #1
	bne	1b
	svc	#4
	.inst.w	0xf3af8012		@ TSB CSYNC
	dsb	sy
	svc	#5
	pop	{r4, pc}

t32_interrupts:
	push	{r4, lr}
	movs	r4, #2
1:	mov	r0, #500
	svc	#2
	ldr.w	r7, [r11]
2:	ldr.w	r2, [r11]
	adds	r6, #1
	@ interrupts come in the block, too
	cmp	r7, r2
	ittee	eq
	addeq	r6, #1
	addeq.w	r6, r6, #1
	addne.w	r6, r6, #1
	bne	3f
	b	2b
3:	subs	r4, #1
	bne	1b
	@ it waits for its interrupt
	mov	r0, #500
	svc	#2
	cmp	r0, r0
	itt	ne
	addne	r0, #1
	wfine
	wfi
	pop	{r4, pc}
