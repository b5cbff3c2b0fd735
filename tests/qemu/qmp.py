# SPDX-License-Identifier: MIT
"""A client of QEMU's monitor that speaks QMP."""

import json
import socket


class Monitor:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.file = self.socket.makefile("rw")
        self.file.readline()
        self.ask("qmp_capabilities")

    def ask(self, command, **arguments):
        """Executes a command; returns its answer, which has `return` or `error`."""
        names = {key.replace("_", "-"): value for key, value in arguments.items()}
        self.file.write(json.dumps({"execute": command, "arguments": names}) + "\n")
        self.file.flush()
        answer = {"event": None}
        while "event" in answer:
            answer = json.loads(self.file.readline())
        return answer

    def close(self):
        self.file.close()
        self.socket.close()
