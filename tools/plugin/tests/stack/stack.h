/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A QEMU plugin for tests: the call stacks of an arm64 program, by the value of the stack pointer.
 *
 * The plugin shares no code with the decoder: an error there cannot hide here. README has the
 * usage, the format of the output and the rules by which a call is live.
 */
#ifndef STACK_PLUGIN_H
#define STACK_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* guest.c: registers and memory of the program */

#define REG_G  28
#define REG_FP 29
#define REG_SP 31

/**
 * guest_register() - a general-purpose register of the calling thread
 * @number: 0 to 30, or REG_SP
 *
 * Context: callbacks of instructions that were registered with QEMU_PLUGIN_CB_R_REGS.
 */
uint64_t guest_register(unsigned int number);

/**
 * guest_read() - read the program's memory
 * Return: false if not all of it is mapped.
 */
bool guest_read(uint64_t address, void *bytes, size_t length);

/**
 * guest_read_code() - as guest_read(), of instructions
 */
bool guest_read_code(uint64_t address, uint32_t *opcode);

/**
 * guest_code_seen() - note where the program's memory is in this process
 * @pc: address of an instruction in the program
 * @host: its address in this process; NULL if not known
 */
void guest_code_seen(uint64_t pc, const void *host);

/**
 * struct mapping - a mapping of the program's memory
 * @low: its first address
 * @high: the first address after it
 * @offset: of @low in the file
 * @path: of the file; empty if there is none
 */
struct mapping {
	uint64_t low;
	uint64_t high;
	uint64_t offset;
	char path[4096];
};

/**
 * mapping_find() - the mapping that contains an address of the program
 * Return: false if there is none.
 */
bool mapping_find(uint64_t address, struct mapping *mapping);

/* functions.c: bounds of functions, from the symbols and unwind tables of ELF files */

/**
 * struct function - a range of code that belongs to one function
 * @start: first address, an entry
 * @end: first address after it; @start if only the entry is known
 * @id: which function: @start, but of the cold part of a split function that of the function
 * @name: of the symbol; NULL if it has none
 * @has_record: whether its code makes a frame record: 1, 0, or -1 if that was not yet looked up
 */
struct function {
	uint64_t start;
	uint64_t end;
	uint64_t id;
	const char *name;
	int has_record;
};

/**
 * function_find() - the function that contains an address
 * Return: NULL if none is known. It stays valid until the process ends.
 */
struct function *function_find(uint64_t pc);

/**
 * functions_unmapped() - forget the files that were mapped in a range
 */
void functions_unmapped(uint64_t low, uint64_t high);
void functions_fork_child(void);

/* elf_functions.c */

/**
 * elf_functions() - the functions of an ELF file
 * @path: the file
 * @pc: an address in the program
 * @offset: where the file has the instruction at @pc
 * @count: their number
 *
 * Return: an array sorted by start, with addresses in the program; NULL if none is known.
 */
struct function *elf_functions(const char *path, uint64_t pc, uint64_t offset, size_t *count);

/* regions.c: memory that the program has declared to be a stack */

/**
 * enum region_kind - who has declared it
 * @REGION_MAPPING: nobody; it is a mapping
 * @REGION_CONTEXT: makecontext()
 * @REGION_SIGNAL: sigaltstack()
 * @REGION_GOROUTINE: the runtime of Go
 */
enum region_kind { REGION_MAPPING, REGION_CONTEXT, REGION_SIGNAL, REGION_GOROUTINE };

/**
 * struct region - memory of a stack
 * @low: lowest address
 * @high: the stack pointer of an empty stack
 * @kind: enum region_kind
 * @g: address of the goroutine's struct g, which stays if its stack is moved
 */
struct region {
	uint64_t low;
	uint64_t high;
	enum region_kind kind;
	uint64_t g;
};

/** regions_generation - changes with each change of the regions */
extern unsigned int regions_generation;

void regions_add(const struct region *region);
void regions_remove(uint64_t low, uint64_t high);

/**
 * region_find() - the region that a stack pointer is in
 */
void region_find(uint64_t sp, struct region *region);

