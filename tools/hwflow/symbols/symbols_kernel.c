// SPDX-License-Identifier: GPL-2.0-only
/* Symbols of a copy of the kernel's memory, from the kallsyms beside it. */
#include "symbols_kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/elf_function.h"
#include "program/kallsyms.h"
#include "program/kcore.h"

/* struct reading - symbols so far */
struct reading {
	struct kernel_symbol *symbols;
	size_t count;
	size_t room;
};

/* Global names before local ones before weak ones, and fewer underscores before more */
static uint8_t rank_of(const struct kallsym *symbol)
{
	const size_t underscores = strspn(symbol->name, "_");
	uint8_t rank;

	switch (symbol->type) {
	case 'T':
		rank = 0x30;
		break;
	case 't':
		rank = 0x20;
		break;
	case 'W':
	case 'w':
		rank = 0x10;
		break;
	default:
		return 0;
	}
	return (uint8_t)(rank + 15 - (underscores > 15 ? 15 : underscores));
}

static int take(void *ctx, const struct kallsym *symbol)
{
	struct reading *reading = ctx;
	struct kernel_symbol *taken;

	if (elf_is_mapping_symbol(symbol->name))
		return 0;
	if (reading->count == reading->room) {
		const size_t room = reading->room ? 2 * reading->room : 0x10000;
		struct kernel_symbol *more =
			reallocarray(reading->symbols, room, sizeof(*reading->symbols));

		if (!more)
			return -ENOMEM;
		reading->symbols = more;
		reading->room = room;
	}
	taken = &reading->symbols[reading->count];
	*taken = (struct kernel_symbol){.address = symbol->address, .rank = rank_of(symbol)};
	taken->name = strdup(symbol->name);
	if (asprintf(&taken->file, "[%s]", *symbol->module ? symbol->module : "kernel.kallsyms") <
	    0)
		taken->file = NULL;
	if (taken->name && taken->file) {
		reading->count++;
		return 0;
	}
	free(taken->name);
	free(taken->file);
	return -ENOMEM;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

size_t kernel_symbols_read(const char *kcore, size_t root, struct kernel_symbol **symbols)
{
	const char *slash = strrchr(kcore, '/');
	struct reading reading = {0};
	char path[PATH_MAX];

	*symbols = NULL;
	snprintf(path, sizeof(path), "%.*s" KCORE_KALLSYMS, slash ? (int)(slash + 1 - kcore) : 0,
		 kcore);
	if (kallsyms_read(path, root, take, &reading)) {
		kernel_symbols_free(reading.symbols, reading.count);
		return 0;
	}
	if (reading.count)
		qsort(reading.symbols, reading.count, sizeof(*reading.symbols), compare_addresses);
	*symbols = reading.symbols;
	return reading.count;
}

void kernel_symbols_free(struct kernel_symbol *symbols, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(symbols[i].name);
		free(symbols[i].file);
	}
	free(symbols);
}
