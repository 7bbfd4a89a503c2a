/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Search of a synchronisation packet: zeros, then 0x80. */
#ifndef HWF_CORE_SYNC_H
#define HWF_CORE_SYNC_H

#include <stddef.h>
#include <stdint.h>

/*
 * Search the next synchronisation packet of @zeros zeros and 0x80. If there are more zeros, the
 * last ones belong to the packet. Return: its offset, or @length. @maybe receives the offset of
 * zeros at the end of the bytes, which may begin a packet.
 */
static inline size_t hwf_find_sync(const uint8_t *bytes, size_t length, size_t zeros, size_t *maybe)
{
	size_t run = 0;

	for (size_t i = 0; i < length; i++) {
		if (bytes[i] == 0x00) {
			run++;
		} else {
			if (bytes[i] == 0x80 && run >= zeros)
				return i - zeros;
			run = 0;
		}
	}
	*maybe = length - (run < zeros ? run : zeros);
	return length;
}

#endif /* HWF_CORE_SYNC_H */
