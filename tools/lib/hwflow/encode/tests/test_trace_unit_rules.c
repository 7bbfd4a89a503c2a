/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Rules of Arm ARM D4.3 that bind the trace unit, each by its id, seen in the element stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tu_model.h"

/* ---- directed sequences ---- */

static struct model *directed(void)
{
	struct model *model = model_new(1);

	model->options.regs.trcidr0 |= MODEL_COMMOPT;
	model->options.regs.trcconfigr |= MODEL_CID;
	model->exceptions = 0;
	return model;
}

static size_t aligns(const struct model *model)
{
	size_t count = 0;

	for (size_t at = model_next_sync(model, 0); at < model->length;
	     at = model_next_sync(model, at + 1))
		count++;
	return count;
}

static void test_R_HMDGL_trace_info_comes_first_but_for_events(void **state)
{
	struct model *model = directed();

	(void)state;
	model->options.el_mask = 2;
	model_begin(model);
	model_nop(model);
	hwf_tu_event(model->unit, 5);
	hwf_tu_instrumentation(model->unit, 0, 7);
	model_branch(model, true);
	hwf_tu_flush(model->unit);
	assert_int_equal(model_next_sync(model, 0), 0);
	model_set_context(model, 1, 9);
	model->pc = MODEL_EL1;
	model_branch(model, true);
	model_expect(model, "EVENT ITE TI(0) ON CTX(1,9) TA(ffff800008000000) E");
	model_free(model);
}

static void test_R_KKQGK_context_and_address_before_the_first_p0(void **state)
{
	struct model *model = directed();

	(void)state;
	model->options.resync_after_idle = true;
	model_begin(model);
	model_branch(model, false);
	model_expect(model, "TI(0) ON CTX(0,1) TA(400000) N");
	/* idle: what comes next is synchronised as at the start, in the midst of a run */
	model_nop(model);
	hwf_tu_sync(model->unit);
	hwf_tu_sync(model->unit);
	model_expect(model, "TI(0) CTX(0,1) TA(400004)");
	model_nop(model);
	model_branch(model, true);
	model_expect(model, "TI(0) CTX(0,1) TA(400004) E");
	model_free(model);
}

static void test_R_KKQGK_address_before_an_exception(void **state)
{
	struct model *model = directed();

	(void)state;
	model_begin(model);
	model_execute(model, BR, true, 0x400100);
	hwf_tu_sync(model->unit);
	model_exception(model, HWF_EXC_IRQ, 0x400100);
	model_expect(model,
		     "TI(0) ON CTX(0,1) TA(400000) E TI(0) CTX(0,1) TA(400100) EXC(14,400100)");
	model_free(model);
}

static void test_R_SVGNN_address_is_that_of_the_newest_p0(void **state)
{
	struct model *model = directed();

	(void)state;
	model_begin(model);
	model_nop(model);
	model_branch(model, true);
	model_nop(model);
	model_nop(model);
	hwf_tu_sync(model->unit);
	model_nop(model);
	model_branch(model, true);
	model_expect(model, "TI(0) ON CTX(0,1) TA(400000) E TI(0) CTX(0,1) TA(400014) E");
	hwf_tu_sync(model->unit);
	model_branch(model, false);
	model_expect(model, "TI(0) CTX(0,1) TA(400030) N");
	model_free(model);
}

static void test_R_DLPYX_sync_while_inactive(void **state)
{
	struct model *model = directed();

	(void)state;
	model->options.el_mask = 2;
	model->el = 1;
	model->pc = MODEL_EL1;
	model_begin(model);
	model_branch(model, true);
	model_expect(model, "TI(0) ON CTX(1,1) TA(ffff800008000000) E");
	model_set_context(model, 0, 1);
	model->pc = MODEL_EL0;
	model_nop(model);
	hwf_tu_sync(model->unit);
	model_expect(model, "TI(0)");
	model_set_context(model, 1, 1);
	model->pc = MODEL_EL1;
	model_branch(model, true);
	model_expect(model, "ON CTX(1,1) TA(ffff800008000000) E");
	model_free(model);
}

