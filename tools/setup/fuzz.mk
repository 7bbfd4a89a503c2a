# SPDX-License-Identifier: GPL-2.0-only
#
# Fuzzing: `make fuzz SECONDS=n` runs each target under libFuzzer, ASan and UBSan. The corpus in
# the tree is replayed by `make test`, with gcc and without libFuzzer.

# NAME:LIMIT of an input's bytes
FUZZ_LIB_TARGETS := packets:1024 pipeline:4096 elf:4096 riscv:2048 te:2048 etm3:2048 session:4096 profile:4096
FUZZ_CMD_TARGETS := perfdata:10240 truth:4096 archive:8192 command:32768
FUZZ_TARGETS := $(FUZZ_LIB_TARGETS:%=$(LIB):%) $(FUZZ_CMD_TARGETS:%=$(CMD):%)

fuzz_names = $(foreach t,$(1),$(firstword $(subst :, ,$(t))))
FUZZ_LIB_BIN := $(patsubst %,$(BUILD)/fuzz/fuzz_%,$(call fuzz_names,$(FUZZ_LIB_TARGETS)))
FUZZ_CMD_BIN := $(patsubst %,$(BUILD)/fuzz/fuzz_%,$(call fuzz_names,$(FUZZ_CMD_TARGETS)))

# Checks of the target `command` that are passed over, with commas. They report findings whose mending is not in the tree.
FUZZ_ALLOW ?=
export HWFLOW_FUZZ_ALLOW = $(FUZZ_ALLOW)

FUZZ_CC ?= clang-19
FUZZ_SANITIZE := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_LIB_OBJ := $(call objects,fuzz/obj,$(LIB_SRC))
FUZZ_CMD_OBJ := $(call objects,fuzz/obj,$(filter-out %/main.c,$(CMD_SRC)))

$(BUILD)/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(FUZZ_CC) $(CPPFLAGS_ALL) -DHWFLOW_GRAPH_NODES=1024 -std=c11 -D_GNU_SOURCE $(WARN) -MMD -MP $(FUZZ_SANITIZE) \
		-fsanitize=fuzzer-no-link -c $< -o $@

$(FUZZ_LIB_BIN): $(BUILD)/fuzz/%: $(BUILD)/fuzz/obj/$(LIB)/tests/fuzz/%.o $(FUZZ_LIB_OBJ)
	$(FUZZ_CC) $(FUZZ_SANITIZE) -fsanitize=fuzzer -o $@ $^ $(LIBS)

# What the target of the command has besides: files and checks, and a mutator that knows them
FUZZ_COMMAND := $(CMD)/tests/fuzz/command
FUZZ_COMMAND_SRC := $(FUZZ_COMMAND)/tree.c $(FUZZ_COMMAND)/checks.c
FUZZ_MUTATE_SRC := $(wildcard $(FUZZ_COMMAND)/mutate*.c)
$(BUILD)/fuzz/fuzz_command $(BUILD)/tests/replay_command: FUZZ_WRAP := \
	-Wl,--wrap=dwfl_standard_find_debuginfo
$(BUILD)/fuzz/fuzz_command: $(call objects,fuzz/obj,$(FUZZ_COMMAND_SRC) $(FUZZ_MUTATE_SRC))

# and what makes its seeds
FUZZ_SEEDS_OBJ := $(call objects,obj,$(FUZZ_COMMAND)/make_command_seeds.c $(FUZZ_COMMAND)/tree.c)
$(BUILD)/tests/make_command_seeds: $(FUZZ_SEEDS_OBJ) $(BUILD)/commands.a $(BUILD)/libhwflow.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS)

$(FUZZ_CMD_BIN): $(BUILD)/fuzz/%: $(BUILD)/fuzz/obj/$(CMD)/tests/fuzz/%.o $(FUZZ_CMD_OBJ) \
		$(FUZZ_LIB_OBJ)
	$(FUZZ_CC) $(FUZZ_SANITIZE) -fsanitize=fuzzer -o $@ $^ $(LIBS) -lz $(FUZZ_WRAP)

fuzz: packages-test
	@$(MAKE) --no-print-directory -s $(FUZZ_LIB_BIN) $(FUZZ_CMD_BIN)
	@$(SETUP)/tests/fuzz-run.sh $(BUILD)/fuzz $(SECONDS) $(FUZZ_TARGETS)

# the words of a target
fuzz_replay = fuzz-$(word 2,$(1))='HWFLOW_FUZZ_ALLOW=$(FUZZ_ALLOW) $(BUILD)/tests/replay_$(word 2,$(1)) \
	$(word 1,$(1))/tests/fuzz/corpus/$(word 2,$(1))'

# the same targets with a small driver in place of libFuzzer
FUZZ_REPLAY_BIN := $(patsubst $(BUILD)/fuzz/fuzz_%,$(BUILD)/tests/replay_%,\
	$(FUZZ_LIB_BIN) $(FUZZ_CMD_BIN))
FUZZ_REPLAY_OBJ := $(BUILD)/san/$(LIB)/tests/fuzz/replay.o

$(patsubst $(BUILD)/fuzz/fuzz_%,$(BUILD)/tests/replay_%,$(FUZZ_LIB_BIN)): \
$(BUILD)/tests/replay_%: $(BUILD)/san/$(LIB)/tests/fuzz/fuzz_%.o $(FUZZ_REPLAY_OBJ) \
		$(BUILD)/san/libhwflow.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) -o $@ $^ $(LIBS)

$(patsubst $(BUILD)/fuzz/fuzz_%,$(BUILD)/tests/replay_%,$(FUZZ_CMD_BIN)): \
$(BUILD)/tests/replay_%: $(BUILD)/san/$(CMD)/tests/fuzz/fuzz_%.o $(FUZZ_REPLAY_OBJ) \
		$(BUILD)/san/commands.a $(BUILD)/san/libhwflow.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(FUZZ_WRAP)

$(BUILD)/tests/replay_command: $(call objects,san,$(FUZZ_COMMAND_SRC))

.PHONY: fuzz-replay
fuzz-replay: deps
	@$(MAKE) --no-print-directory $(FUZZ_REPLAY_BIN)

# NAME=COMMAND, see run-tests; one line of TAP each
FUZZ_REPLAY_TESTS := --needs=fuzz-replay $(foreach t,$(FUZZ_TARGETS),$(call fuzz_replay,$(subst :, ,$(t))))

-include $(FUZZ_LIB_OBJ:.o=.d) $(FUZZ_CMD_OBJ:.o=.d)
-include $(wildcard $(BUILD)/fuzz/obj/*/*/*/tests/fuzz/*.d $(BUILD)/fuzz/obj/*/*/tests/fuzz/*.d)
-include $(wildcard $(BUILD)/*/$(FUZZ_COMMAND)/*.d $(BUILD)/fuzz/obj/$(FUZZ_COMMAND)/*.d)
-include $(wildcard $(BUILD)/san/*/*/*/tests/fuzz/*.d $(BUILD)/san/*/*/tests/fuzz/*.d)
