// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* ETMv3: claims of header bytes, P-headers and how they are packed, registers. */
#include <stdio.h>

#include "etm3_test.h"

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

/* A sequence with runs, as programs have them; cycle-accurate ones are whole cycles */
static unsigned int random_atoms(bool cycle, bool many, uint8_t *atoms)
{
	const unsigned int count = 1 + random32() % 64;
	/* from one atom at a time to a run of all of them */
	const uint32_t run = 1 + random32() % 40;
	unsigned int kind = random32();
	unsigned int in_cycle = 0;
	unsigned int per_cycle = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (random32() % run == 0) {
			kind = random32();
			per_cycle = random32() % (many ? 5 : 3);
		}
		if (cycle && (i == 0 || in_cycle >= per_cycle)) {
			atoms[i] = HWF_ETM3_W;
			in_cycle = 0;
		} else {
			atoms[i] = kind & 4 ? HWF_ETM3_E : HWF_ETM3_N;
			in_cycle++;
		}
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
		cmocka_unit_test(registers_say_how_to_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
