/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes of events, and the identifiers by which records name their event. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata_reader.h"

/* no recording has as many events */
#define ATTRS_MAX 4096

static const struct perfdata_attr *first_of(const struct perfdata *data)
{
	return data->attrs.items;
}

void perfdata_read_attr(struct perfdata *data, uint64_t at, struct perfdata_bytes bytes,
			struct perfdata_bytes ids)
{
	struct perf_event_attr raw = {0};
	struct perfdata_attr *attr;

	if (bytes.size < PERFDATA_ATTR_SIZE_MIN) {
		perfdata_note(data, PERFDATA_ERROR, at,
			      "event attribute of %zu bytes: too short, ignored", bytes.size);
		return;
	}
	memcpy(&raw, bytes.at, bytes.size < sizeof(raw) ? bytes.size : sizeof(raw));
	if (data->attrs.count == ATTRS_MAX) {
		perfdata_note(data, PERFDATA_ERROR, at, "more than %d events: ignored", ATTRS_MAX);
		return;
	}
	attr = perfdata_array_add(data, &data->attrs, sizeof(*attr));
	if (!attr)
		return;
	attr->type = raw.type;
	attr->config = raw.config;
	attr->sample_type = raw.sample_type;
	attr->sample_id_all = raw.sample_id_all;
	attr->read_format = raw.read_format;
	attr->branch_sample_type = raw.branch_sample_type;
	attr->regs_user = raw.sample_regs_user;
	attr->regs_intr = raw.sample_regs_intr;
	data->indexed = false;
	data->different |= attr->sample_type != first_of(data)->sample_type ||
			   attr->sample_id_all != first_of(data)->sample_id_all;
	/* in a damaged file several events may name the same bytes: no more than it can have */
	if (ids.size / 8 > data->file.size / 8 - data->ids.count) {
		perfdata_note(data, PERFDATA_ERROR, at,
			      "identifiers of events overlap: the file is damaged; those of this "
			      "event are ignored");
		return;
	}
	for (size_t i = 0; i < ids.size / 8; i++) {
		struct perfdata_id *id = perfdata_array_add(data, &data->ids, sizeof(*id));

		if (!id)
			return;
		id->id = perfdata_u64(ids, 8 * i);
		id->attr = data->attrs.count - 1;
	}
}

/* By identifier, and by event, which is the order of the file */
static int compare_ids(const void *a, const void *b)
{
	const struct perfdata_id *x = a, *y = b;
	const int order = perfdata_compare(x->id, y->id);

	return order ? order : perfdata_compare(x->attr, y->attr);
}

/*
 * The identifiers that are not in a run yet become a run. As long as it is not shorter than the run
 * before it, both become one, so that there are few runs, and each identifier is sorted few times,
 * however often records of attributes stand between others.
 */
void perfdata_index_ids(struct perfdata *data)
{
	const size_t runs = data->id_runs.count;
	size_t *ends = data->id_runs.items, *end;
	size_t kept = runs;
	size_t begin = runs ? ends[runs - 1] : 0;

	data->indexed = true;
	if (begin == data->ids.count)
		return;
	while (kept) {
		const size_t before = kept > 1 ? ends[kept - 2] : 0;

		if (begin - before > data->ids.count - begin)
			break;
		begin = before;
		kept--;
	}
	data->id_runs.count = kept;
	end = perfdata_array_add(data, &data->id_runs, sizeof(*end));
	if (!end)
		return;
	*end = data->ids.count;
	qsort((struct perfdata_id *)data->ids.items + begin, data->ids.count - begin,
	      sizeof(struct perfdata_id), compare_ids);
}

/* The first one with an identifier in a sorted run; NULL if there is none */
static const struct perfdata_id *find_in_run(const struct perfdata_id *ids, size_t count,
					     uint64_t id)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (ids[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && ids[low].id == id ? &ids[low] : NULL;
}

const struct perfdata_attr *perfdata_find_attr(const struct perfdata *data, uint64_t id)
{
	const struct perfdata_id *ids = data->ids.items, *found = NULL;
	const size_t *ends = data->id_runs.items;
	size_t begin = 0;

	for (size_t i = 0; i < data->id_runs.count && !found; i++) {
		found = find_in_run(ids + begin, ends[i] - begin, id);
		begin = ends[i];
	}
	return found ? first_of(data) + found->attr : NULL;
}
