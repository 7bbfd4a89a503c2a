/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace of a CPU on which a process executes one program, then another one at the same addresses.
 */
#include "exec_test.h"

#define CPU 3
/* the clock of the recording is that of the trace: timestamps below 16384 are in two bytes */
#define TS(time) 0x02, 0x80 | ((time) & 0x7f), (time) >> 7
/* the first instruction at EL0 in A64, of a thread */
#define FIRST_OF(tid) 0x82, 0x20, 0, 0x40, 0, 0xb0, tid, 0, 0, 0
#define OTHER_THREAD  8
#define OTHER_PROCESS 9
/* an instruction at EL1 */
#define KERNEL(tid) 0x82, 0x20, 0, 0x40, 0, 0xb1, tid, 0, 0, 0

static const struct perfdata_cpu unit = {
	.cpu = CPU,
	.protocol = PERFDATA_ETE,
	.regs = {.trcconfigr = 0x841, /* TS, CID */
		 .trcidr0 = 0x084002a1,
		 .trcidr2 = 0x40001088,
		 .trcdevarch = 0x47735a13},
	.counter_time = true,
};

static const struct perfdata_clock clock_of_trace = {.known = true, .mult = 1};

/* exec of the short program is from 4 to 6, exec of the long one from 10 to 12; a first piece ends
 * at 20, and the second one at 2000 */
#define FIRST_END 20
#define END       2000

/* struct change - exec of the short or the long program, from a time to another one; and what is
 * before */
struct change {
	const char *path;
	uint16_t called;
	uint16_t ready;
	enum {
		NOTHING,
		NEW_THREAD,  /* the program creates OTHER_THREAD */
		NEW_OWNER,   /* likewise, and it was of another process before */
		NEW_PROCESS, /* the process ends, and another one gets its number */
		LOST_EVENTS,
	} what;
};

/* struct recorded - a recording */
struct recorded {
	const uint8_t *bytes;
	size_t size;
	const struct change *changes;
	size_t change_count;
	struct perfdata_cpu unit;
	struct perfdata_clock clock;
	int32_t cpu;
	uint64_t flags;
	bool snapshot;
};

static struct perfdata_stamp stamp_at(uint64_t time)
{
	return (struct perfdata_stamp){time, TID, TID, CPU};
}

static void write_exec(struct perfdata_writer *writer, const char *path, uint64_t called,
		       uint64_t ready)
{
	const struct perfdata_mapping
		mapping = {.address = BASE, .length = LENGTH, .prot = 5, .path = path},
		vdso = {.address = 0xffff00000000, .length = LENGTH, .prot = 5, .path = "[vdso]"};
	struct perfdata_stamp stamp = stamp_at(called);

	assert_int_equal(perfdata_write_comm(writer, &stamp, path + 1, true), 0);
	assert_int_equal(perfdata_write_mmap2(writer, &stamp, &mapping), 0);
	stamp.time = ready;
	assert_int_equal(perfdata_write_mmap2(writer, &stamp, &vdso), 0);
}

static void write_lost(struct perfdata_writer *writer, uint64_t time)
{
	const struct {
		struct perf_event_header header;
		uint64_t id, lost;
		int32_t pid, tid;
		uint64_t time;
		uint32_t cpu, reserved;
		uint64_t identifier;
	} record = {.header = {.type = PERF_RECORD_LOST, .size = sizeof(record)},
		    .lost = 1,
		    .time = time,
		    .cpu = CPU};

	assert_int_equal(perfdata_write_raw(writer, &record, sizeof(record)), 0);
}

static void write_change(struct perfdata_writer *writer, const struct change *change)
{
	struct perfdata_stamp stamp = stamp_at(change->called - 1);

	switch (change->what) {
	case NEW_PROCESS:
		assert_int_equal(perfdata_write_exit(writer, &stamp, 1, 1), 0);
		assert_int_equal(perfdata_write_fork(writer, &stamp, 1, 1), 0);
		break;
	case NEW_OWNER:
		stamp.pid = OTHER_PROCESS;
		stamp.tid = OTHER_THREAD;
		assert_int_equal(perfdata_write_fork(writer, &stamp, 1, 1), 0);
		assert_int_equal(perfdata_write_exit(writer, &stamp, 1, 1), 0);
		break;
	case LOST_EVENTS:
		write_lost(writer, change->called - 1);
		break;
	default:
		break;
	}
	write_exec(writer, change->path, change->called, change->ready);
	if (change->what != NEW_THREAD && change->what != NEW_OWNER)
		return;
	stamp = (struct perfdata_stamp){change->ready, TID, OTHER_THREAD, CPU};
	assert_int_equal(perfdata_write_fork(writer, &stamp, TID, TID), 0);
}

