/* SPDX-License-Identifier: GPL-2.0-only */
/* perf.data: what is written is read. */
#include "tests/perfdata_test.h"

static void round_trip_by_thread(void **state)
{
	struct contents file = make_sample(false);
	struct perfdata *data = open_bytes(file.bytes, file.size);

	(void)state;
	check_sample(data, false);
	perfdata_close(data);
	free(file.bytes);
}

static void round_trip_by_cpu(void **state)
{
	struct contents file = make_sample(true);
	struct perfdata *data = open_bytes(file.bytes, file.size);

	(void)state;
	check_sample(data, true);
	perfdata_close(data);
	free(file.bytes);
}

static void head_is_read(void **state)
{
	struct contents file = make_sample(false);
	struct perfdata *data = open_bytes(file.bytes, file.size);
	const struct perfdata_info *info = perfdata_info(data);

	(void)state;
	assert_string_equal(info->arch, "aarch64");
	assert_string_equal(info->hostname, "board");
	assert_string_equal(info->osrelease, "6.1.0");
	assert_int_equal(info->argc, 4);
	assert_string_equal(info->argv[3], "cs_etm//u");
	assert_int_equal(info->cpu_count, 2);
	assert_int_equal(info->cpus[1].cpu, 5);
	assert_memory_equal(&info->cpus[1].regs, &two_cpus[1].regs, sizeof(two_cpus[1].regs));
	assert_int_equal(info->config, 0x8000);
	assert_true(info->context_in_vmid);
	assert_false(info->context_in_cid);
	assert_false(info->timestamps);
	assert_false(info->snapshot);
	perfdata_close(data);
	free(file.bytes);
}

static void events_are_in_order_of_time(void **state)
{
	static const uint8_t kinds[] = {
		PERFDATA_MMAP,    PERFDATA_COMM,    PERFDATA_MMAP,    PERFDATA_ITRACE_START,
		PERFDATA_FORK,    PERFDATA_SESSION, PERFDATA_SESSION, PERFDATA_SESSION,
		PERFDATA_SESSION, PERFDATA_EXIT,
	};
	struct contents file = make_sample(false);
	struct perfdata *data = open_bytes(file.bytes, file.size);
	const struct perfdata_info *info = perfdata_info(data);

	(void)state;
	assert_int_equal(info->event_count, sizeof(kinds));
	for (size_t i = 0; i < sizeof(kinds); i++) {
		assert_int_equal(info->events[i].kind, kinds[i]);
		if (i)
			assert_true(info->events[i].time >= info->events[i - 1].time);
	}
	assert_int_equal(info->events[4].tid, 71);
	assert_int_equal(info->events[4].u.parent.tid, 70);
	assert_false(info->events[4].u.parent.listed);
	assert_int_equal(info->events[5].u.session, 0);
	assert_true(info->events[1].u.comm.exec);
	assert_string_equal(info->events[1].u.comm.name, "program");
	/* of a process that was there before, PERF_RECORD_MISC_FORK_EXEC: bit 13 of misc */
	file.bytes[info->events[4].at + 5] |= 0x20;
	perfdata_close(data);
	data = open_bytes(file.bytes, file.size);
	assert_true(perfdata_info(data)->events[4].u.parent.listed);
	perfdata_close(data);
	free(file.bytes);
}

static void check_mapping(const struct perfdata_mapping *is, const struct perfdata_mapping *want)
{
	assert_int_equal(is->address, want->address);
	assert_int_equal(is->length, want->length);
	assert_int_equal(is->file_offset, want->file_offset);
	assert_int_equal(is->prot, want->prot);
	assert_int_equal(is->flags, want->flags);
	assert_string_equal(is->path, want->path);
	assert_int_equal(is->major, want->major);
	assert_int_equal(is->minor, want->minor);
	assert_int_equal(is->inode, want->inode);
	assert_int_equal(is->build_id_size, want->build_id_size);
	assert_memory_equal(is->build_id, want->build_id, sizeof(is->build_id));
}

