#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# qtest.sh QEMU DIR - the model's test in QEMU's own style: properties, interrupt, device tree and ACPI.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
"$here/build" --qtest "$2/arm-trace-test"
QTEST_QEMU_BINARY=$1 "$2/arm-trace-test"
