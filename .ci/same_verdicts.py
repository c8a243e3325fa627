"""Compare two reports of the main job, from two Pythons: the same mutants, each with the same verdict."""

import json
import sys
from pathlib import Path


def verdicts(path: str) -> dict[str, str]:
    """Return each mutant's verdict in a report."""
    document = json.loads(Path(path).read_text())
    return {mutant["id"]: f"{mutant['status']}, {mutant['grade']}" for mutant in document["mutants"]}


first, second = map(verdicts, sys.argv[1:])
differing = sorted(name for name in first.keys() | second.keys() if first.get(name) != second.get(name))
if differing or not first:
    sys.exit(f"verdicts differ between {sys.argv[1]} and {sys.argv[2]}: {', '.join(differing) or 'there are none'}")
print(f"{len(first)} verdicts, the same on both")
