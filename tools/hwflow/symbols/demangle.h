/* SPDX-License-Identifier: GPL-2.0-only */
/* C++ names as they are in the program's source. */
#ifndef HWFLOW_DEMANGLE_H
#define HWFLOW_DEMANGLE_H

/**
 * demangle() - the C++ name of a symbol
 * @symbol: the symbol; what stands behind an '@' stays
 *
 * The C++ library does it, where the machine has one; it is loaded with the first such symbol. A
 * symbol of a few hundred bytes can stand for a name of terabytes: names that may take many steps
 * are made in another process, which has little memory and time.
 *
 * Return: the name, for free(); NULL where @symbol is none of C++, or it is longer than
 * LIMIT_name, which is printed, or it is not known.
 */
char *demangle(const char *symbol);

#endif /* HWFLOW_DEMANGLE_H */
