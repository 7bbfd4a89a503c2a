// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace buffer through translation: each regime, each kind of fault. RAM and devices are mapped
 * one to one; the buffer is seen in a window, page by page. Code is traced at EL1.
 */
#include "buffer.h"
#include "packets.h"

#define SCTLR_EL1 SYSREG(3, 0, 1, 0, 0)
#define TTBR0_EL1 SYSREG(3, 0, 2, 0, 0)
#define TCR_EL1   SYSREG(3, 0, 2, 0, 2)
#define MAIR_EL1  SYSREG(3, 0, 10, 2, 0)
#define SCTLR_EL2 SYSREG(3, 4, 1, 0, 0)
#define TTBR0_EL2 SYSREG(3, 4, 2, 0, 0)
#define TCR_EL2   SYSREG(3, 4, 2, 0, 2)
#define VTTBR_EL2 SYSREG(3, 4, 2, 1, 0)
#define VTCR_EL2  SYSREG(3, 4, 2, 1, 2)
#define MAIR_EL2  SYSREG(3, 4, 10, 2, 0)

#define WINDOW  UINT64_C(0x80000000)
#define NOWHERE UINT64_C(0x2000000000)

/* Descriptors of stage 1; AttrIndx 0 is Normal, 1 Device */
#define TABLE     3u
#define BLOCK     1u
#define PAGE_DESC 3u
#define AF        BIT(10)
#define SHAREABLE (3u << 8)
#define READ_ONLY BIT(7)
#define EL0       BIT(6)
#define DBM       BIT(51)
#define DEVICE    (1u << 2)
#define GOOD      (AF | SHAREABLE)
/* of stage 2 */
#define S2_NORMAL (0xfu << 2)
#define S2_READ   BIT(6)
#define S2_WRITE  BIT(7)
#define S2_GOOD   (AF | SHAREABLE | S2_NORMAL | S2_READ | S2_WRITE)

#define EC_STAGE1 (UINT64_C(0x24) << 26)
#define EC_STAGE2 (UINT64_C(0x25) << 26)

static uint64_t level1[512] __attribute__((aligned(PAGE)));
static uint64_t level2[512] __attribute__((aligned(PAGE)));
static uint64_t level3[512] __attribute__((aligned(PAGE)));

static uint64_t address(const void *of)
{
	return (uint64_t)(uintptr_t)of;
}

/* How the window is mapped */
static void map(uint64_t attributes, uint64_t device)
{
	level1[0] = BLOCK | (attributes & ~(uint64_t)(S2_NORMAL | SHAREABLE)) | device;
	level1[1] = 0x40000000 | BLOCK | attributes;
	level1[2] = address(level2) | TABLE;
	level2[0] = address(level3) | TABLE;
	for (unsigned i = 0; i < PAGES; i++)
		level3[i] = (address(buffer) + i * PAGE) | PAGE_DESC | attributes;
}

static void forget_translations(void)
{
	if (base_el >= 2)
		__asm__ volatile("dsb sy; tlbi alle1; tlbi alle2; dsb sy; isb" ::: "memory");
	else
		__asm__ volatile("dsb sy; tlbi vmalle1; dsb sy; isb" ::: "memory");
}

/* 39 bits of virtual address, 40 of physical; tables shareable and cacheable */
#define TCR_COMMON (25u | 1u << 8 | 1u << 10 | 3u << 12)

enum regime { EL1, EL2, EL20, STAGE2 };