static void mappings_are_read(void **state)
{
	struct contents file = make_sample(false);
	struct perfdata *data = open_bytes(file.bytes, file.size);
	const struct perfdata_info *info = perfdata_info(data);

	(void)state;
	assert_int_equal(info->events[0].pid, -1);
	check_mapping(info->events[0].u.mapping, &mapping_build_id);
	assert_int_equal(info->events[2].pid, 70);
	check_mapping(info->events[2].u.mapping, &mapping_plain);
	/* the list in the head: only the mapping that has a build id */
	assert_int_equal(info->build_id_count, 1);
	/* the kernel without the name of a symbol */
	assert_string_equal(info->build_ids[0].path, "[kernel.kallsyms]");
	assert_int_equal(info->build_ids[0].pid, -1);
	assert_int_equal(info->build_ids[0].size, mapping_build_id.build_id_size);
	assert_memory_equal(info->build_ids[0].bytes, mapping_build_id.build_id, 20);
	perfdata_close(data);
	free(file.bytes);
}

/*
 * AUX records in snapshot mode: their offset is their end; what is older than the buffer is gone.
 */
static void snapshot_keeps_the_tail(void **state)
{
	const struct perfdata_stamp stamp = {1000, 70, 70, -1};
	const struct perfdata_area area = {0, 70, 70, -1};
	struct perfdata_recording recording = recording_make(false);
	const uint64_t flags = PERFDATA_AUX_OVERWRITE | PERFDATA_AUX_RAW;
	const struct perfdata_session *session;
	struct perfdata_writer *writer;
	struct perfdata *data;
	char path[64], message[PERFDATA_MESSAGE];

	(void)state;
	recording.snapshot = true;
	temporary(path, sizeof(path));
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	perfdata_write_aux(writer, &stamp, 90, 90, flags);
	perfdata_write_aux(writer, &stamp, 105, 15, flags);
	perfdata_write_aux(writer, &stamp, 111, 6, flags);
	perfdata_write_auxtrace(writer, &area, 100, trace_a, sizeof(trace_a));
	perfdata_write_session(writer, &stamp, &area, 200, trace_b, sizeof(trace_b), flags);
	assert_int_equal(perfdata_writer_close(writer), 0);
	assert_int_equal(perfdata_open(&data, path, 0, message), 0);
	unlink(path);
	assert_true(perfdata_info(data)->snapshot);
	session = perfdata_info(data)->sessions;
	assert_int_equal(session[0].size, 0);
	assert_int_equal(session[0].missing, 90);
	assert_true(session[0].clipped);
	assert_int_equal(session[1].size, 5);
	assert_int_equal(session[1].missing, 10);
	assert_true(session[1].clipped);
	assert_int_equal(session[1].aux_offset, 100);
	assert_memory_equal(session[1].bytes, trace_a, 5);
	assert_int_equal(session[2].size, 6);
	assert_false(session[2].clipped);
	assert_memory_equal(session[2].bytes, trace_a + 5, 6);
	assert_int_equal(session[3].size, sizeof(trace_b));
	assert_int_equal(session[3].aux_offset, 200);
	assert_memory_equal(session[3].bytes, trace_b, sizeof(trace_b));
	perfdata_close(data);
}

/* Several AUX records in one AUXTRACE record, and one that has none. */
static void sessions_find_their_bytes(void **state)
{
	const struct perfdata_stamp stamp = {1000, 70, 70, -1}, other = {1000, 70, 99, -1};
	const struct perfdata_area area = {0, 70, 70, -1};
	const struct perfdata_recording recording = recording_make(false);
	const struct perfdata_session *session;
	struct perfdata_writer *writer;
	struct perfdata *data;
	char path[64], message[PERFDATA_MESSAGE];

	(void)state;
	temporary(path, sizeof(path));
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	perfdata_write_aux(writer, &stamp, 1000, 5, PERFDATA_AUX_RAW);
	perfdata_write_aux(writer, &stamp, 1005, 6, 0);
	perfdata_write_aux(writer, &other, 1005, 6, PERFDATA_AUX_RAW);
	perfdata_write_aux(writer, &stamp, 1011, 8, PERFDATA_AUX_RAW);
	perfdata_write_auxtrace(writer, &area, 1000, trace_a, sizeof(trace_a));
	perfdata_write_auxtrace(writer, &area, 1011, trace_b, sizeof(trace_b));
	assert_int_equal(perfdata_writer_close(writer), 0);
	assert_int_equal(perfdata_open(&data, path, 0, message), 0);
	unlink(path);
	session = perfdata_info(data)->sessions;
	assert_memory_equal(session[0].bytes, trace_a, 5);
	assert_memory_equal(session[1].bytes, trace_a + 5, 6);
	assert_true(session[1].framed);
	assert_null(session[2].bytes);
	assert_int_equal(session[2].missing, 6);
	assert_memory_equal(session[3].bytes, trace_b, 5);
	assert_int_equal(perfdata_info(data)->note_count, 1);
	perfdata_close(data);
}

