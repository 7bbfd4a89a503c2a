/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The packer: elements to the shortest packets. It keeps the address history of the decoder. */
#include "encode/packer_private.h"

#include "core/bits.h"

int hwf_packer_put(struct hwf_packer_room *room, const struct hwf_ete_packet *packet)
{
	int size = hwf_ete_encode(room->config, packet, room->bytes + room->used,
				  room->length - room->used);

	if (size < 0)
		return size;
	room->used += (size_t)size;
	return 0;
}

static int put_bare(struct hwf_packer_room *room, enum hwf_ete_type type)
{
	struct hwf_ete_packet packet = {.type = (uint8_t)type};

	return hwf_packer_put(room, &packet);
}

void hwf_packer_init(struct hwf_packer *packer, const struct hwf_ete_config *config)
{
	*packer = (struct hwf_packer){.config = config};
	hwf_history_reset(&packer->history);
}

/* ---- addresses ---- */

enum address_form { FORM_EXACT, FORM_SHORT, FORM_32, FORM_64 };

/* struct address_choice - form of an address packet; @entry for FORM_EXACT, @packet otherwise */
struct address_choice {
	enum address_form form;
	uint8_t entry;
	struct hwf_ete_address packet;
};

/* Number of low bits from which every decoder computes @address */
static uint8_t bits_needed(const struct hwf_packer *packer, const struct hwf_el_address *address)
{
	static const uint8_t widths[2][3] = {{9, 17, 32}, {8, 16, 32}};
	const struct hwf_el_address *entry = packer->history.entry;
	uint64_t differ = address->value ^ entry[0].value;

	/* decoders differ in the high half of an address of an AArch32 context */
	if (packer->context_known && !packer->context.sf && address->value >> 32 != 0)
		return 64;
	if (packer->history_sure == 0) {
		uint64_t high = address->value | entry[0].value | entry[1].value | entry[2].value;

		return high >> 32 != 0 ? 64 : 32;
	}
	for (unsigned int i = 0; i < 3; i++) {
		if (differ >> widths[address->is][i] == 0)
			return widths[address->is][i];
	}
	return 64;
}

static struct address_choice choose_address(const struct hwf_packer *packer,
					    const struct hwf_el_address *address)
{
	struct address_choice choice = {.packet.is = address->is};

	for (uint8_t i = 0; i < packer->history_sure; i++) {
		if (packer->history.entry[i].value == address->value &&
		    packer->history.entry[i].is == address->is) {
			choice.form = FORM_EXACT;
			choice.entry = i;
			return choice;
		}
	}
	choice.packet.bits = bits_needed(packer, address);
	choice.packet.value = address->value & hwf_low_bits(choice.packet.bits);
	if (choice.packet.bits == 64)
		choice.form = FORM_64;
	else
		choice.form = choice.packet.bits == 32 ? FORM_32 : FORM_SHORT;
	return choice;
}

static void remember_address(struct hwf_packer *packer, const struct hwf_el_address *address)
{
	hwf_history_push(&packer->history, address->value, address->is);
	if (packer->history_sure < HWF_HISTORY)
		packer->history_sure++;
}

/*
 * After a PE Reset or Transaction Failure some decoders add an address of 0 to their history, and
 * others do not. No entry before the next address is equal in every decoder.
 */
static void doubt_history(struct hwf_packer *packer)
{
	hwf_history_push(&packer->history, 0, 0);
	packer->history_sure = 0;
}

static int put_address(struct hwf_packer *packer, struct hwf_packer_room *room, bool source,
		       const struct hwf_el_address *address)
{
	static const uint8_t types[2][4][2] = {
		{
			{HWF_ETE_TARGET_ADDRESS_EXACT_MATCH, HWF_ETE_TARGET_ADDRESS_EXACT_MATCH},
			{HWF_ETE_TARGET_ADDRESS_SHORT_IS0, HWF_ETE_TARGET_ADDRESS_SHORT_IS1},
			{HWF_ETE_TARGET_ADDRESS_32BIT_IS0, HWF_ETE_TARGET_ADDRESS_32BIT_IS1},
			{HWF_ETE_TARGET_ADDRESS_64BIT_IS0, HWF_ETE_TARGET_ADDRESS_64BIT_IS1},
		},
		{
			{HWF_ETE_SOURCE_ADDRESS_EXACT_MATCH, HWF_ETE_SOURCE_ADDRESS_EXACT_MATCH},
			{HWF_ETE_SOURCE_ADDRESS_SHORT_IS0, HWF_ETE_SOURCE_ADDRESS_SHORT_IS1},
			{HWF_ETE_SOURCE_ADDRESS_32BIT_IS0, HWF_ETE_SOURCE_ADDRESS_32BIT_IS1},
			{HWF_ETE_SOURCE_ADDRESS_64BIT_IS0, HWF_ETE_SOURCE_ADDRESS_64BIT_IS1},
		},
	};
	struct address_choice choice;
	struct hwf_ete_packet packet = {0};
	int error;

	if (address->is > 1)
		return HWF_ERR_BAD_PAYLOAD;
	choice = choose_address(packer, address);
	packet.type = types[source][choice.form][address->is];
	if (choice.form == FORM_EXACT)
		packet.u.entry = choice.entry;
	else
		packet.u.address = choice.packet;
	error = hwf_packer_put(room, &packet);
	if (error == 0)
		remember_address(packer, address);
	return error;
}

