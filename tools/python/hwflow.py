# SPDX-License-Identifier: GPL-2.0-only OR BSD-3-Clause
"""Program flow trace of Arm and RISC-V processors, decoded by libhwflow.

    program = hwflow.Program()
    program.add_elf("hello")
    trace = hwflow.Trace("ete", open("trace.bin", "rb").read(),
                         {"trcidr2": 0xd0001088, ...}, program)
    for first, end, instructions in trace.ranges():
        print(hex(first), hex(end), instructions)

The shared library is looked for where the system's loader looks; HWFLOW_LIBRARY names another file.
"""

import os
import pathlib

import cffi

ffi = cffi.FFI()
ffi.cdef(pathlib.Path(__file__).with_name("hwflow_declarations.h").read_text(encoding="ascii"))
_lib = ffi.dlopen(os.environ.get("HWFLOW_LIBRARY", "libhwflow.so.0"))

PROTOCOLS = ("ete", "etmv4", "etmv3", "riscv")
SPLIT_SOURCE = 1
EACH_INSTRUCTION = 2
RAW_TRANSACTIONS = 4

# enum hwf_flow_kind
KINDS = ("range", "q_range", "exception", "exception_return", "context", "trace_on", "no_sync",
         "cycle_count", "timestamp", "timestamp_marker", "event", "instrumentation", "transaction",
         "gap", "bytecodes", "trigger", "end", "trap", "mode", "counted")

# enum hwf_err, as far as it is not raised
NEED_MORE = -1
NO_SYNC_FOUND = -5
END = -12

# enum hwf_text_format
TEXT_HUMAN = 0
TEXT_REF = 1

SEEK_NEXT = 0
SEEK_PREVIOUS = 1


class Error(Exception):
    """A function of the library failed."""


def _check(err):
    if err < 0:
        raise Error(ffi.string(_lib.hwf_err_text(err)).decode())


def version():
    """Version of the library."""
    return ffi.string(_lib.hwf_version()).decode()


class Program:
    """The code of a program: files, and where they are mapped."""

    def __init__(self, wfx=True):
        """wfx: WFI and the like are traced as branches (TRCIDR2 bit 31)"""
        pointer = ffi.new("struct hwf_image **")
        if _lib.hwf_image_new(pointer, ffi.NULL, ffi.NULL):
            raise MemoryError
        self._image = ffi.gc(pointer[0], _lib.hwf_image_free)
        space = ffi.new("struct hwf_image_space **")
        if _lib.hwf_image_add_space(self._image, ffi.new("struct hwf_image_filter *"), ffi.NULL,
                                    space):
            raise MemoryError
        self._space = space[0]
        view = ffi.new("struct hwf_image_view **")
        if _lib.hwf_image_view_new(view, self._image, wfx):
            raise MemoryError
        self._view = ffi.gc(view[0], _lib.hwf_image_view_free)

    def _file(self, path):
        file = ffi.new("struct hwf_image_file **")
        if _lib.hwf_image_add_file(self._image, os.fsencode(path), ffi.NULL, file):
            raise MemoryError
        return file[0]

    def add_elf(self, path, bias=0):
        """Map the segments of an ELF file."""
        err = _lib.hwf_image_map_elf(self._space, self._file(path), bias)
        if err:
            raise OSError(-err, os.strerror(-err), path)

    def add_file(self, path, start, length, offset=0):
        """Map part of a file."""
        err = _lib.hwf_image_map(self._space, start, length, self._file(path), offset)
        if err:
            raise OSError(-err, os.strerror(-err), path)

    def code(self):
        """struct hwf_code, valid as long as the program"""
        return _lib.hwf_image_view_code(self._view)


def _set(struct, values):
    for name, value in values.items():
        setattr(struct, name.lower(), value)
    return struct


