/* SPDX-License-Identifier: GPL-2.0-only */
/* What is kept from piece to piece: none of it may be seen in the flow. */
#include <limits.h>

#include "tests/perfdata_test.h"

#include "source/input.h"
#include "decode/loop.h"

#define NOP    0xd503201fu
#define BRANCH 0x14000000u /* to itself */

/* The same place in both programs: as trace it looks the same. */
static const uint32_t program_long[] = {NOP, NOP, BRANCH}, program_short[] = {NOP, BRANCH};

/* Synchronisation, Trace Info, Trace On, 0x2000 at EL0 in A64, two Atoms E */
static const uint8_t trace[] = {0,    0,    0,    0,    0, 0,    0, 0, 0,    0,    0,   0x80,
				0x01, 0x00, 0x04, 0x82, 0, 0x10, 0, 0, 0x30, 0xf7, 0xf7};

static const struct perfdata_cpu cpu = {
	.protocol = PERFDATA_ETE,
	.regs = {.trcconfigr = 1,
		 .trcidr0 = 0x084002a1,
		 .trcidr2 = 0x40001088,
		 .trcdevarch = 0x47735a13},
};

#define A32_NOP    0xe1a00000u
#define A32_BRANCH 0xeafffffeu /* to itself */

static const uint32_t program_a32[] = {A32_NOP, A32_NOP, A32_BRANCH};
static const uint32_t program_a32_short[] = {A32_NOP, A32_BRANCH};

/* A-sync, I-sync at 0x2000, four atoms E */
static const uint8_t trace_a32[] = {0, 0, 0, 0, 0, 0x80, 8, 0x21, 0, 0x20, 0, 0, 0x90};

static const struct perfdata_cpu cpu_etmv3 = {.protocol = PERFDATA_ETMV3,
					      .etmv3 = {.etmidr = 0x410cf250}};

/* struct counts - what the flow of a piece has */
struct counts {
	uint64_t instructions;
	uint64_t ranges;
};

/**
 * struct changed - a recording of a process that has a long program, then a short one at the same
 * place, then the long one; the trace of all is the same
 * @cpu: its trace unit
 * @trace: a piece
 * @size: bytes of it
 * @programs: the long one, the short one
 * @sizes: bytes of them
 * @expected: flow of both
 */
struct changed {
	const struct perfdata_cpu *cpu;
	const uint8_t *trace;
	size_t size;
	const uint32_t *programs[2];
	size_t sizes[2];
	struct counts expected[2];
};

static const struct changed changed_rows[] = {
	{.cpu = &cpu,
	 .trace = trace,
	 .size = sizeof(trace),
	 .programs = {program_long, program_short},
	 .sizes = {sizeof(program_long), sizeof(program_short)},
	 .expected = {{4, 2}, {3, 2}}},
	{.cpu = &cpu_etmv3,
	 .trace = trace_a32,
	 .size = sizeof(trace_a32),
	 .programs = {program_a32, program_a32_short},
	 .sizes = {sizeof(program_a32), sizeof(program_a32_short)},
	 .expected = {{4, 2}, {4, 3}}},
};

static void write_file(const char *directory, const char *name, const void *bytes, size_t size)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void write_recording(const char *path, const struct changed *changed)
{
	const char *const programs[] = {"/long", "/short", "/long"};
	const struct perfdata_area area = {.pid = 7, .tid = 7, .cpu = PERFDATA_ANY};
	struct perfdata_recording recording = recording_make(false);
	struct perfdata_writer *writer;

	recording.cpus = changed->cpu;
	recording.cpu_count = 1;
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	for (uint64_t i = 0; i < 3; i++) {
		const struct perfdata_mapping mapping = {
			.address = 0x2000, .length = 0x1000, .prot = 5, .path = programs[i]};
		const struct perfdata_stamp stamp = {1000 * i + 1, 7, 7, PERFDATA_ANY},
					    end = {1000 * i + 900, 7, 7, PERFDATA_ANY};

		assert_int_equal(perfdata_write_mmap2(writer, &stamp, &mapping), 0);
		assert_int_equal(perfdata_write_session(writer, &end, &area, i * changed->size,
							changed->trace, changed->size, 0),
				 0);
	}
	assert_int_equal(perfdata_writer_close(writer), 0);
}

