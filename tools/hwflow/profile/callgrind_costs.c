/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile by functions and lines. Blocks have what each line executed itself, and its jumps;
 * calling contexts have its calls. The line of inlined code is that where it was written, and its
 * function is the one that has the code: callgrind does the same.
 */
#include "callgrind_costs.h"

#include <errno.h>
#include <search.h>

#include "base/escape.h"
#include "block_places.h"
#include "context_code.h"
#include "hwflow/branch.h"
#include "symbols/symbols.h"

/* A source file or binary that is not known, as callgrind has it */
#define UNKNOWN_FILE "???"

/* What contexts are called from that are outermost: trace began or was lost in their callers; or
 * they are the first functions of their threads */
#define UNKNOWN_CALLER   "[unknown]"
#define OUTERMOST_CALLER "[outermost]"

/* struct maker - costs as they are made; the block that is added */
struct maker {
	struct costs *costs;
	const struct profile_content *content;
	bool is_all;
	const struct profile_binary *binary;
	const struct hwf_profile_block *block;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_names(const void *a, const void *b)
{
	const struct costs_name *x = a, *y = b;

	return strcmp(x->text, y->text);
}

static int compare_functions(const void *a, const void *b)
{
	const struct costs_function *x = a, *y = b;
	int order = compare_numbers((uintptr_t)x->key_file, (uintptr_t)y->key_file);

	order = order ? order : compare_numbers((uintptr_t)x->key, (uintptr_t)y->key);
	return order ? order : compare_numbers(x->key_name, y->key_name);
}

static int compare_places(const struct costs_place *a, const struct costs_place *b)
{
	int order = compare_numbers(a->function, b->function);

	order = order ? order : compare_numbers(a->file, b->file);
	return order ? order : compare_numbers(a->line, b->line);
}

static int compare_rows(const void *a, const void *b)
{
	const struct costs_row *x = a, *y = b;
	int order = compare_places(&x->from, &y->from);

	order = order ? order : compare_numbers(x->kind, y->kind);
	return order ? order : compare_places(&x->to, &y->to);
}

/* Adds a copy of @key to a tree and to a list; NULL without memory. */
static void *add(void **tree, struct items *list, const void *key, size_t size,
		 int (*compare)(const void *a, const void *b))
{
	void **place = items_add(list, sizeof(*place));
	void *added = place ? tree_add(tree, key, size, compare) : NULL;

	if (added)
		*place = added;
	else
		list->count -= place != NULL;
	return added;
}

/* The number of a name, of which the text is copied; 0 or -ENOMEM */
static int name_of(struct maker *maker, const char *text, uint32_t *number)
{
	struct costs *costs = maker->costs;
	struct costs_name key = {.text = escape_copy(text), .number = (uint32_t)costs->names.count};
	struct costs_name **found;

	if (!key.text)
		return -ENOMEM;
	found = tfind(&key, &costs->name_tree, compare_names);
	*number = found ? (*found)->number : key.number;
	if (!found && add(&costs->name_tree, &costs->names, &key, sizeof(key), compare_names))
		return 0;
	free(key.text);
	return found ? 0 : -ENOMEM;
}

/* The position of the code of a stack of functions: that of the innermost one */
static int set_position(struct maker *maker, const struct source_stack *stack,
			const struct source_line *line, struct costs_place *place)
{
	const struct source_position *at =
		stack->count ? &stack->frames[stack->count - 1].at : NULL;
	const char *file = at ? at->file : line ? line->file : NULL;

	if (file)
		place->line = at ? at->line : (uint32_t)line->line;
	return name_of(maker, file ? file : UNKNOWN_FILE, &place->file);
}

/* Where a function is in the source */
static int set_source(struct maker *maker, const struct profile_binary *binary, uint64_t address,
		      struct costs_function *function)
{
	const struct source_stack stack = symbols_frames(binary->symbols, binary->image, address);
	struct source_line line = {0};
	uint64_t offset;
	const char *file;

