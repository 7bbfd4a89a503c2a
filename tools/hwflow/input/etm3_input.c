// SPDX-License-Identifier: GPL-2.0-only
/* Sources of ETMv3 trace. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "etm3.h"
#include "protocol.h"

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

/* struct etm3 - memory for decoding: @cache_memory is of @cache, which has ranges of the code */
struct etm3 {
	struct hwf_etm3_decoder decoder;
	struct hwf_range_cache cache;
	void *cache_memory;
};

static void free_memory(void *memory)
{
	struct etm3 *etm3 = memory;

	free(etm3->cache_memory);
	free(etm3);
}

static void *new_memory(void)
{
	struct etm3 *etm3 = calloc(1, sizeof(*etm3));

	if (!etm3)
		return NULL;
	etm3->cache_memory = malloc(hwf_range_cache_bytes(CACHED_RANGES));
	if (!etm3->cache_memory) {
		free_memory(etm3);
		return NULL;
	}
	hwf_range_cache_init(&etm3->cache, etm3->cache_memory, CACHED_RANGES);
	return etm3;
}

static void forget(void *memory)
{
	struct etm3 *etm3 = memory;

	hwf_range_cache_flush(&etm3->cache);
}

static bool begin(struct decoding *decoding)
{
	const struct input_decode *how = decoding->how;
	struct etm3 *etm3 = decoding->memory;

	hwf_etm3_decoder_init(&etm3->decoder, &decoding->source->etm3->config, decoding->code,
			      how->sink, how->ctx);
	etm3->decoder.flow.straight = !how->each_instruction;
	etm3->decoder.flow.cache = &etm3->cache;
	return true;
}

static size_t push(struct decoding *decoding, const uint8_t *bytes, size_t length, bool last)
{
	struct etm3 *etm3 = decoding->memory;

	return hwf_etm3_decoder_push(&etm3->decoder, bytes, length, last);
}

const struct protocol protocol_etmv3 = {
	.chunk = CHUNK,
	.new_memory = new_memory,
	.free_memory = free_memory,
	.forget = forget,
	.begin = begin,
	.push = push,
};
