/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Commit, Cancel, Mispredict, Discard: Arm ARM D4.3.8. */
#include "p0/p0_private.h"

/* More than this many uncommitted P0 elements nobody has; MAXSPEC is a 32-bit field. */
#define SENSIBLE_MAX_SPEC 0x4000u

uint32_t hwf_p0_ring_size(const struct hwf_ete_config *config)
{
	uint32_t depth =
		config->max_spec < SENSIBLE_MAX_SPEC ? config->max_spec : SENSIBLE_MAX_SPEC;
	uint32_t size = 256;

	/* half of it for riders: an exception with all its trace is five elements */
	while (size < 16 * depth)
		size *= 2;
	return size;
}

/*
 * Memory: riders take one half of the caller's ring; P0 elements, and which of them each rider
 * stands before, the other.
 */
void hwf_p0_init(struct hwf_p0 *p0, const struct hwf_ete_config *config, struct hwf_element *ring,
		 uint32_t size, hwf_element_fn *sink, void *sink_ctx)
{
	uint32_t half = size / 2;
	uint64_t *rest = (uint64_t *)(ring + half);

	_Static_assert(sizeof(*ring) >= 4 * sizeof(*rest) + sizeof(uint32_t),
		       "four P0 elements and a position for each rider");
	*p0 = (struct hwf_p0){.config = config,
			      .sink = sink,
			      .sink_ctx = sink_ctx,
			      .riders = ring,
			      .rider_mask = half - 1,
			      .entries = rest,
			      .entry_mask = 4 * half - 1,
			      .positions = (uint32_t *)(rest + 4 * (size_t)half),
			      .lost = true};
}

static struct hwf_element *rider(const struct hwf_p0 *p0, uint32_t index)
{
	return &p0->riders[(p0->first + index) & p0->rider_mask];
}

/* How many P0 elements had been seen when this rider came, as p0->tail counts them */
static uint32_t *position(const struct hwf_p0 *p0, uint32_t index)
{
	return &p0->positions[(p0->first + index) & p0->rider_mask];
}

static uint64_t *entry(const struct hwf_p0 *p0, uint32_t at)
{
	return &p0->entries[at & p0->entry_mask];
}

/* P0 elements that wait, those from before the start of trace not counted */
static uint32_t waiting(const struct hwf_p0 *p0)
{
	return p0->tail - p0->committed;
}

_Static_assert(HWF_EL_ATOM < HWF_EL_EXCEPTION && HWF_EL_EXCEPTION < HWF_EL_TRANSACTION_START &&
		       HWF_EL_SOURCE_ADDRESS < HWF_EL_TRANSACTION_START &&
		       HWF_EL_Q < HWF_EL_TRANSACTION_START && HWF_EL_TRANSACTION_START == 4,
	       "P0 elements come first");

/* Is it a P0 element, where it is no Atom? Not always is a Transaction Start (R_CTLXL). */
static inline bool is_p0_rider(const struct hwf_p0 *p0, const struct hwf_element *element)
{
	return element->kind < HWF_EL_TRANSACTION_START ||
	       (element->kind == HWF_EL_TRANSACTION_START && p0->config->start_is_p0);
}

/*
 * What survives the P0 elements around it: Instrumentation (R_CJRNL), Timestamp Marker
 * (R_DCRVK), and what else is not part of program flow.
 */
static bool survives(const struct hwf_element *element)
{
	switch (element->kind) {
	case HWF_EL_EVENT:
	case HWF_EL_TIMESTAMP:
	case HWF_EL_TIMESTAMP_MARKER:
	case HWF_EL_CYCLE_COUNT:
	case HWF_EL_INSTRUMENTATION:
		return true;
	default:
		return false;
	}
}

/* The oldest rider leaves; it may be a P0 element itself. */
static void drop_oldest(struct hwf_p0 *p0)
{
	if (is_p0_rider(p0, rider(p0, 0)))
		p0->head++;
	p0->first++;
	p0->used--;
}

/*
 * Trace ends here, resolved or not. What became of a transaction is known where nothing before it
 * is unresolved. A Transaction Failure says so even then (R_NMWFJ, I_XHLPG), unless its
 * Transaction Start goes unresolved too.
 */
struct ending {
	bool unresolved;
	bool start_dropped;
};

