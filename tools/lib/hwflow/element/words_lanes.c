/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets as words in several places of the trace at once. There are no branches on what most
 * packets are: but then the size of one has to be known before the next is looked at, which takes
 * long, and so there are several places at which packets are taken.
 */
#include "element/words_take.h"

/* LANE_BYTES - from where packets are looked for in one place to the next */
#define LANE_BYTES ((size_t)512)

/* struct lane - packets that follow each other */
struct lane {
	size_t at;
	struct hwf_word *word;
	uint16_t *list;  /* indices of words that need more than their rows */
	uint16_t *later; /* its end */
	size_t from;     /* in no place before is it known that a packet begins */
};

/* At a packet of a row or a form: its size; where it is another, 0, and nothing is done yet. */
static inline size_t lane_step(const struct hwf_words *words, const uint8_t *bytes, size_t *at,
			       uint16_t **later, struct hwf_word *word, size_t index)
{
	const struct hwf_word_row *row = &words->row[bytes[*at]];
	size_t size = hwf_words_size(words, bytes + *at);

	hwf_word_put(word, row, hwf_word_row_value(row, bytes + *at), *at);
	if (__builtin_expect(!size, 0))
		return 0;
	**later = (uint16_t)index;
	*later += row->later;
	*at += size;
	return size;
}

/*
 * All lanes, a packet each at a time, up to @end packets, or a lane that is at another packet:
 * which one, or HWF_WORDS_LANES. The lanes before that one are a packet ahead. Not in line, and
 * four times the same: it is the registers that count.
 */
static __attribute__((noinline)) size_t lanes_run(const struct hwf_words *words,
						  const uint8_t *bytes, struct lane *lane,
						  size_t *count, size_t end)
{
	size_t at0 = lane[0].at;
	size_t at1 = lane[1].at;
	size_t at2 = lane[2].at;
	size_t at3 = lane[3].at;
	uint16_t *later0 = lane[0].later;
	uint16_t *later1 = lane[1].later;
	uint16_t *later2 = lane[2].later;
	uint16_t *later3 = lane[3].later;
	struct hwf_word *word = lane[0].word + *count;
	size_t index = *count;
	size_t stopped = HWF_WORDS_LANES;

	for (; index < end; index++, word++) {
		stopped = 0;
		if (!lane_step(words, bytes, &at0, &later0, word, index))
			break;
		stopped = 1;
		if (!lane_step(words, bytes, &at1, &later1, word + HWF_WORDS_LANE, index))
			break;
		stopped = 2;
		if (!lane_step(words, bytes, &at2, &later2, word + 2 * HWF_WORDS_LANE, index))
			break;
		stopped = 3;
		if (!lane_step(words, bytes, &at3, &later3, word + 3 * HWF_WORDS_LANE, index))
			break;
		stopped = HWF_WORDS_LANES;
	}
	lane[0].at = at0;
	lane[1].at = at1;
	lane[2].at = at2;
	lane[3].at = at3;
	lane[0].later = later0;
	lane[1].later = later1;
	lane[2].later = later2;
	lane[3].later = later3;
	*count = index;
	return stopped;
}

/* Bytes of the VMID and of the Context ID, as the information byte of a context has it */
static size_t context_fields(const struct hwf_ete_config *config, uint8_t info)
{
	return (info & 0x40 ? config->vmid_bytes : 0u) + (info & 0x80 ? config->cid_bytes : 0u);
}

/* The size of any packet; 1 for what is none, which finish() finds out */
static size_t any_size(const struct hwf_words *words, const uint8_t *at, size_t length)
{
	struct hwf_ete_packet packet;
	int size;

	switch (at[0]) {
	case 0x02:
		if (hwf_word_ends_behind(hwf_load64(at + 1)))
			return 1 + hwf_word_ends_behind(hwf_load64(at + 1));
		break;
	case 0x81:
		return 2 + context_fields(words->config, at[1]);
	case 0x82:
	case 0x83:
		return 6 + context_fields(words->config, at[5]);
	default:
		break;
	}
	size = hwf_ete_decode_in_place(words->config, at, length, &packet);
	return size > 0 ? (size_t)size : 1;
}

/* A step at any packet */
static void lane_any(const struct hwf_words *words, const uint8_t *bytes, size_t length,
		     struct lane *lane, size_t index)
{
	struct hwf_word *word = lane->word + index;

	if (lane_step(words, bytes, &lane->at, &lane->later, word, index))
		return;
	word->kind = HWF_WORD_OTHER;
	*lane->later++ = (uint16_t)index;
	lane->at += any_size(words, bytes + lane->at, length - lane->at);
}

/* How many more packets of rows and forms no lane can run too far with; 0 where all are there */
static size_t lanes_left(const struct lane *lane, size_t last)
{
	size_t most = 0;
	bool all = true;

	for (size_t i = 0; i < HWF_WORDS_LANES; i++) {
		most = lane[i].at > most ? lane[i].at : most;
		all &= lane[i].at >= (i + 1) * LANE_BYTES;
	}
	if (all || most > last)
		return 0;
	return (last - most) / HWF_WORDS_ROOM < 16 ? (last - most) / HWF_WORDS_ROOM : 16;
}

/* Packets of all lanes, each as many: how many */
static size_t lanes_take(const struct hwf_words *words, const uint8_t *bytes, size_t length,
			 struct lane *lane)
{
	const size_t last = length - HWF_WORDS_ROOM;
	size_t count = 0;
	size_t left;

