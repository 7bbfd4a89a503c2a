// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel removes the events of a CPU that goes offline, and does not restore them when the CPU
 * comes back. It tells nothing of that to who opened them, but sends a message to all that listen
 * to changes of devices.
 */
#include "hotplug.h"

#include <perf/cpumap.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/print.h"
#include "recorder.h"

void record_hotplug_read(int fd, struct recorder *recorder)
{
	struct machine_cpus *absent = &recorder->totals.absent;
	char message[4096];
	ssize_t length;

	while ((length = recv(fd, message, sizeof(message) - 1, 0)) > 0) {
		struct perf_cpu cpu;

		message[length] = '\0';
		if (sscanf(message, "offline@/devices/system/cpu/cpu%d", &cpu.cpu) != 1 ||
		    cpu.cpu < 0 || !perf_cpu_map__has(recorder->target.cpus, cpu) ||
		    machine_cpus_has(absent, (unsigned int)cpu.cpu))
			continue;
		machine_cpus_add(absent, (unsigned int)cpu.cpu);
		print(stderr,
		      "hwflow record: CPU %d went offline: it is not recorded from here on, even "
		      "if it comes back, and the code of programs that begin on it then is not "
		      "known; begin another recording then\n",
		      cpu.cpu);
	}
}
