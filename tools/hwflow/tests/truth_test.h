/* SPDX-License-Identifier: GPL-2.0-only */
/* A ground-truth log of one thread, written to a file in memory; for the tests of verify. */
#ifndef HWFLOW_TEST_TRUTH_H
#define HWFLOW_TEST_TRUTH_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "hwflow/insn.h"
#include "truth/truth_format.h"

/* struct test_block - a block of the log; its number is its index, @isa 0 stands for A64 */
struct test_block {
	uint64_t pc;
	const uint32_t *opcodes;
	uint16_t count;
	uint8_t isa;
};

/* Events of a RISC-V log: an exception at an address below 0x4000, with a trap value below 0x80 */
#define RV_EXCEPTION(type, epc, value)                                                           \
	TRUTH_EXCEPTION, ((type) & 0x7f) | 0x80, (type) >> 7, ((epc) & 0x7f) | 0x80, (epc) >> 7, \
		value

static inline void put(int fd, const void *bytes, size_t length)
{
	assert_int_equal(write(fd, bytes, length), length);
}

/* A file in memory, and a path that opens it */
static inline int memory_file(char path[64])
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static inline void pad(int fd, size_t length)
{
	static const uint8_t zeros[8];

	put(fd, zeros, (8 - length % 8) % 8);
}

static inline void put_blocks(int fd, const struct test_block *blocks, uint32_t count)
{
	struct truth_section section = {.type = TRUTH_BLOCKS};

	for (uint32_t i = 0; i < count; i++)
		section.length += sizeof(struct truth_block) + sizeof(uint32_t) * blocks[i].count;
	put(fd, &section, sizeof(section));
	for (uint32_t i = 0; i < count; i++) {
		size_t opcodes = sizeof(uint32_t) * blocks[i].count;
		const struct truth_block block = {.size = (uint32_t)(sizeof(block) + opcodes),
						  .number = i,
						  .pc = blocks[i].pc,
						  .isa = blocks[i].isa ? blocks[i].isa
								       : HWF_ISA_A64,
						  .count = blocks[i].count};

		put(fd, &block, sizeof(block));
		put(fd, blocks[i].opcodes, opcodes);
	}
	pad(fd, section.length);
}

/* The log of thread @id of process @id */
static inline void put_truth(int fd, const struct test_block *blocks, uint32_t count, int32_t id,
			     const void *events, size_t length)
{
	const struct truth_head head = {
		.magic = TRUTH_MAGIC, .version = TRUTH_VERSION, .size = sizeof(head)};
	const struct truth_stream stream = {.pid = id, .tid = id};
	struct truth_section section = {.type = TRUTH_STREAM, .length = sizeof(stream) + length};

	put(fd, &head, sizeof(head));
	put_blocks(fd, blocks, count);
	put(fd, &section, sizeof(section));
	put(fd, &stream, sizeof(stream));
	put(fd, events, length);
	pad(fd, section.length);
	section = (struct truth_section){.type = TRUTH_END};
	put(fd, &section, sizeof(section));
}

#endif /* HWFLOW_TEST_TRUTH_H */
