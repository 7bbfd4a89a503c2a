/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errata of trace buffers that Linux knows, a bit each: as Arm numbers them, by core.
 */
#ifndef _TRBE_ERRATA_H
#define _TRBE_ERRATA_H

#include <linux/bits.h>

/* 2119858 (Cortex-A710, Cortex-X2), 2139208 (Neoverse N2): a buffer that fills writes over what is
 * at its base
 */
#define TRBE_ERRATUM_OVERWRITE		BIT(0)

/* 2224489 (Cortex-A710, Cortex-X2), 2253138 (Neoverse N2): what is behind the limit is written, up
 * to a page
 */
#define TRBE_ERRATUM_OUT_OF_RANGE	BIT(1)

/* 2054223 (Cortex-A710), 2067961 (Neoverse N2): a TSB CSYNC may not flush */
#define TRBE_ERRATUM_TSB		BIT(2)

/* 2064142 (Cortex-A510): registers may not be written after the buffer was disabled */
#define TRBE_ERRATUM_DISABLE		BIT(3)

/* 2038923 (Cortex-A510): after the buffer was enabled, trace may be prohibited for some and not
 * for others
 */
#define TRBE_ERRATUM_ENABLE		BIT(4)

/* 1902691 (Cortex-A510): trace is corrupted */
#define TRBE_ERRATUM_CORRUPT		BIT(5)

#define TRBE_ERRATA			GENMASK(5, 0)

/* What TRBE_ERRATUM_OVERWRITE may write over */
#define TRBE_OVERWRITE_BYTES		256

#endif /* _TRBE_ERRATA_H */
