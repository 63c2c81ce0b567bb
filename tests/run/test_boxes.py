#!/usr/bin/env python3
"""Products of warpgroups whose operands are copied in boxes, on the host device.

Every run is verified by the command itself, some of its elements against the
interpreter and all of them against one thread in the ring, and checked for bounds,
uninitialised reads and races, in several orders of threads; each says how many copies
are of boxes, and whether blocks take several tiles. The bits are those of other copies.

usage: test_boxes.py CETANE
"""
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import npy
import part
from copied import cetane, must_agree, write

HEAD = "param M, N, K;\ntensor %s A(%s), B(%s);\n"
SHAPES = {"nn": ("M,K", "K,N", "A(i,k) * B(k,j)"),
          "tn": ("K,M", "K,N", "A(k,i) * B(k,j)"),
          "nt": ("M,K", "N,K", "A(i,k) * B(j,k)"),
          "tt": ("K,M", "N,K", "A(k,i) * B(j,k)")}
BATCH = HEAD % ("bf16", "3,M,K", "3,K,N") + \
    "out C(s,i,j) = sum(k: A(s,i,k) * B(s,k,j));\n"
MIDDLE = HEAD % ("bf16", "M,3,K", "K,N") + \
    "out C(i,j) = sum(k: A(i,1,k) * B(k,j));\n"
BELOW = HEAD % ("bf16", "M,K", "N,K") + \
    "out C(i,j) = sum(k for 0<=i<M, 0<=j<N, 0<=k<K, k<=i: A(i,k) * B(j,k));\n"
SOME = HEAD % ("bf16", "M,K", "N,K") + \
    "out C(i,j) = sum(k for 0<=i<M, 0<=j<N, 0<=k<70: A(i,k) * B(j,k));\n"
RELU = HEAD % ("bf16", "M,K", "K,N") + \
    "tensor bf16 b(N);\nout C(i,j) = relu(sum(k: A(i,k) * B(k,j)) + b(j));\n"
# Pixels of images, of which three lie in memory as one dimension.
PIXELS = """param M, N, K;
tensor bf16 A(3,M,7,K), B(N,K);
out C(b,i,j,n) = sum(k: A(b,i,j,k) * B(n,k));
"""
# Windows that slide over pixels, and what lies beyond the images is left out: M rows of 7
# pixels; steps of 2 and 3, and windows that begin inside; pixels two apart in a window; of
# one dimension and of three; of one pixel each.
WINDOW = """param M, N, K;
tensor bf16 A(3,M,7,K), B(N,3,3,K);
out C(b,i,j,n) for 0<=i<M, 0<=j<7 = sum(p,q,k for 0<=p<3, 0<=q<3, 0<=i+p-1<M, 0<=j+q-1<7:
  A(b,i+p-1,j+q-1,k) * B(n,p,q,k));
"""
STEPS = """param M, N, K;
tensor bf16 A(3,2*M,17,K), B(N,3,2,K);
out C(b,i,j,n) for 0<=i<M, 0<=j<5 = sum(p,q,k for 0<=p<3, 0<=q<2, 0<=2*i+p-1<2*M:
  A(b,2*i+p-1,3*j+q+2,k) * B(n,p,q,k));
"""
APART = """param M, N, K;
tensor f16 A(3,M,7,K), B(N,3,3,K);
out C(b,i,j,n) for 0<=i<M, 0<=j<7 = relu(sum(p,q,k for 0<=p<3, 0<=q<3, 0<=i+2*p-2<M,
  0<=j+2*q-2<7: A(b,i+2*p-2,j+2*q-2,k) * B(n,p,q,k)));
"""
ROW = """param M, N, K;
tensor bf16 A(3,M,K), B(N,5,K);
out C(b,i,n) for 0<=i<M = sum(p,k for 0<=p<5, 0<=i+p-2<M: A(b,i+p-2,k) * B(n,p,k));
"""
SPACE = """param M, N, K;
tensor bf16 A(2,M,4,5,K), B(N,2,3,3,K);
out C(b,h,i,j,n) for 0<=h<M, 0<=i<4, 0<=j<5 = sum(o,p,q,k for 0<=o<2, 0<=p<3, 0<=q<3,
  0<=h+o-1<M, 0<=i+p-1<4, 0<=j+q-1<5: A(b,h+o-1,i+p-1,j+q-1,k) * B(n,o,p,q,k));
"""
SECOND = """param M, N, K;
tensor bf16 A(3,2*M,14,K), B(N,K);
out C(b,i,j,n) for 0<=i<M, 0<=j<7 = sum(k: A(b,2*i,2*j,k) * B(n,k));
"""
GATE = """param M, N, K;
tensor bf16 A(M,K), V(K,N), W(K,N);
g(i,j) = sum(k: f32(A(i,k)) * f32(V(k,j)));
u(i,j) = sum(k: f32(A(i,k)) * f32(W(k,j)));
out C(i,j) = bf16(g(i,j) * sigmoid(g(i,j)) * u(i,j));
"""
# Rows of whole units, however many: sizes are told when it is run.
OPEN = """param M, N, K;
tensor bf16 A(M,8*K), B(8*K,8*N), b(8*N);
out C(i,j) = relu(sum(k: A(i,k) * B(k,j)) + b(j));
"""


