/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace in samples (PERF_SAMPLE_AUX): where it is in a sample, and which CPU or thread it is of. */
#include "tests/perfdata_test.h"

#include "perfdata/perfdata_samples.h"
#include "perfdata/tests/sample_record.h"

/* Of the trace event, of the dummy event, and of the event that is sampled: for each CPU one */
static const uint64_t ids[] = {11, 12, 13, 14};

#define FIELDS                                                                          \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_AUX)

#define FIELDS_BEFORE_RAW                                                               \
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_READ | \
	 PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)

/* Alignment Synchronisation, Trace Info, Trace On, with what the kernel adds to make words of it */
static const uint8_t trace[24] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 4, 0xf7, 0xf7, 0xf7};

static struct perf_event_attr cycles_of(uint64_t sample_type)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_HARDWARE,
		.sample_type = sample_type,
		.sample_regs_user = 0x1ffffffff,
		.sample_regs_intr = 0x80000001,
		.sample_stack_user = 64,
		.sample_id_all = 1,
		.aux_sample_size = 4096,
	};
}

static const struct sample_values plain = {.id = 13,
					   .time = 5000,
					   .pid = 70,
					   .tid = 71,
					   .cpu = 5,
					   .trace = trace,
					   .size = sizeof(trace)};

/* A recording that is being written: its events are the three of @attrs */
static struct perfdata_writer *begin(const char *path, const struct perf_event_attr *cycles,
				     int compression, const struct perfdata_cpu *cpus)
{
	struct perf_event_attr other = *cycles;
	struct perfdata_recorded_event events[3];
	struct perfdata_recording recording = recording_make(true);
	struct perfdata_writer *writer;
	struct perf_event_attr attrs[3];

	other.sample_type &= ~(uint64_t)PERF_SAMPLE_AUX;
	for (size_t i = 0; i < 3; i++) {
		attrs[i] = i == 2 ? *cycles : other;
		attrs[i].type = i == 2 ? PERF_TYPE_HARDWARE : i ? PERF_TYPE_SOFTWARE : 8;
		attrs[i].config = i == 1 ? PERF_COUNT_SW_DUMMY : 0;
		events[i] = (struct perfdata_recorded_event){&attrs[i],
							     i == 2 ? "cycles"
							     : i    ? "dummy:u"
								    : "cs_etm//",
							     &ids[i], i == 2 ? 2 : 1};
	}
	recording.events = events;
	recording.event_count = 3;
	recording.compression = compression;
	if (cpus)
		recording.cpus = cpus;
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	return writer;
}

static void write_record(struct perfdata_writer *writer, const struct perf_event_attr *attr,
			 const struct sample_values *values)
{
	struct sample_record record;

	sample_make(&record, attr, values);
	assert_int_equal(perfdata_write_raw(writer, record.bytes, record.size), 0);
}

static struct contents end(struct perfdata_writer *writer, const char *path)
{
	struct contents file;

	assert_int_equal(perfdata_writer_close(writer), 0);
	file = load(path);
	unlink(path);
	return file;
}

/* A recording with one sample between two that have no trace */
static struct contents make_file(const struct perf_event_attr *cycles,
				 const struct sample_values *values)
{
	struct sample_values empty = plain;
	struct perfdata_writer *writer;
	char path[64];

	empty.size = 0;
	temporary(path, sizeof(path));
	writer = begin(path, cycles, 0, NULL);
	empty.time = 1000;
	write_record(writer, cycles, &empty);
	write_record(writer, cycles, values);
	empty.time = 9000;
	write_record(writer, cycles, &empty);
	return end(writer, path);
}

static void check_trace(const struct perf_event_attr *cycles, const struct sample_values *values)
{
	struct contents file = make_file(cycles, values);
	struct perfdata *data = open_bytes(file.bytes, file.size);
	const struct perfdata_info *info = perfdata_info(data);

	assert_int_equal(info->note_count, 0);
	assert_int_equal(info->sample_count, 3);
	assert_int_equal(info->samples[1].cgroup,
			 cycles->sample_type & PERF_SAMPLE_CGROUP ? SAMPLE_CGROUP : 0);
	assert_int_equal(info->session_count, 1);
	assert_int_equal(info->sessions->size, sizeof(trace));
	assert_memory_equal(info->sessions->bytes, trace, sizeof(trace));
	perfdata_close(data);
	free(file.bytes);
}

