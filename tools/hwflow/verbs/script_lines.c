/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of hwflow script.
 *
 *   comm tid cpu time | opcode | ip sym+symoff (dso) srcline  =>  addr sym+symoff (dso) srcline
 * flags start: the last     --insn   text by address                  text by address line's, if it
 * has            |--------------- text by branch, without exceptions -----------------| the same
 * time
 */
#include "script_lines.h"

#include "core/bits.h"
#include "decode/time_merge.h"
#include "hwflow/text.h"
#include "insn_counts.h"
#include "perfdata/perfdata_read.h"
#include "select/selection.h"
#include "symbols/symbols.h"
#include "threads.h"

/* Columns of an address; without names it has as many as perf script prints, after a blank */
#define ADDRESS_COLUMNS 12u
#define ALONE_COLUMNS   17u

/* bytes of the longest instruction: RISC-V */
#define LONGEST_INSN 22u

_Static_assert(SCRIPT_START_BYTES <= TIME_MERGE_START, "the start of a line fits the merge");

/* Bits of text_key.what of a branch; the lower ones are its kind */
#define KEY_BRANCH   0x100u
#define KEY_TAKEN    0x200u
#define KEY_HAS_FROM 0x400u
#define KEY_HAS_TO   0x800u

static const char *short_name(const struct script_lines *lines, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && !lines->full_paths ? slash + 1 : path;
}

static void put_time(const struct script_lines *lines, struct text *out,
		     const struct execution *execution)
{
	const struct perfdata_info *recording = input_recording(execution->input);
	const uint64_t timestamp = execution->timestamp;
	const bool timed = !recording || !recording->untimed;

	if (lines->time == TIME_OF_PIECE && timed && execution->piece->time)
		script_put_seconds(out, execution->piece->time);
	else if (lines->time == TIME_CLOCK && timestamp)
		script_put_seconds(out, perfdata_clock_time(lines->clock, timestamp));
	else if (lines->time == TIME_TICKS && timestamp) {
		text_decimal_padded(out, timestamp, 16);
		text_string(out, "  ");
	} else
		script_put_no_time(out);
}

/* Begins a line of another thread or time, or of the first. */
static struct text *begin_other(struct script_lines *lines, const struct execution *execution)
{
	struct script_start *start = &lines->start;
	struct text *out = lines->out;
	const char *name, *bytes;
	uint64_t flushes;

	if (lines->merge)
		lines->out = out = time_merge_at(lines->merge, execution->source, execution->piece,
						 execution->timestamp);
	bytes = text_room(out, SCRIPT_START_BYTES);
	flushes = out->hwf.flushes;
	name = threads_name(lines->threads, execution->tid, execution->piece->time);
	script_put_thread(out, lines->fields, *name ? name : execution->source->name,
			  execution->tid, execution->source->cpu);
	if (lines->fields & FIELD_TIME)
		put_time(lines, out, execution);
	start->piece = execution->piece;
	start->tid = execution->tid;
	start->timestamp = execution->timestamp;
	start->size = (uint32_t)(out->hwf.at - bytes);
	start->valid = out->hwf.flushes == flushes && out->hwf.at - bytes <= SCRIPT_START_BYTES;
	if (!start->valid)
		return out;
	memcpy(start->bytes, bytes, start->size);
	if (lines->merge) {
		out->hwf.at -= start->size;
		time_merge_put_start(out, start->bytes, start->size);
	}
	return out;
}

void script_lines_restart(void *ctx)
{
	struct script_lines *lines = ctx;

	lines->start.valid = false;
}

/* Begins a line with thread and time. Returns the text for the rest of the line. */
static struct text *begin_columns(struct script_lines *lines, const struct execution *execution)
{
	const struct script_start *start = &lines->start;
	struct text *out = lines->out;

