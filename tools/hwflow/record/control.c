// SPDX-License-Identifier: GPL-2.0-only
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "recorder.h"
#include "source/input.h"

static int open_fifo(const char *path, int flags)
{
	/* for reading and writing: the pipe stays open when its other end is closed */
	const int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		verb_error("--control: %s: %s", path, strerror(errno));
	return fd;
}

static int bad_argument(const char *argument)
{
	verb_error("--control=%s: fifo:REQUESTS[,ACK] or fd:REQUESTS[,ACK] expected", argument);
	return EXIT_USAGE;
}

static int open_numbers(struct record_control *control, const char *argument)
{
	char rest;
	int count = sscanf(argument, "fd:%d,%d%c", &control->fd, &control->ack, &rest);

	if (count < 1 || count > 2 || control->fd < 0)
		return bad_argument(argument);
	if (fcntl(control->fd, F_SETFL, O_NONBLOCK))
		return verb_error("--control: file descriptor %d: %s", control->fd,
				  strerror(errno));
	return 0;
}

int record_control_open(struct record_control *control, const char *argument)
{
	char path[PATH_MAX], *comma;

	*control = (struct record_control){.fd = -1, .ack = -1};
	if (!argument)
		return 0;
	if (!strncmp(argument, "fd:", 3))
		return open_numbers(control, argument);
	if (strncmp(argument, "fifo:", 5) != 0 ||
	    snprintf(path, sizeof(path), "%s", argument + 5) >= (int)sizeof(path))
		return bad_argument(argument);
	comma = strchr(path, ',');
	if (comma)
		*comma++ = '\0';
	control->fd = open_fifo(path, O_RDWR);
	if (control->fd >= 0 && comma)
		control->ack = open_fifo(comma, O_RDWR);
	return control->fd < 0 || (comma && control->ack < 0) ? EXIT_UNREADABLE : 0;
}

/* One request. Returns false for one that is not known. */
static bool carry_out(const char *request, struct recorder *recorder, bool *snapshot, bool *end)
{
	if (!strcmp(request, "enable"))
		recorder_enable(recorder, true);
	else if (!strcmp(request, "disable"))
		recorder_pause(recorder);
	else if (!strcmp(request, "snapshot"))
		*snapshot = true;
	else if (!strcmp(request, "stop"))
		*end = true;
	else if (strcmp(request, "ping") != 0)
		return false;
	return true;
}

void record_control_read(struct record_control *control, struct recorder *recorder, bool *snapshot,
			 bool *end)
{
	char byte;

	while (read(control->fd, &byte, 1) == 1) {
		if (byte != '\n' && byte) {
			if (control->length < sizeof(control->line) - 1)
				control->line[control->length++] = byte;
			continue;
		}
		control->line[control->length] = '\0';
		control->length = 0;
		if (!carry_out(control->line, recorder, snapshot, end))
			verb_error("--control: '%s' is not a request; requests are enable, "
				   "disable, snapshot, ping and stop",
				   control->line);
		else if (control->ack >= 0 && write(control->ack, "ack\n", 4) != 4)
			verb_error("--control: the acknowledgement cannot be written: %s",
				   strerror(errno));
	}
}

void record_control_close(struct record_control *control)
{
	if (control->fd >= 0)
		close(control->fd);
	if (control->ack >= 0)
		close(control->ack);
}