/* The regime that owns the buffer, with hardware flag updates (HA, HD) or without */
static void regime_on(enum regime regime, bool updates)
{
	uint64_t flags = updates ? 3 : 0;

	map(regime == STAGE2 ? S2_GOOD : GOOD, regime == STAGE2 ? 0 : DEVICE);
	switch (regime) {
	case EL1:
		set(MAIR_EL1, 0x00ff);
		set(TTBR0_EL1, address(level1));
		set(TCR_EL1, TCR_COMMON | BIT(23) | UINT64_C(2) << 32 | flags << 39);
		forget_translations();
		set(SCTLR_EL1, 0x30d00801);
		break;
	case EL2:
	case EL20:
		set(MDCR_EL2, 0);
		set(MAIR_EL2, 0x00ff);
		set(TTBR0_EL2, address(level1));
		if (regime == EL20) {
			set(HCR_EL2, BIT(31) | BIT(34));
			set(TCR_EL2, TCR_COMMON | BIT(23) | UINT64_C(2) << 32 | flags << 39);
		} else {
			set(TCR_EL2, TCR_COMMON | BIT(23) | BIT(31) | 2u << 16 | flags << 21);
		}
		forget_translations();
		set(SCTLR_EL2, 0x30c50831);
		break;
	case STAGE2:
		set(VTTBR_EL2, address(level1));
		/* starts at level 1 */
		set(VTCR_EL2, TCR_COMMON | BIT(31) | 1u << 6 | 2u << 16 | flags << 21);
		forget_translations();
		set(HCR_EL2, BIT(31) | BIT(0));
		break;
	}
}

static void regime_off(void)
{
	set(SCTLR_EL1, 0x30d00800);
	if (base_el >= 2 && have_el2()) {
		set(SCTLR_EL2, 0x30c50830);
		controls_off();
	}
	forget_translations();
}

static const struct setup window = {
	.modes = FILL | IGNORE,
	.size = PAGES * PAGE,
	.base = WINDOW,
	.at = PAGE - 64,
	.el = 1,
};

/* Trace through a good mapping; how long it is, and what the fault tests below compare with */
static uint64_t whole(const char *name)
{
	struct setup setup = window;
	struct result r;

	setup.at = 0;
	r = trace(&setup);
	length = r.pointer;
	for (unsigned i = 0; i < sizeof(buffer); i++)
		reference[i] = buffer[i];
	r = trace(&window);
	show(r);
	ok(r.status == 0 && r.pointer == PAGE - 64 + length && length > 128 &&
		   same(PAGE - 64, reference, length),
	   name);
	return length;
}

/* A descriptor is not as it should be: what TRBSR_EL1 says, and where trace ended */
static void fault(uint64_t *descriptor, uint64_t value, uint64_t ec, uint64_t code, bool at_once,
		  const char *name)
{
	uint64_t good = *descriptor;
	struct result r;

	*descriptor = value;
	forget_translations();
	r = trace(&window);
	*descriptor = good;
	forget_translations();
	if (r.status != (SR_S | SR_IRQ | ec | code))
		show(r);
	ok(r.status == (SR_S | SR_IRQ | ec | code) && r.pointer == (at_once ? PAGE - 64 : PAGE) &&
		   same(PAGE - 64, at_once ? NULL : reference, 64) && same(PAGE, NULL, PAGE),
	   name);
}

static void faults_of_stage1(void)
{
	uint64_t *page = &level3[1], block = address(buffer) & ~UINT64_C(0x1fffff);
	struct setup setup = window;
	struct result r;

	fault(page, 0, EC_STAGE1, 0x07, false, "Translation fault, level 3");
	fault(&level2[0], 0, EC_STAGE1, 0x06, true, "Translation fault, level 2");
	fault(&level1[2], 0, EC_STAGE1, 0x05, true, "Translation fault, level 1");
	fault(page, *page & ~AF, EC_STAGE1, 0x0b, false, "Access flag fault, level 3");
	fault(&level2[0], block | BLOCK | SHAREABLE, EC_STAGE1, 0x0a, true,
	      "Access flag fault, level 2");
	fault(page, *page | READ_ONLY, EC_STAGE1, 0x0f, false, "Permission fault, level 3");
	fault(&level2[0], block | BLOCK | GOOD | READ_ONLY, EC_STAGE1, 0x0e, true,
	      "Permission fault, level 2");
	fault(page, *page | BIT(47), EC_STAGE1, 0x03, false, "Address size fault, level 3");
	fault(&level2[0], address(level3) | TABLE | BIT(47), EC_STAGE1, 0x02, true,
	      "Address size fault, level 2");
	fault(&level2[0], NOWHERE | TABLE, EC_STAGE1, 0x17, true,
	      "External abort on a walk, level 3");
	fault(&level1[2], NOWHERE | TABLE, EC_STAGE1, 0x16, true,
	      "External abort on a walk, level 2");
	setup.pointer = BIT(45);
	r = trace(&setup);
	ok(r.status == (SR_S | SR_IRQ | EC_STAGE1 | 0x04) && get(TRBREG(PTR)) == BIT(45),
	   "Translation fault, level 0: beyond all tables");
}

