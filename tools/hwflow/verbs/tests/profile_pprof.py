#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""profile_pprof PROFILE REPORT [JSON PROGRAM] - a profile of pprof has the counts of hwflow report.

PROFILE is what `hwflow profile --for=pprof` writes, REPORT what `hwflow report --limit=0 --width=0` prints:
each function has the same instructions and branches taken, with the code that is inlined in it. JSON is the
same profile as JSON Lines, PROGRAM an A64 program: its instructions have the functions and lines of
llvm-symbolizer. Prints what differs; exit status 1 if anything does.
"""
import collections
import gzip
import json
import os
import re
import subprocess
import sys

ROW = re.compile(r" *[0-9.]+% +(\d+) +(\S+) +(\S+) +(\S+)  (.*)  \((.*)\)$")


def fields(data):
    """Numbers of the fields of a message, and what they have"""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
        elif key & 7 == 2:
            size = number()
            if at + size > len(data):
                raise ValueError("a field is longer than its message")
            yield key >> 3, data[at:at + size]
            at += size
        else:
            raise ValueError(f"type {key & 7}")


def numbers(data):
    """Packed numbers"""
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            values.append(value)
            value = shift = 0
    return values


class Profile:
    def __init__(self, path):
        with gzip.open(path) as file:
            rows = list(fields(file.read()))
        self.strings = [value.decode() for field, value in rows if field == 6]
        types = [dict(fields(value)) for field, value in rows if field == 1]
        self.types = [(self.strings[row[1]], self.strings[row[2]]) for row in types]
        self.mappings = [dict(fields(value)) for field, value in rows if field == 3]
        self.by_number = {row[1]: row for row in self.mappings}
        self.functions = {row[1]: row for row in (dict(fields(value)) for field, value in rows if field == 5)}
        self.locations = {}
        for field, value in rows:
            if field == 4:
                parts = list(fields(value))
                row = dict(parts)
                row["lines"] = [dict(fields(part)) for number, part in parts if number == 4]
                self.locations[row[1]] = row
        self.samples = []
        for field, value in rows:
            if field == 2:
                row = dict(fields(value))
                self.samples.append(([self.locations[where] for where in numbers(row[1])], numbers(row[2])))

    def mapping_of(self, location):
        mapping = self.by_number.get(location[2])
        if mapping and not mapping[2] <= location[3] < mapping[3]:
            raise ValueError(f"{location} is not in {mapping}")
        return mapping

    def name(self, line):
        return self.strings[self.functions[line[1]][2]]


def read_report(path):
    rows = {}
    for line in open(path, encoding="utf-8"):
        match = ROW.match(line)
        if match and int(match[1]):
            taken = int(match[3]) if match[3].isdigit() else 0
            rows[match[5], match[6]] = (int(match[1]), taken)
    return rows


def by_function(profile):
    sums = collections.defaultdict(lambda: [0, 0])
    for (location,), values in profile.samples:
        mapping = profile.mapping_of(location)
        name = profile.name(location["lines"][-1])
        file = os.path.basename(profile.strings[mapping[5]]) if mapping else name[1:-1]
        for i in 0, 1:
            sums[name, file][i] += values[i]
    return {key: tuple(values) for key, values in sums.items()}


def segments(program):
    """Address, offset and size of the segments with code"""
    text = subprocess.run(["readelf", "-lW", program], stdout=subprocess.PIPE, check=True, text=True).stdout
    rows = [line.split() for line in text.splitlines() if line.startswith("  LOAD") and " E " in line]
    return [(int(row[2], 16), int(row[1], 16), int(row[4], 16)) for row in rows]


def symbolized(path, program):
    """How often code of each chain of functions and lines was executed, by llvm-symbolizer"""
    code = segments(program)
    files, counts = [], collections.Counter()
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        if row["type"] == "file":
            files.append(row["name"])
        elif row["type"] == "block" and files[row["file"]] == os.path.realpath(program):
            for offset in range(row["start"], row["end"], 4):
                start, first, _ = next(part for part in code if part[1] <= offset < part[1] + part[2])
                counts[start + offset - first] += row["executed"]
    addresses = sorted(counts)
    text = subprocess.run(["llvm-symbolizer-22", "-e", program, "--inlines", "--no-demangle", "--output-style=JSON"]
                          + [hex(address) for address in addresses], stdout=subprocess.PIPE, check=True, text=True).stdout
    sums = collections.Counter()
    for address, row in zip(addresses, json.loads(text)):
        frames = row["Symbol"]
        if any(frame["StartLine"] for frame in frames):
            sums[tuple((frame["FunctionName"], frame["StartLine"], frame["Line"]) for frame in frames)] += counts[address]
    return sums


def chains(profile, program):
    sums = collections.Counter()
    for (location,), values in profile.samples:
        mapping = profile.mapping_of(location)
        if not mapping or profile.strings[mapping[5]] != os.path.realpath(program):
            continue
        rows = []
        for line in location["lines"]:
            function = profile.functions[line[1]]
            rows.append((profile.strings[function[3]], function[5], line[2]))
        if any(row[1] for row in rows):
            sums[tuple(rows)] += values[0]
    return sums


def compare(have, want, what):
    wrong = sum(have.get(key) != want.get(key) for key in set(have) | set(want))
    for key in sorted(set(have) | set(want)):
        if have.get(key) != want.get(key) and wrong < 20:
            print(f"{key}: {have.get(key)}, and not {want.get(key)}")
    print(f"{len(have)} {what}, {wrong} differ")
    return wrong or not have


def main():
    profile = Profile(sys.argv[1])
    wrong = profile.types != [("instructions", "count"), ("branches_taken", "count")]
    wrong |= profile.strings[0] != "" or len(set(profile.strings)) != len(profile.strings)
    wrong |= compare(by_function(profile), read_report(sys.argv[2]), "functions")
    if len(sys.argv) > 3:
        have = chains(profile, sys.argv[4])
        wrong |= compare(have, symbolized(sys.argv[3], sys.argv[4]), "chains of functions")
        wrong |= max(map(len, have)) < 3
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
