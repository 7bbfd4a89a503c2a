// SPDX-License-Identifier: GPL-2.0-only
/* Torture: actions on events. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pmu.h"
#include "torture.h"

/* What each choice of a step is for */
enum choice {
	CHOICE_ACTION, /* of the caller */
	CHOICE_SLOT,
	CHOICE_TARGET,
	CHOICE_CPU,
	CHOICE_FIELDS,
	CHOICE_RIGHTS,
	CHOICE_PAGES,
	CHOICE_WATERMARK,
	CHOICE_FLAGS,
};

/* Fields of an event, each with a chance of one half. The last three need something that a trace unit may lack. */
static const uint64_t fields[] = {
	ARM_ETE_PMU_MASK(branch_broadcast),
	ARM_ETE_PMU_MASK(cycacc),
	ARM_ETE_PMU_MASK(contextid1),
	ARM_ETE_PMU_MASK(retstack),
	5ull << ARM_ETE_PMU_SHIFT(timestamp),
	8ull << ARM_ETE_PMU_SHIFT(timestamp),
};

static struct torture_event *slot(struct torture_worker *worker)
{
	return &worker->events[torture_choice(worker, CHOICE_SLOT, TORTURE_SLOTS)];
}

/* Errors that opening may have at any time: the CPU, the program or the module is not there, another event is */
static bool may_refuse_open(int error)
{
	switch (error) {
	case EBUSY:
	case ENODEV:
	case ENXIO:
	case ESRCH:
	case ENOENT:
	case ENOMEM:
	case EMFILE:
		return true;
	default:
		return false;
	}
}

static struct perf_event_attr choose_attr(const struct torture_worker *worker)
{
	struct perf_event_attr attr = pmu_make_attr();
	const uint64_t chosen = torture_choice(worker, CHOICE_FIELDS, 1ull << (sizeof(fields) / sizeof(*fields)));
	const uint64_t rights = torture_choice(worker, CHOICE_RIGHTS, 4);
	const uint64_t flags = torture_choice(worker, CHOICE_FLAGS, 32);
	unsigned int i;

	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (chosen >> i & 1)
			attr.config |= fields[i];
	attr.exclude_kernel = rights & 1;
	/* not both: nothing would be traced */
	attr.exclude_user = !attr.exclude_kernel && rights & 2;
	attr.disabled = flags & 1;
	attr.inherit = flags >> 1 & 1;
	attr.enable_on_exec = flags >> 2 & 1;
	attr.context_switch = flags >> 3 & 1;
	attr.comm = attr.task = flags >> 4 & 1;
	attr.aux_watermark = (unsigned int)torture_choice(worker, CHOICE_WATERMARK, 3) << 13;
	return attr;
}

static int open_event(struct torture_worker *worker)
{
	struct torture_event *event = slot(worker);
	struct perf_event_attr attr = choose_attr(worker);
	const uint64_t target = torture_choice(worker, CHOICE_TARGET, 4);
	const int cpu = (int)torture_choice(worker, CHOICE_CPU, worker->cpus);
	int fd;

	if (event->fd >= 0)
		return -EBUSY;
	if (!attr.type)
		return -ENOENT;
	if (torture_opens_cpus(worker->torture))
		fd = pmu_open(&attr, -1, cpu);
	else if (target < 3)
		fd = pmu_open(&attr, worker->program, target == 2 ? cpu : -1);
	else
		fd = pmu_open(&attr, 0, -1);
	if (fd < 0) {
		const int error = errno;

		if (!may_refuse_open(error))
			torture_fault(worker, "perf_event_open: %s", strerror(error));
		return -error;
	}
	*event = (struct torture_event){ .fd = fd };
	return 0;
}

static void copy(const struct torture_event *event, uint64_t at, void *to, size_t size)
{
	const struct perf_event_mmap_page *head = event->head;
	const uint8_t *data = (const uint8_t *)event->head + head->data_offset;
	size_t i;

	for (i = 0; i < size; i++)
		((uint8_t *)to)[i] = data[(at + i) % head->data_size];
}

