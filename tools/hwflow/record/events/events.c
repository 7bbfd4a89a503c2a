// SPDX-License-Identifier: GPL-2.0-only
#include "events.h"

#include <linux/arm_ete_pmu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/error.h"
#include "pmu_terms.h"
#include "record/trigger/trigger_events.h"
#include "source/input.h"
#include "tracepoint.h"

/* samples a second of an event that counts, unless its period is given */
#define DEFAULT_FREQUENCY 4000

/* nanoseconds on a CPU after which a thread tells its cgroup */
#define CGROUP_PERIOD 100000000

/* events that every kernel names alike */
static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} generic_events[] = {
	{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
};

uint32_t record_events_trcconfigr(uint64_t config)
{
	uint32_t trcconfigr = 0;

	if (config & ARM_ETE_PMU_MASK(branch_broadcast))
		trcconfigr |= ARM_ETE_PMU_TRCCONFIGR_BB;
	if (config & ARM_ETE_PMU_MASK(cycacc))
		trcconfigr |= ARM_ETE_PMU_TRCCONFIGR_CCI;
	if (config & ARM_ETE_PMU_MASK(contextid1))
		trcconfigr |= ARM_ETE_PMU_TRCCONFIGR_CID;
	if (config & ARM_ETE_PMU_MASK(contextid2))
		trcconfigr |= ARM_ETE_PMU_TRCCONFIGR_VMID | ARM_ETE_PMU_TRCCONFIGR_VMIDOPT;
	if (config & (ARM_ETE_PMU_MASK(timestamp) | ARM_ETE_PMU_MASK(deprecated_timestamp)))
		trcconfigr |= ARM_ETE_PMU_TRCCONFIGR_TS;
	if (config & ARM_ETE_PMU_MASK(retstack))
		trcconfigr |= ARM_ETE_PMU_TRCCONFIGR_RS;
	return trcconfigr;
}

/* Whether a list of terms sets a field */
static bool names_term(const char *terms, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = terms; *at; at += strcspn(at, ","), at += *at == ',') {
		if (!strncmp(at, name, length) && strchr("=,", at[length]))
			return true;
		/* contextid1 and contextid2 are contextid */
		if (!strncmp(at, name, length) && (at[length] == '1' || at[length] == '2'))
			return true;
	}
	return false;
}

/*
 * Whether records of an event have the CPU. With --per-thread perf finds trace differently: up to
 * 6.7 it takes a record with a CPU for one of a CPU's buffer; later versions want the CPU in the
 * PERF_RECORD_AUX_OUTPUT_HW_ID records, which kernels send from 6.4 on. Each kernel's own perf is
 * followed.
 */
static bool records_have_cpu(const struct record_options *options)
{
	unsigned int major = 0, minor = 0;
	struct utsname names;

	if (!options->per_thread)
		return true;
	if (uname(&names) || sscanf(names.release, "%u.%u", &major, &minor) != 2)
		return true;
	return major > 6 || (major == 6 && minor >= 4);
}

/* Set the fields that all events of a recording share, so that a reader can order their records. */
static void set_common(struct perf_event_attr *attr, const struct record_target *target,
		       const struct record_options *options, bool by_time)
{
	attr->sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	if (records_have_cpu(options))
		attr->sample_type |= PERF_SAMPLE_CPU;
	if (by_time)
		attr->sample_type |= PERF_SAMPLE_TIME;
	attr->read_format = PERF_FORMAT_ID;
	attr->sample_id_all = 1;
	attr->exclude_guest = 1;
	attr->disabled = 1;
	attr->inherit = target->inherit;
	attr->enable_on_exec = options->command && !target->by_cpu && !options->delay;
}

/* Modifiers behind an event: u, k and h select exception levels; G and H are accepted */
static bool set_modifiers(struct perf_event_attr *attr, const char *modifiers)
{
	bool user = strchr(modifiers, 'u') != NULL;
	bool kernel = strchr(modifiers, 'k') != NULL;
	bool hypervisor = strchr(modifiers, 'h') != NULL;

	if (modifiers[strspn(modifiers, "ukhGH")])
		return false;
	if (user || kernel || hypervisor) {
		attr->exclude_user = !user;
		attr->exclude_kernel = !kernel;
		attr->exclude_hv = !hypervisor;
	}
	return true;
}

static int bad_spec(const char *spec, const char *reason)
{
	verb_error("-e %s: %s", spec, reason);
	return EXIT_USAGE;
}

/**
 * struct spec - an argument of -e: PMU/TERMS/MODIFIERS or NAME:MODIFIERS
 * @name: the PMU or the event
 * @terms: text between the slashes, or NULL
 * @modifiers: text at the end, may be empty
 */
struct spec {
	char name[256];
	char *terms;
	const char *modifiers;
};

