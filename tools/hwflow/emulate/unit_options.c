// SPDX-License-Identifier: GPL-2.0-only
/* Options of the trace unit, which emulate and encode have. */
#include <errno.h>
#include <linux/arm_ete_pmu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "emulate_options.h"

/* TRCCONFIGR.QE, which no recording asks for: all with a count, to be verified */
#define CONFIG_QE (1u << 13)

/* A trace unit as Arm's models have it: TRCIDR0 without QSUPP, TSMARK, COMMOPT */
#define IDR0         0x48000ea1u
#define IDR0_QSUPP   (3u << 15)
#define IDR0_TSMARK  (1u << 23)
#define IDR0_COMMOPT (1u << 29)
#define IDR1         0x4100fff0u
#define IDR2         0xd0001088u
#define AUTHSTATUS   0xcu
#define DEVARCH      0x47705a13u

#define DEFAULT_THRESHOLD 256
#define DEFAULT_INTERVAL  64
#define DEFAULT_EVENTS    1000
#define DEFAULT_SYNC      4096
#define DEFAULT_MAX_SPEC  16
#define MAX_REVISION      3

const char UNIT_HELP[] =
	"Contents of the trace:\n"
	"  --cycle-counts[=THRESHOLD]     cycle counts (default: 256); an instruction takes one "
	"cycle\n"
	"  --vary-cycles=SEED   instructions take different numbers of cycles, as on a processor;\n"
	"                       SEED selects them\n"
	"  --timestamps[=INTERVAL]        timestamps, also after each INTERVAL instructions\n"
	"  --virtual-time                 derive the time from the number of executed "
	"instructions\n"
	"  --context-id, --vmid           thread number as context, or virtual context, "
	"identifier\n"
	"  --return-stack                 leave out the addresses of expected returns\n"
	"  --branch-broadcast[=LO-HI]     target addresses of all taken branches (in a range)\n"
	"  --filter=[!]LO-HI              only code in this range; with !, outside of it; "
	"repeatable\n"
	"  --strobe=ON,OFF      trace ON instructions, then leave out OFF instructions, in turns\n"
	"  --events[=INTERVAL]            an event after each INTERVAL instructions (default: "
	"1000)\n"
	"  --q-elements[=INTERVAL]        Q elements, about one in INTERVAL branches (default: "
	"64)\n"
	"  --source-addresses[=INTERVAL]  Source Address elements, likewise\n"
	"The trace unit:\n"
	"  --speculation=SEED   trace mispredicted paths and cancel them; SEED selects the "
	"branches\n"
	"  --wrong-paths=N      with --speculation: mispredict one in N branches (default: 3)\n"
	"  --max-spec=N         maximum speculation depth, TRCIDR8.MAXSPEC (16 with "
	"--speculation)\n"
	"  --commit-mode=0|1    TRCIDR0.COMMOPT: cycle counts commit P0 elements (0) or do not "
	"(1)\n"
	"  --sync-period=BYTES  bytes between two synchronisations (default: 4096); 0: only the "
	"first\n"
	"  --sync=RULE[,...]    only-if-output (I_QYQRY), resync-after-idle (I_NQYXW), late "
	"(I_MQNBT)\n"
	"  --revision=N         ETE version 1.N, up to 3 (default: 0)\n"
	"  --timestamp-markers  a Timestamp Marker with each timestamp; from version 1.1 on\n";

int unit_complain(const char *verb, const char *what, const char *argument, const char *want)
{
	print(stderr, "hwflow %s: --%s=%s: %s\n", verb, what, argument, want);
	return -1;
}

int unit_number(const char *verb, const char *what, const char *text, uint64_t most,
		uint64_t *value)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (errno || end == text || *text == '-')
		return unit_complain(verb, what, text, "not a number");
	unit = *end ? strchr(units, *end) : NULL;
	for (const char *at = units; unit && at <= unit; at++) {
		if (*value > UINT64_MAX / 1000)
			return unit_complain(verb, what, text, "the number is too large");
		*value *= 1000;
	}
	if (unit)
		end++;
	if (*end)
		return unit_complain(verb, what, text, "not a number");
	if (*value > most)
		return unit_complain(verb, what, text, "the number is too large");
	return 0;
}

