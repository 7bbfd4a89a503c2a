/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Payloads of RISC-V Processor Trace: vectors by hand, round trips, and what must be refused */
#include "riscv_test.h"

/* One set of parameters, and packets with their bytes under it */
struct vector {
	const char *name;
	struct hwf_riscv_packet packet;
	size_t length;
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD];
};

static void check(const struct hwf_riscv_config *config, const struct vector *vector)
{
	const bool support = vector->packet.type == HWF_RISCV_TE_SUPPORT;
	struct hwf_riscv_packet packet;
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD];
	char want[256], got[256];
	int length;

	if (hwf_riscv_decode(config, support, vector->bytes, vector->length, &packet))
		fail_msg("%s: does not decode", vector->name);
	riscv_describe(&vector->packet, want, sizeof(want));
	riscv_describe(&packet, got, sizeof(got));
	if (strcmp(want, got) != 0)
		fail_msg("%s: want %s, got %s", vector->name, want, got);
	length = hwf_riscv_encode(config, &vector->packet, bytes, sizeof(bytes));
	if (length != (int)vector->length || memcmp(bytes, vector->bytes, vector->length) != 0)
		fail_msg("%s: encodes to other bytes (%d)", vector->name, length);
}

#define CHECK_ALL(config, vectors)                                                \
	do {                                                                      \
		for (size_t i = 0; i < sizeof(vectors) / sizeof(*(vectors)); i++) \
			check(config, &(vectors)[i]);                             \
	} while (0)

static struct hwf_riscv_params narrow(enum hwf_riscv_dialect dialect)
{
	struct hwf_riscv_params params;

	hwf_riscv_params_init(&params, dialect);
	params.iaddress_width_p = 32;
	return params;
}

static struct hwf_riscv_config narrow_config(enum hwf_riscv_dialect dialect)
{
	const struct hwf_riscv_params params = narrow(dialect);

	return riscv_config(dialect, &params);
}

#define ADDRESS(...) {.has = true, __VA_ARGS__}

/* Tables 6.1 to 6.4, added up by hand: 32-bit addresses, lsb 1, no context, 2 and 5 bits */
static void draft_vectors(void **state)
{
	static const struct vector vectors[] = {
		/* 00 | 01100 | 17 bits of map | 0x40000080 at bit 24; bit 55 repeats bit 54 */
		{"F0, 12 branches",
		 {HWF_RISCV_F0_MAP,
		  {.map = {.map = 0xabc, .branches = 12, .address = ADDRESS(.value = 0x40000080)}}},
		 7,
		 {0x30, 0x5e, 0x05, 0x80, 0x00, 0x00, 0xc0}},
		/* 00 | 00000 | 31 bits: the last branch was taken, so that zeros are left out */
		{"F0, no address",
		 {HWF_RISCV_F0_MAP, {.map = {.map = 0x2, .branches = 31}}},
		 2,
		 {0x00, 0x01}},
		/* the last was not taken: ones are left out */
		{"F0, no address, ones",
		 {HWF_RISCV_F0_MAP, {.map = {.map = 0x7ffffffe, .branches = 31}}},
		 2,
		 {0x00, 0xff}},
		/* 01 | 00001 | 1 | 31 bits of -4 */
		{"F1, one branch",
		 {HWF_RISCV_F1,
		  {.map = {.map = 1, .branches = 1, .address = ADDRESS(.value = 0x7ffffffc)}}},
		 2,
		 {0x85, 0xfc}},
		/* 10 | 31 ones */
		{"F2, one half-word back",
		 {HWF_RISCV_F2, {.address = ADDRESS(.value = 0x7fffffff)}},
		 1,
		 {0xfe}},
		/* 11 | 00 | 11 | 0 | 0x40000000 at bit 7 */
		{"F3.0",
		 {HWF_RISCV_F3_START,
		  {.sync = {.address = 0x40000000, .privilege = 3, .has_address = true}}},
		 5,
		 {0x33, 0x00, 0x00, 0x00, 0xe0}},
		/* 11 | 01 | 11 | 0 | address | 00010 at 38 | 0 | 0x12345678 at 44 */
		{"F3.1",
		 {HWF_RISCV_F3_TRAP,
		  {.sync = {.address = 0x40000000,
			    .tval = 0x12345678,
			    .ecause = 2,
			    .privilege = 3,
			    .thaddr = true,
			    .has_address = true}}},
		 10,
		 {0x37, 0x00, 0x00, 0x00, 0xa0, 0x80, 0x67, 0x45, 0x23, 0x01}},
		/* 11 | 10 | 01 */
		{"F3.2", {HWF_RISCV_F3_CONTEXT, {.sync = {.privilege = 1}}}, 1, {0x1b}},
		/* 00 | 110100 | 0000 | 1 | 00 | 00 */
		{"te_support, enabled",
		 {HWF_RISCV_TE_SUPPORT, {.support = {.ienable = true}}},
		 2,
		 {0xd0, 0x10}},
		{"te_support, ended_ntr",
		 {HWF_RISCV_TE_SUPPORT, {.support = {.ienable = true, .qual_status = 3}}},
		 2,
		 {0xd0, 0x90}},
		/* bit 16 is 0 and bit 15 is 1: a third byte says so */
		{"te_support, ended_rep",
		 {HWF_RISCV_TE_SUPPORT, {.support = {.ienable = true, .qual_status = 1}}},
		 3,
		 {0xd0, 0x90, 0x00}},
	};
	const struct hwf_riscv_config config = narrow_config(HWF_RISCV_DRAFT_026);

	(void)state;
	CHECK_ALL(&config, vectors);
}

