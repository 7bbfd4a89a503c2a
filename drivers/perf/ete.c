// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace unit of the CPU that executes these functions: claim, program, enable and disable.
 *
 * All functions run with interrupts off, and all but ete_unit_prohibit() where trace is prohibited.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/string.h>

#include <asm/virt.h>

#include "arm_ete_compat.h"
#include "ete.h"
#include "ete_sysreg.h"
#include "ete_write.h"

/* Reads of TRCSTATR, one microsecond apart, before the trace unit counts as broken */
#define ETE_POLLS 100

/* Wait until the bits of TRCSTATR in mask have this value */
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

/**
 * ete_unit_filter() - set the trace filter
 * @unit: this CPU's trace unit
 * @trfcr: the filter
 *
 * The filter applies to all instructions that follow. Nothing is written if the filter has this
 * value. An interrupt between the register write and the update of @unit->trfcr may set another
 * filter; its caller trbe_record_filter() repeats the call until both agree.
 */
void ete_unit_filter(struct ete_unit *unit, u64 trfcr)
{
	if (READ_ONCE(unit->trfcr) == trfcr)
		return;
	ete_write_filter(trfcr);
	ete_synchronize_filter();
	WRITE_ONCE(unit->trfcr, trfcr);
}

/**
 * ete_unit_prohibit() - prohibit trace of the kernel
 * @unit: this CPU's trace unit
 *
 * If only user code is traced, the kernel is a prohibited region already, and the exception that
 * led to the kernel was the Context synchronization event that R_MRVPT requires before TSB CSYNC.
 */
void ete_unit_prohibit(struct ete_unit *unit)
{
	if (unit->trfcr & ETE_TRFCR_EX)
		ete_unit_filter(unit, ete_trfcr_closed(unit->trfcr));
}

/* Discard all cached values: another owner, or a loss of power, may have changed the registers. */
static void ete_unit_forget(struct ete_unit *unit)
{
	unit->trfcr = ~0ULL;
	unit->trcitecr = ~0ULL;
	unit->held_id = 0;
	memset(unit->known, 0, sizeof(unit->known));
}

/*
 * Set the Exception levels whose TRCIT instructions are traced. Returns the number of registers
 * written. Without FEAT_ITE, or where the access may be trapped, there is nothing to write.
 */
static unsigned int ete_unit_instrument(struct ete_unit *unit, u64 trcitecr)
{
	if (!unit->caps.instrumentation || unit->trcitecr == trcitecr)
		return 0;
	ete_write_instrumentation(trcitecr);
	unit->trcitecr = trcitecr;
	return 1;
}

/* Set all filters to prohibit trace. The registers of the trace unit may hold anything. */
static void ete_unit_close(struct ete_unit *unit)
{
	ete_unit_forget(unit);
	ete_unit_filter(unit, ete_trfcr_closed(ETE_TRFCR_TS_VIRTUAL));
	if (is_kernel_in_hyp_mode())
		ete_write_guest_filter(0);
}

static bool ete_unit_idle(void)
{
	ete_write(0, ETE_TRCPRGCTLR);
	return ete_unit_wait(ETE_STATR_IDLE, ETE_STATR_IDLE);
}

/**
 * ete_unit_reset() - disable a trace unit that firmware or a crashed kernel has left enabled
 * @unit: this CPU's trace unit, which may be in any state
 * @owned: another driver is bound to the trace units
 *
 * The claim tags are read first. No register is written if an external debugger has claimed the
 * trace unit, or if it belongs to another driver. Otherwise a claim tag of self-hosted trace is
 * stale: it is cleared, and the trace unit disabled.
 */
void ete_unit_reset(struct ete_unit *unit, bool owned)
{
	u32 tags = ete_read_claim();

	ete_unit_forget(unit);
	unit->claimed = false;
	unit->broken = false;
	if (owned || tags & ~ETE_CLAIM_SELF_HOSTED)
		return;
	ete_unlock();
	ete_unit_close(unit);
	if (tags) {
		ete_unit_idle();
		ete_write_claim(false);
	}
}

/**
 * ete_unit_identify() - read the ID registers
 * @unit: this CPU's trace unit, after ete_unit_reset()
 *
 * Return: NULL, or the reason why the trace unit cannot be used.
 */
const char *ete_unit_identify(struct ete_unit *unit)
{
	struct ete_caps *caps = &unit->caps;
	u32 *idr = caps->idr;

	caps->devarch = ete_read(ETE_TRCDEVARCH);
	if ((caps->devarch & ETE_DEVARCH_ID) != ETE_DEVARCH_ETE)
		return "its trace unit is no ETE";
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
	ete_config_registers(caps, unit->present);
	return NULL;
}

