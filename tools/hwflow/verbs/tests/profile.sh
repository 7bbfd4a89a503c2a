#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# profile.sh BUILD - profiles have the counts of the ground-truth log, by file and offset; their sums do not depend on
# order or grouping; damaged ones are refused; what is written for other tools has the same counts. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1

# as_log NAME: the profile of NAME.data has what its log has
as_log() {
	"$hwflow" emulate --show-log="$1.data.truth" >"$1.txt" && "$hwflow" script --mappings "$1.data" >"$1.maps" &&
		"$san" profile -o "$1.hwprof" "$1.data" 2>err
	ok $? "$1: profile" err
	"$san" profile --for=json "$1.hwprof" >"$1.json" 2>err
	ok $? "$1: as JSON" err
	python3 "$here/profile_truth.py" "$1.txt" "$1.maps" "$1.json" >out 2>&1
	ok $? "$1: $(tail -n 1 out), as in the log" out
}

# refused STATUS PATTERN NAME ARGUMENT...: exit status and message of a command line, which changes no file
refused() {
	local status=$1 pattern=$2 name=$3

	shift 3
	echo old >kept
	"$san" profile -o kept "$@" 2>err
	[ $? = "$status" ] && grep -qE -- "$pattern" err && [ "$(cat kept)" = old ]
	ok $? "$name" err
}

for program in arm64:"$CC" riscv64:riscv64-linux-gnu-gcc; do
	name=${program%%:*}
	"${program#*:}" -O1 -g -static -o "$name" "$here/annotate.c" &&
		"$hwflow" emulate --quiet -o "$name.data" -- "./$name" 2>err
	ok $? "$name: the program is recorded" err
	as_log "$name"
done
"$CC" -O2 -g -o dynamic "$here/annotate.c" &&
	"$hwflow" emulate --quiet --sysroot=/usr/aarch64-linux-gnu -o dynamic.data -- ./dynamic 2>err
ok $? "dynamic: a program with shared libraries is recorded" err
as_log dynamic
[ "$(grep -c '"type":"file"' dynamic.json)" -ge 3 ]
ok $? "dynamic: program, linker and library are files of their own" dynamic.json
"$CC" -O1 -static -o jit "$top/tools/hwflow/tests/jit.c" && "$hwflow" emulate --quiet -o jit.data -- ./jit dump 2>err
ok $? "jit: code made at run time is recorded" err
as_log jit
grep -q '"type":"left_out","text":"jit.data.code","count":9003' jit.json
ok $? "jit: such code is left out, counted and named" jit.json

# order
"$CC" -O1 -static -o starts "$here/starts.c" && "$hwflow" emulate --quiet --timestamps=20 -o starts.data -- ./starts 2>err
ok $? "starts: a program with threads is recorded" err
echo _start main a_first b_second c_third d_fourth e_fifth f_sixth exit >want
for jobs in 1 2; do
	"$san" profile "-j$jobs" --for=order -o order starts.data 2>err
	grep -xE '_start|main|[a-f]_[a-z]*|never|exit' order | tr '\n' ' ' | sed 's/ $/\n/' | diff want - >out
	ok $? "order -j$jobs: functions are in the order in which they began to run" out
done
"$san" profile --for=temporal -o temporal starts.data 2>err && llvm-profdata-22 merge -o temporal.prof temporal 2>err &&
	llvm-profdata-22 show --temporal-profile-traces temporal.prof | sed -n '/weight=1/,$p' | sed '1d; s/^ *//; /^$/d' |
	diff order - >out
ok $? "temporal: llvm-profdata reads the same order" out

# sums
"$san" profile -o all arm64.data dynamic.data riscv64.data jit.data &&
	"$san" profile -o two jit.hwprof arm64.data &&
	"$san" profile -o sum riscv64.data two dynamic.hwprof && cmp all sum
