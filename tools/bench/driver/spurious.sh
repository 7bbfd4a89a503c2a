#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# spurious.sh --kernel SERIES --patched PATCHED QEMU MODULE DIR - the trace buffer's interrupt comes while nothing
# is recorded: what our driver, MODULE, the in-tree driver of kernel SERIES and the patched one, whose modules are
# in PATCHED, do about it. Fails unless our driver and the patched one go on; the kernel panics with the in-tree one.
set -euo pipefail
counts=trace-bytes-accepted
. "$(dirname "$0")/machine.bash"
[ -n "$patched" ] || {
	echo "usage: spurious.sh --kernel SERIES --patched PATCHED QEMU MODULE DIR" >&2
	exit 2
}
power=$dir/power
rm -rf "$power"
mkdir -p "$power"
ln -s "$top/selftests/driver/power.c" "$power"
echo 'obj-m := power.o' >"$power/Kbuild"
env -u MAKEFLAGS -u MAKELEVEL make -s -C "$("$top/tools/setup/fetch-headers" "$series")" M="$power" \
	ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- CONFIG_DEBUG_INFO_BTF_MODULES= modules
status=0
for name in ours intree patched; do
	case $name in
	ours) with=$module ;;
	intree) with=coresight ;;
	patched) with=patched ;;
	esac
	measure "$name" guest-spurious.sh "" begin "$with" "$power/power.ko" --
	if tr -d '\r' <"$dir/$name/console" | grep -qx 'recorded 0'; then
		echo "$name: goes on, and records"
	else
		echo "$name: $(tr -d '\r' <"$dir/$name/console" | grep -m 1 -oE 'Unable to handle.*|Kernel panic.*' ||
			echo 'does not record')"
		[ "$name" = intree ] || status=1
	fi
done
exit $status
