// SPDX-License-Identifier: GPL-2.0-only
/* hwflow doctor: an attempt to trace this thread. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "doctor.h"
#include "machine_user.h"

/* Branches to trace */
#define TURNS 2000

/* The driver's reasons for a refusal are debug messages: any user can cause them. */
#define DEBUG_MESSAGES                                                                      \
	"Have the driver log its reason: echo 'module arm_ete_pmu +p' | sudo tee "          \
	"/proc/dynamic_debug/control; then hwflow doctor, and dmesg | grep -e arm_ete_pmu " \
	"-e coresight"

/* What perf_event_open() and mmap() of an event mean by an error */
static const struct {
	int error;
	const char *meaning;
	const char *remedy;
} errors[] = {
	{EACCES, "this user may not record",
	 "sudo sysctl kernel.perf_event_paranoid=2, or run hwflow with sudo."},
	{EPERM, "this user may not record or not lock so much memory, or a container forbids it",
	 "Run hwflow with sudo; in a container, allow perf_event_open() in its seccomp profile."},
	{EBUSY, "another recording uses the trace unit", "End the other recording."},
	{ENODEV, "the driver cannot trace this CPU, or was unloaded",
	 "Look for the reason in the kernel's log: dmesg | grep -e arm_ete_pmu -e coresight"},
	{ENOENT, "the PMU does not exist any more", "modprobe arm_ete_pmu"},
	{EOPNOTSUPP, "the trace unit cannot do what was requested", DEBUG_MESSAGES},
	{EINVAL, "the driver refuses the event, or has no sink", DEBUG_MESSAGES},
	{ENOMEM, "there is not enough memory for the AUX area, or the trace buffer cannot use it",
	 DEBUG_MESSAGES},
	{EMFILE, "this process has too many open files", "ulimit -n 1024"},
	{ENOSYS, "the kernel has no perf events, or a container forbids them",
	 "Boot a kernel with CONFIG_PERF_EVENTS=y; in a container, allow perf_event_open()."},
};

/**
 * struct attempt - an event of this thread
 * @fd: the event
 * @page: header of its ring
 * @aux: its AUX area
 */
struct attempt {
	int fd;
	struct perf_event_mmap_page *page;
	void *aux;
};

/* A fault above explains the failure: then it is no fault of its own. */
static void fail(struct doctor *doctor, const char *step, int error)
{
	const char *meaning = "not expected here", *remedy = NULL;
	bool explained = doctor_faults(doctor, CHECK_ATTEMPT) > 0;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errors[i].error != error)
			continue;
		meaning = errors[i].meaning;
		remedy = errors[i].remedy;
	}
	doctor_say(doctor, CHECK_ATTEMPT, explained ? DOCTOR_OPEN : DOCTOR_FAULT, remedy,
		   "%s: %s: %s%s", step, strerror(error), meaning,
		   explained ? "; see the fault above" : "");
}

/* The step that failed, with errno set; NULL */
static const char *start(struct attempt *attempt, const struct pmu *pmu)
{
	const size_t header = (size_t)sysconf(_SC_PAGESIZE);

	attempt->fd = pmu_open_event(pmu, 0, -1);
	if (attempt->fd < 0)
		return "perf_event_open()";
	attempt->page = mmap(NULL, header + LIMITED_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			     attempt->fd, 0);
	if (attempt->page == MAP_FAILED)
		return "mmap() of the ring";
	attempt->page->aux_offset = header + LIMITED_RING_BYTES;
	attempt->page->aux_size = LIMITED_TRACE_BYTES;
	attempt->aux = mmap(NULL, LIMITED_TRACE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			    attempt->fd, (off_t)(header + LIMITED_RING_BYTES));
	if (attempt->aux == MAP_FAILED)
		return "mmap() of the AUX area";
	return ioctl(attempt->fd, PERF_EVENT_IOC_ENABLE, 0) ? "PERF_EVENT_IOC_ENABLE" : NULL;
}

static void end(struct attempt *attempt)
{
	if (attempt->aux != MAP_FAILED)
		munmap(attempt->aux, LIMITED_TRACE_BYTES);
	if (attempt->page != MAP_FAILED)
		munmap(attempt->page, (size_t)sysconf(_SC_PAGESIZE) + LIMITED_RING_BYTES);
	if (attempt->fd >= 0)
		close(attempt->fd);
}

/* Branches for the trace unit, which the compiler may not remove */
static void branch(void)
{
	static volatile unsigned int sum;

	for (unsigned int i = 0; i < TURNS; i++)
		if (i % 3)
			sum += i;
	(void)sum;
}

void doctor_attempt(struct doctor *doctor)
{
	struct attempt attempt = {.fd = -1, .page = MAP_FAILED, .aux = MAP_FAILED};
	const struct pmu *pmu = doctor_pmu(doctor);
	const char *failed;
	uint64_t bytes = 0;

	if (!doctor->machine.live)
		doctor_say(doctor, CHECK_ATTEMPT, DOCTOR_OPEN, NULL,
			   "none: these are files of another machine (--root)");
	if (!doctor->machine.live || !pmu)
		return;
	failed = start(&attempt, pmu);
	if (failed) {
		fail(doctor, failed, errno);
	} else {
		branch();
		ioctl(attempt.fd, PERF_EVENT_IOC_DISABLE, 0);
		bytes = __atomic_load_n(&attempt.page->aux_head, __ATOMIC_ACQUIRE);
		if (bytes)
			doctor_say(doctor, CHECK_ATTEMPT, DOCTOR_OK, NULL,
				   "an event of this thread was traced: %llu bytes",
				   (unsigned long long)bytes);
		else
			doctor_say(
				doctor, CHECK_ATTEMPT, DOCTOR_FAULT,
				"Try another CPU: taskset -c CPU hwflow doctor; and look for the "
				"reason in the kernel's log: dmesg | grep -e arm_ete_pmu -e "
				"coresight",
				"an event of this thread was opened, but the trace has no byte");
	}
	end(&attempt);
}
