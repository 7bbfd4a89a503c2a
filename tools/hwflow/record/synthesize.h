/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of the kernel, and of threads and mappings, that existed before the recording. */
#ifndef HWFLOW_RECORD_SYNTHESIZE_H
#define HWFLOW_RECORD_SYNTHESIZE_H

#include "perfdata/perfdata_write.h"

/**
 * synthesize_process() - list the threads of a process, their names, and its mappings of code
 * @writer: the file
 * @pid: the process; nothing is written if it has ended meanwhile
 *
 * Return: 0 or a negative errno.
 */
int synthesize_process(struct perfdata_writer *writer, int pid);

/**
 * synthesize_all() - the same for all processes of the machine
 * @writer: the file
 *
 * Return: 0 or a negative errno.
 */
int synthesize_all(struct perfdata_writer *writer);

/**
 * synthesize_cgroups() - list the cgroups that samples can name
 * @writer: the file
 *
 * Return: 0 or a negative errno.
 */
int synthesize_cgroups(struct perfdata_writer *writer);

/**
 * synthesize_kernel() - list the mappings of the kernel and of its modules, with their build ids
 * @writer: the file
 *
 * Nothing is written if the kernel hides its addresses (kernel.kptr_restrict).
 *
 * Return: 0 or a negative errno.
 */
int synthesize_kernel(struct perfdata_writer *writer);

#endif /* HWFLOW_RECORD_SYNTHESIZE_H */