static void count(void *ctx, const struct hwf_flow_event *event)
{
	struct counts *counts = ctx;

	if (event->kind != HWF_FLOW_RANGE)
		return;
	counts->instructions += event->u.range.instructions;
	counts->ranges++;
}

/* Opens a recording in a directory of its own. */
static struct input *open_changed(const struct changed *changed, char *directory,
				  struct input_options *options)
{
	static char path[PATH_MAX];
	struct input *input;

	assert_non_null(mkdtemp(directory));
	write_file(directory, "long", changed->programs[0], changed->sizes[0]);
	write_file(directory, "short", changed->programs[1], changed->sizes[1]);
	snprintf(path, sizeof(path), "%s/recording", directory);
	write_recording(path, changed);
	input_options_init(options);
	options->path = path;
	options->symfs = directory;
	assert_int_equal(input_open(&input, options), 0);
	assert_int_equal(input->source_count, 1);
	assert_int_equal(input->sources[0].piece_count, 3);
	return input;
}

static void close_changed(struct input *input, const char *directory, struct input_options *options)
{
	char path[PATH_MAX];

	input_close(input);
	input_options_free(options);
	for (const char *const *name = (const char *const[]){"long", "short", "recording", NULL};
	     *name; name++) {
		snprintf(path, sizeof(path), "%s/%s", directory, *name);
		unlink(path);
	}
	rmdir(directory);
}

static void code_may_change_between_pieces(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(changed_rows) / sizeof(changed_rows[0]); i++) {
		const struct changed *changed = &changed_rows[i];
		char directory[] = "/tmp/hwflow-input-XXXXXX";
		struct input_options options;
		struct input *input = open_changed(changed, directory, &options);

		/* and again from the beginning */
		for (size_t j = 0; j < 6; j++) {
			const struct input_piece *piece = &input->sources[0].pieces[j % 3];
			const struct counts *expected = &changed->expected[j % 3 == 1];
			struct counts counts = {0};
			const struct decode_options how = {.sink = count, .ctx = &counts};

			assert_int_equal(decode_piece(input, &input->sources[0], piece, &how), 0);
			assert_int_equal(counts.instructions, expected->instructions);
			assert_int_equal(counts.ranges, expected->ranges);
		}
		close_changed(input, directory, &options);
	}
}

/* struct read_code - the long program at 0x2000, and how often it was read */
struct read_code {
	const struct changed *changed;
	size_t reads;
};

static size_t read_code(void *ctx, const void *space, uint64_t address, void *bytes, size_t length)
{
	struct read_code *code = ctx;
	const size_t size = code->changed->sizes[0], at = (size_t)(address - 0x2000);

	(void)space;
	code->reads++;
	if (at >= size)
		return 0;
	if (length > size - at)
		length = size - at;
	memcpy(bytes, (const uint8_t *)code->changed->programs[0] + at, length);
	return length;
}

static const void *one_space(void *ctx, const struct hwf_context *context)
{
	(void)context;
	return ctx;
}

/* As long as the code and the source stay the same, ranges are walked in the first piece only. */
static void ranges_are_kept_from_piece_to_piece(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(changed_rows) / sizeof(changed_rows[0]); i++) {
		char directory[] = "/tmp/hwflow-input-XXXXXX";
		struct read_code reader = {.changed = &changed_rows[i]};
		const struct hwf_code code = {
			.ctx = &reader, .space = one_space, .read = read_code};
		struct counts counts = {0};
		const struct decode_options how = {.sink = count, .ctx = &counts, .code = &code};
		struct input_options options;
		struct input *input = open_changed(&changed_rows[i], directory, &options);
		const struct input_source *source = &input->sources[0];

		assert_int_equal(decode_piece(input, source, source->pieces, &how), 0);
		assert_int_not_equal(reader.reads, 0);
		reader.reads = 0;
		assert_int_equal(decode_piece(input, source, source->pieces, &how), 0);
		assert_int_equal(reader.reads, 0);
		assert_int_equal(counts.ranges, 2 * changed_rows[i].expected[0].ranges);
		close_changed(input, directory, &options);
	}
}

