/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What tests of stored profiles share: random numbers that are the same each time, and files in
 * memory. */
#ifndef HWF_STORED_TEST_H
#define HWF_STORED_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hwflow/stored_profile.h"

/* of random_below(); equal states are followed by equal numbers */
static uint64_t state = 1;

static inline uint32_t random_below(uint32_t limit)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % limit;
}

/* The numbers below @count, in an order of chance; with the seed 0 in their own */
static inline void random_order(uint32_t *order, uint32_t count, uint32_t seed)
{
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	state = seed;
	for (uint32_t i = count - 1; seed && i; i--) {
		const uint32_t other = random_below(i + 1), number = order[i];

		order[i] = order[other];
		order[other] = number;
	}
}

/* struct packed - the bytes of a file */
struct packed {
	uint8_t *bytes;
	size_t size;
};

static inline struct packed pack(struct hwf_stored_profile *stored)
{
	struct packed packed;

	packed.bytes = hwf_stored_profile_pack(stored, &packed.size);
	assert_non_null(packed.bytes);
	return packed;
}

static inline struct hwf_stored_profile *unpack(const struct packed *packed)
{
	struct hwf_stored_profile *stored;
	const char *reason;

	assert_int_equal(hwf_stored_profile_unpack(&stored, packed->bytes, packed->size, &reason),
			 0);
	return stored;
}

/* Are these bytes read as a profile? 0 or a negative errno, for which there has to be a reason */
static inline int unpacks(const uint8_t *bytes, size_t size)
{
	struct hwf_stored_profile *stored;
	const char *reason = NULL;
	const int status = hwf_stored_profile_unpack(&stored, bytes, size, &reason);

	if (!status)
		hwf_stored_profile_free(stored);
	else
		assert_non_null(reason);
	return status;
}

static inline void assert_same(const struct packed *a, const struct packed *b)
{
	assert_int_equal(a->size, b->size);
	assert_memory_equal(a->bytes, b->bytes, a->size);
}

#endif /* HWF_STORED_TEST_H */
