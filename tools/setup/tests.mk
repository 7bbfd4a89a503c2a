# SPDX-License-Identifier: GPL-2.0-only
#
# Tests: unit tests under sanitizers, then scripts; all speak TAP.

TEST_SRC := $(wildcard $(LIB)/*/tests/test_*.c)
CMD_TEST_SRC := $(foreach d,$(CMD_DIRS) record,$(wildcard $(CMD)/$(d)/tests/test_*.c))
CMD_TEST_BIN := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(CMD_TEST_SRC)))
DRIVER := drivers/perf
DRIVER_TEST_SRC := $(wildcard $(DRIVER)/tests/test_*.c)
DRIVER_TEST_BIN := $(patsubst $(DRIVER)/tests/%.c,$(BUILD)/tests/%,$(DRIVER_TEST_SRC))
LIB_TEST_BIN := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(TEST_SRC)))
TEST_BIN := $(LIB_TEST_BIN) $(CMD_TEST_BIN) $(DRIVER_TEST_BIN)

SAN_LIB_OBJ := $(call objects,san,$(LIB_SRC))
SAN_CMD_OBJ := $(call objects,san,$(CMD_SRC))

$(BUILD)/san/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS_ALL) -std=c11 -D_GNU_SOURCE $(WARN) -MMD -MP $(SANITIZE) -c $< -o $@

$(BUILD)/san/libhwflow.a: $(SAN_LIB_OBJ)
	rm -f $@
	$(AR) rcs $@ $^

# tests start it thousands of times: without relocations a start takes 3 ms less
$(BUILD)/san/hwflow: $(SAN_CMD_OBJ) $(BUILD)/san/libhwflow.a
	$(CC) $(SANITIZE) -no-pie -o $@ $^ $(LIBS)

# the source of a test is in the folder of what it tests
of_source = $(BUILD)/tests/$(basename $(notdir $(1))): $(BUILD)/san/$(1:.c=.o)
$(foreach t,$(TEST_SRC) $(CMD_TEST_SRC),$(eval $(call of_source,$(t))))

$(LIB_TEST_BIN): $(BUILD)/san/libhwflow.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(TEST_LDFLAGS) -lcmocka

# allocations of the library fail one after the other
$(BUILD)/tests/test_session_rules: TEST_LDFLAGS := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc

# Tests of the command, and programs that make their inputs, link those parts of it that they use: to
# link all of it a hundred times takes minutes.
$(BUILD)/san/commands.a: $(filter-out %/main.o,$(SAN_CMD_OBJ))
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/commands.a: $(filter-out %/main.o,$(CMD_OBJ))
	rm -f $@
	$(AR) rcs $@ $^

$(CMD_TEST_BIN): $(BUILD)/san/commands.a $(BUILD)/san/libhwflow.a
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -lcmocka

# Those parts of the driver that access no register, with headers that stand for the kernel's. They
# are as strict as the kernel is with itself.
DRIVER_WARN := $(filter-out -Wconversion -Wshadow,$(WARN)) -Wno-unused-parameter \
	-Wno-missing-field-initializers
$(BUILD)/san/$(DRIVER)/%.o: $(DRIVER)/%.c
	@mkdir -p $(@D)
	$(CC) -I$(DRIVER)/tests/include -Iinclude -I$(DRIVER) -std=gnu11 $(DRIVER_WARN) -MMD -MP \
		$(SANITIZE) -c $< -o $@

DRIVER_TESTED := $(foreach f,trbe_window trbe_event ete_caps ete_config \
		tests/ete_test, \
	$(BUILD)/san/$(DRIVER)/$(f).o)
$(DRIVER_TEST_BIN): $(BUILD)/tests/test_%: $(BUILD)/san/$(DRIVER)/tests/test_%.o $(DRIVER_TESTED)
	@mkdir -p $(@D)
	$(CC) $(SANITIZE) -o $@ $^ -lcmocka

$(BUILD)/tests/insn_llvm: $(BUILD)/obj/$(LIB)/code/tests/insn_llvm.o $(BUILD)/libhwflow.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^

$(BUILD)/tests/rv_llvm: $(BUILD)/obj/$(LIB)/code/tests/rv_llvm.o $(BUILD)/libhwflow.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^

# what the test of memory makes its recordings with
REPEAT_TRACE_OBJ := $(BUILD)/obj/$(CMD)/decode/tests/repeat_trace.o
$(BUILD)/tests/repeat_trace: $(REPEAT_TRACE_OBJ) $(BUILD)/commands.a $(BUILD)/libhwflow.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS)
-include $(REPEAT_TRACE_OBJ:.o=.d)

# what writes recordings of samples that have trace
SAMPLE_TRACE_OBJ := $(BUILD)/obj/$(CMD)/source/tests/sample_trace.o
$(BUILD)/tests/sample_trace: $(SAMPLE_TRACE_OBJ) $(BUILD)/commands.a $(BUILD)/libhwflow.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS)
-include $(SAMPLE_TRACE_OBJ:.o=.d)

# and what puts trace in CoreSight frames
FRAME_TRACE_OBJ := $(BUILD)/obj/$(CMD)/source/tests/frame_trace.o
$(BUILD)/tests/frame_trace: $(FRAME_TRACE_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^
-include $(FRAME_TRACE_OBJ:.o=.d)

# Tests of untrusted input: a program that enforces limits, and programs make_NAME that make inputs
LIMITED_OBJ := $(BUILD)/obj/$(CMD)/tests/limited.o
$(BUILD)/tests/limited: $(LIMITED_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^

# The plugin that follows call stacks by the stack pointer
STACK_PLUGIN_SRC := $(wildcard tools/plugin/tests/stack/*.c) tools/plugin/qemu_api.c
STACK_PLUGIN_OBJ := $(call objects,stack-plugin,$(STACK_PLUGIN_SRC))
$(BUILD)/stack-plugin/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) $$(pkg-config --cflags glib-2.0) -fPIC -fvisibility=hidden -c $< -o $@

$(BUILD)/tests/stack-plugin.so: $(STACK_PLUGIN_OBJ) tools/plugin/plugin.map
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -shared -Wl,--version-script=tools/plugin/plugin.map -o $@ $(STACK_PLUGIN_OBJ) -lelf
-include $(STACK_PLUGIN_OBJ:.o=.d)

MAKE_INPUT_SRC := $(wildcard $(CMD)/tests/make_*.c $(CMD)/*/tests/make_*.c)
MAKE_INPUT_BIN := $(patsubst %.c,$(BUILD)/tests/%,$(notdir $(MAKE_INPUT_SRC)))
define make_input_rule
$(BUILD)/tests/$(basename $(notdir $(1))): $(BUILD)/obj/$(1:.c=.o) $(BUILD)/commands.a $(BUILD)/libhwflow.a
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) -o $$@ $$^ $$(LIBS)
endef
$(foreach source,$(MAKE_INPUT_SRC),$(eval $(call make_input_rule,$(source))))
-include $(LIMITED_OBJ:.o=.d) $(MAKE_INPUT_SRC:%.c=$(BUILD)/obj/%.d)

