// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * ranges TRACE PROGRAM REGISTER=VALUE... - the ranges that the program, an ELF file, executed by a
 * file of raw ETE trace: first address, address behind the last instruction, instructions.
 *
 * A session with a sink is pushed bytes. This sink stops the session after each thousand ranges, as
 * a program would that shows a page at a time.
 */
#include "example.h"

#include <hwflow/image.h>

struct printer {
	struct hwf_session *session;
	unsigned long ranges;
};

static void take_event(void *ctx, const struct hwf_flow_event *event)
{
	const struct hwf_flow_range *range = &event->u.range;
	struct printer *printer = ctx;

	if (event->kind == HWF_FLOW_GAP)
		printf("gap at %llu\n", (unsigned long long)event->offset);
	if (event->kind != HWF_FLOW_RANGE)
		return;
	printf("%llx %llx %u\n", (unsigned long long)range->start, (unsigned long long)range->end,
	       (unsigned)range->instructions);
	if (++printer->ranges % 1000 == 0)
		hwf_session_stop(printer->session);
}

int main(int argc, char **argv)
{
	const struct hwf_image_filter all_contexts = {0};
	struct printer printer = {0};
	struct hwf_ete_regs regs = {0};
	struct hwf_session_config config = {
		.size = sizeof(config),
		.protocol = HWF_SESSION_ETE,
		.ete = &regs,
		.sink = take_event,
		.ctx = &printer,
	};
	struct hwf_image *image;
	struct hwf_image_file *file;
	struct hwf_image_space *space;
	struct hwf_image_view *view;
	unsigned char *trace;
	size_t size, at = 0, taken;
	int err;

	if (argc < 3)
		fail("usage", "ranges TRACE PROGRAM REGISTER=VALUE...");
	for (int i = 3; i < argc; i++)
		set_register(&regs, argv[i]);
	trace = read_file(argv[1], &size);
	if (hwf_image_new(&image, NULL, NULL) ||
	    hwf_image_add_file(image, argv[2], NULL, &file) ||
	    hwf_image_add_space(image, &all_contexts, NULL, &space) ||
	    hwf_image_map_elf(space, file, 0) ||
	    hwf_image_view_new(&view, image, regs.trcidr2 >> 31))
		fail(argv[2], "cannot be mapped");
	config.code = hwf_image_view_code(view);
	err = hwf_session_new(&printer.session, &config);
	if (err)
		fail(argv[1], hwf_err_text(err));
	do {
		err = hwf_session_push(printer.session, trace + at, size - at, true, &taken);
		at += taken;
	} while (err == HWF_ERR_STOPPED);
	if (err)
		fail(argv[1], hwf_err_text(err));
	hwf_session_free(printer.session);
	hwf_image_view_free(view);
	hwf_image_free(image);
	free(trace);
	return 0;
}
