#!/usr/bin/env python3
"""Reductions of every integer type, over numbers at the ends of the type.

Sums, products, least and largest elements, of all, of rows, of columns and of a
part of each row, also where there is nothing, must be what Python's integers say.
The numbers are those of the upper half of the type, of the lower half, or both; a
large matrix is reduced in parts, by several threads.

usage: test_reductions.py CETANE
"""
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import npy  # noqa: E402
import part  # noqa: E402

TYPES = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
OPERATORS = (("sum", "+="), ("prod", "*="), ("min", "min="), ("max", "max="))


def program(kind):
    text = f"param N, M;\ntensor {kind} A(N,M);\n"
    for name, op in OPERATORS:
        text += f"""out {name}_all() {op} A(i,j);
out {name}_row(i) {op} A(i,j);
out {name}_column(j) {op} A(i,j);
out {name}_part(i) for 0<=i<N = {name}(j for 0<=j<M, j<i-1: A(i,j));
"""
    return text


def ends(kind):
    bits = int(kind[1:])
    return (0, 2**bits - 1) if kind[0] == "u" else (
        -2**(bits - 1), 2**(bits - 1) - 1)


def numbers(kind, half, count):
    """Numbers of one half of the type, or of both."""
    low, high = ends(kind)
    middle = (low + high + 1) // 2
    low, high = {"upper": (middle, high), "lower": (low, middle - 1),
                 "both": (low, high)}[half]
    r = random.Random(kind + half)
    some = [low, low + 1, high, high - 1, (low + high) // 2]
    return [r.choice(some) if r.random() < 0.3 else r.randint(low, high)
            for _ in range(count)]


def reduced(name, kind, values):
    low, high = ends(kind)
    if name == "min":
        return min(values, default=high)
    if name == "max":
        return max(values, default=low)
    x = name == "prod"
    for v in values:
        x = (x * v if name == "prod" else x + v) & (2**int(kind[1:]) - 1)
    return x - 2**int(kind[1:]) if x > high else x


def expected(kind, n, m, a):
    """The values of each output."""
    rows = [a[i * m:(i + 1) * m] for i in range(n)]
    want = {}
    for name, _ in OPERATORS:
        for what, parts in (("all", [a]), ("row", rows),
                            ("column", list(zip(*rows))),
                            ("part", [r[:max(0, i - 1)]
                                      for i, r in enumerate(rows)])):
            want[f"{name}_{what}"] = [reduced(name, kind, p) for p in parts]
    return want


def complaints(case):
    kind, half, (n, m) = case
    a = numbers(kind, half, n * m)
    want = expected(kind, n, m, a)
    with tempfile.TemporaryDirectory() as folder:
        def path(name):
            return os.path.join(folder, name)

        with open(path("p.dsl"), "w", encoding="utf-8") as f:
            f.write(program(kind))
        npy.write(path("a.npy"), kind, (n, m), a)
        command = [sys.argv[1], "run", path("p.dsl"), "-D", f"N={n}", "-D",
                   f"M={m}", "--device=host", "--verify=none", "-i",
                   f"A={path('a.npy')}"]
        for name in want:
            command += ["-o", f"{name}={path(name)}.npy"]
        p = subprocess.run(command, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True)
        if p.returncode:
            return [f"{case}: exit {p.returncode}\n{p.stdout}"]
        return [f"{case}: {name} is wrong" for name in want
                if npy.read(path(name) + ".npy")[1] != want[name]]


def main():
    cases = part.chosen([(kind, half, size) for kind in TYPES for half, size in (
        ("upper", (5, 7)), ("lower", (5, 7)), ("both", (40, 300)))])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(complaints, cases))
    failed = [text for result in results for text in result]
    for case, result in zip(cases, results):
        if result:
            part.say_failed(case)
    print(*failed, f"{len(cases)} runs, {len(failed)} wrong", sep="\n")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
