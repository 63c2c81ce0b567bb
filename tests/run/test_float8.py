#!/usr/bin/env python3
"""Floats of 8 bits on the host device and in the interpreter: all 256 patterns as f32, and
f64, f32, f16 and integers rounded to them, against a table made of the formats' definition,
or of ml_dtypes, where that is installed.

usage: test_float8.py CETANE
"""
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

TEXT = """param N;
tensor %(t)s x(256);
tensor f64 v(N);
tensor i64 n(N);
out wide(i) = f32(x(i));
out far(i) = f64(x(i));
out narrow(i) = %(t)s(v(i));
out single(i) = %(t)s(f32(v(i)));
out half(i) = %(t)s(f16(v(i)));
out whole(i) = %(t)s(n(i));
out product(i) = x(i) * x(255 - i);
"""
# Digits of the fraction, bias of the exponent, the largest number's pattern.
FORMATS = {"f8e4m3": (3, 7, 0x7e), "f8e5m2": (2, 15, 0x7b)}


def value(kind, i):
    """The value of the pattern "i" by definition."""
    digits, bias, last = FORMATS[kind]
    sign, size = -1. if i & 128 else 1., i & 127
    if size > last:
        return sign * math.inf if kind == "f8e5m2" and size == 0x7c else math.nan
    exponent, fraction = size >> digits, size & (1 << digits) - 1
    if exponent:
        return sign * (1 + fraction / (1 << digits)) * 2. ** (exponent - bias)
    return sign * fraction * 2. ** (1 - bias - digits)


def pattern(kind, x):
    """The pattern that "x", an exact number, is rounded to: the nearest, the even one
    of two, and the largest of what is larger.
    """
    if x != x:
        return 0x7f
    last = FORMATS[kind][2]
    sign = 128 if math.copysign(1, x) < 0 else 0
    if abs(x) >= value(kind, last):
        return sign | last
    i = max(i for i in range(last) if value(kind, i) <= abs(x))
    below, above = abs(x) - value(kind, i), value(kind, i + 1) - abs(x)
    return sign | (i if below < above or (below == above and i % 2 == 0) else i + 1)


def known(kind):
    """The values of all patterns as ml_dtypes has them, or by definition."""
    try:
        import ml_dtypes
        import numpy
    except ImportError:
        return [value(kind, i) for i in range(256)]
    name = "float8_e4m3fn" if kind == "f8e4m3" else "float8_e5m2"
    return numpy.arange(256, dtype="u1").view(getattr(ml_dtypes, name)).astype(
        float).tolist()


def save(path, descr, code, values):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }" % (
        descr, len(values))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() +
                struct.pack("<%d%s" % (len(values), code), *values))


def load(path, code):
    with open(path, "rb") as f:
        data = f.read()
    data = data[10 + struct.unpack_from("<H", data, 8)[0]:]
    return [x[0] for x in struct.iter_unpack("<" + code, data)]


def numbers(kind):
    """Numbers, ties, what lies by less than f32 tells beside them, and what is not one."""
    last = FORMATS[kind][2]
    xs = [0., math.inf, math.nan, 1e300, 5e-324, value(kind, last) * 1.04]
    for i in range(last):
        low, high = value(kind, i), value(kind, i + 1)
        tie = (low + high) / 2
        xs += [low, tie, tie * (1 + 2.**-45), tie * (1 - 2.**-45)]
    draw = random.Random(8)
    xs += [draw.uniform(1, 2) * 2. ** draw.randint(-20, 20) for _ in range(500)]
    return xs + [-x for x in xs]


def half_of(x):
    """"x" rounded to f16."""
    try:
        return struct.unpack("<e", struct.pack("<e", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def single_of(x):
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def agree(what, got, want):
    for i, (g, w) in enumerate(zip(got, want, strict=True)):
        same = g == w and math.copysign(1, g) == math.copysign(1, w)
        if not same and not (g != g and w != w):
            sys.exit("%s %d: %r, not %r" % (what, i, g, w))


def check(cetane, kind):
    table = known(kind)
    agree(kind + " of ml_dtypes", table, [value(kind, i) for i in range(256)])
    xs = numbers(kind)
    ns = [(-1)**i * (i * i * i // 7) for i in range(len(xs))]
    ns[:4] = [2**62, -2**62, 2**53 + 1, 464]
    with open("p.dsl", "w", encoding="utf-8") as f:
        f.write(TEXT % {"t": kind})
    save("x.npy", "|u1", "B", range(256))
    save("v.npy", "<f8", "d", xs)
    save("n.npy", "<i8", "q", ns)
    outs = {"wide": "f", "far": "d", "narrow": "B", "single": "B", "half": "B",
            "whole": "B", "product": "B"}
    subprocess.run([cetane, "run", "p.dsl", "-DN=%d" % len(xs), "--device=host",
                    "--sanitize=all", "-ix=x.npy", "-iv=v.npy", "-in=n.npy"] +
                   ["-o%s=%s.npy" % (name, name) for name in outs], check=True,
                   stdout=subprocess.DEVNULL)
    got = {name: load(name + ".npy", code) for name, code in outs.items()}
    for name in "wide", "far":
        agree(kind + " " + name, got[name], table)
    for name, exact in (("narrow", xs), ("single", map(single_of, xs)),
                        ("half", map(half_of, xs)), ("whole", map(float, ns)),
                        ("product", [a * b for a, b in zip(table, table[::-1])])):
        agree(kind + " " + name, got[name], [pattern(kind, x) for x in exact])


def main():
    cetane = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for kind in FORMATS:
            check(cetane, kind)
        os.chdir("/")


if __name__ == "__main__":
    main()
