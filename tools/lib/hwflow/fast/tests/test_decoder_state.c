/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* hwf_decoder_state() has all that decoding depends on, and nothing else. */
#include "decoder_test.h"

/* struct begun - a decoder that began somewhere, and the graph it has, if it has one */
struct begun {
	struct hwf_decoder decoder;
	struct hwf_graph graph;
	struct hwf_element ring[1024];
	struct seen seen;
	size_t at;
	_Alignas(16) uint8_t memory[1 << 17];
};

static void begin_at(struct begun *begun, const struct hwf_ete_config *config, size_t from,
		     bool cached)
{
	memset(begun->memory, 0, sizeof(begun->memory));
	hwf_graph_init(&begun->graph, begun->memory, 64);
	hwf_decoder_init(&begun->decoder, config, &code, begun->ring, 1024, see, &begun->seen);
	if (cached)
		begun->decoder.follower.graph = &begun->graph;
	begun->decoder.stream.offset = from;
	begun->at = from;
}

static void decode_until(struct begun *begun, const struct writer *writer, size_t end)
{
	begun->at += hwf_decoder_push(&begun->decoder, writer->bytes + begun->at, end - begun->at,
				      end == writer->length);
}

static bool have_one_state(struct begun *a, struct begun *b)
{
	uint8_t states[2][HWF_DECODER_STATE];
	size_t size;

	hwf_decoder_settle(&a->decoder);
	hwf_decoder_settle(&b->decoder);
	size = hwf_decoder_state(&a->decoder, states[0], sizeof(states[0]));
	assert_true(size);
	return size == hwf_decoder_state(&b->decoder, states[1], sizeof(states[1])) &&
	       !memcmp(states[0], states[1], size);
}

/* A synchronisation, begun by the Alignment Synchronisation; the end where there is none */
static size_t next_sync(const struct writer *writer, size_t from)
{
	for (size_t at = from; at + 12 <= writer->length; at++)
		if (!memcmp(writer->bytes + at, "\0\0\0\0\0\0\0\0\0\0\0\x80", 12))
			return at;
	return writer->length;
}

/*
 * A decoder that begins at a synchronisation gives the same events as one that began earlier, from
 * where their states are the same; and they become the same.
 */
static void equal_states_have_one_future(void **state)
{
	static struct begun early, late, plain;
	const struct hwf_ete_config configs[] = {
		test_config(0, 0, 0),        test_config(0, 0, 0x1000),
		test_config(0, 32, 0x1010),  test_config(IDR0_COMMOPT, 32, 0x1000),
		test_config(0, 200, 0x1000), test_config(IDR0_COMMOPT, 0, 0x1010),
	};
	const int count = sizeof(configs) / sizeof(configs[0]);
	struct writer writer = {.seed = 9};
	uint32_t joined = 0, apart = 0;

	(void)state;
	for (int round = 0; round < 2000 * count; round++) {
		const struct hwf_ete_config *config = &configs[round % count];
		size_t from, begin;

		writer.max_spec = config->max_spec;
		write_trace(&writer);
		from = next_sync(&writer, 13);
		if (from == writer.length)
			continue;
		begin = from + 12 + random_below(&writer.seed, (uint32_t)(writer.length - from));
		if (begin >= writer.length)
			continue;
		early.seen.count = late.seen.count = plain.seen.count = 0;
		begin_at(&early, config, 0, true);
		begin_at(&plain, config, 0, false);
		begin_at(&late, config, from, round & 1);
		decode_until(&early, &writer, begin);
		decode_until(&plain, &writer, begin);
		decode_until(&late, &writer, begin);
		/* what a decoder remembers for speed is no state */
		assert_true(have_one_state(&early, &plain));
		if (!have_one_state(&early, &late)) {
			apart++;
			continue;
		}
		joined++;
		early.seen.count = late.seen.count = 0;
		decode_until(&early, &writer, writer.length);
		decode_until(&late, &writer, writer.length);
		assert_seen_equal(&early.seen, &late.seen);
	}
	assert_true(joined > 500);
	assert_true(apart > 500);
}

