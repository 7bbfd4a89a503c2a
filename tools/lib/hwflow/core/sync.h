/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Finding synchronisation in bytes: zeros, then 0x80. */
#ifndef HWF_CORE_SYNC_H
#define HWF_CORE_SYNC_H

#include <stddef.h>
#include <stdint.h>

/*
 * Where the next synchronisation of @zeros zeros begins: its offset, or @length. More zeros may
 * precede the 0x80; the last ones are the packet's. What may be the beginning of one, cut by the
 * end of the bytes, is given in @maybe.
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
