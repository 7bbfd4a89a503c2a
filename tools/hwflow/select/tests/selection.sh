#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# selection.sh BUILD - what --offset, --time and --limit print is the matching part of what the verb prints without them,
# byte by byte: of recordings in several configurations, of several AUX records, threads and programs, of damaged trace,
# of RISC-V and of all captures; what is before it is not decoded. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
repeat=$build/tests/repeat_trace
measure=$build/bench/measure
captures=${HWFLOW_CAPTURES:-$top/../shared/data}
export HOME=$work TMPDIR=$work LC_ALL=C
cd "$work" || exit 1

"$CC" -O1 -static -o program "$here/../../decode/tests/long_trace.c" || exit 1
"$CC" -O2 -static -pthread -o several "$top/tools/plugin/tests/threads.c" || exit 1
busybox=$("$top/tools/setup/fetch-arm64" busybox-static | tail -n 1)/bin/busybox

record() { # FILE OPTION... -- PROGRAM...
	"$hwflow" emulate --quiet --fixed-addresses -o "$1" "${@:2}" >/dev/null 2>err
	ok $? "recorded: $1" err
}

# differ WHAT: part and expected, to differences
differ() {
	cmp -s part expected && return
	{
		echo "$1"
		diff part expected | cut -c1-160 | head -n 6
	} >>differences
}

# lines FROM TO: of a listing with offsets in ten columns, those lines; the title of an AUX record is before its first one
lines() {
	awk -v from="$(printf %10x "$1")" -v to="$(printf %10x "$2")" '
		/^# source/ { print; title = ""; next }
		/^# aux/ { title = $0 "\n"; next }
		{ at = substr($0, 1, 10) }
		at >= from && at < to { printf "%s%s\n", title, $0; title = "" }'
}

# within FROM TO FILE [OPTION]...: the lines of these offsets
within() {
	for verb in flow dump; do
		"$hwflow" $verb --quiet "${@:3}" 2>/dev/null | lines "$1" "$2" >expected
		"$hwflow" $verb --quiet --offset="$1,$2" "${@:3}" >part 2>/dev/null
		differ "$verb --offset=$1,$2 ${*:3}"
		[ -s expected ] || echo "$verb ${*:3}: no lines from $1 to $2" >>differences
	done
}

offsets() { # FILE FROM...: 3000 bytes from each
	local from

	: >differences
	for from in "${@:2}"; do
		within "$from" $((from + 3000)) "$1"
	done
	[ ! -s differences ]
	ok $? "$1: lines of offsets from ${*:2}" differences
}

verbs=("flow --format=ref" "flow --format=pc" "dump --format=ref" "script --sort=thread --not-taken --no-lines"
	"script --insn --sort=thread --fields=tid,time,insn,ip")

# parts FIRST SECOND ARGUMENT...: what three parts print in turns is what the whole prints, but for titles. Flow is
# sorted by offset: a cycle count may come before a speculative range that precedes it.
parts() {
	local first=$1 second=$2 verb

	for verb in "${verbs[@]}"; do
		# shellcheck disable=SC2086 # a verb and its options
		"$hwflow" $verb --quiet "${@:3}" 2>/dev/null | grep -v '^# ' >expected
		# shellcheck disable=SC2086
		{
			"$hwflow" $verb --quiet --offset=0,"$first" "${@:3}"
			"$hwflow" $verb --quiet --offset="$first,$second" "${@:3}"
			"$hwflow" $verb --quiet --offset="$second" "${@:3}"
		} 2>/dev/null | grep -v '^# ' >part
		if [ "$verb" = "flow --format=ref" ]; then
			sort -s -n -k 1,1 -o expected expected
			sort -s -n -k 1,1 -o part part
		fi
		differ "$verb $first $second ${*:3}"
	done
}

# sanitized NUMBER FROM TO ARGUMENT...: under sanitizers a part is the same; of the verbs two, which NUMBER chooses
sanitized() {
	local verb number=$1

	shift
	for verb in "${verbs[number % ${#verbs[@]}]}" "${verbs[(number + 2) % ${#verbs[@]}]}"; do
		# shellcheck disable=SC2086 # a verb and its options
		"$hwflow" $verb --quiet --offset="$1,$2" "${@:3}" >expected 2>&1
		# shellcheck disable=SC2086
		"$san" $verb --quiet --offset="$1,$2" "${@:3}" >part 2>&1
		differ "$verb $* under sanitizers"
	done
}

thirds() { # FILE FIRST SECOND
	: >differences
	parts "$2" "$3" "$1"
	[ ! -s differences ]
	ok $? "$1: parts at $2 and $3 are the whole" differences
}

