/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Payloads: the fields of each packet in their order (RISCV_FIELDS), for reading and for writing,
 * and the compression around them.
 */
#include "codec/riscv/riscv_bits.h"

#define DRAFT    0x1u
#define RATIFIED 0x2u
#define BOTH     (DRAFT | RATIFIED)

/* in the column of formats: te_support of the draft */
#define SUPPORT 4
/* in the column of subformats */
#define NONE 0xff

/* what te_support begins with (RISCV_TE_SUPPORT) */
#define CONTROL_CODE 0x34u

static unsigned int dialect_bit(const struct hwf_riscv_config *config)
{
	return config->dialect == HWF_RISCV_DRAFT_026 ? DRAFT : RATIFIED;
}

/* RISCV_MAP_LENGTH */
unsigned int hwf_riscv_map_bits(enum hwf_riscv_dialect dialect, unsigned int branches)
{
	static const uint8_t draft[] = {1, 9, 17, 25, 31};
	static const uint8_t ratified[] = {1, 3, 7, 15, 31};
	const uint8_t *sizes = dialect == HWF_RISCV_DRAFT_026 ? draft : ratified;

	if (!branches)
		return 31;
	while (*sizes < branches)
		sizes++;
	return *sizes;
}

/* A bit that means something where it differs from the bit before it (RISCV_DIFFERS) */
static void visit_differs(struct hwf_riscv_bits *bits, bool *differs)
{
	const bool before = hwf_riscv_bit_before(bits);
	bool bit = *differs != before;

	hwf_riscv_flag(bits, &bit);
	*differs = bit != before;
}

/*
 * irreport and irdepth. Where they have nothing to say all bits of irdepth are to repeat irreport
 * (RISCV_IRDEPTH); the reference encoder has all ones there, always, so that is read and written as
 * well.
 */
static void visit_depth(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			bool *irreport, uint32_t *irdepth)
{
	const unsigned int width = config->irdepth_bits;

	visit_differs(bits, irreport);
	if (bits->write && !*irreport && !*irdepth && width && hwf_riscv_bit_before(bits))
		*irdepth = UINT32_MAX >> (32 - width);
	hwf_riscv_field32(bits, irdepth, width);
}

/* The address and what stands behind it in ratified packets */
static void visit_target(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			 struct hwf_riscv_address *address)
{
	address->has = true;
	hwf_riscv_field(bits, &address->value, config->address_bits);
	if (config->dialect == HWF_RISCV_DRAFT_026)
		return;
	visit_differs(bits, &address->notify);
	visit_differs(bits, &address->updiscon);
	visit_depth(config, bits, &address->irreport, &address->irdepth);
}

static void visit_map_bits(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			   uint32_t *map, uint8_t branches)
{
	const unsigned int width =
		hwf_riscv_map_bits((enum hwf_riscv_dialect)config->dialect, branches);

	hwf_riscv_field32(bits, map, width);
	/* bits of no branch have no meaning and are 0 here (RISCV_MAP_POLARITY) */
	if (branches)
		*map &= UINT32_MAX >> (32 - branches);
}

static void visit_map(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
		      struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_map *map = &packet->u.map;
	uint8_t branches = map->address.has ? map->branches : 0;

	if (bits->write &&
	    (!map->branches || map->branches > 31 || (!map->address.has && map->branches != 31))) {
		bits->error = HWF_ERR_BAD_PAYLOAD;
		return;
	}
	hwf_riscv_field8(bits, &branches, 5);
	visit_map_bits(config, bits, &map->map, branches);
	map->branches = branches ? branches : 31;
	if (branches) {
		visit_target(config, bits, &map->address);
	} else if (config->dialect == HWF_RISCV_DRAFT_026) {
		/* RISCV_MAP_NO_ADDRESS: the address is the map's top bit all over */
		uint64_t none = hwf_riscv_bit_before(bits) ? UINT64_MAX : 0;
		const uint64_t want = none & UINT64_MAX >> (64 - config->address_bits);

		none = want;
		hwf_riscv_field(bits, &none, config->address_bits);
		if (none != want)
			bits->error = HWF_ERR_BAD_PAYLOAD;
	}
}

static void visit_address(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			  struct hwf_riscv_packet *packet)
{
	visit_target(config, bits, &packet->u.address);
}

static void visit_count(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_count *count = &packet->u.count;

	hwf_riscv_field32(bits, &count->branch_count, 32);
	hwf_riscv_field8(bits, &count->branch_fmt, 2);
	if (count->branch_fmt == 1)
		bits->error = HWF_ERR_RESERVED;
	else if (count->branch_fmt)
		visit_target(config, bits, &count->address);
}

static void visit_cache(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_cache *cache = &packet->u.cache;

	hwf_riscv_field32(bits, &cache->index, config->params.cache_size_p);
	hwf_riscv_field8(bits, &cache->branches, 5);
	if (cache->branches)
		visit_map_bits(config, bits, &cache->map, cache->branches);
	visit_depth(config, bits, &cache->irreport, &cache->irdepth);
}

