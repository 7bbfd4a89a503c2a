// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* ETMv3 packets: header claims, P-headers, golden vectors by hand, round trips, truncation,
 * streams. */
#include <stdio.h>

#include "ete_test.h"

#include "etmv3/etm3_private.h"

#define CR_CYCLE   (1u << 12)
#define CR_VALUE   (1u << 2)
#define CR_ADDRESS (1u << 3)
#define CR_CID4    (3u << 14)
#define IDR_ALT    (1u << 20)
#define CCER_TS64  (1u << 29)
#define CCER_BIN   (1u << 28)
#define CCER_TS    (1u << 22)

static struct hwf_etm3_config make_config(unsigned int minor, uint32_t etmcr, uint32_t idr_more)
{
	struct hwf_etm3_regs regs = {
		.etmcr = etmcr,
		.etmidr = 0x41000200u | 1u << 18 | minor << 4 | idr_more,
		.etmccer = CCER_TS | CCER_BIN | CCER_TS64,
	};
	struct hwf_etm3_config config;

	assert_int_equal(hwf_etm3_config_init(&config, &regs), 0);
	return config;
}

static uint32_t random32(void)
{
	static uint64_t state = 0x853c49e6748fea9bu;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) * 2u + (uint32_t)(state >> 20 & 1);
}

static struct hwf_etm3_config random_config(void)
{
	struct hwf_etm3_config config =
		make_config(random32() % 6, random32() & ~(1u << 20), random32() & IDR_ALT);

	if (random32() & 1)
		config.timestamp_bytes = 7;
	return config;
}

/* Table 7.1 as it is printed; letters stand for either value, T and t for a tag that is not 0. */
struct pattern {
	const char *bits;
	const char *name;
	unsigned int since; /* ETMv3.since */
	uint32_t needs;     /* bits of ETMCR, one of which has to be set; 0 for none */
};

static const struct pattern table_7_1[] = {
	{"Cxxxxxx1", "BRANCH_ADDRESS", 0, 0},
	{"00000000", "A_SYNC", 0, 0},
	{"00000100", "CYCLE_COUNT", 0, 0},
	{"00001000", "I_SYNC", 0, 0},
	{"00001100", "TRIGGER", 0, 0},
	{"0TT0SS00", "OUT_OF_ORDER_DATA", 0, CR_VALUE},
	{"01010000", "STORE_FAILED", 0, CR_VALUE},
	{"01110000", "I_SYNC_WITH_CYCLE_COUNT", 0, 0},
	{"01A1TT00", "OUT_OF_ORDER_PLACEHOLDER", 0, CR_VALUE | CR_ADDRESS},
	{"00111100", "VMID", 5, 0},
	{"00A0SS10", "NORMAL_DATA", 0, CR_VALUE | CR_ADDRESS},
	{"01000x10", "TIMESTAMP", 5, 0},
	{"01100010", "DATA_SUPPRESSED", 0, CR_VALUE | CR_ADDRESS},
	{"01100110", "IGNORE", 0, 0},
	{"011A1010", "VALUE_NOT_TRACED", 0, CR_VALUE | CR_ADDRESS},
	{"01101110", "CONTEXT_ID", 0, CR_CID4},
	{"01110110", "EXCEPTION_EXIT", 4, 0},
	{"01111110", "EXCEPTION_ENTRY", 4, 0},
};

static bool fits(const char *bits, unsigned int header)
{
	bool tag = !strchr(bits, 'T');

	for (unsigned int i = 0; i < 8; i++) {
		unsigned int bit = header >> (7 - i) & 1;

		if ((bits[i] == '0' && bit) || (bits[i] == '1' && !bit))
			return false;
		tag |= bits[i] == 'T' && bit;
	}
	return tag;
}

/* Tables 7.2 and 7.3: the atoms of a header, "" for none, NULL for a reserved one */
static const char *p_header_atoms(unsigned int header, bool cycle, unsigned int minor)
{
	static char atoms[32];
	unsigned int es = header >> 2 & (cycle ? 7 : 15);
	char *at = atoms;

	*at = '\0';
	if (fits(cycle ? "1x1xxx00" : "________", header) && cycle) {
		for (unsigned int i = 0; i <= (header >> 2 & 7); i++)
			*at++ = 'W';
		*at++ = header & 0x40 ? 'E' : '\0';
		*at = '\0';
		return atoms;
	}
	if (fits(cycle ? "1N0EEE00" : "1NEEEE00", header)) {
		if (cycle && header == 0x80)
			return minor ? NULL : "W";
		for (unsigned int i = 0; i < es; i++)
			at += sprintf(at, cycle ? "WE" : "E");
		sprintf(at, "%s", !(header & 0x40) ? "" : cycle ? "WN" : "N");
		return atoms;
	}
	if (fits("1000FF10", header)) {
		sprintf(atoms, "%s%c%c", cycle ? "W" : "", header & 8 ? 'N' : 'E',
			header & 4 ? 'N' : 'E');
		return atoms;
	}
	if (cycle && minor >= 3 && fits("10010F10", header))
		return header & 4 ? "N" : "E";
	return NULL;
}

