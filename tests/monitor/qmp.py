# SPDX-License-Identifier: MIT
"""Clients of monitors: a connection, and a QMP client for tests that do not compare its bytes."""

import json
import socket
import time


PATIENCE_S = 60


def connect(path, patience=PATIENCE_S):
    """Connects when a server listens; waits up to `patience` for that and for each answer."""
    deadline = time.monotonic() + patience
    while True:
        s = socket.socket(socket.AF_UNIX)
        if s.connect_ex(path) == 0:
            s.settimeout(patience)
            return s
        s.close()
        assert time.monotonic() < deadline, f"no server listens at {path}"
        time.sleep(0.01)


class Qmp:
    """Waits at most two minutes for a server at `path`, and for each answer."""

    def __init__(self, path):
        self.socket = connect(path, 2 * PATIENCE_S)
        self.file = self.socket.makefile("rw", newline="\n")
        assert "QMP" in json.loads(self.file.readline())
        self.command("qmp_capabilities")

    def ask(self, execute, **arguments):
        """Returns the whole answer, which may be an error."""
        self.file.write(json.dumps({"execute": execute, "arguments": arguments}) + "\n")
        self.file.flush()
        return json.loads(self.file.readline())

    def command(self, execute, **arguments):
        answer = self.ask(execute, **arguments)
        assert "return" in answer, answer
        return answer["return"]

    def close(self):
        self.file.close()
        self.socket.close()
