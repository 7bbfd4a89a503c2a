// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claim tags and OS Lock: a write to one register changes what another one reads as. A direct read
 * sees that after a Context synchronization event: with trace-sync=strict no earlier, else at once.
 */
#include "raw.h"

#define CLAIMSET "S2_1_C7_C8_6"
#define CLAIMCLR "S2_1_C7_C9_6"
#define OSLAR    "S2_0_C1_C0_4"
#define OSLSR    "S2_0_C1_C1_4"
#define TRCOSLSR "S2_1_C1_C1_4"

#define OSLK UINT64_C(2)
#define IDLE UINT64_C(1)

static bool certain(void)
{
	return option("trace-sync", 0) && !option("trace-sync-seed", 0);
}

/* held(SEEN, OLD, NEW): is it the old value where it has to be, and the new one where that is? */
static bool held(uint64_t seen, uint64_t old, uint64_t new)
{
	if (option("trace-sync-seed", 0))
		return seen == old || seen == new;
	return seen == (certain() ? old : new);
}

static void test_claim_set(void)
{
	uint64_t early, late;

	WRITE(CLAIMCLR, ~UINT64_C(0));
	ISB();
	WRITE(CLAIMSET, UINT64_C(2));
	early = READ(CLAIMCLR);
	ISB();
	late = READ(CLAIMCLR);
	ok(held(early, 0, 2), "TRCCLAIMSET written, no ISB: TRCCLAIMCLR reads as before");
	ok(late == 2, "after an ISB TRCCLAIMCLR has the tag");
	WRITE(CLAIMSET, UINT64_C(4));
	WRITE(CLAIMSET, UINT64_C(8));
	ISB();
	ok(READ(CLAIMCLR) == 14, "two writes to TRCCLAIMSET and one ISB: both tags");
}

static void test_claim_cleared(void)
{
	WRITE(CLAIMSET, UINT64_C(6));
	ISB();
	WRITE(CLAIMCLR, UINT64_C(2));
	ok((READ(CLAIMCLR) & 6) == 4, "TRCCLAIMCLR written, no ISB: it reads what was written");
	WRITE(CLAIMSET, UINT64_C(2));
	WRITE(CLAIMCLR, UINT64_C(2));
	ISB();
	ok((READ(CLAIMCLR) & 6) == 4, "a tag that is set and cleared again is clear");
	WRITE(CLAIMCLR, ~UINT64_C(0));
	ISB();
}

static void test_os_lock(void)
{
	uint64_t seen[3];

	WRITE(OSLAR, UINT64_C(0));
	ISB();
	WRITE(OSLAR, UINT64_C(1));
	seen[0] = READ(TRCOSLSR);
	seen[1] = READ(OSLSR);
	ISB();
	ok(held(seen[0] & OSLK, 0, OSLK), "OSLAR_EL1 written, no ISB: TRCOSLSR reads as before");
	ok(held(seen[1] & OSLK, 0, OSLK), "nor has OSLSR_EL1 changed");
	ok(READ(TRCOSLSR) & READ(OSLSR) & OSLK, "after an ISB both say that it is locked");
	/* what is read is not an old value: registers.sh counts the messages that say so */
	WRITE(OSLAR, UINT64_C(1));
	ok(READ(TRCOSLSR) & OSLK, "OSLAR_EL1 written as it is, no ISB: TRCOSLSR is locked");
	ISB();
	/* the trace unit is enabled, but for the lock */
	WRITE(PRGCTLR, UINT64_C(1));
	ISB();
	seen[0] = READ(STATR);
	WRITE(OSLAR, UINT64_C(0));
	seen[1] = READ(STATR);
	ISB();
	seen[2] = READ(STATR);
	ok(seen[0] & IDLE, "locked, the trace unit is idle");
	ok(held(seen[1] & IDLE, IDLE, 0), "unlocked, no ISB: the trace unit is idle as before");
	ok(!(seen[2] & IDLE), "after an ISB the trace unit is enabled");
	WRITE(PRGCTLR, UINT64_C(0));
	ISB();
	while (!(READ(STATR) & IDLE))
		;
}

void test_management(void)
{
	if (option("ete-claim-tags", 4) >= 4) {
		test_claim_set();
		test_claim_cleared();
	}
	test_os_lock();
}
