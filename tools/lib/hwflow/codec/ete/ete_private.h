/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#ifndef HWF_CODEC_ETE_PRIVATE_H
#define HWF_CODEC_ETE_PRIVATE_H

#include "core/cursor.h"
#include "hwflow/ete.h"

/* HWF_ETE_ASYNC - bytes of an Alignment Synchronisation packet: 11 of 0x00, one of 0x80 */
#define HWF_ETE_ASYNC 12

/* The predicates of the rows; constant expressions, for the dispatch table. */
#define VALID_any(header)     1
#define VALID_event(header)   (((header) & 0x0f) != 0) /* 0x70 is Ignore */
#define VALID_entry(header)   (((header) & 3) != 3)    /* the history has three entries */
#define VALID_marker(header)  (((header) & 7) <= 4)    /* that many Atoms, the most */
#define VALID_result(header)  (((header) & 6) != 4)    /* 0x6c and 0x6d are instructions */
#define VALID_q(header)       (0x9c67u >> ((header) & 0x0f) & 1) /* 0-2, 5, 6, 0xa-0xc, 0xf */
#define VALID_atom_f6(header) (((header) & 0x1f) <= 0x14)
#define VALID_atom_f5(header) ((header) == 0xf5 || ((header) >= 0xd5 && (header) <= 0xd7))

/*
 * How many rows of a protocol claim a header byte: 1, or 0 for a reserved one. @type receives the
 * last of them, or HWF_ETE_RESERVED.
 */
unsigned int hwf_ete_claims(enum hwf_ete_protocol protocol, uint8_t header, unsigned int *type);

/*
 * As hwf_ete_decode(), but an error leaves @packet undefined, which saves a copy of each packet.
 */
int hwf_ete_decode_in_place(const struct hwf_ete_config *config, const uint8_t *bytes,
			    size_t length, struct hwf_ete_packet *packet);

/* decode_<codec>: @packet has its type and header; the cursor stands behind the header. */
typedef int hwf_ete_decode_fn(const struct hwf_ete_config *config, struct hwf_cursor *cursor,
			      struct hwf_ete_packet *packet);
/* encode_<codec>: writes header and payload; @header is the row's value. */
typedef int hwf_ete_encode_fn(const struct hwf_ete_config *config,
			      const struct hwf_ete_packet *packet, uint8_t header,
			      struct hwf_writer *writer);

#define HWF_ETE_CODEC(name)                      \
	hwf_ete_decode_fn hwf_ete_decode_##name; \
	hwf_ete_encode_fn hwf_ete_encode_##name
HWF_ETE_CODEC(bare);
HWF_ETE_CODEC(extension);
HWF_ETE_CODEC(trace_info);
HWF_ETE_CODEC(timestamp);
HWF_ETE_CODEC(exception);
HWF_ETE_CODEC(instrumentation);
HWF_ETE_CODEC(cycle_count_f1);
HWF_ETE_CODEC(cycle_count_f2);
HWF_ETE_CODEC(cycle_count_f3);
HWF_ETE_CODEC(commit);
HWF_ETE_CODEC(cancel_f1);
HWF_ETE_CODEC(mispredict);
HWF_ETE_CODEC(cancel_f2);
HWF_ETE_CODEC(cancel_f3);
HWF_ETE_CODEC(event);
HWF_ETE_CODEC(context);
HWF_ETE_CODEC(address_context);
HWF_ETE_CODEC(address);
HWF_ETE_CODEC(exact_match);
HWF_ETE_CODEC(q);
HWF_ETE_CODEC(atoms);
HWF_ETE_CODEC(ignore);
HWF_ETE_CODEC(function_return);
HWF_ETE_CODEC(data_sync);
HWF_ETE_CODEC(cond_instr);
HWF_ETE_CODEC(cond_flush);
HWF_ETE_CODEC(cond_result);
/* as ETMv4 has them */
HWF_ETE_CODEC(exception_etmv4);
#undef HWF_ETE_CODEC

/* The first members of a struct hwf_ete_packet: all that an Atom packet uses */
struct hwf_ete_atom_packet {
	uint8_t type;
	uint8_t header;
	uint16_t padding;
	uint32_t size;
	struct hwf_ete_atoms atoms;
};

_Static_assert(offsetof(struct hwf_ete_packet, header) == 1 &&
		       offsetof(struct hwf_ete_packet, size) == 4 &&
		       offsetof(struct hwf_ete_packet, u) == 8,
	       "struct hwf_ete_atom_packet begins like struct hwf_ete_packet");

/* The Atom packets, by header byte less 0xc0: all headers from 0xc0 on are Atom packets. */
extern const struct hwf_ete_atom_packet hwf_ete_atom_table[64];

/* The address payload that goes with a header: shared by address, address_context and Q. */
int hwf_ete_get_address(struct hwf_cursor *cursor, unsigned int bits, unsigned int is,
			struct hwf_ete_address *address);
int hwf_ete_put_address(struct hwf_writer *writer, const struct hwf_ete_address *address);

#endif /* HWF_CODEC_ETE_PRIVATE_H */
