/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Units whose entries are in a file of their own (split DWARF): the addresses of such entries are
 * numbers of a table in the program, which libdw finds only if it opens both files itself.
 */
#ifndef HWFLOW_LINE_SPLIT_H
#define HWFLOW_LINE_SPLIT_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* struct line_section - contents of a section; NULL: there is none */
struct line_section {
	const uint8_t *bytes;
	size_t size;
};

/**
 * struct line_split - a unit, and what its entries need
 * @info: .debug_info.dwo of the file
 * @lists: range lists: of DWARF 5 in the file, before that in the program
 * @lists_base: where those of the unit begin
 * @addresses: .debug_addr of the program
 * @addresses_base: where those of the unit begin
 * @low: address that ranges are relative to
 * @size: bytes of an address
 * @version: of DWARF
 */
struct line_split {
	struct line_section info;
	struct line_section lists;
	uint64_t lists_base;
	struct line_section addresses;
	uint64_t addresses_base;
	uint64_t low;
	uint8_t size;
	uint16_t version;
};

/**
 * line_split_open() - begin with a unit
 * @split: receives it
 * @file: has the entries
 * @skeleton: entry of the unit in the program
 * @unit: receives the entry of the unit in @file
 *
 * Return: false if @file has no such unit.
 */
bool line_split_open(struct line_split *split, Dwarf *file, Dwarf_Die *skeleton, Dwarf_Die *unit);

/**
 * struct line_list - ranges of an entry; members are those of line_split.c
 * @split: the unit
 * @at: next entry of the list
 * @end: of the section
 * @base: what offsets are relative to
 * @start: the only range, of an entry without a list
 * @stop: its end
 * @is_damaged: the list cannot be read
 */
struct line_list {
	const struct line_split *split;
	const uint8_t *at;
	const uint8_t *end;
	uint64_t base;
	uint64_t start;
	uint64_t stop;
	bool is_damaged;
};

/** line_list_begin() - begin with the ranges of an entry of the unit */
void line_list_begin(struct line_list *list, const struct line_split *split, Dwarf_Die *die);

/** line_list_next() - the next range; false if there is no more */
bool line_list_next(struct line_list *list, Dwarf_Addr *start, Dwarf_Addr *end);

#endif /* HWFLOW_LINE_SPLIT_H */
