// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz target: any bytes as perf.data. All that is said of the file is looked at, and the trace
 * of each session decoded with the programs that it names: of these one is there, all
 * others are missing. Then the same file as a command opens it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz_program.h"
#include "hwflow/etmv3_flow.h"
#include "hwflow/graph.h"
#include "hwflow/transaction.h"
#include "perfdata/perfdata_read.h"
#include "perfdata/perfdata_samples.h"
#include "program/perfmaps.h"
#include "capture/deframe.h"
#include "source/input_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CACHE 64
#define HELD  32

/* Sessions may share their bytes: so much is decoded of a file, many times what it holds */
#define DECODED (1u << 16)

/* a directory that has one program, and nothing else */
static char root[] = "/tmp/hwflow-fuzz-XXXXXX";
static char in_memory[32];
static int memory_fd = -1;

/* so that nothing that is only looked at is optimised away */
static volatile uint64_t looked_at;

static void remove_root(void)
{
	char path[sizeof(root) + 16];

	snprintf(path, sizeof(path), "%s/program", root);
	unlink(path);
	rmdir(root);
}

/* Once: the directory, a file in memory, and nowhere for what commands say on stderr. */
static void prepare(void)
{
	char path[sizeof(root) + 16];
	FILE *file;

	if (memory_fd >= 0)
		return;
	if (!mkdtemp(root))
		abort();
	atexit(remove_root);
	snprintf(path, sizeof(path), "%s/program", root);
	file = fopen(path, "we");
	if (!file || fwrite(fuzz_program, sizeof(fuzz_program), 1, file) != 1 || fclose(file))
		abort();
	unsetenv("HOME");
	memory_fd = memfd_create("perf.data", MFD_CLOEXEC);
	snprintf(in_memory, sizeof(in_memory), "/proc/self/fd/%d", memory_fd);
	/* sanitizers and libFuzzer have theirs already */
	stderr = fopen("/dev/null", "we");
	if (memory_fd < 0 || !stderr)
		abort();
}

static void touch_events(const struct perfdata_info *info)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < info->event_count; i++) {
		const struct perfdata_event *event = &info->events[i];

		if (i && event->time < event[-1].time)
			abort();
		if (event->kind == PERFDATA_COMM)
			sum += strlen(event->u.comm.name);
		if (event->kind == PERFDATA_MMAP)
			sum += strlen(event->u.mapping->path) + event->u.mapping->length;
		if (event->kind == PERFDATA_SESSION && event->u.session >= info->session_count)
			abort();
	}
	looked_at = sum;
}

static void touch_samples(const struct perfdata_info *info)
{
	/* what is printed goes to the file of messages, which is no file */
	for (size_t i = 0; i < info->sample_count && i < 64; i++)
		perfdata_sample_print(&info->samples[i], stderr);
}

static void touch(const struct perfdata_info *info)
{
	uint64_t sum = strlen(info->path) + strlen(info->arch) + strlen(info->hostname) +
		       strlen(info->osrelease);

	for (size_t i = 0; i < info->argc; i++)
		sum += strlen(info->argv[i]);
	for (size_t i = 0; i < info->cpu_count; i++)
		sum += info->cpus[i].cpu;
	for (size_t i = 0; i < info->build_id_count; i++)
		sum += strlen(info->build_ids[i].path) + info->build_ids[i].size;
	for (size_t i = 0; i < info->note_count; i++)
		sum += strlen(info->notes[i].text);
	looked_at = sum;
	touch_events(info);
	touch_samples(info);
}

static void count(void *ctx, const struct hwf_flow_event *event)
{
	uint64_t *instructions = ctx;

	if (event->kind == HWF_FLOW_RANGE)
		*instructions += event->u.range.instructions;
}

static void decode_etmv3(const struct perfdata_etmv3_regs *unit, const struct hwf_code *code,
			 const uint8_t *bytes, size_t size)
{
	const struct hwf_etm3_regs regs = {
		.etmcr = unit->etmcr, .etmidr = unit->etmidr, .etmccer = unit->etmccer};
	struct hwf_etm3_config config;
	struct hwf_etm3_decoder decoder;
	uint64_t instructions = 0;

	if (hwf_etm3_config_init(&config, &regs))
		return;
	hwf_etm3_decoder_init(&decoder, &config, code, count, &instructions);
	if (hwf_etm3_decoder_push(&decoder, bytes, size, true) != size)
		abort();
	looked_at = instructions;
}

