/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Tables of the packet rows: names, and the rows that claim a header byte. The configuration. */
#include "codec/ete/ete_private.h"

#include "core/bits.h"

static const char *const type_names[HWF_ETE_ALL_TYPES] = {
#define P(name, mask, value, valid, codec, protocol) [HWF_ETE_##name] = #name,
#define X(name, codec, protocol)                     [HWF_ETE_##name] = #name,
#include "hwflow/ete_packets.def"
#undef P
#undef X
	[HWF_ETE_UNSYNC] = "UNSYNC",
	[HWF_ETE_RESERVED] = "RESERVED",
	[HWF_ETE_BAD_SEQUENCE] = "BAD_SEQUENCE",
	[HWF_ETE_INCOMPLETE] = "INCOMPLETE",
};

static const uint8_t type_codecs[HWF_ETE_TYPES] = {
#define P(name, mask, value, valid, codec, protocol) [HWF_ETE_##name] = HWF_ETE_CODEC_##codec,
#define X(name, codec, protocol)                     [HWF_ETE_##name] = HWF_ETE_CODEC_##codec,
#include "hwflow/ete_packets.def"
#undef P
#undef X
};

const char *hwf_ete_type_name(unsigned int type)
{
	return type < HWF_ETE_ALL_TYPES ? type_names[type] : "UNKNOWN";
}

enum hwf_ete_codec hwf_ete_type_codec(unsigned int type)
{
	return type < HWF_ETE_TYPES ? (enum hwf_ete_codec)type_codecs[type] : HWF_ETE_CODEC_bare;
}

