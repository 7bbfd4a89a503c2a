/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Cycle counts, timestamps, Events, Instrumentation. */
#include "encode/tu.h"

void hwf_tu_cycles(struct hwf_tu *unit, uint32_t cycles)
{
	if (!unit->config.cycle_count)
		return;
	unit->cycles += cycles;
	/* R_YVWJW: the counter has room for no more */
	if (unit->cycles > unit->cycles_max) {
		unit->cycles = unit->cycles_max;
		unit->cycles_unknown = true;
	}
	if (unit->cycles >= unit->options.cc_threshold)
		unit->due |= TU_DUE_CC;
}

/* ---- Timestamps ---- */

void hwf_tu_put_timestamp(struct hwf_tu *unit)
{
	struct hwf_element element = {.kind = HWF_EL_TIMESTAMP};

	element.u.timestamp = (struct hwf_el_timestamp){
		.value = unit->timestamp,
		.has_count = unit->config.cycle_count,
		.count = unit->timestamp_cycles,
	};
	unit->due &= ~TU_DUE_TS_VALUE;
	hwf_tu_put(unit, &element);
}

/*
 * A P0 element is timestamped: its marker comes right behind it (R_RFYPT), and before the
 * Timestamp (R_LWZXK). In speculation mode other elements come between the two.
 */
void hwf_tu_take_timestamp(struct hwf_tu *unit)
{
	bool late = unit->config.ts_marker && (unit->special & TU_SPECIAL_SPEC) != 0;

	if ((unit->due & TU_DUE_TS_VALUE) != 0) {
		if (hwf_tu_random(unit, 3) == 0)
			hwf_tu_put_timestamp(unit);
		return;
	}
	unit->due &= ~TU_DUE_TS;
	unit->timestamp = unit->port.timestamp != NULL ? unit->port.timestamp(unit->port.ctx) : 0;
	unit->timestamp_cycles = (uint32_t)unit->cycles;
	if (unit->config.ts_marker)
		hwf_tu_put_bare(unit, HWF_EL_TIMESTAMP_MARKER);
	unit->due |= TU_DUE_TS_VALUE;
	if (!late)
		hwf_tu_put_timestamp(unit);
}

/* ---- intervals in instructions ---- */

void hwf_tu_load_tick(struct hwf_tu *unit)
{
	uint64_t tick = UINT64_MAX;

	if (unit->options.timestamp_interval != 0)
		tick = unit->timestamp_left;
	if (unit->options.event_interval != 0 && unit->event_left < tick)
		tick = unit->event_left;
	unit->tick = tick;
	unit->tick_loaded = tick;
}

static bool elapsed(uint64_t *remaining, uint64_t instructions, uint32_t interval)
{
	if (interval == 0)
		return false;
	*remaining -= instructions;
	if (*remaining != 0)
		return false;
	*remaining = interval;
	return true;
}

void hwf_tu_tick(struct hwf_tu *unit)
{
	uint64_t instructions = unit->tick_loaded;

	if (elapsed(&unit->timestamp_left, instructions, unit->options.timestamp_interval))
		tu_want_timestamp(unit);
	if (elapsed(&unit->event_left, instructions, unit->options.event_interval))
		hwf_tu_event(unit, 1);
	hwf_tu_load_tick(unit);
}

/* ---- elements that are independent of ViewInst ---- */

void hwf_tu_event(struct hwf_tu *unit, uint8_t events)
{
	struct hwf_element element = {.kind = HWF_EL_EVENT, .u.event = events & 0xf};

	if ((unit->attention & TU_ATT_DISABLED) != 0 || element.u.event == 0)
		return;
	hwf_tu_align(unit);
	hwf_tu_put(unit, &element);
	tu_done(unit);
}

void hwf_tu_timestamp(struct hwf_tu *unit)
{
	if ((unit->attention & TU_ATT_DISABLED) == 0)
		tu_want_timestamp(unit);
}

void hwf_tu_instrumentation(struct hwf_tu *unit, uint8_t el, uint64_t value)
{
	struct hwf_element element = {.kind = HWF_EL_INSTRUMENTATION};

	if ((unit->attention & TU_ATT_DISABLED) != 0 ||
	    (unit->options.regs.trcidr0 & HWF_TU_IDR0_ITE) == 0)
		return;
	element.u.instrumentation = (struct hwf_ete_instrumentation){.value = value, .el = el & 3};
	hwf_tu_align(unit);
	hwf_tu_put(unit, &element);
	tu_done(unit);
}
