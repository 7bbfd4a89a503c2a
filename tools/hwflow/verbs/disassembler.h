/* SPDX-License-Identifier: GPL-2.0-only */
/* Instructions as text, by the LLVM library of the machine. */
#ifndef HWFLOW_DISASSEMBLER_H
#define HWFLOW_DISASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct disassembler - the library, and its state for each instruction set */
struct disassembler;

/**
 * disassembler_new() - load the library
 *
 * Return: NULL if no library is installed, or without memory.
 */
struct disassembler *disassembler_new(void);

/**
 * disassembler_text() - one instruction as text
 * @disassembler: the library; NULL: no instruction has a text
 * @isa: enum hwf_isa
 * @address: of the instruction. In T32 an instruction that follows the one before may be in its IT
 *	block
 * @bytes: of the instruction, in the order of memory
 * @size: how many
 * @text: receives mnemonic and operands, with one space between; "" if the library does not know
 *	the instruction
 * @room: of @text
 *
 * Return: true if the instruction has a text.
 */
bool disassembler_text(struct disassembler *disassembler, unsigned int isa, uint64_t address,
		       const uint8_t *bytes, size_t size, char *text, size_t room);

/** disassembler_free() - free the state; NULL is allowed */
void disassembler_free(struct disassembler *disassembler);

#endif /* HWFLOW_DISASSEMBLER_H */