static void write_recording(const char *path, const struct recorded *recorded)
{
	static const uint8_t idle[] = {SYNC};
	const struct perfdata_area area = {.pid = TID,
					   .tid = recorded->cpu == PERFDATA_ANY ? TID
										: PERFDATA_ANY,
					   .cpu = recorded->cpu};
	struct perfdata_recording recording = recording_make(recorded->cpu != PERFDATA_ANY);
	struct perfdata_stamp stamp = stamp_at(FIRST_END);
	struct perfdata_writer *writer;

	recording.cpus = &recorded->unit;
	recording.cpu_count = 1;
	recording.clock = recorded->clock;
	recording.snapshot = recorded->snapshot;
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	write_exec(writer, "/short", 4, 6);
	write_exec(writer, "/long", 10, 12);
	assert_int_equal(perfdata_write_session(writer, &stamp, &area, 0, idle, sizeof(idle),
						recorded->snapshot ? PERFDATA_AUX_OVERWRITE : 0),
			 0);
	for (size_t i = 0; i < recorded->change_count; i++)
		write_change(writer, &recorded->changes[i]);
	stamp.time = END;
	assert_int_equal(perfdata_write_session(writer, &stamp, &area, sizeof(idle),
						recorded->bytes, recorded->size, recorded->flags),
			 0);
	assert_int_equal(perfdata_writer_close(writer), 0);
}

static struct found decode_recorded(const struct recorded *recorded)
{
	char directory[] = "/tmp/hwflow-programs-XXXXXX", path[PATH_MAX];
	struct found found;

	make_programs(directory);
	snprintf(path, sizeof(path), "%s/recording", directory);
	write_recording(path, recorded);
	found = decode(path, directory);
	remove_programs(directory);
	return found;
}

static struct found decode_changes(const uint8_t *bytes, size_t size, const struct change *changes,
				   size_t count)
{
	const struct recorded recorded = {.bytes = bytes,
					  .size = size,
					  .changes = changes,
					  .change_count = count,
					  .unit = unit,
					  .clock = clock_of_trace,
					  .cpu = CPU};

	return decode_recorded(&recorded);
}

static const struct change to_short[] = {{"/short", 100, 110, NOTHING}};

#define COUNT(array)        (sizeof(array) / sizeof((array)[0]))
#define DECODE(bytes, list) decode_changes((bytes), sizeof(bytes), (list), COUNT(list))

/* a visit: long is 4 instructions, short is 3, and each ends with a call */
#define LONG_VISIT(tid)  TRACE_ON, FIRST_OF(tid), ATOMS, CALL(8)
#define SHORT_VISIT(tid) TRACE_ON, FIRST_OF(tid), ATOMS, CALL(4)

static void check(struct found found, uint64_t instructions)
{
	assert_int_equal(found.instructions, instructions);
	assert_int_equal(found.gaps, 0);
}

static void check_gap(struct found found)
{
	assert_int_equal(found.instructions, 0);
	assert_true(found.gaps > 0);
}