/* What AUX records say; notes of the file that has them, and offsets of the sessions in it. */
struct said {
	struct perfdata_stamp stamp;
	uint64_t offset, size, flags;
};

static void check_repeats(const struct said *said, size_t count, const uint64_t *kept,
			  size_t kept_count)
{
	const struct perfdata_recording recording = recording_make(false);
	const struct perfdata_area area = {0, 70, 70, -1};
	const struct perfdata_info *info;
	struct perfdata_writer *writer;
	struct perfdata *data;
	char path[64], message[PERFDATA_MESSAGE];
	size_t notes = 0;

	temporary(path, sizeof(path));
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	for (size_t i = 0; i < count; i++)
		perfdata_write_aux(writer, &said[i].stamp, said[i].offset, said[i].size,
				   said[i].flags);
	perfdata_write_auxtrace(writer, &area, 1000, trace_a, sizeof(trace_a));
	assert_int_equal(perfdata_writer_close(writer), 0);
	assert_int_equal(perfdata_open(&data, path, 0, message), 0);
	unlink(path);
	info = perfdata_info(data);
	assert_int_equal(info->session_count, kept_count);
	for (size_t i = 0; i < kept_count; i++)
		assert_int_equal(info->sessions[i].aux_offset, kept[i]);
	for (size_t i = 0; i < info->note_count; i++)
		notes += !strcmp(info->notes[i].text, "AUX record is there twice: taken once");
	assert_int_equal(notes, count - kept_count);
	perfdata_close(data);
}

/* Stock perf may write what it had written; of another thread or time it is another. */
static void repeated_sessions_are_taken_once(void **state)
{
	const struct perfdata_stamp first = {1000, 70, 70, -1}, later = {1001, 70, 70, -1};
	const struct perfdata_stamp other = {1000, 70, 99, -1};
	const struct said said[] = {
		{first, 1000, 5, PERFDATA_AUX_RAW}, {first, 1000, 5, PERFDATA_AUX_RAW},
		{other, 1000, 5, PERFDATA_AUX_RAW}, {later, 1000, 5, PERFDATA_AUX_RAW},
		{later, 1005, 0, PERFDATA_AUX_RAW}, {later, 1005, 0, PERFDATA_AUX_RAW},
	};
	const uint64_t kept[] = {1000, 1000, 1000, 1005, 1005};

	(void)state;
	check_repeats(said, 6, kept, 5);
}

/* Several in a row are written again, and of those without bytes as many as came with them. */
static void repeated_rows_are_taken_once(void **state)
{
	const struct perfdata_stamp stamp = {1000, 70, 70, -1};
	const uint64_t raw = PERFDATA_AUX_RAW, cut = raw | PERFDATA_AUX_TRUNCATED;
	const struct said said[] = {
		{stamp, 1000, 2, raw}, {stamp, 1002, 3, raw}, {stamp, 1005, 0, cut},
		{stamp, 1002, 3, raw}, {stamp, 1005, 0, cut}, {stamp, 1005, 0, cut},
		{stamp, 1005, 4, raw}, {stamp, 1002, 3, raw}, {stamp, 1005, 0, raw},
		{stamp, 1009, 1, raw},
	};
	const uint64_t kept[] = {1000, 1002, 1005, 1005, 1005, 1005, 1009};

	(void)state;
	check_repeats(said, 10, kept, 7);
}

