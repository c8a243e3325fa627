"""A read from address 0."""

# comes to: stopped
# says: the guest was killed: SIGSEGV

import ctypes


def rejection_accept(p_x, q_x, u):
    return ctypes.string_at(0) == b""
