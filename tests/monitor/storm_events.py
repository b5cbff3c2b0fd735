#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Declares the hundred events of storm.c, and lists them for it: storm_events.py events|def"""

import sys

NAMES = [f"{kind}_{number:02}" for kind in ("disk", "net", "cpu", "usb") for number in range(25)]

if __name__ == "__main__":
    for name in NAMES:
        if sys.argv[1] == "events":
            print(f'{name}(uint32_t thread, uint64_t n, uint64_t inverse) '
                  '"thread %u n %" PRIu64 " inverse %" PRIu64')
        else:
            print(f"STORM({name})")
