/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets of gdb's remote serial protocol, on two descriptors. */
#ifndef HWFLOW_VERBS_GDB_PACKETS_H
#define HWFLOW_VERBS_GDB_PACKETS_H

#include <stdbool.h>
#include <stddef.h>

/** GDB_PACKET - bytes of the longest packet that gdb may send (PacketSize) */
#define GDB_PACKET 0x4000u

/**
 * struct gdb_packets - a connection
 * @in: packets from gdb
 * @out: packets to gdb
 * @no_ack: packets are not acknowledged any more (QStartNoAckMode)
 * @ended: gdb has closed the connection, or takes nothing
 * @bytes: bytes that were read from @in
 * @at: the next byte in @bytes
 * @count: bytes in @bytes
 * @packet: the last packet from gdb, with a NUL after it
 * @reply: the last packet to gdb, as it was sent
 * @reply_size: bytes of @reply
 */
struct gdb_packets {
	int in;
	int out;
	bool no_ack;
	bool ended;
	char bytes[4096];
	size_t at;
	size_t count;
	char packet[GDB_PACKET + 1];
	char reply[2 * GDB_PACKET + 8];
	size_t reply_size;
};

/**
 * gdb_receive() - wait for a packet
 * @packets: the connection
 *
 * A packet with a wrong checksum is refused, and gdb sends it again. A packet that is too long, or
 * has a byte NUL, is not understood: "" stands for it, as for each request that is not known.
 *
 * Return: the contents of the packet, valid until the next call; NULL: gdb has closed the
 * connection.
 */
const char *gdb_receive(struct gdb_packets *packets);

/**
 * gdb_send() - send a packet
 * @packets: the connection
 * @bytes: its contents, of any values
 * @size: how many; at most GDB_PACKET
 */
void gdb_send(struct gdb_packets *packets, const char *bytes, size_t size);

/** gdb_send_string() - send a packet of a string */
void gdb_send_string(struct gdb_packets *packets, const char *string);

/**
 * gdb_busy() - begin or end work that takes longer than gdb waits for a reply
 * @packets: the connection, with a request that has no reply yet
 * @busy: work begins
 *
 * gdb gives a request up after some seconds without any byte. In between it is sent bytes that are
 * outside of packets, which it ignores.
 */
void gdb_busy(const struct gdb_packets *packets, bool busy);

#endif /* HWFLOW_VERBS_GDB_PACKETS_H */