static void headers_are_those_of_the_tables(void **state)
{
	(void)state;
	for (unsigned int variant = 0; variant < 6 * 2 * 8; variant++) {
		const unsigned int minor = variant % 6;
		const uint32_t cr =
			(variant / 6 & 1 ? CR_CYCLE : 0) | (variant / 12 & 1 ? CR_VALUE : 0) |
			(variant / 24 & 1 ? CR_ADDRESS : 0) | (variant / 48 & 1 ? CR_CID4 : 0);
		const struct hwf_etm3_config config = make_config(minor, cr, 0);

		for (unsigned int header = 0; header < 256; header++) {
			const char *want = "RESERVED";
			unsigned int type;

			for (size_t i = 0; i < sizeof(table_7_1) / sizeof(table_7_1[0]); i++) {
				const struct pattern *row = &table_7_1[i];

				if (fits(row->bits, header) && minor >= row->since &&
				    (!row->needs || cr & row->needs))
					want = row->name;
			}
			if ((header & 0x81) == 0x80 && p_header_atoms(header, cr & CR_CYCLE, minor))
				want = "P_HEADER";
			assert_in_range(hwf_etm3_claims(&config, (uint8_t)header, &type), 0, 1);
			assert_int_equal(type, config.types[header]);
			assert_string_equal(hwf_etm3_type_name(type), want);
		}
	}
}

static void check_p_header(const struct hwf_etm3_config *config, unsigned int header,
			   const char *want)
{
	const uint8_t byte = (uint8_t)header;
	struct hwf_etm3_packet packet;
	uint8_t atoms[HWF_ETM3_MAX_SEQUENCE];
	char text[HWF_ETM3_MAX_SEQUENCE + 1];
	uint8_t again;
	unsigned int count;

	if (!want) {
		assert_int_equal(hwf_etm3_decode(config, &byte, 1, &packet), HWF_ERR_RESERVED);
		return;
	}
	assert_int_equal(hwf_etm3_decode(config, &byte, 1, &packet), 1);
	count = hwf_etm3_p_header_sequence(&packet, atoms);
	for (unsigned int i = 0; i < count; i++)
		text[i] = "NEW"[atoms[i]];
	text[count] = '\0';
	assert_string_equal(text, want);
	assert_int_equal(hwf_etm3_encode(config, &packet, &again, 1), 1);
	assert_int_equal(again, header);
}

static void every_p_header_has_the_atoms_of_the_tables(void **state)
{
	(void)state;
	for (unsigned int minor = 0; minor < 6; minor++) {
		const struct hwf_etm3_config plain = make_config(minor, 0, 0);
		const struct hwf_etm3_config cycle = make_config(minor, CR_CYCLE, 0);

		for (unsigned int header = 0x80; header < 256; header += 2) {
			check_p_header(&plain, header, p_header_atoms(header, false, minor));
			check_p_header(&cycle, header, p_header_atoms(header, true, minor));
		}
	}
}

/* Examples 7.1 and 7.2, Table 7.4: bits and atoms as they are printed */
static void worked_examples_of_the_manual(void **state)
{
	const struct hwf_etm3_config plain = make_config(5, 0, 0);
	const struct hwf_etm3_config cycle = make_config(3, CR_CYCLE, 0);
	const struct hwf_etm3_config before = make_config(2, CR_CYCLE, 0);

	(void)state;
	check_p_header(&plain, 0xc8, "EEN");
	check_p_header(&plain, 0x8a, "NE");
	check_p_header(&cycle, 0xc8, "WEWEWN");
	check_p_header(&cycle, 0x8a, "WNE");
	check_p_header(&cycle, 0xe8, "WWWE");
	check_p_header(&cycle, 0x84, "WE");
	check_p_header(&cycle, 0x92, "E");
	check_p_header(&before, 0x92, NULL);
	check_p_header(&before, 0x80, NULL);
}

static void format_0_is_for_etmv3_0_only(void **state)
{
	(void)state;
	for (unsigned int minor = 0; minor < 6; minor++) {
		const struct hwf_etm3_config config = make_config(minor, CR_CYCLE, 0);
		struct hwf_etm3_packet packet = {.type = HWF_ETM3_P_HEADER_CYCLE_F0,
						 .u.atoms.waits = 1};
		uint8_t byte;

		check_p_header(&config, 0x80, minor ? NULL : "W");
		assert_int_equal(hwf_etm3_encode(&config, &packet, &byte, 1),
				 minor ? HWF_ERR_BAD_PAYLOAD : 1);
	}
}

static void format_4_is_from_etmv3_3_on(void **state)
{
	(void)state;
	for (unsigned int minor = 0; minor < 6; minor++) {
		const struct hwf_etm3_config config = make_config(minor, CR_CYCLE, 0);

		check_p_header(&config, 0x92, minor < 3 ? NULL : "E");
		check_p_header(&config, 0x96, minor < 3 ? NULL : "N");
		check_p_header(&config, 0x9a, NULL);
	}
}

