/*
 * Translated blocks whose code was changed while it was translated
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "exec/exec-all.h"
#include "exec/tb-stale.h"

unsigned tb_code_changes;
__thread unsigned tb_code_changes_seen;

void tb_code_changed(ram_addr_t start, ram_addr_t end)
{
    /* those that are not linked yet, and those that are */
    qatomic_inc(&tb_code_changes);
    tb_invalidate_phys_range(start, end);
}
