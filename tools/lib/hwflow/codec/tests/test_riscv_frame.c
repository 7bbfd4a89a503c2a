/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Framings of RISC-V Processor Trace, and packets out of streams */
#include "riscv_test.h"

/* The payload of the examples, format 2 to 0x8000010c */
#define PAYLOAD 0x32, 0x04, 0x00, 0x00, 0x02

static struct hwf_riscv_framing framing_of(enum hwf_riscv_framing_kind kind, unsigned int srcid,
					   unsigned int type, unsigned int time)
{
	struct hwf_riscv_framing framing;

	hwf_riscv_framing_init(&framing, kind);
	framing.srcid_width = (uint8_t)srcid;
	framing.type_width = (uint8_t)type;
	if (kind == HWF_RISCV_ENCAP)
		framing.time_bytes = (uint8_t)time;
	assert_int_equal(hwf_riscv_framing_check(&framing), 0);
	return framing;
}

/* One frame, both ways */
static void check(const struct hwf_riscv_framing *framing, const struct hwf_riscv_frame *want,
		  const uint8_t *bytes, size_t size)
{
	struct hwf_riscv_frame frame;
	uint8_t out[64];

	assert_int_equal(hwf_riscv_unframe(framing, bytes, size, &frame), (int)size);
	assert_int_equal(frame.length, want->length);
	assert_memory_equal(frame.payload, want->payload, want->length);
	assert_int_equal(frame.message, want->message);
	assert_int_equal(frame.source, want->source);
	assert_int_equal(frame.has_time, want->has_time);
	assert_true(frame.time == want->time);
	assert_int_equal(hwf_riscv_frame_size(framing, bytes[0]), size);
	for (size_t room = 0; room < size; room++)
		assert_int_equal(hwf_riscv_unframe(framing, bytes, room, &frame),
				 HWF_ERR_NEED_MORE);
	assert_int_equal(hwf_riscv_enframe(framing, want, out, sizeof(out)), (int)size);
	assert_memory_equal(out, bytes, size);
	assert_int_equal(hwf_riscv_enframe(framing, want, out, size - 1), HWF_ERR_NO_SPACE);
}

/* Length 4:0, message type 6:5; 2 is te_inst, 0 te_support */
static void reference(void **state)
{
	static const uint8_t bytes[] = {0x45, PAYLOAD};
	static const uint8_t support[] = {0x02, 0xd0, 0x10};
	const struct hwf_riscv_framing framing = framing_of(HWF_RISCV_REFERENCE, 0, 0, 0);
	struct hwf_riscv_frame frame = {.payload = {PAYLOAD}, .length = 5, .message = 2};

	(void)state;
	check(&framing, &frame, bytes, sizeof(bytes));
	frame = (struct hwf_riscv_frame){.payload = {0xd0, 0x10}, .length = 2};
	check(&framing, &frame, support, sizeof(support));
	/* there is no time */
	assert_int_equal(hwf_riscv_unframe(&framing, (const uint8_t[]){0xc1, 0}, 2, &frame),
			 HWF_ERR_BAD_PAYLOAD);
}

/* Source 1 in 6 bits, type of 2 bits, both counted in the length */
static void encapsulation(void **state)
{
	static const uint8_t bytes[] = {0x06, 0x81, PAYLOAD};
	const struct hwf_riscv_framing framing = framing_of(HWF_RISCV_ENCAP, 6, 2, 0);
	const struct hwf_riscv_frame frame = {
		.payload = {PAYLOAD}, .length = 5, .message = 2, .source = 1};

	(void)state;
	check(&framing, &frame, bytes, sizeof(bytes));
}

/* Eight bits of source are not counted, the time neither; the type makes the payload begin at bit 2
 */
