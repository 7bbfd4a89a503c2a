/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow emulate: run a program, collect what the plugin wrote, trace it, write perf.data. */
#ifndef HWFLOW_EMULATE_H
#define HWFLOW_EMULATE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../plugin/run_format.h"
#include "encode.h"
#include "encode_riscv_log.h"
#include "truth/truth_private.h"

/**
 * struct emulate_options - what the user asks for
 * @encode: of the trace unit
 * @riscv: of a RISC-V trace encoder, with @is_riscv
 * @is_riscv: the program is for RISC-V
 * @output: FILE
 * @qemu: qemu-aarch64 or qemu-riscv64; NULL: found
 * @plugin: the plugin; NULL: found
 * @sysroot: QEMU's -L; NULL for none
 * @qemu_options: further ones, up to NULL
 * @name: PROGRAM as the user wrote it, for messages
 * @path: the file that QEMU runs: PROGRAM, or the interpreter if PROGRAM is a script
 * @interpreter: the dynamic linker that @path names; "" for a static program
 * @program: the arguments of @path, argv[0] included, up to NULL
 * @limit: instructions of each thread; 0: all
 * @fixed_addresses: no address space randomisation
 * @keep: leave the directory of the run
 * @no_truth: no FILE.truth
 * @syscalls: record system calls as well
 * @recover: directory of a run that was killed: make a recording of it; NULL: run
 * @quiet: say nothing where all is well
 * @fail_on_loss: a recording with gaps is a failure
 * @argv: hwflow's own command line
 * @argc: words of it
 */
struct emulate_options {
	struct encode_options encode;
	struct encode_riscv_log riscv;
	bool is_riscv;
	const char *output;
	const char *qemu;
	const char *plugin;
	const char *sysroot;
	char **qemu_options;
	const char *name;
	const char *path;
	const char *interpreter;
	char **program;
	uint64_t limit;
	bool fixed_addresses;
	bool keep;
	bool no_truth;
	bool syscalls;
	const char *recover;
	bool quiet;
	bool fail_on_loss;
	const char *const *argv;
	size_t argc;
};

/** struct run_file - one thread in one program; @head: of its file, as it was at the end */
struct run_file {
	struct run_thread head;
};

/**
 * struct run_happening - an event
 * @event: its members a and so on as in run_format.h
 * @text: may be ""
 * @order: of events at the same time
 * @build_id: of the file that was mapped
 * @build_id_size: bytes of it; 0: the file has none, or nothing was mapped
 */
struct run_happening {
	struct run_event event;
	char *text;
	size_t order;
	uint8_t build_id[20];
	uint8_t build_id_size;
};

/**
 * struct run - one run of a program
 * @target: the name that FILE has or will have
 * @directory: of its files; a sibling of FILE
 * @lock: descriptor that locks the directory
 * @control: shared with the plugin
 * @main_pid: the program's
 * @status: of the program, as waitpid() gives it
 * @qemu: the file of QEMU
 * @begin: nanoseconds of the monotonic clock before it, and @end after it
 * @files: threads, in order of their beginning
 * @happenings: in order of time
 */
struct run {
	char target[PATH_MAX];
	char *directory;
	int lock;
	struct run_control *control;
	pid_t main_pid;
	int status;
	char *qemu;
	uint64_t begin;
	uint64_t end;
	struct run_file *files;
	size_t file_count;
	struct run_happening *happenings;
	size_t happening_count;
};

/* emulate_run.c: functions return 0 or an exit status; what is wrong was said on stderr */
int run_prepare(struct run *run, const struct emulate_options *options);
struct live;
int run_program(struct run *run, const struct emulate_options *options, struct live *live);

/** run_free() - free everything, and remove the directory of the run unless it is to be kept */
void run_free(struct run *run, bool keep);

/**
 * emulate_explain() - print on stderr why QEMU did not run the program
 * @run: ended, without a thread that executed an instruction
 * @options: of the run
 *
 * Asks QEMU for its version. Return: EXIT_UNREADABLE; EXIT_NOT_FOUND if the dynamic linker of the
 * program is missing.
 */
int emulate_explain(const struct run *run, const struct emulate_options *options);

/** run_release() - forget the directory of the run, which stays; for the process that only waits */
void run_release(struct run *run);

/* emulate_recover.c: as emulate_run.c */

/**
 * run_recover_options() - the command line of the run in @directory
 * @words: receives the directory it was given in and, from @words[1] on, its words, up to NULL; the
 *	caller's to free, with @words[0]
 * @count: receives the number of words, from @words[1] on
 */
int run_recover_options(const char *directory, char ***words, int *count);

/** run_recover_open() - open the directory of a run that was killed */
int run_recover_open(struct run *run, const char *directory);

/** run_recover_times() - set what the killed processes had not set any more */
void run_recover_times(struct run *run);

/* emulate_collect.c */
int run_collect(struct run *run);

/* emulate_files.c */
int run_find_build_ids(struct run *run);

/* emulate_record.c */
struct tracer;
int run_write_perfdata(const struct run *run, const struct tracer *tracer,
		       const struct emulate_options *options);

#endif /* HWFLOW_EMULATE_H */
