/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What a RISC-V trace encoder tells of itself, as attributes, as a packet and as registers */
#include "hwflow/te_discovery.h"
#include "te_test.h"

static struct hwf_te_description describe(enum hwf_riscv_dialect dialect)
{
	struct hwf_te_description d = {
		.dialect = (uint8_t)dialect,
		.version = 2,
		.minor_revision = 6,
		.filters = {.comparators = 8,
			    .filters = 16,
			    .ecause_choice_p = 6,
			    .filter_ecause_p = 15,
			    .filter_privilege_p = true},
	};

	hwf_riscv_params_init(&d.params, dialect);
	d.params.nocontext_p = 0;
	d.params.context_width_p = 32;
	d.params.privilege_width_p = 4;
	d.params.ecause_width_p = 16;
	d.params.itype_width_p = 4;
	d.port = (struct hwf_te_port_params){.dialect = (uint8_t)dialect,
					     .itype_width_p = 4,
					     .iretire_width_p = 8,
					     .ntkn_width_p = dialect == HWF_RISCV_DRAFT_026 ? 5 : 0,
					     .taken_branches_p = 8,
					     .isa = dialect == HWF_RISCV_DRAFT_026 ? HWF_RV_64 : 0};
	return d;
}

static uint32_t value_of(const struct hwf_te_description *d, unsigned int attribute)
{
	uint32_t value = UINT32_MAX;

	assert_int_equal(hwf_te_describe(d, attribute, &value), 0);
	return value;
}

/* Section 3.1.4: which are one less, and which are not */
static void attributes_of_the_draft(void **state)
{
	struct hwf_te_description d = describe(HWF_RISCV_DRAFT_026);

	(void)state;
	assert_int_equal(value_of(&d, HWF_TE_A_version), 2);
	assert_int_equal(value_of(&d, HWF_TE_A_minor_revision), 6);
	assert_int_equal(value_of(&d, HWF_TE_A_comparators), 7);
	assert_int_equal(value_of(&d, HWF_TE_A_filters), 15);
	assert_int_equal(value_of(&d, HWF_TE_A_context_width), 31);
	assert_int_equal(value_of(&d, HWF_TE_A_ecause_choice), 6);
	assert_int_equal(value_of(&d, HWF_TE_A_ecause_width), 15);
	assert_int_equal(value_of(&d, HWF_TE_A_filter_context), 0);
	assert_int_equal(value_of(&d, HWF_TE_A_filter_ecause), 15);
	assert_int_equal(value_of(&d, HWF_TE_A_filter_privilege), 1);
	assert_int_equal(value_of(&d, HWF_TE_A_iaddress_lsb), 1);
	assert_int_equal(value_of(&d, HWF_TE_A_iaddress_width), 63);
	assert_int_equal(value_of(&d, HWF_TE_A_nocontext), 0);
	assert_int_equal(value_of(&d, HWF_TE_A_notval), 0);
	assert_int_equal(value_of(&d, HWF_TE_A_privilege_width), 3);
	assert_int_equal(value_of(&d, HWF_TE_A_rv32), 0);
	assert_int_equal(value_of(&d, HWF_TE_A_itype_width), 4);
	assert_int_equal(value_of(&d, HWF_TE_A_iretire_width), 8);
	assert_int_equal(value_of(&d, HWF_TE_A_ntkn_width), 5);
	assert_int_equal(value_of(&d, HWF_TE_A_ilastsize_width), 2);
	assert_int_equal(value_of(&d, HWF_TE_A_taken_branches), 8);
	assert_int_equal(value_of(&d, HWF_TE_A_context_type_width), 2);
	assert_int_equal(hwf_te_describe(&d, HWF_TE_A_sijump, &(uint32_t){0}), HWF_ERR_RESERVED);
	assert_int_equal(hwf_te_describe(&d, HWF_TE_ATTRIBUTES, &(uint32_t){0}), HWF_ERR_RESERVED);
}

static void attributes_of_ratified(void **state)
{
	struct hwf_te_description d = describe(HWF_RISCV_V2);

	(void)state;
	assert_int_equal(value_of(&d, HWF_TE_A_iaddress_lsb), 0);
	assert_int_equal(value_of(&d, HWF_TE_A_itype_width), 3);
	assert_int_equal(value_of(&d, HWF_TE_A_iretire_width), 7);
	assert_int_equal(value_of(&d, HWF_TE_A_notime), 1);
	assert_int_equal(value_of(&d, HWF_TE_A_time_width), 0);
	d.params.time_width_p = 64;
	d.params.nocontext_p = 1;
	d.params.context_width_p = 0;
	assert_int_equal(value_of(&d, HWF_TE_A_notime), 0);
	assert_int_equal(value_of(&d, HWF_TE_A_time_width), 63);
	assert_int_equal(value_of(&d, HWF_TE_A_context_width), 0);
	assert_int_equal(hwf_te_describe(&d, HWF_TE_A_rv32, &(uint32_t){0}), HWF_ERR_RESERVED);
	d.params.iaddress_lsb_p = 0;
	assert_int_equal(hwf_te_describe(&d, HWF_TE_A_iaddress_lsb, &(uint32_t){0}),
			 HWF_ERR_BAD_CONFIG);
	d.filters.comparators = 0;
	assert_int_equal(hwf_te_describe(&d, HWF_TE_A_comparators, &(uint32_t){0}),
			 HWF_ERR_BAD_CONFIG);
}

