/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes the place of a hypervisor that keeps the trace buffer: booted at EL2 as the kernel would be,
 * it leaves MDCR_EL2.E2TB at 0b00, so that EL2 owns the buffer and TRBIDR_EL1.P is 1 at EL1 (D6.3),
 * and goes on at EL1 with the kernel that is behind it, at KERNEL.
 */
#define KERNEL 0x200000

	.text
	.global _start
_start:
	/* the header that a boot loader looks for; x0 is the device tree */
	b	1f
	.word	0
	.quad	0			/* from the load address on */
	.quad	KERNEL + SIZE
	.quad	0xa			/* 4K pages, anywhere in memory */
	.quad	0, 0, 0
	.ascii	"ARM\x64"
	.word	0

	/* EL1 is AArch64, and nothing of it is trapped: pointer authentication, counters, SVE */
1:	mov	x4, #1 << 31
	movk	x4, #0x300, lsl #32
	msr	hcr_el2, x4
	mrs	x4, pmcr_el0
	ubfx	x4, x4, #11, #5
	msr	mdcr_el2, x4
	mov	x4, #0x22ff
	msr	cptr_el2, x4
	mov	x4, #3
	msr	cnthctl_el2, x4
	msr	cntvoff_el2, xzr
	mrs	x4, midr_el1
	msr	vpidr_el2, x4
	mrs	x4, mpidr_el1
	msr	vmpidr_el2, x4
	mov	x4, #0xf
	msr	S3_4_C12_C9_5, x4	/* ICC_SRE_EL2 */
	mov	x4, #0x0800
	movk	x4, #0x30d0, lsl #16
	msr	sctlr_el1, x4
	mov	x4, #0x3c5		/* EL1h, nothing taken */
	msr	spsr_el2, x4
	adr	x4, _start
	add	x4, x4, #KERNEL
	msr	elr_el2, x4
	isb
	eret
