/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Names and reasons as lines have them. */
#include "hwflow/text.h"

const char *hwf_isa_name(unsigned int isa)
{
	static const char *const names[] = {"?",    "A64",  "A32",   "T32",
					    "RV32", "RV64", "T32EE", "Jazelle"};

	return isa < sizeof(names) / sizeof(names[0]) ? names[isa] : "?";
}

const char *hwf_security_name(unsigned int security)
{
	static const char *const names[] = {"S", "NS", "Root", "Realm"};

	return security < sizeof(names) / sizeof(names[0]) ? names[security] : "?";
}

const char *hwf_gap_text(unsigned int reason)
{
	switch (reason) {
	case HWF_GAP_NO_IMAGE:
		return "no program code at this address";
	case HWF_GAP_MISMATCH:
		return "the program code contradicts the trace";
	case HWF_GAP_NO_ADDRESS:
		return "no address to go on from";
	case HWF_GAP_NO_CONTEXT:
		return "no context to go on in";
	case HWF_GAP_RETURN_STACK:
		return "a return to an address that was not traced";
	case HWF_GAP_UNSEEN:
		return "execution from before the start of trace";
	case HWF_GAP_RUN_TOO_LONG:
		return "no branch for 65536 instructions: this is no program code";
	case HWF_GAP_LOAD_STORE:
		return "loads or stores are traced as branches are, which is not followed";
	case HWF_GAP_TRANSACTION:
		return "the transaction failed: what was given since its start was not executed";
	case HWF_GAP_JAZELLE:
		return "Java bytecodes: they are counted, not followed";
	default:
		return "unknown reason";
	}
}

const char *hwf_gap_remedy(unsigned int reason)
{
	switch (reason) {
	case HWF_GAP_NO_IMAGE:
		return " (give it with --image or --symfs)";
	case HWF_GAP_MISMATCH:
		return " (is it the same build?)";
	case HWF_GAP_LOAD_STORE:
		return " (record with TRCCONFIGR.INSTP0 0)";
	default:
		return "";
	}
}

const char *hwf_no_sync_name(unsigned int reason)
{
	static const char *const names[] = {
		[HWF_NO_SYNC_INIT] = "init-decoder",   [HWF_NO_SYNC_BAD_PACKET] = "bad-packet",
		[HWF_NO_SYNC_DISCARD] = "discard",     [HWF_NO_SYNC_OVERFLOW] = "overflow",
		[HWF_NO_SYNC_RESET] = "reset-decoder",
	};

	return reason < sizeof(names) / sizeof(names[0]) ? names[reason] : "unknown";
}

const char *hwf_riscv_cause_name(unsigned int cause, bool interrupt)
{
	static const char *const exceptions[] = {"instruction address misaligned",
						 "instruction access fault",
						 "illegal instruction",
						 "breakpoint",
						 "load address misaligned",
						 "load access fault",
						 "store address misaligned",
						 "store access fault",
						 "ecall from U",
						 "ecall from S",
						 "ecall from VS",
						 "ecall from M",
						 "instruction page fault",
						 "load page fault",
						 NULL,
						 "store page fault",
						 NULL,
						 NULL,
						 "software check",
						 "hardware error",
						 "instruction guest-page fault",
						 "load guest-page fault",
						 "virtual instruction",
						 "store guest-page fault"};
	static const char *const interrupts[] = {NULL,
						 "supervisor software",
						 "virtual supervisor software",
						 "machine software",
						 NULL,
						 "supervisor timer",
						 "virtual supervisor timer",
						 "machine timer",
						 NULL,
						 "supervisor external",
						 "virtual supervisor external",
						 "machine external",
						 "supervisor guest external",
						 "counter overflow"};
	const char *const *names = interrupt ? interrupts : exceptions;
	const size_t count = interrupt ? sizeof(interrupts) / sizeof(interrupts[0])
				       : sizeof(exceptions) / sizeof(exceptions[0]);

	return cause < count ? names[cause] : NULL;
}
