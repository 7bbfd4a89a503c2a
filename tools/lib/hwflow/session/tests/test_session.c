// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Sessions: random traces of each protocol, and the rules of the interface. */
#include "session_checks.h"

static struct hwf_code code;
static struct random_program program;
static struct random_trace trace;

static void random_traces(uint32_t protocol, uint32_t rounds)
{
	for (uint32_t i = 0; i < rounds; i++) {
		struct subject subject;

		random_subject(&subject, protocol, &code, &program, &trace);
		subject_settle(&subject);
		check_subject(&subject, (uint32_t[]){1, 7, 60, 1000, 100000}[random_below(5)]);
	}
}

static void ete_is_as_the_plain_decoder(void **state)
{
	(void)state;
	random_traces(HWF_SESSION_ETE, 200);
}

static void etmv3_is_as_the_plain_decoder(void **state)
{
	(void)state;
	random_traces(HWF_SESSION_ETMV3, 100);
}

static void riscv_is_as_the_plain_decoder(void **state)
{
	(void)state;
	random_traces(HWF_SESSION_RISCV, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ete_is_as_the_plain_decoder),
		cmocka_unit_test(etmv3_is_as_the_plain_decoder),
		cmocka_unit_test(riscv_is_as_the_plain_decoder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
