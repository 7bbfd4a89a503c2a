// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * What ETMv4 has beyond ETE, and lacks: header bytes, configurations, golden vectors by hand, round
 * trips.
 */
#include "packet_test.h"

#include "codec/ete/ete_private.h"

/* TRCIDR0: TRCCOND, TRCDATA, INSTP0; TRCIDR1: ETMv4.x; TRCIDR2: 32-bit addresses alone */
#define IDR0_COND     (1u << 6)
#define IDR0_DATA     (3u << 3)
#define IDR0_INSTP0   (3u << 1)
#define IDR1(minor)   (0x4100f400u | (minor) << 4)
#define IDR0_QSUPP    (3u << 15)
#define IDR2_M        0x4u
#define DEVARCH_V4    0x47724a13u
#define CONFIGR_COND  (7u << 8)
#define CONFIGR_DATA  (3u << 16)
#define CONFIGR_LOADS (1u << 1)

static struct hwf_ete_regs regs_of(unsigned int minor)
{
	return (struct hwf_ete_regs){
		.trcidr0 = 0x28000ea1u & ~(1u << 29),
		.trcidr1 = IDR1(minor),
		.trcidr2 = IDR2_ALL,
		.protocol = HWF_PROTOCOL_ETMV4,
	};
}

static struct hwf_ete_config config_of(const struct hwf_ete_regs *regs)
{
	struct hwf_ete_config config;

	assert_int_equal(hwf_ete_config_init(&config, regs), 0);
	return config;
}

/* A trace unit that traces all there is; @m: of an M-profile PE */
static struct hwf_ete_config everything(bool m)
{
	struct hwf_ete_regs regs = regs_of(5);

	regs.trcidr0 |= IDR0_COND | IDR0_DATA | IDR0_QSUPP;
	regs.trcconfigr |= CONFIGR_COND | CONFIGR_DATA;
	regs.trcidr8 = 0x20;
	if (m)
		regs.trcidr2 = IDR2_M;
	return config_of(&regs);
}

