/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The driver's data of a perf event.
 */
#ifndef _ETE_EVENT_H
#define _ETE_EVENT_H

#include <linux/perf_event.h>

#include "ete_config.h"

/**
 * struct ete_event - the driver's data of a perf event
 * @image: register values of the event
 * @request: the request that @image was computed from
 * @missed: execution was not traced that should have been; the next record is flagged PARTIAL
 * @reported: a record already reports @missed
 */
struct ete_event {
	struct ete_image image;
	struct ete_request request;
	bool missed;
	bool reported;
};

static inline struct ete_event *ete_event_of(const struct perf_event *event)
{
	return event->pmu_private;
}

#endif /* _ETE_EVENT_H */
