# SPDX-License-Identifier: GPL-2.0-only
#
# For the tests of 'hwflow encode', behind tap.bash: $work is a directory, and encode_with the command
# with the options that all have.

# bad NAME STATUS TEXT OPTION...: ends with this status and a message that has TEXT, and no output
bad() {
	local what=$1 want=$2 text=$3 status

	shift 3
	rm -f "$work/none"
	"${encode_with[@]}" "$@" -o "$work/none" 2>"$work/bad.err"
	status=$?
	echo "status $status" >>"$work/bad.err"
	[ $status = "$want" ] && grep -qF -- "$text" "$work/bad.err" && [ ! -e "$work/none" ]
	ok $? "$what" "$work/bad.err"
}
