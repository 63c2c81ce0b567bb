#!/usr/bin/env python3
"""Check products on matrix units: programs on the host device under all checks,
verified, read back after every pass, and in the ring.

usage: test_units.py CETANE

Sizes are such that tiles and steps have edges; texts differ in types, in how operands
lie, in what the sums go over and in what is made of them; configurations in how many
fragments a block, a warp and a tile of steps have.
"""
import re
import sys
import tempfile

from on_host import check_all, complaints, run

UNITS = {"bf16": "mma.m16n8k16.bf16", "f16": "mma.m16n8k16.f16",
         "f64": "mma.m16n8k8.f64"}
SHAPES = {"nn": ("M,K", "K,N", "A(i,k) * B(k,j)"),
          "tn": ("K,M", "K,N", "A(k,i) * B(k,j)"),
          "nt": ("M,K", "N,K", "A(i,k) * B(j,k)"),
          "tt": ("K,M", "N,K", "B(j,k) * A(k,i)")}
HEAD = "param M, N, K;\ntensor %s A(%s), B(%s), b(N);\n"


def product(kind, shape, value="sum(k: %s)"):
    a, b, term = SHAPES[shape]
    return HEAD % (kind, a, b) + "out C(i,j) = %s;\n" % (value % term)


GRAM = "param M, K;\ntensor %s A(M,K);\nout C(i,j) = sum(k: A(i,k) * A(j,k));\n"
BATCH = """param M, N, K;
tensor %s A(3,M,K), B(3,K,N);
out C(s,i,j) = sum(k: A(s,i,k) * B(s,k,j));
"""
BELOW = "sum(k for 0<=i<M, 0<=j<N, 0<=k<K, k<=i: %s)"
SCALED = "sum(k: 2 * %s)"
SQUARES = HEAD % ("f16", "M,K", "K,N") + \
    "out C(i,j) = sum(k: A(i,k) * A(i,k) * B(k,j));\n"
LARGEST = HEAD % ("f16", "M,K", "K,N") + \
    "out C(i,j) = max(k: A(i,k) * B(k,j));\n"
TWO = HEAD % ("bf16", "M,K", "K,N") + """tensor bf16 W(N,K);
H(i,j) = relu(sum(k: A(i,k) * B(k,j)) + b(j));
out D(i,k) = sum(j: H(i,j) * W(j,k));
"""
# Blocks: threads, tile and steps, stages.
BLOCKS = ["8 4 tile 16 8 %d", "8 4 tile 48 24 %d", "16 4 tile 32 64 %d stages 2",
          "64 4 tile 128 16 %d stages 3", "32 4 tile 256 32 %d stages 4"]
# The text, sizes, the unit (None: none), a configuration of the block and options.
CASES = []
for kind in UNITS:
    for shape in SHAPES:
        CASES += [(product(kind, shape), size, kind, None)
                  for size in ((130, 72, 40), (67, 131, 33))]
    for i, block in enumerate(BLOCKS):
        CASES.append((product(kind, list(SHAPES)[i % 4]), (136, 80, 72), kind,
                      block % (8 if kind == "f64" else 16 << i % 2)))
    CASES += [(GRAM % kind, (99, 50, 41), kind, None),
              (BATCH % kind, (70, 90, 24), kind, None),
              (product(kind, "nn", "relu(sum(k: %s) + b(j))"), (90, 99, 24), kind,
               None),
              (product(kind, "nt", BELOW), (140, 70, 150), kind, None),
              (product(kind, "nn", SCALED), (70, 70, 40), None, None),
              (product(kind, "nn"), (70, 70, 40), None, None, "--fp=strict"),
              (product(kind, "tn"), (136, 72, 40), kind, None, "--parametric")]
CASES += [(TWO, (80, 96, 40), "bf16", None), (SQUARES, (70, 70, 40), None, None),
          (LARGEST, (70, 70, 40), None, None),
          (product("f32", "nn"), (70, 70, 40), None, None)]


def check(command, path, sizes, kind, block, *options):
    with open(path, encoding="utf-8") as f:
        names = re.search("param (.*);", f.readline()).group(1).split(", ")
    args = [path, *options] + ["-D%s=%d" % s for s in zip("MNK", sizes)
                               if s[0] in names]
    bad = []
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
        if block:
            text = run([command, "build"] + args + ["--emit=poly", "-o", "-"],
                       "").stdout
            name = re.search(r"(?m)^kernel (\S+) tiled", text).group(1)
            conf.write("cetane-config 1\nkernel %s thread %s unit %s\n" % (
                name, re.sub(r"(tile \S+ \S+ \S+)", r"\1 vec 1 2", block),
                UNITS[kind]))
            conf.flush()
            args.append("--config=" + conf.name)
        fixed = [a for a in args if "--parametric" not in args or
                 a[:2] not in ("-D", "--")]
        text = run([command, "build"] + fixed + ["--emit=poly", "-o", "-"],
                   "").stdout
        units = set(re.findall(r"(?m)^kernel .* unit (\S+)", text))
        if units != ({UNITS[kind]} if kind else set()):
            bad.append("units are %s\n%s" % (units, text[:300]))
        return bad + complaints(command, args, "roundtrip")


if __name__ == "__main__":
    sys.exit(check_all(check, sys.argv[1], CASES))
