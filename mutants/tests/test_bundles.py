"""What is sent to a cluster: a workload's files as plain data, which a worker makes the same workload of."""

import dataclasses
from pathlib import Path

import pytest

from acidtest.mutants.bundles import BundleError, bundle_of, unpacked
from acidtest.mutants.sandbox.desk import DeskError
from acidtest.mutants.workload import embedded

PLAIN = (bool, int, float, str, bytes, type(None))


def is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_plain(item) for key, item in value.items())
    return all(map(is_plain, value)) if isinstance(value, list) else type(value) in PLAIN


def test_a_bundle_is_plain_data_named_by_what_is_in_it() -> None:
    bundle = bundle_of(embedded())
    assert is_plain(bundle)
    assert bundle_of(embedded()) == bundle
    assert "target/tinyllm/prob/rejection.py" in bundle["files"]
    assert "properties/test_accept.py" in bundle["files"]
    assert not any("__pycache__" in name for name in bundle["files"])


def test_a_worker_makes_the_same_workload_of_it(tmp_path: Path) -> None:
    workload = unpacked(bundle_of(embedded()), tmp_path)
    assert workload.read("tinyllm.prob.rejection") == embedded().read("tinyllm.prob.rejection")
    assert [path.relative_to(tmp_path) for path in workload.tests] == [
        path.relative_to(embedded().root) for path in embedded().tests
    ]
    assert (workload.calls, workload.embedded) == (embedded().calls, True)


def test_a_worker_with_another_acidtest_refuses(tmp_path: Path) -> None:
    with pytest.raises(DeskError, match="a worker has another acidtest"):
        unpacked({**bundle_of(embedded()), "acidtest": "another"}, tmp_path)


def test_a_workload_in_several_places_is_refused(tmp_path: Path) -> None:
    test = tmp_path / "test_elsewhere.py"
    test.write_text("", "utf-8")
    with pytest.raises(BundleError, match="lies outside"):
        bundle_of(dataclasses.replace(embedded(), tests=(test,)))
