#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# libraries.sh BUILD - `make tools` reports all libraries that the compiler does not find, with their packages and
# the architecture, before it compiles a file. Speaks TAP.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tools/setup/tests/tap.bash
unset MAKEFLAGS MAKEOVERRIDES MFLAGS MAKELEVEL BUILD CFLAGS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# a compiler that does not find some libraries, and counts its calls
cat >"$work/cc" <<-END
	#!/bin/sh
	echo "\$*" >>"$work/calls"
	case " \$* " in *" -ldw "* | *" -lzstd "*) [ ! -e "$work/lacks" ] || exit 1 ;; esac
	exec gcc "\$@"
END
chmod +x "$work/cc"
: >"$work/lacks"

fails() { # CC WORD... : make tools fails with a line for each word, and compiles nothing
	local cc=$1 word

	shift
	make --no-print-directory tools CC="$cc" BUILD="$work/build" >"$work/out" 2>"$work/err" && return 1
	for word in "$@"; do
		grep -qE "$word" "$work/err" || return 1
	done
	[ -z "$(find "$work/build" -name '*.o' 2>/dev/null)" ] && ! grep -q -- ' -c ' "$work/out"
}

fails "$work/cc" '^  libdw +libdw-dev +elfutils-devel +libelf$' '^  zstd +libzstd-dev +libzstd-devel +zstd$'
ok $? "two libraries are missing: both are reported" "$work/err"
! grep -E 'libelf-dev|json' "$work/err"
ok $? "libraries that are found are not reported" "$work/err"
if [ "$(uname -m)" = x86_64 ]; then
	fails aarch64-linux-gnu-gcc 'for arm64:$' libelf-dev:arm64 libdw-dev:arm64 libzstd-dev:arm64 libxxhash-dev:arm64 libjson-c-dev:arm64
	ok $? "a cross compiler without libraries: all are reported, for arm64" "$work/err"
fi
fails "$work/none" "the compiler '$work/none' makes no program" 'none: '
ok $? "there is no such compiler" "$work/err"

check() { # CFLAGS: prints how often the compiler was called
	: >"$work/calls"
	CC=$work/cc CFLAGS=$1 tools/setup/check-libraries "$work/build" >"$work/err" 2>&1 || return 1
	wc -l <"$work/calls"
}
rm "$work/lacks"
[ "$(check -DONE)" -gt 0 ] && grep -q -- -DONE "$work/calls"
ok $? "the check uses CC and CFLAGS" "$work/err"
[ "$(check -DONE)" = 0 ]
ok $? "a check that passed is not repeated" "$work/calls"
[ "$(check -DTWO)" -gt 0 ]
ok $? "it is repeated with other flags" "$work/calls"
done_testing
