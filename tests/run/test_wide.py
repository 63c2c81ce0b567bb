#!/usr/bin/env python3
"""Arrays of more than 2^31 elements: their elements are numbered in 64 bits.

What a program multiplies by the length of a row in 32 bits, which is an offset in a
tile, does not depend on how many rows there are: with just above 2^31 elements, or
just below 2^32, the same share of products is in 32 bits as with 2^34. With less
than 2^31 elements it is larger.

usage: test_wide.py CETANE
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

P = 50021	# the length of a row, found nowhere else in a program
FEW = 2**31 // P - 1
MANY = (2**31 // P + 1, 3 * 2**30 // P, 2**32 // P - 1, 2**32 // P + 1)
MOST = 2**34 // P

PROGRAMS = {
    "product.dsl": "param M;\ntensor f32 A(M,%d);\ntensor f32 B(%d,64);\n"
                   "out C(i,j) += A(i,k) * B(k,j);\n",
    "transposed.dsl": "param M;\ntensor f16 A(M,%d);\ntensor f16 B(M,%d);\n"
                      "out C(i,j) += A(k,i) * B(k,j);\n",
    "wide.dsl": "param M;\ntensor f64 A(M,64);\ntensor f64 B(64,%d);\n"
                "out C(i,j) for 0<=i<M, 0<=j<%d += A(i,k) * B(k,j);\n",
    "points.dsl": "param M;\ntensor u8 A(M,%d);\n"
                  "out C(i,j) for 0<=i<M, 0<=j<%d = A(i,j) + A(M-1-i,j);\n",
    "sums.dsl": "param M;\ntensor f32 A(M,%d);\nout r(i) += A(i,j);\n"
                "out c(j) max= A(i,j) * A(0,%d - 1 - j);\n",
    "nest.c": "void f(int M, const float a[M][%d], float y[%d])\n{\n"
              "\tfor (int i = 1; i < M; i++)\n"
              "\t\tfor (int j = 0; j < 50021; j++)\n"
              "\t\t\ty[j] += a[i][j] - a[i - 1][j];\n}\n",
}


def products(path, rows):
    """How many products by P there are of 32 bits, and of 64."""
    p = subprocess.run([sys.argv[1], "build", path, "-D", f"M={rows}",
                        "--emit=llvm", "-o", "-"], capture_output=True,
                       text=True)
    if p.returncode:
        sys.exit(f"{path}, {rows} rows: exit {p.returncode}\n{p.stderr}")
    return [len(re.findall(r"= mul (?:nsw |nuw )*%s %%\w+, %d\b" % (t, P),
                           p.stdout)) for t in ("i32", "i64")]


def complaints(name, folder):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(PROGRAMS[name] % (P, P))
    want, few = products(path, MOST), products(path, FEW)
    bad = [f"{name}: {rows} rows: {got} products of 32 and 64 bits, not {want}"
           for rows in MANY
           for got in [products(path, rows)]
           if not got[1] or got[0] * want[1] != want[0] * got[1]]
    if few[0] * want[1] <= want[0] * few[1]:
        bad.append(f"{name}: {few} below 2^31, {want} above")
    return bad


def main():
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        failed = [text for result in pool.map(
            lambda name: complaints(name, folder), PROGRAMS)
            for text in result]
    print(*failed, f"{len(PROGRAMS)} programs, {len(failed)} wrong", sep="\n")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