/* The same, where it may be left out */
static int interval(const char *verb, const char *what, const char *text, uint32_t otherwise,
		    uint32_t most, uint32_t *result)
{
	uint64_t value = otherwise;

	if (text && unit_number(verb, what, text, most, &value))
		return -1;
	*result = (uint32_t)value;
	return 0;
}

/* LO-HI, both inclusive, in hexadecimal with or without 0x */
static int range(const char *verb, const char *what, const char *text, struct hwf_tu_range *ranges,
		 uint8_t *count)
{
	struct hwf_tu_range *range = &ranges[*count];
	char *end;

	if (*count == HWF_TU_RANGES)
		return unit_complain(verb, what, text, "a trace unit has at most eight ranges");
	errno = 0;
	range->low = strtoull(text, &end, 16);
	if (end == text || *end != '-')
		return unit_complain(verb, what, text, "use LO-HI, two hexadecimal addresses");
	text = end + 1;
	range->high = strtoull(text, &end, 16);
	if (errno || end == text || *end || range->high < range->low)
		return unit_complain(verb, what, text, "use LO-HI, two hexadecimal addresses");
	(*count)++;
	return 0;
}

/* ON,OFF */
static int strobe(const char *verb, const char *text, struct encode_options *encode)
{
	const char *comma = strchr(text, ',');
	char on[32];

	if (!comma || (size_t)(comma - text) >= sizeof(on))
		return unit_complain(verb, "strobe", text,
				     "use ON,OFF, two numbers of instructions");
	memcpy(on, text, (size_t)(comma - text));
	on[comma - text] = '\0';
	if (unit_number(verb, "strobe", on, UINT64_MAX, &encode->strobe_on) ||
	    unit_number(verb, "strobe", comma + 1, UINT64_MAX, &encode->strobe_off))
		return -1;
	if (!encode->strobe_on || !encode->strobe_off)
		return unit_complain(verb, "strobe", text, "neither number may be 0");
	return 0;
}

static int sync_ways(const char *verb, const char *text, struct hwf_tu_options *unit)
{
	while (*text) {
		size_t length = strcspn(text, ",");

		if (length == 14 && !strncmp(text, "only-if-output", length))
			unit->sync_only_if_output = true;
		else if (length == 17 && !strncmp(text, "resync-after-idle", length))
			unit->resync_after_idle = true;
		else if (length == 4 && !strncmp(text, "late", length))
			unit->sync_late = true;
		else
			return unit_complain(verb, "sync", text,
					     "use only-if-output, resync-after-idle or late");
		text += length;
		text += *text == ',';
	}
	return 0;
}

void unit_parse_init(struct unit_parse *parse, const char *verb, struct encode_options *encode)
{
	*parse = (struct unit_parse){
		.verb = verb, .encode = encode, .max_spec = UINT32_MAX, .commit_mode = UINT32_MAX};
	encode->unit.el_mask = 1;
	encode->unit.sync_period = DEFAULT_SYNC;
}

/* Options without an argument */
static int unit_flag(struct unit_parse *parse, int value)
{
	uint32_t *config = &parse->encode->unit.regs.trcconfigr;

	switch (value) {
	case UNIT_OPT_VIRTUAL_TIME:
		parse->encode->virtual_time = true;
		return 0;
	case UNIT_OPT_CONTEXT:
		*config |= ARM_ETE_PMU_TRCCONFIGR_CID;
		return 0;
	case UNIT_OPT_VMID:
		*config |= ARM_ETE_PMU_TRCCONFIGR_VMID | ARM_ETE_PMU_TRCCONFIGR_VMIDOPT;
		return 0;
	case UNIT_OPT_RETURN_STACK:
		*config |= ARM_ETE_PMU_TRCCONFIGR_RS;
		return 0;
	case UNIT_OPT_MARKERS:
		parse->markers = true;
		return 0;
	default:
		return 1;
	}
}

