#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh BUILD - what `make install` puts where, and whether somebody else can use it.
#
# Installs into a temporary directory, builds a program of a third party against what is there,
# shared and static, and runs it. Then the words: each verb has a manual page and
# completion, and --help, page and completion know the same options.
set -u
build=$(realpath "$1")
top=$(cd "$(dirname "$0")/../../.." && pwd)
cd "$top" || exit 1
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL DESTDIR
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
prefix=$tmp/usr
man=$prefix/share/man
n=0
failed=0
. tools/setup/tests/program.bash

# NAME; what is wrong is in $tmp/why, if anything is
report() {
	n=$((n + 1))
	if [ -s "$tmp/why" ]; then
		failed=$((failed + 1))
		echo "not ok $n - $1"
		sed 's/^/#   /' "$tmp/why"
	else
		echo "ok $n - $1"
	fi
	: >"$tmp/why"
}

why() {
	echo "$*" >>"$tmp/why"
}

# What is in one list and not in the other; each one word a line
compare() { # FILE NAME-OF-IT FILE NAME-OF-IT
	comm -23 "$1" "$3" | sed "s/^\(.*\)$/\1 is in $2, not in $4/" >>"$tmp/why"
	comm -13 "$1" "$3" | sed "s/^\(.*\)$/\1 is in $4, not in $2/" >>"$tmp/why"
}

list_wanted() {
	local file

	echo bin/hwflow
	printf 'lib/hwflow/%s\n' hwflow-plugin.so qemu-aarch64 qemu-riscv64
	printf 'lib/%s\n' libhwflow.a libhwflow.so libhwflow.so.0 "libhwflow.so.$version"
	echo lib/pkgconfig/hwflow.pc
	printf 'share/hwflow/python/%s\n' hwflow.py hwflow_declarations.h
	for file in tools/lib/hwflow/include/hwflow/*.{h,def}; do
		case ${file##*/} in
		decoder.h | p0.h | window.h | transaction.h | etmv3_flow.h | riscv_flow.h | riscv_mirror.h) ;;
		*) echo "include/hwflow/${file##*/}" ;;
		esac
	done
	for file in Documentation/man/*.[157]; do
		echo "share/man/man${file##*.}/${file##*/}"
	done
	echo share/bash-completion/completions/hwflow
}

check_files() {
	list_wanted | sort >"$tmp/wanted"
	(cd "$prefix" && find . ! -type d -printf '%P\n') | sort >"$tmp/found"
	compare "$tmp/wanted" "the list" "$tmp/found" "the directory"
	[ "$("$prefix/bin/hwflow" --version)" = "hwflow $version" ] || why "bin/hwflow is another version"
	readelf -d "$prefix/lib/libhwflow.so" | grep -q 'SONAME.*\[libhwflow.so.0\]' ||
		why "the library's soname is not libhwflow.so.0"
	while read -r file; do
		why "DESTDIR is written in $file"
	done < <(grep -rlF "$tmp/stage" "$prefix")
}

# With echo in place of QEMU, its options are what the program puts out.
check_plugin() {
	arm64_program "$tmp/program"
	"$prefix/bin/hwflow" emulate --qemu=/bin/echo -o "$tmp/run" -- "$tmp/program" >"$tmp/log" 2>&1
	grep -q -- "-plugin $prefix/.*/hwflow-plugin.so,dir=" "$tmp/log" || cat "$tmp/log" >>"$tmp/why"
}

write_program() {
	cat >"$tmp/third.c" <<-'END'
		#include <hwflow/image.h>
		#include <hwflow/session.h>
		#include <stdio.h>

		int main(void)
		{
			const struct hwf_ete_config config = {0};
			const unsigned char byte = 0xf7;
			struct hwf_ete_packet packet;
			struct hwf_image *image;
			int size = hwf_ete_decode(&config, &byte, 1, &packet);

			if (hwf_image_new(&image, NULL, NULL))
				return 1;
			printf("%d %s\n", size, hwf_ete_type_name(packet.type));
			hwf_image_free(image);
			return 0;
		}
	END
}