class Trace:
    """The trace of one trace unit. Each method decodes it from the beginning."""

    def __init__(self, protocol, data, registers, program=None, flags=0, dialect=2, framing=0,
                 isa=1):
        """registers: by name; of RISC-V the parameters of the encoder, with dialect, framing, isa"""
        self._data = bytes(data)
        self._program = program
        self._protocol = PROTOCOLS.index(protocol)
        self._flags = flags
        if protocol == "riscv":
            self._params = ffi.new("struct hwf_riscv_params *")
            _lib.hwf_riscv_params_init(self._params, dialect)
            _set(self._params, registers)
            self._framing = ffi.new("struct hwf_riscv_framing *")
            _lib.hwf_riscv_framing_init(self._framing, framing)
            self._registers = ffi.new("struct hwf_session_riscv *", {
                "params": self._params, "framing": self._framing, "dialect": dialect, "isa": isa})
        else:
            kind = "struct hwf_etm3_regs *" if protocol == "etmv3" else "struct hwf_ete_regs *"
            self._registers = _set(ffi.new(kind), registers)

    def _session(self, code=True, **functions):
        config = ffi.new("struct hwf_session_config *", functions)
        config.size = ffi.sizeof(config[0])
        config.protocol = self._protocol
        config.flags = self._flags
        setattr(config, ("ete", "ete", "etm3", "riscv")[self._protocol], self._registers)
        if code:
            if self._program is None:
                raise Error("the trace has no program")
            config.code = self._program.code()
        session = ffi.new("struct hwf_session **")
        _check(_lib.hwf_session_new(session, config))
        return ffi.gc(session[0], _lib.hwf_session_free)

    def packets(self):
        """Packets: (offset, size, name, is it a packet?)"""
        session = self._session(code=False)
        packet = ffi.new("struct hwf_packet *")
        data = ffi.from_buffer("uint8_t[]", self._data)
        _check(_lib.hwf_session_feed(session, data, len(data), True))
        while True:
            err = _lib.hwf_session_next_packet(session, packet)
            if err == END:
                return
            _check(err)
            yield packet.offset, packet.size, ffi.string(packet.name).decode(), packet.valid

    def listing(self, layout=TEXT_REF):
        """Lines of packets, as hwflow dump prints them"""
        session = self._session(code=False)
        packet = ffi.new("struct hwf_packet *")
        buffer = ffi.new("char[]", 4096)
        text = ffi.new("struct hwf_text *")
        _lib.hwf_text_init(text, buffer, len(buffer), ffi.NULL, ffi.NULL)
        _check(_lib.hwf_session_list(session, layout))
        data = ffi.from_buffer("uint8_t[]", self._data)
        _check(_lib.hwf_session_feed(session, data, len(data), True))
        err = 0
        while err != END:
            err = _lib.hwf_session_next_packet(session, packet)
            if err != END:
                _check(err)
            _lib.hwf_session_line(session, text)
            _check(text.error)
            yield from ffi.string(buffer, text.at - text.bytes).decode().splitlines()
            text.at = text.bytes

    def events(self, start=0):
        """Events: (name of the kind, struct hwf_flow_event); valid until the next one"""
        session = self._session()
        event = ffi.new("const struct hwf_flow_event **")
        data = ffi.from_buffer("uint8_t[]", self._data)
        _check(_lib.hwf_session_feed(session, data + start, len(data) - start, True))
        while True:
            err = _lib.hwf_session_next(session, event)
            if err == END:
                return
            _check(err)
            yield KINDS[event[0].kind], event[0]

    def ranges(self, start=0):
        """Executed ranges: (first address, address behind the last instruction, instructions)"""
        for kind, event in self.events(start):
            if kind == "range":
                executed = event.u.range
                yield executed.start, executed.end, executed.instructions

    def seek(self, start, direction=SEEK_NEXT):
        """Offset of the next synchronisation, or the previous one; None where there is none"""
        found = ffi.new("size_t *")
        data = ffi.from_buffer("uint8_t[]", self._data)
        err = _lib.hwf_session_seek(self._session(code=False), data, len(data), start, direction,
                                    found)
        if err == NO_SYNC_FOUND:
            return None
        _check(err)
        return found[0]

    def edges(self):
        """Taken branches: {(address of the branch, target): how often}"""
        profile = ffi.gc(_lib.hwf_profile_new(), _lib.hwf_profile_free)
        if not profile:
            raise MemoryError
        session = self._session(profile=profile)
        data = ffi.from_buffer("uint8_t[]", self._data)
        _check(_lib.hwf_session_push(session, data, len(data), True, ffi.NULL))
        edge = ffi.new("struct hwf_profile_edge *")
        place = ffi.new("size_t *")
        edges = {}
        while _lib.hwf_profile_next_edge(profile, place, edge):
            key = getattr(edge, "from"), edge.to
            edges[key] = edges.get(key, 0) + edge.count
        return edges
