// SPDX-License-Identifier: GPL-2.0-only
/* The blocks translated so far. QEMU holds a lock of its own while it translates. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin.h"

#define FIRST_WINDOW  ((size_t)1 << 18)
#define FIRST_BUCKETS 4096
#define MAX_NUMBER    ((1u << 28) - TRUTH_FIRST_BLOCK)

/* Nothing is known of how it is left, so all that follows is looked at. */
const struct block block_unknown = {.commit = UINT32_MAX, .flags = BLOCK_ANYWHERE};

static struct {
	pthread_mutex_t lock;
	struct block **buckets;
	size_t bucket_count;
	size_t count;
	struct stream stream;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t bucket_of(uint64_t pc, size_t buckets)
{
	return (size_t)((pc >> 1) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (buckets - 1);
}

static bool table_grow(void)
{
	size_t more = table.bucket_count ? table.bucket_count * 2 : FIRST_BUCKETS;
	struct block **buckets = calloc(more, sizeof(*buckets));

	if (!buckets)
		return false;
	for (size_t i = 0; i < table.bucket_count; i++) {
		while (table.buckets[i]) {
			struct block *block = table.buckets[i];
			size_t to = bucket_of(block->pc, more);

			table.buckets[i] = block->chain;
			block->chain = buckets[to];
			buckets[to] = block;
		}
	}
	free(table.buckets);
	table.buckets = buckets;
	table.bucket_count = more;
	return true;
}

/* The address of an instruction of it, or, for its count, the one behind it. */
uint64_t block_pc_of(const struct block *block, uint32_t index)
{
	uint64_t pc = block->pc;

	for (uint32_t i = 0; i < index; i++)
		pc += target->insn_size(block->opcodes[i]);
	return pc;
}

/* How it ends, from its last instruction. */
static void block_set_end(struct block *block)
{
	uint32_t opcode = block->opcodes[block->count - 1];
	uint64_t last = block_pc_of(block, block->count - 1);

	block->next[0] = last + target->insn_size(opcode);
	block->next[1] = block->next[0];
	target->set_end(block, opcode, last);
}

static void block_set_traps(struct block *block)
{
	uint32_t last = block->count - 1;
	bool trap_at_end = (block->flags & BLOCK_BRANCH) == 0;

	block->reached = block->count;
	block->commit = block->count;
	for (uint32_t i = 0; i < block->count; i++) {
		if (i == last && !trap_at_end)
			break;
		if (i != last && !target->may_trap(block->opcodes[i]))
			continue;
		if (block->reached == block->count)
			block->reached = i;
		block->commit = i + 1;
	}
}

static void block_set_code(struct block *block)
{
	uint64_t number = (uint64_t)block->number + TRUTH_FIRST_BLOCK;

	while (number >= 0x80) {
		block->code |= (uint32_t)((number & 0x7f) | 0x80) << (8 * block->code_size++);
		number >>= 7;
	}
	block->code |= (uint32_t)number << (8 * block->code_size++);
}

/* Into the file of blocks, before it can be executed. */
static bool block_write(const struct block *block)
{
	size_t opcodes = block->count * sizeof(uint32_t);
	struct truth_block record = {.size = (uint32_t)(sizeof(record) + opcodes),
				     .number = block->number,
				     .pc = block->pc,
				     .isa = target->isa,
				     .count = (uint16_t)block->count};
	struct stream *stream = &table.stream;

	if (!stream->base && stream_open(stream, "blocks", getpid(), 0, FIRST_WINDOW))
		return false;
	if (stream->pos > stream->limit && stream_advance(stream))
		return false;
	memcpy(stream->pos + sizeof(record), block->opcodes, opcodes);
	memcpy(stream->pos + sizeof(record.size), (uint8_t *)&record + sizeof(record.size),
	       sizeof(record) - sizeof(record.size));
	__atomic_store_n((uint32_t *)(void *)stream->pos, record.size, __ATOMIC_RELEASE);
	stream->pos += record.size;
	return true;
}

static struct block *block_make(uint64_t pc, const uint32_t *opcodes, unsigned int count)
{
	struct block *block = calloc(1, sizeof(*block) + count * sizeof(*opcodes));
	size_t bucket;

	if (!block)
		return NULL;
	block->pc = pc;
	block->count = count;
	memcpy(block->opcodes, opcodes, count * sizeof(*opcodes));
	block_set_end(block);
	block_set_traps(block);
	if (handler_known(pc))
		block->flags |= BLOCK_HANDLER;
	block->number = __atomic_fetch_add(&plugin.control->next_block, 1, __ATOMIC_RELAXED);
	block_set_code(block);
	if (block->number >= MAX_NUMBER || !block_write(block)) {
		run_failed("too many blocks of code, or no space for them");
		free(block);
		return NULL;
	}
	bucket = bucket_of(pc, table.bucket_count);
	block->chain = table.buckets[bucket];
	table.buckets[bucket] = block;
	table.count++;
	return block;
}

/* The block with these instructions, made if need be; NULL if it cannot be recorded. */
struct block *block_find(uint64_t pc, const uint32_t *opcodes, unsigned int count)
{
	struct block *block = NULL;

	pthread_mutex_lock(&table.lock);
	if (table.count >= table.bucket_count && !table_grow())
		goto unlock;
	block = table.buckets[bucket_of(pc, table.bucket_count)];
	while (block && (block->pc != pc || block->count != count ||
			 memcmp(block->opcodes, opcodes, count * sizeof(*opcodes))))
		block = block->chain;
	if (!block)
		block = block_make(pc, opcodes, count);
unlock:
	pthread_mutex_unlock(&table.lock);
	return block;
}

/* A signal handler begins at @pc. */
void block_mark_handler(uint64_t pc)
{
	pthread_mutex_lock(&table.lock);
	handler_add(pc);
	if (table.bucket_count) {
		struct block *block = table.buckets[bucket_of(pc, table.bucket_count)];

		for (; block; block = block->chain) {
			if (block->pc == pc)
				__atomic_or_fetch(&block->flags, BLOCK_HANDLER, __ATOMIC_SEQ_CST);
		}
	}
	pthread_mutex_unlock(&table.lock);
}

/* The blocks stay, with their numbers; new ones go to a file of the child's own. */
void blocks_fork_child(void)
{
	pthread_mutex_init(&table.lock, NULL);
	stream_close(&table.stream, false);
	memset(&table.stream, 0, sizeof(table.stream));
}
