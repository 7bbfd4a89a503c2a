// SPDX-License-Identifier: GPL-2.0-only
/* What happens to the process: programs begun, mappings, forks, names. */
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "plugin.h"

#define FIRST_WINDOW ((size_t)1 << 16)
#define MAX_TEXT     PATH_MAX

_Static_assert(sizeof(struct run_event) + MAX_TEXT + 7 <= STREAM_SLACK,
	       "a record fits into the slack");

static struct stream events;
static pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;

void event_write(const struct run_event *event, const char *text)
{
	struct run_event record = *event;
	size_t length = text ? strnlen(text, MAX_TEXT) : 0;

	record.text = (uint16_t)length;
	record.size = (uint32_t)((sizeof(record) + length + 7) & ~(size_t)7);
	pthread_mutex_lock(&events_lock);
	if (!events.base && stream_open(&events, "events", getpid(), 0, FIRST_WINDOW))
		goto unlock;
	/* a stream that could not be moved on has less room than that left */
	if (events.pos > events.limit && stream_advance(&events))
		goto unlock;
	if (length)
		memcpy(events.pos + sizeof(record), text, length);
	/* the size makes it a record: last */
	memcpy(events.pos + sizeof(record.size), (uint8_t *)&record + sizeof(record.size),
	       sizeof(record) - sizeof(record.size));
	__atomic_store_n((uint32_t *)(void *)events.pos, record.size, __ATOMIC_RELEASE);
	events.pos += record.size;
unlock:
	pthread_mutex_unlock(&events_lock);
}

void event_simple(enum run_event_kind kind, uint64_t time, uint64_t a, uint64_t b, const char *text)
{
	struct run_event event = {.kind = (uint16_t)kind,
				  .time = time,
				  .pid = getpid(),
				  .tid = gettid(),
				  .a = a,
				  .b = b};

	event_write(&event, text);
}

/* The parent's file stays the parent's. */
void event_fork_child(void)
{
	pthread_mutex_init(&events_lock, NULL);
	stream_close(&events, false);
	memset(&events, 0, sizeof(events));
}
