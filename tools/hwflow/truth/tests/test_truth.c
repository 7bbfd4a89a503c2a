// SPDX-License-Identifier: GPL-2.0-only
/* The ground-truth log: what is read, as text, and what becomes of a damaged one. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "hwflow/ete.h"
#include "hwflow/insn.h"
#include "truth/truth.h"

struct log {
	uint8_t bytes[1024];
	size_t length;
};

static void put(struct log *log, const void *bytes, size_t length)
{
	memcpy(log->bytes + log->length, bytes, length);
	log->length += length;
}

static void put_code(struct log *log, uint32_t number, uint64_t pc, uint8_t isa,
		     const uint32_t *opcodes, uint16_t count)
{
	struct truth_block block = {.size = (uint32_t)(sizeof(block) + sizeof(uint32_t) * count),
				    .number = number,
				    .pc = pc,
				    .isa = isa,
				    .count = count};

	put(log, &block, sizeof(block));
	put(log, opcodes, sizeof(*opcodes) * count);
}

static void put_block(struct log *log, uint32_t number, uint64_t pc, uint16_t count)
{
	static const uint32_t nops[] = {0xd503201f, 0xd503201f, 0xd503201f};

	put_code(log, number, pc, HWF_ISA_A64, nops, count);
}

static void put_section(struct log *log, uint32_t type, const struct log *payload)
{
	struct truth_section section = {.type = type, .length = payload->length};

	put(log, &section, sizeof(section));
	put(log, payload->bytes, payload->length);
	log->length = (log->length + 7) & ~(size_t)7;
}

static void put_stream(struct log *log, int32_t tid, uint32_t part, const uint8_t *events,
		       size_t length)
{
	struct truth_stream stream = {.pid = 7, .tid = tid, .part = part, .start = 1000};
	struct log payload = {.length = 0};

	put(&payload, &stream, sizeof(stream));
	put(&payload, events, length);
	put_section(log, TRUTH_STREAM, &payload);
}

/* Two blocks, two threads, of which one has two parts */
static void make_log(struct log *log)
{
	static const uint8_t first[] = {
		TRUTH_CONTEXT,
		0,
		1,
		0,
		7,
		7,
		16 + 3,
		TRUTH_CALL,
		TRUTH_TIME,
		0x80,
		0x01,
		16 + 5,
		TRUTH_STOP,
		1,
		TRUTH_EXCEPTION,
		HWF_EXC_DATA_FAULT,
		0x84,
		0x40,
		TRUTH_GAP,
		TRUTH_GAP_SIGNAL,
		TRUTH_REMAP,
		TRUTH_DONE,
	};
	static const uint8_t second[] = {TRUTH_CONTEXT, 1, 1, 3, 8, 8, 16 + 3};
	const struct truth_head head = {
		.magic = TRUTH_MAGIC, .version = TRUTH_VERSION, .size = sizeof(head)};
	struct log blocks = {.length = 0}, nothing = {.length = 0};

	memset(log, 0, sizeof(*log));
	put(log, &head, sizeof(head));
	put_block(&blocks, 3, 0x1000, 2);
	put_block(&blocks, 5, 0x2000, 3);
	put_section(log, TRUTH_BLOCKS, &blocks);
	/* the later part of 7 was complete before the other */
	put_stream(log, 7, 1, first, 7);
	put_stream(log, 8, 0, second, sizeof(second));
	put_stream(log, 7, 0, first, sizeof(first));
	put_section(log, TRUTH_END, &nothing);
}

/* To a file in memory: there are many */
static void save(const char *path, const struct log *log, size_t length)
{
	int fd = open(path, O_RDWR);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)length), 0);
	assert_int_equal(pwrite(fd, log->bytes, length, 0), length);
	close(fd);
}

/* All of a log as text; or the error, with the message in @text */
static int text_of(const char *path, char *text, size_t size)
{
	char message[TRUTH_MESSAGE] = "";
	struct truth *truth = NULL;
	FILE *out = fmemopen(text, size, "w");
	int error = truth_open(&truth, path, message);

	assert_non_null(out);
	for (size_t i = 0; !error && i < truth_threads(truth); i++)
		error = truth_print(truth, i, out, message);
	fclose(out);
	truth_close(truth);
	if (!error)
		return 0;
	/* which file, and what is wrong */
	assert_non_null(strstr(message, path));
	snprintf(text, size, "%s", message);
	return error;
}

static char *temporary(void **state)
{
	return *state;
}

