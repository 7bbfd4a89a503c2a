/* SPDX-License-Identifier: GPL-2.0-only */
/* Addresses and ranges of split units, of DWARF 5 and of GNU's form of DWARF 4. */
#include "line_split.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "elf_bounds.h"

/* GNU's form of split units; dwarf.h of elfutils does not have all of it */
#define AT_GNU_RANGES_BASE  0x2132u
#define AT_GNU_ADDR_BASE    0x2133u
#define FORM_GNU_ADDR_INDEX 0x1f01u
#define LISTS_HEADER        12u /* of .debug_rnglists, with offsets of 4 bytes */
#define ADDRESSES_HEADER    8u  /* of .debug_addr, likewise */

/* struct cursor - where a section is read; @at is NULL after its end */
struct cursor {
	const uint8_t *at;
	const uint8_t *end;
};

static struct cursor cursor_at(const struct line_section *section, uint64_t offset)
{
	if (!section->bytes || offset > section->size)
		return (struct cursor){NULL, NULL};
	return (struct cursor){section->bytes + offset, section->bytes + section->size};
}

/* A number of some bytes, the lowest first */
static uint64_t take(struct cursor *cursor, size_t size)
{
	uint64_t value = 0;

	if (!cursor->at || (size_t)(cursor->end - cursor->at) < size) {
		cursor->at = NULL;
		return 0;
	}
	for (size_t i = 0; i < size; i++)
		value |= (uint64_t)cursor->at[i] << 8 * i;
	cursor->at += size;
	return value;
}

/* A number of seven bits a byte */
static uint64_t take_leb(struct cursor *cursor)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = take(cursor, 1);
		value |= shift < 64 ? (byte & 0x7f) << shift : 0;
		shift += 7;
	} while (cursor->at && byte & 0x80);
	return value;
}

static struct line_section section_of(Dwarf *dwarf, const char *wanted)
{
	Elf *elf = dwarf_getelf(dwarf);
	const Elf_Data *names = elf_section_names(elf), *data;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) ||
		    strcmp(elf_section_name(names, &header), wanted) != 0)
			continue;
		data = elf_getdata(section, NULL);
		if (data && data->d_buf)
			return (struct line_section){data->d_buf, data->d_size};
	}
	return (struct line_section){NULL, 0};
}

static uint64_t number_of(Dwarf_Die *die, unsigned int name, uint64_t other)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (dwarf_formudata(dwarf_attr(die, name, &attribute), &value))
		return other;
	return value;
}

bool line_split_open(struct line_split *split, Dwarf *file, Dwarf_Die *skeleton, Dwarf_Die *unit)
{
	Dwarf *program = dwarf_cu_getdwarf(skeleton->cu);
	uint64_t wanted = 0, id = 0;
	Dwarf_CU *cu = NULL;
	bool found = false;
	Dwarf_Addr low;
	uint8_t type;

	*split = (struct line_split){.size = 8};
	if (dwarf_cu_info(skeleton->cu, &split->version, NULL, NULL, NULL, &wanted, &split->size,
			  NULL))
		return false;
	while (!found && !dwarf_get_units(file, cu, &cu, NULL, &type, unit, NULL))
		found = dwarf_tag(unit) == DW_TAG_compile_unit &&
			!dwarf_cu_info(cu, NULL, NULL, NULL, NULL, &id, NULL, NULL) && id == wanted;
	if (!found)
		return false;
	split->info = section_of(file, ".debug_info.dwo");
	split->addresses = section_of(program, ".debug_addr");
	if (split->version < 5) {
		split->lists = section_of(program, ".debug_ranges");
		split->lists_base = number_of(skeleton, AT_GNU_RANGES_BASE, 0);
		split->addresses_base = number_of(skeleton, AT_GNU_ADDR_BASE, 0);
	} else {
		split->lists = section_of(file, ".debug_rnglists.dwo");
		split->lists_base = LISTS_HEADER;
		split->addresses_base = number_of(skeleton, DW_AT_addr_base, ADDRESSES_HEADER);
	}
	if (!dwarf_lowpc(skeleton, &low))
		split->low = low;
	return true;
}

/* An address by its number */
static uint64_t address_of(struct line_list *list, uint64_t index)
{
	const struct line_split *split = list->split;
	struct cursor cursor;
	uint64_t address;

	if (index > split->addresses.size) {
		list->is_damaged = true;
		return 0;
	}
	cursor = cursor_at(&split->addresses, split->addresses_base + index * split->size);
	address = take(&cursor, split->size);
	list->is_damaged |= !cursor.at;
	return address;
}

/* The value of an attribute that is a number of an address, a list or an offset */
static uint64_t index_of(struct line_list *list, const Dwarf_Attribute *attribute, size_t size)
{
	const struct line_section *info = &list->split->info;
	struct cursor cursor = {NULL, NULL};
	uint64_t value;

	if (info->bytes && attribute->valp >= info->bytes &&
	    attribute->valp <= info->bytes + info->size)
		cursor = cursor_at(info, (uint64_t)(attribute->valp - info->bytes));
	value = size ? take(&cursor, size) : take_leb(&cursor);
	list->is_damaged |= !cursor.at;
	return value;
}

