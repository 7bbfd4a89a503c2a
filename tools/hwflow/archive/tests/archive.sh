#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# archive.sh BUILD - a recording and its files in an archive: each verb decodes it as before, files that have
# changed are not packed, damaged archives and those that leave their directory are refused, and no file is left
# behind. Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
tools=${CC%gcc}
export HOME=$work/home TMPDIR=$work/tmp
mkdir "$HOME" "$TMPDIR"
cd "$work" || exit 1

is_empty() {
	[ -z "$(ls -A "$TMPDIR")" ]
}

# clean WHAT: nothing is left in TMPDIR after some seconds
clean() {
	wait_for 5 0 is_empty
	ok $? "$1: no temporary file is left"
	rm -rf "${TMPDIR:?}"/*
}

# verb FILE VERB [OPTION]...: output and exit status; FILE is printed as X
verb() {
	"$san" "$2" "${@:3}" "$1" 2>err | sed "s|^$1\>|X|; s|^[^ ]*/\?$1: |X: |"
	echo "status ${PIPESTATUS[0]}"
}

# pack STATUS WHAT [OPTION]...
pack() {
	local want=$1 what=$2 status

	"$san" archive "${@:3}" >out 2>err </dev/null
	status=$?
	[ $status = "$want" ] && [ ! -s out ]
	ok $? "$what: status $status" err
}

# said PATTERN WHAT: on standard error
said() {
	grep -qE -- "$1" err
	ok $? "$2" err
}

# a program with a separate debug file, in a folder whose name is too long for the header of tar
folder=$work/$(printf 'a-folder-with-a-long-name/%.0s' 1 2 3 4 5)
mkdir -p "$folder.debug"
"$CC" -O1 -g -static -Wl,--build-id -o whole "$top/tools/hwflow/tests/stripped.c"
"${tools}objcopy" --only-keep-debug whole "$folder.debug/program.debug"
"${tools}objcopy" --strip-all --add-gnu-debuglink="$folder.debug/program.debug" whole "${folder}program"
"$hwflow" emulate --quiet -o data -- "${folder}program" 2>err
ok $? "a recording" err
grep -q 'first_part' < <("$san" report data)
ok $? "names come from a debug file"

verbs="report script flow dump annotate verify"
for each in $verbs; do
	verb data $each >"before.$each"
	grep -qx 'status 0' "before.$each"
	ok $? "$each decodes the recording" "before.$each"
done
pack 0 "archive" --truth data
said '^hwflow archive: [3-9] files, .* MB: data.tar.zst$' "summary"
tar --zstd -tf data.tar.zst >list 2>&1
for each in hwflow-archive recording/data recording/data.truth "files${folder}program"; do
	grep -qxF "$each" list
	ok $? "the archive has $each" list
done
grep -qxE 'files/usr/lib/debug/.build-id/[0-9a-f]{2}/[0-9a-f]{38}\.debug' list
ok $? "the archive has the debug file" list

# on another machine, so to say: none of the files is at its place
mkdir elsewhere
mv data.tar.zst elsewhere/X
mv data data.* a-folder-with-a-long-name elsewhere
mkdir away && mv elsewhere/X away/X
mv elsewhere hidden
cd away || exit 1
for each in $verbs; do
	verb X $each >"after.$each"
	cmp "../before.$each" "after.$each" >out 2>&1
	ok $? "$each of the archive prints what it printed before" out
done
cp X Y
"$san" diff X Y >out 2>err
ok $? "diff of two archives" err
grep -q '^X: [1-9][0-9]* instructions' out && grep -q '^Y: Nothing is missing' out
ok $? "diff names the archives" out
[ "$("$san" dump X 2>/dev/null | md5sum)" = "$("$san" dump ../hidden/data | md5sum)" ]
ok $? "the packets are the same"
clean "verbs"
mkfifo pipe
# bash has asynchronous commands ignore SIGINT
for signal in INT TERM KILL; do
	env --default-signal=INT "$hwflow" script --insn X >pipe 2>/dev/null &
	pid=$!
	exec 3<pipe
	head -c 1000 <&3 >/dev/null
	[ -n "$(ls -A "$TMPDIR")" ]
	ok $? "the archive is unpacked below TMPDIR"
	kill -$signal $pid
	wait $pid 2>/dev/null
	exec 3<&-
	clean "SIG$signal"
done
cd ..
mv hidden/a-folder-with-a-long-name hidden/data* .

