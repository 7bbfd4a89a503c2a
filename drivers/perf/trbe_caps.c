// SPDX-License-Identifier: GPL-2.0-only
/*
 * From TRBIDR_EL1 to what a trace buffer can do. Pure: it is built and tested on any host.
 */
#include <linux/bitfield.h>
#include <linux/minmax.h>

#include "trbe_caps.h"
#include "trbe_sysreg.h"

/*
 * A mantissa of 9 bits and an exponent of 5, of pages of 4 KB. The architecture allows 0 only, no
 * limit: other values are for a hypervisor to show (D24.4.2).
 */
static u64 trbe_caps_largest(u64 idr)
{
	u64 mantissa = FIELD_GET(TRBE_IDR_MAX_MANTISSA, idr);
	u64 exponent = FIELD_GET(TRBE_IDR_MAX_EXPONENT, idr);

	if (!(idr & TRBE_IDR_MAX))
		return ~0ULL;
	return exponent ? (0x200 | mantissa) << (exponent + 11) : mantissa << 12;
}

/**
 * trbe_caps_init() - what a trace buffer's ID register says
 * @caps: written
 * @idr: TRBIDR_EL1
 * @page: bytes of a page, of which a buffer is made
 *
 * Return: NULL, or why the trace buffer cannot be used.
 */
const char *trbe_caps_init(struct trbe_caps *caps, u64 idr, u64 page)
{
	u64 align = FIELD_GET(TRBE_IDR_ALIGN, idr);

	if (align > TRBE_IDR_ALIGN_MAX)
		return "TRBIDR_EL1.Align is reserved";
	caps->align = 1ULL << align;
	switch (FIELD_GET(TRBE_IDR_ADDRMODE, idr)) {
	case TRBE_ADDRMODE_BOTH:
		caps->modes = TRBE_MODE_VIRTUAL | TRBE_MODE_PHYSICAL;
		break;
	case TRBE_ADDRMODE_VIRTUAL:
		caps->modes = TRBE_MODE_VIRTUAL;
		break;
	case TRBE_ADDRMODE_PHYSICAL:
		caps->modes = TRBE_MODE_PHYSICAL;
		break;
	default:
		return "TRBIDR_EL1.AddrMode is reserved";
	}
	if (idr & TRBE_IDR_MAX_RES0)
		return "TRBIDR_EL1.MaxBuffSize is reserved";
	caps->largest = trbe_caps_largest(idr);
	if (caps->largest < page)
		return "its trace buffer cannot be as large as a page (TRBIDR_EL1.MaxBuffSize)";
	return NULL;
}

/**
 * trbe_caps_intersect() - what two trace buffers can do both
 * @common: of one; becomes that of both
 * @caps: of the other
 */
void trbe_caps_intersect(struct trbe_caps *common, const struct trbe_caps *caps)
{
	common->align = max(common->align, caps->align);
	common->largest = min(common->largest, caps->largest);
	common->modes &= caps->modes;
}

/**
 * trbe_caps_check() - can a trace buffer do what an event asks?
 * @caps: what it can do
 * @physical: it is not to translate
 *
 * Return: NULL, or why not.
 */
const char *trbe_caps_check(const struct trbe_caps *caps, bool physical)
{
	if (physical && !(caps->modes & TRBE_MODE_PHYSICAL))
		return "the trace buffer has to translate: physical=1 cannot be had";
	if (!physical && !(caps->modes & TRBE_MODE_VIRTUAL))
		return "the trace buffer does not translate: it needs physical=1";
	return NULL;
}
