// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers to gdb's requests, as the manual of gdb describes them (Remote Protocol, Packets). The
 * process has stopped at the end of its trace: the program counter is known and no other register,
 * code can be read and no data, and nothing can be changed or executed.
 */
#include "gdb_target.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/message.h"
#include "gdb_documents.h"
#include "hwflow/ete.h"

/* Bytes of memory in one answer */
#define MOST_MEMORY 0x1000u

/* ---- numbers of requests ---- */

/* Take a hexadecimal number and the character after it, unless that is 0. */
static bool take_hex(const char **text, char after, uint64_t *value)
{
	const size_t digits = strspn(*text, "0123456789abcdefABCDEF");
	char *end;

	if (!digits || digits > 16)
		return false;
	*value = strtoull(*text, &end, 16);
	if (*end != after)
		return false;
	*text = end + (after != 0);
	return true;
}

/* What follows @prefix; NULL if the request does not begin with it */
static const char *after(const char *request, const char *prefix)
{
	const size_t size = strlen(prefix);

	return strncmp(request, prefix, size) ? NULL : request + size;
}

/* ---- threads ---- */

static const struct gdb_thread *thread_of(const struct gdb_target *target, uint64_t id)
{
	const struct gdb_history *history = target->history;

	for (size_t i = 0; i < history->thread_count; i++)
		if (history->threads[i]->id == id)
			return history->threads[i];
	return NULL;
}

/* RISC-V Privileged Architecture, table of mcause: exceptions */
static int trap_signal(const struct hwf_flow_trap *trap)
{
	static const uint8_t signals[] = {
		[0] = SIGBUS,   /* instruction address misaligned */
		[1] = SIGSEGV,  /* instruction access fault */
		[2] = SIGILL,   /* illegal instruction */
		[4] = SIGBUS,   /* load address misaligned */
		[5] = SIGSEGV,  /* load access fault */
		[6] = SIGBUS,   /* store/AMO address misaligned */
		[7] = SIGSEGV,  /* store/AMO access fault */
		[12] = SIGSEGV, /* instruction page fault */
		[13] = SIGSEGV, /* load page fault */
		[15] = SIGSEGV, /* store/AMO page fault */
	};
	const bool known = !trap->interrupt && trap->cause < sizeof(signals);

	return known && signals[trap->cause] ? signals[trap->cause] : SIGTRAP;
}

int gdb_thread_signal(const struct gdb_thread *thread)
{
	if (!thread->excepted || thread->ends)
		return SIGTRAP;
	if (thread->last.is_trap)
		return trap_signal(&thread->last.trap);
	switch (thread->last.exception) {
	case HWF_EXC_INST_FAULT:
	case HWF_EXC_DATA_FAULT:
		return SIGSEGV;
	case HWF_EXC_ALIGNMENT:
		return SIGBUS;
	default:
		return SIGTRAP;
	}
}

/* gdb has numbers of signals of its own, of which these differ from Linux. */
static unsigned int gdb_signal(int signal)
{
	return signal == SIGBUS ? 10 : (unsigned int)signal;
}

static void put_stop(struct text *text, const struct gdb_thread *thread, int signal)
{
	text_char(text, 'T');
	text_hex_zeros(text, gdb_signal(signal), 2);
	text_named_hex(text, "thread:", thread->id);
	text_char(text, ';');
}

/* ---- replies that are written as text ---- */

static int append_bytes(void *ctx, const char *bytes, size_t size)
{
	struct gdb_document *document = ctx;
	char *all = document->bytes;
	size_t room = document->room;

	if (size > room - document->size) {
		while (size > room - document->size)
			room = room ? 2 * room : 4096;
		all = realloc(all, room);
		if (!all)
			return -ENOMEM;
		document->bytes = all;
		document->room = room;
	}
	memcpy(all + document->size, bytes, size);
	document->size += size;
	return 0;
}

static struct text *begin_document(struct gdb_target *target)
{
	struct gdb_document *document = &target->document;

	document->put = NULL;
	document->size = 0;
	text_init(&document->text, append_bytes, document);
	return &document->text;
}

