#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""timeline_read.py chrome|fxt|perfetto FILE - print the events of a timeline, of any format in the same form.

A line for each slice, as it ends, with the names of those around it:

    slice TRACK BEGIN END FLAGS PATH

and in the order of the file:

    instant TRACK TIME NAME [TEXT]
    counter TRACK TIME VALUE

TRACK is PROCESS/THREAD/NUMBER, or trace/NAME for a track that is of no thread; times are numbers; FLAGS are - or letters: b (its beginning is not known), e (its end is
not), x (an exception, with its name); names of a PATH are separated by tabs. Events that do not balance, or go back in time on a track,
are errors.
"""
import json
import struct
import sys


# chrome and fxt have numbers from here on for tracks that are of no thread
NO_PROCESS = 0x400000


class Timeline:
    def __init__(self):
        self.processes = {}
        self.threads = {}
        self.stacks = {}
        self.last = {}

    def track(self, key):
        process, thread = key
        number = f"/{thread}" if 0 <= process < NO_PROCESS else ""
        return f"{self.processes[process]}/{self.threads[key]}{number}".replace(" ", "_")

    def begin(self, key, time, name, flags=""):
        assert time >= self.last.get(key, 0), f"{name}: time goes back"
        self.last[key] = time
        self.stacks.setdefault(key, []).append((time, name, flags))

    def end(self, key, time, flags="", name=None):
        assert self.stacks.get(key), "a slice ends that has not begun"
        assert name is None or name == self.stacks[key][-1][1], f"{name} ends in another slice"
        assert time >= self.last[key], "time goes back"
        self.last[key] = time
        path = "\t".join(name for _, name, _ in self.stacks[key])
        begin, _, own = self.stacks[key].pop()
        print("slice", self.track(key), begin, time, own + flags or "-", path)

    def instant(self, key, time, name, text):
        print("instant", self.track(key), time, name, *([text] if text else []))

    def counter(self, key, time, value):
        print("counter", self.track(key), time, value)

    def finish(self):
        open_slices = {key: stack for key, stack in self.stacks.items() if stack}
        assert not open_slices, f"slices have not ended: {open_slices}"


def nanoseconds(text):
    whole, fraction = text.split(".")
    assert len(fraction) == 3
    return int(whole) * 1000 + int(fraction)


def read_chrome(data, out):
    trace = json.loads(data.decode(), parse_float=nanoseconds)
    for event in trace["traceEvents"]:
        key = event["pid"], event["tid"]
        args = event.get("args", {})
        if event["ph"] == "M":
            names = {"process_name": (out.processes, event["pid"]), "thread_name": (out.threads, key)}
            table, number = names[event["name"]]
            assert number not in table
            table[number] = args["name"]
        elif event["ph"] == "B":
            category, *more = event["cat"].split(",")
            assert category in ("call", "exception") and len(more) <= 1
            if category == "exception":
                out.begin(key, event["ts"], event["name"], "x" + "".join(more))
            else:
                assert more in ([], ["begin not known"])
                out.begin(key, event["ts"], event["name"], "b" if more else "")
        elif event["ph"] == "E":
            out.end(key, event["ts"], "e" if event.get("end") == "not known" else "", event["name"])
        elif event["ph"] == "i":
            out.instant(key, event["ts"], event["name"], args.get("text"))
        elif event["ph"] == "C":
            out.counter(key, event["ts"], args["cycles"])
        else:
            raise ValueError(event)


def read_fxt(data, out):
    assert len(data) % 8 == 0 and data[:8] == bytes.fromhex("1000044678541600")
    strings, threads = {0: ""}, {}
    at = 8

    def take_string(reference, at):
        if not reference & 0x8000:
            return strings[reference], at
        size = reference & 0x7fff
        text, padding = data[at:at + size], data[at + size:at + -(-size // 8) * 8]
        assert padding == bytes(len(padding))
        return text.decode(), at + -(-size // 8) * 8

    def take_words(at, count):
        return struct.unpack_from(f"<{count}Q", data, at), at + 8 * count

    while at < len(data):
        (head,), next_at = take_words(at, 1)
        kind, end = head & 15, at + 8 * (head >> 4 & 0xfff)
        assert at < end <= len(data)
        at = next_at
        if kind == 1:
            (ticks,), at = take_words(at, 1)
            assert ticks == 1000000000
        elif kind == 2:
            number = head >> 16 & 0x7fff
            assert number and number not in strings
            strings[number], at = take_string(0x8000 | head >> 32 & 0x7fff, at)
        elif kind == 3:
            threads[head >> 16 & 0xff], at = take_words(at, 2)
        elif kind == 7:
            (koid,), at = take_words(at, 1)
            name, at = take_string(head >> 24 & 0xffff, at)
            if head >> 16 & 0xff == 1:
                assert koid not in out.processes
                out.processes[koid] = name
            else:
                (argument, process), at = take_words(at, 2)
                assert argument & 15 == 8 and strings[argument >> 16 & 0xffff] == "process"
                out.threads[process, koid] = name
        elif kind == 4:
            at = read_fxt_event(head, at, (out, threads, take_string, take_words))
        else:
            raise ValueError(f"a record of type {kind}")
        assert at == end, f"the record has {end - at} bytes more"


def read_fxt_event(head, at, reader):
    out, threads, take_string, take_words = reader
    event, count, thread = head >> 16 & 15, head >> 20 & 15, head >> 24 & 0xff
    (time,), at = take_words(at, 1)
    if thread:
        key = threads[thread]
    else:
        key, at = take_words(at, 2)
    category, at = take_string(head >> 32 & 0xffff, at)
    name, at = take_string(head >> 48 & 0xffff, at)
    args = {}
    for _ in range(count):
        begin = at
        (argument,), at = take_words(at, 1)
        label, at = take_string(argument >> 16 & 0xffff, at)
        if argument & 15 == 6:
            args[label], at = take_string(argument >> 32 & 0xffff, at)
        else:
            assert argument & 15 == 4
            (args[label],), at = take_words(at, 1)
        assert at - begin == 8 * (argument >> 4 & 0xfff)
    if event == 2:
        flags = "b" if args.get("begin") == "not known" else ""
        out.begin(key, time, name, flags + ("x" + args.get("exception", "") if category == "exception" else ""))
    elif event == 3:
        out.end(key, time, "e" if args.get("end") == "not known" else "")
    elif event == 1:
        _, at = take_words(at, 1)
        out.counter(key, time, args["cycles"])
    else:
        assert event == 0
        out.instant(key, time, name, args.get("text"))
    return at


def fields(data):
    """The fields of a message: number, and an integer or bytes."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 0x7f) << shift
            shift += 7
            at += 1
            if data[at - 1] < 0x80:
                return value

    while at < len(data):
        key = number()
        if key & 7 == 0:
            yield key >> 3, number()
        else:
            assert key & 7 == 2
            size = number()
            assert at + size <= len(data)
            yield key >> 3, data[at:at + size]
            at += size


