#!/usr/bin/env python3
"""Programs times sizes times types on the host device.

Every run is verified by the command itself (by the interpreter, with
--verify=full every element of a large product, too) and checked for bounds,
uninitialised reads and races; a nonzero exit status fails the test. Tiled and naive kernels
add products in the same order, so their outputs must agree bit for bit, which
verifies the naive ones; unless a sum is divided into parts: then they are verified
for themselves, and agree with --fp=strict, which divides none. Seeds are of the
data; for each, the blocks and threads run in several orders. Without --all, each
program, size and type runs in one of several ways, and each way with others.

usage: test_matrix.py CETANE GROUP [--all]
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import part

ALL = "--all" in sys.argv
CORES = len(os.sched_getaffinity(0))

FIG2 = """Params M, K, N;
Matrix A(M,K);
Matrix B(K,N);
Matrix C(M,N);
D = A * B;
E = D + C;
CodeGen(%s, {E});
"""
FIG6 = """Params M, K, N;
Matrix A(M,K); Matrix B(K,N); Matrix V(1,N);
T = A * B;
C = T + V;
CodeGen(%s, {C});
"""
FIG7 = """Params M, K, N;
Matrix A(M,K); Matrix B(M,K); Matrix C(K,N); Matrix D(K,N);
E = A + B; F = C + D; G = E * F;
CodeGen(%s, {G});
"""
TRANSPOSED = """Params M, K, N;
Matrix A(K,M); Matrix B(N,K); Matrix C(N,M); Matrix v(1,N);
T = A^T * B^T; U = ReLU(T + v); Y = U^T + C; Z = max(T, U) .* 3;
CodeGen(%s, {Y, Z, T});
"""
CHAIN = """Params M, K, N;
Matrix A(M,K); Matrix B(K,N); Matrix C(N,M);
D = (A * B) * C; E = A * B + A * B; F = D^T * D;
CodeGen(%s, {D, E, F});
"""
POINTWISE = """Params M, K, N;
Matrix A(M,N); Matrix r(1,N); Matrix c(M,1); Matrix s(1,1); Matrix k(1,K);
B = (A + r) .* c - s; C = ReLU(B) + A^T^T + min(A, c); D = B^T; E = k + k;
CodeGen(%s, {C, D, E});
"""
FUNCTIONS = """Params M, K, N;
Matrix A(M,N); Matrix B(N,K); Matrix k(1,K);
C = sigmoid(A) + tanh(A) - exp(A); D = log(abs(A) + 1) .* sqrt(abs(A));
E = tanh(A * B + k);
CodeGen(%s, {C, D, E});
"""

FIGURES = {"fig2": FIG2, "fig6": FIG6, "fig7": FIG7}
OTHERS = {"transposed": TRANSPOSED, "chain": CHAIN, "pointwise": POINTWISE}
FLOATS = ["HALF", "FLOAT", "DOUBLE", "BFLOAT16"]
TYPES = FLOATS + ["INT", "INT8"]
PAPER = [(1, 1, 1), (17, 19, 23), (128, 128, 128)]
LARGE = (400, 401, 399)
ODD = [(0, 5, 7), (5, 0, 7), (5, 7, 0), (0, 0, 0), (2, 1, 3), (63, 15, 64),
       (64, 16, 65), (65, 17, 63), (127, 31, 129), (1, 67, 130), (131, 2, 1)]


class Case:
    def __init__(self, name, text, kind, size, *options):
        self.name, self.text, self.size = name, text % kind, size
        self.kind, self.options = kind, list(options)

    def __str__(self):
        return " ".join([self.name, self.kind, "%dx%dx%d" % self.size]
                        + self.options)


def alternate(cases, ways):
    """Of each case in several ways, one, and each way in turn."""
    return cases if ALL else [cases[i] for i in range(len(cases))
                              if i % ways == i // ways % ways]


def groups():
    figures, odd, seeds, large = [], [], [], []
    for name, text in FIGURES.items():
        for kind in TYPES:
            for size in PAPER:
                figures.append(Case(name, text, kind, size, "--sanitize=all"))
                figures.append(Case(name, text, kind, size, "--sanitize=all",
                                    "--parametric", "--verify=full"))
    for name, text in OTHERS.items():
        for i, size in enumerate(ODD):
            kind = TYPES[i % len(TYPES)]
            odd.append(Case(name, text, kind, size, "--sanitize=all"))
            odd.append(Case(name, text, kind, size, "--sanitize=all",
                            "--parametric", "--verify=full"))
    for size in ODD:
        odd.append(Case("functions", FUNCTIONS, "FLOAT", size,
                        "--sanitize=all"))
        odd.append(Case("functions", FUNCTIONS, "DOUBLE", size,
                        "--verify=full"))
    figures, odd = alternate(figures, 2), alternate(odd, 2)
    odd += alternate([Case(name, text, "FLOAT", size, "--sanitize=all",
                           "--parametric")
                      for size in ODD for name, text in FIGURES.items()], 3)
    for seed in range(1, 3):
        seeds.append(Case("fig2", FIG2, "FLOAT", (70, 33, 65),
                          "--sanitize=all", "--host-orders=8",
                          "--host-seed=%d" % seed, "--seed=%d" % seed))
        seeds.append(Case("chain", CHAIN, "HALF", (70, 33, 65),
                          "--sanitize=all", "--host-orders=8",
                          "--host-seed=%d" % seed, "--seed=%d" % seed))
    for i, kind in enumerate(TYPES):
        name = list(FIGURES)[i % 3]
        large.append(Case(name, FIGURES[name], kind, LARGE,
                          *(["--parametric"] if i % 2 else [])))
    return {"figures": figures, "odd": odd, "seeds": seeds, "large": large}


def outputs(text):
    names = text[text.rindex("{") + 1:text.rindex("}")]
    return [name.strip() for name in names.split(",")]


def run(cetane, folder, case, mapping, more=(), verify=True):
    """Run one case: an error text, what it printed, bytes of its outputs."""
    file = os.path.join(folder, "program.dsl")
    with open(file, "w") as out:
        out.write(case.text)
    args = [cetane, "run", file, "--map=" + mapping, *case.options, *more]
    args += ["-D%s=%d" % d for d in zip("MKN", case.size)]
    files = {}
    for name in outputs(case.text):
        files[name] = os.path.join(folder, name + ".npy")
        args.append("--output=%s=%s" % (name, files[name]))
    if not verify:
        args.append("--verify=none")
    p = subprocess.run(args, capture_output=True, text=True, cwd=folder)
    if p.returncode or (verify and
                        p.stdout.count("verified") != len(files)):
        text = "exit status %d\n%s%s" % (p.returncode, p.stdout, p.stderr)
        return text, p.stdout, {}
    return None, p.stdout, {n: open(f, "rb").read() for n, f in files.items()}


def check_sample(said, case):
    """Above 3 * 10^7 operations a sample with all borders is compared, and the
    output says so. Some of its points are drawn twice, borders share corners, and
    in fig7 all of what is summed is computed first.
    """
    rows, columns = case.size[0], case.size[2]
    least = 1900 + 2 * (rows + columns)
    found = re.search(r"verified against the interpreter: "
                      r"(\d+) of %d elements" % (rows * columns), said)
    if not found or int(found[1]) < least:
        return "no sample of at least %d elements: %s" % (least, said)


def check(cetane, case):
    with tempfile.TemporaryDirectory() as folder:
        error, said, tiled = run(cetane, folder, case, "tiled")
        if error or case.size == LARGE:
            return error or check_sample(said, case)
        error, _, naive = run(cetane, folder, case, "naive", verify=False)
        if error or tiled == naive:
            return error
        error, _, naive = run(cetane, folder, case, "naive")
        if error:
            return error
        pair = [run(cetane, folder, case, m, ["--fp=strict"])
                for m in ("tiled", "naive")]
        if any(e for e, _, _ in pair) or pair[0][2] != pair[1][2]:
            return "tiled and naive outputs differ"


def main():
    cetane, group = os.path.abspath(sys.argv[1]), sys.argv[2]
    cases = part.chosen(groups()[group], str) if ALL else \
        part.sample(groups()[group], str, of=12, test="run." + group)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        results = pool.map(lambda c: check(cetane, c), cases)
        for case, error in zip(cases, results):
            if error:
                failed += 1
                print("FAIL %s: %s" % (case, error))
                part.say_failed(str(case))
    print("%s: %d cases, %d failed" % (group, len(cases), failed))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