/* Context and privilege, in the order of the dialect */
static void visit_mode(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
		       struct hwf_riscv_sync *sync)
{
	const struct hwf_riscv_params *params = &config->params;

	if (config->dialect == HWF_RISCV_DRAFT_026) {
		hwf_riscv_field32(bits, &sync->context, params->context_width_p);
		hwf_riscv_field8(bits, &sync->privilege, params->privilege_width_p);
		return;
	}
	hwf_riscv_field8(bits, &sync->privilege, params->privilege_width_p);
	hwf_riscv_field(bits, &sync->time, params->time_width_p);
	hwf_riscv_field32(bits, &sync->context, params->context_width_p);
}

static void visit_context(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			  struct hwf_riscv_packet *packet)
{
	visit_mode(config, bits, &packet->u.sync);
}

static void visit_branch_and_mode(const struct hwf_riscv_config *config,
				  struct hwf_riscv_bits *bits, struct hwf_riscv_sync *sync)
{
	const bool draft = config->dialect == HWF_RISCV_DRAFT_026;

	if (!draft)
		hwf_riscv_flag(bits, &sync->branch);
	visit_mode(config, bits, sync);
	if (draft)
		hwf_riscv_flag(bits, &sync->branch);
}

static void visit_sync_address(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			       struct hwf_riscv_sync *sync)
{
	sync->has_address = true;
	hwf_riscv_field(bits, &sync->address, config->address_bits);
}

static void visit_start(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			struct hwf_riscv_packet *packet)
{
	visit_branch_and_mode(config, bits, &packet->u.sync);
	visit_sync_address(config, bits, &packet->u.sync);
}

static void visit_cause(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			struct hwf_riscv_sync *sync)
{
	hwf_riscv_field16(bits, &sync->ecause, config->params.ecause_width_p);
	hwf_riscv_flag(bits, &sync->interrupt);
}

static void visit_trap(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
		       struct hwf_riscv_packet *packet)
{
	const struct hwf_riscv_params *params = &config->params;
	struct hwf_riscv_sync *sync = &packet->u.sync;
	const bool draft = config->dialect == HWF_RISCV_DRAFT_026;

	visit_branch_and_mode(config, bits, sync);
	if (draft)
		visit_sync_address(config, bits, sync);
	visit_cause(config, bits, sync);
	if (config->dialect == HWF_RISCV_V2)
		hwf_riscv_flag(bits, &sync->thaddr);
	else
		sync->thaddr = true;
	if (draft) {
		hwf_riscv_field(bits, &sync->tval, params->notval_p ? 0 : params->iaddress_width_p);
		return;
	}
	/* RISCV_IMPLICIT_EXCEPTION: the handler's address is left out, the exception's own never */
	if (!params->implicit_exception || !sync->thaddr)
		visit_sync_address(config, bits, sync);
	else
		sync->has_address = false;
	if (config->dialect == HWF_RISCV_V1 || !sync->interrupt)
		hwf_riscv_field(bits, &sync->tval, params->iaddress_width_p);
}

static void visit_support(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			  struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_support *support = &packet->u.support;

	hwf_riscv_flag(bits, &support->ienable);
	hwf_riscv_field8(bits, &support->encoder_mode, config->params.encoder_mode_width);
	hwf_riscv_field8(bits, &support->qual_status, 2);
	hwf_riscv_field32(bits, &support->ioptions, config->params.ioptions_width);
	if (config->dialect == HWF_RISCV_V1)
		return;
	hwf_riscv_flag(bits, &support->denable);
	hwf_riscv_flag(bits, &support->dloss);
	hwf_riscv_field32(bits, &support->doptions, config->params.doptions_width);
}

static void visit_te_support(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			     struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_support *support = &packet->u.support;
	uint32_t code = CONTROL_CODE << 2;
	uint8_t type = 0;

	/* msg_type 0, control_code, support_type 0 */
	hwf_riscv_field32(bits, &code, 8);
	hwf_riscv_field8(bits, &type, 4);
	hwf_riscv_flag(bits, &support->ienable);
	hwf_riscv_field8(bits, &support->encoder_mode, config->params.encoder_mode_width);
	hwf_riscv_field8(bits, &support->qual_status, 2);
	if (code != CONTROL_CODE << 2 || type || support->qual_status == HWF_RISCV_TRACE_LOST)
		bits->error = HWF_ERR_RESERVED;
}

/* struct row - one row of riscv_packets.def */
struct row {
	const char *name;
	void (*visit)(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
		      struct hwf_riscv_packet *packet);
	uint8_t dialects;
	uint8_t format;
	uint8_t sub;
};

static const struct row rows[] = {
#define P(name, dialects, format, sub, codec) {#name, visit_##codec, dialects, format, sub},
#include "hwflow/riscv_packets.def"
#undef P
};

