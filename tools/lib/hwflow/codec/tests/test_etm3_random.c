// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* ETMv3 packets: random ones survive a round trip; truncation. */
#include "etm3_test.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_packet_survives_a_round_trip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
