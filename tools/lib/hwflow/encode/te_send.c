/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The way out of the RISC-V trace encoder: packets wait while the sink has no room. */
#include "encode/te.h"

bool hwf_te_drain(struct hwf_te *te)
{
	while (te->queued && te->sink.packet(te->sink.ctx, &te->queue[te->queue_first])) {
		te->queue_first = (uint8_t)((te->queue_first + 1) % TE_QUEUE);
		te->queued--;
	}
	return !te->queued;
}

static void te_queue(struct hwf_te *te, const struct hwf_riscv_packet *packet)
{
	te->queue[(te->queue_first + te->queued++) % TE_QUEUE] = *packet;
}

void hwf_te_send(struct hwf_te *te, const struct hwf_riscv_packet *packet)
{
	if (te->lost)
		return;
	hwf_te_drain(te);
	if (te->queued == TE_QUEUE)
		te->lost = true;
	else if (te->queued || !te->sink.packet(te->sink.ctx, packet))
		te_queue(te, packet);
}
