// SPDX-License-Identifier: GPL-2.0-only
/* hwflow flow: what was executed. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/print.h"
#include "commands.h"
#include "decode/gaps.h"
#include "decode/input_sync.h"
#include "decode/loop.h"
#include "decode/text_ahead.h"
#include "format.h"
#include "hwflow/riscv_flow.h"
#include "options.h"
#include "select/selection.h"
#include "source/etm3.h"
#include "source/protocol.h"

static const char usage[] =
	"usage: hwflow flow [OPTIONS] [SRC]\n"
	"\n"
	"Prints what was executed: ranges of instructions, exceptions, contexts, timestamps.\n"
	"Where the execution cannot be followed, a gap and its reason are printed, and are also\n"
	"reported on standard error.\n"
	"\n"
	"  --format=human|ref|pc   layout: for reading (human, the default); the stable layout of\n"
	"                       hwflow-format(5), for comparison by programs (ref); or the "
	"address\n"
	"                       of each executed instruction, in hexadecimal (pc)\n"
	"  --taken-back         also print the instructions of failed transactions\n"
	"  --split-source       print one range for each branch not taken on the way to a Source\n"
	"                       Address element\n" SELECTION_HELP LIMIT_HELP GAPS_HELP;

struct flow {
	struct text *out;
	enum line_format format;
	bool split_source;
	bool taken_back;
	struct input *input;
	struct gaps *gaps;
	const struct input_source *source;
	const struct input_piece *piece;
	const struct hwf_code *code;
	const void *space;
	struct cut *cut;
	uint64_t timestamp;
	struct hwf_flow_lines lines;
};

/* Addresses of a range: one size in A64 and A32; T32 and RISC-V have to be read again. */
static void print_pcs(struct flow *flow, const struct hwf_flow_range *range)
{
	uint64_t pc = range->start;

	for (uint32_t i = 0; i < range->instructions; i++) {
		unsigned int size = 4;

		if (input_isa_is_mixed(range->isa)) {
			uint8_t half[2] = {0};

			flow->code->read(flow->code->ctx, flow->space, pc, half, 2);
			size = input_insn_size(range->isa, (uint16_t)(half[0] | half[1] << 8));
		}
		text_hex(flow->out, pc);
		text_end_line(flow->out);
		pc += size;
	}
}

static void add_gap(struct flow *flow, const struct hwf_flow_event *event, const char *reason,
		    const char *remedy)
{
	struct gap gap = {.source = flow->source,
			  .piece = flow->piece,
			  .offset = event->offset,
			  .tid = flow->piece->tid,
			  .space = flow->space,
			  .reason = reason,
			  .remedy = remedy};

	if (event->kind == HWF_FLOW_GAP && event->u.gap.has_address) {
		gap.has_address = true;
		gap.address = event->u.gap.address;
		gap.contradicts = event->u.gap.reason == HWF_GAP_MISMATCH;
	}
	gaps_add(flow->gaps, &gap);
}

static void take_gap(struct flow *flow, const struct hwf_flow_event *event)
{
	const struct hwf_el_no_sync *no_sync = &event->u.no_sync;

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		gaps_resume(flow->gaps, event->offset);
		break;
	case HWF_FLOW_GAP:
		add_gap(flow, event, hwf_gap_text(event->u.gap.reason),
			hwf_gap_remedy(event->u.gap.reason));
		break;
	case HWF_FLOW_Q_RANGE:
		add_gap(flow, event, "path unknown: the trace unit gave a Q element", "");
		break;
	case HWF_FLOW_NO_SYNC:
		if (no_sync->reason == HWF_NO_SYNC_BAD_PACKET)
			add_gap(flow, event, hwf_err_text(no_sync->error), NO_SYNC_REMEDY);
		else if (no_sync->reason == HWF_NO_SYNC_OVERFLOW)
			add_gap(flow, event, "the trace unit's buffer overflowed", NO_SYNC_REMEDY);
		break;
	default:
		break;
	}
}

/* Lines that are not selected are written nowhere, for what later ones depend on is kept. */
static void put_line(struct flow *flow, const struct hwf_flow_event *event, bool is_selected)
{
	if (flow->format != FORMAT_PC) {
		flow->lines.out = is_selected ? &flow->out->hwf : &text_nowhere()->hwf;
		hwf_flow_line(&flow->lines, event);
	} else if (event->kind == HWF_FLOW_RANGE && is_selected) {
		print_pcs(flow, &event->u.range);
	}
}

