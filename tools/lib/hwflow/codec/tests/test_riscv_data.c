/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Packets of RISC-V data trace: vectors by hand, round trips, what must be refused, and the flow */
#include <stdlib.h>

#include "hwflow/riscv_flow.h"
#include "riscv_data_vectors.h"
#include "riscv_test.h"

static struct hwf_riscv_config make(const struct hwf_riscv_params *how)
{
	struct hwf_riscv_params params;

	hwf_riscv_params_init(&params, HWF_RISCV_V2);
	if (how->iaddress_width_p)
		params.iaddress_width_p = how->iaddress_width_p;
	params.data_width_p = how->data_width_p ? how->data_width_p : 64;
	params.daddress_width_p = 32;
	params.dtype_width_p = how->dtype_width_p;
	params.lrid_width_p = how->lrid_width_p;
	params.ddiff_width = how->ddiff_width;
	params.mmacas = how->mmacas;
	params.noaddr = how->noaddr;
	params.nodata = how->nodata;
	return riscv_config(HWF_RISCV_V2, &params);
}

static bool same(const struct hwf_riscv_data *a, const struct hwf_riscv_data *b)
{
	return !memcmp(a->data, b->data, sizeof(a->data)) &&
	       !memcmp(a->operand, b->operand, sizeof(a->operand)) && a->address == b->address &&
	       a->lrid == b->lrid && a->op == b->op && a->size == b->size && a->diff == b->diff &&
	       a->resp == b->resp && a->data_len == b->data_len && a->op_len == b->op_len &&
	       a->unaligned == b->unaligned && a->multi == b->multi;
}

/* Requests that all were for 8 bytes */
static struct hwf_riscv_requests requests_of_8(void)
{
	struct hwf_riscv_requests requests;

	memset(requests.size, 4, sizeof(requests.size));
	return requests;
}

static void check(const struct vector *vector)
{
	const struct hwf_riscv_requests requests = requests_of_8();
	const struct hwf_riscv_config config = make(&vector->how);
	const struct hwf_riscv_packet packet = {.type = vector->type, .u.data = vector->data};
	struct hwf_riscv_packet got;
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD];
	int length;

	if (hwf_riscv_data_decode(&config, &requests, vector->bytes, vector->length, &got))
		fail_msg("%s: does not decode", vector->name);
	if (got.type != vector->type || !same(&got.u.data, &vector->data))
		fail_msg("%s: decodes to another packet, %s", vector->name,
			 hwf_riscv_type_name(got.type));
	length = hwf_riscv_data_encode(&config, &packet, bytes, sizeof(bytes));
	if (length != (int)vector->length || memcmp(bytes, vector->bytes, vector->length) != 0)
		fail_msg("%s: encodes to other bytes (%d)", vector->name, length);
}

static void every_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		check(&vectors[i]);
}

/* How many bytes a value takes: those of which the top bit is the value's own */
static void lengths_are_the_shortest(void **state)
{
	static const struct {
		uint64_t value;
		uint8_t size;
		uint8_t length;
	} cases[] = {
		{0, 3, 1},
		{0x7f, 3, 1},
		{0x80, 3, 2},
		{0x80, 0, 1},
		{0x7fff, 2, 2},
		{0x8000, 2, 3},
		{0xffff8000, 2, 2},
		{0xffff7fff, 2, 3},
		{UINT64_C(0xffffffffffffff80), 3, 1},
		{UINT64_C(0x00000000ffffff80), 3, 5},
		{UINT64_C(0x8000000000000000), 3, 8},
	};
	const struct hwf_riscv_config config = make(&(struct hwf_riscv_params){0});
	struct hwf_riscv_packet packet, got;
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int length;

		packet = (struct hwf_riscv_packet){
			.type = HWF_RISCV_STORE,
			.u.data = {.size = cases[i].size, .data = {cases[i].value}}};
		length = hwf_riscv_data_encode(&config, &packet, bytes, sizeof(bytes));
		assert_true(length > 0);
		assert_int_equal(hwf_riscv_data_decode(&config, NULL, bytes, (size_t)length, &got),
				 0);
		assert_int_equal(got.u.data.data_len, cases[i].length);
		assert_int_equal(got.u.data.data[0], cases[i].value);
		assert_true(got.u.data.has_data && got.u.data.has_address);
		assert_false(got.u.data.has_operand);
	}
}

