#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh BUILD SERIES - costs and losses of the driver that is built for kernel SERIES, in that kernel, beside
# the in-tree driver: switch.sh and loss.sh. With SERIES latest also beside the in-tree driver with the
# patches of Documentation/upstream. Results are printed, and written to BUILD/bench-SERIES.txt.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
series=$2
patches=$(realpath "$here/../../../Documentation/upstream")
module=$build/modules/$series/arm_ete_pmu.ko
qemu=$build/qemu/qemu-system-aarch64
results=$build/bench-$series.txt
patched=()
if [ "$series" = latest ]; then
	"$here/build-intree" "$series" "$build/bench/intree-$series" "$patches"/*.patch
	patched=(--patched "$build/bench/intree-$series")
fi
status=0
"$here/switch.sh" --kernel "$series" "$qemu" "$module" "$build/bench/switch-$series" |
	tee "$results" || status=$?
"$here/loss.sh" --kernel "$series" "${patched[@]}" "$qemu" "$module" "$build/bench/loss-$series" |
	tee -a "$results" || status=$?
exit $status
