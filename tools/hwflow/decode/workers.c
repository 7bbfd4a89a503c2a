// SPDX-License-Identifier: GPL-2.0-only
/* Worker processes. */
#include "workers.h"

#include <assert.h>
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/progress.h"

/* Address space of a log; memory is used as far as it is written */
#define LOG_ROOM (UINT64_C(1) << 30)
/* A log that was longer gives its memory back when it was read */
#define LOG_KEPT (UINT64_C(1) << 25)

/* Logs of a worker */
#define LOGS ((size_t)2)

/**
 * struct slot - a log, and whose turn it is; shared by the processes
 * @empty: the worker may write it
 * @asked: it has questions
 * @answered: the upper half of its memory has the answers
 * @filled: it may be read
 * @size: bytes written
 */
struct slot {
	sem_t empty;
	sem_t asked;
	sem_t answered;
	sem_t filled;
	size_t size;
};

/**
 * struct workers - see workers.h
 * @shards: what they decode
 * @jobs: how many
 * @pids: of the processes; 0: it has ended
 * @work: what they do
 * @news: of the first process: some slot has questions, or was filled; shared
 * @slots: LOGS a worker
 * @logs: memory of the logs
 * @asked: the first shard of the batch that is answered next
 * @opened: batches that were read, or passed over
 * @at: in the log of the last one of them: the first entry that was not read yet
 * @next: the shard that comes next there
 * @reading: that log can be read
 */
struct workers {
	const struct shards *shards;
	unsigned int jobs;
	pid_t *pids;
	struct work work;
	sem_t *news;
	struct slot *slots;
	uint8_t *logs;
	size_t asked;
	size_t opened;
	size_t at;
	size_t next;
	bool reading;
};

/* A worker goes from one of its logs to the other. */
static size_t slot_of(const struct workers *workers, size_t batch)
{
	const size_t jobs = workers->jobs;

	assert(jobs);
	return batch % jobs + batch / jobs % LOGS * jobs;
}

static uint8_t *log_of(const struct workers *workers, size_t slot)
{
	return workers->logs + slot * LOG_ROOM;
}

/* The upper half of a log's memory is for answers. */
static uint8_t *answers_of(const struct workers *workers, size_t slot)
{
	return log_of(workers, slot) + LOG_ROOM / 2;
}

/* Shards of the batch that begins with shard number @first */
static size_t batch_size(const struct shards *shards, size_t first)
{
	size_t end = first;

	while (end < shards->count && shards->items[end].batch == shards->items[first].batch)
		end++;
	return end - first;
}

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) && errno == EINTR)
		;
}

/* What has to be known before a batch is decoded */
static void ask(const struct workers *workers, size_t number, const struct shard *shards,
		size_t count)
{
	const struct work *work = &workers->work;
	struct slot *slot = &workers->slots[number];
	struct work_log log = {.bytes = log_of(workers, number), .room = LOG_ROOM / 2};

	work_log_shard(&log);
	work->questions->ask(work->ctx, shards, count, &log);
	work_log_end_shard(&log);
	sem_post(&slot->asked);
	sem_post(workers->news);
	wait_for(&slot->answered);
	work->questions->answered(work->ctx, answers_of(workers, number));
}

/* All batches of one worker */
static void work_on(const struct workers *workers, unsigned int number)
{
	const struct shards *shards = workers->shards;
	const struct work *work = &workers->work;

	work->begin(work->ctx);
	for (size_t first = 0; first < shards->count; first += batch_size(shards, first)) {
		const size_t count = batch_size(shards, first);
		const size_t batch = shards->items[first].batch;
		struct slot *slot = &workers->slots[slot_of(workers, batch)];
		struct work_log log = {.bytes = log_of(workers, slot_of(workers, batch)),
				       .room = work->questions ? LOG_ROOM / 2 : LOG_ROOM};

		if (batch % workers->jobs != number)
			continue;
		wait_for(&slot->empty);
		if (work->questions)
			ask(workers, slot_of(workers, batch), &shards->items[first], count);
		for (size_t i = first; i < first + count; i++) {
			work_log_shard(&log);
			work->shard(work->ctx, &shards->items[i], &log);
			work_log_end_shard(&log);
		}
		slot->size = log.size;
		sem_post(&slot->filled);
		sem_post(workers->news);
	}
}

static void start(struct workers *workers, unsigned int number)
{
	const pid_t parent = getpid();
	const pid_t pid = fork();

	if (pid > 0)
		workers->pids[number] = pid;
	if (pid)
		return;
	/* what stands in buffers is the parent's to write; ^C reaches all, and so does its end */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	progress_silence();
	work_on(workers, number);
	_exit(0);
}

