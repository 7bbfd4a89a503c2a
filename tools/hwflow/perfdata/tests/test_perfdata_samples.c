/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of events beside the trace: fields of tracepoints by their descriptions, compressed
 * records. */
#include "tests/perfdata_test.h"

#include "perfdata/perfdata_samples.h"

#define SWITCH_ID 316
#define CYCLES_ID 0

/* what identifies the events in records */
static const uint64_t ids[] = {11, 12, 13, 14};

static const char format[] = "name: sched_switch\n"
			     "ID: 316\n"
			     "format:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
			     "\n"
			     "\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
			     "\tfield:pid_t pid;\toffset:16;\tsize:4;\tsigned:1;\n"
			     "\tfield:unsigned char kind;\toffset:20;\tsize:1;\tsigned:0;\n"
			     "\tfield:unsigned long flags;\toffset:24;\tsize:8;\tsigned:0;\n"
			     "\tfield:__data_loc char[] file;\toffset:32;\tsize:4;\tsigned:0;\n"
			     "\tfield:u8 mac[2];\toffset:36;\tsize:2;\tsigned:0;\n"
			     "\tfield:__rel_loc char[] other;\toffset:40;\tsize:4;\tsigned:0;\n"
			     "\tfield:int beyond;\toffset:4000;\tsize:4;\tsigned:1;\n"
			     "\n"
			     "print fmt: \"field:int no; offset:0; size:4; signed:1;\", 1\n";

#define PRINTED                                                                        \
	"sched:sched_switch cpu=5 comm=swap\\ner pid=-7 kind=200 flags=0x10000000000 " \
	"file=/bin/ls "                                                                \
	"mac=0a0b other=end beyond="

static void put(struct contents *file, const void *bytes, size_t size)
{
	file->bytes = realloc(file->bytes, file->size + size);
	assert_non_null(file->bytes);
	memcpy(file->bytes + file->size, bytes, size);
	file->size += size;
}

static void put_number(struct contents *file, uint64_t value, size_t size)
{
	put(file, &value, size);
}

/* A description of one tracepoint, in the layout of trace-cmd */
static struct contents make_description(void)
{
	struct contents file = {0};

	put(&file, "\x17\x08\x44tracing0.6", 14);
	put_number(&file, 0, 1);
	put_number(&file, 8, 1);
	put_number(&file, 4096, 4);
	put(&file, "header_page", 12);
	put_number(&file, 3, 8);
	put(&file, "abc", 3);
	put(&file, "header_event", 13);
	put_number(&file, 0, 8);
	put_number(&file, 0, 4);
	put_number(&file, 1, 4);
	put(&file, "sched", 6);
	put_number(&file, 1, 4);
	put_number(&file, sizeof(format) - 1, 8);
	put(&file, format, sizeof(format) - 1);
	put_number(&file, 0, 4);
	put_number(&file, 0, 4);
	put_number(&file, 0, 8);
	return file;
}

/* struct sample - as the kernel writes it, for the sample_type of attr_of() */
struct sample {
	struct perf_event_header header;
	uint64_t id;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, zero;
	uint64_t period;
	uint32_t raw_size;
	uint8_t raw[68];
};

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
		.size = PERF_ATTR_SIZE_VER5 + 16,
		.type = type,
		.config = config,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			       (type == PERF_TYPE_TRACEPOINT ? PERF_SAMPLE_RAW : 0),
		.sample_id_all = 1,
	};
}

static struct sample sample_make(uint64_t time)
{
	struct sample sample = {
		.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof(sample)},
		.id = ids[2],
		.ip = 0x1234,
		.pid = 100,
		.tid = 101,
		.time = time,
		.cpu = 5,
		.raw_size = sizeof(sample.raw),
	};
	const int32_t pid = -7;
	const uint64_t flags = UINT64_C(1) << 40;
	const uint32_t file = 8u << 16 | 48, other = 4u << 16 | (60 - 44);

	memcpy(sample.raw + 8, "swap\ner", 8);
	memcpy(sample.raw + 16, &pid, 4);
	sample.raw[20] = 200;
	memcpy(sample.raw + 24, &flags, 8);
	memcpy(sample.raw + 32, &file, 4);
	memcpy(sample.raw + 36, "\x0a\x0b", 2);
	memcpy(sample.raw + 40, &other, 4);
	memcpy(sample.raw + 48, "/bin/ls", 8);
	memcpy(sample.raw + 60, "end", 4);
	return sample;
}

/* A sample of the event that counts: no raw data */
static void write_count(struct perfdata_writer *writer, uint64_t time)
{
	struct sample sample = sample_make(time);

	sample.id = ids[3];
	sample.header.size = offsetof(struct sample, raw_size);
	assert_int_equal(perfdata_write_raw(writer, &sample, sample.header.size), 0);
}