static bool split_spec(struct spec *spec, const char *text)
{
	char *slash, *end;

	if (snprintf(spec->name, sizeof(spec->name), "%s", text) >= (int)sizeof(spec->name))
		return false;
	spec->terms = NULL;
	spec->modifiers = "";
	slash = strchr(spec->name, '/');
	if (!slash)
		return true;
	*slash = '\0';
	spec->terms = slash + 1;
	end = strchr(spec->terms, '/');
	if (!end)
		return false;
	*end = '\0';
	spec->modifiers = end + 1;
	if (*spec->modifiers == ':')
		spec->modifiers++;
	return true;
}

/* A trace event: the PMU's name, alone or with slashes */
static bool is_trace(const struct record_events *events, const char *text)
{
	const size_t length = strlen(events->pmu.name);

	return !strncmp(text, events->pmu.name, length) && strchr("/:", text[length]);
}

static int add_term(const struct record_events *events, struct perf_event_attr *attr,
		    const char *option, const char *terms)
{
	const struct pmu_event event = {&events->machine, events->pmu.name, attr};
	char message[256];

	if (!pmu_terms_set(&event, terms, message, sizeof(message)))
		return 0;
	verb_error("%s: %s", option, message);
	return EXIT_USAGE;
}

/* Options of the command line that set fields of the trace event */
static int set_trace_options(const struct record_events *events, struct perf_event_attr *attr,
			     const struct record_options *options,
			     const struct record_target *target, const char *terms)
{
	int status = 0;

	if (options->cycles)
		status = add_term(events, attr, "--cycles", "cycacc");
	if (!status && options->strobe_on) {
		char text[64];

		snprintf(text, sizeof(text), "strobe_on=%u,strobe_off=%u", options->strobe_on,
			 options->strobe_off);
		status = add_term(events, attr, "--strobe", text);
	}
	/* a ring of a CPU: times and identifiers tell the threads apart */
	if (!status && events->by_time && !names_term(terms, "timestamp"))
		status = add_term(events, attr, "--timestamps", "timestamp");
	if (!status && (target->by_cpu || !options->per_thread) && !names_term(terms, "contextid"))
		status = add_term(events, attr, "contextid", "contextid");
	return status;
}

static int find_trace(struct record_events *events, const struct record_options *options,
		      const struct record_target *target)
{
	struct record_event *event = &events->list[RECORD_TRACE];
	struct perf_event_attr *attr = &event->attr;
	struct spec spec = {.modifiers = ""};
	int status = 0;

	for (size_t i = 0; i < options->event_count; i++) {
		if (!is_trace(events, options->events[i]))
			continue;
		if (event->spec)
			return bad_spec(options->events[i], "a recording has one trace event only");
		event->spec = options->events[i];
		event->filter = options->filters[i];
	}
	attr->type = events->pmu.type;
	attr->sample_period = 1;
	snprintf(event->name, sizeof(event->name), "%s",
		 event->spec ? event->spec : events->pmu.name);
	if (event->spec && !split_spec(&spec, event->spec))
		return bad_spec(event->spec, "PMU/OPTION=VALUE,.../MODIFIERS expected");
	if (!spec.terms)
		spec.terms = spec.name + strlen(spec.name);
	status = add_term(events, attr, event->spec ? event->spec : "-e", spec.terms);
	if (!status)
		status = set_trace_options(events, attr, options, target, spec.terms);
	if (status)
		return status;
	/* without -e the code of programs only, unless --kernel is given */
	if (!event->spec || options->user || options->kernel) {
		attr->exclude_kernel = attr->exclude_hv = !options->kernel;
		attr->exclude_user = options->kernel && !options->user;
	}
	if (!set_modifiers(attr, spec.modifiers))
		return bad_spec(event->spec, "the modifiers are u (programs) and k (kernel)");
	return 0;
}

/* Records of mappings, threads, switches and changes of the kernel's code, without samples */
static void make_tracking(struct record_events *events)
{
	struct record_event *event = &events->list[RECORD_TRACKING];
	struct perf_event_attr *attr = &event->attr;

	snprintf(event->name, sizeof(event->name), "dummy:u");
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_period = 1;
	attr->exclude_kernel = 1;
	attr->exclude_hv = 1;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->build_id = 1;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->context_switch = 1;
	attr->cgroup = 1;
	/* these have addresses of the kernel */
	if (machine_user_may_trace_kernel(&events->user)) {
		attr->ksymbol = 1;
		attr->bpf_event = 1;
		attr->text_poke = !events->list[RECORD_TRACE].attr.exclude_kernel;
	}
	attr->namespaces = events->user.perfmon;
}

/*
 * The kernel tells the cgroup of a thread in samples alone: here are those of a thread that leaves
 * a CPU, and of one that stays there for long.
 */
