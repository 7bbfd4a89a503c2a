/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Framings (RISCV_FRAME_REFERENCE, RISCV_FRAME_ENCAP, RISCV_FRAME_SIEMENS). All begin with a header
 * byte: bits 4:0 say how many bytes follow, 0 for a null packet; 6:5 are a message type, or a flow
 * that means nothing here; 7 says that a time is there.
 */
#include "core/cursor.h"
#include "codec/riscv/riscv_bits.h"

#define LENGTH 0x1fu
#define TIMED  0x80u

/* Bytes in front of the payload: header, source, time and type, of at most 1 + 2 + 8 + 1 bytes */
#define FRONT_BYTES 12

void hwf_riscv_framing_init(struct hwf_riscv_framing *framing, enum hwf_riscv_framing_kind kind)
{
	*framing = (struct hwf_riscv_framing){
		.kind = (uint8_t)kind,
		/* e-trace-encap 1.0, chapter 3: the type of E-Trace has two bits */
		.type_width = kind == HWF_RISCV_ENCAP ? 2 : 0,
		.time_bytes = kind == HWF_RISCV_SIEMENS ? 2 : 0,
	};
}

static bool has_fault(struct hwf_config_fault *fault, const char *name, uint8_t value, uint8_t max,
		      const char *text)
{
	*fault = (struct hwf_config_fault){.name = name, .value = value, .max = max, .text = text};
	return true;
}

bool hwf_riscv_framing_fault(const struct hwf_riscv_framing *framing,
			     struct hwf_config_fault *fault)
{
	const bool is_encap = framing->kind == HWF_RISCV_ENCAP;
	const bool is_siemens = framing->kind == HWF_RISCV_SIEMENS;
	static const char encap_only[] = "not 0 with --framing=encap only";

	if (framing->kind > HWF_RISCV_BARE)
		return has_fault(fault, "framing", framing->kind, HWF_RISCV_BARE, NULL);
	if (framing->srcid_width > 16)
		return has_fault(fault, "srcid_width", framing->srcid_width, 16, NULL);
	if (framing->type_width > 2)
		return has_fault(fault, "type_width", framing->type_width, 2, NULL);
	if (framing->time_bytes > 8)
		return has_fault(fault, "time_bytes", framing->time_bytes, 8, NULL);
	if (is_siemens)
		return framing->time_bytes != 2 &&
		       has_fault(fault, "time_bytes", framing->time_bytes, 0,
				 "it must be 2 with --framing=siemens");
	if (!is_encap && framing->srcid_width)
		return has_fault(fault, "srcid_width", framing->srcid_width, 0, encap_only);
	if (!is_encap && framing->type_width)
		return has_fault(fault, "type_width", framing->type_width, 0, encap_only);
	return !is_encap && framing->time_bytes &&
	       has_fault(fault, "time_bytes", framing->time_bytes, 0, encap_only);
}

int hwf_riscv_framing_check(const struct hwf_riscv_framing *framing)
{
	struct hwf_config_fault fault;

	return hwf_riscv_framing_fault(framing, &fault) ? HWF_ERR_BAD_CONFIG : 0;
}

/* Bits between the header and the payload */
static unsigned int front_bits(const struct hwf_riscv_framing *framing, bool timed)
{
	return framing->srcid_width + framing->type_width + (timed ? 8u * framing->time_bytes : 0);
}

/*
 * Bytes between the header and what its length counts. Encapsulation counts what is left of the
 * source's bits, and the type, as payload; Siemens messaging counts the payload alone.
 */
static unsigned int uncounted_bytes(const struct hwf_riscv_framing *framing, bool timed)
{
	switch (framing->kind) {
	case HWF_RISCV_ENCAP:
		return framing->srcid_width / 8u + (timed ? framing->time_bytes : 0u);
	case HWF_RISCV_SIEMENS:
		return (front_bits(framing, timed) + 7) / 8;
	default:
		return 0;
	}
}

size_t hwf_riscv_frame_size(const struct hwf_riscv_framing *framing, uint8_t header)
{
	if (!(header & LENGTH))
		return 1;
	return 1 + uncounted_bytes(framing, header & TIMED) + (header & LENGTH);
}

/* What the type behind the header is for instruction trace (RISCV_FRAME_SIEMENS: 1) */
static uint8_t inst_type(const struct hwf_riscv_framing *framing)
{
	if (framing->type_width < 2)
		return 0;
	return framing->kind == HWF_RISCV_SIEMENS ? 1 : HWF_RISCV_MSG_INST;
}

/* The HWF_RISCV_MSG_* that the type behind the header means */
static uint8_t message_of_type(const struct hwf_riscv_framing *framing, uint8_t type)
{
	if (type == inst_type(framing))
		return HWF_RISCV_MSG_INST;
	return framing->type_width == 2 ? type : HWF_RISCV_MSG_DATA;
}