static void test_I_MQNBT_alignment_waits_for_something_to_trace(void **state)
{
	struct model *model = directed();

	(void)state;
	model->options.sync_late = true;
	model->options.el_mask = 2;
	model_begin(model);
	model_nop(model);
	hwf_tu_flush(model->unit);
	assert_int_equal(model->length, 0);
	hwf_tu_event(model->unit, 1);
	model_expect(model, "EVENT");
	assert_int_equal(aligns(model), 1);
	model_set_context(model, 1, 1);
	model->pc = MODEL_EL1;
	model_branch(model, true);
	model_expect(model, "TI(0) ON CTX(1,1) TA(ffff800008000000) E");
	model_set_context(model, 0, 1);
	model->pc = MODEL_EL0;
	model_nop(model);
	hwf_tu_sync(model->unit);
	hwf_tu_flush(model->unit);
	assert_int_equal(aligns(model), 1);
	hwf_tu_instrumentation(model->unit, 0, 1);
	model_expect(model, "ITE");
	assert_int_equal(aligns(model), 2);
	model_free(model);
}

static void test_without_I_MQNBT_alignment_comes_at_once(void **state)
{
	struct model *model = directed();

	(void)state;
	model_begin(model);
	hwf_tu_flush(model->unit);
	assert_int_equal(aligns(model), 1);
	assert_int_equal(model->length, 12);
	model_free(model);
}

static size_t bytes_of_two_requests(bool only_if_output)
{
	struct model *model = directed();
	size_t length;

	model->options.sync_only_if_output = only_if_output;
	model_begin(model);
	model_branch(model, true);
	model_nop(model);
	hwf_tu_sync(model->unit);
	hwf_tu_flush(model->unit);
	length = model->length;
	hwf_tu_sync(model->unit);
	hwf_tu_flush(model->unit);
	length = model->length - length;
	model_free(model);
	return length;
}

static void test_I_QYQRY_alignment_only_after_other_packets(void **state)
{
	(void)state;
	assert_int_equal(bytes_of_two_requests(true), 0);
	assert_true(bytes_of_two_requests(false) > 12);
}

static void idle_requests(bool resync, const char *text)
{
	struct model *model = directed();

	model->options.resync_after_idle = resync;
	model->options.sync_only_if_output = true;
	model->options.el_mask = 2;
	model->el = 1;
	model->pc = MODEL_EL1;
	model_begin(model);
	model_branch(model, true);
	model_set_context(model, 0, 1);
	model->pc = MODEL_EL0;
	model_nop(model);
	model_expect(model, "TI(0) ON CTX(1,1) TA(ffff800008000000) E");
	hwf_tu_sync(model->unit);
	hwf_tu_sync(model->unit);
	model_expect(model, "TI(0)");
	model_set_context(model, 1, 1);
	model->pc = MODEL_EL1;
	model_branch(model, true);
	model_expect(model, text);
	model_free(model);
}

static void test_I_NQYXW_two_idle_requests_resynchronise(void **state)
{
	(void)state;
	idle_requests(true, "TI(0) ON CTX(1,1) TA(ffff800008000000) E");
	idle_requests(false, "ON CTX(1,1) TA(ffff800008000000) E");
}

static void test_R_TJLYH_context_after_trace_on_if_changed(void **state)
{
	struct model *model = directed();

	(void)state;
	model_begin(model);
	model_branch(model, true);
	model_expect(model, "TI(0) ON CTX(0,1) TA(400000) E");
	hwf_tu_gap(model->unit);
	model_branch(model, true);
	model_expect(model, "ON TA(400010) E");
	hwf_tu_gap(model->unit);
	model_set_context(model, 0, 2);
	model_branch(model, true);
	model_expect(model, "ON CTX(0,2) TA(400020) E");
	model_free(model);
}

/* ---- random runs, followed speculatively ---- */

