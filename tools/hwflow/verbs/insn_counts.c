/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How often each instruction was executed.
 *
 * A range is resolved to its instructions when it is seen first in a piece of trace, while the
 * code and the names of that time are there. From then on its executions are counted as a whole,
 * and added to the counts of its instructions at the end of the piece:
 *
 *	run ---> list[first], list[first + 1], ... ---> insns
 */
#include "insn_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/bits.h"
#include "hwflow/rv_insn.h"

/* runs and instructions of runs that are remembered in a piece, at most */
#define RUNS_MAX (1u << 18)
#define LIST_MAX (1u << 22)

/* no index into an array */
#define NONE UINT32_MAX

/**
 * struct run - a range of instructions in an address space, and its counts
 * @space: address space
 * @start: first address
 * @process: process it was executed in, on which names of code made at run time depend
 * @instructions: how many
 * @first: of them in insn_counts.list
 * @resolved: of them that are in the list; those after them have no code
 * @executed: executions not yet added to the instructions
 * @taken: those that ended with a branch that was taken
 * @not_taken: and with one that was not
 * @cost: of each of its instructions
 * @isa: enum hwf_isa
 */
struct run {
	const struct hwf_image_space *space;
	uint64_t start;
	int32_t process;
	uint32_t instructions;
	uint32_t first;
	uint32_t resolved;
	uint64_t executed;
	uint64_t taken;
	uint64_t not_taken;
	double cost;
	uint8_t isa;
};

/**
 * struct table - indexes by hash value
 * @slots: NONE, or the index of an element; the first free slot ends the search
 * @size: of @slots, a power of two; 0 before the first
 */
struct table {
	uint32_t *slots;
	uint32_t size;
};

/**
 * struct insn_counts - all instructions
 * @symbols: names
 * @threads: threads of the recording
 * @insns: the instructions
 * @count: how many
 * @room: room for how many
 * @by_place: of @insns
 * @runs: of the piece
 * @run_count: how many
 * @run_room: room for how many
 * @by_start: of @runs
 * @list: instructions of the runs, as indexes of @insns
 * @list_count: how many
 * @list_room: room for how many
 * @piece: that the runs are of
 * @tid: thread that @process is of
 * @process: process of the last range
 * @failed: memory ran out
 */
struct insn_counts {
	struct symbols *symbols;
	const struct threads *threads;
	struct insn_count *insns;
	size_t count;
	size_t room;
	struct table by_place;
	struct run *runs;
	size_t run_count;
	size_t run_room;
	struct table by_start;
	uint32_t *list;
	size_t list_count;
	size_t list_room;
	const struct input_piece *piece;
	int32_t tid;
	int32_t process;
	bool failed;
};

int insn_counts_new(struct insn_counts **result, struct symbols *symbols,
		    const struct threads *threads)
{
	struct insn_counts *counts = calloc(1, sizeof(*counts));

	if (!counts)
		return -ENOMEM;
	counts->symbols = symbols;
	counts->threads = threads;
	*result = counts;
	return 0;
}

uint32_t insn_opcode(unsigned int isa, const uint8_t *bytes, unsigned int size)
{
	const uint32_t word = hwf_load32(bytes);

	if (size == 2)
		return word & 0xffff;
	/* half-words in the order they are executed in */
	return isa == HWF_ISA_T32 ? word << 16 | word >> 16 : word;
}

bool insn_target(unsigned int isa, const uint8_t *bytes, uint64_t address, uint64_t *target)
{
	const uint32_t word = hwf_load32(bytes);
	struct hwf_insn insn = {.kind = HWF_INSN_OTHER};
	struct hwf_rv_insn rv;
	unsigned int it_left = 0;

	switch (isa) {
	case HWF_ISA_A64:
		hwf_insn_a64(word, address, &insn);
		break;
	case HWF_ISA_A32:
		hwf_insn_a32(word, address, &insn);
		break;
	case HWF_ISA_T32:
		hwf_insn_t32((uint16_t)word, (uint16_t)(word >> 16), address, &it_left, &insn);
		break;
	case HWF_ISA_RV32:
	case HWF_ISA_RV64:
		hwf_rv_insn(word, address, isa == HWF_ISA_RV64 ? HWF_RV_64 : 0, &rv);
		*target = rv.target;
		return rv.kind == HWF_RV_BRANCH || rv.kind == HWF_RV_JUMP;
	default:
		return false;
	}
	*target = insn.target;
	return insn.kind == HWF_INSN_DIRECT;
}

