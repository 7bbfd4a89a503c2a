// SPDX-License-Identifier: GPL-2.0-only
/* Executed RISC-V instructions through a trace encoder. */
#include "encode_riscv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "exec_csv.h"
#include "hwflow/te_encoder.h"

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

static bool is_draft(const struct encode_riscv *encode)
{
	return encode->riscv.dialect == HWF_RISCV_DRAFT_026;
}

/* One retired instruction a cycle. Contexts and times are all 0. */
static struct hwf_te_options te_options(const struct encode_riscv *encode,
					const struct hwf_riscv_config *config)
{
	return (struct hwf_te_options){
		.config = *config,
		.single = !is_draft(encode),
		.stall = is_draft(encode),
		.post_iss = encode->post_iss,
	};
}

static struct hwf_te_port_params port_params(const struct encode_riscv *encode)
{
	return (struct hwf_te_port_params){
		.dialect = encode->riscv.dialect,
		.isa = (uint8_t)riscv_options_isa(&encode->riscv),
		.itype_width_p = encode->riscv.params.itype_width_p,
		.iretire_width_p = 3,
		.ntkn_width_p = 1,
		.taken_branches_p = 1,
		.retires_p = 1,
		.sequential = encode->riscv.params.sijump_p,
		.post_iss = encode->post_iss,
	};
}

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
	struct hwf_te_options options;
	void *memory;
};

static const char *set_up(const struct encode_riscv *encode, struct setup *setup)
{
	const struct riscv_options *riscv = &encode->riscv;

	if (hwf_riscv_framing_check(&riscv->framing) ||
	    hwf_riscv_config_init(&setup->config, (enum hwf_riscv_dialect)riscv->dialect,
				  &riscv->params))
		return "parameters contradict each other, or the dialect or the framing does not "
		       "have them";
	if (riscv->framing.kind == HWF_RISCV_BARE)
		return "--framing=none has no lengths: want reference, encap or siemens";
	if (is_draft(encode) && riscv->framing.kind == HWF_RISCV_ENCAP &&
	    riscv->framing.type_width != 2)
		return "--framing=encap: the support packets of 0.026 need --config=type_width=2";
	setup->options = te_options(encode, &setup->config);
	return NULL;
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
				? "--quirk=post-iss: the reference flow has the ratified dialect, "
				  "and none of its options but full_address"
				: "an option lacks its table, or implicit_return an itype_width_p "
				  "of 4";
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
		event.context_type = is_draft(encode) ? (uint8_t)HWF_TE_DRAFT_IMPRECISE : 0;
		run->totals->instructions += event.retired;
		run->totals->exceptions += event.trap != HWF_TE_NO_TRAP;
		if (hwf_te_core_event(&run->core, &event))
			return fail_line(encode, &csv, -EINVAL,
					 "no core executes the instruction before this line",
					 message);
		if (run->error)
			break;
	}
	if (status < 0)
		return fail_line(encode, &csv, status, csv.error, message);
	if (!run->error && hwf_te_core_finish(&run->core))
		return fail_line(encode, &csv, -EINVAL, "no core executes this instruction",
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
			    "a packet is longer than its framing has room for");
	return 0;
}

int encode_riscv(const struct encode_riscv *encode, const struct encode_sink *sink,
		 struct encode_totals *totals, char message[TRUTH_MESSAGE])
{
	const struct hwf_te_port_params params = port_params(encode);
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
	if (hwf_te_core_init(&run.core, &params, &port) ||
	    hwf_te_init(setup.memory, &setup.options, &packets, &run.te))
		status = fail(message, -EINVAL, encode->name, "no encoder has these parameters");
	else
		status = run_all(&run, message);
	free(setup.memory);
	return status;
}
