/* SPDX-License-Identifier: GPL-2.0-only */
/* What perf.data says of the machine: trace units, names, build ids. */
#include <stddef.h>
#include <string.h>

#include "perfdata_reader.h"

#define HEADER sizeof(struct perf_event_header)

/* A block of RISC-V: the words used; 0 where it is damaged. */
static size_t read_riscv(struct perfdata *data, uint64_t at, struct perfdata_bytes words)
{
	uint64_t regs[PERFDATA_REGS_RISCV];
	struct perfdata_riscv riscv;
	struct perfdata_bytes block;
	struct perfdata_cpu *cpu;

	if (perfdata_u64(words, 0) != PERFDATA_MAGIC_RISCV ||
	    perfdata_u64(words, 16) != PERFDATA_REGS_RISCV ||
	    !perfdata_slice(words, 8 * PERFDATA_BLOCK_WORDS, sizeof(regs), &block))
		goto damaged;
	for (size_t i = 0; i < PERFDATA_REGS_RISCV; i++)
		regs[i] = perfdata_u64(block, 8 * i);
	if (!perfdata_riscv_get(&riscv, regs))
		goto damaged;
	cpu = perfdata_array_add(data, &data->cpus, sizeof(*cpu));
	if (!cpu)
		return 0;
	*cpu = (struct perfdata_cpu){
		.cpu = perfdata_u32(words, 8), .protocol = PERFDATA_RISCV, .riscv = riscv};
	return PERFDATA_BLOCK_WORDS + PERFDATA_REGS_RISCV;

damaged:
	perfdata_note(data, PERFDATA_ERROR, at,
		      "description of a RISC-V trace encoder is damaged, or of another version");
	return 0;
}

/*
 * An ETE has FEAT_TRF, and all drivers of Linux that show no source choose the virtual counter in
 * TRFCR_ELx.TS. An ETMv4 without FEAT_TRF has the timestamps of the CoreSight timestamp generator.
 */
static bool has_counter_time(enum perfdata_protocol protocol, uint64_t source)
{
	return source == PERFDATA_TS_SOURCE_VIRTUAL ||
	       (source == PERFDATA_TS_SOURCE_UNREAD && protocol == PERFDATA_ETE);
}

/*
 * There are devices of which the recording says that they are an ETE, while TRCDEVARCH says ETMv4:
 * ARCHVER, its bits 15:12, is 4 there and 5 in an ETE. The register decides.
 */
static bool is_ete(uint64_t magic, uint32_t trcdevarch)
{
	return magic == PERFDATA_MAGIC_ETE && (trcdevarch >> 12 & 0xf) != 4;
}

/*
 * Blocks of @words; 0 where the block is not one we know, or does not fit. Without @counted, in
 * version 0, it has no number of registers: there are those that we know.
 */
static size_t read_cpu(struct perfdata *data, uint64_t at, struct perfdata_bytes words,
		       bool counted)
{
	const uint64_t magic = perfdata_u64(words, 0);
	const size_t front = counted ? PERFDATA_BLOCK_WORDS : PERFDATA_BLOCK_WORDS - 1;
	uint64_t known = magic == PERFDATA_MAGIC_ETE     ? PERFDATA_REGS_ETE
			 : magic == PERFDATA_MAGIC_ETMV4 ? PERFDATA_REGS_ETMV4
			 : magic == PERFDATA_MAGIC_ETMV3 ? PERFDATA_REGS_ETMV3
							 : 0;
	const uint64_t count = counted ? perfdata_u64(words, 16) : known;
	uint32_t regs[PERFDATA_REGS_ETE] = {0};
	struct perfdata_bytes block;
	struct perfdata_cpu *cpu;

	if (!known) {
		perfdata_note(data, PERFDATA_ERROR, at,
			      "trace unit of an unknown kind (0x%llx): its trace cannot be decoded",
			      (unsigned long long)magic);
		return 0;
	}
	if (count < known || count > words.size / 8 ||
	    !perfdata_slice(words, 8 * front, 8 * count, &block)) {
		perfdata_note(data, PERFDATA_ERROR, at,
			      "trace unit with %llu registers: the file is damaged",
			      (unsigned long long)count);
		return 0;
	}
	cpu = perfdata_array_add(data, &data->cpus, sizeof(*cpu));
	if (!cpu)
		return 0;
	for (size_t i = 0; i < known; i++)
		regs[i] = perfdata_u32(block, 8 * i);
	cpu->cpu = perfdata_u32(words, 8);
	if (magic == PERFDATA_MAGIC_ETMV3) {
		cpu->protocol = PERFDATA_ETMV3;
		cpu->etmv3 = (struct perfdata_etmv3_regs){regs[0], regs[1], regs[2], regs[3]};
	} else {
		cpu->protocol = is_ete(magic, regs[7]) ? PERFDATA_ETE : PERFDATA_ETMV4;
		cpu->regs = (struct hwf_ete_regs){
			regs[0],
			regs[1],
			regs[2],
			regs[3],
			regs[4],
			regs[5],
			regs[6],
			regs[7],
			cpu->protocol == PERFDATA_ETE ? HWF_PROTOCOL_ETE : HWF_PROTOCOL_ETMV4};
		cpu->counter_time = has_counter_time(cpu->protocol,
						     count > known ? perfdata_u64(block, 8 * known)
								   : PERFDATA_TS_SOURCE_UNREAD);
	}
	return front + count;
}