static void *shared_memory(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

int workers_start(struct workers **result, const struct shards *shards, unsigned int jobs,
		  const struct work *work)
{
	const size_t slots = LOGS * jobs;
	struct workers *workers = jobs ? calloc(1, sizeof(*workers)) : NULL;

	if (!workers)
		return jobs ? -ENOMEM : -EINVAL;
	workers->shards = shards;
	workers->jobs = jobs;
	workers->work = *work;
	workers->pids = calloc(jobs, sizeof(*workers->pids));
	workers->slots = shared_memory(slots * sizeof(*workers->slots));
	workers->logs = shared_memory(slots * LOG_ROOM);
	workers->news = shared_memory(sizeof(*workers->news));
	if (!workers->pids || !workers->slots || !workers->logs || !workers->news) {
		workers_stop(workers);
		return -ENOMEM;
	}
	for (size_t i = 0; i < slots; i++) {
		sem_init(&workers->slots[i].empty, 1, 1);
		sem_init(&workers->slots[i].asked, 1, 0);
		sem_init(&workers->slots[i].answered, 1, 0);
		sem_init(&workers->slots[i].filled, 1, 0);
	}
	sem_init(workers->news, 1, 0);
	fflush(NULL);
	for (unsigned int i = 0; i < jobs; i++)
		start(workers, i);
	*result = workers;
	return 0;
}

/*
 * Answers the next batch, if its worker has asked, and @batch is waited for. A worker that has
 * ended asks no more: its batches are passed over once they are waited for. Returns false if there
 * is nothing to answer yet.
 */
static bool answer_next(struct workers *workers, size_t batch)
{
	const struct work *work = &workers->work;
	const struct shard *next = &workers->shards->items[workers->asked];
	const size_t count = batch_size(workers->shards, workers->asked);
	const size_t number = count ? slot_of(workers, next->batch) : 0;
	struct work_log answers = {.bytes = answers_of(workers, number), .room = LOG_ROOM / 2};
	struct slot *slot = &workers->slots[number];

	if (!work->questions || !count || sem_trywait(&slot->asked)) {
		if (!work->questions || !count || next->batch >= batch)
			return false;
		/* its worker has ended */
		workers->asked += count;
		return true;
	}
	work_log_shard(&answers);
	if (!work->questions->answer(work->ctx, next, count, log_of(workers, number), &answers,
				     next->batch <= batch)) {
		sem_post(&slot->asked);
		return false;
	}
	work_log_end_shard(&answers);
	workers->asked += count;
	sem_post(&slot->answered);
	return true;
}

/* Waits for a log; false if its worker has ended without it. */
static bool wait_filled(struct workers *workers, size_t batch)
{
	struct slot *slot = &workers->slots[slot_of(workers, batch)];
	pid_t *pid = &workers->pids[batch % workers->jobs];

	for (;;) {
		struct timespec until;

		while (answer_next(workers, batch))
			;
		if (!sem_trywait(&slot->filled))
			return true;
		if (!*pid)
			return false;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		if (sem_timedwait(workers->news, &until) && waitpid(*pid, NULL, WNOHANG) == *pid)
			*pid = 0;
	}
}

/* The last batch was read: its log may be filled again. */
static void release(struct workers *workers)
{
	const size_t number = slot_of(workers, workers->opened - 1);
	struct slot *slot = &workers->slots[number];

	if (!workers->reading)
		return;
	workers->reading = false;
	if (slot->size > LOG_KEPT)
		madvise(log_of(workers, number), slot->size, MADV_REMOVE);
	sem_post(&slot->empty);
}

/* The batch behind the last one: its first shard comes next. */
static void open_next(struct workers *workers)
{
	const struct shards *shards = workers->shards;

	if (workers->opened)
		release(workers);
	while (shards->items[workers->next].batch < workers->opened)
		workers->next++;
	workers->at = 0;
	workers->reading = wait_filled(workers, workers->opened);
	workers->opened++;
}

const uint8_t *workers_take(struct workers *workers, size_t index, size_t *at)
{
	const size_t batch = workers->shards->items[index].batch;
	const uint8_t *const log = log_of(workers, slot_of(workers, batch));
	struct work_entry entry = {0};
	size_t size;

	while (workers->opened <= batch)
		open_next(workers);
	if (!workers->reading)
		return NULL;
	size = workers->slots[slot_of(workers, batch)].size;
	while (workers->next <= index && workers->at < size) {
		workers->at = work_log_next(log, workers->at, &entry);
		if (entry.kind == WORK_SHARD)
			workers->next++;
	}
	if (entry.kind != WORK_SHARD)
		return NULL;
	*at = workers->at;
	work_log_next(log, workers->at, &entry);
	return entry.kind == WORK_FAILED ? NULL : log;
}

void workers_stop(struct workers *workers)
{
	if (!workers)
		return;
	for (unsigned int i = 0; workers->pids && i < workers->jobs; i++) {
		if (!workers->pids[i])
			continue;
		kill(workers->pids[i], SIGKILL);
		waitpid(workers->pids[i], NULL, 0);
	}
	if (workers->slots)
		munmap(workers->slots, LOGS * workers->jobs * sizeof(*workers->slots));
	if (workers->logs)
		munmap(workers->logs, LOGS * workers->jobs * LOG_ROOM);
	if (workers->news)
		munmap(workers->news, sizeof(*workers->news));
	free(workers->pids);
	free(workers);
}
