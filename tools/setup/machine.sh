#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# machine.sh QEMU HWFLOW MODULE BUILD - boot a machine that has trace units and trace buffers, with a shell on its
# console. The driver MODULE is loaded; hwflow, stock perf and the program of Documentation/hello.c are there.
#
# The directory BUILD/machine/host is /host of the machine. Files there stay. If standard input is no terminal, its
# lines are the commands of the shell, and the machine is switched off after the last one.
set -euo pipefail

qemu=$1
hwflow=$2
module=$3
work=$4/machine
top=$(cd "$(dirname "$0")/../.." && pwd)
options=()

mkdir -p "$work/host"
rm -f "$work/host/commands" "$work/host/truth"
aarch64-linux-gnu-gcc -O1 -g -static -o "$work/hello" "$top/Documentation/hello.c"
cp "$top/tools/setup/machine-guest.sh" "$work/test"
libraries=$("$top/tools/setup/build-arm64" "$(dirname "$hwflow")")
"$top/selftests/boot/make-image" -o "$work" --share --program linux-perf:usr/bin/perf \
	--linked "$(dirname "$hwflow")/cross/hwflow=$libraries" "$work/test" "$work/hello" "$module"

machine() {
	"$qemu" -M virt,gic-version=3,virtualization=on -smp 2 -m 1024 -nic none -nographic -no-reboot \
		-cpu "max,pauth-impdef=on,ete=on,trbe=on,trace-log=$work/host/truth" \
		-virtfs "local,path=$work/host,mount_tag=host,security_model=none" \
		-kernel "$work/kernel" -initrd "$work/initramfs" \
		-append "console=ttyAMA0 quiet panic=-1 ${options[*]}"
}

if [ -t 0 ]; then
	options=("hwflow.size=$(stty size | tr ' ' x)")
	echo "The machine boots. 'exit' switches it off; so does Ctrl-A X at any time."
	machine
else
	cat >"$work/host/commands"
	machine </dev/null | sed -u -e 's/\r//' -e '/^machine: test ended$/d' -e '/reboot: Power down$/d'
fi
