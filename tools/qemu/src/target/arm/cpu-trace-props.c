/*
 * Arm trace: properties
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "qemu/cutils.h"
#include "hw/qdev-core.h"
#include "cpu.h"
#include "cpu-trace-internal.h"

typedef struct ARMTraceProp {
    const char *name;
    const char *text;
    size_t offset;
    bool is_bool;
    uint32_t initial, least, most;
} ARMTraceProp;

static const ARMTraceProp trace_props[] = {
#define TRACE_BOOL(NAME, FIELD, DEFAULT, TEXT)                          \
    { NAME, TEXT, offsetof(ARMTraceConfig, FIELD), true, DEFAULT, 0, 1 },
#define TRACE_UINT(NAME, FIELD, DEFAULT, LEAST, MOST, TEXT)             \
    { NAME, TEXT, offsetof(ARMTraceConfig, FIELD), false,               \
      DEFAULT, LEAST, MOST },
#include "cpu-trace-props.h.inc"
#undef TRACE_BOOL
#undef TRACE_UINT
};

/* Read-only, at any time */
static const struct {
    const char *name, *text;
    size_t offset;
} trace_counts[] = {
    { "trace-bytes-accepted", "bytes of trace written to the buffer",
      offsetof(ARMTraceCount, accepted) },
    { "trace-bytes-discarded", "bytes of trace that came with no buffer on",
      offsetof(ARMTraceCount, discarded) },
    { "trace-bytes-rejected", "bytes of trace lost: collection was stopped",
      offsetof(ARMTraceCount, rejected) },
    { "trace-unit-reads", "reads of the trace unit's registers",
      offsetof(ARMTraceCount, unit_reads) },
    { "trace-unit-writes", "writes to the trace unit's registers",
      offsetof(ARMTraceCount, unit_writes) },
    { "trace-buffer-reads", "reads of the trace buffer unit's registers",
      offsetof(ARMTraceCount, buffer_reads) },
    { "trace-buffer-writes", "writes to the trace buffer unit's registers",
      offsetof(ARMTraceCount, buffer_writes) },
    { "trace-filter-accesses", "accesses to TRFCR_ELx and TRCITECR_ELx",
      offsetof(ARMTraceCount, filter) },
};

static void *trace_prop_field(Object *obj, const ARMTraceProp *prop)
{
    return (char *)&ARM_CPU(obj)->trace->config + prop->offset;
}

static void trace_prop_get(Object *obj, Visitor *v, const char *name,
                           void *opaque, Error **errp)
{
    void *field = trace_prop_field(obj, opaque);

    if (((ARMTraceProp *)opaque)->is_bool) {
        visit_type_bool(v, name, field, errp);
    } else {
        visit_type_uint32(v, name, field, errp);
    }
}

static void trace_prop_set(Object *obj, Visitor *v, const char *name,
                           void *opaque, Error **errp)
{
    const ARMTraceProp *prop = opaque;
    uint32_t value;

    if (DEVICE(obj)->realized) {
        error_setg(errp, "'%s' cannot be changed any more", name);
        return;
    }
    if (prop->is_bool) {
        visit_type_bool(v, name, trace_prop_field(obj, prop), errp);
        return;
    }
    if (!visit_type_uint32(v, name, &value, errp)) {
        return;
    }
    if (value < prop->least || value > prop->most) {
        error_setg(errp, "'%s' is %u, but can be %u to %u only", name, value,
                   prop->least, prop->most);
        return;
    }
    *(uint32_t *)trace_prop_field(obj, prop) = value;
}

static char *trace_log_get(Object *obj, Error **errp)
{
    return g_strdup(ARM_CPU(obj)->trace->log_path);
}

static void trace_log_set(Object *obj, const char *value, Error **errp)
{
    ARMTrace *trace = ARM_CPU(obj)->trace;

    g_free(trace->log_path);
    trace->log_path = g_strdup(value);
}

static char *trace_cpus_get(Object *obj, Error **errp)
{
    return g_strdup(ARM_CPU(obj)->trace->cpus);
}

static void trace_cpus_set(Object *obj, const char *value, Error **errp)
{
    ARMTrace *trace = ARM_CPU(obj)->trace;

    g_free(trace->cpus);
    trace->cpus = g_strdup(value);
}

/* Is @cpu in @range: N, N-M, or N-, which has no end? */
static int trace_cpus_has(const char *range, unsigned cpu)
{
    const char *end;
    uint64_t first, last;

    if (qemu_strtou64(range, &end, 10, &first) < 0) {
        return -EINVAL;
    }
    last = first;
    if (*end == '-' && !end[1]) {
        last = UINT64_MAX;
    } else if (*end == '-' && qemu_strtou64(end + 1, NULL, 10, &last) < 0) {
        return -EINVAL;
    } else if (*end && *end != '-') {
        return -EINVAL;
    }
    return cpu >= first && cpu <= last;
}

/*
 * RANGE:NAME=VALUE[:NAME=VALUE]... A CPU that differs is a cluster by itself:
 * translated code has ID registers as constants, and is of one cluster.
 */
