/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Synchronisation that bytes show by themselves: zeros, then 0x80. */
#include "core/sync.h"
#include "session/session_private.h"

/* Is this byte the end of such a synchronisation? */
static bool ends_sync(const uint8_t *bytes, size_t at, size_t zeros)
{
	if (at < zeros || bytes[at] != 0x80)
		return false;
	for (size_t i = at - zeros; i < at; i++)
		if (bytes[i])
			return false;
	return true;
}

bool hwf_seek_zeros(const struct hwf_session *session, const uint8_t *bytes, size_t length,
		    size_t from, enum hwf_seek seek, size_t zeros,
		    bool (*is_sync)(const struct hwf_session *session, const uint8_t *bytes,
				    size_t length),
		    size_t *found)
{
	size_t at = from < length ? from : length;
	size_t maybe;

	if (seek == HWF_SEEK_HERE) {
		*found = at;
		return true;
	}
	if (seek != HWF_SEEK_PREVIOUS) {
		for (; at < length; at++) {
			at += hwf_find_sync(bytes + at, length - at, zeros, &maybe);
			if (at == length || !is_sync(session, bytes + at, length - at))
				continue;
			*found = at;
			return true;
		}
		return false;
	}
	while (at-- > 0) {
		if (length - at <= zeros || !ends_sync(bytes, at + zeros, zeros) ||
		    !is_sync(session, bytes + at, length - at))
			continue;
		*found = at;
		return true;
	}
	return false;
}
