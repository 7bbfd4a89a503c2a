#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# untrusted-text.sh BUILD - names of threads, files and functions, lines of source text, values of files and words of
# the command line with control characters: what verbs print has none of them, and no line that an input has made up.
# Speaks TAP.
set -u
. "$(dirname "$0")/../../tests/emulated.bash"
cd "$work" || exit 1
export HOME=$work
unset DEBUGINFOD_URLS

# Sets a colour and the title of a terminal, begins a line, clears the screen (C1), is not UTF-8, and turns the
# direction of the text (U+202E); as a function and as a file it is a name that no other has
evil=$'a\e[31m\e]0;t\a\nFORGED\r\tb\x7f\xc2\x9b2J\xff\xe2\x80\xae\\n'
shown='a\033[31m\033]0;t\a\nFORGED\r\tb\177\302\2332J\377\342\200\256\\n'

# is_clean FILE...: printable ASCII and newlines only, and no line of the input's. The file "why" has what is not.
is_clean() {
	{
		LC_ALL=C grep -aHnP '[^\x20-\x7e]' "$@" | cat -v
		grep -aHn '^FORGED' "$@"
	} >why
	[ ! -s why ]
}

# clean NAME VERB [ARG...]: the output is clean; it and the status are kept for more tests
clean() {
	local name=$1

	shift
	"$san" "$@" >out 2>err </dev/null
	status=$?
	is_clean out err
	ok $? "$name: no control character in the output" why
	[ $status -lt 4 ] || [[ $status = 12[4-7] && $1 =~ ^(record|stat|emulate)$ ]]
	ok $? "$name: ends with a status of its own, not $status" err
}

# has TEXT FILE WHAT: a file has this text
has() {
	grep -qF -- "$1" "$2"
	ok $? "$3" "$2"
}

# --- a program whose names are like that, recorded
mkdir "$evil.d"
program=$evil.d/$evil
cat >"$evil.S" <<END
	.text
	.globl	_start
_start:	mov	x19, #3
1:	bl	f	// "text\\n" of $(printf 'a\e[31m\f\x9b\tline')
	subs	x19, x19, #1
	b.ne	1b
	bl	comm
	mov	x0, #0
	mov	x8, #93
	svc	#0
	.type	f, %function
	.type	comm, %function
f:	ret
	.size	f, . - f
comm:	ret
	.size	comm, . - comm
END
"$CC" -g -c -o program.o "$evil.S" &&
	"${CC%gcc}objcopy" --redefine-sym "f=$evil" program.o &&
	"$CC" -g -nostdlib -static -Wl,--build-id -o "$program" program.o
ok $? "a program of such names is built"
"$hwflow" emulate -o recording -- "./$program" >out 2>err </dev/null
ok $? "and recorded" err
is_clean out err
ok $? "emulate: no control character in the output" why

clean report report --width=0 recording
has "$shown" out "report: the function is shown escaped"
for sort in instructions calls; do
	clean "report --sort=$sort --by" report --sort=$sort --by=thread recording
	clean "report --sort=$sort --by" report --sort=$sort --by=dso --width=0 recording
done
for option in --limit=5 --insn --fields=comm,tid,ip,sym,symoff,dso,srcline --full-paths; do
	clean "script $option" script "$option" recording
done
"$san" script --fields=comm,tid,ip,sym,symoff,dso,srcline recording >out 2>err
[ "$(grep -cvE '^a\\033\[31m' out)" = 0 ]
ok $? "script: each line begins with the name of the thread, escaped" out
has "$shown" out "script: the function is shown escaped"
for format in human ref; do
	clean "dump --format=$format" dump --format=$format recording
	clean "flow --format=$format" flow --format=$format recording
done
clean annotate annotate --limit=0 recording
has "$shown" out "annotate: the function is shown escaped"
has '"text\n" of a\033[31m\f\233' out "annotate: the source line is escaped, but for its backslash"
clean diff diff recording recording
clean verify verify --truth=recording.truth recording
[ $status = 0 ]
ok $? "verify: equal" err
clean archive archive -o recording.tar.zst recording
clean "report of the archive" report recording.tar.zst

