/* SPDX-License-Identifier: GPL-2.0-only */
/* Recordings as versions of perf write them: which CPUs, trace IDs and options they name. */
#include "tests/perfdata_test.h"

#include "source/input.h"

#define PMU_TYPE 11u

/* Synchronisation, Trace Info, Trace On, 0x2000 at EL0 in A64, two Atoms E */
static const uint8_t trace[] = {0,    0,    0,    0,    0, 0,    0, 0, 0,    0,    0,   0x80,
				0x01, 0x00, 0x04, 0x82, 0, 0x10, 0, 0, 0x30, 0xf7, 0xf7};

/* struct file - a file as perf record writes it to a pipe: records alone */
struct file {
	uint8_t bytes[8192];
	size_t size;
};

static void put(struct file *file, const void *bytes, size_t size)
{
	assert_true(size <= sizeof(file->bytes) - file->size);
	memcpy(file->bytes + file->size, bytes, size);
	file->size += size;
}

static void put_u64(struct file *file, uint64_t value)
{
	put(file, &value, sizeof(value));
}

static void put_header(struct file *file, uint32_t type, size_t size)
{
	const struct perf_event_header header = {.type = type,
						 .size = (uint16_t)(sizeof(header) + size)};

	put(file, &header, sizeof(header));
}

/* The head, and the attribute of the trace event */
static void put_event(struct file *file, uint64_t config, uint64_t sample_type)
{
	const struct perf_event_attr attr = {
		.type = PMU_TYPE,
		.size = sizeof(attr),
		.config = config,
		.sample_type = sample_type,
		.sample_id_all = 1,
	};

	put_u64(file, PERFDATA_MAGIC);
	put_u64(file, PERFDATA_PIPE_HEADER);
	put_header(file, PERFDATA_RECORD_HEADER_ATTR, sizeof(attr));
	put(file, &attr, sizeof(attr));
}

/* struct metadata - AUXTRACE_INFO of perf: so many CPUs, numbered from 0 */
struct metadata {
	uint64_t version;
	uint64_t magic;
	uint64_t words;
	uint32_t cpus;
	uint64_t trcconfigr;
	uint64_t ids[4];
};

static void put_metadata(struct file *file, const struct metadata *info)
{
	/* TRCIDR2 as perf 6.1 writes it: with the sign of 32 bits */
	const uint64_t regs[] = {0x28000ea1, 0x4100fff0, UINT64_C(0xffffffffd0001088),
				 0,          0xc,        0x47715a13,
				 1,          0x1234};
	const size_t all = 3 + info->cpus * (3 + info->words);

	put_header(file, PERFDATA_RECORD_AUXTRACE_INFO, 8 + 8 * all);
	put_u64(file, ARM_ETE_PMU_AUXTRACE_TYPE);
	put_u64(file, info->version);
	put_u64(file, (uint64_t)PMU_TYPE << 32 | info->cpus);
	put_u64(file, 0);
	for (uint32_t i = 0; i < info->cpus; i++) {
		put_u64(file, info->magic);
		put_u64(file, i);
		put_u64(file, info->words);
		put_u64(file, info->trcconfigr);
		put_u64(file, info->ids[i]);
		for (size_t word = 2; word < info->words; word++)
			put_u64(file, regs[word - 2]);
	}
}

/* What ends a record: PERF_SAMPLE_TID, _TIME and, where @cpu is one, _CPU */
static void put_trailer(struct file *file, int32_t tid, uint64_t time, int32_t cpu)
{
	put(file, (const int32_t[]){70, tid}, 8);
	put_u64(file, time);
	if (cpu >= 0)
		put_u64(file, (uint32_t)cpu);
}

static size_t trailer_size(int32_t cpu)
{
	return cpu < 0 ? 16 : 24;
}

static void put_hw_id(struct file *file, uint64_t id, int32_t tid, int32_t cpu)
{
	put_header(file, PERF_RECORD_AUX_OUTPUT_HW_ID, 8 + trailer_size(cpu));
	put_u64(file, id);
	put_trailer(file, tid, 1, cpu);
}

/* An AUX record; @of_cpu is what its trailer says */
static void put_aux_with(struct file *file, uint64_t offset, uint64_t size, uint64_t flags,
			 int32_t tid, int32_t of_cpu)
{
	put_header(file, PERF_RECORD_AUX, 24 + trailer_size(of_cpu));
	put_u64(file, offset);
	put_u64(file, size);
	put_u64(file, flags);
	put_trailer(file, tid, 10 + offset, of_cpu);
}

