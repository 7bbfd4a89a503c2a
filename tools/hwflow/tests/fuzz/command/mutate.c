// SPDX-License-Identifier: GPL-2.0-only
/* libFuzzer's mutator and crossover for the fuzz target `command`: trees of files. */
#include "mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "perfdata/perfdata_format.h"
#include "tree.h"
#include "truth/truth_format.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
				 size_t size2, uint8_t *out, size_t max_out_size,
				 unsigned int seed);

/* Most mutations of one input */
#define MUTATIONS 4

/* Names of files that the command looks for beside its argument, or below --symfs */
static const char *const names[] = {
	"perf.data",
	"perf.data/data",
	"perf.data/kcore_dir/kcore",
	"perf.data/kcore_dir/kallsyms",
	"perf.data/kcore_dir/modules",
	"perf.data/kcore_changes/kcore",
	"perf.data/kcore_changes/unknown",
	"perf.data.code",
	"perf.data.truth",
	"truth",
	"other",
	"capture/snapshot.ini",
	"capture/trace.ini",
	"capture/device1.ini",
	"capture/cs.bin",
	"root/program",
	"root/tmp/perf-1000.map",
	"root/tmp/jit-1000.dump",
	"root/usr/lib/debug/program.debug",
	"root/.debug/program.debug",
};

static const char *const targets[] = {
	"..",        "../..",          "/",       "/etc/passwd", "../../secret",
	"/dev/zero", "/proc/self/mem", "program", "perf.data"};

static uint64_t random_state = 1;

