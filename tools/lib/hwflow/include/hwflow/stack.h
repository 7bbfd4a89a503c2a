/* SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause */
/*
 * Call stacks of a thread, from its branches. The trace has no stack pointer: a stack follows from
 * calls and returns, and from what functions are known to do besides.
 *
 * What cannot be known is not in the stack: after a loss it has the function that is executed, and
 * each return to an address that it does not have adds the function that must have called.
 */
#ifndef HWFLOW_STACK_H
#define HWFLOW_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/**
 * enum hwf_stack_role - functions whose branches leave the order of calls and returns
 * @HWF_STACK_PLAIN: none of them
 * @HWF_STACK_SETJMP: may return more than once: setjmp(3), getcontext(3)
 * @HWF_STACK_LONGJMP: returns from an earlier call of such a function
 * @HWF_STACK_UNWIND: goes to the code of a caller that handles an exception of the language
 * @HWF_STACK_SWITCH: goes on with another stack: swapcontext(3)
 * @HWF_STACK_LEAVE: goes on with the stack of another thread
 * @HWF_STACK_PARK: its caller goes on later, in any thread of the process; it calls a function on
 *	the stack of a scheduler: runtime.mcall of Go
 * @HWF_STACK_RESUME: goes on with a stack that was parked, or with a new one: runtime.gogo of Go
 * @HWF_STACK_GROW: returns to its caller by a function of HWF_STACK_RESUME that is called below it;
 *	if that goes on with another stack, the caller is parked: runtime.morestack of Go
 * @HWF_STACK_RECOVER: ends functions of the stack that HWF_STACK_PARK has called it from, and has
 *	HWF_STACK_RESUME go on in one of the others: runtime.recovery of Go
 * @HWF_STACK_LEAF: only returns, whatever has called it
 * @HWF_STACK_FORK: returns in the parent and in the child: fork(2)
 * @HWF_STACK_CLONE: returns in the parent; the child has a stack of its own: clone(2)
 * @HWF_STACK_SIGRETURN: returns from a signal handler
 * @HWF_STACK_STUB: goes on to another function, or to the dynamic linker's code that looks for it
 */
enum hwf_stack_role {
	HWF_STACK_PLAIN,
	HWF_STACK_SETJMP,
	HWF_STACK_LONGJMP,
	HWF_STACK_UNWIND,
	HWF_STACK_SWITCH,
	HWF_STACK_LEAVE,
	HWF_STACK_PARK,
	HWF_STACK_RESUME,
	HWF_STACK_GROW,
	HWF_STACK_RECOVER,
	HWF_STACK_LEAF,
	HWF_STACK_FORK,
	HWF_STACK_CLONE,
	HWF_STACK_SIGRETURN,
	HWF_STACK_STUB,
};

/**
 * struct hwf_stack_function - the function of an address, as the caller knows it
 * @start: first address of the part of the function that has the address
 * @end: the address after its last
 * @id: of the function: all its parts have the same
 * @role: enum hwf_stack_role
 * @is_entry: the function begins at the address
 */
struct hwf_stack_function {
	uint64_t start;
	uint64_t end;
	uint64_t id;
	uint8_t role;
	bool is_entry;
};

/**
 * struct hwf_stack_step - a branch that was taken, or an exception
 * @from: as in struct hwf_branch
 * @to: likewise
 * @next: likewise
 * @source: the function of @from, if @has_from
 * @target: the function of @to, if @has_to
 * @place: the caller's own, of @from: a new frame has it
 * @kind: enum hwf_branch_kind
 * @has_from: as in struct hwf_branch
 * @has_to: likewise
 */
struct hwf_stack_step {
	uint64_t from;
	uint64_t to;
	uint64_t next;
	struct hwf_stack_function source;
	struct hwf_stack_function target;
	uint64_t place;
	uint8_t kind;
	bool has_from;
	bool has_to;
};

/**
 * enum hwf_stack_frame_kind - how a function came to be in the stack
 * @HWF_STACK_FRAME_CALL: it was called
 * @HWF_STACK_FRAME_EXCEPTION: it handles an exception or a signal, which came at the frame below it
 * @HWF_STACK_FRAME_FOUND: it was being executed when the stack became known, or a return went to it
 */
enum hwf_stack_frame_kind {
	HWF_STACK_FRAME_CALL,
	HWF_STACK_FRAME_EXCEPTION,
	HWF_STACK_FRAME_FOUND,
};

/**
 * struct hwf_stack_frame - a function that is being executed
 * @site: the call, or the instruction that the exception came at; of HWF_STACK_FRAME_FOUND 0
 * @link: address that it returns to; of HWF_STACK_FRAME_FOUND 0
 * @place: of the step that entered it; of HWF_STACK_FRAME_FOUND 0
 * @function: the function that is executed now: after a tail call the one that was called last
 * @tag: the caller's own; 0 in a new frame
 * @kind: enum hwf_stack_frame_kind
 */
struct hwf_stack_frame {
	uint64_t site;
	uint64_t link;
	uint64_t place;
	struct hwf_stack_function function;
	uint64_t tag;
	uint8_t kind;
};

/**
 * enum hwf_stack_landing - does an exception of the language that comes through a call land at an
 * address?
 * @HWF_LANDING_NO: it goes past the function that has called, or lands elsewhere in it
 * @HWF_LANDING_YES: if it stops in that function, it lands there
 * @HWF_LANDING_UNKNOWN: nothing says where it lands
 */
