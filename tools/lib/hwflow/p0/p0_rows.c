/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Atoms, Commits (I_KQQML), Cancels (I_MRGLC), Mispredicts (I_GBKKQ) and Target Addresses, from
 * packets straight into the ring. Which of them comes next nobody can guess, so there is no branch
 * on it: what a header byte does is a row, and every packet does what all of them can do, most of
 * it none or nothing.
 */
#include "p0/p0_private.h"

#include "element/words_private.h"

/* What a packet is, as a row; false for one that is no row */
static bool make_row(const struct hwf_ete_config *config, uint8_t header, uint8_t second,
		     struct hwf_p0_row *row)
{
	const uint8_t bytes[HWF_ETE_MAX_PACKET] = {header, second};
	struct hwf_ete_atoms atoms = {0};
	struct hwf_ete_packet packet;
	int size = hwf_ete_decode(config, bytes, sizeof(bytes), &packet);

	*row = (struct hwf_p0_row){.size = (uint8_t)size};
	if (size != 1 && size != 2)
		return false;
	switch (hwf_ete_type_codec(packet.type)) {
	case HWF_ETE_CODEC_atoms:
		atoms = packet.u.atoms;
		break;
	case HWF_ETE_CODEC_commit:
	case HWF_ETE_CODEC_cancel_f1:
	case HWF_ETE_CODEC_cancel_f2:
	case HWF_ETE_CODEC_cancel_f3:
	case HWF_ETE_CODEC_mispredict:
		atoms = packet.u.resolve.atoms;
		row->numbers = packet.u.resolve.commit | (uint64_t)packet.u.resolve.cancel << 32;
		row->mispredict = packet.u.resolve.mispredict;
		break;
	default:
		return false;
	}
	row->atoms = (uint8_t)atoms.count;
	for (unsigned int i = 0; i < HWF_P0_ROW_ATOMS; i++)
		row->e[i] = HWF_P0_ATOM(0, atoms.bits >> i & 1);
	return atoms.count <= HWF_P0_ROW_ATOMS;
}

/* What each bit of the second byte adds; false where that is more than a row can say */
static bool add_second(const struct hwf_ete_config *config, uint8_t header, struct hwf_p0_row *row)
{
	uint8_t other = 0;

	for (unsigned int bit = 0; bit < 8; bit++) {
		uint8_t second = (uint8_t)(1u << bit);
		struct hwf_p0_row with;

		if (make_row(config, header, second, &with) && with.size == 2)
			row->times = (with.numbers - row->numbers) >> bit;
		else
			other |= second;
	}
	/* all seven bits that are there are the number */
	return (row->times == 1 || row->times == 1ull << 32) && other == 0x80;
}

#define ATOMS         0xc0 /* headers of Atom packets, from here on */
#define TARGETS       0x9  /* bits 7:4 of headers of Target Addresses, and others */
#define HWF_P0_COMMIT 0x2d /* header of a Commit packet */
#define ENTRY         ((uint32_t)sizeof(uint64_t))
#define NO_ROW        0x40000000u

/* A row as hwf_p0_take_rows() wants it */
static void finish_row(struct hwf_p0_row *row)
{
	bool cancels = (row->numbers | row->times) >> 32;
	/* nothing behind a rider is taken back here; is the Atom mispredicted older? */
	uint32_t floor = cancels || row->mispredict;

	floor += row->mispredict && (!row->atoms || row->numbers || row->times);
	row->most = row->size == 2 ? 0x7f : 0xff;
	row->cancels = cancels && !row->mispredict ? HWF_P0_TARGETED : 0;
	row->plain = row->atoms && !row->numbers && !row->times && !row->mispredict;
	row->keeps = cancels || row->mispredict || row->atoms ? 0 : HWF_P0_TARGETED;
	row->floor = floor * ENTRY;
	row->atoms = (uint8_t)(row->atoms * ENTRY);
	_Static_assert(ENTRY == HWF_P0_CORRECT, "one that is mispredicted");
	row->mispredict = (uint8_t)(row->mispredict * ENTRY);
	row->numbers *= ENTRY;
	row->times *= ENTRY;
}

void hwf_p0_rows_init(struct hwf_p0_rows *rows, const struct hwf_ete_config *config)
{
	for (unsigned int i = 0; i < 256; i++) {
		struct hwf_p0_row *row = &rows->row[i];

		if (make_row(config, (uint8_t)i, 0, row) &&
		    (row->size == 1 || add_second(config, (uint8_t)i, row)))
			finish_row(row);
		else
			row->floor = NO_ROW;
	}
}

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

/* struct ring - where hwf_p0_take_rows() is: bytes from the beginning of the ring */
struct ring {
	int64_t tail;
	int64_t committed;
	int64_t oldest; /* what is taken back is behind it */
	int64_t max_spec;
	int64_t end; /* from here on there is no room for the Atoms of a row */
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
	const uint32_t lap = p0->tail & ~p0->entry_mask;
	const uint32_t size = p0->entry_mask + 1;
	const uint32_t full = p0->head + size - lap;