/* ---- Context ---- */

/* The Context packet of @context, without the fields that have not changed; stores @context. */
static struct hwf_ete_context choose_context(struct hwf_packer *packer,
					     const struct hwf_context *context)
{
	const struct hwf_context *old = &packer->context;
	bool known = packer->context_known;
	struct hwf_ete_context packet = {
		.el = context->el,
		.sf = context->sf,
		.ns = context->security == HWF_SEC_NONSECURE || context->security == HWF_SEC_REALM,
		.nse = context->security == HWF_SEC_ROOT || context->security == HWF_SEC_REALM,
	};
	struct hwf_context merged = *context;

	if (packer->config->vmid_bytes != 0 && context->has_vmid &&
	    !(known && old->has_vmid && old->vmid == context->vmid)) {
		packet.has_vmid = true;
		packet.vmid = context->vmid;
	}
	if (packer->config->cid_bytes != 0 && context->has_cid &&
	    !(known && old->has_cid && old->cid == context->cid)) {
		packet.has_cid = true;
		packet.cid = context->cid;
	}
	packet.same = known && !packet.has_vmid && !packet.has_cid && old->el == context->el &&
		      old->sf == context->sf && old->security == context->security;
	if (known && !context->has_vmid) {
		merged.has_vmid = old->has_vmid;
		merged.vmid = old->vmid;
	}
	if (known && !context->has_cid) {
		merged.has_cid = old->has_cid;
		merged.cid = old->cid;
	}
	packer->context = merged;
	packer->context_known = true;
	return packet;
}

static int put_context(struct hwf_packer *packer, struct hwf_packer_room *room,
		       const struct hwf_context *context)
{
	struct hwf_ete_packet packet = {.type = HWF_ETE_CONTEXT};

	packet.u.context = choose_context(packer, context);
	return hwf_packer_put(room, &packet);
}

int hwf_packer_address_context(struct hwf_packer *packer, const struct hwf_el_context *context,
			       const struct hwf_el_address *address, uint8_t *bytes, size_t length)
{
	static const uint8_t types[2][2] = {
		{HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_32BIT_IS0,
		 HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_32BIT_IS1},
		{HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_64BIT_IS0,
		 HWF_ETE_TARGET_ADDRESS_WITH_CONTEXT_64BIT_IS1},
	};
	struct hwf_packer next = *packer;
	struct hwf_packer_room room = {.config = packer->config, .bytes = bytes, .length = length};
	struct hwf_ete_packet packet = {0};
	struct address_choice choice;
	int error;

	if (address->is > 1)
		return HWF_ERR_BAD_PAYLOAD;
	packet.u.address_context.context = choose_context(&next, &context->context);
	choice = choose_address(&next, address);
	if (choice.form >= FORM_32 && !packet.u.address_context.context.same) {
		packet.type = types[choice.form == FORM_64][address->is];
		packet.u.address_context.address = choice.packet;
		error = hwf_packer_put(&room, &packet);
		remember_address(&next, address);
	} else {
		next = *packer;
		error = put_context(&next, &room, &context->context);
		if (error == 0)
			error = put_address(&next, &room, false, address);
	}
	if (error != 0)
		return error;
	*packer = next;
	return (int)room.used;
}

/* ---- P0 elements with an address ---- */

static int put_exception(struct hwf_packer *packer, struct hwf_packer_room *room,
			 const struct hwf_el_exception *exception)
{
	struct hwf_ete_packet packet = {
		.type = HWF_ETE_EXCEPTION,
		.u.exception = {.type = exception->type, .ee = exception->ret_is_target ? 2 : 1},
	};
	int error;

	if (exception->type == HWF_EXC_PE_RESET && packer->config->protocol == HWF_PROTOCOL_ETE) {
		error = put_bare(room, HWF_ETE_PE_RESET);
		doubt_history(packer);
		return error;
	}
	if (!exception->has_ret)
		return HWF_ERR_BAD_PAYLOAD;
	error = hwf_packer_put(room, &packet);
	return error != 0 ? error : put_address(packer, room, false, &exception->ret);
}

