/* SPDX-License-Identifier: GPL-2.0-only */
/* perf.data: other containers of the same records; what is damaged is reported and survived. */
#include "tests/perfdata_test.h"

#include <signal.h>
#include <sys/resource.h>
#include <zstd.h>

/* so that nothing that is only looked at is optimised away */
static volatile uint64_t looked_at;

/* Touches everything the reader says, so that the sanitizers see it. */
static void touch(const struct perfdata *data)
{
	const struct perfdata_info *info = perfdata_info(data);
	uint64_t sum = info->argc + strlen(info->arch) + strlen(info->hostname);

	for (size_t i = 0; i < info->event_count; i++) {
		const struct perfdata_event *event = &info->events[i];

		sum += event->time;
		if (event->kind == PERFDATA_COMM)
			sum += strlen(event->u.comm.name);
		if (event->kind == PERFDATA_MMAP)
			sum += strlen(event->u.mapping->path);
		if (event->kind == PERFDATA_SESSION)
			assert_true(event->u.session < info->session_count);
	}
	for (size_t i = 0; i < info->session_count; i++)
		for (uint64_t j = 0; j < info->sessions[i].size; j++)
			sum += info->sessions[i].bytes[j];
	for (size_t i = 0; i < info->note_count; i++)
		sum += strlen(info->notes[i].text);
	for (size_t i = 0; i < info->argc; i++)
		sum += strlen(info->argv[i]);
	for (size_t i = 0; i < info->build_id_count; i++)
		sum += strlen(info->build_ids[i].path);
	looked_at = sum;
}

/* Opens a copy of exactly these bytes; returns the sessions with trace, -1 if refused. */
static int survive(const uint8_t *bytes, size_t size, bool *noted)
{
	uint8_t *copy = malloc(size ? size : 1);
	char message[PERFDATA_MESSAGE] = "";
	struct perfdata *data = NULL;
	int sessions = -1;

	assert_non_null(copy);
	if (size)
		memcpy(copy, bytes, size);
	*noted = true;
	if (perfdata_open_memory(&data, "memory", copy, size, message)) {
		assert_true(strlen(message) > 0);
	} else {
		touch(data);
		sessions = 0;
		for (size_t i = 0; i < perfdata_info(data)->session_count; i++)
			sessions += perfdata_info(data)->sessions[i].bytes != NULL;
		*noted = perfdata_info(data)->note_count != 0;
		perfdata_close(data);
	}
	free(copy);
	return sessions;
}

/* The longer the file, the more is read; nothing short is taken for whole. */
static void survive_truncations(struct contents file)
{
	int before = -1;

	for (size_t size = 0; size < file.size; size++) {
		bool noted;
		const int sessions = survive(file.bytes, size, &noted);

		assert_true(sessions >= before);
		assert_true(noted);
		before = sessions;
	}
}

static void every_truncation_is_survived(void **state)
{
	struct contents file = make_sample(false);
	bool noted;

	(void)state;
	survive_truncations(file);
	assert_int_equal(survive(file.bytes, file.size, &noted), 3);
	assert_false(noted);
	free(file.bytes);
}

static uint32_t random_next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Each byte once each with all bits, one bit, and random bits flipped. */
static void survive_corruption(struct contents file)
{
	uint32_t seed = 2463534242;
	bool noted;

	for (size_t i = 0; i < file.size; i++) {
		const uint8_t was = file.bytes[i];
		const uint8_t flips[] = {0xff, (uint8_t)(1u << random_next(&seed) % 8),
					 (uint8_t)random_next(&seed), was};

		for (size_t j = 0; j < sizeof(flips); j++) {
			file.bytes[i] = was ^ flips[j];
			survive(file.bytes, file.size, &noted);
		}
		file.bytes[i] = was;
	}
	for (int round = 0; round < 2000; round++) {
		uint8_t was[8];
		size_t at[8];

		for (int j = 0; j < 8; j++) {
			at[j] = random_next(&seed) % file.size;
			was[j] = file.bytes[at[j]];
			file.bytes[at[j]] = (uint8_t)random_next(&seed);
		}
		survive(file.bytes, file.size, &noted);
		for (int j = 8; j--;)
			file.bytes[at[j]] = was[j];
	}
}