/* An AUX record: offset, size, flags. What is not written over comes one behind the other. */
static void check_aux(struct torture_worker *worker, struct torture_event *event, const uint64_t *record)
{
	const uint64_t known = PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_OVERWRITE | PERF_AUX_FLAG_PARTIAL |
			       PERF_AUX_FLAG_COLLISION | PERF_AUX_FLAG_PMU_FORMAT_TYPE_MASK;

	atomic_fetch_add(&worker->torture->records, 1);
	atomic_fetch_add(&worker->torture->bytes, record[1]);
	if (record[2] & ~known)
		torture_fault(worker, "an AUX record with the flags %#llx", (unsigned long long)record[2]);
	if (event->is_snapshot || !event->aux)
		return;
	if (record[1] > event->aux_size)
		torture_fault(worker, "an AUX record of %llu bytes, in an area of %zu", (unsigned long long)record[1],
			      event->aux_size);
	if (record[0] < event->next)
		torture_fault(worker, "an AUX record at %#llx, behind one that ends at %#llx",
			      (unsigned long long)record[0], (unsigned long long)event->next);
	event->next = record[0] + record[1];
}

/* Reads what the ring has. Where memory is mapped, there may be records; elsewhere nothing happens. */
static void read_records(struct torture_worker *worker, struct torture_event *event)
{
	struct perf_event_mmap_page *head = event->head;
	uint64_t end, aux_end;

	if (!head)
		return;
	end = __atomic_load_n(&head->data_head, __ATOMIC_ACQUIRE);
	aux_end = __atomic_load_n(&head->aux_head, __ATOMIC_ACQUIRE);
	while (event->tail < end) {
		struct perf_event_header header;
		uint64_t record[4];

		copy(event, event->tail, &header, sizeof(header));
		if (!header.size) {
			torture_fault(worker, "a record of no bytes at %#llx", (unsigned long long)event->tail);
			break;
		}
		if (header.type == PERF_RECORD_AUX && header.size >= sizeof(record)) {
			copy(event, event->tail, record, sizeof(record));
			check_aux(worker, event, record + 1);
		}
		event->tail += header.size;
	}
	__atomic_store_n(&head->data_tail, event->tail, __ATOMIC_RELEASE);
	if (event->aux && !event->is_snapshot)
		__atomic_store_n(&head->aux_tail, aux_end, __ATOMIC_RELEASE);
}

/*
 * munmap() needs memory itself. Where allocations fail it is called again, or else the mapping would stay until the
 * worker ends, and the event and the module would be in use until then.
 */
static void unmap(void *memory, size_t size)
{
	while (munmap(memory, size) && errno == ENOMEM)
		;
}

static int close_event(struct torture_worker *worker)
{
	struct torture_event *event = slot(worker);

	if (event->fd < 0)
		return -EBADF;
	/* memory may stay mapped longer than the event has a descriptor */
	close(event->fd);
	read_records(worker, event);
	if (event->aux)
		unmap(event->aux, event->aux_size);
	if (event->head)
		unmap(event->head, event->head_size);
	*event = (struct torture_event){ .fd = -1 };
	return 0;
}

void torture_close_all(struct torture_worker *worker)
{
	unsigned int i;

	for (i = 0; i < TORTURE_SLOTS; i++) {
		struct torture_event *event = &worker->events[i];

		if (event->fd < 0)
			continue;
		/* what is left of the trace gets its AUX record */
		ioctl(event->fd, PERF_EVENT_IOC_DISABLE, 0);
		read_records(worker, event);
		if (event->head)
			unmap(event->head, event->head_size);
		if (event->aux)
			unmap(event->aux, event->aux_size);
		close(event->fd);
		*event = (struct torture_event){ .fd = -1 };
	}
}

/* An inherited event of threads cannot be mapped, an event of a module that is gone neither. */
static bool may_refuse_map(int error)
{
	return error == EINVAL || error == ENOMEM || error == ENODEV || error == EBUSY || error == EAGAIN;
}

static void *map(struct torture_worker *worker, int fd, size_t size, int rights, size_t at, int *error)
{
	void *memory = mmap(NULL, size, rights, MAP_SHARED, fd, (off_t)at);

	*error = 0;
	if (memory != MAP_FAILED)
		return memory;
	*error = -errno;
	if (!may_refuse_map(-*error))
		torture_fault(worker, "mmap of %zu bytes: %s", size, strerror(-*error));
	return NULL;
}

static int map_event(struct torture_worker *worker)
{
	struct torture_event *event = slot(worker);
	const size_t page = (size_t)getpagesize();
	const size_t head_size = page * (1 + (1u << torture_choice(worker, CHOICE_FLAGS, 5)));
	const bool is_snapshot = torture_choice(worker, CHOICE_RIGHTS, 3) == 0;
	const size_t aux_size = page << torture_choice(worker, CHOICE_PAGES, 9);
	struct perf_event_mmap_page *head;
	int error;

	if (event->fd < 0 || event->head)
		return -EBADF;
	head = map(worker, event->fd, head_size, PROT_READ | PROT_WRITE, 0, &error);
	if (!head)
		return error;
	event->head = head;
	event->head_size = head_size;
	event->is_snapshot = is_snapshot;
	head->aux_offset = head_size;
	head->aux_size = aux_size;
	event->aux = map(worker, event->fd, aux_size, is_snapshot ? PROT_READ : PROT_READ | PROT_WRITE, head_size,
			 &error);
	event->aux_size = event->aux ? aux_size : 0;
	return error;
}

