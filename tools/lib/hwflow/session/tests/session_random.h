/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Random traces of random programs, of each protocol. */
#ifndef HWF_SESSION_RANDOM_H
#define HWF_SESSION_RANDOM_H

#include "session_test.h"

static uint64_t random_seed = 88172645463325252u;

static inline uint32_t random_below(uint32_t below)
{
	random_seed ^= random_seed << 13;
	random_seed ^= random_seed >> 7;
	random_seed ^= random_seed << 17;
	return (uint32_t)((random_seed >> 20) % below);
}

/* struct random_program - code that repeats itself, so that every address has some */
struct random_program {
	uint32_t words[16];
};

static inline size_t random_read(void *ctx, const void *space, uint64_t address, void *bytes,
				 size_t length)
{
	const struct random_program *program = ctx;
	uint8_t *to = bytes;

	(void)space;
	for (size_t i = 0; i < length; i++)
		to[i] = (uint8_t)(program->words[(address + i) / 4 % 16] >> (address + i) % 4 * 8);
	return length;
}

/* struct random_trace - bytes that are written */
struct random_trace {
	uint8_t bytes[16384];
	size_t length;
};

static inline void put_byte(struct random_trace *trace, uint32_t byte)
{
	if (trace->length < sizeof(trace->bytes))
		trace->bytes[trace->length++] = (uint8_t)byte;
}

/* Pairs of hexadecimal digits; .. is a random byte, .2 one below 0x80 */
static inline void put_hex(struct random_trace *trace, const char *hex)
{
	for (; hex[0]; hex += hex[2] ? 3 : 2) {
		if (hex[0] == '.')
			put_byte(trace, random_below(hex[1] == '2' ? 128 : 256));
		else
			put_byte(trace, (uint32_t)strtoul((char[]){hex[0], hex[1], 0}, NULL, 16));
	}
}

static inline void random_ete(struct subject *subject, struct random_program *program,
			      struct random_trace *trace)
{
	static const uint32_t words[] = {0x54000060, 0xd503201f, 0x14000003, 0x54ffffe1,
					 0xd69f03e0, 0x97fffffb, 0x54000040, 0xd65f03c0,
					 0x34000060, 0xd503201f, 0xb5000040, 0xd61f0000};
	static const char *const packets[] = {
		"f6",          "f7",       "d8",
		"db",          "f9",       "fd",
		"ff",          "dc",       "df",
		"d5",          "f5",       "c0",
		"e3",          "d4",       "2d 01",
		"2d 03",       "95 .2",    "95 .2",
		"90",          "91",       "9a 10 02 40 00",
		"0c 15",       "0c 15",    "06 05 95 10",
		"06 30 95 04", "02 91 12", "02 .2",
		"72",          "a5 10 05", "0a",
		"0b",          "30",       "2e 01",
		"81 11",       "04",       "b4 .2",
		"88",          "f7",       "f7",
		"fd",          "fd",       "c5",
	};
	static const char sync[] = "00 00 00 00 00 00 00 00 00 00 00 80";
	const uint32_t broken = random_below(4) ? 0 : 1;

	for (int i = 0; i < 16; i++)
		program->words[i] = words[random_below(sizeof(words) / sizeof(*words))];
	subject->config.protocol = random_below(4) ? HWF_SESSION_ETE : HWF_SESSION_ETMV4;
	subject->ete = (struct hwf_ete_regs){
		.trcconfigr = random_below(2) << 4 | random_below(2) << 12,
		.trcidr0 = 0x08018ea1u | 1u << 5 | 1u << 7 | 1u << 9 | 1u << 22 |
			   random_below(2) << 29 | random_below(2) << 30,
		.trcidr2 = 0xd0001088u,
		.trcidr8 = (uint32_t[]){0, 0, 4, 32, 200}[random_below(5)],
		.trcdevarch = 0x47735a13u,
	};
	if (subject->config.protocol == HWF_SESSION_ETMV4) {
		subject->ete.trcdevarch = 0;
		subject->ete.trcidr1 = 0x4100f450u;
	}
	subject->damaged = broken;
	put_hex(trace, "f7 95 10");
	for (uint32_t i = 0, count = 20 + random_below(300); i < count; i++) {
		if (i % 64 == 0 || !random_below(100)) {
			put_hex(trace, sync);
			if (random_below(8))
				put_hex(trace, random_below(2) ? "01 00 82 00 00 40 00 30"
							       : "01 09 01 03 82 00 00 40 00 30");
		}
		put_hex(trace, packets[random_below(sizeof(packets) / sizeof(*packets))]);
		if (broken && !random_below(150))
			put_hex(trace, random_below(2) ? "05 1f .. .. .." : "00 05 00 00 00 00");
	}
	/* many Atoms in a row, for the loops over bytes */
	for (uint32_t i = 0, count = random_below(2) ? random_below(2000) : 0; i < count; i++)
		put_hex(trace, i % 50 == 49 ? "0c 15" : i % 3 ? "f7" : "fd");
}

static inline void random_etm3(struct subject *subject, struct random_program *program,
			       struct random_trace *trace)
{
	/* b.ne, nop, b, bl, mov pc, lr and others */
	static const uint32_t words[] = {0x1a000001, 0xe1a00000, 0xea000002, 0xeb000001,
					 0xe1a0f00e, 0x0a000003, 0xe2800001, 0xe2800001};

