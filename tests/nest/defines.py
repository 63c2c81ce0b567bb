#!/usr/bin/env python3
"""Sizes by -D against sizes by #define: the same loops run in parallel.

Random nests have sizes in subscripts, so that the distance of a dependence is a
size or a difference of two. Each is compiled with the sizes as parameters, to
which -D gives values, and as macros. Which loops are parallel must be the same;
and the first form must give what the system's compiler gives.

usage: defines.py CETANE [--seed=N] [--count=N]
"""
import os
import random
import re
import subprocess
import sys
import tempfile

import against_cc

CETANE = sys.argv[1]
SEED = int(next((a[7:] for a in sys.argv if a.startswith("--seed=")), 1))
COUNT = int(next((a[8:] for a in sys.argv if a.startswith("--count=")), 10))


def distance(r):
    return r.choice(["m", "m", "k", "m - k", "k - m", "0", "1"])


def nest(r):
    """Text of a nest over n, with sizes m and k in its subscripts."""
    two = r.random() < .5
    size = "8 + n + 4 * m + 4 * k"
    low = "2 * m + 2 * k + 1"
    left, right, more = distance(r), distance(r), distance(r)
    if two:
        body = ("\tfor (int i = 1; i < n; i++)\n"
                f"\t\tfor (int j = {low}; j < n + {low}; j++)\n"
                f"\t\t\ta[i][j + {left}] = a[i - {r.choice('001')}]"
                f"[j + {right}] + a[i][j + {more}] * b[j];\n")
        array = f"double a[n][{size}]"
    else:
        body = (f"\tfor (int i = {low}; i < n + {low}; i++) {{\n"
                f"\t\ta[i + {left}] = a[i + {right}] + b[i];\n")
        if r.random() < .5:
            body += f"\t\tb[i] = a[i - ({more})] * 0.5;\n"
        body += "\t}\n"
        array = f"double a[{size}]"
    return f"{array}, double b[{size}])\n{{\n{body}}}\n"


def loops(words):
    out = subprocess.run([CETANE, "inspect", *words], capture_output=True,
                         text=True, check=True).stdout
    return sorted(re.findall(r"(?m)^ +(S\d+), .*: (parallel|in turn)", out))


def complaint(text, values, folder):
    path = os.path.join(folder, "nest.c")
    macros = os.path.join(folder, "macros.c")
    with open(path, "w", encoding="ascii") as f:
        f.write("void nest(" + "".join(f"int {name}, " for name in values) +
                text)
    with open(macros, "w", encoding="ascii") as f:
        f.write("".join("#define %s %d\n" % item for item in values.items()) +
                "void nest(" + text)
    try:
        given = loops([path] + [f"-D{n}={v}" for n, v in values.items()])
        written = loops([macros])
        if given != written:
            return f"with -D {given}, with #define {written}"
        return against_cc.compare(CETANE, path, [], "nest", values, 0,
                                  options=["--sanitize=all"])
    except (ValueError, subprocess.CalledProcessError) as e:
        return str(e) + str(getattr(e, "stderr", ""))


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(SEED, SEED + COUNT):
            r = random.Random(seed)
            text = nest(r)
            values = {"n": r.choice([3, 20, 40]), "m": r.choice([0, 1, 4, 50]),
                      "k": r.choice([0, 2, 3])}
            said = complaint(text, values, folder)
            if said:
                failed += 1
                print(f"seed {seed}: {values}: {said}\n{text}")
    print(f"{COUNT} nests, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
