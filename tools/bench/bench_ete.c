// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_ete - how fast trace of ETE and of ETMv4 is decoded, beside OpenCSD in the same run.
 *
 * Both sides take every packet, then every range of executed instructions, and fold it into a
 * sum; the sums must be equal. Then our side counts ranges, beside the other side's sum in no
 * order. Both start with nothing: decoder, image and caches are made within the time that is
 * measured. One core, CPU time, one side after the other.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bench.h"
#include "bench_median.h"

static const char usage[] =
	"usage: bench_ete [OPTIONS] [NAME=]SRC...\n\n"
	"Each SRC is one configuration of the trace unit, called NAME in the results.\n\n"
	"  --pairs=N        measure so often, one side after the other (5)\n"
	"  --repeat=N       decode each piece so often in one measurement (1)\n"
	"  --only=packets|exact|counts\n"
	"  --as=etmv4       take the traces as those of an ETMv4\n"
	"  --side=ours|peer run one side alone and compare nothing, for a profiler\n"
	"  --core=N         the core to run on (the last one)\n";

#define MAX_PAIRS 101

struct options {
	struct input_options input;
	unsigned int pairs;
	unsigned int repeat;
	int core;
	bool kinds[BENCH_KINDS];
	const struct bench_side *alone;
	bool etmv4;
};

/* struct total - of all configurations of one kind */
struct total {
	double worst;
	double ours;
	double theirs;
	unsigned int measured;
	unsigned int skipped;
	unsigned int failed;
};

static const char *const kind_names[2][BENCH_KINDS] = {
	{"ete_packets", "ete_exact", "ete_counts"},
	{"etmv4_packets", "etmv4_exact", "etmv4_counts"}};
/* what is counted */
static const char *const unit_names[BENCH_KINDS] = {"packets", "ranges", "ranges"};

static double median(const double *values, unsigned int count)
{
	double sorted[MAX_PAIRS];

	memcpy(sorted, values, count * sizeof(*values));
	return bench_median(sorted, count);
}

static int measure(const struct bench_side *side, enum bench_kind kind, struct bench_run *run,
		   struct bench_cost *cost)
{
	int err;

	run->sum = 0;
	run->trouble = (struct bench_trouble){0};
	bench_meter_start();
	err = side->run[kind](run);
	*cost = bench_meter_stop();
	return err;
}

/* How much there is to be found: a run of its own, so that counting costs nothing */
static int count(const struct bench_side *side, enum bench_kind kind, const struct bench_run *like,
		 struct bench_watch *found)
{
	struct bench_run run = *like;
	int err;

	*found = (struct bench_watch){0};
	run.watch = found;
	/* counted ranges are not seen one by one */
	err = side->run[kind == BENCH_COUNTS ? BENCH_EXACT : kind](&run);
	free(found->sums);
	return err;
}

static void print_speed(const struct bench_side *side, enum bench_kind kind,
			const struct bench_run *run, const struct bench_watch *found,
			double seconds, uint64_t instructions)
{
	const char *name = kind_names[run->work->etmv4][kind];
	const char *work = run->work->name;
	double bytes = (double)run->work->bytes * run->repeat;

	printf("bench: %s/%s/%s %.2f MB/s\n", name, work, side->name, bytes / seconds / 1e6);
	printf("bench: %s/%s/%s_%s %.3f M%s/s\n", name, work, side->name, unit_names[kind],
	       (double)found->count / seconds / 1e6, unit_names[kind]);
	if (kind != BENCH_PACKETS)
		printf("bench: %s/%s/%s_instructions %.2f Minstructions/s\n", name, work,
		       side->name, (double)found->instructions / seconds / 1e6);
	if (instructions)
		printf("bench: %s/%s/%s_cost %.2f host_instructions/byte\n", name, work, side->name,
		       (double)instructions / bytes);
	fflush(stdout);
}

/* One side alone, for a profiler */
static void run_alone(const struct options *options, const struct bench_work *work,
		      enum bench_kind kind)
{
	struct bench_run run = {.work = work, .repeat = options->repeat};
	struct bench_cost cost = {0};
	struct bench_watch found;
	double seconds[MAX_PAIRS] = {0};