/* In snapshot mode the area goes round: what was said may be said again. */
static void repeated_snapshots_are_kept(void **state)
{
	const struct perfdata_stamp stamp = {1000, 70, 70, -1};
	const uint64_t flags = PERFDATA_AUX_RAW | PERFDATA_AUX_OVERWRITE;
	const struct said said[] = {{stamp, 1005, 5, flags}, {stamp, 1005, 5, flags}};
	const uint64_t kept[] = {1000, 1000};

	(void)state;
	check_repeats(said, 2, kept, 2);
}

/* Identifiers from the kernel are known only once the events are open. */
static void kernel_ids_are_kept(void **state)
{
	static const uint64_t trace_ids[] = {901, 902}, tracking_ids[] = {903};
	const struct perfdata_recording recording = recording_make(false);
	struct perfdata_writer *writer;
	struct contents file;
	struct perfdata *data;
	uint64_t id;
	char path[64];

	(void)state;
	temporary(path, sizeof(path));
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	assert_int_equal(perfdata_writer_ids(writer, PERFDATA_EVENT_TRACE, trace_ids, 2), 0);
	assert_int_equal(perfdata_writer_ids(writer, PERFDATA_EVENT_TRACKING, tracking_ids, 1), 0);
	write_sample(writer, false);
	assert_int_equal(perfdata_writer_close(writer), 0);
	file = load(path);
	unlink(path);
	data = open_bytes(file.bytes, file.size);
	check_sample(data, false);
	/* behind the header, the AUX record's three words, the thread and the time */
	memcpy(&id, file.bytes + perfdata_info(data)->sessions[0].at + 48, sizeof(id));
	assert_int_equal(id, 901);
	perfdata_close(data);
	free(file.bytes);
}

/* Give the description of an ETMv3 a version; where the first CPU's begins */
static uint8_t *set_version(struct contents file, uint64_t version)
{
	const uint64_t magic = PERFDATA_MAGIC_ETMV3;
	uint8_t *block = memmem(file.bytes, file.size, &magic, sizeof(magic));

	assert_non_null(block);
	memcpy(block - 8 * PERFDATA_INFO_WORDS, &version, sizeof(version));
	return block;
}

/*
 * A description of version 0: the same, with no number of registers before them. Its size stays:
 * what is left behind it is not looked at.
 */
static void make_version_0(struct contents file, size_t cpus, size_t registers)
{
	uint8_t *from = set_version(file, 0), *to = from;

	for (size_t i = 0; i < cpus; i++) {
		memmove(to, from, 16);
		memmove(to + 16, from + 24, 8 * registers);
		to += 16 + 8 * registers;
		from += 24 + 8 * registers;
	}
}

static void check_etmv3(struct contents file, const struct perfdata_cpu *cpus, size_t count)
{
	struct perfdata *data = open_bytes(file.bytes, file.size);
	const struct perfdata_info *info = perfdata_info(data);

	assert_int_equal(info->note_count, 0);
	/* cycacc and timestamp */
	assert_int_equal(info->config, 0x10001000);
	assert_int_equal(info->cpu_count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(info->cpus[i].cpu, cpus[i].cpu);
		assert_int_equal(info->cpus[i].protocol, PERFDATA_ETMV3);
		assert_memory_equal(&info->cpus[i].etmv3, &cpus[i].etmv3, sizeof(cpus[i].etmv3));
	}
	perfdata_close(data);
}

static void etmv3_is_written_and_read(void **state)
{
	static const struct perfdata_cpu cpus[] = {
		{.cpu = 0,
		 .protocol = PERFDATA_ETMV3,
		 .etmv3 = {0x10001000, 0x10, 0x344008f2, 0x410cf250}},
		{.cpu = 5,
		 .protocol = PERFDATA_ETMV3,
		 .etmv3 = {0x10001001, 0x1a, 0x344008f3, 0x410cf251}},
	};
	struct perfdata_recording recording = recording_make(false);
	struct perfdata *data;
	struct contents file;

	(void)state;
	recording.cpus = cpus;
	file = make_sample_of(&recording, false);
	set_version(file, 3);
	data = open_bytes(file.bytes, file.size);
	assert_int_equal(perfdata_info(data)->note_count, 1);
	perfdata_close(data);
	set_version(file, 1);
	check_etmv3(file, cpus, 2);
	set_version(file, 2);
	check_etmv3(file, cpus, 2);
	make_version_0(file, 2, PERFDATA_REGS_ETMV3);
	check_etmv3(file, cpus, 2);
	free(file.bytes);
}

