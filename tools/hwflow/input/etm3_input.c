// SPDX-License-Identifier: GPL-2.0-only
/* Sources of ETMv3 trace. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/progress.h"
#include "etm3.h"

/* Ranges of a program that are executed often enough to matter: some 2 MB */
#define CACHED_RANGES 0x4000u

/* Bytes between two looks at the clock */
#define CHUNK 0x10000u

bool etm3_is_type(const char *type)
{
	return !strncasecmp(type, "ETM3", 4) || !strncasecmp(type, "ETMv3", 5);
}

bool etm3_set_register(struct hwf_etm3_regs *regs, const char *name, uint32_t value)
{
	if (!strcmp(name, "ETMCR"))
		regs->etmcr = value;
	else if (!strcmp(name, "ETMIDR"))
		regs->etmidr = value;
	else if (!strcmp(name, "ETMCCER"))
		regs->etmccer = value;
	else if (!strcmp(name, "ETMTRACEIDR"))
		regs->etmtraceidr = value;
	else if (!strcmp(name, "ARMV7M"))
		regs->armv7m = value;
	else
		return false;
	return true;
}

int etm3_config_set(void *ctx, const char *name, uint64_t value)
{
	if (value > UINT32_MAX)
		return -2;
	return etm3_set_register(ctx, name, (uint32_t)value) ? 0 : -1;
}

int etm3_source_init(struct input_source *source, const struct hwf_etm3_regs *regs)
{
	struct etm3_source *etm3 = calloc(1, sizeof(*etm3));

	if (!etm3)
		return HWF_ERR_NO_SPACE;
	source->etm3 = etm3;
	etm3->regs = *regs;
	return hwf_etm3_config_init(&etm3->config, regs);
}

bool etm3_has_sync(const struct input_source *source, const struct input_piece *piece)
{
	struct hwf_etm3_stream stream;
	struct hwf_etm3_packet packet;
	size_t released = 0;
	size_t at = 0;
	size_t size = 1;

	hwf_etm3_stream_init(&stream, &source->etm3->config);
	while (!stream.synced && size) {
		size = hwf_etm3_stream_next(&stream, piece->bytes + at, piece->length - at, true,
					    &packet);
		at += size;
		released = input_release(piece, released, at);
	}
	return stream.synced;
}

int etm3_decode(const struct input_source *source, const struct input_piece *piece,
		const struct hwf_code *code, const struct input_decode *how)
{
	void *memory = malloc(hwf_range_cache_bytes(CACHED_RANGES));
	struct hwf_range_cache cache;
	struct hwf_etm3_decoder decoder;
	size_t at = how->part ? how->part->span.from : 0;
	size_t released = at;
	size_t taken;

	if (!memory) {
		input_error(source->file, piece->at, "out of memory");
		return EXIT_UNREADABLE;
	}
	hwf_range_cache_init(&cache, memory, CACHED_RANGES);
	hwf_etm3_decoder_init(&decoder, &source->etm3->config, code, how->sink, how->ctx);
	decoder.flow.straight = !how->each_instruction;
	decoder.flow.cache = &cache;
	decoder.stream.offset = at;
	while (piece->length - at > CHUNK && !(how->stop && *how->stop)) {
		taken = hwf_etm3_decoder_push(&decoder, piece->bytes + at, CHUNK, false);
		progress_add(taken);
		at += taken;
		released = input_release(piece, released, at);
	}
	if (!(how->stop && *how->stop)) {
		hwf_etm3_decoder_push(&decoder, piece->bytes + at, piece->length - at, true);
		progress_add(piece->length - at);
		input_release(piece, released, piece->length);
	}
	free(memory);
	return 0;
}
