/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts of what was executed, and the table of them. */
#include "tally.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "shorten.h"
#include "summary.h"
#include "tally_place.h"

const char *const tally_bys[] = {"function", "dso",     "line",   "address",
				 "thread",   "process", "cgroup", NULL};

const char *const tally_sorts[] = {"instructions", "calls", "taken", "not-taken", "name", NULL};

/* columns before the name in a row; of a name at least; of a file's name in () at most */
#define COUNTS_WIDTH 63u

/* code that the filter does not match */
#define NO_ROW (SIZE_MAX - 1)

/* names remembered, by address; a power of two */
#define NAMES_KNOWN 16384u

/* struct owner - a thread or a process, under one of its names; or a cgroup, which has no number */
struct owner {
	int32_t number;
	const char *name;
};

/* struct row - one line of the table; @place: of a line or an address */
struct row {
	const struct function *function;
	struct owner owner;
	struct tally_counts counts;
	const struct tally_place *place;
	bool used;
};

/**
 * struct known_name - an answer of symbols_find(), and its row
 * @space: what was asked
 * @address: likewise
 * @name: the answer
 * @row: of the table; SIZE_MAX without memory; NO_ROW: the filter does not match
 * @epoch: when it was asked
 */
struct known_name {
	const struct hwf_image_space *space;
	uint64_t address;
	struct place_name name;
	size_t row;
	uint64_t epoch;
};

/**
 * struct tally - all rows
 * @by: what a row stands for
 * @comm: name of the threads that are counted; NULL: all
 * @filter: what has rows; NULL: everything
 * @others: counts of what has none
 * @symbols: names
 * @threads: names of threads
 * @rows: by function id, or in order of appearance
 * @count: how many
 * @room: room for how many
 * @places: of rows: see tally_place_get()
 * @known: answers, by address
 * @epoch: incremented with each piece and each thread
 * @piece_epoch: when @piece began; answers from before do not hold
 * @piece: that the answers hold for
 * @tid: thread that those answers hold for which depend on the thread
 * @owner: of the rows of this thread, if they stand for threads, processes or cgroups
 * @left_out: is this thread not counted?
 * @failed: memory ran out
 */
struct tally {
	enum tally_by by;
	const char *comm;
	const struct row_filter *filter;
	struct tally_counts others;
	struct symbols *symbols;
	const struct threads *threads;
	struct row *rows;
	size_t count;
	size_t room;
	void *places;
	struct known_name known[NAMES_KNOWN];
	uint64_t epoch;
	uint64_t piece_epoch;
	const struct input_piece *piece;
	int32_t tid;
	struct owner owner;
	bool left_out;
	uint64_t ranges;
	bool failed;
};

int tally_new(struct tally **result, enum tally_by by, const char *comm, struct symbols *symbols,
	      const struct threads *threads)
{
	struct tally *tally = calloc(1, sizeof(*tally));

	if (!tally)
		return -ENOMEM;
	tally->by = by;
	tally->comm = comm;
	tally->symbols = symbols;
	tally->threads = threads;
	tally->epoch = 1;
	*result = tally;
	return 0;
}

void tally_set_filter(struct tally *tally, const struct row_filter *filter)
{
	tally->filter = filter;
}

static bool is_by_owner(const struct tally *tally)
{
	return tally->by == TALLY_THREAD || tally->by == TALLY_PROCESS || tally->by == TALLY_CGROUP;
}

static bool same_row(const struct tally *tally, const struct row *row,
		     const struct function *function)
{
	switch (tally->by) {
	case TALLY_THREAD:
	case TALLY_PROCESS:
	case TALLY_CGROUP:
		return row->owner.number == tally->owner.number &&
		       !strcmp(row->owner.name, tally->owner.name);
	case TALLY_DSO:
		return !strcmp(row->function->file, function->file);
	default:
		return row->function == function;
	}
}

static bool is_by_place(const struct tally *tally)
{
	return tally->by == TALLY_LINE || tally->by == TALLY_ADDRESS;
}

/* The row with a number, which may be new; SIZE_MAX without memory */
static size_t row_at(struct tally *tally, size_t at, const struct function *function)
{
	struct row *row;

	if (at >= tally->room) {
		size_t room = 2 * at + 64;
		struct row *rows = reallocarray(tally->rows, room, sizeof(*rows));

		if (!rows) {
			tally->failed = true;
			return SIZE_MAX;
		}
		memset(rows + tally->room, 0, (room - tally->room) * sizeof(*rows));
		tally->rows = rows;
		tally->room = room;
	}
	if (at >= tally->count)
		tally->count = at + 1;
	row = &tally->rows[at];
	row->used = true;
	row->function = function;
	row->owner = tally->owner;
	return at;
}