/* The fewest P-headers that say the same, by trying all of them from the end on */
static unsigned int fewest(const struct hwf_etm3_config *config, const uint8_t *atoms,
			   unsigned int count)
{
	static unsigned int best[65];

	best[count] = 0;
	for (unsigned int at = count; at-- > 0;) {
		best[at] = 1000;
		for (unsigned int header = 0x80; header < 256; header += 2) {
			const uint8_t byte = (uint8_t)header;
			uint8_t has[HWF_ETM3_MAX_SEQUENCE];
			struct hwf_etm3_packet packet;
			unsigned int n;

			if (hwf_etm3_decode(config, &byte, 1, &packet) != 1)
				continue;
			n = hwf_etm3_p_header_sequence(&packet, has);
			if (n && n <= count - at && !memcmp(has, atoms + at, n) &&
			    best[at + n] + 1 < best[at])
				best[at] = best[at + n] + 1;
		}
	}
	return best[0];
}

typedef int pack_fn(const struct hwf_etm3_config *config, const uint8_t *atoms, size_t count,
		    struct hwf_etm3_packet *packet);

/* P-headers that a sequence is packed into; they are checked to say the same. -1: not possible */
static int pack_all(const struct hwf_etm3_config *config, pack_fn *pack, const uint8_t *atoms,
		    unsigned int count)
{
	unsigned int at = 0;
	int headers = 0;

	while (at < count) {
		struct hwf_etm3_packet packet;
		struct hwf_etm3_packet again;
		uint8_t has[HWF_ETM3_MAX_SEQUENCE];
		uint8_t byte;
		int taken = pack(config, atoms + at, count - at, &packet);

		if (taken < 0)
			return -1;
		assert_int_equal(hwf_etm3_encode(config, &packet, &byte, 1), 1);
		assert_int_equal(hwf_etm3_decode(config, &byte, 1, &again), 1);
		assert_int_equal(hwf_etm3_p_header_sequence(&again, has), taken);
		assert_memory_equal(has, atoms + at, (size_t)taken);
		at += (unsigned int)taken;
		headers++;
	}
	return headers;
}

/* A sequence with runs, as programs have them; cycle-accurate ones begin with a W */
static unsigned int random_atoms(bool cycle, bool many, uint8_t *atoms)
{
	const unsigned int count = 1 + random32() % 64;
	unsigned int in_cycle = 9;
	unsigned int kind = random32();

	for (unsigned int i = 0; i < count; i++) {
		if (random32() % 3 == 0)
			kind = random32();
		atoms[i] = kind & 4 ? HWF_ETM3_E : HWF_ETM3_N;
		if (cycle && (in_cycle >= (many ? 4u : 2u) || kind % 3 == 0 || i == 0))
			atoms[i] = HWF_ETM3_W;
		in_cycle = atoms[i] == HWF_ETM3_W ? 0 : in_cycle + 1;
	}
	return count;
}

static void packing_takes_the_fewest_p_headers(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 3000; round++) {
		const bool cycle = round & 1;
		const unsigned int minor = round / 2 % 6;
		const struct hwf_etm3_config config = make_config(minor, cycle ? CR_CYCLE : 0, 0);
		uint8_t atoms[64];
		const unsigned int count = random_atoms(cycle, minor >= 3, atoms);

		assert_int_equal(pack_all(&config, hwf_etm3_pack, atoms, count),
				 fewest(&config, atoms, count));
	}
}

static void packing_by_cycle_takes_one_a_cycle(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 2000; round++) {
		const bool cycle = round & 1;
		const struct hwf_etm3_config config = make_config(5, cycle ? CR_CYCLE : 0, 0);
		uint8_t atoms[64];
		const unsigned int count = random_atoms(cycle, true, atoms);
		unsigned int in_cycle = 0;
		int want = 0;

		for (unsigned int i = 0; i < count; i++) {
			in_cycle = atoms[i] == HWF_ETM3_W ? 0 : in_cycle + 1;
			/* a cycle, or beyond two instructions each instruction */
			want += !cycle || atoms[i] == HWF_ETM3_W || in_cycle > 2;
		}
		assert_int_equal(pack_all(&config, hwf_etm3_pack_cycle, atoms, count), want);
	}
}

static void packing_refuses_what_has_no_p_header(void **state)
{
	static const uint8_t wait[] = {HWF_ETM3_W, HWF_ETM3_E, HWF_ETM3_E, HWF_ETM3_E};
	const struct hwf_etm3_config plain = make_config(5, 0, 0);
	const struct hwf_etm3_config old = make_config(2, CR_CYCLE, 0);
	const struct hwf_etm3_config new = make_config(3, CR_CYCLE, 0);
	struct hwf_etm3_packet packet;

	(void)state;
	assert_int_equal(hwf_etm3_pack(&plain, wait, 4, &packet), HWF_ERR_BAD_PAYLOAD);
	assert_int_equal(hwf_etm3_pack(&new, wait, 0, &packet), HWF_ERR_BAD_PAYLOAD);
	assert_int_equal(pack_all(&old, hwf_etm3_pack, wait, 4), -1);
	assert_int_equal(pack_all(&new, hwf_etm3_pack, wait, 4), 2);
}

/* ---- golden vectors ---- */

