// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Packets: every header byte, golden vectors by hand, round trips, truncation, resynchronisation.
 */
#include <stdio.h>

#include "packet_test.h"

#include "codec/ete/ete_private.h"

static void every_header_byte_is_claimed_once_or_reserved(void **state)
{
	unsigned int claimed = 0;

	(void)state;
	for (unsigned int header = 0; header < 256; header++) {
		unsigned int type;
		unsigned int claims = hwf_ete_claims(HWF_PROTOCOL_ETE, (uint8_t)header, &type);

		assert_in_range(claims, 0, 1);
		assert_int_equal(hwf_ete_header_type(HWF_PROTOCOL_ETE, (uint8_t)header), type);
		claimed += claims;
	}
	/* the header map of spec/ete-packets.md section 2 reserves 94 */
	assert_int_equal(claimed, 256 - 94);
}

static void reserved_headers_are_those_of_the_sheet(void **state)
{
	static const uint8_t ranges[][2] = {
		{0x05, 0x05}, {0x07, 0x08}, {0x20, 0x2c}, {0x40, 0x6f}, {0x84, 0x84}, {0x87, 0x87},
		{0x89, 0x8f}, {0x93, 0x94}, {0x97, 0x99}, {0x9c, 0x9c}, {0x9f, 0x9f}, {0xa3, 0xa4},
		{0xa7, 0xa9}, {0xad, 0xae}, {0xb3, 0xb3}, {0xba, 0xbf},
	};
	struct hwf_ete_config config = test_config(0, 0, 0);
	uint8_t bytes[32] = {0};

	(void)state;
	for (unsigned int header = 0; header < 256; header++) {
		struct hwf_ete_packet packet;
		bool reserved = false;
		int size;

		for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
			reserved |= header >= ranges[i][0] && header <= ranges[i][1];
		bytes[0] = (uint8_t)header;
		size = hwf_ete_decode(&config, bytes, sizeof(bytes), &packet);
		if (reserved)
			assert_int_equal(size, HWF_ERR_RESERVED);
		else
			assert_int_not_equal(size, HWF_ERR_RESERVED);
	}
}

struct atoms_vector {
	uint8_t header;
	const char *atoms;
};

static void atoms_read_oldest_first(void **state)
{
	static const struct atoms_vector vectors[] = {
		{0xf6, "N"},
		{0xf7, "E"},
		{0xd8, "NN"},
		{0xd9, "EN"},
		{0xda, "NE"},
		{0xdb, "EE"},
		{0xf8, "NNN"},
		{0xf9, "ENN"},
		{0xfa, "NEN"},
		{0xfb, "EEN"},
		{0xfc, "NNE"},
		{0xfd, "ENE"},
		{0xfe, "NEE"},
		{0xff, "EEE"},
		{0xdc, "NEEE"},
		{0xdd, "NNNN"},
		{0xde, "NENE"},
		{0xdf, "ENEN"},
		{0xd5, "NNNNN"},
		{0xd6, "NENEN"},
		{0xd7, "ENENE"},
		{0xf5, "NEEEE"},
		{0xc0, "EEEE"},
		{0xe0, "EEEN"},
		{0xd4, "EEEEEEEEEEEEEEEEEEEEEEEE"},
		{0xf4, "EEEEEEEEEEEEEEEEEEEEEEEN"},
		{0xea, "EEEEEEEEEEEEEN"},
	};
	struct hwf_ete_config config = test_config(0, 0, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		struct hwf_ete_packet packet;

		assert_int_equal(hwf_ete_decode(&config, &vectors[i].header, 1, &packet), 1);
		assert_int_equal(packet.u.atoms.count, strlen(vectors[i].atoms));
		for (unsigned int a = 0; a < packet.u.atoms.count; a++)
			assert_int_equal(packet.u.atoms.bits >> a & 1, vectors[i].atoms[a] == 'E');
		assert_int_equal(hwf_ete_atoms_packet(&packet.u.atoms), packet.type);
	}
}

