# SPDX-License-Identifier: MIT
"""Shared by the tests of this folder: a private rsyslogd on a private /dev.

The test restarts itself in a mount namespace, where /dev is an empty file system with the few
devices that programs need, so that nothing is written to the machine's log.
"""

import collections
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
IDENT = os.path.basename(PROGRAM)
SANITIZER = os.environ.get("WAYMARK_SANITIZER", "")
INSIDE = "WAYMARK_TEST_INSIDE"
LOG = "/dev/log"
DEVICES = ("null", "zero", "full", "random", "urandom")

# Rate limits are off, whatever their defaults are.
CONFIGURATION = """
global(workDirectory="{work}")
main_queue(queue.timeoutShutdown="20000")
module(load="imuxsock" SysSock.Name="/dev/log" SysSock.RateLimit.Interval="0" {more})
template(name="fields" type="string"
    string="%syslogfacility-text%|%syslogseverity-text%|%programname%|%procid%|%msg%\\n")
*.* action(type="omfile" file="{messages}" template="fields")
"""

Message = collections.namedtuple("Message", "facility severity ident pid text")


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def hide_dev():
    """Mounts a private /dev in this mount namespace: invisible outside, and removed with the namespace."""
    new = tempfile.mkdtemp(prefix="waymark-test-")
    subprocess.run(["mount", "-t", "tmpfs", "waymark-test", new], check=True)
    for name in DEVICES:
        pathlib.Path(new, name).touch()
        subprocess.run(["mount", "--bind", f"/dev/{name}", f"{new}/{name}"], check=True)
    subprocess.run(["mount", "--rbind", new, "/dev"], check=True)
    subprocess.run(["umount", "-l", new], check=True)
    os.rmdir(new)


def enter():
    """Continues in a mount namespace with a private /dev, or skips the tests."""
    rsyslogd = shutil.which("rsyslogd", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if not rsyslogd:
        skip("rsyslogd is missing (Debian package rsyslog)")
    if INSIDE not in os.environ:
        # With the test, the pid namespace ends all processes that it has started.
        unshare = ["unshare", "-m", "--propagation", "private", "-p", "--fork", "--kill-child",
                   "--mount-proc", *(["--map-root-user"] if os.geteuid() else [])]
        if subprocess.run([*unshare, "true"], stderr=subprocess.DEVNULL).returncode:
            skip("no mount namespace for a private /dev/log")
        os.execvpe("unshare", [*unshare, sys.executable, *sys.argv], {**os.environ, INSIDE: "1"})
    hide_dev()
    return rsyslogd


class Syslog(unittest.TestCase):
    rsyslogd = None
    more = ""

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.file = self.work / "messages"
        self.ends = 0
        self.daemon = None
        self.addCleanup(self.unbind)
        self.addCleanup(self.stop_daemon)

    def start_daemon(self):
        """Starts the daemon; returns when it listens."""
        configuration = self.work / "rsyslog.conf"
        configuration.write_text(CONFIGURATION.format(work=self.work, messages=self.file,
                                                      more=self.more))
        self.daemon = subprocess.Popen([self.rsyslogd, "-n", "-f", configuration,
                                        "-i", self.work / "pid"])
        self.wait_until(self.listens, "rsyslogd does not listen")

    def listens(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
            return probe.connect_ex(LOG) == 0

    def drain_daemon(self):
        """Returns when all messages sent so far are in its file, because unread ones would be
        lost.

        The daemon's own start message may come later.
        """
        self.ends += 1
        mark = f"the end {self.ends}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
            own.connect(LOG)
            own.send(f"<46>rsyslogd: {mark}".encode())
        self.wait_until(lambda: self.file.exists() and
                        f" {mark}\n".encode() in self.file.read_bytes(),
                        "rsyslogd did not write all of it")

    def stop_daemon(self):
        """Ends the daemon, which removes its socket."""
        if self.daemon:
            self.daemon.terminate()
            self.daemon.wait(30)
            self.daemon = None

    def unbind(self):
        """Removes the socket of a former daemon or test."""
        if os.path.lexists(LOG):
            os.unlink(LOG)

    def wait_until(self, condition, complaint):
        end = time.monotonic() + 30
        while not condition():
            self.assertLess(time.monotonic(), end, complaint)
            time.sleep(0.02)

    def messages(self, **what):
        """Returns all messages that have arrived, except the daemon's own."""
        self.drain_daemon()
        self.stop_daemon()
        lines = self.file.read_text(errors="surrogateescape").splitlines()
        messages = [Message(*line.split("|", 4)) for line in lines]
        return [m for m in messages if m.ident != "rsyslogd"
                and all(getattr(m, k) == v for k, v in what.items())]

    def counts(self, thread, messages):
        """Returns the numbers of a thread's events, in order of arrival."""
        begin = f" sys_count thread {thread} number "
        return [int(m.text[len(begin):]) for m in messages if m.text.startswith(begin)]

    def start(self, options=""):
        """Starts a traced program that waits for commands."""
        self.program = subprocess.Popen(
            [PROGRAM], text=True, bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, "WAYMARK_TRACE": "sys_*" + options})
        self.addCleanup(self.end_program)

    def end_program(self):
        if self.program.poll() is None:
            self.program.kill()
        for stream in (self.program.stdin, self.program.stdout, self.program.stderr):
            stream.close()
        self.program.wait()

    def ask(self, command, number=0):
        """Sends a command and returns its answer; a hanging program is ended, and has no answer."""
        patience = threading.Timer(60, self.program.kill)
        patience.start()
        self.program.stdin.write(f"{command} {number}\n")
        line = self.program.stdout.readline()
        patience.cancel()
        self.assertTrue(line, f"{command}: no answer")
        answer = [int(word) for word in line.split()]
        return answer[0] if len(answer) == 1 else answer

    def finish(self, said=""):
        """Ends the program normally; `said` is its expected standard error."""
        _, error = self.program.communicate(timeout=60)
        self.assertEqual(self.program.returncode, 0, error)
        self.assertEqual(error, said)


def main():
    Syslog.rsyslogd = enter()
    del sys.argv[1:]
    unittest.main(verbosity=2)