/* The whole packet, laid out by hand */
static void packet_of_the_draft(void **state)
{
	struct hwf_te_description d = describe(HWF_RISCV_DRAFT_026), again;
	uint8_t bytes[HWF_TE_DISCOVERY_BYTES];
	int length = hwf_te_discovery_encode(&d, bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(length, 9);
	/* version and minor_revision, the first one lowest */
	assert_int_equal(bytes[0], 0x62);
	/* comparators 111, filters 1111, and the lowest bit of context_width */
	assert_int_equal(bytes[1], 0xff);
	/* 1111 of context_width, ecause_width 1111 */
	assert_int_equal(bytes[2], 0xff);
	/* ecause_choice 110, filter_context 0, filter_ecause 1111 */
	assert_int_equal(bytes[3], 0xf6);
	/* filter_interrupt 0, filter_privilege 1, filter_tval 0, iaddress_lsb 01, and 111 */
	assert_int_equal(bytes[4], 0xea);
	/* 0111 of iaddress_width, nocontext 0, notval 0, privilege_width 11 */
	assert_int_equal(bytes[5], 0xc7);
	/* rv32 0, itype_width 100, iretire_width 1000 */
	assert_int_equal(bytes[6], 0x88);
	/* ntkn_width 101, ilastsize_width 10, and 000 */
	assert_int_equal(bytes[7], 0x15);
	/* 1 of taken_branches, context_type_width 10, nothing above */
	assert_int_equal(bytes[8], 0x05);
	assert_int_equal(
		hwf_te_discovery_decode(HWF_RISCV_DRAFT_026, bytes, (size_t)length, &again), 0);
}

static void packet_comes_back(void **state)
{
	(void)state;
	for (unsigned int dialect = 0; dialect <= HWF_RISCV_V2; dialect++) {
		struct hwf_te_description d = describe((enum hwf_riscv_dialect)dialect), again;
		uint8_t bytes[HWF_TE_DISCOVERY_BYTES];
		int length = hwf_te_discovery_encode(&d, bytes, sizeof(bytes));

		assert_true(length > 0);
		assert_int_equal(hwf_te_discovery_encode(&d, bytes, (size_t)length - 1),
				 HWF_ERR_NO_SPACE);
		memset(&again, 0, sizeof(again));
		assert_int_equal(hwf_te_discovery_decode((enum hwf_riscv_dialect)dialect, bytes,
							 (size_t)length, &again),
				 0);
		for (unsigned int i = 0; i < HWF_TE_ATTRIBUTES; i++)
			if (hwf_te_attribute_exists((enum hwf_riscv_dialect)dialect, i))
				assert_int_equal(value_of(&again, i), value_of(&d, i));
		assert_int_equal(hwf_te_discovery_decode((enum hwf_riscv_dialect)dialect, bytes,
							 (size_t)length - 1, &again),
				 HWF_ERR_BAD_PAYLOAD);
	}
}

/* Whatever the bytes are, they are refused, or make an encoder that tells the same again. */
static void any_bytes(void **state)
{
	uint64_t random = 1;
	unsigned int good = 0;

	(void)state;
	for (unsigned int run = 0; run < 200000; run++) {
		struct hwf_te_description d;
		uint8_t bytes[HWF_TE_DISCOVERY_BYTES], again[HWF_TE_DISCOVERY_BYTES];
		enum hwf_riscv_dialect dialect = (enum hwf_riscv_dialect)(run % 3);
		size_t length = run % 16;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			random = random * 6364136223846793005 + 1442695040888963407;
			bytes[i] = (uint8_t)(random >> 56);
		}
		if (hwf_te_discovery_decode(dialect, bytes, length, &d))
			continue;
		/* of a bus that is ignored the width is not kept, and of fixed fields nothing */
		if (hwf_te_discovery_encode(&d, again, sizeof(again)) == (int)length)
			good++;
	}
	assert_true(good > 0);
}

static void registers_have_the_same(void **state)
{
	struct hwf_te_description d = describe(HWF_RISCV_DRAFT_026);
	uint32_t value = 0;

	(void)state;
	/* version to ecause_width are 24 bits, ecause_choice to filter_context 4, filter_ecause 4
	 */
	assert_int_equal(hwf_te_discovery_register(&d, 0, &value), 0);
	assert_int_equal(value, 0xf6ffff62);
	/* filter_interrupt on; taken_branches would cross the end */
	assert_int_equal(hwf_te_discovery_register(&d, 4, &value), 0);
	assert_int_equal(value, 0x1588c7ea);
	assert_int_equal(hwf_te_discovery_register(&d, 8, &value), 0);
	assert_int_equal(value, 0x00000028);
	assert_int_equal(hwf_te_discovery_register(&d, 12, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(hwf_te_discovery_register(&d, 2, &value), HWF_ERR_RESERVED);
	assert_int_equal(hwf_te_discovery_register(&d, HWF_TE_DISCOVERY_BYTES, &value),
			 HWF_ERR_RESERVED);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(hwf_te_attribute_name(HWF_TE_A_iaddress_lsb), "iaddress_lsb");
	assert_null(hwf_te_attribute_name(HWF_TE_ATTRIBUTES));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_of_the_draft),
		cmocka_unit_test(attributes_of_ratified),
		cmocka_unit_test(packet_of_the_draft),
		cmocka_unit_test(packet_comes_back),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(registers_have_the_same),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
