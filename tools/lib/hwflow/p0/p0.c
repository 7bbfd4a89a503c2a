/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Commit, Cancel, Mispredict, Discard: Arm ARM D4.3.8. */
#include "hwflow/p0.h"

/* More than this many uncommitted P0 elements nobody has; MAXSPEC is a 32-bit field. */
#define SENSIBLE_MAX_SPEC 0x10000u

uint32_t hwf_p0_ring_size(const struct hwf_ete_config *config)
{
	uint32_t depth =
		config->max_spec < SENSIBLE_MAX_SPEC ? config->max_spec : SENSIBLE_MAX_SPEC;
	uint32_t size = 64;

	while (size < 4 * depth)
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
			      .size = size,
			      .lost = true};
}

static struct hwf_element *entry(struct hwf_p0 *p0, uint32_t index)
{
	return &p0->ring[(p0->head + index) & (p0->size - 1)];
}

/* How many P0 elements an element is */
static uint32_t p0_count(const struct hwf_p0 *p0, const struct hwf_element *element)
{
	switch (element->kind) {
	case HWF_EL_ATOM:
		return element->u.atoms.count;
	case HWF_EL_EXCEPTION:
	case HWF_EL_SOURCE_ADDRESS:
	case HWF_EL_Q:
		return 1;
	case HWF_EL_TRANSACTION_START:
		/* R_CTLXL */
		return p0->config->start_is_p0;
	default:
		return 0;
	}
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

static void drop_oldest(struct hwf_p0 *p0)
{
	p0->head = (p0->head + 1) & (p0->size - 1);
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

	if (p0_count(p0, element))
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

	while (p0->used) {
		const struct hwf_element *oldest = entry(p0, 0);

		if (outlives(&ending, p0, oldest))
			p0->sink(p0->sink_ctx, oldest);
		drop_oldest(p0);
	}
	p0->depth = 0;
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

/* Give the @count oldest Atoms of an element and keep the others. */
static void commit_some_atoms(struct hwf_p0 *p0, struct hwf_element *element, uint32_t count)
{
	struct hwf_element oldest = *element;

	oldest.u.atoms.count = (uint8_t)count;
	oldest.u.atoms.bits &= (1u << count) - 1;
	element->u.atoms.count = (uint8_t)(element->u.atoms.count - count);
	element->u.atoms.bits >>= count;
	p0->sink(p0->sink_ctx, &oldest);
}

/* I_KQQML: the oldest P0 elements are executed; what rides before them leaves with them. */
static void commit(struct hwf_p0 *p0, uint64_t offset, uint32_t number)
{
	uint32_t unseen = number < p0->unseen ? number : p0->unseen;

	p0->unseen -= unseen;
	p0->depth -= unseen;
	number -= unseen;
	while (number) {
		struct hwf_element *oldest;
		uint32_t count;

		if (!p0->used) {
			lose(p0, offset, HWF_ERR_UNDERFLOW);
			return;
		}
		oldest = entry(p0, 0);
		count = p0_count(p0, oldest);
		if (count > number) {
			commit_some_atoms(p0, oldest, number);
			p0->depth -= number;
			return;
		}
		p0->sink(p0->sink_ctx, oldest);
		drop_oldest(p0);
		number -= count;
		p0->depth -= count;
	}
}

/* Close the hole that begins at @from: keep of [@from, used) what survives. */
static void keep_survivors(struct hwf_p0 *p0, uint32_t from)
{
	uint32_t kept = from;

	for (uint32_t i = from; i < p0->used; i++) {
		if (survives(entry(p0, i)))
			*entry(p0, kept++) = *entry(p0, i);
	}
	p0->used = kept;
}

/*
 * I_MRGLC: the youngest P0 elements were not executed. What stands between and behind them
 * goes too, a Trace Info and all that follows it included (I_YZPCB).
 */
static void cancel(struct hwf_p0 *p0, uint64_t offset, uint32_t number)
{
	uint32_t from = p0->used;

	while (number && from) {
		struct hwf_element *youngest = entry(p0, from - 1);
		uint32_t count = p0_count(p0, youngest);

		if (count > number) {
			youngest->u.atoms.count = (uint8_t)(count - number);
			youngest->u.atoms.bits &= (1u << (count - number)) - 1;
			p0->depth -= number;
			number = 0;
			break;
		}
		number -= count;
		p0->depth -= count;
		from--;
	}
	keep_survivors(p0, from);
	if (number > p0->unseen) {
		lose(p0, offset, HWF_ERR_UNDERFLOW);
		return;
	}
	p0->unseen -= number;
	p0->depth -= number;
}

/* Take Target Addresses out of [@from, used). */
static void drop_addresses(struct hwf_p0 *p0, uint32_t from)
{
	uint32_t kept = from;

	for (uint32_t i = from; i < p0->used; i++) {
		if (entry(p0, i)->kind != HWF_EL_TARGET_ADDRESS)
			*entry(p0, kept++) = *entry(p0, i);
	}
	p0->used = kept;
}

/*
 * I_GBKKQ: the youngest Atom was the other one. Addresses behind it were those of the wrong
 * path, as far as no other P0 element comes between.
 */
static void mispredict(struct hwf_p0 *p0, uint64_t offset)
{
	uint32_t after = p0->used;
	bool p0_between = false;

	while (after && entry(p0, after - 1)->kind != HWF_EL_ATOM) {
		p0_between = p0_between || p0_count(p0, entry(p0, after - 1));
		after--;
	}
	if (after) {
		struct hwf_ete_atoms *atoms = &entry(p0, after - 1)->u.atoms;

		atoms->bits ^= 1u << (atoms->count - 1);
	} else if (!p0->unseen) {
		lose(p0, offset, HWF_ERR_UNDERFLOW);
		return;
	}
	/* else it is one from before the start of trace */
	if (!p0_between)
		drop_addresses(p0, after);
}

/* Make room, or say that there is none. */
static bool room(struct hwf_p0 *p0, uint64_t offset)
{
	if (p0->used < p0->size)
		return true;
	/* nothing can take back what stands before the oldest unresolved P0 element */
	while (!p0->unseen && p0->used && !p0_count(p0, entry(p0, 0))) {
		p0->sink(p0->sink_ctx, entry(p0, 0));
		drop_oldest(p0);
	}
	if (p0->used < p0->size)
		return true;
	lose(p0, offset, HWF_ERR_NO_SPACE);
	return false;
}

static void append(struct hwf_p0 *p0, const struct hwf_element *element)
{
	uint32_t count = p0_count(p0, element);

	if (!p0->used && (count ? !p0->config->max_spec && !p0->depth : survives(element))) {
		p0->sink(p0->sink_ctx, element);
		return;
	}
	if (!room(p0, element->offset))
		return;
	*entry(p0, p0->used++) = *element;
	p0->depth += count;
	/* Beyond MAXSPEC the oldest cannot be cancelled any more (I_XLHWT). */
	if (count && p0->depth > p0->config->max_spec)
		commit(p0, element->offset, p0->depth - p0->config->max_spec);
}

static void take_trace_info(struct hwf_p0 *p0, const struct hwf_element *element)
{
	uint32_t spec_depth = element->u.trace_info.spec_depth;

	if (p0->lost) {
		p0->lost = false;
		p0->unseen = spec_depth;
		p0->depth = spec_depth;
	}
	append(p0, element);
}

void hwf_p0_push(struct hwf_p0 *p0, const struct hwf_element *element)
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
