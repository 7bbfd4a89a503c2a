/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Locations of a profile of pprof, with their functions and strings. Names and numbers of fields
 * are those of profile.proto.
 *
 * A location is code of one position in the source. It has a line for each function that is inlined
 * there, the innermost one first. Addresses are those that a program is linked at; a file that has
 * no such address of its own is at a multiple of PPROF_FILE_SPACE.
 */
#ifndef HWFLOW_PROFILE_PPROF_LOCATIONS_H
#define HWFLOW_PROFILE_PPROF_LOCATIONS_H

#include "profile_formats.h"
#include "profile_message.h"
#include "symbols/source_frames.h"

/** PPROF_FILE_SPACE - files are so far apart */
#define PPROF_FILE_SPACE (UINT64_C(1) << 40)

/* Fields of a Profile */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};

/* What is counted: instructions, and branches that were taken, or calls in a profile of calling
 * contexts */
enum { PPROF_INSTRUCTIONS, PPROF_OTHER, PPROF_COUNTS };

/**
 * struct pprof_location - a location
 * @mapping: number of the mapping that has it; 0: code that is in no file
 * @name: number of the name of such code, or of the function that has @address if it is another one
 *	than its symbol; else 0
 * @address: its address; of a function as a whole, its entry
 * @is_function: it is a function as a whole
 * @number: of the location, from 1
 * @counts: of its sample
 */
struct pprof_location {
	uint64_t mapping;
	uint64_t name;
	uint64_t address;
	bool is_function;
	uint64_t number;
	uint64_t counts[PPROF_COUNTS];
};

/**
 * struct pprof_file - a file of the profile
 * @binary: the file; without headers: it is not on this machine; NULL: it is not chosen
 * @base: is added to addresses
 * @first: number of the mapping of its first segment with code
 * @instructions: executed in it
 * @has_functions: functions have names
 * @has_lines: functions have lines
 */
struct pprof_file {
	const struct profile_binary *binary;
	uint64_t base;
	uint64_t first;
	uint64_t instructions;
	bool has_functions;
	bool has_lines;
};

/**
 * struct pprof - the profile as it is made
 * @strings: of tsearch(3): its strings, by text
 * @string_count: how many
 * @functions: of tsearch(3): its functions, by their members
 * @function_count: how many
 * @locations: of tsearch(3): struct pprof_location, by mapping, name and address
 * @location_count: how many
 * @profile: strings, functions and locations so far
 * @inner: a message in @profile
 * @line: a message in @inner
 * @failed: memory ran out
 */
struct pprof {
	void *strings;
	uint64_t string_count;
	void *functions;
	uint64_t function_count;
	void *locations;
	uint64_t location_count;
	struct message profile;
	struct message inner;
	struct message line;
	bool failed;
};

/**
 * struct pprof_place - code up to another position in the source
 * @key: its location
 * @stack: functions and positions, by DWARF; valid until the next place is found
 * @name: without @stack: the function, by symbols
 * @bytes: all bytes up to this one have the same functions and positions
 */
struct pprof_place {
	struct pprof_location key;
	struct source_stack stack;
	const char *name;
	uint64_t bytes;
};

/** pprof_string() - the number of a string; bytes that are not UTF-8 are escaped, as in all output
 */
uint64_t pprof_string(struct pprof *pprof, const char *text);

/** pprof_find_place() - the code at an offset of the file @mapped */
void pprof_find_place(struct pprof_file *mapped, uint64_t offset, struct pprof_place *place);

/**
 * pprof_location() - the location of some code, which is added if it is new
 * @pprof: the profile
 * @key: the location
 * @stack: its functions
 * @name: if there are none, the name of its function
 *
 * Return: the location; NULL without memory: @pprof has failed then.
 */
struct pprof_location *pprof_location(struct pprof *pprof, struct pprof_location key,
				      const struct source_stack *stack, const char *name);

/** pprof_named() - the location of code in no file: a function of the name that report gives it; as
 * pprof_location() */
struct pprof_location *pprof_named(struct pprof *pprof, const char *name);

/** pprof_free() - free everything but @pprof */
void pprof_free(struct pprof *pprof);

/**
 * pprof_add_contexts() - add the samples of a profile that has calling contexts
 * @pprof: the profile
 * @content: what is written
 * @files: by the numbers of files; their instructions are added
 *
 * Each context is a sample, with the locations of all calls that it was entered by.
 */
void pprof_add_contexts(struct pprof *pprof, const struct profile_content *content,
			struct pprof_file *files);

#endif /* HWFLOW_PROFILE_PPROF_LOCATIONS_H */
