// SPDX-License-Identifier: GPL-2.0-only
/* Figures of a JSON report about the other driver, which are printed below those of this one. */
#include "hwcheck.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kselftest.h"

#define NUMBER_BYTES 64

/* A figure of the other report: where it is, and how it is printed */
struct figure {
	const char *section;
	const char *key;
	const char *label;
	const char *unit;
};

static const struct figure losses[] = {
	{ "losses", "lost_percent", "steps lost", "%" },
	{ "losses", "lost_bytes", "bytes lost", "" },
	{ "losses", "records", "AUX records", "" },
	{ "losses", "flagged", "of these with a loss reported", "" },
};

static const struct figure switches[] = {
	{ "switch", "traced_ns", "both switches with trace", "ns" },
	{ "switch", "cost_ns", "cost of trace", "ns" },
};

/* What is behind "KEY": on a line of report_json(), which may end with a comma */
static bool match_line(const char *line, const char *key, char *value, size_t size)
{
	const size_t length = strlen(key);

	line += strspn(line, " ");
	if (line[0] != '"' || strncmp(line + 1, key, length) || strncmp(line + 1 + length, "\": ", 3))
		return false;
	snprintf(value, size, "%s", line + length + 4);
	value[strcspn(value, "\n")] = '\0';
	if (*value && value[strlen(value) - 1] == ',')
		value[strlen(value) - 1] = '\0';
	return true;
}

/* The value of a key as it is in the report; false if the report has none */
static bool read_value(FILE *report, const char *section, const char *key, char *value, size_t size)
{
	char line[1024], word[NUMBER_BYTES];
	bool inside = false;

	rewind(report);
	while (fgets(line, sizeof(line), report)) {
		if (!strncmp(line, "    \"", 5))
			inside = match_line(line, section, word, sizeof(word));
		else if (inside && match_line(line, key, value, size))
			return true;
	}
	return false;
}

static const char *read_other(struct hwcheck *check, FILE *report)
{
	char value[NUMBER_BYTES], key[32], midr[32];
	const uint64_t here = hwcheck_number("/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", check->cpu);

	if (!read_value(report, "identity", "driver", value, sizeof(value)))
		return "it is no JSON report of hwflow-hwcheck";
	check->other_driver = !strcmp(value, "\"coresight\"") ? "coresight" : "arm_ete_pmu";
	if (!strcmp(check->other_driver, check->pmu.in_tree ? "coresight" : "arm_ete_pmu"))
		return "it is about the driver that is loaded now; give the report about the other one";
	snprintf(key, sizeof(key), "midr_%d", check->cpu);
	snprintf(midr, sizeof(midr), "\"%#" PRIx64 "\"", here);
	if (here != UINT64_MAX && read_value(report, "identity", key, value, sizeof(value)) &&
	    strcmp(value, midr))
		return "it is about another processor: MIDR_EL1 differs";
	if (!read_value(report, "identity", "cpu", value, sizeof(value)) || atoi(value) != check->cpu)
		return "it is about another CPU; give both runs the same --cpu";
	return NULL;
}

/**
 * hwcheck_compare_open() - open a report about the other driver on this machine
 * @check: remembers the report
 * @path: a file that --json wrote
 *
 * Return: NULL, or why the report cannot be compared.
 */
const char *hwcheck_compare_open(struct hwcheck *check, const char *path)
{
	const char *reason;

	check->other = fopen(path, "r");
	if (!check->other)
		return strerror(errno);
	reason = read_other(check, check->other);
	if (reason)
		hwcheck_compare_close(check);
	return reason;
}

static void add_figures(struct hwcheck *check, const struct figure *figures, size_t count)
{
	char value[NUMBER_BYTES], key[48], label[64];
	size_t i;

	for (i = 0; check->other && i < count; i++) {
		const struct figure *figure = &figures[i];

		snprintf(key, sizeof(key), "other_%s", figure->key);
		snprintf(label, sizeof(label), "%s: %s", check->other_driver, figure->label);
		if (!read_value(check->other, figure->section, figure->key, value, sizeof(value)))
			report_string(&check->report, key, label, "not measured");
		else if (strchr(value, '.'))
			report_real(&check->report, key, label, figure->unit, strtod(value, NULL));
		else
			report_uint(&check->report, key, label, figure->unit, strtoull(value, NULL, 10));
	}
}

/**
 * hwcheck_compare_losses() - add the other driver's losses to the section, or how to have them
 * @check: the machine
 */
void hwcheck_compare_losses(struct hwcheck *check)
{
	if (!check->other)
		report_string(&check->report, "other_driver", check->pmu.in_tree ? "arm_ete_pmu" : "coresight",
			      "not compared: run hwflow-hwcheck with each driver, the second time with --compare FILE");
	add_figures(check, losses, ARRAY_SIZE(losses));
}

/**
 * hwcheck_compare_switches() - add the other driver's cost of a context switch to the section
 * @check: the machine; without a report of the other driver nothing is added
 */
void hwcheck_compare_switches(struct hwcheck *check)
{
	add_figures(check, switches, ARRAY_SIZE(switches));
}

/**
 * hwcheck_compare_close() - close the report
 * @check: the machine, with or without a report
 */
void hwcheck_compare_close(struct hwcheck *check)
{
	if (check->other)
		fclose(check->other);
	check->other = NULL;
}
