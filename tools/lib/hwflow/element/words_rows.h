/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
#ifndef HWF_WORDS_ROWS_H
#define HWF_WORDS_ROWS_H

#include "hwflow/words.h"

/*
 * hwf_word_of_packet() - the word of a packet that has no history, nor more than one word; false,
 * and @word unchanged, for one that has
 */
bool hwf_word_of_packet(const struct hwf_ete_packet *packet, struct hwf_word *word);

#endif /* HWF_WORDS_ROWS_H */
