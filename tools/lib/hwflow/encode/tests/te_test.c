/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* For tests of the RISC-V trace encoder */
#include "te_test.h"

static void __attribute__((format(printf, 2, 3))) say(struct te_test *t, const char *format, ...)
{
	size_t length = strlen(t->text);
	va_list args;

	va_start(args, format);
	vsnprintf(t->text + length, sizeof(t->text) - length, format, args);
	va_end(args);
	assert_true(strlen(t->text) < sizeof(t->text) - 1);
}

static void say_map(struct te_test *t, uint32_t map, unsigned int branches)
{
	say(t, ":");
	for (unsigned int i = 0; i < branches; i++)
		say(t, "%u", map >> i & 1);
}

static void say_address(struct te_test *t, const struct hwf_riscv_address *address, bool full)
{
	uint64_t value = address->value << t->params.iaddress_lsb_p;

	if (!address->has)
		return;
	t->last = full ? value : t->last + value;
	if (t->params.iaddress_width_p < 64)
		t->last &= (UINT64_C(1) << t->params.iaddress_width_p) - 1;
	say(t, "@%" PRIx64 "%s%s", t->last, address->notify ? "n" : "",
	    address->updiscon ? "u" : "");
	if (address->irreport)
		say(t, "r%u", address->irdepth);
}

static void say_trap(struct te_test *t, const struct hwf_riscv_sync *sync)
{
	say(t, "?%s%s%x", sync->thaddr ? "" : "-", sync->interrupt ? "i" : "", sync->ecause);
	if (sync->tval)
		say(t, ",%" PRIx64, sync->tval);
}

static void say_sync(struct te_test *t, const struct hwf_riscv_packet *packet)
{
	const struct hwf_riscv_sync *sync = &packet->u.sync;

	if (packet->type == HWF_RISCV_F3_CONTEXT) {
		say(t, "c%x", sync->context);
		return;
	}
	t->last = sync->address << t->params.iaddress_lsb_p;
	say(t, "%s", sync->branch ? "!" : "");
	if (sync->has_address)
		say(t, "%" PRIx64, t->last);
	if (packet->type == HWF_RISCV_F3_TRAP)
		say_trap(t, sync);
	if (sync->privilege != 3)
		say(t, "p%u", sync->privilege);
	if (sync->context)
		say(t, "c%x", sync->context);
	if (sync->time)
		say(t, "t%" PRIx64, sync->time);
}

static void say_packet(struct te_test *t, const struct hwf_riscv_packet *packet)
{
	bool full = t->params.full_address;

	switch (packet->type) {
	case HWF_RISCV_F0_MAP:
		say(t, "f0");
		say_map(t, packet->u.map.map, packet->u.map.branches);
		say_address(t, &packet->u.map.address, true);
		break;
	case HWF_RISCV_F1:
		say(t, "f1");
		say_map(t, packet->u.map.map, packet->u.map.branches);
		say_address(t, &packet->u.map.address, full);
		break;
	case HWF_RISCV_F2:
		say_address(t, &packet->u.address, full);
		break;
	case HWF_RISCV_F0_COUNT:
		say(t, "n%" PRIu32 "/%u", packet->u.count.branch_count, packet->u.count.branch_fmt);
		say_address(t, &packet->u.count.address, full);
		break;
	case HWF_RISCV_F0_CACHE:
		say(t, "i%u", packet->u.cache.index);
		say_map(t, packet->u.cache.map, packet->u.cache.branches);
		t->last = t->te ? t->last : 0;
		break;
	case HWF_RISCV_F3_SUPPORT:
	case HWF_RISCV_TE_SUPPORT:
		say(t, "%s", packet->u.support.ienable ? "on" : "off");
		if (packet->u.support.qual_status)
			say(t, ":%u", packet->u.support.qual_status);
		break;
	default:
		say_sync(t, packet);
		break;
	}
}

