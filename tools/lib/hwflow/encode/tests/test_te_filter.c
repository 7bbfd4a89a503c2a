/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Filters of the RISC-V trace encoder: comparators with all operations, and the uses that chapter 4
 * of Processor Trace 0.026 names.
 */
#include "te_test.h"

#define M 3
#define U 0

static struct hwf_te_filters filters;
static struct te_test t;

static void have_everything(void)
{
	memset(&filters, 0, sizeof(filters));
	filters.params = (struct hwf_te_filter_params){
		.comparators = 4,
		.filters = 2,
		.ecause_choice_p = 3,
		.filter_ecause_p = 2,
		.filter_context_p = true,
		.filter_interrupt_p = true,
		.filter_privilege_p = true,
		.filter_tval_p = true,
		.user_width_p = 70,
	};
	filters.filter[0].enable = true;
}

static void compare(unsigned int number, enum hwf_te_bus bus, enum hwf_te_op op, uint64_t value)
{
	filters.comparator[number] =
		(struct hwf_te_comparator){.value = value, .bus = (uint8_t)bus, .op = (uint8_t)op};
}

static void operations(void **state)
{
	/* of 4, 5 and 6 with 5; of the ends with themselves and each other */
	static const bool want[][3] = {
		[HWF_TE_EQ] = {false, true, false},   [HWF_TE_NEQ] = {true, false, true},
		[HWF_TE_LT] = {true, false, false},   [HWF_TE_LTE] = {true, true, false},
		[HWF_TE_GT] = {false, false, true},   [HWF_TE_GTE] = {false, true, true},
		[HWF_TE_ALWAYS] = {true, true, true},
	};

	(void)state;
	for (unsigned int op = HWF_TE_EQ; op <= HWF_TE_ALWAYS; op++) {
		for (unsigned int i = 0; i < 3; i++) {
			struct hwf_te_comparator c = {.value = 5, .op = (uint8_t)op};

			assert_int_equal(hwf_te_compare(&c, 4 + i), want[op][i]);
			c.value = UINT64_MAX - 1;
			assert_int_equal(hwf_te_compare(&c, UINT64_MAX - 2 + i), want[op][i]);
		}
	}
}

/* ---- through the encoder ---- */

static void begin(void)
{
	te_test_init(&t, HWF_RISCV_DRAFT_026);
	t.params.nocontext_p = 1;
	t.options.filters = &filters;
	assert_int_equal(hwf_te_filters_check(&filters), 0);
	te_test_start(&t);
}

static void insn(uint64_t address, uint32_t opcode, unsigned int priv, uint32_t context)
{
	te_test_event(&t, &(struct hwf_te_event){.address = address,
						 .opcode = opcode,
						 .priv = (uint8_t)priv,
						 .context = context,
						 .retired = true});
}

static void trap(uint64_t address, unsigned int kind, unsigned int cause, uint64_t tval)
{
	te_test_event(&t, &(struct hwf_te_event){.address = address,
						 .opcode = NOP,
						 .priv = M,
						 .trap = (uint8_t)kind,
						 .cause = (uint16_t)cause,
						 .tval = tval});
}

/* Chapter 4, use 1 */
static void range_of_addresses(void **state)
{
	(void)state;
	have_everything();
	compare(0, HWF_TE_BUS_ADDRESS, HWF_TE_GTE, 0x1008);
	compare(1, HWF_TE_BUS_ADDRESS, HWF_TE_LT, 0x1014);
	filters.filter[0].all = 0x3;
	begin();
	te_test_nops(&t, 0x1000, 8);
	te_test_end(&t, "on 1008 @1010 on:1 off");
	/* but for one */
	compare(2, HWF_TE_BUS_ADDRESS, HWF_TE_NEQ, 0x100c);
	filters.filter[0].all = 0x7;
	begin();
	te_test_nops(&t, 0x1000, 8);
	te_test_end(&t, "on 1008 on:3 1010 on:3 off");
	/* two filters: what one of them takes */
	have_everything();
	compare(0, HWF_TE_BUS_ADDRESS, HWF_TE_EQ, 0x1008);
	compare(1, HWF_TE_BUS_ADDRESS, HWF_TE_GT, 0x1010);
	filters.filter[0].all = 0x1;
	filters.filter[1] = (struct hwf_te_filter){.enable = true, .all = 0x2};
	begin();
	te_test_nops(&t, 0x1000, 7);
	te_test_end(&t, "on 1008 on:3 1014 @1018 off:1");
	/* none is enabled */
	filters.filter[0].enable = false;
	filters.filter[1].enable = false;
	begin();
	te_test_nops(&t, 0x1000, 2);
	te_test_end(&t, "on 1000 @1004 off:1");
}

