// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Fuzz target: any settings, and any cycles of the port, into the RISC-V trace encoder; any
 * executed instructions through the core before it. What no core drives is refused, all else makes
 * packets that encode and decode to the same; whatever happened, the last one says that the encoder
 * is off.
 */
#include <stdlib.h>
#include <string.h>

#include "hwflow/te_encoder.h"

#define SETTINGS 40u /* bytes of input */

struct target {
	struct hwf_riscv_config config;
	struct hwf_te *te;
	const uint8_t *data;
	size_t size;
	bool off;
	bool full;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is missing is 0. */
static uint64_t take(struct target *t, unsigned int bytes)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < bytes && t->size; i++, t->size--)
		value |= (uint64_t)*t->data++ << (8 * i);
	return value;
}

static bool take_packet(void *ctx, const struct hwf_riscv_packet *packet)
{
	struct target *t = ctx;
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD], twice[HWF_RISCV_MAX_PAYLOAD];
	struct hwf_riscv_packet again;
	bool support = packet->type == HWF_RISCV_TE_SUPPORT;
	int length;

	if (t->full)
		return false;
	length = hwf_riscv_encode(&t->config, packet, bytes, sizeof(bytes));
	/* the widest fields of all together are longer than a packet may be */
	if (length == HWF_ERR_NO_SPACE)
		return true;
	if (length <= 0 || hwf_riscv_decode(&t->config, support, bytes, (size_t)length, &again) ||
	    again.type != packet->type ||
	    hwf_riscv_encode(&t->config, &again, twice, sizeof(twice)) != length ||
	    memcmp(bytes, twice, (size_t)length) != 0)
		abort();
	t->off = (support || packet->type == HWF_RISCV_F3_SUPPORT) && !packet->u.support.ienable;
	return true;
}

static int take_cycle(void *ctx, const struct hwf_te_cycle *cycle)
{
	struct target *t = ctx;
	int err = hwf_te_cycle(t->te, cycle);

	/* the core drives nothing but what may be */
	if (err == HWF_ERR_BAD_PAYLOAD)
		abort();
	return err;
}

static void set_filters(struct target *t, struct hwf_te_filters *filters)
{
	uint64_t bits = take(t, 4);

	memset(filters, 0, sizeof(*filters));
	filters->params = (struct hwf_te_filter_params){
		.comparators = 2,
		.filters = 1,
		.ecause_choice_p = bits & 7,
		.filter_ecause_p = bits >> 3 & 3,
		.filter_context_p = true,
		.filter_interrupt_p = true,
		.filter_privilege_p = true,
		.filter_tval_p = true,
		.user_width_p = 64,
	};
	for (unsigned int i = 0; i < 2; i++)
		filters->comparator[i] =
			(struct hwf_te_comparator){.value = take(t, 1) << 4,
						   .bus = (uint8_t)(bits >> (8 + 2 * i) & 3),
						   .op = (uint8_t)(bits >> (12 + 3 * i) & 7)};
	filters->filter[0] =
		(struct hwf_te_filter){.enable = bits >> 31,
				       .all = bits >> 18 & 3,
				       .start = bits >> 20 & 3,
				       .stop = bits >> 22 & 3,
				       .match = {.privileges = (uint16_t)(bits >> 24 & 15),
						 .on_cause = bits >> 28 & 1,
						 .on_interrupt = bits >> 29 & 1,
						 .causes = 5}};
}

static bool set_options(struct target *t, struct hwf_te_options *options)
{
	struct hwf_riscv_params params;
	enum hwf_riscv_dialect dialect = (enum hwf_riscv_dialect)(take(t, 1) % 3);
	uint64_t flags = take(t, 2);

	hwf_riscv_params_init(&params, dialect);
	params.iaddress_width_p = (uint8_t)(2 + take(t, 1) % 63);
	params.iaddress_lsb_p = (uint8_t)(take(t, 1) % 4);
	params.context_width_p = (uint8_t)(take(t, 1) % 33);
	params.nocontext_p = flags & 1;
	params.privilege_width_p = (uint8_t)(1 + take(t, 1) % 4);
	params.ecause_width_p = (uint8_t)(1 + take(t, 1) % 16);
	params.itype_width_p = flags & 2 ? 4 : 3;
	params.max_resync = (uint32_t)take(t, 1);
	params.full_address = flags & 4;
	params.sijump_p = flags >> 3 & 1;
	if (dialect == HWF_RISCV_DRAFT_026) {
		params.notval_p = flags >> 4 & 1;
	} else {
		params.implicit_return = flags & 0x10;
		params.irets = dialect == HWF_RISCV_V2 && flags & 0x4000;
		params.implicit_exception = flags & 0x20;
		params.branch_prediction = flags & 0x40;
		params.jump_target_cache = flags & 0x80;
		params.f0s_width_p = 1;
		params.bpred_size_p = (uint8_t)(take(t, 1) % 5);
		params.cache_size_p = (uint8_t)(take(t, 1) % 5);
		if (flags & 0x100)
			params.return_stack_size_p = (uint8_t)(take(t, 1) % 4);
		else
			params.call_counter_size_p = (uint8_t)(take(t, 1) % 4);
	}
	options->single = flags & 0x200;
	options->single_watchpoint = flags & 0x400;
	options->trigger_start = flags & 0x800;
	options->stall = flags & 0x1000;
	options->post_iss = flags & 0x2000;
	return !hwf_riscv_config_init(&options->config, dialect, &params);
}

