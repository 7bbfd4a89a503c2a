#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""profile_propeller LOG MAPPINGS PROGRAM MAP LAYOUT - a layout has the blocks that a log has.

LOG and MAPPINGS are those of profile_truth.py, MAP is what `llvm-readobj --bb-addr-map PROGRAM` prints, and
LAYOUT what `hwflow profile --for=propeller` writes. Of each function that was executed, and of no other,
the layout has the entry, which comes first, and the blocks that were executed. More steps from block to
block fall through than in the program. Prints what differs; exit status 1 if anything does.
"""
import bisect
import collections
import re
import subprocess
import sys


def read_map(path):
    """By function: address of its entry, and of each block by number; names of functions by address"""
    functions, base, block = {}, 0, None
    names = collections.defaultdict(set)
    for line in open(path, encoding="utf-8"):
        key, _, value = line.strip().partition(": ")
        if key == "At":
            entry = int(value, 16)
            functions[entry] = {}
        elif key == "Name":
            names[entry].add(value)
        elif key == "Base Address":
            base = int(value, 16)
        elif key == "ID":
            block = int(value)
        elif key == "Offset":
            functions[entry][block] = base + int(value, 16)
    return functions, names


def load_bias(program, mappings):
    """What is added to the linked address of the program's code"""
    text = subprocess.run(["aarch64-linux-gnu-readelf", "-lW", program], capture_output=True, text=True, check=True)
    offset, address = next((int(row.split()[1], 16), int(row.split()[2], 16))
                           for row in text.stdout.splitlines() if "LOAD" in row and " R E " in row)
    for line in open(mappings, encoding="utf-8"):
        match = re.search(r"\s([0-9a-f]+)-[0-9a-f]+\s+([0-9a-f]+) [0-9a-f-]+ (.*)$", line)
        if match and match[3].endswith("/" + program):
            return int(match[1], 16) - int(match[2], 16) + offset - address
    raise SystemExit("the program is not mapped")


def read_log(path, bias, functions):
    """Addresses that were executed, and how often a block of a function followed another, by their starts"""
    starts = sorted((address, entry) for entry, blocks in functions.items() for address in blocks.values())
    executed, steps, before = set(), collections.Counter(), None
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if words[3] in ("EXC", "GAP"):
            before = None
            continue
        address = int(words[5], 16) - bias
        executed.add(address)
        block = starts[max(bisect.bisect(starts, (address, 1 << 64)) - 1, 0)]
        if block[0] == address and before and before[1] == block[1]:
            steps[before[0], address] += 1
        before = block
    return executed, steps


def main():
    log, mappings, program, block_map, layout = sys.argv[1:]
    bias = load_bias(program, mappings)
    functions, names = read_map(block_map)
    executed, steps = read_log(log, bias, functions)
    unique = collections.Counter(name for some in names.values() for name in some)
    want = {}
    for entry, blocks in functions.items():
        hot = {number for number, address in blocks.items() if address in executed}
        name = min(names[entry], default=None)
        if hot and name and unique[name] == 1:
            first = next(number for number, address in blocks.items() if address == entry)
            want[name] = (first, hot | {first})
    entries = {name: entry for entry, some in names.items() for name in some}
    have, wrong, falls = {}, 0, 0
    for line in open(layout, encoding="utf-8"):
        kind, _, rest = line.rstrip("\n").partition(" ")
        if kind == "f":
            name = rest
        elif kind == "c":
            ids = [int(number) for number in rest.split()]
            wrong += len(ids) != len(set(ids))
            have[name] = (ids[0], set(ids))
            places = [functions[entries[name]].get(number) for number in ids]
            falls += sum(steps[pair] for pair in zip(places, places[1:]))
    for name in sorted(set(want) | set(have)):
        if want.get(name) != have.get(name):
            wrong += 1
            print(f"{name}: executed {want.get(name)}, laid out {have.get(name)}")
    order = {}
    for entry, blocks in functions.items():
        places = sorted(set(blocks.values()))
        order.update(zip(places, places[1:]))
    fell = sum(count for (source, target), count in steps.items() if order.get(source) == target)
    print(f"{len(have)} functions, {sum(len(ids) for _, ids in have.values())} blocks, "
          f"{falls} of {sum(steps.values())} steps fall through, {fell} before")
    return 1 if wrong or not have or falls <= fell else 0


if __name__ == "__main__":
    sys.exit(main())