	while ((left = lanes_left(lane, last))) {
		size_t stopped = lanes_run(words, bytes, lane, &count, count + left);

		if (stopped == HWF_WORDS_LANES)
			continue;
		for (; stopped < HWF_WORDS_LANES; stopped++)
			lane_any(words, bytes, length, &lane[stopped], count);
		count++;
	}
	/* so that the end of a lane is found as its packets are */
	for (size_t i = 0; i < HWF_WORDS_LANES; i++)
		lane[i].word[count].at = (uint32_t)lane[i].at;
	return count;
}

/*
 * A lane begins where a packet may not. But once two lanes are at the same byte they stay together:
 * find the first packet of the second that is one of the first, or where that ends. True, and where
 * it is in each, or false.
 */
static bool lanes_meet(const struct hwf_word *a, const struct hwf_word *b, size_t count,
		       size_t *in_a, size_t *in_b)
{
	size_t i = count;
	size_t j = 0;

	while (i > *in_a && a[i - 1].at >= b->at)
		i--;
	while (i <= count && j <= count && a[i].at != b[j].at) {
		if (a[i].at < b[j].at)
			i++;
		else
			j++;
	}
	*in_a = i;
	*in_b = j;
	return i <= count && j <= count;
}

/*
 * The history as one address behind the other, so that there is no branch on whether one more
 * comes: the newest. There has to be room behind it.
 */
static uint64_t *trail_open(uint64_t *trail, const struct hwf_recent *recent)
{
	uint64_t *newest = trail + HWF_HISTORY - 1;

	for (ptrdiff_t i = 0; i < HWF_HISTORY; i++)
		newest[-i] = recent->address[i];
	return newest;
}

static void trail_close(const uint64_t *newest, struct hwf_recent *recent)
{
	for (ptrdiff_t i = 0; i < HWF_HISTORY; i++)
		recent->address[i] = newest[-i];
}

/* By its form; false where it is no such packet */
static inline bool take_form(const struct hwf_words *words, uint64_t **newest, const uint8_t *at,
			     struct hwf_word *word)
{
	const struct hwf_word_form *form = &words->form[word->value + (at[1] >> 7)];
	uint64_t bytes = hwf_load64(at + 1);
	uint64_t value = (bytes << 2 & form->by2) | (bytes << 1 & form->by1) | (bytes & form->by0) |
			 form->set;

	if ((bytes & form->zero) | (form->exception & words->no_exception[at[1]]))
		return false;
	value |= (*newest)[-(ptrdiff_t)word->entry] & form->keep;
	(*newest)[1] = value;
	*newest += form->push;
	word->value = value;
	word->size = (uint8_t)form->size;
	return true;
}

/*
 * The words of a lane from @from on, up to @to, that need more than their rows. Where one ends it
 * all, the words end before it: false.
 */
static bool lane_finish(const struct hwf_words *words, struct hwf_recent *recent,
			const uint8_t *bytes, size_t length, struct lane *lane, size_t to,
			uint64_t *trail, struct hwf_word_span *span)
{
	uint64_t *newest = trail_open(trail, recent);
	const uint16_t *list = lane->list;
	uint16_t *others = lane->list;
	bool good = true;

	while (list < lane->later && *list < lane->from)
		list++;
	for (; list < lane->later && *list < to; list++) {
		struct hwf_word *word = &lane->word[*list];
		const uint8_t *at = bytes + word->at;

		if (word->kind != HWF_WORD_OTHER) {
			good = take_form(words, &newest, at, word);
		} else {
			trail_close(newest, recent);
			/* there is no room for two words */
			good = words->row[*at].kind != HWF_WORD_Q &&
			       hwf_words_any(words, recent, at, length - word->at, word);
			newest = trail_open(trail, recent);
			if (good && word->kind == HWF_WORD_OTHER)
				*others++ = (uint16_t)(*list - lane->from);
		}
		if (!good)
			break;
	}
	trail_close(newest, recent);
	if (!good)
		to = *list;
	*span = (struct hwf_word_span){.word = lane->word + lane->from,
				       .count = to - lane->from,
				       .other = lane->list,
				       .others = (size_t)(others - lane->list)};
	return good;
}

size_t hwf_words_lanes(const struct hwf_words *words, struct hwf_recent *recent,
		       const uint8_t *bytes, size_t length, struct hwf_taken *taken)
{
	struct lane lane[HWF_WORDS_LANES];
	bool more = true;
	size_t end = 0;
	size_t count;

	if (length < 2 * HWF_WORDS_LANES * LANE_BYTES)
		return 0;
	for (size_t i = 0; i < HWF_WORDS_LANES; i++)
		lane[i] = (struct lane){.at = i * LANE_BYTES,
					.word = taken->word + i * HWF_WORDS_LANE,
					.list = taken->list + i * HWF_WORDS_LANE,
					.later = taken->list + i * HWF_WORDS_LANE};
	count = lanes_take(words, bytes, length, lane);
	for (size_t i = 0; i < HWF_WORDS_LANES && more; i++) {
		size_t to = lane[i].from;

		more = i + 1 < HWF_WORDS_LANES &&
		       lanes_meet(lane[i].word, lane[i + 1].word, count, &to, &lane[i + 1].from);
		if (!more)
			to = count;
		more &= lane_finish(words, recent, bytes, length, &lane[i], to, taken->trail,
				    &taken->span[i]);
		end = lane[i].from + taken->span[i].count;
		end = lane[i].word[end].at;
		taken->spans++;
	}
	return end;
}
