#!/usr/bin/env python3
"""Programs of data-parallel functions, run and compared with an interpreter.

usage: test_parallel.py CETANE FOLDER [NAME...]

A first line "// SIZES: xs_0=3 ys_0=3; .." gives sizes, a run each. "// FUNCTION: f"
chooses a function, and "// OF: SIZE" says that all extents of outputs are to be
taken from the reference. Inputs are small random numbers. On the host device all
accesses are checked, and blocks run in two orders.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

import dag

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import npy  # noqa: E402
import part  # noqa: E402


def number(rng, kind):
    if kind == "bool":
        return rng.random() < 0.5
    if kind in ("f32", "f64"):
        return rng.randint(-64, 64) / 16
    return rng.randint(0 if kind[0] == "u" else -9, 9)


def make(rng, program, kind, shape):
    """A random value of an element type or structure in nested lists."""
    if shape:
        return [make(rng, program, kind, shape[1:]) for _ in range(shape[0])]
    if kind in program.structs:
        return {name: make(rng, program, inner, [])
                for name, (inner, _) in program.structs[kind]}
    return dag.Num(number(rng, kind), kind)


def flat(value):
    if not isinstance(value, list):
        return [value]
    return [x for part in value for x in flat(part)]


def same(have, want, kind):
    if kind in ("f32", "f64"):
        if want != want:
            return have != have
        return have == want or abs(have - want) <= 1e-4 * max(1, abs(want))
    return have == want


class Failed(Exception):
    pass


class Run:
    """A program for some sizes."""

    def __init__(self, cetane, folder, text, function, sizes, seed):
        self.cetane, self.folder, self.sizes = cetane, folder, sizes
        self.program = dag.Dag(text)
        self.function = function or list(self.program.functions)[-1]
        self.options = ["--function=" + function] if function else []
        self.path = os.path.join(folder, "program.dag")
        self.rng = random.Random(seed)
        with open(self.path, "w") as f:
            f.write(text)

    def arguments(self):
        """(values, options that give the inputs)"""
        values, given = [], []
        _, params, _ = self.program.functions[self.function]
        for name, (kind, rank) in params:
            if name in self.sizes:
                values.append(dag.Num(self.sizes[name], "i32"))
                continue
            shape = [self.sizes["%s_%d" % (name, d)] for d in range(rank)]
            values.append(make(self.rng, self.program, kind, shape))
            for leaf, t, way in dag.leaves(self.program, kind, name):
                file = os.path.join(self.folder, leaf + ".npy")
                npy.write(file, t, shape, flat(dag.pick(values[-1], way)))
                given.append("--input=%s=%s" % (leaf, file))
        return values, given

    def lengths(self):
        """The outputs that tell lengths."""
        done = subprocess.run([self.cetane, "check", self.path, *self.options],
                              capture_output=True, text=True)
        outs = done.stdout.rpartition("outputs:")[2]
        return re.findall(r"i32 (result_\d+)\[", outs)

    def padded(self, want, lengths, files):
        """"want" with zeros behind what data tell the lengths of."""
        if not lengths:
            return want
        shape, _ = npy.read(files[0])
        for name, file in zip(lengths, files[-len(lengths):]):
            of, have = npy.read(file)
            found = [len(want)] if name == "result_0" else [
                len(row) for row in want]
            if of:
                found += [0] * (of[0] - len(found))
            else:
                have *= len(found)
            if have != found:
                raise Failed("%s: %s, not %s" % (name, have, found))
        return self.filled(want, shape)

    def filled(self, want, shape):
        """The same, as many as "shape" says."""
        if not shape:
            return want
        rows = [self.filled(row, shape[1:]) for row in want]
        return rows + [self.zero(shape[1:])] * (shape[0] - len(want))

    def zero(self, shape):
        """An element that nothing stands at."""
        if shape:
            return [self.zero(shape[1:])] * shape[0]
        kind = self.program.functions[self.function][0][0]
        return self.zero_of(kind)

    def zero_of(self, kind):
        if kind not in self.program.structs:
            return dag.Num(0, kind)
        return {n: self.zero_of(inner) for n, (inner, _) in
                self.program.structs[kind]}

    def check(self):
        values, given = self.arguments()
        (kind, rank), _, _ = self.program.functions[self.function]
        want = self.program.call(self.function, values)
        outs = dag.leaves(self.program, kind, "result")
        lengths = self.lengths()
        files = [os.path.join(self.folder, "out_%s.npy" % n)
                 for n in [*(n for n, _, _ in outs), *lengths]]
        command = [self.cetane, "run", self.path, "--device=host",
                   "--sanitize=all", "--host-orders=2", *self.options, *given,
                   *["-D%s=%d" % x for x in self.sizes.items()],
                   *["--output=%s=%s" % (n, f) for n, f in zip(
                       [*(n for n, _, _ in outs), *lengths], files)]]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode or "not freed" in done.stderr:
            raise Failed("exit %d\n%s%s" % (done.returncode, done.stdout,
                                            done.stderr))
        want = self.padded(want, lengths, files)
        for (name, t, way), file in zip(outs, files):
            shape, have = npy.read(file)
            expected = flat(dag.pick(want, way))
            if len(shape) != rank or len(have) != len(expected) or not all(
                    same(a, b, t) for a, b in zip(have, expected)):
                raise Failed("%s is %s %s, not %s" % (name, shape, have,
                                                      expected))


def sizes_of(line):
    """The sizes of each run."""
    for part in line.split(";"):
        yield {name: int(value) for name, value in
               re.findall(r"(\w+)=(\d+)", part)}


def main():
    cetane, folder = sys.argv[1:3]
    names = sys.argv[3:] or part.sample(sorted(os.listdir(folder)), of=4,
                                        test="parallel.programs")
    failed = n = 0
    for name in names:
        with open(os.path.join(folder, name)) as f:
            text = f.read()
        sizes = re.search(r"// SIZES:(.*)", text)
        function = re.search(r"// FUNCTION: (\w+)", text)
        for one in sizes_of(sizes.group(1) if sizes else ""):
            n += 1
            with tempfile.TemporaryDirectory() as where:
                try:
                    Run(cetane, where, text, function and function.group(1),
                        one, n).check()
                except (Failed, AssertionError) as e:
                    failed += 1
                    print("%s %s: %s" % (name, one, e))
                    part.say_failed(name)
    print("%d runs, %d failed" % (n, failed))
    return failed > 0 or not n


if __name__ == "__main__":
    sys.exit(main())