/* An AUX record as the kernel makes it, all of @trace_a */
static void write_aux(struct perfdata_writer *writer)
{
	const struct {
		struct perf_event_header header;
		uint64_t offset, size, flags;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, zero;
		uint64_t id;
	} record = {
		.header = {.type = PERF_RECORD_AUX, .size = sizeof(record)},
		.size = sizeof(trace_a),
		.pid = 1,
		.tid = 1,
		.time = 20,
		.id = ids[0],
	};

	assert_int_equal(perfdata_write_raw(writer, &record, sizeof(record)), 0);
}

static void write_file(const char *path, int level, bool described)
{
	const struct perf_event_attr attrs[] = {
		attr_of(8, 0),
		attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY),
		attr_of(PERF_TYPE_TRACEPOINT, SWITCH_ID),
		attr_of(PERF_TYPE_HARDWARE, CYCLES_ID),
	};
	static const char *const names[] = {"cs_etm//", "dummy:u", "sched:sched_switch", "cycles"};
	struct perfdata_recorded_event events[4];
	struct perfdata_recording recording = recording_make(true);
	struct contents description = make_description();
	const struct perfdata_area area = {0, -1, -1, 0};
	struct perfdata_writer *writer;

	for (size_t i = 0; i < 4; i++)
		events[i] = (struct perfdata_recorded_event){&attrs[i], names[i], &ids[i], 1};
	recording.events = events;
	recording.event_count = 4;
	recording.compression = level;
	if (described) {
		recording.tracing_data = description.bytes;
		recording.tracing_data_size = description.size;
	}
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	free(description.bytes);
	for (uint64_t i = 0; i < 2000; i++) {
		const struct sample sample = sample_make(5000 - i);

		assert_int_equal(perfdata_write_raw(writer, &sample, sizeof(sample)), 0);
	}
	write_count(writer, 1);
	write_aux(writer);
	assert_int_equal(perfdata_write_auxtrace(writer, &area, 0, trace_a, sizeof(trace_a)), 0);
	write_count(writer, 9000);
	assert_int_equal(perfdata_write_round(writer), 0);
	assert_int_equal(perfdata_writer_close(writer), 0);
}

