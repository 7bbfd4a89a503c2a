// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* ETMv3 packets: golden vectors by hand, round trips, truncation, streams. */
#include "etm3_test.h"

/* ---- golden vectors ---- */

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

/* ---- random packets ---- */

static struct hwf_etm3_address random_address(const struct hwf_etm3_config *config, bool info)
{
	struct hwf_etm3_address address = {.bytes = (uint8_t)(1 + random32() % 5),
					   .value = random32()};
	static const uint8_t shift[] = {2, 1, 0};

	if (info && !config->alternative)
		address.bytes = 5;
	else if (info && address.bytes == 1)
		address.bytes = 2;
	if (address.bytes == 5) {
		address.state = (uint8_t)(random32() % 3);
		address.bits = 32;
		address.value = address.value >> shift[address.state] << shift[address.state];
		return address;
	}
	address.bits =
		(uint8_t)(7 * address.bytes - 1 - (config->alternative && address.bytes > 1));
	address.value &= (1u << address.bits) - 1;
	return address;
}

static void random_branch(const struct hwf_etm3_config *config, struct hwf_etm3_branch *branch)
{
	branch->info = random32() & 1;
	branch->address = random_address(config, branch->info);
	if (!branch->info) {
		if (!config->alternative && branch->address.bytes == 5 &&
		    branch->address.state == HWF_ETM3_ARM && random32() & 1) {
			branch->old = true;
			branch->exception = random32() & 7;
			branch->cancel = random32() & 1;
		}
		return;
	}
	branch->has_second = random32() & 1;
	branch->has_third = random32() & 1;
	branch->exception = (uint16_t)(random32() & (branch->has_second ? 0x1ff : 0xf));
	branch->resume = branch->has_third ? random32() & 15 : 0;
	branch->ns = random32() & 1;
	branch->alt_isa = random32() & 1;
	branch->cancel = random32() & 1;
	branch->hyp = branch->has_second && random32() & 1;
}

static void random_i_sync(const struct hwf_etm3_config *config, struct hwf_etm3_packet *packet)
{
	struct hwf_etm3_i_sync *sync = &packet->u.i_sync;

	if (packet->type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT)
		sync->cycles = random32() >> random32() % 32;
	sync->cid = config->context_bytes == 4
			    ? random32()
			    : random32() & ((1u << 8 * config->context_bytes) - 1);
	sync->reason = random32() & 3;
	sync->ns = random32() & 1;
	sync->hyp = random32() & 1;
	sync->alt_isa = random32() & 1;
	sync->jazelle = random32() % 4 == 0;
	sync->thumb = !sync->jazelle && random32() & 1;
	sync->address = random32() & (sync->jazelle ? ~0u : sync->thumb ? ~1u : ~3u);
	sync->in_progress = random32() % 4 == 0;
	if (sync->in_progress)
		sync->next = random_address(config, false);
}

static void random_data(const struct hwf_etm3_config *config, struct hwf_etm3_packet *packet)
{
	struct hwf_etm3_data *data = &packet->u.data;
	const unsigned int codec = hwf_etm3_type_codec(packet->type);

	if (packet->type == HWF_ETM3_OUT_OF_ORDER_DATA ||
	    packet->type == HWF_ETM3_OUT_OF_ORDER_PLACEHOLDER)
		data->tag = (uint8_t)(1 + random32() % 3);
	if (codec != HWF_ETM3_CODEC_data_place && config->data_value) {
		static const uint8_t bytes[] = {0, 1, 2, 4};

		data->value_bytes = bytes[random32() & 3];
		data->value = data->value_bytes == 4
				      ? random32()
				      : random32() & ((1u << 8 * data->value_bytes) - 1);
	}
	if (codec == HWF_ETM3_CODEC_late_data)
		return;
	data->expected = random32() & 1;
	if (!data->expected || !config->data_address)
		return;
	data->address_bits = (uint8_t)(7 * (1 + random32() % 5));
	if (data->address_bits == 35) {
		data->address_bits = 32;
		data->big_endian = random32() & 1;
	}
	data->address = random32();
	if (data->address_bits < 32)
		data->address &= (1u << data->address_bits) - 1;
}

