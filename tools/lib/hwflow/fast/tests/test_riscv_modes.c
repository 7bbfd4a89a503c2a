/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The optional modes of ratified E-Trace, by hand, and the tables they need */
#include "riscv_flow_test.h"

/*
 * 00 and 01 predict not taken, 11 and 10 taken; a prediction changes when it has failed twice,
 * but from 01, where it begins.
 */
static void predictor(void **state)
{
	static const struct {
		bool taken;
		uint8_t after;
	} steps[] = {{false, 0}, {false, 0}, {true, 1}, {false, 0}, {true, 1}, {true, 3},
		     {true, 3},  {false, 2}, {true, 3}, {false, 2}, {false, 0}};
	static struct hwf_riscv_predictor predictor;
	struct hwf_riscv_params params;
	struct hwf_riscv_config config;

	(void)state;
	hwf_riscv_params_init(&params, HWF_RISCV_V2);
	params.bpred_size_p = 3;
	config = riscv_config(HWF_RISCV_V2, &params);
	hwf_riscv_predictor_reset(&predictor, &config);
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(predictor.state[i], 1);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		hwf_riscv_predictor_learn(&predictor, &config, 0x1016, steps[i].taken);
		/* bits 3:1 of the address */
		assert_int_equal(predictor.state[3], steps[i].after);
		assert_int_equal(hwf_riscv_predict(&predictor, &config, 0x1006),
				 steps[i].after >= 2);
	}
	assert_false(hwf_riscv_predict(&predictor, &config, 0x1008));
	/* without C the index begins a bit higher */
	params.iaddress_lsb_p = 2;
	config = riscv_config(HWF_RISCV_V2, &params);
	hwf_riscv_predictor_learn(&predictor, &config, 0x1004, true);
	assert_int_equal(predictor.state[1], 3);
}

static void return_stack_drops_the_oldest(void **state)
{
	static struct hwf_riscv_calls calls;
	struct hwf_riscv_params params;
	struct hwf_riscv_config config;
	uint64_t address = 0;

	(void)state;
	hwf_riscv_params_init(&params, HWF_RISCV_V2);
	params.return_stack_size_p = 1;
	config = riscv_config(HWF_RISCV_V2, &params);
	hwf_riscv_calls_reset(&calls);
	assert_false(hwf_riscv_calls_pop(&calls, &address));
	for (uint64_t i = 1; i <= 3; i++)
		hwf_riscv_calls_push(&calls, &config, i);
	assert_int_equal(calls.depth, 2);
	assert_true(hwf_riscv_calls_pop(&calls, &address));
	assert_int_equal(address, 3);
	assert_true(hwf_riscv_calls_pop(&calls, &address));
	assert_int_equal(address, 2);
	assert_false(hwf_riscv_calls_pop(&calls, &address));
}

/* 1000 jalr ra,a5 (to 1008); 1002 nop; 1004 jr a5; 1006 nop; 1008 nop; 100a ret */
static const uint16_t calling[] = {C_JALR(A5), C_NOP, C_JR(A5), C_NOP, C_NOP, C_JR(RA)};

static void begin_returns(struct run *run, unsigned int stack, unsigned int counter)
{
	BEGIN(run, HWF_RISCV_V2, calling);
	run->params.implicit_return = true;
	run->params.return_stack_size_p = (uint8_t)stack;
	run->params.call_counter_size_p = (uint8_t)counter;
	start(run, 0x1000, 3, true);
}

static void implicit_return(void **state)
{
	struct run run;

	(void)state;
	begin_returns(&run, 0, 3);
	f2(&run, 8, NO_BITS);
	f2(&run, 0, NO_BITS);
	f2(&run, -6, NO_BITS);
	support(&run, HWF_RISCV_ENDED_REP);
	/* the second time 1008 is reached by a jump: what called it is not known */
	run_end(&run, "on mode3 1000+ 1008 100a+ 1002 1004+ 1008 100a+ 1002 end");
	/* a synchronisation forgets the call */
	begin_returns(&run, 3, 0);
	f2(&run, 8, NO_BITS);
	start(&run, 0x1008, 3, true);
	f2(&run, -2, NO_BITS);
	run_ended(&run, "on mode3 1000+ 1008 100a+ 1002 1004+ 1008 100a+ 1006 end");
}