static int put_q(struct hwf_packer *packer, struct hwf_packer_room *room, const struct hwf_el_q *q)
{
	struct hwf_ete_packet packet = {.type = HWF_ETE_Q};
	struct address_choice choice;
	int error;

	packet.u.q = (struct hwf_ete_q){
		.type = q->has_count ? 0xc : 0xf,
		.entry = 0xff,
		.count = q->count,
		.has_count = q->has_count,
	};
	if (!q->has_address)
		return hwf_packer_put(room, &packet);
	if (q->address.is > 1)
		return HWF_ERR_BAD_PAYLOAD;
	choice = choose_address(packer, &q->address);
	if (!q->has_count || choice.form == FORM_64) {
		error = hwf_packer_put(room, &packet);
		return error != 0 ? error : put_address(packer, room, false, &q->address);
	}
	packet.u.q.has_address = true;
	packet.u.q.address = choice.packet;
	if (choice.form == FORM_EXACT) {
		packet.u.q.entry = choice.entry;
		packet.u.q.type = choice.entry;
	} else {
		packet.u.q.type = choice.form == FORM_SHORT ? 0x5 : 0xa;
		packet.u.q.type = (uint8_t)(packet.u.q.type + q->address.is);
	}
	error = hwf_packer_put(room, &packet);
	remember_address(packer, &q->address);
	return error;
}

/* ---- the others ---- */

static int put_trace_info(struct hwf_packer *packer, struct hwf_packer_room *room,
			  const struct hwf_ete_trace_info *info)
{
	struct hwf_ete_packet packet = {.type = HWF_ETE_TRACE_INFO, .u.trace_info = *info};
	uint8_t plctl = 0;

	if (info->info != 0)
		plctl |= HWF_ETE_PLCTL_INFO;
	if (info->key != 0)
		plctl |= HWF_ETE_PLCTL_KEY;
	if (info->spec_depth != 0)
		plctl |= HWF_ETE_PLCTL_SPEC;
	if (info->cc_threshold != 0)
		plctl |= HWF_ETE_PLCTL_CYCT;
	if (info->window != 0)
		plctl |= HWF_ETE_PLCTL_WNDW;
	packet.u.trace_info.plctl = plctl;
	hwf_history_reset(&packer->history);
	packer->history_sure = HWF_HISTORY;
	packer->timestamp = 0;
	packer->cc_threshold = info->cc_threshold;
	packer->context_known = false;
	return hwf_packer_put(room, &packet);
}

static int put_timestamp(struct hwf_packer *packer, struct hwf_packer_room *room,
			 const struct hwf_el_timestamp *timestamp)
{
	struct hwf_ete_packet packet = {.type = HWF_ETE_TIMESTAMP};
	uint64_t differ = timestamp->value ^ packer->timestamp;
	uint8_t bits = 7;

	while (bits < 63 && differ >> bits != 0)
		bits = (uint8_t)(bits + 7);
	if (bits >= 63)
		bits = 64;
	packet.u.timestamp = (struct hwf_ete_timestamp){
		.value = timestamp->value & hwf_low_bits(bits),
		.bits = bits,
		.has_count = timestamp->has_count,
		.count = timestamp->count,
	};
	packer->timestamp = timestamp->value;
	return hwf_packer_put(room, &packet);
}

static int put_cycle_count(struct hwf_packer *packer, struct hwf_packer_room *room, uint32_t commit,
			   const struct hwf_el_cycle_count *count)
{
	static const uint8_t shortest_first[] = {HWF_ETE_CYCLE_COUNT_F3, HWF_ETE_CYCLE_COUNT_F2,
						 HWF_ETE_CYCLE_COUNT_F1};
	struct hwf_ete_packet packet = {
		.u.cycle_count = {.commit = commit, .unknown = count->unknown},
	};
	int error = HWF_ERR_BAD_PAYLOAD;

	if (!count->unknown) {
		if (count->count < packer->cc_threshold)
			return HWF_ERR_BAD_PAYLOAD;
		packet.u.cycle_count.count = count->count - packer->cc_threshold;
	}
	for (size_t i = 0; i < sizeof(shortest_first) && error == HWF_ERR_BAD_PAYLOAD; i++) {
		packet.type = shortest_first[i];
		error = hwf_packer_put(room, &packet);
	}
	return error;
}

