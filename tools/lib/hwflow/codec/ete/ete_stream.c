/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The stream stage: bytes to packets, with synchronisation. */
#include "core/sync.h"
#include "codec/ete/ete_private.h"

void hwf_ete_stream_init(struct hwf_ete_stream *stream, const struct hwf_ete_config *config)
{
	*stream = (struct hwf_ete_stream){.config = config};
}

static size_t take(struct hwf_ete_stream *stream, struct hwf_ete_packet *packet, unsigned int type,
		   uint8_t header, size_t size)
{
	if (size > UINT32_MAX)
		size = UINT32_MAX;
	packet->type = (uint8_t)type;
	packet->header = header;
	packet->size = (uint32_t)size;
	stream->offset += size;
	return size;
}

/* Skip the bytes before the first Alignment Synchronisation. */
static size_t skip_unsynced(struct hwf_ete_stream *stream, const uint8_t *bytes, size_t length,
			    bool last, struct hwf_ete_packet *packet)
{
	size_t maybe = length;
	size_t at = hwf_find_sync(bytes, length, HWF_ETE_ASYNC - 1, &maybe);

	if (at == length && !last)
		at = maybe;
	return at ? take(stream, packet, HWF_ETE_UNSYNC, bytes[0], at) : 0;
}

/*
 * Size of a malformed packet: its header. After an extension header 0x00 also the byte behind it;
 * of several zeros all, but for those that may belong to an Alignment Synchronisation.
 */
static size_t bad_size(const uint8_t *bytes, size_t length)
{
	size_t zeros = 0;

	while (zeros < length && bytes[zeros] == 0x00)
		zeros++;
	if (zeros == 0)
		return 1;
	if (zeros == 1)
		return length < 2 ? length : 2;
	if (zeros > HWF_ETE_ASYNC - 1 && (zeros == length || bytes[zeros] == 0x80))
		return zeros - (HWF_ETE_ASYNC - 1);
	return zeros;
}

static size_t bad_packet(struct hwf_ete_stream *stream, const uint8_t *bytes, size_t length,
			 int err, struct hwf_ete_packet *packet)
{
	stream->error = err;
	stream->tentative = true;
	if (err == HWF_ERR_RESERVED && bytes[0] != 0x00)
		return take(stream, packet, HWF_ETE_RESERVED, bytes[0], 1);
	return take(stream, packet, HWF_ETE_BAD_SEQUENCE, bytes[0], bad_size(bytes, length));
}

/*
 * Where in a packet of this size an Alignment Synchronisation begins, which cuts a tentative packet
 * off. 0: nowhere behind its header.
 */
static size_t sync_inside(const uint8_t *bytes, size_t length, size_t size)
{
	const size_t end = size + HWF_ETE_ASYNC - 1;
	const size_t look = length < end ? length : end;
	size_t maybe;
	const size_t at = hwf_find_sync(bytes, look, HWF_ETE_ASYNC - 1, &maybe);

	return at < size ? at : 0;
}

size_t hwf_ete_stream_next(struct hwf_ete_stream *stream, const uint8_t *bytes, size_t length,
			   bool last, struct hwf_ete_packet *packet)
{
	int size;

	if (length == 0)
		return 0;
	if (!stream->synced) {
		size_t skipped = skip_unsynced(stream, bytes, length, last, packet);

		if (skipped || length < HWF_ETE_ASYNC)
			return skipped;
	}
	if (stream->tentative && !last && length < 2 * HWF_ETE_MAX_PACKET)
		return 0;
	size = hwf_ete_decode_in_place(stream->config, bytes, length, packet);
	if (stream->tentative && size > 0) {
		const size_t at = sync_inside(bytes, length, (size_t)size);

		if (at)
			return take(stream, packet, HWF_ETE_BAD_SEQUENCE, bytes[0], at);
	}
	if (size == HWF_ERR_NEED_MORE) {
		if (!last)
			return 0;
		stream->error = HWF_ERR_NEED_MORE;
		stream->tentative = true;
		return take(stream, packet, HWF_ETE_INCOMPLETE, bytes[0], length);
	}
	if (size < 0)
		return bad_packet(stream, bytes, length, size, packet);
	if (packet->type == HWF_ETE_ALIGN_SYNC) {
		stream->synced = true;
		stream->tentative = false;
	}
	stream->offset += (uint64_t)size;
	return (size_t)size;
}
