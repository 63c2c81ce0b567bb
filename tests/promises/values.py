"""Index notation: values by -D, types, divisions, outputs; numbers."""
import math

from matrix import A, B, each, half, product, single
from programs import all_of, gives, header, makes, refuses, says

X = [1, -2, 3, 40, 5]
TINY = 2. ** -11
PRODUCT = "Matrix A(64,64); Matrix B(64,64); C = A * B; CodeGen(%s, {C});"
ROWS = ("tensor %s A(512,512), B(512,512); C(i,j) = f32(sum(k: A(i,k) * B(j,k)));"
        "CodeGen(FLOAT, {C});")
EIGHTHS = ("tensor f8e4m3 A(512,512), B(512,512);"
           "out C(i,j) = sum(k: f32(A(i,k)) * f32(B(j,k)));")
PARTS = "Matrix A(1,2); Matrix B(2,1); Matrix V(1,1); "
# As f32 the product is 1 + TINY; as f16 that is 1.
ROUNDS = {"A": [[1, 1]], "B": [[1], [TINY]], "V": [[TINY]]}
MEMORY = {"INT": ("i32", "i32"), "INT8": ("i8", "i32"),
          "TFLOAT32": ("tf32", "f32"),
          "FLOAT8_E4M3": ("f8e4m3", "f32"), "FLOAT8_E5M2": ("f8e5m2", "f32"),
          "HALF": ("f16", "f32"), "BFLOAT16": ("bf16", "f32"),
          "FLOAT": ("f32", "f32"), "DOUBLE": ("f64", "f64")}


def chain(n, term="x()"):
    """A sum of n operators."""
    return "tensor i32 x(); y() = x()" + (" + " + term) * n + ";"


def inside(start, end):
    """Two of what "start" opens around one another, with 600 operators each."""
    text = "x()"
    for _ in range(2):
        text = start + text + " + 1" * 600 + end
    return "tensor i32 x(); y() = " + text + ";"


def indices(n, text):
    return ", ".join(text % k for k in range(n))


def deep(n):
    return "y() = sum(%s for %s: 1);" % (
        indices(n, "i%d"), indices(n, "0 <= i%d < 2"))


def tells(kind, program="Matrix A(2,3); B = A + A; CodeGen(%s, {B});"):
    memory, computed = MEMORY[kind]
    return says(program % kind, "stored as %s, computed in %s" % (
        memory, computed))


def by_types(kind, want, **inputs):
    """x + y - z of single elements."""
    return gives("Matrix X(1,1); Matrix Y(1,1); Matrix Z(1,1); R = X + Y - Z;"
                 "CodeGen(%s, {R});" % kind, {"R": [[want]]},
                 inputs={n: [[v]] for n, v in inputs.items()})


def rounds(kind, x, stored, small):
    """"x" is "stored" in memory, and computed with in f32."""
    return gives("tensor f32 x(1); a(i) = %s(x(i)); y(i) = f32(a(i));"
                 "z(i) = f32(a(i) + %s(%g) - a(i)); CodeGen(FLOAT, {y, z});" % (
                     kind, kind, small), {"y": [stored], "z": [small]},
                 inputs={"x": [x]})