# The debug files of a library that is stored in an archive of programs, found by build id in another directory. A
# debug link would lead to the directory of that archive.
cat >sum.c <<'END'
__attribute__((visibility("hidden"))) int sum(int count)
{
	int result = 0;

	for (int i = 0; i < count; i++)
		result += i;
	return result;
}
END
cat >loader.c <<'END'
#include <fcntl.h>
#include <sys/mman.h>
int main(void)
{
	int fd = open("base.apk", O_RDONLY);
	char *code = mmap(0, 0x1000, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0x3000 + (SUM & ~0xfff));

	return ((int (*)(int))(code + (SUM & 0xfff)))(10) != 45;
}
END
mkdir inner && cd inner || exit 1
# in one of them the code begins inside a page
for layout in separate-code noseparate-code separate-code,--section-start=.text=0x1a40; do
	for link in id link; do
		id=$([ $link = id ] && echo sha1 || echo none)
		"$CC" -g -O1 -shared -nostdlib -Wl,-z,$layout,-z,max-page-size=4096,--build-id=$id -o whole.so ../sum.c
		at=$("${tools}nm" whole.so | sed -n 's/ t sum$//p')
		read -r offset address < <("${tools}readelf" -lW whole.so | awk '$1 == "LOAD" && / R E / { print $2, $3 }')
		rm -rf symbols .debug base.apk && mkdir symbols .debug
		"${tools}objcopy" --only-keep-debug whole.so symbols/sum.debug
		if [ $link = id ]; then
			"${tools}objcopy" --strip-all whole.so libsum.so
			options=(--debug-dir="$PWD/symbols")
		else
			mv symbols/sum.debug .debug
			"${tools}objcopy" --strip-all --add-gnu-debuglink=.debug/sum.debug whole.so libsum.so
			options=()
		fi
		printf 'PK\3\4' >base.apk
		dd if=libsum.so of=base.apk bs=4096 seek=3 conv=notrunc status=none
		"$CC" -O1 -static -DSUM="$((16#$at - address + offset))" -o loader ../loader.c &&
			"$hwflow" emulate --quiet -o data -- ./loader 2>err
		touch -d '1 minute' data
		pack 0 "inside another file: $layout, $link" "${options[@]}" -q -o packed.tar.zst data
		mkdir away && mv symbols .debug base.apk loader away
		"$san" report --limit=0 packed.tar.zst >out 2>err
		grep -q ' sum  (base.apk)' out
		ok $? "inside another file: $layout, $link: the function has its name" out
		rm -rf away packed.tar.zst
	done
done
cd ..

# what is not packed
pack 0 "without debug files" --no-debug -q -o small.tar.zst data
[ ! -s err ] && ! tar --zstd -tf small.tar.zst | grep -q '\.debug$'
ok $? "no debug file, and no summary" err
"$CC" -O2 -g -static -Wl,--build-id -o "${folder}program" "$top/tools/hwflow/tests/stripped.c"
pack 3 "a program that was built anew" data
said 'program: changed since the recording: .*; not packed$' "it is reported"
! tar --zstd -tf data.tar.zst | grep -q 'program$'
ok $? "it is not packed"
rm "${folder}program"
pack 3 "a program that is missing" data
said 'program: No such file or directory; not packed$' "it is reported"
"$CC" -O1 -static -Wl,--build-id=none -o plain "$top/tools/hwflow/tests/stripped.c"
"$hwflow" emulate --quiet -o plain.data -- ./plain 2>err
pack 0 "a program without build id" plain.data
touch plain
pack 3 "a program without build id, that was written later" plain.data
said 'plain: changed after the recording' "it is reported"
mv data.truth moved.truth
pack 3 "a log that is missing" --truth data
said 'data.truth: No such file' "it is reported"
pack 2 "no recording" none.data
said 'none.data: No such file' "it is reported"
mkfifo named
pack 2 "a named pipe" named
said 'named: neither a perf.data file' "it is reported"
pack 2 "another directory" home
said 'home: neither a perf.data file' "it is reported"
pack 2 "no place for the archive" -o none/x data
said 'none/x: No such file' "it is reported"
pack 1 "the archive in place of the recording" -o data data
pack 1 "two recordings" data plain.data
pack 2 "an archive of an archive" away/X
said 'away/X: offset 0: this is an archive already' "it is reported"

