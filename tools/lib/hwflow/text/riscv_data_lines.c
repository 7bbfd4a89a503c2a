/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Fields of packets of RISC-V data trace */
#include "text/lines.h"

/* What a value is: by the field that says so, and whether it has 1 bit */
enum meaning {
	FULL,
	XOR,
	DIFFERENCE,
	COMPRESSED, /* in the only way that the encoder has */
};

static const char *const suffixes[] = {"", "-xor", "-diff", "-compressed"};

/* With a minus sign where it is a difference below 0; @width bits, up to 128 */
static void put_value(struct hwf_text *out, const char *name, enum meaning meaning,
		      const uint64_t value[2], unsigned int width)
{
	uint64_t low = value[0], high = value[1];
	const bool minus =
		meaning == DIFFERENCE && (width > 64 ? high : low) >> (width - 1) % 64 & 1;

	if (minus) {
		low = -low;
		high = ~high + (low == 0);
		if (width <= 64)
			high = 0;
		if (width < 64)
			low &= (UINT64_C(1) << width) - 1;
	}
	hwf_put_named_string(out, " ", name);
	hwf_put_string(out, suffixes[meaning]);
	hwf_put_named_string(out, "=", minus ? "-" : "");
	hwf_put_string(out, "0x");
	if (high) {
		hwf_put_hex(out, high);
		hwf_put_hex_zeros(out, low, 16);
	} else
		hwf_put_hex(out, low);
}

/* Values of packets that have an address, too, have 2 bits of diff for both. */
static enum meaning meaning_of_values(const struct hwf_riscv_config *config,
				      const struct hwf_riscv_packet *packet)
{
	static const enum meaning by_diff[] = {FULL, XOR, FULL, DIFFERENCE};
	static const enum meaning by_resp[] = {FULL, XOR, FULL, DIFFERENCE};
	const struct hwf_riscv_data *data = &packet->u.data;

	if (packet->type == HWF_RISCV_LOAD_DATA || packet->type == HWF_RISCV_ATOMIC_DATA)
		return by_resp[data->resp & 3];
	if (config->params.ddiff_width == 1 &&
	    (!data->has_address || packet->type == HWF_RISCV_CSR))
		return data->diff ? COMPRESSED : FULL;
	return by_diff[data->diff & 3];
}

/* Of a CSR the number is there in full, whatever diff says. */
static void put_address(struct hwf_text *out, const struct hwf_riscv_config *config,
			const struct hwf_riscv_packet *packet)
{
	const struct hwf_riscv_data *data = &packet->u.data;
	const unsigned int width = config->params.daddress_width_p;
	const unsigned int shift = data->unaligned ? 0 : data->size;
	uint64_t address = data->address;
	bool minus;

	if (packet->type == HWF_RISCV_CSR) {
		hwf_put_named_hex(out, " csr=0x", address);
		return;
	}
	minus = data->diff && address >> (width - 1) & 1;
	if (minus)
		address = width < 64 ? (UINT64_C(1) << width) - address : -address;
	hwf_put_named_string(out, " addr", data->diff ? "-diff" : "");
	hwf_put_named_string(out, "=", minus ? "-" : "");
	hwf_put_named_hex(out, "0x", address << shift);
}

static void put_op(struct hwf_text *out, const struct hwf_riscv_packet *packet)
{
	static const char *const atomics[] = {"swap", "add", "and",           "or",         "xor",
					      "max",  "min", "store-failure", "cas-failure"};
	static const char *const csrs[] = {"rw", "rs", "rc"};

	hwf_put_named_string(out, " op=",
			     packet->type == HWF_RISCV_CSR ? csrs[packet->u.data.op]
							   : atomics[packet->u.data.op]);
}

static void put_head(struct hwf_text *out, const struct hwf_riscv_config *config,
		     const struct hwf_riscv_packet *packet)
{
	static const char *const resps[] = {"error", "xor", "full", "diff"};
	const struct hwf_riscv_data *data = &packet->u.data;
	const bool plain = packet->type == HWF_RISCV_LOAD || packet->type == HWF_RISCV_STORE;
	const bool lrid = packet->type == HWF_RISCV_LOAD ||
			  (packet->type == HWF_RISCV_ATOMIC && !config->params.nodata);
	const bool second =
		packet->type == HWF_RISCV_LOAD_DATA || packet->type == HWF_RISCV_ATOMIC_DATA;

	if (packet->type == HWF_RISCV_ATOMIC || packet->type == HWF_RISCV_CSR)
		put_op(out, packet);
	if (packet->type != HWF_RISCV_CSR)
		hwf_put_named_decimal(out, " size=", 1u << data->size);
	if (plain)
		hwf_put_named_decimal(out, " unaligned=", data->unaligned);
	if (plain && config->params.mmacas)
		hwf_put_named_decimal(out, " multi=", data->multi);
	if (config->params.lrid_width_p && (lrid || second))
		hwf_put_named_decimal(out, " lrid=", data->lrid);
	if (second)
		hwf_put_named_string(out, " resp=", resps[data->resp & 3]);
	else
		hwf_put_named_decimal(out, " diff=", data->diff);
}

static unsigned int bits_of(const struct hwf_riscv_config *config,
			    const struct hwf_riscv_packet *packet, uint8_t length)
{
	if (!length)
		return config->params.data_width_p;
	if (packet->type == HWF_RISCV_CSR)
		return config->params.iaddress_width_p > 32 ? 64 : 32;
	return 8u << packet->u.data.size;
}

void hwf_put_riscv_data(struct hwf_text *out, const struct hwf_riscv_config *config,
			const struct hwf_riscv_packet *packet)
{
	const struct hwf_riscv_data *data = &packet->u.data;
	const enum meaning meaning = meaning_of_values(config, packet);

	put_head(out, config, packet);
	if (data->has_operand) {
		if (data->op_len)
			hwf_put_named_decimal(out, " op_len=", data->op_len);
		put_value(out, "operand", meaning, data->operand,
			  bits_of(config, packet, data->op_len));
	}
	if (data->has_data) {
		if (data->data_len)
			hwf_put_named_decimal(out, " data_len=", data->data_len);
		put_value(out, "data", meaning, data->data,
			  bits_of(config, packet, data->data_len));
	}
	if (data->has_address)
		put_address(out, config, packet);
}
