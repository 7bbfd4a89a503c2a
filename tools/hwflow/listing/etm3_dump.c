// SPDX-License-Identifier: GPL-2.0-only
/* Packets of ETMv3, one a line. */
#include "cli/progress.h"
#include "format.h"
#include "input/etm3.h"
#include "input/gaps.h"
#include "input/selection.h"

/* Bytes between two looks at the clock */
#define TELL 0x4000u

/* struct listing - what a listing of packets remembers from line to line */
struct listing {
	struct text *out;
	const struct hwf_etm3_config *config;
	struct hwf_etm3_address_state state;
	enum line_format format;
	uint64_t unsync_offset;
	uint64_t unsync_length;
	const struct input_source *source;
	const struct input_piece *piece;
	struct gaps *gaps;
	struct cut *cut;
	struct text *selected;   /* takes the lines that are selected */
	struct text *unsync_out; /* takes the line of bytes that are not synchronised */
	uint64_t timestamp;
};

static void put_p_header(const struct listing *listing, const struct hwf_etm3_packet *packet)
{
	uint8_t atoms[HWF_ETM3_MAX_SEQUENCE];
	const unsigned int count = hwf_etm3_p_header_sequence(packet, atoms);

	text_string(listing->out, " atoms=");
	for (unsigned int i = 0; i < count; i++)
		text_char(listing->out, "NEW"[atoms[i]]);
	if (packet->type >= HWF_ETM3_P_HEADER_CYCLE_F0)
		text_named_decimal(listing->out, " cycles=", packet->u.atoms.waits);
}

/* Whatever the packet changes, and nothing else */
static void put_branch(struct listing *listing, const struct hwf_etm3_branch *branch)
{
	const uint8_t isa = listing->state.isa;
	const uint32_t address = hwf_etm3_expand(&listing->state, branch);
	const unsigned int number = hwf_etm3_exception_number(branch);

	text_string(listing->out, " addr=");
	text_hex_prefixed(listing->out, address);
	if (listing->state.isa != isa)
		text_named_string(listing->out, " isa=", isa_name(listing->state.isa));
	if (branch->info)
		text_named_string(listing->out, " sec=", branch->ns ? "NS" : "S");
	if (branch->has_second)
		text_named_decimal(listing->out, " hyp=", branch->hyp);
	if (number) {
		text_string(listing->out, " exception=0x");
		text_hex_zeros(listing->out, number, 2);
	}
	if (branch->cancel)
		text_string(listing->out, " cancel=1");
	if (branch->has_third)
		text_named_decimal(listing->out, " resume=", branch->resume);
	if (number && listing->format == FORMAT_HUMAN) {
		text_named_string(listing->out, " (",
				  hwf_etm3_exception_name(number, listing->config->armv7m));
		text_string(listing->out, ")");
	}
}

static void put_i_sync(struct listing *listing, const struct hwf_etm3_packet *packet)
{
	static const char *const reasons[] = {"periodic", "trace_enable", "overflow", "debug_exit"};
	const struct hwf_etm3_i_sync *sync = &packet->u.i_sync;

	text_named_string(listing->out, " reason=", reasons[sync->reason]);
	if (!listing->config->data_only) {
		text_string(listing->out, " addr=");
		text_hex_prefixed(listing->out, sync->address);
	}
	text_named_string(listing->out, " sec=", sync->ns ? "NS" : "S");
	text_named_decimal(listing->out, " hyp=", sync->hyp);
	if (listing->config->context_bytes) {
		text_string(listing->out, " cid=");
		text_hex_prefixed(listing->out, sync->cid);
	}
	if (!listing->config->data_only) {
		hwf_etm3_expand_i_sync(&listing->state, sync);
		text_named_string(listing->out, " isa=", isa_name(listing->state.isa));
	}
	if (packet->type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT)
		text_named_decimal(listing->out, " cycles=", sync->cycles);
	if (sync->in_progress) {
		text_string(listing->out, " lsip_addr=");
		text_hex_prefixed(listing->out, listing->state.address);
	}
}

