# SPDX-License-Identifier: MIT
"""Makes traces with lost events, for tests of how losses are reported."""

import json
import subprocess


def record_with_losses(waymark, record):
    """Calls record(attempt) until a trace has losses, because the writer may be fast enough; returns it."""
    for attempt in range(10):
        trace = record(attempt)
        told = subprocess.run([waymark, "info", "--json", trace], check=True, text=True, timeout=60,
                              stdout=subprocess.PIPE).stdout
        if json.loads(told)["lost"]:
            break
    return trace
