# SPDX-License-Identifier: MIT
"""Makes memory for tests whose programs use their own WAYMARK_SHM: see make_memory()."""
import os
import pathlib
import tempfile


def make_memory():
    """Returns a folder for WAYMARK_SHM: in the folder that tools/contained made and removes; else
    in /dev/shm, or among other temporary files if that is missing.
    """
    base = os.environ.get("WAYMARK_SHM", "/dev/shm")
    base = base if os.access(base, os.W_OK) else None
    return pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-", dir=base))
