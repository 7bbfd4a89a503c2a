// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work to be traced: branches of all kinds, at EL0 and at the base Exception level, with calls
 * of the latter from the former. What it does is the same with and without trace units.
 *
 * load=N       so many rounds, some million instructions each
 * load-trace=0 nothing of the trace unit is touched; 1: enabled, EL0 is traced; 2: all is traced;
 *              3: enabled, and nothing is traced; 4: the base Exception level is
 * load-trfcr   TRFCR_EL1, instead of 3
 * load-traps=1 EL0 begins with two instructions that trap, and has others
 * load-config  TRCCONFIGR
 * load-viie, load-viss, load-bb, load-q, load-stall
 *              TRCVIIECTLR, TRCVISSCTLR, TRCBBCTLR, TRCQCTLR, TRCSTALLCTLR. Address range 0
 *              is sort(), range 1 the first half of interpret()
 * load-keep=1  the buffer takes all trace, and goes to the file "trace"; otherwise it is circular
 * load-stop=1  the buffer is small, and collection stops when it is full
 * load-off=1   the buffer is not enabled
 * load-instrumentation=1
 *              TRCIT writes the number of each step of interpret()
 * load-wait=N  wait for N milliseconds after each round; the first says "waiting"
 * load-stay=1  stay until there is a file "moved", after the last round
 */
#include "bare.h"

#define TRBREG(OP2) SYSREG(3, 0, 9, 11, OP2)
enum { LIMITR, PTR, BASER, SR };
#define TRFCR_EL1      SYSREG(3, 0, 1, 2, 1)
#define TRCITECR_EL1   SYSREG(3, 0, 1, 2, 3)
#define CONTEXTIDR_EL1 SYSREG(3, 0, 13, 0, 1)

#define SMALL (1u << 16)
static uint8_t buffer[16 << 20] __attribute__((aligned(4096)));

enum { ITEMS = 512, TEXT = 4096, STEPS = 3000 };

static uint32_t items[ITEMS];
static char text[TEXT];
static uint64_t state;
static bool instrumented;

static uint32_t next_random(void)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(state >> 33);
}

