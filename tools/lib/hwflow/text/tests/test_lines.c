// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Packets and flow events as lines. */
#include <stdio.h>

#include "hwflow/text.h"
#include "session/tests/session_checks.h"

/* struct lines - text that was written, up to a bound */
struct lines {
	char bytes[0x200000];
	size_t size;
	unsigned int writes;
};

static int keep(void *ctx, const char *bytes, size_t size)
{
	struct lines *lines = ctx;

	assert_true(size <= sizeof(lines->bytes) - lines->size);
	memcpy(lines->bytes + lines->size, bytes, size);
	lines->size += size;
	lines->writes++;
	return 0;
}

static int refuse(void *ctx, const char *bytes, size_t size)
{
	(void)bytes;
	(void)size;
	++*(unsigned int *)ctx;
	return -28;
}

/* Alignment Synchronisation, Trace Info, Trace On, 0x2000 at EL0 in A64, two Atoms E, a reserved
 * header */
static const uint8_t ete_bytes[] = {0xf7, 0xf7, 0, 0, 0,    0,    0,    0,   0,
				    0,    0,    0, 0, 0x80, 0x01, 0x00, 4,   0x82,
				    0x00, 0x10, 0, 0, 0x30, 0xf7, 0xf7, 0x05};

static const struct hwf_ete_regs ete_regs = {
	.trcconfigr = 1, .trcidr0 = 0x084002a1, .trcidr2 = 0x40001088, .trcdevarch = 0x47735a13};

/* All packets of these bytes, by the codec, with a buffer of @room bytes */
static void list_ete(enum hwf_text_format format, char *buffer, size_t room, struct lines *lines)
{
	struct hwf_ete_config config;
	struct hwf_ete_stream stream;
	struct hwf_ete_packet packet;
	struct hwf_ete_lines listing;
	struct hwf_text text;
	size_t size;

	lines->size = lines->writes = 0;
	assert_int_equal(hwf_ete_config_init(&config, &ete_regs), 0);
	hwf_text_init(&text, buffer, room, keep, lines);
	hwf_ete_lines_init(&listing, &config, format, &text);
	hwf_ete_stream_init(&stream, &config);
	for (size_t at = 0;; at += size) {
		const bool tentative = stream.tentative;

		size = hwf_ete_stream_next(&stream, ete_bytes + at, sizeof(ete_bytes) - at, true,
					   &packet);
		if (!size)
			break;
		hwf_ete_line(&listing, &packet, ete_bytes + at, at, tentative);
	}
	hwf_ete_lines_flush(&listing);
	hwf_text_flush(&text);
	assert_int_equal(text.error, 0);
	lines->bytes[lines->size] = '\0';
}

static void packets_have_lines_of_two_layouts(void **state)
{
	static struct lines lines;
	char buffer[4096];

	(void)state;
	list_ete(HWF_TEXT_REF, buffer, sizeof(buffer), &lines);
	assert_string_equal(lines.bytes,
			    "0 - UNSYNC len=2\n"
			    "2 000000000000000000000080 ALIGN_SYNC\n"
			    "14 0100 TRACE_INFO cc_enabled=0 in_transaction=0 decoder_sync=1\n"
			    "16 04 TRACE_ON\n"
			    "17 820010000030 TARGET_ADDRESS_WITH_CONTEXT_32BIT_IS0 addr=0x2000 "
			    "el=0 sec=NS bits=64\n"
			    "23 f7 ATOM_F1 atoms=E\n"
			    "24 f7 ATOM_F1 atoms=E\n"
			    "25 05 RESERVED header_of=FUNCTION_RETURN\n");
	list_ete(HWF_TEXT_HUMAN, buffer, sizeof(buffer), &lines);
	assert_non_null(strstr(lines.bytes, "2 bytes before synchronisation\n"));
	assert_non_null(
		strstr(lines.bytes, "        17  f7                         ATOM_F1 atoms=E\n"));
}

