// SPDX-License-Identifier: GPL-2.0-only
/* QEMU's side of the plugin: finds branches in the code, and calls when they are executed. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stack.h"
#include "stack_api.h"

#define SYS_MUNMAP       215
#define SYS_EXIT         93
#define SYS_SIGALTSTACK  132
#define SYS_RT_SIGRETURN 139

/* offsets in the frame of a signal: siginfo, then ucontext, whose mcontext has the stack pointer
 * after 31 registers */
#define FRAME_SP (128 + 176 + 8 + 31 * 8)

/* offset of uc_stack in ucontext_t */
#define UCONTEXT_STACK 16

/* of stack_t.ss_flags */
#define STACK_DISABLED 2

/** FD_MINIMUM - programs that close descriptors by number close the low ones */
#define FD_MINIMUM 500

static struct {
	char out[4096];
	char frames[4096];
	uint64_t every;
	uint64_t seed;
	uint64_t go;
	int out_fd;
	int frames_fd;
} options = {.every = 100, .out_fd = -1, .frames_fd = -1};

static __thread struct thread *self;

/**
 * struct site - an instruction that is watched
 * @pc: its address
 * @function: function.id of the function that it is in; 0: not known
 * @rn: register with the target, of an indirect branch
 */
struct site {
	uint64_t pc;
	uint64_t function;
	unsigned int rn;
};

static struct thread *this_thread(void)
{
	if (!self) {
		self = calloc(1, sizeof(*self));
		if (!self)
			abort();
		self->tid = gettid();
	}
	return self;
}

/* In Go programs x28 points to a struct g, which begins with the bounds of its stack. */
static struct thread *thread_now(void)
{
	struct thread *thread = this_thread();
	uint64_t bounds[2], g;

	if (!options.go)
		return thread;
	g = guest_register(REG_G);
	thread->goroutine = (struct region){.kind = REGION_MAPPING};
	if (g && guest_read(g, bounds, sizeof(bounds)) && bounds[0] < bounds[1])
		thread->goroutine = (struct region){bounds[0], bounds[1], REGION_GOROUTINE, g};
	return thread;
}

static void write_line(int fd, const char *path, const char *line, size_t length)
{
	while (length) {
		const ssize_t written = write(fd, line, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			fprintf(stderr, "stack-plugin: %s: %s\n", path, strerror(errno));
			abort();
		}
		line += written;
		length -= (size_t)written;
	}
}

static size_t count_links(const struct stack *stack)
{
	size_t count = 0;

	for (; stack; stack = stack->region.kind == REGION_SIGNAL ? stack->below : NULL)
		count += stack->count;
	return count;
}

/* The line with the live calls */
static void write_calls(const struct thread *thread)
{
	const size_t room = 64 + 20 * count_links(thread->current);
	char *line = malloc(room);
	size_t length;

	if (!line)
		abort();
	length = (size_t)sprintf(line, "%d %llu", thread->tid, (unsigned long long)thread->calls);
	for (const struct stack *stack = thread->current; stack;
	     stack = stack->region.kind == REGION_SIGNAL ? stack->below : NULL) {
		for (size_t i = stack->count; i > 0; i--)
			length += (size_t)sprintf(line + length, " 0x%llx",
						  (unsigned long long)stack->calls[i - 1].link);
	}
	line[length++] = '\n';
	write_line(options.out_fd, options.out, line, length);
	free(line);
}

static void write_comparison(const struct thread *thread)
{
	static const char *const names[] = {"same", "differ", "incomplete", "replaced"};
	struct difference difference;
	const enum frames_result result =
		frames_compare(thread, guest_register(REG_FP), &difference);
	char line[512];
	int length = snprintf(line, sizeof(line), "%d %llu %s", thread->tid,
			      (unsigned long long)thread->calls, names[result]);

	if (difference.text) {
		length += snprintf(line + length, sizeof(line) - (size_t)length, ": ");
		length += snprintf(line + length, sizeof(line) - (size_t)length, difference.text,
				   (unsigned long long)difference.value[0],
				   (unsigned long long)difference.value[1],
				   (unsigned long long)difference.value[2]);
	}
	line[length++] = '\n';
	write_line(options.frames_fd, options.frames, line, (size_t)length);
}

