#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# stripped.sh BUILD - programs without symbols: functions by the bounds of the unwind table, and names
# from MiniDebugInfo and from separate debug files. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
tools=${CC%gcc}

address_of() { # FUNCTION: as in the names of the report
	"${tools}nm" "$work/whole" | awk -v name="$1" \
		'$3 == name { sub("^0*", "", $1); print "0x" $1 }'
}

# counts WHAT OPTION...: instructions, calls and branches of the two functions are as before
counts() {
	"$san" report --limit=0 "${@:2}" "$work/data" >"$work/out" 2>"$work/err"
	awk -v a="$first" -v b="$second" '
		$6 == a { $6 = "first_part" } $6 == b { $6 = "second_part" }
		$6 ~ /^(first|second)_part$/ { print $2, $3, $4, $5, $6 }' "$work/out" |
		cmp - "$work/expected" >>"$work/err" 2>&1 &&
		! grep -v '^hwflow: no symbols for program: ' "$work/err" >"$work/other"
	ok $? "$1" "$work/out"
}

# record PROGRAM: under the name of the program, which is part of the recording
record() {
	rm -f "$work/program"
	cp "$1" "$work/program"
	"$hwflow" emulate --quiet -o "$work/data" -- "$work/program" 2>"$work/err"
	ok $? "a recording of $(basename "$1")" "$work/err"
}

"$CC" -O1 -g -static -o "$work/whole" "$top/tools/hwflow/tests/stripped.c"
record "$work/whole"
first=first_part second=second_part
"$san" report --limit=0 "$work/data" >"$work/out"
awk '$6 ~ /^(first|second)_part$/ { print $2, $3, $4, $5, $6 }' "$work/out" >"$work/expected"
[ "$(wc -l <"$work/expected")" = 2 ]
ok $? "both functions are in the report" "$work/out"

# no symbols at all
"${tools}strip" -o "$work/stripped" "$work/whole"
record "$work/stripped"
first=program+$(address_of first_part) second=program+$(address_of second_part)
counts "a row for each function without a name"
awk '$6 == "[program]" { share += $1 } END { exit share >= 2 }' "$work/out"
ok $? "less than 2 % are outside of all functions" "$work/out"
"$san" script "$work/data" >"$work/out" 2>&1
grep -q "=> .* $(address_of first_part | cut -c 3-) $first (program)" "$work/out"
ok $? "script has the same name" "$work/out"
grep -qE ' program\+0x[0-9a-f]+ \(program\)' "$work/out" && ! grep -qE '\+0x[0-9a-f]+\+0x' "$work/out"
ok $? "an address in a function without a name has one offset, from the beginning of the file's addresses" "$work/out"
awk '{ for (i = 1; i < NF; i++) if ($i ~ /^program\+0x/ && "program+0x" $(i - 1) != $i) exit 1 }' "$work/out"
ok $? "this offset is the address, of a program that is not moved" "$work/out"
"$san" annotate --limit=0 "$work/data" >"$work/out" 2>&1
grep -qE -- '-> [0-9a-f]+ program\+0x' "$work/out" && ! grep -qE '\+0x[0-9a-f]+\+0x' "$work/out"
ok $? "annotate likewise" "$work/out"

# the unwind table alone says nothing of what has a name, and does not cut it
"${tools}strip" --keep-symbol=first_part -o "$work/half" "$work/whole"
record "$work/half"
first=first_part
counts "one function with a name, one without"