pc() {
	PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config "$@" hwflow
}

build_program() { # NAME COMPILER-AND-OPTIONS... : a program that prints "1 ATOM_F1"
	local name=$1

	shift
	if ! "$@" >"$tmp/log" 2>&1; then
		why "$*"
		cat "$tmp/log" >>"$tmp/why"
	elif [ "$("$tmp/$name" 2>&1)" != "1 ATOM_F1" ]; then
		why "it says: $("$tmp/$name" 2>&1)"
	fi
}

# The library exports what the installed headers declare.
check_exported() {
	tools/setup/exported.sh "$prefix/include" "$prefix"/include/hwflow/*.h >"$tmp/declared" 2>>"$tmp/why"
	nm -D --defined-only "$prefix/lib/libhwflow.so" | awk '$2 != "A" { print $3 }' >"$tmp/symbols"
	sed -n 's/@@HWFLOW_0$//p' "$tmp/symbols" | sort >"$tmp/exported"
	grep -v '@@HWFLOW_0$' "$tmp/symbols" | sed 's/$/ is exported without the version HWFLOW_0/' >>"$tmp/why"
	[ "$(wc -l <"$tmp/declared")" -gt 100 ] || why "too few declarations were found"
	compare "$tmp/declared" "the headers" "$tmp/exported" "nm -D libhwflow.so"
}

check_headers() {
	local header

	for header in "$prefix"/include/hwflow/*.h; do
		header=hwflow/${header##*/}
		echo "#include <$header>" >"$tmp/alone.c"
		# shellcheck disable=SC2046 # words
		cc -std=c11 -Wall -Wextra -pedantic -Werror -fsyntax-only $(pc --cflags) \
			"$tmp/alone.c" >"$tmp/log" 2>&1 || why "$header: $(head -n 3 "$tmp/log")"
	done
}

# Options in lines, with what else is in them taken away
options_in() {
	grep -oE -- '(^|[[:space:][(])--?[a-zA-Z][a-z-]*' | tr -d ' \t[(' |
		grep -E -- '^(--[a-z]|-[a-zA-Z]$)'
}

# Options that the usage has, or a line of its own; not those that are only mentioned
options_of_help() { # VERB
	"$prefix/bin/hwflow" "$1" --help >"$tmp/help" || why "$1 --help: exit status $?"
	{
		grep -E '^(usage:|       hwflow )' "$tmp/help" | options_in
		grep -oE '^  --?[a-zA-Z][^ ]*(, --?[a-zA-Z][^ ]*)*' "$tmp/help" | options_in
		echo --help
	} | sort -u
}

# Options a page explains: the words in front of its paragraphs
options_of_page() { # FILE
	awk '/^\.T[PQ]/ { getline; gsub(/\\-/, "-"); gsub(/\\f[A-Z]/, ""); print }' "$1" |
		options_in | sort -u
}

# What a person is offered behind "hwflow VERB -"
options_of_completion() { # VERB
	bash -c '. "$1"
		COMP_WORDS=(hwflow "$2" -)
		COMP_CWORD=2
		_hwflow
		printf "%s\n" "${COMPREPLY[@]%=}"' - "$prefix/share/bash-completion/completions/hwflow" \
		"$1" | sort -u
}

check_synopsis() { # VERB PAGE
	local option

	grep -q '^\.SH SYNOPSIS' "$2" || why "$1: no SYNOPSIS"
	grep -q '^\.SH "\?EXIT STATUS' "$2" || why "$1: no EXIT STATUS"
	# does the command itself know what is written of it?
	while read -r option; do
		[[ $option == --* ]] || continue
		if "$prefix/bin/hwflow" "$1" "$option" </dev/null 2>&1 >/dev/null |
			grep -q 'unrecognized option'; then
			why "hwflow $1 does not know $option"
		fi
	done <"$tmp/help-options"
}

