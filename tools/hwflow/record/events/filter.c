// SPDX-License-Identifier: GPL-2.0-only
#include "base/print.h"
#include "filter.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "program/elf_function.h"
#include "program/kallsyms.h"

#define KALLSYMS   "/proc/kallsyms"
#define NAME_BYTES 256

/* struct point.number: any function of the name, if there is only one; a global function */
#define ANY_NUMBER    0
#define GLOBAL_NUMBER (-1)

/**
 * struct point - an address in a filter
 * @is_name: it is the name of a function
 * @name: the name
 * @number: which function of that name, from 1 up; ANY_NUMBER, GLOBAL_NUMBER
 * @value: the offset into the file, or the address
 * @length: bytes of the function
 */
struct point {
	bool is_name;
	char name[NAME_BYTES];
	int number;
	uint64_t value;
	uint64_t length;
};

/**
 * struct clause - one filter
 * @action: "filter", "start" or "stop"
 * @from: its address
 * @has_to: @to is given
 * @to: the last function of a range, or a number of bytes
 * @path: the file; empty for the kernel
 */
struct clause {
	const char *action;
	struct point from;
	bool has_to;
	struct point to;
	char path[PATH_MAX];
};

/**
 * struct parse - a filter being parsed
 * @at: text that is left
 * @message: receives the reason of an error
 * @size: bytes of @message
 */
struct parse {
	const char *at;
	char *message;
	size_t size;
};

static bool __attribute__((format(printf, 2, 3))) fail(struct parse *parse, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(parse->message, parse->size, format, args);
	va_end(args);
	return false;
}

static void skip_blanks(struct parse *parse)
{
	parse->at += strspn(parse->at, " ");
}

static bool parse_number(struct parse *parse, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(parse->at, &end, 0);
	if (errno || end == parse->at)
		return fail(parse, "'%.40s' is not a number", parse->at);
	parse->at = end;
	return true;
}

/* NAME, NAME#N or NAME#g; or a number */
static bool parse_point(struct parse *parse, struct point *point)
{
	size_t length;

	skip_blanks(parse);
	*point = (struct point){.number = ANY_NUMBER};
	if (isdigit((unsigned char)*parse->at))
		return parse_number(parse, &point->value);
	length = strcspn(parse->at, " ,/@#");
	if (!length || length >= sizeof(point->name))
		return fail(parse, "a function or an address expected at '%.40s'", parse->at);
	point->is_name = true;
	memcpy(point->name, parse->at, length);
	parse->at += length;
	skip_blanks(parse);
	if (*parse->at != '#')
		return true;
	parse->at++;
	if (*parse->at == 'g' || *parse->at == 'G') {
		parse->at++;
		point->number = GLOBAL_NUMBER;
		return true;
	}
	if (!parse_number(parse, &point->value) || !point->value || point->value > INT_MAX)
		return fail(parse, "'%s#': a number from 1 up or g expected", point->name);
	point->number = (int)point->value;
	return true;
}

static bool parse_action(struct parse *parse, struct clause *clause)
{
	static const char *const actions[] = {"filter", "start", "stop"};

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		const size_t length = strlen(actions[i]);

		if (!strncmp(parse->at, actions[i], length) && parse->at[length] == ' ') {
			clause->action = actions[i];
			parse->at += length;
			return true;
		}
	}
	return fail(parse, "filter, start or stop expected at '%.40s'", parse->at);
}

static bool parse_clause(struct parse *parse, struct clause *clause)
{
	size_t length;

	*clause = (struct clause){.action = NULL};
	if (!parse_action(parse, clause) || !parse_point(parse, &clause->from))
		return false;
	skip_blanks(parse);
	if (*parse->at == '/') {
		parse->at++;
		clause->has_to = true;
		if (!parse_point(parse, &clause->to))
			return false;
		skip_blanks(parse);
	}
	if (*parse->at == '@') {
		length = strcspn(++parse->at, " ,");
		if (!length || length >= sizeof(clause->path))
			return fail(parse, "a file expected behind '@'");
		memcpy(clause->path, parse->at, length);
		parse->at += length;
	}
	parse->at += strspn(parse->at, " ,");
	return true;
}

