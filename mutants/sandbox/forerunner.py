"""The guest that a grader keeps ready: it proves the tier, and lends each submission a zygote of its own.

The first one is started while the tests are still to be collected. A trial guest of the launcher's would prove no more
and be thrown away; this one goes on to hold submissions, one after another, as long as it can be proved that nothing is
left of the one before. Where a guest has no namespace of processes to itself, that cannot be proved, and each
submission gets a guest.
"""

import socket

from acidtest.mutants.sandbox import launcher
from acidtest.mutants.sandbox.faults import Fault
from acidtest.mutants.sandbox.hosting import FILES, GuestProcess, Host
from acidtest.mutants.sandbox.launcher import GuestLimits, LaunchError, Tier


class Lodging:
    """What a submission is lent of a guest.

    Attributes:
        control: the line to its zygote.
    """

    def __init__(self, control: socket.socket) -> None:
        self.control = control

    def poll(self) -> int | None:
        """Return None: how a zygote ended is known to the guest alone."""
        return None

    def close(self) -> None:
        """Hang up. Whether the zygote listens or not, it is ended before the next submission comes."""
        self.control.close()


class Forerunner:
    """A guest of the first tier, if one can be started.

    Args:
        slot, limits: as for ``launcher.launch``.
        tier: the only tier that may be taken, which then needs no proof; None: the first that holds.
    """

    def __init__(self, slot: int, limits: GuestLimits, tier: Tier | None = None) -> None:
        self._slot = slot
        self._limits = limits
        self._tier = tier
        self._guest: launcher.GuestProcess | None = None
        self._lodging: Lodging | None = None
        if tier is None:
            try:
                self._guest = launcher.begin(Tier.BUBBLEWRAP, slot, limits, FILES)
            except LaunchError:
                return  # `settle` says why, after it has tried once more

    def settle(self) -> Tier:
        """Return the tier to judge in: the guest's, where all of its walls stand and a fork could raise the last ones.

        Raises:
            NoTierError: none holds. LaunchError: what every guest needs cannot be had.
        """
        if self._guest is not None:
            try:
                self._guest.stand()
                if not Host(self._guest).try_walls():
                    self._tier = Tier.BUBBLEWRAP
                    return self._tier
            except (LaunchError, Fault):
                pass  # as above
            self.close()
        if self._tier is None:
            self._tier = launcher.choose_tier()
        launcher.prepare(self._tier, FILES)
        return self._tier

    def open(self, limits: GuestLimits) -> None:
        """Make a zygote ready for the next submission: in the guest that there is, or else in a new one.

        Where that fails nothing is ready, and whoever launches a guest for the submission will hear why.
        """
        if self._tier is not Tier.BUBBLEWRAP:
            return
        if limits != self._limits:
            self.close()
        try:
            if self._guest is None:
                self._guest = launcher.launch(Tier.BUBBLEWRAP, self._slot, limits, FILES)
                self._limits = limits
            self._lodging = Lodging(Host(self._guest).open())
        except (LaunchError, Fault):
            self.close()

    def guest(self, limits: GuestLimits) -> GuestProcess | None:
        """Return what was made ready; None where nothing was, or not with these limits."""
        return self._lodging if limits == self._limits else None

    def clear(self) -> None:
        """End all that the last submission may have left in the guest; or the guest, if that cannot be proved."""
        if self._lodging is not None:
            self._lodging.close()
            self._lodging = None
        if self._guest is not None:
            try:
                cleared = Host(self._guest).clear()
            except Fault:
                cleared = False
            if not cleared:
                self.close()

    def close(self) -> None:
        """End the guest, if there is one."""
        if self._lodging is not None:
            self._lodging.close()
            self._lodging = None
        if self._guest is not None:
            self._guest.close()
            self._guest = None
