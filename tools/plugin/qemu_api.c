// SPDX-License-Identifier: GPL-2.0-only
/*
 * Differences between the versions of QEMU's plugin interface:
 *
 *   version  QEMU            difference
 *   1        up to 8.2
 *   2        9.0             version 1 is refused
 *   3 to 5   9.1 to 10.2     qemu_plugin_insn_data() copies; it returned a pointer before
 *   6        11.0            earlier versions are refused
 *   7        11.1            callbacks have no id before their other arguments, but user data after
 * them; earlier versions are refused
 *
 * QEMU reads qemu_plugin_version after it has loaded the plugin and before it calls it, so a
 * constructor sets it. The user data that version 7 passes is not declared: the callee of a C call
 * may ignore its last arguments.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "qemu_api.h"

#define VERSION_COPIES   3 /* qemu_plugin_insn_data() has a buffer */
#define VERSION_REGISTER 6
#define VERSION_NO_ID    7

QEMU_PLUGIN_EXPORT int qemu_plugin_version = 1;

static struct qemu_callbacks call;
static int current;

/* The first line that this QEMU prints as its version. */
static void ask_version(char *line, size_t size)
{
	int ends[2];
	ssize_t got = 0;
	pid_t pid;

	line[0] = '\0';
	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		execl("/proc/self/exe", "qemu", "-version", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	if (pid > 0) {
		got = read(ends[0], line, size - 1);
		waitpid(pid, NULL, 0);
	}
	close(ends[0]);
	line[got > 0 ? got : 0] = '\0';
}

/* Versions 6 and 7 have the same functions: the number of QEMU itself tells them apart. */
static int newest_version(void)
{
	unsigned int major, minor;
	char line[128];

	ask_version(line, sizeof(line));
	if (sscanf(line, "%*s version %u.%u", &major, &minor) == 2 &&
	    (major > 11 || (major == 11 && minor >= 1)))
		return VERSION_NO_ID;
	return VERSION_REGISTER;
}

__attribute__((constructor)) static void choose_version(void)
{
	if (dlsym(RTLD_DEFAULT, "qemu_plugin_set_pc"))
		qemu_plugin_version = newest_version();
	else if (dlsym(RTLD_DEFAULT, "qemu_plugin_scoreboard_new"))
		qemu_plugin_version = 2;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	(void)id;
	call.translated(tb);
}

static void translated_7(struct qemu_plugin_tb *tb)
{
	call.translated(tb);
}

static void syscall_7(unsigned int vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
		      uint64_t a4, uint64_t a5, uint64_t a6)
{
	const uint64_t arguments[6] = {a1, a2, a3, a4, a5, a6};

	(void)vcpu;
	call.syscall(number, arguments);
}

static void syscall_1(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, uint64_t a1,
		      uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
		      uint64_t a8)
{
	(void)id;
	(void)a7;
	(void)a8;
	syscall_7(vcpu, number, a1, a2, a3, a4, a5, a6);
}

static void syscall_done_7(unsigned int vcpu, int64_t number, int64_t result)
{
	(void)vcpu;
	call.syscall_done(number, result);
}

static void syscall_done_1(qemu_plugin_id_t id, unsigned int vcpu, int64_t number, int64_t result)
{
	(void)id;
	syscall_done_7(vcpu, number, result);
}

/* Registering with user data, which version 7 takes as a third argument */
typedef void register_fn(qemu_plugin_id_t id, void *callback, void *data);

static void register_7(qemu_plugin_id_t id, const char *function, void *callback)
{
	register_fn *function_7 = (register_fn *)dlsym(RTLD_DEFAULT, function);

	if (function_7)
		function_7(id, callback, NULL);
}

void qemu_register(qemu_plugin_id_t id, const qemu_info_t *info,
		   const struct qemu_callbacks *callbacks)
{
	call = *callbacks;
	current = info->version.cur;
	if (current >= VERSION_NO_ID) {
		register_7(id, "qemu_plugin_register_vcpu_tb_trans_cb", (void *)translated_7);
		if (!call.syscall)
			return;
		register_7(id, "qemu_plugin_register_vcpu_syscall_cb", (void *)syscall_7);
		register_7(id, "qemu_plugin_register_vcpu_syscall_ret_cb", (void *)syscall_done_7);
		return;
	}
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	if (!call.syscall)
		return;
	qemu_plugin_register_vcpu_syscall_cb(id, syscall_1);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, syscall_done_1);
}

/* Copy the bytes of an instruction; their number. */
size_t qemu_insn_bytes(const struct qemu_plugin_insn *insn, void *bytes, size_t size)
{
	typedef const void *data_fn(const struct qemu_plugin_insn *);
	size_t length = qemu_plugin_insn_size(insn);

	if (length > size)
		return length;
	if (current >= VERSION_COPIES) {
		qemu_plugin_insn_data(insn, bytes, size);
	} else {
		data_fn *data = (data_fn *)(void *)qemu_plugin_insn_data;

		memcpy(bytes, data(insn), length);
	}
	return length;
}