static void take(void *ctx, const struct hwf_flow_event *event)
{
	struct flow *flow = ctx;
	bool is_selected;

	if (event->kind == HWF_FLOW_TIMESTAMP && event->u.timestamp.value)
		flow->timestamp = event->u.timestamp.value;
	is_selected = cut_has(flow->cut, event->offset, flow->timestamp);
	if (is_selected)
		take_gap(flow, event);
	if (event->kind == HWF_FLOW_CONTEXT && flow->code->space)
		flow->space = flow->code->space(flow->code->ctx, &event->u.context.context);
	if (event->kind == HWF_FLOW_MODE && flow->code->space)
		flow->space = hwf_riscv_space(flow->code, &event->u.mode);
	put_line(flow, event, is_selected);
	cut_pass(flow->cut, event->offset, flow->timestamp);
}

/* What was executed in a transaction that failed, and so had no effect */
static void take_back(void *ctx, const struct hwf_flow_event *event)
{
	struct flow *flow = ctx;

	if (!cut_has(flow->cut, event->offset, flow->timestamp))
		return;
	flow->lines.out = &flow->out->hwf;
	text_string(flow->out, "taken back:");
	hwf_flow_line(&flow->lines, event);
}

static void add_lost(struct flow *flow)
{
	const struct gap gap = {.source = flow->source,
				.piece = flow->piece,
				.offset = flow->piece->at,
				.in_file = true,
				.tid = flow->piece->tid,
				.reason = flow->piece->lost,
				.remedy = ""};

	gaps_add(flow->gaps, &gap);
}

static void print_piece_title(const struct flow *flow, const struct input_source *source,
			      const struct input_piece *piece)
{
	text_named_decimal(flow->out, "# aux record ", piece->number);
	text_named_signed(flow->out, " cpu ", source->cpu);
	text_named_signed(flow->out, " tid ", piece->tid);
	text_end_line(flow->out);
}

static void begin_lines(struct flow *flow, const struct input_source *source)
{
	const struct protocol *protocol = source->protocol;

	hwf_flow_lines_init(&flow->lines, protocol->has_elements ? &source->config : NULL,
			    protocol == &protocol_etmv3 ? etm3_config(source) : NULL,
			    flow->format == FORMAT_REF ? HWF_TEXT_REF : HWF_TEXT_HUMAN,
			    &flow->out->hwf);
}

/* As text_work.piece */
static int flow_piece(void *ctx, const struct input_source *source, const struct input_piece *piece,
		      const struct input_part *part)
{
	struct flow *flow = ctx;
	struct decode_options how = {
		.sink = take,
		.taken_back = flow->taken_back && flow->format == FORMAT_HUMAN ? take_back : NULL,
		.ctx = flow,
		.split_source = flow->split_source,
		/* the reference's results show all, and so does whoever asks for it */
		.raw_transactions = flow->format == FORMAT_REF ||
				    (flow->taken_back && flow->format == FORMAT_PC),
		.each_instruction = flow->format == FORMAT_REF,
		.part = part,
	};
	const bool first = !part || !part->span.from;
	struct input *input = flow->input;
	struct gap no_sync;
	int status;

	/* an AUX record may be there to say just that there was no trace */
	if (input->is_perfdata && !piece->length && !piece->lost)
		return 0;
	flow->source = source;
	flow->piece = piece;
	if (input->is_perfdata && flow->format != FORMAT_PC && first)
		print_piece_title(flow, source, piece);
	flow->code = input_code(input, source, piece);
	if (!flow->code) {
		input_error(source->file, piece->at, "out of memory");
		return EXIT_UNREADABLE;
	}
	flow->space = NULL;
	flow->timestamp = 0;
	flow->cut = selection_cut(input, source, piece);
	if (flow->cut) {
		how.part = &flow->cut->part;
		how.stop = &flow->cut->stop;
	}
	if (piece->lost && first && cut_has(flow->cut, 0, 0))
		add_lost(flow);
	begin_lines(flow, source);
	status = decode_piece(input, source, piece, &how);
	if (!status && (!part || part->span.end == piece->length) &&
	    sync_gap(input, source, piece, &no_sync))
		gaps_add(flow->gaps, &no_sync);
	if (!(flow->cut && flow->cut->stop) && (!part || part->span.end == piece->length))
		gaps_resume(flow->gaps, piece->length);
	return status;
}