static struct hwf_etm3_packet decode_hex(const struct hwf_etm3_config *config, const char *hex)
{
	uint8_t bytes[HWF_ETM3_MAX_PACKET] = {0};
	const size_t length = test_bytes(hex, bytes);
	struct hwf_etm3_packet packet = {0};
	uint8_t again[HWF_ETM3_MAX_PACKET];

	assert_int_equal(hwf_etm3_decode(config, bytes, length, &packet), length);
	assert_int_equal(hwf_etm3_encode(config, &packet, again, sizeof(again)), length);
	assert_memory_equal(again, bytes, length);
	for (size_t cut = 0; cut < length; cut++)
		assert_int_equal(hwf_etm3_decode(config, bytes, cut, &packet), HWF_ERR_NEED_MORE);
	assert_int_equal(hwf_etm3_encode(config, &packet, again, length - 1), HWF_ERR_NO_SPACE);
	return packet;
}

struct branch_vector {
	const char *hex;
	uint32_t value;
	uint8_t bits;
	uint8_t state;
	uint16_t exception;
	bool ns, alt_isa, cancel, hyp;
};

static void check_branches(const struct hwf_etm3_config *config, const struct branch_vector *rows,
			   size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct branch_vector *row = &rows[i];
		const struct hwf_etm3_packet packet = decode_hex(config, row->hex);
		const struct hwf_etm3_branch *branch = &packet.u.branch;

		assert_int_equal(packet.type, HWF_ETM3_BRANCH_ADDRESS);
		assert_int_equal(branch->address.value, row->value);
		assert_int_equal(branch->address.bits, row->bits);
		if (row->bits == 32)
			assert_int_equal(branch->address.state, row->state);
		assert_int_equal(hwf_etm3_exception_number(branch), row->exception);
		assert_int_equal(branch->ns, row->ns);
		assert_int_equal(branch->alt_isa, row->alt_isa);
		assert_int_equal(branch->cancel, row->cancel);
		assert_int_equal(branch->hyp, row->hyp);
	}
}

static void branches_in_the_original_encoding(void **state)
{
	static const struct branch_vector rows[] = {
		/* address bits 7:2 or 6:1 are all ones, then none */
		{"7f", 0x3f, 6, 0, 0, 0, 0, 0, 0},
		{"81 7f", 0x1fc0, 13, 0, 0, 0, 0, 0, 0},
		{"81 80 7f", 0xfe000, 20, 0, 0, 0, 0, 0, 0},
		{"81 80 80 7f", 0x7f00000, 27, 0, 0, 0, 0, 0, 0},
		/* whole addresses: ARM 0xc0008004, Thumb 0xc0008006, Jazelle 0xc0008007 */
		{"83 80 81 80 0e", 0xc0008004, 32, HWF_ETM3_ARM, 0, 0, 0, 0, 0},
		{"87 80 82 80 1c", 0xc0008006, 32, HWF_ETM3_THUMB, 0, 0, 0, 0, 0},
		{"8f 80 84 80 38", 0xc0008007, 32, HWF_ETM3_JAZELLE, 0, 0, 0, 0, 0},
		/* exception information: IRQ, Non-secure */
		{"8d 80 80 80 48 1d", 0x18, 32, HWF_ETM3_ARM, 14, 1, 0, 0, 0},
		/* data abort that cancels, Secure; then with a second byte: Hyp */
		{"89 80 80 80 48 38", 0x10, 32, HWF_ETM3_ARM, 12, 0, 0, 1, 0},
		{"89 80 80 80 48 b9 20", 0x10, 32, HWF_ETM3_ARM, 12, 1, 0, 1, 1},
		/* ThumbEE, no exception: a change of state only */
		{"87 80 82 80 5c 41", 0xc0008006, 32, HWF_ETM3_THUMB, 0, 1, 1, 0, 0},
		/* the deprecated form: IRQ; FIQ that cancels, at 0xffff001c */
		{"8d 80 80 80 88", 0x18, 32, HWF_ETM3_ARM, 14, 0, 0, 0, 0},
		{"8f 80 fe ff ef", 0xffff001c, 32, HWF_ETM3_ARM, 15, 0, 0, 1, 0},
	};
	const struct hwf_etm3_config config = make_config(5, 0, 0);

	(void)state;
	check_branches(&config, rows, sizeof(rows) / sizeof(rows[0]));
}

static void branches_in_the_alternative_encoding(void **state)
{
	static const struct branch_vector rows[] = {
		{"7f", 0x3f, 6, 0, 0, 0, 0, 0, 0},
		{"81 3f", 0xfc0, 12, 0, 0, 0, 0, 0, 0},
		{"81 80 3f", 0x7e000, 19, 0, 0, 0, 0, 0, 0},
		{"81 80 80 3f", 0x3f00000, 26, 0, 0, 0, 0, 0, 0},
		/* exception information behind any but the first byte: usage fault of ARMv7-M */
		{"81 7f 12", 0xfc0, 12, 0, 9, 0, 0, 0, 0},
		{"81 80 7f 32", 0x7e000, 19, 0, 9, 0, 0, 1, 0},
		/* exception 0x1ff and 0x018: a second byte; a third one, resume 5, either way */
		{"81 40 9e 1f", 0, 12, 0, 0x1ff, 0, 0, 0, 0},
		{"81 40 90 81 45", 0, 12, 0, 0x018, 0, 0, 0, 0},
		{"81 40 90 45", 0, 12, 0, 0x008, 0, 0, 0, 0},
		{"87 80 82 80 1c", 0xc0008006, 32, HWF_ETM3_THUMB, 0, 0, 0, 0, 0},
	};
	const struct hwf_etm3_config config = make_config(4, 0, IDR_ALT);
	const struct hwf_etm3_config early = make_config(3, 0, IDR_ALT);

	(void)state;
	check_branches(&config, rows, sizeof(rows) / sizeof(rows[0]));
	/* ETMIDR bit 20 has no meaning before ETMv3.4 */
	assert_false(early.alternative);
}

