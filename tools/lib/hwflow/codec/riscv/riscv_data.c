/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Payloads of data trace (RISCV_DATA): the fields of each packet in their order, for reading and
 * for writing. The packets of 2.0 and those of its extension differ in how they begin only
 * (RISCV_DATA_FORMATS).
 */
#include "codec/riscv/riscv_bits.h"

/* What the first three bits of 2.0 mean; unaligned where the lowest one is set */
static const uint8_t formats[] = {HWF_RISCV_LOAD,   HWF_RISCV_LOAD,       HWF_RISCV_STORE,
				  HWF_RISCV_STORE,  HWF_RISCV_LOAD_DATA,  HWF_RISCV_CSR,
				  HWF_RISCV_ATOMIC, HWF_RISCV_ATOMIC_DATA};

/* Codes of the extension: its formats, and the subformats of atomics and CSRs */
#define MULTI       1u
#define ATOMIC_CSR  2u
#define SECOND      3u
#define CSR_BIT     0x4u
#define ATOMIC_BIT  0x8u
#define CAS_FAILURE 0x7u

static bool is_split(const struct hwf_riscv_config *config)
{
	return config->params.lrid_width_p != 0;
}

static unsigned int log2_of(unsigned int value)
{
	unsigned int log2 = 0;

	while (1u << log2 < value)
		log2++;
	return log2;
}

/* Bits of the field size: of all sizes up to that of the data bus */
static unsigned int size_bits(const struct hwf_riscv_config *config)
{
	const unsigned int bits = log2_of(log2_of(config->params.data_width_p / 8u + 1));

	return bits ? bits : 1;
}

/* Registers have the width of addresses: 4 or 8 bytes */
static unsigned int csr_log2(const struct hwf_riscv_config *config)
{
	return config->params.iaddress_width_p > 32 ? 3 : 2;
}

/* The code of a load or store: 2 bits, and what is split has another meaning, but the same code */
static uint8_t plain_code(const struct hwf_riscv_packet *packet)
{
	return (uint8_t)((packet->type == HWF_RISCV_STORE ? 2 : 0) | packet->u.data.unaligned);
}

static void visit_op(struct hwf_riscv_bits *bits, struct hwf_riscv_packet *packet)
{
	hwf_riscv_field8(bits, &packet->u.data.op, packet->type == HWF_RISCV_CSR ? 2 : 3);
}

/* How a packet of 2.0 begins: two bits, where there are but loads and stores, else three */
static void visit_format(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			 struct hwf_riscv_packet *packet)
{
	const unsigned int width = config->params.dtype_width_p == 1 && !is_split(config) ? 2 : 3;
	uint8_t code = plain_code(packet);

	if (bits->write && packet->type != HWF_RISCV_LOAD && packet->type != HWF_RISCV_STORE)
		for (code = 4; formats[code] != packet->type;)
			code++;
	hwf_riscv_field8(bits, &code, width);
	if (!bits->write) {
		packet->type = formats[code];
		packet->u.data.unaligned = code < 4 && code & 1;
	}
	if (packet->type == HWF_RISCV_ATOMIC || packet->type == HWF_RISCV_CSR)
		visit_op(bits, packet);
	if (packet->u.data.multi)
		bits->error = HWF_ERR_RESERVED;
}

/* The 4 bits behind format 2 of the extension */
static void visit_extended_op(struct hwf_riscv_bits *bits, struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_data *data = &packet->u.data;
	const bool csr = packet->type == HWF_RISCV_CSR;
	uint8_t code = (uint8_t)((csr ? CSR_BIT : ATOMIC_BIT) | data->op);

	if (bits->write && (csr ? data->op > HWF_RISCV_RC : data->op > HWF_RISCV_CAS_FAILURE))
		bits->error = HWF_ERR_RESERVED;
	if (bits->write && !csr && data->op == HWF_RISCV_CAS_FAILURE)
		code = CAS_FAILURE;
	hwf_riscv_field8(bits, &code, 4);
	if (bits->write)
		return;
	if (code < CSR_BIT)
		bits->error = HWF_ERR_RESERVED;
	packet->type = code & ATOMIC_BIT || code == CAS_FAILURE ? HWF_RISCV_ATOMIC : HWF_RISCV_CSR;
	data->op = code == CAS_FAILURE ? HWF_RISCV_CAS_FAILURE
		   : code & ATOMIC_BIT ? code & 0x7u
				       : code & 0x3u;
}

