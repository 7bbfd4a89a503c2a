// SPDX-License-Identifier: GPL-2.0-only
/*
 * Debug files. elfutils loads its client of debuginfod itself, if DEBUGINFOD_URLS is set and the
 * library is installed; this file only adds progress of downloads.
 */
#include "debug_files.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/progress.h"
#include "elf_bounds.h"

#define CLIENT_LIBRARY "libdebuginfod.so.1"

/* struct debuginfod_client is elfutils' own; a result other than 0 ends the download */
typedef int progress_fn(void *client, long done, long total);
typedef void set_progress_fn(void *client, progress_fn *progress);
typedef const char *get_url_fn(void *client);

static get_url_fn *get_url;

/* elfutils does not name a file that it has downloaded. */
static int find_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			   const char *file, const char *link, GElf_Word crc, char **found)
{
	const int fd =
		dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
	char descriptor[64], path[PATH_MAX];
	ssize_t length;

	if (fd < 0)
		return fd;
	if (!*found) {
		snprintf(descriptor, sizeof(descriptor), "/proc/self/fd/%d", fd);
		length = readlink(descriptor, path, sizeof(path) - 1);
		if (length > 0)
			*found = strndup(path, (size_t)length);
	}
	/* elfutils would also decompress a whole file */
	if (elf_bounds_file_good(*found ? *found : name, fd))
		return fd;
	close(fd);
	free(*found);
	*found = NULL;
	return -1;
}

int debug_files_init(struct debug_files *files, const char *symfs)
{
	int length;

	/* by build id and by debug link, as elfutils does, but below symfs */
	length = asprintf(&files->path, ":.debug:%s/usr/lib/debug", symfs);
	if (length < 0) {
		files->path = NULL;
		return -ENOMEM;
	}
	files->callbacks = (Dwfl_Callbacks){
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = find_debug_file,
		.debuginfo_path = &files->path,
		.section_address = dwfl_offline_section_address,
	};
	return 0;
}

void debug_files_free(struct debug_files *files)
{
	free(files->path);
	files->path = NULL;
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

	if (!isatty(STDERR_FILENO) || !getenv("DEBUGINFOD_URLS"))
		return;
	client = dwfl_get_debuginfod_client(dwfl);
	library = client ? dlopen(CLIENT_LIBRARY, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	if (!library)
		return;
	/* ISO C has no conversion between pointers to data and to functions */
	*(void **)&set_progress = dlsym(library, "debuginfod_set_progressfn");
	*(void **)&get_url = dlsym(library, "debuginfod_get_url");
	if (set_progress)
		set_progress(client, show_download);
}

Dwfl *debug_files_begin(const struct debug_files *files)
{
	Dwfl *dwfl = dwfl_begin(&files->callbacks);

	if (dwfl)
		show_progress(dwfl);
	return dwfl;
}

/* The file that several debug files share: by its build id, or by its name beside the debug file */
static bool find_shared(Dwarf *dwarf, const char *debug, const char *symfs,
			struct debug_file *shared)
{
	const char *name, *slash = strrchr(debug, '/');
	const void *id;
	const ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id);
	char hex[2 * sizeof(shared->build_id) + 1] = "";

	if (size < 2 || (size_t)size > sizeof(shared->build_id))
		return false;
	memcpy(shared->build_id, id, (size_t)size);
	shared->build_id_size = (size_t)size;
	for (size_t i = 0; i < shared->build_id_size; i++)
		sprintf(hex + 2 * i, "%02x", shared->build_id[i]);
	snprintf(shared->path, PATH_MAX, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", symfs, hex,
		 hex + 2);
	if (!access(shared->path, R_OK))
		return true;
	if (*name == '/')
		snprintf(shared->path, PATH_MAX, "%s%s", symfs, name);
	else
		snprintf(shared->path, PATH_MAX, "%.*s/%s", slash ? (int)(slash - debug) : 1,
			 slash ? debug : ".", name);
	return !access(shared->path, R_OK);
}

size_t debug_files_find(const struct debug_files *files, const char *program, const char *symfs,
			struct debug_file found[DEBUG_FILES])
{
	const char *debug = NULL;
	const unsigned char *id;
	Dwfl_Module *module = NULL;
	Dwarf *dwarf = NULL;
	GElf_Addr bias, address;
	size_t count = 0;
	int size;
	Dwfl *dwfl = debug_files_begin(files);
	const int fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (dwfl && fd >= 0 && elf_bounds_file_good(program, fd))
		module = dwfl_report_elf(dwfl, program, program, -1, 0, true);
	if (fd >= 0)
		close(fd);
	if (module) {
		dwfl_report_end(dwfl, NULL, NULL);
		dwarf = dwfl_module_getdwarf(module, &bias);
	}
	if (dwarf)
		dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, &debug);
	if (debug && strcmp(debug, program) != 0) {
		size = dwfl_module_build_id(module, &id, &address);
		found[0] = (struct debug_file){.build_id_size = 0};
		snprintf(found[0].path, PATH_MAX, "%s", debug);
		if (size > 0 && (size_t)size <= sizeof(found[0].build_id)) {
			memcpy(found[0].build_id, id, (size_t)size);
			found[0].build_id_size = (size_t)size;
		}
		count++;
	}
	if (dwarf && find_shared(dwarf, debug ? debug : program, symfs, &found[count]))
		count++;
	if (dwfl)
		dwfl_end(dwfl);
	return count;
}
