// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets of gdb's remote serial protocol, as the manual of gdb describes them (Remote Protocol,
 * Overview): $contents#checksum, each acknowledged by + or refused by -.
 */
#include "gdb_packets.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/output.h"

/* gdb waits 2 seconds by default (set remotetimeout). */
#define BUSY_MICROSECONDS 500000

/* The next byte; -1 at the end */
static int next_byte(struct gdb_packets *packets)
{
	while (packets->at == packets->count) {
		const ssize_t count = read(packets->in, packets->bytes, sizeof(packets->bytes));

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0) {
			packets->ended = true;
			return -1;
		}
		packets->at = 0;
		packets->count = (size_t)count;
	}
	return (unsigned char)packets->bytes[packets->at++];
}

static void put_bytes(struct gdb_packets *packets, const char *bytes, size_t size)
{
	packets->ended |= output_write(packets->out, bytes, size) != 0;
}

static int hex_digit(int byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	if (byte >= 'a' && byte <= 'f')
		return byte - 'a' + 10;
	if (byte >= 'A' && byte <= 'F')
		return byte - 'A' + 10;
	return -1;
}

/* Wait for the first byte of a packet; false at the end. */
static bool find_packet(struct gdb_packets *packets)
{
	int byte;

	while ((byte = next_byte(packets)) >= 0 && byte != '$')
		if (byte == '-' && !packets->no_ack && packets->reply_size)
			put_bytes(packets, packets->reply, packets->reply_size);
	return byte >= 0;
}

/* Read a packet after its first byte; false if it is to be sent again. */
static bool read_packet(struct gdb_packets *packets)
{
	bool known = true;
	uint8_t sum = 0;
	size_t size = 0;
	int byte, high, low;

	while ((byte = next_byte(packets)) >= 0 && byte != '#') {
		/* the rest of the packet before was lost */
		if (byte == '$') {
			size = sum = 0;
			known = true;
			continue;
		}
		sum = (uint8_t)(sum + byte);
		known &= byte != 0 && size < GDB_PACKET;
		if (known)
			packets->packet[size++] = (char)byte;
	}
	high = byte < 0 ? -1 : hex_digit(next_byte(packets));
	low = byte < 0 ? -1 : hex_digit(next_byte(packets));
	packets->packet[known ? size : 0] = 0;
	return packets->no_ack || (high >= 0 && low >= 0 && sum == high * 16 + low);
}

const char *gdb_receive(struct gdb_packets *packets)
{
	while (find_packet(packets)) {
		const bool good = read_packet(packets);

		if (packets->ended)
			break;
		if (!packets->no_ack)
			put_bytes(packets, good ? "+" : "-", 1);
		if (good)
			return packets->ended ? NULL : packets->packet;
	}
	return NULL;
}

void gdb_send(struct gdb_packets *packets, const char *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	char *at = packets->reply;
	uint8_t sum = 0;

	*at++ = '$';
	for (size_t i = 0; i < size; i++) {
		/* these have a meaning of their own: } escapes them */
		if (strchr("#$}*", bytes[i]) && bytes[i]) {
			sum = (uint8_t)(sum + '}');
			*at++ = '}';
			*at = (char)(bytes[i] ^ 0x20);
		} else {
			*at = bytes[i];
		}
		sum = (uint8_t)(sum + (unsigned char)*at++);
	}
	*at++ = '#';
	*at++ = digits[sum >> 4];
	*at++ = digits[sum & 15];
	packets->reply_size = (size_t)(at - packets->reply);
	put_bytes(packets, packets->reply, packets->reply_size);
}

void gdb_send_string(struct gdb_packets *packets, const char *string)
{
	gdb_send(packets, string, strlen(string));
}

static volatile sig_atomic_t busy_out;

/* The byte is that of an acknowledgement, which gdb ignores where it waits for a packet. */
static void say_busy(int signal)
{
	const int error = errno;
	const ssize_t written = write((int)busy_out, "+", 1);

	(void)signal;
	(void)written;
	errno = error;
}

void gdb_busy(const struct gdb_packets *packets, bool busy)
{
	const struct timeval time = {.tv_usec = busy ? BUSY_MICROSECONDS : 0};
	const struct itimerval timer = {.it_interval = time, .it_value = time};
	struct sigaction action = {.sa_handler = busy ? say_busy : SIG_DFL, .sa_flags = SA_RESTART};

	busy_out = packets->out;
	if (!busy)
		setitimer(ITIMER_REAL, &timer, NULL);
	sigaction(SIGALRM, &action, NULL);
	if (busy)
		setitimer(ITIMER_REAL, &timer, NULL);
}