/* How a packet of the extension begins: as many bits of format as it takes to tell them apart */
static void visit_extended_format(const struct hwf_riscv_config *config,
				  struct hwf_riscv_bits *bits, struct hwf_riscv_packet *packet)
{
	const unsigned int width = is_split(config) ? 2 : log2_of(config->params.dtype_width_p);
	uint8_t format = 0;
	uint8_t code = plain_code(packet);

	if (packet->type == HWF_RISCV_LOAD || packet->type == HWF_RISCV_STORE)
		format = packet->u.data.multi ? MULTI : 0;
	else
		format = packet->type == HWF_RISCV_LOAD_DATA ? SECOND : ATOMIC_CSR;
	hwf_riscv_field8(bits, &format, width);
	if (format == ATOMIC_CSR) {
		visit_extended_op(bits, packet);
		return;
	}
	if (format == SECOND) {
		packet->type = HWF_RISCV_LOAD_DATA;
		return;
	}
	hwf_riscv_field8(bits, &code, 2);
	packet->type = code & 2 ? HWF_RISCV_STORE : HWF_RISCV_LOAD;
	packet->u.data.unaligned = code & 1;
	packet->u.data.multi = format == MULTI;
}

/* Bytes of an access: no more than the bus has */
static void visit_size(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
		       struct hwf_riscv_data *data)
{
	hwf_riscv_field8(bits, &data->size, size_bits(config));
	if (data->size > 4 || 8u << data->size > config->params.data_width_p)
		bits->error = HWF_ERR_BAD_PAYLOAD;
}

static void visit_lrid(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
		       struct hwf_riscv_data *data)
{
	hwf_riscv_field32(bits, &data->lrid, config->params.lrid_width_p);
}

static void visit_address(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			  struct hwf_riscv_data *data)
{
	data->has_address = true;
	hwf_riscv_field(bits, &data->address, config->params.daddress_width_p);
}

/* The diff of packets that have no address: code 2 says nothing there */
static void visit_value_diff(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			     struct hwf_riscv_data *data)
{
	hwf_riscv_field8(bits, &data->diff, config->params.ddiff_width);
	if (data->diff == HWF_RISCV_DIFF_ADDR)
		bits->error = HWF_ERR_RESERVED;
}

/* The low @width bits of @value, 1 to 128 */
static void cut(uint64_t value[2], unsigned int width)
{
	if (width < 128)
		value[1] &= width > 64 ? UINT64_MAX >> (128 - width) : 0;
	if (width < 64)
		value[0] &= UINT64_MAX >> (64 - width);
}

/* @value of @width bits, sign-extended to @wide ones */
static void extend(uint64_t value[2], unsigned int width, unsigned int wide)
{
	const unsigned int sign = width - 1;

	if (value[sign / 64] >> sign % 64 & 1) {
		if (width < 64)
			value[0] |= UINT64_MAX << width;
		if (width <= 64)
			value[1] = UINT64_MAX;
		else if (width < 128)
			value[1] |= UINT64_MAX << (width - 64);
	}
	cut(value, wide);
}

static void visit_value(struct hwf_riscv_bits *bits, uint64_t value[2], unsigned int width)
{
	hwf_riscv_field(bits, &value[0], width < 64 ? width : 64);
	hwf_riscv_field(bits, &value[1], width < 64 ? 0 : width - 64);
}

/* Bytes that @value of 1 << @log2 bytes can be extended from, as few as there can be */
static uint8_t fewest(const uint64_t value[2], unsigned int log2)
{
	uint64_t copy[2];
	uint8_t bytes = 0;

	do {
		bytes++;
		copy[0] = value[0];
		copy[1] = value[1];
		cut(copy, 8u * bytes);
		extend(copy, 8u * bytes, 8u << log2);
	} while (bytes < 1u << log2 && (copy[0] != value[0] || copy[1] != value[1]));
	return bytes;
}

/* A value of 1 << @log2 bytes behind the number of its bytes, less one (RISCV_DATA_LENGTH) */
static void visit_sized(struct hwf_riscv_bits *bits, uint64_t value[2], uint8_t *bytes,
			unsigned int log2)
{
	uint8_t code;

	if (bits->write) {
		const uint8_t least = fewest(value, log2);

		if (!*bytes)
			*bytes = least;
		/* one that is wider than the access, too */
		if (*bytes < least || (log2 < 3 && value[0] >> (8u << log2)) ||
		    (log2 < 4 && value[1]))
			bits->error = HWF_ERR_BAD_PAYLOAD;
		cut(value, 8u * *bytes);
	}
	code = (uint8_t)(*bytes - 1);
	hwf_riscv_field8(bits, &code, log2);
	*bytes = (uint8_t)(code + 1);
	if (bits->error)
		return;
	visit_value(bits, value, 8u * *bytes);
	extend(value, 8u * *bytes, 8u << log2);
}

