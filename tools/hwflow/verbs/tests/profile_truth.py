#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""profile_truth LOG MAPPINGS PROFILE - a profile has what a log has.

LOG is a ground-truth log as text, MAPPINGS what `hwflow script --mappings` prints of its recording,
PROFILE the profile as JSON Lines. Each instruction is executed as often in the profile as in the log,
by file and offset, and each branch goes from each place to each other as often; the ranks of blocks
have the instructions that only one thread executes in the order in which its log has them first. Prints what differs; exit status 1
if anything does.
"""
import bisect
import collections
import json
import re
import sys

ROW = re.compile(r"\s([0-9a-f]+)-([0-9a-f]+)\s+([0-9a-f]+) [0-9a-f-]+ (.*)$")


def read_mappings(path):
    found = []
    for line in open(path, encoding="utf-8"):
        match = ROW.search(line)
        # FILE.code has the code that is in no other file
        if match and not match[4].endswith(".data.code"):
            start, end, offset = (int(match[i], 16) for i in (1, 2, 3))
            found.append((start, end, offset, match[4]))
    return found


def place(mappings, address):
    for start, end, offset, name in mappings:
        if start <= address < end:
            return name, address - start + offset
    return None


def read_log(path, mappings):
    """How often each place is executed, and steps of threads from place to place; None: in no file"""
    executed = collections.Counter()
    # threads that execute a place, in the order of its first execution in the log
    threads = collections.defaultdict(set)
    last = {}
    steps = []
    # from the last instruction before an exception to where it returns: a branch may have gone there
    interrupted = []
    for line in open(path, encoding="utf-8"):
        words = line.split()
        thread = words[2]
        if words[3] in ("EXC", "GAP"):
            if words[3] == "EXC" and thread in last:
                interrupted.append((last[thread], place(mappings, int(words[5], 16))))
            last.pop(thread, None)
            continue
        here = place(mappings, int(words[5], 16))
        executed[here] += 1
        threads[here].add(thread)
        if thread in last:
            steps.append((last[thread], here))
        last[thread] = here
    return executed, threads, steps, interrupted


class Profile:
    def __init__(self, path):
        self.files = []
        self.blocks = collections.defaultdict(list)
        self.edges = collections.Counter()
        self.left_out = 0
        for line in open(path, encoding="utf-8"):
            row = json.loads(line)
            if row["type"] == "file":
                self.files.append(row["name"])
            elif row["type"] == "block":
                self.blocks[self.files[row["file"]]].append(
                    (row["start"], row["end"], row["executed"], row["ranks"]))
            elif row["type"] == "edge":
                self.edges[self.at(row, "from"), self.at(row, "to")] += row["count"]
            elif row["type"] == "left_out":
                self.left_out += row["count"]

    def at(self, row, end):
        return (self.files[row[end + "_file"]], row[end]) if end + "_file" in row else None

    def executed(self, places):
        """How often each of some instructions is executed, and the lowest rank of its blocks"""
        counts = collections.Counter()
        ranks = {}
        for name, blocks in self.blocks.items():
            offsets = sorted(offset for file, offset in places if file == name)
            for start, end, executed, rank in blocks:
                for at in range(bisect.bisect_left(offsets, start), bisect.bisect_left(offsets, end)):
                    here = name, offsets[at]
                    counts[here] += executed
                    ranks[here] = min(rank, ranks.get(here, rank))
        return counts, ranks


def main():
    executed, threads, steps, interrupted = read_log(sys.argv[1], read_mappings(sys.argv[2]))
    profile = Profile(sys.argv[3])
    nowhere = executed.pop(None, 0)
    wrong = 0
    counted, ranks = profile.executed([where for where in executed if where])
    for where in sorted(set(executed) | set(counted)):
        if executed[where] != counted[where]:
            wrong += 1
            print(f"{where[0]}+{where[1]:x}: executed {executed[where]} times, counted {counted[where]}")
    latest = collections.Counter()
    for where, owners in threads.items():
        owner = next(iter(owners))
        if not where or len(owners) > 1:
            continue
        if ranks.get(where, 0) < latest[owner]:
            wrong += 1
            print(f"{where[0]}+{where[1]:x}: rank {ranks.get(where)}, but what came before it has rank {latest[owner]}")
        latest[owner] = max(latest[owner], ranks.get(where, 0))
    blocks = [block for blocks in profile.blocks.values() for block in blocks]
    if sorted(rank for *_, rank in blocks) != list(range(1, len(blocks) + 1)):
        wrong += 1
        print(f"the ranks of {len(blocks)} blocks are not 1 to {len(blocks)}")
    if nowhere != profile.left_out:
        wrong += 1
        print(f"{nowhere} instructions are in no file, and {profile.left_out} are left out")
    # a step to the next instruction is no branch, unless the profile has it as one
    taken = collections.Counter()
    for step in steps:
        source, target = step
        beside = source and target and source[0] == target[0] and 0 < target[1] - source[1] <= 4
        if not beside or step in profile.edges:
            taken[step] += 1
    taken.update(step for step in interrupted if step in profile.edges)
    taken.pop((None, None), None)
    for step in set(taken) | set(profile.edges):
        if taken[step] != profile.edges[step]:
            wrong += 1
            print(f"{step}: {taken[step]} times, counted {profile.edges[step]}")
    print(f"{len(executed)} instructions, {sum(executed.values())} times; {len(taken)} edges")
    return 1 if wrong or not executed or not taken else 0


if __name__ == "__main__":
    sys.exit(main())
