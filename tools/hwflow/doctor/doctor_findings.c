// SPDX-License-Identifier: GPL-2.0-only
/* The results of the checks. */
#include "doctor.h"

#include <stdarg.h>
#include <stdio.h>

void doctor_say(struct doctor *doctor, enum doctor_check check, enum doctor_state state,
		const char *remedy, const char *format, ...)
{
	struct doctor_finding *finding = &doctor->findings[check];
	va_list words;

	if (*finding->text && state <= finding->state)
		return;
	finding->state = state;
	finding->remedy = remedy;
	va_start(words, format);
	vsnprintf(finding->text, sizeof(finding->text), format, words);
	va_end(words);
}

unsigned int doctor_faults(const struct doctor *doctor, enum doctor_check before)
{
	unsigned int count = 0;

	for (unsigned int check = 0; check < before; check++)
		count += doctor->findings[check].state == DOCTOR_FAULT;
	return count;
}
