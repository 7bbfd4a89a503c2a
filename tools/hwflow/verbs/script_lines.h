/* SPDX-License-Identifier: GPL-2.0-only */
/* The lines of hwflow script: a branch, an instruction, a gap or a value of TRCIT each. */
#ifndef HWFLOW_VERBS_SCRIPT_LINES_H
#define HWFLOW_VERBS_SCRIPT_LINES_H

#include "execution.h"
#include "script_fields.h"
#include "text_memory.h"

struct perfdata_clock;
struct symbols;
struct threads;
struct time_merge;

/** enum script_time - what times are */
enum script_time {
	TIME_OF_PIECE, /* when the piece ended, in seconds */
	TIME_TICKS,    /* timestamps */
	TIME_CLOCK,    /* timestamps, in seconds of the perf clock */
};

/** SCRIPT_START_BYTES - the longest start of a line that is kept */
#define SCRIPT_START_BYTES 64u

/**
 * struct script_start - the columns before the address, of the last line
 * @piece: what they follow from
 * @tid: likewise
 * @timestamp: likewise
 * @valid: @size bytes of @bytes are these columns
 * @size: of @bytes
 * @bytes: the columns
 */
struct script_start {
	const struct input_piece *piece;
	int32_t tid;
	uint64_t timestamp;
	bool valid;
	uint32_t size;
	char bytes[SCRIPT_START_BYTES];
};

/**
 * struct script_lines - how lines are written
 * @fields: the columns
 * @not_taken: branches that were not taken have lines as well
 * @full_paths: whole paths of files
 * @time: what times are
 * @clock: of TIME_CLOCK
 * @merge: takes the lines; NULL: @out does
 * @out: takes the line that is written now
 * @threads: names of threads
 * @symbols: names of addresses
 * @symbols_piece: the piece that @symbols was told; NULL: none yet
 * @symbols_tid: the thread that @symbols was told
 * @start: see there
 * @cycles: those of @cycles_source up to the last line
 * @cycles_source: the source of that; NULL: there is none
 * @branches: texts of branches, from the source to the kind
 * @places: texts of addresses; both are NULL if no column needs names
 */
struct script_lines {
	unsigned int fields;
	bool not_taken;
	bool full_paths;
	enum script_time time;
	const struct perfdata_clock *clock;
	struct time_merge *merge;
	struct text *out;
	struct threads *threads;
	struct symbols *symbols;
	const struct input_piece *symbols_piece;
	int32_t symbols_tid;
	struct script_start start;
	uint64_t cycles;
	const struct input_source *cycles_source;
	struct text_memory *branches;
	struct text_memory *places;
};

/** script_lines_init() - make room for the texts that @lines->fields need; 0 or -ENOMEM */
int script_lines_init(struct script_lines *lines);

/** script_lines_restart() - lines begin of which none before is known; @ctx is the struct
 * script_lines */
void script_lines_restart(void *ctx);

/** script_take_branch() - write the line of a branch; @ctx is the struct script_lines */
void script_take_branch(void *ctx, const struct execution *execution,
			const struct hwf_branch *branch);

/** script_take_range() - write a line for each instruction of a range; likewise */
void script_take_range(void *ctx, const struct execution *execution,
		       const struct hwf_flow_range *range);

/** script_take_gap() - write the line of a gap; likewise */
void script_take_gap(void *ctx, const struct execution *execution, const struct gap *gap);

/** script_take_instrumentation() - write the line of an Instrumentation element; likewise */
void script_take_instrumentation(void *ctx, const struct execution *execution,
				 const struct hwf_ete_instrumentation *instrumentation);

/** script_lines_free() - free the texts */
void script_lines_free(struct script_lines *lines);

#endif /* HWFLOW_VERBS_SCRIPT_LINES_H */