/* And back */
static uint8_t type_of_message(const struct hwf_riscv_framing *framing, uint8_t message)
{
	if (message == HWF_RISCV_MSG_INST)
		return inst_type(framing);
	return framing->type_width == 1 ? 1 : message;
}

/* In the order of the draft's figure 6.1: source, time; then the type */
static void visit_front(const struct hwf_riscv_framing *framing, struct hwf_riscv_bits *bits,
			struct hwf_riscv_frame *frame, uint8_t *type)
{
	hwf_riscv_field32(bits, &frame->source, framing->srcid_width);
	if (frame->has_time)
		hwf_riscv_field(bits, &frame->time, 8u * framing->time_bytes);
	hwf_riscv_field8(bits, type, framing->type_width);
}

/* Where the payload begins, in bits behind the header; Siemens messaging begins a byte for it */
static unsigned int payload_at(const struct hwf_riscv_framing *framing, unsigned int front)
{
	return framing->kind == HWF_RISCV_SIEMENS ? (front + 7) / 8 * 8 : front;
}

int hwf_riscv_unframe(const struct hwf_riscv_framing *framing, const uint8_t *bytes, size_t room,
		      struct hwf_riscv_frame *frame)
{
	struct hwf_riscv_bits bits = {0};
	struct hwf_riscv_frame result = {0};
	uint8_t type = 0;
	size_t size;
	unsigned int at;

	if (!room)
		return HWF_ERR_NEED_MORE;
	size = hwf_riscv_frame_size(framing, bytes[0]);
	if (size > room)
		return HWF_ERR_NEED_MORE;
	result.flow = bytes[0] >> 5 & 3;
	if (size == 1) {
		*frame = result;
		return 1;
	}
	result.has_time = bytes[0] & TIMED;
	/* the reference's stream and the draft have no time, and so no such bit */
	if (result.has_time && !framing->time_bytes)
		return HWF_ERR_BAD_PAYLOAD;
	memcpy(bits.bytes, bytes + 1,
	       size - 1 < HWF_RISCV_BITS_BYTES ? size - 1 : HWF_RISCV_BITS_BYTES);
	visit_front(framing, &bits, &result, &type);
	at = payload_at(framing, bits.at);
	if (8 * (size - 1) < at + 8)
		return HWF_ERR_BAD_PAYLOAD;
	/* whole bytes; bits left behind them are the encapsulation's padding */
	result.length = (uint8_t)((8 * (size - 1) - at) / 8);
	for (unsigned int i = 0; at % 8 && i < result.length; i++)
		result.payload[i] = (uint8_t)hwf_riscv_get_bits(&bits, at + 8 * i, 8);
	if (at % 8 == 0)
		memcpy(result.payload, bits.bytes + at / 8, result.length);
	if (framing->type_width)
		result.message = message_of_type(framing, type);
	else if (framing->kind == HWF_RISCV_ENCAP)
		result.message = HWF_RISCV_MSG_INST;
	else
		result.message = result.flow;
	*frame = result;
	return (int)size;
}

int hwf_riscv_enframe(const struct hwf_riscv_framing *framing, const struct hwf_riscv_frame *frame,
		      uint8_t *bytes, size_t room)
{
	struct hwf_riscv_frame copy = *frame;
	struct hwf_riscv_bits bits = {.write = true};
	uint8_t type = type_of_message(framing, frame->message);
	uint8_t flow = frame->flow;
	unsigned int uncounted, length;

	if (!frame->length || frame->length > HWF_RISCV_MAX_PAYLOAD ||
	    (frame->has_time && !framing->time_bytes))
		return HWF_ERR_BAD_PAYLOAD;
	if (!framing->type_width) {
		type = 0;
		if (framing->kind != HWF_RISCV_ENCAP)
			flow = frame->message;
	}
	visit_front(framing, &bits, &copy, &type);
	bits.at = payload_at(framing, bits.at);
	for (unsigned int i = 0; i < frame->length; i++) {
		uint8_t byte = frame->payload[i];

		hwf_riscv_field8(&bits, &byte, 8);
	}
	uncounted = uncounted_bytes(framing, frame->has_time);
	length = (bits.at + 7) / 8 - uncounted;
	if (bits.error)
		return bits.error;
	if (length > LENGTH || flow > 3)
		return HWF_ERR_BAD_PAYLOAD;
	if (room < 1 + uncounted + length)
		return HWF_ERR_NO_SPACE;
	bytes[0] = (uint8_t)(length | (unsigned int)flow << 5 | (frame->has_time ? TIMED : 0));
	memcpy(bytes + 1, bits.bytes, uncounted + length);
	return (int)(1 + uncounted + length);
}
