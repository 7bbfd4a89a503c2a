// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Sessions without code: a listing continues where another one has the same state. */
#include "hwflow/text.h"
#include "session_checks.h"

static struct hwf_code code;
static struct random_program program;
static struct random_trace trace;

/**
 * struct listing - a session that lists
 * @session: the session
 * @at: offset of the next packet
 * @line: lines that the last packet wrote
 * @text: writes @line
 * @is_end: there are no more packets
 */
struct listing {
	struct hwf_session *session;
	uint64_t at;
	char line[4096];
	struct hwf_text text;
	bool is_end;
};

/* Begin at the first synchronisation from @from on; false for none. */
static bool begin(struct listing *listing, const struct subject *subject, size_t from)
{
	struct hwf_session_config config = subject->config;
	size_t found = 0;

	config.code = NULL;
	*listing = (struct listing){.session = new_session(&config)};
	assert_int_equal(hwf_session_list(listing->session, HWF_TEXT_HUMAN), HWF_OK);
	if (from && hwf_session_seek(listing->session, subject->bytes, subject->length, from,
				     HWF_SEEK_NEXT, &found))
		return false;
	listing->at = found;
	return hwf_session_feed(listing->session, subject->bytes + found, subject->length - found,
				true) == HWF_OK;
}

static void step(struct listing *listing)
{
	struct hwf_packet packet;

	hwf_text_init(&listing->text, listing->line, sizeof(listing->line) - 1, NULL, NULL);
	listing->is_end = hwf_session_next_packet(listing->session, &packet) != HWF_OK;
	hwf_session_line(listing->session, &listing->text);
	assert_int_equal(listing->text.error, 0);
	*listing->text.at = '\0';
	if (!listing->is_end)
		listing->at = packet.offset + packet.size;
}

static bool are_equal(const struct listing *early, const struct listing *late)
{
	static uint8_t states[2][HWF_SESSION_STATE];
	const size_t size = hwf_session_state(early->session, states[0], sizeof(states[0]));

	return early->at == late->at && size &&
	       size == hwf_session_state(late->session, states[1], sizeof(states[1])) &&
	       !memcmp(states[0], states[1], size);
}

/* Lines behind a place where both have the same state */
static unsigned int compare(struct listing *early, struct listing *late)
{
	unsigned int lines = 0;

	while (!early->is_end && !late->is_end && !are_equal(early, late))
		step(early->at < late->at ? early : late);
	if (early->is_end || late->is_end)
		return 0;
	while (!early->is_end) {
		step(early);
		step(late);
		assert_string_equal(early->line, late->line);
		lines++;
	}
	return lines;
}

static void a_listing_continues_another(void **state)
{
	unsigned int lines[HWF_SESSION_PROTOCOLS] = {0};

	(void)state;
	for (uint32_t i = 0; i < 400; i++) {
		const uint32_t protocol = i % HWF_SESSION_PROTOCOLS;
		struct listing early = {0}, late = {0};
		struct subject subject;

		random_subject(&subject, protocol, &code, &program, &trace);
		subject_settle(&subject);
		if (begin(&early, &subject, 0) && begin(&late, &subject, subject.length / 3))
			lines[protocol] += compare(&early, &late);
		hwf_session_free(early.session);
		hwf_session_free(late.session);
	}
	for (unsigned int i = 0; i < HWF_SESSION_PROTOCOLS; i++)
		assert_true(lines[i] > 1000);
}

/* Of ETMv3 a branch address packet has the bits that differ from the address before. */
static void addresses_of_etmv3_are_in_the_state(void **state)
{
	static const struct hwf_etm3_regs regs = {.etmidr = 0x410cf250};
	static const uint8_t bytes[] = {0,    0,    0, 0, 0, 0x80, 0x08, 0x21, 0x00, 0x10,
					0x20, 0x30, 0, 0, 0, 0,    0,    0x80, 0x03};
	struct subject subject = {
		.config = {.size = sizeof(subject.config),
			   .protocol = HWF_SESSION_ETMV3,
			   .etm3 = &regs},
		.bytes = bytes,
		.length = sizeof(bytes),
	};
	struct listing listing[2] = {{0}};
	uint8_t states[2][64];
	size_t sizes[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		const size_t from = i ? 12 : 0;
		struct listing *one = &listing[i];

		assert_true(begin(one, &subject, 0));
		assert_int_equal(hwf_session_reset(one->session, from), HWF_OK);
		assert_int_equal(
			hwf_session_feed(one->session, bytes + from, sizeof(bytes) - from, true),
			HWF_OK);
		while (one->at < sizeof(bytes))
			step(one);
		sizes[i] = hwf_session_state(one->session, states[i], sizeof(states[i]));
		hwf_session_free(one->session);
	}
	assert_string_not_equal(listing[0].line, listing[1].line);
	assert_true(sizes[0] && sizes[1]);
	assert_false(sizes[0] == sizes[1] && !memcmp(states[0], states[1], sizes[0]));
}

static void there_may_be_no_state(void **state)
{
	uint8_t bytes[HWF_SESSION_STATE];
	struct listing listing;
	struct subject subject;

	(void)state;
	random_subject(&subject, HWF_SESSION_ETE, &code, &program, &trace);
	subject_settle(&subject);
	assert_true(begin(&listing, &subject, 0));
	/* not synchronised */
	assert_int_equal(hwf_session_state(listing.session, bytes, sizeof(bytes)), 0);
	while (!hwf_session_state(listing.session, bytes, sizeof(bytes)) && !listing.is_end)
		step(&listing);
	assert_false(listing.is_end);
	/* no room */
	assert_int_equal(hwf_session_state(listing.session, bytes, 8), 0);
	hwf_session_free(listing.session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_listing_continues_another),
		cmocka_unit_test(addresses_of_etmv3_are_in_the_state),
		cmocka_unit_test(there_may_be_no_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