static bool trace_cpus_apply_group(ARMCPU *cpu, const char *group, Error **errp)
{
    g_auto(GStrv) words = g_strsplit(group, ":", -1);
    int has = words[0] ? trace_cpus_has(words[0], CPU(cpu)->cpu_index) :
        -EINVAL;

    if (has < 0) {
        error_setg(errp, "trace-cpus: '%s' does not begin with N, N-M or N-",
                   group);
        return false;
    }
    if (has) {
        CPU(cpu)->cluster_index = CPU(cpu)->cpu_index;
    }
    for (char **word = words + 1; *word; word++) {
        char *value = strchr(*word, '=');

        if (!value) {
            error_setg(errp, "trace-cpus: '%s' has no value", *word);
            return false;
        }
        *value = '\0';
        if (has && !object_property_parse(OBJECT(cpu), *word, value + 1,
                                          errp)) {
            return false;
        }
    }
    return true;
}

bool trace_cpus_apply(ARMCPU *cpu, Error **errp)
{
    g_auto(GStrv) groups = NULL;

    if (!cpu->trace->cpus) {
        return true;
    }
    groups = g_strsplit(cpu->trace->cpus, "/", -1);
    for (char **group = groups; *group; group++) {
        if (!trace_cpus_apply_group(cpu, *group, errp)) {
            return false;
        }
    }
    return true;
}

static char *trace_sync_get(Object *obj, Error **errp)
{
    return g_strdup(ARM_CPU(obj)->trace->config.strict ? "strict" : "relaxed");
}

static void trace_sync_set(Object *obj, const char *value, Error **errp)
{
    bool strict = !strcmp(value, "strict");

    if (!strict && strcmp(value, "relaxed")) {
        error_setg(errp, "trace-sync is relaxed or strict");
        return;
    }
    ARM_CPU(obj)->trace->config.strict = strict;
}

void aarch64_add_trace_properties(Object *obj)
{
    ARMCPU *cpu = ARM_CPU(obj);

    cpu->trace = g_new0(ARMTrace, 1);
    trace_feed_reset(cpu->trace);
    for (int i = 0; i < ARRAY_SIZE(trace_props); i++) {
        const ARMTraceProp *prop = &trace_props[i];
        void *field = trace_prop_field(obj, prop);

        if (prop->is_bool) {
            *(bool *)field = prop->initial;
        } else {
            *(uint32_t *)field = prop->initial;
        }
        object_property_add(obj, prop->name, prop->is_bool ? "bool" : "uint32",
                            trace_prop_get, trace_prop_set, NULL, (void *)prop);
        object_property_set_description(obj, prop->name, prop->text);
    }
    for (int i = 0; i < ARRAY_SIZE(trace_counts); i++) {
        object_property_add_uint64_ptr(obj, trace_counts[i].name,
                                       (void *)((char *)&cpu->trace->count +
                                                trace_counts[i].offset),
                                       OBJ_PROP_FLAG_READ);
        object_property_set_description(obj, trace_counts[i].name,
                                        trace_counts[i].text);
    }
    object_property_add_str(obj, "trace-log", trace_log_get, trace_log_set);
    object_property_set_description(obj, "trace-log",
                                    "file for a log of what was executed "
                                    "while it was traced");
    object_property_add_str(obj, "trace-cpus", trace_cpus_get, trace_cpus_set);
    object_property_set_description(obj, "trace-cpus",
                                    "CPUs that differ, by slashes: "
                                    "RANGE:NAME=VALUE[:NAME=VALUE]...");
    object_property_add_str(obj, "trace-sync", trace_sync_get, trace_sync_set);
    object_property_set_description(obj, "trace-sync",
                                    "relaxed, or strict: trace and registers "
                                    "are seen no earlier than they have to");
    qdev_init_gpio_out_named(DEVICE(obj), &cpu->trace->trbirq,
                             "trbe-interrupt", 1);
}

const char *trace_config_conflict(const ARMTraceConfig *c)
{
    if (c->trbe && !c->ete) {
        return "trbe=on needs ete=on";
    }
    if (c->ite && !c->trbe) {
        return "ete-instrumentation=on needs trbe=on";
    }
    if (!c->maxspec && !c->commopt) {
        return "ete-commopt=off needs an ete-maxspec other than 0";
    }
    if (c->tsmark && !c->version) {
        return "ete-timestamp-marker=on needs ete-version=1 or later";
    }
    if (c->specseed && !c->maxspec) {
        return "ete-speculation needs an ete-maxspec other than 0";
    }
    if (c->qfilt && !c->qsupp) {
        return "ete-q-filter=on needs ete-q";
    }
    if (c->nooverflow && !c->stall) {
        return "ete-no-overflow=on needs ete-stall=on";
    }
    if (c->rspairs == 1) {
        return "ete-resource-pairs is 0, or 2 to 16";
    }
    if (c->seqstates && c->seqstates != 4) {
        return "ete-sequencer is 0 or 4";
    }
    if (!c->rspairs && (c->seqstates || c->counters)) {
        return "ete-sequencer and ete-counters need ete-resource-pairs";
    }
    if (c->el2 && !c->vmid) {
        return "with EL2 there is ete-virtual-context-id";
    }
    if (c->vmidc && !c->vmid) {
        return "ete-virtual-context-comparators need ete-virtual-context-id=on";
    }
    return NULL;
}
