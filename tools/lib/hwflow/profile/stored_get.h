/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* How the items of a .hwprof file are read; Documentation/profile-format.rst has the layout. */
#ifndef HWF_STORED_GET_H
#define HWF_STORED_GET_H

#include <stdlib.h>
#include <string.h>

#include "profile/stored_private.h"

/**
 * struct payload - what is left to be read
 * @at: the next byte
 * @end: behind the last
 * @bad: something was read that is not written
 */
struct payload {
	const uint8_t *at;
	const uint8_t *end;
	bool bad;
};

static inline uint64_t get(struct payload *payload)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 64 && payload->at < payload->end; shift += 7) {
		const uint8_t byte = *payload->at++;
		const uint64_t bits = byte & 0x7f;

		value |= bits << shift;
		/* one way to write each number */
		if (value >> shift != bits || (shift && !byte))
			break;
		if (!(byte & 0x80))
			return value;
	}
	payload->bad = true;
	return 0;
}

static inline uint64_t get_at_most(struct payload *payload, uint64_t most)
{
	const uint64_t value = get(payload);

	payload->bad |= value > most;
	return payload->bad ? 0 : value;
}

/* The sum of a number that is read and @from; it does not wrap. */
static inline uint64_t get_after(struct payload *payload, uint64_t from)
{
	return from + get_at_most(payload, UINT64_MAX - from);
}

static inline uint64_t get_difference(struct payload *payload, uint64_t from)
{
	const uint64_t value = get(payload);

	return from + (value & 1 ? ~(value >> 1) : value >> 1);
}

static inline const uint8_t *get_bytes(struct payload *payload, size_t size)
{
	const uint8_t *bytes = payload->at;

	if (payload->bad || size > (size_t)(payload->end - payload->at)) {
		payload->bad = true;
		return NULL;
	}
	payload->at += size;
	return bytes;
}

/* A text that the caller frees; NULL if there is none */
static inline char *get_text(struct payload *payload)
{
	const size_t size = (size_t)get_at_most(payload, (uint64_t)(payload->end - payload->at));
	const uint8_t *bytes = get_bytes(payload, size);
	char *text;

	if (!bytes)
		return NULL;
	if (memchr(bytes, 0, size)) {
		payload->bad = true;
		return NULL;
	}
	text = strndup((const char *)bytes, size);
	payload->bad |= !text;
	return text;
}

/* How many items follow; each has at least @least bytes. */
static inline size_t get_count(struct payload *payload, size_t least)
{
	return (size_t)get_at_most(payload, (uint64_t)(payload->end - payload->at) / least);
}

/* The file of a rank that begins with 1; 0 is none. */
static inline const void *file_of(struct payload *payload, const struct hwf_stored_profile *stored,
				  uint64_t rank)
{
	payload->bad |= rank > stored->file_count;
	return payload->bad || !rank ? NULL : &stored->files[rank - 1]->file;
}

/* Contexts and their shares, whose tag was read */
void hwf_stored_get_contexts(struct payload *payload, struct hwf_stored_profile *stored);
void hwf_stored_get_shares(struct payload *payload, struct hwf_stored_profile *stored);

#endif /* HWF_STORED_GET_H */
