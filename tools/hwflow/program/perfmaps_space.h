/* SPDX-License-Identifier: GPL-2.0-only */
/* The address space of one process, over a stretch of time. */
#ifndef HWFLOW_PERFMAPS_SPACE_H
#define HWFLOW_PERFMAPS_SPACE_H

#include "hwflow/image.h"

/**
 * struct maps_space - what a process had mapped in a stretch of time
 * @top: where to look an address up
 * @doubt: below it
 * @now: below that; at the end of the stretch
 * @past: below that; of the programs that there were before in the stretch
 *
 * Where trace does not say when in the stretch it is from, it is from any time in it. Code that
 * was executed was mapped then: if one file only had the address in the stretch, it is that
 * one. Where several had it there is a missing file: it cannot be told which. It is in @top where
 * one program had one after the other, and in @doubt where one of them was of a program before:
 * what is known there when the last program is seen to run, see maps_space_run().
 */
struct maps_space {
	struct hwf_image_space *top;
	struct hwf_image_space *doubt;
	struct hwf_image_space *now;
	struct hwf_image_space *past;
};

/**
 * maps_space_init() - begin with nothing mapped
 * @space: receives it
 * @image: the address space belongs to it
 * @parent: where to look for what is not mapped here
 *
 * Return: 0 or -ENOMEM.
 */
int maps_space_init(struct maps_space *space, struct hwf_image *image,
		    const struct hwf_image_space *parent);

/**
 * maps_space_map() - part of a file is mapped, in place of what was there
 * @space: the address space
 * @whole: what is mapped where
 * @several: has the addresses that several files had; NULL: the stretch begins here
 *
 * Return: 0 or -ENOMEM.
 */
int maps_space_map(struct maps_space *space, const struct hwf_image_place *whole,
		   struct hwf_image_file *several);

/**
 * maps_space_map_first() - likewise, where nothing that is mapped now has been executed yet
 * @space: the address space
 * @whole: what is mapped where
 * @several: see maps_space_map()
 *
 * Return: 0 or -ENOMEM.
 */
int maps_space_map_first(struct maps_space *space, const struct hwf_image_place *whole,
			 struct hwf_image_file *several);

/**
 * maps_space_replace() - all that is mapped is replaced, as fork and exec do
 * @space: the address space
 * @now: has what is mapped now; NULL: nothing
 * @several: see maps_space_map()
 *
 * Return: 0 or -ENOMEM.
 */
int maps_space_replace(struct maps_space *space, const struct hwf_image_space *now,
		       struct hwf_image_file *several);

/**
 * maps_space_run() - code of the process is executed
 * @space: the address space
 * @address: of the first instruction; in the order of the trace
 *
 * Code that only the last program of the stretch had is of the last program, and what comes behind
 * it is, too: a process does not go back to the program before.
 *
 * Return: whether more is known now than before.
 */
bool maps_space_run(struct maps_space *space, uint64_t address);

/** maps_space_is_ordered() - can maps_space_run() make more known? */
bool maps_space_is_ordered(const struct maps_space *space);

/** maps_space_clear() - nothing is mapped, and nothing was */
void maps_space_clear(struct maps_space *space);

#endif /* HWFLOW_PERFMAPS_SPACE_H */
