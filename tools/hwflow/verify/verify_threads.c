// SPDX-License-Identifier: GPL-2.0-only
/* Whose trace is compared with whose log: threads, or for a recording of CPUs the CPUs. */
#include "verify_threads.h"
#include "cli/print.h"

static bool is_cpu(const struct input_source *source)
{
	return source->cpu >= 0;
}

static int32_t number_of(const struct input_source *source)
{
	return is_cpu(source) ? source->cpu : source->tid;
}

bool verify_by_cpu(const struct input *input)
{
	return is_cpu(&input->sources[0]);
}

size_t verify_count(const struct truth *truth, bool cpus)
{
	return cpus ? truth_cpus(truth) : truth_threads(truth);
}

int32_t verify_number(const struct truth *truth, size_t index, bool cpus)
{
	return cpus ? truth_cpu(truth, index) : truth_thread(truth, index)->tid;
}

static bool same(const struct truth *truth, int32_t number, const struct input_source *source)
{
	/* raw bytes name neither */
	if (source->tid == INPUT_ANY && source->cpu == INPUT_ANY)
		return truth_threads(truth) == 1;
	return number_of(source) == number;
}

const struct input_source *verify_source_of(const struct input *input, const struct truth *truth,
					    int32_t number)
{
	for (size_t i = 0; i < input->source_count; i++) {
		if (same(truth, number, &input->sources[i]))
			return &input->sources[i];
	}
	return NULL;
}

static bool in_log(const struct truth *truth, const struct input_source *source)
{
	const bool cpus = is_cpu(source);

	for (size_t i = 0; i < verify_count(truth, cpus); i++) {
		if (same(truth, verify_number(truth, i, cpus), source))
			return true;
	}
	return false;
}

int verify_strangers(const struct truth *truth, const struct input *input)
{
	int status = 0;

	for (size_t i = 0; i < input->source_count; i++) {
		if (in_log(truth, &input->sources[i]))
			continue;
		print(stdout, "%s: has trace, but is not in the log\n", input->sources[i].name);
		status = EXIT_GAPS;
	}
	return status;
}
