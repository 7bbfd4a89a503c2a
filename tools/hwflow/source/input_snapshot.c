// SPDX-License-Identifier: GPL-2.0-only
/*
 * Capture directories: snapshot.ini names the devices and trace.ini, which names the trace files
 * and whose trace they hold. Nothing else in the directory is opened.
 */
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "capture/capture_buffer.h"
#include "capture/capture_devices.h"
#include "capture/capture_files.h"
#include "config.h"
#include "input_private.h"
#include "protocol.h"

/* The images of one core, as code; each source points to the one of its core. */
struct core {
	const char *name;
	struct code_files *files;
};

/* A trace unit has its trace in a buffer. */
struct assignment {
	const char *unit;
	size_t buffer;
};

/**
 * struct snapshot - a capture
 * @state: see there
 * @files: files that were opened
 * @top: snapshot.ini
 * @trace: trace.ini
 * @devices: of snapshot.ini
 * @code: files of all cores
 * @cores: those of sources, with memory for one of each source
 * @core_count: how many
 * @cores_by_name: tree of them
 * @buffers: in the order of trace.ini
 * @buffer_count: how many
 * @assignments: by buffer, then in the order of trace.ini
 * @assignment_count: how many
 */
struct snapshot {
	struct input_state state;
	struct capture_files files;
	struct ini top;
	struct ini trace;
	struct capture_devices devices;
	struct code_store *code;
	struct core *cores;
	size_t core_count;
	void *cores_by_name;
	struct capture_buffer *buffers;
	size_t buffer_count;
	struct assignment *assignments;
	size_t assignment_count;
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

	for (size_t i = 0; i < snapshot->core_count; i++) {
		tdelete(&snapshot->cores[i], &snapshot->cores_by_name, compare_cores);
		code_files_free(snapshot->cores[i].files);
	}
	code_store_free(snapshot->code);
	for (size_t i = 0; i < snapshot->buffer_count; i++)
		capture_buffer_free(&snapshot->buffers[i]);
	capture_files_free(&snapshot->files);
	capture_devices_free(&snapshot->devices);
	free(snapshot->cores);
	free(snapshot->buffers);
	free(snapshot->assignments);
	ini_free(&snapshot->trace);
	ini_free(&snapshot->top);
	free(snapshot);
}

static const struct input_kind snapshot_kind = {
	.code = snapshot_code,
	.close = snapshot_close,
};

/* A number of a [dump] section; 0 if it is missing */
static bool take_number(struct capture_files *files, const struct capture_device *device,
			const struct ini_entry *file, const char *key, uint64_t *number)
{
	const char *text = ini_value(&device->ini, file->number, key);
	char *end;

	*number = 0;
	if (!text)
		return true;
	errno = 0;
	*number = strtoull(text, &end, 0);
	if (end != text && !*end && !errno && !strchr(text, '-'))
		return true;
	capture_note(files, "%s: [%s] %s=%s: not a number from 0 to %#llx; %s is left out",
		     device->file, file->section, key, text, ULLONG_MAX, file->value);
	return false;
}

/* One [dump] section: an image of memory. One that is missing costs a gap later, no more. */
static void add_dump(struct capture_files *files, struct core *core,
		     const struct capture_device *device, const struct ini_entry *file)
{
	char *path = capture_path(files, file->value);
	struct input_image image = {
		.file = path,
		.root = strlen(files->directory),
		.has_address = true,
		.raw = true,
	};

	if (!path)
		files->damaged = true;
	else if (take_number(files, device, file, "address", &image.address) &&
		 take_number(files, device, file, "offset", &image.offset) &&
		 take_number(files, device, file, "length", &image.length) &&
		 code_files_add(core->files, &image))
		files->damaged = true;
	free(path);
}

static void add_dumps(struct capture_files *files, struct core *core,
		      const struct capture_device *device)
{
	const struct ini *ini = &device->ini;

	for (size_t i = 0; i < ini->count; i++) {
		const struct ini_entry *entry = &ini->entries[i];

		/* the first file of a section is that of the section */
		if (!strncasecmp(entry->section, "dump", 4) && !strcasecmp(entry->key, "file") &&
		    ini_value(ini, entry->number, "file") == entry->value)
			add_dump(files, core, device, entry);
	}
}