unsigned int hwf_ete_claims(enum hwf_ete_protocol protocol, uint8_t header, unsigned int *type)
{
	unsigned int claims = 0;

	*type = HWF_ETE_RESERVED;
#define P(name, mask, value, valid, codec, in)                               \
	if ((HWF_IN_##in) >> protocol & 1 && (header & (mask)) == (value) && \
	    VALID_##valid(header)) {                                         \
		*type = HWF_ETE_##name;                                      \
		claims++;                                                    \
	}
#define X(name, codec, protocol)
#include "hwflow/ete_packets.def"
#undef P
#undef X
	return claims;
}

unsigned int hwf_ete_header_type(enum hwf_ete_protocol protocol, uint8_t header)
{
	unsigned int type;

	hwf_ete_claims(protocol, header, &type);
	return type;
}

const char *hwf_exception_name(unsigned int type)
{
	switch (type) {
	case HWF_EXC_PE_RESET:
		return "PE reset";
	case HWF_EXC_DEBUG_HALT:
		return "debug halt";
	case HWF_EXC_CALL:
		return "call";
	case HWF_EXC_TRAP:
		return "trap";
	case HWF_EXC_SYSTEM_ERROR:
		return "system error";
	case HWF_EXC_INST_DEBUG:
		return "instruction debug";
	case HWF_EXC_DATA_DEBUG:
		return "data debug";
	case HWF_EXC_ALIGNMENT:
		return "alignment";
	case HWF_EXC_INST_FAULT:
		return "instruction fault";
	case HWF_EXC_DATA_FAULT:
		return "data fault";
	case HWF_EXC_IRQ:
		return "IRQ";
	case HWF_EXC_FIQ:
		return "FIQ";
	case HWF_EXC_TRANSACTION_FAILURE:
		return "transaction failure";
	default:
		if (type >= HWF_EXC_IMPDEF0 && type <= HWF_EXC_IMPDEF7)
			return "implementation defined";
		return "reserved";
	}
}

const char *hwf_exception_m_name(unsigned int type)
{
	static const char *const names[] = {
		[HWF_EXC_M_RESET] = "reset",
		[HWF_EXC_M_NMI] = "NMI",
		[HWF_EXC_M_HARD_FAULT] = "HardFault",
		[HWF_EXC_M_MEM_MANAGE] = "MemManage",
		[HWF_EXC_M_BUS_FAULT] = "BusFault",
		[HWF_EXC_M_USAGE_FAULT] = "UsageFault",
		[HWF_EXC_M_SECURE_FAULT] = "SecureFault",
		[HWF_EXC_M_SVC] = "SVCall",
		[HWF_EXC_M_DEBUG_MONITOR] = "DebugMonitor",
		[HWF_EXC_M_PEND_SV] = "PendSV",
		[HWF_EXC_M_SYS_TICK] = "SysTick",
		[HWF_EXC_M_DEBUG_HALT] = "debug halt",
		[HWF_EXC_M_LAZY_FP] = "lazy FP state",
		[HWF_EXC_M_LOCKUP] = "lockup",
	};

	if ((type >= HWF_EXC_M_IRQ0 && type <= HWF_EXC_M_IRQ7) ||
	    (type >= HWF_EXC_M_IRQ8 && type <= HWF_EXC_M_IRQ495))
		return "interrupt";
	if (type < sizeof(names) / sizeof(names[0]) && names[type])
		return names[type];
	return "reserved";
}

/*
 * Where ETMv4 differs (ETMV4_NOT_ETE, ETMV4_VERSION). There are no transactions, and no Timestamp
 * Markers; Armv7-M has ETMv4.0 or 4.1, Armv8-M has 4.2 and up; WFXMODE is there from 4.3 on.
 */
static void set_etmv4(struct hwf_ete_config *config, const struct hwf_ete_regs *regs)
{
	config->protocol = HWF_PROTOCOL_ETMV4;
	config->revision = regs->trcidr1 ? (uint8_t)hwf_field(regs->trcidr1, 4, 4) : 0xff;
	config->start_is_p0 = false;
	config->ts_marker = false;
	config->wfx = config->wfx && config->revision >= 3;
	config->m_profile = hwf_field(regs->trcidr2, 0, 5) == 4 && config->cid_bytes == 0;
	config->traces_eret = true;
	config->eret_is_p0 = config->m_profile;
	config->conditional = hwf_field(regs->trcconfigr, 8, 3) && hwf_field(regs->trcidr0, 6, 1);
	config->data_trace = hwf_field(regs->trcconfigr, 16, 2) && hwf_field(regs->trcidr0, 3, 2);
	config->load_store_p0 = hwf_field(regs->trcconfigr, 1, 2) && hwf_field(regs->trcidr0, 1, 2);
}

static bool has_fault(struct hwf_config_fault *fault, const char *name, uint32_t value,
		      const char *text)
{
	*fault = (struct hwf_config_fault){.name = name, .value = value, .text = text};
	return true;
}

bool hwf_ete_config_fault(const struct hwf_ete_regs *regs, struct hwf_config_fault *fault)
{
	const bool is_etmv4 = regs->protocol == HWF_PROTOCOL_ETMV4;
	const uint32_t vmid_bytes = hwf_field(regs->trcidr2, 10, 5);
	const uint32_t cid_bytes = hwf_field(regs->trcidr2, 5, 5);

	if (regs->protocol >= HWF_PROTOCOLS)
		return has_fault(fault, "protocol", regs->protocol, "neither ETE nor ETMv4");
	if (regs->trcdevarch && (hwf_field(regs->trcdevarch, 12, 4) != (is_etmv4 ? 4 : 5) ||
				 hwf_field(regs->trcdevarch, 0, 12) != 0xa13))
		return has_fault(fault, "TRCDEVARCH", regs->trcdevarch,
				 is_etmv4 ? "ARCHID, bits 15:0, must be 0x4a13 for ETMv4"
					  : "ARCHID, bits 15:0, must be 0x5a13 for ETE");
	if (vmid_bytes != 0 && vmid_bytes != 1 && vmid_bytes != 2 && vmid_bytes != 4)
		return has_fault(fault, "TRCIDR2", regs->trcidr2,
				 "VMIDSIZE, bits 14:10, must be 0, 1, 2 or 4");
	if (cid_bytes != 0 && cid_bytes != 4)
		return has_fault(fault, "TRCIDR2", regs->trcidr2,
				 "CIDSIZE, bits 9:5, must be 0 or 4");
	return false;
}

int hwf_ete_config_init(struct hwf_ete_config *config, const struct hwf_ete_regs *regs)
{
	uint32_t vmid_bytes = hwf_field(regs->trcidr2, 10, 5);
	uint32_t cid_bytes = hwf_field(regs->trcidr2, 5, 5);
	bool trccci = hwf_field(regs->trcidr0, 7, 1);
	struct hwf_config_fault fault;

	if (hwf_ete_config_fault(regs, &fault))
		return HWF_ERR_BAD_CONFIG;
	*config = (struct hwf_ete_config){
		.max_spec = regs->trcidr8,
		.vmid_bytes = (uint8_t)vmid_bytes,
		.cid_bytes = (uint8_t)cid_bytes,
		.revision = (uint8_t)hwf_field(regs->trcdevarch, 16, 4),
		.commit_mode1 = trccci && hwf_field(regs->trcidr0, 29, 1),
		.start_is_p0 = !hwf_field(regs->trcidr0, 30, 1),
		.q = hwf_field(regs->trcidr0, 15, 2) != 0,
		.cycle_count = hwf_field(regs->trcconfigr, 4, 1),
		.return_stack =
			hwf_field(regs->trcconfigr, 12, 1) && hwf_field(regs->trcidr0, 9, 1),
		.wfx = hwf_field(regs->trcidr2, 31, 1),
		.ts_marker =
			hwf_field(regs->trcidr0, 23, 1) && hwf_field(regs->trcdevarch, 16, 4) >= 1,
	};
	if (regs->protocol == HWF_PROTOCOL_ETMV4)
		set_etmv4(config, regs);
	return 0;
}
