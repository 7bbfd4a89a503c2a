/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command decodes: a perf.data file, a capture directory, or raw bytes with their
 * registers, all as sources of trace with their program code.
 */
#ifndef HWFLOW_INPUT_H
#define HWFLOW_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/file_map.h"
#include "base/sandbox.h"
#include "hwflow/decoder.h"
#include "hwflow/graph.h"
#include "hwflow/rv_insn.h"
#include "hwflow/stored_profile.h"
#include "select/selection_options.h"

/** enum input_protocol - what trace is of */
enum input_protocol {
	INPUT_NO_PROTOCOL, /* nothing was said: SRC says it itself */
	INPUT_ETE,
	INPUT_ETMV4,
	INPUT_ETMV3,
	INPUT_RISCV,
	INPUT_PROTOCOLS,
};

/** INPUT_ANY - no CPU, process or thread in particular */
#define INPUT_ANY (-1)

/**
 * struct input_image - one --image option
 * @file: path
 * @root: see input_file_open(); 0 for a file that the user names
 * @address: virtual address of its first byte; for what is no ELF file
 * @offset: first byte of @file to use
 * @length: bytes to use; 0 for all
 * @has_address: @address was given
 * @raw: bytes, even if it looks like an ELF file
 */
struct input_image {
	const char *file;
	size_t root;
	uint64_t address;
	uint64_t offset;
	uint64_t length;
	bool has_address;
	bool raw;
};

/**
 * struct input_options - options that say what to decode; common to the commands
 * @path: SRC
 * @second_path: the second SRC of a verb that has two; not looked at by input_open()
 * @shown: SRC as the user named it: of an archive, not the recording in it. NULL: as @path
 * @second_shown: likewise, of @second_path
 * @paths: each SRC of a verb that takes any number
 * @path_count: how many
 * @source: --source: the name of one source
 * @protocol: --protocol: raw bytes of this enum input_protocol
 * @dialect: --dialect: of that protocol
 * @framing: --framing: how its bytes are packed
 * @symfs: --symfs: files of the machine recorded are looked for below this directory
 * @second_symfs: likewise, of the second SRC
 * @given_symfs: --symfs alone; @symfs may be the directory of an archive's files
 * @debug_directories: --debug-dir, in order
 * @debug_directory_count: how many
 * @config: --config: register values: K=V,... of all of these options
 * @images: --image, in order
 * @image_count: how many
 * @cpu: --cpu, or INPUT_ANY
 * @tid: --tid, or INPUT_ANY
 * @quiet: no progress
 * @profiles: SRC may be a stored profile: the verb needs counts alone
 * @sandbox: --sandbox
 * @all_gaps: --gaps=all: each gap is reported, not each kind of gap once
 * @jobs: --jobs: processes that decode; 0: input_open() decides
 * @select: --time, --request, --offset, --limit
 */
struct input_options {
	const char *path;
	const char *second_path;
	const char *shown;
	const char *second_shown;
	const char *const *paths;
	size_t path_count;
	const char *source;
	enum input_protocol protocol;
	const char *dialect;
	const char *framing;
	const char *symfs;
	const char *second_symfs;
	const char *given_symfs;
	const char **debug_directories;
	size_t debug_directory_count;
	char *config;
	struct input_image *images;
	size_t image_count;
	int32_t cpu;
	int32_t tid;
	bool quiet;
	bool profiles;
	enum sandbox_mode sandbox;
	bool all_gaps;
	unsigned int jobs;
	struct selection_options select;
};

/** enum input_selected - what the options select of a piece */
enum input_selected {
	INPUT_NOTHING,
	INPUT_PART,
	INPUT_WHOLE,
};