# The program that compares call stacks of trace with those of the plugin
STACK_TRUTH_SRC := $(CMD)/calls/tests/stack_truth.c
$(eval $(call make_input_rule,$(STACK_TRUTH_SRC)))
-include $(STACK_TRUTH_SRC:%.c=$(BUILD)/obj/%.d)

# the model PE that the trace unit's tests share
TU_TESTS := $(filter $(BUILD)/tests/test_trace_unit%,$(TEST_BIN))
TU_MODEL := $(patsubst %.c,$(BUILD)/san/%.o,$(wildcard $(LIB)/encode/tests/tu_model*.c))
$(TU_TESTS): $(TU_MODEL)

# what the tests of the RISC-V trace encoder share: random programs, packets as text
RV_TESTS := $(filter $(BUILD)/tests/test_te_%,$(TEST_BIN))
RV_MODEL := $(foreach f,rv_model te_test,$(BUILD)/san/$(LIB)/encode/tests/$(f).o)
$(RV_TESTS): $(RV_MODEL)

.PRECIOUS: $(BUILD)/san/%.o
-include $(SAN_LIB_OBJ:.o=.d) $(SAN_CMD_OBJ:.o=.d)
-include $(patsubst %.c,$(BUILD)/san/%.d,$(TEST_SRC) $(CMD_TEST_SRC) $(DRIVER_TEST_SRC))
-include $(TU_MODEL:.o=.d) $(RV_MODEL:.o=.d) $(DRIVER_TESTED:.o=.d)
-include $(BUILD)/obj/$(LIB)/code/tests/insn_llvm.d $(BUILD)/obj/$(LIB)/code/tests/rv_llvm.d

