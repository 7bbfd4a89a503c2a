#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# encode.sh BUILD - logs of real programs made into trace again: the log and its text give the same
# bytes, and decoding gives the addresses of the text. Speaks TAP.
set -u

build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
setup=$here/../../../setup
programs=$here/../../../plugin/tests
CC=${CROSS_CC:-aarch64-linux-gnu-gcc}
hwflow=$build/hwflow
encode=$hwflow
[ ! -x "$build/san/hwflow" ] || encode=$build/san/hwflow
work=$(mktemp -d)
. "$setup/tests/tap.bash"
. "$setup/tests/wait.bash"
. "$setup/qemu-user.bash"
. "$(dirname "$0")/encode.bash"
# shellcheck disable=SC2034 # of encode.bash
encode_with=("$encode" encode)
trap 'rm -rf "$work"' EXIT

# decode FILE OPTION...: the addresses; options of encode, then -- and images
decode() {
	local file=$1 options=() config

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	config=$("$encode" encode ${options[@]+"${options[@]}"} --print-config)
	# shellcheck disable=SC2086 # two options
	"$hwflow" flow $config "$@" --format=pc "$file" 2>"$work/flow.err"
}

# both NAME "IMAGE..." "OPTION...": the log and the text: the same bytes, the addresses of the text
both() {
	local log=$work/$1 status=0 what="$1:$3"
	local -a images options

	read -ra images <<<"$2"
	read -ra options <<<"$3"
	awk '$4 != "EXC" && $4 != "GAP" { print $6 }' "$log.txt" >"$log.pc"
	"$encode" encode --virtual-time ${options[@]+"${options[@]}"} -o "$log.bin1" \
		"$log.data.truth" 2>"$log.err" || status=1
	"$encode" encode ${options[@]+"${options[@]}"} "${images[@]}" -o "$log.bin2" "$log.txt" \
		2>>"$log.err" || status=1
	# wrong paths go on where the program goes on, not only where it was executed
	[[ $3 == *speculation* ]] || cmp "$log.bin1" "$log.bin2" >>"$log.err" 2>&1 || status=1
	# a Q element hides its path
	for bytes in "$log.bin1" "$log.bin2"; do
		[[ $3 == *q-elements* ]] && continue
		decode "$bytes" ${options[@]+"${options[@]}"} -- "${images[@]}" >"$log.got"
		cmp "$log.got" "$log.pc" >>"$log.err" 2>&1 || status=1
	done
	[ -s "$log.pc" ] || status=1
	if [ $status != 0 ]; then
		sed 's/^/# /' "$log.err" "$work/flow.err" | head -n 10
		mkdir -p "$build/tests/encode-failed"
		cp "$log".* "$build/tests/encode-failed"
		echo "# what it was about is kept in $build/tests/encode-failed"
	fi
	ok $status "$what"
}

record() { # NAME COMMAND...
	local log=$work/$1

	shift
	"$hwflow" emulate --quiet --fixed-addresses -o "$log.data" -- "$@" >"$log.out" 2>&1 </dev/null
	"$hwflow" emulate --show-log="$log.data.truth" >"$log.txt"
}

qemu_of "$hwflow" qemu-aarch64 >/dev/null || {
	echo "ok 1 - encode # SKIP there is no QEMU for arm64: make qemu-user"
	exit 0
}

# ---- real programs ----
busybox=$("$setup/fetch-arm64" busybox-static | tail -n 1)/bin/busybox
head -c 1000 "$0" >"$work/input"
record busybox "$busybox" gzip -c "$work/input"
while IFS= read -r options; do
	both busybox "--image=$busybox" "$options"
done <<'END'

--cycle-counts=4 --return-stack
--timestamps=7 --cycle-counts=1 --commit-mode=1
--cycle-counts=4 --commit-mode=1 --vary-cycles=9
--context-id --vmid --branch-broadcast
--events=13 --source-addresses=3
--q-elements=4 --cycle-counts=16 --timestamps=100
--sync-period=64 --sync=late,only-if-output,resync-after-idle
--revision=3 --timestamp-markers --timestamps=50
--speculation=3 --max-spec=40 --cycle-counts --commit-mode=0
--protocol=etmv4
--protocol=etmv4 --return-stack --cycle-counts=1 --commit-mode=1 --sync-period=64
--protocol=etmv4 --speculation=3 --max-spec=40 --context-id --timestamps=50
END
bad "what ETMv4 has not" 1 "--protocol=etmv4: --source-addresses" --protocol=etmv4 --source-addresses "$work/busybox.txt"
# every kind of exception that a program can take; the code of the kernel is a page of its own, above the program
"$CC" -O2 -static -o "$work/signals.elf" "$programs/signals.c"
record signals "$work/signals.elf"
page=$(awk '$4 != "EXC" && length($6) > 8 { print substr($6, 1, length($6) - 3); exit }' "$work/signals.txt")
trampoline="--image=$work/signals.data.code@0x${page}000"
for options in "--cycle-counts=3 --timestamps=10" "--speculation=5 --return-stack"; do
	both signals "--image=$work/signals.elf $trampoline" "$options"
