#!/usr/bin/env python3
"""Random transposed convolutions on the host device, against sums term by term.

Filters of any length are laid at every so many-th point, in one to three dimensions,
some points cut off in front, with channels or without; written as windows, as
equations, by remainders, or as loops in C that scatter or gather. Some have infinite
or undefined factors: a cell that no such factor meets must not see them.

usage: test_transposed.py CETANE [--seed=N] [--count=N]
"""
import argparse
import itertools
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import npy  # noqa: E402


class Shape:
    """One of them: points "n", filters of "taps", every "step", "cut" off. Where it is
    wide, it has channels enough for a product in tiles.
    """

    def __init__(self, r, wide):
        self.rank = r.choice([1, 1, 2, 2, 3])
        most = {1: 9, 2: 5, 3: 3}[self.rank]
        self.b, self.c, self.k = (r.randint(1, 3) for _ in range(3))
        self.n = [r.randint(1, most) for _ in range(self.rank)]
        if wide:
            self.rank, self.c, self.k = 1, 16, r.choice([16, 32])
            self.n, self.b = [r.randint(30, 40)], 2
        self.step = [r.randint(1, 4) for _ in range(self.rank)]
        self.taps = [r.randint(1, 6 - self.rank) for _ in range(self.rank)]
        if wide:
            self.step, self.taps = [2], [r.randint(3, 6)]
        self.cut = [r.randint(0, t - 1) for t in self.taps]
        self.end = [max(1, s * (n - 1) + t - c - r.randint(0, 1))
                    for n, s, t, c in zip(self.n, self.step, self.taps,
                                          self.cut)]

    def text(self, notation):
        i, u, p = ([x + str(d) for d in range(self.rank)] for x in "iup")
        x = "tensor f32 X(%s), F(%s);\n" % (
            ",".join(map(str, [self.b, self.c] + self.n)),
            ",".join(map(str, [self.c, self.k] + self.taps)))
        y = "out Y(b,k,%s) for %s = " % (",".join(u), ", ".join(
            "0 <= %s < %d" % z for z in zip(u, self.end)))
        at, tap, where, over = [], [], [], ["c"]
        for d in range(self.rank):
            moved = "%s+%d" % (u[d], self.cut[d])
            if notation == "remainder":
                over.append(p[d])
                at.append("(%s-%s)/%d" % (moved, p[d], self.step[d]))
                tap.append(p[d])
                where.append("(%s-%s) %% %d == 0" % (moved, p[d],
                                                     self.step[d]))
                where.append("0 <= %s < %d" % (at[d], self.n[d]))
            else:
                over.append(i[d])
                at.append(i[d])
                where.append("0 <= %s < %d" % (i[d], self.n[d]))
                tap.append("%s-%d*%s" % (moved, self.step[d], i[d]))
            if notation == "equation":
                over.append(p[d])
                where.append("%s == %s" % (p[d], tap[d]))
                tap[d] = p[d]
            where.append("0 <= %s < %d" % (tap[d], self.taps[d]))
        return x + y + "sum(%s for %s:\n\tX(b,c,%s) * F(c,k,%s));\n" % (
            ",".join(over), ", ".join(where), ",".join(at), ",".join(tap))

    def nest(self):
        """Loops that scatter; nothing is cut off."""
        self.cut = [0] * self.rank
        self.end = [s * (n - 1) + t for n, s, t in zip(self.n, self.step,
                                                       self.taps)]

        def dims(sizes):
            return "".join("[%d]" % n for n in sizes)

        def loop(name, n):
            return "for (int %s = 0; %s < %d; %s++)\n" % (name, name, n, name)

        axes = range(self.rank)
        u = "".join("[u%d]" % d for d in axes)
        cell = "".join("[%d*i%d+p%d]" % (self.step[d], d, d) for d in axes)
        points = "".join("[i%d]" % d for d in axes)
        taps = "".join("[p%d]" % d for d in axes)
        text = "void f(const float X%s, const float F%s, float Y%s)\n{\n" % (
            dims([self.b, self.c] + self.n), dims([self.c, self.k] + self.taps),
            dims([self.b, self.k] + self.end))
        text += loop("b", self.b) + loop("k", self.k)
        text += "".join(loop("u%d" % d, self.end[d]) for d in axes)
        text += "Y[b][k]%s = 0;\n" % u + loop("b", self.b) + loop("c", self.c)
        text += "".join(loop("i%d" % d, self.n[d]) for d in axes)
        text += loop("k", self.k)
        text += "".join(loop("p%d" % d, self.taps[d]) for d in axes)
        return text + "Y[b][k]%s += X[b][c]%s * F[c][k]%s;\n}\n" % (
            cell, points, taps)

    def wanted(self, x, f):
        """Each cell, and the sum of the magnitudes of its terms."""
        y = {}
        for b, c, k in itertools.product(*map(range, (self.b, self.c, self.k))):
            for i in itertools.product(*map(range, self.n)):
                for p in itertools.product(*map(range, self.taps)):
                    u = tuple(s * a + t - o for s, a, t, o in zip(
                        self.step, i, p, self.cut))
                    term = x[(b, c) + i] * f[(c, k) + p]
                    was = y.get((b, k) + u, (0., 0.))
                    y[(b, k) + u] = was[0] + term, was[1] + abs(term)
        return [y.get(at, (0., 0.)) for at in itertools.product(*map(
            range, [self.b, self.k] + self.end))]


