/* SPDX-License-Identifier: GPL-2.0-only */
/* Head and tail of a perf.data file: attributes, AUXTRACE_INFO, features. */
#include <errno.h>
#include <linux/perf_event.h>
#include <search.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "perfdata_writer.h"

/* perf pads the strings of its features to this */
#define NAME_ALIGN 64

/* an index of so many AUXTRACE records is shorter than the trace of a round */
#define INDEX_SHORT 4096
/* what perf calls the kernel */
#define KERNEL_NAME "[kernel.kallsyms]"

/* bytes of the description of the machine without its index, at most, and of a block of a disk */
#define TAIL_ROOM 65536

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

static struct perfdata_header make_header(const struct perfdata_writer *writer, uint64_t data_size,
					  const uint64_t *features)
{
	struct perfdata_header header = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(header),
		.attr_size = writer->attr_size + sizeof(struct perfdata_section),
		.attrs = {writer->attrs_at, 0},
		.data = {writer->data_at, data_size},
	};

	header.attrs.size = writer->event_count * header.attr_size;
	if (features)
		memcpy(header.features, features, sizeof(header.features));
	return header;
}

static int put_header(struct perfdata_writer *writer, uint64_t data_size, const uint64_t *features)
{
	const struct perfdata_header header = make_header(writer, data_size, features);

	return perfdata_put(writer, &header, sizeof(header));
}

/* Identifiers, then the attributes that point to them. */
static int put_attrs(struct perfdata_writer *writer)
{
	uint64_t at = writer->at;

	for (size_t i = 0; i < writer->event_count; i++)
		perfdata_put(writer, writer->events[i].ids,
			     writer->events[i].id_count * sizeof(uint64_t));
	writer->attrs_at = writer->at;
	for (size_t i = 0; i < writer->event_count; i++) {
		const struct perfdata_section ids = {at,
						     writer->events[i].id_count * sizeof(uint64_t)};

		perfdata_put(writer, writer->events[i].attr, writer->attr_size);
		perfdata_put(writer, &ids, sizeof(ids));
		at += ids.size;
	}
	return writer->error;
}

static uint64_t register_count(const struct perfdata_cpu *cpu)
{
	if (cpu->protocol == PERFDATA_RISCV)
		return PERFDATA_REGS_RISCV;
	if (cpu->protocol == PERFDATA_ETMV3)
		return PERFDATA_REGS_ETMV3;
	if (cpu->protocol == PERFDATA_ETE)
		return PERFDATA_REGS_ETE + 1;
	return PERFDATA_REGS_ETMV4 + cpu->counter_time;
}

static void put_riscv(struct perfdata_writer *writer, const struct perfdata_cpu *cpu)
{
	uint64_t words[PERFDATA_REGS_RISCV];

	put_u64(writer, PERFDATA_MAGIC_RISCV);
	put_u64(writer, cpu->cpu);
	put_u64(writer, PERFDATA_REGS_RISCV);
	perfdata_riscv_put(&cpu->riscv, words);
	for (size_t i = 0; i < PERFDATA_REGS_RISCV; i++)
		put_u64(writer, words[i]);
}

static void put_etmv3(struct perfdata_writer *writer, const struct perfdata_cpu *cpu)
{
	const struct perfdata_etmv3_regs *regs = &cpu->etmv3;

	put_u64(writer, PERFDATA_MAGIC_ETMV3);
	put_u64(writer, cpu->cpu);
	put_u64(writer, PERFDATA_REGS_ETMV3);
	put_u64(writer, regs->etmcr);
	put_u64(writer, regs->etmtraceidr);
	put_u64(writer, regs->etmccer);
	put_u64(writer, regs->etmidr);
}

static void put_cpu(struct perfdata_writer *writer, const struct perfdata_cpu *cpu)
{
	const struct hwf_ete_regs *regs = &cpu->regs;

	put_u64(writer, cpu->protocol == PERFDATA_ETE ? PERFDATA_MAGIC_ETE : PERFDATA_MAGIC_ETMV4);
	put_u64(writer, cpu->cpu);
	put_u64(writer, register_count(cpu));
	put_u64(writer, regs->trcconfigr);
	put_u64(writer, regs->trctraceidr);
	put_u64(writer, regs->trcidr0);
	put_u64(writer, regs->trcidr1);
	put_u64(writer, regs->trcidr2);
	put_u64(writer, regs->trcidr8);
	put_u64(writer, regs->trcauthstatus);
	if (cpu->protocol == PERFDATA_ETE)
		put_u64(writer, regs->trcdevarch);
	if (cpu->protocol == PERFDATA_ETE || cpu->counter_time)
		put_u64(writer, cpu->counter_time ? PERFDATA_TS_SOURCE_VIRTUAL
						  : PERFDATA_TS_SOURCE_UNKNOWN);
}