/* Is the attribute an address? */
static bool take_address(struct line_list *list, Dwarf_Attribute *attribute, uint64_t *address)
{
	Dwarf_Addr whole;

	switch (attribute->form) {
	case DW_FORM_addrx:
	case FORM_GNU_ADDR_INDEX:
		*address = address_of(list, index_of(list, attribute, 0));
		return true;
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		*address = address_of(
			list, index_of(list, attribute, attribute->form - DW_FORM_addrx1 + 1u));
		return true;
	case DW_FORM_addr:
		if (dwarf_formaddr(attribute, &whole))
			return false;
		*address = whole;
		return true;
	default:
		return false;
	}
}

/* The list of an attribute: its offset, or since DWARF 5 its number in a table of offsets */
static void begin_list(struct line_list *list, const Dwarf_Attribute *attribute)
{
	const struct line_split *split = list->split;
	struct cursor cursor;
	uint64_t offset;

	if (attribute->form == DW_FORM_rnglistx) {
		offset = index_of(list, attribute, 0);
		cursor = cursor_at(&split->lists, offset > split->lists.size
							  ? UINT64_MAX
							  : split->lists_base + 4 * offset);
		offset = split->lists_base + take(&cursor, 4);
		list->is_damaged |= !cursor.at;
	} else {
		offset = index_of(list, attribute, 4);
		offset += split->version < 5 ? split->lists_base : 0;
	}
	cursor = cursor_at(&split->lists, offset);
	list->is_damaged |= !cursor.at;
	list->at = cursor.at;
	list->end = cursor.end;
	list->base = split->low;
}

void line_list_begin(struct line_list *list, const struct line_split *split, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word size;

	*list = (struct line_list){.split = split};
	if (dwarf_attr(die, DW_AT_ranges, &attribute)) {
		begin_list(list, &attribute);
		return;
	}
	if (!dwarf_attr(die, DW_AT_low_pc, &attribute) ||
	    !take_address(list, &attribute, &list->start) ||
	    !dwarf_attr(die, DW_AT_high_pc, &attribute) ||
	    take_address(list, &attribute, &list->stop))
		return;
	if (!dwarf_formudata(&attribute, &size))
		list->stop = list->start + size;
}

/* DWARF 4: two addresses; both 0 at the end, the first -1 before another base */
static bool next_pair(struct line_list *list, struct cursor *cursor, uint64_t *start, uint64_t *end)
{
	const uint64_t largest = list->split->size < 8 ? UINT32_MAX : UINT64_MAX;

	for (;;) {
		*start = take(cursor, list->split->size);
		*end = take(cursor, list->split->size);
		if (!cursor->at || (!*start && !*end))
			return false;
		if (*start != largest)
			break;
		list->base = *end;
	}
	*start += list->base;
	*end += list->base;
	return true;
}

/* DWARF 5: a kind, and what it needs */
static bool next_entry(struct line_list *list, struct cursor *cursor, uint64_t *start,
		       uint64_t *end)
{
	while (cursor->at) {
		switch (take(cursor, 1)) {
		case DW_RLE_base_addressx:
			list->base = address_of(list, take_leb(cursor));
			break;
		case DW_RLE_base_address:
			list->base = take(cursor, list->split->size);
			break;
		case DW_RLE_startx_endx:
			*start = address_of(list, take_leb(cursor));
			*end = address_of(list, take_leb(cursor));
			return cursor->at;
		case DW_RLE_startx_length:
			*start = address_of(list, take_leb(cursor));
			*end = *start + take_leb(cursor);
			return cursor->at;
		case DW_RLE_offset_pair:
			*start = list->base + take_leb(cursor);
			*end = list->base + take_leb(cursor);
			return cursor->at;
		case DW_RLE_start_end:
			*start = take(cursor, list->split->size);
			*end = take(cursor, list->split->size);
			return cursor->at;
		case DW_RLE_start_length:
			*start = take(cursor, list->split->size);
			*end = *start + take_leb(cursor);
			return cursor->at;
		case DW_RLE_end_of_list:
			return false;
		default:
			cursor->at = NULL;
		}
	}
	return false;
}

bool line_list_next(struct line_list *list, Dwarf_Addr *start, Dwarf_Addr *end)
{
	struct cursor cursor = {list->at, list->end};
	bool found;

	if (list->is_damaged)
		return false;
	if (!list->at) {
		*start = list->start;
		*end = list->stop;
		list->start = list->stop;
		return *start < *end;
	}
	found = list->split->version < 5 ? next_pair(list, &cursor, start, end)
					 : next_entry(list, &cursor, start, end);
	list->is_damaged |= !cursor.at;
	list->at = cursor.at;
	return found && !list->is_damaged;
}