/* Where nothing was recorded, the place of what was lost is that of the record that says so. */
static void loss_has_a_place(void **state)
{
	const struct perfdata_stamp stamp = {1, 7, 7, PERFDATA_ANY};
	struct perfdata_recording recording = recording_make(false);
	char path[] = "/tmp/hwflow-input-XXXXXX";
	struct perfdata_writer *writer;
	struct input_options options;
	struct contents file;
	struct input *input;

	(void)state;
	close(mkstemp(path));
	recording.cpus = &cpu;
	recording.cpu_count = 1;
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	assert_int_equal(perfdata_write_aux(writer, &stamp, 0, 0, PERFDATA_AUX_TRUNCATED), 0);
	assert_int_equal(perfdata_writer_close(writer), 0);
	file = load(path);
	input_options_init(&options);
	options.path = path;
	assert_int_equal(input_open(&input, &options), 0);
	assert_int_equal(input->sources[0].piece_count, 1);
	assert_non_null(input->sources[0].pieces[0].lost);
	assert_true(input->sources[0].pieces[0].at < file.size);
	assert_int_equal(file.bytes[input->sources[0].pieces[0].at], PERF_RECORD_AUX);
	input_close(input);
	input_options_free(&options);
	free(file.bytes);
	unlink(path);
}

#define REGS_OF(id)             \
	{.trcconfigr = 1,       \
	 .trctraceidr = (id),   \
	 .trcidr0 = 0x080002a1, \
	 .trcidr1 = 0x4100f440, \
	 .trcidr2 = 0x1088,     \
	 .protocol = HWF_PROTOCOL_ETMV4}

/* A trace ID is seven bits of its register. CPU 0 has another sink, and the same ID as CPU 1. */
static const struct perfdata_cpu etmv4_cpus[] = {
	{.cpu = 0, .protocol = PERFDATA_ETMV4, .regs = REGS_OF(0x10)},
	{.cpu = 1, .protocol = PERFDATA_ETMV4, .regs = REGS_OF(0x90)},
	{.cpu = 2, .protocol = PERFDATA_ETMV4, .regs = REGS_OF(0x1012)},
};

/* struct framed - what is in the frames of a recording: as many traces as there are CPUs */
struct framed {
	const struct perfdata_cpu *cpus;
	struct {
		uint8_t id;
		const uint8_t *bytes;
		size_t size;
	} traces[3];
	size_t count;
};

/* Frames of one trace ID, with nothing behind it: where the next ones begin */
static uint8_t *put_frames(uint8_t *frame, uint8_t id, const uint8_t *bytes, size_t length)
{
	for (size_t at = 0; at < length; frame += 16) {
		memset(frame, 0, 16);
		frame[0] = (uint8_t)(id << 1 | 1);
		for (unsigned int i = 1; i < 15; i++) {
			const bool none = at == length;
			const uint8_t byte = none ? 1 : bytes[at++];

			/* an even byte has its lowest bit at the end; with it set, it is an ID */
			frame[i] = i & 1 ? byte : none ? 1 : byte & 0xfe;
			frame[15] |= (uint8_t)(i & 1 || none ? 0 : (byte & 1) << i / 2);
		}
	}
	return frame;
}

/* CPU 1 writes what it and CPU 2 have traced, each with its trace ID. */
static const struct framed etmv4_framed = {
	.cpus = etmv4_cpus,
	/* one Atom less; of CPU 0 nothing */
	.traces = {{0x10, trace, sizeof(trace)},
		   {0x12, trace, sizeof(trace) - 1},
		   {0x10, trace, 0}},
	.count = 3,
};

static void write_framed(const char *path, const struct framed *framed, int32_t cpu_of_record)
{
	const struct perfdata_area area = {.pid = 7, .tid = 7, .cpu = cpu_of_record};
	const struct perfdata_stamp stamp = {1, 7, 7, cpu_of_record},
				    end = {9, 7, 7, cpu_of_record};
	const struct perfdata_mapping mapping = {
		.address = 0x2000, .length = 0x1000, .prot = 5, .path = "/long"};
	struct perfdata_recording recording = recording_make(cpu_of_record != PERFDATA_ANY);
	struct perfdata_writer *writer;
	uint8_t frames[8 * 16], *rest = frames;

	for (size_t i = 0; i < framed->count; i++)
		rest = put_frames(rest, framed->traces[i].id, framed->traces[i].bytes,
				  framed->traces[i].size);
	recording.cpus = framed->cpus;
	recording.cpu_count = framed->count;
	assert_int_equal(perfdata_writer_open(&writer, path, &recording), 0);
	assert_int_equal(perfdata_write_mmap2(writer, &stamp, &mapping), 0);
	assert_int_equal(
		perfdata_write_aux(writer, &end, 0, (uint64_t)(rest - frames), PERFDATA_AUX_FRAMED),
		0);
	assert_int_equal(perfdata_write_auxtrace(writer, &area, 0, frames, (size_t)(rest - frames)),
			 0);
	assert_int_equal(perfdata_writer_close(writer), 0);
}

