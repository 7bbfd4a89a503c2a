/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* The cover of options that the tests of the trace unit run through. */
#ifndef TU_MODEL_VARY_H
#define TU_MODEL_VARY_H

#include "tu_model.h"

typedef void vary_fn(struct model *model);

#define DEPTHS  4
#define CONFIGS 5
#define VARIES  12

/* Those that most others are made of */
extern vary_fn *const varies[VARIES];

struct model *model_of(unsigned int depth, unsigned int config, vary_fn *vary);

vary_fn vary_nothing;
vary_fn vary_filters;
vary_fn vary_syncs;
vary_fn vary_q;
vary_fn vary_source;
vary_fn vary_loss;
vary_fn vary_speculation;
vary_fn vary_speculation_and_all_else;
vary_fn vary_speculation_filters_and_both;
vary_fn vary_transactions;
vary_fn vary_transactions_and_speculation;
vary_fn vary_transactions_and_loss;
vary_fn vary_transactions_and_all_else;
vary_fn vary_speculation_and_syncs;
vary_fn vary_speculation_and_loss;
vary_fn vary_aarch32;
vary_fn vary_aarch32_syncs;
vary_fn vary_aarch32_q;
vary_fn vary_aarch32_source;
vary_fn vary_aarch32_loss;
vary_fn vary_aarch32_speculation;
vary_fn vary_aarch32_speculation_and_all_else;

#endif
