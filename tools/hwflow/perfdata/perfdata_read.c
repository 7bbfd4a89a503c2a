/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens perf.data: the file's head, its attributes, and the order of everything else. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "perfdata_reader.h"

static void read_attrs(struct perfdata *data, const struct perfdata_header *header)
{
	const uint64_t size = header->attr_size;
	const struct perfdata_section *where = &header->attrs;
	struct perfdata_bytes entry;

	if (size < PERFDATA_ATTR_SIZE_MIN + sizeof(*where) || size > 4096) {
		perfdata_note(data, PERFDATA_ERROR, offsetof(struct perfdata_header, attr_size),
			      "event attributes of %llu bytes each: threads, times and CPUs of "
			      "the records cannot be read; record again",
			      (unsigned long long)size);
		return;
	}
	for (uint64_t at = 0; at + size <= where->size; at += size) {
		struct perfdata_bytes attr = {0}, ids = {0};
		struct perfdata_section section;

		if (!perfdata_slice(data->file, where->offset + at, size, &entry)) {
			perfdata_note(data, PERFDATA_ERROR, where->offset + at,
				      "event attribute beyond the end of the file");
			return;
		}
		perfdata_slice(entry, 0, size - sizeof(section), &attr);
		memcpy(&section, entry.at + attr.size, sizeof(section));
		if (!perfdata_slice(data->file, section.offset, section.size, &ids))
			perfdata_note(data, PERFDATA_ERROR, where->offset + at,
				      "identifiers of an event beyond the end of the file");
		perfdata_read_attr(data, where->offset + at, attr, ids);
	}
}

/* The vdso, if the file ends with it */
static void read_vdso(struct perfdata *data, const struct perfdata_header *header)
{
	const uint64_t room = data->file.size - header->data.offset - header->data.size;
	struct perfdata_vdso_tail tail;
	struct perfdata_bytes bytes;

	if (room < sizeof(tail))
		return;
	memcpy(&tail, data->file.at + data->file.size - sizeof(tail), sizeof(tail));
	if (memcmp(tail.magic, PERFDATA_VDSO_MAGIC, sizeof(tail.magic)) != 0 ||
	    tail.size > room - sizeof(tail) ||
	    !perfdata_slice(data->file, data->file.size - sizeof(tail) - tail.size, tail.size,
			    &bytes))
		return;
	data->info.vdso = bytes.at;
	data->info.vdso_size = bytes.size;
}

/*
 * A table of sections stands behind the data, one for each bit that is set. A recorder that is
 * killed may leave a head that names sections which are not there yet.
 */
static void read_features(struct perfdata *data, const struct perfdata_header *header)
{
	uint64_t at = header->data.offset + header->data.size;

	for (unsigned int i = 0; i < PERFDATA_FEATURES; i++) {
		struct perfdata_section section;
		struct perfdata_bytes bytes;

		if (!(header->features[i / 64] >> i % 64 & 1))
			continue;
		if (!perfdata_slice(data->file, at, sizeof(section), &bytes)) {
			perfdata_note_incomplete(data);
			return;
		}
		memcpy(&section, bytes.at, sizeof(section));
		/* hwflow completes the table when the sections are written */
		if (!section.offset) {
			perfdata_note_incomplete(data);
			return;
		}
		if (perfdata_slice(data->file, section.offset, section.size, &bytes))
			perfdata_read_feature(data, i, section.offset, bytes);
		else
			perfdata_note(data, PERFDATA_ERROR, at,
				      "description %u of the machine beyond the end of the file",
				      i);
		at += sizeof(section);
	}
}

/*
 * While perf records, the size of the data is 0. hwflow counts the records so far, and removes the
 * description of the machine, whose parts the features name, while it writes more records.
 */
static bool has_description(const struct perfdata_header *header)
{
	uint64_t features = 0;

	for (size_t i = 0; i < sizeof(header->features) / sizeof(header->features[0]); i++)
		features |= header->features[i];
	return header->data.size && features;
}

static void read_file(struct perfdata *data, const struct perfdata_header *header)
{
	uint64_t end = data->file.size;

	read_attrs(data, header);
	if (header->data.offset > data->file.size) {
		perfdata_note(data, PERFDATA_ERROR, offsetof(struct perfdata_header, data),
			      "the data begins beyond the end of the file");
	} else if (!has_description(header)) {
		perfdata_note_incomplete(data);
	} else if (header->data.size > data->file.size - header->data.offset) {
		data->info.incomplete = true;
		perfdata_note(data, PERFDATA_ERROR, data->file.size,
			      "the file is cut: %llu bytes are missing; what is there is read",
			      (unsigned long long)(header->data.size -
						   (data->file.size - header->data.offset)));
	} else {
		read_features(data, header);
		read_vdso(data, header);
		end = header->data.offset + header->data.size;
	}
	if (header->data.offset < end)
		perfdata_read_records(data, header->data.offset, end);
}

static void publish(struct perfdata *data)
{
	struct perfdata_info *info = &data->info;

	info->argv = data->argv.items;
	info->argc = data->argv.count;
	info->cpus = data->cpus.items;
	info->cpu_count = data->cpus.count;
	info->events = data->events.items;
	info->event_count = data->events.count;
	info->sessions = data->sessions.items;
	info->session_count = data->sessions.count;
	info->samples = data->samples.items;
	info->sample_count = data->samples.count;
	info->cgroups = data->cgroups.items;
	info->cgroup_count = data->cgroups.count;
	info->build_ids = data->build_ids.items;
	info->build_id_count = data->build_ids.count;
	info->notes = data->notes.items;
	info->note_count = data->notes.count;
	for (size_t i = 0; i < info->cpu_count; i++)
		info->clock.known = info->clock.known && info->cpus[i].counter_time;
}

