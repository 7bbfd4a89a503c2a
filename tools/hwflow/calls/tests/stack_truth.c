/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stack_truth [-g] SRC CALLS [PERIOD] - compares the call stacks of a recording with those that the
 * plugin for call stacks has written (tools/plugin/tests/stack/README).
 *
 * With PERIOD, one branch in a hundred is not given to the stacks: of so many branches of trace a
 * stretch is taken to be lost, and of some threads all from some place on. Then the frames that are
 * known have to be right. -g: the program is one of Go, in which the last call of a thread may
 * lack.
 *
 * Prints "PLACES compared, WHOLE whole, WRONG wrong", and the first wrong ones. The exit status is
 * 1 if one is wrong, or if a call of CALLS is not in SRC.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "verbs/execution.h"
#include "verbs/names.h"
#include "verbs/threads.h"

/* Wrong stacks that are printed */
#define SHOWN 5

/* Threads of a recording, and frames of a stack, at most */
#define THREADS 1024
#define LINKS   0x10000

/**
 * struct expected - a line of CALLS
 * @tid: the thread
 * @order: of the line in the file
 * @number: of the call in it
 * @links: of the live calls, the innermost first
 * @count: how many
 */
struct expected {
	int32_t tid;
	size_t order;
	uint64_t number;
	uint64_t *links;
	size_t count;
};

/**
 * struct counted - a thread
 * @tid: its number
 * @calls: calls so far, since the program in it began
 * @next: index of its next line
 * @ends: index of a line from which on all of the thread is lost, with PERIOD
 */
struct counted {
	int32_t tid;
	uint64_t calls;
	size_t next;
	size_t ends;
};

/**
 * struct truth - the comparison
 * @lines: of CALLS, by thread, and in their order
 * @line_count: how many
 * @threads: those of SRC
 * @thread_count: how many
 * @calls: the stacks
 * @names: processes of threads
 * @period: branches in which a stretch is lost; 0: none is
 * @length: of such a stretch
 * @lost: branches of the stretch that are left; 0: none is being lost
 * @is_go: the program is one of Go
 * @branches: so far
 * @compared: places
 * @whole: of these, where all frames were known
 * @wrong: where a frame was wrong
 */
struct truth {
	struct expected *lines;
	size_t line_count;
	struct counted threads[THREADS];
	size_t thread_count;
	struct calls *calls;
	struct threads *names;
	uint64_t period;
	uint64_t length;
	uint64_t lost;
	uint64_t branches;
	bool is_go;
	size_t compared;
	size_t whole;
	size_t wrong;
};

