// SPDX-License-Identifier: GPL-2.0-only
/* hwflow emulate: the file of PROGRAM, its script interpreters, and the processor it is for. */
#include "emulate_program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../plugin/script_line.h"
#include "base/command_status.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/resolve.h"
#include "emulate.h"
#include "source/input.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

/**
 * struct candidate - the file that is looked at
 * @program: of it
 * @sysroot: a directory whose files come first; NULL for none
 * @script: the script that names this file as its interpreter; "" for PROGRAM itself
 * @name: the file as the user or the script names it
 */
struct candidate {
	struct emulate_program *program;
	const char *sysroot;
	char script[PATH_MAX];
	char name[PATH_MAX];
};

/* Prints "hwflow emulate: FILE: REASON" with the script that led to FILE. */
static int __attribute__((format(printf, 2, 3))) refuse(const struct candidate *candidate,
							const char *format, ...)
{
	const char *path = candidate->program->path;
	bool elsewhere = *path && strcmp(path, candidate->name) != 0;
	char *reason;
	va_list args;

	va_start(args, format);
	if (vasprintf(&reason, format, args) < 0)
		reason = NULL;
	va_end(args);
	verb_error("%s%s%s%s%s%s: %s", candidate->script,
		   *candidate->script ? ": the interpreter of this script, " : "", candidate->name,
		   elsewhere ? " (" : "", elsewhere ? path : "", elsewhere ? ")" : "",
		   reason ? reason : "not enough memory");
	free(reason);
	return EXIT_NOT_EXECUTABLE;
}

const char *emulate_sysroot(const char *sysroot)
{
	return sysroot ? sysroot : getenv("QEMU_LD_PREFIX");
}

/* The file that @name is in a machine whose root directory is @sysroot. */
static bool open_in_root(char *path, const char *sysroot, const char *name)
{
	const int root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const int fd = root < 0 ? -1 : resolve_open(root, name, O_PATH);
	const int error = errno;

	*path = '\0';
	if (fd >= 0) {
		input_file_link(fd, path);
		close(fd);
	}
	if (root >= 0)
		close(root);
	errno = error;
	return *path;
}

static bool in_root(char *path, const char *sysroot, const char *name)
{
	char plain[PATH_MAX], real[PATH_MAX], inside[PATH_MAX];
	bool has_plain;

	if (snprintf(plain, PATH_MAX, "%s%s", sysroot, name) >= PATH_MAX)
		return false;
	has_plain = realpath(plain, real) != NULL;
	errno = 0;
	if (open_in_root(inside, sysroot, name)) {
		snprintf(path, PATH_MAX, "%s", has_plain && !strcmp(real, inside) ? plain : inside);
		return true;
	}
	/* a kernel before 5.6 has no openat2 */
	if (!has_plain || errno != ENOSYS)
		return false;
	snprintf(path, PATH_MAX, "%s", plain);
	return true;
}

bool emulate_below(char *path, const char *sysroot, const char *name)
{
	if (sysroot && *sysroot && *name == '/' && in_root(path, sysroot, name))
		return true;
	snprintf(path, PATH_MAX, "%s", name);
	return !access(path, F_OK);
}

static bool is_executable(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISREG(status.st_mode) && (status.st_mode & 0111);
}

bool emulate_find_in_path(char *path, const char *sysroot, const char *name)
{
	const char *search = getenv("PATH");
	char file[PATH_MAX], found[PATH_MAX];
	struct stat status;

	*path = '\0';
	for (search = search ? search : DEFAULT_PATH;; search++) {
		const size_t length = strcspn(search, ":");
		const char *directory = length ? search : ".";
		int written = snprintf(file, PATH_MAX, "%.*s/%s", length ? (int)length : 1,
				       directory, name);
		bool exists = false;

		if (written < PATH_MAX && !sysroot)
			exists = emulate_below(found, NULL, file);
		else if (written < PATH_MAX && *file == '/')
			exists = in_root(found, sysroot, file);
		if (exists && is_executable(found)) {
			snprintf(path, PATH_MAX, "%s", found);
			return true;
		}
		if (exists && !*path && !stat(found, &status) && S_ISREG(status.st_mode))
			snprintf(path, PATH_MAX, "%s", found);
		search += length;
		if (!*search)
			return false;
	}
}