static void make_cgroups(struct record_events *events)
{
	static const struct {
		const char *name;
		uint64_t config;
		uint64_t period;
	} each[] = {
		{"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES, 1},
		{"cpu-clock", PERF_COUNT_SW_CPU_CLOCK, CGROUP_PERIOD},
	};

	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		struct record_event *event = &events->list[events->count++];

		snprintf(event->name, sizeof(event->name), "%s", each[i].name);
		event->attr.type = PERF_TYPE_SOFTWARE;
		event->attr.config = each[i].config;
		event->attr.sample_period = each[i].period;
		event->attr.sample_type = PERF_SAMPLE_CGROUP;
	}
}

static int find_other(const struct machine *machine, struct record_event *event, const char *text)
{
	struct perf_event_attr *attr = &event->attr;
	char message[256];
	struct spec spec = {.modifiers = ""};
	char *colon;

	event->spec = text;
	snprintf(event->name, sizeof(event->name), "%s", text);
	if (!split_spec(&spec, text))
		return bad_spec(text, "EVENT:MODIFIERS or PMU/OPTION=VALUE,.../MODIFIERS expected");
	attr->freq = 1;
	attr->sample_freq = DEFAULT_FREQUENCY;
	attr->sample_type = PERF_SAMPLE_PERIOD;
	if (spec.terms) {
		const struct pmu_event pmu_event = {machine, spec.name, attr};

		if (!pmu_type(machine, spec.name, &attr->type))
			return bad_spec(text,
					"this kernel has no such PMU; 'hwflow list' prints those "
					"that record program flow");
		if (pmu_terms_set(&pmu_event, spec.terms, message, sizeof(message)))
			return bad_spec(text, message);
		return set_modifiers(attr, spec.modifiers)
			       ? 0
			       : bad_spec(text, "the modifiers are u (programs) and k (kernel)");
	}
	colon = strchr(spec.name, ':');
	if (colon && tracepoint_find(spec.name, attr, message, sizeof(message)) == 0)
		return 0;
	if (colon)
		*colon = '\0';
	for (size_t i = 0; i < sizeof(generic_events) / sizeof(generic_events[0]); i++) {
		if (strcmp(spec.name, generic_events[i].name) != 0)
			continue;
		attr->type = generic_events[i].type;
		attr->config = generic_events[i].config;
		return set_modifiers(attr, colon ? colon + 1 : "")
			       ? 0
			       : bad_spec(text, "the modifiers are u (programs) and k (kernel)");
	}
	return bad_spec(text, colon ? message : "there is no such event");
}

/*
 * Older perfs refuse a file whose attributes are longer than those they know: perf 6.1 knows those
 * without config3. All attributes of a file have one size.
 */
static void set_size(struct record_events *events)
{
	uint32_t size = PERF_ATTR_SIZE_VER7;

	for (size_t i = 0; i < events->count; i++)
		if (events->list[i].attr.config3)
			size = PERF_ATTR_SIZE_VER8;
	for (size_t i = 0; i < events->count; i++)
		events->list[i].attr.size = size;
}

/* The breakpoints of a program that has not begun are enabled when their addresses are known. */
static int find_triggers(struct record_events *events, const struct record_options *options,
			 const struct record_target *target, struct record_trigger *trigger)
{
	size_t count;
	int status;

	events->triggers_at = events->count;
	status = record_trigger_events(trigger, options, target, &events->machine,
				       &events->list[events->count], &count);
	events->count += count;
	return status;
}

int record_events_find(struct record_events *events, const struct record_options *options,
		       const struct record_target *target, struct record_trigger *trigger)
{
	int status;

	/* the time of a trigger is reported, and latency() compares times */
	events->by_time =
		!options->per_thread || options->timestamps || trigger->kind != TRIGGER_NONE;
	status = find_trace(events, options, target);
	if (status)
		return status;
	if (record_events_trcconfigr(events->list[RECORD_TRACE].attr.config) &
	    ARM_ETE_PMU_TRCCONFIGR_TS)
		events->by_time = true;
	make_tracking(events);
	events->count = RECORD_OTHERS;
	for (size_t i = 0; !status && i < options->event_count; i++) {
		if (is_trace(events, options->events[i]))
			continue;
		events->list[events->count].filter = options->filters[i];
		status = find_other(&events->machine, &events->list[events->count++],
				    options->events[i]);
	}
	events->has_cgroups = options->all_cgroups;
	if (options->all_cgroups)
		make_cgroups(events);
	if (!status)
		status = find_triggers(events, options, target, trigger);
	for (size_t i = 0; !status && i < events->count; i++)
		set_common(&events->list[i].attr, target, options,
			   events->by_time || options->counter);
	/* programs begin while those that exist are listed, and before a delayed recording */
	if (target->by_cpu || options->delay)
		events->list[RECORD_TRACKING].attr.disabled = 0;
	if (status)
		return status;
	if (record_trigger_is_late(trigger, &events->list[events->triggers_at]))
		for (size_t i = events->triggers_at; i < events->count; i++)
			events->list[i].attr.enable_on_exec = 0;
	set_size(events);
	return 0;
}
