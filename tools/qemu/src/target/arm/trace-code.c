/*
 * Arm trace: the code of traced blocks, one copy of each
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "qemu/osdep.h"
#include "qemu/lockable.h"
#include "qemu/thread.h"
#include "qemu/xxhash.h"
#include "trace-code.h"

static struct {
    QemuMutex lock;
    GHashTable *codes;
} shared;

static guint code_hash(gconstpointer p)
{
    const ARMTraceCode *code = p;
    uint32_t hash = qemu_xxhash4(code->run.pc, code->run.instructions);

    for (uint32_t i = 0; i < code->run.instructions; i++) {
        hash = hash * 31 + code->words[i];
    }
    return hash;
}

static gboolean code_equal(gconstpointer p, gconstpointer q)
{
    const ARMTraceCode *a = p, *b = q;

    /* an IT block before it makes a T32 instruction conditional */
    return a->run.pc == b->run.pc && a->run.isa == b->run.isa &&
        a->run.instructions == b->run.instructions && a->noted == b->noted &&
        a->run.last.conditional == b->run.last.conditional &&
        !memcmp(a->words, b->words, a->run.instructions * sizeof(*a->words));
}

static void __attribute__((constructor)) code_init(void)
{
    qemu_mutex_init(&shared.lock);
    shared.codes = g_hash_table_new(code_hash, code_equal);
}

const ARMTraceCode *arm_trace_code(const ARMTraceCode *code)
{
    ARMTraceCode *known;

    QEMU_LOCK_GUARD(&shared.lock);
    known = g_hash_table_lookup(shared.codes, code);
    if (!known) {
        known = g_new(ARMTraceCode, 1);
        *known = *code;
        known->number = g_hash_table_size(shared.codes);
        known->words = g_memdup2(code->words,
                                 code->run.instructions *
                                 sizeof(*code->words));
        g_hash_table_add(shared.codes, known);
    }
    return known;
}
