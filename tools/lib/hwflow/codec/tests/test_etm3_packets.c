// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* ETMv3 packets: golden vectors by hand, and each of them truncated. */
#include "etm3_test.h"

static struct hwf_etm3_packet decode_hex(const struct hwf_etm3_config *config, const char *hex)
{
	uint8_t bytes[HWF_ETM3_MAX_PACKET] = {0};
	const size_t length = test_bytes(hex, bytes);
	struct hwf_etm3_packet packet = {0};
	uint8_t again[HWF_ETM3_MAX_PACKET];

	assert_int_equal(hwf_etm3_decode(config, bytes, length, &packet), length);
	assert_int_equal(hwf_etm3_encode(config, &packet, again, sizeof(again)), length);
	assert_memory_equal(again, bytes, length);
	for (size_t cut = 0; cut < length; cut++)
		assert_int_equal(hwf_etm3_decode(config, bytes, cut, &packet), HWF_ERR_NEED_MORE);
	assert_int_equal(hwf_etm3_encode(config, &packet, again, length - 1), HWF_ERR_NO_SPACE);
	return packet;
}

struct branch_vector {
	const char *hex;
	uint32_t value;
	uint8_t bits;
	uint8_t state;
	uint16_t exception;
	bool ns, alt_isa, cancel, hyp;
};

static void check_branches(const struct hwf_etm3_config *config, const struct branch_vector *rows,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct branch_vector *row = &rows[i];
		const struct hwf_etm3_packet packet = decode_hex(config, row->hex);
		const struct hwf_etm3_branch *branch = &packet.u.branch;

		assert_int_equal(packet.type, HWF_ETM3_BRANCH_ADDRESS);
		assert_int_equal(branch->address.value, row->value);
		assert_int_equal(branch->address.bits, row->bits);
		if (row->bits == 32)
			assert_int_equal(branch->address.state, row->state);
		assert_int_equal(hwf_etm3_exception_number(branch), row->exception);
		assert_int_equal(branch->ns, row->ns);
		assert_int_equal(branch->alt_isa, row->alt_isa);
		assert_int_equal(branch->cancel, row->cancel);
		assert_int_equal(branch->hyp, row->hyp);
	}
}

static void branches_in_the_original_encoding(void **state)
{
	static const struct branch_vector rows[] = {
		/* address bits 7:2 or 6:1 are all ones, then none */
		{"7f", 0x3f, 6, 0, 0, 0, 0, 0, 0},
		{"81 7f", 0x1fc0, 13, 0, 0, 0, 0, 0, 0},
		{"81 80 7f", 0xfe000, 20, 0, 0, 0, 0, 0, 0},
		{"81 80 80 7f", 0x7f00000, 27, 0, 0, 0, 0, 0, 0},
		/* whole addresses: ARM 0xc0008004, Thumb 0xc0008006, Jazelle 0xc0008007 */
		{"83 80 81 80 0e", 0xc0008004, 32, HWF_ETM3_ARM, 0, 0, 0, 0, 0},
		{"87 80 82 80 1c", 0xc0008006, 32, HWF_ETM3_THUMB, 0, 0, 0, 0, 0},
		{"8f 80 84 80 38", 0xc0008007, 32, HWF_ETM3_JAZELLE, 0, 0, 0, 0, 0},
		/* exception information: IRQ, Non-secure */
		{"8d 80 80 80 48 1d", 0x18, 32, HWF_ETM3_ARM, 14, 1, 0, 0, 0},
		/* data abort that cancels, Secure; then with a second byte: Hyp */
		{"89 80 80 80 48 38", 0x10, 32, HWF_ETM3_ARM, 12, 0, 0, 1, 0},
		{"89 80 80 80 48 b9 20", 0x10, 32, HWF_ETM3_ARM, 12, 1, 0, 1, 1},
		/* ThumbEE, no exception: a change of state only */
		{"87 80 82 80 5c 41", 0xc0008006, 32, HWF_ETM3_THUMB, 0, 1, 1, 0, 0},
		/* the deprecated form: IRQ; FIQ that cancels, at 0xffff001c */
		{"8d 80 80 80 88", 0x18, 32, HWF_ETM3_ARM, 14, 0, 0, 0, 0},
		{"8f 80 fe ff ef", 0xffff001c, 32, HWF_ETM3_ARM, 15, 0, 0, 1, 0},
	};
	const struct hwf_etm3_config config = make_config(5, 0, 0);

	(void)state;
	check_branches(&config, rows, sizeof(rows) / sizeof(rows[0]));
}

