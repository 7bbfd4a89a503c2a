// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fine-grained traps: which bits of HDFGRTR_EL2 and HDFGWTR_EL2 trap which registers of the trace unit,
 * the trace buffer unit and the trace filter from EL1 to EL2.
 *
 * The table is read out of the description of both registers by hand, and shares nothing with the device model.
 */
#include "bare.h"

#define ID_AA64MMFR0_EL1 SYSREG(3, 0, 0, 7, 0)
#define HDFGRTR_EL2      SYSREG(3, 4, 3, 1, 4)
#define HDFGWTR_EL2      SYSREG(3, 4, 3, 1, 5)
#define TRFCR_EL1        SYSREG(3, 0, 1, 2, 1)
#define TRBREG(OP2)      SYSREG(3, 0, 9, 11, OP2)

enum { FIRST_BIT = 33, LAST_BIT = 56 };

/* Registers of the trace unit that have a bit of their own; the others have TRC */
static const struct {
	uint16_t first, last;
	uint8_t bit;
} own_bits[] = {
	{0xfb8, 0xfb8, 34}, /* TRCAUTHSTATUS */
	{0x018, 0x018, 35}, /* TRCAUXCTLR */
	{0xfa0, 0xfa4, 36}, /* TRCCLAIMSET, TRCCLAIMCLR */
	{0x160, 0x16c, 37}, /* TRCCNTVR<n> */
	{0x180, 0x194, 40}, /* TRCIDR8 to TRCIDR13 */
	{0x1e0, 0x1fc, 40}, /* TRCIDR0 to TRCIDR7 */
	{0xfbc, 0xfc8, 40}, /* TRCDEVARCH, TRCDEVID */
	{0x1c0, 0x1dc, 41}, /* TRCIMSPEC<n> */
	{0x304, 0x304, 43}, /* TRCOSLSR */
	{0x004, 0x004, 44}, /* TRCPRGCTLR */
	{0x11c, 0x11c, 45}, /* TRCSEQSTR */
	{0x2a0, 0x2bc, 46}, /* TRCSSCSR<n> */
	{0x00c, 0x00c, 47}, /* TRCSTATR */
	{0x080, 0x080, 48}, /* TRCVICTLR */
};

static unsigned trc_bit(unsigned offset)
{
	for (size_t i = 0; i < ARRAY_SIZE(own_bits); i++) {
		if (offset >= own_bits[i].first && offset <= own_bits[i].last)
			return own_bits[i].bit;
	}
	return 33;
}

/* In the order of op2; 5 is not allocated */
static const uint8_t trb_bits[8] = {52, 54, 50, 55, 53, 0, 56, 51};

/* The registers of this machine, and the bit of each */
static struct {
	uint32_t reg;
	uint8_t bit;
	bool readable_trap, writable;
} regs[1024];
static unsigned reg_count;

static void add(uint32_t reg, unsigned bit, bool read_trap)
{
	if (read_at(base_el, reg).el)
		return;
	regs[reg_count].reg = reg;
	regs[reg_count].bit = (uint8_t)bit;
	regs[reg_count].readable_trap = read_trap;
	regs[reg_count++].writable = !write_at(base_el, reg, 0).el;
}

static void find_regs(void)
{
	reg_count = 0;
	for (unsigned offset = 0; offset < 0x1000; offset += 4)
		add(TRCREG(offset), trc_bit(offset), true);
	for (unsigned op2 = 0; op2 < 8; op2++)
		add(TRBREG(op2), trb_bits[op2], true);
	/* HDFGRTR_EL2 has no bit for it */
	add(TRFCR_EL1, 49, false);
}

/* Does an access do what it has to do where only the bit `bit` is set, of reads or of writes? */
static bool good(unsigned i, bool read, unsigned bit, bool of_reads)
{
	uint32_t reg = regs[i].reg;
	struct outcome o = read ? read_at(1, reg) : write_at(1, reg, 0);
	bool wanted = regs[i].bit == bit && read == of_reads && (!read || regs[i].readable_trap);

	if (wanted ? trapped(o, 2, reg, read) : o.el == 0)
		return true;
	note("bit %x of %s: %x %s: taken to EL%u, syndrome %x", bit, of_reads ? "HDFGRTR_EL2" : "HDFGWTR_EL2",
	     reg, read ? "read" : "write", o.el, o.esr);
	return false;
}

static bool try_bits(bool of_reads)
{
	bool all_good = true;

	for (unsigned bit = FIRST_BIT; bit <= LAST_BIT; bit++) {
		set(HDFGRTR_EL2, of_reads ? BIT(bit) : 0);
		set(HDFGWTR_EL2, of_reads ? 0 : BIT(bit));
		for (unsigned i = 0; i < reg_count; i++) {
			all_good &= good(i, true, bit, of_reads);
			if (regs[i].writable)
				all_good &= good(i, false, bit, of_reads);
		}
	}
	set(HDFGRTR_EL2, 0);
	set(HDFGWTR_EL2, 0);
	return all_good;
}

void test_fgt(void)
{
	bool there = get(ID_AA64MMFR0_EL1) >> 56 & 15;

	if (base_el < 2 || !have_el2())
		return;
	controls_off();
	ok(there, "there are fine-grained traps");
	if (!there)
		return;
	if (base_el == 3)
		set(SCR_EL3, get(SCR_EL3) | BIT(27));
	find_regs();
	ok(try_bits(true), "each bit of HDFGRTR_EL2 traps reads of its registers, and no others");
	ok(try_bits(false), "each bit of HDFGWTR_EL2 traps writes of its registers, and no others");
	if (base_el == 3) {
		controls_off();
		set(HDFGRTR_EL2, ~0ull);
		ok(!read_at(1, TRCREG(0x00c)).el, "no trap without SCR_EL3.FGTEn");
		set(HDFGRTR_EL2, 0);
	}
	controls_off();
}
