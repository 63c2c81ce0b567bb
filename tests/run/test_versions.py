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
SOFTMAX = """param M, N;
tensor f32 X(M,N);
m(i) = max(j: X(i,j));
e(i,j) = exp(X(i,j) - m(i));
s(i) = sum(j: e(i,j));
out Y(i,j) = e(i,j) / s(i);
"""
MOMENTS = """param R, C;
tensor f16 x(R,C);
m(r) = sum(c: f32(x(r,c))) / f32(C);
v(r) = sum(c: (f32(x(r,c)) - m(r)) * (f32(x(r,c)) - m(r))) / f32(C);
out y(r,c) = f16((f32(x(r,c)) - m(r)) * rsqrt(v(r) + 0.00001));
"""
# file, text, options, versions to try, sizes; those of the first differ in the
# order of their sums: in 2 parts, in 5, and in 30 parts of 32 steps; those of 12 versions
# for each block: whole for 256 columns or rows, and in 3 parts for the others.
CASES = [
    ("p.dsl", PRODUCT, ["--versions=4"], [2, 5, 16],
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
    ("p.dsl", PRODUCT, ["--versions=12"], [107],
     {"M": 384, "N": 384, "K": 192}),
    ("p.dsl", PRODUCT, ["--versions=12"], [127],
     {"M": 384, "N": 384, "K": 192}),
    ("s.dsl", SOFTMAX, ["--versions=10"], [0, 1], {"M": 5, "N": 252}),
    ("s.dsl", SOFTMAX, ["--versions=10"], [2, 4], {"M": 5, "N": 252}),
    ("s.dsl", SOFTMAX, ["--versions=10"], [3, 8], {"M": 3, "N": 256}),
    ("s.dsl", SOFTMAX, ["--versions=10"], [6, 9], {"M": 3, "N": 1004}),
    ("s.dsl", SOFTMAX, ["--versions=10"], [4, 7], {"M": 3, "N": 252}),
    ("s.dsl", SOFTMAX, ["--versions=10"], [2, 5], {"M": 2, "N": 1}),
    # Rows of several blocks, of which one has the end, and of which one has all.
    ("s.dsl", SOFTMAX, ["--versions=16"], [12, 14], {"M": 2, "N": 33001}),
    ("s.dsl", SOFTMAX, ["--versions=16"], [11, 13], {"M": 2, "N": 40000}),
    ("s.dsl", SOFTMAX, ["--versions=16"], [12, 14], {"M": 3, "N": 5}),
    ("m.dsl", MOMENTS, ["--versions=3"], [1, 2], {"R": 5, "C": 1000}),
]
# Rows of so many elements run a version of whole 16 bytes or any, for rows of at most so
# many; each is a compilation of all versions, so that most are for the long suite.
ROWS = [(1, False, 256), (252, True, 256), (255, False, 256), (257, False, 1024),
        (256, True, 256), (1000, True, 1024), (4096, True, 4096), (4095, False, 4096),
        (16383, False, 16384), (16384, True, 16384), (32768, True, 32768),
        (16385, False, None)]


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


def check_boxes(cetane):
    """Versions whose sums have parts do not copy boxes of arrays in another shape."""
    with open("b.dsl", "w", encoding="utf-8") as out:
        out.write(PRODUCT.replace("FLOAT", "BFLOAT16"))
    text = run([cetane, "inspect", "b.dsl", "--versions=12", "--arch=sm_90a"]).stdout
    bulk = [head.split()[0] for head in re.split(r"(?m)^kernel ", text)[1:]
            if "in bulk" in head]
    if not bulk or any("_part" in name for name in bulk):
        sys.exit(f"b.dsl: {bulk} copy boxes")


def launched(cetane, file, options, sizes):
    """The kernels that run for sizes that are open, and their grids."""
    text = run([cetane, "inspect", file, "--parametric", "--arch=sm_90a"] + options +
               ["-D%s=%d" % s for s in zip("MNK", sizes)]).stdout
    return [(name, grid) for name, grid in
            re.findall(r"(?m)^kernel (\S+)$(?:\n.+)*?\n  grid +(.*)$", text)
            if "no launch" not in grid]


def check_few(cetane):
    """Where sizes are open, sums of few steps are left to threads that start copies, for
    which no warp of its own has to be waited for; long ones have that warp.
    """
    with open("few.dsl", "w", encoding="utf-8") as out:
        out.write(PRODUCT.replace("FLOAT", "BFLOAT16"))
    for sizes, turns in ((1024, 256, 128), False), ((4096, 4096, 4096), True):
        ran = launched(cetane, "few.dsl", ["--versions=4"], sizes)
        if len(ran) != 1 or ran[0][1].startswith("min(") != turns:
            sys.exit(f"blocks for {sizes}: {ran}")


def check_rough(cetane):
    """Long sums are divided, too, where neither tiles nor parts are whole."""
    sizes = 72, 40, 4104
    with open("rough.dsl", "w", encoding="utf-8") as out:
        out.write(PRODUCT.replace("FLOAT", "BFLOAT16"))
    ran = launched(cetane, "rough.dsl", ["--versions=7"], sizes)
    if len(ran) != 2:
        sys.exit(f"kernels for {sizes}: {ran}")
    done = run([cetane, "run", "rough.dsl", "--parametric", "--arch=sm_90a",
                "--versions=7", "--device=host", "--sanitize=all"] +
               ["-D%s=%d" % s for s in zip("MNK", sizes)])
    if done.returncode or " verified against " not in done.stdout:
        sys.exit(f"{ran}:\n{done.stdout}")


def check_rows(cetane):
    """Rows that threads have room for are one kernel, the shortest first, and those of
    whole 16 bytes before others; sizes beyond have the version for all.
    """
    found = {}
    rows = ROWS if part.is_whole() else [ROWS[1], ROWS[3], ROWS[-1]]
    for n, aligned, longest in rows:
        text = run([cetane, "inspect", "s.dsl", "--versions=10", "--parametric",
                    "-DM=7", f"-DN={n}"]).stdout
        chosen = re.search(r"(?m)^versions: 10; version (\d+) runs", text)
        version = text[text.index(f"    version {chosen.group(1)}:"):]
        runs = re.findall(r"(?m)^      runs (\S+)$",
                          re.split(r"\n    version|\n\n", version)[0])
        asks = version.split("\n")[0]
        if (f" {longest})" in asks + ")") != (longest is not None) or \
                ("aligned" in asks) != aligned or \
                (len(runs) == 1) != (longest is not None):
            sys.exit(f"rows of {n}: {asks}, {runs}")
        found[runs[0]] = n
    if len(found) < len({row[1:] for row in rows}):
        sys.exit(f"versions share kernels: {found}")


def check_clusters(cetane):
    """Longer rows are those of several blocks, where the GPU has clusters of them."""
    for arch, n, longest in (("sm_90a", 50257, 65536), ("sm_80", 50257, None),
                             ("sm_90a", 131072, 131072))[:None if part.is_whole() else 2]:
        text = run([cetane, "inspect", "s.dsl", "--versions=16", "-DM=7",
                    f"-DN={n}", "--parametric", "--arch=" + arch]).stdout
        number = re.search(r"(?m)^versions: \d+; version (\d+) runs", text)
        asks = re.search(rf"(?m)^    version {number.group(1)}: .*$", text)
        if (f" {longest})" in asks.group() + ")") != (longest is not None) or \
                (number.group(1) == "0") != (longest is None):
            sys.exit(f"rows of {n} on {arch}: {asks.group()}")


def check_one_kernel(cetane):
    """What is one kernel anyway has no versions."""
    with open("one.dsl", "w", encoding="utf-8") as out:
        out.write("param M, N;\ntensor f32 X(M,N);\nout s(i) = sum(j: X(i,j));\n")
    text = run([cetane, "inspect", "one.dsl", "--versions=9"]).stdout
    if "versions:" in text or "kernel one_s" not in text:
        sys.exit(f"versions of what is one kernel anyway:\n{text}")


CHECKS = [check_object, check_boxes, check_few, check_rough, check_rows,
          check_clusters, check_one_kernel]


def check_case(cetane, file, _, options, versions, sizes):
    errors = {check(cetane, file, options, i, sizes) for i in versions}
    if len(versions) > 2 and len(errors) < len(versions):
        sys.exit(f"{file}: versions do not differ: {errors}")


def main():
    cetane = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for file, text, *_ in CASES:
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
        for case in part.sample(CASES, of=9, test="run.versions"):
            with part.saying(case):
                check_case(cetane, *case)
        for check_one in part.chosen(CHECKS, key=lambda check: check.__name__):
            with part.saying(check_one.__name__):
                check_one(cetane)
    print("ok")


main()
