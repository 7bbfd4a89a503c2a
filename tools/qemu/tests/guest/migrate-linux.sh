# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: stock perf records a program that works until the machine has moved, which the disk
# says then; and the recording goes to that disk.
mount --bind /dev/null /proc/kallsyms
mkdir -p /dev/shm
export PERF_BUILDID_DIR=/tmp/buildid
cd /tmp || exit 1
# a buffer that need not be emptied: the in-tree driver loses trace where perf asks to be woken, which is in
# the middle of the buffer
perf record -o recording -m ,128M -e cs_etm//u --per-thread -- /works >log 2>&1 &
# not from memory, where the host writes nothing
until dd if=/dev/vda bs=512 count=1 iflag=direct 2>/dev/null | grep -q moved; do
	sleep 0.1
done
touch moved
wait $!
echo "recorded $?"
sed 's/^/# /' log | tail -n 2
tar cf /dev/vda recording
dmesg | grep -E 'BUG|WARNING|Oops' | sed 's/^/# /'
echo "complaints $(dmesg | grep -cE 'BUG|WARNING|Oops')"