# MiniDebugInfo: symbols of functions, in an ELF file, in xz, in a section
first=first_part second=second_part
"${tools}objcopy" --only-keep-debug --strip-debug "$work/whole" "$work/mini"
xz -k "$work/mini"
"${tools}objcopy" --add-section .gnu_debugdata="$work/mini.xz" "$work/stripped" "$work/minidebug"
record "$work/minidebug"
counts "names from .gnu_debugdata"
cp "$work/mini.xz" "$work/bad.xz"
head -c 16 /dev/zero | tr '\0' x | dd of="$work/bad.xz" bs=1 seek=$(($(stat -c %s "$work/bad.xz") / 2)) conv=notrunc 2>/dev/null
"${tools}objcopy" --add-section .gnu_debugdata="$work/bad.xz" "$work/stripped" "$work/damaged"
record "$work/damaged"
"$san" report --limit=0 "$work/data" >"$work/out" 2>"$work/err"
[ $? = 0 ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -q '/program: section .gnu_debugdata is damaged' "$work/err" &&
	! grep -q first_part "$work/out"
ok $? ".gnu_debugdata that is damaged is reported once" "$work/err"

# a separate file, by the debug link beside the program
"${tools}objcopy" --only-keep-debug "$work/whole" "$work/program.debug"
"${tools}objcopy" --add-gnu-debuglink="$work/program.debug" "$work/stripped" "$work/linked"
record "$work/linked"
counts "names from the file that .gnu_debuglink names"
printf 'x' | dd of="$work/program.debug" bs=1 seek=$(($(stat -c %s "$work/program.debug") - 1)) \
	conv=notrunc 2>/dev/null
first=program+$(address_of first_part) second=program+$(address_of second_part)
counts "none from a file with another checksum"

# by build id, below --symfs
id=$("${tools}readelf" -n "$work/whole" | sed -n 's/.*Build ID: //p')
record "$work/stripped"
root=$work/root
mkdir -p "$root/usr/lib/debug/.build-id/${id:0:2}"
cp "$work/stripped" "$root/program"
counts "no debug file" --symfs="$root"
"${tools}objcopy" --only-keep-debug "$work/whole" \
	"$root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
first=first_part second=second_part
counts "names from the debug file of the build id" --symfs="$root"

# assembler code without unwind table: one part is called, the other is called through a table of pointers only
first=called_part second=pointed_part
"$CC" -O1 -static-pie -o "$work/whole" "$here/assembled.c"
record "$work/whole"
"$san" report --limit=0 "$work/data" >"$work/out"
awk '$6 ~ /^(called|pointed)_part$/ { $6 = $6 == "called_part" ? "first_part" : "second_part"; print $2, $3, $4, $5, $6 }' \
	"$work/out" >"$work/expected"
[ "$(wc -l <"$work/expected")" = 2 ]
ok $? "both parts in assembler are in the report" "$work/out"
"${tools}strip" -o "$work/assembled" "$work/whole"
record "$work/assembled"
first=program+$(address_of called_part) second=program+$(address_of pointed_part)
counts "a row for each part that is called or pointed to"

# stubs of a library that has thread-local variables: their relocations are among those of the stubs
cat >"$work/library.c" <<END
__thread int counter;
int other_part(int value);
int library_part(int value) { return other_part(value) + other_part(counter++); }
END
cat >"$work/user.c" <<END
int library_part(int value);
int other_part(int value) { return value + 1; }
int main(void) { int sum = 0; for (int i = 0; i < 9; i++) sum += library_part(i); return sum == 0; }
END
for options in -Wl,-z,lazy -Wl,-z,now -mbranch-protection=standard; do
	"$CC" -O1 -fPIC -shared "$options" -o "$work/library.so" "$work/library.c" 2>"$work/err" &&
		"$CC" -O1 -rdynamic -o "$work/program" "$work/user.c" "$work/library.so" &&
		"$hwflow" emulate --quiet -L "/usr/${tools%-}" -o "$work/data" -- "$work/program" &&
		"$san" report --limit=0 "$work/data" >"$work/out" 2>>"$work/err"
	awk '$6 == "other_part@plt" && $7 == "(library.so)" { n = $3 } END { exit n != 18 }' "$work/out"
	ok $? "stubs have names: $options" "$work/out"
done

# debug information that libelf of some releases cannot decompress, in the program and in a debug file: lines, or why not
"$CC" -O1 -g -static -o "$work/whole" "$work/user.c" "$work/library.c"
if "${tools}objcopy" --compress-debug-sections=zstd "$work/whole" "$work/zstd" 2>"$work/err"; then
	"${tools}objcopy" --only-keep-debug "$work/zstd" "$work/program.debug"
	"${tools}strip" -o "$work/linked" "$work/whole"
	(cd "$work" && "${tools}objcopy" --add-gnu-debuglink=program.debug linked)
	for kind in zstd:program linked:program.debug; do
		record "$work/${kind%:*}"
		"$san" script "$work/data" >"$work/out" 2>"$work/err"
		if [ -s "$work/err" ]; then
			[ "$(wc -l <"$work/err")" = 1 ] && grep -q "/${kind#*:}: section .debug_[a-z_]*: libelf of this machine cannot decompress zstd" "$work/err"
		else
			grep -q ' library.c:' "$work/out"
		fi
		ok $? "zstd: lines or a message, of ${kind#*:}" "$work/err"
	done
else
	ok 0 "zstd: lines or a message # SKIP objcopy has no zstd"
fi
done_testing
