// SPDX-License-Identifier: GPL-2.0-only
/* Which files an archive of a recording has: archive.h has their layout. */
#include "archive_pack.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "archive_inner.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/print.h"
#include "decode/input_sync.h"
#include "hwflow/text.h"
#include "perfdata/perfdata.h"
#include "program/perfmaps_files.h"
#include "source/input_private.h"
#include "source/protocol.h"
#include "symbols/debug_files.h"
#include "symbols/symbols_jit.h"
#include "tar.h"

/* zstd's default: the archive is written once and copied often */
#define LEVEL 3

/* room for the build id of a file as text */
#define HEX (2 * 64 + 1)

/**
 * struct pack - an archive being made
 * @options: what to pack
 * @symfs: files of the machine recorded are below this directory; "" for the root
 * @writer: the archive
 * @data: the recording
 * @info: what it says
 * @files: its files on this machine
 * @debug: how debug files are found
 * @base: name of the recording, without folders
 * @folder: of the archive, for what is beside the recording
 * @changed: time of the last change of the recording
 * @names: tree of the names in the archive
 * @seen: tree of the mappings, and of the processes, that were looked at
 * @inner: ELF files inside its files
 * @count: number of files packed
 * @missing: number of files that could not be packed
 * @error: memory ran out, or the archive cannot be written: a negative errno
 */
struct pack {
	const struct archive_options *options;
	const char *symfs;
	struct archive_writer *writer;
	struct perfdata *data;
	const struct perfdata_info *info;
	struct perfmaps_files *files;
	struct debug_files debug;
	char base[NAME_MAX + 1];
	char folder[NAME_MAX + 16];
	struct timespec changed;
	void *names;
	void *seen;
	struct archive_inner inner;
	size_t count;
	size_t missing;
	int error;
};

static int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Is this the first time that a text is added to a tree? */
static bool add_text(struct pack *pack, void **tree, const char *text)
{
	char *copy;

	if (tfind(text, tree, compare_texts))
		return false;
	copy = strdup(text);
	if (copy && tsearch(copy, tree, compare_texts))
		return true;
	free(copy);
	pack->error = -ENOMEM;
	return false;
}