static void test_text(void **state)
{
	static const char expected[] = "0 -1 7 0 A64 1000\n"
				       "1 -1 7 0 A64 1004\n"
				       "2 -1 7 EXC call 1008\n"
				       "3 -1 7 0 A64 2000\n"
				       "4 -1 7 EXC data-fault 2004\n"
				       "5 -1 7 GAP signal -\n"
				       "6 -1 7 0 A64 1000\n"
				       "7 -1 7 0 A64 1004\n"
				       "0 2 8 1 A64 1000\n"
				       "1 2 8 1 A64 1004\n";
	char text[4096] = "";
	struct log log;

	make_log(&log);
	save(temporary(state), &log, log.length);
	assert_int_equal(text_of(temporary(state), text, sizeof(text)), 0);
	assert_string_equal(text, expected);
}

/* A log of one block of @count instructions, executed once, and an exception behind it */
static int text_of_code(const char *path, uint64_t pc, uint8_t isa, const uint32_t *opcodes,
			uint16_t count, char text[4096])
{
	static const uint8_t events[] = {16, TRUTH_CALL};
	const struct truth_head head = {
		.magic = TRUTH_MAGIC, .version = TRUTH_VERSION, .size = sizeof(head)};
	struct log log = {.length = 0}, blocks = {.length = 0}, nothing = {.length = 0};

	put(&log, &head, sizeof(head));
	put_code(&blocks, 0, pc, isa, opcodes, count);
	put_section(&log, TRUTH_BLOCKS, &blocks);
	put_stream(&log, 7, 0, events, sizeof(events));
	put_section(&log, TRUTH_END, &nothing);
	save(path, &log, log.length);
	return text_of(path, text, 4096);
}

static void test_instruction_sets(void **state)
{
	static const uint32_t a32[] = {0xe320f000, 0xef000000}, narrow[] = {0xbf00, 0xdf00},
			      wide[] = {0xf3af8000, 0xf3af8000};
	/* UDF, whose upper half is 0 */
	static const uint32_t udf[] = {0, 0xd503201f};
	char text[4096] = "";

	assert_int_equal(text_of_code(temporary(state), 0x1004, HWF_ISA_A64, udf, 2, text), 0);
	assert_string_equal(text, "0 -1 7 0 A64 1004\n1 -1 7 0 A64 1008\n2 -1 7 EXC call 100c\n");
	assert_int_equal(text_of_code(temporary(state), 0x1004, HWF_ISA_A32, a32, 2, text), 0);
	assert_string_equal(text, "0 -1 7 0 A32 1004\n1 -1 7 0 A32 1008\n2 -1 7 EXC call 100c\n");
	assert_int_equal(text_of_code(temporary(state), 0x1002, HWF_ISA_T32, narrow, 2, text), 0);
	assert_string_equal(text, "0 -1 7 0 T32 1002\n1 -1 7 0 T32 1004\n2 -1 7 EXC call 1006\n");
	assert_int_equal(text_of_code(temporary(state), 0x1002, HWF_ISA_T32, wide, 2, text), 0);
	assert_string_equal(text, "0 -1 7 0 T32 1002\n1 -1 7 0 T32 1006\n2 -1 7 EXC call 100a\n");
}

/* @text: of a block of T32 instructions of two sizes, of a set that there is not, misaligned */
static void test_bad_blocks(void **state)
{
	static const uint32_t mixed[] = {0xbf00, 0xf3af8000, 0xbf00};
	char text[4096] = "";

	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(
			text_of_code(temporary(state), 0x1000, HWF_ISA_T32, mixed + i, 2, text),
			-EINVAL);
		assert_non_null(strstr(text, "a block has instructions of two sizes"));
	}
	for (uint8_t isa = 0; isa < 255; isa = isa ? (uint8_t)(isa + 1) : HWF_ISA_T32 + 1) {
		if (isa == HWF_ISA_RV64)
			continue;
		assert_int_equal(text_of_code(temporary(state), 0x1000, isa, mixed, 1, text),
				 -EINVAL);
		assert_non_null(strstr(text, "a block has an unknown instruction set"));
	}
	assert_int_equal(text_of_code(temporary(state), 0x1001, HWF_ISA_T32, mixed, 1, text),
			 -EINVAL);
	assert_non_null(strstr(text, "a block's address is not aligned"));
	assert_int_equal(text_of_code(temporary(state), 0x1002, HWF_ISA_A32, mixed, 1, text),
			 -EINVAL);
	assert_non_null(strstr(text, "a block's address is not aligned"));
}

