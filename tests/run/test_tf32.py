#!/usr/bin/env python3
"""tf32 on the host device and in the interpreter, against what its definition says in exact
arithmetic: f64 and f32 rounded to it, f32 in its place cut, and products of what was cut, on
matrix units and without.

usage: test_tf32.py CETANE
"""
import math
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

from test_float8 import load, save, single_of

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import npy  # noqa: E402

TEXT = """param N;
tensor tf32 x(N);
tensor f64 v(N);
out wide(i) = f32(x(i));
out narrow(i) = tf32(v(i));
out single(i) = tf32(f32(v(i)));
out half(i) = f16(x(i));
"""
PRODUCT = """param M, N, K;
tensor tf32 A(M,K), B(N,K);
out C(i,j) = f32(sum(k: A(i,k) * B(j,k)));
"""
M, N, K = 67, 40, 24


def unit_of(x):
    """The distance of numbers of tf32 near "x"."""
    return Fraction(2) ** (max(math.frexp(x)[1] - 1, -126) - 10)


def rounded(x):
    """"x" as tf32, away from 0 if it lies in the middle."""
    if x == 0 or not math.isfinite(x):
        return x
    n = math.floor(abs(Fraction(x)) / unit_of(x) + Fraction(1, 2)) * unit_of(x)
    return math.copysign(float(n) if n < 2**128 else math.inf, x)


def cut(x):
    """The f32 "x" without what it has beyond the digits of tf32."""
    if x == 0 or not math.isfinite(x):
        return x
    return math.copysign(float(math.floor(abs(Fraction(x)) / unit_of(x)) *
                               unit_of(x)), x)


def numbers():
    """Numbers, ties, and what lies by less than f32 tells beside these."""
    draw = random.Random(32)
    xs = [0., math.inf, 1e300, 5e-324, 2.**-136, 2.**-137, 3.4e38, 2.**128 - 2.**116]
    for _ in range(300):
        unit = 2. ** draw.randint(-140, 110)
        low = draw.randint(1024, 2047) * unit
        xs += [low, low + unit / 2, (low + unit / 2) * (1 + 2.**-45),
               (low + unit / 2) * (1 - 2.**-45), low + unit * draw.random()]
    return xs + [-x for x in xs]


def agree(what, got, want):
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        if g != w or math.copysign(1, g) != math.copysign(1, w):
            sys.exit("%s %d: %r, not %r" % (what, i, g, w))


def run(cetane, text, *options):
    with open("p.dsl", "w", encoding="utf-8") as f:
        f.write(text)
    subprocess.run([cetane, "run", "p.dsl", "--device=host", "--sanitize=all", *options],
                   check=True, stdout=subprocess.DEVNULL)


def check_conversions(cetane):
    xs = numbers()
    save("v.npy", "<f8", "d", xs)
    save("x.npy", "<f4", "f", [single_of(x) for x in xs])
    run(cetane, TEXT, "-DN=%d" % len(xs), "-ix=x.npy", "-iv=v.npy", *[
        "-o%s=%s.npy" % (n, n) for n in ("wide", "narrow", "single", "half")])
    singles = [single_of(x) for x in xs]
    agree("wide", load("wide.npy", "f"), map(cut, singles))
    agree("narrow", load("narrow.npy", "f"), map(rounded, xs))
    agree("single", load("single.npy", "f"), map(rounded, singles))


def check_products(cetane):
    """Small whole numbers whose lower bits are not 0: sums of what is left are exact."""
    draw = random.Random(33)
    low = 2.**-11 * (1 - 2.**-10)
    a = [draw.choice((-1, 1)) * draw.randint(1, 9) * (1 + low) for _ in range(M * K)]
    b = [draw.choice((-1, 1)) * draw.randint(1, 9) * (1 + low) for _ in range(N * K)]
    npy.write("a.npy", "f32", (M, K), a)
    npy.write("b.npy", "f32", (N, K), b)
    want = [float(sum(Fraction(cut(single_of(a[i * K + k]))) *
                      Fraction(cut(single_of(b[j * K + k]))) for k in range(K)))
            for i in range(M) for j in range(N)]
    for options in ((), ("--map=naive",)):
        run(cetane, PRODUCT, "-DM=%d" % M, "-DN=%d" % N, "-DK=%d" % K, "-iA=a.npy",
            "-iB=b.npy", "-oC=c.npy", *options)
        agree("product" + "".join(options), load("c.npy", "f"), want)


def main():
    cetane = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_conversions(cetane)
        check_products(cetane)
        os.chdir("/")


if __name__ == "__main__":
    main()