def read_annotations(event):
    found = {}
    for number, value in event:
        if number == 4:
            annotation = dict(fields(value))
            found[annotation[10].decode()] = annotation[6].decode()
    return found


def read_descriptor(descriptor, tracks, counters, out):
    uuid = descriptor[1]
    assert uuid and uuid not in tracks and uuid not in counters
    if 3 in descriptor:
        process = dict(fields(descriptor[3]))
        assert process[1] not in out.processes
        out.processes[process[1]] = process[6].decode()
    elif 4 in descriptor:
        thread = dict(fields(descriptor[4]))
        tracks[uuid] = thread[1], thread[2]
        out.threads[tracks[uuid]] = thread[5].decode()
    elif 8 in descriptor:
        assert dict(fields(descriptor[8])) == {3: 2} and descriptor[2] == b"cycles"
        counters[uuid] = tracks[descriptor[5]]
    else:
        # a track that is of no thread
        out.processes[-1] = "trace"
        tracks[uuid] = -1, uuid
        out.threads[tracks[uuid]] = descriptor[2].decode()


def read_perfetto(data, out):
    names, tracks, counters = {}, {}, {}
    for index, (field, packet) in enumerate(fields(data)):
        assert field == 1
        packet = dict(fields(packet))
        assert packet.pop(10) == 1
        if not index:
            assert packet == {13: 1}
        elif 60 in packet:
            read_descriptor(dict(fields(packet[60])), tracks, counters, out)
        elif 12 in packet:
            (number, name), = fields(packet[12])
            name = dict(fields(name))
            assert number == 2 and name[1] not in names and packet[13] == 2
            names[name[1]] = name[2].decode()
        else:
            assert packet[13] == 2
            read_perfetto_event(packet[8], list(fields(packet[11])), (names, tracks, counters, out))


def read_perfetto_event(time, event, reader):
    names, tracks, counters, out = reader
    args, values = read_annotations(event), dict(event)
    name = names[values[10]] if 10 in values else values.get(23, b"").decode()
    if values[9] == 1:
        flags = "b" if args.get("begin") == "not known" else ""
        flags += "x" + args.get("exception", "") if values.get(22) == b"exception" else ""
        out.begin(tracks[values[11]], time, name, flags)
    elif values[9] == 2:
        out.end(tracks[values[11]], time, "e" if args.get("end") == "not known" else "")
    elif values[9] == 3:
        out.instant(tracks[values[11]], time, name, args.get("text"))
    else:
        assert values[9] == 4
        out.counter(counters[values[11]], time, values[30])


def main():
    out = Timeline()
    with open(sys.argv[2], "rb") as file:
        {"chrome": read_chrome, "fxt": read_fxt, "perfetto": read_perfetto}[sys.argv[1]](file.read(), out)
    out.finish()


if __name__ == "__main__":
    main()
