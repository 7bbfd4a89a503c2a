/* SPDX-License-Identifier: GPL-2.0-only */
/* Head and tail of a perf.data file: attributes, AUXTRACE_INFO, the table of features. */
#include <errno.h>
#include <linux/perf_event.h>
#include <search.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "perfdata_writer.h"

/* an index of so many AUXTRACE records is shorter than the trace of a round */
#define INDEX_SHORT 4096
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

static int put_header(struct perfdata_writer *writer, uint64_t data_size, const uint64_t *features)
{
	const struct perfdata_header header = perfdata_writer_header(writer, data_size, features);

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

static int seek_to(struct perfdata_writer *writer, uint64_t at)
{
	if (!writer->error && fseeko(writer->file, (off_t)at, SEEK_SET))
		writer->error = -errno;
	writer->at = at;
	return writer->error;
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
	struct perfdata_section table[PERFDATA_FEATURES] = {0};
	uint64_t bits[4] = {0};
	const size_t count = perfdata_list_features(writer, bits);

	seek_to(writer, 0);
	put_header(writer, data_size, bits);
	seek_to(writer, table_at);
	perfdata_put(writer, table, count * sizeof(*table));
	perfdata_put_features(writer, table);
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