static void text_without_room_is_an_error(void **state)
{
	const struct hwf_flow_event event = {.kind = HWF_FLOW_GAP,
					     .u.gap = {.reason = HWF_GAP_TRANSACTION}};
	struct hwf_flow_lines lines;
	struct hwf_text text;
	char buffer[HWF_TEXT_LEAST];
	unsigned int calls = 0;

	(void)state;
	hwf_text_init(&text, buffer, sizeof(buffer), NULL, NULL);
	hwf_flow_lines_init(&lines, NULL, NULL, HWF_TEXT_HUMAN, &text);
	hwf_flow_line(&lines, &event);
	assert_int_equal(text.error, 0);
	assert_true(text.at > text.bytes && text.at[-1] == '\n');
	for (int i = 0; i < 5; i++)
		hwf_flow_line(&lines, &event);
	assert_int_equal(text.error, HWF_ERR_NO_SPACE);
	/* the first error stays, and write is not called again */
	hwf_text_init(&text, buffer, sizeof(buffer), refuse, &calls);
	for (int i = 0; i < 20; i++)
		hwf_flow_line(&lines, &event);
	assert_int_equal(text.error, -28);
	assert_int_equal(calls, 1);
}

/* struct event_row - an event, and its lines */
struct event_row {
	struct hwf_flow_event event;
	const char *ref;
	const char *human;
};

static const struct event_row event_rows[] = {
	{{.offset = 7,
	  .kind = HWF_FLOW_RANGE,
	  .u.range = {.start = 0x1000,
		      .end = 0x1008,
		      .instructions = 2,
		      .isa = HWF_ISA_A64,
		      .taken = true,
		      .p0 = true,
		      .insn = {.target = 0x2000, .size = 4, .kind = HWF_INSN_DIRECT}}},
	 "7 RANGE start=0x1000 end=0x1008 n=2 isa=A64 last=E size=4 type=direct sub=none cond=0\n",
	 "         7  "
	 "  0000000000001000 .. 0000000000001004  A64     2 insns  branch -> 2000\n"},
	{{.offset = 16,
	  .kind = HWF_FLOW_GAP,
	  .u.gap = {.reason = HWF_GAP_MISMATCH, .address = 0xabc, .has_address = true}},
	 "",
	 "        10  GAP: abc: the program code contradicts the trace\n"},
	{{.offset = 16,
	  .kind = HWF_FLOW_TRAP,
	  .u.trap = {.cause = 5, .interrupt = true, .has_epc = true, .epc = 0x80}},
	 "16 TRAP cause=5 interrupt=1 epc=0x80\n",
	 "        10  interrupt: supervisor timer, at 80\n"},
	{{.offset = 17, .kind = HWF_FLOW_MODE, .u.mode = {.privilege = 3}},
	 "17 MODE priv=3\n",
	 "        11  mode: M\n"},
	{{.offset = 18, .kind = HWF_FLOW_END},
	 "18 EOT reason=end-of-trace\n",
	 "        12  end of trace\n"},
};

static void events_have_lines_of_two_layouts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(event_rows) / sizeof(event_rows[0]); i++) {
		for (int format = HWF_TEXT_HUMAN; format <= HWF_TEXT_REF; format++) {
			const struct event_row *row = &event_rows[i];
			struct hwf_flow_lines lines;
			char buffer[HWF_TEXT_LEAST];
			struct hwf_text text;

			hwf_text_init(&text, buffer, sizeof(buffer), NULL, NULL);
			hwf_flow_lines_init(&lines, NULL, NULL, (enum hwf_text_format)format,
					    &text);
			hwf_flow_line(&lines, &row->event);
			assert_int_equal(text.error, 0);
			*text.at = '\0';
			assert_string_equal(buffer, format == HWF_TEXT_REF ? row->ref : row->human);
		}
	}
}

/* The lines of these events, some times, with a buffer of @room bytes */
static void list_events(enum hwf_text_format format, char *buffer, size_t room, struct lines *lines)
{
	const size_t count = sizeof(event_rows) / sizeof(event_rows[0]);
	struct hwf_flow_lines listing;
	struct hwf_text text;

	lines->size = lines->writes = 0;
	hwf_text_init(&text, buffer, room, keep, lines);
	hwf_flow_lines_init(&listing, NULL, NULL, format, &text);
	for (size_t i = 0; i < 8 * count; i++)
		hwf_flow_line(&listing, &event_rows[i % count].event);
	hwf_text_flush(&text);
	assert_int_equal(text.error, 0);
	lines->bytes[lines->size] = '\0';
}

