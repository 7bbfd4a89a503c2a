// SPDX-License-Identifier: GPL-2.0-only
/*
 * slow_server FILE - for debuginfod.sh: an HTTP server on a free port of 127.0.0.1, which it
 * prints, that answers each request with FILE, in three seconds.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARTS 30

/* Waits for the empty line that ends the request. */
static void read_request(int client)
{
	char last[4] = "", byte;

	while (memcmp(last, "\r\n\r\n", 4) != 0 && read(client, &byte, 1) == 1) {
		memmove(last, last + 1, 3);
		last[3] = byte;
	}
}

static void answer(int client, int file, off_t size)
{
	off_t at = 0;

	read_request(client);
	dprintf(client, "HTTP/1.0 200 OK\r\nContent-Length: %lld\r\n\r\n", (long long)size);
	for (int part = 1; part <= PARTS; part++) {
		const off_t end = part == PARTS ? size : size / PARTS * part;

		while (at < end && sendfile(client, file, &at, (size_t)(end - at)) > 0)
			;
		usleep(100000);
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);
	const int server = socket(AF_INET, SOCK_STREAM, 0);
	const int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct stat status;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	signal(SIGPIPE, SIG_IGN);
	if (file < 0 || fstat(file, &status) || server < 0 ||
	    bind(server, (struct sockaddr *)&address, length) || listen(server, 8) ||
	    getsockname(server, (struct sockaddr *)&address, &length)) {
		perror("slow_server");
		return 1;
	}
	printf("%d\n", ntohs(address.sin_port));
	fflush(stdout);
	for (;;) {
		const int client = accept(server, NULL, NULL);

		if (client < 0)
			return 1;
		answer(client, file, status.st_size);
		close(client);
	}
}
