// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of mappings that mean memory. A path is the name that the kernel gives a file which is in
 * no directory. Most of them have " (deleted)" after them.
 */
#include "memory_names.h"

#include <string.h>
#include <sys/mman.h>

#include "perfdata/perfdata_read.h"

#define DELETED " (deleted)"

/**
 * struct memory_name - names of one kind
 * @name: the name, or its beginning
 * @begins: more may follow @name
 * @is_file: the name is that of a file, which programs use as memory
 */
struct memory_name {
	const char *name;
	bool begins;
	bool is_file;
};

/* The first one that fits counts. Names in brackets and those without a '/' are not in the table.
 */
static const struct memory_name names[] = {
	{"//", true, false},              /* of perf: //anon, //enomem, //toolong */
	{"/anon_hugepage", false, false}, /* mmap() with MAP_ANONYMOUS and MAP_HUGETLB */
	{"/SYSV", true, false},           /* shmget(), with the key in hexadecimal digits */
	{"/memfd:", true, false},         /* memfd_create() */
	{"/secretmem", false, false},     /* memfd_secret() */
	{"/dmabuf:", true, false},        /* buffers that devices share */
	{"/i915", false, false},          /* objects of drivers for graphics */
	{"/drm mm object", false, false},
	{"/[aio]", false, false}, /* io_setup() */
	{"/dev/shm/", true, true},
	{"/dev/hugepages", true, true},
	{"/dev/", true, false}, /* devices: /dev/zero, /dev/ashmem, those for graphics */
};

static bool is_deleted(const char *name)
{
	const size_t length = strlen(name);

	return length >= strlen(DELETED) && !strcmp(name + length - strlen(DELETED), DELETED);
}

/* The entry of a path; NULL for any other file. */
static const struct memory_name *find(const char *path)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const size_t length = strlen(names[i].name);

		if (!strncmp(path, names[i].name, length) &&
		    (names[i].begins || !path[length] || !strcmp(path + length, DELETED)))
			return &names[i];
	}
	return NULL;
}

bool memory_has_no_file(const char *name)
{
	const struct memory_name *found = name[0] == '/' ? find(name) : NULL;

	return name[0] != '/' || (found && !found->is_file);
}

bool memory_may_have_made_code(const struct perfdata_mapping *mapping)
{
	const char *name = mapping->path;

	return name[0] != '/' || find(name) || is_deleted(name) || mapping->flags & MAP_HUGETLB;
}
