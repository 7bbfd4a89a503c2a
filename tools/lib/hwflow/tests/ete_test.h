/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the unit tests share: cmocka, and configurations of made-up trace units. */
#ifndef HWF_ETE_TEST_H
#define HWF_ETE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hwflow/ete.h"

/* TRCIDR0 of a trace unit with everything; COMMOPT, COMMTRANS and TSMARK are added */
#define IDR0_ALL       (0x08000ea1u | 1u << 5 | 1u << 7 | 1u << 9 | 3u << 15 | 1u << 22)
#define IDR0_TSMARK    (1u << 23)
#define IDR0_COMMOPT   (1u << 29)
#define IDR0_COMMTRANS (1u << 30)
/* TRCIDR2: 64-bit addresses, 4-byte context identifiers, WFXMODE */
#define IDR2_ALL     0xd0001088u
#define DEVARCH_V1P3 0x47735a13u

static inline struct hwf_ete_config test_config(uint32_t idr0_more, uint32_t max_spec,
						uint32_t configr)
{
	struct hwf_ete_regs regs = {
		.trcconfigr = configr,
		.trcidr0 = IDR0_ALL | idr0_more,
		.trcidr2 = IDR2_ALL,
		.trcidr8 = max_spec,
		.trcdevarch = DEVARCH_V1P3,
	};
	struct hwf_ete_config config;

	assert_int_equal(hwf_ete_config_init(&config, &regs), 0);
	return config;
}

/* "00 0a f7" into bytes; returns how many */
static inline size_t test_bytes(const char *hex, uint8_t *bytes)
{
	size_t count = 0;

	while (*hex) {
		unsigned int value = 0;

		for (int i = 0; i < 2; i++, hex++) {
			char c = *hex;

			value = value << 4 | (unsigned int)(c <= '9' ? c - '0' : c - 'a' + 10);
		}
		bytes[count++] = (uint8_t)value;
		while (*hex == ' ')
			hex++;
	}
	return count;
}

#endif /* HWF_ETE_TEST_H */