static void timestamps_tell_programs_apart(void **state)
{
	static const uint8_t inside[] = {SYNC,    TRACE_ON, FIRST_OF(TID), ATOM,  TS(50),
					 ATOM,    CALL(8),  TRACE_ON,      AT(0), ATOM,
					 TS(150), ATOM,     CALL(4)};
	static const uint8_t of_calls[] = {SYNC, LONG_VISIT(TID), TS(50), SHORT_VISIT(TID),
					   TS(150)};
	/* the first instruction of the program has a page fault */
	static const uint8_t fault[] = {SYNC,   LONG_VISIT(TID), TS(50),           TRACE_ON, AT(0),
					IRQ(0), TS(150),         SHORT_VISIT(TID), TS(160)};

	/* the time of trace before the visit */
	static const uint8_t earlier[] = {SYNC,    LONG_VISIT(TID), TS(50), TRACE_ON,
					  TS(150), FIRST_OF(TID),   ATOMS,  CALL(4)};

	(void)state;
	check(DECODE(earlier, to_short), 4 + 3);
	check(DECODE(inside, to_short), 4 + 3);
	check(DECODE(of_calls, to_short), 4 + 3);
	check(DECODE(fault, to_short), 4 + 3);
	/* all ranges are counted */
	assert_int_equal(DECODE(of_calls, to_short).counted, 4 + 3);
}

/* A visit between two of the same program has no timestamp of its own. */
static void order_tells_the_other_visits(void **state)
{
	static const uint8_t before[] = {SYNC,   LONG_VISIT(TID),  LONG_VISIT(TID),
					 TS(50), SHORT_VISIT(TID), TS(150)};
	static const uint8_t after[] = {SYNC,    LONG_VISIT(TID), TS(50), SHORT_VISIT(TID),
					TS(150), SHORT_VISIT(TID)};

	(void)state;
	check(DECODE(before, to_short), 4 + 4 + 3);
	check(DECODE(after, to_short), 4 + 3 + 3);
}

static void what_no_timestamp_tells_is_a_gap(void **state)
{
	static const uint8_t none[] = {SYNC, LONG_VISIT(TID), SHORT_VISIT(TID)};
	static const uint8_t between[] = {SYNC, LONG_VISIT(TID), SHORT_VISIT(TID), TS(150)};
	/* of an Event element that may be later than the call */
	static const uint8_t event[] = {SYNC,    LONG_VISIT(TID),  0x71,
					TS(150), SHORT_VISIT(TID), TS(160)};
	/* of the time when trace began again */
	static const uint8_t trace_on[] = {SYNC,          LONG_VISIT(TID), TRACE_ON, TS(150),
					   FIRST_OF(TID), ATOMS,           CALL(4),  TS(160)};
	/* of the kernel's instructions, for which there is no code */
	static const uint8_t kernel[] = {SYNC,    LONG_VISIT(TID),  KERNEL(TID), ATOM,
					 TS(150), SHORT_VISIT(TID), TS(160)};
	static const uint8_t backwards[] = {SYNC,   LONG_VISIT(TID),  TS(60),
					    TS(50), SHORT_VISIT(TID), TS(150)};
	/* not of the time of the piece */
	static const uint8_t elsewhen[] = {SYNC, LONG_VISIT(TID), TS(50), SHORT_VISIT(TID),
					   TS(9000)};

	(void)state;
	check_gap(DECODE(none, to_short));
	check_gap(DECODE(between, to_short));
	check_gap(DECODE(event, to_short));
	check_gap(DECODE(kernel, to_short));
	check_gap(DECODE(trace_on, to_short));
	check_gap(DECODE(backwards, to_short));
	check_gap(DECODE(elsewhen, to_short));
}

static void one_of_the_programs_has_no_trace(void **state)
{
	static const struct change unfinished[] = {{"/short", 100, END + 5, NOTHING}};
	static const struct change three[] = {{"/short", 100, 110, NOTHING},
					      {"/long", 130, 140, NOTHING}};
	static const uint8_t only_long[] = {SYNC, LONG_VISIT(TID)};
	static const uint8_t only_short[] = {SYNC, SHORT_VISIT(TID), TS(150)};
	static const uint8_t no_short[] = {SYNC, LONG_VISIT(TID), TS(50), LONG_VISIT(TID), TS(150)};

	(void)state;
	check(DECODE(only_long, unfinished), 4);
	check(DECODE(only_short, to_short), 3);
	check(DECODE(no_short, three), 4 + 4);
}

/* The program began on another CPU: on this one its second thread runs. */
static void a_thread_belongs_to_its_process(void **state)
{
	static const struct change with_thread[] = {{"/short", 100, 110, NEW_THREAD}};
	static const uint8_t two[] = {SYNC, LONG_VISIT(TID), TS(50), SHORT_VISIT(OTHER_THREAD),
				      TS(150)};

	(void)state;
	check(DECODE(two, with_thread), 4 + 3);
}