static void put_aux(struct file *file, uint64_t offset, uint64_t size, int32_t tid, int32_t of_cpu)
{
	put_aux_with(file, offset, size, PERFDATA_AUX_RAW | (size ? 0 : PERFDATA_AUX_TRUNCATED),
		     tid, of_cpu);
}

/* Trace @count times; the area is that of @tid, or of @cpu */
static void put_trace(struct file *file, uint32_t idx, int32_t tid, int32_t cpu, size_t count)
{
	const struct perfdata_auxtrace record = {
		.type = PERFDATA_RECORD_AUXTRACE,
		.record_size = sizeof(record),
		.size = count * sizeof(trace),
		.idx = idx,
		.tid = (uint32_t)tid,
		.cpu = (uint32_t)cpu,
	};

	put(file, &record, sizeof(record));
	while (count--)
		put(file, trace, sizeof(trace));
}

static const uint64_t by_cpu = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

/* as perf 6.12 and later write it */
static const struct metadata newer = {
	.version = 2,
	.magic = PERFDATA_MAGIC_ETE,
	.words = 9,
	.cpus = 2,
	.ids = {0x10, 0x12},
};

/*
 * perf record --per-thread of perf 6.12: the thread's records say on which CPU they were written,
 * its one AUX area is of no CPU.
 */
static void put_thread_on_two_cpus(struct file *file)
{
	put_event(file, 0, by_cpu);
	put_metadata(file, &newer);
	put_hw_id(file, 0x10, 71, 0);
	put_aux(file, 0, sizeof(trace), 71, 0);
	put_hw_id(file, 0x12, 71, 1);
	put_aux(file, sizeof(trace), sizeof(trace), 71, 1);
	put_aux(file, 2 * sizeof(trace), 0, 71, 1);
	put_trace(file, 0, 71, -1, 2);
}

static void a_thread_has_trace_of_all_its_cpus(void **state)
{
	static struct file file;
	const struct perfdata_info *info;
	struct perfdata *data;

	(void)state;
	file.size = 0;
	put_thread_on_two_cpus(&file);
	data = open_bytes(file.bytes, file.size);
	info = perfdata_info(data);
	assert_int_equal(info->note_count, 0);
	assert_false(info->per_cpu);
	assert_int_equal(info->session_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(info->sessions[i].cpu, PERFDATA_ANY);
		assert_int_equal(info->sessions[i].written_on, i ? 1 : 0);
		assert_int_equal(info->sessions[i].tid, 71);
		assert_int_equal(info->sessions[i].unit->cpu, i ? 1 : 0);
		assert_int_equal(info->sessions[i].missing, 0);
		assert_int_equal(info->sessions[i].size, i < 2 ? sizeof(trace) : 0);
	}
	perfdata_close(data);
}

/* A recording without any trace says by its CPUs alone whose records they are. */
static void records_without_trace_are_of_their_cpu(void **state)
{
	static struct file file;
	struct perfdata *data;

	(void)state;
	file.size = 0;
	put_event(&file, 0, by_cpu);
	put_metadata(&file, &newer);
	put_aux(&file, 0, 0, 71, 1);
	data = open_bytes(file.bytes, file.size);
	assert_int_equal(perfdata_info(data)->sessions[0].cpu, 1);
	perfdata_close(data);
}

/* struct opened - a file of which sources were made */
struct opened {
	char path[64];
	struct input_options options;
	struct input *input;
};

static void open_sources(struct opened *opened, const struct file *file)
{
	FILE *stream;

	temporary(opened->path, sizeof(opened->path));
	stream = fopen(opened->path, "we");
	assert_non_null(stream);
	assert_int_equal(fwrite(file->bytes, 1, file->size, stream), file->size);
	fclose(stream);
	input_options_init(&opened->options);
	opened->options.path = opened->path;
	assert_int_equal(input_open(&opened->input, &opened->options), 0);
}

static void close_sources(struct opened *opened)
{
	input_close(opened->input);
	input_options_free(&opened->options);
	unlink(opened->path);
}