static void assert_printed(const struct perfdata_sample *sample, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	perfdata_sample_print(sample, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void check_samples(const struct perfdata_info *info, const char *printed)
{
	assert_int_equal(info->note_count, 0);
	assert_int_equal(info->sample_count, 2002);
	assert_printed(&info->samples[0], "cycles cpu=5 ip=0x1234");
	assert_printed(&info->samples[2001], "cycles cpu=5 ip=0x1234");
	for (size_t i = 1; i < 2001; i++) {
		assert_int_equal(info->samples[i].time, 3000 + i);
		assert_int_equal(info->samples[i].pid, 100);
		assert_int_equal(info->samples[i].tid, 101);
		assert_printed(&info->samples[i], printed);
	}
	assert_int_equal(info->session_count, 1);
	assert_int_equal(info->sessions[0].size, sizeof(trace_a));
	assert_memory_equal(info->sessions[0].bytes, trace_a, sizeof(trace_a));
}

static struct contents make_file(int level, bool described)
{
	struct contents file;
	char path[64];

	temporary(path, sizeof(path));
	write_file(path, level, described);
	file = load(path);
	unlink(path);
	return file;
}

static void test_fields(void **state)
{
	struct contents file = make_file(0, true);
	struct perfdata *data = open_bytes(file.bytes, file.size);

	(void)state;
	check_samples(perfdata_info(data), PRINTED);
	perfdata_close(data);
	free(file.bytes);
}

static void test_without_description(void **state)
{
	struct contents file = make_file(0, false);
	struct perfdata *data = open_bytes(file.bytes, file.size);

	(void)state;
	check_samples(perfdata_info(data), "sched:sched_switch cpu=5 ip=0x1234");
	perfdata_close(data);
	free(file.bytes);
}

/* Trace, and the records about it, are not compressed: stock perf looks for them in the file. */
static void test_compressed(void **state)
{
	static const int levels[] = {1, 19};
	struct contents plain = make_file(0, true);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct contents file = make_file(levels[i], true);
		struct perfdata *data = open_bytes(file.bytes, file.size);
		const struct perfdata_session *session = perfdata_info(data)->sessions;

		check_samples(perfdata_info(data), PRINTED);
		assert_true(file.size < plain.size / 10);
		assert_ptr_equal(session->bytes, file.bytes + session->bytes_at);
		assert_int_equal(file.bytes[session->at], PERF_RECORD_AUX);
		perfdata_close(data);
		free(file.bytes);
	}
	free(plain.bytes);
}

/* A record that cannot be made smaller fits into a compressed record all the same. */
static void test_incompressible(void **state)
{
	struct perfdata_recording recording = recording_make(true);
	static uint8_t record[65528];
	const struct perf_event_header header = {.type = 60, .size = sizeof(record)};
	struct perfdata_writer *writer;
	struct perfdata *data;
	struct contents file;
	uint32_t word = 1;
	char path[64];

	(void)state;
	for (size_t i = 0; i < sizeof(record); i++) {
		word = word * 1664525 + 1013904223;
		record[i] = (uint8_t)(word >> 24);
	}
	memcpy(record, &header, sizeof(header));
	temporary(path, sizeof(path));
	recording.compression = 1;
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	for (int i = 0; i < 20; i++)
		assert_int_equal(perfdata_write_raw(writer, record, sizeof(record)), 0);
	assert_int_equal(perfdata_writer_close(writer), 0);
	file = load(path);
	unlink(path);
	data = open_bytes(file.bytes, file.size);
	assert_int_equal(perfdata_info(data)->note_count, 0);
	perfdata_close(data);
	free(file.bytes);
}

static void test_level(void **state)
{
	struct perfdata_recording recording = recording_make(true);
	struct perfdata_writer *writer;

	(void)state;
	recording.compression = 1000;
	assert_int_equal(perfdata_writer_open(&writer, "/dev/null", &recording), -EINVAL);
}

/* Each byte of the description damaged, and each cut: nothing crashes, and samples stay. */
static void test_damaged_description(void **state)
{
	struct contents file = make_file(0, true);
	const uint8_t *at = memmem(file.bytes, file.size, "\x17\x08\x44tracing", 10);
	size_t from;

	(void)state;
	assert_non_null(at);
	from = (size_t)(at - file.bytes);
	for (size_t i = from; i < from + 1000 && i < file.size; i += 3) {
		const uint8_t before = file.bytes[i];
		struct perfdata *data;

		file.bytes[i] = (uint8_t)~before;
		data = open_bytes(file.bytes, file.size);
		assert_int_equal(perfdata_info(data)->sample_count, 2002);
		for (size_t j = 0; j < 3; j++) {
			FILE *out = fopen("/dev/null", "w");

			assert_non_null(out);
			perfdata_sample_print(&perfdata_info(data)->samples[j], out);
			fclose(out);
		}
		perfdata_close(data);
		file.bytes[i] = before;
	}
	free(file.bytes);
}

/* From a pipe: attributes are records, and the description follows a record with its size. */
static struct contents make_pipe(void)
{
	static const uint64_t head[2] = {PERFDATA_MAGIC, 16}, zero = 0;
	const struct perf_event_attr attr = attr_of(PERF_TYPE_TRACEPOINT, SWITCH_ID);
	const struct sample sample = sample_make(77);
	const struct perf_event_header attr_header = {
		.type = PERFDATA_RECORD_HEADER_ATTR,
		.size = (uint16_t)(sizeof(attr_header) + attr.size + 8)};
	const struct perf_event_header tracing_header = {.type = PERFDATA_RECORD_TRACING_DATA,
							 .size = 12};
	struct contents description = make_description(), file = {0};

	put(&file, head, sizeof(head));
	put(&file, &attr_header, sizeof(attr_header));
	put(&file, &attr, attr.size);
	put(&file, &ids[2], sizeof(ids[2]));
	put(&file, &sample, sizeof(sample));
	put(&file, &tracing_header, sizeof(tracing_header));
	put_number(&file, description.size, 4);
	put(&file, description.bytes, description.size);
	put(&file, &zero, -description.size % 8);
	put(&file, &sample, sizeof(sample));
	free(description.bytes);
	return file;
}

static void test_pipe(void **state)
{
	struct contents file = make_pipe();
	struct perfdata *data = open_bytes(file.bytes, file.size);
	const struct perfdata_info *info = perfdata_info(data);

	(void)state;
	assert_int_equal(info->sample_count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(info->samples[i].time, 77);
		assert_printed(&info->samples[i], PRINTED);
	}
	perfdata_close(data);
	for (size_t size = 200; size < file.size; size++) {
		data = open_bytes(file.bytes, size);
		assert_true(perfdata_info(data)->sample_count <= 2);
		perfdata_close(data);
	}
	free(file.bytes);
}

static void test_clock(void **state)
{
	static const struct perfdata_clock clocks[] = {
		{.known = true, .shift = 0, .mult = 16, .zero = 0},
		{.known = true, .shift = 10, .mult = 41000, .zero = 123456789},
		{.known = true, .shift = 31, .mult = 2147483648u, .zero = UINT64_MAX - 5000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		for (uint64_t ticks = 10000; ticks < 10100; ticks++) {
			const uint64_t time = perfdata_clock_time(&clocks[i], ticks);
			const uint64_t found = perfdata_clock_timestamp(&clocks[i], time);

			assert_true(found <= ticks);
			assert_int_equal(perfdata_clock_time(&clocks[i], found), time);
			assert_true(perfdata_clock_timestamp(&clocks[i], time + 1) > found ||
				    clocks[i].mult < 1024);
		}
	}
	assert_int_equal(perfdata_clock_timestamp(&clocks[1], 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),     cmocka_unit_test(test_without_description),
		cmocka_unit_test(test_compressed), cmocka_unit_test(test_incompressible),
		cmocka_unit_test(test_level),      cmocka_unit_test(test_damaged_description),
		cmocka_unit_test(test_pipe),       cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