static void put_data(struct listing *listing, const struct hwf_etm3_packet *packet)
{
	const struct hwf_etm3_data *data = &packet->u.data;
	const uint32_t known = data->address_bits < 32 ? (1u << data->address_bits) - 1 : ~0u;

	if (data->address_bits) {
		listing->state.data_address =
			(listing->state.data_address & ~known) | data->address;
		text_string(listing->out, " addr=");
		text_hex_prefixed(listing->out, listing->state.data_address);
	}
	if (data->big_endian)
		text_string(listing->out, " big_endian=1");
	if (hwf_etm3_type_codec(packet->type) != HWF_ETM3_CODEC_data_place &&
	    listing->config->data_value)
		text_named_hex(listing->out, " value=0x", data->value);
	if (data->tag)
		text_named_decimal(listing->out, " tag=", data->tag);
}

static void put_timestamp(struct listing *listing, const struct hwf_etm3_timestamp *timestamp)
{
	text_named_hex(listing->out, " ts=0x",
		       hwf_etm3_expand_timestamp(listing->config, &listing->state, timestamp));
	if (timestamp->clock_changed)
		text_string(listing->out, " clock_changed=1");
}

static void put_fields(struct listing *listing, const struct hwf_etm3_packet *packet)
{
	switch (hwf_etm3_type_codec(packet->type)) {
	case HWF_ETM3_CODEC_p_header:
		put_p_header(listing, packet);
		break;
	case HWF_ETM3_CODEC_branch:
		put_branch(listing, &packet->u.branch);
		break;
	case HWF_ETM3_CODEC_i_sync:
		put_i_sync(listing, packet);
		break;
	case HWF_ETM3_CODEC_cycle_count:
		text_named_decimal(listing->out, " cycles=", packet->u.cycles);
		break;
	case HWF_ETM3_CODEC_context_id:
		text_named_hex(listing->out, " cid=0x", packet->u.cid);
		break;
	case HWF_ETM3_CODEC_vmid:
		text_named_hex(listing->out, " vmid=0x", packet->u.vmid);
		break;
	case HWF_ETM3_CODEC_timestamp:
		put_timestamp(listing, &packet->u.timestamp);
		break;
	case HWF_ETM3_CODEC_late_data:
	case HWF_ETM3_CODEC_normal_data:
	case HWF_ETM3_CODEC_data_place:
		put_data(listing, packet);
		break;
	default:
		break;
	}
}

static void put_unsync(struct listing *listing)
{
	struct text *out = listing->unsync_out;

	if (!listing->unsync_length)
		return;
	if (listing->format == FORMAT_REF) {
		text_decimal(out, listing->unsync_offset);
		text_named_decimal(out, " - UNSYNC len=", listing->unsync_length);
	} else {
		text_hex_padded(out, listing->unsync_offset, 10);
		packet_human_bytes(out, NULL, 0);
		text_named_decimal(out, "UNSYNC ", listing->unsync_length);
		text_string(out, " bytes before synchronisation");
	}
	text_end_line(out);
	listing->unsync_length = 0;
}

static void put_line(struct listing *listing, const struct hwf_etm3_packet *packet,
		     const uint8_t *bytes, uint64_t offset, bool tentative)
{
	if (packet->type == HWF_ETM3_UNSYNC ||
	    (listing->format == FORMAT_HUMAN && tentative && packet->type < HWF_ETM3_TYPES)) {
		if (!listing->unsync_length) {
			listing->unsync_offset = offset;
			listing->unsync_out = listing->out;
		}
		listing->unsync_length += packet->size;
		return;
	}
	put_unsync(listing);
	if (listing->format == FORMAT_REF) {
		text_decimal(listing->out, offset);
		text_char(listing->out, ' ');
		text_hex_bytes(listing->out, bytes, packet->size);
	} else {
		text_hex_padded(listing->out, offset, 10);
		text_string(listing->out, "  ");
		text_hex_bytes(listing->out, bytes, packet->size);
		if (packet->size < 13)
			text_blanks(listing->out, 26 - 2 * packet->size);
	}
	text_named_string(listing->out, " ", hwf_etm3_type_name(packet->type));
	if (packet->type < HWF_ETM3_TYPES)
		put_fields(listing, packet);
	else
		text_named_string(listing->out, " header_of=",
				  hwf_etm3_type_name(listing->config->types[packet->header]));
	text_end_line(listing->out);
}

