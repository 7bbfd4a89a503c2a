// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Sessions: the rules of the interface, and every allocation that fails. */
#include "session_checks.h"

#include "hwflow/text.h"
#include "hwflow/version.h"

static struct hwf_code code;
static struct random_program program;
static struct random_trace trace;
static struct subject subject;

/* A trace that gives many events; the same each time */
static void make_subject(uint32_t protocol)
{
	struct record record = {0};

	random_seed = 88172645463325252u;
	do {
		random_subject(&subject, protocol, &code, &program, &trace);
		record.count = 0;
		if (subject.config.protocol == protocol)
			plain_decode(&subject, record_event, NULL, &record);
	} while (record.count < 60);
	free(record.numbers);
}

/*
 * The linker replaces these functions in all objects of the test (-Wl,--wrap): the allocation with
 * the number @fails is refused.
 */
static unsigned int allocations, fails;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static bool refuse(void)
{
	return fails && ++allocations == fails;
}

void *__wrap_malloc(size_t size)
{
	return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return refuse() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return refuse() ? NULL : __real_realloc(old, size);
}

/* Numbers of events that a pull gives until it ends; the status that ended it */
static int pull(struct hwf_session *session, uint64_t *count)
{
	const struct hwf_flow_event *event;
	int err = hwf_session_feed(session, subject.bytes, subject.length, true);

	while (!err) {
		err = hwf_session_next(session, &event);
		*count += !err;
	}
	return err;
}

/* Each allocation fails once: new says so, or the pull does, and nothing is lost or left. */
static void allocations_that_fail(void **state)
{
	(void)state;
	for (uint32_t protocol = 0; protocol < HWF_SESSION_PROTOCOLS; protocol++) {
		uint64_t expected = 0;
		unsigned int number;
		bool done = false;

		make_subject(protocol);
		for (number = 0; !done; number++) {
			struct hwf_session *session;
			uint64_t count = 0;
			int err;

			allocations = 0;
			fails = number;
			err = hwf_session_new(&session, &subject.config);
			if (err) {
				fails = 0;
				assert_int_equal(err, HWF_ERR_NO_MEMORY);
				assert_null(session);
				continue;
			}
			err = pull(session, &count);
			done = number && allocations < number;
			fails = 0;
			if (err == HWF_ERR_NO_MEMORY) {
				/* what was lost is lost, but another trace is decoded */
				const struct hwf_flow_event *event;

				assert_int_equal(hwf_session_next(session, &event), err);
				assert_int_equal(hwf_session_reset(session, 0), HWF_OK);
				count = 0;
				err = pull(session, &count);
			}
			assert_int_equal(err, HWF_ERR_END);
			if (!number)
				expected = count;
			assert_int_equal(count, expected);
			hwf_session_free(session);
		}
		assert_true(expected > 10);
		assert_true(number > 3);
	}
}

static int try_config(const struct hwf_session_config *config)
{
	struct hwf_session *session;
	const int err = hwf_session_new(&session, config);

	assert_true(!err == !!session);
	hwf_session_free(session);
	return err;
}

static void sizes_of_the_configuration(void **state)
{
	struct {
		struct hwf_session_config config;
		uint64_t more[4];
	} larger = {0};
	struct hwf_session_config config;

	(void)state;
	make_subject(HWF_SESSION_ETE);
	config = subject.config;
	assert_int_equal(try_config(&config), HWF_OK);
	config.size = 0;
	assert_int_equal(try_config(&config), HWF_ERR_BAD_CONFIG);
	config.size = offsetof(struct hwf_session_config, code);
	assert_int_equal(try_config(&config), HWF_ERR_BAD_CONFIG);
	/* members that are not counted in the size are not read */
	config.size = offsetof(struct hwf_session_config, graph_nodes);
	config.graph_nodes = 3;
	assert_int_equal(try_config(&config), HWF_OK);
	config.size = sizeof(config);
	assert_int_equal(try_config(&config), HWF_ERR_BAD_CONFIG);
	larger.config = subject.config;
	larger.config.size = sizeof(larger);
	assert_int_equal(try_config(&larger.config), HWF_OK);
	larger.more[3] = UINT64_C(1) << 56;
	assert_int_equal(try_config(&larger.config), HWF_ERR_UNKNOWN_MEMBERS);
}

static void sink_nothing(void *ctx, const struct hwf_flow_event *event)
{
	(void)ctx;
	(void)event;
}

static void steps_nothing(void *ctx, const struct hwf_steps *steps)
{
	(void)ctx;
	(void)steps;
}

