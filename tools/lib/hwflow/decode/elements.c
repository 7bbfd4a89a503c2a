/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * The element stage: packets to trace elements (spec/ete-packets.md sections 1 to 8). It expands
 * compressed addresses, contexts and timestamps, and joins an Exception packet with its address.
 */
#include "hwflow/element.h"

void hwf_elements_init(struct hwf_elements *elements, const struct hwf_ete_config *config,
		       hwf_element_fn *sink, void *sink_ctx)
{
	*elements = (struct hwf_elements){
		.config = config,
		.sink = sink,
		.sink_ctx = sink_ctx,
		.sync = HWF_SYNC_NONE,
		.lost = HWF_NO_SYNC_INIT,
	};
}

static void give(struct hwf_elements *elements, struct hwf_element *element, uint64_t offset,
		 uint8_t kind)
{
	element->offset = offset;
	element->kind = kind;
	elements->sink(elements->sink_ctx, element);
}

/*
 * Synchronisation is lost. give_no_sync() reports it at the next packet: a malformed packet may be
 * reported in several parts, and the offset is that of the packet behind them.
 */
static void lose(struct hwf_elements *elements, uint8_t reason, int error)
{
	elements->sync = HWF_SYNC_NONE;
	elements->lost = reason;
	elements->lost_error = error;
	elements->exception_pending = false;
	/*
	 * R_JNWJY: after an Overflow or a Discard the Timestamp of a marker does not come. After
	 * other losses it may be among the lost packets.
	 */
	elements->marker_pending = false;
}

static void give_no_sync(struct hwf_elements *elements, uint64_t offset)
{
	struct hwf_element element = {0};

	if (elements->lost == HWF_NOTHING_LOST)
		return;
	element.u.no_sync =
		(struct hwf_el_no_sync){.reason = elements->lost, .error = elements->lost_error};
	elements->lost = HWF_NOTHING_LOST;
	give(elements, &element, offset, HWF_EL_NO_SYNC);
}

static void give_bare(struct hwf_elements *elements, uint64_t offset, uint8_t kind)
{
	struct hwf_element element = {0};

	give(elements, &element, offset, kind);
}

static void give_number(struct hwf_elements *elements, uint64_t offset, uint8_t kind,
			uint32_t number)
{
	struct hwf_element element = {.u.number = number};

	give(elements, &element, offset, kind);
}

static void give_atoms(struct hwf_elements *elements, uint64_t offset,
		       const struct hwf_ete_atoms *atoms)
{
	struct hwf_element element;

	element.corrected = 0;
	element.u.atoms = *atoms;
	give(elements, &element, offset, HWF_EL_ATOM);
}

/* A Trace Info resets the state of compression, in the trace unit and here. */
static void take_trace_info(struct hwf_elements *elements, const struct hwf_ete_trace_info *info,
			    uint64_t offset)
{
	struct hwf_element element = {.u.trace_info = *info};

	hwf_history_reset(&elements->history);
	elements->cc_threshold = info->cc_threshold;
	elements->cycle_counting = info->info & 1;
	elements->context = (struct hwf_context){0};
	if (elements->sync != HWF_SYNC_FULL) {
		elements->sync = HWF_SYNC_FULL;
		elements->marker_seen = false;
	}
	give(elements, &element, offset, HWF_EL_TRACE_INFO);
}

static uint8_t security(const struct hwf_ete_context *context)
{
	if (context->nse)
		return context->ns ? HWF_SEC_REALM : HWF_SEC_ROOT;
	return context->ns ? HWF_SEC_NONSECURE : HWF_SEC_SECURE;
}

/* @address: of the same packet; NULL for a packet without one */
static void take_context(struct hwf_elements *elements, const struct hwf_ete_context *packet,
			 const struct hwf_ete_address *address, uint64_t offset)
{
	struct hwf_context *context = &elements->context;
	struct hwf_element element = {0};

	/* the packet says that the context has not changed */
	if (packet->same)
		return;
	context->el = packet->el;
	context->sf = packet->sf;
	context->security = security(packet);
	if (packet->has_vmid) {
		context->vmid = packet->vmid;
		context->has_vmid = true;
	}
	if (packet->has_cid) {
		context->cid = packet->cid;
		context->has_cid = true;
	}
	elements->history.aarch32 = !context->sf;
	element.u.context = (struct hwf_el_context){
		.context = *context,
		.is = address ? address->is : 0,
		.has_is = address,
		.gives_vmid = packet->has_vmid,
		.gives_cid = packet->has_cid,
	};
	give(elements, &element, offset, HWF_EL_CONTEXT);
}

