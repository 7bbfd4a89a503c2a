/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the header bytes mean, as words: found by a look at the packets that the codecs make. */
#include "element/words_rows.h"

#include "ete/ete_private.h"

/* By pairs: the second where bit 7 of the byte behind the header is set */
enum form {
	FORM_EXACT,
	FORM_EXACT_SET,
	FORM_SHORT_IS0,
	FORM_SHORT_IS0_SET,
	FORM_SHORT_IS1,
	FORM_SHORT_IS1_SET,
	FORM_32_IS0,
	FORM_32_IS1 = FORM_32_IS0 + 2,
	FORM_64_IS0 = FORM_32_IS1 + 2,
	FORM_64_IS1 = FORM_64_IS0 + 2,
	FORM_EXCEPTION = FORM_64_IS1 + 2,
};

_Static_assert(FORM_EXCEPTION + 2 == HWF_WORD_FORMS, "all forms by pairs");

#define LOW(bits) ((UINT64_C(1) << (bits)) - 1)

/* spec/ete-packets.md sections 5 and 7; with bit 7 set, those that are not here are no packets */
static const struct hwf_word_form forms[HWF_WORD_FORMS] = {
	[FORM_EXACT] = {.keep = ~LOW(0), .push = 1, .size = 1},
	[FORM_EXACT_SET] = {.keep = ~LOW(0), .push = 1, .size = 1},
	[FORM_SHORT_IS0] = {.by2 = 0x1fc, .keep = ~LOW(9), .push = 1, .size = 2},
	[FORM_SHORT_IS0_SET] =
		{.by2 = 0x1fc, .by1 = 0x1fe00, .keep = ~LOW(17), .push = 1, .size = 3},
	[FORM_SHORT_IS1] = {.by1 = 0xfe, .set = 1, .keep = ~LOW(8), .push = 1, .size = 2},
	[FORM_SHORT_IS1_SET] =
		{.by1 = 0xfe, .by0 = 0xff00, .set = 1, .keep = ~LOW(16), .push = 1, .size = 3},
	[FORM_32_IS0] = {.by2 = 0x1fc,
			 .by1 = 0xfe00,
			 .by0 = 0xffff0000,
			 .keep = ~LOW(32),
			 .zero = 0x8000,
			 .push = 1,
			 .size = 5},
	[FORM_32_IS1] =
		{.by1 = 0xfe, .by0 = 0xffffff00, .set = 1, .keep = ~LOW(32), .push = 1, .size = 5},
	[FORM_64_IS0] = {.by2 = 0x1fc,
			 .by1 = 0xfe00,
			 .by0 = ~LOW(16),
			 .zero = 0x8000,
			 .push = 1,
			 .size = 9},
	[FORM_64_IS1] = {.by1 = 0xfe, .by0 = ~LOW(8), .set = 1, .push = 1, .size = 9},
	[FORM_EXCEPTION] = {.by0 = 0xff, .exception = 1, .size = 2},
};

static enum form form_of(const struct hwf_ete_address *address)
{
	if (address->bits < 32)
		return address->is ? FORM_SHORT_IS1 : FORM_SHORT_IS0;
	if (address->bits == 32)
		return address->is ? FORM_32_IS1 : FORM_32_IS0;
	return address->is ? FORM_64_IS1 : FORM_64_IS0;
}

static bool is_source(unsigned int type)
{
	return type >= HWF_ETE_SOURCE_ADDRESS_EXACT_MATCH &&
	       type <= HWF_ETE_SOURCE_ADDRESS_64BIT_IS1;
}

/* The row of a packet whose address has a form; false for one that has none */
static bool set_form(struct hwf_word_row *row, const struct hwf_ete_packet *packet)
{
	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_exact_match:
		row->kind = is_source(packet->type) ? HWF_WORD_SOURCE : HWF_WORD_TARGET;
		row->value = FORM_EXACT;
		row->entry = packet->u.entry;
		break;
	case HWF_ETE_CODEC_address:
		row->kind = is_source(packet->type) ? HWF_WORD_SOURCE : HWF_WORD_TARGET;
		row->value = form_of(&packet->u.address);
		break;
	case HWF_ETE_CODEC_q:
		/* two words: no form says all */
		row->kind = HWF_WORD_Q;
		break;
	default:
		return false;
	}
	row->type = packet->type;
	return true;
}

static uint64_t resolve_value(const struct hwf_ete_resolve *resolve)
{
	return resolve->atoms.bits | (uint64_t)resolve->atoms.count << 24 |
	       (resolve->mispredict ? HWF_WORD_MISPREDICT : 0) |
	       (uint64_t)(resolve->commit + resolve->cancel) << 32;
}

/* As in the packet */
static uint64_t exception_value(const struct hwf_ete_exception *exception)
{
	return (uint64_t)exception->type << 1 | (exception->ee & 1u) | (exception->ee & 2u) << 5;
}

