/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that open an input, one a kind. */
#ifndef HWFLOW_INPUT_PRIVATE_H
#define HWFLOW_INPUT_PRIVATE_H

#include "base/file_map.h"
#include "input.h"

/* struct input_kind - what an opened input of some kind can do */
struct input_kind {
	const struct hwf_code *(*code)(struct input *input, const struct input_source *source,
				       const struct input_piece *piece);
	const struct perfdata_info *(*recording)(const struct input *input); /* or NULL */
	uint64_t (*changes)(const struct input *input); /* of its code so far; NULL: none */
	/* of the piece that code() was called for last: is it of several programs? NULL: no */
	bool (*is_split)(const struct input *input);
	/* does the code of that piece depend on what was executed before it in the piece? NULL: no
	 */
	bool (*is_ordered)(const struct input *input);
	/* the next program begins at this event; asked for each, if is_split() */
	bool (*passed)(struct input *input, const struct hwf_flow_event *event);
	/* what it has in place of trace; NULL: it has trace */
	const struct hwf_profile *(*counts)(const struct input *input);
	void (*close)(struct input *input);
};

/* struct input_state - private_data of struct input: first member of each kind's own */
struct input_state {
	const struct input_kind *kind;
	const struct input_options *options;
};

/* Append a source, zeroed but for its name (copied), without protocol; NULL without memory. */
struct input_source *input_add_source(struct input *input, const char *name, const char *file);
/* Free what a source holds. */
void input_free_source(struct input_source *source);
/* Remove the source that was added last. */
void input_remove_source(struct input *input);
/* Append a piece, zeroed; NULL without memory. */
struct input_piece *input_add_piece(struct input_source *source);
struct frame_stream;
/* Append a piece of these bytes, which are in the file @map; 0, or EXIT_UNREADABLE: said. */
int input_add_stream(const struct input *input, struct input_source *source,
		     const struct file_map *map, const struct frame_stream *stream);

/* Open SRC and close it, without what decodes it: input_open() and input_close() call these. */
int source_open(struct input **result, const struct input_options *options);
void source_close(struct input *input);

/* One function a kind of SRC; return as source_open(). */
int input_open_snapshot(struct input *input, const struct input_options *options);
int input_open_raw(struct input *input, const struct input_options *options);
int input_open_riscv(struct input *input, const struct input_options *options);
int input_open_perfdata(struct input *input, const struct input_options *options, bool directory);
int input_open_profile(struct input *input, const struct input_options *options);

/* The perf.data file in a directory of perf record --kcore */
#define PERF_DIRECTORY_DATA "data"

/* Is a directory one that perf record --kcore makes? */
bool input_is_perf_directory(const char *path);

/*
 * Code made of files at fixed addresses: the images of a capture, and --image.
 */
struct hwf_image;
struct hwf_image_file;
struct code_files;
struct code_store;
/* Files that several address spaces share, each opened once; to be freed after these. */
struct code_store *code_store_new(void);
void code_store_free(struct code_store *store);
/* An address space; @store: NULL for one of its own. */
struct code_files *code_files_new(struct code_store *store);
/* 0, or -1: said on stderr. */
int code_files_add(struct code_files *files, const struct input_image *image);
const struct hwf_code *code_files_code(struct code_files *files, bool wfx);
void code_files_free(struct code_files *files);

/*
 * struct code_taker - who takes the pieces that one file of code has: @map is called with @ctx
 * for each, as hwf_image_map(); files are added to @image
 */
struct code_taker {
	struct hwf_image *image;
	int (*map)(void *ctx, uint64_t start, uint64_t length, struct hwf_image_file *file,
		   uint64_t offset);
	void *ctx;
};

/* Map one file; 0, or -1: said on stderr. */
int code_file_map(const struct code_taker *taker, const struct input_image *image);

#endif /* HWFLOW_INPUT_PRIVATE_H */
