// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Fuzz target: any bytes into packets. No byte may be lost, what decodes must encode, and the
 * encoding must decode to the same.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static void check_packet(const struct hwf_ete_config *config, const struct hwf_ete_packet *packet)
{
	struct hwf_ete_packet again;
	uint8_t bytes[HWF_ETE_MAX_PACKET];
	uint8_t twice[HWF_ETE_MAX_PACKET];
	int size = hwf_ete_encode(config, packet, bytes, sizeof(bytes));

	if (size < 0 || (uint32_t)size > packet->size)
		abort();
	if (hwf_ete_decode(config, bytes, (size_t)size, &again) != size ||
	    again.type != packet->type)
		abort();
	if (hwf_ete_encode(config, &again, twice, sizeof(twice)) != size ||
	    memcmp(bytes, twice, (size_t)size))
		abort();
}

static void run(enum hwf_ete_protocol protocol, const uint8_t *data, size_t size)
{
	struct hwf_ete_config config;
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;
	size_t at = 0;

	if (fuzz_config(&config, protocol, &data, &size))
		return;
	hwf_ete_stream_init(&stream, &config);
	while (at < size) {
		size_t taken = hwf_ete_stream_next(&stream, data + at, size - at, true, &packet);

		if (!taken || taken != packet.size || taken > size - at)
			abort();
		if (packet.type < HWF_ETE_TYPES)
			check_packet(&config, &packet);
		at += taken;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	run(HWF_PROTOCOL_ETE, data, size);
	run(HWF_PROTOCOL_ETMV4, data, size);
	return 0;
}
