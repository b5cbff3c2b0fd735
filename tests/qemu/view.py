#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The timeline of a boot of QEMU with all events on, and of a guest with its host, is what SQL says: view.py ROOT BUILD

QEMU is the one that trees.py has built in $WAYMARK_QEMU_WORK; guest.py says what else is needed.
"""

import pathlib
import subprocess
import sys
import tempfile

from guest import HOST_EVENTS, make_traces
from trees import SKIPPED

SECONDS = 1200


def compare(root, build, *traces):
    """Ends the test if the page of the waymark of this build draws something else."""
    done = subprocess.run([sys.executable, root / "tests/view/kinds.py", build / "src/cmd/waymark", "--traces", *traces],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=SECONDS)
    print(done.stdout)
    if done.returncode == SKIPPED:
        sys.exit(SKIPPED)
    if done.returncode:
        sys.exit(f"{[trace.name for trace in traces]}: the page draws something else")


def main():
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    for events in HOST_EVENTS, ["*"]:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            make_traces(root, folder, events)
            compare(root, build, folder / "host.ctf", folder / "guest.ctf")


if __name__ == "__main__":
    main()
