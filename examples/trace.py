#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""trace.py listing|packets|ranges|edges TRACE PROGRAM REGISTER=VALUE... - as the C examples, of raw ETE trace"""

import sys

import hwflow

what, path, elf, *registers = sys.argv[1:]
values = {name: int(value, 0) for name, value in (text.split("=") for text in registers)}
program = hwflow.Program(values.get("TRCIDR2", 0) >> 31)
program.add_elf(elf)
with open(path, "rb") as file:
    trace = hwflow.Trace("ete", file.read(), values, program)
if what == "listing":
    for line in trace.listing():
        print(line)
elif what == "packets":
    for offset, size, name, _ in trace.packets():
        print(offset, size, name)
elif what == "ranges":
    for start, end, instructions in trace.ranges():
        print(f"{start:x} {end:x} {instructions}")
else:
    for (start, target), count in sorted(trace.edges().items()):
        print(f"{count} {start:x} {target:x}")