/* Hardware updates of flags: as for the PE where TRBIDR_EL1.F is 1, none where it is 0 */
static void flag_updates(enum regime regime)
{
	bool updates = option("trbe-flag-updates", 0);
	uint64_t clean, *page = &level3[1];
	struct result r;

	regime_on(regime, true);
	clean = *page & ~AF;
	*page = clean;
	forget_translations();
	r = trace(&window);
	ok(updates ? r.status == 0 && *page == (clean | AF)
		   : (r.status & 0x3f) == 0x0b && *page == clean && r.pointer == PAGE,
	   "Access flag: set by hardware, or a fault, as TRBIDR_EL1.F says");
	clean = regime == STAGE2 ? (clean | AF | DBM) & ~S2_WRITE : clean | AF | DBM | READ_ONLY;
	*page = clean;
	forget_translations();
	r = trace(&window);
	ok(updates ? r.status == 0 && *page != clean
		   : (r.status & 0x3f) == 0x0f && *page == clean && r.pointer == PAGE,
	   "dirty state: set by hardware, or a fault, as TRBIDR_EL1.F says");
}

static void test_stage1_el1(void)
{
	regime_on(EL1, false);
	whole("EL1's regime, virtual addresses");
	faults_of_stage1();
	flag_updates(EL1);
	regime_off();
}

static void test_stage1_el2(void)
{
	regime_on(EL2, false);
	whole("EL2's regime, virtual addresses");
	faults_of_stage1();
	flag_updates(EL2);
	regime_off();
}

static void test_stage1_el20(void)
{
	regime_on(EL20, false);
	whole("EL2&0 regime, virtual addresses");
	faults_of_stage1();
	flag_updates(EL20);
	regime_off();
}

static void test_stage2(void)
{
	uint64_t *page = &level3[1];
	struct setup setup = window;
	struct result r;

	regime_on(STAGE2, false);
	whole("EL1's regime, stage 2");
	fault(page, 0, EC_STAGE2, 0x07, false, "stage 2: Translation fault, level 3");
	fault(&level2[0], 0, EC_STAGE2, 0x06, true, "stage 2: Translation fault, level 2");
	fault(&level1[2], 0, EC_STAGE2, 0x05, true, "stage 2: Translation fault, level 1");
	fault(page, *page & ~AF, EC_STAGE2, 0x0b, false, "stage 2: Access flag fault, level 3");
	fault(page, *page & ~S2_WRITE, EC_STAGE2, 0x0f, false, "stage 2: Permission fault");
	fault(page, *page | BIT(47), EC_STAGE2, 0x03, false, "stage 2: Address size fault");
	/* intermediate physical addresses: the same, with no stage 1 in between */
	setup.modes |= NVM;
	r = trace(&setup);
	ok(r.status == 0 && same(PAGE - 64, reference, length),
	   "intermediate physical addresses (nVM): translated by stage 2");
	*page = 0;
	forget_translations();
	r = trace(&setup);
	ok(r.status == (SR_S | SR_IRQ | EC_STAGE2 | 0x07) && r.pointer == PAGE,
	   "intermediate physical addresses: a fault of stage 2");
	/* DC makes VM as if it were set */
	set(HCR_EL2, BIT(31) | BIT(12));
	r = trace(&setup);
	ok(r.status == (SR_S | SR_IRQ | EC_STAGE2 | 0x07) && r.pointer == PAGE,
	   "HCR_EL2.DC: stage 2, too (R_JCMKS)");
	set(HCR_EL2, BIT(31) | BIT(0));
	flag_updates(STAGE2);
	regime_off();
}