/* An address completes an Exception packet before it; otherwise it is a Target Address. */
static void take_target(struct hwf_elements *elements, struct hwf_el_address address,
			uint64_t offset)
{
	struct hwf_element element = {0};

	if (elements->exception_pending) {
		elements->exception_pending = false;
		elements->exception.u.exception.ret = address;
		elements->exception.u.exception.has_ret = true;
		give(elements, &elements->exception, elements->exception.offset, HWF_EL_EXCEPTION);
		return;
	}
	element.u.address = address;
	give(elements, &element, offset, HWF_EL_TARGET_ADDRESS);
}

static void take_exact_match(struct hwf_elements *elements, const struct hwf_ete_packet *packet,
			     uint64_t offset)
{
	struct hwf_el_address address = elements->history.entry[packet->u.entry];
	struct hwf_element element = {.u.address = address};

	hwf_history_push(&elements->history, address.value, address.is);
	if (packet->type == HWF_ETE_SOURCE_ADDRESS_EXACT_MATCH)
		give(elements, &element, offset, HWF_EL_SOURCE_ADDRESS);
	else
		take_target(elements, address, offset);
}

static void take_address(struct hwf_elements *elements, const struct hwf_ete_packet *packet,
			 uint64_t offset)
{
	struct hwf_el_address address = hwf_history_expand(&elements->history, &packet->u.address);
	struct hwf_element element = {.u.address = address};

	if (packet->type >= HWF_ETE_SOURCE_ADDRESS_SHORT_IS0)
		give(elements, &element, offset, HWF_EL_SOURCE_ADDRESS);
	else
		take_target(elements, address, offset);
}

static void take_address_context(struct hwf_elements *elements, const struct hwf_ete_packet *packet,
				 uint64_t offset)
{
	const struct hwf_ete_address_context *both = &packet->u.address_context;

	take_context(elements, &both->context, &both->address, offset);
	take_target(elements, hwf_history_expand(&elements->history, &both->address), offset);
}

static void take_exception(struct hwf_elements *elements, const struct hwf_ete_packet *packet,
			   uint64_t offset)
{
	struct hwf_element *element = &elements->exception;

	if (packet->type == HWF_ETE_TRANSACTION_FAILURE) {
		hwf_history_push(&elements->history, 0, 0);
		give_bare(elements, offset, HWF_EL_TRANSACTION_FAILURE);
		return;
	}
	*element = (struct hwf_element){.offset = offset};
	element->u.exception.type = packet->u.exception.type;
	element->u.exception.ret_is_target = packet->u.exception.ee == 2;
	if (packet->type == HWF_ETE_PE_RESET) {
		hwf_history_push(&elements->history, 0, 0);
		give(elements, element, offset, HWF_EL_EXCEPTION);
		return;
	}
	elements->exception_pending = true;
}

static void take_q(struct hwf_elements *elements, const struct hwf_ete_q *q, uint64_t offset)
{
	struct hwf_element element = {0};

	element.u.q = (struct hwf_el_q){.count = q->count,
					.type = q->type,
					.has_address = q->has_address,
					.has_count = q->has_count};
	if (q->has_address && q->entry < HWF_HISTORY) {
		element.u.q.address = elements->history.entry[q->entry];
		hwf_history_push(&elements->history, element.u.q.address.value,
				 element.u.q.address.is);
	} else if (q->has_address) {
		element.u.q.address = hwf_history_expand(&elements->history, &q->address);
	}
	give(elements, &element, offset, HWF_EL_Q);
}

static void take_timestamp(struct hwf_elements *elements, const struct hwf_ete_timestamp *packet,
			   uint64_t offset)
{
	struct hwf_element element = {0};
	struct hwf_el_timestamp *ts = &element.u.timestamp;
	const uint64_t value = hwf_ete_expand_time(packet, elements->history.timestamp);

	elements->history.timestamp = value;
	*ts = (struct hwf_el_timestamp){
		.value = value, .count = packet->count, .has_count = packet->has_count};
	if (elements->marker_pending) {
		/* R_MCSGX */
		ts->mark = HWF_TS_MARKED;
		ts->marker = elements->marker_offset;
		elements->marker_pending = false;
	} else if (elements->config->ts_marker && !elements->marker_seen) {
		/* I_PXZVX: the marker was before the start of trace */
		ts->mark = HWF_TS_BEFORE_TRACE;
	}
	give(elements, &element, offset, HWF_EL_TIMESTAMP);
}

