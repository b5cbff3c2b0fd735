# SPDX-License-Identifier: MIT
"""The kernel's own trace in a tracefs for one test: mount() a private one, record in a buffer (instance) of it."""

import ctypes
import os
import subprocess
import sys
import tempfile

CLONE_NEWNS = 0x20000

# Leaves one tracefs in the mount namespace, and makes the file in $1 of the pages in all other files.
ONLY_TRACEFS = """
mount --bind "$0" /mnt && umount "$0" || exit 1
path=$1
shift
exec trace-cmd restore -t /mnt -o "$path" "$@"
"""


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
        self.set("buffer_size_kb", "65536")
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


def raw_pages(buffer):
    """Removes the bytes of each processor from a buffer, given as its folder in tracefs, and returns them."""
    pages = {}
    for cpu in sorted(os.listdir(f"{buffer}/per_cpu"), key=lambda name: int(name[3:])):
        fd = os.open(f"{buffer}/per_cpu/{cpu}/trace_pipe_raw", os.O_RDONLY | os.O_NONBLOCK)
        pages[cpu] = b""
        try:
            while page := os.read(fd, os.sysconf("SC_PAGESIZE")):
                pages[cpu] += page
        except BlockingIOError:
            pass
        os.close(fd)
    return pages


def make_trace_dat(tracefs, buffer, path):
    """
    Moves a buffer's content to a file of trace-cmd. Not by `trace-cmd extract`, which writes to files that change
    the whole machine's trace, and fails where they are read-only. trace-cmd takes the first tracefs that is mounted,
    and crashes if its path has a blank.
    """
    with tempfile.TemporaryDirectory(prefix="waymark-trace-cmd-") as folder:
        files = []
        for cpu, content in raw_pages(buffer).items():
            files.append(f"{folder}/{cpu}")
            with open(files[-1], "wb") as f:
                f.write(content)
        done = subprocess.run(["unshare", "-m", "sh", "-c", ONLY_TRACEFS, tracefs, path, *files], capture_output=True,
                              text=True, timeout=60, check=False)
    if done.returncode:
        raise AssertionError(f"trace-cmd restore: {done.returncode} {done.stdout}{done.stderr}")