	return (struct ring){
		.tail = (int64_t)(p0->tail - lap) * ENTRY,
		.committed = (int64_t)(int32_t)(p0->committed - lap) * ENTRY,
		.oldest = (int64_t)(int32_t)(oldest_kept(p0) - lap) * ENTRY,
		.max_spec = (int64_t)p0->config->max_spec * ENTRY,
		.end = ((int64_t)(full < size ? full : size) - HWF_P0_ROW_ATOMS) * ENTRY,
	};
}

static void ring_close(const struct ring *ring, struct hwf_p0 *p0)
{
	const uint32_t lap = p0->tail & ~p0->entry_mask;

	p0->tail = lap + (uint32_t)(ring->tail / ENTRY);
	p0->committed = lap + (uint32_t)(ring->committed / ENTRY);
}

/* Bytes of the address at @bytes, which goes beside what comes next; 0 for none */
static inline size_t row_target(struct hwf_p0 *p0, const struct ring *ring,
				struct hwf_recent *recent, const uint8_t *bytes, uint64_t offset)
{
	struct hwf_p0_beside *beside = &p0->beside[ring->tail / ENTRY];
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

static inline uint64_t *at(const struct hwf_p0 *p0, int64_t bytes)
{
	return (uint64_t *)((char *)p0->entries + bytes);
}

/* The Atoms of a row, and those of none */
static inline void put_atoms(const struct hwf_p0 *p0, const struct ring *ring,
			     const struct hwf_p0_row *row, uint64_t from, uint64_t targeted)
{
	pair *const atoms = (pair *)at(p0, ring->tail);

	/* four cost less than not to know how many */
	atoms[0] = ((const pair *)row->e)[0] | from;
	atoms[1] = ((const pair *)row->e)[1] | from;
	atoms[0][0] |= targeted;
}

/* Atoms that may be too many for a row; 0 where they do not fit. */
static size_t put_many(const struct hwf_p0 *p0, struct ring *ring, uint8_t header, uint64_t from,
		       uint64_t targeted)
{
	const struct hwf_ete_atoms *atoms = &hwf_ete_atom_table[header - 0xc0].atoms;
	const int64_t all = ring->tail + (int64_t)atoms->count * ENTRY;
	uint64_t *const entries = at(p0, ring->tail);

	if (all > ring->end || all - ring->committed > ring->max_spec)
		return 0;
	for (uint32_t i = 0; i < atoms->count; i++)
		entries[i] = from | HWF_P0_ATOM(0, atoms->bits >> i & 1);
	entries[0] |= targeted;
	ring->tail = all;
	return 1;
}

/*
 * Atoms, and a Commit behind them, which comes or not: nobody can guess. Bytes of both packets, 0
 * where something has to be looked at; all of that is one branch.
 */
static inline size_t take_atoms(const struct hwf_p0 *p0, struct ring *ring,
				const struct hwf_p0_row *row, const uint8_t *bytes, uint64_t from,
				uint64_t targeted)
{
	const int64_t all = ring->tail + row->atoms;
	const int64_t commits = bytes[1] == HWF_P0_COMMIT;
	const int64_t number = bytes[2] & -commits;
	const int64_t done = ring->committed + number * ENTRY;
	/* resolved, but not traced; too many that wait; no room; a number of more than one byte */
	const int64_t bad = (all - done) | (ring->committed + ring->max_spec - all) |
			    (ring->end - ring->tail) | (0x7f - number) | -(int64_t)row->floor;

	if (bad < 0)
		return 0;
	put_atoms(p0, ring, row, from, targeted);
	ring->tail = all;
	ring->committed = done;
	return 1 + 2 * (size_t)commits;
}

/* Any other row: Commit, Cancel, Mispredict. What is corrected where nothing is, is in front of the
 * ring.
 */
static inline size_t take_row(const struct hwf_p0 *p0, struct ring *ring,
			      const struct hwf_p0_row *row, const uint8_t *bytes, uint64_t from,
			      uint64_t *targeted)
{
	const uint64_t numbers = row->numbers + bytes[1] * row->times;
	const int64_t all = ring->tail + row->atoms;
	const int64_t done = ring->committed + (uint32_t)numbers;
	const int64_t now = all - (int64_t)(numbers >> 32);
	/* resolved, but not traced; too many that wait; riders behind what is taken back; no room
	 */
	const int64_t bad = (now - done - row->mispredict) |
			    (ring->committed + ring->max_spec - all) |
			    (now - ring->oldest - row->floor) | (ring->end - ring->tail);

	if (bad < 0 || bytes[1] > row->most)
		return 0;
	put_atoms(p0, ring, row, from, *targeted);
	/* the Atom that was mispredicted is an older one */
	if (*at(p0, now - ENTRY) & row->mispredict << 1)
		return 0;
	*at(p0, now - ENTRY) ^= row->mispredict;
	/* an address before the oldest canceled one is the last one again; if none is, it is still
	 */
	*targeted = (*targeted & row->keeps) | (*at(p0, now) & row->cancels);
	ring->tail = now;
	ring->committed = done;
	return row->size;
}

/* An exception, in place of an Atom: bytes of its two packets, or 0; @packet receives the second.
 */
static size_t row_exception(struct hwf_p0 *p0, struct ring *ring, struct hwf_recent *recent,
			    const uint8_t **packet, uint64_t word)
{
	const int64_t all = ring->tail + ENTRY;
	struct hwf_p0_exception taken;

	if (ring->tail > ring->end || all - ring->committed > ring->max_spec ||
	    !hwf_p0_take_exception(recent, *packet, &taken))
		return 0;
	hwf_p0_set_exception(&p0->beside[ring->tail / ENTRY], &taken.element);
	*at(p0, ring->tail) = word | HWF_P0_EXCEPTION;
	ring->tail = all;
	*packet += taken.first;
	return taken.size;
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
		const uint8_t *packet = bytes;
		size_t size;

		if (bytes[0] >= ATOMS) {
			size = take_atoms(p0, &ring, row, bytes, from, targeted);
			/* of the last of them */
			packet += size > 1;
			if (!size)
				size = put_many(p0, &ring, bytes[0], from, targeted);
			targeted = size ? 0 : targeted;
		} else if (bytes[0] >> 4 == TARGETS) {
			size = row_target(p0, &ring, recent, bytes, offset_here);
			targeted = size ? HWF_P0_TARGETED : targeted;
		} else if (bytes[0] == HWF_P0_EXCEPTION_HEADER) {
			size = row_exception(p0, &ring, recent, &packet, from | targeted);
			targeted = size ? 0 : targeted;
		} else {
			size = take_row(p0, &ring, row, bytes, from, &targeted);
		}
		if (!size)
			break;
		before = packet;
		bytes += size;
	}
	ring_close(&ring, p0);
	p0->targeted = targeted != 0;
	*last = (size_t)(before - first);
	return (size_t)(bytes - first);
}

