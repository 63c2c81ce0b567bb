#!/usr/bin/env python3
"""Sums of quotients and remainders as subscripts of C nests, against the system's
compiler: each subscript is the sum of three, some of them nested.

usage: quotients.py CETANE [--seed=N] [--count=N]
"""
import argparse
import concurrent.futures
import os
import random
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import against_cc  # noqa: E402

BODIES = ["b[i] = a[%s];", "a[%s] = b[i];", "a[%s] += b[i];",
          "a[%s] = a[%s] + b[i];", "a[%s] -= a[%s];"]


def term(r):
    k, c = r.choice([1, 1, 2, 3]), r.randrange(6)
    e = r.choice(["i", "(%d * i + %d)" % (k, c)])
    e = "%s %s %d" % (e, r.choice("//%"), r.choice([2, 3, 4, 5, 6, 7, 8, 16]))
    return "(%s) / %d" % (e, r.choice([2, 3])) if r.random() < .3 else e


def program(seed):
    r = random.Random(seed)
    body = r.choice(BODIES)
    body %= tuple(" + ".join(term(r) for _ in range(3))
                  for _ in range(body.count("%s")))
    return ("void f(int n, int m, double a[3 * n + 9 * m + 60], double b[n])\n"
            "{\n\tfor (int i = 0; i < n; i++)\n\t\t%s\n}\n" % body)


def complaint(cetane, seed):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "f.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write(program(seed))
        try:
            said = against_cc.compare(cetane, path, [], "f", {"n": 23, "m": 2}, 0,
                                      options=["--sanitize=all"])
        except ValueError as e:
            said = str(e)
        return said and "seed %d: %s\n%s" % (seed, said, program(seed))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(against_cc.CORES) as pool:
        bad = [text for text in pool.map(
            lambda seed: complaint(os.path.abspath(options.cetane), seed),
            range(options.seed, options.seed + options.count)) if text]
    print(*bad, "%d programs, %d wrong" % (options.count, len(bad)), sep="\n")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