/* Bytes of the examples in the annex of E-Trace 2.0, "Code fragment and transport": full addresses
 */
static void ratified_examples(void **state)
{
	static const struct vector vectors[] = {
		{"timer_long_loop: format 1, 15 branches",
		 {HWF_RISCV_F1,
		  {.map = {.map = 21845, .branches = 15, .address = ADDRESS(.value = 0x800001a2)}}},
		 7,
		 {0xbd, 0xaa, 0xaa, 0x68, 0x00, 0x00, 0x20}},
		{"illegal_opcode: format 1",
		 {HWF_RISCV_F1, {.map = {.branches = 1, .address = ADDRESS(.value = 0x80000104)}}},
		 6,
		 {0x05, 0x04, 0x01, 0x00, 0x80, 0x00}},
		{"illegal_opcode: format 2",
		 {HWF_RISCV_F2, {.address = ADDRESS(.value = 0x8000010c)}},
		 5,
		 {0x32, 0x04, 0x00, 0x00, 0x02}},
		{"illegal_opcode: trap at the target of a jump",
		 {HWF_RISCV_F3_TRAP,
		  {.sync = {.address = 0x80000222,
			    .ecause = 2,
			    .privilege = 3,
			    .branch = true,
			    .has_address = true}}},
		 10,
		 {0x77, 0x00, 0x00, 0x00, 0x00, 0x81, 0x88, 0x00, 0x00, 0x20}},
		{"timer_long_loop: interrupt",
		 {HWF_RISCV_F3_TRAP,
		  {.sync = {.address = 0x800001b0,
			    .ecause = 7,
			    .privilege = 3,
			    .branch = true,
			    .interrupt = true,
			    .thaddr = true,
			    .has_address = true}}},
		 10,
		 {0x77, 0x00, 0x00, 0x00, 0x80, 0x33, 0x6c, 0x00, 0x00, 0x20}},
		{"startup: support",
		 {HWF_RISCV_F3_SUPPORT, {.support = {.ienable = true, .ioptions = 4}}},
		 2,
		 {0x1f, 0x04}},
	};
	struct hwf_riscv_params params;
	struct hwf_riscv_config config;

	(void)state;
	hwf_riscv_params_init(&params, HWF_RISCV_V2);
	params.iaddress_lsb_p = 0;
	params.context_width_p = 32;
	params.nocontext_p = 0;
	params.full_address = true;
	config = riscv_config(HWF_RISCV_V2, &params);
	CHECK_ALL(&config, vectors);
}

