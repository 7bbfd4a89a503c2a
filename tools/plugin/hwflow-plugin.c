// SPDX-License-Identifier: GPL-2.0-only
/* QEMU's side: loaded by qemu-TARGET, called when code is translated and executed. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin.h"
#include "qemu_api.h"
#include "watch.h"

void hwf_enter(unsigned int vcpu, const struct block *block, const uint8_t *cpu_state);
void hwf_entry(unsigned int vcpu, void *block);

/*
 * Generated code calls hwf_entry(), which adds an argument: the register where QEMU keeps its
 * CPU state (TCG_AREG0 of tcg/HOST/tcg-target.h).
 */
#if defined(__x86_64__)
__asm__(".text\n"
	".p2align 4\n"
	".type hwf_entry, @function\n"
	"hwf_entry:\n"
	"	mov %rbp, %rdx\n"
	"	jmp hwf_enter\n"
	".size hwf_entry, . - hwf_entry\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	".p2align 4\n"
	".type hwf_entry, %function\n"
	"hwf_entry:\n"
	"	mov x2, x19\n"
	"	b hwf_enter\n"
	".size hwf_entry, . - hwf_entry\n");
#else
void hwf_entry(unsigned int vcpu, void *block)
{
	hwf_enter(vcpu, block, NULL);
}
#endif

static pthread_once_t program_once = PTHREAD_ONCE_INIT;

static void program_begin(void)
{
	plugin.began = run_now();
	event_simple(RUN_EXEC, plugin.began, 0, 0, exec_program());
}

static struct thread *begin(const uint8_t *cpu_state)
{
	static bool checked;

	if (!checked) {
		checked = true;
		frame_check_layout(cpu_state);
		if (!plugin.layout_good)
			event_simple(
				RUN_NOTE, run_now(), 0, 0,
				"QEMU's registers are not where they are expected: where a signal "
				"may have come is a gap");
	}
	return thread_begin(cpu_state);
}

/* Before @block is written down; false if it is not to be. */
static bool enter_slowly(struct thread *thread, const struct block *block)
{
	if (thread->left <= (int64_t)block->count ||
	    (thread->stream.pos > thread->stream.limit && !thread_advance(thread))) {
		hwf_leave(thread, block);
		return false;
	}
	hwf_resolve(thread, block);
	return true;
}

/* A block is entered: the last one was executed to its end, if nothing speaks against it. */
__attribute__((visibility("hidden"), hot)) void hwf_enter(unsigned int vcpu,
							  const struct block *block,
							  const uint8_t *cpu_state)
{
	struct thread *thread = self_thread;
	const struct block *last;

	(void)vcpu;
	if (UNLIKELY(!thread)) {
		thread = begin(cpu_state);
		if (!thread)
			return;
	}
	last = thread->block;
	if (UNLIKELY(thread->shared->reached < last->commit ||
		     (block->pc != last->next[0] && block->pc != last->next[1] &&
		      (last->flags & BLOCK_ANYWHERE) == 0) ||
		     (block->flags & BLOCK_HANDLER) != 0 || thread->attention != 0 ||
		     thread->left <= (int64_t)block->count ||
		     thread->stream.pos > thread->stream.limit)) {
		if (!enter_slowly(thread, block))
			return;
	}
	thread->left -= block->count;
	thread->block = block;
	/* in this order: if the process dies in between, less is believed, and not more */
	__atomic_store_n(&thread->shared->reached, block->reached, __ATOMIC_RELEASE);
	memcpy(thread->stream.pos, &block->code, sizeof(block->code));
	thread->stream.pos += block->code_size;
}

__attribute__((hot)) static void reach(unsigned int vcpu, void *index)
{
	struct thread *thread = self_thread;

	(void)vcpu;
	if (LIKELY(thread))
		thread->shared->reached = (uint32_t)(uintptr_t)index;
}

static void instrument(struct qemu_plugin_tb *tb, struct block *block)
{
	uint32_t last = block->count - 1;
	bool trap_at_end = (block->flags & BLOCK_BRANCH) == 0;

	qemu_plugin_register_vcpu_tb_exec_cb(tb, hwf_entry, QEMU_PLUGIN_CB_NO_REGS, block);
	for (uint32_t i = block->reached + 1; i <= block->commit && i < block->count; i++) {
		if (i != block->commit && !(i == last && trap_at_end) &&
		    !target->may_trap(block->opcodes[i]))
			continue;
		qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, i), reach,
						       QEMU_PLUGIN_CB_NO_REGS,
						       (void *)(uintptr_t)i);
	}
}

