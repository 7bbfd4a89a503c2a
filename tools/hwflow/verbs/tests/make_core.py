#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""make_core MACHINE TID PC [SIGNAL [ADDRESS]] - write a core file as Linux does, with its notes alone."""
import struct
import sys

MACHINES = {"aarch64": (183, 34, 32), "riscv": (243, 32, 0), "x86-64": (62, 27, 16)}
NT_PRSTATUS, NT_PRPSINFO, NT_SIGINFO = 1, 3, 0x53494749


def note(number, data):
    return struct.pack("<3I8s", 5, len(data), number, b"CORE") + data + bytes(-len(data) % 4)


def main():
    machine, count, pc_at = MACHINES[sys.argv[1]]
    tid, pc = int(sys.argv[2], 0), int(sys.argv[3], 16)
    signal = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    registers = [0] * count
    registers[pc_at] = pc
    thread = struct.pack("<3IH2x2Q4I8Q", 0, 0, 0, signal, 0, 0, tid, 1, 1, 1, *[0] * 8)
    thread += struct.pack("<%dQ" % count, *registers) + bytes(8)
    process = struct.pack("<4BIQ6I16s80s", 0, 0, 0, 0, 0, 0, 0, 0, tid, 1, 1, 1, b"program", b"./program")
    # what the kernel writes of other threads comes behind the one that got the signal
    other = bytearray(thread)
    struct.pack_into("<I", other, 32, tid + 1)
    notes = note(NT_PRSTATUS, thread) + note(NT_PRPSINFO, process)
    if len(sys.argv) > 5:
        notes += note(NT_SIGINFO, struct.pack("<4IQ", signal, 0, 1, 0, int(sys.argv[5], 16)) + bytes(104))
    notes += note(NT_PRSTATUS, bytes(other))
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 4, machine, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 4, 0, 120, 0, 0, len(notes), 0, 4)
    sys.stdout.buffer.write(header + segment + notes)


main()