static void addresses_have_their_bits_in_place(void **state)
{
	struct hwf_ete_config config = test_config(0, 0, 0);
	struct hwf_ete_packet packet;

	(void)state;
	packet = decoded(&config, "95 45", HWF_ETE_TARGET_ADDRESS_SHORT_IS0);
	assert_int_equal(packet.u.address.value, 0x114);
	assert_int_equal(packet.u.address.bits, 9);
	packet = decoded(&config, "95 b0 4f", HWF_ETE_TARGET_ADDRESS_SHORT_IS0);
	assert_int_equal(packet.u.address.value, 0x9ec0);
	assert_int_equal(packet.u.address.bits, 17);
	packet = decoded(&config, "b5 7c", HWF_ETE_SOURCE_ADDRESS_SHORT_IS1);
	assert_int_equal(packet.u.address.value, 0xf8);
	assert_int_equal(packet.u.address.bits, 8);
	packet = decoded(&config, "9a 14 1a 00 01", HWF_ETE_TARGET_ADDRESS_32BIT_IS0);
	assert_int_equal(packet.u.address.value, 0x01003450);
	packet = decoded(&config, "9d 00 29 93 7e 7f 00 00 00", HWF_ETE_TARGET_ADDRESS_64BIT_IS0);
	assert_int_equal(packet.u.address.value, 0x0000007f7e935200);
	/* by hand: A[7:1] = 0x7f, A[15:8] = 0xff, A[31:16] = 0x1234 */
	packet = decoded(&config, "9b 7f ff 34 12", HWF_ETE_TARGET_ADDRESS_32BIT_IS1);
	assert_int_equal(packet.u.address.value, 0x1234fffe);
	assert_int_equal(packet.u.address.is, 1);
	packet = decoded(&config, "91", HWF_ETE_TARGET_ADDRESS_EXACT_MATCH);
	assert_int_equal(packet.u.entry, 1);
}

static void contexts_have_their_fields(void **state)
{
	struct hwf_ete_config config = test_config(0, 0, 0);
	struct hwf_ete_packet packet;

	(void)state;
	packet = decoded(&config, "82 6e 08 0a 00 f1 00 00 00 00 00 43 00 00",
			 HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_32BIT_IS0);
	assert_int_equal(packet.u.address_context.address.value, 0xa11b8);
	assert_int_equal(packet.u.address_context.context.el, 1);
	assert_true(packet.u.address_context.context.has_vmid);
	assert_true(packet.u.address_context.context.has_cid);
	assert_int_equal(packet.u.address_context.context.cid, 0x4300);
	packet = decoded(&config, "81 3a", HWF_ETE_CONTEXT);
	assert_int_equal(packet.u.context.el, 2);
	assert_int_equal(packet.u.context.nse, 1);
	assert_int_equal(packet.u.context.ns, 1);
	assert_int_equal(packet.u.context.sf, 1);
	packet = decoded(&config, "80", HWF_ETE_CONTEXT);
	assert_true(packet.u.context.same);
}

static void trace_info_has_its_sections(void **state)
{
	struct hwf_ete_config config = test_config(0, 0, 0);
	struct hwf_ete_packet packet;

	(void)state;
	packet = decoded(&config, "01 00", HWF_ETE_TRACE_INFO);
	assert_int_equal(packet.u.trace_info.info, 0);
	packet = decoded(&config, "01 09 01 16", HWF_ETE_TRACE_INFO);
	assert_int_equal(packet.u.trace_info.info, HWF_ETE_INFO_CC_ENABLED);
	assert_int_equal(packet.u.trace_info.cc_threshold, 0x16);
	/* bits of INFO without a meaning are no reason to reject it */
	packet = decoded(&config, "01 01 10", HWF_ETE_TRACE_INFO);
	assert_int_equal(packet.u.trace_info.info, 0x10);
	/* all sections, SPEC 300 in two bytes */
	packet = decoded(&config, "01 1f 41 05 ac 02 07 01", HWF_ETE_TRACE_INFO);
	assert_int_equal(packet.u.trace_info.info,
			 HWF_ETE_INFO_IN_TRANSACTION | HWF_ETE_INFO_CC_ENABLED);
	assert_int_equal(packet.u.trace_info.key, 5);
	assert_int_equal(packet.u.trace_info.spec_depth, 300);
	assert_int_equal(packet.u.trace_info.cc_threshold, 7);
	assert_int_equal(packet.u.trace_info.window, 1);
	/* a second control byte has no meaning yet */
	packet = decoded(&config, "01 84 00 02", HWF_ETE_TRACE_INFO);
	assert_int_equal(packet.u.trace_info.spec_depth, 2);
}