def places(sizes):
    return list(itertools.product(*map(range, sizes)))


def is_right(got, want):
    value, size = want
    if math.isnan(value) or math.isinf(value):
        return math.isnan(got) if math.isnan(value) else got == value
    return abs(got - value) <= 1e-5 * size + 1e-30


def check(cetane, folder, r, wide):
    """What is wrong with a random one, or None."""
    shape = Shape(r, wide)
    notation = r.choice(["window", "equation"] + ["remainder", "nest"] *
                        (not wide))
    text = shape.nest() if notation == "nest" else shape.text(notation)
    path = os.path.join(folder, "p.c" if notation == "nest" else "p.dsl")
    with open(path, "w") as f:
        f.write(text)
    sides = {"X": [shape.b, shape.c] + shape.n,
             "F": [shape.c, shape.k] + shape.taps}
    values = {}
    for name, sizes in sides.items():
        values[name] = {at: float(r.randint(-64, 64)) / 8
                        for at in places(sizes)}
    if wide or r.random() < .4:
        # Of a product in tiles, an input meets the zeros of taps that there are not.
        side = "X" if wide else "F"
        for at in r.sample(places(sides[side]), 1):
            values[side][at] = r.choice([math.inf, -math.inf, math.nan])
    for name, sizes in sides.items():
        npy.write(os.path.join(folder, name), "f32", sizes,
                  values[name].values())
    p = subprocess.run([cetane, "run", path, "--device=host", "-iX=" + folder +
                        "/X", "-iF=" + folder + "/F", "-oY=" + folder + "/Y"],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True)
    if p.returncode:
        return text + p.stdout
    want = shape.wanted(values["X"], values["F"])
    _, got = npy.read(os.path.join(folder, "Y"))
    wrong = [i for i in range(len(want)) if len(got) != len(want) or
             not is_right(got[i], want[i])]
    return "%s%d of %d cells are wrong, the first %d: %r, not %r" % (
        text, len(wrong), len(want), wrong[0], got[wrong[0]],
        want[wrong[0]][0]) if wrong else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    args = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(args.count):
            why = check(args.cetane, folder,
                        random.Random("%d:%d" % (args.seed, i)), i % 3 == 0)
            if why:
                failed += 1
                print("program %d:\n%s" % (i, why))
    print("%d programs, %d failed" % (args.count, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
