# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For the scripts of this directory: TAP, and what the machine has. It needs a shell and the tools of busybox.
#
# -d coresight, or ARM_ETE_DRIVER=coresight: the PMU is that of the in-tree driver.
cd "$(dirname "$0")" || exit 1
n=0
failed=0
driver=${ARM_ETE_DRIVER:-arm_ete_pmu}
pmu=/sys/bus/event_source/devices/cs_etm
stats=/sys/kernel/debug/arm_ete_pmu
# the test's own directory, which is removed
work=
# what remains of the arguments behind -d NAME is the test's
while [ "${1-}" = -d ]; do
	driver=$2
	shift 2
done
case $driver in
arm_ete_pmu | coresight) ;;
*)
	echo "$0: -d $driver: the drivers are arm_ete_pmu and coresight" >&2
	exit 2
	;;
esac

ok() { # STATUS NAME
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		failed=$((failed + 1))
		echo "not ok $n $2"
	fi
}

# skip NAME REASON, and xfail NAME REASON: of one test
skip() {
	n=$((n + 1))
	echo "ok $n $1 # SKIP $2"
}

xfail() {
	n=$((n + 1))
	echo "ok $n $1 # XFAIL $2"
}

# skip_all REASON: of all tests of the script
skip_all() {
	echo "1..0 # SKIP $1"
	exit 4
}

need_root() {
	[ "$(id -u)" = 0 ] || skip_all "not root"
}

need_pmu() {
	[ -d "$pmu" ] || skip_all "there is no PMU cs_etm: load the driver's module"
	if [ -e "$pmu/format/strobe_on" ]; then
		[ "$driver" = arm_ete_pmu ] ||
			skip_all "the PMU is that of arm_ete_pmu, and -d coresight asks for the in-tree driver's"
	else
		[ "$driver" = coresight ] || skip_all "the PMU is that of the in-tree driver: run with -d coresight"
	fi
}

need_debugfs() {
	[ -d /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
	[ -d "$stats" ] || skip_all "there is no $stats: mount -t debugfs debugfs /sys/kernel/debug"
}

# shellcheck disable=SC2034 # the scripts use what is set here
# need_hwflow: sets $hwflow to the command, which is here or in PATH
need_hwflow() {
	if [ -x ./hwflow ]; then
		hwflow=$PWD/hwflow
	else
		hwflow=$(command -v hwflow) || skip_all "there is no command hwflow, neither here nor in PATH"
	fi
}

make_work() {
	work=$(mktemp -d) || exit 1
	trap 'rm -rf "$work"' EXIT
}

done_testing() {
	echo "1..$n"
	[ "$failed" -eq 0 ]
	exit
}