static void every_corruption_is_survived(void **state)
{
	struct contents file = make_sample(true);

	(void)state;
	survive_corruption(file);
	free(file.bytes);
}

/* The words of AUXTRACE_INFO that say how many registers follow. */
static void register_counts_are_checked(void **state)
{
	static const uint64_t counts[] = {0, 7, 10, UINT64_C(1) << 61 | 8, UINT64_MAX};
	const uint64_t magic = PERFDATA_MAGIC_ETE;
	struct contents file = make_sample(false);
	uint8_t *block = memmem(file.bytes, file.size, &magic, sizeof(magic));

	(void)state;
	assert_non_null(block);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct perfdata *data;

		memcpy(block + 16, &counts[i], sizeof(counts[i]));
		data = open_bytes(file.bytes, file.size);
		touch(data);
		assert_int_not_equal(perfdata_info(data)->note_count, 0);
		perfdata_close(data);
	}
	free(file.bytes);
}

/* Where the records of a sample begin. */
static uint64_t data_offset(struct contents file)
{
	struct perfdata_header header;

	memcpy(&header, file.bytes, sizeof(header));
	return header.data.offset;
}

static uint64_t data_size(struct contents file)
{
	struct perfdata_header header;

	memcpy(&header, file.bytes, sizeof(header));
	return header.data.size;
}

static void put(struct contents *file, const void *bytes, size_t size)
{
	file->bytes = realloc(file->bytes, file->size + size);
	if (!file->bytes)
		abort();
	memcpy(file->bytes + file->size, bytes, size);
	file->size += size;
}

static void put_header(struct contents *file, uint32_t type, size_t body)
{
	const struct perf_event_header header = {.type = type,
						 .size = (uint16_t)(sizeof(header) + body)};

	put(file, &header, sizeof(header));
}

/* Records that end before what their type has; 8 bytes short, and the same with 8 more. */
static void short_records_are_ignored(void **state)
{
	static const struct {
		uint32_t type;
		size_t body;
	} rows[] = {
		{PERF_RECORD_COMM, 8},  {PERF_RECORD_FORK, 24},  {PERF_RECORD_EXIT, 24},
		{PERF_RECORD_MMAP, 32}, {PERF_RECORD_MMAP2, 64}, {PERF_RECORD_ITRACE_START, 8},
		{PERF_RECORD_AUX, 24},  {PERF_RECORD_LOST, 16},
	};
	static const uint64_t head[2] = {PERFDATA_MAGIC, 16}, zero[16];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t more = 0; more <= 8; more += 8) {
			const size_t body = rows[i].body - 8 + more;
			struct contents file = {0};
			struct perfdata *data;

			put(&file, head, sizeof(head));
			put_header(&file, rows[i].type, body);
			put(&file, zero, body);
			data = open_bytes(file.bytes, file.size);
			touch(data);
			assert_int_equal(perfdata_info(data)->event_count, more != 0);
			perfdata_close(data);
			free(file.bytes);
		}
	}
}

/* The records of a sample as perf record -o - writes them. */
static void pipe_mode_is_read(void **state)
{
	const struct perfdata_recording recording = recording_make(false);
	struct contents sample = make_sample(false), file = {0};
	const uint64_t head[2] = {PERFDATA_MAGIC, 16};
	struct perf_event_attr attr;
	struct perfdata *data;

	(void)state;
	put(&file, head, sizeof(head));
	for (unsigned int i = 0; i < PERFDATA_EVENTS; i++) {
		const uint64_t id = i + 1;

		perfdata_writer_attr(&recording, i, &attr);
		put_header(&file, PERFDATA_RECORD_HEADER_ATTR, sizeof(attr) + sizeof(id));
		put(&file, &attr, sizeof(attr));
		put(&file, &id, sizeof(id));
	}
	put(&file, sample.bytes + data_offset(sample), data_size(sample));
	data = open_bytes(file.bytes, file.size);
	check_sample(data, false);
	assert_int_equal(perfdata_info(data)->config, 0x8000);
	perfdata_close(data);
	survive_corruption(file);
	free(sample.bytes);
	free(file.bytes);
}

