#!/usr/bin/env python3
"""Check programs in several versions: each version on the host device under all
checks, verified, for sizes that it is for and for others; and what is told of
them.

usage: test_versions.py CETANE

$CETANE_DEBUG names the version that costs nothing, so that it runs wherever its
condition holds.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part

PRODUCT = """Params M, N, K;
Matrix A(M,K);
Matrix B(K,N);
C = A * B;
CodeGen(FLOAT, {C});
"""
BATCH = """param G, M, N, K;
tensor f32 A(G,M,K), B(G,K,N), D(M,N);
T(g,i,j) += A(g,i,k) * B(g,k,j);
out C(g,i,j) = max(T(g,i,j) + D(i,j), 0);
"""
NEST = """void f(int m, int n, int k, float a[m][k], float b[k][n], float c[m][n])
{
#pragma scop
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++)
			for (int l = 0; l < k; l++)
				c[i][j] += a[i][l] * b[l][j];
#pragma endscop
}
"""
# file, text, options, versions to try, sizes; those of the first differ in the
# order of their sums: whole, in 2 parts, in 5, and in 30 parts of 32 steps; those
# of the last: whole for 256 columns or rows, and in 3 parts for the others.
CASES = [
    ("p.dsl", PRODUCT, ["--versions=4"], [1, 2, 5, 16],
     {"M": 32, "N": 64, "K": 960}),
    ("p.dsl", PRODUCT, ["--versions=3"], [1, 2],
     {"M": 37, "N": 68, "K": 200}),
    ("p.dsl", PRODUCT, ["--versions=2"], [1], {"M": 5, "N": 3, "K": 7}),
    ("b.dsl", BATCH, ["--versions=2"], [1],
     {"G": 2, "M": 3, "N": 36, "K": 40}),
    ("b.dsl", BATCH, ["--versions=4"], [3],
     {"G": 2, "M": 32, "N": 32, "K": 96}),
    ("n.c", NEST, ["--versions=2", "--fp=reassoc"], [1],
     {"m": 9, "n": 8, "k": 68}),
    ("p.dsl", PRODUCT, ["--versions=12"], [107, 127],
     {"M": 384, "N": 384, "K": 192}),
]


def run(args, **more):
    return subprocess.run(args, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **more)


def check(cetane, file, options, version, sizes):
    args = [cetane, "run", file, "--parametric", "--device=host",
            "--sanitize=all",
            "--color=never"] + options
    for name, value in sizes.items():
        args += ["-D", f"{name}={value}"]
    done = run(args, env=dict(os.environ, CETANE_DEBUG=f"version{version}"))
    found = re.search(r"largest error (\S+) ", done.stdout)
    if done.returncode or not found:
        sys.exit(f"{file}, version {version}, {sizes}:\n{done.stdout}")
    return found.group(1)


def check_object(cetane):
    """Conditions and costs are told, and one version has no condition."""
    if run([cetane, "build", "p.dsl", "--emit=object", "--versions=3",
            "--arch=sm_90", "-o", "p.o"]).returncode:
        sys.exit("p.dsl: no object")
    text = run([cetane, "inspect", "p.o"]).stdout
    host = text[text.index("functions for the host device"):]
    lines = re.findall(r"(?m)^    version (\d): if (.*)$", host)
    if [n for n, _ in lines] != ["0", "1", "2"] or lines[0][1] != "1":
        sys.exit(f"versions told: {lines}")
    if not all("4*(" in cond or "mod" in cond for _, cond in lines[1:]):
        sys.exit(f"conditions told: {lines}")
    if host.count("takes h0 = ") != 3:
        sys.exit(f"costs told:\n{host}")


def check_case(cetane, file, text, options, versions, sizes):
    with open(file, "w", encoding="utf-8") as out:
        out.write(text)
    errors = {check(cetane, file, options, i, sizes) for i in versions}
    if len(versions) > 2 and len(errors) < len(versions):
        sys.exit(f"{file}: versions do not differ: {errors}")


def main():
    cetane = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for case in part.sample(CASES):
            with part.saying(case):
                check_case(cetane, *case)
        if not part.PART:
            check_object(cetane)
    print("ok")


main()
