#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# emulate-program.sh BUILD - which file hwflow emulate runs for PROGRAM, and the message for each
# reason why it cannot. Speaks TAP.
set -u

build=$(realpath "$1")
hwflow=$build/hwflow
[ ! -x "$build/san/hwflow" ] || hwflow=$build/san/hwflow
plugin=$build/hwflow-plugin.so
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
. "$(dirname "$0")/../../../setup/tests/tap.bash"
. "$(dirname "$0")/../../../setup/tests/wait.bash"

# refused TEXT OPTIONS...: exit status $want, 126 if it is not set, and a single message of hwflow, which has TEXT
refused() {
	local text=$1

	shift
	guarded 60 env ${no_path+PATH=} "$hwflow" emulate --quiet --plugin="$plugin" -o "$work/data" "$@" \
		>"$work/out" 2>"$work/err" </dev/null
	[ $? = "${want-126}" ] && grep -F -- "$text" "$work/err" | grep -q '^hwflow emulate: ' &&
		[ "$(grep -c '^hwflow emulate:' "$work/err")" = 1 ] && [ ! -e "$work/data" ]
	ok $? "$* : $text" "$work/err"
}

# prints TEXT OPTIONS...: the program runs, and prints TEXT
prints() {
	local text=$1

	shift
	"$hwflow" emulate --quiet --plugin="$plugin" -o "$work/data" "$@" >"$work/out" 2>"$work/err" </dev/null
	[ $? = 0 ] && [ -s "$work/data" ] && [ "$(cat "$work/out")" = "$text" ]
	ok $? "$* prints $text" <(cat "$work/out" "$work/err")
	rm -f "$work"/data*
}

# elf FILE CLASS DATA MACHINE [TYPE]: the header of such a program, and nothing else of it
elf() {
	local type=${5-2}

	{
		printf "\\x7fELF\\x$2\\x$3\\x1\\0\\0\\0\\0\\0\\0\\0\\0\\0"
		if [ "$3" = 1 ]; then
			printf "\\x$type\\0\\x$4\\0\\x1\\0\\0\\0"
		else
			printf "\\0\\x$type\\0\\x$4\\0\\0\\0\\x1"
		fi
		head -c 40 /dev/zero
	} >"$1"
	chmod +x "$1"
}

cd "$work" || exit 1
cat >args.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <unistd.h>
	int main(int argc, char **argv)
	{
		if (argc > 2 && !strcmp(argv[1], "execv"))
			return execv(argv[2], argv + 2);
		if (argc > 1 && !strcmp(argv[1], "abort"))
			abort();
		for (int i = 0; i < argc; i++)
			printf("[%s]", argv[i]);
		puts("");
		return argc > 1 && !strcmp(argv[1], "exit") ? atoi(argv[2]) : 0;
	}
END
aarch64-linux-gnu-gcc -O2 -static -o args args.c
aarch64-linux-gnu-gcc -O2 -o dynamic args.c
riscv64-linux-gnu-gcc -O2 -o dynamic-riscv args.c
mkdir -p root/usr/bin root/etc/alternatives directory empty-root
cp args root/usr/bin/guest-args
ln -s /etc/alternatives/shell root/usr/bin/shell
ln -s /usr/bin/guest-args root/etc/alternatives/shell
ln -s usr/bin root/bin

# what cannot be a program
: >empty && chmod +x empty
echo text >text && chmod +x text
cp args not-executable && chmod -x not-executable
mkfifo pipe && chmod +x pipe
head -c 40 args >cut && chmod +x cut
head -c 100 args >cut-segments && chmod +x cut-segments
aarch64-linux-gnu-gcc -O2 -c -o object args.c && chmod +x object
aarch64-linux-gnu-gcc -shared -nostdlib -Wl,-e,0 -o library -x c - <<<'int f(void) { return 1; }'
want=127 refused "none: No such file or directory" ./none
refused "args/none: Not a directory" ./args/none
refused "directory: this is a directory" ./directory
refused "pipe: this is a device, a pipe or a socket" ./pipe
refused "not-executable: the file has no execute permission; if it is a program: chmod +x" ./not-executable
refused "empty: the file is empty" ./empty
refused "text: neither an ELF file nor a script" ./text
refused "cut: offset 0: an ELF header that is cut off" ./cut
refused "cut-segments: offset 0x40: the program headers are not in the file" ./cut-segments
refused "object: an object file, not a program; link it first" ./object
refused "library: a shared library, not a program" ./library
want=127 refused "PROGRAM is an empty word" ''
want=125 refused "--sysroot=none: No such file" --sysroot=none ./args
want=125 refused "--sysroot=args: Not a directory" --sysroot=args ./args