/* A return that was predicted wrong is reported, with the entries on the stack. */
static void mispredicted_return(void **state)
{
	struct run run;

	(void)state;
	begin_returns(&run, 3, 0);
	f2(&run, 8, NO_BITS);
	PUSH(&run, HWF_RISCV_F2,
	     {.address = {.value = field_of(&run, (uint64_t)-2),
			  .has = true,
			  .irreport = true,
			  .irdepth = 1}});
	support(&run, HWF_RISCV_ENDED_NTR);
	run_end(&run, "on mode3 1000+ 1008 100a+ 1006 end");
}

/* 1000 f: jalr ra,a5 to itself; 1002 g: nop; 1004 ret: three calls deep, the depth tells where */
static void depth_of_a_recursion(void **state)
{
	static const uint16_t code[] = {C_JALR(A5), C_NOP, C_JR(RA)};
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_V2, code);
	run.params.implicit_return = true;
	run.params.call_counter_size_p = 4;
	start(&run, 0x1000, 3, true);
	f2(&run, 0, NO_BITS);
	f2(&run, 0, NO_BITS);
	f2(&run, 4, NO_BITS);
	PUSH(&run, HWF_RISCV_F2,
	     {.address = {.value = field_of(&run, (uint64_t)-2),
			  .has = true,
			  .irreport = true,
			  .irdepth = 1}});
	trap(&run, 7, true, true, 0x1000);
	run_end(&run, "on mode3 1000+ 1000+ 1000+ 1004+ 1002 1004+ 1002 irq7@1004 1000+ end");
}

/* The same with irets: so many returns, all to the same place, of a recursion that deep */
static void returns_of_a_recursion(void **state)
{
	static const uint16_t code[] = {C_JALR(A5), C_NOP, C_JR(RA)};
	static const char *const want[] = {
		"on mode3 1000+ 1000+ 1000+ 1004+ 1002 irq7@1004 1000+ end",
		"on mode3 1000+ 1000+ 1000+ 1004+ 1002 1004+ 1002 irq7@1004 1000+ end",
		"on mode3 1000+ 1000+ 1000+ 1004+ 1002 1004+ 1002 1004+ 1002 irq7@1004 1000+ end"};

	(void)state;
	for (uint32_t irets = 1; irets <= 3; irets++) {
		struct run run;

		BEGIN(&run, HWF_RISCV_V2, code);
		run.params.implicit_return = true;
		run.params.call_counter_size_p = 4;
		run.params.irets = true;
		start(&run, 0x1000, 3, true);
		f2(&run, 0, NO_BITS);
		f2(&run, 0, NO_BITS);
		f2(&run, 4, NO_BITS);
		PUSH(&run, HWF_RISCV_F2,
		     {.address = {.value = field_of(&run, (uint64_t)-2),
				  .has = true,
				  .irreport = true,
				  .irdepth = irets}});
		trap(&run, 7, true, true, 0x1000);
		run_end(&run, want[irets - 1]);
	}
}

/*
 * 1000 calls 1008, and so does 1004: 1008 nop; 100a ret. An interrupt comes in the second call. Its
 * depth is that of the first call, so that 2.0 does not tell them apart and a decoder stops in the
 * first one (issue 254 of the specification); the number of returns tells.
 */
static void two_calls_of_one_depth(void **state)
{
	static const uint16_t code[] = {0x00ef, 0x0080, 0x00ef, 0x0040, C_NOP, C_JR(RA)};
	static const char *const want[] = {
		"on mode3 1000+ 1008 irq7@100a 1000+ end",
		"on mode3 1000+ 1008 100a+ 1004+ 1008 irq7@100a 1000+ end"};

	(void)state;
	for (uint32_t irets = 0; irets <= 1; irets++) {
		struct run run;

		BEGIN(&run, HWF_RISCV_V2, code);
		run.params.implicit_return = true;
		run.params.call_counter_size_p = 4;
		run.params.irets = irets;
		start(&run, 0x1000, 3, true);
		PUSH(&run, HWF_RISCV_F2,
		     {.address = {.value = field_of(&run, 8),
				  .has = true,
				  .irreport = irets,
				  .irdepth = irets}});
		trap(&run, 7, true, true, 0x1000);
		run_end(&run, want[irets]);
	}
}

