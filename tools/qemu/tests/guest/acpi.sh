# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: the kernel was told by ACPI; its modules find trace units and buffers as
# probe.sh says, and stock perf records user code with them, to /host.
# a line of its own, behind what the firmware has printed
echo
[ -d /sys/firmware/acpi/tables ] && [ ! -e /sys/firmware/devicetree/base/cpus ]
echo "by acpi $?"
[ -d /sys/bus/acpi/devices/ARMHC500:00 ] && [ -d /sys/bus/acpi/devices/ARMHC500:01 ]
echo "devices $?"
# revision of the MADT
echo "madt $(od -An -tu1 -j8 -N1 /sys/firmware/acpi/tables/APIC | tr -d ' ')"
sh /probe.sh

mkdir -p /host /dev/shm
mount -t 9p -o trans=virtio,version=9p2000.L host /host || exit 1
mount --bind /dev/null /proc/kallsyms
export PERF_BUILDID_DIR=/tmp/buildid
cd /tmp || exit 1
dd if=/bin/busybox of=in bs=1k count=16 2>/dev/null
perf record -o recording -e cs_etm//u --per-thread -- busybox md5sum in >log 2>&1
echo "recorded $?"
sed 's/^/# /' log | tail -n 2
cp recording /host/
