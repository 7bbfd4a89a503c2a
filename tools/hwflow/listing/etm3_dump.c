// SPDX-License-Identifier: GPL-2.0-only
/* Packets of ETMv3, one a line. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/progress.h"
#include "format.h"
#include "input/etm3.h"
#include "input/gaps.h"

/* Bytes between two looks at the clock */
#define TELL 0x4000u

/* struct listing - what a listing of packets remembers from line to line */
struct listing {
	const struct hwf_etm3_config *config;
	struct hwf_etm3_address_state state;
	enum line_format format;
	uint64_t unsync_offset;
	uint64_t unsync_length;
	const struct input_source *source;
	const struct input_piece *piece;
	struct gaps *gaps;
};

static void put_p_header(const struct hwf_etm3_packet *packet)
{
	uint8_t atoms[HWF_ETM3_MAX_SEQUENCE];
	const unsigned int count = hwf_etm3_p_header_sequence(packet, atoms);

	fputs(" atoms=", stdout);
	for (unsigned int i = 0; i < count; i++)
		putchar("NEW"[atoms[i]]);
	if (packet->type >= HWF_ETM3_P_HEADER_CYCLE_F0)
		printf(" cycles=%u", packet->u.atoms.waits);
}

/* Whatever the packet changes, and nothing else */
static void put_branch(struct listing *listing, const struct hwf_etm3_branch *branch)
{
	const uint8_t isa = listing->state.isa;
	const uint32_t address = hwf_etm3_expand(&listing->state, branch);
	const unsigned int number = hwf_etm3_exception_number(branch);

	printf(" addr=%#" PRIx32, address);
	if (listing->state.isa != isa)
		printf(" isa=%s", isa_name(listing->state.isa));
	if (branch->info)
		printf(" sec=%s", branch->ns ? "NS" : "S");
	if (branch->has_second)
		printf(" hyp=%d", branch->hyp);
	if (number)
		printf(" exception=0x%02x", number);
	if (branch->cancel)
		fputs(" cancel=1", stdout);
	if (branch->has_third)
		printf(" resume=%u", branch->resume);
	if (number && listing->format == FORMAT_HUMAN)
		printf(" (%s)", hwf_etm3_exception_name(number, listing->config->armv7m));
}

static void put_i_sync(struct listing *listing, const struct hwf_etm3_packet *packet)
{
	static const char *const reasons[] = {"periodic", "trace_enable", "overflow", "debug_exit"};
	const struct hwf_etm3_i_sync *sync = &packet->u.i_sync;

	printf(" reason=%s", reasons[sync->reason]);
	if (!listing->config->data_only)
		printf(" addr=%#" PRIx32, sync->address);
	printf(" sec=%s hyp=%d", sync->ns ? "NS" : "S", sync->hyp);
	if (listing->config->context_bytes)
		printf(" cid=%#" PRIx32, sync->cid);
	if (!listing->config->data_only) {
		hwf_etm3_expand_i_sync(&listing->state, sync);
		printf(" isa=%s", isa_name(listing->state.isa));
	}
	if (packet->type == HWF_ETM3_I_SYNC_WITH_CYCLE_COUNT)
		printf(" cycles=%" PRIu32, sync->cycles);
	if (sync->in_progress)
		printf(" lsip_addr=%#" PRIx32, listing->state.address);
}

static void put_data(struct listing *listing, const struct hwf_etm3_packet *packet)
{
	const struct hwf_etm3_data *data = &packet->u.data;
	const uint32_t known = data->address_bits < 32 ? (1u << data->address_bits) - 1 : ~0u;

	if (data->address_bits) {
		listing->state.data_address =
			(listing->state.data_address & ~known) | data->address;
		printf(" addr=%#" PRIx32, listing->state.data_address);
	}
	if (data->big_endian)
		fputs(" big_endian=1", stdout);
	if (hwf_etm3_type_codec(packet->type) != HWF_ETM3_CODEC_data_place &&
	    listing->config->data_value)
		printf(" value=0x%" PRIx32, data->value);
	if (data->tag)
		printf(" tag=%u", data->tag);
}

static void put_timestamp(struct listing *listing, const struct hwf_etm3_timestamp *timestamp)
{
	printf(" ts=0x%" PRIx64,
	       hwf_etm3_expand_timestamp(listing->config, &listing->state, timestamp));
	if (timestamp->clock_changed)
		fputs(" clock_changed=1", stdout);
}