	if (lines->merge)
		cut_count_line(execution->cut, execution->timestamp);
	if (!start->valid || start->piece != execution->piece || start->tid != execution->tid ||
	    start->timestamp != execution->timestamp)
		return begin_other(lines, execution);
	if (lines->merge) {
		time_merge_put_same_start(out);
		return out;
	}
	memcpy(text_room(out, SCRIPT_START_BYTES), start->bytes, SCRIPT_START_BYTES);
	out->hwf.at += start->size;
	return out;
}

static struct text *begin_line(struct script_lines *lines, const struct execution *execution)
{
	struct text *out = begin_columns(lines, execution);

	if (!(lines->fields & FIELD_CYC))
		return out;
	if (lines->cycles_source != execution->source)
		lines->cycles = 0;
	script_put_cycles(out, execution->cycles - lines->cycles);
	lines->cycles_source = execution->source;
	lines->cycles = execution->cycles;
	return out;
}

/* The names of the addresses that are looked up next are those of this process and time. */
static void tell_symbols(struct script_lines *lines, const struct execution *execution)
{
	if (lines->symbols_piece == execution->piece && lines->symbols_tid == execution->tid)
		return;
	lines->symbols_piece = execution->piece;
	lines->symbols_tid = execution->tid;
	symbols_at(lines->symbols, execution_process(execution, lines->threads),
		   execution->piece->since, execution->piece->time);
}

/* The file's build id, if it is an ELF file that has one */
static void put_build_id(struct text *out, const struct hwf_image_file *file)
{
	const struct hwf_image_elf *elf = hwf_image_file_elf(file);

	if (!elf || !elf->build_id_size)
		return;
	text_char(out, ' ');
	for (unsigned int i = 0; i < elf->build_id_size; i++)
		text_hex_zeros(out, elf->build_id[i], 2);
}

/* The file, the offset in it, its build id */
static void put_file(const struct script_lines *lines, struct text *out,
		     const struct hwf_image_space *space, uint64_t address,
		     const struct place_name *name)
{
	struct hwf_image_place place;

	text_named_name(out, " (", short_name(lines, name->function->file));
	if (lines->fields & (FIELD_DSOFF | FIELD_BUILDID) &&
	    hwf_image_find(space, address, &place)) {
		if (lines->fields & FIELD_DSOFF)
			text_named_hex(out, "+0x", place.offset);
		if (lines->fields & FIELD_BUILDID)
			put_build_id(out, place.file);
	}
	text_char(out, ')');
}

static void put_symbol(const struct script_lines *lines, struct text *out,
		       const struct hwf_image_space *space, uint64_t address,
		       const struct place_name *name)
{
	const struct function *function = name->function;
	const bool offset = lines->fields & FIELD_SYMOFF && name->offset;
	const bool stem = offset && lines->fields & FIELD_SYM && function->stem;

	if (lines->fields & FIELD_SYM)
		text_named_name(out, " ", stem ? function->stem : function->name);
	if (offset)
		text_named_hex(out, "+0x", name->offset + (stem ? function->start : 0));
	if (lines->fields & FIELD_DSO && *function->file)
		put_file(lines, out, space, address, name);
}

/* Address, function and offset, file, source line, as they are looked up. */
static void put_named(struct script_lines *lines, struct text *out,
		      const struct hwf_image_space *space, uint64_t address)
{
	text_hex_padded(out, address, ADDRESS_COLUMNS);
	if (lines->fields & (FIELD_SYM | FIELD_DSO)) {
		const struct place_name name = symbols_find(lines->symbols, space, address);

		put_symbol(lines, out, space, address, &name);
	}
	if (lines->fields & FIELD_SRCLINE) {
		const struct source_line line = symbols_line(lines->symbols, space, address);

		if (line.file) {
			text_named_name(out, " ", short_name(lines, line.file));
			text_char(out, ':');
			text_signed_padded(out, line.line, 0);
		}
	}
}

