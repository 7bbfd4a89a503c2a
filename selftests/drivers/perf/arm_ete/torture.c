// SPDX-License-Identifier: GPL-2.0-only
/*
 * torture [-s SEED] [-t SECONDS] [-n STEPS] [-w WORKERS] [-m MODULE] [-H] [-f] [-v] - torture of the
 * driver. Workers do at random what programs do to events, for SECONDS (10) or STEPS each. With
 * MODULE, a file, the module is unloaded and loaded meanwhile, with -H CPUs leave and come back, with
 * -f allocations fail. The choices of a worker depend on SEED, its number and its step alone, so that
 * a run can be repeated, but for the moments at which different workers do it. TAP; the log of the
 * kernel is the caller's to look at.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest.h"
#include "pmu.h"
#include "torture.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define FAILSLAB "/sys/kernel/debug/failslab/"
#define MODULE_NAME "arm_ete_pmu"

/* Seconds that the workers have to end, and before that, to come as far as can_be_judged() asks */
#define PATIENCE 120

/* Seconds for which events are of one kind, of threads or of CPUs */
#define PERIOD 8

/* Seconds without a step after which a worker is reported */
#define STUCK 60

/* Numbers of the processes that are no worker, for torture_choice() */
enum { HOTPLUG = 1000, RELOAD };

/* The finaliser of splitmix64: each bit of the result depends on each bit of @value */
static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
	value = (value ^ value >> 27) * 0x94d049bb133111ebull;
	return value ^ value >> 31;
}

uint64_t torture_choice(const struct torture_worker *worker, unsigned int which, uint64_t n)
{
	const uint64_t place = (uint64_t)worker->number << 48 ^ (uint64_t)worker->step << 8 ^ which;

	return mix(worker->torture->seed + mix(place + 0x9e3779b97f4a7c15ull)) % n;
}

bool torture_opens_cpus(const struct torture *torture)
{
	return mix(torture->seed ^ torture->second / PERIOD) & 1;
}

void torture_fault(struct torture_worker *worker, const char *format, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	atomic_fetch_add(&worker->torture->failed, 1);
	printf("# worker %u, step %lu, %s: %s\n", worker->number, worker->step, worker->action, text);
	fflush(stdout);
}

/* All actions, in one table; returns how many */
static unsigned int list_actions(const struct torture_action **list)
{
	static const struct torture_action *const tables[] = { torture_event_actions, torture_program_actions };
	const struct torture_action *action;
	unsigned int table, count = 0;

	for (table = 0; table < 2; table++)
		for (action = tables[table]; action->name; action++)
			list[count++] = action;
	return count;
}

/*
 * Closes the events of the worker, and waits until the others may open theirs again. Its program ends meanwhile: one
 * that was stopped before it ran still has the descriptors of the worker.
 */
static void rest(struct torture_worker *worker)
{
	struct torture *torture = worker->torture;
	const struct timespec moment = { .tv_nsec = 5000000 };

	torture_close_all(worker);
	torture_end_program(worker);
	atomic_fetch_add(&torture->resting, 1);
	while (torture->quiet && !torture->stop)
		nanosleep(&moment, NULL);
	atomic_fetch_sub(&torture->resting, 1);
	torture_start_program(worker);
}

/* Says what step begins, for watch_workers() */
static void tell_watch(const struct torture_worker *worker)
{
	struct torture_watch *watch = &worker->torture->watch[worker->number];

	watch->program = worker->program;
	watch->action = worker->action;
	watch->step = worker->step;
}

static void be_worker(struct torture_worker *worker)
{
	struct torture *torture = worker->torture;
	const struct torture_action *actions[TORTURE_ACTIONS];
	const unsigned int count = list_actions(actions);
	bool opens_cpus = torture_opens_cpus(torture);
	unsigned int i, sum = 0;

	for (i = 0; i < count; i++)
		sum += actions[i]->weight;
	for (i = 0; i < TORTURE_SLOTS; i++)
		worker->events[i].fd = -1;
	torture_start_program(worker);
	for (; !torture->stop && (!torture->steps || worker->step < torture->steps); worker->step++) {
		uint64_t at = torture_choice(worker, 0, sum);
		int status;

		for (i = 0; at >= actions[i]->weight; i++)
			at -= actions[i]->weight;
		worker->action = torture->quiet ? "rest" : actions[i]->name;
		tell_watch(worker);
		if (torture->quiet) {
			rest(worker);
			continue;
		}
		if (opens_cpus != torture_opens_cpus(torture)) {
			opens_cpus = !opens_cpus;
			torture_close_all(worker);
		}
		status = actions[i]->run(worker);
		atomic_fetch_add(status ? &torture->refused[i] : &torture->done[i], 1);
		if (torture->verbose)
			printf("# %u %lu %s %s\n", worker->number, worker->step, worker->action, strerror(-status));
	}
	torture_end_program(worker);
	torture_close_all(worker);
	_exit(0);
}

