// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a trace unit does with the driver's register values: a model of ViewInst, of the counters
 * and of the sequencer, made from the rules of D4.5 and D4.6, looks at nothing but the values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "ete_test.h"

/* Cycles from a counter or the sequencer to what it selects: what the architecture leaves open */
#define MOST_LATENCY	3

/**
 * struct machine - a trace unit that runs
 * @image: its registers
 * @counter: values of the counters
 * @sequencer: its state
 * @active: counters at zero, and in bits 7:4 the sequencer's states, in this cycle and those before
 * @latency: the cycle that is looked at is so many before this one
 * @started: of the start/stop function
 */
struct machine {
	const struct ete_image *image;
	u64 counter[4];
	unsigned int sequencer;
	u64 active[MOST_LATENCY + 1];
	unsigned int latency;
	bool started;
};

static void machine_start(struct machine *m, const struct ete_image *image, unsigned int latency)
{
	unsigned int n;

	*m = (struct machine) { .image = image, .latency = latency };
	for (n = 0; n < 4; n++)
		m->counter[n] = image->value[ETE_TRCCNTVR + n];
	m->sequencer = (unsigned int)image->value[ETE_TRCSEQSTR];
	for (n = 0; n <= MOST_LATENCY; n++)
		m->active[n] = BIT_ULL(4 + m->sequencer);
	m->started = image->value[ETE_TRCVICTLR] >> 9 & 1;
}

/* A single resource selector: never, always, or one of its resources; R_NRSGN, R_SXSQT, R_HVNQG */
static bool machine_event(const struct machine *m, u64 selector)
{
	u64 control;

	assert_true(selector < 10);
	if (selector < 2)
		return selector;
	control = m->image->value[ETE_TRCRSCTLR + selector - 2];
	return control >> 16 == 2 && m->active[m->latency] & control & 0xffff;
}

/* One counter in one cycle; true while it counts as at zero. R_SBQPN, R_HYLGG, R_YLYPH, R_VGJNL */
static bool machine_count(struct machine *m, unsigned int n)
{
	u64 control = m->image->value[ETE_TRCCNTCTLR + n];
	bool counts = in_set(m->image->used, ETE_TRCCNTCTLR + n) &&
		      machine_event(m, control & 255);
	bool again = counts && control >> 16 & 1 && !m->counter[n];

	assert_int_equal(control >> 8 & 255, 0);
	if (again)
		m->counter[n] = m->image->value[ETE_TRCCNTRLDVR + n];
	else if (counts && m->counter[n])
		m->counter[n]--;
	return control >> 16 & 1 ? again : !m->counter[n];
}

/* R_JDPYL, R_NPVRQ: one step forward, or else one back */
static void machine_sequence(struct machine *m)
{
	const u64 *events = &m->image->value[ETE_TRCSEQEVR];

	if (m->sequencer < 3 && machine_event(m, events[m->sequencer] & 255))
		m->sequencer++;
	else if (m->sequencer && machine_event(m, events[m->sequencer - 1] >> 8))
		m->sequencer--;
}

static void machine_cycle(struct machine *m)
{
	u64 active = 0;
	unsigned int n;

	for (n = 0; n < 4; n++)
		active |= machine_count(m, n) ? BIT_ULL(n) : 0;
	machine_sequence(m);
	active |= BIT_ULL(4 + m->sequencer);
	memmove(&m->active[1], &m->active[0], MOST_LATENCY * sizeof(m->active[0]));
	m->active[0] = active;
}

/* ---- strobing and timestamps ---- */

/*
 * Trace is on for as long as was asked and off for as long as was asked, again and again. It takes
 * some cycles for a state to be seen: these come to the first times, and to times as short as they
 * are.
 */