bool hwf_word_of_packet(const struct hwf_ete_packet *packet, struct hwf_word *word)
{
	const struct hwf_ete_cycle_count *cc = &packet->u.cycle_count;

	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_atoms:
		word->kind = HWF_WORD_ATOMS;
		word->value = packet->u.atoms.bits | (uint64_t)packet->u.atoms.count << 24;
		break;
	case HWF_ETE_CODECS_RESOLVE:
		word->kind = packet->type == HWF_ETE_COMMIT ? HWF_WORD_COMMIT : HWF_WORD_CANCEL;
		word->value = resolve_value(&packet->u.resolve);
		break;
	case HWF_ETE_CODECS_CYCLE_COUNT:
		if (cc->unknown)
			return false;
		word->kind = HWF_WORD_CYCLE_COUNT;
		word->value = cc->count | (uint64_t)cc->commit << 32;
		break;
	case HWF_ETE_CODEC_event:
		word->kind = HWF_WORD_EVENT;
		word->value = packet->u.event;
		break;
	case HWF_ETE_CODEC_bare:
	case HWF_ETE_CODEC_ignore:
	case HWF_ETE_CODEC_function_return:
	case HWF_ETE_CODEC_cond_flush:
		word->kind = HWF_WORD_BARE;
		word->value = 0;
		break;
	case HWF_ETE_CODEC_exception:
		if (packet->type != HWF_ETE_EXCEPTION || packet->u.exception.wide)
			return false;
		word->kind = HWF_WORD_EXCEPTION;
		word->value = exception_value(&packet->u.exception);
		break;
	case HWF_ETE_CODEC_extension:
		/* the others of them end the stream's synchronisation */
		if (packet->type != HWF_ETE_ALIGN_SYNC)
			return false;
		word->kind = HWF_WORD_BARE;
		word->value = 0;
		break;
	default:
		return false;
	}
	word->type = packet->type;
	word->entry = 0;
	word->size = (uint8_t)packet->size;
	return true;
}

/* The packet that begins with these two bytes, none set in those behind them; its size, or 0 */
static unsigned int look(const struct hwf_ete_config *config, unsigned int header,
			 unsigned int second, struct hwf_ete_packet *packet)
{
	const uint8_t bytes[HWF_ETE_MAX_PACKET] = {(uint8_t)header, (uint8_t)second};
	int size = hwf_ete_decode(config, bytes, sizeof(bytes), packet);

	return size > 0 ? (unsigned int)size : 0;
}

/* What each bit of the second byte is, from a look at the packets that have it alone */
static void set_second(const struct hwf_ete_config *config, unsigned int header,
		       struct hwf_word_row *row)
{
	for (unsigned int bit = 0; bit < 8; bit++) {
		struct hwf_ete_packet packet;
		struct hwf_word word = {0};
		uint64_t adds;

		if (look(config, header, 1u << bit, &packet) != 2 ||
		    !hwf_word_of_packet(&packet, &word))
			continue;
		adds = word.value - row->value;
		row->mask |= adds;
		row->times |= adds >> bit;
	}
}

#define EXCEPTION 0x06 /* header */

static void set_row(const struct hwf_ete_config *config, unsigned int header,
		    struct hwf_word_row *row)
{
	struct hwf_ete_packet packet;
	struct hwf_word word = {0};

	*row = (struct hwf_word_row){.later = 1, .kind = HWF_WORD_OTHER};
	if (header == EXCEPTION) {
		row->kind = HWF_WORD_EXCEPTION;
		row->type = HWF_ETE_EXCEPTION;
		row->value = FORM_EXCEPTION;
		return;
	}
	if (!look(config, header, 0, &packet) || set_form(row, &packet) ||
	    !hwf_word_of_packet(&packet, &word) || word.size > 2)
		return;
	*row = (struct hwf_word_row){
		.value = word.value,
		.one = word.size == 1,
		.type = word.type,
		.entry = word.entry,
		.size = word.size,
		.kind = word.kind,
	};
	if (word.size == 2)
		set_second(config, header, row);
}

/* Where the row, or the form, says all: the size; else 0 */
static unsigned int size_of(const struct hwf_words *words, unsigned int header, unsigned int seven)
{
	const struct hwf_word_row *row = &words->row[header];
	struct hwf_ete_packet packet;
	unsigned int size;

	if (row->kind == HWF_WORD_TARGET || row->kind == HWF_WORD_SOURCE ||
	    row->kind == HWF_WORD_EXCEPTION)
		return words->form[row->value + seven].size;
	if (row->later)
		return 0;
	size = look(words->config, header, seven << 7, &packet);
	return size == row->size ? size : 0;
}

static bool is_exception(const struct hwf_ete_config *config, unsigned int second)
{
	struct hwf_ete_packet packet;

	return look(config, EXCEPTION, second, &packet) && packet.type == HWF_ETE_EXCEPTION;
}

void hwf_words_init(struct hwf_words *words, const struct hwf_ete_config *config)
{
	*words = (struct hwf_words){.config = config};
	__builtin_memcpy(words->form, forms, sizeof(forms));
	for (unsigned int i = 0; i < 256; i++) {
		set_row(config, i, &words->row[i]);
		words->size[i] = (uint8_t)size_of(words, i, 0);
		words->size[i | 0x8000] = (uint8_t)size_of(words, i, 1);
		words->no_exception[i] = !is_exception(config, i);
	}
}