# programs of other processors
while read -r class data machine words; do
	elf other "$class" "$data" "$machine"
	refused "other: a program for $words; hwflow emulate runs arm64 and riscv64 Linux programs" ./other
done <<-'TABLE'
	2 1 3e x86-64
	1 1 03 32-bit x86
	1 1 28 32-bit arm
	2 2 b7 big-endian arm64
	1 1 b7 arm64 with 32-bit pointers (ILP32)
	1 1 f3 32-bit RISC-V
	2 2 16 s390x
TABLE
elf other 2 1 9
refused "other: an ELF file for machine 9; hwflow emulate runs arm64 and riscv64 Linux programs" ./other
elf other 2 1 b7
refused "other: an ELF file without a segment of code" ./other

# PATH
PATH=$work:$PATH prints '[args][one]' args one
want=127 refused "args: not in a directory of PATH; the file in the current directory is ./args" args
want=127 refused "none: not in a directory of PATH; give the path" none
want=127 refused "none: not in a directory of PATH, neither below root nor on this machine" -L root none
PATH=$work:$PATH refused "not-executable ($work/not-executable): the file has no execute" not-executable
PATH=/usr/bin prints '[guest-args][one]' -L root guest-args one
PATH=/usr/bin prints '[shell]' -L root shell
PATH=/usr/bin prints '[guest-args]' -L "$work/root" guest-args
PATH=/usr/bin QEMU_LD_PREFIX=root prints '[guest-args]' guest-args
PATH=/bin:/usr/bin refused "true (" -L root true
grep -q 'a program for .*; hwflow emulate runs .* programs; --sysroot=DIR looks for it below DIR first' err
ok $? "a program of this machine found in PATH: the remedy is --sysroot" err
cp args root/usr/bin/true
[ -x /usr/bin/true ]
ok $? "this machine has /usr/bin/true"
refused "/usr/bin/true: a program for " -L root /usr/bin/true
grep -q '; the file below root is root/usr/bin/true$' err
ok $? "a path that names another file below --sysroot: the remedy is that path" err
rm root/usr/bin/true
want=127 refused "usr/bin/guest-args: No such file or directory; the file below root is root/usr/bin/guest-args" \
	-L root /usr/bin/guest-args
mkdir -- -d && cp args ./-d/guest
prints '[-d/guest][-x]' -- -d/guest -x

# scripts
script() { # FILE LINE
	printf '%b' "$2" >"$1"
	chmod +x "$1"
}
script plain "#!$work/args\n"
prints "[$work/args][./plain][one][two three]" ./plain one 'two three'
script argument "#!  $work/args \t one  two\t \nthree"
prints "[$work/args][one  two][./argument][three]" ./argument three
script no-newline "#!$work/args"
prints "[$work/args][./no-newline]" ./no-newline
script guest "#!/bin/shell -e\n"
prints "[/bin/shell][-e][./guest]" -L root ./guest
PATH=$work:$PATH prints "[/bin/shell][-e][$work/guest]" -L root guest
script relative "#!args\n"
prints "[args][./relative]" ./relative
last=$work/args
arguments=
for i in 1 2 3 4 5 6; do
	script "nested$i" "#!$last\n"
	last=$work/nested$i
	[ "$i" -gt 4 ] || arguments=$arguments[$work/nested$i]
done
prints "[$work/args]$arguments[./nested5]" ./nested5
refused "nested1: a script again; Linux follows 5 scripts" ./nested6
# the same when a program calls execve
prints "[$work/args]$arguments[./nested5]" ./args execv ./nested5
prints "[$work/args][./no-newline][one two]" ./args execv ./no-newline 'one two'
script no-interpreter "#!  \n"
refused "no-interpreter: line 1: a script without the path of an interpreter" ./no-interpreter
script long "#!/$(printf 'x%.0s' {1..300})\n"
refused "long: line 1: a script without the path of an interpreter" ./long
script missing "#!/none/sh\n"
want=127 refused "./missing: the interpreter of this script, /none/sh: No such file or directory; --sysroot=DIR" ./missing
want=127 refused "./missing: the interpreter of this script, /none/sh: No such file or directory, nor is it below root" \
	-L root ./missing
script windows "#!$work/args\r\n"
want=127 refused "windows: the interpreter of this script, $work/args: line 1 ends in a carriage return" ./windows
script native "#!/bin/sh\n"
refused "native: the interpreter of this script, /bin/sh: a program for " ./native
script to-directory "#!$work/directory\n"
refused "to-directory: the interpreter of this script, $work/directory: this is a directory" ./to-directory