static void cycle_counts_in_both_commit_modes(void **state)
{
	struct hwf_ete_config mode0 = test_config(0, 0x78, 0);
	struct hwf_ete_config mode1 = test_config(IDR0_COMMOPT, 0, 0);
	struct hwf_ete_packet packet;

	(void)state;
	packet = decoded(&mode1, "0e 88 01", HWF_ETE_CYCLE_COUNT_F1);
	assert_int_equal(packet.u.cycle_count.count, 0x88);
	packet = decoded(&mode0, "0e 01 21", HWF_ETE_CYCLE_COUNT_F1);
	assert_int_equal(packet.u.cycle_count.commit, 1);
	assert_int_equal(packet.u.cycle_count.count, 0x21);
	packet = decoded(&mode1, "0f", HWF_ETE_CYCLE_COUNT_F1);
	assert_true(packet.u.cycle_count.unknown);
	packet = decoded(&mode0, "0f 01", HWF_ETE_CYCLE_COUNT_F1);
	assert_true(packet.u.cycle_count.unknown);
	assert_int_equal(packet.u.cycle_count.commit, 1);
	packet = decoded(&mode1, "0d f5", HWF_ETE_CYCLE_COUNT_F2);
	assert_int_equal(packet.u.cycle_count.commit, 0);
	assert_int_equal(packet.u.cycle_count.count, 5);
	packet = decoded(&mode0, "0c 96", HWF_ETE_CYCLE_COUNT_F2);
	assert_int_equal(packet.u.cycle_count.commit, 10);
	assert_int_equal(packet.u.cycle_count.count, 6);
	/* F=1: MAXSPEC + AAAA - 15 */
	packet = decoded(&mode0, "0d f1", HWF_ETE_CYCLE_COUNT_F2);
	assert_int_equal(packet.u.cycle_count.commit, 0x78);
	packet = decoded(&mode0, "1e", HWF_ETE_CYCLE_COUNT_F3);
	assert_int_equal(packet.u.cycle_count.commit, 4);
	assert_int_equal(packet.u.cycle_count.count, 2);
	packet = decoded(&mode1, "13", HWF_ETE_CYCLE_COUNT_F3);
	assert_int_equal(packet.u.cycle_count.count, 3);
}

static void resolutions_carry_their_atoms(void **state)
{
	struct hwf_ete_config config = test_config(0, 0xff, 0);
	struct hwf_ete_packet packet;

	(void)state;
	packet = decoded(&config, "2d 81 01", HWF_ETE_COMMIT);
	assert_int_equal(packet.u.resolve.commit, 129);
	packet = decoded(&config, "2e 04", HWF_ETE_CANCEL_F1);
	assert_int_equal(packet.u.resolve.cancel, 4);
	assert_false(packet.u.resolve.mispredict);
	packet = decoded(&config, "2f 04", HWF_ETE_CANCEL_F1);
	assert_true(packet.u.resolve.mispredict);
	packet = decoded(&config, "33", HWF_ETE_MISPREDICT);
	assert_int_equal(packet.u.resolve.atoms.count, 1);
	assert_int_equal(packet.u.resolve.atoms.bits, 0);
	packet = decoded(&config, "36", HWF_ETE_CANCEL_F2);
	assert_int_equal(packet.u.resolve.atoms.count, 2);
	assert_int_equal(packet.u.resolve.atoms.bits, 3);
	assert_int_equal(packet.u.resolve.cancel, 1);
	assert_true(packet.u.resolve.mispredict);
	packet = decoded(&config, "3f", HWF_ETE_CANCEL_F3);
	assert_int_equal(packet.u.resolve.atoms.count, 1);
	assert_int_equal(packet.u.resolve.cancel, 5);
}

