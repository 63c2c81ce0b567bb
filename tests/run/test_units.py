#!/usr/bin/env python3
"""Check products on matrix units: programs on the host device under all checks,
verified, read back after every pass, and in the ring.

usage: test_units.py CETANE

Sizes are such that tiles and steps have edges; texts differ in types, in how operands
lie, in what the sums go over and in what is made of them; configurations in how many
fragments a block, a warp and a tile of steps have.
"""
import re
import sys
import tempfile

from on_host import check_all, complaints, run

UNITS = {"bf16": ["mma.m16n8k16.bf16", "wgmma.m64k16.bf16"],
         "f16": ["mma.m16n8k16.f16", "wgmma.m64k16.f16"],
         "f64": ["mma.m16n8k8.f64"],
         "tf32": ["mma.m16n8k8.tf32", "wgmma.m64k8.tf32"],
         "i8": ["mma.m16n8k32.s8", "wgmma.m64k32.s8",
                "mma.m16n16k32.s8"],
         "u8": ["mma.m16n8k32.u8", "wgmma.m64k32.u8",
                "mma.m16n16k32.u8"],
         "f8e4m3": ["mma.m16n8k32.e4m3", "wgmma.m64k32.e4m3",
                    "mma.m16n16k32.e4m3"],
         "f8e5m2": ["mma.m16n8k32.e5m2", "wgmma.m64k32.e5m2",
                    "mma.m16n16k32.e5m2"],
         "f8e4m3 f8e5m2": ["mma.m16n8k32.e4m3.e5m2", "wgmma.m64k32.e4m3.e5m2",
                           "mma.m16n16k32.e4m3.e5m2"],
         "f8e5m2 f8e4m3": ["mma.m16n8k32.e5m2.e4m3", "wgmma.m64k32.e5m2.e4m3",
                           "mma.m16n16k32.e5m2.e4m3"]}
BYTES = [kind for kind in UNITS if kind[-2:] in ("i8", "u8") or "f8" in kind]
STEPS = {kind: 32 for kind in BYTES} | {"f64": 8, "tf32": 8}
# What bytes are converted to where they are multiplied.
WIDE = {kind: "i32" if kind in ("i8", "u8") else "f32" for kind in BYTES}
SHAPES = {"nn": ("M,K", "K,N", "A(i,k) * B(k,j)"),
          "tn": ("K,M", "K,N", "A(k,i) * B(k,j)"),
          "nt": ("M,K", "N,K", "A(i,k) * B(j,k)"),
          "tt": ("K,M", "N,K", "B(j,k) * A(k,i)")}
HEAD = "param M, N, K;\ntensor %s A(%s), B(%s), b(N);\n"
MIXED = "param M, N, K;\ntensor %s A(%s);\ntensor %s B(%s), b(N);\n"


def product(kind, shape, value="sum(k: %s)"):
    a, b, term = SHAPES[shape]
    if kind in BYTES:
        term = re.sub(r"[AB]\(.,.\)", WIDE[kind] + r"(\g<0>)", term)
    if " " in kind:
        one, other = kind.split()
        return MIXED % (one, a, other, b) + "out C(i,j) = %s;\n" % (value % term)
    return HEAD % (kind, a, b) + "out C(i,j) = %s;\n" % (value % term)


GRAM = "param M, K;\ntensor %s A(M,K);\nout C(i,j) = sum(k: A(i,k) * A(j,k));\n"
BATCH = """param M, N, K;
tensor %s A(3,M,K), B(3,K,N);
out C(s,i,j) = sum(k: A(s,i,k) * B(s,k,j));
"""
BELOW = "sum(k for 0<=i<M, 0<=j<N, 0<=k<K, k<=i: %s)"
SCALED = "sum(k: 2 * %s)"
SQUARES = HEAD % ("f16", "M,K", "K,N") + \
    "out C(i,j) = sum(k: A(i,k) * A(i,k) * B(k,j));\n"
LARGEST = HEAD % ("f64", "M,K", "K,N") + \
    "out C(i,j) = max(k: A(i,k) * B(k,j));\n"
INT8 = """Params M, N, K;
Matrix A(M,K); Matrix B(K,N);
C = A * B;
CodeGen(INT8, {C});
"""
ROWS_SCALED = """param M, N, K;
tensor f8e4m3 A(M,K), B(N,K);
tensor f32 s(M), t(N);
out C(i,j) = bf16(s(i) * t(j) * sum(k: f32(A(i,k)) * f32(B(j,k))));
"""
FLOAT8 = INT8.replace("INT8", "FLOAT8_E4M3")
UNSIGNED = HEAD % ("u8", "M,K", "N,K") + \
    "out C(i,j) = sum(k: u32(A(i,k)) * u32(B(j,k)));\n"
