// SPDX-License-Identifier: GPL-2.0-only
/*
 * Debug files: debug_search() finds those of this machine. elfutils loads its client of debuginfod
 * itself, if DEBUGINFOD_URLS is set and the library is installed; this file asks the client, and
 * adds progress of downloads.
 */
#include "debug_files.h"

#include <dlfcn.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/message.h"
#include "base/progress.h"
#include "debug_search.h"
#include "elf_bounds.h"
#include "program/elf_tree.h"

/* of the generic ABI; not in the headers of older releases */
#define COMPRESS_ZSTD 2

#define CLIENT_LIBRARY "libdebuginfod.so.1"

/* struct debuginfod_client is elfutils' own; a result other than 0 ends the download */
typedef int progress_fn(void *client, long done, long total);
typedef void set_progress_fn(void *client, progress_fn *progress);
typedef const char *get_url_fn(void *client);
typedef int find_fn(void *client, const unsigned char *id, int size, char **path);

static get_url_fn *get_url;

/* The client of debuginfod that elfutils has loaded; NULL where DEBUGINFOD_URLS is not set */
static void *client_of(Dwfl *dwfl, void **client)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	*client = urls && *urls ? dwfl_get_debuginfod_client(dwfl) : NULL;
	return *client ? dlopen(CLIENT_LIBRARY, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

static int download(Dwfl *dwfl, const struct debug_wanted *wanted, char **found)
{
	find_fn *find = NULL;
	void *client, *library;
	int fd;

	library = wanted->id_size ? client_of(dwfl, &client) : NULL;
	if (!library)
		return -1;
	/* ISO C has no conversion between pointers to data and to functions */
	*(void **)&find = dlsym(library, "debuginfod_find_debuginfo");
	fd = find ? find(client, wanted->id, (int)wanted->id_size, found) : -1;
	return fd < 0 ? -1 : fd;
}

/*
 * The .gnu_debugaltlink of a debug file: name and build id of the file that it shares with others.
 * Both are valid until the caller ends @elf.
 */
static bool read_shared(Elf *elf, struct debug_wanted *wanted)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names, length;
	Elf_Data *data;

	if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		if (name && !strcmp(name, ".gnu_debugaltlink") &&
		    !(header.sh_flags & SHF_COMPRESSED))
			break;
	}
	data = section ? elf_rawdata(section, NULL) : NULL;
	if (!data || !data->d_buf || !data->d_size)
		return false;
	length = strnlen(data->d_buf, data->d_size);
	if (length + 1 >= data->d_size)
		return false;
	wanted->name = data->d_buf;
	wanted->id = (const uint8_t *)data->d_buf + length + 1;
	wanted->id_size = data->d_size - length - 1;
	wanted->is_shared = true;
	return true;
}

static int search(const struct debug_module *module, const struct debug_wanted *wanted,
		  char **found)
{
	char path[PATH_MAX];
	int fd = debug_search(module->files, wanted, path);

	if (fd < 0)
		fd = download(module->dwfl, wanted, found);
	else
		*found = strdup(path);
	/* elfutils would also decompress a whole file */
	if (fd < 0 || elf_bounds_file_good(*found ? *found : wanted->program, fd))
		return fd;
	close(fd);
	free(*found);
	*found = NULL;
	return -1;
}

/*
 * The file that the debug file @file shares with others. Returns false if @file shares none, or
 * sets
 * @result to a descriptor, or -1 for a shared file that is missing.
 */
static bool find_shared(const struct debug_module *module, const char *file, char **found,
			int *result)
{
	struct debug_wanted wanted = {.program = file};
	const int fd = input_file_open(file, debug_root(module->files->symfs, file), NULL);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const bool shares = elf && read_shared(elf, &wanted);

	*result = shares ? search(module, &wanted, found) : -1;
	if (shares && *result < 0)
		message_once("hwflow: %s: the file %s, with which it shares debug information "
			     "(.gnu_debugaltlink), is missing or another one, so names of source "
			     "files may be incomplete",
			     file, wanted.name);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return shares;
}

