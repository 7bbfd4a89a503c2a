/* SPDX-License-Identifier: GPL-2.0-only */
/* hwflow record: record the execution of programs with the trace hardware of this machine. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <linux/arm_ete_pmu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command_status.h"
#include "base/error.h"
#include "base/option_next.h"
#include "base/print.h"
#include "commands.h"
#include "record/record.h"
#include "recorded_counts.h"
#include "source/input.h"

static const char usage[] =
	"usage: hwflow record [OPTIONS] [-- COMMAND [ARG...]]\n\n"
	"Records which instructions are executed, with the trace hardware of this machine. The\n"
	"recording is a perf.data file that the other verbs of hwflow and stock perf read.\n"
	"Without -p, -t, -a or -C, COMMAND and all processes that it starts are recorded, until "
	"it\n"
	"ends. With one of these options and no COMMAND, recording ends with ^C.\n\n"
	"What is recorded:\n"
	"  -p, --pid=PID[,...]  these processes, and those that they start\n"
	"  -t, --tid=TID[,...]  these threads\n"
	"  -a, --all-cpus       all CPUs: every thread that runs\n"
	"  -C, --cpu=LIST       these CPUs, for example 0,2-3\n"
	"  --per-thread         one trace buffer for each thread named, and none for others that "
	"it\n"
	"                       starts\n"
	"  --user, --kernel     code of programs (the default), code of the kernel; both with "
	"both\n"
	"  --no-kcore           do not copy the kernel's code; by default a recording of the "
	"kernel "
	"is a\n"
	"                       directory that has the kernel's code, if /proc/kcore is readable\n"
	"  -e, --event=EVENT    the trace event with options of the driver, as in perf record\n"
	"                       (cs_etm/OPTION=VALUE,.../u), or another event to be sampled "
	"beside\n"
	"                       it, such as sched:sched_switch; repeatable\n"
	"  --filter=FILTER      only code that FILTER selects; for the -e before it, or for the\n"
	"                       trace: 'filter START/SIZE@FILE', 'start ADDRESS', 'stop ADDRESS'\n"
	"  -D, --delay=MS       begin MS milliseconds after COMMAND or, without one, after the "
	"start\n"
	"                       of hwflow; -1: when --control says so\n\n"
	"The trace:\n"
	"  --cycles             cycle counts\n"
	"  --timestamps         timestamps also with --per-thread\n"
	"  --all-cgroups        the cgroup of each thread, for report --by=cgroup\n"
	"  --strobe=ON/PERIOD   trace the first ON cycles of each PERIOD cycles\n"
	"  -S, --snapshot[=[e][SIZE]]   keep the latest trace only, and write it (at most SIZE "
	"bytes\n"
	"                       of each buffer) when the command receives SIGUSR2, and with e "
	"also\n"
	"                       at the end\n"
	"  --trigger=WHAT       with --snapshot: write the latest trace when WHAT occurs, and end "
	"the\n"
	"                       recording. WHAT is a function or an address of COMMAND or of a "
	"file\n"
	"                       (SYMBOL[+OFFSET][@FILE]), a tracepoint (SYSTEM:NAME[:FILTER]),\n"
	"                       syscall:NAME, signal:NAME, exit, or latency(BEGIN,END)>TIME: the "
	"time\n"
	"                       between two functions or addresses is longer than TIME (ns, us, "
	"ms, s)\n"
	"  --trigger-tail=TIME  with --trigger: record for TIME (ns, us, ms, s) more before the "
	"latest\n"
	"                       trace is written (default: 0s)\n"
	"  --multi-snapshot     write a snapshot each time that WHAT occurs, and go on\n"
	"  -m, --buffers=[RINGS][,TRACE]   size of the rings of records and of the trace buffers:\n"
	"                       pages, or bytes with the suffix K, M or G; a power of two "
	"(default:\n"
	"                       512K,4M; 256K,128K for an unprivileged user)\n\n"
	"The command:\n"
	"  -o, --output=FILE    write the recording to FILE (default: perf.data); an older FILE "
	"is\n"
	"                       renamed to FILE.old\n"
	"  --profile[=FILE]     decode the trace while it is recorded, and write to FILE "
	"(default:\n"
	"                       perf.hwprof) how often each instruction was executed, as 'hwflow\n"
	"                       profile' does. The trace itself is kept with -o only. Trace that\n"
	"                       cannot be decoded in time is dropped, and reported\n"
	"  --profile-memory=SIZE   with --profile: trace that waits to be decoded takes about SIZE "
	"bytes\n"
	"                       of memory at most, with K, M or G (default: 64M)\n"
	"  -j, --jobs=N         with --profile: decode with N processes (default: 1)\n"
	"  --control=fifo:REQUESTS[,ACK]   read enable, disable, snapshot, ping and stop from the\n"
	"                       named pipe REQUESTS, and write 'ack' to ACK; also fd:N[,M]\n"
	"  -z, --compression-level[=LEVEL]   compress the records of mappings, threads and samples "
	"with\n"
	"                       zstd, LEVEL 1 to 22 (default: 1); trace is not compressed\n"
	"  --fail-on-loss       exit with status 124 if trace was lost\n"
	"  -q, --quiet          print no summary\n"
	"  -h, --help           print this text\n\n"
	"Exit status: that of COMMAND, 128 + N if signal N ended it; 1 wrong command line; 124 "
	"trace was\n"
	"lost, with --fail-on-loss; 125 the recording failed; 126 COMMAND cannot be executed; 127 "
	"COMMAND\n"
	"was not found. Without COMMAND: 0 success; 2 nothing was recorded; 3 trace was lost.\n";

/* highest level of zstd */
#define COMPRESSION_MAX 22
/* least memory for trace that waits to be decoded */
#define PROFILE_MEMORY_MIN 65536
/* most processes that decode */
#define JOBS_MAX 256

