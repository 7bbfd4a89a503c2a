/* SPDX-License-Identifier: GPL-2.0-only */
/* The code of calling contexts: its binary and its names. */
#ifndef HWFLOW_PROFILE_CONTEXT_CODE_H
#define HWFLOW_PROFILE_CONTEXT_CODE_H

#include "profile_formats.h"

/** context_binary() - the binary of a file of the profile; NULL: it was not chosen, or @file is
 * NULL
 */
const struct profile_binary *context_binary(const struct profile_content *content,
					    const struct hwf_profile_file *file);

/**
 * context_address() - the address that an offset in a binary is linked at
 * @binary: the binary
 * @offset: in it
 *
 * Return: the address; @offset if the binary was not found, or has no code there.
 */
uint64_t context_address(const struct profile_binary *binary, uint64_t offset);

/**
 * context_function() - the name of the function of a context
 * @content: the profile
 * @context: the context
 *
 * Return: its C++ name, or the name in its symbol table; of code in no file, and of a file that was
 * not chosen, the name of the code or file in brackets. For free(); NULL without memory.
 */
char *context_function(const struct profile_content *content,
		       const struct hwf_profile_context *context);

/** context_demangle() - the C++ name of a symbol, or a copy of the symbol; NULL without memory */
char *context_demangle(const char *symbol);

/** context_bracket() - the name of code in no file, or of a file, as report has it; for free() */
char *context_bracket(const char *name);

/** context_is_kernel() - is a context executed by the kernel? */
bool context_is_kernel(const struct hwf_profile_context *context);

#endif /* HWFLOW_PROFILE_CONTEXT_CODE_H */
