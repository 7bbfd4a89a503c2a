# SPDX-License-Identifier: GPL-2.0-only
#
# `make compilers` compiles everything with each compiler that is installed; see tools/setup/tests/compilers.sh.

COMPILED_OBJ := $(sort $(LIB_OBJ) $(CMD_OBJ) $(call objects,obj,$(RECORD_NONE) $(MAKE_INPUT_SRC)) $(PLUGIN_OBJ) \
	$(LIMITED_OBJ) $(REPEAT_TRACE_OBJ) $(FRAME_TRACE_OBJ) $(FUZZ_SEEDS_OBJ) \
	$(BENCH_OBJ) $(BENCH_ETM3_OBJ) $(BENCH_RISCV_OBJ) $(BENCH_MEASURE_OBJ))
COMPILED_TESTS := $(sort $(call objects,san,$(TEST_SRC) $(CMD_TEST_SRC) \
		$(wildcard $(LIB)/tests/fuzz/*.c $(CMD)/tests/fuzz/*.c) $(FUZZ_COMMAND_SRC) $(FUZZ_MUTATE_SRC)) \
	$(TU_MODEL) $(RV_MODEL))
COMPILED_DRIVER := $(sort $(call objects,san,$(DRIVER_TEST_SRC)) $(DRIVER_TESTED))

.PHONY: compilers compiled compiled-driver
compiled: $(COMPILED_OBJ) $(COMPILED_TESTS) compiled-driver
compiled-driver: $(COMPILED_DRIVER)

compilers: deps packages-test
	@$(SETUP)/tests/compilers.sh $(BUILD) $(COMPILERS)
