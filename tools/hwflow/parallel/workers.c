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

#include "cli/progress.h"

/* Address space of a log; memory is used as far as it is written */
#define LOG_ROOM (UINT64_C(1) << 30)
/* A log that was longer gives its memory back when it was read */
#define LOG_KEPT (UINT64_C(1) << 25)

/* Logs of a worker */
#define LOGS ((size_t)2)

/**
 * struct slot - a log, and whose turn it is; shared by the processes
 * @empty: the worker may write it
 * @filled: it may be read
 * @size: bytes written
 */
struct slot {
	sem_t empty;
	sem_t filled;
	size_t size;
};

/**
 * struct workers - see workers.h
 * @shards: what they decode
 * @jobs: how many
 * @pids: of the processes; 0: it has ended
 * @slots: LOGS a worker
 * @logs: memory of the logs
 * @opened: batches that were read, or passed over
 * @at: in the log of the last one of them: the first entry that was not read yet
 * @next: the shard that comes next there
 * @reading: that log can be read
 */
struct workers {
	const struct shards *shards;
	unsigned int jobs;
	pid_t *pids;
	struct slot *slots;
	uint8_t *logs;
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

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) && errno == EINTR)
		;
}

/* All batches of one worker; it never returns from there. */
static void work_on(const struct workers *workers, unsigned int number, const struct work *work)
{
	const struct shards *shards = workers->shards;
	size_t i = 0;

	work->begin(work->ctx);
	while (i < shards->count) {
		const size_t batch = shards->items[i].batch;
		struct slot *slot = &workers->slots[slot_of(workers, batch)];
		struct work_log log = {.bytes = log_of(workers, slot_of(workers, batch)),
				       .room = LOG_ROOM};

		if (batch % workers->jobs != number) {
			i++;
			continue;
		}
		wait_for(&slot->empty);
		for (; i < shards->count && shards->items[i].batch == batch; i++) {
			work_log_shard(&log);
			work->shard(work->ctx, &shards->items[i], &log);
			work_log_end_shard(&log);
		}
		slot->size = log.size;
		sem_post(&slot->filled);
	}
}

static void start(struct workers *workers, unsigned int number, const struct work *work)
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
	work_on(workers, number, work);
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
	workers->pids = calloc(jobs, sizeof(*workers->pids));
	workers->slots = shared_memory(slots * sizeof(*workers->slots));
	workers->logs = shared_memory(slots * LOG_ROOM);
	if (!workers->pids || !workers->slots || !workers->logs) {
		workers_stop(workers);
		return -ENOMEM;
	}
	for (size_t i = 0; i < slots; i++) {
		sem_init(&workers->slots[i].empty, 1, 1);
		sem_init(&workers->slots[i].filled, 1, 0);
	}
	fflush(NULL);
	for (unsigned int i = 0; i < jobs; i++)
		start(workers, i, work);
	*result = workers;
	return 0;
}

/* Waits for a log; false if its worker has ended without it. */
static bool wait_filled(struct workers *workers, size_t batch)
{
	struct slot *slot = &workers->slots[slot_of(workers, batch)];
	pid_t *pid = &workers->pids[batch % workers->jobs];

	for (;;) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
		if (!sem_timedwait(&slot->filled, &until))
			return true;
		if (*pid && waitpid(*pid, NULL, WNOHANG) == *pid)
			*pid = 0;
		if (!*pid)
			return !sem_trywait(&slot->filled);
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
	free(workers->pids);
	free(workers);
}