TWO = HEAD % ("bf16", "M,K", "K,N") + """tensor bf16 W(N,K);
H(i,j) = relu(sum(k: A(i,k) * B(k,j)) + b(j));
out D(i,k) = sum(j: H(i,j) * W(j,k));
"""
# Filters over channels, with the edges left out, and sums over two indices, of which one
# goes along no rows: operands of more than two dimensions.
FILTERS = """param M, N, K;
tensor f16 X(2,K,K,M), F(N,3,3,M);
out Y(b,i,j,n) for 0 <= i < K, 0 <= j < K = sum(p, q, c for 0 <= p < 3, 0 <= q < 3,
    0 <= i+p-1 < K, 0 <= j+q-1 < K: X(b,i+p-1,j+q-1,c) * F(n,p,q,c));
"""
TWICE = """param M, N, K;
tensor bf16 A(M,3,K), B(3,N,2,K);
out C(i,j,l) = sum(p, k: A(i,p,k) * B(p,j,l,k));
"""
GATE = """param M, N, K;
tensor bf16 X(M,K), V(K,N), W(K,N);
g(i,j) = sum(k: f32(X(i,k)) * f32(V(k,j)));
u(i,j) = sum(k: f32(X(i,k)) * f32(W(k,j)));
out Y(i,j) = bf16(g(i,j) * sigmoid(g(i,j)) * u(i,j));
"""
UNEVEN = GATE.replace("u(i,j) = sum(k:", "u(i,j) = sum(k for 0<=i<M, 0<=j<N, 0<=k<K-20:")
# Three of them, of which one is turned; and one that what the other gives is between.
GATES = """param M, N, K;
tensor bf16 X(M,K), Q(K,N), V(N,K), W(K,N);
p(i,j) = sum(k: f32(X(i,k)) * f32(Q(k,j)));
s(i,j) = 2 * sum(k: f32(X(i,k)) * f32(V(j,k)));
u(i,j) = sum(k: f32(X(i,k)) * f32(W(k,j)));
out Y(i,j) = bf16(p(i,j) * s(i,j) + u(i,j));
"""
BETWEEN = """param M, N, K;
tensor f64 X(M,K), V(K,N), W(K,N), b(M,N);
g(i,j) = sum(k: X(i,k) * V(k,j));
h(i,j) = b(i,j) / (1 + g(i,j) * g(i,j));
u(i,j) = sum(k: X(i,k) * W(k,j));
out Y(i,j) = h(i,j) + u(i,j);
"""
# Blocks of warps and of warpgroups: threads, tile and steps, runs, stages.
WARPS = ["8 4 tile 16 8 %d vec 1 2", "8 4 tile 48 24 %d vec 1 2",
         "16 4 tile 32 64 %d vec 1 2 stages 2", "16 4 tile 32 32 %d vec 1 8 stages 3",
         "32 4 tile 128 16 %d vec 1 2 stages 4", "8 4 tile 32 64 %d vec 1 8",
         "16 8 tile 32 32 %d vec 1 2 stages 2", "8 12 tile 32 96 %d vec 1 8 stages 3"]
# The same where bytes of B lie side by side: of pairs of columns.
PAIRS = ["8 4 tile 16 16 %d vec 1 4", "8 4 tile 48 48 %d vec 1 4",
         "16 4 tile 32 64 %d vec 1 4 stages 2", "16 4 tile 32 64 %d vec 1 16 stages 3",
         "32 4 tile 128 16 %d vec 1 4 stages 4", "8 4 tile 32 64 %d vec 1 16",
         "16 8 tile 32 32 %d vec 1 4 stages 2", "8 12 tile 32 192 %d vec 1 16 stages 3"]
GROUPS = ["32 4 tile 64 64 %d vec 1 2 stages 3", "32 4 tile 128 64 %d vec 1 8 stages 4",
          "64 4 tile 128 192 %d vec 1 8 stages 4"]
SIZES = [(72, 40, 40), (67, 71, 33)]


def fast(kind):
    """What lets warpgroups multiply: they cut sums of floats of 8 bits."""
    return ["--fp=relaxed"] if "f8" in kind else []


def warps_of(kind, shape, n):
    """The unit of warps, and block number "n" of them."""
    pairs = kind in BYTES and shape in ("nn", "tn")
    return (2, PAIRS[n]) if pairs else (0, WARPS[n])


def groups_of(kind, shape):
    """Blocks of warpgroups, which turn elements of 16 bits alone."""
    if len(UNITS[kind]) == 1 or (kind not in ("f16", "bf16") and shape != "nt"):
        return []
    return [b % (128 if kind in BYTES else 32 if kind == "tf32" else 64)
            for b in GROUPS]


