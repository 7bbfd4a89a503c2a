/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * CoreSight formatter frames of 16 bytes. Byte 15 has one bit for each even byte 0 to 14.
 * - An even byte with bit 0 clear is data; its bit of byte 15 replaces bit 0.
 * - An even byte with bit 0 set is a new trace ID in bits 7:1; if its bit of byte 15 is set, the
 * odd byte behind it still belongs to the ID before.
 * - An odd byte is data.
 */
#include "hwflow/frames.h"

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