void mutate_seed(unsigned int seed)
{
	random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

/* xorshift64* */
static uint32_t random_bits(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (uint32_t)((random_state * UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

size_t mutate_below(size_t limit)
{
	return limit ? random_bits() % limit : 0;
}

uint64_t mutate_number(void)
{
	static const uint64_t limits[] = {
		0,           1,          0x7f,       0xff,         0x7fff,       0xffff,
		0x7fffffff,  0x80000000, 0xffffffff, 0x100000000,  INT64_MAX,    UINT64_MAX,
		0xfffffff8u, 0x1000,     0x400000,   0x7ffffff000, 0xffff800000, UINT64_C(1) << 63,
	};

	switch (mutate_below(4)) {
	case 0:
		return limits[mutate_below(sizeof(limits) / sizeof(limits[0]))];
	case 1:
		return (UINT64_C(1) << mutate_below(64)) + mutate_below(17) - 8;
	case 2:
		return mutate_below(256);
	default:
		return mutate_below(1u << 16) << mutate_below(48);
	}
}

bool edit_replace(struct edit *edit, size_t at, size_t old, const void *bytes, size_t size)
{
	if (at > edit->size || old > edit->size - at || edit->size - old + size > EDIT_ROOM)
		return false;
	memmove(edit->bytes + at + size, edit->bytes + at + old, edit->size - at - old);
	if (bytes)
		memcpy(edit->bytes + at, bytes, size);
	else
		memset(edit->bytes + at, 0, size);
	edit->size += size - old;
	return true;
}

bool edit_copy(struct edit *edit, size_t from, size_t size, size_t to)
{
	uint8_t *copy;
	bool done;

	if (from > edit->size || size > edit->size - from || !size)
		return false;
	copy = malloc(size);
	if (!copy)
		abort();
	memcpy(copy, edit->bytes + from, size);
	done = edit_replace(edit, to, 0, copy, size);
	free(copy);
	return done;
}

uint64_t edit_get(const struct edit *edit, size_t at, unsigned int width)
{
	uint64_t value = 0;

	if (at <= edit->size && edit->size - at >= width)
		memcpy(&value, edit->bytes + at, width);
	return value;
}

void edit_put(struct edit *edit, size_t at, unsigned int width, uint64_t value)
{
	if (at <= edit->size && edit->size - at >= width)
		memcpy(edit->bytes + at, &value, width);
}

void edit_bytes(struct edit *edit, size_t at, size_t size)
{
	if (size && at <= edit->size && edit->size - at >= size)
		LLVMFuzzerMutate(edit->bytes + at, size, size);
}

void edit_number(struct edit *edit, size_t at, size_t size)
{
	const unsigned int width = 1u << mutate_below(4);
	const uint64_t old = edit_get(edit, at, width);

	if (size < width)
		return;
	at += mutate_below(size / width) * width;
	edit_put(edit, at, width, mutate_below(3) ? mutate_number() : old + mutate_below(33) - 16);
}

static bool begins_with(const struct edit *edit, const void *magic, size_t size)
{
	return edit->size >= size && !memcmp(edit->bytes, magic, size);
}

static bool is_text(const struct edit *edit)
{
	size_t odd = 0;

	for (size_t i = 0; i < edit->size; i++)
		odd += edit->bytes[i] < 9 || edit->bytes[i] > 126;
	return odd * 8 <= edit->size;
}

static void mutate_any(struct edit *edit)
{
	edit->size = LLVMFuzzerMutate(edit->bytes, edit->size,
				      edit->size + 256 < EDIT_ROOM ? edit->size + 256 : EDIT_ROOM);
}

static bool is_perfdata(const struct edit *edit)
{
	return begins_with(edit, "PERFILE2", 8);
}

/* By its kind; now and then as bytes of no kind */
static void mutate_file(struct edit *edit)
{
	if (!mutate_below(12))
		mutate_any(edit);
	else if (is_perfdata(edit))
		mutate_perfdata(edit);
	else if (begins_with(edit, "\177ELF", 4))
		mutate_elf(edit);
	else if (begins_with(edit, "HWFTRUTH", 8))
		mutate_truth(edit);
	else if (begins_with(edit, "DTiJ", 4))
		mutate_jitdump(edit);
	else if (is_text(edit))
		mutate_text(edit);
	else
		mutate_any(edit);
}

/* Copies of what mutations point to; entries of a tree do not own their bytes */
static struct edit *edits[MUTATIONS];

static struct edit *edit_of(unsigned int number)
{
	if (!edits[number]) {
		edits[number] = calloc(1, sizeof(struct edit));
		if (!edits[number])
			abort();
	}
	return edits[number];
}

static void mutate_entry(struct tree_entry *entry, unsigned int number)
{
	struct edit *edit = edit_of(number);

	edit->size = entry->size < EDIT_ROOM ? entry->size : EDIT_ROOM;
	memcpy(edit->bytes, entry->bytes, edit->size);
	for (size_t count = 1 + mutate_below(3); count; count--)
		mutate_file(edit);
	entry->bytes = edit->bytes;
	entry->size = edit->size;
}

static void set_name(struct tree_entry *entry)
{
	const char *name = names[mutate_below(sizeof(names) / sizeof(names[0]))];

	snprintf(entry->name, sizeof(entry->name), "%s", name);
}

static void make_link(struct tree_entry *entry)
{
	const char *target = targets[mutate_below(sizeof(targets) / sizeof(targets[0]))];

	entry->kind = TREE_LINK;
	entry->bytes = (const uint8_t *)target;
	entry->size = strlen(target);
}

/* The tree itself: files come, go, get other names and kinds. */
static void mutate_tree(struct tree *tree)
{
	struct tree_entry *entry = &tree->entries[mutate_below(tree->count)];

	switch (mutate_below(8)) {
	case 0:
		if (tree->count > 1)
			*entry = tree->entries[--tree->count];
		break;
	case 1:
	case 2:
		if (tree->count < TREE_ENTRIES) {
			tree->entries[tree->count] = *entry;
			set_name(&tree->entries[tree->count++]);
		}
		break;
	case 3:
		set_name(entry);
		break;
	case 4:
		make_link(entry);
		break;
	case 5:
		entry->kind = mutate_below(4) ? TREE_FILE : (uint8_t)mutate_below(TREE_KINDS);
		break;
	default:
		tree->flags = (uint8_t)mutate_below(4);
		break;
	}
}

/* Larger files get more mutations, but the smallest some. */
static struct tree_entry *choose_entry(struct tree *tree)
{
	size_t at = mutate_below(tree_size(tree) + 256 * tree->count), i = 0;

	for (; i + 1 < tree->count && at >= tree->entries[i].size + 256; i++)
		at -= tree->entries[i].size + 256;
	return &tree->entries[i];
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static struct tree tree;
	static uint8_t packed[1u << 18];
	const unsigned int count = 1 + (seed & 3);

	mutate_seed(seed);
	if (max_size > sizeof(packed) || !tree_parse(&tree, data, size))
		return LLVMFuzzerMutate(data, size, max_size);
	for (unsigned int i = 0; i < count && i < MUTATIONS; i++) {
		switch (mutate_below(16)) {
		case 0:
			tree.line = (uint8_t)mutate_below(LINES);
			break;
		case 1:
			mutate_tree(&tree);
			break;
		default:
			mutate_entry(choose_entry(&tree), i);
			break;
		}
	}
	size = tree_pack(&tree, packed, max_size);
	memcpy(data, packed, size);
	return size;
}

static void copy_entry(struct edit *edit, const struct tree_entry *entry)
{
	edit->size = entry->size < EDIT_ROOM ? entry->size : EDIT_ROOM;
	memcpy(edit->bytes, entry->bytes, edit->size);
}

/* A file of the second tree, or of two recordings the records of both */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1, size_t size1, const uint8_t *data2,
				 size_t size2, uint8_t *out, size_t max_out_size, unsigned int seed)
{
	static struct tree first, second;
	struct tree_entry *to;
	const struct tree_entry *from;

	mutate_seed(seed);
	if (!tree_parse(&first, data1, size1) || !tree_parse(&second, data2, size2))
		return 0;
	to = choose_entry(&first);
	from = choose_entry(&second);
	copy_entry(edit_of(0), to);
	copy_entry(edit_of(1), from);
	if (mutate_below(3) && is_perfdata(edit_of(0)) && is_perfdata(edit_of(1))) {
		mutate_splice_perfdata(edit_of(0), edit_of(1));
		to->bytes = edit_of(0)->bytes;
		to->size = edit_of(0)->size;
	} else if (mutate_below(2) && first.count < TREE_ENTRIES) {
		first.entries[first.count++] = *from;
	} else {
		to->bytes = from->bytes;
		to->size = from->size;
	}
	return tree_pack(&first, out, max_out_size);
}