/* R_VWJVC: of two Timestamp Markers without a Timestamp between, the older one is ignored. */
static void take_marker(struct hwf_elements *elements, uint64_t offset)
{
	elements->marker_pending = true;
	elements->marker_seen = true;
	elements->marker_offset = offset;
	give_bare(elements, offset, HWF_EL_TIMESTAMP_MARKER);
}

/* R_BZQWX: the Cycle Count of a packet belongs to its Commit, which is given first. */
static void take_cycle_count(struct hwf_elements *elements,
			     const struct hwf_ete_cycle_count *packet, uint64_t offset)
{
	struct hwf_element element = {0};

	element.u.cycle_count.unknown = packet->unknown;
	if (!packet->unknown)
		element.u.cycle_count.count = elements->cc_threshold + packet->count;
	if (packet->commit)
		give_number(elements, offset, HWF_EL_COMMIT, packet->commit);
	give(elements, &element, offset, HWF_EL_CYCLE_COUNT);
}

/* The elements of one packet are in this order: Atoms, Commit, Cancel, Mispredict. */
static void take_resolve(struct hwf_elements *elements, const struct hwf_ete_resolve *resolve,
			 uint64_t offset)
{
	if (resolve->atoms.count)
		give_atoms(elements, offset, &resolve->atoms);
	if (resolve->commit)
		give_number(elements, offset, HWF_EL_COMMIT, resolve->commit);
	if (resolve->cancel)
		give_number(elements, offset, HWF_EL_CANCEL, resolve->cancel);
	if (resolve->mispredict)
		give_bare(elements, offset, HWF_EL_MISPREDICT);
}

static void take_event(struct hwf_elements *elements, uint8_t event, uint64_t offset)
{
	struct hwf_element element = {.u.event = event};

	give(elements, &element, offset, HWF_EL_EVENT);
}

static void take_instrumentation(struct hwf_elements *elements, const struct hwf_ete_packet *packet,
				 uint64_t offset)
{
	struct hwf_element element = {.u.instrumentation = packet->u.instrumentation};

	give(elements, &element, offset, HWF_EL_INSTRUMENTATION);
}

static void take_trace_on(struct hwf_elements *elements, uint64_t offset)
{
	struct hwf_element element = {.u.overflow = elements->overflowed};

	elements->overflowed = false;
	give(elements, &element, offset, HWF_EL_TRACE_ON);
}

/* Discard or Overflow: no element before the next synchronisation */
static void take_loss(struct hwf_elements *elements, bool overflow, uint64_t offset)
{
	if (overflow)
		elements->overflowed = true;
	give_bare(elements, offset, overflow ? HWF_EL_OVERFLOW : HWF_EL_DISCARD);
	lose(elements, overflow ? HWF_NO_SYNC_OVERFLOW : HWF_NO_SYNC_DISCARD, 0);
}

static void take_rest(struct hwf_elements *elements, const struct hwf_ete_packet *packet,
		      uint64_t offset)
{
	switch (packet->type) {
	case HWF_ETE_TRACE_INFO:
		take_trace_info(elements, &packet->u.trace_info, offset);
		break;
	case HWF_ETE_TRACE_ON:
		take_trace_on(elements, offset);
		break;
	case HWF_ETE_TIMESTAMP_MARKER:
		take_marker(elements, offset);
		break;
	case HWF_ETE_EXCEPTION_RETURN:
		give_bare(elements, offset, HWF_EL_EXCEPTION_RETURN);
		break;
	case HWF_ETE_FUNCTION_RETURN:
		give_bare(elements, offset, HWF_EL_FUNCTION_RETURN);
		break;
	case HWF_ETE_TRANSACTION_START:
		give_bare(elements, offset, HWF_EL_TRANSACTION_START);
		break;
	case HWF_ETE_TRANSACTION_COMMIT:
		give_bare(elements, offset, HWF_EL_TRANSACTION_COMMIT);
		break;
	case HWF_ETE_DISCARD:
	case HWF_ETE_OVERFLOW:
		take_loss(elements, packet->type == HWF_ETE_OVERFLOW, offset);
		break;
	default:
		/*
		 * ALIGN_SYNC and IGNORE have no element. The conditional instructions of ETMv4
		 * are no program flow.
		 */
		break;
	}
}

