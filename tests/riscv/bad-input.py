#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that bad ELF files are refused with one clear line, and that guests that trap without a
handler end with a status:

bad-input.py RISCV PROGRAM
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

RAM = 0x80000000
EHDR = struct.Struct("<16sHHIQQQIHHHHHH")
PHDR = struct.Struct("<IIQQQQQQ")
IDENT = b"\x7fELF\x02\x01\x01" + bytes(9)
NOP = 0x13
LOST = 125  # the status of a machine with a hart without a handler
LONGEST = [0xffcebc23] * 64  # sd t3, -8(t4): with its events this makes the longest possible block


def program(words=(NOP,), segments=None, **header):
    """Returns an ELF file with these instructions and other fields of its header."""
    code = b"".join(struct.pack("<I", word) for word in words)
    segments = segments or [{}]
    h = {"ident": IDENT, "type": 2, "machine": 243, "version": 1, "entry": RAM,
         "phoff": EHDR.size, "shoff": 0, "flags": 0, "ehsize": EHDR.size,
         "phentsize": PHDR.size, "phnum": len(segments), "shentsize": 0, "shnum": 0,
         "shstrndx": 0, **header}
    offset = EHDR.size + PHDR.size * len(segments)
    table = b""
    for segment in segments:
        p = {"type": 1, "flags": 5, "offset": offset, "vaddr": RAM, "paddr": RAM,
             "filesz": len(code), "memsz": len(code), "align": 4, **segment}
        table += PHDR.pack(*p.values())
    return EHDR.pack(*h.values()) + table + code


def run(riscv, path, *arguments):
    return subprocess.run([riscv, *arguments, path], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=60, check=False)


def refusals(good):
    yield "the file is empty", b""
    yield "not an ELF file", b"#!/bin/sh\n" * 10
    yield "too few for an ELF file", good[:63]
    yield "for another machine", program(machine=62)
    yield "for another machine", program(ident=b"\x7fELF\x01\x01\x01" + bytes(9))
    yield "for another machine", program(ident=b"\x7fELF\x02\x02\x01" + bytes(9))
    yield "is not a static program", program(type=3)
    yield "compressed or floating-point", program(flags=1)
    yield "compressed or floating-point", program(flags=4)
    yield "0 program headers", program(phnum=0)
    yield "65535 program headers", program(phnum=65535)
    yield "program headers of 32 bytes", program(phentsize=32)
    yield "truncated: the program headers", program(phoff=2**64 - 1)
    yield "truncated: the program headers", good[:100]
    yield "truncated: segment 0", good[:200]
    yield "truncated: segment 0", program(segments=[{"offset": 2**64 - 4}])
    yield "4 bytes of file for 3 of memory", program(segments=[{"memsz": 3}])
    yield "truncated: segment 0", program(segments=[{"filesz": 2**64 - 1, "memsz": 2**64 - 1}])
    yield "are not in the", program(segments=[{"paddr": 0}])
    yield "are not in the", program(segments=[{"paddr": RAM - 4}])
    yield "are not in the", program(segments=[{"paddr": RAM + (16 << 20) - 3}])
    yield "are not in the", program(segments=[{"memsz": 2**64 - 1}])
    yield "dynamic program", program(segments=[{}, {"type": 3}])
    yield "its entry 0x80000004", program(entry=RAM + 4)
    yield "its entry 0x80000002", program(entry=RAM + 2)
    yield "its entry 0x0", program(entry=0)
    yield "its entry 0x80000000", program(segments=[{"flags": 6}])


def lost_guests():
    yield "trap 3 at 0x80000000", [NOP - 0x13 + 0x00100073]  # ebreak
    yield "trap 2 at 0x80000004", [NOP, 0xffffffff]
    yield "trap 2 at 0x80000004", [NOP]  # zeros follow
    yield "trap 1 at 0x0 ", [0x00000067]  # jr zero
    yield "trap 1 at 0x7ffffffc", [0xffdff06f]  # j -4
    yield "trap 0 at 0x80000000", [0x0020006f]  # j +2
    yield "trap 5 at 0x80000000", [0x00003003]  # ld zero, 0(zero)
    yield "trap 7 at 0x80000000", [0xfe003fa3]  # sd zero, -1(zero)
    yield "trap 11 at 0x80000000", [0x00000073]  # ecall


def main():
    riscv, good = sys.argv[1], pathlib.Path(sys.argv[2]).read_bytes()
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program"
        for message, content in refusals(good):
            path.write_bytes(content)
            done = run(riscv, path)
            if done.returncode != 1 or message not in done.stderr or done.stderr.count("\n") != 1:
                faults.append(f"wanted {message!r}: {done.returncode} {done.stderr!r}")
        for message, words in lost_guests():
            path.write_bytes(program(words))
            done = run(riscv, path, "--harts=1")
            if done.returncode != LOST or message not in done.stderr:
                faults.append(f"wanted {message!r}: {done.returncode} {done.stderr!r}")
        path.write_bytes(program(LONGEST))
        done = run(riscv, path, f"--trace=guest_*,file={folder}/trace")
        if done.returncode != LOST or "trap 7 at 0x80000000" not in done.stderr:
            faults.append(f"the longest block: {done.returncode} {done.stderr!r}")
        for arguments, message in (
                (["--harts=5"], "--harts=5: a number from 1 to 4"),
                (["--harts=none"], "--harts=none: a number"),
                (["--nonsense"], "lists the options"),
                (["two"], "one PROGRAM only")):
            done = run(riscv, path, *arguments)
            if done.returncode not in (1, 2) or message not in done.stderr:
                faults.append(f"wanted {message!r}: {done.returncode} {done.stderr!r}")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
