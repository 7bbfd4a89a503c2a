#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# rebuilt.sh BUILD - a program that was built anew after its recording: neither its code nor its names
# are used, and the right file is found by its build id. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
# an empty cache of perf
export HOME=$work/home
mkdir "$HOME"

build_program() { # NAME OPTION...: its function is NAME
	cat >"$work/program.c" <<END
static volatile int sum;
__attribute__((noinline)) void $1(void) { for (int i = 0; i < 1000; i++) sum += i; }
int main(void) { $1(); return 0; }
END
	"$CC" -O1 -static "${@:2}" -o "$work/program.new" "$work/program.c" &&
		mv "$work/program.new" "$work/program"
}

id_of() { # FILE
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

# report STATUS WHAT [OPTION...]: its exit status
report() {
	local want=$1 what=$2 status=0

	"$san" report --limit=0 "${@:3}" "$work/data" >"$work/out" 2>"$work/err" || status=$?
	cat "$work/err" >>"$work/out"
	ok $((status != want)) "$what: exit status $want" "$work/out"
}

has() { # PATTERN WHAT
	grep -qE "$1" "$work/out"
	ok $? "$2" "$work/out"
}

has_not() { # PATTERN WHAT
	! grep -qE "$1" "$work/out"
	ok $? "$2" "$work/out"
}

build_program first_build
cp "$work/program" "$work/kept"
id=$(id_of "$work/program")
"$hwflow" emulate --quiet -o "$work/data" -- "$work/program" 2>"$work/err"
ok $? "a recording" "$work/err"
perf buildid-list -f -i "$work/data" >"$work/ids" 2>&1
grep -qxF "$id $work/program" "$work/ids"
ok $? "perf lists its build id" "$work/ids"
perf script -f -i "$work/data" --show-mmap-events 2>/dev/null | grep -qF "$id"
ok $? "perf has it in the record of the mapping"
report 0 "the program recorded"
has 'first_build' "its names"

build_program second_build
report 3 "a program built anew"
has_not '(first|second)_build|_start' "none of its names"
has "$work/program has changed since the recording" "a message: the file has changed"
has "$id" "the message has the build id"
has 'symfs' "and the remedy"
"$san" verify "$work/data" >"$work/out" 2>&1
has 'has changed since the recording' "verify reports it"

mkdir -p "$work/root"
cp "$work/kept" "$work/root/program"
report 0 "the program recorded, below --symfs" --symfs="$work/root"
has 'first_build' "its names"
mkdir -p "$work/root$work"
cp "$work/program" "$work/root$work/program"
report 0 "below --symfs, beside one built anew" --symfs="$work/root"
has 'first_build' "its names"

cached=$HOME/.debug/.build-id/${id:0:2}/${id:2}
mkdir -p "$cached"
cp "$work/kept" "$cached/elf"
report 0 "the program recorded, in perf's cache"
has 'first_build' "its names"
has_not 'has changed' "no message"
rm -r "$HOME/.debug"

# no build id now, and none then
build_program second_build -Wl,--build-id=none
report 3 "a program built anew without a build id"
has 'has changed since the recording' "a message: the file has changed"
"$hwflow" emulate --quiet -o "$work/data" -- "$work/program" 2>"$work/err"
report 0 "a program without a build id"
has 'second_build' "its names"
perf buildid-list -f -i "$work/data" >"$work/ids" 2>&1
! grep -qF "$work/program" "$work/ids"
ok $? "perf lists no build id" "$work/ids"
done_testing
