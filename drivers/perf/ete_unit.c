// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace unit of the CPU that this runs on: to take hold of it, to program, enable and stop it.
 *
 * All of it runs on that CPU with interrupts off, and where trace is prohibited, but for the first
 * step of ete_unit_stop().
 */
#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/printk.h>

#include <asm/virt.h>

#include <uapi/linux/arm_ete_pmu.h>

#include "arm_ete.h"
#include "ete_sysreg.h"

/* How often TRCSTATR is read, with a microsecond between, before the trace unit counts as broken */
#define ETE_POLLS 100

/* Bits of TRCSTATR have these values, some time */
static bool ete_unit_wait(u32 mask, u32 value)
{
	unsigned int i;

	for (i = 0; i < ETE_POLLS; i++) {
		if ((ete_read_status() & mask) == value)
			return true;
		udelay(1);
	}
	return false;
}

static void ete_unit_break(struct ete_cpu *cpu, const char *what)
{
	cpu->unit.broken = true;
	ete_notice(cpu, "the trace unit %s; it is not used any more", what);
}

/* The registers of a trace unit may hold anything */
static void ete_unit_forget(struct ete_unit *unit)
{
	unit->held_id = 0;
	memset(unit->known, 0, sizeof(unit->known));
}

/**
 * ete_unit_filter() - set the trace filter, if it is not that already
 * @unit: the trace unit of this CPU
 * @trfcr: the filter
 *
 * What comes after is traced, or not, as it says. What interrupts this between the register and
 * what is known of it finds the filter that was before, and may leave it: who is interrupted
 * looks again, see trbe_session_filter().
 */
void ete_unit_filter(struct ete_unit *unit, u64 trfcr)
{
	if (READ_ONCE(unit->trfcr) == trfcr)
		return;
	ete_write_filter(trfcr);
	ete_synchronize_filter();
	WRITE_ONCE(unit->trfcr, trfcr);
}

static void ete_unit_identify(struct ete_caps *caps)
{
	u32 *idr = caps->idr;

	idr[0] = ete_read(ETE_TRCIDR(0));
	idr[1] = ete_read(ETE_TRCIDR(1));
	idr[2] = ete_read(ETE_TRCIDR(2));
	idr[3] = ete_read(ETE_TRCIDR(3));
	idr[4] = ete_read(ETE_TRCIDR(4));
	idr[5] = ete_read(ETE_TRCIDR(5));
	idr[6] = ete_read(ETE_TRCIDR(6));
	idr[7] = ete_read(ETE_TRCIDR(7));
	idr[8] = ete_read(ETE_TRCIDR_HIGH(8));
	idr[9] = ete_read(ETE_TRCIDR_HIGH(9));
	idr[10] = ete_read(ETE_TRCIDR_HIGH(10));
	idr[11] = ete_read(ETE_TRCIDR_HIGH(11));
	idr[12] = ete_read(ETE_TRCIDR_HIGH(12));
	idr[13] = ete_read(ETE_TRCIDR_HIGH(13));
	caps->authstatus = ete_read(ETE_TRCAUTHSTATUS);
}

/**
 * ete_unit_claim() - take hold of a trace unit
 * @cpu: this CPU; its caps, and what the unit holds, are written
 * @again: the driver may have hold of it already
 *
 * A debugger that uses it has set a claim tag of its own.
 *
 * Return: NULL, or why it cannot be had.
 */
const char *ete_unit_claim(struct ete_cpu *cpu, bool again)
{
	u32 tags;

	write_sysreg_s(0, ETE_OSLAR);
	cpu->unit.trfcr = ~0ULL;
	if (is_kernel_in_hyp_mode())
		ete_write_guest_filter(0);
	ete_unit_filter(&cpu->unit, ete_trfcr_closed(ETE_TRFCR_TS_VIRTUAL));
	ete_unit_forget(&cpu->unit);
	cpu->caps.devarch = ete_read(ETE_TRCDEVARCH);
	if ((cpu->caps.devarch & ETE_DEVARCH_ID) != ETE_DEVARCH_ETE)
		return "its trace unit is no ETE";
	tags = ete_read(ETE_TRCCLAIMCLR);
	if (tags & ~ETE_CLAIM_SELF_HOSTED)
		return "an external debugger has claimed the trace unit";
	if (tags & ETE_CLAIM_SELF_HOSTED && !again)
		return "another driver has claimed the trace unit";
	ete_write(ETE_CLAIM_SELF_HOSTED, ETE_TRCCLAIMSET);
	/* TRCCLAIMCLR is another register: it shows the tag from here on (I_TPVQR) */
	isb();
	if (ete_read(ETE_TRCCLAIMCLR) != ETE_CLAIM_SELF_HOSTED) {
		ete_write(ETE_CLAIM_SELF_HOSTED, ETE_TRCCLAIMCLR);
		return "an external debugger has claimed the trace unit";
	}
	ete_write(0, ETE_TRCPRGCTLR);
	if (!ete_unit_wait(ETE_STATR_IDLE, ETE_STATR_IDLE)) {
		ete_write(ETE_CLAIM_SELF_HOSTED, ETE_TRCCLAIMCLR);
		return "the trace unit does not become idle";
	}
	ete_unit_identify(&cpu->caps);
	ete_caps_registers(&cpu->caps, cpu->unit.present);
	ete_write(0, ETE_TRCAUXCTLR);
	if (FIELD_GET(ETE_IDR5_TRACEIDSIZE, cpu->caps.idr[5]))
		ete_write((ARM_ETE_PMU_TRACE_ID_FIRST + cpu->number * ARM_ETE_PMU_TRACE_ID_STEP) &
			  ETE_TRACEIDR_MASK, ETE_TRCTRACEIDR);
	cpu->unit.broken = false;
	return NULL;
}