static void put_time_conv(struct perfdata_writer *writer, const struct perfdata_clock *clock)
{
	const struct perfdata_time_conv conv = {
		.type = PERFDATA_RECORD_TIME_CONV,
		.record_size = sizeof(conv),
		.shift = clock->shift,
		.mult = clock->mult,
		.zero = clock->zero,
		.cycles = clock->cycles,
		.mask = clock->mask,
		.has_zero = true,
		.is_short = clock->is_short,
	};

	if (clock->known)
		perfdata_put(writer, &conv, sizeof(conv));
}

static uint64_t info_size(const struct perfdata_recording *recording)
{
	uint64_t words = PERFDATA_INFO_WORDS;

	for (size_t i = 0; i < recording->cpu_count; i++)
		words += PERFDATA_BLOCK_WORDS + register_count(&recording->cpus[i]);
	return sizeof(struct perf_event_header) + 8 + 8 * words;
}

static int put_auxtrace_info(struct perfdata_writer *writer,
			     const struct perfdata_recording *recording)
{
	const struct perf_event_header header = {
		.type = PERFDATA_RECORD_AUXTRACE_INFO,
		.size = (uint16_t)info_size(recording),
	};

	perfdata_put(writer, &header, sizeof(header));
	put_u32(writer, recording->cpus[0].protocol == PERFDATA_RISCV ? PERFDATA_RISCV_KIND
								      : ARM_ETE_PMU_AUXTRACE_TYPE);
	put_u32(writer, 0);
	put_u64(writer, ARM_ETE_PMU_INFO_VERSION);
	put_u64(writer, (uint64_t)perfdata_writer_pmu_type(recording) << 32 | recording->cpu_count);
	put_u64(writer, recording->snapshot);
	for (size_t i = 0; i < recording->cpu_count; i++) {
		if (recording->cpus[i].protocol == PERFDATA_RISCV)
			put_riscv(writer, &recording->cpus[i]);
		else if (recording->cpus[i].protocol == PERFDATA_ETMV3)
			put_etmv3(writer, &recording->cpus[i]);
		else
			put_cpu(writer, &recording->cpus[i]);
	}
	return writer->error;
}

static bool recording_valid(const struct perfdata_recording *recording)
{
	if (!recording->cpu_count || info_size(recording) > UINT16_MAX)
		return false;
	for (size_t i = 0; i < recording->cpu_count; i++) {
		const struct perfdata_cpu *cpu = &recording->cpus[i];

		if (cpu->protocol > PERFDATA_RISCV)
			return false;
		if ((cpu->protocol == PERFDATA_RISCV) !=
		    (recording->cpus[0].protocol == PERFDATA_RISCV))
			return false;
		if (i && cpu->cpu <= cpu[-1].cpu)
			return false;
	}
	return true;
}

/* Copies what the recording points to and is needed at the end. */
static int keep_recording(struct perfdata_writer *writer,
			  const struct perfdata_recording *recording)
{
	struct perfdata_cpu *first = malloc(sizeof(*first));
	struct utsname names;

	uname(&names);
	writer->recording = *recording;
	writer->recording.cpus = first;
	writer->per_cpu = recording->per_cpu;
	writer->hostname = strdup(recording->hostname ? recording->hostname : names.nodename);
	writer->osrelease = strdup(recording->osrelease ? recording->osrelease : names.release);
	writer->argv = calloc(recording->argc + 1, sizeof(*writer->argv));
	writer->tracing_data =
		recording->tracing_data ? malloc(recording->tracing_data_size) : NULL;
	if (!first || !writer->hostname || !writer->osrelease || !writer->argv ||
	    (recording->tracing_data && !writer->tracing_data))
		return -ENOMEM;
	if (recording->tracing_data)
		memcpy(writer->tracing_data, recording->tracing_data, recording->tracing_data_size);
	*first = recording->cpus[0];
	for (size_t i = 0; i < recording->argc; i++) {
		writer->argv[i] = strdup(recording->argv[i]);
		if (!writer->argv[i])
			return -ENOMEM;
	}
	return perfdata_writer_events(writer, recording);
}

