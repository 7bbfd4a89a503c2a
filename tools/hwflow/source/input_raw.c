// SPDX-License-Identifier: GPL-2.0-only
/* Raw trace bytes, with their registers and images on the command line. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input_file.h"
#include "config.h"
#include "capture/deframe.h"
#include "input_private.h"
#include "protocol.h"

struct raw {
	struct input_state state;
	struct file_map map;
	struct frame_store *frames;
	struct code_files *files;
};

static const struct hwf_code *raw_code(struct input *input, const struct input_source *source,
				       const struct input_piece *piece)
{
	struct raw *raw = input->private_data;

	(void)piece;
	return code_files_code(raw->files, source->config.wfx);
}

static void raw_close(struct input *input)
{
	struct raw *raw = input->private_data;

	file_unmap(&raw->map);
	frame_store_free(raw->frames);
	code_files_free(raw->files);
	free(raw);
}

static const struct input_kind raw_kind = {
	.code = raw_code,
	.close = raw_close,
};

/* struct raw_config - protocol and configuration of the trace unit */
struct raw_config {
	const struct protocol *protocol;
	max_align_t bytes[PROTOCOL_CONFIG / sizeof(max_align_t)];
};

static int add_source(struct input *input, const char *name, const struct raw_config *config)
{
	struct input_source *source = input_add_source(input, name, input->path);
	struct hwf_config_fault fault;

	if (!source) {
		input_error(input->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	if (!config->protocol->init(source, config->bytes))
		return 0;
	if (config->protocol->fault(config->bytes, &fault))
		config_print_fault("--config", &fault);
	else
		input_error(input->path, UINT64_MAX, "out of memory");
	return EXIT_USAGE;
}

/* A source of each trace ID, with a piece of each stream */
static int add_streams(struct input *input, const char *stem, const struct raw_config *config,
		       const struct frame_streams *streams)
{
	const struct raw *raw = input->private_data;
	int status = 0;

	for (size_t i = 0; i < streams->count && !status; i++) {
		const struct frame_stream *stream = &streams->items[i];
		char name[300];

		if (!i || stream->id != stream[-1].id) {
			snprintf(name, sizeof(name), "%s-id%02x", stem, stream->id);
			status = add_source(input, name, config);
		}
		if (!status)
			status = input_add_stream(input, &input->sources[input->source_count - 1],
						  frame_store_map(raw->frames), stream);
	}
	return status;
}

static int add_framed(struct input *input, const char *stem, const struct raw_config *config)
{
	struct raw *raw = input->private_data;
	struct frame_streams streams = {0};
	int status = EXIT_UNREADABLE;
	int error = frame_store_new(&raw->frames, raw->map.size);

	if (!error)
		error = deframe_all(raw->frames, raw->map.bytes, raw->map.size, &raw->map,
				    FRAME_NO_BARRIERS, &streams);
	if (error) {
		deframe_error(input->path, error);
	} else {
		input->damaged |= frame_streams_report(&streams, input->path, 0);
		status = add_streams(input, stem, config, &streams);
	}
	frame_streams_free(&streams);
	return status;
}

/* All bytes are the trace of one source. */
static int add_whole(struct input *input, const char *name, const struct raw_config *config)
{
	const struct raw *raw = input->private_data;
	const struct frame_stream whole = {.bytes = raw->map.bytes, .length = raw->map.size};
	const int status = add_source(input, name, config);

	return status ? status
		      : input_add_stream(input, &input->sources[input->source_count - 1], &raw->map,
					 &whole);
}

int input_open_raw(struct input *input, const struct input_options *options)
{
	struct raw *raw = calloc(1, sizeof(*raw));
	const char *slash = strrchr(options->path, '/');
	struct raw_config config = {.protocol = protocol_number(options->protocol)};
	char name[256];
	int status;
	int err;

	if (!raw)
		return EXIT_UNREADABLE;
	raw->state = (struct input_state){.kind = &raw_kind, .options = options};
	input->private_data = raw;
	input->is_raw = true;
	raw->files = code_files_new(NULL);
	if (!raw->files)
		return EXIT_UNREADABLE;
	status = config_parse(options->config, options->protocol, config.protocol->names,
			      config.bytes);
	if (status)
		return status;
	for (size_t i = 0; i < options->image_count; i++) {
		if (code_files_add(raw->files, &options->images[i]))
			return EXIT_UNREADABLE;
	}
	err = file_map(&raw->map, options->path, 0);
	if (err) {
		input_error(options->path, UINT64_MAX, "%s", input_file_error(err));
		return EXIT_UNREADABLE;
	}
	if (!raw->map.size) {
		input_error(options->path, UINT64_MAX, "the file is empty");
		return EXIT_UNREADABLE;
	}
	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : options->path);
	if (strrchr(name, '.'))
		*strrchr(name, '.') = '\0';
	if (options->framing && !strcmp(options->framing, "coresight"))
		return add_framed(input, name, &config);
	return add_whole(input, name, &config);
}
