// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capture directories: snapshot.ini names the devices and trace.ini, which names the trace files
 * and whose trace they hold. Nothing else in the directory is opened.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "deframe.h"
#include "ini.h"
#include "input_private.h"
#include "protocol.h"

/* A trace unit with the core it belongs to */
struct device {
	struct ini ini;
	const char *name;
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
	struct core *cores;
	size_t core_count;
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

static void snapshot_close(struct input *input)
{
	struct snapshot *snapshot = input->private_data;

	for (size_t i = 0; i < snapshot->device_count; i++)
		ini_free(&snapshot->devices[i].ini);
	for (size_t i = 0; i < snapshot->core_count; i++)
		code_files_free(snapshot->cores[i].files);
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

static int read_ini(const char *directory, const char *name, struct ini *ini)
{
	char *path = path_in(directory, name);
	int err;

	if (!path)
		return EXIT_UNREADABLE;
	err = ini_read(ini, path);
	if (err)
		input_error(path, UINT64_MAX, "%s; a capture directory must have this file",
			    strerror(-err));
	free(path);
	return err ? EXIT_UNREADABLE : 0;
}

static int read_devices(struct snapshot *snapshot, const struct ini *top)
{
	for (size_t i = 0; i < top->count; i++) {
		struct device *devices;
		struct device *device;

		if (strcasecmp(top->entries[i].section, "device_list"))
			continue;
		devices =
			realloc(snapshot->devices, (snapshot->device_count + 1) * sizeof(*devices));
		if (!devices)
			return EXIT_UNREADABLE;
		snapshot->devices = devices;
		device = &devices[snapshot->device_count];
		if (read_ini(snapshot->directory, top->entries[i].value, &device->ini))
			return EXIT_UNREADABLE;
		snapshot->device_count++;
		device->name = ini_get(&device->ini, "device", "name");
		if (!device->name)
			device->name = "";
	}
	return 0;
}

static struct device *find_device(struct snapshot *snapshot, const char *name)
{
	for (size_t i = 0; i < snapshot->device_count; i++) {
		if (!strcmp(snapshot->devices[i].name, name))
			return &snapshot->devices[i];
	}
	return NULL;
}

static uint64_t number(const char *text)
{
	return text ? strtoull(text, NULL, 0) : 0;
}

/* One [dump] section: an image of memory. One that is missing costs a gap later, no more. */
static void add_dump(struct input *input, struct core *core, const struct ini *ini,
		     const char *section)
{
	struct snapshot *snapshot = input->private_data;
	const char *file = ini_get(ini, section, "file");
	char *path = file ? path_in(snapshot->directory, file) : NULL;
	struct input_image image = {
		.file = path,
		.address = number(ini_get(ini, section, "address")),
		.offset = number(ini_get(ini, section, "offset")),
		.length = number(ini_get(ini, section, "length")),
		.has_address = true,
		.raw = true,
	};

	if (!path || code_files_add(core->files, &image))
		input->damaged = true;
	free(path);
}

static struct core *find_core(struct input *input, const char *name)
{
	struct snapshot *snapshot = input->private_data;
	struct device *device = find_device(snapshot, name);
	struct core *core;

	for (size_t i = 0; i < snapshot->core_count; i++) {
		if (!strcmp(snapshot->cores[i].name, name))
			return &snapshot->cores[i];
	}
	/* allocated in full by make_sources(), so that it does not move */
	core = &snapshot->cores[snapshot->core_count];
	*core = (struct core){.name = name, .files = code_files_new()};
	if (!core->files)
		return NULL;
	snapshot->core_count++;
	for (size_t i = 0; device && i < device->ini.count; i++) {
		const struct ini_entry *entry = &device->ini.entries[i];

		if (!strncasecmp(entry->section, "dump", 4) && !strcasecmp(entry->key, "file"))
			add_dump(input, core, &device->ini, entry->section);
	}
	/* in place of what the capture has there */
	for (size_t i = 0; i < snapshot->state.options->image_count; i++)
		if (code_files_add(core->files, &snapshot->state.options->images[i]))
			return NULL;
	return core;
}

/* Which core a trace unit belongs to */
static const char *core_of(struct snapshot *snapshot, const char *unit)
{
	for (size_t i = 0; i < snapshot->trace.count; i++) {
		const struct ini_entry *entry = &snapshot->trace.entries[i];

		if (!strcasecmp(entry->section, "core_trace_sources") &&
		    !strcmp(entry->value, unit))
			return entry->key;
	}
	return "";
}

/* The configuration of a trace unit; registers that no protocol knows are passed over. */
static void read_registers(const struct protocol *protocol, const struct ini *ini, void *config)
{
	for (size_t i = 0; i < ini->count; i++) {
		if (!strcasecmp(ini->entries[i].section, "regs"))
			protocol->set(config, ini->entries[i].key,
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
		protocol->set(config, "ARMV7M", 1);
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

static int add_source(struct input *input, const struct buffer *buffer, const char *unit)
{
	struct snapshot *snapshot = input->private_data;
	struct device *device = find_device(snapshot, unit);
	const char *type = device ? ini_get(&device->ini, "device", "type") : NULL;
	struct input_source *source;
	struct input_piece *piece;
	const struct protocol *protocol = type ? protocol_of_type(type) : NULL;
	uint8_t id;
	char name[256];
	char full[280];

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
	source->private_data = find_core(input, core_of(snapshot, unit));
	piece = input_add_piece(source);
	if (!source->private_data || !piece)
		return EXIT_UNREADABLE;
	if (!buffer->framed) {
		piece->bytes = buffer->map->bytes;
		piece->map = buffer->map;
		piece->length = buffer->map->size;
		return 0;
	}
	id = protocol->trace_id(source);
	snprintf(full, sizeof(full), "%s-id%02x", name, id);
	free(source->name);
	source->name = strdup(full);
	for (size_t i = 0; i < buffer->streams.count; i++) {
		if (buffer->streams.items[i].id != id)
			continue;
		piece->bytes = buffer->streams.items[i].bytes;
		piece->map = frame_store_map(buffer->store);
		piece->length = buffer->streams.items[i].length;
	}
	return source->name ? 0 : EXIT_UNREADABLE;
}

static int add_buffer_sources(struct input *input, const struct buffer *buffer, const char *name)
{
	struct snapshot *snapshot = input->private_data;

	for (size_t i = 0; i < snapshot->trace.count; i++) {
		const struct ini_entry *entry = &snapshot->trace.entries[i];

		if (!strcasecmp(entry->section, "source_buffers") && !strcmp(entry->value, name) &&
		    add_source(input, buffer, entry->key))
			return EXIT_UNREADABLE;
	}
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
				    &buffer->streams);
	}
	if (error) {
		deframe_error(input->path, error);
		return EXIT_UNREADABLE;
	}
	buffer->store = store;
	return 0;
}

static int read_buffer(struct input *input, const char *section)
{
	struct snapshot *snapshot = input->private_data;
	const char *format = ini_get(&snapshot->trace, section, "format");
	const char *name = ini_get(&snapshot->trace, section, "name");
	struct buffer buffer = {.file = ini_get(&snapshot->trace, section, "file")};
	char *path;
	int err;

	if (!buffer.file || !name) {
		input_error(input->path, UINT64_MAX,
			    "trace.ini: [%s] has no file= or no name=", section);
		return EXIT_UNREADABLE;
	}
	buffer.framed = format && !strcasecmp(format, "coresight");
	path = path_in(snapshot->directory, buffer.file);
	if (!path)
		return EXIT_UNREADABLE;
	buffer.map = &snapshot->files[snapshot->file_count];
	err = file_map(buffer.map, path);
	if (err) {
		input_error(path, UINT64_MAX, "%s; trace.ini names this file", strerror(-err));
		input->damaged = true;
		free(path);
		return 0;
	}
	free(path);
	snapshot->file_count++;
	if (buffer.framed && take_apart(input, &buffer))
		return EXIT_UNREADABLE;
	return add_buffer_sources(input, &buffer, name);
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
	snapshot->cores = calloc(rows, sizeof(*snapshot->cores));
	if (!names || !snapshot->files || !snapshot->stores || !snapshot->cores)
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
	status = read_ini(options->path, "snapshot.ini", &top);
	if (status)
		return status;
	metadata = ini_get(&top, "trace", "metadata");
	if (!metadata) {
		input_error(options->path, UINT64_MAX,
			    "snapshot.ini does not name a trace.ini: [trace] metadata= is missing");
		status = EXIT_UNREADABLE;
	}
	if (!status)
		status = read_ini(options->path, metadata, &snapshot->trace);
	if (!status)
		status = read_devices(snapshot, &top);
	if (!status)
		status = make_sources(input);
	ini_free(&top);
	return status;
}