static void the_rest_of_the_packets(void **state)
{
	struct hwf_ete_config config = test_config(0, 0, 0);
	struct hwf_ete_packet packet;

	(void)state;
	decoded(&config, "00 00 00 00 00 00 00 00 00 00 00 80", HWF_ETE_ALIGN_SYNC);
	decoded(&config, "00 03", HWF_ETE_DISCARD);
	decoded(&config, "00 05", HWF_ETE_OVERFLOW);
	decoded(&config, "04", HWF_ETE_TRACE_ON);
	decoded(&config, "06 01 70", HWF_ETE_PE_RESET);
	decoded(&config, "06 31 70", HWF_ETE_TRANSACTION_FAILURE);
	decoded(&config, "0a", HWF_ETE_TRANSACTION_START);
	decoded(&config, "0b", HWF_ETE_TRANSACTION_COMMIT);
	decoded(&config, "70", HWF_ETE_IGNORE);
	decoded(&config, "88", HWF_ETE_TIMESTAMP_MARKER);
	packet = decoded(&config, "06 1d", HWF_ETE_EXCEPTION);
	assert_int_equal(packet.u.exception.type, HWF_EXC_IRQ);
	assert_int_equal(packet.u.exception.ee, 1);
	packet = decoded(&config, "06 5c", HWF_ETE_EXCEPTION);
	assert_int_equal(packet.u.exception.type, HWF_EXC_IRQ);
	assert_int_equal(packet.u.exception.ee, 2);
	packet = decoded(&config, "7a", HWF_ETE_EVENT);
	assert_int_equal(packet.u.event, 0xa);
	packet = decoded(&config, "09 01 ff ff 0f 00 00 00 00 00", HWF_ETE_INSTRUMENTATION);
	assert_int_equal(packet.u.instrumentation.value, 0xfffff);
	packet = decoded(&config, "02 82 cc 81 80 ff ff ff ff ff", HWF_ETE_TIMESTAMP);
	assert_int_equal(packet.u.timestamp.value, 0xfffffffff0006602);
	assert_int_equal(packet.u.timestamp.bits, 64);
	packet = decoded(&config, "03 57 85 01", HWF_ETE_TIMESTAMP);
	assert_int_equal(packet.u.timestamp.bits, 7);
	assert_int_equal(packet.u.timestamp.count, 133);
	packet = decoded(&config, "a5 86 1c 03", HWF_ETE_Q);
	assert_int_equal(packet.u.q.address.value, 0x3818);
	assert_int_equal(packet.u.q.count, 3);
	packet = decoded(&config, "a1 07", HWF_ETE_Q);
	assert_int_equal(packet.u.q.entry, 1);
	packet = decoded(&config, "ac 07", HWF_ETE_Q);
	assert_false(packet.u.q.has_address);
	packet = decoded(&config, "af", HWF_ETE_Q);
	assert_false(packet.u.q.has_count);
}

static void malformed_payloads_are_errors(void **state)
{
	static const char *const bad[] = {
		"00 00 00 00 00 00 00 00 00 00 00 00 80", /* twelve zeros */
		"00 00 00 80",                            /* three zeros */
		"00 07",                                  /* no such extension */
		"01 20 00",                               /* Trace Info section 5 */
		"01 01 ff ff ff ff ff 01",                /* six bytes of INFO */
		"01 01 ff ff ff ff 1f",                   /* 33 bits of INFO */
		"06 00 70",                               /* E1:E0 = 00 */
		"06 5d",                                  /* E1:E0 = 11 */
		"06 0b",                                  /* reserved TYPE 5 */
		"06 9d",                                  /* M-profile continuation */
		"06 01 71",                               /* PE Reset without its third byte */
		"09 04 00 00 00 00 00 00 00 00",          /* EL 4 */
		"9a 80 00 00 00",                         /* bit 7 of address byte 1 */
		"9a 00 80 00 00",                         /* bit 7 of address byte 2, IS0 */
		"0e 81 81 81 01",                         /* four bytes of count */
		"14",                                     /* AA in commit mode 1 */
	};
	struct hwf_ete_config config = test_config(IDR0_COMMOPT, 0, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct hwf_ete_packet packet;
		uint8_t bytes[64];
		size_t length = test_bytes(bad[i], bytes);
		int err = hwf_ete_decode(&config, bytes, length, &packet);

		assert_true(err == HWF_ERR_BAD_PAYLOAD || (i == 2 && err == HWF_ERR_RESERVED));
	}
}

