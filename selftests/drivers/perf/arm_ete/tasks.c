// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads and processes that are traced while they switch, move, fork, execute another program, get
 * signals and are traced by ptrace().
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "ete.h"
#include "trace.h"

#define AUX_SIZE (1u << 22)
#define MAX_CPUS 16

/* One event for each CPU: only such an event may be inherited and mapped */
static struct trace traces[MAX_CPUS];

FIXTURE(task) {
	struct perf_event_attr attr;
	int cpus[MAX_CPUS];
	int nr_cpus;
	int nr_traces;
};

FIXTURE_SETUP(task)
{
	ETE_NEED_PMU();
	self->attr = pmu_make_attr();
	self->nr_cpus = online_cpus(self->cpus, MAX_CPUS);
	ASSERT_LT(0, self->nr_cpus);
}

FIXTURE_TEARDOWN(task)
{
	while (self->nr_traces)
		trace_close(&traces[--self->nr_traces]);
}

/* Events of a process on each CPU, and of all that it begins if they are inherited */
static int open_all(FIXTURE_DATA(task) *self, pid_t pid)
{
	int i, err = 0;

	for (i = 0; i < self->nr_cpus && !err; i++) {
		err = trace_open(&traces[i], &self->attr, pid, self->cpus[i], AUX_SIZE, false);
		self->nr_traces += !err;
	}
	return err;
}

static void enable_all(const FIXTURE_DATA(task) *self)
{
	int i;

	for (i = 0; i < self->nr_traces; i++)
		trace_enable(&traces[i]);
}

static uint64_t collect_all(const FIXTURE_DATA(task) *self)
{
	uint64_t bytes = 0;
	int i;

	for (i = 0; i < self->nr_traces; i++)
		bytes += trace_collect(&traces[i]);
	return bytes;
}

static uint64_t disable_all(const FIXTURE_DATA(task) *self)
{
	int i;

	for (i = 0; i < self->nr_traces; i++)
		trace_disable(&traces[i]);
	return collect_all(self);
}

static uint64_t flags_of_all(const FIXTURE_DATA(task) *self)
{
	uint64_t flags = 0;
	int i;

	for (i = 0; i < self->nr_traces; i++)
		flags |= traces[i].flags | (traces[i].unsynchronised || traces[i].jumps ? TRACE_LOSS : 0);
	return flags;
}

/* Steps of spin() in all traces; ~0 if there is a gap */
static uint64_t steps_of_all(FIXTURE_DATA(task) *self)
{
	uint64_t steps = 0;
	int i;

	for (i = 0; i < self->nr_traces; i++) {
		if (trace_decode(&traces[i]) || *trace_first_gap(&traces[i]))
			return ~0ULL;
		steps += trace_executions(&traces[i], spin_step);
	}
	return steps;
}

static uint64_t bytes_of_all(const FIXTURE_DATA(task) *self)
{
	uint64_t bytes = 0;
	int i;

	for (i = 0; i < self->nr_traces; i++)
		bytes += traces[i].bytes;
	return bytes;
}

static uint64_t executions_of_all(const FIXTURE_DATA(task) *self, const void *at)
{
	uint64_t executions = 0;
	int i;

	for (i = 0; i < self->nr_traces; i++)
		executions += trace_executions(&traces[i], at);
	return executions;
}

static void sleep_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

TEST_F(task, that_sleeps_is_traced_when_it_wakes)
{
	int i;

	ASSERT_EQ(0, trace_open(&traces[0], &self->attr, 0, -1, AUX_SIZE, false));
	self->nr_traces = 1;
	enable_all(self);
	for (i = 0; i < 50; i++) {
		spin(500);
		sleep_a_little();
	}
	disable_all(self);
	/* each switch ends a record; on a busy machine the time may be over before the task sleeps */
	EXPECT_LE(25, traces[0].rec.part_count);
	EXPECT_EQ(0, flags_of_all(self) & TRACE_LOSS);
	ETE_EXPECT_STEPS(&traces[0], 50 * 500);
}

