/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * P0 resolution (Arm ARM D4.3.8), in one ring of elements:
 *
 *	          head                                    tail
 *	           |                                       |
 *	  given    |  T  A1  A2  Ev  T  X3  C  A4  Ts  T   |   free
 *	           |                                       |
 *	   Commit: from here                     Cancel: from here
 *
 * A1, A2 and A4 are Atoms and X3 is an Exception; T (Target Address), Ev (Event), C (Context) and
 * Ts (Timestamp) are no P0 elements. Commit 2 gives T A1 A2, and Ev, which survives. Cancel 2
 * removes X3, C, A4 and T; Ts survives. Mispredict flips A4, and removes the T behind it. An
 * element that is no P0 element leaves with the next P0 element.
 *
 * Performance is no aim of this file: fast/window.c does the same fast for most traces, and is
 * tested against it.
 */
#include "decode/p0_private.h"

/* MAXSPEC is a 32-bit field; a larger value does not get more memory. */
#define SENSIBLE_MAX_SPEC 0x4000u

uint32_t hwf_p0_ring_size(const struct hwf_ete_config *config)
{
	uint32_t depth =
		config->max_spec < SENSIBLE_MAX_SPEC ? config->max_spec : SENSIBLE_MAX_SPEC;
	uint32_t size = 1024;

	while (size < 9 * depth)
		size *= 2;
	return size;
}

void hwf_p0_init(struct hwf_p0 *p0, const struct hwf_ete_config *config, struct hwf_element *ring,
		 uint32_t size, hwf_element_fn *sink, void *sink_ctx)
{
	*p0 = (struct hwf_p0){.config = config,
			      .sink = sink,
			      .sink_ctx = sink_ctx,
			      .ring = ring,
			      .mask = size - 1,
			      .lost = true};
}

/*
 * Does an element stay when the P0 elements around it are canceled or discarded? Instrumentation
 * (R_CJRNL) and Timestamp Marker (R_DCRVK) do, and all that is no part of program flow.
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

static bool is_no_target(const struct hwf_element *element)
{
	return element->kind != HWF_EL_TARGET_ADDRESS;
}

/* Remove the elements from number @from on, but for those that are @kept. */
static void remove_from(struct hwf_p0 *p0, uint32_t from,
			bool (*kept)(const struct hwf_element *element))
{
	uint32_t end = from;

	for (uint32_t at = from; at != p0->tail; at++) {
		const struct hwf_element *element = hwf_p0_slot(p0, at);

		if (kept(element))
			*hwf_p0_slot(p0, end++) = *element;
		else
			p0->waiting -= hwf_p0_is_p0(p0, element);
	}
	p0->tail = end;
}

static bool is_empty(const struct hwf_p0 *p0)
{
	return p0->head == p0->tail;
}

/* Give the oldest element. Return: is it a P0 element? */
static bool give_oldest(struct hwf_p0 *p0)
{
	const struct hwf_element *oldest = hwf_p0_slot(p0, p0->head++);
	const bool is_p0 = hwf_p0_is_p0(p0, oldest);

	p0->waiting -= is_p0;
	p0->sink(p0->sink_ctx, oldest);
	return is_p0;
}

static bool is_atom_of(const struct hwf_p0 *p0, uint64_t offset)
{
	const struct hwf_element *oldest = hwf_p0_slot(p0, p0->head);

	return !is_empty(p0) && oldest->kind == HWF_EL_ATOM && oldest->offset == offset;
}

/*
 * Give the oldest element, an Atom, and up to @most Atoms of the same packet, as one element.
 * Return: number of Atoms
 */
static uint32_t give_atoms(struct hwf_p0 *p0, uint32_t most)
{
	struct hwf_element atoms = {
		.offset = hwf_p0_slot(p0, p0->head)->offset,
		.kind = HWF_EL_ATOM,
	};
	uint32_t count = 0;

	while (count < most && count < HWF_P0_MOST_ATOMS && is_atom_of(p0, atoms.offset)) {
		const struct hwf_element *atom = hwf_p0_slot(p0, p0->head++);

		atoms.u.atoms.bits |= atom->u.atoms.bits << count;
		atoms.corrected |= atom->corrected << count;
		count++;
	}
	atoms.u.atoms.count = (uint8_t)count;
	p0->waiting -= count;
	p0->sink(p0->sink_ctx, &atoms);
	return count;
}