/* Says why a file is not one we read; 0 if it is. */
static int check_magic(struct perfdata_bytes file, char *why)
{
	const uint64_t magic = file.size < 8 ? 0 : perfdata_u64(file, 0);

	if (magic == PERFDATA_MAGIC_BE || magic == PERFDATA_MAGIC_OLD) {
		snprintf(why, PERFDATA_MESSAGE, "%s",
			 magic == PERFDATA_MAGIC_OLD
				 ? "a perf.data of before 2010; record with a newer perf"
				 : "perf.data of a big-endian machine is not supported");
		return -ENOTSUP;
	}
	if (magic != PERFDATA_MAGIC) {
		snprintf(why, PERFDATA_MESSAGE,
			 "not a perf.data file: no PERFILE2 at its beginning");
		return -EINVAL;
	}
	if (file.size < PERFDATA_PIPE_HEADER) {
		snprintf(why, PERFDATA_MESSAGE, "cut within its first 16 bytes; copy it again");
		return -EINVAL;
	}
	return 0;
}

static int read_all(struct perfdata *data, char *why)
{
	struct perfdata_header header = {0};
	int error = check_magic(data->file, why);

	if (error)
		return error;
	header.size = perfdata_u64(data->file, 8);
	if (header.size == PERFDATA_PIPE_HEADER) {
		perfdata_read_records(data, PERFDATA_PIPE_HEADER, data->file.size);
	} else if (header.size < sizeof(header) || data->file.size < sizeof(header)) {
		snprintf(why, PERFDATA_MESSAGE,
			 "its head has %llu bytes of 104; copy or record it again",
			 (unsigned long long)(header.size < sizeof(header) ? header.size
									   : data->file.size));
		return -EINVAL;
	} else {
		memcpy(&header, data->file.at, sizeof(header));
		read_file(data, &header);
	}
	perfdata_unpack_end(data);
	perfdata_make_sessions(data);
	perfdata_find_options(data);
	perfdata_finish_samples(data);
	publish(data);
	if (data->error)
		snprintf(why, PERFDATA_MESSAGE, "out of memory");
	return data->error;
}

/* Takes over @map, if it is not NULL: @file is mapped. */
static int open_bytes(struct perfdata **result, const char *name, struct perfdata_bytes file,
		      const struct file_map *map, char message[PERFDATA_MESSAGE])
{
	struct perfdata *data = calloc(1, sizeof(*data));
	char why[PERFDATA_MESSAGE] = "out of memory";
	int error = -ENOMEM;

	if (data) {
		data->file = file;
		data->info.bytes = file.size;
		if (map)
			data->map = *map;
		data->info.arch = data->info.hostname = data->info.osrelease = "";
		data->info.path = perfdata_string(
			data, (struct perfdata_bytes){(const uint8_t *)name, strlen(name)});
		error = read_all(data, why);
		if (!error) {
			*result = data;
			return 0;
		}
		/* the caller's */
		data->map = (struct file_map){0};
		perfdata_close(data);
	}
	snprintf(message, PERFDATA_MESSAGE, "%s: offset 0: %.300s", name, why);
	return error;
}

int perfdata_open_memory(struct perfdata **data, const char *name, const void *bytes, size_t size,
			 char message[PERFDATA_MESSAGE])
{
	return open_bytes(data, name, (struct perfdata_bytes){bytes, size}, NULL, message);
}

int perfdata_open(struct perfdata **data, const char *path, size_t root,
		  char message[PERFDATA_MESSAGE])
{
	struct file_map map;
	int error = file_map(&map, path, root);

	if (error == -EISDIR)
		snprintf(message, PERFDATA_MESSAGE,
			 "%s: a directory (perf record --threads); record without --threads", path);
	else if (error)
		snprintf(message, PERFDATA_MESSAGE, "%s: %s", path, input_file_error(error));
	if (error)
		return error;
	error = open_bytes(data, path, (struct perfdata_bytes){map.bytes, map.size}, &map, message);
	if (error)
		file_unmap(&map);
	return error;
}

const struct perfdata_info *perfdata_info(const struct perfdata *data)
{
	return &data->info;
}

const struct file_map *perfdata_map(const struct perfdata *data)
{
	return data->map.bytes ? &data->map : NULL;
}

void perfdata_close(struct perfdata *data)
{
	if (!data)
		return;
	perfdata_unpack_end(data);
	perfdata_pool_free(data);
	free(data->attrs.items);
	free(data->ids.items);
	free(data->id_runs.items);
	free(data->events.items);
	free(data->auxes.items);
	free(data->chunks.items);
	free(data->places.items);
	free(data->sessions.items);
	free(data->cpus.items);
	free(data->samples.items);
	free(data->cgroups.items);
	free(data->tracepoints.items);
	free(data->build_ids.items);
	free(data->notes.items);
	free(data->argv.items);
	file_unmap(&data->map);
	free(data);
}

bool perfdata_is_perfdata(const void *bytes, size_t size)
{
	uint64_t magic;

	if (size < sizeof(magic))
		return false;
	memcpy(&magic, bytes, sizeof(magic));
	return magic == PERFDATA_MAGIC || magic == PERFDATA_MAGIC_BE || magic == PERFDATA_MAGIC_OLD;
}
