/* SPDX-License-Identifier: GPL-2.0-only */
/* What the fuzz target `command` checks beyond what sanitizers do. */
#ifndef HWFLOW_FUZZ_CHECKS_H
#define HWFLOW_FUZZ_CHECKS_H

#include <stddef.h>
#include <stdint.h>

/**
 * checks_finding() - report what is wrong, and end the program
 * @check: name of the check; HWFLOW_FUZZ_ALLOW, a list of names with commas, has those that are
 * passed over
 * @format: as for printf(), without the newline
 */
__attribute__((format(printf, 2, 3))) void checks_finding(const char *check, const char *format,
							  ...);

/** checks_begin() - count memory and watch open() from here on; @directory is where files may be
 * opened */
void checks_begin(const char *directory);

/**
 * checks_end() - stop counting and watching
 * @input: bytes of the input
 * @recordings: recordings that are open at the same time
 *
 * Findings: memory (more than 64 MB for each recording, and 16 times the input), time, descriptor
 * (a file is open that was not), open (a file outside of the directory was opened).
 */
void checks_end(size_t input, unsigned int recordings);

/** checks_text() - no byte of an output is a control character but newline and tab. @name: of the
 * output */
void checks_text(const char *name, const char *text, size_t size);

#endif /* HWFLOW_FUZZ_CHECKS_H */