/*
 * 100c calls 1000, which calls 1008: from there back to 1002, and from 1004 astray, to 1002 again.
 * At the first arrival the return that was implied is not told yet.
 */
static void second_arrival_by_a_return(void **state)
{
	static const uint16_t code[] = {C_JALR(A5), C_NOP,    C_JR(RA),   C_NOP,
					C_NOP,      C_JR(RA), C_JALR(A5), C_NOP};
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_V2, code);
	run.params.implicit_return = true;
	run.params.return_stack_size_p = 3;
	run.params.irets = true;
	start(&run, 0x100c, 3, true);
	f2(&run, -0xc, NO_BITS);
	f2(&run, 8, NO_BITS);
	PUSH(&run, HWF_RISCV_F2,
	     {.address = {.value = field_of(&run, (uint64_t)-6),
			  .has = true,
			  .irreport = true,
			  .irdepth = 1}});
	PUSH(&run, HWF_RISCV_F2,
	     {.address = {
		      .value = field_of(&run, 0xc), .has = true, .irreport = true, .irdepth = 1}});
	support(&run, HWF_RISCV_ENDED_REP);
	run_end(&run, "on mode3 100c+ 1000+ 1008 100a+ 1002 1004+ 1002 1004+ 100e end");
}

/* After a trap at the target of a jump the handler is not where that would have led. */
static void trap_at_the_target_of_a_return(void **state)
{
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_V2, calling);
	run.params.implicit_return = true;
	run.params.return_stack_size_p = 3;
	start(&run, 0x1000, 3, true);
	f2(&run, 8, NO_BITS);
	/* 100a returns to 1002, as predicted, or elsewhere: to 1006, which traps */
	f2(&run, 2, NO_BITS);
	trap(&run, 1, false, false, 0x1006);
	start(&run, 0x1000, 3, true);
	f2(&run, 8, NO_BITS);
	support(&run, HWF_RISCV_ENDED_NTR);
	run_end(&run, "on mode3 1000+ 1008 100a+ exc1@1006 1000+ 1008 end");
}

/* 1000 nop; 1002 jr a5; 1004 nop; 1006 jr a5 */
static const uint16_t jumping[] = {C_NOP, C_JR(A5), C_NOP, C_JR(A5)};

static void cached(struct run *run, uint32_t index, uint32_t map, unsigned int branches)
{
	PUSH(run, HWF_RISCV_F0_CACHE,
	     {.cache = {.index = index, .map = map, .branches = (uint8_t)branches}});
}

static void begin_cache(struct run *run, const uint16_t *code, size_t halves, unsigned int size,
			uint64_t address)
{
	run_begin(run, HWF_RISCV_V2, code, halves);
	run->params.jump_target_cache = true;
	run->params.cache_size_p = (uint8_t)size;
	start(run, address, 3, true);
}

#define BEGIN_CACHE(run, code, size, address) \
	begin_cache(run, code, sizeof(code) / 2, size, address)

static void jump_targets(void **state)
{
	struct run run;

	(void)state;
	BEGIN_CACHE(&run, jumping, 2, 0x1000);
	/* 1004 goes to entry 2, 1000 to entry 0; the next packet's difference is to a cached one */
	f2(&run, 4, NO_BITS);
	f2(&run, -4, NO_BITS);
	cached(&run, 2, 0, 0);
	cached(&run, 0, 0, 0);
	f2(&run, 4, NO_BITS);
	run_ended(&run, "on mode3 1000 1002+ 1004 1006+ 1000 1002+ 1004 1006+ 1000 1002+ 1004 end");
	/* nothing is in entry 1, and a synchronisation empties them all */
	BEGIN_CACHE(&run, jumping, 2, 0x1000);
	f2(&run, 4, NO_BITS);
	cached(&run, 1, 0, 0);
	start(&run, 0x1004, 3, true);
	cached(&run, 2, 0, 0);
	run_end(&run, "on mode3 1000 1002+ 1004 gap1@1004 1004 gap1@1004 end");
}

/*
 * A target that was reached by falling in first is in the cache as soon as the next packet says
 * that it was jumped to; one that was not jumped to is not.
 */