/* Its visits may be of the other process. */
static void a_thread_may_have_been_of_another_process(void **state)
{
	static const struct change new_owner[] = {{"/short", 100, 110, NEW_OWNER}};
	static const uint8_t two[] = {SYNC, LONG_VISIT(TID), TS(50), SHORT_VISIT(OTHER_THREAD),
				      TS(150)};

	(void)state;
	check_gap(DECODE(two, new_owner));
}

static void another_process_may_have_the_number(void **state)
{
	static const struct change new_process[] = {{"/short", 100, 110, NEW_PROCESS}};
	static const uint8_t two[] = {SYNC, LONG_VISIT(TID), TS(50), SHORT_VISIT(TID), TS(150)};

	(void)state;
	check(DECODE(two, new_process), 4 + 3);
}

static void lost_events_may_be_of_exec(void **state)
{
	static const struct change lost[] = {{"/short", 100, 110, LOST_EVENTS}};
	static const uint8_t two[] = {SYNC, LONG_VISIT(TID), TS(50), SHORT_VISIT(TID), TS(150)};

	(void)state;
	check_gap(DECODE(two, lost));
}

static void the_clock_has_to_be_known(void **state)
{
	static const uint8_t two[] = {SYNC, LONG_VISIT(TID), TS(50), SHORT_VISIT(TID), TS(150)};
	struct recorded recorded = {.bytes = two,
				    .size = sizeof(two),
				    .changes = to_short,
				    .change_count = COUNT(to_short),
				    .unit = unit,
				    .cpu = CPU};

	(void)state;
	check_gap(decode_recorded(&recorded));
	recorded.clock = clock_of_trace;
	check(decode_recorded(&recorded), 4 + 3);
	recorded.unit.counter_time = false;
	check_gap(decode_recorded(&recorded));
}

/* Where trace was lost, the addresses at which programs begin tell nothing. */
static void a_thread_has_timestamps_too(void **state)
{
	static const uint8_t two[] = {SYNC, LONG_VISIT(TID), TS(50), SHORT_VISIT(TID), TS(150)};
	struct recorded recorded = {.bytes = two,
				    .size = sizeof(two),
				    .changes = to_short,
				    .change_count = COUNT(to_short),
				    .unit = unit,
				    .clock = clock_of_trace,
				    .cpu = PERFDATA_ANY,
				    .flags = PERFDATA_AUX_TRUNCATED};

	(void)state;
	check(decode_recorded(&recorded), 4 + 3);
	recorded.clock.known = false;
	check_gap(decode_recorded(&recorded));
}

/* Its trace is younger than the snapshot before, and so than the exec before that. */
static void a_snapshot_begins_after_the_one_before(void **state)
{
	static const uint8_t of_long[] = {SYNC, LONG_VISIT(TID)};
	struct recorded recorded = {.bytes = of_long,
				    .size = sizeof(of_long),
				    .unit = unit,
				    .clock = clock_of_trace,
				    .cpu = CPU,
				    .flags = PERFDATA_AUX_OVERWRITE,
				    .snapshot = true};

	(void)state;
	check(decode_recorded(&recorded), 4);
	recorded.clock.known = false;
	check(decode_recorded(&recorded), 4);
	recorded.cpu = PERFDATA_ANY;
	check(decode_recorded(&recorded), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timestamps_tell_programs_apart),
		cmocka_unit_test(order_tells_the_other_visits),
		cmocka_unit_test(what_no_timestamp_tells_is_a_gap),
		cmocka_unit_test(one_of_the_programs_has_no_trace),
		cmocka_unit_test(a_thread_belongs_to_its_process),
		cmocka_unit_test(a_thread_may_have_been_of_another_process),
		cmocka_unit_test(another_process_may_have_the_number),
		cmocka_unit_test(lost_events_may_be_of_exec),
		cmocka_unit_test(the_clock_has_to_be_known),
		cmocka_unit_test(a_thread_has_timestamps_too),
		cmocka_unit_test(a_snapshot_begins_after_the_one_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