static void configurations_that_are_refused(void **state)
{
	struct hwf_session_config config;

	(void)state;
	make_subject(HWF_SESSION_ETE);
	config = subject.config;
	config.protocol = HWF_SESSION_PROTOCOLS;
	assert_int_equal(try_config(&config), HWF_ERR_BAD_CONFIG);
	config = subject.config;
	config.flags |= 0x80;
	assert_int_equal(try_config(&config), HWF_ERR_UNKNOWN_MEMBERS);
	config = subject.config;
	config.steps = steps_nothing;
	config.profile = hwf_profile_new();
	assert_int_equal(try_config(&config), HWF_ERR_BAD_CONFIG);
	hwf_profile_free(config.profile);
	for (uint32_t protocol = 0; protocol < HWF_SESSION_PROTOCOLS; protocol++) {
		config = subject.config;
		config.protocol = protocol;
		config.ete = NULL;
		config.etm3 = NULL;
		config.riscv = NULL;
		assert_int_equal(try_config(&config), HWF_ERR_BAD_CONFIG);
	}
	/* of another architecture */
	config = subject.config;
	subject.ete.trcdevarch = 0x47704a13;
	assert_int_equal(try_config(&config), HWF_ERR_BAD_CONFIG);
}

/* struct caller - calls of the session from its own sink */
struct caller {
	struct hwf_session *session;
	unsigned int calls;
};

static void call_back(void *ctx, const struct hwf_flow_event *event)
{
	struct caller *caller = ctx;
	size_t found;

	(void)event;
	caller->calls++;
	assert_int_equal(hwf_session_push(caller->session, NULL, 0, true, NULL), HWF_ERR_BAD_CALL);
	assert_int_equal(hwf_session_reset(caller->session, 0), HWF_ERR_BAD_CALL);
	assert_int_equal(hwf_session_forget(caller->session), HWF_ERR_BAD_CALL);
	assert_int_equal(hwf_session_seek(caller->session, subject.bytes, subject.length, 0,
					  HWF_SEEK_NEXT, &found),
			 HWF_ERR_BAD_CALL);
}

static void calls_in_the_wrong_state(void **state)
{
	struct hwf_session_config config;
	const struct hwf_flow_event *event;
	struct hwf_session *session;
	struct caller caller = {0};
	struct hwf_packet packet;

	(void)state;
	make_subject(HWF_SESSION_ETE);
	config = subject.config;
	/* a session that is pulled */
	session = new_session(&config);
	assert_int_equal(hwf_session_push(session, subject.bytes, 1, false, NULL),
			 HWF_ERR_BAD_CALL);
	assert_int_equal(hwf_session_next_packet(session, &packet), HWF_ERR_BAD_CALL);
	assert_int_equal(hwf_session_counts(session), HWF_ERR_BAD_CALL);
	assert_int_equal(hwf_session_list(session, HWF_TEXT_REF), HWF_ERR_BAD_CALL);
	assert_int_equal(hwf_session_forget(session), HWF_OK);
	assert_int_equal(hwf_session_feed(session, subject.bytes, subject.length, false), HWF_OK);
	assert_int_equal(hwf_session_feed(session, subject.bytes, 1, false), HWF_ERR_BAD_CALL);
	assert_int_equal(hwf_session_next(session, &event), HWF_OK);
	assert_int_equal(hwf_session_forget(session), HWF_ERR_BAD_CALL);
	hwf_session_stop(session);
	hwf_session_free(session);
	/* one with a consumer, which calls */
	config.sink = call_back;
	config.ctx = &caller;
	caller.session = session = new_session(&config);
	assert_int_equal(hwf_session_feed(session, subject.bytes, 1, false), HWF_ERR_BAD_CALL);
	assert_int_equal(hwf_session_next(session, &event), HWF_ERR_BAD_CALL);
	hwf_session_stop(session);
	assert_int_equal(hwf_session_push(session, subject.bytes, subject.length, true, NULL),
			 HWF_OK);
	assert_true(caller.calls > 10);
	hwf_session_free(session);
	/* one of packets */
	config.code = NULL;
	session = new_session(&config);
	assert_int_equal(hwf_session_push(session, NULL, 0, true, NULL), HWF_ERR_BAD_CALL);
	assert_int_equal(hwf_session_next(session, &event), HWF_ERR_BAD_CALL);
	assert_null(hwf_session_graph(session));
	hwf_session_free(session);
}

static void stop_at_once(void *ctx, const struct hwf_flow_event *event)
{
	struct caller *caller = ctx;

	(void)event;
	caller->calls++;
	hwf_session_stop(caller->session);
}

