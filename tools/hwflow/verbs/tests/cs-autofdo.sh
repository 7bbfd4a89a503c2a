#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# cs-autofdo.sh BUILD - profiles by calling contexts have the counts of the ground-truth log, and add up to the profile
# without contexts; clang inlines a function for one of its callers, and not for another. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
unset DEBUGINFOD_URLS
export CROSS_CC=$CC
compile="--target=aarch64-linux-gnu -O2 -g -fdebug-info-for-profiling"
clang="clang-22 $compile -fuse-ld=lld -static -pthread"

# profile NAME: NAME.cs and NAME.plain, the profiles of NAME.hwprof by calling contexts, and without
profile() {
	"$san" profile --for=cs-autofdo --dso=contexts -o "$1.cs" "$1.hwprof" 2>err &&
		"$san" profile --for=autofdo --dso=contexts -o "$1.plain" "$1.hwprof" 2>>err
}

$clang '-DSEPARATE=__attribute__((noinline))' -o contexts "$here/contexts.c" 2>err &&
	"$hwflow" emulate --quiet -o contexts.data -- ./contexts 2>>err && "$hwflow" emulate --show-log=contexts.data.truth >log
ok $? "a program with threads, a signal, jumps and recursion is recorded" err
"$san" profile --call-graph=blocks -o whole.hwprof contexts.data 2>err && profile whole
ok $? "its profile by calling contexts is written" err
[ ! -s err ]
ok $? "the callers of all functions are known" err
python3 "$here/profile_cs_truth.py" whole.cs whole.plain contexts log >out 2>&1
ok $? "$(head -c 60 out | head -1): lines, targets, totals and entries are those of the log" out
[ "$(grep -c '@ work\]' whole.cs)" -ge 5 ] && grep -q '^\[main:6 @ hot:5 @ work\]:[0-9]*:2000$' whole.cs &&
	grep -q '^\[main:7 @ cold:2 @ work\]:[0-9]*:1$' whole.cs && grep -q '^\[main:6 @ hot:5 @ work:3 @ sum_up\]:' whole.cs
ok $? "contexts have calls, and calls that are inlined" whole.cs
grep -q '^\[main:11 @ even:2.1 @ odd:2.1 @ even\]' whole.cs && ! grep -q 'even:.*even:.*even' whole.cs
ok $? "recursion is one round of calls" whole.cs
grep -q '^\[work\]:[0-9]*:36$' whole.cs && ! grep -Eq '(jump:2|main:9[.1]*) @ work' whole.cs
ok $? "a function that a jump enters has no caller" whole.cs
grep -q '^\[handler:2 @ work\]' whole.cs && grep -q '^\[compare:2 @ work\]' whole.cs && grep -q '^\[worker:2 @ hot\]' whole.cs
ok $? "callers are those of the same program, up to signals and code without DWARF" whole.cs

"$san" profile --for=json whole.hwprof 2>err | python3 "$here/profile_context_sums.py" 500 >out 2>&1
ok $? "blocks and branches of all contexts add up to those of the profile" out

# two recordings are summed up, and a part of one has callers that are not known
"$hwflow" emulate --quiet -o other.data -- ./contexts 2>err && "$san" profile --call-graph=blocks -o other.hwprof other.data 2>>err &&
	"$san" profile -o sum.hwprof whole.hwprof other.hwprof 2>>err && profile sum
ok $? "profiles are summed up" err
PYTHONPATH=$here python3 -B - whole.cs sum.cs <<'END' >out 2>&1
import sys
from profile_cs_truth import read_profile
whole, total = (read_profile(path) for path in sys.argv[1:])
for name, (size, head, lines) in whole.items():
    twice = {place: (2 * count, {target: 2 * n for target, n in targets.items()}) for place, (count, targets) in lines.items()}
    whole[name] = 2 * size, 2 * head, twice
sys.exit(whole != total)
END
ok $? "and have all counts twice" sum.cs
"$san" profile --call-graph=blocks --offset=4000,6000 -o part.hwprof contexts.data 2>err; profile part
ok $? "a part of the trace has a profile" err
cp err message
"$san" profile --for=json part.hwprof 2>err | python3 -c '
import json, sys
file, opens, count = None, [], [0, 0]
for row in map(json.loads, sys.stdin):
    if row["type"] == "file" and row["name"].endswith("/contexts"):
        file = 0 if file is None else file
    if row["type"] == "context":
        opens.append(row["entered"])
    if row["type"] == "context_block" and row["file"] == file:
        unknown = "context" not in row or opens[row["context"]] == "unknown"
        count[unknown] += row["executed"] * row["instructions"]
