# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests of untrusted input share: the budget of Documentation/untrusted-input.rst, enforced. Sourced with
# the test's arguments, of which the first is BUILD; `made` with the generator programs is BUILD/tests. It sets
#
#   here    the directory of the test
#   top     the directory of the tree
#   hwflow  the command, without sanitizers: they need memory of their own
#   san     the command under sanitizers
#   made    the directory of the generator programs
#   work    a directory that is removed at the end, and the current one
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
hwflow=$build/hwflow
# shellcheck disable=SC2034 # tests use them
san=$build/san/hwflow made=$build/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$top/tools/setup/tests/tap.bash"
. "$top/tools/setup/tests/wait.bash"
cd "$work" || exit 1
export HOME=$work
unset DEBUGINFOD_URLS

# The budget for N bytes of input: 64 MB + 16 N of memory; CPU time of 1 s, and 1 s more for each MB
memory_budget() { echo $((64 + (16 * $1 + 1048575) / 1048576)); }
time_budget() { echo $((1 + ($1 + 1048575) / 1048576)); }

# within BYTES STATUS WHAT VERB [ARG...]: the verb ends with this status, or one of several (2,3), within the budget
# for so many bytes of input. Its output is in the files out and err; $milliseconds and $kilobytes are what it used.
within() {
	local bytes=$1 statuses=$2 what=$3 status seconds megabytes

	shift 3
	seconds=$(time_budget "$bytes")
	megabytes=$(memory_budget "$bytes")
	"$build/tests/limited" "$seconds" "$megabytes" used "$hwflow" "$@" >out 2>err </dev/null
	status=$?
	milliseconds= kilobytes=
	read -r milliseconds kilobytes <used
	{
		echo "hwflow $*: exit status $status, not $statuses; 124: more than $seconds s, 125: more than $megabytes MB"
		echo "used: $milliseconds ms, $kilobytes KB"
		head -c 3000 err
	} >why
	[[ ,$statuses, == *,$status,* ]]
	ok $? "$what: $1: $milliseconds ms of $seconds s, $((kilobytes / 1024)) MB of $megabytes MB" why
}

# grows SMALL-BYTES SMALL-MS LARGE-BYTES LARGE-MS WHAT: from the small input to the large one time grows no more than
# N log N does, with a third more for what else the machine does, and 100 ms that no input needs to explain
grows() {
	awk -v n="$1" -v t="$2" -v m="$3" -v u="$4" 'BEGIN {
		most = (t + 100) * m * log(m) / (n * log(n)) * 1.34
		exit !(u <= most)
	}'
	ok $? "$5: $2 ms for $1 bytes, $4 ms for $3 bytes"
}