static void branches_in_the_alternative_encoding(void **state)
{
	static const struct branch_vector rows[] = {
		{"7f", 0x3f, 6, 0, 0, 0, 0, 0, 0},
		{"81 3f", 0xfc0, 12, 0, 0, 0, 0, 0, 0},
		{"81 80 3f", 0x7e000, 19, 0, 0, 0, 0, 0, 0},
		{"81 80 80 3f", 0x3f00000, 26, 0, 0, 0, 0, 0, 0},
		/* exception information behind any but the first byte: usage fault of ARMv7-M */
		{"81 7f 12", 0xfc0, 12, 0, 9, 0, 0, 0, 0},
		{"81 80 7f 32", 0x7e000, 19, 0, 9, 0, 0, 1, 0},
		/* exception 0x1ff and 0x018: a second byte; a third one, resume 5, either way */
		{"81 40 9e 1f", 0, 12, 0, 0x1ff, 0, 0, 0, 0},
		{"81 40 90 81 45", 0, 12, 0, 0x018, 0, 0, 0, 0},
		{"81 40 90 45", 0, 12, 0, 0x008, 0, 0, 0, 0},
		{"87 80 82 80 1c", 0xc0008006, 32, HWF_ETM3_THUMB, 0, 0, 0, 0, 0},
	};
	const struct hwf_etm3_config config = make_config(4, 0, IDR_ALT);
	const struct hwf_etm3_config early = make_config(3, 0, IDR_ALT);

	(void)state;
	check_branches(&config, rows, sizeof(rows) / sizeof(rows[0]));
	/* ETMIDR bit 20 has no meaning before ETMv3.4 */
	assert_false(early.alternative);
}

static void malformed_packets_are_errors(void **state)
{
	static const struct {
		bool alternative;
		uint32_t etmcr;
		const char *hex;
	} rows[] = {
		{false, 0, "81 80 80 80 00"},          /* no state in the fifth byte */
		{false, 0, "81 80 80 80 48 80 80 00"}, /* third information byte without its mark */
		{true, 0, "81 80 80 80 88"},           /* the deprecated form */
		{false, 0, "00 00 00 00 80"},          /* A-sync with too few zeros */
		{false, 0, "00 00 00 00 00 81"},       /* and with another end */
		{false, 0, "04 ff ff ff ff 1f"},       /* more than 32 bits of cycles */
		{false, 0, "04 80 80 80 80 80"},       /* more than five bytes */
		{false, 0, "08 01 02 00 00 00"},       /* ARM address that is not aligned */
		{false, 0, "08 81 04 00 00 00 02"},    /* in progress: no branch address */
		{false, 0, "08 81 04 00 00 00 81 80 80 80 88"},      /* and one with an exception */
		{false, CR_VALUE | CR_ADDRESS, "22 80 80 80 80 20"}, /* data address, fifth byte */
		{false, 1u << 20, "08 81"},                          /* data-only, in progress */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct hwf_etm3_config config =
			make_config(5, rows[i].etmcr, rows[i].alternative ? IDR_ALT : 0);
		uint8_t bytes[HWF_ETM3_MAX_PACKET] = {0};
		const size_t length = test_bytes(rows[i].hex, bytes);
		struct hwf_etm3_packet packet = {.size = 77};

		assert_int_equal(hwf_etm3_decode(&config, bytes, length, &packet),
				 HWF_ERR_BAD_PAYLOAD);
		assert_int_equal(packet.size, 77);
	}
}