/* What the file system says against running a file */
static int check_file(const struct candidate *candidate)
{
	const char *path = candidate->program->path;
	struct stat status;

	if (stat(path, &status)) {
		const int error = errno;

		refuse(candidate, "%s", strerror(error));
		return command_status_unstarted(error);
	}
	if (S_ISDIR(status.st_mode))
		return refuse(candidate, "this is a directory; name the program in it");
	if (!S_ISREG(status.st_mode))
		return refuse(candidate, "this is a device, a pipe or a socket, not a program");
	if (!(status.st_mode & 0111))
		return refuse(candidate,
			      "the file has no execute permission; if it is a program: "
			      "chmod +x %s",
			      path);
	if (access(path, R_OK))
		return refuse(candidate, "%s; QEMU has to read the file", strerror(errno));
	if (!status.st_size)
		return refuse(candidate, "the file is empty; build or copy the program again");
	return 0;
}

static const char *machine_name(const GElf_Ehdr *head)
{
	const bool is_64 = head->e_ident[EI_CLASS] == ELFCLASS64;
	const bool is_big = head->e_ident[EI_DATA] == ELFDATA2MSB;

	switch (head->e_machine) {
	case EM_X86_64:
		return is_64 ? "x86-64" : "x32";
	case EM_386:
		return "32-bit x86";
	case EM_ARM:
		return "32-bit arm";
	case EM_AARCH64:
		return is_big ? "big-endian arm64" : "arm64 with 32-bit pointers (ILP32)";
	case EM_RISCV:
		return is_big ? "big-endian RISC-V" : "32-bit RISC-V";
	case EM_PPC64:
		return "ppc64";
	case EM_S390:
		return "s390x";
	case EM_MIPS:
		return "MIPS";
	default:
		return NULL;
	}
}

/* The ELF file is for a processor that hwflow does not trace. */
static int refuse_machine(const struct candidate *candidate, const GElf_Ehdr *head)
{
	const struct emulate_program *program = candidate->program;
	const char *name = machine_name(head);
	char machine[64], remedy[2 * PATH_MAX] = "", below[PATH_MAX];

	if (name)
		snprintf(machine, sizeof(machine), "a program for %s", name);
	else
		snprintf(machine, sizeof(machine), "an ELF file for machine %u", head->e_machine);
	if (candidate->sysroot && *candidate->name == '/' &&
	    in_root(below, candidate->sysroot, candidate->name) &&
	    strcmp(below, program->path) != 0)
		snprintf(remedy, sizeof(remedy), "; the file below %s is %s", candidate->sysroot,
			 below);
	else if (*candidate->script || strcmp(program->path, candidate->name) != 0)
		snprintf(remedy, sizeof(remedy), "; --sysroot=DIR looks for it below DIR first");
	else if (head->e_machine == EM_ARM)
		snprintf(remedy, sizeof(remedy), "; build it with aarch64-linux-gnu-gcc");
	return refuse(candidate, "%s; hwflow emulate runs arm64 and riscv64 Linux programs%s",
		      machine, remedy);
}

static int check_machine(const struct candidate *candidate, const GElf_Ehdr *head)
{
	const bool runs =
		head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_ident[EI_DATA] == ELFDATA2LSB;

	if (runs && (head->e_machine == EM_AARCH64 || head->e_machine == EM_RISCV))
		return 0;
	return refuse_machine(candidate, head);
}

/* The dynamic linker; false if its name is not in the file */
static bool take_interpreter(struct emulate_program *program, int fd, const GElf_Phdr *segment)
{
	ssize_t got;

	if (segment->p_filesz < 2 || segment->p_filesz > PATH_MAX)
		return false;
	got = pread(fd, program->interpreter, segment->p_filesz, (off_t)segment->p_offset);
	return got == (ssize_t)segment->p_filesz && !program->interpreter[got - 1];
}

