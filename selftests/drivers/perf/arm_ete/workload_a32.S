/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program in A32 and T32, and what it executes: from its first instruction to the system call that ends it. The table
 * of rows is found in the file by the 16 bytes before it.
 */
#include "workload.h"

	.macro	row kind, first=0, second=0
	.pushsection .rodata.rows, "a"
	.long	\kind, 0, \first, 0, \second, 0
	.popsection
	.endm

	.macro	range start, end
	row	WORKLOAD_RANGE, \start, \end
	.endm

	.macro	exception number, ret
	row	WORKLOAD_EXCEPTION, \number, \ret
	.endm

	.pushsection .rodata.rows, "a"
	.balign	8
	.ascii	"arm_ete workload"
	.popsection

	.syntax	unified
	.arch	armv7-a
	.text
	.arm
	.globl	_start
	.type	_start, %function
_start:
	mov	r4, #12
.Lloop:
	subs	r4, r4, #1
	movne	r5, #1
	addeq	r6, r6, #1
	bne	.Lloop
.Lloop_end:
	mov	r4, #6
.Lcalls:
	/* to T32 by an immediate; back by pop, by bx */
	blx	.Lthumb_pop
.Lback_pop:
	ldr	r5, =.Lthumb_bx
	blx	r5
.Lback_bx:
	bl	.Larm_ldm
.Lback_ldm:
	/* a table of A32 addresses, by ldr pc */
	and	r5, r4, #3
	adr	r3, .Ltable
	ldr	pc, [r3, r5, lsl #2]
.Ltable_jump_end:
	.balign	4
.Ltable:
	.word	.Lplace0, .Lplace1, .Lplace2, .Lplace3
.Lplace0:
	add	r6, r6, #1
.Lplace1:
	add	r6, r6, #1
.Lplace2:
	add	r6, r6, #1
.Lplace3:
	subs	r4, r4, #1
	bne	.Lcalls
.Lcalls_end:
	/* getpid */
	mov	r7, #20
	svc	#0
.Lafter_svc:
	/* a return that is taken or not by a condition */
	mov	r4, #5
.Lconditions:
	bl	.Larm_condition
.Lback_condition:
	subs	r4, r4, #1
	bne	.Lconditions
.Lconditions_end:
	/* exit */
	mov	r0, #0
	mov	r7, #1
	svc	#0
.Lexited:
	.ltorg

.Larm_ldm:
	push	{r5, lr}
	mov	r5, #3
	pop	{r5, pc}
.Larm_ldm_end:

.Larm_condition:
	tst	r4, #1
	bxne	lr
.Larm_even:
	add	r6, r6, #1
	mov	pc, lr
.Larm_condition_end:

	.thumb
	.balign	4
	.type	.Lthumb_pop, %function
.Lthumb_pop:
	/* a label that is no function has bit 0 clear, as the ranges need it */
.Lthumb_pop_begin:
	push	{r4, lr}
	tst	r4, #1
	ite	eq
	addeq	r6, #1
	subne	r6, #1
	movs	r5, #3
.Lthumb_inner:
	subs	r5, #1
	cbz	r5, .Lthumb_out
.Lthumb_inner_on:
	b	.Lthumb_inner
.Lthumb_out:
	pop	{r4, pc}
.Lthumb_pop_end:

	.balign	4
	.type	.Lthumb_bx, %function
.Lthumb_bx:
.Lthumb_bx_begin:
	and	r5, r4, #1
	tbb	[pc, r5]
.Ltbb:
	.byte	(.Ltbb0 - .Ltbb) / 2
	.byte	(.Ltbb1 - .Ltbb) / 2
.Ltbb0:
	movw	r3, #0x1234
	nop
.Ltbb1:
	cmp	r4, #3
	it	hi
	bxhi	lr
.Lthumb_low:
	mov.w	r3, #0
	bx	lr
.Lthumb_bx_end:

/* .Lcalls with r4 of @count */
	.macro	calls_rows count
	range	.Lcalls, .Lback_pop
	range	.Lthumb_pop_begin, .Lthumb_inner
	row	WORKLOAD_REPEAT, 2
	range	.Lthumb_inner, .Lthumb_out
	row	WORKLOAD_REPEAT_END
	range	.Lthumb_inner, .Lthumb_inner_on
	range	.Lthumb_out, .Lthumb_pop_end
	range	.Lback_pop, .Lback_bx
	range	.Lthumb_bx_begin, .Ltbb
	.if	\count & 1
	range	.Ltbb1, .Lthumb_low
	.else
	range	.Ltbb0, .Lthumb_low
	.endif
	.if	\count <= 3
	range	.Lthumb_low, .Lthumb_bx_end
	.endif
	range	.Lback_bx, .Lback_ldm
	range	.Larm_ldm, .Larm_ldm_end
	range	.Lback_ldm, .Ltable_jump_end
	.if	(\count & 3) == 0
	range	.Lplace0, .Lcalls_end
	.elseif	(\count & 3) == 1
	range	.Lplace1, .Lcalls_end
	.elseif	(\count & 3) == 2
	range	.Lplace2, .Lcalls_end
	.else
	range	.Lplace3, .Lcalls_end
	.endif
	.endm

	range	_start, .Lloop
	row	WORKLOAD_REPEAT, 12
	range	.Lloop, .Lloop_end
	row	WORKLOAD_REPEAT_END
	range	.Lloop_end, .Lcalls
	.irp	count, 6, 5, 4, 3, 2, 1
	calls_rows \count
	.endr
	range	.Lcalls_end, .Lafter_svc
	exception WORKLOAD_EXC_CALL, .Lafter_svc
	range	.Lafter_svc, .Lconditions
	.irp	count, 5, 4, 3, 2, 1
	range	.Lconditions, .Lback_condition
	range	.Larm_condition, .Larm_even
	.if	!(\count & 1)
	range	.Larm_even, .Larm_condition_end
	.endif
	range	.Lback_condition, .Lconditions_end
	.endr
	range	.Lconditions_end, .Lexited
	exception WORKLOAD_EXC_CALL, .Lexited
	row	WORKLOAD_END

	.section .note.GNU-stack, "", %progbits
