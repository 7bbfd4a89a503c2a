/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Commit, Cancel, Mispredict, Discard: Arm ARM D4.3.8. */
#include "p0/p0_private.h"

/* More than this many uncommitted P0 elements nobody has; MAXSPEC is a 32-bit field. */
#define SENSIBLE_MAX_SPEC 0x4000u

uint32_t hwf_p0_ring_size(const struct hwf_ete_config *config)
{
	uint32_t depth =
		config->max_spec < SENSIBLE_MAX_SPEC ? config->max_spec : SENSIBLE_MAX_SPEC;
	uint32_t size = 1024;

	/* a quarter of it for riders: an exception with all its trace is five elements */
	while (size < 32 * depth)
		size *= 2;
	return size;
}

/*
 * Memory: riders take a quarter of the caller's ring; what stands beside P0 elements, these, and
 * which of them each rider stands before, the rest.
 */
void hwf_p0_init(struct hwf_p0 *p0, const struct hwf_ete_config *config, struct hwf_element *ring,
		 uint32_t size, hwf_element_fn *sink, void *sink_ctx)
{
	const uint32_t riders = size / 4, entries = size / 2;
	struct hwf_p0_beside *beside = (struct hwf_p0_beside *)(ring + riders);
	uint64_t *words = (uint64_t *)(beside + entries);

	_Static_assert(3 * sizeof(*ring) >
			       2 * (sizeof(*beside) + sizeof(*words)) + sizeof(*p0->positions),
		       "what is left has room for these");
	*p0 = (struct hwf_p0){.config = config,
			      .sink = sink,
			      .sink_ctx = sink_ctx,
			      .riders = ring,
			      .rider_mask = riders - 1,
			      .entries = words,
			      .beside = beside,
			      .entry_mask = entries - 1,
			      .positions = (uint32_t *)(words + entries),
			      .lost = true};
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

	if (hwf_p0_is_rider(p0, element))
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
		const struct hwf_element *oldest = hwf_p0_rider(p0, 0);

		if (*hwf_p0_position(p0, 0) != p0->head)
			ending.unresolved = true;
		if (outlives(&ending, p0, oldest))
			p0->sink(p0->sink_ctx, oldest);
	}
	p0->head = p0->tail;
	p0->committed = p0->tail;
	p0->unseen = 0;
	p0->targeted = false;
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

/*
 * I_KQQML: the oldest P0 elements are executed; what rides before them leaves with them. A few at a
 * time are not given at once: that takes longer than all of them later.
 */
static void commit(struct hwf_p0 *p0, uint64_t offset, uint32_t number)
{
	uint32_t unseen = number < p0->unseen ? number : p0->unseen;
	uint32_t seen = number - unseen < hwf_p0_waiting(p0) ? number - unseen : hwf_p0_waiting(p0);

	p0->unseen -= unseen;
	p0->committed += seen;
	if (p0->committed - p0->head >= HWF_P0_GIVE_AT || !p0->config->max_spec)
		hwf_p0_give(p0);
	if (unseen + seen == number)
		return;
	hwf_p0_give(p0);
	for (; p0->used; hwf_p0_drop_oldest(p0))
		p0->sink(p0->sink_ctx, hwf_p0_rider(p0, 0));
	lose(p0, offset, HWF_ERR_UNDERFLOW);
}

/* Of the riders from @from on, which stand behind all P0 elements now, keep some. */
static void keep(struct hwf_p0 *p0, uint32_t from, bool (*kept)(const struct hwf_element *element))
{
	uint32_t used = from;

	for (uint32_t i = from; i < p0->used; i++) {
		if (!kept(hwf_p0_rider(p0, i)))
			continue;
		*hwf_p0_rider(p0, used) = *hwf_p0_rider(p0, i);
		*hwf_p0_position(p0, used++) = p0->tail;
	}
	p0->used = used;
}

/* Is it behind the oldest canceled P0 element, or that itself? */
static bool is_canceled(const struct hwf_p0 *p0, uint32_t index)
{
	uint32_t behind = *hwf_p0_position(p0, index) - p0->tail;

	/* one before P0 elements that are kept is older than p0->tail */
	return behind <= UINT32_MAX / 2 && (behind || hwf_p0_is_rider(p0, hwf_p0_rider(p0, index)));
}

/* The riders that stand behind the oldest canceled P0 element, or are it; mostly none survives */
static void cancel_riders(struct hwf_p0 *p0)
{
	uint32_t from;

	while (p0->used && is_canceled(p0, p0->used - 1) &&
	       !survives(hwf_p0_rider(p0, p0->used - 1)))
		p0->used--;
	for (from = p0->used; from && is_canceled(p0, from - 1);)
		from--;
	keep(p0, from, survives);
}

static bool is_targeted(uint64_t entry)
{
	return entry != HWF_P0_RIDER && entry & HWF_P0_TARGETED;
}

/*
 * I_MRGLC: the youngest P0 elements were not executed. What stands between and behind them
 * goes too, a Trace Info and all that follows it included (I_YZPCB).
 */
