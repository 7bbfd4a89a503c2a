// SPDX-License-Identifier: GPL-2.0-only
/*
 * Documents that gdb reads of a target, as the manual of gdb describes them: Target Descriptions,
 * Thread List Format, Library List Format for SVR4 Targets, Branch Trace Format.
 */
#include "gdb_documents.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"

/**
 * struct architecture - registers of an instruction set
 * @isa: enum hwf_isa
 * @name: as gdb has it
 * @feature: the registers, as gdb has them: x0 and so on
 * @count: how many they are
 * @bits: bits of each, and of the program counter
 * @arm: they are followed by sp; the program counter is followed by cpsr. Else it is followed by
 *	the floating-point registers: without them gdb refuses programs that use them
 */
struct architecture {
	uint8_t isa;
	const char *name;
	const char *feature;
	unsigned int count;
	unsigned int bits;
	bool arm;
};

/* f0 and so on, of RISC-V */
#define FLOAT_COUNT 32u
#define FLOAT_BITS  64u

static const struct architecture architectures[] = {
	{HWF_ISA_A64, "aarch64", "org.gnu.gdb.aarch64.core", 31, 64, true},
	{HWF_ISA_RV64, "riscv:rv64", "org.gnu.gdb.riscv.cpu", 32, 64, false},
	{HWF_ISA_RV32, "riscv:rv32", "org.gnu.gdb.riscv.cpu", 32, 32, false},
};

static const struct architecture *architecture_of(unsigned int isa)
{
	for (size_t i = 0; i < sizeof(architectures) / sizeof(architectures[0]); i++)
		if (architectures[i].isa == isa)
			return &architectures[i];
	return NULL;
}

bool gdb_isa_is_known(unsigned int isa)
{
	return architecture_of(isa);
}

/* Append @size bytes of a number, the lowest first, as they are or in hexadecimal. */
static void put_number(struct text *text, uint64_t value, unsigned int size, bool hex)
{
	for (unsigned int i = 0; i < size; i++, value >>= 8)
		if (hex)
			text_hex_zeros(text, value & 0xff, 2);
		else
			text_char(text, (char)value);
}

/* Registers before the program counter have no value, and those after it are left out. */
void gdb_put_registers(const struct gdb_target *target, struct text *text)
{
	const struct gdb_thread *thread = target->thread;
	const struct architecture *architecture = architecture_of(thread->isa);
	const unsigned int before = (architecture->count + architecture->arm) * architecture->bits;

	for (unsigned int i = 0; i < before / 8; i++)
		text_string(text, "xx");
	put_number(text, gdb_thread_block(thread, thread->count - 1)->end, architecture->bits / 8,
		   true);
}

/* ---- documents ---- */

/* A string of the recording. XML has no control characters: the string is escaped, as in text. */
static void put_name(struct text *text, const char *name)
{
	char *escaped = escape_copy(name);

	for (const char *at = escaped; at && *at; at++) {
		if (strchr("<&>\"'", *at)) {
			text_named_decimal(text, "&#", (unsigned char)*at);
			text_char(text, ';');
		} else {
			text_char(text, *at);
		}
	}
	free(escaped);
}

/* @attribute: the text of an attribute, up to the digits of its value */
static void put_hex(struct text *text, const char *attribute, uint64_t value)
{
	text_named_hex(text, attribute, value);
	text_char(text, '"');
}

static void put_register(struct text *text, const char *name, unsigned int bits, const char *type)
{
	text_named_name(text, "<reg name=\"", name);
	text_named_decimal(text, "\" bitsize=\"", bits);
	text_named_name(text, "\" type=\"", type);
	text_string(text, "\"/>");
}

/* Registers x0, x1 and so on, or f0, f1 and so on */
static void put_numbered(struct text *text, char letter, unsigned int count, unsigned int bits)
{
	char name[] = "x00";

	name[0] = letter;
	for (unsigned int i = 0; i < count; i++) {
		name[1] = (char)('0' + (i < 10 ? i : i / 10));
		name[2] = (char)(i < 10 ? 0 : '0' + i % 10);
		put_register(text, name, bits, letter == 'f' ? "ieee_double" : "int");
	}
}

static void put_description(const struct gdb_target *target, struct text *text)
{
	const struct architecture *architecture = architecture_of(target->thread->isa);

	text_named_name(text, "<target version=\"1.0\"><architecture>", architecture->name);
	text_named_name(text, "</architecture><osabi>GNU/Linux</osabi><feature name=\"",
			architecture->feature);
	text_string(text, "\">");
	put_numbered(text, 'x', architecture->count, architecture->bits);
	if (architecture->arm)
		put_register(text, "sp", architecture->bits, "data_ptr");
	put_register(text, "pc", architecture->bits, "code_ptr");
	if (architecture->arm) {
		put_register(text, "cpsr", 32, "int");
	} else {
		text_string(text, "</feature><feature name=\"org.gnu.gdb.riscv.fpu\">");
		put_numbered(text, 'f', FLOAT_COUNT, FLOAT_BITS);
	}
	text_string(text, "</feature></target>");
}

