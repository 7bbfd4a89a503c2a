/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* What the lines of all protocols have in common. */
#include "text/lines.h"

/* Columns of the bytes in the layout for reading */
#define BYTES_COLUMNS 26u

/* Bytes of a packet that are shown there */
#define BYTES_SHOWN 18u

void hwf_put_packet_bytes(struct hwf_text *out, const uint8_t *bytes, size_t size)
{
	const size_t shown = size > BYTES_SHOWN ? BYTES_SHOWN : size;

	hwf_put_string(out, "  ");
	hwf_put_hex_bytes(out, bytes, shown);
	if (2 * shown < BYTES_COLUMNS)
		hwf_put_blanks(out, BYTES_COLUMNS - 2 * shown);
	hwf_put_char(out, ' ');
}

void hwf_put_unsync(struct hwf_text *out, enum hwf_text_format format, uint64_t offset,
		    uint64_t *length)
{
	if (!*length)
		return;
	if (format == HWF_TEXT_REF) {
		hwf_put_decimal(out, offset);
		hwf_put_named_decimal(out, " - UNSYNC len=", *length);
	} else {
		hwf_put_hex_padded(out, offset, HWF_OFFSET_COLUMNS);
		hwf_put_packet_bytes(out, NULL, 0);
		hwf_put_named_decimal(out, "UNSYNC ", *length);
		hwf_put_string(out, " bytes before synchronisation");
	}
	hwf_put_end_line(out);
	*length = 0;
}
