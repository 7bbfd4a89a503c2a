# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: perf's own coresight tests, which perf-tests/prepare has put into /perf-tests, first with the
# kernel's own modules, which are loaded, then with ours. All pass with ours, but those that perf-tests/not-passed
# names, if they do not pass with the kernel's own modules either. hwflow.perf_tests=NAME,... on the kernel's
# command line chooses scripts; without it all are run.
. /tap.sh
root=/perf-tests
limit=$((300 * 3 * slowness / 100))
chosen=$(sed -n 's/.*hwflow\.perf_tests=\([^ ]*\).*/\1/p' /proc/cmdline)
mkdir -p /tmp/results

now() {
	cut -d. -f1 /proc/uptime
}

# run_scripts DRIVER: each result as a line `NAME: pass|fail|skip` of /tmp/results/DRIVER. A scenario for which
# a script has a verdict of its own is one result.
run_scripts() {
	local script name status begun to=/tmp/results/$1

	: >"$to"
	for script in $(cd $root && ls -d perf-tests/tests/shell/*.sh perf-tests/tests/shell/coresight/*.sh 2>/dev/null); do
		name=$(basename "$script" .sh)
		case ,${chosen:-$name}, in *,$name,*) ;; *) continue ;; esac
		begun=$(now)
		chroot $root /usr/bin/env -i PATH=/usr/bin HOME=/tmp PERF_BUILDID_DIR=/tmp/buildid \
			PERF_TEST_CORESIGHT_DATADIR=/tmp PERF_TEST_CORESIGHT_STATDIR=/tmp \
			timeout -k 5 $limit "/$script" >/tmp/out 2>&1
		status=$?
		case $status in
		0) echo "$name: pass" ;;
		2) echo "$name: skip" ;;
		*) echo "$name: fail" ;;
		esac >>"$to"
		sed -nE "s/^(CoreSight .*): PASS\$/$name, \\1: pass/p; s/^(CoreSight .*): FAIL\$/$name, \\1: fail/p" /tmp/out >>"$to"
		echo "# $1: $name: status $status, $(($(now) - begun)) s"
		[ $status -eq 0 ] || tail -n 60 /tmp/out | sed "s/^/# $1: $name: /"
		rm -rf $root/tmp/*
	done
}

# result DRIVER NAME
result() {
	local found

	found=$(grep -F "$2: " "/tmp/results/$1" | grep -xE ".*: (pass|fail|skip)" | sed 's/.*: //' | head -n 1)
	echo "${found:-none}"
}

for dir in proc sys dev; do
	mount --bind /$dir $root/$dir
done
ln -s /proc/self/fd /dev/fd
run_scripts in-tree
rmmod coresight-trbe && rmmod coresight-etm4x && rmmod coresight && insmod $module
ok $? "our module is loaded in place of the kernel's own"
run_scripts ours

sed 's/: [a-z]*$//' /tmp/results/in-tree /tmp/results/ours | sort -u >/tmp/results/names
while read -r name; do
	theirs=$(result in-tree "$name")
	ours=$(result ours "$name")
	[ "$ours" = pass ] || { [ "$theirs" != pass ] && grep -qxF "$name" $root/perf-tests/not-passed; }
	ok $? "$name: in-tree: $theirs, ours: $ours"
done </tmp/results/names
done_testing
