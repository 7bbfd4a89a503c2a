# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel module: against the headers in KDIR, or those of Debian's arm64 kernels: KERNEL is 6.1, 6.12,
# 7.3, latest, latest-16k, debug, debug-6.12, or several of them; the first two if it is not given.

KERNEL ?= 6.1 6.12

# Which machines `make selftests` boots: ci, full, latest or debug; or those of CELLS, by their names
MATRIX ?= ci
CELLS ?=
# 1: `make selftests` and `make mutants` begin anew, and do not continue a run that was stopped
FRESH ?=

.PHONY: modules module-of-debian selftests packages-modules

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
	@set -e; for series in $(KERNEL); do \
		kdir=$$($(SETUP)/fetch-headers $$series) || exit 1; \
		$(SETUP)/build-module $$kdir $(BUILD)/modules/$$series; \
		echo $(BUILD)/modules/$$series/arm_ete_pmu.ko; \
	done
endif

# That of Debian 12's own kernel, and no other
module-of-debian: packages-modules
	@$(SETUP)/build-module $$($(SETUP)/fetch-headers 6.1) $(BUILD)/modules/6.1

# NAME=COMMAND, see run-tests
MODULE_TESTS := --needs='deps packages-test packages-boot packages-kselftest qemu modules $(BUILD)/hwflow $(BUILD)/hwflow-plugin.so' \
	driver='RECORDER=perf selftests/driver/run $(QEMU) $(BUILD)/hwflow $(BUILD)/modules $(BUILD)/selftests ci' \
	driver-hwflow='RECORDER=hwflow selftests/driver/run $(QEMU) $(BUILD)/hwflow $(BUILD)/modules $(BUILD)/selftests-hwflow ci' \
	modules='$(SETUP)/tests/modules.sh $(BUILD)/tests/modules' \
	perf-core='$(SETUP)/tests/perf-core.sh' \
	module-configs='$(SETUP)/tests/module-configs.sh $(BUILD)/tests/module-configs 6.12' \
	dkms='$(SETUP)/tests/dkms.sh $(BUILD)/tests/dkms' \
	demo='$(SETUP)/tests/demo.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/modules/6.1/arm_ete_pmu.ko $(BUILD)/tests/demo'

# Builds for the newest kernel, which is of a moving suite: with MATRIX=latest and MATRIX=full
LATEST_TESTS := \
	modules-latest='$(SETUP)/tests/modules.sh $(BUILD)/tests/modules-latest latest latest-16k' \
	module-configs-latest='$(SETUP)/tests/module-configs.sh $(BUILD)/tests/module-configs-latest latest'

# the modules of the kernels that it boots
selftests: KERNEL = $(if $(filter-out latest debug,$(MATRIX))$(CELLS),6.1 6.12) \
	$(if $(filter full latest,$(MATRIX))$(findstring latest,$(CELLS))$(findstring 16k,$(CELLS)),latest latest-16k) \
	$(if $(filter full debug,$(MATRIX))$(findstring debug,$(CELLS)),debug debug-6.12)

# With MATRIX=full, and without CELLS, the debug kernel as well, with each allocation of insmod failing: an hour in all.
selftests: packages-boot packages-test packages-kernel packages-kselftest qemu $(BUILD)/hwflow modules \
		$(if $(filter full,$(MATRIX)),debug-kernel)
	@status=0; \
	RESUME=yes FRESH=$(FRESH) selftests/driver/run $(QEMU) $(BUILD)/hwflow $(BUILD)/modules $(BUILD)/selftests $(MATRIX) \
		$(CELLS) || status=1; \
	case "$(MATRIX)$(CELLS)" in full | latest) \
		BUILD=$(BUILD) $(SETUP)/run-tests $(LATEST_TESTS) || status=1;; \
	esac; \
	if [ "$(MATRIX)$(CELLS)" = full ]; then \
		TURNS=200 STEP=1 LIMIT=9000 selftests/driver/driver-debug.sh $(QEMU) $(BUILD)/hwflow \
			$(BUILD)/driver-debug || status=1; \
	fi; \
	exit $$status

# An hour for each machine on each debug kernel; SEED=n repeats one
.PHONY: torture
torture: TORTURE_SECONDS ?= 3600
torture: packages-boot packages-test packages-kernel qemu
	@status=0; \
	for kind in debug kcsan; do \
		selftests/driver/torture.sh $(QEMU) $(BUILD)/torture-$$kind $$kind $(TORTURE_SECONDS) $(MACHINES) || \
			status=1; \
	done; \
	exit $$status

# Hours: faults of the driver and of the device model, and which tests notice them; PARTS="unit random" runs these alone
.PHONY: mutants
mutants: KERNEL = 6.1 6.12
mutants: packages-boot packages-test packages-kernel packages-kselftest qemu $(BUILD)/hwflow modules
	@FRESH=$(FRESH) selftests/driver/mutants-all.sh $(QEMU) $(BUILD)/hwflow $(BUILD)/modules $(BUILD)/mutants $(PARTS)
