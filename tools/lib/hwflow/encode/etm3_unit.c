/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* An ETMv3 trace unit. */
#include "hwflow/etmv3_unit.h"

void hwf_etm3_unit_init(struct hwf_etm3_unit *unit, const struct hwf_etm3_config *config,
			hwf_etm3_write_fn *write, void *ctx)
{
	*unit = (struct hwf_etm3_unit){.config = config, .write = write, .ctx = ctx};
}

static void fail(struct hwf_etm3_unit *unit, int error)
{
	unit->error = unit->error ? unit->error : error;
}

static void put(struct hwf_etm3_unit *unit, const struct hwf_etm3_packet *packet)
{
	uint8_t bytes[HWF_ETM3_MAX_PACKET];
	const int size = hwf_etm3_encode(unit->config, packet, bytes, sizeof(bytes));

	if (size < 0) {
		fail(unit, size);
		return;
	}
	unit->bytes += (unsigned int)size;
	unit->write(unit->ctx, bytes, (size_t)size);
}

/* Pack atoms until fewer than @keep are left. */
static void pack(struct hwf_etm3_unit *unit, unsigned int keep)
{
	unsigned int at = 0;

	while (unit->atom_count - at >= keep && at < unit->atom_count) {
		struct hwf_etm3_packet packet;
		const uint8_t *atoms = unit->atoms + at;
		const unsigned int count = unit->atom_count - at;
		int taken = unit->one_a_cycle
				    ? hwf_etm3_pack_cycle(unit->config, atoms, count, &packet)
				    : hwf_etm3_pack(unit->config, atoms, count, &packet);

		if (taken < 0) {
			fail(unit, taken);
			taken = 1;
		} else {
			put(unit, &packet);
		}
		at += (unsigned int)taken;
	}
	unit->atom_count -= at;
	for (unsigned int i = 0; i < unit->atom_count; i++)
		unit->atoms[i] = unit->atoms[at + i];
}

void hwf_etm3_unit_flush(struct hwf_etm3_unit *unit)
{
	pack(unit, 0);
}

static void add_atom(struct hwf_etm3_unit *unit, enum hwf_etm3_atom atom)
{
	if (unit->atom_count == HWF_ETM3_UNIT_ATOMS)
		pack(unit, HWF_ETM3_PACK_AHEAD);
	unit->atoms[unit->atom_count++] = (uint8_t)atom;
}

void hwf_etm3_unit_cycles(struct hwf_etm3_unit *unit, uint32_t cycles)
{
	while (unit->config->cycle_accurate && cycles--)
		add_atom(unit, HWF_ETM3_W);
}

void hwf_etm3_unit_insn(struct hwf_etm3_unit *unit, bool passed)
{
	add_atom(unit, passed ? HWF_ETM3_E : HWF_ETM3_N);
}

/* An A-sync, then an I-sync */
static void put_sync(struct hwf_etm3_unit *unit, enum hwf_etm3_reason reason,
		     const struct hwf_etm3_place *place, uint32_t cycles)
{
	struct hwf_etm3_packet packet = {.type = HWF_ETM3_A_SYNC, .u.zeros = 5};
	struct hwf_etm3_i_sync *sync = &packet.u.i_sync;

	hwf_etm3_unit_flush(unit);
	put(unit, &packet);
	unit->bytes = 0;
	packet = (struct hwf_etm3_packet){.type = HWF_ETM3_I_SYNC};
	if (unit->config->cycle_accurate && reason != HWF_ETM3_PERIODIC) {
		packet.type = HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT;
		sync->cycles = cycles;
	}
	sync->cid = unit->config->context_bytes ? place->cid : 0;
	sync->reason = (uint8_t)reason;
	sync->thumb = place->isa == HWF_ISA_T32 || place->isa == HWF_ISA_T32EE;
	sync->alt_isa = place->isa == HWF_ISA_T32EE;
	sync->jazelle = place->isa == HWF_ISA_JAZELLE;
	sync->ns = place->ns;
	sync->hyp = place->hyp;
	if (!unit->config->data_only) {
		sync->address = place->address;
		hwf_etm3_expand_i_sync(&unit->state, sync);
	}
	put(unit, &packet);
}

void hwf_etm3_unit_start(struct hwf_etm3_unit *unit, enum hwf_etm3_reason reason,
			 const struct hwf_etm3_place *place, uint32_t cycles)
{
	put_sync(unit, reason, place, cycles);
}