# The text, sizes, the type whose units run it (None: none), a unit and a block that
# are configured, and options.
CASES = []
for kind in UNITS:
    k = STEPS.get(kind, 16)
    for i, shape in enumerate(SHAPES):
        CASES.append((product(kind, shape), SIZES[i % 2], kind, None))
        for n in range(len(WARPS)):
            unit, block = warps_of(kind, shape, n)
            if (i + n) % 2:
                CASES.append((product(kind, shape), SIZES[n // 2 % 2], kind,
                              (unit, block % (k << n % 2))))
        for n, block in enumerate(groups_of(kind, shape)):
            if (i + n) % 2:
                CASES.append((product(kind, shape), (136, 72, 136 - n), kind,
                              (1, block), *fast(kind)))
    few = (0, WARPS[3] % k)
    # Whole tiles alone, whose last steps are put off.
    whole = [(unit, block % (2 * k)) for unit, block in
             (warps_of(kind, "nn", n) for n in (2, 6))]
    CASES += [(product(kind, "nn"), (64, 64, 96), kind, w) for w in whole]
    if kind in BYTES:
        CASES += [(product(kind, "nn"), (70, 70, 40),
                   kind if WIDE[kind] == "i32" else None,
                   (2, PAIRS[3] % k) if WIDE[kind] == "i32" else None,
                   "--fp=strict"),
                  (product(kind, "nt", BELOW), (90, 70, 100), kind, few),
                  (product(kind, "nt", "sum(k: %s) + " + WIDE[kind] + "(b(j))"),
                   (70, 66, 24), kind, few),
                  (product(kind, "nt", SCALED), (70, 70, 40), None, None),
                  (product(kind, "tn"), (136, 72, 40), kind, None,
                   "--parametric")]
        continue
    CASES += [(GRAM % kind, (50, 50, 41), kind, few),
              (BATCH % kind, (40, 70, 24), kind, few),
              (product(kind, "nn", "relu(sum(k: %s) + b(j))"), (70, 66, 24), kind,
               few),
              (product(kind, "nn", "relu(sum(k: %s) + b(j))"), (70, 66, 24), kind,
               None),
              (product(kind, "nt", BELOW), (90, 70, 100), kind, few),
              (product(kind, "nn", SCALED), (70, 70, 40), None, None),
              (product(kind, "nn"), (70, 70, 40), None, None, "--fp=strict"),
              (product(kind, "tn"), (136, 72, 40), kind, None, "--parametric")]
CASES += [(TWO, (80, 96, 40), "bf16", None), (SQUARES, (70, 70, 40), None, None),
          (product("bf16", "nt", BELOW), (140, 70, 200), "bf16", (1, GROUPS[0] % 64)),
          (product("i8", "nt", BELOW), (140, 70, 200), "i8", (1, GROUPS[0] % 128)),
          (product("i8", "nt"), (136, 72, 256), "i8", (1, GROUPS[2] % 128)),
          (FILTERS, (72, 72, 5), "f16", (1, GROUPS[0] % 64)),
          (FILTERS, (24, 72, 6), "f16", (1, GROUPS[1] % 64)),
          (TWICE, (136, 36, 72), "bf16", (1, GROUPS[1] % 64)),
          (GATE, (136, 72, 72), "bf16", (1, GROUPS[0] % 64)),
          (GATE, (136, 136, 136), "bf16", (1, GROUPS[1] % 64)),
          (GATE, (136, 72, 72), "bf16", (0, WARPS[2] % 32)),
          (GATE, (136, 72, 600), "bf16", None), (GATES, (136, 72, 72), "bf16", None),
          (GATE.replace("bf16", "f32"), (37, 71, 33), None, None),
          (UNEVEN, (136, 72, 136), "bf16", None), (BETWEEN, (136, 72, 72), "f64", None),
          (LARGEST, (70, 70, 40), None, None),
          (ROWS_SCALED, (136, 72, 136), "f8e4m3", (1, GROUPS[1] % 128),
           "--fp=relaxed"),
          (ROWS_SCALED, (70, 66, 40), "f8e4m3", None),
          (FLOAT8, (70, 66, 40), "f8e4m3", None),
          (INT8, (70, 66, 40), "i8", None), (UNSIGNED, (70, 66, 40), "u8", None),
          (product("f32", "nn"), (70, 70, 40), None, None)]


def configuration(command, args, kind, choice):
    """The line that gives the product of a program unit and block."""
    text = run([command, "build"] + args + ["--emit=poly", "-o", "-", "--no-check",
                                            "--stop-after=map_tiles"], "").stdout
    name = re.search(r"(?m)^kernel (\S+) tiled", text).group(1)
    unit, block = choice
    return "cetane-config 1\nkernel %s thread %s unit %s\n" % (
        name, block, UNITS[kind][unit])


def check(command, path, sizes, kind, choice, *options):
    with open(path, encoding="utf-8") as f:
        names = re.search("(?i)params? (.*);", f.readline()).group(1).split(", ")
    args = [path, *options] + ["-D%s=%d" % s for s in zip("MNK", sizes)
                               if s[0] in names]
    wanted = UNITS[kind] if kind else []
    bad = []
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as conf:
        if choice:
            conf.write(configuration(command, args, kind, choice))
            conf.flush()
            args.append("--config=" + conf.name)
            wanted = [UNITS[kind][choice[0]]]
        fixed = [a for a in args if "--parametric" not in args or
                 a[:2] not in ("-D", "--")]
        text = run([command, "build"] + fixed + ["--emit=poly", "-o", "-"],
                   "").stdout
        units = set(re.findall(r"(?m)^kernel .* unit (\S+)", text))
        if units - set(wanted) or bool(units) != bool(wanted):
            bad.append("units are %s\n%s" % (units, text[:300]))
        return bad + complaints(command, args, "roundtrip")


if __name__ == "__main__":
    sys.exit(check_all(check, sys.argv[1], CASES, of=12,
                       test="run.units"))
