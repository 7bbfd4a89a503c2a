# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel module: against the headers in KDIR, or those of both of Debian's arm64 kernels.

MODULE_SERIES := 6.1 6.12

.PHONY: modules packages-modules

packages-modules:
	@$(SETUP)/install-packages modules

# kbuild finds out by itself whether anything changed.
ifdef KDIR
MODULE_DIR := $(BUILD)/modules/$(shell sed -n 's/.* UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h)

modules:
	@$(SETUP)/build-module $(KDIR) $(MODULE_DIR)
	@echo $(MODULE_DIR)/arm_ete_pmu.ko
else
modules: packages-modules
	@set -e; for series in $(MODULE_SERIES); do \
		kdir=$$($(SETUP)/fetch-headers $$series); \
		$(SETUP)/build-module $$kdir $(BUILD)/modules/$$series; \
		echo $(BUILD)/modules/$$series/arm_ete_pmu.ko; \
	done
endif
