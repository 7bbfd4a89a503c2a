/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The packer: shortest forms, by golden bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hwflow/element.h"

static const struct hwf_ete_config mode0 = {
	.max_spec = 120, .vmid_bytes = 4, .cid_bytes = 4, .revision = 3, .q = true};
static const struct hwf_ete_config mode1 = {.max_spec = 0,
					    .vmid_bytes = 4,
					    .cid_bytes = 4,
					    .revision = 3,
					    .commit_mode1 = true,
					    .q = true};

static void expect_hex(const uint8_t *bytes, int size, const char *hex)
{
	char text[2 * HWF_PACKER_MAX + 1] = "";

	assert_true(size > 0);
	for (int i = 0; i < size; i++)
		sprintf(text + (size_t)2 * (size_t)i, "%02x", bytes[i]);
	assert_string_equal(text, hex);
}

/* Encode one element and compare with bytes in hex. */
static void expect(struct hwf_packer *packer, const struct hwf_element *element, const char *hex)
{
	uint8_t bytes[HWF_PACKER_MAX];
	int size = hwf_packer_encode(packer, element, bytes, sizeof(bytes));

	expect_hex(bytes, size, hex);
}

static void start(struct hwf_packer *packer, const struct hwf_ete_config *config)
{
	struct hwf_element info = {.kind = HWF_EL_TRACE_INFO};

	hwf_packer_init(packer, config);
	expect(packer, &info, "0100");
}

static struct hwf_element address(enum hwf_element_kind kind, uint64_t value, uint8_t is)
{
	struct hwf_element element = {.kind = (uint8_t)kind};

	element.u.address = (struct hwf_el_address){.value = value, .is = is};
	return element;
}

static void expect_address(struct hwf_packer *packer, uint64_t value, uint8_t is, const char *hex)
{
	struct hwf_element element = address(HWF_EL_TARGET_ADDRESS, value, is);

	expect(packer, &element, hex);
}

/* spec/ete-packets.md section 12, examples 9, 10, 12, 14 */
static void test_address_takes_the_shortest_form(void **state)
{
	struct hwf_packer packer;

	(void)state;
	start(&packer, &mode0);
	expect_address(&packer, 0, 0, "90");
	expect_address(&packer, 0x40, 0, "9510");
	expect_address(&packer, 0x102c508, 0, "9a42620201");
	expect_address(&packer, 0x102c514, 0, "9545");
	expect_address(&packer, 0x102c508, 0, "91");
	expect_address(&packer, 0x102c508, 0, "90");
	expect_address(&packer, 0x1029ec0, 0, "95b04f");
	expect_address(&packer, 0x7f7e935200, 0, "9d0029937e7f000000");
	expect_address(&packer, 0x7f7e935202, 1, "9601");
	expect_address(&packer, 0x7f7e935200, 0, "91");
	expect_address(&packer, 0, 0, "9d0000000000000000");
}

static void test_source_address_shares_the_history(void **state)
{
	struct hwf_element element = address(HWF_EL_SOURCE_ADDRESS, 0x606c4, 0);
	struct hwf_packer packer;

	(void)state;
	start(&packer, &mode0);
	expect_address(&packer, 0x1b0f8, 0, "95bed8");
	expect(&packer, &element, "b631030600");
	element = address(HWF_EL_SOURCE_ADDRESS, 0x1b0f8, 0);
	expect(&packer, &element, "b1");
	element = address(HWF_EL_SOURCE_ADDRESS, 0x1b120, 0);
	expect(&packer, &element, "b448");
}

