/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* CoreSight formatter frames: 16 bytes that mix the trace of up to 111 sources. */
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

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_FRAMES_H */
