/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* A byte stream into packets: synchronisation, loss of it, and finding it again. */
#include "ete/ete_private.h"

void hwf_ete_stream_init(struct hwf_ete_stream *stream, const struct hwf_ete_config *config)
{
	*stream = (struct hwf_ete_stream){.config = config};
}

/*
 * Where the next Alignment Synchronisation begins: its offset, or @length. More than eleven
 * zeros may precede the 0x80; the last eleven are the packet's. What may be the
 * beginning of one, cut by the end of the bytes, is given in @maybe.
 */
static size_t find_async(const uint8_t *bytes, size_t length, size_t *maybe)
{
	size_t zeros = 0;

	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == 0x00) {
			zeros++;
		} else {
			if (bytes[i] == 0x80 && zeros >= HWF_ETE_ASYNC - 1)
				return i - (HWF_ETE_ASYNC - 1);
			zeros = 0;
		}
	}
	if (zeros > HWF_ETE_ASYNC - 1)
		zeros = HWF_ETE_ASYNC - 1;
	*maybe = length - zeros;
	return length;
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

/* Bytes before the first synchronisation */
static size_t skip_unsynced(struct hwf_ete_stream *stream, const uint8_t *bytes, size_t length,
			    bool last, struct hwf_ete_packet *packet)
{
	size_t maybe = length;
	size_t at = find_async(bytes, length, &maybe);

	if (at == length && !last)
		at = maybe;
	return at ? take(stream, packet, HWF_ETE_UNSYNC, bytes[0], at) : 0;
}

/*
 * How many bytes a malformed packet costs: its header; behind the extension header 0x00 the
 * byte that is wrong too, or the whole run of zeros but those that may belong to an
 * Alignment Synchronisation.
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

/* Room enough for any packet below to be read without looking at the end */
#define COMMON_ROOM 9

/* Seven bits, then eight more if there is a second byte (spec/ete-packets.md section 5) */
static inline uint32_t short_is0(const uint8_t *bytes, struct hwf_ete_address *address)
{
	uint32_t more = bytes[1] >> 7;

	address->is = 0;
	address->bits = (uint8_t)(9 + 8 * more);
	address->value = (uint32_t)(bytes[1] & 0x7f) << 2 | (more ? (uint32_t)bytes[2] << 9 : 0);
	return 2 + more;
}

static inline uint32_t long32_is0(const uint8_t *bytes, struct hwf_ete_address *address)
{
	/* bits that are 0 in this form; the codec says what is wrong */
	if ((bytes[1] | bytes[2]) & 0x80)
		return 0;
	address->value = (uint32_t)bytes[1] << 2 | (uint32_t)bytes[2] << 9 |
			 (uint32_t)bytes[3] << 16 | (uint32_t)bytes[4] << 24;
	address->bits = 32;
	address->is = 0;
	return 5;
}

/* Commit and Cancel of fewer than 128 elements */
static inline uint32_t short_resolve(const uint8_t *bytes, struct hwf_ete_resolve *resolve)
{
	bool commit = bytes[0] == 0x2d;

	if (bytes[1] & 0x80)
		return 0;
	*resolve = (struct hwf_ete_resolve){
		.commit = commit ? bytes[1] : 0,
		.cancel = commit ? 0 : bytes[1],
		.mispredict = !commit && bytes[0] & 1,
	};
	return 2;
}

static inline uint32_t short_cycle_count(const struct hwf_ete_config *config,
					 struct hwf_ete_packet *packet)
{
	uint32_t aa = packet->header >> 2 & 3;

	if (config->commit_mode1 && aa)
		return 0;
	packet->type = HWF_ETE_CYCLE_COUNT_F3;
	packet->size = 1;
	packet->u.cycle_count = (struct hwf_ete_cycle_count){
		.commit = config->commit_mode1 ? 0 : aa + 1, .count = packet->header & 3};
	return 1;
}

/*
 * The packets that nearly all of a trace consists of, in line; that they are what their codecs
 * make of them is tested. 0 for any other.
 */
