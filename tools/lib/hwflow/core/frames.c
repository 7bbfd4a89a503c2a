/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * CoreSight formatter frames of 16 bytes. Byte 15 has one bit for each even byte 0 to 14.
 * - An even byte with bit 0 clear is data; its bit of byte 15 replaces bit 0.
 * - An even byte with bit 0 set is a new trace ID in bits 7:1; if its bit of byte 15 is set, the
 * odd byte behind it still belongs to the ID before.
 * - An odd byte is data.
 */
#include "hwflow/frames.h"

#include "core/bits.h"

#define FULL_SYNC 0x7fffffffu
#define HALF_SYNC 0x7fffu

void hwf_deframer_init(struct hwf_deframer *deframer)
{
	deframer->id = HWF_FRAME_NO_ID;
}

size_t hwf_deframe(struct hwf_deframer *deframer, const uint8_t *frame,
		   struct hwf_frame_byte *bytes)
{
	uint8_t flags = frame[15];
	size_t count = 0;

	for (unsigned int i = 0; i < 15; i += 2) {
		bool flag = flags >> (i / 2) & 1;
		uint8_t odd_id = deframer->id;

		if (frame[i] & 1) {
			if (!flag)
				odd_id = frame[i] >> 1;
			deframer->id = frame[i] >> 1;
		} else {
			bytes[count++] = (struct hwf_frame_byte){
				.id = deframer->id, .value = (uint8_t)(frame[i] | flag)};
		}
		if (i < 14)
			bytes[count++] =
				(struct hwf_frame_byte){.id = odd_id, .value = frame[i + 1]};
	}
	return count;
}

/* Has one of these four even bytes the value ff? */
static bool has_ff(uint64_t bytes)
{
	/* each lane of 16 bits is 0 for ff, and the lowest one that is 0 borrows from its top bit
	 */
	const uint64_t lanes = ~bytes & 0x00ff00ff00ff00ffu;

	return (lanes - 0x0001000100010001u) & 0x8000800080008000u;
}

static size_t left(size_t length, size_t at)
{
	return length - at;
}

/* Is a full synchronisation packet at @at? */
static bool is_full(const uint8_t *bytes, size_t length, size_t at)
{
	return left(length, at) >= 4 && hwf_load32(bytes + at) == FULL_SYNC;
}

/*
 * The end of the full synchronisation packet that begins with the even byte of a frame at @at, or
 * with the odd byte before, since these bytes are no frame; 0: there is none
 */
static size_t full_sync_end(const uint8_t *bytes, size_t length, size_t at)
{
	if (is_full(bytes, length, at))
		return at + 4;
	if (at && is_full(bytes, length, at - 1))
		return at + 3;
	return 0;
}

/* As hwf_frame_read(), of a frame that has a synchronisation packet or the ID 0x7f */
static size_t read_synced(const uint8_t *bytes, size_t length, size_t from, struct hwf_frame *frame)
{
	size_t at = from;
	size_t count = 0;

	while (count < HWF_FRAME && left(length, at) >= 2) {
		const size_t end = bytes[at] == 0xff ? full_sync_end(bytes, length, at) : 0;

		if (end) {
			frame->kind = !count && end == at + 4 ? HWF_FRAME_SYNC : HWF_FRAME_BROKEN;
			return end - from;
		}
		if (hwf_load16(bytes + at) != HALF_SYNC) {
			frame->copy[count++] = bytes[at];
			frame->copy[count++] = bytes[at + 1];
		}
		at += 2;
	}
	frame->bytes = frame->copy;
	frame->kind = HWF_FRAME_WHOLE;
	if (count == HWF_FRAME)
		return at - from;
	frame->kind = !count && at == length ? HWF_FRAME_SYNC : HWF_FRAME_PARTIAL;
	return left(length, from);
}

size_t hwf_frame_read(const uint8_t *bytes, size_t length, size_t at, struct hwf_frame *frame)
{
	const uint8_t *first = bytes + at;

	if (left(length, at) < HWF_FRAME || has_ff(hwf_load64(first)) ||
	    has_ff(hwf_load64(first + 8)))
		return read_synced(bytes, length, at, frame);
	frame->bytes = first;
	frame->kind = HWF_FRAME_WHOLE;
	return HWF_FRAME;
}
