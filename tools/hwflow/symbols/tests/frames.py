#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""frames HAVE WANT - frames of addresses, as make_frames and llvm-symbolizer print them.

Both have the same functions, lines of declarations, calls, lines, columns of calls and discriminators.
The outermost function has in llvm-symbolizer the name of a symbol, which is not compared; of files only
the last component is. Prints the first differences, and how many frames there are and how deep they are;
exit status 1 if anything differs or no address has three frames.
"""
import os
import sys


def read(path):
    """The frames of each address, from the innermost to the outermost"""
    stack = []
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if not line:
            yield stack
            stack = []
        elif line.startswith("  "):
            key, value = line.strip().split(":", 1)
            stack[-1][1][key] = value.strip()
        else:
            stack.append((line, {}))


def frames(stack):
    rows = []
    for depth, (name, values) in enumerate(stack):
        if "Function start line" not in values and values.get("Line", "0") == "0":
            continue
        rows.append((name if depth + 1 < len(stack) else "the function",
                     os.path.basename(values.get("Filename", "??")),
                     values.get("Function start line", "0"), values["Line"],
                     values["Column"] if depth else "", values.get("Discriminator", "0")))
    # a function that DWARF does not have
    return [] if rows == [("the function", "??", "0", "0", "", "0")] else rows


def main():
    have, want = (list(read(path)) for path in sys.argv[1:3])
    wrong = abs(len(have) - len(want))
    count = deepest = 0
    for number, (mine, theirs) in enumerate(zip(map(frames, have), map(frames, want))):
        count += len(mine)
        deepest = max(deepest, len(mine))
        if mine != theirs:
            wrong += 1
            if wrong < 4:
                print(f"address {number}: {mine}\n  and not {theirs}")
    print(f"{len(have)} addresses, {count} frames, {deepest} deep, {wrong} differ")
    return 1 if wrong or deepest < 3 else 0


if __name__ == "__main__":
    sys.exit(main())
