// SPDX-License-Identifier: GPL-2.0-only
/* The parts of a recording, and the process that counts what they have. */
#include "parts.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

/* in place of the number of a part: there are no more */
#define NO_MORE (-1)

/* struct request - what the process is to do */
struct request {
	int32_t part;
	struct record_dropped dropped;
};

/**
 * struct record_parts - see parts.h
 * @files: the parts
 * @free: those that nobody uses
 * @result: the file that receives the result
 * @socket: of the recorder
 * @pid: the process; 0: it has ended and was waited for
 * @status: of the process that was waited for, as waitpid(2) gives it
 */
struct record_parts {
	int files[RECORD_PARTS];
	bool free[RECORD_PARTS];
	int result;
	int socket;
	pid_t pid;
	int status;
};

/* The process. The recorder may be killed: then the socket is closed. */
static int count_parts(const struct record_parts *parts, const struct record_counter *counter,
		       int socket)
{
	char path[RECORD_PART_PATH];
	struct request request;
	int status = counter->begin(counter->ctx);

	while (!status && read(socket, &request, sizeof(request)) == sizeof(request)) {
		if (request.part == NO_MORE)
			return counter->end(counter->ctx, &request.dropped, parts->result);
		record_parts_path(parts, request.part, path);
		status = counter->part(counter->ctx, path);
		if (!status && write(socket, &request.part, sizeof(request.part)) < 0)
			break;
	}
	return status ? status : EXIT_UNREADABLE;
}

static int start_process(struct record_parts *parts, const struct record_counter *counter)
{
	int sockets[2];

	/* a socket keeps the bounds of messages, and a process that has ended sends no signal */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	fflush(NULL);
	parts->pid = fork();
	if (!parts->pid) {
		close(sockets[0]);
		signal(SIGINT, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		exit(count_parts(parts, counter, sockets[1]));
	}
	close(sockets[1]);
	parts->socket = sockets[0];
	return parts->pid < 0 ? -errno : 0;
}

int record_parts_start(struct record_parts **result, const struct record_counter *counter)
{
	struct record_parts *parts = calloc(1, sizeof(*parts));
	int error = 0;

	if (!parts)
		return -ENOMEM;
	parts->socket = -1;
	parts->result = memfd_create("hwflow-profile", MFD_CLOEXEC);
	for (size_t i = 0; i < RECORD_PARTS; i++) {
		parts->free[i] = true;
		parts->files[i] = memfd_create("hwflow-part", MFD_CLOEXEC);
		error = parts->files[i] < 0 ? -errno : error;
	}
	if (!error && parts->result < 0)
		error = -errno;
	if (!error)
		error = start_process(parts, counter);
	if (error) {
		parts->pid = 0;
		record_parts_free(parts);
		return error;
	}
	*result = parts;
	return 0;
}

int record_parts_take(struct record_parts *parts)
{
	int32_t part;
	ssize_t got;

	while ((got = recv(parts->socket, &part, sizeof(part), MSG_DONTWAIT)) == sizeof(part))
		if (part >= 0 && part < RECORD_PARTS)
			parts->free[part] = true;
	if (!got || (got < 0 && errno != EAGAIN && errno != EINTR))
		return -EPIPE;
	for (int i = 0; i < RECORD_PARTS; i++) {
		if (parts->free[i]) {
			parts->free[i] = false;
			return i;
		}
	}
	return -EAGAIN;
}

void record_parts_path(const struct record_parts *parts, int number, char path[RECORD_PART_PATH])
{
	snprintf(path, RECORD_PART_PATH, "/proc/self/fd/%d", parts->files[number]);
}

static int ask(const struct record_parts *parts, const struct request *request)
{
	return send(parts->socket, request, sizeof(*request), MSG_NOSIGNAL) < 0 ? -EPIPE : 0;
}

int record_parts_give(struct record_parts *parts, int number)
{
	return ask(parts, &(struct request){.part = number});
}

void record_parts_put_back(struct record_parts *parts, int number)
{
	parts->free[number] = true;
}

static void wait_for_process(struct record_parts *parts)
{
	while (parts->pid && waitpid(parts->pid, &parts->status, 0) < 0) {
		if (errno != EINTR) {
			/* somebody else has waited: the number may be another process by now */
			parts->status = EXIT_UNREADABLE << 8;
			break;
		}
	}
	parts->pid = 0;
}

int record_parts_signal(struct record_parts *parts)
{
	wait_for_process(parts);
	return WIFSIGNALED(parts->status) ? WTERMSIG(parts->status) : 0;
}

int record_parts_copy(const struct record_parts *parts, FILE *out)
{
	char bytes[65536];
	off_t at = 0;
	ssize_t got;

	errno = 0;
	while ((got = pread(parts->result, bytes, sizeof(bytes), at)) > 0) {
		if (fwrite(bytes, 1, (size_t)got, out) != (size_t)got)
			break;
		at += got;
	}
	if (!got && !fflush(out))
		return 0;
	return errno ? -errno : -EIO;
}

int record_parts_end(struct record_parts *parts, const struct record_dropped *dropped)
{
	ask(parts, &(struct request){.part = NO_MORE, .dropped = *dropped});
	wait_for_process(parts);
	return WIFEXITED(parts->status) ? WEXITSTATUS(parts->status) : EXIT_UNREADABLE;
}

void record_parts_free(struct record_parts *parts)
{
	if (!parts)
		return;
	if (parts->pid)
		kill(parts->pid, SIGKILL);
	wait_for_process(parts);
	for (size_t i = 0; i < RECORD_PARTS; i++)
		if (parts->files[i] >= 0)
			close(parts->files[i]);
	if (parts->result >= 0)
		close(parts->result);
	if (parts->socket >= 0)
		close(parts->socket);
	free(parts);
}
