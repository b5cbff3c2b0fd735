#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that a client of QMP switches an event of decoded blocks for single harts while the guest
runs.

vcpus.py RISCV WAYMARK

All harts do the same rounds, each of one block. For one hart the event is always on: the trace has
all its rounds, although switches for other harts discard their decoded code. For another hart the
event is never on: the trace has none of its rounds.
"""

import collections
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../monitor"))
from qmp import Qmp

BASE = 0x80000000
HARTS = 4
ROUNDS = 50 << 12
ALWAYS, TOGGLED, NEVER = 0, (1, 2), 3
TRIES = 5  # on a busy machine the harts may end before a switch
ZERO, T0, T1, T2, A0, T3, T4, T5, T6 = 0, 5, 6, 7, 10, 28, 29, 30, 31


def i_type(opcode, funct3, rd, rs1, imm):
    return (imm & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


def store(funct3, rs1, rs2, imm):
    return imm >> 5 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (imm & 31) << 7 | 0x23


def branch(funct3, rs1, rs2, distance):
    return ((distance >> 12 & 1) << 31 | (distance >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15
            | funct3 << 12 | (distance >> 1 & 15) << 8 | (distance >> 11 & 1) << 7 | 0x63)


def upper(opcode, rd, pages):
    return pages << 12 | rd << 7 | opcode


BEQ, BNE, AUIPC, LUI, WFI = 0, 1, 0x17, 0x37, 0x10500073
DIVIDE = 1 << 25 | T0 << 20 | T4 << 15 | 5 << 12 | T5 << 7 | 0x33
OWN_BYTE = A0 << 20 | T2 << 15 | T5 << 7 | 0x33  # add t5, t2, a0
READY = i_type(0x13, 0, T4, ZERO, 1)
WAIT_FOR_INPUT = [upper(LUI, T1, 0x10000), i_type(0x03, 4, T3, T1, 5), i_type(0x13, 7, T3, T3, 1),
                  branch(BEQ, T3, ZERO, -12), READY, store(3, T2, T4, 0)]
WAIT_FOR_HART_0 = [i_type(0x03, 3, T3, T2, 0), branch(BEQ, T3, ZERO, -4)]
PREPARE = [READY, upper(LUI, T0, ROUNDS >> 12)]
ROUND = [DIVIDE] * 58 + [i_type(0x13, 0, T0, T0, -1), branch(BNE, T0, ZERO, -4 * 59)]
HART_IS_DONE = [OWN_BYTE, store(0, T5, T4, 8), branch(BNE, A0, ZERO, 4 * 7)]
ALL_ARE_DONE = [i_type(0x03, 2, T3, T2, 8), upper(LUI, T6, 0x1010), i_type(0x13, 0, T6, T6, 0x101),
                branch(BNE, T3, T6, -12), upper(LUI, T3, 0x100), store(2, T3, ZERO, 0)]
SLEEP = [WFI, branch(BEQ, ZERO, ZERO, -4)]
BEFORE = [upper(AUIPC, T2, 1), branch(BNE, A0, ZERO, 4 * 7)] + WAIT_FOR_INPUT + WAIT_FOR_HART_0 + PREPARE
PROGRAM = BEFORE + ROUND + HART_IS_DONE + ALL_ARE_DONE + SLEEP
ROUND_PC = BASE + 4 * len(BEFORE)


def write_guest(path):
    code = struct.pack(f"<{len(PROGRAM)}I", *PROGRAM)
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 2, 243, 1, BASE, 64, 0, 0, 64, 56,
                         1, 0, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 7, 120, BASE, BASE, len(code), 0x2000, 8)
    with open(path, "wb") as file:
        file.write(header + segment + code)


class Client(Qmp):
    def switch(self, vcpu, on):
        """Returns True if there is such a hart; there is none after the machine has ended."""
        answer = self.ask("trace-event-set-state", name="guest_block_exec", enable=on,
                          vcpu=vcpu)
        # If a hart ends between the monitor's check and the switch, the message is the library's.
        gone = f"invalid vCPU index {vcpu}", f"there is no vCPU with index {vcpu}"
        assert "return" in answer or answer["error"]["desc"] in gone, answer
        return "return" in answer


def toggle_until_it_ends(client):
    """Returns the number of switches."""
    rng = random.Random(1)
    changes = 0
    on = collections.defaultdict(bool)
    vcpu = TOGGLED[0]
    try:
        while client.switch(vcpu, on[vcpu]):
            vcpu = rng.choice(TOGGLED)
            on[vcpu] = not on[vcpu]
            changes += 1
    except (OSError, ValueError):  # the machine's end closes the connection
        pass
    return changes


def run(riscv, folder):
    path = os.path.join(folder, "s")
    guest = os.path.join(folder, "guest.elf")
    write_guest(guest)
    option = f"machine_start,file={folder}/harts.ctf,full=block,control={path}"
    machine = subprocess.Popen([riscv, f"--harts={HARTS}", guest], stdin=subprocess.PIPE,
                               env=dict(os.environ, WAYMARK_TRACE=option))
    try:
        client = Client(path)
        for vcpu in (ALWAYS, *TOGGLED):
            while not client.switch(vcpu, True):  # the hart does not run yet
                assert machine.poll() is None
        machine.stdin.write(b"go")
        machine.stdin.flush()
        changes = toggle_until_it_ends(client)
        assert machine.wait(60) == 0
    finally:
        machine.kill()
        machine.wait()
    return changes


def rounds_in_trace(waymark, trace):
    """Returns the rounds of each hart that has any; the harts' addresses have the order of their numbers."""
    line = re.compile(rf"guest_block_exec.* cpu=(0x[0-9a-f]+) pc {ROUND_PC:#x} ")
    found = collections.Counter()
    with subprocess.Popen([waymark, "print", trace], stdout=subprocess.PIPE, text=True) as reader:
        for text in reader.stdout:
            match = line.search(text)
            if match:
                found[int(match[1], 16)] += 1
    assert reader.returncode == 0, "the trace cannot be read to its end"
    return [found[cpu] for cpu in sorted(found)]


def is_seen(riscv, waymark):
    """Runs the machine once. Returns False if a hart finished before its events were switched on."""
    with tempfile.TemporaryDirectory() as folder:
        changes = run(riscv, folder)
        rounds = rounds_in_trace(waymark, os.path.join(folder, "harts.ctf"))
    print(f"{changes} changes; rounds in the trace: {rounds} of {ROUNDS - 1}")
    assert len(rounds) < HARTS, f"hart {NEVER} has events"
    if len(rounds) < HARTS - 1:
        return False
    # The first round is part of the preceding block.
    assert rounds[ALWAYS] == ROUNDS - 1, f"hart {ALWAYS} has {rounds[ALWAYS]} rounds"
    return changes > 10 and all(0 < rounds[hart] < ROUNDS - 1 for hart in TOGGLED)


def main():
    riscv, waymark = (os.path.abspath(path) for path in sys.argv[1:3])
    assert any(is_seen(riscv, waymark) for _ in range(TRIES)), "no hart's events were switched"


main()
