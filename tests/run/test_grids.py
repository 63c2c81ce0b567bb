#!/usr/bin/env python3
"""Check that all parallel loops of a program are blocks and threads, however many
they are and in whatever notation, and that what they compute is right.

Random programs of three to six parallel loops, with loops in each point: for large
sizes "cetane inspect" must tell of as many threads as the kernel has points, or of
tiles that cover them, and of as many blocks as a GPU has multiprocessors; for small
ones "cetane run" verifies the results on the host device.

usage: test_grids.py CETANE [--seed=N] [--count=N]
"""
import argparse
import math
import os
import random
import re
import subprocess
import sys
import tempfile

BLOCKS = 128
LETTERS = "abcdef"


def windows(r, outer, inner, op):
    """A pooling, or a depthwise convolution, of "inner" dimensions."""
    stride, size = r.choice([1, 1, 2, 3]), r.choice([2, 3])
    b, p = LETTERS[:outer], "ijk"[:inner]
    w = "rst"[:inner]
    where = ",".join(list(b) + ["%s*%d+%s" % (i, stride, k)
                                for i, k in zip(p, w)])
    cell = ",".join(b + p)
    ranges = ", ".join("0<=%s<%d" % (k, size) for k in w)
    body = "x(%s)" % where
    head = "tensor f32 x(%s);\n"
    if op == "weighted":
        body += "*w(%s)" % ",".join(b[-1:] + w)
        op = "sum"
    text = "out y(%s) = %s(%s for %s: %s);\n" % (
        cell, op, ",".join(w), ranges, body)

    def sizes(n):
        return n[:outer] + [stride * (m - 1) + size for m in n[outer:]]

    def whole(n):
        s = ",".join(map(str, sizes(n)))
        return (head % s) + ("tensor f32 w(%s);\n" % ",".join(
            [str(n[outer - 1])] + [str(size)] * inner)
            if "*w(" in text else "") + text
    return ".dsl", whole, outer + inner


def middle(r, n_dim, op):
    """A reduction over a dimension that is not the last one."""
    names = list(LETTERS[:n_dim])
    at = r.randrange(n_dim)
    read = names[:at] + ["k"] + names[at:]

    def whole(n):
        s = n[:at] + [5] + n[at:]
        return "tensor f32 x(%s);\nout y(%s) = %s(k: x(%s)*x(%s));\n" % (
            ",".join(map(str, s)), ",".join(names), op, ",".join(read),
            ",".join(read))
    return ".dsl", whole, n_dim


def nest(r, n_dim):
    """Loops in C in any order around a recurrence, with strides."""
    names = list(LETTERS[:n_dim])
    order = r.sample(names, n_dim)
    step = {i: r.choice([1, 1, 2]) for i in names}

    def whole(n):
        size = dict(zip(names, n))
        dims = "".join("[%d]" % (step[i] * size[i]) for i in names)
        at = "".join("[%d*%s]" % (step[i], i) for i in names)
        text = "void f(float x%s[6], float y%s)\n{\n" % (dims, dims)
        for i in order:
            text += "for (int %s = 0; %s < %d; %s++)\n" % (i, i, size[i], i)
        return text + ("{ float s = 0;\nfor (int k = 0; k < 6; k++)\n"
                       "s = s * 0.5f + x%s[k];\ny%s = s; }\n}\n" % (at, at))
    return ".c", whole, n_dim


def products(r, outer):
    """Two products in a row with the same batch."""
    b = LETTERS[:outer]

    def whole(n):
        n = n[:outer] + [8 * m for m in n[outer:]]
        m = n[outer:]
        s = ",".join(map(str, n[:outer]))
        x = ",".join(b)
        return ("tensor f32 X(%s,%d,%d), Y(%s,%d,%d), Z(%s,%d,%d);\n"
                "E(%s,i,j) += X(%s,i,k)*Y(%s,k,j);\n"
                "out F(%s,i,j) += E(%s,i,k)*Z(%s,k,j);\n" % (
                    s, m[0], m[1], s, m[1], m[0], s, m[0], m[1],
                    x, x, x, x, x, x))
    return ".dsl", whole, outer + 2


def program(r):
    kind = r.randrange(5)
    if kind < 2:
        inner = r.randint(1, 3)
        return windows(r, r.randint(3 - min(inner, 2), 5 - inner), inner,
                       r.choice(["max", "min", "sum", "weighted"]))
    if kind == 2:
        return middle(r, r.randint(3, 5), r.choice(["sum", "max"]))
    if kind == 3:
        return products(r, r.randint(1, 3))
    return nest(r, r.randint(3, 5))


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


def fault(text, points):
    """What "text", from inspect, says of kernels with too little to do at once."""
    covered = 0
    for k in re.split(r"(?m)^kernel ", text)[1:]:
        grid = re.search(r"grid +.*: ([\d*]+) x ([\d*]+)", k)
        block = re.search(r"block +(\d+) x (\d+) threads", k)
        tile = re.search(r"tile +(\d+) x (\d+) points", k)
        tiles = re.search(r"points, (\d+) tiles a block", k)
        several = re.search(r"tile +(\d+) points side by side", k)
        blocks = math.prod(int(x) for g in grid.groups()
                           for x in g.split("*"))
        each = math.prod(int(x) for x in (tile or block).groups())
        for more in tiles, several:
            each *= int(more.group(1)) if more else 1
        covered += blocks * each
        if blocks < BLOCKS:
            return "%d blocks:\n%s" % (blocks, text)
    if covered < points:
        return "%d points of %d:\n%s" % (covered, points, text)
    return None


def check(cetane, folder, r, number):
    suffix, whole, n_dim = program(r)
    path = os.path.join(folder, "p%d%s" % (number, suffix))
    n = [r.randint(20, 40) for _ in range(n_dim)]
    while math.prod(n) > 4e6:
        n = [max(3, m * 3 // 4) for m in n]
    while math.prod(n) < 5e5:
        n = [m * 5 // 4 + 1 for m in n]
    with open(path, "w") as f:
        f.write(whole(n))
    p = run([cetane, "inspect", path, "--arch=sm_90", "--resources"])
    why = p.stdout if p.returncode else fault(p.stdout, math.prod(n))
    if why:
        return whole(n) + why
    with open(path, "w") as f:
        f.write(whole([r.choice([1, 2, 3, 5]) for _ in n]))
    p = run([cetane, "run", path, "--device=host"])
    return open(path).read() + p.stdout if p.returncode else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    args = parser.parse_args()
    r, failed = random.Random(args.seed), 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(args.count):
            why = check(args.cetane, folder, r, i)
            if why:
                failed += 1
                print("program %d:\n%s" % (i, why))
    print("%d programs, %d failed" % (args.count, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
