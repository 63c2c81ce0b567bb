#!/usr/bin/env python3
"""Programs that blow up end in good order.

usage: test_limits.py CETANE [NAME...] [--time-limit=SECONDS]

Many statements, deep nests, long expressions, many pieces, large coefficients:
each program is compiled or refused, with one of the exit codes that are listed
with it, and never takes more than ten times the time limit. Where the program is
only too large for all schedules to be tried, the output says so and the result
is that of the interpreter. Without $CETANE_TEST_WHOLE it is one of four of them.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part

HERE = os.path.dirname(os.path.abspath(__file__))


def chain(n, depth, arrays=5):
    """One nest of "n" statements that hand values on."""
    loops = "".join("for (int i%d = 1; i%d < n - 1; i%d++) " % (d, d, d)
                    for d in range(depth))

    def at(k, off):
        return "a%d%s" % (k % arrays, "".join(
            "[i%d%s]" % (d, "" if d else off) for d in range(depth)))
    body = "".join("%s = %s * 0.5f + %s;\n" % (
        at(k, ""), at(k + 1, " - 1"), at(3 * k + 1, " + 1"))
        for k in range(n))
    return "void f(int n, %s) {\n%s{\n%s}\n}\n" % (", ".join(
        "float a%d%s" % (k, "[n]" * depth) for k in range(arrays)),
        loops, body)


def loops(n):
    """"n" nests one after another."""
    body = "".join(
        "for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)\n"
        "a%d[i][j] = a%d[i-1][j] + a%d[i][j+1];\n" % (
            k % 7, (k + 1) % 7, (k + 3) % 7) for k in range(n))
    return "void f(int n, %s) {\n%s}\n" % (", ".join(
        "float a%d[n][n]" % k for k in range(7)), body)


def stencil(n):
    return "void f(int n, int t, float a[n + %d]) {\n" \
        "for (int s = 0; s < t; s++) for (int i = 0; i < n; i++)\n" \
        "a[i] = %s;\n}\n" % (n, " + ".join("a[i + %d]" % k
                                           for k in range(n)))


def definitions(n):
    return "param N;\ntensor f32 x(N,N);\n" \
        "d0(i,j) for 0<=i<N, 0<=j<N = x(i,j);\n" + "".join(
            "d%d(i,j) for 0<=i<N, 0<=j<N = d%d(i,j) * 0.5 + d%d(j,i);\n" % (
                k, k - 1, k // 2) for k in range(1, n)) + \
        "out y(i,j) for 0<=i<N, 0<=j<N = d%d(i,j);\n" % (n - 1)


def moduli(n):
    return "param N;\ntensor f32 x(N);\nassume N >= 1000;\n" \
        "out y(i,j) for 0<=i<N, 0<=j<N = case {\n" + "".join(
            "(%d*i + %d*j) %% %d == %d: x((i*%d + j) %% %d);\n" % (
                3 + k, 5 + k, 7 + k, k, k + 2, 101 + k)
            for k in range(n)) + "else: x(i); };\n"


def coefficients():
    return "void f(int n, float a[100 * n + 100]) {\n" \
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n" \
        "a[99 * i + (97 * j) % 89] += a[(1000003 * i + 7 * j) % 1009];\n}\n"


def pieces(n):
    return "param N;\ntensor f32 x(N);\nout y(i) for 0<=i<N = case {\n" + \
        "".join("i == %d: %d.0 * x(i);\n" % (3 * k, k) for k in range(n)) + \
        "else: x(i); };\n"


def terms(n):
    return "param N;\ntensor f32 x(N);\nassume N >= 2000;\n" \
        "out y(i) for 0<=i<N-1000 = %s;\n" % " + ".join(
            "x(i+%d)" % k for k in range(n))


def deep(n):
    """A nest deeper than any may be."""
    return "void f(int n, float a[n]) {\n%s a[i0] += 1;\n}\n" % "".join(
        "for (int i%d = 0; i%d < n; i%d++)\n" % (d, d, d) for d in range(n))


def long_constant(text):
    return "void f(int n, float a[n]) {\n" \
        "for (int i = 0; i < n; i++) if (%s * i < n) a[i] = 1;\n}\n" % text


EITHER = (0, 4)
# name: program, exit codes, what it says
PROGRAMS = {
    "chain.c": (chain(110, 1), EITHER, "remark[R318]"),
    "chain_3.c": (chain(30, 3), EITHER, ""),
    "chain_deep.c": (chain(20, 8, 2), EITHER, ""),
    "deep.c": (deep(17), (1,), "error[E269]"),
    "loops.c": (loops(70), EITHER, "remark[R318]"),
    "stencil.c": (stencil(150), EITHER, ""),
    "coefficients.c": (coefficients(), EITHER, ""),
    "constant.c": (long_constant("4611686018427387904"), (0,), ""),
    "large.c": (long_constant("9007199254740992"), (0, 1, 4), ""),
    "definitions.dsl": (definitions(30), EITHER, ""),
    "many.dsl": (definitions(500), EITHER, ""),
    "moduli.dsl": (moduli(12), EITHER, ""),
    "pieces.dsl": (pieces(200), EITHER, ""),
    "terms.dsl": (terms(900), EITHER, ""),
}


def compile_one(cetane, folder, name, limit):
    """What is wrong, or None."""
    text, codes, says = PROGRAMS[name]
    out = os.path.join(folder, name + ".ptx")
    with open(os.path.join(folder, name), "w") as f:
        f.write(text)
    most = int(10 * limit) + 1
    p = subprocess.run(
        [cetane, "build", name, "--emit=ptx", "-o", out,
         "--time-limit=%g" % limit], cwd=folder, text=True,
        capture_output=True, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_CPU, (most, most)))
    if p.returncode not in codes:
        return "exit code %d, not %s\n%s" % (p.returncode, codes, p.stderr)
    if p.returncode == 4 and "error[E557]" not in p.stderr and \
            "error[E559]" not in p.stderr:
        return "nothing said of limits\n" + p.stderr
    if p.returncode != 4 and says not in p.stderr:
        return "'%s' was not said\n%s" % (says, p.stderr)
    if p.returncode and os.path.exists(out):
        return "an output was left"
    return None


def run_one(cetane, folder):
    """A program above the limit of the scheduler is right."""
    with open(os.path.join(folder, "run.c"), "w") as f:
        f.write(loops(70))
    p = subprocess.run([cetane, "run", "run.c", "-D", "n=7", "--device=host",
                        "--sanitize=all"], cwd=folder, text=True,
                       capture_output=True)
    if p.returncode or "remark[R318]" not in p.stderr:
        return "exit code %d\n%s" % (p.returncode, p.stderr)
    return None


# Positions and conditions whose parts are beyond 32 bits, but not their values.
BEYOND = """param N;
tensor f32 x(N);
out y(i) for 0<=i<N = x((50001*i)/100003);
out z(i) for 0<=i<N, 1000003*i < 999979*N-900000000 = x(i);
"""


def run_beyond(cetane, folder):
    """Index arithmetic is exact where sizes are not known."""
    with open(os.path.join(folder, "beyond.dsl"), "w") as f:
        f.write(BEYOND)
    p = subprocess.run([cetane, "run", "beyond.dsl", "-D", "N=60011",
                        "--parametric", "--device=host", "--sanitize=all",
                        "--verify=full"], cwd=folder, text=True,
                       capture_output=True)
    return p.stderr if p.returncode else None


# Dependences with so many inequalities that isl would take minutes to find what
# may order them, were they not simplified.
SKEW = """void f(int n, int m, int A[m + 3][n + 7][n + 2][m + 4])
{
	for (int i = n - 1; i >= 0; i -= 2)
	for (int j = 0; j < m; j += 3)
	for (int k = 1; k < n; k += 2)
	for (int l = j - 1; l < n + 1; l++)
	for (int o = k; o < m; o++) {
		A[i][o][k + 1][l + 1] -= A[l + 1][j][o + 1][i + 3];
		A[o + 1][2 * i + 1][j + 2][-j + 6] = A[j + 1][k][l + 1][o + 3];
	}
}
"""


def check_skew(cetane, folder):
    """The default limit is enough."""
    with open(os.path.join(folder, "skew.c"), "w") as f:
        f.write(SKEW)
    p = subprocess.run([cetane, "build", "skew.c", "--emit=ptx", "-o", "-",
                        "-D", "n=7", "-D", "m=6"], cwd=folder, text=True,
                       capture_output=True)
    return p.stderr if p.returncode else None


# Dependences of so many parts that each operation of isl's takes long: the search
# ends before the limit of others.
PARTS = """void f(int n, int m, double A[m + 12][n][m + 14][n + 4],
	double B[n + 8], double C[n][n])
{
	for (int i1 = 1; i1 < n; i1++) {
		if (2 * i1 > i1)
			A[2 * i1 + 1][i1][i1 + 4][-i1 + m + 2] +=
				A[1][(i1 + 1) % 3][-i1 + n + 1][i1 + 4] -
				B[i1 + 6];
		else
			B[i1 + 7] += 2 * i1 + 1;
		for (int i2 = 0; i2 < i1 + 1; i2 += 3)
		for (int i3 = 1; i3 < n; i3++) {
			for (int i4 = -1; i4 < n + 1; i4 += 3) {
				double s5 = i2;
				A[i2 + 1][i3][2 * i3 + 2][i4 + 3] -=
					A[i1][i3][i4 + 1][i2 + 2];
				s5 = s5 + B[i4 + 7] * B[-i3 + 8];
				s5 += A[i3][i3 - 1][3][i3 + 3] - B[i4 + 6] +
					B[i1 + 6];
				C[i2][i3] = s5;
			}
			double s6 = i3 + 1;
			for (int i7 = 2; i7 < n + 1; i7 += 2) {
				double s8 = B[i7 + 7];
				B[i7 + 5] = i1 + 2 <= i1 || i3 + i1 > 3 ? s6 :
					A[i2][i3 - 1][i7 + 1][i1 + 3];
				A[i1][i2][i3 + 3][i7 + 3] =
					A[i7 - 1][i2][i1 + i7 + 2][i3 + 4];
			}
			A[i3][i1][4][i3 + 1] += s6 * B[i3 + 7];
		}
	}
}
"""


def check_parts(cetane, folder):
    """The order of the text stays."""
    with open(os.path.join(folder, "parts.c"), "w") as f:
        f.write(PARTS)
    p = subprocess.run([cetane, "build", "parts.c", "--emit=ptx", "-o", "-",
                        "-D", "n=9", "-D", "m=6", "--fp=reassoc"], cwd=folder,
                       text=True, capture_output=True)
    if p.returncode or "given up after 450000 operations" not in p.stderr:
        return p.stderr or "nothing was given up"
    return None


def remainders_c(n):
    """Conditions whose sets have 2^n parts."""
    return "void f(int n, float a[n][n]) {\n" \
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n" \
        "if (%s) a[i][j] += 1.0f;\n}\n" % " && ".join(
            "(i + j) %% %d != 1" % p for p in PRIMES[:n])


def remainders_dsl(n):
    return "param N;\ntensor f32 x(N,N);\n" \
        "out y(i,j) for 0<=i<N, 0<=j<N = case { %s: x(i,j); else: 2.0; };\n" \
        % " and ".join("(i + 2*j) %% %d != 1" % p for p in PRIMES[:n])


PRIMES = [3, 5, 7, 11, 13, 17, 19, 23]

# A sum over small loops inside of small loops, with a scalar that all share.
SMALL_LOOPS = """void f(int n, double b[3][4], double d[n][3][3][3],
	double m[n][2][2][2][2][2][2])
{
	for (int e = 0; e < n; e++) {
		double s[3][3][3];
		for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++)
		for (int k = 0; k < 3; k++) s[i][j][k] = d[e][k][j][i];
		for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++)
		for (int k = 0; k < 2; k++) for (int o = 0; o < 2; o++)
		for (int p = 0; p < 2; p++) for (int q = 0; q < 2; q++) {
			double v = 0;
			for (int x = 0; x < 3; x++)
			for (int y = 0; y < 3; y++)
			for (int z = 0; z < 3; z++)
				v += b[x][i] * b[x][o] * b[y][j] * b[y][p] *
					b[z][k] * b[z][q] * s[x][y][z];
			m[e][q][p][o][k][j][i] = v;
		}
	}
}
"""

# Rows of points and of sums that are no multiples of one another.
CONVOLUTION = """param N, C, K, D, H, W;
tensor f32 x(N,C,D,H,W), w(C,K,3,3,3);
out y(n,k,d,h,v) for 0<=n<N, 0<=k<K, 0<=d<D+2, 0<=h<H+2, 0<=v<W+2 =
	sum(c, r, s, t for 0<=c<C, 0<=r<3, 0<=s<3, 0<=t<3,
		0<=d-r<D, 0<=h-s<H, 0<=v-t<W: x(n,c,d-r,h-s,v-t)*w(c,k,r,s,t));
