// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * packets TRACE REGISTER=VALUE... - the packets of a file of raw ETE trace, one a line: offset,
 * bytes, name, fields, as "hwflow dump --format=ref" prints them.
 *
 * A session without program code gives packets, and writes them as lines.
 */
#include "example.h"

#include <hwflow/text.h>

static int write_text(void *ctx, const char *bytes, size_t size)
{
	return fwrite(bytes, 1, size, ctx) == size ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct hwf_ete_regs regs = {0};
	const struct hwf_session_config config = {
		.size = sizeof(config), .protocol = HWF_SESSION_ETE, .ete = &regs};
	struct hwf_session *session;
	struct hwf_packet packet;
	struct hwf_text text;
	char buffer[4096];
	unsigned char *trace;
	size_t size;
	int err;

	if (argc < 2)
		fail("usage", "packets TRACE REGISTER=VALUE...");
	for (int i = 2; i < argc; i++)
		set_register(&regs, argv[i]);
	trace = read_file(argv[1], &size);
	err = hwf_session_new(&session, &config);
	if (err)
		fail(argv[1], hwf_err_text(err));
	hwf_text_init(&text, buffer, sizeof(buffer), write_text, stdout);
	err = hwf_session_list(session, HWF_TEXT_REF);
	if (err)
		fail(argv[1], hwf_err_text(err));
	hwf_session_feed(session, trace, size, true);
	do {
		err = hwf_session_next_packet(session, &packet);
		hwf_session_line(session, &text);
	} while (err == HWF_OK);
	hwf_text_flush(&text);
	if (err != HWF_ERR_END)
		fail(argv[1], hwf_err_text(err));
	if (text.error)
		fail("standard output", "cannot be written");
	hwf_session_free(session);
	free(trace);
	return 0;
}