enum {
	OPT_PER_THREAD = 256,
	OPT_USER,
	OPT_KERNEL,
	OPT_NO_KCORE,
	OPT_FILTER,
	OPT_CYCLES,
	OPT_TIMESTAMPS,
	OPT_ALL_CGROUPS,
	OPT_STROBE,
	OPT_TRIGGER,
	OPT_TRIGGER_TAIL,
	OPT_MULTI_SNAPSHOT,
	OPT_CONTROL,
	OPT_FAIL_ON_LOSS,
	OPT_PROFILE,
	OPT_PROFILE_MEMORY,
	OPT_HELP,
};

static const struct option longs[] = {
	{"pid", required_argument, NULL, 'p'},
	{"tid", required_argument, NULL, 't'},
	{"all-cpus", no_argument, NULL, 'a'},
	{"cpu", required_argument, NULL, 'C'},
	{"per-thread", no_argument, NULL, OPT_PER_THREAD},
	{"user", no_argument, NULL, OPT_USER},
	{"kernel", no_argument, NULL, OPT_KERNEL},
	{"no-kcore", no_argument, NULL, OPT_NO_KCORE},
	{"event", required_argument, NULL, 'e'},
	{"filter", required_argument, NULL, OPT_FILTER},
	{"delay", required_argument, NULL, 'D'},
	{"cycles", no_argument, NULL, OPT_CYCLES},
	{"timestamps", no_argument, NULL, OPT_TIMESTAMPS},
	{"all-cgroups", no_argument, NULL, OPT_ALL_CGROUPS},
	{"strobe", required_argument, NULL, OPT_STROBE},
	{"snapshot", optional_argument, NULL, 'S'},
	{"trigger", required_argument, NULL, OPT_TRIGGER},
	{"trigger-tail", required_argument, NULL, OPT_TRIGGER_TAIL},
	{"multi-snapshot", no_argument, NULL, OPT_MULTI_SNAPSHOT},
	{"buffers", required_argument, NULL, 'm'},
	{"output", required_argument, NULL, 'o'},
	{"profile", optional_argument, NULL, OPT_PROFILE},
	{"profile-memory", required_argument, NULL, OPT_PROFILE_MEMORY},
	{"jobs", required_argument, NULL, 'j'},
	{"control", required_argument, NULL, OPT_CONTROL},
	{"compression-level", optional_argument, NULL, 'z'},
	{"fail-on-loss", no_argument, NULL, OPT_FAIL_ON_LOSS},
	{"quiet", no_argument, NULL, 'q'},
	{"help", no_argument, NULL, OPT_HELP},
};