/* Appends compressed records of all that is in the stream so far. */
static void put_compressed(struct contents *file, ZSTD_CStream *stream, const uint8_t *bytes,
			   size_t size)
{
	uint8_t packed[4096];
	ZSTD_inBuffer in = {bytes, size, 0};
	ZSTD_outBuffer out = {packed, sizeof(packed), 0};

	assert_false(ZSTD_isError(ZSTD_compressStream(stream, &out, &in)));
	assert_int_equal(ZSTD_flushStream(stream, &out), 0);
	put_header(file, PERFDATA_RECORD_COMPRESSED, out.pos);
	put(file, packed, out.pos);
}

/* All records but AUXTRACE go through the compressor, cut anywhere. */
static struct contents make_compressed(struct contents sample)
{
	const uint8_t *at = sample.bytes + data_offset(sample);
	const uint8_t *end = at + data_size(sample);
	ZSTD_CStream *stream = ZSTD_createCStream();
	struct contents file = {0}, packed = {0};
	struct perfdata_header header;
	size_t cut = 0;

	put(&file, sample.bytes, data_offset(sample));
	while (at < end) {
		struct perf_event_header record;

		memcpy(&record, at, sizeof(record));
		if (record.type == PERFDATA_RECORD_AUXTRACE) {
			uint64_t size;

			memcpy(&size, at + sizeof(record), sizeof(size));
			put(&file, at, record.size + size);
			at += record.size + size;
			continue;
		}
		put(&packed, at, record.size);
		at += record.size;
		if (packed.size - cut > 100) {
			put_compressed(&file, stream, packed.bytes + cut, 77);
			cut += 77;
		}
	}
	put_compressed(&file, stream, packed.bytes + cut, packed.size - cut);
	memcpy(&header, file.bytes, sizeof(header));
	header.data.size = file.size - header.data.offset;
	/* a complete file has a feature: this one has no bytes */
	memset(header.features, 0, sizeof(header.features));
	header.features[0] = UINT64_C(1) << PERFDATA_FEATURE_AUXTRACE;
	memcpy(file.bytes, &header, sizeof(header));
	put(&file, &(struct perfdata_section){file.size, 0}, sizeof(struct perfdata_section));
	ZSTD_freeCStream(stream);
	free(packed.bytes);
	return file;
}

static void compressed_records_are_read(void **state)
{
	struct contents sample = make_sample(false);
	struct contents file = make_compressed(sample);
	struct perfdata *data = open_bytes(file.bytes, file.size);

	(void)state;
	check_sample(data, false);
	perfdata_close(data);
	survive_corruption(file);
	free(sample.bytes);
	free(file.bytes);
}

static void simpleperf_damaged_is_survived(void **state)
{
	struct contents file = capture("perf_etm/perf_etm.data");

	(void)state;
	survive_truncations(file);
	survive_corruption(file);
	free(file.bytes);
}

/* The notes that say that the recorder did not complete the file */
static unsigned int incomplete_notes(const struct perfdata_info *info)
{
	unsigned int count = 0;

	for (size_t i = 0; i < info->note_count; i++)
		count += strstr(info->notes[i].text, "not completed") != NULL;
	return count;
}

/* A file as the recorder leaves it if it is killed after @flushed and before the end */
static struct contents make_killed(bool flushed)
{
	const struct perfdata_recording recording = recording_make(false);
	struct perfdata_writer *writer;
	struct contents file;
	char path[64];

	temporary(path, sizeof(path));
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	write_sample(writer, false);
	if (flushed)
		assert_int_equal(perfdata_write_flush(writer), 0);
	file = load(path);
	assert_int_equal(perfdata_writer_close(writer), 0);
	unlink(path);
	return file;
}

