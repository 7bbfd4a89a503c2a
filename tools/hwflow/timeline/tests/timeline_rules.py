#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""timeline_rules.py FULL PART [least=N] [depth=N] [name=N] - what was left out of a timeline.

FULL and PART are what timeline_read.py has printed, of a file with all slices and of one without some of them. Each slice
of PART is one of FULL. A slice is in PART if it is longer than a duration, or as long, and not too deep, and only then: the
duration is that of least=N, which is looked for if N is "any". A slice around the others of a track has the number of those
that are missing.
"""
import collections
import re
import sys


def read(path):
    """Slices by track; and what the marks say, by track."""
    slices, marks = collections.defaultdict(list), {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("slice "):
                continue
            _, track, begin, end, flags, names = line.rstrip("\n").split(" ", 5)
            names = names.split("\t")
            if re.fullmatch(r"\[\d+ .* left out\]", names[0]):
                mark = names.pop(0)
                if not names:
                    marks[track] = (mark, int(begin), int(end))
                    continue
            slices[track].append((int(begin), int(end), flags, tuple(names)))
    return slices, marks


def main():
    full, full_marks = read(sys.argv[1])
    part, marks = read(sys.argv[2])
    rules = dict(rule.split("=") for rule in sys.argv[3:])
    assert not full_marks and full
    depth = int(rules.get("depth", 1 << 30))
    least = rules.get("least", "0")
    if least == "any":
        kept = [end - begin for slices in part.values() for begin, end, *_ in slices]
        least = 1
        while kept and 2 * least <= min(kept):
            least *= 2
    least = int(least)
    missing = 0
    for track, slices in full.items():
        wanted = [s for s in slices if s[1] - s[0] >= least and len(s[3]) <= depth]
        assert part.get(track, []) == wanted, f"{track}: slices differ"
        count = len(slices) - len(wanted)
        missing += count
        if not count:
            assert track not in marks, track
            continue
        mark, begin, end = marks[track]
        assert mark.startswith(f"[{count} "), f"{track}: {mark}, and {count} are missing"
        assert begin <= min(s[0] for s in slices) and end >= max(s[1] for s in slices)
    print(missing, least)


if __name__ == "__main__":
    main()
