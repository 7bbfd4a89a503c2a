/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workloads of hwflow-hwcheck. x0 is the number of steps. Each has an instruction that a step executes once.
 */
	.text

.macro begin name
	.globl	\name
	.type	\name, %function
	.balign	64
\name:
.endm

.macro step name
	.globl	\name
\name:
.endm

/* 16 instructions, one branch, which is taken */
begin work_straight
step work_straight_step
	.rept	14
	add	x9, x9, #1
	.endr
	subs	x0, x0, #1
	b.ne	work_straight
	ret

/* two branches that depend on a sequence of numbers, and one that is taken */
begin work_branches
	ldr	x10, =6364136223846793005
	ldr	x11, =1442695040888963407
	mov	x9, #1
step work_branches_step
	madd	x9, x9, x10, x11
	tbz	x9, #61, 1f
	add	x12, x12, #1
1:	tbz	x9, #60, 2f
	add	x12, x12, #2
2:	subs	x0, x0, #1
	b.ne	work_branches_step
	ret

/* two calls, one within the other */
begin work_calls
	mov	x13, x30
step work_calls_step
	bl	4f
	subs	x0, x0, #1
	b.ne	work_calls_step
	br	x13
4:	mov	x14, x30
	bl	5f
	ret	x14
5:	ret

/* an indirect jump to one of four places */
begin work_indirect
	ldr	x10, =6364136223846793005
	ldr	x11, =1442695040888963407
	adr	x12, 6f
	mov	x9, #1
step work_indirect_step
	madd	x9, x9, x10, x11
	lsr	x13, x9, #62
	add	x13, x12, x13, lsl #3
	br	x13
6:	.rept	4
	add	x14, x14, #1
	b	7f
	.endr
7:	subs	x0, x0, #1
	b.ne	work_indirect_step
	ret
	.ltorg

	.section .note.GNU-stack, "", %progbits
