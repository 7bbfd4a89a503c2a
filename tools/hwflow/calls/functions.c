/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions by address, and what the names of some say about their branches. */
#include "functions.h"

#include <stdlib.h>
#include <string.h>

/* Answers that are kept, by address; a power of two */
#define KNOWN 32768u

/**
 * struct known - an answer
 * @space: what was asked
 * @first: the answer is the same from this address
 * @last: to this one
 * @entry: where the function begins in memory; 0: not known, or the address is in another part
 * @id: of the function
 * @epoch: when it was asked
 */
struct known {
	const void *space;
	uint64_t first;
	uint64_t last;
	uint64_t entry;
	uint64_t id;
	uint64_t epoch;
};

/* struct known_site - the number of the site at an address */
struct known_site {
	const void *space;
	uint64_t address;
	uint64_t number;
	uint64_t epoch;
};

/**
 * struct sites - all sites
 * @list: the number of a site is its place here, and 1
 * @count: how many
 * @room: of @list; a power of two
 * @slots: numbers, by a hash of the site; 0: free. Twice as many as @room
 */
struct sites {
	struct call_site *list;
	size_t count;
	size_t room;
	uint32_t *slots;
};

/**
 * struct functions - see functions.h
 * @symbols: their names
 * @list: the functions; the id of one is its place here, and 1
 * @count: how many
 * @room: for how many there is room
 * @by_symbol: ids, by the id that the function has in @symbols; 0: none yet
 * @symbol_room: items of @by_symbol
 * @epoch: changes with the process and the time
 * @known: answers
 * @sites: instructions that call
 * @known_sites: their numbers
 */
struct functions {
	struct symbols *symbols;
	struct called_function *list;
	size_t count;
	size_t room;
	uint64_t *by_symbol;
	size_t symbol_room;
	uint64_t epoch;
	struct known known[KNOWN];
	struct sites sites;
	struct known_site known_sites[KNOWN];
};

/* struct named_role - what functions of this name do */
struct named_role {
	const char *name;
	enum hwf_stack_role role;
};

static const struct named_role roles[] = {
	{"setjmp", HWF_STACK_SETJMP},
	{"_setjmp", HWF_STACK_SETJMP},
	{"__sigsetjmp", HWF_STACK_SETJMP},
	{"sigsetjmp", HWF_STACK_SETJMP},
	{"__setjmp", HWF_STACK_SETJMP},
	{"getcontext", HWF_STACK_SETJMP},
	{"__getcontext", HWF_STACK_SETJMP},
	{"longjmp", HWF_STACK_LONGJMP},
	{"_longjmp", HWF_STACK_LONGJMP},
	{"__longjmp", HWF_STACK_LONGJMP},
	{"siglongjmp", HWF_STACK_LONGJMP},
	{"__longjmp_chk", HWF_STACK_LONGJMP},
	{"____longjmp_chk", HWF_STACK_LONGJMP},
	{"__libc_longjmp", HWF_STACK_LONGJMP},
	{"__libc_siglongjmp", HWF_STACK_LONGJMP},
	{"_Unwind_RaiseException", HWF_STACK_UNWIND},
	{"_Unwind_Resume", HWF_STACK_UNWIND},
	{"_Unwind_Resume_or_Rethrow", HWF_STACK_UNWIND},
	{"_Unwind_ForcedUnwind", HWF_STACK_UNWIND},
	{"__libunwind_Registers_arm64_jumpto", HWF_STACK_UNWIND},
	{"swapcontext", HWF_STACK_SWITCH},
	{"__swapcontext", HWF_STACK_SWITCH},
	{"setcontext", HWF_STACK_SWITCH},
	{"__setcontext", HWF_STACK_SWITCH},
	{"cpu_switch_to", HWF_STACK_LEAVE},
	{"__switch_to", HWF_STACK_LEAVE},
	{"runtime.gogo.abi0", HWF_STACK_RESUME},
	{"gogo", HWF_STACK_RESUME},
	{"runtime.mcall", HWF_STACK_PARK},
	{"runtime.morestack.abi0", HWF_STACK_GROW},
	{"runtime.recovery", HWF_STACK_RECOVER},
	{"runtime.save_g.abi0", HWF_STACK_LEAF},
	{"fork", HWF_STACK_FORK},
	{"_Fork", HWF_STACK_FORK},
	{"__libc_fork", HWF_STACK_FORK},
	{"vfork", HWF_STACK_FORK},
	{"__vfork", HWF_STACK_FORK},
	{"__libc_vfork", HWF_STACK_FORK},
	{"syscall.rawVforkSyscall.abi0", HWF_STACK_FORK},
	{"clone", HWF_STACK_CLONE},
	{"__clone", HWF_STACK_CLONE},
	{"clone3", HWF_STACK_CLONE},
	{"__clone3", HWF_STACK_CLONE},
	{"runtime.clone.abi0", HWF_STACK_CLONE},
	{"__kernel_rt_sigreturn", HWF_STACK_SIGRETURN},
	{"__vdso_rt_sigreturn", HWF_STACK_SIGRETURN},
	{"__restore_rt", HWF_STACK_SIGRETURN},
	{"__restore", HWF_STACK_SIGRETURN},
	{"__default_sa_restorer", HWF_STACK_SIGRETURN},
	{"__default_rt_sa_restorer", HWF_STACK_SIGRETURN},
};