static void drive_cycle(struct target *t)
{
	struct hwf_te_cycle cycle = {.blocks = (uint8_t)(take(t, 1) % (HWF_TE_BLOCKS + 2))};
	uint64_t bits = take(t, 2);

	cycle.priv = bits & 15;
	cycle.context_type = bits >> 4 & 3;
	cycle.halted = (bits >> 6 & 7) == 7;
	cycle.reset = (bits >> 9 & 7) == 7;
	cycle.trigger = (bits >> 12 & 1) ? bits >> 13 & 7 : 0;
	cycle.context = (uint32_t)take(t, 1);
	cycle.cause = (uint16_t)take(t, 1);
	cycle.tval = take(t, 1) << 4;
	for (unsigned int i = 0; i < HWF_TE_BLOCKS && i < cycle.blocks; i++) {
		uint64_t block = take(t, 3);

		cycle.block[i] = (struct hwf_te_block){
			.iaddr = (block & 0xff) << 4,
			.itype = block >> 8 & 15,
			.ilastsize = block >> 12 & 3,
			.iretire = block >> 14 & 15,
			.ntkn = block >> 18 & 7,
			.sijump = block >> 21 & 1,
		};
	}
	(void)hwf_te_cycle(t->te, &cycle);
}

static void drive_core(struct target *t, const struct hwf_te_options *options)
{
	const struct hwf_te_port port = {.ctx = t, .cycle = take_cycle};
	uint64_t bits = take(t, 2);
	const struct hwf_te_port_params params = {
		.dialect = options->config.dialect,
		.isa = bits & 3,
		.itype_width_p = options->config.params.itype_width_p,
		.iretire_width_p = (uint8_t)(2 + (bits >> 2 & 7) % 7),
		.ntkn_width_p = (uint8_t)(1 + (bits >> 5 & 7) % 5),
		.taken_branches_p = (uint8_t)(1 + (bits >> 8 & 7)),
		.retires_p = options->single ? 1 : (uint8_t)(2 * (bits >> 11 & 3)),
		.sequential = bits >> 13 & 1,
	};
	struct hwf_te_core core;
	int err = hwf_te_core_init(&core, &params, &port);

	while (!err && t->size) {
		struct hwf_te_event event = {.opcode = (uint32_t)take(t, 4)};

		bits = take(t, 3);
		event.address = (bits & 0xff) << 1;
		event.priv = bits >> 8 & 3;
		event.trap = (uint8_t)((bits >> 10 & 3) % 3);
		event.retired = !event.trap || (bits >> 12 & 1);
		event.trigger = (bits >> 13 & 7) == 7 ? bits >> 16 & 7 : 0;
		event.context = bits >> 19 & 1;
		event.context_type = bits >> 20 & 3;
		t->full = (bits >> 22 & 3) == 3;
		err = hwf_te_core_event(&core, &event);
	}
	if (!err)
		(void)hwf_te_core_finish(&core);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target t = {.data = data, .size = size};
	const struct hwf_te_sink sink = {.ctx = &t, .packet = take_packet};
	struct hwf_te_options options = {0};
	struct hwf_te_filters filters;
	bool cycles;
	void *memory;

	if (size < SETTINGS || !set_options(&t, &options))
		return 0;
	set_filters(&t, &filters);
	cycles = take(&t, 1) & 1;
	if (filters.filter[0].enable)
		options.filters = &filters;
	t.config = options.config;
	memory = malloc(hwf_te_size(&options));
	if (!memory)
		return 0;
	if (!hwf_te_init(memory, &options, &sink, &t.te)) {
		if (cycles)
			while (t.size)
				drive_cycle(&t);
		else
			drive_core(&t, &options);
		t.full = false;
		(void)hwf_te_stall(t.te);
		hwf_te_finish(t.te);
		if (!t.off)
			abort();
	}
	free(memory);
	return 0;
}