# dynamic linkers
prints '[./dynamic]' -L /usr/aarch64-linux-gnu ./dynamic
unset QEMU_LD_PREFIX
for program in dynamic:aarch64:aarch64 dynamic-riscv:riscv64:riscv64-lp64d; do
	IFS=: read -r name processor linker <<<"$program"
	linker=/lib/ld-linux-$linker.so.1
	if [ -e "$linker" ] || [ -e "/etc/qemu-binfmt/$processor" ]; then
		ok 0 "$name # SKIP this machine has $linker"
		continue
	fi
	want=127 refused "$name: the dynamic linker that this program needs, $linker, is neither below a --sysroot (none was given) nor on this machine; --sysroot=/usr/$processor-linux-gnu has it" \
		"./$name"
	want=127 refused "$linker, is neither below empty-root nor on this machine" -L empty-root "./$name"
done

# QEMU
fake() { # VERSION-LINE COMMANDS...: a QEMU that prints this, and otherwise does the commands
	printf '#!/bin/sh\ncase $* in -version) echo "%s"; exit;; esac\n%s\n' "$1" "$2" >qemu
	chmod +x qemu
}
want=125
refused "--qemu=./none: No such file" --qemu=./none ./args
refused "--qemu=./directory: Is a directory" --qemu=./directory ./args
refused "--qemu=./not-executable: Permission denied" --qemu=./not-executable ./args
refused "--qemu=none: not in a directory of PATH; build qemu-aarch64 with 'make qemu-user'" --qemu=none ./args
mkdir alone
cp "$hwflow" alone/hwflow
hwflow=$work/alone/hwflow no_path=yes \
	refused "qemu-aarch64: not in a directory of PATH; build qemu-aarch64 with 'make qemu-user'" ./args
refused "text: it cannot be executed: Exec format error" --qemu=./text ./args
fake "qemu-aarch64 version 5.2.0 (Debian)" "exit 1"
refused "./qemu: QEMU 5.2 is too old; version 7.2 or later is needed" --qemu=./qemu ./args
fake "qemu-riscv64 version 7.2.0" "exit 1"
refused "./qemu: this is qemu-riscv64; ./args is a program for qemu-aarch64" --qemu=./qemu ./args
fake "hello" "exit 1"
refused "./qemu: this is not QEMU: it answers -version with 'hello'" --qemu=./qemu ./args
fake "qemu-aarch64 version 8.0.1" 'case $* in *-plugin*) echo "unknown option plugin"; exit 1;; esac'
refused "./qemu: this QEMU is built without plugins (unknown option plugin), as Debian's is since version 10.0" \
	--qemu=./qemu ./args
fake "qemu-aarch64 version 8.0.1" 'case $* in *-version) exit;; esac; exit 3'
refused "./args: QEMU (./qemu) exited with status 3 before the program executed" --qemu=./qemu ./args
fake "qemu-aarch64 version 8.0.1" 'case $* in *-version) exit;; esac; kill -ILL $$'
refused "./args: QEMU (./qemu) was ended by signal 4 (Illegal instruction)" --qemu=./qemu ./args
refused "--qemu-option: QEMU refuses its options (" --qemu-option=-none ./args
refused "its message is above: check the --qemu-option" --qemu-option=-cpu --qemu-option=none ./args
refused "--plugin=none: No such file" --plugin=none ./args

# the command has the status of the program, which was traced; its message distinguishes the statuses of the command
ends() { # STATUS MESSAGE ARGUMENT...
	local want=$1 text=$2

	shift 2
	"$hwflow" emulate --quiet --plugin="$plugin" -o data ./args "$@" >out 2>err
	[ $? = "$want" ] && grep -qxF "hwflow emulate: ./args $text" err && [ -s data ]
	ok $? "a program that ends with status $want is traced" err
	rm -f data*
}
ends 1 'exited with status 1' exit 1
ends 124 'exited with status 124' exit 124
ends 125 'exited with status 125' exit 125
ends 134 'was ended by signal 6 (Aborted)' abort

# without -o
"$hwflow" emulate --plugin="$plugin" ./args >out 2>err && [ -s perf.data ] && [ -s perf.data.truth ]
ok $? "perf.data is written" err
for verb in report script flow dump verify; do
	"$hwflow" $verb >out 2>err && [ -s out ] && [ ! -s err ]
	ok $? "$verb reads perf.data" err
done
leftover=$(find . -name '*.run-*')
[ -z "$leftover" ]
ok $? "no directory of a run is left $leftover"
done_testing
