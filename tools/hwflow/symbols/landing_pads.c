// SPDX-License-Identifier: GPL-2.0-only
/*
 * Landing pads of calls. The language-specific data area (LSDA) of a function is in
 * .gcc_except_table. The personality routines of C++, C, Rust and others read the same fields at
 * its beginning, which are described in the Itanium C++ ABI's exception handling tables:
 *
 *	encoding, landing pad base        omitted: the start of the function
 *	encoding, offset of type table    omitted: there is no type table
 *	encoding of call sites
 *	bytes of all call sites
 *	call site: start, length, landing pad, action
 *	...
 *
 * A call site has its start relative to the start of the function, and its landing pad relative to
 * the landing pad base. Call sites are in order, and do not overlap. clang gives a function with
 * parts in several sections one LSDA for each, and a number of bytes that goes up to the end of the
 * last of them; so the call sites of a LSDA end at the latest where the next LSDA begins.
 */
#include "landing_pads.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "eh_frame.h"

/* struct call_site - calls from @start, before @end, that have a landing pad */
struct call_site {
	uint64_t start;
	uint64_t end;
	uint64_t pad;
};

/**
 * struct landing_pads - the exception tables of a file, in order
 * @functions: of .eh_frame. EH_LSDA_AT: the LSDA was read without an error
 * @function_count: how many
 * @sites: call sites of all functions, by address; those without a landing pad are left out. Those
 *	of a function whose LSDA is damaged do not count
 * @site_count: how many
 * @room: room for how many
 */
struct landing_pads {
	struct eh_function *functions;
	size_t function_count;
	struct call_site *sites;
	size_t site_count;
	size_t room;
};

/**
 * struct lsda - the LSDA of a function as it is read
 * @reader: of .gcc_except_table; ends where the call sites end, or the next LSDA begins
 * @function: the function
 * @base: landing pad base
 * @end: address where the call site before ends
 * @encoding: of call sites
 * @cut: the next LSDA begins before the number of bytes of call sites ends
 */
struct lsda {
	struct eh_reader reader;
	const struct eh_function *function;
	uint64_t base;
	uint64_t end;
	uint8_t encoding;
	bool cut;
};

static bool read_base(struct lsda *lsda, bool is_library)
{
	uint8_t encoding;

	lsda->base = lsda->function->start;
	if (!eh_read_byte(&lsda->reader, &encoding))
		return false;
	if (encoding == DW_EH_PE_omit)
		return true;
	/* the linker leaves an absolute address of a library to a relocation */
	return (!is_library || !eh_is_absolute(encoding)) &&
	       eh_read(&lsda->reader, encoding, &lsda->base);
}

/* Reads what is before the call sites. */
static bool read_head(struct lsda *lsda, bool is_library)
{
	struct eh_reader *reader = &lsda->reader;
	uint8_t types;
	uint64_t size;

	if (!read_base(lsda, is_library) || !eh_read_byte(reader, &types))
		return false;
	if (types != DW_EH_PE_omit && !eh_read(reader, DW_EH_PE_uleb128, &size))
		return false;
	if (!eh_read_byte(reader, &lsda->encoding) || !eh_is_absolute(lsda->encoding) ||
	    !eh_read(reader, DW_EH_PE_uleb128, &size))
		return false;
	lsda->cut = size > reader->size - reader->at;
	if (!lsda->cut)
		reader->size = reader->at + (size_t)size;
	return true;
}

/* Reads a call site; its landing pad is 0 if it has none. */
static bool read_site(struct lsda *lsda, struct call_site *site)
{
	uint64_t action;

	return eh_read(&lsda->reader, lsda->encoding, &site->start) &&
	       eh_read(&lsda->reader, lsda->encoding, &site->end) &&
	       eh_read(&lsda->reader, lsda->encoding, &site->pad) &&
	       eh_read(&lsda->reader, DW_EH_PE_uleb128, &action);
}

/* The numbers of a call site become addresses; false if the site is not after the one before. */
static bool place_site(struct lsda *lsda, struct call_site *site)
{
	const uint64_t start = lsda->function->start, size = lsda->function->end - start;

	if (site->start > size || site->end > size - site->start)
		return false;
	site->start += start;
	site->end += site->start;
	if (site->pad)
		site->pad += lsda->base;
	if (site->start < lsda->end)
		return false;
	lsda->end = site->end;
	return true;
}

static bool add_site(struct landing_pads *pads, struct call_site site)
{
	if (pads->site_count == pads->room) {
		const size_t room = pads->room ? 2 * pads->room : 256;
		struct call_site *sites = reallocarray(pads->sites, room, sizeof(*sites));

		if (!sites)
			return false;
		pads->sites = sites;
		pads->room = room;
	}
	pads->sites[pads->site_count++] = site;
	return true;
}

