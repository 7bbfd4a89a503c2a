#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# untrusted-files.sh BUILD - inputs that are pipes or devices: each verb ends with a message that names the file and the
# cause. Paths of a recording and of a capture do not leave the directory that the user named. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/budget.bash"
. "$top/tools/setup/qemu-user.bash"

qemu_of "$hwflow" qemu-aarch64 >/dev/null || {
	echo "ok 1 - untrusted-files # SKIP there is no QEMU for arm64: make qemu-user"
	exit 0
}
CC=${CROSS_CC:-aarch64-linux-gnu-gcc}
objcopy=${CC%gcc}objcopy
cp "$top/tools/hwflow/tests/stripped.c" .
"$CC" -O1 -g -static -Wl,--build-id=none -o program stripped.c
"$hwflow" emulate --quiet -o good -- ./program 2>err
ok $? "a recording" err

# refused WHAT FILE WORDS VERB [ARG...]: exit status $want, 2 if it is not set, and a message with FILE and WORDS; under sanitizers as well
refused() {
	local what=$1 file=$2 words=$3 command status

	shift 3
	for command in "$hwflow" "$san"; do
		guarded 10 "$command" "$@" >out 2>err </dev/null
		status=$?
		[ $status = "${want-2}" ] && grep -qF "$file: $words" err
		ok $? "$what: $1 ($(basename "$(dirname "$command")")): exit status $status" err
	done
}
pipe="a pipe, a device or a socket, and not a regular file; copy its contents to a file first"

# every kind of input as a FIFO: open(2) of one waits for a writer
mkfifo fifo
mkdir directory kcore capture both
ln fifo directory/data
ln fifo capture/snapshot.ini
refused "FIFO as SRC" fifo "neither a file nor a directory" report fifo
refused "FIFO as SRC" fifo "neither a file nor a directory" dump --protocol=ete --config=TRCCONFIGR=1 fifo
# a directory without a file `data` that is a recording is a capture
refused "FIFO as data" directory/snapshot.ini "No such file" flow directory
refused "FIFO as snapshot.ini" capture/snapshot.ini "$pipe" flow capture
refused "FIFO as ground truth" fifo "$pipe" verify --truth=fifo good
refused "FIFO as log" fifo "$pipe" encode -o out.bin fifo
refused "FIFO as log" fifo "$pipe" emulate --show-log fifo
refused "device as ground truth" /dev/zero "$pipe" verify --truth=/dev/zero good
refused "device as log" /dev/zero "$pipe" encode -o out.bin /dev/zero
want=126 refused "FIFO as program" fifo "" emulate -o out.data -- ./fifo
refused "FIFO as image" fifo "$pipe; its code is missing" flow --protocol=ete --config=TRCCONFIGR=1 --image=fifo@0 program
mkfifo FIFO.truth
cp good FIFO
refused "FIFO beside the recording" FIFO.truth "$pipe" verify FIFO

# a process substitution is a pipe; standard input that is a file has a path that can be opened
"$hwflow" report --limit=0 <(cat good) >out 2>err
[ $? = 2 ] && grep -q "neither a file nor a directory; copy" err
ok $? "a process substitution" err
"$hwflow" report --limit=0 /dev/stdin <good >out 2>err
ok $? "/dev/stdin that is a file" err
"$hwflow" emulate --show-log good.truth | "$hwflow" encode --image=program -o out.bin - 2>err
ok $? "encode reads a pipe as -" err
"$hwflow" encode -o out.bin <("$hwflow" emulate --show-log good.truth) 2>err
[ $? = 2 ] && grep -qF "$pipe, or give - and the contents on standard input" err
ok $? "encode names - for a pipe" err

# the limit of the size, and the option that raises it
"$hwflow" report --max=input=1000 good >out 2>err
[ $? = 2 ] && grep -q "good: the file is too large: the limit is 1000 bytes of one input file; --max=input=N raises it" err
ok $? "a file larger than the limit" err