static enum hwf_stack_role role_of(const char *name)
{
	const size_t length = strlen(name), suffix = strlen("@plt");

	if (length > suffix && !strcmp(name + length - suffix, "@plt"))
		return HWF_STACK_STUB;
	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (!strcmp(name, roles[i].name))
			return roles[i].role;
	return HWF_STACK_PLAIN;
}

struct functions *functions_new(struct symbols *symbols)
{
	struct functions *functions = calloc(1, sizeof(*functions));

	if (!functions)
		return NULL;
	functions->symbols = symbols;
	functions->epoch = 1;
	return functions;
}

void functions_free(struct functions *functions)
{
	if (!functions)
		return;
	free(functions->list);
	free(functions->by_symbol);
	free(functions->sites.list);
	free(functions->sites.slots);
	free(functions);
}

void functions_at(struct functions *functions, int32_t pid, uint64_t since, uint64_t time)
{
	symbols_at(functions->symbols, pid, since, time);
	functions->epoch++;
}

const struct called_function *functions_get(const struct functions *functions, uint64_t id)
{
	return &functions->list[id - 1];
}

/* The function that a compiler has split a part from, which has a name of its own */
static const struct function *whole_of(struct functions *functions, struct hwf_image_file *file,
				       const struct function *part)
{
	const char *suffix = strstr(part->name, ".cold");
	const struct function *all, *whole = NULL;
	size_t count, length;

	if (!suffix || suffix == part->name || (suffix[5] && suffix[5] != '.'))
		return part;
	length = (size_t)(suffix - part->name);
	all = symbols_functions(functions->symbols, file, &count);
	for (size_t i = 0; i < count; i++) {
		if (strncmp(all[i].name, part->name, length) != 0 || all[i].name[length])
			continue;
		/* local functions of several source files have this name */
		if (whole)
			return part;
		whole = &all[i];
	}
	return whole ? whole : part;
}

static uint64_t offset_of(const struct hwf_image_file *file, const struct function *function)
{
	const struct hwf_image_elf *elf = function->of_elf ? hwf_image_file_elf(file) : NULL;

	for (size_t i = 0; elf && i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];

		if (function->start - segment->address < segment->size)
			return segment->offset + (function->start - segment->address);
	}
	return function->start;
}

static uint64_t *id_of_symbol(struct functions *functions, uint32_t symbol)
{
	const size_t room = 2 * (size_t)symbol + 64;
	uint64_t *ids;

	if (symbol < functions->symbol_room)
		return &functions->by_symbol[symbol];
	ids = realloc(functions->by_symbol, room * sizeof(*ids));
	if (!ids)
		return NULL;
	memset(ids + functions->symbol_room, 0, (room - functions->symbol_room) * sizeof(*ids));
	functions->by_symbol = ids;
	functions->symbol_room = room;
	return &ids[symbol];
}

static uint64_t add(struct functions *functions, const struct function *function,
		    struct hwf_image_file *file)
{
	if (functions->count == functions->room) {
		const size_t room = functions->room ? 2 * functions->room : 256;
		struct called_function *list =
			realloc(functions->list, room * sizeof(*functions->list));

		if (!list)
			return 0;
		functions->list = list;
		functions->room = room;
	}
	functions->list[functions->count++] = (struct called_function){
		.function = function,
		.file = file,
		.offset = file ? offset_of(file, function) : 0,
		.role = (uint8_t)role_of(function->name),
	};
	return functions->count;
}

/* 0 without memory */
static uint64_t id_of(struct functions *functions, const struct function *function,
		      struct hwf_image_file *file)
{
	uint64_t *id = id_of_symbol(functions, function->id);
	const struct function *whole;
	uint64_t *whole_id;