static void jump_target_of_a_second_arrival(void **state)
{
	static const uint16_t code[] = {C_NOP, C_NOP, C_NOP, C_JR(A5), C_NOP};
	struct run run;

	(void)state;
	BEGIN_CACHE(&run, code, 3, 0x1000);
	f2(&run, 2, NO_BITS);
	cached(&run, 1, 0, 0);
	cached(&run, 1, 0, 0);
	run_end(&run, "on mode3 1000 1002 1004 1006+ 1002 1004 1006+ 1002 1004 1006+ 1002 end");
	BEGIN_CACHE(&run, code, 3, 0x1000);
	f2(&run, 2, NOTIFY);
	cached(&run, 1, 0, 0);
	run_end(&run, "on mode3 1000 1002 gap1@1002 end");
}

/* F0.1 is of a jump: falling in is not it, whatever comes next. */
static void cached_target_is_jumped_to(void **state)
{
	static const uint16_t code[] = {C_NOP, C_NOP, C_NOP, C_JR(A5), C_NOP};
	struct run run;

	(void)state;
	BEGIN_CACHE(&run, code, 3, 0x1004);
	f2(&run, -2, UPDISCON);
	f2(&run, -2, NO_BITS);
	cached(&run, 1, 0, 0);
	trap(&run, 7, true, true, 0x1008);
	run_end(&run, "on mode3 1004 1006+ 1002 1004 1006+ 1000 1002 1004 1006+ 1002 irq7@1004 "
		      "1008 end");
}

/* Branches and a cached target in one packet: 1000 beqz 1004; 1002 nop; 1004 jr a5 */
static void jump_target_with_branches(void **state)
{
	static const uint16_t code[] = {C_BEQZ(4), C_NOP, C_JR(A5)};
	struct run run;

	(void)state;
	BEGIN_CACHE(&run, code, 2, 0x1000);
	f1(&run, 0, 1, 0);
	cached(&run, 0, 1, 1);
	f2(&run, 4, NO_BITS);
	run_ended(&run, "on mode3 1000- 1002 1004+ 1000+ 1004+ 1000- 1002 1004+ end");
}

/* 1000 beqz 1004; 1002 j 1000; 1004 nop; 1006 jr a5 */
static const uint16_t predicting[] = {C_BEQZ(4), C_J(-2), C_NOP, C_JR(A5)};

static void predict(struct run *run)
{
	run->params.branch_prediction = true;
	run->params.bpred_size_p = 4;
}

static void begin_prediction(struct run *run)
{
	BEGIN(run, HWF_RISCV_V2, predicting);
	predict(run);
	start(run, 0x1000, 3, true);
}

static void counted(struct run *run, uint32_t correct, unsigned int fmt, int64_t difference)
{
	PUSH(run, HWF_RISCV_F0_COUNT,
	     {.count = {
		      .branch_count = correct - 31,
		      .branch_fmt = (uint8_t)fmt,
		      .address = {.value = field_of(run, (uint64_t)difference), .has = fmt != 0}}});
}

/* Not taken is what is predicted, 32 times; then the branch is taken, which the end shows. */
static void branches_counted(void **state)
{
	struct run run;
	char want[4096] = "on mode3 ";

	(void)state;
	begin_prediction(&run);
	counted(&run, 32, HWF_RISCV_COUNT_NO_ADDRESS, 0);
	repeat(want, sizeof(want), 33, "1000- 1002+ ");
	f2(&run, 4, NO_BITS);
	support(&run, HWF_RISCV_ENDED_REP);
	repeat(want, sizeof(want), 1, "1000+ 1004 end");
	run_end(&run, want);
}

/* With an address: of a branch predicted right, of one that failed, of no branch at all */
static void branches_counted_up_to_an_address(void **state)
{
	static const struct {
		unsigned int fmt;
		const char *end;
	} cases[] = {{HWF_RISCV_COUNT_ADDRESS, "1000- end"},
		     {HWF_RISCV_COUNT_ADDRESS_FAIL, "1000+ end"}};
	struct run run;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char want[4096] = "on mode3 ";
		const unsigned int before = i ? 31 : 30;

		begin_prediction(&run);
		counted(&run, 31, cases[i].fmt, 0);
		support(&run, HWF_RISCV_ENDED_REP);
		repeat(want, sizeof(want), before + 1, "1000- 1002+ ");
		repeat(want, sizeof(want), 1, cases[i].end);
		run_end(&run, want);
	}
}

