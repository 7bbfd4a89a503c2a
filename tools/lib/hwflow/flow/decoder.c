/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The stages, one behind the other; and a short way past them for the packets that make up
 * nearly all of a trace, where nothing waits for its resolution.
 */
#include "hwflow/decoder.h"

#include "element/words_private.h"
#include "flow/follower.h"
#include "p0/p0_private.h"

static void element_to_p0(void *ctx, const struct hwf_element *element)
{
	hwf_p0_push(ctx, element);
}

static inline void give_cycle_count(struct hwf_follower *follower, struct hwf_el_cycle_count count,
				    uint64_t offset)
{
	struct hwf_flow_event event;

	event.u.cycle_count = count;
	hwf_flow_give(follower, &event, offset, HWF_FLOW_CYCLE_COUNT);
}

/* Resolved elements; those that are many take the short way. */
static void element_to_flow(void *ctx, const struct hwf_element *element)
{
	struct hwf_decoder *decoder = ctx;
	struct hwf_follower *follower = &decoder->follower;

	if (element->kind == HWF_EL_CYCLE_COUNT)
		give_cycle_count(follower, element->u.cycle_count, element->offset);
	else if (element->kind == HWF_EL_TARGET_ADDRESS && !follower->q_pending)
		hwf_flow_set_pc(follower, element->u.address);
	else
		hwf_follower_push(follower, element);
}

/* Atoms that are resolved, the short way. */
static void atoms_to_flow(void *ctx, const uint64_t *atoms, const struct hwf_p0_beside *beside,
			  uint32_t count)
{
	struct hwf_decoder *decoder = ctx;

	hwf_follower_atoms(&decoder->follower, atoms, beside, count);
}

void hwf_decoder_init(struct hwf_decoder *decoder, const struct hwf_ete_config *config,
		      const struct hwf_code *code, struct hwf_element *ring, uint32_t ring_size,
		      hwf_flow_fn *sink, void *sink_ctx)
{
	hwf_ete_stream_init(&decoder->stream, config);
	hwf_elements_init(&decoder->elements, config, element_to_p0, &decoder->p0);
	hwf_p0_init(&decoder->p0, config, ring, ring_size, element_to_flow, decoder);
	decoder->p0.atoms = atoms_to_flow;
	hwf_p0_rows_init(&decoder->rows, config);
	hwf_follower_init(&decoder->follower, config, code, sink, sink_ctx);
}

/* May packets of one word pass the element stage by? Not if it holds something back. */
static bool may_take_words(const struct hwf_decoder *decoder)
{
	const struct hwf_elements *elements = &decoder->elements;

	return decoder->stream.synced && !decoder->stream.tentative &&
	       elements->sync == HWF_SYNC_FULL && elements->lost == HWF_NOTHING_LOST &&
	       !elements->exception_pending && !elements->history.narrow && !decoder->p0.lost;
}

/*
 * With no speculation (TRCIDR8.MAXSPEC is 0) and nothing that waits, an Atom is executed as soon as
 * it is seen, and a Target Address holds at once.
 */
static bool passes_p0(const struct hwf_decoder *decoder)
{
	const struct hwf_p0 *p0 = &decoder->p0;

	return !p0->config->max_spec && !p0->used && p0->head == p0->tail && !p0->unseen &&
	       !p0->targeted && !decoder->follower.q_pending;
}

/* struct way - the short way: packets of one word past the elements, and past the P0 stage */
struct way {
	struct hwf_decoder *decoder;
	struct hwf_recent recent;
	bool direct; /* passes_p0() */
};

static inline void way_atoms(struct way *way, const struct hwf_ete_atoms *atoms, uint64_t offset)
{
	if (way->direct) {
		hwf_flow_atoms(&way->decoder->follower, offset, atoms, 0);
		return;
	}
	hwf_p0_few_atoms(&way->decoder->p0, offset, atoms);
	way->direct = passes_p0(way->decoder);
}

static struct hwf_el_address address_of(const struct hwf_word *word)
{
	return (struct hwf_el_address){.value = word->value & ~UINT64_C(1), .is = word->value & 1};
}

static void way_target(struct way *way, const struct hwf_word *word, uint64_t offset)
{
	if (way->direct)
		hwf_flow_set_pc(&way->decoder->follower, address_of(word));
	else
		hwf_p0_target(&way->decoder->p0, offset, address_of(word));
}

static void way_source(struct way *way, const struct hwf_word *word, uint64_t offset)
{
	const struct hwf_element element = {
		.offset = offset, .kind = HWF_EL_SOURCE_ADDRESS, .u.address = address_of(word)};

	hwf_p0_hold(&way->decoder->p0, &element);
}

static void way_cancel(struct way *way, const struct hwf_word *word, uint64_t offset)
{
	struct hwf_p0 *p0 = &way->decoder->p0;
	const struct hwf_ete_atoms atoms = hwf_word_atoms(word);

	if (atoms.count)
		hwf_p0_few_atoms(p0, offset, &atoms);
	if (!p0->lost)
		hwf_p0_cancel(p0, offset, hwf_word_number(word));
	if (!p0->lost && word->value & HWF_WORD_MISPREDICT)
		hwf_p0_mispredict(p0, offset);
}