static inline uint32_t decode_common(const struct hwf_ete_config *config, const uint8_t *bytes,
				     struct hwf_ete_packet *packet)
{
	packet->header = bytes[0];
	if ((bytes[0] & 0xf0) == 0x10)
		return short_cycle_count(config, packet);
	switch (bytes[0]) {
	case 0x95:
		packet->type = HWF_ETE_TARGET_ADDRESS_SHORT_IS0;
		return packet->size = short_is0(bytes, &packet->u.address);
	case 0x9a:
		packet->type = HWF_ETE_TARGET_ADDRESS_32BIT_IS0;
		return packet->size = long32_is0(bytes, &packet->u.address);
	case 0x90:
	case 0x91:
	case 0x92:
		packet->type = HWF_ETE_TARGET_ADDRESS_EXACT_MATCH;
		packet->u.entry = bytes[0] & 3;
		return packet->size = 1;
	case 0x2d:
		packet->type = HWF_ETE_COMMIT;
		return packet->size = short_resolve(bytes, &packet->u.resolve);
	case 0x2e:
	case 0x2f:
		packet->type = HWF_ETE_CANCEL_F1;
		return packet->size = short_resolve(bytes, &packet->u.resolve);
	case 0x04:
		packet->type = HWF_ETE_TRACE_ON;
		return packet->size = 1;
	case 0x88:
		packet->type = HWF_ETE_TIMESTAMP_MARKER;
		return packet->size = 1;
	default:
		return 0;
	}
}

/* As many packets as come without a question; a synchronised stream. */
static size_t take_common(const struct hwf_ete_config *config, const uint8_t *bytes, size_t length,
			  struct hwf_ete_packet *packets, size_t room, size_t *taken)
{
	const uint8_t *at = bytes;
	size_t n = 0;

	while (n < room && (size_t)(bytes + length - at) >= COMMON_ROOM) {
		uint8_t header = *at;
		int size;

		if (header >= 0xc0) {
			__builtin_memcpy(&packets[n++], &hwf_ete_atom_table[header - 0xc0],
					 sizeof(hwf_ete_atom_table[0]));
			at++;
			continue;
		}
		size = (int)decode_common(config, at, &packets[n]);
		/* the extension header leads to what ends a batch */
		if (!size && header)
			size = hwf_ete_decode_in_place(config, at, (size_t)(bytes + length - at),
						       &packets[n]);
		if (size <= 0)
			break;
		at += size;
		n++;
	}
	*taken = (size_t)(at - bytes);
	return n;
}

size_t hwf_ete_stream_batch(struct hwf_ete_stream *stream, const uint8_t *bytes, size_t length,
			    bool last, struct hwf_ete_packet *packets, size_t room, size_t *count)
{
	size_t taken = 0;
	size_t n = 0;

	while (n < room) {
		size_t size = 0;

		if (stream->synced && !stream->tentative) {
			n += take_common(stream->config, bytes + taken, length - taken, packets + n,
					 room - n, &size);
			stream->offset += size;
			taken += size;
			if (n == room)
				break;
		}
		size = hwf_ete_stream_next(stream, bytes + taken, length - taken, last,
					   &packets[n]);
		if (!size)
			break;
		taken += size;
		n++;
		/* who takes them looks at the state once, after all of them */
		if (packets[n - 1].type >= HWF_ETE_TYPES ||
		    packets[n - 1].type == HWF_ETE_ALIGN_SYNC)
			break;
	}
	*count = n;
	return taken;
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
	if (stream->tentative) {
		/* Packets may be cut wrongly now: none may run over a synchronisation. */
		size_t look = length < 2 * HWF_ETE_MAX_PACKET ? length : 2 * HWF_ETE_MAX_PACKET;
		size_t maybe;
		size_t at = find_async(bytes, look, &maybe);

		if (!last && length < 2 * HWF_ETE_MAX_PACKET)
			return 0;
		size = hwf_ete_decode_in_place(stream->config, bytes, length, packet);
		if (at && at < look && size > 0 && (size_t)size > at)
			return take(stream, packet, HWF_ETE_BAD_SEQUENCE, bytes[0], at);
	} else {
		size = hwf_ete_decode_in_place(stream->config, bytes, length, packet);
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