# ---- offsets in one AUX record ----
everything=(--return-stack --timestamps=1000 --context-id --branch-broadcast --cycle-counts=4 --commit-mode=1)
record everything --virtual-time "${everything[@]}" -- ./program 20000
record plain --virtual-time --return-stack -- ./program 20000
record speculation --virtual-time --speculation=30 --wrong-paths=5 --max-spec=32 --cycle-counts=4 --timestamps=500 -- \
	./program 20000
record sources --virtual-time --source-addresses --q-elements --events=100 --timestamps=20000 -- ./program 20000
for file in everything plain speculation sources; do
	size=$("$hwflow" report "$file" 2>/dev/null | sed -n 's/.*from \([0-9]*\) bytes of trace.*/\1/p' | head -n 1)
	offsets "$file" 0 1 5000 $((size / 3)) $((size / 2 + 1)) $((size - 2500))
	thirds "$file" $((size / 4 + 1)) $((size / 2))
	thirds "$file" 4097 $((size - 100))
	sync=$("$hwflow" dump --format=ref "$file" |
		awk -v half=$((size / 2)) '/ALIGN_SYNC/ && $1 > half { print $1; exit }')
	thirds "$file" "$sync" $((sync + 3))
done
cp everything damaged
head -c 300 /dev/urandom | dd of=damaged bs=1 seek=100000 conv=notrunc status=none
head -c 9000 /dev/zero | dd of=damaged bs=1 seek=150000 conv=notrunc status=none
offsets damaged 96000 99000 101000 145000 148000 170000
thirds damaged 99700 150000

# ---- several ----
record unit --virtual-time "${everything[@]}" -- ./program 600
"$repeat" unit records 4 12
ok $? "AUX records of four threads"
offsets records 0 100 5000 7000
record threads --timestamps=500 --context-id -- ./several
offsets threads 0 7 300
record programs --timestamps=500 --context-id -- "$busybox" sh -c \
	"$busybox seq 300 | $busybox sort -r | $busybox md5sum; exec $busybox seq 300"
offsets programs 0 900
: >differences
for record in 0 5 11; do
	"$hwflow" flow records | awk -v record=$record '/^# source/ { print; next } /^# aux/ { is = $4 == record } is' >expected
	"$hwflow" flow --offset=$record:0 records >part
	differ "record $record"
done
[ ! -s differences ]
ok $? "one AUX record" differences

# ---- captures, and the decoder under sanitizers ----
: >differences
count=0
while IFS= read -r ini; do
	directory=$(dirname "$ini")
	"$hwflow" dump --quiet --format=ref "$directory" 2>/dev/null | awk '
		/^# source/ { source = $3; next } { end[source] = $1 } END { for (s in end) print (s ? s : "-"), end[s] }' |
		sort >ends
	while read -r source end; do
		[ "$end" -gt 4 ] || continue
		options=("$directory")
		[ "$source" = - ] || options+=("--source=$source")
		parts $((end / 3)) $((end * 2 / 3 + 1)) "${options[@]}"
		sanitized $count $((end / 3)) $((end * 2 / 3 + 1)) "${options[@]}"
		count=$((count + 1))
	done <ends
done < <(find "$captures" -name trace.ini | sort)
[ ! -s differences ]
ok $? "parts of $count sources of captures are the whole" differences
if [ -d "$captures/etmv3/TC2" ]; then
	cp -r "$captures/etmv3/TC2" etmv3 && chmod -R u+w etmv3
	for ((i = 0; i < 12; i++)); do cat "$captures/etmv3/TC2/cstrace.bin"; done >etmv3/cstrace.bin
	: >differences
	for from in 0 3000 20000 40001 60000; do
		within $from $((from + 3000)) etmv3 --source=cstrace-id10
		parts $((from + 1)) $((from + 2000)) etmv3 --source=cstrace-id10
	done
	[ ! -s differences ]
	ok $? "ETMv3: lines of offsets" differences
fi
if [ -d "$captures/riscv" ]; then
	: >differences
	for program in dhrystone towers; do
		zstd -dcq "$captures/riscv/$program/te_inst.wide.bin.zst" >riscv.bin
		config=privilege_width_p=2,ecause_width_p=5,context_width_p=32,iaddress_lsb_p=1,itype_width_p=4
		options=(--protocol=riscv --image="$captures/riscv/$program/prog.elf"
			--config="iaddress_width_p=64,$config,return_stack_size_p=7,time_width=1" riscv.bin)
		size=$(stat -c %s riscv.bin)
		within $((size / 2)) $((size / 2 + 500)) "${options[@]}"
		parts $((size / 3)) $((size / 2)) "${options[@]}"
	done
	[ ! -s differences ]
	ok $? "RISC-V: lines of offsets" differences
fi

# ---- report ----
instructions() { "$hwflow" "$@" 2>/dev/null | sed -n 's/^[^:]*: \([0-9]*\) instructions.*/\1/p'; }

sum=0
for range in 0,50000 50000,50001 50001,170000 170000; do
	sum=$((sum + $(instructions report --offset=$range everything)))
done
[ "$sum" -gt 0 ] && [ "$sum" = "$(instructions report everything)" ]
ok $? "report: the instructions of the parts are those of the whole: $sum"
"$hwflow" annotate --offset=100000,100500 everything >part 2>err && grep -q '<choose>\|choose' part
ok $? "annotate: of offsets" err

# ---- what is before is not decoded ----
record large --virtual-time "${everything[@]}" -- ./program 1500000
seconds() { "$measure" cost part "$hwflow" "$@" && awk '{ print $1 * 1000 }' cost; }
whole=$(seconds flow --quiet large)
time=$(seconds flow --quiet --offset=20000000 large)
[ -s part ] && awk -v a="$time" -v b="$whole" 'BEGIN { exit !(a * 4 < b) }'
ok $? "the end of a large trace takes $time ms of CPU time, the whole $whole ms"
last=$("$hwflow" script --no-lines --offset=20000000 large | awk '$3 != "-" && $1 != "#" { print $3; exit }')
time=$(seconds script --quiet --no-lines --time="$last," large)
[ -s part ] && awk -v a="$time" -v b="$whole" 'BEGIN { exit !(a * 4 < b) }'
ok $? "the same by time: $time ms"
time=$(seconds script --quiet --limit=1000 large)
[ "$(wc -l <part)" = 1000 ] && awk -v a="$time" -v b="$whole" 'BEGIN { exit !(a * 4 < b) }'
ok $? "the first 1000 lines: $time ms"

# ---- times ----
# timed FROM TO: lines of script of these times; what has no time yet has the first one, of one thread
timed() {
	awk -v from="$1" -v to="$2" '
		/^# time/ { print; next }
		$3 == "-" { waiting[n++] = $0; next }
		n { for (i = 0; i < n; i++) if ($3 + 0 >= from && $3 + 0 <= to) print waiting[i]; n = 0 }
		$3 + 0 >= from && $3 + 0 <= to'
}

# times FILE FROM TO [OPTION]...
times() {
	"$hwflow" script --no-lines "${@:4}" "$1" 2>/dev/null | timed "$2" "$3" >expected
	"$hwflow" script --no-lines --time="$2,$3" "${@:4}" "$1" >part 2>/dev/null
	differ "--time=$2,$3 ${*:4} $1"
	[ "$(wc -l <expected)" -gt 5 ] || echo "no lines from $2 to $3" >>differences
}

: >differences
for range in "0 5000" "100000 120000" "100001 100001000" "1 1000000000"; do
	# shellcheck disable=SC2086 # two times
	times everything $range
	# shellcheck disable=SC2086
	times everything $range --insn --fields=comm,tid,time,insn,ip,sym
done
[ ! -s differences ]
ok $? "times in ticks" differences
record stamped --timestamps=100 --context-id -- ./program 20000
"$hwflow" script --no-lines stamped | awk '$3 != "-" && $1 != "#" { print $3 }' | uniq >stamps
stamp() { sed -n "$(($(wc -l <stamps) * $1 / 10 + 1))p" stamps; }
: >differences
times stamped "$(stamp 0)" "$(stamp 3)"
times stamped "$(stamp 4)" "$(stamp 6)"
times stamped "$(stamp 7)" 9999999999
[ ! -s differences ]
ok $? "times in seconds" differences
for range in 10%/1 10%/2 20%-65.5% 65.5%-100%; do
	"$hwflow" script --no-lines --time=$range stamped
done >part 2>err
"$hwflow" script --no-lines stamped >expected
cmp -s part expected
ok $? "parts in percent are the whole" err
"$hwflow" script --no-lines threads | awk '$3 != "-" { print $3 }' >stamps
: >differences
for range in "0 3" "2 8" "6 9"; do
	# shellcheck disable=SC2086 # two numbers
	set -- $range
	"$hwflow" script --no-lines --fields=tid,time,ip,addr threads |
		awk -v from="$(stamp "$1")" -v to="$(stamp "$2")" '$2 + 0 >= from && $2 + 0 <= to' >expected
	"$hwflow" script --no-lines --fields=tid,time,ip,addr --time="$(stamp "$1"),$(stamp "$2")" threads |
		awk '$2 != "-"' >part
	differ "threads $range"
