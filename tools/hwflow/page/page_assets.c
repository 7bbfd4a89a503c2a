/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of a page. The assembler reads them, so that a cross compiler needs no other tool; the
 * Makefile compiles this file from the top of the source tree, and gives it the hashes.
 */
#include "page_assets.h"

#define FILE_BYTES(file) ".incbin \"tools/hwflow/page/" file "\"\n"

/* A string of the bytes of files */
#define STRING(symbol, files)                                           \
	__asm__(".pushsection .rodata\n"                                \
		".global " #symbol "\n" #symbol ":\n" files ".byte 0\n" \
		".popsection\n")

STRING(page_html, FILE_BYTES("page.html"));
STRING(page_css, FILE_BYTES("page.css"));
/* in the order of PAGE_SCRIPT in the Makefile */
STRING(page_js, FILE_BYTES("js/data.js") FILE_BYTES("js/view.js") FILE_BYTES("js/flame.js")
			FILE_BYTES("js/timeline.js") FILE_BYTES("js/sections.js")
				FILE_BYTES("js/code.js") FILE_BYTES("js/main.js"));

const char page_css_hash[] = PAGE_CSS_HASH;
const char page_js_hash[] = PAGE_JS_HASH;
