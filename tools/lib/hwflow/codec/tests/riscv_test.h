/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the tests of RISC-V share */
#ifndef HWF_TESTS_RISCV_TEST_H
#define HWF_TESTS_RISCV_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hwflow/riscv.h"

/* A packet in words: what must be equal where packets are */
static inline void riscv_describe(const struct hwf_riscv_packet *packet, char *text, size_t room)
{
	const struct hwf_riscv_address *address = NULL;
	int at = snprintf(text, room, "%s", hwf_riscv_type_name(packet->type));

#define MORE(...) (at += snprintf(text + at, room - (size_t)at, __VA_ARGS__))
	switch (packet->type) {
	case HWF_RISCV_F0_MAP:
	case HWF_RISCV_F1:
		MORE(" map %x/%u", packet->u.map.map, packet->u.map.branches);
		address = &packet->u.map.address;
		break;
	case HWF_RISCV_F0_COUNT:
		MORE(" count %u fmt %u", packet->u.count.branch_count, packet->u.count.branch_fmt);
		address = &packet->u.count.address;
		break;
	case HWF_RISCV_F0_CACHE:
		MORE(" index %u map %x/%u ir %d %u", packet->u.cache.index, packet->u.cache.map,
		     packet->u.cache.branches, packet->u.cache.irreport,
		     packet->u.cache.irreport ? packet->u.cache.irdepth : 0);
		break;
	case HWF_RISCV_F2:
		address = &packet->u.address;
		break;
	case HWF_RISCV_F3_START:
	case HWF_RISCV_F3_TRAP:
	case HWF_RISCV_F3_CONTEXT:
		MORE(" addr %d %llx tval %llx time %llx", packet->u.sync.has_address,
		     (unsigned long long)packet->u.sync.address,
		     (unsigned long long)packet->u.sync.tval,
		     (unsigned long long)packet->u.sync.time);
		MORE(" context %x cause %u priv %u branch %d int %d thaddr %d",
		     packet->u.sync.context, packet->u.sync.ecause, packet->u.sync.privilege,
		     packet->u.sync.branch, packet->u.sync.interrupt, packet->u.sync.thaddr);
		break;
	default:
		MORE(" io %x do %x mode %u qual %u %d%d%d", packet->u.support.ioptions,
		     packet->u.support.doptions, packet->u.support.encoder_mode,
		     packet->u.support.qual_status, packet->u.support.ienable,
		     packet->u.support.denable, packet->u.support.dloss);
		break;
	}
	if (address)
		MORE(" addr %d %llx %d%d%d %u", address->has, (unsigned long long)address->value,
		     address->notify, address->updiscon, address->irreport,
		     address->irreport ? address->irdepth : 0);
#undef MORE
}

/* A configuration that there is */
static inline struct hwf_riscv_config riscv_config(enum hwf_riscv_dialect dialect,
						   const struct hwf_riscv_params *params)
{
	struct hwf_riscv_config config;

	assert_int_equal(hwf_riscv_config_init(&config, dialect, params), 0);
	return config;
}

#endif /* HWF_TESTS_RISCV_TEST_H */
