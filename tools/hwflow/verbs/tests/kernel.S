/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel for make_boot. The linker puts .head.text before _stext. */
	.section .head.text, "ax"
	.globl	_text
_text:
	nop

	.text
	.balign	0x1000
	.globl	_stext
_stext:
	nop

	.type	work, @function
	.globl	work
work:
	nop
	subs	x0, x0, #1
	b.ne	work
	ret
	.size	work, . - work

	.type	help, @function
	.globl	help
help:
	nop
	nop
	ret
	.size	help, . - help

	.globl	_etext
_etext:
