// SPDX-License-Identifier: GPL-2.0-only
#include "pmu.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PMU_DIRECTORY "/sys/bus/event_source/devices"

/* longest list of terms, and longest line of a file of sysfs */
#define TERMS_MAX      1024
#define LINE_MAX_BYTES 256

/* The first line of a file of the PMU, without its end. Returns 0 or a negative errno. */
static int read_line(const struct record_pmu *pmu, const char *path, char line[LINE_MAX_BYTES])
{
	char name[PATH_MAX];
	FILE *file;
	int error = 0;

	if (snprintf(name, sizeof(name), "%s/%s", pmu->directory, path) >= (int)sizeof(name))
		return -ENAMETOOLONG;
	line[0] = '\0';
	file = fopen(name, "re");
	if (!file)
		return errno ? -errno : -EIO;
	if (!fgets(line, LINE_MAX_BYTES, file))
		error = ferror(file) ? -EIO : -ENODATA;
	else
		line[strcspn(line, "\n")] = '\0';
	fclose(file);
	return error;
}

static int parse_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno || *end ? -EINVAL : 0;
}

int record_pmu_open(struct record_pmu *pmu, const char *name)
{
	char line[LINE_MAX_BYTES];
	uint64_t type;
	int error;

	if (!*name || strchr(name, '/') || *name == '.' || strlen(name) >= sizeof(pmu->name))
		return -ENOENT;
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	snprintf(pmu->directory, sizeof(pmu->directory), PMU_DIRECTORY "/%s", name);
	error = read_line(pmu, "type", line);
	if (error)
		return error;
	if (parse_number(line, &type) || type > UINT32_MAX)
		return -EINVAL;
	pmu->type = (uint32_t)type;
	return 0;
}

/* The word of the attribute that a format names; NULL for a word that this program does not know */
static __u64 *config_word(struct perf_event_attr *attr, const char *name)
{
	if (!strcmp(name, "config"))
		return (__u64 *)&attr->config;
	if (!strcmp(name, "config1"))
		return (__u64 *)&attr->config1;
	if (!strcmp(name, "config2"))
		return (__u64 *)&attr->config2;
#ifdef PERF_ATTR_SIZE_VER8
	if (!strcmp(name, "config3"))
		return (__u64 *)&attr->config3;
#endif
	return NULL;
}

/*
 * Put a value into the bits that a format gives: WORD:BITS, where BITS are numbers and ranges,
 * separated by commas, for the lowest bits of the value first.
 */
static int put_field(struct perf_event_attr *attr, char *format, uint64_t value)
{
	char *bits = strchr(format, ':'), *save = NULL, *part;
	__u64 *word;

	if (!bits)
		return -EINVAL;
	*bits++ = '\0';
	word = config_word(attr, format);
	if (!word)
		return -EINVAL;
	for (part = strtok_r(bits, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
		unsigned int low, high;
		int fields = sscanf(part, "%u-%u", &low, &high);
		uint64_t mask;

		if (fields < 1)
			return -EINVAL;
		if (fields < 2)
			high = low;
		if (high < low || high > 63)
			return -EINVAL;
		mask = UINT64_MAX >> (63 - (high - low));
		*word = (*word & ~(mask << low)) | (value & mask) << low;
		value = high - low == 63 ? 0 : value >> (high - low + 1);
	}
	return value ? -ERANGE : 0;
}

/* "@NAME" of the in-tree driver: the file sinks/NAME has the number that config2 takes. */
static int put_sink(const struct record_pmu *pmu, const char *name, struct perf_event_attr *attr,
		    char *message, size_t size)
{
	char path[PATH_MAX], line[LINE_MAX_BYTES];
	uint64_t number;

	snprintf(path, sizeof(path), "sinks/%.200s", name);
	if (strchr(name, '/') || read_line(pmu, path, line) || parse_number(line, &number)) {
		snprintf(message, size, "'@%s': %s has no such trace buffer; omit it", name,
			 pmu->name);
		return -EINVAL;
	}
	attr->config2 |= number;
	return 0;
}

static int put_term(const struct record_pmu *pmu, char *term, struct perf_event_attr *attr,
		    char *message, size_t size)
{
	char path[PATH_MAX], format[LINE_MAX_BYTES];
	char *text = strchr(term, '=');
	uint64_t value = 1;
	int error;

	if (*term == '@')
		return put_sink(pmu, term + 1, attr, message, size);
	if (text)
		*text++ = '\0';
	if (text && parse_number(text, &value)) {
		snprintf(message, size, "'%s=%s': the value is not a number", term, text);
		return -EINVAL;
	}
	snprintf(path, sizeof(path), "format/%.200s", term);
	if (strchr(term, '/') || read_line(pmu, path, format)) {
		snprintf(message, size, "'%s': %s has no such option; 'hwflow list' prints them",
			 term, pmu->name);
		return -EINVAL;
	}
	error = put_field(attr, format, value);
	if (error == -ERANGE)
		snprintf(message, size, "'%s=%s': the value is too large", term, text);
	else if (error)
		snprintf(message, size, "'%s': its format, %s, is not supported", term, format);
	return error ? -EINVAL : 0;
}

int record_pmu_terms(const struct record_pmu *pmu, const char *terms, struct perf_event_attr *attr,
		     char *message, size_t size)
{
	char copy[TERMS_MAX], *save = NULL;

	if (snprintf(copy, sizeof(copy), "%s", terms) >= (int)sizeof(copy)) {
		snprintf(message, size, "the list of options is too long");
		return -EINVAL;
	}
	for (char *term = strtok_r(copy, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		int error = put_term(pmu, term, attr, message, size);

		if (error)
			return error;
	}
	return 0;
}

int record_pmu_register(const struct record_pmu *pmu, int cpu, const char *path, uint64_t *value)
{
	char name[PATH_MAX], line[LINE_MAX_BYTES];
	int error;

	snprintf(name, sizeof(name), "cpu%d/%.200s", cpu, path);
	error = read_line(pmu, name, line);
	return error ? error : parse_number(line, value);
}
