// SPDX-License-Identifier: GPL-2.0-only
/* Two sides that do not agree: where they part, and whether the other one says that it cannot. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

void bench_trouble_say(struct bench_trouble *trouble, const char *format, ...)
{
	va_list args;

	if (trouble->count++)
		return;
	va_start(args, format);
	vsnprintf(trouble->first, sizeof(trouble->first), format, args);
	va_end(args);
}

static void add_sum(struct bench_watch *watch, uint64_t sum)
{
	if (watch->sum_count == watch->sum_room) {
		size_t room = watch->sum_room ? 2 * watch->sum_room : 1024;
		uint64_t *sums = realloc(watch->sums, room * sizeof(*sums));

		if (!sums) {
			watch->failed = true;
			return;
		}
		watch->sums = sums;
		watch->sum_room = room;
	}
	watch->sums[watch->sum_count++] = sum;
}

void bench_watch_note(struct bench_watch *watch, uint64_t sum, uint64_t offset, uint64_t what,
		      uint32_t instructions)
{
	uint64_t index = watch->count++;

	watch->instructions += instructions;
	if (!watch->notes) {
		if (watch->count % BENCH_CHUNK == 0)
			add_sum(watch, sum);
		return;
	}
	if (index / BENCH_CHUNK != watch->wanted)
		return;
	watch->notes[watch->note_count++] = (struct bench_note){
		.sum = sum,
		.offset = offset,
		.what = what,
		.unit = watch->unit,
		.piece = watch->piece,
	};
}

/* One side, watched: sums of all chunks, or notes of one. Troubles go to @trouble. */
static int watch_side(const struct bench_side *side, const struct bench_run *like,
		      enum bench_kind kind, struct bench_watch *watch,
		      struct bench_trouble *trouble)
{
	struct bench_run run = *like;
	int err;

	run.watch = watch;
	watch->count = 0;
	watch->instructions = 0;
	err = side->run[kind](&run);
	*trouble = run.trouble;
	return err || watch->failed ? -1 : 0;
}

static size_t first_difference(const struct bench_watch *a, const struct bench_watch *b)
{
	size_t i = 0;

	while (i < a->sum_count && i < b->sum_count && a->sums[i] == b->sums[i])
		i++;
	return i;
}

static void name_item(enum bench_kind kind, const struct bench_watch *watch, size_t i, char *text,
		      size_t room)
{
	const struct bench_note *note = &watch->notes[i];

	if (i >= watch->note_count)
		snprintf(text, room, "nothing more");
	else if (kind == BENCH_PACKETS)
		snprintf(text, room, "%s at offset %" PRIu64,
			 hwf_ete_type_name((unsigned int)note->what), note->offset);
	else
		snprintf(text, room, "0x%" PRIx64 "-0x%" PRIx64, note->offset, note->what);
}

/*
 * What OpenCSD 1.3.3 is known to get wrong in a packet; NULL for anything else. Instrumentation is
 * of a later version of the protocol. Of a Cycle Count format 2 it takes the F bit, which says
 * how to read the commit, from the payload: the lowest bit of the count.
 */
static const char *known_fault(const struct bench_work *work, const struct bench_note *ours,
			       const struct bench_note *theirs)
{
	const struct bench_unit *unit = &work->units[ours->unit];
	const uint8_t *bytes = unit->pieces[ours->piece].bytes + ours->offset;

	if (ours->offset != theirs->offset)
		return NULL;
	if (ours->what == HWF_ETE_INSTRUMENTATION && theirs->what == HWF_ETE_RESERVED)
		return "it knows no Instrumentation packets";
	if (ours->what == HWF_ETE_CYCLE_COUNT_F2 && theirs->what == HWF_ETE_CYCLE_COUNT_F2 &&
	    !unit->config.commit_mode1 && (bytes[0] ^ bytes[1]) & 1)
		return "it reads the F bit of Cycle Count format 2 from the wrong byte";
	return NULL;
}

/* Within the chunk; true if the difference is a known fault of the other side */
static bool compare_notes(const struct bench_work *work, enum bench_kind kind,
			  const struct bench_watch *ours, const struct bench_watch *theirs,
			  char *reason, size_t room)
{
	const struct bench_note *note;
	const char *fault = NULL;
	char our_text[128];
	char their_text[128];
	size_t i = 0;

	while (i < ours->note_count && i < theirs->note_count &&
	       ours->notes[i].sum == theirs->notes[i].sum)
		i++;
	name_item(kind, ours, i, our_text, sizeof(our_text));
	name_item(kind, theirs, i, their_text, sizeof(their_text));
	note = i < ours->note_count ? &ours->notes[i] : &theirs->notes[i];
	if (kind == BENCH_PACKETS && i < ours->note_count && i < theirs->note_count)
		fault = known_fault(work, &ours->notes[i], &theirs->notes[i]);
	if (fault)
		snprintf(reason, room, "%s %s: %s (source %s piece %zu, %s)", bench_opencsd.name,
			 bench_opencsd.version(), fault, work->units[note->unit].name, note->piece,
			 our_text);
	else
		snprintf(reason, room, "source %s piece %zu, %s %zu: hwflow has %s, %s has %s",
			 work->units[note->unit].name, note->piece,
			 kind == BENCH_PACKETS ? "packet" : "range", ours->wanted * BENCH_CHUNK + i,
			 our_text, bench_opencsd.name, their_text);
	return fault != NULL;
}

/* Ranges cannot agree where packets do not, by a known fault. */
static bool blame_packets(const struct bench_run *like, char *reason, size_t room)
{
	struct bench_run ours = *like;
	struct bench_run theirs = *like;

	return !bench_ours.run[BENCH_PACKETS](&ours) &&
	       !bench_opencsd.run[BENCH_PACKETS](&theirs) && ours.sum != theirs.sum &&
	       bench_explain(like->work, BENCH_PACKETS, like->repeat, reason, room);
}

bool bench_explain(const struct bench_work *work, enum bench_kind kind, unsigned int repeat,
		   char *reason, size_t room)
{
	const struct bench_run like = {.work = work, .repeat = repeat};
	struct bench_watch ours = {0};
	struct bench_watch theirs = {0};
	struct bench_trouble trouble;
	struct bench_trouble our_trouble;
	bool excused = false;

	if (kind == BENCH_EXACT && blame_packets(&like, reason, room))
		return true;
	snprintf(reason, room, "the two sides differ, and out of memory to say where");
	if (watch_side(&bench_ours, &like, kind, &ours, &our_trouble) ||
	    watch_side(&bench_opencsd, &like, kind, &theirs, &trouble))
		goto out;
	ours.wanted = theirs.wanted = first_difference(&ours, &theirs);
	ours.notes = calloc(BENCH_CHUNK, sizeof(*ours.notes));
	theirs.notes = calloc(BENCH_CHUNK, sizeof(*theirs.notes));
	if (!ours.notes || !theirs.notes ||
	    watch_side(&bench_ours, &like, kind, &ours, &our_trouble) ||
	    watch_side(&bench_opencsd, &like, kind, &theirs, &trouble))
		goto out;
	excused = compare_notes(work, kind, &ours, &theirs, reason, room);
	if (!excused && trouble.count && !our_trouble.count) {
		excused = true;
		snprintf(reason, room, "%s %s: %s (%" PRIu64 " troubles in all)",
			 bench_opencsd.name, bench_opencsd.version(), trouble.first, trouble.count);
	}
out:
	free(ours.sums);
	free(ours.notes);
	free(theirs.sums);
	free(theirs.notes);
	return excused;
}
