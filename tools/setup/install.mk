# SPDX-License-Identifier: GPL-2.0-only
#
# Installation. Included by the Makefile.
#
# The command finds the plugin and QEMU in lib/hwflow next to its own directory: what is installed may be moved as a
# whole. QEMU is installed if `make deps` has built it.

LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions

VERSION := $(shell sed -n 's/^\#define HWF_VERSION "\(.*\)"$$/\1/p' $(LIB)/include/hwflow/version.h)
SONAME := libhwflow.so.0

# The decoding stages are not installed: a session gives what they give, and their structures change.
STAGES := decoder p0 window transaction etmv3_flow riscv_flow riscv_mirror
PUBLIC_HEADERS := $(filter-out $(STAGES:%=$(LIB)/include/hwflow/%.h),$(wildcard $(LIB)/include/hwflow/*.h))
PUBLIC := $(PUBLIC_HEADERS) $(wildcard $(LIB)/include/hwflow/*.def)
MAN := Documentation/man

PUT := install -m 644
PUT_PROGRAM := install -m 755
DIR := install -d -m 755

$(BUILD)/hwflow.pc: $(SETUP)/hwflow.pc.in $(LIB)/include/hwflow/version.h FORCE
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' $< >$@

.PHONY: FORCE
FORCE:

install: tools
	@$(MAKE) --no-print-directory $(BUILD)/hwflow-plugin.so $(BUILD)/hwflow.pc || \
		{ $(SETUP)/install-packages --list tools emulate; exit 1; }
	$(DIR) $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/hwflow \
		$(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/hwflow \
		$(DESTDIR)$(PREFIX)/share/hwflow/python $(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(MANDIR)/man7 $(DESTDIR)$(COMPLETIONDIR)
	$(PUT_PROGRAM) $(BUILD)/hwflow $(DESTDIR)$(PREFIX)/bin/hwflow
	$(PUT) $(BUILD)/hwflow-plugin.so $(DESTDIR)$(PREFIX)/lib/hwflow/hwflow-plugin.so
	@if $(SETUP)/build-qemu-user --cached $(BUILD) && [ -x $(BUILD)/qemu-aarch64 ]; then \
		$(PUT_PROGRAM) $(BUILD)/qemu-aarch64 $(BUILD)/qemu-riscv64 $(DESTDIR)$(PREFIX)/lib/hwflow; \
	else echo 'without QEMU: hwflow emulate will use the qemu-user of the system' >&2; fi
	$(PUT) $(BUILD)/libhwflow.a $(DESTDIR)$(LIBDIR)/libhwflow.a
	$(PUT) $(BUILD)/libhwflow.so $(DESTDIR)$(LIBDIR)/libhwflow.so.$(VERSION)
	ln -sf libhwflow.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libhwflow.so
	$(PUT) $(BUILD)/hwflow.pc $(DESTDIR)$(LIBDIR)/pkgconfig/hwflow.pc
	$(PUT) $(PUBLIC) $(DESTDIR)$(INCLUDEDIR)/hwflow
	$(PUT) tools/python/hwflow.py tools/python/hwflow_declarations.h \
		$(DESTDIR)$(PREFIX)/share/hwflow/python
	$(PUT) $(MAN)/*.1 $(DESTDIR)$(MANDIR)/man1
	$(PUT) $(MAN)/*.5 $(DESTDIR)$(MANDIR)/man5
	$(PUT) $(MAN)/*.7 $(DESTDIR)$(MANDIR)/man7
	$(PUT) $(CMD)/verbs/hwflow.bash $(DESTDIR)$(COMPLETIONDIR)/hwflow

# What DKMS builds the module from, and what keeps the kernel's own modules off the hardware
MODULE_SRC := $(DESTDIR)/usr/src/arm-ete-pmu-$(VERSION)
MODPROBE_DIR := $(DESTDIR)/usr/lib/modprobe.d

.PHONY: install-module
install-module:
	$(DIR) $(MODULE_SRC)/drivers/perf $(MODULE_SRC)/include/uapi/linux $(MODPROBE_DIR)
	$(PUT) Kbuild $(MODULE_SRC)
	$(PUT) drivers/perf/*.[ch] $(MODULE_SRC)/drivers/perf
	$(PUT) include/uapi/linux/arm_ete_pmu.h $(MODULE_SRC)/include/uapi/linux
	sed 's|@VERSION@|$(VERSION)|' drivers/perf/packaging/dkms.conf >$(MODULE_SRC)/dkms.conf
	$(PUT) drivers/perf/packaging/modprobe.conf $(MODPROBE_DIR)/arm_ete_pmu.conf
