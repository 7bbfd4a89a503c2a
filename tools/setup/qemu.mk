# SPDX-License-Identifier: GPL-2.0-only
#
# The emulated machine.

QEMU := $(BUILD)/qemu/qemu-system-aarch64

.PHONY: qemu qemu-perf debug-kernel packages-qemu packages-boot packages-kernel

packages-qemu:
	@$(SETUP)/install-packages qemu

packages-boot:
	@$(SETUP)/install-packages boot

packages-kernel:
	@$(SETUP)/install-packages kernel

# Both scripts find out by themselves whether anything changed.
qemu: packages-qemu
	@tools/qemu/build $(QEMU)

# The directory it prints has KDIR of `make modules` in `build`.
debug-kernel: packages-kernel
	@$(SETUP)/build-debug-kernel

# Stock perf in the machine; part of `make test`, too
QEMU_PERF_TESTS := --needs='deps packages-test packages-boot qemu $(BUILD)/hwflow' \
	perf-kernel='tools/qemu/tests/perf-kernel.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/tests/perf-kernel' \
	perf-user='tools/qemu/tests/perf-user.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/tests/perf-user' \
	perf-record='tools/qemu/tests/perf-record.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/tests/perf'

qemu-perf:
	@$(RUN_TESTS) $(QEMU_PERF_TESTS)
