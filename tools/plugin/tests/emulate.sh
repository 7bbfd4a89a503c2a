#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# emulate.sh HWFLOW BUILD [arm64|riscv64] - programs that do what is hard to follow, each traced,
# decoded and compared with the log. Speaks TAP.
set -eu

hwflow=$1
build=$2
target=${3:-arm64}
here=$(dirname "$0")
work=$build/emulate-tests-$target
case $target in
arm64)
	qemu=qemu-aarch64
	CC=(${CROSS_CC:-aarch64-linux-gnu-gcc})
	sysroot=/usr/aarch64-linux-gnu
	;;
riscv64)
	qemu=qemu-riscv64
	CC=(riscv64-linux-gnu-gcc)
	sysroot=/usr/riscv64-linux-gnu
	;;
esac
. "$here/../../setup/tests/tap.bash"

# follow NAME THREADS OPTIONS -- COMMAND...: at least THREADS threads, all equal to the log, no gaps
follow() {
	local name=$1 threads=$2 file=$work/$1.data options=() gaps got

	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	if ! "$hwflow" emulate ${options[@]+"${options[@]}"} -o "$file" -- "$@" >"$work/$name.out" \
		2>"$work/$name.err" </dev/null; then
		sed 's/^/# /' "$work/$name.err"
		ok 1 "$name: emulate"
		return
	fi
	if ! "$hwflow" verify "$file" >"$work/$name.verify" 2>&1; then
		tail -n 8 "$work/$name.verify" | sed 's/^/# /'
		ok 1 "$name: verify"
		return
	fi
	gaps=$("$hwflow" emulate --show-log="$file.truth" | grep -c ' GAP ' || true)
	got=$(grep -c '^thread' "$work/$name.verify" || true)
	if [ "$gaps" != 0 ] || [ "$got" -lt "$threads" ]; then
		echo "# $gaps gaps, $got threads"
		ok 1 "$name: no gaps, $threads threads"
		return
	fi
	ok 0 "$name: $(tail -n 1 "$work/$name.verify")"
	rm -f "$file" "$file.truth" "$file.code"
}

arm64_options() {
	follow options 1 --cycle-counts=4 --timestamps=500 --context-id --vmid \
		--branch-broadcast --events=100 --sync-period=256 -- "$work/signals"
	follow speculation 1 --speculation=7 --max-spec=24 --cycle-counts -- "$work/signals"
	follow repeat 1 --virtual-time --timestamps --cycle-counts --fixed-addresses -- \
		"$work/signals"
}

# each dialect, with the traps in the trace, and with code that is not compressed
riscv_options() {
	local dialect

	for dialect in 0.026 1.0 2.0; do
		follow traps-$dialect 1 --dialect=$dialect --traps=direct -- "$work/signals"
		follow traps-async-$dialect 1 --dialect=$dialect --traps=direct --blocks=8 \
			--config=resync=9,context_width_p=32 -- "$work/async" 200000
	done
	"${CC[@]}" -march=rv64g -mabi=lp64d -O2 -static -o "$work/long" "$here/signals.c"
	follow long 1 -- "$work/long"
}

# says NAME TEXT: what the run of that name has put out
says() {
	if grep -q -- "$2" "$work/$1.out" "$work/$1.err"; then
		ok 0 "$1: says '$2'"
	else
		sed 's/^/# /' "$work/$1.out" "$work/$1.err"
		ok 1 "$1: says '$2'"
	fi
}

command -v $qemu >/dev/null || {
	echo "ok 1 - emulate # SKIP $qemu is not installed"
	exit 0
}
rm -rf "$work"
mkdir -p "$work"
for program in signals async jit threads forkexec; do
	"${CC[@]}" -O2 -static -pthread -o "$work/$program" "$here/$program.c"
done
"${CC[@]}" -O2 -o "$work/dynamic" "$here/signals.c"
cat >"$work/script" <<END
#! $work/forkexec leaf
END
chmod +x "$work/script"

follow signals 1 -- "$work/signals"
says signals 'signals: good'
follow signals-die 1 -- "$work/signals" die
says signals-die 'killed by signal 11'
follow signals-abort 1 -- "$work/signals" abort
says signals-abort 'killed by signal 6'
follow dynamic 1 -L $sysroot -- "$work/dynamic"
follow jit 1 -- "$work/jit"
says jit 'jit: good'
follow async 1 -- "$work/async" 2000000
says async 'many ticks'
case $target in
arm64) follow async-threads 4 --cycle-counts --return-stack -- "$work/async" 500000 3 ;;
riscv64) follow async-threads 4 --blocks=4 -- "$work/async" 500000 3 ;;
esac
follow threads 58 -- "$work/threads"
says threads 'threads: good'
follow threads-leave 61 -- "$work/threads" leave
follow threads-kill 61 -- "$work/threads" kill
says threads-kill 'killed by signal 9'
follow threads-fault 61 -- "$work/threads" fault
follow forkexec 10 -- "$work/forkexec" "$work/script" /bin/true
says forkexec 'forkexec: good'
says forkexec "some-name: with, comma = and space"
says forkexec "forkexec: $work/script"
says forkexec "/bin/true is no $target program"
follow limit 1 --limit=5000 -- "$work/signals"
if [ $target = riscv64 ]; then
	riscv_options
else
	arm64_options
fi
# without QEMU's registers it is not known where a signal came: gaps, but nothing wrong
HWFLOW_NO_REGISTERS=1 "$hwflow" emulate --quiet -o "$work/blind.data" -- "$work/async" 300000 \
	>"$work/blind.out" 2>"$work/blind.err"
says blind 'gaps in what is known'
if "$hwflow" verify "$work/blind.data" >"$work/blind.verify" 2>&1; then
	ok 0 "blind: $(tail -n 1 "$work/blind.verify")"
else
	tail -n 8 "$work/blind.verify" | sed 's/^/# /'
	ok 1 "blind: verify"
fi
if "$hwflow" emulate --quiet -o "$work/none.data" -- /bin/true 2>"$work/none.err"; then
	ok 1 "a program of another architecture is refused"
else
	[ $? = 2 ] && grep -q "$target" "$work/none.err"
	ok $? "a program of another architecture is refused"
fi
if ls "$work"/*.run-* >/dev/null 2>&1; then
	ok 1 "nothing is left behind"
else
	ok 0 "nothing is left behind"
fi
done_testing
