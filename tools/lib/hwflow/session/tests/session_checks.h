/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* A session gives what the plain decoders give: checks of one trace, for the unit tests. */
#ifndef HWF_SESSION_CHECKS_H
#define HWF_SESSION_CHECKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/flow_sums.h"
#include "session_random.h"

/**
 * struct record - events as numbers
 * @numbers: of each event
 * @stop_in: stop at one of so many events; 0: never
 * @session: to be stopped
 * @stopped: no event may come: the session was stopped
 */
struct record {
	uint64_t *numbers;
	size_t count;
	size_t size;
	uint32_t stop_in;
	struct hwf_session *session;
	bool stopped;
};

static inline void record_number(struct record *record, uint64_t number)
{
	assert_false(record->stopped);
	if (record->count == record->size) {
		record->size = record->size ? 2 * record->size : 1024;
		record->numbers = realloc(record->numbers, record->size * sizeof(uint64_t));
		assert_non_null(record->numbers);
	}
	record->numbers[record->count++] = number;
	if (record->stop_in && !random_below(record->stop_in)) {
		hwf_session_stop(record->session);
		record->stopped = true;
	}
}

static inline void record_event(void *ctx, const struct hwf_flow_event *event)
{
	record_number(ctx, event_number(event));
}

static inline void record_taken_back(void *ctx, const struct hwf_flow_event *event)
{
	record_number(ctx, ~event_number(event));
}

/* Steps as the events that they stand for */
static inline void record_steps(void *ctx, const struct hwf_steps *steps)
{
	struct record *record = ctx;
	const uint32_t stop_in = record->stop_in;

	record->stop_in = 0;
	for (size_t i = 0; i < steps->count; i++) {
		const uint32_t step = (uint32_t)steps->step[i];
		struct hwf_flow_event event = {
			.offset = steps->offset + HWF_STEP_OFFSET(steps->step[i]),
			.kind = HWF_FLOW_CYCLE_COUNT,
		};

		if (step == HWF_STEP_CYCLES) {
			event.u.cycle_count.count = (uint32_t)steps->step[++i];
		} else {
			event.kind = HWF_FLOW_RANGE;
			event.u.range =
				hwf_node_range(hwf_graph_node(steps->graph, HWF_STEP_NODE(step)),
					       HWF_STEP_TAKEN(step));
		}
		record_event(record, &event);
	}
	record->stop_in = stop_in;
	if (stop_in && !random_below(4)) {
		hwf_session_stop(record->session);
		record->stopped = true;
	}
}

static inline void assert_same(const struct record *a, const struct record *b)
{
	for (size_t i = 0; i < a->count && i < b->count; i++)
		if (a->numbers[i] != b->numbers[i])
			fail_msg("event %zu of %zu differs", i, a->count);
	assert_int_equal(a->count, b->count);
}

static inline struct hwf_session *new_session(const struct hwf_session_config *config)
{
	struct hwf_session *session;

	assert_int_equal(hwf_session_new(&session, config), HWF_OK);
	assert_non_null(session);
	return session;
}

/* The whole trace in random pieces of at most @most bytes; as often as the consumer stops */
static inline void push_pieces(struct hwf_session *session, const struct subject *subject,
			       uint32_t most, bool *stopped)
{
	size_t at = 0;
	bool last;
	int err;

	do {
		const size_t left = subject->length - at;
		const size_t size = 1 + random_below(most);
		size_t taken;

		last = size >= left;
		err = hwf_session_push(session, subject->bytes + at, last ? left : size, last,
				       &taken);
		assert_int_equal(err, *stopped ? HWF_ERR_STOPPED : HWF_OK);
		*stopped = false;
		assert_true(taken <= (last ? left : size));
		at += taken;
		/* refused where nothing is counted; where something is, the sink may stop again */
		if (!random_below(4))
			hwf_session_counts(session);
		*stopped = false;
	} while (err || !last);
	assert_int_equal(at, subject->length);
	assert_int_equal(hwf_session_push(session, NULL, 0, true, NULL), HWF_ERR_END);
}