#define OPTIONS (sizeof(longs) / sizeof(longs[0]))

/* most options that a verb has of its own */
#define OWN_MAX 8

static int bad_value(const char *option, const char *text, const char *expected)
{
	verb_error("%s %s: %s", option, text, expected);
	return EXIT_USAGE;
}

/* A number, with a suffix for bytes. Returns the end of it, or NULL. */
static const char *parse_size(const char *text, size_t *value, bool *bytes)
{
	unsigned int shift = 0;
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	*value = strtoul(text, &end, 10);
	*bytes = true;
	switch (*end) {
	case 'G':
		shift = 30;
		break;
	case 'M':
		shift = 20;
		break;
	case 'K':
		shift = 10;
		break;
	case 'B':
		break;
	default:
		*bytes = false;
	}
	if (errno || *value > SIZE_MAX >> shift)
		return NULL;
	*value <<= shift;
	return *bytes ? end + 1 : end;
}

/* Pages of a buffer: a power of two. Returns the end of the text, or NULL. */
static const char *parse_pages(const char *text, size_t *pages)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const char *end;
	bool bytes;

	if (*text == ',' || !*text)
		return text;
	end = parse_size(text, pages, &bytes);
	if (!end)
		return NULL;
	if (bytes) {
		if (*pages % page)
			return NULL;
		*pages /= page;
	}
	return *pages && *pages <= INT_MAX && !(*pages & (*pages - 1)) ? end : NULL;
}

static int parse_buffers(struct record_options *options, const char *text)
{
	const char *end = parse_pages(text, &options->ring_pages);

	if (end && *end == ',')
		end = parse_pages(end + 1, &options->trace_pages);
	if (end && !*end)
		return 0;
	return bad_value("-m", text,
			 "[RINGS][,TRACE] expected, each a power of two of pages, or of bytes with "
			 "K, M or G");
}

static int parse_strobe(struct record_options *options, const char *text)
{
	unsigned int on, period;
	char rest;

	if (sscanf(text, "%u/%u%c", &on, &period, &rest) != 2 || !on || on >= period)
		return bad_value("--strobe", text,
				 "ON/PERIOD in cycles expected, ON less than PERIOD");
	options->strobe_on = on;
	options->strobe_off = period - on;
	return 0;
}

static int parse_snapshot(struct record_options *options, const char *text)
{
	const char *end;
	bool bytes;

	options->snapshot = true;
	if (text && *text == 'e') {
		options->snapshot_at_end = true;
		text++;
	}
	if (!text || !*text)
		return 0;
	end = parse_size(text, &options->snapshot_bytes, &bytes);
	if (!end || *end || !options->snapshot_bytes)
		return bad_value("--snapshot", text,
				 "[e][SIZE] expected: e for a snapshot at the end, a number of "
				 "bytes with K, M or G");
	return 0;
}

static int parse_compression(struct record_options *options, const char *text)
{
	unsigned int level = 1;
	char rest;

	if (text && (!isdigit((unsigned char)*text) || sscanf(text, "%u%c", &level, &rest) != 1 ||
		     !level || level > COMPRESSION_MAX))
		return bad_value("-z", text, "a level from 1 to 22 expected");
	options->compression = (int)level;
	return 0;
}