/*
 * Reads the call sites of a function, up to @end in @section; false without memory. A damaged LSDA
 * is unknown as a whole.
 */
static bool read_lsda(struct landing_pads *pads, struct eh_function *function,
		      const struct eh_reader *section, size_t end, bool is_library)
{
	struct lsda lsda = {.reader = *section, .function = function, .end = function->start};
	struct call_site site;
	bool good;

	lsda.reader.at = (size_t)(function->lsda - section->address);
	lsda.reader.size = end;
	good = read_head(&lsda, is_library);
	while (good && lsda.reader.at < lsda.reader.size) {
		if (!read_site(&lsda, &site)) {
			/* fewer bytes than a call site has align the next LSDA */
			good = lsda.cut;
			break;
		}
		good = place_site(&lsda, &site);
		if (good && site.pad && site.end > site.start && !add_site(pads, site))
			return false;
	}
	if (!good)
		function->has_lsda = EH_LSDA_UNKNOWN;
	return true;
}

static int compare_lsdas(const void *a, const void *b)
{
	const struct eh_function *x = *(struct eh_function *const *)a;
	const struct eh_function *y = *(struct eh_function *const *)b;

	if (x->lsda != y->lsda)
		return x->lsda < y->lsda ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static int compare_sites(const void *a, const void *b)
{
	const struct call_site *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/*
 * The functions with a LSDA in the section, by the address of the LSDA. A LSDA counts for one
 * function only, so that no byte is read for many. NULL without memory.
 */
static struct eh_function **find_lsdas(struct landing_pads *pads, const struct eh_reader *section,
				       size_t *count)
{
	struct eh_function **found = calloc(pads->function_count + 1, sizeof(struct eh_function *));
	size_t used = 0;

	*count = 0;
	for (size_t i = 0; found && i < pads->function_count; i++) {
		struct eh_function *function = &pads->functions[i];

		if (function->has_lsda != EH_LSDA_AT)
			continue;
		if (function->lsda - section->address < section->size)
			found[(*count)++] = function;
		else
			function->has_lsda = EH_LSDA_UNKNOWN;
	}
	if (*count)
		qsort(found, *count, sizeof(struct eh_function *), compare_lsdas);
	for (size_t i = 0; i < *count; i++) {
		if (used && found[used - 1]->lsda == found[i]->lsda)
			found[i]->has_lsda = EH_LSDA_UNKNOWN;
		else
			found[used++] = found[i];
	}
	*count = used;
	return found;
}

/* false without memory */
static bool read_lsdas(struct landing_pads *pads, Elf *elf, bool is_library)
{
	struct eh_reader section = {.size = 0};
	struct eh_function **found;
	bool good = true;
	size_t count;

	if (!eh_reader_open(&section, elf, ".gcc_except_table"))
		section.size = 0;
	found = find_lsdas(pads, &section, &count);
	for (size_t i = 0; good && i < count; i++) {
		const size_t end = i + 1 < count ? (size_t)(found[i + 1]->lsda - section.address)
						 : section.size;

		good = read_lsda(pads, found[i], &section, end, is_library);
	}
	if (pads->site_count)
		qsort(pads->sites, pads->site_count, sizeof(*pads->sites), compare_sites);
	good = good && found;
	free(found);
	return good;
}

struct landing_pads *landing_pads_new(Elf *elf)
{
	struct landing_pads *pads = calloc(1, sizeof(*pads));
	GElf_Ehdr header;

	/* an object file has no addresses yet; Arm files with 32 bits have other unwind tables */
	if (!pads || !gelf_getehdr(elf, &header) || header.e_type == ET_REL ||
	    header.e_machine == EM_ARM)
		return pads;
	pads->function_count = eh_frame_read(elf, &pads->functions);
	if (!read_lsdas(pads, elf, header.e_type == ET_DYN)) {
		landing_pads_free(pads);
		return NULL;
	}
	return pads;
}

/* The function of an address; NULL if there is none. */
static const struct eh_function *find_function(const struct landing_pads *pads, uint64_t address)
{
	size_t low = 0, high = pads->function_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (pads->functions[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < pads->functions[low - 1].end ? &pads->functions[low - 1] : NULL;
}

enum landing_pad landing_pads_find(const struct landing_pads *pads, uint64_t address, uint64_t *pad)
{
	const struct eh_function *function = pads ? find_function(pads, address) : NULL;
	size_t low = 0, high = pads ? pads->site_count : 0;

	if (!function || function->has_lsda == EH_LSDA_UNKNOWN)
		return LANDING_PAD_UNKNOWN;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (pads->sites[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= pads->sites[low - 1].end)
		return LANDING_PAD_NONE;
	*pad = pads->sites[low - 1].pad;
	return LANDING_PAD_AT;
}

void landing_pads_free(struct landing_pads *pads)
{
	if (!pads)
		return;
	free(pads->functions);
	free(pads->sites);
	free(pads);
}
