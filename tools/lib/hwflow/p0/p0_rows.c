/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Atoms, Commits (I_KQQML), Cancels (I_MRGLC), Mispredicts (I_GBKKQ) and Target Addresses, from
 * packets straight into the ring. Which of them comes next nobody can guess, so there is no branch
 * on it: what a header byte does is a row, and every packet does what all of them can do, most of
 * it none or nothing.
 */
#include "p0/p0_private.h"

#include "element/words_private.h"

#define ATOMS   0xc0 /* headers of Atom packets, from here on */
#define TARGETS 0x9  /* bits 7:4 of headers of Target Addresses, and others */
#define COMMIT  0x2d /* header of a Commit packet */
#define ENTRY   HWF_P0_ENTRY

/*
 * What is taken back here is behind this P0 element: it is the one before the youngest rider, or
 * the last that is at the end of the ring, as what comes next is at its beginning.
 */
static uint32_t oldest_kept(const struct hwf_p0 *p0)
{
	uint32_t end = (p0->tail & ~p0->entry_mask) - 1;
	uint32_t rider;

	if (!p0->used)
		return end;
	rider = p0->positions[(p0->first + p0->used - 1) & p0->rider_mask];
	return rider - end <= UINT32_MAX / 2 ? rider : end;
}

/* The packets of one word that are Target Addresses: size, or 0 for another one */
static inline size_t take_target(struct hwf_recent *recent, const uint8_t *bytes)
{
	struct hwf_word word;

	switch (bytes[0]) {
	case 0x95:
		return hwf_word_short(&word, recent, HWF_WORD_TARGET,
				      HWF_ETE_TARGET_ADDRESS_SHORT_IS0, bytes);
	case 0x9a:
		return hwf_word_long(&word, recent, HWF_WORD_TARGET,
				     HWF_ETE_TARGET_ADDRESS_32BIT_IS0, bytes);
	case 0x90 ... 0x92:
		return hwf_word_exact(&word, recent, HWF_WORD_TARGET,
				      HWF_ETE_TARGET_ADDRESS_EXACT_MATCH, bytes[0] & 3);
	default:
		return 0;
	}
}

/* Two at a time, as processors have it */
typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));

_Static_assert(HWF_P0_ROW_ATOMS == 4, "two pairs");

/* struct ring - where hwf_p0_take_rows() is: places in the ring, and numbers as bytes there */
struct ring {
	char *tail;
	char *oldest;    /* what is taken back is behind it */
	char *end;       /* from here on there is no room for the Atoms of a row */
	int64_t waiting; /* behind what is committed */
	int64_t max_spec;
};

/* Is there room for all that may ever wait, and one packet? Else what does not fit is to be said.
 */
static bool may_take(const struct hwf_p0 *p0)
{
	return !p0->unseen && p0->entry_mask > HWF_P0_MOST_ATOMS &&
	       p0->config->max_spec <= p0->entry_mask - HWF_P0_MOST_ATOMS;
}

static struct ring ring_open(const struct hwf_p0 *p0)
{
	char *const begin = (char *)p0->entries;
	const uint32_t lap = p0->tail & ~p0->entry_mask;
	const uint32_t size = p0->entry_mask + 1;
	const uint32_t full = p0->head + size - lap;

	return (struct ring){
		.tail = begin + (int64_t)(p0->tail - lap) * ENTRY,
		.oldest = begin + (int64_t)(int32_t)(oldest_kept(p0) - lap) * ENTRY,
		.end = begin + ((int64_t)(full < size ? full : size) - HWF_P0_ROW_ATOMS) * ENTRY,
		.waiting = (int64_t)hwf_p0_waiting(p0) * ENTRY,
		.max_spec = (int64_t)p0->config->max_spec * ENTRY,
	};
}

static uint32_t ring_place(const struct hwf_p0 *p0, const struct ring *ring)
{
	return (uint32_t)((size_t)(ring->tail - (char *)p0->entries) / ENTRY);
}

static void ring_close(const struct ring *ring, struct hwf_p0 *p0)
{
	p0->tail = (p0->tail & ~p0->entry_mask) + ring_place(p0, ring);
	p0->committed = p0->tail - (uint32_t)(ring->waiting / ENTRY);
}