/* Does the state depend on this member, in a decoder where it holds something? */
#define ASSERT_IN_STATE(begun, member)                                                       \
	do {                                                                                 \
		uint8_t states[2][4096];                                                     \
		const size_t size = hwf_decoder_state(&(begun)->decoder, states[0], 4096);   \
		__typeof__((begun)->member) old = (begun)->member;                           \
                                                                                             \
		(begun)->member ^= 1;                                                        \
		assert_true(size != hwf_decoder_state(&(begun)->decoder, states[1], 4096) || \
			    memcmp(states[0], states[1], size));                             \
		(begun)->member = old;                                                       \
	} while (0)

static struct begun full;

/* A decoder in which much waits */
static struct begun *begin_full(void)
{
	static struct hwf_ete_config config;
	struct hwf_decoder *const decoder = &full.decoder;
	struct writer writer = {0};

	config = test_config(0, 32, 0x1000);
	/* A Context, a call, a Target Address, two Atoms with a Cycle Count and an Event, an
	 * address, an Exception */
	put(&writer,
	    SYNC "01 05 00 03 82 00 00 40 00 30 9d 00 00 10 00 00 00 00 00 f7 2d 01 9a 14 00 10 00 "
		 "f7 2d 01 9a 00 10 00 00 f9 0c 15 f7 71 9a 10 02 40 00 f7 9a 10 02 41 00 06 05");
	full.seen.count = 0;
	begin_at(&full, &config, 0, false);
	full.at += hwf_decoder_push(decoder, writer.bytes, writer.length, false);
	hwf_decoder_settle(decoder);
	decoder->follower.fresh = false;
	return &full;
}

static void the_state_has_the_elements(void **state)
{
	struct begun *const begun = begin_full();
	struct hwf_decoder *const decoder = &begun->decoder;

	(void)state;
	ASSERT_IN_STATE(begun, decoder.stream.offset);
	ASSERT_IN_STATE(begun, decoder.stream.synced);
	ASSERT_IN_STATE(begun, decoder.stream.tentative);
	for (int i = 0; i < HWF_HISTORY; i++) {
		ASSERT_IN_STATE(begun, decoder.elements.history.entry[i].value);
		ASSERT_IN_STATE(begun, decoder.elements.history.entry[i].is);
	}
	ASSERT_IN_STATE(begun, decoder.elements.history.timestamp);
	ASSERT_IN_STATE(begun, decoder.elements.history.aarch32);
	ASSERT_IN_STATE(begun, decoder.elements.context.cid);
	ASSERT_IN_STATE(begun, decoder.elements.context.vmid);
	ASSERT_IN_STATE(begun, decoder.elements.context.el);
	ASSERT_IN_STATE(begun, decoder.elements.context.sf);
	ASSERT_IN_STATE(begun, decoder.elements.context.security);
	ASSERT_IN_STATE(begun, decoder.elements.context.has_cid);
	ASSERT_IN_STATE(begun, decoder.elements.context.has_vmid);
	ASSERT_IN_STATE(begun, decoder.elements.context.el_unknown);
	ASSERT_IN_STATE(begun, decoder.elements.last_offset);
	ASSERT_IN_STATE(begun, decoder.elements.cc_threshold);
	ASSERT_IN_STATE(begun, decoder.elements.marker_pending);
	ASSERT_IN_STATE(begun, decoder.elements.marker_seen);
	ASSERT_IN_STATE(begun, decoder.elements.overflowed);
	ASSERT_IN_STATE(begun, decoder.elements.sync);
	ASSERT_IN_STATE(begun, decoder.elements.lost);
	decoder->elements.lost = HWF_NO_SYNC_BAD_PACKET;
	ASSERT_IN_STATE(begun, decoder.elements.lost);
	ASSERT_IN_STATE(begun, decoder.elements.lost_error);
	decoder->elements.marker_pending = true;
	ASSERT_IN_STATE(begun, decoder.elements.marker_offset);
	ASSERT_IN_STATE(begun, decoder.elements.exception_pending);
	assert_true(decoder->elements.exception_pending);
	ASSERT_IN_STATE(begun, decoder.elements.exception.offset);
	ASSERT_IN_STATE(begun, decoder.elements.exception.u.exception.type);
	ASSERT_IN_STATE(begun, decoder.elements.exception.u.exception.ret_is_target);
}