/* A file of debug information without any */
static int empty_debug_file(void)
{
	static const char names[] = "\0.shstrtab\0.debug_line";
	static const struct {
		Elf64_Ehdr head;
		Elf64_Shdr sections[3];
		char names[sizeof(names)];
	} file = {
		.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				     EV_CURRENT},
			 .e_type = ET_REL,
			 .e_machine = EM_AARCH64,
			 .e_version = EV_CURRENT,
			 .e_shoff = sizeof(Elf64_Ehdr),
			 .e_ehsize = sizeof(Elf64_Ehdr),
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 3,
			 .e_shstrndx = 1},
		.sections = {[1] = {.sh_name = 1,
				    .sh_type = SHT_STRTAB,
				    .sh_offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr),
				    .sh_size = sizeof(names)},
			     [2] = {.sh_name = 11,
				    .sh_type = SHT_PROGBITS,
				    .sh_offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr),
				    .sh_size = 1}},
		.names = "\0.shstrtab\0.debug_line",
	};
	const int fd = memfd_create("hwflow-no-debug-file", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, &file, sizeof(file)) != (ssize_t)sizeof(file)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* elfutils asks for the debug file of a module, and after that, with no CRC, for the shared one. */
static int find_debug_file(Dwfl_Module *dwfl_module, void **data, const char *name, Dwarf_Addr base,
			   const char *file, const char *link, GElf_Word crc, char **found)
{
	const struct debug_module *module = *data;
	struct debug_wanted wanted = {.program = file, .name = link, .crc = crc};
	GElf_Addr address;
	int size, result;

	(void)name;
	(void)base;
	if (!module || !file)
		return -1;
	if (link && !crc && find_shared(module, file, found, &result))
		/* without a file, elfutils would look for one itself, and leave symfs */
		return result < 0 ? empty_debug_file() : result;
	size = dwfl_module_build_id(dwfl_module, &wanted.id, &address);
	wanted.id_size = size > 0 ? (size_t)size : 0;
	return search(module, &wanted, found);
}

/* elfutils asks for the program of a module that was not opened by debug_module_begin(). */
static int find_program(Dwfl_Module *dwfl_module, void **data, const char *name, Dwarf_Addr base,
			char **found, Elf **elf)
{
	struct debug_module *module = *data;

	if (!module || !module->elf)
		return dwfl_build_id_find_elf(dwfl_module, data, name, base, found, elf);
	*elf = module->elf;
	*found = strdup(name);
	module->elf = NULL;
	return -1;
}

int debug_files_init(struct debug_files *files, const char *symfs)
{
	*files = (struct debug_files){
		.callbacks = {.find_elf = find_program,
			      .find_debuginfo = find_debug_file,
			      .section_address = dwfl_offline_section_address},
		.symfs = strdup(symfs),
		.tree = *symfs ? elf_tree_new(symfs) : NULL,
	};
	if (files->symfs && (files->tree || !*symfs))
		return 0;
	debug_files_free(files);
	return -ENOMEM;
}

int debug_files_add(struct debug_files *files, const char *directory)
{
	struct elf_tree *tree = elf_tree_new(directory);
	struct elf_tree **directories =
		tree ? reallocarray(files->directories, files->directory_count + 1, sizeof(tree))
		     : NULL;

	if (!directories) {
		elf_tree_free(tree);
		return -ENOMEM;
	}
	files->directories = directories;
	directories[files->directory_count++] = tree;
	return 0;
}

void debug_files_free(struct debug_files *files)
{
	for (size_t i = 0; i < files->directory_count; i++)
		elf_tree_free(files->directories[i]);
	free(files->directories);
	elf_tree_free(files->tree);
	free(files->symfs);
	*files = (struct debug_files){0};
}

static int show_download(void *client, long done, long total)
{
	const char *url = get_url ? get_url(client) : NULL;
	const char *end = url ? strstr(url, "/buildid/") : NULL;
	char server[256];

	snprintf(server, sizeof(server), "%.*s", end ? (int)(end - url) : (int)sizeof(server),
		 url ? url : "debuginfod");
	if (done > 0)
		progress_download(server, (uint64_t)done, total > 0 ? (uint64_t)total : 0);
	return 0;
}

