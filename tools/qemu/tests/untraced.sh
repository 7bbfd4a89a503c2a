#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# untraced.sh QEMU DIR - what is not traced runs translated code that has nothing of the trace unit: the
# operations of each block are, but for the addresses of blocks, those of a CPU without one.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$(realpath "$1")
dir=$(realpath -m "$2")
mkdir -p "$dir"
. "$here/tap.bash"
. "$here/../../setup/tests/wait.bash"
make -s -C "$here/bare" OUT="$dir/registers.elf" || exit 1
cd "$dir" || exit 1

# operations NAME CPU-OPTIONS ARGUMENTS: of all blocks of a run, to NAME.ops
operations() {
	guarded 120 "$qemu" -M virt,gic-version=3 -cpu "max$2" -accel tcg,thread=single -m 128 \
		-nic none -display none -serial none -monitor none -chardev "file,id=console,path=$1" \
		-semihosting-config "enable=on,chardev=console,arg=registers,arg=load=1$3" \
		-kernel registers.elf -d op -D "$1.log" </dev/null
	must_end $? "$1: the program comes to its end" "$1"
	# where things are in the host's memory is by chance; the program has no such numbers
	sed -E 's/\$0x[5-7][0-9a-f]{11}\b/POINTER/g' "$1.log" >"$1.ops"
	rm -f "$1.log"
	grep -q '^OP' "$1.ops" && grep -q '^ ---- ' "$1.ops"
	ok $? "$1: there are operations"
}

calls() {
	grep -c trace_block "$1.ops"
}

operations without "" ,arg=load-trace=0
operations off ,ete=on,trbe=on ,arg=load-trace=0
# TRCRSR.TA would have the first blocks looked at, until one clears it
operations prohibited ,ete=on,trbe=on ,arg=load-trace=3,arg=load-rsr=0
operations user ,ete=on,trbe=on ,arg=load-trace=1
cmp without.ops off.ops
ok $? "a trace unit that is off changes not one operation"
echo "# $(grep -c '^ ---- ' off.ops) instructions translated"
[ "$(calls off)" -eq 0 ]
ok $? "off: no block tells the trace unit"
echo "# blocks that tell the trace unit: $(calls prohibited) prohibited, $(calls user) user"
[ "$(calls prohibited)" -eq 0 ]
ok $? "prohibited: no block tells the trace unit"
# the check itself
[ "$(calls user)" -gt 20 ]
ok $? "user: blocks do"
done_testing