/* The row of an address; SIZE_MAX without memory */
static size_t row_of_place(struct tally *tally, const struct known_name *known)
{
	struct tally_place wanted = {.function = known->name.function,
				     .offset = known->name.offset};
	const struct tally_place *place;
	size_t row;

	if (tally->by == TALLY_LINE) {
		wanted.line = symbols_line(tally->symbols, known->space, known->address);
		wanted.offset = UINT64_MAX;
	}
	place = tally_place_get(&tally->places, &wanted, tally->count);
	if (!place) {
		tally->failed = true;
		return SIZE_MAX;
	}
	row = row_at(tally, place->row, place->function);
	if (row != SIZE_MAX)
		tally->rows[row].place = place;
	return row;
}

/* The row of a function, of its file, or of the thread; SIZE_MAX without memory */
static size_t row_get(struct tally *tally, const struct function *function)
{
	size_t at = 0;

	if (tally->by == TALLY_FUNCTION)
		at = function->id;
	else
		while (at < tally->count && !same_row(tally, &tally->rows[at], function))
			at++;
	return row_at(tally, at, function);
}

/* Does an answer hold? Its row may depend on the thread, its name on the process. */
static bool holds(const struct tally *tally, const struct known_name *known)
{
	const bool of_thread = is_by_owner(tally) || known->name.of_process;

	return known->epoch >= (of_thread ? tally->epoch : tally->piece_epoch);
}

/* Whose row is what this thread of process @pid executes, and is it counted? */
static void set_owner(struct tally *tally, const struct execution *execution, int32_t pid)
{
	const uint64_t time = execution->piece->time;

	tally->owner.number = execution->tid;
	if (!is_by_owner(tally) && !tally->comm)
		return;
	tally->owner.name = threads_name(tally->threads, execution->tid, time);
	tally->left_out = tally->comm && strcmp(tally->comm, tally->owner.name) != 0;
	if (tally->by == TALLY_CGROUP)
		tally->owner = (struct owner){
			.name = threads_cgroup(tally->threads, execution->tid, time)};
	if (tally->by != TALLY_PROCESS || pid == INPUT_ANY)
		return;
	tally->owner.number = pid;
	tally->owner.name = threads_name(tally->threads, pid, time);
}

/* What is known of an address: its name and its row. Valid until the next call. */
static const struct known_name *find(struct tally *tally, const struct execution *execution,
				     const struct hwf_image_space *space, uint64_t address)
{
	struct known_name *known = &tally->known[(address >> 2 ^ address >> 12) % NAMES_KNOWN];

	if (execution->piece != tally->piece || execution->tid != tally->tid) {
		const int32_t pid = execution_process(execution, tally->threads);

		tally->epoch++;
		if (execution->piece != tally->piece)
			tally->piece_epoch = tally->epoch;
		tally->piece = execution->piece;
		tally->tid = execution->tid;
		set_owner(tally, execution, pid);
		symbols_at(tally->symbols, pid, execution->piece->since, execution->piece->time);
	}
	if (holds(tally, known) && known->space == space &&
	    address - known->name.first <= known->name.last - known->name.first)
		return known;
	known->epoch = tally->epoch;
	known->space = space;
	known->address = address;
	known->name = symbols_find(tally->symbols, space, address);
	if (is_by_place(tally))
		known->name.first = known->name.last = address;
	if (tally->filter && !row_filter_matches(tally->filter, known->name.function->name,
						 known->name.function->file)) {
		known->row = NO_ROW;
	} else if (is_by_place(tally)) {
		known->row = row_of_place(tally, known);
	} else {
		known->row = row_get(tally, known->name.function);
	}
	return known;
}

static struct tally_counts *counts_of(struct tally *tally, const struct known_name *known)
{
	static struct tally_counts nowhere;

	if (known->row == SIZE_MAX || tally->left_out)
		return &nowhere;
	return known->row == NO_ROW ? &tally->others : &tally->rows[known->row].counts;
}

/*
 * The instructions from an address to the end of its function, at most @left; @start goes to the
 * address after them. Without code all that are left count.
 */
static uint32_t count_in_function(const struct execution *execution,
				  const struct hwf_image_space *space, unsigned int isa,
				  uint64_t last, uint32_t left, uint64_t *start)
{
	const struct hwf_code *code = execution->code;
	uint32_t count = 0;

	if (!input_isa_is_mixed(isa)) {
		const uint64_t fitting = (last - *start) / 4 + 1;

		count = fitting < left ? (uint32_t)fitting : left;
		*start += 4 * (uint64_t)count;
		return count;
	}
	while (count < left && *start <= last) {
		uint8_t bytes[2];

		if (code->read(code->ctx, space, *start, bytes, sizeof(bytes)) < sizeof(bytes))
			return left;
		*start += input_insn_size(isa, (uint16_t)(bytes[0] | bytes[1] << 8));
		count++;
	}
	return count;
}

