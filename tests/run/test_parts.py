#!/usr/bin/env python3
"""Check reductions that are divided into parts: programs of programs/ on the
host device under all checks, verified, and read back after every pass.

usage: test_parts.py CETANE

Where a sum may be regrouped, the arrays of parts are those that are expected;
in strict order there are none, except for what may be taken in any order.
"""
import os
import re
import subprocess
import sys

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                        "programs")
# program, sizes, extents of the parts
CASES = [
    ("dot.c", {"n": 517}, ["[128]", "[16]"]),
    ("dot.c", {"n": 200000}, ["[32768]", "[256]", "[16]"]),
    ("nrm2.c", {"n": 517}, ["[128]", "[16]"]),
    ("asum.c", {"n": 600}, ["[128]", "[16]"]),
    ("gemv.c", {"m": 67, "n": 130}, ["[67][32]"]),
    ("gemv_transposed.c", {"m": 130, "n": 67}, ["[32][67]"]),
    ("softmax.c", {"m": 9, "n": 200}, None),
    ("layer_norm.c", {"m": 9, "n": 200}, None),
    ("durbin.c", {"n": 70}, ["[32]"]),
    ("cholesky.c", {"n": 70}, []),
    ("scatter.c", {"m": 67, "n": 130}, []),
]
# The greatest of a row may be found in any order.
STRICT = {"softmax.c": ["[9][32]"]}


def run(args, **more):
    return subprocess.run(args, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **more)


def parts(command, path, args):
    """The extents of the temporaries that hold parts."""
    out = run([command, "inspect", path] + args).stdout
    found = re.search(r"(?m)^workspace: .*", out)
    return re.findall(r"\w+_part\d* \w+((?:\[\d+\])*)", found.group())


def check(command, name, sizes, expected):
    path = os.path.join(PROGRAMS, name)
    args = ["-D%s=%d" % s for s in sizes.items()]
    free = args + ["--fp=reassoc"]
    env = dict(os.environ, CETANE_DEBUG="roundtrip")
    out = run([command, "run", path, "--device=host", "--checks",
               "--verify=full"] + free, env=env)
    bad = []
    if out.returncode or "verified full" not in out.stdout:
        bad.append("exit %d\n%s" % (out.returncode, out.stdout))
    got = parts(command, path, free)
    if expected is None and len(got) < 2 or \
            expected is not None and got != expected:
        bad.append("parts %s" % got)
    got = parts(command, path, args + ["--fp=strict"])
    if got != STRICT.get(name, []):
        bad.append("strict: parts %s" % got)
    return bad


def main():
    command, failed = sys.argv[1], 0
    for name, sizes, expected in CASES:
        for text in check(command, name, sizes, expected):
            print("%s: %s" % (name, text))
            failed += 1
    print("%d programs, %d failures" % (len(CASES), failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