def product(kind, shape):
    a, b, term = SHAPES[shape]
    return HEAD % (kind, a, b) + "out C(i,j) = sum(k: %s);\n" % term


BYTES = HEAD % ("i8", "M,K", "N,K") + \
    "out C(i,j) = sum(k: i32(A(i,k)) * i32(B(j,k)));\n"
TWO = "64 4 tile 128 64 64 vec 1 8 stages %d"
ONE = "32 4 tile 64 64 64 vec 1 8 stages %d"
DOWN, ASIDE = " cluster %d 1", " cluster 1 %d"
THREE = "96 4 tile 192 64 64 vec 1 8 stages %d"
TWO_BYTES = "64 4 tile 128 64 128 vec 1 2 stages %d"
UNITS = {"f16": "m64k16.f16", "bf16": "m64k16.bf16", "i8": "m64k32.s8"}
# The program, M, N and K, the block, copies of boxes, and how many blocks take the tiles
# in turns, with a warp that starts their copies (0: none do): as many as there are tiles
# or multiprocessors (MANY), where one has room for one block.
MANY = 16
CASES = [
    (product("bf16", "nn"), (200, 72, 136), TWO % 3, 2, 0),
    (product("f16", "tn"), (128, 64, 40), TWO % 4, 2, 0),
    (product("bf16", "nt"), (136, 192, 72), TWO % 3, 2, 0),
    (product("f16", "tt"), (264, 72, 64), TWO % 4, 2, 0),
    (PIXELS, (14, 72, 136), TWO % 3, 2, 0), (PIXELS, (14, 72, 136), TWO % 5, 2, 6),
    # Rows of A that are no whole units.
    (product("bf16", "nn"), (200, 72, 134), TWO % 3, 1, 0),
    (BATCH, (136, 72, 136), TWO % 4, 2, 0),
    (MIDDLE, (136, 72, 136), TWO % 4, 2, 0),
    # What lies in the array and is copied, but is not to be added.
    (BELOW, (256, 72, 256), TWO % 3, 2, 0),
    (SOME, (136, 72, 136), TWO % 3, 2, 0),
    # Turns: steps that are a multiple of the slots, and not; one step; edges.
    (product("bf16", "nn"), (476, 320, 40), TWO % 5, 2, MANY),
    (product("bf16", "nn"), (512, 312, 328), TWO % 5, 2, MANY),
    (RELU, (476, 312, 72), TWO % 5, 2, MANY),
    (BATCH, (256, 168, 40), TWO % 5, 2, MANY),
    (GATE, (476, 320, 200), TWO % 5, 3, MANY),
    # Rows of tiles in groups, of which the last is lower.
    (product("f16", "nn"), (2200, 200, 40), TWO % 5, 2, MANY),
    # Fewer tiles than multiprocessors; more slots than steps.
    (product("f16", "nt"), (200, 136, 328), TWO % 5, 2, 6),
    (product("bf16", "tn"), (136, 72, 40), TWO % 6, 2, 4),
    # Three warpgroups.
    (product("bf16", "nt"), (200, 136, 328), THREE % 4, 2, 6),
    # One warpgroup; room for one block, but tiles of different steps.
    (RELU, (200, 136, 328), ONE % 8, 2, 12),
    (BELOW, (256, 72, 256), TWO % 5, 2, 0),
    (BYTES, (200, 72, 272), TWO_BYTES % 3, 2, 0),
    # Windows, with the warp and without; a tile that ends behind the last image.
    (WINDOW, (14, 72, 64), TWO % 5, 2, 6), (WINDOW, (14, 72, 64), TWO % 3, 2, 0),
    (WINDOW, (9, 64, 128), ONE % 8, 2, 3), (STEPS, (16, 72, 64), TWO % 5, 2, 4),
    (APART, (12, 64, 64), TWO % 5, 2, 2), (ROW, (70, 72, 64), TWO % 5, 2, 4),
    (SPACE, (6, 64, 64), TWO % 5, 2, 2), (SECOND, (16, 72, 136), TWO % 5, 2, 6),
    # Places of the window that would share a tile of steps.
    (WINDOW, (14, 72, 40), TWO % 5, 0, 0),
    # Clusters: rows of A or B that blocks copy for one another; several tiles of each.
    (product("bf16", "nn"), (256, 128, 456), TWO % 5 + DOWN % 2, 2, 4),
    (product("f16", "nt"), (256, 192, 328), ONE % 8 + DOWN % 4, 2, 12),
    (product("bf16", "tn"), (200, 256, 328), ONE % 8 + ASIDE % 2, 2, MANY),
    (BATCH, (256, 128, 136), TWO % 5 + DOWN % 2, 2, 12),
    (RELU, (512, 312, 72), TWO % 5 + DOWN % 2, 2, MANY),
    (WINDOW, (14, 128, 64), TWO % 5 + ASIDE % 2, 2, 6),
    # Sizes that are not known: more tiles than blocks, and fewer; one step, several turns
    # of the slots, and none.
    (OPEN, (476, 40, 5), TWO % 5, 2, MANY), (OPEN, (476, 39, 41), TWO % 5, 2, MANY),
    (OPEN, (200, 9, 41), TWO % 3, 2, 0), (OPEN, (130, 9, 0), TWO % 5, 2, MANY),
    # Rows of both that are no whole units.
    (BYTES, (136, 72, 136), TWO_BYTES % 4, 0, 0),
]

