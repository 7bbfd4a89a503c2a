/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The words of a packet, as hwf_ete_decode() has it: for a test and a fuzz target. */
#ifndef HWF_EXPECTED_WORDS_H
#define HWF_EXPECTED_WORDS_H

#include "hwflow/words.h"

static inline uint64_t resolve_value(const struct hwf_ete_resolve *resolve)
{
	return resolve->atoms.bits | (uint64_t)resolve->atoms.count << 24 |
	       (resolve->mispredict ? HWF_WORD_MISPREDICT : 0) |
	       (uint64_t)(resolve->commit + resolve->cancel) << 32;
}

static inline uint64_t time_value(const struct hwf_ete_timestamp *ts,
				  struct hwf_address_history *history)
{
	history->timestamp =
		ts->bits == 64
			? ts->value
			: ts->value | (history->timestamp & ~((UINT64_C(1) << ts->bits) - 1));
	return history->timestamp;
}

static inline uint64_t q_value(const struct hwf_ete_q *q, struct hwf_address_history *history)
{
	struct hwf_el_address address = {0};

	if (q->has_address && q->entry < HWF_HISTORY) {
		address = history->entry[q->entry];
		hwf_history_push(history, address.value, address.is);
	} else if (q->has_address) {
		address = hwf_history_expand(history, &q->address);
	}
	return address.value | address.is;
}

/*
 * What struct hwf_word says of a packet, one word or two: how many; the history as
 * hwf_elements_push() keeps it
 */
static inline size_t expected_words(const struct hwf_ete_packet *packet,
				    struct hwf_address_history *history, struct hwf_word *words)
{
	struct hwf_word *word = &words[0];
	bool source = packet->type >= HWF_ETE_SOURCE_ADDRESS_EXACT_MATCH;
	struct hwf_el_address address;

	words[0] = (struct hwf_word){.type = packet->type, .size = (uint8_t)packet->size};
	words[1] = (struct hwf_word){.type = packet->type, .kind = HWF_WORD_MORE};
	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_atoms:
		word->kind = HWF_WORD_ATOMS;
		word->value = packet->u.atoms.bits | (uint64_t)packet->u.atoms.count << 24;
		break;
	case HWF_ETE_CODEC_commit:
		word->kind = HWF_WORD_COMMIT;
		word->value = resolve_value(&packet->u.resolve);
		break;
	case HWF_ETE_CODEC_cancel_f1:
	case HWF_ETE_CODEC_cancel_f2:
	case HWF_ETE_CODEC_cancel_f3:
	case HWF_ETE_CODEC_mispredict:
		word->kind = HWF_WORD_CANCEL;
		word->value = resolve_value(&packet->u.resolve);
		break;
	case HWF_ETE_CODECS_CYCLE_COUNT:
		word->kind = packet->u.cycle_count.unknown ? HWF_WORD_OTHER : HWF_WORD_CYCLE_COUNT;
		if (!packet->u.cycle_count.unknown)
			word->value = packet->u.cycle_count.count |
				      (uint64_t)packet->u.cycle_count.commit << 32;
		break;
	case HWF_ETE_CODEC_address:
		address = hwf_history_expand(history, &packet->u.address);
		word->kind = source ? HWF_WORD_SOURCE : HWF_WORD_TARGET;
		word->value = address.value | address.is;
		break;
	case HWF_ETE_CODEC_exact_match:
		word->entry = packet->u.entry;
		address = history->entry[word->entry];
		hwf_history_push(history, address.value, address.is);
		word->kind = source ? HWF_WORD_SOURCE : HWF_WORD_TARGET;
		word->value = address.value | address.is;
		break;
	case HWF_ETE_CODEC_event:
		word->kind = HWF_WORD_EVENT;
		word->value = packet->u.event;
		break;
	case HWF_ETE_CODEC_exception:
		if (packet->u.exception.wide) {
			word->kind = HWF_WORD_OTHER;
			break;
		}
		word->kind = HWF_WORD_EXCEPTION;
		word->value = (uint64_t)packet->u.exception.type << 1 |
			      (packet->u.exception.ee == 1 ? 0x01 : 0x40);
		if (packet->type == HWF_ETE_EXCEPTION)
			break;
		word->kind = HWF_WORD_BARE;
		word->value = 0;
		hwf_history_push(history, 0, 0);
		break;
	case HWF_ETE_CODEC_timestamp:
		word->kind = packet->u.timestamp.has_count ? HWF_WORD_OTHER : HWF_WORD_TIMESTAMP;
		word->value = time_value(&packet->u.timestamp, history);
		break;
	case HWF_ETE_CODEC_q:
		word->kind = HWF_WORD_Q;
		word->value = q_value(&packet->u.q, history);
		words[1].value = packet->u.q.count | (uint64_t)packet->u.q.type << 32;
		return 2;
	case HWF_ETE_CODEC_address_context:
		address = hwf_history_expand(history, &packet->u.address_context.address);
		word->kind = HWF_WORD_OTHER;
		word->value = address.value | address.is;
		break;
	case HWF_ETE_CODEC_trace_info:
		word->kind = HWF_WORD_OTHER;
		hwf_history_reset(history);
		break;
	case HWF_ETE_CODEC_context:
	case HWF_ETE_CODEC_instrumentation:
	case HWF_ETE_CODEC_data_sync:
	case HWF_ETE_CODEC_cond_instr:
	case HWF_ETE_CODEC_cond_result:
		word->kind = HWF_WORD_OTHER;
		break;
	default:
		word->kind = HWF_WORD_BARE;
		break;
	}
	return 1;
}

/* What no word may be behind: the end of synchronisation, and AArch32 */
static inline bool ends_words(const struct hwf_ete_packet *packet)
{
	switch (packet->type) {
	case HWF_ETE_DISCARD:
	case HWF_ETE_OVERFLOW:
		return true;
	case HWF_ETE_CONTEXT:
		return !packet->u.context.same && !packet->u.context.sf;
	default:
		return hwf_ete_type_codec(packet->type) == HWF_ETE_CODEC_address_context &&
		       !packet->u.address_context.context.sf;
	}
}

#endif /* HWF_EXPECTED_WORDS_H */
