/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Discovery of a RISC-V trace encoder's parameters at run time (section 3.1.4 of Processor Trace
 * 0.026; "Discovery of encoder parameters" of ratified E-Trace): the attributes, as a packet and as
 * registers. Neither text gives the packet a layout, and only the ratified one has an example of
 * registers.
 */
#ifndef HWFLOW_TE_DISCOVERY_H
#define HWFLOW_TE_DISCOVERY_H

#include "hwflow/te_filter.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** enum hwf_te_attribute - attributes, from te_attributes.def, in the order of the packet */
enum hwf_te_attribute {
#define A(name, dialects, bits, draft_less, ratified_less) HWF_TE_A_##name,
#include "hwflow/te_attributes.def"
#undef A
	HWF_TE_ATTRIBUTES,
};

/**
 * struct hwf_te_description - all that is known of an encoder
 * @dialect: enum hwf_riscv_dialect
 * @params: of its packets
 * @port: of its port
 * @filters: of its filters; all zero where it has none
 * @version: of the module, 0 to 15
 * @minor_revision: likewise
 */
struct hwf_te_description {
	uint8_t dialect;
	struct hwf_riscv_params params;
	struct hwf_te_port_params port;
	struct hwf_te_filter_params filters;
	uint8_t version;
	uint8_t minor_revision;
};

/** hwf_te_attribute_name() - name of an attribute, as both texts have it; NULL for none */
const char *hwf_te_attribute_name(unsigned int attribute);

/** hwf_te_attribute_exists() - does the dialect have it? */
bool hwf_te_attribute_exists(enum hwf_riscv_dialect dialect, unsigned int attribute);

/**
 * hwf_te_describe() - the value of an attribute
 * @description: of the encoder
 * @attribute: enum hwf_te_attribute
 * @value: receives it, as discovery gives it: of widths and numbers, most of them, one less
 *
 * Return: 0; HWF_ERR_RESERVED for an attribute that the dialect does not have; HWF_ERR_BAD_CONFIG
 * for a parameter that cannot be told: no comparators or filters at all, or, in ratified E-Trace,
 * an iaddress_lsb_p of 0.
 */
int hwf_te_describe(const struct hwf_te_description *description, unsigned int attribute,
		    uint32_t *value);

/** HWF_TE_DISCOVERY_BYTES - room for a packet's payload, and bytes of the registers */
#define HWF_TE_DISCOVERY_BYTES 24

/**
 * hwf_te_discovery_encode() - the packet's payload
 * @description: of the encoder
 * @bytes: receives it: all attributes of the dialect in order, each in the bits of its row, the
 *	first one lowest. It is not compressed: a reader that does not know the widths yet has to
 * find them
 * @room: bytes there
 *
 * Return: bytes written, HWF_ERR_NO_SPACE, or as hwf_te_describe().
 */
int hwf_te_discovery_encode(const struct hwf_te_description *description, uint8_t *bytes,
			    size_t room);

/**
 * hwf_te_discovery_decode() - read a packet's payload
 * @dialect: of the encoder
 * @bytes: the payload
 * @length: how long
 * @description: receives it; what discovery does not tell is zero
 *
 * Return: 0; HWF_ERR_BAD_PAYLOAD for another length, or values that no encoder has.
 */
int hwf_te_discovery_decode(enum hwf_riscv_dialect dialect, const uint8_t *bytes, size_t length,
			    struct hwf_te_description *description);

/**
 * hwf_te_discovery_register() - the registers
 * @description: of the encoder
 * @offset: of a register of 32 bits: 0, 4, 8, ...
 * @value: receives it: read only, and 0 above the attributes
 *
 * The attributes stand as in the packet, but none crosses a register.
 *
 * Return: as hwf_te_describe(); HWF_ERR_RESERVED for an offset that is not one of them.
 */
int hwf_te_discovery_register(const struct hwf_te_description *description, unsigned int offset,
			      uint32_t *value);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_TE_DISCOVERY_H */
