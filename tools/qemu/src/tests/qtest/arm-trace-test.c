/*
 * Arm trace: what the virt machine says of trace units, and how it wires them
 *
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Properties of the CPUs, the link of TRBIRQ, the device tree and the tables
 * of ACPI. What the registers do is tested by programs in the machine.
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "libqtest.h"
#include "hw/nvram/fw_cfg.h"
#include "qobject/qdict.h"
#include "qobject/qlist.h"
#include <libfdt.h>

/* TCG, which alone implements trace units; no CPU runs */
#define MACHINE "-accel tcg -S -M virt,gic-version=3 -m 64 -nic none "
#define CPUS 3
#define RAM_BASE 0x40000000
#define FW_CFG_BASE 0x9020000
#define TRBE_PPI 15
/* GIC inputs: 256 shared ones, then 32 for each CPU, whose PPI 0 is the 16th */
#define GIC_INPUT(CPU, PPI) (256 + 32 * (CPU) + 16 + (PPI))
/* GIC CPU Interface Structures of the MADT */
#define GICC_TYPE 0x0b
#define GICC_LENGTH 80
#define GICC_LENGTH_TRBE 82

/* The answer to qom-get, which the caller unrefs */
static QDict *qom_get(QTestState *qts, const char *path, const char *property)
{
    return qtest_qmp(qts, "{ 'execute': 'qom-get', 'arguments': "
                     "{ 'path': %s, 'property': %s } }", path, property);
}

static bool get_bool(QTestState *qts, const char *path, const char *property)
{
    QDict *answer = qom_get(qts, path, property);
    bool value;

    g_assert(qdict_haskey(answer, "return"));
    value = qdict_get_bool(answer, "return");
    qobject_unref(answer);
    return value;
}

static int64_t get_int(QTestState *qts, const char *path, const char *property)
{
    QDict *answer = qom_get(qts, path, property);
    int64_t value;

    g_assert(qdict_haskey(answer, "return"));
    value = qdict_get_int(answer, "return");
    qobject_unref(answer);
    return value;
}

static char *get_str(QTestState *qts, const char *path, const char *property)
{
    QDict *answer = qom_get(qts, path, property);
    char *value;

    g_assert(qdict_haskey(answer, "return"));
    value = g_strdup(qdict_get_str(answer, "return"));
    qobject_unref(answer);
    return value;
}

static char *cpu_path(QTestState *qts, int cpu)
{
    QDict *answer = qtest_qmp(qts, "{ 'execute': 'query-cpus-fast' }");
    const QListEntry *entry;
    char *path = NULL;

    QLIST_FOREACH_ENTRY(qdict_get_qlist(answer, "return"), entry) {
        QDict *info = qobject_to(QDict, qlist_entry_obj(entry));

        if (qdict_get_int(info, "cpu-index") == cpu) {
            path = g_strdup(qdict_get_str(info, "qom-path"));
        }
    }
    g_assert(path);
    qobject_unref(answer);
    return path;
}

static QTestState *start(const char *cpu, const char *more)
{
    return qtest_initf(MACHINE "-smp %d -cpu %s %s", CPUS, cpu, more);
}

/* ---- properties ---- */

static void test_defaults(void)
{
    QTestState *qts = start("max", "");
    g_autofree char *cpu = cpu_path(qts, 0);
    g_autofree char *sync = get_str(qts, cpu, "trace-sync");

    g_assert_false(get_bool(qts, cpu, "ete"));
    g_assert_false(get_bool(qts, cpu, "trbe"));
    g_assert_false(get_bool(qts, cpu, "ete-instrumentation"));
    g_assert_cmpstr(sync, ==, "relaxed");
    g_assert_cmpint(get_int(qts, cpu, "ete-version"), ==, 0);
    qtest_quit(qts);
}

