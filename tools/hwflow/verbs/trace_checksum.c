/* SPDX-License-Identifier: GPL-2.0-only */
/* A checksum of the trace of a recording. */
#include "trace_checksum.h"

#include <string.h>

#include <xxhash.h>

#include "perfdata/perfdata_read.h"

/* An addition, so that the order makes no difference. Places of records in a file are no times. */
static void add_piece(struct trace_checksum *checksum, XXH3_state_t *state,
		      const struct input_source *source, const struct input_piece *piece,
		      bool timed)
{
	const uint64_t head[] = {(uint64_t)source->cpu, (uint64_t)piece->tid,
				 timed ? piece->time : 0, piece->length};
	XXH128_hash_t sum;

	XXH3_128bits_reset(state);
	XXH3_128bits_update(state, head, sizeof(head));
	XXH3_128bits_update(state, piece->bytes, piece->length);
	sum = XXH3_128bits_digest(state);
	checksum->low += sum.low64;
	checksum->high += sum.high64 + (checksum->low < sum.low64);
}

bool trace_checksum_add(struct trace_checksum *checksum, const struct input *input)
{
	const struct perfdata_info *recording = input_recording(input);
	const bool timed = !recording || !recording->untimed;
	XXH3_state_t *state = XXH3_createState();

	if (!state)
		return false;
	for (size_t i = 0; i < input->source_count; i++) {
		const struct input_source *source = &input->sources[i];

		/* a part of a recording has pieces without bytes that the whole does not have */
		for (size_t j = 0; j < source->piece_count; j++)
			if (source->pieces[j].length)
				add_piece(checksum, state, source, &source->pieces[j], timed);
	}
	XXH3_freeState(state);
	return true;
}

struct hwf_recording_id trace_checksum_id(const struct trace_checksum *checksum,
					  const struct input_options *options)
{
	const XXH128_hash_t trace = {.low64 = checksum->low, .high64 = checksum->high};
	const struct selection_options *select = &options->select;
	XXH3_state_t *state = XXH3_createState();
	struct hwf_recording_id id = {{0}};
	XXH128_canonical_t sum;

	if (!state)
		return id;
	XXH3_128bits_reset(state);
	XXH128_canonicalFromHash(&sum, trace);
	XXH3_128bits_update(state, sum.digest, sizeof(sum.digest));
	if (select->time)
		XXH3_128bits_update(state, select->time, strlen(select->time) + 1);
	if (select->offset)
		XXH3_128bits_update(state, select->offset, strlen(select->offset) + 1);
	XXH128_canonicalFromHash(&sum, XXH3_128bits_digest(state));
	memcpy(id.bytes, sum.digest, sizeof(id.bytes));
	XXH3_freeState(state);
	return id;
}
