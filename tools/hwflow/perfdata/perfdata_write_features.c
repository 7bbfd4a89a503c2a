// SPDX-License-Identifier: GPL-2.0-only
/* The features of a perf.data file: sections that describe the machine and the recording. */
#include <errno.h>
#include <linux/perf_event.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "perfdata_writer.h"

/* perf pads the strings of its features to this */
#define NAME_ALIGN 64

/* what perf calls the kernel */
#define KERNEL_NAME "[kernel.kallsyms]"

static int put_u32(struct perfdata_writer *writer, uint32_t value)
{
	return perfdata_put(writer, &value, sizeof(value));
}

static int put_u64(struct perfdata_writer *writer, uint64_t value)
{
	return perfdata_put(writer, &value, sizeof(value));
}

static int put_string(struct perfdata_writer *writer, const char *string)
{
	static const char zero[NAME_ALIGN];
	const size_t length = strlen(string);
	const size_t room = (length + NAME_ALIGN) & ~(size_t)(NAME_ALIGN - 1);

	put_u32(writer, (uint32_t)room);
	perfdata_put(writer, string, length);
	return perfdata_put(writer, zero, room - length);
}

static void put_cmdline(struct perfdata_writer *writer)
{
	put_u32(writer, (uint32_t)writer->recording.argc);
	for (size_t i = 0; i < writer->recording.argc; i++)
		put_string(writer, writer->argv[i]);
}

static void put_event_desc(struct perfdata_writer *writer)
{
	put_u32(writer, (uint32_t)writer->event_count);
	put_u32(writer, (uint32_t)writer->attr_size);
	for (size_t i = 0; i < writer->event_count; i++) {
		const struct perfdata_writer_event *event = &writer->events[i];

		perfdata_put(writer, event->attr, writer->attr_size);
		put_u32(writer, (uint32_t)event->id_count);
		put_string(writer, event->name);
		perfdata_put(writer, event->ids, event->id_count * sizeof(uint64_t));
	}
}

static int compare_build_ids(const void *a, const void *b)
{
	const struct perfdata_writer_file *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	if (!order)
		order = (x->pid > y->pid) - (x->pid < y->pid);
	return order ? order : memcmp(x->build_id, y->build_id, sizeof(x->build_id));
}

int perfdata_writer_build_id(struct perfdata_writer *writer, const struct perfdata_mapping *mapping,
			     bool kernel)
{
	/* the name of the kernel is followed by that of a symbol in a mapping only */
	const size_t length = kernel && !strncmp(mapping->path, KERNEL_NAME, strlen(KERNEL_NAME))
				      ? strlen(KERNEL_NAME)
				      : strlen(mapping->path);
	struct perfdata_writer_file *file = calloc(1, sizeof(*file) + length + 1), **found = NULL;

	if (file) {
		file->pid = kernel ? -1 : 0;
		file->build_id_size = mapping->build_id_size;
		memcpy(file->build_id, mapping->build_id, mapping->build_id_size);
		memcpy(file->path, mapping->path, length);
		found = tsearch(file, &writer->build_ids, compare_build_ids);
	}
	if (!found && !writer->error)
		writer->error = -ENOMEM;
	if (!found || *found != file)
		free(file);
	return writer->error;
}