done

# ---- strobing: about a fifth of the instructions, in order ----
strobe=--strobe=50,200
"$encode" encode --virtual-time $strobe -o "$work/strobed1" "$work/busybox.data.truth" &&
	"$encode" encode $strobe --image="$busybox" -o "$work/strobed2" "$work/busybox.txt" &&
	cmp "$work/strobed1" "$work/strobed2"
ok $? "the log and the text, strobed"
decode "$work/strobed1" -- --image="$busybox" >"$work/strobed.pc"
share=$((100 * $(wc -l <"$work/strobed.pc") / $(wc -l <"$work/busybox.pc")))
[ $share -ge 18 ] && [ $share -le 26 ] &&
	awk 'NR == FNR { want[++count] = $0; next }
		$0 == want[found + 1] { found++ }
		END { exit found != count }' "$work/strobed.pc" "$work/busybox.pc"
ok $? "$share % are traced, in order"
bad "strobing without a second number" 1 "use ON,OFF" --strobe=50 "$work/busybox.data.truth"
bad "strobing that is never off" 1 "neither number may be 0" --strobe=50,0 "$work/busybox.data.truth"

# ---- standard input and output ----
for log in data.truth txt; do
	"$encode" encode --image="$busybox" -o "$work/file" "$work/busybox.$log"
	"$encode" encode --image="$busybox" -o - <"$work/busybox.$log" | cmp "$work/file" -
	ok $? "from $log as standard input to standard output"
	# shellcheck disable=SC2002 # not a file
	cat "$work/busybox.$log" | "$encode" encode --image="$busybox" -o - - | cmp "$work/file" -
	ok $? "from $log through a pipe"
done

# ---- one of several threads ----
sed 's/^\([0-9]* [-0-9]*\) [0-9]*/\1 99/' "$work/busybox.txt" | head -n 1000 >"$work/99"
paste -d '\n' <(head -n 1000 "$work/busybox.txt") "$work/99" >"$work/two"
"$encode" encode --image="$busybox" -o "$work/one" "$work/99"
"$encode" encode --image="$busybox" --tid=99 -o "$work/file" "$work/two"
cmp "$work/one" "$work/file"
ok $? "one thread of two, line by line in turn"
bad "two threads and none chosen" 1 "line 2: the text has several threads" \
	--image="$busybox" "$work/two"
bad "a thread that is not there: text" 2 "no such thread" --tid=98 --image="$busybox" "$work/two"
bad "a thread that is not there: log" 2 "no thread 98" --tid=98 "$work/busybox.data.truth"

# ---- A32 and T32 ----
# 8000 mov r4, #3; 8004 nop; 8008 blx 801c; 800c subs r4, #1; 8010 bne 8004; 8014 svc; 8018 ldr pc
# 801c cmp; 801e ite eq; 8020 moveq; 8022 bxne lr; 8024 push; 8026 nop.w; 802a cbz 802e; 802c nop;
# 802e pop {r4, pc}; 8030 movs; 8032 bl 801c; 8036 svc; 8038 b 8030
printf '%b' '\x03\x40\xa0\xe3\x00\xf0\x20\xe3\x03\x00\x00\xfa\x01\x40\x54\xe2\xfb\xff\xff\x1a' \
	'\x00\x00\x00\xef\x00\xf0\x91\xe5\x02\x2c\x0c\xbf\x08\x46\x70\x47\x10\xb5\xaf\xf3\x00\x80' \
	'\x04\xb1\x00\xbf\x10\xbd\x01\x20\xff\xf7\xf3\xff\x00\xdf\xfa\xe7' >"$work/arm"
