/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code that the kernel loads and unloads while it is recorded. Modules are announced by events of
 * the kernel's objects (kobject_uevent), BPF programs by PERF_RECORD_KSYMBOL.
 */
#ifndef HWFLOW_RECORD_KERNEL_WATCH_H
#define HWFLOW_RECORD_KERNEL_WATCH_H

#include <stddef.h>
#include <stdint.h>

struct kernel_copy;
struct perf_event_header;

/**
 * struct kernel_program - a BPF program that was loaded since the beginning
 * @start: address of its code
 * @length: bytes of its code
 * @round: number of the round in which its code was copied; 0: not yet
 */
struct kernel_program {
	uint64_t start;
	uint64_t length;
	uint64_t round;
};

/**
 * struct kernel_watch - code that is loaded and unloaded
 * @copy: receives the code
 * @socket: announcements of modules; -1 if they cannot be received
 * @programs: BPF programs
 * @count: number of @programs
 * @room: number of elements allocated
 * @removed: addresses of BPF programs that were unloaded in this round
 * @removed_count: number of @removed
 * @removed_room: number of elements allocated
 * @round: number of this round, from 1
 */
struct kernel_watch {
	struct kernel_copy *copy;
	int socket;
	struct kernel_program *programs;
	size_t count;
	size_t room;
	uint64_t *removed;
	size_t removed_count;
	size_t removed_room;
	uint64_t round;
};

/**
 * kernel_watch_open() - begin to watch
 * @watch: receives the state; kernel_watch_close() frees it
 * @copy: receives code that is loaded
 */
void kernel_watch_open(struct kernel_watch *watch, struct kernel_copy *copy);

/**
 * kernel_watch_modules() - copy the modules that were announced since the last call
 * @watch: the state
 *
 * Return: 0 or a negative errno.
 */
int kernel_watch_modules(struct kernel_watch *watch);

/**
 * kernel_watch_record() - take a record of a ring
 * @watch: the state
 * @record: the record, of any type
 *
 * Return: 0 or -ENOMEM.
 */
int kernel_watch_record(struct kernel_watch *watch, const struct perf_event_header *record);

/**
 * kernel_watch_round() - all rings were read: copy the BPF programs that are new
 * @watch: the state
 *
 * Return: 0 or a negative errno.
 */
int kernel_watch_round(struct kernel_watch *watch);

/** kernel_watch_close() - end, and free what kernel_watch_open() allocated */
void kernel_watch_close(struct kernel_watch *watch);

#endif /* HWFLOW_RECORD_KERNEL_WATCH_H */
