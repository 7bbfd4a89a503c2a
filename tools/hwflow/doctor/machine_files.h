/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that describe a machine: this one, or a copy of another machine's below a directory. */
#ifndef HWFLOW_MACHINE_FILES_H
#define HWFLOW_MACHINE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CPU numbers are below this */
#define MACHINE_CPUS 4096

/* Bytes of a list of CPUs as text; a longer list is cut off */
#define MACHINE_CPUS_TEXT 256

/**
 * struct machine - a machine
 * @root: its root directory
 * @live: this machine; not a copy of files
 */
struct machine {
	int root;
	bool live;
};

/** struct machine_cpus - a set of CPUs */
struct machine_cpus {
	uint64_t bits[MACHINE_CPUS / 64];
};

/**
 * machine_open() - begin to read a machine's files
 * @machine: initialised
 * @root: directory with the files of another machine; NULL for this one
 *
 * Symbolic links in a copy are followed within the copy.
 *
 * Return: 0 or -errno.
 */
int machine_open(struct machine *machine, const char *root);

/** machine_close() - end */
void machine_close(struct machine *machine);

/**
 * machine_read() - the contents of a file
 * @machine: the machine
 * @length: receives the number of bytes; may be NULL
 * @format: path without a leading slash, as for printf()
 *
 * Return: the bytes, followed by a NUL byte, to be freed by the caller; NULL with errno set.
 */
__attribute__((format(printf, 3, 4))) char *machine_read(const struct machine *machine,
							 size_t *length, const char *format, ...);

/** machine_word() - the first line of a file, or "" and false if it cannot be read */
__attribute__((format(printf, 4, 5))) bool machine_word(const struct machine *machine, char *word,
							size_t size, const char *format, ...);

/** machine_number() - a number in a file, decimal or hexadecimal with 0x; false if there is none */
__attribute__((format(printf, 3, 4))) bool machine_number(const struct machine *machine,
							  uint64_t *value, const char *format, ...);

/** machine_exists() - whether a file, a directory or a link exists */
__attribute__((format(printf, 2, 3))) bool machine_exists(const struct machine *machine,
							  const char *format, ...);

/** machine_link() - last component of the target of a symbolic link; false if it is none */
__attribute__((format(printf, 4, 5))) bool machine_link(const struct machine *machine, char *name,
							size_t size, const char *format, ...);

/**
 * machine_names() - the names in a directory
 * @machine: the machine
 * @count: receives their number
 * @format: path of the directory
 *
 * Return: the names in the order of their numbers, without . and .., ended by NULL, in one
 * allocation that the caller frees; NULL with errno set.
 */
__attribute__((format(printf, 3, 4))) char **machine_names(const struct machine *machine,
							   size_t *count, const char *format, ...);

/** machine_cpus_add() - add a CPU to a set; a number that is too large is ignored */
void machine_cpus_add(struct machine_cpus *cpus, unsigned int cpu);

/** machine_cpus_has() - whether a set has a CPU */
bool machine_cpus_has(const struct machine_cpus *cpus, unsigned int cpu);

/** machine_cpus_count() - number of CPUs in a set */
unsigned int machine_cpus_count(const struct machine_cpus *cpus);

/** machine_cpus_parse() - add the CPUs of a list such as 0-3,8; false if it is no list */
bool machine_cpus_parse(struct machine_cpus *cpus, const char *list);

/** machine_cpus_read() - add the CPUs of a list in a file; false if there is none */
bool machine_cpus_read(const struct machine *machine, struct machine_cpus *cpus, const char *path);

/**
 * machine_cpus_text() - a set as words
 * @cpus: the set
 * @text: receives "CPU 1", "CPUs 0-3,8" or "no CPU", cut off after MACHINE_CPUS_TEXT bytes
 *
 * Return: @text.
 */
const char *machine_cpus_text(const struct machine_cpus *cpus, char *text);

#endif /* HWFLOW_MACHINE_FILES_H */