/**
 * region_is_known() - whether a stack pointer is in a region that the program has declared
 */
bool region_is_known(uint64_t sp);
void regions_fork_child(void);

/* stacks.c: the live calls */

/**
 * struct call - a call that has not returned
 * @link: address of the instruction after it
 * @sp: the stack pointer at the call; in struct stack less its @base
 * @caller: function.id of the function that made it; 0: not known
 */
struct call {
	uint64_t link;
	uint64_t sp;
	uint64_t caller;
};

/**
 * struct stack - calls on one stack, the outermost first
 * @region: its memory
 * @base: what stack pointers are relative to: the high end of a goroutine's stack, which is moved,
 * or else 0
 * @is_moved: a goroutine's stack was moved since its first live call
 * @below: of a signal's stack: the stack that was interrupted
 */
struct stack {
	struct region region;
	uint64_t base;
	bool is_moved;
	struct stack *below;
	struct call *calls;
	size_t count;
	size_t room;
	struct stack *next;
};

/**
 * struct thread - a thread of the program
 * @tid: its number
 * @calls: how many calls it has made
 * @current: the stack that it was seen on last
 * @stacks: all of its stacks
 * @generation: regions_generation when @current was determined
 * @signal_stack: what sigaltstack() has set
 * @goroutine: in Go programs, the stack of the goroutine that register x28 points to
 */
struct thread {
	int tid;
	uint64_t calls;
	struct stack *current;
	struct stack *stacks;
	unsigned int generation;
	struct region signal_stack;
	struct region goroutine;
};

/**
 * stacks_call() - a call is executed
 * @thread: that executes it
 * @call: is added to the stack that its stack pointer is in
 */
void stacks_call(struct thread *thread, const struct call *call);

/**
 * struct branch - an indirect branch that does not link
 * @target: where it goes
 * @sp: the stack pointer
 * @function: function.id of the function that it is in; 0: not known
 */
struct branch {
	uint64_t target;
	uint64_t sp;
	uint64_t function;
};

/**
 * stacks_branch() - a return, a tail call, a jump in a function, or one out of several functions
 */
void stacks_branch(struct thread *thread, const struct branch *branch);

/**
 * stacks_resume() - rt_sigreturn sets the stack pointer
 */
void stacks_resume(struct thread *thread, uint64_t sp);
void stacks_fork_child(void);

/* frames.c: the oracle's own check */

/**
 * enum frames_result - what a comparison has found
 * @FRAMES_SAME: frame records and calls agree
 * @FRAMES_DIFFER: they do not
 * @FRAMES_INCOMPLETE: the chain of frame records leads to memory that is not mapped
 * @FRAMES_REPLACED: they do not agree, but the unwinder has replaced a record
 */
enum frames_result { FRAMES_SAME, FRAMES_DIFFER, FRAMES_INCOMPLETE, FRAMES_REPLACED };

/**
 * struct difference - the first difference
 * @text: a format for printf() with the values as unsigned long long; NULL: none
 * @value: addresses
 * @replaced: the unwinder may have replaced a record further in
 */
struct difference {
	const char *text;
	uint64_t value[3];
	bool replaced;
};

/**
 * frames_compare() - compare the live calls with the frame records
 * @thread: has just made a call
 * @fp: register x29
 * @difference: is set
 *
 * Context: reads the program's memory.
 */
enum frames_result frames_compare(const struct thread *thread, uint64_t fp,
				  struct difference *difference);

/**
 * grows_stack() - whether the instruction at an address calls Go's runtime.morestack
 * @pc: its address
 *
 * Go's compiler makes this call before the function has a frame and its record.
 *
 * Context: reads the program's memory.
 */
bool grows_stack(uint64_t pc);

/**
 * is_call() - whether an instruction is a branch with link: BL, BLR, BLRAA and so on
 */
static inline bool is_call(uint32_t opcode)
{
	return (opcode & 0xfc000000) == 0x94000000 || (opcode & 0xfefff000) == 0xd63f0000;
}

#endif /* STACK_PLUGIN_H */
