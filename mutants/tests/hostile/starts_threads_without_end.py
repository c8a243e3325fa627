"""A bomb of threads that wait."""

# comes to: failed
# says: RuntimeError

import threading


def rejection_accept(p_x, q_x, u):
    while True:
        threading.Thread(target=threading.Event().wait).start()