const char *hwf_riscv_type_name(unsigned int type)
{
	static const char *const others[] = {
		"IDLE",
		"DATA",
		"BAD",
		"INCOMPLETE",
#define D(name) #name,
#include "hwflow/riscv_data.def"
#undef D
	};

	if (type < HWF_RISCV_TYPES)
		return rows[type].name;
	return type < HWF_RISCV_ALL_TYPES ? others[type - HWF_RISCV_TYPES] : "?";
}

/* Bits of the subformat behind this format */
static unsigned int sub_bits(const struct hwf_riscv_config *config, unsigned int format)
{
	if (format == 3)
		return 2;
	if (format == 0 && config->dialect != HWF_RISCV_DRAFT_026)
		return config->params.f0s_width_p;
	return 0;
}

/* The only subformat of format 0 there is, where it has no bits: by the options */
static uint8_t implied_sub(const struct hwf_riscv_config *config)
{
	return config->params.branch_prediction ? 0 : config->params.jump_target_cache ? 1 : NONE;
}

static bool is_possible(const struct hwf_riscv_config *config, unsigned int type)
{
	switch (type) {
	case HWF_RISCV_F0_COUNT:
		return config->params.branch_prediction;
	case HWF_RISCV_F0_CACHE:
		return config->params.jump_target_cache;
	default:
		return true;
	}
}

/* Which row the payload is; HWF_RISCV_TYPES for none (RISCV_RESERVED) */
static unsigned int find_row(const struct hwf_riscv_config *config, bool support,
			     struct hwf_riscv_bits *bits)
{
	uint8_t format = SUPPORT;
	uint8_t sub = NONE;

	if (!support) {
		hwf_riscv_field8(bits, &format, 2);
		if (sub_bits(config, format))
			hwf_riscv_field8(bits, &sub, sub_bits(config, format));
		else if (format == 0 && config->dialect != HWF_RISCV_DRAFT_026)
			sub = implied_sub(config);
	}
	for (unsigned int type = 0; type < HWF_RISCV_TYPES; type++)
		if (rows[type].format == format && rows[type].sub == sub &&
		    rows[type].dialects & dialect_bit(config) && is_possible(config, type))
			return type;
	return HWF_RISCV_TYPES;
}

/* All fields of a payload that was loaded; 0 or an error */
static int read_fields(const struct hwf_riscv_config *config, bool support,
		       struct hwf_riscv_bits *bits, struct hwf_riscv_packet *packet)
{
	const unsigned int type = find_row(config, support, bits);

	if (type == HWF_RISCV_TYPES)
		return HWF_ERR_RESERVED;
	*packet = (struct hwf_riscv_packet){.type = (uint8_t)type};
	rows[type].visit(config, bits, packet);
	return bits->error;
}

int hwf_riscv_decode(const struct hwf_riscv_config *config, bool support, const uint8_t *bytes,
		     size_t length, struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_packet result;
	struct hwf_riscv_bits bits;
	int err;

	if (!length || length > HWF_RISCV_MAX_PAYLOAD)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_riscv_load(&bits, bytes, length);
	err = read_fields(config, support, &bits, &result);
	if (err)
		return err;
	if (!hwf_riscv_is_padding(&bits, length))
		return HWF_ERR_BAD_PAYLOAD;
	*packet = result;
	return 0;
}

int hwf_riscv_decode_bare(const struct hwf_riscv_config *config, const uint8_t *bytes, size_t room,
			  struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_packet result;
	struct hwf_riscv_bits bits;
	unsigned int length;
	int err;

	if (!room)
		return HWF_ERR_NEED_MORE;
	hwf_riscv_load(&bits, bytes, room < HWF_RISCV_BITS_BYTES ? room : HWF_RISCV_BITS_BYTES);
	err = read_fields(config, false, &bits, &result);
	length = (bits.at + 7) / 8;
	if (length > room)
		return HWF_ERR_NEED_MORE;
	if (err)
		return err;
	*packet = result;
	return (int)length;
}

int hwf_riscv_encode(const struct hwf_riscv_config *config, const struct hwf_riscv_packet *packet,
		     uint8_t *bytes, size_t room)
{
	struct hwf_riscv_packet copy = *packet;
	struct hwf_riscv_bits bits = {.write = true};
	const struct row *row;

	if (packet->type >= HWF_RISCV_TYPES || !is_possible(config, packet->type))
		return HWF_ERR_RESERVED;
	row = &rows[packet->type];
	if (!(row->dialects & dialect_bit(config)))
		return HWF_ERR_RESERVED;
	if (row->format != SUPPORT) {
		uint8_t format = row->format;
		uint8_t sub = row->sub;

		hwf_riscv_field8(&bits, &format, 2);
		if (sub_bits(config, format))
			hwf_riscv_field8(&bits, &sub, sub_bits(config, format));
	}
	row->visit(config, &bits, &copy);
	return hwf_riscv_store(&bits, bytes, room);
}
