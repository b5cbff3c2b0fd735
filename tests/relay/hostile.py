#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sends the relay what no viewer sends: hostile.py WAYMARK PACED OTHER THREADS CLOCK [TEST...]"""

import os
import pathlib
import random
import socket
import struct
import sys
import threading
import unittest

from viewed import PATIENCE, Viewed

CONNECT, LIST, ATTACH, INDEX, PACKET, METADATA, STREAMS, CREATE, DETACH = range(1, 10)
ALL = 1
SESSION_BYTES = 20 + 64 + 255


def message(number, body=b"", size=None):
    return struct.pack(">QII", len(body) if size is None else size, number, 0) + body


HELLO = message(CONNECT, struct.pack(">QIII", 0, 2, 4, 1))


class Hostile(Viewed):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.program(2, 1000, 0).wait(PATIENCE), 0)
        self.process, self.port = self.relay(self.work / "t.ctf")

    def tearDown(self):
        """Whatever was sent, the next viewer is served."""
        view = self.view(self.url(self.port, "t.ctf"))
        self.assertEqual(view.wait(PATIENCE), 0, view.errors())
        self.assert_same(view.events(), self.printed("t.ctf"))
        self.assertIsNone(self.process.poll())

    def connect(self):
        s = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self.addCleanup(s.close)
        return s

    def ask(self, s, request, size):
        """Sends a request; returns its answer of a size, or what came before the end of the connection."""
        answer = b""
        try:
            s.sendall(request)
            while len(answer) < size:
                piece = s.recv(size - len(answer))
                if not piece:
                    break
                answer += piece
        except ConnectionError:
            pass
        return answer

    def attached(self):
        s = self.connect()
        self.assertEqual(len(self.ask(s, HELLO, 20)), 20)
        self.assertEqual(self.ask(s, message(CREATE), 4), struct.pack(">I", 1))
        status, count = struct.unpack(">II", self.ask(s, message(ATTACH, struct.pack(">QQI", ALL, 0, 2)), 8))
        self.assertEqual((status, count), (1, 4))
        streams = [self.ask(s, b"", 4371) for _ in range(count)]
        return s, [struct.unpack(">QQI", t[:20]) for t in streams]

    def test_what_ends_the_connection(self):
        for sent in (b"GET / HTTP/1.1\r\nHost: relay\r\n\r\n" + b"x" * 100, message(LIST), message(0), message(77),
                     HELLO + message(0, size=2**63), message(CONNECT, b"x" * 65), message(CONNECT, struct.pack(">QIII", 0, 1, 4, 1)),
                     message(CONNECT, struct.pack(">QIII", 0, 2, 4, 7)), bytes(16), b"\xff" * 200):
            answer = self.ask(self.connect(), sent, 1000)
            self.assertIn(len(answer), (0, 20), sent)
        self.assertIn("no request of LTTng's live protocol", pathlib.Path(self.process.errors).read_text())

    def test_sizes_of_requests_do_not_count(self):
        """Trace Compass sends that of another message, as lttng-relayd reads what the command needs."""
        s = self.connect()
        self.assertEqual(len(self.ask(s, message(CONNECT, HELLO[16:], size=0), 20)), 20)
        sessions = struct.unpack(">I", self.ask(s, message(LIST, size=20), 4))[0]
        self.assertEqual(len(self.ask(s, b"", sessions * SESSION_BYTES)), sessions * SESSION_BYTES)
        self.assertEqual(self.ask(s, message(CREATE, size=2**63), 4), struct.pack(">I", 1))
        status, count = struct.unpack(">II", self.ask(s, message(ATTACH, struct.pack(">QQI", ALL, 0, 2), size=0), 8))
        self.assertEqual((status, count), (1, 4))
        for _ in range(count):
            self.ask(s, b"", 4371)
        self.assertEqual(self.ask(s, message(INDEX, struct.pack(">Q", 99), size=20), 64)[56:60], struct.pack(">I", 4))

    def test_what_is_refused(self):
        s = self.connect()
        self.assertEqual(len(self.ask(s, HELLO, 20)), 20)
        attach = [(ALL, 2, 6)]  # no session of its own yet
        for session, seek, status in attach:
            self.assertEqual(self.ask(s, message(ATTACH, struct.pack(">QQI", session, 0, seek)), 8),
                             struct.pack(">II", status, 0))
        self.ask(s, message(CREATE), 4)
        for session, seek, status in ((12345, 2, 3), (ALL, 9, 5)):
            self.assertEqual(self.ask(s, message(ATTACH, struct.pack(">QQI", session, 0, seek)), 8),
                             struct.pack(">II", status, 0))
        self.assertEqual(self.ask(s, message(INDEX, struct.pack(">Q", 99)), 64)[56:60], struct.pack(">I", 4))
        self.assertEqual(self.ask(s, message(METADATA, struct.pack(">Q", 99)), 12)[8:], struct.pack(">I", 3))
        self.assertEqual(self.ask(s, message(STREAMS, struct.pack(">Q", 99)), 8), struct.pack(">II", 3, 0))
        self.assertEqual(self.ask(s, message(DETACH, struct.pack(">Q", 99)), 4), struct.pack(">I", 2))

    def test_packets_that_are_not_there(self):
        s, streams = self.attached()
        data = [i for i, _, is_metadata in streams if not is_metadata]
        for stream in data + [0, 99, 2**64 - 1]:
            for offset, size in ((0, 1), (2**63, 8), (2**64 - 1, 2), (0, 2**32 - 1), (0, 0)):
                answer = self.ask(s, message(PACKET, struct.pack(">QQI", stream, offset, size)), 12)
                self.assertEqual(answer, struct.pack(">III", 3, 0, 0), (stream, offset, size))
        sizes = []
        for stream in data:
            index = self.ask(s, message(INDEX, struct.pack(">Q", stream)), 64)
            offset, bits, _, _, _, _, _, status = struct.unpack(">QQQQQQQI", index[:60])
            if status == 1:
                sizes.append(bits // 8)
                got = self.ask(s, message(PACKET, struct.pack(">QQI", stream, offset, bits // 8)), 12 + bits // 8)
                self.assertEqual(len(got), 12 + bits // 8)
                answer = self.ask(s, message(PACKET, struct.pack(">QQI", stream, offset + 1, bits // 8)), 12)
                self.assertEqual(answer, struct.pack(">III", 3, 0, 0))
        self.assertEqual(len(sizes), 2)

    def test_messages_in_pieces(self):
        s = self.connect()
        for byte in HELLO:
            s.sendall(bytes([byte]))
        self.assertEqual(len(self.ask(s, b"", 20)), 20)

    def test_more_viewers_than_places(self):
        """Those who say nothing lose their places soon."""
        idle = [self.connect() for _ in range(258)]
        self.assertEqual(idle[-1].recv(1), b"")
        self.wait_for(lambda: "too many" in pathlib.Path(self.process.errors).read_text())
        self.assertEqual([s.recv(1) for s in idle], [b""] * 258)

    def test_disconnects_in_the_middle(self):
        for cut in range(1, len(HELLO)):
            self.connect().sendall(HELLO[:cut])
        for _ in range(20):
            s, streams = self.attached()
            s.sendall(b"".join(message(INDEX, struct.pack(">Q", i)) for i, _, _ in streams))
            s.close()

    def test_random_conversations(self):
        seed = int(os.environ.get("SEED", random.randrange(2**32)))
        print("SEED:", seed, file=sys.stderr)
        chance = random.Random(seed)
        sizes = {CONNECT: 20, LIST: 0, ATTACH: 20, INDEX: 8, PACKET: 20, METADATA: 8, STREAMS: 8, CREATE: 0, DETACH: 8}

        def body(size):
            words = b"".join(struct.pack(">Q", chance.choice((0, 1, 2, 3, 4, 5, 2**32, 2**64 - 1))) for _ in range(9))
            return words[:size]

        def drain(s):
            try:
                while s.recv(1 << 16):
                    pass
            except OSError:
                pass

        for _ in range(300):
            s = self.connect()
            reader = threading.Thread(target=drain, args=(s,))
            reader.start()
            try:
                s.sendall(HELLO + message(CREATE))
                for _ in range(chance.randrange(40)):
                    number = chance.choice(list(sizes))
                    size = sizes[number] if chance.random() < 0.98 else chance.randrange(70)
                    s.sendall(message(number, body(size)))
                s.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            reader.join(PATIENCE)
            self.assertFalse(reader.is_alive())
            s.close()
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        peak = int(status.split("VmHWM:")[1].split()[0])
        self.assertLess(peak, 400_000, "KiB")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]], verbosity=2)