ok $? "a sum of recordings and of sums is the same file"
"$san" profile -j2 -o again arm64.data && cmp again arm64.hwprof
ok $? "-j2: the same file"
"$hwflow" archive --quiet -o arm64.archive arm64.data && "$san" profile -o again arm64.archive && cmp again arm64.hwprof
ok $? "an archive of a recording is the same recording"
refused 2 "arm64.data: a recording in it was counted already" "a recording is counted once" all arm64.data
refused 2 "none.data: No such file" "a SRC that is missing" arm64.data none.data
refused 1 "--for=gprof: unknown format; the formats are in" "an unknown format" --for=gprof arm64.data
refused 1 "the profile has several files; choose one with --dso=NAME" "a format of one binary" --for=bolt dynamic.data
refused 1 "--dso=none: the profile has no such file" "a binary that is not there" --for=bolt --dso=none dynamic.data
head -c 100 arm64.hwprof >short.hwprof
refused 2 "short.hwprof: the profile is damaged" "a profile that is cut off" short.hwprof
printf 'hwprof\0\2' >new.hwprof
refused 2 "new.hwprof: a later version of hwflow wrote this profile" "a profile of a later version" new.hwprof
cp arm64.hwprof own.hwprof
"$san" profile -o own.hwprof own.hwprof 2>err
[ $? = 2 ] && grep -q "would replace a SRC" err && cmp own.hwprof arm64.hwprof
ok $? "a SRC is not replaced" err
"$san" profile --offset=0,2000 -o part arm64.data && ! cmp -s part arm64.hwprof &&
	"$san" profile -o parts part arm64.data 2>err
ok $? "a part of a recording is another recording" err
cp arm64.data lossy.data && mv arm64 moved
"$san" profile -o gaps arm64.data 2>err
[ $? = 3 ] && "$san" profile --for=json gaps 2>/dev/null | grep -q '"type":"gap","text":"no program code'
ok $? "gaps: exit status 3, and they are in the profile" err
"$san" profile -o more gaps jit.data 2>err
[ $? = 3 ]
ok $? "gaps of a profile: exit status 3" err
refused 1 "arm64.hwprof: a profile has no times, offsets, CPUs or threads" "--time of a profile" --time=1,2 arm64.hwprof
mv moved arm64

for options in "" --for=pprof --for=drcov; do
	script -qec "$san profile $options arm64.data" /dev/null </dev/null >tty 2>&1
	[ $? = 1 ] && grep -q "is not for a terminal; use -o FILE, or --for=json" tty
	ok $? "profile $options: bytes are not printed to a terminal" tty
done
script -qec "$san profile --for=json arm64.data" /dev/null </dev/null >tty 2>&1 && grep -q '"type":"profile"' tty
ok $? "text is printed to a terminal" tty

# a profile in place of a recording
for name in arm64 riscv64 dynamic jit; do
	for verb in "report --limit=0 --width=0" "annotate --limit=0"; do
		# shellcheck disable=SC2086 # words
		"$san" $verb "$name.data" 2>err | grep -v '^jit' | tail -n +2 >want
		# shellcheck disable=SC2086 # words
		"$san" $verb "$name.hwprof" 2>err | grep -v '^jit' | tail -n +2 >got
		[ -s want ] && [ "$name" = jit ] || diff want got >out
		ok $? "$name: $verb of the profile is that of the recording" out
	done
done
"$san" report --by=dso jit.data 2>err | awk '/%/ { print $2, $NF }' | sed 's/jit-[0-9]*\.dump$/code/' >want
"$san" report --by=dso jit.hwprof 2>err | awk '/%/ { print $2, $NF }' | sed 's/jit\.data\.code$/code/' >got
sed -i "s|$work/||" want got
diff want got >out
ok $? "jit: code that is left out is a file of its own" out
"$san" diff arm64.data arm64.hwprof >out 2>err && grep -q '^[0-9]* functions have the same counts$' out &&
	! grep -q '(arm64)$' out
