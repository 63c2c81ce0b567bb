#!/usr/bin/env python3
"""Random programs through the whole compiler.

Each program (random_source.py) runs on the host device with all checks:
tiled and naive, with fixed sizes and parametric, with random seeds for the
order of threads, verified by the command; some with the program printed and
read back between passes. Where the order of operations is the text's, or the
numbers are integers, tiled, naive and parametric kernels must agree bit for
bit; whole numbers must be what random_values.py says. Some inputs hold
infinities, NaNs and the ends of the ranges. The program is also built
for a random architecture, in one kind of text or all, and as a cubin if there
is an assembler, which must neither spill nor use a stack.

A failure prints the program, made smaller as long as it fails alike, and the
seed that makes it again: --seed=N --count=1.

usage: random_programs.py CETANE [--seed=N] [--count=N] [--seconds=S]
           [--jobs=N] [--limit=S] [--small] [--no-shrink]
"""
import argparse
import concurrent.futures
import glob
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time

import random_source
import random_values
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import npy  # noqa: E402

CORES = len(os.sched_getaffinity(0))

ARCHS = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100",
         "sm_100a", "sm_103", "sm_120", "sm_121a"]
KINDS = ["dag", "deps", "schedule", "poly", "ast", "llvm", "llvm-opt", "ptx"]
# Element -> its type in files; NumPy has no bf16, which is kept as its bits.
FORMAT = {"INT": "i32", "INT8": "i8", "HALF": "f16", "BFLOAT16": "u16",
          "FLOAT": "f32", "DOUBLE": "f64"}
COST, INTERP_COST, PYTHON_COST = 3e6, 2e5, 1e5
SHRINK_SECONDS = 90


class Failure(Exception):
    """What failed, in one word, and the details."""

    def __init__(self, what, text):
        super().__init__(text)
        self.what = what


class Plan:
    """The choices beside the program."""

    def __init__(self, seed, small, limit):
        rng = random.Random("plan %d" % seed)
        self.seed, self.small, self.limit = seed, small, limit
        self.roundtrip = rng.random() < .15
        self.host_seeds = [rng.randrange(1, 1000) for _ in range(4)]
        self.arch = rng.choice(ARCHS)
        self.cubin = rng.random() < .4
        self.naive = rng.random() < .2
        self.kinds = KINDS if rng.random() < .2 else [rng.choice(KINDS)]
        self.values = rng.choice(["random", "whole", "whole", "extreme"])
        self.fp = rng.choice(["strict", "reassoc"])


def elements(kind, data):
    """The numbers of an .npy file."""
    _, values = npy.load(data)
    if kind != "BFLOAT16":
        return values
    return [struct.unpack("<f", struct.pack("<I", b << 16))[0] for b in values]


def number(kind, rng, extreme):
    """A random element as struct packs it."""
    if kind in random_values.BITS:
        top = 2 ** (random_values.BITS[kind] - 1)
        if extreme and rng.random() < .3:
            return rng.choice([-top, top - 1, rng.randrange(-top, top)])
        return rng.randrange(-9, 10)
    x = float(rng.randrange(-4, 5))
    if extreme and rng.random() < .1:
        x = rng.choice([float("inf"), -float("inf"), float("nan"), -0.0,
                        1e-7, 60000.0, -60000.0, 0.1])
        if kind == "DOUBLE":
            x = rng.choice([x, 1e300, 5e-324])
    if kind == "BFLOAT16":
        return struct.unpack("<I", struct.pack("<f", x))[0] >> 16
    return x