static inline void check_push(const struct subject *subject, const struct record *oracle,
			      uint32_t most, uint32_t stop_in, bool steps)
{
	struct hwf_session_config config = subject->config;
	struct record record = {.stop_in = stop_in};

	config.sink = record_event;
	config.taken_back = record_taken_back;
	config.steps = steps ? record_steps : NULL;
	config.ctx = &record;
	record.session = new_session(&config);
	for (int round = 0; round < 2; round++) {
		record.count = 0;
		push_pieces(record.session, subject, most, &record.stopped);
		assert_same(oracle, &record);
		assert_int_equal(hwf_session_reset(record.session, 0), HWF_OK);
	}
	hwf_session_free(record.session);
	free(record.numbers);
}

/* @oracle: without what was taken back */
static inline void check_pull(const struct subject *subject, const struct record *oracle,
			      uint32_t most)
{
	struct hwf_session *session = new_session(&subject->config);
	const struct hwf_flow_event *event;
	struct record record = {0};
	size_t at = 0;
	int err;

	for (;;) {
		size_t size;

		err = hwf_session_next(session, &event);
		if (err == HWF_OK)
			record_event(&record, event);
		if (err == HWF_OK)
			continue;
		if (err != HWF_ERR_NEED_MORE)
			break;
		size = 1 + random_below(most);
		if (size > subject->length - at)
			size = subject->length - at;
		assert_int_equal(hwf_session_feed(session, subject->bytes + at, size,
						  at + size == subject->length),
				 HWF_OK);
		at += size;
	}
	assert_int_equal(err, HWF_ERR_END);
	assert_same(oracle, &record);
	hwf_session_free(session);
	free(record.numbers);
}

/* struct counted - sums of flow, in a session that stops and whose counts are taken at random */
struct counted {
	struct sums sums;
	struct hwf_session *session;
	struct hwf_profile *profile;
	uint32_t stop_in;
	bool stopped;
	bool in_ranges; /* the ranges behind HWF_FLOW_COUNTED are not given */
};

static inline void counted_event(void *ctx, const struct hwf_flow_event *event)
{
	struct counted *counted = ctx;

	assert_false(counted->stopped);
	assert_int_not_equal(event->kind, HWF_FLOW_RANGE);
	if (event->kind == HWF_FLOW_COUNTED)
		assert_false(counted->in_ranges);
	else
		add_event(&counted->sums, event);
	counted->in_ranges = event->kind == HWF_FLOW_COUNTED;
	if (event->kind == HWF_FLOW_CONTEXT && !random_below(3)) {
		assert_int_equal(hwf_session_counts(counted->session), HWF_OK);
		if (random_below(2)) {
			add_profile(&counted->sums, counted->profile);
			hwf_profile_clear(counted->profile);
		}
	}
	if (!counted->stop_in || random_below(counted->stop_in))
		return;
	hwf_session_stop(counted->session);
	counted->stopped = true;
}

/* Raw transactions or not, the sums of what was executed are the same as those of the events. */
static inline void check_counts(const struct subject *subject, uint32_t most, uint32_t stop_in)
{
	struct hwf_session_config config = subject->config;
	struct counted counted = {.stop_in = stop_in};
	struct sums sums = {0};

	counted.profile = hwf_profile_new();
	assert_non_null(counted.profile);
	config.sink = counted_event;
	config.profile = counted.profile;
	config.ctx = &counted;
	config.graph_nodes = random_below(2) ? 64 : 1024;
	plain_decode(subject, add_event, NULL, &sums);
	counted.session = new_session(&config);
	push_pieces(counted.session, subject, most, &counted.stopped);
	hwf_session_free(counted.session);
	add_profile(&counted.sums, counted.profile);
	hwf_profile_free(counted.profile);
	assert_true(sums.ranges == counted.sums.ranges);
	assert_true(sums.jumps == counted.sums.jumps);
	assert_true(sums.events == counted.sums.events);
}