print(f"/contexts: {count[1]} of {sum(count)} instructions are of functions whose callers are not known")' >out
[ -s out ] && grep -q "^hwflow: .*$(cat out), " message && ! grep -q ': 0 of' out
ok $? "a message has the number of instructions without callers" message
grep -q '^\[hot:5 @ work:3 @ sum_up\]' part.cs && ! grep -q '^\[main:6' part.cs && python3 "$here/profile_cs_truth.py" part.cs part.plain >out 2>&1
ok $? "they are in contexts without callers, and add up" out
"$san" profile --call-graph=blocks --max=contexts=10 -o few.hwprof contexts.data 2>err && profile few &&
	python3 "$here/profile_cs_truth.py" few.cs few.plain >out 2>&1
ok $? "contexts beyond the limit are counted without callers" out

# a function without a symbol, whose code is in the function that jumps to it, by its symbol
cat >wide.c <<'END'
static volatile int sink;
__attribute__((noinline)) static int after(int n);
__attribute__((noinline)) int before(int n) { return after(n + sink); }
__attribute__((noinline)) static int after(int n) { sink = n; return n ^ 5; }
int main(void) { return before(3) + before(4) == 1; }
END
$clang -fno-asynchronous-unwind-tables -o wide wide.c 2>err && "${CC%gcc}objcopy" --strip-symbol=after wide &&
	python3 - wide "$("${CC%gcc}nm" wide | awk '$3 == "main" { print $1 }')" <<'END'
import struct
import sys
data, end = bytearray(open(sys.argv[1], "rb").read()), int(sys.argv[2], 16)
offset, = struct.unpack_from("<Q", data, 0x28)
size, count = struct.unpack_from("<HH", data, 0x3a)
sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
table = next(section for section in sections if section[1] == 2)
strings = sections[table[6]][4]
for at in range(table[4], table[4] + table[5], 24):
    name, = struct.unpack_from("<I", data, at)
    start, = struct.unpack_from("<Q", data, at + 8)
    if data[strings + name:strings + name + 7] == b"before\0":
        struct.pack_into("<Q", data, at + 16, end - start)
open(sys.argv[1], "wb").write(data)
END
"$hwflow" emulate --quiet -o wide.data -- ./wide 2>>err; "$san" profile --call-graph=blocks --for=cs-autofdo --dso=wide -o wide.cs wide.data 2>>err
[ $? = 0 ] && grep -q '^\[main:0 @ before\]:16:1$' wide.cs && grep -q '^\[after\]:48:2$' wide.cs && ! grep -q '@ after' wide.cs
ok $? "code of another function than that of the context has no caller" wide.cs

# more calls than a context may have
{
	echo 'volatile int sink; int f0(int n) { return n + sink; }'
	for i in {1..520}; do
		echo "__attribute__((noinline)) int f$i(int n) { return f$((i - 1))(n) + sink; }"
	done
	echo 'int main(void) { return f520(3) == 1; }'
} >deep.c
$clang -fno-inline -o deep deep.c 2>err && "$hwflow" emulate --quiet -o deep.data -- ./deep 2>>err &&
	"$san" profile --call-graph=blocks -o deep.hwprof deep.data 2>>err && "$san" profile --for=cs-autofdo --dso=deep -o deep.cs deep.hwprof 2>>err &&
	"$san" profile --for=autofdo --dso=deep -o deep.plain deep.hwprof 2>>err && python3 "$here/profile_cs_truth.py" deep.cs deep.plain >out 2>&1
[ $? = 0 ] && [ "$(awk '{ print gsub(/ @ /, "") }' deep.cs | sort -n | tail -1)" = 512 ] && grep -q '^\[f8\]:' deep.cs && grep -q '^\[f8:0 @ f7\]:' deep.cs
ok $? "below 512 calls a function has no caller" out

# what reads it
llvm-profdata-22 merge --sample --extbinary -o whole.ext whole.cs 2>err && llvm-profdata-22 merge --sample --text -o again.cs whole.ext 2>>err &&
	diff <(sort whole.cs) <(sort again.cs) >out
