#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# module-configs.sh DIR SERIES - the kernel module is built for kernels without the options it has a use for, and
# for pages of 64 KB: with nothing said by the compiler under W=1 or by sparse, and with no import that the
# kernel lacks for that reason.
#
# The kernels are configured from the Linux source of SERIES, and not built. The options are those with which
# headers, and what the kernel exports, differ: KVM, ACPI, power management, the in-tree driver, the page size.
set -u
setup=$(cd "$(dirname "$0")/.." && pwd)
cd "$setup/../.." || exit 1
dir=$1
series=$2
rm -rf "$dir"
mkdir -p "$dir"
. "$setup/tests/tap.bash"
log=$dir/log
tree=$("$setup/fetch-kernel-tree" "$series") || exit 1
checker=CHECK=sparse
case $series in
latest*)
	checker=CHECK=$("$setup/fetch-program" --suite sid --arch "$(dpkg --print-architecture)" \
		sparse:usr/bin/sparse)/run || exit 1
	;;
esac

# Little is asked for; what Kconfig has by default comes with it.
cat >"$dir/base" <<-END
	CONFIG_MODULES=y
	CONFIG_MODULE_UNLOAD=y
	CONFIG_PERF_EVENTS=y
	CONFIG_FTRACE=y
	CONFIG_ENABLE_DEFAULT_TRACERS=y
	CONFIG_KEXEC=y
	CONFIG_HOTPLUG_CPU=y
	# CONFIG_NET is not set
	# CONFIG_BLOCK is not set
	# CONFIG_INPUT is not set
	# CONFIG_CRYPTO is not set
END

# configuration NAME IMPORTS OPTION...: the module, for a kernel with the OPTIONs; it imports no name that the
# expression IMPORTS matches
configuration() {
	local name=$1 imports=$2 kdir=$dir/kernel module=$dir/$1/arm_ete_pmu.ko

	shift 2
	"$setup/configure-kernel" "$tree" "$kdir" "$dir/base" "$release" "$@" >"$log" 2>&1
	ok $? "$series: a kernel with $*" "$log"
	cp "$exports" "$kdir/Module.symvers"
	rm -rf "$dir/$name"
	"$setup/build-module" "$kdir" "$dir/$name" W=1 C=2 CF=-D__CHECK_ENDIAN__ "$checker" >"$log" 2>&1
	[ $? -eq 0 ] && [ -f "$module" ] && [ ! -s "$log" ]
	ok $? "$series: $name: the module is built, compiler and sparse find nothing" "$log"
	aarch64-linux-gnu-nm -u "$module" | awk '{ print $2 }' | grep -E "$imports" >"$log"
	[ ! -s "$log" ] && aarch64-linux-gnu-nm -u "$module" | grep -q perf_pmu_register
	ok $? "$series: $name: it imports nothing that the kernel lacks" "$log"
}

release=$(make -s -C "$tree" ARCH=arm64 kernelversion)
# what Debian's kernel exports; what these lack of it, IMPORTS has
exports=$("$setup/fetch-headers" "$series")/Module.symvers
configuration without-all '^(__)?(kvm_|acpi_|cpu_pm_|coresight_)' CONFIG_ARM64_64K_PAGES=y CONFIG_KVM=n \
	CONFIG_ACPI=n CONFIG_SUSPEND=n CONFIG_CPU_IDLE=n CONFIG_CPU_PM=n CONFIG_PM=n CONFIG_CORESIGHT=n
configuration without-kvm '^(__)?(kvm_|coresight_)' CONFIG_KVM=n CONFIG_ACPI=y CONFIG_CPU_PM=y CONFIG_PM=y \
	CONFIG_CORESIGHT=m CONFIG_CORESIGHT_SOURCE_ETM4X=m CONFIG_CORESIGHT_TRBE=m
done_testing