/**
 * ete_unit_release() - give a trace unit back
 * @cpu: this CPU; nothing is traced
 */
void ete_unit_release(struct ete_cpu *cpu)
{
	ete_unit_filter(&cpu->unit, ete_trfcr_closed(cpu->unit.trfcr));
	ete_write(ETE_CLAIM_SELF_HOSTED, ETE_TRCCLAIMCLR);
}

/**
 * ete_unit_program() - have the trace unit's registers hold an event's values
 * @cpu: this CPU, whose trace unit is idle
 * @image: the values
 *
 * Only registers that hold another value are written. For an event that was the last one here
 * none is: its image is known by its id. What the trace unit changes by itself goes on from
 * where it was then.
 */
void ete_unit_program(struct ete_cpu *cpu, const struct ete_image *image)
{
	struct ete_unit *unit = &cpu->unit;
	unsigned int word;

	if (unit->held_id == image->id) {
		/* the event may have run on another CPU since */
		if (image->start_stop)
			ete_unit_write(ETE_TRCVICTLR, image->value[ETE_TRCVICTLR]);
		return;
	}
	for (word = 0; word < ETE_REG_WORDS; word++) {
		u64 left = image->used[word] & unit->present[word];

		while (left) {
			unsigned int bit = __ffs64(left), reg = 64 * word + bit;

			left &= left - 1;
			if (unit->known[word] & BIT_ULL(bit) &&
			    unit->held[reg] == image->value[reg])
				continue;
			ete_unit_write(reg, image->value[reg]);
			unit->held[reg] = image->value[reg];
			cpu->stats.register_writes++;
		}
		unit->known[word] |= image->used[word];
		unit->known[word] &= ~image->changing[word];
	}
	unit->held_id = image->id;
}

/**
 * ete_unit_enable() - enable the trace unit
 * @cpu: this CPU, whose trace unit has been programmed and whose buffer is enabled
 *
 * As in S_VKHHY. What was programmed, the buffer included, is seen from the barrier in
 * ete_read_status() on (R_BFJKD). There is no trace yet, for the kernel is prohibited (R_YWSDB):
 * ete_unit_filter() comes after.
 */
void ete_unit_enable(struct ete_cpu *cpu)
{
	ete_write(1, ETE_TRCPRGCTLR);
	if (!ete_unit_wait(ETE_STATR_IDLE, 0))
		ete_unit_break(cpu, "does not begin");
}

/**
 * ete_unit_stop() - trace no more, and have all that was traced go to the buffer
 * @cpu: this CPU
 * @image: the event's values; its start/stop state is kept there
 *
 * Steps as in S_VKHHY. Where the kernel itself is traced the filter has to be closed first; else
 * the kernel is a Trace Prohibited region already, and the exception that led here was the
 * context synchronization event that R_MRVPT wants.
 */
void ete_unit_stop(struct ete_cpu *cpu, struct ete_image *image)
{
	const u32 stable = ETE_STATR_IDLE | ETE_STATR_PMSTABLE;

	if (cpu->unit.trfcr & ETE_TRFCR_EX)
		ete_unit_filter(&cpu->unit, ete_trfcr_closed(cpu->unit.trfcr));
	if (image->start_stop)
		ete_settle_points();
	ete_drain(cpu->errata);
	ete_write(0, ETE_TRCPRGCTLR);
	if (!ete_unit_wait(stable, stable))
		ete_unit_break(cpu, "does not become idle");
	if (image->start_stop) {
		image->value[ETE_TRCVICTLR] &= ~(u64)ETE_VICTLR_SSSTATUS;
		image->value[ETE_TRCVICTLR] |= ete_read(ETE_TRCVICTLR_OFFSET) & ETE_VICTLR_SSSTATUS;
	}
}
