# SPDX-License-Identifier: MIT
"""The kernel's own trace in a tracefs for one test: mount() a private one, record in a buffer (instance) of it."""

import ctypes
import os
import subprocess
import sys

CLONE_NEWNS = 0x20000


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def write(path, text):
    with open(path, "w", errors="surrogateescape") as f:
        f.write(text)


def mount(folder):
    """Mounts a tracefs in a private mount namespace."""
    if os.geteuid() != 0:
        skip("only root may have a tracefs")
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) != 0:
        skip("no mount namespace: " + os.strerror(ctypes.get_errno()))
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    os.mkdir(folder)
    made = subprocess.run(["mount", "-t", "tracefs", "tracefs", folder], capture_output=True,
                          text=True)
    if made.returncode:
        skip("no tracefs: " + made.stderr.strip())


class Buffer:
    """An instance of the kernel's trace, as a folder of tracefs. Records while a `with` of recording() is open."""

    def __init__(self, tracefs, name, events):
        self.folder, self.events = f"{tracefs}/instances/waymark-{name}-{os.getpid()}", events
        os.mkdir(self.folder)

    def __enter__(self):
        for event in self.events:
            if not os.path.exists(f"{self.folder}/events/{event}"):
                skip(f"this kernel has no events {event}")
        return self

    def __exit__(self, *_):
        os.rmdir(self.folder)

    def set(self, name, text):
        write(f"{self.folder}/{name}", text)

    def record(self, clock, act):
        """Records while act() runs, from the begin; returns its result."""
        self.set("tracing_on", "0")
        self.set("trace", "")
        self.set("buffer_size_kb", "16384")
        self.set("trace_clock", clock)
        for event in self.events:
            self.set(f"events/{event}/enable", "1")
        self.set("tracing_on", "1")
        try:
            return act()
        finally:
            for event in self.events:
                self.set(f"events/{event}/enable", "0")

    def text(self):
        with open(f"{self.folder}/trace", errors="surrogateescape") as f:
            return f.read()

    def raw(self):
        """Removes the bytes of each processor from the buffer, and returns them."""
        folder = f"{self.folder}/per_cpu"
        pages = {}
        for cpu in sorted(os.listdir(folder), key=lambda name: int(name[3:])):
            fd = os.open(f"{folder}/{cpu}/trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK)
            pages[cpu] = b""
            try:
                while page := os.read(fd, os.sysconf("SC_PAGESIZE")):
                    pages[cpu] += page
            except BlockingIOError:
                pass
            os.close(fd)
        return pages
