// SPDX-License-Identifier: GPL-2.0-only
/* verify: Q elements of the trace unit, where instructions are left out before them. */
#include "base/error.h"
#include "source/input.h"
#include "tests/truth_test.h"
#include "encode/tests/tu_model.h"

/* not in a header that tests can have without main() */
int cmd_verify(int argc, char **argv);

#define STEPS   64
#define TO_HOLE ((0x100 - 4) / 4)

struct run {
	struct model *model;
	uint64_t pc[STEPS];
	uint32_t opcode[STEPS];
	unsigned int steps;
	unsigned int fault; /* the step before which one is taken, and returned from, unseen */
	unsigned int back;  /* first step after the filtered ones */
};

static void step(struct run *run, uint32_t opcode, uint64_t next)
{
	struct model *model = run->model;

	assert_true(run->steps < STEPS);
	run->pc[run->steps] = model->pc;
	run->opcode[run->steps++] = opcode;
	model->code[0][(model->pc - MODEL_EL0) / 4] = opcode;
	model_execute(model, opcode, true, next);
}

static void nop_and_branch(struct run *run)
{
	step(run, NOP, run->model->pc + 4);
	/* 16 bytes on */
	step(run, B | 4, run->model->pc + 16);
}

/* Out of what is traced and back; what follows is all in Q elements. */
static void execute(struct run *run)
{
	struct model *model = model_new(1);

	*run = (struct run){.model = model};
	model->options.regs.trcidr0 |= MODEL_COMMOPT;
	model->options.regs.trcconfigr |= MODEL_QE1;
	model->options.q_interval = 1;
	model->options.exclude_ranges = 1;
	model->options.exclude[0] = (struct hwf_tu_range){MODEL_EL0 + 0x100, MODEL_EL0 + 0x1ff};
	assert_int_equal(model_start(model), 0);
	step(run, NOP, MODEL_EL0 + 4);
	step(run, B | TO_HOLE, MODEL_EL0 + 0x100);
	step(run, NOP, MODEL_EL0 + 0x104);
	run->fault = run->steps;
	hwf_tu_exception(model->unit, HWF_EXC_DATA_FAULT, model->pc, HWF_ISA_A64, MODEL_EL1,
			 HWF_ISA_A64);
	step(run, B | 4, MODEL_EL0 + 0x114);
	step(run, B | ((0x200 - 0x114) / 4), MODEL_EL0 + 0x200);
	run->back = run->steps;
	for (unsigned int i = 0; i < 20; i++)
		nop_and_branch(run);
	model_stop(model);
	model_decode(model, 0);
	assert_true(model_matches(model, false));
}

/* The first Q element after the Trace On that comes back */
static uint32_t first_q(const struct run *run)
{
	const struct items *decoded = &run->model->decoded;

	for (size_t i = 1; i + 1 < decoded->count; i++) {
		if (decoded->item[i].kind != ITEM_ON)
			continue;
		assert_int_equal(decoded->item[i + 1].kind, ITEM_Q);
		/* it is longer than what was filtered out, and not the last */
		assert_true(decoded->item[i + 1].count > 3);
		assert_int_equal(decoded->item[i + 2].kind, ITEM_Q);
		return decoded->item[i + 1].count;
	}
	fail();
	return 0;
}

/* ---- files ---- */

/* The events of the log: each step is a block. */
static size_t put_events(uint8_t *events, const struct run *run)
{
	size_t length = 0;

	for (unsigned int i = 0; i < run->steps; i++) {
		if (i == run->fault) {
			events[length++] = TRUTH_EXCEPTION;
			events[length++] = HWF_EXC_DATA_FAULT;
			for (unsigned int shift = 0; shift < 28; shift += 7)
				events[length++] = (uint8_t)((run->pc[i] >> shift & 0x7f) |
							     (shift < 21 ? 0x80 : 0));
		}
		events[length++] = (uint8_t)(TRUTH_FIRST_BLOCK + i);
	}
	return length;
}

static void put_log(int fd, const struct run *run)
{
	struct test_block blocks[STEPS];
	uint8_t events[STEPS + 6];

	for (unsigned int i = 0; i < run->steps; i++)
		blocks[i] = (struct test_block){run->pc[i], &run->opcode[i], 1, 0};
	put_truth(fd, blocks, run->steps, INPUT_ANY, events, put_events(events, run));
}

static char *word(const char *text)
{
	return (char *)(uintptr_t)text;
}

static int verify(const struct run *run, bool filtered)
{
	const struct model *model = run->model;
	const struct hwf_ete_regs *regs = &model->options.regs;
	char trace[64], code[64], log[64], image[100], truth[80], config[160];
	char *argv[] = {
		word("verify"), word("--protocol=ete"), config, image, truth, trace, NULL, NULL};
	int fds[] = {memory_file(trace), memory_file(code), memory_file(log)};
	int status;

	put(fds[0], model->bytes, model->length);
	put(fds[1], model->code[0], sizeof(model->code[0]));
	put_log(fds[2], run);
	snprintf(config, sizeof(config),
		 "--config=TRCCONFIGR=%u,TRCIDR0=%u,TRCIDR1=%u,TRCIDR2=%u,TRCIDR8=%u,TRCDEVARCH=%u",
		 regs->trcconfigr, regs->trcidr0, regs->trcidr1, regs->trcidr2, regs->trcidr8,
		 regs->trcdevarch);
	snprintf(image, sizeof(image), "--image=%s@%#llx", code, (unsigned long long)MODEL_EL0);
	snprintf(truth, sizeof(truth), "--truth=%s", log);
	if (filtered)
		argv[6] = word("--filtered");
	status = cmd_verify(filtered ? 7 : 6, argv);
	for (unsigned int i = 0; i < 3; i++)
		close(fds[i]);
	return status;
}

static void test_q_element_first_after_a_gap(void **state)
{
	struct run run;

	(void)state;
	execute(&run);
	assert_true(first_q(&run) > 3);
	assert_int_equal(verify(&run, true), EXIT_GOOD);
	model_free(run.model);
}

static void test_what_is_left_out_unasked_is_a_difference(void **state)
{
	struct run run;

	(void)state;
	execute(&run);
	assert_int_equal(verify(&run, false), EXIT_GAPS);
	model_free(run.model);
}

static void test_q_element_begins_where_it_says(void **state)
{
	struct run run;
	unsigned int second;

	(void)state;
	execute(&run);
	/* after a gap: the log does not come there */
	run.pc[run.back] += 4;
	assert_int_equal(verify(&run, true), EXIT_GAPS);
	run.pc[run.back] -= 4;
	/* and behind another Q element */
	second = run.back + first_q(&run);
	run.pc[second] += 4;
	assert_int_equal(verify(&run, true), EXIT_GAPS);
	run.pc[second] -= 4;
	assert_int_equal(verify(&run, true), EXIT_GOOD);
	model_free(run.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_q_element_first_after_a_gap),
		cmocka_unit_test(test_what_is_left_out_unasked_is_a_difference),
		cmocka_unit_test(test_q_element_begins_where_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
