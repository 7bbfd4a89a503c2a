// SPDX-License-Identifier: GPL-2.0-only
/* hwflow doctor: refusals in the kernel's log, each with its cause and remedy. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"

enum message_origin { OURS, IN_TREE, KERNEL };

static const struct message {
	enum doctor_check check;
	enum message_origin origin;
	const char *text;
	const char *remedy;
} messages[] = {
#define M(check, origin, text, remedy) {CHECK_##check, origin, text, remedy},
#include "doctor_messages.def"
};

#define MESSAGES (sizeof(messages) / sizeof(messages[0]))

/* The CPU that a message names as cpuN or cpu N; false if it names none */
static bool find_cpu(const char *line, size_t length, unsigned int *cpu)
{
	for (size_t at = 0; at + 4 <= length; at++) {
		const char *digits = line + at + 3;

		if (strncmp(line + at, "cpu", 3))
			continue;
		digits += *digits == ' ';
		if (!isdigit((unsigned char)*digits))
			continue;
		*cpu = (unsigned int)strtoul(digits, NULL, 10);
		return true;
	}
	return false;
}

/*
 * The result of a message. A driver that has a PMU has refused single CPUs only: what else it
 * printed is of an earlier attempt to load it. A CPU that was refused may be offline, or have come
 * back since.
 */
static void report(struct doctor *doctor, const struct message *message,
		   const struct machine_cpus *cpus, unsigned int lines)
{
	const bool traces = doctor_pmu(doctor) != NULL;
	char text[MACHINE_CPUS_TEXT];

	if (!lines || (traces && !machine_cpus_count(cpus)))
		return;
	/* sysfs shows what is bound now; the log may be older */
	if (message->check == CHECK_IN_TREE && doctor->findings[CHECK_IN_TREE].state != DOCTOR_OPEN)
		return;
	if (machine_cpus_count(cpus))
		doctor_say(doctor, message->check, traces ? DOCTOR_WARNING : DOCTOR_FAULT,
			   message->remedy, "kernel log, %s: %s", machine_cpus_text(cpus, text),
			   message->text);
	else
		doctor_say(doctor, message->check, DOCTOR_FAULT, message->remedy, "kernel log: %s",
			   message->text);
}

static bool contains(const char *line, size_t length, const char *text)
{
	return memmem(line, length, text, strlen(text)) != NULL;
}

/* Modules that were refused for their signature: the message is the kernel's, and may be of another
 * module */
static bool applies(const struct doctor *doctor, const struct message *message)
{
	if (message->check == CHECK_LOCKDOWN || message->check == CHECK_DRIVER)
		return !doctor_pmu(doctor) && !doctor_has_module(doctor, "arm_ete_pmu");
	return true;
}

static void look_for(struct doctor *doctor, const struct message *message)
{
	struct machine_cpus cpus = {0};
	const char *line = doctor->log;
	unsigned int lines = 0, cpu;

	while (*line) {
		const size_t length = strcspn(line, "\n");

		if (contains(line, length, message->text)) {
			lines++;
			if (message->origin != KERNEL && find_cpu(line, length, &cpu))
				machine_cpus_add(&cpus, cpu);
		}
		line += length + (line[length] == '\n');
	}
	report(doctor, message, &cpus, lines);
}

void doctor_log(struct doctor *doctor)
{
	for (size_t i = 0; doctor->log && i < MESSAGES; i++)
		if (applies(doctor, &messages[i]))
			look_for(doctor, &messages[i]);
	doctor_say(doctor, CHECK_OWNER, doctor->log ? DOCTOR_OK : DOCTOR_OPEN, NULL,
		   doctor->log ? "the kernel's log has no refusal by EL2, EL3 or a debugger"
			       : "the kernel's log cannot be read: run hwflow doctor as root");
}