static void check_strobe(unsigned int on, unsigned int off, unsigned int latency)
{
	struct ete_request request = request_user(TIMESTAMP, STROBE(on, off));
	struct ete_caps caps = ete_full;
	struct ete_image image;
	unsigned int run = 0, runs = 0, cycle, few = 2 * latency + 1;
	bool last = true, exact = on > few + 1 && off > few + 1;
	struct machine m;

	/* the fewest counters that will do */
	caps_set(&caps, 16, 2);
	image = image_of(&request, &caps);
	machine_start(&m, &image, latency);
	for (cycle = 0; runs < 8; cycle++) {
		bool view = machine_event(&m, image.value[ETE_TRCVICTLR] & 255);
		unsigned int time = last ? on : off;

		assert_true(cycle < 10 * (on + off + few));
		machine_cycle(&m);
		if (view != last) {
			assert_in_range(run, time, time + (runs > 1 && exact ? 0 : few));
			last = view;
			run = 0;
			runs++;
		}
		run++;
	}
}

static void strobing_is_on_and_off_for_as_long_as_was_asked(void **state)
{
	static const unsigned int times[] = { 1, 2, 3, 4, 5, 7, 10, 100, 1000, 65535 };
	unsigned int on, off, latency;

	for (latency = 0; latency <= MOST_LATENCY; latency++)
		for (on = 0; on < ARRAY_SIZE(times); on++)
			for (off = 0; off < ARRAY_SIZE(times); off++)
				check_strobe(times[on], times[off], latency);
}

static void check_timestamps(u64 config, unsigned int interval)
{
	struct ete_request request = request_user(config, STROBE(100, 100));
	struct ete_image image = image_of(&request, &ete_full);
	unsigned int cycle, last = 0, count = 0;
	struct machine m;

	machine_start(&m, &image, 1);
	for (cycle = 0; cycle < 100000; cycle++) {
		if (machine_event(&m, image.value[ETE_TRCTSCTLR])) {
			if (count++)
				assert_int_equal(cycle - last, interval);
			last = cycle;
		}
		machine_cycle(&m);
	}
	/* the event is seen one cycle later */
	assert_int_equal(count, (100000 - 1) / interval);
}

static void timestamps_come_at_the_interval_of_their_level(void **state)
{
	unsigned int level;

	check_timestamps(TIMESTAMP, 4096);
	check_timestamps(TIMESTAMP_LEVEL(1), 4096);
	for (level = 2; level < ARM_ETE_PMU_TIMESTAMP_SYNC; level++)
		check_timestamps(TIMESTAMP_LEVEL(level), 1u << (level - 1));
}

/* ---- filters ---- */

/* A single address comparator matches in all exception levels and contexts */
static bool machine_matches(const struct machine *m, unsigned int n, u64 pc)
{
	assert_true(in_set(m->image->used, ETE_TRCACVR + n));
	assert_true(in_set(m->image->used, ETE_TRCACATR + n));
	assert_int_equal(m->image->value[ETE_TRCACATR + n], 0);
	return m->image->value[ETE_TRCACVR + n] == pc;
}

/* R_MVDJT, R_CDFBP: a start point is in, and so is a stop point, but nothing behind it */
static bool machine_starts(struct machine *m, u64 pc)
{
	u64 points = m->image->value[ETE_TRCVISSCTLR], last = 0;
	unsigned int n;
	bool now;

	for (n = 0; n < 16; n++) {
		if (!((points >> n | points >> (16 + n)) & 1))
			continue;
		/* R_SFXZB */
		assert_true(m->image->value[ETE_TRCACVR + n] >= last);
		last = m->image->value[ETE_TRCACVR + n];
		if (points >> n & 1 && machine_matches(m, n, pc))
			m->started = true;
	}
	now = m->started;
	for (n = 0; n < 16; n++)
		if (points >> (16 + n) & 1 && machine_matches(m, n, pc))
			m->started = false;
	return now;
}

