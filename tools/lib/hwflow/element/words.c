/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Packets as words, many at a time. What comes next in a trace can hardly be guessed, so there are
 * as few branches on it as can be. With speculation there are none on what most packets are
 * (take_lanes()): but then the size of one has to be known before the next is looked at, which
 * takes long, and so there are several places at once at which packets are taken.
 */
#include "element/words_rows.h"

#include "element/words_private.h"

static uint64_t push(struct hwf_recent *recent, uint64_t address)
{
	hwf_recent_push(recent, address);
	return address;
}

static uint64_t expand(struct hwf_recent *recent, const struct hwf_ete_address *address)
{
	uint64_t low = address->value | address->is;

	if (address->bits < 64)
		low |= recent->address[0] >> address->bits << address->bits;
	return push(recent, low);
}

static uint64_t take_time(struct hwf_recent *recent, const struct hwf_ete_timestamp *ts)
{
	uint64_t value = ts->value;

	if (ts->bits < 64)
		value |= recent->timestamp >> ts->bits << ts->bits;
	recent->timestamp = value;
	return value;
}

static uint64_t take_q_address(struct hwf_recent *recent, const struct hwf_ete_q *q)
{
	if (!q->has_address)
		return 0;
	if (q->entry < HWF_HISTORY)
		return push(recent, recent->address[q->entry]);
	return expand(recent, &q->address);
}

/* The kind of a packet that has to do with the history, and its value; what it leaves to that */
static enum hwf_word_kind take_past(const struct hwf_words *words, struct hwf_recent *recent,
				    const struct hwf_ete_packet *packet, uint64_t *value)
{
	*value = 0;
	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_address:
		*value = expand(recent, &packet->u.address);
		return words->row[packet->header].kind;
	case HWF_ETE_CODEC_address_context:
		*value = expand(recent, &packet->u.address_context.address);
		return HWF_WORD_OTHER;
	case HWF_ETE_CODEC_q:
		*value = take_q_address(recent, &packet->u.q);
		return HWF_WORD_Q;
	case HWF_ETE_CODEC_timestamp:
		*value = take_time(recent, &packet->u.timestamp);
		return packet->u.timestamp.has_count ? HWF_WORD_OTHER : HWF_WORD_TIMESTAMP;
	case HWF_ETE_CODEC_trace_info:
		*recent = (struct hwf_recent){0};
		return HWF_WORD_OTHER;
	case HWF_ETE_CODEC_exception:
		if (packet->type == HWF_ETE_EXCEPTION)
			return HWF_WORD_OTHER;
		/* PE Reset and Transaction Failure: an address of 0 takes the place of theirs */
		push(recent, 0);
		return HWF_WORD_BARE;
	default:
		return HWF_WORD_OTHER;
	}
}

/* May no word be behind it? An address of 32 bits means another thing in AArch32. */
static bool is_last(const struct hwf_ete_packet *packet)
{
	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_extension:
		return packet->type != HWF_ETE_ALIGN_SYNC;
	case HWF_ETE_CODEC_context:
		return !packet->u.context.same && !packet->u.context.sf;
	case HWF_ETE_CODEC_address_context:
		return !packet->u.address_context.context.sf;
	default:
		return false;
	}
}

/*
 * Any packet, by its codec: how many words it is; 0 for one that is none. Not in line: the loop of
 * those that are many would be slower by a fifth.
 */
static __attribute__((noinline)) unsigned int take_packet(const struct hwf_words *words,
							  struct hwf_recent *recent,
							  const uint8_t *at, size_t length,
							  struct hwf_word *word)
{
	struct hwf_ete_packet packet;
	int size = hwf_ete_decode_in_place(words->config, at, length, &packet);
	enum hwf_word_kind kind;
	uint64_t value;

	if (size <= 0 || is_last(&packet))
		return 0;
	if (hwf_word_of_packet(&packet, word))
		return 1;
	kind = take_past(words, recent, &packet, &value);
	hwf_word_set(word, kind, packet.type, (uint32_t)size, value);
	if (kind != HWF_WORD_Q)
		return 1;
	hwf_word_set(word + 1, HWF_WORD_MORE, HWF_ETE_Q, 0,
		     packet.u.q.count | HWF_WORD_NUMBER(packet.u.q.type));
	word[1].at = word->at;
	return 2;
}

/* A Q with a short address, or that of an entry, and a count of one byte: its size, or 0 */
static inline size_t take_q(struct hwf_recent *recent, const uint8_t *at, struct hwf_word *word)
{
	const bool is_short = at[0] == 0xa5;
	const size_t size = is_short ? 2u + (at[1] >> 7) : 1;

	if ((!is_short && at[0] > 0xa2) || at[size] & 0x80)
		return 0;
	if (is_short)
		hwf_word_low_bits(recent, at + 1);
	else
		hwf_recent_push(recent, recent->address[at[0] & 3]);
	hwf_word_set(word + 1, HWF_WORD_MORE, HWF_ETE_Q, 0,
		     at[size] | HWF_WORD_NUMBER(at[0] & 0xf));
	return hwf_word_set(word, HWF_WORD_Q, HWF_ETE_Q, (uint32_t)size + 1, recent->address[0]);
}

static inline uint32_t load16(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}