static void cancel(struct hwf_p0 *p0, uint64_t offset, uint32_t number)
{
	uint32_t seen = number < hwf_p0_waiting(p0) ? number : hwf_p0_waiting(p0);

	if (!number)
		return;
	p0->tail -= seen;
	/* what stands before the oldest canceled one is kept */
	p0->targeted = seen == number && is_targeted(*hwf_p0_entry(p0, p0->tail));
	if (seen < number) {
		hwf_p0_give(p0);
		keep(p0, 0, survives);
		if (number - seen > p0->unseen)
			lose(p0, offset, HWF_ERR_UNDERFLOW);
		else
			p0->unseen -= number - seen;
	} else if (p0->used && *hwf_p0_position(p0, p0->used - 1) - p0->tail <= UINT32_MAX / 2) {
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

	while (from && *hwf_p0_position(p0, from - 1) == p0->tail)
		from--;
	keep(p0, from, is_no_target);
}

/*
 * I_GBKKQ: the youngest Atom was the other one. Addresses behind it were those of the wrong
 * path, as far as no other P0 element comes between.
 */
static void mispredict(struct hwf_p0 *p0, uint64_t offset)
{
	uint32_t at = p0->tail;

	while (at != p0->committed && *hwf_p0_entry(p0, at - 1) & HWF_P0_EXCEPTION)
		at--;
	/* an HWF_P0_RIDER is as an exception here */
	if (at != p0->committed) {
		*hwf_p0_entry(p0, at - 1) ^= HWF_P0_CORRECT;
	} else if (!p0->unseen) {
		lose(p0, offset, HWF_ERR_UNDERFLOW);
		return;
	}
	/* else it is one from before the start of trace */
	if (at != p0->tail)
		return;
	p0->targeted = false;
	if (p0->used)
		drop_addresses(p0);
}

void hwf_p0_settle(struct hwf_p0 *p0)
{
	hwf_p0_give(p0);
	while (!p0->unseen && p0->used && *hwf_p0_position(p0, 0) == p0->head &&
	       !hwf_p0_is_rider(p0, hwf_p0_rider(p0, 0))) {
		p0->sink(p0->sink_ctx, hwf_p0_rider(p0, 0));
		hwf_p0_drop_oldest(p0);
	}
	/* a Q element may wait for the address that is behind them */
	if (!p0->unseen && hwf_p0_waiting(p0) && is_targeted(*hwf_p0_entry(p0, p0->head)) &&
	    !(p0->used && *hwf_p0_position(p0, 0) == p0->head)) {
		const struct hwf_element target =
			hwf_p0_target_element(hwf_p0_beside(p0, p0->head));

		*hwf_p0_entry(p0, p0->head) &= ~(uint64_t)HWF_P0_TARGETED;
		p0->sink(p0->sink_ctx, &target);
	}
	/* nor does anything wait before an address that an Atom is to come behind */
	if (!p0->unseen && p0->head == p0->tail && p0->targeted && !p0->used) {
		const struct hwf_element target =
			hwf_p0_target_element(hwf_p0_beside(p0, p0->tail));

		p0->targeted = false;
		p0->sink(p0->sink_ctx, &target);
	}
}

/* Make room for a rider, or say that there is none. */
static bool room(struct hwf_p0 *p0, uint64_t offset)
{
	if (p0->used <= p0->rider_mask)
		return true;
	hwf_p0_settle(p0);
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
	if (hwf_p0_waiting(p0) + HWF_P0_MOST_ATOMS <= p0->entry_mask + 1)
		return true;
	lose(p0, offset, HWF_ERR_NO_SPACE);
	return false;
}

/* Beyond MAXSPEC the oldest cannot be canceled any more (I_XLHWT). */
static void commit_excess(struct hwf_p0 *p0, uint64_t offset)
{
	uint32_t depth = hwf_p0_waiting(p0) + p0->unseen;

	if (depth > p0->config->max_spec)
		commit(p0, offset, depth - p0->config->max_spec);
}

static void put_atoms(struct hwf_p0 *p0, uint64_t offset, const struct hwf_ete_atoms *atoms)
{
	if (!room_for_p0(p0, offset))
		return;
	for (uint32_t i = 0; i < atoms->count; i++)
		*hwf_p0_entry(p0, p0->tail + i) = HWF_P0_ATOM(offset, atoms->bits >> i & 1);
	if (p0->targeted)
		*hwf_p0_entry(p0, p0->tail) |= HWF_P0_TARGETED;
	p0->targeted = false;
	p0->tail += atoms->count;
	commit_excess(p0, offset);
}

/* A new rider, behind all P0 elements */
static void ride(struct hwf_p0 *p0, const struct hwf_element *element)
{
	*hwf_p0_rider(p0, p0->used) = *element;
	*hwf_p0_position(p0, p0->used++) = p0->tail;
}

/* Room for a rider at the place where an address stands: that goes before it, as one too. */
static bool room_behind_target(struct hwf_p0 *p0, uint64_t offset)
{
	struct hwf_element target;

	if (p0->targeted) {
		if (!room(p0, offset))
			return false;
		p0->targeted = false;
		target = hwf_p0_target_element(hwf_p0_beside(p0, p0->tail));
		ride(p0, &target);
	}
	return room(p0, offset);
}

/* Beside the Atom that is to come; behind riders it is one of them. */
static void put_target(struct hwf_p0 *p0, uint64_t offset, struct hwf_el_address address)
{
	struct hwf_p0_beside *place = hwf_p0_beside(p0, p0->tail);
	struct hwf_element element = {
		.offset = offset, .kind = HWF_EL_TARGET_ADDRESS, .u.address = address};

	if (p0->tail - p0->head > p0->entry_mask ||
	    (p0->used && *hwf_p0_position(p0, p0->used - 1) == p0->tail)) {
		if (room_behind_target(p0, offset))
			ride(p0, &element);
		return;
	}
	place->target = address.value | address.is;
	place->target_offset = offset;
	p0->targeted = true;
}

static void put_exception(struct hwf_p0 *p0, const struct hwf_element *element)
{
	const struct hwf_el_exception *exception = &element->u.exception;

	if (!room_for_p0(p0, element->offset))
		return;
	hwf_p0_set_exception(hwf_p0_beside(p0, p0->tail), exception);
	*hwf_p0_entry(p0, p0->tail++) = HWF_P0_ATOM(element->offset, 0) | HWF_P0_EXCEPTION |
					(p0->targeted ? HWF_P0_TARGETED : 0);
	p0->targeted = false;
	commit_excess(p0, element->offset);
}

/* Does nothing wait, and nothing can? */
static bool passes(const struct hwf_p0 *p0, const struct hwf_element *element)
{
	if (p0->used || hwf_p0_waiting(p0) || p0->targeted)
		return false;
	if (element->kind == HWF_EL_ATOM || hwf_p0_is_rider(p0, element))
		return !p0->config->max_spec && !p0->unseen;
	return survives(element);
}

static void append(struct hwf_p0 *p0, const struct hwf_element *element)
{
	if (!hwf_p0_waiting(p0))
		hwf_p0_give(p0);
	if (passes(p0, element)) {
		p0->sink(p0->sink_ctx, element);
		return;
	}
	if (element->kind == HWF_EL_ATOM) {
		put_atoms(p0, element->offset, &element->u.atoms);
		return;
	}
	if (element->kind == HWF_EL_TARGET_ADDRESS) {
		put_target(p0, element->offset, element->u.address);
		return;
	}
	if (element->kind == HWF_EL_EXCEPTION && element->u.exception.has_ret) {
		put_exception(p0, element);
		return;
	}
	if (!room_behind_target(p0, element->offset))
		return;
	if (!hwf_p0_is_rider(p0, element)) {
		ride(p0, element);
	} else if (room_for_p0(p0, element->offset)) {
		ride(p0, element);
		*hwf_p0_entry(p0, p0->tail++) = HWF_P0_RIDER;
		commit_excess(p0, element->offset);
	}
}

/* May it stand beside the youngest committed P0 element? Not if something is between them. */
static bool may_count(const struct hwf_p0 *p0)
{
	const uint64_t youngest = *hwf_p0_entry(p0, p0->committed - 1);

	return p0->committed != p0->head && youngest != HWF_P0_RIDER &&
	       !(youngest & HWF_P0_COUNTED) &&
	       (!p0->used ||
		p0->committed - 1 - *hwf_p0_position(p0, p0->used - 1) <= UINT32_MAX / 2);
}

/*
 * R_BZQWX, R_VNYMN: the count belongs to the most recent Commit. It stands behind what is committed
 * by then, and before what waits, wherever its packet stands.
 */
static void put_cycle_count(struct hwf_p0 *p0, uint64_t offset, struct hwf_el_cycle_count count)
{
	const struct hwf_element element = {
		.offset = offset, .kind = HWF_EL_CYCLE_COUNT, .u.cycle_count = count};
	struct hwf_p0_beside *place = hwf_p0_beside(p0, p0->committed - 1);

	if (may_count(p0)) {
		*hwf_p0_entry(p0, p0->committed - 1) |= HWF_P0_COUNTED;
		place->count = count;
		place->count_offset = offset;
		return;
	}
	hwf_p0_give(p0);
	if ((p0->used || p0->targeted) && !hwf_p0_waiting(p0) && !p0->unseen) {
		append(p0, &element);
	} else {
		hwf_p0_settle(p0);
		p0->sink(p0->sink_ctx, &element);
	}
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

static void hold(struct hwf_p0 *p0, const struct hwf_element *element)
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
		commit(p0, element->offset, element->u.number);
		break;
	case HWF_EL_CANCEL:
		cancel(p0, element->offset, element->u.number);
		break;
	case HWF_EL_MISPREDICT:
		mispredict(p0, element->offset);
		break;
	case HWF_EL_CYCLE_COUNT:
		put_cycle_count(p0, element->offset, element->u.cycle_count);
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
	hold(p0, element);
	hwf_p0_give(p0);
}