/* Nothing can remove an element that survives, so it is given as soon as it is the oldest. */
static void give_survivors(struct hwf_p0 *p0)
{
	while (!is_empty(p0) && survives(hwf_p0_slot(p0, p0->head)))
		give_oldest(p0);
}

void hwf_p0_settle(struct hwf_p0 *p0)
{
	while (!p0->unseen && !is_empty(p0) && !hwf_p0_is_p0(p0, hwf_p0_slot(p0, p0->head)))
		give_oldest(p0);
}

/*
 * struct discard - progress through the elements that a Discard removes
 * @unresolved: an unresolved P0 element was passed
 * @start_removed: the last Transaction Start was removed
 */
struct discard {
	bool unresolved;
	bool start_removed;
};

/*
 * Does an element outlive a Discard? The outcome of a transaction does where no unresolved P0
 * element is before it; a Transaction Failure also where one is (R_NMWFJ, I_XHLPG), unless its
 * Transaction Start is removed.
 */
static bool outlives(struct discard *state, const struct hwf_p0 *p0,
		     const struct hwf_element *element)
{
	bool start_removed;

	if (hwf_p0_is_p0(p0, element))
		state->unresolved = true;
	switch (element->kind) {
	case HWF_EL_TRANSACTION_START:
		state->start_removed = state->unresolved;
		return !state->unresolved;
	case HWF_EL_TRANSACTION_COMMIT:
		return !state->unresolved;
	case HWF_EL_TRANSACTION_FAILURE:
		start_removed = state->start_removed;
		state->start_removed = false;
		return !start_removed;
	default:
		return survives(element);
	}
}

/* I_STXQZ: no P0 element in the ring will be resolved. Give the elements that outlive them. */
static void discard(struct hwf_p0 *p0)
{
	struct discard state = {.unresolved = p0->unseen};

	for (; !is_empty(p0); p0->head++) {
		const struct hwf_element *oldest = hwf_p0_slot(p0, p0->head);

		if (outlives(&state, p0, oldest))
			p0->sink(p0->sink_ctx, oldest);
	}
	p0->waiting = 0;
	p0->unseen = 0;
}

/* The trace contradicts itself, or the ring is full: take nothing before the next Trace Info. */
static void lose(struct hwf_p0 *p0, uint64_t offset, int error)
{
	struct hwf_element element = {
		.offset = offset,
		.kind = HWF_EL_NO_SYNC,
		.u.no_sync = {.reason = HWF_NO_SYNC_BAD_PACKET, .error = error},
	};

	discard(p0);
	p0->lost = true;
	p0->sink(p0->sink_ctx, &element);
}

/* I_KQQML, R_PNBGQ: the @number oldest P0 elements, of any kind, were executed. */
static void commit(struct hwf_p0 *p0, uint64_t offset, uint32_t number)
{
	const uint32_t unseen = number < p0->unseen ? number : p0->unseen;

	p0->unseen -= unseen;
	number -= unseen;
	while (number && !is_empty(p0)) {
		if (hwf_p0_slot(p0, p0->head)->kind == HWF_EL_ATOM)
			number -= give_atoms(p0, number);
		else
			number -= give_oldest(p0);
	}
	if (number)
		lose(p0, offset, HWF_ERR_UNDERFLOW);
}

/*
 * I_MRGLC, R_WLTNX: the @number youngest P0 elements, of any kind, were not executed. All that is
 * behind the oldest of them was traced on the wrong path too, even a Trace Info (I_YZPCB).
 */
static void cancel(struct hwf_p0 *p0, uint64_t offset, uint32_t number)
{
	uint32_t from = p0->tail;

	while (number && from != p0->head)
		number -= hwf_p0_is_p0(p0, hwf_p0_slot(p0, --from));
	remove_from(p0, from, survives);
	if (number > p0->unseen)
		lose(p0, offset, HWF_ERR_UNDERFLOW);
	else
		p0->unseen -= number;
}

/*
 * I_GBKKQ: the youngest Atom has the other outcome; it may be one from before the start of trace.
 * Target Addresses behind it were those of the wrong path, if no other P0 element is between.
 */
