/* SPDX-License-Identifier: GPL-2.0-only */
/* Code that programs made at run time, from the jitdump files that they wrote. */
#ifndef HWFLOW_PERFMAPS_JIT_H
#define HWFLOW_PERFMAPS_JIT_H

#include "perfdata/perfdata_read.h"

struct hwf_image;
struct hwf_image_place;

/** struct jit_maps - code of all processes of a recording */
struct jit_maps;

/**
 * jit_maps_new() - read the jitdump files that the recorded processes had mapped
 * @result: receives the code
 * @info: the recording; must outlive it
 * @symfs: files of the recorded machine are below this directory; NULL for the root
 * @image: receives the files; must be freed before the result
 *
 * The code of a file is mapped where memory without a file was mapped. Where the program replaced
 * code by other code, no code is mapped: times of jitdump and of the recording are of different
 * clocks.
 *
 * Return: 0 or -ENOMEM.
 */
int jit_maps_new(struct jit_maps **result, const struct perfdata_info *info, const char *symfs,
		 struct hwf_image *image);

/**
 * jit_maps_at() - the code that is mapped right after an event
 * @maps: the code; NULL for none
 * @event: number of the event
 * @places: receives the code, of the process of the event
 *
 * Return: number of @places.
 */
size_t jit_maps_at(const struct jit_maps *maps, size_t event,
		   const struct hwf_image_place **places);

/** jit_maps_free() - free everything; NULL is allowed */
void jit_maps_free(struct jit_maps *maps);

#endif /* HWFLOW_PERFMAPS_JIT_H */