static void the_state_has_the_follower(void **state)
{
	struct begun *const begun = begin_full();
	struct hwf_decoder *const decoder = &begun->decoder;

	(void)state;
	ASSERT_IN_STATE(begun, decoder.follower.has_pc);
	ASSERT_IN_STATE(begun, decoder.follower.has_context);
	ASSERT_IN_STATE(begun, decoder.follower.pop_pending);
	ASSERT_IN_STATE(begun, decoder.follower.push_awaits);
	ASSERT_IN_STATE(begun, decoder.follower.fresh);
	ASSERT_IN_STATE(begun, decoder.follower.gap_open);
	ASSERT_IN_STATE(begun, decoder.follower.is);
	ASSERT_IN_STATE(begun, decoder.follower.isa);
	decoder->follower.has_pc = true;
	ASSERT_IN_STATE(begun, decoder.follower.pc);
	decoder->follower.has_context = true;
	ASSERT_IN_STATE(begun, decoder.follower.context.cid);
	ASSERT_IN_STATE(begun, decoder.follower.context.sf);
	hwf_return_stack_push(&decoder->follower.stack, 0x1000, HWF_ISA_A64);
	ASSERT_IN_STATE(begun, decoder.follower.stack.used);
	ASSERT_IN_STATE(begun, decoder.follower.stack.address[decoder->follower.stack.top]);
	decoder->follower.q_pending = decoder->follower.q_context_pending = true;
	decoder->follower.q.kind = HWF_EL_Q;
	decoder->follower.q_context.kind = HWF_EL_CONTEXT;
	ASSERT_IN_STATE(begun, decoder.follower.q_pending);
	ASSERT_IN_STATE(begun, decoder.follower.q_context_pending);
	ASSERT_IN_STATE(begun, decoder.follower.q.u.q.count);
	ASSERT_IN_STATE(begun, decoder.follower.q.u.q.address.value);
	ASSERT_IN_STATE(begun, decoder.follower.q.offset);
	ASSERT_IN_STATE(begun, decoder.follower.q_context.u.context.context.cid);
	ASSERT_IN_STATE(begun, decoder.follower.q_context.u.context.has_is);
}

/* The oldest element of the P0 stage's ring becomes another one. */
static void set_oldest(struct hwf_decoder *decoder, uint8_t kind)
{
	decoder->p0.ring[decoder->p0.head] = (struct hwf_element){.kind = kind};
}

static void the_state_has_what_waits(void **state)
{
	struct begun *const begun = begin_full();
	struct hwf_decoder *const decoder = &begun->decoder;

	(void)state;
	ASSERT_IN_STATE(begun, decoder.p0.unseen);
	ASSERT_IN_STATE(begun, decoder.p0.lost);
	assert_true(decoder->p0.tail - decoder->p0.head >= 3);
	for (uint32_t at = decoder->p0.head; at != decoder->p0.tail; at++)
		ASSERT_IN_STATE(begun, decoder.p0.ring[at].offset);
	set_oldest(decoder, HWF_EL_ATOM);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].kind);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].u.atoms.bits);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].corrected);
	set_oldest(decoder, HWF_EL_TARGET_ADDRESS);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].u.address.value);
	set_oldest(decoder, HWF_EL_EXCEPTION);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].u.exception.ret.value);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].u.exception.type);
	set_oldest(decoder, HWF_EL_EVENT);
	ASSERT_IN_STATE(begun, decoder.p0.ring[decoder->p0.head].u.event);
	ASSERT_IN_STATE(begun, decoder.p0.tail);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_states_have_one_future),
		cmocka_unit_test(the_state_has_the_elements),
		cmocka_unit_test(the_state_has_the_follower),
		cmocka_unit_test(the_state_has_what_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