PROMISES = [
    ("A size to which `-D` gives a value counts as a number where nothing "
     "else makes the expression affine, as in `x(i*S)`; the program is then "
     "compiled for that value alone.",
     gives("param S, N; tensor i32 x(N); y(i) = x(i*S);", {"y": [1, 3, 5]},
           {"S": 2, "N": 5}, {"x": X}),
     refuses("param S, N; tensor i32 x(N); y(i) = x(i*S);", "E291 1:40"),
     refuses("param S, N; tensor i32 x(N); y(i) = x(i*S);", "E291",
             options=["-DN=5"])),

    # -------------------------------------------------------------- types
    ("An expression has the type of what it reads.",
     *[says("tensor %s x(5); y(i) = x(i) + x(i);" % t, "1 output: %s y[5]" % t)
       for t in ("i8", "u16", "i32", "u64", "f16", "bf16", "f64")]),
    ("Nothing is converted by itself, with two exceptions: a literal takes the "
     "type beside it, and indices and sizes take that of integers beside them "
     "(otherwise `i32`).",
     refuses("tensor i32 x(5); tensor f32 z(5);\ny(i) = x(i) + z(i);",
             "E226 2:13"),
     refuses("tensor i32 x(5); tensor i64 z(5);\ny(i) = x(i) + z(i);",
             "E226 2:13"),
     refuses("tensor f32 x(5);\ny(i) = x(i) + i;", "E226 2:13"),
     refuses("tensor i32 x(5);\ny(i) = x(i) + 1.5;", "E226 2:13"),
     gives("param N; tensor i64 x(N); tensor f64 r(N); a(i) = x(i) + i;"
           "b(i) = x(i) * N; c(i) = r(i) + 0.1; d(i) = r(i) + 1;"
           "e(i) for 0 <= i < N = i;",
           {"a": [2 ** 40, -1], "b": [2 ** 41, -4], "c": [.35, .6],
            "d": [1.25, 1.5], "e": [0, 1]}, {"N": 2},
           {"x": [2 ** 40, -2], "r": [.25, .5]}),
     says("tensor i64 x(5); a(i) = x(i) + i; e(i) for 0 <= i < 5 = i;",
          "i64 a[5]", "i32 e[5]")),
    ("A definition has the type of its value, or, if that is made of literals "
     "alone, the type of `CodeGen`.",
     says("tensor f16 x(5); a(i) = x(i); b(i) = x(i) > 1; c() = 3 + 4;"
          "CodeGen(DOUBLE, {a, b, c});", "f16 a[5]", "bool b[5]", "f64 c[]"),
     says("c() = 3 + 4; CodeGen(INT8, {c});", "i8 c[]"),
     says("c() = 3 + 4;", "f32 c[]")),
    ("Comparisons give `bool`, which `and or not ? :` take.",
     gives("tensor i32 x(5); a(i) = x(i) > 1 and not (x(i) == 40) or "
           "x(i) < 0; b(i) = x(i) <= 3 ? 7 : x(i); c(i) = !(x(i) != 3);",
           {"a": [x > 1 and x != 40 or x < 0 for x in X],
            "b": [7 if x <= 3 else x for x in X], "c": [x == 3 for x in X]},
           inputs={"x": X}),
     refuses("tensor f32 x(5);\ny(i) = x(i) and x(i);", "E227 2:13"),
     refuses("tensor f32 x(5);\ny(i) = not x(i);", "E227 2:8"),
     refuses("tensor i32 x(5);\ny(i) = x(i) ? 1 : 2;", "E227 2:13")),
    ("Values are computed and rounded as for matrices below.",
     # In f32, 1 + TINY is no 1; as a value in memory it is.
     gives("tensor f16 x(1), v(1); y(i) = x(i) + v(i) - 1; t(i) = x(i) + v(i);"
           "z(i) = t(i) - 1;", {"y": [TINY], "z": [0]},
           inputs={"x": [1], "v": [TINY]}),
     gives("tensor i8 x(1); y(i) = min(x(i) * x(i), 100); t(i) = x(i) * x(i);"
           "z(i) = min(t(i), 100);", {"y": [100], "z": [16]},
           inputs={"x": [100]})),

    # ---------------------------------------------------------- divisions
    ("**Integer division.** `/` and `%` of indices, sizes and whole numbers "
     "alone round down in values, too, and must be affine there: for `i = 0`, "
     "`(i-5)/2` is -3 and `(i-5)%2` is 1, whatever stands beside it.",
     gives("tensor i32 k(5); q(i) for 0 <= i < 5 = (i-5)/2; "
           "r(i) for 0 <= i < 5 = (i-5)%2; s(i) = k(i) + (i-5)/2 - (i-5)%2;"
           "t(i) for 0 <= i < 5 = f32((i-5)/2);",
           {"q": [(i - 5) // 2 for i in range(5)],
            "r": [(i - 5) % 2 for i in range(5)],
            "s": [X[i] + (i - 5) // 2 - (i - 5) % 2 for i in range(5)],
            "t": [float((i - 5) // 2) for i in range(5)]}, inputs={"k": X}),
     refuses("param N;\ny(i) for 0 <= i < 5 = N/i;", "E222 2:24"),
     refuses("param N; tensor i32 x(5);\ny(i) = x(i) + i/N;", "E222 2:16")),
    ("`/` and `%` of other integers round towards 0: `(i-5+k(i))/2` is -2 "
     "where `k(i)` is 0.",
     gives("tensor i32 k(5), d(5); y(i) = (i-5+k(i))/2; "
           "q(i) = d(i) / 4; r(i) = d(i) % 4; s(i) = 7 / d(i);",
           {"y": [math.trunc((i - 5) / 2) for i in range(5)],
            "q": [math.trunc(x / 4) for x in X],
            "r": [int(math.fmod(x, 4)) for x in X],
            "s": [math.trunc(7 / x) for x in X]},
           inputs={"k": [0] * 5, "d": X})),
    ("Division by 0 gives 0.",
     gives("tensor i32 x(5), z(5); a(i) = x(i) / z(i); b(i) = x(i) % z(i); "
           "c(i) = x(i) / 0;", {n: [0] * 5 for n in "abc"},
           inputs={"x": X, "z": [0] * 5})),
    ("Literals beside floats are floats: `x(i) * (1/2)` is half of `x(i)`.",
     gives("tensor f32 x(2); tensor i32 k(2); y(i) = x(i) * (1/2); "
           "z(i) = k(i) * (1/2);", {"y": [1.5, -.25], "z": [0, 0]},
           inputs={"x": [3, -.5], "k": [4, 5]})),

    # ------------------------------------------------------------ outputs
    ("**Outputs** are the definitions with `out`, then those that `CodeGen` "
     "names; if there are none, all that are never read.",
     says("tensor f32 x(5); out y(i) = x(i); z(i) = y(i); a(i) = -x(i);"
          "CodeGen(FLOAT, {a});", "2 outputs: f32 y[5] f32 a[5]", "W233"),
     says("tensor f32 x(5); y(i) = x(i); z(i) = y(i); a(i) = -x(i);",
          "2 outputs: f32 z[5] f32 a[5]")),
    ("An output is an array of the box that `check` prints, which holds the "
     "range. Its element 0 belongs to the first value of the index, and "
     "elements of the box outside the range are 0.",
     gives("tensor i32 x(5); y(i) for 2 <= i < 5 = x(i);", {"y": X[2:]},
           inputs={"x": X}),
     all_of(says("y(i,j) for 1 <= i < 4, -1 <= j <= i = 10*i + j;",
                 "y[1:4,-1:4]"),
            gives("y(i,j) for 1 <= i < 4, -1 <= j <= i = 10*i + j;",
                  {"y": [[10 * i + j if j <= i else 0 for j in range(-1, 4)]
                         for i in range(1, 4)]}))),

    # ----------------------------------------------------------- matrices
    ("**With matrices.** `A(i,j)` reads a matrix in its newest version above.",
     gives("Matrix A(2,3); a(i,j) = A(i,j); A = A + A; b(i,j) = A(i,j);"
           "A = A + A; c(i,j) = A(i,j);",
           {"a": A, "b": each(lambda x: 2 * x, A),
            "c": each(lambda x: 4 * x, A)}, inputs={"A": A})),
    ("A definition may stand in matrix expressions below it if it has the type "
     "of `CodeGen` and two indices, each from 0 to a size.",
     gives("tensor f32 t(2,3); Matrix B(3,2); d(i,j) = t(i,j); P = d * B;",
           {"P": product(A, B)}, inputs={"t": A, "B": B}),
     refuses("Matrix A(2,3); tensor f64 z(2,3);\nB = z + A;", "E237 2:5"),
     refuses("Matrix A(2,3); z(i) = A(i,0);\nB = z + A;", "E236 2:5"),
     refuses("Matrix A(2,3); z(i,j) for 1 <= i < 2 = A(i,j);\nB = z + A;",
             "E236 2:5")),
    ("A tensor has at most 8 indices, and an expression has at most 16 around "
     "it.",
     gives("tensor i32 a(%s); y(%s) = -a(%s);" % (
         indices(8, "1%.0s"), indices(8, "i%d"), indices(8, "i%d")),
           {"y": [[[[[[[[-3]]]]]]]]}, inputs={"a": [[[[[[[[3]]]]]]]]}),
     refuses("tensor i32 a(1,1,1,1,1,1,1,1,1);", "E118"),
     refuses("y(%s) for %s = 1;" % (indices(9, "i%d"),
                                    indices(9, "0 <= i%d < 2")), "E118"),
     says(deep(16), "1 output"), refuses(deep(17), "E122")),
    ("At most 1000 operators, functions and reductions wait for one another, "
     "as in a sum of 1001 terms.",
     gives(chain(1000), {"y": 1001 * 3}, inputs={"x": 3}),
     refuses(chain(1001), "E119"), refuses(chain(1001, "1"), "E119"),
     *[refuses(inside(start, end), "E119") for start, end in (
         ("abs(", ")"), ("i32(", ")"), ("max(3, ", ")"),
         ("sum(i for 0 <= i < 2: ", ")"),
         ("sum(i for 0 <= i, i < ", ": 1)"),
         ("(x() > 0 ? x() : ", ")"), ("-(", ")"), ("x() * (", ")"))]),

    # ------------------------------------------------------------ numbers
    ("`CodeGen` gives the type that all matrices have in memory. Operations "
     "compute in a type that follows from it:", tells("HALF")),
    ("| | in memory | computed in |", tells("DOUBLE")),
    # What differs between the types: 2^-11 and 2^-8 beside 1, and wrapping.
    ("| `INT` | i32 | i32 |", tells("INT"),
     by_types("INT", -2 ** 31 + 4, X=2 ** 31 - 1, Y=10, Z=5)),
    ("| `INT8` | i8 | i32 |", tells("INT8"),
     gives("Matrix A(1,1); B = min(A .* A, 100); T = A .* A; C = min(T, 100);"
           "CodeGen(INT8, {B, C});", {"B": [[100]], "C": [[16]]},
           inputs={"A": [[100]]})),
    ("| `FLOAT8_E4M3` | f8e4m3 | f32 |", tells("FLOAT8_E4M3"),
     rounds("f8e4m3", 1.0625, 1, 2.**-5)),
    ("| `FLOAT8_E5M2` | f8e5m2 | f32 |", tells("FLOAT8_E5M2"),
     rounds("f8e5m2", 1.125, 1, 2.**-4)),
    ("| `HALF` | f16 | f32 |", tells("HALF"),
     by_types("HALF", TINY, X=1, Y=TINY, Z=1)),
    ("| `BFLOAT16` | bf16 | f32 |", tells("BFLOAT16"),
     gives("tensor f32 x(4); a(i) = bf16(x(i)); y(i) = f32(a(i));"
           "z(i) = f32(a(i) + bf16(0.00390625) - a(i));",
           {"y": [1, 1 + 2. ** -7, 1 + 2. ** -6, -3.],
            "z": [2. ** -8] * 4},
           inputs={"x": [1 + 2. ** -8, 1 + 2. ** -7, 1 + 3 * 2. ** -8,
                         -3.]})),
    ("| `TFLOAT32` | tf32 | f32 |", tells("TFLOAT32"),
     rounds("tf32", 1 + 2.**-11, 1 + 2.**-10, 2.**-12)),
    ("| `FLOAT` | f32 | f32 |", tells("FLOAT"),
     by_types("FLOAT", 0, X=1, Y=2. ** -24, Z=1)),
    ("| `DOUBLE` | f64 | f64 |", tells("DOUBLE"),
     by_types("DOUBLE", 2. ** -24, X=1, Y=2. ** -24, Z=1)),
    ("Where values are rounded does not depend on how the program is "
     "scheduled:",
     *[gives(PARTS + "T = A * B; C = T + V; D = A * B + V;"
             "CodeGen(HALF, {C, D});",
             {"C": [[1]], "D": [[1 + 2 * TINY]]}, inputs=ROUNDS,
             how=how) for how in ([], ["--map=naive"])]),
    ("- Every operation rounds its result once to the compute type.",
     gives("Matrix X(1,3); Matrix Y(1,3); S = X + Y; P = X .* Y; Q = -X;",
           {"S": [[single(single(.1) + single(.7)), 1.,
                   single(single(1e8) + 1)]],
            "P": [[single(single(.1) * single(.7)), 2. ** -24,
                   single(1e8)]],
            "Q": [[-single(.1), -1., -single(1e8)]]},
           inputs={"X": [[.1, 1., 1e8]], "Y": [[.7, 2. ** -24, 1.]]})),
    ("- The value of a *definition* is rounded to the type in memory, whether "
     "or not it is ever stored.",
     gives(PARTS + "S = V + 1; C = S - 1; CodeGen(HALF, {C});", {"C": [[0]]},
           inputs={"V": [[TINY]]})),
    ("- The operands of a matrix product are rounded to the type in memory; "
     "the products are formed and summed in the compute type.",
     # The left operand is 1 + 3 TINY; the nearest of f16 is 1 + 4 TINY.
     gives("Matrix X(1,1); Matrix Y(1,1); Matrix Z(1,1);"
           "C = (X + Y) * Z - X; CodeGen(HALF, {C});",
           {"C": [[4 * TINY]]},
           inputs={"X": [[1]], "Y": [[3 * TINY]], "Z": [[1]]}),
     # f16 ends at 65504.
     gives("Matrix A(1,2); Matrix B(2,1); C = A * B; CodeGen(HALF, {C});",
           {"C": [[256]]}, inputs={"A": [[256, 256]], "B": [[256], [-255]]})),
    ("- Everything else inside a right-hand side stays in the compute type.",
     by_types("HALF", TINY, X=1, Y=TINY, Z=1),
     gives("Matrix A(1,1); C = A .* A - 100 .* A; CodeGen(HALF, {C});",
           {"C": [[60000]]}, inputs={"A": [[300]]})),
    ("On GPUs with matrix units (f16, bf16, tf32, i8 and u8: `sm_80` and later, f8e4m3 and "
     "f8e5m2: `sm_89` and later, f64: `sm_90` and later) products that may be summed in any order run there.",
     *[makes(PRODUCT % kind, "ptx", *["mma.sync"] * on,
             options=["--arch=" + arch], lacks=["mma.sync"] * (1 - on))
       for kind, arch, on in (("HALF", "sm_75", 0), ("HALF", "sm_80", 1),
                              ("BFLOAT16", "sm_80", 1), ("TFLOAT32", "sm_80", 1),
                              ("INT8", "sm_75", 0),
                              ("INT8", "sm_80", 1), ("DOUBLE", "sm_80", 0),
                              ("DOUBLE", "sm_90", 1), ("FLOAT", "sm_90a", 0),
                              ("FLOAT8_E4M3", "sm_89", 1),
                              ("FLOAT8_E5M2", "sm_89", 1))],
     makes(PRODUCT % "HALF", "ptx", options=["--fp=strict"],
           lacks=["mma.sync"])),
    ("An f32 is never multiplied with fewer digits than it has, unless the text says so by "
     "the type tf32, which is f32 in memory and has 11 digits.",
     makes(ROWS % "f32", "ptx", options=["--arch=sm_90a"], lacks=["mma"]),
     makes(ROWS % "tf32", "ptx", "wgmma", options=["--arch=sm_90a"])),
    ("`tf32(x)` rounds `x` to the nearest one, of two to the larger.",
     gives("tensor f32 x(4); a(i) = tf32(x(i)); y(i) = f32(a(i)); CodeGen(FLOAT, {y});",
           {"y": [1 + 2.**-10, -1 - 2.**-10, 1, 1 + 2.**-9]},
           inputs={"x": [1 + 2.**-11, -1 - 2.**-11, 1 + 2.**-12,
                         1 + 3 * 2.**-11]})),
    ("Whatever an array of tf32 is filled with from outside, the lower 13 bits of an "
     "element do not count: it is cut, not rounded.",
     gives("tensor tf32 x(3); y(i) = f32(x(i)); CodeGen(FLOAT, {y});",
           {"y": [1, 1, -1 - 2.**-10]},
           inputs={"x": [1 + 2.**-11, 1 + 2.**-10 - 2.**-23, -1 - 2.**-10]})),
    ("So `A(i,k) = tf32(a(i,k))` rounds a matrix of f32, and passing that as one of tf32 "
     "saves the pass over it.",
     makes(ROWS % "tf32", "ptx", options=["--arch=sm_90a"],
           lacks=["cvt.rna.tf32"]),
     makes("tensor f32 a(512,512), b(512,512); A(i,k) = tf32(a(i,k)); B(i,k) = tf32(b(i,k));"
           "C(i,j) = f32(sum(k: A(i,k) * B(j,k))); CodeGen(FLOAT, {C});", "ptx",
           "cvt.rna.tf32", "wgmma", options=["--arch=sm_90a"])),
    ("Where the rows of both operands go along the sum, as in "
     "`f32(sum(k: A(i,k) * B(j,k)))`, the products run on the warpgroups of `sm_90a`.",
     makes(ROWS % "tf32", "ptx", "wgmma", options=["--arch=sm_90a"]),
     makes(ROWS.replace("B(j,k)", "B(k,j)") % "tf32", "ptx", "mma.sync",
           options=["--arch=sm_90a"], lacks=["wgmma"])),
    ("GPUs before `sm_80` do not convert tf32 (E433).",
     refuses(ROWS % "tf32", "E433 1:13", options=["--arch=sm_75"],
             verb="build")),
    ("Floats of 8 bits, f8e4m3 and f8e5m2, are those of the OCP (PyTorch's float8_e4m3fn "
     "and float8_e5m2).",
     gives("tensor f32 x(2); a(i) = f8e4m3(x(i)); b(i) = f8e5m2(x(i)); y(i) = f32(a(i));"
           "z(i) = f32(b(i)); CodeGen(FLOAT, {y, z});",
           {"y": [0.1015625, 2.**-9], "z": [0.09375, 3 * 2.**-11]},
           inputs={"x": [0.1, 0.0015]})),
    ("Scales of rows or of a whole tensor are factors of the sum like any others.",
     gives("tensor f32 x(2,2), s(2), t(1); A(i,k) = f8e4m3(x(i,k));"
           "C(i,j) = s(i) * t(0) * sum(k: f32(A(i,k)) * f32(A(j,k))); CodeGen(FLOAT, {C});",
           {"C": [[15, 33], [66, 150]]},
           inputs={"x": [[1, 2], [3, 4]], "s": [1, 2], "t": [3]})),
    ("What is larger than their largest numbers, 448 and 57344, becomes these, as does "
     "infinity, and NaN becomes 0x7f.",
     gives("tensor f32 x(3); a(i) = f8e4m3(x(i)); b(i) = f8e5m2(x(i)); y(i) = f32(a(i));"
           "z(i) = f32(b(i)); CodeGen(FLOAT, {y, z});",
           {"y": [448, -448, 1], "z": [57344, -57344, 1]},
           inputs={"x": [1e30, -60000, 1]})),
    ("GPUs before `sm_89` do not convert them (E433).",
     refuses(EIGHTHS, "E433 1:15", options=["--arch=sm_86"], verb="build"),
     makes(EIGHTHS, "ptx", "e4m3",
           options=["--arch=sm_89"])),
    ("With `--fp=relaxed` GPUs compute `exp`, `exp2`, `rsqrt`, `erf` and `gelu` of f32 by "
     "what their hardware approximates.",
     makes("tensor f32 x(64); out y(i) = exp(x(i)) + exp2(x(i)) + rsqrt(x(i)) + "
           "erf(x(i));", "ptx", "rsqrt.approx.f32",
           options=["--arch=sm_90a", "--fp=relaxed"]),
     makes("tensor f32 x(64); out y(i) = exp(x(i));", "ptx", "ex2.approx.ftz.f32",
           options=["--arch=sm_75", "--fp=relaxed"]),
     makes("tensor f32 x(64); out y(i) = exp(x(i)) + rsqrt(x(i));", "ptx", "fma.rn.f32",
           options=["--arch=sm_90a"], lacks=["ex2.approx", "rsqrt.approx"])),
    ("With `--fp=relaxed` their products run on the warpgroups of `sm_90a` where the rows "
     "of both operands go along the sum, as in `sum(k: f32(A(i,k)) * f32(B(j,k)))`.",
     makes(EIGHTHS, "ptx", "wgmma", options=["--arch=sm_90a", "--fp=relaxed"]),
     makes(EIGHTHS, "ptx", "mma.sync", options=["--arch=sm_90a"], lacks=["wgmma"])),
    ("So with `HALF`, `T = A * B; C = T + V;` rounds the product to f16 before "
     "the sum, and `C = A * B + V;` does not.",
     gives(PARTS + "T = A * B; C = T + V; CodeGen(HALF, {C});", {"C": [[1]]},
           inputs=ROUNDS),
     gives(PARTS + "C = A * B + V; CodeGen(HALF, {C});",
           {"C": [[1 + 2 * TINY]]}, inputs=ROUNDS)),
    ("The terms of a sum may be added in any order, and a product may be fused "
     "with the sum behind it.",
     makes("Matrix A(2,3); Matrix B(3,2); C = A * B;", "poly",
           lacks=["fp strict"]),
     header("Matrix A(2,3); Matrix B(3,2); C = A * B;",
            "sums may be regrouped", "Products and sums may be fused")),
    ("Rounding is to nearest, ties to even; integers wrap.",
     gives("tensor f32 x(6); y(i) = f16(x(i));",
           {"y": [half(x) for x in (1 + TINY, 1 + 3 * TINY, 1 + 1.1 * TINY,
                                    -1 - TINY, .1, 2. ** -25)]},
           inputs={"x": [1 + TINY, 1 + 3 * TINY, 1 + 1.1 * TINY, -1 - TINY,
                         .1, 2. ** -25]}),
     gives("Matrix A(1,2); B = A .* A; C = A + A; CodeGen(INT, {B, C});",
           {"B": [[0, 1]], "C": [[131072, -2]]},
           inputs={"A": [[65536, -1]]})),
]
NOTHING = [
    "A unit forms the products exactly and adds them up in f32 or f64, but what it "
    "adds at a time it may cut where it would have to be rounded.",
]
ELSEWHERE = [
    ("Functions may be off by a few more units in the last place "
     "(`polyir/ir/op.def`).", "nvptx/test_math"),
    ("These are faster, and keep 13 digits of a sum at each addition.",
     "frontend_interp"),
]
