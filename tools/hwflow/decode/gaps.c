// SPDX-License-Identifier: GPL-2.0-only
/* Gaps, counted by kind. */
#include "gaps.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/progress.h"
#include "base/text.h"
#include "hwflow/image.h"
#include "program/jit_files.h"
#include "source/input_private.h"
#include "source/protocol.h"

/* The beginning of a piece is this part of it */
#define EARLY 8u

/* struct node - of gaps.tree: the number of a kind, and the parts that identify the kind */
struct node {
	const char *reason;
	const char *file;
	size_t index;
};

/**
 * struct gaps - see gaps.h
 * @input: has them
 * @all: each was reported
 * @kinds: in the order in which they were found
 * @count: how many kinds
 * @tree: of struct node
 * @open: number of the kind of the last gap, if @is_open
 * @open_at: its offset
 * @is_open: execution is not known since the last gap
 * @is_early: the first gap is in the first part of its piece, EARLY of it
 * @has_nonsense: there are bytes that are no packet, or code contradicts the trace
 * @failed: memory ran out: kinds are missing
 * @taker: takes gaps in place of the list; NULL: the list does
 * @taker_ctx: first argument of its functions
 */
struct gaps {
	const struct input *input;
	bool all;
	struct gap_kind *kinds;
	size_t count;
	void *tree;
	size_t open;
	uint64_t open_at;
	bool is_open;
	bool is_early;
	bool has_nonsense;
	bool failed;
	const struct gaps_taker *taker;
	void *taker_ctx;
};

static int compare_nodes(const void *a, const void *b)
{
	const struct node *x = a, *y = b;
	const int order = strcmp(x->reason, y->reason);

	return order ? order : strcmp(x->file ? x->file : "", y->file ? y->file : "");
}

struct gap gap_of_loss(const struct input_source *source, const struct input_piece *piece)
{
	return (struct gap){.source = source,
			    .piece = piece,
			    .offset = piece->at,
			    .in_file = true,
			    .tid = piece->tid,
			    .reason = piece->lost,
			    .remedy = ""};
}

struct gaps *gaps_new(const struct input *input, bool all)
{
	struct gaps *gaps = calloc(1, sizeof(*gaps));

	if (gaps)
		*gaps = (struct gaps){.input = input, .all = all};
	return gaps;
}

/* The file that the code at the gap is mapped from, whether that can be read or not */
static const char *file_of(const struct gap *gap)
{
	struct hwf_image_place place;

	if (!gap->has_address || !hwf_image_find(gap->space, gap->address, &place) || !place.file)
		return NULL;
	return hwf_image_file_name(place.file);
}

void gaps_place(const struct gaps *gaps, const struct gap *gap, char text[GAPS_PLACE])
{
	int at;

	if (gaps->input->stored) {
		snprintf(text, GAPS_PLACE, "%s", gaps->input->path);
		return;
	}
	at = snprintf(text, GAPS_PLACE, "%.100s", gap->source->name);
	if (gaps->input->is_perfdata)
		at += snprintf(text + at, (size_t)(GAPS_PLACE - at), ", AUX record %zu",
			       gap->piece->number);
	if (gaps->input->is_perfdata && gap->source->tid == INPUT_ANY && gap->tid != INPUT_ANY)
		at += snprintf(text + at, (size_t)(GAPS_PLACE - at), ", thread %" PRId32, gap->tid);
	at += snprintf(text + at, (size_t)(GAPS_PLACE - at), ": %soffset %#" PRIx64,
		       gap->in_file ? "file " : "", gap->offset);
	if (gap->has_address)
		snprintf(text + at, (size_t)(GAPS_PLACE - at), ": %#" PRIx64, gap->address);
	else if (gap->has_header)
		snprintf(text + at, (size_t)(GAPS_PLACE - at), ": header 0x%02x", gap->header);
}

/* What to do about the gap. jit-PID.dump has the code as it was when the program wrote the file. */
static const char *remedy_of(const struct gap *gap, const char *file)
{
	if (gap->contradicts && file && jit_is_dump_name(file))
		return " (the program changed this code after it wrote it to the file)";
	return gap->remedy;
}

static void print_gap(const char *place, const char *reason, const char *file, const char *remedy)
{
	print(stderr, "hwflow: %s: %s%s%s%s", place, reason, file ? ", in " : "", file ? file : "",
	      remedy);
}

static bool is_nonsense(const struct gap *gap)
{
	return gap->contradicts || !strcmp(gap->reason, hwf_err_text(HWF_ERR_RESERVED)) ||
	       !strcmp(gap->reason, hwf_err_text(HWF_ERR_BAD_PAYLOAD));
}

/* The kind of a gap, a new one where there is none; NULL without memory */
static struct gap_kind *get_kind(struct gaps *gaps, const struct gap *gap, const char *file)
{
	const struct node key = {gap->reason, file, gaps->count};
	struct gap_kind *kinds, *kind;
	char place[GAPS_PLACE];
	struct node *node;
	void *found = tfind(&key, &gaps->tree, compare_nodes);

	if (found)
		return &gaps->kinds[(*(struct node **)found)->index];
	kinds = reallocarray(gaps->kinds, gaps->count + 1, sizeof(*kinds));
	if (!kinds)
		return NULL;
	gaps->kinds = kinds;
	kind = &kinds[gaps->count];
	gaps_place(gaps, gap, place);
	*kind = (struct gap_kind){.reason = gap->reason,
				  .remedy = remedy_of(gap, file),
				  .file = file ? strdup(file) : NULL,
				  .first = strdup(place)};
	node = malloc(sizeof(*node));
	if (node)
		*node = (struct node){gap->reason, kind->file, gaps->count};
	if ((file && !kind->file) || !kind->first || !node ||
	    !tsearch(node, &gaps->tree, compare_nodes)) {
		free(kind->file);
		free(kind->first);
		free(node);
		return NULL;
	}
	gaps->count++;
	return kind;
}

