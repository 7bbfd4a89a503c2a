/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workloads, and what they execute. The assembler computes the same pseudo-random numbers as the code, and writes a
 * row for each range that the code executes.
 */
#include "workload.h"

/* x becomes MULTIPLIER * x + INCREMENT, 32 bits */
#define MULTIPLIER 1664525
#define INCREMENT 1013904223

#define SYS_IOCTL 29
#define SYS_TGKILL 131
#define SYS_SIGRETURN 139
#define SYS_GETPID 172
#define SYS_GETTID 178
#define IOC_ENABLE 0x2400
#define IOC_DISABLE 0x2401
#define SIGUSR1 10

/* pc in the third argument of a signal handler */
#define UCONTEXT_PC 440
#define UCONTEXT_X27 400
/* si_value in the second one */
#define SIGINFO_VALUE 24

	.macro	row kind, first=0, second=0
	.pushsection .data.rel.ro.rows, "aw"
	.quad	\kind, \first, \second
	.popsection
	.endm

	.macro	range start, end
	row	WORKLOAD_RANGE, \start, \end
	.endm

	.macro	exception number, ret
	row	WORKLOAD_EXCEPTION, \number, \ret
	.endm

	.macro	table name
	.pushsection .data.rel.ro.rows, "aw"
	.balign	8
	.globl	\name
\name:
	.popsection
	.endm

	.macro	workload name
	.globl	\name
	.type	\name, %function
	.balign	16
\name:
	table	\name\()_rows
	.endm

	.macro	workload_end name
	row	WORKLOAD_END
	.size	\name, . - \name
	.endm

	.macro	constant register, value
	movz	\register, #((\value) & 0xffff)
	movk	\register, #((\value) >> 16 & 0xffff), lsl #16
	.endm

	/* w0 is the number, w2 and w3 are the constants of the generator */
	.macro	generator seed
	constant w0, \seed
	constant w2, MULTIPLIER
	constant w3, INCREMENT
	.set	x, \seed
	.endm

	.macro	next_number
	madd	w0, w0, w2, w3
	.endm

	.macro	next_x
	.set	x, (x * MULTIPLIER + INCREMENT) & 0xffffffff
	.endm

	.text

/* The event is enabled when the first svc returns, and disabled by the second one. */
	table	workload_traced_before
	.globl	workload_traced
	.type	workload_traced, %function
