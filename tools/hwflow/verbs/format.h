/* SPDX-License-Identifier: GPL-2.0-only */
/* Layouts of dump and flow, and what is printed behind an error. */
#ifndef HWFLOW_FORMAT_H
#define HWFLOW_FORMAT_H

#include "base/text.h"

/** enum line_format - --format */
enum line_format {
	FORMAT_HUMAN = HWF_TEXT_HUMAN,
	FORMAT_REF = HWF_TEXT_REF,
	FORMAT_PC, /* addresses of executed instructions only */
};

/** NO_SYNC_REMEDY - behind the error of a packet that cannot be decoded */
#define NO_SYNC_REMEDY HWF_TEXT_WAITING

/** CUT_REMEDY - the same for a packet that does not end */
#define CUT_REMEDY "; the trace was cut here"

#endif /* HWFLOW_FORMAT_H */
