"""The modules that tests import in place of the submission's: every function of theirs asks the guest.

``from tinyllm.prob import rejection`` gives a module of functions that forward their calls to the conversation at hand.
The modules beside it are the reference's own, until a submission is judged that brings its own.

What a test sees is what it would see in process, but for this, none of which the contract speaks of: a NaN loses its
payload; an object of a class that the wire does not know arrives with its class's name and with ``random``,
``__index__``, ``__float__`` and the like of its methods, and a value of a subclass with the name alone; arrays are the
same objects at every call, lists only within one; what a source of uniforms does to the arguments while it is asked is
seen after the call; ``np.errstate`` stays here; the functions have no signature and no source. Where an argument was
changed so that the wire cannot tell it (an array reshaped in place, one list put into another), or an answer is far
larger than a right one could be, the conversation ends in a fault.
"""

import importlib
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from acidtest.mutants.sandbox.conversation import Conversation
from acidtest.mutants.sandbox.subject import Subject


class Proxies:
    """Puts the proxy module in place and connects it to one conversation after another.

    Args:
        subject: what stands behind the proxy.

    Attributes:
        functions: what a conversation is asked for by number: (module, name).
    """

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._conversation: Conversation | None = None
        self._module = types.ModuleType(subject.module, "Answers for the submission that is judged.")
        self._module.__package__ = subject.package
        self.functions: list[tuple[str, str]] = [(subject.module, name) for name in subject.functions]
        self.functions += [(module, name) for module, names in subject.beside.items() for name in names]
        self._forwarders = [self._forwarder(number, name) for number, (_, name) in enumerate(self.functions)]
        self._kept: list[tuple[types.ModuleType, str, object]] = []

    def install(self) -> None:
        """Make the proxy what an import of the module gives. The module itself must not have been imported.

        Raises:
            RuntimeError: it was, so that a test may hold the reference.
        """
        name = self._subject.module
        if name in sys.modules:
            raise RuntimeError(f"{name} is already imported in the process that judges submissions")
        sys.modules[name] = self._module
        setattr(importlib.import_module(self._subject.package), name.rpartition(".")[2], self._module)

    def connect(self, conversation: Conversation, there: list[bool], brought: frozenset[str] = frozenset()) -> None:
        """Let the functions ask ``conversation`` until ``disconnect``.

        Args:
            there: which of ``functions`` the submission has.
            brought: modules beside the one under test that are the submission's own.
        """
        self.disconnect()
        self._conversation = conversation
        for (home, name), forwarder, has in zip(self.functions, self._forwarders, there, strict=True):
            if home == self._subject.module:
                self._set(self._module, name, forwarder if has else _NOTHING)
            elif home in brought:
                self._set(importlib.import_module(home), name, forwarder if has else _NOTHING)
        for name in self._subject.promises:
            self._set(self._module, name, conversation.own.get(name, _NOTHING))

    def disconnect(self) -> None:
        """Take back what ``connect`` did."""
        for module, name, before in reversed(self._kept):
            _put(module, name, before)
        self._kept.clear()
        self._conversation = None

    def _set(self, module: types.ModuleType, name: str, value: object) -> None:
        self._kept.append((module, name, getattr(module, name, _NOTHING)))
        _put(module, name, value)

    def _forwarder(self, number: int, name: str) -> Callable[..., Any]:
        def conversation() -> Conversation:
            if self._conversation is None:
                raise RuntimeError(f"{name} is called although no submission is being judged")
            return self._conversation

        def forward(*args: Any, **named: Any) -> Any:
            return conversation().call(number, args, named)

        def in_bulk(calls: Iterable[Sequence[Any]]) -> list[Any]:
            return conversation().call_each(number, calls)

        def ahead(calls: Iterable[Sequence[Any]]) -> list[Any] | None:
            return conversation().call_ahead(number, calls)

        forward.__name__ = forward.__qualname__ = name
        forward.__dict__.update(in_bulk=in_bulk, ahead=ahead, number=number)
        return forward


_NOTHING = object()


def _put(module: types.ModuleType, name: str, value: object) -> None:
    if value is not _NOTHING:
        setattr(module, name, value)
    elif hasattr(module, name):
        delattr(module, name)


def missing(subject: Subject, functions: list[tuple[str, str]], there: list[bool]) -> list[str]:
    """Return the functions of the module under test that a submission lacks."""
    return [name for (home, name), has in zip(functions, there, strict=True) if home == subject.module and not has]


def parts_of(subject: Subject, submission: Mapping[str, bytes], own_deps: bool) -> dict[str, bytes]:
    """Return the submission's modules by full name: the one under test, and those beside it where they count.

    Args:
        submission: the files by name, such as ``rejection.py``.

    Raises:
        KeyError: the file of the module under test is not among them.
    """
    parts = {subject.module: submission[subject.file(subject.module)]}
    for module in subject.beside if own_deps else ():
        if subject.file(module) in submission:
            parts[module] = submission[subject.file(module)]
    return parts
