# SPDX-License-Identifier: MIT
"""A client of QMP for tests that use a program's monitor, and do not test its bytes."""

import json
import socket
import time


class Qmp:
    """Waits until somebody listens at `path`, and a minute or two for each answer."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(120)
        deadline = time.monotonic() + 60
        while self.socket.connect_ex(path) != 0:
            assert time.monotonic() < deadline, "nobody listens"
            time.sleep(0.01)
        self.file = self.socket.makefile("rw", newline="\n")
        assert "QMP" in json.loads(self.file.readline())
        self.command("qmp_capabilities")

    def ask(self, execute, **arguments):
        """The whole answer, which may be an error."""
        self.file.write(json.dumps({"execute": execute, "arguments": arguments}) + "\n")
        self.file.flush()
        return json.loads(self.file.readline())

    def command(self, execute, **arguments):
        answer = self.ask(execute, **arguments)
        assert "return" in answer, answer
        return answer["return"]
