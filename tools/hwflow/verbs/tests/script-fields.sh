#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# script-fields.sh BUILD - the columns that script prints: --fields. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"

script() { # NAME OPTION...: to $work/out
	local name=$1

	shift
	"$san" script "$@" "$work/$name" >"$work/out" 2>"$work/err"
}

# fields LIST EXPRESSION: these columns are what the default columns are after sed -E EXPRESSION
fields() {
	script plain --fields="$1" && sed -E "$2" "$work/whole" | cmp - "$work/out" 2>>"$work/err"
	ok $? "--fields=$1" "$work/err"
}

refused() { # MESSAGE OPTION...
	local message=$1

	shift
	script plain "$@"
	[ $? = 1 ] && [ ! -s "$work/out" ] && grep -qF -- "hwflow script: --fields: $message" "$work/err"
	ok $? "${*}: $message" "$work/err"
}

"$CC" -O1 -g -static -pthread -o "$work/threads" "$top/tools/plugin/tests/threads.c"
for name in plain stamped; do
	options=(--limit=20000)
	[ $name = plain ] || options=(--limit=20000 --timestamps=500)
	"$hwflow" emulate --quiet "${options[@]}" -o "$work/$name" -- "$work/threads" >"$work/out" 2>"$work/err"
	ok $? "$name: recorded" "$work/err"
done

# comm tid time ip sym+symoff (dso) srcline  =>  ...  flags
script plain
cp "$work/out" "$work/whole"
[ "$(wc -l <"$work/whole")" -gt 1000 ] && grep -q 'threads\.c:' "$work/whole"
ok $? "branches with names and source lines: $(wc -l <"$work/whole")"
fields comm,tid,time,ip,sym,symoff,dso,srcline,addr,flags ''
fields flags,addr,srcline,dso,symoff,sym,ip,time,tid,comm ''
start='^(.{16})(.{8})(.{16}  )'
line='( [^ ]+:[0-9]+)?'
# a signal that comes early has its handler return to code that is in no program
dso='\((threads|plain\.code)\)'
fields tid,time,ip,sym,symoff,dso,srcline,addr,flags "s/$start/\2\3/"
fields comm,ip,sym,symoff,dso,srcline,addr,flags "s/$start/\1/"
fields ip,sym,symoff,dso,addr,srcline "s/$start//; s/(  =>  +[0-9a-f-]+ ([^ ]+ $dso$line|\[outside\])).*/\1/"
fields comm,tid,time,ip,sym,symoff,dso,addr,flags "s/ [^ ]+\.[chS]:[0-9]+//g"
fields comm,tid,time,ip,sym,symoff,srcline,addr,flags "s/ $dso//g"
# a function without a symbol is FILE+0xSTART, and FILE+0xADDRESS with symoff
script plain --fields=comm,tid,time,ip,sym,dso,srcline,addr,flags && grep -qE ' threads\+0x' "$work/out" &&
	sed -E 's/threads\+0x[0-9a-f]+/threads@/g; s/\+0x[0-9a-f]+//g' "$work/whole" |
	cmp - <(sed -E 's/threads\+0x[0-9a-f]+/threads@/g' "$work/out") 2>>"$work/err"
ok $? "--fields without symoff" "$work/err"
awk '{ for (i = 2; i <= NF; i++) if ($i ~ /^threads\+0x/ && "threads+0x" $(i - 1) != $i) exit 1 }' "$work/whole"
ok $? "FILE+0xADDRESS has the address of the line"
id=$(readelf -n "$work/threads" | sed -n 's/.*Build ID: //p')
fields comm,tid,time,ip,sym,symoff,dso,buildid,srcline,addr,flags "s/\(threads\)/(threads $id)/g"
# the offset of an address in a file that is mapped from its beginning at 0x400000
script plain --fields=ip,dsoff,addr && grep -q '(threads+0x' "$work/out" &&
	sed -E 's/  =>  / /; s/ *([0-9a-f]+) \(threads\+0x([0-9a-f]+)\)/\1 \2\n/g' "$work/out" |
	while read -r address offset rest; do
		[[ $address != *[^0-9a-f]* && $offset != *[^0-9a-f]* && -n $offset ]] || continue
		[ $((0x$address - 0x400000)) = $((0x$offset)) ] || echo "$address is at $offset"
	done | head >"$work/err"
[ ! -s "$work/err" ]
ok $? "--fields=ip,dsoff,addr" "$work/err"
script plain --mappings && grep -qE "^ +[0-9]+\.[0-9]{9} +[0-9]+ +400000-[0-9a-f]+ +0 $id $work/threads\$" "$work/out" &&
	! grep -qv "^ *[0-9.]* " "$work/out"