static void test_values(void)
{
    QTestState *qts = start("max,ete=on,trbe=on,ete-version=2,trace-sync=strict"
                            ",ete-instrumentation=on"
                            ",trace-cpus=1:ete-counters=4", "");
    g_autofree char *first = cpu_path(qts, 0);
    g_autofree char *second = cpu_path(qts, 1);
    g_autofree char *sync = get_str(qts, first, "trace-sync");
    QDict *answer;

    g_assert_true(get_bool(qts, first, "ete"));
    g_assert_true(get_bool(qts, first, "trbe"));
    g_assert_true(get_bool(qts, first, "ete-instrumentation"));
    g_assert_cmpint(get_int(qts, first, "ete-version"), ==, 2);
    g_assert_cmpint(get_int(qts, first, "ete-counters"), ==, 2);
    g_assert_cmpint(get_int(qts, second, "ete-counters"), ==, 4);
    g_assert_cmpstr(sync, ==, "strict");
    /* nothing was traced yet */
    g_assert_cmpint(get_int(qts, first, "trace-bytes-accepted"), ==, 0);

    answer = qtest_qmp(qts, "{ 'execute': 'qom-set', 'arguments': { 'path': %s,"
                       " 'property': 'ete-version', 'value': 1 } }", first);
    qmp_expect_error_and_unref(answer, "GenericError");
    g_assert_cmpint(get_int(qts, first, "ete-version"), ==, 2);
    qtest_quit(qts);
}

/* Only "max" has trace units. */
static void test_other_cpu(void)
{
    QTestState *qts = start("cortex-a57", "");
    g_autofree char *cpu = cpu_path(qts, 0);

    qmp_expect_error_and_unref(qom_get(qts, cpu, "ete"), "GenericError");
    qtest_quit(qts);
}

/* ---- interrupt ---- */

static void test_interrupt(void)
{
    QTestState *qts = start("max,ete=on,trbe=on", "");

    for (int i = 0; i < CPUS; i++) {
        g_autofree char *cpu = cpu_path(qts, i);
        g_autofree char *to = get_str(qts, cpu, "trbe-interrupt[0]");
        g_autofree char *end = g_strdup_printf("/unnamed-gpio-in[%d]",
                                               GIC_INPUT(i, TRBE_PPI));

        g_assert_true(g_str_has_suffix(to, end));
    }
    qtest_quit(qts);
}

static void test_no_interrupt(void)
{
    QTestState *qts = start("max,ete=on", "");
    g_autofree char *cpu = cpu_path(qts, 0);
    g_autofree char *to = get_str(qts, cpu, "trbe-interrupt[0]");

    g_assert_cmpstr(to, ==, "");
    qtest_quit(qts);
}

/* ---- device tree ---- */

/* The device tree that the machine puts to the start of its RAM */
static void *device_tree(QTestState *qts)
{
    struct fdt_header head;
    void *fdt;

    qtest_memread(qts, RAM_BASE, &head, sizeof(head));
    g_assert_cmphex(fdt_magic(&head), ==, FDT_MAGIC);
    fdt = g_malloc(fdt_totalsize(&head));
    qtest_memread(qts, RAM_BASE, fdt, fdt_totalsize(&head));
    g_assert_cmpint(fdt_check_header(fdt), ==, 0);
    return fdt;
}

static uint32_t cell(const void *fdt, int node, const char *name, int i)
{
    int length;
    const fdt32_t *cells = fdt_getprop(fdt, node, name, &length);

    g_assert(cells && length >= 4 * (i + 1));
    return fdt32_to_cpu(cells[i]);
}

static void test_device_tree(void)
{
    QTestState *qts = start("max,ete=on,trbe=on", "");
    g_autofree void *fdt = device_tree(qts);
    int node = fdt_node_offset_by_compatible(fdt, -1,
                                             "arm,trace-buffer-extension");
    bool seen[CPUS] = { };

    g_assert_cmpint(node, >=, 0);
    /* a PPI, active high */
    g_assert_cmpint(cell(fdt, node, "interrupts", 0), ==, 1);
    g_assert_cmpint(cell(fdt, node, "interrupts", 1), ==, TRBE_PPI);
    g_assert_cmpint(cell(fdt, node, "interrupts", 2), ==, 4);

    for (int i = 0, at = -1; i < CPUS; i++) {
        int cpu;

        at = fdt_node_offset_by_compatible(fdt, at,
                                           "arm,embedded-trace-extension");
        g_assert_cmpint(at, >=, 0);
        cpu = fdt_node_offset_by_phandle(fdt, cell(fdt, at, "cpu", 0));
        g_assert_cmpint(cpu, >=, 0);
        cpu = cell(fdt, cpu, "reg", 0);
        g_assert_cmpint(cpu, <, CPUS);
        g_assert_false(seen[cpu]);
        seen[cpu] = true;
    }
    qtest_quit(qts);
}