/* R_LLQPL: both bounds are in */
static bool machine_includes(const struct machine *m, u64 pc)
{
	u64 ranges = m->image->value[ETE_TRCVIIECTLR];
	unsigned int n;
	bool in = !ranges;

	assert_int_equal(ranges & ~0xffULL, 0);
	for (n = 0; n < 8; n++) {
		if (!(ranges >> n & 1))
			continue;
		machine_matches(m, 2 * n, pc);
		machine_matches(m, 2 * n + 1, pc);
		assert_true(m->image->value[ETE_TRCACVR + 2 * n] <=
			    m->image->value[ETE_TRCACVR + 2 * n + 1]);
		in |= pc >= m->image->value[ETE_TRCACVR + 2 * n] &&
		      pc <= m->image->value[ETE_TRCACVR + 2 * n + 1];
	}
	return in;
}

/* R_GQFSB: an instruction at EL0 */
static bool machine_views(struct machine *m, u64 pc)
{
	u64 view = m->image->value[ETE_TRCVICTLR];
	bool started = machine_starts(m, pc);

	return machine_event(m, view & 255) && !(view >> 20 & 1) && started &&
	       machine_includes(m, pc);
}

/* Some filters cannot be: a range without a byte, an address to begin and to cease at */
static bool is_nothing(const struct ete_request *request, unsigned int n)
{
	const struct ete_filter *filter = &request->filters[n];
	unsigned int i;

	if (!filter->mapped || (filter->kind == ETE_FILTER_RANGE && !filter->size))
		return true;
	for (i = 0; i < request->nr_filters; i++)
		if (request->filters[i].mapped && request->filters[i].start == filter->start &&
		    ((request->filters[i].kind == ETE_FILTER_START &&
		      filter->kind == ETE_FILTER_STOP) ||
		     (request->filters[i].kind == ETE_FILTER_STOP &&
		      filter->kind == ETE_FILTER_START)))
			return true;
	return false;
}

/* A filter that is mapped cannot be */
static bool contradicted(const struct ete_request *request)
{
	unsigned int n;

	for (n = 0; n < request->nr_filters; n++)
		if (request->filters[n].mapped && is_nothing(request, n))
			return true;
	return false;
}

/*
 * What is asked for, in words: within one of the ranges, if there are any, and from a start point
 * to a stop point, if there are any. Where there are stop points alone, trace is on at first. While
 * filters contradict each other, nothing is traced.
 */
static bool wanted(const struct ete_request *request, u64 pc, bool *started)
{
	bool range = false, in = false, ends = false;
	unsigned int n;

	for (n = 0; n < request->nr_filters; n++) {
		const struct ete_filter *filter = &request->filters[n];
		bool is = !is_nothing(request, n), here = is && filter->start == pc;

		if (filter->kind == ETE_FILTER_RANGE) {
			range = true;
			in |= is && pc - filter->start < filter->size;
		} else if (filter->kind == ETE_FILTER_START) {
			*started |= here;
		} else {
			ends |= here;
		}
	}
	in = (in || !range) && *started && !contradicted(request);
	*started &= !ends;
	return in;
}

static bool wanted_at_first(const struct ete_request *request)
{
	unsigned int n;

	for (n = 0; n < request->nr_filters; n++)
		if (request->filters[n].kind == ETE_FILTER_START)
			return false;
	return true;
}

/* Some program, and while it runs what is mapped of the filters changes now and then */
static void follow(struct ete_request *request, struct ete_image *image)
{
	bool started = wanted_at_first(request);
	struct machine m;
	unsigned int i;

	machine_start(&m, image, 0);
	for (i = 0; i < 400; i++) {
		u64 pc = 4 * any(50);

		assert_int_equal(image->contradicted, contradicted(request));
		assert_int_equal(machine_views(&m, pc), wanted(request, pc, &started));
		if (any(50))
			continue;
		/* as ete_unit_disable() keeps it */
		if (image->start_stop) {
			image->value[ETE_TRCVICTLR] &= ~BIT_ULL(9);
			image->value[ETE_TRCVICTLR] |= m.started ? BIT_ULL(9) : 0;
		}
		if (request->nr_filters)
			request->filters[any(request->nr_filters)].mapped ^= 1;
		ete_config_image(request, &ete_full, image);
		machine_start(&m, image, 0);
	}
}

