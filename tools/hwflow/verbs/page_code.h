/* SPDX-License-Identifier: GPL-2.0-only */
/* Source lines and instructions of functions, with their counts, for a page. */
#ifndef HWFLOW_VERBS_PAGE_CODE_H
#define HWFLOW_VERBS_PAGE_CODE_H

#include "annotation.h"
#include "page/page_functions.h"
#include "page/page_part.h"

/**
 * page_code() - append a value for each function, the one with the most instructions first
 * @part: receives {"f":FUNCTION,"n":EXECUTED,"rows":[ROW,...],"files":[FILE,...]}. A ROW is an
 *	instruction [ADDRESS, OPCODE, TEXT, EXECUTED, FILE, LINE, TARGET, TAKEN, NOT_TAKEN], which
 *	ends where all that follows is not known, or [ADDRESS, COUNT]: instructions that were not
 *	executed. FILE is the number of a [NAME, [[LINE, TEXT],...]], or -1. Addresses and opcodes
 *	are strings of hexadecimal digits
 * @annotation: of its members, those that annotation_visit() needs, and @disassembler
 * @functions: numbers of functions
 *
 * Return: 0 or -ENOMEM.
 */
int page_code(struct page_part *part, const struct annotation *annotation,
	      struct page_functions *functions);

#endif /* HWFLOW_VERBS_PAGE_CODE_H */
