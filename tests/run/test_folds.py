#!/usr/bin/env python3
"""Check reductions that begin in the tiles of products: programs on the host device
under all checks, verified, read back after every pass, and in the ring.

usage: test_folds.py CETANE

Sizes are such that tiles and steps have edges; texts differ in which way and by which
operator they reduce, in types, and in what else is made of the product.
"""
import re
import sys

from on_host import check_all, complaints, run

INPUT = """param M, N, K;
tensor %s A(M,K), B(K,N), b(N);
C(i,j) = sum(k: A(i,k) * B(k,j));
"""
ROWS = "out r(i) = sum(j: C(i,j));\n"
MOST = "out m(i) max= abs(C(i,j) + b(j));\n"
COLUMNS = "out c(j) = sum(i: C(i,j));\n"
LEAST = "out l(j) min= C(i,j) * b(j);\n"
KEPT = "out D(i,j) = relu(C(i,j) + b(j));\nout d(i) = sum(j: D(i,j) * D(i,j));\n"
ALL = "out s() = sum(i, j: C(i,j) * C(i,j));\n"
# The product lies the other way: rows are the first axis of its tiles.
TURNED = """param M, N, K;
tensor f32 A(K,M), B(N,K);
C(j,i) = sum(k: A(k,i) * B(j,k));
out r(i) = sum(j: C(j,i));
out c(j) max= C(j,i);
"""
BATCH = """param M, N, K;
tensor f32 A(3,M,K), B(3,K,N);
C(s,i,j) = sum(k: A(s,i,k) * B(s,k,j));
out r(s,i) = sum(j: C(s,i,j));
out c(s,j) max= C(s,i,j);
out a(s) min= C(s,i,j);
"""
# How many folds there are, and where there is none: results that are read again,
# triangles, which have lines that do not begin with a tile.
NORM = "out n(i,j) = C(i,j) - sum(l: C(i,l));\n"
BELOW = "out t(i) = sum(j for 0<=i<M, 0<=j<N, j>=i: C(i,j));\n"
F32, F16, F64, I32 = (INPUT % t for t in ("f32", "f16", "f64", "i32"))
CASES = [
    (F32 + ROWS, (257, 130, 33), 1), (F32 + ROWS, (64, 700, 16), 1),
    (F32 + COLUMNS, (259, 130, 17), 1), (F32 + COLUMNS, (700, 64, 16), 1),
    (F32 + MOST + LEAST, (131, 150, 40), 2), (F32 + KEPT, (140, 90, 31), 1),
    (F32 + ROWS + COLUMNS + ALL, (200, 133, 20), 3),
    (F16 + ROWS + MOST + COLUMNS, (129, 140, 24), 3),
    (F64 + COLUMNS + MOST, (70, 131, 19), 2), (I32 + ROWS + LEAST, (99, 129, 21), 2),
    (TURNED, (129, 140, 30), 2), (BATCH, (90, 70, 20), 3),
    (F32 + NORM, (100, 90, 20), 0), (F32 + BELOW, (100, 90, 20), 0),
]


def check(command, path, sizes, folds):
    args = [path] + ["-D%s=%d" % s for s in zip("MNK", sizes)]
    bad = []
    for debug, want in ("", folds), ("unfolded", 0):
        out = run([command, "build"] + args + ["--emit=poly", "-o", "-"],
                  debug).stdout
        n = len(re.findall(" fold$", out, re.M))
        if n != want:
            bad.append("%d folds, not %d" % (n, want))
    return bad + complaints(command, args, "roundtrip")


if __name__ == "__main__":
    sys.exit(check_all(check, sys.argv[1], CASES, of=6, test="run.folds"))
