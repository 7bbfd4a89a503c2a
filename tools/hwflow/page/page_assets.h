/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a page, as they are in the source tree; page_assets.c includes them. */
#ifndef HWFLOW_PAGE_ASSETS_H
#define HWFLOW_PAGE_ASSETS_H

/** page_html - page.html */
extern const char page_html[];

/** page_css - page.css */
extern const char page_css[];

/** page_js - page.js */
extern const char page_js[];

/** page_css_hash - SHA-256 of @page_css, in base64, as a Content-Security-Policy has it */
extern const char page_css_hash[];

/** page_js_hash - likewise, of @page_js */
extern const char page_js_hash[];

#endif /* HWFLOW_PAGE_ASSETS_H */
