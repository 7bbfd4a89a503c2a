#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# progress.sh BUILD - the line that says how far a long command has got: where it is shown, where
# it is not, and that nothing of it stays. Speaks TAP.
set -u

build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
setup=$here/../../../setup
fast=$build/hwflow
slow=$build/hwflow
[ ! -x "$build/san/hwflow" ] || slow=$build/san/hwflow
work=$(mktemp -d)
. "$setup/tests/tap.bash"
. "$setup/tests/wait.bash"
. "$setup/qemu-user.bash"
trap 'rm -rf "$work"' EXIT
clear=$'\r\033[K'
# escape sequences of the terminal are those of progress
export NO_COLOR=1

result() { # STATUS NAME
	cat -v "$work/tty" | head -c 600 | fold -w 100 >"$work/shown"
	ok "$1" "$2" "$work/shown"
}

# terminal COMMAND: what it writes to a terminal, in $work/tty; its standard streams are one, where
# it does not say otherwise
terminal() {
	guarded 100 script -qec "$1" /dev/null </dev/null >"$work/tty" 2>&1
}

is_shown() { # VERB MORE: the line came, and was taken away
	local line="\rhwflow $1: [0-9.]+ of [0-9.]+ MB, [0-9]+%$2\033\[K"

	grep -qaP "$line" "$work/tty" && [ "$(tail -c 4 "$work/tty")" = "$clear" ]
}

is_not_shown() {
	! grep -qaP '\rhwflow [a-z]+: [0-9.]+ of|\033' "$work/tty"
}

qemu_of "$fast" qemu-aarch64 >/dev/null || {
	echo "ok 1 - progress # SKIP there is no QEMU for arm64: make qemu-user"
	exit 0
}

# with a symbol, since report names the programs that have none
busybox=$work/busybox
aarch64-linux-gnu-objcopy --add-symbol start=.text:0,function \
	"$("$setup/fetch-arm64" busybox-static | tail -n 1)/bin/busybox" "$busybox"
run="-o $work/data -- $busybox gzip -c $work/input"
plugin=--plugin=$build/hwflow-plugin.so

# The line comes after a tenth of a second: a recording of twice as many bytes until the verb takes more. Other tests may
# have the processors now and not later, so that CPU time counts, and a verb has a process on each processor.
export HWFLOW_PROGRESS_MS=100
bytes=60000
lasts() { # VERB
	local milliseconds=0 TIMEFORMAT='%U %S'

	while [ "$milliseconds" -lt 400 ] && [ $bytes -lt 32000000 ]; do
		bytes=$((2 * bytes))
		seq 1 5000000 | head -c $bytes >"$work/input"
		"$fast" emulate --quiet "$plugin" $run >/dev/null
		milliseconds=$({ time "$slow" $1 "$work/data" >/dev/null 2>&1; } 2>&1 |
			awk -v processors="$(nproc)" '{ print int(1000 * ($1 + $2) / processors) }')
	done
	echo "# $1 of $bytes bytes: $milliseconds ms"
}

# `verify` is slower than `report`, so its recording comes first. The verbs that print lines are faster than both; they
# wait for the reader of a pipe.
lasts verify
terminal "$slow emulate $plugin $run >$work/out"
gzip -dc "$work/out" | cmp -s - "$work/input" &&
	is_not_shown && grep -qa "^hwflow emulate: .* million instructions" "$work/tty"
result $? "emulate: not shown, the terminal is the program's; what there was"

slowly="| { sleep 2; cat; }"
for verb in verify dump report; do
	more=
	pipe=
	[ $verb != dump ] || pipe=$slowly
	[ $verb != verify ] || more=", [0-9.]+ million instructions compared"
	[ $verb != report ] || lasts report
	"$slow" $verb "$work/data" >"$work/want" 2>"$work/err"
	[ ! -s "$work/err" ]
	result $? "$verb: nothing where standard error is a file"
	terminal "$slow $verb $work/data $pipe >$work/out"
	is_shown $verb "$more" && cmp -s "$work/want" "$work/out"
	result $? "$verb: on standard error, the results as without it"
	terminal "$slow $verb --quiet $work/data >$work/out"
	[ ! -s "$work/tty" ] && cmp -s "$work/want" "$work/out"
	result $? "$verb: not with --quiet"

	[ $verb != dump ] || continue
	terminal "$slow $verb $work/data"
	# what is left when the terminal has taken the line away
	grep -qaP "\rhwflow $verb: .*\033\[K" "$work/tty" &&
		sed 's/.*\x1b\[K//; s/\r$//' "$work/tty" | cmp -s - "$work/want"
	result $? "$verb: on the terminal that has its results, too"
done

terminal "timeout $(limit 1) $slow dump $work/data"
[ -s "$work/tty" ] && is_not_shown
result $? "dump: not on a terminal with its lines"
terminal "$slow report $work/data 2>$work/err"
is_not_shown && [ ! -s "$work/err" ]
result $? "report: not where standard error is a file and standard output a terminal"

# ---- others ----
"$fast" emulate --quiet "$plugin" --limit=10M $run >/dev/null
for verb in flow script; do
	terminal "$slow $verb $work/data $slowly >/dev/null"
	is_shown $verb ""
	result $? "$verb: on standard error"
done
terminal "timeout $(limit 1) $slow flow $work/data"
[ -s "$work/tty" ] && is_not_shown
result $? "flow: not on a terminal with its lines"

# ---- messages ----
"$fast" encode -o "$work/raw" "$work/data.truth"
printf '\x9d' >>"$work/raw"
terminal "$slow dump $("$fast" encode --print-config) $work/raw $slowly >/dev/null"
grep -qaF "%"$'\033[K'"${clear}hwflow: raw: offset" "$work/tty"
result $? "a message has a line of its own"

# ---- those that are fast ----
unset HWFLOW_PROGRESS_MS
"$fast" emulate --quiet "$plugin" --limit=10K $run >/dev/null
terminal "$fast report $work/data >/dev/null"
[ ! -s "$work/tty" ]
result $? "report: nothing within a second"
done_testing
