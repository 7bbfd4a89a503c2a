#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""landing_pads.py ASSEMBLY LABELS FRAMES ADDRESSES HAVE - landing pads of calls, as the labels of the assembly have them.

ASSEMBLY is what the compiler wrote. A call site is in it as four numbers: START-x, END-START, PAD-x or 0, and an
action. LABELS, by nm, has the addresses of these labels in the linked program, so no encoded table is read here.
FRAMES, by llvm-dwarfdump, has the functions with an entry in the unwind table; of others no landing pad is known.
HAVE has an answer of make_landing_pads for each call in ADDRESSES. Prints the first differences, and how many
calls there are and how many have a landing pad; exit status 1 if anything differs or no call has one.
"""
import re
import sys


def call_sites(assembly):
    """START, END and PAD, which is None if there is none, of each call site"""
    numbers = None
    for line in open(assembly, encoding="utf-8"):
        label = re.match(r"([.\w]+):", line)
        if label:
            if numbers:
                assert len(numbers) % 4 == 0, line
                for i in range(0, len(numbers), 4):
                    start, base = numbers[i].split("-")
                    end, same = numbers[i + 1].split("-")
                    assert start == same, line
                    pad = numbers[i + 2].split("-")[0] if "-" in numbers[i + 2] else None
                    assert pad or numbers[i + 2] in ("0", "0x0"), line
                    yield start, end, pad
            numbers = [] if re.match(r"\.L(LSDACSB|cst_begin)", line) else None
            continue
        number = re.match(r"\s+\.(?:uleb128|byte|[248]byte|word|long|xword)\s+(\S+)", line)
        if number and numbers is not None:
            numbers.append(number.group(1))


def main():
    assembly, labels, frames, addresses, have = sys.argv[1:]
    place = {}
    for line in open(labels, encoding="utf-8"):
        words = line.split()
        if len(words) == 3:
            place[words[2]] = int(words[0], 16)
    sites = [(place[start], place[end], place[pad] if pad else None) for start, end, pad in call_sites(assembly)]
    functions = [(int(first, 16), int(last, 16)) for first, last in
                 re.findall(r"FDE cie=\w+ pc=(\w+)\.\.\.(\w+)", open(frames, encoding="utf-8").read())]
    calls = [int(word, 16) for word in open(addresses, encoding="utf-8").read().split()]
    answers = open(have, encoding="utf-8").read().split()
    wrong = abs(len(calls) - len(answers))
    landing = 0
    for call, answer in zip(calls, answers):
        pads = [pad for start, end, pad in sites if start <= call < end]
        want = f"{pads[0]:x}" if pads and pads[0] is not None else "none"
        landing += want != "none"
        if not any(first <= call < last for first, last in functions):
            want = "unknown"
        if want != answer:
            wrong += 1
            if wrong < 4:
                print(f"{call:x}: {answer}\n  and not {want}")
    print(f"{len(calls)} calls, {landing} with a landing pad, {wrong} differ")
    return 1 if wrong or not landing else 0


if __name__ == "__main__":
    sys.exit(main())
