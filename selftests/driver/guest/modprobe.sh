# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, where both our module and the kernel's own are installed: which are loaded at boot is
# what modprobe.d says, our file or its opposite (hwflow.choice=ours or theirs); then one changes over
# to the other and back without a reboot, by the commands that our file has.
. /tap.sh
choice=$(sed -n 's/.*hwflow\.choice=\([^ ]*\).*/\1/p' /proc/cmdline)
tar -x -C / -f /host/modules.tar
mkdir -p /etc/modprobe.d
# /lib is /usr/lib on an installed system
ln -s /usr/lib/modprobe.d /lib/modprobe.d
# kmod's, which takes other options than busybox's, and is not passed over if it is called by its path
mkdir -p /kmod
ln -s /bin/kmod /kmod/modprobe
modprobe() {
	/kmod/modprobe "$@"
}
mount --bind /dev/null /proc/kallsyms
conf=/usr/lib/modprobe.d/arm_ete_pmu.conf

# what udev does at boot for each device, and then what is asked for by name
coldplug() {
	cat $(find /sys/devices -name modalias) | sort -u | while read -r alias; do
		modprobe -b "$alias" 2>/dev/null
	done
	cat /etc/modules-load.d/* 2>/dev/null | while read -r name; do
		modprobe -b "$name"
	done
}

loaded() {
	awk '$1 ~ /^(arm_ete_pmu|coresight)/ { print $1 }' /proc/modules | sort | tr '\n' ' '
}

# driven NAME WHO: these have the hardware, and perf records with them
driven() {
	case $2 in
	ours) same "$1: who is loaded" "arm_ete_pmu " "$(loaded)" ;;
	theirs) same "$1: who is loaded" "coresight coresight_etm4x coresight_trbe " "$(loaded)" ;;
	esac
	perf record -N -o record -e cs_etm//u --per-thread -- busybox true >log 2>&1
	ok $? "$1: perf records"
	size=$(perf report -D -i record 2>/dev/null | grep -c 'PERF_RECORD_AUX offset')
	[ "$size" -gt 0 ]
	ok $? "$1: there is trace"
}

# the commands that the file has, by what they load last
command_for() {
	sed -n "s/^#   \(modprobe .*modprobe $1\)$/\1/p" /host/arm_ete_pmu.conf
}

# over NAME WHO MODULE: to the one whose last module is that
over() {
	words=$(command_for "$3")
	[ "$words" ]
	ok $? "$1: the file says how: $words"
	eval "$words" >log 2>&1
	ok $? "$1: that works"
	sed 's/^/# /' log
	driven "$1" "$2"
}

if [ "$choice" = theirs ]; then
	# as the file says
	rm $conf
	echo 'blacklist arm_ete_pmu' >/etc/modprobe.d/choice.conf
	mkdir -p /etc/modules-load.d
	echo coresight-etm4x >/etc/modules-load.d/choice.conf
fi
coldplug
driven boot "$choice"
if [ "$choice" = ours ]; then
	over "to theirs" theirs coresight-trbe
	over "back to ours" ours arm_ete_pmu
else
	over "to ours" ours arm_ete_pmu
	over "back to theirs" theirs coresight-trbe
fi
umount /proc/kallsyms
done_testing