static struct hwf_etm3_packet random_packet(const struct hwf_etm3_config *config)
{
	struct hwf_etm3_packet packet;
	uint8_t header;

	do {
		header = (uint8_t)random32();
	} while (config->types[header] == HWF_ETM3_RESERVED);
	memset(&packet, 0, sizeof(packet));
	packet.type = config->types[header];
	switch (hwf_etm3_type_codec(packet.type)) {
	case HWF_ETM3_CODEC_p_header:
		hwf_etm3_decode(config, &header, 1, &packet);
		break;
	case HWF_ETM3_CODEC_a_sync:
		packet.u.zeros = 5 + random32() % 27;
		break;
	case HWF_ETM3_CODEC_branch:
		random_branch(config, &packet.u.branch);
		break;
	case HWF_ETM3_CODEC_i_sync:
		random_i_sync(config, &packet);
		break;
	case HWF_ETM3_CODEC_cycle_count:
		packet.u.cycles = random32() >> random32() % 32;
		break;
	case HWF_ETM3_CODEC_vmid:
		packet.u.vmid = (uint8_t)random32();
		break;
	case HWF_ETM3_CODEC_context_id:
		packet.u.cid = random32();
		if (config->context_bytes < 4)
			packet.u.cid &= (1u << 8 * config->context_bytes) - 1;
		break;
	case HWF_ETM3_CODEC_timestamp:
		packet.u.timestamp.bits = (uint8_t)(7 * (1 + random32() % 9));
		if (packet.u.timestamp.bits > 7 * (config->timestamp_bytes - 1))
			packet.u.timestamp.bits = config->timestamp_bytes == 7 ? 48 : 64;
		packet.u.timestamp.value =
			((uint64_t)random32() << 32 | random32()) >> (64 - packet.u.timestamp.bits);
		packet.u.timestamp.clock_changed = random32() & 1;
		break;
	case HWF_ETM3_CODEC_bare:
		break;
	default:
		random_data(config, &packet);
		break;
	}
	return packet;
}

static void every_packet_survives_a_round_trip(void **state)
{
	unsigned int seen[HWF_ETM3_TYPES] = {0};

	(void)state;
	for (unsigned int round = 0; round < 300000; round++) {
		const struct hwf_etm3_config config = random_config();
		struct hwf_etm3_packet packet = random_packet(&config);
		struct hwf_etm3_packet again;
		uint8_t bytes[HWF_ETM3_MAX_PACKET] = {0};
		const int size = hwf_etm3_encode(&config, &packet, bytes, sizeof(bytes));

		memset(&again, 0, sizeof(again));
		assert_true(size > 0);
		assert_int_equal(hwf_etm3_decode(&config, bytes, (size_t)size, &again), size);
		assert_int_equal(again.type, packet.type);
		assert_memory_equal(&again.u, &packet.u, sizeof(packet.u));
		for (int cut = 0; cut < size; cut++) {
			assert_int_equal(hwf_etm3_decode(&config, bytes, (size_t)cut, &again),
					 HWF_ERR_NEED_MORE);
			assert_int_equal(hwf_etm3_encode(&config, &packet, bytes, (size_t)cut),
					 HWF_ERR_NO_SPACE);
		}
		seen[packet.type]++;
	}
	for (unsigned int type = 0; type < HWF_ETM3_TYPES; type++)
		assert_true(seen[type] > 10);
}

/* ---- streams ---- */

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
		cmocka_unit_test(branches_in_the_original_encoding),
		cmocka_unit_test(branches_in_the_alternative_encoding),
		cmocka_unit_test(malformed_packets_are_errors),
		cmocka_unit_test(synchronisation_packets_by_hand),
		cmocka_unit_test(timestamps_by_hand),
		cmocka_unit_test(data_packets_by_hand),
		cmocka_unit_test(every_packet_survives_a_round_trip),
		cmocka_unit_test(a_stream_loses_no_byte_however_it_comes),
		cmocka_unit_test(synchronisation_is_lost_and_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
