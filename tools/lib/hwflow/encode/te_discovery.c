/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Discovery of a RISC-V trace encoder's parameters (RISCV_DISCOVERY): attributes, packet and
 * registers.
 */
#include <string.h>

#include "hwflow/te_discovery.h"

#define DRAFT    1u
#define RATIFIED 2u
#define BOTH     (DRAFT | RATIFIED)

/* what the port always has here: blocks that end with 2, 4 or 8 bytes; all types of context */
#define ILASTSIZE_WIDTH    2
#define CONTEXT_TYPE_WIDTH 2

static const struct {
	const char *name;
	uint8_t dialects;
	uint8_t bits;
	uint8_t less[2]; /* of the draft, ratified */
} rows[] = {
#define A(name, dialects, bits, draft_less, ratified_less) \
	{#name, dialects, bits, {draft_less, ratified_less}},
#include "hwflow/te_attributes.def"
#undef A
};

const char *hwf_te_attribute_name(unsigned int attribute)
{
	return attribute < HWF_TE_ATTRIBUTES ? rows[attribute].name : NULL;
}

bool hwf_te_attribute_exists(enum hwf_riscv_dialect dialect, unsigned int attribute)
{
	return attribute < HWF_TE_ATTRIBUTES &&
	       (rows[attribute].dialects & (dialect == HWF_RISCV_DRAFT_026 ? DRAFT : RATIFIED));
}

static unsigned int te_less(unsigned int dialect, unsigned int attribute)
{
	return rows[attribute].less[dialect != HWF_RISCV_DRAFT_026];
}

/* struct te_parameter - where the parameter of an attribute is; NULL: it has no place of its own */
static uint8_t *te_parameter(struct hwf_te_description *d, unsigned int attribute)
{
	switch (attribute) {
	case HWF_TE_A_version:
		return &d->version;
	case HWF_TE_A_minor_revision:
		return &d->minor_revision;
	case HWF_TE_A_comparators:
		return &d->filters.comparators;
	case HWF_TE_A_filters:
		return &d->filters.filters;
	case HWF_TE_A_context_width:
		return &d->params.context_width_p;
	case HWF_TE_A_time_width:
		return &d->params.time_width_p;
	case HWF_TE_A_ecause_width:
		return &d->params.ecause_width_p;
	case HWF_TE_A_ecause_choice:
		return &d->filters.ecause_choice_p;
	case HWF_TE_A_filter_ecause:
	case HWF_TE_A_filter_excint:
		return &d->filters.filter_ecause_p;
	case HWF_TE_A_iaddress_lsb:
		return &d->params.iaddress_lsb_p;
	case HWF_TE_A_iaddress_width:
		return &d->params.iaddress_width_p;
	case HWF_TE_A_nocontext:
		return &d->params.nocontext_p;
	case HWF_TE_A_notval:
		return &d->params.notval_p;
	case HWF_TE_A_privilege_width:
		return &d->params.privilege_width_p;
	case HWF_TE_A_itype_width:
		return &d->params.itype_width_p;
	case HWF_TE_A_iretire_width:
		return &d->port.iretire_width_p;
	case HWF_TE_A_ntkn_width:
		return &d->port.ntkn_width_p;
	case HWF_TE_A_taken_branches:
		return &d->port.taken_branches_p;
	case HWF_TE_A_bpred_size:
		return &d->params.bpred_size_p;
	case HWF_TE_A_cache_size:
		return &d->params.cache_size_p;
	case HWF_TE_A_call_counter_size:
		return &d->params.call_counter_size_p;
	case HWF_TE_A_return_stack_size:
		return &d->params.return_stack_size_p;
	case HWF_TE_A_f0s_width:
		return &d->params.f0s_width_p;
	case HWF_TE_A_sijump:
		return &d->params.sijump_p;
	default:
		return NULL;
	}
}

static uint32_t te_other(const struct hwf_te_description *d, unsigned int attribute)
{
	switch (attribute) {
	case HWF_TE_A_filter_context:
		return d->filters.filter_context_p;
	case HWF_TE_A_filter_interrupt:
		return d->filters.filter_interrupt_p;
	case HWF_TE_A_filter_privilege:
		return d->filters.filter_privilege_p;
	case HWF_TE_A_filter_tval:
		return d->filters.filter_tval_p;
	case HWF_TE_A_notime:
		return !d->params.time_width_p;
	case HWF_TE_A_rv32:
		return !(d->port.isa & HWF_RV_64);
	case HWF_TE_A_ilastsize_width:
		return ILASTSIZE_WIDTH;
	case HWF_TE_A_context_type_width:
	case HWF_TE_A_ctype_width:
		return CONTEXT_TYPE_WIDTH;
	default: /* arch: of the version that was ratified; filter_time: there is none */
		return 0;
	}
}

static void te_set_other(struct hwf_te_description *d, unsigned int attribute, uint32_t value)
{
	switch (attribute) {
	case HWF_TE_A_filter_context:
		d->filters.filter_context_p = value;
		break;
	case HWF_TE_A_filter_interrupt:
		d->filters.filter_interrupt_p = value;
		break;
	case HWF_TE_A_filter_privilege:
		d->filters.filter_privilege_p = value;
		break;
	case HWF_TE_A_filter_tval:
		d->filters.filter_tval_p = value;
		break;
	case HWF_TE_A_notime:
		if (value)
			d->params.time_width_p = 0;
		break;
	case HWF_TE_A_rv32:
		d->port.isa = value ? 0 : HWF_RV_64;
		break;
	}
}

/* The width of a bus that is ignored: none has to be there. */
static bool te_is_ignored(const struct hwf_te_description *d, unsigned int attribute)
{
	return (attribute == HWF_TE_A_context_width && d->params.nocontext_p) ||
	       (attribute == HWF_TE_A_time_width && !d->params.time_width_p);
}

int hwf_te_describe(const struct hwf_te_description *description, unsigned int attribute,
		    uint32_t *value)
{
	struct hwf_te_description copy = *description;
	unsigned int dialect = description->dialect;
	const uint8_t *parameter;
	uint32_t raw;

	if (!hwf_te_attribute_exists((enum hwf_riscv_dialect)dialect, attribute))
		return HWF_ERR_RESERVED;
	parameter = te_parameter(&copy, attribute);
	raw = parameter ? *parameter : te_other(&copy, attribute);
	if (raw < te_less(dialect, attribute) && te_is_ignored(description, attribute))
		raw = te_less(dialect, attribute);
	if (raw < te_less(dialect, attribute))
		return HWF_ERR_BAD_CONFIG;
	raw -= te_less(dialect, attribute);
	if (raw >> rows[attribute].bits)
		return HWF_ERR_BAD_CONFIG;
	*value = raw;
	return 0;
}

static unsigned int te_all_bits(enum hwf_riscv_dialect dialect)
{
	unsigned int bits = 0;

	for (unsigned int i = 0; i < HWF_TE_ATTRIBUTES; i++)
		if (hwf_te_attribute_exists(dialect, i))
			bits += rows[i].bits;
	return bits;
}

int hwf_te_discovery_encode(const struct hwf_te_description *description, uint8_t *bytes,
			    size_t room)
{
	enum hwf_riscv_dialect dialect = (enum hwf_riscv_dialect)description->dialect;
	uint8_t result[HWF_TE_DISCOVERY_BYTES] = {0};
	unsigned int length = (te_all_bits(dialect) + 7) / 8;
	unsigned int at = 0;

	if (room < length)
		return HWF_ERR_NO_SPACE;
	for (unsigned int i = 0; i < HWF_TE_ATTRIBUTES; i++) {
		uint32_t value;
		int err;

		if (!hwf_te_attribute_exists(dialect, i))
			continue;
		err = hwf_te_describe(description, i, &value);
		if (err)
			return err;
		for (unsigned int bit = 0; bit < rows[i].bits; bit++, at++)
			result[at / 8] |= (uint8_t)((value >> bit & 1) << at % 8);
	}
	memcpy(bytes, result, length);
	return (int)length;
}

/* Put the value of an attribute where it belongs; what is not sent is already zero. */
static void te_set(struct hwf_te_description *description, unsigned int attribute, uint32_t value)
{
	uint8_t *parameter = te_parameter(description, attribute);

	value += te_less(description->dialect, attribute);
	if (parameter)
		*parameter = (uint8_t)value;
	else
		te_set_other(description, attribute, value);
}

static bool te_is_possible(const struct hwf_te_description *description)
{
	struct hwf_riscv_config config;

	return !hwf_riscv_config_init(&config, (enum hwf_riscv_dialect)description->dialect,
				      &description->params);
}

int hwf_te_discovery_decode(enum hwf_riscv_dialect dialect, const uint8_t *bytes, size_t length,
			    struct hwf_te_description *description)
{
	struct hwf_te_description result = {.dialect = (uint8_t)dialect};
	unsigned int at = 0;

	if (dialect > HWF_RISCV_V2 || length != (te_all_bits(dialect) + 7) / 8)
		return HWF_ERR_BAD_PAYLOAD;
	result.port.dialect = (uint8_t)dialect;
	for (unsigned int i = 0; i < HWF_TE_ATTRIBUTES; i++) {
		uint32_t value = 0;

		if (!hwf_te_attribute_exists(dialect, i))
			continue;
		for (unsigned int bit = 0; bit < rows[i].bits; bit++, at++)
			value |= (uint32_t)(bytes[at / 8] >> at % 8 & 1) << bit;
		te_set(&result, i, value);
	}
	for (; at < 8 * length; at++)
		if (bytes[at / 8] >> at % 8 & 1)
			return HWF_ERR_BAD_PAYLOAD;
	result.port.itype_width_p = result.params.itype_width_p;
	if (result.params.nocontext_p)
		result.params.context_width_p = 0;
	if (!te_is_possible(&result))
		return HWF_ERR_BAD_PAYLOAD;
	*description = result;
	return 0;
}

int hwf_te_discovery_register(const struct hwf_te_description *description, unsigned int offset,
			      uint32_t *value)
{
	enum hwf_riscv_dialect dialect = (enum hwf_riscv_dialect)description->dialect;
	unsigned int number = 0, at = 0;
	uint32_t result = 0;

	if (offset % 4 || offset >= HWF_TE_DISCOVERY_BYTES)
		return HWF_ERR_RESERVED;
	for (unsigned int i = 0; i < HWF_TE_ATTRIBUTES; i++) {
		uint32_t one;
		int err;

		if (!hwf_te_attribute_exists(dialect, i))
			continue;
		if (at + rows[i].bits > 32) {
			number++;
			at = 0;
		}
		err = hwf_te_describe(description, i, &one);
		if (err)
			return err;
		if (number == offset / 4)
			result |= one << at;
		at += rows[i].bits;
	}
	*value = result;
	return 0;
}
