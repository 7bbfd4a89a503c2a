#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# upstream-kunit.sh QEMU DIR [SERIES] - the KUnit tests of Documentation/upstream pass in an arm64 kernel of SERIES, 7.3
# if not given, with all patches. The kernel has KUnit, coresight and little else; the machine, of
# qemu-system-aarch64 QEMU, needs no trace unit.
#
# The build takes some ten minutes and 2 GB in DIR; a kernel that was built there before is built again only in part.
# No test of CI runs it.
set -u
[ $# -ge 2 ] || {
	echo "usage: upstream-kunit.sh QEMU DIR [SERIES]" >&2
	exit 2
}
top=$(cd "$(dirname "$0")/../../.." && pwd)
setup=$top/tools/setup
qemu=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
series=${3:-7.3}
me=upstream-kunit
here=$setup
. "$setup/apt-private.bash"
. "$setup/latest.bash"
. "$setup/tests/tap.bash"
unset MAKEFLAGS MAKELEVEL MFLAGS

read -r release version < <(latest_version "$series")
root=$(latest_fetch source "$release" "$version") || exit 1
tar=$(echo "$root"/usr/src/linux-source-*.tar.xz)
package=$(basename "$tar" .tar.xz)
# graphics and sound have their Kconfig read, and no more
if [ ! -e "$dir/$version" ]; then
	rm -rf "$dir/source" "$dir/kernel"
	mkdir "$dir/source"
	tar -C "$dir/source" -xJf "$tar" --strip-components=1 --exclude='*/drivers/gpu/drm/*.[ch]' \
		--exclude='*/sound/*.[ch]' --exclude='*/Documentation/*.rst' --exclude='*/arch/*.dts' || exit 1
	touch "$dir/$version"
fi
# what the patches change is unpacked again, for a second run
rm -rf "$dir/source/drivers/hwtracing/coresight"
tar -C "$dir/source" -xJf "$tar" --strip-components=1 "$package/drivers/hwtracing/coresight" \
	"$package/include/linux/coresight.h" || exit 1
patches=("$top"/Documentation/upstream/*.patch)
cat "${patches[@]:1}" | patch -s -d "$dir/source" -p1 --no-backup-if-mismatch >"$dir/log" 2>&1
ok $? "the patches apply" "$dir/log"

cat >"$dir/config" <<'END'
CONFIG_ARM64_ERRATUM_2119858=y
CONFIG_ARM64_ERRATUM_2139208=y
CONFIG_ARM64_ERRATUM_2224489=y
CONFIG_ARM64_ERRATUM_2253138=y
CONFIG_ARM_AMBA=y
CONFIG_BUG=y
CONFIG_CONFIGFS_FS=y
CONFIG_CORESIGHT=y
CONFIG_CORESIGHT_KUNIT_TESTS=y
CONFIG_CORESIGHT_LINKS_AND_SINKS=y
CONFIG_CORESIGHT_LINK_AND_SINK_TMC=y
CONFIG_CORESIGHT_SOURCE_ETM4X=y
CONFIG_CORESIGHT_TRBE=y
CONFIG_CORESIGHT_TRBE_KUNIT_TESTS=y
CONFIG_DEBUG_KERNEL=y
CONFIG_KUNIT=y
CONFIG_KUNIT_AUTORUN_ENABLED=y
CONFIG_KUNIT_DEFAULT_ENABLED=y
CONFIG_KVM=y
CONFIG_MODULES=y
CONFIG_PANIC_ON_OOPS=y
CONFIG_PERF_EVENTS=y
CONFIG_PM=y
CONFIG_PRINTK=y
CONFIG_PROC_FS=y
CONFIG_SERIAL_AMBA_PL011=y
CONFIG_SERIAL_AMBA_PL011_CONSOLE=y
CONFIG_SMP=y
CONFIG_SYSFS=y
CONFIG_TTY=y
CONFIG_VIRTUALIZATION=y
END
kernel_make() {
	nice -n 5 make -s -C "$dir/source" O="$dir/kernel" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- -j"$(nproc)" \
		"$@" >>"$dir/log" 2>&1
}
mkdir -p "$dir/kernel"
kernel_make KCONFIG_ALLCONFIG="$dir/config" allnoconfig &&
	! grep -vxFf "$dir/kernel/.config" "$dir/config" >>"$dir/log" && kernel_make Image
ok $? "the kernel is built" "$dir/log"
timeout 300 "$qemu" -M virt,gic-version=3 -cpu max,pauth-impdef=on -m 512 -nic none -display none -no-reboot \
	-serial "file:$dir/console" -kernel "$dir/kernel/arch/arm64/boot/Image" \
	-append "console=ttyAMA0 kunit_shutdown=poweroff" </dev/null >"$dir/log" 2>&1
tr -d '\r' <"$dir/console" | sed -E 's/^\[ *[0-9.]+\] //' >"$dir/result"
grep -E '^ +(# test|ok|not ok)' "$dir/result" | sed 's/^/# /'
for suite in coresight_test_suite coresight_trbe_test_suite; do
	grep -qE "^ok [0-9]+ $suite" "$dir/result"
	ok $? "$suite passes" "$dir/result"
done
done_testing