static void put_context(struct text_state *state, const struct hwf_context *context)
{
	text_state_put(state, (uint64_t)context->vmid << 32 | context->cid);
	text_state_put(state, (uint64_t)context->el << 48 | (uint64_t)context->security << 40 |
				      (uint64_t)context->sf << 24 |
				      (uint64_t)context->has_vmid << 16 |
				      (uint64_t)context->has_cid << 8 | context->el_unknown);
}

/* What the lines to come depend on: as text_work.state */
static void put_state(void *ctx, struct text_state *state)
{
	const struct flow *flow = ctx;
	const struct hwf_flow_lines *lines = &flow->lines;

	if (flow->format != FORMAT_REF)
		return;
	put_context(state, &lines->context);
	text_state_put(state, lines->gap.address);
	text_state_put(state, (uint64_t)lines->gap.p0_elements << 32 |
				      (uint64_t)lines->gap.reason << 8 | lines->gap.has_address);
	state->unknown |= lines->holding;
}

static int flow_sources(struct flow *flow, struct input *input)
{
	const struct text_work work = {.piece = flow_piece, .state = put_state, .ctx = flow};
	struct text_ahead *ahead;
	int status = 0;

	flow->input = input;
	flow->gaps = input->gaps;
	ahead = text_ahead_new(input, &work);
	for (size_t i = 0; i < input->source_count && !status; i++) {
		const struct input_source *source = &input->sources[i];

		if (input->source_count > 1 && flow->format != FORMAT_PC) {
			text_named_name(flow->out, "# source ", source->name);
			text_end_line(flow->out);
		}
		for (size_t j = 0; j < source->piece_count && !status; j++) {
			if (selection_has_enough(input, source))
				break;
			status = text_ahead_piece(ahead, &work, source, &source->pieces[j]);
		}
	}
	text_ahead_free(ahead);
	return status;
}

static bool take_format(struct flow *flow, const char *name)
{
	static const char *const names[] = {
		[FORMAT_HUMAN] = "human", [FORMAT_REF] = "ref", [FORMAT_PC] = "pc"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i])) {
			flow->format = (enum line_format)i;
			return true;
		}
	}
	print(stderr, "hwflow flow: --format=%s: unknown format; use human, ref or pc\n", name);
	return false;
}

static bool take_option(void *ctx, int value, const char *argument)
{
	struct flow *flow = ctx;

	if (value == 'f')
		return take_format(flow, argument);
	flow->split_source |= value == 's';
	flow->taken_back |= value == 't';
	return true;
}

static const struct option longs[] = {
	GAPS_LONG_OPTIONS,
	SELECTION_LONG_OPTIONS,
	LIMIT_LONG_OPTION,
	{"format", required_argument, NULL, 'f'},
	{"split-source", no_argument, NULL, 's'},
	{"taken-back", no_argument, NULL, 't'},
	{NULL, 0, NULL, 0},
};

static const struct verb_options command_line = {
	.usage = usage, .wants = "SRC", .longs = longs, .take = take_option};

int cmd_flow(int argc, char **argv)
{
	struct flow flow = {.format = FORMAT_HUMAN, .out = text_stdout()};
	struct input_options options;
	struct input *input;
	size_t gaps;
	int status;

	input_options_init(&options);
	status = verb_parse(&command_line, argc, argv, &options, &flow);
	if (!status)
		status = input_open(&input, &options);
	if (!status) {
		if (flow.format == FORMAT_PC && input->source_count > 1) {
			fputs("hwflow flow: --format=pc: the input has several sources; select one "
			      "with --source, --cpu or --tid\n",
			      stderr);
			status = EXIT_USAGE;
		}
		input_progress(input, "flow", NULL, true);
		if (!status)
			status = flow_sources(&flow, input);
		gaps_print(input->gaps);
		gaps_kinds(input->gaps, &gaps);
		if (!status)
			status = gaps || input->damaged ? EXIT_GAPS : EXIT_GOOD;
		status = sync_status(input, INPUT_SYNC_FLOW, status);
		input_close(input);
	}
	text_flush(text_stdout());
	input_options_free(&options);
	return status < 0 ? EXIT_GOOD : status;
}