/**
 * struct input_piece - trace that is decoded in one go, not synchronised at its beginning
 * @bytes: the trace; not NULL, even if @length is 0
 * @map: the file that @bytes are in; NULL if they are in memory of their own
 * @length: how much
 * @at: offset of @bytes in its file, for messages
 * @time: of its end, in nanoseconds; 0 where not known
 * @since: time of the piece before it, which no trace in it is older than; 0 where not known
 * @lost: trace was lost before or in it, and why: NULL if none was
 * @overwritten: its beginning, or all of it, was overwritten before a snapshot was taken
 * @is_sample: the trace of a sample: the execution between it and the piece before is not recorded,
 *	or both pieces have a part of it
 * @selected: enum input_selected, if the input has a selection
 * @pid: process it belongs to, or INPUT_ANY
 * @tid: thread it belongs to, or INPUT_ANY
 * @number: of the AUX record in a perf.data file
 */
struct input_piece {
	const uint8_t *bytes;
	const struct file_map *map;
	size_t length;
	uint64_t at;
	uint64_t time;
	uint64_t since;
	const char *lost;
	bool overwritten;
	bool is_sample;
	uint8_t selected;
	int32_t pid;
	int32_t tid;
	size_t number;
};

struct protocol;

/**
 * struct input_source - the trace of one trace unit, or of one thread
 * @name: as --source takes it, and messages give it
 * @file: the file its trace is in, for messages
 * @regs: of the trace unit, ETE or ETMv4
 * @config: from @regs
 * @cpu: or INPUT_ANY
 * @pid: or INPUT_ANY
 * @tid: or INPUT_ANY
 * @pieces: in order
 * @piece_count: how many
 * @protocol: its protocol
 * @own: configuration of a protocol that has none of @regs and @config; else NULL
 */
struct input_source {
	char *name;
	char *file;
	struct hwf_ete_regs regs;
	struct hwf_ete_config config;
	int32_t cpu;
	int32_t pid;
	int32_t tid;
	struct input_piece *pieces;
	size_t piece_count;
	void *private_data;
	const struct protocol *protocol;
	void *own;
};

/**
 * enum input_sync - how far trace can be decoded
 * @INPUT_SYNC_PACKETS: packets are known from some packet on
 * @INPUT_SYNC_FLOW: instructions can be followed from some packet on, or the packets are of none
 */
enum input_sync {
	INPUT_SYNC_PACKETS,
	INPUT_SYNC_FLOW,
	INPUT_SYNCS,
};

/**
 * struct input - what was opened
 * @path: SRC
 * @sources: those that the options selected
 * @source_count: how many
 * @damaged: part of SRC could not be read; it was said on stderr
 * @incomplete: SRC was cut, or not completed: trace after its last piece is missing
 * @is_perfdata: SRC is a perf.data file
 * @is_raw: SRC is raw bytes
 * @is_capture: SRC is a capture directory
 * @stored: SRC is this profile; NULL: it has trace
 * @gaps: found by the command so far
 * @memory: what decode_piece() keeps from piece to piece
 * @jobs: processes that decode
 * @selection: what is selected of the trace; NULL: all of it
 * @sync: of input_has_sync(): its answers, as far as they are known
 */
struct input {
	const char *path;
	struct input_source *sources;
	size_t source_count;
	bool damaged;
	bool incomplete;
	bool is_perfdata;
	bool is_raw;
	bool is_capture;
	struct hwf_stored_profile *stored;
	struct gaps *gaps;
	struct decode_memory *memory;
	unsigned int jobs;
	struct selection *selection;
	uint8_t sync[INPUT_SYNCS];
	void *private_data;
};

/**
 * input_context_thread() - the thread that a context of the trace names
 * @source: source of the trace
 * @context: the context
 * @before: the thread until then
 *
 * The kernel writes the number of the thread to one of the context identifiers; the registers of
 * the trace unit say which of them the trace has.
 *
 * Return: its number; @before if the trace has no context identifier.
 */
int32_t input_context_thread(const struct input_source *source, const struct hwf_context *context,
			     int32_t before);

