// SPDX-License-Identifier: GPL-2.0-only
/* The conditional branches of code that has source lines, executed or not. */
#include <elf.h>
#include <errno.h>

#include "code_counts.h"
#include "core/bits.h"
#include "coverage.h"
#include "hwflow/rv_insn.h"

/* The code of a row, as far as the file has it */
struct row_code {
	const uint8_t *bytes;
	uint64_t size;
};

static int add_branch(struct coverage *coverage, const struct coverage_code *code,
		      const struct coverage_row *row, uint64_t address)
{
	const struct coverage_line *line = (struct coverage_line *)code->lines.at + row->line;
	const struct code_branch *executed = code_counts_branch(code->counts, address);
	struct coverage_branch *branch = items_add(&coverage->branches, sizeof(*branch));

	if (!branch)
		return -ENOMEM;
	*branch = (struct coverage_branch){
		.file = line->file, .line = line->number, .order = coverage->branches.count};
	if (executed) {
		branch->taken = executed->taken;
		branch->not_taken = executed->not_taken;
	}
	return 0;
}

static struct row_code code_of(const struct coverage_code *code, const struct coverage_row *row)
{
	uint64_t offset;
	size_t size;
	const uint8_t *bytes = hwf_image_file_bytes(code->binary->image, &size);

	if (!profile_offset(hwf_image_file_elf(code->binary->image), row->start, &offset) ||
	    offset >= size)
		return (struct row_code){NULL, 0};
	size -= offset;
	return (struct row_code){bytes + offset,
				 row->end - row->start < size ? row->end - row->start : size};
}

static int add_a64(struct coverage *coverage, const struct coverage_code *code,
		   const struct coverage_row *row)
{
	const struct row_code found = code_of(code, row);
	struct hwf_insn insn;

	for (uint64_t at = 0; at + 4 <= found.size; at += 4) {
		hwf_insn_a64(hwf_load32(found.bytes + at), row->start + at, &insn);
		if (insn.kind == HWF_INSN_DIRECT && insn.conditional &&
		    add_branch(coverage, code, row, row->start + at))
			return -ENOMEM;
	}
	return 0;
}

/* Whether it is RV32 or RV64 makes no difference to conditional branches. */
static int add_riscv(struct coverage *coverage, const struct coverage_code *code,
		     const struct coverage_row *row)
{
	const struct row_code found = code_of(code, row);
	struct hwf_rv_insn insn;

	for (uint64_t at = 0; at + 2 <= found.size; at += insn.size) {
		uint32_t word = hwf_load16(found.bytes + at);

		if (at + 4 <= found.size)
			word = hwf_load32(found.bytes + at);
		hwf_rv_insn(word, row->start + at, HWF_RV_64, &insn);
		if (!insn.size)
			break;
		if (insn.kind == HWF_RV_BRANCH && at + insn.size <= found.size &&
		    add_branch(coverage, code, row, row->start + at))
			return -ENOMEM;
	}
	return 0;
}

static int add_executed(struct coverage *coverage, const struct coverage_code *code)
{
	const struct code_branch *branches = code->counts->branches.at;

	for (size_t i = 0; i < code->counts->branches.count; i++) {
		const struct coverage_row *row = coverage_row_at(code, branches[i].address);

		if (row && branches[i].conditional &&
		    add_branch(coverage, code, row, branches[i].address))
			return -ENOMEM;
	}
	return 0;
}

int coverage_add_branches(struct coverage *coverage, const struct coverage_code *code)
{
	const struct coverage_row *rows = code->rows.at;
	int (*add_row)(struct coverage *coverage, const struct coverage_code *code,
		       const struct coverage_row *row) =
		code->binary->elf->machine == EM_RISCV ? add_riscv : add_a64;

	if (code->binary->elf->machine == EM_ARM)
		return add_executed(coverage, code);
	for (size_t i = 0; i < code->rows.count; i++)
		if (add_row(coverage, code, &rows[i]))
			return -ENOMEM;
	return 0;
}