	for (int i = 0; i < 16; i++)
		program->words[i] = words[random_below(sizeof(words) / sizeof(*words))];
	subject->config.protocol = HWF_SESSION_ETMV3;
	subject->damaged = random_below(2);
	if (random_below(2))
		subject->config.flags |= HWF_SESSION_EACH_INSTRUCTION;
	subject->etm3 = (struct hwf_etm3_regs){
		.etmcr = random_below(2) << 12,
		.etmidr = 0x410cf250u,
	};
	for (uint32_t i = 0, count = 20 + random_below(600); i < count; i++) {
		const uint32_t which = random_below(20);

		if (i % 100 == 0)
			put_hex(trace, "00 00 00 00 00 80 08 01 00 10 00 00");
		else if (which < 14)
			put_byte(trace, 0x80 | (random_below(64) << 1));
		else if (which < 18)
			put_byte(trace, random_below(64) << 1 | 1);
		else if (which < 19)
			put_hex(trace, random_below(2) ? "81 11" : "91 88 80 80 18");
		else if (!random_below(20))
			put_byte(trace, subject->damaged ? random_below(256) : 0x66);
		if (!random_below(60))
			put_hex(trace, "00 00 00 00 00 80");
	}
}

static inline void put_riscv(const struct subject *subject, struct random_trace *trace,
			     const struct hwf_riscv_packet *packet)
{
	struct hwf_riscv_frame frame = {.message = HWF_RISCV_MSG_INST};
	struct hwf_riscv_config config;
	uint8_t bytes[64];
	int size;

	if (hwf_riscv_config_init(&config, (enum hwf_riscv_dialect)subject->riscv.dialect,
				  &subject->params))
		abort();
	size = hwf_riscv_encode(&config, packet, frame.payload, sizeof(frame.payload));
	if (size < 0)
		abort();
	frame.length = (uint8_t)size;
	frame.flow = HWF_RISCV_MSG_INST;
	size = hwf_riscv_enframe(&subject->framing, &frame, bytes, sizeof(bytes));
	for (int i = 0; i < size; i++)
		put_byte(trace, bytes[i]);
}

static inline void random_riscv(struct subject *subject, struct random_program *program,
				struct random_trace *trace)
{
	/* c.beqz, c.nop, c.j, c.jr, c.jal as pairs */
	static const uint16_t halves[] = {0xc111, 0x0001, 0xa019, 0x8782, 0xc519, 0x0001, 0xe111};
	struct hwf_riscv_packet packet;

	for (int i = 0; i < 16; i++)
		program->words[i] =
			(uint32_t)halves[random_below(7)] << 16 | halves[random_below(7)];
	subject->config.protocol = HWF_SESSION_RISCV;
	subject->riscv.dialect = HWF_RISCV_V2;
	subject->riscv.isa = HWF_RV_64;
	subject->riscv.branch_limit = 512;
	hwf_riscv_params_init(&subject->params, HWF_RISCV_V2);
	hwf_riscv_framing_init(&subject->framing, (enum hwf_riscv_framing_kind)random_below(4));
	for (uint32_t i = 0, count = 20 + random_below(300); i < count; i++) {
		const uint32_t which = random_below(20);

		packet = (struct hwf_riscv_packet){.type = HWF_RISCV_F1};
		if (i % 50 == 0 || !which) {
			packet.type = HWF_RISCV_F3_START;
			packet.u.sync.address = 0x800 + random_below(32);
			packet.u.sync.privilege = 3;
			packet.u.sync.thaddr = true;
			packet.u.sync.has_address = true;
		} else if (which < 12) {
			packet.u.map.branches = 31;
			packet.u.map.map = random_below(1u << 31);
		} else if (which < 17) {
			packet.u.map.branches = (uint8_t)(1 + random_below(30));
			packet.u.map.map = random_below(1u << packet.u.map.branches);
			packet.u.map.address.has = true;
			packet.u.map.address.value = random_below(16);
		} else {
			packet.type = HWF_RISCV_F2;
			packet.u.address.has = true;
			packet.u.address.value = random_below(16);
		}
		if (which < 19)
			put_riscv(subject, trace, &packet);
		else
			put_byte(trace, random_below(256));
	}
}

/* A trace of the protocol with this number, or near to one */
static inline void random_subject(struct subject *subject, uint32_t protocol, struct hwf_code *code,
				  struct random_program *program, struct random_trace *trace)
{
	*subject = (struct subject){0};
	trace->length = 0;
	*code = (struct hwf_code){.ctx = program, .read = random_read};
	if (protocol == HWF_SESSION_ETMV3)
		random_etm3(subject, program, trace);
	else if (protocol == HWF_SESSION_RISCV)
		random_riscv(subject, program, trace);
	else
		random_ete(subject, program, trace);
	if (random_below(2))
		subject->config.flags |= HWF_SESSION_RAW_TRANSACTIONS;
	if (random_below(2))
		subject->config.flags |= HWF_SESSION_SPLIT_SOURCE;
	subject->config.code = code;
	subject->bytes = trace->bytes;
	subject->length = trace->length;
	subject_settle(subject);
}

#endif /* HWF_SESSION_RANDOM_H */