class Check:
    def __init__(self, cetane, folder, program, plan):
        self.cetane, self.folder = cetane, folder
        self.program, self.plan = program, plan
        self.file = os.path.join(folder, "program.dsl")
        with open(self.file, "w") as out:
            out.write(program.text())
        self.rng = random.Random("values %d" % plan.seed)
        self.inputs, self.input_args = {}, []
        self.outputs = []

    def call(self, *args, env=None):
        command = [self.cetane, *args, "--crash-dir=" + self.folder]
        begin = time.monotonic()
        p = subprocess.run(command, capture_output=True, cwd=self.folder,
                           env=dict(os.environ, **(env or {})), text=True)
        spent = time.monotonic() - begin
        if p.returncode:
            words = re.findall(r"error\[(E\d+)\]", p.stderr)
            what = words[0] if words else "exit %d" % p.returncode
            raise Failure(what, "%s\nexit status %d after %.1f s\n%s%s" % (
                " ".join(command), p.returncode, spent, p.stdout[-2000:],
                p.stderr[-4000:]))
        if "error" in p.stderr or "isl_ctx" in p.stderr:
            raise Failure("stderr", " ".join(command) + "\n" + p.stderr)
        return p

    def names(self, text, what):
        line = re.search(r"^\d+ %ss?: (.*)$" % what, text, re.M)
        return re.findall(r"(\w+)\[", line[1]) if line else []

    def prepare(self):
        """What the command calls inputs and outputs; inputs as files."""
        text = self.call("check", self.file).stdout
        names = self.names(text, "input")
        self.outputs = self.names(text, "output")
        declared = self.program.inputs
        if len(self.outputs) != len(self.program.outputs) or \
                len(names) != len(declared):
            raise Failure("check", text)
        for (name, shape), outside in zip(declared, names):
            self.fill(name, outside, [self.program.value(d) for d in shape])

    def fill(self, name, outside, shape):
        m, n = shape
        kind, rng = self.program.kind, self.rng
        values = [number(kind, rng, self.plan.values == "extreme")
                  for _ in range(m * n)]
        self.inputs[name] = [values[i * n:(i + 1) * n] for i in range(m)]
        if self.plan.values == "random":
            return
        path = os.path.join(self.folder, "in_%s.npy" % outside)
        with open(path, "wb") as out:
            out.write(npy.dump(FORMAT[kind], shape, values))
        self.input_args.append("--input=%s=%s" % (outside, path))

    def run(self, number, *options, env=None):
        """Outputs in bytes, in their order."""
        files = {n: os.path.join(self.folder, "out_%s.npy" % n)
                 for n in self.outputs}
        args = ["--output=%s=%s" % f for f in files.items()]
        args += ["-D%s=%d" % d for d in self.program.sizes.items()]
        args += ["--seed=%d" % (self.plan.seed % 9999),
                 "--host-seed=%d" % self.plan.host_seeds[number],
                 "--time-limit=%g" % self.plan.limit, "--fp=" + self.plan.fp]
        p = self.call("run", self.file, "--sanitize=all",
                      *self.input_args, *args,
                      *options, env=env)
        # An output of infinities and NaNs alone has no bound.
        judged = re.findall(r": (?:verified |not verified: no element has a "
                            r"bound: )", p.stdout)
        if len(judged) != len(files):
            raise Failure("unverified", p.stdout + p.stderr)
        data = []
        for path in files.values():
            with open(path, "rb") as f:
                data.append(f.read())
            os.remove(path)
        return data

    def same(self, what, a, b):
        """Same bits where the order of operations does not matter."""
        if self.plan.fp != "strict" and self.program.kind not in \
                random_values.BITS:
            return
        for name, x, y in zip(self.outputs, a, b):
            if x == y:
                continue
            pairs = zip(elements(self.program.kind, x),
                        elements(self.program.kind, y))
            for i, (u, v) in enumerate(pairs):
                if struct.pack("d", u) != struct.pack("d", v) and \
                        (u == u or v == v):
                    raise Failure("differ", "%s: %s, element %d: %r, %r" % (
                        what, name, i, u, v))

    def expected(self, data, fixed):
        """Compare with the rules, where they give exact numbers."""
        if self.plan.values == "random":
            return
        try:
            want = random_values.evaluate(self.program, fixed, self.inputs)
        except (random_values.Unknown, ValueError, OverflowError):
            return
        for name, rows, x in zip(self.outputs, want.values(), data):
            values = [v for row in rows for v in row]
            got = elements(self.program.kind, x)
            if list(got) != values:
                bad = [i for i, (g, w) in enumerate(zip(got, values))
                       if g != w]
                raise Failure("value", "%s is wrong at %s: got %r, not %r" % (
                    name, bad[:9], [got[i] for i in bad[:9]],
                    [values[i] for i in bad[:9]]))

    def runs(self):
        cost = random_values.cost(self.program)
        verify = ["--verify=full"] if cost < INTERP_COST else []
        env = {"CETANE_DEBUG": "roundtrip"} if self.plan.roundtrip else None
        tiled = self.run(0, *verify, env=env)
        naive = self.run(1, "--map=naive")
        self.same("tiled and naive", tiled, naive)
        open_sizes = self.run(2, "--parametric", *verify[::-1], env=env)
        self.same("fixed and parametric", tiled, open_sizes)
        if self.plan.naive:
            naive = self.run(3, "--parametric", "--map=naive", *verify)
            self.same("tiled and naive, parametric", open_sizes, naive)
        if cost < PYTHON_COST:
            self.expected(tiled, True)
            self.expected(open_sizes, False)

    def build(self, file, *options):
        args = ["--arch=" + self.plan.arch,
                "--time-limit=%g" % self.plan.limit]
        if self.plan.seed % 2 and file == self.file:
            args += ["-D%s=%d" % d for d in self.program.sizes.items()]
        return self.call("build", file, *options, *args)

    def builds(self):
        out = os.path.join(self.folder, "out")
        kinds = ",".join(self.plan.kinds)
        self.build(self.file, "--emit=" + kinds, "-o", out)
        if len(glob.glob(out + "*")) < 1:
            raise Failure("emit", "--emit=%s wrote nothing" % kinds)
        if "poly" in self.plan.kinds:
            self.reread(out if len(self.plan.kinds) == 1 else out + ".poly")
        if not self.plan.cubin or not has_assembler():
            return
        p = self.build(self.file, "--emit=cubin", "-o", out + ".cubin")
        for kernel in re.findall(r"remark: (.*)", p.stderr):
            if not re.search(r", 0 bytes stack, 0 bytes spill stores, "
                             "0 bytes spill loads", kernel):
                raise Failure("spills", p.stderr)

    def reread(self, file):
        """The mapped program as text gives the same PTX."""
        text = [self.build(f, "--from=" + kind, "--emit=ptx", "-o-").stdout
                for f, kind in [(self.file, "dsl"), (file, "poly")]]
        code = [re.sub(r"(?m)//.*$|^\s*\.(loc|file).*$", "", t).split(
            ".section")[0] for t in text]
        if code[0] != code[1]:
            raise Failure("reread", "--from=poly gives other PTX")