/*
 * nVM, and no stage 2: addresses are physical. The buffer is where it is; where the window would
 * lead to it, there is nothing.
 */
static void physical(const char *name)
{
	struct setup setup = window;
	struct result r;
	bool good;

	setup.modes |= NVM;
	setup.base = 0;
	r = trace(&setup);
	good = r.status == 0 && same(PAGE - 64, reference, length);
	setup.base = WINDOW;
	r = trace(&setup);
	show(r);
	ok(good && r.status == (SR_S | SR_IRQ | SR_EA | EC_STAGE1 | 0x11) &&
		   same(0, NULL, sizeof(buffer)),
	   name);
}

static void test_physical(void)
{
	regime_on(EL1, false);
	whole("EL1's regime again");
	physical("physical addresses (nVM) are not translated");
	regime_off();
	if (base_el < 2 || !have_el2())
		return;
	regime_on(STAGE2, false);
	set(MDCR_EL2, 0);
	physical("EL2 owns the buffer: no stage 2 for physical addresses");
	regime_off();
}

/* The trace of a program at EL0 in A32 goes to `got`. */
static void run_a32(const uint64_t *addresses, unsigned count)
{
	count_begin();
	set(TRCREG(PRGCTLR), 1);
	set(TRFCR_EL1, 1);
	for (unsigned i = 0; i < count; i++)
		run_lower(0x1d0, (void (*)(void *))addresses[i], NULL, base_el);
	set(TRFCR_EL1, 0);
	disable_unit();
	count_end();
}

/*
 * A page of A32 code is mapped twice. The block that was translated at one address branches, at the
 * other, to below address 0: to the end of the 32-bit address space.
 */
static void test_a32_wraps(void)
{
	/* SVC #RETURN, 16 bytes before the second page; B to it */
	static uint32_t code[2][PAGE / 4] __attribute__((aligned(PAGE))) = {
		{[PAGE / 4 - 4] = 0xef0000e1}, {[4] = 0xeafffff6}};
	const uint64_t attributes = PAGE_DESC | GOOD | READ_ONLY | EL0;
	const uint64_t starts[] = {WINDOW + 257 * PAGE + 16, 16};

	/* commits and padding are not known here */
	if (option("trbe-align", 0) || option("ete-maxspec", 0))
		return;
	regime_on(EL1, false);
	level1[0] = address(level2) | TABLE;
	level1[3] = address(level2) | TABLE;
	level2[511] = address(level3) | TABLE;
	level3[256] = address(code[0]) | attributes;
	level3[257] = address(code[1]) | attributes;
	level3[0] = address(code[1]) | attributes;
	level3[511] = address(code[0]) | attributes;
	forget_translations();
	set(TRCREG(VICTLR), VIEW_EL0);
	run_a32(starts, ARRAY_SIZE(starts));
	show_packets();
	ok(is(2, 2) && got.taken == 2 && got.exceptions == 2,
	   "A32: a branch wraps around the address space, in code of two addresses");
	regime_off();
	level1[3] = 0;
	level2[511] = 0;
}

void test_mmu(void)
{
	uint64_t victlr = get(TRCREG(0x080));

	/* traced at its own Exception level, the program has another trace each time with a seed */
	if (base_el == 1 && option("trace-sync-seed", 0))
		return;
	/* EL1 is traced, EL0 and EL2 are not */
	set(TRCREG(0x080), 0x5f0000 | BIT(9) | 1);
	test_stage1_el1();
	if (base_el >= 2 && have_el2()) {
		test_stage1_el2();
		test_stage2();
	}
	/* at EL2 itself the registers of the tests would be others */
	if (base_el == 3 && have_el2())
		test_stage1_el20();
	test_physical();
	test_a32_wraps();
	set(TRCREG(0x080), victlr);
}
