/*
 * Translated blocks whose code was changed while it was translated
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A store to a page that holds no block yet is seen by nobody. If it comes
 * between a translation's reading and tb_link_page(), that block is stale, and
 * stays so. A guest that changes its code says so when it has, with an
 * instruction cache maintenance instruction: what is translated across one is
 * not to be trusted.
 */
#ifndef EXEC_TB_STALE_H
#define EXEC_TB_STALE_H

extern unsigned tb_code_changes;
extern __thread unsigned tb_code_changes_seen;

/* Before a translation reads anything */
static inline void tb_translation_begins(void)
{
    tb_code_changes_seen = qatomic_read(&tb_code_changes);
    /* tb_code_changed() counts after the store to the code, we read before */
    smp_mb();
}

/*
 * With the pages of the block locked: might it be stale? One that is not, but
 * is before it is linked, waits for the lock, and finds it.
 */
static inline bool tb_is_stale(void)
{
    return tb_code_changes_seen != qatomic_read(&tb_code_changes);
}

/* All stores to code in [@start, @last] are done. */
void tb_code_changed(ram_addr_t start, ram_addr_t last);

#endif
