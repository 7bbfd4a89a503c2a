#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# profile-kernel.sh BUILD - code of the kernel and of modules has the same offsets in a profile wherever it was in memory;
# what cannot be placed for certain is left out, with a reason. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/budget.bash"
CC=${CROSS_CC:-aarch64-linux-gnu-gcc}

# steps GAP: what each kernel executes; the section without symbols is so many bytes behind the first one
steps() {
	echo "work:EENE run:EE run+8:NEE run+8:EE help:E help+4:E other:E counted:E twice:E counted+$((8 + $1)):E bpf:E"
}

# boot NUMBER GAP [KERNEL [MODULE]]: the recording bootNUMBER
boot() {
	rm -rf "boot$1"
	# shellcheck disable=SC2046 # words
	"$made/make_boot" "$1" "${3-sym/vmlinux}" "${4-sym/module.ko}" "boot$1" $(steps "$2")
}

# json NAME FILE...: the profile NAME of recordings or profiles, with the files in sym
json() {
	local name=$1

	shift
	"$san" profile --quiet --symfs=sym -o "$name.hwprof" "$@" 2>err &&
		"$san" profile --for=json -o "$name.json" "$name.hwprof" 2>err2
}

# of TYPE FILE: lines of a type
of() {
	grep "\"type\":\"$1\"" "$2"
}

# left_out WHAT REASON TEXT COUNT [OPTION...]: of boot1 as it is now
left_out() {
	local what=$1 reason=$2 text=$3 count=$4

	shift 4
	"$san" profile --quiet --for=json "$@" -o left.json boot1 2>err
	[ $? = 0 ] && grep -qF -- "$reason" err && of left_out left.json | grep -qF "\"text\":\"$text\",\"count\":$count,"
	ok $? "$what: left out, with the reason" err
}

mkdir sym other
# the name twice is in two sections
printf 'static __attribute__((used)) void twice(void)\n{\n}\n' >counted.c
printf 'int counted(int x)\n{\n\treturn x + 1;\n}\n' >>counted.c
"$CC" -nostdlib -static -Wl,--build-id,-e,_stext,-Ttext=0xffff800008010000,--section-start=.head.text=0xffff80000800f000,--section-start=.note.gnu.build-id=0xffff800008011000,-n \
	-o sym/vmlinux "$here/kernel.S" && "$CC" -c -o module.o "$here/module.S" &&
	"$CC" -O1 -g -fno-asynchronous-unwind-tables -fno-toplevel-reorder -c -o counted.o counted.c &&
	"${CC%gcc}ld" -r --build-id -o sym/module.ko module.o counted.o
ok $? "a kernel and a module are compiled"
# as linkers leave it in modules
"${CC%gcc}objcopy" --change-section-address .text.nameless=0x10 sym/module.ko 2>err &&
	"${CC%gcc}readelf" -SW sym/module.ko | grep -q 'text.nameless *PROGBITS *0*10 '
ok $? "a section of the module has an address" err
boot 1 64 && boot 2 128
ok $? "boots at other addresses"
json one boot1
ok $? "profile of the first" err
json two boot2
ok $? "profile of the second" err

grep -v '"type":"recording"' one.json >1
grep -v '"type":"recording"' two.json >2
diff 1 2 >out && [ "$(of file one.json | wc -l)" = 2 ]
ok $? "both have the same offsets" out
of file one.json | grep -q '"name":"\[kernel.kallsyms\]","kernel_build_id":"[0-9a-f]\{40\}","machine":183' &&
	of file one.json | grep -q '"name":"/lib/modules/6.1.0/kernel/module.ko","build_id":"[0-9a-f]\{40\}","machine":183'
ok $? "the kernel is known by its build id, and the module, whose file is not compressed here" one.json
"$san" profile --quiet --symfs=sym --call-graph=blocks -o graph.hwprof boot1 2>err &&
	"$san" profile --for=json graph.hwprof 2>>err | python3 "$here/profile_context_sums.py" 5 >out 2>&1
