// SPDX-License-Identifier: GPL-2.0-only
/* The functions that list the packets of each protocol. */
#include "packet_dump.h"

const struct packet_dump_ops *packet_dump_of(const struct input_source *source)
{
	static const struct packet_dump_ops *const protocols[INPUT_PROTOCOLS] = {
		[INPUT_ETE] = &packet_dump_ete,
		[INPUT_ETMV4] = &packet_dump_ete,
		[INPUT_ETMV3] = &packet_dump_etmv3,
		[INPUT_RISCV] = &packet_dump_riscv,
	};

	return protocols[input_protocol_of(source)];
}