static void a_thread_is_one_source(void **state)
{
	static struct file file;
	struct opened opened;

	(void)state;
	file.size = 0;
	put_thread_on_two_cpus(&file);
	open_sources(&opened, &file);
	assert_int_equal(opened.input->source_count, 1);
	assert_string_equal(opened.input->sources[0].name, "tid71");
	assert_int_equal(opened.input->sources[0].tid, 71);
	assert_int_equal(opened.input->sources[0].cpu, INPUT_ANY);
	assert_int_equal(opened.input->sources[0].piece_count, 3);
	close_sources(&opened);
}

/* What the metadata says of the kind of a trace unit, and what TRCDEVARCH says */
static void trcdevarch_decides(void **state)
{
	static const uint64_t devarchs[] = {0x47715a13, 0x47704a13, 0x47724a13};

	(void)state;
	for (size_t i = 0; i < sizeof(devarchs) / sizeof(devarchs[0]); i++) {
		const struct metadata metadata = {1, PERFDATA_MAGIC_ETE, 8, 1, 0, {0x10}};
		const uint64_t written = devarchs[0];
		static struct file file;
		struct hwf_ete_config config;
		struct perfdata *data;
		void *place;

		file.size = 0;
		put_event(&file, 0, by_cpu);
		put_metadata(&file, &metadata);
		place = memmem(file.bytes, file.size, &written, sizeof(written));
		assert_non_null(place);
		memcpy(place, &devarchs[i], sizeof(devarchs[i]));
		data = open_bytes(file.bytes, file.size);
		assert_int_equal(perfdata_info(data)->cpu_count, 1);
		assert_int_equal(perfdata_info(data)->cpus[0].protocol,
				 i ? PERFDATA_ETMV4 : PERFDATA_ETE);
		assert_int_equal(hwf_ete_config_init(&config, &perfdata_info(data)->cpus[0].regs),
				 0);
		assert_int_equal(config.protocol, i ? HWF_PROTOCOL_ETMV4 : HWF_PROTOCOL_ETE);
		perfdata_close(data);
	}
}