static void a_small_buffer_gives_the_same_text(void **state)
{
	static void (*const lists[])(enum hwf_text_format format, char *buffer, size_t room,
				     struct lines *lines) = {list_ete, list_events};
	static struct lines large, small;
	char buffer[4096];

	(void)state;
	for (int i = 0; i < 4; i++) {
		const enum hwf_text_format format = i & 1 ? HWF_TEXT_REF : HWF_TEXT_HUMAN;

		lists[i / 2](format, buffer, sizeof(buffer), &large);
		assert_int_equal(large.writes, 1);
		/* the end of the buffer is in each field once */
		for (size_t room = HWF_TEXT_LEAST; room < HWF_TEXT_LEAST + 100; room++) {
			lists[i / 2](format, buffer, room, &small);
			assert_true(small.writes > 1);
			assert_string_equal(large.bytes, small.bytes);
		}
	}
}

struct element_row {
	struct hwf_element element;
	const char *line;
};

static const struct element_row element_rows[] = {
	{{.offset = 3, .kind = HWF_EL_ATOM, .corrected = 6, .u.atoms = {.bits = 5, .count = 3}},
	 "3 ATOM atoms=Ene\n"},
	{{.kind = HWF_EL_EXCEPTION, .u.exception = {.ret.value = 0x10, .type = 2, .has_ret = true}},
	 "0 EXCEPTION type=0x02 ret=0x10 ret_is_branch_target=0\n"},
	{{.kind = HWF_EL_EXCEPTION, .u.exception = {.ret_is_target = true}},
	 "0 EXCEPTION type=0x00 ret_is_branch_target=1\n"},
	{{.kind = HWF_EL_TARGET_ADDRESS, .u.address = {.value = 0x2000, .is = 1}},
	 "0 TARGET_ADDRESS addr=0x2000 is=1\n"},
	{{.kind = HWF_EL_Q,
	  .u.q = {.address.value = 8,
		  .count = 9,
		  .type = 5,
		  .has_address = true,
		  .has_count = true}},
	 "0 Q count=9 addr=0x8 is=0 type=0x5\n"},
	{{.kind = HWF_EL_CONTEXT,
	  .u.context.context = {.cid = 7, .el = 2, .security = HWF_SEC_REALM, .has_cid = true}},
	 "0 CONTEXT el=2 sec=Realm bits=32 cid=0x7\n"},
	{{.kind = HWF_EL_TIMESTAMP,
	  .u.timestamp = {.value = 16,
			  .marker = 99,
			  .count = 4,
			  .mark = HWF_TS_MARKED,
			  .has_count = true}},
	 "0 TIMESTAMP ts=0x10 cc=4 marker=99\n"},
	{{.kind = HWF_EL_TIMESTAMP, .u.timestamp = {.mark = HWF_TS_BEFORE_TRACE}},
	 "0 TIMESTAMP ts=0x0 before_trace=1\n"},
	{{.kind = HWF_EL_TRACE_INFO,
	  .u.trace_info = {.info = HWF_ETE_INFO_CC_ENABLED, .cc_threshold = 4, .spec_depth = 1}},
	 "0 TRACE_INFO cc_enabled=1 in_transaction=0 cc_threshold=4 spec_depth=1\n"},
	{{.kind = HWF_EL_CYCLE_COUNT, .u.cycle_count.count = 100}, "0 CYCLE_COUNT cc=100\n"},
	{{.kind = HWF_EL_CYCLE_COUNT, .u.cycle_count.unknown = true}, "0 CYCLE_COUNT cc=unknown\n"},
	{{.kind = HWF_EL_EVENT, .u.event = 10}, "0 EVENT events=0xa\n"},
	{{.kind = HWF_EL_INSTRUMENTATION, .u.instrumentation = {.value = 255, .el = 1}},
	 "0 INSTRUMENTATION el=1 value=0xff\n"},
	{{.kind = HWF_EL_COMMIT, .u.number = 12}, "0 COMMIT n=12\n"},
	{{.kind = HWF_EL_MISPREDICT}, "0 MISPREDICT\n"},
	{{.kind = HWF_EL_TRACE_ON, .u.overflow = true}, "0 TRACE_ON overflow=1\n"},
	{{.kind = HWF_EL_NO_SYNC, .u.no_sync.reason = HWF_NO_SYNC_DISCARD},
	 "0 NO_SYNC reason=discard\n"},
};