static struct core *find_core(struct input *input, const char *name)
{
	struct snapshot *snapshot = input->private_data;
	const struct capture_device *device = capture_device_find(&snapshot->devices, name);
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
		add_dumps(&snapshot->files, core, device);
	else if (*name)
		capture_note(
			&snapshot->files,
			"trace.ini: [core_trace_sources] %s: no file of [device_list] has this "
			"device; its memory is not known",
			name);
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

static bool has_register(const void *ctx, const char *name)
{
	return ini_get(ctx, "regs", name);
}

/* Registers that a capture does not have are 0, which may be wrong. */
static void note_missing(struct capture_files *files, const struct capture_device *device,
			 const struct protocol *protocol)
{
	char *missing = config_lacks(protocol->names, has_register, &device->ini);

	if (missing)
		capture_note(files, "%s: [regs] has no %s: taken for 0", device->file, missing);
	free(missing);
}

/*
 * The configuration of a trace unit; registers that the protocol does not need are passed over.
 * Returns false for a value that is not possible, which is named.
 */
static bool read_registers(struct capture_files *files, const struct capture_device *device,
			   const struct protocol *protocol, void *config)
{
	const struct ini *ini = &device->ini;
	const size_t regs = ini_section(ini, "regs");
	struct hwf_config_fault fault;
	bool is_good = true;

	if (regs == INI_NO_SECTION)
		capture_note(files, "%s: [regs] is missing: the registers of %s are taken for 0",
			     device->file, device->name);
	else
		note_missing(files, device, protocol);
	for (size_t i = 0; i < ini->count && regs != INI_NO_SECTION; i++) {
		const struct ini_entry *entry = &ini->entries[i];

		if (entry->number == regs && config_known(protocol->names, entry->key) &&
		    !config_take(protocol->names, config, device->file, entry->key, entry->value,
				 protocol->name))
			is_good = false;
	}
	if (!is_good || !protocol->fault(config, &fault))
		return is_good;
	config_print_fault(device->file, &fault);
	return false;
}

/* The configuration of the last source; returns false if it is not possible, which is named. */
static bool init_source(struct input *input, const struct capture_device *unit,
			const struct protocol *protocol, const char *core)
{
	struct snapshot *snapshot = input->private_data;
	max_align_t config[PROTOCOL_CONFIG / sizeof(max_align_t)] = {0};
	const struct capture_device *device = capture_device_find(&snapshot->devices, core);
	const char *type = device ? capture_device_get(device, "type") : NULL;

	/* protocols that do not ask for it do not know the name */
	if (type && !strncasecmp(type, "Cortex-M", 8))
		config_set(protocol->names, config, "ARMV7M", 1);
	return read_registers(&snapshot->files, unit, protocol, config) &&
	       !protocol->init(&input->sources[input->source_count - 1], config);
}

/* The protocol of a trace unit; NULL if its trace is left out, which is named */
static const struct protocol *protocol_of(struct capture_files *files,
					  const struct capture_device *device, const char *unit)
{
	const char *type = device ? capture_device_get(device, "type") : NULL;
	const struct protocol *protocol = type ? protocol_of_type(type) : NULL;

	if (!device)
		capture_note(files,
			     "trace.ini: [source_buffers] %s: no file of [device_list] has this "
			     "device; its trace is left out",
			     unit);
	else if (!type)
		capture_note(files, "%s: [device] type= is missing; the trace of %s is left out",
			     device->file, unit);
	else if (!protocol)
		capture_note(
			files,
			"%s: type=%s: only the trace of ETE, ETM4 and ETM3 is decoded; that of %s "
			"is left out",
			device->file, type, unit);
	return protocol;
}

/* The trace of a source: all bytes of a buffer, or those of a trace ID, after which it is named */
static int add_pieces(struct input *input, struct input_source *source,
		      const struct capture_buffer *buffer, uint8_t id)
{
	const struct frame_stream whole = {.bytes = buffer->map.bytes, .length = buffer->map.size};
	const struct frame_stream none = {.id = id};
	char name[sizeof(buffer->stem) + 16];
	int status = 0;

	if (!buffer->framed)
		return input_add_stream(input, source, &buffer->map, &whole);
	snprintf(name, sizeof(name), "%s-id%02x", buffer->stem, id);
	free(source->name);
	source->name = strdup(name);
	for (size_t i = 0; i < buffer->streams.count && !status; i++)
		if (buffer->streams.items[i].id == id)
			status = input_add_stream(input, source, frame_store_map(buffer->store),
						  &buffer->streams.items[i]);
	/* a source without bytes has an empty piece */
	if (!source->piece_count && !status)
		status = input_add_stream(input, source, NULL, &none);
	return source->name ? status : EXIT_UNREADABLE;
}

static int add_source(struct input *input, struct capture_buffer *buffer, const char *unit)
{
	struct snapshot *snapshot = input->private_data;
	const struct capture_device *device = capture_device_find(&snapshot->devices, unit);
	const struct protocol *protocol = protocol_of(&snapshot->files, device, unit);
	const char *core = core_of(snapshot, unit);
	struct input_source *source;
	uint8_t id;
	int status;

	if (!protocol)
		return 0;
	source = input_add_source(input, buffer->stem, buffer->files);
	if (!source)
		return EXIT_UNREADABLE;
	if (!init_source(input, device, protocol, core)) {
		capture_note(&snapshot->files,
			     "%s: its registers are not possible; its trace is left out", unit);
		input_remove_source(input);
		return 0;
	}
	id = buffer->framed ? protocol->trace_id(source) : 0;
	if (!capture_buffer_claim(&snapshot->files, buffer, unit, id)) {
		input_remove_source(input);
		return 0;
	}
	status = add_pieces(input, source, buffer, id);
	if (status)
		return status;
	if (!*core && !snapshot->state.options->image_count)
		capture_note(
			&snapshot->files,
			"trace.ini: [core_trace_sources] has no core with the trace unit %s: its "
			"program is not known; --image names one",
			unit);
	source->private_data = find_core(input, core);
	return source->private_data ? 0 : EXIT_UNREADABLE;
}

/* ---- which trace unit has which buffer ---- */

static int compare_buffers(const void *a, const void *b)
{
	return strcmp(((const struct capture_buffer *)a)->name,
		      ((const struct capture_buffer *)b)->name);
}

static int compare_assignments(const void *a, const void *b)
{
	const struct assignment *x = a, *y = b;

	return (x->buffer > y->buffer) - (x->buffer < y->buffer);
}

/* The first buffer of a list that is a buffer of the tree; others of the list are named. */
static void assign(struct input *input, void *const *buffers, const struct ini_entry *entry)
{
	struct snapshot *snapshot = input->private_data;
	char *names = strdup(entry->value), *save = NULL;
	struct capture_buffer *first = NULL;

	for (char *name = names ? strtok_r(names, ",", &save) : NULL; name;
	     name = strtok_r(NULL, ",", &save)) {
		const struct capture_buffer sought = {.name = ini_trim(name)};
		struct capture_buffer *const *found = tfind(&sought, buffers, compare_buffers);

		if (!found)
			capture_note(
				&snapshot->files,
				"trace.ini: [source_buffers] %s=%s: no buffer that can be read "
				"has this name",
				entry->key, sought.name);
		else if (first)
			capture_note(
				&snapshot->files,
				"trace.ini: [source_buffers] %s: the trace in %s is used, that in "
				"%s is left out",
				entry->key, first->name, sought.name);
		else
			first = *found;
	}
	free(names);
	if (first)
		snapshot->assignments[snapshot->assignment_count++] =
			(struct assignment){entry->key, (size_t)(first - snapshot->buffers)};
}

/* Without [source_buffers] the one buffer has the trace of all trace units. */
static void assign_all(struct input *input)
{
	struct snapshot *snapshot = input->private_data;

	if (snapshot->buffer_count != 1) {
		capture_note(&snapshot->files,
			     "trace.ini: [source_buffers] is missing: which trace unit has "
			     "its trace in which buffer is not known");
		return;
	}
	for (size_t i = 0; i < snapshot->devices.count; i++) {
		const struct capture_device *device = &snapshot->devices.items[i];
		const char *class = capture_device_get(device, "class");

		if (device->name && class && !strcasecmp(class, "trace_source"))
			snapshot->assignments[snapshot->assignment_count++] =
				(struct assignment){device->name, 0};
	}
}

static int assign_buffers(struct input *input)
{
	struct snapshot *snapshot = input->private_data;
	const struct ini *trace = &snapshot->trace;
	const size_t number = ini_section(trace, "source_buffers");
	void *buffers = NULL;
	int status = 0;

	snapshot->assignments =
		calloc(trace->count + snapshot->devices.count + 1, sizeof(*snapshot->assignments));
	if (!snapshot->assignments)
		return EXIT_UNREADABLE;
	if (number == INI_NO_SECTION) {
		assign_all(input);
		return 0;
	}
	for (size_t i = 0; i < snapshot->buffer_count; i++) {
		struct capture_buffer *buffer = &snapshot->buffers[i];
		struct capture_buffer **found = tsearch(buffer, &buffers, compare_buffers);

		if (!found)
			status = EXIT_UNREADABLE;
		else if (*found != buffer)
			capture_note(&snapshot->files,
				     "trace.ini: [%s] and [%s] have the same name=%s",
				     (*found)->section, buffer->section, buffer->name);
	}
	for (size_t i = 0; i < trace->count && !status; i++)
		if (trace->entries[i].number == number)
			assign(input, &buffers, &trace->entries[i]);
	for (size_t i = 0; i < snapshot->buffer_count; i++)
		tdelete(&snapshot->buffers[i], &buffers, compare_buffers);
	qsort(snapshot->assignments, snapshot->assignment_count, sizeof(*snapshot->assignments),
	      compare_assignments);
	return status;
}

/* Reads the sections of all buffers. */
static int name_buffers(struct input *input)
{
	struct snapshot *snapshot = input->private_data;
	const char *list = ini_get(&snapshot->trace, "trace_buffers", "buffers");
	char *names = strdup(list ? list : ""), *save = NULL;
	/* no section makes two buffers */
	const size_t most = snapshot->trace.section_count;

	snapshot->buffers = calloc(most + 1, sizeof(*snapshot->buffers));
	if (!names || !snapshot->buffers) {
		free(names);
		return EXIT_UNREADABLE;
	}
	if (!list)
		capture_note(&snapshot->files,
			     "trace.ini: [trace_buffers] buffers= is missing: no trace is known");
	for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		const char *section = ini_trim(name);

		if (!*section)
			continue;
		if (snapshot->buffer_count == most && most) {
			capture_note(&snapshot->files,
				     "trace.ini: [trace_buffers] names buffers twice");
			break;
		}
		snapshot->buffer_count +=
			capture_buffer_name(&snapshot->files, &snapshot->trace, section,
					    &snapshot->buffers[snapshot->buffer_count]);
	}
	free(names);
	return 0;
}