static bool outlives(struct ending *ending, const struct hwf_p0 *p0,
		     const struct hwf_element *element)
{
	bool failed_unseen;

	if (is_p0_rider(p0, element))
		ending->unresolved = true;
	switch (element->kind) {
	case HWF_EL_TRANSACTION_START:
		ending->start_dropped = ending->unresolved;
		return !ending->unresolved;
	case HWF_EL_TRANSACTION_COMMIT:
		return !ending->unresolved;
	case HWF_EL_TRANSACTION_FAILURE:
		failed_unseen = ending->start_dropped;
		ending->start_dropped = false;
		return !failed_unseen;
	default:
		return survives(element);
	}
}

/* Give what is left and outlives its P0 elements. */
static void drain(struct hwf_p0 *p0)
{
	struct ending ending = {.unresolved = p0->unseen};

	hwf_p0_give(p0);
	for (; p0->used; p0->first++, p0->used--) {
		const struct hwf_element *oldest = rider(p0, 0);

		if (*position(p0, 0) != p0->head)
			ending.unresolved = true;
		if (outlives(&ending, p0, oldest))
			p0->sink(p0->sink_ctx, oldest);
	}
	p0->head = p0->tail;
	p0->committed = p0->tail;
	p0->unseen = 0;
}

/* What was traced and what is resolved do not match: nothing can be trusted any more. */
static void lose(struct hwf_p0 *p0, uint64_t offset, int error)
{
	struct hwf_element element = {
		.offset = offset,
		.kind = HWF_EL_NO_SYNC,
		.u.no_sync = {.reason = HWF_NO_SYNC_BAD_PACKET, .error = error},
	};

	drain(p0);
	p0->lost = true;
	p0->sink(p0->sink_ctx, &element);
}

/* Atoms of one packet are one element. */
static void give_elements(struct hwf_p0 *p0, const uint64_t *atoms, uint32_t count)
{
	while (count) {
		struct hwf_element element = {.offset = HWF_P0_OFFSET(*atoms), .kind = HWF_EL_ATOM};
		struct hwf_ete_atoms *packet = &element.u.atoms;

		while (count && packet->count < 24 && HWF_P0_OFFSET(*atoms) == element.offset) {
			element.corrected |= (uint32_t)HWF_P0_CORRECTED(*atoms) << packet->count;
			packet->bits |= (uint32_t)HWF_P0_E(*atoms) << packet->count++;
			atoms++;
			count--;
		}
		p0->sink(p0->sink_ctx, &element);
	}
}

/* The @count oldest P0 elements, all of them Atoms, are executed. */
static void give_atoms(struct hwf_p0 *p0, uint32_t count)
{
	while (count) {
		const uint64_t *atoms = entry(p0, p0->head);
		uint32_t to_end = p0->entry_mask + 1 - (p0->head & p0->entry_mask);
		uint32_t now = count < to_end ? count : to_end;

		p0->head += now;
		count -= now;
		if (p0->atoms)
			p0->atoms(p0->sink_ctx, atoms, now);
		else
			give_elements(p0, atoms, now);
	}
}

/* All that is committed, with what rides before and between */
void hwf_p0_give(struct hwf_p0 *p0)
{
	while (p0->head != p0->committed) {
		uint32_t atoms = p0->committed - p0->head;

		if (p0->used && *position(p0, 0) - p0->head < atoms)
			atoms = *position(p0, 0) - p0->head;
		if (atoms) {
			give_atoms(p0, atoms);
		} else {
			p0->sink(p0->sink_ctx, rider(p0, 0));
			drop_oldest(p0);
		}
	}
}

/*
 * I_KQQML: the oldest P0 elements are executed; what rides before them leaves with them. A few at a
 * time are not given at once: that takes longer than all of them later.
 */
void hwf_p0_commit(struct hwf_p0 *p0, uint64_t offset, uint32_t number)
{
	uint32_t unseen = number < p0->unseen ? number : p0->unseen;
	uint32_t seen = number - unseen < waiting(p0) ? number - unseen : waiting(p0);

	p0->unseen -= unseen;
	p0->committed += seen;
	if (p0->committed - p0->head >= HWF_P0_GIVE_AT || !p0->config->max_spec)
		hwf_p0_give(p0);
	if (unseen + seen == number)
		return;
	hwf_p0_give(p0);
	for (; p0->used; drop_oldest(p0))
		p0->sink(p0->sink_ctx, rider(p0, 0));
	lose(p0, offset, HWF_ERR_UNDERFLOW);
}

