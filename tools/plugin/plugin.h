/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The QEMU plugin that writes down what a program executes: of arm64 or riscv64 (target.h).
 *
 * QEMU calls when a block of instructions is entered, when certain instructions in it are
 * reached, and at system calls. From that follows what was executed:
 *
 *  - A block can be left before its end only by an instruction that may fault or trap. At each
 *    of these but the first, and after the last of them, a callback notes how far the thread
 *    has got (thread.reached). Beyond the last of them the block ends as it should: the point
 *    is block.commit. The last instruction of a block that is no branch counts as
 *    one that may trap: QEMU ends blocks at what it finds undefined, or forbidden.
 *  - When the next block is entered, the last one was executed to its end if thread.reached has
 *    come to block.commit, and the next block is where the last instruction goes. Nearly
 *    every block passes this test, in hwf_enter(); the others go to hwf_resolve().
 *  - After a system call the next block may be anywhere: the kernel decides.
 *  - A signal shows in that the next block is a handler the program has registered. The frame
 *    on the stack then says where the program was interrupted, and must agree with what
 *    is known of the last block (frame.c). A fault that comes from the processor leaves the
 *    block at an instruction that was not executed; a signal from outside comes between blocks.
 *  - QEMU also leaves a block to repeat one instruction alone (some atomics). The next
 *    block then begins with the instruction that thread.reached names.
 *  - Whatever is left is a gap, and is written down as such: nothing is guessed.
 *
 * Everything is written through mappings of files (stream.c), never held back, so however the
 * process dies, what has been recorded is there.
 */
#ifndef HWFLOW_PLUGIN_H
#define HWFLOW_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run_format.h"
#include "target.h"

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/** PLUGIN_MAX_BLOCK - QEMU translates at most so many instructions at a time */
#define PLUGIN_MAX_BLOCK 512

/* block.flags */
#define BLOCK_ANYWHERE (1u << 0) /* the next block may be anywhere */
#define BLOCK_HANDLER  (1u << 1) /* a signal handler begins here */
#define BLOCK_CALL     (1u << 2) /* ends with SVC or ECALL */
#define BLOCK_BRANCH   (1u << 3) /* ends with a branch */

/**
 * struct block - what was translated in one go
 * @pc: address of its first instruction
 * @next: where it may go at its end; both equal where there is one way only
 * @reached: thread.reached when it is entered: up to here nothing can fault
 * @commit: once thread.reached has come here, it will be executed to its end
 * @count: instructions
 * @flags: BLOCK_*
 * @code: bytes that say in a stream that it was entered
 * @code_size: how many of them
 * @number: of the block
 * @chain: next in the same bucket of the table
 * @opcodes: of its instructions
 */
struct block {
	uint64_t pc;
	uint64_t next[2];
	uint32_t reached;
	uint32_t commit;
	uint32_t count;
	uint32_t flags;
	uint32_t code;
	uint32_t code_size;
	uint32_t number;
	struct block *chain;
	uint32_t opcodes[];
};

/** STREAM_SLACK - a record of up to so many bytes is written without looking at the limit */
#define STREAM_SLACK 8192

/**
 * struct stream - a file that grows, seen through a window
 * @pos: where the next byte goes
 * @limit: when @pos is beyond it, stream_advance() is due
 * @base: the window; NULL if the stream is closed
 * @size: bytes of the window, slack not included
 * @offset: of the window in the file
 * @name: of the file, in the directory of the run
 */
struct stream {
	uint8_t *pos;
	uint8_t *limit;
	uint8_t *base;
	size_t size;
	uint64_t offset;
	char name[48];
};

/**
 * struct thread - one thread of the program
 * @shared: head of its file: what must survive
 * @block: entered last
 * @cpu_state: QEMU's registers of this thread (frame.c); NULL if not known
 * @left: instructions that may still be recorded
 * @attention: time of the oldest change of code that is not yet in the stream; 0: none
 * @stream: its events
 * @time: of the last TRUTH_TIME
 * @next: in the list of all threads
 */
struct thread {
	struct run_thread *shared;
	const struct block *block;
	const uint8_t *cpu_state;
	int64_t left;
	uint64_t attention;
	struct stream stream;
	uint64_t time;
	struct thread *next;
};

/**
 * struct plugin - what the process knows
 * @directory: of the run, an absolute path
 * @directory_fd: the same, in case the program changes its root
 * @control: shared with the other processes of the run
 * @limit: instructions to record of each thread
 * @began: time of RUN_EXEC; 0 once the first thread has it as its own
 * @guest_base: add to an address of the program to find it in this process
 * @guest_base_known: a block was seen
 * @layout_good: QEMU's registers are where frame.c expects them
 */
