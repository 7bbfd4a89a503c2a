// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame_trace INPUT OUTPUT ID... - write raw trace in CoreSight frames. Each of the trace IDs, at
 * most 8, has all bytes of INPUT; frames of the IDs follow in turns.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME 16
#define DATA  14 /* bytes of trace in a frame whose first byte is the trace ID */
#define IDS   8

/* Bit 0 of an even byte is in the last byte of the frame. */
static void make_frame(uint8_t frame[FRAME], uint8_t id, const uint8_t data[DATA])
{
	memset(frame, 0, FRAME);
	frame[0] = (uint8_t)(id << 1 | 1);
	for (int i = 1; i <= DATA; i++) {
		frame[i] = data[i - 1];
		if (i % 2)
			continue;
		frame[FRAME - 1] |= (uint8_t)((frame[i] & 1) << i / 2);
		frame[i] &= 0xfe;
	}
}

/* What is left of the trace is filled up with ID 0, which is padding. */
static void make_last(uint8_t frame[FRAME], uint8_t id, const uint8_t *data, size_t size)
{
	memset(frame, 0, FRAME);
	for (size_t i = 0; i < size; i++) {
		frame[2 * i] = (uint8_t)(id << 1 | 1);
		frame[2 * i + 1] = data[i];
	}
	frame[2 * size] = 1;
}

static int copy(FILE *in, FILE *out, const uint8_t *ids, int count)
{
	uint8_t data[DATA], frame[FRAME];
	size_t size;

	while ((size = fread(data, 1, DATA, in)) == DATA) {
		for (int i = 0; i < count; i++) {
			make_frame(frame, ids[i], data);
			fwrite(frame, FRAME, 1, out);
		}
	}
	for (int i = 0; i < count; i++) {
		for (size_t at = 0; at < size; at += 7) {
			make_last(frame, ids[i], data + at, size - at < 7 ? size - at : 7);
			fwrite(frame, FRAME, 1, out);
		}
	}
	return ferror(in) || ferror(out);
}

int main(int argc, char **argv)
{
	uint8_t ids[IDS];
	FILE *in, *out;
	int error;

	if (argc < 4 || argc > 3 + IDS) {
		fputs("usage: frame_trace INPUT OUTPUT ID...\n", stderr);
		return 1;
	}
	for (int i = 3; i < argc; i++)
		ids[i - 3] = (uint8_t)strtoul(argv[i], NULL, 0);
	in = fopen(argv[1], "rbe");
	out = fopen(argv[2], "wbe");
	error = !in || !out || copy(in, out, ids, argc - 3);
	if (in)
		fclose(in);
	if (out && fclose(out))
		error = 1;
	if (error)
		fputs("frame_trace: a file cannot be read or written\n", stderr);
	return error;
}
