"""Conversations with a submission that does whatever it is told."""

from pathlib import Path
from typing import Any

import pytest

from acidtest.mutants.sandbox.conversation import Conversation
from acidtest.mutants.sandbox.hosting import FILES, Host
from acidtest.mutants.sandbox.launcher import GuestLimits, Tier, launch
from acidtest.mutants.sandbox.proxy import Proxies, parts_of
from acidtest.mutants.sandbox.subject import CHAPTER

TARGET = Path(__file__).parents[2] / "target" / "tinyllm" / "prob"
REFERENCE = {name: (TARGET / f"{name.rpartition('.')[2]}.py").read_text("utf-8") for name in CHAPTER.beside}
FUNCTIONS = Proxies(CHAPTER).functions
ANYTHING = '''
"""Does whatever it is told: the first argument is the text of a function, which is called on the others."""
import array, gc, os, signal, sys, threading, time, warnings
import numpy as np
from tinyllm.prob import categorical, uniforms


class ZeroResidualError(ArithmeticError):
    pass


class Mine(ZeroResidualError, KeyError):
    pass


class Odd(Exception):
    pass


class Thing:
    def __eq__(self, other):
        return True


def wire():
    """Return the descriptor of the one socket there is."""
    for number in range(3, 200):
        try:
            if os.readlink(f"/proc/self/fd/{number}").startswith("socket"):
                return number
        except OSError:
            pass


def throw(error):
    raise error


def refusal(value):
    try:
        np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        return type(error).__name__
    return "none"


def catching(work):
    try:
        work()
    except Exception as error:
        return type(error).__name__


kept = {}


def rejection_accept(text, *args, **named):
    return eval(text, globals())(*args, **named)


acceptance_probability = residual_distribution = speculative_step = rejection_sample = rejection_accept
'''


def host_of(source: str, **beside: str) -> Host:
    """Return a guest that holds a submission, without walls: they are tried elsewhere."""
    host = Host(launch(Tier.UNSAFE, 0, GuestLimits(), FILES))
    files = {f"{name}.py": text.encode() for name, text in {"rejection": source, **beside}.items()}
    host.load(CHAPTER, FUNCTIONS, REFERENCE, parts_of(CHAPTER, files, bool(beside)))
    return host


class Talk:
    """A conversation that is asked by texts of functions."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.there = conversation.hello()

    def __call__(self, text: str, *args: Any, **named: Any) -> Any:
        return self.conversation.call(0, (text, *args), named)


def frames_sent(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the headers of the frames that go out from here on, as they do."""
    sent: list[str] = []
    send = talk.conversation._line.send

    def noted(header: str, raw: bytes = b"") -> None:
        sent.append(header)
        send(header, raw)

    monkeypatch.setattr(talk.conversation._line, "send", noted)
    return sent
