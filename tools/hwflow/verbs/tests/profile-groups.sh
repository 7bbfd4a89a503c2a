#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# profile-groups.sh BUILD - a profile by process or by thread has the counts of each name, which add up to the profile
# without groups; sums do not depend on order or grouping. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1

# refused STATUS PATTERN NAME ARGUMENT...: exit status and message of a command line
refused() {
	local status=$1 pattern=$2 name=$3

	shift 3
	"$san" profile -o refused "$@" 2>err
	[ $? = "$status" ] && grep -qF -- "$pattern" err
	ok $? "$name" err
}

# names JSON: the names of the groups
names() {
	sed -n 's/^{"type":"group","by":"[a-z]*","name":"\([^"]*\)".*/\1/p' "$1" | tr '\n' ' '
}

"$CC" -O1 -static -pthread -o prog "$here/groups.c" && cp prog other && cp prog 'a@b%c'
ok $? "a program with a thread is compiled"
"$hwflow" emulate --quiet -o one.data -- ./prog ./other 2>err && "$hwflow" emulate --quiet -o two.data -- './a@b%c' ./prog 2>err
ok $? "processes and threads are recorded" err
"$san" profile -o one.hwprof one.data 2>err && "$san" profile -o two.hwprof two.data 2>err &&
	"$san" profile --for=json one.hwprof >one.json
ok $? "profiles without groups" err
for by in process thread; do
	"$san" profile "--by=$by" -o "$by.hwprof" one.data 2>err && "$san" profile --for=json "$by.hwprof" >"$by.json"
	ok $? "$by: profile" err
	grep -v '"group"' "$by.json" | diff one.json - >out
	ok $? "$by: the profile itself is that without groups" out
	python3 - "$by.json" <<'EOF' >out 2>&1
import collections, json, sys

whole, groups, files = collections.Counter(), collections.Counter(), collections.defaultdict(list)
for line in open(sys.argv[1]):
    row = json.loads(line)
    group = row.get("group")
    if row["type"] == "file":
        files[group].append(row.get("build_id") or row["content"])
        continue
    place = tuple(files[group][row[name]] if name in row else None for name in ("file", "from_file", "to_file"))
    place += tuple(row.get(name) for name in ("start", "end", "from", "to", "text"))
    counter = whole if group is None else groups
    for name in ("executed", "taken", "count"):
        if row["type"] not in ("group", "gap"):
            counter[row["type"], place, name] += row.get(name, 0)
assert +whole == +groups, [key for key in whole if whole[key] != groups[key]]
print(len(whole), "counts")
EOF
	ok $? "$by: $(tail -n 1 out), groups add up to the profile" out
	"$san" profile -j2 "--by=$by" -o again one.data 2>err && cmp again "$by.hwprof"
	ok $? "$by -j2: the same file" err
	"$san" profile "--by=$by" -o second.hwprof two.data 2>err && "$san" profile "--by=$by" -o sum one.data two.data 2>err &&
		"$san" profile "--by=$by" -o mixed second.hwprof one.data 2>err &&
		"$san" profile -o profiles "$by.hwprof" second.hwprof 2>err && cmp sum mixed && cmp sum profiles
	ok $? "$by: sums of recordings and of profiles are the same file" err
	"$san" profile --for=json sum >"$by.sum.json"
	"$san" report --limit=0 --width=0 "$by.hwprof" 2>err | tail -n +2 >got
	"$san" report --limit=0 --width=0 one.hwprof 2>err | tail -n +2 | diff - got >out
	ok $? "$by: report is that of the profile without groups" out
	refused 2 "two.hwprof: the counts of processes or threads are not kept apart" "$by: a sum with a profile without groups" \
		"$by.hwprof" two.hwprof
	refused 2 "two.hwprof: the counts of processes or threads are not kept apart" "$by: a profile without groups" \
		"--by=$by" two.hwprof
done
refused 2 "the counts of processes or threads are not kept apart" "groups of processes and of threads" process.hwprof \
	second.hwprof

[ "$(names process.json)" = "other prog " ] && [ "$(names thread.json)" = "other@other prog@prog work@1@prog " ]
ok $? "names of processes and threads: $(names thread.json)" thread.json
[ "$(names process.sum.json)" = "a@b%c other prog " ] &&
	[ "$(names thread.sum.json)" = "a@b%c@a%40b%25c other@other prog@prog work@1@a%40b%25c work@1@prog " ]
ok $? "names with '@': $(names thread.sum.json)" thread.sum.json
grep -q '"name":"prog","recordings":2}' process.sum.json && grep -q '"name":"other","recordings":1}' process.sum.json
ok $? "processes of the same name are one group in a sum" process.sum.json
for by in process thread; do
	"$san" report "--by=$by" --limit=0 --width=0 one.data 2>err | awk '/%/ { n[$6] += $2 } END { for (name in n) print name, n[name] }' |
		sort >want
	python3 - "$by.json" <<'EOF' | sort >got
import collections, json, sys

names, counts = [], collections.Counter()
for line in open(sys.argv[1]):
    row = json.loads(line)
    if row["type"] == "group":
        names.append(row["name"])
    elif row["type"] == "block" and "group" in row:
        name = names[row["group"]]
        counts[name.rpartition("@")[0] or name] += row["instructions"] * row["executed"]
for name in counts:
    print(name, counts[name])
EOF
	[ "$(wc -l <want)" -ge 2 ] && diff want got >out
	ok $? "$by: each group has the instructions that report counts" out
done

# one group
for group in prog@prog work@1@prog; do
	"$san" profile "--group=$group" --for=order --dso=prog thread.hwprof 2>err | grep -xE 'by_(program|thread)|run' | tr '\n' ' ' >order
	case $group in
	work*) [ "$(cat order)" = "run by_thread " ] ;;
	*) [ "$(cat order)" = "by_program " ] ;;
	esac
	ok $? "--group=$group: order has what it executed" order
done
"$san" profile --by=thread --group=other@other -o part one.data 2>err && "$san" profile -o same --group=other@other thread.hwprof &&
	cmp part same && "$san" profile --for=json part >part.json && ! grep -q '"group"' part.json && grep -q '"type":"recording"' part.json
ok $? "a group is a profile of its own" err
refused 1 "--group=none: the profile has no such group; it has:" "a group that is not there" --group=none thread.hwprof
grep -qx '  work@1@prog' err
ok $? "the groups are named" err
refused 1 "--group=prog: the profile has no groups; make it with --by=process or --by=thread" "--group without groups" --group=prog \
	one.hwprof
refused 1 "--by=cgroup: unknown" "--by of something else" --by=cgroup one.data
"$CC" -O1 -static -o jit "$top/tools/hwflow/tests/jit.c" && "$hwflow" emulate --quiet -o jit.data -- ./jit dump 2>err &&
	"$san" profile --by=process --for=json jit.data 2>err >jit.json &&
	[ "$(grep -c '"type":"left_out".*,"count":9003' jit.json)" = 2 ] && grep -q '"type":"left_out","group":0,.*,"count":9003' jit.json
ok $? "code that is left out is counted in its group, too" err

# with one process all blocks are of one group, in the same order
"$CC" -O1 -static -o starts "$here/starts.c"
for timestamps in --timestamps=20 ""; do
	# shellcheck disable=SC2086 # an option, or none
	"$hwflow" emulate --quiet $timestamps -o starts.data -- ./starts 2>err &&
		"$san" profile --for=order -o want starts.data 2>err &&
		"$san" profile --by=process --group=starts --for=order -o got starts.data 2>err && diff want got >out
	ok $? "emulate $timestamps: a group has the order in which its functions began to run" out
done
done_testing
