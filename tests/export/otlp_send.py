#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that spans are sent to collectors that take, delay, refuse or lose them, each with its
message: otlp_send.py WAYMARK PROGRAM REQUESTS
"""

import email.utils
import http.server
import json
import os
import pathlib
import socket
import ssl
import subprocess
import tempfile
import threading
import time

from common import WAYMARK, check, export, finish, run
from otlp_common import Requests, parse

TRIES = 6


class Collector:
    """Answers each request with the next of `answers`, then with 200: (status, headers, body), or None: none."""

    def __init__(self, answers=()):
        self.answers = list(answers)
        self.requests = []
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                collector.requests.append((self.path, dict(self.headers), body, time.monotonic()))
                answer = collector.answers.pop(0) if collector.answers else (200, {}, b"{}")
                if answer is None:
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                status, headers, text = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def spans(self):
        return [s["spanId"] for r in self.requests for s in parse(r[2])]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def send(url, trace, status=0, **variables):
    return run("export", "--to=otlp", "-o", url, trace, status=status,
               env={k: v for k, v in os.environ.items() if "proxy" not in k.lower()} | variables)


def check_accepted(work):
    written = export("otlp", work.front).splitlines()
    total = len(parse(b"\n".join(written)))
    for path, to in ("", "/v1/traces"), ("/", "/v1/traces"), ("/v1/traces", "/v1/traces"), ("/a/b", "/a/b/v1/traces"):
        with Collector() as c:
            out, error = send(c.url + path, work.front)
            check("standard output", out, "")
            check("a note", f"{c.url}{path}: {total} spans accepted" in error, True)
            check("requests", [r[2] for r in c.requests], written)
            check("the path", c.requests[0][0], to)
            check("the type", c.requests[0][1]["Content-Type"], "application/json")
    with Collector() as c:
        send(c.url, work.front, OTEL_EXPORTER_OTLP_HEADERS="api-key=a%20b%3D, Second = 2,")
        check("headers", [c.requests[0][1].get(n) for n in ("api-key", "Second")], ["a b=", "2"])
    many = work.serve("many", 1500)
    with Collector([(200, {}, b""), (200, {}, b"<html>")]) as c:
        send(c.url, many)
        check("many requests", [r[2] for r in c.requests], export("otlp", many).splitlines())


def check_again(work):
    """What asks to be asked again is, with the same body, after the time it wants."""
    wanted = export("otlp", work.front).splitlines()
    date = email.utils.formatdate(time.time() + 2, usegmt=True)
    for answers, least in [([(503, {"Retry-After": date}, b"")], 0.5), ([(429, {"Retry-After": "1"}, b"")], 1),
                           ([(503, {}, b""), (502, {}, b""), (504, {}, b"")], 1.4),
                           ([None], 0.2), ([None, (429, {}, b""), None], 1.4)]:
        with Collector(answers) as c:
            error = send(c.url, work.front)[1]
            check("accepted", "spans accepted" in error and "rejected" not in error, True)
            check("the same request", [r[2] for r in c.requests], wanted * (1 + len(answers)))
            waited = c.requests[-1][3] - c.requests[0][3]
            check(f"it waits: {waited}", waited >= least, True)
    with Collector([(503, {}, b"down\nfor today")] * 100) as c:
        error = send(c.url, work.front, status=1)[1]
        check("it gives up", (len(c.requests), "/v1/traces: HTTP 503: down\n" in error), (TRIES, True))
        check("nothing is accepted", "\nwaymark export: " + c.url + ": 0 spans accepted\n" in "\n" + error, True)
    with Collector([(429, {"Retry-After": "3600"}, b"")]) as c:
        error = send(c.url, work.front, status=1)[1]
        check("too late", (len(c.requests), "it wants the spans in 3600 seconds" in error), (1, True))


def check_refused(work):
    many = work.serve("several", 1500)
    sizes = [len(parse(line)) for line in export("otlp", many).splitlines()]
    for status, body, words in [(400, b'{"code":3,"message":"no such field"}', "HTTP 400: no such field"),
                                (401, b"who are you?\r\nmore", "HTTP 401: who are you?"), (404, b"", "HTTP 404"),
                                (301, b"moved", "HTTP 301: moved"), (500, b"", "HTTP 500")]:
        with Collector([(200, {}, b"{}"), (status, {"Location": "/other"}, body)]) as c:
            error = send(c.url, many, status=1)[1]
            check(f"refused: {error}", f"waymark export: {c.url}/v1/traces: {words}\n" in error, True)
            check("it stops", len(c.requests), 2)
            check("what was accepted before", f"{sizes[0]} spans accepted" in error, True)
    for rejected in "3", 3:
        answer = json.dumps({"partialSuccess": {"rejectedSpans": rejected, "errorMessage": "too \x1b old"}}).encode()
        with Collector([(200, {}, answer)]) as c:
            error = send(c.url, work.front, status=1)[1]
            total = len(c.spans())
            check(f"some are rejected: {error}", "3 spans rejected: too \\033 old\n" in error or
                  "3 spans rejected: too \\x1b old\n" in error, True)
            check("others are accepted", f"{total - 3} spans accepted" in error, True)
    with Collector([(200, {}, b'{"partialSuccess":{"errorMessage":"a warning"}}')]) as c:
        check("a warning", "0 spans rejected: a warning" in send(c.url, work.front)[1], True)


def check_bad(work):
    for url, words in [(u, "is no collector: write http://HOST") for u in
                       ("http://", "http:///v1/traces", "https://:4318", "ftp://host", "grpc://h:4317")] + [
                           ("http://user:word@host", "OTEL_EXPORTER_OTLP_HEADERS"), ("http://host/?a=b", "a host and a path")]:
        error = send(url, work.front, status=1)[1]
        check(f"{url}: {error}", (words in error, error.count("\n"), "word@" in error), (True, 1, False))
    for headers in "password", "=password", "a=password%0d%0aInjected: yes", "a=password%zz", "a:b=password":
        with Collector() as c:
            error = send(c.url, work.front, status=1, OTEL_EXPORTER_OTLP_HEADERS=headers)[1]
            check(f"{headers}: {error}", ("OTEL_EXPORTER_OTLP_HEADERS" in error, "password" in error, c.requests),
                  (True, False, []))
    free = socket.socket()
    free.bind(("127.0.0.1", 0))  # nothing listens there
    error = send(f"http://127.0.0.1:{free.getsockname()[1]}", work.front, status=1)[1]
    check(f"no collector: {error}", "Couldn't connect to server" in error, True)
    check("no trace", "cannot open" in send("http://127.0.0.1:1", work.path / "none", status=1)[1], True)
    check("another format", "--to=csv is not sent" in
          run("export", "--to=csv", "-o", "http://host", work.front, status=2)[1], True)
    with Collector() as c:
        error = send(c.url, work.path / "torn", status=1)[1]
        check("a damaged trace is sent as far as it is read", "spans accepted" in error, True)


def check_encrypted(work):
    """A certificate of an unknown authority is refused, unless the variable names it."""
    place = pathlib.Path(tempfile.mkdtemp(dir=work.path))
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext",
                           "subjectAltName=DNS:localhost", "-keyout", place / "key", "-out", place / "cert"],
                          capture_output=True, check=False)
    check(f"a certificate: {made.stderr}", made.returncode, 0)
    with Collector() as c:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(place / "cert", place / "key")
        c.server.socket = context.wrap_socket(c.server.socket, server_side=True)
        accept, c.handshakes = c.server.get_request, 0

        def count():
            c.handshakes += 1
            return accept()
        c.server.get_request = count
        url = f"https://localhost:{c.server.server_port}"
        send(url, work.front, OTEL_EXPORTER_OTLP_CERTIFICATE=str(place / "cert"))
        check("encrypted", [r[2] for r in c.requests], export("otlp", work.front).splitlines())
        error = send(url, work.front, status=1)[1]
        check(f"an unknown certificate: {error}", "SSL" in error or "certificate" in error, True)
        check("nothing was sent, and it is not tried again", (len(c.requests), c.handshakes), (1, 2))


def main():
    work = Requests()
    check("the command", os.access(WAYMARK, os.X_OK), True)
    check_accepted(work)
    check_again(work)
    check_refused(work)
    check_bad(work)
    check_encrypted(work)
    finish()


if __name__ == "__main__":
    main()
