// SPDX-License-Identifier: GPL-2.0-only
#include "perf_source.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "config.h"
#include "hwflow/etmv3.h"
#include "input_private.h"
#include "input_riscv.h"
#include "perfdata/perfdata_read.h"
#include "protocol.h"

/* struct unit_config - protocol of a trace unit, and what its function init() takes */
struct unit_config {
	const struct protocol *protocol;
	const void *config;
	struct hwf_etm3_regs etm3;
	struct input_riscv riscv;
};

static void read_etm3(struct hwf_etm3_regs *regs, const struct perfdata_etmv3_regs *unit)
{
	*regs = (struct hwf_etm3_regs){
		.etmcr = unit->etmcr,
		.etmidr = unit->etmidr,
		.etmccer = unit->etmccer,
		.etmtraceidr = unit->etmtraceidr,
	};
}

/* The parameters were checked when the file was opened. */
static void read_riscv(struct input_riscv *how, const struct perfdata_riscv *riscv)
{
	*how = (struct input_riscv){.framing = riscv->framing, .isa = riscv->isa, .number = -1};
	hwf_riscv_config_init(&how->config, (enum hwf_riscv_dialect)riscv->dialect, &riscv->params);
}

static void read_unit(struct unit_config *unit, const struct perfdata_cpu *cpu)
{
	switch (cpu->protocol) {
	case PERFDATA_ETMV3:
		unit->protocol = &protocol_etmv3;
		unit->config = &unit->etm3;
		read_etm3(&unit->etm3, &cpu->etmv3);
		break;
	case PERFDATA_RISCV:
		unit->protocol = &protocol_riscv;
		unit->config = &unit->riscv;
		read_riscv(&unit->riscv, &cpu->riscv);
		break;
	default:
		unit->protocol = cpu->protocol == PERFDATA_ETE ? &protocol_ete : &protocol_etmv4;
		unit->config = &cpu->regs;
		break;
	}
}

/* Is trace of both read in the same way? A thread's may be of CPUs of two kinds. */
static bool same_kind(const struct input_source *source, const struct unit_config *unit)
{
	return source->protocol == unit->protocol &&
	       (!unit->protocol->same || unit->protocol->same(source, unit->config));
}

/*
 * The source that a session, or one trace ID of a framed one, belongs to. In frames there may be
 * trace of other CPUs than the one that wrote them.
 */
struct input_source *perf_source(struct input *input, struct source_index *index,
				 const struct perfdata_session *session,
				 const struct perfdata_cpu *unit)
{
	const bool by_cpu = session->cpu != PERFDATA_ANY;
	const int32_t cpu = session->framed ? (int32_t)unit->cpu : session->cpu;
	const int32_t number = by_cpu ? cpu : session->tid;
	struct input_source *source;
	struct hwf_config_fault fault;
	struct unit_config config;
	const size_t *known;
	size_t count;
	char name[64];

	read_unit(&config, unit);
	known = source_index_get(index, by_cpu, number, &count);
	for (size_t i = 0; i < count; i++)
		if (same_kind(&input->sources[known[i]], &config))
			return &input->sources[known[i]];
	if (by_cpu)
		snprintf(name, sizeof(name), "cpu%" PRId32, cpu);
	else if (count)
		snprintf(name, sizeof(name), "tid%" PRId32 "-cpu%" PRIu32, session->tid, unit->cpu);
	else
		snprintf(name, sizeof(name), "tid%" PRId32, session->tid);
	source = input_add_source(input, name, input->path);
	if (!source || source_index_add(index, by_cpu, number, input->source_count - 1))
		return NULL;
	source->cpu = by_cpu ? cpu : INPUT_ANY;
	source->pid = by_cpu ? INPUT_ANY : session->pid;
	source->tid = by_cpu ? INPUT_ANY : session->tid;
	if (!config.protocol->init(source, config.config))
		return source;
	if (config.protocol->fault && config.protocol->fault(config.config, &fault)) {
		snprintf(name, sizeof(name), "CPU %" PRIu32, unit->cpu);
		input_error(input->path, session->at, "the registers of a trace unit:");
		config_print_fault(name, &fault);
	} else {
		input_error(input->path, session->at, "out of memory");
	}
	return NULL;
}
