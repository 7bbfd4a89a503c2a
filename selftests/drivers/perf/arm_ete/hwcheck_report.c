// SPDX-License-Identifier: GPL-2.0-only
/* The report of hwflow-hwcheck. */
#include "hwcheck_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION 1
#define LABEL_COLUMNS 44
#define LINE_COLUMNS 92

/* One more element, of 0 bytes; the program ends without memory, for no report would be of use then */
static void *grown(void *array, size_t *count, size_t size)
{
	char *bytes = realloc(array, (*count + 1) * size);

	if (!bytes) {
		fprintf(stderr, "hwflow-hwcheck: no memory for the report\n");
		exit(1);
	}
	memset(bytes + *count * size, 0, size);
	++*count;
	return bytes;
}

static struct report_section *last_section(struct report *report)
{
	return &report->sections[report->count - 1];
}

void report_section(struct report *report, const char *id, const char *title, const char *question)
{
	struct report_section *section;

	report->sections = grown(report->sections, &report->count, sizeof(*report->sections));
	section = last_section(report);
	snprintf(section->id, sizeof(section->id), "%s", id);
	snprintf(section->title, sizeof(section->title), "%s", title);
	snprintf(section->question, sizeof(section->question), "%s", question);
}

static struct report_value *new_value(struct report *report, const char *key, const char *label,
				      const char *unit)
{
	struct report_section *section = last_section(report);
	struct report_value *value;

	section->values = grown(section->values, &section->value_count, sizeof(*section->values));
	value = &section->values[section->value_count - 1];
	snprintf(value->key, sizeof(value->key), "%s", key);
	snprintf(value->label, sizeof(value->label), "%s", label ? label : "");
	snprintf(value->unit, sizeof(value->unit), "%s", unit);
	return value;
}

void report_uint(struct report *report, const char *key, const char *label, const char *unit,
		 uint64_t number)
{
	struct report_value *value = new_value(report, key, label, unit);

	snprintf(value->text, sizeof(value->text), "%" PRIu64, number);
}

void report_hex(struct report *report, const char *key, const char *label, uint64_t number)
{
	struct report_value *value = new_value(report, key, label, "");

	snprintf(value->text, sizeof(value->text), "%#" PRIx64, number);
	value->string = true;
}

void report_real(struct report *report, const char *key, const char *label, const char *unit,
		 double number)
{
	struct report_value *value = new_value(report, key, label, unit);

	snprintf(value->text, sizeof(value->text), "%.3f", number);
}

void report_string(struct report *report, const char *key, const char *label, const char *format,
		   ...)
{
	struct report_value *value = new_value(report, key, label, "");
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(value->text, sizeof(value->text), format, arguments);
	va_end(arguments);
	value->string = true;
}

void report_verdict(struct report *report, const char *format, ...)
{
	struct report_section *section = last_section(report);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(section->verdict, sizeof(section->verdict), format, arguments);
	va_end(arguments);
}

void report_finding(struct report *report, const char *id, const char *format, ...)
{
	struct report_section *section = last_section(report);
	struct report_finding *finding;
	va_list arguments;
	size_t i;

	for (i = 0; i < section->finding_count; i++)
		if (!strcmp(section->findings[i].id, id)) {
			section->findings[i].count++;
			return;
		}
	section->findings = grown(section->findings, &section->finding_count,
				  sizeof(*section->findings));
	finding = &section->findings[section->finding_count - 1];
	snprintf(finding->id, sizeof(finding->id), "%s", id);
	va_start(arguments, format);
	vsnprintf(finding->text, sizeof(finding->text), format, arguments);
	va_end(arguments);
	finding->count = 1;
}

size_t report_findings(const struct report *report)
{
	size_t i, count = 0;

	for (i = 0; i < report->count; i++)
		count += report->sections[i].finding_count;
	return count;
}

/* Print text in lines that begin with columns of blanks */
static void print_folded(FILE *out, const char *text, int indent)
{
	int column = indent;

	while (*text) {
		const int word = (int)strcspn(text, " ");

		if (column > indent && column + 1 + word > LINE_COLUMNS)
			column = fprintf(out, "\n%*s", indent, "") - 1;
		else if (column > indent)
			column += fprintf(out, " ");
		column += fprintf(out, "%.*s", word, text);
		text += word;
		text += strspn(text, " ");
	}
	fprintf(out, "\n");
}