workload_traced:
	stp	x29, x30, [sp, #-64]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	mov	w19, w0
	ldp	x20, x21, [x1]
	mov	x1, #IOC_ENABLE
	mov	x2, #0
	mov	x8, #SYS_IOCTL
	svc	#0
.Lenabled:
	mov	x0, x21
	blr	x20
.Lcalled:
	mov	w0, w19
	mov	x1, #IOC_DISABLE
	mov	x2, #0
	mov	x8, #SYS_IOCTL
	svc	#0
.Ldisabled:
	ldp	x23, x24, [sp, #48]
	ldp	x21, x22, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #64
	ret
	range	.Lenabled, .Lcalled
	row	WORKLOAD_END
	table	workload_traced_after
	range	.Lcalled, .Ldisabled
	exception WORKLOAD_EXC_CALL, .Ldisabled
	workload_end workload_traced

/* Loops whose number of iterations is computed, in a loop; branches that are taken or not by a bit */
	.macro	loops_inner_rows
	range	.Lloops_inner, .Lloops_inner_end
	next_x
	.if (x >> 20) & 7
	loops_inner_rows
	.endif
	.endm

	workload workload_loops
	generator 0x1234567
	mov	w1, #60
.Lloops_outer:
	next_number
.Lloops_inner:
	next_number
	ubfx	w5, w0, #20, #3
	cbnz	w5, .Lloops_inner
.Lloops_inner_end:
	tbz	w0, #19, .Lloops_skipped
.Lloops_skip:
	eor	w6, w6, w0
	tbnz	w0, #30, .Lloops_skipped
.Lloops_skip_again:
	add	w6, w6, #1
.Lloops_skipped:
	subs	w1, w1, #1
	b.ne	.Lloops_outer
.Lloops_done:
	ret
.Lloops_end:
	range	workload_loops, .Lloops_outer
	.rept	60
	range	.Lloops_outer, .Lloops_inner
	next_x
	loops_inner_rows
	range	.Lloops_inner_end, .Lloops_skip
	.if x & (1 << 19)
	range	.Lloops_skip, .Lloops_skip_again
	.if !(x & (1 << 30))
	range	.Lloops_skip_again, .Lloops_skipped
	.endif
	.endif
	range	.Lloops_skipped, .Lloops_done
	.endr
	range	.Lloops_done, .Lloops_end
	workload_end workload_loops

/* A loop of many iterations and a nested one: rows that are repeated */
	workload workload_nest
	mov	w0, #300
.Lnest_outer:
	mov	w1, #7
.Lnest_inner:
	subs	w1, w1, #1
	b.ne	.Lnest_inner
.Lnest_inner_end:
	sub	w0, w0, #1
	cbnz	w0, .Lnest_outer
.Lnest_done:
	ret
.Lnest_end:
	range	workload_nest, .Lnest_outer
	row	WORKLOAD_REPEAT, 300
	range	.Lnest_outer, .Lnest_inner
	row	WORKLOAD_REPEAT, 7
	range	.Lnest_inner, .Lnest_inner_end
	row	WORKLOAD_REPEAT_END
	range	.Lnest_inner_end, .Lnest_done
	row	WORKLOAD_REPEAT_END
	range	.Lnest_done, .Lnest_end
	workload_end workload_nest

/* Indirect jumps and calls through a table, whose 16 places have 1 to 6 instructions each; odd ones return */
#define PLACE_SIZE 32
	workload workload_table
	stp	x29, x30, [sp, #-16]!
	generator 0x7654321
	adr	x6, .Ltable
	mov	w1, #240
.Ltable_next:
	next_number
	ubfx	w5, w0, #16, #4
	ldr	x7, [x6, w5, uxtw #3]
	tbnz	w5, #0, .Ltable_call
.Ltable_jump:
	br	x7
.Ltable_call:
	blr	x7
.Ltable_back:
	subs	w1, w1, #1
	b.ne	.Ltable_next
.Ltable_done:
	ldp	x29, x30, [sp], #16
	ret
.Ltable_end:
	.balign	PLACE_SIZE
.Lplaces:
	.set	place, 0
	.rept	16
	.rept	place % 6
	add	w8, w8, #1
	.endr
	.if place & 1
	ret
	.else
	b	.Ltable_back
	.endif
	.balign	PLACE_SIZE
	.set	place, place + 1
	.endr
	range	workload_table, .Ltable_next
	.rept	240
	next_x
	.set	place, (x >> 16) & 15
	range	.Ltable_next, .Ltable_jump
	.if place & 1
	range	.Ltable_call, .Ltable_back
	.else
	range	.Ltable_jump, .Ltable_call
	.endif
	range	.Lplaces + place * PLACE_SIZE, .Lplaces + place * PLACE_SIZE + 4 * (place % 6 + 1)
	range	.Ltable_back, .Ltable_done
	.endr
	range	.Ltable_done, .Ltable_end
	workload_end workload_table
	.balign	8
.Ltable:
	.set	place, 0
	.rept	16
	.quad	.Lplaces + place * PLACE_SIZE
	.set	place, place + 1
	.endr

/* Calls 40 deep, direct and indirect ones in turn, five times. Each pair of functions has CALL_PAIR bytes. */
#define CALL_PAIR 52
	workload workload_calls
	stp	x29, x30, [sp, #-16]!
	mov	w1, #5
.Lcalls_again:
	bl	.Lcalls_first
.Lcalls_back:
	subs	w1, w1, #1
	b.ne	.Lcalls_again
.Lcalls_done:
	ldp	x29, x30, [sp], #16
	ret
.Lcalls_end:
.Lcalls_first:
	.rept	20
	stp	x29, x30, [sp, #-16]!
	add	w6, w6, #1
	bl	. + 16
	add	w6, w6, #1
	ldp	x29, x30, [sp], #16
	ret
	stp	x29, x30, [sp, #-16]!
	adr	x9, . + 24
	blr	x9
	add	w6, w6, #1
	add	w6, w6, #1
	ldp	x29, x30, [sp], #16
	ret
	.endr
.Lcalls_leaf:
	ret
.Lcalls_leaf_end:
	range	workload_calls, .Lcalls_again
	row	WORKLOAD_REPEAT, 5
	range	.Lcalls_again, .Lcalls_back
	.set	pair, 0
	.rept	20
	range	.Lcalls_first + pair * CALL_PAIR, .Lcalls_first + pair * CALL_PAIR + 12
	range	.Lcalls_first + pair * CALL_PAIR + 24, .Lcalls_first + pair * CALL_PAIR + 36
	.set	pair, pair + 1
	.endr
	range	.Lcalls_leaf, .Lcalls_leaf_end
	.rept	20
	.set	pair, pair - 1
	range	.Lcalls_first + pair * CALL_PAIR + 36, .Lcalls_first + pair * CALL_PAIR + 52
	range	.Lcalls_first + pair * CALL_PAIR + 12, .Lcalls_first + pair * CALL_PAIR + 24
	.endr
	range	.Lcalls_back, .Lcalls_done
	row	WORKLOAD_REPEAT_END
	range	.Lcalls_done, .Lcalls_end
	workload_end workload_calls

/* Returns that go where no call was: behind the place, by another register, and by a jump */
	workload workload_returns
	mov	x10, x30
	mov	w1, #20
.Lreturns_again:
	bl	.Lreturns_far
.Lreturns_not_here:
	brk	#1
.Lreturns_here:
	bl	.Lreturns_register
.Lreturns_register_back:
	bl	.Lreturns_jump
.Lreturns_jump_back:
	subs	w1, w1, #1
	b.ne	.Lreturns_again
.Lreturns_done:
	ret	x10
.Lreturns_far:
	add	x30, x30, #4
	ret
.Lreturns_register:
	mov	x11, x30
	mov	x30, #0
	ret	x11
.Lreturns_jump:
	br	x30
.Lreturns_end:
	range	workload_returns, .Lreturns_again
	row	WORKLOAD_REPEAT, 20
	range	.Lreturns_again, .Lreturns_not_here
	range	.Lreturns_far, .Lreturns_register
	range	.Lreturns_here, .Lreturns_register_back
	range	.Lreturns_register, .Lreturns_jump
	range	.Lreturns_register_back, .Lreturns_jump_back
	range	.Lreturns_jump, .Lreturns_end
	range	.Lreturns_jump_back, .Lreturns_done
	row	WORKLOAD_REPEAT_END
	range	.Lreturns_done, .Lreturns_far
	workload_end workload_returns

/* System calls, two in a row among them */
	workload workload_svc
	mov	w9, #25
	mov	x8, #SYS_GETPID
.Lsvc_again:
	add	w6, w6, #1
	svc	#0
.Lsvc_first:
	svc	#0
.Lsvc_second:
	sub	w9, w9, #1
	cbnz	w9, .Lsvc_again
.Lsvc_done:
	ret
.Lsvc_end:
	range	workload_svc, .Lsvc_again
	row	WORKLOAD_REPEAT, 25
	range	.Lsvc_again, .Lsvc_first
	exception WORKLOAD_EXC_CALL, .Lsvc_first
	range	.Lsvc_first, .Lsvc_second
	exception WORKLOAD_EXC_CALL, .Lsvc_second
	range	.Lsvc_second, .Lsvc_done
	row	WORKLOAD_REPEAT_END
	range	.Lsvc_done, .Lsvc_end
	workload_end workload_svc

/* Signal handlers */
	.globl	workload_skip, workload_count, workload_note, workload_restorer
workload_skip:
	ldr	x3, [x2, #UCONTEXT_PC]
	add	x3, x3, #4
	str	x3, [x2, #UCONTEXT_PC]
	ret
.Lskip_end:
workload_count:
	add	w7, w7, #1
	cbz	w7, workload_count
	ret
.Lcount_end:
workload_restorer:
	mov	x8, #SYS_SIGRETURN
	svc	#0
.Lrestorer_end:

/* si_value is a struct workload_notes */
workload_note:
	ldr	x3, [x1, #SIGINFO_VALUE]
	ldr	x4, [x3]
	add	x5, x3, x4, lsl #4
	ldr	x6, [x2, #UCONTEXT_PC]
	str	x6, [x5, #8]
	ldr	x6, [x2, #UCONTEXT_X27]
	str	x6, [x5, #16]
	add	x4, x4, #1
	str	x4, [x3]
	ret
.Lnote_end:

	.macro	handled start, end
	range	\start, \end
	range	workload_restorer, .Lrestorer_end
	exception WORKLOAD_EXC_CALL, .Lrestorer_end
	.endm

	table	workload_note_rows
	handled	workload_note, .Lnote_end
	row	WORKLOAD_END

/* brk, an undefined instruction, and a load from address 0, each of which a signal handler skips */
	workload workload_faults
	mov	w9, #8
.Lfaults_again:
	add	w6, w6, #1
.Lfaults_brk:
	brk	#0x123
.Lfaults_brk_end:
	add	w6, w6, #1
.Lfaults_udf:
	.inst	0
.Lfaults_udf_end:
	mov	x4, #0
.Lfaults_load:
	ldr	x5, [x4]
.Lfaults_load_end:
	sub	w9, w9, #1
	cbnz	w9, .Lfaults_again
.Lfaults_done:
	ret
.Lfaults_end:
	range	workload_faults, .Lfaults_again
	row	WORKLOAD_REPEAT, 8
	range	.Lfaults_again, .Lfaults_brk
	exception WORKLOAD_EXC_INST_DEBUG, .Lfaults_brk
	handled	workload_skip, .Lskip_end
	range	.Lfaults_brk_end, .Lfaults_udf
	exception WORKLOAD_EXC_TRAP, .Lfaults_udf
	handled	workload_skip, .Lskip_end
	range	.Lfaults_udf_end, .Lfaults_load
	exception WORKLOAD_EXC_DATA_FAULT, .Lfaults_load
	handled	workload_skip, .Lskip_end
	range	.Lfaults_load_end, .Lfaults_done
	row	WORKLOAD_REPEAT_END
	range	.Lfaults_done, .Lfaults_end
	workload_end workload_faults

/* Signals that the thread sends to itself: each is delivered when the system call returns */
	workload workload_signals
	mov	x8, #SYS_GETPID
	svc	#0
.Lsignals_pid:
	mov	x10, x0
	mov	x8, #SYS_GETTID
	svc	#0
.Lsignals_tid:
	mov	x11, x0
	mov	w9, #10
.Lsignals_again:
	mov	x0, x10
	mov	x1, x11
	mov	x2, #SIGUSR1
	mov	x8, #SYS_TGKILL
	svc	#0
.Lsignals_sent:
	sub	w9, w9, #1
	cbnz	w9, .Lsignals_again
.Lsignals_done:
	ret
.Lsignals_end:
	range	workload_signals, .Lsignals_pid
	exception WORKLOAD_EXC_CALL, .Lsignals_pid
	range	.Lsignals_pid, .Lsignals_tid
	exception WORKLOAD_EXC_CALL, .Lsignals_tid
	range	.Lsignals_tid, .Lsignals_again
	row	WORKLOAD_REPEAT, 10
	range	.Lsignals_again, .Lsignals_sent
	exception WORKLOAD_EXC_CALL, .Lsignals_sent
	handled	workload_count, .Lcount_end
	range	.Lsignals_sent, .Lsignals_done
	row	WORKLOAD_REPEAT_END
	range	.Lsignals_done, .Lsignals_end
	workload_end workload_signals

/* x0 is memory of WORKLOAD_PAGES pages of 64 KB, each of which is written to for the first time */
	workload workload_pages
	mov	w1, #WORKLOAD_PAGES
.Lpages_again:
	add	w6, w6, #1
	str	w1, [x0]
	add	x0, x0, #0x10000
	subs	w1, w1, #1
	b.ne	.Lpages_again
.Lpages_done:
	ret
.Lpages_end:
	range	workload_pages, .Lpages_again
	row	WORKLOAD_REPEAT, WORKLOAD_PAGES
	range	.Lpages_again, .Lpages_done
	row	WORKLOAD_REPEAT_END
	range	.Lpages_done, .Lpages_end
	workload_end workload_pages

/*
 * The code at workload_modified_code is replaced WORKLOAD_MODIFIED_TIMES times, by versions 0, 1, 2, 3, 0 and so on,
 * and called twice each time. A system call behind each replacement ends at workload_modified_marker.
 */
	workload workload_modified
	mov	x10, x30
	adrp	x11, workload_modified_code
	add	x11, x11, :lo12:workload_modified_code
	mov	w9, #0
.Lmodified_again:
	adr	x12, workload_modified_versions
	and	w13, w9, #(WORKLOAD_MODIFIED_VERSIONS - 1)
	add	x12, x12, x13, lsl #6
	mov	x14, #0
.Lmodified_copy:
	ldr	x15, [x12, x14]
	str	x15, [x11, x14]
	add	x16, x11, x14
	dc	cvau, x16
	add	x14, x14, #8
	cmp	x14, #WORKLOAD_MODIFIED_SIZE
	b.lo	.Lmodified_copy
.Lmodified_copied:
	dsb	ish
	mov	x14, #0
.Lmodified_clean:
	add	x16, x11, x14
	ic	ivau, x16
	add	x14, x14, #8
	cmp	x14, #WORKLOAD_MODIFIED_SIZE
	b.lo	.Lmodified_clean
.Lmodified_cleaned:
	dsb	ish
	isb
	mov	x8, #SYS_GETPID
	svc	#0
	.globl	workload_modified_marker
workload_modified_marker:
	mov	w1, #5
	blr	x11
.Lmodified_once:
	mov	w1, #2
	blr	x11
.Lmodified_twice:
	add	w9, w9, #1
	cmp	w9, #WORKLOAD_MODIFIED_TIMES
	b.lo	.Lmodified_again
.Lmodified_done:
	ret	x10
.Lmodified_end:
	.balign	WORKLOAD_MODIFIED_SIZE
	.globl	workload_modified_versions
workload_modified_versions:
.Lversion0:
	add	w6, w6, #1
	ret
.Lversion0_end:
	.balign	WORKLOAD_MODIFIED_SIZE
.Lversion1:
	add	w6, w6, #2
.Lversion1_loop:
	subs	w1, w1, #1
	b.ne	.Lversion1_loop
.Lversion1_loop_end:
	ret
.Lversion1_end:
	.balign	WORKLOAD_MODIFIED_SIZE
.Lversion2:
	tbz	w1, #0, .Lversion2_even
.Lversion2_odd:
	add	w6, w6, #3
	b	.Lversion2_out
.Lversion2_even:
	add	w6, w6, #4
	add	w6, w6, #4
	ret
.Lversion2_out:
	sub	w6, w6, #1
	ret
.Lversion2_end:
	.balign	WORKLOAD_MODIFIED_SIZE
.Lversion3:
	mov	x16, x30
	bl	.Lversion3_leaf
.Lversion3_back:
	ret	x16
.Lversion3_leaf:
	cmp	w1, #3
	b.hi	.Lversion3_out
.Lversion3_low:
	add	w6, w6, #5
.Lversion3_out:
	ret
.Lversion3_end:
	.balign	WORKLOAD_MODIFIED_SIZE

	/* in the place of version @version, from label @start to label @end of that version */
	.macro	modified_range version, start, end
	range	workload_modified_code + (.Lversion\version\start - .Lversion\version), \
		workload_modified_code + (.Lversion\version\end - .Lversion\version)
	.endm
	.macro	modified_prologue
	range	.Lmodified_again, .Lmodified_copy
	row	WORKLOAD_REPEAT, WORKLOAD_MODIFIED_SIZE / 8
	range	.Lmodified_copy, .Lmodified_copied
	row	WORKLOAD_REPEAT_END
	range	.Lmodified_copied, .Lmodified_clean
	row	WORKLOAD_REPEAT, WORKLOAD_MODIFIED_SIZE / 8
	range	.Lmodified_clean, .Lmodified_cleaned
	row	WORKLOAD_REPEAT_END
	range	.Lmodified_cleaned, workload_modified_marker
	exception WORKLOAD_EXC_CALL, workload_modified_marker
	range	workload_modified_marker, .Lmodified_once
	.endm
	range	workload_modified, .Lmodified_again
	row	WORKLOAD_REPEAT, WORKLOAD_MODIFIED_TIMES / WORKLOAD_MODIFIED_VERSIONS
	/* version 0 */
	modified_prologue
	modified_range 0, , _end
	range	.Lmodified_once, .Lmodified_twice
	modified_range 0, , _end
	range	.Lmodified_twice, .Lmodified_done
	/* version 1 */
	modified_prologue
	modified_range 1, , _loop
	row	WORKLOAD_REPEAT, 5
	modified_range 1, _loop, _loop_end
	row	WORKLOAD_REPEAT_END
	modified_range 1, _loop_end, _end
	range	.Lmodified_once, .Lmodified_twice
	modified_range 1, , _loop
	row	WORKLOAD_REPEAT, 2
	modified_range 1, _loop, _loop_end
	row	WORKLOAD_REPEAT_END
	modified_range 1, _loop_end, _end
	range	.Lmodified_twice, .Lmodified_done
	/* version 2: 5 is odd, 2 is even */
	modified_prologue
	modified_range 2, , _odd
	modified_range 2, _odd, _even
	modified_range 2, _out, _end
	range	.Lmodified_once, .Lmodified_twice
	modified_range 2, , _odd
	modified_range 2, _even, _out
	range	.Lmodified_twice, .Lmodified_done
	/* version 3: 5 is higher than 3, 2 is not */
	modified_prologue
	modified_range 3, , _back
	modified_range 3, _leaf, _low
	modified_range 3, _out, _end
	modified_range 3, _back, _leaf
	range	.Lmodified_once, .Lmodified_twice
	modified_range 3, , _back
	modified_range 3, _leaf, _end
	modified_range 3, _back, _leaf
	range	.Lmodified_twice, .Lmodified_done
	row	WORKLOAD_REPEAT_END
	range	.Lmodified_done, .Lmodified_end
	workload_end workload_modified

/*
 * A generated program: x0 is a struct random_registers. The program ends with a jump to .Lrandom_leave. Its registers
 * are described in random_program.c.
 */
	table	workload_random_before
	.globl	workload_random
	.type	workload_random, %function
workload_random:
	stp	x29, x30, [sp, #-96]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	ldp	x9, x27, [x0]
	ldp	x26, x28, [x0, #16]
	ldr	x20, [x0, #32]
	constant w2, MULTIPLIER
	constant w3, INCREMENT
	mov	x8, #SYS_GETPID
	adr	x24, .Lrandom_leave
	br	x9
.Lrandom_leave:
	ldp	x27, x28, [sp, #80]
	ldp	x25, x26, [sp, #64]
	ldp	x23, x24, [sp, #48]
	ldp	x21, x22, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #96
	ret
.Lrandom_end:
	range	workload_random, .Lrandom_leave
	row	WORKLOAD_END
	table	workload_random_after
	range	.Lrandom_leave, .Lrandom_end
	workload_end workload_random

/* A place of 64 KB, so that it shares no page with other code */
	.section .text.workload_modified_code, "ax", %progbits
	.balign	0x10000
	.globl	workload_modified_code
workload_modified_code:
	.fill	0x4000, 4, 0

	.section .note.GNU-stack, "", %progbits
