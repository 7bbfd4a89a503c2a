// SPDX-License-Identifier: GPL-2.0-only
#include "target.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <perf/cpumap.h>
#include <perf/threadmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input_file.h"
#include "source/input.h"

/**
 * struct thread_list - threads, and the process of each
 * @tids: the threads
 * @pids: their processes
 * @count: number of threads
 * @room: number of elements allocated
 */
struct thread_list {
	pid_t *tids;
	int *pids;
	size_t count;
	size_t room;
};

static bool add_thread(struct thread_list *list, pid_t tid, int pid)
{
	if (list->count == list->room) {
		const size_t room = list->room ? 2 * list->room : 64;
		pid_t *tids = reallocarray(list->tids, room, sizeof(*tids));
		int *pids;

		if (tids)
			list->tids = tids;
		pids = tids ? reallocarray(list->pids, room, sizeof(*pids)) : NULL;
		if (!pids)
			return false;
		list->pids = pids;
		list->room = room;
	}
	list->tids[list->count] = tid;
	list->pids[list->count++] = pid;
	return true;
}

/* The process of a thread: the line "Tgid:" of its status. Returns 0 if there is no such thread. */
static int process_of(pid_t tid)
{
	char name[64], line[256];
	int pid = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/status", tid);
	file = own_file_stream(name);
	while (file && !pid && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %d", &pid) != 1)
			pid = 0;
	if (file)
		fclose(file);
	return pid;
}

/* All threads of a process */
static int add_process(struct thread_list *list, int pid)
{
	char name[64];
	struct dirent *entry;
	DIR *dir;
	int status = 0;

	if (process_of(pid) != pid)
		return verb_error("-p %d: there is no such process", pid);
	snprintf(name, sizeof(name), "/proc/%d/task", pid);
	dir = opendir(name);
	if (!dir)
		return verb_error("-p %d: %s", pid, strerror(errno));
	while (!status && (entry = readdir(dir)) != NULL) {
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    !add_thread(list, atoi(entry->d_name), pid))
			status = verb_error("out of memory");
	}
	closedir(dir);
	return status;
}

static int add_one_thread(struct thread_list *list, int tid)
{
	const int pid = process_of(tid);

	if (!pid)
		return verb_error("-t %d: there is no such thread", tid);
	return add_thread(list, tid, pid) ? 0 : verb_error("out of memory");
}

/* Numbers separated by commas, as -p and -t have them */
static int add_list(struct thread_list *list, const char *option, const char *text,
		    int (*add)(struct thread_list *list, int number))
{
	const char *at = text;
	int status = 0;

	while (!status) {
		char *end;
		long number;

		errno = 0;
		number = strtol(at, &end, 10);
		if (end == at || errno || number <= 0 || number > INT_MAX ||
		    (*end && *end != ',')) {
			verb_error("%s %s: numbers of %s expected, separated by commas", option,
				   text,
				   *option == '-' && option[1] == 'p' ? "processes" : "threads");
			return EXIT_USAGE;
		}
		status = add(list, (int)number);
		if (!*end)
			break;
		at = end + 1;
	}
	return status;
}

/* The threads that the options name, or the thread of the command */
static int find_threads(struct record_target *target, const struct record_options *options,
			int command)
{
	struct thread_list list = {.count = 0};
	int status = 0;

	if (options->pids)
		status = add_list(&list, "-p", options->pids, add_process);
	if (!status && options->tids)
		status = add_list(&list, "-t", options->tids, add_one_thread);
	if (!status && command && !add_thread(&list, command, command))
		status = verb_error("out of memory");
	if (!status) {
		target->threads = perf_thread_map__new_array((int)list.count, list.tids);
		target->pids = list.pids;
		list.pids = NULL;
		if (!target->threads)
			status = verb_error("out of memory");
	}
	free(list.tids);
	free(list.pids);
	return status;
}

/* The CPUs of -C, all of which must be online */
static int find_cpus(struct record_target *target, const char *text)
{
	struct perf_cpu_map *online = perf_cpu_map__new_online_cpus();
	int status = 0;

	target->cpus = perf_cpu_map__new(text);
	if (!online || !target->cpus || perf_cpu_map__has_any_cpu_or_is_empty(target->cpus)) {
		verb_error("-C %s: a list of CPUs expected, for example 0,2-3", text);
		status = EXIT_USAGE;
	}
	for (int i = 0; !status && i < perf_cpu_map__nr(target->cpus); i++) {
		struct perf_cpu cpu = perf_cpu_map__cpu(target->cpus, i);

		if (!perf_cpu_map__has(online, cpu))
			status = verb_error("-C %s: CPU %d is not online", text, cpu.cpu);
	}
	perf_cpu_map__put(online);
	return status;
}

int record_target_find(struct record_target *target, const struct record_options *options,
		       int command)
{
	int status;

	*target = (struct record_target){.by_cpu = options->all_cpus || options->cpus};
	if (target->by_cpu)
		target->threads = perf_thread_map__new_dummy();
	else
		target->inherit = !options->per_thread;
	if (options->cpus) {
		status = find_cpus(target, options->cpus);
		if (status)
			return status;
	} else {
		target->cpus = options->per_thread ? perf_cpu_map__new_any_cpu()
						   : perf_cpu_map__new_online_cpus();
	}
	if (!target->cpus || (target->by_cpu && !target->threads))
		return verb_error("out of memory");
	return target->by_cpu ? 0 : find_threads(target, options, command);
}

void record_target_free(struct record_target *target)
{
	perf_cpu_map__put(target->cpus);
	perf_thread_map__put(target->threads);
	free(target->pids);
}
