#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks on `waymark view`: attacks.py WAYMARK PROGRAM [long]

Strangers who hold many connections, send slowly, without end or nonsense; connections that break off; a
trace that is cut, replaced and removed while it is shown; a killed server. The user is answered all the
time, and nothing is leaked. `long` repeats it some thousand times.
"""

import contextlib
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from served import Served, check, finish

WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:3])
IS_LONG = sys.argv[3:] == ["long"]
ANSWERED_S = 5  # the user's questions, also on a busy machine


def resources(process):
    """Descriptors, threads and KiB of memory of a process."""
    proc = pathlib.Path(f"/proc/{process.pid}")
    kib = next(line.split()[1] for line in (proc / "status").read_text().splitlines() if line.startswith("VmRSS"))
    return len(list((proc / "fd").iterdir())), len(list((proc / "task").iterdir())), int(kib)


def ticks(process):
    """Processor time in hundredths of a second."""
    return sum(map(int, pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))


def connect(served):
    return socket.create_connection(("127.0.0.1", served.port), timeout=ANSWERED_S)


def send(served, data):
    """Sends bytes on a connection of their own; returns what comes until its end, or for a second."""
    with connect(served) as connection:
        connection.settimeout(1)
        answer = b""
        with contextlib.suppress(OSError):
            connection.sendall(data)
        with contextlib.suppress(OSError):
            while part := connection.recv(1 << 16):
                answer += part
        return answer


def check_user(served, when):
    begin = time.monotonic()
    check(f"the user is answered {when}", served.get("/api/trace")[0], 200)
    check(f"and soon {when}", time.monotonic() - begin < ANSWERED_S, True)


def wait_until_few(served, before):
    """The threads and descriptors of closed connections are freed soon."""
    for _ in range(100):
        if all(now <= then + 2 for now, then in zip(resources(served.process)[:2], before)):
            return
        time.sleep(0.05)
    check("what is left of closed connections", resources(served.process)[:2], before[:2])


def check_many(served):
    """A thousand connections that say nothing: the oldest ones are closed for new ones."""
    before = resources(served.process)
    silent = [connect(served) for _ in range(1000)]
    check_user(served, "beside 1000 connections")
    now = resources(served.process)
    check(f"descriptors and threads are bounded: {now}", now[0] < before[0] + 300 and now[1] < before[1] + 300, True)
    spent = ticks(served.process)
    time.sleep(0.5)
    check("they cost no time", ticks(served.process) - spent < 10, True)
    for connection in silent:
        connection.close()
    wait_until_few(served, before)


def check_slow(served):
    """Connections that go on forever, a byte at a time, keep nobody out, and the user's own is kept."""
    with connect(served) as own:
        request = (f"GET {served.folder}/api/trace HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
                   f"Cookie: waymark={served.token}\r\n\r\n").encode()
        own.sendall(request)
        check("the user's connection", own.recv(100)[:15], b"HTTP/1.1 200 OK")
        slow = [connect(served) for _ in range(200)]
        for _ in range(4):
            for connection in slow:
                with contextlib.suppress(OSError):
                    connection.send(b"G")
            check_user(served, "beside 200 slow ones")
        while own.recv(1 << 16)[-2:] != b"]}":
            pass
        own.sendall(request)
        check("and is kept", own.recv(100)[:15], b"HTTP/1.1 200 OK")
        for connection in slow:
            connection.close()


def flood(served, until):
    """Opens connections as fast as it goes."""
    while time.monotonic() < until:
        with contextlib.suppress(OSError), connect(served) as connection:
            connection.send(b"GET /")


def check_flood(served):
    until = time.monotonic() + 1
    threads = [threading.Thread(target=flood, args=(served, until)) for _ in range(4)]
    for thread in threads:
        thread.start()
    answered = failed = 0
    while time.monotonic() < until:
        try:
            answered += served.get("/api/trace")[0] == 200
        except OSError:
            failed += 1
    for thread in threads:
        thread.join()
    check(f"most of the user's questions in a flood: {answered}, not {failed}", answered > 3 * failed, True)


def check_nonsense(served):
    """What is no request, or one that never ends, gets an error, or the end of the connection."""
    host = f"Host: 127.0.0.1:{served.port}\r\n"
    own = f"{host}Cookie: waymark={served.token}\r\n"
    body = "x" * (1 << 22)
    for name, data, status in (
            ("HTTP/1.0", f"GET {served.folder}/api/trace HTTP/1.0\r\n{own}\r\n", b"200"),
            ("HTTP/1.0 without a host", "GET / HTTP/1.0\r\n\r\n", b"421"),
            ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"505"),
            ("a host before the own one", f"GET {served.folder}/api/trace HTTP/1.1\r\nHost: evil.example\r\n{own}\r\n", b"421"),
            ("a socket", f"GET {served.folder}/api/trace HTTP/1.1\r\n{own}Upgrade: websocket\r\nConnection: Upgrade\r\n"
             "Origin: http://evil.example\r\n\r\n", b"403"),
            ("a proxy", f"CONNECT evil.example:80 HTTP/1.1\r\n{own}\r\n", b"405"),
            ("a stranger's body", f"POST /api/switch HTTP/1.1\r\n{host}Content-Length: 99999999\r\n\r\n{body}", b"405"),
            ("a body of a question", f"GET {served.folder}/api/trace HTTP/1.1\r\n{own}Content-Length: {len(body)}\r\n\r\n{body}", b"200"),
            ("a negative length", f"POST /api/switch HTTP/1.1\r\n{own}Content-Length: -5\r\n\r\n", b"400"),
            ("a long address", f"GET /{'x' * 3000000} HTTP/1.1\r\n{own}\r\n", b"414"),
            ("many headers", f"GET / HTTP/1.1\r\n{own}{''.join(f'A{i}: b' + chr(13) + chr(10) for i in range(9999))}", b"431"),
            ("many arguments", f"GET {served.folder}/api/tile?{'&'.join(f'a{i}=1' for i in range(4000))} HTTP/1.1\r\n{own}\r\n", None),
            ("no text", os.urandom(5000), None)):
        answer = send(served, data if isinstance(data, bytes) else data.encode())
        if status is not None:
            check(f"{name}: {answer[:80]}", answer.split()[1:2], [status])
    pipelined = send(served, f"GET {served.folder}/api/trace HTTP/1.1\r\n{own}\r\n".encode() * 20)
    check("twenty requests at once", pipelined.count(b"HTTP/1.1 200 OK"), 20)
    answer = send(served, f"GET / HTTP/1.1\r\n{host}\r\nGET {served.folder}/api/trace HTTP/1.1\r\n{own}\r\n".encode())
    check("a stranger's connection ends", (answer.count(b"HTTP/1.1"), b" 401 " in answer), (1, True))
    check_user(served, "after nonsense")


