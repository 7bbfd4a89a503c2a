#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh BUILD SERIES - costs and losses of the driver that is built for kernel SERIES, in that kernel, beside
# the in-tree driver: switch.sh, loss.sh and snapshot.sh. With SERIES 7.3 or latest also beside the in-tree driver with
# the patches of Documentation/upstream, and spurious.sh. Results are printed, and written to
# BUILD/bench-SERIES.txt.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
series=$2
patches=$(realpath "$here/../../../Documentation/upstream")
module=$build/modules/$series/arm_ete_pmu.ko
qemu=$build/qemu/qemu-system-aarch64
results=$build/bench-$series.txt
patched=()
case $series in
7.* | latest)
	list=("$patches"/*.patch)
	# the first one is the cover letter
	"$here/build-intree" "$series" "$build/bench/intree-$series" "${list[@]:1}"
	patched=(--patched "$build/bench/intree-$series")
	;;
esac
status=0
run() { # NAME [OPTION]...
	local name=$1

	shift
	"$here/$name.sh" --kernel "$series" "$@" "$qemu" "$module" "$build/bench/$name-$series" |
		tee -a "$results" || status=$?
}

: >"$results"
run switch
run loss "${patched[@]}"
run snapshot "${patched[@]}"
run recorder
[ ${#patched[@]} -eq 0 ] || run spurious "${patched[@]}"
exit $status
