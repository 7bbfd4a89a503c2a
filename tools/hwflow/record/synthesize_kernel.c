// SPDX-License-Identifier: GPL-2.0-only
/* Records of the kernel and its modules, as perf record writes them. */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/input_file.h"
#include "program/kallsyms.h"
#include "record/kernel/kernel_modules.h"
#include "synthesize.h"

#define KALLSYMS     "/proc/kallsyms"
#define MODULES      "/proc/modules"
#define KERNEL_NOTES "/sys/kernel/notes"

#define KERNEL_NAME "[kernel.kallsyms]"

/* notes of the kernel and of a module are no longer than this */
#define NOTES_MAX 65536

/**
 * struct kernel_bounds - where the kernel's image begins and ends
 * @text: address of _text, a symbol that not all kernels have among those of code
 * @stext: address of _stext
 * @end: address of _etext
 */
struct kernel_bounds {
	uint64_t text;
	uint64_t stext;
	uint64_t end;
};

static int take_bound(void *ctx, const struct kallsym *symbol)
{
	struct kernel_bounds *bounds = ctx;

	if (*symbol->module)
		return 0;
	/* stock perf takes symbols of code only */
	if (!strcmp(symbol->name, "_text") && symbol->type == 'T')
		bounds->text = symbol->address;
	else if (!strcmp(symbol->name, "_stext") && symbol->type == 'T')
		bounds->stext = symbol->address;
	else if (!strcmp(symbol->name, "_etext"))
		bounds->end = symbol->address;
	return 0;
}

/* Find the build id among the notes of a file. */
static void take_notes(const uint8_t *notes, size_t size, struct perfdata_mapping *mapping)
{
	size_t at = 0;

	while (size - at >= sizeof(Elf64_Nhdr)) {
		const size_t name_at = at + sizeof(Elf64_Nhdr);
		size_t name, id;
		Elf64_Nhdr note;

		memcpy(&note, notes + at, sizeof(note));
		name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
		id = ((size_t)note.n_descsz + 3) & ~(size_t)3;
		if (name > size - name_at || id > size - name_at - name)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(notes + name_at, "GNU", sizeof("GNU")) &&
		    note.n_descsz <= sizeof(mapping->build_id)) {
			memcpy(mapping->build_id, notes + name_at + name, note.n_descsz);
			mapping->build_id_size = (uint8_t)note.n_descsz;
			return;
		}
		at = name_at + name + id;
	}
}

static void read_notes(const char *path, struct perfdata_mapping *mapping)
{
	const int fd = own_file_open(path, O_RDONLY);
	uint8_t *notes = fd >= 0 ? malloc(NOTES_MAX) : NULL;
	size_t size = 0;
	ssize_t got;

	while (notes && size < NOTES_MAX && (got = read(fd, notes + size, NOTES_MAX - size)) > 0)
		size += (size_t)got;
	if (notes)
		take_notes(notes, size, mapping);
	free(notes);
	if (fd >= 0)
		close(fd);
}

/* A module has a file of notes for each of its sections of notes. */
static void read_module_notes(const char *name, struct perfdata_mapping *mapping)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), "/sys/module/%s/notes", name);
	directory = opendir(path);
	while (directory && !mapping->build_id_size && (entry = readdir(directory)) != NULL) {
		snprintf(path, sizeof(path), "/sys/module/%s/notes/%s", name, entry->d_name);
		read_notes(path, mapping);
	}
	if (directory)
		closedir(directory);
}

static int write_kernel(struct perfdata_writer *writer, const struct perfdata_stamp *stamp)
{
	struct kernel_bounds bounds = {.text = 0};
	struct perfdata_mapping mapping = {.prot = PROT_READ | PROT_EXEC};

	/* a kernel that hides its addresses shows zeros */
	if (kallsyms_read(KALLSYMS, 0, take_bound, &bounds))
		return 0;
	/* stock perf looks for the symbol whose name follows the name of the kernel */
	mapping.path = bounds.text ? KERNEL_NAME "_text" : KERNEL_NAME "_stext";
	mapping.address = mapping.file_offset = bounds.text ? bounds.text : bounds.stext;
	if (!mapping.address || bounds.end <= mapping.address)
		return 0;
	mapping.length = bounds.end - mapping.address;
	read_notes(KERNEL_NOTES, &mapping);
	return perfdata_write_mmap2(writer, stamp, &mapping);
}

/* Is this the file of a module? Names of modules have '_' where those of files may have '-'. */
static bool is_file_of(const char *file, const char *module)
{
	while (*module && (*file == *module || (*file == '-' && *module == '_'))) {
		file++;
		module++;
	}
	return !*module && !strncmp(file, ".ko", 3);
}

/* The path of a module's file, from the first word of a line of modules.dep; else its name in
 * brackets */
static void module_path(const char *directory, const char *name, char path[PATH_MAX])
{
	char dep[PATH_MAX];
	char *line = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(path, PATH_MAX, "[%s]", name);
	if (snprintf(dep, sizeof(dep), "%s/modules.dep", directory) >= (int)sizeof(dep))
		return;
	file = own_file_stream(dep);
	while (file && getline(&line, &size, file) >= 0) {
		const char *base;

		line[strcspn(line, ":\n")] = '\0';
		base = strrchr(line, '/');
		if (!is_file_of(base ? base + 1 : line, name))
			continue;
		snprintf(path, PATH_MAX, "%s/%s", *line == '/' ? "" : directory, line);
		break;
	}
	free(line);
	if (file)
		fclose(file);
}

static int write_modules(struct perfdata_writer *writer, const struct perfdata_stamp *stamp)
{
	struct kernel_modules modules;
	char directory[128] = "", path[PATH_MAX];
	struct utsname names;
	int error = 0;

	if (kernel_modules_read(&modules, MODULES))
		modules.count = 0;
	if (!uname(&names))
		snprintf(directory, sizeof(directory), "/lib/modules/%s", names.release);
	for (size_t i = 0; !error && i < modules.count; i++) {
		const struct kernel_module *module = &modules.items[i];
		struct perfdata_mapping mapping = {
			.address = module->start,
			.length = module->size,
			.prot = PROT_READ | PROT_EXEC,
			.path = path,
		};

		module_path(directory, module->name, path);
		read_module_notes(module->name, &mapping);
		error = perfdata_write_mmap2(writer, stamp, &mapping);
	}
	kernel_modules_free(&modules);
	return error;
}

int synthesize_kernel(struct perfdata_writer *writer)
{
	const struct perfdata_stamp stamp = {.pid = -1, .cpu = PERFDATA_ANY};
	const int error = write_kernel(writer, &stamp);

	return error ? error : write_modules(writer, &stamp);
}
