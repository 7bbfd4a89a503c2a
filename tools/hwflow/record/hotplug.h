/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUs that go offline while they are recorded. */
#ifndef HWFLOW_RECORD_HOTPLUG_H
#define HWFLOW_RECORD_HOTPLUG_H

struct recorder;

/**
 * record_hotplug_read() - read the messages, and report recorded CPUs that went offline
 * @fd: of record_uevents_open()
 * @recorder: a recording of CPUs; its totals count them
 */
void record_hotplug_read(int fd, struct recorder *recorder);

#endif /* HWFLOW_RECORD_HOTPLUG_H */
