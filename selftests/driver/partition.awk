# SPDX-License-Identifier: GPL-2.0-only
#
# The virt machine's device tree, where an interrupt of trace buffers is of a partition of the PPI. Each
# interrupt has a fourth cell then, which says of which partition it is.
#
#   tree=partition   only the first CPU's trace buffer is wired
#   tree=two         the other CPUs' trace buffers have a node of their own, and PPI 8
#   tree=same        they have a node of their own, and the same PPI

# cells(GROUP): what is between < and >, with another cell, LAST, behind each GROUP of them
function cells(group, last,	all, n, i, out) {
	match($0, /<.*>/)
	n = split(substr($0, RSTART + 1, RLENGTH - 2), all, " ")
	for (i = 1; i <= n; i++)
		out = out " " all[i] (i % group ? "" : " " last)
	$0 = substr($0, 1, RSTART) substr(out, 2) substr($0, RSTART + RLENGTH - 1)
}

function partition(number) {
	return "&{/intc@8000000/ppi-partitions/interrupt-partition-" number "}"
}

# partition NUMBER has CPUs FIRST to LAST
function print_partition(number, first, last,	cpu, list) {
	for (cpu = first; cpu <= last; cpu++)
		list = list " &{/cpus/cpu@" cpu "}"
	print "\t\t\tinterrupt-partition-" number " {"
	print "\t\t\t\taffinity = <" substr(list, 2) ">;"
	print "\t\t\t};"
}

/^\t*trbe \{/ {
	trbe = 1
	if (tree != "partition") {
		print "\ttrbe-others {"
		print "\t\tcompatible = \"arm,trace-buffer-extension\";"
		print "\t\tinterrupts = <1 " (tree == "two" ? 8 : 15) " 4 " partition(1) ">;"
		print "\t};"
	}
}
/^\t*intc@/ { intc = 1 }
/\tinterrupts = / { cells(3, trbe ? partition(0) : "0"); trbe = 0 }
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
	print_partition(0, 0, 0)
	if (tree != "partition")
		print_partition(1, 1, cpus - 1)
	print "\t\t};"
	partitions = intc = 0
}
{ print }