static void the_session_is_that_of_the_sample(void **state)
{
	const struct perf_event_attr cycles = cycles_of(FIELDS);
	struct contents file = make_file(&cycles, &plain);
	struct perfdata *data = open_bytes(file.bytes, file.size);
	const struct perfdata_info *info = perfdata_info(data);
	const struct perfdata_session *session = info->sessions;

	(void)state;
	assert_true(info->snapshot);
	assert_int_equal(info->session_count, 1);
	assert_int_equal(session->time, 5000);
	assert_int_equal(session->pid, 70);
	assert_int_equal(session->tid, 71);
	assert_int_equal(session->cpu, 5);
	assert_int_equal(session->unit->cpu, 5);
	assert_int_equal(session->missing, 0);
	assert_true(session->clipped);
	assert_true(session->in_file);
	assert_false(session->framed);
	assert_ptr_equal(file.bytes + session->bytes_at, session->bytes);
	assert_int_equal(file.bytes[session->at], PERF_RECORD_SAMPLE);
	perfdata_close(data);
	free(file.bytes);
}

/* Each field alone, then all of them */
static void the_trace_follows_all_other_fields(void **state)
{
	const uint64_t fields = FIELDS_BEFORE_RAW | SAMPLE_FIELDS_BEFORE_AUX;
	struct perf_event_attr cycles = cycles_of(FIELDS);

	(void)state;
	check_trace(&cycles, &plain);
	for (uint64_t left = fields; left; left &= left - 1) {
		cycles = cycles_of(FIELDS | (left & -left));
		check_trace(&cycles, &plain);
	}
	cycles = cycles_of(FIELDS | PERF_SAMPLE_WEIGHT_STRUCT);
	check_trace(&cycles, &plain);
	cycles = cycles_of(FIELDS | fields);
	check_trace(&cycles, &plain);
}

static void cgroups_have_paths(void **state)
{
	static const struct perfdata_cgroup cgroups[] = {
		{SAMPLE_CGROUP, "/user.slice"}, {7, "/"}, {UINT64_MAX, "/system.slice"}};
	const struct perf_event_attr cycles =
		cycles_of((FIELDS | PERF_SAMPLE_CGROUP) & ~(uint64_t)PERF_SAMPLE_AUX);
	const struct perf_event_header cut = {.type = PERF_RECORD_CGROUP, .size = sizeof(cut)};
	const struct perfdata_info *info;
	struct perfdata_writer *writer;
	struct perfdata *data;
	struct contents file;
	char path[64];

	(void)state;
	temporary(path, sizeof(path));
	writer = begin(path, &cycles, 0, NULL);
	write_record(writer, &cycles, &plain);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(perfdata_write_cgroup(writer, &cgroups[i]), 0);
	assert_int_equal(perfdata_write_raw(writer, &cut, sizeof(cut)), 0);
	file = end(writer, path);
	data = open_bytes(file.bytes, file.size);
	info = perfdata_info(data);
	assert_int_equal(info->sample_count, 1);
	assert_int_equal(info->samples[0].cgroup, SAMPLE_CGROUP);
	assert_int_equal(info->cgroup_count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(perfdata_cgroup(info, cgroups[i].id), cgroups[i].path);
	assert_null(perfdata_cgroup(info, 8));
	assert_int_equal(info->note_count, 1);
	assert_non_null(strstr(info->notes[0].text, "a cgroup is cut"));
	perfdata_close(data);
	free(file.bytes);
}

static void counts_have_the_format_that_the_event_asks_for(void **state)
{
	struct perf_event_attr cycles = cycles_of(FIELDS | PERF_SAMPLE_READ);

	(void)state;
	for (uint64_t format = 0; format < 32; format++) {
		cycles.read_format = format;
		check_trace(&cycles, &plain);
	}
}

static void branches_have_the_words_that_the_event_asks_for(void **state)
{
	static const uint64_t types[] = {
		0,
		PERF_SAMPLE_BRANCH_HW_INDEX,
		SAMPLE_BRANCH_COUNTERS,
		PERF_SAMPLE_BRANCH_HW_INDEX | SAMPLE_BRANCH_COUNTERS,
	};
	struct perf_event_attr cycles =
		cycles_of(FIELDS | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_WEIGHT);
	struct sample_values none = plain;

	(void)state;
	none.no_branches = true;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		cycles.branch_sample_type = types[i];
		check_trace(&cycles, &plain);
		check_trace(&cycles, &none);
	}
}

