#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""page_read.py PAGE WHAT - print a part of the data of a page as lines.

inclusive   TOTAL SELF CALLS FUNCTION  (FILE), as report --inclusive counts
report      INSTRUCTIONS FUNCTION  (FILE), of the code, as report counts; each instruction is summed up
threads     INSTRUCTIONS NAME NUMBER, as report --by=thread
code        EXECUTED TAKEN NOT ADDRESS OPCODE, of each instruction, as annotate prints it
lines       EXECUTED LINE: the most that an instruction of a source line was executed, for lines of one file
calls       TOTAL CALLS MEDIAN 99% LONGEST FUNCTION  (FILE), as calls measures
slices      FLAGS BEGIN END FUNCTION<tab>FUNCTION..., as timeline_log.py: functions from the outermost on
tree        TOTAL of each function in the tree of calls, as inclusive: a check of the tree
places      PLACE: REASON of each gap, as --gaps=all prints it
sizes       of each list that the budget limits: how many values there are, with those that are left out
"""
import collections
import json
import os
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as page:
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read(), re.S).group(1))


def name_of(data, number):
    name, file = data["functions"][number]
    return name + (f"  ({os.path.basename(file)})" if file else "")


def inclusive(data):
    for function, total, own, calls in data["rows"]:
        if int(total):
            yield f"{total} {own} {calls} {name_of(data, function)}"


def report(data):
    for code in data["code"]:
        rows = [row for row in code["rows"] if len(row) > 2]
        if sum(int(row[3]) for row in rows) != int(code["n"]):
            yield "the sum of instructions is not that of the function"
        for row in rows:
            # a branch is taken or not
            if len(row) > 7 and int(row[7]) + int(row[8]) != int(row[3]):
                yield f"{row[0]}: {row[7]} taken, {row[8]} not, of {row[3]}"
        yield f"{code['n']} {name_of(data, code['f'])}"


def threads(data):
    for tid, _, name, executed in data["input"]["threads"]:
        yield f"{executed} {name} {tid}"


def instructions(data):
    for code in data["code"]:
        for row in code["rows"]:
            if len(row) > 2:
                yield code, row


def code(data):
    for _, (address, opcode, _, executed, _, _, _, *branch) in instructions(data):
        counts = " ".join(str(count) for count in branch) or "- -"
        yield f"{executed} {counts} {address} {opcode}"


def lines(data):
    most = collections.Counter()
    for code_, row in instructions(data):
        if row[4] >= 0 and code_["files"][row[4]][0].endswith("/program.c"):
            most[row[5]] = max(most[row[5]], int(row[3]))
            if not any(line == row[5] and text for line, text in code_["files"][row[4]][1]):
                yield f"line {row[5]} has no text"
    for line, executed in most.items():
        yield f"{executed} {line}"


def calls(data):
    for function, count, total, _, longest, _, percentiles, rows, calls_ in data["calls"]:
        if not int(count):
            continue
        if sum(int(number) for number in rows[1::2]) != int(count):
            yield "the sum of the histogram is not the number of calls"
        if calls_[0][1] != longest or len(calls_) != min(int(count), 10):
            yield "the longest call is not in the list"
        yield f"{total} {count} {percentiles[0]} {percentiles[2]} {longest} {name_of(data, function)}"


def slices(data):
    ids, origin = data["timeline"]["ids"], int(data["timeline"]["origin"])
    stacks = collections.defaultdict(list)
    for kind, track, *rest in data["timeline"]["items"]:
        if kind == 0:
            flags = rest[2] if len(rest) > 2 else 0
            name = rest[1] if isinstance(rest[1], str) else data["functions"][ids[rest[1]]][0]
            stacks[track].append((int(rest[0]) + origin, name, flags))
        elif kind == 1:
            begin, name, flags = stacks[track].pop()
            outer = [slice_[1] for slice_ in stacks[track] if not slice_[2] & 4]
            if not flags & 4:
                ends = "e" if len(rest) > 1 else ""
                marks = ("x" if flags & 1 else "") + ("b" if flags & 2 else "") + ends
                path = "\t".join(outer + [name])
                yield f"{marks or '-'} {begin} {int(rest[0]) + origin} {path}"
    if any(stacks.values()):
        yield "slices do not balance"


def tree(data):
    """The totals of functions are those of the outermost of their nodes, and a total is the sum of what is below."""
    nodes, sums, totals = data["tree"], collections.Counter(), collections.Counter()
    for number, (parent, function, total, own, _) in enumerate(nodes):
        sums[number] += int(own)
        if parent >= 0:
            sums[parent] += int(total)
        outer, at = False, parent
        while at >= 0:
            outer |= nodes[at][1] == function
            at = nodes[at][0]
        if not outer:
            totals[function] += int(total)
    for number, node in enumerate(nodes):
        if sums[number] != int(node[2]):
            yield f"node {number}: {node[2]} is not the sum {sums[number]}"
    for function, total in totals.items():
        if total:
            yield f"{total} {name_of(data, function)}"


def places(data):
    for reason, place, _ in data["gaps"]["places"]:
        yield f"{place}: {reason}"


def sizes(data):
    for name in ("rows", "tree", "calls", "code"):
        yield f"{name} {len(data[name]) + data[name + '_left']}"


def main():
    for line in globals()[sys.argv[2]](read(sys.argv[1])):
        print(line)


main()
