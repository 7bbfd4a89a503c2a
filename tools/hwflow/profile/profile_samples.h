/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of functions by line, as compilers read them (AutoFDO): collected here, written in the
 * format of a compiler by profile_samples_llvm.c and profile_samples_gcc.c.
 */
#ifndef HWFLOW_PROFILE_SAMPLES_H
#define HWFLOW_PROFILE_SAMPLES_H

#include <search.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_stack;
struct text;

/**
 * struct samples_rules - how a compiler names code
 * @length_of: the bytes of a function's name that the compiler compares; 0: its profiles do not
 *	have this name
 * @discriminator_of: a discriminator without the number of a copy and the like
 * @factor_of: of a discriminator: how often code is executed for one execution of its block
 * @clones: it makes clones and parts of functions; the counts of clones are added
 * @indirect: the targets of a line are those of indirect calls
 * @order: it uses the order in which functions begin to run
 * @zeros: it wants the lines of a function that were not executed, with the count 0
 * @contexts: functions that are called are inlined calls as well: the samples of a function are by
 *	the calls around it, and its total is its own code
 */
struct samples_rules {
	size_t (*length_of)(const char *name);
	uint32_t (*discriminator_of)(uint32_t discriminator);
	uint32_t (*factor_of)(uint32_t discriminator);
	bool clones;
	bool indirect;
	bool order;
	bool zeros;
	bool contexts;
};

/* LLVM; LLVM with calling contexts; GCC 12 to 15; and GCC 16 */
extern const struct samples_rules samples_llvm, samples_llvm_contexts, samples_gcc, samples_gcc16;

/**
 * struct sampled_place - a place in a function
 * @line: from the line of the declaration on, in 16 bits
 * @discriminator: tells blocks of a line apart
 */
struct sampled_place {
	uint32_t line;
	uint32_t discriminator;
};

/**
 * struct samples_call - a call
 * @caller: the function that has called, or the inlined call; NULL: it is not known
 * @place: of the call in @caller
 */
struct samples_call {
	struct sampled *caller;
	struct sampled_place place;
};

/**
 * struct samples - samples of all functions; with no more than rules there are none
 * @rules: of the compiler
 * @functions: tree of struct sampled, by name
 * @call: what was called by is not known, or it is this call
 * @failed: memory ran out
 */
struct samples {
	const struct samples_rules *rules;
	void *functions;
	struct samples_call call;
	bool failed;
};

/* struct sampled_target - how often a line has called a function */
struct sampled_target {
	char *name;
	uint64_t count;
};

/**
 * struct sampled_line - a line
 * @place: of it
 * @count: how often it was executed
 * @called: how often it has called @targets, in all
 * @targets: tree of struct sampled_target, by name
 * @entry: of the function that was added last
 * @most: the largest count of the code of that function
 */
struct sampled_line {
	struct sampled_place place;
	uint64_t count;
	uint64_t called;
	void *targets;
	uint64_t entry;
	uint64_t most;
};

/**
 * struct sampled - a function, or an inlined call
 * @name: as the compiler compares it
 * @caller: of an inlined call: what it is in; else NULL
 * @call: and where it is
 * @depth: how many functions it is in, with itself
 * @total: executed bytes
 * @entered: how often it was called, where it is not inlined
 * @part_entered: how often a part of it was called that the compiler has made a function
 * @ranks: of the block that was executed first: sum of its ranks
 * @recordings: and in how many recordings it was executed; 0: no block is known
 * @lines: tree of struct sampled_line, by place
 * @inlined: tree of struct sampled, by place and name
 */
struct sampled {
	char *name;
	struct sampled *caller;
	struct sampled_place call;
	uint32_t depth;
	uint64_t total;
	uint64_t entered;
	uint64_t part_entered;
	uint64_t ranks;
	uint64_t recordings;
	void *lines;
	void *inlined;
};

/* struct samples_list - the nodes of a tree, sorted; @nodes, for free(), is NULL without memory */
struct samples_list {
	const void **nodes;
	size_t count;
};

/**
 * samples_add() - add code of one position in the source
 * @samples: the samples
 * @stack: its frames
 * @bytes: of the code
 * @count: how often it was executed
 *
 * A line has the largest count of its code, with clones the sum of the largest counts of each; the
 * code of a clone is added in one piece. A function has the sum of bytes that were executed.
 */
void samples_add(struct samples *samples, const struct source_stack *stack, uint64_t bytes,
		 uint64_t count);

/**
 * samples_add_call() - add a call to a line
 * @samples: the samples
 * @stack: frames of the call
 * @callee: name of the function that is called
 * @count: how often
 */
void samples_add_call(struct samples *samples, const struct source_stack *stack, const char *callee,
		      uint64_t count);

/**
 * samples_add_inlined() - add an inlined call to its line, as samples_add_call() adds a call
 * @samples: the samples
 * @inlined: what is called
 * @most: how often at most; a line that has code of its own calls as often as that is executed
 */
void samples_add_inlined(struct samples *samples, const struct sampled *inlined, uint64_t most);

/**
 * samples_find_call() - a call as samples.call takes it
 * @samples: the samples
 * @stack: frames of the call, of a function that samples.call calls
 *
 * Return: the call; without a caller if the samples do not have the function.
 */
struct samples_call samples_find_call(struct samples *samples, const struct source_stack *stack);

/** samples_add_entry() - add to how often the function of a name, or a part of it, is entered */
void samples_add_entry(struct samples *samples, const char *name, bool part, uint64_t count);

/** samples_add_rank() - add a block of the function of a name: sum of its ranks in recordings */
void samples_add_rank(struct samples *samples, const char *name, uint64_t ranks,
		      uint64_t recordings);

/** samples_list() - the nodes of a tree, in the order of @compare, which gets pointers to nodes */
struct samples_list samples_list(const void *tree, int (*compare)(const void *a, const void *b));

/** samples_is_visited() - is this the visit of a node that twalk_r() makes once, in order? */
static inline bool samples_is_visited(VISIT visit)
{
	return visit == postorder || visit == leaf;
}

/** samples_functions() - all functions, those with the most executed bytes first */
struct samples_list samples_functions(const struct samples *samples);

/** samples_write_llvm() - write LLVM's text; 0, -ENOMEM, or -ENODATA if there are no samples */
int samples_write_llvm(const struct samples *samples, struct text *out);

/** samples_write_llvm_contexts() - write LLVM's text by calling contexts, as samples_write_llvm()
 */
int samples_write_llvm_contexts(struct samples *samples, struct text *out);

/** samples_write_gcc() - write the file of GCC 12 to 15, as samples_write_llvm() */
int samples_write_gcc(const struct samples *samples, struct text *out);

/** samples_write_gcc16() - write the file of GCC 16, as samples_write_llvm() */
int samples_write_gcc16(const struct samples *samples, struct text *out);

/** samples_free() - free everything but @samples */
void samples_free(struct samples *samples);

#endif /* HWFLOW_PROFILE_SAMPLES_H */
