// SPDX-License-Identifier: GPL-2.0-only
/* The logs of workers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/work_log.h"

static void entries_come_back(void **state)
{
	_Alignas(16) uint8_t bytes[4096];
	struct work_log log = {.bytes = bytes, .room = sizeof(bytes)};
	struct work_entry entry;
	size_t at = 0;

	(void)state;
	work_log_shard(&log);
	work_log_copy(&log, WORK_TEXT, "dropped", 7);
	work_log_restart(&log);
	for (size_t size = 0; size < 40; size++)
		work_log_copy(&log, WORK_TEXT, "0123456789012345678901234567890123456789", size);
	work_log_end_shard(&log);
	at = work_log_next(bytes, at, &entry);
	assert_int_equal(entry.kind, WORK_SHARD);
	for (size_t size = 0; size < 40; size++) {
		at = work_log_next(bytes, at, &entry);
		assert_int_equal(entry.kind, WORK_TEXT);
		assert_int_equal(entry.size, size);
		assert_int_equal((uintptr_t)entry.data % 16, 0);
		assert_memory_equal(entry.data, "0123456789012345678901234567890123456789", size);
	}
	at = work_log_next(bytes, at, &entry);
	assert_int_equal(entry.kind, WORK_DONE);
	assert_int_equal(at, log.size);
}

/* Data that are written where they will be: an entry is made of as many as there are in the end. */
static void an_open_entry_is_closed_in_its_place(void **state)
{
	_Alignas(16) uint8_t bytes[512];
	struct work_log log = {.bytes = bytes, .room = sizeof(bytes)};
	struct work_entry entry;
	size_t at = 0, room = 0;
	char *to;

	(void)state;
	work_log_shard(&log);
	to = work_log_open(&log, &room);
	assert_true(room > 300 && room < sizeof(bytes));
	memset(to, 'x', room);
	work_log_close(&log, WORK_TEXT, 5);
	to = work_log_open(&log, &room);
	memset(to, 'y', room);
	work_log_close(&log, WORK_TEXT, room);
	assert_false(log.full);
	assert_null(work_log_open(&log, &room));
	work_log_end_shard(&log);
	at = work_log_next(bytes, at, &entry);
	at = work_log_next(bytes, at, &entry);
	assert_int_equal(entry.size, 5);
	assert_memory_equal(entry.data, "xxxxx", 5);
	at = work_log_next(bytes, at, &entry);
	assert_int_equal(entry.size, room);
	assert_ptr_equal(entry.data, to);
	assert_int_equal(to[room - 1], 'y');
	work_log_next(bytes, at, &entry);
	assert_int_equal(entry.kind, WORK_DONE);
}

/* A shard that does not fit is marked, in any place; those before it are whole. */
static void a_full_log_fails_one_shard(void **state)
{
	_Alignas(16) uint8_t bytes[1024 + 16];

	(void)state;
	for (size_t room = 160; room <= 1024; room += 16) {
		struct work_log log = {.bytes = bytes, .room = room};
		struct work_entry entry;
		size_t at = 0;

		memset(bytes, 0xaa, sizeof(bytes));
		work_log_shard(&log);
		work_log_copy(&log, WORK_TEXT, "first", 5);
		work_log_end_shard(&log);
		work_log_shard(&log);
		for (int i = 0; i < 100; i++)
			work_log_copy(&log, WORK_TEXT, "second", 6);
		work_log_end_shard(&log);
		assert_true(log.size <= room);
		assert_int_equal(bytes[room], 0xaa);
		at = work_log_next(bytes, at, &entry);
		at = work_log_next(bytes, at, &entry);
		assert_memory_equal(entry.data, "first", 5);
		at = work_log_next(bytes, at, &entry);
		assert_int_equal(entry.kind, WORK_DONE);
		at = work_log_next(bytes, at, &entry);
		assert_int_equal(entry.kind, WORK_SHARD);
		work_log_next(bytes, at, &entry);
		assert_int_equal(entry.kind, WORK_FAILED);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_come_back),
		cmocka_unit_test(an_open_entry_is_closed_in_its_place),
		cmocka_unit_test(a_full_log_fails_one_shard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
