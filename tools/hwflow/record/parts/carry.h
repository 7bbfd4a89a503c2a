/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads and mappings of one part of a recording, for the next part to begin with. */
#ifndef HWFLOW_RECORD_CARRY_H
#define HWFLOW_RECORD_CARRY_H

#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_write.h"

/**
 * carry_write() - begin a part with what is known of threads and mappings
 * @writer: the part, which has no record yet
 * @before: the part before it
 * @settled: records of @before from this offset on may be later than trace that comes in the new
 *	part; 0: so may all records
 *
 * All records of threads and mappings are written again, with their times: trace of the new part
 * may be older than the last of them. Those before @settled are replaced by what was true then:
 * the threads that were alive and what their processes had mapped. The loss of records, and the end
 *of the trace of each AUX area so far, are carried as well.
 *
 * Return: 0; -ENOMEM; or the first error of @writer.
 */
int carry_write(struct perfdata_writer *writer, const struct perfdata_info *before,
		uint64_t settled);

#endif /* HWFLOW_RECORD_CARRY_H */
