// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ground-truth log of a RISC-V program through a trace encoder.
 *
 * What is executed is one event behind: whether an ecall or ebreak traps shows in the next event of
 * the log, and the trap is told together with the instruction, which counts as retired.
 */
#include "encode_riscv_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "encode_feed.h"

/* Where the kernel's handler is; of it one instruction is executed, which the filter leaves out. */
#define HANDLER UINT64_C(0xffffffff80000000)
#define SRET    0x10200073u
#define NOP     0x13u

#define PRIV_U 0
#define PRIV_S 1

/* causes of exceptions of which the instruction counts as retired */
#define CAUSE_BREAKPOINT 3
#define CAUSE_USER_ECALL 8

struct encoder_riscv {
	const struct encode_riscv_log *log;
	const struct encode_sink *sink;
	struct encode_totals *totals;
	struct hwf_riscv_config config;
	struct hwf_te_filters filters;
	struct hwf_te_options options;
	struct hwf_te_port_params port;
	struct hwf_te_core core;
	void *memory;
	struct hwf_te *te;
	struct hwf_te_event held;
	bool holds;
	bool enabled;
	int32_t tid;
	uint32_t context;
	uint64_t time;
	uint32_t stopped_at; /* the instruction before which the last run was left */
	const char *error;
	bool sink_failed;
};

static bool is_draft(const struct encode_riscv_log *log)
{
	return log->riscv.dialect == HWF_RISCV_DRAFT_026;
}

static int fail(struct encoder_riscv *encoder, const char *error)
{
	encoder->error = error;
	return -EINVAL;
}

/* ---- how the encoder is set ---- */

static const char *set_up(const struct encode_riscv_log *log, struct encoder_riscv *encoder)
{
	const struct riscv_options *riscv = &log->riscv;
	const bool filtered = !log->direct || log->choice.include_count;
	struct encode_riscv_choice choice = log->choice;
	const char *error;

	/* the kernel is in none of the filters */
	choice.privileges = 1u << PRIV_U;
	error = encode_riscv_filters(&choice, &encoder->filters);
	if (!error)
		error = encode_riscv_config(riscv, &encoder->config);
	if (error)
		return error;
	if (riscv_options_isa(riscv) != HWF_RV_64 || riscv->params.iaddress_width_p < 64)
		return "--config: an RV64 program requires iaddress_width_p=64 and no zcm";
	encoder->options = (struct hwf_te_options){
		.config = encoder->config,
		.filters = filtered ? &encoder->filters : NULL,
		.single = !is_draft(log) && !choice.blocks,
		.stall = is_draft(log),
	};
	encoder->port = encode_riscv_port(riscv, &choice);
	return NULL;
}

static bool ignore_packet(void *ctx, const struct hwf_riscv_packet *packet)
{
	(void)ctx;
	(void)packet;
	return true;
}

const char *encode_riscv_log_check(const struct encode_riscv_log *log)
{
	const struct hwf_te_sink sink = {.packet = ignore_packet};
	struct encoder_riscv encoder = {.log = log};
	const char *error = set_up(log, &encoder);
	struct hwf_te *te;

	if (error)
		return error;
	encoder.memory = malloc(hwf_te_size(&encoder.options));
	if (!encoder.memory)
		return "not enough memory";
	if (hwf_te_init(encoder.memory, &encoder.options, &sink, &te))
		error = "--config: an option needs the size of its table (return_stack_size_p, "
			"bpred_size_p, cache_size_p), and implicit_return needs itype_width_p=4";
	free(encoder.memory);
	return error;
}

/* ---- what comes out ---- */

static bool take_packet(void *ctx, const struct hwf_riscv_packet *packet)
{
	struct encoder_riscv *encoder = ctx;
	uint8_t bytes[ENCODE_RISCV_ROOM];
	int length = encode_riscv_packet(&encoder->config, &encoder->log->riscv.framing, packet,
					 bytes, sizeof(bytes));

	if (length < 0) {
		encoder->error = "a packet is too long for this framing; use another --framing";
	} else if (!encoder->sink_failed &&
		   !encoder->sink->bytes(encoder->sink->ctx, bytes, (size_t)length)) {
		encoder->sink_failed = true;
	} else {
		encoder->totals->bytes += (uint64_t)length;
	}
	return true;
}