	if (stack.count) {
		file = stack.frames->file ? stack.frames->file : stack.frames->at.file;
		function->line = stack.frames->line ? stack.frames->line : stack.frames->at.line;
	} else {
		if (!binary->kernel && profile_offset(binary->elf, address, &offset))
			line = symbols_line_in_file(binary->symbols, binary->image, offset);
		file = line.file;
		function->line = file ? (uint32_t)line.line : 0;
	}
	return name_of(maker, file ? file : UNKNOWN_FILE, &function->file);
}

/* Adds a function, all of whose members but the number are known. */
static int add_function(struct maker *maker, struct costs_function *function, uint32_t *number)
{
	struct costs *costs = maker->costs;

	function->number = *number = (uint32_t)costs->functions.count;
	return add(&costs->function_tree, &costs->functions, function, sizeof(*function),
		   compare_functions)
		       ? 0
		       : -ENOMEM;
}

/* The number of a function of a binary; 0 or -ENOMEM */
static int function_of(struct maker *maker, const struct profile_binary *binary,
		       const struct function *function, uint32_t *number)
{
	struct costs_function key = {.key_file = binary->file, .key = function}, **found;
	char *name;
	int error;

	found = tfind(&key, &maker->costs->function_tree, compare_functions);
	if (found) {
		*number = (*found)->number;
		return 0;
	}
	name = context_demangle(function->name);
	error = name ? name_of(maker, name, &key.name) : -ENOMEM;
	free(name);
	if (!error)
		error = name_of(maker, binary->file->name, &key.object);
	if (!error && function->of_elf && binary->elf)
		error = set_source(maker, binary, function->start, &key);
	else if (!error)
		error = name_of(maker, UNKNOWN_FILE, &key.file);
	return error ? error : add_function(maker, &key, number);
}

/* The number of a function that has no more than a name, and perhaps a file that was not chosen */
static int named_function(struct maker *maker, const char *name,
			  const struct hwf_profile_file *file, uint32_t *number)
{
	struct costs_function key = {.key_file = file}, **found;
	int error = name_of(maker, name, &key.name);

	if (!error)
		error = name_of(maker, file ? file->name : UNKNOWN_FILE, &key.object);
	if (!error)
		error = name_of(maker, UNKNOWN_FILE, &key.file);
	if (error)
		return error;
	key.key_name = key.name;
	found = tfind(&key, &maker->costs->function_tree, compare_functions);
	if (!found)
		return add_function(maker, &key, number);
	*number = (*found)->number;
	return 0;
}

/* The number of the function of a context */
static int context_number(struct maker *maker, const struct hwf_profile_context *context,
			  uint32_t *number)
{
	const struct profile_binary *binary = context_binary(maker->content, context->file);
	uint64_t last;
	char *name;
	int error;

	if (binary)
		return function_of(maker, binary,
				   symbols_function(binary->symbols, binary->image,
						    context_address(binary, context->entry), &last),
				   number);
	name = context_function(maker->content, context);
	error = name ? named_function(maker, name, context->file, number) : -ENOMEM;
	free(name);
	return error;
}

static int add_row(struct maker *maker, const struct costs_row *row)
{
	struct costs_row *added = items_add(&maker->costs->rows, sizeof(*added));

	if (!added)
		return -ENOMEM;
	*added = *row;
	return 0;
}

/* The line of an address of the binary whose block is added, if it is of the same function */
static int set_target(struct maker *maker, const struct function *function, uint64_t offset,
		      struct costs_place *to, bool *inside)
{
	const struct profile_binary *binary = maker->binary;
	struct source_stack stack;
	uint64_t address, last;