/* A decoder may or may not remember an address of 0: both must read the same. */
static void test_history_is_not_used_after_a_transaction_failure(void **state)
{
	struct hwf_element failure = {.kind = HWF_EL_TRANSACTION_FAILURE};
	struct hwf_packer packer;

	(void)state;
	start(&packer, &mode0);
	expect_address(&packer, 0x20004, 0, "9a01000200");
	expect_address(&packer, 0x20008, 0, "9502");
	expect(&packer, &failure, "063170");
	expect_address(&packer, 0x20008, 0, "9a02000200");
	expect_address(&packer, 0x20008, 0, "90");
	expect_address(&packer, 0x20004, 0, "9501");
	expect_address(&packer, 0x20004, 0, "90");
	expect_address(&packer, 0xffff000000020008, 0,
		       "9d0200020000"
		       "00ffff");
	expect(&packer, &failure, "063170");
	expect_address(&packer, 0x20008, 0, "9d0200020000000000");
}

static void test_history_is_not_used_after_a_pe_reset(void **state)
{
	struct hwf_element reset = {.kind = HWF_EL_EXCEPTION};
	struct hwf_packer packer;

	(void)state;
	start(&packer, &mode0);
	expect_address(&packer, 0x20008, 0, "9a02000200");
	expect(&packer, &reset, "060170");
	expect_address(&packer, 0x20008, 0, "9a02000200");
}

static struct hwf_element context(uint8_t el, uint8_t security, uint32_t cid)
{
	struct hwf_element element = {.kind = HWF_EL_CONTEXT};

	element.u.context.context = (struct hwf_context){
		.el = el, .security = security, .sf = true, .has_cid = cid != 0, .cid = cid};
	return element;
}

static void test_context_says_what_changed(void **state)
{
	struct hwf_packer packer;
	struct hwf_element element = context(2, HWF_SEC_REALM, 0);

	(void)state;
	start(&packer, &mode0);
	expect(&packer, &element, "813a");
	element = context(1, HWF_SEC_NONSECURE, 0x4300);
	expect(&packer, &element, "81b100430000");
	expect(&packer, &element, "80");
	element = context(0, HWF_SEC_NONSECURE, 0x4300);
	expect(&packer, &element, "8130");
	element = context(3, HWF_SEC_ROOT, 0x4300);
	expect(&packer, &element, "811b");
	element.u.context.context.cid = 0x4301;
	expect(&packer, &element, "819b01430000");
}

static void expect_pair(struct hwf_packer *packer, const struct hwf_element *element,
			uint64_t value, const char *hex)
{
	struct hwf_el_address where = {.value = value};
	uint8_t bytes[HWF_PACKER_MAX];
	int size = hwf_packer_address_context(packer, &element->u.context, &where, bytes,
					      sizeof(bytes));

	expect_hex(bytes, size, hex);
}

/* examples 5 and 6, and the cases where two packets are shorter */
static void test_address_with_context_takes_the_fewest_bytes(void **state)
{
	struct hwf_packer packer;
	struct hwf_element el1 = context(1, HWF_SEC_SECURE, 0),
			   ns = context(1, HWF_SEC_NONSECURE, 0);

	(void)state;
	start(&packer, &mode0);
	expect_pair(&packer, &el1, 0x102c508, "824262020111");
	expect_pair(&packer, &ns, 0xcda88, "82226d0c0031");
	expect_pair(&packer, &ns, 0xcda8c, "809523");
	expect_pair(&packer, &el1, 0xcda88, "811191");
	expect_pair(&packer, &ns, 0xffff0000000cda88, "85226d0c000000ffff31");
	expect_pair(&packer, &ns, 0xffff000012345678, "809a1e2b3412");
}

static void test_exception_carries_its_address(void **state)
{
	struct hwf_element element = {.kind = HWF_EL_EXCEPTION};
	struct hwf_packer packer;

	(void)state;
	start(&packer, &mode0);
	expect_address(&packer, 0x8da10, 0, "9a046d0800");
	element.u.exception = (struct hwf_el_exception){
		.type = HWF_EXC_CALL, .ret = {.value = 0x8da58}, .has_ret = true};
	expect(&packer, &element, "06059516");
	element.u.exception.type = HWF_EXC_IRQ;
	element.u.exception.ret_is_target = true;
	expect(&packer, &element, "065c90");
}