INFINITE = [(WINDOW, (14, 72, 64), TWO % 5, 2, 6),
            (WINDOW, (14, 72, 64), TWO % 3, 2, 0)]


def check(case, given=()):
    """A case, with values that are "given" for B; the ring has none, nor other types."""
    program, sizes, block, count, turns = case
    write("p.dsl", program)
    fixed = ["-D%s=%d" % s for s in zip("MNK", sizes)]
    unit = next(u for t, u in UNITS.items() if " %s " % t in program)
    block, cluster = (block.split(" cluster") + [""])[:2]
    for name in "bulk", "async":
        write(name, "cetane-config 1\nkernel p_C thread %s unit wgmma.%s%s\n"
              "copies %s\n" % (block, unit, cluster and " cluster" + cluster,
                              name))
    known = [] if program == OPEN else fixed
    if program == OPEN:
        fixed.append("--parametric")
    text = cetane("build", "p.dsl", *known, "--config=bulk", "--emit=poly",
                  "-o", "-")
    if text.count(" async bulk\n") != count:
        sys.exit(f"{case}: {text.count(' async bulk')} copies of boxes")
    if (" blocks %d " % turns in text) != (turns > 0):
        sys.exit(f"{case}: blocks")
    if (" cluster" in text) != (cluster != ""):
        sys.exit(f"{case}: clusters")
    cetane("run", "p.dsl", *fixed, "--config=bulk", "--sanitize=all",
           "--host-orders=%d" % (1 if turns else 2), "--device=host",
           "--verify=sample", "-o", "C=bulk.npy", *given)
    cetane("run", "p.dsl", *fixed, "--config=async", "--device=host",
           "--no-verify", "-o", "C=async.npy", *given)
    must_agree(case)
    if given:
        return
    cetane("run", "p.dsl", *fixed, "--config=bulk", "--semantics=ring",
           "--device=host", "--verify=naive")


def check_infinite(case):
    """An infinite element of a window counts where the window has it inside of the image,
    and nowhere else: there zeros of the copy stand in for what is not to be added.
    """
    program, (m, n, k), block, count, turns = case
    values = [(i * 7 % 13 - 6) / 8 for i in range(n * 9 * k)]
    values[(5 * 9 + 1) * k + 3] = math.inf
    npy.write("b.npy", "f16", [n, 3, 3, k], values)
    given = ["-i", "B=b.npy"]
    check((program.replace("bf16", "f16"), (m, n, k), block, count, turns), given)
    for at, value in enumerate(npy.read("bulk.npy")[1]):
        inside = at % n == 5 and at // n // 7 % m > 0
        if math.isfinite(value) == inside:
            sys.exit(f"{case}: element {at} is {value}")


def main():
    sys.argv[1] = os.path.abspath(sys.argv[1])
    os.environ["CETANE_DEBUG"] = "sm%d" % MANY
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for case in part.sample(CASES, of=20, test="run.boxes"):
            with part.saying(case):
                check(case)
        for case in part.chosen(INFINITE):
            with part.saying(case):
                check_infinite(case)
        os.chdir("/")


main()
