#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""stacks.py KALLSYMS SAMPLES TIMELINE EVENT... - call stacks in the kernel, from trace and from the kernel's unwinder.

SAMPLES is what "perf script -F tid,cpu,time,event,ip" prints of tracepoints with call stacks. TIMELINE is what
timeline_read.py prints of all calls. The kernel makes a sample of EVENT in a call of perf_trace_EVENT(): the stacks of these calls,
thread by thread, have those of the samples, in their order. The recorder enables and disables trace before the events:
the first calls have no sample, and the last samples no call. What is below a frame whose beginning is not in the trace
is not known.

Prints how many stacks agree, and the first of each thread that does not. Exit status 1: one does not.
"""
import bisect
import collections
import re
import sys


# nanoseconds by which the time of a call may differ: the trace has timestamps now and then
TIMES_DIFFER = 10e6


class Symbols:
    """The functions of the kernel, by address."""

    def __init__(self, path):
        self.names = collections.defaultdict(set)
        with open(path, encoding="ascii") as lines:
            for line in lines:
                address, kind, name = line.split()[:3]
                if kind in "tTwW":
                    self.names[int(address, 16)].add(name)
        self.addresses = sorted(self.names)

    def find(self, address):
        """The names at an address."""
        return self.names[self.addresses[bisect.bisect_right(self.addresses, address) - 1]]

    def frame(self, address):
        """The names of a frame: a call may be its function's last instruction, an interrupted instruction its first."""
        return self.find(address) | self.find(address - 1)


def read_samples(path, symbols):
    """Time and stack of the samples of each thread and event; the innermost frame is the first."""
    samples = collections.defaultdict(list)
    with open(path, encoding="ascii") as text:
        for sample in text.read().split("\n\n"):
            head, *frames = sample.strip().split("\n")
            found = re.match(r"\s*(\d+) \[0*(\d+)\]\s+(\S+): +\S+:(\S+):", head)
            if not found:
                continue
            addresses = [int(frame.split()[0], 16) for frame in frames]
            # the first two are the caller of perf_trace_EVENT()
            kernel = [address for address in addresses if address >> 48 == 0xFFFF][1:]
            tid, cpu, time, event = found.groups()
            # the idle threads of all CPUs have number 0
            thread = f"swapper/{cpu}" if tid == "0" else tid
            stack = [symbols.frame(address) for address in kernel]
            samples[thread, event].append((1e9 * float(time), stack))
    return samples


def read_calls(path, events):
    """The stacks of each thread at its calls of perf_trace_EVENT(), innermost frame first, and when the last one was."""
    calls, last = collections.defaultdict(list), 0
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("slice"):
                continue
            _, track, begin, _, _, path = line.rstrip("\n").split(" ", 5)
            *frames, name = path.split("\t")
            if not name.startswith("perf_trace_") or name[11:] not in events:
                continue
            thread = track.removeprefix("trace/") if "/swapper/" in track else track.rsplit("/", 1)[1]
            # names in brackets are of what is not known, or left out
            frames = [frame for frame in reversed(frames) if frame[0] != "["]
            calls[thread, name[11:]].append((float(begin), frames))
            last = max(last, float(begin))
    for of_thread in calls.values():
        # those that begin at a time keep the order of their ends
        of_thread.sort(key=lambda call: call[0])
    return {key: [frames for _, frames in of_thread] for key, of_thread in calls.items()}, last


def agree(sample, call):
    """Has the sample's stack the frames of the call's, as far as those are known?"""
    at = 0
    for i, name in enumerate(call):
        if at < len(sample) and name in sample[at]:
            at += 1
        # a function that was interrupted before it had a frame record hides its caller from the kernel
        elif not (i > 1 and call[i - 2].startswith("el1h_64_")):
            return False
    return True


def take(sample, skipped, later):
    """The next call that has the sample's stack; None: there is none. An interrupt may come before the sample of the call
    that it interrupts was written, and have samples itself: their order is the other one then."""
    for call in skipped:
        if agree(sample, call):
            skipped.remove(call)
            return call
    for call in later:
        if agree(sample, call):
            return call
        skipped.append(call)
        del skipped[:-2]
    return None


def main():
    kallsyms, samples, timeline, *events = sys.argv[1:]
    samples = read_samples(samples, Symbols(kallsyms))
    calls, last = read_calls(timeline, events)
    equal = whole = late = wrong = 0
    for key, of_thread in samples.items():
        later, skipped = iter(calls.get(key, [])), []
        for time, sample in of_thread:
            call = take(sample, skipped, later)
            if call is not None:
                equal += 1
                whole += len(call) >= len(sample)
            elif time > last - TIMES_DIFFER:
                late += 1
            else:
                print(f"thread {key[0]}, {key[1]}: no call has the stack", *map(sorted, sample))
                wrong += 1
                break
    # of each event there are some
    short = [e for e in events if sum(len(s) for key, s in samples.items() if key[1] == e) < 20]
    every = sum(map(len, calls.values()))
    print(f"{equal} stacks of {every} calls agree, {whole} of them whole; {late} samples are later than the trace")
    sys.exit(bool(short) or wrong > 0 or equal < every / 2 or whole < equal / 4)


if __name__ == "__main__":
    main()