void hwf_etm3_unit_sync(struct hwf_etm3_unit *unit, const struct hwf_etm3_place *place)
{
	put_sync(unit, HWF_ETM3_PERIODIC, place, 0);
}

/* An address in so many bytes */
static struct hwf_etm3_address make_address(const struct hwf_etm3_config *config,
					    const struct hwf_etm3_place *place, unsigned int bytes)
{
	const unsigned int shift = place->isa == HWF_ISA_A32       ? 2
				   : place->isa == HWF_ISA_JAZELLE ? 0
								   : 1;
	struct hwf_etm3_address address = {.bytes = (uint8_t)bytes, .bits = 32};

	if (bytes == 5) {
		address.value = place->address;
		address.state = shift == 2   ? HWF_ETM3_ARM
				: shift == 1 ? HWF_ETM3_THUMB
					     : HWF_ETM3_JAZELLE;
		return address;
	}
	address.bits = (uint8_t)(7 * bytes - 1 - (config->alternative && bytes > 1));
	address.value = place->address >> shift & ((1u << address.bits) - 1);
	return address;
}

/* In as few bytes as lead to the address (section 7.3.5) */
void hwf_etm3_unit_branch(struct hwf_etm3_unit *unit, const struct hwf_etm3_place *place,
			  unsigned int exception, bool cancel, bool mode)
{
	struct hwf_etm3_packet packet = {.type = HWF_ETM3_BRANCH_ADDRESS};
	struct hwf_etm3_branch *branch = &packet.u.branch;
	const bool info =
		exception || cancel || mode || place->isa == HWF_ISA_T32EE || unit->state.alt_isa;
	unsigned int bytes = info ? unit->config->alternative ? 2 : 5 : 1;

	hwf_etm3_unit_flush(unit);
	branch->info = info;
	if (info) {
		branch->ns = place->ns;
		branch->hyp = place->hyp;
		branch->alt_isa = place->isa == HWF_ISA_T32EE;
		branch->cancel = cancel;
		branch->exception = (uint16_t)exception;
		branch->has_second = place->hyp || exception > 15 || mode;
	}
	for (;; bytes++) {
		struct hwf_etm3_address_state state = unit->state;

		branch->address = make_address(unit->config, place, bytes);
		if (bytes == 5 ||
		    (hwf_etm3_expand(&state, branch) == place->address && state.isa == place->isa))
			break;
	}
	hwf_etm3_expand(&unit->state, branch);
	put(unit, &packet);
}

void hwf_etm3_unit_context(struct hwf_etm3_unit *unit, uint32_t cid)
{
	const struct hwf_etm3_packet packet = {.type = HWF_ETM3_CONTEXT_ID, .u.cid = cid};

	if (!unit->config->context_bytes)
		return;
	hwf_etm3_unit_flush(unit);
	put(unit, &packet);
}

void hwf_etm3_unit_timestamp(struct hwf_etm3_unit *unit, uint64_t time)
{
	const unsigned int all = unit->config->timestamp_bytes == 7 ? 48 : 64;
	struct hwf_etm3_packet packet = {.type = HWF_ETM3_TIMESTAMP};
	struct hwf_etm3_timestamp *timestamp = &packet.u.timestamp;
	uint64_t value = unit->config->gray ? time ^ time >> 1 : time;
	uint64_t changed = value ^ unit->state.timestamp;
	unsigned int bits = 7;

	while (bits < 7u * (unit->config->timestamp_bytes - 1u) && changed >> bits)
		bits += 7;
	if (changed >> bits)
		bits = all;
	timestamp->bits = (uint8_t)bits;
	timestamp->value = bits == 64 ? value : value & ((UINT64_C(1) << bits) - 1);
	hwf_etm3_unit_flush(unit);
	hwf_etm3_expand_timestamp(unit->config, &unit->state, timestamp);
	put(unit, &packet);
}

void hwf_etm3_unit_bare(struct hwf_etm3_unit *unit, enum hwf_etm3_type type)
{
	const struct hwf_etm3_packet packet = {.type = (uint8_t)type};

	if (hwf_etm3_type_codec(type) != HWF_ETM3_CODEC_bare) {
		fail(unit, HWF_ERR_BAD_PAYLOAD);
		return;
	}
	hwf_etm3_unit_flush(unit);
	put(unit, &packet);
}
