/* SPDX-License-Identifier: GPL-2.0-only */
/* The mappings of a recording. */
#include "mapping_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/text.h"
#include "perfdata/perfdata_read.h"
#include "script_fields.h"
#include "source/input.h"

static void put_build_id(struct text *out, const struct perfdata_mapping *mapping)
{
	for (unsigned int i = 0; i < mapping->build_id_size; i++)
		text_hex_zeros(out, mapping->build_id[i], 2);
	if (!mapping->build_id_size)
		text_char(out, '-');
	text_char(out, ' ');
}

static void put_mapping(struct text *out, const struct perfdata_info *info,
			const struct perfdata_event *event)
{
	const struct perfdata_mapping *mapping = event->u.mapping;

	if (info->untimed || !event->time)
		script_put_no_time(out);
	else
		script_put_seconds(out, event->time);
	if (event->pid < 0)
		text_right(out, "kernel", 7);
	else
		text_decimal_padded(out, (uint64_t)event->pid, 7);
	text_format(out, " %12" PRIx64 "-%-12" PRIx64 " %8" PRIx64 " ", mapping->address,
		    mapping->address + mapping->length, mapping->file_offset);
	put_build_id(out, mapping);
	text_named_name(out, "", mapping->path);
	text_end_line(out);
}

int mapping_lines_print(const struct input *input)
{
	const struct perfdata_info *info = input_recording(input);

	if (!info) {
		input_error(input->path, UINT64_MAX, "--mappings: only a perf.data file has them");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < info->event_count; i++)
		if (info->events[i].kind == PERFDATA_MMAP &&
		    info->events[i].u.mapping->prot & PROT_EXEC)
			put_mapping(text_stdout(), info, &info->events[i]);
	text_flush(text_stdout());
	return EXIT_GOOD;
}
