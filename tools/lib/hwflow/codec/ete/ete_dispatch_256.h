/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* All entries of the dispatch table for the protocols PROTOCOL. No include guard. */
#define HIGH 0x00
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0x10
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0x20
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0x30
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0x40
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0x50
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0x60
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0x70
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0x80
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0x90
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0xa0
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0xb0
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0xc0
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0xd0
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0xe0
#include "codec/ete/ete_dispatch_16.h"
#define HIGH 0xf0
#include "codec/ete/ete_dispatch_16.h"
#undef PROTOCOL