/* Sizes of packets add up to the trace, and packets are those of one piece. */
static inline void record_packets(const struct subject *subject, uint32_t most,
				  struct record *record)
{
	struct hwf_session_config config = subject->config;
	struct hwf_session *session;
	struct hwf_packet packet;
	uint64_t sum = 0;
	size_t at = 0;
	int err;

	config.code = NULL;
	session = new_session(&config);
	while ((err = hwf_session_next_packet(session, &packet)) != HWF_ERR_END) {
		size_t size = most ? 1 + random_below(most) : subject->length;

		if (err == HWF_OK) {
			assert_int_equal(packet.offset, sum);
			assert_true(packet.size > 0);
			assert_non_null(packet.name);
			assert_true(packet.valid || packet.error < 0 || packet.name[0]);
			sum += packet.size;
			if (packet.valid)
				record_number(record,
					      packet.offset << 16 | packet.size << 8 | packet.type);
			continue;
		}
		assert_int_equal(err, HWF_ERR_NEED_MORE);
		if (size > subject->length - at)
			size = subject->length - at;
		assert_int_equal(hwf_session_feed(session, subject->bytes + at, size,
						  at + size == subject->length),
				 HWF_OK);
		at += size;
	}
	assert_int_equal(sum, subject->length);
	hwf_session_free(session);
}

static inline void check_packets(const struct subject *subject, uint32_t most)
{
	struct record whole = {0};
	struct record pieces = {0};

	record_packets(subject, 0, &whole);
	record_packets(subject, most, &pieces);
	assert_same(&whole, &pieces);
	free(whole.numbers);
	free(pieces.numbers);
}

/* struct syncs - offsets where synchronisation is, by cutting the whole trace into packets */
struct syncs {
	size_t offsets[32768];
	size_t count;
	size_t candidate;
	bool has_candidate;
	bool has_support; /* RISC-V: options change on the way */
};

static inline void add_sync(struct syncs *syncs, size_t offset)
{
	assert_true(syncs->count < sizeof(syncs->offsets) / sizeof(*syncs->offsets));
	syncs->offsets[syncs->count++] = offset;
}

/* A packet of ETE or ETMv3: the beginning of a synchronisation, its end, or neither */
static inline void take_sync(struct syncs *syncs, const struct hwf_packet *packet)
{
	const bool ete = packet->protocol != HWF_SESSION_ETMV3;

	if (packet->protocol == HWF_SESSION_RISCV) {
		/* a trap without an address: in implicit exception mode, by a support packet */
		if (packet->type == HWF_RISCV_F3_START ||
		    (packet->type == HWF_RISCV_F3_TRAP && packet->u.riscv->u.sync.has_address))
			add_sync(syncs, packet->offset);
		syncs->has_support |= packet->type == HWF_RISCV_F3_SUPPORT;
		return;
	}
	if (!packet->valid) {
		syncs->has_candidate = false;
	} else if (ete ? packet->type == HWF_ETE_ALIGN_SYNC : packet->type == HWF_ETM3_A_SYNC) {
		syncs->has_candidate = true;
		syncs->candidate = packet->offset + packet->size - (ete ? 12 : 6);
	} else if (ete ? packet->type == HWF_ETE_TRACE_INFO
		       : packet->type == HWF_ETM3_I_SYNC ||
				   packet->type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT) {
		if (syncs->has_candidate)
			add_sync(syncs, syncs->candidate);
		syncs->has_candidate = false;
	}
}

static inline void find_syncs(const struct subject *subject, struct syncs *syncs)
{
	struct hwf_session_config config = subject->config;
	struct hwf_session *session;
	struct hwf_packet packet;

	config.code = NULL;
	session = new_session(&config);
	*syncs = (struct syncs){0};
	assert_int_equal(hwf_session_feed(session, subject->bytes, subject->length, true), HWF_OK);
	while (!hwf_session_next_packet(session, &packet))
		take_sync(syncs, &packet);
	hwf_session_free(session);
}