/* Of the first instruction of the program, where it is in this process. */
static void find_guest_base(const struct qemu_plugin_insn *insn, uint64_t pc)
{
	const void *host = plugin.guest_base_known ? NULL : qemu_plugin_insn_haddr(insn);

	if (host) {
		plugin.guest_base = (uint64_t)(uintptr_t)host - pc;
		plugin.guest_base_known = true;
	}
}

static void translated(struct qemu_plugin_tb *tb)
{
	uint32_t opcodes[PLUGIN_MAX_BLOCK] = {0};
	size_t count = qemu_plugin_tb_n_insns(tb);
	uint64_t pc = qemu_plugin_tb_vaddr(tb);
	uint8_t bytes[sizeof(opcodes)];
	size_t length = 0;
	struct block *block;

	/* a program's mappings are its own: it begins before they are told */
	pthread_once(&program_once, program_begin);
	/* at an address that is not aligned nothing can be executed */
	if (!count || count > PLUGIN_MAX_BLOCK || (pc & (target->align - 1u)) != 0 ||
	    run_has_failed())
		return;
	for (size_t i = 0; i < count; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		size_t size = qemu_insn_bytes(insn, &opcodes[i], sizeof(opcodes[i]));

		if (size != target->insn_size(opcodes[i])) {
			run_failed("only %s code can be recorded", target->programs);
			return;
		}
		memcpy(bytes + length, &opcodes[i], size);
		length += size;
		find_guest_base(insn, pc);
	}
	pthread_once(&program_once, program_begin);
	block = block_find(pc, opcodes, (unsigned int)count);
	if (!block)
		return;
	/* before the code is executed, and after the event that there is a new program */
	maps_see(pc, bytes, length);
	instrument(tb, block);
}

static void fork_child(void)
{
	threads_fork_child();
	blocks_fork_child();
	event_fork_child();
	maps_fork_child();
	watch_begin(plugin.control->worker);
}

const struct target *target;

static const struct target *target_find(const char *name)
{
	static const struct target *const targets[] = {&target_arm64, &target_riscv64};

	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		if (!strcmp(targets[i]->name, name))
			return targets[i];
	}
	return NULL;
}

static bool take_option(const char *option, const char **directory, int *fd)
{
	if (!strncmp(option, "dir=", 4)) {
		*directory = option + 4;
	} else if (!strncmp(option, RUN_FD_OPTION, strlen(RUN_FD_OPTION))) {
		*fd = atoi(option + strlen(RUN_FD_OPTION));
	} else if (!strncmp(option, "limit=", 6)) {
		char *end;

		errno = 0;
		plugin.limit = strtoll(option + 6, &end, 10);
		return !errno && !*end && plugin.limit > 0;
	} else {
		return false;
	}
	return true;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	static const struct qemu_callbacks callbacks = {
		.translated = translated,
		.syscall = hwf_syscall,
		.syscall_done = hwf_syscall_done,
	};
	const char *directory = NULL;
	int error, fd = -1;

	target = target_find(info->target_name);
	if (!target || info->system_emulation) {
		fputs("hwflow-plugin: only for qemu-aarch64 and qemu-riscv64\n", stderr);
		return -1;
	}
	for (int i = 0; i < argc; i++) {
		if (!take_option(argv[i], &directory, &fd)) {
			fprintf(stderr, "hwflow-plugin: bad option '%s'; dir=DIRECTORY, limit=N\n",
				argv[i]);
			return -1;
		}
	}
	error = directory ? run_attach(directory, fd) : EINVAL;
	if (error) {
		fprintf(stderr, "hwflow-plugin: dir=%s: %s\n", directory ? directory : "",
			strerror(error));
		return -1;
	}
	exec_init();
	watch_begin(plugin.control->worker);
	pthread_atfork(NULL, NULL, fork_child);
	qemu_register(id, info, &callbacks);
	return 0;
}