static void visit_data(struct hwf_riscv_bits *bits, struct hwf_riscv_data *data, unsigned int log2)
{
	data->has_data = true;
	visit_sized(bits, data->data, &data->data_len, log2);
}

static void visit_operand(struct hwf_riscv_bits *bits, struct hwf_riscv_data *data,
			  unsigned int log2)
{
	data->has_operand = true;
	visit_sized(bits, data->operand, &data->op_len, log2);
}

/* The last field of a packet without address: all of the bus */
static void visit_bus(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
		      uint64_t value[2], bool *has)
{
	*has = true;
	visit_value(bits, value, config->params.data_width_p);
}

/* 2.0, Load and Store */
static void visit_plain(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_data *data = &packet->u.data;
	const bool request = is_split(config) && packet->type == HWF_RISCV_LOAD;

	visit_size(config, bits, data);
	if (bits->error)
		return;
	if (request)
		visit_lrid(config, bits, data);
	if (request || config->params.nodata) {
		hwf_riscv_field8(bits, &data->diff, 1);
		visit_address(config, bits, data);
	} else if (config->params.noaddr) {
		visit_value_diff(config, bits, data);
		visit_bus(config, bits, data->data, &data->has_data);
	} else {
		hwf_riscv_field8(bits, &data->diff, 2);
		visit_data(bits, data, data->size);
		visit_address(config, bits, data);
	}
}

/* 2.0, Atomic, split: the request, with the operand */
static void visit_request(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			  struct hwf_riscv_data *data)
{
	visit_lrid(config, bits, data);
	if (config->params.noaddr) {
		visit_value_diff(config, bits, data);
		visit_bus(config, bits, data->operand, &data->has_operand);
		return;
	}
	hwf_riscv_field8(bits, &data->diff, 2);
	visit_operand(bits, data, data->size);
	visit_address(config, bits, data);
}

/* Has this form of the packet this operation? What fails to store has no values. */
static bool has_op(const struct hwf_riscv_config *config, uint8_t op)
{
	const struct hwf_riscv_params *params = &config->params;

	if (op == HWF_RISCV_STORE_FAILURE)
		return params->nodata;
	if (op == HWF_RISCV_CAS_FAILURE)
		return (params->nodata || (!params->noaddr && !is_split(config)));
	return op < HWF_RISCV_STORE_FAILURE;
}

/* 2.0, Atomic */
static void visit_atomic(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			 struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_data *data = &packet->u.data;

	if (!has_op(config, data->op))
		bits->error = HWF_ERR_RESERVED;
	visit_size(config, bits, data);
	if (bits->error)
		return;
	if (config->params.nodata) {
		hwf_riscv_field8(bits, &data->diff, 1);
		visit_address(config, bits, data);
	} else if (is_split(config)) {
		visit_request(config, bits, data);
	} else if (config->params.noaddr) {
		visit_value_diff(config, bits, data);
		visit_operand(bits, data, data->size);
		visit_bus(config, bits, data->data, &data->has_data);
	} else {
		hwf_riscv_field8(bits, &data->diff, 2);
		visit_operand(bits, data, data->size);
		if (data->op != HWF_RISCV_CAS_FAILURE)
			visit_data(bits, data, data->size);
		visit_address(config, bits, data);
	}
}

/* 2.0, CSR: the number in two parts, of which 0xc00 and up are read only and have no operand */
static void visit_csr(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
		      struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_data *data = &packet->u.data;
	const unsigned int log2 = csr_log2(config);
	uint64_t high = data->address >> 6;
	uint64_t low = data->address & 0x3f;

	if (data->op > HWF_RISCV_RC)
		bits->error = HWF_ERR_RESERVED;
	if (config->params.nodata) {
		hwf_riscv_field8(bits, &data->diff, 1);
		hwf_riscv_field(bits, &high, 6);
	} else {
		visit_value_diff(config, bits, data);
		visit_data(bits, data, log2);
		hwf_riscv_field(bits, &high, 6);
		if (high < 0x30)
			visit_operand(bits, data, log2);
	}
	hwf_riscv_field(bits, &low, 6);
	data->address = high << 6 | low;
	data->has_address = true;
}

/* 2.0, Split load - Data phase, of atomics as well */
static void visit_load_data(const struct hwf_riscv_config *config, struct hwf_riscv_bits *bits,
			    struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_data *data = &packet->u.data;

	visit_size(config, bits, data);
	visit_lrid(config, bits, data);
	hwf_riscv_field8(bits, &data->resp, 2);
	if (data->resp != HWF_RISCV_RESP_ERROR)
		visit_bus(config, bits, data->data, &data->has_data);
}