/* Bytes of the address at @bytes, which goes beside what comes next; 0 for none */
static inline size_t row_target(struct hwf_p0 *p0, const struct ring *ring,
				struct hwf_recent *recent, const uint8_t *bytes, uint64_t offset)
{
	struct hwf_p0_beside *beside = &p0->beside[ring_place(p0, ring)];
	size_t size;

	/* behind a rider it is one too */
	if (ring->tail == ring->oldest || ring->tail > ring->end)
		return 0;
	size = take_target(recent, bytes);
	if (size) {
		beside->target = recent->address[0];
		beside->target_offset = offset;
	}
	return size;
}

bool hwf_p0_take_exception(struct hwf_recent *recent, const uint8_t *bytes,
			   struct hwf_p0_exception *taken)
{
	struct hwf_word exception;

	taken->first = hwf_word_exception(&exception, bytes);
	taken->size = taken->first ? take_target(recent, bytes + taken->first) : 0;
	if (!taken->size)
		return false;
	taken->size += taken->first;
	taken->element = (struct hwf_el_exception){
		.type = exception.value >> 1 & 0x1f,
		.ret = {.value = recent->address[0] & ~UINT64_C(1), .is = recent->address[0] & 1},
		.has_ret = true,
		/* E1 and E0 are 10 */
		.ret_is_target = exception.value >> 6 & 1,
	};
	return true;
}

/* The Atoms of a row, and those of none */
static inline void put_atoms(const struct ring *ring, const struct hwf_p0_row *row, uint64_t from,
			     uint64_t targeted)
{
	pair *const atoms = (pair *)ring->tail;

	/* four cost less than not to know how many */
	atoms[0] = ((const pair *)row->e)[0] | (pair){from | targeted, from};
	atoms[1] = ((const pair *)row->e)[1] | from;
}

/* Atoms that may be too many for a row; 0 where they do not fit. */
static size_t put_many(struct ring *ring, uint8_t header, uint64_t from, uint64_t targeted)
{
	const struct hwf_ete_atoms *atoms = &hwf_ete_atom_table[header - ATOMS].atoms;
	const int64_t size = (int64_t)atoms->count * ENTRY;
	uint64_t *const entries = (uint64_t *)ring->tail;

	if (size > ring->end - ring->tail || ring->waiting + size > ring->max_spec)
		return 0;
	for (uint32_t i = 0; i < atoms->count; i++)
		entries[i] = from | HWF_P0_ATOM(0, atoms->bits >> i & 1);
	entries[0] |= targeted;
	ring->tail += size;
	ring->waiting += size;
	return 1;
}

/*
 * What a row does, with the second byte of its packet; false where something has to be looked at.
 * What is corrected where nothing is, is in front of the ring.
 */
static inline __attribute__((always_inline)) bool do_row(struct ring *ring,
							 const struct hwf_p0_row *atoms,
							 const struct hwf_p0_row *row,
							 uint8_t second, uint64_t from,
							 uint64_t *targeted)
{
	const uint64_t numbers = row->numbers + second * row->times;
	const int64_t traced = ring->waiting + atoms->atoms;
	const int64_t change = atoms->atoms - (int64_t)(numbers >> 32);
	const int64_t waiting = ring->waiting + change - (uint32_t)numbers;
	char *const now = ring->tail + change;
	uint64_t *const youngest = (uint64_t *)now - 1;
	/* resolved, but not traced; too many that wait, or no row; riders behind what is taken
	 * back; no room
	 */
	const int64_t bad = (waiting - row->mispredict) | (ring->max_spec - traced) |
			    (now - ring->oldest - row->floor) | (ring->end - ring->tail);

	if (bad < 0 || second > row->most)
		return false;
	put_atoms(ring, atoms, from, *targeted);
	/* the Atom that was mispredicted is an older one */
	if (*youngest & (uint64_t)row->mispredict << 1)
		return false;
	*youngest ^= row->mispredict;
	/* an address before the oldest canceled one is the last one again; if none is, it is still
	 */
	*targeted = youngest[1] & row->targets;
	ring->tail = now;
	ring->waiting = waiting;
	return true;
}

/*
 * Atoms, and what stands behind them: a Commit, a Cancel, a Mispredict or nothing of that, nobody
 * can guess. Bytes of both packets, 0 where something has to be looked at; all of that is one
 * branch.
 */