/* Whether a function is the one that a point names; counts those of the name in @found */
static bool is_wanted(const struct point *point, bool global, int *found)
{
	++*found;
	if (point->number == GLOBAL_NUMBER)
		return global;
	return point->number == ANY_NUMBER || point->number == *found;
}

static bool check_found(struct parse *parse, const struct point *point, const char *path, int found,
			int taken)
{
	if (point->number == ANY_NUMBER && found > 1)
		return fail(parse,
			    "%s has %d functions %s: append #1 to #%d, or #g for a global one",
			    path, found, point->name, found);
	if (!taken)
		return fail(parse, "%s has no function %s%s", path, point->name,
			    found ? " of this number" : "");
	if (!point->length)
		return fail(parse, "%s: function %s has no size: use its offset and size in bytes",
			    path, point->name);
	return true;
}

/* The offset in the file of an address of its program headers */
static bool to_offset(Elf *elf, uint64_t address, uint64_t *offset)
{
	size_t count;
	GElf_Phdr header;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    address - header.p_vaddr >= header.p_filesz)
			continue;
		*offset = address - header.p_vaddr + header.p_offset;
		return true;
	}
	return false;
}

/* Look for a function in a symbol table. Returns how many were taken. */
static int search_table(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, struct point *point,
			int *found)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Ehdr head;
	GElf_Sym symbol;
	int taken = 0;

	if (!gelf_getehdr(elf, &head))
		return 0;
	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name;
		uint64_t offset;

		if (!elf_is_function(head.e_machine, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (!name || strcmp(name, point->name) != 0 ||
		    !to_offset(elf, elf_symbol_address(head.e_machine, &symbol), &offset) ||
		    !is_wanted(point, GELF_ST_BIND(symbol.st_info) == STB_GLOBAL, found))
			continue;
		point->value = offset;
		point->length = symbol.st_size;
		taken++;
	}
	return taken;
}

/* The full symbol table, or that of dynamic linking if there is no other */
static bool find_in_file(struct parse *parse, Elf *elf, const char *path, struct point *point)
{
	static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
	int found = 0, taken = 0;

	for (size_t i = 0; !found && i < sizeof(types) / sizeof(types[0]); i++) {
		Elf_Scn *section = NULL;
		GElf_Shdr header;

		while ((section = elf_nextscn(elf, section)) != NULL)
			if (gelf_getshdr(section, &header) && header.sh_type == types[i])
				taken += search_table(elf, section, &header, point, &found);
	}
	return check_found(parse, point, path, found, taken);
}

/**
 * struct kernel_search - a function of the kernel that is looked for
 * @point: its name; receives its address
 * @found: functions of this name
 * @taken: those of them that @point names
 * @next: address of the next symbol
 */
struct kernel_search {
	struct point *point;
	int found;
	int taken;
	uint64_t next;
};

static int take_function(void *ctx, const struct kallsym *symbol)
{
	struct kernel_search *search = ctx;

	if ((symbol->type | 32) != 't' || strcmp(symbol->name, search->point->name) != 0 ||
	    !is_wanted(search->point, symbol->type == 'T', &search->found))
		return 0;
	search->point->value = symbol->address;
	search->taken++;
	return 0;
}

static int take_next(void *ctx, const struct kallsym *symbol)
{
	struct kernel_search *search = ctx;

	if (symbol->address > search->point->value && symbol->address < search->next)
		search->next = symbol->address;
	return 0;
}

/* Functions of the kernel have no sizes: one ends where the next symbol is, which has any line. */
static bool find_in_kernel(struct parse *parse, struct point *point)
{
	struct kernel_search search = {.point = point, .next = UINT64_MAX};
	int error = kallsyms_read(KALLSYMS, 0, take_function, &search);

	if (!error && search.taken)
		error = kallsyms_read(KALLSYMS, 0, take_next, &search);
	if (error)
		return fail(parse, KALLSYMS ": %s", strerror(-error));
	if (search.taken && !point->value)
		return fail(parse, KALLSYMS " hides addresses from this user: become root, or use "
					    "addresses");
	point->length = search.next - point->value;
	return check_found(parse, point, "the kernel", search.found, search.taken);
}

