// SPDX-License-Identifier: GPL-2.0-only
/* Trace to a list of executed ranges, by a session of libhwflow. decode_code.c has the program code. */
#include "decode.h"
#include "decode_private.h"

#include <errno.h>
#include <hwflow/session.h>
#include <linux/arm_ete_pmu.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest.h"

#define DEVARCH_ETE 0x5a13 /* TRCDEVARCH.ARCHID of an ETE */

#define FLAGS_LOST (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL | PERF_AUX_FLAG_COLLISION)

static void add_item(struct decode *decode, struct decode_item item)
{
	if (decode->count == decode->room) {
		const size_t room = decode->room ? 2 * decode->room : 4096;
		struct decode_item *items = realloc(decode->items, room * sizeof(*items));

		if (!items) {
			decode->error = -ENOMEM;
			return;
		}
		decode->items = items;
		decode->room = room;
	}
	item.part = decode->part;
	decode->items[decode->count++] = item;
	decode->gaps += item.kind == DECODE_GAP;
}

static void add_gap(struct decode *decode, enum decode_gap gap, uint32_t number, uint64_t offset)
{
	add_item(decode, (struct decode_item){
		.kind = DECODE_GAP,
		.gap = (uint8_t)gap,
		.number = number,
		.offset = offset,
	});
}

static void take_range(struct decode *decode, const struct hwf_flow_event *event)
{
	const struct hwf_flow_range *range = &event->u.range;

	add_item(decode, (struct decode_item){
		.kind = DECODE_RANGE,
		.start = range->start,
		.end = range->end,
		.instructions = range->instructions,
		.isa = range->isa,
		.offset = event->offset,
	});
	decode->markers += decode->marker && range->end == decode->marker;
}

static void take_exception(struct decode *decode, const struct hwf_flow_event *event)
{
	add_item(decode, (struct decode_item){
		.kind = DECODE_EXCEPTION,
		.number = event->u.exception.type,
		.end = event->u.exception.has_ret ? event->u.exception.ret : 0,
		.offset = event->offset,
	});
}

/* 0 is unknown */
static void take_time(struct decode_times *times, uint64_t value)
{
	if (!value)
		return;
	if (!times->first)
		times->first = value;
	else if (value < times->last)
		times->backwards++;
	else if (value > times->last && (!times->least || value - times->last < times->least))
		times->least = value - times->last;
	times->last = value;
}

static void take_instrumentation(struct decode *decode, const struct hwf_ete_instrumentation *from)
{
	const size_t size = (decode->value_count + 1) * sizeof(*decode->values);
	struct decode_value *values = realloc(decode->values, size);

	if (!values) {
		decode->error = -ENOMEM;
		return;
	}
	decode->values = values;
	values[decode->value_count++] = (struct decode_value){
		.value = from->value,
		.el = from->el,
	};
}

static void take_no_sync(struct decode *decode, const struct hwf_flow_event *event)
{
	const struct hwf_el_no_sync *no_sync = &event->u.no_sync;

	/* an overflow at the end of a record has no Trace On element behind it */
	if (no_sync->reason == HWF_NO_SYNC_OVERFLOW)
		add_gap(decode, DECODE_GAP_OVERFLOW, 0, event->offset);
	/* the flags of the record tell of the loss: see check_part() */
	else if (no_sync->error == HWF_ERR_NEED_MORE && decode->cut)
		return;
	else if (no_sync->reason != HWF_NO_SYNC_INIT)
		add_gap(decode, DECODE_GAP_NO_SYNC, no_sync->reason, event->offset);
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	struct decode *decode = ctx;

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		take_range(decode, event);
		break;
	case HWF_FLOW_EXCEPTION:
		take_exception(decode, event);
		break;
	case HWF_FLOW_TRACE_ON:
		if (event->u.trace_on.overflow)
			add_gap(decode, DECODE_GAP_OVERFLOW, 0, event->offset);
		add_item(decode, (struct decode_item){
			.kind = DECODE_TRACE_ON,
			.offset = event->offset,
		});
		break;
	case HWF_FLOW_NO_SYNC:
		take_no_sync(decode, event);
		break;
	case HWF_FLOW_Q_RANGE:
		add_gap(decode, DECODE_GAP_FLOW, HWF_GAPS, event->offset);
		break;
	case HWF_FLOW_CYCLE_COUNT:
		decode->cycle_counts++;
		break;
	case HWF_FLOW_TIMESTAMP:
		decode->timestamps++;
		take_time(&decode->times, event->u.timestamp.value);
		break;
	case HWF_FLOW_INSTRUMENTATION:
		take_instrumentation(decode, &event->u.instrumentation);
		break;
	case HWF_FLOW_CONTEXT:
		decode->identifiers += event->u.context.gives_cid || event->u.context.gives_vmid;
		break;
	case HWF_FLOW_GAP:
		add_gap(decode, DECODE_GAP_FLOW, event->u.gap.reason, event->offset);
		break;
	case HWF_FLOW_END:
		if (event->u.overflow)
			add_gap(decode, DECODE_GAP_OVERFLOW, 0, event->offset);
		break;
	default:
		break;
	}
}