/* The sources of a buffer are those of the assignments from @at on. Returns where others begin. */
static size_t add_sources(struct input *input, struct capture_buffer *buffer, size_t at,
			  int *status)
{
	struct snapshot *snapshot = input->private_data;
	const size_t number = (size_t)(buffer - snapshot->buffers);
	const size_t from = at;
	bool is_read = false;

	while (at < snapshot->assignment_count && snapshot->assignments[at].buffer == number)
		at++;
	if (from == at)
		capture_note(&snapshot->files,
			     "trace.ini: no trace unit has its trace in %s; it is left out",
			     buffer->name);
	else
		is_read = capture_buffer_read(&snapshot->files, buffer);
	for (size_t i = from; i < at && is_read && !*status; i++)
		*status = add_source(input, buffer, snapshot->assignments[i].unit);
	if (is_read)
		capture_buffer_end(&snapshot->files, buffer);
	return at;
}

static int make_sources(struct input *input)
{
	struct snapshot *snapshot = input->private_data;
	int status = name_buffers(input);
	size_t at = 0;

	if (!status)
		status = assign_buffers(input);
	/* one more for find_core() to search with */
	snapshot->cores = calloc(snapshot->assignment_count + 1, sizeof(*snapshot->cores));
	snapshot->code = code_store_new();
	if (!snapshot->code || !snapshot->cores)
		status = EXIT_UNREADABLE;
	for (size_t i = 0; i < snapshot->buffer_count && !status; i++)
		at = add_sources(input, &snapshot->buffers[i], at, &status);
	return status;
}