/* From a synchronisation on a session gives what it gives of a trace that begins there. */
static inline void check_from(struct hwf_session *session, const struct subject *subject,
			      struct record *record, size_t offset)
{
	struct hwf_session_config config = subject->config;
	struct record fresh = {0};

	record->count = 0;
	config.sink = record_event;
	config.ctx = &fresh;
	fresh.session = new_session(&config);
	assert_int_equal(hwf_session_reset(fresh.session, offset), HWF_OK);
	assert_int_equal(hwf_session_push(fresh.session, subject->bytes + offset,
					  subject->length - offset, true, NULL),
			 HWF_OK);
	assert_int_equal(hwf_session_push(session, subject->bytes + offset,
					  subject->length - offset, true, NULL),
			 HWF_OK);
	assert_same(&fresh, record);
	hwf_session_free(fresh.session);
	free(fresh.numbers);
}

/* Seeking finds all synchronisations, one after the other, both ways. */
static inline void check_seek(const struct subject *subject)
{
	struct hwf_session_config config = subject->config;
	struct record record = {0};
	struct hwf_session *session;
	static struct syncs syncs;
	size_t step, from;
	size_t found;

	config.sink = record_event;
	config.ctx = &record;
	session = new_session(&config);
	find_syncs(subject, &syncs);
	/* of many some are enough: each one is asked for from behind the one before it */
	step = 1 + syncs.count / 40;
	for (size_t i = 0; i < syncs.count; i += step) {
		from = i ? syncs.offsets[i - 1] + 1 : 0;
		assert_int_equal(hwf_session_seek(session, subject->bytes, subject->length, from,
						  HWF_SEEK_NEXT, &found),
				 HWF_OK);
		assert_int_equal(found, syncs.offsets[i]);
		if (subject->config.protocol != HWF_SESSION_RISCV) {
			assert_int_equal(hwf_session_seek(session, subject->bytes, subject->length,
							  from, HWF_SEEK_NEAR, &found),
					 HWF_OK);
			assert_int_equal(found, syncs.offsets[i]);
		}
		assert_int_equal(hwf_session_seek(session, subject->bytes, subject->length,
						  syncs.offsets[i], HWF_SEEK_HERE, &found),
				 HWF_OK);
		assert_int_equal(found, syncs.offsets[i]);
		if (i < 4 * step && !syncs.has_support)
			check_from(session, subject, &record, found);
	}
	from = syncs.count ? syncs.offsets[syncs.count - 1] + 1 : 0;
	assert_int_equal(hwf_session_seek(session, subject->bytes, subject->length, from,
					  HWF_SEEK_NEXT, &found),
			 HWF_ERR_NO_SYNC);
	for (size_t i = 0; i < syncs.count; i += step) {
		from = i + 1 < syncs.count ? syncs.offsets[i + 1] : subject->length;
		assert_int_equal(hwf_session_seek(session, subject->bytes, subject->length, from,
						  HWF_SEEK_PREVIOUS, &found),
				 HWF_OK);
		assert_int_equal(found, syncs.offsets[i]);
	}
	from = syncs.count ? syncs.offsets[0] : subject->length;
	assert_int_equal(hwf_session_seek(session, subject->bytes, subject->length, from,
					  HWF_SEEK_PREVIOUS, &found),
			 HWF_ERR_NO_SYNC);
	hwf_session_free(session);
	free(record.numbers);
}

/* struct part - a session that decodes a part of a trace: its state where the part begins */
struct part {
	struct counted counted;
	uint8_t state[HWF_SESSION_STATE];
	size_t size;
};

