/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The packer by round trip: no string of Atoms takes too many packets, the decoder's history is
 * kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hwflow/element.h"

static const struct hwf_ete_config mode0 = {
	.max_spec = 120, .vmid_bytes = 4, .cid_bytes = 4, .revision = 3, .q = true};

/* Fewest packets for each string of 14 Atoms, by dynamic programming over the packets there are */
static uint32_t fewest(uint32_t bits, unsigned int count)
{
	uint32_t best[25] = {0};

	for (unsigned int end = 1; end <= count; end++) {
		best[end] = UINT32_MAX;
		for (unsigned int from = 0; from < end; from++) {
			struct hwf_ete_atoms some = {
				.bits = bits >> from & ((1u << (end - from)) - 1),
				.count = (uint8_t)(end - from),
			};

			if (hwf_ete_atoms_packet(&some) >= 0 && best[from] + 1 < best[end])
				best[end] = best[from] + 1;
		}
	}
	return best[count];
}

static void check_atoms(uint32_t bits, unsigned int count)
{
	struct hwf_element element = {.kind = HWF_EL_ATOM};
	struct hwf_packer packer;
	struct hwf_ete_packet packet;
	uint8_t bytes[HWF_PACKER_MAX];
	uint32_t back = 0;
	unsigned int got = 0;
	int size;

	element.u.atoms = (struct hwf_ete_atoms){.bits = bits, .count = (uint8_t)count};
	hwf_packer_init(&packer, &mode0);
	size = hwf_packer_encode(&packer, &element, bytes, sizeof(bytes));
	assert_int_equal(size, fewest(bits, count));
	for (int at = 0; at < size; at++) {
		assert_int_equal(hwf_ete_decode(&mode0, bytes + at, 1, &packet), 1);
		back |= packet.u.atoms.bits << got;
		got += packet.u.atoms.count;
	}
	assert_int_equal(got, count);
	assert_int_equal(back, bits);
}

static void test_atoms_take_the_fewest_packets(void **state)
{
	(void)state;
	for (unsigned int count = 1; count <= 14; count++) {
		for (uint32_t bits = 0; bits >> count == 0; bits++)
			check_atoms(bits, count);
	}
	srand(1);
	for (unsigned int i = 0; i < 20000; i++) {
		unsigned int count = 15 + (unsigned int)rand() % 10;
		/* runs of E are what format 6 is for */
		uint32_t few = (uint32_t)rand();
		uint32_t bits;

		few &= (uint32_t)rand();
		few &= (uint32_t)rand();
		bits = ~few;

		check_atoms(bits & ((1u << count) - 1), count);
	}
}

/* ---- round trip through the element stage ---- */

struct back {
	struct hwf_element element[4];
	unsigned int count;
};

static void take(void *ctx, const struct hwf_element *element)
{
	struct back *back = ctx;

	assert_true(back->count < 4);
	back->element[back->count++] = *element;
}

static uint64_t random_address(uint8_t is)
{
	static uint64_t last;
	uint64_t value = (uint64_t)rand() << 33 ^ (uint64_t)rand() << 11 ^ (uint64_t)rand();

	switch (rand() % 5) {
	case 0:
		last ^= value & 0xff;
		break;
	case 1:
		last ^= value & 0x1ffff;
		break;
	case 2:
		last ^= value & 0xffffffff;
		break;
	case 3:
		last = value;
		break;
	default:
		break;
	}
	return is ? last & ~UINT64_C(1) : last & ~UINT64_C(3);
}

static void random_element(struct hwf_element *element)
{
	static const uint8_t kinds[] = {
		HWF_EL_EXCEPTION,           HWF_EL_SOURCE_ADDRESS, HWF_EL_Q,
		HWF_EL_TRANSACTION_FAILURE, HWF_EL_TARGET_ADDRESS, HWF_EL_TARGET_ADDRESS,
		HWF_EL_TARGET_ADDRESS,      HWF_EL_TIMESTAMP};
	struct hwf_el_address where = {.is = rand() % 4 == 0};

	where.value = random_address(where.is);
	*element = (struct hwf_element){.kind = kinds[(unsigned int)rand() % sizeof(kinds)]};
	switch (element->kind) {
	case HWF_EL_EXCEPTION:
		element->u.exception.type = rand() % 4 != 0 ? HWF_EXC_IRQ : HWF_EXC_PE_RESET;
		element->u.exception.has_ret = element->u.exception.type != HWF_EXC_PE_RESET;
		if (element->u.exception.has_ret)
			element->u.exception.ret = where;
		break;
	case HWF_EL_Q:
		element->u.q.has_address = true;
		element->u.q.has_count = true;
		element->u.q.count = (uint32_t)rand() % 1000;
		element->u.q.address = where;
		break;
	case HWF_EL_TIMESTAMP:
		element->u.timestamp.value = random_address(0);
		break;
	case HWF_EL_TRANSACTION_FAILURE:
		break;
	default:
		element->u.address = where;
		break;
	}
}

static void expect_same(const struct back *back, const struct hwf_element *sent)
{
	const struct hwf_element *got = &back->element[0];

	assert_true(back->count >= 1);
	assert_int_equal(got->kind, sent->kind);
	switch (sent->kind) {
	case HWF_EL_EXCEPTION:
		assert_int_equal(got->u.exception.type, sent->u.exception.type);
		assert_int_equal(got->u.exception.ret.value, sent->u.exception.ret.value);
		assert_int_equal(got->u.exception.ret.is, sent->u.exception.ret.is);
		break;
	case HWF_EL_Q:
		assert_int_equal(got->u.q.count, sent->u.q.count);
		got = back->count == 2 ? &back->element[1] : got;
		assert_int_equal(back->count == 2 ? got->u.address.value : got->u.q.address.value,
				 sent->u.q.address.value);
		break;
	case HWF_EL_TIMESTAMP:
		assert_int_equal(got->u.timestamp.value, sent->u.timestamp.value);
		break;
	case HWF_EL_TRANSACTION_FAILURE:
		break;
	default:
		assert_int_equal(got->u.address.value, sent->u.address.value);
		assert_int_equal(got->u.address.is, sent->u.address.is);
		break;
	}
}

static size_t feed(struct hwf_elements *elements, const uint8_t *bytes, size_t length)
{
	struct hwf_ete_packet packet;
	size_t at = 0;

	while (at < length) {
		int size = hwf_ete_decode(elements->config, bytes + at, length - at, &packet);

		assert_true(size > 0);
		hwf_elements_push(elements, &packet, at, false);
		at += (size_t)size;
	}
	return at;
}

static void test_decoder_keeps_the_same_history(void **state)
{
	static const uint8_t align[12] = {[11] = 0x80};
	struct hwf_element element = {.kind = HWF_EL_TRACE_INFO};
	struct hwf_elements elements;
	struct hwf_packer packer;
	struct back back = {.count = 0};
	uint8_t bytes[HWF_PACKER_MAX];

	(void)state;
	srand(7);
	hwf_elements_init(&elements, &mode0, take, &back);
	hwf_packer_init(&packer, &mode0);
	feed(&elements, align, sizeof(align));
	feed(&elements, bytes, (size_t)hwf_packer_encode(&packer, &element, bytes, sizeof(bytes)));
	for (unsigned int i = 0; i < 100000; i++) {
		int size;

		random_element(&element);
		back.count = 0;
		size = hwf_packer_encode(&packer, &element, bytes, sizeof(bytes));
		assert_true(size > 0);
		feed(&elements, bytes, (size_t)size);
		expect_same(&back, &element);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_atoms_take_the_fewest_packets),
		cmocka_unit_test(test_decoder_keeps_the_same_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
