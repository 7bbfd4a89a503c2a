#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# patch.sh QEMU DIR - a PE executes what another has patched, even where it was translating the code
# at that moment.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$1
dir=$2
mkdir -p "$dir"
. "$here/tap.bash"
. "$here/../../setup/tests/wait.bash"

make -s -C "$here/bare" OUT="$(realpath "$dir")/patch.elf" SRC=patch.S || exit 1
guarded 300 "$qemu" -M virt,gic-version=3 -cpu max -m 128 -smp 2 -nic none -display none -serial none \
	-monitor none -semihosting-config enable=on -kernel "$dir/patch.elf" </dev/null
ok $? "what is executed is what was written last"
echo "1..$n"
[ "$failed" -eq 0 ]
