# SPDX-License-Identifier: GPL-2.0-only
#
# For test scripts that speak TAP: $n tests so far, $failed of them not passed.
n=0
failed=0

ok() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		failed=$((failed + 1))
		echo "not ok $n - $2"
	fi
}
