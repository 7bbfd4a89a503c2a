/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of system calls. */
#include "perfdata_syscalls.h"

#include <string.h>

/* clang-format off */
static const char *const names[] = {
#define SYSCALL(number, name) [number] = #name,
#include "perfdata_syscalls.def"
#undef SYSCALL
};
/* clang-format on */

static const char *name_of(const struct perfdata_info *info, int64_t number)
{
	if (strcmp(info->arch, "aarch64") != 0 && strcmp(info->arch, "riscv64") != 0)
		return NULL;
	return number >= 0 && (uint64_t)number < sizeof(names) / sizeof(names[0]) ? names[number]
										  : NULL;
}

bool perfdata_sample_syscall(const struct perfdata_info *info, const struct perfdata_sample *sample,
			     struct perfdata_syscall *call)
{
	const struct perfdata_tracepoint *tracepoint = sample->tracepoint;

	if (!tracepoint || !sample->raw || strcmp(tracepoint->system, "raw_syscalls") != 0)
		return false;
	call->enters = !strcmp(tracepoint->name, "sys_enter");
	if (!call->enters && strcmp(tracepoint->name, "sys_exit") != 0)
		return false;
	for (size_t i = 0; i < tracepoint->field_count; i++) {
		const struct perfdata_field *field = &tracepoint->fields[i];

		if (strcmp(field->name, "id") != 0 || field->size != sizeof(call->number) ||
		    field->offset + field->size > sample->raw_size)
			continue;
		memcpy(&call->number, sample->raw + field->offset, sizeof(call->number));
		call->name = name_of(info, call->number);
		return true;
	}
	return false;
}
