// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/*
 * Fuzz target: any bytes as a file of code, ELF or not. What it says of itself must lie in it, and
 * each run that the P0 map answers must be what a walk through the bytes finds.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hwflow/image.h"

#define BIAS  UINT64_C(0x7000)
#define PLAIN UINT64_C(0xffffffffffff0000) /* where the bytes are mapped as they are */

/* Runs asked for: a walk is as long as the file */
#define RUNS 20

struct program {
	struct hwf_image *image;
	struct hwf_image_space *space;
	struct hwf_image_file *file;
	struct hwf_image_view *views[2]; /* by wfx */
	unsigned int runs;
};

static void check_run(struct program *program, uint64_t address, enum hwf_isa isa, bool wfx)
{
	const struct hwf_code *code = hwf_image_view_code(program->views[wfx]);
	struct hwf_run run = {0};
	struct hwf_run walk = {0};

	code->run(code->ctx, program->space, address, isa, &run);
	hwf_run_walk(code, program->space, address, isa, wfx, HWF_RUN_MAX, UINT64_MAX, &walk);
	if (run.status != walk.status || run.end != walk.end ||
	    run.instructions != walk.instructions)
		abort();
	if (!run.status &&
	    (run.insn.kind != walk.insn.kind || run.insn.sub != walk.insn.sub ||
	     run.insn.target != walk.insn.target || run.insn.conditional != walk.insn.conditional))
		abort();
}

static void look(struct program *program, uint64_t address)
{
	struct hwf_image_place place;

	if (program->runs++ >= RUNS)
		return;
	if (hwf_image_find(program->space, address, &place) &&
	    (place.file != program->file || address - place.start >= place.length))
		abort();
	for (int wfx = 0; wfx < 2; wfx++) {
		check_run(program, address, HWF_ISA_A64, wfx);
		check_run(program, address, HWF_ISA_A32, wfx);
		check_run(program, address, HWF_ISA_T32, wfx);
	}
}

static void look_around(struct program *program, uint64_t start, uint64_t size)
{
	look(program, start);
	look(program, start + 2);
	look(program, start - 4);
	look(program, start + (size / 2 & ~UINT64_C(3)));
	look(program, start + ((size - 1) & ~UINT64_C(3)));
	look(program, start + size);
}

static void look_at_elf(struct program *program, size_t size)
{
	const struct hwf_image_elf *elf = hwf_image_file_elf(program->file);

	if (!elf)
		return;
	if (elf->build_id_size > HWF_BUILD_ID_MAX)
		abort();
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct hwf_image_segment *segment = &elf->segments[i];

		if (segment->offset > size || segment->size > size - segment->offset)
			abort();
	}
	if (hwf_image_map_elf(program->space, program->file, 0) ||
	    hwf_image_map_elf(program->space, program->file, BIAS))
		abort();
	look(program, elf->entry);
	look(program, elf->entry + BIAS);
	for (size_t i = 0; i < elf->segment_count; i++)
		look_around(program, elf->segments[i].address + (i & 1 ? BIAS : 0),
			    elf->segments[i].size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct program program = {0};

	if (hwf_image_new(&program.image, NULL, NULL) ||
	    hwf_image_add_space(program.image, NULL, NULL, &program.space) ||
	    hwf_image_view_new(&program.views[0], program.image, false) ||
	    hwf_image_view_new(&program.views[1], program.image, true))
		abort();
	if (hwf_image_add_bytes(program.image, "input", data, size, &program.file) ||
	    hwf_image_map(program.space, PLAIN, UINT64_MAX - PLAIN, program.file, 0))
		abort();
	look_at_elf(&program, size);
	program.runs = 0;
	look_around(&program, PLAIN, size);
	/* from half of it on, then none */
	if (hwf_image_map(program.space, PLAIN, size / 2, NULL, 0))
		abort();
	look_around(&program, PLAIN, size);
	hwf_image_space_clear(program.space);
	look_around(&program, PLAIN, size);
	hwf_image_view_free(program.views[0]);
	hwf_image_view_free(program.views[1]);
	hwf_image_free(program.image);
	return 0;
}