static void encapsulation_with_time(void **state)
{
	/* header: extend, flow 2, length 3; 0x31; time 0x8d 0x01; 2 bits of type, then 0xb2 0xff */
	static const uint8_t bytes[] = {0xc3, 0x31, 0x8d, 0x01, 0xca, 0xfe, 0x03};
	const struct hwf_riscv_framing framing = framing_of(HWF_RISCV_ENCAP, 8, 2, 2);
	const struct hwf_riscv_frame frame = {.payload = {0xb2, 0xff},
					      .length = 2,
					      .message = 2,
					      .flow = 2,
					      .has_time = true,
					      .source = 0x31,
					      .time = 0x18d};

	(void)state;
	check(&framing, &frame, bytes, sizeof(bytes));
}

/* The annex of E-Trace 2.0: index 1 in 6 bits, type 1 in 2 bits, the length that of the payload */
static void siemens(void **state)
{
	static const uint8_t bytes[] = {0x05, 0x41, PAYLOAD};
	static const uint8_t indexed[] = {0x45, 0x11, PAYLOAD};
	static const uint8_t timed[] = {0xc5, 0x34, 0x12, PAYLOAD};
	struct hwf_riscv_framing framing = framing_of(HWF_RISCV_SIEMENS, 6, 2, 0);
	struct hwf_riscv_frame frame = {
		.payload = {PAYLOAD}, .length = 5, .message = 2, .source = 1};

	(void)state;
	check(&framing, &frame, bytes, sizeof(bytes));
	/* the payload begins a byte */
	framing = framing_of(HWF_RISCV_SIEMENS, 5, 0, 0);
	frame = (struct hwf_riscv_frame){
		.payload = {PAYLOAD}, .length = 5, .message = 2, .source = 17};
	check(&framing, &frame, indexed, sizeof(indexed));
	framing = framing_of(HWF_RISCV_SIEMENS, 0, 0, 0);
	frame = (struct hwf_riscv_frame){
		.payload = {PAYLOAD}, .length = 5, .message = 2, .has_time = true, .time = 0x1234};
	check(&framing, &frame, timed, sizeof(timed));
}

static void impossible_framings(void **state)
{
	static const struct hwf_riscv_framing bad[] = {
		{HWF_RISCV_REFERENCE, 1, 0, 0}, {HWF_RISCV_REFERENCE, 0, 1, 0},
		{HWF_RISCV_ENCAP, 17, 0, 0},    {HWF_RISCV_ENCAP, 0, 3, 0},
		{HWF_RISCV_ENCAP, 0, 0, 9},     {HWF_RISCV_SIEMENS, 0, 0, 1},
		{HWF_RISCV_BARE, 0, 0, 1},      {HWF_RISCV_BARE + 1, 0, 0, 0},
	};
	const struct hwf_riscv_framing framing = framing_of(HWF_RISCV_ENCAP, 7, 2, 0);
	struct hwf_riscv_frame frame;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(hwf_riscv_framing_check(&bad[i]), HWF_ERR_BAD_CONFIG);
	/* nine bits leave no room for a payload in one byte, and in two there is none whole */
	assert_int_equal(hwf_riscv_unframe(&framing, (const uint8_t[]){0x01, 0}, 2, &frame),
			 HWF_ERR_BAD_PAYLOAD);
	assert_int_equal(hwf_riscv_unframe(&framing, (const uint8_t[]){0x02, 0, 0}, 3, &frame),
			 HWF_ERR_BAD_PAYLOAD);
}

static void next(struct hwf_riscv_stream *stream, const uint8_t **bytes, size_t *room, size_t size,
		 unsigned int type)
{
	struct hwf_riscv_packet packet;

	assert_int_equal(hwf_riscv_stream_next(stream, *bytes, *room, true, &packet), size);
	assert_int_equal(packet.type, type);
	*bytes += size;
	*room -= size;
}

static void begin(struct hwf_riscv_stream *stream, const struct hwf_riscv_framing *framing)
{
	struct hwf_riscv_params params;
	struct hwf_riscv_config config;

	hwf_riscv_params_init(&params, HWF_RISCV_V2);
	config = riscv_config(HWF_RISCV_V2, &params);
	hwf_riscv_stream_init(stream, &config, framing);
}

