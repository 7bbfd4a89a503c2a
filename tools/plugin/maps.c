// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where code comes from: the file that is mapped at its address; or, where there is none or
 * the bytes differ from it, a page of the file "code" that receives what is executed.
 *
 * Looked at when code is translated. QEMU translates anew what was written to or mapped
 * again, so no change goes unseen. All of this is under one lock.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "maps_path.h"
#include "plugin.h"

/* the least that an instruction may have, and may begin at */
#define UNIT          2
#define UNITS         (RUN_PAGE / UNIT)
#define FIRST_BUCKETS 1024

/* a mapping of this process, in addresses of the program */
struct region {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode;
	unsigned int major;
	unsigned int minor;
	bool file;             /* a regular file is mapped, under the path it was opened by */
	struct kept_file kept; /* that file, once the mapping is written down; without its path */
	bool gone;             /* it was unmapped, or something was mapped over it */
};

/* what the file "code" has of a page */
struct copy {
	uint32_t number; /* of its page in the file */
	int32_t owner;   /* process whose it is */
	uint8_t bytes[RUN_PAGE];
	uint8_t executed[UNITS / 8]; /* a bit a unit */
};

/* a page of code seen */
struct page {
	uint64_t address;
	uint64_t seen; /* value of changes when it was looked up; 0: not yet */
	bool unmapped; /* since then */
	struct region region;
	char *path;        /* of the file; NULL where there is none */
	struct copy *copy; /* NULL: as the file has it */
	struct page *chain;
};

static struct {
	pthread_mutex_t lock;
	uint64_t changes; /* of the process' mappings; from 1 */
	struct page **buckets;
	size_t bucket_count;
	size_t page_count;
	struct region *told; /* written to the events, none over another */
	size_t told_count;
	size_t told_room;
} maps = {.lock = PTHREAD_MUTEX_INITIALIZER, .changes = 1};

void maps_changed(void)
{
	__atomic_add_fetch(&maps.changes, 1, __ATOMIC_SEQ_CST);
}

static bool same_backing(const struct region *a, const struct region *b)
{
	if (!a->file || !b->file)
		return !a->file && !b->file;
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
	       a->start - a->offset == b->start - b->offset;
}

static struct page **bucket_of(uint64_t address, struct page **buckets, size_t count)
{
	return &buckets[(size_t)((address / RUN_PAGE) * UINT64_C(0x9e3779b97f4a7c15) >> 32) &
			(count - 1)];
}

static bool pages_grow(void)
{
	size_t more = maps.bucket_count ? maps.bucket_count * 2 : FIRST_BUCKETS;
	struct page **buckets = calloc(more, sizeof(*buckets));

	if (!buckets)
		return false;
	for (size_t i = 0; i < maps.bucket_count; i++) {
		while (maps.buckets[i]) {
			struct page *page = maps.buckets[i];
			struct page **to = bucket_of(page->address, buckets, more);

			maps.buckets[i] = page->chain;
			page->chain = *to;
			*to = page;
		}
	}
	free(maps.buckets);
	maps.buckets = buckets;
	maps.bucket_count = more;
	return true;
}

static struct page *page_get(uint64_t address)
{
	struct page **bucket, *page;

	if (maps.page_count >= maps.bucket_count && !pages_grow())
		return NULL;
	bucket = bucket_of(address, maps.buckets, maps.bucket_count);
	for (page = *bucket; page && page->address != address; page = page->chain)
		;
	if (!page) {
		page = calloc(1, sizeof(*page));
		if (!page)
			return NULL;
		page->address = address;
		page->chain = *bucket;
		*bucket = page;
		maps.page_count++;
	}
	return page;
}

/* The mapping at @address, and its path, the caller's to free; NULL where there is no file. */
static char *region_find(uint64_t address, struct region *region)
{
	uint64_t host = address + plugin.guest_base;
	FILE *file = fopen("/proc/self/maps", "re");
	char *line = NULL, *path = NULL;
	size_t room = 0;

	*region = (struct region){.start = address, .end = address + RUN_PAGE};
	while (file && getline(&line, &room, file) > 0) {
		struct region at = {0};
		uint64_t start, end;
		int text = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64 " %n",
			   &start, &end, &at.offset, &at.major, &at.minor, &at.inode, &text) < 6 ||
		    host < start || host >= end)
			continue;
		line[strcspn(line, "\n")] = '\0';
		at.file = line[text] == '/' && at.inode;
		at.start = start - plugin.guest_base;
		at.end = end - plugin.guest_base;
		if (at.file) {
			maps_path_read(line + text, "");
			path = strdup(line + text);
		}
		*region = at;
		break;
	}
	free(line);
	if (file)
		fclose(file);
	return path;
}

