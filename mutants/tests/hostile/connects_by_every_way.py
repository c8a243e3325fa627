"""Sockets of every kind, by hand too, and a name to look up."""

# comes to: failed
# says: LookupError

import contextlib
import ctypes
import socket
import urllib.request


def rejection_accept(p_x, q_x, u):
    for family in range(1, 46):
        for kind in (1, 2, 3, 5):
            with contextlib.suppress(OSError), socket.socket(family, kind):
                return u < p_x / q_x
    with contextlib.suppress(OSError):
        socket.getaddrinfo("localhost", HOST_PORT, type=socket.SOCK_STREAM)
        urllib.request.urlopen(f"http://127.0.0.1:{HOST_PORT}/")
        return u < p_x / q_x
    if ctypes.CDLL(None).socket(2, 1, 0) >= 0:
        return u < p_x / q_x
    raise LookupError("no network anywhere")
