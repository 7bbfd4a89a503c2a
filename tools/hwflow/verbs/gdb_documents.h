/* SPDX-License-Identifier: GPL-2.0-only */
/* Documents that gdb reads of a target (qXfer), and its registers. */
#ifndef HWFLOW_VERBS_GDB_DOCUMENTS_H
#define HWFLOW_VERBS_GDB_DOCUMENTS_H

#include "gdb_target.h"

/** gdb_put_document_names() - append the documents that there are, as in the reply to qSupported */
void gdb_put_document_names(struct text *text);

/**
 * gdb_find_document() - the document that a request reads
 * @target: the target; a document that there is for some targets only is not found for others
 * @request: OBJECT:read:ANNEX: and more, as after qXfer:; moved to what is after that
 *
 * Return: what writes it; NULL if there is none.
 */
gdb_put_document *gdb_find_document(struct gdb_target *target, const char **request);

/** gdb_put_blocks() - the document that has the recording of the thread that gdb looks at */
void gdb_put_blocks(const struct gdb_target *target, struct text *text);

/** gdb_put_registers() - append the registers of the thread that gdb looks at, in hexadecimal */
void gdb_put_registers(const struct gdb_target *target, struct text *text);

/** gdb_isa_is_known() - can gdb show a recording of code of this enum hwf_isa? */
bool gdb_isa_is_known(unsigned int isa);

#endif /* HWFLOW_VERBS_GDB_DOCUMENTS_H */
