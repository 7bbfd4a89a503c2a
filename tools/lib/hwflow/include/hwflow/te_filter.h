/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Filters of a RISC-V trace encoder (chapter 4 of Processor Trace 0.026; informative in ratified
 * E-Trace): which instructions are qualified, that is, traced. The three commands of the draft are
 * the three structures; it gives no layout for them.
 */
#ifndef HWFLOW_TE_FILTER_H
#define HWFLOW_TE_FILTER_H

#include "hwflow/te_ingress.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/** HWF_TE_COMPARATORS - most comparators */
#define HWF_TE_COMPARATORS 8
/** HWF_TE_FILTERS - most filters */
#define HWF_TE_FILTERS 16

/** enum hwf_te_bus - what a comparator looks at */
enum hwf_te_bus {
	HWF_TE_BUS_ADDRESS,
	HWF_TE_BUS_CONTEXT,
	HWF_TE_BUS_TVAL,
};

/** enum hwf_te_op - what a comparator does; all values are unsigned */
enum hwf_te_op {
	HWF_TE_EQ,
	HWF_TE_NEQ,
	HWF_TE_LT,
	HWF_TE_LTE,
	HWF_TE_GT,
	HWF_TE_GTE,
	HWF_TE_ALWAYS,
};

/**
 * struct hwf_te_comparator - command "set up comparator"
 * @value: what the bus is compared with
 * @bus: enum hwf_te_bus
 * @op: enum hwf_te_op: bus @op @value
 */
struct hwf_te_comparator {
	uint64_t value;
	uint8_t bus;
	uint8_t op;
};

/**
 * struct hwf_te_match - command "set match"; what is not asked for always matches
 * @privileges: set of privilege levels, bit n is level n; 0: any
 * @causes: with @on_cause: set of the values that the lowest ecause_choice_p bits of the cause may
 *	have; the bits above them have to be those of @cause
 * @cause: bits of the cause above ecause_choice_p
 * @user: with @user_mask: the user sideband
 * @user_mask: bits of it that count
 * @on_cause: only in handlers of traps with these causes
 * @on_interrupt: only in handlers of traps that are interrupts, or are not, by @interrupt
 * @interrupt: see @on_interrupt
 */
struct hwf_te_match {
	uint64_t causes;
	uint64_t user[HWF_TE_USER_WORDS];
	uint64_t user_mask[HWF_TE_USER_WORDS];
	uint16_t privileges;
	uint16_t cause;
	bool on_cause;
	bool on_interrupt;
	bool interrupt;
};

/**
 * struct hwf_te_filter - command "set up filter": all that it asks for has to hold
 * @all: set of comparators that all have to match
 * @start: set of comparators; where one of them matches, what stands from there on is in the filter
 * @stop: likewise; what stands behind it is not. 0 and 0: no such condition
 * @match: matching of privilege, cause, interrupt and user sideband
 * @enable: the filter is used
 *
 * @start and @stop look at each instruction that the port shows, traced or not: the first and the
 * last of each block, so a block is in from its beginning and out after its end.
 */
struct hwf_te_filter {
	struct hwf_te_match match;
	uint8_t all;
	uint8_t start;
	uint8_t stop;
	bool enable;
};

/**
 * struct hwf_te_filter_params - what of it an encoder has, by the names of Table 3.7
 * @comparators: how many there are, 0 to HWF_TE_COMPARATORS
 * @filters: how many there are, 0 to HWF_TE_FILTERS
 * @ecause_choice_p: 0 to 6
 * @filter_ecause_p: 0: none on causes and interrupts; else log2 of the nested traps that are kept
 *	track of, to 15
 * @filter_context_p: the bus can be compared
 * @filter_interrupt_p: whether a trap is an interrupt can be matched
 * @filter_privilege_p: the privilege can be matched
 * @filter_tval_p: the bus can be compared
 * @user_width_p: bits of the user sideband, 0 to 256
 */
struct hwf_te_filter_params {
	uint8_t comparators;
	uint8_t filters;
	uint8_t ecause_choice_p;
	uint8_t filter_ecause_p;
	bool filter_context_p;
	bool filter_interrupt_p;
	bool filter_privilege_p;
	bool filter_tval_p;
	uint16_t user_width_p;
};

/**
 * struct hwf_te_filters - filters as they are set
 * @params: what there is
 * @comparator: settings
 * @filter: settings; an instruction is qualified where one that is enabled matches, or none is
 *	enabled
 */
struct hwf_te_filters {
	struct hwf_te_filter_params params;
	struct hwf_te_comparator comparator[HWF_TE_COMPARATORS];
	struct hwf_te_filter filter[HWF_TE_FILTERS];
};

/**
 * hwf_te_filters_check() - do the settings ask for what there is?
 * @filters: parameters and settings
 *
 * Return: 0, or HWF_ERR_BAD_CONFIG.
 */
int hwf_te_filters_check(const struct hwf_te_filters *filters);

/**
 * hwf_te_compare() - one comparator
 * @comparator: its setting
 * @bus: value of the bus that it looks at
 */
bool hwf_te_compare(const struct hwf_te_comparator *comparator, uint64_t bus);

/**
 * struct hwf_te_trap_entry - a trap whose handler has not returned yet
 */
struct hwf_te_trap_entry {
	uint64_t tval;
	uint16_t cause;
	bool interrupt;
};

/**
 * struct hwf_te_filter_state - what filters remember; its members are its own
 *
 * @nested is the caller's, 2 to the power of filter_ecause_p entries (one, where that is 0).
 */
struct hwf_te_filter_state {
	const struct hwf_te_filters *filters;
	struct hwf_te_trap_entry *nested;
	uint32_t depth;
	uint32_t room;
	uint16_t started;
};

/**
 * struct hwf_te_filter_input - a block, as filters see it
 * @first: address of its first instruction
 * @last: address of its last instruction
 * @cycle: the rest of the port
 * @trap: enum hwf_te_trap: it ends with one
 * @trap_return: it ends with a return from a trap
 */
struct hwf_te_filter_input {
	uint64_t first;
	uint64_t last;
	const struct hwf_te_cycle *cycle;
	uint8_t trap;
	bool trap_return;
};

/**
 * hwf_te_filter_init() - forget everything
 * @state: what filters remember
 * @filters: their settings, which hwf_te_filters_check() has passed; they have to last as long
 * @nested: memory for nested traps
 */
void hwf_te_filter_init(struct hwf_te_filter_state *state, const struct hwf_te_filters *filters,
			struct hwf_te_trap_entry *nested);

/**
 * hwf_te_filter_block() - is a block qualified?
 * @state: what filters remember
 * @input: the block, each one once and in order
 *
 * In a block some of whose instructions match and some do not, all are traced: the port does not
 * tell them apart. The handler of a trap begins behind the block that ends with the trap, and ends
 * with a trap return. Of traps nested deeper than is kept track of only their number is known: none
 * of them matches.
 */
bool hwf_te_filter_block(struct hwf_te_filter_state *state,
			 const struct hwf_te_filter_input *input);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_TE_FILTER_H */
