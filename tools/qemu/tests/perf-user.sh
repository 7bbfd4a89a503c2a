#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf-user.sh QEMU HWFLOW DIR - stock perf in the machine records user code by the modules of
# Debian's kernel; stock perf decodes it, and hwflow finds it equal to what was executed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
boot=$here/../../../selftests/boot
qemu=$1
hwflow=$2
dir=$3
mkdir -p "$dir"
. "$here/tap.bash"
. "$here/recording.bash"

# stock_perf FILE NAME INSTRUCTIONS: it finds branches in the trace, and reports a sample for each
# thousand of its instructions
stock_perf() {
	local branches reported

	if ! command -v perf >/dev/null; then
		n=$((n + 1))
		echo "ok $n - $2: stock perf decodes it # SKIP no perf here"
		return
	fi
	reported=$(guarded 300 perf report --symfs="$symfs" --itrace=i1000i --stdio --sort=comm,dso \
		-i "$1" 2>/dev/null | sed -n 's/^# Event count (approx.): //p')
	echo "# $2: perf report has some $reported instructions of $3"
	[ "${reported:-0}" -le "$3" ] && [ "${reported:-0}" -gt $(($3 - $3 / 100)) ]
	ok $? "$2: stock perf reports it"
	branches=$(guarded 300 perf script --symfs="$symfs" --itrace=b -F ip,addr -i "$1" 2>/dev/null |
		wc -l)
	echo "# $2: $branches branches"
	[ "$branches" -gt 1000 ]
	ok $? "$2: stock perf decodes it"
}

# equal FILE NAME [OPTION]...: to what was executed, so many instructions
instructions=0
equal() {
	local file=$1 name=$2 tid result status

	shift 2
	tid=$(tid_of "$file")
	result=$(guarded 300 "$hwflow" verify --symfs="$symfs" --truth="$at/host/truth" \
		--tid="${tid:-0}" "$@" "$file" 2>&1)
	status=$?
	# a small buffer is full before the trace unit synchronises again: such a piece is reported, and is all that is
	[ $status -ne 3 ] || [ "${file##*/}" != small ] || grep '^hwflow: ' <<<"$result" |
		grep -qv ': no alignment synchronisation found\(;.*\)\?$' || status=0
	if [ $status -eq 0 ]; then
		echo "# $(echo "$result" | head -n 1)"
		instructions=$(echo "$result" | sed -n '1s/.* equal: \([0-9]*\) instructions.*/\1/p')
		ok 0 "$name: equal to what was executed"
	else
		echo "$result" | head -n 20 | sed 's/^/# /'
		ok 1 "$name: equal to what was executed"
	fi
}

aarch64-linux-gnu-gcc -O1 -static -o "$dir/moves" "$here/guest/moves.c" || exit 1
# of KERNEL, with APPEND in its command line
machine() { # NAME MACHINE-OPTIONS CPU-OPTIONS CPUS [OPTION]...
	local name=$1 at=$dir/$1 symfs=$dir/$1/root file

	run_machine "$name" perf-user.sh 200 "$2" "$3" "$4" "$dir/moves" -- "${@:5}" || return
	for file in plain small cycles time context filter moves; do
		grep -q "^recorded $file 0$" "$at/output"
		ok $? "$name: perf record: $file"
		equal "$at/host/$file" "$name: $file" \
			$([ $file != filter ] || echo --filtered)
		[ $file != plain ] || stock_perf "$at/host/plain" "$name" "$instructions"
	done
	"$hwflow" verify --symfs="$symfs" --truth="$at/host/truth" "$at/host/small" \
		--tid="$(tid_of "$at/host/small")" 2>&1 | grep -q 'more lost'
	ok $? "$name: what a small buffer lost is shown"
}

# MACHINES names those to run, all if not said.
wanted() {
	case " ${MACHINES-$1} " in *" $1 "*) ;; *) return 1 ;; esac
}

wanted el1 && machine el1 "" "" 2
wanted vhe && machine vhe ",virtualization=on" ",ete-maxspec=7,ete-commopt=off" 1
wanted nvhe && APPEND=kvm-arm.mode=nvhe machine nvhe ,virtualization=on ,trace-sync=strict 2
wanted 6.12 && KERNEL=6.12 machine 6.12 ,virtualization=on "" 2
# all instructions counted: blocks are left in the middle for accesses that must be alone
wanted icount && machine icount "" "" 1 -icount shift=auto
echo "1..$n"
[ "$failed" -eq 0 ]