# The groups of tests for run-tests, which explains --needs: NAME=COMMAND. The tests of a group with a % need only their
# own program. A group's targets are built when the tests of the groups before it have begun: first what is fast.
unit = $(foreach t,$(1),$(notdir $(t))='CMOCKA_MESSAGE_OUTPUT=TAP $(t)')
# these take five seconds or more each; the last of them half a minute
LONG_TESTS := $(addprefix $(BUILD)/tests/test_,memo long_runs trace_unit_rules te_state te_round_trip \
	trbe_window decoder session_captures trace_unit session trace_unit_saved)
OWN_TEST_BIN := $(filter-out $(CMD_TEST_BIN),$(TEST_BIN))
UNIT_TESTS := --needs='packages-unit $(BUILD)/tests/%' \
	$(call unit,$(filter-out $(LONG_TESTS),$(OWN_TEST_BIN))) \
	--needs='record-library $(BUILD)/tests/%' $(call unit,$(CMD_TEST_BIN)) \
	--needs='packages-unit $(BUILD)/tests/%' $(call unit,$(LONG_TESTS))
SOURCE_TESTS := --needs='packages-test' \
	rules='selftests/check-rules' \
	run-tests='$(SETUP)/tests/run-tests.sh' \
	kept='$(SETUP)/tests/kept.sh' \
	wait='$(SETUP)/tests/wait.sh' \
	escapes='$(SETUP)/tests/escapes.sh' \
	opens='$(SETUP)/tests/opens.sh' \
	driver-layers='$(SETUP)/tests/driver-layers.sh' \
	mutants-rows='selftests/driver/mutants-rows.sh'
SAN_TESTS := --needs='deps packages-test $(BUILD)/san/hwflow' \
	captures='selftests/golden/captures.sh $(BUILD)/san/hwflow' \
	riscv-captures='selftests/golden/riscv-captures.sh $(BUILD)/san/hwflow' \
	golden='selftests/golden/run-golden $(BUILD)/san/hwflow'
