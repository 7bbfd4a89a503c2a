#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# jobs.sh BUILD - with -j each verb prints what it prints with one process, byte by byte, and has the same exit status:
# on recordings of one long AUX record, of several threads, of programs that exec others, of damaged trace, on all
# captures; when a worker is killed, and when none can be started. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
. "$here/jobs.bash"
repeat=$build/tests/repeat_trace
captures=${HWFLOW_CAPTURES:-$top/../shared/data}
export HOME=$work TMPDIR=$work
cd "$work" || exit 1
# shards of so many bytes, so that short traces have many
export HWFLOW_SHARD_BYTES=30000

"$CC" -O1 -static -o program "$top/tools/hwflow/decode/tests/long_trace.c" || exit 1
busybox=$("$top/tools/setup/fetch-arm64" busybox-static | tail -n 1)/bin/busybox

record() { # FILE OPTION... -- PROGRAM...
	"$hwflow" emulate --quiet --fixed-addresses --virtual-time -o "$1" "${@:2}" >/dev/null 2>err
	ok $? "recorded: $1" err
}

# ---- one AUX record ----
everything=(--return-stack --timestamps=1000 --context-id --branch-broadcast --cycle-counts=4 --commit-mode=1)
record everything "${everything[@]}" -- ./program 40000
same "$hwflow" everything "${tables[@]}" "${lines[@]}" "flow --format=pc" verify
record plain -- ./program 40000
same "$hwflow" plain "${tables[@]}" "${lines[@]}" "script --sort=thread" verify
record speculation --speculation=30 --wrong-paths=5 --max-spec=32 --cycle-counts=4 --timestamps=500 -- ./program 40000
same "$hwflow" speculation "${tables[@]}" "${lines[@]}" verify
record sources --source-addresses --q-elements --events=100 -- ./program 40000
same "$hwflow" sources "${tables[@]}" "${lines[@]}" verify
record small --timestamps=500 --return-stack -- ./program 6000
same "$san" small "${tables[@]}" "${lines[@]}" verify

# ---- several ----
record unit "${everything[@]}" -- ./program 600
"$repeat" unit threads 4 40
ok $? "four threads"
same "$hwflow" threads "${tables[@]}" "${lines[@]}" "script --sort=time"
HWFLOW_SHARD_BYTES=9000 same "$hwflow" threads "${tables[@]}" "${lines[@]}" "script --sort=time"
record programs --timestamps=500 --context-id -- "$busybox" sh -c \
	"$busybox seq 600 | $busybox sort -r | $busybox md5sum; exec $busybox seq 300"
same "$hwflow" programs "${tables[@]}" "${lines[@]}" "script --sort=time" verify
"$hwflow" diff --quiet -j 1 everything plain >one.out && "$hwflow" diff -j 3 --quiet everything plain >three.out
cmp -s one.out three.out
ok $? "diff: the same with three processes"
"$hwflow" archive --quiet -o archive.tar.zst everything
same "$hwflow" archive.tar.zst report script

# ---- CPUs, each with threads of two processes in turns ----
cat >forks.c <<END
#define main work
#include "$top/tools/hwflow/decode/tests/long_trace.c"
#undef main
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	const pid_t pid = fork();

	work(argc, argv);
	return pid > 0 && wait(0) != pid;
}
END
"$CC" -O1 -static -o forks forks.c || exit 1
record forked "${everything[@]}" -- ./forks 10000
verified forked one-cpu 1 3
verified forked cpus 3 2

# ---- damage ----
damage everything damaged
cp everything.truth damaged.truth
size=$(stat -c %s damaged)
same "$hwflow" damaged "${tables[@]}" "${lines[@]}" verify
# one byte: up to there verify finds all equal, and shows the instructions before it
for place in 2 45 97; do
	cp plain bent
	cp plain.truth bent.truth
	printf '\xfe' | dd of=bent bs=1 seek=$((size * place / 100)) conv=notrunc status=none
	same "$hwflow" bent verify flow
done
# the log ends too early, or is that of another run
record shorter -- ./program 39000
cp plain.truth shorter.truth
same "$hwflow" shorter verify
cp plain shorter
record short2 -- ./program 39000
cp short2.truth shorter.truth
same "$hwflow" shorter verify
cp plain cut
truncate -s $(($(stat -c %s plain) * 2 / 3)) cut
same "$hwflow" cut "${tables[@]}" "${lines[@]}"
rm -f missing
cp -p program kept
record missing "${everything[@]}" -- ./program 10000
mv program elsewhere
same "$hwflow" missing "${tables[@]}" "${lines[@]}"
mv elsewhere program

# ---- captures ----
export HWFLOW_SHARD_BYTES=3000
while IFS= read -r ini; do
	same "$hwflow" "$(dirname "$ini")" "${tables[@]}" "${lines[@]}" "script --sort=time"
done < <(find "$captures" -name trace.ini | sort)

# ---- workers that end ----
unset HWFLOW_SHARD_BYTES
record long -- ./program 1500000
"$hwflow" flow --quiet -j 1 long >one.out
HWFLOW_SHARD_BYTES=100000 "$hwflow" flow --quiet -j 3 long >three.out &
pid=$!
killed=0
while kill -0 $pid && [ $killed = 0 ]; do
	worker=
	read -r worker _ <"/proc/$pid/task/$pid/children"
	[ -n "$worker" ] && kill -KILL "$worker" && killed=1
	sleep 0.002
done 2>/dev/null
wait $pid
status=$?
echo "status $status, killed $killed" >state
[ $status = 0 ] && [ $killed = 1 ] && cmp -s one.out three.out
ok $? "a worker is killed: its part is decoded all the same" state

# no address space for logs
(
	ulimit -v 1500000
	"$hwflow" flow --quiet -j 3 long >three.out 2>err
)
[ $? = 0 ] && cmp -s one.out three.out
ok $? "no memory for workers: one process decodes" err

# a reader that has enough ends all of them
ln -s long ended
"$hwflow" flow --quiet -j 3 "$work/ended" 2>err | head -n 1 >three.out
none_runs() {
	! grep -lza "^$work/ended$" /proc/[0-9]*/cmdline >left 2>/dev/null
}
wait_for 5 0 none_runs
ok $? "no worker is left when the output is closed" left

# ---- the option ----
"$hwflow" report --quiet -j 1 long >one.out
for option in "" -j2 "-j 2" --jobs=2 --jobs=0 -j0 -j1 --jobs=1000000; do
	# shellcheck disable=SC2086
	"$hwflow" report --quiet $option long >three.out && cmp -s one.out three.out
	ok $? "${option:-the default}"
done
for option in -jx --jobs=-1 --jobs=; do
	"$hwflow" report --quiet $option long >three.out 2>err
	[ $? = 1 ] && grep -q "jobs" err
	ok $? "$option is refused" err
done
done_testing
