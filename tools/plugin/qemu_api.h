/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of QEMU's plugin interface that this plugin uses, as versions 1 (QEMU 7.2) to 7
 * (QEMU 11.1) have it.
 *
 * The plugin includes no header of QEMU: since version 2 that header needs GLib, and it belongs to
 * one version. One binary is for all versions instead. Two things differ between them, see struct
 * qemu_api.
 */
#ifndef HWFLOW_PLUGIN_QEMU_API_H
#define HWFLOW_PLUGIN_QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef QEMU_PLUGIN_EXPORT
#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

/* tests/api.sh includes QEMU's own header before this one: then the compiler compares the
 * declarations of functions */
#ifndef QEMU_PLUGIN_VERSION

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef struct qemu_info_t {
	const char *target_name;
	struct {
		int min;
		int cur;
	} version;
	bool system_emulation;
	union {
		struct {
			int smp_vcpus;
			int max_vcpus;
		} system;
	};
} qemu_info_t;

enum qemu_plugin_cb_flags {
	QEMU_PLUGIN_CB_NO_REGS,
	QEMU_PLUGIN_CB_R_REGS,
};

#endif

typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *data);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_syscall_cb_t)(qemu_plugin_id_t id, unsigned int vcpu,
					      int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
					      uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
					      uint64_t a8);
typedef void (*qemu_plugin_vcpu_syscall_ret_cb_t)(qemu_plugin_id_t id, unsigned int vcpu,
						  int64_t number, int64_t result);

/* what QEMU looks up in the plugin */
extern QEMU_PLUGIN_EXPORT int qemu_plugin_version;
QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_tb_trans_cb_t cb);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_syscall_cb_t cb);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_plugin_id_t id,
					      qemu_plugin_vcpu_syscall_ret_cb_t cb);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_plugin_vcpu_udata_cb_t cb,
					  enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    qemu_plugin_vcpu_udata_cb_t cb,
					    enum qemu_plugin_cb_flags flags, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *bytes, size_t size);

/* qemu_api.c */

/**
 * struct qemu_callbacks - what QEMU shall call
 * @translated: a block was translated
 * @syscall: a system call begins; NULL if no system call is of interest
 * @syscall_done: a system call has returned
 */
struct qemu_callbacks {
	void (*translated)(struct qemu_plugin_tb *tb);
	void (*syscall)(int64_t number, const uint64_t argument[6]);
	void (*syscall_done)(int64_t number, int64_t result);
};

void qemu_register(qemu_plugin_id_t id, const qemu_info_t *info,
		   const struct qemu_callbacks *callbacks);
size_t qemu_insn_bytes(const struct qemu_plugin_insn *insn, void *bytes, size_t size);

#endif /* HWFLOW_PLUGIN_QEMU_API_H */
