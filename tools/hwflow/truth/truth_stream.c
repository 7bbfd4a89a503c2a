// SPDX-License-Identifier: GPL-2.0-only
/* Blocks and streams of the ground-truth log: bytes to events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hwflow/ete.h"
#include "hwflow/insn.h"
#include "hwflow/rv_insn.h"
#include "truth_private.h"

#define OPCODE sizeof(uint32_t)

/* cause 8: environment call from U-mode */
#define RV_USER_ECALL (TRUTH_RV_EXCEPTION + 8)

static bool table_room(struct truth_table *table, uint32_t number)
{
	size_t count = table->count ? table->count : 1024;
	struct truth_block_info *blocks;

	if (number < table->count)
		return true;
	while (count <= number)
		count *= 2;
	blocks = realloc(table->blocks, count * sizeof(*blocks));
	if (!blocks)
		return false;
	memset(blocks + table->count, 0, (count - table->count) * sizeof(*blocks));
	table->blocks = blocks;
	table->count = count;
	return true;
}

static uint64_t align_mask(uint8_t isa)
{
	return isa == HWF_ISA_T32 || isa == HWF_ISA_RV64 ? 1 : 3;
}

static const char *check_block(const struct truth_block *block, size_t length)
{
	if (block->size < sizeof(*block) + OPCODE || block->size > length || block->size % 4 != 0)
		return "a block's size is wrong";
	if (block->isa < HWF_ISA_A64 || (block->isa > HWF_ISA_T32 && block->isa != HWF_ISA_RV64))
		return "a block has an unknown instruction set";
	if (!block->count || block->count != (block->size - sizeof(*block)) / OPCODE)
		return "a block's number of instructions does not fit its size";
	if ((block->pc & align_mask(block->isa)) != 0)
		return "a block's address is not aligned";
	return NULL;
}

static bool is_wide(uint32_t opcode)
{
	return opcode >> 16 != 0;
}

/* Bytes of each instruction, which have to be the same for all */
static const char *set_t32_size(const struct truth_block *block, const uint32_t *opcodes,
				uint8_t *size)
{
	for (uint32_t i = 1; i < block->count; i++) {
		if (is_wide(opcodes[i]) != is_wide(opcodes[0]))
			return "a block has instructions of two sizes";
	}
	*size = is_wide(opcodes[0]) ? 4 : 2;
	return NULL;
}

/* Are all instructions of a size that there is? Of T32, of the same one. */
static const char *set_size(const struct truth_block *block, const uint32_t *opcodes, uint8_t *size)
{
	*size = 4;
	if (block->isa == HWF_ISA_T32)
		return set_t32_size(block, opcodes, size);
	if (block->isa != HWF_ISA_RV64)
		return NULL;
	*size = 0;
	return NULL;
}

unsigned int truth_insn_size(const struct truth_run *run, uint32_t i)
{
	return run->size ? run->size : truth_rv_size(run->opcodes[i]);
}

uint64_t truth_run_bytes(const struct truth_run *run, uint32_t count)
{
	uint64_t bytes = 0;

	if (run->size)
		return (uint64_t)run->size * count;
	for (uint32_t i = 0; i < count; i++)
		bytes += truth_insn_size(run, i);
	return bytes;
}

/* In the words of hwflow/insn.h; a jump of which the program tells all is in no packet. */
static void rv_insn(const struct truth_run *run, struct hwf_insn *insn)
{
	struct hwf_rv_insn rv;

	hwf_rv_insn(run->opcodes[0], run->pc, HWF_RV_64, &rv);
	*insn = (struct hwf_insn){
		.size = rv.size, .kind = HWF_INSN_OTHER, .target_isa = HWF_ISA_RV64};
	if (rv.kind == HWF_RV_BRANCH) {
		insn->kind = HWF_INSN_DIRECT;
		insn->target = rv.target;
		insn->conditional = true;
	} else if (rv.kind == HWF_RV_JUMP_REG) {
		insn->kind = HWF_INSN_INDIRECT;
	}
}

