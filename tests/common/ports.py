# SPDX-License-Identifier: MIT
"""Finds ports of this host for servers that tests start."""
import socket


def free_port():
    """Returns a port at which nothing listens now."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
