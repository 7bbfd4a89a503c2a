// SPDX-License-Identifier: GPL-2.0-only
/* A filter of system calls that refuses getppid(), or the kernel's word that it has no filters. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = sizeof(rules) / sizeof(rules[0]), .filter = rules };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return EXIT_FAILURE;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) {
		perror("no filter");
		return errno == EINVAL ? EXIT_SUCCESS : EXIT_FAILURE;
	}
	if (syscall(SYS_getppid) != -1 || errno != EPERM)
		return EXIT_FAILURE;
	puts("filtered");
	return EXIT_SUCCESS;
}
