// SPDX-License-Identifier: GPL-2.0-only
/*
 * The place in a log where a stretch of trace fits, by a checksum that rolls over the log: a
 * polynomial of as many steps as the stretch has.
 */
#include "verify_log.h"

/* Of the polynomial: any odd number with no pattern will do. */
#define BASE UINT64_C(0x9e6c63d0676a9a99)

static uint64_t mix(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

static uint64_t of_instruction(uint64_t pc)
{
	return mix(pc);
}

/* No instruction is at an odd address. */
static uint64_t of_exception(unsigned int type, uint64_t ret)
{
	return mix(mix(ret) + 2 * (uint64_t)type + 1);
}

int verify_log_start(struct verify_log *log, const struct truth *truth, size_t index,
		     const struct window *window)
{
	int error;

	*log = (struct verify_log){.is_cpu = window != NULL};
	if (!window) {
		truth_reader_init(&log->reader, truth, index);
		return 0;
	}
	truth_reader_init_cpu(&log->reader, truth, index);
	error = window_part(&log->part, window, &log->reader);
	if (!error)
		truth_reader_init_cpu(&log->reader, truth, index);
	return error;
}

bool verify_log_advance(struct verify_log *log)
{
	while (!log->run.count && !log->have_event) {
		int more = truth_next(&log->reader, &log->event);

		if (more < 0)
			log->error = more;
		if (more <= 0)
			return false;
		if (log->is_cpu && !window_take(&log->part, &log->event))
			continue;
		if (log->event.kind == TRUTH_EVENT_RUN) {
			log->run = log->event.u.run;
			log->tid = truth_reader_thread(&log->reader);
		} else {
			log->have_event = log->event.kind == TRUTH_EVENT_EXCEPTION;
		}
	}
	return true;
}

uint64_t verify_log_step(struct verify_log *log)
{
	uint64_t pc = log->run.pc;

	log->passed++;
	if (log->have_event) {
		log->have_event = false;
		return of_exception(log->event.u.exception.type, log->event.u.exception.ret);
	}
	log->run.pc += truth_insn_size(&log->run, 0);
	log->run.opcodes++;
	log->run.count--;
	return of_instruction(pc);
}

void verify_stretch_add(struct verify_stretch *stretch, uint64_t step)
{
	stretch->sum = stretch->sum * BASE + step;
	stretch->steps++;
}

void verify_stretch_run(struct verify_stretch *stretch, uint64_t pc, uint32_t count)
{
	if (!stretch->steps && count)
		stretch->first = pc;
	for (; count; count--, pc += 4)
		verify_stretch_add(stretch, of_instruction(pc));
}

void verify_stretch_exception(struct verify_stretch *stretch, unsigned int type, uint64_t ret)
{
	verify_stretch_add(stretch, of_exception(type, ret));
}

bool verify_log_find(struct verify_log *log, const struct verify_stretch *stretch, uint64_t until,
		     uint64_t *instructions)
{
	struct verify_log first = *log;
	struct verify_log last = *log;
	struct verify_stretch window = {0};
	uint64_t passed = 0;
	uint64_t power = 1;

	for (; window.steps < stretch->steps; power *= BASE) {
		if (!verify_log_advance(&last))
			return false;
		verify_stretch_add(&window, verify_log_step(&last));
	}
	while (window.sum != stretch->sum) {
		if (last.passed >= until || !verify_log_advance(&last))
			return false;
		verify_stretch_add(&window, verify_log_step(&last));
		/* as many as there are in @window, so there is one */
		verify_log_advance(&first);
		passed += !first.have_event;
		window.sum -= power * verify_log_step(&first);
	}
	if (last.passed > until)
		return false;
	*log = first;
	*instructions += passed;
	return true;
}