/* All that a recording needs at once, as the same choices open and map an event */
static int begin_recording(struct torture_worker *worker)
{
	int error = open_event(worker);

	if (!error)
		error = map_event(worker);
	if (!error && ioctl(slot(worker)->fd, PERF_EVENT_IOC_ENABLE, 0))
		error = -errno;
	return error;
}

/* The two mappings may go in any order, and while the event is enabled. */
static int unmap_event(struct torture_worker *worker)
{
	struct torture_event *event = slot(worker);

	if (event->fd < 0 || !event->head)
		return -EBADF;
	if (event->aux && torture_choice(worker, CHOICE_FLAGS, 2)) {
		unmap(event->aux, event->aux_size);
		event->aux = NULL;
		return 0;
	}
	unmap(event->head, event->head_size);
	if (event->aux)
		unmap(event->aux, event->aux_size);
	*event = (struct torture_event){ .fd = event->fd };
	return 0;
}

static int toggle(struct torture_worker *worker, unsigned long request)
{
	const struct torture_event *event = slot(worker);

	if (event->fd < 0)
		return -EBADF;
	return ioctl(event->fd, request, 0) ? -errno : 0;
}

static int enable_event(struct torture_worker *worker)
{
	return toggle(worker, PERF_EVENT_IOC_ENABLE);
}

static int disable_event(struct torture_worker *worker)
{
	return toggle(worker, PERF_EVENT_IOC_DISABLE);
}

/* Many times in a row: a session is as short as it can be. */
static int flicker_event(struct torture_worker *worker)
{
	const struct torture_event *event = slot(worker);
	uint64_t times = 1 + torture_choice(worker, CHOICE_PAGES, 64);

	if (event->fd < 0)
		return -EBADF;
	for (; times; times--) {
		ioctl(event->fd, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(event->fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	return 0;
}

static int pause_ring(struct torture_worker *worker)
{
	const struct torture_event *event = slot(worker);
	const unsigned int pause = (unsigned int)torture_choice(worker, CHOICE_FLAGS, 2);

	if (event->fd < 0 || !event->head)
		return -EBADF;
	return ioctl(event->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, pause) ? -errno : 0;
}

static int set_filter(struct torture_worker *worker)
{
	const struct torture_event *event = slot(worker);
	static const char *const filters[] = { "start 0x1000", "filter 0x400000/0x1000", "stop 0x2000", "" };

	if (event->fd < 0)
		return -EBADF;
	return ioctl(event->fd, PERF_EVENT_IOC_SET_FILTER, filters[torture_choice(worker, CHOICE_FLAGS, 4)]) ?
	       -errno : 0;
}

static int read_event(struct torture_worker *worker)
{
	struct torture_event *event = slot(worker);

	if (event->fd < 0 || !event->head)
		return -EBADF;
	read_records(worker, event);
	return 0;
}

/* A snapshot as perf takes it: the event is disabled, read, and enabled */
static int take_snapshot(struct torture_worker *worker)
{
	const struct torture_event *event = slot(worker);

	if (event->fd < 0)
		return -EBADF;
	ioctl(event->fd, PERF_EVENT_IOC_DISABLE, 0);
	read_event(worker);
	ioctl(event->fd, PERF_EVENT_IOC_ENABLE, 0);
	return 0;
}

static int read_count(struct torture_worker *worker)
{
	const struct torture_event *event = slot(worker);
	uint64_t count;

	if (event->fd < 0)
		return -EBADF;
	return read(event->fd, &count, sizeof(count)) < 0 ? -errno : 0;
}

const struct torture_action torture_event_actions[] = {
	{ "record", 24, begin_recording },
	{ "open", 8, open_event },
	{ "close", 8, close_event },
	{ "map", 8, map_event },
	{ "unmap", 4, unmap_event },
	{ "enable", 16, enable_event },
	{ "disable", 8, disable_event },
	{ "flicker", 4, flicker_event },
	{ "pause", 2, pause_ring },
	{ "filter", 2, set_filter },
	{ "read", 12, read_event },
	{ "snapshot", 8, take_snapshot },
	{ "count", 2, read_count },
	{ 0 },
};