static void writer_free(struct perfdata_writer *writer)
{
	if (writer->argv)
		for (size_t i = 0; writer->argv[i]; i++)
			free(writer->argv[i]);
	free(writer->argv);
	free(writer->tracing_data);
	free(writer->hostname);
	free(writer->osrelease);
	free((void *)(uintptr_t)writer->recording.cpus);
	perfdata_writer_free_events(writer);
	tdestroy(writer->build_ids, free);
	free(writer->index);
	perfdata_packer_free(writer->packer);
	free(writer);
}

int perfdata_writer_open(struct perfdata_writer **result, const char *path,
			 const struct perfdata_recording *recording)
{
	struct perfdata_writer *writer;
	struct stat status;
	int error;

	if (!recording_valid(recording))
		return -EINVAL;
	writer = calloc(1, sizeof(*writer));
	if (!writer)
		return -ENOMEM;
	error = keep_recording(writer, recording);
	if (!error && recording->compression)
		error = perfdata_packer_new(&writer->packer, recording->compression);
	if (!error) {
		writer->file = fopen(path, "we");
		error = writer->file ? 0 : -errno;
	}
	if (error) {
		writer_free(writer);
		return error;
	}
	writer->is_regular = !fstat(fileno(writer->file), &status) && S_ISREG(status.st_mode);
	put_header(writer, 0, NULL);
	put_attrs(writer);
	writer->ids_changed = false;
	writer->data_at = writer->at;
	/* perf takes it up at the AUXTRACE_INFO */
	put_time_conv(writer, &recording->clock);
	put_auxtrace_info(writer, recording);
	/* from here on the head is that of a file that can be read */
	perfdata_write_flush(writer);
	*result = writer;
	return 0;
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
static const uint8_t features[] = {
	PERFDATA_FEATURE_TRACING_DATA, PERFDATA_FEATURE_BUILD_ID, PERFDATA_FEATURE_HOSTNAME,
	PERFDATA_FEATURE_OSRELEASE,    PERFDATA_FEATURE_VERSION,  PERFDATA_FEATURE_ARCH,
	PERFDATA_FEATURE_NRCPUS,       PERFDATA_FEATURE_CMDLINE,  PERFDATA_FEATURE_EVENT_DESC,
	PERFDATA_FEATURE_PMU_MAPPINGS, PERFDATA_FEATURE_AUXTRACE, PERFDATA_FEATURE_DIR_FORMAT,
	PERFDATA_FEATURE_COMPRESSED,
};

#define FEATURES (sizeof(features) / sizeof(features[0]))

static int seek_to(struct perfdata_writer *writer, uint64_t at)
{
	if (!writer->error && fseeko(writer->file, (off_t)at, SEEK_SET))
		writer->error = -errno;
	writer->at = at;
	return writer->error;
}

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

/* At the end of the file, where stock perf does not look; perf inject fails for features that it
 * does not know. */
static void put_vdso(struct perfdata_writer *writer)
{
	struct perfdata_vdso_tail tail = {.size = writer->recording.vdso_size};

	memcpy(tail.magic, PERFDATA_VDSO_MAGIC, sizeof(tail.magic));
	perfdata_put(writer, writer->recording.vdso, writer->recording.vdso_size);
	perfdata_put(writer, &tail, sizeof(tail));
}

/*
 * What perf puts behind the data: a table of sections, the sections; here also ids set late. The
 * head comes first, and what the table says last: until then the file ends before the sections that
 * the head names, or their offsets are 0, so that a reader sees that the recorder was stopped here.
 */
static int put_tail(struct perfdata_writer *writer)
{
	const uint64_t table_at = writer->at, data_size = table_at - writer->data_at;
	struct perfdata_section table[FEATURES] = {0};
	uint64_t bits[4] = {0};
	size_t count = 0;

	for (size_t i = 0; i < FEATURES; i++) {
		if (!has_feature(writer, features[i]))
			continue;
		bits[features[i] / 64] |= UINT64_C(1) << features[i] % 64;
		count++;
	}
	seek_to(writer, 0);
	put_header(writer, data_size, bits);
	seek_to(writer, table_at);
	perfdata_put(writer, table, count * sizeof(*table));
	count = 0;
	for (size_t i = 0; i < FEATURES; i++) {
		if (!has_feature(writer, features[i]))
			continue;
		table[count].offset = writer->at;
		put_feature(writer, features[i]);
		table[count].size = writer->at - table[count].offset;
		count++;
	}
	if (writer->ids_changed && writer->is_complete)
		put_attrs(writer);
	if (writer->recording.vdso && writer->is_complete)
		put_vdso(writer);
	seek_to(writer, table_at);
	perfdata_put(writer, table, count * sizeof(*table));
	seek_to(writer, 0);
	return put_header(writer, data_size, bits);
}

/* A long index is not written more than once a second. */
static bool is_tail_due(struct perfdata_writer *writer)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (writer->index_count > INDEX_SHORT && now.tv_sec == writer->tail_second)
		return false;
	writer->tail_second = now.tv_sec;
	return true;
}