static void filters_let_through_what_was_asked_for(void **state)
{
	unsigned int i, faults = 0;

	for (i = 0; i < 4000; i++) {
		struct ete_request request = request_any();
		struct ete_image image = {};
		const char *reason = NULL;
		bool fault = contradicted(&request);

		request.config = 0;
		request.config1 = 0;
		request.config3 = 0;
		request.user = true;
		assert_int_equal(!ete_config_check(&request, &ete_full, &reason), !fault);
		assert_int_equal(!reason, !fault);
		faults += fault;
		ete_config_image(&request, &ete_full, &image);
		follow(&request, &image);
	}
	assert_in_range(faults, 100, 3000);
}

/* Where there are no selectors EVENT is always, and where nothing is mapped there is nothing yet */
static void nothing_is_traced_of_what_is_not_mapped(void **state)
{
	struct ete_request request = request_user(0, 0);
	struct ete_caps caps = ete_full;
	struct ete_image image;

	request.kernel = true;
	request.nr_filters = 1;
	caps.idr[4] &= ~0x000f0000U;
	image = image_of(&request, &caps);
	assert_int_equal(image.value[ETE_TRCVICTLR] & 255, 1);
	assert_int_equal(image.value[ETE_TRCVICTLR] >> 20 & 7, 7);
	request.kernel_at_el2 = true;
	image = image_of(&request, &caps);
	assert_int_equal(image.value[ETE_TRCVICTLR] >> 20 & 7, 7);
}

/* With start and stop points the status is what the trace unit makes it; else it is programmed */
static void the_start_stop_status_is_kept(void **state)
{
	static const struct {
		enum ete_filter_kind kind;
		bool kept, first;
	} rows[] = {
		{ ETE_FILTER_RANGE, false, true },
		{ ETE_FILTER_START, true, false },
		{ ETE_FILTER_STOP, true, true },
	};
	unsigned int i, mapped;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (mapped = 0; mapped < 2; mapped++) {
			struct ete_request request = request_user(0, 0);
			struct ete_image image;

			request.nr_filters = 1;
			request.filters[0] = (struct ete_filter) {
				.kind = rows[i].kind, .mapped = mapped, .start = 0x40, .size = 4,
			};
			/* of an earlier list of filters: not one of the event's any more */
			request.filters[1].kind = ETE_FILTER_START;
			image = image_of(&request, &ete_full);
			assert_int_equal(image.start_stop, rows[i].kept);
			assert_int_equal(in_set(image.changing, ETE_TRCVICTLR), rows[i].kept);
			assert_int_equal(image.value[ETE_TRCVICTLR] >> 9 & 1, rows[i].first);
			image.value[ETE_TRCVICTLR] ^= BIT_ULL(9);
			ete_config_image(&request, &ete_full, &image);
			assert_int_equal(image.value[ETE_TRCVICTLR] >> 9 & 1,
					 rows[i].first ^ rows[i].kept);
			/* without filters it is programmed, whatever it was */
			request.nr_filters = 0;
			image.value[ETE_TRCVICTLR] &= ~BIT_ULL(9);
			ete_config_image(&request, &ete_full, &image);
			assert_int_equal(image.value[ETE_TRCVICTLR] >> 9 & 1, 1);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strobing_is_on_and_off_for_as_long_as_was_asked),
		cmocka_unit_test(timestamps_come_at_the_interval_of_their_level),
		cmocka_unit_test(filters_let_through_what_was_asked_for),
		cmocka_unit_test(nothing_is_traced_of_what_is_not_mapped),
		cmocka_unit_test(the_start_stop_status_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
