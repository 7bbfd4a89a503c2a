/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * What a trace unit holds, as bytes: one table, walked both ways.
 *
 * 64-bit little-endian words: version, a digest of how it is programmed, the members in the order
 * of the table; then the bytes of trace not written yet. What follows from the options is not
 * saved, nor what matters within one call only.
 */
#include <stddef.h>

#include "core/cursor.h"
#include "encode/tu.h"

/* Counted up with each change to the table or to what a member means */
#define STATE_MAGIC UINT64_C(0x5554574800000002)

struct member {
	uint16_t offset;
	uint8_t size;
	uint8_t count;
	uint8_t stride;
	uint64_t most; /* the greatest value there is */
};

/* what they take are names of members, which cannot stand in parentheses */
/* NOLINTBEGIN(bugprone-macro-parentheses) */
#define SIZE(m)                       sizeof(((struct hwf_tu *)0)->m)
#define AT(m)                         offsetof(struct hwf_tu, m)
#define VALUE(m, MOST)                {AT(m), SIZE(m), 1, 0, MOST}
#define ANY(m)                        VALUE(m, UINT64_MAX >> (64 - 8 * SIZE(m)))
#define FLAG(m)                       VALUE(m, 1)
#define EACH(m, element, COUNT, MOST) {AT(m), SIZE(m), COUNT, SIZE(element), MOST}
#define PLACES(element, COUNT) \
	EACH(element.pc, element, COUNT, UINT64_MAX), EACH(element.isa, element, COUNT, HWF_ISA_T32)
#define PLACE(m) ANY(m.pc), VALUE(m.isa, HWF_ISA_T32)
#define RANGES(element)                                        \
	EACH(element.low, element, HWF_TU_RANGES, UINT64_MAX), \
		EACH(element.high, element, HWF_TU_RANGES, UINT64_MAX)
/* NOLINTEND(bugprone-macro-parentheses) */

#define ATTENTION 0xff
#define DUE       0x0f

static const struct member members[] = {
	ANY(next_pc),
	VALUE(next_isa, HWF_ISA_T32),
	ANY(window_low),
	ANY(tick),
	ANY(tick_loaded),
	ANY(timestamp_left),
	ANY(event_left),
	VALUE(attention, ATTENTION),
	ANY(exec),
	VALUE(due, DUE),
	VALUE(atoms.bits, 0xffffff),
	VALUE(atoms.count, 23),
	ANY(depth),
	VALUE(used, TU_OUT_SIZE),
	FLAG(el_traced),
	FLAG(active),
	PLACE(target),
	VALUE(target_how, TU_TARGET_FORCED),
	FLAG(target_is_cse),
	FLAG(redirect),
	FLAG(omitted),
	FLAG(lost),
	PLACES(stack.entry[0], HWF_TU_RETURN_STACK),
	VALUE(stack.top, HWF_TU_RETURN_STACK - 1),
	VALUE(stack.used, HWF_TU_RETURN_STACK),
	VALUE(stack.awaits, TU_AWAITS_ADDRESS | TU_AWAITS_CONTEXT),
	VALUE(sync_due, TU_SYNC_NONPERIODIC),
	FLAG(sync_aligned),
	FLAG(overflow_due),
	FLAG(sync_requested),
	ANY(output),
	ANY(sync_mark),
	ANY(request_mark),
	ANY(cycles),
	ANY(timestamp),
	ANY(timestamp_cycles),
	FLAG(cycles_unknown),
	FLAG(transaction),
	FLAG(transaction_traced),
	PLACE(q_last.at),
	PLACE(q_last.next),
	FLAG(q_last.taken),
	VALUE(q_insn.size, 4),
	VALUE(q_insn.kind, HWF_INSN_TSTART),
	VALUE(q_insn.sub, HWF_SUB_IMPLIED_RET),
	ANY(q_last_exec),
	ANY(q_wait),
	ANY(q_left),
	ANY(source_wait),
	FLAG(q_open),
	ANY(random),
	PLACES(guess[0], TU_GUESSES),
	VALUE(guesses, TU_GUESSES),
	FLAG(defer),
	ANY(context.vmid),
	ANY(context.cid),
	VALUE(context.el, 3),
	VALUE(context.security, HWF_SEC_REALM),
	FLAG(context.sf),
	FLAG(context.has_vmid),
	FLAG(context.has_cid),
	EACH(packer.history.entry[0].value, packer.history.entry[0], HWF_HISTORY, UINT64_MAX),
	EACH(packer.history.entry[0].is, packer.history.entry[0], HWF_HISTORY, 1),
	ANY(packer.context.vmid),
	ANY(packer.context.cid),
	VALUE(packer.context.el, 3),
	VALUE(packer.context.security, HWF_SEC_REALM),
	FLAG(packer.context.sf),
	FLAG(packer.context.has_vmid),
	FLAG(packer.context.has_cid),
	ANY(packer.timestamp),
	ANY(packer.cc_threshold),
	VALUE(packer.history_sure, HWF_HISTORY),
	FLAG(packer.context_known),
	/* hwf_tu_ranges() changes these */
	VALUE(options.bb_ranges, HWF_TU_RANGES),
	VALUE(options.q_ranges, HWF_TU_RANGES),
	VALUE(options.include_ranges, HWF_TU_RANGES),
	VALUE(options.exclude_ranges, HWF_TU_RANGES),
	FLAG(options.bb_exclude),
	FLAG(options.q_exclude),
	RANGES(options.bb[0]),
	RANGES(options.q[0]),
	RANGES(options.include[0]),
	RANGES(options.exclude[0]),
};

