/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * CoreSight formatter frames (FORMATTER_FRAME): 16 bytes that mix the trace of up to 111 sources. A
 * trace buffer in memory has frames only. A TPIU, and a probe that records its port, also have
 * synchronisation packets:
 *
 *	full    ff ff ff 7f    between frames
 *	half    ff 7f          before any even byte of a frame, and between frames
 *
 * FORMATTER_SYNC: an even byte ff of a frame would be the ID 0x7f, which no frame has: neither can
 * be mistaken.
 */
#ifndef HWFLOW_FRAMES_H
#define HWFLOW_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** HWF_FRAME - bytes of a frame */
#define HWF_FRAME 16

/**
 * enum hwf_frame_id - what the IDs of a frame mean (FORMATTER_ID)
 * @HWF_FRAME_ID_NULL: padding
 * @HWF_FRAME_ID_FIRST: of the IDs that have trace
 * @HWF_FRAME_ID_LAST: likewise
 * @HWF_FRAME_ID_TRIGGER: a trigger, with data that is no trace
 *
 * All other IDs are reserved.
 */
enum hwf_frame_id {
	HWF_FRAME_ID_NULL = 0x00,
	HWF_FRAME_ID_FIRST = 0x01,
	HWF_FRAME_ID_LAST = 0x6f,
	HWF_FRAME_ID_TRIGGER = 0x7d,
};

/** HWF_FRAME_NO_ID - before the first trace ID in a stream of frames */
#define HWF_FRAME_NO_ID 0xff

/**
 * struct hwf_deframer - what is carried from frame to frame
 * @id: trace ID that data belongs to; HWF_FRAME_NO_ID at first
 */
struct hwf_deframer {
	uint8_t id;
};

/**
 * struct hwf_frame_byte - one byte of trace out of a frame
 * @id: the trace ID it belongs to
 * @value: the byte
 */
struct hwf_frame_byte {
	uint8_t id;
	uint8_t value;
};

/** hwf_deframer_init() - begin a stream of frames */
void hwf_deframer_init(struct hwf_deframer *deframer);

/**
 * hwf_deframe() - take one frame apart
 * @deframer: state of the stream
 * @frame: HWF_FRAME bytes
 * @bytes: receives at most 15 bytes with their trace IDs
 *
 * Return: how many. ID 0 is padding; the caller drops it.
 */
size_t hwf_deframe(struct hwf_deframer *deframer, const uint8_t *frame,
		   struct hwf_frame_byte *bytes);

/**
 * enum hwf_frame_kind - what hwf_frame_read() found
 * @HWF_FRAME_WHOLE: a frame
 * @HWF_FRAME_SYNC: a full synchronisation packet between frames, or half ones at the end
 * @HWF_FRAME_BROKEN: bytes that are no whole frame, and a full synchronisation packet after them:
 *	the bytes from the synchronisation before on may not begin with a frame either
 * @HWF_FRAME_PARTIAL: the bytes end before the frame does
 */
enum hwf_frame_kind {
	HWF_FRAME_WHOLE,
	HWF_FRAME_SYNC,
	HWF_FRAME_BROKEN,
	HWF_FRAME_PARTIAL,
};

/**
 * struct hwf_frame - result of hwf_frame_read()
 * @bytes: HWF_FRAME bytes of a whole frame, without half synchronisation packets: those that were
 *	read, or @copy
 * @copy: see @bytes
 * @kind: enum hwf_frame_kind
 */
struct hwf_frame {
	const uint8_t *bytes;
	uint8_t copy[HWF_FRAME];
	uint8_t kind;
};

/**
 * hwf_frame_read() - read the next frame or full synchronisation packet
 * @bytes: the frames from their beginning on, or from a synchronisation
 * @length: of @bytes
 * @at: where to read, not beyond @length
 * @frame: receives what is there; @frame->bytes point to @bytes or into @frame
 *
 * Return: bytes of it, with half synchronisation packets and, if it is broken, with the full one.
 */
size_t hwf_frame_read(const uint8_t *bytes, size_t length, size_t at, struct hwf_frame *frame);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_FRAMES_H */