/* struct refused - bytes that are no packet under @how */
struct refused {
	const char *name;
	struct hwf_riscv_params how;
	int error;
	size_t length;
	uint8_t bytes[8];
};

static void reserved_codes_are_refused(void **state)
{
	static const struct refused cases[] = {
		{"16 bytes on a bus of 4: 000 | 11",
		 {.data_width_p = 32},
		 HWF_ERR_BAD_PAYLOAD,
		 1,
		 {0x18}},
		{"diff 2 without address: 000 | 10 | 10",
		 {.noaddr = true},
		 HWF_ERR_RESERVED,
		 1,
		 {0x50}},
		{"diff 2 of a CSR: 101 | 00 | 10",
		 {.lrid_width_p = 0},
		 HWF_ERR_RESERVED,
		 2,
		 {0x45, 0}},
		{"operation 3 of a CSR: 101 | 11",
		 {.lrid_width_p = 0},
		 HWF_ERR_RESERVED,
		 2,
		 {0x1d, 0}},
		{"failed store with data: 110 | 111",
		 {.lrid_width_p = 0},
		 HWF_ERR_RESERVED,
		 2,
		 {0x3e, 0}},
		{"second phase, nothing split: 100",
		 {.lrid_width_p = 0},
		 HWF_ERR_RESERVED,
		 2,
		 {0x04, 0}},
		{"of an atomic: 111", {.lrid_width_p = 0}, HWF_ERR_RESERVED, 2, {0x07, 0}},
		{"of an atomic that was not seen",
		 {.lrid_width_p = 4},
		 HWF_ERR_NO_SYNC,
		 2,
		 {0x7f, 0x01}},
		{"subformat 0 of the extension: 10 | 0000",
		 {.mmacas = true},
		 HWF_ERR_RESERVED,
		 2,
		 {0x02, 0}},
		{"store failure with data: 10 | 1111",
		 {.mmacas = true},
		 HWF_ERR_RESERVED,
		 2,
		 {0x3e, 0}},
		{"swap failure without address: 10 | 0111",
		 {.mmacas = true, .noaddr = true},
		 HWF_ERR_RESERVED,
		 2,
		 {0x1e, 0}},
		{"bytes behind the last field",
		 {.nodata = true},
		 HWF_ERR_BAD_PAYLOAD,
		 7,
		 {0, 0, 0, 0, 0, 0, 1}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct hwf_riscv_config config = make(&cases[i].how);
		struct hwf_riscv_packet packet = {.type = 99};
		const int error = hwf_riscv_data_decode(&config, NULL, cases[i].bytes,
							cases[i].length, &packet);

		if (error != cases[i].error)
			fail_msg("%s: %d", cases[i].name, error);
		assert_int_equal(packet.type, 99);
	}
}

static int encode(const struct hwf_riscv_params *how, uint8_t type, struct hwf_riscv_data data)
{
	const struct hwf_riscv_config config = make(how);
	const struct hwf_riscv_packet packet = {.type = type, .u.data = data};
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD];

	return hwf_riscv_data_encode(&config, &packet, bytes, sizeof(bytes));
}

