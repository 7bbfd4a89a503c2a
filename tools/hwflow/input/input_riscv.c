// SPDX-License-Identifier: GPL-2.0-only
/* Raw bytes of RISC-V Processor Trace, with their parameters and images on the command line. */
#include "input_riscv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "riscv_params.h"

/* Bytes between two looks at the clock */
#define CHUNK 0x4000u

/* source numbers have at most 16 bits */
#define NUMBERS 0x10000u

/* The riscv of all sources, which point into it */
struct riscv_input {
	struct input_state state;
	struct file_map map;
	struct code_files *files;
	struct input_riscv *sources;
};

static const struct hwf_code *riscv_code(struct input *input, const struct input_source *source,
					 const struct input_piece *piece)
{
	struct riscv_input *riscv = input->private_data;

	(void)source;
	(void)piece;
	return code_files_code(riscv->files, false);
}

static void riscv_close(struct input *input)
{
	struct riscv_input *riscv = input->private_data;

	file_unmap(&riscv->map);
	code_files_free(riscv->files);
	free(riscv->sources);
	free(riscv);
}

static const struct input_kind riscv_kind = {
	.code = riscv_code,
	.close = riscv_close,
};

void input_riscv_stream(const struct input_riscv *riscv, struct hwf_riscv_stream *stream)
{
	hwf_riscv_stream_init(stream, &riscv->config, &riscv->framing);
	stream->source = riscv->number;
}

int input_riscv_decode(const struct input_source *source, const struct input_piece *piece,
		       const struct hwf_code *code, const struct input_decode *how)
{
	const struct input_riscv *riscv = source->riscv;
	struct hwf_riscv_decoder *decoder = malloc(sizeof(*decoder));
	void *memory = malloc(hwf_graph_nodes_bytes(HWF_RISCV_NODES));
	struct hwf_graph graph;
	size_t released = 0;
	size_t at = 0;

	if (!decoder || !memory) {
		input_error(source->file, piece->at, "out of memory");
		free(decoder);
		free(memory);
		return EXIT_UNREADABLE;
	}
	hwf_riscv_decoder_init(decoder, &riscv->config, &riscv->framing, riscv->isa, code,
			       how->sink, how->ctx);
	decoder->stream.source = riscv->number;
	hwf_graph_init_nodes(&graph, memory, HWF_RISCV_NODES);
	decoder->flow.graph = &graph;
	while (piece->length - at > CHUNK && !(how->stop && *how->stop)) {
		const size_t taken =
			hwf_riscv_decoder_push(decoder, piece->bytes + at, CHUNK, false);

		progress_add(taken);
		at += taken;
		released = input_release(piece, released, at);
	}
	if (!(how->stop && *how->stop)) {
		hwf_riscv_decoder_push(decoder, piece->bytes + at, piece->length - at, true);
		progress_add(piece->length - at);
		input_release(piece, released, piece->length);
	}
	free(decoder);
	free(memory);
	return 0;
}

bool input_riscv_has_sync(const struct input_riscv *riscv, const struct input_piece *piece)
{
	struct hwf_riscv_stream stream;
	struct hwf_riscv_packet packet;
	size_t released = 0;
	size_t size;

	input_riscv_stream(riscv, &stream);
	for (size_t at = 0;; at += size) {
		size = hwf_riscv_stream_next(&stream, piece->bytes + at, piece->length - at, true,
					     &packet);
		if (!size)
			return false;
		released = input_release(piece, released, at);
		/* data trace may be a source of its own, and is read from anywhere */
		if (packet.type == HWF_RISCV_F3_START || packet.type == HWF_RISCV_F3_TRAP ||
		    packet.type > HWF_RISCV_INCOMPLETE)
			return true;
	}
}

static int out_of_memory(const struct input *input)
{
	input_error(input->path, UINT64_MAX, "out of memory");
	return EXIT_UNREADABLE;
}

