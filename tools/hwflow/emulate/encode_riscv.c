// SPDX-License-Identifier: GPL-2.0-only
/* Executed RISC-V instructions through a trace encoder. */
#include "encode_riscv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "exec_csv.h"

/* Of a port with several blocks a cycle: blocks are as long as the fields let them be. */
#define IRETIRE_WIDTH 8
#define NTKN_WIDTH    5

/* struct run - one text on its way */
struct run {
	const struct encode_riscv *encode;
	const struct encode_sink *sink;
	struct encode_totals *totals;
	struct hwf_riscv_config config;
	struct hwf_te_core core;
	struct hwf_te *te;
	int error; /* of a packet, or -EIO */
};

static bool is_draft(const struct riscv_options *riscv)
{
	return riscv->dialect == HWF_RISCV_DRAFT_026;
}

/* ---- how an encoder is set, whatever the instructions come from ---- */

const char *encode_riscv_config(const struct riscv_options *riscv, struct hwf_riscv_config *config)
{
	if (hwf_riscv_framing_check(&riscv->framing) ||
	    hwf_riscv_config_init(config, (enum hwf_riscv_dialect)riscv->dialect, &riscv->params))
		return "the parameters contradict each other, or the dialect or the framing does "
		       "not support them";
	if (riscv->framing.kind == HWF_RISCV_BARE)
		return "--framing=none cannot be written; use reference, encap or siemens";
	if (is_draft(riscv) && riscv->framing.kind == HWF_RISCV_ENCAP &&
	    riscv->framing.type_width != 2)
		return "--framing=encap: the support packets of 0.026 need --config=type_width=2";
	return NULL;
}

const char *encode_riscv_filters(const struct encode_riscv_choice *choice,
				 struct hwf_te_filters *filters)
{
	const size_t ranges = choice->include_count;
	const size_t count = ranges ? ranges : 1;

	if (2 * ranges > HWF_TE_COMPARATORS)
		return "--filter: a RISC-V trace encoder has at most four ranges";
	*filters = (struct hwf_te_filters){
		.params = {.comparators = (uint8_t)(2 * ranges),
			   .filters = (uint8_t)count,
			   .filter_privilege_p = true},
	};
	for (size_t i = 0; i < ranges; i++) {
		filters->comparator[2 * i] = (struct hwf_te_comparator){
			choice->include[i].low, HWF_TE_BUS_ADDRESS, HWF_TE_GTE};
		filters->comparator[2 * i + 1] = (struct hwf_te_comparator){
			choice->include[i].high, HWF_TE_BUS_ADDRESS, HWF_TE_LTE};
	}
	for (size_t i = 0; i < count; i++)
		filters->filter[i] =
			(struct hwf_te_filter){.match = {.privileges = choice->privileges},
					       .all = (uint8_t)(ranges ? 3u << 2 * i : 0),
					       .enable = true};
	return NULL;
}

struct hwf_te_port_params encode_riscv_port(const struct riscv_options *riscv,
					    const struct encode_riscv_choice *choice)
{
	return (struct hwf_te_port_params){
		.dialect = riscv->dialect,
		.isa = (uint8_t)riscv_options_isa(riscv),
		.itype_width_p = riscv->params.itype_width_p,
		.iretire_width_p = IRETIRE_WIDTH,
		.ntkn_width_p = NTKN_WIDTH,
		.taken_branches_p = choice->blocks ? choice->blocks : 1,
		.retires_p = choice->blocks ? 0 : 1,
		.sequential = riscv->params.sijump_p,
	};
}

/* ---- packets ---- */

int encode_riscv_packet(const struct hwf_riscv_config *config,
			const struct hwf_riscv_framing *framing,
			const struct hwf_riscv_packet *packet, uint8_t *bytes, size_t room)
{
	struct hwf_riscv_frame frame = {.message = packet->type == HWF_RISCV_TE_SUPPORT
							   ? HWF_RISCV_MSG_SUPPORT
							   : HWF_RISCV_MSG_INST};
	int length = hwf_riscv_encode(config, packet, frame.payload, sizeof(frame.payload));

	if (length <= 0)
		return length;
	frame.length = (uint8_t)length;
	return hwf_riscv_enframe(framing, &frame, bytes, room);
}

static bool take_packet(void *ctx, const struct hwf_riscv_packet *packet)
{
	struct run *run = ctx;
	uint8_t bytes[ENCODE_RISCV_ROOM];
	int length = encode_riscv_packet(&run->config, &run->encode->riscv.framing, packet, bytes,
					 sizeof(bytes));

	if (length < 0)
		run->error = run->error ? run->error : length;
	else if (!run->error && !run->sink->bytes(run->sink->ctx, bytes, (size_t)length))
		run->error = -EIO;
	else
		run->totals->bytes += (uint64_t)length;
	return true;
}

static int take_cycle(void *ctx, const struct hwf_te_cycle *cycle)
{
	struct run *run = ctx;

	return hwf_te_cycle(run->te, cycle);
}

/* struct setup - an encoder as it is asked for */
struct setup {
	struct hwf_riscv_config config;
	struct hwf_te_filters filters;
	struct hwf_te_options options;
	void *memory;
};