static void bad_recordings_are_refused(void **state)
{
	struct perfdata_recording recording = recording_make(false);
	struct perfdata_cpu cpus[2] = {two_cpus[1], two_cpus[0]};
	struct perfdata_writer *writer = NULL;

	(void)state;
	recording.cpu_count = 0;
	assert_int_equal(perfdata_writer_open(&writer, "/dev/null", &recording), -EINVAL);
	recording.cpu_count = 2;
	recording.cpus = cpus;
	assert_int_equal(perfdata_writer_open(&writer, "/dev/null", &recording), -EINVAL);
	recording = recording_make(false);
	assert_int_equal(perfdata_writer_open(&writer, "/nonexistent/x", &recording), -ENOENT);
	assert_null(writer);
}

static void a_full_disk_is_reported(void **state)
{
	const struct perfdata_recording recording = recording_make(false);
	const struct perfdata_area area = {0, 70, 70, -1};
	struct perfdata_writer *writer;
	static uint8_t much[1 << 20];

	(void)state;
	assert_int_equal(perfdata_writer_open(&writer, "/dev/full", &recording), 0);
	perfdata_write_auxtrace(writer, &area, 0, much, sizeof(much));
	assert_int_equal(perfdata_writer_close(writer), -ENOSPC);
}

static void what_is_no_perfdata_is_refused(void **state)
{
	static const uint8_t big_endian[16] = {'2', 'E', 'L', 'I', 'F', 'R', 'E', 'P'};
	char message[PERFDATA_MESSAGE];
	struct perfdata *data = NULL;

	(void)state;
	assert_int_equal(perfdata_open(&data, "/nonexistent", 0, message), -ENOENT);
	assert_non_null(strstr(message, "/nonexistent"));
	assert_int_equal(perfdata_open(&data, "/tmp", 0, message), -EISDIR);
	assert_int_equal(perfdata_open_memory(&data, "x", "ELF", 3, message), -EINVAL);
	assert_non_null(strstr(message, "x: offset 0: not a perf.data"));
	assert_int_equal(perfdata_open_memory(&data, "x", big_endian, 16, message), -ENOTSUP);
	assert_null(data);
	assert_true(perfdata_is_perfdata(big_endian, 16));
	assert_false(perfdata_is_perfdata("PERFILE", 7));
}

static void simpleperf_ete_is_read(void **state)
{
	struct contents file =
		capture("perf_with_unformatted_trace/perf_with_unformatted_trace.data");
	struct contents aux = capture("perf_with_unformatted_trace/aux/aux6-cpu0.bin");
	struct perfdata *data = open_bytes(file.bytes, file.size);
	const struct perfdata_info *info = perfdata_info(data);
	const struct perfdata_session *session = &info->sessions[6];

	(void)state;
	assert_int_equal(info->note_count, 0);
	assert_string_equal(info->osrelease, "5.10.43-00028-gd8b4458f068f-dirty");
	assert_int_equal(info->session_count, 7);
	assert_int_equal(info->sessions[5].size, 0);
	assert_int_equal(session->size, aux.size);
	assert_memory_equal(session->bytes, aux.bytes, aux.size);
	assert_int_equal(session->at, 0x4890);
	assert_int_equal(session->bytes_at, 0x4940);
	assert_int_equal(session->time, 1667196293520);
	assert_int_equal(session->unit->regs.trcdevarch, 0x47715a13);
	assert_false(session->framed);
	assert_true(info->context_in_vmid);
	assert_int_equal(info->build_id_count, 19);
	perfdata_close(data);
	free(aux.bytes);
	free(file.bytes);
}

