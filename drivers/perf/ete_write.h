/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write a register of the trace unit by its number. The encoding of a System register is part of
 * the instruction, so each row of ETE_REGISTERS() becomes an instruction of its own: ete_write() of
 * ete_sysreg.h, which the including file has to include first.
 */
#ifndef _ETE_WRITE_H
#define _ETE_WRITE_H

#include "ete_config.h"

#define ETE_WRITE_ONE(name, offset)					\
	case ETE_##name:						\
		ete_write(value, offset);				\
		break;
#define ETE_WRITE_NTH(name, n, offset, step)				\
	case ETE_##name + (n):						\
		ete_write(value, (offset) + (n) * (step));		\
		break;
#define ETE_WRITE_3(...)						\
	ETE_WRITE_AT(0, __VA_ARGS__) ETE_WRITE_AT(1, __VA_ARGS__) ETE_WRITE_AT(2, __VA_ARGS__)
#define ETE_WRITE_4(...)						\
	ETE_WRITE_3(__VA_ARGS__) ETE_WRITE_AT(3, __VA_ARGS__)
#define ETE_WRITE_8(...)						\
	ETE_WRITE_4(__VA_ARGS__) ETE_WRITE_AT(4, __VA_ARGS__)		\
	ETE_WRITE_AT(5, __VA_ARGS__) ETE_WRITE_AT(6, __VA_ARGS__)	\
	ETE_WRITE_AT(7, __VA_ARGS__)
#define ETE_WRITE_16(...)						\
	ETE_WRITE_8(__VA_ARGS__) ETE_WRITE_AT(8, __VA_ARGS__)		\
	ETE_WRITE_AT(9, __VA_ARGS__) ETE_WRITE_AT(10, __VA_ARGS__)	\
	ETE_WRITE_AT(11, __VA_ARGS__) ETE_WRITE_AT(12, __VA_ARGS__)	\
	ETE_WRITE_AT(13, __VA_ARGS__) ETE_WRITE_AT(14, __VA_ARGS__)	\
	ETE_WRITE_AT(15, __VA_ARGS__)
#define ETE_WRITE_AT(n, name, offset, step) ETE_WRITE_NTH(name, n, offset, step)
#define ETE_WRITE_SET(name, count, offset, step) ETE_WRITE_##count(name, offset, step)

static inline void ete_unit_write(unsigned int reg, u64 value)
{
	switch (reg) {
	ETE_REGISTERS(ETE_WRITE_ONE, ETE_WRITE_SET)
	}
}

#endif /* _ETE_WRITE_H */
