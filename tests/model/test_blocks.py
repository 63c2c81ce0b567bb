#!/usr/bin/env python3
"""Kernels that leave multiprocessors idle: are there any, over all programs?

usage: test_blocks.py CETANE [--every=N]

A kernel with work for a device, 0.2 G operations or bytes in a launch, should have a
block for each multiprocessor if there are iterations for these that may run side by
side, a warp of them for each. Tiles are not made smaller for the last few: nine of
ten multiprocessors are enough. Programs are those of cases.py; "inspect" tells the
blocks of the largest launch, work and parallel iterations. KNOWN are the kernels for
which no way was found yet: one that is not there, and one that is mended, fails.
Without CETANE_TEST_WHOLE every fortieth program is compiled, and ALWAYS.
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import cases

MULTIPROCESSORS, WARP, WORK, ENOUGH = 132, 32, 2e8, .9
REFUSED = object()
# Dozens of sums, which a compilation has to map within its budget; rows so few that a
# block each would not do.
ALWAYS = "reductions.dsl", "max_all/f32"

with open(os.path.join(cases.HERE, "known_blocks.txt")) as f:
    KNOWN = {line.split(":")[0] for line in f if not line.startswith("#")}


def inspect(cetane, case):
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run(
            [cetane, "inspect", "--json", case.write(folder),
             *case.defines()], capture_output=True, text=True)
    return REFUSED if said.returncode else json.loads(said.stdout)


def is_idle(kernel):
    """Does the kernel leave multiprocessors without a block, for no reason?"""
    launches = max(1, kernel["launches"])
    blocks = kernel["blocks"][0] * kernel["blocks"][1]
    work = max(kernel["operations"], kernel["bytes_read"] +
               kernel["bytes_written"]) / launches
    most = min(MULTIPROCESSORS, kernel["parallel_iterations"] / WARP)
    return work >= WORK and blocks < ENOUGH * most


def idle(cetane, several):
    """Names of such kernels of the first of the cases that compiles."""
    for case in several:
        facts = inspect(cetane, case)
        if facts is not REFUSED:
            return ["%s/%s %s" % (case.family, case.name, name) for name in
                    sorted(k["name"] for k in facts["kernels"] if is_idle(k))]
    return None


def is_of(known, case):
    """Is that a kernel of the case? Rows have their sizes in its name alone."""
    stem = os.path.splitext(os.path.basename(case.path))[0]
    return known.startswith("%s/%s %s" % (
        case.family, case.name, stem + "_" if case.family == "rows" else ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane")
    parser.add_argument("--every", type=int, default=1 if os.environ.get(
        "CETANE_TEST_WHOLE") else 40)
    args = parser.parse_args()
    all_cases = ([[c] for c in cases.products()] +
                 [[c] for c in cases.rows()] + list(cases.programs()))
    chosen = [c for i, c in enumerate(all_cases)
              if i % args.every == 0 or c[0].name in ALWAYS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        told = list(pool.map(lambda c: idle(args.cetane, c), chosen))
    found = {name for names in told for name in names or []}
    known = {k for k in KNOWN for c in chosen if is_of(k, c[0])}
    for name in sorted(found - KNOWN):
        print("idle multiprocessors: %s" % name)
    for name in sorted(known - found):
        print("no longer idle, take it off known_blocks.txt: %s" % name)
    print("%d programs, %d refused, %d kernels known to leave some idle" % (
        len(told), told.count(None), len(found & KNOWN)))
    return bool(found ^ known)


if __name__ == "__main__":
    sys.exit(main())