/* R_BZQWX: the count belongs to the Commit in the same packet, which comes first. */
static void way_cycle_count(struct way *way, const struct hwf_word *word, uint64_t offset)
{
	struct hwf_decoder *decoder = way->decoder;
	const struct hwf_el_cycle_count count = {.count = decoder->elements.cc_threshold +
							  (uint32_t)word->value};

	if (hwf_word_number(word))
		hwf_p0_commit_seen(&decoder->p0, offset, hwf_word_number(word));
	if (decoder->p0.lost)
		return;
	if (way->direct)
		give_cycle_count(&decoder->follower, count, offset);
	else
		hwf_p0_cycle_count(&decoder->p0, offset, count);
}

/* An exception that hwf_p0_take_rows() does not take: bytes of its first packet, and in @all of
 * both */
static __attribute__((noinline)) size_t way_exception(struct way *way, const uint8_t *bytes,
						      uint64_t offset, size_t *all)
{
	struct hwf_element element = {.offset = offset, .kind = HWF_EL_EXCEPTION};
	struct hwf_p0_exception taken;

	if (!hwf_p0_take_exception(&way->recent, bytes, &taken))
		return 0;
	element.u.exception = taken.element;
	hwf_p0_hold(&way->decoder->p0, &element);
	*all = taken.size;
	return taken.first;
}

static inline void way_word(struct way *way, const struct hwf_word *word, uint64_t offset)
{
	switch (word->kind) {
	case HWF_WORD_TARGET:
		way_target(way, word, offset);
		break;
	case HWF_WORD_SOURCE:
		way_source(way, word, offset);
		break;
	case HWF_WORD_COMMIT:
		hwf_p0_commit_seen(&way->decoder->p0, offset, hwf_word_number(word));
		break;
	case HWF_WORD_CANCEL:
		way_cancel(way, word, offset);
		break;
	case HWF_WORD_CYCLE_COUNT:
		way_cycle_count(way, word, offset);
		break;
	default:
		break;
	}
}

/* As hwf_p0_take_rows() */
static size_t take_rows(struct way *way, uint64_t offset, const uint8_t *bytes, size_t length,
			size_t *last)
{
	struct hwf_decoder *decoder = way->decoder;

	if (decoder->p0.config->cycle_count)
		return hwf_p0_take_counted(&decoder->p0, &decoder->rows, &way->recent,
					   decoder->elements.cc_threshold, offset, bytes, length,
					   last);
	return hwf_p0_take_rows(&decoder->p0, &decoder->rows, &way->recent, offset, bytes, length,
				last);
}

/*
 * Packets that go the short way, as long as they come one after the other; the bytes taken. @source
 * as for hwf_words_next().
 */
static inline __attribute__((always_inline)) size_t push_words(struct hwf_decoder *decoder,
							       const uint8_t *bytes, size_t length,
							       bool source)
{
	struct way way = {.decoder = decoder, .direct = passes_p0(decoder)};
	const bool rows = decoder->p0.config->max_spec;
	uint64_t offset = decoder->stream.offset;
	size_t at = 0;
	size_t last = 0;

	hwf_recent_open(&way.recent, &decoder->elements.history);
	/* once it is lost nothing of these is of use any more */
	while (length - at >= HWF_WORDS_ROOM && !decoder->p0.lost) {
		struct hwf_word word;
		size_t row = 0;
		size_t size;

		if (rows) {
			size = take_rows(&way, offset + at, bytes + at,
					 length - at - HWF_WORDS_ROOM, &row);
			last = size ? at + row : last;
			at += size;
			hwf_p0_give_due(&decoder->p0);
		}
		if (bytes[at] >= 0xc0) {
			way_atoms(&way, &hwf_ete_atom_table[bytes[at] - 0xc0].atoms, offset + at);
			last = at++;
			continue;
		}
		if (bytes[at] == HWF_P0_EXCEPTION_HEADER) {
			row = way_exception(&way, bytes + at, offset + at, &size);
			if (!row)
				break;
			last = at + row;
			at += size;
			continue;
		}
		size = hwf_words_next(decoder->stream.config, &way.recent, bytes + at, &word, false,
				      source);
		if (!size)
			break;
		way_word(&way, &word, offset + at);
		last = at;
		at += size;
	}
	hwf_p0_give(&decoder->p0);
	if (at)
		decoder->elements.last_offset = offset + last;
	hwf_recent_close(&way.recent, &decoder->elements.history);
	decoder->stream.offset += at;
	return at;
}

static __attribute__((noinline)) size_t push_etmv4_words(struct hwf_decoder *decoder,
							 const uint8_t *bytes, size_t length)
{
	return push_words(decoder, bytes, length, false);
}

size_t hwf_decoder_push(struct hwf_decoder *decoder, const uint8_t *bytes, size_t length, bool last)
{
	struct hwf_ete_packet packet;
	size_t taken = 0;

	for (;;) {
		uint64_t offset;
		bool tentative;
		size_t size;

		if (may_take_words(decoder))
			taken += decoder->stream.config->protocol == HWF_PROTOCOL_ETMV4
					 ? push_etmv4_words(decoder, bytes + taken, length - taken)
					 : push_words(decoder, bytes + taken, length - taken, true);
		offset = decoder->stream.offset;
		size = hwf_ete_stream_next(&decoder->stream, bytes + taken, length - taken, last,
					   &packet);
		if (!size)
			break;
		tentative = decoder->stream.tentative || !decoder->stream.synced;
		hwf_elements_push(&decoder->elements, &packet, offset, tentative);
		taken += size;
	}
	if (last)
		hwf_elements_flush(&decoder->elements);
	return taken;
}