/* Tables of 2.0, added up by hand: format 0, and the bits behind an address */
static void ratified_options(void **state)
{
	static const struct vector vectors[] = {
		/* 00 | 0 | 3 in 32 bits | 00 */
		{"F0.0, no address",
		 {HWF_RISCV_F0_COUNT, {.count = {.branch_count = 3}}},
		 1,
		 {0x18}},
		/* 00 | 0 | 1 | 11 at 35 | 2 at 37 | three zeros | 000 */
		{"F0.0, address of a branch that failed",
		 {HWF_RISCV_F0_COUNT,
		  {.count = {.branch_count = 1, .branch_fmt = 3, .address = ADDRESS(.value = 2)}}},
		 5,
		 {0x08, 0x00, 0x00, 0x00, 0x58}},
		/* 00 | 1 | 10010 | 00011 | 101 | 1 | 111: irreport repeats the map's top bit */
		{"F0.1, three branches",
		 {HWF_RISCV_F0_CACHE,
		  {.cache = {.index = 0x12, .map = 5, .branches = 3, .irdepth = 7}}},
		 2,
		 {0x94, 0xa3}},
		/* 00 | 1 | 10010 | 00000 | 1 | 010 at 14 */
		{"F0.1, no map, depth 2",
		 {HWF_RISCV_F0_CACHE, {.cache = {.index = 0x12, .irreport = true, .irdepth = 2}}},
		 3,
		 {0x94, 0xa0, 0x00}},
		/* 10 | 8 in 31 bits | 0 | 0 | 1 at 35 | 010 at 36 */
		{"F2, depth 2",
		 {HWF_RISCV_F2, {.address = ADDRESS(.value = 8, .irreport = true, .irdepth = 2)}},
		 5,
		 {0x22, 0x00, 0x00, 0x00, 0x28}},
		/* 10 | 8 | 0 | 1 at 34 | 1 | 111: ones from there on */
		{"F2, updiscon",
		 {HWF_RISCV_F2, {.address = ADDRESS(.value = 8, .updiscon = true, .irdepth = 7)}},
		 5,
		 {0x22, 0x00, 0x00, 0x00, 0xfc}},
		/* 10 | 8 | 1 at 33 | 1 | 1 | 111 */
		{"F2, notify",
		 {HWF_RISCV_F2, {.address = ADDRESS(.value = 8, .notify = true, .irdepth = 7)}},
		 5,
		 {0x22, 0x00, 0x00, 0x00, 0xfe}},
		/* 11 | 01 | 1 | 11 | time at 7 | 00111 at 15 | 1 | 1 | 31 ones at 22, and no tval
		 */
		{"F3.1, interrupt: no trap value",
		 {HWF_RISCV_F3_TRAP,
		  {.sync = {.address = 0x7fffffff,
			    .ecause = 7,
			    .privilege = 3,
			    .branch = true,
			    .interrupt = true,
			    .thaddr = true,
			    .has_address = true}}},
		 3,
		 {0x77, 0x80, 0xf3}},
		/* 11 | 10 | 01 | 0xa5 at 6, time of 8 bits */
		{"F3.2 with time",
		 {HWF_RISCV_F3_CONTEXT, {.sync = {.privilege = 1, .time = 0xa5}}},
		 2,
		 {0x5b, 0xe9}},
		/* 11 | 11 | 1 | 0 | 10 | 11000 | 1 | 1 | 0001 at 15 */
		{"F3.3",
		 {HWF_RISCV_F3_SUPPORT,
		  {.support = {.ienable = true,
			       .qual_status = 2,
			       .ioptions = 0x18,
			       .denable = true,
			       .dloss = true,
			       .doptions = 1}}},
		 3,
		 {0x9f, 0xf8, 0x00}},
	};
	struct hwf_riscv_params params = narrow(HWF_RISCV_V2);
	struct hwf_riscv_config config;

	(void)state;
	params.f0s_width_p = 1;
	params.cache_size_p = 5;
	params.bpred_size_p = 5;
	params.return_stack_size_p = 2;
	params.time_width_p = 8;
	params.branch_prediction = true;
	params.jump_target_cache = true;
	config = riscv_config(HWF_RISCV_V2, &params);
	CHECK_ALL(&config, vectors);
}

