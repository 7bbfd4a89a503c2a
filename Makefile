# SPDX-License-Identifier: GPL-2.0-only
#
# The only entry from outside; `make help` lists what there is to make.

SHELL := /bin/bash
.DELETE_ON_ERROR:
.SUFFIXES:

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 60

SETUP := tools/setup
LIB := tools/lib/hwflow
CMD := tools/hwflow

# CI sets WERROR=1: a warning of a newer compiler does not stop a user's build.
WARN := -Wall -Wextra -Wshadow -Wconversion $(if $(filter 1,$(WERROR)),-Werror)
CPPFLAGS_ALL := -I$(LIB) -I$(LIB)/include -Iinclude/uapi -I$(CMD)
CFLAGS ?= -O2 -g
CFLAGS_ALL = -std=c11 -D_GNU_SOURCE $(WARN) -MMD -MP -fno-semantic-interposition \
	$(CFLAGS)
# -g1: lines, which reports of the sanitizers name, and no variables
SANITIZE := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined

# The freestanding core, and the hosted part of the library
CORE_DIRS := core codec/ete codec/etmv3 codec/riscv code/insn decode fast encode text
CORE_SRC := $(foreach d,$(CORE_DIRS),$(wildcard $(LIB)/$(d)/*.c))
IMAGE_SRC := $(wildcard $(LIB)/code/image/*.c)
PROFILE_SRC := $(wildcard $(LIB)/profile/*.c)
SESSION_SRC := $(wildcard $(LIB)/session/*.c)
STACK_SRC := $(wildcard $(LIB)/stack/*.c)
LIB_SRC := $(CORE_SRC) $(IMAGE_SRC) $(PROFILE_SRC) $(SESSION_SRC) $(STACK_SRC)

# The command: its folders, each with tests of its own
CMD_DIRS := archive base calls capture decode doctor emulate page perfdata profile program select source symbols timeline truth verbs \
	verify

# hwflow record needs libperf, which fetch-libperf builds, and libtraceevent; without them the verb reports that.
LIBPERF := $(shell $(SETUP)/fetch-libperf --cached --for "$$($(CC) -dumpmachine 2>/dev/null)" 2>/dev/null)
HAVE_TRACEEVENT := $(shell $(CC) -fsyntax-only -include traceevent/event-parse.h -x c /dev/null 2>/dev/null && echo yes)
RECORD_NONE := $(CMD)/record/unavailable.c
RECORD_DIRS := record record/events record/kernel record/parts record/trigger
ifeq ($(and $(LIBPERF),$(HAVE_TRACEEVENT)),)
RECORD_SRC := $(RECORD_NONE)
else
RECORD_SRC := $(filter-out $(RECORD_NONE),$(foreach d,$(RECORD_DIRS),$(wildcard $(CMD)/$(d)/*.c)))
RECORD_LIBS := $(LIBPERF)/lib/libperf.a $(LIBPERF)/lib/libapi.a -ltraceevent
endif
CMD_SRC := $(CMD)/main.c $(foreach d,$(CMD_DIRS),$(wildcard $(CMD)/$(d)/*.c)) $(RECORD_SRC)
LIB_LIBS := -lelf -lzstd -lxxhash
LIBS := $(RECORD_LIBS) -ldw $(LIB_LIBS) -ljson-c

objects = $(patsubst %.c,$(BUILD)/$(1)/%.o,$(2))
LIB_OBJ := $(call objects,obj,$(LIB_SRC))
CMD_OBJ := $(call objects,obj,$(CMD_SRC))

.PHONY: all deps deps-tools qemu-user tools test unit demo demo-user machine bench fuzz install clean help packages-test

all: tools

help:
	@echo 'make deps       install the packages that tools and install need (Debian; elsewhere: print them),'
	@echo '                and build QEMU for hwflow emulate'
	@echo 'make tools      build/hwflow and build/libhwflow.{a,so}'
	@echo 'make cross      build/cross/hwflow for arm64, with the libraries of Debian'"'"'s arm64 packages'
	@echo '                make tools CC=COMPILER AR= BUILD= for another machine or with other libraries'
	@echo 'make install DESTDIR= PREFIX=   what was built; neither this nor tools needs the network'
	@echo 'make demo       a machine with trace units: record with perf, decode, compare with ground truth'
	@echo 'make machine    that machine, with a shell on its console, for recordings with hwflow record or perf'
	@echo 'make demo-user  the same without a machine: arm64 programs on a trace unit in software'
	@echo 'make test       all tests, as CI runs them; the fast ones first'
	@echo "make test T='NAME...'  the tests whose names match these shell patterns, and what they need; JOBS=n at a time"
	@echo 'make unit       the unit tests; T= chooses here, too'
	@echo 'make test-killed   kill the machine of each test that boots one: each has to fail, and to end; T= chooses'
	@echo 'make list-names the names of all tests'
	@echo 'make layers     which folders use which, against the table of Documentation/index.rst'
	@echo 'make compilers  everything compiled by each gcc-N and clang-N that is installed; COMPILERS= chooses some'
	@echo 'make list-tests each test, and what it shows'
	@echo 'make fuzz SECONDS=n    each fuzz target for n seconds'
	@echo 'make qemu-user  build/qemu-aarch64 and build/qemu-riscv64, with plugins, for hwflow emulate'
	@echo 'make qemu       build/qemu/qemu-system-aarch64, with the trace unit and trace buffer'
	@echo 'make torture        an hour of random use of the driver on each debug kernel and machine'
	@echo 'make mutants        faults of the driver and of the device model, and whether tests notice them: hours;'
	@echo '                PARTS= chooses of unit, cells, random, model; a run that was stopped is continued, FRESH=1 begins anew'
	@echo 'make debug-kernel   a kernel with KASAN, lockdep and so on, for that machine'
	@echo 'make qemu-perf  stock perf in that machine: what it records is what was executed'
	@echo 'make modules    the kernel module, for both of Debian'"'"'s stable arm64 kernels'
	@echo 'make modules KERNEL=6.1|6.12|7.3|latest|latest-16k    for that kernel; latest is unstable'"'"'s'
	@echo 'make modules KDIR=     against the headers there'
	@echo 'make selftests MATRIX=ci|full|latest|debug   the module in that machine, under stock perf; latest is'
	@echo '                unstable'"'"'s kernel of the day; CELLS= chooses machines by their names'
	@echo '                a run that was stopped is continued, FRESH=1 begins anew'
	@echo 'make kselftest-install DESTDIR=DIR   tests for hardware and an FVP, for arm64, as the kernel installs its own'
	@echo 'make kselftest-copy KERNEL=DIR   the same tests, into a kernel source tree'
	@echo 'make corpus     real programs under hwflow emulate, each verified; PROGRAMS= chooses some'
	@echo 'make readme-fresh   the commands of README in a new Debian 12, without a cache (root); SUITE=trixie: in 13'
	@echo 'make bench      speed, beside the reference decoder'

# The only targets of a user's that install packages or use the network: demo and test begin with deps-tools.
deps: deps-tools qemu-user

deps-tools:
	@$(SETUP)/install-packages tools emulate
	@$(SETUP)/fetch-libperf >/dev/null

# QEMU for hwflow emulate; it takes minutes once, and the script finds out by itself whether there is something to do
qemu-user: deps-tools
	@$(SETUP)/build-qemu-user $(BUILD)

packages-test:
	@$(SETUP)/install-packages tools emulate riscv riscv32 test

# Nothing is installed here; the libraries and packages that are missing are printed.
tools:
	@CC='$(CC)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' $(SETUP)/check-libraries $(BUILD)
	@$(MAKE) --no-print-directory $(BUILD)/hwflow $(BUILD)/libhwflow.a $(BUILD)/libhwflow.so || \
		{ $(SETUP)/install-packages --list tools; exit 1; }

# For arm64 on another machine; see Documentation/dependencies.rst
.PHONY: cross
cross: deps
	@root=$$($(SETUP)/build-arm64 $(BUILD)) && echo "$(BUILD)/cross/hwflow: run with the libraries in $$root"

# libperf was built with the header linux/perf_event.h of its own Linux series. Its private headers, for one file, are
# GNU C.
LIBPERF_PRIVATE := -Dasm=__asm__ -Dtypeof=__typeof__ -isystem $(LIBPERF)/private/include \
	-isystem $(LIBPERF)/private/machine
$(foreach kind,obj san fuzz/obj,$(BUILD)/$(kind)/$(CMD)/record/%.o): CPPFLAGS_ALL += \
	$(if $(filter %/aux_mmap.o,$@),$(LIBPERF_PRIVATE)) \
	-isystem $(LIBPERF)/private/include/uapi -isystem $(LIBPERF)/include

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fPIC -c $< -o $@

# The files of a page of HTML are part of the command. The page names their hashes: no other script or style works in it.
PAGE_STYLE := $(CMD)/page/page.css
PAGE_SCRIPT := $(foreach f,data view flame timeline sections code main,$(CMD)/page/js/$(f).js)
PAGE_OBJ := $(foreach kind,obj san fuzz/obj,$(BUILD)/$(kind)/$(CMD)/page/page_assets.o)
page_hash = '"$(shell printf "$$(cat $(1) | sha256sum | sed 's/ .*//; s/../\\x&/g')" | base64)"'
$(PAGE_OBJ): $(CMD)/page/page.html $(PAGE_STYLE) $(PAGE_SCRIPT)
$(PAGE_OBJ): CPPFLAGS_ALL += -DPAGE_CSS_HASH=$(call page_hash,$(PAGE_STYLE)) \
	-DPAGE_JS_HASH=$(call page_hash,$(PAGE_SCRIPT))

# The library shows what its installed headers declare, and no other function; see libhwflow.map.
$(LIB_OBJ): CFLAGS_ALL += -fvisibility=hidden

# a word that counts two things is not for a vector register
$(BUILD)/obj/$(LIB)/fast/window_loop.o: CFLAGS_ALL += -fno-tree-slp-vectorize

$(BUILD)/libhwflow.a: $(LIB_OBJ)
	rm -f $@
	$(AR) rcs $@ $^

LIB_MAP := $(LIB)/libhwflow.map
$(BUILD)/libhwflow.so: $(LIB_OBJ) $(LIB_MAP)
	$(CC) $(CFLAGS) -shared -Wl,-soname,libhwflow.so.0 -Wl,--version-script=$(LIB_MAP) \
		-o $@ $(LIB_OBJ) $(LIB_LIBS)

$(BUILD)/hwflow: $(CMD_OBJ) $(BUILD)/libhwflow.a
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

# The command without shared libraries, for the installed kselftests; libdw.a needs what the shared one is linked with.
# No program can be linked with the libelf.a of elfutils 0.192, which lacks symbols: there it has shared libraries.
STATIC_LIBS = -static $(LIBS) -llzma -lbz2 -lz -lpthread -lm
ELF_PROGRAM := int elf_end(void *); int main(void) { return elf_end(0); }
$(BUILD)/hwflow-static: $(CMD_OBJ) $(BUILD)/libhwflow.a
	libs='$(STATIC_LIBS)'; \
	echo '$(ELF_PROGRAM)' | $(CC) -x c -o $@ - -x none $$libs 2>/dev/null || \
		{ libs='$(LIBS)'; echo 'libelf.a lacks symbols: hwflow-static needs the shared libraries' >&2; }; \
	$(CC) $(CFLAGS) -o $@ $^ $$libs

# The plugin is loaded into QEMU: nothing of it may take the place of a symbol there.
PLUGIN_SRC := $(wildcard tools/plugin/*.c) $(LIB)/code/insn/a64.c $(LIB)/code/insn/rv.c
PLUGIN_OBJ := $(call objects,plugin,$(PLUGIN_SRC))

$(BUILD)/plugin/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -fPIC -fvisibility=hidden -c $< -o $@

$(BUILD)/hwflow-plugin.so: $(PLUGIN_OBJ) tools/plugin/plugin.map
	$(CC) $(CFLAGS) -shared -Wl,-z,defs -Wl,--unresolved-symbols=ignore-all \
		-Wl,--version-script=tools/plugin/plugin.map -o $@ $(PLUGIN_OBJ)

.PHONY: layers
layers: tools
	@$(SETUP)/layers $(BUILD)

demo: deps-tools packages-boot qemu
	@$(MAKE) --no-print-directory -s $(BUILD)/hwflow module-of-debian
	@$(SETUP)/demo.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/modules/6.1/arm_ete_pmu.ko $(BUILD)

machine: deps-tools packages-boot qemu
	@$(MAKE) --no-print-directory -s $(BUILD)/hwflow module-of-debian
	@$(SETUP)/machine.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/modules/6.1/arm_ete_pmu.ko $(BUILD)

demo-user: deps
	@$(MAKE) --no-print-directory -s $(BUILD)/hwflow $(BUILD)/hwflow-plugin.so
	@$(SETUP)/demo-user.sh $(BUILD)/hwflow $(BUILD)

include tools/setup/qemu.mk
include tools/setup/modules.mk
include tools/setup/kselftest.mk
include tools/setup/tests.mk
include tools/setup/fuzz.mk
include tools/setup/install.mk
include tools/bench/bench.mk
include tools/setup/compilers.mk

clean:
	rm -rf $(BUILD)

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(PLUGIN_OBJ:.o=.d)