/* No registers: a kernel thread has none of user space. No stack: likewise. */
static void absent_registers_and_stacks_have_a_word(void **state)
{
	struct perf_event_attr cycles = cycles_of(FIELDS | SAMPLE_FIELDS_BEFORE_AUX);

	(void)state;
	cycles.sample_regs_user = cycles.sample_regs_intr = 0;
	cycles.sample_stack_user = 0;
	check_trace(&cycles, &plain);
}

/* Each word of the sample is a large number, one after the other, and the sample ends at each. */
static void damaged_samples_are_bounded(void **state)
{
	static const uint64_t values[] = {UINT64_MAX, UINT64_C(1) << 61, UINT64_C(1) << 60, 65535};
	struct perf_event_attr cycles =
		cycles_of(FIELDS | FIELDS_BEFORE_RAW | SAMPLE_FIELDS_BEFORE_AUX);
	struct contents file;
	struct perfdata *data;
	size_t at, size;

	(void)state;
	cycles.branch_sample_type = PERF_SAMPLE_BRANCH_HW_INDEX;
	cycles.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	file = make_file(&cycles, &plain);
	data = open_bytes(file.bytes, file.size);
	at = perfdata_info(data)->sessions->at;
	size = perfdata_info(data)->sessions->bytes_at + sizeof(trace) - at;
	perfdata_close(data);
	for (size_t word = 8; word < size; word += 8) {
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			uint64_t before;

			memcpy(&before, file.bytes + at + word, 8);
			memcpy(file.bytes + at + word, &values[i], 8);
			data = open_bytes(file.bytes, file.size);
			for (size_t j = 0; j < perfdata_info(data)->session_count; j++) {
				const struct perfdata_session *s =
					&perfdata_info(data)->sessions[j];

				assert_true(s->bytes_at >= at &&
					    s->size <= at + size - s->bytes_at);
			}
			perfdata_close(data);
			memcpy(file.bytes + at + word, &before, 8);
		}
	}
	for (size_t cut = 8; cut < size; cut += 8) {
		struct contents copy = {malloc(at + cut), at + cut};
		const uint16_t record_size = (uint16_t)cut;

		assert_non_null(copy.bytes);
		memcpy(copy.bytes, file.bytes, copy.size);
		memcpy(copy.bytes + at + 6, &record_size, sizeof(record_size));
		data = open_bytes(copy.bytes, copy.size);
		assert_int_equal(perfdata_info(data)->session_count, 0);
		assert_int_equal(perfdata_info(data)->sample_count, 1);
		perfdata_close(data);
		free(copy.bytes);
	}
	free(file.bytes);
}

/* An ID_INDEX record of @count entries, as perf writes it, saying that it has @said */
static void write_index(struct perfdata_writer *writer, uint64_t said,
			const struct perfdata_id_entry *entries, size_t count)
{
	struct sample_record record = {.size = sizeof(struct perf_event_header)};
	struct perf_event_header header = {.type = PERFDATA_RECORD_ID_INDEX};

	sample_put_u64(&record, said);
	sample_put(&record, entries, count * sizeof(*entries));
	header.size = (uint16_t)record.size;
	memcpy(record.bytes, &header, sizeof(header));
	assert_int_equal(perfdata_write_raw(writer, record.bytes, record.size), 0);
}