short="801c T 801e T 8020 T 8022 T"
long="801c T 801e T 8020 T 8022 T 8024 T 8026 T 802a T 802c T 802e T"
# EXC in place of a set: the exception's return address comes first
path="8000 A 8004 A 8008 A $short 800c A 8010 A 8004 A 8008 A $long 800c A 8010 A 8004 A 8008 A
	$short 800c A 8010 A 8014 A 8018 call 8018 A 8030 T 8032 T $short 8036 T 8038 call 8038 T
	8030 T 8032 IRQ 8032 T 801c T 801e T 8020 data-fault 8020 T 8022 T 8024 T 8026 T 802a T
	802e T 8036 T 8038 call 8038 T 8030 T 8032 T $short 8036 FIQ 8018 A 8030 IRQ 8030 T 8032 T
	$short 8036 T 8038 call"
# shellcheck disable=SC2086 # words
printf '%s %s\n' $path | awk '
	$2 == "A" || $2 == "T" { print NR - 1, -1, 7, 0, $2 "32", $1; next }
	{ print NR - 1, -1, 7, "EXC", $2, $1 }' >"$work/arm.txt"
awk '$4 != "EXC" { print $6 }' "$work/arm.txt" >"$work/arm.pc"
for options in "" "--return-stack --cycle-counts=1" "--context-id --branch-broadcast" \
	"--speculation=1" "--speculation=2 --return-stack" "--source-addresses=2"; do
	read -ra words <<<"$options"
	"$encode" encode ${words[@]+"${words[@]}"} --image="$work/arm@0x8000" -o "$work/arm.ete" \
		"$work/arm.txt" &&
		decode "$work/arm.ete" ${words[@]+"${words[@]}"} -- --image="$work/arm@0x8000" |
		cmp - "$work/arm.pc"
	status=$?
	[ $status = 0 ] || sed 's/^/# /' "$work/flow.err" | head -n 5
	ok $status "A32 and T32: $options"
done

# a filter that begins between two T32 instructions of different sizes
awk '$1 >= "8026"' "$work/arm.pc" >"$work/filtered.pc"
"$encode" encode --filter=0x8026-0x803f --image="$work/arm@0x8000" -o "$work/arm.ete" \
	"$work/arm.txt" &&
	decode "$work/arm.ete" --filter=0x8026-0x803f -- --image="$work/arm@0x8000" |
	cmp - "$work/filtered.pc"
ok $? "A32 and T32: filtered inside straight code"

# what the addresses alone would not show: the branch to T32 ends in an exception there, and BXNE
# is passed over
cat >"$work/passed.txt" <<'END'
0 -1 7 0 A32 8018
1 -1 7 EXC IRQ 8030
2 -1 7 0 T32 8030
3 -1 7 0 T32 8032
4 -1 7 0 T32 801c
5 -1 7 0 T32 801e
6 -1 7 0 T32 8020
7 -1 7 0 T32 8022
8 -1 7 0 T32 8024
9 -1 7 EXC IRQ 8026
END
"$encode" encode --image="$work/arm@0x8000" -o "$work/arm.ete" "$work/passed.txt"
# shellcheck disable=SC2046 # two options
"$hwflow" dump $("$encode" encode --print-config) --format=ref "$work/arm.ete" >"$work/dump"
grep -A1 EXCEPTION "$work/dump" | grep -q 'ADDRESS_SHORT_IS1 addr=0x8030'
ok $? "an exception at the target of a branch to T32"
grep -q 'ATOM_F2 atoms=EN' "$work/dump"
ok $? "a conditional return that is passed over"

# ---- what is wrong ----
text() { # NAME: standard input
	cat >"$work/bad.$1"
	echo "$work/bad.$1"
}
image=--image=$busybox
bad "no image" 2 "line 1: no program code at" "$work/busybox.txt"
bad "another image" 2 "give the --image that was executed" "--image=$work/signals.elf" \
	"$work/busybox.txt"
bad "a line is missing" 2 "line 100: SEQ is 100, not 99" "$image" \
	"$(sed 100d "$work/busybox.txt" | text missing)"
bad "an instruction is missing" 2 "line 2: 0x" "$image" \
	"$(awk 'NR != 2 { $1 = i++; print }' "$work/busybox.txt" | text skip)"
