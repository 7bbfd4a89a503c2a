/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The section TRACING_DATA: descriptions of tracepoints, as text of the kernel.
 * record/events/tracing_data.c has a drawing of the section.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "perfdata_reader.h"
#include "perfdata_samples.h"

/* no recording has as many, and a damaged file shall not ask for more memory */
#define TRACEPOINTS_MAX 65536
#define FIELDS_MAX      256

static bool take(struct perfdata_bytes *rest, uint64_t size, struct perfdata_bytes *part)
{
	if (!perfdata_slice(*rest, 0, size, part))
		return false;
	rest->at += size;
	rest->size -= size;
	return true;
}

static bool take_number(struct perfdata_bytes *rest, size_t size, uint64_t *value)
{
	struct perfdata_bytes part;

	if (!take(rest, size, &part))
		return false;
	*value = size == 8 ? perfdata_u64(part, 0) : perfdata_u32(part, 0);
	return true;
}

/* A string with its end */
static bool take_text(struct perfdata_bytes *rest, struct perfdata_bytes *text)
{
	const size_t length = strnlen((const char *)rest->at, rest->size);

	return length < rest->size && take(rest, length + 1, text);
}

/* The number behind KEY in a line of a description; -1 if there is none */
static long number_of(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

/*
 * The declaration of a field: TYPE NAME or TYPE NAME[LENGTH]. Returns the name; the type is cut at
 * its end.
 */
static char *split_declaration(char *declaration, bool *array)
{
	char *end = strchr(declaration, '['), *name;

	/* "__data_loc char[] name" has brackets before the name */
	*array = end && end[1] != ']';
	if (*array)
		*end = '\0';
	end = declaration + strlen(declaration);
	while (end > declaration && isspace((unsigned char)end[-1]))
		*--end = '\0';
	name = strrchr(declaration, ' ');
	if (!name)
		return declaration;
	*name = '\0';
	return name + 1;
}

static void set_kind(struct perfdata_field *field, const char *type, bool array, bool is_signed)
{
	const bool text = strstr(type, "char") != NULL;

	field->text = text;
	field->is_signed = is_signed;
	field->relative = !strncmp(type, "__rel_loc", 9);
	if (field->relative || !strncmp(type, "__data_loc", 10))
		field->kind = PERFDATA_FIELD_LOCATION;
	else if (array)
		field->kind = text ? PERFDATA_FIELD_STRING : PERFDATA_FIELD_BYTES;
	else if (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8)
		field->kind = PERFDATA_FIELD_BYTES;
	else if (strchr(type, '*') || (strstr(type, "long") && !is_signed))
		field->kind = PERFDATA_FIELD_ADDRESS;
	else
		field->kind = PERFDATA_FIELD_INTEGER;
}

/* A line "field:DECLARATION; offset:N; size:N; signed:N;". False for others. */
static bool parse_field(struct perfdata *data, char *line, struct perfdata_field *field)
{
	char *declaration = strstr(line, "field:"), *end, *name;
	long offset, size;
	bool array, is_signed;

	end = declaration ? strchr(declaration, ';') : NULL;
	if (!end)
		return false;
	offset = number_of(end, "offset:");
	size = number_of(end, "size:");
	if (offset < 0 || offset > UINT16_MAX || size < 0 || size > UINT16_MAX)
		return false;
	field->offset = (uint32_t)offset;
	field->size = (uint32_t)size;
	is_signed = number_of(end, "signed:") > 0;
	*end = '\0';
	declaration += strlen("field:");
	name = split_declaration(declaration, &array);
	set_kind(field, declaration, array, is_signed);
	if (!strncmp(name, "common_", 7))
		return false;
	field->name = perfdata_string(data, (struct perfdata_bytes){(uint8_t *)name, strlen(name)});
	return true;
}

static void parse_format(struct perfdata *data, const char *system, char *text)
{
	struct perfdata_tracepoint *tracepoint;
	struct perfdata_field fields[FIELDS_MAX] = {{0}}, *copy;
	char *rest = text;
	size_t count = 0;
	long id = -1;
	const char *name = "";

	for (char *line; (line = strsep(&rest, "\n"));) {
		if (!strncmp(line, "name: ", 6))
			name = perfdata_string(data, (struct perfdata_bytes){(uint8_t *)line + 6,
									     strlen(line + 6)});
		else if (!strncmp(line, "ID: ", 4))
			id = number_of(line, "ID: ");
		else if (!strncmp(line, "print fmt:", 10))
			break;
		else if (count < FIELDS_MAX && parse_field(data, line, &fields[count]))
			count++;
	}
	if (id < 0)
		return;
	copy = perfdata_pool(data, (count ? count : 1) * sizeof(*copy));
	tracepoint = perfdata_array_add(data, &data->tracepoints, sizeof(*tracepoint));
	if (!copy || !tracepoint)
		return;
	memcpy(copy, fields, count * sizeof(*copy));
	*tracepoint = (struct perfdata_tracepoint){(uint64_t)id, system, name, copy, count};
}

/* So many files, each with the description of a tracepoint */
static bool take_formats(struct perfdata *data, struct perfdata_bytes *rest, const char *system)
{
	struct perfdata_bytes file;
	uint64_t count, size;

	if (!take_number(rest, 4, &count))
		return false;
	while (count--) {
		char *text;

		if (!take_number(rest, 8, &size) || !take(rest, size, &file))
			return false;
		if (data->tracepoints.count == TRACEPOINTS_MAX)
			continue;
		text = strndup((const char *)file.at, file.size);
		if (!text) {
			data->error = -ENOMEM;
			return true;
		}
		parse_format(data, system, text);
		free(text);
	}
	return true;
}

static bool take_headers(struct perfdata_bytes *rest)
{
	struct perfdata_bytes part;
	uint64_t size;

	for (int i = 0; i < 2; i++)
		if (!take_text(rest, &part) || !take_number(rest, 8, &size) ||
		    !take(rest, size, &part))
			return false;
	return true;
}

bool perfdata_read_tracing_data(struct perfdata *data, struct perfdata_bytes bytes)
{
	static const char magic[] = "\x17\x08\x44"
				    "tracing";
	struct perfdata_bytes part;
	uint64_t systems;

	/* the magic number, the version, byte order, size of long, size of a page */
	if (!take(&bytes, sizeof(magic) - 1, &part) || memcmp(part.at, magic, part.size) != 0 ||
	    !take_text(&bytes, &part) || !take(&bytes, 6, &part) || part.at[0])
		return false;
	if (!take_headers(&bytes) || !take_formats(data, &bytes, "ftrace") ||
	    !take_number(&bytes, 4, &systems))
		return false;
	while (systems--) {
		if (!take_text(&bytes, &part) ||
		    !take_formats(data, &bytes, perfdata_string(data, part)))
			return false;
	}
	return true;
}

/* Characters up to the NUL */
static void print_text(FILE *out, const uint8_t *bytes, size_t size)
{
	const char *text = (const char *)bytes;

	print_bytes(out, ESCAPE_NAME, text, strnlen(text, size));
}

static void print_digits(FILE *out, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		print(out, "%02x", bytes[i]);
}

static uint64_t integer_of(const struct perfdata_field *field, const uint8_t *bytes)
{
	uint64_t value = 0;

	memcpy(&value, bytes, field->size);
	if (field->is_signed && field->size < 8) {
		const uint64_t sign = UINT64_C(1) << (8 * field->size - 1);

		value = (value ^ sign) - sign;
	}
	return value;
}

/* The low half of a location is the offset, the high half the length. */
static void print_location(const struct perfdata_field *field, struct perfdata_bytes raw, FILE *out)
{
	struct perfdata_bytes part;
	uint64_t offset;
	uint32_t value;

	if (field->size != 4)
		return;
	value = perfdata_u32(raw, field->offset);
	offset = (value & 0xffff) + (field->relative ? field->offset + field->size : 0);
	if (!perfdata_slice(raw, offset, value >> 16, &part))
		return;
	if (field->text)
		print_text(out, part.at, part.size);
	else
		print_digits(out, part.at, part.size);
}

static void print_field(const struct perfdata_field *field, struct perfdata_bytes raw, FILE *out)
{
	struct perfdata_bytes part;

	print(out, " %s=", field->name);
	if (!perfdata_slice(raw, field->offset, field->size, &part))
		return;
	switch (field->kind) {
	case PERFDATA_FIELD_INTEGER:
		if (field->is_signed)
			print(out, "%" PRId64, (int64_t)integer_of(field, part.at));
		else
			print(out, "%" PRIu64, integer_of(field, part.at));
		break;
	case PERFDATA_FIELD_ADDRESS:
		print(out, "%#" PRIx64, integer_of(field, part.at));
		break;
	case PERFDATA_FIELD_STRING:
		print_text(out, part.at, part.size);
		break;
	case PERFDATA_FIELD_LOCATION:
		print_location(field, raw, out);
		break;
	default:
		print_digits(out, part.at, part.size);
	}
}

void perfdata_sample_print(const struct perfdata_sample *sample, FILE *out)
{
	const struct perfdata_tracepoint *tracepoint = sample->tracepoint;
	const struct perfdata_bytes raw = {sample->raw, sample->raw_size};

	print(out, "%s", sample->event);
	if (sample->cpu != PERFDATA_ANY)
		print(out, " cpu=%" PRId32, sample->cpu);
	if (tracepoint && sample->raw) {
		for (size_t i = 0; i < tracepoint->field_count; i++)
			print_field(&tracepoint->fields[i], raw, out);
	} else if (sample->ip) {
		print(out, " ip=%#" PRIx64, sample->ip);
	}
}