static void test_timestamp_sends_the_bits_that_changed(void **state)
{
	struct hwf_element element = {.kind = HWF_EL_TIMESTAMP};
	struct hwf_packer packer;

	(void)state;
	start(&packer, &mode0);
	element.u.timestamp.value = 0x6fd7;
	expect(&packer, &element, "02d7df01");
	element.u.timestamp.value = 0x6fd8;
	expect(&packer, &element, "0258");
	element.u.timestamp.value = 0xfffffffff0006602;
	expect(&packer, &element, "0282cc8180ffffffffff");
	element.u.timestamp.has_count = true;
	element.u.timestamp.count = 300;
	expect(&packer, &element, "0302ac02");
}

static void expect_count(struct hwf_packer *packer, uint32_t commit, uint32_t count,
			 const char *hex)
{
	struct hwf_el_cycle_count cycles = {.count = count, .unknown = count == 0};
	uint8_t bytes[HWF_PACKER_MAX];
	int size = hwf_packer_commit_count(packer, commit, &cycles, bytes, sizeof(bytes));

	expect_hex(bytes, size, hex);
}

/* examples 23 to 29; threshold 0x16 */
static void test_cycle_count_takes_the_shortest_format(void **state)
{
	struct hwf_element info = {.kind = HWF_EL_TRACE_INFO};
	struct hwf_packer packer;

	(void)state;
	info.u.trace_info.info = HWF_ETE_INFO_CC_ENABLED;
	info.u.trace_info.cc_threshold = 0x16;
	hwf_packer_init(&packer, &mode0);
	expect(&packer, &info, "01090116");
	expect_count(&packer, 1, 0x37, "0e0121");
	expect_count(&packer, 10, 0x1c, "0c96");
	expect_count(&packer, 1, 0x19, "13");
	expect_count(&packer, 4, 0x18, "1e");
	expect_count(&packer, 120, 0x16, "0df0");
	expect_count(&packer, 1, 0, "0f01");
	hwf_packer_init(&packer, &mode1);
	expect(&packer, &info, "01090116");
	expect_count(&packer, 0, 0x34, "0e1e");
	expect_count(&packer, 0, 0x9e, "0e8801");
	expect_count(&packer, 0, 0x1b, "0df5");
	expect_count(&packer, 0, 0x18, "12");
	expect_count(&packer, 0, 0, "0f");
}

static void test_cycle_count_below_the_threshold_is_refused(void **state)
{
	struct hwf_el_cycle_count cycles = {.count = 3};
	struct hwf_packer packer;
	uint8_t bytes[HWF_PACKER_MAX];

	(void)state;
	hwf_packer_init(&packer, &mode0);
	packer.cc_threshold = 4;
	assert_int_equal(hwf_packer_commit_count(&packer, 1, &cycles, bytes, sizeof(bytes)),
			 HWF_ERR_BAD_PAYLOAD);
}

static struct hwf_element q_element(uint64_t value, uint32_t count)
{
	struct hwf_element element = {.kind = HWF_EL_Q};

	element.u.q = (struct hwf_el_q){.address = {.value = value},
					.count = count,
					.has_address = true,
					.has_count = true};
	return element;
}

/* examples 36 and 37 */
static void test_q_takes_the_shortest_form(void **state)
{
	struct hwf_element element = q_element(0x63818, 3);
	struct hwf_packer packer;

	(void)state;
	start(&packer, &mode0);
	expect_address(&packer, 0x68858, 0, "9a16440600");
	expect(&packer, &element, "a5861c03");
	element = q_element(0x68858, 3);
	expect(&packer, &element, "a103");
	element = q_element(0x6885c, 200);
	expect(&packer, &element, "a517c801");
	element = q_element(0xffff00000006885c, 1);
	expect(&packer, &element,
	       "ac01"
	       "9d174406000000ffff");
	element.u.q.has_count = false;
	expect(&packer, &element, "af90");
	element.u.q.has_address = false;
	expect(&packer, &element, "af");
}