/* Sizes are the instructions' own; an ecall is its own EPC. */
static void test_riscv(void **state)
{
	/* addi, c.nop, ecall */
	static const uint32_t code[] = {0x00000013, 0x0001, 0x00000073}, longer[] = {0x1f, 0x73};
	char text[4096] = "";

	assert_int_equal(text_of_code(temporary(state), 0x1002, HWF_ISA_RV64, code, 3, text), 0);
	assert_string_equal(text, "0 -1 7 0 RV64 1002\n1 -1 7 0 RV64 1006\n2 -1 7 0 RV64 1008\n"
				  "3 -1 7 EXC user-ecall 1008\n");
	assert_int_equal(text_of_code(temporary(state), 0x1001, HWF_ISA_RV64, code, 1, text),
			 -EINVAL);
	assert_non_null(strstr(text, "a block's address is not aligned"));
	/* the encoding of a longer instruction is one of 4 bytes */
	memset(text, 0, sizeof(text));
	assert_int_equal(text_of_code(temporary(state), 0x1000, HWF_ISA_RV64, longer, 2, text), 0);
	assert_non_null(strstr(text, "1 -1 7 0 RV64 1004\n"));
}

/* The text of a log with one exception; @operands: what follows its type */
static int text_of_exception(char *path, uint8_t type, const uint8_t *operands, size_t length,
			     char *text)
{
	const struct truth_head head = {
		.magic = TRUTH_MAGIC, .version = TRUTH_VERSION, .size = sizeof(head)};
	uint8_t events[16] = {TRUTH_EXCEPTION, (uint8_t)(type | 0x80), (uint8_t)(type >> 7)};
	struct log log = {.length = 0}, nothing = {.length = 0};

	memcpy(events + 3, operands, length);
	put(&log, &head, sizeof(head));
	put_stream(&log, 7, 0, events, 3 + length);
	put_section(&log, TRUTH_END, &nothing);
	save(path, &log, log.length);
	return text_of(path, text, 4096);
}

static void test_riscv_exceptions(void **state)
{
	static const struct {
		uint8_t type;
		const char *name;
	} rows[] = {
		{0x40, "instruction-misaligned"},
		{0x41, "instruction-access"},
		{0x42, "illegal-instruction"},
		{0x43, "breakpoint"},
		{0x44, "load-misaligned"},
		{0x45, "load-access"},
		{0x46, "store-misaligned"},
		{0x47, "store-access"},
		{0x48, "user-ecall"},
		{0x49, "supervisor-ecall"},
		{0x4a, "reserved-cause"},
		{0x4b, "machine-ecall"},
		{0x4c, "instruction-page-fault"},
		{0x4d, "load-page-fault"},
		{0x4e, "reserved-cause"},
		{0x4f, "store-page-fault"},
		{0x50, "reserved-cause"},
		{0x85, "interrupt"},
	};
	static const uint8_t operands[] = {0x80, 0x20, 0x05};
	char text[4096] = "", expected[80];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(expected, sizeof(expected), "0 -1 7 EXC %s 1000\n", rows[i].name);
		assert_int_equal(
			text_of_exception(temporary(state), rows[i].type, operands, 3, text), 0);
		assert_string_equal(text, expected);
	}
	/* no trap value; types that there are not */
	assert_int_equal(text_of_exception(temporary(state), 0x48, operands, 2, text), -EINVAL);
	assert_int_equal(text_of_exception(temporary(state), 0x19, operands, 2, text), -EINVAL);
	assert_int_equal(text_of_exception(temporary(state), 0x3f, operands, 3, text), -EINVAL);
	assert_int_equal(text_of_exception(temporary(state), 0xc0, operands, 3, text), -EINVAL);
}

static void test_threads(void **state)
{
	char message[TRUTH_MESSAGE];
	struct truth_reader reader;
	struct truth_event event;
	struct truth *truth;
	struct log log;
	int programs = 0;

	make_log(&log);
	save(temporary(state), &log, log.length);
	assert_int_equal(truth_open(&truth, temporary(state), message), 0);
	assert_int_equal(truth_threads(truth), 2);
	assert_int_equal(truth_find(truth, 8), 1);
	assert_int_equal(truth_find(truth, 9), -1);
	assert_int_equal(truth_thread(truth, 0)->pid, 7);
	truth_reader_init(&reader, truth, 0);
	while (truth_next(&reader, &event) > 0) {
		programs += event.kind == TRUTH_EVENT_PROGRAM;
		if (event.kind == TRUTH_EVENT_TIME)
			assert_int_equal(event.u.time, 1128);
	}
	assert_int_equal(programs, 2);
	truth_close(truth);
}