/* false without memory */
static bool end_document(struct gdb_target *target)
{
	text_flush(&target->document.text);
	return !target->document.text.hwf.error;
}

static void send_text(struct gdb_target *target, struct gdb_packets *packets)
{
	if (end_document(target) && target->document.size <= GDB_PACKET)
		gdb_send(packets, target->document.bytes, target->document.size);
	else
		gdb_send_string(packets, "E01");
}

/* ---- requests ---- */

/* What gdb cannot tell about the ends of a recording */
static void report_history(const struct gdb_target *target)
{
	const struct gdb_thread *thread = target->thread;
	const char *name = gdb_thread_name(target->history, thread);

	if (thread->begins)
		message_once(
			"hwflow gdbserver: thread %u (%s): earlier instructions are left out: %s",
			thread->id, name, thread->begins);
	if (thread->ends)
		message_once(
			"hwflow gdbserver: thread %u (%s): later instructions are not known: %s",
			thread->id, name, thread->ends);
}

static void answer_stop(struct gdb_target *target, struct gdb_packets *packets, const char *rest)
{
	(void)rest;
	put_stop(begin_document(target), target->thread, gdb_thread_signal(target->thread));
	send_text(target, packets);
}

/* Execution cannot go on: a message for the user, and the stop for that reason. */
static void answer_resume(struct gdb_target *target, struct gdb_packets *packets, const char *rest)
{
	static const char message[] = "hwflow: the recording ends here\n";
	struct text *text = begin_document(target);

	(void)rest;
	text_char(text, 'O');
	text_hex_bytes(text, (const uint8_t *)message, strlen(message));
	send_text(target, packets);
	text = begin_document(target);
	put_stop(text, target->thread, SIGTRAP);
	text_string(text, "replaylog:end;");
	send_text(target, packets);
}

static void answer_registers(struct gdb_target *target, struct gdb_packets *packets,
			     const char *rest)
{
	(void)rest;
	gdb_put_registers(target, begin_document(target));
	send_text(target, packets);
}

static void answer_memory(struct gdb_target *target, struct gdb_packets *packets, const char *rest)
{
	uint64_t address, length;
	const uint8_t *bytes;
	size_t size;

	if (!take_hex(&rest, ',', &address) || !take_hex(&rest, 0, &length)) {
		gdb_send_string(packets, "E01");
		return;
	}
	bytes = gdb_thread_code(target->thread, address, &size);
	if (!bytes) {
		gdb_send_string(packets, "E02");
		return;
	}
	if (length > MOST_MEMORY)
		length = MOST_MEMORY;
	text_hex_bytes(begin_document(target), bytes, size < length ? size : (size_t)length);
	send_text(target, packets);
}

/* Hg: the thread that requests are about; of the other kinds, the threads that would run */
static void answer_choice(struct gdb_target *target, struct gdb_packets *packets, const char *rest)
{
	const struct gdb_thread *thread = target->first;
	const char kind = *rest;
	uint64_t id = 0;

	rest += kind != 0;
	/* any thread, or all of them */
	if (strcmp(rest, "-1") != 0 && !take_hex(&rest, 0, &id)) {
		gdb_send_string(packets, "E01");
		return;
	}
	if (id)
		thread = thread_of(target, id);
	if (thread && kind == 'g')
		target->thread = thread;
	gdb_send_string(packets, thread ? "OK" : "E02");
}

static void answer_alive(struct gdb_target *target, struct gdb_packets *packets, const char *rest)
{
	uint64_t id;

	gdb_send_string(packets, take_hex(&rest, 0, &id) && thread_of(target, id) ? "OK" : "E01");
}

static void answer_current(struct gdb_target *target, struct gdb_packets *packets, const char *rest)
{
	(void)rest;
	text_named_hex(begin_document(target), "QC", target->thread->id);
	send_text(target, packets);
}

