/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Straight code up to the next P0 instruction, read from the program. */
#include "core/bits.h"
#include "hwflow/flow.h"

/* A buffer of code bytes around the walk, so that the program is not asked for each word */
struct code_buffer {
	const struct hwf_code *code;
	const void *space;
	uint64_t start;
	size_t length;
	uint8_t bytes[64];
};

/* The bytes at @address; NULL if there are not as many. */
static const uint8_t *code_at(struct code_buffer *buffer, uint64_t address, size_t length)
{
	uint64_t at = address - buffer->start;

	if (at >= buffer->length || buffer->length - at < length) {
		buffer->start = address;
		buffer->length = buffer->code->read(buffer->code->ctx, buffer->space, address,
						    buffer->bytes, sizeof(buffer->bytes));
		at = 0;
		if (buffer->length < length)
			return NULL;
	}
	return buffer->bytes + at;
}

/* One instruction; false where the program has none. */
static bool decode(struct code_buffer *buffer, uint64_t address, enum hwf_isa isa, unsigned int *it,
		   struct hwf_insn *insn)
{
	const uint8_t *bytes = code_at(buffer, address, isa == HWF_ISA_T32 ? 2 : 4);
	uint16_t hw1;
	uint16_t hw2 = 0;

	if (!bytes)
		return false;
	switch (isa) {
	case HWF_ISA_A64:
		hwf_insn_a64(hwf_load32(bytes), address, insn);
		return true;
	case HWF_ISA_A32:
		hwf_insn_a32(hwf_load32(bytes), address, insn);
		return true;
	case HWF_ISA_T32:
		hw1 = (uint16_t)hwf_load16(bytes);
		if (hwf_insn_t32_is_wide(hw1)) {
			bytes = code_at(buffer, address, 4);
			if (!bytes)
				return false;
			hw2 = (uint16_t)hwf_load16(bytes + 2);
		}
		hwf_insn_t32(hw1, hw2, address, it, insn);
		return true;
	default:
		return false;
	}
}

void hwf_run_walk(const struct hwf_code *code, const void *space, uint64_t address,
		  enum hwf_isa isa, bool wfx, uint32_t stop, uint64_t until, struct hwf_run *run)
{
	struct code_buffer buffer = {.code = code, .space = space};
	unsigned int it = 0;
	bool is_passed = false;

	*run = (struct hwf_run){.end = address, .status = HWF_ERR_NO_SPACE};
	while (run->instructions < stop && run->end != until && !is_passed) {
		if (!decode(&buffer, run->end, isa, &it, &run->insn)) {
			run->status = HWF_ERR_NO_IMAGE;
			return;
		}
		is_passed = run->insn.size == 4 && until == run->end + 2;
		run->end += run->insn.size;
		run->instructions++;
		if (hwf_insn_is_p0(&run->insn, wfx)) {
			run->status = 0;
			return;
		}
	}
}