int unit_parse_option(struct unit_parse *parse, int value, const char *text)
{
	const char *verb = parse->verb;
	struct hwf_tu_options *unit = &parse->encode->unit;
	uint32_t *config = &unit->regs.trcconfigr;

	switch (value) {
	case UNIT_OPT_CYCLES:
		*config |= ARM_ETE_PMU_TRCCONFIGR_CCI;
		return interval(verb, "cycle-counts", text, DEFAULT_THRESHOLD, 0xfff,
				&unit->cc_threshold);
	case UNIT_OPT_VARY_CYCLES:
		return unit_number(verb, "vary-cycles", text, UINT64_MAX,
				   &parse->encode->cycle_seed);
	case UNIT_OPT_TIMESTAMPS:
		*config |= ARM_ETE_PMU_TRCCONFIGR_TS;
		return interval(verb, "timestamps", text, 0, UINT32_MAX, &unit->timestamp_interval);
	case UNIT_OPT_BROADCAST:
		*config |= ARM_ETE_PMU_TRCCONFIGR_BB;
		return text ? range(verb, "branch-broadcast", text, unit->bb, &unit->bb_ranges) : 0;
	case UNIT_OPT_FILTER:
		if (*text == '!')
			return range(verb, "filter", text + 1, unit->exclude,
				     &unit->exclude_ranges);
		return range(verb, "filter", text, unit->include, &unit->include_ranges);
	case UNIT_OPT_STROBE:
		return strobe(verb, text, parse->encode);
	case UNIT_OPT_EVENTS:
		return interval(verb, "events", text, DEFAULT_EVENTS, UINT32_MAX,
				&unit->event_interval);
	case UNIT_OPT_Q:
		*config |= CONFIG_QE;
		return interval(verb, "q-elements", text, DEFAULT_INTERVAL, UINT32_MAX,
				&unit->q_interval);
	case UNIT_OPT_SOURCE:
		return interval(verb, "source-addresses", text, DEFAULT_INTERVAL, UINT32_MAX,
				&unit->source_address_interval);
	case UNIT_OPT_SPECULATION:
		return unit_number(verb, "speculation", text, UINT64_MAX, &unit->spec_seed);
	case UNIT_OPT_WRONG_PATHS:
		return interval(verb, "wrong-paths", text, 0, UINT32_MAX, &unit->spec_wrong);
	case UNIT_OPT_MAX_SPEC:
		return interval(verb, "max-spec", text, 0, UINT32_MAX, &parse->max_spec);
	case UNIT_OPT_COMMIT_MODE:
		return interval(verb, "commit-mode", text, 0, 1, &parse->commit_mode);
	case UNIT_OPT_SYNC_PERIOD:
		return interval(verb, "sync-period", text, 0, 1 << 20, &unit->sync_period);
	case UNIT_OPT_SYNC:
		return sync_ways(verb, text, unit);
	case UNIT_OPT_REVISION:
		return interval(verb, "revision", text, 0, MAX_REVISION, &parse->revision);
	default:
		return unit_flag(parse, value);
	}
}

int unit_parse_end(struct unit_parse *parse)
{
	const char *verb = parse->verb;
	struct hwf_tu_options *unit = &parse->encode->unit;
	struct hwf_ete_regs *regs = &unit->regs;
	bool counts = (regs->trcconfigr & ARM_ETE_PMU_TRCCONFIGR_CCI) != 0;

	if (parse->max_spec == UINT32_MAX)
		parse->max_spec = unit->spec_seed ? DEFAULT_MAX_SPEC : 0;
	if (parse->commit_mode == UINT32_MAX)
		parse->commit_mode = !parse->max_spec;
	if (unit->spec_seed && !parse->max_spec)
		return unit_complain(verb, "max-spec", "0", "--speculation needs at least 1");
	if (counts && !parse->max_spec && !parse->commit_mode)
		return unit_complain(verb, "commit-mode", "0",
				     "cycle counts then need --max-spec=N");
	if (parse->markers && !parse->revision)
		return unit_complain(verb, "revision", "0", "--timestamp-markers need at least 1");
	regs->trctraceidr = ARM_ETE_PMU_TRACE_ID(0u); /* CPU 0 */
	regs->trcidr0 = IDR0 | (parse->commit_mode ? IDR0_COMMOPT : 0) |
			((regs->trcconfigr & CONFIG_QE) != 0 ? IDR0_QSUPP : 0) |
			(parse->markers ? IDR0_TSMARK : 0);
	regs->trcidr1 = IDR1;
	regs->trcidr2 = IDR2;
	regs->trcidr8 = parse->max_spec;
	regs->trcauthstatus = AUTHSTATUS;
	regs->trcdevarch = DEVARCH | parse->revision << 16;
	return 0;
}
