/* SPDX-License-Identifier: GPL-2.0-only */
/* Core files: what a thread was doing when its process was ended by a signal. See core(5). */
#ifndef HWFLOW_VERBS_CORE_FILE_H
#define HWFLOW_VERBS_CORE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#define CORE_NAME 16

/**
 * struct core_file - a process that was ended
 * @name: of its program, cut off by the kernel
 * @pid: its number
 * @tid: of the thread that got the signal
 * @signal: the signal; 0: the core file was made for another reason
 * @pc: of this thread
 * @has_address: the signal has an address
 * @address: that was accessed, or executed
 */
struct core_file {
	char name[CORE_NAME + 1];
	int32_t pid;
	int32_t tid;
	int32_t signal;
	uint64_t pc;
	bool has_address;
	uint64_t address;
};

/**
 * core_file_read() - read a core file of arm64 or riscv64
 * @core: receives what it has
 * @path: of the file
 *
 * Return: 0, or EXIT_UNREADABLE: the reason was printed on standard error.
 */
int core_file_read(struct core_file *core, const char *path);

#endif /* HWFLOW_VERBS_CORE_FILE_H */
