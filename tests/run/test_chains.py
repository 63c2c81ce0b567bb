#!/usr/bin/env python3
"""Check products in a row that become one kernel: programs on the host device
under all checks, verified, read back after every pass, and in the ring.

usage: test_chains.py CETANE

Sizes are such that tiles, steps and what is handed on have edges; texts differ in
what stands between the products, in types, and in how the arrays lie.
"""
import sys

from on_host import check_all, complaints, run

PLAIN = """Params M,K,H,N; Matrix X(M,K); Matrix V(K,H); Matrix W(H,N);
Z = relu(X*V)*W; CodeGen z(%s,{Z});
"""
BIAS = """Params M,K,H,N; Matrix X(M,K); Matrix V(K,H); Matrix b(M,H); Matrix W(H,N);
Z = relu(X*V + b)*W; CodeGen z(FLOAT,{Z});
"""
BARE = """Params M,K,H,N; Matrix X(M,K); Matrix V(K,H); Matrix W(H,N);
Z = X*V*W; CodeGen z(DOUBLE,{Z});
"""
# Columns that lie along memory: the other axis is shared.
TURNED = """Params M,K,H,N; Matrix X(K,M); Matrix V(H,K); Matrix W(N,H);
Z = W*relu(V*X); CodeGen z(FLOAT,{Z});
"""
TRANSPOSED = """Params M,K,H,N; Matrix X(K,M); Matrix V(H,K); Matrix W(N,H);
Z = relu(X'*V')*W'; CodeGen z(FLOAT,{Z});
"""
# Another kernel before, and one behind.
BETWEEN = """Params M,K,H,N; Matrix X(M,K); Matrix V(K,H); Matrix W(H,N); Matrix U(M,N);
Y = U*W'; Z = relu(X*V)*W; R = Z' * U; CodeGen z(FLOAT,{Y,Z,R});
"""
SCORES = """param M, K, H, N;
tensor f32 Q(M,K), S(H,K), W(H,N);
e(i,h) = exp(sum(k: Q(i,k) * S(h,k)) / 64);
out z(i,j) = sum(h: e(i,h) * W(h,j));
"""
CASES = [
    (PLAIN % "FLOAT", (257, 65, 37, 29)), (PLAIN % "FLOAT", (4099, 33, 17, 33)),
    (PLAIN % "DOUBLE", (131, 31, 20, 65)), (BIAS, (300, 40, 47, 21)),
    (BARE, (257, 17, 33, 9)), (TURNED, (259, 33, 29, 40)),
    (TRANSPOSED, (190, 30, 31, 35)), (SCORES, (257, 33, 61, 32)),
    (BETWEEN, (257, 40, 33, 37)),
    # Alone, the second product had its sum in parts.
    (PLAIN % "FLOAT", (64, 17, 300, 16)),
]
# What is handed on is an output, too.
KEPT = PLAIN.replace("Z = relu(X*V)*W;", "Y = relu(X*V); Z = Y*W;").replace("{Z}", "{Y, Z}")
# One row is none for tiles of products: whatever it becomes, it is right.
ANY = [(PLAIN % "FLOAT", (1, 33, 17, 5)), (KEPT % "FLOAT", (257, 65, 37, 29))]

# Any number of rows.
ROWS = """Params M; Matrix X(M,33); Matrix V(33,17); Matrix W(17,29);
Z = relu(X*V)*W; CodeGen z(%s,{Z});
"""
COLUMNS = """Params M; Matrix X(31,M); Matrix V(47,31); Matrix W(20,47);
Z = W*relu(V*X); CodeGen z(FLOAT,{Z});
"""
FREE = [(ROWS % "FLOAT", (1,)), (ROWS % "FLOAT", (127,)), (ROWS % "FLOAT", (257,)),
        (ROWS % "DOUBLE", (65,)), (ROWS % "HALF", (129,)), (COLUMNS, (131,))]

# What the model has of itself: one kernel, or a sum in parts before the second
# product, whose rows alone would leave most of a device idle.
CHOSEN = [(PLAIN % "FLOAT", (1024, 128, 64, 64), 1),
          (PLAIN % "FLOAT", (1024, 192, 32, 32), 1),
          (PLAIN % "FLOAT", (1024, 512, 64, 64), 3),
          (ROWS.replace("33", "128") % "FLOAT", (), 1)]


def build(command, path, args, debug):
    return run([command, "build", path] + args + [
        "--arch=sm_90a", "--emit=poly", "-o", "-"], debug).stdout


def check(command, path, sizes, chained):
    args = ["-D%s=%d" % s for s in zip("MKHN", sizes)]
    bad = []
    if chained and "_keep point" not in build(command, path, args, "chain"):
        bad.append("nothing is handed on")
    return bad + complaints(command, [path] + args, "chain,roundtrip")


def check_free(command, path, sizes):
    bad = []
    if "_keep point" not in build(command, path, [], ""):
        bad.append("nothing is handed on")
    return bad + complaints(command, [path, "--parametric", "--arch=sm_90a",
                                      "-DM=%d" % sizes], "roundtrip")


def check_chosen(command, path, sizes, kernels):
    args = ["-D%s=%d" % s for s in zip("MKHN", sizes)]
    out = build(command, path, args, "")
    got = sum(line.startswith("kernel ") for line in out.splitlines())
    return ["%d kernels, not %d" % (got, kernels)] * (got != kernels)


if __name__ == "__main__":
    failed = [check_all(check, sys.argv[1], [c + (True,) for c in CASES] +
                        [c + (False,) for c in ANY]),
              check_all(check_free, sys.argv[1], FREE),
              check_all(check_chosen, sys.argv[1], CHOSEN)]
    sys.exit(any(failed))
