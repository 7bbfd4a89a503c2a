/* SPDX-License-Identifier: GPL-2.0-only */
/* Compressed records: one zstd stream over all of them, records across their borders. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/input_limits.h"
#include "perfdata_reader.h"

/* room for the longest record, and as much again to unpack into */
#define BUFFER 131072

/* records may unpack to so much, whatever their ratio: few events may be alike */
#define UNPACKED_FREE (UINT64_C(256) << 10)

/**
 * struct perfdata_unpacker - state of decompression
 * @stream: of zstd
 * @used: bytes of @buffer, the beginning of a record
 * @taken: bytes unpacked so far
 * @made: what they became
 * @broken: nothing more can be unpacked
 */
struct perfdata_unpacker {
	ZSTD_DStream *stream;
	size_t used;
	uint64_t taken;
	uint64_t made;
	bool broken;
	uint8_t buffer[BUFFER];
};

static struct perfdata_unpacker *unpacker_get(struct perfdata *data)
{
	struct perfdata_unpacker *unpacker = data->unpacker;

	if (unpacker)
		return unpacker;
	unpacker = calloc(1, sizeof(*unpacker));
	if (unpacker)
		unpacker->stream = ZSTD_createDStream();
	if (!unpacker || !unpacker->stream) {
		free(unpacker);
		data->error = -ENOMEM;
		return NULL;
	}
	data->unpacker = unpacker;
	return unpacker;
}

static void unpacker_break(struct perfdata *data, uint64_t at, const char *why)
{
	data->unpacker->broken = true;
	data->unpacker->used = 0;
	perfdata_note(data, PERFDATA_ERROR, at,
		      "compressed records from here on cannot be read: %s; record again, or "
		      "without -z",
		      why);
}

static void unpacker_stop(struct perfdata *data, uint64_t at, enum limit limit)
{
	data->unpacker->broken = true;
	data->unpacker->used = 0;
	perfdata_note(data, PERFDATA_ERROR, at,
		      "compressed records from here on are not read: they unpack to more than "
		      "perf writes; %s",
		      limit_text(limit));
}

/* Takes in the whole records of the buffer and moves what is left to its beginning. */
static void take_records(struct perfdata *data, uint64_t at)
{
	struct perfdata_unpacker *unpacker = data->unpacker;
	const struct perfdata_bytes all = {unpacker->buffer, unpacker->used};
	size_t done = 0;

	while (all.size - done >= sizeof(struct perf_event_header) && !data->error) {
		struct perf_event_header header;
		struct perfdata_bytes record;

		memcpy(&header, all.at + done, sizeof(header));
		if (header.size < sizeof(header) || header.type == PERFDATA_RECORD_COMPRESSED ||
		    header.type == PERFDATA_RECORD_COMPRESSED2 ||
		    header.type == PERFDATA_RECORD_AUXTRACE) {
			unpacker_break(data, at, "a record in it is damaged");
			return;
		}
		if (!perfdata_slice(all, done, header.size, &record))
			break;
		perfdata_read_record(data, at, record);
		done += header.size;
	}
	unpacker->used -= done;
	memmove(unpacker->buffer, unpacker->buffer + done, unpacker->used);
}

/* Memory for events goes by what is unpacked: a small file must not ask for all there is. */
static bool is_within(struct perfdata *data, uint64_t at)
{
	const struct perfdata_unpacker *unpacker = data->unpacker;

	if (unpacker->made > limit_of(LIMIT_records))
		unpacker_stop(data, at, LIMIT_records);
	else if (unpacker->made > UNPACKED_FREE &&
		 (unpacker->made - UNPACKED_FREE) / unpacker->taken > limit_of(LIMIT_ratio))
		unpacker_stop(data, at, LIMIT_ratio);
	return !unpacker->broken;
}

void perfdata_unpack(struct perfdata *data, uint64_t at, struct perfdata_bytes packed)
{
	struct perfdata_unpacker *unpacker = unpacker_get(data);
	ZSTD_inBuffer in = {packed.at, packed.size, 0};
	size_t room, made;

	if (!unpacker || unpacker->broken || !packed.size)
		return;
	unpacker->taken += packed.size;
	do {
		ZSTD_outBuffer out = {unpacker->buffer, BUFFER, unpacker->used};
		size_t result;

		room = BUFFER - unpacker->used;
		result = ZSTD_decompressStream(unpacker->stream, &out, &in);
		if (ZSTD_isError(result))
			return unpacker_break(data, at, ZSTD_getErrorName(result));
		made = out.pos - unpacker->used;
		unpacker->made += made;
		data->info.bytes += made;
		if (!is_within(data, at))
			return;
		unpacker->used = out.pos;
		take_records(data, at);
	} while (!unpacker->broken && !data->error && (in.pos < in.size || made == room));
}

void perfdata_unpack_end(struct perfdata *data)
{
	struct perfdata_unpacker *unpacker = data->unpacker;

	if (!unpacker)
		return;
	if (unpacker->used)
		perfdata_note(data, PERFDATA_ERROR, data->file.size,
			      "the compressed records end within a record");
	ZSTD_freeDStream(unpacker->stream);
	free(unpacker);
	data->unpacker = NULL;
}
