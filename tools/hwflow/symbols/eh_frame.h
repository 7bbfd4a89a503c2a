/* SPDX-License-Identifier: GPL-2.0-only */
/* The unwind table .eh_frame of a program, and the numbers of exception tables. */
#ifndef HWFLOW_EH_FRAME_H
#define HWFLOW_EH_FRAME_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum eh_lsda - the language-specific data area (LSDA) of a function */
enum eh_lsda {
	EH_LSDA_NONE,    /* no exception stops in the function */
	EH_LSDA_AT,      /* eh_function.lsda is its address */
	EH_LSDA_UNKNOWN, /* the field is damaged, or has an encoding that is not known */
};

/**
 * struct eh_function - a frame description entry (FDE): a function, or a part of one
 * @start: its first address
 * @end: the address after its last
 * @lsda: address of its LSDA, if @has_lsda is EH_LSDA_AT
 * @has_lsda: see enum eh_lsda
 */
struct eh_function {
	uint64_t start;
	uint64_t end;
	uint64_t lsda;
	enum eh_lsda has_lsda;
};

/**
 * eh_frame_read() - all functions that .eh_frame has
 * @elf: the file
 * @functions: receives them, by start; they do not overlap. For free()
 *
 * A damaged table ends where the damage is.
 *
 * Return: how many; 0 if there is no table, or no memory.
 */
size_t eh_frame_read(Elf *elf, struct eh_function **functions);

/**
 * struct eh_reader - bytes of a section that are read in order
 * @bytes: contents of the section
 * @size: the reader stops before this byte
 * @at: the byte that is read next
 * @address: of the section
 * @pointer: bytes of an address
 */
struct eh_reader {
	const uint8_t *bytes;
	size_t size;
	size_t at;
	uint64_t address;
	size_t pointer;
};

/**
 * eh_reader_open() - read a section
 * @reader: receives the reader, at the first byte of the section
 * @elf: the file
 * @name: of the section
 *
 * Return: false if the file is not little-endian, or has no such section.
 */
bool eh_reader_open(struct eh_reader *reader, Elf *elf, const char *name);

/**
 * eh_read() - read a number or an address
 * @reader: the reader
 * @encoding: DW_EH_PE_*, without DW_EH_PE_indirect
 * @value: receives the number; 0 stays 0 if the encoding is relative to the place of the number
 *
 * Return: false if the bytes end before, the encoding is not known, or a LEB128 number is too long.
 */
bool eh_read(struct eh_reader *reader, uint8_t encoding, uint64_t *value);

/** eh_read_byte() - read a byte; false if the bytes end before */
bool eh_read_byte(struct eh_reader *reader, uint8_t *byte);

/** eh_is_absolute() - an address in this encoding is relative to nothing */
bool eh_is_absolute(uint8_t encoding);

#endif /* HWFLOW_EH_FRAME_H */