static void more_is_held_than_may_be(void **state)
{
	struct hwf_session_config config;
	struct caller caller = {0};
	size_t taken;

	(void)state;
	make_subject(HWF_SESSION_ETE);
	config = subject.config;
	config.sink = stop_at_once;
	config.ctx = &caller;
	config.held_events = 5;
	caller.session = new_session(&config);
	assert_int_equal(
		hwf_session_push(caller.session, subject.bytes, subject.length, true, &taken),
		HWF_ERR_TOO_MANY_HELD);
	assert_int_equal(caller.calls, 1);
	assert_int_equal(hwf_session_push(caller.session, subject.bytes, 0, true, &taken),
			 HWF_ERR_TOO_MANY_HELD);
	assert_int_equal(caller.calls, 1);
	assert_int_equal(hwf_session_reset(caller.session, 0), HWF_OK);
	assert_int_equal(hwf_session_push(caller.session, subject.bytes, 0, false, &taken), HWF_OK);
	hwf_session_free(caller.session);
}

/* Sessions in turns, piece by piece, with one graph of few nodes, which is forgotten often */
static void sessions_share_a_graph(void **state)
{
	struct record records[2] = {0};
	struct record oracle = {0};

	(void)state;
	make_subject(HWF_SESSION_ETE);
	for (int round = 0; round < 50; round++) {
		struct hwf_session_config config = subject.config;
		size_t at[2] = {0};

		oracle.count = 0;
		plain_decode(&subject, record_event, NULL, &oracle);
		config.graph_nodes = 64;
		config.sink = record_event;
		for (int i = 0; i < 2; i++) {
			records[i].count = 0;
			config.ctx = &records[i];
			records[i].session = new_session(&config);
			config.graph = hwf_session_graph(records[0].session);
			assert_non_null(config.graph);
		}
		assert_ptr_equal(hwf_session_graph(records[1].session), config.graph);
		while (at[0] < subject.length || at[1] < subject.length) {
			const uint32_t i = random_below(2);
			size_t size = random_below(200);

			if (at[i] == subject.length)
				continue;
			if (size > subject.length - at[i])
				size = subject.length - at[i];
			assert_int_equal(hwf_session_push(records[i].session, subject.bytes + at[i],
							  size, at[i] + size == subject.length,
							  NULL),
					 HWF_OK);
			at[i] += size;
		}
		assert_same(&oracle, &records[0]);
		assert_same(&oracle, &records[1]);
		hwf_session_free(records[1].session);
		hwf_session_free(records[0].session);
		random_subject(&subject, HWF_SESSION_ETE, &code, &program, &trace);
	}
	free(oracle.numbers);
	free(records[0].numbers);
	free(records[1].numbers);
}

/*
 * Program code that changes: what is remembered of it is forgotten on request. RISC-V forgets it at
 * each beginning.
 */
static void code_changes(void **state)
{
	(void)state;
	for (uint32_t protocol = 0; protocol < HWF_SESSION_RISCV; protocol++) {
		struct hwf_session_config config;
		struct record before = {0};
		struct record after = {0};
		struct record record = {0};

		make_subject(protocol);
		config = subject.config;
		config.sink = record_event;
		config.ctx = &record;
		record.session = new_session(&config);
		plain_decode(&subject, record_event, NULL, &before);
		hwf_session_push(record.session, subject.bytes, subject.length, true, NULL);
		assert_same(&before, &record);
		for (int i = 0; i < 8; i++) {
			const uint32_t word = program.words[i];

			program.words[i] = program.words[15 - i];
			program.words[15 - i] = word;
		}
		plain_decode(&subject, record_event, NULL, &after);
		assert_true(before.count != after.count ||
			    memcmp(before.numbers, after.numbers, 8 * before.count) != 0);
		record.count = 0;
		hwf_session_reset(record.session, 0);
		assert_int_equal(hwf_session_forget(record.session), HWF_OK);
		hwf_session_push(record.session, subject.bytes, subject.length, true, NULL);
		assert_same(&after, &record);
		hwf_session_free(record.session);
		free(before.numbers);
		free(after.numbers);
		free(record.numbers);
	}
}

/*
 * A return, a synchronisation, and an address: a session that begins at the synchronisation has the
 * same decoder, but does not know where the edge to the address begins.
 */