int input_open_snapshot(struct input *input, const struct input_options *options)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));
	const char *metadata, *version;
	int status;

	if (!snapshot)
		return EXIT_UNREADABLE;
	snapshot->state = (struct input_state){.kind = &snapshot_kind, .options = options};
	snapshot->files.directory = options->path;
	snapshot->files.shown = input->path;
	input->private_data = snapshot;
	input->is_capture = true;
	status = capture_read_ini(&snapshot->files, "snapshot.ini", &snapshot->top, NULL);
	if (status)
		return status;
	version = ini_get(&snapshot->top, "snapshot", "version");
	if (version && strcmp(version, "1.0") != 0)
		capture_note(&snapshot->files,
			     "snapshot.ini: [snapshot] version=%s: only 1.0 is known", version);
	metadata = ini_get(&snapshot->top, "trace", "metadata");
	if (!metadata) {
		input_error(options->path, UINT64_MAX,
			    "snapshot.ini does not name a trace.ini: [trace] metadata= is missing");
		return EXIT_UNREADABLE;
	}
	status = capture_read_ini(&snapshot->files, metadata, &snapshot->trace, NULL);
	if (!status)
		status = capture_devices_read(&snapshot->files, &snapshot->top, &snapshot->devices);
	if (!status)
		status = make_sources(input);
	input->damaged |= snapshot->files.damaged;
	return status;
}
