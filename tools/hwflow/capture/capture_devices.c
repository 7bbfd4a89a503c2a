// SPDX-License-Identifier: GPL-2.0-only
/* The devices of a capture. */
#include "base/error.h"
#include "capture_devices.h"

#include <stdlib.h>
#include <string.h>

void capture_devices_free(struct capture_devices *devices)
{
	for (size_t i = 0; i < devices->count; i++)
		ini_free(&devices->items[i].ini);
	free(devices->by_name);
	free(devices->items);
}

const char *capture_device_get(const struct capture_device *device, const char *key)
{
	return ini_get(&device->ini, "device", key);
}

/* By name; of two devices with one name, the first one of the list is used. */
static int compare_devices(const void *a, const void *b)
{
	const struct capture_device *x = *(struct capture_device *const *)a,
				    *y = *(struct capture_device *const *)b;
	const int order = strcmp(x->name, y->name);

	return order ? order : (x > y) - (x < y);
}

/* Devices without a name, and with that of another one, are not found. */
static int sort(struct capture_files *files, struct capture_devices *devices)
{
	size_t count = 0, kept = 0;

	devices->by_name = calloc(devices->count + 1, sizeof(struct capture_device *));
	if (!devices->by_name)
		return EXIT_UNREADABLE;
	for (size_t i = 0; i < devices->count; i++) {
		struct capture_device *device = &devices->items[i];

		if (device->name)
			devices->by_name[count++] = device;
		else
			capture_note(files, "%s: [device] name= is missing; the device is left out",
				     device->file);
	}
	qsort(devices->by_name, count, sizeof(struct capture_device *), compare_devices);
	for (size_t i = 0; i < count; i++) {
		struct capture_device *device = devices->by_name[i];

		if (kept && !strcmp(devices->by_name[kept - 1]->name, device->name))
			capture_note(files, "%s: %s has this name too; the device is left out",
				     device->file, devices->by_name[kept - 1]->file);
		else
			devices->by_name[kept++] = device;
	}
	devices->named_count = kept;
	return 0;
}

int capture_devices_read(struct capture_files *files, const struct ini *top,
			 struct capture_devices *devices)
{
	const size_t list = ini_section(top, "device_list");

	devices->items = calloc(top->count + 1, sizeof(*devices->items));
	if (!devices->items)
		return EXIT_UNREADABLE;
	if (list == INI_NO_SECTION)
		capture_note(files, "snapshot.ini: [device_list] is missing: no device is known");
	for (size_t i = 0; i < top->count; i++) {
		struct capture_device *device = &devices->items[devices->count];
		bool again = false;

		if (list == INI_NO_SECTION || top->entries[i].number != list)
			continue;
		device->file = top->entries[i].value;
		if (capture_read_ini(files, device->file, &device->ini, &again))
			return EXIT_UNREADABLE;
		if (again)
			continue;
		devices->count++;
		device->name = ini_get(&device->ini, "device", "name");
	}
	return sort(files, devices);
}

const struct capture_device *capture_device_find(const struct capture_devices *devices,
						 const char *name)
{
	size_t from = 0, to = devices->named_count;

	while (from < to) {
		const size_t middle = from + (to - from) / 2;

		if (strcmp(devices->by_name[middle]->name, name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == devices->named_count || strcmp(devices->by_name[from]->name, name) != 0)
		return NULL;
	return devices->by_name[from];
}