enum hwf_stack_landing {
	HWF_LANDING_NO,
	HWF_LANDING_YES,
	HWF_LANDING_UNKNOWN,
};

/**
 * typedef hwf_stack_lands_fn - answers whether an exception of the language lands at an address
 * @ctx: the caller's own
 * @callee: the frame that was called: its @site and @place are the call's
 * @step: the branch to the address, from a function that unwinds
 *
 * Return: enum hwf_stack_landing.
 */
typedef unsigned int hwf_stack_lands_fn(void *ctx, const struct hwf_stack_frame *callee,
					const struct hwf_stack_step *step);

struct hwf_stack_choice;
struct hwf_stack_jump;

/** struct hwf_stack_saves - stacks that may go on; its members are the library's */
struct hwf_stack_saves;

/** hwf_stack_saves_new() - no stacks; NULL without memory */
struct hwf_stack_saves *hwf_stack_saves_new(void);

/** hwf_stack_saves_free() - free them; NULL is allowed */
void hwf_stack_saves_free(struct hwf_stack_saves *saves);

/** hwf_stack_saves_count() - how many different stacks they are */
size_t hwf_stack_saves_count(const struct hwf_stack_saves *saves);

/** hwf_stack_saves_lose() - there may be others: no stack goes on with any of them from here on */
void hwf_stack_saves_lose(struct hwf_stack_saves *saves);

/**
 * hwf_stack_saves_search() - whether stacks are being searched for that may be parked
 * @saves: those of a process
 * @searching: true: a stack that went on with none of them, as the right one is not known yet, is
 *	not parked itself. false: it is parked, too, with the frames that are known
 */
void hwf_stack_saves_search(struct hwf_stack_saves *saves, bool searching);

/**
 * struct hwf_stack - the stack of a thread
 * @frames: the outermost first
 * @depth: how many
 * @kept: so many frames are as they were before the last step, tags included; those above are new,
 *	or have another function
 * @is_whole: nothing is below the first frame; else its callers are not known
 * @is_entered: the last step has entered the function of the innermost frame; else it was found, or
 *	returned to
 * @has_ended: the functions whose frames the last step has removed have ended; else they are not
 *	known any more, or go on later, as on a stack that the thread has switched from
 * @failed: memory ran out: the stack is not known any more
 * @lands: set by the caller: knows the landing pads of calls; NULL: nobody does
 * @ctx: its first argument
 * @parked: set by the caller: stacks that any thread of the process may go on with
 *	(HWF_STACK_PARK); they must outlive this one. No order of the threads is known, so a stack
 *	goes on with what any thread has parked at any time: the caller takes all steps of all
 *	threads anew, with stacks that begin anew, until the number of stacks does not grow; first
 *	with hwf_stack_saves_search(), then without. After that all stacks are right. NULL: what
 *	goes on is not known
 *
 * Other members are the library's.
 */
struct hwf_stack {
	struct hwf_stack_frame *frames;
	size_t depth;
	size_t kept;
	bool is_whole;
	bool is_entered;
	bool has_ended;
	bool failed;
	hwf_stack_lands_fn *lands;
	void *ctx;
	struct hwf_stack_saves *parked;
	bool is_stuck;
	bool is_scheduler;
	bool is_fork;
	bool has_interrupted;
	bool is_open;
	size_t room;
	struct hwf_stack_step interrupted;
	struct hwf_stack_jump *jumps;
	size_t jump_count;
	size_t jump_room;
	struct hwf_stack_saves *switched;
	struct hwf_stack_saves *forked;
	struct hwf_stack_choice *choices;
	size_t choice_count;
	struct hwf_stack_frame *before;
};

/**
 * HWF_STACK_DEPTH - frames of a stack at most
 *
 * A thread with more of them, which would need some ten megabytes of memory for its stack at least,
 * keeps the innermost half.
 */
#define HWF_STACK_DEPTH 0x80000u

/**
 * hwf_stack_init() - begin with a stack of which nothing is known
 * @stack: to initialise
 * @switched: stacks that the thread has switched from; must outlive @stack. NULL: it has one stack
 * @forked: stacks of threads at fork(2), which their children begin with; likewise. Shared by a
 *	process and its children. NULL: those of children are not known
 */
void hwf_stack_init(struct hwf_stack *stack, struct hwf_stack_saves *switched,
		    struct hwf_stack_saves *forked);

/** hwf_stack_free() - free the frames */
void hwf_stack_free(struct hwf_stack *stack);

/**
 * hwf_stack_start() - the thread starts here, or another program in it: nothing is below
 * @stack: the stack
 */
void hwf_stack_start(struct hwf_stack *stack);

/**
 * hwf_stack_fork() - the thread is new
 * @stack: the stack, of which nothing is known
 *
 * If its trace begins in a function of HWF_STACK_CLONE, it has a stack of its own; and where its
 * parent has called fork(2), it has the stack of that. Else its beginning is missing, and nothing
 * is known.
 */
void hwf_stack_fork(struct hwf_stack *stack);

/**
 * hwf_stack_lose() - trace was lost, or is not there: nothing is known any more
 * @stack: the stack
 */
void hwf_stack_lose(struct hwf_stack *stack);

/**
 * hwf_stack_step() - take a branch
 * @stack: the stack of its thread
 * @step: the branch; all branches of the thread in their order. Those that were not taken may be
 *	left out, and so may direct branches within a function
 */
void hwf_stack_step(struct hwf_stack *stack, const struct hwf_stack_step *step);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* HWFLOW_STACK_H */
