/* SPDX-License-Identifier: GPL-2.0-only */
/* A comparison with two workers: what the first process compares itself. */
#ifndef HWFLOW_TEST_WORKERS_H
#define HWFLOW_TEST_WORKERS_H

#include <stdlib.h>

#include "source/input.h"
#include "truth/truth.h"
#include "verify/verify_ahead.h"

/* struct seen - after a comparison; @ranges: what verify_ahead_ranges() returned */
struct seen {
	struct verify_thread thread;
	uint64_t total;
	size_t ranges;
	struct verify_insn last[VERIFY_SHOWN];
};

/* As cmd_verify() compares the one source of a recording, or its CPU, as far as it has no gap */
static inline void see(struct seen *seen, struct input_options *options, const char *log,
		       const char *shard_bytes)
{
	const struct window whole = {.first = UINT64_MAX};
	const struct input_source *source;
	char message[TRUTH_MESSAGE];
	struct verify_ahead *ahead;
	struct input *input;
	struct truth *truth;

	options->quiet = true;
	options->jobs = 2;
	setenv("HWFLOW_SHARD_BYTES", shard_bytes, 1);
	assert_int_equal(input_open(&input, options), 0);
	assert_int_equal(truth_open(&truth, log, message), 0);
	source = &input->sources[0];
	*seen = (struct seen){0};
	assert_int_equal(verify_log_start(&seen->thread.log, truth, 0,
					  source->cpu == INPUT_ANY ? NULL : &whole),
			 0);
	seen->thread.total = &seen->total;
	seen->thread.quiet = true;
	seen->thread.has_traps = options->protocol == INPUT_RISCV;
	seen->thread.dialect = HWF_RISCV_V2;
	ahead = verify_ahead_new(&seen->thread, input, source);
	assert_non_null(ahead);
	for (size_t i = 0; i < source->piece_count && !seen->thread.wrong; i++)
		assert_int_equal(
			verify_piece(ahead, &seen->thread, input, source, &source->pieces[i]), 0);
	seen->ranges = verify_ahead_ranges(ahead);
	verify_ahead_free(ahead);
	verify_last(&seen->thread, seen->last);
	verify_finish(&seen->thread);
	unsetenv("HWFLOW_SHARD_BYTES");
	truth_close(truth);
	input_close(input);
	input_options_free(options);
}

#endif /* HWFLOW_TEST_WORKERS_H */
