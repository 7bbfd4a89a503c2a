/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Any packet as a word, or two: by its codec. */
#include "element/words_rows.h"
#include "element/words_take.h"

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

unsigned int hwf_words_any(const struct hwf_words *words, struct hwf_recent *recent,
			   const uint8_t *at, size_t length, struct hwf_word *word)
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