/* The map is what happened, whatever was predicted, and the predictor learns from it. */
static void predictor_learns_from_maps(void **state)
{
	/* 1000 beqz 1000; 1002 nop; 1004 jr a5 */
	static const uint16_t code[] = {C_BEQZ(0), C_NOP, C_JR(A5)};
	struct run run;
	char want[4096] = "on mode3 ";

	(void)state;
	BEGIN(&run, HWF_RISCV_V2, code);
	predict(&run);
	start(&run, 0x1000, 3, false);
	/* 31 taken, and the one before: from then on taken is what is predicted */
	f1_full(&run, 0);
	counted(&run, 31, HWF_RISCV_COUNT_NO_ADDRESS, 0);
	f2(&run, 4, NO_BITS);
	support(&run, HWF_RISCV_ENDED_REP);
	repeat(want, sizeof(want), 1 + 31 + 31, "1000+ ");
	repeat(want, sizeof(want), 1, "1000- 1002 1004+ end");
	run_end(&run, want);
}

/* More than the caller allows is a gap, and costs no time. */
static void branch_limit(void **state)
{
	struct run run;

	(void)state;
	begin_prediction(&run);
	run.flow->branch_limit = 1000;
	counted(&run, 1001, HWF_RISCV_COUNT_NO_ADDRESS, 0);
	start(&run, 0x1004, 3, true);
	run_end(&run, "on mode3 1000- gap6@1000 1004 end");
}

/* 1000 auipc a5; 1004 jalr x0, 12(a5); 1008 nop; 100a nop; 100c nop */
static const uint16_t sequential[] = {AUIPC(A5), JALR(0, A5, 12), C_NOP, C_NOP, C_NOP};

static void begin_sequential(struct run *run, uint64_t address)
{
	BEGIN(run, HWF_RISCV_V2, sequential);
	run->params.sijump_p = 1;
	start(run, address, 3, true);
}

static void sequential_jump(void **state)
{
	struct run run;

	(void)state;
	begin_sequential(&run, 0x1000);
	start(&run, 0x100c, 3, true);
	run_end(&run, "on mode3 1000 1004+ 100c end");
	/* the instruction before the jump was not traced: it has to be told */
	begin_sequential(&run, 0x1004);
	f2(&run, 4, NO_BITS);
	run_ended(&run, "on mode3 1004+ 1008 end");
	/* nor was it executed before it, when a trap lies between them */
	begin_sequential(&run, 0x1000);
	f2(&run, 4, NO_BITS);
	trap(&run, 7, true, true, 0x1004);
	f2(&run, 4, NO_BITS);
	run_ended(&run, "on mode3 1000 1004+ irq7@100c 1004+ 1008 end");
	/* without the mode as well */
	START(&run, HWF_RISCV_V2, sequential, 0x1000);
	f2(&run, 8, NO_BITS);
	run_ended(&run, "on mode3 1000 1004+ 1008 end");
}

/* 1000 auipc a5; 1004 jalr rd, 12(a5). The draft has predictable jumps, but none with another rd.
 */
static void sequential_jump_of_the_draft(void **state)
{
	static const uint16_t to_x0[] = {AUIPC(A5), JALR(0, A5, 12), C_NOP, C_NOP, C_NOP};
	static const uint16_t to_x1[] = {AUIPC(A5), JALR(1, A5, 12), C_NOP, C_NOP, C_NOP};
	static const uint16_t to_x7[] = {AUIPC(A5), JALR(7, A5, 12), C_NOP, C_NOP, C_NOP};
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_DRAFT_026, to_x0);
	run.params.sijump_p = 1;
	start(&run, 0x1000, 3, true);
	start(&run, 0x100c, 3, true);
	run_end(&run, "on mode3 1000 1004+ 100c end");
	BEGIN(&run, HWF_RISCV_DRAFT_026, to_x1);
	run.params.sijump_p = 1;
	start(&run, 0x1000, 3, true);
	start(&run, 0x100c, 3, true);
	run_end(&run, "on mode3 1000 1004+ 100c end");
	BEGIN(&run, HWF_RISCV_DRAFT_026, to_x7);
	run.params.sijump_p = 1;
	start(&run, 0x1000, 3, true);
	f2(&run, 8, NO_BITS);
	run_ended(&run, "on mode3 1000 1004+ 1008 end");
}