struct p0 {
	uint64_t pc; /* of the instruction */
	uint64_t after;
	uint64_t taken;
	uint64_t not_taken;
	struct hwf_context context;
	bool after_known;
	bool atom;
	bool cse;
	bool exception;
	bool trace_on; /* a Trace On came behind it */
	bool sync;     /* a Trace Info */
	bool placed;   /* and a Context and Target Address after it */
};

#define WATCHED 4096

struct watch {
	struct model *model;
	struct p0 p0[WATCHED];
	size_t depth;
	struct hwf_context context;
	bool place_due;   /* Trace On, or a synchronisation lost to a Cancel */
	bool context_due; /* the latter */
	/* rules broken */
	unsigned int kygrf, qhqly, lwjcq, ygsgj, srlcg, kmfkp, kgptb, maxspec;
	/* and what was there to break them */
	unsigned int canceled, commits, cses, trace_ons, mispredicts, corrected, resent, deep;
	unsigned int wrong_cses, wrong_exceptions;
	unsigned int synced; /* Cancels that reach behind a Trace Info */
	bool address_before; /* the last element but Context was a Target Address */
};

static struct p0 *newest(struct watch *watch)
{
	/* p0[0] stands for what came before */
	return &watch->p0[watch->depth];
}

static void push_p0(struct watch *watch, const struct p0 *p0)
{
	if (newest(watch)->cse && watch->depth)
		watch->qhqly++;
	if (watch->place_due)
		watch->kmfkp++;
	if (watch->context_due)
		watch->kgptb++;
	if (watch->depth + 1 > watch->model->options.regs.trcidr8)
		watch->maxspec++;
	assert_true(watch->depth + 1 < WATCHED);
	watch->p0[++watch->depth] = *p0;
	newest(watch)->context = watch->context;
	watch->cses += p0->cse;
	if (watch->depth > watch->deep)
		watch->deep = (unsigned int)watch->depth;
}

static void push_atom(struct watch *watch, bool e)
{
	struct p0 p0 = {.atom = true};
	struct hwf_insn insn = {.size = 0};
	uint64_t pc = newest(watch)->after;
	bool there = true;

	assert_true(newest(watch)->after_known || watch->place_due);
	do {
		pc += insn.size;
		hwf_insn_a64(model_word(watch->model, pc, &there), pc, &insn);
		assert_true(there || watch->place_due);
	} while (there && !hwf_insn_is_p0(&insn, watch->model->config.wfx));
	p0.pc = pc;
	p0.not_taken = pc + 4;
	p0.taken = insn.kind == HWF_INSN_DIRECT ? insn.target : pc + 4;
	p0.after = e ? p0.taken : p0.not_taken;
	p0.after_known = insn.kind != HWF_INSN_INDIRECT;
	p0.cse = insn.kind == HWF_INSN_ISB || insn.sub == HWF_SUB_ERET;
	push_p0(watch, &p0);
}

static bool same_context(const struct hwf_context *a, const struct hwf_context *b)
{
	return a->el == b->el && a->cid == b->cid && a->security == b->security;
}

static void cancel(struct watch *watch, uint32_t number)
{
	bool sync = false;

	watch->canceled += number;
	assert_true(number <= watch->depth);
	for (uint32_t i = 0; i < number; i++, watch->depth--) {
		const struct p0 *p0 = newest(watch);

		watch->wrong_cses += p0->cse;
		watch->wrong_exceptions += p0->exception;
		if (p0->cse && i)
			watch->lwjcq++;
		watch->srlcg += p0->trace_on;
		if (!same_context(&p0->context, &watch->context))
			watch->kygrf++;
		sync = sync || p0->sync;
	}
	watch->synced += sync;
	/* R_KGPTB, I_NSWTK: what was said since the Trace Info is gone */
	if (sync || (newest(watch)->sync && !newest(watch)->placed)) {
		watch->context_due = true;
		watch->place_due = true;
		watch->resent++;
	}
}

