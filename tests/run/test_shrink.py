#!/usr/bin/env python3
"""Check that temporaries of recurrences have few cells along their steps, that others
keep all of theirs, and that NumPy computes the same.

A case is a random system of stencils: one to three arrays over steps and one to three
dimensions, of radius 1 or 2, which read themselves one or two steps before, and others
of the same step or the one before. Values are integers, which must agree. What is read
in the end decides which cells there have to be:

    last    the last step			few cells
    before  the last two steps			few cells
    first   the last step, and the first	all of them
    every   all steps				all of them
    some    a step that a size names		all of them
    output  nothing: the array is the output	any number

usage: test_shrink.py CETANE [--seed=N] [--count=N] [--dims=N]
"""
import argparse
import concurrent.futures
import itertools
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part

STEPS = [0, 1, 2, 3, 7]
FEW = 4		# more than two steps back, and one for the step itself
READ = ["last", "before", "first", "every", "some", "output"]
DEBUG = ["launches", "launches", "", "block", "together,few"]
INDICES = "ijk"


class System:
    """The recurrences of a case; "inside": of each array (coefficient, array, steps
    back, offsets), "edge": how many steps back the edges are copied from.
    """
    def __init__(self, r, n_array, n_dim, read):
        self.n_array, self.n_dim, self.read = n_array, n_dim, read
        self.size = [r.choice([5, 6, 9]) for _ in range(n_dim)]
        self.deep = [r.choice([1, 1, 2]) for _ in range(n_array)]
        self.inside, self.edge, self.radius = [], [], []
        for a in range(n_array):
            radius = r.choice([1, 1, 2])
            terms = [(r.choice([1, 2, -1, 3]), a, self.deep[a],
                      [r.randint(-radius, radius) for _ in range(n_dim)])]
            for _ in range(r.randint(1, 3)):
                b = r.randrange(n_array)
                back = r.randint(0 if b < a else 1, min(self.deep))
                terms.append((r.choice([1, 2, -1, -3]), b, back,
                              [r.randint(-radius, radius)
                               for _ in range(n_dim)]))
            self.inside.append(terms)
            self.edge.append(r.choice([1, self.deep[a]]))
            self.radius.append(radius)

    def name(self):
        return "%s-%d-%d-%s" % (self.read, self.n_array, self.n_dim,
                                "".join(map(str, self.size + self.deep)))

    def text(self):
        point = INDICES[:self.n_dim]
        size = ["N%d" % d for d in range(self.n_dim)]
        box = ", ".join("0<=%s<%s" % p for p in zip(point, size))
        cell = ",".join(point)
        out = "param T, P, %s;\nassume P <= T;\n" % ", ".join(size)
        for a in range(self.n_array):
            out += "tensor i32 x%d(2,%s);\n" % (a, ",".join(size))
        for a in range(self.n_array):
            begin = "".join("\tt == %d: x%d(%d,%s);\n" % (s, a, s, cell)
                            for s in range(self.deep[a]))
            edge = " or ".join("%s < %d or %s >= %s - %d" % (
                i, self.radius[a], i, n, self.radius[a])
                for i, n in zip(point, size))
            body = " + ".join("(%d)*%s" % (c, self.spell(
                b, "t-%d" % back if back else "t", at))
                for c, b, back, at in self.inside[a])
            out += "%su%d(t,%s) for 0<=t<=T, %s = case {\n%s" % (
                "out " if self.read == "output" and a == 0 else "", a, cell,
                box, begin)
            out += "\t%s: u%d(t-%d,%s);\n\telse: %s; };\n" % (
                edge, a, self.edge[a], cell, body)
        head = "out y(%s) for %s = " % (cell, box)
        last = " + ".join(self.spell_read(a) for a in range(self.n_array))
        if self.read != "before":
            return out + head + last + ";\n"
        first = " + ".join(self.spell(a, "T", [0] * self.n_dim)
                           for a in range(self.n_array))
        return out + head + "case { T == 0: %s; else: %s; };\n" % (first, last)

    def spell(self, b, step, at):
        return "u%d(%s)" % (b, ",".join([step] + [
            i if o == 0 else "%s%+d" % (i, o) for i, o in zip(INDICES, at)]))

    def spell_read(self, a):
        def at(step):
            return self.spell(a, step, [0] * self.n_dim)
        return {"before": at("T-1") + " + " + at("T"),
                "first": at("0") + " + 2*" + at("T"),
                "every": "sum(s for 0<=s<=T: (s+1)*%s)" % at("s"),
                "some": at("T-P") + " - " + at("T")}.get(self.read, at("T"))

    def reads(self, a):
        return {b for _, b, _, _ in self.inside[a]}

    def is_few(self, a):
        """Does all that reads array "a" in its steps go along with it?"""
        near = {a: self.reads(a) for a in range(self.n_array)}
        for _ in range(self.n_array):
            near = {a: n.union(*(near[b] for b in n)) for a, n in near.items()}
        return self.read in ("last", "before") and all(
            b in near[a] for b in range(self.n_array) if a in self.reads(b))

    def compute(self, x, steps, p):
        """What the outputs are, by NumPy, step by step."""
        u = [numpy.zeros([steps + 1] + self.size, "int32")
             for _ in range(self.n_array)]
        for t in range(steps + 1):
            for a in range(self.n_array):
                if t < self.deep[a]:
                    u[a][t] = x[a][t]
                    continue
                u[a][t] = u[a][t - self.edge[a]]
                inner = tuple(slice(self.radius[a], n - self.radius[a])
                              for n in self.size)
                total = 0
                for c, b, back, at in self.inside[a]:
                    moved = tuple(slice(self.radius[a] + o,
                                        n - self.radius[a] + o)
                                  for n, o in zip(self.size, at))
                    total = total + numpy.int32(c) * u[b][t - back][moved]
                u[a][t][inner] = total
        y = 0
        for v in u:
            y = y + {"first": lambda: v[0] + 2 * v[steps],
                     "before": lambda: v[steps] + (
                         v[steps - 1] if steps else 0),
                     "every": lambda: sum((t + 1) * v[t]
                                          for t in range(steps + 1)),
                     "some": lambda: v[steps - p] - v[steps]
                     }.get(self.read, lambda: v[steps])()
        return y.astype("int32"), u[0]


