// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capture directories: snapshot.ini names the devices and trace.ini, which names the trace files
 * and whose trace they hold. Nothing else in the directory is opened.
 */
#include <errno.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/input_file.h"
#include "config.h"
#include "deframe.h"
#include "ini.h"
#include "input_private.h"
#include "protocol.h"

/* A trace unit with the core it belongs to */
struct device {
	struct ini ini;
	const char *name;
};

/* Node of snapshot.read: a file that was read, whatever its names are */
struct read_file {
	dev_t device;
	ino_t inode;
};

/* The images of one core, as code; each source points to the one of its core. */
struct core {
	const char *name;
	struct code_files *files;
};

struct snapshot {
	struct input_state state;
	const char *directory;
	struct ini trace;
	struct device *devices;
	size_t device_count;
	struct device **by_name;
	void *read;
	struct code_store *code;
	struct core *cores;
	size_t core_count;
	void *cores_by_name;
	struct file_map *files;
	size_t file_count;
	struct frame_store **stores;
	size_t store_count;
};

static const struct hwf_code *snapshot_code(struct input *input, const struct input_source *source,
					    const struct input_piece *piece)
{
	struct core *core = source->private_data;

	(void)input;
	(void)piece;
	return code_files_code(core->files, source->config.wfx);
}

static int compare_cores(const void *a, const void *b)
{
	return strcmp(((const struct core *)a)->name, ((const struct core *)b)->name);
}

static void snapshot_close(struct input *input)
{
	struct snapshot *snapshot = input->private_data;

	for (size_t i = 0; i < snapshot->device_count; i++)
		ini_free(&snapshot->devices[i].ini);
	for (size_t i = 0; i < snapshot->core_count; i++) {
		tdelete(&snapshot->cores[i], &snapshot->cores_by_name, compare_cores);
		code_files_free(snapshot->cores[i].files);
	}
	code_store_free(snapshot->code);
	tdestroy(snapshot->read, free);
	free(snapshot->by_name);
	for (size_t i = 0; i < snapshot->file_count; i++)
		file_unmap(&snapshot->files[i]);
	for (size_t i = 0; i < snapshot->store_count; i++)
		frame_store_free(snapshot->stores[i]);
	free(snapshot->stores);
	free(snapshot->devices);
	free(snapshot->cores);
	free(snapshot->files);
	ini_free(&snapshot->trace);
	free(snapshot);
}

static const struct input_kind snapshot_kind = {
	.code = snapshot_code,
	.close = snapshot_close,
};

/* DIR/NAME, freed by the caller; names that lead out of the directory are refused. */
static char *path_in(const char *directory, const char *name)
{
	char *path;

	if (*name == '/' || strstr(name, "..")) {
		input_error(directory, UINT64_MAX,
			    "%s: the files of a capture must be inside its directory", name);
		return NULL;
	}
	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return NULL;
	return path;
}

static int compare_files(const void *a, const void *b)
{
	const struct read_file *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->inode > y->inode) - (x->inode < y->inode);
}

/* Whether a file was read before, by this name or another; -errno without memory */
static int was_read(struct snapshot *snapshot, int fd)
{
	struct read_file *file = malloc(sizeof(*file)), **found;
	struct stat status;

	if (!file || fstat(fd, &status)) {
		free(file);
		return -ENOMEM;
	}
	*file = (struct read_file){status.st_dev, status.st_ino};
	found = tsearch(file, &snapshot->read, compare_files);
	if (found && *found == file)
		return 0;
	free(file);
	return found ? 1 : -ENOMEM;
}