"""

# Two functions of several operations for each of many elements of a thread.
MISH = """Params M, K, N;
Matrix X(M,K); Matrix W(K,N); Matrix b(1,N);
T = X * W + b;
U = T .* Tanh(log(exp(T) + 1));
H = U .* Tanh(log(exp(U) + 1));
CodeGen(FLOAT, {H});
"""

def box(r):
    """The sum of the cells around each, in place: loops over 25i + 5j + k for "r" 4."""
    near = range(-r, r + 1)
    return "void f(int n, float a[n][n][n])\n{\n" + "".join(
        "for (int %s = %d; %s < n - %d; %s++)\n" % (x, r, x, r, x)
        for x in "ijk") + "a[i][j][k] = %s;\n}\n" % " + ".join(
            "a[i + %d][j + %d][k + %d]" % (x, y, z)
            for x in near for y in near for z in near).replace("+ -", "- ")


def check_box(cetane, folder):
    """The default limits are enough, for many threads, and the result right."""
    for r, command in (4, ["build", "--emit=ptx", "-o", "-"]), (2, [
            "run", "-D", "n=13", "--parametric", "--sanitize=all"]):
        with open(os.path.join(folder, "box.c"), "w") as f:
            f.write(box(r))
        p = subprocess.run([cetane, *command, "box.c"], cwd=folder, text=True,
                           capture_output=True)
        if p.returncode or "one thread" in p.stderr:
            return "%s: exit code %d\n%s" % (" ".join(command),
                                             p.returncode, p.stderr)
    return None


# What took isl or LLVM minutes: name, program, sizes, sizes to run at.
HARD = [
    ("remainders.c", remainders_c(8), "n=1000", "n=70"),
    ("remainders.dsl", remainders_dsl(8), "N=1000", "N=70"),
    ("small_loops.c", SMALL_LOOPS, "n=1000", "n=9"),
    ("convolution.dsl", CONVOLUTION, "N=2 C=3 K=4 D=9 H=10 W=11",
     "N=2 C=3 K=4 D=9 H=10 W=11"),
    ("mish.dsl", MISH, "M=4096 K=4096 N=4096", "M=70 K=17 N=67"),
]


def sized(sizes):
    return [word for size in sizes.split() for word in ("-D", size)]


def check_hard(cetane, folder):
    """The default limits are enough, for many threads, and the result right."""
    for name, text, large, small in part.sample(HARD, lambda case: case[0], of=4):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
        for command in (["build", name, "--emit=ptx", "-o", "-"] +
                        sized(large),
                        ["run", name, "--device=host", "--sanitize=all"] +
                        sized(small)):
            p = subprocess.run([cetane] + command, cwd=folder, text=True,
                               capture_output=True)
            if p.returncode or "one thread" in p.stderr:
                return "%s: exit code %d\n%s" % (" ".join(command),
                                                 p.returncode, p.stderr)
    return None


def check_pairs(cetane, folder):
    """LLVM does not search a tile of a product for pairs of f32, of which there are
    none, though the processor has instructions for them.
    """
    path = os.path.join(HERE, os.pardir, "programs", "gemm.c")
    p = subprocess.run([cetane, "build", path, "--emit=ptx", "-o", "-",
                        "--arch=sm_100", "--time-limit=5"], text=True,
                       cwd=folder, capture_output=True)
    return p.stderr if p.returncode else None


# What is written and read of an array, as sums of quotients and remainders.
QUOTIENTS = """void f(int n, int m, double a[3 * n + 9 * m + 60], double b[n])
{
	for (int i = 0; i < n; i++)
		a[(n - i) % 16 + (n - i) % 5 + i % 6] =
			a[i % 3 + i / 8 + ((n - i) / 6) / 2] + b[i];
}
"""


def check_quotients(cetane, folder):
    """Whether all of it is written is asked within bounds."""
    with open(os.path.join(folder, "quotients.c"), "w") as f:
        f.write(QUOTIENTS)
    p = subprocess.run([cetane, "check", "quotients.c", "--time-limit=4"],
                       cwd=folder, text=True, capture_output=True)
    if p.returncode or "inout  f64 a" not in p.stdout:
        return p.stderr or p.stdout
    return None


SQUARE = """param N;
tensor f32 x(N,N);
out y(i,j) for 0<=i<N, 0<=j<N = x(j,i);
out s(k) for 0<=k<N = case { k == 0: x(0,0); else: s(k-1) + x(k,0); };
out t(k) for 0<=k<=N = case { k == 0: 0.0; else: t(k-1) + x(k-1,0); };
"""
# sizes: what the code has, what it has not
WIDTHS = [
    (["-D", "N=40000"], ["mul nsw i32 %\\d+, 40000"], ["mul nsw i64 %\\d+, 40000"]),
    (["-D", "N=70000"], ["mul nsw i64 %\\d+, 70000"], ["mul nsw i32 %\\d+, 70000"]),
    ([], ["phi i32", "phi i64"], []),
]


def check_widths(cetane, folder):
    """64 bits where 2^31 can be passed, 32 where it cannot."""
    with open(os.path.join(folder, "square.dsl"), "w") as f:
        f.write(SQUARE)
    for sizes, has, lacks in WIDTHS:
        p = subprocess.run([cetane, "build", "square.dsl", "--emit=llvm",
                            "-o", "-"] + sizes, cwd=folder, text=True,
                           capture_output=True)
        for pattern in has:
            if p.returncode or not re.search(pattern, p.stdout):
                return "%s: no '%s'\n%s" % (sizes, pattern, p.stderr)
        for pattern in lacks:
            if re.search(pattern, p.stdout):
                return "%s: '%s'" % (sizes, pattern)
    return None


def main():
    cetane = os.path.abspath(sys.argv[1])
    words = [a for a in sys.argv[2:] if a[0] != "-"]
    limit = [float(a[13:]) for a in sys.argv[2:]
             if a.startswith("--time-limit=")] or [1]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        names = words or part.sample(PROGRAMS, of=4)
        for name in names:
            why = compile_one(cetane, folder, name, limit[0])
            if why:
                failed += 1
                print("%s: %s" % (name, why))
        for test in [] if words else [run_one, run_beyond, check_skew,
                                      check_parts, check_box, check_hard,
                                      check_pairs, check_quotients,
                                      check_widths]:
            why = test(cetane, folder)
            if why:
                failed += 1
                print("%s: %s" % (test.__name__, why))
    print("%d programs, %d failed" % (len(names), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