ok $? "llvm-profdata reads it, and writes it as extbinary" out
llvm-profdata-22 show --sample whole.cs 2>err | grep -q '^Function: main:6 @ hot:5 @ work: '
ok $? "llvm-profdata shows its contexts" err
# counts of a long run of hot()
awk 'function more(text) { return often ? text "000000" : text }
	/^\[/ { often = /@ hot/; n = split($0, part, "]:"); split(part[2], count, ":"); print part[1] "]:" more(count[1]) ":" more(count[2]); next }
	{ for (i = 2; i <= NF; i++) $i = more($i); print " " $0 }' whole.cs >long.cs
llvm-profdata-22 merge --sample --text --sample-merge-cold-context -o trimmed.cs long.cs 2>err
[ $? = 0 ] && grep -q '^\[main:6 @ hot:5 @ work\]' trimmed.cs && ! grep -q '@ cold' trimmed.cs && grep -q '^\[cold\]' trimmed.cs
ok $? "and merges those that are executed seldom: $(grep -c '^\[' trimmed.cs) of $(grep -c '^\[' long.cs) are left" err
for version in 19 22; do
	for format in cs ext; do
		"clang-$version" $compile -Werror -Rpass=sample-profile-inline -fprofile-sample-use=whole.$format -c -o $format.o \
			"$here/contexts.c" 2>err
		[ $? = 0 ] && grep -q "'work' inlined into 'hot' to match profiling context" err &&
			grep -q "'sum_up' inlined into 'hot' to match profiling context.* @ hot:5" err && ! grep -q "inlined into 'cold'" err
		ok $? "clang $version inlines a function in one context, and not in another ($format)" err
	done
	cmp cs.o ext.o
	ok $? "clang $version makes the same code of both formats"
	"${CC%gcc}objdump" -d cs.o | awk '/>:$/ { name = $2 } /\t(bl|b)\t.*<work>/ { print name }' >calls
	"clang-$version" $compile -Werror -Rpass=sample-profile-inline -fprofile-sample-use=whole.plain -c -o plain.o "$here/contexts.c" 2>err
	[ $? = 0 ] && ! grep -q "'work' inlined" err
	ok $? "clang $version does not so without contexts" err
done
$clang -fprofile-sample-use=whole.cs -Werror -o faster "$here/contexts.c" 2>err && "$hwflow" emulate --quiet -o faster.data -- ./faster 2>>err
ok $? "the program is built with it" err
instructions() { "$hwflow" report --by=dso "$1.data" 2>/dev/null | awk -v file="$2" '$NF ~ "/" file "$" { print $2 }'; }
[ "$(instructions faster faster)" -lt "$(instructions contexts contexts)" ]
ok $? "instructions: $(instructions contexts contexts) before, $(instructions faster faster) after" err

# what is refused
"$san" profile --call-graph -o calls.hwprof contexts.data 2>err && "$san" profile --for=cs-autofdo --dso=contexts calls.hwprof >out 2>err
[ $? = 2 ] && [ ! -s out ] && grep -q 'no blocks of calling contexts; make it with --call-graph=blocks from its recordings' err
ok $? "a profile without the blocks of contexts is refused" err
"$san" profile -o bad.hwprof whole.hwprof calls.hwprof 2>err
[ $? = 2 ] && [ ! -e bad.hwprof ] && grep -q '^hwflow: calls.hwprof: .*--call-graph=blocks' err
ok $? "and is not summed up with one that has them" err
"$san" profile --call-graph=blocks -o bad.hwprof calls.hwprof 2>err
[ $? = 2 ] && grep -q 'no blocks of calling contexts; make it again with --call-graph=blocks' err
ok $? "nor taken for one" err
"$san" profile --call-graph=lines contexts.data >out 2>err
[ $? = 1 ] && grep -q -- '--call-graph=lines: unknown' err
ok $? "--call-graph=lines is refused" err
cp contexts kept && "${CC%gcc}objcopy" --strip-all contexts && "$san" profile --for=cs-autofdo --dso=contexts whole.hwprof >out 2>err
[ $? = 2 ] && [ ! -s out ] && grep -q "/contexts: it has no DWARF.*--debug-dir=DIR" err
ok $? "a program without DWARF is refused" err
done_testing
