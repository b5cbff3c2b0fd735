# SPDX-License-Identifier: MIT
"""Makes traces with lost events, for tests of how losses are reported."""

import json
import subprocess


def record_with_losses(waymark, record):
    """A trace that record(attempt) made: the first with losses, as the writer may be quick enough."""
    for attempt in range(10):
        trace = record(attempt)
        told = subprocess.run([waymark, "info", "--json", trace], check=True, text=True, timeout=60,
                              stdout=subprocess.PIPE).stdout
        if json.loads(told)["lost"]:
            break
    return trace
