#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# interrupted.sh HWFLOW BUILD - emulate on a full disk, killed, interrupted: afterwards the old
# recording or the new one is there, whole, and neither a process nor a directory. Speaks TAP.
# KILLS=n kills at so many moments; SIZES=all tries 20 sizes.
set -eu

hwflow=$(realpath "$1")
build=$2
here=$(dirname "$0")
work=$(realpath "$build")/interrupted-tests
data=$work/a.data
. "$here/../../setup/tests/tap.bash"
. "$here/../../setup/tests/wait.bash"
. "$here/../../setup/qemu-user.bash"

qemu_of "$hwflow" qemu-aarch64 >/dev/null || {
	echo "ok 1 - interrupted # SKIP there is no QEMU for arm64: make qemu-user"
	exit 0
}
rm -rf "$work"
mkdir -p "$work"
"${CROSS_CC:-aarch64-linux-gnu-gcc}" -O2 -static -o "$work/interrupted" "$here/interrupted.c"

processes() { # those of a recording of ours
	pgrep -f "[ =]$work/(a.data|interrupted)" || true
}

none_runs() {
	[ -z "$(processes)" ]
}

# no process is left after a second or two
no_process() {
	wait_for 4 0 none_runs
}

# left NAME: FILE and FILE.truth are the old or a whole new recording, and nothing else is there
left() {
	local bad=0

	no_process || {
		bad=1
		echo "# processes are left: $(processes | xargs)"
		processes | xargs -r kill -9
	}
	if compgen -G "$work/a.data.*" | grep -v -e '\.truth$' -e '\.code$' >"$work/others"; then
		bad=1
		sed 's/^/# left: /' "$work/others"
		xargs rm -rf <"$work/others"
	fi
	if sha256sum --quiet -c "$work/old.sum" >"$work/verify" 2>&1; then
		:
	elif ! "$hwflow" verify "$data" >"$work/verify" 2>&1; then
		bad=1
		tail -n 3 "$work/verify" | sed 's/^/# /'
		old
	fi
	ok $bad "$1"
}

old() {
	rm -rf "$work"/a.data*
	"$hwflow" emulate --quiet -o "$data" -- "$work/interrupted" work 1000 >"$work/out"
	sha256sum "$data" "$data.truth" >"$work/old.sum"
}

# emulate with files of up to KIB, and a program that runs on where its files are full
limited() { # KIB
	(
		trap '' XFSZ
		ulimit -f "$1"
		exec "$hwflow" emulate --quiet -o "$data" -- "$work/interrupted" work 3000000
	) >"$work/out" 2>"$work/err"
}

full_disk() {
	local kib status

	local sizes='1 68 300 2000 40000'

	[ "${SIZES-}" != all ] ||
		sizes='1 2 3 8 60 66 68 72 200 264 300 400 700 1000 1100 2000 3000 4000 9000 40000'
	for kib in $sizes; do
		status=0
		limited $kib || status=$?
		if [ $status = 0 ]; then
			"$hwflow" verify "$data" >"$work/verify" 2>&1 || status=9
			ok $status "files of $kib KiB at most: recorded"
		else
			sha256sum --quiet -c "$work/old.sum" >"$work/sum" 2>&1 || status=9
			ok $((status != 125)) "files of $kib KiB at most: status 125, the old recording is there" "$work/err"
		fi
		left "files of $kib KiB at most: nothing is left"
		old
	done
}

# the same on a file system that is full, where one may be mounted
full_file_system() {
	local kib

	mkdir -p "$work/mount"
	for kib in 96 400 900 4000 40000; do
		unshare -rm true 2>/dev/null || {
			ok 0 "a full file system # SKIP no file system can be mounted here"
			return 0
		}
		# shellcheck disable=SC2016
		if unshare -rm bash -euc '
			mount -t tmpfs -o size=$1k none "$2/mount"
			cp "$2/a.data" "$2/a.data.truth" "$2/mount"
			cd "$2/mount"
			status=0
			"$3" emulate --quiet -o a.data -- "$2/interrupted" work 1000000 >/dev/null || status=$?
			ls -A | grep -v "^a.data\(.truth\|.code\)\?$" && exit 7
			if [ $status = 0 ]; then
				"$3" verify a.data
			else
				cmp a.data "$2/a.data" && cmp a.data.truth "$2/a.data.truth" && [ $status = 125 ]
			fi' mount "$kib" "$work" "$hwflow" >"$work/mounted" 2>&1; then
			ok 0 "a file system of $kib KiB: the old recording or a new one"
		else
			ok 1 "a file system of $kib KiB: the old recording or a new one" "$work/mounted"
		fi
	done
}

# begin MODE [STEPS]: in a session of its own, as a terminal starts it; sets pid
begin() {
	: >"$work/out"
	# not in the background: SIGINT would be ignored
	setsid "$hwflow" emulate --quiet -o "$data" -- "$work/interrupted" "$@" >"$work/out" 2>"$work/err" &
	pid=$!
	wait_for 60 $pid grep -q begun "$work/out" || true
}

has_ended() {
	! kill -0 $pid 2>/dev/null
}