static void malformed_packets_are_errors(void **state)
{
	static const struct {
		bool alternative;
		uint32_t etmcr;
		const char *hex;
	} rows[] = {
		{false, 0, "81 80 80 80 00"},          /* no state in the fifth byte */
		{false, 0, "81 80 80 80 48 80 80 00"}, /* third information byte without its mark */
		{true, 0, "81 80 80 80 88"},           /* the deprecated form */
		{false, 0, "00 00 00 80"},             /* A-sync with too few zeros */
		{false, 0, "00 00 00 00 00 81"},       /* and with another end */
		{false, 0, "04 ff ff ff ff 1f"},       /* more than 32 bits of cycles */
		{false, 0, "04 80 80 80 80 80"},       /* more than five bytes */
		{false, 0, "08 01 02 00 00 00"},       /* ARM address that is not aligned */
		{false, 0, "08 81 04 00 00 00 02"},    /* in progress: no branch address */
		{false, 0, "08 81 04 00 00 00 81 80 80 80 88"},      /* and one with an exception */
		{false, CR_VALUE | CR_ADDRESS, "22 80 80 80 80 20"}, /* data address, fifth byte */
		{false, 1u << 20, "08 81"},                          /* data-only, in progress */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct hwf_etm3_config config =
			make_config(5, rows[i].etmcr, rows[i].alternative ? IDR_ALT : 0);
		uint8_t bytes[HWF_ETM3_MAX_PACKET] = {0};
		const size_t length = test_bytes(rows[i].hex, bytes);
		struct hwf_etm3_packet packet = {.size = 77};

		assert_int_equal(hwf_etm3_decode(&config, bytes, length, &packet),
				 HWF_ERR_BAD_PAYLOAD);
		assert_int_equal(packet.size, 77);
	}
}

static void synchronisation_packets_by_hand(void **state)
{
	const struct hwf_etm3_config plain = make_config(5, 0, 0);
	const struct hwf_etm3_config cid = make_config(5, CR_CID4, 0);
	struct hwf_etm3_packet packet;

	(void)state;
	packet = decode_hex(&plain, "00 00 00 00 00 80");
	assert_int_equal(packet.type, HWF_ETM3_A_SYNC);
	packet = decode_hex(&plain, "00 00 00 00 00 00 00 80");
	assert_int_equal(packet.u.zeros, 7);
	packet = decode_hex(&plain, "04 ff ff ff ff 0f");
	assert_int_equal(packet.u.cycles, 0xffffffff);
	/* overflow, Non-secure, Thumb */
	packet = decode_hex(&plain, "08 49 5d 11 02 c0");
	assert_int_equal(packet.u.i_sync.reason, HWF_ETM3_OVERFLOW);
	assert_int_equal(packet.u.i_sync.address, 0xc002115c);
	assert_true(packet.u.i_sync.thumb && packet.u.i_sync.ns && !packet.u.i_sync.hyp);
	/* Context ID, Hyp, ThumbEE; 300 cycles */
	packet = decode_hex(&cid, "70 ac 02 44 33 22 11 2f 01 00 00 80");
	assert_int_equal(packet.u.i_sync.cycles, 300);
	assert_int_equal(packet.u.i_sync.cid, 0x11223344);
	assert_true(packet.u.i_sync.hyp && packet.u.i_sync.alt_isa);
	/* a load in progress at 0x8000, next 0x8008 */
	packet = decode_hex(&plain, "08 a1 00 80 00 00 05");
	assert_true(packet.u.i_sync.in_progress);
	assert_int_equal(packet.u.i_sync.address, 0x8000);
	assert_int_equal(packet.u.i_sync.next.value, 2);
	packet = decode_hex(&cid, "6e 78 56 34 12");
	assert_int_equal(packet.u.cid, 0x12345678);
	packet = decode_hex(&plain, "3c a5");
	assert_int_equal(packet.u.vmid, 0xa5);
}