static void report(struct pack *pack, const char *path, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void report(struct pack *pack, const char *path, const char *format, ...)
{
	va_list args;

	pack->missing++;
	print(stderr, "hwflow archive: %s: ", path);
	va_start(args, format);
	print_list(stderr, format, args);
	va_end(args);
	fputs("; not packed\n", stderr);
}

/* Packs a file under a name that the archive does not have yet. */
static void add_file(struct pack *pack, const char *name, const char *path, size_t root)
{
	int error;

	if (pack->error || !tar_name_is_safe(name) || !add_text(pack, &pack->names, name))
		return;
	error = archive_write_file(pack->writer, name, path, root);
	if (error)
		report(pack, path, "%s", input_file_error(error));
	else
		pack->count++;
}

/* 0, or the negative errno for which a file is not opened */
static int check_file(const char *path, size_t root)
{
	const int fd = input_file_open(path, root, NULL);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void make_hex(char hex[HEX], const uint8_t *bytes, size_t size)
{
	*hex = '\0';
	for (size_t i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
}

static bool is_later(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/*
 * Has a file without a build id changed since the recording? A copy of the machine's files may have
 * been made later than the recording, which does not change the time of their contents.
 */
static bool has_changed(const struct pack *pack, const char *path)
{
	struct stat status;

	return !stat(path, &status) && (is_later(status.st_mtim, pack->changed) ||
					(!*pack->symfs && is_later(status.st_ctim, pack->changed)));
}

static void add_found(struct pack *pack, const struct debug_file *found, size_t count,
		      const char *name)
{
	for (size_t i = 0; i < count; i++) {
		const char *base = strrchr(found[i].path, '/'), *slash = strrchr(name, '/');
		char in_archive[2 * PATH_MAX], hex[HEX];

		make_hex(hex, found[i].build_id, found[i].build_id_size);
		if (*hex)
			snprintf(in_archive, sizeof(in_archive),
				 ARCHIVE_FILES "/usr/lib/debug/.build-id/%.2s/%s.debug", hex,
				 hex + 2);
		else
			snprintf(in_archive, sizeof(in_archive), ARCHIVE_FILES "%.*s/.debug/%s",
				 slash ? (int)(slash - name) : 0, name,
				 base ? base + 1 : found[i].path);
		add_file(pack, in_archive, found[i].path, found[i].root);
	}
}

/* Separate debug files of a program, which the recording knows as @name */
static void add_debug(struct pack *pack, const char *path, size_t root, const char *name)
{
	struct debug_file found[DEBUG_FILES];
	const size_t count = debug_files_find(&pack->debug, path, root, found);

	add_found(pack, found, count, name);
}

/* Separate debug files of an ELF file that is stored inside the file that a mapping is of */
static void add_inner_debug(struct pack *pack, const struct perfdata_mapping *mapping, int32_t pid)
{
	struct hwf_image_file *outer = perfmaps_files_get(pack->files, mapping, pid), *file;
	struct debug_file found[DEBUG_FILES];
	char key[PATH_MAX + 64];
	const uint8_t *bytes;
	uint64_t begin;
	size_t size;

	if (pack->options->no_debug || !outer)
		return;
	file = archive_inner_find(&pack->inner, outer, mapping, &begin);
	bytes = file ? hwf_image_file_bytes(file, &size) : NULL;
	if (!bytes)
		return;
	snprintf(key, sizeof(key), "inner %" PRIx64 " %s", begin, mapping->path);
	if (add_text(pack, &pack->seen, key))
		add_found(pack, found,
			  debug_files_find_bytes(&pack->debug, hwf_image_file_path(outer), bytes,
						 size, found),
			  mapping->path);
}

/* The vdso of this machine */
static void add_bytes(struct pack *pack, const char *name, const struct perfmaps_location *location)
{
	if (pack->error || !add_text(pack, &pack->names, name))
		return;
	pack->error = archive_write_bytes(pack->writer, name, location->bytes, location->size);
	pack->count++;
}

static void add_located(struct pack *pack, const struct perfdata_mapping *mapping,
			const struct perfmaps_location *location)
{
	char name[PATH_MAX + 256], hex[HEX];

	make_hex(hex, location->build_id, location->build_id_size);
	snprintf(name, sizeof(name), ARCHIVE_FILES "%s", mapping->path);
	/* another file of this path is there already, or the path is none */
	if (*hex && (location->is_vdso || tfind(name, &pack->names, compare_texts)))
		snprintf(name, sizeof(name), ARCHIVE_FILES "/.build-id/%.2s/%s/%s", hex, hex + 2,
			 location->is_vdso ? "vdso" : "elf");
	if (location->bytes) {
		add_bytes(pack, name, location);
		return;
	}
	add_file(pack, name, location->path, location->root);
	if (!pack->options->no_debug && !location->is_vdso)
		add_debug(pack, location->path, location->root, mapping->path);
}

static bool is_jit_dump(const char *path)
{
	const char *name = strrchr(path, '/');
	int32_t pid;
	int end = 0;

	return name && sscanf(name, "/jit-%" SCNd32 ".dump%n", &pid, &end) == 1 && end &&
	       !name[end];
}

/* The file of a mapping, once for all mappings of it */
static void add_mapped_file(struct pack *pack, const struct perfdata_mapping *mapping,
			    const struct perfmaps_location *location)
{
	char hex[HEX], key[PATH_MAX + HEX + 8];
	int error;

	make_hex(hex, mapping->build_id, mapping->build_id_size);
	snprintf(key, sizeof(key), "map %s %s", hex, mapping->path);
	if (!add_text(pack, &pack->seen, key))
		return;
	error = location->bytes ? 0 : check_file(location->path, location->root);
	if (error)
		report(pack, location->path, "%s", input_file_error(error));
	else if (location->differs)
		report(pack, location->path,
		       "changed since the recording: it does not have the build id of the file "
		       "that was recorded");
	else if (!location->build_id_size && has_changed(pack, location->path))
		report(pack, location->path,
		       "changed after the recording, which has no build id of it");
	else
		add_located(pack, mapping, location);
}

static void add_mapping(struct pack *pack, const struct perfdata_event *event)
{
	const struct perfdata_mapping *mapping = event->u.mapping;
	struct perfmaps_location location;
	char hex[HEX], key[PATH_MAX + HEX + 64];

	if (!(mapping->prot & PROT_EXEC) || event->pid < 0 || is_jit_dump(mapping->path))
		return;
	make_hex(hex, mapping->build_id, mapping->build_id_size);
	snprintf(key, sizeof(key), "part %s %" PRIx64 " %" PRIx64 " %s", hex, mapping->file_offset,
		 mapping->length, mapping->path);
	if (!add_text(pack, &pack->seen, key))
		return;
	perfmaps_files_locate(pack->files, mapping, event->pid, &location);
	/* what has no file is a gap on this machine, too */
	if (location.reason)
		return;
	/* FILE.code is beside the recording */
	if (!location.is_copy)
		add_mapped_file(pack, mapping, &location);
	if (!location.bytes && !location.differs)
		add_inner_debug(pack, mapping, event->pid);
}

/* Files that name the code that a process made at run time */
static void add_names(struct pack *pack, int32_t pid)
{
	const char *dump;
	char key[32], map[JIT_MAP_NAME], path[PATH_MAX], name[2 * PATH_MAX];
	size_t root;

	snprintf(key, sizeof(key), "process %" PRId32, pid);
	if (pid <= 0 || !add_text(pack, &pack->seen, key))
		return;
	jit_map_name(pid, map);
	if (jit_locate(pack->info, pack->symfs, map, path, &root)) {
		snprintf(name, sizeof(name), "%s%s", pack->folder, strrchr(map, '/'));
		add_file(pack, name, path, root);
	}
	dump = jit_dump_of(pack->info, pid);
	if (!dump)
		return;
	if (!jit_locate(pack->info, pack->symfs, dump, path, &root)) {
		report(pack, dump, "not there, or the file of another user");
		return;
	}
	snprintf(name, sizeof(name), "%s%s", pack->folder, strrchr(dump, '/'));
	add_file(pack, name, path, root);
}

static void add_program_files(struct pack *pack)
{
	const struct perfdata_info *info = pack->info;

	for (size_t i = 0; i < info->event_count && !pack->error; i++) {
		add_names(pack, info->events[i].pid);
		if (info->events[i].kind == PERFDATA_MMAP)
			add_mapping(pack, &info->events[i]);
	}
}

/* All files of a folder of the recording, and of the folders in it */
static void add_folder(struct pack *pack, const char *name, const char *path, int depth)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char below[PATH_MAX], below_name[2 * PATH_MAX];
		struct stat status;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		snprintf(below_name, sizeof(below_name), "%.*s/%s", PATH_MAX, name, entry->d_name);
		if (snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >= PATH_MAX ||
		    lstat(below, &status))
			continue;
		/* a link must not lead out of the recording */
		if (S_ISREG(status.st_mode) || S_ISLNK(status.st_mode))
			add_file(pack, below_name, below, strlen(pack->options->path));
		else if (S_ISDIR(status.st_mode) && depth)
			add_folder(pack, below_name, below, depth - 1);
	}
	if (folder)
		closedir(folder);
}

/* FILE.code, which a recording of `hwflow emulate` may have, and FILE.truth */
static void add_beside(struct pack *pack, const char *data)
{
	char path[PATH_MAX + 16], name[2 * PATH_MAX];
	int error;

	snprintf(path, sizeof(path), "%s.code", data);
	snprintf(name, sizeof(name), ARCHIVE_RECORDING "/%s.code", pack->base);
	if (input_file_exists(path, 0))
		add_file(pack, name, path, 0);
	if (!pack->options->truth)
		return;
	snprintf(path, sizeof(path), "%s.truth", pack->options->path);
	snprintf(name, sizeof(name), ARCHIVE_RECORDING "/%s.truth", pack->base);
	error = check_file(path, 0);
	if (error)
		report(pack, path, "%s", input_file_error(error));
	else
		add_file(pack, name, path, 0);
}

static void add_recording(struct pack *pack, bool directory, const char *data)
{
	char text[NAME_MAX + 64], name[NAME_MAX + 32], path[PATH_MAX];

	snprintf(text, sizeof(text), ARCHIVE_VERSION "\nrecording %s\n", pack->base);
	pack->error = archive_write_bytes(pack->writer, ARCHIVE_MANIFEST, text, strlen(text));
	snprintf(name, sizeof(name), ARCHIVE_RECORDING "/%s%s", pack->base,
		 directory ? "/" PERF_DIRECTORY_DATA : "");
	add_file(pack, name, data, directory ? strlen(pack->options->path) : 0);
	add_beside(pack, data);
	if (!directory ||
	    snprintf(path, sizeof(path), "%s/kcore_dir", pack->options->path) >= PATH_MAX)
		return;
	snprintf(name, sizeof(name), ARCHIVE_RECORDING "/%s/kcore_dir", pack->base);
	add_folder(pack, name, path, 1);
}

/* Name and time of the recording; false if its name cannot be one in an archive */
static bool name_recording(struct pack *pack, bool directory, const char *data)
{
	char real[PATH_MAX];
	const char *base;
	struct stat status;

	if (!realpath(pack->options->path, real) || stat(data, &status))
		return false;
	base = strrchr(real, '/');
	if (!base || !base[1] || strchr(base, '\n'))
		return false;
	snprintf(pack->base, sizeof(pack->base), "%.*s", NAME_MAX, base + 1);
	snprintf(pack->folder, sizeof(pack->folder), ARCHIVE_RECORDING "%s%s", directory ? "/" : "",
		 directory ? pack->base : "");
	pack->changed = status.st_mtim;
	return true;
}

static int write_archive(struct pack *pack, bool directory, const char *data)
{
	const struct archive_options *options = pack->options;
	uint64_t written;
	int error = archive_writer_open(&pack->writer, options->output, LEVEL);

	if (error) {
		input_error(options->output, UINT64_MAX, "%s", strerror(-error));
		return EXIT_UNREADABLE;
	}
	add_recording(pack, directory, data);
	add_program_files(pack);
	written = archive_written(pack->writer);
	error = archive_writer_close(pack->writer);
	error = error ? error : pack->error;
	if (error) {
		input_error(options->output, UINT64_MAX, "%s; the archive is not complete: removed",
			    error == -ESTALE ? "a file became shorter while it was read"
					     : strerror(-error));
		unlink(options->output);
		return EXIT_UNREADABLE;
	}
	if (!options->quiet)
		print(stderr, "hwflow archive: %zu files, %.1f MB: %s\n", pack->count,
		      (double)written / 1e6, options->output);
	return pack->missing ? EXIT_GAPS : 0;
}

/* Where debug files are; false without memory */
static bool prepare_debug(struct pack *pack, const struct input_options *input)
{
	int error = debug_files_init(&pack->debug, pack->symfs);

	for (size_t i = 0; !error && i < input->debug_directory_count; i++)
		error = debug_files_add(&pack->debug, input->debug_directories[i]);
	return !error;
}

/* Packs a recording that is open. */
static int pack_open(struct pack *pack, bool directory, const char *data)
{
	const struct archive_options *options = pack->options;
	struct stat a, b;
	int status;

	if (!name_recording(pack, directory, data)) {
		input_error(options->path, UINT64_MAX, "not a name for a file of an archive");
		return EXIT_UNREADABLE;
	}
	if (!stat(options->output, &a) && !stat(data, &b) && a.st_dev == b.st_dev &&
	    a.st_ino == b.st_ino) {
		input_error(options->output, UINT64_MAX, "the archive would replace the recording");
		return EXIT_USAGE;
	}
	if (perfmaps_files_new(&pack->files, pack->info, pack->symfs) ||
	    !prepare_debug(pack, &options->input)) {
		input_error(options->path, UINT64_MAX, "out of memory");
		return EXIT_UNREADABLE;
	}
	status = write_archive(pack, directory, data);
	debug_files_free(&pack->debug);
	tdestroy(pack->names, free);
	tdestroy(pack->seen, free);
	archive_inner_free(&pack->inner);
	return status;
}

/* A trace that cannot be decoded is packed as it is, but not without a message. */
static int check_trace(const struct archive_options *options, int status)
{
	struct input_options open = options->input;
	struct input *input;

	open.path = options->path;
	open.quiet = true;
	if (input_open(&input, &open))
		return EXIT_GAPS;
	if (sync_status(input, INPUT_SYNC_FLOW, EXIT_GOOD)) {
		input_error(options->path, UINT64_MAX, "%s%s; packed, but not to be decoded",
			    hwf_err_text(HWF_ERR_NO_SYNC), input->sources[0].protocol->no_sync);
		status = EXIT_GAPS;
	}
	input_close(input);
	return status;
}

int archive_pack(const struct archive_options *options)
{
	struct pack pack = {.options = options,
			    .symfs = options->input.symfs ? options->input.symfs : ""};
	char message[PERFDATA_MESSAGE], data[PATH_MAX];
	const bool directory = input_is_perf_directory(options->path);
	struct stat kind;
	int status = input_check_directories(&options->input);

	if (status)
		return status;
	if (!directory && !stat(options->path, &kind) && !S_ISREG(kind.st_mode)) {
		input_error(options->path, UINT64_MAX,
			    "neither a perf.data file nor the directory of perf record --kcore");
		return EXIT_UNREADABLE;
	}
	if (archive_is_archive(options->path)) {
		input_error(options->path, 0, "this is an archive already");
		return EXIT_UNREADABLE;
	}
	if (snprintf(data, sizeof(data), "%s%s", options->path,
		     directory ? "/" PERF_DIRECTORY_DATA : "") >= PATH_MAX) {
		input_error(options->path, UINT64_MAX, "%s", strerror(ENAMETOOLONG));
		return EXIT_UNREADABLE;
	}
	if (perfdata_open(&pack.data, data, directory ? strlen(options->path) : 0, message)) {
		print(stderr, "hwflow: %s\n", message);
		return EXIT_UNREADABLE;
	}
	pack.info = perfdata_info(pack.data);
	status = pack_open(&pack, directory, data);
	perfmaps_files_free(pack.files);
	perfdata_close(pack.data);
	return status && status != EXIT_GAPS ? status : check_trace(options, status);
}
