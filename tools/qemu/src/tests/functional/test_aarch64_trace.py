#!/usr/bin/env python3
#
# SPDX-License-Identifier: GPL-2.0-only
"""
Functional test of the trace unit (ETE) and the trace buffer (TRBE)

A program without an operating system is traced into memory, which QMP reads.
"""

import struct
import time

from qemu_test import QemuSystemTest
from qemu_test.ports import Ports


BUFFER_ADDR = 0x41000000
# TRBPTR_EL1 as it is at the end of the program; 0 before
POINTER_ADDR = BUFFER_ADDR - 8

ROUNDS = 0x20000

PROGRAM = (
    0xd510109f,             # msr   oslar_el1, xzr
    0xd2a82000,             # mov   x0, #BUFFER_ADDR
    0xd5189b40,             # msr   trbbaser_el1, x0
    0xd5189b20,             # msr   trbptr_el1, x0
    0xd5189b7f,             # msr   trbsr_el1, xzr
    0xd2800321,             # mov   x1, #0x19
    0xf2a83001,             # movk  x1, #0x4180, lsl #16
    0xd5189b01,             # msr   trblimitr_el1, x1
    0xd511041f,             # msr   trcconfigr, xzr
    0xd511081f,             # msr   trceventctl0r, xzr
    0xd511091f,             # msr   trceventctl1r, xzr
    0xd2804021,             # mov   x1, #0x201
    0xd5110041,             # msr   trcvictlr, x1
    0xd511015f,             # msr   trcviiectlr, xzr
    0xd511025f,             # msr   trcvissctlr, xzr
    0xd5033fdf,             # isb
    0xd2800021,             # mov   x1, #1
    0xd5110101,             # msr   trcprgctlr, x1
    0xd5033fdf,             # isb
    0xd2800041,             # mov   x1, #2
    0xd5181221,             # msr   trfcr_el1, x1
    0xd5033fdf,             # isb
    0x52a00042,             # mov   w2, #ROUNDS
    0x94000004,             # 1: bl 2f
    0x71000442,             # subs  w2, w2, #1
    0x54ffffc1,             # b.ne  1b
    0x14000002,             # b     3f
    0xd65f03c0,             # 2: ret
    0xd518123f,             # 3: msr trfcr_el1, xzr
    0xd5033fdf,             # isb
    0xd503225f,             # tsb   csync
    0xd5033f9f,             # dsb   sy
    0xd5389b21,             # mrs   x1, trbptr_el1
    0xb81f8001,             # stur  w1, [x0, #-8]
    0xd503207f,             # 4: wfi
    0x17ffffff,             # b     4b
)

ALIGN_SYNC = bytes(11) + b'\x80'
TRACE_INFO = b'\x01\x00'
TRACE_ON = b'\x04'


class Aarch64TraceTest(QemuSystemTest):

    timeout = 600

    def new_vm(self, name, cpu, *args):
        self.set_machine('virt')
        self.require_accelerator('tcg')
        program = self.scratch_file('program.bin')
        with open(program, 'wb') as f:
            f.write(struct.pack('<%dI' % len(PROGRAM), *PROGRAM))
        vm = self.get_vm(*args, name=name)
        # each instruction takes 1024 ns, of real time as well
        vm.add_args('-nodefaults', '-cpu', cpu, '-kernel', program,
                    '-icount', 'shift=10,align=on')
        vm.launch()
        return vm

    def read_memory(self, vm, address, size):
        path = self.scratch_file('memory.bin')
        vm.cmd('pmemsave', val=address, size=size, filename=path)
        with open(path, 'rb') as f:
            return f.read()

    def read_pointer(self, vm):
        return struct.unpack('<I', self.read_memory(vm, POINTER_ADDR, 4))[0]

    def read_trace(self, vm):
        end = time.monotonic() + self.timeout
        while not self.read_pointer(vm):
            self.assertLess(time.monotonic(), end, 'the program does not end')
            time.sleep(0.1)
        size = self.read_pointer(vm) - BUFFER_ADDR
        self.assertGreater(size, 0)
        return self.read_memory(vm, BUFFER_ADDR, size)

    def migrate(self, source, dest, uri):
        """ Returns the status of the migration when both ends are through """
        source.cmd('migrate', uri=uri)
        end = time.monotonic() + self.timeout
        while time.monotonic() < end:
            status = source.cmd('query-migrate').get('status')
            # the destination may still be reading what the source has sent,
            # and forgets a cont that it gets before the end
            loading = dest.cmd('query-status')['status'] == 'inmigrate'
            if status == 'failed' or status == 'completed' and not loading:
                return status
            time.sleep(0.1)
        self.fail('the migration does not end')

    def test_trace(self):
        vm = self.new_vm('traced', 'max,ete=on,trbe=on')
        trace = self.read_trace(vm)
        self.assertEqual(trace[:15], ALIGN_SYNC + TRACE_INFO + TRACE_ON)
        # each return has an address and an Atom
        self.assertGreater(len(trace), ROUNDS * 2)

    def test_migration(self):
        expected = self.read_trace(self.new_vm('traced', 'max,ete=on,trbe=on'))
        with Ports() as ports:
            uri = 'tcp:localhost:%u' % ports.find_free_port()
            dest = self.new_vm('dest', 'max,ete=on,trbe=on', '-incoming', uri)
            source = self.new_vm('source', 'max,ete=on,trbe=on')
            time.sleep(0.2)
            source.cmd('stop')
            self.assertEqual(self.read_pointer(source), 0,
                             'the program ended before the migration')
            self.assertEqual(self.migrate(source, dest, uri), 'completed')
            dest.cmd('cont')
            self.assertEqual(self.read_trace(dest), expected)


if __name__ == '__main__':
    QemuSystemTest.main()