/* Chapter 4, use 2: from the one that starts it to the one that stops it, both included */
static void from_one_address_to_another(void **state)
{
	(void)state;
	have_everything();
	compare(0, HWF_TE_BUS_ADDRESS, HWF_TE_EQ, 0x1008);
	compare(1, HWF_TE_BUS_ADDRESS, HWF_TE_EQ, 0x2004);
	filters.filter[0].start = 0x1;
	filters.filter[0].stop = 0x2;
	begin();
	te_test_nops(&t, 0x1000, 4);
	insn(0x1010, JR, M, 0);
	te_test_nops(&t, 0x2000, 4);
	te_test_end(&t, "on 1008 @2000 @2004 on:1 off");
}

/* Chapter 4, use 3: with what is nested in it, until it returns */
static void service_routine(void **state)
{
	(void)state;
	have_everything();
	filters.filter[0].match = (struct hwf_te_match){
		.on_cause = true, .causes = 1u << 7, .on_interrupt = true, .interrupt = true};
	begin();
	te_test_nops(&t, 0x1000, 2);
	trap(0x1008, HWF_TE_INTERRUPT, 7, 0);
	te_test_nops(&t, 0x2000, 1);
	trap(0x2004, HWF_TE_EXCEPTION, 5, 0);
	insn(0x3000, MRET, M, 0);
	insn(0x2004, MRET, M, 0);
	te_test_nops(&t, 0x1008, 1);
	trap(0x100c, HWF_TE_EXCEPTION, 7, 0); /* no interrupt */
	insn(0x3000, MRET, M, 0);
	trap(0x100c, HWF_TE_INTERRUPT, 3, 0); /* another cause */
	insn(0x3000, MRET, M, 0);
	trap(0x100c, HWF_TE_INTERRUPT, 15,
	     0); /* another one, of more bits than can be chosen from */
	insn(0x3000, MRET, M, 0);
	te_test_nops(&t, 0x100c, 1);
	te_test_end(&t, "on 2000?i7 3000?5 @2004 on:3 off");
}

static void nesting_is_limited(void **state)
{
	(void)state;
	have_everything();
	filters.params.filter_ecause_p = 1; /* two */
	filters.filter[0].match = (struct hwf_te_match){.on_cause = true, .causes = 1u << 1};
	begin();
	te_test_nops(&t, 0x1000, 1);
	trap(0x1004, HWF_TE_EXCEPTION, 2, 0);
	te_test_nops(&t, 0x2000, 1);
	trap(0x2004, HWF_TE_EXCEPTION, 3, 0);
	te_test_nops(&t, 0x3000, 1);
	trap(0x3004, HWF_TE_EXCEPTION, 1, 0); /* the third: not known what it was */
	insn(0x4000, MRET, M, 0);
	insn(0x3004, MRET, M, 0);
	insn(0x2004, MRET, M, 0);
	te_test_nops(&t, 0x1004, 1);
	trap(0x1008, HWF_TE_EXCEPTION, 1, 0);
	insn(0x4000, MRET, M, 0);
	te_test_nops(&t, 0x1008, 1);
	te_test_end(&t, "on 4000?1 on:3 off");
}

/* Chapter 4, uses 4 and 5 */
static void privilege_and_context(void **state)
{
	(void)state;
	have_everything();
	filters.filter[0].match.privileges = 1u << U;
	begin();
	te_test_nops(&t, 0x1000, 2);
	insn(0x1008, NOP, U, 0);
	insn(0x100c, NOP, U, 0);
	te_test_nops(&t, 0x1010, 2);
	te_test_end(&t, "on 1008p0 @100c on:1 off");
	have_everything();
	compare(0, HWF_TE_BUS_CONTEXT, HWF_TE_EQ, 7);
	filters.filter[0].all = 0x1;
	begin();
	te_test_nops(&t, 0x1000, 2);
	insn(0x1008, NOP, M, 7);
	insn(0x100c, NOP, M, 8);
	te_test_end(&t, "on 1008 on:3 off");
	/* from a context on */
	compare(1, HWF_TE_BUS_CONTEXT, HWF_TE_EQ, 8);
	filters.filter[0].all = 0;
	filters.filter[0].start = 0x1;
	filters.filter[0].stop = 0x2;
	begin();
	te_test_nops(&t, 0x1000, 1);
	insn(0x1004, NOP, M, 7);
	te_test_nops(&t, 0x1008, 2);
	insn(0x1010, NOP, M, 8);
	te_test_nops(&t, 0x1014, 2);
	te_test_end(&t, "on 1004 @1010 on:1 off");
}

static void trap_value(void **state)
{
	(void)state;
	have_everything();
	compare(0, HWF_TE_BUS_TVAL, HWF_TE_GTE, 0x4000);
	compare(1, HWF_TE_BUS_TVAL, HWF_TE_LTE, 0x4fff);
	filters.filter[0].all = 0x3;
	begin();
	trap(0x1000, HWF_TE_EXCEPTION, 5, 0x5000);
	insn(0x2000, MRET, M, 0);
	trap(0x1000, HWF_TE_EXCEPTION, 5, 0x4ffc);
	insn(0x2000, MRET, M, 0);
	te_test_nops(&t, 0x1000, 1);
	te_test_end(&t, "on 2000?5,4ffc on:3 off");
}