ok $? "--mappings" "$work/out"
fields cpu,ip,sym,symoff,dso,srcline,addr,flags "s/$start/[  -] /"
fields time "s/$start.*/\3/"
fields flags "s/$start.*  ([^ ].*)$/  \4/"
# as perf prints them: in 16 columns after a blank, 0 for what is outside
awk '{
	$0 = substr($0, 43)
	from = $1 == "-" ? 0 : $1
	sub(/.*  =>  +/, "")
	printf "%17s => %16s\n", from, $1 == "-" ? 0 : $1
}' "$work/whole" >"$work/want"
script plain --fields=ip,addr && cmp "$work/want" "$work/out" 2>>"$work/err"
ok $? "--fields=ip,addr: two addresses" "$work/err"
script plain --fields=ip && cut -c1-17 "$work/want" | cmp - "$work/out" 2>>"$work/err"
ok $? "--fields=ip" "$work/err"
script plain --fields=addr && cut -c18- "$work/want" | cmp - "$work/out" 2>>"$work/err"
ok $? "--fields=addr" "$work/err"
script plain --not-taken --fields=ip,addr && [ "$(grep -c ' => ' "$work/out")" = "$(wc -l <"$work/want")" ] &&
	grep -q '^ *[0-9a-f]* \.\.  *[0-9a-f]*$' "$work/out"
ok $? "--not-taken --fields=ip,addr" "$work/err"

# instructions
script plain --insn --no-lines
cut -c43-59 "$work/out" | head -n 20000 >"$work/want"
script plain --insn --fields=insn,ip && sed -E 's/ {9}( *[0-9a-f]+)$/ \1/' "$work/out" | cut -c1-9 |
	head -n 20000 | cmp - <(cut -c1-9 "$work/want") 2>>"$work/err"
ok $? "--insn --fields=insn,ip: opcodes" "$work/err"
lines=$(wc -l <"$work/out")
script plain --insn --fields=ip,sym && [ "$(wc -l <"$work/out")" = "$lines" ] &&
	grep -qE '^ +[0-9a-f]+ start_thread$' "$work/out"
ok $? "--insn --fields=ip,sym: $lines lines" "$work/err"

# without times nothing is merged, unless that is asked for
changes() {
	awk '{ print $1 }' "$work/out" | uniq | wc -l
}
script stamped --fields=tid,ip,addr && threads=$(awk '{ print $1 }' "$work/out" | sort -u | wc -l) &&
	[ "$(changes)" = "$threads" ]
ok $? "--fields=tid,ip,addr: $threads threads, one after another" "$work/err"
script stamped --fields=tid,ip,addr --sort=time && [ "$(changes)" -gt "$threads" ]
ok $? "--fields=tid,ip,addr --sort=time: by time" "$work/err"
cp "$work/out" "$work/want"
script stamped --fields=tid,time,ip,addr && cut -c1-8,27- "$work/out" | cmp - "$work/want" 2>>"$work/err"
ok $? "with time: by time" "$work/err"

# cycles
"$hwflow" emulate --quiet --cycle-counts=16 --vary-cycles=3 -o "$work/counted" -- "$work/threads" >"$work/out" 2>"$work/err"
all=$("$san" flow "$work/counted" 2>>"$work/err" | awk '$2 == "cycles:" { sum += $3 } END { print sum }')
sum_of() {
	awk '{ if ($1 != "-") { sum += $1; lines++ } } END { print sum, lines }' "$work/out"
}
script counted --fields=cyc,ip && read -r sum lines < <(sum_of) && [ "$all" -gt 1000 ] && [ "$sum" -le "$all" ] &&
	[ "$sum" -gt $((all - all / 100)) ] && [ "$lines" -gt 100 ]
ok $? "--fields=cyc,ip: $sum of $all cycles, in $lines lines" "$work/err"
branches=$sum
script counted --insn --fields=cyc,ip && read -r sum lines < <(sum_of) && [ "$sum" -le "$all" ] && [ "$sum" -ge $((branches - branches / 100)) ]
ok $? "--insn --fields=cyc,ip: $sum cycles" "$work/err"
grep -q '^ *- ' "$work/out"
ok $? "most instructions have no count of their own"
script stamped --fields=cyc,ip && ! awk '{ print $1 }' "$work/out" | grep -qv '^-$'
ok $? "without cycle counts there are none" "$work/err"

refused "'none': unknown field; use comm, tid, " --fields=ip,none
refused "'': unknown field" --fields=
refused "'': unknown field" --fields=ip,
refused 'symoff: only with sym' --fields=ip,symoff
refused 'sym, dso and srcline: only with ip or addr' --fields=comm,dso
refused 'insn: only with --insn' --fields=insn,ip
refused 'addr: not with --insn' --insn --fields=ip,addr
refused 'flags: not with --insn' --insn --fields=ip,flags

# completion of the last name of the list
complete_value() { # WORD
	bash -c '. "$1"; _hwflow_value script --fields "$2"; echo "${COMPREPLY[*]}"' - \
		"$top/tools/hwflow/verbs/hwflow.bash" "$1" 2>/dev/null
}
[ "$(complete_value s)" = "sym symoff srcline" ] && [ "$(complete_value ip,ad)" = ip,addr ]
ok $? "completion: $(complete_value s), $(complete_value ip,ad)"
done_testing