static void sleep_choice(const struct torture_worker *worker, unsigned int which, uint64_t milliseconds)
{
	const uint64_t time = torture_choice(worker, which, milliseconds);
	const struct timespec left = { .tv_nsec = (long)time * 1000000 };

	nanosleep(&left, NULL);
}

/* A CPU leaves and comes back, again and again; at the end all are there. */
static void be_hotplug(struct torture_worker *worker)
{
	char path[64];

	worker->number = HOTPLUG;
	worker->action = "hotplug";
	for (; !worker->torture->stop; worker->step++) {
		const unsigned int cpu = (unsigned int)torture_choice(worker, 0, worker->cpus);

		snprintf(path, sizeof(path), CPU_DIR "/cpu%u/online", cpu);
		if (access(path, W_OK))
			continue;
		/* the last one does not leave */
		write_text(path, "0");
		sleep_choice(worker, 1, 50);
		if (!write_text(path, "1") && errno != EBUSY && errno != ENOMEM)
			torture_fault(worker, "CPU %u does not come back: %s", cpu, strerror(errno));
		sleep_choice(worker, 2, 100);
	}
	_exit(0);
}

static int load_module(const char *file)
{
	const int fd = open(file, O_RDONLY | O_CLOEXEC);
	int status;

	if (fd < 0)
		return -errno;
	status = syscall(SYS_finit_module, fd, "", 0) ? -errno : 0;
	close(fd);
	return status;
}

static int unload_module(void)
{
	return syscall(SYS_delete_module, MODULE_NAME, O_NONBLOCK) ? -errno : 0;
}

/* Tries to unload the module, and loads it; returns 0 if it was unloaded, or the negative errno of that */
static int reload(struct torture_worker *worker)
{
	const int unloaded = unload_module();
	int loaded;

	if (unloaded && unloaded != -EWOULDBLOCK && unloaded != -EBUSY && unloaded != -ENOENT)
		torture_fault(worker, "rmmod: %s", strerror(-unloaded));
	sleep_choice(worker, 0, 20);
	loaded = load_module(worker->torture->module);
	if (loaded && loaded != -EEXIST && loaded != -EBUSY)
		torture_fault(worker, "insmod: %s", strerror(-loaded));
	sleep_choice(worker, 1, 20);
	worker->step++;
	return unloaded;
}

/* All workers close their events, and the module is unloaded; gives up after so many seconds. */
static bool reload_unused(struct torture_worker *worker, time_t patience)
{
	struct torture *torture = worker->torture;
	const time_t end = time(NULL) + patience;
	int status = -EINPROGRESS;
	unsigned int tries = 0;

	torture->quiet = true;
	while (status && !torture->stop && time(NULL) < end)
		if (torture->resting == torture->workers) {
			status = reload(worker);
			tries++;
		} else {
			sleep_choice(worker, 2, 20);
		}
	torture->quiet = false;
	if (status && !torture->stop)
		printf("# the module stays loaded: %u of %u workers rest, tried %u times: %s\n", torture->resting,
		       torture->workers, tries, strerror(-status));
	return !status;
}

/*
 * The module is reloaded: at times while events are open, which refuses it, at times while they are closed. Workers
 * act for three times as long as they have rested.
 */
static void be_reload(struct torture_worker *worker)
{
	struct torture *torture = worker->torture;

	worker->number = RELOAD;
	worker->action = "reload";
	while (!torture->stop) {
		const time_t begin = time(NULL);
		time_t end;
		unsigned int i;

		torture->unloaded += reload_unused(worker, 60);
		end = time(NULL) + 3 * (time(NULL) - begin) + 1;
		while (time(NULL) < end && !torture->stop)
			sleep_choice(worker, 3, 900);
		for (i = 0; i < 5 && !torture->stop; i++)
			torture->unloaded += !reload(worker);
	}
	exit(0);
}