HOST_TESTS := --needs='test-programs' \
	layers='$(SETUP)/layers $(BUILD)' \
	insn-llvm='$(LIB)/code/tests/insn-llvm.sh $(BUILD)/tests/insn_llvm' \
	rv-llvm='$(LIB)/code/tests/rv-llvm.sh $(BUILD)/tests/rv_llvm' \
	freestanding='$(LIB)/tests/freestanding.sh $(BUILD)' \
	riscv-encode='selftests/golden/riscv-encode.sh $(BUILD)/hwflow' \
	emulate-cover='selftests/emulate/cover.sh $(BUILD)' \
	plugin-api='tools/plugin/tests/api.sh' \
	emulate-programs='tools/plugin/tests/emulate.sh $(BUILD)/hwflow $(BUILD)' \
	emulate-exec='tools/plugin/tests/exec.sh $(BUILD)/hwflow $(BUILD)' \
	emulate-exec-riscv64='tools/plugin/tests/exec.sh $(BUILD)/hwflow $(BUILD) riscv64' \
	emulate-riscv64='tools/plugin/tests/emulate.sh $(BUILD)/hwflow $(BUILD) riscv64' \
	emulate-installed='tools/plugin/tests/installed.sh $(BUILD)/hwflow $(BUILD)' \
	emulate-installed-riscv64='tools/plugin/tests/installed.sh $(BUILD)/hwflow $(BUILD) riscv64' \
	corpus='selftests/corpus/run $(BUILD)/hwflow $(BUILD)/tests/corpus ci' \
	emulate-interrupted='tools/plugin/tests/interrupted.sh $(BUILD)/hwflow $(BUILD)' \
	witness='tools/plugin/tests/witness.sh $(BUILD)/hwflow $(BUILD)' \
	stack='tools/plugin/tests/stack.sh $(BUILD)/hwflow $(BUILD)' \
	witness-riscv64='tools/plugin/tests/witness.sh $(BUILD)/hwflow $(BUILD) riscv64' \
	riscv-round-trip='selftests/emulate/riscv-round-trip.sh $(BUILD)/hwflow $(BUILD)/tests/riscv-round-trip' \
	rv32-round-trip='selftests/emulate/rv32-round-trip.sh $(BUILD)/hwflow $(BUILD)/tests/rv32-round-trip' \
	encode='$(CMD)/emulate/tests/encode.sh $(BUILD)' \
	encode-instrumentation='$(CMD)/emulate/tests/encode-instrumentation.sh $(BUILD)' \
	encode-riscv='$(CMD)/emulate/tests/encode-riscv.sh $(BUILD)' \
	encode-etm3='$(CMD)/emulate/tests/encode-etm3.sh $(BUILD)' \
	command='$(CMD)/verbs/tests/command.sh $(BUILD)' \
	options='$(CMD)/verbs/tests/options.sh $(BUILD)' \
	record='$(CMD)/record/tests/record.sh $(BUILD)' \
	doctor='$(CMD)/doctor/tests/doctor.sh $(BUILD)' \
	emulate-syscalls='$(CMD)/emulate/tests/syscalls.sh $(BUILD)' \
	emulate-program='$(CMD)/emulate/tests/emulate-program.sh $(BUILD)' \
	report-width='$(CMD)/verbs/tests/report-width.sh $(BUILD)' \
	riscv='$(CMD)/source/tests/riscv.sh $(BUILD)' \
	progress='$(CMD)/base/tests/progress.sh $(BUILD)' \
	names='$(CMD)/symbols/tests/names.sh $(BUILD)' \
	lines='$(CMD)/symbols/tests/lines.sh $(BUILD)' \
	frames='$(CMD)/symbols/tests/frames.sh $(BUILD)' \
	landing-pads='$(CMD)/symbols/tests/landing-pads.sh $(BUILD)' \
	gaps='$(CMD)/decode/tests/gaps.sh $(BUILD)' \
	untrusted-files='$(CMD)/source/tests/untrusted-files.sh $(BUILD)' \
	untrusted-snapshot='$(CMD)/source/tests/untrusted-snapshot.sh $(BUILD)' \
	untrusted-debug='$(CMD)/symbols/tests/untrusted-debug.sh $(BUILD)' \
	untrusted-sandbox='$(CMD)/base/tests/untrusted-sandbox.sh $(BUILD)' \
	memory='$(CMD)/decode/tests/memory.sh $(BUILD)' \
	snapshot='$(CMD)/source/tests/snapshot.sh $(BUILD)' \
	aux-samples='$(CMD)/source/tests/aux-samples.sh $(BUILD)' \
	accounted='$(CMD)/source/tests/accounted.sh $(BUILD)' \
	selection='$(CMD)/select/tests/selection.sh $(BUILD)' \
	jobs='$(CMD)/decode/tests/jobs.sh $(BUILD)' \
	jobs-protocols='$(CMD)/decode/tests/jobs-protocols.sh $(BUILD)' \
	script-time='$(CMD)/verbs/tests/script-time.sh $(BUILD)' \
	script-instrumentation='$(CMD)/verbs/tests/script-instrumentation.sh $(BUILD)' \
	script-fields='$(CMD)/verbs/tests/script-fields.sh $(BUILD)' \
	gdbserver='$(CMD)/verbs/tests/gdbserver.sh $(BUILD)' \
	rebuilt='$(CMD)/program/tests/rebuilt.sh $(BUILD)' \
	debug-directory='$(CMD)/symbols/tests/debug-directory.sh $(BUILD)' \
	stripped='$(CMD)/symbols/tests/stripped.sh $(BUILD)' \
	jit='$(CMD)/symbols/tests/jit.sh $(BUILD)' \
	inner='$(CMD)/symbols/tests/inner.sh $(BUILD)' \
	paths='$(CMD)/symbols/tests/paths.sh $(BUILD)' \
	annotate='$(CMD)/verbs/tests/annotate.sh $(BUILD)' \
	diff='$(CMD)/verbs/tests/diff.sh $(BUILD)' \
	profile='$(CMD)/verbs/tests/profile.sh $(BUILD)' \
	profile-kernel='$(CMD)/verbs/tests/profile-kernel.sh $(BUILD)' \
	profile-groups='$(CMD)/verbs/tests/profile-groups.sh $(BUILD)' \
	profile-call-graph='$(CMD)/verbs/tests/profile-call-graph.sh $(BUILD)' \
	report-calls='$(CMD)/verbs/tests/report-calls.sh $(BUILD)' \
	report-measure='$(CMD)/verbs/tests/report-measure.sh $(BUILD)' \
	report-filter='$(CMD)/verbs/tests/report-filter.sh $(BUILD)' \
	report-by='$(CMD)/verbs/tests/report-by.sh $(BUILD)' \
	calls='$(CMD)/verbs/tests/calls.sh $(BUILD)' \
	crash='$(CMD)/verbs/tests/crash.sh $(BUILD)' \
	timeline='$(CMD)/timeline/tests/timeline.sh $(BUILD)' \
	html='$(CMD)/page/tests/html.sh $(BUILD)' \
	coverage='$(CMD)/verbs/tests/coverage.sh $(BUILD)' \
	autofdo='$(CMD)/verbs/tests/autofdo.sh $(BUILD)' \
	cs-autofdo='$(CMD)/verbs/tests/cs-autofdo.sh $(BUILD)' \
	autofdo-gcc='$(CMD)/verbs/tests/autofdo-gcc.sh $(BUILD)' \
	pprof='$(CMD)/verbs/tests/pprof.sh $(BUILD)' \
	contexts='$(CMD)/profile/tests/contexts.sh $(BUILD)' \
	profiles='$(SETUP)/tests/profiles.sh $(BUILD)' \
	archive='$(CMD)/archive/tests/archive.sh $(BUILD)' \
	limits='$(CMD)/base/tests/limits.sh $(BUILD)' \
	untrusted-program='$(CMD)/symbols/tests/untrusted-program.sh $(BUILD)' \
	untrusted-kcore='$(CMD)/program/tests/untrusted-kcore.sh $(BUILD)' \
	untrusted-jit='$(CMD)/program/tests/untrusted-jit.sh $(BUILD)' \
	memory-names='$(CMD)/program/tests/memory-names.sh $(BUILD)' \
	untrusted-records='$(CMD)/perfdata/tests/untrusted-records.sh $(BUILD)' \
	untrusted-truth='$(CMD)/truth/tests/untrusted-truth.sh $(BUILD)' \
	debuginfod='$(CMD)/symbols/tests/debuginfod.sh $(BUILD)' \
	libraries='$(SETUP)/tests/libraries.sh $(BUILD)' \
	cross='$(SETUP)/tests/cross.sh $(BUILD)' \
	qemu-patches='tools/qemu/tests/patches.sh' \
	install='$(SETUP)/tests/install.sh $(BUILD)' \
	third-party='$(SETUP)/tests/third-party.sh $(BUILD)' \
	examples='$(SETUP)/tests/examples.sh $(BUILD)' \
	readme='$(SETUP)/tests/readme.sh' \
	deps='$(SETUP)/tests/deps.sh $(BUILD)' \
	untrusted-text='$(CMD)/base/tests/untrusted-text.sh $(BUILD)' \
	untrusted-sync='$(CMD)/decode/tests/untrusted-sync.sh $(BUILD)' \
	valgrind='$(SETUP)/tests/valgrind.sh $(BUILD)' \
	compilers='$(SETUP)/tests/compilers.sh $(BUILD) ends' \
	lint='$(SETUP)/tests/lint.sh'
