// SPDX-License-Identifier: GPL-2.0-only
/* hwflow verify: past what the trace does not tell of. */
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "base/progress.h"
#include "verify_compare.h"
#include "verify_plan.h"
#include "verify_riscv.h"

void verify_counts_add(struct verify_counts *counts, const struct verify_counts *more)
{
	counts->instructions += more->instructions;
	counts->exceptions += more->exceptions;
	counts->unknown += more->unknown;
	counts->missing += more->missing;
	counts->anywhere += more->anywhere;
	counts->untold += more->untold;
	counts->unseen += more->unseen;
}

bool verify_advance(struct verify_thread *thread)
{
	if (verify_log_advance(&thread->log))
		return true;
	if (thread->log.error && !thread->mute) {
		progress_hide();
		print(stderr, "hwflow: %s\n", thread->log.reader.message);
	}
	return false;
}

void verify_keep(struct verify_thread *thread, const struct truth_run *run)
{
	thread->last[thread->last_next] = *run;
	thread->last_next = (thread->last_next + 1) % VERIFY_SHOWN;
}

void verify_last(const struct verify_thread *thread, struct verify_insn last[VERIFY_SHOWN])
{
	unsigned int left = VERIFY_SHOWN;

	memset(last, 0, VERIFY_SHOWN * sizeof(*last));
	for (unsigned int i = VERIFY_SHOWN; i && left; i--) {
		const struct truth_run *run =
			&thread->last[(thread->last_next + i - 1) % VERIFY_SHOWN];

		for (uint32_t j = run->count; j && left; j--)
			last[--left] = verify_insn(run, j - 1);
	}
}

void verify_consume(struct verify_thread *thread, uint32_t count)
{
	struct truth_run run = thread->log.run;

	run.count = count;
	thread->trapped = false;
	verify_keep(thread, &run);
	thread->log.run.pc += truth_run_bytes(&thread->log.run, count);
	thread->log.run.opcodes += count;
	thread->log.run.count -= count;
}

bool verify_is_expected(const struct verify_thread *thread,
			const struct hwf_flow_exception *exception)
{
	const struct truth_exception *expected = &thread->log.event.u.exception;

	return expected->type == exception->type && expected->ret == exception->ret;
}

void verify_pass_rounds(struct verify_thread *thread)
{
	struct verify_insn last[VERIFY_SHOWN];

	verify_last(thread, last);
	if (verify_advance(thread) && !thread->log.have_event)
		thread->counts.unseen +=
			verify_riscv_rounds(&thread->log, last[VERIFY_SHOWN - 1].pc);
}

bool verify_pass_trap(struct verify_thread *thread)
{
	if (!thread->between || !(thread->has_traps || thread->trapped) ||
	    !verify_advance(thread) || !thread->log.have_event)
		return false;
	thread->log.have_event = false;
	thread->counts.untold++;
	return true;
}

void verify_pass_traps(struct verify_thread *thread)
{
	if (thread->between && thread->has_traps)
		verify_pass_rounds(thread);
	while (verify_pass_trap(thread))
		;
	thread->between = false;
}

/* Was this the kind of instruction that gives a P0 element? */
static bool front_is_p0(const struct verify_thread *thread)
{
	struct hwf_insn insn;

	truth_run_insn(&thread->log.run, &insn);
	return hwf_insn_is_p0(&insn, thread->wfx);
}

void verify_skip_to_first(struct verify_thread *thread, uint64_t pc,
			  const struct hwf_flow_exception *exception)
{
	while (verify_advance(thread)) {
		if (thread->log.have_event) {
			if (thread->edge || (exception && verify_is_expected(thread, exception)))
				return;
			thread->log.have_event = false;
			continue;
		}
		if (!exception && thread->log.run.pc == pc)
			return;
		if (thread->edge && front_is_p0(thread))
			return;
		verify_consume(thread, 1);
		if (thread->edge)
			thread->counts.unseen++;
		else
			thread->counts.missing++;
	}
}

/* Behind a gap: where the plan says; where it says nothing at the first place that fits */
static void skip_gap(struct verify_thread *thread, uint64_t pc,
		     const struct hwf_flow_exception *exception)
{
	const struct verify_plan *plan = thread->plan;

	if (!plan) {
		/* what comes later says where this is: there has to be one first */
		thread->skipped = true;
		thread->wrong = true;
	} else if (thread->gap < plan->count) {
		thread->log = plan->places[thread->gap].log;
		thread->counts.missing += plan->places[thread->gap].missing;
		thread->uncertain = plan->places[thread->gap++].uncertain;
	} else {
		verify_skip_to_first(thread, pc, exception);
	}
}

void verify_skip_to(struct verify_thread *thread, uint64_t pc,
		    const struct hwf_flow_exception *exception)
{
	thread->may_skip = false;
	if (thread->edge)
		verify_skip_to_first(thread, pc, exception);
	else
		skip_gap(thread, pc, exception);
}