bad "the text was cut" 2 "was cut" "$image" "$(head -c 5000 "$work/busybox.txt" | text cut)"
bad "the log was cut" 2 "offset" "$(head -c 5000 "$work/busybox.data.truth" | text short)"
: >"$work/empty"
bad "an empty log" 2 "empty" "$work/empty"
bad "no log" 2 "neither" "$busybox"
bad "a directory" 2 "$work" "$work"
bad "a log that is not there" 2 "No such file" "$work/nothing"
bad "an image that is not there" 2 "No such file" --image="$work/nothing" "$work/busybox.txt"
for line in "0 -1 7 0 A64 4005801" "0 -1 7 0 A65 400580" "0 -1 7 4 A64 400580" \
	"0 -1 7 0 A64 10000000000000000" "0 -1 7 0 A64 0x400580" "99999999999999999999 -1 7 0 A64 0" \
	"0 x 7 0 A64 400580" "0 -1 99999999999 0 A64 400580" "0 -1 7 EXC reserved 400580" \
	"0 -1 7 EXC transaction-failure 400580" "0 -1 7 GAP nowhere -" "0 -1 7 0 A64" \
	"0 -1 7 0 A64 400580 0" "0 -1 7 0 A32 100000000" "0 -1 7 0 T32 8001" "0 -1 7 EXC IRQ 3" \
	"0$(printf '%0300d' 0)"; do
	bad "line: ${line:0:40}" 2 "line 1: " "$image" "$(echo "$line" | text line)"
done
printf '0 -1 7 0 A64 400580\n\0\n' >"$work/zero"
bad "a zero byte" 2 "line 2: " "$image" "$work/zero"
bad "an option that is wrong" 1 "--cycle-counts=x" --cycle-counts=x "$work/busybox.txt"
bad "a protocol that is not there" 1 "--protocol" --protocol=x "$work/busybox.txt"
cp "$work/busybox.txt" "$work/self"
"$encode" encode "$image" -o "$work/self" "$work/self" 2>"$work/bad.err"
[ $? = 1 ] && cmp "$work/self" "$work/busybox.txt"
ok $? "the log is not written over"
mkdir "$work/out"
echo precious >"$work/out/kept"
"$encode" encode "$image" -o "$work/out/kept" "$work/bad.cut" 2>"$work/bad.err"
[ $? = 2 ] && [ "$(cat "$work/out/kept")" = precious ] && [ "$(ls "$work/out")" = kept ]
ok $? "a file that is there stays as it was when the log is bad"
chmod 640 "$work/out/kept"
ln -s kept "$work/out/link"
"$encode" encode "$image" -o "$work/out/link" "$work/busybox.txt"
"$encode" encode "$image" -o "$work/out/new" "$work/busybox.txt"
cmp "$work/out/kept" "$work/out/new" && [ "$(stat -c %a "$work/out/kept")" = 640 ] &&
	[ -L "$work/out/link" ] && [ "$(stat -c %a "$work/out/new")" = "$(printf %o $((0666 & ~$(umask))))" ] &&
	[ "$(ls "$work/out" | wc -l)" = 3 ]
ok $? "and is replaced when it is good, with its permissions, through a link"
"$encode" encode "$image" -o "$work/out/none/new" "$work/busybox.txt" 2>"$work/bad.err"
[ $? = 2 ] && grep -q "No such file" "$work/bad.err"
ok $? "a directory that is not there"
"$encode" encode "$image" -o /dev/full "$work/busybox.txt" 2>"$work/bad.err"
[ $? = 2 ] && grep -q "No space" "$work/bad.err"
ok $? "no space"

# ---- any bytes ----
status=0
for seed in $(seq 1 60); do
	cp "$work/signals.data.truth" "$work/damaged"
	for at in 1 2 3 4; do
		at=$(((seed * 7919 + at * 104729) % $(stat -c %s "$work/damaged")))
		[ $((seed % 2)) = 0 ] || at=$((at % 600))
		printf '%b' "\\x$(printf '%02x' $((seed * 37 % 256)))" |
			dd of="$work/damaged" bs=1 seek=$at conv=notrunc status=none
	done
	guarded 60 "$encode" encode --cycle-counts -o /dev/null "$work/damaged" 2>"$work/bad.err"
	got=$?
	if [ $got != 0 ] && { [ $got != 2 ] || [ ! -s "$work/bad.err" ]; }; then
		echo "# seed $seed: status $got"
		head -n 8 "$work/bad.err" | sed 's/^/# /'
		status=1
	fi
done
ok $status "a log with four bytes changed, sixty times"
done_testing
