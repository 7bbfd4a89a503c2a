/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compression of records: one zstd stream over all COMPRESSED records of a file, flushed at the end
 * of each. perf 6.1 finds AUX records by reading the file without unpacking it, so records about
 * trace stay as they are.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "perfdata_writer.h"

/* room for many records; one alone has less than 64 KB */
#define BUFFER 0x40000u

/* what is compressed at a time: also if it cannot be made smaller, a record has room for it */
#define SLICE 0x8000u

#define HEADER sizeof(struct perf_event_header)

/**
 * struct perfdata_packer - state of compression
 * @stream: of zstd
 * @level: of compression
 * @used: bytes of @buffer
 * @taken: bytes compressed so far
 * @made: bytes they have become
 * @buffer: records not yet compressed
 */
struct perfdata_packer {
	ZSTD_CCtx *stream;
	int level;
	size_t used;
	uint64_t taken;
	uint64_t made;
	uint8_t buffer[BUFFER];
};

int perfdata_packer_new(struct perfdata_packer **packer, int level)
{
	struct perfdata_packer *made;

	/* zstd would take the next level that it has */
	if (level < 1 || level > ZSTD_maxCLevel())
		return -EINVAL;
	made = calloc(1, sizeof(*made));
	if (made)
		made->stream = ZSTD_createCCtx();
	if (!made || !made->stream ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(made->stream, ZSTD_c_compressionLevel, level))) {
		perfdata_packer_free(made);
		return -ENOMEM;
	}
	made->level = level;
	*packer = made;
	return 0;
}

void perfdata_packer_free(struct perfdata_packer *packer)
{
	if (!packer)
		return;
	ZSTD_freeCCtx(packer->stream);
	free(packer);
}

static int pack_slice(struct perfdata_writer *writer, const uint8_t *bytes, size_t size)
{
	struct perfdata_packer *packer = writer->packer;
	uint8_t record[HEADER + ZSTD_COMPRESSBOUND(SLICE) + 64];
	struct perf_event_header header = {.type = PERFDATA_RECORD_COMPRESSED};
	ZSTD_inBuffer in = {bytes, size, 0};
	ZSTD_outBuffer out = {record, sizeof(record), HEADER};
	const size_t left = ZSTD_compressStream2(packer->stream, &out, &in, ZSTD_e_flush);

	if (left)
		return writer->error = ZSTD_isError(left) ? -EIO : -ENOSPC;
	header.size = (uint16_t)out.pos;
	memcpy(record, &header, sizeof(header));
	packer->taken += size;
	packer->made += out.pos;
	return perfdata_put(writer, record, out.pos);
}

int perfdata_pack_flush(struct perfdata_writer *writer)
{
	struct perfdata_packer *packer = writer->packer;
	size_t at = 0;

	while (packer && at < packer->used && !writer->error) {
		const size_t left = packer->used - at, size = left < SLICE ? left : SLICE;

		pack_slice(writer, packer->buffer + at, size);
		at += size;
	}
	if (packer)
		packer->used = 0;
	return writer->error;
}

/* Records that readers look for without unpacking the file */
static bool stays_plain(uint32_t type)
{
	return type == PERF_RECORD_AUX || type == PERF_RECORD_ITRACE_START ||
	       type == PERF_RECORD_AUX_OUTPUT_HW_ID;
}

int perfdata_pack(struct perfdata_writer *writer, const void *record, size_t size)
{
	struct perfdata_packer *packer = writer->packer;
	struct perf_event_header header;

	memcpy(&header, record, sizeof(header));
	if (stays_plain(header.type)) {
		perfdata_pack_flush(writer);
		return perfdata_put(writer, record, size);
	}
	if (size > BUFFER - packer->used)
		perfdata_pack_flush(writer);
	memcpy(packer->buffer + packer->used, record, size);
	packer->used += size;
	return writer->error;
}

void perfdata_pack_describe(const struct perfdata_packer *packer,
			    uint32_t words[PERFDATA_PACK_WORDS])
{
	const uint32_t zstd = 1;
	const uint64_t ratio = packer->made ? (packer->taken + packer->made / 2) / packer->made : 0;

	words[0] = 1; /* version of this description */
	words[1] = zstd;
	words[2] = (uint32_t)packer->level;
	words[3] = ratio > UINT32_MAX ? UINT32_MAX : (uint32_t)ratio;
	words[4] = BUFFER; /* a reader needs at most this much room to unpack a record */
}