	*inside = binary->elf && profile_address(binary->elf, offset, &address) &&
		  symbols_function(binary->symbols, binary->image, address, &last) == function;
	if (!*inside)
		return 0;
	stack = symbols_frames(binary->symbols, binary->image, address);
	return stack.count ? set_position(maker, &stack, NULL, to) : 0;
}

/* Jumps from one line of a function to another; @from is the place of the branch. */
static int add_jump(struct maker *maker, const struct function *function,
		    const struct costs_place *from, const struct hwf_insn *insn, uint64_t to,
		    uint64_t taken, uint64_t executed)
{
	struct costs_row row = {
		.from = *from, .to = *from, .count = taken, .other = executed, .kind = COSTS_JUMP};
	bool inside = false;
	int error;

	switch (hwf_branch_of_insn(insn, 0, NULL, true).kind) {
	case HWF_BRANCH_CONDITIONAL:
		row.kind = COSTS_CONDITIONAL;
		break;
	case HWF_BRANCH_JUMP:
	case HWF_BRANCH_INDIRECT:
		break;
	default:
		return 0;
	}
	row.to.line = 0;
	error = set_target(maker, function, to, &row.to, &inside);
	return error || !inside || !row.from.line || !row.to.line ? error : add_row(maker, &row);
}

static int add_place(void *ctx, const struct block_place *place)
{
	struct maker *maker = ctx;
	const struct hwf_profile_block *block = maker->block;
	const uint64_t executed = block->taken + block->not_taken;
	struct costs_row row = {.count = executed * place->instructions};
	int error = set_position(maker, &place->stack, &place->line, &row.from);

	maker->costs->total += row.count;
	if (!error)
		error = function_of(maker, maker->binary, place->function, &row.from.function);
	row.to = row.from;
	if (!error)
		error = add_row(maker, &row);
	if (error || !place->is_last || !block->p0 || block->insn.kind != HWF_INSN_DIRECT)
		return error;
	return add_jump(maker, place->function, &row.from, &block->insn, block->insn.target,
			block->taken - block->diverted, executed);
}

/* Jumps that do not follow from a block: those of indirect branches */
static int add_edge(struct maker *maker, const struct hwf_profile_edge *edge)
{
	const struct profile_binary *binary = context_binary(maker->content, edge->from_space);
	struct costs_place from = {.line = 0};
	const struct function *function;
	struct source_stack stack;
	uint64_t address, last;
	int error;

	if (!binary || !binary->elf || edge->to_space != edge->from_space || !edge->count ||
	    hwf_profile_edge_follows(edge) || !profile_address(binary->elf, edge->from, &address))
		return 0;
	maker->binary = binary;
	function = symbols_function(binary->symbols, binary->image, address, &last);
	stack = symbols_frames(binary->symbols, binary->image, address);
	if (!stack.count)
		return 0;
	error = set_position(maker, &stack, NULL, &from);
	if (!error)
		error = function_of(maker, binary, function, &from.function);
	return error ? error
		     : add_jump(maker, function, &from, &edge->insn, edge->to, edge->count,
				edge->count);
}

/* Code that is in no file */
static int add_left_out(struct maker *maker, const struct hwf_profile_note *note)
{
	const struct hwf_profile_context context = {.name = note->text};
	struct costs_row row = {.count = note->count};
	int error = context_number(maker, &context, &row.from.function);

	maker->costs->total += row.count;
	if (!error)
		error = name_of(maker, UNKNOWN_FILE, &row.from.file);
	row.to = row.from;
	return error ? error : add_row(maker, &row);
}

static int add_counts(struct maker *maker)
{
	struct hwf_stored_profile *stored = maker->content->stored;
	const struct hwf_profile *counts = hwf_stored_profile_counts(stored);
	const struct hwf_profile_note *note;
	struct hwf_profile_edge edge;
	size_t at = 0;
	int error = 0;

	while (!error && (maker->block = hwf_profile_next_block(counts, &at))) {
		maker->binary = context_binary(maker->content, maker->block->space);
		if (maker->binary)
			error = block_places(maker->binary, maker->block, add_place, maker);
	}
	at = 0;
	while (!error && hwf_profile_next_edge(counts, &at, &edge))
		error = add_edge(maker, &edge);
	at = 0;
	while (!error && maker->is_all && (note = hwf_stored_profile_next_note(stored, &at)))
		if (note->kind == HWF_NOTE_LEFT_OUT)
			error = add_left_out(maker, note);
	return error;
}

/* The line of a call; its function is that of the calling context. */
static int set_site(struct maker *maker, const struct hwf_profile_context *context,
		    struct costs_place *from)
{
	const struct profile_binary *binary = context_binary(maker->content, context->site_file);
	struct source_stack stack = {0};
	struct source_line line = {0};