static inline size_t take_atoms(struct ring *ring, const struct hwf_p0_rows *rows,
				const uint8_t *bytes, uint64_t from, uint64_t *targeted)
{
	const size_t size = 1 + (size_t)rows->size[bytes[1]];

	return do_row(ring, &rows->row[bytes[0]], &rows->behind[bytes[1]], bytes[2], from, targeted)
		       ? size
		       : 0;
}

/* Any other row: Commit, Cancel, Mispredict */
static inline size_t take_row(struct ring *ring, const struct hwf_p0_row *row, const uint8_t *bytes,
			      uint64_t from, uint64_t *targeted)
{
	return do_row(ring, row, row, bytes[1], from, targeted) ? row->size : 0;
}

/* An exception, in place of an Atom: bytes of its two packets, or 0 */
static size_t row_exception(struct hwf_p0 *p0, struct ring *ring, struct hwf_recent *recent,
			    const uint8_t *bytes, uint64_t word)
{
	struct hwf_p0_exception taken;

	if (ring->tail > ring->end || ring->waiting + ENTRY > ring->max_spec ||
	    !hwf_p0_take_exception(recent, bytes, &taken))
		return 0;
	hwf_p0_set_exception(&p0->beside[ring_place(p0, ring)], &taken.element);
	*(uint64_t *)ring->tail = word | HWF_P0_EXCEPTION;
	ring->tail += ENTRY;
	ring->waiting += ENTRY;
	return taken.size;
}

/* Behind what a Cycle Count may stand: not behind what is given, nor a rider, nor another one */
static char *last_counted(const struct hwf_p0 *p0)
{
	const uint32_t lap = p0->tail & ~p0->entry_mask;
	int32_t last = (int32_t)(p0->head - lap);
	int32_t committed = (int32_t)(p0->committed - lap);
	uint32_t rider;

	if (committed > last && p0->entries[(p0->committed - 1) & p0->entry_mask] & HWF_P0_COUNTED)
		last = committed;
	if (p0->used) {
		rider = p0->positions[(p0->first + p0->used - 1) & p0->rider_mask] - lap;
		/* it may be a P0 element itself */
		if ((int32_t)rider + 1 > last)
			last = (int32_t)rider + 1;
	}
	return (char *)p0->entries + (int64_t)last * ENTRY;
}

/* A Cycle Count, and a Commit in it: size, or 0 for another packet */
static inline size_t take_count(const struct hwf_ete_config *config, const uint8_t *bytes,
				struct hwf_word *word)
{
	if ((bytes[0] & 0xf0) == 0x10)
		return hwf_word_cycle_count_f3(word, config, bytes[0]);
	return hwf_word_cycle_count(word, config, bytes);
}

/*
 * Bytes of the Cycle Count at @bytes, which goes beside the youngest committed P0 element; 0 for
 * none.
 * @counted: what last_counted() says
 */
static inline size_t row_count(struct hwf_p0 *p0, struct ring *ring, const uint8_t *bytes,
			       uint64_t offset, uint32_t threshold, char **counted)
{
	struct hwf_word word;
	size_t size = take_count(p0->config, bytes, &word);
	int64_t waiting;
	uint32_t behind;
	char *done;

	if (!size)
		return 0;
	waiting = ring->waiting - (int64_t)hwf_word_number(&word) * ENTRY;
	done = ring->tail - waiting;
	if (waiting < 0 || done <= *counted)
		return 0;
	/* it may be at the end of the ring */
	behind = (uint32_t)((done - (char *)p0->entries) / ENTRY - 1) & p0->entry_mask;
	p0->entries[behind] |= HWF_P0_COUNTED;
	p0->beside[behind].count =
		(struct hwf_el_cycle_count){.count = threshold + (uint32_t)word.value};
	p0->beside[behind].count_offset = offset;
	ring->waiting = waiting;
	*counted = done;
	return size;
}

/* Atoms that are a row; 0 where they do not fit */
static inline size_t take_plain(struct ring *ring, const struct hwf_p0_row *row, uint64_t from,
				uint64_t targeted)
{
	const int64_t traced = ring->waiting + row->atoms;

	if (traced > ring->max_spec || ring->tail > ring->end)
		return 0;
	put_atoms(ring, row, from, targeted);
	ring->tail += row->atoms;
	ring->waiting = traced;
	return 1;
}

static inline size_t take_commit(struct ring *ring, const uint8_t *bytes)
{
	const int64_t waiting = ring->waiting - (int64_t)bytes[1] * ENTRY;

	if (bytes[1] & 0x80 || waiting < 0)
		return 0;
	ring->waiting = waiting;
	return 2;
}

