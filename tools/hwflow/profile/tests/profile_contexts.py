#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""profile_contexts tree TRACE PROGRAM - the calling contexts of a trace, as make_contexts reads them
profile_contexts json TRACE PROGRAM JSON - JSON Lines have the calling contexts of the trace
profile_contexts folded TRACE PROGRAM FOLDED - folded stacks are those of the trace
profile_contexts speedscope TRACE PROGRAM JSON - and so are the samples of a profile of speedscope
profile_contexts pprof TRACE PROGRAM PROFILE - and so are those of a profile of pprof, and its calls
profile_contexts callgrind TRACE PROGRAM FILE - instructions, calls and jumps of each line are those of the trace,
    and so are the sums that callgrind_annotate makes of them
profile_contexts same FOLDED JSON PROFILE - folded stacks, a profile of speedscope and one of pprof have the same paths

TRACE is what `hwflow script --insn -F ip,insn,sym` prints of a static A64 program PROGRAM: its instructions, of
which this follows the calls and returns. Inlined functions are those of llvm-symbolizer.
Prints what differs; exit status 1 if anything does.
"""
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../verbs/tests"))
import profile_pprof  # noqa: E402


def run(*command, text=None):
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


class Program:
    def __init__(self, path):
        self.path = path
        self.segments = []
        for line in run("readelf", "-lW", path).splitlines():
            words = line.split()
            if words and words[0] == "LOAD" and "E" in words[6:-1]:
                self.segments.append([int(word, 16) for word in (words[2], words[1], words[4])])
        symbols = [line.split() for line in run("nm", path).splitlines()]
        self.starts = {int(words[0], 16) for words in symbols if len(words) == 3 and words[1] in "tTwW"}
        self.names = {}
        self.sites = {}
        self.positions = {}
        self.entries = {}

    def offset(self, address):
        return next(address - start + offset for start, offset, size in self.segments
                    if start <= address < start + size)

    def inlined(self, sites):
        """Functions inlined at each of some addresses, from the outermost on"""
        text = "\n".join(hex(site) for site in sites)
        out = run("llvm-symbolizer-22", "--obj=" + self.path, "--output-style=JSON", text=text + "\n")
        for line in out.splitlines():
            row = json.loads(line)
            names = [frame["FunctionName"] for frame in row["Symbol"]]
            address, first, last = int(row["Address"], 16), row["Symbol"][0], row["Symbol"][-1]
            self.sites[address] = names[-2::-1]
            # a name without a directory is not of DWARF
            self.positions[address] = first["FileName"] if first["FileName"][:1] == "/" else "???", first["Line"]
            self.entries[address] = (last["StartFileName"], last["StartLine"]) if last["StartLine"] else ("???", 0)


class Node:
    def __init__(self, parent, site, entry):
        self.parent, self.site, self.entry = parent, site, entry
        self.calls = self.instructions = 0
        self.below = {}

    def enter(self, site, entry):
        node = self.below.setdefault((site, entry), Node(self, site, entry))
        node.calls += 1
        return node


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def follow(path, program, ips=None):
    """The tree of calls of a trace; a jump to the beginning of another function is a call. @ips receives all
    instructions, by address and the address of the next"""
    root = Node(None, None, None)
    stack = []  # (node, address that the call returns to; None: that of the call before)
    last = before = None
    with open(path, encoding="ascii") as lines:
        for line in lines:
            word, ip, name = line.split(maxsplit=2)
            word, ip, name = int(word, 16), int(ip, 16), name.rstrip("\n")
            program.names[ip] = name
            if not stack:
                stack.append((root.enter(None, ip), None))
            elif last:
                kind, site = last
                if kind == "call":
                    stack.append((stack[-1][0].enter(site, ip), site + 4))
                elif kind == "return":
                    at = next((at for at in range(len(stack) - 1, 0, -1) if stack[at][1] == ip), None)
                    if at is not None:
                        del stack[at:]
                elif ip in program.starts and program.names[site] != name:
                    stack.append((stack[-1][0].enter(site, ip), None))
            stack[-1][0].instructions += 1
            if ips is not None and before:
                ips[(*before, ip)] += 1
            before = word, ip
            last = None
            if word >> 26 == 0x25 or word & 0xfffffc1f == 0xd63f0000:
                last = "call", ip
            elif word & 0xfffffc1f == 0xd65f0000:
                last = "return", ip
            elif word >> 26 == 0x05 or word & 0xfffffc1f == 0xd61f0000:
                last = "jump", ip
    if ips is not None:
        ips[(*before, 0)] += 1
    return root


def preorder(root):
    """All contexts, with the numbers of their callers"""
    todo = [(node, 0) for node in reversed(root.below.values())]
    number = 0
    while todo:
        node, caller = todo.pop()
        number += 1
        yield number, caller, node
        todo.extend((below, number) for below in reversed(node.below.values()))


def paths(root, program):
    """Instructions of each path of functions, and calls"""
    program.inlined({node.site for _, _, node in preorder(root) if node.site})
    names, counts, calls = {0: ()}, collections.Counter(), collections.Counter()
    for number, caller, node in preorder(root):
        inlined = tuple(program.sites[node.site]) if node.site else ()
        names[number] = names[caller] + inlined + (program.names[node.entry],)
        counts[names[number]] += node.instructions
        calls[names[number] + ("calls",)] += node.calls
    return counts, calls


def differences(wanted, got):
    failed = False
    for path in sorted(wanted.keys() | got.keys()):
        if wanted[path] != got[path]:
            print(";".join(path), "is", got[path], "wanted", wanted[path])
            failed = True
    return failed


def check_json(root, program, path):
    """Is each context there, with its caller, call, function and counts?"""
    wanted, chains = {}, {0: ()}
    for number, caller, node in preorder(root):
        site = (0, program.offset(node.site)) if node.site else (None, None)
        chains[number] = chains[caller] + (("call", *site, 0, program.offset(node.entry)),)
        wanted[chains[number]] = node.calls, node.instructions
    got, chains = {}, {None: ()}
    with open(path, encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if row["type"] == "context":
                step = tuple(row.get(key) for key in ("entered", "site_file", "site", "file", "entry"))
                number = len(chains) - 1
                chains[number] = chains[row.get("caller")] + (step,)
                got[chains[number]] = row["calls"], row["instructions"]
    print(len(got), "contexts")
    return got != wanted


def read_folded(path):
    got = collections.Counter()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            names, count = line.rstrip("\n").rsplit(" ", 1)
            got[tuple(names.split(";"))] += int(count)
    return got


def read_speedscope(path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    if data["$schema"] != "https://www.speedscope.app/file-format-schema.json":
        raise ValueError("schema")
    frames = data["shared"]["frames"]
    profile, = data["profiles"]
    if (profile["type"], profile["unit"], profile["startValue"]) != ("sampled", "none", 0):
        raise ValueError("profile")
    if len(profile["samples"]) != len(profile["weights"]) or sum(profile["weights"]) != profile["endValue"]:
        raise ValueError("weights")
    if any(not frame["name"] or not frame.get("file", frame["name"][0] == "[") for frame in frames):
        raise ValueError("a frame without name or file")
    got = collections.Counter()
    for sample, weight in zip(profile["samples"], profile["weights"]):
        got[tuple(frames[number]["name"] for number in sample)] += weight
    return got


def read_pprof(path):
    profile = profile_pprof.Profile(path)
    if profile.types != [("instructions", "count"), ("calls", "count")]:
        raise ValueError(profile.types)
    got = collections.Counter()
    for locations, (instructions, calls) in profile.samples:
        for location in locations:
            profile.mapping_of(location)
        path = tuple(profile.name(line) for location in locations for line in location["lines"])[::-1]
        got[path] += instructions
        got[path + ("calls",)] += calls
    return got


def target_of(word, ip):
    """Where a jump goes if it is taken, and if it is conditional; None of another instruction"""
    if word >> 26 == 0x05:
        return ip + 4 * signed(word & 0x3ffffff, 26), False
    if word >> 24 == 0x54 or word >> 24 & 0x7e == 0x34:
        return ip + 4 * signed(word >> 5 & 0x7ffff, 19), True
    if word >> 24 & 0x7e == 0x36:
        return ip + 4 * signed(word >> 5 & 0x3fff, 14), True
    return None


class Costs:
    """Instructions, calls and jumps of lines"""
    def __init__(self):
        self.own = collections.Counter()
        self.calls = collections.defaultdict(lambda: [0, 0])
        self.jumps = collections.defaultdict(lambda: [0, 0])

    def of_trace(self, root, ips, program):
        """What a trace has"""
        addresses = {address for word, ip, _ in ips for address in (ip, (target_of(word, ip) or (ip,))[0])}
        program.inlined(addresses | {node.entry for _, _, node in preorder(root)})
        nodes = list(preorder(root))
        inclusive = {number: node.instructions for number, _, node in nodes}
        for number, caller, node in reversed(nodes):
            if caller:
                inclusive[caller] += inclusive[number]
        for number, caller, node in nodes:
            place = (program.names[node.parent.entry], *program.positions[node.site]) if caller else \
                ("[outermost]", "???", 0)
            call = self.calls[(*place, program.names[node.entry], *program.entries[node.entry])]
            call[0] += node.calls
            call[1] += inclusive[number]
        for (word, ip, after), count in ips.items():
            place = program.names[ip], *program.positions[ip]
            self.own[place] += count
            target, conditional = target_of(word, ip) or (after, False)
            if not target_of(word, ip) and word & 0xfffffc1f != 0xd61f0000 or not after:
                continue
            if program.names.get(target) == place[0] and program.positions[target][1] and place[2]:
                jump = self.jumps[(*place, *program.positions[target], conditional)]
                jump[0] += count if after == target else 0
                jump[1] += count
        self.jumps = {key: [taken, executed if key[-1] else taken]
                      for key, (taken, executed) in self.jumps.items() if taken}

    def of_file(self, path):
        """What a file of callgrind has"""
        names = {"ob": {}, "fl": {}, "fn": {}}
        spaces = {"fi": "fl", "fe": "fl", "cfi": "fl", "jfi": "fl", "cob": "ob", "cfn": "fn"}
        now, calls, jump, header = {}, None, None, {}
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                line = line.rstrip("\n")
                key, equals, value = line.partition("=")
                if not line or line[0] == "#":
                    continue
                if line[0].isdigit():
                    words = [int(word) for word in line.split()]
                    place = now["fn"], now["fi"], words[0]
                    if calls:
                        row = self.calls[(*place, now["cfn"], now["cfi"], calls[1])]
                        row[0] += calls[0]
                        row[1] += words[1]
                    elif jump:
                        row = self.jumps[(*place, now.get("jfi", now["fi"]), jump[2], len(jump) > 3)]
                        row[0] += jump[0]
                        row[1] += jump[1]
                    else:
                        self.own[place] += words[1]
                    calls = jump = None
                    for key in ("cob", "cfi", "cfn", "jfi"):
                        now.pop(key, None)
                elif key == "calls":
                    calls = [int(word) for word in value.split()]
                elif key == "jump":
                    count, to = value.split()
                    jump = int(count), int(count), int(to)
                elif key == "jcnd":
                    counts, to = value.split()
                    jump = *(int(word) for word in counts.split("/")), int(to), True
                elif equals and key in names or key in spaces:
                    space = names[spaces.get(key, key)]
                    number, _, name = value.partition(" ")
                    if name and (number in space or number[0] + number[-1] != "()"):
                        raise ValueError(f"{line}: named twice")
                    space[number] = name or space[number]
                    now[key] = space[number]
                    if key in ("fl", "fe", "fi"):
                        now["fi"] = space[number]
                    if key == "fe" and space[number] != now["fl"]:
                        raise ValueError(line)
                else:
                    key, _, value = line.partition(": ")
                    header[key] = value
        wanted = {"version": "1", "positions": "line", "events": "Ir", "summary": str(sum(self.own.values()))}
        if any(header[key] != value for key, value in wanted.items()) or header["totals"] != header["summary"]:
            raise ValueError(header)

    def check_annotate(self, path):
        """What callgrind_annotate prints: instructions with all calls, by function"""
        wanted = collections.Counter()
        for (_, _, _, name, file, _), (_, inclusive) in self.calls.items():
            wanted[f"{file}:{name}"] += inclusive
        for (name, file, _), count in self.own.items():
            if not any(call[3] == name for call in self.calls):
                wanted[f"{file}:{name}"] += count
        wanted["???:[outermost]"] = sum(self.own.values())
        got, total = {}, None
        out = run("callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", path)
        for line in out.splitlines():
            row = re.match(r" *([\d,]+) \( *[\d.]+%\)  (.*)$", line)
            if row and row[2] == "PROGRAM TOTALS":
                total = int(row[1].replace(",", ""))
            elif row:
                got[re.sub(r" \[[^]]*\]$", "", row[2])] = int(row[1].replace(",", ""))
        failed = total != sum(self.own.values())
        for name, count in wanted.items():
            # code that is inlined from another file is a function of that file
            if got.get(name, 0) != count and count and not re.match(r"\?\?\?:\[outermost\]$", name):
                print("callgrind_annotate:", name, got.get(name), "wanted", count)
                failed = True
        print(f"callgrind_annotate has {len(got)} functions")
        return failed


def callgrind(path, trace, program):
    ips = collections.Counter()
    wanted, got = Costs(), Costs()
    wanted.of_trace(follow(trace, program, ips), ips, program)
    got.of_file(path)
    failed = got.check_annotate(path)
    print(f"{len(got.own)} lines, {len(got.calls)} calls, {len(got.jumps)} jumps,",
          f"{sum(got.own.values())} instructions")
    for name in ("own", "calls", "jumps"):
        one, other = getattr(wanted, name), getattr(got, name)
        for key in sorted(one.keys() | other.keys()):
            if one.get(key) != other.get(key):
                print(name, key, "is", other.get(key), "wanted", one.get(key))
                failed = True
    return failed


def same(folded, speedscope, pprof):
    kernel = re.compile(r"_\[k\]$")
    wanted = {tuple(kernel.sub("", name) for name in path): count for path, count in read_folded(folded).items()}
    got = {path: count for path, count in read_pprof(pprof).items() if path[-1] != "calls" and count}
    print(len(wanted), "paths")
    return wanted != read_speedscope(speedscope) or wanted != got


def main():
    if sys.argv[1] == "same":
        return same(*sys.argv[2:])
    program = Program(sys.argv[3])
    root = follow(sys.argv[2], program)
    if sys.argv[1] == "tree":
        for _, caller, node in preorder(root):
            site = f"0 {program.offset(node.site)}" if node.site else "-1 0"
            print(caller, 0, site, 0, program.offset(node.entry), node.calls, node.instructions)
        return 0
    if sys.argv[1] == "json":
        return check_json(root, program, sys.argv[4])
    if sys.argv[1] == "callgrind":
        return callgrind(sys.argv[4], sys.argv[2], program)
    wanted, calls = paths(root, program)
    if sys.argv[1] == "pprof":
        wanted.update(calls)
    got = {"folded": read_folded, "speedscope": read_speedscope, "pprof": read_pprof}[sys.argv[1]](sys.argv[4])
    print(f"{len(got)} paths, {sum(got.values())} instructions")
    return differences(wanted, got)


sys.exit(main())