static int check_segments(const struct candidate *candidate, Elf *elf, int fd,
			  const GElf_Ehdr *head)
{
	struct emulate_program *program = candidate->program;
	GElf_Phdr segment;
	size_t count = 0;
	bool has_code = false;

	if (head->e_type == ET_REL)
		return refuse(candidate, "an object file, not a program; link it first");
	if (head->e_type == ET_CORE)
		return refuse(candidate, "a core dump, not a program");
	if (elf_getphdrnum(elf, &count))
		count = 0;
	/* libelf hides program headers that are not in the file */
	if (count < head->e_phnum)
		return refuse(
			candidate,
			"offset %#llx: the program headers are not in the file: it is cut off, "
			"or damaged; build or copy it again",
			(unsigned long long)head->e_phoff);
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment))
			continue;
		has_code = has_code || (segment.p_type == PT_LOAD && (segment.p_flags & PF_X));
		if (segment.p_type == PT_INTERP && !take_interpreter(program, fd, &segment))
			return refuse(candidate,
				      "offset %#llx: the name of the dynamic linker is "
				      "not in the file: it is cut off, or damaged; build "
				      "or copy it again",
				      (unsigned long long)segment.p_offset);
	}
	if (!has_code)
		return refuse(candidate, "an ELF file without a segment of code, not a program");
	if (head->e_type == ET_DYN && !head->e_entry && !*program->interpreter)
		return refuse(candidate, "a shared library, not a program");
	program->is_riscv = head->e_machine == EM_RISCV;
	return 0;
}

static int check_elf(const struct candidate *candidate)
{
	const int fd = input_file_open(candidate->program->path, 0, NULL);
	GElf_Ehdr head;
	Elf *elf;
	int status;

	if (fd < 0)
		return refuse(candidate, "%s", input_file_error(fd));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &head)) {
		status = refuse(candidate, "offset 0: an ELF header that is cut off, or damaged; "
					   "build or copy the program again");
	} else {
		status = check_machine(candidate, &head);
		if (!status)
			status = check_segments(candidate, elf, fd, &head);
	}
	elf_end(elf);
	close(fd);
	return status;
}

/* Puts the interpreter of a script, its argument and the script before the other arguments. */
static int put_script(struct emulate_program *program, const struct script_line *line,
		      const char *script)
{
	const size_t more = *line->argument ? 2 : 1;
	char **words = calloc(program->count + more + 1, sizeof(*words));

	if (!words)
		return verb_error("not enough memory");
	words[0] = strdup(line->name);
	if (more > 1)
		words[1] = strdup(line->argument);
	words[more] = strdup(script);
	if (!words[0] || !words[1] || !words[more]) {
		for (size_t i = 0; i <= more; i++)
			free(words[i]);
		free(words);
		return verb_error("not enough memory");
	}
	for (size_t i = 1; i < program->count; i++) {
		words[more + i] = program->words[i];
		program->words[i] = NULL;
	}
	emulate_program_free(program);
	program->words = words;
	while (words[program->count])
		program->count++;
	return 0;
}

static int take_script(struct candidate *candidate, const char *head, size_t length)
{
	struct emulate_program *program = candidate->program;
	struct script_line line;
	int status;

	if (!script_line_parse(&line, head, length))
		return refuse(candidate,
			      "line 1: a script without the path of an interpreter after "
			      "#!, or with one of more than %d bytes",
			      SCRIPT_LINE_BYTES - 3);
	status = put_script(program, &line, program->path);
	if (status)
		return status;
	snprintf(candidate->script, PATH_MAX, "%s", program->path);
	snprintf(candidate->name, PATH_MAX, "%s", line.name);
	if (emulate_below(program->path, candidate->sysroot, line.name))
		return 0;
	status = errno;
	if (line.name[strlen(line.name) - 1] == '\r') {
		candidate->name[strlen(line.name) - 1] = '\0';
		*program->path = '\0';
		refuse(candidate,
		       "line 1 ends in a carriage return, which the kernel takes "
		       "for a part of the name; remove it: sed -i 's/\\r$//' %s",
		       candidate->script);
		return EXIT_NOT_FOUND;
	}
	refuse(candidate, "%s%s%s; %s", strerror(status),
	       candidate->sysroot ? ", nor is it below " : "",
	       candidate->sysroot ? candidate->sysroot : "",
	       candidate->sysroot ? "install it there"
				  : "--sysroot=DIR looks for it below DIR first");
	return command_status_unstarted(status);
}