/* The CPU of the one session of a recording, and its area, where samples have a CPU or not */
static void check_place(uint64_t sample_type, uint64_t said,
			const struct perfdata_id_entry *entries, size_t count, int32_t cpu,
			uint32_t area)
{
	const struct perf_event_attr cycles = cycles_of(sample_type);
	struct sample_values values = plain;
	struct perfdata_writer *writer;
	struct contents file;
	struct perfdata *data;
	char path[64];

	temporary(path, sizeof(path));
	writer = begin(path, &cycles, 0, NULL);
	values.id = 14;
	write_record(writer, &cycles, &values);
	write_index(writer, said, entries, count);
	file = end(writer, path);
	data = open_bytes(file.bytes, file.size);
	assert_int_equal(perfdata_info(data)->note_count, said == count ? 0 : 1);
	assert_int_equal(perfdata_info(data)->session_count, 1);
	assert_int_equal(perfdata_info(data)->sessions->cpu, cpu);
	assert_int_equal(perfdata_info(data)->sessions->area, area);
	assert_int_equal(perfdata_info(data)->sessions->tid, 71);
	assert_int_equal(perfdata_info(data)->per_cpu, cpu >= 0 || said != count);
	if (cpu >= 0)
		assert_int_equal(perfdata_info(data)->sessions->unit->cpu, cpu);
	perfdata_close(data);
	free(file.bytes);
}

static void the_index_of_identifiers_names_the_area(void **state)
{
	const struct perfdata_id_entry by_cpu[] = {{14, 7, 5, UINT64_MAX}, {13, 6, 0, UINT64_MAX}};
	const struct perfdata_id_entry by_thread[] = {{13, 0, UINT64_MAX, 70},
						      {14, 1, UINT64_MAX, 71}};
	const uint64_t no_cpu = FIELDS & ~(uint64_t)PERF_SAMPLE_CPU;

	(void)state;
	check_place(FIELDS, 2, by_cpu, 2, 5, 7);
	check_place(no_cpu, 2, by_cpu, 2, 5, 7);
	check_place(FIELDS, 2, by_thread, 2, PERFDATA_ANY, 1);
	check_place(no_cpu, 2, by_thread, 2, PERFDATA_ANY, 1);
	/* without it, or with a damaged one, the CPU of the sample */
	check_place(FIELDS, 0, NULL, 0, 5, 0);
	check_place(FIELDS, 3, by_thread, 2, 5, 0);
	check_place(FIELDS, UINT64_MAX / 32 + 2, by_thread, 2, 5, 0);
}

/* AUX records of the trace event: their trace is not in the file, but they say what it is like. */
static void the_format_is_that_of_aux_records(void **state)
{
	static const struct perfdata_cpu etmv4 = {
		.cpu = 5,
		.protocol = PERFDATA_ETMV4,
		.regs = {0xc8, 0x1a, 0x28000ea1, 0x4100f424, 0x488, 0, 0xcc, 0, HWF_PROTOCOL_ETMV4},
	};
	static const struct {
		const struct perfdata_cpu *cpu;
		uint64_t flags;
		bool has_record;
		bool framed;
	} cases[] = {
		{NULL, 0, false, false},
		{&etmv4, 0, false, true},
		{NULL, PERFDATA_AUX_FRAMED, true, true},
		{NULL, PERFDATA_AUX_RAW, true, false},
		{&etmv4, PERFDATA_AUX_RAW, true, false},
	};
	const struct perf_event_attr cycles = cycles_of(FIELDS);
	const struct perfdata_stamp stamp = {9000, 70, 71, 5};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perfdata_cpu cpus[] = {two_cpus[0], two_cpus[1]};
		struct perfdata_writer *writer;
		const struct perfdata_info *info;
		struct contents file;
		struct perfdata *data;
		char path[64];

		if (cases[i].cpu)
			cpus[1] = *cases[i].cpu;
		temporary(path, sizeof(path));
		writer = begin(path, &cycles, 0, cpus);
		write_record(writer, &cycles, &plain);
		if (cases[i].has_record)
			perfdata_write_aux(writer, &stamp, 100000, 100000,
					   cases[i].flags | PERFDATA_AUX_OVERWRITE);
		file = end(writer, path);
		data = open_bytes(file.bytes, file.size);
		info = perfdata_info(data);
		assert_int_equal(info->session_count, cases[i].has_record ? 2 : 1);
		assert_int_equal(info->sessions[0].framed, cases[i].framed);
		for (size_t j = 0; j < info->note_count; j++)
			assert_int_equal(info->notes[j].severity, PERFDATA_INFO);
		perfdata_close(data);
		free(file.bytes);
	}
}

