#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""timeline_log.py LOG SYMBOLS CODE ROOT... - the calls in functions ROOT of a ground-truth log, as timeline_read.py
prints slices, without track and flags.

LOG is what "hwflow emulate --show-log" prints, SYMBOLS what nm prints of a static program, CODE what objdump -d does. A call is
an instruction bl or blr, and it ends with the ret that goes to the instruction after it. Times are numbers of
instructions of a thread.
"""
import sys


def main():
    log, symbols, code, *roots = sys.argv[1:]
    names, calls, returns = {}, set(), set()
    with open(symbols, encoding="ascii") as lines:
        for line in lines:
            address, kind, name = line.rstrip("\n").split(" ", 2)
            if kind in "tT":
                names.setdefault(int(address, 16), name.replace("\\", "\\\\"))
    with open(code, encoding="ascii") as lines:
        for line in lines:
            words = line.split()
            if len(words) > 2 and words[0].endswith(":"):
                if words[2] in ("bl", "blr"):
                    calls.add(int(words[0][:-1], 16))
                elif words[2] == "ret":
                    returns.add(int(words[0][:-1], 16))
    executed, stacks, last = {}, {}, {}
    with open(log, encoding="ascii") as lines:
        for line in lines:
            words = line.split()
            if words[3] == "EXC":
                continue
            thread, address = words[2], int(words[5], 16)
            now = executed.get(thread, 0)
            executed[thread] = now + 1
            stack = stacks.setdefault(thread, [])
            before = last.get(thread)
            if before in calls and (stack or names.get(address) in roots):
                stack.append((now, names[address], before + 4))
            elif before in returns and stack and address == stack[-1][2]:
                begin = stack[-1][0]
                print("slice", begin, now, "\t".join(name for _, name, _ in stack))
                stack.pop()
            last[thread] = address


if __name__ == "__main__":
    main()
