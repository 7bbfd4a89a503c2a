/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of QEMU's plugin interface that read registers and memory: since version 4
 * (QEMU 9.2) */
#ifndef STACK_PLUGIN_API_H
#define STACK_PLUGIN_API_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../qemu_api.h"

#ifndef QEMU_PLUGIN_VERSION

struct qemu_plugin_register;

typedef struct {
	struct qemu_plugin_register *handle;
	const char *name;
	const char *feature;
} qemu_plugin_reg_descriptor;

#endif

GArray *qemu_plugin_get_registers(void);
int qemu_plugin_read_register(struct qemu_plugin_register *handle, GByteArray *buf);
bool qemu_plugin_read_memory_vaddr(uint64_t addr, GByteArray *data, size_t len);

#endif /* STACK_PLUGIN_API_H */
