/*
 * Arm Embedded Trace Extension: what the ID registers say
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "qemu/osdep.h"
#include "cpu-trace-internal.h"
#include "hw/registerfields.h"

FIELD(TRCIDR0, RES1, 0, 1)
FIELD(TRCIDR0, TRCBB, 5, 1)
FIELD(TRCIDR0, TRCCCI, 7, 1)
FIELD(TRCIDR0, RETSTACK, 9, 1)
FIELD(TRCIDR0, NUMEVENT, 10, 2)
FIELD(TRCIDR0, QFILT, 14, 1)
FIELD(TRCIDR0, QSUPP, 15, 2)
FIELD(TRCIDR0, ITE, 22, 1)
FIELD(TRCIDR0, TSMARK, 23, 1)
FIELD(TRCIDR0, TSSIZE, 24, 5)
FIELD(TRCIDR0, COMMOPT, 29, 1)
FIELD(TRCIDR0, COMMTRANS, 30, 1)

FIELD(TRCIDR1, REVISION, 0, 4)
FIELD(TRCIDR1, TRCARCHMIN, 4, 4)
FIELD(TRCIDR1, TRCARCHMAJ, 8, 4)
FIELD(TRCIDR1, RES1, 12, 4)
FIELD(TRCIDR1, DESIGNER, 24, 8)

FIELD(TRCIDR2, IASIZE, 0, 5)
FIELD(TRCIDR2, CIDSIZE, 5, 5)
FIELD(TRCIDR2, VMIDSIZE, 10, 5)
FIELD(TRCIDR2, CCSIZE, 25, 4)
FIELD(TRCIDR2, VMIDOPT, 29, 2)
FIELD(TRCIDR2, WFXMODE, 31, 1)

FIELD(TRCIDR3, CCITMIN, 0, 12)
FIELD(TRCIDR3, EXLEVEL_S_EL0, 16, 1)
FIELD(TRCIDR3, EXLEVEL_S_EL1, 17, 1)
FIELD(TRCIDR3, EXLEVEL_S_EL2, 18, 1)
FIELD(TRCIDR3, EXLEVEL_S_EL3, 19, 1)
FIELD(TRCIDR3, EXLEVEL_NS_EL0, 20, 1)
FIELD(TRCIDR3, EXLEVEL_NS_EL1, 21, 1)
FIELD(TRCIDR3, EXLEVEL_NS_EL2, 22, 1)
FIELD(TRCIDR3, TRCERR, 24, 1)
FIELD(TRCIDR3, STALLCTL, 26, 1)
FIELD(TRCIDR3, SYSSTALL, 27, 1)
FIELD(TRCIDR3, NOOVERFLOW, 31, 1)

FIELD(TRCIDR4, NUMACPAIRS, 0, 4)
FIELD(TRCIDR4, NUMPC, 12, 4)
FIELD(TRCIDR4, NUMRSPAIR, 16, 4)
FIELD(TRCIDR4, NUMSSCC, 20, 4)
FIELD(TRCIDR4, NUMCIDC, 24, 4)
FIELD(TRCIDR4, NUMVMIDC, 28, 4)

FIELD(TRCIDR5, NUMEXTIN, 0, 9)
FIELD(TRCIDR5, NUMEXTINSEL, 9, 3)
FIELD(TRCIDR5, TRACEIDSIZE, 16, 6)
FIELD(TRCIDR5, NUMSEQSTATE, 25, 3)
FIELD(TRCIDR5, NUMCNTR, 28, 3)
FIELD(TRCIDR5, OE, 31, 1)

FIELD(TRCAUTHSTATUS, NSNID, 2, 2)
FIELD(TRCAUTHSTATUS, SNID, 6, 2)

FIELD(TRCDEVARCH, ARCHPART, 0, 12)
FIELD(TRCDEVARCH, ARCHVER, 12, 4)
FIELD(TRCDEVARCH, REVISION, 16, 4)
FIELD(TRCDEVARCH, PRESENT, 20, 1)
FIELD(TRCDEVARCH, ARCHITECT, 21, 11)

#define SET(REG, FIELD, VALUE) (v = FIELD_DP64(v, REG, FIELD, VALUE))

uint64_t ete_idr0(const ARMTraceConfig *c)
{
    uint64_t v = 0;

    SET(TRCIDR0, RES1, 1);
    SET(TRCIDR0, TRCBB, 1);
    SET(TRCIDR0, TRCCCI, 1);
    SET(TRCIDR0, RETSTACK, c->retstack);
    SET(TRCIDR0, NUMEVENT, c->rspairs ? c->events - 1 : 0);
    SET(TRCIDR0, QFILT, c->qfilt);
    SET(TRCIDR0, QSUPP, c->qsupp);
    SET(TRCIDR0, ITE, c->ite);
    SET(TRCIDR0, TSMARK, c->tsmark);
    SET(TRCIDR0, TSSIZE, 8);
    SET(TRCIDR0, COMMOPT, c->commopt);
    SET(TRCIDR0, COMMTRANS, c->commtrans);
    return v;
}

uint64_t ete_idr1(const ARMTraceConfig *c)
{
    uint64_t v = 0;

    SET(TRCIDR1, REVISION, c->revision);
    /* the version is in TRCDEVARCH */
    SET(TRCIDR1, TRCARCHMIN, 15);
    SET(TRCIDR1, TRCARCHMAJ, 15);
    SET(TRCIDR1, RES1, 15);
    SET(TRCIDR1, DESIGNER, 'A');
    return v;
}