/* What is on one CPU: blocks, and when the trace unit was enabled (+) or disabled (-) */
static void expect_cpu(const struct truth *truth, size_t index, const char *expected)
{
	struct truth_reader reader;
	struct truth_event event;
	char text[256] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	truth_reader_init_cpu(&reader, truth, index);
	while (truth_next(&reader, &event) > 0) {
		if (event.kind == TRUTH_EVENT_RUN)
			fprintf(out, " %llx", (unsigned long long)event.u.run.pc);
		else if (event.kind == TRUTH_EVENT_ENABLED)
			fprintf(out, " +%llu", (unsigned long long)event.u.time);
		else if (event.kind == TRUTH_EVENT_DISABLED)
			fprintf(out, " -%llu", (unsigned long long)event.u.time);
	}
	fclose(out);
	assert_string_equal(text, expected);
}

/* A machine's log by CPU: in the order of the file, whatever threads there were. */
static void test_cpus(void **state)
{
	static const uint8_t zero[] =
		{TRUTH_ENABLED,  0xe8, 7, TRUTH_CONTEXT, 1, 1, 1, 8, 8, 16 + 3,
		 TRUTH_DISABLED, 0xe9, 7},
			     two[] = {TRUTH_TIME, 5, TRUTH_CONTEXT, 0, 1, 3, 7, 7, 16 + 5},
			     nowhere[] = {16 + 3, TRUTH_CONTEXT, 0, 1, 3, 7, 7};
	const struct truth_head head = {
		.magic = TRUTH_MAGIC, .version = TRUTH_VERSION, .size = sizeof(head)};
	struct log log = {.length = 0}, blocks = {.length = 0}, nothing = {.length = 0};
	char message[TRUTH_MESSAGE];
	struct truth *truth;

	put(&log, &head, sizeof(head));
	put_block(&blocks, 3, 0x1000, 2);
	put_block(&blocks, 5, 0x2000, 3);
	put_section(&log, TRUTH_BLOCKS, &blocks);
	put_stream(&log, 7, 1, two, sizeof(two));
	put_stream(&log, 8, 0, zero, sizeof(zero));
	/* without its end */
	put_stream(&log, 7, 0, zero, 10);
	put_stream(&log, 9, 0, two, sizeof(two));
	/* it does not say where */
	put_stream(&log, 9, 1, nowhere, sizeof(nowhere));
	put_section(&log, TRUTH_END, &nothing);
	save(temporary(state), &log, log.length);
	assert_int_equal(truth_open(&truth, temporary(state), message), 0);
	assert_int_equal(truth_cpus(truth), 2);
	assert_int_equal(truth_cpu(truth, 0), 0);
	assert_int_equal(truth_cpu(truth, 1), 2);
	expect_cpu(truth, 0, " +1000 1000 -1001 +1000 1000");
	expect_cpu(truth, 1, " 2000 2000");
	truth_close(truth);
}

/* Cut at every byte: an error, since the section that ends it is missing. */
static void test_cut(void **state)
{
	char text[4096];
	struct log log;

	make_log(&log);
	for (size_t length = 0; length < log.length; length++) {
		save(temporary(state), &log, length);
		assert_int_equal(text_of(temporary(state), text, sizeof(text)), -EINVAL);
	}
}

/* Every byte changed in every way: an error, or another log; never a crash. */
static void test_changed(void **state)
{
	char text[65536];
	struct log log;
	unsigned int errors = 0;

	make_log(&log);
	for (size_t at = 0; at < log.length; at++) {
		uint8_t was = log.bytes[at];

		for (unsigned int value = 0; value < 256; value += at < 64 ? 1 : 5) {
			log.bytes[at] = (uint8_t)value;
			save(temporary(state), &log, log.length);
			errors += text_of(temporary(state), text, sizeof(text)) != 0;
		}
		log.bytes[at] = was;
	}
	assert_true(errors > 1000);
}

static void test_no_log(void **state)
{
	char text[4096];

	(void)state;
	assert_int_equal(text_of("/no/such/file", text, sizeof(text)), -ENOENT);
	assert_int_equal(text_of("/dev/null", text, sizeof(text)), -ESPIPE);
	assert_int_equal(text_of("/", text, sizeof(text)), -EISDIR);
}

static int setup(void **state)
{
	int fd = memfd_create("truth", 0);
	char *path;

	if (fd < 0 || asprintf(&path, "/proc/self/fd/%d", fd) < 0)
		return -1;
	*state = path;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_instruction_sets),
		cmocka_unit_test(test_bad_blocks),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_riscv),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_riscv_exceptions),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_no_log),
	};

	return cmocka_run_group_tests_name("truth", tests, setup, teardown);
}
