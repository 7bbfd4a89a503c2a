// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Calling contexts in a .hwprof file: what a writer would not have written is refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "profile/stored_private.h"
#include "stored_test.h"

/* Is a payload that was put together by hand read? 0 or -errno */
static int reads(const uint8_t *payload, size_t size)
{
	uint8_t file[1024] = HWF_PROFILE_MAGIC;
	const size_t packed = ZSTD_compress(file + HWF_STORED_HEAD, sizeof(file) - HWF_STORED_HEAD,
					    payload, size, 3);

	assert_false(ZSTD_isError(packed));
	file[HWF_STORED_SIZE] = (uint8_t)size;
	hwf_stored_checksum(file + HWF_STORED_CHECKSUM, file, HWF_STORED_HEAD + packed);
	return unpacks(file, HWF_STORED_HEAD + packed);
}

/*
 * No recordings; two files "a" and "b"; no blocks, edges and notes; the tag, and the names "x" and
 * "y". Then five contexts: the first called the second, which called the third and the fourth; the
 * fifth is outermost as the first is.
 */
/* clang-format off */
static const uint8_t tree[] = {
	0, 2, 0, 0, 3, 1, 'a', 0, 0, 3, 1, 'b', 0, 0, 0, /* up to here without contexts */
	3, 2, 1, 'x', 1, 'y', 5, /* from 15 */
	0, 0, 1, 0x10, 1, 5, /* from 22: callers to leave, how it was entered, file, entry, counts */
	0, 0, 1, 0, 1, 0x20, 0, 0, /* from 28: the same, with file and offset of the call */
	0, 0, 1, 8, 0, 0, 1, 1, /* from 36: with a name */
	1, 0, 1, 8, 0, 1, 1, 1, /* from 44 */
	3, 1, 0, 0, 1, 0, /* from 52 */
};
/* clang-format on */

/* Where the tree begins, and its number of contexts is */
enum { TREE_TAG = 15, TREE_COUNT = 21 };

/* struct change - bytes of the tree that become others: the file is refused then */
struct change {
	const char *why;
	struct {
		uint8_t at;
		uint8_t value;
	} bytes[3];
};

static const struct change changes[] = {
	{"no tag", {{TREE_TAG, 0}}},
	{"an unknown tag", {{TREE_TAG, 4}}},
	{"a name is there twice", {{18, 'y'}, {48, 2}, {55, 1}}},
	{"names are not in order", {{18, 'z'}, {48, 2}, {55, 1}}},
	{"a name has a zero byte", {{18, 0}}},
	{"a name is not used", {{48, 2}}},
	{"bytes are left", {{TREE_COUNT, 4}}},
	{"a context is missing", {{TREE_COUNT, 6}}},
	{"more contexts than bytes", {{TREE_COUNT, 0x7f}}},
	{"the first context leaves a caller", {{22, 1}}},
	{"it was entered in an unknown way", {{53, 3}}},
	{"there is no such file", {{24, 3}}},
	{"the call is in no such file", {{30, 3}}},
	{"there is no such name", {{55, 2}}},
	{"a number has a byte too many", {{26, 0x81}, {27, 0}}},
	{"a context without counts has called none", {{36, 1}, {52, 2}}},
	{"the same context twice", {{41, 1}}},
	{"a context comes after the next one of its caller", {{23, 2}}},
	{"more callers are left than there are", {{52, 4}}},
	{"the last context has no counts", {{56, 0}}},
};

/* The payload without contexts, and then these bytes */
static int reads_after(const uint8_t *bytes, size_t size)
{
	uint8_t payload[64];

	memcpy(payload, tree, TREE_TAG);
	memcpy(payload + TREE_TAG, bytes, size);
	return reads(payload, TREE_TAG + size);
}

static void a_tree_that_would_not_be_written_is_refused(void **unused)
{
	uint8_t changed[sizeof(tree) + 3];

	(void)unused;
	assert_int_equal(reads(tree, sizeof(tree)), 0);
	assert_int_equal(reads(tree, TREE_TAG), 0);
	for (size_t i = TREE_TAG + 1; i < sizeof(tree); i++)
		assert_int_equal(reads(tree, i), -EINVAL);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		memcpy(changed, tree, sizeof(tree));
		for (size_t j = 0; j < 3 && changes[i].bytes[j].at; j++)
			changed[changes[i].bytes[j].at] = changes[i].bytes[j].value;
		if (reads(changed, sizeof(tree)) != -EINVAL)
			fail_msg("%s: not refused", changes[i].why);
	}
	memcpy(changed, tree, sizeof(tree));
	memcpy(changed + sizeof(tree), (const uint8_t[]){3, 0, 0}, 3);
	assert_int_equal(reads(changed, sizeof(tree) + 3), -EINVAL);
}

static void sections_are_in_order_and_there_once(void **unused)
{
	(void)unused;
	assert_int_equal(reads_after((const uint8_t[]){1, 0}, 2), 0);
	assert_int_equal(reads_after((const uint8_t[]){3, 0, 0}, 3), 0);
	assert_int_equal(reads_after((const uint8_t[]){1, 0, 3, 0, 0}, 5), 0);
	assert_int_equal(reads_after((const uint8_t[]){0, 0}, 2), -EINVAL);
	assert_int_equal(reads_after((const uint8_t[]){1, 0, 2, 0, 0}, 5), -EINVAL);
	assert_int_equal(reads_after((const uint8_t[]){3, 0, 0, 1, 0}, 5), -EINVAL);
	assert_int_equal(reads_after((const uint8_t[]){3, 0, 0, 3, 0, 0}, 6), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tree_that_would_not_be_written_is_refused),
		cmocka_unit_test(sections_are_in_order_and_there_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
