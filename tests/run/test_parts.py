#!/usr/bin/env python3
"""Check reductions that are divided into parts: programs of programs/ on the
host device under all checks, verified, and read back after every pass.

usage: test_parts.py CETANE

Where a sum may be regrouped, the arrays of parts are those that are expected;
in strict order there are none, except for what may be taken in any order. Sums
along many rows have lanes instead, which all types and lengths of rows check.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part

CORES = len(os.sched_getaffinity(0))

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir,
                        "programs")
# program, sizes, extents of the parts
CASES = [
    ("dot.c", {"n": 517}, ["[128]", "[16]"]),
    ("dot.c", {"n": 200000}, ["[32768]", "[512]", "[32]"]),
    ("nrm2.c", {"n": 517}, ["[128]", "[16]"]),
    ("asum.c", {"n": 600}, ["[128]", "[16]"]),
    ("gemv.c", {"m": 7, "n": 5130}, ["[7][1024]", "[7][32]"]),
    ("gemv_transposed.c", {"m": 9000, "n": 20}, ["[512][20]", "[32][20]"]),
    ("gemv_transposed.c", {"m": 9000, "n": 70}, ["[4][70]"]),
    ("softmax.c", {"m": 9, "n": 200}, None),
    ("layer_norm.c", {"m": 9, "n": 200}, ["[9][32]"]),
    ("durbin.c", {"n": 70}, ["[32]"]),
    ("cholesky.c", {"n": 70}, []),
    ("scatter.c", {"m": 67, "n": 130}, []),
]
# The greatest of a row may be found in any order.
STRICT = {"softmax.c": ["[9][32]"]}


def run(args, **more):
    return subprocess.run(args, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **more)


def parts(command, path, args):
    """The extents of the temporaries that hold parts: those in memory, and those
    in shared memory.
    """
    out = run([command, "inspect", path] + args).stdout
    found = re.search(r"(?m)^workspace: .*", out)
    extents = re.findall(r"\w+_part\d* \w+((?:\[\d+\])*)",
                         found.group() if found else "")
    out = run([command, "build", path, "--emit=poly", "-o", "-"] + args).stdout
    found = re.findall(r"(?m)^array \w+_part\d* \w+ temp shared "
                       r"\".*\[(.*)\] }\"", out)
    return extents + [re.sub(r"\((\d+)\)(, )?", r"[\1]", e) for e in found]


def check(command, name, sizes, expected):
    path = os.path.join(PROGRAMS, name)
    args = ["-D%s=%d" % s for s in sizes.items()]
    free = args + ["--fp=reassoc"]
    env = dict(os.environ, CETANE_DEBUG="roundtrip")
    words = [command, "run", path, "--device=host", "--sanitize=all",
             "--verify=full"] + free
    out = run(words, env=env)
    bad = []
    # Where no error has a bound, the ring tells.
    if not out.returncode and "no element has a bound" in out.stdout:
        out = run(words + ["--semantics=ring"], env=env)
    if out.returncode or not re.search(
            "verified against the interpreter", out.stdout):
        bad.append("exit %d\n%s" % (out.returncode, out.stdout))
    got = parts(command, path, free)
    if expected is None and len(got) < 2 or \
            expected is not None and got != expected:
        bad.append("parts %s" % got)
    got = parts(command, path, args + ["--fp=strict"])
    if got != STRICT.get(name, []):
        bad.append("strict: parts %s" % got)
    return bad


LANES = """param M, N;
tensor %s A(M,N), B(M,N), x(N);
out y(i) = 3 * sum(j: A(i,j) * x(j)) + x(0);
out m(i) = max(j: A(i,j));
out d(i) = %s(j: A(i,j) - B(i,j));
"""
BATCH = """param M, N;
tensor f32 A(3,M,N);
out s(b,i) = sum(j for 0 <= j, j <= i: A(b,i,j));
"""
# Columns, in one loop: of one length, of two, and of a batch.
DOWN = """param M, N;
tensor %s A(N,M), B(N,M), x(N);
out y(i) = 3 * sum(j: A(j,i) * x(j)) + x(0);
out m(i) = max(j: A(j,i));
out d(i) = %s(j: A(j,i) - B(j,i));
"""
DOWN_TWO = """param M, N;
tensor f32 A(N,M), B(N,M);
out s(i) = sum(j: A(j,i));
out t(i) = sum(j for 3 <= j, j < N: B(j,i));
"""
DOWN_BATCH = """param M, N;
tensor f32 A(3,N,M);
out s(b,i) = sum(j for %s0 <= j, j < N: A(b,j,i));
"""
# Columns from the diagonal on and up to it, in blocks that lack some of theirs;
# every other column, which cannot wait for those between.
DOWN_CORNER = """param M, N;
tensor f32 A(N,M,M);
out s(b,i) for 0 <= b, b < M, %s = sum(j for 0 <= j, j < N: A(j,b,i));
"""
# Along rows and down columns in one loop: only the first can have lanes.
BOTH = """param N, M;
tensor f32 A(N,M), B(M,N), x(M);
s(i) = sum(j: A(i,j) * x(j));
out t(i) = s(i) + sum(j: B(j,i) * x(j));
"""
# Between kernels of several points a thread.
SOFTMAX = """param M, N;
assume N > 0;
tensor f32 A(M,N);
most(i) max= A(i,j);
e(i,j) = exp(A(i,j) - most(i));
out s(i,j) = e(i,j) / sum(k: e(i,k));
"""
# A product whose tiles would copy what nothing writes.
HOLES = """param M, N;
tensor f32 A(M,M), V(M,N);
e(i,j) for 0 <= j, j <= i, i < M = exp(A(i,j));
out y(i,d) = sum(j for 0 <= j, j <= i: e(i,j) * V(j,d));
out s(i) = sum(j: A(i,j));
"""
# text, sizes, across how many threads
LANE_CASES = [(LANES % (t, "sum" if t != "i32" else "min"),
               {"M": 513 + n, "N": n}, across) for t, n, across in [
    ("f32", 32, "8"), ("f32", 33, "32"), ("f32", 127, "32"),
    ("f32", 260, "32"), ("f64", 64, "32"), ("i32", 96, "16"),
    ("f16", 40, "4"), ("i64", 61, "32")]]
# A row for a block.
LANE_CASES += [(LANES % (t, "sum" if t != "i32" else "min"),
                {"M": m, "N": n}, across) for t, m, n, across in [
    ("f32", 3, 1000, "32"), ("f32", 3, 1030, "128"), ("f64", 5, 1100, "128"),
    ("i32", 2, 2048, "128"), ("i8", 2, 4096, "128")]]
LANE_CASES += [(DOWN % (t, "sum" if t != "i32" else "min"),
                {"M": m, "N": n}, across) for t, m, n, across in [
    ("f32", 2, 700, "128 down"), ("f32", 31, 32, "8 down"),
    ("f64", 131, 67, "16 down"), ("i32", 33, 129, "32 down"),
    ("f16", 67, 300, "64 down"), ("i64", 130, 64, "16 down")]]
LANE_CASES += [(DOWN_TWO, {"M": 70, "N": 90}, "16 down"),
               (DOWN_BATCH % "", {"M": 70, "N": 90}, "16 down"),
               (DOWN_BATCH % "i <= j, ", {"M": 70, "N": 90}, "16 down"),
               (DOWN_BATCH % "i <= j, ", {"M": 90, "N": 70}, None),
               (DOWN_CORNER % "b <= i, i < M", {"M": 40, "N": 90}, "16 down"),
               (DOWN_CORNER % "0 <= i, i <= b", {"M": 40, "N": 90}, "16 down"),
               (DOWN_CORNER % "0 <= i, i < M, i % 2 == 0",
                {"M": 40, "N": 90}, None)]
LANE_CASES += [(BOTH, {"N": 700, "M": 128}, "32"),
               (SOFTMAX, {"M": 40, "N": 64}, "16"),
               (HOLES, {"M": 160, "N": 96}, "32")]
LANE_CASES += [(BATCH, {"M": 200, "N": 200}, "32"),
               (BATCH, {"M": 201, "N": 203}, "32")]


def verify(command, path, args, debug):
    env = dict(os.environ, CETANE_DEBUG=debug)
    out = run([command, "run", path, "--device=host", "--sanitize=all",
               "--verify=full"] + args, env=env)
    if out.returncode or "verified against the interpreter" not in out.stdout:
        return ["%s: exit %d\n%s" % (debug, out.returncode, out.stdout)]
    return []


def check_lanes(command, text, sizes, across):
    """By itself each sum has its lanes; several over the same rows are right, too,
    as one row program.
    """
    args = ["-D%s=%d" % s for s in sizes.items()]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "lanes.dsl")
        with open(path, "w") as f:
            f.write(text)
        bad = verify(command, path, args, "roundtrip,apart")
        bad += verify(command, path, args, "")
        poly = run([command, "build", path, "--emit=poly", "-o", "-"] +
                   args, env=dict(os.environ, CETANE_DEBUG="apart")).stdout
    got = set(re.findall(r" across (\d+(?: down)?)", poly))
    if got != ({across} if across else set()):
        bad.append("across %s" % got)
    return bad


# Compiled for any size, run for one that has fewer values than parts, of which
# the first is not 0.
FEW = """param N, M;
tensor i32 A(N,N), B();
out d(i,j) for 0 <= i < N, 0 <= j < M =
	max(r, s for 0 <= r, r < N, 0 <= s, s < N: abs(B()));
