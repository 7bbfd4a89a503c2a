/* SPDX-License-Identifier: GPL-2.0-only */
/* Processors by their MIDR_EL1, and the errata of their trace buffers. */
#ifndef HWFLOW_MACHINE_PROCESSOR_H
#define HWFLOW_MACHINE_PROCESSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine_files.h"

/* Processors that differ; a machine with more is described by the first ones */
#define PROCESSORS 8

/* clang-format off */
enum erratum_kind {
	ERRATUM_OVERWRITE, ERRATUM_OUT_OF_RANGE, ERRATUM_TSB, ERRATUM_DISABLE, ERRATUM_ENABLE,
	ERRATUM_CORRUPT
};
/* clang-format on */

/** struct erratum - an erratum of a trace buffer, and its number */
struct erratum {
	enum erratum_kind kind;
	unsigned int number;
};

/* An erratum of each kind at most */
#define ERRATA (ERRATUM_CORRUPT + 1)

/**
 * struct processor - processors with the same MIDR_EL1
 * @midr: MIDR_EL1
 * @cpus: their numbers
 */
struct processor {
	uint32_t midr;
	struct machine_cpus cpus;
};

/** processors_read() - the processors of a machine, at most PROCESSORS of them; their number */
size_t processors_read(const struct machine *machine, struct processor *processors);

/** processor_text() - name, variant and revision; @text has @size bytes and is returned */
const char *processor_text(uint32_t midr, char *text, size_t size);

/** processor_is_armv8() - whether the processor is known to implement Armv8, which has no ETE */
bool processor_is_armv8(uint32_t midr);

/** processor_errata() - errata of its trace buffer, at most ERRATA of them; their number */
size_t processor_errata(uint32_t midr, struct erratum *errata);

#endif /* HWFLOW_MACHINE_PROCESSOR_H */
