"""What ends a conversation with a guest: each a ``BaseException``, so that no test can take it for an answer."""


class Fault(BaseException):
    """The guest gave no answer, and will be asked nothing more.

    Attributes:
        outcome: what a test that met it has come to: ``crashed``, ``timed_out`` or ``undecided``.
        reason: what happened, one line.
    """

    outcome = "crashed"

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class ProtocolFault(Fault):
    """What came over the wire is no frame, or says what the protocol does not have."""


class TooLargeFault(ProtocolFault):
    """What came over the wire is larger than anything that was asked for."""


class DeadlineFault(Fault):
    """An answer, or the whole test, took longer than it may."""

    outcome = "timed_out"


class EndedFault(Fault):
    """The guest's process is gone."""


class ExitFault(Fault):
    """The submission raised what is no ``Exception``, such as ``SystemExit``: it asked for the end of its process."""


class UnsendableFault(Fault):
    """A value, or what became of an argument, has no form on the wire. On our side it says nothing of the guest."""

    outcome = "undecided"
