// SPDX-License-Identifier: GPL-2.0-only
/*
 * failnth [-s STEP[,FIRST] | -t SECONDS] insmod FILE [PARAMETERS] |
 *         perf PMU [CPU [OPTIONS]] | write FILE TEXT
 *
 * A module is loaded and unloaded, or an event is opened, mapped, enabled and closed, or a file is
 * written to, with its first allocation failing, then its second, until none is left that fails;
 * with -s each STEPth from FIRST on. Prints how often one failed, and how often that made it fail
 * as a whole. The kernel's log is for others to look at.
 *
 * With -t no allocation fails, and it is done again and again for so long; it may fail, but not
 * always.
 *
 * CPU is -1 for the process itself. OPTIONS are letters: k, the kernel is traced as well; o, the
 * ring is one that is written over.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define POINTS_MAX 20000
#define PAGES 8
#define AUX_PAGES 64

static int nth_fd;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

/* The nth allocation from here on fails; 0: none. */
static void arm(unsigned int nth)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(nth_fd, text, (size_t)length, 0) != length)
		die("fail-nth");
}

/* How many allocations were left before the one that was to fail; 0: it failed. */
static unsigned int left(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		die("fail-nth");
	return (unsigned int)strtoul(text, NULL, 10);
}

/* What the last one that failed did not get, for who reads about it */
static const char *missing = "";
static int missing_errno;

static bool miss(const char *what)
{
	missing = what;
	missing_errno = errno;
	return false;
}

struct subject {
	/* false: something of it failed, and all of it is undone */
	bool (*act)(const struct subject *subject);
	const char *path;
	const char *parameters;
	const char *options;
	int type;
	int cpu;
};

static bool module_act(const struct subject *subject)
{
	int fd = open(subject->path, O_RDONLY | O_CLOEXEC);
	char name[64];
	const char *base = strrchr(subject->path, '/');
	bool good;

	if (fd < 0)
		return false;
	good = syscall(SYS_finit_module, fd, subject->parameters, 0) == 0 || miss("load");
	if (good) {
		snprintf(name, sizeof(name), "%s", base ? base + 1 : subject->path);
		name[strcspn(name, ".")] = 0;
		good = syscall(SYS_delete_module, name, O_NONBLOCK) == 0 || miss("unload");
		if (!good && syscall(SYS_delete_module, name, O_NONBLOCK))
			die("cannot unload");
	}
	close(fd);
	return good;
}

static bool write_act(const struct subject *subject)
{
	int fd = open(subject->path, O_WRONLY | O_CLOEXEC);
	size_t length = strlen(subject->parameters);
	bool good;

	if (fd < 0)
		return false;
	good = write(fd, subject->parameters, length) == (ssize_t)length || miss("write");
	close(fd);
	return good;
}

/* Some thousand instructions of the process, so that there is something to trace */
static void work(void)
{
	for (unsigned int i = 0; i < 200; i++)
		getppid();
}

/* It needs memory, too; what stays mapped keeps the event, and that keeps the next one out */
static void unmap(void *at, size_t size)
{
	if (munmap(at, size) && munmap(at, size))
		die("munmap");
}

static bool perf_act(const struct subject *subject)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = (unsigned int)subject->type,
		.disabled = 1,
		.exclude_kernel = !strchr(subject->options, 'k'),
		.sample_period = 1,
	};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *ring;
	void *aux = MAP_FAILED;
	bool overwrite = strchr(subject->options, 'o'), good = false;
	int fd;

	fd = (int)syscall(SYS_perf_event_open, &attr, subject->cpu < 0 ? 0 : -1, subject->cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return miss("open");
	ring = mmap(NULL, (1 + PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED) {
		miss("ring");
		goto out;
	}
	ring->aux_offset = (1 + PAGES) * page;
	ring->aux_size = AUX_PAGES * page;
	aux = mmap(NULL, ring->aux_size, overwrite ? PROT_READ : PROT_READ | PROT_WRITE,
		   MAP_SHARED, fd, (off_t)ring->aux_offset);
	if (aux == MAP_FAILED) {
		miss("aux");
		goto out;
	}
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0)) {
		miss("enable");
		goto out;
	}
	work();
	good = ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) == 0 || miss("disable");
out:
	if (aux != MAP_FAILED)
		unmap(aux, AUX_PAGES * page);
	if (ring != MAP_FAILED)
		unmap(ring, (1 + PAGES) * page);
	close(fd);
	return good;
}

static int run(const struct subject *subject, unsigned int first, unsigned int step)
{
	unsigned int nth, failed = 0, points = 0;

	/* what is allocated the first time only, and for good, is not part of it */
	if (!subject->act(subject))
		die("it fails by itself");
	for (nth = first; nth < POINTS_MAX; nth += step) {
		bool good;

		arm(nth);
		good = subject->act(subject);
		if (left()) {
			arm(0);
			if (!good) {
				printf("failnth: failed with no allocation failing at %u: %s: %s\n",
				       nth, missing, strerror(missing_errno));
				return 1;
			}
			printf("failnth: %u of %u failures made it fail\n", failed, points);
			return 0;
		}
		points++;
		failed += !good;
	}
	printf("failnth: no end after %u\n", nth);
	return 1;
}

static int repeat(const struct subject *subject, time_t seconds)
{
	time_t end = time(NULL) + seconds;
	unsigned int good = 0, done = 0;

	do {
		good += subject->act(subject);
		done++;
	} while (time(NULL) < end);
	printf("failnth: %u of %u were good", good, done);
	if (good < done)
		printf("; %s: %s", missing, strerror(missing_errno));
	printf("\n");
	return !good;
}

static int pmu_type(const char *pmu)
{
	char path[128], text[16] = "";
	int fd;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		die(path);
	close(fd);
	return atoi(text);
}

static void usage(void)
{
	fprintf(stderr, "failnth [-s STEP[,FIRST] | -t SECONDS] insmod FILE [PARAMETERS] |\n"
			"        perf PMU [CPU [OPTIONS]] | write FILE TEXT\n");
}

int main(int argc, char **argv)
{
	struct subject subject = { .parameters = "", .options = "", .cpu = -1 };
	unsigned int step = 1, first = 1;
	time_t seconds = 0;

	if (argc > 2 && !strcmp(argv[1], "-s") &&
	    sscanf(argv[2], "%u,%u", &step, &first) < 1)
		step = 0;
	if (argc > 2 && !strcmp(argv[1], "-t"))
		seconds = (time_t)strtol(argv[2], NULL, 10);
	if (argc > 2 && argv[1][0] == '-') {
		argc -= 2;
		argv += 2;
	}
	if (argc < 3 || !step || !first) {
		usage();
		return 2;
	}
	nth_fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0)
		die("/proc/self/fail-nth");
	subject.path = argv[2];
	if (!strcmp(argv[1], "perf")) {
		subject.act = perf_act;
		subject.type = pmu_type(argv[2]);
		if (argc > 3)
			subject.cpu = atoi(argv[3]);
		if (argc > 4)
			subject.options = argv[4];
	} else {
		subject.act = strcmp(argv[1], "insmod") ? write_act : module_act;
		if (argc > 3)
			subject.parameters = argv[3];
	}
	return seconds ? repeat(&subject, seconds) : run(&subject, first, step);
}
