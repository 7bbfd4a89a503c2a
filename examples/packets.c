// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * packets TRACE REGISTER=VALUE... - the packets of a file of raw ETE trace: offset, bytes, name.
 *
 * A session without program code gives packets.
 */
#include "example.h"

int main(int argc, char **argv)
{
	struct hwf_ete_regs regs = {0};
	const struct hwf_session_config config = {
		.size = sizeof(config), .protocol = HWF_SESSION_ETE, .ete = &regs};
	struct hwf_session *session;
	struct hwf_packet packet;
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
	hwf_session_feed(session, trace, size, true);
	while ((err = hwf_session_next_packet(session, &packet)) == HWF_OK)
		printf("%llu %u %s\n", (unsigned long long)packet.offset, (unsigned)packet.size,
		       packet.name);
	if (err != HWF_ERR_END)
		fail(argv[1], hwf_err_text(err));
	hwf_session_free(session);
	free(trace);
	return 0;
}