	for (unsigned int i = 0; i < options->pairs; i++) {
		if (measure(options->alone, kind, &run, &cost)) {
			printf("bench: %s/%s/%s skipped %s\n", kind_names[work->etmv4][kind],
			       work->name, options->alone->name, run.trouble.first);
			return;
		}
		seconds[i] = cost.seconds;
	}
	count(options->alone, kind, &run, &found);
	print_speed(options->alone, kind, &run, &found, median(seconds, options->pairs),
		    cost.instructions);
}

static void skip(enum bench_kind kind, const struct bench_work *work, const char *reason,
		 struct total *total)
{
	printf("bench: %s_vs_%s/%s skipped %s\n", kind_names[work->etmv4][kind], bench_opencsd.name,
	       work->name, reason);
	fflush(stdout);
	total->skipped++;
}

/* The sums are not equal: the peer says that it cannot, or the benchmark fails. */
static void differ(const struct options *options, enum bench_kind kind,
		   const struct bench_work *work, struct total *total)
{
	char reason[640];

	if (bench_explain(work, kind == BENCH_COUNTS ? BENCH_EXACT : kind, options->repeat, reason,
			  sizeof(reason))) {
		skip(kind, work, reason, total);
		return;
	}
	total->failed++;
	fprintf(stderr, "bench_ete: %s/%s: results differ: %s\n", kind_names[work->etmv4][kind],
		work->name, reason);
}

static void add_total(struct total *total, double ratio, double ours, double theirs)
{
	if (!total->measured++ || ratio < total->worst)
		total->worst = ratio;
	total->ours += ours;
	total->theirs += theirs;
}

static void compare(const struct options *options, const struct bench_work *work,
		    enum bench_kind kind, struct total *total)
{
	struct bench_run ours = {.work = work, .repeat = options->repeat};
	struct bench_run theirs = ours;
	struct bench_cost our_cost = {0};
	struct bench_cost their_cost = {0};
	struct bench_watch found;
	double our_seconds[MAX_PAIRS] = {0};
	double their_seconds[MAX_PAIRS] = {0};
	double ratios[MAX_PAIRS] = {0};
	double ratio;

	for (unsigned int i = 0; i < options->pairs; i++) {
		if (measure(&bench_ours, kind, &ours, &our_cost)) {
			fprintf(stderr, "bench_ete: %s: %s\n", work->name, ours.trouble.first);
			total->failed++;
			return;
		}
		if (measure(&bench_opencsd, kind, &theirs, &their_cost)) {
			skip(kind, work, theirs.trouble.first, total);
			return;
		}
		if (ours.sum != theirs.sum) {
			differ(options, kind, work, total);
			return;
		}
		our_seconds[i] = our_cost.seconds;
		their_seconds[i] = their_cost.seconds;
		ratios[i] = their_cost.seconds / our_cost.seconds;
	}
	count(&bench_ours, kind, &ours, &found);
	ratio = median(ratios, options->pairs);
	printf("bench: %s_vs_%s/%s %.2f ratio\n", kind_names[work->etmv4][kind], bench_opencsd.name,
	       work->name, ratio);
	print_speed(&bench_ours, kind, &ours, &found, median(our_seconds, options->pairs),
		    our_cost.instructions);
	print_speed(&bench_opencsd, kind, &theirs, &found, median(their_seconds, options->pairs),
		    their_cost.instructions);
	add_total(total, ratio, median(our_seconds, options->pairs),
		  median(their_seconds, options->pairs));
}

/* NAME, or the last part of the path; returns the path */
static const char *name_work(const char *argument, char *name, size_t room)
{
	const char *equals = strchr(argument, '=');
	const char *end = equals ? equals : argument + strlen(argument);
	const char *start = argument;

	if (!equals) {
		while (end > argument + 1 && end[-1] == '/')
			end--;
		for (start = end; start > argument && start[-1] != '/'; start--)
			;
	}
	snprintf(name, room, "%.*s", (int)(end - start), start);
	return equals ? equals + 1 : argument;
}

