/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of an event as text, as in cs_etm/OPTION=VALUE,.../. */
#ifndef HWFLOW_RECORD_PMU_TERMS_H
#define HWFLOW_RECORD_PMU_TERMS_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "doctor/machine_pmu.h"

/**
 * struct pmu_event - an event whose attributes are being set
 * @machine: the machine, whose sysfs gives the bits of each option
 * @pmu: name of the PMU
 * @attr: config, config1, config2 and config3 receive the values
 */
struct pmu_event {
	const struct machine *machine;
	const char *pmu;
	struct perf_event_attr *attr;
};

/**
 * pmu_terms_set() - set the fields of an event
 * @event: the event
 * @terms: NAME=VALUE or NAME (which is NAME=1), separated by commas; "@SINK" names a trace buffer
 *	of the in-tree driver; may be empty
 * @message: receives the reason of an error, with the remedy
 * @size: bytes of @message
 *
 * The directory "format" of the PMU names the fields and gives their bits.
 *
 * Return: 0 or -EINVAL.
 */
int pmu_terms_set(const struct pmu_event *event, const char *terms, char *message, size_t size);

#endif /* HWFLOW_RECORD_PMU_TERMS_H */