static void simpleperf_etmv4_is_recognised(void **state)
{
	struct contents file = capture("perf_etm/perf_etm.data");
	struct contents aux = capture("perf_etm/aux/aux3-cpu7.bin");
	struct perfdata *data = open_bytes(file.bytes, file.size);
	const struct perfdata_info *info = perfdata_info(data);
	const struct perfdata_session *session = &info->sessions[3];
	size_t mappings = 0;

	(void)state;
	assert_int_equal(info->note_count, 0);
	assert_int_equal(info->session_count, 4);
	assert_int_equal(session->size, aux.size);
	assert_memory_equal(session->bytes, aux.bytes, aux.size);
	assert_true(session->framed);
	assert_int_equal(session->unit->protocol, PERFDATA_ETMV4);
	assert_int_equal(session->unit->cpu, 7);
	assert_int_equal(session->unit->regs.trcidr1, 0x4100f423);
	assert_true(info->context_in_cid);
	for (size_t i = 0; i < info->event_count; i++)
		mappings += info->events[i].kind == PERFDATA_MMAP;
	assert_int_equal(mappings, 59);
	perfdata_close(data);
	free(aux.bytes);
	free(file.bytes);
}

/* The first record of a type in the data of a file: its first byte */
static uint8_t *find_record(const struct contents *file, uint32_t type)
{
	const uint8_t *bytes = file->bytes;
	uint64_t at, size;

	/* offset and size of the data in the head of the file */
	memcpy(&at, bytes + 40, sizeof(at));
	memcpy(&size, bytes + 48, sizeof(size));
	for (const uint64_t end = at + size; at < end;) {
		struct perf_event_header header;

		memcpy(&header, bytes + at, sizeof(header));
		if (header.type == type)
			return file->bytes + at;
		at += header.size;
	}
	return NULL;
}

/*
 * From Linux 6.2 on records say which trace ID a CPU has. They have the size of an ITRACE_START
 * record; the one that is made of this is of CPU 7.
 */
static void trace_ids_are_those_of_their_records(void **state)
{
	static const uint64_t ids[] = {0x33, UINT64_C(0x0100000000000144), UINT64_C(1) << 60};
	static const uint32_t expected[] = {0x33, 0x44, 0x1e};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct contents file = capture("perf_etm/perf_etm.data");
		uint8_t *record = find_record(&file, PERF_RECORD_ITRACE_START);
		const struct perfdata_info *info;
		struct perfdata *data;

		assert_non_null(record);
		memcpy(record, &(uint32_t){PERF_RECORD_AUX_OUTPUT_HW_ID}, sizeof(uint32_t));
		memcpy(record + sizeof(struct perf_event_header), &ids[i], sizeof(ids[i]));
		data = open_bytes(file.bytes, file.size);
		info = perfdata_info(data);
		assert_int_equal(info->note_count, i == 2);
		assert_int_equal(info->cpus[7].regs.trctraceidr, expected[i]);
		assert_int_equal(info->cpus[6].regs.trctraceidr, 0x1c);
		perfdata_close(data);
		free(file.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip_by_thread),
		cmocka_unit_test(round_trip_by_cpu),
		cmocka_unit_test(head_is_read),
		cmocka_unit_test(events_are_in_order_of_time),
		cmocka_unit_test(mappings_are_read),
		cmocka_unit_test(snapshot_keeps_the_tail),
		cmocka_unit_test(sessions_find_their_bytes),
		cmocka_unit_test(repeated_sessions_are_taken_once),
		cmocka_unit_test(repeated_rows_are_taken_once),
		cmocka_unit_test(repeated_snapshots_are_kept),
		cmocka_unit_test(kernel_ids_are_kept),
		cmocka_unit_test(etmv3_is_written_and_read),
		cmocka_unit_test(bad_recordings_are_refused),
		cmocka_unit_test(a_full_disk_is_reported),
		cmocka_unit_test(what_is_no_perfdata_is_refused),
		cmocka_unit_test(simpleperf_ete_is_read),
		cmocka_unit_test(simpleperf_etmv4_is_recognised),
		cmocka_unit_test(trace_ids_are_those_of_their_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
