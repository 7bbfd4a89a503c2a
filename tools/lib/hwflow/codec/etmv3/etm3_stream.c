/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* A byte stream into packets: synchronisation, loss of it, and finding it again (ETMV3_RESYNC). */
#include "core/sync.h"
#include "codec/etmv3/etm3_private.h"

void hwf_etm3_stream_init(struct hwf_etm3_stream *stream, const struct hwf_etm3_config *config)
{
	*stream = (struct hwf_etm3_stream){.config = config};
}

static size_t take(struct hwf_etm3_stream *stream, struct hwf_etm3_packet *packet,
		   unsigned int type, uint8_t header, size_t size)
{
	if (size > UINT32_MAX)
		size = UINT32_MAX;
	*packet = (struct hwf_etm3_packet){
		.type = (uint8_t)type, .header = header, .size = (uint32_t)size};
	stream->offset += size;
	return size;
}

/* Bytes before the first synchronisation */
static size_t skip_unsynced(struct hwf_etm3_stream *stream, const uint8_t *bytes, size_t length,
			    bool last, struct hwf_etm3_packet *packet)
{
	size_t maybe = length;
	size_t at = hwf_find_sync(bytes, length, ETM3_A_SYNC_ZEROS, &maybe);

	if (at == length && !last)
		at = maybe;
	return at ? take(stream, packet, HWF_ETM3_UNSYNC, bytes[0], at) : 0;
}

/*
 * How many bytes a malformed packet costs: its header, or the zeros before a byte that ends no
 * A-sync. Of more zeros than an A-sync may have, half as many: the last of them may begin one. No
 * byte is looked at that the decoder did not look at, so it is the same however the bytes come.
 */
static size_t bad_size(const uint8_t *bytes)
{
	size_t zeros = 0;

	while (zeros < HWF_ETM3_MAX_PACKET && bytes[zeros] == 0x00)
		zeros++;
	if (zeros == HWF_ETM3_MAX_PACKET)
		return zeros / 2;
	return zeros ? zeros : 1;
}

static size_t bad_packet(struct hwf_etm3_stream *stream, const uint8_t *bytes, int err,
			 struct hwf_etm3_packet *packet)
{
	stream->error = err;
	stream->tentative = true;
	if (err == HWF_ERR_RESERVED)
		return take(stream, packet, HWF_ETM3_RESERVED, bytes[0], 1);
	return take(stream, packet, HWF_ETM3_BAD_SEQUENCE, bytes[0], bad_size(bytes));
}

/*
 * Packets may be cut wrongly while it is tentative: none may run over a synchronisation. Bytes
 * before the next one; 0 for none in sight.
 */
static size_t before_a_sync(const struct hwf_etm3_stream *stream, const uint8_t *bytes,
			    size_t length)
{
	size_t look = length < 2 * HWF_ETM3_MAX_PACKET ? length : 2 * HWF_ETM3_MAX_PACKET;
	size_t maybe;
	size_t at = stream->tentative ? hwf_find_sync(bytes, look, ETM3_A_SYNC_ZEROS, &maybe) : 0;

	return at < look ? at : 0;
}

size_t hwf_etm3_stream_next(struct hwf_etm3_stream *stream, const uint8_t *bytes, size_t length,
			    bool last, struct hwf_etm3_packet *packet)
{
	size_t sync;
	int size;

	if (length == 0)
		return 0;
	if (!stream->synced) {
		size_t skipped = skip_unsynced(stream, bytes, length, last, packet);

		if (skipped || length < ETM3_A_SYNC)
			return skipped;
	}
	if (stream->tentative && !last && length < 2 * HWF_ETM3_MAX_PACKET)
		return 0;
	sync = before_a_sync(stream, bytes, length);
	size = hwf_etm3_decode_in_place(stream->config, bytes, length, packet);
	if (sync && size > 0 && (size_t)size > sync && packet->type != HWF_ETM3_A_SYNC)
		return take(stream, packet, HWF_ETM3_BAD_SEQUENCE, bytes[0], sync);
	if (size == HWF_ERR_NEED_MORE) {
		if (!last)
			return 0;
		stream->error = HWF_ERR_NEED_MORE;
		stream->tentative = true;
		return take(stream, packet, HWF_ETM3_INCOMPLETE, bytes[0], length);
	}
	if (size < 0)
		return bad_packet(stream, bytes, size, packet);
	if (packet->type == HWF_ETM3_A_SYNC) {
		stream->synced = true;
		stream->tentative = false;
	}
	stream->offset += (uint64_t)size;
	return (size_t)size;
}
