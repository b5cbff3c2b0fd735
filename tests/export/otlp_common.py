# SPDX-License-Identifier: MIT
"""What the tests of spans share: traces of the program of requests, and spans as Python has them."""

import json
import os
import pathlib
import subprocess
import sys

from common import Work

REQUESTS = os.path.realpath(sys.argv[3])
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"  # the first request's name
SECRETS = ("hidden-password", "hidden-token", "424242")


def value(any_value):
    """Returns (kind, value) of an AnyValue, with the type that JSON must have."""
    (kind, data), = any_value.items()
    types = {"intValue": str, "stringValue": str, "boolValue": bool, "bytesValue": str,
             "doubleValue": (float, int, str)}
    assert isinstance(data, types[kind]), any_value
    return int(data) if kind == "intValue" else data


def attributes(of):
    pairs = [(a["key"], value(a["value"])) for a in of.get("attributes", [])]
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


def parse(data):
    """Returns the spans of requests, a line each; the resource is among their members."""
    found = []
    for line in data.splitlines():
        assert len(line) <= 1 << 20, len(line)
        request = json.loads(line.decode())
        spans = 0
        for resource in request["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                assert scope["scope"]["name"] == "waymark", scope
                for span in scope["spans"]:
                    spans += 1
                    found.append(span | {"resource": attributes(resource["resource"]), "with": attributes(span),
                                         "begin": int(span["startTimeUnixNano"]),
                                         "end": int(span["endTimeUnixNano"])})
        assert spans > 0
    return found


class Requests(Work):
    """Traces of the program of requests: `front`, `back` and one with full spans."""

    def __init__(self):
        super().__init__()
        self.front = self.serve("front", 3)
        self.back = self.serve("back", 2)
        self.full = self.serve("full", 1, 1000)

    def serve(self, name, *arguments, options=""):
        trace = pathlib.Path(self.path / f"{name}.ctf")
        subprocess.run([REQUESTS, *map(str, arguments)], check=True, timeout=60,
                       env={**os.environ, "WAYMARK_TRACE": f"*,backend=ctf,file={trace}" + (options and f",{options}")})
        return trace
