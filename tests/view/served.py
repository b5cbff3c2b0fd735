# SPDX-License-Identifier: MIT
"""A running `waymark view`, and questions to it."""

import functools
import http.client
import json
import os
import signal
import subprocess
import sys
import time
import urllib.parse

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from compare import check, finish  # noqa: E402,F401


class Served:
    def __init__(self, waymark, *arguments, cache=None):
        """Without `cache`, a directory, all is read."""
        options = ["--no-open"] if cache else ["--no-open", "--no-cache"]
        self.process = subprocess.Popen([waymark, "view", *options, *map(str, arguments)], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**os.environ, "XDG_CACHE_HOME": str(cache or "")})
        self.address = self.process.stdout.readline().strip()
        split = urllib.parse.urlsplit(self.address)
        self.port, self.token = split.port, urllib.parse.parse_qs(split.query).get("token", [""])[0]

    @functools.cached_property
    def folder(self):
        """The secret path of the page."""
        return self.request(f"/?token={self.token}")[1]["Location"].rstrip("/")

    def get(self, path, method="GET", token=True, **headers):
        """Asks below the page's path; returns status, headers and body."""
        return self.request(self.folder + path, method, token, **headers)

    def request(self, path, method="GET", token=True, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300 if "WAYMARK_SANITIZER" in os.environ else 60)
        if token:
            headers["Cookie"] = f"waymark={self.token if token is True else token}"
        connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, dict(answer.getheaders()), body

    def ask(self, path, **arguments):
        status, _, body = self.get(f"{path}?{urllib.parse.urlencode(arguments)}")
        if status != 200:
            raise AssertionError(f"{path} {arguments}: {status} {body!r}")
        return json.loads(body)

    def trace(self):
        """What is known of the trace when all of it was read."""
        for _ in range(600):
            trace = self.ask("/api/trace")
            if trace["done"]:
                return trace
            time.sleep(0.1)
        raise AssertionError("the trace was not read within a minute")

    def tile(self, begin, end, columns=1000, tracks=None):
        trace = self.trace() if tracks is None else None
        wanted = range(len(trace["tracks"])) if trace else tracks
        return self.ask("/api/tile", **{"from": begin, "to": end, "columns": columns,
                                        "tracks": ",".join(map(str, wanted))})

    def end(self, number=signal.SIGTERM):
        """Returns the exit status, and what it wrote to standard error."""
        self.process.send_signal(number)
        err = self.process.communicate(timeout=30)[1]
        return self.process.returncode, err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