/* values of getopt_long() for the options of struct input_options */
enum input_option_value {
	INPUT_OPT_SOURCE = 0x100,
	INPUT_OPT_CPU,
	INPUT_OPT_TID,
	INPUT_OPT_PROTOCOL,
	INPUT_OPT_DIALECT,
	INPUT_OPT_CONFIG,
	INPUT_OPT_IMAGE,
	INPUT_OPT_FRAMING,
	INPUT_OPT_SYMFS,
	INPUT_OPT_JOBS,
	INPUT_OPT_QUIET,
	INPUT_OPT_GAPS,
	INPUT_OPT_TIME,
	INPUT_OPT_REQUEST,
	INPUT_OPT_OFFSET,
	INPUT_OPT_LIMIT,
	INPUT_OPT_DEBUG_DIR,
	INPUT_OPT_MAX,
	INPUT_OPT_SANDBOX,
	INPUT_OPT_OTHER, /* the first one free for the command's own */
};

/* clang-format off */
/* Rows for the struct option table of a command */
#define INPUT_LONG_OPTIONS                                                     \
	{ "source", required_argument, NULL, INPUT_OPT_SOURCE },               \
	{ "cpu", required_argument, NULL, INPUT_OPT_CPU },                     \
	{ "tid", required_argument, NULL, INPUT_OPT_TID },                     \
	{ "protocol", required_argument, NULL, INPUT_OPT_PROTOCOL },           \
	{ "dialect", required_argument, NULL, INPUT_OPT_DIALECT },             \
	{ "config", required_argument, NULL, INPUT_OPT_CONFIG },               \
	{ "image", required_argument, NULL, INPUT_OPT_IMAGE },                 \
	{ "framing", required_argument, NULL, INPUT_OPT_FRAMING },             \
	{ "symfs", required_argument, NULL, INPUT_OPT_SYMFS },                 \
	{ "jobs", required_argument, NULL, INPUT_OPT_JOBS },                   \
	{ "max", required_argument, NULL, INPUT_OPT_MAX },                     \
	{ "quiet", no_argument, NULL, INPUT_OPT_QUIET }
/* clang-format on */

/** INPUT_HELP - text of the common options for --help */
extern const char INPUT_HELP[];

/** input_options_init() - all options at their defaults */
void input_options_init(struct input_options *options);

/**
 * input_check_directories() - are the directories of --symfs and --debug-dir there?
 *
 * A directory that cannot be would make every file one that is missing.
 *
 * Return: 0, or EXIT_UNREADABLE after a message.
 */
int input_check_directories(const struct input_options *options);

/**
 * input_option() - take one option of getopt_long()
 * @options: receives it
 * @value: what getopt_long() returned
 * @argument: its argument
 *
 * Return: 0; 1 if it is none of the common options; -1 if the argument is wrong: it was said on
 * stderr.
 */
int input_option(struct input_options *options, int value, const char *argument);

/** input_options_free() - free what options hold */
void input_options_free(struct input_options *options);

/**
 * input_open() - open SRC and select sources
 * @result: receives what was opened
 * @options: what to open; must outlive it
 *
 * Return: 0, or an enum exit_status; the reason was said on stderr.
 */
int input_open(struct input **result, const struct input_options *options);

/**
 * input_code() - the program a piece was traced in
 * @input: what was opened
 * @source: the source
 * @piece: one of its pieces
 *
 * Return: the code as it was at the time of the piece; valid until the next call.
 */
const struct hwf_code *input_code(struct input *input, const struct input_source *source,
				  const struct input_piece *piece);

/** input_is_split() - is the piece that input_code() was called for last one of several programs?
 */
bool input_is_split(const struct input *input);

/** input_is_ordered() - does the code of the piece depend on what was executed before in it? Known
 * when it is decoded; a part of it cannot be decoded alone then */
bool input_is_ordered(const struct input *input);

/** input_counts() - the counts that a profile has in place of trace; NULL: SRC has trace */
const struct hwf_profile *input_counts(const struct input *input);

/** input_is_profile() - does a file begin like a stored profile? */
bool input_is_profile(const struct file_map *map);

/**
 * input_unpack_profile() - read a stored profile
 * @stored: receives it
 * @map: the file
 * @options: what to open, and what of it
 *
 * Return: 0, or an enum exit_status: the reason was said on stderr. It is an error to select part
 * of a profile, which has no times, offsets or threads.
 */