static void take_packet(struct hwf_elements *elements, const struct hwf_ete_packet *packet,
			uint64_t offset)
{
	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_atoms:
		give_atoms(elements, offset, &packet->u.atoms);
		break;
	case HWF_ETE_CODEC_address:
		take_address(elements, packet, offset);
		break;
	case HWF_ETE_CODEC_exact_match:
		take_exact_match(elements, packet, offset);
		break;
	case HWF_ETE_CODEC_address_context:
		take_address_context(elements, packet, offset);
		break;
	case HWF_ETE_CODEC_context:
		take_context(elements, &packet->u.context, NULL, offset);
		break;
	case HWF_ETE_CODEC_exception:
		take_exception(elements, packet, offset);
		break;
	case HWF_ETE_CODEC_q:
		take_q(elements, &packet->u.q, offset);
		break;
	case HWF_ETE_CODEC_timestamp:
		take_timestamp(elements, &packet->u.timestamp, offset);
		break;
	case HWF_ETE_CODECS_CYCLE_COUNT:
		take_cycle_count(elements, &packet->u.cycle_count, offset);
		break;
	case HWF_ETE_CODECS_RESOLVE:
		take_resolve(elements, &packet->u.resolve, offset);
		break;
	case HWF_ETE_CODEC_event:
		take_event(elements, packet->u.event, offset);
		break;
	case HWF_ETE_CODEC_data_sync:
		if (packet->u.data_sync.atoms.count)
			give_atoms(elements, offset, &packet->u.data_sync.atoms);
		break;
	case HWF_ETE_CODEC_instrumentation:
		take_instrumentation(elements, packet, offset);
		break;
	default:
		take_rest(elements, packet, offset);
		break;
	}
}

/* Only a Context may be between an Exception packet and its address. */
static bool breaks_exception(const struct hwf_ete_packet *packet)
{
	switch (hwf_ete_type_codec(packet->type)) {
	case HWF_ETE_CODEC_context:
	case HWF_ETE_CODEC_address_context:
		return false;
	case HWF_ETE_CODEC_address:
		return packet->type >= HWF_ETE_SOURCE_ADDRESS_SHORT_IS0;
	case HWF_ETE_CODEC_exact_match:
		return packet->type == HWF_ETE_SOURCE_ADDRESS_EXACT_MATCH;
	default:
		return true;
	}
}

/* A packet before the Alignment Synchronisation, or between it and the Trace Info (I_SFXXD) */
static void push_unsynced(struct hwf_elements *elements, const struct hwf_ete_packet *packet,
			  uint64_t offset)
{
	switch (packet->type) {
	case HWF_ETE_ALIGN_SYNC:
		elements->sync = HWF_SYNC_ALIGNED;
		break;
	case HWF_ETE_TRACE_INFO:
		if (elements->sync == HWF_SYNC_ALIGNED)
			take_trace_info(elements, &packet->u.trace_info, offset);
		break;
	case HWF_ETE_EVENT:
	case HWF_ETE_INSTRUMENTATION:
		/* R_HMDGL: these two elements are legal before the Trace Info */
		if (elements->sync == HWF_SYNC_ALIGNED)
			take_packet(elements, packet, offset);
		break;
	case HWF_ETE_OVERFLOW:
		if (elements->sync == HWF_SYNC_ALIGNED)
			elements->overflowed = true;
		break;
	default:
		break;
	}
}

void hwf_elements_push(struct hwf_elements *elements, const struct hwf_ete_packet *packet,
		       uint64_t offset, bool tentative)
{
	/* a malformed packet may be reported in several parts: see lose() */
	if (packet->type != HWF_ETE_BAD_SEQUENCE)
		give_no_sync(elements, offset);
	if (packet->type >= HWF_ETE_TYPES) {
		if (packet->type != HWF_ETE_UNSYNC && elements->sync != HWF_SYNC_NONE)
			lose(elements, HWF_NO_SYNC_BAD_PACKET,
			     packet->type == HWF_ETE_RESERVED     ? HWF_ERR_RESERVED
			     : packet->type == HWF_ETE_INCOMPLETE ? HWF_ERR_NEED_MORE
								  : HWF_ERR_BAD_PAYLOAD);
		return;
	}
	elements->last_offset = offset;
	if (tentative)
		return;
	if (elements->exception_pending && breaks_exception(packet)) {
		lose(elements, HWF_NO_SYNC_BAD_PACKET, HWF_ERR_BAD_PAYLOAD);
		give_no_sync(elements, offset);
	}
	if (elements->sync == HWF_SYNC_FULL)
		take_packet(elements, packet, offset);
	else
		push_unsynced(elements, packet, offset);
}

void hwf_elements_flush(struct hwf_elements *elements)
{
	struct hwf_element element = {.u.overflow = elements->overflowed};

	/* a trace without bytes has no loss to report */
	if (elements->lost != HWF_NO_SYNC_INIT)
		give_no_sync(elements, elements->last_offset);
	give(elements, &element, elements->last_offset, HWF_EL_END);
}
