/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The version of the library: of the headers, and of what the program is linked with. */
#ifndef HWFLOW_VERSION_H
#define HWFLOW_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** HWF_VERSION_MAJOR - the soname of the shared library ends with this number */
#define HWF_VERSION_MAJOR 0
/** HWF_VERSION_MINOR - a larger number adds functions and members, and removes none */
#define HWF_VERSION_MINOR 1
/** HWF_VERSION - both, as hwf_version() returns them */
#define HWF_VERSION "0.1"

/**
 * hwf_version() - version of the library that the program is linked with
 *
 * Return: a constant string, "MAJOR.MINOR". It differs from HWF_VERSION where the program was
 * compiled with the headers of another version.
 */
const char *hwf_version(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_VERSION_H */