int perfdata_write_flush(struct perfdata_writer *writer)
{
	uint64_t end;

	perfdata_pack_flush(writer);
	end = writer->at;
	if (writer->error || writer->flushed == end)
		return writer->error;
	/* the records first: the size never counts what the file does not have */
	if (fflush(writer->file))
		return writer->error = errno ? -errno : -EIO;
	/* nobody reads a device such as /dev/null, and it cannot be cut */
	if (!writer->is_regular)
		return 0;
	writer->flushed = end;
	if (!is_tail_due(writer) || put_tail(writer) || seek_to(writer, end))
		perfdata_writer_cut_tail(writer);
	else
		writer->has_tail = true;
	return writer->error;
}

int perfdata_writer_cut_tail(struct perfdata_writer *writer)
{
	const struct perfdata_header header =
		make_header(writer, writer->flushed - writer->data_at, NULL);
	const int fd = fileno(writer->file);

	writer->has_tail = false;
	/* in this order: the file never has more behind its records than the head says */
	if (ftruncate(fd, (off_t)writer->flushed) ||
	    pwrite(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return errno ? -errno : -EIO;
	return 0;
}

/* Where a file that has to be shorter by @room bytes ends: before trace, or at the last flush */
static uint64_t find_end(struct perfdata_writer *writer, uint64_t size, uint64_t room)
{
	for (; writer->index_count; writer->index_count--) {
		const uint64_t at = writer->index[writer->index_count - 1].offset;

		if (at < writer->flushed)
			break;
		if (at + room <= size)
			return at;
	}
	return writer->flushed;
}

/*
 * After an error, such as that of a full disk: the last records make room for the description of
 * the machine, without which stock perf decodes no trace.
 */
static void end_early(struct perfdata_writer *writer)
{
	const int error = writer->error, fd = fileno(writer->file);
	struct stat status;

	if (!writer->flushed || fstat(fd, &status))
		return;
	/* what did not reach the file is not written later */
	__fpurge(writer->file);
	clearerr(writer->file);
	writer->flushed = find_end(writer, (uint64_t)status.st_size,
				   TAIL_ROOM + writer->index_count * sizeof(*writer->index));
	writer->error = 0;
	writer->has_tail = false;
	if (perfdata_writer_cut_tail(writer) || seek_to(writer, writer->flushed) ||
	    put_tail(writer) || fflush(writer->file)) {
		__fpurge(writer->file);
		perfdata_writer_cut_tail(writer);
	}
	writer->error = error;
}

int perfdata_writer_close(struct perfdata_writer *writer)
{
	int error;

	if (!writer)
		return 0;
	if (!perfdata_write_flush(writer)) {
		writer->is_complete = true;
		writer->has_tail = false;
		if (!put_tail(writer) && fflush(writer->file))
			writer->error = errno ? -errno : -EIO;
	}
	if (writer->error) {
		writer->is_complete = false;
		end_early(writer);
	}
	error = writer->error;
	if (fclose(writer->file) && !error)
		error = -errno;
	writer_free(writer);
	return error;
}

int perfdata_put(struct perfdata_writer *writer, const void *bytes, size_t size)
{
	if (writer->has_tail && !writer->error)
		writer->error = perfdata_writer_cut_tail(writer);
	if (writer->error)
		return writer->error;
	if (size && fwrite(bytes, size, 1, writer->file) != 1)
		writer->error = errno ? -errno : -EIO;
	else
		writer->at += size;
	return writer->error;
}