/* The extension for implicit returns: irets has 8 bits, whatever the stack has */
static void irets_vectors(void **state)
{
	static const struct vector vectors[] = {
		/* 10 | 8 in 31 bits | 0 | 0 | 1 at 35 | 200 at 36 */
		{"F2, 200 returns",
		 {HWF_RISCV_F2, {.address = ADDRESS(.value = 8, .irreport = true, .irdepth = 200)}},
		 6,
		 {0x22, 0x00, 0x00, 0x00, 0x88, 0xfc}},
		/* 10 | 8 | 0 | 1 at 34 | 1 | ones */
		{"F2, updiscon",
		 {HWF_RISCV_F2, {.address = ADDRESS(.value = 8, .updiscon = true, .irdepth = 255)}},
		 5,
		 {0x22, 0x00, 0x00, 0x00, 0xfc}},
		/* 00 | 1 | 10010 | 00011 | 101 | 0 | 3 at 17 */
		{"F0.1, three branches, 3 returns",
		 {HWF_RISCV_F0_CACHE,
		  {.cache = {.index = 0x12,
			     .map = 5,
			     .branches = 3,
			     .irreport = true,
			     .irdepth = 3}}},
		 3,
		 {0x94, 0xa3, 0x06}},
	};
	struct hwf_riscv_params params = narrow(HWF_RISCV_V2);
	struct hwf_riscv_config config;

	(void)state;
	params.f0s_width_p = 1;
	params.cache_size_p = 5;
	params.return_stack_size_p = 2;
	params.jump_target_cache = true;
	params.irets = true;
	config = riscv_config(HWF_RISCV_V2, &params);
	CHECK_ALL(&config, vectors);
	assert_int_equal(hwf_riscv_config_init(&config, HWF_RISCV_V1, &params), HWF_ERR_BAD_CONFIG);
}

/* 1.0: no time, no thaddr, a trap value always, a shorter support packet */
static void version_1_vectors(void **state)
{
	static const struct vector vectors[] = {
		/* 11 | 01 | 1 | 11 | 00111 at 7 | 1 at 12 | address at 13 | tval at 44 */
		{"F3.1, interrupt",
		 {HWF_RISCV_F3_TRAP,
		  {.sync = {.address = 0x40000000,
			    .tval = 1,
			    .ecause = 7,
			    .privilege = 3,
			    .branch = true,
			    .interrupt = true,
			    .thaddr = true,
			    .has_address = true}}},
		 6,
		 {0xf7, 0x13, 0x00, 0x00, 0x00, 0x18}},
		/* 11 | 11 | 1 | 0 | 11 | 00100 */
		{"F3.3",
		 {HWF_RISCV_F3_SUPPORT,
		  {.support = {.ienable = true, .qual_status = 3, .ioptions = 4}}},
		 2,
		 {0xdf, 0x04}},
	};
	const struct hwf_riscv_config config = narrow_config(HWF_RISCV_V1);

	(void)state;
	CHECK_ALL(&config, vectors);
}

/* Lengths of the branch map: Table 6.1, and 1/3/7/15/31 of the ratified text */
static void map_lengths(void **state)
{
	static const uint8_t draft[] = {31, 1, 9, 9, 9, 9, 9, 9, 9, 9, 17};
	static const uint8_t ratified[] = {31, 1, 3, 3, 7, 7, 7, 7, 15, 15, 15};

	(void)state;
	for (unsigned int i = 0; i <= 10; i++) {
		assert_int_equal(hwf_riscv_map_bits(HWF_RISCV_DRAFT_026, i), draft[i]);
		assert_int_equal(hwf_riscv_map_bits(HWF_RISCV_V2, i), ratified[i]);
	}
	assert_int_equal(hwf_riscv_map_bits(HWF_RISCV_DRAFT_026, 17), 17);
	assert_int_equal(hwf_riscv_map_bits(HWF_RISCV_DRAFT_026, 18), 25);
	assert_int_equal(hwf_riscv_map_bits(HWF_RISCV_DRAFT_026, 26), 31);
	assert_int_equal(hwf_riscv_map_bits(HWF_RISCV_V1, 15), 15);
	assert_int_equal(hwf_riscv_map_bits(HWF_RISCV_V1, 16), 31);
}

static int decode(const struct hwf_riscv_config *config, bool support, size_t length, ...)
{
	struct hwf_riscv_packet packet = {.type = 77};
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD + 1];
	va_list args;
	int err;

	va_start(args, length);
	for (size_t i = 0; i < length; i++)
		bytes[i] = (uint8_t)va_arg(args, int);
	va_end(args);
	err = hwf_riscv_decode(config, support, bytes, length, &packet);
	/* nothing is touched where it fails */
	assert_true((err == 0) == (packet.type != 77));
	return err;
}