# --- a program that has gone: messages name it. A file with a newline in its name is in no mapping by this name.
gone=${evil//$'\n'/}
mv "$program" "$gone"
"$hwflow" emulate -o gone -- "./$gone" >out 2>err </dev/null
ok $? "a program without a newline in its name is recorded" err
clean "report --by=dso" report --sort=instructions --by=dso --width=0 gone
has "\\aFORGED\\r\\tb\\177" out "report: the file is shown escaped"
clean "script" script --full-paths gone
has "\\aFORGED\\r\\tb\\177" out "script: the file is shown escaped"
clean "diff" diff --by=dso gone recording
rm "$gone"
for verb in report script flow annotate verify; do
	arguments=()
	[ $verb != verify ] || arguments=(--truth=gone.truth)
	clean "$verb without the program" $verb "${arguments[@]}" gone
	has '\aFORGED\r\tb\177' err "$verb: the message has the name, escaped"
done
clean "archive without the program" archive -o without.tar.zst gone
has '\aFORGED\r\tb\177' err "archive: the message has the name, escaped"
clean "report --jobs=2 --gaps=all without the program" report --jobs=2 --gaps=all gone

# --- words of the command line
for verb in dump flow script report annotate verify diff archive encode emulate record stat list doctor; do
	"$hwflow" $verb --help >out 2>err || continue
	clean "$verb: an unknown option" $verb "--$evil"
	[ $status = 1 ]
	ok $? "$verb: status 1, not $status" err
	clean "$verb: a file that does not exist" $verb "$evil"
	clean "$verb: a value" $verb "--root=$evil" "--source=$evil" "--max=$evil" "--output=$evil/x" x
done
clean "an unknown verb" "$evil"
clean "help of an unknown verb" help "$evil"
clean "--max" report "--max=$evil" x
clean "--fields" script "--fields=$evil" x
clean "--time" script "--time=$evil" x
clean "--config" dump --protocol=ete "--config=$evil=1" x
clean "--image" dump --protocol=ete "--image=$evil@0" /dev/null
clean "--symfs" report "--symfs=$evil" recording
clean "--truth" verify "--truth=$evil" recording
clean "an argument that is missing" report --cpu
has "option '--cpu' requires an argument" err "option_next(): a missing argument"
clean "an argument too many" report "--quiet=$evil"
has "option '--quiet' doesn't allow an argument" err "option_next(): an argument that the option does not have"
clean "an option that is not clear" report --s
has "option '--s' is ambiguous" err "option_next(): the beginning of several options"
clean "a letter" report $'-\e'
has "invalid option -- '\\033'" err "option_next(): a letter that is no option"
clean "a letter's argument" report -j
has "option requires an argument -- 'j'" err "option_next(): a letter without its argument"

# --- a capture
mkdir capture
evil_value=${evil//$'\n'/ }
printf '[snapshot]\nversion=%s\n[device_list]\ndevice0=%s\n[trace]\nmetadata=%s\n' \
	"$evil_value" "$evil_value.ini" "$evil_value" >capture/snapshot.ini
clean "a capture" report capture
printf '[device]\nname=%s\nclass=%s\ntype=%s\n[regs]\n%s=%s\n[dump1]\nfile=%s\naddress=%s\n' \
	"$evil_value" core "$evil_value" "$evil_value" "$evil_value" "$evil_value" "$evil_value" >"capture/$evil_value.ini"
clean "a device" report capture
printf '[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=%s\nfile=%s\nformat=%s\n' \
	"$evil_value" "$evil_value" "$evil_value" >"capture/$evil_value"
clean "a trace buffer" report capture

# --- an archive whose members are called like that
mkdir members
echo x >"members/$evil"
tar -C members -cf - . | zstd -q -o evil.tar.zst
clean "an archive" report evil.tar.zst
has "evil.tar.zst" err "an archive: the message names it"

# --- and JSON has the escapes of JSON
mkdir -p "root/sys/bus/event_source/devices/$evil"
clean "list --json" list --json --root=root
clean "doctor" doctor --root=root
done_testing
