// SPDX-License-Identifier: GPL-2.0-only
/* Inputs of the fuzz target `command` as bytes, and as files. */
#include "tree.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool parse_entry(struct tree_entry *entry, const uint8_t **at, const uint8_t *end)
{
	const uint8_t *head = *at;
	uint32_t size;
	size_t name;

	if (end - head < TREE_ENTRY)
		return false;
	memcpy(&size, head + 2, sizeof(size));
	head += TREE_ENTRY;
	name = (*at)[1] < TREE_NAME ? (*at)[1] : TREE_NAME - 1;
	if ((size_t)(end - head) < name)
		return false;
	*entry = (struct tree_entry){.kind = (*at)[0] % TREE_KINDS};
	memcpy(entry->name, head, name);
	entry->bytes = head + name;
	entry->size = (size_t)(end - entry->bytes);
	if (entry->size > size)
		entry->size = size;
	*at = entry->bytes + entry->size;
	return *entry->name != 0;
}

bool tree_parse(struct tree *tree, const uint8_t *data, size_t size)
{
	const uint8_t *at = data + TREE_HEAD, *end = data + size;

	if (size < TREE_HEAD)
		return false;
	tree->line = data[0];
	tree->flags = data[1];
	tree->count = 0;
	while (tree->count < TREE_ENTRIES && parse_entry(&tree->entries[tree->count], &at, end))
		tree->count++;
	return tree->count != 0;
}

size_t tree_pack(const struct tree *tree, uint8_t *data, size_t room)
{
	uint8_t *at = data, *const end = data + room;

	if (room < TREE_HEAD)
		return 0;
	*at++ = tree->line;
	*at++ = tree->flags;
	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_entry *entry = &tree->entries[i];
		const size_t name = strlen(entry->name);
		const uint32_t size = (uint32_t)entry->size;

		if ((size_t)(end - at) < TREE_ENTRY + name + entry->size)
			continue;
		*at++ = entry->kind;
		*at++ = (uint8_t)name;
		memcpy(at, &size, sizeof(size));
		at += sizeof(size);
		memcpy(at, entry->name, name);
		at += name;
		memcpy(at, entry->bytes, size);
		at += size;
	}
	return (size_t)(at - data);
}

/* No component of a name is "..", and no name is absolute: the target makes files in its directory
 * only. */
static bool is_inside(const char *name)
{
	if (*name == '/')
		return false;
	for (const char *at = name; at; at = strchr(at, '/')) {
		at += *at == '/';
		if (!strncmp(at, "..", 2) && (!at[2] || at[2] == '/'))
			return false;
	}
	return true;
}

static void make_parents(char *path, size_t from)
{
	for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
}

/* A link in the path of a file is not followed: resolving needs the kernel's help for that. */
static bool has_link(const struct tree *tree, size_t number)
{
	for (size_t i = 0; i < number; i++)
		if (tree->entries[i].kind == TREE_LINK &&
		    !strncmp(tree->entries[i].name, tree->entries[number].name,
			     strlen(tree->entries[i].name)))
			return true;
	return false;
}

static void write_file(const struct tree_entry *entry, const char *path)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return;
	/* where there is no room the file is shorter, which is an input as well */
	if (write(fd, entry->bytes, entry->size) < 0)
		unlink(path);
	close(fd);
}

/* A file that a command line names may be a link to another such file, but to no other place: where
 * the user's own path leads to is not checked. */
static void write_link(const struct tree_entry *entry, const char *path, bool is_named)
{
	char target[TREE_NAME] = "";

	memcpy(target, entry->bytes, entry->size < TREE_NAME ? entry->size : TREE_NAME - 1);
	if (is_named && (strchr(target, '/') || !strcmp(target, "..")))
		return;
	if (symlink(target, path))
		return;
}

void tree_write(const struct tree *tree, const char *directory, const char *named)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < tree->count; i++) {
		const struct tree_entry *entry = &tree->entries[i];

		if (!is_inside(entry->name) || has_link(tree, i))
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, entry->name);
		make_parents(path, strlen(directory) + 1);
		if (entry->kind == TREE_FILE)
			write_file(entry, path);
		else if (entry->kind == TREE_LINK)
			write_link(entry, path,
				   !strchr(entry->name, '/') ||
					   (named && !strcmp(entry->name, named)));
		else if (entry->kind == TREE_FIFO ? mkfifo(path, 0600) : mkdir(path, 0700))
			continue;
	}
}

size_t tree_size(const struct tree *tree)
{
	size_t size = 0;

	for (size_t i = 0; i < tree->count; i++)
		size += tree->entries[i].size;
	return size;
}