static void trace_of_compressed_samples_is_in_memory(void **state)
{
	const struct perf_event_attr cycles = cycles_of(FIELDS);
	struct sample_values values = plain;
	const struct perfdata_info *info;
	struct perfdata_writer *writer;
	uint8_t bytes[sizeof(trace)];
	struct contents file;
	struct perfdata *data;
	char path[64];

	(void)state;
	temporary(path, sizeof(path));
	writer = begin(path, &cycles, 3, NULL);
	for (uint64_t i = 0; i < 100; i++) {
		values.time = 5000 + i;
		memset(bytes, (int)i, sizeof(bytes));
		values.trace = bytes;
		write_record(writer, &cycles, &values);
	}
	file = end(writer, path);
	data = open_bytes(file.bytes, file.size);
	info = perfdata_info(data);
	assert_int_equal(info->note_count, 0);
	assert_int_equal(info->session_count, 100);
	for (size_t i = 0; i < 100; i++) {
		const struct perfdata_session *session = &info->sessions[i];

		assert_false(session->in_file);
		assert_int_equal(session->time, 5000 + i);
		assert_int_equal(session->size, sizeof(bytes));
		/* the sanitizer sees these accesses, but none in cmocka */
		for (size_t j = 0; j < sizeof(bytes); j++)
			assert_int_equal(session->bytes[j], i);
		assert_int_equal(file.bytes[session->bytes_at], PERFDATA_RECORD_COMPRESSED);
	}
	perfdata_close(data);
	free(file.bytes);
}

/* perf record writes some records twice. At another time, or without times, it is another sample.
 */
static void trace_of_repeated_samples_is_taken_once(void **state)
{
	static const struct {
		uint64_t type;
		uint64_t id;
		uint64_t time;
		size_t sessions;
	} cases[] = {
		{FIELDS, 13, 5000, 1},
		{FIELDS, 13, 5001, 2},
		{FIELDS, 14, 5000, 2},
		{FIELDS & ~(uint64_t)PERF_SAMPLE_TIME, 13, 5000, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct perf_event_attr cycles = cycles_of(cases[i].type);
		struct sample_values again = plain;
		struct perfdata_writer *writer;
		struct contents file;
		struct perfdata *data;
		char path[64];

		again.id = cases[i].id;
		again.time = cases[i].time;
		temporary(path, sizeof(path));
		writer = begin(path, &cycles, 0, NULL);
		write_record(writer, &cycles, &plain);
		write_record(writer, &cycles, &again);
		file = end(writer, path);
		data = open_bytes(file.bytes, file.size);
		assert_int_equal(perfdata_info(data)->session_count, cases[i].sessions);
		perfdata_close(data);
		free(file.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_session_is_that_of_the_sample),
		cmocka_unit_test(the_trace_follows_all_other_fields),
		cmocka_unit_test(counts_have_the_format_that_the_event_asks_for),
		cmocka_unit_test(branches_have_the_words_that_the_event_asks_for),
		cmocka_unit_test(absent_registers_and_stacks_have_a_word),
		cmocka_unit_test(cgroups_have_paths),
		cmocka_unit_test(damaged_samples_are_bounded),
		cmocka_unit_test(the_index_of_identifiers_names_the_area),
		cmocka_unit_test(the_format_is_that_of_aux_records),
		cmocka_unit_test(trace_of_compressed_samples_is_in_memory),
		cmocka_unit_test(trace_of_repeated_samples_is_taken_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