# programs that the recording names
files() { # WHAT [ARG...]: report ends, and the message names the cause
	local what=$1

	shift
	guarded 10 "$hwflow" report --limit=0 "$@" good >out 2>err
	[ $? = 3 ] && grep -qF "no code: " err
	ok $? "$what" err
}
mv program kept
mkfifo program
files "FIFO as a program of the recording"
grep -qF "$work/program: $pipe" err
ok $? "the message names it" err
rm program

# reads VERDICT WHAT PATTERN COMMAND...: whether a file whose path has PATTERN is opened for reading
command -v strace >/dev/null || {
	ok 1 "strace is not installed"
	done_testing
}
reads() {
	local verdict=$1 what=$2 pattern=$3 opened

	shift 3
	guarded 60 strace -f -y -o trace -e trace=open,openat,openat2 "$@" >out 2>err </dev/null
	# -y: the descriptor that the call returns is shown with its path
	grep -v O_PATH trace | grep -E "= [0-9]+<[^>]*$pattern" >opened
	opened=$?
	if [ "$verdict" = never ]; then
		[ $opened != 0 ]
	else
		[ $opened = 0 ]
	fi
	ok $? "$what" opened
}

# --symfs: the path of a mapping with "..", and links; the program outside of the directory is kept
mkdir -p outside "symfs$work"
cp kept outside/secret
cp kept "symfs$work/program"
reads once "a program below symfs is opened" "/symfs$work/program" "$hwflow" report --symfs=symfs good

# source files, which the debug information names: below symfs alone
reads never "annotate: a source file is not sought outside of symfs" "$work/stripped.c" \
	"$hwflow" annotate --limit=0 --symfs=symfs good
cp stripped.c "symfs$work"
reads once "annotate: a source file below symfs is opened" "/symfs$work/stripped.c" \
	"$hwflow" annotate --limit=0 --symfs=symfs good
cp stripped.c outside
ln -sf "$work/outside/stripped.c" "symfs$work/stripped.c"
reads never "annotate: a link to a source file does not leave symfs" "/outside/stripped.c" \
	"$hwflow" annotate --limit=0 --symfs=symfs good
rm "symfs$work/stripped.c"
mkfifo "symfs$work/stripped.c"
reads never "annotate: a FIFO in place of a source file is not opened" "/stripped.c" "$hwflow" annotate --limit=0 --symfs=symfs good
grep -q . out
ok $? "annotate: it prints what it has without the source file" err
rm "symfs$work/stripped.c"
cp kept program
reads once "annotate: without symfs the source file is opened where the debug information says" "$work/stripped.c" \
	"$hwflow" annotate --limit=0 good
grep -q "sum += i" out
ok $? "annotate: and its lines are printed" err
truncate -s $(((64 << 20) + 1)) stripped.c
"$hwflow" annotate --limit=0 good >out 2>err
grep -q . out && ! grep -q "sum += i" out
ok $? "annotate: a source file of more than 64 MB is not read" err
cp outside/stripped.c .
rm program

ln -sf "$work/outside/secret" "symfs$work/program"
reads never "an absolute link does not leave symfs" "/outside/secret" "$hwflow" report --symfs=symfs good
ln -sf "../../../../../../../../../../../../..$work/outside/secret" "symfs$work/program"
reads never "a relative link does not leave symfs" "/outside/secret" "$hwflow" report --symfs=symfs good
rm "symfs$work/program"
# an absolute link is one of the machine recorded
mkdir -p symfs/opt
cp kept symfs/opt/real
ln -sf /opt/real "symfs$work/program"
reads once "an absolute link is followed below symfs" "/symfs/opt/real" "$hwflow" report --symfs=symfs good
rm "symfs$work/program"
# the same recording with a path of the same length that has ".."
from=$work/program to=/../../..
printf -v fill '%*s' $((${#from} - ${#to} - 7)) ''
to=$to${fill// //}/secret
sed "s|$from|$to|g" good >hostile
mkdir -p a/b/c
cp kept secret
reads never "a mapping with .. does not leave symfs" "$work/secret" \
	"$hwflow" report --limit=0 --symfs="$work/a/b/c" hostile
cp kept a/b/c/secret
reads once "a mapping with .. ends at symfs" "$work/a/b/c/secret" \
	"$hwflow" report --limit=0 --symfs="$work/a/b/c" hostile
done_testing
