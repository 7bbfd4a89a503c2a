/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages of protocol buffers. A field begins with its number, and in the three lowest bits what
 * follows: a number of seven bits a byte, the lowest first, of which bit 7 says that more follow;
 * or such a number of bytes, and the bytes.
 */
#include "profile_message.h"

#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "base/text.h"

/* What follows the number of a field */
#define NUMBER 0u
#define BYTES  2u

/* Bytes of the largest number */
#define NUMBER_BYTES 10u

/* Most bytes of a stored block of deflate (RFC 1951) */
#define BLOCK 0xffffu

static void put(struct message *message, const void *bytes, size_t size)
{
	if (size > message->room - message->size) {
		const size_t room = 2 * (message->size + size);
		uint8_t *grown = realloc(message->bytes, room);

		if (!grown) {
			message->failed = true;
			return;
		}
		message->bytes = grown;
		message->room = room;
	}
	if (size)
		memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

/* Appends a number, and a second one unless @count is 1. */
static void put_numbers(struct message *message, uint64_t first, uint64_t second,
			unsigned int count)
{
	uint8_t bytes[2 * NUMBER_BYTES];
	uint64_t value = first;
	size_t size = 0;

	for (unsigned int i = 0; i < count; i++, value = second) {
		for (; value > 0x7f; value >>= 7)
			bytes[size++] = (uint8_t)(value | 0x80);
		bytes[size++] = (uint8_t)value;
	}
	put(message, bytes, size);
}

void message_number(struct message *message, unsigned int field, uint64_t value)
{
	put_numbers(message, field << 3 | NUMBER, value, 2);
}

void message_bytes(struct message *message, unsigned int field, const void *bytes, size_t size)
{
	put_numbers(message, field << 3 | BYTES, size, 2);
	put(message, bytes, size);
}

void message_message(struct message *message, unsigned int field, struct message *inner)
{
	message_bytes(message, field, inner->bytes, inner->size);
	message->failed |= inner->failed;
	inner->size = 0;
}

void message_numbers(struct message *message, unsigned int field, const uint64_t *values,
		     size_t count)
{
	struct message inner = {0};

	for (size_t i = 0; i < count; i++)
		put_numbers(&inner, values[i], 0, 1);
	message_message(message, field, &inner);
	message_free(&inner);
}

void message_append(struct message *message, const struct message *other)
{
	put(message, other->bytes, other->size);
	message->failed |= other->failed;
}

/* A number of some bytes, the lowest first */
static void put_bytes(struct text *out, uint32_t value, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		text_char(out, (char)(value >> 8 * i));
}

void message_write(const struct message *message, struct text *out)
{
	/* RFC 1952: deflate, no name, no time, of an unknown system */
	static const char head[] = {0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0, 0, (char)0xff};
	size_t done = 0, size;

	text_bytes(out, head, sizeof(head));
	do {
		size = message->size - done < BLOCK ? message->size - done : BLOCK;
		text_char(out, done + size == message->size ? '\1' : '\0');
		put_bytes(out, (uint32_t)size, 2);
		put_bytes(out, ~(uint32_t)size, 2);
		text_bytes(out, (const char *)message->bytes + done, size);
		done += size;
	} while (done < message->size);
	put_bytes(out, crc32_of(message->bytes, message->size), 4);
	put_bytes(out, (uint32_t)message->size, 4);
}

void message_free(struct message *message)
{
	free(message->bytes);
	*message = (struct message){0};
}
