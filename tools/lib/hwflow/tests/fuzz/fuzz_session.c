// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Fuzz target: any bytes as trace of any protocol and any program, through a session. It must give
 * what the plain decoder gives, in pieces, with stops, and pulled; it must never crash.
 */
#include "fuzz.h"
#include "session/tests/session_test.h"
#include "fuzz_flow.h"

/* The low pages that the program is in end here. */
#define LOW 0x10000u

/* Bytes of an input that say how the trace unit and the session are made */
#define HEAD 8

/* struct fold - events so far; one of @stop_in stops the session */
struct fold {
	struct hwf_session *session;
	uint64_t sum;
	uint64_t events;
	uint32_t stop_in;
	bool stopped;
};

static void take(void *ctx, const struct hwf_flow_event *event)
{
	struct fold *fold = ctx;

	if (fold->stopped)
		abort();
	fuzz_mix(&fold->sum, event_number(event));
	fold->events++;
	if (!fold->stop_in || fold->events % fold->stop_in)
		return;
	hwf_session_stop(fold->session);
	fold->stopped = true;
}

/* In pieces of @piece bytes */
static void push(struct fold *fold, const struct subject *subject, size_t piece)
{
	size_t at = 0, taken;
	bool last;
	int err;

	do {
		const size_t left = subject->length - at;

		last = left <= piece;
		err = hwf_session_push(fold->session, subject->bytes + at, last ? left : piece,
				       last, &taken);
		if (err != (fold->stopped ? HWF_ERR_STOPPED : HWF_OK))
			abort();
		fold->stopped = false;
		at += taken;
	} while (err || !last);
	if (at != subject->length)
		abort();
}

static struct fold pushed(const struct subject *subject, size_t piece, uint32_t stop_in)
{
	struct hwf_session_config config = subject->config;
	struct fold fold = {.stop_in = stop_in};

	config.sink = take;
	config.ctx = &fold;
	config.graph_nodes = 64;
	if (hwf_session_new(&fold.session, &config))
		abort();
	push(&fold, subject, piece);
	hwf_session_free(fold.session);
	return fold;
}

static struct fold pulled(const struct subject *subject)
{
	const struct hwf_flow_event *event;
	struct hwf_session *session;
	struct fold fold = {0};
	int err;

	if (hwf_session_new(&session, &subject->config) ||
	    hwf_session_feed(session, subject->bytes, subject->length, true))
		abort();
	while ((err = hwf_session_next(session, &event)) == HWF_OK)
		take(&fold, event);
	if (err != HWF_ERR_END)
		abort();
	hwf_session_free(session);
	return fold;
}

/* Packets add up; a synchronisation that is found is where it was looked for. */
static void check_packets(const struct subject *subject, size_t from)
{
	struct hwf_session_config config = subject->config;
	struct hwf_session *session;
	struct hwf_packet packet;
	uint64_t sum = 0;
	size_t found;

	config.code = NULL;
	if (hwf_session_new(&session, &config) ||
	    hwf_session_feed(session, subject->bytes, subject->length, true))
		abort();
	while (hwf_session_next_packet(session, &packet) == HWF_OK)
		sum += packet.size;
	if (sum != subject->length)
		abort();
	if (!hwf_session_seek(session, subject->bytes, subject->length, from, HWF_SEEK_NEXT,
			      &found) &&
	    (found < from || found >= subject->length))
		abort();
	if (!hwf_session_seek(session, subject->bytes, subject->length, from, HWF_SEEK_PREVIOUS,
			      &found) &&
	    found >= from)
		abort();
	hwf_session_free(session);
}

static void make_subject(struct subject *subject, const uint8_t *head)
{
	subject->config.protocol = head[0] & 3;
	subject->config.flags = head[0] >> 2 & 7;
	subject->ete = (struct hwf_ete_regs){
		.trcconfigr = (head[1] & 1u) << 12 | (head[1] & 2u) << 3,
		.trcidr0 = 0x08018ea1u | 1u << 7 | 1u << 9 | (head[1] & 12u) << 27,
		.trcidr1 = 0x4100f450u,
		.trcidr2 = 0x50001088u | (uint32_t)(head[1] & 16) << 27,
		.trcidr8 = head[2],
	};
	subject->etm3 = (struct hwf_etm3_regs){
		.etmcr = (head[1] & 32u) << 7 | (head[1] & 64u) << 9,
		.etmidr = 0x41000200u | (head[2] % 6u) << 4 | (uint32_t)(head[2] >> 6) << 18,
	};
	subject->riscv = (struct hwf_session_riscv){
		.dialect = head[1] % 3u, .isa = HWF_RV_64, .branch_limit = 512};
	hwf_riscv_params_init(&subject->params, (enum hwf_riscv_dialect)subject->riscv.dialect);
	hwf_riscv_framing_init(&subject->framing, (enum hwf_riscv_framing_kind)(head[2] & 3));
	subject_settle(subject);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct subject subject = {0};
	struct fuzz_program program;
	struct hwf_code code = {.ctx = &program, .read = fuzz_read_code};
	struct hwf_session *session;
	struct fold plain = {0};
	struct fold other;

	if (size < HEAD)
		return 0;
	make_subject(&subject, data);
	subject.config.code = &code;
	program = (struct fuzz_program){data + HEAD, (size - HEAD) * data[3] / 256, LOW};
	subject.bytes = data + HEAD + program.size;
	subject.length = size - HEAD - program.size;
	if (!subject.length || hwf_session_new(&session, &subject.config))
		return 0;
	hwf_session_free(session);
	plain_decode(&subject, take, NULL, &plain);
	other = pushed(&subject, 1u + data[4], 0);
	if (other.sum != plain.sum || other.events != plain.events)
		abort();
	other = pushed(&subject, 1u + data[4], 1u + data[5]);
	if (other.sum != plain.sum || other.events != plain.events)
		abort();
	other = pulled(&subject);
	if (other.sum != plain.sum || other.events != plain.events)
		abort();
	check_packets(&subject, data[6] * subject.length / 256);
	return 0;
}