int input_unpack_profile(struct hwf_stored_profile **stored, const struct file_map *map,
			 const struct input_options *options);

struct perfdata_info;

/**
 * input_recording() - what a perf.data file says besides its trace
 * @input: what was opened
 *
 * Return: it, valid as long as @input; NULL for what is no perf.data file.
 */
const struct perfdata_info *input_recording(const struct input *input);

/** input_protocol_of() - the protocol of a source */
enum input_protocol input_protocol_of(const struct input_source *source);

/** input_has_timestamps() - was a source recorded with timestamps in its trace? */
bool input_has_timestamps(const struct input_source *source);

/** input_untimed() - the first source that was recorded without them; NULL: all have them */
const struct input_source *input_untimed(const struct input *input);

/** input_protocol_word() - a protocol as --protocol takes it */
const char *input_protocol_word(enum input_protocol protocol);

/** input_protocol_name() - a protocol in messages, such as ETMv4 */
const char *input_protocol_name(enum input_protocol protocol);

/** input_has_sync() - can any of the trace be decoded that far? */
bool input_has_sync(struct input *input, enum input_sync level);

/** input_bytes() - how much trace there is in all sources */
uint64_t input_bytes(const struct input *input);

/**
 * input_progress() - show, while it is decoded, how much of it is
 * @input: what was opened; input_close() ends it
 * @verb: of the command
 * @compared: see struct progress
 * @lines: see struct progress
 *
 * Not with --quiet.
 */
void input_progress(const struct input *input, const char *verb, const uint64_t *compared,
		    bool lines);

/** input_close() - free everything; NULL is allowed */
void input_close(struct input *input);

/**
 * struct input_span - part of a piece
 * @from: decoding begins here, where the decoder can synchronise
 * @begin: the part begins here; bytes from @from on are decoded before it, for the state of the
 * decoder
 * @end: it ends here; the trace ends too if that is the end of the piece
 */
struct input_span {
	size_t from;
	size_t begin;
	size_t end;
};

/**
 * struct input_part - a part of a piece is to be decoded, by itself
 * @span: which
 * @reached: called at @span.begin if that is not 0, and at @span.end if that is not the end of the
 *	piece, with the state of the decoder there; @size is 0 if parts cannot be joined there.
 *	Events before @span.begin are given as well
 * @ctx: its first argument
 */
struct input_part {
	struct input_span span;
	void (*reached)(void *ctx, size_t at, const uint8_t *state, size_t size);
	void *ctx;
};

/**
 * INPUT_HELD_EVENTS - flow events of a transaction that can be held back
 *
 * A PE's transactions are a few thousand instructions at most.
 */
#define INPUT_HELD_EVENTS 0x4000u

/** INPUT_RELEASE_BYTES - a reader of a piece releases as many bytes at a time, or more */
#define INPUT_RELEASE_BYTES 0x10000u

/**
 * input_release() - release the pages of a piece up to where it was read
 * @piece: the piece
 * @from: what the last call returned; 0 at first
 * @to: offset in the piece that a reader has reached
 *
 * May be called for each packet, and has to be called at the end of the piece. Bytes that were
 * released may be read again.
 *
 * Return: the offset up to which bytes are released.
 */
static inline size_t input_release(const struct input_piece *piece, size_t from, size_t to)
{
	if (!piece->map || (to - from < INPUT_RELEASE_BYTES && to < piece->length))
		return from;
	file_map_release(piece->map, piece->bytes + from, piece->bytes + to);
	return to;
}

/** input_isa_is_mixed() - has an enum hwf_isa instructions of more than one size? */
static inline bool input_isa_is_mixed(unsigned int isa)
{
	return isa != HWF_ISA_A64 && isa != HWF_ISA_A32;
}

/** input_insn_size() - bytes of the instruction of an enum hwf_isa that this half-word begins */
unsigned int input_insn_size(unsigned int isa, uint16_t first);

#endif /* HWFLOW_INPUT_H */
