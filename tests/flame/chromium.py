# SPDX-License-Identifier: MIT
"""Drives a page in a headless Chromium by mouse and key events.

It speaks the DevTools protocol over two pipes: JSON messages that end with a NUL.
"""

import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-background-networking", "--remote-debugging-pipe",
             "--window-size=1300,900")
SECONDS = 150


def is_installed():
    return shutil.which("chromium") is not None


def pipe():
    """Makes a pipe above the descriptors 3 and 4, which are reserved for the browser's pipes."""
    return [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10) for fd in os.pipe()]


class Page:
    def __init__(self, path):
        self.deadline = time.monotonic() + SECONDS
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands, self.commands = pipe()
        self.answers, answers = pipe()
        self.process = subprocess.Popen(
            ["chromium", *ARGUMENTS, f"--user-data-dir={self.folder.name}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            pass_fds=(3, 4), start_new_session=True,
            preexec_fn=lambda: (os.dup2(commands, 3), os.dup2(answers, 4)))
        os.close(commands)
        os.close(answers)
        self.received, self.number, self.session = b"", 0, None
        self.requests, self.faults, self.prompts = [], [], 0
        self.answer = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.loaded = False
        self.call("Page.navigate", url=path if str(path).startswith("http:") else "file://" + os.path.abspath(path))
        while not self.loaded:
            self.take(self.receive())

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        return self.number

    def receive(self):
        while b"\0" not in self.received:
            left = max(0, self.deadline - time.monotonic())
            if not select.select([self.answers], [], [], left)[0]:
                raise TimeoutError(f"no answer within {SECONDS} seconds")
            piece = os.read(self.answers, 1 << 16)
            if not piece:
                raise EOFError("the browser has ended")
            self.received += piece
        message, self.received = self.received.split(b"\0", 1)
        return json.loads(message)

    def take(self, event):
        """Handles events of the page; answers a prompt with the prepared text."""
        method, params = event.get("method"), event.get("params", {})
        self.loaded = getattr(self, "loaded", False) or method == "Page.loadEventFired"
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.faults.append(params["exceptionDetails"])
        elif method == "Log.entryAdded":
            self.faults.append(params["entry"])
        elif method == "Page.javascriptDialogOpening":
            self.prompts += 1
            self.send("Page.handleJavaScriptDialog", accept=self.answer is not None,
                      promptText=self.answer or "")

    def call(self, method, **params):
        number = self.send(method, **params)
        while True:
            message = self.receive()
            if message.get("id") == number:
                assert "error" not in message, f"{method}: {message}"
                return message["result"]
            self.take(message)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def wait_for_frame(self):
        """Waits until a frame is drawn: Chromium keeps the moves of a mouse until then, and merges or drops them."""
        self.call("Runtime.evaluate", awaitPromise=True,
                  expression="new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))")

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, begin, end):
        middle = [(a + b) / 2 for a, b in zip(begin, end)]
        for kind, (x, y) in (("mousePressed", begin), ("mouseMoved", middle), ("mouseMoved", end), ("mouseReleased", end)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)
            self.wait_for_frame()

    def press(self, key, code, modifiers=0):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                      modifiers=modifiers)