/* The sideband, the bits above 64 too */
static void user_signals(void **state)
{
	struct hwf_te_cycle cycle = {
		.blocks = 1, .priv = M, .block = {{.iaddr = 0x1000, .iretire = 2, .ilastsize = 1}}};

	(void)state;
	have_everything();
	filters.filter[0].match.user_mask[1] = 0x3;
	filters.filter[0].match.user[1] = 0x1;
	begin();
	for (unsigned int i = 0; i < 4; i++) {
		cycle.user[0] = i;
		cycle.user[1] = i | 0x30;
		cycle.block[0].iaddr = 0x1000 + 4 * i;
		te_test_cycle(&t, &cycle);
	}
	te_test_end(&t, "on 1004 on:3 off");
}

/* All of a block is traced where some of it matches. */
static void block_is_traced_as_a_whole(void **state)
{
	static const struct hwf_te_cycle cycle;
	const struct hwf_te_filter_input input = {.first = 0x1000, .last = 0x1010, .cycle = &cycle};
	static const struct {
		uint64_t value;
		enum hwf_te_op op;
		bool want;
	} rows[] = {
		{0x1008, HWF_TE_EQ, true},      {0x1014, HWF_TE_EQ, false},
		{0x100e, HWF_TE_GT, true},      {0x1010, HWF_TE_GT, false},
		{0x1010, HWF_TE_GTE, true},     {0x1001, HWF_TE_LT, true},
		{0x1000, HWF_TE_LT, false},     {0x1000, HWF_TE_LTE, true},
		{0x1000, HWF_TE_NEQ, true},     {0, HWF_TE_ALWAYS, true},
		{UINT64_MAX, HWF_TE_GT, false}, {0, HWF_TE_LT, false},
	};

	(void)state;
	for (unsigned int i = 0; i < NR(rows); i++) {
		struct hwf_te_trap_entry nested[4];
		struct hwf_te_filter_state filter;

		have_everything();
		compare(0, HWF_TE_BUS_ADDRESS, rows[i].op, rows[i].value);
		filters.filter[0].all = 0x1;
		hwf_te_filter_init(&filter, &filters, nested);
		assert_int_equal(hwf_te_filter_block(&filter, &input), rows[i].want);
	}
}

static void only_what_there_is_can_be_set(void **state)
{
	(void)state;
#define REFUSED(change)                                                               \
	do {                                                                          \
		have_everything();                                                    \
		change;                                                               \
		assert_int_equal(hwf_te_filters_check(&filters), HWF_ERR_BAD_CONFIG); \
	} while (0)
	REFUSED(filters.params.comparators = HWF_TE_COMPARATORS + 1);
	REFUSED(filters.params.filters = HWF_TE_FILTERS + 1);
	REFUSED(filters.params.ecause_choice_p = 7);
	REFUSED(filters.params.filter_ecause_p = 16);
	REFUSED(filters.params.user_width_p = 257);
	REFUSED(filters.filter[2].enable = true);
	REFUSED(filters.filter[0].all = 0x10);
	REFUSED(filters.filter[0].stop = 0x10);
	REFUSED((compare(0, HWF_TE_BUS_ADDRESS, HWF_TE_ALWAYS + 1, 0), filters.filter[0].all = 1));
	REFUSED((compare(0, HWF_TE_BUS_TVAL + 1, HWF_TE_EQ, 0), filters.filter[0].all = 1));
	REFUSED((compare(0, HWF_TE_BUS_CONTEXT, HWF_TE_EQ, 0), filters.filter[0].start = 1,
		 filters.params.filter_context_p = false));
	REFUSED((compare(0, HWF_TE_BUS_TVAL, HWF_TE_EQ, 0), filters.filter[0].all = 1,
		 filters.params.filter_tval_p = false));
	REFUSED((filters.filter[0].match.privileges = 1,
		 filters.params.filter_privilege_p = false));
	REFUSED((filters.filter[0].match.on_cause = true, filters.params.filter_ecause_p = 0));
	REFUSED((filters.filter[0].match.on_interrupt = true,
		 filters.params.filter_interrupt_p = false));
	REFUSED((filters.filter[0].match.on_cause = true, filters.filter[0].match.causes = 0x100));
	REFUSED(filters.filter[0].match.user_mask[1] = 0x40);
#undef REFUSED
	have_everything();
	assert_int_equal(hwf_te_filters_check(&filters), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations),
		cmocka_unit_test(range_of_addresses),
		cmocka_unit_test(from_one_address_to_another),
		cmocka_unit_test(service_routine),
		cmocka_unit_test(nesting_is_limited),
		cmocka_unit_test(privilege_and_context),
		cmocka_unit_test(trap_value),
		cmocka_unit_test(user_signals),
		cmocka_unit_test(block_is_traced_as_a_whole),
		cmocka_unit_test(only_what_there_is_can_be_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