static void print_section(const struct report_section *section, FILE *out)
{
	size_t i;

	fprintf(out, "\n%s%s%s%s\n", section->title, *section->question ? "  [" : "",
		section->question, *section->question ? "]" : "");
	for (i = 0; i < section->value_count; i++) {
		const struct report_value *value = &section->values[i];

		if (!*value->label)
			continue;
		fprintf(out, "  %-*s %s%s%s\n", LABEL_COLUMNS, value->label, value->text,
			*value->unit ? " " : "", value->unit);
	}
	for (i = 0; i < section->finding_count; i++) {
		const struct report_finding *finding = &section->findings[i];

		fprintf(out, "  FOUND (%" PRIu64 "x): ", finding->count);
		print_folded(out, finding->text, 4);
	}
	if (*section->verdict) {
		fprintf(out, "  => ");
		print_folded(out, section->verdict, 5);
	}
}

void report_text(const struct report *report, FILE *out)
{
	const size_t findings = report_findings(report);
	size_t i, unmeasured = 0;

	fprintf(out, "hwflow-hwcheck: trace units and trace buffers of this machine\n");
	fprintf(out, "[Hn] is the question of this number in Documentation/open-questions.rst.\n");
	for (i = 0; i < report->count; i++) {
		print_section(&report->sections[i], out);
		unmeasured += !strncmp(report->sections[i].verdict, "not measured", 12);
	}
	if (findings)
		fprintf(out, "\nSummary: %zu finding%s, marked FOUND above.\n", findings,
			findings == 1 ? "" : "s");
	else
		fprintf(out, "\nSummary: nothing differs from what the architecture specifies.\n");
	if (unmeasured)
		fprintf(out, "%zu of %zu sections were not measured.\n", unmeasured, report->count);
}

static void print_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		const unsigned char byte = (unsigned char)*text;

		if (byte == '"' || byte == '\\')
			fprintf(out, "\\%c", byte);
		else if (byte < 0x20 || byte >= 0x7f)
			fprintf(out, "\\u%04x", byte);
		else
			fputc(byte, out);
	}
	fputc('"', out);
}

static void print_member(FILE *out, const char *key, const char *text, bool string, bool last)
{
	fprintf(out, "      \"%s\": ", key);
	if (string)
		print_string(out, text);
	else
		fprintf(out, "%s", text);
	fprintf(out, "%s\n", last ? "" : ",");
}

static void print_json_section(const struct report_section *section, FILE *out)
{
	size_t i;

	fprintf(out, "    \"%s\": {\n", section->id);
	print_member(out, "question", section->question, true, false);
	print_member(out, "verdict", section->verdict, true, false);
	for (i = 0; i < section->value_count; i++)
		print_member(out, section->values[i].key, section->values[i].text,
			     section->values[i].string, false);
	fprintf(out, "      \"findings\": {");
	for (i = 0; i < section->finding_count; i++) {
		const struct report_finding *finding = &section->findings[i];

		fprintf(out, "%s\n        \"%s\": { \"count\": %" PRIu64 ", \"text\": ",
			i ? "," : "", finding->id, finding->count);
		print_string(out, finding->text);
		fprintf(out, " }");
	}
	fprintf(out, "%s}\n    }", section->finding_count ? "\n      " : "");
}

void report_json(const struct report *report, FILE *out)
{
	size_t i;

	fprintf(out, "{\n  \"hwcheck\": %d,\n  \"findings\": %zu,\n  \"sections\": {\n",
		FORMAT_VERSION, report_findings(report));
	for (i = 0; i < report->count; i++) {
		print_json_section(&report->sections[i], out);
		fprintf(out, "%s\n", i + 1 < report->count ? "," : "");
	}
	fprintf(out, "  }\n}\n");
}

void report_free(struct report *report)
{
	size_t i;

	for (i = 0; i < report->count; i++) {
		free(report->sections[i].values);
		free(report->sections[i].findings);
	}
	free(report->sections);
	report->sections = NULL;
	report->count = 0;
}
