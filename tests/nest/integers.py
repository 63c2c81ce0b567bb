#!/usr/bin/env python3
"""Integers in C: every operator on every pair of types, against cc.

A function has an array of each type and computes, for one of them and each other
one, what promotions and conversions decide about: sums that turn negative,
quotients, comparisons, shifts. The numbers are at the ends of the types, or so
large that no signed sum overflows. All must be what the system's compiler gives.

usage: integers.py CETANE
"""
import array
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

import against_cc

TYPES = ("signed char", "unsigned char", "short", "unsigned short", "int",
         "unsigned", "long", "unsigned long", "_Bool")
LARGE = {"int": 10**9, "long": 2**40}
BITS = {"signed char": 8, "short": 16, "unsigned char": 8,
        "unsigned short": 16, "unsigned": 32, "unsigned long": 64}
PAIRS = ("{a} + {b}", "{a} - {b}", "({a} & 1023) * {b}",
         "{b} == 0 ? 7 : {a} / {b}", "{b} == 0 ? 7 : {a} % {b}",
         "{a} < {b}", "{a} <= {b}", "{a} == {b}", "{a} - {b} < 0",
         "{a} - 5 < {b}", "-{a} < {b}", "~{a} > {b}", "{a} & {b}", "{a} | {b}",
         "{a} ^ {b}", "{a} > {b} ? {a} : {b}", "{a} >> ({b} & 7)",
         "({a} & 63) << ({b} & 3)")
ALONE = ("{a} - 5 < 0", "{a} - 5u < 0", "{a} > -1", "({a} - 1) % 7", "-{a}",
         "~{a}", "!{a}", "{a} * 2 / 3", "{a} - 1 >> 1", "{a} == -1",
         "{a} < 5 ? -1 : 1u", "(unsigned char){a} - 200", "(short){a} / 3",
         "(unsigned short){a} - 5 < 0", "({a} + 1) / 2")
N, PARTS = 64, 8


def values(p, count, _):
    """Numbers at the ends of p's type, or as large as sums allow."""
    r = random.Random(p.name)
    code = against_cc.TYPES[p.type][0]
    if p.type == "_Bool":
        some = [0, 1]
    elif p.type in LARGE:
        most = LARGE[p.type]
        some = [0, 1, 4, 5, 6, 1000, most, -most, -1, -5, -1000]
    else:
        half = 2**(BITS[p.type] - 1)
        low = 0 if code.isupper() else -half
        some = [0, 1, 4, 5, 6, low, low + 1, low + half, low + half - 1,
                low + 2 * half - 1]
    return array.array(code, [r.choice(some) for _ in range(count)])


def sources(left):
    """Functions for the type "left", each with a part of the statements: their
    order takes the square of their number.
    """
    names = {kind: f"x{i}" for i, kind in enumerate(TYPES)}
    rows = [t.format(a=names[left] + "[i]") for t in ALONE]
    rows += [t.format(a=names[left] + "[i]", b=names[right] + "[i]")
             for right in TYPES for t in PAIRS]
    params = ", ".join(f"const {kind} {name}[n]"
                       for kind, name in names.items())
    for part in (rows[i::PARTS] for i in range(PARTS)):
        body = "".join(f"\t\ty[i][{k}] = {row};\n"
                       for k, row in enumerate(part))
        yield (f"void integers(int n, {params}, long y[n][{len(part)}])\n{{\n"
               f"\tfor (int i = 0; i < n; i++) {{\n{body}\t}}\n}}\n")


def complaint(left):
    return next(filter(None, map(complaint_of, sources(left))), None)


def complaint_of(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "integers.c")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        try:
            return against_cc.compare(sys.argv[1], path, [], "integers",
                                      {"n": N}, 0,
                                      options=["--verify=none"],
                                      values=values)
        except (ValueError, subprocess.CalledProcessError) as e:
            return str(e)


def main():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        types = against_cc.part.chosen(TYPES)
        failed = {kind: text for kind, text in
                  zip(types, pool.map(complaint, types)) if text is not None}
    for kind, text in failed.items():
        print(f"{kind}: {text}")
        against_cc.part.say_failed(kind)
    print(f"{len(types)} types, {len(failed)} wrong")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