/* Where the last packet begins, of one or two that were taken at once */
static size_t last_of(const uint8_t *bytes, size_t size)
{
	struct hwf_word word;

	if (bytes[0] >= ATOMS)
		return size > 1;
	return bytes[0] == HWF_P0_EXCEPTION_HEADER ? hwf_word_exception(&word, bytes) : 0;
}

size_t hwf_p0_take_rows(struct hwf_p0 *p0, const struct hwf_p0_rows *rows,
			struct hwf_recent *recent, uint64_t offset, const uint8_t *bytes,
			size_t length, size_t *last)
{
	const uint8_t *const end = bytes + length;
	const uint8_t *const first = bytes;
	/* so that an offset is one sum */
	const uint64_t bias = offset - (uint64_t)(uintptr_t)bytes;
	struct ring ring = ring_open(p0);
	uint64_t targeted = p0->targeted ? HWF_P0_TARGETED : 0;
	const uint8_t *before = bytes;

	if (!may_take(p0))
		return 0;
	while (bytes < end) {
		const uint64_t offset_here = (uint64_t)(uintptr_t)bytes + bias;
		const struct hwf_p0_row *row = &rows->row[bytes[0]];
		const uint64_t from = HWF_P0_ATOM(offset_here, 0);
		size_t size;

		if (bytes[0] >= ATOMS) {
			size = take_atoms(&ring, rows, bytes, from, &targeted);
			if (!size) {
				size = put_many(&ring, bytes[0], from, targeted);
				targeted = size ? 0 : targeted;
			}
		} else if (bytes[0] >> 4 == TARGETS) {
			size = row_target(p0, &ring, recent, bytes, offset_here);
			targeted = size ? HWF_P0_TARGETED : targeted;
		} else if (bytes[0] == HWF_P0_EXCEPTION_HEADER) {
			size = row_exception(p0, &ring, recent, bytes, from | targeted);
			targeted = size ? 0 : targeted;
		} else {
			size = take_row(&ring, row, bytes, from, &targeted);
		}
		if (!size)
			break;
		before = bytes;
		bytes += size;
	}
	ring_close(&ring, p0);
	p0->targeted = targeted != 0;
	*last = (size_t)(before - first) + last_of(before, (size_t)(bytes - before));
	return (size_t)(bytes - first);
}

/*
 * With cycle counts what comes next can be guessed: Atoms, their Commit and its count, one after
 * the other. As hwf_p0_take_rows(), with a branch for each.
 */
size_t hwf_p0_take_counted(struct hwf_p0 *p0, const struct hwf_p0_rows *rows,
			   struct hwf_recent *recent, uint32_t threshold, uint64_t offset,
			   const uint8_t *bytes, size_t length, size_t *last)
{
	const uint8_t *const end = bytes + length;
	const uint8_t *const first = bytes;
	const uint64_t bias = offset - (uint64_t)(uintptr_t)bytes;
	struct ring ring = ring_open(p0);
	uint64_t targeted = p0->targeted ? HWF_P0_TARGETED : 0;
	char *counted = last_counted(p0);
	const uint8_t *before = bytes;

	if (!may_take(p0))
		return 0;
	while (bytes < end) {
		const uint64_t offset_here = (uint64_t)(uintptr_t)bytes + bias;
		const struct hwf_p0_row *row = &rows->row[bytes[0]];
		const uint64_t from = HWF_P0_ATOM(offset_here, 0);
		const uint8_t *const packet = bytes;
		size_t size;

		if (bytes[0] >= ATOMS) {
			if (!take_plain(&ring, row, from, targeted))
				break;
			targeted = 0;
			bytes++;
		} else if (bytes[0] == COMMIT) {
			if (!take_commit(&ring, bytes))
				break;
			bytes += 2;
		} else if ((size = row_count(p0, &ring, bytes, offset_here, threshold, &counted))) {
			bytes += size;
		} else if ((size = row_target(p0, &ring, recent, bytes, offset_here))) {
			targeted = HWF_P0_TARGETED;
			bytes += size;
		} else {
			break;
		}
		before = packet;
	}
	ring_close(&ring, p0);
	p0->targeted = targeted != 0;
	*last = (size_t)(before - first);
	return (size_t)(bytes - first);
}
