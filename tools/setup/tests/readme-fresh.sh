#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# readme-fresh.sh [SUITE [DIR]] - the commands of README on a new system: Debian 12 (SUITE bookworm, the default) or
# Debian 13 (trixie) with nothing but its required packages and make, without a cache. debootstrap makes the system in
# DIR (a temporary directory by default) from the archives that this machine uses; root only. Speaks TAP.
set -u
top=$(cd "$(dirname "$0")/../../.." && pwd)
me=readme-fresh.sh
. "$top/tools/setup/tests/tap.bash"
. "$top/tools/setup/tests/root.bash"
. "$top/tools/setup/tests/recording.bash"
tmp=$(mktemp -d)
suite=${1:-bookworm}
root=${2:-$tmp/root}
trap 'rm -rf --one-file-system "$tmp"' EXIT

root_possible || {
	echo "ok 1 - README on a new system # SKIP root and the package debootstrap are required"
	exit 0
}
root_make "$suite" "$root" >"$tmp/log" 2>&1
ok $? "a new system of $suite" "$tmp/log"
root_copy "$root" >"$tmp/log" 2>&1
ok $? "the files under version control are copied" "$tmp/log"
mkdir "$tmp/recording" && make_recording build "$tmp/recording" >"$tmp/log" 2>&1 &&
	cp -r "$tmp"/recording/{perf.data*,server} "$root/root/hwflow" &&
	mkdir -p "$root$tmp/recording" && cp "$tmp/recording/hello" "$root$tmp/recording"
ok $? "a recording is made" "$tmp/log"

root_run "$root" tools/setup/tests/readme.sh --here >"$tmp/log" 2>&1
status=$?
sed 's/^/# /' "$tmp/log"
ok $status "all commands of README succeed and print what README shows"
done_testing