static void round_trips_under_every_configuration(void **state)
{
	struct hwf_ete_config mode0 = test_config(0, 0x78, 0);
	struct hwf_ete_config mode1 = test_config(IDR0_COMMOPT, 0, 0);

	(void)state;
	round_trips_of(&mode0, 200);
	round_trips_of(&mode1, 200);
}

static void encoders_refuse_what_the_packet_cannot_carry(void **state)
{
	struct hwf_ete_config config = test_config(0, 0x78, 0);
	const struct hwf_ete_packet bad[] = {
		{.type = HWF_ETE_ATOM_F4, .u.atoms = {.bits = 0xf, .count = 4}},
		{.type = HWF_ETE_TARGET_ADDRESS_32BIT_IS0,
		 .u.address = {.value = 2, .bits = 32, .is = 0}},
		{.type = HWF_ETE_TARGET_ADDRESS_SHORT_IS0,
		 .u.address = {.value = 0x400, .bits = 9, .is = 0}},
		{.type = HWF_ETE_EVENT, .u.event = 0},
		{.type = HWF_ETE_EXCEPTION, .u.exception = {.type = 5, .ee = 1}},
		{.type = HWF_ETE_CYCLE_COUNT_F3, .u.cycle_count = {.commit = 5}},
		{.type = HWF_ETE_CYCLE_COUNT_F2, .u.cycle_count = {.commit = 20, .count = 1}},
		{.type = HWF_ETE_CANCEL_F3, .u.resolve = {.cancel = 6, .mispredict = true}},
		{.type = HWF_ETE_TIMESTAMP, .u.timestamp = {.value = 0x80, .bits = 7}},
		{.type = HWF_ETE_INSTRUMENTATION, .u.instrumentation = {.el = 4}},
		{.type = HWF_ETE_UNSYNC},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		uint8_t out[64];

		assert_int_equal(hwf_ete_encode(&config, &bad[i], out, sizeof(out)),
				 HWF_ERR_BAD_PAYLOAD);
	}
}

/*
 * Types and sizes of the packets of a stream, as text: "UNSYNC:3 ALIGN_SYNC:12 ". What is no
 * packet may come in pieces where the input does; the pieces are added up.
 */
static void stream_text(const uint8_t *bytes, size_t length, size_t chunk, char *text)
{
	struct hwf_ete_config config = test_config(0, 0, 0);
	struct hwf_ete_stream stream;
	unsigned int open = HWF_ETE_ALL_TYPES;
	size_t open_size = 0;
	size_t at = 0;
	size_t given = 0;

	hwf_ete_stream_init(&stream, &config);
	*text = '\0';
	while (at < length) {
		struct hwf_ete_packet packet;
		size_t size = hwf_ete_stream_next(&stream, bytes + at, given - at, given == length,
						  &packet);

		assert_int_equal(stream.offset, at + size);
		assert_true(size || given < length);
		if (!size) {
			given = length - given < chunk ? length : given + chunk;
			continue;
		}
		at += size;
		if (open != packet.type && open != HWF_ETE_ALL_TYPES) {
			text += sprintf(text, "%s:%zu ", hwf_ete_type_name(open), open_size);
			open = HWF_ETE_ALL_TYPES;
			open_size = 0;
		}
		if (packet.type == HWF_ETE_UNSYNC || packet.type == HWF_ETE_BAD_SEQUENCE) {
			open = packet.type;
			open_size += size;
			continue;
		}
		text += sprintf(text, "%s:%zu%s ", hwf_ete_type_name(packet.type), size,
				stream.tentative && packet.type < HWF_ETE_TYPES ? "?" : "");
	}
	if (open != HWF_ETE_ALL_TYPES)
		sprintf(text, "%s:%zu ", hwf_ete_type_name(open), open_size);
}