/* A Cycle Count, and a Commit in it: size, or 0 for another packet */
static inline size_t take_count(const struct hwf_ete_config *config, const uint8_t *bytes,
				struct hwf_word *word)
{
	if ((bytes[0] & 0xf0) == 0x10)
		return hwf_word_cycle_count_f3(word, config, bytes[0]);
	return hwf_word_cycle_count(word, config, bytes);
}

/* Behind what a Cycle Count may stand: not behind what is given, nor a rider, nor another one */
static int64_t last_counted(const struct hwf_p0 *p0)
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
	return (int64_t)last * ENTRY;
}

/*
 * Bytes of the Cycle Count at @bytes, which goes beside the youngest committed P0 element; 0 for
 * none.
 * @counted: what last_counted() says
 */
static inline size_t row_count(struct hwf_p0 *p0, struct ring *ring, const uint8_t *bytes,
			       uint64_t offset, uint32_t threshold, int64_t *counted)
{
	struct hwf_word word;
	size_t size = take_count(p0->config, bytes, &word);
	int64_t done, behind;

	if (!size)
		return 0;
	done = ring->committed + (int64_t)hwf_word_number(&word) * ENTRY;
	if (done > ring->tail || done <= *counted)
		return 0;
	/* it may be at the end of the ring */
	behind = (done - ENTRY) & (int64_t)p0->entry_mask * ENTRY;
	*at(p0, behind) |= HWF_P0_COUNTED;
	p0->beside[behind / ENTRY].count =
		(struct hwf_el_cycle_count){.count = threshold + (uint32_t)word.value};
	p0->beside[behind / ENTRY].count_offset = offset;
	ring->committed = done;
	*counted = done;
	return size;
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
	int64_t counted = last_counted(p0);
	const uint8_t *before = bytes;

	if (!may_take(p0))
		return 0;
	while (bytes < end) {
		const uint8_t *const packet = bytes;
		const uint64_t at_byte = (uint64_t)(uintptr_t)bytes + bias;
		const struct hwf_p0_row *row = &rows->row[bytes[0]];
		size_t size;

		if (row->plain) {
			if (ring.tail > ring.end ||
			    ring.tail + row->atoms - ring.committed > ring.max_spec)
				break;
			put_atoms(p0, &ring, row, HWF_P0_ATOM(at_byte, 0), targeted);
			targeted = 0;
			ring.tail += row->atoms;
			bytes++;
		} else if (bytes[0] == HWF_P0_COMMIT) {
			int64_t done = ring.committed + (int64_t)bytes[1] * ENTRY;

			if (bytes[1] & 0x80 || done > ring.tail)
				break;
			ring.committed = done;
			bytes += 2;
		} else if ((size = row_count(p0, &ring, bytes, at_byte, threshold, &counted)) !=
			   0) {
			bytes += size;
		} else if ((size = row_target(p0, &ring, recent, bytes, at_byte)) != 0) {
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
