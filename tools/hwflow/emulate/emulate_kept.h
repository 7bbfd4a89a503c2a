/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hwflow emulate: files that the programs had mapped. The plugin sends a descriptor of each, so
 * that the code of a file that is replaced or removed during the run is still there at its end.
 */
#ifndef HWFLOW_EMULATE_KEPT_H
#define HWFLOW_EMULATE_KEPT_H

struct run;

/** kept_open() - begin to receive files; without a socket none is kept */
void kept_open(struct run *run);

/** kept_take() - take the files that have come since */
void kept_take(struct run *run);

/**
 * kept_save() - save the files that their paths do not lead to any more
 * @run: ended, with its happenings
 *
 * Their contents go to the file "code", and the happenings of their mappings become those of code
 * that no file has. A file that was written to since is left as it is.
 *
 * Return: 0 or an enum exit_status; the reason was printed on stderr.
 */
int kept_save(struct run *run);

/** kept_free() - close all files */
void kept_free(struct run *run);

#endif /* HWFLOW_EMULATE_KEPT_H */