/* Decode from @from to @cut, where the state is taken; what was counted up to there is dropped. */
static inline void begin_part(struct part *part, const struct subject *subject, size_t from,
			      size_t cut, uint32_t most)
{
	struct hwf_session_config config = subject->config;

	*part = (struct part){.counted.profile = hwf_profile_new()};
	config.sink = counted_event;
	config.profile = part->counted.profile;
	config.ctx = &part->counted;
	part->counted.session = new_session(&config);
	assert_int_equal(hwf_session_reset(part->counted.session, from), HWF_OK);
	while (from < cut) {
		size_t size = 1 + random_below(most);

		size = size < cut - from ? size : cut - from;
		assert_int_equal(hwf_session_push(part->counted.session, subject->bytes + from,
						  size, false, NULL),
				 HWF_OK);
		from += size;
	}
	part->size = hwf_session_state(part->counted.session, part->state, sizeof(part->state));
	part->counted.sums = (struct sums){0};
	part->counted.in_ranges = false;
	hwf_profile_clear(part->counted.profile);
}

static inline void end_part(struct part *part, const struct subject *subject, size_t cut)
{
	assert_int_equal(hwf_session_push(part->counted.session, subject->bytes + cut,
					  subject->length - cut, true, NULL),
			 HWF_OK);
	assert_int_equal(hwf_session_state(part->counted.session, part->state, sizeof(part->state)),
			 0);
	hwf_session_free(part->counted.session);
	add_profile(&part->counted.sums, part->counted.profile);
	hwf_profile_free(part->counted.profile);
}

/*
 * The state does not depend on the pieces. Where a session that began later has the same state,
 * it gives and counts the same from there on. Return: it had the same state, or none.
 */
static inline bool check_state(const struct subject *subject, uint32_t most)
{
	static struct part whole, pieces, later;
	static struct syncs syncs;
	size_t from, cut;
	bool same;

	find_syncs(subject, &syncs);
	from = syncs.count ? syncs.offsets[random_below((uint32_t)syncs.count)] : 0;
	cut = from + random_below((uint32_t)(subject->length - from) + 1);
	begin_part(&whole, subject, 0, cut, UINT32_MAX);
	begin_part(&pieces, subject, 0, cut, most);
	begin_part(&later, subject, from, cut, most);
	assert_int_equal(whole.size, pieces.size);
	assert_memory_equal(whole.state, pieces.state, whole.size);
	same = whole.size == later.size && !memcmp(whole.state, later.state, whole.size);
	/* nothing is written behind the end */
	assert_true(!whole.size ||
		    !hwf_session_state(whole.counted.session, whole.state, whole.size - 1));
	end_part(&whole, subject, cut);
	end_part(&pieces, subject, cut);
	end_part(&later, subject, cut);
	assert_memory_equal(&whole.counted.sums, &pieces.counted.sums, sizeof(struct sums));
	if (same && whole.size)
		assert_memory_equal(&whole.counted.sums, &later.counted.sums, sizeof(struct sums));
	return same && whole.size && from;
}

/* All of it, with pieces of at most @most bytes */
static inline void check_subject(const struct subject *subject, uint32_t most)
{
	static unsigned int joined, tried;

	struct record oracle = {0};
	struct record without = {0};

	plain_decode(subject, record_event, record_taken_back, &oracle);
	plain_decode(subject, record_event, NULL, &without);
	check_push(subject, &oracle, most, 0, false);
	check_push(subject, &oracle, most, 1 + random_below(100), false);
	check_push(subject, &oracle, most, 1, false);
	check_push(subject, &oracle, most, 0, true);
	check_push(subject, &oracle, most, 1 + random_below(100), true);
	check_pull(subject, &without, most);
	check_counts(subject, most, 0);
	check_counts(subject, most, 1 + random_below(30));
	check_packets(subject, most);
	if (!subject->damaged)
		check_seek(subject);
	/* if no part ever fits to the one before it, nothing is compared */
	joined += check_state(subject, most);
	assert_true(joined || ++tried < 100);
	free(oracle.numbers);
	free(without.numbers);
}

#endif /* HWF_SESSION_CHECKS_H */
