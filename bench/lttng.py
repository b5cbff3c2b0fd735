# SPDX-License-Identifier: MIT
"""Starts LTTng-UST's daemon and sessions, isolated from those of the machine.

As root LTTng has one fixed directory for its sockets, so move_apart() continues in a private mount
namespace where that directory is empty. All other files are below `home`. The daemon is killed by
its pid. The tests of the backend ust use this module, too.
"""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from dpdk import count_of

BUFFER = ["--discard", "--num-subbuf=8", "--subbuf-size=8M"]
SESSION = "waymark-bench"
NAMESPACE = "WAYMARK_BENCH_NAMESPACE"  # in the environment: move_apart() has worked
# If our library has TSan, TSan must be loaded first. The program itself is built without TSan,
# which does not understand the RCU in LTTng's headers.
TSAN = ["-Wl,--no-as-needed", "-ltsan"] if os.environ.get("WAYMARK_SANITIZER") == "thread" else []


def move_apart():
    """Restarts this program in a private mount namespace, which LTTng needs as root; does nothing
    without the right to do so.
    """
    wanted = NAMESPACE not in os.environ and os.geteuid() == 0
    if wanted and subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "bench", "/run"],
                                 check=False, capture_output=True).returncode == 0:
        os.environ[NAMESPACE] = "1"
        script = 'mount -t tmpfs bench /run && mkdir /run/lock && exec "$@"'
        os.execvp("unshare", ["unshare", "-m", "sh", "-c", script, "sh", sys.executable, *sys.argv])


def why_no_daemon():
    """The reason why LTTng cannot record, or None."""
    for command in ("lttng", "lttng-sessiond", "babeltrace2"):
        if not shutil.which(command):
            return f"{command} is not installed"
    if os.geteuid() == 0 and NAMESPACE not in os.environ:
        return "no mount namespace to keep it apart from the machine's own"
    return None


def why_absent(programs):
    """The reason why LTTng cannot be measured, or None."""
    if not (programs / "bench-memory-lttng").exists():
        return "liblttng-ust-dev was not there when the benchmarks were built"
    return why_no_daemon()


def why_no_tests():
    """The reason why tests of the backend ust cannot be run, or None."""
    if not shutil.which("gcc"):
        return "gcc is missing"
    if subprocess.run(["pkg-config", "--exists", "lttng-ust >= 2.13"], check=False).returncode:
        return "liblttng-ust-dev 2.13 or later is missing"
    return why_no_daemon()


class Daemon:
    """Runs lttng-sessiond, and commands to it."""

    def __init__(self, home):
        self.home = pathlib.Path(home)
        self.trace = self.home / "trace"
        self.environment = {**os.environ, "HOME": home, "LTTNG_HOME": home,
                            "LTTNG_UST_REGISTER_TIMEOUT": "-1"}
        self.shm_before = self.shm()
        self.daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=self.environment,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        self.wait()

    @staticmethod
    def shm():
        return set(pathlib.Path("/dev/shm").glob("lttng-ust-*"))

    def lttng(self, *arguments, check=True):
        return subprocess.run(["lttng", "--no-sessiond", *arguments], env=self.environment,
                              check=check, capture_output=True, text=True)

    def wait(self):
        for _ in range(100):
            if self.lttng("list", check=False).returncode == 0:
                return
            time.sleep(0.05)
        self.close()
        raise OSError("lttng-sessiond does not answer")

    def begin_session(self, *rules):
        """Begins a session. Each rule has the words of an `enable-event`."""
        shutil.rmtree(self.trace, ignore_errors=True)
        self.lttng("create", SESSION, f"--output={self.trace}")
        self.lttng("enable-channel", "--userspace", *BUFFER, "channel")
        for rule in rules:
            self.lttng("enable-event", "--userspace", "--channel=channel", *rule)
        self.lttng("start")

    def end_session(self):
        """Returns what LTTng says of losses."""
        return self.lttng("destroy", SESSION).stderr

    def close(self):
        self.daemon.terminate()
        self.daemon.wait(timeout=20)
        for path in self.shm() - self.shm_before:
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def daemon_of_tests():
    """A daemon below a new folder; programs wait for it ten seconds at most."""
    with tempfile.TemporaryDirectory() as home:
        daemon = Daemon(home)
        daemon.environment["LTTNG_UST_REGISTER_TIMEOUT"] = "10000"
        try:
            yield daemon
        finally:
            daemon.close()


class Lttng(Daemon):
    """Sessions of LTTng for the benchmarks."""

    def __init__(self, home, one_event):
        super().__init__(home)
        self.base = (0, 0)
        self.base = self.record(one_event)[1:3]

    def consumer_cpu(self):
        """Returns the CPU seconds of the daemon's consumer."""
        ns = 0
        for path in pathlib.Path(f"/proc/{self.daemon.pid}/task").glob("*/children"):
            for child in path.read_text().split():
                if "consumerd" in pathlib.Path(f"/proc/{child}/comm").read_text():
                    ns += sum(int(task.read_text().split()[0])
                              for task in pathlib.Path(f"/proc/{child}/task").glob("*/schedstat"))
        return ns / 1e9

    def record(self, command):
        """Runs a program in a new session. Returns (its result, seconds to stop, consumer's CPU,
        lost).

        Subtracts the stop time and the consumer's CPU time of a session with one event.
        """
        self.begin_session(["bench:*"])
        cpu = self.consumer_cpu()
        result = subprocess.run(command, env=self.environment, check=False, capture_output=True,
                                text=True)
        begin = time.perf_counter()
        said = self.lttng("stop")
        seconds = time.perf_counter() - begin
        cpu = self.consumer_cpu() - cpu
        said = said.stdout + said.stderr + self.end_session()
        lost = max((int(n) for n in re.findall(r"(\d+) events? (?:were|was)? ?discarded", said)),
                   default=0)
        return result, max(seconds - self.base[0], 0), max(cpu - self.base[1], 0), lost

    def count(self, path=None):
        """Returns the number of events in a trace; by default in the last one."""
        return count_of(str(path or self.trace))
