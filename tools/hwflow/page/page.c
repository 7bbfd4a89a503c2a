/* SPDX-License-Identifier: GPL-2.0-only */
/* The frame of a page: page.html, whose words between two @ are replaced. */
#include "page.h"

#include "page_assets.h"

/* A word of page.html, and what takes its place */
static const struct {
	const char *word;
	const char *text;
} words[] = {
	{"@style@", page_css},
	{"@style-hash@", page_css_hash},
	{"@script@", page_js},
	{"@script-hash@", page_js_hash},
};

/* The place of the data in page.html */
static const char data[] = "@data@";

/* Appends a part of page.html. */
static void put(struct text *out, const char *from, const char *until)
{
	while (from < until) {
		const char *next = until, *text = NULL;
		size_t length = 0;

		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			const char *at = strstr(from, words[i].word);

			if (!at || at >= next)
				continue;
			next = at;
			text = words[i].text;
			length = strlen(words[i].word);
		}
		text_pass(out, from, (size_t)(next - from));
		if (text)
			text_pass(out, text, strlen(text));
		from = next + length;
	}
}

void page_begin(struct text *out)
{
	put(out, page_html, strstr(page_html, data));
}

void page_end(struct text *out)
{
	put(out, strstr(page_html, data) + strlen(data), page_html + strlen(page_html));
}
