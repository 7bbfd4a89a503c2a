#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# untrusted-truth.sh BUILD - ground-truth logs whose sections ask for more time or memory than their number explains
. "$(dirname "$0")/../../tests/budget.bash"

# verified KIND COUNT STATUS RECORDING: 'hwflow verify' with such a log; sets $bytes
verified() {
	"$made/make_truth" "$1" "$2" "$1.$2" || echo "not ok - make_truth $1 $2"
	bytes=$(($(stat -c %s "$1.$2") + $(stat -c %s "$4")))
	within "$bytes" "$3" "$1 $2" verify --truth="$1.$2" "$4"
}

"$made/make_records" threads 1000 recording
# the recording has trace of 1000 threads; of those in the log that have none, a line is printed each
for kind in threads parts cpus; do
	verified "$kind" 10000 3 recording
	small=$bytes small_milliseconds=$milliseconds
	verified "$kind" 80000 3 recording
	grows "$small" "$small_milliseconds" "$bytes" "$milliseconds" "$kind"
done
"$made/make_records" cpus 1000 recording
for count in 10000 80000; do
	verified cpus "$count" 3 recording
done

"$made/make_truth" blocks 3000 blocks
bytes=$(($(stat -c %s blocks) + $(stat -c %s recording)))
within "$bytes" 2 "blocks that unpack to 720 MB, in $(stat -c %s blocks) bytes" verify --truth=blocks recording
grep -q -- "--max=ratio=N" err
ok $? "a ratio that no log has is a limit" err

# once under sanitizers, without limits
for kind in threads parts cpus blocks; do
	"$made/make_truth" "$kind" 100 "$kind"
	"$san" verify --truth="$kind" recording >out 2>err </dev/null
	status=$?
	[[ $status == [23] ]] && ! grep -q "Sanitizer\|runtime error" err
	ok $? "$kind under sanitizers" err
done
done_testing
