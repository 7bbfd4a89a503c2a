# SPDX-License-Identifier: GPL-2.0-only
#
# The emulated machine.

.PHONY: qemu packages-qemu

packages-qemu:
	@$(SETUP)/install-packages qemu

# The script finds out by itself whether anything changed.
qemu: packages-qemu
	@tools/qemu/build $(BUILD)/qemu/qemu-system-aarch64