/* SplitMix64, of the number of the call: which calls are chosen does not depend on the thread */
static bool is_chosen(uint64_t number)
{
	uint64_t value = options.seed + number * UINT64_C(0x9e3779b97f4a7c15);

	value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
	value ^= value >> 31;
	return number == 1 || value % options.every == 0;
}

static void on_call(unsigned int vcpu, void *data)
{
	const struct site *site = data;
	struct thread *thread = thread_now();
	const struct call call = {site->pc + 4, guest_register(REG_SP), site->function};

	(void)vcpu;
	stacks_call(thread, &call);
	if (!is_chosen(thread->calls))
		return;
	write_calls(thread);
	if (options.frames_fd >= 0)
		write_comparison(thread);
}

/* Without a pointer authentication code: bit 55 is that of all bits above the address */
static uint64_t strip_address(uint64_t address)
{
	const uint64_t high = UINT64_C(0xffff) << 48;

	return address & (UINT64_C(1) << 55) ? address | high : address & ~high;
}

static void on_branch(unsigned int vcpu, void *data)
{
	const struct site *site = data;
	const struct branch branch = {strip_address(guest_register(site->rn)),
				      guest_register(REG_SP), site->function};

	(void)vcpu;
	stacks_branch(thread_now(), &branch);
}

/* stack_t: address, flags, size */
static bool read_stack(uint64_t address, struct region *region, enum region_kind kind)
{
	uint64_t words[3];

	if (!guest_read(address, words, sizeof(words)))
		return false;
	*region = (struct region){words[0], words[0] + words[2], kind, 0};
	if (kind == REGION_SIGNAL && (words[1] & STACK_DISABLED))
		region->high = region->low;
	return true;
}

static void set_signal_stack(struct thread *thread, const struct region *region)
{
	if (thread->signal_stack.kind == REGION_SIGNAL)
		regions_remove(thread->signal_stack.low, thread->signal_stack.high);
	thread->signal_stack = *region;
	regions_add(region);
}

/*
 * QEMU has callbacks of system calls, too. Two plugins that use them are not safe: when a thread
 * ends the process, QEMU frees its list of callbacks, which other threads may be reading.
 */
static void on_system_call(unsigned int vcpu, void *data)
{
	struct thread *thread = thread_now();
	struct region region = {.kind = REGION_MAPPING};
	const uint64_t first = guest_register(0);
	uint64_t length, sp;

	(void)vcpu;
	(void)data;
	switch (guest_register(8)) {
	case SYS_RT_SIGRETURN:
		if (guest_read(guest_register(REG_SP) + FRAME_SP, &sp, sizeof(sp)))
			stacks_resume(thread, sp);
		break;
	case SYS_SIGALTSTACK:
		if (first && read_stack(first, &region, REGION_SIGNAL))
			set_signal_stack(thread, &region);
		break;
	case SYS_MUNMAP:
		length = guest_register(1);
		regions_remove(first, first + length);
		functions_unmapped(first, first + length);
		break;
	case SYS_EXIT:
		set_signal_stack(thread, &region);
		break;
	default:
		break;
	}
}

/* x0 of makecontext() is an ucontext_t, whose uc_stack the program has set */
static void on_makecontext(unsigned int vcpu, void *data)
{
	struct region region;

	(void)vcpu;
	(void)data;
	if (read_stack(guest_register(0) + UCONTEXT_STACK, &region, REGION_CONTEXT))
		regions_add(&region);
}

/* BR, RET, BRAA, RETAA and so on */
static bool is_branch(uint32_t opcode)
{
	return (opcode & 0xfefff000) == 0xd61f0000 || (opcode & 0xfffff000) == 0xd65f0000;
}

static unsigned int target_register(uint32_t opcode)
{
	/* RETAA and RETAB have 31 there, and use x30 */
	return (opcode & 0xfffff800) == 0xd65f0800 ? 30 : (opcode >> 5) & 31;
}

/* Both are names of one function. */
static bool is_makecontext(const struct function *function, uint64_t pc)
{
	return function && pc == function->start && function->name &&
	       (!strcmp(function->name, "makecontext") || !strcmp(function->name, "__makecontext"));
}

/*
 * A signal of Go's scheduler makes the interrupted function call this one, but not by an
 * instruction. It branches back to where the function was interrupted, which is no jump out of
 * functions.
 */
static bool is_preemption(const struct function *function)
{
	return options.go && function && function->name &&
	       !strcmp(function->name, "runtime.asyncPreempt");
}

