#!/usr/bin/env python3
"""Subscripts and conditions whose parts need more than 32 bits, against cc.

A subscript is a random sum of two loops, divided so that it lies inside the array;
a condition compares such a sum. The sum runs to values up to 2^33 on either side
of 0, and the divisor is twice the coefficients, so that none can be reduced: each
part must be exact in as many bits as it needs. All gives what the system's compiler gives.

usage: subscripts.py CETANE
"""
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

import against_cc

ROWS, LENGTH, COUNT = 24, 61, 6
LOOPS = ((0, 29), (0, 29), (-13, 16), (1, 30), (-29, 0))


def coefficient(rng):
    c = rng.choice([rng.randint(1, 9), 2 ** rng.randint(20, 33) // 29])
    return rng.choice([-1, 1]) * (c + rng.randint(0, 3))


def ends(coefs, loops):
    """The least and the greatest value of the sum over the loops."""
    parts = [sorted(c * e for e in (lo, hi - 1))
             for c, (lo, hi) in zip(coefs, loops)]
    return sum(p[0] for p in parts), sum(p[1] for p in parts)


def row(rng, r, loops):
    """The statement that computes row "r" of y."""
    coefs = [coefficient(rng), coefficient(rng)]
    low, high = ends(coefs, loops)
    text = "{}L * i + {}L * j".format(*coefs)
    at = "y[{}][i - {}][j - {}]".format(r, *(lo for lo, _ in loops))
    at = at.replace("- -", "+ ")
    if rng.randrange(3) == 0:
        limit = rng.randint(low, high)
        op = rng.choice(["<", "<=", ">", ">="])
        return f"if ({text} {op} {limit}L) {at} = a[{r}];"
    divisor = 2 * max(abs(c) for c in coefs) + rng.randint(1, 9)
    return f"{at} = a[({text} + {rng.randint(0, 9) - low}L) / {divisor}L];"


def source(seed):
    """The function of this number: a row of y for each statement."""
    rng = random.Random(seed)
    text = ""
    for r in range(ROWS):
        loops = [rng.choice(LOOPS), rng.choice(LOOPS)]
        text += "\tfor (int i = {}; i < {}; i++)\n".format(*loops[0])
        text += "\t\tfor (int j = {}; j < {}; j++)\n".format(*loops[1])
        text += f"\t\t\t{row(rng, r, loops)}\n"
    return (f"void subscripts(int n, const int a[{LENGTH}], "
            f"int y[{ROWS}][29][29])\n{{\n{text}}}\n")


def complaint(seed):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "subscripts.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write(source(seed))
        try:
            return against_cc.compare(sys.argv[1], path, [], "subscripts",
                                      {"n": 1}, 0, options=["--verify=none"])
        except (ValueError, subprocess.CalledProcessError) as e:
            return str(e)


def main():
    seeds = against_cc.part.chosen(range(COUNT))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for seed, text in zip(seeds, pool.map(complaint, seeds)):
            if text is not None:
                failed += 1
                print(f"function {seed}: {text}")
                against_cc.part.say_failed(seed)
    print(f"{len(seeds)} functions, {failed} wrong")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