	if (!id || *id)
		return id ? *id : 0;
	whole = file ? whole_of(functions, file, function) : function;
	whole_id = id_of_symbol(functions, whole->id);
	if (!whole_id)
		return 0;
	if (!*whole_id)
		*whole_id = add(functions, whole, file);
	functions->by_symbol[function->id] = functions->by_symbol[whole->id];
	return functions->by_symbol[function->id];
}

static bool ask(struct functions *functions, const void *space, uint64_t address,
		struct known *known)
{
	const struct place_name name = symbols_find(functions->symbols, space, address);
	struct hwf_image_place place;

	known->epoch = 0;
	known->space = space;
	known->first = name.first;
	known->last = name.last;
	known->id = id_of(functions, name.function,
			  hwf_image_find(space, address, &place) ? place.file : NULL);
	if (!known->id)
		return false;
	known->entry = name.function->bounded && functions_get(functions, known->id)->function ==
							 name.function
			       ? address - name.offset
			       : 0;
	known->epoch = functions->epoch;
	return true;
}

bool functions_find(struct functions *functions, const void *space, uint64_t address,
		    struct hwf_stack_function *found)
{
	struct known *known = &functions->known[(address >> 2 ^ address >> 14) % KNOWN];
	const struct called_function *function;

	if ((known->epoch != functions->epoch || known->space != space ||
	     address - known->first > known->last - known->first) &&
	    !ask(functions, space, address, known))
		return false;
	function = functions_get(functions, known->id);
	*found = (struct hwf_stack_function){
		.start = known->first,
		.end = known->last + 1,
		.id = known->id,
		.role = function->role,
		.is_entry = address == known->entry,
	};
	return true;
}

const struct call_site *functions_get_site(const struct functions *functions, uint64_t number)
{
	return &functions->sites.list[number - 1];
}

/* The slot of a site: its own, or the free one where it belongs */
static uint32_t *slot_of(const struct sites *sites, const struct call_site *site)
{
	const size_t mask = 2 * sites->room - 1;
	uint64_t hash = ((uintptr_t)site->file >> 4) + site->offset;
	size_t at;

	hash *= UINT64_C(0x9e3779b97f4a7c15);
	for (at = hash >> 32 & mask; sites->slots[at]; at = (at + 1) & mask) {
		const struct call_site *other = &sites->list[sites->slots[at] - 1];

		if (other->file == site->file && other->offset == site->offset)
			break;
	}
	return &sites->slots[at];
}

static bool grow_sites(struct sites *sites)
{
	const size_t room = sites->room ? 2 * sites->room : 1024;
	struct call_site *list = realloc(sites->list, room * sizeof(*list));
	uint32_t *slots;

	if (!list)
		return false;
	sites->list = list;
	slots = calloc(2 * room, sizeof(*slots));
	if (!slots)
		return false;
	free(sites->slots);
	sites->slots = slots;
	sites->room = room;
	for (size_t i = 0; i < sites->count; i++)
		*slot_of(sites, &list[i]) = (uint32_t)i + 1;
	return true;
}

static uint64_t number_of(struct sites *sites, const struct call_site *site)
{
	uint32_t *slot;

	if (sites->count == sites->room && !grow_sites(sites))
		return 0;
	slot = slot_of(sites, site);
	if (!*slot) {
		sites->list[sites->count++] = *site;
		*slot = (uint32_t)sites->count;
	}
	return *slot;
}

uint64_t functions_site(struct functions *functions, const void *space, uint64_t address)
{
	struct known_site *known = &functions->known_sites[(address >> 2 ^ address >> 14) % KNOWN];
	struct hwf_image_place place = {0};
	struct call_site site = {0};

	if (known->epoch == functions->epoch && known->space == space && known->address == address)
		return known->number;
	if (hwf_image_find(space, address, &place))
		site = (struct call_site){place.file, place.offset};
	*known = (struct known_site){space, address, number_of(&functions->sites, &site),
				     functions->epoch};
	return known->number;
}

unsigned int functions_lands(struct functions *functions, uint64_t call, uint64_t landing)
{
	const struct call_site *from, *to;
	uint64_t pad;

	if (!call || !landing)
		return HWF_LANDING_UNKNOWN;
	from = functions_get_site(functions, call);
	to = functions_get_site(functions, landing);
	if (!from->file)
		return HWF_LANDING_UNKNOWN;
	switch (symbols_landing_pad(functions->symbols, from->file, from->offset, &pad)) {
	case LANDING_PAD_NONE:
		return HWF_LANDING_NO;
	case LANDING_PAD_AT:
		return to->file == from->file && to->offset == pad ? HWF_LANDING_YES
								   : HWF_LANDING_NO;
	default:
		return HWF_LANDING_UNKNOWN;
	}
}
