#!/usr/bin/env python3
"""What "run" says by default: each result is verified against the interpreter.

Programs of every kind run as a user would run them, without options but sizes.
Each must succeed, with a line for each output that says how many of its elements
were verified, and that must be all of them. What is lowered wrong, in the same way
for each mapping, must show here: the mutants that have their faults in the
lowering are caught by this test.

usage: test_verify.py CETANE
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part

PROGRAMS = os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), "programs")
LINE = r"^\w+ \w+(\[[\d,]*\])?: verified against the interpreter: (\d+) of \2 "

# Files of tests/programs with their sizes: loops of every kind, subscripts that
# are found and rewritten, conditions, reductions, types, calls.
FILES = """
adi.dsl T=2 N=5; blas2.dsl M=23 N=17; contraction.dsl A=2 B=3 C=2
guards.dsl N=70; mixed.dsl M=17 K=7 N=13; nest_decay.dsl M=4 K=3 N=5
nest_types.dsl N=11; nest_versions.dsl M=11 N=9; norms.dsl R=11 C=13
periodic.dsl T=3 N=5; reductions.dsl N=29 M=17; scans.dsl N=61
shapes.dsl N=5 M=4; statistics.dsl M=7 N=5; types.dsl N=7
banded_mv.c; branches.c; breaks.c; clamp.c; count_down.c
conv_2d.c; counted_rows.c; flat_gemm.c; flat_stencil.c
gather.c; histograms.c; induction.c; iamax.c
integers.c; loop_ends.c; loop_steps.c; moving_index.c
narrow.c; odd_bounds.c; periodic.c; prefix_sum.c
promotions.c; reverse.c; rounds.c; row_max.c
scatter_data.c; sides_of_branch.c; swap_strided.c; tails.c
triangular.c; trsv.c; updates.c
"""

MATRICES = """Params M, K, N;
Matrix A(M,K); Matrix B(K,N); Matrix C(M,N); Matrix V(M,1);
D = A * B + C;
E = ReLU(D + V) * (C - 2)^T;
F = (A * B)^T;
CodeGen(%s, {D, E, F});
"""


def run(cetane, path, options, sizes):
    p = subprocess.run([cetane, "run", path] + options +
                       ["-D" + s for s in sizes], text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = p.stdout.splitlines()
    if p.returncode == 0 and lines and all(re.match(LINE, s) for s in lines):
        return None
    return "%s %s: exit %d\n%s%s" % (os.path.basename(path), " ".join(sizes),
                                     p.returncode, p.stdout, p.stderr)


def sizes_of(path):
    """Of a C file, whose first line has them: those of its last group."""
    with open(path, encoding="utf-8") as f:
        head = f.readline()
    groups = re.search(r"sizes: (.*?)(?:    |$)", head)[1].split(";")
    return groups[min(2, len(groups) - 1)].split()


def cases(folder):
    for kind in ["FLOAT", "HALF", "INT8", "DOUBLE"]:
        path = os.path.join(folder, kind.lower() + ".dsl")
        with open(path, "w", encoding="utf-8") as f:
            f.write(MATRICES % kind)
        yield path, [], ["M=9", "K=7", "N=17"]
        yield path, ["--semantics=ring"], ["M=9", "K=7", "N=17"]
    for item in re.split(r"[;\n]", FILES.strip()):
        name, *sizes = item.split()
        path = os.path.join(PROGRAMS, name)
        yield path, [], sizes_of(path) if name.endswith(".c") else sizes


def main():
    cetane = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(
                len(os.sched_getaffinity(0))) as pool:
        todo = part.chosen(cases(folder), lambda c: os.path.basename(c[0]))
        failed = 0
        for case, bad in zip(todo, pool.map(lambda c: run(cetane, *c), todo)):
            if bad:
                failed += 1
                print(bad, end="")
                part.say_failed(os.path.basename(case[0]))
    print("%d runs, %d failed" % (len(todo), failed))
    return 1 if failed or not todo else 0


if __name__ == "__main__":
    sys.exit(main())