/* spelt out, so that it becomes one load where a core has that */
static inline uint64_t load64(const uint8_t *at)
{
	return at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
	       (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
	       (uint64_t)at[7] << 56;
}

/* Bytes up to the first with bit 7 clear, one to eight; 0 where there is none */
static unsigned int ends_behind(uint64_t bytes)
{
	uint64_t ends = ~bytes & UINT64_C(0x8080808080808080);

	return ends ? ((unsigned int)__builtin_ctzll(ends) >> 3) + 1 : 0;
}

/* From type to the end: four bytes that are copied as one */
#define TAG 4

_Static_assert(offsetof(struct hwf_word, type) + TAG == sizeof(struct hwf_word) &&
		       offsetof(struct hwf_word_row, type) + TAG ==
			       offsetof(struct hwf_word_row, times),
	       "struct hwf_word_row has the end of a struct hwf_word");

static inline void put(struct hwf_word *word, const struct hwf_word_row *row, uint64_t value,
		       size_t at)
{
	word->value = value;
	word->at = (uint32_t)at;
	__builtin_memcpy(&word->type, &row->type, TAG);
}

static inline uint64_t value_of(const struct hwf_word_row *row, const uint8_t *at)
{
	return row->value + (at[1] * row->times & row->mask);
}

static inline size_t size_of(const struct hwf_words *words, const uint8_t *at)
{
	return words->size[load16(at) & (HWF_WORDS_SIZES - 1)];
}

/* EACH_LAST - no packet begins behind it: one of one byte may be two words */
#define EACH_LAST ((size_t)HWF_WORDS_ALL / 2 - 1)

/*
 * One packet after the other: a branch on what comes, by the header byte itself, as a load more
 * would make each wrong guess dearer. @twos, @q and @source are constants. With @twos packets of
 * which the row says all are many, though they are no Atoms; with @q there are Q packets; @source
 * as for hwf_words_next().
 */
static inline __attribute__((always_inline)) size_t take_each(const struct hwf_words *words,
							      struct hwf_recent *recent,
							      const uint8_t *bytes, size_t length,
							      struct hwf_taken *taken, bool twos,
							      bool q, bool source)
{
	const size_t room = length - HWF_WORDS_ROOM;
	const uint8_t *const last = bytes + (room < EACH_LAST ? room : EACH_LAST);
	struct hwf_word *word = taken->word;
	const uint8_t *at = bytes;
	size_t others = 0;

	for (; at <= last; word++) {
		const struct hwf_word_row *row = &words->row[*at];
		size_t size;

		if (twos ? row->one : *at >= 0xc0) {
			put(word, row, row->value, (size_t)(at - bytes));
			at++;
		} else if (twos && !row->later && size_of(words, at)) {
			put(word, row, value_of(row, at), (size_t)(at - bytes));
			at += 2;
		} else if (q && (*at & 0xf0) == 0xa0 && (size = take_q(recent, at, word))) {
			word->at = (uint32_t)(at - bytes);
			(++word)->at = (uint32_t)(at - bytes);
			at += size;
		} else {
			size = hwf_words_next(words->config, recent, at, word, true, source);
			word->at = (uint32_t)(at - bytes);
			if (!size) {
				unsigned int count =
					take_packet(words, recent, at, length - word->at, word);
				if (!count)
					break;
				if (word->kind == HWF_WORD_OTHER)
					taken->list[others++] = (uint16_t)(word - taken->word);
				at += word->size;
				word += count - 1;
				continue;
			}
			at += size;
		}
	}
	taken->span[0] = (struct hwf_word_span){.word = taken->word,
						.count = (size_t)(word - taken->word),
						.other = taken->list,
						.others = others};
	taken->spans = 1;
	return (size_t)(at - bytes);
}

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
	size_t size = size_of(words, bytes + *at);

	put(word, row, value_of(row, bytes + *at), *at);
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
		if (ends_behind(load64(at + 1)))
			return 1 + ends_behind(load64(at + 1));
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
	uint64_t bytes = load64(at + 1);
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
			       take_packet(words, recent, at, length - word->at, word);
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

/* In several places at once; there have to be bytes enough for all of them. */
static size_t take_lanes(const struct hwf_words *words, struct hwf_recent *recent,
			 const uint8_t *bytes, size_t length, struct hwf_taken *taken)
{
	struct lane lane[HWF_WORDS_LANES];
	bool more = true;
	size_t end = 0;
	size_t count;

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

/* Not in line, so that the registers of one way are not those of another */
#define EACH(name, twos, q, source)                                                             \
	static __attribute__((noinline)) size_t name(                                           \
		const struct hwf_words *words, struct hwf_recent *recent, const uint8_t *bytes, \
		size_t length, struct hwf_taken *taken)                                         \
	{                                                                                       \
		return take_each(words, recent, bytes, length, taken, twos, q, source);         \
	}

EACH(each_etmv4, true, false, false)
EACH(each_with_q, false, true, true)
EACH(each_with_twos, true, false, true)
EACH(each_plain, false, false, true)

size_t hwf_words_take(const struct hwf_words *words, struct hwf_address_history *history,
		      const uint8_t *bytes, size_t length, struct hwf_taken *taken)
{
	const struct hwf_ete_config *config = words->config;
	struct hwf_recent recent;
	size_t size = 0;

	taken->spans = 0;
	if (history->narrow || length < HWF_WORDS_ROOM)
		return 0;
	hwf_recent_open(&recent, history);
	if (config->max_spec && length >= 2 * HWF_WORDS_LANES * LANE_BYTES)
		size = take_lanes(words, &recent, bytes, length, taken);
	if (!size && config->protocol == HWF_PROTOCOL_ETMV4)
		size = each_etmv4(words, &recent, bytes, length, taken);
	else if (!size && config->q)
		size = each_with_q(words, &recent, bytes, length, taken);
	else if (!size && (config->max_spec || config->cycle_count))
		size = each_with_twos(words, &recent, bytes, length, taken);
	else if (!size)
		size = each_plain(words, &recent, bytes, length, taken);
	hwf_recent_close(&recent, history);
	return size;
}
