# SPDX-License-Identifier: GPL-2.0-only
#
# The virt machine's device tree, where only the first CPU's trace buffer is wired: the interrupt is of
# a partition of the PPI. Each interrupt has a fourth cell then, which says of which one it is.

# cells(GROUP): what is between < and >, with another cell, LAST, behind each GROUP of them
function cells(group, last,	all, n, i, out) {
	match($0, /<.*>/)
	n = split(substr($0, RSTART + 1, RLENGTH - 2), all, " ")
	for (i = 1; i <= n; i++)
		out = out " " all[i] (i % group ? "" : " " last)
	$0 = substr($0, 1, RSTART) substr(out, 2) substr($0, RSTART + RLENGTH - 1)
}

/^\t*trbe \{/ { trbe = 1 }
/^\t*intc@/ { intc = 1 }
/\tinterrupts = / { cells(3, trbe ? "&{/intc@8000000/ppi-partitions/interrupt-partition-0}" : "0"); trbe = 0 }
# an entry: 4 cells of the child, the parent, 2 cells of its address, 3 of the interrupt
/\tinterrupt-map = / { cells(10, "0") }
/#interrupt-cells = <0x03>/ && intc {
	sub(/0x03/, "4")
	print
	# what follows in the node is properties still
	partitions = 1
	next
}
partitions && /\{$/ {
	print "\t\tppi-partitions {"
	print "\t\t\tinterrupt-partition-0 {"
	print "\t\t\t\taffinity = <&{/cpus/cpu@0}>;"
	print "\t\t\t};"
	print "\t\t};"
	partitions = intc = 0
}
{ print }