/* Makes room in an array for one element more; returns the array, NULL without memory. */
static void *grow(struct insn_counts *counts, void *array, size_t *room, size_t count, size_t size)
{
	const size_t wanted = 2 * count + 64;

	if (count < *room)
		return array;
	array = wanted < NONE ? reallocarray(array, wanted, size) : NULL;
	if (array)
		*room = wanted;
	else
		counts->failed = true;
	return array;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 29;
}

static uint64_t hash_insn(const struct insn_count *insn)
{
	return mix(mix(mix((uintptr_t)insn->file, insn->file_offset), insn->function->id),
		   hwf_load32(insn->bytes));
}

static uint64_t hash_run(const struct run *run)
{
	return mix(mix(mix((uintptr_t)run->space, run->start), run->instructions),
		   (uint32_t)run->process);
}

static void table_put(struct table *table, uint64_t hash, uint32_t index)
{
	uint32_t at = (uint32_t)(hash >> 32) & (table->size - 1);

	while (table->slots[at] != NONE)
		at = (at + 1) & (table->size - 1);
	table->slots[at] = index;
}

/* An empty table for twice as many elements; false without memory. */
static bool table_grow(struct insn_counts *counts, struct table *table, uint32_t least)
{
	const uint32_t size = table->size ? 2 * table->size : least;
	uint32_t *slots = reallocarray(table->slots, size, sizeof(*slots));

	if (!slots) {
		counts->failed = true;
		return false;
	}
	memset(slots, 0xff, size * sizeof(*slots));
	table->slots = slots;
	table->size = size;
	return true;
}

