// SPDX-License-Identifier: GPL-2.0-only
/* Registers and memory of the program, by QEMU's plugin interface, and its mappings, by those of
 * this process. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stack.h"
#include "stack_api.h"

#define REGISTERS 32

static uint64_t guest_base;
static bool guest_base_known;

static struct qemu_plugin_register *handles[REGISTERS];
static __thread GByteArray *buffer;

static int register_number(const char *name)
{
	char *end;
	long number;

	if (!strcmp(name, "sp"))
		return REG_SP;
	if (name[0] != 'x')
		return -1;
	number = strtol(name + 1, &end, 10);
	return end != name + 1 && !*end && number >= 0 && number < REG_SP ? (int)number : -1;
}

/* The handles are the same in all threads. */
static void find_handles(void)
{
	GArray *registers = qemu_plugin_get_registers();

	for (guint i = 0; i < registers->len; i++) {
		const qemu_plugin_reg_descriptor *entry =
			&g_array_index(registers, qemu_plugin_reg_descriptor, i);
		const int number = register_number(entry->name);

		if (number >= 0)
			__atomic_store_n(&handles[number], entry->handle, __ATOMIC_RELEASE);
	}
	g_array_free(registers, TRUE);
}

static GByteArray *empty_buffer(void)
{
	if (!buffer)
		buffer = g_byte_array_new();
	g_byte_array_set_size(buffer, 0);
	return buffer;
}

uint64_t guest_register(unsigned int number)
{
	GByteArray *bytes = empty_buffer();
	uint64_t value;

	if (!__atomic_load_n(&handles[number], __ATOMIC_ACQUIRE))
		find_handles();
	if (qemu_plugin_read_register(handles[number], bytes) != sizeof(value)) {
		fputs("stack-plugin: QEMU has no such register\n", stderr);
		abort();
	}
	memcpy(&value, bytes->data, sizeof(value));
	return value;
}

bool guest_read(uint64_t address, void *bytes, size_t length)
{
	GByteArray *read = empty_buffer();

	if (!qemu_plugin_read_memory_vaddr(address, read, length) || read->len != length)
		return false;
	memcpy(bytes, read->data, length);
	return true;
}

bool guest_read_code(uint64_t address, uint32_t *opcode)
{
	return (address & 3) == 0 && guest_read(address, opcode, sizeof(*opcode));
}

void guest_code_seen(uint64_t pc, const void *host)
{
	if (host && !__atomic_load_n(&guest_base_known, __ATOMIC_ACQUIRE)) {
		guest_base = (uint64_t)(uintptr_t)host - pc;
		__atomic_store_n(&guest_base_known, true, __ATOMIC_RELEASE);
	}
}

bool mapping_find(uint64_t address, struct mapping *mapping)
{
	const uint64_t host = address + guest_base;
	unsigned long long low, high, offset;
	char line[4096 + 128];
	bool found = false;
	FILE *maps;

	if (!__atomic_load_n(&guest_base_known, __ATOMIC_ACQUIRE))
		return false;
	maps = fopen("/proc/self/maps", "re");
	if (!maps)
		return false;
	while (!found && fgets(line, sizeof(line), maps)) {
		const char *path = strchr(line, '/');

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%llx-%llx %*s %llx", &low, &high, &offset) != 3 || host < low ||
		    host >= high)
			continue;
		mapping->low = low - guest_base;
		mapping->high = high - guest_base;
		mapping->offset = offset;
		snprintf(mapping->path, sizeof(mapping->path), "%.4095s", path ? path : "");
		found = true;
	}
	fclose(maps);
	return found;
}
