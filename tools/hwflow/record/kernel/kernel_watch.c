// SPDX-License-Identifier: GPL-2.0-only
#include "kernel_watch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel_copy.h"
#include "record/uevents.h"

/* an announcement is no longer than this */
#define UEVENT_MAX 8192
#define UEVENT_ADD "add@/module/"

/* struct ksymbol - the beginning of a PERF_RECORD_KSYMBOL */
struct ksymbol {
	struct perf_event_header header;
	uint64_t address;
	uint32_t length;
	uint16_t type;
	uint16_t flags;
};

void kernel_watch_open(struct kernel_watch *watch, struct kernel_copy *copy)
{
	*watch = (struct kernel_watch){.copy = copy, .round = 1};
	watch->socket = record_uevents_open();
	if (watch->socket < 0)
		kernel_copy_lost(copy);
}

int kernel_watch_modules(struct kernel_watch *watch)
{
	char event[UEVENT_MAX + 1];
	ssize_t size;
	int error = 0;

	while (!error && watch->socket >= 0) {
		size = recv(watch->socket, event, UEVENT_MAX, 0);
		if (size < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (size < 0) {
			/* ENOBUFS: there were more announcements than the socket has room for */
			kernel_copy_lost(watch->copy);
			if (errno != ENOBUFS)
				break;
			continue;
		}
		event[size] = '\0';
		if (!strncmp(event, UEVENT_ADD, strlen(UEVENT_ADD)))
			error = kernel_copy_module(watch->copy, event + strlen(UEVENT_ADD));
	}
	return error;
}

static int add_program(struct kernel_watch *watch, const struct ksymbol *symbol)
{
	if (watch->count == watch->room) {
		const size_t room = watch->room ? 2 * watch->room : 16;
		struct kernel_program *more =
			reallocarray(watch->programs, room, sizeof(*watch->programs));

		if (!more)
			return -ENOMEM;
		watch->programs = more;
		watch->room = room;
	}
	watch->programs[watch->count++] =
		(struct kernel_program){.start = symbol->address, .length = symbol->length};
	return 0;
}

/*
 * The code of a program that is unloaded may have been copied too late: the copy of this round or
 * the round before may be of other code.
 */
static int remove_program(struct kernel_watch *watch, const struct ksymbol *symbol)
{
	int error = 0;

	if (watch->removed_count == watch->removed_room) {
		const size_t room = watch->removed_room ? 2 * watch->removed_room : 16;
		uint64_t *more = reallocarray(watch->removed, room, sizeof(*watch->removed));

		if (!more)
			return -ENOMEM;
		watch->removed = more;
		watch->removed_room = room;
	}
	watch->removed[watch->removed_count++] = symbol->address;
	for (size_t i = 0; !error && i < watch->count; i++) {
		struct kernel_program *program = &watch->programs[i];

		if (program->start != symbol->address)
			continue;
		if (!program->round || program->round + 1 >= watch->round)
			error = kernel_copy_unknown(watch->copy, program->start, program->length);
		*program = watch->programs[--watch->count];
		break;
	}
	return error;
}

int kernel_watch_record(struct kernel_watch *watch, const struct perf_event_header *record)
{
	const char *name = (const char *)record + sizeof(struct ksymbol);
	struct ksymbol symbol;
	int error;

	if (record->type == PERF_RECORD_LOST)
		kernel_copy_lost(watch->copy);
	if (record->type != PERF_RECORD_KSYMBOL || record->size <= sizeof(symbol))
		return 0;
	memcpy(&symbol, record, sizeof(symbol));
	if (symbol.flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER)
		return remove_program(watch, &symbol);
	/* a page of code that kprobes and ftrace make is filled after it is announced */
	if (symbol.type != PERF_RECORD_KSYMBOL_TYPE_BPF)
		return 0;
	error = kernel_copy_symbol(watch->copy, symbol.address, name);
	return error ? error : add_program(watch, &symbol);
}

/* Was a program unloaded at this address since the last round? Rings have no common order. */
static bool was_removed(const struct kernel_watch *watch, uint64_t address)
{
	for (size_t i = 0; i < watch->removed_count; i++)
		if (watch->removed[i] == address)
			return true;
	return false;
}

int kernel_watch_round(struct kernel_watch *watch)
{
	int error = 0;

	for (size_t i = 0; !error && i < watch->count; i++) {
		struct kernel_program *program = &watch->programs[i];

		if (program->round)
			continue;
		if (was_removed(watch, program->start))
			error = kernel_copy_unknown(watch->copy, program->start, program->length);
		else
			error = kernel_copy_range(watch->copy, program->start, program->length);
		program->round = watch->round;
	}
	watch->removed_count = 0;
	watch->round++;
	return error;
}

void kernel_watch_close(struct kernel_watch *watch)
{
	if (watch->socket >= 0)
		close(watch->socket);
	free(watch->programs);
	free(watch->removed);
}