uint64_t ete_idr2(const ARMTraceConfig *c)
{
    uint64_t v = 0;

    SET(TRCIDR2, IASIZE, 8);
    SET(TRCIDR2, CIDSIZE, 4);
    SET(TRCIDR2, VMIDSIZE, c->vmid ? 4 : 0);
    SET(TRCIDR2, CCSIZE, c->ccsize - 12);
    /* the virtual context identifier is CONTEXTIDR_EL2 */
    SET(TRCIDR2, VMIDOPT, c->vmid ? 2 : 0);
    SET(TRCIDR2, WFXMODE, c->wfx);
    return v;
}

uint64_t ete_idr3(const ARMTraceConfig *c)
{
    uint64_t v = 0;

    SET(TRCIDR3, CCITMIN, c->ccitmin);
    SET(TRCIDR3, EXLEVEL_S_EL0, c->el3);
    SET(TRCIDR3, EXLEVEL_S_EL1, c->el3);
    SET(TRCIDR3, EXLEVEL_S_EL2, c->el3 && c->sel2);
    SET(TRCIDR3, EXLEVEL_S_EL3, c->el3);
    SET(TRCIDR3, EXLEVEL_NS_EL0, 1);
    SET(TRCIDR3, EXLEVEL_NS_EL1, 1);
    SET(TRCIDR3, EXLEVEL_NS_EL2, c->el2);
    SET(TRCIDR3, TRCERR, 1);
    SET(TRCIDR3, STALLCTL, c->stall);
    SET(TRCIDR3, SYSSTALL, c->stall);
    SET(TRCIDR3, NOOVERFLOW, c->nooverflow);
    return v;
}

uint64_t ete_idr4(const ARMTraceConfig *c)
{
    uint64_t v = 0;

    SET(TRCIDR4, NUMACPAIRS, c->acpairs);
    SET(TRCIDR4, NUMPC, c->numpc);
    SET(TRCIDR4, NUMRSPAIR, c->rspairs ? c->rspairs - 1 : 0);
    SET(TRCIDR4, NUMSSCC, c->sscc);
    SET(TRCIDR4, NUMCIDC, c->cidc);
    SET(TRCIDR4, NUMVMIDC, c->vmidc);
    return v;
}

uint64_t ete_idr5(const ARMTraceConfig *c)
{
    uint64_t v = 0;

    /* external inputs are numbers of PMU events */
    SET(TRCIDR5, NUMEXTIN, 0x1ff);
    SET(TRCIDR5, NUMEXTINSEL, c->extinsel);
    SET(TRCIDR5, TRACEIDSIZE, c->traceid ? 7 : 0);
    SET(TRCIDR5, NUMSEQSTATE, c->seqstates);
    SET(TRCIDR5, NUMCNTR, c->counters);
    SET(TRCIDR5, OE, ete_has_output_enable(c));
    return v;
}

uint64_t ete_authstatus(const ARMTraceConfig *c)
{
    uint64_t v = 0;

    /* there is no debugger to forbid anything to: enabled */
    SET(TRCAUTHSTATUS, NSNID, 3);
    SET(TRCAUTHSTATUS, SNID, c->el3 ? 3 : 0);
    return v;
}

uint64_t ete_devarch(const ARMTraceConfig *c)
{
    uint64_t v = 0;

    SET(TRCDEVARCH, ARCHPART, 0xa13);
    SET(TRCDEVARCH, ARCHVER, 5);
    SET(TRCDEVARCH, REVISION, c->version);
    SET(TRCDEVARCH, PRESENT, 1);
    SET(TRCDEVARCH, ARCHITECT, 0x23b);
    return v;
}
