#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# stack.sh HWFLOW BUILD [NAME...] - the plugin for call stacks, with all programs or those NAMEd: its lists against frame
# records, and its numbers of calls against the log. Speaks TAP.
set -eu

hwflow=$1
build=$2
shift 2
here=$(dirname "$0")
plugin=$build/tests/stack-plugin.so
work=$build/stack-tests
target=arm64
. "$here/target.bash"
. "$here/../../setup/tests/tap.bash"

# computed FILE [OPTION]: the stacks of the recording are those of the plugin. If trace is lost, frames may be unknown.
computed() {
	local name=${1##*/} file=$1 status=0
	shift

	compare "${name%.data}" "$@" "$file" "$file.calls"
	if [ "${1-}" = -g ]; then
		# goroutines that wait in recursions, at the same place, are not told apart
		awk '/ whole, / { exit !($3 > $1 / 20) }' "$work/compared" || status=1
		ok $status "${name%.data}: stacks are known as a whole" "$work/compared"
		compare "${name%.data}: the ends of threads lost" "$@" "$file" "$file.calls" 1000000000000
	fi
	compare "${name%.data}: 1 % of the trace lost" "$@" "$file" "$file.calls" 3000
}

# compare NAME ARGUMENT...: what stack_truth finds
compare() {
	local name=$1 status=0

	shift
	"$build/tests/stack_truth" "$@" >"$work/compared" 2>&1 || status=$?
	ok $status "$name: $(tail -n 1 "$work/compared")" "$work/compared"
}

# numbers NAME: each call that the log has of a static program, by its number, is the call of that number that the plugin
# has written (FILE.calls with -n 1)
numbers() {
	local file=$work/$1.numbers program=$work/$1 status

	if ! "$here/stack/record" -n 1 "$hwflow" "$plugin" "$file" "$program" >"$file.result" 2>&1; then
		ok 1 "$1: record" "$file.result"
		return
	fi
	"${CC[0]%gcc}objdump" -d "$program" |
		awk '$3 == "bl" || $3 ~ /^blr/ { sub(":", "", $1); print $1 }' >"$file.sites"
	"$hwflow" emulate --show-log="$file.truth" |
		awk 'NR == FNR { site[$1]; next } $4 != "EXC" && $4 != "GAP" && $6 in site { print $3, ++n[$3], $6 }' \
			"$file.sites" - | sort >"$file.expected"
	awk '
		function decimal(hex, i, value) {
			value = 0
			for (i = 3; i <= length(hex); i++)
				value = 16 * value + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return value
		}
		{ printf "%d %d %x\n", $1, $2, decimal($3) - 4 }' "$file.calls" | sort >"$file.actual"
	status=0
	[ "$(wc -l <"$file.expected")" -gt 1000 ] && cmp -s "$file.expected" "$file.actual" || status=1
	ok $status "$1: $(wc -l <"$file.expected") calls of the log have the plugin's numbers"
	rm -f "$file" "$file".*
}

# frameless: functions that keep their links elsewhere have no frame records, so here are the lists of the calls
# that plus_one makes, as the source has them
frameless() {
	local file=$work/frameless.names program=$work/frameless.O0.static status

	"$here/stack/record" -n 1 "$hwflow" "$plugin" "$file" "$program" >"$file.result" 2>&1 || true
	cut -d ' ' -f 3- "$file.calls" | tr ' ' '\n' | sort -u >"$file.links"
	"${CC[0]%gcc}addr2line" -f -e "$program" <"$file.links" | sed -n 1~2p | paste "$file.links" - >"$file.map"
	awk '
		NR == FNR { name[$1] = $2; next }
		name[$3] == "plus_one" {
			text = ""
			for (i = 3; i <= NF && name[$i] != "main"; i++)
				text = text name[$i] " "
			print text (i <= NF ? "main" : "none")
		}' "$file.map" "$file.calls" | sort -u >"$file.actual"
	cat >"$file.expected" <<-END
		plus_one frameless_call frameless_twice main
		plus_one frameless_call frameless_twice test_jumps main
		plus_one frameless_call main
		plus_one jump_and_call main
		plus_one main
	END
	status=0
	LC_ALL=C sort -u "$file.actual" | diff "$file.expected" - >"$file.diff" || status=$?
	ok $status "frameless: the calls of functions without frames" "$file.diff"
	rm -f "$file" "$file".*
}

[ -n "$qemu" ] && "$qemu" -version | sed -nE 's/.* version ([0-9.]+).*/9.2\n\1/p' | sort -CV || {
	echo "ok 1 - stack # SKIP there is no QEMU for $target since 9.2: make qemu-user"
	echo 1..1
	exit 0
}
rm -rf "$work"
programs=$("$here/stack/programs/build" "$work" "$@")
for program in $programs; do
	# three of four builds have all that is tested
	case $program in *.O0.dynamic) continue ;; esac
	file=$work/$program.data
	options=()
	frames=()
	# signals of Go's scheduler come while code runs on a stack that is not the goroutine's: see README
	case $program in
	*.go.*) options=(-g) ;;
	*.rust.*) frames=(-f) ;;
	esac
	if GODEBUG=asyncpreemptoff=1 "$here/stack/record" "${options[@]}" "${frames[@]}" "$hwflow" "$plugin" "$file" "$work/$program" >"$file.result" 2>&1; then
		ok 0 "$program: $(cat "$file.result")"
		computed "$file" "${options[@]}"
		# maps of code that programs have written
		cut -d ' ' -f 1 "$file.calls" | sort -u | sed 's,.*,/tmp/perf-&.map,' | xargs rm -f
		rm -f "$file" "$file".*
	else
		ok 1 "$program" "$file.result"
	fi
done
for program in jumps signals threads coroutines; do
	[ ! -f "$work/$program.O2.static" ] || numbers $program.O2.static
done
[ ! -f "$work/frameless.O0.static" ] || frameless
done_testing
