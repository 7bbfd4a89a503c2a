#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""profile_context_sums LEAST - the blocks and edges of all calling contexts add up to those of the profile.

Standard input is a profile as JSON Lines, of --call-graph=blocks. Prints what differs; exit status 1 if anything does, or
if the contexts have less than LEAST blocks.
"""
import collections
import json
import sys


def main():
    left, blocks = collections.Counter(), 0
    for row in map(json.loads, sys.stdin):
        sign = -1 if row["type"].startswith("context_") else 1
        blocks += row["type"] == "context_block"
        if row["type"] in ("block", "context_block"):
            place = row["file"], row["start"], row["end"], row["instructions"]
            left[place] += sign * row["executed"]
            left[place, "taken"] += sign * row.get("taken", 0)
        elif row["type"] in ("edge", "context_edge"):
            left[row.get("from_file"), row["from"], row.get("to_file"), row["to"]] += sign * row["count"]
    for place in left:
        if left[place]:
            print(place, left[place])
    sys.exit(any(left.values()) or blocks < int(sys.argv[1]))


main()
