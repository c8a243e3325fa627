#!/usr/bin/env bash
# Run once, when Gradescope builds the autograder's image: installs acidtest from the wheel beside this file.
# Where there is a folder of wheels, nothing is asked of the network; else pip fetches what acidtest needs.
set -euo pipefail
root=${AUTOGRADER:-/autograder}
source=$root/source

find_python() {
  local name
  for name in python3.14 python3.13 python3.12 python3.11 python3; do
    if command -v "$name" >/dev/null && "$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$name"
      return
    fi
  done
  return 1
}

if ! python=$(find_python); then
  apt-get update
  apt-get install -y --no-install-recommends python3.11 python3.11-venv || apt-get install -y --no-install-recommends python3 python3-venv
  python=$(find_python) || { echo "acidtest needs Python 3.11 or later with venv; choose a newer base image" >&2; exit 1; }
fi

"$python" -m venv "$root/acidtest"
wheel=$(echo "$source"/acidtest-*.whl)
if [ -d "$source/wheels" ]; then
  "$root/acidtest/bin/pip" install --no-index --find-links "$source/wheels" "$wheel"
else
  "$root/acidtest/bin/pip" install "$wheel"
fi

# What is the same for every submission is computed now. Nothing here decides whether a sandbox holds where it runs.
cd "$root"
"$root/acidtest/bin/acidtest" doctor || true
start=$("$root/acidtest/bin/python" -c 'import acidtest.target.start as start; print(next(iter(start.__path__)))')
"$root/acidtest/bin/acidtest" grade "$start/rejection.py" --one --state "$root/state" >/dev/null || true
