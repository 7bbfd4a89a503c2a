# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Tests of hwflow.py: that its declarations are those of the headers, and what it decodes.

HWFLOW_INCLUDE is the directory of the installed headers; HWFLOW_RECORDING is raw ETE trace, beside which are
FILE.config (REGISTER=VALUE a line) and FILE.elf, the program.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import hwflow  # noqa: E402

ENUMERATORS = {
    "HWF_ERR_NEED_MORE": hwflow.NEED_MORE,
    "HWF_ERR_NO_SYNC": hwflow.NO_SYNC_FOUND,
    "HWF_ERR_END": hwflow.END,
    "HWF_TEXT_HUMAN": hwflow.TEXT_HUMAN,
    "HWF_TEXT_REF": hwflow.TEXT_REF,
    "HWF_SEEK_NEXT": hwflow.SEEK_NEXT,
    "HWF_SEEK_PREVIOUS": hwflow.SEEK_PREVIOUS,
    "HWF_SESSION_SPLIT_SOURCE": hwflow.SPLIT_SOURCE,
    "HWF_SESSION_EACH_INSTRUCTION": hwflow.EACH_INSTRUCTION,
    "HWF_SESSION_RAW_TRANSACTIONS": hwflow.RAW_TRANSACTIONS,
    "HWF_FLOW_KINDS": len(hwflow.KINDS),
    "HWF_SESSION_PROTOCOLS": len(hwflow.PROTOCOLS),
}
ENUMERATORS.update({f"HWF_FLOW_{kind.upper()}": i for i, kind in enumerate(hwflow.KINDS)})
ENUMERATORS.update({f"HWF_SESSION_{name.upper()}": i for i, name in enumerate(hwflow.PROTOCOLS)})

# the size of these is that of all members, of which some are left out
PARTIAL = {"hwf_flow_event"}


def fields_of(ctype, prefix=""):
    """Offsets of all members, those of unions and structures in them included"""
    for name, field in ctype.fields:
        yield prefix + name, field.offset
        if field.type.kind in ("struct", "union") and not prefix:
            for inner, offset in fields_of(field.type, f"{name}."):
                yield inner, field.offset + offset


def structs():
    """Structures with members, from the declarations"""
    for name in hwflow.ffi.list_types()[1]:
        ctype = hwflow.ffi.typeof(f"struct {name}")
        if ctype.fields:
            yield name, ctype


class Declarations(unittest.TestCase):
    """hwflow_declarations.h is what the headers say."""

    def test_agreement(self):
        lines = ["#include <stdio.h>", "#include <stddef.h>", "#include <hwflow/session.h>",
                 "#include <hwflow/image.h>", "#include <hwflow/text.h>", "int main(void) {"]
        expected = []
        for name, ctype in structs():
            if name not in PARTIAL:
                lines.append(f'printf("%zu\\n", sizeof(struct {name}));')
                expected.append((name, hwflow.ffi.sizeof(ctype)))
            for member, offset in fields_of(ctype):
                lines.append(f'printf("%zu\\n", offsetof(struct {name}, {member}));')
                expected.append((f"{name}.{member}", offset))
        for name, value in ENUMERATORS.items():
            lines.append(f'printf("%d\\n", (int){name});')
            expected.append((name, value))
        lines.append("return 0; }")
        self.assertGreater(len(expected), 150)
        with tempfile.TemporaryDirectory() as directory:
            source = pathlib.Path(directory, "layout.c")
            source.write_text("\n".join(lines), encoding="ascii")
            subprocess.run(["cc", "-std=c11", "-I", os.environ["HWFLOW_INCLUDE"], "-o",
                            f"{directory}/layout", source], check=True)
            output = subprocess.run([f"{directory}/layout"], check=True, capture_output=True,
                                    text=True).stdout
        actual = [int(line) for line in output.split()]
        self.assertEqual(expected, [(name, value) for (name, _), value in zip(expected, actual)])


class Recording(unittest.TestCase):
    """A program under hwflow emulate"""

    def setUp(self):
        path = os.environ["HWFLOW_RECORDING"]
        self.data = pathlib.Path(path).read_bytes()
        registers = {}
        for line in pathlib.Path(path + ".config").read_text(encoding="ascii").split():
            name, value = line.split("=")
            registers[name] = int(value, 0)
        self.program = hwflow.Program(registers["TRCIDR2"] >> 31)
        self.program.add_elf(path + ".elf")
        self.registers = registers
        self.trace = hwflow.Trace("ete", self.data, registers, self.program)

    def test_packets_add_up(self):
        packets = list(self.trace.packets())
        self.assertEqual(sum(size for _, size, _, _ in packets), len(self.data))
        self.assertEqual(packets[0], (0, 12, "ALIGN_SYNC", True))
        self.assertTrue(all(valid for _, _, _, valid in packets))

    def test_edges_are_those_of_the_ranges(self):
        edges = {}
        pending = None
        for kind, event in self.trace.events():
            if kind != "range":
                if kind in ("exception", "trace_on", "gap", "no_sync"):
                    pending = None
                continue
            executed = event.u.range
            if pending is not None:
                edges[pending, executed.start] = edges.get((pending, executed.start), 0) + 1
            pending = None
            if executed.p0 and executed.taken and executed.insn.kind in (1, 2):
                pending = executed.end - executed.insn.size
        self.assertGreater(len(edges), 100)
        self.assertEqual(edges, self.trace.edges())

    def test_seek(self):
        self.assertEqual(self.trace.seek(0), 0)
        self.assertIsNone(self.trace.seek(0, hwflow.SEEK_PREVIOUS))
        self.assertEqual(self.trace.seek(len(self.data), hwflow.SEEK_PREVIOUS) is not None, True)

    def test_errors(self):
        with self.assertRaises(hwflow.Error):
            list(hwflow.Trace("ete", self.data, self.registers).events())
        with self.assertRaises(hwflow.Error):
            list(hwflow.Trace("ete", self.data, {"trcdevarch": 0x47704a13}).packets())
        with self.assertRaises(OSError):
            self.program.add_elf("/nonexistent")
        self.assertRegex(hwflow.version(), r"^\d+\.\d+$")


if __name__ == "__main__":
    unittest.main()