/*
 * 2.0 as it was ratified, Split atomic data: the size is that of the request. Later text has
 * LOAD_DATA for both.
 */
static void visit_atomic_data(const struct hwf_riscv_config *config,
			      const struct hwf_riscv_requests *requests,
			      struct hwf_riscv_bits *bits, struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_data *data = &packet->u.data;

	visit_lrid(config, bits, data);
	if (!bits->write && (!requests || !requests->size[data->lrid])) {
		bits->error = HWF_ERR_NO_SYNC;
		return;
	}
	if (!bits->write)
		data->size = (uint8_t)(requests->size[data->lrid] - 1);
	if (data->size > 4 || 8u << data->size > config->params.data_width_p)
		bits->error = HWF_ERR_BAD_PAYLOAD;
	hwf_riscv_field8(bits, &data->resp, 2);
	if (data->resp != HWF_RISCV_RESP_ERROR && !bits->error)
		visit_data(bits, data, data->size);
}

/* All fields; the error is in @bits. */
static void visit_packet(const struct hwf_riscv_config *config,
			 const struct hwf_riscv_requests *requests, struct hwf_riscv_bits *bits,
			 struct hwf_riscv_packet *packet)
{
	if (config->params.mmacas)
		visit_extended_format(config, bits, packet);
	else
		visit_format(config, bits, packet);
	if (bits->error)
		return;
	switch (packet->type) {
	case HWF_RISCV_LOAD:
	case HWF_RISCV_STORE:
		visit_plain(config, bits, packet);
		break;
	case HWF_RISCV_ATOMIC:
		visit_atomic(config, bits, packet);
		break;
	case HWF_RISCV_CSR:
		visit_csr(config, bits, packet);
		break;
	case HWF_RISCV_LOAD_DATA:
		visit_load_data(config, bits, packet);
		break;
	default:
		visit_atomic_data(config, requests, bits, packet);
		break;
	}
}

/* Has the encoder such packets at all? */
static bool is_possible(const struct hwf_riscv_config *config, unsigned int type)
{
	const struct hwf_riscv_params *params = &config->params;

	switch (type) {
	case HWF_RISCV_LOAD:
	case HWF_RISCV_STORE:
		return true;
	case HWF_RISCV_ATOMIC:
	case HWF_RISCV_CSR:
		return params->dtype_width_p > 2;
	case HWF_RISCV_LOAD_DATA:
		return is_split(config);
	case HWF_RISCV_ATOMIC_DATA:
		return is_split(config) && !params->mmacas;
	default:
		return false;
	}
}

int hwf_riscv_data_decode(const struct hwf_riscv_config *config,
			  const struct hwf_riscv_requests *requests, const uint8_t *bytes,
			  size_t length, struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_packet result = {.type = HWF_RISCV_LOAD};
	struct hwf_riscv_bits bits;

	if (!length || length > HWF_RISCV_MAX_PAYLOAD || !config->params.data_width_p)
		return HWF_ERR_BAD_PAYLOAD;
	hwf_riscv_load(&bits, bytes, length);
	visit_packet(config, requests, &bits, &result);
	if (!is_possible(config, result.type))
		return HWF_ERR_RESERVED;
	if (bits.error)
		return bits.error;
	if (!hwf_riscv_is_padding(&bits, length))
		return HWF_ERR_BAD_PAYLOAD;
	*packet = result;
	return 0;
}

void hwf_riscv_requested(struct hwf_riscv_requests *requests, const struct hwf_riscv_config *config,
			 const struct hwf_riscv_packet *packet)
{
	const struct hwf_riscv_data *data = &packet->u.data;

	if (packet->type == HWF_RISCV_ATOMIC && is_split(config) && !config->params.nodata)
		requests->size[data->lrid % HWF_RISCV_LRIDS] = (uint8_t)(data->size + 1);
}

int hwf_riscv_data_encode(const struct hwf_riscv_config *config,
			  const struct hwf_riscv_packet *packet, uint8_t *bytes, size_t room)
{
	struct hwf_riscv_packet copy = *packet;
	struct hwf_riscv_bits bits = {.write = true};

	if (!config->params.data_width_p || !is_possible(config, packet->type))
		return HWF_ERR_RESERVED;
	visit_packet(config, NULL, &bits, &copy);
	return hwf_riscv_store(&bits, bytes, room);
}
