/* SPDX-License-Identifier: GPL-2.0-only */
/* The directory of a run, and how what is written there becomes FILE, FILE.truth, FILE.code. */
#ifndef HWFLOW_EMULATE_PLACE_H
#define HWFLOW_EMULATE_PLACE_H

#include "emulate.h"

/*
 * Functions that return int return 0 or an exit status, having reported the error on standard
 * error.
 */

/**
 * place_target() - can a recording be written there?
 * @output: FILE as the user gives it
 * @target: receives its name; where FILE is a symbolic link, that of the file it points to
 *
 * Return: 0 or an exit status.
 */
int place_target(const char *output, char target[PATH_MAX]);

/** place_make() - make and lock the directory, beside @run->target: the space is there */
int place_make(struct run *run);

/** place_open() - lock the directory of a run that was killed; sets @run->target from its name */
int place_open(struct run *run, const char *directory);

/** place_put() - the files are complete: give them their names; @truth: there is a FILE.truth */
int place_put(const struct run *run, bool truth);

/** place_is_complete() - place_put() had begun */
bool place_is_complete(const char *directory);

/** place_finish() - what place_put() began for @target, where its process was killed */
int place_finish(const char *directory, const char *target);

/** place_keep() - the user wants the directory: place_clean() is to leave it */
void place_keep(const struct run *run);

/** place_remove() - remove the directory with all files in it; true if it is gone */
bool place_remove(const char *directory);

/**
 * place_clean() - look for directories of earlier runs that were killed
 * @target: of the run that begins
 *
 * One that is complete is put in place, others are removed; both is reported.
 */
void place_clean(const char *target);

#endif /* HWFLOW_EMULATE_PLACE_H */
