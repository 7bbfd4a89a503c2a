/* SPDX-License-Identifier: GPL-2.0-only */
/* The devices of a capture, cores and trace units: the .ini files that snapshot.ini lists. */
#ifndef HWFLOW_CAPTURE_DEVICES_H
#define HWFLOW_CAPTURE_DEVICES_H

#include <stddef.h>

#include "capture_files.h"

/**
 * struct capture_device - a core or a trace unit
 * @ini: its file
 * @file: name of the file
 * @name: of the device; NULL: it has none
 */
struct capture_device {
	struct ini ini;
	const char *file;
	const char *name;
};

/**
 * struct capture_devices - all devices
 * @items: in the order of snapshot.ini
 * @count: how many
 * @by_name: those with a name, sorted by it, each name once
 * @named_count: how many
 */
struct capture_devices {
	struct capture_device *items;
	size_t count;
	struct capture_device **by_name;
	size_t named_count;
};

/**
 * capture_devices_read() - read the files of all devices
 * @files: the capture's
 * @top: snapshot.ini, which outlives the devices
 * @devices: receives them; capture_devices_free() frees them, after an error too
 *
 * Return: 0, or EXIT_UNREADABLE.
 */
int capture_devices_read(struct capture_files *files, const struct ini *top,
			 struct capture_devices *devices);

/** capture_devices_free() - free all devices */
void capture_devices_free(struct capture_devices *devices);

/** capture_device_find() - the device of a name; NULL if there is none */
const struct capture_device *capture_device_find(const struct capture_devices *devices,
						 const char *name);

/** capture_device_get() - a value of its section [device]; NULL if it is missing */
const char *capture_device_get(const struct capture_device *device, const char *key);

#endif /* HWFLOW_CAPTURE_DEVICES_H */
