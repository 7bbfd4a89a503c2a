/* SPDX-License-Identifier: GPL-2.0-only */
/* What the user of a machine may record, and how large the buffers of an unprivileged user are. */
#ifndef HWFLOW_MACHINE_USER_H
#define HWFLOW_MACHINE_USER_H

#include "machine_files.h"

/* Buffers of `hwflow record` and of `hwflow doctor` where the memory that may be locked is limited:
 * the ring of records, which has one more page for its header, and the trace buffer */
#define LIMITED_RING_BYTES  (256U << 10)
#define LIMITED_TRACE_BYTES (128U << 10)

/* Remedies that `hwflow doctor` and the errors of `hwflow record` name */
#define USER_REMEDY_PARANOID                                                                \
	"sudo sysctl kernel.perf_event_paranoid=2 allows each user to record user code of " \
	"own threads (1: kernel code, too; 0: CPUs, too). Or run hwflow with sudo."
#define USER_REMEDY_MLOCK                                                       \
	"sudo sysctl kernel.perf_event_mlock_kb=516; or ulimit -l 8192, where " \
	"/etc/security/limits.conf allows it (memlock)."

/**
 * struct machine_user - what the process that reads the files of a machine may record
 * @sys_admin: it has CAP_SYS_ADMIN
 * @perfmon: it has CAP_PERFMON or CAP_SYS_ADMIN: it may record all
 * @ipc_lock: it has CAP_IPC_LOCK
 * @has_paranoid: @paranoid is known
 * @paranoid: kernel.perf_event_paranoid; the kernel's default, 2, if it is unknown
 * @has_mlock: @mlock_kb is known
 * @mlock_kb: kernel.perf_event_mlock_kb: KB for each CPU that is online
 * @limit_kb: RLIMIT_MEMLOCK in KB, for what exceeds that; a large number if there is no limit
 *
 * The kernel ignores capabilities that the process has in a user namespace other than the first;
 * so do @sys_admin, @perfmon and @ipc_lock.
 */
struct machine_user {
	bool sys_admin;
	bool perfmon;
	bool ipc_lock;
	bool has_paranoid;
	long paranoid;
	bool has_mlock;
	uint64_t mlock_kb;
	uint64_t limit_kb;
};

/** machine_user_read() - read what this process may record */
void machine_user_read(const struct machine *machine, struct machine_user *user);

/** machine_user_may_trace_kernel() - whether the kernel permits events of its own code */
bool machine_user_may_trace_kernel(const struct machine_user *user);

/** machine_user_has_limit() - whether the memory that buffers may lock is limited */
bool machine_user_has_limit(const struct machine_user *user);

/** machine_user_locked_kb() - KB that all buffers of the user may lock, if there is a limit */
uint64_t machine_user_locked_kb(const struct machine *machine, const struct machine_user *user);

/** machine_user_buffers_kb() - KB that the buffers of one thread lock, if there is a limit */
unsigned int machine_user_buffers_kb(void);

#endif /* HWFLOW_MACHINE_USER_H */
