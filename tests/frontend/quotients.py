#!/usr/bin/env python3
"""Quotients and remainders in index notation against Python's // and %.

usage: quotients.py CETANE [--seed=N] [--count=N]

Each program has random expressions of indices, sizes and whole numbers, with /
and % by positive numbers, as values, positions, sizes, and in conditions of
ranges, reductions and cases; and reads from which ranges are inferred. It runs
on the host device; what comes out must be what Python's integers give.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import npy  # noqa: E402

FIRST, END = -7, 9      # of indices whose range is written
WINDOW = range(-1500, 1500)


class Maker:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.sizes = {"N": self.r.randrange(0, 9), "M": self.r.randrange(1, 7)}

    def expr(self, names, depth=3):
        """An expression as the language and as Python write it."""
        r = self.r
        if depth == 0 or r.random() < .15:
            if names and r.random() < .8:
                name = r.choice(names)
                return name, name
            k = r.randrange(-6, 9)
            text = "%d" % k if k >= 0 else "(%d)" % k
            return text, text
        a = self.expr(names, depth - 1)
        roll = r.random()
        if roll < .3:
            d = r.choice([1, 2, 2, 3, 4, 5, 7])
            by = r.choice(["%d" % d, "%d" % d, "(%d - 1)" % (d + 1)])
            return "(%s / %s)" % (a[0], by), "(%s // %d)" % (a[1], d)
        if roll < .5:
            d = r.choice([1, 2, 2, 3, 4, 5])
            return "(%s %% %d)" % (a[0], d), "(%s %% %d)" % (a[1], d)
        if roll < .65:
            k = r.choice([-2, -1, 2, 3])
            text = "%d" % k if k >= 0 else "(%d)" % k
            return "(%s * %s)" % (text, a[0]), "(%d * %s)" % (k, a[1])
        if roll < .72:
            return "(-%s)" % a[0], "(-%s)" % a[1]
        b = self.expr(names, depth - 1)
        sign = r.choice("+-")
        return tuple("(%s %s %s)" % (x, sign, y) for x, y in zip(a, b))

    def value(self, expr, **more):
        return eval(expr[1], {}, dict(self.sizes, **more))

    def chain(self, name):
        """An expression that names the index once, with / alone."""
        e = name, name
        for _ in range(self.r.randrange(1, 4)):
            a, b = self.r.choice([1, 1, 2, 3, -1, -2]), self.r.randrange(-4, 6)
            d = self.r.choice([1, 2, 2, 3])
            e = ("((%d * %s + %d) / %d)" % (a, e[0], b, d),
                 "((%d * %s + %d) // %d)" % (a, e[1], b, d))
        return e


# Each kind of definition: lines of the program, and what comes out: a function
# of the index, its domain as a list, or None for the box that check prints.
def as_value(m, k):
    e = m.expr(["i", "N", "M"])
    return ["v%d(i) for %d <= i < %d = %s;" % (
        k, FIRST, END, m.r.choice(["i64(%s)", "%s + 0 * s(0)"]) % e[0])], \
        range(FIRST, END), lambda i: m.value(e, i=i)


def as_position(m, k):
    e = m.expr(["i", "N", "M"])
    values = [m.value(e, i=i) for i in range(FIRST, END)]
    low, high = min(values), max(values)
    return ["tensor i64 t%d(%d);" % (k, high - low + 1),
            "v%d(i) for %d <= i < %d = t%d(%s - (%d));" % (
                k, FIRST, END, k, e[0], low)], range(FIRST, END), \
        lambda i: 7 * (m.value(e, i=i) - low) + k, \
        ("t%d" % k, [7 * n + k for n in range(high - low + 1)])


def as_condition(m, k):
    e = [m.expr(["i", "N"], 2) for _ in range(4)]
    sign = [m.r.choice(["<", "<=", "==", "!=", ">", ">="]) for _ in range(2)]

    def value(i):
        x = [m.value(a, i=i) for a in e]
        return 1 if eval("%d %s %d" % (x[0], sign[0], x[1])) else \
            2 if eval("%d %s %d" % (x[2], sign[1], x[3])) else 3
    return ["v%d(i) for %d <= i < %d = case { %s %s %s: i64(1); %s %s %s: "
            "i64(2); else: i64(3); };" % (
                k, FIRST, END, e[0][0], sign[0], e[1][0], e[2][0], sign[1],
                e[3][0])], range(FIRST, END), value


def as_range(m, k):
    a, b = m.expr(["i", "N"], 2), m.expr(["i", "M"], 2)
    sign = m.r.choice(["<", "<=", "=="])

    def value(i):
        return i + 100 if FIRST <= i < END and eval("%d %s %d" % (
            m.value(a, i=i), sign, m.value(b, i=i))) else 0
    return ["v%d(i) for %d <= i < %d, %s %s %s = i64(i + 100);" % (
        k, FIRST, END, a[0], sign, b[0])], None, value


def as_scaled_range(m, k):
    """A range that the quotient alone gives."""
    e = m.chain("i")
    high = m.r.choice(["N", "N/2", "2*M", "N%3+1", "M-1"])
    end = eval(high.replace("/", "//"), {}, m.sizes)
    return ["v%d(i) for 0 <= %s, %s < %s = i64(i + 1000);" % (
        k, e[0], e[0], high)], \
        [i for i in WINDOW if 0 <= m.value(e, i=i) < end], \
        lambda i: i + 1000


def as_size(m, k):
    e = m.expr(["N", "M"])
    size = m.value(e)
    more = max(0, -size)
    return ["tensor i64 t%d(%s + %d);" % (k, e[0], more),
            "v%d(i) = t%d(i);" % (k, k)], range(size + more), \
        lambda i: 3 * i + k, ("t%d" % k, [3 * n + k
                                          for n in range(size + more)])


def as_reduction(m, k):
    a, b = m.expr(["r", "i"], 2), m.expr(["i", "N"], 2)

    def value(i):
        return sum(r * r + 1 for r in range(-3, 6)
                   if m.value(a, i=i, r=r) <= m.value(b, i=i))
    return ["v%d(i) for %d <= i < %d = sum(r for -3 <= r < 6, %s <= %s: "
            "i64(r * 1) * i64(r) + 1);" % (k, FIRST, END, a[0], b[0])], \
        range(FIRST, END), value


def inferred(m, k):
    e = m.chain("i")
    n = 2 * m.sizes["N"] + 3
    domain = [i for i in WINDOW if 0 <= m.value(e, i=i) < n]
    return ["v%d(i) = s(%s);" % (k, e[0])], domain, \
        lambda i: 11 * m.value(e, i=i) + 5


def inferred_jointly(m, k):
    d, a = m.r.choice([1, 2, 3]), m.r.choice([-1, 1, 2])
    e = m.r.choice([("((i + %d * r) / %d - 1)" % (a, d),
                     "((i + %d * r) // %d - 1)" % (a, d)),
                    ("(i / %d + r / 2)" % d, "(i // %d + r // 2)" % d),
                    ("(1 - (r + 3) / 2 - i / %d)" % d,
                     "(1 - (r + 3) // 2 - i // %d)" % d)])
    n = 2 * m.sizes["N"] + 3
    domain = [i for i in WINDOW
              if all(0 <= m.value(e, i=i, r=r) < n for r in range(3))]
    return ["v%d(i) = sum(r for 0 <= r < 3: s(%s));" % (k, e[0])], domain, \
        lambda i: sum(11 * m.value(e, i=i, r=r) + 5 for r in range(3))


KINDS = [as_value, as_position, as_condition, as_range, as_scaled_range,
         as_size, as_reduction, inferred, inferred_jointly]


def rounded_up(text):
    """The text with ceil(a//b) as -(-a//b)."""
    while "ceil(" in text:
        first = text.index("ceil(")
        end, depth = first + 5, 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        above, below = text[first + 5:end - 1].rsplit("//", 1)
        text = "%s(-(-%s//%s))%s" % (text[:first], above, below, text[end:])
    return text


def box(checked, name, sizes):
    """First and end of the range that check prints."""
    ends = re.search(r" i64 %s\[([^\]]*)\]" % name, checked)[1].split(":")
    ends = [eval(rounded_up(t.replace("/", "//")).replace("floor", ""), {},
                 dict(sizes)) for t in ends]
    return (0, ends[0]) if len(ends) == 1 else tuple(ends)


def one(cetane, folder, seed):
    """What is wrong with program "seed", or None."""
    m = Maker(seed)
    made = [m.r.choice(KINDS)(m, k) for k in range(3)] + [
        kind(m, 3 + k) for k, kind in enumerate(KINDS)]
    s = [11 * n + 5 for n in range(2 * m.sizes["N"] + 3)]
    text = "param N, M;\nassume N >= 0;\ntensor i64 s(2*N+3);\n" + "".join(
        "\n".join(d[0]) + "\n" for d in made)
    path = os.path.join(folder, "q.dsl")
    with open(path, "w") as f:
        f.write(text)
    inputs = [("s", s)] + [d[3] for d in made if len(d) > 3]
    words = ["-D%s=%d" % x for x in m.sizes.items()]
    checked = subprocess.run([cetane, "check", path] + words, text=True,
                             capture_output=True)
    for name, values in inputs:
        npy.write(os.path.join(folder, name + ".npy"), "i64",
                  [len(values)], values)
        words.append("--input=%s=%s.npy" % (name, name))
    words += ["--output=v%d=v%d.npy" % (k, k) for k in range(len(made))]
    out = subprocess.run([cetane, "run", path, "--sanitize=all"] + words,
                         text=True, capture_output=True, cwd=folder)
    if out.returncode or checked.returncode:
        return text + out.stderr
    wrong = ""
    for k, d in enumerate(made):
        _, got = npy.read(os.path.join(folder, "v%d.npy" % k))
        domain, value = d[1], d[2]
        if domain is None:
            domain = range(*box(checked.stdout, "v%d" % k, m.sizes))
            if any(value(i) for i in range(FIRST, END) if i not in domain):
                wrong += "the box of v%d is too small\n" % k
        want = [value(i) for i in domain]
        if got != want:
            wrong += "%s\n%s: %s, not %s\n" % (checked.stdout, "".join(d[0]),
                                              got, want)
    return wrong and "%s%s\n%s" % (text, m.sizes, wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cetane")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            wrong = one(os.path.abspath(options.cetane), folder, seed)
            if wrong:
                print("seed %d:\n%s" % (seed, wrong))
                failed += 1
    print("%d programs, %d failed" % (options.count, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