static void elements_have_lines(void **state)
{
	char buffer[HWF_TEXT_LEAST];
	struct hwf_text text;

	(void)state;
	for (size_t i = 0; i < sizeof(element_rows) / sizeof(element_rows[0]); i++) {
		hwf_text_init(&text, buffer, sizeof(buffer), NULL, NULL);
		hwf_element_line(&text, &element_rows[i].element);
		assert_int_equal(text.error, 0);
		*text.at = '\0';
		assert_string_equal(buffer, element_rows[i].line);
	}
	/* no two kinds have the same name */
	for (unsigned int i = 0; i < HWF_EL_KINDS; i++)
		for (unsigned int j = 0; j <= i; j++)
			assert_int_equal(!strcmp(hwf_element_name(i), hwf_element_name(j)), i == j);
	assert_string_equal(hwf_element_name(HWF_EL_KINDS), "?");
}

static struct hwf_code code;
static struct random_program program;
static struct random_trace trace;

/* Lines of valid packets, those of bytes passed over before them included, by a session */
static void list_session(const struct subject *subject, uint32_t most, struct lines *lines)
{
	struct hwf_session_config config = subject->config;
	struct hwf_session *session;
	struct hwf_packet packet;
	struct hwf_text text;
	char buffer[4096];
	size_t at = 0;
	int err;

	lines->size = 0;
	config.code = NULL;
	session = new_session(&config);
	hwf_text_init(&text, buffer, sizeof(buffer), NULL, NULL);
	assert_int_equal(hwf_session_list(session, HWF_TEXT_REF), HWF_OK);
	while ((err = hwf_session_next_packet(session, &packet)) != HWF_ERR_END) {
		size_t size = most ? 1 + random_below(most) : subject->length;

		if (err == HWF_OK) {
			hwf_session_line(session, &text);
			if (packet.valid)
				keep(lines, buffer, (size_t)(text.at - buffer));
			text.at = buffer;
			continue;
		}
		if (size > subject->length - at)
			size = subject->length - at;
		hwf_session_feed(session, subject->bytes + at, size, at + size == subject->length);
		at += size;
	}
	assert_int_equal(text.error, 0);
	assert_int_equal(hwf_session_list(session, HWF_TEXT_REF), HWF_ERR_BAD_CALL);
	hwf_session_free(session);
	lines->bytes[lines->size] = '\0';
}

static void a_session_lists_pieces_as_the_whole(void **state)
{
	static struct lines whole, pieces;
	size_t sum = 0;

	(void)state;
	for (uint32_t i = 0; i < 120; i++) {
		struct subject subject;

		random_subject(&subject, i % HWF_SESSION_PROTOCOLS, &code, &program, &trace);
		subject_settle(&subject);
		list_session(&subject, 0, &whole);
		list_session(&subject, (uint32_t[]){1, 7, 60, 1000}[random_below(4)], &pieces);
		assert_string_equal(whole.bytes, pieces.bytes);
		sum += whole.size;
	}
	assert_true(sum > 100000);
}

/* A session whose trace is reset begins its listing anew: addresses are whole ones again. */
static void a_reset_begins_the_listing_anew(void **state)
{
	const struct hwf_session_config config = {
		.size = sizeof(config), .protocol = HWF_SESSION_ETE, .ete = &ete_regs};
	static struct lines lines;
	struct hwf_session *session;
	struct hwf_packet packet;
	struct hwf_text text;
	char first[2048] = "", buffer[2048];

	(void)state;
	session = new_session(&config);
	for (int i = 0; i < 2; i++) {
		hwf_text_init(&text, buffer, sizeof(buffer), NULL, NULL);
		if (!i)
			assert_int_equal(hwf_session_list(session, HWF_TEXT_REF), HWF_OK);
		hwf_session_feed(session, ete_bytes, sizeof(ete_bytes), true);
		while (hwf_session_next_packet(session, &packet) == HWF_OK)
			hwf_session_line(session, &text);
		assert_int_equal(text.error, 0);
		*text.at = '\0';
		if (i)
			assert_string_equal(first, buffer);
		snprintf(first, sizeof(first), "%s", buffer);
		assert_int_equal(hwf_session_reset(session, 0), HWF_OK);
	}
	/* as the codec's packets, one by one */
	list_ete(HWF_TEXT_REF, buffer, sizeof(buffer), &lines);
	assert_string_equal(first, lines.bytes);
	hwf_session_free(session);
}