#define MEMBERS (sizeof(members) / sizeof(members[0]))

/* ---- what may differ from one trace unit to another ---- */

static void mix(uint64_t *digest, uint64_t value)
{
	*digest = (*digest ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	*digest ^= *digest >> 29;
}

static uint64_t digest_of(const struct hwf_tu_options *options)
{
	const struct hwf_ete_regs *regs = &options->regs;
	const uint64_t values[] = {
		regs->trcconfigr,
		regs->trctraceidr,
		regs->trcidr0,
		regs->trcidr1,
		regs->trcidr2,
		regs->trcidr8,
		regs->trcauthstatus,
		regs->trcdevarch,
		options->cc_threshold,
		options->sync_period,
		options->timestamp_interval,
		options->event_interval,
		options->q_interval,
		options->source_address_interval,
		options->el_mask,
		options->spec_seed,
		options->spec_wrong,
		options->sync_only_if_output,
		options->resync_after_idle,
		options->sync_late,
	};
	uint64_t digest = 0;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		mix(&digest, values[i]);
	return digest;
}

/* ---- members ---- */

static uint64_t member_get(const void *at, unsigned int size)
{
	switch (size) {
	case 1:
		return *(const uint8_t *)at;
	case 4:
		return *(const uint32_t *)at;
	default:
		return *(const uint64_t *)at;
	}
}

static void member_set(void *at, unsigned int size, uint64_t value)
{
	switch (size) {
	case 1:
		*(uint8_t *)at = (uint8_t)value;
		break;
	case 4:
		*(uint32_t *)at = (uint32_t)value;
		break;
	default:
		*(uint64_t *)at = value;
	}
}

size_t hwf_tu_state_size(const struct hwf_tu *unit)
{
	size_t words = 2;

	for (size_t i = 0; i < MEMBERS; i++)
		words += members[i].count;
	return 8 * words + unit->used;
}

void hwf_tu_save(const struct hwf_tu *unit, uint8_t *bytes)
{
	struct hwf_writer writer = {.at = bytes, .end = bytes + hwf_tu_state_size(unit)};

	hwf_put_le(&writer, 8, STATE_MAGIC);
	hwf_put_le(&writer, 8, digest_of(&unit->options));
	for (size_t i = 0; i < MEMBERS; i++) {
		const uint8_t *at = (const uint8_t *)unit + members[i].offset;

		for (unsigned int j = 0; j < members[i].count; j++, at += members[i].stride)
			hwf_put_le(&writer, 8, member_get(at, members[i].size));
	}
	for (uint32_t i = 0; i < unit->used; i++)
		hwf_put_u8(&writer, unit->out[i]);
}

/* All that the functions of the trace unit rely on, beyond what each member can be */
static bool consistent(const struct hwf_tu *unit)
{
	const struct hwf_tu_options *options = &unit->options;

	return unit->atoms.bits >> unit->atoms.count == 0 && unit->depth <= unit->depth_limit &&
	       unit->cycles <= unit->cycles_max && unit->tick != 0 &&
	       unit->tick <= unit->tick_loaded &&
	       (options->timestamp_interval == 0 || unit->tick_loaded <= unit->timestamp_left) &&
	       (options->event_interval == 0 || unit->tick_loaded <= unit->event_left) &&
	       ((unit->special & TU_SPECIAL_Q) != 0 || !unit->q_open) &&
	       (!unit->q_open || unit->exec != 0);
}

static int read_head(const struct hwf_tu *unit, struct hwf_cursor *cursor)
{
	uint64_t magic, digest;

	if (hwf_get_le(cursor, 8, &magic) || hwf_get_le(cursor, 8, &digest))
		return HWF_ERR_NEED_MORE;
	if (magic != STATE_MAGIC)
		return HWF_ERR_BAD_PAYLOAD;
	return digest == digest_of(&unit->options) ? 0 : HWF_ERR_BAD_CONFIG;
}

static int read_members(struct hwf_tu *unit, struct hwf_cursor *cursor)
{
	for (size_t i = 0; i < MEMBERS; i++) {
		uint8_t *at = (uint8_t *)unit + members[i].offset;

		for (unsigned int j = 0; j < members[i].count; j++, at += members[i].stride) {
			uint64_t value;

			if (hwf_get_le(cursor, 8, &value))
				return HWF_ERR_NEED_MORE;
			if (value > members[i].most)
				return HWF_ERR_BAD_PAYLOAD;
			member_set(at, members[i].size, value);
		}
	}
	return consistent(unit) ? 0 : HWF_ERR_BAD_PAYLOAD;
}

static int read_out(struct hwf_tu *unit, struct hwf_cursor *cursor)
{
	for (uint32_t i = 0; i < unit->used; i++) {
		if (hwf_get_u8(cursor, &unit->out[i]))
			return HWF_ERR_NEED_MORE;
	}
	return cursor->at == cursor->end ? 0 : HWF_ERR_BAD_PAYLOAD;
}

int hwf_tu_restore(struct hwf_tu *unit, const uint8_t *bytes, size_t length)
{
	struct hwf_cursor cursor = {.at = bytes, .end = bytes + length};
	struct hwf_tu restored = *unit;
	int error = read_head(unit, &cursor);

	if (error == 0)
		error = read_members(&restored, &cursor);
	if (error == 0)
		error = read_out(&restored, &cursor);
	if (error != 0)
		return error;
	/* the window that this address is in, and begins */
	hwf_tu_window(&restored, restored.window_low);
	*unit = restored;
	return 0;
}