ok $? "diff of a recording and its profile" out
"$san" report sum 2>err | head -n 1 | grep -q '^sum: [0-9]* instructions, in 4 recordings$'
ok $? "report says how many recordings there are" err
"$san" report gaps >out 2>err
[ $? = 3 ] && grep -q "^ *[0-9]* x no program code" out && grep -q "^hwflow: gaps: no program code.*times, [0-9]* bytes of trace$" err
ok $? "gaps of a profile are reported" err
for verb in flow dump script; do
	"$san" $verb arm64.hwprof >out 2>err
	[ $? = 2 ] && grep -q "this is a profile: it has counts, and no trace" err
	ok $? "$verb: a profile is refused" err
done
"$san" report --by=thread arm64.hwprof >out 2>err
[ $? = 1 ] && grep -q "a profile has no threads" err
ok $? "--by=thread of a profile is refused" err

# other tools
"$san" profile --for=bolt --dso=dynamic dynamic.data >pa 2>err
grep -q "^B" pa && [ "$(awk '$1 == "B" && $2 != 0 && $3 != 0 { n += $4 } END { print n }' pa)" = \
	"$(python3 -c '
import json
rows = [json.loads(line) for line in open("dynamic.json")]
own = [row["name"].endswith("/dynamic") for row in rows if row["type"] == "file"].index(True)
print(sum(r["count"] for r in rows if r.get("from_file") == own and r.get("to_file") == own))')" ]
ok $? "bolt: all branches within the program" err
cp dynamic changed && printf x | dd of=changed bs=1 seek=$((0x$(aarch64-linux-gnu-readelf -SW changed |
	awk '$2 == ".note.gnu.build-id" || $3 == ".note.gnu.build-id" { sub(/^.*PROGBITS|^.*NOTE/, ""); print $2 }') + 16)) \
	conv=notrunc 2>/dev/null
mv dynamic moved && mv changed dynamic
refused 2 "dynamic.*build id" "another build of the binary is refused" --for=bolt --dso=dynamic dynamic.hwprof
mv moved dynamic
"$san" profile --for=profgen --dso=dynamic -o unsymbolized dynamic.data 2>err &&
	llvm-profgen-22 --unsymbolized-profile=unsymbolized --binary=dynamic --output=have.prof >err 2>&1
ok $? "profgen: llvm-profgen takes it" err
python3 "$here/profile_profgen.py" dynamic.txt dynamic.maps dynamic >truth 2>err &&
	llvm-profgen-22 --unsymbolized-profile=truth --binary=dynamic --output=want.prof >err 2>&1
ok $? "profgen: and what the log has" err
llvm-profdata-22 overlap --sample have.prof want.prof >out 2>&1
grep -q 'Whole program profile similarity: *100.000%' out
ok $? "profgen: both profiles are the same" out
clang-22 --target=aarch64-linux-gnu -fuse-ld=lld -static -O2 -fbasic-block-address-map -o blocks "$here/annotate.c" &&
	"$hwflow" emulate --quiet -o blocks.data -- ./blocks 2>err
ok $? "blocks: a program with a map of its basic blocks is recorded" err
as_log blocks
"$san" profile --for=propeller --dso=blocks -o layout blocks.data 2>err &&
	llvm-readobj-22 --bb-addr-map blocks >map && head -n 1 layout | grep -qx v1
ok $? "propeller: a layout is written" err
python3 "$here/profile_propeller.py" blocks.txt blocks.maps blocks map layout >out 2>&1
ok $? "propeller: $(tail -n 1 out), as in the log" out
"$san" profile --for=propeller-order --dso=blocks -o order blocks.data 2>err && sed -n 's/^f //p' layout | sort >want &&
	sort order | diff want - >out
ok $? "propeller-order: it has the functions of the layout" out
refused 2 "arm64: it has no map of its basic blocks; build it with clang -fbasic-block-address-map" \
	"propeller: a program without a map" --for=propeller --dso=arm64 arm64.data
done_testing