static int run_work(const struct options *options, const char *argument, struct total *totals)
{
	struct input_options input = options->input;
	struct bench_work work;
	char name[128];
	int status;

	input.path = name_work(argument, name, sizeof(name));
	status = bench_work_open(&work, name, &input, options->etmv4);
	if (status)
		return status;
	printf("bench: %s_trace/%s %.6f MB\n", options->etmv4 ? "etmv4" : "ete", work.name,
	       (double)work.bytes * options->repeat / 1e6);
	for (enum bench_kind kind = 0; kind < BENCH_KINDS; kind++) {
		if (!options->kinds[kind])
			continue;
		if (options->alone)
			run_alone(options, &work, kind);
		else if (kind != BENCH_PACKETS && work.mixed)
			skip(kind, &work, "different code at the same addresses in one piece",
			     &totals[kind]);
		else
			compare(options, &work, kind, &totals[kind]);
	}
	bench_work_close(&work);
	return 0;
}

static void print_total(enum bench_kind kind, const struct total *total, bool etmv4)
{
	const char *name = kind_names[etmv4][kind];
	const char *peer = bench_opencsd.name;

	if (!total->measured) {
		printf("bench: %s_vs_%s skipped none of %u configurations could be measured\n",
		       name, peer, total->skipped + total->failed);
		return;
	}
	printf("bench: %s_vs_%s_total %.2f ratio\n", name, peer, total->theirs / total->ours);
	/* the worst configuration is the result */
	printf("bench: %s_vs_%s %.2f ratio\n", name, peer, total->worst);
}

static unsigned int number(const char *text, unsigned int max)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	return *end || value > max ? 0 : (unsigned int)value;
}

/* One of our own options; false if it is wrong. */
static bool take_option(struct options *options, int value, const char *argument)
{
	switch (value) {
	case 'p':
		options->pairs = number(argument, MAX_PAIRS);
		return options->pairs;
	case 'r':
		options->repeat = number(argument, 100000000);
		return options->repeat;
	case 'c':
		options->core = (int)number(argument, 4096);
		return true;
	case 'o':
		options->kinds[BENCH_PACKETS] = !strcmp(argument, "packets");
		options->kinds[BENCH_EXACT] = !strcmp(argument, "exact");
		options->kinds[BENCH_COUNTS] = !strcmp(argument, "counts");
		return options->kinds[BENCH_PACKETS] || options->kinds[BENCH_EXACT] ||
		       options->kinds[BENCH_COUNTS];
	case 'a':
		options->etmv4 = !strcmp(argument, "etmv4");
		return options->etmv4 || !strcmp(argument, "ete");
	case 's':
		options->alone = !strcmp(argument, "peer") ? &bench_opencsd : &bench_ours;
		return !strcmp(argument, "peer") || !strcmp(argument, "ours");
	default:
		return false;
	}
}

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option longs[] = {INPUT_LONG_OPTIONS,
					      {"pairs", required_argument, NULL, 'p'},
					      {"repeat", required_argument, NULL, 'r'},
					      {"only", required_argument, NULL, 'o'},
					      {"as", required_argument, NULL, 'a'},
					      {"side", required_argument, NULL, 's'},
					      {"core", required_argument, NULL, 'c'},
					      {"help", no_argument, NULL, 'h'},
					      {NULL, 0, NULL, 0}};
	int value;

	while ((value = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
		int taken = input_option(&options->input, value, optarg);

		if (taken == 0 || (taken > 0 && take_option(options, value, optarg)))
			continue;
		fputs(usage, value == 'h' ? stdout : stderr);
		return value == 'h' ? -1 : EXIT_USAGE;
	}
	if (optind < argc)
		return 0;
	fputs(usage, stderr);
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct options options = {.pairs = 5, .repeat = 1, .core = -1, .kinds = {true, true, true}};
	struct total totals[BENCH_KINDS] = {{0}};
	int status;

	input_options_init(&options.input);
	status = parse(argc, argv, &options);
	if (status)
		return status < 0 ? EXIT_GOOD : status;
	bench_meter_open(options.core);
	printf("bench: opencsd_version %s version\n", bench_opencsd.version());
	for (int i = optind; i < argc && !status; i++)
		status = run_work(&options, argv[i], totals);
	for (enum bench_kind kind = 0; kind < BENCH_KINDS && !status && !options.alone; kind++) {
		if (options.kinds[kind])
			print_total(kind, &totals[kind], options.etmv4);
	}
	input_options_free(&options.input);
	if (status)
		return status;
	for (enum bench_kind kind = 0; kind < BENCH_KINDS; kind++)
		if (totals[kind].failed)
			return EXIT_GAPS;
	return EXIT_GOOD;
}
