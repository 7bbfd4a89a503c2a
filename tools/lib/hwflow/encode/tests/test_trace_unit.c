/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The trace unit: random programs round trip through the decoder, over a cover of options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tu_model_vary.h"

static void check_every_sync(struct model *model)
{
	size_t at = model_next_sync(model, 1);

	for (; at < model->length; at = model_next_sync(model, at + 1)) {
		model_decode(model, at);
		if (!model_matches(model, true))
			fail_msg("decoding from byte %zx differs", at);
	}
}

/* Cancels that reached behind a Trace Info, in all runs of one cover() */
static unsigned int canceled_syncs;

/* What AArch32 code did, in all runs of one cover() */
static unsigned int interworking, it_not_taken, exceptions_t32, exceptions_a32;

/* Exception returns that were decoded, in all runs of one cover() */
static unsigned int erets;

static void check(struct model *model, const char *what, bool syncs)
{
	assert_int_equal(model_start(model), 0);
	model_run(model, 3000);
	model_stop(model);
	model_decode(model, 0);
	if (!model_matches(model, false))
		fail_msg("%s, MAXSPEC %u: decoded and executed differ", what,
			 model->options.regs.trcidr8);
	assert_true(model->decoded.count > 20);
	/* each is said; behind the last one may be the end of trace */
	if (model->options.regs.protocol == HWF_PROTOCOL_ETMV4)
		assert_in_range(model->exception_returns, model->erets - (model->erets != 0),
				model->erets);
	erets += model->exception_returns;
	if (syncs)
		check_every_sync(model);
	canceled_syncs += model_canceled_syncs(model);
	interworking += model->interworking;
	it_not_taken += model->it_not_taken;
	exceptions_t32 += model->exceptions_t32;
	exceptions_a32 += model->exceptions_a32;
	model_free(model);
}

/* Each option alone and many together, over the depths of speculation */
static void cover(const char *what, vary_fn *vary, bool syncs)
{
	canceled_syncs = 0;
	interworking = 0;
	it_not_taken = 0;
	exceptions_t32 = 0;
	exceptions_a32 = 0;
	erets = 0;
	for (unsigned int i = 0; i < DEPTHS; i++) {
		for (unsigned int j = 0; j < CONFIGS; j++)
			check(model_of(i, j, vary), what, syncs);
	}
}

static void test_round_trip(void **state)
{
	(void)state;
	cover("plain", vary_nothing, false);
}

static void make_etmv4(struct model *model)
{
	struct hwf_ete_regs *regs = &model->options.regs;

	regs->protocol = HWF_PROTOCOL_ETMV4;
	regs->trcidr0 &= ~(1u << 22); /* ITE */
	regs->trcidr1 = 0x4100f450;
	regs->trcdevarch = 0;
}

static void vary_etmv4_and_syncs(struct model *model)
{
	vary_syncs(model);
	make_etmv4(model);
}

static void vary_etmv4_and_speculation(struct model *model)
{
	vary_speculation_and_syncs(model);
	make_etmv4(model);
}

/* What an ETMv4 has not, it is not asked for. */
static void test_etmv4_has_no_source_addresses(void **state)
{
	struct model *model = model_of(0, 0, vary_source);

	(void)state;
	make_etmv4(model);
	assert_int_equal(model_start(model), HWF_ERR_BAD_CONFIG);
	model_free(model);
	model = model_of(0, 0, vary_nothing);
	make_etmv4(model);
	model->options.regs.trcidr0 |= 1u << 22;
	assert_int_equal(model_start(model), HWF_ERR_BAD_CONFIG);
	model_free(model);
}

static void test_round_trip_etmv4(void **state)
{
	(void)state;
	cover("ETMv4", make_etmv4, false);
	assert_true(erets > 100);
	cover("ETMv4, synchronisations", vary_etmv4_and_syncs, true);
	cover("ETMv4, speculation", vary_etmv4_and_speculation, true);
}

static void test_round_trip_filters(void **state)
{
	(void)state;
	cover("filters", vary_filters, false);
}

static void test_round_trip_from_every_synchronisation(void **state)
{
	(void)state;
	cover("synchronisations", vary_syncs, true);
}

static void test_round_trip_q(void **state)
{
	(void)state;
	cover("Q", vary_q, true);
}

static void test_round_trip_source_address(void **state)
{
	(void)state;
	cover("source addresses", vary_source, true);
}

static void test_round_trip_with_trace_lost(void **state)
{
	(void)state;
	cover("loss", vary_loss, false);
}

static void test_round_trip_speculation(void **state)
{
	(void)state;
	cover("speculation", vary_speculation, false);
	cover("speculation, synchronisations", vary_speculation_and_syncs, true);
	assert_true(canceled_syncs > 20);
	cover("speculation, all else", vary_speculation_and_all_else, true);
	assert_true(canceled_syncs > 0);
	cover("speculation, loss", vary_speculation_and_loss, false);
	assert_true(canceled_syncs > 0);
}

static void test_round_trip_speculation_filters_q_and_source_addresses(void **state)
{
	(void)state;
	cover("speculation, filters, Q, source addresses", vary_speculation_filters_and_both, true);
}

static void test_round_trip_transactions(void **state)
{
	(void)state;
	cover("transactions", vary_transactions, false);
	cover("transactions, speculation", vary_transactions_and_speculation, false);
	cover("transactions, all else", vary_transactions_and_all_else, false);
}

static void test_round_trip_aarch32(void **state)
{
	(void)state;
	cover("AArch32", vary_aarch32, false);
	assert_true(interworking > 1000);
	assert_true(it_not_taken > 100);
	assert_true(exceptions_t32 > 200);
	assert_true(exceptions_a32 > 200);
	cover("AArch32, loss", vary_aarch32_loss, false);
}

static void test_round_trip_aarch32_from_every_synchronisation(void **state)
{
	(void)state;
	cover("AArch32, synchronisations", vary_aarch32_syncs, true);
	cover("AArch32, Q", vary_aarch32_q, true);
	cover("AArch32, source addresses", vary_aarch32_source, true);
}

static void test_round_trip_aarch32_speculation(void **state)
{
	(void)state;
	cover("AArch32, speculation", vary_aarch32_speculation, false);
	cover("AArch32, speculation, all else", vary_aarch32_speculation_and_all_else, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_round_trip_etmv4),
		cmocka_unit_test(test_etmv4_has_no_source_addresses),
		cmocka_unit_test(test_round_trip_filters),
		cmocka_unit_test(test_round_trip_from_every_synchronisation),
		cmocka_unit_test(test_round_trip_q),
		cmocka_unit_test(test_round_trip_source_address),
		cmocka_unit_test(test_round_trip_with_trace_lost),
		cmocka_unit_test(test_round_trip_speculation),
		cmocka_unit_test(test_round_trip_speculation_filters_q_and_source_addresses),
		cmocka_unit_test(test_round_trip_transactions),
		cmocka_unit_test(test_round_trip_aarch32),
		cmocka_unit_test(test_round_trip_aarch32_from_every_synchronisation),
		cmocka_unit_test(test_round_trip_aarch32_speculation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
