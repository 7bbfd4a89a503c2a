/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The P0 map: for each A64 instruction of a file, the number of instructions of its run, and the
 * decoded P0 instruction. An entry has no address, so all mappings of the file share the map. The
 * entries of a page are made from its end to its beginning, when one is first asked for. A later
 * page without a P0 instruction is marked (HWF_ENTRY_QUIET), so no page is searched twice.
 *
 * Bits of an entry; 0 means not made yet:
 *   19:0   instructions of the run, with its P0 instruction
 *   23:20  kind of the P0 instruction
 *   27:24  its sub
 *   28     it is conditional
 *   29     HWF_ENTRY_FAR: no P0 instruction within HWF_RUN_MAX instructions, or in the file
 *   30     HWF_ENTRY_QUIET: not made yet; the page that begins here has no P0 instruction
 *   63:32  target of the P0 instruction less its address, signed, in bytes
 */
#include <errno.h>
#include <sys/mman.h>

#include "core/bits.h"
#include "image_private.h"

/* entries of a page */
#define PAGE 1024u

static uint64_t entry_of_p0(const struct hwf_insn *insn)
{
	const uint64_t target = insn->kind == HWF_INSN_DIRECT ? (uint32_t)insn->target : 0;

	return 1 | (uint64_t)insn->kind << HWF_ENTRY_KIND_AT |
	       (uint64_t)insn->sub << HWF_ENTRY_SUB_AT |
	       (uint64_t)insn->conditional << HWF_ENTRY_COND_AT | target << HWF_ENTRY_TARGET_AT;
}

/* The entry of a P0 instruction, decoded at address 0; 0 for any other instruction */
static uint64_t decode(const struct hwf_image_file *file, bool wfx, size_t index)
{
	struct hwf_insn insn;

	hwf_insn_a64(hwf_load32(file->bytes + 4 * index), 0, &insn);
	return hwf_insn_is_p0(&insn, wfx) ? entry_of_p0(&insn) : 0;
}

static uint64_t load(const uint64_t *entry)
{
	return __atomic_load_n(entry, __ATOMIC_RELAXED);
}

/* The entry of the run that begins @instructions before the run of @entry */
static uint64_t longer_by(uint64_t entry, uint32_t instructions)
{
	if (entry == HWF_ENTRY_FAR || hwf_entry_count(entry) + instructions > HWF_RUN_MAX)
		return HWF_ENTRY_FAR;
	return entry + instructions;
}

/* The entry of the run from @index on, the beginning of a page; 0 if the run leaves the page */
static uint64_t search_page(const struct hwf_image_file *file, bool wfx, size_t index, size_t count)
{
	for (uint32_t i = 0; i < PAGE && index + i < count; i++) {
		const uint64_t entry = decode(file, wfx, index + i);

		if (entry)
			return longer_by(entry, i);
	}
	return 0;
}

/* The entry of the run from @index on, behind the page that is being made */
static uint64_t look_ahead(const struct hwf_image_file *file, bool wfx, size_t index, size_t count)
{
	uint64_t *entries = file->maps[wfx].entries;

	for (uint32_t ahead = 0; ahead < HWF_RUN_MAX && index + ahead < count; ahead += PAGE) {
		uint64_t entry = load(&entries[index + ahead]);

		if (!entry)
			entry = search_page(file, wfx, index + ahead, count);
		if (entry && entry != HWF_ENTRY_QUIET)
			return longer_by(entry, ahead);
		__atomic_store_n(&entries[index + ahead], HWF_ENTRY_QUIET, __ATOMIC_RELAXED);
	}
	return HWF_ENTRY_FAR;
}

static void make_page(struct hwf_image_file *file, bool wfx, size_t index, size_t count)
{
	uint64_t *entries = file->maps[wfx].entries;
	const size_t first = index / PAGE * PAGE;
	const size_t end = count - first < PAGE ? count : first + PAGE;
	uint64_t entry = look_ahead(file, wfx, end, count);

	for (size_t i = end; i-- > first;) {
		const uint64_t p0 = decode(file, wfx, i);

		entry = p0 ? p0 : longer_by(entry, 1);
		__atomic_store_n(&entries[i], entry, __ATOMIC_RELAXED);
	}
}

int hwf_image_map_make(struct hwf_image_map *map, size_t count)
{
	const size_t size = count * sizeof(*map->entries);
	uint64_t *none = NULL;
	void *entries;

	if (__atomic_load_n(&map->entries, __ATOMIC_ACQUIRE))
		return 0;
	entries = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (entries == MAP_FAILED)
		return -ENOMEM;
	map->size = size;
	if (!__atomic_compare_exchange_n(&map->entries, &none, entries, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE))
		munmap(entries, size);
	return 0;
}

uint64_t hwf_image_map_entry(struct hwf_image_file *file, bool wfx, size_t index)
{
	const size_t count = file->size / 4;
	uint64_t entry;

	if (index >= count || hwf_image_map_make(&file->maps[wfx], count))
		return 0;
	entry = load(&file->maps[wfx].entries[index]);
	if (hwf_entry_made(entry))
		return entry;
	make_page(file, wfx, index, count);
	return load(&file->maps[wfx].entries[index]);
}
