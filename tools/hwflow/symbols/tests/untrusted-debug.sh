#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# untrusted-debug.sh BUILD - separate debug files: they are found by build id, by debug link, and by the link to a file
# that debug files share, and files of split units; none of these leaves --symfs. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
unset DEBUGINFOD_URLS
export HOME=$work
cd "$work" || exit 1
objcopy=${CC%gcc}objcopy
command -v strace >/dev/null || {
	echo "ok 1 - untrusted-debug # SKIP strace is not installed"
	exit 0
}

cp "$top/tools/hwflow/tests/stripped.c" .
# record NAME OPTION...: a program, its debug file NAME.debug, and a recording NAME.data of the program without symbols
record() {
	local name=$1

	shift
	"$CC" -O1 -g -static "$@" -o "$name.whole" stripped.c &&
		"$objcopy" --only-keep-debug "$name.whole" "$name.debug" &&
		"$objcopy" --strip-all "$name.whole" "$name" &&
		"$hwflow" emulate --quiet -o "$name.data" -- "./$name" >/dev/null 2>err
}
record with -Wl,--build-id
ok $? "a program with a build id" err
record without -Wl,--build-id=none
ok $? "a program without" err
id=$(readelf -n with | sed -n 's/.*Build ID: //p')
mkdir hidden
mv with.debug without.debug hidden

# shows VERDICT WHAT NAME ROOT: report has the names of functions
shows() {
	local verdict=$1 what=$2 name=$3

	"$san" report --limit=0 --symfs="$4" "$name.data" >out 2>err
	case $verdict in
	yes) grep -q first_part out ;;
	no) grep -q 'instructions' out && ! grep -q first_part out ;;
	esac
	ok $? "$what" out
}
# root [LINK]: a directory with both programs, whose debug link is LINK
root() {
	rm -rf root
	mkdir -p "root$work" root/usr/lib/debug
	for name in with without; do
		if [ $# = 0 ]; then
			cp $name "root$work"
		else
			cp "hidden/$name.debug" "$1"
			"$objcopy" --add-gnu-debuglink="$1" $name "root$work/$name"
			rm "$1"
		fi
	done
}
root
shows no "no debug file" with root
mkdir -p "root/usr/lib/debug/.build-id/${id:0:2}"
cp hidden/with.debug "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
shows yes "by build id" with root
cp hidden/without.debug "root/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
shows no "a file with another build id" with root
root link.dbg
cp hidden/with.debug "root$work/link.dbg"
shows yes "by debug link, in the folder" with root
shows no "a file with another CRC" without root
root link.dbg
mkdir "root$work/.debug"
cp hidden/without.debug "root$work/.debug/link.dbg"
shows yes "by debug link, in .debug" without root
shows no "a file without the build id" with root
root link.dbg
mkdir -p "root/usr/lib/debug$work"
cp hidden/with.debug "root/usr/lib/debug$work/link.dbg"
shows yes "by debug link, below usr/lib/debug" with root
root
cp hidden/without.debug "root$work/without.debug"
shows yes "by the name of the program, without a CRC" without root
cp hidden/without.debug "root$work/with.debug"
shows no "by the name of the program, without its build id" with root
cp hidden/with.debug "root$work/with.debug"
shows yes "by the name of the program" with root
root link.dbg
mkdir root/real
mv "root$work/with" root/real
cp hidden/with.debug root/real/link.dbg
ln -s /real/with "root$work/with"
shows yes "the program is a symbolic link" with root

# opens VERDICT WHAT PATTERN NAME: whether script, which prints source lines, opens a file for reading whose path has PATTERN
opens() {
	strace -f -y -o trace -e trace=open,openat,openat2 "$hwflow" script --limit=5000 --symfs=root "$4.data" >out 2>err
	grep -v O_PATH trace | grep -E "= [0-9]+<[^>]*$3" >opened
	case $?-$1 in 0-once | 1-never) ok 0 "$2" ;; *) ok 1 "$2" opened ;; esac
}
# a debug link with "..": objcopy writes no such link, so its letters are replaced
root aaaaaaaaaaaaaaaaaaaaaaaa.dbg
for name in with without; do
	sed -i "s|aaaaaaaaaaaaaaaaaaaaaaaa.dbg|../../..////////hidden/d.dbg|" "root$work/$name"
done
cp hidden/with.debug hidden/d.dbg
opens never "a debug link with .. does not leave symfs" "$work/hidden/d" with
root link.dbg
ln -s "$work/hidden/with.debug" "root$work/link.dbg"
opens never "a link to a debug file does not leave symfs" "$work/hidden/with.debug" with
shows no "and has no names" with root

# a file that debug files share, as dwz(1) makes it: .gnu_debugaltlink has its name and its build id
id=0123456789abcdef0123456789abcdef01234567
"$CC" -O1 -g -static -Wl,--build-id=0x$id -o shared.whole stripped.c
"$objcopy" --only-keep-debug shared.whole hidden/shared.debug
shared() { # NAME: the debug file of `with` says that it shares NAME
	{ printf '%s\0' "$1" && xxd -r -p <<<"$id"; } >alt
	root link.dbg
	"$objcopy" --add-section .gnu_debugaltlink=alt hidden/with.debug "root$work/link.dbg"
}
shared ../../../../../../../../../../..$work/hidden/shared.debug
opens never "the shared file does not leave symfs" "$work/hidden/shared.debug" with
[ "$(wc -l <err)" = 1 ] && grep -q "^hwflow: root$work/link.dbg: the file [./]*$work/hidden/shared.debug, with which it shares debug information" err &&
	grep -q 'stripped.c:' out
ok $? "a shared file that is missing is reported once, and there are source lines" err
shows yes "the debug file is used without the shared file" with root
shared "$work/hidden/shared.debug"
opens never "an absolute path of a shared file does not leave symfs" "$work/hidden/shared.debug" with
mkdir -p "root$work/hidden"
cp hidden/shared.debug "root$work/hidden"
opens once "the shared file below symfs" "root$work/hidden/shared.debug" with
[ ! -s err ]
ok $? "and nothing is reported" err

# a file of a split unit
"$CC" -O1 -g -gsplit-dwarf -static -o split stripped.c && "$hwflow" emulate --quiet -o split.data -- ./split >/dev/null 2>err
ok $? "a program with split units" err
split() { # VERDICT WHAT: the file of its unit is used
	"$san" profile --for=autofdo --symfs=root --dso=split split.data >out 2>err
	case $1 in
	yes) grep -q ^main: out && [ ! -s err ] ;;
	no) [ ! -s out ] && grep -q "the file split-stripped.dwo, .* is missing" err ;;
	esac
	ok $? "$2" err
}
root
cp split "root$work"
mv split-stripped.dwo hidden
split no "a file of a split unit that is missing"
ln -s "$work/hidden/split-stripped.dwo" "root$work/split-stripped.dwo"
split no "a link to a file of a split unit does not leave symfs"
rm "root$work/split-stripped.dwo"
cp hidden/split-stripped.dwo "root$work"
split yes "a file of a split unit below symfs"
rm "root$work/split-stripped.dwo"
mkfifo "root$work/split-stripped.dwo"
split no "a FIFO in its place"

# a debug file that is a FIFO
root link.dbg
mkfifo "root$work/link.dbg"
guarded 20 "$hwflow" report --limit=0 --symfs=root with.data >out 2>err
[ $? = 0 ]
ok $? "a FIFO as debug file" err
done_testing