/* @again: receives whether the file was read before, and is not read; NULL: it is read again */
static int read_ini(struct snapshot *snapshot, const char *name, struct ini *ini, bool *again)
{
	char *path = path_in(snapshot->directory, name);
	uint64_t size = 0;
	int fd, err, seen = 0;

	if (!path)
		return EXIT_UNREADABLE;
	fd = input_file_open(path, strlen(snapshot->directory), &size);
	err = fd < 0 ? fd : 0;
	if (!err && again) {
		seen = was_read(snapshot, fd);
		*again = seen > 0;
		err = seen < 0 ? seen : 0;
	}
	if (!err && !seen)
		err = ini_read(ini, fd, (size_t)size);
	if (err)
		input_error(path, UINT64_MAX, "%s; a capture directory must have this file",
			    input_file_error(err));
	if (fd >= 0)
		close(fd);
	free(path);
	return err ? EXIT_UNREADABLE : 0;
}

/* By name; of two devices with one name, the first one of the list is used. */
static int compare_devices(const void *a, const void *b)
{
	const struct device *x = *(struct device *const *)a, *y = *(struct device *const *)b;
	const int order = strcmp(x->name, y->name);

	return order ? order : (x > y) - (x < y);
}

static int sort_devices(struct snapshot *snapshot)
{
	snapshot->by_name = calloc(snapshot->device_count + 1, sizeof(struct device *));
	if (!snapshot->by_name)
		return EXIT_UNREADABLE;
	for (size_t i = 0; i < snapshot->device_count; i++)
		snapshot->by_name[i] = &snapshot->devices[i];
	qsort(snapshot->by_name, snapshot->device_count, sizeof(struct device *), compare_devices);
	return 0;
}

static int read_devices(struct snapshot *snapshot, const struct ini *top)
{
	const size_t list = ini_section(top, "device_list");

	snapshot->devices = calloc(top->count + 1, sizeof(*snapshot->devices));
	if (!snapshot->devices)
		return EXIT_UNREADABLE;
	for (size_t i = 0; i < top->count; i++) {
		struct device *device = &snapshot->devices[snapshot->device_count];
		bool again = false;

		if (top->entries[i].number != list)
			continue;
		if (read_ini(snapshot, top->entries[i].value, &device->ini, &again))
			return EXIT_UNREADABLE;
		if (again)
			continue;
		snapshot->device_count++;
		device->name = ini_get(&device->ini, "device", "name");
		if (!device->name)
			device->name = "";
	}
	return sort_devices(snapshot);
}

static struct device *find_device(struct snapshot *snapshot, const char *name)
{
	size_t from = 0, to = snapshot->device_count;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (strcmp(snapshot->by_name[middle]->name, name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == snapshot->device_count || strcmp(snapshot->by_name[from]->name, name) != 0)
		return NULL;
	return snapshot->by_name[from];
}

static uint64_t number(const char *text)
{
	return text ? strtoull(text, NULL, 0) : 0;
}

/* One [dump] section: an image of memory. One that is missing costs a gap later, no more. */
static void add_dump(struct input *input, struct core *core, const struct ini *ini,
		     const struct ini_entry *file)
{
	struct snapshot *snapshot = input->private_data;
	char *path = path_in(snapshot->directory, file->value);
	struct input_image image = {
		.file = path,
		.root = strlen(snapshot->directory),
		.address = number(ini_value(ini, file->number, "address")),
		.offset = number(ini_value(ini, file->number, "offset")),
		.length = number(ini_value(ini, file->number, "length")),
		.has_address = true,
		.raw = true,
	};

	if (!path || code_files_add(core->files, &image))
		input->damaged = true;
	free(path);
}

static void add_dumps(struct input *input, struct core *core, const struct ini *ini)
{
	for (size_t i = 0; i < ini->count; i++) {
		const struct ini_entry *entry = &ini->entries[i];

		/* the first file of a section is that of the section */
		if (!strncasecmp(entry->section, "dump", 4) && !strcasecmp(entry->key, "file") &&
		    ini_value(ini, entry->number, "file") == entry->value)
			add_dump(input, core, ini, entry);
	}
}

static struct core *find_core(struct input *input, const char *name)
{
	struct snapshot *snapshot = input->private_data;
	const struct device *device = find_device(snapshot, name);
	/* allocated in full by make_sources(), so that it does not move */
	struct core *core = &snapshot->cores[snapshot->core_count], **found;