void perfdata_read_info(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	struct perfdata_bytes words;
	uint64_t count, version;
	uint32_t kind;

	if (data->have_info || record.size < HEADER + 8 + 8 * PERFDATA_INFO_WORDS) {
		perfdata_note(data, PERFDATA_ERROR, at, "description of the trace is %s: ignored",
			      data->have_info ? "there twice" : "too short");
		return;
	}
	kind = perfdata_u32(record, HEADER);
	if (kind != ARM_ETE_PMU_AUXTRACE_TYPE && kind != PERFDATA_RISCV_KIND) {
		perfdata_note(
			data, PERFDATA_ERROR, at,
			"trace of kind %u, not from an Arm trace unit; record with -e cs_etm//",
			kind);
		return;
	}
	perfdata_slice(record, HEADER + 8, record.size - HEADER - 8, &words);
	version = perfdata_u64(words, 0);
	if (version > PERFDATA_INFO_VERSION_READ)
		perfdata_note(data, PERFDATA_ERROR, at,
			      "description of the trace has version %llu, known are 0 to 2",
			      (unsigned long long)version);
	data->have_info = true;
	count = perfdata_u64(words, 8);
	data->pmu_type = (uint32_t)(count >> 32);
	data->info.snapshot = perfdata_u64(words, 16) != 0;
	words = (struct perfdata_bytes){words.at + 8 * PERFDATA_INFO_WORDS,
					words.size - 8 * PERFDATA_INFO_WORDS};
	for (uint32_t i = 0; i < (uint32_t)count; i++) {
		size_t used;

		if (words.size < 8 * PERFDATA_BLOCK_WORDS) {
			perfdata_note(data, PERFDATA_ERROR, at,
				      "description of the trace has %u of %u CPUs: it is cut", i,
				      (uint32_t)count);
			return;
		}
		used = kind == PERFDATA_RISCV_KIND ? read_riscv(data, at, words)
						   : read_cpu(data, at, words, version != 0);
		if (!used)
			return;
		words = (struct perfdata_bytes){words.at + 8 * used, words.size - 8 * used};
	}
}

void perfdata_read_time_conv(struct perfdata *data, uint64_t at, struct perfdata_bytes record)
{
	struct perfdata_time_conv conv = {0};

	memcpy(&conv, record.at, record.size < sizeof(conv) ? record.size : sizeof(conv));
	if (record.size < offsetof(struct perfdata_time_conv, cycles) || conv.shift > 63) {
		perfdata_note(data, PERFDATA_ERROR, at,
			      "conversion of timestamps to time is damaged: not used");
		return;
	}
	data->info.clock = (struct perfdata_clock){
		.known = true,
		.is_short = conv.is_short,
		.shift = (uint8_t)conv.shift,
		.mult = conv.mult,
		.zero = conv.zero,
		.cycles = conv.cycles,
		.mask = conv.mask,
	};
}

uint64_t perfdata_clock_time(const struct perfdata_clock *clock, uint64_t timestamp)
{
	uint64_t whole, rest;

	if (clock->is_short)
		timestamp = clock->cycles + ((timestamp - clock->cycles) & clock->mask);
	whole = timestamp >> clock->shift;
	rest = timestamp & ((UINT64_C(1) << clock->shift) - 1);
	return clock->zero + whole * clock->mult + (rest * clock->mult >> clock->shift);
}

