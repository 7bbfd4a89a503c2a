/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that are kept by what they follow from. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "verbs/text_memory.h"

static const char space_a, space_b, piece_a, piece_b;

static struct text text;

static int drop(void *ctx, const char *bytes, size_t size)
{
	(void)ctx;
	(void)bytes;
	(void)size;
	return 0;
}

/* Appends @size times @c, and keeps that. */
static void keep(struct text_memory *memory, const struct text_key *key, char c, size_t size)
{
	const char *start = text_room(&text, TEXT_MEMORY_LONGEST);
	const uint64_t flushes = text.hwf.flushes;

	for (size_t i = 0; i < size; i++)
		text_char(&text, c);
	text_memory_keep(text_memory_at(memory, key), key, start, flushes, &text);
}

static bool is_kept(struct text_memory *memory, const struct text_key *key)
{
	return text_memory_has(text_memory_at(memory, key), key);
}

static struct text_memory *begin(void)
{
	struct text_memory *memory;

	text_init(&text, drop, NULL);
	assert_int_equal(text_memory_new(&memory), 0);
	return memory;
}

static const struct text_key first = {.from = 0x400580,
				      .to = 0x4008a4,
				      .from_space = &space_a,
				      .to_space = &space_a,
				      .piece = &piece_a,
				      .tid = 7,
				      .what = 1};

static void a_text_is_kept_with_its_key(void **state)
{
	struct text_memory *memory = begin();
	struct text_key others[7];

	(void)state;
	assert_false(is_kept(memory, &first));
	keep(memory, &first, 'x', 5);
	assert_true(is_kept(memory, &first));
	for (size_t i = 0; i < 7; i++)
		others[i] = first;
	others[0].from++;
	others[1].to++;
	others[2].from_space = &space_b;
	others[3].to_space = &space_b;
	others[4].piece = &piece_b;
	others[5].tid++;
	others[6].what++;
	for (size_t i = 0; i < 7; i++) {
		assert_false(is_kept(memory, &others[i]));
		/* wherever it is, and also in the place of the first */
		assert_false(text_memory_has(text_memory_at(memory, &first), &others[i]));
	}
	text_flush(&text);
	text_memory_put(text_memory_at(memory, &first), &text);
	assert_int_equal(text.hwf.at - text.bytes, 5);
	assert_memory_equal(text.bytes, "xxxxx", 5);
	text_memory_free(memory);
}

static void a_new_text_takes_the_place_of_the_old_one(void **state)
{
	struct text_memory *memory = begin();
	struct text_key other = first;
	struct text_entry *entry = text_memory_at(memory, &first);

	(void)state;
	other.tid++;
	assert_ptr_equal(text_memory_at(memory, &other), entry);
	keep(memory, &first, 'x', 5);
	entry->word = 3;
	keep(memory, &other, 'y', 500);
	assert_false(is_kept(memory, &first));
	assert_true(is_kept(memory, &other));
	assert_int_equal(entry->size, 500);
	assert_int_equal(entry->word, 0);
	for (size_t i = 0; i < 500; i++)
		assert_int_equal(entry->text[i], 'y');
	text_memory_free(memory);
}

static void a_text_that_is_too_long_is_not_kept(void **state)
{
	struct text_memory *memory = begin();

	(void)state;
	keep(memory, &first, 'x', TEXT_MEMORY_LONGEST + 1);
	assert_false(is_kept(memory, &first));
	/* and one that was handed on while it was written */
	keep(memory, &first, 'x', TEXT_BYTES + 5);
	assert_false(is_kept(memory, &first));
	keep(memory, &first, 'x', TEXT_MEMORY_LONGEST);
	assert_true(is_kept(memory, &first));
	text_memory_free(memory);
}

static void addresses_are_spread(void **state)
{
	struct text_memory *memory = begin();
	struct text_key key = first;
	unsigned int kept = 0;

	(void)state;
	for (unsigned int i = 0; i < 8192; i++) {
		key.from = 0x400000 + 4 * i;
		key.to = 0x400000 + 4 * (i * 2654435761u % 8192);
		keep(memory, &key, 'x', 3);
	}
	for (unsigned int i = 0; i < 8192; i++) {
		key.from = 0x400000 + 4 * i;
		key.to = 0x400000 + 4 * (i * 2654435761u % 8192);
		kept += is_kept(memory, &key);
	}
	/* a quarter of the places: most have one text at most */
	assert_true(kept > 7000);
	text_memory_free(memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_kept_with_its_key),
		cmocka_unit_test(a_new_text_takes_the_place_of_the_old_one),
		cmocka_unit_test(a_text_that_is_too_long_is_not_kept),
		cmocka_unit_test(addresses_are_spread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