/* jalr of x0 tells its target itself: 0x10 here; not so in the draft, Table 3.2 */
static void jump_by_x0(void **state)
{
	static const uint16_t code[] = {JALR(0, 0, 0x14), C_NOP, C_NOP};
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_V2, code);
	run.base = 0x10;
	start(&run, 0x10, 3, true);
	start(&run, 0x16, 3, true);
	run_end(&run, "on mode3 10+ 14 16 end");
	BEGIN(&run, HWF_RISCV_DRAFT_026, code);
	run.base = 0x10;
	start(&run, 0x10, 3, true);
	f2(&run, 6, NO_BITS);
	run_ended(&run, "on mode3 10+ 16 end");
}

/* The handler is not told; mtvec tells, for interrupts perhaps with the cause */
static void implicit_exception(void **state)
{
	static const uint16_t code[] = {C_NOP, C_NOP, C_NOP, C_NOP, C_NOP, C_NOP, C_NOP};
	struct run run;

	(void)state;
	BEGIN(&run, HWF_RISCV_V2, code);
	run.params.implicit_exception = true;
	run.params.tvec = 0x1004 | 1;
	start(&run, 0x1000, 3, true);
	trap(&run, 2, false, true, 0);
	trap(&run, 1, true, true, 0);
	run_end(&run, "on mode3 1000 exc2@1002 1004 irq1@1006 1008 end");
	/* one handler for all */
	BEGIN(&run, HWF_RISCV_V2, code);
	run.params.implicit_exception = true;
	run.params.tvec = 0x1004;
	start(&run, 0x1000, 3, true);
	trap(&run, 1, true, true, 0);
	run_end(&run, "on mode3 1000 irq1@1002 1004 end");
	/* not known: a gap, to the next synchronisation */
	BEGIN(&run, HWF_RISCV_V2, code);
	run.params.implicit_exception = true;
	start(&run, 0x1000, 3, true);
	trap(&run, 2, false, true, 0);
	f2(&run, 2, NO_BITS);
	start(&run, 0x1002, 3, true);
	run_end(&run, "on mode3 1000 exc2@1002 gap2@1000 1002 end");
}

/* After a gap nothing that only execution tells is taken for known: not before the next sync. */
static void gap_with_tables(void **state)
{
	struct run run;

	(void)state;
	BEGIN_CACHE(&run, jumping, 2, 0x1000);
	f2(&run, 0x1000, NO_BITS);
	f2(&run, -0x1000, NO_BITS);
	cached(&run, 0, 0, 0);
	start(&run, 0x1004, 3, true);
	run_end(&run, "on mode3 1000 1002+ gap0@2000 1004 end");
}

/* The support packet changes the modes, from there on. */
static void modes_change(void **state)
{
	struct run run;

	(void)state;
	START(&run, HWF_RISCV_V2, jumping, 0x1000);
	f2(&run, 4, NO_BITS);
	run.params.full_address = true;
	support(&run, HWF_RISCV_NO_CHANGE);
	f2(&run, 0x1000, NO_BITS);
	f2(&run, 0x1004, NO_BITS);
	run_ended(&run, "on mode3 1000 1002+ 1004 1006+ 1000 1002+ 1004 end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(predictor),
		cmocka_unit_test(return_stack_drops_the_oldest),
		cmocka_unit_test(implicit_return),
		cmocka_unit_test(mispredicted_return),
		cmocka_unit_test(depth_of_a_recursion),
		cmocka_unit_test(returns_of_a_recursion),
		cmocka_unit_test(second_arrival_by_a_return),
		cmocka_unit_test(two_calls_of_one_depth),
		cmocka_unit_test(trap_at_the_target_of_a_return),
		cmocka_unit_test(jump_targets),
		cmocka_unit_test(jump_target_of_a_second_arrival),
		cmocka_unit_test(cached_target_is_jumped_to),
		cmocka_unit_test(jump_target_with_branches),
		cmocka_unit_test(branches_counted),
		cmocka_unit_test(branches_counted_up_to_an_address),
		cmocka_unit_test(predictor_learns_from_maps),
		cmocka_unit_test(branch_limit),
		cmocka_unit_test(sequential_jump),
		cmocka_unit_test(sequential_jump_of_the_draft),
		cmocka_unit_test(jump_by_x0),
		cmocka_unit_test(implicit_exception),
		cmocka_unit_test(gap_with_tables),
		cmocka_unit_test(modes_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