static void timestamps_by_hand(void **state)
{
	struct hwf_etm3_config config = make_config(5, 0, 0);
	struct hwf_etm3_packet packet;

	(void)state;
	packet = decode_hex(&config, "42 bd 9a c3 ce af 90 80 80 00");
	assert_true(packet.u.timestamp.value == 0x82f9d0cd3d && packet.u.timestamp.bits == 64);
	packet = decode_hex(&config, "46 ff ff ff ff ff ff ff ff ff");
	assert_true(packet.u.timestamp.value == UINT64_MAX && packet.u.timestamp.clock_changed);
	packet = decode_hex(&config, "42 7f");
	assert_int_equal(packet.u.timestamp.bits, 7);
	config.timestamp_bytes = 7;
	packet = decode_hex(&config, "42 ff ff ff ff ff ff 3f");
	assert_true(packet.u.timestamp.value == 0xffffffffffff && packet.u.timestamp.bits == 48);
}

static void data_packets_by_hand(void **state)
{
	const struct hwf_etm3_config both = make_config(5, CR_VALUE | CR_ADDRESS, 0);
	const struct hwf_etm3_config value = make_config(5, CR_VALUE, 0);
	const struct hwf_etm3_config address = make_config(5, CR_ADDRESS, 0);
	struct hwf_etm3_packet packet;

	(void)state;
	packet = decode_hex(&both, "2e ff ff ff ff 1f 78 56 34 12");
	assert_int_equal(packet.u.data.address, 0xffffffff);
	assert_true(packet.u.data.big_endian);
	assert_int_equal(packet.u.data.value, 0x12345678);
	packet = decode_hex(&both, "02");
	assert_int_equal(packet.u.data.address_bits, 0);
	packet = decode_hex(&value, "26 99");
	assert_true(packet.u.data.expected && packet.u.data.value == 0x99);
	packet = decode_hex(&address, "22 05");
	assert_int_equal(packet.u.data.address, 5);
	packet = decode_hex(&both, "48 cd ab");
	assert_true(packet.u.data.tag == 2 && packet.u.data.value == 0xabcd);
	packet = decode_hex(&both, "7c 81 01");
	assert_true(packet.u.data.tag == 3 && packet.u.data.address == 0x81);
	packet = decode_hex(&both, "6a");
	assert_false(packet.u.data.expected);
	packet = decode_hex(&both, "7a 04");
	assert_int_equal(packet.u.data.address, 4);
	packet = decode_hex(&both, "50");
	assert_int_equal(packet.type, HWF_ETM3_STORE_FAILED);
	packet = decode_hex(&both, "62");
	assert_int_equal(packet.type, HWF_ETM3_DATA_SUPPRESSED);
}

/* ---- random packets ---- */

static struct hwf_etm3_address random_address(const struct hwf_etm3_config *config, bool info)
{
	struct hwf_etm3_address address = {.bytes = (uint8_t)(1 + random32() % 5),
					   .value = random32()};
	static const uint8_t shift[] = {2, 1, 0};

	if (info && !config->alternative)
		address.bytes = 5;
	else if (info && address.bytes == 1)
		address.bytes = 2;
	if (address.bytes == 5) {
		address.state = (uint8_t)(random32() % 3);
		address.bits = 32;
		address.value = address.value >> shift[address.state] << shift[address.state];
		return address;
	}
	address.bits =
		(uint8_t)(7 * address.bytes - 1 - (config->alternative && address.bytes > 1));
	address.value &= (1u << address.bits) - 1;
	return address;
}

static void random_branch(const struct hwf_etm3_config *config, struct hwf_etm3_branch *branch)
{
	branch->info = random32() & 1;
	branch->address = random_address(config, branch->info);
	if (!branch->info) {
		if (!config->alternative && branch->address.bytes == 5 &&
		    branch->address.state == HWF_ETM3_ARM && random32() & 1) {
			branch->old = true;
			branch->exception = random32() & 7;
			branch->cancel = random32() & 1;
		}
		return;
	}
	branch->has_second = random32() & 1;
	branch->has_third = random32() & 1;
	branch->exception = (uint16_t)(random32() & (branch->has_second ? 0x1ff : 0xf));
	branch->resume = branch->has_third ? random32() & 15 : 0;
	branch->ns = random32() & 1;
	branch->alt_isa = random32() & 1;
	branch->cancel = random32() & 1;
	branch->hyp = branch->has_second && random32() & 1;
}

static void random_i_sync(const struct hwf_etm3_config *config, struct hwf_etm3_packet *packet)
{
	struct hwf_etm3_i_sync *sync = &packet->u.i_sync;

	if (packet->type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT)
		sync->cycles = random32() >> random32() % 32;
	sync->cid = config->context_bytes == 4
			    ? random32()
			    : random32() & ((1u << 8 * config->context_bytes) - 1);
	sync->reason = random32() & 3;
	sync->ns = random32() & 1;
	sync->hyp = random32() & 1;
	sync->alt_isa = random32() & 1;
	sync->jazelle = random32() % 4 == 0;
	sync->thumb = !sync->jazelle && random32() & 1;
	sync->address = random32() & (sync->jazelle ? ~0u : sync->thumb ? ~1u : ~3u);
	sync->in_progress = random32() % 4 == 0;
	if (sync->in_progress)
		sync->next = random_address(config, false);
}

