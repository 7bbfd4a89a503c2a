// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate: run an arm64 or riscv64 program, and trace it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/command_status.h"
#include "base/error.h"
#include "base/output.h"
#include "base/print.h"
#include "commands.h"
#include "emulate/emulate_guard.h"
#include "emulate/emulate_options.h"
#include "emulate/emulate_place.h"
#include "emulate/emulate_stream.h"
#include "source/input.h"

static int show_log(const struct emulate_parse *parse)
{
	char message[TRUTH_MESSAGE];
	struct truth *truth;
	int error = truth_open(&truth, parse->show_log, message);

	if (error)
		return verb_error("%s", message);
	if (parse->tid != INPUT_ANY && truth_find(truth, parse->tid) < 0)
		error = verb_error("%s: there is no thread %d", parse->show_log, parse->tid);
	for (size_t i = 0; i < truth_threads(truth) && !error; i++) {
		if (parse->tid != INPUT_ANY && truth_thread(truth, i)->tid != parse->tid)
			continue;
		error = truth_print(truth, i, stdout, message);
		if (error)
			verb_error("%s", message);
	}
	truth_close(truth);
	return error ? EXIT_UNREADABLE : EXIT_GOOD;
}

static void say_notes(const struct run *run)
{
	for (size_t i = 0; i < run->happening_count; i++) {
		const struct run_happening *happening = &run->happenings[i];

		if (happening->event.kind == RUN_NOTE)
			print(stderr, "hwflow emulate: process %d: %s\n", happening->event.pid,
			      happening->text);
	}
}

static void say_totals(const struct emulate_options *options, const struct tracer *tracer)
{
	const struct encode_totals *totals = &tracer->totals;
	double bits = totals->instructions
			      ? 8.0 * (double)totals->bytes / (double)totals->instructions
			      : 0;

	if (totals->gaps)
		print(stderr,
		      "hwflow emulate: %" PRIu64
		      " gaps: the instructions executed there are not known\n",
		      totals->gaps);
	if (!options->quiet)
		print(stderr,
		      "hwflow emulate: %.3f million instructions of %zu thread%s, %" PRIu64
		      " exceptions; %.3f MB of trace, %.2f bits an instruction: %s\n",
		      (double)totals->instructions / 1e6, tracer->count,
		      tracer->count == 1 ? "" : "s", totals->exceptions,
		      (double)totals->bytes / 1e6, bits, options->output);
}

/* The trace is made: the recording. Returns EXIT_GAPS if some instructions are not known. */
static int write_files(const struct run *run, const struct tracer *tracer,
		       const struct emulate_options *options)
{
	int status = run_write_perfdata(run, tracer, options);

	if (!status && run->control->failed)
		status = verb_error("the recording is not complete: %.*s",
				    (int)sizeof(run->control->why), run->control->why);
	if (status)
		return status;
	guard_lock();
	status = place_put(run, !options->no_truth);
	if (!status && options->keep)
		place_keep(run);
	guard_unlock(!status);
	if (status)
		return status;
	say_totals(options, tracer);
	return tracer->totals.gaps ? EXIT_GAPS : EXIT_GOOD;
}

/* Errors of the program's file that QEMU does not report, and what would destroy it */
static int check_files(const struct emulate_options *options)
{
	if (!output_destroys(options->output, options->path))
		return 0;
	verb_error("-o %s: this is the program: write to another file", options->output);
	return EXIT_USAGE;
}

/* How the run went; 0 if there is something to record */
static int say_run(const struct run *run, const struct emulate_options *options)
{
	if (options->recover)
		return run->file_count ? 0
				       : verb_error("%s: no thread had begun: there is nothing to "
						    "recover",
						    options->recover);
	if (run->file_count)
		command_report("emulate", options->name, run->status);
	say_notes(run);
	return run->file_count ? 0 : emulate_explain(run, options);
}

/* Run the program, or take what an earlier run has left; to the recording */
static int record(struct run *run, const struct emulate_options *options)
{
	struct tracer tracer = {.run = run, .options = options};
	struct live *live = NULL;
	int status = live_open(&live, run, options, &tracer);

	if (!status && !options->recover)
		status = run_program(run, options, live);
	if (!status)
		status = live_end(live);
	if (!status)
		status = run_collect(run);
	if (!status && options->recover)
		run_recover_times(run);
	if (!status)
		status = say_run(run, options);
	if (!status)
		status = write_files(run, &tracer, options);
	live_free(live);
	tracer_free(&tracer);
	return status;
}

/* The worker's part */
static int work(struct run *run, const struct emulate_options *options)
{
	int status = record(run, options);

	/* one that could not be recovered may be the next time */
	run_free(run, options->keep || (options->recover && status && status != EXIT_GAPS));
	return status;
}

/* @ended: receives the status of the program, as waitpid() gives it */
static int emulate(const struct emulate_options *options, int *ended)
{
	struct run run = {.main_pid = -1};
	int status = check_files(options);

	if (!status)
		status = place_target(options->output, run.target);
	if (status)
		return status;
	place_clean(run.target);
	status = run_prepare(&run, options);
	if (status)
		run_free(&run, false);
	else
		status = guard_run(&run, options, work);
	*ended = run.status;
	run_release(&run);
	return status;
}

/* A recording of a run that was killed, with the options it had */
static int recover(const struct emulate_parse *given)
{
	struct run run = {.main_pid = -1};
	struct emulate_parse parse = {0};
	char **words = NULL;
	int count, status = run_recover_open(&run, given->options.recover);

	if (!status)
		status = run_recover_options(run.directory, &words, &count);
	if (!status && emulate_parse_recovered(&parse, count, words + 1, run.control->riscv))
		status = verb_error("%s/command: malformed", run.directory);
	if (!status) {
		parse.options.output = run.target;
		parse.options.recover = given->options.recover;
		parse.options.keep = given->options.keep;
		parse.options.quiet = given->options.quiet;
		status = guard_run(&run, &parse.options, work);
	}
	run_release(&run);
	emulate_parse_free(&parse);
	if (words)
		free(words[0]);
	free(words);
	return status;
}

int cmd_emulate(int argc, char **argv)
{
	struct emulate_parse parse;
	int status, ended = 0;

	verb_begin("emulate");
	status = emulate_parse(&parse, argc, argv);
	if (!status && parse.options.recover)
		status = recover(&parse);
	else if (!status)
		status = parse.show_log ? show_log(&parse) : emulate(&parse.options, &ended);
	if (!parse.options.recover && !parse.show_log)
		status = command_status(status, ended, parse.options.fail_on_loss);
	emulate_parse_free(&parse);
	return status < 0 ? EXIT_GOOD : status;
}
