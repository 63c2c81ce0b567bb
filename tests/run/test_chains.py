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
]
# One row is none for tiles of products: whatever it becomes, it is right.
ANY = [(PLAIN % "FLOAT", (1, 33, 17, 5))]


def check(command, path, sizes, chained):
    args = [path] + ["-D%s=%d" % s for s in zip("MKHN", sizes)]
    bad = []
    out = run([command, "build"] + args + ["--arch=sm_90a", "--emit=poly",
                                           "-o", "-"], "chain").stdout
    if chained and "_keep point" not in out:
        bad.append("nothing is handed on")
    return bad + complaints(command, args, "chain,roundtrip")


if __name__ == "__main__":
    sys.exit(check_all(check, sys.argv[1], [
        c + (True,) for c in CASES] + [c + (False,) for c in ANY]))