static void random_data(const struct hwf_etm3_config *config, struct hwf_etm3_packet *packet)
{
	struct hwf_etm3_data *data = &packet->u.data;
	const unsigned int codec = hwf_etm3_type_codec(packet->type);

	if (packet->type == HWF_ETM3_OUT_OF_ORDER_DATA ||
	    packet->type == HWF_ETM3_OUT_OF_ORDER_PLACEHOLDER)
		data->tag = (uint8_t)(1 + random32() % 3);
	if (codec != HWF_ETM3_CODEC_data_place && config->data_value) {
		static const uint8_t bytes[] = {0, 1, 2, 4};

		data->value_bytes = bytes[random32() & 3];
		data->value = data->value_bytes == 4
				      ? random32()
				      : random32() & ((1u << 8 * data->value_bytes) - 1);
	}
	if (codec == HWF_ETM3_CODEC_late_data)
		return;
	data->expected = random32() & 1;
	if (!data->expected || !config->data_address)
		return;
	data->address_bits = (uint8_t)(7 * (1 + random32() % 5));
	if (data->address_bits == 35) {
		data->address_bits = 32;
		data->big_endian = random32() & 1;
	}
	data->address = random32();
	if (data->address_bits < 32)
		data->address &= (1u << data->address_bits) - 1;
}

static struct hwf_etm3_packet random_packet(const struct hwf_etm3_config *config)
{
	struct hwf_etm3_packet packet;
	uint8_t header;

	do {
		header = (uint8_t)random32();
	} while (config->types[header] == HWF_ETM3_RESERVED);
	memset(&packet, 0, sizeof(packet));
	packet.type = config->types[header];
	switch (hwf_etm3_type_codec(packet.type)) {
	case HWF_ETM3_CODEC_p_header:
		hwf_etm3_decode(config, &header, 1, &packet);
		break;
	case HWF_ETM3_CODEC_a_sync:
		packet.u.zeros = 5 + random32() % 27;
		break;
	case HWF_ETM3_CODEC_branch:
		random_branch(config, &packet.u.branch);
		break;
	case HWF_ETM3_CODEC_i_sync:
		random_i_sync(config, &packet);
		break;
	case HWF_ETM3_CODEC_cycle_count:
		packet.u.cycles = random32() >> random32() % 32;
		break;
	case HWF_ETM3_CODEC_vmid:
		packet.u.vmid = (uint8_t)random32();
		break;
	case HWF_ETM3_CODEC_context_id:
		packet.u.cid = random32();
		if (config->context_bytes < 4)
			packet.u.cid &= (1u << 8 * config->context_bytes) - 1;
		break;
	case HWF_ETM3_CODEC_timestamp:
		packet.u.timestamp.bits = (uint8_t)(7 * (1 + random32() % 9));
		if (packet.u.timestamp.bits > 7 * (config->timestamp_bytes - 1))
			packet.u.timestamp.bits = config->timestamp_bytes == 7 ? 48 : 64;
		packet.u.timestamp.value =
			((uint64_t)random32() << 32 | random32()) >> (64 - packet.u.timestamp.bits);
		packet.u.timestamp.clock_changed = random32() & 1;
		break;
	case HWF_ETM3_CODEC_bare:
		break;
	default:
		random_data(config, &packet);
		break;
	}
	return packet;
}

static void every_packet_survives_a_round_trip(void **state)
{
	unsigned int seen[HWF_ETM3_TYPES] = {0};

	(void)state;
	for (unsigned int round = 0; round < 300000; round++) {
		const struct hwf_etm3_config config = random_config();
		struct hwf_etm3_packet packet = random_packet(&config);
		struct hwf_etm3_packet again;
		uint8_t bytes[HWF_ETM3_MAX_PACKET] = {0};
		const int size = hwf_etm3_encode(&config, &packet, bytes, sizeof(bytes));

		memset(&again, 0, sizeof(again));
		assert_true(size > 0);
		assert_int_equal(hwf_etm3_decode(&config, bytes, (size_t)size, &again), size);
		assert_int_equal(again.type, packet.type);
		assert_memory_equal(&again.u, &packet.u, sizeof(packet.u));
		for (int cut = 0; cut < size; cut++) {
			assert_int_equal(hwf_etm3_decode(&config, bytes, (size_t)cut, &again),
					 HWF_ERR_NEED_MORE);
			assert_int_equal(hwf_etm3_encode(&config, &packet, bytes, (size_t)cut),
					 HWF_ERR_NO_SPACE);
		}
		seen[packet.type]++;
	}
	for (unsigned int type = 0; type < HWF_ETM3_TYPES; type++)
		assert_true(seen[type] > 10);
}

/* ---- streams ---- */