static bool same_insn(const struct insn_count *a, const struct insn_count *b)
{
	return a->file == b->file && a->file_offset == b->file_offset &&
	       a->function == b->function && a->isa == b->isa &&
	       !memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

/* The index of an instruction, NONE if it is not there yet */
static uint32_t find_insn(const struct insn_counts *counts, const struct insn_count *insn,
			  uint64_t hash)
{
	const struct table *table = &counts->by_place;

	for (uint32_t at = (uint32_t)(hash >> 32); table->size; at++) {
		const uint32_t index = table->slots[at & (table->size - 1)];

		if (index == NONE || same_insn(&counts->insns[index], insn))
			return index;
	}
	return NONE;
}

/* Adds an instruction and the name of its target; returns its index, NONE without memory. */
static uint32_t add_insn(struct insn_counts *counts, const struct hwf_image_space *space,
			 struct insn_count *insn, uint64_t hash)
{
	struct place_name target;
	uint64_t address;
	void *insns =
		grow(counts, counts->insns, &counts->room, counts->count, sizeof(*counts->insns));

	if (!insns)
		return NONE;
	counts->insns = insns;
	if (2 * counts->count >= counts->by_place.size) {
		if (!table_grow(counts, &counts->by_place, 1u << 12))
			return NONE;
		for (size_t i = 0; i < counts->count; i++)
			table_put(&counts->by_place, hash_insn(&counts->insns[i]), (uint32_t)i);
	}
	if (!hwf_image_file_elf(insn->file))
		insn->line = symbols_line(counts->symbols, space, insn->address);
	if (insn_target(insn->isa, insn->bytes, insn->address, &address)) {
		target = symbols_find(counts->symbols, space, address);
		insn->target = target.function;
		insn->target_offset = target.offset;
	}
	counts->insns[counts->count] = *insn;
	table_put(&counts->by_place, hash, (uint32_t)counts->count);
	return (uint32_t)counts->count++;
}

static bool add_to_list(struct insn_counts *counts, uint32_t index)
{
	void *list = grow(counts, counts->list, &counts->list_room, counts->list_count,
			  sizeof(*counts->list));

	if (!list)
		return false;
	counts->list = list;
	counts->list[counts->list_count++] = index;
	return true;
}

/* Reads an instruction; false if there is no code. */
static bool read_insn(const struct execution *execution, const struct hwf_image_space *space,
		      struct insn_count *insn)
{
	const struct hwf_code *code = execution->code;
	size_t size;

	memset(insn->bytes, 0, sizeof(insn->bytes));
	size = code->read(code->ctx, space, insn->address, insn->bytes, sizeof(insn->bytes));
	if (size < 2)
		return false;
	insn->size = (uint8_t)input_insn_size(insn->isa, (uint16_t)hwf_load32(insn->bytes));
	if (insn->size == 2)
		memset(insn->bytes + 2, 0, 2);
	return size >= (insn->size < sizeof(insn->bytes) ? insn->size : sizeof(insn->bytes));
}

/* Resolves the instructions of a run to @counts->list. */
static void resolve(struct insn_counts *counts, const struct execution *execution, struct run *run)
{
	struct insn_count insn = {.address = run->start, .isa = run->isa};
	struct hwf_image_place place = {0};
	struct place_name name = {0};

	run->first = (uint32_t)counts->list_count;
	symbols_at(counts->symbols, run->process, execution->piece->since, execution->piece->time);
	while (run->resolved < run->instructions && read_insn(execution, run->space, &insn)) {
		uint32_t index;
		uint64_t hash;

		if (!insn.function || insn.address - name.first > name.last - name.first) {
			if (!hwf_image_find(run->space, insn.address, &place))
				return;
			name = symbols_find(counts->symbols, run->space, insn.address);
			insn.function = name.function;
			insn.offset = name.offset;
			insn.file = place.file;
			insn.file_offset = place.offset;
		}
		hash = hash_insn(&insn);
		index = find_insn(counts, &insn, hash);
		if (index == NONE)
			index = add_insn(counts, run->space, &insn, hash);
		if (index == NONE || !add_to_list(counts, index))
			return;
		run->resolved++;
		insn.address += insn.size;
		insn.offset += insn.size;
		insn.file_offset += insn.size;
		insn.target = NULL;
	}
}

/* Adds the counts of all runs to their instructions, and forgets the runs. */
static void flush(struct insn_counts *counts)
{
	for (size_t i = 0; i < counts->run_count; i++) {
		const struct run *run = &counts->runs[i];
		struct insn_count *last;

		for (uint32_t j = 0; j < run->resolved; j++) {
			struct insn_count *insn = &counts->insns[counts->list[run->first + j]];

			insn->executed += run->executed;
			insn->cost += run->cost;
		}
		if (!run->resolved || run->resolved < run->instructions)
			continue;
		last = &counts->insns[counts->list[run->first + run->resolved - 1]];
		last->taken += run->taken;
		last->not_taken += run->not_taken;
		last->branch |= run->taken || run->not_taken;
	}
	counts->run_count = 0;
	counts->list_count = 0;
	if (counts->by_start.size)
		memset(counts->by_start.slots, 0xff,
		       counts->by_start.size * sizeof(*counts->by_start.slots));
}

static bool same_run(const struct run *a, const struct run *b)
{
	return a->start == b->start && a->instructions == b->instructions && a->space == b->space &&
	       a->process == b->process && a->isa == b->isa;
}

static struct run *find_run(const struct insn_counts *counts, const struct run *run, uint64_t hash)
{
	const struct table *table = &counts->by_start;

	for (uint32_t at = (uint32_t)(hash >> 32); table->size; at++) {
		const uint32_t index = table->slots[at & (table->size - 1)];

		if (index == NONE)
			return NULL;
		if (same_run(&counts->runs[index], run))
			return &counts->runs[index];
	}
	return NULL;
}

static struct run *add_run(struct insn_counts *counts, const struct execution *execution,
			   struct run *run, uint64_t hash)
{
	void *runs;

	if (counts->run_count >= RUNS_MAX || counts->list_count >= LIST_MAX)
		flush(counts);
	runs = grow(counts, counts->runs, &counts->run_room, counts->run_count,
		    sizeof(*counts->runs));
	if (!runs)
		return NULL;
	counts->runs = runs;
	if (2 * counts->run_count >= counts->by_start.size) {
		if (!table_grow(counts, &counts->by_start, 1u << 10))
			return NULL;
		for (size_t i = 0; i < counts->run_count; i++)
			table_put(&counts->by_start, hash_run(&counts->runs[i]), (uint32_t)i);
	}
	resolve(counts, execution, run);
	table_put(&counts->by_start, hash, (uint32_t)counts->run_count);
	counts->runs[counts->run_count] = *run;
	return &counts->runs[counts->run_count++];
}

/* The process that is executed. Runs are forgotten at the end of the piece that they are of. */
static int32_t process_of(struct insn_counts *counts, const struct execution *execution)
{
	if (execution->piece == counts->piece && execution->tid == counts->tid)
		return counts->process;
	if (execution->piece != counts->piece)
		flush(counts);
	counts->piece = execution->piece;
	counts->tid = execution->tid;
	counts->process = execution_process(execution, counts->threads);
	return counts->process;
}

/* The run of a block; NULL without memory */
static struct run *run_of(struct insn_counts *counts, const struct execution *execution,
			  const struct hwf_profile_block *block)
{
	struct run key = {
		.space = block->space,
		.start = block->start,
		.process = process_of(counts, execution),
		.instructions = block->instructions,
		.isa = block->isa,
	};
	const uint64_t hash = hash_run(&key);
	struct run *run = find_run(counts, &key, hash);

	return run ? run : add_run(counts, execution, &key, hash);
}

void insn_counts_cost(struct insn_counts *counts, const struct execution *execution,
		      const struct hwf_profile_block *block, double cost)
{
	struct run *run = run_of(counts, execution, block);

	if (run)
		run->cost += cost;
}

void insn_counts_block(struct insn_counts *counts, const struct execution *execution,
		       const struct hwf_profile_block *block)
{
	struct run *run = run_of(counts, execution, block);

	if (!run)
		return;
	run->executed += block->taken + block->not_taken;
	if (!block->p0 ||
	    (block->insn.kind != HWF_INSN_DIRECT && block->insn.kind != HWF_INSN_INDIRECT))
		return;
	run->taken += block->taken;
	run->not_taken += block->not_taken;
}

static int compare_files(const struct hwf_image_file *a, const struct hwf_image_file *b)
{
	const int by_name = strcmp(hwf_image_file_name(a), hwf_image_file_name(b));

	return by_name ? by_name : (a > b) - (a < b);
}

static int compare_insns(const void *a, const void *b)
{
	const struct insn_count *x = a, *y = b;
	int by_file;

	if (x->function != y->function)
		return x->function->id < y->function->id ? -1 : 1;
	by_file = x->file == y->file ? 0 : compare_files(x->file, y->file);
	if (by_file)
		return by_file;
	if (x->file_offset != y->file_offset)
		return x->file_offset < y->file_offset ? -1 : 1;
	if (x->isa != y->isa)
		return x->isa < y->isa ? -1 : 1;
	return memcmp(x->bytes, y->bytes, sizeof(x->bytes));
}

const struct insn_count *insn_counts_sorted(struct insn_counts *counts, size_t *count)
{
	flush(counts);
	if (counts->count)
		qsort(counts->insns, counts->count, sizeof(*counts->insns), compare_insns);
	*count = counts->count;
	return counts->insns;
}

bool insn_counts_failed(const struct insn_counts *counts)
{
	return counts->failed;
}

void insn_counts_free(struct insn_counts *counts)
{
	if (!counts)
		return;
	free(counts->insns);
	free(counts->by_place.slots);
	free(counts->runs);
	free(counts->by_start.slots);
	free(counts->list);
	free(counts);
}
