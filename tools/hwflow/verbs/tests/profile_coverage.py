#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""profile_coverage gcov TRACEFILE SOURCE GCOV - a tracefile has the lines and functions that gcov has.

GCOV is what `gcov --json-format --stdout` prints of the same source and input. Lines that differ have
to have a cause of the list below, and are printed with it.

profile_coverage log TRACEFILE SOURCE PROGRAM LOG - a tracefile has what a log has.

LOG is a ground-truth log as text, PROGRAM a static A64 program. llvm-symbolizer and llvm-objdump read
its lines and branches.

Prints what differs; exit status 1 if anything does, or if nothing was compared.
"""
import bisect
import collections
import json
import re
import subprocess
import sys

LABEL = re.compile(r"^\s*(case [^:]*|default|[a-z_]+):$")
BRANCH = re.compile(r"^(b\.\w+|cbn?z|tbn?z)$")


class Tracefile:
    """The section of a file, whose sums have to be right"""

    def __init__(self, path, source):
        self.lines, self.starts, self.calls, self.branches = {}, {}, {}, collections.defaultdict(list)
        sums, inside, self.wrong = {}, False, []
        for line in open(path, encoding="utf-8"):
            kind, _, rest = line.strip().partition(":")
            words = rest.split(",")
            if kind == "SF":
                inside = rest.endswith("/" + source)
            elif not inside:
                continue
            elif kind == "DA":
                self.lines[int(words[0])] = int(words[1])
            elif kind == "FN":
                self.starts[words[1]] = int(words[0])
            elif kind == "FNDA":
                self.calls[words[1]] = int(words[0])
            elif kind == "BRDA":
                self.branches[int(words[0])].append((int(words[1]), int(words[2]), words[3]))
            elif kind != "end_of_record":
                sums[kind] = int(rest)
        outcomes = [outcome[2] for line in self.branches.values() for outcome in line]
        for kind, values in (("L", self.lines.values()), ("FN", self.calls.values()),
                             ("BR", [0 if count == "-" else int(count) for count in outcomes])):
            for name, count in ((kind + "F", len(values)), (kind + "H", sum(v > 0 for v in values))):
                if sums.get(name) != count:
                    self.wrong.append(f"{name} is {sums.get(name)}, of {count}")


def against_gcov(trace, source, path):
    text = open(source, encoding="utf-8").read().split("\n")
    entry = next(file for file in json.load(open(path, encoding="utf-8"))["files"] if file["file"].endswith(source))
    wanted = collections.Counter()
    functions = {}
    for line in entry["lines"]:
        wanted[line["line_number"]] += line["count"]
    for function in entry["functions"]:
        functions[function["name"]] = function["execution_count"]
        # line tables have the line of the brace that begins the function
        start = trace.starts.get(function["name"])
        if start is not None and start == function["start_line"] + 1 and text[start - 1] == "{":
            print(f"{start}: its function is at line {start - 1} in gcov")
            wanted[start] = wanted.pop(start - 1)
    wrong = trace.wrong
    if functions != trace.calls:
        wrong.append(f"functions: {functions}, in the tracefile {trace.calls}")
    for number in sorted(set(wanted) | set(trace.lines)):
        gcov, here, line = wanted.get(number), trace.lines.get(number), text[number - 1]
        if gcov == here:
            continue
        cause = None
        if here is None and LABEL.match(line):
            cause = "a label has no code"
        elif gcov is None and line == "}":
            cause = "the end of a function has code, and no block of gcov"
        elif "setjmp(" in line and here is not None and here > gcov:
            cause = "longjmp() enters the line, and is no arc of gcov"
        if cause:
            print(f"{number}: {gcov} in gcov, {here} here: {cause}")
        else:
            wrong.append(f"{number}: {gcov} in gcov, {here} here: {line}")
    print(f"{len(wanted)} lines, {sum(number > 0 for number in wanted.values())} executed; {len(functions)} functions")
    return wrong, len(wanted)


class Program:
    """Lines, functions and instructions of a program"""

    def __init__(self, path, source):
        def run(*words, **options):
            return subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True, **options).stdout.splitlines()

        self.insns, self.targets, names = {}, {}, {}
        for line in run("llvm-objdump-22", "-d", "--no-show-raw-insn", path):
            words = line.split()
            if re.match(r"^[0-9a-f]+ <", line):
                names[int(words[0], 16)] = words[1][1:-2].split(".")[0]
            elif re.match(r"^ *[0-9a-f]+:", line) and len(words) > 1:
                address = int(words[0][:-1], 16)
                self.insns[address] = words[1]
                target = re.search(r"0x([0-9a-f]+) <", line)
                if target and BRANCH.match(words[1]):
                    self.targets[address] = int(target[1], 16)
        self.starts = sorted(names)
        self.names = [names[start] for start in self.starts]
        found = run("llvm-symbolizer-22", "--obj=" + path, "--no-inlines", "--functions=none",
                    input="".join(f"{address:#x}\n" for address in self.insns))
        self.lines = {}
        for address, line in zip(self.insns, (line for line in found if line)):
            file, number, _ = line.rsplit(":", 2)
            if file.endswith("/" + source) and number != "0":
                self.lines[address] = int(number)

    def function(self, address):
        return bisect.bisect_right(self.starts, address) - 1


class Frame:
    def __init__(self, function):
        self.function, self.line, self.seen = function, None, set()


def read_steps(path):
    """Addresses in their order; with each, did an exception come before it?"""
    exception = False
    for line in open(path, encoding="utf-8"):
        words = line.split()
        if words[3] == "EXC":
            exception = True
        elif words[3] != "GAP":
            yield int(words[5], 16), exception
            exception = False


def replay(program, path):
    """How often each line of each function is entered, and executions of its instructions"""
    steps = list(read_steps(path))
    joins = {address for (before, _), (address, exception) in zip(steps, steps[1:])
             if address != before + 4 and not exception and program.insns.get(before) != "ret"}
    entered, executed, outcomes = collections.Counter(), collections.Counter(), collections.Counter()
    frames, before = [Frame(program.function(steps[0][0]))], None
    for address, exception in steps:
        function, insn = program.function(address), program.insns.get(before)
        if insn in ("bl", "blr") and not exception:
            frames.append(Frame(function))
        elif insn == "ret" and not exception and len(frames) > 1:
            frames.pop()
        name = program.names[function]
        if program.names[frames[-1].function] != name:
            if exception:
                frames.append(Frame(function))
            else:
                # longjmp(), or a call at the end of a function
                at = max((i for i, frame in enumerate(frames) if program.names[frame.function] == name), default=None)
                frames[len(frames) - 1 if at is None else at:] = [frames[at] if at is not None else Frame(function)]
        frame, line = frames[-1], program.lines.get(address)
        if before in program.targets:
            outcomes[before, address == program.targets[before]] += 1
        if not exception and (address in joins or (insn and insn[0] in "bct" and insn not in ("bl", "blr") and
                                                   (insn in ("b", "br") or BRANCH.match(insn)))):
            frame.seen = {line} if line == frame.line else set()
        if line and line not in frame.seen:
            entered[name, line] += 1
        frame.seen.add(line)
        frame.line, before = line, address
        executed[address] += 1
    return entered, executed, outcomes


def against_log(trace, source, path, log):
    program = Program(path, source)
    entered, executed, outcomes = replay(program, log)
    most = collections.Counter()
    for address, line in program.lines.items():
        key = program.names[program.function(address)], line
        most[key] = max(most[key], executed[address])
    wanted = collections.Counter()
    for key, count in most.items():
        wanted[key[1]] += max(count, entered[key])
    wrong = trace.wrong
    for line in sorted(wanted):
        if wanted[line] != trace.lines.get(line):
            wrong.append(f"line {line}: {trace.lines.get(line)}, and {wanted[line]} by the log")
    branches = collections.defaultdict(list)
    for address in sorted(program.targets):
        if address in program.lines:
            block = len(branches[program.lines[address]]) // 2
            both = outcomes[address, True], outcomes[address, False]
            branches[program.lines[address]] += [(block, i, str(both[i]) if sum(both) else "-") for i in (0, 1)]
    if branches != trace.branches:
        wrong += [f"line {line}: branches {trace.branches.get(line)}, and {branches.get(line)} by the log"
                  for line in sorted(set(branches) | set(trace.branches)) if branches.get(line) != trace.branches.get(line)]
    print(f"{len(wanted)} lines, {sum(count > 0 for count in wanted.values())} executed; "
          f"{sum(map(len, branches.values())) // 2} branches, {len(outcomes)} outcomes of all branches")
    return wrong, min(len(wanted), len(branches))


def main():
    trace = Tracefile(sys.argv[2], sys.argv[3])
    wrong, count = (against_gcov if sys.argv[1] == "gcov" else against_log)(trace, sys.argv[3], *sys.argv[4:])
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
