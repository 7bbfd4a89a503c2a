// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf N [WAIT] - load a socket filter, which the kernel compiles, wait for WAIT milliseconds, run
 * the filter for N packets, and unload it. Prints how many packets passed the filter: those of even
 * length.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* offset of skb->len in the filter's context */
#define SKB_LEN 0

/* r0 = the length of the packet; if it is odd, 0: then the packet is dropped */
static const struct bpf_insn filter[] = {
	{.code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = 0, .src_reg = 1, .off = SKB_LEN},
	{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 2, .src_reg = 0},
	{.code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = 2, .imm = 1},
	{.code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 2, .off = 1, .imm = 0},
	{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0},
	{.code = BPF_JMP | BPF_EXIT},
};

static int load(void)
{
	static const char license[] = "GPL";
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)filter;
	attr.insn_cnt = sizeof(filter) / sizeof(filter[0]);
	attr.license = (uintptr_t)license;
	strcpy(attr.prog_name, "hwflow_even");
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

int main(int argc, char **argv)
{
	const int packets = argc > 1 ? atoi(argv[1]) : 10;
	const int wait = argc > 2 ? atoi(argv[2]) : 0;
	int sockets[2], passed = 0, fd = load();
	char packet[64] = {0};

	if (fd < 0 || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, sockets) ||
	    setsockopt(sockets[1], SOL_SOCKET, SO_ATTACH_BPF, &fd, sizeof(fd))) {
		fprintf(stderr, "bpf: %s\n", strerror(errno));
		return 1;
	}
	/* hwflow record copies the code in this time */
	usleep((useconds_t)wait * 1000);
	for (int i = 0; i < packets; i++) {
		write(sockets[0], packet, (size_t)(i % 2 + 1));
		passed += read(sockets[1], packet, sizeof(packet)) > 0;
	}
	printf("%d\n", passed);
	return 0;
}
