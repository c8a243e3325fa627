"""The first guest of a grader, started while the tests are still to be collected: that it stands proves its tier.

A trial guest of the launcher's would prove no more and be thrown away; this one goes on to hold the first submission.
"""

from acidtest.mutants.sandbox import launcher
from acidtest.mutants.sandbox.faults import Fault
from acidtest.mutants.sandbox.hosting import FILES, Host
from acidtest.mutants.sandbox.launcher import GuestLimits, GuestProcess, LaunchError, Tier


class Forerunner:
    """A guest of the first tier, if one can be started.

    Args:
        slot, limits: as for ``launcher.launch``.
        tier: the only tier that may be taken, which then needs no proof; None: the first that holds.
    """

    def __init__(self, slot: int, limits: GuestLimits, tier: Tier | None = None) -> None:
        self._limits = limits
        self._tier = tier
        self._guest: GuestProcess | None = None
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
                    return Tier.BUBBLEWRAP
            except (LaunchError, Fault):
                pass  # as above
            self.close()
        tier = launcher.choose_tier() if self._tier is None else self._tier
        launcher.prepare(tier, FILES)
        return tier

    def guest(self, limits: GuestLimits) -> GuestProcess | None:
        """Return the guest, which is in use from then on; None where there is none, or it has other limits."""
        return self._guest if limits == self._limits else None

    def close(self) -> None:
        """End the guest, if there is one; whoever it was given to may have done so."""
        if self._guest is not None:
            self._guest.close()
            self._guest = None
