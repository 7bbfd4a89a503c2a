/* SPDX-License-Identifier: GPL-2.0-only */
/* Headers of tar: what is written is read again, and names stay below the directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive/tar.h"

static void test_names(void **state)
{
	static const char *const safe[] = {"a", "a/b", "a/.b/..c/...", "files/usr/lib/x.so", "~"};
	static const char *const unsafe[] = {"",       "/",    "/a",  "..",  "../a", "a/..",
					     "a/../b", "a//b", "./a", "a/.", "a/",   "."};

	(void)state;
	for (size_t i = 0; i < sizeof(safe) / sizeof(safe[0]); i++)
		assert_true(tar_name_is_safe(safe[i]));
	for (size_t i = 0; i < sizeof(unsafe) / sizeof(unsafe[0]); i++)
		if (tar_name_is_safe(unsafe[i]))
			fail_msg("'%s' is not safe", unsafe[i]);
}

/* What a reader makes of an entry */
static void check_round_trip(const char *name, uint64_t size)
{
	char records[TAR_NAME + 128];
	struct tar_header header;
	struct tar_entry entry = {.size = 0}, own = {.size = 0};
	bool has_name = false, has_size = false;
	const size_t length = tar_pax_make(records, sizeof(records), name, size);

	tar_header_make(&header, name, TAR_FILE, size, 1234567890);
	assert_null(tar_header_read(&header, &entry));
	if (length) {
		assert_null(tar_pax_read(records, length, &own, &has_name, &has_size));
		for (size_t cut = 1; cut < length; cut++) {
			struct tar_entry other;
			bool a = false, b = false;

			if (!tar_pax_read(records, cut, &other, &a, &b))
				assert_true(a != has_name || b != has_size);
		}
	}
	assert_int_equal(has_name, strlen(name) > 100);
	assert_int_equal(has_size, size >> 33 != 0);
	assert_string_equal(has_name ? own.name : entry.name, name);
	assert_int_equal(has_size ? own.size : entry.size, size);
	assert_int_equal(entry.mtime, 1234567890);
	assert_int_equal(entry.type, TAR_FILE);
}

static void test_round_trip(void **state)
{
	char name[TAR_NAME] = "";

	(void)state;
	for (size_t length = 1; length < 4000; length += length < 1100 ? 1 : 97) {
		memset(name, 'x', length);
		check_round_trip(name, length);
	}
	for (unsigned int bit = 0; bit < 59; bit++) {
		check_round_trip("short", UINT64_C(1) << bit);
		check_round_trip("short", (UINT64_C(1) << bit) - 1);
	}
}

static void test_header_damaged(void **state)
{
	struct tar_header header;
	struct tar_entry entry;

	(void)state;
	tar_header_make(&header, "name", TAR_FILE, 077, 0);
	for (size_t i = 0; i < sizeof(header); i++) {
		uint8_t *byte = (uint8_t *)&header + i;

		/* digits of the sum may be blanks as well as zeros */
		if (i - offsetof(struct tar_header, checksum) < sizeof(header.checksum))
			continue;
		*byte ^= 1;
		assert_non_null(tar_header_read(&header, &entry));
		*byte ^= 1;
	}
	assert_null(tar_header_read(&header, &entry));
}

static void test_pax_damaged(void **state)
{
	static const char *const damaged[] = {
		"12 path=a/b",
		"0 path=a\n",
		"x path=a\n",
		"99999999 path=a\n",
		"999999999999 p=a\n",
		"12 size=1x3\n",
		"9 size=\n",
		"5\n",
		"4 =\n5",
		"30 size=1234567890123456789012\n",
	};
	struct tar_entry entry;
	bool has_name, has_size;

	(void)state;
	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		if (!tar_pax_read(damaged[i], strlen(damaged[i]), &entry, &has_name, &has_size))
			fail_msg("'%s' is accepted", damaged[i]);
	has_name = has_size = false;
	assert_null(
		tar_pax_read("12 path=a/b\n14 comment=x\n\n", 26, &entry, &has_name, &has_size));
	assert_string_equal(entry.name, "a/b");
	assert_true(has_name && !has_size);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_header_damaged),
		cmocka_unit_test(test_pax_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