/* A record of the list; perf takes the pid -1 for the machine itself, the bits for whose it is. */
static void put_build_id(const void *node, VISIT which, void *ctx)
{
	static const uint8_t zero[NAME_ALIGN];
	const struct perfdata_writer_file *file = *(struct perfdata_writer_file *const *)node;
	const size_t length = strlen(file->path);
	const size_t room = (length + NAME_ALIGN) & ~(size_t)(NAME_ALIGN - 1);
	struct perfdata_writer *writer = ctx;
	struct {
		struct perf_event_header header;
		int32_t pid;
		uint8_t build_id[20];
		uint8_t size;
		uint8_t reserved[3];
	} record = {
		.header.misc =
			(uint16_t)((file->pid ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
				   PERFDATA_MISC_BUILD_ID_SIZE),
		.header.size = (uint16_t)(sizeof(record) + room),
		.pid = -1,
		.size = file->build_id_size,
	};

	if (which != postorder && which != leaf)
		return;
	memcpy(record.build_id, file->build_id, sizeof(record.build_id));
	perfdata_put(writer, &record, sizeof(record));
	perfdata_put(writer, file->path, length);
	perfdata_put(writer, zero, room - length);
}

static const char *arch_of(const struct perfdata_cpu *cpu)
{
	return cpu->protocol == PERFDATA_RISCV   ? "riscv64"
	       : cpu->protocol == PERFDATA_ETMV3 ? "armv7l"
						 : "aarch64";
}

static void put_compressed(struct perfdata_writer *writer)
{
	uint32_t words[PERFDATA_PACK_WORDS];

	perfdata_pack_describe(writer->packer, words);
	for (size_t i = 0; i < PERFDATA_PACK_WORDS; i++)
		put_u32(writer, words[i]);
}

static void put_feature(struct perfdata_writer *writer, unsigned int feature)
{
	const struct perfdata_recording *recording = &writer->recording;
	const uint32_t cpus =
		recording->machine_cpus ? recording->machine_cpus : (uint32_t)recording->cpu_count;

	switch (feature) {
	case PERFDATA_FEATURE_TRACING_DATA:
		perfdata_put(writer, writer->tracing_data, recording->tracing_data_size);
		break;
	case PERFDATA_FEATURE_BUILD_ID:
		twalk_r(writer->build_ids, put_build_id, writer);
		break;
	case PERFDATA_FEATURE_HOSTNAME:
		put_string(writer, writer->hostname);
		break;
	case PERFDATA_FEATURE_OSRELEASE:
		put_string(writer, writer->osrelease);
		break;
	case PERFDATA_FEATURE_VERSION:
		put_string(writer, writer->is_complete ? "hwflow" : PERFDATA_VERSION_INCOMPLETE);
		break;
	case PERFDATA_FEATURE_ARCH:
		put_string(writer, arch_of(&writer->recording.cpus[0]));
		break;
	case PERFDATA_FEATURE_NRCPUS:
		put_u32(writer, cpus);
		put_u32(writer, cpus);
		break;
	case PERFDATA_FEATURE_CMDLINE:
		put_cmdline(writer);
		break;
	case PERFDATA_FEATURE_EVENT_DESC:
		put_event_desc(writer);
		break;
	case PERFDATA_FEATURE_PMU_MAPPINGS:
		put_u32(writer, 2);
		put_u32(writer, PERF_TYPE_SOFTWARE);
		put_string(writer, "software");
		put_u32(writer, perfdata_writer_pmu_type(&writer->recording));
		put_string(writer, "cs_etm");
		break;
	case PERFDATA_FEATURE_DIR_FORMAT:
		/* all records are in one file */
		put_u64(writer, 0);
		break;
	case PERFDATA_FEATURE_AUXTRACE:
		put_u64(writer, writer->index_count);
		perfdata_put(writer, writer->index, writer->index_count * sizeof(*writer->index));
		break;
	case PERFDATA_FEATURE_COMPRESSED:
		put_compressed(writer);
		break;
	}
}

/* in ascending order */
static const uint8_t features[PERFDATA_FEATURES] = {
	PERFDATA_FEATURE_TRACING_DATA, PERFDATA_FEATURE_BUILD_ID, PERFDATA_FEATURE_HOSTNAME,
	PERFDATA_FEATURE_OSRELEASE,    PERFDATA_FEATURE_VERSION,  PERFDATA_FEATURE_ARCH,
	PERFDATA_FEATURE_NRCPUS,       PERFDATA_FEATURE_CMDLINE,  PERFDATA_FEATURE_EVENT_DESC,
	PERFDATA_FEATURE_PMU_MAPPINGS, PERFDATA_FEATURE_AUXTRACE, PERFDATA_FEATURE_DIR_FORMAT,
	PERFDATA_FEATURE_COMPRESSED,
};

/* Is there anything to say? */
static bool has_feature(const struct perfdata_writer *writer, unsigned int feature)
{
	switch (feature) {
	case PERFDATA_FEATURE_TRACING_DATA:
		return writer->tracing_data;
	case PERFDATA_FEATURE_BUILD_ID:
		return writer->build_ids && writer->is_complete;
	case PERFDATA_FEATURE_COMPRESSED:
		return writer->packer;
	case PERFDATA_FEATURE_DIR_FORMAT:
		return writer->recording.directory;
	default:
		return true;
	}
}

size_t perfdata_list_features(const struct perfdata_writer *writer, uint64_t bits[4])
{
	size_t count = 0;

	for (size_t i = 0; i < PERFDATA_FEATURES; i++) {
		if (!has_feature(writer, features[i]))
			continue;
		bits[features[i] / 64] |= UINT64_C(1) << features[i] % 64;
		count++;
	}
	return count;
}

void perfdata_put_features(struct perfdata_writer *writer, struct perfdata_section *table)
{
	for (size_t i = 0; i < PERFDATA_FEATURES; i++) {
		if (!has_feature(writer, features[i]))
			continue;
		table->offset = writer->at;
		put_feature(writer, features[i]);
		table->size = writer->at - table->offset;
		table++;
	}
}