TEST_F(task, that_shares_its_cpu_with_another_one_is_traced)
{
	pid_t other;

	ASSERT_TRUE(pin(self->cpus[0]));
	ASSERT_EQ(0, trace_open(&traces[0], &self->attr, 0, -1, AUX_SIZE, false));
	self->nr_traces = 1;
	other = fork();
	if (!other)
		for (;;)
			spin(1000);
	spin_steps = 0;
	enable_all(self);
	EXPECT_LE(1 << 16, spin_for(&traces[0], 1 << 16));
	disable_all(self);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	EXPECT_EQ(0, flags_of_all(self) & TRACE_LOSS);
	ETE_EXPECT_STEPS(&traces[0], spin_steps);
}

TEST_F(task, that_moves_is_traced_on_each_cpu)
{
	int i, turn;

	ETE_NEED(self->nr_cpus > 1, "there is one CPU only");
	ASSERT_EQ(0, open_all(self, 0));
	enable_all(self);
	for (turn = 0; turn < 20; turn++) {
		ASSERT_TRUE(pin(self->cpus[turn % self->nr_cpus]));
		spin(500);
	}
	disable_all(self);
	EXPECT_EQ(0, flags_of_all(self) & TRACE_LOSS);
	EXPECT_EQ(20 * 500, steps_of_all(self));
	for (i = 0; i < self->nr_traces; i++)
		EXPECT_LE(20 / self->nr_cpus * 500, trace_executions(&traces[i], spin_step))
			TH_LOG("cpu%d", self->cpus[i]);
}

/* One area for all CPUs: a record for each visit */
TEST_F(task, that_moves_has_a_record_for_each_visit)
{
	int turn;

	ETE_NEED(self->nr_cpus > 1, "there is one CPU only");
	ASSERT_EQ(0, trace_open(&traces[0], &self->attr, 0, -1, AUX_SIZE, false));
	self->nr_traces = 1;
	enable_all(self);
	for (turn = 0; turn < 20; turn++) {
		ASSERT_TRUE(pin(self->cpus[turn % self->nr_cpus]));
		spin(500);
	}
	disable_all(self);
	EXPECT_LE(20, traces[0].rec.part_count);
	EXPECT_EQ(0, flags_of_all(self) & TRACE_LOSS);
	ETE_EXPECT_STEPS(&traces[0], 20 * 500);
}

static pid_t fork_spinner(unsigned int steps)
{
	const pid_t child = fork();

	if (!child) {
		spin(steps);
		_exit(0);
	}
	return child;
}

TEST_F(task, that_forks_is_not_inherited_without_inherit)
{
	ASSERT_EQ(0, open_all(self, 0));
	enable_all(self);
	spin(100);
	waitpid(fork_spinner(50000), NULL, 0);
	disable_all(self);
	EXPECT_EQ(100, steps_of_all(self));
}

TEST_F(task, that_forks_is_inherited_with_inherit)
{
	self->attr.inherit = 1;
	ASSERT_EQ(0, open_all(self, 0));
	enable_all(self);
	waitpid(fork_spinner(20000), NULL, 0);
	disable_all(self);
	EXPECT_EQ(0, flags_of_all(self) & TRACE_LOSS);
	EXPECT_EQ(20000, steps_of_all(self));
}

static void *spin_thread(void *steps)
{
	spin(*(const unsigned int *)steps);
	return NULL;
}

TEST_F(task, with_threads_has_the_trace_of_each)
{
	unsigned int steps = 20000;
	pthread_t threads[4];
	int i;

	self->attr.inherit = 1;
	ASSERT_EQ(0, open_all(self, 0));
	enable_all(self);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, spin_thread, &steps));
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	disable_all(self);
	EXPECT_EQ(0, flags_of_all(self) & TRACE_LOSS);
	EXPECT_EQ(4 * steps, steps_of_all(self));
}

/* The program `spinner` beside this one */
static pid_t execute_spinner(int wait_for, const char *steps)
{
	char path[4096];
	const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 16);
	const pid_t child = fork();
	char *name, byte;

	if (child || length <= 0)
		return child;
	path[length] = '\0';
	name = strrchr(path, '/');
	strcpy(name + 1, "spinner");
	if (read(wait_for, &byte, 1) == 1)
		execl(path, "spinner", steps, (char *)NULL);
	_exit(126);
}

