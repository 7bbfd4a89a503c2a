// SPDX-License-Identifier: GPL-2.0-only
/* Bytes of a perf.data file: records after those that its head counts, and the end after these. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "perfdata_writer.h"

struct perfdata_header perfdata_writer_header(const struct perfdata_writer *writer,
					      uint64_t data_size, const uint64_t *features)
{
	struct perfdata_header header = {
		.magic = PERFDATA_MAGIC,
		.size = sizeof(header),
		.attr_size = writer->attr_size + sizeof(struct perfdata_section),
		.attrs = {writer->attrs_at, 0},
		.data = {writer->data_at, data_size},
	};

	header.attrs.size = writer->event_count * header.attr_size;
	if (features)
		memcpy(header.features, features, sizeof(header.features));
	return header;
}

int perfdata_writer_cut_tail(struct perfdata_writer *writer)
{
	const struct perfdata_header header =
		perfdata_writer_header(writer, writer->flushed - writer->data_at, NULL);
	const int fd = fileno(writer->file);

	writer->has_tail = false;
	/* in this order: the file never has more behind its records than the head says */
	if (ftruncate(fd, (off_t)writer->flushed) ||
	    pwrite(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return errno ? -errno : -EIO;
	return 0;
}

int perfdata_put(struct perfdata_writer *writer, const void *bytes, size_t size)
{
	if (writer->has_tail && !writer->error)
		writer->error = perfdata_writer_cut_tail(writer);
	if (writer->error)
		return writer->error;
	if (size && fwrite(bytes, size, 1, writer->file) != 1)
		writer->error = errno ? -errno : -EIO;
	else
		writer->at += size;
	return writer->error;
}
