// SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
/* Groups of a stored profile, such as what the processes of one name executed. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "profile/stored_private.h"

static int compare_names(const void *a, const void *b)
{
	const struct hwf_stored_group *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void free_group(struct hwf_stored_group *group)
{
	if (!group)
		return;
	hwf_stored_profile_free(group->part);
	free(group->name);
	free(group);
}

/* Nodes of the tree are in the array as well. */
static void free_nothing(void *node)
{
	(void)node;
}

void hwf_stored_free_groups(struct hwf_stored_profile *stored)
{
	tdestroy(stored->group_tree, free_nothing);
	for (size_t i = 0; i < stored->group_count; i++)
		free_group(stored->groups[i]);
	free(stored->groups);
}

bool hwf_stored_groups_failed(const struct hwf_stored_profile *stored)
{
	for (size_t i = 0; i < stored->group_count; i++)
		if (hwf_stored_profile_failed(stored->groups[i]->part))
			return true;
	return false;
}

void hwf_stored_profile_split(struct hwf_stored_profile *stored, enum hwf_profile_by by)
{
	stored->by = (uint8_t)by;
}

enum hwf_profile_by hwf_stored_profile_by(const struct hwf_stored_profile *stored)
{
	return (enum hwf_profile_by)stored->by;
}

static struct hwf_stored_group *add_group(struct hwf_stored_profile *stored, const char *name)
{
	struct hwf_stored_group *added = calloc(1, sizeof(*added));

	if (!added || !hwf_stored_make_room(stored, &stored->groups, &stored->group_room,
					    stored->group_count))
		goto failed;
	added->name = strdup(name);
	added->part = hwf_stored_profile_new();
	if (!added->name || !added->part || !tsearch(added, &stored->group_tree, compare_names))
		goto failed;
	stored->groups[stored->group_count++] = added;
	return added;

failed:
	stored->failed = true;
	free_group(added);
	return NULL;
}

struct hwf_stored_profile *hwf_stored_profile_group(struct hwf_stored_profile *stored,
						    const char *name)
{
	const struct hwf_stored_group key = {.name = (char *)(uintptr_t)name};
	struct hwf_stored_group **node = tfind(&key, &stored->group_tree, compare_names);
	struct hwf_stored_group *found = node ? *node : add_group(stored, name);

	return found ? found->part : NULL;
}

struct hwf_stored_profile *hwf_stored_profile_next_group(const struct hwf_stored_profile *stored,
							 size_t *at, const char **name)
{
	const struct hwf_stored_group *group;

	if (*at >= stored->group_count)
		return NULL;
	group = stored->groups[(*at)++];
	*name = group->name;
	return group->part;
}

int hwf_stored_add_groups(struct hwf_stored_profile *stored, const struct hwf_stored_profile *other)
{
	int status = 0;

	for (size_t i = 0; i < other->group_count && !status; i++) {
		struct hwf_stored_profile *part =
			hwf_stored_profile_group(stored, other->groups[i]->name);

		if (part)
			status = hwf_stored_profile_add(part, other->groups[i]->part);
	}
	return status;
}