TEST_F(task, that_executes_another_program_is_traced_from_there)
{
	int pipes[2], status;
	pid_t child;

	ASSERT_EQ(0, pipe(pipes));
	child = execute_spinner(pipes[0], "20000");
	self->attr.enable_on_exec = 1;
	ASSERT_EQ(0, open_all(self, child));
	ASSERT_EQ(1, write(pipes[1], "", 1));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ETE_NEED(status != 126 << 8, "the program spinner is not beside this one");
	EXPECT_EQ(0, status);
	collect_all(self);
	EXPECT_EQ(0, flags_of_all(self) & TRACE_LOSS);
	EXPECT_LT(20000 / 8, bytes_of_all(self));
}

static void handle(int number)
{
	spin(number == SIGUSR1 ? 10 : 1000);
}

TEST_F(task, that_gets_signals_has_the_trace_of_the_handler)
{
	int i;

	signal(SIGUSR1, handle);
	ASSERT_EQ(0, open_all(self, 0));
	enable_all(self);
	for (i = 0; i < 200; i++)
		raise(SIGUSR1);
	disable_all(self);
	EXPECT_EQ(0, flags_of_all(self) & TRACE_LOSS);
	EXPECT_EQ(200 * 10, steps_of_all(self));
}

/* They come at any place of it */
TEST_F(task, that_is_interrupted_by_a_timer_has_the_trace_of_the_handler)
{
	const struct itimerval every = { { 0, 5000 }, { 0, 5000 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	int i;

	signal(SIGALRM, handle);
	spin_steps = 0;
	ASSERT_EQ(0, open_all(self, 0));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &every, NULL));
	enable_all(self);
	for (i = 0; i < 100; i++)
		spin_elsewhere(1000);
	disable_all(self);
	setitimer(ITIMER_REAL, &never, NULL);
	EXPECT_EQ(0, flags_of_all(self) & TRACE_LOSS);
	EXPECT_NE(~0ULL, steps_of_all(self));
	EXPECT_EQ(100 * 1000, executions_of_all(self, spin_elsewhere_step));
}

/* A debugger stops it, steps it and lets it go */
TEST_F(task, that_is_stepped_by_ptrace_is_traced)
{
	int status, step;
	pid_t child;

	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		spin(10000);
		_exit(7);
	}
	ASSERT_EQ(child, waitpid(child, &status, 0));
	ASSERT_TRUE(WIFSTOPPED(status));
	ASSERT_EQ(0, open_all(self, child));
	enable_all(self);
	for (step = 0; step < 200; step++) {
		ASSERT_EQ(0, ptrace(PTRACE_SINGLESTEP, child, NULL, NULL));
		ASSERT_EQ(child, waitpid(child, &status, 0));
		ASSERT_TRUE(WIFSTOPPED(status));
		collect_all(self);
	}
	ASSERT_EQ(0, ptrace(PTRACE_CONT, child, NULL, NULL));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(7 << 8, status);
	collect_all(self);
	EXPECT_EQ(0, flags_of_all(self) & TRACE_LOSS);
	EXPECT_EQ(10000, steps_of_all(self));
}

/* A process that ends while it is traced leaves a record, and no event */
TEST_F(task, that_is_killed_leaves_its_trace)
{
	pid_t child = fork();

	if (!child)
		for (;;)
			spin(1000);
	ASSERT_EQ(0, open_all(self, child));
	enable_all(self);
	usleep(200000);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	EXPECT_LT(0, collect_all(self));
}

/* The kernel's code as well: more than without, and each record still begins with synchronisation */
TEST_F(task, that_calls_the_kernel_has_its_trace_where_it_is_asked_for)
{
	uint64_t user, both;
	int i;

	ETE_NEED_ROOT();
	ASSERT_EQ(0, open_all(self, 0));
	enable_all(self);
	for (i = 0; i < 200; i++)
		getppid();
	user = disable_all(self);
	while (self->nr_traces)
		trace_close(&traces[--self->nr_traces]);
	self->attr.exclude_kernel = 0;
	ASSERT_EQ(0, open_all(self, 0));
	enable_all(self);
	for (i = 0; i < 200; i++)
		getppid();
	both = disable_all(self);
	EXPECT_LT(user + 200, both);
	EXPECT_EQ(0, flags_of_all(self) & TRACE_LOSS);
}

#include "ete_main.h"
