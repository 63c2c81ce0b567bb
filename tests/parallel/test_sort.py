#!/usr/bin/env python3
"""Sorts of keys of every type, with their ends, compared with Python's own; and the
text of a program that reads the bits of floats.

usage: test_sort.py CETANE TYPE...

long:TYPE has keys for several tiles, the last of them not whole; launches:TYPE keys for
a part of one, and each pass a kernel.
"""
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

CETANE = os.path.abspath(sys.argv[1])
KINDS = {"i8": ("b", "|i1"), "i16": ("h", "<i2"), "i32": ("i", "<i4"),
         "i64": ("q", "<i8"), "u8": ("B", "|u1"), "u16": ("H", "<u2"),
         "u32": ("I", "<u4"), "u64": ("Q", "<u8"), "f16": ("e", "<f2"),
         "f32": ("f", "<f4"), "f64": ("d", "<f8")}
N, LONG, PART = 150, 16500, 40


def values(kind):
    """Numbers of the type: its ends, equal ones, and some at random; two NaN have other
    bits.
    """
    rng = random.Random(kind)
    letter, _ = KINDS[kind]
    if kind[0] == "f":
        other, = struct.unpack("<d", struct.pack("<Q", 0x7ffc << 48))
        some = [0.0, -0.0, math.inf, -math.inf, math.nan, other, 1.5, -1.5,
                2.0 ** -14, -2.0 ** -24, 2.0 ** -24]
        return [rng.choice(some) if rng.random() < 0.5 else struct.unpack(
            "<" + letter, struct.pack("<" + letter, rng.gauss(0, 100)))[0]
                for _ in range(N)]
    bits = 8 * struct.calcsize("<" + letter)
    least = -1 << bits - 1 if kind[0] == "i" else 0
    some = [least, least + 1, 0, 1, 7, least + (1 << bits) - 1]
    return [rng.choice(some) if rng.random() < 0.5 else
            least + rng.getrandbits(bits) for _ in range(N)]


def bits_of(letter, v):
    """-0 and 0 differ, all NaN are one."""
    return "nan" if v != v else struct.pack("<" + letter, v)


def run(folder, text, kind, have, out_letter):
    letter, descr = KINDS[kind]
    with open(os.path.join(folder, "f.dag"), "w") as f:
        f.write(text)
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%d,)}" % (descr, N)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    with open(os.path.join(folder, "ks.npy"), "wb") as f:
        f.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) +
                head.encode() + struct.pack("<%d%s" % (N, letter), *have))
    # The interpreter compares each key with all others; Python's order counts.
    verify = ["--no-verify"] if N == LONG else []
    done = subprocess.run(
        [CETANE, "run", "f.dag", "-Dks_0=%d" % N, "--input=ks=ks.npy",
         "--output=result=out.npy", "--device=host", "--sanitize=all", *verify],
        cwd=folder, text=True, capture_output=True,
        env={**os.environ, **({"CETANE_DEBUG": "launches"} if N == PART else {})})
    if done.returncode:
        sys.exit("%s: %s" % (kind, done.stderr))
    with open(os.path.join(folder, "out.npy"), "rb") as f:
        data = f.read()
    size, = struct.unpack("<H", data[8:10])
    return struct.unpack("<%d%s" % (N, out_letter), data[10 + size:])


def check(folder, kind):
    """Both sorts; the places say which of equal keys came first."""
    have = values(kind)
    letter, _ = KINDS[kind]
    order = sorted(range(N), key=lambda i: (have[i] != have[i],
                                            0 if have[i] != have[i] else have[i]))
    out = run(folder, "%s[] f(%s[] ks) { return sort(ks); }\n" % (kind, kind),
              kind, have, letter)
    want = [bits_of(letter, have[i]) for i in order]
    if [bits_of(letter, v) for v in out] != want:
        sys.exit("sort of %s: %s" % (kind, out))
    out = run(folder, "int[] f(%s[] ks) {\n\treturn sort_by(ks, "
              "for (int i : range(dim0(ks))) { return 3 * i; });\n}\n" % kind,
              kind, have, "i")
    if list(out) != [3 * i for i in order]:
        sys.exit("sort_by of %s: %s" % (kind, out))


def check_text(folder):
    """Only an f32 has the bits of a u32."""
    with open(os.path.join(folder, "f.dag"), "w") as f:
        f.write("f32[] f(f32[] ks) { return sort(ks); }\n")
    subprocess.run([CETANE, "build", "f.dag", "-Dks_0=9", "--emit=poly", "-o",
                    "f.poly"], cwd=folder, check=True, capture_output=True)
    with open(os.path.join(folder, "f.poly")) as f:
        text = f.read()
    if "(bits u32 (read key " not in text:
        sys.exit("no bits in the text")
    with open(os.path.join(folder, "g.poly"), "w") as f:
        f.write(text.replace("(bits u32 (read key ", "(bits u64 (read key "))
    done = subprocess.run([CETANE, "build", "g.poly", "--from=poly", "--emit=ptx",
                           "-o", "g.ptx"], cwd=folder, text=True,
                          capture_output=True)
    if "E314" not in done.stderr or "mixes types" not in done.stderr:
        sys.exit("bits of another size: %s" % done.stderr)


def main():
    global N
    for kind in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            if kind == "text":
                check_text(folder)
            elif ":" in kind:
                N = LONG if kind.startswith("long:") else PART
                check(folder, kind.split(":")[1])
            else:
                N = 150
                check(folder, kind)
    print("%d types, 0 failed" % len(sys.argv[2:]))


if __name__ == "__main__":
    main()
