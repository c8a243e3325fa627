"""A conversation with nobody, held before there is any submission: what it leaves behind is that it was held.

Python counts and rewrites what it runs the first few times. What is rewritten before the guest forks need not be in
every fork, nor the memory that it lies in be copied there.
"""

import contextlib
import random
import socket
import warnings
from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from acidtest.mutants.sandbox.serving import Server
from acidtest.mutants.sandbox.wire import PREFIX

_ROUNDS = 9
"""One more than Python runs a function before it rewrites it."""
_PATTERNS = '["error",null,"builtins.Warning",null,0],["default",null,"builtins.DeprecationWarning","__main__",0]'
_HALVES = np.full(8, 0.5).tobytes()
_FRAMES = (
    (f"[0,[0.5,0.25],[],[],[],[{_PATTERNS}]]", b""),
    ("[0,[0.5,0.25]]", b""),
    ('[0,[["v",4],["v",4]]]', _HALVES),
    ('[0,[["k",0],["k",1],1]]', b""),
    ("[1,[true,null]]", b""),
    ('["*",2,8,[["=",["k",0]],["f"],["n",1,2,3,4,5,6,7,8]]]', _HALVES),
    ('[0,[["v",4],["v",4]],[],[],[0,1],null]', _HALVES),
)


class _OverError(Exception):
    """There are no more frames."""


class _Script:
    """The end of a line at which frames come that were written down beforehand, and nobody hears the answers."""

    def __init__(self, frames: Iterable[tuple[str, bytes]]) -> None:
        self._frames = iter(frames)

    def recv(self, _: int) -> bytes:
        """Return the next frame."""
        for header, raw in self._frames:
            return PREFIX.pack(len(header), len(raw)) + header.encode("ascii") + raw
        raise _OverError

    def send(self, frame: bytes) -> int:
        """Take a frame."""
        return len(frame)


def first(*args: Any) -> Any:
    """Return the first argument."""
    return args[0]


def refuse(*_: Any) -> None:
    """Refuse all arguments.

    Raises:
        ValueError: always.
    """
    raise ValueError("not these")


def pair(*args: Any) -> tuple[Any, bool]:
    """Return the last argument and that it is the last."""
    return args[-1], True


def rehearse() -> None:
    """Serve a few calls of these functions, as a fork would."""
    functions = [(__name__, function.__name__) for function in (first, refuse, pair)]
    for _ in range(_ROUNDS):
        random.seed(0)
        np.random.seed(0)
        end = cast("socket.socket", _Script(_FRAMES))
        with warnings.catch_warnings(), contextlib.suppress(_OverError):
            Server(end, functions, __name__, []).run()
