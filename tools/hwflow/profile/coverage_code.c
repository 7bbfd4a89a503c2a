// SPDX-License-Identifier: GPL-2.0-only
/* The line and the function of an address, in the code of a binary. */
#include "coverage.h"
#include "symbols/symbols.h"

const struct coverage_row *coverage_row_at(const struct coverage_code *code, uint64_t address)
{
	const struct coverage_row *rows = code->rows.at;
	size_t low = 0, high = code->rows.count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (rows[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < rows[low - 1].end ? &rows[low - 1] : NULL;
}

size_t coverage_function_at(const struct coverage_code *code, uint64_t address)
{
	const struct function *function =
		profile_function(code->functions, code->function_count, address);

	return function ? (size_t)(function - code->functions) : SIZE_MAX;
}
