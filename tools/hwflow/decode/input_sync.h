/* SPDX-License-Identifier: GPL-2.0-only */
/* Synchronisation: a trace without one cannot be decoded, and that is an error in every verb. */
#ifndef HWFLOW_INPUT_SYNC_H
#define HWFLOW_INPUT_SYNC_H

#include "gaps.h"
#include "source/input.h"

/**
 * sync_gap() - what is missing of a piece without synchronisation
 * @input: what is decoded
 * @source: source of the piece
 * @piece: a piece whose instructions are wanted
 * @gap: receives the gap: all of the piece
 *
 * Return: false if there is none: instructions can be followed from some packet on, the piece is
 * empty, or it is padding in a trace that has other pieces.
 */
bool sync_gap(struct input *input, const struct input_source *source,
	      const struct input_piece *piece, struct gap *gap);

/**
 * sync_status() - the exit status of a verb, whose gaps were reported
 * @input: what was decoded
 * @level: how far
 * @status: an enum exit_status
 *
 * Return: EXIT_UNREADABLE in place of success and of EXIT_GAPS if @input has trace and nothing of
 * it could be decoded; else @status.
 */
int sync_status(struct input *input, enum input_sync level, int status);

#endif /* HWFLOW_INPUT_SYNC_H */