static void decode(const struct perfdata_cpu *unit, const struct hwf_code *code,
		   const uint8_t *bytes, size_t size)
{
	struct hwf_transactions transactions;
	struct hwf_ete_config config;
	struct hwf_graph cache;
	struct hwf_decoder decoder;
	struct hwf_flow_event *held;
	struct hwf_element *ring;
	uint64_t instructions = 0;
	uint32_t room;
	void *memory;

	if (unit && unit->protocol == PERFDATA_ETMV3)
		decode_etmv3(&unit->etmv3, code, bytes, size);
	if (!unit || unit->protocol == PERFDATA_ETMV3 || hwf_ete_config_init(&config, &unit->regs))
		return;
	room = hwf_p0_ring_size(&config);
	ring = calloc(room, sizeof(*ring));
	held = calloc(HELD, sizeof(*held));
	memory = calloc(1, hwf_graph_bytes(CACHE));
	if (!ring || !held || !memory)
		abort();
	hwf_graph_init(&cache, memory, CACHE);
	hwf_transactions_init(&transactions, held, HELD, count, NULL, &instructions);
	hwf_decoder_init(&decoder, &config, code, ring, room, hwf_transactions_push, &transactions);
	decoder.follower.graph = &cache;
	if (hwf_decoder_push(&decoder, bytes, size, true) != size)
		abort();
	looked_at = instructions;
	free(ring);
	free(held);
	free(memory);
}

/* Frames of a session, each trace ID with the registers of the session's CPU. */
static void decode_framed(const struct perfdata_session *session, const struct hwf_code *code)
{
	struct frame_streams streams;
	struct frame_store *store;

	if (frame_store_new(&store, session->size) ||
	    deframe_all(store, session->bytes, session->size, NULL, FRAME_BARRIERS, &streams))
		abort();
	for (size_t i = 0; i < streams.count; i++)
		decode(session->unit, code, streams.items[i].bytes, streams.items[i].length);
	frame_streams_free(&streams);
	frame_store_free(store);
}

static void decode_sessions(const struct perfdata_info *info)
{
	struct perfmaps *maps;
	uint64_t left = DECODED;

	if (perfmaps_new(&maps, info, root))
		abort();
	for (size_t i = 0; i < info->session_count; i++) {
		const struct perfdata_session *session = &info->sessions[i];
		const struct perfmaps_time time = {.begin = i ? session[-1].time : 0,
						   .end = session->time};
		const struct hwf_code *code = perfmaps_code(maps, &time, session->pid, i % 2 != 0);
		struct perfmaps_exec *execs;

		/* the program before the first exec */
		if (perfmaps_execs(maps, &time, perfmaps_owner(maps, &time, session->tid), &execs))
			perfmaps_run(maps, execs->pid, 0, execs->event);
		if (!session->size || session->size > left)
			continue;
		left -= session->size;
		if (session->framed)
			decode_framed(session, code);
		decode(session->unit, code, session->bytes, session->size);
	}
	/* back to the beginning, as for another source, and to the end */
	perfmaps_code(maps, &(struct perfmaps_time){0}, PERFDATA_ANY, false);
	perfmaps_code(maps, &(struct perfmaps_time){.begin = UINT64_MAX, .end = UINT64_MAX},
		      PERFDATA_ANY, true);
	perfmaps_free(maps);
}

/* Nothing outside our directory is opened. */
static bool harmless(const struct perfdata_info *info)
{
	for (size_t i = 0; i < info->event_count; i++)
		if (info->events[i].kind == PERFDATA_MMAP &&
		    strstr(info->events[i].u.mapping->path, ".."))
			return false;
	return true;
}

/* What the commands do: the file by its name, its sources and the code of each piece. */
static void open_as_command(const uint8_t *data, size_t size)
{
	struct input_options options;
	struct input *input;

	if (ftruncate(memory_fd, 0) || pwrite(memory_fd, data, size, 0) != (ssize_t)size)
		abort();
	input_options_init(&options);
	options.path = in_memory;
	options.symfs = root;
	if (!input_open(&input, &options)) {
		for (size_t i = 0; i < input->source_count; i++) {
			const struct input_source *source = &input->sources[i];

			for (size_t j = 0; j < source->piece_count; j++)
				if (!input_code(input, source, &source->pieces[j]))
					abort();
		}
		input_close(input);
	}
	input_options_free(&options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char message[PERFDATA_MESSAGE] = "";
	struct perfdata *perfdata;
	bool good;

	prepare();
	if (perfdata_open_memory(&perfdata, "memory", data, size, message)) {
		if (!message[0])
			abort();
		return 0;
	}
	touch(perfdata_info(perfdata));
	good = harmless(perfdata_info(perfdata));
	if (good)
		decode_sessions(perfdata_info(perfdata));
	perfdata_close(perfdata);
	if (good)
		open_as_command(data, size);
	return 0;
}