def has_assembler():
    places = os.environ.get("PATH", "").split(":") + ["/usr/local/cuda/bin"]
    return any(os.access(os.path.join(p, "ptxas"), os.X_OK) for p in places)


def check(cetane, program, plan):
    """None, or what failed."""
    with tempfile.TemporaryDirectory() as folder:
        c = Check(cetane, folder, program, plan)
        try:
            c.prepare()
            c.runs()
            c.builds()
        except Failure as f:
            return f
    return None


def smaller_exprs(e):
    """Every expression with one operator taken out of "e"."""
    if e[0] in ("name", "num"):
        return
    for i, part in enumerate(e):
        if i == 0 or not isinstance(part, tuple):
            continue
        if e[0] == "call":
            for k, arg in enumerate(part):
                yield arg
                for s in smaller_exprs(arg):
                    yield e[:i] + (part[:k] + (s,) + part[k + 1:],)
        else:
            yield part
            for s in smaller_exprs(part):
                yield e[:i] + (s,) + e[i + 1:]


def names_in(e):
    if e[0] == "name":
        return {e[1]}
    parts = e[2] if e[0] == "call" else e[1:]
    return set().union(*(names_in(p) for p in parts if isinstance(p, tuple)))


def without_unused(p):
    """Leave out inputs and sizes that nothing reads."""
    used = set().union(*(names_in(e) for _, e in p.defs))
    p.inputs = [i for i in p.inputs if i[0] in used]
    dims = {d for _, shape in p.inputs for d in shape}
    p.sizes = {n: v for n, v in p.sizes.items() if n in dims}
    return p


def smaller(p):
    """Programs with a little less than "p"; not all of them are valid."""
    for i in range(len(p.outputs) if len(p.outputs) > 1 else 0):
        q = p.copy()
        del q.outputs[i]
        yield q
    for i in range(len(p.defs) - 1, -1, -1):
        q = p.copy()
        del q.defs[i]
        q.outputs = [o for o in q.outputs if o in {n for n, _ in q.defs}]
        if q.outputs:
            yield without_unused(q)
    for i, (name, e) in enumerate(p.defs):
        for s in smaller_exprs(e):
            q = p.copy()
            q.defs[i] = (name, s)
            yield without_unused(q)
    for name, value in p.sizes.items():
        for less in {v for v in (0, 1, 2, 3, 9, value // 2, value - 1)
                     if 0 <= v < value}:
            q = p.copy()
            q.sizes[name] = less
            yield q
    for dim in {d for _, s in p.inputs for d in s if isinstance(d, int)}:
        for less in {v for v in (0, 1, 2, 3, 9, dim // 2, dim - 1)
                     if 0 <= v < dim}:
            q = p.copy()
            q.inputs = [(n, tuple(less if d == dim else d for d in s))
                        for n, s in p.inputs]
            yield q
    if p.entry:
        q = p.copy()
        q.entry = None
        yield q


def shrink(cetane, program, plan, failure):
    end = time.monotonic() + SHRINK_SECONDS
    found = True
    while found and time.monotonic() < end:
        found = False
        for q in smaller(program):
            if time.monotonic() > end:
                break
            f = check(cetane, q, plan)
            if f and f.what == failure.what:
                program, failure, found = q, f, True
                break
    return program, failure


def make(seed, small):
    """The program of "seed": the next one that is cheap enough to run."""
    while random_values.cost(random_source.make(seed, small)) > COST:
        seed += 1000003
    return random_source.make(seed, small)


def test(args, seed):
    """None, or a report."""
    program = make(seed, args.small)
    plan = Plan(seed, args.small, args.limit)
    failure = check(args.cetane, program, plan)
    if not failure:
        return None
    if not args.no_shrink:
        program, failure = shrink(args.cetane, program, plan, failure)
    return "FAIL seed %d, %s: %s\n%s%s" % (seed, failure.what, program.sizes,
                                           program.text(), failure)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane", type=os.path.abspath)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--jobs", type=int, default=CORES)
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--no-shrink", action="store_true")
    args = parser.parse_args()
    end = time.monotonic() + args.seconds
    failed = done = 0

    def one(seed):
        return test(args, seed) if time.monotonic() < end else "late"

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for report in pool.map(one, range(args.seed, args.seed + args.count)):
            if report == "late":
                continue
            done += 1
            if report:
                failed += 1
                print(report, flush=True)
    print("%d programs, %d failed" % (done, failed))
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
