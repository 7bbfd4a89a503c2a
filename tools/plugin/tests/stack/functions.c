// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of all files that the program executes code of. A file is read when code of it is
 * looked up first; what was found is never freed, since other threads may be using it.
 */
#include <pthread.h>
#include <stdlib.h>

#include "stack.h"

/** NESTED - an address is sought in so many functions that start before it: functions in assembler
 * may be nested */
#define NESTED 8

struct module {
	uint64_t low, high;
	struct function *functions;
	size_t count;
	struct module *next;
};

static struct module *modules;
static pthread_mutex_t modules_lock = PTHREAD_MUTEX_INITIALIZER;

/* Code of no file has no functions, but is looked up only once. */
static const struct module *module_load(uint64_t pc)
{
	struct mapping mapping;
	struct module *module;

	if (!mapping_find(pc, &mapping))
		return NULL;
	module = calloc(1, sizeof(*module));
	if (!module)
		abort();
	module->low = mapping.low;
	module->high = mapping.high;
	if (mapping.path[0])
		module->functions = elf_functions(
			mapping.path, pc, mapping.offset + (pc - mapping.low), &module->count);
	module->next = modules;
	modules = module;
	return module;
}

static const struct module *module_find(uint64_t pc)
{
	for (const struct module *module = modules; module; module = module->next) {
		if (pc >= module->low && pc < module->high)
			return module;
	}
	return module_load(pc);
}

static struct function *find_in(const struct module *module, uint64_t pc)
{
	size_t low = 0, high = module->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (module->functions[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i > 0 && low - i < NESTED; i--) {
		struct function *function = &module->functions[i - 1];

		if (pc < function->end || pc == function->start)
			return function;
	}
	return NULL;
}

struct function *function_find(uint64_t pc)
{
	const struct module *module;
	struct function *function;

	pthread_mutex_lock(&modules_lock);
	module = module_find(pc);
	function = module ? find_in(module, pc) : NULL;
	pthread_mutex_unlock(&modules_lock);
	return function;
}

void functions_unmapped(uint64_t low, uint64_t high)
{
	struct module **at = &modules;

	pthread_mutex_lock(&modules_lock);
	while (*at) {
		if ((*at)->low < high && low < (*at)->high)
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
	pthread_mutex_unlock(&modules_lock);
}

void functions_fork_child(void)
{
	pthread_mutex_init(&modules_lock, NULL);
}