static void add_instructions(struct tally *tally, const struct execution *execution,
			     const struct hwf_profile_block *block, uint64_t times)
{
	uint64_t start = block->start;
	uint32_t left = block->instructions;

	/* code that falls through from one function into the next */
	while (left) {
		const struct known_name *known = find(tally, execution, block->space, start);
		uint32_t here = left;

		if (known->name.last < block->end - 1)
			here = count_in_function(execution, block->space, block->isa,
						 known->name.last, left, &start);
		counts_of(tally, known)->instructions += here * times;
		left -= here;
	}
	tally->ranges += tally->left_out ? 0 : times;
}

static void add_block(struct tally *tally, const struct execution *execution,
		      const struct hwf_profile_block *block)
{
	const struct hwf_insn *insn = &block->insn;
	struct tally_counts *counts;

	add_instructions(tally, execution, block, block->taken + block->not_taken);
	if (!block->p0 || (insn->kind != HWF_INSN_DIRECT && insn->kind != HWF_INSN_INDIRECT))
		return;
	counts = counts_of(tally, find(tally, execution, block->space, block->end - insn->size));
	counts->taken += block->taken;
	counts->not_taken += block->not_taken;
}

/* Is it a jump from one function to the beginning of another: a call in place of the last return?
 */
static bool is_tail_call(struct tally *tally, const struct execution *execution,
			 const struct hwf_profile_edge *edge)
{
	const struct known_name *known = find(tally, execution, edge->to_space, edge->to);
	const struct function *to = known->name.function;

	if (!to->bounded || known->name.offset + (edge->to - known->address) != 0)
		return false;
	known = find(tally, execution, edge->from_space, edge->from);
	return known->name.function != to;
}

static bool is_call(struct tally *tally, const struct execution *execution,
		    const struct hwf_profile_edge *edge)
{
	switch (hwf_branch_of_insn(&edge->insn, edge->from, edge->from_space, true).kind) {
	case HWF_BRANCH_CALL:
	case HWF_BRANCH_INDIRECT_CALL:
		return true;
	case HWF_BRANCH_JUMP:
	case HWF_BRANCH_INDIRECT:
	case HWF_BRANCH_CONDITIONAL:
		return is_tail_call(tally, execution, edge);
	default:
		return false;
	}
}

void tally_profile(void *ctx, const struct execution *execution, const struct hwf_profile *profile)
{
	const struct hwf_profile_block *block;
	struct hwf_profile_edge edge;
	struct tally *tally = ctx;
	size_t at = 0;

	while ((block = hwf_profile_next_block(profile, &at)))
		add_block(tally, execution, block);
	at = 0;
	while (hwf_profile_next_edge(profile, &at, &edge))
		if (is_call(tally, execution, &edge))
			counts_of(tally, find(tally, execution, edge.to_space, edge.to))->calls +=
				edge.count;
}

uint64_t tally_ranges(const struct tally *tally)
{
	return tally->ranges;
}

struct tally_counts tally_total(const struct tally *tally)
{
	struct tally_counts total = tally->others;

	for (size_t i = 0; i < tally->count; i++) {
		const struct tally_counts *counts = &tally->rows[i].counts;

		total.instructions += counts->instructions;
		total.calls += counts->calls;
		total.taken += counts->taken;
		total.not_taken += counts->not_taken;
	}
	return total;
}

bool tally_has_rows(const struct tally *tally)
{
	return tally->count > 0;
}

void tally_visit(const struct tally *tally,
		 void (*visit)(void *ctx, const struct function *function,
			       const struct tally_counts *counts),
		 void *ctx)
{
	for (size_t i = 0; i < tally->count; i++)
		if (tally->rows[i].used)
			visit(ctx, tally->rows[i].function, &tally->rows[i].counts);
}

bool tally_failed(const struct tally *tally)
{
	return tally->failed;
}

void tally_free(struct tally *tally)
{
	if (!tally)
		return;
	tally_places_free(tally->places);
	free(tally->rows);
	free(tally);
}

/* What a row is called, and what stands behind it */
static const char *row_name(const struct tally *tally, const struct row *row)
{
	if (tally->by == TALLY_THREAD)
		return *row->owner.name ? row->owner.name : "[thread]";
	if (tally->by == TALLY_PROCESS)
		return *row->owner.name ? row->owner.name : "[process]";
	if (tally->by == TALLY_CGROUP)
		return *row->owner.name ? row->owner.name : "[unknown]";
	if (tally->by == TALLY_DSO)
		return *row->function->file ? row->function->file : "[unknown]";
	if (row->place)
		return row->place->name;
	return row->function->name;
}

