// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * edges PERF.DATA - how often each taken branch of a recording went where: count, address of the
 * branch, target.
 *
 * The session counts ranges and indirect branches by itself; only ranges beside other events are
 * given one by one. The recording is one of `hwflow emulate`, or of perf with a single buffer, by one
 * process with ETE; the C library maps what the file says was mapped.
 */
#include "example.h"

#include <hwflow/image.h>

/* Records of perf.data */
enum { RECORD_MMAP2 = 10, RECORD_AUXTRACE_INFO = 70, RECORD_AUXTRACE = 71 };

struct edge {
	uint64_t from;
	uint64_t to;
	uint64_t count;
};

struct edges {
	struct edge *edges;
	size_t count;
	size_t size;
	uint64_t pending; /* address of the branch of the last range, if @is_pending */
	bool is_pending;
};

static void add(struct edges *edges, uint64_t from, uint64_t to, uint64_t count)
{
	if (edges->count == edges->size) {
		edges->size = edges->size ? 2 * edges->size : 1024;
		edges->edges = realloc(edges->edges, edges->size * sizeof(*edges->edges));
		if (!edges->edges)
			fail("edges", "out of memory");
	}
	if (count)
		edges->edges[edges->count++] = (struct edge){from, to, count};
}

static bool is_branch(const struct hwf_insn *insn)
{
	return insn->kind == HWF_INSN_DIRECT || insn->kind == HWF_INSN_INDIRECT;
}

static void arrive(struct edges *edges, uint64_t address)
{
	if (edges->is_pending)
		add(edges, edges->pending, address, 1);
	edges->is_pending = false;
}

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	const struct hwf_flow_range *range = &event->u.range;
	struct edges *edges = ctx;

	switch (event->kind) {
	case HWF_FLOW_RANGE:
		arrive(edges, range->start);
		edges->is_pending = range->p0 && range->taken && is_branch(&range->insn);
		edges->pending = range->end - range->insn.size;
		break;
	case HWF_FLOW_COUNTED:
		arrive(edges, event->u.address);
		break;
	case HWF_FLOW_EXCEPTION:
	case HWF_FLOW_TRACE_ON:
	case HWF_FLOW_NO_SYNC:
	case HWF_FLOW_GAP:
		edges->is_pending = false;
		break;
	}
}

static void take_counts(void *ctx, const struct hwf_graph *graph)
{
	const struct hwf_counts *counts = &graph->counts;

	for (uint32_t i = 0; i < counts->step_count; i++) {
		const uint32_t step = counts->steps[i];
		const struct hwf_node *node = hwf_graph_node(graph, HWF_STEP_NODE(step));

		if (HWF_STEP_TAKEN(step) && node->insn.kind == HWF_INSN_DIRECT)
			add(ctx, node->end - node->insn.size, node->insn.target,
			    HWF_COUNT(counts->of[step]));
	}
	for (uint32_t i = 0; i < counts->jump_count; i++) {
		const struct hwf_jump *jump = &graph->jumps[counts->jumps[i]];
		const struct hwf_node *node = hwf_graph_node(graph, jump->from);

		add(ctx, node->end - node->insn.size, jump->address & ~UINT64_C(1), jump->uses);
	}
}

static int compare(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void print(struct edges *edges)
{
	if (edges->count)
		qsort(edges->edges, edges->count, sizeof(*edges->edges), compare);
	for (size_t i = 0; i < edges->count; i++) {
		uint64_t count = edges->edges[i].count;

		for (; i + 1 < edges->count && !compare(&edges->edges[i], &edges->edges[i + 1]); i++)
			count += edges->edges[i + 1].count;
		printf("%llu %llx %llx\n", (unsigned long long)count,
		       (unsigned long long)edges->edges[i].from,
		       (unsigned long long)edges->edges[i].to);
	}
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
	uint32_t *const values[] = {&regs->trcconfigr, &regs->trctraceidr, &regs->trcidr0,
				    &regs->trcidr1,    &regs->trcidr2,	   &regs->trcidr8,
				    NULL,	       &regs->trcdevarch};

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
	struct edges edges = {0};
	struct hwf_session_config config = {
		.size = sizeof(config),
		.protocol = HWF_SESSION_ETE,
		.ete = &regs,
		.sink = take_event,
		.counts = take_counts,
		.ctx = &edges,
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
	if (hwf_image_new(&image, NULL, NULL) ||
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
	print(&edges);
	hwf_image_view_free(view);
	hwf_image_free(image);
	free(edges.edges);
	free(bytes);
	return 0;
}