	*core = (struct core){.name = name};
	found = tsearch(core, &snapshot->cores_by_name, compare_cores);
	if (!found || *found != core)
		return found ? *found : NULL;
	snapshot->core_count++;
	core->files = code_files_new(snapshot->code);
	if (!core->files)
		return NULL;
	if (device)
		add_dumps(input, core, &device->ini);
	/* in place of what the capture has there */
	for (size_t i = 0; i < snapshot->state.options->image_count; i++)
		if (code_files_add(core->files, &snapshot->state.options->images[i]))
			return NULL;
	return core;
}

/* Which core a trace unit belongs to */
static const char *core_of(const struct snapshot *snapshot, const char *unit)
{
	size_t count;
	const struct ini_entry *const *entries =
		ini_with_value(&snapshot->trace,
			       ini_section(&snapshot->trace, "core_trace_sources"), unit, &count);

	return count ? (*entries)->key : "";
}

/* The configuration of a trace unit; registers that no protocol knows are passed over. */
static void read_registers(const struct protocol *protocol, const struct ini *ini, void *config)
{
	const size_t regs = ini_section(ini, "regs");

	for (size_t i = 0; i < ini->count; i++) {
		if (ini->entries[i].number == regs)
			config_set(protocol->names, config, ini->entries[i].key,
				   (uint32_t)number(ini->entries[i].value));
	}
}

static int init_source(struct snapshot *snapshot, struct input_source *source,
		       const struct protocol *protocol, const struct ini *ini, const char *core)
{
	max_align_t config[PROTOCOL_CONFIG / sizeof(max_align_t)] = {0};
	const struct device *device = find_device(snapshot, core);
	const char *type = device ? ini_get(&device->ini, "device", "type") : NULL;

	/* protocols that do not ask for it do not know the name */
	if (type && !strncasecmp(type, "Cortex-M", 8))
		config_set(protocol->names, config, "ARMV7M", 1);
	read_registers(protocol, ini, config);
	return protocol->init(source, config);
}

/* What a buffer holds: all of a file, or one byte stream a trace ID */
struct buffer {
	const char *file;
	struct file_map *map;
	const struct frame_store *store;
	struct frame_streams streams;
	bool framed;
	bool used[HWF_FRAME_ID_LAST +
		  1]; /* a source has the bytes of this trace ID, or with 0, all */
};

static const char *stem(const char *file, char *out, size_t room)
{
	const char *slash = strrchr(file, '/');
	char *dot;

	snprintf(out, room, "%s", slash ? slash + 1 : file);
	dot = strrchr(out, '.');
	if (dot)
		*dot = '\0';
	return out;
}

/* The bytes of a trace ID are the trace of one trace unit. */
static bool is_used(struct input *input, struct buffer *buffer, uint8_t id, const char *unit)
{
	bool *used = &buffer->used[!buffer->framed           ? 0
				   : id <= HWF_FRAME_ID_LAST ? id
							     : HWF_FRAME_ID_LAST];

	if (*used) {
		input_error(input->path, UINT64_MAX,
			    "trace.ini: %s is said to have the trace of %s, which is that of "
			    "another trace unit; left out",
			    unit, buffer->file);
		input->damaged = true;
		return true;
	}
	*used = true;
	return false;
}

/* The bytes of the source's trace ID. A source without bytes has an empty piece. */
static int take_streams(struct input *input, struct input_source *source,
			const struct buffer *buffer, uint8_t id, const char *name)
{
	const struct frame_streams *streams = &buffer->streams;
	const struct frame_stream none = {.id = id};
	char full[280];
	int status = 0;

	snprintf(full, sizeof(full), "%s-id%02x", name, id);
	free(source->name);
	source->name = strdup(full);
	for (size_t i = 0; i < streams->count && !status; i++)
		if (streams->items[i].id == id)
			status = input_add_stream(input, source, frame_store_map(buffer->store),
						  &streams->items[i]);
	if (!source->piece_count && !status)
		status = input_add_stream(input, source, NULL, &none);
	return source->name ? status : EXIT_UNREADABLE;
}

static int add_source(struct input *input, struct buffer *buffer, const char *unit)
{
	struct snapshot *snapshot = input->private_data;
	struct device *device = find_device(snapshot, unit);
	const char *type = device ? ini_get(&device->ini, "device", "type") : NULL;
	const struct frame_stream whole = {.bytes = buffer->map->bytes,
					   .length = buffer->map->size};
	struct input_source *source;
	const struct protocol *protocol = type ? protocol_of_type(type) : NULL;
	char name[256];

	/* Other trace units (STM, PTM, ...) are none of ours. */
	if (!protocol)
		return 0;
	source = input_add_source(input, stem(buffer->file, name, sizeof(name)), buffer->file);
	if (!source)
		return EXIT_UNREADABLE;
	if (init_source(snapshot, source, protocol, &device->ini, core_of(snapshot, unit))) {
		input_error(input->path, UINT64_MAX, "%s: %s", unit,
			    hwf_err_text(HWF_ERR_BAD_CONFIG));
		return EXIT_UNREADABLE;
	}
	if (is_used(input, buffer, buffer->framed ? protocol->trace_id(source) : 0, unit)) {
		input_remove_source(input);
		return 0;
	}
	source->private_data = find_core(input, core_of(snapshot, unit));
	if (!source->private_data)
		return EXIT_UNREADABLE;
	if (buffer->framed)
		return take_streams(input, source, buffer, protocol->trace_id(source), name);
	return input_add_stream(input, source, buffer->map, &whole);
}

static int add_buffer_sources(struct input *input, struct buffer *buffer, const char *name)
{
	struct snapshot *snapshot = input->private_data;

	size_t count;
	const struct ini_entry *const *entries = ini_with_value(
		&snapshot->trace, ini_section(&snapshot->trace, "source_buffers"), name, &count);

	for (size_t i = 0; i < count; i++)
		if (add_source(input, buffer, entries[i]->key))
			return EXIT_UNREADABLE;
	return 0;
}

static int take_apart(struct input *input, struct buffer *buffer)
{
	struct snapshot *snapshot = input->private_data;
	struct frame_store *store = NULL;
	int error = frame_store_new(&store, buffer->map->size);

	if (!error) {
		snapshot->stores[snapshot->store_count++] = store;
		error = deframe_all(store, buffer->map->bytes, buffer->map->size, buffer->map,
				    FRAME_NO_BARRIERS, &buffer->streams);
	}
	if (error) {
		deframe_error(input->path, error);
		return EXIT_UNREADABLE;
	}
	buffer->store = store;
	input->damaged |= frame_streams_report(&buffer->streams, buffer->file, 0);
	return 0;
}

/*
 * The format of a buffer's bytes (ARM-ECM-0611873, 3.3.2): frames of a trace buffer or, recorded by
 * a DSTREAM, of a TPIU; or the trace of one source. Returns false for another one, which is left
 * out.
 */
static bool take_format(struct input *input, struct buffer *buffer, const char *section,
			const char *format)
{
	buffer->framed = format && (!strcasecmp(format, "coresight") ||
				    !strcasecmp(format, "dstream_coresight"));
	if (buffer->framed || (format && !strcasecmp(format, "source_data")))
		return true;
	input_error(input->path, UINT64_MAX,
		    "trace.ini: [%s] format=%s: not one of coresight, dstream_coresight and "
		    "source_data; %s is left out",
		    section, format ? format : "", buffer->file);
	input->damaged = true;
	return false;
}

/* Maps the file of a buffer. Returns false if there is none, or another buffer has it. */
static bool map_buffer(struct input *input, struct buffer *buffer, const char *path)
{
	struct snapshot *snapshot = input->private_data;
	uint64_t size = 0;
	const int fd = input_file_open(path, strlen(snapshot->directory), &size);
	int err = fd < 0 ? fd : was_read(snapshot, fd);

	buffer->map = &snapshot->files[snapshot->file_count];
	if (err > 0)
		input_error(path, UINT64_MAX,
			    "trace.ini names this file for two buffers; the second one is left "
			    "out");
	else if (!err)
		err = file_map_fd(buffer->map, fd, (size_t)size);
	if (err < 0)
		input_error(path, UINT64_MAX, "%s; trace.ini names this file",
			    input_file_error(err));
	if (fd >= 0)
		close(fd);
	if (err)
		input->damaged = true;
	else
		snapshot->file_count++;
	return !err;
}

static int read_buffer(struct input *input, const char *section)
{
	struct snapshot *snapshot = input->private_data;
	const size_t number = ini_section(&snapshot->trace, section);
	const char *format = ini_value(&snapshot->trace, number, "format");
	const char *name = ini_value(&snapshot->trace, number, "name");
	struct buffer buffer = {.file = ini_value(&snapshot->trace, number, "file")};
	char *path;
	bool mapped;
	int status;

	if (!buffer.file || !name) {
		input_error(input->path, UINT64_MAX,
			    "trace.ini: [%s] has no file= or no name=", section);
		return EXIT_UNREADABLE;
	}
	if (!take_format(input, &buffer, section, format))
		return 0;
	path = path_in(snapshot->directory, buffer.file);
	if (!path)
		return EXIT_UNREADABLE;
	mapped = map_buffer(input, &buffer, path);
	free(path);
	if (!mapped)
		return 0;
	status = buffer.framed ? take_apart(input, &buffer) : 0;
	if (!status)
		status = add_buffer_sources(input, &buffer, name);
	frame_streams_free(&buffer.streams);
	return status;
}

static int make_sources(struct input *input)
{
	struct snapshot *snapshot = input->private_data;
	const char *list = ini_get(&snapshot->trace, "trace_buffers", "buffers");
	size_t rows = snapshot->trace.count + 1;
	char *names = strdup(list ? list : "");
	char *save = NULL;
	int status = 0;

	snapshot->files = calloc(rows, sizeof(*snapshot->files));
	snapshot->stores = calloc(rows, sizeof(*snapshot->stores));
	/* one more for find_core() to search with */
	snapshot->cores = calloc(rows + 1, sizeof(*snapshot->cores));
	snapshot->code = code_store_new();
	if (!names || !snapshot->code || !snapshot->files || !snapshot->stores || !snapshot->cores)
		status = EXIT_UNREADABLE;
	for (char *name = status ? NULL : strtok_r(names, ", \t", &save); name && !status;
	     name = strtok_r(NULL, ", \t", &save)) {
		/* a buffer named twice would outgrow the tables */
		status = snapshot->file_count + 1 < rows ? read_buffer(input, name)
							 : EXIT_UNREADABLE;
	}
	free(names);
	return status;
}

int input_open_snapshot(struct input *input, const struct input_options *options)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));
	const char *metadata;
	struct ini top;
	int status;

	if (!snapshot)
		return EXIT_UNREADABLE;
	snapshot->state = (struct input_state){.kind = &snapshot_kind, .options = options};
	snapshot->directory = options->path;
	input->private_data = snapshot;
	status = read_ini(snapshot, "snapshot.ini", &top, NULL);
	if (status)
		return status;
	metadata = ini_get(&top, "trace", "metadata");
	if (!metadata) {
		input_error(options->path, UINT64_MAX,
			    "snapshot.ini does not name a trace.ini: [trace] metadata= is missing");
		status = EXIT_UNREADABLE;
	}
	if (!status)
		status = read_ini(snapshot, metadata, &snapshot->trace, NULL);
	if (!status)
		status = read_devices(snapshot, &top);
	if (!status)
		status = make_sources(input);
	ini_free(&top);
	return status;
}