ok $? "blocks and branches of calling contexts add up" out
json both boot1 boot2 && json sum one.hwprof two.hwprof && cmp both.hwprof sum.hwprof &&
	[ "$(of block sum.json | wc -l)" = "$(of block one.json | wc -l)" ]
ok $? "the sum has the same blocks" err
python3 - one.json sum.json <<'EOF' >out 2>&1
import json, sys

one, both = ([json.loads(line) for line in open(name)] for name in sys.argv[1:])
keys = {"block": ("file", "start", "end"), "edge": ("from_file", "from", "to_file", "to"), "left_out": ("text",)}
for kind, names in keys.items():
    count = "executed" if kind == "block" else "count"
    a, b = ({tuple(row.get(name) for name in names): row[count] for row in rows if row["type"] == kind}
            for rows in (one, both))
    assert a and {key: 2 * value for key, value in a.items()} == b, (kind, a, b)
EOF
ok $? "the sum has twice the counts" out
python3 - one.json <<'EOF' >out 2>&1
import json, sys

rows = [json.loads(line) for line in open(sys.argv[1])]
count = {}
for row in rows:
    if row["type"] == "block":
        count[row["file"]] = count.get(row["file"], 0) + row["instructions"] * row["executed"]
for row in rows:
    if row["type"] == "left_out":
        count[row["text"]] = row["count"]
assert count == {0: 12, 1: 18, "[bpf]": 3, "[module]": 2}, count
EOF
ok $? "all that was executed is counted" out
"$san" profile --quiet --symfs=sym -o again boot1 2>err && cmp again one.hwprof && [ "$(wc -l <err)" = 1 ] &&
	grep -qF "hwflow: /lib/modules/6.1.0/kernel/module.ko: code is left out of the profile: this part of it is in no section" err
ok $? "code of a section without symbols is left out, with the reason, and a BPF program is without one" err

# functions: those of the recording, but for what is left out
rows() {
	"$san" report --quiet --limit=0 --width=0 "$@" 2>err | grep -E '\(\[?(kernel.kallsyms|module|module.ko)\]?\)$' |
		sed 's/^ *[0-9.]*% *//; s/\[module\]/module.ko/' | sort
}
rows --symfs=sym boot1 | grep -v ' counted ' >want
rows --symfs=sym one.hwprof | grep -v ' counted ' >got
[ "$(wc -l <want)" = 6 ] && grep -v ' module.ko  (' got | diff want - >out
ok $? "report of the profile has the functions of the recording" out
"$san" annotate --symfs=sym --symbol=work --no-lines one.hwprof >out 2>err && grep -q ' 3 .*subs' out
ok $? "annotate: the instructions are those of vmlinux" out

# formats
for dso in vmlinux module.ko; do
	"$san" profile --symfs=sym --for=order "--dso=$dso" one.hwprof >"$dso.order" 2>err
	ok $? "order of $dso" err
done
printf 'work\nhelp\n' | diff vmlinux.order - >out && printf 'run\ncold\nother\ncounted\ntwice\n' | diff module.ko.order - >out
ok $? "order: functions of both" out
"$san" profile --symfs=sym --for=bolt --dso=vmlinux one.hwprof >bolt 2>err && grep -qx 'B ffff80000801000c ffff800008010004 2 0' bolt
ok $? "bolt: addresses that the kernel is linked at" bolt
"$san" profile --symfs=sym --for=lcov --dso=module.ko one.hwprof >lcov 2>err && grep -qx 'FNDA:1,counted' lcov &&
	grep -qx 'DA:6,1' lcov
