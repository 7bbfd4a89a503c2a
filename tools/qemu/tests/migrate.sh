#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# migrate.sh QEMU DIR - all trace registers are the same after the machine went to a file and back.
set -u
here=$(cd "$(dirname "$0")" && pwd)
qemu=$1
dir=$(realpath -m "$2")
mkdir -p "$dir"
make -s -C "$here/bare" OUT="$dir/registers.elf" || exit 1

start() { # OUTPUT OPTION...
	local output=$1

	shift
	timeout 60 "$qemu" -M virt,gic-version=3,virtualization=on \
		-cpu max,ete=on,trbe=on,ete-counters=4,trace-unknown=3 -m 128 -nic none -display none \
		-serial none -chardev "file,id=console,path=$output" \
		-semihosting-config enable=on,chardev=console,arg=registers,arg=migration=1 \
		-kernel "$dir/registers.elf" "$@" </dev/null
}

rm -f "$dir/state" "$dir/first" "$dir/second"
# the monitor is a pair of pipes; what it answers is of no interest
rm -f "$dir"/monitor*
mkfifo "$dir/monitor.in" "$dir/monitor.out"
cat "$dir/monitor.out" >"$dir/monitor.log" &
reader=$!
start "$dir/first" -chardev "pipe,id=monitor,path=$dir/monitor" -mon monitor &
machine=$!
exec 7>"$dir/monitor.in"
for _ in $(seq 100); do
	grep -qs waiting "$dir/first" && break
	sleep 0.1
done
printf 'migrate "exec:cat >%s"\nquit\n' "$dir/state" >&7
wait $machine
exec 7>&-
wait $reader
start "$dir/second" -monitor none -incoming "exec:cat $dir/state"
status=$?
sed 's/^/# before: /' "$dir/first"
cat "$dir/second"
[ "$status" -eq 0 ] && ! grep -q '^ok' "$dir/first" && grep -q '^ok' "$dir/second"
