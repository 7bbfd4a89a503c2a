// SPDX-License-Identifier: GPL-2.0-only
/* Whose trace is compared with whose log: threads, or for a recording of CPUs the CPUs. */
#include "base/error.h"
#include "base/print.h"
#include "verify_threads.h"

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

/* Raw bytes name neither thread nor CPU. */
static bool is_nameless(const struct input_source *source)
{
	return source->tid == INPUT_ANY && source->cpu == INPUT_ANY;
}

int verify_index_sources(struct source_index *index, const struct input *input)
{
	int error = 0;

	for (size_t i = 0; i < input->source_count && !error; i++)
		error = source_index_add(index, false, number_of(&input->sources[i]), i);
	return error;
}

const struct input_source *verify_source_of(const struct input *input, const struct truth *truth,
					    const struct source_index *index, int32_t number)
{
	const size_t *found;
	size_t count;

	if (is_nameless(&input->sources[0]))
		return truth_threads(truth) == 1 ? &input->sources[0] : NULL;
	found = source_index_get(index, false, number, &count);
	return found ? &input->sources[*found] : NULL;
}

static bool in_log(const struct truth *truth, const struct input_source *source)
{
	if (is_nameless(source))
		return truth_threads(truth) == 1;
	return is_cpu(source) ? truth_find_cpu(truth, source->cpu) >= 0
			      : truth_find(truth, source->tid) >= 0;
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
