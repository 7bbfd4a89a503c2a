/* SPDX-License-Identifier: GPL-2.0-only */
/* The report of hwflow-hwcheck: sections of values and findings, printed as text and as JSON. */
#ifndef ARM_ETE_HWCHECK_REPORT_H
#define ARM_ETE_HWCHECK_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct report_value - a value of a section
 * @key: its name in JSON
 * @label: its name in the text; NULL: it is in JSON only
 * @unit: printed behind it, or ""
 * @text: the value as text, as JSON has it
 * @string: @text is a string of JSON, in the text without quotation marks
 */
struct report_value {
	char key[48];
	char label[64];
	char unit[24];
	char text[256];
	bool string;
};

/**
 * struct report_finding - what differs from the architecture, or from what was expected
 * @id: its name in JSON
 * @text: a sentence or two
 * @count: how often it was found
 */
struct report_finding {
	char id[48];
	char text[512];
	uint64_t count;
};

/**
 * struct report_section - the answer to a question
 * @id: its name in JSON
 * @title: its heading in the text
 * @question: its number in Documentation/open-questions.rst, or ""
 * @verdict: one line
 * @values: what was measured
 * @value_count: number of @values
 * @findings: what was found
 * @finding_count: number of @findings
 */
struct report_section {
	char id[32];
	char title[96];
	char question[16];
	char verdict[256];
	struct report_value *values;
	size_t value_count;
	struct report_finding *findings;
	size_t finding_count;
};

/**
 * struct report - a report
 * @sections: in the order in which they are printed
 * @count: number of @sections
 */
struct report {
	struct report_section *sections;
	size_t count;
};

/** report_section() - begin a section; the functions below add to it */
void report_section(struct report *report, const char *id, const char *title, const char *question);

/** report_uint() - add a number; @label may be NULL */
void report_uint(struct report *report, const char *key, const char *label, const char *unit,
		 uint64_t value);

/** report_hex() - add a register, as a string of JSON */
void report_hex(struct report *report, const char *key, const char *label, uint64_t value);

/** report_real() - add a number with 3 decimals */
void report_real(struct report *report, const char *key, const char *label, const char *unit,
		 double value);

/** report_string() - add a text */
void report_string(struct report *report, const char *key, const char *label, const char *format,
		   ...) __attribute__((format(printf, 4, 5)));

/** report_verdict() - the verdict of the section; a later one replaces it */
void report_verdict(struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** report_finding() - add a finding; if the section has one of this id, count it again */
void report_finding(struct report *report, const char *id, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** report_findings() - number of findings of all sections */
size_t report_findings(const struct report *report);

/** report_text() - print the report for people */
void report_text(const struct report *report, FILE *out);

/** report_json() - print the report for programs: one value a line */
void report_json(const struct report *report, FILE *out);

/** report_free() - free the memory of a report */
void report_free(struct report *report);

#endif