static int up(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

static int down(uint32_t a, uint32_t b)
{
	return -up(a, b);
}

/* recursion, no deeper than the stack is, and calls through a pointer */
static __attribute__((noinline)) void sort(uint32_t *low, uint32_t *high,
					   int (*compare)(uint32_t, uint32_t))
{
	while (low < high) {
		uint32_t pivot = low[(high - low) / 2], *i = low, *j = high, swap;

		while (i <= j) {
			while (compare(*i, pivot) < 0)
				i++;
			while (compare(pivot, *j) < 0)
				j--;
			if (i <= j) {
				swap = *i;
				*i++ = *j;
				*j-- = swap;
			}
		}
		if (j - low < high - i) {
			sort(low, j, compare);
			low = i;
		} else {
			sort(i, high, compare);
			high = j;
		}
	}
}

/* long blocks */
static __attribute__((noinline)) uint32_t hash(const char *bytes, unsigned count)
{
	uint32_t a = 1, b = 0;

	for (unsigned i = 0; i + 8 <= count; i += 8) {
		for (unsigned j = 0; j < 8; j++) {
			a += (uint8_t)bytes[i + j];
			b += a ^ b >> 3;
		}
	}
	return a ^ b;
}

static unsigned count_words(const char *bytes, unsigned count)
{
	unsigned words = 0;
	bool inside = false;

	for (unsigned i = 0; i < count; i++) {
		bool letter = bytes[i] > ' ';

		words += letter && !inside;
		inside = letter;
	}
	return words;
}

/* a jump table */
static __attribute__((noinline)) uint32_t interpret(unsigned steps)
{
	uint32_t a = 1, b = 2;

	for (unsigned i = 0; i < steps; i++) {
		if (instrumented)
			__asm__ volatile("sys #3, c7, c2, #7, %0" : : "r"((uint64_t)i) : "memory");
		switch (next_random() & 7) {
		case 0:
			a += b;
			break;
		case 1:
			b ^= a << 3;
			break;
		case 2:
			a -= 7;
			break;
		case 3:
			b = ~b;
			break;
		case 4:
			a ^= a >> 5;
			break;
		case 5:
			b += hash(text, 32);
			break;
		case 6:
			a = a * 17 + b;
			break;
		default:
			b -= a;
		}
	}
	return a ^ b;
}

static __attribute__((noinline)) void work(void *argument)
{
	uint64_t *sum = argument;

	for (unsigned i = 0; i < ITEMS; i++)
		items[i] = next_random();
	sort(items, items + ITEMS - 1, up);
	*sum = *sum * 31 + items[ITEMS / 2];
	sort(items, items + ITEMS - 1, items[0] & 1 ? up : down);
	for (unsigned i = 0; i < TEXT; i++)
		text[i] = (char)(next_random() % 5 ? 'a' + (int)(next_random() & 15) : ' ');
	for (unsigned i = 0; i < 8; i++)
		*sum += hash(text + i, TEXT - 8) + count_words(text + i, TEXT - 8);
	*sum = *sum * 31 + interpret(STEPS);
}

/* The instruction behind the call is skipped: see start.S. */
static void work_with_calls(void *argument)
{
	for (unsigned i = 0; i < 4; i++) {
		work(argument);
		__asm__ volatile("svc #1; nop" ::: "memory");
		if (traps_first)
			__asm__ volatile("udf #0; udf #0; nop; udf #0" ::: "memory");
	}
}

static void trace_sync(void)
{
	__asm__ volatile("isb; hint #18; dsb sy; isb" ::: "memory");
}

static void compare_range(unsigned n, uint64_t first, uint64_t last)
{
	set(TRCREG(0x400 + 16 * n), first);
	set(TRCREG(0x408 + 16 * n), last);
	set(TRCREG(0x480 + 16 * n), 0);
	set(TRCREG(0x488 + 16 * n), 0);
}

static void program_ranges(void)
{
	uint64_t half = ((uint64_t)(uintptr_t)work - (uint64_t)(uintptr_t)interpret) / 8 * 4;

	compare_range(0, (uint64_t)(uintptr_t)sort, (uint64_t)(uintptr_t)hash - 4);
	compare_range(1, (uint64_t)(uintptr_t)interpret, (uint64_t)(uintptr_t)interpret + half);
	set(TRCREG(0x03c), option("load-bb", 0));
	if (option("ete-q-filter", 0))
		set(TRCREG(0x044), option("load-q", 0));
	if (option("ete-stall", 0))
		set(TRCREG(0x02c), option("load-stall", 0));
	set(TRCREG(0x084), option("load-viie", 0));
	set(TRCREG(0x088), option("load-viss", 0));
}

static void start_trace(uint64_t what)
{
	/* of Non-secure EL0, EL1, EL2 */
	static const uint8_t left_out[] = {7, 6, 0, 7, 1};
	uint64_t base = (uint64_t)(uintptr_t)buffer;
	bool keep = option("load-keep", 0);

	set(OSLAR_EL1, 0);
	set(TRCREG(0x004), 0);
	set(TRCREG(0x010), option("load-config", 0));
	set(TRCREG(0x020), 0);
	set(TRCREG(0x024), 0);
	set(TRCREG(0x028), option("load-rsr", 0x1000));
	set(TRCREG(0x030), 0);
	/* TRCSYNCPR, TRCCCCTLR */
	set(TRCREG(0x034), 12);
	set(TRCREG(0x038), 1000);
	set(TRCREG(0x080), (uint64_t)left_out[what] << 20 | 0xf0000 | BIT(9) | 1);
	program_ranges();
	set(CONTEXTIDR_EL1, 0x1234);
	set(TRBREG(LIMITR), 0);
	set(TRBREG(BASER), base);
	set(TRBREG(PTR), base);
	set(TRBREG(SR), 0);
	/* Fill or Circular Buffer mode, triggers ignored */
	set(TRBREG(LIMITR), (base + (keep ? sizeof(buffer) : SMALL)) |
				    (keep || option("load-stop", 0) ? 0 : 3 << 1) | 3 << 3 |
				    !option("load-off", 0));
	set(TRCREG(0x004), 1);
	trace_sync();
	set(TRFCR_EL1, option("load-trfcr", 3));
}

static void stop_trace(void)
{
	set(TRFCR_EL1, 0);
	trace_sync();
	set(TRCREG(0x004), 0);
	trace_sync();
}

static void keep_trace(void)
{
	static const char name[] = "trace";
	uint64_t size = get(TRBREG(PTR)) - (uint64_t)(uintptr_t)buffer;
	uint64_t status = get(TRBREG(SR));

	note("trace: %x bytes, TRBSR %lx", (unsigned)size, status);
	ok(!status && size > 4096, "there is trace, and nothing was lost");
	/* TRCCONFIGR, TRCIDR0, 1, 2, 8 and TRCDEVARCH */
	note("config TRCCONFIGR=0x%lx,TRCIDR0=0x%lx,TRCIDR1=0x%lx,TRCIDR2=0x%lx,TRCIDR8=0x%lx,"
	     "TRCDEVARCH=0x%lx",
	     get(TRCREG(0x010)), get(TRCREG(0x1e0)), get(TRCREG(0x1e4)), get(TRCREG(0x1e8)),
	     get(TRCREG(0x180)), get(TRCREG(0xfbc)));
	ok(write_file(name, buffer, size), "it goes to a file");
}

static uint64_t now(void)
{
	uint64_t value;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(value));
	return value;
}

static void wait(uint64_t milliseconds)
{
	uint64_t since = now(), frequency;

	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
	while (now() - since < milliseconds * frequency / 1000)
		__asm__ volatile("wfe");
}

void run_load(void)
{
	uint64_t rounds = option("load", 0), what = option("load-trace", 0), sum = 0;

	traps_first = option("load-traps", 0) ? 2 : 0;
	instrumented = option("load-instrumentation", 0);
	if (instrumented)
		set(TRCITECR_EL1, 3);
	if (what)
		start_trace(what);
	for (uint64_t i = 0; i < rounds; i++) {
		call_at(0, work_with_calls, &sum);
		work(&sum);
		if (i == 0 && option("load-wait", 0))
			note("waiting");
		wait(option("load-wait", 0));
	}
	if (option("load-stay", 0))
		while (!has_file("moved"))
			wait(10);
	if (what)
		stop_trace();
	note("sum %lx", sum);
	ok(sum != 0, "all rounds were made");
	if (option("load-keep", 0))
		keep_trace();
}