/* struct outputs - two outputs of a listing, one after the other */
struct outputs {
	char bytes[2][1024];
	struct hwf_text texts[2];
};

static void begin_outputs(struct outputs *outputs)
{
	for (int i = 0; i < 2; i++)
		hwf_text_init(&outputs->texts[i], outputs->bytes[i], sizeof(outputs->bytes[i]),
			      NULL, NULL);
}

static void check_outputs(struct outputs *outputs, const char *first, const char *second)
{
	for (int i = 0; i < 2; i++) {
		*outputs->texts[i].at = '\0';
		assert_string_equal(outputs->bytes[i], i ? second : first);
	}
}

/* A line that is held back goes to the output that was set when it was begun. */
static void lines_held_back_keep_their_output(void **state)
{
	const struct hwf_ete_packet ete[] = {{.type = HWF_ETE_UNSYNC, .size = 2},
					     {.type = HWF_ETE_TRACE_ON, .size = 1}};
	const struct hwf_etm3_packet etm3[] = {{.type = HWF_ETM3_UNSYNC, .size = 2},
					       {.type = HWF_ETM3_TRIGGER, .size = 1}};
	const struct hwf_flow_event events[] = {
		{.kind = HWF_FLOW_NO_SYNC, .u.no_sync.reason = HWF_NO_SYNC_DISCARD},
		{.kind = HWF_FLOW_TRACE_ON, .offset = 2}};
	const struct hwf_etm3_regs etm3_regs = {.etmidr = 0x411cf250};
	struct hwf_ete_config ete_config;
	struct hwf_etm3_config etm3_config;
	struct hwf_ete_lines ete_lines;
	struct hwf_etm3_lines etm3_lines;
	struct hwf_flow_lines flow_lines;
	struct outputs outputs[3];

	(void)state;
	assert_int_equal(hwf_ete_config_init(&ete_config, &ete_regs), 0);
	assert_int_equal(hwf_etm3_config_init(&etm3_config, &etm3_regs), 0);
	for (int i = 0; i < 3; i++)
		begin_outputs(&outputs[i]);
	hwf_ete_lines_init(&ete_lines, &ete_config, HWF_TEXT_REF, &outputs[0].texts[0]);
	hwf_etm3_lines_init(&etm3_lines, &etm3_config, HWF_TEXT_REF, &outputs[1].texts[0]);
	hwf_flow_lines_init(&flow_lines, &ete_config, NULL, HWF_TEXT_REF, &outputs[2].texts[0]);
	for (int i = 0; i < 2; i++) {
		const uint8_t bytes[] = {4, 4};

		ete_lines.out = &outputs[0].texts[i];
		hwf_ete_line(&ete_lines, &ete[i], bytes, 2 * (uint64_t)i, false);
		etm3_lines.out = &outputs[1].texts[i];
		hwf_etm3_line(&etm3_lines, &etm3[i], bytes, 2 * (uint64_t)i, false);
		flow_lines.out = &outputs[2].texts[i];
		hwf_flow_line(&flow_lines, &events[i]);
	}
	check_outputs(&outputs[0], "0 - UNSYNC len=2\n", "2 04 TRACE_ON\n");
	check_outputs(&outputs[1], "0 - UNSYNC len=2\n", "2 04 TRIGGER\n");
	check_outputs(&outputs[2], "0 NO_SYNC reason=discard\n",
		      "2 TRACE_ON reason=begin_or_filter\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_have_lines_of_two_layouts),
		cmocka_unit_test(elements_have_lines),
		cmocka_unit_test(a_small_buffer_gives_the_same_text),
		cmocka_unit_test(text_without_room_is_an_error),
		cmocka_unit_test(events_have_lines_of_two_layouts),
		cmocka_unit_test(a_session_lists_pieces_as_the_whole),
		cmocka_unit_test(a_reset_begins_the_listing_anew),
		cmocka_unit_test(lines_held_back_keep_their_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