# a directory with a copy of the kernel
mkdir -p directory/kcore_dir
cp plain.data directory/data
echo kernel >directory/kcore_dir/kallsyms
pack 0 "a directory" directory/
tar --zstd -tf directory.tar.zst >list 2>&1
grep -qxF recording/directory/data list && grep -qxF recording/directory/kcore_dir/kallsyms list
ok $? "its files are in the archive" list

# names of code made at run time
"$CC" -O1 -static -o jit "$top/tools/hwflow/tests/jit.c"
"$hwflow" emulate --quiet -o jit.data -- ./jit dump 2>err
pack 0 "a program with a jitdump file" jit.data
mkdir other
mv jit.data.tar.zst other
rm -f jit jit.data jit.data.code jit-*.dump
"$san" report --limit=0 other/jit.data.tar.zst >out 2>err
grep -q 'before  (jit-' out
ok $? "its code has names" out

# refused WHAT PATTERN FILE: exit status 2, a message, and nothing left
refused() {
	local status

	"$san" report "$3" >out 2>err
	status=$?
	[ $status = 2 ] && grep -qE -- "^hwflow: $3: (offset [0-9a-fx]+: )?.*($2)" err && [ ! -s out ] &&
		[ -z "$(ls -A "$TMPDIR")" ]
	ok $? "$1: refused, status $status" err
}

# made NAME TAR-OPTION...: an archive of these files behind the manifest
made() {
	tar -cf "$1.tar" hwflow-archive recording
	tar -rf "$1.tar" "${@:2}" 2>/dev/null
	zstd -q --rm -f "$1.tar" -o "$1"
}

mkdir make
cd make || exit 1
printf 'hwflow archive 1\nrecording data\n' >hwflow-archive
mkdir recording
cp ../plain.data recording/data
echo evil >../evil
ln -s /etc/passwd link
mkfifo fifo
echo a >a
ln a b
made good a
"$san" dump good >out 2>err
ok $? "an archive that tar and zstd made" err
made parent -P ../evil
refused "a name with .." "'\.\./evil' would leave the directory" parent
made absolute -P "$work/evil"
refused "an absolute name" 'would leave the directory' absolute
made link link
refused "a symbolic link" "'link' is a link or a special file" link
made hard a b
refused "a hard link" "'b' is a link or a special file" hard
made fifo-archive fifo
refused "a named pipe" "'fifo' is a link or a special file" fifo-archive
made twice a a
tar -cf twice.tar hwflow-archive recording a && tar -rf twice.tar a && zstd -q --rm -f twice.tar -o twice
refused "a file twice" 'the archive has it twice' twice
truncate -s 150M zeros
made bomb zeros
refused "an archive of zeros" '--max=archive=N raises it' bomb
"$san" report --max=archive=1M bomb >out 2>err
! grep -q -e '--max=archive' err
ok $? "--max=archive raises the limit" err
tar -cf first.tar a && zstd -q --rm -f first.tar -o first
refused "another archive" 'not an archive of hwflow' first
printf 'hwflow archive 2\nrecording data\n' >hwflow-archive
made newer a
refused "a newer version" 'made by a newer hwflow' newer
printf 'hwflow archive 1\nrecording ../../../../../../etc/passwd\n' >hwflow-archive
made manifest a
refused "a recording outside" 'its first file is damaged' manifest
echo text | zstd -q >text
refused "compressed text" 'the archive is cut|checksum' text

# damage at many places: refused with an offset, or found by the checksum
size=$(stat -c %s good)
bad=0
for i in $(seq 1 40); do
	head -c $((size * i / 41)) good >cut
	"$san" report cut >out 2>err
	[ $? = 2 ] && grep -qE 'offset (0x[0-9a-f]+|0): the archive is cut|neither a perf.data' err || bad=$((bad + 1))
	cp good flipped
	printf '\xff\x00\xaa' | dd of=flipped bs=1 seek=$((size * i / 41)) conv=notrunc 2>/dev/null
	cmp -s good flipped && continue
	"$san" report flipped >out 2>err
	[ $? = 2 ] && grep -qE 'offset (0x[0-9a-f]+|0): ' err || bad=$((bad + 1))
done
[ $bad = 0 ]
ok $? "each of 80 damaged archives is refused with an offset ($bad not)" err
clean "damage"
[ "$(cat ../evil)" = evil ]
ok $? "no file outside was written"
TMPDIR=/nonexistent "$san" report good >out 2>err
[ $? = 2 ] && grep -q 'TMPDIR names another directory' err
ok $? "no temporary directory" err
done_testing