/* The functions of the client that elfutils has loaded; it stays loaded. */
static void show_progress(Dwfl *dwfl)
{
	void *client, *library;
	set_progress_fn *set_progress = NULL;

	if (!isatty(STDERR_FILENO))
		return;
	library = client_of(dwfl, &client);
	if (!library)
		return;
	*(void **)&set_progress = dlsym(library, "debuginfod_set_progressfn");
	*(void **)&get_url = dlsym(library, "debuginfod_get_url");
	if (set_progress)
		set_progress(client, show_download);
}

/* The module calls back with its struct debug_module. */
static void set_data(struct debug_module *module)
{
	void **data;

	dwfl_module_info(module->module, &data, NULL, NULL, NULL, NULL, NULL, NULL);
	*data = module;
}

bool debug_module_begin(struct debug_module *module, const struct debug_files *files,
			const char *program, size_t root)
{
	int fd = input_file_open(program, root, NULL);

	*module = (struct debug_module){.files = files};
	module->dwfl = fd < 0 ? NULL : dwfl_begin(&files->callbacks);
	if (module->dwfl) {
		show_progress(module->dwfl);
		module->module = dwfl_report_elf(module->dwfl, program, program, fd, 0, true);
		dwfl_report_end(module->dwfl, NULL, NULL);
	}
	/* the module has its descriptor until the end */
	if (!module->module) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	set_data(module);
	return true;
}

/* The addresses of a program, from a multiple of the alignment on; false if it has none. */
static bool find_bounds(Elf *elf, GElf_Addr *start, GElf_Addr *end)
{
	size_t count = 0;
	GElf_Phdr header;
	bool found = false;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    header.p_memsz > UINT64_MAX - header.p_vaddr)
			continue;
		/* as elfutils does, so that the module is not moved */
		if (!found)
			*start = header.p_align ? header.p_vaddr & -header.p_align : header.p_vaddr;
		if (!found || header.p_vaddr + header.p_memsz > *end)
			*end = header.p_vaddr + header.p_memsz;
		found = true;
	}
	return found && *end > *start;
}

bool debug_module_begin_bytes(struct debug_module *module, const struct debug_files *files,
			      const char *name, const uint8_t *bytes, size_t size)
{
	GElf_Addr start = 0, end = 0;

	*module = (struct debug_module){.files = files};
	elf_version(EV_CURRENT);
	/* libelf does not write to what it only reads */
	module->elf = elf_memory((char *)(uintptr_t)bytes, size);
	if (module->elf && find_bounds(module->elf, &start, &end))
		module->dwfl = dwfl_begin(&files->callbacks);
	if (module->dwfl) {
		show_progress(module->dwfl);
		module->module = dwfl_report_module(module->dwfl, name, start, end);
		dwfl_report_end(module->dwfl, NULL, NULL);
	}
	if (!module->module)
		return false;
	set_data(module);
	return true;
}

/* Why the contents of a section are still compressed; NULL if they are not. */
static const char *compression_of(Elf_Scn *section, const GElf_Shdr *header, const char *name,
				  char reason[64])
{
	const char *damaged = "its compressed contents are damaged";
	GElf_Chdr compression;
	Elf_Data *data;

	if (header->sh_flags & SHF_COMPRESSED) {
		if (!gelf_getchdr(section, &compression) || compression.ch_type == ELFCOMPRESS_ZLIB)
			return damaged;
		if (compression.ch_type == COMPRESS_ZSTD)
			return "libelf of this machine cannot decompress zstd";
		snprintf(reason, 64, "libelf of this machine does not know compression %u",
			 compression.ch_type);
		return reason;
	}
	/* elfutils leaves the name of a section in GNU's older form as it is */
	data = strncmp(name, ".z", 2) ? NULL : elf_rawdata(section, NULL);
	return data && data->d_size >= 4 && !memcmp(data->d_buf, "ZLIB", 4) ? damaged : NULL;
}

/* @is_new: libdw has not decompressed the sections of this Elf; they fail in the same way. */
static bool report_compressed(Elf *elf, const char *path, bool is_new)
{
	const Elf_Data *names = elf_section_names(elf);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	char reason[64];

	while ((section = elf_nextscn(elf, section))) {
		const char *name, *why;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_section_name(names, &header);
		if (strncmp(name, ".debug_", 7) != 0 && strncmp(name, ".zdebug_", 8) != 0)
			continue;
		why = compression_of(section, &header, name, reason);
		if (!why || (is_new && elf_compress(section, 0, 0) >= 0))
			continue;
		message_once("hwflow: %s: section %s: %s, so source lines are missing; 'objcopy "
			     "--decompress-debug-sections' makes a file that can be read",
			     path, name, why);
		return true;
	}
	return false;
}