/* Contexts and times are all 0. */
static const char *set_up(const struct encode_riscv *encode, struct setup *setup)
{
	const struct encode_riscv_choice *choice = &encode->choice;
	const bool filtered = choice->include_count || choice->privileges;
	const char *error = encode_riscv_config(&encode->riscv, &setup->config);

	if (!error)
		error = encode_riscv_filters(choice, &setup->filters);
	if (!error && encode->post_iss && (filtered || choice->blocks))
		error = "--quirk=post-iss: not supported with --filter, --privilege or --blocks";
	setup->options = (struct hwf_te_options){
		.config = setup->config,
		.filters = filtered ? &setup->filters : NULL,
		.single = !is_draft(&encode->riscv) && !choice->blocks,
		.stall = is_draft(&encode->riscv),
		.post_iss = encode->post_iss,
	};
	return error;
}

static bool ignore_packet(void *ctx, const struct hwf_riscv_packet *packet)
{
	(void)ctx;
	(void)packet;
	return true;
}

const char *encode_riscv_check(const struct encode_riscv *encode)
{
	const struct hwf_te_sink sink = {.packet = ignore_packet};
	struct setup setup = {0};
	const char *error = set_up(encode, &setup);
	struct hwf_te *te;

	if (error)
		return error;
	setup.memory = malloc(hwf_te_size(&setup.options));
	if (!setup.memory)
		return "not enough memory";
	if (hwf_te_init(setup.memory, &setup.options, &sink, &te))
		error = encode->post_iss
				? "--quirk=post-iss: requires the ratified dialect; full_address "
				  "is the only supported option of the encoder"
				: "--config: an option needs the size of its table "
				  "(return_stack_size_p, bpred_size_p, cache_size_p), and "
				  "implicit_return needs itype_width_p=4";
	free(setup.memory);
	return error;
}

static int fail(char message[TRUTH_MESSAGE], int status, const char *name, const char *cause)
{
	snprintf(message, TRUTH_MESSAGE, "%s: %s", name, cause);
	return status;
}

/* What went wrong with the line read last */
static int fail_line(const struct encode_riscv *encode, const struct exec_csv *csv, int status,
		     const char *cause, char message[TRUTH_MESSAGE])
{
	snprintf(message, TRUTH_MESSAGE, "%s: line %" PRIu64 ": %s", encode->name, csv->number,
		 cause);
	return status;
}

static int feed(struct run *run, char message[TRUTH_MESSAGE])
{
	const struct encode_riscv *encode = run->encode;
	struct exec_csv csv = {.in = encode->in};
	struct hwf_te_event event;
	int status = exec_csv_begin(&csv);

	if (status)
		return fail_line(encode, &csv, status, csv.error, message);
	while ((status = exec_csv_next(&csv, &event)) > 0) {
		/* of a context that never changes no type means anything but a notification */
		event.context_type = is_draft(&encode->riscv) ? (uint8_t)HWF_TE_DRAFT_IMPRECISE : 0;
		run->totals->instructions += event.retired;
		run->totals->exceptions += event.trap != HWF_TE_NO_TRAP;
		if (hwf_te_core_event(&run->core, &event))
			return fail_line(encode, &csv, -EINVAL,
					 "the instruction before this line is not supported, or "
					 "cannot precede it",
					 message);
		if (run->error)
			break;
	}
	if (status < 0)
		return fail_line(encode, &csv, status, csv.error, message);
	if (!run->error && hwf_te_core_finish(&run->core))
		return fail_line(encode, &csv, -EINVAL, "this instruction is not supported",
				 message);
	return 0;
}

static int run_all(struct run *run, char message[TRUTH_MESSAGE])
{
	int status = feed(run, message);

	if (status)
		return status;
	if (!run->error)
		hwf_te_finish(run->te);
	if (run->error == -EIO)
		return fail(message, -EIO, run->encode->name, "cannot write the trace");
	if (run->error)
		return fail(message, -EINVAL, run->encode->name,
			    "a packet is too long for this framing; use another --framing");
	return 0;
}

int encode_riscv(const struct encode_riscv *encode, const struct encode_sink *sink,
		 struct encode_totals *totals, char message[TRUTH_MESSAGE])
{
	struct hwf_te_port_params params = encode_riscv_port(&encode->riscv, &encode->choice);
	struct run run = {.encode = encode, .sink = sink, .totals = totals};
	const struct hwf_te_sink packets = {.ctx = &run, .packet = take_packet};
	const struct hwf_te_port port = {.ctx = &run, .cycle = take_cycle};
	struct setup setup = {0};
	const char *error = set_up(encode, &setup);
	int status;

	if (error)
		return fail(message, -EINVAL, encode->name, error);
	setup.memory = malloc(hwf_te_size(&setup.options));
	if (!setup.memory)
		return fail(message, -ENOMEM, encode->name, "not enough memory");
	run.config = setup.config;
	params.post_iss = encode->post_iss;
	if (hwf_te_core_init(&run.core, &params, &port) ||
	    hwf_te_init(setup.memory, &setup.options, &packets, &run.te))
		status = fail(message, -EINVAL, encode->name,
			      "--config: these parameters are not supported together");
	else
		status = run_all(&run, message);
	free(setup.memory);
	return status;
}
