#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""profile_drcov LOG PROFILE - a drcov log has the blocks that a profile as JSON Lines has.

Prints how many modules and blocks there are, and what differs; exit status 1 if anything does.
"""
import json
import re
import struct
import subprocess
import sys


def read_log(path):
    """Modules: (base, end, entry, path); blocks: (offset, size, number of the module)"""
    data = open(path, "rb").read()
    text, _, rest = data.partition(b"BB Table: ")
    head, _, table = rest.partition(b" bbs\n")
    lines = text.decode().splitlines()
    assert lines[0] == "DRCOV VERSION: 2" and lines[1].startswith("DRCOV FLAVOR: "), lines[:2]
    count = int(re.fullmatch(r"Module Table: version 2, count (\d+)", lines[2])[1])
    assert lines[3] == "Columns: id, base, end, entry, path", lines[3]
    rows = [line.split(", ", 4) for line in lines[4:]]
    assert [int(row[0]) for row in rows] == list(range(count)), rows
    blocks = list(struct.iter_unpack("<IHH", table))
    assert len(blocks) == int(head), (len(blocks), head)
    assert len(set(blocks)) == len(blocks), "a block is there twice"
    return [(*(int(word, 16) for word in row[1:4]), row[4]) for row in rows], blocks


class Elf:
    """Segments and entry point, of readelf"""

    def __init__(self, path):
        text = subprocess.run(["readelf", "-lW", path], stdout=subprocess.PIPE, check=True, text=True).stdout
        self.entry = int(re.search(r"Entry point (\S+)", text)[1], 16)
        # address, offset and size
        self.segments = [tuple(int(row[i], 16) for i in (2, 1, 4)) for row in map(str.split, text.splitlines())
                         if row and row[0] == "LOAD"]

    def address(self, where):
        for start, offset, size in self.segments:
            if offset <= where < offset + size:
                return start + where - offset
        raise ValueError(where)


def main():
    modules, blocks = read_log(sys.argv[1])
    rows = [json.loads(line) for line in open(sys.argv[2], encoding="utf-8")]
    names = [row["name"] for row in rows if row["type"] == "file"]
    elves = [Elf(name) for name in names]
    wrong = []
    for (base, end, entry, path), elf in zip(modules, elves):
        first, last = min(s[0] for s in elf.segments), max(s[0] + s[2] for s in elf.segments)
        if base != first & ~0xfff or end != last or entry != elf.entry:
            wrong.append(f"{path}: {base:#x} to {end:#x}, entry {entry:#x}")
    if [module[3] for module in modules] != names:
        wrong.append(f"modules are {[module[3] for module in modules]}, files {names}")
    wanted = set()
    for row in rows:
        if row["type"] == "block" and row["executed"]:
            start = elves[row["file"]].address(row["start"]) - modules[row["file"]][0]
            wanted.add((start, row["end"] - row["start"], row["file"]))
    # longer ones are in pieces
    joined = set()
    for start, size, module in sorted(blocks, key=lambda block: (block[2], block[0]), reverse=True):
        follows = next((block for block in joined if size == 0xfffc and block[::2] == (start + size, module)), None)
        joined -= {follows}
        joined.add((start, size + (follows[1] if follows else 0), module))
    wrong += [f"module {module}, {start:#x}: {size} bytes, only in one of both"
              for start, size, module in sorted(joined ^ wanted)]
    print(f"{len(modules)} modules, {len(blocks)} blocks")
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