static pid_t start(struct torture *torture, unsigned int number, void (*be)(struct torture_worker *worker))
{
	struct torture_worker worker = {
		.torture = torture,
		.number = number,
		.cpus = (unsigned int)sysconf(_SC_NPROCESSORS_CONF),
	};
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	be(&worker);
	_exit(0);
}

/* Waits for @count processes; returns how many ended as they ought to, before @deadline */
static unsigned int collect(unsigned int count, time_t deadline)
{
	unsigned int ended = 0;

	while (count && time(NULL) < deadline) {
		const struct timespec moment = { .tv_nsec = 10000000 };
		int status;
		const pid_t pid = waitpid(-1, &status, WNOHANG);

		if (pid < 0)
			break;
		if (!pid) {
			nanosleep(&moment, NULL);
			continue;
		}
		count--;
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			ended++;
		else
			printf("# process %d: status %#x\n", pid, status);
	}
	return ended;
}

/* An event of each CPU that is online has trace, after all that was done */
static bool records(unsigned int cpu)
{
	struct perf_event_attr attr = pmu_make_attr();
	const size_t page = (size_t)getpagesize();
	struct perf_event_mmap_page *head;
	volatile unsigned int sum = 0;
	uint64_t bytes;
	cpu_set_t set;
	void *aux;
	int fd;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	fd = attr.type && !sched_setaffinity(0, sizeof(set), &set) ? pmu_open(&attr, -1, (int)cpu) : -1;
	head = fd < 0 ? MAP_FAILED : mmap(NULL, 9 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		return false;
	head->aux_offset = 9 * page;
	head->aux_size = 16 * page;
	aux = mmap(NULL, 16 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(9 * page));
	if (aux == MAP_FAILED)
		return false;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	while (sum < 10000)
		sum++;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	bytes = __atomic_load_n(&head->aux_head, __ATOMIC_ACQUIRE);
	munmap(aux, 16 * page);
	munmap(head, 9 * page);
	close(fd);
	return bytes;
}

/* What the kernel says of a process: its state, the system call that it is in, and where in the kernel */
static void print_process(pid_t pid)
{
	static const char *const files[] = { "stat", "syscall", "stack" };
	char path[64], line[256];
	unsigned int i;
	FILE *file;

	for (i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", pid, files[i]);
		file = fopen(path, "r");
		if (!file)
			continue;
		while (fgets(line, sizeof(line), file))
			printf("# %s: %s", path, line);
		fclose(file);
	}
}

/* Reports once each worker that has been in one step for STUCK seconds; the time of rests does not count. */
static void watch_workers(struct torture *torture)
{
	const time_t now = time(NULL);
	unsigned int i;

	for (i = 0; i < torture->workers; i++) {
		struct torture_watch *watch = &torture->watch[i];

		if (watch->step != watch->seen || torture->quiet) {
			watch->seen = watch->step;
			watch->since = now;
			watch->is_reported = false;
		} else if (!watch->is_reported && now - watch->since >= STUCK) {
			printf("# worker %u is in step %lu for %d s: %s, program %d\n", i, watch->step, STUCK,
			       watch->action, watch->program);
			print_process(watch->pid);
			if (watch->program > 0)
				print_process(watch->program);
			fflush(stdout);
			watch->is_reported = true;
		}
	}
}

static void check_cpus(void)
{
	const unsigned int cpus = (unsigned int)sysconf(_SC_NPROCESSORS_CONF);
	unsigned int cpu;
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (cpu = 0; cpu < cpus; cpu++)
		if (CPU_ISSET(cpu, &set))
			ksft_test_result(records(cpu), "CPU %u records afterwards\n", cpu);
		else
			ksft_test_result_skip("CPU %u is offline\n", cpu);
}

/* Of the allocations of processes that ask for it, one in twenty fails. */
static bool let_fail(void)
{
	return write_text(FAILSLAB "task-filter", "Y") && write_text(FAILSLAB "times", "-1") &&
	       write_text(FAILSLAB "verbose", "0") && write_text(FAILSLAB "ignore-gfp-wait", "N") &&
	       write_text(FAILSLAB "probability", "5");
}

static void print_sums(struct torture *torture)
{
	const struct torture_action *actions[TORTURE_ACTIONS];
	const unsigned int count = list_actions(actions);
	unsigned int i;

	for (i = 0; i < count; i++)
		ksft_print_msg("%-9s %8lu done %8lu refused\n", actions[i]->name, torture->done[i],
			       torture->refused[i]);
	ksft_print_msg("%lu AUX records, %lu bytes of trace\n", torture->records, torture->bytes);
	if (torture->module)
		ksft_print_msg("the module was unloaded %lu times\n", torture->unloaded);
}

/* Has the run come as far as it must? A slow machine may need longer than it was told. */
static bool can_be_judged(const struct torture *torture)
{
	return torture->bytes && (!torture->module || torture->unloaded);
}

static void run(struct torture *torture, unsigned int seconds, unsigned int workers, bool hotplug)
{
	const time_t end = time(NULL) + (time_t)seconds;
	unsigned int i, others = 0, ended = 0;

	torture->workers = workers;
	for (i = 0; i < workers; i++) {
		torture->watch[i].since = time(NULL);
		torture->watch[i].pid = start(torture, i, be_worker);
	}
	others += hotplug && start(torture, HOTPLUG, be_hotplug) > 0;
	others += torture->module && start(torture, RELOAD, be_reload) > 0;
	if (torture->steps)
		ended = collect(workers, end);
	else
		while (time(NULL) < end || (!can_be_judged(torture) && time(NULL) < end + PATIENCE)) {
			sleep(1);
			torture->second++;
			watch_workers(torture);
		}
	torture->stop = true;
	ended += collect(workers + others - ended, time(NULL) + PATIENCE);
	write_text(FAILSLAB "probability", "0");
	print_sums(torture);
	ksft_test_result(ended == workers + others, "all workers end\n");
	ksft_test_result(!torture->failed, "no step ends as it must not\n");
	ksft_test_result(torture->bytes, "there was trace\n");
	if (torture->module) {
		ksft_test_result(torture->unloaded, "the module was unloaded meanwhile\n");
		ksft_test_result(!unload_module(), "the module can be unloaded: nothing of it is in use\n");
		ksft_test_result(!load_module(torture->module), "and loaded\n");
	}
	check_cpus();
}

static uint64_t any_seed(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return mix((uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30) & 0xffffffff;
}

int main(int argc, char **argv)
{
	struct torture *torture = mmap(NULL, sizeof(*torture), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
				       -1, 0);
	unsigned int seconds = 10, workers = (unsigned int)sysconf(_SC_NPROCESSORS_CONF) + 1;
	bool hotplug = false, has_seed = false;
	int option;

	if (argc > 1 && !strcmp(argv[1], "--program"))
		torture_be_program();
	while ((option = getopt(argc, argv, "s:t:n:w:m:Hfv")) != -1) {
		switch (option) {
		case 's':
			torture->seed = strtoull(optarg, NULL, 0);
			has_seed = true;
			break;
		case 't':
			seconds = (unsigned int)strtoul(optarg, NULL, 0);
			break;
		case 'n':
			torture->steps = strtoul(optarg, NULL, 0);
			break;
		case 'w':
			workers = (unsigned int)strtoul(optarg, NULL, 0);
			break;
		case 'm':
			torture->module = optarg;
			break;
		case 'H':
			hotplug = true;
			break;
		case 'f':
			torture->can_fail = true;
			break;
		case 'v':
			torture->verbose = true;
			break;
		default:
			fputs("usage: torture [-s SEED] [-t SECONDS] [-n STEPS] [-w WORKERS] [-m MODULE] [-H] [-f]\n"
			      "               [-v]\n", stderr);
			return KSFT_FAIL;
		}
	}
	if (workers > TORTURE_WORKERS)
		workers = TORTURE_WORKERS;
	ksft_print_header();
	if (pmu_type() < 0)
		ksft_exit_skip("there is no PMU " ARM_ETE_PMU_NAME "\n");
	if (torture->can_fail && !let_fail())
		ksft_exit_skip(FAILSLAB ": %s\n", strerror(errno));
	if (!has_seed)
		torture->seed = any_seed();
	ksft_print_msg("-s %llu: %u workers, %u s\n", (unsigned long long)torture->seed, workers, seconds);
	ksft_set_plan(3 + 3 * !!torture->module + (unsigned int)sysconf(_SC_NPROCESSORS_CONF));
	run(torture, seconds, workers, hotplug);
	ksft_finished();
}
