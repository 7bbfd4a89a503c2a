// SPDX-License-Identifier: GPL-2.0-only
#include "trigger.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"

/**
 * struct parse - an argument of --trigger being parsed
 * @message: receives the reason of an error
 * @size: bytes of @message
 */
struct parse {
	char *message;
	size_t size;
};

static int __attribute__((format(printf, 2, 3))) fail(const struct parse *parse, const char *format,
						      ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(parse->message, parse->size, format, args);
	va_end(args);
	return -EINVAL;
}

static bool copy_text(char *to, size_t room, const char *from, size_t length)
{
	if (!length || length >= room)
		return false;
	memcpy(to, from, length);
	to[length] = '\0';
	return true;
}

/* SYMBOL[+OFFSET][@FILE] or ADDRESS[@FILE]: the first @length bytes of @text */
static int parse_point(const struct parse *parse, struct record_trigger_point *point,
		       const char *text, size_t length)
{
	const char *file = memchr(text, '@', length);
	const size_t name = file ? (size_t)(file - text) : length;
	char *plus, *end;

	*point = (struct record_trigger_point){.distance = 0};
	if (file && !copy_text(point->file, sizeof(point->file), file + 1, length - name - 1))
		return fail(parse, "a file expected behind '@'");
	if (!copy_text(point->point, sizeof(point->point), text, name) ||
	    strpbrk(point->point, " ,()>"))
		return fail(parse, "SYMBOL[+OFFSET][@FILE] or ADDRESS[@FILE] expected, not '%.*s'",
			    (int)length, text);
	plus = strchr(point->point, '+');
	if (plus) {
		*plus++ = '\0';
		errno = 0;
		point->distance = strtoull(plus, &end, 0);
		if (errno || !isdigit((unsigned char)*plus) || *end || !*point->point)
			return fail(parse, "'+%s': a number of bytes expected behind a function",
				    plus);
	}
	if (!isdigit((unsigned char)*point->point))
		return 0;
	errno = 0;
	point->value = strtoull(point->point, &end, 0) + point->distance;
	if (errno || *end)
		return fail(parse, "'%s' is not an address", point->point);
	point->is_address = !file;
	return 0;
}

/* A number with ns, us, ms or s */
static int parse_time(const struct parse *parse, const char *text, uint64_t *nanoseconds)
{
	static const struct {
		const char *name;
		uint64_t value;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	uint64_t number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name) != 0 || end == text || errno ||
		    !isdigit((unsigned char)*text) || number > UINT64_MAX / units[i].value)
			continue;
		*nanoseconds = number * units[i].value;
		return 0;
	}
	return fail(parse, "'%s': a time expected: a number with ns, us, ms or s", text);
}

static int parse_latency(const struct parse *parse, struct record_trigger *trigger,
			 const char *points)
{
	const char *comma = strchr(points, ',');
	const char *end = strrchr(points, ')');
	int error;

	if (!comma || !end || comma > end || end[1] != '>')
		return fail(parse, "latency(BEGIN,END)>TIME expected, such as "
				   "'latency(request,request_done)>5ms'");
	trigger->kind = TRIGGER_LATENCY;
	trigger->point_count = 2;
	error = parse_point(parse, &trigger->points[0], points, (size_t)(comma - points));
	if (!error)
		error = parse_point(parse, &trigger->points[1], comma + 1,
				    (size_t)(end - comma - 1));
	return error ? error : parse_time(parse, end + 2, &trigger->limit);
}

/* The number of a signal that is given as USR1, SIGUSR1 or 10; 0 if there is no such signal */
static int signal_number(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	if (end != name && !*end)
		return number > 0 && number <= SIGRTMAX ? (int)number : 0;
	if (!strncmp(name, "SIG", 3))
		name += 3;
	for (int i = 1; i < NSIG; i++) {
		const char *other = sigabbrev_np(i);

		if (other && !strcmp(name, other))
			return i;
	}
	return 0;
}

static int parse_signal(const struct parse *parse, struct record_trigger *trigger, const char *name)
{
	const int number = signal_number(name);

	if (!number)
		return fail(parse, "'%s': a signal expected, such as SIGUSR1 or 10", name);
	snprintf(trigger->tracepoint, sizeof(trigger->tracepoint), "signal:signal_deliver");
	snprintf(trigger->filter, sizeof(trigger->filter), "sig==%d", number);
	return 0;
}

/* SYSTEM:NAME[:FILTER] */
static int parse_tracepoint(const struct parse *parse, struct record_trigger *trigger,
			    const char *text)
{
	const char *name = strchr(text, ':') + 1;
	const char *filter = strchr(name, ':');
	const size_t length = filter ? (size_t)(filter - text) : strlen(text);

	if (name == text + 1 || !*name || name == filter || strchr(text, '/') ||
	    !copy_text(trigger->tracepoint, sizeof(trigger->tracepoint), text, length))
		return fail(parse, "a tracepoint expected: SYSTEM:NAME[:FILTER], such as "
				   "'sched:sched_process_exec'");
	if (filter &&
	    !copy_text(trigger->filter, sizeof(trigger->filter), filter + 1, strlen(filter + 1)))
		return fail(parse,
			    "a filter expected behind the second ':', of less than %zu "
			    "bytes",
			    sizeof(trigger->filter));
	return 0;
}

int record_trigger_parse(struct record_trigger *trigger, const char *text, char *message,
			 size_t size)
{
	const struct parse parse = {.message = message, .size = size};

	*trigger = (struct record_trigger){.text = text, .kind = TRIGGER_TRACEPOINT};
	if (!strncmp(text, "latency(", 8))
		return parse_latency(&parse, trigger, text + 8);
	if (!strcmp(text, "exit")) {
		trigger->kind = TRIGGER_EXIT;
		return 0;
	}
	if (!strncmp(text, "signal:", 7) && strncmp(text + 7, "signal_", 7) != 0)
		return parse_signal(&parse, trigger, text + 7);
	if (!strncmp(text, "syscall:", 8)) {
		if (!text[8] || text[8 + strcspn(text + 8, ": /")] ||
		    snprintf(trigger->tracepoint, sizeof(trigger->tracepoint),
			     "syscalls:sys_enter_%s", text + 8) >= (int)sizeof(trigger->tracepoint))
			return fail(&parse, "'%s': a system call expected, such as openat",
				    text + 8);
		return 0;
	}
	/* names of files may have colons */
	if (strchr(text, ':') && !memchr(text, '@', strcspn(text, ":")))
		return parse_tracepoint(&parse, trigger, text);
	trigger->kind = TRIGGER_CODE;
	trigger->point_count = 1;
	return parse_point(&parse, &trigger->points[0], text, strlen(text));
}

int record_trigger_parse_tail(struct record_trigger *trigger, const char *text, char *message,
			      size_t size)
{
	const struct parse parse = {.message = message, .size = size};

	return parse_time(&parse, text, &trigger->tail);
}

void record_trigger_report(FILE *file, const struct record_trigger *trigger,
			   const struct trigger_hit *hit)
{
	print(file, "hwflow record: trigger %s: at %" PRIu64 ".%09" PRIu64 ", thread %" PRIu32,
	      trigger->text, hit->time / 1000000000, hit->time % 1000000000, hit->tid);
	if (hit->cpu != TRIGGER_NO_CPU)
		print(file, ", CPU %" PRId32, hit->cpu);
	if (trigger->kind == TRIGGER_LATENCY)
		print(file, ", %" PRIu64 ".%06" PRIu64 " ms", hit->duration / 1000000,
		      hit->duration % 1000000);
	fputc('\n', file);
}
