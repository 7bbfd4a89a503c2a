/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the tests of program images share: a P0 map beside a plain walk. */
#ifndef HWF_IMAGE_TEST_H
#define HWF_IMAGE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hwflow/image.h"

#define NOP 0xd503201fu
#define RET 0xd65f03c0u

/* A P0 map and a plain walk over the same spaces. */
struct pair {
	struct hwf_image *image;
	struct hwf_image_view *view;
	struct hwf_code plain;
	bool wfx;
};

static inline void pair_init(struct pair *pair, bool wfx)
{
	assert_int_equal(hwf_image_new(&pair->image, NULL, NULL), 0);
	assert_int_equal(hwf_image_view_new(&pair->view, pair->image, wfx), 0);
	pair->plain = *hwf_image_view_code(pair->view);
	pair->plain.run = NULL;
	pair->wfx = wfx;
}

static inline void pair_free(struct pair *pair)
{
	hwf_image_view_free(pair->view);
	hwf_image_free(pair->image);
}

static inline void check_insn(const struct hwf_insn *is, const struct hwf_insn *want)
{
	assert_int_equal(is->target, want->target);
	assert_int_equal(is->size, want->size);
	assert_int_equal(is->kind, want->kind);
	assert_int_equal(is->sub, want->sub);
	assert_int_equal(is->target_isa, want->target_isa);
	assert_int_equal(is->call, want->call);
	assert_int_equal(is->conditional, want->conditional);
}

static inline void check_run(const struct pair *pair, const struct hwf_image_space *space,
			     uint64_t address, enum hwf_isa isa)
{
	const struct hwf_code *code = hwf_image_view_code(pair->view);
	struct hwf_run is, want;

	memset(&is, 0xa5, sizeof(is));
	code->run(code->ctx, space, address, isa, &is);
	hwf_run_walk(&pair->plain, space, address, isa, pair->wfx, HWF_RUN_MAX, UINT64_MAX, &want);
	assert_int_equal(is.status, want.status);
	assert_int_equal(is.end, want.end);
	assert_int_equal(is.instructions, want.instructions);
	if (want.instructions)
		check_insn(&is.insn, &want.insn);
}

static inline struct hwf_image_file *add_bytes(const struct pair *pair, const void *bytes,
					       size_t size)
{
	struct hwf_image_file *file = NULL;

	assert_int_equal(hwf_image_add_bytes(pair->image, "code", bytes, size, &file), 0);
	return file;
}

static inline struct hwf_image_space *add_space(const struct pair *pair,
						const struct hwf_image_space *parent)
{
	struct hwf_image_space *space = NULL;

	assert_int_equal(hwf_image_add_space(pair->image, NULL, parent, &space), 0);
	return space;
}

#endif /* HWF_IMAGE_TEST_H */
