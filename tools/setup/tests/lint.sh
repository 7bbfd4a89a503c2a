#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lint.sh - layout and static analysis of tools/, as configured in .clang-format and .clang-tidy. clang-format is of one
# version on all releases, since each version breaks lines differently; clang-tidy is the release's own.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. "tools/setup/tests/tap.bash"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
mapfile -t sources < <(find tools -name '*.c' -not -path 'tools/qemu/*' | sort)
mapfile -t headers < <(find tools -name '*.h' -not -name 'ete_dispatch*' -not -path 'tools/qemu/*' | sort)
include=(-Itools/lib/hwflow -Itools/lib/hwflow/include -Iinclude/uapi -Itools/hwflow
	-Itools/bench -Itools/plugin)
# those of the Makefile: clang-tidy reports them too, and compilers.sh leaves these files to it
read -ra warnings < <(sed -n 's/^WARN := \(\(-W[a-z]* *\)*\).*/\1/p' Makefile)

# what hwflow record is built with; the private headers of libperf are for one file
libperf=$(tools/setup/fetch-libperf --for "$(gcc -dumpmachine)")
public=(-isystem "$libperf/private/include/uapi" -isystem "$libperf/include")
private=(-Dasm=__asm__ -Dtypeof=__typeof__ -isystem "$libperf/private/include"
	-isystem "$libperf/private/machine" "${public[@]}")

# QEMU's header of plugins, for one file
plugin=$(tools/setup/fetch-source --suite trixie qemu)/include/qemu

# the peer of the benchmarks
opencsd=$(tools/setup/fetch-arm64 --arch "$(dpkg --print-architecture)" --only libopencsd1 libopencsd-dev)/usr/include

clang-format-19 --dry-run -Werror "${sources[@]}" "${headers[@]}" >"$log" 2>&1
ok $? "clang-format" "$log"

# programs that are traced are written for that, not for the analyser
mapfile -t analysed < <(printf '%s\n' "${sources[@]}" | grep -v '^tools/plugin/tests/')
# tidy_files PATTERN OPTION...: analyse the files whose names match; findings are appended to $log
tidy_files() {
	local pattern=$1

	shift
	printf '%s\n' "${analysed[@]}" | grep -P "$pattern" | xargs -P "$(nproc)" -n 8 \
		tools/setup/tests/tidy -std=c11 -D_GNU_SOURCE "${warnings[@]}" "${include[@]}" "$@" -- >>"$log"
}
: >"$log"
status=0
tidy_files '^(?!tools/hwflow/record/|tools/hwflow/page/page_assets|tools/bench/driver/count)' -isystem "$opencsd" || status=1
# the Makefile has the hashes of a page's script and style
tidy_files '^tools/hwflow/page/page_assets' -DPAGE_CSS_HASH='""' -DPAGE_JS_HASH='""' || status=1
tidy_files '^tools/bench/driver/count' -isystem "$plugin" $(pkg-config --cflags glib-2.0) || status=1
tidy_files '^tools/hwflow/record/(?!aux_mmap)' "${public[@]}" || status=1
tidy_files '^tools/hwflow/record/aux_mmap' "${private[@]}" || status=1
ok $status "clang-tidy" "$log"

cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	--error-exitcode=1 -j "$(nproc)" --suppress=missingIncludeSystem \
	--suppress=normalCheckLevelMaxBranches "${include[@]}" \
	"${analysed[@]}" >"$log" 2>&1
ok $? "cppcheck" "$log"

shell=$(grep -rlE '^#!/bin/(ba)?sh' tools selftests .ci)
status=0
for script in $shell; do
	bash -n "$script" >>"$log" 2>&1 || status=1
done
ok $status "shell scripts parse" "$log"

# git refuses a clone of another user unless it is told, and a tree from an archive has no .git
files=$(git -c safe.directory="$PWD" ls-files 2>/dev/null ||
	find . -path ./build -prune -o -type f -print)
grep -E '\.(c|h|sh)$' <<<"$files" | xargs -r grep -LE 'SPDX-License-Identifier' >"$log"
[ ! -s "$log" ]
ok $? "every source names its licence" "$log"

awk 'length > 100 { print FILENAME ":" FNR ": " length " columns" }' README >"$log"
[ ! -s "$log" ]
ok $? "no line of README has more than 100 columns" "$log"

# those that are installed: all but the stages
stages=$(sed -n 's/^STAGES := //p' tools/setup/install.mk)
mapfile -t public_headers < <(printf '%s\n' tools/lib/hwflow/include/hwflow/*.h | grep -vE "/(${stages// /|})\.h$")
tools/setup/exported.sh tools/lib/hwflow/include "${public_headers[@]}" |
	diff - <(sed -nE 's/^\t(hwf_[a-z0-9_]+);$/\1/p' tools/lib/hwflow/libhwflow.map | sort) >"$log"
ok $? "libhwflow.map has the functions that the installed headers declare" "$log"

tools/setup/list-tests 2>"$log" >/dev/null
ok $? "every test begins with a comment that says what it shows" "$log"
done_testing