done
[ ! -s differences ]
ok $? "times of several threads" differences
record untimed -- ./several
"$hwflow" script --no-lines untimed | awk '{ print $3 }' | sort -u >stamps
: >differences
times untimed "$(stamp 1)" "$(stamp 1)"
times untimed "$(stamp 2)" "$(stamp 6)"
[ ! -s differences ]
ok $? "times of AUX records" differences
sum=0
for range in ,100000 100001,250000 250001,; do
	sum=$((sum + $(instructions report --time=$range everything)))
done
[ "$sum" = "$(instructions report everything)" ]
ok $? "report: the instructions of all times are those of the whole: $sum"
"$hwflow" flow --format=ref --time=100000,120000 everything >part
ticks=$(sed -n 's/^[0-9]* TIMESTAMP ts=0x\([0-9a-f]*\).*/\1/p' part)
[ $((16#$(head -n 1 <<<"$ticks"))) -ge 100000 ] && [ $((16#$(tail -n 1 <<<"$ticks"))) -le 120000 ] &&
	[ "$(wc -l <<<"$ticks")" -gt 10 ]
ok $? "flow: only timestamps of these times" part
"$hwflow" dump --time=100000,120000 everything | sed -n 's/.* ts=0x\([0-9a-f]*\).*/\1/p' >part
diff <(echo "$ticks") part >differences
ok $? "dump: the same timestamps" differences

# ---- the first lines ----
: >differences
for file in everything plain records threads programs damaged; do
	for verb in flow "flow --format=pc" dump script "script --insn" "script --sort=thread"; do
		for limit in 1 10 3000; do
			# shellcheck disable=SC2086 # a verb and its options
			"$hwflow" $verb --quiet $file 2>/dev/null | head -n $limit >expected
			# shellcheck disable=SC2086
			"$hwflow" $verb --quiet --limit=$limit $file >part 2>err
			status=$?
			[ -s expected ] || continue
			differ "$verb --limit=$limit $file"
			[ $status = 0 ] || [ $file != everything ] || echo "$verb $file: status $status" >>differences
		done
	done
done
[ ! -s differences ]
ok $? "--limit prints the first lines" differences
"$hwflow" flow --limit=1 damaged >part 2>err
[ $? = 0 ] && [ ! -s err ]
ok $? "a gap after the first lines is not reported" err

# ---- several processes ----
export HWFLOW_SHARD_BYTES=30000
: >differences
for option in --offset=100000,150000 --time=100000,200000 --limit=2000 --offset=3:0; do
	for verb in flow dump script report; do
		[ "$verb$option" != report--limit=2000 ] || continue
		file=everything
		[ $option != --offset=3:0 ] || file=records
		"$hwflow" $verb --quiet $option $file >expected 2>&1
		"$hwflow" $verb --quiet -j 3 $option $file >part 2>&1
		differ "$verb $option"
	done
done
[ ! -s differences ]
ok $? "the same with three processes" differences

# ---- wrong values ----
# fails STATUS TEXT ARGUMENT...
fails() {
	"$san" "${@:3}" >part 2>err
	[ $? = "$1" ] && grep -q "$2" err
	ok $? "${*:3}: $2" err
}
for value in "" x 5 5,3 1.5.2,3 5%/0 20%-10% 10%,20% 101%; do
	fails 1 "no range of times" flow "--time=$value" plain
done
for value in "" x , 1f 5,5 9,3 -1 x:5 1:; do
	fails 1 "no range of offsets" flow "--offset=$value" plain
done
for value in "" 0 -3 x 5x; do
	fails 1 "not a number of lines" dump "--limit=$value" plain
done
fails 2 "no trace is there; the longest piece" flow --offset=0x10000000 plain
fails 2 "no AUX record of this number" flow --offset=77:0 records
fails 2 "no trace is of this time; the trace is of [0-9]* to" script --time=99999999999, everything
fails 1 "have no fraction" script --time=5.5, everything
"$hwflow" encode -o raw plain.truth
# shellcheck disable=SC2046 # two options
fails 1 "the trace has no timestamps.*--timestamps, or use --offset" flow --time=5,6 \
	$("$hwflow" encode --print-config) raw
fails 1 "unrecognized option" diff --offset=5 plain plain
done_testing
