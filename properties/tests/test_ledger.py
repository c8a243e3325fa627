"""The ledger's numbers are those of the tests themselves, and its law is the chapter's theorem."""

import json

import pytest

from acidtest.properties import critical, ledger, test_step
from tinyllm.prob import rejection


def test_the_ledger_says_what_the_test_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = ledger.LEDGER["test_speculative_chi_square"]
    pairs: dict[tuple[tuple[float, ...], tuple[float, ...]], int] = {}
    limits: list[tuple[float, int]] = []
    step = rejection.speculative_step

    def recorded(p: list[float], q: list[float], x: int, *uniforms: float) -> object:
        pair = (tuple(map(float, p)), tuple(map(float, q)))
        pairs[pair] = pairs.get(pair, 0) + 1
        return step(p, q, x, *uniforms)

    def limit(false_alarms: float, freedom: int) -> float:
        limits.append((false_alarms, freedom))
        return critical.chi_square_limit(false_alarms, freedom)

    monkeypatch.setattr(rejection, "speculative_step", recorded)
    monkeypatch.setattr(test_step, "chi_square_limit", limit)
    test_step.test_speculative_chi_square()
    assert pairs == {(entry.p, entry.q): entry.draws}
    assert limits == [(entry.false_alarms, len(entry.p) - 1)]


def test_the_law_of_the_reference_is_p_and_that_of_a_bent_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    (name,) = ledger.LEDGER
    expected = json.loads(ledger.promises())[name][2]
    assert json.loads(ledger.law(name)) == pytest.approx(expected, abs=1e-14)
    monkeypatch.setattr(rejection, "speculative_step", lambda p, q, x, u, v: (x, True))
    assert json.loads(ledger.law(name)) == pytest.approx(list(ledger.LEDGER[name].q), abs=1e-14)