static int take_cycle(void *ctx, const struct hwf_te_cycle *cycle)
{
	struct encoder_riscv *encoder = ctx;

	return hwf_te_cycle(encoder->te, cycle);
}

static int tracing_begin(struct encoder_riscv *encoder)
{
	const struct hwf_te_sink packets = {.ctx = encoder, .packet = take_packet};
	const struct hwf_te_port port = {.ctx = encoder, .cycle = take_cycle};

	if (encoder->enabled)
		return 0;
	if (hwf_te_core_init(&encoder->core, &encoder->port, &port) ||
	    hwf_te_init(encoder->memory, &encoder->options, &packets, &encoder->te))
		return fail(encoder, "--config: these parameters are not supported together");
	encoder->enabled = true;
	return 0;
}

static int give(struct encoder_riscv *encoder, const struct hwf_te_event *event)
{
	return hwf_te_core_event(&encoder->core, event)
		       ? fail(encoder,
			      "an instruction is not supported, or cannot precede the next one")
		       : 0;
}

static int give_held(struct encoder_riscv *encoder)
{
	if (!encoder->holds)
		return 0;
	encoder->holds = false;
	return give(encoder, &encoder->held);
}

static int tracing_end(struct encoder_riscv *encoder)
{
	int status;

	if (!encoder->enabled)
		return 0;
	status = give_held(encoder);
	if (!status && hwf_te_core_finish(&encoder->core))
		status = fail(encoder,
			      "an instruction is not supported, or cannot precede the next one");
	if (!status)
		hwf_te_finish(encoder->te);
	encoder->enabled = false;
	return status;
}

static int session_end(struct encoder_riscv *encoder, uint64_t time)
{
	int status;

	if (!encoder->enabled)
		return 0;
	status = tracing_end(encoder);
	if (status)
		return status;
	return encoder->sink->session(encoder->sink->ctx, time) && !encoder->sink_failed ? 0 : -EIO;
}

/* ---- what goes in ---- */

static struct hwf_te_event event_at(const struct encoder_riscv *encoder, uint64_t address,
				    uint32_t opcode)
{
	return (struct hwf_te_event){
		.address = address,
		.opcode = opcode,
		.time = encoder->time,
		.context = encoder->context,
		.context_type = is_draft(encoder->log) ? (uint8_t)HWF_TE_DRAFT_IMPRECISE
						       : (uint8_t)HWF_TE_CTYPE_IMPRECISE,
		.priv = PRIV_U,
		.retired = true,
	};
}

static int feed_run(struct encoder_riscv *encoder, const struct truth_run *run)
{
	uint64_t pc = run->pc;
	int status;

	if (run->isa != HWF_ISA_RV64)
		return fail(encoder, "the log has instructions that are not RV64");
	status = tracing_begin(encoder);
	for (uint32_t i = 0; i < run->count && !status; i++) {
		status = give_held(encoder);
		encoder->held = event_at(encoder, pc, run->opcodes[i]);
		encoder->holds = true;
		pc += truth_insn_size(run, i);
	}
	encoder->stopped_at = run->count < run->block_count ? run->opcodes[run->count] : NOP;
	encoder->totals->instructions += run->count;
	return status;
}

/* The instruction executed last is the one that trapped. */
static bool is_call(const struct encoder_riscv *encoder, const struct truth_exception *exception)
{
	const unsigned int cause = exception->type - TRUTH_RV_EXCEPTION;

	return encoder->holds && encoder->held.address == exception->ret &&
	       (cause == CAUSE_USER_ECALL || cause == CAUSE_BREAKPOINT);
}

static int feed_exception(struct encoder_riscv *encoder, const struct truth_exception *exception)
{
	const bool interrupt = exception->type >= TRUTH_RV_INTERRUPT;
	struct hwf_te_event *held = &encoder->held;
	struct hwf_te_event handler;
	int status;

	if (exception->type < TRUTH_RV_EXCEPTION)
		return fail(encoder, "the log has exceptions of another architecture");
	status = tracing_begin(encoder);
	if (!status && !is_call(encoder, exception)) {
		status = give_held(encoder);
		*held = event_at(encoder, exception->ret, interrupt ? NOP : encoder->stopped_at);
		held->retired = false;
	}
	held->trap = interrupt ? HWF_TE_INTERRUPT : HWF_TE_EXCEPTION;
	held->cause = (uint16_t)(exception->type & (TRUTH_RV_CAUSES - 1));
	held->tval = exception->value;
	encoder->holds = true;
	encoder->totals->exceptions++;
	if (!status)
		status = give_held(encoder);
	if (status || encoder->log->direct)
		return status;
	handler = event_at(encoder, HANDLER, SRET);
	handler.priv = PRIV_S;
	return give(encoder, &handler);
}