static void commit(struct watch *watch, uint32_t number)
{
	assert_true(number <= watch->depth);
	watch->commits++;
	watch->depth -= number;
	memmove(watch->p0, watch->p0 + number, (watch->depth + 1) * sizeof(watch->p0[0]));
}

static void take_address(struct watch *watch, uint64_t value)
{
	/* R_KYGRF: an address of EL1 seen from EL0, executed or not */
	if (!watch->context.el && value >> 63)
		watch->kygrf++;
	watch->corrected += watch->address_before;
	newest(watch)->after = value;
	newest(watch)->after_known = true;
	newest(watch)->placed = newest(watch)->sync;
	watch->place_due = false;
}

static void mispredict(struct watch *watch)
{
	struct p0 *p0 = newest(watch);

	assert_true(p0->atom && watch->depth);
	watch->mispredicts++;
	watch->srlcg += p0->trace_on;
	p0->after = p0->after == p0->taken ? p0->not_taken : p0->taken;
	/* addresses of the wrong path may stand in after: the branch says better */
	p0->after_known = true;
}

static void take(void *ctx, const struct hwf_element *element)
{
	struct watch *watch = ctx;
	struct p0 exception = {.cse = true, .exception = true};
	bool address = element->kind == HWF_EL_TARGET_ADDRESS;

	switch (element->kind) {
	case HWF_EL_ATOM:
		for (unsigned int i = 0; i < element->u.atoms.count; i++)
			push_atom(watch, element->u.atoms.bits >> i & 1);
		break;
	case HWF_EL_EXCEPTION:
		push_p0(watch, &exception);
		break;
	case HWF_EL_TRACE_ON:
		watch->trace_ons++;
		if (watch->depth)
			watch->ygsgj++;
		newest(watch)->trace_on = true;
		watch->place_due = true;
		break;
	case HWF_EL_TRACE_INFO:
		assert_int_equal(element->u.trace_info.spec_depth, watch->depth);
		newest(watch)->sync = true;
		newest(watch)->placed = false;
		break;
	case HWF_EL_TARGET_ADDRESS:
		take_address(watch, element->u.address.value);
		break;
	case HWF_EL_CONTEXT:
		watch->context = element->u.context.context;
		watch->context_due = false;
		break;
	case HWF_EL_COMMIT:
		commit(watch, element->u.number);
		break;
	case HWF_EL_CANCEL:
		cancel(watch, element->u.number);
		break;
	case HWF_EL_MISPREDICT:
		mispredict(watch);
		break;
	default:
		break;
	}
	if (element->kind != HWF_EL_CONTEXT)
		watch->address_before = address;
}

/* One run; counters add up in @watch. */
static void watch_run(struct watch *watch, uint32_t seed, uint32_t max_spec, uint8_t el_mask)
{
	struct model *model = model_new(seed);

	model->options.regs.trcidr8 = max_spec;
	model->options.regs.trcconfigr |= MODEL_CID;
	model->options.spec_seed = seed + 1;
	model->options.el_mask = el_mask;
	model->options.sync_period = 200;
	/* a prohibited region is entered by an exception, or as TRFCR is written */
	if (el_mask == 1)
		model->gaps = 60;
	model->contexts = true;
	assert_int_equal(model_start(model), 0);
	model_run(model, 6000);
	model_stop(model);
	watch->model = model;
	watch->depth = 0;
	watch->p0[0] = (struct p0){0};
	watch->place_due = false;
	watch->context_due = false;
	model_elements(model, take, watch);
	model_free(model);
}

static struct watch *watched(uint8_t el_mask, uint32_t runs)
{
	static const uint32_t max_spec[] = {1, 2, 5, 40, 120};
	struct watch *watch = calloc(1, sizeof(*watch));

	for (uint32_t seed = 0; seed < runs; seed++)
		watch_run(watch, seed, max_spec[seed % 5], el_mask);
	assert_true(watch->canceled > 1000);
	assert_true(watch->commits > 1000);
	assert_true(watch->mispredicts > 1000);
	return watch;
}

