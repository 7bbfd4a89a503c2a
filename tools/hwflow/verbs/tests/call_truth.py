#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""call_truth LOG ADDRESS - the calls of a function, from a ground-truth log.

LOG is the log as text, ADDRESS where the function begins. Prints a line for each call in the order of
their ends: thread, the number of instructions that the thread has executed before it, and the number of
those from the first instruction of the function to its return.

A function that was called from an address returns when the instruction behind that is executed. All other
calls are of no interest.
"""
import collections
import sys


def main():
    entry = int(sys.argv[2], 16)
    executed = collections.Counter()
    last = {}
    calls = collections.defaultdict(list)
    for line in open(sys.argv[1], encoding="utf-8"):
        words = line.split()
        thread = words[2]
        if words[3] == "EXC":
            continue
        address = int(words[5], 16)
        begun = calls[thread]
        if begun and address == begun[-1][0]:
            begin = begun.pop()[1]
            print(thread, begin, executed[thread] - begin)
        if address == entry:
            begun.append((last[thread] + 4, executed[thread]))
        executed[thread] += 1
        last[thread] = address


main()
