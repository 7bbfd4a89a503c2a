# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: the tests that the kernel's command line names (hwflow.tests=NAME,...), one after
# another. Their lines of TAP are between `== begin` and `== end`.
mkdir -p /host /dev/shm
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000 host /host || exit 1
export PERF_BUILDID_DIR=/tmp/buildid
cd /tmp || exit 1
tests=$(sed -n 's/.*hwflow\.tests=\([^ ]*\).*/\1/p' /proc/cmdline | tr , ' ')
# the kernel that comes after another one goes on with the last
! grep -q hwflow.turn=2 /proc/cmdline || tests=${tests##* }
for test in $tests; do
	# a line of its own, behind what was printed without an end of line
	echo
	echo "== begin $test"
	if [ -f "/$test.sh" ]; then
		sh "/$test.sh"
	else
		"/$test"
	fi
	echo "== end $test $?"
done
# what the checkers of the debug kernel write as well
complaints='BUG|WARNING|Oops|UBSAN|ODEBUG|INFO: |blocked for more than|scheduling while atomic|turning off|bad page'
dmesg | grep -E "$complaints" | sed 's/^/# /'
echo "complaints $(dmesg | grep -cE "$complaints")"