static void a_killed_recorder_leaves_what_it_flushed(void **state)
{
	struct contents killed = make_killed(true), whole = make_sample(false);
	struct perfdata *data = open_bytes(killed.bytes, killed.size);
	const struct perfdata_info *info = perfdata_info(data);

	(void)state;
	/* stock perf reads as many bytes as the head says, and none if it says 0 */
	assert_int_equal(data_size(killed), data_size(whole));
	/* and prints no branches without the feature AUXTRACE */
	assert_true(((const struct perfdata_header *)killed.bytes)->features[0] >>
			    PERFDATA_FEATURE_AUXTRACE &
		    1);
	assert_string_equal(info->arch, "aarch64");
	assert_true(info->incomplete);
	assert_int_equal(info->note_count, 1);
	assert_int_equal(incomplete_notes(info), 1);
	assert_int_equal(info->session_count, 4);
	perfdata_close(data);
	data = open_bytes(whole.bytes, whole.size);
	assert_false(perfdata_info(data)->incomplete);
	perfdata_close(data);
	free(killed.bytes);
	free(whole.bytes);
}

/* The next record replaces the description of the machine; the head does not name it any more. */
static void a_record_after_a_flush_is_written_behind_the_last_one(void **state)
{
	const struct perfdata_recording recording = recording_make(false);
	const struct perfdata_stamp stamp = {4000, 70, 70, 0};
	struct perfdata_writer *writer;
	struct contents file;
	uint64_t end;
	char path[64];

	(void)state;
	temporary(path, sizeof(path));
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	write_sample(writer, false);
	assert_int_equal(perfdata_write_flush(writer), 0);
	file = load(path);
	end = data_offset(file) + data_size(file);
	assert_true(file.size > end);
	free(file.bytes);
	assert_int_equal(perfdata_write_comm(writer, &stamp, "later", false), 0);
	file = load(path);
	assert_int_equal(file.size, end);
	assert_int_equal(((const struct perfdata_header *)file.bytes)->features[0], 0);
	assert_int_equal(data_offset(file) + data_size(file), end);
	free(file.bytes);
	assert_int_equal(perfdata_writer_close(writer), 0);
	file = load(path);
	assert_true(data_offset(file) + data_size(file) > end);
	free(file.bytes);
	unlink(path);
}

/* hwflow stat drops what it records. */
static void a_device_takes_all_that_is_written(void **state)
{
	const struct perfdata_recording recording = recording_make(false);
	const struct perfdata_stamp stamp = {4000, 70, 70, 0};
	struct perfdata_writer *writer;

	(void)state;
	assert_int_equal(perfdata_writer_open(&writer, "/dev/null", &recording), 0);
	write_sample(writer, false);
	assert_int_equal(perfdata_write_flush(writer), 0);
	assert_int_equal(perfdata_write_comm(writer, &stamp, "later", false), 0);
	assert_int_equal(perfdata_writer_close(writer), 0);
}

/* Records after those that the head counts: all that are whole, with one note wherever it ends */
static void records_after_the_last_flush_are_read(void **state)
{
	struct contents killed = make_killed(true), file = {0};
	int before = -1;

	(void)state;
	put(&file, killed.bytes, data_offset(killed) + data_size(killed));
	memset(file.bytes + offsetof(struct perfdata_header, features), 0, 32);
	for (size_t counted = 0; counted < 2; counted++) {
		/* 0: as perf record leaves it */
		const uint64_t counts = counted;

		memcpy(file.bytes + offsetof(struct perfdata_header, data) +
			       offsetof(struct perfdata_section, size),
		       &counts, sizeof(counts));
		before = -1;
		for (size_t size = data_offset(file) + 8; size <= file.size; size++) {
			struct perfdata *data = open_bytes(file.bytes, size);
			const struct perfdata_info *info = perfdata_info(data);
			int sessions = 0;

			for (size_t i = 0; i < info->session_count; i++)
				sessions += info->sessions[i].bytes != NULL;
			assert_true(info->incomplete);
			assert_int_equal(incomplete_notes(info), 1);
			assert_true(sessions >= before);
			before = sessions;
			perfdata_close(data);
		}
		assert_int_equal(before, 3);
	}
	free(killed.bytes);
	free(file.bytes);
}