# hwflow on the other Debian release
DEBIAN_TESTS := --needs='packages-fresh' \
	debian='$(SETUP)/tests/debian.sh $(BUILD)'
BARE_TESTS := --needs='deps packages-test packages-boot qemu $(BUILD)/hwflow' \
	qemu-qtest='tools/qemu/tests/qtest.sh $(QEMU) $(BUILD)/qemu' \
	qemu-functional='tools/qemu/tests/functional.sh $(QEMU) $(BUILD)/functional' \
	qemu-registers='tools/qemu/tests/registers.sh $(QEMU) $(BUILD)/tests/registers' \
	qemu-patch='tools/qemu/tests/patch.sh $(QEMU) $(BUILD)/tests/patch' \
	qemu-migrate='tools/qemu/tests/migrate.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/tests/migrate' \
	qemu-warm-reset='tools/qemu/tests/warm-reset.sh $(QEMU) $(BUILD)/tests/warm-reset' \
	qemu-trace-load='tools/qemu/tests/trace-load.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/tests/trace-load' \
	qemu-counts='tools/qemu/tests/counts.sh $(QEMU) $(BUILD)/tests/counts' \
	qemu-untraced='tools/qemu/tests/untraced.sh $(QEMU) $(BUILD)/tests/untraced' \
	qemu-log-witness='tools/qemu/tests/log-witness.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/tests/log-witness'
LINUX_TESTS := --needs='deps packages-test packages-boot qemu $(BUILD)/hwflow' \
	qemu-migrate-linux='tools/qemu/tests/migrate-linux.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/tests/migrate-linux' \
	qemu-acpi='tools/qemu/tests/acpi.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/tests/acpi' \
	qemu-probe='tools/qemu/tests/coresight-probe.sh $(QEMU) $(BUILD)/tests/probe'