/* Which sources are in the stream: @there[n] is set. Returns how many. */
static size_t find_numbers(const struct riscv_input *riscv, const struct hwf_riscv_framing *framing,
			   bool *there)
{
	struct hwf_riscv_frame frame;
	size_t released = 0;
	size_t found = 0;
	int size;

	for (size_t at = 0; at < riscv->map.size; at += (size_t)size) {
		if (at - released >= INPUT_RELEASE_BYTES) {
			file_map_release(&riscv->map, riscv->map.bytes + released,
					 riscv->map.bytes + at);
			released = at;
		}
		size = hwf_riscv_unframe(framing, riscv->map.bytes + at, riscv->map.size - at,
					 &frame);
		if (size == HWF_ERR_NEED_MORE)
			break;
		if (size < 0)
			size = (int)hwf_riscv_frame_size(framing, riscv->map.bytes[at]);
		else if (frame.length && !there[frame.source]) {
			there[frame.source] = true;
			found++;
		}
	}
	return found;
}

static int add_source(struct input *input, const char *name, const struct input_riscv *how)
{
	struct riscv_input *riscv = input->private_data;
	struct input_source *source = input_add_source(input, name, input->path);
	struct input_piece *piece = source ? input_add_piece(source) : NULL;

	if (!piece)
		return out_of_memory(input);
	riscv->sources[input->source_count - 1] = *how;
	source->riscv = &riscv->sources[input->source_count - 1];
	piece->bytes = riscv->map.bytes;
	piece->map = &riscv->map;
	piece->length = riscv->map.size;
	return 0;
}

/* One source for each number in the stream, or one for all of it */
static int add_sources(struct input *input, const char *stem, struct input_riscv *how)
{
	struct riscv_input *riscv = input->private_data;
	bool *there = calloc(NUMBERS, sizeof(*there));
	size_t count = 1;
	int status = 0;

	if (there && how->framing.srcid_width)
		count = find_numbers(riscv, &how->framing, there);
	riscv->sources = calloc(count + 1, sizeof(*riscv->sources));
	if (!there || !riscv->sources) {
		free(there);
		return out_of_memory(input);
	}
	how->number = -1;
	if (count <= 1)
		status = add_source(input, stem, how);
	for (unsigned int i = 0; count > 1 && i < NUMBERS && !status; i++) {
		char name[300];

		if (!there[i])
			continue;
		snprintf(name, sizeof(name), "%s-src%02x", stem, i);
		how->number = i;
		status = add_source(input, name, how);
	}
	free(there);
	return status;
}

static int read_options(const struct input_options *options, struct input_riscv *how)
{
	struct riscv_options riscv;

	if (!riscv_options_init(&riscv, options->dialect, options->framing) ||
	    !riscv_options_config(&riscv, options->config))
		return EXIT_USAGE;
	how->framing = riscv.framing;
	how->isa = riscv_options_isa(&riscv);
	if (hwf_riscv_framing_check(&riscv.framing) ||
	    hwf_riscv_config_init(&how->config, (enum hwf_riscv_dialect)riscv.dialect,
				  &riscv.params)) {
		input_error(options->path, UINT64_MAX,
			    "--config: the parameters contradict each other, or dialect %s or the "
			    "framing does not support them",
			    riscv_dialect_name(riscv.dialect));
		return EXIT_USAGE;
	}
	return 0;
}

static int map_files(struct input *input, const struct input_options *options)
{
	struct riscv_input *riscv = input->private_data;
	int err;

	riscv->files = code_files_new();
	if (!riscv->files)
		return out_of_memory(input);
	for (size_t i = 0; i < options->image_count; i++)
		if (code_files_add(riscv->files, &options->images[i]))
			return EXIT_UNREADABLE;
	err = file_map(&riscv->map, options->path);
	if (!err && riscv->map.size)
		return 0;
	input_error(options->path, UINT64_MAX, "%s", err ? strerror(-err) : "the file is empty");
	return EXIT_UNREADABLE;
}

int input_open_riscv(struct input *input, const struct input_options *options)
{
	struct riscv_input *riscv = calloc(1, sizeof(*riscv));
	const char *slash = strrchr(options->path, '/');
	struct input_riscv how = {0};
	char stem[256];
	int status;

	if (!riscv)
		return out_of_memory(input);
	riscv->state = (struct input_state){.kind = &riscv_kind, .options = options};
	input->private_data = riscv;
	input->is_raw = true;
	status = read_options(options, &how);
	if (!status)
		status = map_files(input, options);
	if (status)
		return status;
	snprintf(stem, sizeof(stem), "%s", slash ? slash + 1 : options->path);
	if (strrchr(stem, '.'))
		*strrchr(stem, '.') = '\0';
	return add_sources(input, stem, &how);
}