static void impossible_packets_are_refused(void **state)
{
	const struct hwf_riscv_params plain = {0}, noaddr = {.noaddr = true},
				      wide = {.data_width_p = 128}, split = {.lrid_width_p = 2},
				      plainest = {.dtype_width_p = 1}, more = {.mmacas = true};
	const uint64_t one = 1;

	(void)state;
#define REFUSED(error, how, type, ...)                                                           \
	assert_int_equal(encode(&(how), HWF_RISCV_##type, (struct hwf_riscv_data){__VA_ARGS__}), \
			 HWF_ERR_##error)
	REFUSED(BAD_PAYLOAD, plain, LOAD, .size = 1, .data = {0x10000});
	REFUSED(BAD_PAYLOAD, plain, LOAD, .size = 3, .data = {0, 1});
	REFUSED(BAD_PAYLOAD, plain, LOAD, .size = 3, .data = {0x80}, .data_len = 1);
	REFUSED(BAD_PAYLOAD, plain, LOAD, .size = 1, .data_len = 3);
	REFUSED(BAD_PAYLOAD, plain, LOAD, .size = 4);
	REFUSED(BAD_PAYLOAD, plain, LOAD, .size = 200);
	REFUSED(BAD_PAYLOAD, plain, LOAD, .address = one << 32);
	REFUSED(BAD_PAYLOAD, plain, CSR, .address = 0x1000);
	REFUSED(BAD_PAYLOAD, noaddr, LOAD, .data = {0, 1});
	REFUSED(BAD_PAYLOAD, split, LOAD, .lrid = 4);
	REFUSED(BAD_PAYLOAD, split, ATOMIC_DATA, .size = 4, .resp = 1);
	REFUSED(RESERVED, noaddr, LOAD, .diff = 2);
	REFUSED(RESERVED, plain, CSR, .op = 3);
	REFUSED(RESERVED, plain, LOAD, .multi = true);
	REFUSED(RESERVED, plain, ATOMIC, .op = HWF_RISCV_STORE_FAILURE);
	REFUSED(RESERVED, plain, LOAD_DATA, .size = 1);
	REFUSED(RESERVED, plain, F2, .size = 1);
	REFUSED(RESERVED, plainest, ATOMIC, .size = 1);
	REFUSED(RESERVED, more, ATOMIC, .op = 9);
	REFUSED(RESERVED, more, ATOMIC_DATA, .size = 1);
	/* 3 + 3 + 3 + 2 + 4 + 128 + 4 + 128 + 32 bits */
	REFUSED(NO_SPACE, wide, ATOMIC, .size = 4, .operand = {1, one << 62},
		.data = {1, one << 62}, .address = 1);
#undef REFUSED
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Any bytes: what decodes encodes to a packet that is the same; each type comes, in each way. */
static void any_bytes(void **state)
{
	static const uint8_t widths[] = {8, 16, 32, 64, 128};
	const struct hwf_riscv_requests requests = requests_of_8();
	unsigned int seen[HWF_RISCV_ALL_TYPES] = {0};
	uint32_t seed = 7;

	(void)state;
	for (unsigned int i = 0; i < 200000; i++) {
		const uint32_t bits = next_random(&seed);
		const struct hwf_riscv_params how = {
			.data_width_p = widths[bits % 5],
			.iaddress_width_p = bits & 0x100 ? 32 : 64,
			.dtype_width_p = (uint8_t)(bits >> 9 & 3) + 1,
			.lrid_width_p = bits & 0x800 ? 8 : 0,
			.ddiff_width = (uint8_t)(1 + (bits >> 12 & 1)),
			.mmacas = bits & 0x2000,
			.noaddr = (bits >> 14 & 3) == 1,
			.nodata = (bits >> 14 & 3) == 2,
		};
		const struct hwf_riscv_config config = make(&how);
		struct hwf_riscv_packet packet, again;
		uint8_t bytes[HWF_RISCV_MAX_PAYLOAD];
		const size_t size = 1 + next_random(&seed) % sizeof(bytes);
		int length;

		for (size_t at = 0; at < size; at++)
			bytes[at] = (uint8_t)next_random(&seed);
		if (hwf_riscv_data_decode(&config, &requests, bytes, size, &packet))
			continue;
		seen[packet.type]++;
		length = hwf_riscv_data_encode(&config, &packet, bytes, sizeof(bytes));
		assert_true(length > 0 && (size_t)length <= size);
		assert_int_equal(
			hwf_riscv_data_decode(&config, &requests, bytes, (size_t)length, &again),
			0);
		assert_int_equal(again.type, packet.type);
		assert_true(same(&again.u.data, &packet.u.data));
	}
	for (unsigned int type = HWF_RISCV_LOAD; type <= HWF_RISCV_ATOMIC_DATA; type++)
		assert_true(seen[type] > 20);
}

static void bad_parameters(void **state)
{
	static const struct hwf_riscv_params cases[] = {
		{.data_width_p = 24},
		{.data_width_p = 4},
		{.data_width_p = 64, .noaddr = true, .nodata = true},
		{.data_width_p = 64, .daddress_width_p = 65},
		{.data_width_p = 64, .lrid_width_p = 9},
		{.data_width_p = 64, .dtype_width_p = 5},
		{.data_width_p = 64, .ddiff_width = 3},
	};
	struct hwf_riscv_config config;
	struct hwf_riscv_params params;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		hwf_riscv_params_init(&params, HWF_RISCV_V2);
		params.data_width_p = cases[i].data_width_p;
		params.daddress_width_p = cases[i].daddress_width_p;
		params.dtype_width_p = cases[i].dtype_width_p;
		params.lrid_width_p = cases[i].lrid_width_p;
		params.ddiff_width = cases[i].ddiff_width;
		params.noaddr = cases[i].noaddr;
		params.nodata = cases[i].nodata;
		assert_int_equal(hwf_riscv_config_init(&config, HWF_RISCV_V2, &params),
				 HWF_ERR_BAD_CONFIG);
	}
	/* neither the draft nor 1.0 has data trace */
	for (unsigned int dialect = 0; dialect < HWF_RISCV_V2; dialect++) {
		hwf_riscv_params_init(&params, (enum hwf_riscv_dialect)dialect);
		params.data_width_p = 64;
		assert_int_equal(
			hwf_riscv_config_init(&config, (enum hwf_riscv_dialect)dialect, &params),
			HWF_ERR_BAD_CONFIG);
	}
}

/* A stream that is made packet by packet */
struct made {
	struct hwf_riscv_config config;
	struct hwf_riscv_framing framing;
	uint8_t bytes[256];
	size_t size;
};

static void add_bytes(struct made *made, uint8_t message, const uint8_t *payload, size_t length)
{
	struct hwf_riscv_frame frame = {.length = (uint8_t)length, .message = message};
	int size;

	memcpy(frame.payload, payload, length);
	size = hwf_riscv_enframe(&made->framing, &frame, made->bytes + made->size,
				 sizeof(made->bytes) - made->size);
	assert_true(size > 0);
	made->size += (size_t)size;
}

static void add(struct made *made, struct hwf_riscv_packet packet)
{
	const bool data = packet.type > HWF_RISCV_INCOMPLETE;
	uint8_t payload[HWF_RISCV_MAX_PAYLOAD];
	const int length =
		data ? hwf_riscv_data_encode(&made->config, &packet, payload, sizeof(payload))
		     : hwf_riscv_encode(&made->config, &packet, payload, sizeof(payload));

	assert_true(length > 0);
	add_bytes(made, data ? HWF_RISCV_MSG_DATA : HWF_RISCV_MSG_INST, payload, (size_t)length);
}

#define ADD(made, kind, ...) \
	add(made, (struct hwf_riscv_packet){.type = HWF_RISCV_##kind, __VA_ARGS__})

static void made_init(struct made *made, enum hwf_riscv_framing_kind kind)
{
	*made = (struct made){.config = make(&(struct hwf_riscv_params){.lrid_width_p = 4})};
	hwf_riscv_framing_init(&made->framing, kind);
}

static void expect(struct hwf_riscv_stream *stream, const struct made *made, size_t *at,
		   unsigned int type, struct hwf_riscv_packet *packet)
{
	const size_t size =
		hwf_riscv_stream_next(stream, made->bytes + *at, made->size - *at, true, packet);

	assert_true(size > 0);
	assert_int_equal(packet->type, type);
	*at += size;
}

/* Data trace is told by its message type; support packets say what it leaves out. */
static void make_stream(struct made *made, enum hwf_riscv_framing_kind kind)
{
	const struct hwf_riscv_data second = {.size = 3, .lrid = 5, .resp = 2, .data = {0x1234}};

	made_init(made, kind);
	/* of no request that was seen */
	ADD(made, ATOMIC_DATA, .u.data = second);
	ADD(made, ATOMIC, .u.data = {.size = 3, .lrid = 5});
	ADD(made, ATOMIC_DATA, .u.data = second);
	ADD(made, F3_SUPPORT, .u.support = {.denable = true, .doptions = HWF_RISCV_NO_DATA});
	hwf_riscv_config_set_data(&made->config, HWF_RISCV_NO_DATA);
	ADD(made, STORE, .u.data = {.size = 2, .address = 0x123});
	ADD(made, F3_SUPPORT, .u.support = {.denable = true, .doptions = HWF_RISCV_NO_ADDRESS});
	hwf_riscv_config_set_data(&made->config, HWF_RISCV_NO_ADDRESS);
	ADD(made, STORE, .u.data = {.size = 2, .data = {0x456}});
	hwf_riscv_config_set_data(&made->config, 0);
}

static void check_stream(enum hwf_riscv_framing_kind kind)
{
	struct hwf_riscv_stream stream;
	struct hwf_riscv_packet packet;
	struct made made;
	size_t at = 0;

	make_stream(&made, kind);
	hwf_riscv_stream_init(&stream, &made.config, &made.framing);
	expect(&stream, &made, &at, HWF_RISCV_BAD, &packet);
	assert_int_equal(stream.error, HWF_ERR_NO_SYNC);
	expect(&stream, &made, &at, HWF_RISCV_ATOMIC, &packet);
	expect(&stream, &made, &at, HWF_RISCV_ATOMIC_DATA, &packet);
	assert_int_equal(packet.u.data.size, 3);
	assert_int_equal(packet.u.data.data[0], 0x1234);
	expect(&stream, &made, &at, HWF_RISCV_F3_SUPPORT, &packet);
	expect(&stream, &made, &at, HWF_RISCV_STORE, &packet);
	assert_false(packet.u.data.has_data);
	assert_int_equal(packet.u.data.address, 0x123);
	expect(&stream, &made, &at, HWF_RISCV_F3_SUPPORT, &packet);
	expect(&stream, &made, &at, HWF_RISCV_STORE, &packet);
	assert_false(packet.u.data.has_address);
	assert_int_equal(packet.u.data.data[0], 0x456);
	assert_int_equal(at, made.size);
	/* without a width it is told, and not read */
	at = 0;
	made.config.params.data_width_p = 0;
	hwf_riscv_stream_init(&stream, &made.config, &made.framing);
	expect(&stream, &made, &at, HWF_RISCV_DATA, &packet);
}

static void a_stream(void **state)
{
	(void)state;
	check_stream(HWF_RISCV_REFERENCE);
	check_stream(HWF_RISCV_ENCAP);
}

/* A program of c.nop, without end */
static size_t read_nops(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	(void)ctx;
	(void)space;
	(void)address;
	for (size_t i = 0; i < length; i++)
		((uint8_t *)bytes)[i] = i & 1 ? 0x00 : 0x01;
	return length;
}

static void count(void *ctx, const struct hwf_flow_event *event)
{
	unsigned int *counts = ctx;

	counts[event->kind] += event->kind == HWF_FLOW_RANGE ? event->u.range.instructions : 1;
}

/* Whatever data trace is between two packets: the path goes on, and nothing of it is read. */
static void flow_passes_over(void **state)
{
	static const uint8_t reserved[] = {0xff, 0xff, 0x00, 0x55};
	const struct hwf_code code = {.read = read_nops};
	unsigned int counts[64] = {0};
	struct hwf_riscv_decoder *decoder = calloc(1, sizeof(*decoder));
	struct made made;

	(void)state;
	assert_non_null(decoder);
	made_init(&made, HWF_RISCV_REFERENCE);
	ADD(&made, F3_START, .u.sync = {.address = 0x800, .branch = true});
	ADD(&made, LOAD, .u.data = {.size = 3, .address = 0x123});
	add_bytes(&made, HWF_RISCV_MSG_DATA, reserved, sizeof(reserved));
	ADD(&made, F2, .u.address = {.has = true, .value = 8});
	ADD(&made, F3_SUPPORT, .u.support = {.qual_status = HWF_RISCV_ENDED_REP});
	hwf_riscv_decoder_init(decoder, &made.config, &made.framing, HWF_RV_64, &code, count,
			       counts);
	assert_int_equal(hwf_riscv_decoder_push(decoder, made.bytes, made.size, true), made.size);
	assert_int_equal(counts[HWF_FLOW_RANGE], 9);
	assert_int_equal(counts[HWF_FLOW_GAP], 0);
	assert_int_equal(counts[HWF_FLOW_NO_SYNC], 0);
	free(decoder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_table),
		cmocka_unit_test(lengths_are_the_shortest),
		cmocka_unit_test(reserved_codes_are_refused),
		cmocka_unit_test(impossible_packets_are_refused),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(bad_parameters),
		cmocka_unit_test(a_stream),
		cmocka_unit_test(flow_passes_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
