/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of a page: a number for each name and file, which all parts of the page refer to.
 */
#ifndef HWFLOW_PAGE_FUNCTIONS_H
#define HWFLOW_PAGE_FUNCTIONS_H

#include "base/text.h"

/** PAGE_NO_FUNCTION - a number that no function has */
#define PAGE_NO_FUNCTION UINT32_MAX

/** struct page_functions - the functions */
struct page_functions;

/** page_functions_new() - none; NULL without memory */
struct page_functions *page_functions_new(void);

/**
 * page_function() - the number of a function
 * @functions: the functions
 * @name: of the function
 * @file: that has its code; NULL or "": none
 *
 * Return: its number; PAGE_NO_FUNCTION without memory.
 */
uint32_t page_function(struct page_functions *functions, const char *name, const char *file);

/** page_functions_write() - append the list of all functions, each [NAME, FILE] */
void page_functions_write(const struct page_functions *functions, struct text *out);

/** page_functions_free() - free them; NULL is allowed */
void page_functions_free(struct page_functions *functions);

#endif /* HWFLOW_PAGE_FUNCTIONS_H */
