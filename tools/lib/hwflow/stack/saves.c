/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/* Stacks that may go on. */
#include "stack/saves.h"

#include <stdlib.h>
#include <string.h>

#include "stack/choices.h"

struct hwf_stack_saves *hwf_stack_saves_new(void)
{
	return calloc(1, sizeof(struct hwf_stack_saves));
}

void hwf_stack_saves_free(struct hwf_stack_saves *saves)
{
	if (!saves)
		return;
	for (size_t i = 0; i < saves->count; i++)
		free(saves->saved[i].frames); /* and the jumps behind them */
	free(saves->saved);
	free(saves);
}

size_t hwf_stack_saves_count(const struct hwf_stack_saves *saves)
{
	return saves->count;
}

void hwf_stack_saves_lose(struct hwf_stack_saves *saves)
{
	saves->is_incomplete = true;
}

void hwf_stack_saves_search(struct hwf_stack_saves *saves, bool searching)
{
	saves->is_searching = searching;
}

static uint64_t hash_of(const struct hwf_stack_saved *saved)
{
	uint64_t hash = saved->is_whole;

	for (size_t i = 0; i < saved->depth; i++) {
		hash ^= saved->frames[i].link + saved->frames[i].function.id;
		hash *= UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return hash;
}

static bool have_same_jumps(const struct hwf_stack_saved *a, const struct hwf_stack_saved *b)
{
	if (a->jump_count != b->jump_count)
		return false;
	for (size_t i = 0; i < a->jump_count; i++)
		if (a->jumps[i].to != b->jumps[i].to || a->jumps[i].frame != b->jumps[i].frame)
			return false;
	return true;
}

static bool is_equal(const struct hwf_stack_saved *a, const struct hwf_stack_saved *b)
{
	return a->to == b->to && a->hash == b->hash && a->is_whole == b->is_whole &&
	       a->depth == b->depth &&
	       hwf_stack_common(a->frames, a->depth, b->frames, b->depth) == a->depth &&
	       have_same_jumps(a, b);
}

/* It would take too long to look at all of them: nothing goes on any more. */
static void add_work(struct hwf_stack_saves *saves, size_t frames)
{
	const size_t headers = 16; /* are compared in the time of a frame */

	saves->work += frames + saves->count / headers;
	saves->is_incomplete |= saves->work > HWF_STACK_WORK;
}

/* Room for one more stack; false if there are too many, or no memory */
static bool grow(struct hwf_stack_saves *saves)
{
	const size_t room = saves->room ? 2 * saves->room : 16;
	struct hwf_stack_saved *saved;

	if (saves->count < saves->room)
		return true;
	saved = room <= HWF_STACK_SAVES ? realloc(saves->saved, room * sizeof(*saved)) : NULL;
	if (!saved)
		return false;
	saves->saved = saved;
	saves->room = room;
	return true;
}

/* Adds a stack, unless an equal one is there. Its frames belong to @saves from then on. */
static void add(struct hwf_stack_saves *saves, struct hwf_stack_saved *saved)
{
	saved->hash = hash_of(saved);
	for (size_t i = 0; i < saves->count; i++) {
		if (is_equal(&saves->saved[i], saved)) {
			free(saved->frames);
			return;
		}
	}
	if (saves->frame_count + saved->depth + saved->jump_count > HWF_STACK_SAVED_FRAMES ||
	    !grow(saves)) {
		free(saved->frames);
		saves->is_incomplete = true;
		return;
	}
	saves->frame_count += saved->depth + saved->jump_count;
	saves->saved[saves->count++] = *saved;
}

/*
 * Saves the frames of a stack on those of one of its choices. The frame that is found is the
 * choice's own: that has its caller.
 */
static void save_on(const struct hwf_stack *stack, struct hwf_stack_saves *saves,
		    const struct hwf_stack_choice *choice, uint64_t to)
{
	const size_t below = choice->depth, depth = below + stack->depth;
	const size_t jumps = choice->jump_count + stack->jump_count;
	struct hwf_stack_saved saved = {.to = to, .depth = depth, .is_whole = choice->is_whole};
	const bool is_deep = depth > HWF_STACK_KEPT;
	struct hwf_stack_frame *frames;

	frames = malloc((is_deep ? 1 : depth) * sizeof(*frames) + jumps * sizeof(*saved.jumps));
	saved.frames = frames;
	if (!frames) {
		saves->is_incomplete = true;
		return;
	}
	/* a stack of which nothing is known may go on there */
	if (is_deep) {
		saved.depth = 0;
		saved.is_whole = false;
		add(saves, &saved);
		return;
	}
	add_work(saves, depth);
	saved.jumps = (void *)(frames + depth);
	if (below)
		memcpy(frames, choice->frames, below * sizeof(*frames));
	memcpy(frames + below, stack->frames, stack->depth * sizeof(*frames));
	if (stack->is_open && choice->frames) {
		frames[below] = choice->frames[below];
		frames[below].function = stack->frames[0].function;
	}
	for (size_t i = 0; i < choice->jump_count; i++)
		if (choice->jumps[i].frame < below)
			saved.jumps[saved.jump_count++] = choice->jumps[i];
	for (size_t i = 0; i < stack->jump_count; i++) {
		saved.jumps[saved.jump_count] = stack->jumps[i];
		saved.jumps[saved.jump_count++].frame += below;
	}
	add(saves, &saved);
}

/* Is nothing known of what goes on there, whatever is saved? */
static bool is_given_up(const struct hwf_stack_saves *saves, uint64_t to)
{
	size_t count = 0;

	for (size_t i = 0; i < saves->count && count <= HWF_STACK_CHOICES; i++) {
		if (saves->saved[i].to != to)
			continue;
		if (!saves->saved[i].depth)
			return true;
		count++;
	}
	return count > HWF_STACK_CHOICES;
}

void hwf_stack_save(struct hwf_stack *stack, struct hwf_stack_saves *saves, uint64_t to)
{
	const struct hwf_stack_choice nothing = {.is_whole = stack->is_whole};

	if (!saves)
		return;
	add_work(saves, 0);
	if (saves->is_incomplete || (saves->is_searching && stack->is_stuck) ||
	    is_given_up(saves, to))
		return;
	if (!stack->choice_count)
		save_on(stack, saves, &nothing, to);
	for (size_t i = 0; i < stack->choice_count; i++)
		save_on(stack, saves, &stack->choices[i], to);
}

bool hwf_stack_restore(struct hwf_stack *stack, struct hwf_stack_saves *saves,
		       const struct hwf_stack_step *step)
{
	struct hwf_stack_choice *choices;
	size_t count = 0, frames = 0;

	if (!saves || saves->is_incomplete)
		return false;
	for (size_t i = 0; i < saves->count; i++) {
		if (saves->saved[i].to != step->to)
			continue;
		frames += saves->saved[i].depth;
		count++;
	}
	add_work(saves, frames);
	stack->is_stuck = !count;
	choices = count && count <= HWF_STACK_CHOICES ? malloc(count * sizeof(*choices)) : NULL;
	if (!choices)
		return false;
	count = 0;
	for (size_t i = 0; i < saves->count; i++) {
		const struct hwf_stack_saved *saved = &saves->saved[i];

		if (saved->to == step->to)
			choices[count++] =
				(struct hwf_stack_choice){saved->frames, saved->depth, saved->jumps,
							  saved->jump_count, saved->is_whole};
	}
	hwf_stack_choose(stack, choices, count, step);
	return true;
}
