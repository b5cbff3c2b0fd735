# SPDX-License-Identifier: MIT
"""For tests whose programs have memory of their own: see make_memory()."""
import os
import pathlib
import tempfile


def make_memory():
    """A folder for WAYMARK_SHM, in the place that tools/contained gave and removes, in /dev/shm or,
    if there is none, among other files of tests."""
    base = os.environ.get("WAYMARK_SHM", "/dev/shm")
    base = base if os.access(base, os.W_OK) else None
    return pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-", dir=base))
