// SPDX-License-Identifier: GPL-2.0-only
/* Raw bytes of RISC-V Processor Trace, with their parameters and images on the command line. */
#include "input_riscv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/input_file.h"
#include "protocol.h"
#include "riscv_params.h"

/* source numbers have at most 16 bits */
#define NUMBERS 0x10000u

struct riscv_input {
	struct input_state state;
	struct file_map map;
	struct code_files *files;
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
	free(riscv);
}

static const struct input_kind riscv_kind = {
	.code = riscv_code,
	.close = riscv_close,
};

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
	if (protocol_riscv.init(source, how))
		return out_of_memory(input);
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

	if (!there)
		return out_of_memory(input);
	if (how->framing.srcid_width)
		count = find_numbers(riscv, &how->framing, there);
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
	hwf_riscv_config_init(&how->config, (enum hwf_riscv_dialect)riscv.dialect, &riscv.params);
	return 0;
}

static int map_files(struct input *input, const struct input_options *options)
{
	struct riscv_input *riscv = input->private_data;
	int err;

	riscv->files = code_files_new(NULL);
	if (!riscv->files)
		return out_of_memory(input);
	for (size_t i = 0; i < options->image_count; i++)
		if (code_files_add(riscv->files, &options->images[i]))
			return EXIT_UNREADABLE;
	err = file_map(&riscv->map, options->path, 0);
	if (!err && riscv->map.size)
		return 0;
	input_error(options->path, UINT64_MAX, "%s",
		    err ? input_file_error(err) : "the file is empty");
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