static void refused(void **state)
{
	struct hwf_riscv_params params = narrow(HWF_RISCV_DRAFT_026);
	const struct hwf_riscv_config draft = riscv_config(HWF_RISCV_DRAFT_026, &params);
	struct hwf_riscv_config v2;

	(void)state;
	params = narrow(HWF_RISCV_V2);
	v2 = riscv_config(HWF_RISCV_V2, &params);
	/* F3.3 of the draft, and format 0 of the ratified text where no option needs it */
	assert_int_equal(decode(&draft, false, 1, 0x0f), HWF_ERR_RESERVED);
	assert_int_equal(decode(&v2, false, 1, 0x0c), HWF_ERR_RESERVED);
	/* another control code, another support type, qual_status 2 */
	assert_int_equal(decode(&draft, true, 2, 0xd4, 0x10), HWF_ERR_RESERVED);
	assert_int_equal(decode(&draft, true, 2, 0xd0, 0x11), HWF_ERR_RESERVED);
	assert_int_equal(decode(&draft, true, 3, 0xd0, 0x10, 0x01), HWF_ERR_RESERVED);
	/* F2 has 33 bits: padding to 40 must repeat the last, and a sixth byte is too much */
	assert_int_equal(decode(&draft, false, 5, 0x02, 0, 0, 0, 0), 0);
	assert_int_equal(decode(&draft, false, 5, 0x02, 0, 0, 0, 0xff), 0);
	assert_int_equal(decode(&draft, false, 5, 0x02, 0, 0, 0, 0x02), HWF_ERR_BAD_PAYLOAD);
	assert_int_equal(decode(&draft, false, 6, 0x02, 0, 0, 0, 0, 0), HWF_ERR_BAD_PAYLOAD);
	/* F0 with no address: what stands for the address repeats the map's top bit */
	assert_int_equal(decode(&draft, false, 6, 0, 0, 0, 0, 0x20, 0), HWF_ERR_BAD_PAYLOAD);
	assert_int_equal(decode(&draft, false, 5, 0, 0, 0, 0, 0xe0), 0);
	assert_int_equal(decode(&draft, false, 0), HWF_ERR_BAD_PAYLOAD);
	/* F3.2 is a byte in full, and one more is too much even where it repeats the top bit */
	params = narrow(HWF_RISCV_DRAFT_026);
	params.privilege_width_p = 4;
	v2 = riscv_config(HWF_RISCV_DRAFT_026, &params);
	assert_int_equal(decode(&v2, false, 1, 0x1b), 0);
	assert_int_equal(decode(&v2, false, 2, 0x1b, 0x00), HWF_ERR_BAD_PAYLOAD);
}

/* With thaddr the handler is left out, without it the exception's own address is there */
static void implicit_exception(void **state)
{
	static const struct vector vectors[] = {
		/* 11 | 01 | 1 | 11 | 00010 at 7 | 0 | 1 at 13 | tval at 14 */
		{"F3.1, handler left out",
		 {HWF_RISCV_F3_TRAP,
		  {.sync = {.tval = 1,
			    .ecause = 2,
			    .privilege = 3,
			    .branch = true,
			    .thaddr = true}}},
		 2,
		 {0x77, 0x61}},
		/* 11 | 01 | 1 | 11 | 00010 at 7 | 0 | 0 at 13 | address at 14 | tval at 45 */
		{"F3.1, own address",
		 {HWF_RISCV_F3_TRAP,
		  {.sync = {.address = 4,
			    .ecause = 2,
			    .privilege = 3,
			    .branch = true,
			    .has_address = true}}},
		 3,
		 {0x77, 0x01, 0x01}},
	};
	struct hwf_riscv_params params = narrow(HWF_RISCV_V2);
	struct hwf_riscv_config config;

	(void)state;
	params.implicit_exception = true;
	config = riscv_config(HWF_RISCV_V2, &params);
	CHECK_ALL(&config, vectors);
}

/* Bits of the map that no branch is there for have no meaning. */
static void unused_map_bits(void **state)
{
	const struct hwf_riscv_config config = narrow_config(HWF_RISCV_V2);
	/* 01 | 00010 | 101 | 0 ... */
	static const uint8_t bytes[] = {0x89, 0x02};
	struct hwf_riscv_packet packet;

	(void)state;
	assert_int_equal(hwf_riscv_decode(&config, false, bytes, sizeof(bytes), &packet), 0);
	assert_int_equal(packet.u.map.branches, 2);
	assert_int_equal(packet.u.map.map, 1);
}

