/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One PE patches code that another executes, as Linux patches its jump labels: see patch.sh.
 *
 * The first PE writes an instruction twice, the second time some while after the first, says that it
 * has, and waits until the other has executed it since. What is executed then has to be what was
 * written last. With exit status 0 it always was.
 */
#define ROUNDS	1000
#define CPU_ON	0xc4000003

	.section .text.start, "ax"
	.global _start
_start:
	ldr	w0, =CPU_ON
	mov	x1, #1
	adr	x2, second
	mov	x3, #0
	hvc	#0
	cbnz	x0, not_two
	adrp	x19, words
	add	x19, x19, :lo12:words
	adrp	x20, patched
	mov	w21, #0			/* round */
	mov	w22, #0			/* instructions that were not the last ones */
	mov	w23, #12345		/* how long between the two writes */
	ldr	w24, =0x52800000	/* movz w0, #0 */

round:
	add	w21, w21, #1
	and	w25, w21, #0x7fff
	/* something else, the wait, and what is to be */
	orr	w0, w24, #0x1ffe0
	str	w0, [x20]
	ldr	w1, =1103515245
	mul	w23, w23, w1
	add	w23, w23, #1013
	lsr	w1, w23, #16
	and	w1, w1, #0x3fff
1:	subs	w1, w1, #1
	b.pl	1b
	orr	w0, w24, w25, lsl #5
	str	w0, [x20]
	dc	cvau, x20
	dsb	ish
	ic	ivau, x20
	dsb	ish
	isb
	stlr	w21, [x19]
2:	add	x1, x19, #8
	ldar	x0, [x1]		/* round and value, in one */
	cmp	w0, w21
	b.ne	2b
	lsr	x0, x0, #32
	cmp	w0, w25
	cinc	w22, w22, ne
	ldr	w1, =ROUNDS
	cmp	w21, w1
	b.lo	round

	cmp	w22, #0
	cset	x1, ne
	b	exit
not_two:
	mov	x1, #2
exit:
	adr	x2, status
	str	x1, [x2, #8]
	mov	x1, x2
	mov	w0, #0x20		/* SYS_EXIT_EXTENDED */
	hlt	#0xf000
	b	.
	.balign	8
status:	.quad	0x20026, 0

second:
	adrp	x19, words
	add	x19, x19, :lo12:words
	add	x20, x19, #8
3:	ldar	w21, [x19]
	isb
	bl	patched
	orr	x0, x21, x0, lsl #32
	stlr	x0, [x20]
	b	3b

	/* long, so that it takes time to be translated */
	.balign	4096
patched:
	movz	w0, #0
	.rept	400
	add	x1, x1, x2
	.endr
	ret
	.balign	4096
	.bss
	.balign	8
words:	.space	16
