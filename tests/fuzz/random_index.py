#!/usr/bin/env python3
"""Random programs in index notation through the whole compiler.

usage: random_index.py CETANE [--seed=N] [--count=N]

A program has up to six definitions: element by element, with written or
inferred ranges, triangles, shifts and strides, cases, reductions and
recurrences. Programs that "check" refuses are made anew, as most refusals are
reads outside; it must never fail itself. The others run on the host device
with all checks, verified by the interpreter and by one thread in the original
order. A failure is printed with its seed, made smaller definition by
definition.
"""
import os
import random
import subprocess
import sys
import tempfile

INPUTS = {"x": (1, "N"), "y": (1, "M"), "A": (2, "N,M"), "B": (2, "M,N"),
          "C": (2, "N,N"), "T": (3, "N,M,N")}
RANGES = {"i": ["0<=i<N", "-1<=i<N", "1<=i<M", "0<=2*i<N", "0<=i<=N",
                "0<=i<N, i%2==0", "0<=i<N, i!=1"],
          "j": ["0<=j<M", "0<=j<=i", "i<j<N", "0<=j<N", "0<=i+j<N, 0<=j<N"],
          "l": ["0<=l<N", "0<=l<M", "j<=l<N"]}


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.type = self.random.choice(["f32", "f64", "i32", "f32"])
        self.tensors = {n: r for n, (r, _) in INPUTS.items()}
        self.defs = []
        for _ in range(self.random.randrange(1, 7)):
            self.define()

    def position(self, names):
        r, name = self.random, self.random.choice(names)
        return r.choice([name] * 12 + [
            name + "-1", name + "+1", "2*%s" % name, "2*%s+1" % name,
            "N-1-%s" % name, "%s/2" % name, "0", "%s+%s" % (
                name, r.choice(names)), "%s%%2" % name])

    def read(self, names):
        tensor = self.random.choice(list(self.tensors))
        rank = self.tensors[tensor]
        if not names:
            return "%s(%s)" % (tensor, ",".join(["0"] * rank))
        order = self.random.sample(names, len(names)) * 3
        return "%s(%s)" % (tensor, ",".join(
            order[d] if self.random.random() < .6 else self.position(names)
            for d in range(rank)))

    def expr(self, names, depth=2):
        r = self.random
        if depth == 0 or r.random() < .25:
            return self.read(names) if r.random() < .85 else \
                str(r.randrange(-3, 4))
        a, b = self.expr(names, depth - 1), self.expr(names, depth - 1)
        ways = ["%s + %s", "%s - %s", "(%s) * (%s)", "min(%s, %s)",
                "max(%s, %s)", "(%s) - abs(%s)"]
        way = r.randrange(len(ways) + 3)
        if way < len(ways):
            return ways[way] % (a, b)
        if way == len(ways):
            return "(%s) < (%s) ? %s : %s" % (
                a, b, self.read(names), self.read(names))
        name = r.choice([n for n in "rst" if n not in names])
        inner = self.read(names + [name])
        extent = r.choice(["", "", " for 0<=%s<3" % name,
                           " for 0<=%s<N" % name] + (
            [" for 0<=%s<%s" % (name, names[0])] if names else []))
        return "%s(%s%s: %s)" % (r.choice(["sum", "sum", "max", "min"]),
                                 name, extent, inner)

    def define(self):
        r = self.random
        name = "d%d" % len(self.defs)
        names = ["i", "j", "l"][:r.choice([0, 1, 1, 2, 2, 2, 3])]
        head = "%s(%s)" % (name, ",".join(names))
        kind = r.choice(["plain", "plain", "update", "case", "recurrence"])
        written = [r.choice(RANGES[n]) for n in names]
        if kind in ["plain", "update"]:
            keep = [w for w in written if r.random() < .4]
            extent = " for " + ", ".join(keep) if keep else ""
        else:
            extent = " for " + ", ".join(written) if names else ""
        if kind == "update":
            op = r.choice(["+=", "+=", "min=", "max="])
            more = names + r.sample(["u", "v"], r.randrange(1, 3))
            text = "%s%s %s %s;" % (head, extent, op, self.expr(more, 1))
        elif kind == "plain" or not names:
            text = "%s%s = %s;" % (head, extent, self.expr(names))
        else:
            text = self.cases(name, names, head, extent, kind)
        self.tensors[name] = len(names)
        self.defs.append("out " + text)

    def cases(self, name, names, head, extent, kind):
        r, first = self.random, names[0]
        if kind == "recurrence":
            step = r.choice([1, 1, 2])
            cond = "%s <= %d" % (first, step - 1)
            past = ["%s-%d" % (first, step)] + names[1:]
            last = "%s(%s) %s %s" % (name, ",".join(past), r.choice("+-"),
                                     self.expr(names, 1))
        else:
            cond = r.choice(["%s == 0", "%s %% 2 == 0", "%s < 2 or %s == N-1",
                             "2 * %s > N"]).replace("%s", first).replace(
                                 "%%", "%")
            last = self.expr(names, 1)
        return "%s%s = case { %s: %s; else: %s; };" % (
            head, extent, cond, self.expr(names, 1), last)

    def text(self, kept=None):
        lines = ["param N, M;", "assume N >= 1, M >= 1;", "tensor %s %s;" % (
            self.type, ", ".join("%s(%s)" % (n, s)
                                 for n, (_, s) in INPUTS.items()))]
        return "\n".join(lines + [d for i, d in enumerate(self.defs)
                                  if kept is None or i in kept]) + "\n"


def run(cetane, verb, text, options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "random.dsl")
        with open(path, "w") as f:
            f.write(text)
        try:
            p = subprocess.run([cetane, verb, path] + options, cwd=folder,
                               capture_output=True, text=True, timeout=300)
        except subprocess.TimeoutExpired:
            return -1, "no end in 300 s"
    return p.returncode, p.stderr


def fails(cetane, text, size):
    """Why the program fails, or None; "refused" if it is no program."""
    code, said = run(cetane, "check", text, size)
    if code == 1:
        return "refused"
    for how in ["interp", "full"] if code == 0 else []:
        code, said = run(cetane, "run", text, size + [
            "--device=host", "--checks", "--verify=" + how])
        if code:
            break
    return "exit code %d\n%s" % (code, said) if code else None


def shrink(cetane, program, size, why):
    kept = set(range(len(program.defs)))
    for i in range(len(program.defs)):
        less = fails(cetane, program.text(kept - {i}), size)
        if less and less != "refused" and less[:12] == why[:12]:
            kept, why = kept - {i}, less
    return program.text(kept), why


def main():
    cetane = os.path.abspath(sys.argv[1])
    options = dict(a[2:].split("=") for a in sys.argv[2:])
    seed, count = int(options.get("seed", 1)), int(options.get("count", 20))
    ran = failed = refused = 0
    while ran < count:
        program = Program(seed)
        size = ["-D", "N=%d" % program.random.randrange(1, 8),
                "-D", "M=%d" % program.random.randrange(1, 7)]
        why = fails(cetane, program.text(), size)
        refused += why == "refused"
        ran += why != "refused"
        if why and why != "refused":
            failed += 1
            text, why = shrink(cetane, program, size, why)
            print("seed %d, %s: %s\n%s" % (seed, " ".join(size), why, text))
        seed += 1
    print("%d programs ran, %d failed; %d were refused" % (
        ran, failed, refused))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
