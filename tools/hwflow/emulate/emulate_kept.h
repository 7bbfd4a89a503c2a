/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hwflow emulate: files that the programs had mapped. The plugin has copied those that their user
 * can change, so that the code of a file that is written to, replaced or removed during the run is
 * still there at its end.
 */
#ifndef HWFLOW_EMULATE_KEPT_H
#define HWFLOW_EMULATE_KEPT_H

struct run;

/**
 * kept_save() - save the copies of files that are not as they were any more
 * @run: ended, with its happenings
 *
 * The copies are added to the file "code", and the happenings of their mappings become those of
 * code that no file has. A file without a copy is reported on stderr; its mappings then have the
 * name of a file that was deleted, so that its code is a gap.
 *
 * Return: 0 or an enum exit_status; the reason was printed on stderr.
 */
int kept_save(struct run *run);

#endif /* HWFLOW_EMULATE_KEPT_H */