def run(args, debug=""):
    return subprocess.run(args, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, CETANE_DEBUG=debug))


def wrong_cells(command, path, system):
    """Complaints about the cells that temporaries have along any number of steps."""
    sizes = sum((["-D", "N%d=%d" % (d, 64 * n)]
                 for d, n in enumerate(system.size)), [])
    got = run([command, "build", path, "--emit=poly", "-o", "-"] + sizes,
              "launches")
    if got.returncode:
        return [got.stdout]
    found = re.findall(r'(?m)^array u(\d) i32 temp global "\[.*\{ u\d\['
                       r'\((.*?)\),', got.stdout)
    if len(found) != system.n_array - (system.read == "output"):
        return ["temporaries %s\n%s" % (found, got.stdout)]
    bad = []
    for a, cells in found:
        few = cells.isdigit() and int(cells) <= FEW
        if system.is_few(int(a)) and not few or \
                system.read in ("first", "every", "some") and few:
            bad.append("u%s has %s cells along steps" % (a, cells))
    return bad


def wrong_values(command, path, system, steps, debug):
    """Complaints about the values after "steps" steps."""
    r = numpy.random.default_rng(steps)
    x = [r.integers(-99, 99, [2] + system.size, "int32")
         for _ in range(system.n_array)]
    p = min(steps, 2)
    folder = tempfile.mkdtemp(dir=os.path.dirname(path))
    args = [command, "run", path, "--device=host", "--sanitize=all",
            "--verify=none", "-D", "T=%d" % steps, "-D", "P=%d" % p]
    for d, n in enumerate(system.size):
        args += ["-D", "N%d=%d" % (d, n)]
    for a, values in enumerate(x):
        numpy.save(os.path.join(folder, "x%d.npy" % a), values)
        args += ["-i", "x%d=%s/x%d.npy" % (a, folder, a)]
    args += ["-o", "y=%s/y.npy" % folder]
    if system.read == "output":
        args += ["-o", "u0=%s/u0.npy" % folder]
    got = run(args, debug)
    if got.returncode:
        return ["T=%d %s: exit %d\n%s" % (steps, debug, got.returncode,
                                          got.stdout)]
    y, u = system.compute(x, steps, p)
    bad = []
    for name, want in [("y", y), ("u0", u)][:1 + (system.read == "output")]:
        have = numpy.load(os.path.join(folder, name + ".npy"))
        if not numpy.array_equal(have, want):
            bad.append("T=%d %s: %s differs" % (steps, debug, name))
    return bad


def check(command, folder, system, r):
    path = os.path.join(folder, system.name() + ".dsl")
    with open(path, "w", encoding="utf-8") as f:
        f.write(system.text())
    bad = wrong_cells(command, path, system)
    for steps in STEPS:
        debug = r.choice(DEBUG[:2] if system.n_dim > 1 else DEBUG)
        bad += wrong_values(command, path, system, steps, debug)
    return bad


def cases(seed, count, most):
    """Systems of at most "most" dimensions, with what random numbers they go on
    with. Edges of more than one take long in kernels of one block.
    """
    every = list(itertools.product(READ, [1, 2, 3], range(1, most + 1)))
    random.Random(seed).shuffle(every)
    for i in range(count):
        r = random.Random("%d %d" % (seed, i))
        read, n_array, n_dim = every[i % len(every)]
        yield System(r, n_array, n_dim, read), r


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=9)
    parser.add_argument("--dims", type=int, default=3)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [(system, pool.submit(check, options.command, folder, system,
                                     r))
                for system, r in cases(options.seed, options.count,
                                       options.dims)
                if part.is_chosen(system.name())]
        for system, job in jobs:
            for what in job.result():
                failed += 1
                print("%s%s: %s" % (system.text(), system.name(), what))
                part.say_failed(system.name())
    print("%d of %d systems are wrong" % (failed, len(jobs)))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
