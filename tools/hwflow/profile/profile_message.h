/* SPDX-License-Identifier: GPL-2.0-only */
/* Messages of protocol buffers, as they are written, and gzip. */
#ifndef HWFLOW_PROFILE_MESSAGE_H
#define HWFLOW_PROFILE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text;

/**
 * struct message - a message; all zero: it has no fields
 * @bytes: its fields
 * @size: how many bytes
 * @room: room for how many
 * @failed: memory ran out
 */
struct message {
	uint8_t *bytes;
	size_t size;
	size_t room;
	bool failed;
};

/** message_number() - append a field with a number; one with 0 need not be there */
void message_number(struct message *message, unsigned int field, uint64_t value);

/** message_numbers() - append a field with several numbers */
void message_numbers(struct message *message, unsigned int field, const uint64_t *values,
		     size_t count);

/** message_bytes() - append a field with a string */
void message_bytes(struct message *message, unsigned int field, const void *bytes, size_t size);

/** message_message() - append a field with a message, and remove the fields of that message */
void message_message(struct message *message, unsigned int field, struct message *inner);

/** message_append() - append all fields of another message */
void message_append(struct message *message, const struct message *other);

/** message_write() - write a message to a file of gzip; its bytes are stored, not compressed */
void message_write(const struct message *message, struct text *out);

/** message_free() - free everything but @message */
void message_free(struct message *message);

#endif /* HWFLOW_PROFILE_MESSAGE_H */
