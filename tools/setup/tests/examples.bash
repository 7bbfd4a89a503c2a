# SPDX-License-Identifier: GPL-2.0-only
#
# shellcheck disable=SC2154 # example_shown and example_printed are names of files of the test
# For tests that run the examples of a document: its commands in order, and their output compared with
# the output shown.
#
# An example is a block of lines: between .EX and .EE in the section EXAMPLES of a manual page, or
# indented by four spaces in README. A line that begins with "$ " is a command; a backslash at
# its end continues it on the next line. The lines after it are its output. A command after another prompt, for
# instance "arm$ ", is for another machine: it is not run. What follows the prompt "machine# " in the output of a
# command, which starts a shell, is its input.
#
# - A command must succeed, unless the next command is "echo $?". The left side of a pipe may be
#   ended by SIGPIPE.
# - Standard output and standard error are compared together, line by line. The amount of blank space
#   in a line is not compared.
# - A number matches any other number, decimal or hexadecimal, of either sign. All other words must be
#   the same. The output of "echo $?" must be the number shown.
# - A line "..." stands for any number of lines.
# - Where no output is shown, the output is not compared.

# Lines for run_examples(): "block", "$ COMMAND" or "> OUTPUT"
examples_of_page() { # FILE
	awk '
		/^\.SH/ { in_examples = $2 == "EXAMPLES"; next }
		!in_examples { next }
		/^\.EX/ { in_block = 1; first = 1; next }
		/^\.EE/ { in_block = 0; next }
		!in_block { next }
		{
			gsub(/\\f[BIRP]|\\&/, "")
			gsub(/\\-/, "-")
			gsub(/\\\(aq/, "\047")
			gsub(/\\e/, "\001")
			if (/\\/)
				print "> unknown escape in the page: " $0
			gsub("\001", "\\")
		}
		first && /^[a-z]*\$ / { print "block" }
		{ first = 0 }
		/^\$ / || more { sub(/^\$ /, ""); print "$ " $0; more = /\\$/; other = 0; next }
		/^[a-z]+\$ / { other = 1 }
		!other { print "> " $0 }' "$1"
}

examples_of_readme() { # FILE
	awk '
		!/^    / && !/^$/ { in_block = 0; next }
		/^    \$ / && !in_block { print "block"; in_block = 1 }
		!in_block { next }
		{ sub(/^    /, "") }
		/^\$ / || more { sub(/^\$ /, ""); print "$ " $0; more = /\\$/; next }
		{ print "> " $0 }' "$1"
}

# Whether the lines of the file SHOWN match those of the file PRINTED, by the rule above
output_matches() { # SHOWN PRINTED
	awk '
		function number(word) {
			sub(/^-?(0x)?/, "", word)
			return word ~ /^[0-9a-f]+$/
		}
		# the first word of the text, or its first character if that belongs to no word
		function word_of(text) {
			return match(text, /^(-[0-9])?[A-Za-z0-9_]*/) && RLENGTH ? substr(text, 1, RLENGTH) : substr(text, 1, 1)
		}
		function same(a, b,   v, w) {
			while (a != "" && b != "") {
				v = word_of(a)
				w = word_of(b)
				a = substr(a, length(v) + 1)
				b = substr(b, length(w) + 1)
				if (v != w && !(number(v) && number(w) && v w ~ /[0-9]/))
					return 0
			}
			return a == b
		}
		function match_from(i, j) {
			for (; i <= shown; i++) {
				if (want[i] == "...") {
					for (; j <= printed + 1; j++)
						if (match_from(i + 1, j))
							return 1
					return 0
				}
				if (j > printed || !same(want[i], got[j++]))
					return 0
			}
			return j > printed
		}
		{ gsub(/[ \t\r]+/, " "); sub(/^ /, ""); sub(/ $/, "") }
		FILENAME == ARGV[1] { want[++shown] = $0; next }
		{ got[++printed] = $0 }
		END {
			while (shown && want[shown] == "")
				shown--
			while (printed && got[printed] == "")
				printed--
			exit !match_from(1, 1)
		}' "$1" "$2"
}

# run_command COMMAND NEXT: run COMMAND, which NEXT follows; succeed if the rule above holds. The output is
# in $example_printed, the output shown in $example_shown, the exit status in $example_status.
run_command() {
	(
		set -o pipefail
		(exit "$example_status")
		eval "$1"
	) >"$example_printed" 2>&1 < <(sed -n 's/^machine# //p' "$example_shown")
	example_status=$?
	if [ "$1" = 'echo $?' ]; then
		cmp -s "$example_shown" "$example_printed"
		return
	fi
	if [ $example_status -ne 0 ] && [ "$2" != 'echo $?' ]; then
		[ $example_status -eq 141 ] && [[ $1 == *'|'* ]] || return 1
	fi
	[ ! -s "$example_shown" ] || output_matches "$example_shown" "$example_printed"
}

# numbers_as_n FILE: its lines without what output_matches() takes no account of
numbers_as_n() {
	sed -E 's/-?\b(0x)?[0-9a-f]*[0-9][0-9a-f]*\b/N/g; s/[ \t\r]+/ /g' "$1"
}

# run_examples NAME FILE: run the commands that examples_of_*() wrote into FILE, in the current directory;
# each command is one test, and the time of a long one is printed. $example_blocks is the number of examples.
run_examples() {
	local name=$1 commands=() outputs=() i=-1 line start continued=

	example_blocks=0
	example_status=0
	while IFS= read -r line; do
		case $line in
		block) example_blocks=$((example_blocks + 1)) ;;
		'$ '*)
			line=${line#'$ '}
			if [ -n "$continued" ]; then
				commands[i]+=$line
			else
				i=$((i + 1))
				commands[i]=$line
				outputs[i]=
			fi
			continued=
			if [[ $line == *\\ ]]; then
				continued=yes
				commands[i]=${commands[i]%\\}
			fi
			;;
		'> '*) [ $i -lt 0 ] || outputs[i]+=${line#'> '}$'\n' ;;
		esac
	done <"$2"
	for i in "${!commands[@]}"; do
		# blank lines after the output separate paragraphs
		[ -n "${outputs[i]//[[:space:]]/}" ] || outputs[i]=
		printf '%s' "${outputs[i]}" >"$example_shown"
		start=$SECONDS
		run_command "${commands[i]}" "${commands[i + 1]-}"
		line=$?
		{
			echo "exit status $example_status; what was shown, and what was printed:"
			diff <(numbers_as_n "$example_shown") <(numbers_as_n "$example_printed")
		} >"$example_printed.why"
		ok $line "$name: ${commands[i]}" "$example_printed.why"
		[ $((SECONDS - start)) -lt 5 ] || echo "# $((SECONDS - start)) s"
	done
}
