/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The program of the fuzz targets' seeds: branches of each kind and two system calls; with an
 * argument, a child process does the same. See tools/setup/tests/fuzz-seeds.sh.
 */
	.globl	_start
_start:
	ldr	x19, [sp]
	mov	w20, #12
1:	mov	x0, x20
	bl	odd
	adr	x1, odd
	cbz	x0, 2f
	blr	x1
2:	tbnz	w20, #1, 3f
	isb
	nop
3:	subs	w20, w20, #1
	b.ne	1b
	mov	x8, #172		/* getpid */
	svc	#0
	cmp	x19, #1
	b.eq	4f
	mov	x0, #17			/* SIGCHLD */
	mov	x1, xzr
	mov	x2, xzr
	mov	x3, xzr
	mov	x4, xzr
	mov	x8, #220		/* clone */
	svc	#0
	mov	x19, #1
	mov	w20, #3
	cbz	x0, 1b
	mov	x1, xzr
	mov	x2, xzr
	mov	x3, xzr
	mov	x8, #260		/* wait4 */
	svc	#0
4:	mov	x0, xzr
	mov	x8, #94			/* exit_group */
	svc	#0

odd:
	and	x0, x0, #1
	ret