check_verb() { # VERB
	local page=$man/man1/hwflow-$1.1

	options_of_help "$1" >"$tmp/help-options"
	options_of_completion "$1" >"$tmp/completion-options"
	{
		cat "$tmp/help-options"
		# its help and its page refer to those of hwflow record
		case $1 in stat | top) options_of_help record ;; esac
	} | sort -u >"$tmp/known-options"
	compare "$tmp/known-options" "--help" "$tmp/completion-options" "the completion"
	if [ ! -f "$page" ]; then
		why "there is no manual page hwflow-$1.1"
	else
		options_of_page "$page" >"$tmp/page-options"
		compare "$tmp/help-options" "--help" "$tmp/page-options" "the manual page"
		check_synopsis "$1" "$page"
	fi
	report "$1: --help, manual page and completion know the same options"
}

verbs_of_completion() {
	bash -c '. "$1"
		COMP_WORDS=(hwflow "")
		COMP_CWORD=1
		_hwflow
		printf "%s\n" "${COMPREPLY[@]}"' - "$prefix/share/bash-completion/completions/hwflow" |
		grep -vE '^(help|--.*)$' | sort
}

check_verbs() {
	sed -n 's/^V(\([a-z0-9_]*\),.*/\1/p' tools/hwflow/commands.def | sort >"$tmp/verbs"
	[ -s "$tmp/verbs" ] || why "commands.def has no verb"
	find "$man/man1" -name 'hwflow-*.1' -printf '%f\n' | sed 's/^hwflow-\(.*\)\.1$/\1/' | sort \
		>"$tmp/pages"
	compare "$tmp/verbs" "commands.def" "$tmp/pages" "the manual pages"
	verbs_of_completion >"$tmp/offered"
	compare "$tmp/verbs" "commands.def" "$tmp/offered" "the completion"
	# hwflow(1) tells of each verb
	sed -n 's/^\.BR hwflow\\-\([a-z0-9_]*\) (1)$/\1/p' "$man/man1/hwflow.1" | sort -u >"$tmp/named"
	compare "$tmp/verbs" "commands.def" "$tmp/named" "hwflow(1)"
	report "each verb has a manual page and completion, and no others have"
}

# What a person is offered behind "--config=", with a protocol before it
config_of_completion() { # VERB PROTOCOL
	bash -c '. "$1"
		COMP_WORDS=(hwflow "$2" --protocol = "$3" --config =)
		COMP_CWORD=6
		_hwflow
		printf "%s\n" "${COMPREPLY[@]%=}"' - "$prefix/share/bash-completion/completions/hwflow" \
		"$1" "$2" | sort -u
}

# Parameters that the page explains: the words in front of its paragraphs
parameters_of_page() { # FILE
	sed -n '/^\.SS Parameters/,/^\.SS Options/p' "$1" |
		awk '/^\.TP/ { getline; gsub(/"[^"]*"/, ""); $1 = ""; print }' |
		grep -oE '[a-z][a-z0-9_]*' | sort -u
}

check_config() { # PROTOCOL
	local name

	echo 0 >"$tmp/raw"
	config_of_completion dump "$1" >"$tmp/offered"
	[ "$(wc -l <"$tmp/offered")" -gt 4 ] || why "$1: the completion offers too few names"
	while read -r name; do
		! "$prefix/bin/hwflow" dump --protocol="$1" --config="$name=0" "$tmp/raw" 2>&1 >/dev/null |
			grep "not a register or parameter" >>"$tmp/why"
	done <"$tmp/offered"
	case $1 in
	ete | etmv4) # what is printed for the commands that decode is offered there
		"$prefix/bin/hwflow" encode --protocol="$1" --print-config |
			grep -oE 'TRC[A-Z0-9]+' | sort >"$tmp/wanted"
		compare "$tmp/wanted" "--print-config" "$tmp/offered" "the completion"
		;;
	riscv)
		parameters_of_page "$man/man5/hwflow-riscv.5" >"$tmp/wanted"
		compare "$tmp/wanted" "hwflow-riscv(5)" "$tmp/offered" "the completion"
		;;
	esac
}