static void a_stream_loses_no_byte_however_it_comes(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 3000; round++) {
		const struct hwf_etm3_config config = random_config();
		uint8_t bytes[300];
		struct hwf_etm3_stream whole, pieces;
		size_t at = 0, have = 0;

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = random32() % 3 ? (uint8_t)random32() : 0;
		for (size_t i = 20; i + 6 < sizeof(bytes); i += 20 + random32() % 100)
			memcpy(bytes + i, "\0\0\0\0\0\x80", 6);
		hwf_etm3_stream_init(&whole, &config);
		hwf_etm3_stream_init(&pieces, &config);
		while (at < sizeof(bytes)) {
			struct hwf_etm3_packet packet, again;
			size_t size = hwf_etm3_stream_next(&whole, bytes + at, sizeof(bytes) - at,
							   true, &packet);
			size_t sum = 0;

			assert_true(size && size == packet.size);
			/* the same in pieces; bytes passed over may come in several */
			while (sum < size) {
				size_t next = hwf_etm3_stream_next(&pieces, bytes + at + sum,
								   have - at - sum,
								   have == sizeof(bytes), &again);

				if (!next)
					have += have < sizeof(bytes);
				sum += next;
				if (next)
					assert_int_equal(again.type, packet.type);
			}
			assert_int_equal(sum, size);
			assert_int_equal(pieces.synced, whole.synced);
			assert_int_equal(pieces.tentative, whole.tentative);
			at += size;
		}
		assert_int_equal(whole.offset, sizeof(bytes));
	}
}

struct stream_row {
	unsigned int type;
	unsigned int size;
	bool tentative;
};

static void check_stream(const struct hwf_etm3_config *config, const char *hex,
			 const struct stream_row *rows, size_t count)
{
	uint8_t bytes[128] = {0};
	const size_t length = test_bytes(hex, bytes);
	struct hwf_etm3_stream stream;
	struct hwf_etm3_packet packet;
	size_t at = 0;

	hwf_etm3_stream_init(&stream, config);
	for (size_t i = 0; i < count; i++) {
		size_t size = hwf_etm3_stream_next(&stream, bytes + at, length - at, true, &packet);

		assert_int_equal(packet.type, rows[i].type);
		assert_int_equal(size, rows[i].size);
		assert_int_equal(stream.tentative, rows[i].tentative);
		at += size;
	}
	assert_int_equal(at, length);
}

static void synchronisation_is_lost_and_found(void **state)
{
	static const struct stream_row rows[] = {
		{HWF_ETM3_UNSYNC, 4, false},      {HWF_ETM3_A_SYNC, 6, false},
		{HWF_ETM3_P_HEADER_F1, 1, false}, {HWF_ETM3_RESERVED, 1, true},
		{HWF_ETM3_P_HEADER_F1, 1, true},  {HWF_ETM3_BAD_SEQUENCE, 1, true},
		{HWF_ETM3_A_SYNC, 6, false},      {HWF_ETM3_INCOMPLETE, 3, true},
	};
	const struct hwf_etm3_config config = make_config(5, 0, 0);

	(void)state;
	/* 0xa2 is reserved; 0x08 begins an I-sync that would run into the A-sync */
	check_stream(&config,
		     "12 34 00 00 00 00 00 00 00 80 84 a2 84 08 00 00 00 00 00 80 08 01 02", rows,
		     sizeof(rows) / sizeof(rows[0]));
}

static void registers_say_how_to_read(void **state)
{
	struct hwf_etm3_config config = {.minor = 77};
	struct hwf_etm3_regs regs = {
		.etmcr = 0x10001860, .etmidr = 0x410cf250, .etmccer = 0x344008f2};

	(void)state;
	assert_int_equal(hwf_etm3_config_init(&config, &regs), 0);
	assert_int_equal(config.minor, 5);
	assert_true(config.cycle_accurate && config.whole_thumb && !config.alternative);
	assert_true(!config.gray && config.timestamp_bytes == 9 && !config.context_bytes);
	assert_true(!config.data_value && !config.data_address && !config.data_only);
	regs.etmccer = CCER_TS;
	assert_int_equal(hwf_etm3_config_init(&config, &regs), 0);
	assert_true(config.gray && config.timestamp_bytes == 7);
	config.minor = 77;
	/* none, a PTM, ETMv2, and a version that there is not */
	for (size_t i = 0; i < 4; i++) {
		static const uint32_t wrong[] = {0, 0x411cf301, 0x41000110, 0x410cf260};

		regs.etmidr = wrong[i];
		assert_int_equal(hwf_etm3_config_init(&config, &regs), HWF_ERR_BAD_CONFIG);
		assert_int_equal(config.minor, 77);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_are_those_of_the_tables),
		cmocka_unit_test(every_p_header_has_the_atoms_of_the_tables),
		cmocka_unit_test(worked_examples_of_the_manual),
		cmocka_unit_test(format_0_is_for_etmv3_0_only),
		cmocka_unit_test(format_4_is_from_etmv3_3_on),
		cmocka_unit_test(packing_takes_the_fewest_p_headers),
		cmocka_unit_test(packing_by_cycle_takes_one_a_cycle),
		cmocka_unit_test(packing_refuses_what_has_no_p_header),
		cmocka_unit_test(branches_in_the_original_encoding),
		cmocka_unit_test(branches_in_the_alternative_encoding),
		cmocka_unit_test(malformed_packets_are_errors),
		cmocka_unit_test(synchronisation_packets_by_hand),
		cmocka_unit_test(timestamps_by_hand),
		cmocka_unit_test(data_packets_by_hand),
		cmocka_unit_test(every_packet_survives_a_round_trip),
		cmocka_unit_test(a_stream_loses_no_byte_however_it_comes),
		cmocka_unit_test(synchronisation_is_lost_and_found),
		cmocka_unit_test(registers_say_how_to_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
