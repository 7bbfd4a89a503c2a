// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * edges PERF.DATA - how often each taken branch of a recording went where: count, address of the
 * branch, target.
 *
 * The session counts into a profile; its consumer takes no events. The recording is one of
 * `hwflow emulate`, or of perf with a single buffer, by one
 * process with ETE; the C library maps what the file says was mapped.
 */
#include "example.h"

#include <hwflow/image.h>

/* Records of perf.data */
enum { RECORD_MMAP2 = 10, RECORD_AUXTRACE_INFO = 70, RECORD_AUXTRACE = 71 };

/* All edges, in parts; returns how many parts there are. */
static size_t list_edges(const struct hwf_profile *profile, struct hwf_profile_edge **list)
{
	struct hwf_profile_edge *edges, edge;
	size_t count = 0, at = 0;

	while (hwf_profile_next_edge(profile, &at, &edge))
		count++;
	edges = calloc(count + 1, sizeof(*edges));
	if (!edges || hwf_profile_failed(profile))
		fail("edges", "out of memory");
	at = 0;
	for (size_t i = 0; i < count; i++)
		hwf_profile_next_edge(profile, &at, &edges[i]);
	*list = edges;
	return count;
}

static int compare(const void *a, const void *b)
{
	const struct hwf_profile_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void print(const struct hwf_profile *profile)
{
	struct hwf_profile_edge *edges;
	const size_t count = list_edges(profile, &edges);

	qsort(edges, count, sizeof(*edges), compare);
	for (size_t i = 0; i < count; i++) {
		uint64_t times = edges[i].count;

		for (; i + 1 < count && !compare(&edges[i], &edges[i + 1]); i++)
			times += edges[i + 1].count;
		printf("%llu %llx %llx\n", (unsigned long long)times,
		       (unsigned long long)edges[i].from, (unsigned long long)edges[i].to);
	}
	free(edges);
}

static uint64_t number(const unsigned char *bytes, unsigned int size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | bytes[size];
	return value;
}

/* The registers of the first trace unit, behind its kind, its CPU and their number */
static void read_info(const unsigned char *record, struct hwf_ete_regs *regs)
{
	const unsigned char *words = record + 16 + 3 * 8;
	uint32_t *const values[] = {
		&regs->trcconfigr, &regs->trctraceidr, &regs->trcidr0, &regs->trcidr1,
		&regs->trcidr2,    &regs->trcidr8,     NULL,           &regs->trcdevarch};

	if (number(words, 8) != 0x5050505050505050)
		fail("edges", "the trace is not of an ETE");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (values[i])
			*values[i] = (uint32_t)number(words + 24 + 8 * i, 4);
}

static void read_mmap(const unsigned char *record, struct hwf_image *image,
		      struct hwf_image_space *space)
{
	const char *path = (const char *)record + 72;
	struct hwf_image_file *file;

	if (number(record + 64, 4) & 4 && path[0] == '/' &&
	    (hwf_image_add_file(image, path, NULL, &file) ||
	     hwf_image_map(space, number(record + 16, 8), number(record + 24, 8), file,
			   number(record + 32, 8))))
		fail(path, "cannot be mapped");
}

static void decode(struct hwf_session_config *config, const unsigned char *trace, size_t size)
{
	struct hwf_session *session;
	int err = hwf_session_new(&session, config);

	if (!err)
		err = hwf_session_push(session, trace, size, true, NULL);
	if (err)
		fail("edges", hwf_err_text(err));
	hwf_session_free(session);
}

int main(int argc, char **argv)
{
	const struct hwf_image_filter all_contexts = {0};
	struct hwf_ete_regs regs = {0};
	struct hwf_session_config config = {
		.size = sizeof(config),
		.protocol = HWF_SESSION_ETE,
		.ete = &regs,
		.profile = hwf_profile_new(),
	};
	struct hwf_image_space *space;
	struct hwf_image_view *view = NULL;
	struct hwf_image *image;
	unsigned char *bytes;
	size_t size, at, end;

	if (argc != 2)
		fail("usage", "edges PERF.DATA");
	bytes = read_file(argv[1], &size);
	if (size < 56 || memcmp(bytes, "PERFILE2", 8))
		fail(argv[1], "not a perf.data file");
	if (!config.profile || hwf_image_new(&image, NULL, NULL) ||
	    hwf_image_add_space(image, &all_contexts, NULL, &space))
		fail(argv[1], "out of memory");
	at = number(bytes + 40, 8);
	end = at + number(bytes + 48, 8);
	for (; at + 8 <= end && end <= size; at += number(bytes + at + 6, 2)) {
		const unsigned char *record = bytes + at;

		if (number(record + 6, 2) < 8)
			break;
		switch (number(record, 4)) {
		case RECORD_AUXTRACE_INFO:
			read_info(record, &regs);
			break;
		case RECORD_MMAP2:
			read_mmap(record, image, space);
			break;
		case RECORD_AUXTRACE:
			if (!view && hwf_image_view_new(&view, image, regs.trcidr2 >> 31))
				fail(argv[1], "out of memory");
			config.code = hwf_image_view_code(view);
			decode(&config, record + 48, number(record + 8, 8));
			at += number(record + 8, 8);
			break;
		}
	}
	print(config.profile);
	hwf_image_view_free(view);
	hwf_image_free(image);
	hwf_profile_free(config.profile);
	free(bytes);
	return 0;
}