static void streams_synchronise_and_resynchronise(void **state)
{
	static const char async[] = "00 00 00 00 00 00 00 00 00 00 00 80 ";
	static const struct {
		const char *before;
		const char *after;
		const char *packets;
	} cases[] = {
		{"", "f7", "ALIGN_SYNC:12 ATOM_F1:1 "},
		{"f7 00 00 80", "04", "UNSYNC:4 ALIGN_SYNC:12 TRACE_ON:1 "},
		{"00 00 00", "04", "UNSYNC:3 ALIGN_SYNC:12 TRACE_ON:1 "},
		{"", "07 f7 9a", "ALIGN_SYNC:12 RESERVED:1 ATOM_F1:1? INCOMPLETE:1 "},
		{"", "9a 80 04 04 04",
		 "ALIGN_SYNC:12 BAD_SEQUENCE:1 CONTEXT:1? TRACE_ON:1? TRACE_ON:1? TRACE_ON:1? "},
		{"", "9a 00", "ALIGN_SYNC:12 INCOMPLETE:2 "},
		/* thirteen zeros: two too many, then a synchronisation */
		{"", "00 00 00 00 00 00 00 00 00 00 00 00 00 80 04",
		 "ALIGN_SYNC:12 BAD_SEQUENCE:2 ALIGN_SYNC:12 TRACE_ON:1 "},
		/* after an error no packet runs over a synchronisation */
		{"", "07 9d 00 00 00 00 00 00 00 00 00 00 00 80 04",
		 "ALIGN_SYNC:12 RESERVED:1 BAD_SEQUENCE:1 ALIGN_SYNC:12 TRACE_ON:1 "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char hex[256];
		char text[512];
		uint8_t bytes[128];
		size_t length;

		snprintf(hex, sizeof(hex), "%s %s%s", cases[i].before, async, cases[i].after);
		length = test_bytes(*hex == ' ' ? hex + 1 : hex, bytes);
		for (size_t chunk = 1; chunk <= length; chunk++) {
			stream_text(bytes, length, chunk, text);
			assert_string_equal(text, cases[i].packets);
		}
	}
}

static void a_stream_never_ends_early(void **state)
{
	uint64_t seed = 42;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		uint8_t bytes[100];
		char text[8192];
		size_t length = random_next(&seed) % sizeof(bytes);

		for (size_t i = 0; i < length; i++) {
			uint64_t value = random_next(&seed);

			/* many zeros, so that synchronisations nearly occur */
			bytes[i] = value & 0x300 ? 0 : (uint8_t)value;
			if ((value & 0x7000) == 0x1000)
				bytes[i] = 0x80;
		}
		stream_text(bytes, length, 1 + random_next(&seed) % 16, text);
	}
}

static void registers_that_contradict_are_refused(void **state)
{
	struct hwf_ete_regs regs = {.trcidr2 = IDR2_ALL, .trcdevarch = DEVARCH_V1P3};
	struct hwf_ete_config config;

	(void)state;
	assert_int_equal(hwf_ete_config_init(&config, &regs), 0);
	regs.trcdevarch = 0x47704a13; /* ETMv4 */
	assert_int_equal(hwf_ete_config_init(&config, &regs), HWF_ERR_BAD_CONFIG);
	regs.trcdevarch = 0;
	regs.trcidr2 = 3 << 10;
	assert_int_equal(hwf_ete_config_init(&config, &regs), HWF_ERR_BAD_CONFIG);
}

static void errors_have_texts(void **state)
{
	(void)state;
	assert_string_equal(hwf_err_text(0), "no error");
	assert_string_equal(hwf_err_text(HWF_ERR_RESERVED), "reserved packet header");
	assert_string_equal(hwf_err_text(-1000), "unknown error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_header_byte_is_claimed_once_or_reserved),
		cmocka_unit_test(reserved_headers_are_those_of_the_sheet),
		cmocka_unit_test(atoms_read_oldest_first),
		cmocka_unit_test(addresses_have_their_bits_in_place),
		cmocka_unit_test(contexts_have_their_fields),
		cmocka_unit_test(trace_info_has_its_sections),
		cmocka_unit_test(cycle_counts_in_both_commit_modes),
		cmocka_unit_test(resolutions_carry_their_atoms),
		cmocka_unit_test(the_rest_of_the_packets),
		cmocka_unit_test(malformed_payloads_are_errors),
		cmocka_unit_test(round_trips_under_every_configuration),
		cmocka_unit_test(encoders_refuse_what_the_packet_cannot_carry),
		cmocka_unit_test(streams_synchronise_and_resynchronise),
		cmocka_unit_test(a_stream_never_ends_early),
		cmocka_unit_test(registers_that_contradict_are_refused),
		cmocka_unit_test(errors_have_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
