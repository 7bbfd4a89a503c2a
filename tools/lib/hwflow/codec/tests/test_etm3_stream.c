// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Streams of ETMv3 packets: in pieces, and where synchronisation is lost. */
#include "etm3_test.h"

static void a_stream_loses_no_byte_however_it_comes(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 3000; round++) {
		const struct hwf_etm3_config config = random_config();
		uint8_t bytes[300];
		struct hwf_etm3_stream whole, pieces;
		size_t at = 0, have = 0;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = random32() % 3 ? (uint8_t)random32() : 0;
		for (size_t i = 20; i + 6 < sizeof(bytes); i += 20 + random32() % 100)
			memcpy(bytes + i, (const uint8_t[]){0, 0, 0, 0, 0, 0x80}, 6);
		hwf_etm3_stream_init(&whole, &config);
		hwf_etm3_stream_init(&pieces, &config);
		while (at < sizeof(bytes)) {
			struct hwf_etm3_packet packet, again;
			size_t size = hwf_etm3_stream_next(&whole, bytes + at, sizeof(bytes) - at,
							   true, &packet);
			size_t sum = 0;

			assert_true(size && size == packet.size);
			/* the same in pieces; bytes passed over may come in several */
			while (sum < size) {
				size_t next = hwf_etm3_stream_next(&pieces, bytes + at + sum,
								   have - at - sum,
								   have == sizeof(bytes), &again);

				if (!next)
					have += have < sizeof(bytes);
				sum += next;
				if (next)
					assert_int_equal(again.type, packet.type);
			}
			assert_int_equal(sum, size);
			assert_int_equal(pieces.synced, whole.synced);
			assert_int_equal(pieces.tentative, whole.tentative);
			at += size;
		}
		assert_int_equal(whole.offset, sizeof(bytes));
	}
}

struct stream_row {
	unsigned int type;
	unsigned int size;
	bool tentative;
};

static void check_stream(const struct hwf_etm3_config *config, const char *hex,
			 const struct stream_row *rows, size_t count)
{
	uint8_t bytes[128] = {0};
	const size_t length = test_bytes(hex, bytes);
	struct hwf_etm3_stream stream;
	struct hwf_etm3_packet packet;
	size_t at = 0;

	hwf_etm3_stream_init(&stream, config);
	for (size_t i = 0; i < count; i++) {
		size_t size = hwf_etm3_stream_next(&stream, bytes + at, length - at, true, &packet);

		assert_int_equal(packet.type, rows[i].type);
		assert_int_equal(size, rows[i].size);
		assert_int_equal(stream.tentative, rows[i].tentative);
		at += size;
	}
	assert_int_equal(at, length);
}

static void synchronisation_is_lost_and_found(void **state)
{
	static const struct stream_row rows[] = {
		{HWF_ETM3_UNSYNC, 4, false},      {HWF_ETM3_A_SYNC, 6, false},
		{HWF_ETM3_P_HEADER_F1, 1, false}, {HWF_ETM3_RESERVED, 1, true},
		{HWF_ETM3_P_HEADER_F1, 1, true},  {HWF_ETM3_BAD_SEQUENCE, 1, true},
		{HWF_ETM3_A_SYNC, 6, false},      {HWF_ETM3_INCOMPLETE, 3, true},
	};
	const struct hwf_etm3_config config = make_config(5, 0, 0);

	(void)state;
	/* 0xa2 is reserved; 0x08 begins an I-sync that would run into the A-sync */
	check_stream(&config,
		     "12 34 00 00 00 00 00 00 00 80 84 a2 84 08 00 00 00 00 00 80 08 01 02", rows,
		     sizeof(rows) / sizeof(rows[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_loses_no_byte_however_it_comes),
		cmocka_unit_test(synchronisation_is_lost_and_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
