# SPDX-License-Identifier: GPL-2.0-only
#
# The emulated machine.

QEMU := $(BUILD)/qemu/qemu-system-aarch64

.PHONY: qemu packages-qemu packages-boot

packages-qemu:
	@$(SETUP)/install-packages qemu

packages-boot:
	@$(SETUP)/install-packages boot

# The script finds out by itself whether anything changed.
qemu: packages-qemu
	@tools/qemu/build $(QEMU)