/* The mapping at a page, if it was written down and is still there */
static const struct region *told_find(const struct page *page)
{
	for (size_t i = 0; i < maps.told_count; i++) {
		const struct region *told = &maps.told[i];

		if (!told->gone && page->address >= told->start && page->address < told->end &&
		    same_backing(told, &page->region))
			return told;
	}
	return NULL;
}

/*
 * Does the file's content stand here as the recording has it? No, for a file that was written to
 * since the mapping was written down, one that was deleted, or a device. A file that is new here is
 * kept.
 */
static bool file_stands(struct page *page, uint64_t pc, const void *bytes, size_t length)
{
	const struct region *told = told_find(page);

	if (told)
		page->region.kept = told->kept;
	page->region.kept.path = page->path;
	return (told || file_keep(&page->region.kept)) &&
	       file_has(&page->region.kept, page->region.offset + (pc - page->region.start), bytes,
			length);
}

static void tell(enum run_event_kind kind, const struct region *region, const char *path,
		 uint64_t time)
{
	struct run_event event = {.kind = (uint16_t)kind,
				  .time = time,
				  .pid = getpid(),
				  .tid = gettid(),
				  .device_major = region->major,
				  .device_minor = region->minor,
				  .a = region->start,
				  .b = region->end - region->start,
				  .c = region->offset,
				  .d = region->inode,
				  .file = region->kept.identity,
				  .kept = region->kept.kept};

	event_write(&event, path);
}

static void tell_copy(const struct page *page, uint64_t time)
{
	struct region region = {.start = page->address,
				.end = page->address + RUN_PAGE,
				.offset = (uint64_t)page->copy->number * RUN_PAGE};

	tell(RUN_CODE, &region, NULL, time);
}

/* Forget what @region covers; whether code of something else may have been executed there. */
static bool told_remove(const struct region *region)
{
	bool other = false;
	size_t kept = 0;

	for (size_t i = 0; i < maps.told_count; i++) {
		const struct region *old = &maps.told[i];

		if (old->end <= region->start || old->start >= region->end)
			maps.told[kept++] = *old;
		else if (!same_backing(old, region) || !kept_same(&old->kept, &region->kept))
			other = true;
	}
	maps.told_count = kept;
	return other;
}

/* A file was mapped over pages that are copies: those that are not of that file are gone. */
static bool copies_covered(const struct region *region, uint64_t time)
{
	bool other = false;

	for (size_t i = 0; i < maps.bucket_count; i++) {
		for (struct page *page = maps.buckets[i]; page; page = page->chain) {
			if (!page->copy || page->address < region->start ||
			    page->address >= region->end)
				continue;
			if (same_backing(&page->region, region)) {
				tell_copy(page, time);
				continue;
			}
			other = true;
			free(page->copy);
			page->copy = NULL;
		}
	}
	return other;
}

/* Write down the mapping of a page that its file has as it is, once. */
static void tell_file(const struct page *page)
{
	uint64_t now = run_now();
	bool other;

	if (told_find(page))
		return;
	other = told_remove(&page->region);
	if (maps.told_count == maps.told_room) {
		size_t room = maps.told_room ? maps.told_room * 2 : 32;
		struct region *more = realloc(maps.told, room * sizeof(*more));

		if (!more) {
			run_failed("no memory for the list of mappings");
			return;
		}
		maps.told = more;
		maps.told_room = room;
	}
	maps.told[maps.told_count] = page->region;
	/* the page's own, which it may free */
	maps.told[maps.told_count++].kept.path = NULL;
	tell(RUN_MAP, &page->region, page->path, now);
	if (copies_covered(&page->region, now) || other)
		threads_remap(now);
}

