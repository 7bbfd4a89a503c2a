// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions as text. The C interface of LLVM's disassembler is the same in all versions from 3.3
 * on, so the newest library that is installed is loaded, and hwflow is built without it.
 */
#include "disassembler.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwflow/insn.h"

/* versions of the library that are looked for: 14 is Debian 12's */
#define OLDEST_VERSION 11
#define NEWEST_VERSION 40

/* LLVMDisassembler_Option_PrintImmHex of llvm-c/Disassembler.h */
#define PRINT_HEXADECIMAL 2u

/* Functions of llvm-c/Disassembler.h and llvm-c/Target.h */
typedef void initialize_fn(void);
typedef void *create_fn(const char *triple, const char *cpu, const char *features, void *info,
			int tag_type, void *operand_callback, void *symbol_callback);
typedef int set_options_fn(void *context, uint64_t options);
typedef size_t instruction_fn(void *context, uint8_t *bytes, uint64_t size, uint64_t pc, char *text,
			      size_t room);
typedef void dispose_fn(void *context);

/**
 * struct target - an instruction set, as LLVM has it
 * @name: of the target in the names of functions; NULL: LLVM does not have it
 * @triple: target triple
 * @features: extensions
 */
struct target {
	const char *name;
	const char *triple;
	const char *features;
};

#define ARM_FEATURES                                                                         \
	"+neon,+vfp4,+fp-armv8,+crypto,+crc,+fullfp16,+dotprod,+ras,+hwdiv,+hwdiv-arm,+mp,+" \
	"virtualization,+trustzone"
#define FEATURES_OF_RISCV "+m,+a,+f,+d,+c,+v,+zba,+zbb,+zbc,+zbs,+zfh"

static const struct target targets[] = {
	[HWF_ISA_A64] = {"AArch64", "aarch64-linux-gnu", "+all"},
	[HWF_ISA_A32] = {"ARM", "armv8a-linux-gnueabihf", ARM_FEATURES},
	[HWF_ISA_T32] = {"ARM", "thumbv8a-linux-gnueabihf", ARM_FEATURES},
	[HWF_ISA_RV32] = {"RISCV", "riscv32-linux-gnu", FEATURES_OF_RISCV},
	[HWF_ISA_RV64] = {"RISCV", "riscv64-linux-gnu", FEATURES_OF_RISCV},
};

#define TARGETS (sizeof(targets) / sizeof(targets[0]))

/**
 * struct disassembler - the library, and its state for each instruction set
 * @library: from dlopen()
 * @create: LLVMCreateDisasmCPUFeatures()
 * @set_options: LLVMSetDisasmOptions()
 * @instruction: LLVMDisasmInstruction()
 * @dispose: LLVMDisasmDispose()
 * @contexts: by enum hwf_isa; NULL until needed, or if the library does not have the target
 * @tried: @contexts was asked for
 * @next: address after the last T32 instruction
 */
struct disassembler {
	void *library;
	create_fn *create;
	set_options_fn *set_options;
	instruction_fn *instruction;
	dispose_fn *dispose;
	void *contexts[TARGETS];
	bool tried[TARGETS];
	uint64_t next;
};

/* The newest library. From version 18 on the file name has the minor version, which is 1. */
static void *open_library(void)
{
	for (unsigned int version = NEWEST_VERSION; version >= OLDEST_VERSION; version--) {
		char name[32];
		void *library;

		snprintf(name, sizeof(name), "libLLVM.so.%u.1", version);
		library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
		if (library)
			return library;
		snprintf(name, sizeof(name), "libLLVM-%u.so.1", version);
		library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
		if (library)
			return library;
	}
	return NULL;
}

/* dlsym() returns a pointer to an object; C has no conversion from it to a pointer to a function.
 */
static bool find_function(void *library, const char *name, void *function, size_t size)
{
	void *symbol = dlsym(library, name);

	if (!symbol || size != sizeof(symbol))
		return false;
	memcpy(function, &symbol, size);
	return true;
}

#define FIND(library, name, function) find_function(library, name, &(function), sizeof(function))

struct disassembler *disassembler_new(void)
{
	struct disassembler *disassembler = calloc(1, sizeof(*disassembler));

	if (!disassembler)
		return NULL;
	disassembler->library = open_library();
	if (disassembler->library &&
	    FIND(disassembler->library, "LLVMCreateDisasmCPUFeatures", disassembler->create) &&
	    FIND(disassembler->library, "LLVMSetDisasmOptions", disassembler->set_options) &&
	    FIND(disassembler->library, "LLVMDisasmInstruction", disassembler->instruction) &&
	    FIND(disassembler->library, "LLVMDisasmDispose", disassembler->dispose))
		return disassembler;
	disassembler_free(disassembler);
	return NULL;
}

/* Calls the three functions of a target that must run before the first disassembler of it. */
static bool initialize(const struct disassembler *disassembler, const struct target *target)
{
	static const char *const parts[] = {"TargetInfo", "TargetMC", "Disassembler"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		initialize_fn *function;
		char name[64];

		snprintf(name, sizeof(name), "LLVMInitialize%s%s", target->name, parts[i]);
		if (!FIND(disassembler->library, name, function))
			return false;
		function();
	}
	return true;
}

/* The state of an IT block, which the library keeps, does not hold for an instruction elsewhere. */
static void follow(struct disassembler *disassembler, uint64_t address, size_t size)
{
	void **context = &disassembler->contexts[HWF_ISA_T32];

	if (*context && address != disassembler->next) {
		disassembler->dispose(*context);
		*context = NULL;
		disassembler->tried[HWF_ISA_T32] = false;
	}
	disassembler->next = address + size;
}

static void *context_of(struct disassembler *disassembler, unsigned int isa)
{
	const struct target *target = &targets[isa];
	void **context = &disassembler->contexts[isa];

	if (disassembler->tried[isa])
		return *context;
	disassembler->tried[isa] = true;
	if (!target->name || !initialize(disassembler, target))
		return NULL;
	*context = disassembler->create(target->triple, "", target->features, NULL, 0, NULL, NULL);
	if (*context)
		disassembler->set_options(*context, PRINT_HEXADECIMAL);
	return *context;
}

/* One space for each run of tabs and spaces, and none at the ends */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from != ' ' && *from != '\t')
			*to++ = *from;
		else if (to != text && to[-1] != ' ')
			*to++ = ' ';
	}
	if (to != text && to[-1] == ' ')
		to--;
	*to = '\0';
}

bool disassembler_text(struct disassembler *disassembler, unsigned int isa, uint64_t address,
		       const uint8_t *bytes, size_t size, char *text, size_t room)
{
	uint8_t copy[4];
	void *context;

	text[0] = '\0';
	if (!disassembler || isa >= TARGETS || size > sizeof(copy))
		return false;
	if (isa == HWF_ISA_T32)
		follow(disassembler, address, size);
	context = context_of(disassembler, isa);
	memcpy(copy, bytes, size);
	if (!context || disassembler->instruction(context, copy, size, 0, text, room) != size) {
		text[0] = '\0';
		return false;
	}
	squeeze(text);
	return true;
}

void disassembler_free(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	for (size_t i = 0; i < TARGETS; i++)
		if (disassembler->contexts[i])
			disassembler->dispose(disassembler->contexts[i]);
	/* the library stays: its exit handlers may run only once */
	free(disassembler);
}
