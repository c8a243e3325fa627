"""The house as it is meant: who may import whom, and one module for each dependency."""

import ast
import functools
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IN_THE_WORKER = {
    *(
        "worker",
        "session",
        "install",
        "reach",
        "collecting",
        "replay",
        "channel",
        "calling",
        "answers",
        "children",
        "recording",
        "written",
    ),
    "reporter",
    *("plainness", "sampling", "reseed", "directly"),
    *("repeats", "replies", "images", "purity", "instructions", "surroundings", "standing", "probes", "callbook"),
    *("comparing", "drawn", "sight"),
    *(
        "sandbox.books",
        "sandbox.writing",
        "sandbox.arrays",
        "sandbox.reading",
        "sandbox.bulk",
        "sandbox.saying",
        "sandbox.many",
        "sandbox.filters",
        "sandbox.errors",
    ),  # both ends of a guest's wire
    *(
        "sandbox.strangers",
        "sandbox.outcome",
        "sandbox.exchange",
        "sandbox.apart",
        "sandbox.conversation",
        "sandbox.battery",
        "sandbox.proxy",
        "sandbox.hosting",
        "sandbox.forerunner",
        "sandbox.judging",
        "sandbox.grader",
    ),
    *("sandbox.finding", "sandbox.serving", "sandbox.guest", "sandbox.rehearsal", "sandbox.ancestor"),
    *("sandbox.suite_serving", "sandbox.suite_tape", "sandbox.suite_examiner"),
    *("sandbox.suite_guest", "sandbox.suite_pytest"),
}
"""The modules of the mutants' room that only a worker imports; all others are the parent's."""
ALONE = {
    "sqlite3": {"reports/database.py"},
    "subprocess": {
        "mutants/executors.py",
        "mutants/generated.py",
        "mutants/sandbox/launcher.py",  # a guest is nobody's worker: other walls, another end
        "mutants/sandbox/interior.py",
        "reports/benchmark_grade.py",  # it times whole commands
    },
    "distributed": {"mutants/cluster.py"},
    "coverage": {"mutants/reach.py"},
    "click": {
        f"reports/{name}.py" for name in ("cli", "cli_group", "cli_run", "cli_measure", "cli_catalog", "cli_grade")
    },
    "mutmut": {"mutants/generated.py", "mutants/mutations.py"},
    "libcst": {"mutants/mutations.py"},
    "networkx": {"reports/subsumption.py"},
    "ast": {f"mutants/{name}.py" for name in ("splice", "syntax", "anchors", "openings", "probes")},
    "tomllib": {f"mutants/{name}.py" for name in ("workload", "toml_folder", "staging")}
    | {"reports/hints.py", "reports/wheel.py"},  # what a checkout declares of itself
}


def modules(*rooms: str) -> Iterator[Path]:
    """Yield the rooms' own modules, their tests left out."""
    for room in rooms:
        for path in sorted((ROOT / room).rglob("*.py")):
            if "tests" not in path.relative_to(ROOT).parts and not path.name.startswith("test_"):
                yield path


@functools.cache
def imports(path: Path) -> set[str]:
    """Return the dotted names that a file imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def within(names: set[str], package: str) -> set[str]:
    return {name for name in names if name == package or name.startswith(f"{package}.")}


@pytest.mark.parametrize(
    ("room", "strangers"),
    [
        ("target", ("acidtest",)),
        ("properties", ("acidtest.mutants", "acidtest.reports")),
        ("mutants", ("acidtest.reports", "acidtest.properties", "tinyllm")),
        ("reports", ("acidtest.properties", "tinyllm")),
    ],
)
def test_a_room_imports_only_from_rooms_below(room: str, strangers: tuple[str, ...]) -> None:
    for path in modules(room):
        for stranger in strangers:
            assert not within(imports(path), stranger), f"{path.relative_to(ROOT)} imports {stranger}"


def test_only_the_worker_imports_what_runs_tests() -> None:
    for path in modules("mutants", "reports"):
        if ".".join(path.relative_to(ROOT).with_suffix("").parts[1:]) in IN_THE_WORKER:
            continue
        for package in ("numpy", "pytest", "hypothesis"):
            assert not within(imports(path), package), f"{path.relative_to(ROOT)} imports {package}"
        for name in IN_THE_WORKER:
            assert not within(imports(path), f"acidtest.mutants.{name}"), f"{path.relative_to(ROOT)} imports {name}"


@pytest.mark.parametrize("dependency", ALONE)
def test_a_dependency_has_one_place(dependency: str) -> None:
    places = {
        str(path.relative_to(ROOT)) for path in modules("mutants", "reports") if within(imports(path), dependency)
    }
    assert places <= ALONE[dependency]


def test_the_command_line_starts_without_target_tests_or_numpy() -> None:
    code = (
        "import sys, acidtest.reports.cli\n"
        "heavy = {'numpy', 'scipy', 'pytest', 'hypothesis', 'tinyllm', 'acidtest.properties', 'networkx'}\n"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def test_nothing_but_the_rooms_lies_at_the_top() -> None:
    command = ["git", "-C", str(ROOT), "ls-files", "--cached"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    tops = {line.split("/")[0] for line in result.stdout.splitlines()}
    visible = {top for top in tops if not top.startswith(".")}
    assert visible == {"target", "properties", "mutants", "reports", "pyproject.toml", "README.md"}


def test_every_room_has_a_page_to_read_first() -> None:
    for room in ("target", "properties", "mutants", "reports"):
        assert (ROOT / room / "README.md").read_text("utf-8").startswith("# ")


def test_a_grader_imports_nothing_that_only_a_baseline_needs() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", "import sys, acidtest.mutants.session; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not {"coverage", "acidtest.mutants.repeats", "acidtest.mutants.purity"} & {*done.stdout.split()}
