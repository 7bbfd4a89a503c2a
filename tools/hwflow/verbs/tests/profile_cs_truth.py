#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""profile_cs_truth PROFILE AUTOFDO [PROGRAM LOG] - a profile by calling contexts has what a log has.

PROFILE is what `hwflow profile --for=cs-autofdo` makes of a recording, and AUTOFDO what --for=autofdo makes of it. The
contexts of a function have the total, the entries and the targets that the function has in AUTOFDO.

LOG is the ground-truth log of the recording as text, of PROGRAM alone, which is static. The stack of each thread follows
from calls, returns and exceptions of the log; llvm-symbolizer has the lines and the inlined calls, and objdump the
calls. Each context has the lines, targets, total and entries of the log, and there is no other.

Prints what differs; exit status 1 if anything does.
"""
import collections
import os
import re
import subprocess
import sys

INSN = re.compile(r"^ *([0-9a-f]+):\t(\S+)")
KINDS = {"bl": "call", "blr": "call", "ret": "return"}
CC = os.environ.get("CROSS_CC", "aarch64-linux-gnu-gcc")


def component(value):
    if value & 1:
        return 0, value >> 1
    if value & 0x40:
        return value >> 1 & 0x1F | value >> 2 & 0xFE0, value >> 14
    return value >> 1 & 0x1F, value >> 7


class Program:
    """Kinds of instructions, and frames: (name, place of the next frame or of the code), the outermost first"""

    def __init__(self, path, addresses):
        listing = subprocess.run([CC[:-3] + "objdump", "-d", "--no-show-raw-insn", path],
                                 check=True, capture_output=True, text=True).stdout
        self.kind = {}
        for match in map(INSN.match, listing.splitlines()):
            if match:
                self.kind[int(match[1], 16)] = KINDS.get(match[2], "other")
        self.stacks, self.entries, self.factors = {}, {}, {}
        names = subprocess.run(["llvm-symbolizer-22", "--obj=" + path, "--inlines", "--verbose", "--no-demangle"],
                               input="".join(f"{address:#x}\n" for address in addresses),
                               check=True, capture_output=True, text=True).stdout
        for address, text in zip(addresses, names.split("\n\n")):
            self.add(address, text)

    def add(self, address, text):
        frames = []
        for line in text.splitlines():
            if not line.startswith("  "):
                frames.append({"name": line})
            else:
                key, value = line.strip().split(": ", 1)
                frames[-1][key] = value
        if not frames or "Function start line" not in frames[-1]:
            return
        stack = []
        for frame in reversed(frames):
            base, rest = component(int(frame.get("Discriminator", 0)))
            line = int(frame["Line"]) - int(frame["Function start line"]) & 0xFFFF
            stack.append((frame["name"], (line, base)))
            self.factors[address] = component(rest)[0] or 1
        self.stacks[address] = stack
        self.entries[address] = int(frames[-1]["Function start address"], 16)

    def is_entry(self, address):
        return self.entries.get(address) == address


class Frame:
    def __init__(self, back, calls, entry, interrupted=False):
        self.back, self.calls, self.entry, self.interrupted = back, calls, entry, interrupted


def compress(calls):
    for size in range(1, len(calls) // 2 + 1):
        if calls[-size:] == calls[-2 * size:-size]:
            return calls[:-size]
    return calls


class Truth:
    def __init__(self, program):
        self.program = program
        self.executed = collections.Counter()
        self.heads = collections.Counter()
        self.targets = collections.Counter()
        self.threads = collections.defaultdict(list)
        self.last = {}

    def calls_of(self, stack, address):
        """The calls that the function of an address was entered by"""
        if stack and stack[-1].entry == self.program.entries.get(address):
            return stack[-1].calls
        return ()

    def enter(self, stack, site, address, is_call):
        frames = self.program.stacks.get(site, ())
        around = self.calls_of(stack, site) + tuple(frames)
        if not self.program.is_entry(address):
            return ()
        name = self.program.stacks[address][0][0]
        calls = compress(around) if frames and is_call else ()
        self.heads[calls, name] += 1
        if frames:
            self.targets[around, name] += 1
        return calls

    def step(self, thread, address):
        program, stack = self.program, self.threads[thread]
        before = self.last.get(thread)
        entry = program.entries.get(address)
        if before == "exception":
            at = [i for i, frame in enumerate(stack) if frame.interrupted and frame.back == address]
            if at:
                del stack[at[-1]:]
            elif stack and stack[-1].interrupted:
                stack[-1].entry = entry
        elif before is not None:
            # code of the kernel that programs have mapped (vdso) calls nothing
            kind = program.kind.get(before, "return")
            if kind == "call":
                stack.append(Frame(before + 4, self.enter(stack, before, address, True), entry))
            elif kind == "return" and stack and stack[-1].back == address:
                stack.pop()
            elif entry != program.entries.get(before) and program.is_entry(address):
                self.enter(stack, before, address, False)
                if stack:
                    stack[-1].calls, stack[-1].entry = (), entry
        self.executed[self.calls_of(stack, address), address] += 1
        self.last[thread] = address

    def exception(self, thread, back):
        self.threads[thread].append(Frame(back, (), None, True))
        self.last[thread] = "exception"


class Context:
    def __init__(self):
        self.total = self.head = 0
        self.counts = collections.Counter()
        self.targets = collections.defaultdict(collections.Counter)

    def lines(self):
        return {place: (max(self.counts[place], self.targets[place].total()), dict(self.targets[place]))
                for place in set(self.counts) | set(self.targets)}


def contexts_of(truth, program):
    contexts = collections.defaultdict(Context)
    for (calls, address), count in truth.executed.items():
        stack = program.stacks.get(address)
        if stack:
            context = contexts[calls + tuple(stack[:-1]), stack[-1][0]]
            place = stack[-1][1]
            context.total += 4 * count
            context.counts[place] = max(context.counts[place], count * program.factors[address])
    for (calls, name), count in truth.heads.items():
        contexts[calls, name].head += count
    for (calls, name), count in truth.targets.items():
        contexts[calls[:-1], calls[-1][0]].targets[calls[-1][1]][name] += count
    return contexts


def add_inlined(contexts):
    """A call that is inlined is a target of its line, as often as the line is executed, or its own first line"""
    for calls, _ in list(contexts):
        for depth in range(1, len(calls)):
            contexts[calls[:depth], calls[depth][0]]  # pylint: disable=expression-not-assigned
    for calls, name in sorted(contexts, key=lambda key: -len(key[0])):
        context = contexts[calls, name]
        if context.head or not calls:
            continue
        lines = context.lines()
        most = (lines[min(lines)][0] if lines else 0) or int(context.total > 0)
        caller, place = contexts[calls[:-1], calls[-1][0]], calls[-1][1]
        if most:
            caller.targets[place][name] += min(most, caller.counts[place] or most)


def place_text(place):
    return f"{place[0]}.{place[1]}" if place[1] else str(place[0])


def as_text(contexts):
    result = {}
    for (calls, name), context in contexts.items():
        lines = context.lines()
        if lines or context.head:
            key = " @ ".join([f"{caller}:{place_text(place)}" for caller, place in calls] + [name])
            result[key] = context.total, context.head, {place_text(place): lines[place] for place in lines}
    return result


def read_profile(path):
    contexts = {}
    for line in open(path, encoding="utf-8"):
        if line.startswith("["):
            name, total, head = re.match(r"\[(.*)\]:(\d+):(\d+)$", line).groups()
            contexts[name] = int(total), int(head), {}
            last = contexts[name][2]
        else:
            place, count, *targets = line.split()
            pairs = (target.rsplit(":", 1) for target in targets)
            last[place[:-1]] = int(count), {target: int(number) for target, number in pairs}
    return contexts


def read_autofdo(path):
    """Own totals and entries of functions; counts and targets of their lines; callees that are inlined in lines"""
    totals, heads = collections.Counter(), collections.Counter()
    counts, targets, inlined = collections.Counter(), collections.Counter(), set()
    stack = []
    for line in open(path, encoding="utf-8"):
        depth = len(line) - len(line.lstrip())
        words = line.split()
        del stack[depth:]
        if not depth:
            name, total, head = line.rsplit(":", 2)
            totals[name] += int(total)
            heads[name] += int(head)
            stack.append(name)
        elif ":" in words[1]:
            name, total = words[1].rsplit(":", 1)
            totals[name] += int(total)
            totals[stack[-1]] -= int(total)
            inlined.add((stack[-1], words[0][:-1], name))
            stack.append(name)
        else:
            counts[stack[-1], words[0][:-1]] += int(words[1])
            for target in words[2:]:
                name, number = target.rsplit(":", 1)
                targets[stack[-1], words[0][:-1], name] += int(number)
    return totals, heads, counts, targets, inlined


def compare_sums(contexts, path):
    totals, heads, counts, targets, inlined = read_autofdo(path)
    own_totals, own_heads = collections.Counter(), collections.Counter()
    own_counts, own_targets = collections.Counter(), collections.Counter()
    for key, (total, head, lines) in contexts.items():
        name = key.split(" @ ")[-1]
        own_totals[name] += total
        own_heads[name] += head
        for place, (count, called) in lines.items():
            own_counts[name, place] += count
            for callee, number in called.items():
                own_targets[name, place, callee] += number
    bad = []
    for what, have, want in (("total", own_totals, totals), ("entries", own_heads, heads), ("target", own_targets, targets)):
        # a call that is inlined in some copy of its caller is a target, too
        for key in (set(have) | set(want)) - inlined:
            if have[key] != want[key]:
                bad.append(f"sum of {what} of {key}: {have[key]}, not {want[key]}")
    # a line has the count of its instruction that was executed most often: in one context it may be another one
    for key, want in counts.items():
        if own_counts[key] < want:
            bad.append(f"sum of line {key}: {own_counts[key]}, not {want}")
    return bad


def compare_log(have, program_path, log):
    steps = []
    for line in open(log, encoding="utf-8"):
        words = line.split()
        steps.append((words[2], words[3] == "EXC", int(words[5], 16)))
    program = Program(program_path, sorted({address for _, is_exception, address in steps if not is_exception}))
    truth = Truth(program)
    for thread, is_exception, address in steps:
        (truth.exception if is_exception else truth.step)(thread, address)
    contexts = contexts_of(truth, program)
    add_inlined(contexts)
    want = as_text(contexts)
    return [f"{key}: {have.get(key)}, not {want.get(key)}" for key in sorted(set(have) | set(want))
            if have.get(key) != want.get(key)]


def main():
    have = read_profile(sys.argv[1])
    bad = compare_sums(have, sys.argv[2])
    if len(sys.argv) > 3:
        bad += compare_log(have, *sys.argv[3:])
    print("\n".join(bad) if bad else f"{len(have)} contexts")
    sys.exit(bool(bad) or not have)


if __name__ == "__main__":
    main()