static bool take_packet(void *ctx, const struct hwf_riscv_packet *packet)
{
	struct te_test *t = ctx;
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD];

	if (t->full)
		return false;
	/* whatever it is, it is a packet */
	assert_true(hwf_riscv_encode(&t->options.config, packet, bytes, sizeof(bytes)) > 0);
	if (t->text[0])
		say(t, " ");
	say_packet(t, packet);
	return true;
}

static int take_cycle(void *ctx, const struct hwf_te_cycle *cycle)
{
	struct te_test *t = ctx;

	return hwf_te_cycle(t->te, cycle);
}

void te_test_init(struct te_test *t, enum hwf_riscv_dialect dialect)
{
	bool draft = dialect == HWF_RISCV_DRAFT_026;

	memset(t, 0, sizeof(*t));
	hwf_riscv_params_init(&t->params, dialect);
	t->params.itype_width_p = 4;
	t->params.nocontext_p = 0;
	t->params.context_width_p = 8;
	t->options.stall = draft;
	t->options.single = !draft;
	t->port = (struct hwf_te_port_params){
		.dialect = (uint8_t)dialect,
		.isa = HWF_RV_64,
		.itype_width_p = 4,
		.iretire_width_p = 3,
		.ntkn_width_p = 1,
		.taken_branches_p = 1,
		.retires_p = 1,
	};
}

void te_test_start(struct te_test *t)
{
	const struct hwf_te_sink sink = {.ctx = t, .packet = take_packet};
	const struct hwf_te_port port = {.ctx = t, .cycle = take_cycle};
	void *memory;

	assert_int_equal(hwf_riscv_config_init(&t->options.config,
					       (enum hwf_riscv_dialect)t->port.dialect, &t->params),
			 0);
	memory = malloc(hwf_te_size(&t->options));
	assert_non_null(memory);
	assert_int_equal(hwf_te_init(memory, &t->options, &sink, &t->te), 0);
	assert_int_equal(hwf_te_core_init(&t->core, &t->port, &port), 0);
}

void te_test_begin(struct te_test *t, enum hwf_riscv_dialect dialect)
{
	te_test_init(t, dialect);
	te_test_start(t);
}

void te_test_event(struct te_test *t, const struct hwf_te_event *event)
{
	assert_int_equal(hwf_te_core_event(&t->core, event), 0);
}

void te_test_insn(struct te_test *t, uint64_t address, uint32_t opcode)
{
	te_test_event(t, &(struct hwf_te_event){
				 .address = address, .opcode = opcode, .priv = 3, .retired = true});
}

void te_test_insn_of(struct te_test *t, uint64_t address, unsigned int priv, uint32_t context,
		     unsigned int type)
{
	te_test_event(t, &(struct hwf_te_event){.address = address,
						.opcode = NOP,
						.priv = (uint8_t)priv,
						.context = context,
						.context_type = (uint8_t)type,
						.retired = true});
}

void te_test_nops(struct te_test *t, uint64_t address, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		te_test_insn(t, address + (uint64_t)4 * i, NOP);
}

void te_test_branches(struct te_test *t, uint64_t address, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		te_test_insn(t, address + (uint64_t)4 * i, BEQ);
}

void te_test_trap(struct te_test *t, uint64_t address, uint32_t opcode, unsigned int trap,
		  unsigned int cause)
{
	te_test_event(t, &(struct hwf_te_event){.address = address,
						.opcode = opcode,
						.priv = 3,
						.trap = (uint8_t)trap,
						.cause = (uint16_t)cause,
						.retired = opcode == ECALL});
}

void te_test_cycle(struct te_test *t, const struct hwf_te_cycle *cycle)
{
	/* what was executed before has its place before */
	assert_int_equal(hwf_te_core_finish(&t->core), 0);
	assert_int_equal(hwf_te_cycle(t->te, cycle), 0);
}

void te_test_end(struct te_test *t, const char *want)
{
	assert_int_equal(hwf_te_core_finish(&t->core), 0);
	hwf_te_finish(t->te);
	free(t->te);
	assert_string_equal(t->text, want);
}
