// SPDX-License-Identifier: GPL-2.0-only
/* hwflow list --json. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "list.h"

/*
 * Adds @value to @to, which owns it from here on. False if there is no memory for it; json-c has no
 * value then either.
 */
static bool add(struct json_object *to, const char *key, struct json_object *value)
{
	if (to && value && !json_object_object_add(to, key, value))
		return true;
	json_object_put(value);
	return false;
}

static bool append(struct json_object *to, struct json_object *value)
{
	if (to && value && !json_object_array_add(to, value))
		return true;
	json_object_put(value);
	return false;
}

static struct json_object *cpus_json(const struct machine_cpus *cpus)
{
	struct json_object *list = json_object_new_array();

	for (unsigned int cpu = 0; cpu < MACHINE_CPUS; cpu++)
		if (machine_cpus_has(cpus, cpu) && !append(list, json_object_new_int((int)cpu))) {
			json_object_put(list);
			return NULL;
		}
	return list;
}

static struct json_object *unit_json(const struct pmu *pmu, const struct pmu_unit *unit)
{
	struct json_object *object = json_object_new_object();
	const struct list_capability *capability;
	char text[64];
	bool added;

	pmu_unit_architecture(unit, text, sizeof(text));
	added = add(object, "cpus", cpus_json(&unit->cpus)) &&
		add(object, "architecture", json_object_new_string(text)) &&
		add(object, "timestamp_clock", json_object_new_string(list_time(pmu, unit)));
	for (size_t i = 0; added && (capability = list_capability(i)); i++) {
		const uint64_t value = list_value(capability, unit);

		added = add(object, capability->key,
			    capability->kind == FLAG ? json_object_new_boolean(value != 0)
						     : json_object_new_int64((int64_t)value));
	}
	if (added)
		return object;
	json_object_put(object);
	return NULL;
}

static struct json_object *option_json(const struct list_option *option)
{
	struct json_object *object = json_object_new_object();

	if (add(object, "name", json_object_new_string(option->name)) &&
	    add(object, "bits", json_object_new_string(option->bits)) &&
	    add(object, "text", json_object_new_string(option->text)) &&
	    add(object, "possible", json_object_new_boolean(!option->obstacle)) &&
	    (!option->obstacle ||
	     add(object, "obstacle", json_object_new_string(option->obstacle))))
		return object;
	json_object_put(object);
	return NULL;
}

static struct json_object *options_json(const struct machine *machine, const struct pmu *pmu)
{
	struct json_object *list = json_object_new_array();
	struct list_option option;
	bool added = true;
	char **names;
	size_t count;

	names = machine_names(machine, &count, PMU_DEVICES "/%s/format", pmu->name);
	for (size_t i = 0; i < count && added; i++) {
		list_option(machine, pmu, names[i], &option);
		added = append(list, option_json(&option));
	}
	free(names);
	if (added)
		return list;
	json_object_put(list);
	return NULL;
}

static struct json_object *units_json(const struct pmu *pmu)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < pmu->unit_count; i++)
		if (!append(list, unit_json(pmu, &pmu->units[i]))) {
			json_object_put(list);
			return NULL;
		}
	return list;
}

static struct json_object *pmu_json(const struct machine *machine, const struct pmu *pmu)
{
	struct json_object *object = json_object_new_object();
	struct machine_cpus cpus;
	char text[300];

	list_cpus(machine, pmu, &cpus);
	list_buffer(pmu, text, sizeof(text));
	if (add(object, "name", json_object_new_string(pmu->name)) &&
	    add(object, "type", json_object_new_int64(pmu->type)) &&
	    add(object, "driver",
		json_object_new_string(pmu->driver == PMU_OURS ? "arm_ete_pmu" : "coresight")) &&
	    add(object, "cpus", cpus_json(&cpus)) &&
	    add(object, "buffer", json_object_new_string(text)) &&
	    add(object, "snapshots", json_object_new_boolean(true)) &&
	    add(object, "address_filters", json_object_new_int64(pmu->filters)) &&
	    add(object, "units", units_json(pmu)) &&
	    add(object, "options", options_json(machine, pmu)))
		return object;
	json_object_put(object);
	return NULL;
}

bool list_json(const struct machine *machine, const struct pmu *pmus, size_t count)
{
	struct json_object *list = json_object_new_array();
	const char *text = NULL;
	bool added = true;

	for (size_t i = 0; i < count && added; i++)
		added = append(list, pmu_json(machine, &pmus[i]));
	if (added)
		text = json_object_to_json_string_ext(list, JSON_C_TO_STRING_PRETTY);
	if (text)
		puts(text);
	json_object_put(list);
	return text != NULL;
}