/* The recorder was killed while it wrote the description of the machine, or removed it. */
static void a_description_that_is_not_whole_is_incomplete(void **state)
{
	struct contents killed = make_killed(true);
	const uint64_t end = data_offset(killed) + data_size(killed);
	const struct perfdata_header *header = (const struct perfdata_header *)killed.bytes;
	const size_t table =
		(size_t)__builtin_popcountll(header->features[0]) * sizeof(struct perfdata_section);

	(void)state;
	for (size_t size = end; size <= end + table; size++) {
		/* the table is written last: it is cut, or has only zeros */
		struct perfdata *data;
		const struct perfdata_info *info;

		memset(killed.bytes + end, 0, table);
		data = open_bytes(killed.bytes, size == end + table ? killed.size : size);
		info = perfdata_info(data);
		assert_true(info->incomplete);
		assert_int_equal(info->note_count, 1);
		assert_int_equal(incomplete_notes(info), 1);
		assert_int_equal(info->session_count, 4);
		perfdata_close(data);
	}
	free(killed.bytes);
}

static void a_recorder_that_was_killed_at_once_leaves_a_head(void **state)
{
	struct contents killed = make_killed(false);
	struct perfdata *data = open_bytes(killed.bytes, killed.size);
	const struct perfdata_info *info = perfdata_info(data);

	(void)state;
	assert_true(data_offset(killed) > sizeof(struct perfdata_header));
	assert_true(info->incomplete);
	assert_int_equal(info->note_count, 1);
	assert_int_equal(info->cpu_count, 2);
	perfdata_close(data);
	free(killed.bytes);
}

/*
 * The limit of a file's size stands for a full disk. @room: bytes after the sample and before
 * 200000 bytes of trace; the file keeps the sample, and has a description of the machine.
 */
static void fill_disk(uint64_t room)
{
	static const uint8_t much[100000];
	const struct perfdata_recording recording = recording_make(false);
	const struct perfdata_area area = {2, 70, 70, -1};
	const struct perfdata_stamp late = {4000, 70, 70, 0};
	struct contents sample = make_sample(false), file;
	struct rlimit limit, old;
	struct perfdata_writer *writer;
	struct perfdata *data;
	char path[64];

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){data_offset(sample) + data_size(sample) + room, old.rlim_max};
	temporary(path, sizeof(path));
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	write_sample(writer, false);
	assert_int_equal(perfdata_write_flush(writer), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	perfdata_write_session(writer, &late, &area, 1000, much, sizeof(much), 0);
	perfdata_write_session(writer, &late, &area, 101000, much, sizeof(much), 0);
	assert_int_equal(perfdata_writer_close(writer), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	file = load(path);
	unlink(path);
	assert_true(file.size <= limit.rlim_cur);
	data = open_bytes(file.bytes, file.size);
	assert_true(perfdata_info(data)->incomplete);
	assert_int_equal(perfdata_info(data)->note_count, 1);
	assert_string_equal(perfdata_info(data)->arch, "aarch64");
	assert_int_equal(perfdata_info(data)->session_count, room < 100000 ? 4 : 6);
	perfdata_close(data);
	free(sample.bytes);
	free(file.bytes);
}

static void without_room_a_file_ends_with_a_whole_record(void **state)
{
	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	/* in the first piece of trace: back to the flush; in the second: back to its beginning */
	fill_disk(60000);
	fill_disk(180000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_killed_recorder_leaves_what_it_flushed),
		cmocka_unit_test(a_record_after_a_flush_is_written_behind_the_last_one),
		cmocka_unit_test(records_after_the_last_flush_are_read),
		cmocka_unit_test(a_description_that_is_not_whole_is_incomplete),
		cmocka_unit_test(a_recorder_that_was_killed_at_once_leaves_a_head),
		cmocka_unit_test(a_device_takes_all_that_is_written),
		cmocka_unit_test(without_room_a_file_ends_with_a_whole_record),
		cmocka_unit_test(every_truncation_is_survived),
		cmocka_unit_test(every_corruption_is_survived),
		cmocka_unit_test(register_counts_are_checked),
		cmocka_unit_test(short_records_are_ignored),
		cmocka_unit_test(pipe_mode_is_read),
		cmocka_unit_test(compressed_records_are_read),
		cmocka_unit_test(simpleperf_damaged_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
