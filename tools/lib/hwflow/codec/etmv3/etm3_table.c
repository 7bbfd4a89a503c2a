/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What follows from the packet rows alone: names, claims of header bytes; and the registers. */
#include "codec/etmv3/etm3_private.h"

#include "core/bits.h"

static const char *const type_names[HWF_ETM3_ALL_TYPES] = {
#define P(name, listed, mode, mask, value, valid, when, codec) [HWF_ETM3_##name] = #listed,
#include "hwflow/etmv3_packets.def"
#undef P
	[HWF_ETM3_UNSYNC] = "UNSYNC",
	[HWF_ETM3_RESERVED] = "RESERVED",
	[HWF_ETM3_BAD_SEQUENCE] = "BAD_SEQUENCE",
	[HWF_ETM3_INCOMPLETE] = "INCOMPLETE",
};

static const uint8_t type_codecs[HWF_ETM3_TYPES] = {
#define P(name, listed, mode, mask, value, valid, when, codec) \
	[HWF_ETM3_##name] = HWF_ETM3_CODEC_##codec,
#include "hwflow/etmv3_packets.def"
#undef P
};

const char *hwf_etm3_type_name(unsigned int type)
{
	return type < HWF_ETM3_ALL_TYPES ? type_names[type] : "UNKNOWN";
}

enum hwf_etm3_codec hwf_etm3_type_codec(unsigned int type)
{
	return type < HWF_ETM3_TYPES ? (enum hwf_etm3_codec)type_codecs[type] : HWF_ETM3_CODEC_bare;
}

#define MODE_any   true
#define MODE_plain (!config->cycle_accurate)
#define MODE_cycle (config->cycle_accurate)

unsigned int hwf_etm3_claims(const struct hwf_etm3_config *config, uint8_t header,
			     unsigned int *type)
{
	unsigned int claims = 0;

	*type = HWF_ETM3_RESERVED;
#define P(name, listed, mode, mask, value, valid, when, codec)                           \
	if ((header & (mask)) == (value) && MODE_##mode && etm3_valid_##valid(header) && \
	    etm3_when_##when(config)) {                                                  \
		*type = HWF_ETM3_##name;                                                 \
		claims++;                                                                \
	}
#include "hwflow/etmv3_packets.def"
#undef P
	return claims;
}

/* Table 7.12: all processors but those of ARMv7-M */
static const char *const exceptions[16] = {
	[0] = "none",
	[1] = "halting debug",
	[2] = "SMC",
	[3] = "entry to Hyp mode",
	[4] = "asynchronous data abort",
	[5] = "Jazelle or ThumbEE",
	[6] = "reserved",
	[7] = "reserved",
	[8] = "reset",
	[9] = "undefined instruction",
	[10] = "SVC",
	[11] = "prefetch abort or software breakpoint",
	[12] = "synchronous data abort or software watchpoint",
	[13] = "generic",
	[14] = "IRQ",
	[15] = "FIQ",
};

/* Table 7.13: ARMv7-M */
static const char *exception_name_armv7m(unsigned int number)
{
	static const char *const system[] = {
		[9] = "usage fault",
		[10] = "NMI",
		[11] = "SVC",
		[12] = "debug monitor",
		[13] = "memory management fault",
		[14] = "PendSV",
		[15] = "SysTick",
		[16] = "reserved",
		[17] = "reset",
		[18] = "reserved",
		[19] = "hard fault",
		[20] = "reserved",
		[21] = "bus fault",
		[22] = "reserved",
		[23] = "reserved",
	};

	if (number == 0)
		return "none";
	if (number <= 8 || number >= 24)
		return number < 512 ? "interrupt" : "reserved";
	return system[number];
}

const char *hwf_etm3_exception_name(unsigned int number, bool armv7m)
{
	if (armv7m)
		return exception_name_armv7m(number);
	return number < 16 ? exceptions[number] : "reserved";
}

unsigned int hwf_etm3_exception_number(const struct hwf_etm3_branch *branch)
{
	/* bits 5:3 of the fifth address byte: reset, IRQ, -, -, Jazelle, FIQ, data abort, debug */
	static const uint8_t old[8] = {8, 14, 0, 0, 5, 15, 4, 1};

	if (branch->old)
		return old[branch->exception & 7];
	return branch->info ? branch->exception : 0;
}

bool hwf_etm3_config_fault(const struct hwf_etm3_regs *regs, struct hwf_config_fault *fault)
{
	/* bits 11:8 are the major version less one; ETMIDR of a PTM reads 3 there */
	if (hwf_field(regs->etmidr, 8, 4) == 2 && hwf_field(regs->etmidr, 4, 4) <= 5)
		return false;
	*fault = (struct hwf_config_fault){
		.name = "ETMIDR",
		.value = regs->etmidr,
		.text = "the version, bits 11:4, must be 0x20 to 0x25 for ETMv3; a PTM has 0x30",
	};
	return true;
}

int hwf_etm3_config_init(struct hwf_etm3_config *config, const struct hwf_etm3_regs *regs)
{
	static const uint8_t context_bytes[4] = {0, 1, 2, 4};
	uint32_t minor = hwf_field(regs->etmidr, 4, 4);
	struct hwf_config_fault fault;

	if (hwf_etm3_config_fault(regs, &fault))
		return HWF_ERR_BAD_CONFIG;
	*config = (struct hwf_etm3_config){
		.minor = (uint8_t)minor,
		.context_bytes = context_bytes[hwf_field(regs->etmcr, 14, 2)],
		.timestamp_bytes = hwf_field(regs->etmccer, 29, 1) ? 9 : 7,
		.cycle_accurate = hwf_field(regs->etmcr, 12, 1),
		.alternative = minor >= 4 && hwf_field(regs->etmidr, 20, 1),
		.data_only = hwf_field(regs->etmcr, 20, 1),
		.data_value = hwf_field(regs->etmcr, 2, 1),
		.data_address = hwf_field(regs->etmcr, 3, 1),
		.whole_thumb = hwf_field(regs->etmidr, 18, 1),
		.gray = hwf_field(regs->etmccer, 22, 1) && !hwf_field(regs->etmccer, 28, 1),
		.armv7m = regs->armv7m,
	};
	for (unsigned int header = 0; header < 256; header++) {
		unsigned int type;

		hwf_etm3_claims(config, (uint8_t)header, &type);
		config->types[header] = (uint8_t)type;
	}
	return 0;
}