bool debug_module_report(Dwfl_Module *module, Dwarf *dwarf)
{
	const char *program = NULL, *debug = NULL;
	GElf_Addr bias;
	bool reported;
	void **data;
	Elf *elf;
	int fd;

	dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, &program, &debug);
	elf = dwarf ? dwarf_getelf(dwarf) : dwfl_module_getelf(module, &bias);
	if (!program || !elf)
		return false;
	reported = report_compressed(elf, dwarf && debug ? debug : program, false);
	if (reported || dwarf || !debug || !strcmp(debug, program))
		return reported;
	/* elfutils keeps a debug file that it cannot use to itself */
	fd = input_file_open(
		debug, debug_root(((const struct debug_module *)*data)->files->symfs, debug), NULL);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	reported = elf && report_compressed(elf, debug, true);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return reported;
}

void debug_module_end(struct debug_module *module)
{
	if (module->dwfl)
		dwfl_end(module->dwfl);
	elf_end(module->elf);
	*module = (struct debug_module){0};
}

/* The file that several debug files share */
static bool find_shared_file(const struct debug_module *module, const char *debug,
			     struct debug_file *shared)
{
	const struct debug_files *files = module->files;
	struct debug_wanted wanted = {.program = debug};
	const int fd = input_file_open(debug, debug_root(files->symfs, debug), NULL);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	int found = -1;

	if (elf && read_shared(elf, &wanted) && wanted.id_size <= sizeof(shared->build_id)) {
		memcpy(shared->build_id, wanted.id, wanted.id_size);
		shared->build_id_size = wanted.id_size;
		found = debug_search(files, &wanted, shared->path);
		shared->root = debug_root(files->symfs, shared->path);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	if (found < 0)
		return false;
	close(found);
	return true;
}

/* The debug files of a program, which is closed after that */
static size_t find_files(struct debug_module *module, const char *program,
			 struct debug_file found[DEBUG_FILES])
{
	const char *debug = NULL, *root = module->files->symfs;
	const unsigned char *id;
	GElf_Addr bias, address;
	Dwarf *dwarf = dwfl_module_getdwarf(module->module, &bias);
	size_t count = 0;
	int size;

	if (dwarf)
		dwfl_module_info(module->module, NULL, NULL, NULL, NULL, NULL, NULL, &debug);
	if (debug && strcmp(debug, program) != 0) {
		size = dwfl_module_build_id(module->module, &id, &address);
		found[0] = (struct debug_file){.root = debug_root(root, debug)};
		snprintf(found[0].path, PATH_MAX, "%s", debug);
		if (size > 0 && (size_t)size <= sizeof(found[0].build_id)) {
			memcpy(found[0].build_id, id, (size_t)size);
			found[0].build_id_size = (size_t)size;
		}
		count++;
	}
	if (dwarf && find_shared_file(module, debug ? debug : program, &found[count]))
		count++;
	debug_module_end(module);
	return count;
}

size_t debug_files_find(const struct debug_files *files, const char *program, size_t root,
			struct debug_file found[DEBUG_FILES])
{
	struct debug_module module;
	const int fd = input_file_open(program, root, NULL);
	const bool is_good = fd >= 0 && elf_bounds_file_good(program, fd);

	if (fd >= 0)
		close(fd);
	if (is_good && debug_module_begin(&module, files, program, root))
		return find_files(&module, program, found);
	if (is_good)
		debug_module_end(&module);
	return 0;
}

size_t debug_files_find_bytes(const struct debug_files *files, const char *name,
			      const uint8_t *bytes, size_t size,
			      struct debug_file found[DEBUG_FILES])
{
	struct debug_module module;

	if (!elf_bounds_good(name, bytes, size))
		return 0;
	if (debug_module_begin_bytes(&module, files, name, bytes, size))
		return find_files(&module, name, found);
	debug_module_end(&module);
	return 0;
}