static uint64_t sort_key(const struct tally_counts *counts, enum tally_sort sort)
{
	switch (sort) {
	case TALLY_CALLS:
		return counts->calls;
	case TALLY_TAKEN:
		return counts->taken;
	case TALLY_NOT_TAKEN:
		return counts->not_taken;
	case TALLY_INSTRUCTIONS:
		return counts->instructions;
	default:
		return 0;
	}
}

/* what compare_rows() sorts for */
struct order {
	const struct tally *tally;
	enum tally_sort sort;
};

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct order *order = ctx;
	const struct row *x = a, *y = b;
	const uint64_t keys[2][2] = {
		{sort_key(&x->counts, order->sort), sort_key(&y->counts, order->sort)},
		{x->counts.instructions, y->counts.instructions},
	};
	int by_name;

	for (size_t i = 0; i < 2 && order->sort != TALLY_NAME; i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] > keys[i][1] ? -1 : 1;
	by_name = strcmp(row_name(order->tally, x), row_name(order->tally, y));
	if (by_name)
		return by_name;
	by_name = strcmp(x->function->file, y->function->file);
	if (!by_name && x->place)
		return tally_place_compare(x->place, y->place);
	return by_name ? by_name
		       : (x->owner.number > y->owner.number) - (x->owner.number < y->owner.number);
}

/* Rows that count something, to the front, sorted. Nothing may be counted any more. */
static size_t sort_rows(struct tally *tally, enum tally_sort sort)
{
	struct order order = {tally, sort};
	size_t used = 0;

	for (size_t i = 0; i < tally->count; i++) {
		const struct row row = tally->rows[i];

		if (!row.used)
			continue;
		tally->rows[i] = tally->rows[used];
		tally->rows[used++] = row;
	}
	if (used)
		qsort_r(tally->rows, used, sizeof(*tally->rows), compare_rows, &order);
	return used;
}

static double share_of(uint64_t instructions, uint64_t all)
{
	return all ? 100.0 * (double)instructions / (double)all : 0.0;
}

static void print_row(const struct tally *tally, const struct row *row, uint64_t all, size_t width,
		      FILE *out)
{
	const struct tally_counts *counts = &row->counts;
	size_t columns = width;

	if (width)
		columns =
			width < COUNTS_WIDTH + SHORTEN_LEAST ? SHORTEN_LEAST : width - COUNTS_WIDTH;
	summary_print_share(share_of(counts->instructions, all), out);
	print(out, " %14" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "  ",
	      counts->instructions, counts->calls, counts->taken, counts->not_taken);
	switch (tally->by) {
	case TALLY_THREAD:
	case TALLY_PROCESS:
		print(out, "%s %" PRId32 "\n", row_name(tally, row), row->owner.number);
		break;
	case TALLY_DSO:
	case TALLY_CGROUP:
		shorten_print(row_name(tally, row), columns, out);
		fputc('\n', out);
		break;
	default:
		shorten_print_function(row_name(tally, row), row->function->file, columns, out);
		break;
	}
}

void tally_print(struct tally *tally, const struct tally_rows *rows, FILE *out)
{
	static const char *const titles[] = {
		[TALLY_FUNCTION] = "function", [TALLY_DSO] = "file",
		[TALLY_LINE] = "source line",  [TALLY_ADDRESS] = "instruction",
		[TALLY_THREAD] = "thread",     [TALLY_PROCESS] = "process",
		[TALLY_CGROUP] = "cgroup"};
	const uint64_t all = tally_total(tally).instructions;
	const size_t count = sort_rows(tally, rows->sort);
	size_t printed = 0;
	uint64_t left = 0;

	print(out, "%7s %14s %12s %12s %12s  %s\n", "share", "instructions", "calls", "taken",
	      "not taken", titles[tally->by]);
	for (size_t i = 0; i < count; i++) {
		const uint64_t instructions = tally->rows[i].counts.instructions;

		if ((rows->limit && printed == rows->limit) ||
		    share_of(instructions, all) < rows->least) {
			left += instructions;
		} else {
			print_row(tally, &tally->rows[i], all, rows->width, out);
			printed++;
		}
	}
	if (printed < count)
		print(out, "%6.2f%% %14" PRIu64 " in %zu more: --limit=0%s shows all\n",
		      share_of(left, all), left, count - printed,
		      rows->least > 0 ? " --percent-limit=0" : "");
	left = tally->others.instructions;
	if (left)
		print(out, "%6.2f%% %14" PRIu64 " in other code, which --filter leaves out\n",
		      share_of(left, all), left);
}
