// SPDX-License-Identifier: GPL-2.0-only
/* The program code that trace is decoded with, and its versions. */
#include "decode.h"
#include "decode_private.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void decode_init(struct decode *decode)
{
	memset(decode, 0, sizeof(*decode));
}

void decode_free(struct decode *decode)
{
	for (size_t i = 0; i < decode->owned_count; i++)
		free(decode->owned[i]);
	free(decode->owned);
	free(decode->codes);
	free(decode->items);
	free(decode->values);
	decode_init(decode);
}

int decode_add_code(struct decode *decode, uint64_t start, const void *bytes, uint64_t size,
		    uint32_t version)
{
	const size_t room = (decode->code_count + 1) * sizeof(*decode->codes);
	struct decode_code *codes = realloc(decode->codes, room);

	if (!codes)
		return -ENOMEM;
	decode->codes = codes;
	codes[decode->code_count++] = (struct decode_code){
		.start = start,
		.size = size,
		.bytes = bytes,
		.version = version,
	};
	return 0;
}

/* Memory for decode_free(); NULL if there is none */
static void *own(struct decode *decode, size_t size)
{
	const size_t room = (decode->owned_count + 1) * sizeof(*decode->owned);
	void **owned = realloc(decode->owned, room);

	if (!owned)
		return NULL;
	decode->owned = owned;
	owned[decode->owned_count] = malloc(size);
	return owned[decode->owned_count] ? owned[decode->owned_count++] : NULL;
}

int decode_add_copy(struct decode *decode, uint64_t start, const void *bytes, uint64_t size,
		    uint32_t version)
{
	void *copy = own(decode, (size_t)size);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, bytes, (size_t)size);
	return decode_add_code(decode, start, copy, size, version);
}

int decode_add_self(struct decode *decode)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t start, end;
	char line[512], rights[5];
	int error = 0;

	if (!maps)
		return -errno;
	while (!error && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, rights) == 3 &&
		    rights[0] == 'r' && rights[2] == 'x')
			error = decode_add_code(decode, start, (const void *)(uintptr_t)start,
						end - start, 0);
	fclose(maps);
	return error;
}

/* The whole file, in memory that decode_free() frees */
static uint8_t *read_file(struct decode *decode, const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long end = -1;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END))
		end = ftell(file);
	rewind(file);
	if (end > 0)
		bytes = own(decode, (size_t)end);
	if (bytes && fread(bytes, 1, (size_t)end, file) != (size_t)end)
		bytes = NULL;
	fclose(file);
	*size = end > 0 ? (size_t)end : 0;
	return bytes;
}

static int add_segment(struct decode *decode, const uint8_t *bytes, size_t size, uint64_t address,
		       uint64_t offset, uint64_t length)
{
	if (offset > size || length > size - offset)
		return -ENOEXEC;
	return decode_add_code(decode, address, bytes + offset, length, 0);
}

static int add_segments32(struct decode *decode, const uint8_t *bytes, size_t size)
{
	Elf32_Ehdr head;
	int error = 0;

	memcpy(&head, bytes, sizeof(head));
	for (unsigned int i = 0; i < head.e_phnum && !error; i++) {
		const uint64_t at = (uint64_t)head.e_phoff + i * sizeof(Elf32_Phdr);
		Elf32_Phdr part;

		if (at + sizeof(part) > size)
			return -ENOEXEC;
		memcpy(&part, bytes + at, sizeof(part));
		if (part.p_type == PT_LOAD && part.p_flags & PF_X)
			error = add_segment(decode, bytes, size, part.p_vaddr, part.p_offset,
					    part.p_filesz);
	}
	return error;
}

static int add_segments64(struct decode *decode, const uint8_t *bytes, size_t size)
{
	Elf64_Ehdr head;
	int error = 0;

	memcpy(&head, bytes, sizeof(head));
	for (unsigned int i = 0; i < head.e_phnum && !error; i++) {
		const uint64_t at = head.e_phoff + i * sizeof(Elf64_Phdr);
		Elf64_Phdr part;

		if (at > size || size - at < sizeof(part))
			return -ENOEXEC;
		memcpy(&part, bytes + at, sizeof(part));
		if (part.p_type == PT_LOAD && part.p_flags & PF_X)
			error = add_segment(decode, bytes, size, part.p_vaddr, part.p_offset,
					    part.p_filesz);
	}
	return error;
}

int decode_add_elf(struct decode *decode, const char *path)
{
	size_t size;
	const uint8_t *bytes = read_file(decode, path, &size);

	if (!bytes)
		return -ENOENT;
	if (size < sizeof(Elf64_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG))
		return -ENOEXEC;
	return bytes[EI_CLASS] == ELFCLASS32 ? add_segments32(decode, bytes, size) :
					       add_segments64(decode, bytes, size);
}

const void *decode_code_space(void *ctx, const struct hwf_context *context)
{
	const struct decode *decode = ctx;

	(void)context;
	return (const void *)(uintptr_t)(1 + decode->markers);
}

size_t decode_code_read(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	const struct decode *decode = ctx;
	const uint32_t version = (uint32_t)((uintptr_t)space - 1);

	for (size_t i = decode->code_count; i > 0; i--) {
		const struct decode_code *code = &decode->codes[i - 1];
		uint64_t rest;

		if (code->version > version || address < code->start ||
		    address - code->start >= code->size)
			continue;
		rest = code->size - (address - code->start);
		if (length > rest)
			length = (size_t)rest;
		memcpy(bytes, code->bytes + (address - code->start), length);
		return length;
	}
	return 0;
}
