/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Bytes in pieces of any size. Decoders leave the bytes of a packet that is not complete; they are
 * copied to the tail, and bytes of the next piece behind them:
 *
 *	tail    |old tail|copied|      the view, until the decoder has taken the old tail
 *	bytes            |copied|...   then these bytes are the view
 */
#include <string.h>

#include "session/session_private.h"

void hwf_input_look(struct hwf_input *input, size_t most, struct hwf_view *view)
{
	size_t room = HWF_SESSION_TAIL - input->tail_length;

	if (!input->tail_length && input->length) {
		view->bytes = input->bytes;
		view->length = input->length < most ? input->length : most;
		view->copied = SIZE_MAX;
		view->last = input->last && view->length == input->length;
		return;
	}
	if (room > input->length)
		room = input->length;
	if (room)
		memcpy(input->tail + input->tail_length, input->bytes, room);
	view->bytes = input->tail;
	view->length = input->tail_length + room;
	view->copied = room;
	view->last = input->last && room == input->length;
}

void hwf_input_take(struct hwf_input *input, const struct hwf_view *view, size_t taken)
{
	if (view->copied == SIZE_MAX) {
		input->bytes += taken;
		input->length -= taken;
	} else if (taken >= input->tail_length) {
		/* the bytes behind are where the caller has them */
		taken -= input->tail_length;
		input->tail_length = 0;
		if (taken)
			input->bytes += taken;
		input->length -= taken;
	} else {
		memmove(input->tail, input->tail + taken, view->length - taken);
		input->tail_length = view->length - taken;
		if (view->copied)
			input->bytes += view->copied;
		input->length -= view->copied;
	}
}

void hwf_input_keep(struct hwf_input *input)
{
	if (!input->length)
		return;
	memcpy(input->tail + input->tail_length, input->bytes, input->length);
	input->tail_length += input->length;
	input->bytes += input->length;
	input->length = 0;
}