void truth_run_insn(const struct truth_run *run, struct hwf_insn *insn)
{
	uint32_t opcode = run->opcodes[0];
	unsigned int it_left = 0;

	if (run->isa == HWF_ISA_RV64)
		rv_insn(run, insn);
	else if (run->isa == HWF_ISA_A64)
		hwf_insn_a64(opcode, run->pc, insn);
	else if (run->isa == HWF_ISA_A32)
		hwf_insn_a32(opcode, run->pc, insn);
	else
		hwf_insn_t32((uint16_t)(is_wide(opcode) ? opcode >> 16 : opcode), (uint16_t)opcode,
			     run->pc, &it_left, insn);
}

const char *truth_table_add(struct truth_table *table, const uint8_t *bytes, size_t length,
			    bool zeros_end, size_t *used)
{
	for (*used = 0; *used < length;) {
		const uint32_t *opcodes;
		struct truth_block block;
		const char *error;
		uint8_t size;

		if (zeros_end && length - *used >= OPCODE &&
		    !memcmp(bytes + *used, "\0\0\0\0", OPCODE))
			return NULL;
		if (length - *used < sizeof(block))
			return "a block was cut";
		memcpy(&block, bytes + *used, sizeof(block));
		error = check_block(&block, length - *used);
		if (error)
			return error;
		opcodes = (const uint32_t *)(const void *)(bytes + *used + sizeof(block));
		error = set_size(&block, opcodes, &size);
		if (error)
			return error;
		if (block.number >= table->limit)
			return "a block's number is too high";
		if (!table_room(table, block.number))
			return "not enough memory for the blocks";
		if (table->blocks[block.number].opcodes)
			return "two blocks have the same number";
		table->blocks[block.number] = (struct truth_block_info){
			.pc = block.pc,
			.count = block.count,
			.isa = block.isa,
			.size = size,
			.opcodes = opcodes,
		};
		*used += block.size;
	}
	return NULL;
}

/* A number in LEB128; false where it is cut, or has more than 64 bits. */
static bool take(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	unsigned int shift = 0;

	for (*value = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;

		if (shift == 63 && byte > 1)
			return false;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			return true;
	}
	return false;
}

/* A number of at most @limit */
static bool take_small(const uint8_t **at, const uint8_t *end, uint64_t limit, uint64_t *value)
{
	return take(at, end, value) && *value <= limit;
}

static const char *decode_run(const struct truth_table *table, uint64_t number, const uint8_t **at,
			      struct truth_cursor *cursor, struct truth_event *event)
{
	const struct truth_block_info *block;
	uint64_t executed;

	if (number >= table->count || !table->blocks[number].opcodes)
		return "a block was executed that is not in the log";
	block = &table->blocks[number];
	event->kind = TRUTH_EVENT_RUN;
	event->u.run = (struct truth_run){.pc = block->pc,
					  .opcodes = block->opcodes,
					  .number = (uint32_t)number,
					  .count = block->count,
					  .block_count = block->count,
					  .isa = block->isa,
					  .size = block->size};
	if (*at < cursor->end && **at == TRUTH_STOP) {
		(*at)++;
		if (!take_small(at, cursor->end, block->count, &executed))
			return "more of a block was executed than it has";
		event->u.run.count = (uint32_t)executed;
	}
	cursor->next_pc = block->pc + truth_run_bytes(&event->u.run, event->u.run.count);
	cursor->isa = block->isa;
	return NULL;
}

static const char *decode_exception(const uint8_t **at, struct truth_cursor *cursor,
				    struct truth_event *event)
{
	struct truth_exception *exception = &event->u.exception;
	uint64_t type;

	event->kind = TRUTH_EVENT_EXCEPTION;
	exception->value = 0;
	if (!take_small(at, cursor->end, TRUTH_RV_INTERRUPT + TRUTH_RV_CAUSES - 1, &type) ||
	    (type > HWF_EXC_TRANSACTION_FAILURE && type < TRUTH_RV_EXCEPTION) ||
	    !take(at, cursor->end, &exception->ret))
		return "an exception is malformed";
	if (type >= TRUTH_RV_EXCEPTION && !take(at, cursor->end, &exception->value))
		return "an exception is malformed";
	exception->type = (uint8_t)type;
	return NULL;
}

static const char *decode_context(const uint8_t **at, struct truth_cursor *cursor,
				  struct truth_event *event)
{
	const uint8_t *end = cursor->end;
	uint64_t el, security, cpu, cid, vmid;

