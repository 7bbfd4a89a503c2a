#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# functional.sh QEMU DIR - the model's functional test in QEMU's own style: a program is traced, and migrated while it is.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
setup=$here/../setup
source=$("$setup/fetch-source" --suite trixie qemu)
# Debian 12 does not have it; the package works with any Python 3
pycotap=$("$setup/fetch-arm64" --suite trixie --arch "$(dpkg --print-architecture)" --only python3-pycotap)
mkdir -p "$2"
export QEMU_TEST_QEMU_BINARY=$1 QEMU_BUILD_ROOT=$2 PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH=$source/tests/functional:$source/python:$pycotap/usr/lib/python3/dist-packages
/usr/bin/python3 "$here/src/tests/functional/test_aarch64_trace.py"
