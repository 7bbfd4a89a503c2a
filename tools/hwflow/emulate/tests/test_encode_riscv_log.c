// SPDX-License-Identifier: GPL-2.0-only
/*
 * The same execution as a ground-truth log and as the text of a simulator: with no kernel in
 * between both are the same trace. The text was written by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/truth_test.h"

#include "emulate/encode_riscv.h"
#include "emulate/encode_riscv_log.h"

#define THREAD 7

/* 2000: nop; 2004: c.nop; 2006: j 0x2000; 200a: ecall; 200e: ebreak; 2012: illegal */
static const uint32_t code[] = {0x00000013, 0x0001, 0xffbff06f, 0x00000073, 0x00100073, 0x0000};
static const struct test_block blocks[] = {
	{0x2000, code, 3, HWF_ISA_RV64},
	{0x200a, code + 3, 1, HWF_ISA_RV64},
	{0x200e, code + 4, 1, HWF_ISA_RV64},
	{0x2012, code + 5, 1, HWF_ISA_RV64},
};

static const uint8_t events[] = {
	TRUTH_FIRST_BLOCK,
	TRUTH_FIRST_BLOCK,
	TRUTH_STOP,
	2,
	RV_EXCEPTION(TRUTH_RV_INTERRUPT + 5, 0x2006, 0),
	TRUTH_FIRST_BLOCK + 1,
	TRUTH_CALL,
	TRUTH_FIRST_BLOCK + 2,
	RV_EXCEPTION(TRUTH_RV_EXCEPTION + 3, 0x200e, 0x0e),
	TRUTH_FIRST_BLOCK + 3,
	TRUTH_STOP,
	0,
	RV_EXCEPTION(TRUTH_RV_EXCEPTION + 2, 0x2012, 0x21),
	TRUTH_FIRST_BLOCK,
	TRUTH_STOP,
	1,
	RV_EXCEPTION(TRUTH_RV_EXCEPTION + 13, 0x2004, 0x44),
	TRUTH_FIRST_BLOCK,
};

static const char text[] = "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n"
			   "1,2000,13,0,0,0,0,0\n"
			   "1,2004,1,0,0,0,0,0\n"
			   "1,2006,ffbff06f,0,0,0,0,0\n"
			   "1,2000,13,0,0,0,0,0\n"
			   "1,2004,1,0,0,0,0,0\n"
			   "1,2006,13,0,1,5,0,1\n"
			   "1,200a,73,0,1,8,0,0\n"
			   "1,200e,100073,0,1,3,e,0\n"
			   "1,2012,0,0,1,2,21,0\n"
			   "1,2000,13,0,0,0,0,0\n"
			   "1,2004,1,0,1,d,44,0\n"
			   "1,2000,13,0,0,0,0,0\n"
			   "1,2004,1,0,0,0,0,0\n"
			   "1,2006,ffbff06f,0,0,0,0,0\n";

struct bytes {
	uint8_t at[1024];
	size_t length;
	unsigned int sessions;
};

static bool take_bytes(void *ctx, const uint8_t *from, size_t length)
{
	struct bytes *bytes = ctx;

	assert_true(length <= sizeof(bytes->at) - bytes->length);
	memcpy(bytes->at + bytes->length, from, length);
	bytes->length += length;
	return true;
}

static bool take_session(void *ctx, uint64_t time)
{
	struct bytes *bytes = ctx;

	(void)time;
	bytes->sessions++;
	return true;
}

static void encode_log(const struct encode_riscv_log *how, struct bytes *bytes)
{
	const struct encode_sink sink = {
		.ctx = bytes, .bytes = take_bytes, .session = take_session};
	struct encode_totals totals = {0};
	char message[TRUTH_MESSAGE] = "", path[64];
	struct truth *truth;
	int fd = memory_file(path);

	put_truth(fd, blocks, sizeof(blocks) / sizeof(blocks[0]), THREAD, events, sizeof(events));
	assert_int_equal(truth_open(&truth, path, message), 0);
	assert_int_equal(encode_riscv_thread(truth, 0, how, &sink, &totals, message), 0);
	truth_close(truth);
	close(fd);
	assert_int_equal(totals.instructions, 11);
	assert_int_equal(totals.exceptions, 5);
	assert_int_equal(totals.bytes, bytes->length);
	assert_int_equal(bytes->sessions, 1);
}

static void encode_text(const struct riscv_options *riscv, struct bytes *bytes)
{
	struct encode_riscv how = {.name = "text", .riscv = *riscv};
	const struct encode_sink sink = {
		.ctx = bytes, .bytes = take_bytes, .session = take_session};
	struct encode_totals totals = {0};
	char message[TRUTH_MESSAGE] = "";

	how.in = fmemopen((void *)(uintptr_t)text, sizeof(text) - 1, "r");
	assert_non_null(how.in);
	assert_int_equal(encode_riscv(&how, &sink, &totals, message), 0);
	fclose(how.in);
}

static void a_log_is_the_same_trace_as_a_text(void **state)
{
	static const char *const dialects[] = {"0.026", "1.0", "2.0"};

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		struct encode_riscv_log how = {.direct = true};
		struct bytes of_log = {.length = 0}, of_text = {.length = 0};

		assert_true(riscv_options_init(&how.riscv, dialects[i % 3], NULL));
		assert_int_equal(riscv_options_set(&how.riscv, "full_address", i / 3), 0);
		encode_log(&how, &of_log);
		encode_text(&how.riscv, &of_text);
		assert_int_equal(of_log.length, of_text.length);
		assert_memory_equal(of_log.at, of_text.at, of_log.length);
	}
}

static void what_no_encoder_has_is_refused(void **state)
{
	struct encode_riscv_log how = {.direct = true};

	(void)state;
	assert_true(riscv_options_init(&how.riscv, NULL, NULL));
	assert_null(encode_riscv_log_check(&how));
	how.choice.include_count = 5;
	assert_non_null(encode_riscv_log_check(&how));
	how.choice.include_count = 4;
	assert_null(encode_riscv_log_check(&how));
	how.riscv.params.iaddress_width_p = 32;
	assert_non_null(encode_riscv_log_check(&how));
	assert_true(riscv_options_init(&how.riscv, NULL, "none"));
	assert_non_null(encode_riscv_log_check(&how));
	assert_true(riscv_options_init(&how.riscv, "0.026", "encap"));
	how.riscv.framing.type_width = 1;
	assert_non_null(encode_riscv_log_check(&how));
	assert_true(riscv_options_init(&how.riscv, NULL, NULL));
	how.riscv.params.implicit_return = true;
	assert_non_null(encode_riscv_log_check(&how));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_is_the_same_trace_as_a_text),
		cmocka_unit_test(what_no_encoder_has_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
