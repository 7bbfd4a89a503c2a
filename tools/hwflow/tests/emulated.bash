# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests share that record programs with `hwflow emulate`. Sourced with the test's arguments, of which
# the first is BUILD. It sets
#
#   here    the directory of the test
#   top     the directory of the tree
#   CC      the arm64 compiler
#   hwflow  the command, which records
#   san     the command under sanitizers, which reads recordings
#   work    a directory that is removed at the end
#
# Without QEMU the test is skipped.
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
CC=${CROSS_CC:-aarch64-linux-gnu-gcc}
hwflow=$build/hwflow
san=$build/san/hwflow
[ -x "$san" ] || san=$hwflow
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$top/tools/setup/tests/tap.bash"
. "$top/tools/setup/tests/wait.bash"
. "$top/tools/setup/qemu-user.bash"

qemu_of "$hwflow" qemu-aarch64 >/dev/null || {
	echo "ok 1 - $(basename "$0" .sh) # SKIP there is no QEMU for arm64: make qemu-user"
	exit 0
}