static void synchronisation_packets_by_hand(void **state)
{
	const struct hwf_etm3_config plain = make_config(5, 0, 0);
	const struct hwf_etm3_config cid = make_config(5, CR_CID4, 0);
	struct hwf_etm3_packet packet;

	(void)state;
	packet = decode_hex(&plain, "00 00 00 00 00 80");
	assert_int_equal(packet.type, HWF_ETM3_A_SYNC);
	packet = decode_hex(&plain, "00 00 00 00 00 00 00 80");
	assert_int_equal(packet.u.zeros, 7);
	packet = decode_hex(&plain, "04 ff ff ff ff 0f");
	assert_int_equal(packet.u.cycles, 0xffffffff);
	/* overflow, Non-secure, Thumb */
	packet = decode_hex(&plain, "08 49 5d 11 02 c0");
	assert_int_equal(packet.u.i_sync.reason, HWF_ETM3_OVERFLOW);
	assert_int_equal(packet.u.i_sync.address, 0xc002115c);
	assert_true(packet.u.i_sync.thumb && packet.u.i_sync.ns && !packet.u.i_sync.hyp);
	/* Context ID, Hyp, ThumbEE; 300 cycles */
	packet = decode_hex(&cid, "70 ac 02 44 33 22 11 2f 01 00 00 80");
	assert_int_equal(packet.u.i_sync.cycles, 300);
	assert_int_equal(packet.u.i_sync.cid, 0x11223344);
	assert_true(packet.u.i_sync.hyp && packet.u.i_sync.alt_isa);
	/* a load in progress at 0x8000, next 0x8008 */
	packet = decode_hex(&plain, "08 a1 00 80 00 00 05");
	assert_true(packet.u.i_sync.in_progress);
	assert_int_equal(packet.u.i_sync.address, 0x8000);
	assert_int_equal(packet.u.i_sync.next.value, 2);
	packet = decode_hex(&cid, "6e 78 56 34 12");
	assert_int_equal(packet.u.cid, 0x12345678);
	packet = decode_hex(&plain, "3c a5");
	assert_int_equal(packet.u.vmid, 0xa5);
}

static void timestamps_by_hand(void **state)
{
	struct hwf_etm3_config config = make_config(5, 0, 0);
	struct hwf_etm3_packet packet;

	(void)state;
	packet = decode_hex(&config, "42 bd 9a c3 ce af 90 80 80 00");
	assert_true(packet.u.timestamp.value == 0x82f9d0cd3d && packet.u.timestamp.bits == 64);
	packet = decode_hex(&config, "46 ff ff ff ff ff ff ff ff ff");
	assert_true(packet.u.timestamp.value == UINT64_MAX && packet.u.timestamp.clock_changed);
	packet = decode_hex(&config, "42 7f");
	assert_int_equal(packet.u.timestamp.bits, 7);
	config.timestamp_bytes = 7;
	assert_int_equal(hwf_etm3_decode(&config,
					 (const uint8_t *)"\x42\xff\xff\xff\xff\xff\xff\x40", 8,
					 &packet),
			 HWF_ERR_BAD_PAYLOAD);
	packet = decode_hex(&config, "42 ff ff ff ff ff ff 3f");
	assert_true(packet.u.timestamp.value == 0xffffffffffff && packet.u.timestamp.bits == 48);
}

static void data_packets_by_hand(void **state)
{
	const struct hwf_etm3_config both = make_config(5, CR_VALUE | CR_ADDRESS, 0);
	const struct hwf_etm3_config value = make_config(5, CR_VALUE, 0);
	const struct hwf_etm3_config address = make_config(5, CR_ADDRESS, 0);
	struct hwf_etm3_packet packet;

	(void)state;
	packet = decode_hex(&both, "2e ff ff ff ff 1f 78 56 34 12");
	assert_int_equal(packet.u.data.address, 0xffffffff);
	assert_true(packet.u.data.big_endian);
	assert_int_equal(packet.u.data.value, 0x12345678);
	packet = decode_hex(&both, "02");
	assert_int_equal(packet.u.data.address_bits, 0);
	packet = decode_hex(&value, "26 99");
	assert_true(packet.u.data.expected && packet.u.data.value == 0x99);
	packet = decode_hex(&address, "22 05");
	assert_int_equal(packet.u.data.address, 5);
	packet = decode_hex(&both, "48 cd ab");
	assert_true(packet.u.data.tag == 2 && packet.u.data.value == 0xabcd);
	packet = decode_hex(&both, "7c 81 01");
	assert_true(packet.u.data.tag == 3 && packet.u.data.address == 0x81);
	packet = decode_hex(&both, "6a");
	assert_false(packet.u.data.expected);
	packet = decode_hex(&both, "7a 04");
	assert_int_equal(packet.u.data.address, 4);
	packet = decode_hex(&both, "50");
	assert_int_equal(packet.type, HWF_ETM3_STORE_FAILED);
	packet = decode_hex(&both, "62");
	assert_int_equal(packet.type, HWF_ETM3_DATA_SUPPRESSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_in_the_original_encoding),
		cmocka_unit_test(branches_in_the_alternative_encoding),
		cmocka_unit_test(malformed_packets_are_errors),
		cmocka_unit_test(synchronisation_packets_by_hand),
		cmocka_unit_test(timestamps_by_hand),
		cmocka_unit_test(data_packets_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
