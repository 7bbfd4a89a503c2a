#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# profile.sh MEASURE HWFLOW [PAIRS] - CPU time of the tools that make a profile of a perf.data file with stock perf 6.1 /
# CPU time of hwflow profile on the same file, the median of PAIRS pairs. The program is Debian's lua 5.4, built by clang
# for arm64. Prints lines as bench.sh has them.
set -euo pipefail
measure=$1
hwflow=$2
pairs=${3:-3}
here=$(cd "$(dirname "$0")" && pwd)
setup=$here/../setup
. "$here/lua.bash"
perf=$("$setup/fetch-perf" --arch amd64 6.1)/run
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# neither side reads settings, build-id caches or symbol servers of the user
export HOME=$work PERF_CONFIG=/dev/null
unset DEBUGINFOD_URLS

mkdir "$work/bin"
ln -s "$perf" "$work/bin/perf"
PATH=$work/bin:$PATH
make_lua "$work"
"$hwflow" emulate --quiet --no-truth --fixed-addresses --virtual-time -o "$work/data" -- \
	"$work/lua" "$here/profile.lua" 13000 >"$work/said"

# cpu COMMAND...: seconds
cpu() {
	"$measure" "$work/cost" /dev/null "$@" && cut -d' ' -f1 "$work/cost"
}

# how long the others take, in seconds
theirs() { # FORMAT
	case $1 in
	autofdo)
		cpu perf inject --itrace=i1000il64 -i "$work/data" -o "$work/injected" &&
			cpu llvm-profgen-22 --perfdata="$work/injected" --binary="$work/lua" --output="$work/theirs"
		;;
	bolt) cpu perf2bolt-22 --itrace=i1000il64 -p "$work/data" -o "$work/theirs" "$work/lua" ;;
	esac >"$work/seconds" && awk '{ sum += $1 } END { print sum }' "$work/seconds"
}

compare() { # FIGURE FORMAT
	local i theirs ours

	: >"$work/pairs"
	for ((i = 0; i < pairs; i++)); do
		if ! theirs=$(theirs "$2") ||
			! ours=$(cpu "$hwflow" profile --quiet -j 1 --for="$2" --dso=lua -o "$work/ours" "$work/data"); then
			echo "bench: $1 skipped a command failed"
			return 1
		fi
		echo "$theirs $ours" >>"$work/pairs"
	done
	awk '{ print $1 / $2, $1, $2 }' "$work/pairs" | sort -g | awk -v name="$1" '
		{ ratio[NR] = $1; theirs[NR] = $2; ours[NR] = $3 }
		END {
			i = int((NR + 1) / 2)
			printf "bench: %s %.2f ratio\n# %.2f s, the others %.2f s\n", name, ratio[i], ours[i], theirs[i]
		}'
}

status=0
compare profile_vs_perf_inject autofdo || status=1
# a sampled profile of the same execution is like the exact one
llvm-profdata-22 overlap --sample "$work/theirs" "$work/ours" 2>&1 | grep 'Whole program profile similarity' |
	sed 's/^ */# /' || status=1
compare profile_vs_perf2bolt bolt || status=1
exit $status
