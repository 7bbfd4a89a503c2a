#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""profile_gcc LOG MAPPINGS PROGRAM PROFILE - a profile for GCC has what a log has.

LOG and MAPPINGS are those of profile_truth, PROFILE a file of `hwflow profile --for=gcc` or `--for=gcc16` of an A64
PROGRAM with one thread. The names, lines and inlined calls of the instructions in the log are those of llvm-symbolizer; a function
is a symbol. Prints what differs, or how often each function is entered; exit status 1 if anything differs.
"""
import bisect
import collections
import json
import os
import re
import struct
import subprocess
import sys

from profile_truth import read_log, read_mappings


class Function:
    """Lines are by place: [count, targets]; inlined calls by place and name"""

    def __init__(self):
        self.entered = 0
        self.part_entered = 0
        self.turn = 0
        self.lines = {}
        self.inlined = collections.defaultdict(Function)


class File:
    """The words and strings of a file"""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.bytes = file.read()
        self.at = 0

    def word(self):
        self.at += 4
        return struct.unpack_from("<I", self.bytes, self.at - 4)[0]

    def count(self):
        return self.word() | self.word() << 32

    def string(self):
        size = self.word()
        self.at += size
        text = self.bytes[self.at - size:self.at]
        assert text.endswith(b"\0") and b"\0" not in text[:-1], text
        return text[:-1].decode()

    def section(self, tag):
        found = self.word()
        assert found == tag, f"{found:#x} in place of the section {tag:#x}"
        size = self.word()
        return self.at + size


def read_function(file, names, function):
    lines, calls = file.word(), file.word()
    for _ in range(lines):
        place, targets, count = file.word(), file.word(), file.count()
        assert place not in function.lines
        line = function.lines[place] = [count, {}]
        for _ in range(targets):
            assert file.word() == 7
            name = names[file.count()]
            line[1][name] = file.count()
    for _ in range(calls):
        key = file.word(), names[file.word()]
        assert key not in function.inlined
        read_function(file, names, function.inlined[key])


def counts_of(functions):
    for function in functions:
        yield from (count for count, _ in function.lines.values())
        yield from counts_of(function.inlined.values())


def check_summary(summary, functions):
    """Counts of lines, from the largest on"""
    counts = sorted(counts_of(functions.values()), reverse=True)
    total = sum(counts)
    assert summary.pop(0) == [total, counts[0], max(function.entered for function in functions.values()),
                              len(counts), len(functions), 16]
    assert [row[0] for row in summary] == [10000] + [n * 100000 for n in range(1, 10)] + [
        950000, 990000, 999000, 999900, 999990, 999999]
    for cutoff, least, number in summary:
        assert counts[number - 1] == least and sum(counts[:number]) >= total * cutoff // 1000000 and \
            sum(counts[:number - 1]) < total * cutoff // 1000000, (cutoff, least, number)


def read_profile(path):
    """Its version, and the functions"""
    file = File(path)
    magic, version, zero = (file.word() for _ in range(3))
    assert magic == 0x67636461 and version in (2, 3) and zero == 0
    summary = []
    if version == 3:
        assert file.word() == 0xa8000000
        summary = [[file.count() for _ in range(6)]]
        summary += [[file.word(), file.count(), file.count()] for _ in range(16)]
    end = file.section(0xaa000000)
    assert version == 2 or file.word() == 0
    names = []
    for _ in range(file.word()):
        names.append(file.string())
        assert version == 2 or file.word() == 0xffffffff
    assert file.at == end and names == sorted(set(names)) and not names[0], names
    end = file.section(0xac000000)
    functions = {}
    for _ in range(file.word()):
        entered = file.count()
        turn = file.count() if version == 3 else 0
        name = names[file.word()]
        assert name and name not in functions
        functions[name] = Function()
        functions[name].entered = entered
        functions[name].turn = turn
        read_function(file, names, functions[name])
    assert file.at == end
    end = file.section(0xae000000)
    assert file.word() == 0 and file.at == end == len(file.bytes)
    if summary:
        check_summary(summary, functions)
    return version, functions


class Program:
    def __init__(self, path, version):
        self.path = path
        self.version = version
        text = subprocess.run(["readelf", "-lW", path], stdout=subprocess.PIPE, check=True, text=True).stdout
        rows = [line.split() for line in text.splitlines() if line.startswith("  LOAD") and " E " in line]
        self.segments = [(int(row[1], 16), int(row[2], 16), int(row[4], 16)) for row in rows]
        text = subprocess.run(["readelf", "-sW", path], stdout=subprocess.PIPE, check=True, text=True).stdout
        rows = [line.split() for line in text.splitlines() if " FUNC " in line]
        found = {int(row[1], 16): (int(row[1], 16), int(row[2], 0), row[7]) for row in rows if row[6] != "UND"}
        self.symbols = sorted(found.values())
        with open(path, "rb") as file:
            self.bytes = file.read()

    def address(self, place):
        """Of a place in a file; None if it is in another file"""
        if place and place[0] == self.path:
            for offset, address, size in self.segments:
                if offset <= place[1] < offset + size:
                    return address + place[1] - offset
        return None

    def opcode(self, place):
        return struct.unpack_from("<I", self.bytes, place[1])[0]

    def symbol(self, address):
        found = bisect.bisect_right(self.symbols, (address, 1 << 64, "")) - 1
        start, size, name = self.symbols[found] if found >= 0 else (0, 0, "")
        return (start, size, name) if address < start + size else None

    def stripped(self, name):
        if self.version == 2:
            return name.split(".")[0]
        return re.sub(r"(\.(isra|constprop|part|cold|lto_priv)(\.[0-9]+)?)+$", "", name)

    def frames(self, addresses):
        """By address: name and place in each function, from the outermost; those with a known declaration"""
        text = "".join(f"{address:#x}\n" for address in addresses)
        text = subprocess.run(["llvm-symbolizer-22", f"--obj={self.path}", "--output-style=JSON", "--no-demangle"],
                              input=text, stdout=subprocess.PIPE, check=True, text=True).stdout
        stacks = {}
        for line in text.splitlines():
            row = json.loads(line)
            frames = [frame for frame in reversed(row["Symbol"]) if frame["StartLine"]]
            # the rest of a function that is inlined in its beginning, at its declaration
            frames = [frame for frame, inner in zip(frames, frames[1:] + [None])
                      if not inner or frame["FunctionName"] != inner["FunctionName"] or
                      frame["Line"] != frame["StartLine"]]
            if frames and frames[0]["FunctionName"][:2] != "_Z":
                symbol = self.symbol(int(row["Address"], 16))[2]
                if symbol[:2] == "_Z" or re.match(re.escape(frames[0]["FunctionName"]) + r"\.[0-9]", symbol):
                    frames[0]["FunctionName"] = symbol
            if frames:
                stacks[int(row["Address"], 16)] = [
                    (self.stripped(frame["FunctionName"]),
                     (frame["Line"] - frame["StartLine"] & 0xffff) << 16 | frame["Discriminator"] & 0xffff)
                    for frame in frames]
        return stacks


def find(functions, stack):
    """The function of the innermost frame"""
    function = functions[stack[0][0]]
    for (_, place), (name, _) in zip(stack, stack[1:]):
        function = function.inlined[place, name]
    return function


def is_link(opcode):
    return opcode & 0xfc000000 == 0x94000000 or opcode & 0xfffffc1f == 0xd63f0000


def is_indirect(opcode):
    return opcode & 0xffdffc1f == 0xd61f0000


def expect(program, log, mappings):
    executed, _, steps, _ = read_log(log, read_mappings(mappings))
    counts = {program.address(where): count for where, count in executed.items()}
    counts.pop(None, None)
    symbols = {program.symbol(address) for address in counts} - {None}
    stacks = program.frames([address for start, size, _ in symbols for address in range(start, start + size, 4)])
    functions = collections.defaultdict(Function)
    most = collections.Counter()
    for address, stack in stacks.items():
        place = stack[-1][1]
        symbol = program.symbol(address)[0]
        count = counts.get(address, 0)
        if not count and program.version == 3:
            continue
        line = find(functions, stack).lines.setdefault(place, [0, {}])
        line[0] += max(0, count - most[id(line), symbol])
        most[id(line), symbol] = max(count, most[id(line), symbol])
    for (source, target), count in collections.Counter(steps).items():
        address = program.address(target)
        symbol = address and program.symbol(address)
        if address not in stacks or symbol[0] != address:
            continue
        caller = program.address(source)
        if caller and program.symbol(caller) == symbol and not is_link(program.opcode(source)):
            continue
        function = functions[stacks[address][0][0]]
        if ".part." in symbol[2]:
            function.part_entered += count
        else:
            function.entered += count
        if caller in stacks and is_indirect(program.opcode(source)):
            targets = find(functions, stacks[caller]).lines[stacks[caller][-1][1]][1]
            name = stacks[address][0][0]
            targets[name] = targets.get(name, 0) + count
    for function in functions.values():
        function.entered = max(function.entered, function.part_entered)
    if program.version == 3:
        addresses = [program.address(where) for step in steps for where in step]
        begun = dict.fromkeys(stacks[address][0][0] for address in addresses if address in stacks)
        for turn, name in enumerate(begun):
            functions[name].turn = turn + 1
    return functions


def compare(name, have, want):
    wrong = 0
    if have.entered != want.entered:
        wrong += 1
        print(f"{name}: entered {want.entered} times, counted {have.entered}")
    if have.turn != want.turn:
        wrong += 1
        print(f"{name}: is the function {want.turn} that begins to run, counted {have.turn}")
    for place in sorted(set(have.lines) | set(want.lines)):
        if have.lines.get(place) != want.lines.get(place):
            wrong += 1
            print(f"{name}: {place >> 16}.{place & 0xffff}: {want.lines.get(place)}, counted {have.lines.get(place)}")
    for place, inner in sorted(set(have.inlined) | set(want.inlined)):
        wrong += compare(f"{name}: {place >> 16}.{place & 0xffff}: {inner}", have.inlined[place, inner],
                         want.inlined[place, inner])
    return wrong


def main():
    version, functions = read_profile(sys.argv[4])
    want = expect(Program(os.path.realpath(sys.argv[3]), version), sys.argv[1], sys.argv[2])
    have = collections.defaultdict(Function, functions)
    wrong = 0
    for name in sorted(set(have) | set(want)):
        wrong += compare(name, have[name], want[name])
    if not wrong:
        for name in sorted(have):
            print(name, have[name].entered)
    return 1 if wrong or not have else 0


if __name__ == "__main__":
    sys.exit(main())
