#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# deps.sh BUILD - `make deps` is the only step of a user's that installs packages or uses the network.
# Speaks TAP.
#
# Programs that would do so are replaced by ones that write down that they were called.
set -u
build=$(realpath "$1")
cd "$(dirname "$0")/../../.." || exit 1
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL DESTDIR OS_RELEASE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tools/setup/tests/tap.bash

mkdir "$work/bin" "$work/empty"
for program in apt apt-get apt-cache sudo curl wget git; do
	printf '#!/bin/sh\necho "%s $*" >>"%s/called"\nexit 1\n' "$program" "$work" >"$work/bin/$program"
done
# no package is installed
printf '#!/bin/sh\nexit 1\n' >"$work/bin/dpkg-query"
chmod +x "$work"/bin/*

without_network() { # COMMAND...
	: >"$work/called"
	PATH=$work/bin:$PATH "$@" >"$work/out" 2>"$work/err" </dev/null
}

# calls NAME: nothing that installs or fetches was called
calls_nothing() {
	[ ! -s "$work/called" ]
	ok $? "$1 calls neither apt nor the network" "$work/called"
}

without_network make --no-print-directory tools BUILD="$build"
ok $? "make tools" "$work/err"
calls_nothing "make tools"
without_network make --no-print-directory install BUILD="$build" DESTDIR="$work/stage"
[ $? = 0 ] && [ -x "$work/stage/usr/local/bin/hwflow" ] && [ -x "$work/stage/usr/local/lib/hwflow/qemu-riscv64" ]
ok $? "make install" "$work/err"
calls_nothing "make install"

# what is missing is printed, with the remedy
without_network make --no-print-directory tools BUILD="$work/build" CC=false
[ $? != 0 ] && grep -q '^these packages are not installed: .*libdw-dev' "$work/err" &&
	grep -q "'make deps' installs" "$work/err"
ok $? "make tools: packages that are missing are printed" "$work/err"
calls_nothing "make tools without its packages"
# an installation lacks QEMU if it was not built, and reports this; the rest of the cache is there
mkdir -p "$work/cache/hwflow"
ln -s "${XDG_CACHE_HOME:-$HOME/.cache}"/hwflow/* "$work/cache/hwflow"
rm -f "$work/cache/hwflow/qemu-user"
without_network env XDG_CACHE_HOME="$work/cache" make --no-print-directory install BUILD="$build" \
	DESTDIR="$work/stage-without"
[ $? = 0 ] && grep -q "QEMU .*was not built: 'make deps' builds it" "$work/err" &&
	grep -q "without QEMU: hwflow emulate will use the qemu-user of the system" "$work/err" &&
	[ ! -e "$work/stage-without/usr/local/lib/hwflow/qemu-aarch64" ]
ok $? "make install without QEMU reports it" "$work/err"
calls_nothing "make install without QEMU"

# packages come first in demo and test, which may install
begins_with() { # TARGET GROUP...
	make -n "$1" 2>/dev/null | grep -E 'install-packages|tools/qemu/build|run-tests' | head -n 1 |
		grep -q "install-packages ${*:2}"
	ok $? "make $1 begins with the packages of ${*:2}"
}
begins_with demo tools emulate
begins_with demo-user tools emulate
begins_with test unit
without_network make --no-print-directory deps
[ $? != 0 ] && grep -qE '^(apt-get|sudo)' "$work/called"
ok $? "make deps calls apt" "$work/called"

# other distributions
distribution() { # ID ID_LIKE COMMAND
	printf 'NAME=x\nID=%s\nID_LIKE="%s"\n' "$1" "$2" >"$work/os-release"
	without_network env OS_RELEASE="$work/os-release" tools/setup/install-packages tools emulate
	[ $? = 1 ] && grep -q "^$3" "$work/err"
	ok $? "$1: prints '$3'" "$work/err"
	calls_nothing "$1"
}
for program in rpm pacman; do
	printf '#!/bin/sh\nexit 1\n' >"$work/bin/$program"
	chmod +x "$work/bin/$program"
done
distribution fedora "" "dnf install elfutils-devel .*qemu-user"
for name in $(sed -n 's/^dnf install //p' "$work/err"); do
	grep -q "\`\`$name\`\`" Documentation/dependencies.rst
	ok $? "dependencies.rst has Fedora's $name"
done
distribution rocky "rhel centos fedora" "dnf install elfutils-devel"
distribution arch "" "pacman -S aarch64-linux-gnu-gcc .*libelf"
for name in $(sed -n 's/^pacman -S //p' "$work/err"); do
	grep -q "\`\`$name\`\`" Documentation/dependencies.rst
	ok $? "dependencies.rst has Arch's $name"
done
distribution manjaro arch "pacman -S aarch64-linux-gnu-gcc"
distribution nixos "" "install-packages: the package names of nixos for 'tools' are not known; Debian's:"
grep -q libdw-dev "$work/err"
ok $? "nixos: Debian's names" "$work/err"
printf '#!/bin/sh\nexit 0\n' >"$work/bin/rpm"
echo ID=fedora >"$work/os-release"
without_network env OS_RELEASE="$work/os-release" tools/setup/install-packages tools emulate
[ $? = 0 ] && [ ! -s "$work/err" ]
ok $? "fedora: nothing is printed if all packages are installed" "$work/err"

# a program that is put there again and again while it is executed
. tools/setup/apt-private.bash
cp "$(type -P true)" "$work/true"
put_program "$work/true" "$work/put"
(
	while [ ! -e "$work/stop" ]; do
		echo >>"$work/true"
		put_program "$work/true" "$work/put"
	done
) &
writer=$!
failed=0
for ((i = 0; i < 300; i++)); do
	"$work/put" 2>"$work/err" || {
		failed=1
		break
	}
done
touch "$work/stop"
wait $writer
ok $failed "a program is replaced while it is executed" "$work/err"
done_testing