static void a_branch_without_destination_is_in_the_state(void **state)
{
	static const char sync[] = "00 00 00 00 00 00 00 00 00 00 00 80 01 00 82 00 00 40 00 30";
	static struct part whole, later;
	size_t from, cut;

	(void)state;
	make_subject(HWF_SESSION_ETE);
	subject.ete.trcconfigr = 0;
	subject.ete.trcidr8 = 0;
	for (int i = 0; i < 16; i++)
		program.words[i] = 0xd65f03c0;
	trace.length = 0;
	put_hex(&trace, sync);
	put_hex(&trace, "f7");
	from = trace.length;
	put_hex(&trace, sync);
	cut = trace.length;
	put_hex(&trace, "f7");
	subject.bytes = trace.bytes;
	subject.length = trace.length;
	begin_part(&whole, &subject, 0, cut, 1000);
	begin_part(&later, &subject, from, cut, 1000);
	assert_int_equal(whole.size, later.size + 8);
	assert_memory_equal(whole.state, later.state, later.size - 8);
	end_part(&whole, &subject, cut);
	end_part(&later, &subject, cut);
	assert_true(whole.counted.sums.ranges == later.counted.sums.ranges);
	assert_true(whole.counted.sums.jumps != later.counted.sums.jumps);
}

static void nobody_wants_events(void **state)
{
	struct hwf_session_config config;
	struct hwf_session *session;

	(void)state;
	make_subject(HWF_SESSION_ETE);
	config = subject.config;
	config.profile = hwf_profile_new();
	session = new_session(&config);
	assert_int_equal(hwf_session_push(session, subject.bytes, subject.length, true, NULL),
			 HWF_OK);
	hwf_session_free(session);
	hwf_profile_free(config.profile);
	config.profile = NULL;
	config.steps = steps_nothing;
	config.sink = sink_nothing;
	session = new_session(&config);
	assert_int_equal(hwf_session_push(session, subject.bytes, subject.length, true, NULL),
			 HWF_OK);
	assert_int_equal(hwf_session_push(session, subject.bytes, 1, true, NULL), HWF_ERR_END);
	hwf_session_free(session);
}

static void texts_and_version(void **state)
{
	(void)state;
	for (int err = HWF_OK; err >= -HWF_ERR_ROWS; err--)
		assert_string_not_equal(hwf_err_text(err), "unknown error");
	assert_string_equal(hwf_err_text(-1 - HWF_ERR_ROWS), "unknown error");
	assert_string_equal(hwf_version(), HWF_VERSION);
}

/* A listing that cannot begin leaves the session as it was. */
static void a_listing_without_memory(void **state)
{
	struct hwf_session_config config;
	struct hwf_session *session;
	struct hwf_packet packet;
	struct hwf_text text;
	char buffer[4096];

	(void)state;
	make_subject(HWF_SESSION_ETE);
	config = subject.config;
	config.code = NULL;
	session = new_session(&config);
	hwf_text_init(&text, buffer, sizeof(buffer), NULL, NULL);
	allocations = 0;
	fails = 1;
	assert_int_equal(hwf_session_list(session, HWF_TEXT_REF), HWF_ERR_NO_MEMORY);
	fails = 0;
	assert_int_equal(hwf_session_feed(session, subject.bytes, subject.length, true), HWF_OK);
	assert_int_equal(hwf_session_next_packet(session, &packet), HWF_OK);
	assert_false(hwf_session_line(session, &text));
	assert_ptr_equal(text.at, text.bytes);
	assert_int_equal(hwf_session_reset(session, 0), HWF_OK);
	assert_int_equal(hwf_session_list(session, HWF_TEXT_REF), HWF_OK);
	assert_int_equal(hwf_session_feed(session, subject.bytes, subject.length, true), HWF_OK);
	for (int i = 0; i < 8; i++) {
		const char *before = text.at;
		bool has_line;

		assert_int_equal(hwf_session_next_packet(session, &packet), HWF_OK);
		assert_ptr_equal(text.at, before);
		/* bytes that are passed over wait for their line */
		has_line = hwf_session_line(session, &text);
		assert_int_equal(has_line, text.at > before);
	}
	assert_true(text.at > text.bytes);
	hwf_session_free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(allocations_that_fail),
		cmocka_unit_test(a_listing_without_memory),
		cmocka_unit_test(sizes_of_the_configuration),
		cmocka_unit_test(configurations_that_are_refused),
		cmocka_unit_test(calls_in_the_wrong_state),
		cmocka_unit_test(more_is_held_than_may_be),
		cmocka_unit_test(sessions_share_a_graph),
		cmocka_unit_test(code_changes),
		cmocka_unit_test(a_branch_without_destination_is_in_the_state),
		cmocka_unit_test(nobody_wants_events),
		cmocka_unit_test(texts_and_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