static void test_no_device_tree(void)
{
    QTestState *qts = start("max", "");
    g_autofree void *fdt = device_tree(qts);

    g_assert_cmpint(fdt_node_offset_by_compatible(
                        fdt, -1, "arm,trace-buffer-extension"), <, 0);
    g_assert_cmpint(fdt_node_offset_by_compatible(
                        fdt, -1, "arm,embedded-trace-extension"), <, 0);
    qtest_quit(qts);
}

/* ---- ACPI ---- */

/* The registers of the board: data, then the selector, which is big-endian */
static void fw_cfg_select(QTestState *qts, uint16_t key)
{
    qtest_writew(qts, FW_CFG_BASE + 8, bswap16(key));
}

static void fw_cfg_read(QTestState *qts, void *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        ((uint8_t *)data)[i] = qtest_readb(qts, FW_CFG_BASE);
    }
}

/* All tables, as firmware gets them */
static size_t acpi_tables(QTestState *qts, uint8_t **tables)
{
    FWCfgFile file;
    uint32_t count;
    size_t size;

    fw_cfg_select(qts, FW_CFG_FILE_DIR);
    fw_cfg_read(qts, &count, sizeof(count));
    for (count = be32_to_cpu(count); count; count--) {
        fw_cfg_read(qts, &file, sizeof(file));
        if (!strcmp(file.name, "etc/acpi/tables")) {
            size = be32_to_cpu(file.size);
            *tables = g_malloc(size);
            fw_cfg_select(qts, be16_to_cpu(file.select));
            fw_cfg_read(qts, *tables, size);
            return size;
        }
    }
    g_assert_not_reached();
}

static const uint8_t *acpi_table(const uint8_t *tables, size_t size,
                                 const char *signature)
{
    for (size_t at = 0; at + 36 <= size; at += ldl_le_p(tables + at + 4)) {
        if (!memcmp(tables + at, signature, 4)) {
            return tables + at;
        }
        g_assert_cmpint(ldl_le_p(tables + at + 4), >=, 36);
    }
    g_assert_not_reached();
}

/* GIC CPU Interface Structures, each of which has the length and the PPI */
static int count_gicc(const uint8_t *madt, int length, int intid)
{
    int count = 0;

    for (uint32_t at = 44; at < ldl_le_p(madt + 4); at += madt[at + 1]) {
        if (madt[at] != GICC_TYPE) {
            continue;
        }
        g_assert_cmpint(madt[at + 1], ==, length);
        if (length == GICC_LENGTH_TRBE) {
            g_assert_cmpint(lduw_le_p(madt + at + 80), ==, intid);
        }
        count++;
    }
    return count;
}

static int count_devices(const uint8_t *dsdt, const char *hid)
{
    const uint8_t *end = dsdt + ldl_le_p(dsdt + 4);
    int count = 0;

    for (const uint8_t *at = dsdt; at + strlen(hid) <= end; at++) {
        count += !memcmp(at, hid, strlen(hid));
    }
    return count;
}

static void check_acpi(const char *cpu, int revision, int length, int devices)
{
    /* tables are for firmware only: any file does for it */
    QTestState *qts = start(cpu, "-bios /dev/null");
    g_autofree uint8_t *tables = NULL;
    size_t size = acpi_tables(qts, &tables);
    const uint8_t *madt = acpi_table(tables, size, "APIC");

    g_assert_cmpint(madt[8], ==, revision);
    g_assert_cmpint(count_gicc(madt, length, 16 + TRBE_PPI), ==, CPUS);
    g_assert_cmpint(count_devices(acpi_table(tables, size, "DSDT"),
                                  "ARMHC500"), ==, devices);
    qtest_quit(qts);
}

static void test_acpi(void)
{
    check_acpi("max,ete=on,trbe=on", 6, GICC_LENGTH_TRBE, CPUS);
}

static void test_no_acpi(void)
{
    check_acpi("max", 4, GICC_LENGTH, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/arm-trace/properties/defaults", test_defaults);
    qtest_add_func("/arm-trace/properties/values", test_values);
    qtest_add_func("/arm-trace/properties/other-cpu", test_other_cpu);
    qtest_add_func("/arm-trace/interrupt/connected", test_interrupt);
    qtest_add_func("/arm-trace/interrupt/none", test_no_interrupt);
    qtest_add_func("/arm-trace/device-tree/nodes", test_device_tree);
    qtest_add_func("/arm-trace/device-tree/none", test_no_device_tree);
    qtest_add_func("/arm-trace/acpi/tables", test_acpi);
    qtest_add_func("/arm-trace/acpi/none", test_no_acpi);
    return g_test_run();
}