static void copy_save(const struct copy *copy)
{
	int fd = run_open("code", O_RDWR | O_CREAT);
	off_t at = (off_t)copy->number * RUN_PAGE;

	if (fd < 0 || pwrite(fd, copy->bytes, RUN_PAGE, at) != RUN_PAGE)
		run_failed("file of code: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

static bool executed(const struct copy *copy, size_t unit)
{
	return (copy->executed[unit / 8] >> (unit % 8) & 1) != 0;
}

/*
 * The page as the file had it. Code of it may have been executed, and QEMU does not translate it
 * again where another process has written to the file.
 */
static bool read_told(const struct page *page, uint8_t bytes[RUN_PAGE])
{
	const struct region *told = page->copy ? NULL : told_find(page);
	struct kept_file file;

	if (!told)
		return false;
	file = told->kept;
	file.path = page->path;
	return file_read(&file, page->region.offset + (page->address - page->region.start), bytes,
			 RUN_PAGE);
}

/*
 * A page of the file of code for @page, as its file or the memory has it; what was executed stays
 * known.
 */
static struct copy *copy_make(const struct page *page)
{
	struct copy *copy = calloc(1, sizeof(*copy));

	if (!copy) {
		run_failed("no memory for copies of code");
		return NULL;
	}
	if (!read_told(page, copy->bytes) && !guest_read(page->address, copy->bytes, RUN_PAGE))
		memset(copy->bytes, 0, RUN_PAGE);
	copy->number = __atomic_fetch_add(&plugin.control->next_page, 1, __ATOMIC_RELAXED);
	copy->owner = getpid();
	for (size_t i = 0; page->copy && i < UNITS; i++) {
		if (executed(page->copy, i) &&
		    !memcmp(page->copy->bytes + UNIT * i, copy->bytes + UNIT * i, UNIT))
			copy->executed[i / 8] |= (uint8_t)(1u << (i % 8));
	}
	return copy;
}

/* Is something else at these places than what was executed there? */
static bool copy_conflicts(const struct copy *copy, size_t at, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i += UNIT) {
		if (executed(copy, (at + i) / UNIT) &&
		    memcmp(copy->bytes + at + i, bytes + i, UNIT) != 0)
			return true;
	}
	return false;
}

static void copy_fill(struct copy *copy, size_t at, const uint8_t *bytes, size_t length)
{
	for (size_t i = at / UNIT; i < (at + length) / UNIT; i++)
		copy->executed[i / 8] |= (uint8_t)(1u << (i % 8));
	memcpy(copy->bytes + at, bytes, length);
	copy_save(copy);
}

/* Code is executed here that no file has; @replaced: instead of other code. */
static void see_copy(struct page *page, uint64_t pc, const uint8_t *bytes, size_t length,
		     bool replaced)
{
	size_t at = (size_t)(pc - page->address);
	struct copy *copy = page->copy;
	uint64_t now;

	if (copy && copy_conflicts(copy, at, bytes, length))
		replaced = true;
	if (copy && !replaced && copy->owner == getpid()) {
		copy_fill(copy, at, bytes, length);
		return;
	}
	copy = copy_make(page);
	if (!copy)
		return;
	free(page->copy);
	page->copy = copy;
	copy_fill(copy, at, bytes, length);
	now = run_now();
	tell_copy(page, now);
	if (replaced)
		threads_remap(now);
}

/* Code within one page. */
static void see_part(uint64_t pc, const uint8_t *bytes, size_t length)
{
	uint64_t changes = __atomic_load_n(&maps.changes, __ATOMIC_SEQ_CST);
	struct page *page = page_get(pc & ~(uint64_t)(RUN_PAGE - 1));
	bool known, replaced = false;

	if (!page) {
		run_failed("no memory for the list of code pages");
		return;
	}
	known = page->seen != 0;
	if (page->seen != changes) {
		struct region region;
		char *path = region_find(page->address, &region);

		if (known && (page->unmapped || !same_backing(&page->region, &region))) {
			replaced = true;
			free(page->copy);
			page->copy = NULL;
		}
		free(page->path);
		page->path = path;
		page->region = region;
		page->unmapped = false;
		page->seen = changes;
	}
	if (!page->copy && page->path && file_stands(page, pc, bytes, length)) {
		tell_file(page);
		if (replaced)
			threads_remap(run_now());
		return;
	}
	see_copy(page, pc, bytes, length, replaced || (known && !page->copy));
}

/* These instructions were translated, and will be executed. One may be on two pages. */
void maps_see(uint64_t pc, const uint8_t *bytes, size_t length)
{
	pthread_mutex_lock(&maps.lock);
	while (length) {
		size_t part = (size_t)(RUN_PAGE - (pc & (RUN_PAGE - 1)));

		if (part > length)
			part = length;
		see_part(pc, bytes, part);
		pc += part;
		bytes += part;
		length -= part;
	}
	pthread_mutex_unlock(&maps.lock);
}

static void pages_unmapped(uint64_t address, uint64_t length)
{
	for (size_t i = 0; i < maps.bucket_count; i++) {
		for (struct page *page = maps.buckets[i]; page; page = page->chain) {
			if (page->address - address >= length)
				continue;
			page->unmapped = true;
			free(page->copy);
			page->copy = NULL;
		}
	}
}

/* Nothing is mapped there now, or something new: a file may have been written to meanwhile. */
void maps_unmapped(uint64_t address, uint64_t length)
{
	bool any = false;

	pthread_mutex_lock(&maps.lock);
	for (size_t i = 0; i < maps.told_count; i++) {
		struct region *told = &maps.told[i];

		if (!told->gone && told->start < address + length && address < told->end)
			any = told->gone = true;
	}
	if (any)
		pages_unmapped(address, length);
	pthread_mutex_unlock(&maps.lock);
}

/* Copies are the parent's from here on: see_copy() makes others where they change. */
void maps_fork_child(void)
{
	pthread_mutex_init(&maps.lock, NULL);
}
