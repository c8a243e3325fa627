#!/usr/bin/env bash
# Run for every submission. What is printed here is for the staff; learners see what results.json says.
# A fault of the grader leaves no results.json: Gradescope then reports an error, and gives no score.
set -uo pipefail
root=${AUTOGRADER:-/autograder}
results=$root/results/results.json
mapfile -t options <"$root/source/options"
mkdir -p "$root/results"
rm -f "$results"
cd "$root"

# Each attempt adds a hint. One that failed by no fault of the learner's does not count.
attempt=$("$root/acidtest/bin/python" -I - "$root/submission_metadata.json" <<'PYTHON'
import json
import sys

try:
    with open(sys.argv[1], encoding="utf-8") as file:
        earlier = json.load(file)["previous_submissions"]
    print(1 + sum(not one.get("autograder_error") for one in earlier))
except (OSError, ValueError, LookupError, TypeError, AttributeError):
    print(1)
PYTHON
)

"$root/acidtest/bin/acidtest" grade "$root/submission" --one --attempt "${attempt:-1}" --state "$root/state" \
  --json - --gradescope "$results" "${options[@]}"
code=$?
case $code in
  0 | 1 | 3 | 4) exit 0 ;;
  *) rm -f "$results"; echo "acidtest gave no score: exit code $code" >&2; exit 1 ;;
esac