/* TRCCONFIGR as the driver derives it from the event */
static uint32_t trcconfigr(const struct record_config *config)
{
	const struct {
		uint64_t field;
		uint32_t bits;
	} rows[] = {
		{ ARM_ETE_PMU_MASK(branch_broadcast), ARM_ETE_PMU_TRCCONFIGR_BB },
		{ ARM_ETE_PMU_MASK(cycacc), ARM_ETE_PMU_TRCCONFIGR_CCI },
		{ ARM_ETE_PMU_MASK(contextid1), ARM_ETE_PMU_TRCCONFIGR_CID },
		{ ARM_ETE_PMU_MASK(contextid2),
		  ARM_ETE_PMU_TRCCONFIGR_VMID | ARM_ETE_PMU_TRCCONFIGR_VMIDOPT },
		{ ARM_ETE_PMU_MASK(timestamp) | ARM_ETE_PMU_MASK(deprecated_timestamp),
		  ARM_ETE_PMU_TRCCONFIGR_TS },
		{ ARM_ETE_PMU_MASK(retstack), ARM_ETE_PMU_TRCCONFIGR_RS },
	};
	uint32_t value = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (config->config & rows[i].field)
			value |= rows[i].bits;
	return value;
}

static int new_session(struct decode *decode, const struct record_config *record_config,
		       const struct hwf_code *code, int cpu, struct hwf_session **session)
{
	const struct record_unit *unit = record_find_unit(record_config->pmu, cpu);
	struct hwf_ete_regs regs = { .trcconfigr = trcconfigr(record_config) };
	struct hwf_session_config config = {
		.size = sizeof(config),
		.ete = &regs,
		.code = code,
		.sink = take_event,
		.ctx = decode,
	};

	if (!unit)
		return -ENODEV;
	regs.trcidr0 = unit->trcidr0;
	regs.trcidr1 = unit->trcidr1;
	regs.trcidr2 = unit->trcidr2;
	regs.trcidr8 = unit->trcidr8;
	regs.trcauthstatus = unit->trcauthstatus;
	regs.trcdevarch = unit->trcdevarch;
	config.protocol = (unit->trcdevarch & 0xffff) == DEVARCH_ETE ? HWF_SESSION_ETE :
								     HWF_SESSION_ETMV4;
	return hwf_session_new(session, &config);
}

/* Whether the trace of part @index continues in the next one: those of our driver can be decoded alone */
static bool continues(const struct record *record, size_t index)
{
	const struct record_part *part = &record->parts[index];

	return record->config.pmu->in_tree && index + 1 < record->part_count &&
	       !(part->flags & FLAGS_LOST) && part[1].cpu == part->cpu;
}

/*
 * Gaps that the flags and the offsets of a part tell of. Between two parts there may be bytes that the driver left out,
 * because there was too little room (perf_aux_output_skip()).
 */
static void check_part(struct decode *decode, const struct record *record, size_t index)
{
	const struct record_part *part = &record->parts[index];

	if (part->flags & FLAGS_LOST)
		add_gap(decode, DECODE_GAP_FLAGS, (uint32_t)(part->flags & FLAGS_LOST), part->size);
	if (!record->config.snapshot && index + 1 < record->part_count &&
	    part[1].offset < part->offset + part->size)
		add_gap(decode, DECODE_GAP_RECORDS, 0, part->size);
}

static int decode_part(struct decode *decode, const struct record *record, size_t index,
		       struct hwf_session *session)
{
	const struct record_part *part = &record->parts[index];
	const bool last = !continues(record, index);
	int error;

	decode->part = (uint32_t)index;
	decode->cut = part->flags & FLAGS_LOST;
	error = hwf_session_push(session, record->bytes + part->at, (size_t)part->size, last, NULL);
	check_part(decode, record, index);
	if (!error)
		error = decode->error;
	return !error && last ? hwf_session_reset(session, 0) : error;
}

int decode_record(struct decode *decode, const struct record *record)
{
	const struct hwf_code code = {
		.ctx = decode,
		.space = decode_code_space,
		.read = decode_code_read,
	};
	struct hwf_session *session = NULL;
	int error = 0, cpu = -1;

	for (size_t i = 0; i < record->part_count && !error; i++) {
		if (record->parts[i].cpu != cpu) {
			hwf_session_free(session);
			session = NULL;
			cpu = record->parts[i].cpu;
			error = new_session(decode, &record->config, &code, cpu, &session);
		}
		if (!error)
			error = decode_part(decode, record, i, session);
	}
	hwf_session_free(session);
	return error;
}

const char *decode_error(int error)
{
	return error < 0 ? strerror(-error) : hwf_err_text(error);
}

const char *decode_item_text(const struct decode_item *item, char *text, size_t size)
{
	static const char *const gaps[] = {
		[DECODE_GAP_FLAGS] = "flags of the AUX record",
		[DECODE_GAP_OVERFLOW] = "overflow of the trace unit",
		[DECODE_GAP_NO_SYNC] = "no synchronisation",
		[DECODE_GAP_FLOW] = "program and trace differ",
		[DECODE_GAP_RECORDS] = "records overlap",
	};

	if (item->kind == DECODE_RANGE)
		snprintf(text, size, "%llx-%llx, %u instructions", (unsigned long long)item->start,
			 (unsigned long long)item->end, item->instructions);
	else if (item->kind == DECODE_EXCEPTION)
		snprintf(text, size, "exception %#x, return to %llx", item->number,
			 (unsigned long long)item->end);
	else if (item->kind == DECODE_GAP)
		snprintf(text, size, "gap: %s, %#x", gaps[item->gap], item->number);
	else
		snprintf(text, size, "trace on");
	return text;
}