/**
 * ete_unit_claim() - become the owner of a trace unit
 * @unit: this CPU's trace unit; nothing is done if the driver owns it
 *
 * The claim tags are read first: until the claim is made, no other register is written.
 *
 * While the driver owns the trace unit, KVM keeps trace of the host away from virtual machines
 * (kvm_enable_trbe(), Linux 6.14 and later).
 *
 * Return: NULL, or the reason why the trace unit cannot be used.
 */
const char *ete_unit_claim(struct ete_unit *unit)
{
	u32 tags;

	if (unit->claimed)
		return NULL;
	tags = ete_read_claim();
	if (tags & ~ETE_CLAIM_SELF_HOSTED)
		return "an external debugger has claimed the trace unit";
	if (tags)
		return "another driver has claimed the trace unit";
	ete_write_claim(true);
	if (ete_read_claim() != ETE_CLAIM_SELF_HOSTED) {
		ete_write_claim(false);
		return "an external debugger has claimed the trace unit";
	}
	ete_unlock();
	ete_unit_close(unit);
	if (!ete_unit_idle()) {
		ete_write_claim(false);
		return "the trace unit does not become idle";
	}
	ete_write(0, ETE_TRCAUXCTLR);
	if (FIELD_GET(ETE_IDR5_TRACEIDSIZE, unit->caps.idr[5]))
		ete_write(unit->trace_id, ETE_TRCTRACEIDR);
	unit->claimed = true;
	if (unit->kvm)
		ete_compat_kvm_enable();
	return NULL;
}

/**
 * ete_unit_release() - release a trace unit
 * @unit: this CPU's trace unit, which is disabled; nothing is done if the driver does not own it
 *
 * Its registers count as unknown from here on: another owner, or a loss of power, may change them.
 */
void ete_unit_release(struct ete_unit *unit)
{
	unit->broken = false;
	if (!unit->claimed)
		return;
	ete_unit_filter(unit, ete_trfcr_closed(unit->trfcr));
	ete_unit_instrument(unit, 0);
	ete_write_claim(false);
	unit->claimed = false;
	if (unit->kvm)
		ete_compat_kvm_disable();
}

/**
 * ete_unit_program() - write the register values of an event
 * @unit: this CPU's trace unit, claimed and idle
 * @image: the values
 *
 * Only registers that hold another value are written. If @image is the image that was programmed
 * last (same id), no register is written, and registers that the trace unit changes keep their
 * values.
 */
void ete_unit_program(struct ete_unit *unit, const struct ete_image *image)
{
	unsigned int word;

	if (unit->held_id == image->id) {
		/* the event may have run on another CPU in between */
		if (image->start_stop)
			ete_unit_write(ETE_TRCVICTLR, image->value[ETE_TRCVICTLR]);
		return;
	}
	unit->writes += ete_unit_instrument(unit, image->trcitecr);
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
			unit->writes++;
		}
		unit->known[word] |= image->used[word];
		unit->known[word] &= ~image->changing[word];
	}
	unit->held_id = image->id;
}

/**
 * ete_unit_enable() - enable the trace unit
 * @unit: this CPU's trace unit, programmed, with its trace buffer enabled
 *
 * The order is that of S_VKHHY. The barrier in ete_read_status() makes the trace unit see its
 * registers and the buffer (R_BFJKD). The kernel is a prohibited region (R_YWSDB) until
 * ete_unit_filter() opens the filter.
 *
 * Return: false if the trace unit does not start; it is then broken.
 */
bool ete_unit_enable(struct ete_unit *unit)
{
	ete_write(1, ETE_TRCPRGCTLR);
	unit->broken = !ete_unit_wait(ETE_STATR_IDLE, 0);
	return !unit->broken;
}

/**
 * ete_unit_disable() - disable the trace unit
 * @unit: this CPU's trace unit; trace is prohibited and drained
 * @image: the event's values, which take over the state of the start/stop function
 *
 * Return: false if the trace unit does not become idle; it is then broken.
 */
bool ete_unit_disable(struct ete_unit *unit, struct ete_image *image)
{
	const u32 stable = ETE_STATR_IDLE | ETE_STATR_PMSTABLE;
	u64 status;

	ete_write(0, ETE_TRCPRGCTLR);
	if (!ete_unit_wait(stable, stable))
		unit->broken = true;
	if (image->start_stop) {
		status = ete_read(ETE_TRCVICTLR_OFFSET) & ETE_VICTLR_SSSTATUS;
		image->value[ETE_TRCVICTLR] &= ~(u64)ETE_VICTLR_SSSTATUS;
		image->value[ETE_TRCVICTLR] |= status;
	}
	return !unit->broken;
}