static void expect_resolve(const char *atoms, uint32_t commit, uint32_t cancel, bool mispredict,
			   const char *hex)
{
	struct hwf_ete_resolve resolve = {
		.commit = commit, .cancel = cancel, .mispredict = mispredict};
	struct hwf_packer packer;
	uint8_t bytes[HWF_PACKER_MAX];
	int size;

	for (; *atoms != 0; atoms++)
		resolve.atoms.bits |= (uint32_t)(*atoms == 'E') << resolve.atoms.count++;
	hwf_packer_init(&packer, &mode0);
	size = hwf_packer_resolve(&packer, &resolve, bytes, sizeof(bytes));
	expect_hex(bytes, size, hex);
}

/* examples 30 to 32, and Atoms carried where that saves a byte */
static void test_resolution_takes_the_fewest_packets(void **state)
{
	(void)state;
	expect_resolve("", 3, 0, false, "2d03");
	expect_resolve("", 0, 4, false, "2e04");
	expect_resolve("", 0, 9, true, "2f09");
	expect_resolve("", 0, 0, true, "30");
	expect_resolve("E", 0, 0, true, "31");
	expect_resolve("EE", 0, 0, true, "32");
	expect_resolve("N", 0, 0, true, "33");
	expect_resolve("NE", 0, 0, true, "da30");
	expect_resolve("NNNE", 0, 0, true, "f831");
	expect_resolve("NNNEE", 0, 0, true, "f832");
	expect_resolve("", 0, 1, true, "34");
	expect_resolve("EE", 0, 1, true, "36");
	expect_resolve("N", 0, 1, true, "37");
	expect_resolve("E", 0, 2, true, "39");
	expect_resolve("", 0, 5, true, "3e");
	expect_resolve("N", 0, 5, true, "f63e");
	expect_resolve("E", 2, 1, true, "f72d0234");
	expect_resolve("NEEENENE", 0, 4, false, "dcde2e04");
}

static void test_an_error_changes_nothing(void **state)
{
	struct hwf_element element = address(HWF_EL_TARGET_ADDRESS, 0x12345678, 0);
	struct hwf_packer packer, before;
	uint8_t bytes[HWF_PACKER_MAX];

	(void)state;
	start(&packer, &mode0);
	before = packer;
	for (size_t room = 0; room < 5; room++) {
		assert_int_equal(hwf_packer_encode(&packer, &element, bytes, room),
				 HWF_ERR_NO_SPACE);
		assert_memory_equal(&packer, &before, sizeof(packer));
	}
	element.u.address.is = 2;
	assert_int_equal(hwf_packer_encode(&packer, &element, bytes, sizeof(bytes)),
			 HWF_ERR_BAD_PAYLOAD);
	element.kind = HWF_EL_END;
	assert_int_equal(hwf_packer_encode(&packer, &element, bytes, sizeof(bytes)),
			 HWF_ERR_BAD_PAYLOAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_address_takes_the_shortest_form),
		cmocka_unit_test(test_source_address_shares_the_history),
		cmocka_unit_test(test_history_is_not_used_after_a_transaction_failure),
		cmocka_unit_test(test_history_is_not_used_after_a_pe_reset),
		cmocka_unit_test(test_context_says_what_changed),
		cmocka_unit_test(test_address_with_context_takes_the_fewest_bytes),
		cmocka_unit_test(test_exception_carries_its_address),
		cmocka_unit_test(test_timestamp_sends_the_bits_that_changed),
		cmocka_unit_test(test_cycle_count_takes_the_shortest_format),
		cmocka_unit_test(test_cycle_count_below_the_threshold_is_refused),
		cmocka_unit_test(test_q_takes_the_shortest_form),
		cmocka_unit_test(test_resolution_takes_the_fewest_packets),
		cmocka_unit_test(test_an_error_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