# Limits and their defaults: in input_limits.def, and in hwflow-limits(7)
check_limits() {
	sed -n 's/^LIMIT(\([a-z-]*\), .*/\1/p' tools/hwflow/base/input_limits.def | sort >"$tmp/wanted"
	[ -s "$tmp/wanted" ] || why "input_limits.def has no limit"
	sed -n 's/^\.BR \([a-z-]*\) " (.*; default: .*)"$/\1/p' "$man/man7/hwflow-limits.7" | sort >"$tmp/found"
	compare "$tmp/wanted" "input_limits.def" "$tmp/found" "hwflow-limits(7)"
	report "hwflow-limits(7) has each limit"
}

check_page() { # FILE
	local page=${1##*/}

	if ! command -v groff >/dev/null; then
		why "there is no groff to look at $page (apt-get install groff-base)"
		return
	fi
	groff -ww -man -Tutf8 "$1" 2>&1 >/dev/null | sed "s/^/$page: /" >>"$tmp/why"
	grep -nE '[[:space:]]$' "$1" | sed "s/^/$page, space at the end of a line: /" >>"$tmp/why"
	grep -q "^\.TH .*\"hwflow ${version//./\\.}\"" "$1" || why "$page is of another version"
	# pages that are referred to
	grep -oE '^\.BR hwflow[a-z\\-]* \([157]\)' "$1" | sed 's/\\//g' |
		while read -r _ name section; do
			section=${section//[()]/}
			[ -f "$man/man$section/$name.$section" ] || why "$page refers to $name($section)"
		done
}

version=$(sed -n 's/^#define HWF_VERSION "\(.*\)"$/\1/p' tools/lib/hwflow/include/hwflow/version.h)
if make --no-print-directory install BUILD="$build" DESTDIR="$tmp/stage" PREFIX="$prefix" \
	>"$tmp/log" 2>&1; then
	mv "$tmp/stage$prefix" "$prefix"
	: >"$tmp/why"
else
	tail -n 20 "$tmp/log" >"$tmp/why"
fi
report "make install DESTDIR= PREFIX="
[ $failed -eq 0 ] || exit 1

check_files
report "the files, and no others"

check_plugin
report "the command finds its plugin where both are"

write_program
check_headers
report "each public header can be included alone"
check_exported
report "headers and library have the same functions"
# shellcheck disable=SC2046 # words
LD_LIBRARY_PATH=$prefix/lib build_program shared cc -std=c11 -Wall -Werror -o "$tmp/shared" \
	"$tmp/third.c" $(pc --cflags --libs)
readelf -d "$tmp/shared" 2>/dev/null | grep -q 'NEEDED.*libhwflow.so.0' ||
	why "it is not linked with libhwflow.so.0"
report "a program of a third party, with the shared library"
# No program can be linked with the libelf.a of elfutils 0.192, which lacks symbols: there it is shared
libraries=$(pc --libs --static)
static=-static
echo 'int elf_end(void *); int main(void) { return elf_end(0); }' >"$tmp/elf.c"
# shellcheck disable=SC2046
cc -static -o "$tmp/elf" "$tmp/elf.c" $(pkg-config --libs --static libelf) 2>/dev/null || {
	static=
	libraries=${libraries/-lhwflow/-l:libhwflow.a}
}
# shellcheck disable=SC2046,SC2086 # words
build_program static cc $static -std=c11 -Wall -Werror -o "$tmp/static" "$tmp/third.c" $(pc --cflags) $libraries
readelf -d "$tmp/static" 2>/dev/null | grep -q 'NEEDED.*libhwflow' && why "it is linked with libhwflow.so"
report "the same, static"
[ "$(pc --modversion)" = "$version" ] || why "pkg-config says $(pc --modversion)"
report "pkg-config knows the version"

check_verbs
while read -r verb; do
	check_verb "$verb"
done <"$tmp/verbs"
for protocol in ete etmv4 etmv3 riscv; do
	check_config $protocol
done
report "completion knows the registers and parameters of each protocol"
check_limits
for page in "$man"/man*/*; do
	check_page "$page"
done
report "manual pages are sound"
echo "1..$n"
[ $failed -eq 0 ]