static void reserved_values(void **state)
{
	struct hwf_riscv_params params = narrow(HWF_RISCV_V2);
	struct hwf_riscv_packet packet = {.type = HWF_RISCV_F1};
	struct hwf_riscv_config config;
	uint8_t bytes[HWF_RISCV_MAX_PAYLOAD];

	(void)state;
	params.bpred_size_p = 5;
	params.branch_prediction = true;
	config = riscv_config(HWF_RISCV_V2, &params);
	/* branch_fmt 1, at bit 34 */
	assert_int_equal(decode(&config, false, 5, 0, 0, 0, 0, 0x04), HWF_ERR_RESERVED);
	/* what does not fit is not written */
	assert_int_equal(hwf_riscv_encode(&config, &packet, bytes, sizeof(bytes)),
			 HWF_ERR_BAD_PAYLOAD);
	packet = (struct hwf_riscv_packet){HWF_RISCV_F2, {.address = ADDRESS(.value = 0x80000000)}};
	assert_int_equal(hwf_riscv_encode(&config, &packet, bytes, sizeof(bytes)),
			 HWF_ERR_BAD_PAYLOAD);
	packet.u.address.value = 0x22345678;
	assert_int_equal(hwf_riscv_encode(&config, &packet, bytes, 4), HWF_ERR_NO_SPACE);
	packet.type = HWF_RISCV_TE_SUPPORT;
	assert_int_equal(hwf_riscv_encode(&config, &packet, bytes, sizeof(bytes)),
			 HWF_ERR_RESERVED);
}

static void parameters_are_checked(void **state)
{
	struct hwf_riscv_params params = narrow(HWF_RISCV_DRAFT_026);
	struct hwf_riscv_config config = {.dialect = 77};

#define BAD(which, field, value)                                                 \
	do {                                                                     \
		params = narrow(which);                                          \
		params.field = value;                                            \
		assert_int_equal(hwf_riscv_config_init(&config, which, &params), \
				 HWF_ERR_BAD_CONFIG);                            \
		assert_int_equal(config.dialect, 77);                            \
	} while (0)
	(void)state;
	BAD(HWF_RISCV_DRAFT_026, iaddress_width_p, 1);
	BAD(HWF_RISCV_DRAFT_026, iaddress_width_p, 65);
	BAD(HWF_RISCV_DRAFT_026, iaddress_lsb_p, 4);
	BAD(HWF_RISCV_DRAFT_026, context_width_p, 33);
	BAD(HWF_RISCV_DRAFT_026, privilege_width_p, 0);
	BAD(HWF_RISCV_DRAFT_026, privilege_width_p, 5);
	BAD(HWF_RISCV_DRAFT_026, ecause_width_p, 17);
	BAD(HWF_RISCV_DRAFT_026, itype_width_p, 2);
	BAD(HWF_RISCV_DRAFT_026, call_counter_size_p, 1);
	BAD(HWF_RISCV_DRAFT_026, branch_prediction, true);
	BAD(HWF_RISCV_V1, time_width_p, 1);
	BAD(HWF_RISCV_V2, notval_p, 1);
	BAD(HWF_RISCV_V2, return_stack_size_p, HWF_RISCV_MIRROR_LOG2 + 1);
#undef BAD
	params = narrow(HWF_RISCV_V2);
	params.return_stack_size_p = params.call_counter_size_p = 3;
	assert_int_equal(hwf_riscv_config_init(&config, HWF_RISCV_V2, &params), HWF_ERR_BAD_CONFIG);
}

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static struct hwf_riscv_config random_config(uint64_t *seed)
{
	const enum hwf_riscv_dialect dialect = (enum hwf_riscv_dialect)(random_next(seed) >> 8) % 3;
	const bool ratified = dialect != HWF_RISCV_DRAFT_026;
	const uint64_t bits = random_next(seed);
	struct hwf_riscv_params params = {
		.iaddress_width_p = (uint8_t)(4 + (bits >> 3) % 61),
		.iaddress_lsb_p = bits >> 9 & 3,
		.context_width_p = (uint8_t)((bits >> 11) % 33),
		.nocontext_p = bits >> 17 & 1,
		.privilege_width_p = (uint8_t)(1 + (bits >> 18 & 3)),
		.ecause_width_p = (uint8_t)(1 + (bits >> 20 & 15)),
		.itype_width_p = 3,
		.notval_p = !ratified && (bits >> 24 & 1),
		.full_address = bits >> 25 & 1,
	};

	if (ratified) {
		params.time_width_p = dialect == HWF_RISCV_V2 ? (uint8_t)((bits >> 26) % 33) : 0;
		params.return_stack_size_p = bits >> 32 & 1 ? 3 : 0;
		params.call_counter_size_p = bits >> 32 & 1 ? 0 : (uint8_t)(bits >> 33 & 7);
		params.bpred_size_p = params.cache_size_p = (uint8_t)(1 + (bits >> 36 & 7));
		params.f0s_width_p = 1;
		params.branch_prediction = params.jump_target_cache = true;
		params.implicit_exception = bits >> 40 & 1;
	}
	return riscv_config(dialect, &params);
}