static void put_threads(const struct gdb_target *target, struct text *text)
{
	const struct gdb_history *history = target->history;

	text_string(text, "<threads>");
	for (size_t i = 0; i < history->thread_count; i++) {
		const struct gdb_thread *thread = history->threads[i];

		text_named_hex(text, "<thread id=\"", thread->id);
		text_string(text, "\" name=\"");
		put_name(text, gdb_thread_name(history, thread));
		text_string(text, "\"/>");
	}
	text_string(text, "</threads>");
}

/* The addresses of struct link_map of the dynamic loader are not known: any numbers serve. */
static void put_libraries(const struct gdb_target *target, struct text *text)
{
	text_string(text, "<library-list-svr4 version=\"1.0\" main-lm=\"0x1\">");
	for (size_t i = 0; i < target->files.count; i++) {
		const struct gdb_file *file = &target->files.items[i];

		if (file == target->program)
			continue;
		text_string(text, "<library name=\"");
		put_name(text, file->path);
		text_char(text, '"');
		put_hex(text, " lm=\"0x", i + 2);
		put_hex(text, " l_addr=\"0x", file->bias);
		put_hex(text, " l_ld=\"0x", file->bias + file->dynamic);
		put_hex(text, " lmid=\"0x", 0);
		text_string(text, "/>");
	}
	text_string(text, "</library-list-svr4>");
}

/* Auxiliary vector: the entry point, by which gdb finds where the program was loaded */
static void put_vector(const struct gdb_target *target, struct text *text)
{
	const struct gdb_file *program = target->program;
	const unsigned int size = architecture_of(target->thread->isa)->bits / 8;

	if (program) {
		put_number(text, AT_ENTRY, size, false);
		put_number(text, program->bias + program->entry, size, false);
	}
	put_number(text, AT_NULL, size, false);
	put_number(text, 0, size, false);
}

static void put_program(const struct gdb_target *target, struct text *text)
{
	if (target->program)
		text_string(text, target->program->path);
}

/* The newest block comes first. */
void gdb_put_blocks(const struct gdb_target *target, struct text *text)
{
	const struct gdb_thread *thread = target->thread;

	text_string(text, "<btrace version=\"1.0\">");
	for (size_t i = thread->count; i > 0; i--) {
		const struct gdb_block *block = gdb_thread_block(thread, i - 1);

		text_string(text, "<block");
		put_hex(text, " begin=\"0x", block->begin);
		put_hex(text, " end=\"0x", block->end);
		text_string(text, "/>");
	}
	text_string(text, "</btrace>");
}

/* gdb asks for this where it has a recording already. */
static void put_no_blocks(const struct gdb_target *target, struct text *text)
{
	(void)target;
	text_string(text, "<btrace version=\"1.0\"></btrace>");
}

/* By this gdb knows, when it connects, that there is a recording. */
static void put_configuration(const struct gdb_target *target, struct text *text)
{
	(void)target;
	text_string(text, "<btrace-conf version=\"1.0\"><bts/></btrace-conf>");
}

/**
 * struct document - a document that gdb can read
 * @name: its name, without qXfer:
 * @annex: the part of the request after the name
 * @put: writes it
 */
struct document {
	const char *name;
	const char *annex;
	gdb_put_document *put;
};

static const struct document documents[] = {
	{"features:read", ":target.xml:", put_description},
	{"threads:read", "::", put_threads},
	{"libraries-svr4:read", "::", put_libraries},
	{"auxv:read", "::", put_vector},
	{"exec-file:read", ":", put_program},
	{"btrace:read", ":all:", gdb_put_blocks},
	{"btrace:read", ":new:", gdb_put_blocks},
	{"btrace:read", ":delta:", put_no_blocks},
	{"btrace-conf:read", "::", put_configuration},
};

#define DOCUMENTS (sizeof(documents) / sizeof(documents[0]))

void gdb_put_document_names(struct text *text)
{
	for (size_t i = 0; i < DOCUMENTS; i++) {
		if (i && !strcmp(documents[i].name, documents[i - 1].name))
			continue;
		text_named_name(text, ";qXfer:", documents[i].name);
		text_char(text, '+');
	}
}

gdb_put_document *gdb_find_document(struct gdb_target *target, const char **request)
{
	for (size_t i = 0; i < DOCUMENTS; i++) {
		const struct document *document = &documents[i];
		const size_t name = strlen(document->name), annex = strlen(document->annex);
		const char *rest = *request + name;

		if (strncmp(*request, document->name, name) != 0 ||
		    strncmp(rest, document->annex, annex) != 0)
			continue;
		rest += annex;
		/* the annex is the process, of which there is one */
		if (document->put == put_program)
			rest = strchr(rest, ':');
		if (!rest || (document->put == put_program && !target->program))
			return NULL;
		rest += document->put == put_program;
		/* there is no difference to a recording that gdb has not read */
		if (document->put == put_no_blocks && target->read != target->thread)
			return NULL;
		if (document->put == gdb_put_blocks)
			target->read = target->thread;
		*request = rest;
		return document->put;
	}
	return NULL;
}
