// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the packets in the trace buffer. Their sizes are those of the packet tables
 * (spec/ete-packets.md).
 */
#include "packets.h"

#define TRBREG(OP2) SYSREG(3, 0, 9, 11, OP2)
enum { LIMITR, PTR, BASER, SR, MAR, MPAM, TRG };

#define PAGES 16

static uint8_t trace[PAGES * 4096] __attribute__((aligned(4096)));

struct packets got;

static const uint8_t *uleb(const uint8_t *at)
{
	while (*at++ & 0x80)
		;
	return at;
}

static void take_atoms(unsigned header)
{
	static const uint8_t format_4[] = {0xe, 0x0, 0xa, 0x5}, format_5[] = {0x00, 0x0a, 0x15};
	unsigned count, bits;

	if (header >= 0xf8) {
		count = 3;
		bits = header & 7;
	} else if (header >= 0xdc && header <= 0xdf) {
		count = 4;
		bits = format_4[header & 3];
	} else if (header >= 0xd8 && header <= 0xdb) {
		count = 2;
		bits = header & 3;
	} else if (header == 0xf5 || (header >= 0xd5 && header <= 0xd7)) {
		count = 5;
		bits = header == 0xf5 ? 0x1e : format_5[header - 0xd5];
	} else if (header == 0xf6 || header == 0xf7) {
		count = 1;
		bits = header & 1;
	} else {
		count = (header & 31) + 4;
		bits = ~(header >> 5 & 1 ? 1u << (count - 1) : 0);
	}
	got.atoms += count;
	while (count--)
		got.taken += bits >> count & 1;
}

/* The bytes replace the low bits of the last timestamp; the ninth has eight. */
static const uint8_t *take_timestamp(const uint8_t *at)
{
	for (unsigned i = 0; i < 9; i++) {
		unsigned shift = 7 * i, width = i == 8 ? 8 : 7;
		uint64_t mask = (BIT(width) - 1) << shift;

		got.timestamp = (got.timestamp & ~mask) | ((uint64_t)*at << shift & mask);
		if (!(*at++ & 0x80))
			break;
	}
	return at;
}

/* The Exception level, and eight bytes of the value */
static const uint8_t *take_instrumentation(const uint8_t *at)
{
	struct instrumentation i = {.el = at[0] & 3, .atoms = got.atoms};

	for (unsigned n = 8; n; n--)
		i.value = i.value << 8 | at[n];
	if (got.instrumentations < ARRAY_SIZE(got.instrumentation))
		got.instrumentation[got.instrumentations] = i;
	got.instrumentations++;
	return at + 9;
}

/* One packet; where the next one is */
static const uint8_t *take_packet(const uint8_t *at)
{
	unsigned header = *at;

	switch (header) {
	case 0x00:
		return at + (at[1] ? 2 : 12);
	case 0x01: {
		unsigned sections = at[1] & 0x1f;

		at += 2;
		for (; sections; sections >>= 1)
			at = sections & 1 ? uleb(at) : at;
		return at;
	}
	case 0x02:
		got.timestamps++;
		return take_timestamp(at + 1);
	case 0x04:
		got.trace_on++;
		return at + 1;
	case 0x06:
		got.exceptions++;
		got.exception[at[1] >> 1 & 31]++;
		return at + 2;
	case 0x09:
		return take_instrumentation(at + 1);
	case 0x70:
	case 0x80:
		return at + 1;
	case 0x81:
		got.el = at[1] & 3;
		return at + 2;
	case 0x82:
	case 0x85:
		got.addresses++;
		at += header == 0x82 ? 6 : 10;
		got.el = at[-1] & 3;
		return at;
	case 0x90:
	case 0x91:
	case 0x92:
		got.addresses++;
		return at + 1;
	case 0x95:
		got.addresses++;
		return at + (at[1] & 0x80 ? 3 : 2);
	case 0x9a:
	case 0x9d:
		got.addresses++;
		return at + (header == 0x9a ? 5 : 9);
	}
	if (header >= 0x71 && header <= 0x7f) {
		for (unsigned i = 0; i < 4; i++)
			got.events[i] += header >> i & 1;
	} else if (header >= 0xc0) {
		take_atoms(header);
	} else {
		got.unknown++;
	}
	return at + 1;
}

void count_packets(const uint8_t *at, const uint8_t *end)
{
	got = (struct packets){0};
	while (at < end)
		at = take_packet(at);
	if (got.unknown)
		note("%u packets that are none of these", got.unknown);
}

void count_begin(void)
{
	uint64_t base = (uint64_t)(uintptr_t)trace;

	set(TRBREG(LIMITR), 0);
	set(TRBREG(BASER), base);
	set(TRBREG(PTR), base);
	set(TRBREG(SR), 0);
	set(TRBREG(TRG), 0);
	set(TRBREG(LIMITR), (base + sizeof(trace)) | 3 << 3 | 1);
}

uint64_t count_end(void)
{
	const uint8_t *end;

	__asm__ volatile("isb; hint #18; dsb sy; isb" ::: "memory");
	set(TRBREG(LIMITR), 0);
	end = (const uint8_t *)(uintptr_t)get(TRBREG(PTR));
	count_packets(trace, end);
	return (uint64_t)(end - trace);
}

void show_packets(void)
{
	note("%u atoms, %u taken; %u trace on, %u %u %u %u events, %u timestamps, %u addresses",
	     got.atoms, got.taken, got.trace_on, got.events[0], got.events[1], got.events[2],
	     got.events[3], got.timestamps, got.addresses);
}

bool is(unsigned atoms, unsigned trace_on)
{
	bool good = got.atoms == atoms && got.trace_on == trace_on && !got.unknown;

	if (!good)
		show_packets();
	return good;
}
