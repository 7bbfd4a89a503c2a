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
. "$here/target.bash"
. "$here/../../setup/tests/tap.bash"

# follow [-STATUS] NAME THREADS OPTIONS -- COMMAND...: at least THREADS threads, all equal to the log, no gaps; the
# program ends with STATUS, 0 by default
follow() {
	local name threads file options=() gaps got status want=0

	case $1 in
	-*)
		want=${1#-}
		shift
		;;
	esac
	name=$1 threads=$2 file=$work/$1.data

	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	status=0
	"$hwflow" emulate ${options[@]+"${options[@]}"} -o "$file" -- "$@" >"$work/$name.out" \
		2>"$work/$name.err" </dev/null || status=$?
	if [ $status != "$want" ]; then
		sed 's/^/# /' "$work/$name.err"
		ok 1 "$name: emulate: status $status, not $want"
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

# instructions that this QEMU has if it is not older
arm64_newer() {
	local version what since

	version=$("$qemu" -version | sed -nE 's/.* version ([0-9.]+).*/\1/p')
	for what in mops:8.2 sme:7.1 lse128:10.2; do
		since=${what#*:}
		what=${what%:*}
		if ! printf '%s\n' "$since" "$version" | sort -CV; then
			ok 0 "newer-$what # SKIP this QEMU is older than $since"
			continue
		fi
		follow newer-$what 1 -- "$work/newer" $what
		says newer-$what 'newer: good'
	done
}

arm64_options() {
	"${CC[@]}" -O2 -static -o "$work/newer" "$here/newer.c"
	arm64_newer
	follow options 1 --cycle-counts=4 --timestamps=500 --context-id --vmid \
		--branch-broadcast --events=100 --sync-period=256 -- "$work/signals"
	follow speculation 1 --speculation=7 --max-spec=24 --cycle-counts -- "$work/signals"
	follow repeat 1 --virtual-time --timestamps --cycle-counts --fixed-addresses -- \
		"$work/signals"
}

# the traps of SIGBUS are in the trace, with the value that the program was told
bus_traps() { # DIALECT
	local cause got

	"$hwflow" emulate --quiet --dialect=$1 --traps=direct "${bus_cpu[@]}" -o "$work/bus.data" -- \
		"$work/bus" $bus_fetch \
		>"$work/bus.out" 2>"$work/bus.err"
	if "$hwflow" verify "$work/bus.data" >"$work/bus.verify" 2>&1; then
		"$hwflow" flow --format=ref "$work/bus.data" >"$work/bus.flow"
		for cause in 4:3 6:3 13:4 15:3 ${bus_fetch:+12:1}; do
			got=$(grep -c " TRAP cause=${cause%:*} interrupt=0 .*tval=0x" "$work/bus.flow" || true)
			ok $((got != ${cause#*:})) "bus $1: ${cause#*:} traps with cause ${cause%:*}"
		done
	else
		ok 1 "bus $1: verify" "$work/bus.verify"
	fi
	rm -f "$work/bus.data" "$work/bus.data.truth"
}

# each dialect, with the traps in the trace, and with code that is not compressed
riscv_options() {
	local dialect

	for dialect in 0.026 1.0 2.0; do
		bus_traps $dialect
		follow traps-$dialect 1 --dialect=$dialect --traps=direct -- "$work/signals"
		follow traps-row-$dialect 1 --dialect=$dialect --traps=direct -- "$work/traps"
		follow traps-async-$dialect 1 --dialect=$dialect --traps=direct --blocks=8 \
			--config=resync=9,context_width_p=32 -- "$work/async" 200000
	done
	"${CC[@]}" -march=rv64g -mabi=lp64d -O2 -static -o "$work/long" "$here/signals.c"
	follow long 1 -- "$work/long"
}

# SIGBUS of both kinds: in the log each has its exception, at an instruction that was not executed. Of
# the atomics three in turn, then loads and stores, a load that crosses, and a fetch.
bus() {
	local load store odd_load odd_store fetch got want

	case $target in
	arm64) load=data-fault store=data-fault odd_load=alignment odd_store=alignment fetch=instruction-fault ;;
	riscv64)
		load=load-page-fault store=store-page-fault odd_load=load-misaligned
		odd_store=store-misaligned fetch=instruction-page-fault
		;;
	esac
	"$hwflow" emulate --quiet "${bus_cpu[@]}" -o "$work/bus.data" -- "$work/bus" $bus_fetch \
		>"$work/bus.out" 2>"$work/bus.err"
	says bus 'bus: good'
	"$hwflow" emulate --show-log="$work/bus.data.truth" >"$work/bus.log"
	want=$(printf "$odd_load $odd_store %.0s" 1 2 3; printf "$load $store %.0s" 1 2 3
		echo "$load ${bus_fetch:+$fetch}" | xargs)
	got=$(awk '$4 == "EXC" && $5 ~ /fault|misaligned|alignment/ { print $5 }' "$work/bus.log" | xargs)
	if [ "$got" = "$want" ]; then
		ok 0 "bus: the exceptions in the log"
	else
		echo "# want $want, got $got"
		ok 1 "bus: the exceptions in the log"
	fi
	# each at its instruction, which comes neither before it nor behind it
	got=$(awk '$4 != "EXC" { if (was && $6 == pc) print; last = $6; was = 0 }
		$4 == "EXC" && $5 ~ /fault|misaligned|alignment/ {
			if (last == $6) print
			was = 1; pc = $6
		}' "$work/bus.log")
	[ -z "$got" ] || echo "# $got"
	ok ${#got} "bus: what faults is not executed"
	rm -f "$work/bus.data" "$work/bus.data.truth"
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

[ -n "$qemu" ] || {
	echo "ok 1 - emulate # SKIP there is no QEMU for $target: make qemu-user"
	exit 0
}
rm -rf "$work"
mkdir -p "$work"
for program in signals traps bus async jit threads forkexec replaced; do
	"${CC[@]}" -O2 -static -pthread -o "$work/$program" "$here/$program.c"
done
# the default processor of riscv64 since QEMU 9.1 performs atomics at any address
bus_cpu=()
[ $target = arm64 ] || bus_cpu=(--qemu-option=-cpu --qemu-option=rv64)
"${CC[@]}" -O2 -o "$work/dynamic" "$here/signals.c"
cat >"$work/script" <<END
#! $work/forkexec leaf
END
chmod +x "$work/script"

# QEMU 10.0 itself dies if the program fetches an instruction after the end of its file
bus_fetch=fetch
{ "$qemu" "${bus_cpu[@]#--qemu-option=}" "$work/bus" fetch || bus_fetch=; } >/dev/null 2>&1
[ -n "$bus_fetch" ] || ok 0 "bus: fetch # SKIP plain QEMU dies of it"

follow signals 1 -- "$work/signals"
says signals 'signals: good'
follow -139 signals-die 1 -- "$work/signals" die
says signals-die 'ended by signal 11 (Segmentation fault)'
follow -134 signals-abort 1 -- "$work/signals" abort
says signals-abort 'ended by signal 6 (Aborted)'
follow traps 1 -- "$work/traps"
says traps 'traps: good'
bus
follow bus 1 "${bus_cpu[@]}" -- "$work/bus" $bus_fetch
follow -135 bus-die 1 "${bus_cpu[@]}" -- "$work/bus" $bus_fetch die
says bus-die 'ended by signal 7 (Bus error)'
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
follow -137 threads-kill 61 -- "$work/threads" kill
says threads-kill 'ended by signal 9 (Killed)'
follow -139 threads-fault 61 -- "$work/threads" fault
follow -7 forkexec 10 -- "$work/forkexec" "$work/script" /bin/true
says forkexec 'forkexec: good'
says forkexec "some-name: with, comma = and space"
says forkexec "forkexec: $work/script"
says forkexec "/bin/true is no $target program"
# files that are replaced, removed and written to, the program's own too
for way in renamed removed written mapped; do
	cp "$work/replaced" "$work/replaced-$way"
	follow replaced-$way 3 -- "$work/replaced-$way" $way "$work/place" "$work/signals" "$work/traps"
	says replaced-$way 'replaced: good'
	case $way in
	removed) [ ! -e "$work/replaced-removed" ] && [ ! -e "$work/place" ] ;;
	*) cmp -s "$work/place" "$work/traps" ;;
	esac
	ok $? "replaced-$way: the files are other ones at the end"
done
# another file with the same contents is as good, and its contents are not in the recording
"$hwflow" emulate --quiet -o "$work/same.data" -- "$work/replaced-renamed" renamed "$work/place" \
	"$work/signals" "$work/signals" >"$work/same.out" 2>"$work/same.err" &&
	"$hwflow" verify "$work/same.data" >"$work/same.verify" 2>&1
ok $? "same contents: verify" "$work/same.verify"
[ "$(wc -c <"$work/same.data.code")" -lt "$(wc -c <"$work/signals")" ]
ok $? "same contents: they are not in the recording"
# a file has one copy, however many processes execute it, and none if the user cannot change it
if [ "$(id -u)" = 0 ]; then
	user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
else
	user=()
fi
copies() { # NAME WANT FILE: the run of FILE leaves so many copies
	"${user[@]}" "$hwflow" emulate --quiet --keep -o "$place/$1.data" -- "$3" "$work/script" /bin/true \
		>"$work/$1.out" 2>"$work/$1.err" || true
	got=$(find "$place/$1.data".run-*/streams -name 'kept.*' | wc -l)
	ok $((got != $2)) "$1: $got copies, $2 expected" "$work/$1.err"
}
place=$(mktemp -d)
chmod 777 "$place"
if [ ${#user[@]} -gt 0 ] && "${user[@]}" test -x "$hwflow" -a -r "$work/forkexec"; then
	copies copies-other 0 "$work/forkexec"
else
	ok 0 "copies-other # SKIP no other user can read the program, or the user is not root"
fi
user=()
copies copies-own 1 "$work/forkexec"
rm -rf "$place"
# without a copy the code of a file that was written to is a gap, with the reason; the last contents are in the file
HWFLOW_NO_COPIES=1 "$hwflow" emulate --quiet -o "$work/no-copy.data" -- "$work/replaced" written "$work/place" \
	"$work/signals" "$work/traps" >"$work/no-copy.out" 2>"$work/no-copy.err"
says no-copy "$work/place: the file was changed after its code was executed, and there is no copy of it: No space left"
"$hwflow" verify "$work/no-copy.data" >"$work/no-copy.verify" 2>&1 || true
[ "$(grep -c '^thread.*: difference' "$work/no-copy.verify")" = 1 ] &&
	grep -q 'decoded: gap: no program code' "$work/no-copy.verify" &&
	grep -q '/place (deleted): No such file' "$work/no-copy.verify"
ok $? "no-copy: a gap in one thread, and no other code" "$work/no-copy.verify"
follow limit 1 --limit=5000 -- "$work/signals"
if [ $target = riscv64 ]; then
	riscv_options
else
	arm64_options
fi
# without QEMU's registers it is not known where a signal came: gaps, but nothing wrong
HWFLOW_NO_REGISTERS=1 "$hwflow" emulate --quiet -o "$work/blind.data" -- "$work/async" 300000 \
	>"$work/blind.out" 2>"$work/blind.err"
says blind 'gaps: the instructions executed there'
status=0
HWFLOW_NO_REGISTERS=1 "$hwflow" emulate --quiet --fail-on-loss -o "$work/lost.data" -- "$work/async" 300000 \
	>"$work/lost.out" 2>"$work/lost.err" || status=$?
ok $((status != 124)) "blind: status 124 with --fail-on-loss" "$work/lost.err"
if "$hwflow" verify "$work/blind.data" >"$work/blind.verify" 2>&1; then
	ok 0 "blind: $(tail -n 1 "$work/blind.verify")"
else
	tail -n 8 "$work/blind.verify" | sed 's/^/# /'
	ok 1 "blind: verify"
fi
if "$hwflow" emulate --quiet -o "$work/none.data" -- /bin/true 2>"$work/none.err"; then
	ok 1 "a program of another architecture is refused"
else
	[ $? = 126 ] && grep -q "$target" "$work/none.err"
	ok $? "a program of another architecture is refused"
fi
if ls "$work"/*.run-* >/dev/null 2>&1; then
	ok 1 "nothing is left behind"
else
	ok 0 "nothing is left behind"
fi
done_testing