static int not_found(const struct candidate *candidate)
{
	const char *name = candidate->name;

	if (*candidate->program->path)
		return check_file(candidate);
	if (!access(name, F_OK))
		refuse(candidate,
		       "not in a directory of PATH; the file in the current "
		       "directory is ./%s",
		       name);
	else if (candidate->sysroot)
		refuse(candidate,
		       "not in a directory of PATH, neither below %s nor on this "
		       "machine; give the path of the program",
		       candidate->sysroot);
	else
		refuse(candidate, "not in a directory of PATH; give the path of the program, or "
				  "--sysroot=DIR to look below DIR first");
	return EXIT_NOT_FOUND;
}

static int locate(const struct candidate *candidate)
{
	const char *name = candidate->name, *sysroot = candidate->sysroot;
	char *path = candidate->program->path, below[PATH_MAX];
	int error;

	if (!*name) {
		verb_error("PROGRAM is an empty word; name a program");
		return EXIT_NOT_FOUND;
	}
	if (!strchr(name, '/')) {
		if ((sysroot && emulate_find_in_path(path, sysroot, name)) ||
		    emulate_find_in_path(path, NULL, name))
			return 0;
		return not_found(candidate);
	}
	/* QEMU takes a word that begins with a dash for an option */
	if (snprintf(path, PATH_MAX, "%s%s", *name == '-' ? "./" : "", name) >= PATH_MAX)
		return refuse(candidate, "%s", strerror(ENAMETOOLONG));
	if (!access(path, F_OK) || !sysroot)
		return 0;
	error = errno;
	if (!emulate_below(below, sysroot, name))
		return 0;
	refuse(candidate, "%s; the file below %s is %s", strerror(error), sysroot, below);
	return command_status_unstarted(error);
}

/* The file, then its interpreter, up to an ELF file */
static int inspect(struct candidate *candidate)
{
	char head[SCRIPT_LINE_BYTES];

	for (int nesting = 0;; nesting++) {
		int status = check_file(candidate);
		FILE *file = status ? NULL : input_file_stream(candidate->program->path, 0);
		size_t length = file ? fread(head, 1, sizeof(head), file) : 0;

		if (file)
			fclose(file);
		if (status)
			return status;
		if (length < 2 || memcmp(head, "#!", 2) != 0)
			break;
		if (nesting == SCRIPT_LINE_NESTING)
			return refuse(candidate,
				      "a script again; Linux follows %d scripts that "
				      "are interpreters of each other, no more",
				      SCRIPT_LINE_NESTING);
		status = take_script(candidate, head, length);
		if (status)
			return status;
	}
	return 0;
}

static bool is_elf(const char *path)
{
	char magic[SELFMAG] = "";
	FILE *file = input_file_stream(path, 0);

	if (!file)
		return false;
	(void)!fread(magic, 1, sizeof(magic), file);
	fclose(file);
	return !memcmp(magic, ELFMAG, SELFMAG);
}

static int copy_words(struct emulate_program *program, char **words)
{
	size_t count = 0;

	while (words[count])
		count++;
	program->words = calloc(count + 1, sizeof(*words));
	for (; program->words && program->count < count; program->count++) {
		program->words[program->count] = strdup(words[program->count]);
		if (!program->words[program->count])
			break;
	}
	return program->count == count ? 0 : verb_error("not enough memory");
}

int emulate_program_find(struct emulate_program *program, char **words, const char *sysroot)
{
	struct candidate candidate = {.program = program, .sysroot = emulate_sysroot(sysroot)};
	struct stat directory;
	int status;

	*program = (struct emulate_program){.name = words[0]};
	if (sysroot && stat(sysroot, &directory))
		return verb_error("--sysroot=%s: %s", sysroot, strerror(errno));
	if (sysroot && !S_ISDIR(directory.st_mode))
		return verb_error("--sysroot=%s: %s", sysroot, strerror(ENOTDIR));
	snprintf(candidate.name, PATH_MAX, "%s", words[0]);
	status = copy_words(program, words);
	if (!status)
		status = locate(&candidate);
	if (!status)
		status = inspect(&candidate);
	if (status)
		return status;
	if (!is_elf(program->path))
		return refuse(&candidate,
			      "neither an ELF file nor a script that begins with #!; hwflow "
			      "emulate runs arm64 and riscv64 Linux programs");
	return check_elf(&candidate);
}

void emulate_program_free(struct emulate_program *program)
{
	for (size_t i = 0; i < program->count; i++)
		free(program->words[i]);
	free(program->words);
	program->words = NULL;
	program->count = 0;
}