/* Appends a kept text; to the lines of a merge its number. */
static void put_kept(struct script_lines *lines, struct text *out, struct text_entry *entry)
{
	if (lines->merge && !entry->word)
		entry->word = time_merge_word(lines->merge, entry->text, entry->size);
	if (lines->merge && entry->word)
		time_merge_put_word(out, entry->word);
	else
		text_memory_put(entry, out);
}

/* put_named() from the kept texts, or kept from now on. A part of another kept text has no
 * number. */
static void put_place(struct script_lines *lines, struct text *out,
		      const struct execution *execution, const struct hwf_image_space *space,
		      uint64_t address, bool is_part)
{
	const struct text_key key = {.from = address,
				     .from_space = space,
				     .piece = execution->piece,
				     .tid = execution->tid};
	struct text_entry *entry;
	const char *start;
	uint64_t flushes;

	if (!lines->places) {
		text_hex_padded(out, address, ALONE_COLUMNS);
		return;
	}
	entry = text_memory_at(lines->places, &key);
	if (text_memory_has(entry, &key)) {
		if (is_part)
			text_memory_put(entry, out);
		else
			put_kept(lines, out, entry);
		return;
	}
	tell_symbols(lines, execution);
	start = text_room(out, TEXT_MEMORY_LONGEST);
	flushes = out->hwf.flushes;
	put_named(lines, out, space, address);
	text_memory_keep(entry, &key, start, flushes, out);
}

/* An address that is not known: perf prints 0. */
static void put_outside(const struct script_lines *lines, struct text *out)
{
	if (!lines->places) {
		text_right(out, "0", ALONE_COLUMNS);
		return;
	}
	text_right(out, "-", ADDRESS_COLUMNS);
	if (lines->fields & FIELD_SYM)
		text_string(out, " [outside]");
}

static void put_exception(struct text *out, const struct hwf_branch *branch, bool m_profile)
{
	const struct hwf_flow_trap *trap = &branch->trap;
	const char *name = hwf_riscv_cause_name(trap->cause, trap->interrupt);

	text_char(out, ' ');
	if (!branch->is_trap)
		text_string(out, m_profile ? hwf_exception_m_name(branch->exception)
					   : hwf_exception_name(branch->exception));
	else if (name)
		text_string(out, name);
	else
		text_named_decimal(out, trap->interrupt ? "interrupt " : "cause ", trap->cause);
}

static void put_flags(struct text *out, const struct execution *execution,
		      const struct hwf_branch *branch)
{
	text_named_string(out, "  ", hwf_branch_kind_name(branch->kind));
	if (branch->kind == HWF_BRANCH_EXCEPTION)
		put_exception(out, branch, execution->source->config.m_profile);
	if (!branch->taken)
		text_string(out, " not taken");
}

/* From the address of the branch to the end of the line */
static void put_branch(struct script_lines *lines, struct text *out,
		       const struct execution *execution, const struct hwf_branch *branch)
{
	if (lines->fields & FIELD_IP && branch->has_from)
		put_place(lines, out, execution, branch->from_space, branch->from, true);
	else if (lines->fields & FIELD_IP)
		put_outside(lines, out);
	if (lines->fields & FIELD_ADDR) {
		if (lines->places)
			text_string(out, branch->taken ? "  =>  " : "  ..  ");
		else
			text_string(out, branch->taken ? " =>" : " ..");
		if (branch->has_to)
			put_place(lines, out, execution, branch->to_space, branch->to, true);
		else
			put_outside(lines, out);
	}
	if (lines->fields & FIELD_FLAGS)
		put_flags(out, execution, branch);
}