/* Of the riders from @from on, which stand behind all P0 elements now, keep some. */
static void keep(struct hwf_p0 *p0, uint32_t from, bool (*kept)(const struct hwf_element *element))
{
	uint32_t used = from;

	for (uint32_t i = from; i < p0->used; i++) {
		if (!kept(rider(p0, i)))
			continue;
		*rider(p0, used) = *rider(p0, i);
		*position(p0, used++) = p0->tail;
	}
	p0->used = used;
}

/* The riders that stand behind the oldest canceled P0 element, or are it */
static void cancel_riders(struct hwf_p0 *p0)
{
	uint32_t from = p0->used;

	while (from) {
		uint32_t behind = *position(p0, from - 1) - p0->tail;

		/* one before P0 elements that are kept is older than p0->tail */
		if (behind > UINT32_MAX / 2 ||
		    (behind == 0 && !is_p0_rider(p0, rider(p0, from - 1))))
			break;
		from--;
	}
	keep(p0, from, survives);
}

/*
 * I_MRGLC: the youngest P0 elements were not executed. What stands between and behind them
 * goes too, a Trace Info and all that follows it included (I_YZPCB).
 */
void hwf_p0_cancel(struct hwf_p0 *p0, uint64_t offset, uint32_t number)
{
	uint32_t seen = number < waiting(p0) ? number : waiting(p0);

	if (!number)
		return;
	p0->tail -= seen;
	if (seen < number) {
		hwf_p0_give(p0);
		keep(p0, 0, survives);
		if (number - seen > p0->unseen)
			lose(p0, offset, HWF_ERR_UNDERFLOW);
		else
			p0->unseen -= number - seen;
	} else if (p0->used && *position(p0, p0->used - 1) - p0->tail <= UINT32_MAX / 2) {
		cancel_riders(p0);
	}
}

static bool is_no_target(const struct hwf_element *element)
{
	return element->kind != HWF_EL_TARGET_ADDRESS;
}

/* Take Target Addresses out of the riders behind all P0 elements. */
static void drop_addresses(struct hwf_p0 *p0)
{
	uint32_t from = p0->used;

	while (from && *position(p0, from - 1) == p0->tail)
		from--;
	keep(p0, from, is_no_target);
}

/*
 * I_GBKKQ: the youngest Atom was the other one. Addresses behind it were those of the wrong
 * path, as far as no other P0 element comes between.
 */
void hwf_p0_mispredict(struct hwf_p0 *p0, uint64_t offset)
{
	uint32_t at = p0->tail;

	while (at != p0->committed && *entry(p0, at - 1) == HWF_P0_RIDER)
		at--;
	if (at != p0->committed) {
		*entry(p0, at - 1) ^= HWF_P0_CORRECT;
	} else if (!p0->unseen) {
		lose(p0, offset, HWF_ERR_UNDERFLOW);
		return;
	}
	/* else it is one from before the start of trace */
	if (at == p0->tail && p0->used)
		drop_addresses(p0);
}

/* Nothing can take back what stands before the oldest unresolved P0 element. */
static void give_settled(struct hwf_p0 *p0)
{
	hwf_p0_give(p0);
	while (!p0->unseen && p0->used && *position(p0, 0) == p0->head &&
	       !is_p0_rider(p0, rider(p0, 0))) {
		p0->sink(p0->sink_ctx, rider(p0, 0));
		drop_oldest(p0);
	}
}

/* Make room for a rider, or say that there is none. */
static bool room(struct hwf_p0 *p0, uint64_t offset)
{
	if (p0->used <= p0->rider_mask)
		return true;
	give_settled(p0);
	if (p0->used <= p0->rider_mask)
		return true;
	lose(p0, offset, HWF_ERR_NO_SPACE);
	return false;
}

/* Room for P0 elements: as many as an Atom packet has */
static bool room_for_p0(struct hwf_p0 *p0, uint64_t offset)
{
	if (p0->tail - p0->head + HWF_P0_MOST_ATOMS <= p0->entry_mask + 1)
		return true;
	hwf_p0_give(p0);
	if (waiting(p0) + HWF_P0_MOST_ATOMS <= p0->entry_mask + 1)
		return true;
	lose(p0, offset, HWF_ERR_NO_SPACE);
	return false;
}

/* Beyond MAXSPEC the oldest cannot be canceled any more (I_XLHWT). */
static void commit_excess(struct hwf_p0 *p0, uint64_t offset)
{
	uint32_t depth = waiting(p0) + p0->unseen;

	if (depth > p0->config->max_spec)
		hwf_p0_commit(p0, offset, depth - p0->config->max_spec);
}

