"""Runs a command on a machine that refuses namespaces, as most containers do, or Landlock, as old kernels do.

python refusing.py namespaces,landlock COMMAND...    a filter of system calls stands in for the machine
"""

import os
import sys

from acidtest.mutants.sandbox import kernel, syscalls
from acidtest.mutants.sandbox.seccomp import ALLOW, REFUSE, UNKNOWN, Rule, install, machine, program


def refuse(what: set[str]) -> None:
    """Refuse the calls for good, to this process and all that it starts."""
    name = machine()
    rules = []
    if "namespaces" in what:
        calls = syscalls.numbers(syscalls.KERNEL, name)
        rules += [Rule(calls[call], REFUSE) for call in ("unshare", "setns", "mount", "umount2", "pivot_root")]
        starting = syscalls.numbers(syscalls.STARTING, name)
        rules += [Rule(starting["clone"], REFUSE, argument=0, bits=0x7E020000), Rule(starting["clone3"], UNKNOWN)]
    if "landlock" in what:
        rules += [Rule(number, UNKNOWN) for number in (444, 445, 446)]
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    install(program(name, rules, ALLOW))


if __name__ == "__main__":
    refuse(set(sys.argv[1].split(",")))
    os.execv(sys.argv[2], sys.argv[2:])
