#!/usr/bin/env python3
"""What the model expects of whole programs against what was measured.

usage: test_error.py CETANE [--arch=NAME] [--every=N] [--list]

measured.tsv has times of programs of cases.py on one device. Each is compiled again,
for the target of that device, and what "inspect" predicts of all its kernels is
compared: the median of the errors, as parts of what was measured, and the 90th of a
hundred are told for each suite and must not be above MOST. Without CETANE_TEST_WHOLE
every tenth program is compiled. Nothing is timed here.
"""
import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import tempfile

import cases

# Of each suite: the median error and the 90th percentile, at most.
MOST = {"rows": (.20, .80), "products": (.15, .50), "programs": (1, 10)}


def read_measured():
    """Microseconds by name and sizes."""
    found = {}
    with open(os.path.join(cases.HERE, "measured.tsv")) as f:
        for line in f:
            if not line.startswith("#"):
                name, sizes, us = line.rstrip("\n").split("\t")
                found[name, sizes] = float(us)
    return found


def all_cases():
    yield from cases.products()
    yield from cases.rows()
    for list_of_one in cases.programs():
        yield from list_of_one


def name_of(case):
    return "%s/%s" % (case.family, case.name), " ".join(
        "%s=%d" % item for item in case.sizes.items())


def predicted(cetane, case):
    """Microseconds that "inspect" tells."""
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run(
            [cetane, "inspect", "--json", case.write(folder),
             *case.defines()], capture_output=True, text=True)
    if said.returncode:
        sys.exit("%s: %s" % (case, said.stderr))
    return json.loads(said.stdout)["predicted_us"]


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, math.floor(part * len(values)))]


def judge(suite, errors):
    """Tell the errors of a suite; are they small enough?"""
    median, most = percentile(errors, .5), percentile(errors, .9)
    print("%s: %d programs, median error %.1f %%, 90th percentile %.1f %%" %
          (suite, len(errors), 100 * median, 100 * most))
    return median <= MOST[suite][0] and most <= MOST[suite][1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane")
    parser.add_argument("--every", type=int, default=1 if os.environ.get(
        "CETANE_TEST_WHOLE") else 10)
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args()
    measured = read_measured()
    chosen = [c for c in all_cases() if name_of(c) in measured]
    if len(chosen) != len(measured):
        sys.exit("measured.tsv has programs that cases.py lacks")
    # The same share of each suite, whatever their number.
    chosen = [c for suite in MOST for c in
              [c for c in chosen if c.family == suite][::args.every]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        told = list(pool.map(lambda c: predicted(args.cetane, c), chosen))
    errors = {suite: [] for suite in MOST}
    for case, us in zip(chosen, told):
        is_us = measured[name_of(case)]
        errors[case.family].append(abs(us / is_us - 1))
        if args.list:
            print("%6.2f %9.1f %s" % (us / is_us, is_us, case))
    good = [judge(suite, errors[suite]) for suite in MOST]
    return not all(good)


if __name__ == "__main__":
    sys.exit(main())
