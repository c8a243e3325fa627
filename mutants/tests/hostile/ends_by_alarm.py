"""An alarm clock that nobody listens to, and then a wait for it."""

# comes to: stopped
# says: the guest was killed: SIGALRM

import signal


def rejection_accept(p_x, q_x, u):
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    signal.pause()
