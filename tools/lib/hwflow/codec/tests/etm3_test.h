/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the tests of ETMv3 packets share: configurations of made-up trace units, random numbers. */
#ifndef HWF_ETM3_TEST_H
#define HWF_ETM3_TEST_H

#include "tests/ete_test.h"

#include "codec/etmv3/etm3_private.h"

#define CR_CYCLE   (1u << 12)
#define CR_VALUE   (1u << 2)
#define CR_ADDRESS (1u << 3)
#define CR_CID4    (3u << 14)
#define IDR_ALT    (1u << 20)
#define CCER_TS64  (1u << 29)
#define CCER_BIN   (1u << 28)
#define CCER_TS    (1u << 22)

static inline struct hwf_etm3_config make_config(unsigned int minor, uint32_t etmcr,
						 uint32_t idr_more)
{
	struct hwf_etm3_regs regs = {
		.etmcr = etmcr,
		.etmidr = 0x41000200u | 1u << 18 | minor << 4 | idr_more,
		.etmccer = CCER_TS | CCER_BIN | CCER_TS64,
	};
	struct hwf_etm3_config config;

	assert_int_equal(hwf_etm3_config_init(&config, &regs), 0);
	return config;
}

static inline uint32_t random32(void)
{
	static uint64_t state = 0x853c49e6748fea9bu;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) * 2u + (uint32_t)(state >> 20 & 1);
}

static inline struct hwf_etm3_config random_config(void)
{
	struct hwf_etm3_config config =
		make_config(random32() % 6, random32() & ~(1u << 20), random32() & IDR_ALT);

	if (random32() & 1)
		config.timestamp_bytes = 7;
	return config;
}

#endif /* HWF_ETM3_TEST_H */