out e() = sum(r, s for 2 <= r, r < N, r <= s, s < N: A(r,s));
"""


def check_few(command):
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "few.dsl")
        with open(path, "w") as f:
            f.write(FEW)
        for sizes in [["-DN=1", "-DM=1"], ["-DN=7", "-DM=3"]]:
            out = run([command, "run", path, "--sanitize=all", "--verify=full",
                       "--parametric"] + sizes)
            if out.returncode or "verified against the interpreter" not in out.stdout:
                bad.append("few %s: exit %d\n%s" % (
                    sizes, out.returncode, out.stdout))
    return bad


# Products whose last tiles are few: on a device of one multiprocessor these are
# apart, in parts. What is made of one; two products, and what reads one of them;
# in the order of a text; an update in place, whose kernel is left as it is.
REST = [("dsl", """Params M, K, N;
Matrix A(M,K); Matrix B(K,N); Matrix b(1,N);
H = ReLU(A * B + b);
CodeGen(FLOAT, {H});
""", {"M": 384, "K": 70, "N": 120},
         ["H_1_init", "H_1_mul", "H_2_add", "H_relu"]),
        ("dsl", """param n, m;
tensor f32 A(m,m), B(m,n), C(m,n);
c(i,j) = sum(k: A(i,k) * B(k,j));
out d(i,j) = 2 * c(i,j) - C(i,j);
out e(j,i) = sum(k: B(k,i) * A(k,j));
""", {"n": 129, "m": 201},
         ["c_init", "c_add", "d_def", "e_init", "e_add"]),
        ("c", """void f(int n, int m, float A[n][m], float B[m][n], float C[n][n])
{
	for (int i = 1; i < n; i++)
		for (int j = 0; j < n; j++) {
			C[i][j] = 0;
			for (int k = 0; k < m; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
}
""", {"n": 134, "m": 80}, ["S1", "S2"]),
        ("c", """void f(int n, int m, float A[n][m], float B[m][n], float C[n][n])
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			C[i][j] *= 3;
			for (int k = 0; k < m; k++)
				C[i][j] += A[i][k] * B[k][j];
		}
}
""", {"n": 134, "m": 80}, [])]


# Products of few tiles and long sums, whose parts lie in rows of whole runs if
# rows of cells begin at 0 and their runs with a cell: of all types, with a batch,
# above and below a diagonal, from the third column on.
PRODUCT = """param M, N, K;
tensor %s A(M,K), B(K,N);
out C(i,j) = sum(k: A(i,k) * B(k,j));
"""
PRODUCTS = """param M, N, K;
tensor f32 A(3,M,K), B(3,K,N);
out C(b,j,i) = 2 * sum(k: A(b,i,k) * B(b,k,j));
"""
PRODUCT_OF = """param M, N, K;
tensor f32 A(M,K), B(K,N);
out C(i,j) for 0 <= i, i < M, %s = sum(k: A(i,k) * B(k,j));
"""
# text, sizes, extent of a row of parts
ROWS = [(PRODUCT % t, {"M": 33, "N": n, "K": 1001}, row) for t, n, row in [
    ("f32", 35, "36"), ("f32", 33, "36"), ("f32", 36, "36"),
    ("f64", 35, "36"), ("i32", 34, "36")]]
ROWS += [(PRODUCTS, {"M": 35, "N": 33, "K": 1001}, "36"),
         (PRODUCT_OF % "0 <= j, j <= i, j < N",
          {"M": 35, "N": 35, "K": 1001}, "36"),
         (PRODUCT_OF % "i <= j, j < N", {"M": 35, "N": 35, "K": 1001}, "35"),
         (PRODUCT_OF % "3 <= j, j < N", {"M": 35, "N": 38, "K": 1001}, "35"),
         (PRODUCT_OF % "0 <= j, j < N, j % 2 == 0",
          {"M": 35, "N": 35, "K": 1001}, "36"),
         (PRODUCT_OF % "0 <= j, j < N, j % 2 == 1",
          {"M": 35, "N": 35, "K": 1001}, "33")]


def check_rows(command, text, sizes, expected):
    args = ["-D%s=%d" % s for s in sizes.items()] + ["--fp=reassoc"]
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.dsl")
        with open(path, "w") as f:
            f.write(text)
        for more, debug, verified in [
                ([], "roundtrip", "verified against"),
                (["--semantics=ring"], "", "bit for bit in the ring")]:
            out = run([command, "run", path, "--device=host", "--sanitize=all",
                       "--verify=full"] + args + more,
                      env=dict(os.environ, CETANE_DEBUG=debug))
            if out.returncode or verified not in out.stdout:
                bad.append("exit %d\n%s" % (out.returncode, out.stdout))
        got = parts(command, path, args)
    if len(got) != 1 or not got[0].endswith("[%s]" % expected):
        bad.append("parts %s" % got)
    return bad


def check_rest(command, suffix, text, sizes, expected):
    args = ["-D%s=%d" % s for s in sizes.items()] + ["--fp=reassoc"]
    env = dict(os.environ, CETANE_DEBUG="roundtrip,sm1")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rest." + suffix)
        with open(path, "w") as f:
            f.write(text)
        out = run([command, "run", path, "--device=host", "--sanitize=all",
                   "--verify=full"] + args, env=env)
        poly = run([command, "build", path, "--emit=poly", "-o", "-"] + args,
                   env=env).stdout
    bad = []
    if out.returncode or "verified against the interpreter" not in out.stdout:
        bad.append("exit %d\n%s" % (out.returncode, out.stdout))
    got = re.findall(r"(?m)^stmt (\w+)_cut ", poly)
    if got != expected:
        bad.append("cut: %s" % got)
    return bad


def cases():
    """What to print in front of a complaint, and a function that complains."""
    yield "few", check_few, ()
    for rest in REST:
        yield "%s%s" % (rest[1], rest[2]), check_rest, rest
    for rows in ROWS:
        yield "%s%s" % rows[:2], check_rows, rows
    for lanes in LANE_CASES:
        yield "%s%s" % lanes[:2], check_lanes, lanes
    for case in CASES:
        yield case[0], check, case


def main():
    command, failed = sys.argv[1], 0
    todo = part.sample(cases(), lambda case: (case[0], case[2]), of=9,
                       test="run.parts")
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        results = pool.map(lambda case: case[1](command, *case[2]), todo)
        for (name, _, case), bad in zip(todo, results):
            for text in bad:
                print("%s: %s" % (name, text))
                part.say_failed((name, case))
                failed += 1
    print("%d programs, %d failures" % (
          len(todo), failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
