/* SPDX-License-Identifier: GPL-2.0-only */
/* The trace protocols: a table of functions for each, which all other files call. */
#ifndef HWFLOW_PROTOCOL_H
#define HWFLOW_PROTOCOL_H

#include "hwflow/etmv3.h"
#include "hwflow/session.h"
#include "input.h"

/**
 * struct packet_clock - what the next timestamp completes; 0 at a synchronisation
 * @ete: the last timestamp of ETE or ETMv4
 * @etm3: state of ETMv3
 */
struct packet_clock {
	uint64_t ete;
	struct hwf_etm3_address_state etm3;
};

/** enum packet_role - what a packet is for the synchronisation of the piece that it is in */
enum packet_role {
	PACKET_UNSYNCED,    /* the packet does not show that the piece is synchronised */
	PACKET_SYNCED,      /* it does, and its meaning depends on no packet before it */
	PACKET_NEEDS_START, /* it does, and its meaning depends on a PACKET_STARTS before it */
	PACKET_STARTS,      /* instructions are followed from this packet on */
};

struct config_names;

/**
 * struct protocol - a trace protocol
 * @number: enum input_protocol
 * @word: as --protocol takes it
 * @name: in messages, such as ETMv4
 * @no_sync: text behind the message that there is no synchronisation
 * @no_start: the message that no packet follows one from which instructions can be followed; NULL:
 * a synchronisation is such a packet
 * @has_elements: its elements are those of ETE, which input_visits_read() reads, and its timestamps
 *	can be converted to times of the perf clock
 * @has_traps: exceptions are given as HWF_FLOW_TRAP
 * @has_headers: the first byte of a packet tells its type
 * @has_places: synchronisations are found without the packets before them
 * @bad_packet: text behind the error of a packet that cannot be decoded
 * @is_type: does a capture call a trace unit of this protocol so? NULL: captures have none
 * @config_size: bytes of the configuration that @names and @init take
 * @names: the registers of a configuration, for config_set(); NULL: input_open_riscv()
 *	has them
 * @init: set the configuration of a source, whose protocol it sets as well; 0 or an enum hwf_err
 * @fault: which value of the configuration @init refuses with HWF_ERR_BAD_CONFIG; false: none
 * @same: is trace of a source read as trace of this configuration? NULL: always
 * @trace_id: its trace ID in CoreSight frames
 * @thread: see input_context_thread()
 * @dialect: version of the protocol that a source has; NULL: there is one version
 * @has_timestamps: see input_has_timestamps()
 * @padding: the packet of one byte that means nothing, which drivers write over what they lost; 0:
 *	there is none
 * @end_of_sample: where the packets of a sample end; the kernel may have added up to 7 zeros. NULL:
 *	zeros are packets, or the protocol has no samples
 * @session: write the protocol and the registers of a source for a session of the library
 * @packet_time: the timestamp of a packet that such a session read; 0: it has none
 * @packet_role: see enum packet_role
 */
struct protocol {
	enum input_protocol number;
	const char *word;
	const char *name;
	const char *no_sync;
	const char *no_start;
	bool has_elements;
	bool has_traps;
	bool has_headers;
	bool has_places;
	const char *bad_packet;
	bool (*is_type)(const char *type);
	size_t config_size;
	const struct config_names *names;
	int (*init)(struct input_source *source, const void *config);
	bool (*fault)(const void *config, struct hwf_config_fault *fault);
	bool (*same)(const struct input_source *source, const void *config);
	uint8_t (*trace_id)(const struct input_source *source);
	int32_t (*thread)(const struct input_source *source, const struct hwf_context *context,
			  int32_t before);
	uint8_t (*dialect)(const struct input_source *source);
	bool (*has_timestamps)(const struct input_source *source);
	uint8_t padding;
	size_t (*end_of_sample)(const struct input_source *source, const struct input_piece *piece);
	void (*session)(const struct input_source *source, struct hwf_session_config *config);
	uint64_t (*packet_time)(const struct input_source *source, struct packet_clock *clock,
				const struct hwf_packet *packet);
	enum packet_role (*packet_role)(const struct hwf_packet *packet);
};

extern const struct protocol protocol_ete;
extern const struct protocol protocol_etmv4;
extern const struct protocol protocol_etmv3;
extern const struct protocol protocol_riscv;

/** PROTOCOL_CONFIG - bytes that are enough for the configuration of any protocol that has @names */
#define PROTOCOL_CONFIG 64u

/** protocol_number() - the table of an enum input_protocol; NULL for INPUT_NO_PROTOCOL */
const struct protocol *protocol_number(enum input_protocol number);

/** protocol_of_word() - the protocol that --protocol calls so; NULL for none */
const struct protocol *protocol_of_word(const char *word);

/** protocol_of_type() - the protocol of a trace unit that a capture calls so; NULL for none */
const struct protocol *protocol_of_type(const char *type);

#endif /* HWFLOW_PROTOCOL_H */
