#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""profile_profgen LOG MAPPINGS PROGRAM - what llvm-profgen reads, of a ground-truth log.

LOG and MAPPINGS are those of profile_truth. A range ends where execution does not go on with the next
instruction of an A64 program.
"""
import collections
import os
import subprocess
import sys

from profile_truth import read_log, read_mappings


def segments(program):
    """Address, offset and size of the segments with code"""
    text = subprocess.run(["readelf", "-lW", program], stdout=subprocess.PIPE, check=True, text=True).stdout
    rows = [line.split() for line in text.splitlines() if line.startswith("  LOAD") and " E " in line]
    return [(int(row[2], 16), int(row[1], 16), int(row[4], 16)) for row in rows]


def main():
    program = os.path.realpath(sys.argv[3])
    code = segments(program)
    base = code[0][0] & ~0xfff

    def address(where):
        for start, offset, size in code:
            if offset <= where[1] < offset + size:
                return start + where[1] - offset - base
        raise ValueError(where)

    _, _, steps, _ = read_log(sys.argv[1], read_mappings(sys.argv[2]))
    ranges, branches = collections.Counter(), collections.Counter()
    begin = None
    before = None
    for source, target in steps:
        if source != before:
            # an exception came between
            if begin:
                ranges[begin, before] += 1
            begin = source if source and source[0] == program else None
        before = target
        if source and target and source[0] == target[0] and target[1] - source[1] == 4:
            continue
        if begin:
            ranges[begin, source] += 1
        begin = target if target and target[0] == program else None
        if source and begin and source[0] == program:
            branches[source, target] += 1
    if begin:
        ranges[begin, before] += 1
    for counts, between in (ranges, "-"), (branches, "->"):
        print(len(counts))
        for (first, last), count in counts.items():
            print(f"{address(first):x}{between}{address(last):x}:{count}")


main()