/* What cannot be decoded at an offset of a piece; @header: of the packet, or NULL */
static void add_gap(const struct listing *listing, uint64_t offset, const uint8_t *header,
		    enum hwf_err error, const char *remedy)
{
	const struct gap gap = {.source = listing->source,
				.piece = listing->piece,
				.offset = offset,
				.tid = listing->piece->tid,
				.has_header = header != NULL,
				.header = header ? *header : 0,
				.reason = hwf_err_text(error),
				.remedy = remedy};

	gaps_add(listing->gaps, &gap);
}

static void take_timestamp(struct listing *listing, const struct hwf_etm3_packet *packet)
{
	struct hwf_etm3_address_state state = listing->state;
	uint64_t value;

	if (packet->type >= HWF_ETM3_TYPES ||
	    hwf_etm3_type_codec(packet->type) != HWF_ETM3_CODEC_timestamp)
		return;
	value = hwf_etm3_expand_timestamp(listing->config, &state, &packet->u.timestamp);
	if (value)
		listing->timestamp = value;
}

/* Chooses who takes the line of a packet, for the lines of others depend on it, and takes a gap.
 * Returns false if there is one. */
static bool begin_packet(struct listing *listing, const struct hwf_etm3_stream *stream,
			 const struct hwf_etm3_packet *packet, size_t at, bool tentative)
{
	take_timestamp(listing, packet);
	listing->out = listing->selected;
	if (!cut_has(listing->cut, at, listing->timestamp)) {
		listing->out = text_nowhere();
		return true;
	}
	if (packet->type > HWF_ETM3_UNSYNC && !tentative) {
		add_gap(listing, at, &packet->header, stream->error,
			packet->type == HWF_ETM3_INCOMPLETE ? CUT_REMEDY : NO_SYNC_REMEDY);
		return false;
	}
	if (packet->type < HWF_ETM3_UNSYNC)
		gaps_resume(listing->gaps, at);
	return true;
}

/* Is no line to come selected? */
static bool has_ended(const struct listing *listing, size_t at)
{
	cut_pass(listing->cut, at, listing->timestamp);
	return listing->cut && listing->cut->stop &&
	       (!listing->unsync_length || cut_is_full(listing->cut));
}

bool etm3_dump_piece(const struct input_source *source, const struct input_piece *piece,
		     enum line_format format, struct text *out, struct gaps *gaps, struct cut *cut)
{
	struct listing listing = {.out = out,
				  .config = &source->etm3->config,
				  .format = format,
				  .source = source,
				  .piece = piece,
				  .gaps = gaps,
				  .cut = cut,
				  .selected = out};
	struct hwf_etm3_stream stream;
	struct hwf_etm3_packet packet;
	size_t at = cut ? cut->part.span.from : 0;
	size_t told = at;
	size_t released = at;
	bool is_ended = false;
	bool good = true;

	hwf_etm3_stream_init(&stream, listing.config);
	stream.offset = at;
	while (!is_ended) {
		const bool tentative = stream.tentative;
		const size_t size = hwf_etm3_stream_next(&stream, piece->bytes + at,
							 piece->length - at, true, &packet);

		if (!size)
			break;
		good &= begin_packet(&listing, &stream, &packet, at, tentative);
		put_line(&listing, &packet, piece->bytes + at, at, tentative && stream.tentative);
		at += size;
		released = input_release(piece, released, at);
		if (at - told >= TELL) {
			progress_add(at - told);
			told = at;
		}
		is_ended = has_ended(&listing, at);
	}
	progress_add(at - told);
	if (is_ended)
		return good;
	put_unsync(&listing);
	if (piece->length && !stream.synced) {
		good = false;
		add_gap(&listing, 0, NULL, HWF_ERR_NO_SYNC, "; is it a trace of ETMv3?");
	}
	gaps_resume(gaps, piece->length);
	return good;
}