/* By thread, in the order of the file */
static int by_thread(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static bool read_line(struct expected *line, char *text)
{
	static uint64_t links[LINKS];
	char *end;

	*line = (struct expected){.tid = (int32_t)strtol(text, &end, 10)};
	line->number = strtoull(end, &end, 10);
	while (*end == ' ' && line->count < LINKS)
		links[line->count++] = strtoull(end, &end, 16);
	line->links = malloc(line->count * sizeof(*links) + 1);
	if (line->links)
		memcpy(line->links, links, line->count * sizeof(*links));
	return line->links && *end == '\n';
}

static bool read_calls(struct truth *truth, const char *path)
{
	FILE *file = fopen(path, "r");
	size_t room = 0, size = 0;
	char *text = NULL;
	bool good = file;

	while (good && getline(&text, &size, file) > 0) {
		if (truth->line_count == room) {
			room = 2 * room + 1024;
			truth->lines = reallocarray(truth->lines, room, sizeof(*truth->lines));
		}
		good = truth->lines && read_line(&truth->lines[truth->line_count], text);
		if (good)
			truth->lines[truth->line_count].order = truth->line_count;
		truth->line_count += good;
	}
	if (truth->lines && truth->line_count)
		qsort(truth->lines, truth->line_count, sizeof(*truth->lines), by_thread);
	free(text);
	if (file)
		fclose(file);
	return good;
}

static struct counted *thread_of(struct truth *truth, int32_t tid)
{
	struct counted *thread = truth->threads;

	for (size_t i = 0; i < truth->thread_count; i++, thread++)
		if (thread->tid == tid)
			return thread;
	if (truth->thread_count == THREADS)
		exit(2);
	truth->thread_count++;
	*thread = (struct counted){.tid = tid};
	while (thread->next < truth->line_count && truth->lines[thread->next].tid != tid)
		thread->next++;
	thread->ends = thread->next;
	while (thread->ends < truth->line_count && truth->lines[thread->ends].tid == tid)
		thread->ends++;
	/* of one thread in three the last quarter */
	thread->ends -= tid % 3 ? 0 : (thread->ends - thread->next) / 4;
	return thread;
}

static void show_links(const char *what, const uint64_t *links, size_t count)
{
	printf("  %s:", what);
	for (size_t i = 0; i < count && i < 40; i++)
		printf(" %" PRIx64, links[i]);
	putchar('\n');
}

/*
 * In a program of Go, the truth has the frames on one stack alone: it ends with those that
 * runtime.systemstack or runtime.mcall has called on the stack of the scheduler, and has none from
 * before the program's first stack was made.
 */
static bool is_end(const struct truth *truth, const struct hwf_stack *stack, size_t at)
{
	const struct functions *functions = calls_functions(truth->calls);
	const char *name;

	if (!truth->is_go)
		return false;
	name = functions_get(functions, stack->frames[at].function.id)->function->name;
	return !strcmp(name, "runtime.rt0_go.abi0") ||
	       (at + 1 < stack->depth &&
		(!strcmp(name, "runtime.systemstack.abi0") || !strcmp(name, "runtime.mcall") ||
		 !strcmp(name, "runtime.morestack.abi0")));
}

static void compare(struct truth *truth, const struct calls_thread *thread,
		    const struct expected *line)
{
	static uint64_t links[LINKS];
	const struct hwf_stack *stack = &thread->stack;
	bool same, ends = false;
	size_t count = 0;

	for (size_t i = stack->depth; i-- && count < LINKS && !ends;) {
		ends = is_end(truth, stack, i);
		if (stack->frames[i].kind == HWF_STACK_FRAME_CALL && !ends)
			links[count++] = stack->frames[i].link;
	}
	same = stack->is_whole && !ends ? count == line->count : count <= line->count;
	same = same && !memcmp(links, line->links, count * sizeof(*links));
	truth->compared++;
	truth->whole += stack->is_whole;
	if (same)
		return;
	if (truth->wrong++ < SHOWN) {
		printf("thread %" PRId32 ", call %" PRIu64 "%s\n", line->tid, line->number,
		       stack->is_whole ? "" : ", callers unknown");
		show_links("stack", links, count);
		show_links("truth", line->links, line->count);
	}
}

static void take_change(void *ctx, struct calls_thread *thread)
{
	(void)ctx;
	(void)thread;
}

static void take_item(void *ctx, struct calls_thread *thread, uint64_t item)
{
	struct truth *truth = ctx;

	compare(truth, thread, &truth->lines[item]);
}

static void take_instructions(void *ctx, struct calls_thread *thread, uint64_t instructions)
{
	(void)ctx;
	(void)thread;
	(void)instructions;
}

static struct calls_place place_of(const struct truth *truth, const struct execution *execution)
{
	return (struct calls_place){
		.source = execution->source,
		.piece = execution->piece,
		.pid = execution_process(execution, truth->names),
		.tid = execution->tid,
		.time = execution->timestamp,
	};
}

/* Gives a branch to the stacks, unless it is lost. */
static bool give(struct truth *truth, const struct counted *thread, const struct calls_place *place,
		 const struct hwf_branch *branch)
{
	struct hwf_branch start = {
		.kind = HWF_BRANCH_START,
		.to = branch->to,
		.to_space = branch->to_space,
		.has_to = branch->has_to,
		.taken = true,
	};
	const bool was_lost = truth->lost;

	if (truth->period && thread->next >= thread->ends) {
		calls_gap(truth->calls, place);
		return false;
	}
	if (truth->period && ++truth->branches % truth->period == truth->period / 2) {
		truth->lost = truth->length;
	} else if (truth->lost) {
		truth->lost--;
	}
	/* of each thread that executes something meanwhile */
	if (truth->lost)
		calls_gap(truth->calls, place);
	if (truth->lost || (was_lost && !branch->has_to))
		return false;
	calls_branch(truth->calls, place, was_lost ? &start : branch);
	return !was_lost;
}

static void take_branch(void *ctx, const struct execution *execution,
			const struct hwf_branch *branch)
{
	struct truth *truth = ctx;
	const struct calls_place place = place_of(truth, execution);
	struct counted *thread = thread_of(truth, execution->tid);
	const struct expected *line = &truth->lines[thread->next];
	bool given;

	if (!branch->taken)
		return;
	given = give(truth, thread, &place, branch);
	if (calls_starts_program(branch))
		thread->calls = 0;
	if (branch->kind != HWF_BRANCH_CALL && branch->kind != HWF_BRANCH_INDIRECT_CALL)
		return;
	thread->calls++;
	if (thread->next == truth->line_count || line->tid != thread->tid ||
	    line->number != thread->calls)
		return;
	thread->next++;
	/* a call of the next instruction reads the program counter: no function is called */
	if (given && branch->to != branch->next)
		calls_item(truth->calls, &place, (uint64_t)(line - truth->lines));
}

static void take_range(void *ctx, const struct execution *execution,
		       const struct hwf_flow_range *range)
{
	(void)ctx;
	(void)execution;
	(void)range;
}

static void take_gap(void *ctx, const struct execution *execution, const struct gap *gap)
{
	const struct truth *truth = ctx;
	const struct calls_place place = place_of(truth, execution);

	(void)gap;
	calls_gap(truth->calls, &place);
}

/*
 * Is line @at the last one of its thread, with the first call that the recording does not have? A
 * program of Go exits while its threads run: one may be stopped between the two.
 */
static bool is_cut_off(struct truth *truth, size_t at)
{
	const int32_t tid = truth->lines[at].tid;

	for (size_t i = at + 1; i < truth->line_count; i++) {
		if (truth->lines[i].tid == tid)
			return false;
	}
	return truth->is_go && truth->lines[at].number == thread_of(truth, tid)->calls + 1;
}

/* The first line of each thread that was not come to; how many threads have one */
static size_t show_missing(struct truth *truth)
{
	size_t missing = 0;

	for (size_t i = 0; i < truth->line_count; i++) {
		const int32_t tid = truth->lines[i].tid;
		const struct counted *thread = thread_of(truth, tid);

		if (i != thread->next || is_cut_off(truth, i))
			continue;
		printf("thread %" PRId32 ": no call %" PRIu64
		       " in the recording, which has %" PRIu64 "\n",
		       tid, truth->lines[i].number, thread->calls);
		missing++;
	}
	return missing;
}

int main(int argc, char **argv)
{
	static struct truth truth;
	struct execution_sink sink = {
		.branch = take_branch, .range = take_range, .gap = take_gap, .ctx = &truth};
	struct input_options options;
	struct execution execution;
	struct symbols *symbols;
	struct input *input;

	if (argc > 1 && !strcmp(argv[1], "-g")) {
		truth.is_go = true;
		argc--;
		argv++;
	}
	if (argc < 3 || !read_calls(&truth, argv[2])) {
		fprintf(stderr, "usage: stack_truth [-g] SRC CALLS [PERIOD]\n");
		return 2;
	}
	if (argc > 3) {
		truth.period = strtoull(argv[3], NULL, 10);
		truth.length = truth.period / 100;
	}
	input_options_init(&options);
	options.path = argv[1];
	options.symfs = options.given_symfs = getenv("SYMFS");
	options.quiet = true;
	if (input_open(&input, &options) || names_open(&symbols, input, &options, false) ||
	    threads_new(&truth.names, input_recording(input)))
		return 2;
	truth.calls = calls_new(input, symbols,
				&(struct calls_sink){.changed = take_change,
						     .executed = take_instructions,
						     .item = take_item,
						     .ctx = &truth});
	sink.order = calls_order(input);
	if (!sink.order || !truth.calls || execution_run(&execution, input, &sink) ||
	    calls_end(truth.calls))
		return 2;
	printf("%zu compared, %zu whole, %zu wrong\n", truth.compared, truth.whole, truth.wrong);
	return truth.wrong || show_missing(&truth);
}
