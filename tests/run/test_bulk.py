#!/usr/bin/env python3
"""Products whose rows are copied in bulk, on the host device.

Every run is verified by the command itself and checked for bounds, uninitialised
reads and races, in several orders of threads; each says whether the rows of both
factors, or of one, are copied so. The bits are those of other copies.

usage: test_bulk.py CETANE
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part
from copied import cetane, must_agree, write

PROGRAM = """Matrix A({0}); Matrix B({1},{2});
C = {3} * B;
CodeGen bulk({4}, {{C}});
"""

# (form of A, type, M, K, N, configuration of the block, copies in bulk)
CASES = (
    ("A", "FLOAT", 128, 96, 128, "thread 8 16 tile 64 64 16 vec 4 4 stages 3", 1),
    ("A", "FLOAT", 128, 96, 64, "thread 4 8 tile 32 32 16 vec 1 4 steps 4 "
     "stages 2", 2),
    ("A^T", "FLOAT", 64, 60, 64, "thread 2 8 tile 16 32 20 vec 4 4 stages 4", 2),
    ("A^T", "DOUBLE", 64, 64, 64, "thread 4 16 tile 32 64 8 vec 2 2 stages 2", 2),
    ("A^T", "HALF", 64, 64, 64, "thread 4 8 tile 32 64 8 vec 8 8 stages 3", 2),
    ("A^T", "INT8", 64, 32, 64, "thread 4 4 tile 32 32 4 vec 4 4 stages 3", 2),
    # One tile, so that nothing is under way behind the first ones.
    ("A^T", "FLOAT", 64, 16, 64, "thread 8 16 tile 64 64 16 vec 4 4 stages 4", 2),
    # Sums in parts: each block begins with the tile 0 of its own.
    ("A^T", "FLOAT", 64, 512, 64, "thread 8 16 tile 64 64 16 vec 4 4 stages 3\n"
     "parts C 4", 2),
    # Steps that no tile divides, columns that leave half a tile.
    ("A^T", "FLOAT", 64, 50, 64, "thread 8 16 tile 64 64 16 vec 4 4 stages 3", 0),
    ("A^T", "FLOAT", 64, 64, 96, "thread 8 16 tile 64 64 16 vec 4 4 stages 3", 1),
)

# Rows of B that are longer than what is read: only those of whole 16 bytes can be
# copied in bulk. (type, elements of 16 bytes, configuration)
PART = """tensor {0} A(64,64);
tensor {0} B(64,{1});
C(i,j) for 0<=i<64, 0<=j<64 = sum(k for 0<=k<64: A(k,i) * B(k,j));
CodeGen bulk({2}, {{C}});
"""
ROWS = (
    ("f32", "FLOAT", 4, "thread 8 16 tile 64 64 16 vec 4 4 stages 3"),
    ("f64", "DOUBLE", 2, "thread 4 16 tile 32 64 8 vec 2 2 stages 2"),
)


def check_product(case):
    form, kind, m, k, n, block, count = case
    name = "bulk_C_part" if "parts" in block else "bulk_C"
    shape = f"{m},{k}" if form == "A" else f"{k},{m}"
    check(case, PROGRAM.format(shape, k, n, form, kind), name, block, count)


def check_rows(case):
    name, kind, run, block = case
    for more in range(run + 1):
        check(case + (more,), PART.format(name, 64 + more, kind), "bulk_C",
              block, 2 if more % run == 0 else 1)


def check(case, program, name, block, count):
    write("p.dsl", program)
    for copies in "bulk", "async":
        write(copies, f"cetane-config 1\nkernel {name} {block}\n"
              f"copies {copies}\n")
    text = cetane("build", "p.dsl", "--config=bulk", "--emit=poly", "-o", "-")
    if text.count(" async bulk\n") != count:
        sys.exit(f"{case}: {text.count(' async bulk')} copies in bulk")
    cetane("run", "p.dsl", "--config=bulk", "--sanitize=all",
           "--host-orders=3", "-o", "C=bulk.npy")
    cetane("run", "p.dsl", "--config=async", "-o", "C=async.npy")
    must_agree(case)
    cetane("run", "p.dsl", "--config=bulk", "--semantics=ring")


def main():
    sys.argv[1] = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for case in part.chosen(CASES):
            with part.saying(case):
                check_product(case)
        for case in part.chosen(ROWS):
            with part.saying(case):
                check_rows(case)
        os.chdir("/")


main()