static Elf *open_elf(struct parse *parse, const char *path, int *fd)
{
	Elf *elf;

	*fd = input_file_open(path, 0, NULL);
	if (*fd < 0) {
		fail(parse, "%s: %s", path, input_file_error(*fd));
		return NULL;
	}
	elf = elf_begin(*fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		fail(parse, "%s: not an ELF file", path);
		elf_end(elf);
		close(*fd);
		return NULL;
	}
	return elf;
}

static bool find_names(struct parse *parse, struct clause *clause)
{
	struct point *points[] = {&clause->from, &clause->to};
	bool good = true;
	Elf *elf = NULL;
	int fd = -1;

	if (!clause->from.is_name && !clause->to.is_name)
		return true;
	if (*clause->path) {
		elf = open_elf(parse, clause->path, &fd);
		if (!elf)
			return false;
	}
	for (size_t i = 0; good && i < sizeof(points) / sizeof(points[0]); i++) {
		if (points[i]->is_name)
			good = elf ? find_in_file(parse, elf, clause->path, points[i])
				   : find_in_kernel(parse, points[i]);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return good;
}

/* Bytes of a range: those of one function, up to the end of another one, or as given */
static bool find_length(struct parse *parse, const struct clause *clause, uint64_t *length)
{
	*length = clause->from.length;
	if (clause->to.is_name && clause->to.value < clause->from.value)
		return fail(parse, "%s is before %s", clause->to.name, clause->from.name);
	if (clause->has_to)
		*length = clause->to.is_name
				  ? clause->to.value + clause->to.length - clause->from.value
				  : clause->to.value;
	if (!*length)
		return fail(parse, "filter %#" PRIx64 ": a size expected: ADDRESS/SIZE",
			    clause->from.value);
	return true;
}

/* Append a clause to the filter as the kernel takes it. */
static bool put_clause(struct parse *parse, const struct clause *clause, FILE *out, bool first)
{
	uint64_t length;

	print(out, "%s%s %#" PRIx64, first ? "" : ",", clause->action, clause->from.value);
	if (!strcmp(clause->action, "filter")) {
		if (!find_length(parse, clause, &length))
			return false;
		print(out, "/%#" PRIx64, length);
	} else if (clause->has_to) {
		return fail(parse, "%s has one address, not a range", clause->action);
	}
	if (*clause->path)
		print(out, "@%s", clause->path);
	return true;
}

char *record_filter_resolve(const char *text, char *message, size_t size)
{
	struct parse parse = {.at = text, .message = message, .size = size};
	bool good = true, first = true;
	struct clause clause;
	char *result = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&result, &length);

	if (!out) {
		fail(&parse, "out of memory");
		return NULL;
	}
	parse.at += strspn(parse.at, " ,");
	if (!*parse.at)
		good = fail(&parse, "the filter is empty");
	for (; good && *parse.at; first = false)
		good = parse_clause(&parse, &clause) && find_names(&parse, &clause) &&
		       put_clause(&parse, &clause, out, first);
	if (fclose(out) && good)
		good = fail(&parse, "out of memory");
	if (good)
		return result;
	free(result);
	return NULL;
}

bool record_filter_find(const char *point, const char *path, uint64_t *offset, char *message,
			size_t size)
{
	struct parse parse = {.at = point, .message = message, .size = size};
	struct clause clause = {.action = "filter"};

	if (snprintf(clause.path, sizeof(clause.path), "%s", path) >= (int)sizeof(clause.path))
		return fail(&parse, "%.40s...: the path is too long", path);
	if (!parse_point(&parse, &clause.from))
		return false;
	if (*parse.at)
		return fail(&parse, "'%s' is not expected behind the function", parse.at);
	if (!find_names(&parse, &clause))
		return false;
	*offset = clause.from.value;
	return true;
}
