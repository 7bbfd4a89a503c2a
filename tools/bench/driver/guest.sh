# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine, before a test: our driver if there is one, else the kernel's modules, which are
# loaded by now; the host's directory.
mkdir -p /host
mount -t 9p -o trans=virtio,version=9p2000.L host /host || exit 1
mount --bind /dev/null /proc/kallsyms
if [ -f /arm_ete_pmu.ko ]; then
	insmod /arm_ete_pmu.ko || exit 1
fi
while read -r module size _ _ _ address _; do
	echo "module $module $address $size"
done </proc/modules
cd /tmp || exit 1

# stop NAME: until the host has read the machine's counts
stop() {
	echo "stop $1"
	while [ ! -e "/host/$1" ]; do
		sleep 0.2
	done
}
