// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shards in order: those that workers went through, and those that have to be gone through again.
 *
 *	shard  j          k-1         k           k+1
 *	|~~~~~~|..........|...........|...........|........
 *	from   begin      end
 *
 * If the state at the beginning of shard k is not that at the end of shard k-1, this process
 * decodes it again. It begins where the decoder of j has begun, the last shard that had the right
 * state at its beginning, and so has the right state, too. Shard k+1 may fit then. If it does not,
 * two shards are decoded again, then four, and so on: all of this takes no longer than twice the
 * time of one process.
 */
#include "ahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/progress.h"

/* A shard is no shorter: to start a process takes as long as to decode that */
#define LEAST_BYTES 0x8000u
/* Shards for each process, so that all of them end at about the same time */
#define SHARDS_EACH 8u

/**
 * struct ahead - see ahead.h
 * @work: what is done
 * @shards: all of them
 * @workers: who go through them
 * @next: the shard that comes next
 * @joined: the last shard of the piece that had the right state at its beginning, or the first
 * @again: shards that are decoded again if the next one does not fit
 * @state: where the shard before it ended
 * @state_size: bytes of @state; 0: it is not known
 */
struct ahead {
	struct ahead_work work;
	struct shards shards;
	struct workers *workers;
	size_t next;
	size_t joined;
	size_t again;
	uint8_t state[AHEAD_STATE];
	size_t state_size;
};

/* Bytes of trace in a shard; tests set the environment, so that traces of some KB have many shards
 */
static size_t shard_bytes(const struct input *input, const struct input_source *sources,
			  size_t count, size_t most)
{
	const char *for_tests = getenv("HWFLOW_SHARD_BYTES");
	size_t bytes = for_tests ? strtoul(for_tests, NULL, 10) : 0;

	if (bytes)
		return bytes;
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < sources[i].piece_count; j++)
			bytes += sources[i].pieces[j].length;
	bytes /= (size_t)SHARDS_EACH * input->jobs;
	return bytes < LEAST_BYTES ? LEAST_BYTES : bytes > most ? most : bytes;
}

struct ahead *ahead_new(struct input *input, const struct input_source *sources, size_t count,
			const struct ahead_work *work)
{
	const struct work in_worker = {
		.begin = work->begin,
		.shard = work->shard,
		.questions = work->questions,
		.ctx = work->ctx,
	};
	struct ahead *ahead = input->jobs > 1 ? calloc(1, sizeof(*ahead)) : NULL;

	if (!ahead)
		return NULL;
	ahead->work = *work;
	if (!shards_plan(&ahead->shards, sources, count,
			 shard_bytes(input, sources, count, work->most), work->warmth) &&
	    ahead->shards.count > 1 &&
	    !workers_start(&ahead->workers, &ahead->shards, input->jobs, &in_worker))
		return ahead;
	ahead_free(ahead);
	return NULL;
}

bool ahead_is_next(const struct ahead *ahead, const struct input_piece *piece)
{
	return ahead->next < ahead->shards.count && ahead->shards.items[ahead->next].piece == piece;
}

/* Does a shard go on where the one before it ended? */
static bool is_joined(const struct ahead *ahead, const struct shard *shard, const uint8_t *log,
		      size_t at)
{
	struct work_entry entry;

	if (!shard->span.begin)
		return true;
	do {
		at = work_log_next(log, at, &entry);
	} while (entry.kind == WORK_SPACE || entry.kind == WORK_MESSAGE);
	return entry.kind == WORK_BEGIN && ahead->state_size && entry.size == ahead->state_size &&
	       !memcmp(entry.data, ahead->state, entry.size);
}

static void take_shard(struct ahead *ahead, const uint8_t *log, size_t at, const bool *stop)
{
	struct work_entry entry;

	ahead->state_size = 0;
	do {
		at = work_log_next(log, at, &entry);
		if (entry.kind == WORK_END && entry.size <= sizeof(ahead->state)) {
			ahead->state_size = entry.size;
			memcpy(ahead->state, entry.data, entry.size);
		}
		ahead->work.entry(ahead->work.ctx, &entry);
	} while (entry.kind != WORK_DONE && !(stop && *stop));
}

void ahead_reached(struct ahead *ahead, const uint8_t *state, size_t size)
{
	ahead->state_size = size <= sizeof(ahead->state) ? size : 0;
	memcpy(ahead->state, state, ahead->state_size);
}

/* The next shards are decoded in this process: @next goes to the last of them. */
static int decode_again(struct ahead *ahead)
{
	const struct shard *first = &ahead->shards.items[ahead->next];
	struct shard shard = *first;

	for (size_t i = 1; i < ahead->again && ahead->next + 1 < ahead->shards.count &&
			   ahead->shards.items[ahead->next + 1].piece == first->piece;
	     i++)
		ahead->next++;
	ahead->again *= 2;
	ahead->state_size = 0;
	shard.span.from = ahead->shards.items[ahead->joined].span.from;
	shard.span.end = ahead->shards.items[ahead->next].span.end;
	return ahead->work.again(ahead->work.ctx, &shard);
}

int ahead_take(struct ahead *ahead, const bool *stop)
{
	const struct input_piece *piece = ahead->shards.items[ahead->next].piece;
	int status = 0;

	ahead->joined = ahead->next;
	ahead->again = 1;

	for (; !status && ahead_is_next(ahead, piece); ahead->next++) {
		const struct shard *shard = &ahead->shards.items[ahead->next];
		const uint8_t *log;
		size_t at;

		if (stop && *stop)
			continue;
		log = workers_take(ahead->workers, ahead->next, &at);
		if (!log || !is_joined(ahead, shard, log, at) ||
		    (ahead->work.start && !ahead->work.start(ahead->work.ctx, shard))) {
			status = decode_again(ahead);
			continue;
		}
		ahead->joined = ahead->next;
		ahead->again = 1;
		take_shard(ahead, log, at, stop);
		progress_add(shard->span.end - shard->span.begin);
	}
	while (ahead_is_next(ahead, piece))
		ahead->next++;
	return status;
}

void ahead_free(struct ahead *ahead)
{
	if (!ahead)
		return;
	workers_stop(ahead->workers);
	shards_free(&ahead->shards);
	free(ahead);
}