/* struct place - a directory with a program, and a recording of it to be made */
struct place {
	char directory[32];
	char program[64];
	char recording[64];
	struct input_options options;
};

static void place_make(struct place *place, const uint32_t *program, size_t size)
{
	strcpy(place->directory, "/tmp/hwflow-input-XXXXXX");
	assert_non_null(mkdtemp(place->directory));
	write_file(place->directory, "long", program, size);
	snprintf(place->program, sizeof(place->program), "%s/long", place->directory);
	snprintf(place->recording, sizeof(place->recording), "%s/recording", place->directory);
	input_options_init(&place->options);
	place->options.path = place->recording;
	place->options.symfs = place->directory;
}

static void place_remove(struct place *place)
{
	input_options_free(&place->options);
	unlink(place->recording);
	unlink(place->program);
	rmdir(place->directory);
}

/* The recording of a place, made anew */
static struct input *open_framed(const struct place *place, const struct framed *framed,
				 int32_t cpu_of_record)
{
	struct input *input;

	write_framed(place->recording, framed, cpu_of_record);
	assert_int_equal(input_open(&input, &place->options), 0);
	return input;
}

/* Instructions of a source's only piece */
static uint64_t instructions_of(struct input *input, size_t source)
{
	struct counts counts = {0};
	const struct decode_options how = {.sink = count, .ctx = &counts};

	assert_int_equal(input->sources[source].piece_count, 1);
	assert_int_equal(decode_piece(input, &input->sources[source],
				      &input->sources[source].pieces[0], &how),
			 0);
	return counts.instructions;
}

static void frames_have_trace_of_several_cpus(void **state)
{
	struct place place;
	struct input *input;

	(void)state;
	place_make(&place, program_long, sizeof(program_long));
	input = open_framed(&place, &etmv4_framed, 1);
	assert_int_equal(input->source_count, 2);
	assert_string_equal(input->sources[0].name, "cpu1");
	assert_string_equal(input->sources[1].name, "cpu2");
	assert_int_equal(input->sources[1].cpu, 2);
	assert_int_equal(input->sources[0].regs.protocol, HWF_PROTOCOL_ETMV4);
	assert_int_equal(instructions_of(input, 0), 4);
	assert_int_equal(instructions_of(input, 1), 3);
	input_close(input);
	/* of one thread they are pieces of one source */
	input = open_framed(&place, &etmv4_framed, PERFDATA_ANY);
	assert_int_equal(input->source_count, 1);
	assert_string_equal(input->sources[0].name, "tid7");
	assert_int_equal(input->sources[0].piece_count, 2);
	input_close(input);
	place_remove(&place);
}

/* A-sync, I-sync at 0x2000, two atoms E; then the same with a cycle in front of each, and an E more
 */
static const uint8_t trace_etmv3[] = {0, 0, 0, 0, 0, 0x80, 8, 0x21, 0, 0x20, 0, 0, 0x82};
static const uint8_t trace_cycles[] = {0, 0, 0, 0, 0, 0x80, 8, 0x21, 0, 0x20, 0, 0, 0x8c};

#define ETMV3(number, id, cr, idr)                                      \
	{                                                               \
		.cpu = (number), .protocol = PERFDATA_ETMV3, .etmv3 = { \
			.etmcr = (cr),                                  \
			.etmtraceidr = (id),                            \
			.etmidr = (idr)                                 \
		}                                                       \
	}

/* Two of ETMv3.5, one of them cycle-accurate, and a PTM */
static const struct perfdata_cpu etmv3_cpus[] = {
	ETMV3(0, 0x10, 0, 0x410cf250),
	ETMV3(2, 0x14, 0x1000, 0x410cf250),
	ETMV3(3, 0x16, 0, 0x411cf301),
};