void gaps_add(struct gaps *gaps, const struct gap *gap)
{
	const char *file = file_of(gap);

	if (gaps->taker)
		gaps->taker->add(gaps->taker_ctx, gap, file);
	else
		gaps_add_in(gaps, gap, file);
}

static void drop_gap(void *ctx, const struct gap *gap, const char *file)
{
	(void)ctx;
	(void)gap;
	(void)file;
}

static void drop_resume(void *ctx, uint64_t offset)
{
	(void)ctx;
	(void)offset;
}

const struct gaps_taker gaps_nobody = {drop_gap, drop_resume};

void gaps_forward(struct gaps *gaps, const struct gaps_taker *taker, void *ctx)
{
	gaps->taker = taker;
	gaps->taker_ctx = ctx;
}

void gaps_add_in(struct gaps *gaps, const struct gap *gap, const char *file)
{
	struct gap_kind *kind;
	char place[GAPS_PLACE];

	gaps_resume(gaps, gap->offset);
	if (gaps->all) {
		progress_hide();
		text_stdout_flush();
		gaps_place(gaps, gap, place);
		print_gap(place, gap->reason, file, remedy_of(gap, file));
		fputc('\n', stderr);
	}
	if (!gaps->count)
		gaps->is_early = !gap->in_file && gap->offset <= gap->piece->length / EARLY;
	gaps->has_nonsense |= is_nonsense(gap);
	kind = get_kind(gaps, gap, file);
	if (!kind) {
		gaps->failed = true;
		return;
	}
	kind->count++;
	gaps->open = (size_t)(kind - gaps->kinds);
	gaps->open_at = gap->offset;
	gaps->is_open = !gap->in_file;
}

void gaps_add_sum(struct gaps *gaps, const char *reason, uint64_t count, uint64_t bytes)
{
	const struct gap gap = {
		.source = &gaps->input->sources[0],
		.piece = &gaps->input->sources[0].pieces[0],
		.reason = reason,
		.remedy = "",
	};
	struct gap_kind *kind = get_kind(gaps, &gap, NULL);

	if (!kind) {
		gaps->failed = true;
		return;
	}
	kind->count += count;
	kind->bytes += bytes;
}

void gaps_resume(struct gaps *gaps, uint64_t offset)
{
	if (gaps->taker) {
		gaps->taker->resume(gaps->taker_ctx, offset);
		return;
	}
	if (gaps->is_open && offset > gaps->open_at)
		gaps->kinds[gaps->open].bytes += offset - gaps->open_at;
	gaps->is_open = false;
}

const struct gap_kind *gaps_kinds(const struct gaps *gaps, size_t *count)
{
	*count = gaps->count;
	return gaps->kinds;
}

/* Is most of the trace of code that is not there, although the program was given? */
static bool is_mostly_elsewhere(const struct gaps *gaps)
{
	const struct input_state *state = gaps->input->private_data;
	uint64_t bytes = 0;

	for (size_t i = 0; i < gaps->count; i++)
		if (!strcmp(gaps->kinds[i].reason, hwf_gap_text(HWF_GAP_NO_IMAGE)))
			bytes += gaps->kinds[i].bytes;
	return state->options->image_count && bytes > input_bytes(gaps->input) / 2;
}

/* How raw bytes are to be read is known from options only. What is wrong in them shows at once. */
static void print_suspects(const struct gaps *gaps)
{
	const struct input *input = gaps->input;

	if (!input->is_raw || !gaps->is_early ||
	    (!gaps->has_nonsense && !is_mostly_elsewhere(gaps)))
		return;
	if (input->sources[0].protocol->dialect)
		print(stderr,
		      "hwflow: %s: trace and program do not match from the beginning on; check "
		      "--dialect, --framing, the parameters of --config (iaddress_lsb_p, "
		      "context_width_p and others) and --image\n",
		      input->path);
	else
		print(stderr,
		      "hwflow: %s: trace and program do not match from the beginning on; check "
		      "--protocol, --framing, the registers of --config and --image\n",
		      input->path);
}

void gaps_print(const struct gaps *gaps)
{
	for (size_t i = 0; i < gaps->count && !gaps->all; i++) {
		const struct gap_kind *kind = &gaps->kinds[i];

		if (!i) {
			progress_hide();
			text_stdout_flush();
		}
		print_gap(kind->first, kind->reason, kind->file, kind->remedy);
		if (kind->count > 1)
			print(stderr, "; %" PRIu64 " times", kind->count);
		if (kind->count > 1 && kind->bytes)
			print(stderr, ", %" PRIu64 " bytes of trace", kind->bytes);
		print(stderr, "%s\n",
		      kind->count > 1 && !gaps->input->stored ? "; --gaps=all shows each" : "");
	}
	if (gaps->count)
		print_suspects(gaps);
	if (gaps->failed)
		fputs("hwflow: out of memory: kinds of gaps are missing\n", stderr);
}

void gaps_free(struct gaps *gaps)
{
	if (!gaps)
		return;
	tdestroy(gaps->tree, free);
	for (size_t i = 0; i < gaps->count; i++) {
		free(gaps->kinds[i].file);
		free(gaps->kinds[i].first);
	}
	free(gaps->kinds);
	free(gaps);
}
