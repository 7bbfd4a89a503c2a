/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a page. The assembler reads them, so that a cross compiler needs no other tool; the
 * Makefile compiles this file from the top of the source tree, and gives it the hashes.
 */
#include "page_assets.h"

#define INCLUDE(symbol, file)                              \
	__asm__(".pushsection .rodata\n"                   \
		".global " #symbol "\n" #symbol ":\n"      \
		".incbin \"tools/hwflow/page/" file "\"\n" \
		".byte 0\n"                                \
		".popsection\n")

INCLUDE(page_html, "page.html");
INCLUDE(page_css, "page.css");
INCLUDE(page_js, "page.js");

const char page_css_hash[] = PAGE_CSS_HASH;
const char page_js_hash[] = PAGE_JS_HASH;
