// SPDX-License-Identifier: GPL-2.0-only
#include "pmu_terms.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* longest list of terms, and longest line of a file of sysfs */
#define TERMS_MAX      1024
#define LINE_MAX_BYTES 256

static int parse_number(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno || *end ? -EINVAL : 0;
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
static int put_sink(const struct pmu_event *event, const char *name, char *message, size_t size)
{
	uint64_t number;

	if (strchr(name, '/') || !machine_number(event->machine, &number,
						 PMU_DEVICES "/%s/sinks/%s", event->pmu, name)) {
		snprintf(message, size, "'@%s': %s has no such trace buffer; omit it", name,
			 event->pmu);
		return -EINVAL;
	}
	event->attr->config2 |= number;
	return 0;
}

static int put_term(const struct pmu_event *event, char *term, char *message, size_t size)
{
	char format[LINE_MAX_BYTES], *text = strchr(term, '=');
	uint64_t value = 1;
	int error;

	if (*term == '@')
		return put_sink(event, term + 1, message, size);
	if (text)
		*text++ = '\0';
	if (text && parse_number(text, &value)) {
		snprintf(message, size, "'%s=%s': the value is not a number", term, text);
		return -EINVAL;
	}
	if (strchr(term, '/') || !machine_word(event->machine, format, sizeof(format),
					       PMU_DEVICES "/%s/format/%s", event->pmu, term)) {
		snprintf(message, size, "'%s': %s has no such option; 'hwflow list' prints them",
			 term, event->pmu);
		return -EINVAL;
	}
	error = put_field(event->attr, format, value);
	if (error == -ERANGE)
		snprintf(message, size, "'%s=%s': the value is too large", term, text);
	else if (error)
		snprintf(message, size, "'%s': its format, %s, is not supported", term, format);
	return error ? -EINVAL : 0;
}

int pmu_terms_set(const struct pmu_event *event, const char *terms, char *message, size_t size)
{
	char copy[TERMS_MAX], *save = NULL;

	if (snprintf(copy, sizeof(copy), "%s", terms) >= (int)sizeof(copy)) {
		snprintf(message, size, "the list of options is too long");
		return -EINVAL;
	}
	for (char *term = strtok_r(copy, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		int error = put_term(event, term, message, size);

		if (error)
			return error;
	}
	return 0;
}
