#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cross.sh BUILD - the command and the plugin build for arm64, by build-arm64 and by the commands of
# Documentation/dependencies.rst, and the command gives the same results there, under QEMU.
set -u
build=$(realpath "$1")
cd "$(dirname "$0")/../../.." || exit 1
out=$build/cross
native=$build/hwflow
. "tools/setup/tests/tap.bash"
. "tools/setup/qemu-user.bash"

busybox=$(tools/setup/fetch-arm64 busybox-static)/usr/bin/busybox
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL BUILD
root=$(tools/setup/build-arm64 "$build" hwflow hwflow-plugin.so 2>"$build/cross.err")
ok $? "the command and the plugin build for arm64" "$build/cross.err"
file=$(readelf -h "$out/hwflow" 2>/dev/null | grep -c AArch64)
[ "$file" = 1 ]
ok $? "they are for arm64"
# the documented command: it finds what build-arm64 built, and compiles nothing again
command=$(sed -n 's/^    \(make tools CC=.*\)$/\1/p' Documentation/dependencies.rst)
make() { command make --no-print-directory "$@" BUILD="$out"; }
ROOT=$root eval "$command" >"$build/cross.err" 2>&1 && [ -n "$command" ] && ! grep -q ' -c ' "$build/cross.err" &&
	"$(qemu_of "$native" qemu-aarch64)" -L "$root" "$out/hwflow" --version >>"$build/cross.err"
ok $? "Documentation: $command" "$build/cross.err"
unset -f make

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$native" emulate --quiet --return-stack --cycle-counts -o "$tmp/t.data" -- "$busybox" echo arm64 \
	>/dev/null
for verb in "dump --format=ref" "flow --format=ref" "flow --format=pc" "verify"; do
	# shellcheck disable=SC2086 # the verb's words
	"$native" $verb "$tmp/t.data" >"$tmp/native" 2>"$tmp/err"
	a=$?
	# shellcheck disable=SC2086
	"$(qemu_of "$native" qemu-aarch64)" -L "$root" "$out/hwflow" $verb "$tmp/t.data" >"$tmp/arm64" 2>"$tmp/err"
	b=$?
	[ -s "$tmp/native" ] && [ $a = $b ] && cmp -s "$tmp/native" "$tmp/arm64"
	ok $? "$verb is the same on arm64"
done
done_testing