/* What cannot be read costs itself only; null bytes pass; the end may cut a packet. */
static void a_stream(void **state)
{
	static const uint8_t trace[] = {0x00, 0x42, 0x1f,    0x04, 0x41, 0x0c, 0x61,
					0x00, 0x45, PAYLOAD, 0xc1, 0xfe, 0x43, 0x02};
	const uint8_t *bytes = trace;
	size_t room = sizeof(trace);
	struct hwf_riscv_framing framing = framing_of(HWF_RISCV_REFERENCE, 0, 0, 0);
	struct hwf_riscv_stream stream;
	struct hwf_riscv_packet packet;

	(void)state;
	begin(&stream, &framing);
	next(&stream, &bytes, &room, 1, HWF_RISCV_IDLE);
	next(&stream, &bytes, &room, 3, HWF_RISCV_F3_SUPPORT);
	/* run-time options hold from here on */
	assert_true(stream.config.params.full_address);
	next(&stream, &bytes, &room, 2, HWF_RISCV_BAD);
	assert_int_equal(stream.error, HWF_ERR_RESERVED);
	next(&stream, &bytes, &room, 2, HWF_RISCV_DATA);
	next(&stream, &bytes, &room, 6, HWF_RISCV_F2);
	next(&stream, &bytes, &room, 2, HWF_RISCV_BAD);
	assert_int_equal(stream.error, HWF_ERR_BAD_PAYLOAD);
	/* with more to come it waits */
	assert_int_equal(hwf_riscv_stream_next(&stream, bytes, room, false, &packet), 0);
	next(&stream, &bytes, &room, 2, HWF_RISCV_INCOMPLETE);
	assert_int_equal(stream.error, HWF_ERR_NEED_MORE);
	assert_int_equal(hwf_riscv_stream_next(&stream, bytes, 0, true, &packet), 0);
}

/* Packets of another source are none of ours, whatever they change there. */
static void one_of_two_sources(void **state)
{
	static const uint8_t trace[] = {0x03, 0x81, 0x1f, 0x04, 0x03, 0x82, 0x1f, 0x10};
	const uint8_t *bytes = trace;
	size_t room = sizeof(trace);
	const struct hwf_riscv_framing framing = framing_of(HWF_RISCV_ENCAP, 6, 2, 0);
	struct hwf_riscv_stream stream;

	(void)state;
	begin(&stream, &framing);
	stream.source = 2;
	next(&stream, &bytes, &room, 4, HWF_RISCV_IDLE);
	assert_false(stream.config.params.full_address);
	next(&stream, &bytes, &room, 4, HWF_RISCV_F3_SUPPORT);
	assert_true(stream.config.params.branch_prediction);
	assert_false(stream.config.params.full_address);
}

/* Nothing around the payloads: each as long as its fields, and what cannot be read ends it */
static void bare(void **state)
{
	static const uint8_t trace[] = {0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0x3b, 0x00, 0x01};
	const uint8_t *bytes = trace;
	size_t room = sizeof(trace);
	const struct hwf_riscv_framing framing = framing_of(HWF_RISCV_BARE, 0, 0, 0);
	struct hwf_riscv_stream stream;

	(void)state;
	begin(&stream, &framing);
	/* 2 + 63 + 3 bits */
	next(&stream, &bytes, &room, 9, HWF_RISCV_F2);
	next(&stream, &bytes, &room, 1, HWF_RISCV_F3_CONTEXT);
	next(&stream, &bytes, &room, 2, HWF_RISCV_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reference),
		cmocka_unit_test(encapsulation),
		cmocka_unit_test(encapsulation_with_time),
		cmocka_unit_test(siemens),
		cmocka_unit_test(impossible_framings),
		cmocka_unit_test(a_stream),
		cmocka_unit_test(one_of_two_sources),
		cmocka_unit_test(bare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
