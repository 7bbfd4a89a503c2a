# SPDX-License-Identifier: GPL-2.0-only
#
# Benchmarks. Included by the Makefile, behind tests.mk.

# The peer is Debian 12's OpenCSD, 1.3.3, on all releases. The RPATH is for the libraries that it needs in turn.
OPENCSD = $(shell $(SETUP)/fetch-arm64 --arch "$$(dpkg --print-architecture)" --only libopencsd1 libopencsd-dev)
OPENCSD_LIB = $(wildcard $(OPENCSD)/usr/lib/*/libopencsd_c_api.so)
OPENCSD_LIBS = $(OPENCSD_LIB) -Wl,--disable-new-dtags,-rpath,$(dir $(OPENCSD_LIB))

BENCH_SRC := $(wildcard tools/bench/*.c)
BENCH_OBJ := $(call objects,obj,$(BENCH_SRC))
$(BENCH_OBJ): CPPFLAGS_ALL += -isystem $(OPENCSD)/usr/include

# the inputs of the command are those of the benchmark: all of it but main()
$(BUILD)/bench/bench_ete: $(BENCH_OBJ) $(filter-out %/main.o,$(CMD_OBJ)) $(BUILD)/libhwflow.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LIBS) $(OPENCSD_LIBS)

# makes its own traces
BENCH_ETM3_OBJ := $(call objects,obj,$(wildcard tools/bench/etmv3/*.c)) \
	$(BUILD)/obj/tools/bench/bench_meter.o
$(BENCH_ETM3_OBJ): CPPFLAGS_ALL += -Itools/bench -isystem $(OPENCSD)/usr/include
$(BUILD)/bench/bench_etm3: $(BENCH_ETM3_OBJ) $(BUILD)/libhwflow.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LIB_LIBS) $(OPENCSD_LIBS)

# the same; beside our decoder of ETE
BENCH_RISCV_OBJ := $(call objects,obj,$(wildcard tools/bench/riscv/*.c)) \
	$(BUILD)/obj/tools/bench/bench_meter.o
$(BENCH_RISCV_OBJ): CPPFLAGS_ALL += -Itools/bench
$(BUILD)/bench/bench_riscv: $(BENCH_RISCV_OBJ) $(BUILD)/libhwflow.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^ $(LIB_LIBS)

# CPU time and memory of a command
BENCH_MEASURE_OBJ := $(BUILD)/obj/tools/bench/commands/measure.o
$(BUILD)/bench/measure: $(BENCH_MEASURE_OBJ)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $^

# `make bench KERNEL=7.3` measures the driver alone, in that kernel
ifneq ($(filter command environment,$(origin KERNEL)),)
bench: packages-test packages-boot qemu modules
	@set -e; for series in $(KERNEL); do tools/bench/driver/bench.sh $(BUILD) $$series; done
else
bench: packages-test packages-boot qemu qemu-user module-of-debian
	@tools/qemu/build --stock $(BUILD)/qemu/qemu-stock
	@$(MAKE) --no-print-directory -s $(BUILD)/hwflow $(BUILD)/hwflow-plugin.so \
		$(BUILD)/bench/bench_ete $(BUILD)/bench/bench_etm3 $(BUILD)/bench/bench_riscv \
		$(BUILD)/bench/measure
	@tools/bench/bench.sh $(BUILD)
endif

-include $(BENCH_OBJ:.o=.d) $(BENCH_ETM3_OBJ:.o=.d) $(BENCH_RISCV_OBJ:.o=.d) \
	$(BENCH_MEASURE_OBJ:.o=.d)