	if (!take_small(at, end, 3, &el) || !take_small(at, end, 3, &security) ||
	    !take_small(at, end, INT32_MAX, &cpu) || !take_small(at, end, UINT32_MAX, &cid) ||
	    !take_small(at, end, UINT32_MAX, &vmid))
		return "a context is malformed";
	event->kind = TRUTH_EVENT_CONTEXT;
	event->u.context = (struct truth_context){.cid = (uint32_t)cid,
						  .vmid = (uint32_t)vmid,
						  .cpu = (int32_t)cpu - 1,
						  .el = (uint8_t)el,
						  .security = (uint8_t)security};
	return NULL;
}

/* ECALL has four bytes and is its own EPC. */
static struct truth_exception call_of(const struct truth_cursor *cursor)
{
	if (cursor->isa == HWF_ISA_RV64)
		return (struct truth_exception){.type = RV_USER_ECALL, .ret = cursor->next_pc - 4};
	return (struct truth_exception){.type = HWF_EXC_CALL, .ret = cursor->next_pc};
}

static const char *decode_code(uint64_t code, const uint8_t **at, struct truth_cursor *cursor,
			       struct truth_event *event)
{
	uint64_t value;

	switch (code) {
	case TRUTH_EXCEPTION:
		return decode_exception(at, cursor, event);
	case TRUTH_CALL:
		event->kind = TRUTH_EVENT_EXCEPTION;
		event->u.exception = call_of(cursor);
		return NULL;
	case TRUTH_GAP:
		event->kind = TRUTH_EVENT_GAP;
		if (!take_small(at, cursor->end, TRUTH_GAPS - 1, &value))
			return "a gap is malformed";
		event->u.gap = (unsigned int)value;
		return NULL;
	case TRUTH_TIME:
		event->kind = TRUTH_EVENT_TIME;
		if (!take(at, cursor->end, &value))
			return "a time is malformed";
		cursor->time += value;
		event->u.time = cursor->time;
		return NULL;
	case TRUTH_CONTEXT:
		return decode_context(at, cursor, event);
	case TRUTH_REMAP:
		event->kind = TRUTH_EVENT_REMAP;
		return NULL;
	case TRUTH_ENABLED:
	case TRUTH_DISABLED:
		event->kind = code == TRUTH_ENABLED ? TRUTH_EVENT_ENABLED : TRUTH_EVENT_DISABLED;
		return take(at, cursor->end, &event->u.time) ? NULL : "a time is malformed";
	default:
		return "an event has an unknown kind";
	}
}

void truth_pass(const struct truth_table *table, struct truth_cursor *cursor, uint64_t *steps)
{
	const struct truth_block_info *last = NULL;
	const uint8_t *at = cursor->at;
	uint64_t left = *steps;

	while (at < cursor->end) {
		const struct truth_block_info *block;
		const uint8_t *next = at;
		uint64_t code = *next++;

		if (code & 0x80 && (next = at, !take(&next, cursor->end, &code)))
			break;
		if (code < TRUTH_FIRST_BLOCK || code - TRUTH_FIRST_BLOCK >= table->count ||
		    (next < cursor->end && *next == TRUTH_STOP))
			break;
		block = &table->blocks[code - TRUTH_FIRST_BLOCK];
		if (!block->opcodes || block->count > left)
			break;
		left -= block->count;
		last = block;
		at = next;
	}
	*steps = left;
	cursor->at = at;
	if (last) {
		const struct truth_run run = {
			.opcodes = last->opcodes, .count = last->count, .size = last->size};

		cursor->next_pc = last->pc + truth_run_bytes(&run, run.count);
		cursor->isa = last->isa;
	}
}

int truth_decode(const struct truth_table *table, struct truth_cursor *cursor,
		 struct truth_event *event, const char **error)
{
	struct truth_cursor next = *cursor;
	const uint8_t *at = cursor->at;
	uint64_t code;

	if (at == cursor->end || *at == TRUTH_DONE)
		return 0;
	if (!take(&at, cursor->end, &code)) {
		*error = "an event is malformed";
		return -EINVAL;
	}
	*error = code >= TRUTH_FIRST_BLOCK
			 ? decode_run(table, code - TRUTH_FIRST_BLOCK, &at, &next, event)
			 : decode_code(code, &at, &next, event);
	if (*error)
		return -EINVAL;
	next.at = at;
	*cursor = next;
	return 1;
}
