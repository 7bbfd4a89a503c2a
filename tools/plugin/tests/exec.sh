#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# exec.sh HWFLOW BUILD [arm64|riscv64] - programs that execute other programs: each instruction is
# decoded with the code of the program it is of, and counted as that program's. Speaks TAP.
set -eu

hwflow=$(realpath "$1")
build=$2
target=${3:-arm64}
here=$(dirname "$0")
setup=$here/../../setup
work=$(realpath -m "$build/exec-tests-$target")
. "$here/target.bash"
. "$setup/tests/tap.bash"

# work_of NAME PROGRAM: instructions of PROGRAM's work in a report
work_of() {
	awk -v program="$2" 'NF > 2 && $(NF - 1) == program "_work" && $NF == "(" program ")" { print $2 }' \
		"$work/$1.report"
}

# dso_of NAME PROGRAM: instructions of PROGRAM
dso_of() {
	awk -v program="$2" '$NF == program { print $2 }' "$work/$1.dso"
}

# record NAME OPTIONS -- COMMAND...: emulate, verify and report; false if one of them fails
record() {
	local name=$1 file=$work/$1.data options=()

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	(cd "$work" && "$hwflow" emulate ${options[@]+"${options[@]}"} -o "$file" -- "$@") \
		>"$work/$name.out" 2>&1 </dev/null &&
		"$hwflow" verify "$file" >"$work/$name.out" 2>&1 &&
		"$hwflow" report --limit=0 "$file" >"$work/$name.report" 2>"$work/$name.out" &&
		"$hwflow" report --limit=0 --by=dso "$file" >"$work/$name.dso" 2>"$work/$name.out"
}

# counted NAME PROGRAM=TIMES...: the report of NAME has the work of each program so many times
counted() {
	local name=$1 program got want sum log status=0

	shift
	for program; do
		got=$(work_of "$name" "${program%=*}")
		want=$((${alone[${program%=*}]} * ${program#*=}))
		[ "${got:-0}" = "$want" ] || {
			echo "# ${program%=*}_work: $want instructions executed, ${got:-none} reported"
			status=1
		}
	done
	# all of the log, and nothing more
	log=$("$hwflow" emulate --show-log="$work/$name.data.truth" | awk '$4 ~ /^[0-9]+$/' | wc -l)
	sum=$(awk '$1 ~ /%$/ { sum += $2 } END { print sum }' "$work/$name.dso")
	[ "$sum" = "$log" ] || {
		echo "# $log instructions in the log, $sum reported"
		status=1
	}
	ok $status "$name: counts of ${*%=*}"
}

# named NAME: no line of script names a function of a program that has it not; flow ends well
named() {
	local name=$1 verb status

	for verb in script flow; do
		status=0
		"$hwflow" $verb "$work/$name.data" >"$work/$name.$verb" 2>"$work/$name.out" || status=$?
		ok $status "$name: $verb" "$work/$name.out"
	done
	# FUNCTION (PROGRAM), or FUNCTION+OFFSET (PROGRAM)
	grep -oE '[a-z]+_work[^ ]* \([a-z]+\)' "$work/$name.script" |
		awk '{ split($1, word, "_"); if ($2 != "(" word[1] ")") bad = 1 }
			END { exit bad || !NR }' || status=1
	ok $status "$name: names in script"
	rm -f "$work/$name.script" "$work/$name.flow"
}

# follow NAME PROGRAM=TIMES... -- OPTIONS -- COMMAND...
follow() {
	local name=$1 programs=()

	shift
	while [ "$1" != -- ]; do
		programs+=("$1")
		shift
	done
	shift
	if ! record "$name" "$@"; then
		ok 1 "$name" "$work/$name.out"
		return
	fi
	ok 0 "$name: equal"
	counted "$name" "${programs[@]}"
	named "$name"
	rm -f "$work/$name.data" "$work/$name.data.truth"
}

[ -n "$qemu" ] || {
	echo "ok 1 - exec # SKIP there is no QEMU for $target: make qemu-user"
	exit 0
}
rm -rf "$work"
mkdir -p "$work/root/bin"
declare -A alone=() pads=([first]=5 [second]=301 [third]=60)
# linked to the same addresses
for program in first second third; do
	"${CC[@]}" -O2 -static -pthread -DPROGRAM=$program -DPAD=${pads[$program]} -o "$work/$program" \
		"$here/exec.c"
	record $program -- ./$program
	alone[$program]=$(work_of $program $program)
	echo "# $program works for ${alone[$program]} instructions"
done
"${CC[@]}" -O2 -pthread -fPIE -pie -DPROGRAM=dynamic -DPAD=91 -o "$work/dynamic" "$here/exec.c"
record dynamic -L $sysroot -- ./dynamic
alone[dynamic]=$(work_of dynamic dynamic)
if [ $target = arm64 ]; then
	"${CC[@]}" -O2 -static-pie -fPIE -DPROGRAM=pie -DPAD=91 -o "$work/pie" "$here/exec.c"
	record pie -- ./pie
	alone[pie]=$(work_of pie pie)
	follow execv-times first=1 second=1 -- --virtual-time -- ./first exec ./second
	follow pie pie=1 first=1 -- -- ./pie exec ./first
	follow pie-fixed pie=2 third=1 -- --fixed-addresses -- ./pie exec ./third exec ./pie
fi

follow execv first=1 second=1 -- -- ./first exec ./second
follow chain first=1 second=1 third=1 -- -- ./first exec ./second exec ./third
follow chain-back first=2 second=1 -- -- ./first exec ./second exec ./first
follow dynamic dynamic=2 first=1 -- -L $sysroot -- ./dynamic exec ./first exec ./dynamic
follow vfork first=1 second=1 -- -- ./first vfork ./second
follow spawn first=1 second=1 -- -- ./first spawn ./second
follow spawn-chain first=1 second=1 third=1 -- -- ./first spawn ./second spawn ./third
follow vfork-exec first=1 second=1 third=1 -- -- ./first vfork ./second exec ./third
follow threads first=1 second=1 -- -- ./first threads ./second
follow threads-vfork first=1 second=1 third=1 -- -- ./first vfork ./second threads ./third
follow thread first=1 second=1 -- -- ./first thread ./second
follow thread-chain first=1 second=1 third=1 -- -- ./first thread ./second thread ./third
printf '#! %s\n' "$work/first" >"$work/script"
printf '#! /bin/sh\n./first vfork ./second\n./second exec ./third\nexec ./first\n' >"$work/shell-script"
chmod +x "$work/script" "$work/shell-script"
if [ $target = arm64 ]; then
	busybox=$("$setup/fetch-arm64" busybox-static | tail -n 1)/usr/bin/busybox
	cp "$busybox" "$work/root/bin/sh"
	cp "$busybox" "$work/env"
	follow env first=1 second=1 -- -- ./first exec ./env ./second
	follow shell-script first=2 second=2 third=1 -- -L root -- ./env ./shell-script
	follow system first=1 second=1 third=1 -- -L root -- ./first system './second; exec ./third'
else
	"${CC[@]}" -O2 -static -pthread -DPROGRAM=sh -DPAD=17 -o "$work/sh" "$here/exec.c"
	record sh -- ./sh
	alone[sh]=$(work_of sh sh)
	cp "$work/sh" "$work/root/bin/sh"
	follow system first=1 sh=1 second=1 -- -L root -- ./first system ./second
fi
follow script first=1 second=1 -- -- ./second exec ./script
if ls "$work"/*.run-* >/dev/null 2>&1; then
	ok 1 "nothing is left behind"
else
	ok 0 "nothing is left behind"
fi
done_testing