/*
 * A function of Go calls runtime.morestack before it has a frame, so at the stack pointer that it
 * was called with, perhaps by itself: its caller's call there is live, whatever rule 4 says.
 */
static bool is_growth(uint64_t pc)
{
	return options.go && grows_stack(pc);
}

static void watch(struct qemu_plugin_insn *insn, uint64_t pc, uint32_t opcode)
{
	const struct function *function = function_find(pc);
	struct site *site;

	if (is_makecontext(function, pc))
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_makecontext, QEMU_PLUGIN_CB_R_REGS,
						       NULL);
	if ((opcode & 0xffe0001f) == 0xd4000001)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_system_call, QEMU_PLUGIN_CB_R_REGS,
						       NULL);
	if (!is_call(opcode) && (!is_branch(opcode) || is_preemption(function)))
		return;
	/* QEMU may use a translation at any time: its sites stay */
	site = malloc(sizeof(*site));
	if (!site)
		abort();
	*site = (struct site){pc, function && !is_growth(pc) ? function->id : 0,
			      target_register(opcode)};
	qemu_plugin_register_vcpu_insn_exec_cb(insn, is_call(opcode) ? on_call : on_branch,
					       QEMU_PLUGIN_CB_R_REGS, site);
}

static void translated(struct qemu_plugin_tb *tb)
{
	uint64_t pc = qemu_plugin_tb_vaddr(tb);

	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t opcode = 0;

		guest_code_seen(pc, qemu_plugin_insn_haddr(insn));
		if (qemu_insn_bytes(insn, &opcode, sizeof(opcode)) == sizeof(opcode))
			watch(insn, pc, opcode);
		pc += sizeof(opcode);
	}
}

/* The child has the stack of the thread that forked, and has made no calls. */
static void fork_child(void)
{
	functions_fork_child();
	regions_fork_child();
	stacks_fork_child();
	if (self) {
		self->tid = gettid();
		self->calls = 0;
	}
}

static int open_file(const char *path)
{
	int fd, high;

	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	high = fcntl(fd, F_DUPFD_CLOEXEC, FD_MINIMUM);
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

static bool take_number(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 0);
	return !errno && end != text && !*end;
}

/* A path is absolute: a program that is executed may have another directory. */
static bool take_path(const char *text, char *path, size_t size)
{
	return text[0] == '/' && snprintf(path, size, "%s", text) < (int)size;
}

static bool take_option(const char *option)
{
	if (!strncmp(option, "out=", 4))
		return take_path(option + 4, options.out, sizeof(options.out));
	if (!strncmp(option, "frames=", 7))
		return take_path(option + 7, options.frames, sizeof(options.frames));
	if (!strncmp(option, "every=", 6))
		return take_number(option + 6, &options.every) && options.every > 0;
	if (!strncmp(option, "go=", 3))
		return take_number(option + 3, &options.go);
	return !strncmp(option, "seed=", 5) && take_number(option + 5, &options.seed);
}

static bool open_files(void)
{
	options.out_fd = open_file(options.out);
	if (options.out_fd < 0) {
		fprintf(stderr, "stack-plugin: out=%s: %s\n", options.out, strerror(errno));
		return false;
	}
	if (!options.frames[0])
		return true;
	options.frames_fd = open_file(options.frames);
	if (options.frames_fd < 0)
		fprintf(stderr, "stack-plugin: frames=%s: %s\n", options.frames, strerror(errno));
	return options.frames_fd >= 0;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	static const struct qemu_callbacks callbacks = {
		.translated = translated,
	};

	if (strcmp(info->target_name, "aarch64") != 0 || info->system_emulation ||
	    info->version.cur < 4) {
		fputs("stack-plugin: only for qemu-aarch64 since version 9.2\n", stderr);
		return -1;
	}
	for (int i = 0; i < argc; i++) {
		if (!take_option(argv[i])) {
			fprintf(stderr,
				"stack-plugin: bad option '%s'; out=/FILE, frames=/FILE, every=N, "
				"seed=N, go=1\n",
				argv[i]);
			return -1;
		}
	}
	if (!options.out[0]) {
		fputs("stack-plugin: out=/FILE is missing\n", stderr);
		return -1;
	}
	if (!open_files())
		return -1;
	pthread_atfork(NULL, NULL, fork_child);
	qemu_register(id, info, &callbacks);
	return 0;
}
