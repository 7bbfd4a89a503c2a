# SPDX-License-Identifier: GPL-2.0-only
#
# The tests of selftests/drivers/perf/arm_ete, as the kernel builds and installs its own; Documentation/testing.rst
# says how to run them.

.PHONY: kselftest-install kselftest-copy packages-kselftest

packages-kselftest:
	@$(SETUP)/install-packages kselftest

kselftest-install: packages-kselftest
	$(if $(DESTDIR),,$(error make kselftest-install DESTDIR=DIR))
	@$(SETUP)/kselftest-install $(BUILD) $(DESTDIR)

# a kernel source tree; elsewhere KERNEL is a series, with a default
kselftest-copy:
	$(if $(findstring command,$(origin KERNEL)),,$(error make kselftest-copy KERNEL=DIR, a kernel source tree))
	@$(SETUP)/kselftest-copy $(KERNEL)