static void mispredict(struct hwf_p0 *p0, uint64_t offset)
{
	uint32_t end = p0->tail; /* behind the youngest P0 element */
	uint32_t at;             /* behind the youngest Atom */

	while (end != p0->head && !hwf_p0_is_p0(p0, hwf_p0_slot(p0, end - 1)))
		end--;
	for (at = end; at != p0->head && hwf_p0_slot(p0, at - 1)->kind != HWF_EL_ATOM;)
		at--;
	if (at != p0->head) {
		hwf_p0_slot(p0, at - 1)->u.atoms.bits ^= 1;
		hwf_p0_slot(p0, at - 1)->corrected ^= 1;
	} else if (!p0->unseen) {
		lose(p0, offset, HWF_ERR_UNDERFLOW);
		return;
	}
	if (at == end)
		remove_from(p0, end, is_no_target);
}

/* I_XLHWT: with MAXSPEC younger P0 elements, a P0 element cannot be canceled any more. */
static void commit_excess(struct hwf_p0 *p0, uint64_t offset)
{
	const uint32_t depth = p0->waiting + p0->unseen;

	if (depth > p0->config->max_spec)
		commit(p0, offset, depth - p0->config->max_spec);
}

/* I_XCKNM: a Target Address corrects the one directly before it. */
static bool corrects(const struct hwf_p0 *p0, const struct hwf_element *element)
{
	return element->kind == HWF_EL_TARGET_ADDRESS && !is_empty(p0) &&
	       hwf_p0_slot(p0, p0->tail - 1)->kind == HWF_EL_TARGET_ADDRESS;
}

static void append(struct hwf_p0 *p0, const struct hwf_element *element)
{
	if (corrects(p0, element))
		p0->tail--;
	if (p0->tail - p0->head > p0->mask)
		hwf_p0_settle(p0);
	if (p0->tail - p0->head > p0->mask) {
		lose(p0, element->offset, HWF_ERR_NO_SPACE);
		return;
	}
	hwf_p0_add(p0, element);
}

static void append_atoms(struct hwf_p0 *p0, const struct hwf_element *element)
{
	const struct hwf_ete_atoms *atoms = &element->u.atoms;

	for (uint32_t i = 0; i < atoms->count && !p0->lost; i++) {
		const struct hwf_element atom = {
			.offset = element->offset,
			.kind = HWF_EL_ATOM,
			.u.atoms = {.bits = atoms->bits >> i & 1, .count = 1},
		};

		append(p0, &atom);
	}
}

/*
 * R_BZQWX, R_VNYMN: a Cycle Count belongs to the most recent Commit. It goes before the P0 elements
 * that are not resolved yet, although its packet comes behind theirs.
 */
static void put_cycle_count(struct hwf_p0 *p0, const struct hwf_element *element)
{
	if (!p0->waiting && !p0->unseen) {
		append(p0, element);
		return;
	}
	hwf_p0_settle(p0);
	p0->sink(p0->sink_ctx, element);
}

static void push_trace_info(struct hwf_p0 *p0, const struct hwf_element *element)
{
	if (p0->lost) {
		p0->lost = false;
		p0->unseen = element->u.trace_info.spec_depth;
	}
	append(p0, element);
}

/* While synchronisation is lost; Event and Instrumentation are legal before a Trace Info (R_HMDGL)
 */
static void push_lost(struct hwf_p0 *p0, const struct hwf_element *element)
{
	if (element->kind == HWF_EL_EVENT || element->kind == HWF_EL_INSTRUMENTATION)
		append(p0, element);
}

static void push_synced(struct hwf_p0 *p0, const struct hwf_element *element)
{
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
	case HWF_EL_DISCARD:
	case HWF_EL_OVERFLOW:
		discard(p0);
		break;
	case HWF_EL_CYCLE_COUNT:
		put_cycle_count(p0, element);
		break;
	case HWF_EL_ATOM:
		append_atoms(p0, element);
		break;
	default:
		append(p0, element);
		break;
	}
}

void hwf_p0_push(struct hwf_p0 *p0, const struct hwf_element *element)
{
	if (element->kind == HWF_EL_NO_SYNC || element->kind == HWF_EL_END) {
		discard(p0);
		p0->lost = true;
		p0->sink(p0->sink_ctx, element);
		return;
	}
	if (element->kind == HWF_EL_TRACE_INFO)
		push_trace_info(p0, element);
	else if (p0->lost)
		push_lost(p0, element);
	else
		push_synced(p0, element);
	commit_excess(p0, element->offset);
	give_survivors(p0);
}
