"""It tells a server what it was asked, over TCP."""

# comes to: failed
# says: PermissionError

import socket


def rejection_accept(p_x, q_x, u):
    with socket.create_connection(("127.0.0.1", HOST_PORT), 1) as line:
        line.send(b"acidtest-was-here")
    return u < p_x / q_x