/* Any bytes: what decodes is the same packet when it was encoded again, of every type. */
static void any_bytes(void **state)
{
	uint64_t seed = 0x5eed;
	unsigned int decoded[HWF_RISCV_TYPES] = {0};

	(void)state;
	for (unsigned int round = 0; round < 200000; round++) {
		const struct hwf_riscv_config config = random_config(&seed);
		const bool support = config.dialect == HWF_RISCV_DRAFT_026 && !(round & 15);
		struct hwf_riscv_packet packet, again;
		uint8_t bytes[HWF_RISCV_MAX_PAYLOAD], out[HWF_RISCV_MAX_PAYLOAD];
		size_t length = 1 + random_next(&seed) % HWF_RISCV_MAX_PAYLOAD;
		char want[256], got[256];
		int size;

		for (size_t i = 0; i < length; i++)
			bytes[i] = (uint8_t)(random_next(&seed) >> 16);
		if (support)
			bytes[0] = 0xd0, bytes[1] &= 0xf0;
		if (hwf_riscv_decode(&config, support, bytes, length, &packet))
			continue;
		decoded[packet.type]++;
		size = hwf_riscv_encode(&config, &packet, out, sizeof(out));
		assert_true(size > 0);
		assert_int_equal(hwf_riscv_decode(&config, support, out, (size_t)size, &again), 0);
		riscv_describe(&packet, want, sizeof(want));
		riscv_describe(&again, got, sizeof(got));
		assert_string_equal(got, want);
	}
	for (unsigned int type = 0; type < HWF_RISCV_TYPES; type++)
		assert_true(decoded[type] > 20);
}

/* Bare payloads: as long as their fields are, whatever follows */
static void bare_payloads(void **state)
{
	const struct hwf_riscv_config config = narrow_config(HWF_RISCV_V2);
	/* F2: 2 + 31 + 3 bits are 5 bytes; F3.2: 4 + 2 bits */
	static const uint8_t bytes[] = {0x22, 0, 0, 0, 0x00, 0x3b, 0xff};
	struct hwf_riscv_packet packet;

	(void)state;
	assert_int_equal(hwf_riscv_decode_bare(&config, bytes, sizeof(bytes), &packet), 5);
	assert_int_equal(packet.type, HWF_RISCV_F2);
	assert_int_equal(packet.u.address.value, 8);
	assert_int_equal(hwf_riscv_decode_bare(&config, bytes, 4, &packet), HWF_ERR_NEED_MORE);
	assert_int_equal(hwf_riscv_decode_bare(&config, bytes + 5, 1, &packet), 1);
	assert_int_equal(packet.u.sync.privilege, 3);
	assert_int_equal(hwf_riscv_decode_bare(&config, bytes, 0, &packet), HWF_ERR_NEED_MORE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draft_vectors),
		cmocka_unit_test(ratified_examples),
		cmocka_unit_test(ratified_options),
		cmocka_unit_test(irets_vectors),
		cmocka_unit_test(version_1_vectors),
		cmocka_unit_test(map_lengths),
		cmocka_unit_test(refused),
		cmocka_unit_test(implicit_exception),
		cmocka_unit_test(unused_map_bits),
		cmocka_unit_test(reserved_values),
		cmocka_unit_test(parameters_are_checked),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(bare_payloads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