KSELFTEST_TESTS := --needs='deps packages-test packages-kernel packages-kselftest' \
	kselftest='$(SETUP)/tests/kselftest.sh $(BUILD)/tests/kselftest'
DEBUG_KERNEL_TESTS := --needs='deps packages-test packages-boot packages-modules packages-kselftest qemu debug-kernel $(BUILD)/hwflow' \
	debug-kernel='selftests/driver/debug.sh $(QEMU) $(BUILD)/tests/debug-kernel' \
	driver-debug='MACHINES=vhe selftests/driver/driver-debug.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/tests/driver-debug' \
	torture='selftests/driver/torture.sh $(QEMU) $(BUILD)/tests/torture debug 60 el1'

# Real programs; Documentation/corpus.rst has the table
.PHONY: corpus
corpus: packages-test qemu-user
	@$(MAKE) --no-print-directory $(BUILD)/hwflow $(BUILD)/hwflow-plugin.so
	@selftests/corpus/run $(BUILD)/hwflow $(BUILD)/corpus full $(PROGRAMS)

# README on a new system, Debian 12 or that of SUITE; it downloads all that a new user downloads
.PHONY: readme-fresh
readme-fresh: deps $(BUILD)/hwflow $(BUILD)/hwflow-plugin.so
	@$(SETUP)/install-packages fresh
	@$(SETUP)/tests/readme-fresh.sh $(SUITE)

.PHONY: list-tests list-names
list-tests:
	@$(SETUP)/list-tests

list-names:
	@printf '%s\n' $(ALL_TESTS) | sed -n '/^--needs/!s/=.*//p'

# Last are three tests of about the same length, which run at the same time: no processor is idle before the end.
ALL_TESTS = $(UNIT_TESTS) $(SOURCE_TESTS) $(SAN_TESTS) $(FUZZ_REPLAY_TESTS) $(HOST_TESTS) $(DEBIAN_TESTS) $(BARE_TESTS) $(MODULE_TESTS) \
	$(DEBUG_KERNEL_TESTS) $(KSELFTEST_TESTS) $(LINUX_TESTS) $(QEMU_PERF_TESTS)

# What groups of tests need. The second make finds libperf, which `deps` has built.
.PHONY: packages-unit packages-fresh record-library test-programs
packages-unit:
	@$(SETUP)/install-packages unit

packages-fresh:
	@$(SETUP)/install-packages fresh

record-library:
	@$(SETUP)/install-packages unit tools
	@$(SETUP)/fetch-libperf >/dev/null

test-programs: deps packages-test qemu-user
	@$(MAKE) --no-print-directory $(BUILD)/hwflow $(BUILD)/libhwflow.a $(BUILD)/libhwflow.so \
		$(BUILD)/hwflow-plugin.so $(BUILD)/san/hwflow $(BUILD)/tests/insn_llvm $(BUILD)/tests/rv_llvm \
		$(BUILD)/tests/repeat_trace $(BUILD)/tests/sample_trace $(BUILD)/tests/frame_trace $(BUILD)/bench/measure \
		$(BUILD)/tests/limited $(BUILD)/tests/stack-plugin.so $(BUILD)/tests/stack_truth $(MAKE_INPUT_BIN)

# The fast tests begin as soon as their packages are installed and their programs linked
RUN_TESTS = BUILD='$(BUILD)' T='$(T)' MAKE_COMMAND='$(MAKE_COMMAND)' MAKE_VARIABLES='$(MAKEOVERRIDES)' $(SETUP)/run-tests

# In each test that boots a machine the first machine is killed: does the test end, with one failure?
KILLED_QEMU := $(BUILD)/tests/killed/qemu-system-aarch64
.PHONY: test-killed
test-killed: deps packages-test packages-boot packages-modules packages-kselftest qemu modules $(BUILD)/hwflow
	@T='$(T)' $(SETUP)/tests/killed.sh $(QEMU) $(KILLED_QEMU) $(subst $(QEMU),$(KILLED_QEMU),$(ALL_TESTS))

unit:
	@$(SETUP)/install-packages unit
	@$(RUN_TESTS) $(UNIT_TESTS)

test:
	@$(SETUP)/install-packages unit
	@$(RUN_TESTS) $(ALL_TESTS)