ok $? "lcov: lines of a module" lcov
"$san" profile --symfs=sym --for=pprof one.hwprof >pprof 2>err && gzip -dc pprof | grep -qa help && gzip -dc pprof | grep -qa cold
ok $? "pprof: functions of both" err
"$san" profile --symfs=sym --for=drcov one.hwprof 2>err | head -c 400 | grep -qa '0xffff800008010000\|\[kernel.kallsyms\]'
ok $? "drcov: the kernel is a module" err
"$san" profile --for=order --dso=vmlinux one.hwprof >out 2>err
[ $? = 2 ] && grep -qF '[kernel.kallsyms]: ' err && grep -qF "name a directory that has its file (vmlinux, or a module's .ko" err
ok $? "a format that needs vmlinux reports that it is not there" err
"${CC%gcc}strip" -o other/vmlinux sym/vmlinux
"$san" profile --symfs=other --for=order --dso=vmlinux one.hwprof >out 2>err
[ $? = 2 ] && grep -qF 'it has no symbol _stext' err
ok $? "vmlinux without symbols" err
"$san" report --quiet --symfs=other one.hwprof >out 2>err && grep -q '\[kernel.kallsyms\]  (\[kernel.kallsyms\])$' out
ok $? "report: the kernel without its vmlinux is one function" out

# what is not certain is left out
left_out "module without its file" "--symfs=DIR finds its file by its build id" "[module]" 14
printf '\n' >>counted.c
"$CC" -O2 -c -o counted2.o counted.c && "${CC%gcc}ld" -r --build-id -o other/module.ko module.o counted2.o
left_out "another build of the module" "--symfs=DIR finds its file by its build id" "[module]" 14 --symfs=other
boot 1 64 -sym/vmlinux -sym/module.ko
left_out "kernel without a build id" "[kernel.kallsyms]: code is left out of the profile: the recording does not have its build id" \
	"[kernel.kallsyms]" 18 --symfs=sym
left_out "module without a build id" "module.ko: code is left out of the profile: the recording does not have its build id" \
	"[module]" 14 --symfs=sym
boot 1 64
sed -i '/ _etext$/d; / _end$/d' boot1/kcore_dir/kallsyms
left_out "kernel without an end" "the recording does not have the addresses of _stext and _etext" "[kernel.kallsyms]" 18 \
	--symfs=sym
boot 1 64
sed -i 's/^\(.*\)[0-9a-f] t other\t/\18 t other\t/' boot1/kcore_dir/kallsyms
left_out "symbol at another place" "its symbols are not where its file has them" "[module]" 14 --symfs=sym
boot 1 64
mkdir boot1/kcore_changes
cp boot1/kcore_dir/kcore boot1/kcore_changes
cp boot1/kcore_dir/kallsyms boot1/kcore_changes
json again boot1 && cmp one.hwprof again.hwprof
ok $? "symbols at the end that are those of the beginning" err
# where one of its sections was, its first one is later
python3 - boot1 <<'EOF'
import sys

with open(sys.argv[1] + "/kcore_dir/kallsyms") as first, open(sys.argv[1] + "/kcore_changes/kallsyms", "w") as second:
    for line in first:
        address, rest = line.split(" ", 1)
        second.write("%016x %s" % (int(address, 16) + (0xa0 if "[module]" in line else 0), rest))
EOF
left_out "module that was loaded again" "other code was at its addresses during the recording" "[module]" 5 --symfs=sym
for number in 1 2; do
	boot 1 64
	awk -v number=$number '$3 != "twice" || ++n == number' boot1/kcore_dir/kallsyms >one_name &&
		cp one_name boot1/kcore_dir/kallsyms && json again boot1 && cmp one.hwprof again.hwprof
	ok $? "a name that the file has twice places no section: $number" err
done
boot 1 64
sed -i '/\[module\]/s/^ffff8000010/ffff8000000/' boot1/kcore_dir/kallsyms
left_out "symbols elsewhere" "its symbols are not where the module was" "[module]" 14 --symfs=sym
boot 1 64
sed -i 's/\[module\]/[unknown]/' boot1/kcore_dir/kallsyms
left_out "module that was loaded later" "[unknown]: code is left out of the profile: the recording does not have its build id" \
	"[unknown]" 14 --symfs=sym
done_testing
