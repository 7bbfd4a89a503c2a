// SPDX-License-Identifier: GPL-2.0-only
/* Synchronisation of an input. */
#include "input_sync.h"

#include "base/error.h"
#include "hwflow/text.h"
#include "packets.h"

/* values of input.sync: not known yet, no, yes */
enum answer {
	ANSWER_UNKNOWN,
	ANSWER_NO,
	ANSWER_YES,
};

static bool find_sync(struct packets *packets, const struct input_piece *piece,
		      enum input_sync level)
{
	bool is_synced = false, is_lost = false;
	struct hwf_packet packet;

	packets_begin(packets, piece, 0);
	while (!(is_synced && level == INPUT_SYNC_PACKETS) && packets_next(packets, &packet)) {
		const enum packet_role role = packets->source->protocol->packet_role(&packet);

		if (role == PACKET_STARTS)
			return true;
		is_synced |= role != PACKET_UNSYNCED;
		is_lost |= role == PACKET_NEEDS_START;
	}
	return is_synced && !is_lost;
}

static bool has_sync(const struct input_source *source, const struct input_piece *piece,
		     enum input_sync level)
{
	struct packets packets;
	bool found;

	/* without memory nothing is found */
	if (!piece->length || packets_open(&packets, source))
		return false;
	found = find_sync(&packets, piece, level);
	packets_close(&packets);
	/* workers decode, so that this process may need no page of the trace again */
	input_release(piece, 0, piece->length);
	return found;
}

static enum answer answer_of(const struct input *input, enum input_sync level)
{
	for (size_t i = 0; i < input->source_count; i++)
		for (size_t j = 0; j < input->sources[i].piece_count; j++)
			if (has_sync(&input->sources[i], &input->sources[i].pieces[j], level))
				return ANSWER_YES;
	return ANSWER_NO;
}

bool input_has_sync(struct input *input, enum input_sync level)
{
	if (input->sync[level] == ANSWER_UNKNOWN)
		input->sync[level] = (uint8_t)answer_of(input, level);
	return input->sync[level] == ANSWER_YES;
}

/* Nothing but padding: what was there is lost, and the recording says so */
static bool is_padding(const struct input_source *source, const struct input_piece *piece)
{
	size_t at = 0;

	if (!source->protocol->padding)
		return false;
	while (at < piece->length && piece->bytes[at] == source->protocol->padding)
		at++;
	return at == piece->length;
}

bool sync_gap(struct input *input, const struct input_source *source,
	      const struct input_piece *piece, struct gap *gap)
{
	if (!piece->length || has_sync(source, piece, INPUT_SYNC_FLOW) ||
	    (is_padding(source, piece) && input_has_sync(input, INPUT_SYNC_FLOW)))
		return false;
	*gap = (struct gap){.source = source, .piece = piece, .tid = piece->tid, .remedy = ""};
	gap->reason = has_sync(source, piece, INPUT_SYNC_PACKETS) ? source->protocol->no_start
								  : hwf_err_text(HWF_ERR_NO_SYNC);
	/* where other pieces are synchronised, this one is too short */
	if (!input_has_sync(input, INPUT_SYNC_FLOW))
		gap->remedy = source->protocol->no_sync;
	return true;
}

int sync_status(struct input *input, enum input_sync level, int status)
{
	if ((status && status != EXIT_GAPS) || !input_bytes(input) || input_has_sync(input, level))
		return status;
	return EXIT_UNREADABLE;
}