static void test_R_KYGRF_wrong_path_knows_nothing_privileged(void **state)
{
	struct watch *watch = watched(3, 20);

	(void)state;
	assert_true(watch->corrected > 50);
	assert_int_equal(watch->kygrf, 0);
	free(watch);
}

static void test_R_QHQLY_nothing_behind_an_unresolved_cse(void **state)
{
	struct watch *watch = watched(3, 20);

	(void)state;
	assert_true(watch->cses > 1000);
	assert_int_equal(watch->qhqly, 0);
	free(watch);
}

static void test_R_LWJCQ_nothing_behind_a_canceled_cse(void **state)
{
	struct watch *watch = watched(3, 20);

	(void)state;
	assert_true(watch->wrong_cses > 10);
	assert_true(watch->wrong_exceptions > 500);
	assert_int_equal(watch->lwjcq, 0);
	free(watch);
}

static void test_R_YGSGJ_nothing_unresolved_when_a_prohibited_region_is_left(void **state)
{
	struct watch *watch = watched(1, 20);

	(void)state;
	assert_true(watch->trace_ons > 100);
	assert_int_equal(watch->ygsgj, 0);
	free(watch);
}

static void test_R_SRLCG_no_cancel_reaches_into_a_prohibited_region(void **state)
{
	struct watch *watch = watched(1, 20);

	(void)state;
	assert_true(watch->trace_ons > 100);
	assert_int_equal(watch->srlcg, 0);
	free(watch);
}

static void test_R_KMFKP_address_after_every_trace_on(void **state)
{
	struct watch *watch = watched(1, 20);

	(void)state;
	assert_true(watch->trace_ons > 100);
	assert_int_equal(watch->kmfkp, 0);
	free(watch);
}

static void test_R_KGPTB_context_and_address_come_again_after_a_cancel(void **state)
{
	/* a synchronisation on a wrong path is rare */
	struct watch *watch = watched(3, 100);

	(void)state;
	assert_true(watch->resent > 50);
	assert_true(watch->synced > 50);
	assert_int_equal(watch->kgptb, 0);
	assert_int_equal(watch->kmfkp, 0);
	free(watch);
}

static void test_I_XLHWT_never_more_than_maxspec_uncommitted(void **state)
{
	struct watch *watch = watched(3, 20);

	(void)state;
	assert_true(watch->deep > 10);
	assert_int_equal(watch->maxspec, 0);
	free(watch);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_R_HMDGL_trace_info_comes_first_but_for_events),
		cmocka_unit_test(test_R_KKQGK_context_and_address_before_the_first_p0),
		cmocka_unit_test(test_R_KKQGK_address_before_an_exception),
		cmocka_unit_test(test_R_SVGNN_address_is_that_of_the_newest_p0),
		cmocka_unit_test(test_R_DLPYX_sync_while_inactive),
		cmocka_unit_test(test_I_MQNBT_alignment_waits_for_something_to_trace),
		cmocka_unit_test(test_without_I_MQNBT_alignment_comes_at_once),
		cmocka_unit_test(test_I_QYQRY_alignment_only_after_other_packets),
		cmocka_unit_test(test_I_NQYXW_two_idle_requests_resynchronise),
		cmocka_unit_test(test_R_TJLYH_context_after_trace_on_if_changed),
		cmocka_unit_test(test_R_KYGRF_wrong_path_knows_nothing_privileged),
		cmocka_unit_test(test_R_QHQLY_nothing_behind_an_unresolved_cse),
		cmocka_unit_test(test_R_LWJCQ_nothing_behind_a_canceled_cse),
		cmocka_unit_test(test_R_YGSGJ_nothing_unresolved_when_a_prohibited_region_is_left),
		cmocka_unit_test(test_R_SRLCG_no_cancel_reaches_into_a_prohibited_region),
		cmocka_unit_test(test_R_KMFKP_address_after_every_trace_on),
		cmocka_unit_test(test_R_KGPTB_context_and_address_come_again_after_a_cancel),
		cmocka_unit_test(test_I_XLHWT_never_more_than_maxspec_uncommitted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
