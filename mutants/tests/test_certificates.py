"""Certificates: found by the change alone, held for one D alone, and every fault of their files told in a line."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from acidtest.mutants import certificates as module
from acidtest.mutants.certificates import (
    Certificate,
    CertificateError,
    certificate_of,
    certified,
    change_of,
    domain_today,
    folder_of,
    load_certificates,
    read_certificates,
    write_certificates,
)
from acidtest.mutants.generated import generated
from acidtest.mutants.model import Variant
from acidtest.mutants.tests import tiny
from acidtest.mutants.workload import Workload, embedded

ONE = """
module = "box"
function = "clamp"

[[equal]]
change = "0123456789abcdef"
diff = "- a"
reason = "No call tells the two apart."
domain = "fixed"
"""


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workload, tuple[Variant, ...]]:
    folder = tmp_path_factory.mktemp("box")
    tiny.project(folder)
    workload = tiny.workload(folder, calls=str(folder / "calls.py"))
    return workload, generated(workload, folder / "state")


def clamp(variants: Sequence[Variant]) -> Variant:
    return next(variant for variant in variants if variant.id == "box.clamp.1")


def test_the_change_is_known_again_whatever_else_the_module_says(
    box: tuple[Workload, tuple[Variant, ...]],
) -> None:
    workload, variants = box
    source = workload.read("box")
    variant = clamp(variants)
    change = change_of(source, variant)
    moved = "# a line more\n" + source.replace("LIMIT = 10", "LIMIT = 11")
    elsewhere = replace(variant, source="# a line more\n" + variant.source.replace("LIMIT = 10", "LIMIT = 11"))
    assert change_of(moved, elsewhere) == change
    reworded = source.replace("at least low and at most high", "within")
    laid_out = variant.source.replace("at least low and at most high", "within").replace("<=", " <=  ")
    assert change_of(reworded, replace(variant, source=laid_out)) == change


def test_another_function_around_the_same_edit_is_another_change(box: tuple[Workload, tuple[Variant, ...]]) -> None:
    workload, variants = box
    source = workload.read("box")
    variant = clamp(variants)
    other = source.replace("return high", "return high - 0")
    edited = replace(variant, source=variant.source.replace("return high", "return high - 0"))
    assert change_of(other, edited) != change_of(source, variant)
    assert len({change_of(source, one) for one in variants}) == len(variants)


def test_what_is_written_is_read_back(box: tuple[Workload, tuple[Variant, ...]], tmp_path: Path) -> None:
    workload, variants = box
    source = workload.read("box")
    made = [
        certificate_of(source, variant, f'It says "{number}" \\ and more: \u00e9.', "fixed", message=number % 2 == 0)
        for number, variant in enumerate(variants)
    ]
    written = write_certificates(tmp_path / "equivalent", made)
    assert [path.name for path in written] == ["box_clamp.toml", "box_scale.toml"]
    assert load_certificates(tmp_path / "equivalent") == tuple(made)
    assert made[0].diff == "-    if value < low:\n+    if value <= low:"


def test_a_certificate_for_another_domain_is_not_used(box: tuple[Workload, tuple[Variant, ...]]) -> None:
    workload, variants = box
    sources = {"box": workload.read("box")}
    one = certificate_of(sources["box"], clamp(variants), "They agree.", "fixed")
    assert certified(variants, sources, [one], "fixed") == {"box.clamp.1": one}
    assert certified(variants, sources, [one], "another") == {}
    assert certified(variants, sources, [replace(one, change="0" * 16)], "fixed") == {}


def test_no_folder_means_no_certificates(tmp_path: Path) -> None:
    assert read_certificates(tmp_path / "equivalent") == ((), [])
    assert folder_of(tiny.workload(tmp_path)) == tmp_path / "equivalent"


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("box_clamp.toml", "module = ", "box_clamp.toml: not TOML: "),
        ("notes.txt", "", "notes.txt: no certificates; only .toml files belong in equivalent/"),
        ("clamp.toml", ONE, "clamp.toml: is about clamp of box; rename the file to box_clamp.toml"),
        ("box_clamp.toml", ONE + ONE[ONE.index("[[") :], "box_clamp.toml: 0123456789abcdef stands there twice"),
        ("box_clamp.toml", ONE.replace("reason", "because"), "[[equal]] 1: no key 'because' here"),
        ("box_clamp.toml", ONE.replace('"fixed"', '""'), "[[equal]] 1: domain = '' must be a text"),
        ("box_clamp.toml", ONE.replace("0123", "xyz"), "must be 16 hexadecimal digits"),
        ("box_clamp.toml", ONE + "message = 1\n", "[[equal]] 1: message = 1 must be true or false"),
        ("box_clamp.toml", ONE.replace("[[equal]]", "[equal]"), "box_clamp.toml: no [[equal]]; write one"),
        ("box_clamp.toml", 'module = "box"\n', "module and function must both be there"),
        (
            "box_clamp.toml",
            "extra = 1\n" + ONE,
            "box_clamp.toml: no key 'extra' here; it takes module, function, equal",
        ),
    ],
)
def test_every_fault_is_one_line(tmp_path: Path, name: str, text: str, line: str) -> None:
    folder = tmp_path / "equivalent"
    folder.mkdir()
    (folder / name).write_text(text)
    (folder / "box_scale.toml").write_text(ONE.replace("clamp", "scale"))
    found, problems = read_certificates(folder)
    assert any(line in problem for problem in problems), problems
    assert any(certificate.function == "scale" for certificate in found)
    with pytest.raises(CertificateError):
        load_certificates(folder)


def test_the_hash_of_the_domain_is_asked_for_once(
    box: tuple[Workload, tuple[Variant, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workload, _ = box
    assert domain_today(workload, tmp_path) == "fixed"
    monkeypatch.setattr(module, "domain_hash", lambda workload, fork=True: pytest.fail("it is known"))
    assert domain_today(workload, tmp_path) == "fixed"
    calls = Path(workload.calls or "")
    calls.write_text(calls.read_text() + "\n# changed\n")
    monkeypatch.setattr(module, "domain_hash", lambda workload, fork=True: "new")
    assert domain_today(workload, tmp_path) == "new"


def test_the_certificates_that_ship_can_be_read_and_each_is_for_a_mutant_that_there_is(tmp_path: Path) -> None:
    workload = embedded()
    certificates = load_certificates(folder_of(workload))
    sources = {name: workload.read(name) for name in workload.modules}
    variants = generated(workload, tmp_path)
    changes = {change_of(sources[variant.module], variant): variant for variant in variants}
    for certificate in certificates:
        variant = changes.get(certificate.change)
        assert variant is not None, f"{certificate.function}: no mutant with the change {certificate.change}; remove it"
        again = certificate_of(sources[variant.module], variant, certificate.reason, certificate.domain)
        assert replace(certificate, message=False) == again


def test_a_certificate_is_plain_data() -> None:
    one = Certificate("box", "clamp", "0" * 16, "- a", "They agree.", "fixed")
    assert hash(one) == hash(replace(one))