static void metadata_of_all_versions_is_read(void **state)
{
	static const struct metadata versions[] = {
		{1, PERFDATA_MAGIC_ETE, 8, 2, 0, {0x10, 0x12}},
		{2, PERFDATA_MAGIC_ETE, 9, 2, 0, {0x10, 0x12}},
		{2, PERFDATA_MAGIC_ETE, 10, 2, 0, {0x10, 0x12}},
		{1, PERFDATA_MAGIC_ETMV4, 7, 2, 0, {0x10, 0x12}},
		{2, PERFDATA_MAGIC_ETMV4, 8, 2, 0, {0x10, 0x12}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		static struct file file;
		const struct perfdata_info *info;
		struct perfdata *data;

		file.size = 0;
		put_event(&file, 0, by_cpu);
		put_metadata(&file, &versions[i]);
		data = open_bytes(file.bytes, file.size);
		info = perfdata_info(data);
		assert_int_equal(info->note_count, 0);
		assert_int_equal(info->cpu_count, 2);
		for (uint32_t n = 0; n < 2; n++) {
			assert_int_equal(info->cpus[n].cpu, n);
			assert_int_equal(info->cpus[n].regs.trctraceidr, 0x10 + 2 * n);
			assert_int_equal(info->cpus[n].regs.trcidr0, 0x28000ea1);
			assert_int_equal(info->cpus[n].regs.trcidr2, 0xd0001088);
		}
		perfdata_close(data);
	}
}

/*
 * perf record -a, with trace IDs as versions of perf and of the kernel give them where there are
 * more CPUs than IDs: the CPU of the area says whose trace it is.
 */
static void trace_in_no_frames_needs_no_id(void **state)
{
	static const uint64_t metadata_ids[][2] = {
		{0x10, 0x10},            /* perf 7.2, 48 CPUs apart */
		{0, 0},                  /* none */
		{0x80, 0x110},           /* perf 6.1: CPUs 56 and 128 */
		{0x70, 0x7f},            /* reserved */
		{0x80000010, 0x80000000} /* marked as unused */
	};
	static const uint64_t hw_ids[] = {
		0x10, 0x0100000000000110, 0, 0x0100000000000100, 0x7f, 0x01000000000002ff,
	};

	(void)state;
	for (size_t i = 0; i < 30; i++) {
		static struct file file;
		struct metadata info = newer;
		struct opened opened;

		memcpy(info.ids, metadata_ids[i / 6], sizeof(metadata_ids[0]));
		file.size = 0;
		put_event(&file, 0, by_cpu);
		put_metadata(&file, &info);
		for (int32_t cpu = 0; cpu < 2; cpu++) {
			put_hw_id(&file, hw_ids[i % 6], 71, cpu);
			put_aux(&file, 0, sizeof(trace), 71, cpu);
			put_trace(&file, (uint32_t)cpu, -1, cpu, 1);
		}
		open_sources(&opened, &file);
		assert_false(opened.input->damaged);
		assert_int_equal(opened.input->source_count, 2);
		for (int32_t cpu = 0; cpu < 2; cpu++) {
			assert_int_equal(opened.input->sources[cpu].cpu, cpu);
			assert_int_equal(opened.input->sources[cpu].piece_count, 1);
			assert_int_equal(opened.input->sources[cpu].pieces[0].length,
					 sizeof(trace));
		}
		close_sources(&opened);
	}
}

/* CPU 0's sink has frames of 0x12, which is the ID of CPU 1 with another sink, and of CPU 2 with
 * this one. */
static void an_id_is_of_the_cpu_with_the_same_sink(void **state)
{
	static const uint8_t frame[16] = {0x12 << 1 | 1};
	static const uint64_t ids[][3] = {
		{0x0100000000000510, 0x0100000000000612, 0x0100000000000512},
		{0x10, 0x12, 0x12},
	};
	const struct perfdata_auxtrace area = {
		.type = PERFDATA_RECORD_AUXTRACE,
		.record_size = sizeof(area),
		.size = sizeof(frame),
		.tid = UINT32_MAX,
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		static struct file file;
		struct metadata info = newer;
		struct opened opened;

		info.cpus = 3;
		file.size = 0;
		put_event(&file, 0, by_cpu);
		put_metadata(&file, &info);
		for (int32_t cpu = 0; cpu < 3; cpu++)
			put_hw_id(&file, ids[i][cpu], 71, cpu);
		put_aux_with(&file, 0, sizeof(frame), PERFDATA_AUX_FRAMED, 71, 0);
		put(&file, &area, sizeof(area));
		put(&file, frame, sizeof(frame));
		open_sources(&opened, &file);
		assert_int_equal(opened.input->source_count, 1);
		assert_string_equal(opened.input->sources[0].name, i ? "cpu1" : "cpu2");
		close_sources(&opened);
	}
}

/* The event says what the trace unit was set to; perf makes TRCCONFIGR up, each version in its own
 * way. */
static void options_are_those_of_the_event(void **state)
{
	static const struct {
		uint64_t config, described;
		uint32_t trcconfigr;
	} cases[] = {
		{UINT64_C(1) << 28, 0, 0x800},      /* timestamp before Linux 7.2 */
		{0x10, 0, 0x800},                   /* as a level, recorded by perf 6.12 */
		{0xf0, 0x800, 0x800},               /* recorded by perf 7.2 */
		{0, 0x98d8, 0},                     /* none was asked for */
		{0x3000d100, 0, 0x98d8},            /* all were */
		{UINT64_C(1) << 29, 0x1001, 0x1001} /* what is no option stays */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		static struct file file;
		struct metadata metadata = newer;
		const struct perfdata_info *info;
		struct perfdata *data;

		metadata.trcconfigr = cases[i].described;
		file.size = 0;
		put_event(&file, cases[i].config, by_cpu);
		put_metadata(&file, &metadata);
		data = open_bytes(file.bytes, file.size);
		info = perfdata_info(data);
		assert_int_equal(info->cpus[0].regs.trcconfigr, cases[i].trcconfigr);
		assert_int_equal(info->cpus[1].regs.trcconfigr, cases[i].trcconfigr);
		assert_int_equal(info->timestamps, (cases[i].trcconfigr & 0x800) != 0);
		assert_int_equal(info->context_in_vmid, (cases[i].trcconfigr & 0x8080) != 0);
		perfdata_close(data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_has_trace_of_all_its_cpus),
		cmocka_unit_test(records_without_trace_are_of_their_cpu),
		cmocka_unit_test(a_thread_is_one_source),
		cmocka_unit_test(metadata_of_all_versions_is_read),
		cmocka_unit_test(trcdevarch_decides),
		cmocka_unit_test(trace_in_no_frames_needs_no_id),
		cmocka_unit_test(an_id_is_of_the_cpu_with_the_same_sink),
		cmocka_unit_test(options_are_those_of_the_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
