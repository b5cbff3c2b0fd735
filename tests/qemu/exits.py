#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where exits of a vCPU spend their time, by reason and device: exits.py ROOT BUILD

QEMU is the tree that trees.py has made in $WAYMARK_QEMU_WORK, built here with KVM. SeaBIOS boots a
sector that reads a disk and ends QEMU: an IDE disk, whose data pass through exits, and a virtio
disk, whose data do not. The flame graph must have these exits and devices, with the time and number
that waymark latency and QEMU's events have.
"""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from trees import FEATURES, OFFLINE, SKIPPED, TARGET, run

RELEASE = "10.2"
BOOT_SECONDS = 120
READS = 100
READ_SECTORS = 64
# Reads sectors by int 0x13 until all are read or one fails, then writes to isa-debug-exit.
SECTOR = bytes.fromhex(
    "fa31c08ed88ed0bc007cfb8816377c"  # cli; no segments; stack below 0x7c00; sti; drive := dl
    f"c706387c{READS:02x}00"  # count := READS
    "be3c7c8a16377cb442cd13720c"  # again: int 0x13, ah 0x42, with the packet; end if it fails
    f"668306447c{READ_SECTORS:02x}"  # the packet's sector += READ_SECTORS
    "ff0e387c75e7"  # count -= 1, again unless it is 0
    "ba0105b010eef4ebfd"  # outb 0x10 to port 0x501; hlt
    "0000006690"  # drive, count
    f"1000{READ_SECTORS:02x}00000000100000000000000000"  # packet: to 0x1000:0
).ljust(510, b"\0") + b"\x55\xaa"
EXIT_STATUS = 0x10 * 2 + 1  # of isa-debug-exit
PAIR = ["--from=kvm_run_exit", "--to=kvm_vcpu_ioctl"]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def build_qemu(source, environment):
    """Builds QEMU with KVM beside the builds of trees.py; returns the program."""
    build = source.parent / "build-kvm"
    build.mkdir(exist_ok=True)
    if not (build / "build.ninja").exists():
        compiler = "ccache gcc" if shutil.which("ccache") else "gcc"
        run("../src/configure", f"--cc={compiler}", *FEATURES, *OFFLINE[RELEASE], "--enable-kvm",
            f"--target-list={TARGET}-softmmu", "--enable-trace-backends=log,ctf", cwd=build,
            env=environment)
    run("ninja", f"qemu-system-{TARGET}", cwd=build, env=environment)
    return build / f"qemu-system-{TARGET}"


def boot(qemu, folder, environment, bus):
    with (folder / "disk").open("wb") as disk:
        disk.write(SECTOR)
        disk.truncate(16 << 20)
    trace = folder / f"{bus}.ctf"
    command = [qemu, "-accel", "kvm", "-nodefaults", "-display", "none", "-m", "64",
               "-device", "isa-debug-exit,iobase=0x501,iosize=1",
               "-drive", f"file={folder}/disk,format=raw,if={bus},cache=none",
               "-trace", "kvm_*,backend=ctf", "-trace", "memory_region_ops_*,backend=ctf",
               "-trace", f"file={trace}"]
    done = subprocess.run(list(map(str, command)), env=environment, stderr=subprocess.PIPE, text=True,
                          timeout=BOOT_SECONDS, check=False)
    if done.returncode != EXIT_STATUS:
        sys.exit(f"{bus}: QEMU: status {done.returncode}: {done.stderr}")
    return trace


def frames(waymark, names, trace):
    """Returns {stack: (total, count)} of the exits."""
    text = run(waymark, "flamegraph", "--json", "--by=name", "-e", names, *PAIR,
               "--inside=memory_region_ops_*", "--per=reason,name", "-o", f"{trace}.json", trace)
    print(text, end="")
    found, left = {}, [((), json.loads(pathlib.Path(f"{trace}.json").read_text()))]
    while left:
        stack, frame = left.pop()
        found[stack] = (frame["value"], frame["count"])
        left += [((*stack, child["name"]), child) for child in frame["children"]]
    return found


def check(what, condition, shown):
    if not condition:
        sys.exit(f"{what}: {shown}")


def check_exits(waymark, names, trace):
    """The graph agrees with latency and with the events; returns it."""
    found = frames(waymark, names, trace)
    run(waymark, "latency", "--json", "-e", names, *PAIR, "--by=@tid", "--per=reason",
        "-o", f"{trace}.json", trace)
    rows = json.loads(pathlib.Path(f"{trace}.json").read_text())["latencies"]
    wanted = {(f"kvm_run_exit {row['group']}",): (row["total_ns"], row["count"])
              for row in rows if row["count"]}
    check("exits", {s: v for s, v in found.items() if len(s) == 1} == wanted, (found, wanted))
    events = collections.Counter()
    for line in run(waymark, "print", "--json", "--event=memory_region_ops_*", trace).splitlines():
        event = json.loads(line)
        events[f"{event['event']} {event['args']['name']}"] += 1
    for stack, (_, count) in found.items():
        check(f"{stack} happened", len(stack) < 2 or 0 < count <= events[stack[1]], events)
    return found


def main():
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    work = pathlib.Path(os.environ.get("WAYMARK_QEMU_WORK") or "/nonexistent")
    source = work / RELEASE / "waymark/src"
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        skip("/dev/kvm cannot be opened")
    if not source.exists():
        skip(f"no tree of {RELEASE} that trees.py made (WAYMARK_QEMU_WORK)")
    library = next((work / "installed").rglob("libwaymark.so")).parent
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library),
                   "PKG_CONFIG_PATH": str(library / "pkgconfig")}
    qemu = build_qemu(source, environment)
    waymark, names = build / "src/cmd/waymark", root / "integrations/qemu/kvm.events"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ide, virtio = (check_exits(waymark, names, boot(qemu, folder, environment, bus))
                       for bus in ("ide", "virtio"))
    reads = ("kvm_run_exit IO", "memory_region_ops_read ide")
    ns, count = ide[reads]
    check("an IDE disk is read by exits", count >= READS * READ_SECTORS, count)
    check("a virtio disk is not", virtio.get(reads, (0, 0))[1] < READS, virtio)
    notified = [s for s in virtio if s[:1] == ("kvm_run_exit MMIO",) and "virtio" in s[-1]]
    check("but has exits of its own", notified, virtio)
    total = sum(ns for stack, (ns, _) in virtio.items() if len(stack) == 1)
    print(f"{READS * READ_SECTORS} sectors: {count} reads of an IDE disk's registers in exits, "
          f"{ns / 1e6:.1f} ms; all exits with virtio {total / 1e6:.1f} ms")


if __name__ == "__main__":
    main()