static const struct framed etmv3_framed = {
	.cpus = etmv3_cpus,
	.traces = {{0x10, trace_etmv3, sizeof(trace_etmv3)},
		   {0x14, trace_cycles, sizeof(trace_cycles)},
		   {0x16, trace_etmv3, sizeof(trace_etmv3)}},
	.count = 3,
};

/* perf has one kind of description for ETMv3 and PTM: ETMIDR tells them apart. */
static void etmv3_is_read(void **state)
{
	struct place place;
	struct input *input;

	(void)state;
	place_make(&place, program_a32, sizeof(program_a32));
	input = open_framed(&place, &etmv3_framed, 0);
	assert_true(input->damaged);
	assert_int_equal(input->source_count, 2);
	assert_string_equal(input->sources[0].name, "cpu0");
	assert_string_equal(input->sources[1].name, "cpu2");
	assert_int_equal(instructions_of(input, 0), 2);
	assert_int_equal(instructions_of(input, 1), 3);
	input_close(input);
	/* in trace of one thread they are sources of two kinds */
	input = open_framed(&place, &etmv3_framed, PERFDATA_ANY);
	assert_int_equal(input->source_count, 2);
	assert_string_equal(input->sources[0].name, "tid7");
	assert_string_equal(input->sources[1].name, "tid7-cpu2");
	assert_int_equal(instructions_of(input, 1), 3);
	input_close(input);
	place_remove(&place);
}

/* A capture of one core, whose TRCTRACEIDR has more bits set than those of the trace ID */
static const struct {
	const char *name;
	const char *text;
} capture_files[] = {
	{"snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\ndevice0=core.ini\n"
			 "device1=etm.ini\n[trace]\nmetadata=trace.ini\n"},
	{"trace.ini", "[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=etr\nfile=trace.bin\n"
		      "format=coresight\n[source_buffers]\netm=etr\n"
		      "[core_trace_sources]\ncore=etm\n"},
	{"core.ini", "[device]\nname=core\nclass=core\ntype=Cortex-A53\n"
		     "[dump.code]\nfile=long\naddress=0x2000\n"},
	{"etm.ini", "[device]\nname=etm\nclass=trace_source\ntype=ETM4\n[regs]\n"
		    "TRCCONFIGR=1\nTRCTRACEIDR=0x1090\nTRCIDR0=0x080002a1\n"
		    "TRCIDR1=0x4100f440\nTRCIDR2=0x1088\n"},
};

static void frames_of_a_capture_have_ids_of_seven_bits(void **state)
{
	char directory[] = "/tmp/hwflow-input-XXXXXX", path[PATH_MAX];
	struct input_options options;
	struct input *input;
	uint8_t frames[4 * 16];
	const size_t size = (size_t)(put_frames(frames, 0x10, trace, sizeof(trace)) - frames);

	(void)state;
	assert_non_null(mkdtemp(directory));
	write_file(directory, "long", program_long, sizeof(program_long));
	write_file(directory, "trace.bin", frames, size);
	for (size_t i = 0; i < sizeof(capture_files) / sizeof(capture_files[0]); i++)
		write_file(directory, capture_files[i].name, capture_files[i].text,
			   strlen(capture_files[i].text));
	input_options_init(&options);
	options.path = directory;
	assert_int_equal(input_open(&input, &options), 0);
	assert_int_equal(input->source_count, 1);
	assert_string_equal(input->sources[0].name, "trace-id10");
	assert_int_equal(instructions_of(input, 0), 4);
	input_close(input);
	input_options_free(&options);
	for (const char *const *name =
		     (const char *const[]){"long", "trace.bin", "snapshot.ini", "trace.ini",
					   "core.ini", "etm.ini", NULL};
	     *name; name++) {
		snprintf(path, sizeof(path), "%s/%s", directory, *name);
		unlink(path);
	}
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_a_capture_have_ids_of_seven_bits),
		cmocka_unit_test(frames_have_trace_of_several_cpus),
		cmocka_unit_test(etmv3_is_read),
		cmocka_unit_test(code_may_change_between_pieces),
		cmocka_unit_test(ranges_are_kept_from_piece_to_piece),
		cmocka_unit_test(loss_has_a_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