static void put_fields(struct listing *listing, const struct hwf_etm3_packet *packet)
{
	switch (hwf_etm3_type_codec(packet->type)) {
	case HWF_ETM3_CODEC_p_header:
		put_p_header(packet);
		break;
	case HWF_ETM3_CODEC_branch:
		put_branch(listing, &packet->u.branch);
		break;
	case HWF_ETM3_CODEC_i_sync:
		put_i_sync(listing, packet);
		break;
	case HWF_ETM3_CODEC_cycle_count:
		printf(" cycles=%" PRIu32, packet->u.cycles);
		break;
	case HWF_ETM3_CODEC_context_id:
		printf(" cid=0x%" PRIx32, packet->u.cid);
		break;
	case HWF_ETM3_CODEC_vmid:
		printf(" vmid=0x%x", packet->u.vmid);
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
	if (!listing->unsync_length)
		return;
	if (listing->format == FORMAT_REF)
		printf("%" PRIu64 " - UNSYNC len=%" PRIu64 "\n", listing->unsync_offset,
		       listing->unsync_length);
	else
		printf("%10" PRIx64 "  %-26s UNSYNC %" PRIu64 " bytes before synchronisation\n",
		       listing->unsync_offset, "", listing->unsync_length);
	listing->unsync_length = 0;
}

static void put_line(struct listing *listing, const struct hwf_etm3_packet *packet,
		     const uint8_t *bytes, uint64_t offset, bool tentative)
{
	if (packet->type == HWF_ETM3_UNSYNC ||
	    (listing->format == FORMAT_HUMAN && tentative && packet->type < HWF_ETM3_TYPES)) {
		if (!listing->unsync_length)
			listing->unsync_offset = offset;
		listing->unsync_length += packet->size;
		return;
	}
	put_unsync(listing);
	printf(listing->format == FORMAT_REF ? "%" PRIu64 " " : "%10" PRIx64 "  ", offset);
	for (uint32_t i = 0; i < packet->size; i++)
		printf("%02x", bytes[i]);
	if (listing->format == FORMAT_HUMAN && packet->size < 13)
		printf("%*s", (int)(26 - 2 * packet->size), "");
	printf(" %s", hwf_etm3_type_name(packet->type));
	if (packet->type < HWF_ETM3_TYPES)
		put_fields(listing, packet);
	else
		printf(" header_of=%s", hwf_etm3_type_name(listing->config->types[packet->header]));
	putchar('\n');
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

bool etm3_dump_piece(const struct input_source *source, const struct input_piece *piece,
		     enum line_format format, struct gaps *gaps)
{
	struct listing listing = {.config = &source->etm3->config,
				  .format = format,
				  .source = source,
				  .piece = piece,
				  .gaps = gaps};
	struct hwf_etm3_stream stream;
	struct hwf_etm3_packet packet;
	size_t at = 0;
	size_t told = 0;
	size_t released = 0;
	bool good = true;

	hwf_etm3_stream_init(&stream, listing.config);
	for (;;) {
		const bool tentative = stream.tentative;
		const size_t size = hwf_etm3_stream_next(&stream, piece->bytes + at,
							 piece->length - at, true, &packet);

		if (!size)
			break;
		if (packet.type > HWF_ETM3_UNSYNC && !tentative) {
			good = false;
			add_gap(&listing, at, &packet.header, stream.error,
				packet.type == HWF_ETM3_INCOMPLETE ? CUT_REMEDY : NO_SYNC_REMEDY);
		} else if (packet.type < HWF_ETM3_UNSYNC) {
			gaps_resume(gaps, at);
		}
		put_line(&listing, &packet, piece->bytes + at, at, tentative && stream.tentative);
		at += size;
		released = input_release(piece, released, at);
		if (at - told >= TELL) {
			progress_add(at - told);
			told = at;
		}
	}
	progress_add(at - told);
	put_unsync(&listing);
	if (piece->length && !stream.synced) {
		good = false;
		add_gap(&listing, 0, NULL, HWF_ERR_NO_SYNC, "; is it a trace of ETMv3?");
	}
	gaps_resume(gaps, piece->length);
	return good;
}
