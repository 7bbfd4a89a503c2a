# SPDX-License-Identifier: GPL-2.0-only
#
# For test scripts that speak TAP: $n tests so far, $failed of them not passed.
n=0
failed=0

ok() { # STATUS NAME [FILE]: what FILE has is shown if it is not
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		failed=$((failed + 1))
		echo "not ok $n - $2"
		[ -z "${3-}" ] || head -n 60 "$3" | sed 's/^/# /'
	fi
}

# The last line of the script, and its status
done_testing() {
	echo "1..$n"
	[ "$failed" -eq 0 ]
}
