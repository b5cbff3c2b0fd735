#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests a relay that shows those of other hosts: hosts.py WAYMARK PACED OTHER THREADS CLOCK [TEST...]"""

import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest

from viewed import HOST, PATIENCE, WAYMARK, Viewed, free_port, make_memory


class Hosts(Viewed):
    """Each host has a name and memory of its own."""

    def host(self, name, *args, port=None):
        shm = make_memory()
        self.addCleanup(shutil.rmtree, shm)
        env = {**self.env, "WAYMARK_SHM": str(shm)}
        relay, port = self.relay("--whole", *args, env=env, port=port,
                                 before=("unshare", "-u", "sh", "-c", f'hostname {name}; exec "$@"', "sh"))
        return {"WAYMARK_SHM": str(shm)}, relay, port

    def test_sessions_of_two_hosts(self):
        (a_env, _, a), (b_env, b_relay, b) = self.host("first"), self.host("second")
        front, port = self.relay(f"--host=localhost:{a}", f"--host=127.0.0.1:{b}")
        programs = [self.program(2, 1500, 1000, trace=f"{i}.ctf", env=e) for i, e in enumerate((a_env, b_env))]
        done = subprocess.run(["babeltrace2", "--input-format=lttng-live", f"net://localhost:{port}"], text=True,
                              capture_output=True, timeout=PATIENCE)
        for host, p in zip(("first", "second"), programs):
            self.assertIn(f"/host/{host}/paced-{p.pid} ", done.stdout)
            self.assertIn(f"/host/{host}/all ", done.stdout)
        one = self.view(self.url(port, f"paced-{programs[0].pid}", "first"))
        both = self.view(self.url(port, "all", "first"), self.url(port, "all", "second"))
        self.assertEqual([p.wait(PATIENCE) for p in programs], [0, 0])
        self.assertEqual(one.wait(PATIENCE), 0, one.errors())
        self.assert_same(one.events(), self.printed("0.ctf"))
        self.wait_for_events(both, 5000)
        self.assertEqual({e[1] for e in both.events()}, {p.pid for p in programs})
        b_relay.kill()
        done = subprocess.run(["babeltrace2", "--input-format=lttng-live", f"net://localhost:{port}"], text=True,
                              capture_output=True, timeout=PATIENCE)
        self.assertIn("/host/first/all ", done.stdout)
        self.assertNotIn("/host/second/", done.stdout)
        self.assertIn(f"127.0.0.1:{b}: no relay answers there", pathlib.Path(front.errors).read_text())

    def test_relays_that_name_each_other(self):
        ports = [free_port() for _ in range(3)]
        every = [self.host(f"host{i}", *(f"--host=localhost:{p}" for p in ports if p != port), port=port)
                 for i, port in enumerate(ports)]
        for port in ports:
            done = subprocess.run(["babeltrace2", "--input-format=lttng-live", f"net://localhost:{port}"], text=True,
                                  capture_output=True, timeout=PATIENCE)
            hosts = sorted(line.split("/")[4] for line in done.stdout.splitlines())
            self.assertEqual(hosts, ["host0", "host1", "host2"], done.stderr)
        for _, relay, _ in every:
            self.wait_for(lambda: relay.tasks() == relay.idle_tasks)  # noqa: B023

    def test_a_name_is_resolved_once(self):
        """It may be found no longer, or only after long, when a viewer has the list."""
        _, _, there = self.host("first")
        names = self.work / "hosts"
        names.write_text("127.0.0.1 localhost first-host\n")
        _, port = self.relay(f"--host=first-host:{there}",
                             before=("unshare", "-m", "sh", "-c", f'mount --bind {names} /etc/hosts; exec "$@"', "sh"))
        with socket.create_connection(("127.0.0.1", port)) as s, s.makefile("rb") as answers:
            s.sendall(struct.pack(">QIIQIII", 20, 1, 0, 0, 2, 4, 1) + struct.pack(">QII", 0, 2, 0))
            answers.read(20)
            count, = struct.unpack(">I", answers.read(4))
            sessions = [answers.read(339) for _ in range(count)]
            wanted, = [t[:8] for t in sessions if t[20:84].rstrip(b"\0") == b"first"]
            names.write_text("127.0.0.1 localhost\n")
            s.sendall(struct.pack(">QII", 20, 3, 0) + wanted + struct.pack(">QI", 0, 2))
            self.assertEqual(answers.read(4), struct.pack(">I", 1))

    def hostile(self, answer):
        """A relay that answers all that is sent with something, again and again; returns its port."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve():
            while True:
                try:
                    client = listener.accept()[0]
                    client.recv(36)
                    client.sendall(struct.pack(">QIII", 1, 2, 4, 1))
                    client.recv(16)
                    answer(client)
                except OSError:
                    if listener.fileno() < 0:
                        return

        threading.Thread(target=serve, daemon=True).start()
        return listener.getsockname()[1]

    def test_hostile_relays(self):
        def huge(client):
            client.sendall(struct.pack(">I", 2**32 - 1))
            while True:
                client.sendall(bytes(1 << 16))

        def slow(client):
            client.sendall(struct.pack(">I", 3))
            while True:
                time.sleep(0.5)
                client.sendall(b"x")

        def short(client):
            client.sendall(struct.pack(">I", 3) + bytes(100))
            client.close()

        for answer in huge, slow, short:
            front, port = self.relay(f"--host=localhost:{self.hostile(answer)}")
            begin = time.monotonic()
            self.assertEqual(self.sessions(port), ["all"])
            self.assertLess(time.monotonic() - begin, 10)
            self.assertIn("its list of sessions is too long, or did not come", pathlib.Path(front.errors).read_text())
            front.terminate()
            self.assertEqual(front.wait(PATIENCE), 0)

    def silent(self, is_full):
        """A port that accepts no connection; if it is full, not even packets are answered."""
        listener = socket.create_server(("127.0.0.1", 0), backlog=0 if is_full else 128)
        self.addCleanup(listener.close)
        for _ in range(4 if is_full else 0):
            client = socket.socket()
            self.addCleanup(client.close)
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        return listener.getsockname()[1]

    def timed_list(self, port):
        begin = time.monotonic()
        done = subprocess.run(["babeltrace2", "--input-format=lttng-live", f"net://localhost:{port}"], text=True,
                              capture_output=True, timeout=PATIENCE)
        return time.monotonic() - begin, sorted(line.split("/")[4] for line in done.stdout.splitlines())

    def test_many_hosts_of_which_some_are_down(self):
        """All are asked at once: a list waits for the slowest, and each problem is reported once."""
        live = [self.host(f"live{i}")[1:] for i in range(6)]
        down = [self.silent(is_full=i % 2 == 0) for i in range(12)] + [free_port(), free_port()]
        names = [f"localhost:{p}" for _, p in live] + [f"127.0.0.1:{p}" for p in down]
        front, port = self.relay(*(f"--host={name}" for name in names))
        errors = lambda: pathlib.Path(front.errors).read_text()  # noqa: E731
        alone, _ = self.timed_list(self.relay()[1])
        for _ in range(3):
            seconds, hosts = self.timed_list(port)
            self.assertEqual(hosts, sorted([HOST, *(f"live{i}" for i in range(6))]))
            self.assertLess(seconds - alone, 3)
        for p in down:
            self.assertEqual(errors().count(f"127.0.0.1:{p}: no relay answers there"), 1)
        self.assertEqual(len(errors().splitlines()), len(down), errors())
        relay, last = live[-1]
        os.kill(relay.pid, signal.SIGSTOP)
        self.assertNotIn("live5", self.timed_list(port)[1])
        os.kill(relay.pid, signal.SIGCONT)
        self.wait_for(lambda: "live5" in self.timed_list(port)[1])
        self.timed_list(port)
        self.assertEqual([errors().count(f"localhost:{last}: {what}") for what in ("no relay", "its sessions are listed")],
                         [1, 1])
        self.wait_for(lambda: front.tasks() == front.idle_tasks)

    def test_two_relays_of_one_name(self):
        _, _, a = self.host("same")
        front, port = self.relay("--host=localhost:%d" % a, before=("unshare", "-u", "sh", "-c", 'hostname same; exec "$@"', "sh"))
        done = subprocess.run(["babeltrace2", "--input-format=lttng-live", f"net://localhost:{port}"], text=True,
                              capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.stdout.count("/host/same/all "), 1)
        self.assertIn("a session has the name and host of another one", pathlib.Path(front.errors).read_text())

    def test_wrong_hosts(self):
        for host in "", ":5344", "host:", "host:x", "host:70000", "[::1", "a:b:c":
            done = subprocess.run([WAYMARK, "relay", f"--host={host}"], text=True, capture_output=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, "is no HOST[:PORT]" in done.stderr), (2, True), host)

    def test_a_host_that_is_silent(self):
        """It delays a list by two seconds, not for ever."""
        relay, port = self.relay("--whole")
        os.kill(relay.pid, signal.SIGSTOP)
        front, own = self.relay(f"--host=localhost:{port}", f"--host=no.such.host.invalid:{free_port()}")
        self.assertEqual(self.sessions(own), ["all"])
        os.kill(relay.pid, signal.SIGCONT)
        text = pathlib.Path(front.errors).read_text()
        self.assertIn(f"localhost:{port}: no relay answers there", text)
        self.assertIn("no.such.host.invalid", text)


if __name__ == "__main__":
    if os.geteuid() != 0:
        print("skipped: only root can give a process another name of the host")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]], verbosity=2)
