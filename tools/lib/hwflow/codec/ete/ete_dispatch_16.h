/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Sixteen entries of the dispatch table, from header byte HIGH on. No include guard. */
#define H (HIGH | 0x0)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0x1)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0x2)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0x3)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0x4)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0x5)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0x6)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0x7)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0x8)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0x9)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0xa)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0xb)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0xc)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0xd)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0xe)
#include "codec/ete/ete_dispatch_row.h"
#define H (HIGH | 0xf)
#include "codec/ete/ete_dispatch_row.h"
#undef HIGH
