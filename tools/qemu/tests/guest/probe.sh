# SPDX-License-Identifier: GPL-2.0-only
#
# In the machine: have the coresight modules of the kernel found the trace units and the buffers, and
# read from them what the host says in /expect (FILE VALUE, a line each; or `log` and a text that
# the kernel's log has)?
n=0
check() { # RESULT NAME
	n=$((n + 1))
	[ "$1" = 0 ] && echo "ok $n - $2" || echo "not ok $n - $2"
}
devices=/sys/bus/coresight/devices
cpus=$(grep -c ^processor /proc/cpuinfo)

cpu=0
while [ $cpu -lt "$cpus" ]; do
	[ -d $devices/ete$cpu ]
	check $? "ete$cpu is there"
	[ -d $devices/trbe$cpu ]
	check $? "trbe$cpu is there"
	cpu=$((cpu + 1))
done

while read -r file value; do
	if [ "$file" = log ]; then
		dmesg | grep -qF "$value"
		check $? "the kernel says: $value"
		continue
	fi
	found=$(cat "$devices/$file")
	[ "$found" = "$value" ] || echo "# $file is $found"
	[ "$found" = "$value" ]
	check $? "$file is $value"
done </expect

# INTID 31, level, on each CPU
grep -Eq '^ *[0-9]+:( +[0-9]+)+ +GICv?[23]? +31 +Level +.*trbe' /proc/interrupts
check $? "the buffers' interrupt is PPI 15"
grep -i 'trbe' /proc/interrupts | sed 's/^/# /'
dmesg | grep -E 'coresight|BUG|WARNING' | sed 's/^/# /'
! dmesg | grep -Eq 'BUG|WARNING|Oops'
check $? "the kernel complains of nothing"
echo "1..$n"