struct plugin {
	char directory[4096];
	int directory_fd;
	struct run_control *control;
	int64_t limit;
	uint64_t began;
	uint64_t guest_base;
	bool guest_base_known;
	bool layout_good;
};

extern struct plugin plugin;
extern __thread struct thread *self_thread __attribute__((tls_model("initial-exec")));

/* option of the plugin after exec: the descriptor of the directory */
#define RUN_FD_OPTION "fd="

/* stream.c */
int run_attach(const char *directory, int fd);
void run_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool run_has_failed(void);
int run_open(const char *name, int flags);
int run_rename(const char *from, const char *to);
void run_remove(const char *name);
int stream_open(struct stream *stream, const char *kind, int pid, int tid, size_t first);
int stream_advance(struct stream *stream);
void stream_close(struct stream *stream, bool ours);
uint64_t run_now(void);

/* kept.c */

/**
 * struct kept_file - a file that is mapped
 * @path: of it
 * @identity: what it was when it was looked at
 * @kept: enum run_kept or a negative errno
 */
struct kept_file {
	const char *path;
	struct run_identity identity;
	int64_t kept;
};

bool file_keep(struct kept_file *file);
bool kept_same(const struct kept_file *a, const struct kept_file *b);
bool file_read(const struct kept_file *file, uint64_t offset, void *bytes, size_t length);
bool file_has(const struct kept_file *file, uint64_t offset, const void *bytes, size_t length);

/* events.c */
void event_write(const struct run_event *event, const char *text);
void event_simple(enum run_event_kind kind, uint64_t time, uint64_t a, uint64_t b,
		  const char *text);
void event_fork_child(void);

/* blocks.c */
struct block *block_find(uint64_t pc, const uint32_t *opcodes, unsigned int count);
void block_mark_handler(uint64_t pc);
void blocks_fork_child(void);
uint64_t block_pc_of(const struct block *block, uint32_t index);
extern const struct block block_unknown;

/* thread.c */

/**
 * struct truth_trap - an exception, for the log
 * @type: as of TRUTH_EXCEPTION
 * @ret: preferred exception return address
 * @value: trap value, if the target has one
 */
struct truth_trap {
	unsigned int type;
	uint64_t ret;
	uint64_t value;
};

struct thread *thread_begin(const uint8_t *cpu_state);
bool thread_advance(struct thread *thread);
void thread_close(struct thread *thread);
void thread_stop(void);
void thread_put(struct thread *thread, uint64_t number);
void thread_put_time(struct thread *thread, uint64_t now);
void thread_put_exception(struct thread *thread, const struct truth_trap *trap);
void threads_remap(uint64_t time);
void threads_fork_child(void);

/* resolve.c */
void hwf_resolve(struct thread *thread, const struct block *next);
void hwf_leave(struct thread *thread, const struct block *next);

/* frame.c */

typedef bool interruption_fits_fn(const struct interruption *interruption, const void *ctx);
void frame_check_layout(const uint8_t *cpu_state);
bool frame_find(const struct thread *thread, uint64_t pc, interruption_fits_fn *fits,
		const void *ctx, struct interruption *result);
bool handler_known(uint64_t pc);
void handler_add(uint64_t pc);

/* maps.c */
void maps_see(uint64_t pc, const uint8_t *bytes, size_t length);
void maps_changed(void);
void maps_unmapped(uint64_t address, uint64_t length);
void maps_fork_child(void);

/* memory.c */
bool guest_read(uint64_t address, void *bytes, size_t length);
bool guest_read_string(uint64_t address, char *text, size_t size);

/* exec.c */

/**
 * struct exec_call - arguments of execve or execveat
 * @directory: descriptor that @path is relative to
 * @path: address of the path, and so on
 * @argv: arguments
 * @envp: environment
 * @flags: of execveat
 */
struct exec_call {
	int directory;
	uint64_t path;
	uint64_t argv;
	uint64_t envp;
	uint64_t flags;
};

void exec_init(void);
const char *exec_program(void);
void exec_follow(const struct exec_call *call);

/* syscalls.c */
void hwf_syscall(int64_t number, const uint64_t argument[6]);
void hwf_syscall_done(int64_t number, int64_t result);

#endif /* HWFLOW_PLUGIN_H */