/* Reserved in ETMv4 whatever the configuration (Arm IHI 0064) */
static bool is_reserved(unsigned int header)
{
	static const uint8_t ranges[][2] = {
		{0x08, 0x0b}, {0x47, 0x47}, {0x4b, 0x4b}, {0x4f, 0x4f}, {0x60, 0x67},
		{0x84, 0x84}, {0x87, 0x8f}, {0x93, 0x94}, {0x97, 0x99}, {0x9c, 0x9c},
		{0x9f, 0x9f}, {0xa3, 0xa4}, {0xa7, 0xa9}, {0xad, 0xae}, {0xb0, 0xbf},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (header >= ranges[i][0] && header <= ranges[i][1])
			return true;
	return false;
}

static void every_header_byte_is_claimed_once_or_reserved(void **state)
{
	struct hwf_ete_config config = everything(true);
	uint8_t bytes[32] = {0};

	(void)state;
	for (unsigned int header = 0; header < 256; header++) {
		struct hwf_ete_packet packet;
		unsigned int type;

		assert_int_equal(hwf_ete_claims(HWF_PROTOCOL_ETMV4, (uint8_t)header, &type),
				 !is_reserved(header));
		assert_int_equal(hwf_ete_header_type(HWF_PROTOCOL_ETMV4, (uint8_t)header), type);
		bytes[0] = (uint8_t)header;
		if (is_reserved(header))
			assert_int_equal(hwf_ete_decode(&config, bytes, sizeof(bytes), &packet),
					 HWF_ERR_RESERVED);
		else
			assert_int_not_equal(hwf_ete_decode(&config, bytes, sizeof(bytes), &packet),
					     HWF_ERR_RESERVED);
	}
}

/* Is this header byte, with zeros behind it, one of a packet? */
static bool is_packet(const struct hwf_ete_config *config, uint8_t header)
{
	const uint8_t bytes[32] = {header};
	struct hwf_ete_packet packet;

	return hwf_ete_decode(config, bytes, sizeof(bytes), &packet) > 0;
}

static void packets_of_what_is_not_traced_are_reserved(void **state)
{
	static const uint8_t conditional[] = {0x40, 0x43, 0x44, 0x48, 0x50, 0x68, 0x6c, 0x6d};
	struct hwf_ete_regs regs = regs_of(2);
	struct hwf_ete_config without = config_of(&regs);
	struct hwf_ete_config with = everything(false);
	struct hwf_ete_config m = everything(true);

	(void)state;
	for (size_t i = 0; i < sizeof(conditional); i++) {
		assert_true(is_packet(&with, conditional[i]));
		assert_false(is_packet(&without, conditional[i]));
	}
	assert_true(is_packet(&with, 0x23));
	assert_true(is_packet(&with, 0x2a));
	assert_false(is_packet(&without, 0x23));
	assert_false(is_packet(&without, 0x2a));
	/* what is implemented may be off, and what is on may be not implemented */
	regs.trcidr0 |= IDR0_COND | IDR0_DATA;
	without = config_of(&regs);
	assert_false(is_packet(&without, 0x43));
	assert_false(is_packet(&without, 0x20));
	regs = regs_of(2);
	regs.trcconfigr = CONFIGR_COND | CONFIGR_DATA;
	without = config_of(&regs);
	assert_false(is_packet(&without, 0x43));
	assert_false(is_packet(&without, 0x20));
	/* Ignore from ETMv4.3 on; Function Return of Armv8-M */
	assert_false(is_packet(&without, 0x70));
	assert_true(is_packet(&with, 0x70));
	assert_false(is_packet(&with, 0x05));
	assert_true(is_packet(&m, 0x05));
	assert_true(is_packet(&with, 0x07));
}

static void registers_say_what_it_is(void **state)
{
	struct hwf_ete_regs regs = regs_of(2);
	struct hwf_ete_config config = config_of(&regs);

	(void)state;
	assert_int_equal(config.protocol, HWF_PROTOCOL_ETMV4);
	assert_int_equal(config.revision, 2);
	/* no transactions; WFXMODE not before ETMv4.3 */
	assert_false(config.start_is_p0);
	assert_false(config.wfx);
	assert_false(config.m_profile);
	assert_true(config.traces_eret);
	assert_false(config.eret_is_p0);
	regs.trcidr1 = IDR1(3);
	config = config_of(&regs);
	assert_true(config.wfx);
	regs.trcidr1 = 0;
	config = config_of(&regs);
	assert_int_equal(config.revision, 0xff);
	/* an Exception Return is a P0 element of each M profile: Armv7-M, Armv8-M */
	regs.trcidr2 = IDR2_M;
	regs.trcidr1 = IDR1(0);
	config = config_of(&regs);
	assert_true(config.m_profile);
	assert_true(config.eret_is_p0);
	regs.trcidr1 = IDR1(2);
	config = config_of(&regs);
	assert_true(config.eret_is_p0);
	regs.trcidr1 = IDR1(5);
	config = config_of(&regs);
	assert_true(config.eret_is_p0);
	/* AArch32 with a Context ID: no M-profile */
	regs.trcidr2 = 0x84;
	config = config_of(&regs);
	assert_false(config.m_profile);
	assert_false(config.load_store_p0);
	regs.trcconfigr = CONFIGR_LOADS;
	config = config_of(&regs);
	assert_false(config.load_store_p0);
	regs.trcidr0 |= IDR0_INSTP0;
	config = config_of(&regs);
	assert_true(config.load_store_p0);
}

static void registers_of_another_architecture_are_refused(void **state)
{
	struct hwf_ete_regs regs = regs_of(2);
	struct hwf_ete_config config;

	(void)state;
	regs.trcdevarch = DEVARCH_V4;
	assert_int_equal(hwf_ete_config_init(&config, &regs), 0);
	regs.trcdevarch = DEVARCH_V1P3;
	assert_int_equal(hwf_ete_config_init(&config, &regs), HWF_ERR_BAD_CONFIG);
	regs.trcdevarch = DEVARCH_V4;
	regs.protocol = HWF_PROTOCOLS;
	assert_int_equal(hwf_ete_config_init(&config, &regs), HWF_ERR_BAD_CONFIG);
}

static int error_of(const struct hwf_ete_config *config, const char *hex)
{
	struct hwf_ete_packet packet;
	uint8_t bytes[64];
	size_t length = test_bytes(hex, bytes);

	return hwf_ete_decode(config, bytes, length, &packet);
}

static void exceptions_have_one_byte_or_two(void **state)
{
	struct hwf_ete_config a = everything(false);
	struct hwf_ete_config m = everything(true);
	struct hwf_ete_packet packet;

	(void)state;
	packet = decoded(&a, "06 1d", HWF_ETE_EXCEPTION);
	assert_int_equal(packet.u.exception.type, HWF_EXC_IRQ);
	assert_int_equal(packet.u.exception.ee, 1);
	assert_false(packet.u.exception.wide);
	/* that of a PE Reset has an address too */
	packet = decoded(&a, "06 40", HWF_ETE_EXCEPTION);
	assert_int_equal(packet.u.exception.type, HWF_EXC_PE_RESET);
	assert_int_equal(packet.u.exception.ee, 2);
	/* no Transaction Failure, no second byte */
	assert_int_equal(error_of(&a, "06 31"), HWF_ERR_BAD_PAYLOAD);
	assert_int_equal(error_of(&a, "06 9d 00"), HWF_ERR_BAD_PAYLOAD);
	assert_int_equal(error_of(&a, "06 1c"), HWF_ERR_BAD_PAYLOAD);
	assert_int_equal(error_of(&a, "06 5d"), HWF_ERR_BAD_PAYLOAD);
	/* BusFault, which is reserved elsewhere */
	packet = decoded(&m, "06 0b", HWF_ETE_EXCEPTION);
	assert_int_equal(packet.u.exception.type, HWF_EXC_M_BUS_FAULT);
	/* by hand: C, E1:E0 01, TYPE[4:0] 01000; TYPE[9:5] 10000, P: 0x208, interrupt 8 */
	packet = decoded(&m, "06 91 30", HWF_ETE_EXCEPTION);
	assert_int_equal(packet.u.exception.type, HWF_EXC_M_IRQ8);
	assert_true(packet.u.exception.wide);
	assert_true(packet.u.exception.fault_pending);
	assert_int_equal(error_of(&m, "06 91 70"), HWF_ERR_BAD_PAYLOAD);
	assert_int_equal(error_of(&m, "06 01"), HWF_ERR_BAD_PAYLOAD);
	assert_int_equal(error_of(&m, "06 91"), HWF_ERR_NEED_MORE);
}

static void markers_have_a_number_or_atoms(void **state)
{
	struct hwf_ete_config config = everything(false);
	struct hwf_ete_packet packet;

	(void)state;
	packet = decoded(&config, "27", HWF_ETE_DATA_SYNC_MARKER_NUMBERED);
	assert_int_equal(packet.u.data_sync.number, 7);
	assert_int_equal(packet.u.data_sync.atoms.count, 0);
	packet = decoded(&config, "28", HWF_ETE_DATA_SYNC_MARKER_UNNUMBERED);
	assert_int_equal(packet.u.data_sync.atoms.count, 0);
	packet = decoded(&config, "2c", HWF_ETE_DATA_SYNC_MARKER_UNNUMBERED);
	assert_int_equal(packet.u.data_sync.atoms.count, 4);
	assert_int_equal(packet.u.data_sync.atoms.bits, 0xf);
}

static void conditional_instructions_have_their_fields(void **state)
{
	struct hwf_ete_config config = everything(false);
	struct hwf_ete_packet packet;

	(void)state;
	/* 0x85, 0x01: key 5 + 1 * 128 */
	packet = decoded(&config, "6c 85 01", HWF_ETE_COND_INSTR_F1);
	assert_int_equal(packet.u.cond_instr.key, 133);
	packet = decoded(&config, "42", HWF_ETE_COND_INSTR_F2);
	assert_int_equal(packet.u.cond_instr.ci, 2);
	/* NUM in bits 6:1, Z in bit 0 */
	packet = decoded(&config, "6d 2b", HWF_ETE_COND_INSTR_F3);
	assert_int_equal(packet.u.cond_instr.count, 21);
	assert_true(packet.u.cond_instr.same);
	assert_int_equal(error_of(&config, "6d 80"), HWF_ERR_BAD_PAYLOAD);
	decoded(&config, "43", HWF_ETE_COND_FLUSH);
}

static void conditional_results_have_their_fields(void **state)
{
	struct hwf_ete_config config = everything(false);
	struct hwf_ete_packet packet;

	(void)state;
	/* one element, CI set: result 9, key 6 */
	packet = decoded(&config, "6f 69", HWF_ETE_COND_RESULT_F1);
	assert_int_equal(packet.u.cond_result.count, 1);
	assert_true(packet.u.cond_result.ci[0]);
	assert_int_equal(packet.u.cond_result.result[0], 9);
	assert_int_equal(packet.u.cond_result.key[0], 6);
	/* two, CI of the second set: result 1, key 3 + 2 * 8; result 0, key 7 */
	packet = decoded(&config, "6a b1 02 70", HWF_ETE_COND_RESULT_F1);
	assert_int_equal(packet.u.cond_result.count, 2);
	assert_false(packet.u.cond_result.ci[0]);
	assert_true(packet.u.cond_result.ci[1]);
	assert_int_equal(packet.u.cond_result.key[0], 19);
	assert_int_equal(packet.u.cond_result.result[0], 1);
	assert_int_equal(packet.u.cond_result.key[1], 7);
	/* keys have 32 bits */
	packet = decoded(&config, "6e f0 ff ff ff ff 01", HWF_ETE_COND_RESULT_F1);
	assert_int_equal(packet.u.cond_result.key[0], 0xffffffff);
	assert_int_equal(error_of(&config, "6e f0 ff ff ff ff 03"), HWF_ERR_BAD_PAYLOAD);
	assert_int_equal(error_of(&config, "6e f0 80 80 80 80 80 00"), HWF_ERR_BAD_PAYLOAD);
	packet = decoded(&config, "4e", HWF_ETE_COND_RESULT_F2);
	assert_int_equal(packet.u.cond_result.skip, 1);
	assert_int_equal(packet.u.cond_result.tokens, 2);
	packet = decoded(&config, "5a bc", HWF_ETE_COND_RESULT_F3);
	assert_int_equal(packet.u.cond_result.tokens, 0xabc);
	packet = decoded(&config, "45", HWF_ETE_COND_RESULT_F4);
	assert_int_equal(packet.u.cond_result.tokens, 1);
}

static void round_trips(void **state)
{
	const struct hwf_ete_config a = everything(false);
	const struct hwf_ete_config m = everything(true);

	(void)state;
	round_trips_of(&a, 200);
	round_trips_of(&m, 200);
}

static void encoders_refuse_what_there_is_not(void **state)
{
	const struct hwf_ete_config a = everything(false);
	const struct hwf_ete_config m = everything(true);
	const struct hwf_ete_config ete = test_config(0, 0x20, 0);
	struct hwf_ete_regs regs = regs_of(2);
	const struct hwf_ete_config plain = config_of(&regs);
	const struct {
		const struct hwf_ete_config *config;
		struct hwf_ete_packet packet;
	} bad[] = {
		{&a, {.type = HWF_ETE_INSTRUMENTATION}},
		{&a, {.type = HWF_ETE_PE_RESET}},
		{&a, {.type = HWF_ETE_TIMESTAMP_MARKER}},
		{&a, {.type = HWF_ETE_SOURCE_ADDRESS_EXACT_MATCH}},
		{&ete, {.type = HWF_ETE_EXCEPTION_RETURN}},
		{&ete, {.type = HWF_ETE_COND_FLUSH}},
		{&ete,
		 {.type = HWF_ETE_EXCEPTION, .u.exception = {.type = 2, .ee = 1, .wide = true}}},
		{&a, {.type = HWF_ETE_FUNCTION_RETURN}},
		{&a, {.type = HWF_ETE_EXCEPTION, .u.exception = {.type = 0x18, .ee = 1}}},
		{&a,
		 {.type = HWF_ETE_EXCEPTION, .u.exception = {.type = 2, .ee = 1, .wide = true}}},
		{&a, {.type = HWF_ETE_EXCEPTION, .u.exception = {.type = 2, .ee = 3}}},
		{&m, {.type = HWF_ETE_EXCEPTION, .u.exception = {.type = 0x208, .ee = 1}}},
		{&m,
		 {.type = HWF_ETE_EXCEPTION,
		  .u.exception = {.type = 0x400, .ee = 1, .wide = true}}},
		{&m,
		 {.type = HWF_ETE_EXCEPTION,
		  .u.exception = {.type = 2, .ee = 1, .fault_pending = true}}},
		{&plain, {.type = HWF_ETE_IGNORE}},
		{&plain, {.type = HWF_ETE_COND_FLUSH}},
		{&plain, {.type = HWF_ETE_COND_INSTR_F2}},
		{&plain, {.type = HWF_ETE_COND_RESULT_F4}},
		{&plain, {.type = HWF_ETE_DATA_SYNC_MARKER_NUMBERED}},
		{&a, {.type = HWF_ETE_DATA_SYNC_MARKER_NUMBERED, .u.data_sync = {.number = 8}}},
		{&a,
		 {.type = HWF_ETE_DATA_SYNC_MARKER_UNNUMBERED,
		  .u.data_sync = {.atoms = {.bits = 1, .count = 2}}}},
		{&a, {.type = HWF_ETE_COND_INSTR_F2, .u.cond_instr = {.ci = 3}}},
		{&a, {.type = HWF_ETE_COND_INSTR_F3, .u.cond_instr = {.count = 64}}},
		{&a, {.type = HWF_ETE_COND_RESULT_F1}},
		{&a,
		 {.type = HWF_ETE_COND_RESULT_F1, .u.cond_result = {.count = 1, .result = {16}}}},
		{&a, {.type = HWF_ETE_COND_RESULT_F2, .u.cond_result = {.tokens = 3}}},
		{&a, {.type = HWF_ETE_COND_RESULT_F3, .u.cond_result = {.tokens = 0x1000}}},
		{&a, {.type = HWF_ETE_COND_RESULT_F4, .u.cond_result = {.skip = 1}}},
		{&a, {.type = HWF_ETE_CONTEXT, .u.context = {.nse = 1}}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint8_t out[64];

		assert_int_equal(hwf_ete_encode(bad[i].config, &bad[i].packet, out, sizeof(out)),
				 HWF_ERR_BAD_PAYLOAD);
	}
}

static void contexts_have_no_nse(void **state)
{
	struct hwf_ete_config config = everything(false);
	struct hwf_ete_packet packet;

	(void)state;
	packet = decoded(&config, "81 31", HWF_ETE_CONTEXT);
	assert_int_equal(packet.u.context.el, 1);
	assert_int_equal(error_of(&config, "81 39"), HWF_ERR_BAD_PAYLOAD);
}

static void exceptions_have_names(void **state)
{
	(void)state;
	assert_string_equal(hwf_exception_m_name(HWF_EXC_M_SVC), "SVCall");
	assert_string_equal(hwf_exception_m_name(HWF_EXC_M_IRQ7), "interrupt");
	assert_string_equal(hwf_exception_m_name(HWF_EXC_M_IRQ8), "interrupt");
	assert_string_equal(hwf_exception_m_name(0), "reserved");
	assert_string_equal(hwf_exception_m_name(0x1b), "reserved");
	assert_string_equal(hwf_exception_m_name(0x3f0), "reserved");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_header_byte_is_claimed_once_or_reserved),
		cmocka_unit_test(packets_of_what_is_not_traced_are_reserved),
		cmocka_unit_test(registers_say_what_it_is),
		cmocka_unit_test(registers_of_another_architecture_are_refused),
		cmocka_unit_test(exceptions_have_one_byte_or_two),
		cmocka_unit_test(markers_have_a_number_or_atoms),
		cmocka_unit_test(conditional_instructions_have_their_fields),
		cmocka_unit_test(conditional_results_have_their_fields),
		cmocka_unit_test(round_trips),
		cmocka_unit_test(encoders_refuse_what_there_is_not),
		cmocka_unit_test(contexts_have_no_nse),
		cmocka_unit_test(exceptions_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
