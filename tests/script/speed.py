#!/usr/bin/env python3
"""The scripts that are written for speed compute what the program says.

usage: speed.py CETANE

Each has at most 25 lines. It runs on the host device with all checks against the
interpreter, in the ring where the program has one, and what it makes is no kernel of one
thread.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_LINES = 25
CASES = [
    ("mv", "programs/mv.c", ["n=70"], True, ["--fp=reassoc"]),
    ("tmv", "programs/tmv.c", ["n=70"], True, ["--fp=reassoc"]),
    ("mm", "programs/mm.c", ["n=70"], True, ["--fp=reassoc"]),
    ("sgemm", "programs/mm.c", ["n=70"], True, ["--fp=reassoc"]),
    ("halves", "programs/halves.dsl", ["M=70", "N=90", "K=33"], True, []),
    ("softmax", "../rows/softmax.dsl", ["M=9", "N=70"], False, []),
]


def run(cetane, name, program, sizes, ring, more):
    """What is wrong with the script "name"; "" for nothing."""
    script = os.path.join(HERE, "speed", name + ".lua")
    with open(script) as f:
        lines = f.read().count("\n")
    words = [os.path.join(HERE, program), "--schedule=" + script, "--arch=sm_90a"] + more
    words += [w for s in sizes for w in ("-D", s)]
    done = subprocess.run(
        [cetane, "run"] + words + ["--sanitize=bounds,uninit,race", "--verify=full"] +
        (["--semantics=ring"] if ring else []), capture_output=True, text=True)
    if "E337" in done.stderr:
        sys.exit(77)
    built = subprocess.run([cetane, "build"] + words + ["--emit=ptx", "-o", "-"],
                           capture_output=True, text=True)
    blocks = re.findall(r"\.reqntid (\d+), (\d+)", built.stdout)
    if done.returncode or "verified" not in done.stdout + done.stderr:
        return done.stdout + done.stderr
    if built.returncode or not any(int(x) * int(y) > 1 for x, y in blocks):
        return "no kernel of more than one thread\n" + built.stderr
    return "" if lines <= MOST_LINES else "%d lines\n" % lines


def main():
    names = sorted(f[:-4] for f in os.listdir(os.path.join(HERE, "speed")))
    failed = names != sorted(case[0] for case in CASES)
    for case in CASES:
        wrong = run(sys.argv[1], *case)
        failed += bool(wrong)
        if wrong:
            print("%s: %s" % (case[0], wrong))
    print("%d scripts, %d failed" % (len(CASES), failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
