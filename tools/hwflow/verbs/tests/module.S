/* SPDX-License-Identifier: GPL-2.0-only */
/* A module for make_boot: code in two sections with symbols, and in one without. */
	.text
	.type	other, @function
other:
	ret
	.size	other, . - other

	.type	run, @function
	.globl	run
run:
	nop
	bl	help
	cbz	x0, 1f
	b	cold
1:	ret
	.size	run, . - run

	.section .text.nameless, "ax"
	.reloc	., R_AARCH64_NONE, run
	nop
	ret

	.section .text.unlikely, "ax"
	.balign	8
	nop
	.type	cold, @function
cold:
	nop
	ret
	.size	cold, . - cold

	.type	twice, @function
twice:
	ret
	.size	twice, . - twice

	.section .data, "aw"
	.xword	0