int hwf_packer_commit_count(struct hwf_packer *packer, uint32_t commit,
			    const struct hwf_el_cycle_count *count, uint8_t *bytes, size_t length)
{
	struct hwf_packer_room room = {.config = packer->config, .bytes = bytes, .length = length};
	int error = put_cycle_count(packer, &room, commit, count);

	return error != 0 ? error : (int)room.used;
}

/* ---- any element ---- */

static int put_plain(struct hwf_packer_room *room, const struct hwf_element *element)
{
	struct hwf_ete_packet packet = {0};
	struct hwf_ete_resolve resolve = {0};

	switch (element->kind) {
	case HWF_EL_EXCEPTION_RETURN:
		return put_bare(room, HWF_ETE_EXCEPTION_RETURN);
	case HWF_EL_FUNCTION_RETURN:
		return put_bare(room, HWF_ETE_FUNCTION_RETURN);
	case HWF_EL_TRANSACTION_START:
		return put_bare(room, HWF_ETE_TRANSACTION_START);
	case HWF_EL_TRANSACTION_COMMIT:
		return put_bare(room, HWF_ETE_TRANSACTION_COMMIT);
	case HWF_EL_TRACE_ON:
		return put_bare(room, HWF_ETE_TRACE_ON);
	case HWF_EL_TIMESTAMP_MARKER:
		return put_bare(room, HWF_ETE_TIMESTAMP_MARKER);
	case HWF_EL_DISCARD:
		return put_bare(room, HWF_ETE_DISCARD);
	case HWF_EL_OVERFLOW:
		return put_bare(room, HWF_ETE_OVERFLOW);
	case HWF_EL_EVENT:
		packet.type = HWF_ETE_EVENT;
		packet.u.event = element->u.event;
		return hwf_packer_put(room, &packet);
	case HWF_EL_INSTRUMENTATION:
		packet.type = HWF_ETE_INSTRUMENTATION;
		packet.u.instrumentation = element->u.instrumentation;
		return hwf_packer_put(room, &packet);
	case HWF_EL_COMMIT:
		resolve.commit = element->u.number;
		break;
	case HWF_EL_CANCEL:
		resolve.cancel = element->u.number;
		break;
	case HWF_EL_MISPREDICT:
		resolve.mispredict = true;
		break;
	default:
		return HWF_ERR_BAD_PAYLOAD;
	}
	if (resolve.commit == 0 && resolve.cancel == 0 && !resolve.mispredict)
		return HWF_ERR_BAD_PAYLOAD;
	return hwf_packer_put_resolve(room, &resolve);
}

static int put_element(struct hwf_packer *packer, struct hwf_packer_room *room,
		       const struct hwf_element *element)
{
	int error;

	switch (element->kind) {
	case HWF_EL_ATOM:
		return element->u.atoms.count == 0 ? HWF_ERR_BAD_PAYLOAD
						   : hwf_packer_put_atoms(room, element->u.atoms);
	case HWF_EL_EXCEPTION:
		return put_exception(packer, room, &element->u.exception);
	case HWF_EL_SOURCE_ADDRESS:
		return put_address(packer, room, true, &element->u.address);
	case HWF_EL_TARGET_ADDRESS:
		return put_address(packer, room, false, &element->u.address);
	case HWF_EL_Q:
		return put_q(packer, room, &element->u.q);
	case HWF_EL_TRANSACTION_FAILURE:
		error = put_bare(room, HWF_ETE_TRANSACTION_FAILURE);
		doubt_history(packer);
		return error;
	case HWF_EL_TRACE_INFO:
		return put_trace_info(packer, room, &element->u.trace_info);
	case HWF_EL_CONTEXT:
		return put_context(packer, room, &element->u.context.context);
	case HWF_EL_CYCLE_COUNT:
		return put_cycle_count(packer, room, 0, &element->u.cycle_count);
	case HWF_EL_TIMESTAMP:
		return put_timestamp(packer, room, &element->u.timestamp);
	default:
		return put_plain(room, element);
	}
}

int hwf_packer_target(struct hwf_packer *packer, const struct hwf_el_address *address,
		      uint8_t *bytes, size_t length)
{
	struct hwf_packer_room room = {.config = packer->config, .bytes = bytes, .length = length};
	int error = put_address(packer, &room, false, address);

	return error != 0 ? error : (int)room.used;
}

int hwf_packer_encode(struct hwf_packer *packer, const struct hwf_element *element, uint8_t *bytes,
		      size_t length)
{
	struct hwf_packer before = *packer;
	struct hwf_packer_room room = {.config = packer->config, .bytes = bytes, .length = length};
	int error = put_element(packer, &room, element);

	if (error == 0)
		return (int)room.used;
	*packer = before;
	return error;
}
