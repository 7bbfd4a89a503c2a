// SPDX-License-Identifier: GPL-2.0-only
/* Limits on what an input may ask for. */
#include "input_limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print.h"

/* Bytes of the longest text of limit_text() */
#define TEXT 160u

/**
 * struct row - a limit
 * @word: as --max takes it
 * @unit: what is counted
 * @what: what is limited
 * @value: the most there may be
 * @spent: what limit_spend() has spent of it
 */
struct row {
	const char *word;
	const char *unit;
	const char *what;
	uint64_t value;
	uint64_t spent;
};

static struct row rows[LIMITS] = {
#define LIMIT(word, value, unit, what) [LIMIT_##word] = {#word, unit, what, value, 0},
#include "input_limits.def"
#undef LIMIT
};

uint64_t limit_of(enum limit limit)
{
	return rows[limit].value;
}

bool limit_spend(enum limit limit, uint64_t *share, uint64_t amount)
{
	struct row *row = &rows[limit];
	const uint64_t excess = amount > *share ? amount - *share : 0;

	if (excess && (row->spent >= row->value || excess > row->value - row->spent))
		return false;
	row->spent += excess;
	*share -= amount - excess;
	return true;
}

void limits_forget(void)
{
	for (size_t i = 0; i < LIMITS; i++)
		rows[i].spent = 0;
}

/* The power of two that a letter stands for; -1 for no such letter */
static int power_of(const char *letter)
{
	static const char letters[] = "KMGT";
	const char *found = *letter ? strchr(letters, *letter) : NULL;

	if (!*letter)
		return 0;
	return found && !letter[1] ? 10 * (int)(found - letters + 1) : -1;
}

static bool take_number(const char *text, uint64_t *value)
{
	char *end;
	int power;

	errno = 0;
	*value = strtoull(text, &end, 10);
	power = power_of(end);
	if (errno || *text < '0' || *text > '9' || power < 0 || *value > UINT64_MAX >> power)
		return false;
	*value <<= power;
	return true;
}

static struct row *find(const char *text, size_t length)
{
	for (size_t i = 0; i < LIMITS; i++)
		if (strlen(rows[i].word) == length && !memcmp(rows[i].word, text, length))
			return &rows[i];
	return NULL;
}

bool limit_take(const char *text)
{
	const size_t length = strcspn(text, "=");
	struct row *row = find(text, length);

	if (!row) {
		print(stderr, "hwflow: --max=%s: there is no limit of this name; these are:", text);
		for (size_t i = 0; i < LIMITS; i++)
			print(stderr, " %s", rows[i].word);
		fputc('\n', stderr);
		return false;
	}
	if (!text[length] || !take_number(text + length + 1, &row->value)) {
		print(stderr,
		      "hwflow: --max=%s: not a number behind %s=; it may end in K, M, G or T\n",
		      text, row->word);
		return false;
	}
	return true;
}

/* A number with the letter of the largest power of 1024 that divides it */
static void write_number(char *text, size_t size, uint64_t value)
{
	static const char letters[] = " KMGT";
	size_t power = 0;

	while (value && !(value & 1023) && power < sizeof(letters) - 2) {
		value >>= 10;
		power++;
	}
	snprintf(text, size, power ? "%" PRIu64 "%c" : "%" PRIu64, value, letters[power]);
}

const char *limit_text(enum limit limit)
{
	static char texts[LIMITS][TEXT];
	const struct row *row = &rows[limit];
	char number[24];

	write_number(number, sizeof(number), row->value);
	snprintf(texts[limit], TEXT, "the limit is %s %s %s; --max=%s=N raises it", number,
		 row->unit, row->what, row->word);
	return texts[limit];
}
