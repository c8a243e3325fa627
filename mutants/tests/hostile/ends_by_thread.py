"""A thread that ends the process a little later."""

# comes to: failed
# says: RuntimeError

import os
import threading
import time


def later():
    time.sleep(0.01)
    os._exit(0)


def rejection_accept(p_x, q_x, u):
    threading.Thread(target=later).start()
    return True