	if (binary && binary->elf)
		stack = symbols_frames(binary->symbols, binary->image,
				       context_address(binary, context->site));
	if (binary && binary->elf && !stack.count && !binary->kernel)
		line = symbols_line_in_file(binary->symbols, binary->image, context->site);
	return set_position(maker, &stack, &line, from);
}

/* The calls that a context was entered by; @inclusive: instructions in it and in all that it called
 */
static int add_call(struct maker *maker, const struct hwf_profile_context *context,
		    const uint32_t *functions, uint32_t number, uint64_t inclusive)
{
	struct costs_row row = {.count = context->calls, .other = inclusive, .kind = COSTS_CALL};
	const struct costs_function *function;
	int error = 0;

	row.to.function = functions[number];
	function = costs_function(maker->costs, row.to.function);
	row.to.file = function->file;
	row.to.line = function->line;
	/* one that was entered before trace began was called, too */
	row.count += !row.count;
	if (context->caller)
		row.from.function = functions[context->caller];
	else
		error = named_function(maker,
				       context->open == HWF_CONTEXT_UNKNOWN ? UNKNOWN_CALLER
									    : OUTERMOST_CALLER,
				       NULL, &row.from.function);
	if (!error)
		error = set_site(maker, context, &row.from);
	return error ? error : add_row(maker, &row);
}

static int add_calls(struct maker *maker)
{
	struct hwf_stored_profile *stored = maker->content->stored;
	const struct hwf_profile_context *context;
	uint32_t *functions;
	uint64_t *inclusive;
	size_t count = 0, at;
	int error = 0;

	while (hwf_stored_profile_next_context(stored, &count))
		;
	functions = calloc(count + 1, sizeof(*functions));
	inclusive = calloc(count + 1, sizeof(*inclusive));
	if (!functions || !inclusive)
		error = -ENOMEM;
	/* callers have lower numbers */
	for (size_t i = count; i && !error; i--) {
		at = i - 1;
		context = hwf_stored_profile_next_context(stored, &at);
		inclusive[i] += context->instructions;
		inclusive[context->caller] += inclusive[i];
	}
	for (at = 0; !error && (context = hwf_stored_profile_next_context(stored, &at));) {
		const bool is_counted =
			maker->is_all || context_binary(maker->content, context->file);

		error = context_number(maker, context, &functions[at]);
		if (!error && (is_counted || context_binary(maker->content, context->site_file)))
			error = add_call(maker, context, functions, (uint32_t)at, inclusive[at]);
	}
	free(functions);
	free(inclusive);
	return error;
}

/* Was a jump never followed? */
static bool is_left_out(const struct costs_row *row)
{
	return (row->kind == COSTS_JUMP || row->kind == COSTS_CONDITIONAL) && !row->count;
}

/* Rows of the same line, kind and destination become one. */
static void sum_rows(struct costs *costs)
{
	struct costs_row *rows = costs->rows.at;
	size_t used = 0;

	items_sort(&costs->rows, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < costs->rows.count; i++) {
		if (used && !compare_rows(&rows[used - 1], &rows[i])) {
			rows[used - 1].count += rows[i].count;
			rows[used - 1].other += rows[i].other;
		} else {
			used -= used && is_left_out(&rows[used - 1]);
			rows[used++] = rows[i];
		}
	}
	used -= used && is_left_out(&rows[used - 1]);
	costs->rows.count = used;
}

int costs_make(struct costs *costs, const struct profile_content *content)
{
	struct maker maker = {
		.costs = costs,
		.content = content,
		.is_all = content->count == profile_count_files(content->stored),
	};
	uint32_t unknown;
	int error;

	*costs = (struct costs){.total = 0};
	/* its number is 0, which no function has as its only name */
	error = name_of(&maker, UNKNOWN_FILE, &unknown);
	if (!error)
		error = add_counts(&maker);
	if (!error)
		error = add_calls(&maker);
	if (!error)
		sum_rows(costs);
	return error;
}

/* Nodes of the trees are in the lists as well. */
static void free_nothing(void *node)
{
	(void)node;
}

void costs_free(struct costs *costs)
{
	struct costs_name **names = costs->names.at;
	struct costs_function **functions = costs->functions.at;

	tdestroy(costs->name_tree, free_nothing);
	tdestroy(costs->function_tree, free_nothing);
	for (size_t i = 0; i < costs->names.count; i++) {
		free(names[i]->text);
		free(names[i]);
	}
	for (size_t i = 0; i < costs->functions.count; i++)
		free(functions[i]);
	free(names);
	free(functions);
	free(costs->rows.at);
}
