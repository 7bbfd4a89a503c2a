#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# valgrind.sh BUILD - the commands as they are installed read no byte that was not written, and free
# what they took.
set -u
hwflow=$(realpath "$1/hwflow")
busybox=$("$(dirname "$0")/../fetch-arm64" busybox-static)/usr/bin/busybox
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
. "$(dirname "$0")/tap.bash"

"$hwflow" emulate --quiet --cycle-counts --timestamps --speculation=1 -o "$tmp/t.data" -- \
	"$busybox" echo valgrind >/dev/null
for command in "dump" "dump --format=ref" "flow" "flow --format=pc" "script" "script --insn" \
	"report" "calls" "verify"; do
	# shellcheck disable=SC2086 # the command's words
	valgrind -q --error-exitcode=9 --leak-check=full "$hwflow" $command --sandbox=off "$tmp/t.data" \
		>/dev/null 2>"$tmp/err"
	ok $? "$command" "$tmp/err"
done
done_testing