static int feed_event(struct encoder_riscv *encoder, const struct truth_event *event)
{
	int status = 0;

	switch (event->kind) {
	case TRUTH_EVENT_RUN:
		return feed_run(encoder, &event->u.run);
	case TRUTH_EVENT_EXCEPTION:
		return feed_exception(encoder, &event->u.exception);
	case TRUTH_EVENT_GAP:
		encoder->totals->gaps++;
		return tracing_end(encoder);
	case TRUTH_EVENT_CONTEXT:
		encoder->context = event->u.context.cid;
		break;
	case TRUTH_EVENT_PROGRAM:
		/* the program before ended before it */
		status = session_end(encoder, event->u.time - 1);
		encoder->time = event->u.time;
		break;
	case TRUTH_EVENT_REMAP:
		status = session_end(encoder, encoder->time - 1);
		break;
	case TRUTH_EVENT_TIME:
		encoder->time = event->u.time;
		break;
	default:
		break;
	}
	return status;
}

int encoder_riscv_new(struct encoder_riscv **result, int32_t tid,
		      const struct encode_riscv_log *log, const struct encode_sink *sink,
		      struct encode_totals *totals, char message[TRUTH_MESSAGE])
{
	struct encoder_riscv *encoder = calloc(1, sizeof(*encoder));
	const char *error = "not enough memory for an encoder";

	if (encoder) {
		*encoder = (struct encoder_riscv){
			.log = log, .sink = sink, .totals = totals, .tid = tid, .stopped_at = NOP};
		error = set_up(log, encoder);
	}
	if (!error) {
		encoder->memory = malloc(hwf_te_size(&encoder->options));
		error = encoder->memory ? NULL : "not enough memory for an encoder";
	}
	if (error) {
		snprintf(message, TRUTH_MESSAGE, "%s", error);
		encoder_riscv_free(encoder);
		return -EINVAL;
	}
	*result = encoder;
	return 0;
}

static int encoder_status(const struct encoder_riscv *encoder, int status, char *message)
{
	if (status == -EINVAL)
		snprintf(message, TRUTH_MESSAGE, "thread %d: %s", encoder->tid,
			 encoder->error ? encoder->error : "");
	else if (status)
		snprintf(message, TRUTH_MESSAGE, "cannot write the trace");
	return status;
}

int encoder_riscv_event(struct encoder_riscv *encoder, const struct truth_event *event,
			char message[TRUTH_MESSAGE])
{
	int status = feed_event(encoder, event);

	if (!status && encoder->error)
		status = -EINVAL;
	if (!status && encoder->sink_failed)
		status = -EIO;
	return status ? encoder_status(encoder, status, message) : 0;
}

int encoder_riscv_end(struct encoder_riscv *encoder, char message[TRUTH_MESSAGE])
{
	int status = session_end(encoder, encoder->time);

	return status ? encoder_status(encoder, status, message) : 0;
}

void encoder_riscv_free(struct encoder_riscv *encoder)
{
	if (encoder)
		free(encoder->memory);
	free(encoder);
}

static int take_event(void *encoder, const struct truth_event *event, char message[TRUTH_MESSAGE])
{
	return encoder_riscv_event(encoder, event, message);
}

int encode_riscv_thread(const struct truth *truth, size_t thread,
			const struct encode_riscv_log *log, const struct encode_sink *sink,
			struct encode_totals *totals, char message[TRUTH_MESSAGE])
{
	struct encoder_riscv *encoder;
	int status = encoder_riscv_new(&encoder, truth_thread(truth, thread)->tid, log, sink,
				       totals, message);

	if (status)
		return status;
	status = encode_feed(truth, thread, take_event, encoder, message);
	if (!status)
		status = encoder_riscv_end(encoder, message);
	encoder_riscv_free(encoder);
	return status;
}
