#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# installed.sh HWFLOW BUILD [arm64|riscv64] - emulate.sh with the QEMU that the distribution has, which is another
# version than the one that is built. Speaks TAP.
set -eu

hwflow=$(realpath "$1")
build=$(realpath "$2")
target=${3:-arm64}
here=$(dirname "$0")
name=qemu-aarch64
[ "$target" = arm64 ] || name=qemu-riscv64
installed=$(command -v $name) || {
	echo "ok 1 - installed # SKIP $name is not installed"
	exit 0
}
"$installed" -plugin file=none -version >/dev/null 2>&1 || {
	echo "ok 1 - installed # SKIP $installed is built without plugins"
	exit 0
}
# the command prefers the QEMU next to itself
beside=$build/tests/installed-$target
mkdir -p "$beside"
cp "$hwflow" "$build/hwflow-plugin.so" "$beside"
ln -sf "$installed" "$beside/$name"
exec "$here/emulate.sh" "$beside/hwflow" "$beside" "$target"