static int parse_delay(struct record_options *options, const char *text)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < -1 || value > INT_MAX)
		return bad_value("-D", text, "milliseconds expected, or -1");
	options->delay = (int)value;
	return 0;
}

static int parse_memory(struct record_options *options, const char *text)
{
	bool bytes;
	const char *end = parse_size(text, &options->profile_memory, &bytes);

	if (end && !*end && options->profile_memory >= PROFILE_MEMORY_MIN)
		return 0;
	return bad_value("--profile-memory", text,
			 "a number of bytes with K, M or G expected, at least 64K");
}

static int parse_jobs(struct record_options *options, const char *text)
{
	char rest;

	if (isdigit((unsigned char)*text) && sscanf(text, "%u%c", &options->jobs, &rest) == 1 &&
	    options->jobs && options->jobs <= JOBS_MAX)
		return 0;
	return bad_value("-j", text, "a number of processes from 1 to 256 expected");
}

static int add_event(struct record_options *options, const char *text)
{
	if (options->event_count == RECORD_EVENTS_MAX)
		return bad_value("-e", text, "too many events");
	options->events[options->event_count++] = text;
	return 0;
}

static int add_trigger(struct record_options *options, const char *text)
{
	if (options->trigger)
		return bad_value("--trigger", text, "a recording has one trigger only");
	options->trigger = text;
	return 0;
}

/* A filter is for the event before it; without one, for the trace event. */
static int add_filter(struct record_options *options, const char *text)
{
	if (!options->event_count) {
		int status = add_event(options, ARM_ETE_PMU_NAME "//u");

		if (status)
			return status;
	}
	options->filters[options->event_count - 1] = text;
	return 0;
}

static int take_option(struct record_options *options, int option)
{
	switch (option) {
	case 'p':
		options->pids = optarg;
		return 0;
	case 't':
		options->tids = optarg;
		return 0;
	case 'a':
		options->all_cpus = true;
		return 0;
	case 'C':
		options->cpus = optarg;
		return 0;
	case OPT_PER_THREAD:
		options->per_thread = true;
		return 0;
	case OPT_USER:
		options->user = true;
		return 0;
	case OPT_KERNEL:
		options->kernel = true;
		return 0;
	case OPT_NO_KCORE:
		options->no_kcore = true;
		return 0;
	case 'e':
		return add_event(options, optarg);
	case OPT_FILTER:
		return add_filter(options, optarg);
	case 'D':
		return parse_delay(options, optarg);
	case OPT_CYCLES:
		options->cycles = true;
		return 0;
	case OPT_TIMESTAMPS:
		options->timestamps = true;
		return 0;
	case OPT_ALL_CGROUPS:
		options->all_cgroups = true;
		return 0;
	case OPT_STROBE:
		return parse_strobe(options, optarg);
	case 'S':
		return parse_snapshot(options, optarg);
	case OPT_TRIGGER:
		return add_trigger(options, optarg);
	case OPT_TRIGGER_TAIL:
		options->trigger_tail = optarg;
		return 0;
	case OPT_MULTI_SNAPSHOT:
		options->multi_snapshot = true;
		return 0;
	case 'm':
		return parse_buffers(options, optarg);
	case 'o':
		options->output = optarg;
		return 0;
	case OPT_CONTROL:
		options->control = optarg;
		return 0;
	case 'z':
		return parse_compression(options, optarg);
	case OPT_PROFILE:
		options->profile = optarg ? optarg : "perf.hwprof";
		return 0;
	case OPT_PROFILE_MEMORY:
		return parse_memory(options, optarg);
	case 'j':
		return parse_jobs(options, optarg);
	case OPT_FAIL_ON_LOSS:
		options->fail_on_loss = true;
		return 0;
	case 'q':
		options->quiet = true;
		return 0;
	default:
		return EXIT_USAGE;
	}
}

