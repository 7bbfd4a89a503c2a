/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#ifndef HWF_CODEC_ETM3_PRIVATE_H
#define HWF_CODEC_ETM3_PRIVATE_H

#include "core/cursor.h"
#include "hwflow/etmv3.h"

/* Bytes of the shortest A-sync: five of 0x00, one of 0x80 (ETMV3_SYNC) */
#define ETM3_A_SYNC       6
#define ETM3_A_SYNC_ZEROS 5

/* The predicates of the rows on header bytes */
static inline bool etm3_valid_any(uint8_t header)
{
	(void)header;
	return true;
}

/* Tags are 1 to 3: bits 6:5 of out-of-order data, bits 3:2 of a placeholder (Table 7.1) */
static inline bool etm3_valid_data_tag(uint8_t header)
{
	return header & 0x60;
}

static inline bool etm3_valid_place_tag(uint8_t header)
{
	return header & 0x0c;
}

/* Table 7.3: format 1 is not b10000000, which is format 0 (ETMV3_FORMAT_0) */
static inline bool etm3_valid_some_atom(uint8_t header)
{
	return header != 0x80;
}

/* The predicates of the rows on configurations (ETMV3_FORMAT_0, ETMV3_FORMAT_4, ETMV3_RESERVED) */
static inline bool etm3_when_always(const struct hwf_etm3_config *config)
{
	(void)config;
	return true;
}

static inline bool etm3_when_data(const struct hwf_etm3_config *config)
{
	return config->data_value || config->data_address;
}

static inline bool etm3_when_data_value(const struct hwf_etm3_config *config)
{
	return config->data_value;
}

static inline bool etm3_when_context_id(const struct hwf_etm3_config *config)
{
	return config->context_bytes;
}

static inline bool etm3_when_v3_0(const struct hwf_etm3_config *config)
{
	return config->minor == 0;
}

static inline bool etm3_when_v3_3(const struct hwf_etm3_config *config)
{
	return config->minor >= 3;
}

static inline bool etm3_when_v3_4(const struct hwf_etm3_config *config)
{
	return config->minor >= 4;
}

static inline bool etm3_when_v3_5(const struct hwf_etm3_config *config)
{
	return config->minor >= 5;
}

/*
 * How many rows claim a header byte in a mode: 1, or 0 for a reserved one. @type receives the last
 * of them, or HWF_ETM3_RESERVED.
 */
unsigned int hwf_etm3_claims(const struct hwf_etm3_config *config, uint8_t header,
			     unsigned int *type);

/* hwf_etm3_decode(), but on an error @packet holds anything */
int hwf_etm3_decode_in_place(const struct hwf_etm3_config *config, const uint8_t *bytes,
			     size_t length, struct hwf_etm3_packet *packet);

/* decode_<codec>: @packet has its type and header; the cursor stands behind the header. */
typedef int etm3_decode_fn(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			   struct hwf_etm3_packet *packet);
/* encode_<codec>: writes header and payload; @header is the row's value. */
typedef int etm3_encode_fn(const struct hwf_etm3_config *config,
			   const struct hwf_etm3_packet *packet, uint8_t header,
			   struct hwf_writer *writer);

#define ETM3_CODEC(name)                       \
	etm3_decode_fn hwf_etm3_decode_##name; \
	etm3_encode_fn hwf_etm3_encode_##name
ETM3_CODEC(bare);
ETM3_CODEC(a_sync);
ETM3_CODEC(branch);
ETM3_CODEC(cycle_count);
ETM3_CODEC(i_sync);
ETM3_CODEC(late_data);
ETM3_CODEC(normal_data);
ETM3_CODEC(data_place);
ETM3_CODEC(vmid);
ETM3_CODEC(context_id);
ETM3_CODEC(timestamp);
ETM3_CODEC(p_header);
#undef ETM3_CODEC

/*
 * The address bytes of a branch packet, also in an I-sync with a load or store in progress. @fifth
 * receives the fifth byte, 0 without one; @info: exception information bytes follow.
 */
int hwf_etm3_get_address(const struct hwf_etm3_config *config, struct hwf_cursor *cursor,
			 uint8_t first, struct hwf_etm3_address *address, uint8_t *fifth,
			 bool *info);
int hwf_etm3_put_address(const struct hwf_etm3_config *config, struct hwf_writer *writer,
			 const struct hwf_etm3_address *address, bool info);

/* A count of at most five bytes, 32 bits (section 7.3.2) */
int hwf_etm3_get_count(struct hwf_cursor *cursor, uint32_t *count);

#endif /* HWF_CODEC_ETM3_PRIVATE_H */