ends() { # SECONDS: sets status
	wait_for "$1" 0 has_ended || return 1
	status=0
	wait $pid || status=$?
}

killed() {
	local i

	for ((i = 0; i < ${KILLS:-4}; i++)); do
		begin spin $((RANDOM * 100))
		sleep 0.$((RANDOM % 9))$((RANDOM % 9))
		kill -9 $pid 2>/dev/null || true
		wait $pid 2>/dev/null || true
		left "killed: moment $i"
	done
	begin spin
	sleep 0.5
	kill -TERM $pid
	ends 20 || true
	left "SIGTERM"
}

interrupted() {
	local i

	begin handle
	kill -INT -- -$pid
	if ends 60; then
		ok $status "^C once: the program's"
	else
		kill -9 $pid
		ok 1 "^C once: the program's"
	fi
	ok "$(grep -c . <(grep -L interrupted "$work/out"))" "^C once: the program has handled it"
	left "^C once: a recording"
	old
	begin handle
	kill -INT $pid
	ends 60 || kill -9 $pid
	ok "$(grep -c . <(grep -L interrupted "$work/out"))" "SIGINT to the command: the program has it"
	left "SIGINT to the command: a recording"
	old
	begin spin
	# those that fork have not set a handler: keep one that ignores
	kill -9 $pid 2>/dev/null || true
	wait $pid 2>/dev/null || true
	left "killed at once"
	begin_ignoring
	kill -INT -- -$pid
	sleep 0.3
	ok "$(kill -0 $pid 2>/dev/null; echo $?)" "^C once: a program that ignores it goes on"
	# a signal that comes while the one before it is pending is lost: whoever waits presses again
	status=0
	for ((i = 0; i < 10; i++)); do
		kill -INT -- -$pid
		! ends 2 || break
	done
	ok $((status != 130)) "^C twice: ended by SIGINT"
	has_ended || kill -9 $pid
	ok "$(sha256sum --quiet -c "$work/old.sum" >/dev/null 2>&1; echo $?)" "^C twice: the old recording"
	left "^C twice: nothing is left"
}

begin_ignoring() {
	: >"$work/out"
	setsid "$hwflow" emulate --quiet -o "$data" -- "$work/interrupted" ignore >"$work/out" 2>"$work/err" &
	pid=$!
	wait_for 60 $pid grep -q begun "$work/out" || true
}

# the command and its worker killed together: a directory is left
recover() {
	local directory workers

	begin spin
	sleep 0.7
	workers=$(pgrep -P $pid)
	kill -STOP $pid $workers
	kill -9 $pid $workers
	wait $pid 2>/dev/null || true
	ok "$(no_process; echo $?)" "both killed: no process is left"
	processes | xargs -r kill -9
	directory=$(compgen -G "$work/a.data.run-*" || true)
	mv "$work/interrupted" "$work/elsewhere"
	"$hwflow" emulate --recover="$directory" >"$work/recover" 2>&1 && status=0 || status=$?
	ok $status "recover, when the program is gone" "$work/recover"
	mv "$work/elsewhere" "$work/interrupted"
	ok "$(! sha256sum --quiet -c "$work/old.sum" >/dev/null 2>&1; echo $?)" "recover: it is a new recording"
	left "recover: equal, and the directory is gone"
	old
	begin spin
	workers=$(pgrep -P $pid)
	kill -STOP $pid $workers
	kill -9 $pid $workers
	wait $pid 2>/dev/null || true
	no_process || processes | xargs -r kill -9
	"$hwflow" emulate --quiet -o "$data" -- "$work/interrupted" work 1000 >"$work/out" 2>"$work/err"
	ok "$(grep -q 'is removed' "$work/err"; echo $?)" "the next run removes the directory, and says so" "$work/err"
	left "the next run"
}

refused() { # FILE TEXT
	"$hwflow" emulate --quiet -o "$1" -- "$work/interrupted" work 1 >"$work/out" 2>"$work/err" && status=0 || status=$?
	[ $status != 1 ] || grep -q -- "$2" "$work/err" || status=9
	ok $((status != 1)) "-o $1 is refused" "$work/err"
}

# What a long run has on the disk is not its log, of which a million steps have 6 MB.
disk() {
	local most=0 now

	"$hwflow" emulate --quiet "$@" -o "$data" -- "$work/interrupted" work 15000000 >"$work/out" 2>"$work/err" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		now=$(du -skc "$work"/a.data.run-* 2>/dev/null | tail -n 1 | cut -f 1)
		[ "${now:-0}" -le $most ] || most=$now
		sleep 0.1
	done
	wait $pid && status=0 || status=$?
	ok $status "a long run, $*" "$work/err"
	ok $((most > 70000)) "a long run, $*: at most $most KB on the disk"
}

long() {
	disk
	ok "$("$hwflow" verify "$data" >"$work/verify" 2>&1; echo $?)" "a long run: equal" "$work/verify"
	disk --no-truth
	ok "$([ ! -e "$data.truth" ]; echo $?)" "--no-truth: no log, and no old one either"
	old
}

old
long
refused - 'standard output is the program'
refused /dev/null 'not a regular file'
full_disk
full_file_system
killed
interrupted
recover
rm -rf "$work"
done_testing
