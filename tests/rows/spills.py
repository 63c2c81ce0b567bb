#!/usr/bin/env python3
"""List the kernels of the rows that have registers in memory.

usage: spills.py CETANE [REGEX] [--jobs=N]

Compiles the programs of table.py in all types and at all sizes that are measured, or
those whose names, such as softmax/bf16, REGEX finds, and prints each kernel that ptxas
gives a stack or spills. Exits with 1 if there is one, with 77 without ptxas.
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import program
import table

SKIPPED = 77
WORDS = "stack_bytes spill_store_bytes spill_load_bytes".split()


def usage(cetane, case, folder):
    """What the kernels of "case" have: name and bytes of each kind; or a message."""
    base = os.path.join(folder, case.stem)
    with open(base + ".dsl", "w") as f:
        f.write(case.text)
    said = subprocess.run([cetane, "build", base + ".dsl", "--emit=object",
                           "--arch=sm_90a", "-o", base + ".o",
                           *case.defines()], capture_output=True, text=True)
    if said.returncode:
        return said.stderr
    os.remove(base + ".o")
    with open(base + ".json") as f:
        image = json.load(f)["images"][0]
    return [(k["name"], [k[w] for w in WORDS]) for k in image["kernels"]]


def cases(pattern):
    for name, row in table.ROWS.items():
        for kind, *values in row.sizes:
            if re.search(pattern, "%s/%s" % (name, kind)):
                yield program.Case(name, kind, values)


def main():
    words = [a for a in sys.argv[1:] if a[0] != "-"]
    jobs = [int(a[7:]) for a in sys.argv if a.startswith("--jobs=")]
    if not shutil.which("ptxas"):
        print("there is no ptxas")
        return SKIPPED
    todo = list(cases(words[1] if len(words) > 1 else ""))
    found = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(
                jobs[0] if jobs else len(os.sched_getaffinity(0))) as pool:
        for kernels in pool.map(lambda c: usage(os.path.abspath(words[0]), c,
                                                folder), todo):
            if isinstance(kernels, str):
                print(kernels, end="")
                found += 1
                continue
            for name, sizes in kernels:
                if any(sizes):
                    found += 1
                    print("%s: %s" % (name, ", ".join(
                        "%d %s" % (n, w) for n, w in zip(sizes, WORDS))))
    print("%d programs, %d kernels with registers in memory" % (len(todo),
                                                               found))
    return 1 if found or not todo else 0


if __name__ == "__main__":
    sys.exit(main())
