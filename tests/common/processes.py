# SPDX-License-Identifier: MIT
"""For tests that wait for the end of processes which are not their children."""
import os
import pathlib


def is_alive(pid):
    """True if one of its threads is. The first one may have ended, and its memory be gone from
    /proc, while others still hold files and locks."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state not in "ZX" or len(os.listdir(f"/proc/{pid}/task")) > 1
    except (FileNotFoundError, ProcessLookupError):
        return False