uint64_t perfdata_clock_timestamp(const struct perfdata_clock *clock, uint64_t time)
{
	const unsigned __int128 ticks = (unsigned __int128)(time - clock->zero) << clock->shift;

	/* a time before the counter began */
	if ((int64_t)(time - clock->zero) <= 0 || !clock->mult)
		return 1;
	return (uint64_t)((ticks + clock->mult - 1) / clock->mult);
}

/* A length, then so many bytes with a string in them. Returns what is used, 0 if it is cut. */
static uint64_t take_string(struct perfdata *data, struct perfdata_bytes bytes, const char **string)
{
	struct perfdata_bytes text;
	uint32_t size;

	if (bytes.size < 4)
		return 0;
	size = perfdata_u32(bytes, 0);
	if (!perfdata_slice(bytes, 4, size, &text))
		return 0;
	*string = perfdata_string(data, text);
	return 4 + (uint64_t)size;
}

static bool read_cmdline(struct perfdata *data, struct perfdata_bytes bytes)
{
	uint32_t count;

	if (bytes.size < 4)
		return false;
	count = perfdata_u32(bytes, 0);
	bytes = (struct perfdata_bytes){bytes.at + 4, bytes.size - 4};
	while (count--) {
		const char *word, **item;
		const uint64_t used = take_string(data, bytes, &word);

		if (!used)
			return false;
		item = perfdata_array_add(data, &data->argv, sizeof(*item));
		if (!item)
			return true;
		*item = word;
		bytes = (struct perfdata_bytes){bytes.at + used, bytes.size - used};
	}
	return true;
}

void perfdata_read_build_ids(struct perfdata *data, uint64_t at, struct perfdata_bytes bytes)
{
	/* header, pid, 20 bytes of id, their number, padding; then the name */
	const size_t name_at = HEADER + 4 + 24;

	while (bytes.size) {
		struct perf_event_header header = {0};
		struct perfdata_build_id *id;
		struct perfdata_bytes record;

		if (bytes.size >= HEADER)
			memcpy(&header, bytes.at, sizeof(header));
		if (header.size < name_at || !perfdata_slice(bytes, 0, header.size, &record)) {
			perfdata_note(data, PERFDATA_ERROR, at, "list of build ids is damaged");
			return;
		}
		id = perfdata_array_add(data, &data->build_ids, sizeof(*id));
		if (!id)
			return;
		id->pid = (int32_t)perfdata_u32(record, HEADER);
		id->size = 20;
		if (header.misc & PERFDATA_MISC_BUILD_ID_SIZE && record.at[HEADER + 24] <= 20)
			id->size = record.at[HEADER + 24];
		memcpy(id->bytes, record.at + HEADER + 4, sizeof(id->bytes));
		id->path = perfdata_string(
			data, (struct perfdata_bytes){record.at + name_at, record.size - name_at});
		bytes = (struct perfdata_bytes){bytes.at + record.size, bytes.size - record.size};
	}
}

void perfdata_read_feature(struct perfdata *data, unsigned int feature, uint64_t at,
			   struct perfdata_bytes bytes)
{
	const char *version = "";
	bool good = true;

	switch (feature) {
	case PERFDATA_FEATURE_TRACING_DATA:
		good = perfdata_read_tracing_data(data, bytes);
		break;
	case PERFDATA_FEATURE_EVENT_DESC:
		good = perfdata_read_event_desc(data, bytes);
		break;
	case PERFDATA_FEATURE_VERSION:
		good = take_string(data, bytes, &version);
		if (!strcmp(version, PERFDATA_VERSION_INCOMPLETE))
			perfdata_note_incomplete(data);
		break;
	case PERFDATA_FEATURE_HOSTNAME:
		good = take_string(data, bytes, &data->info.hostname);
		break;
	case PERFDATA_FEATURE_OSRELEASE:
		good = take_string(data, bytes, &data->info.osrelease);
		break;
	case PERFDATA_FEATURE_ARCH:
		good = take_string(data, bytes, &data->info.arch);
		break;
	case PERFDATA_FEATURE_CMDLINE:
		good = read_cmdline(data, bytes);
		break;
	case PERFDATA_FEATURE_BUILD_ID:
		perfdata_read_build_ids(data, at, bytes);
		break;
	}
	if (!good)
		perfdata_note(data, PERFDATA_ERROR, at, "description %u of the machine is damaged",
			      feature);
}