def check_broken_off(served, count):
    """Clients that go away in the middle leave nothing behind."""
    length = served.trace()["length"]
    paths = ["/api/trace", "/api/nothing", "/app.js", "/"]
    paths += [f"/api/{name}?from=0&to={length}" for name in ("csv", "flame", "select")]
    paths += [f"/api/tile?from=0&to={length}&columns=900&tracks=0", "/api/find?ns=0&where=bytes%3E0",
              "/api/sql?query=SELECT+*+FROM+events", "/api/sql?query=SELEC", "/api/event?ns=0&trace=0&offset=1"]
    before = None
    for i in range(count):
        if i == count // 4:  # the allocator has what it keeps
            before = resources(served.process)
        path = random.choice(paths)
        with connect(served) as connection:
            connection.sendall(f"GET {served.folder}{path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n"
                               f"Cookie: waymark={served.token}\r\n\r\n".encode())
            if i % 3 == 0:
                connection.recv(random.randrange(1, 300))
            elif i % 3 == 1:  # ends by a reset
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    wait_until_few(served, before)
    grown = resources(served.process)[2] - before[2]
    if "WAYMARK_SANITIZER" not in os.environ:  # which keeps what was freed
        check(f"memory does not grow with {count} of them: {grown} KiB", grown < 12000, True)
    check_user(served, "after them")


def check_changed(trace):
    """A trace that is cut, replaced or removed while it is shown: errors, or less, but the server goes on."""
    with Served(WAYMARK, trace) as served:
        length = served.trace()["length"]
        streams = sorted((path for path in trace.iterdir() if path.is_file() and path.name != "metadata"),
                         key=lambda path: path.stat().st_size)
        kept = trace.with_name("kept")
        shutil.copytree(trace, kept)
        asked = [f"/api/{name}?from=0&to={length}" for name in ("csv", "flame", "select")]
        asked += [f"/api/tile?from=0&to={length}&columns=900&tracks=0,1,2", "/api/find?ns=0&where=bytes%3E0",
                  "/api/sql?query=SELECT+count(*)+FROM+events", "/api/event?ns=0&trace=0&offset=88", "/api/trace"]
        chance = random.Random(30)
        for i in range(24):
            path = streams[-1 - i % 2] if i % 3 else trace / "metadata"
            data = bytearray(path.read_bytes())
            if i % 4 == 0:
                os.truncate(path, len(data) // (i + 2))
            elif i % 4 == 1:
                path.write_bytes(os.urandom(len(data)))
            elif i % 4 == 2:
                for _ in range(20):
                    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
                path.write_bytes(data)
            else:
                path.unlink()
            for question in asked:
                status = served.get(question)[0]
                check(f"{question} of a changed trace", status in (200, 400), True)
            shutil.rmtree(trace)
            shutil.copytree(kept, trace)
        check("all is as before", served.tile(0, length, tracks=[0])["near"], True)
        check("the end", served.end(), (0, ""))


def check_killed(trace, work):
    """A killed server's places can be taken again at once."""
    with Served(WAYMARK, trace) as served:
        port = served.port
        with connect(served) as connection:
            connection.send(b"GET /")
            served.end(signal.SIGKILL)
    with Served(WAYMARK, f"--port={port}", trace) as served:
        check("the same port", served.port, port)
        check_user(served, "after a kill")
    path = work / "socket"
    for _ in range(2):
        with subprocess.Popen([WAYMARK, "view", f"--listen=unix:{path}", trace], stdout=subprocess.PIPE,
                              text=True) as process:
            check("the same socket", str(path) in process.stdout.readline(), True)
            process.kill()


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        trace = work / "a.ctf"
        subprocess.run([PROGRAM, "50"], check=True, env={**os.environ, "WAYMARK_TRACE": f"*,file={trace}"})
        with Served(WAYMARK, trace) as served:
            served.trace()
            for _ in range(20 if IS_LONG else 1):
                check_many(served)
                check_slow(served)
                check_flood(served)
                check_nonsense(served)
            check_broken_off(served, 100000 if IS_LONG else 1200)
            spent = ticks(served.process)
            time.sleep(1)
            check("nothing is done without questions", ticks(served.process) - spent <= 2, True)
            check("the end", served.end(), (0, ""))
        check_changed(trace)
        check_killed(trace, work)
    finish()


if __name__ == "__main__":
    main()