void hwf_p0_atoms(struct hwf_p0 *p0, uint64_t offset, const struct hwf_ete_atoms *atoms)
{
	if (!room_for_p0(p0, offset))
		return;
	for (uint32_t i = 0; i < atoms->count; i++)
		*entry(p0, p0->tail++) = HWF_P0_ATOM(offset, atoms->bits >> i & 1);
	commit_excess(p0, offset);
}

/* A new rider, behind all P0 elements */
static void ride(struct hwf_p0 *p0, const struct hwf_element *element)
{
	*rider(p0, p0->used) = *element;
	*position(p0, p0->used++) = p0->tail;
}

void hwf_p0_target(struct hwf_p0 *p0, uint64_t offset, struct hwf_el_address address)
{
	struct hwf_element *element;

	if (!room(p0, offset))
		return;
	element = rider(p0, p0->used);
	element->offset = offset;
	element->kind = HWF_EL_TARGET_ADDRESS;
	element->u.address = address;
	*position(p0, p0->used++) = p0->tail;
}

/* Does nothing wait, and nothing can? */
static bool passes(const struct hwf_p0 *p0, const struct hwf_element *element)
{
	if (p0->used || waiting(p0))
		return false;
	if (element->kind == HWF_EL_ATOM || is_p0_rider(p0, element))
		return !p0->config->max_spec && !p0->unseen;
	return survives(element);
}

static void append(struct hwf_p0 *p0, const struct hwf_element *element)
{
	if (!waiting(p0))
		hwf_p0_give(p0);
	if (passes(p0, element)) {
		p0->sink(p0->sink_ctx, element);
		return;
	}
	if (element->kind == HWF_EL_ATOM) {
		hwf_p0_atoms(p0, element->offset, &element->u.atoms);
		return;
	}
	if (!room(p0, element->offset))
		return;
	if (!is_p0_rider(p0, element)) {
		ride(p0, element);
	} else if (room_for_p0(p0, element->offset)) {
		ride(p0, element);
		*entry(p0, p0->tail++) = HWF_P0_RIDER;
		commit_excess(p0, element->offset);
	}
}

/*
 * R_BZQWX, R_VNYMN: the count belongs to the most recent Commit. It stands behind what is committed
 * by then, and before what waits, wherever its packet stands.
 */
void hwf_p0_cycle_count(struct hwf_p0 *p0, const struct hwf_element *element)
{
	if (!waiting(p0) && !p0->unseen) {
		append(p0, element);
		return;
	}
	give_settled(p0);
	p0->sink(p0->sink_ctx, element);
}

static void take_trace_info(struct hwf_p0 *p0, const struct hwf_element *element)
{
	uint32_t spec_depth = element->u.trace_info.spec_depth;

	if (p0->lost) {
		p0->lost = false;
		p0->unseen = spec_depth;
	}
	append(p0, element);
}

void hwf_p0_hold(struct hwf_p0 *p0, const struct hwf_element *element)
{
	switch (element->kind) {
	case HWF_EL_NO_SYNC:
	case HWF_EL_END:
		drain(p0);
		p0->lost = true;
		p0->sink(p0->sink_ctx, element);
		return;
	case HWF_EL_TRACE_INFO:
		take_trace_info(p0, element);
		return;
	case HWF_EL_EVENT:
	case HWF_EL_INSTRUMENTATION:
		/* legal before the first Trace Info (R_HMDGL) */
		append(p0, element);
		return;
	default:
		break;
	}
	if (p0->lost)
		return;
	switch (element->kind) {
	case HWF_EL_COMMIT:
		hwf_p0_commit(p0, element->offset, element->u.number);
		break;
	case HWF_EL_CANCEL:
		hwf_p0_cancel(p0, element->offset, element->u.number);
		break;
	case HWF_EL_MISPREDICT:
		hwf_p0_mispredict(p0, element->offset);
		break;
	case HWF_EL_CYCLE_COUNT:
		hwf_p0_cycle_count(p0, element);
		break;
	case HWF_EL_DISCARD:
	case HWF_EL_OVERFLOW:
		/* I_STXQZ */
		drain(p0);
		break;
	default:
		append(p0, element);
		break;
	}
}

void hwf_p0_push(struct hwf_p0 *p0, const struct hwf_element *element)
{
	hwf_p0_hold(p0, element);
	hwf_p0_give(p0);
}