/* put_branch(), from the kept texts, or kept from now on */
static void put_kept_branch(struct script_lines *lines, struct text *out,
			    const struct execution *execution, const struct hwf_branch *branch)
{
	const struct text_key key = {
		.from = branch->from,
		.to = branch->to,
		.from_space = branch->from_space,
		.to_space = branch->to_space,
		.piece = execution->piece,
		.tid = execution->tid,
		.what = KEY_BRANCH | branch->kind | (branch->taken ? KEY_TAKEN : 0) |
			(branch->has_from ? KEY_HAS_FROM : 0) | (branch->has_to ? KEY_HAS_TO : 0),
	};
	struct text_entry *entry = text_memory_at(lines->branches, &key);
	const char *start;
	uint64_t flushes;

	if (text_memory_has(entry, &key)) {
		put_kept(lines, out, entry);
		return;
	}
	start = text_room(out, TEXT_MEMORY_LONGEST);
	flushes = out->hwf.flushes;
	put_branch(lines, out, execution, branch);
	text_memory_keep(entry, &key, start, flushes, out);
}

void script_take_branch(void *ctx, const struct execution *execution,
			const struct hwf_branch *branch)
{
	struct script_lines *lines = ctx;
	struct text *out;

	if (!branch->taken && !lines->not_taken)
		return;
	out = begin_line(lines, execution);
	if (lines->branches && branch->kind != HWF_BRANCH_EXCEPTION)
		put_kept_branch(lines, out, execution, branch);
	else
		put_branch(lines, out, execution, branch);
	text_end_line(out);
}

/* An instruction as a number. Those of RISC-V may have more than 4 bytes, the lowest first. */
static void put_opcode(struct text *out, unsigned int isa, const uint8_t *bytes, unsigned int size)
{
	if (size <= 4) {
		text_hex_zeros(out, insn_opcode(isa, bytes, size), 2 * size);
		text_blanks(out, 9 - 2 * size);
		return;
	}
	while (size--)
		text_hex_zeros(out, bytes[size], 2);
	text_blanks(out, 1);
}

void script_take_range(void *ctx, const struct execution *execution,
		       const struct hwf_flow_range *range)
{
	struct script_lines *lines = ctx;
	const struct hwf_code *code = execution->code;
	uint64_t pc = range->start;

	for (uint32_t i = 0; i < range->instructions; i++) {
		struct text *out = begin_line(lines, execution);
		uint8_t bytes[LONGEST_INSN] = {0};
		unsigned int size;

		code->read(code->ctx, execution->space, pc, bytes, 4);
		size = input_insn_size(range->isa, (uint16_t)hwf_load32(bytes));
		if (size > 4)
			code->read(code->ctx, execution->space, pc, bytes, size);
		if (lines->fields & FIELD_INSN)
			put_opcode(out, range->isa, bytes, size);
		if (lines->fields & FIELD_IP)
			put_place(lines, out, execution, execution->space, pc, false);
		text_end_line(out);
		pc += size;
	}
}

void script_take_gap(void *ctx, const struct execution *execution, const struct gap *gap)
{
	struct script_lines *lines = ctx;
	struct text *out = begin_line(lines, execution);

	if (gap->has_address) {
		put_place(lines, out, execution, gap->space, gap->address, true);
		text_char(out, ' ');
	}
	text_named_name(out, "GAP: ", gap->reason);
	text_end_line(out);
}

void script_take_instrumentation(void *ctx, const struct execution *execution,
				 const struct hwf_ete_instrumentation *instrumentation)
{
	struct script_lines *lines = ctx;
	struct text *out = begin_line(lines, execution);

	text_named_decimal(out, "INSTRUMENTATION: el=", instrumentation->el);
	text_named_hex(out, " value=0x", instrumentation->value);
	text_end_line(out);
}

int script_lines_init(struct script_lines *lines)
{
	int error = 0;

	if (lines->fields & FIELDS_NAMES)
		error = text_memory_new(&lines->places);
	if (!error && lines->fields & FIELDS_NAMES && lines->fields & FIELD_ADDR)
		error = text_memory_new(&lines->branches);
	return error;
}

void script_lines_free(struct script_lines *lines)
{
	text_memory_free(lines->branches);
	text_memory_free(lines->places);
}
