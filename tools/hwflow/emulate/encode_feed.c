// SPDX-License-Identifier: GPL-2.0-only
/* The events of the ground-truth log to what traces them. */
#include "encode_feed.h"

#include <string.h>

#include "base/progress.h"

/* Events between two looks at the clock */
#define TELL 0x8000u

int encode_feed(const struct truth *truth, size_t thread, encode_feed_fn *take, void *encoder,
		char message[TRUTH_MESSAGE])
{
	struct truth_reader reader;
	struct truth_event event;
	uint64_t told = 0;
	int status = 0;

	truth_reader_init(&reader, truth, thread);
	for (uint32_t i = 1; !status; i++) {
		int got = truth_next(&reader, &event);

		if (got < 0)
			memcpy(message, reader.message, TRUTH_MESSAGE);
		if (got <= 0) {
			status = got;
			break;
		}
		if (i % TELL == 0) {
			progress_add(truth_reader_at(&reader) - told);
			told = truth_reader_at(&reader);
		}
		status = take(encoder, &event, message);
	}
	progress_add(truth_reader_at(&reader) - told);
	return status;
}