static void answer_supported(struct gdb_target *target, struct gdb_packets *packets,
			     const char *rest)
{
	struct text *text = begin_document(target);

	(void)rest;
	text_named_hex(text, "PacketSize=", GDB_PACKET);
	text_string(text, ";QStartNoAckMode+;Qbtrace:bts+;Qbtrace:off+");
	gdb_put_document_names(text);
	send_text(target, packets);
}

static void answer_no_ack(struct gdb_target *target, struct gdb_packets *packets, const char *rest)
{
	(void)target;
	(void)rest;
	gdb_send_string(packets, "OK");
	packets->no_ack = true;
}

static void answer_attached(struct gdb_target *target, struct gdb_packets *packets,
			    const char *rest)
{
	(void)target;
	(void)rest;
	gdb_send_string(packets, "1");
}

/* Breakpoints are never reached: gdb itself looks for them in its recording. */
static void answer_ok(struct gdb_target *target, struct gdb_packets *packets, const char *rest)
{
	(void)target;
	(void)rest;
	gdb_send_string(packets, "OK");
}

static void answer_record(struct gdb_target *target, struct gdb_packets *packets, const char *rest)
{
	target->read = NULL;
	answer_ok(target, packets, rest);
}

/* OBJECT:read:ANNEX:OFFSET,LENGTH. A document is written when its beginning is read. */
static void answer_document(struct gdb_target *target, struct gdb_packets *packets,
			    const char *rest)
{
	struct gdb_document *document = &target->document;
	uint64_t offset, length;
	gdb_put_document *put = gdb_find_document(target, &rest);
	size_t size;

	if (!put || !take_hex(&rest, ',', &offset) || !take_hex(&rest, 0, &length)) {
		gdb_send_string(packets, put ? "E01" : "E00");
		return;
	}
	if (put == gdb_put_blocks && !offset)
		report_history(target);
	if (!offset || document->put != put || document->thread != target->thread) {
		put(target, begin_document(target));
		if (!end_document(target)) {
			gdb_send_string(packets, "E01");
			return;
		}
		document->put = put;
		document->thread = target->thread;
	}
	if (offset > document->size)
		offset = document->size;
	size = document->size - (size_t)offset;
	if (length > GDB_PACKET - 1)
		length = GDB_PACKET - 1;
	packets->packet[0] = size > length ? 'm' : 'l';
	if (size > length)
		size = (size_t)length;
	memcpy(packets->packet + 1, document->bytes + offset, size);
	gdb_send(packets, packets->packet, size + 1);
}

/**
 * struct answer - how requests are answered
 * @prefix: the requests begin so
 * @whole: and end there
 * @send: sends the reply; gets what follows @prefix
 */
struct answer {
	const char *prefix;
	bool whole;
	void (*send)(struct gdb_target *target, struct gdb_packets *packets, const char *rest);
};

static const struct answer answers[] = {
	{"?", true, answer_stop},
	{"g", true, answer_registers},
	{"m", false, answer_memory},
	{"H", false, answer_choice},
	{"T", false, answer_alive},
	{"qC", true, answer_current},
	{"qSupported", false, answer_supported},
	{"QStartNoAckMode", true, answer_no_ack},
	{"qAttached", false, answer_attached},
	{"qXfer:", false, answer_document},
	{"Qbtrace:bts", true, answer_record},
	{"Qbtrace:off", true, answer_record},
	{"Z0,", false, answer_ok},
	{"Z1,", false, answer_ok},
	{"z0,", false, answer_ok},
	{"z1,", false, answer_ok},
	{"s", false, answer_resume},
	{"S", false, answer_resume},
	{"c", false, answer_resume},
	{"C", false, answer_resume},
};

bool gdb_answer(struct gdb_target *target, struct gdb_packets *packets, const char *request)
{
	if (*request == 'k')
		return false;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		const char *rest = after(request, answers[i].prefix);

		if (!rest || (answers[i].whole && *rest))
			continue;
		answers[i].send(target, packets, rest);
		return true;
	}
	gdb_send_string(packets, *request == 'D' ? "OK" : "");
	return *request != 'D';
}

void gdb_target_free(struct gdb_target *target)
{
	gdb_files_free(&target->files);
	free(target->document.bytes);
}