/* Options that exclude each other */
static int check(const struct record_options *options)
{
	const bool by_cpu = options->all_cpus || options->cpus;
	const bool by_thread = options->pids || options->tids;
	const bool counts = options->profile || options->counter;
	const char *wrong = NULL;

	if (options->all_cpus && options->cpus)
		wrong = "-a and -C: use one of them";
	else if (by_cpu && by_thread)
		wrong = "-a and -C select CPUs, -p and -t threads: use one of them";
	else if (by_cpu && options->per_thread)
		wrong = "--per-thread: not with -a or -C";
	else if (by_thread && options->command)
		wrong = "-p and -t record threads that exist: omit the command, or the options";
	else if (!by_cpu && !by_thread && !options->command)
		wrong = "no COMMAND to record: append -- COMMAND, or use -p, -t, -a or -C";
	else if (options->delay == -1 && !options->control)
		wrong = "-D -1: requires --control, by which recording is enabled";
	else if (options->trigger && !options->snapshot)
		wrong = "--trigger: only with --snapshot, which keeps the latest trace";
	else if (options->trigger_tail && !options->trigger)
		wrong = "--trigger-tail: only with --trigger";
	else if (options->multi_snapshot && !options->trigger)
		wrong = "--multi-snapshot: only with --trigger";
	else if (options->profile && (options->stat || options->counter))
		wrong = "--profile: an option of hwflow record";
	else if (options->profile && options->output && !strcmp(options->profile, options->output))
		wrong = "-o and --profile: name two files";
	else if (counts && options->snapshot)
		wrong = "--snapshot: not where the trace is decoded while it is recorded";
	else if ((options->jobs || options->profile_memory) && !counts)
		wrong = "-j and --profile-memory: only with --profile, which decodes";
	if (!wrong)
		return 0;
	verb_error("%s; try --help", wrong);
	return EXIT_USAGE;
}

int record_parse(struct record_options *options, const struct record_verb *verb, int argc,
		 char **argv)
{
	struct option all[OPTIONS + OWN_MAX + 1] = {{NULL, 0, NULL, 0}};
	size_t own = 0;
	int option, status, index;

	memcpy(all, longs, sizeof(longs));
	for (; verb->longs && verb->longs[own].name && own < OWN_MAX; own++)
		all[OPTIONS + own] = verb->longs[own];
	verb_begin(verb->name);
	while ((option = option_next(argc, argv, all, true, &index)) != -1) {
		if (option == OPT_HELP) {
			fputs(verb->usage, stdout);
			return -1;
		}
		if (option == '?') {
			print(stderr, "try 'hwflow %s --help'\n", verb->name);
			return EXIT_USAGE;
		}
		status = (size_t)index < OPTIONS || !verb->take
				 ? take_option(options, option)
				 : verb->take(verb->ctx, option, optarg);
		if (status)
			return status;
	}
	if (optind < argc)
		options->command = argv + optind;
	return check(options);
}

int cmd_record(int argc, char **argv)
{
	struct record_options options = {
		.arguments = (const char *const *)argv,
		.argument_count = (size_t)argc,
	};
	struct record_cost cost = {.status = 0};
	struct recorded_counts counts = {.stored = NULL};
	const struct record_counter counter = recorded_counts_counter(&counts);
	const struct record_verb verb = {.name = "record", .usage = usage};
	int status = record_parse(&options, &verb, argc, argv);

	if (status)
		return status < 0 ? EXIT_GOOD : status;
	if (options.profile)
		options.counter = &counter;
	else if (!options.output)
		options.output = "perf.data";
	input_options_init(&counts.input);
	counts.input.jobs = options.jobs ? options.jobs : 1;
	status = record_run(&options, &cost);
	if (!options.command)
		return status;
	command_report("record", options.command[0], cost.status);
	return command_status(status, cost.status, options.fail_on_loss);
}
