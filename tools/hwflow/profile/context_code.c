/* SPDX-License-Identifier: GPL-2.0-only */
/* The code of calling contexts: its binary and its names. */
#include "context_code.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "symbols/symbols.h"

const struct profile_binary *context_binary(const struct profile_content *content,
					    const struct hwf_profile_file *file)
{
	/* all binaries are in the order of their numbers */
	if (file && file->number < content->count && content->binaries[file->number].file == file)
		return &content->binaries[file->number];
	return file && content->count == 1 && content->binaries->file == file ? content->binaries
									      : NULL;
}

uint64_t context_address(const struct profile_binary *binary, uint64_t offset)
{
	uint64_t address;

	return binary->elf && profile_address(binary->elf, offset, &address) ? address : offset;
}

char *context_demangle(const char *symbol)
{
	char *name = demangle(symbol);

	return name ? name : strdup(symbol);
}

char *context_bracket(const char *name)
{
	const char *slash = strrchr(name, '/');
	char *bracketed;

	if (*name == '[')
		return strdup(name);
	return asprintf(&bracketed, "[%s]", slash ? slash + 1 : name) < 0 ? NULL : bracketed;
}

char *context_function(const struct profile_content *content,
		       const struct hwf_profile_context *context)
{
	const struct profile_binary *binary = context_binary(content, context->file);
	uint64_t last;

	if (!binary)
		return context_bracket(context->file ? context->file->name : context->name);
	return context_demangle(symbols_function(binary->symbols, binary->image,
						 context_address(binary, context->entry), &last)
					->name);
}

/* A module of the kernel has the name of its file, or its own in brackets. */
static bool is_module(const char *name)
{
	const char *end = strstr(name, ".ko");

	return (*name == '[' && strcmp(name, "[vdso]") != 0) || (end && (!end[3] || end[3] == '.'));
}

bool context_is_kernel(const struct hwf_profile_context *context)
{
	static const char *const names[] = {"[kernel", "[bpf", "[__builtin__"};

	if (context->file)
		return context->file->id_kind == HWF_FILE_ID_KERNEL ||
		       is_module(context->file->name);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(context->name, names[i], strlen(names[i])))
			return true;
	return false;
}
