"""Matrices: the grammar's words, functions, sizes, products and numbers."""
import math
import struct

from programs import all_of, gives, makes, refuses, says


def rounded(letter, x):
    """x as a float of fewer bits."""
    return struct.unpack(letter, struct.pack(letter, x))[0]


def half(x):
    return rounded("e", x)


def single(x):
    return rounded("f", x)


def product(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)]
            for row in a]


def each(fn, a, *more):
    return [[fn(*x) for x in zip(*rows)] for rows in zip(a, *more)]


A = [[1, -2, 3], [4, 5, -6]]
B = [[2, 0], [-1, 3], [4, -5]]
C = [[7, 8, 9], [-3, 2, 1]]
X = [[0.5, -1.5, 2.25, float("nan")]]
TWO = "Matrix A(2,3); Matrix B(3,2); Matrix C(2,3);"
AB = {"A": A, "B": B}
DEEP = 256


def functions(kind, bound, names, fn, x, notation="Matrix X(1,%d);"):
    """Functions of one argument, by their names in any case."""
    text = notation % len(x)
    want = {}
    for n, name in enumerate(names):
        text += " F%d = %s(X);" % (n, name)
        want["F%d" % n] = [[fn(v) for v in x]]
    text += " CodeGen(%s, {%s});" % (kind, ", ".join(want))
    return gives(text, want, inputs={"X": [x]}, near=bound)


def nested(deep):
    """Brackets, signs and calls, "deep" of them inside one another."""
    return ["Matrix A(1,1); B = %sA%s;" % x for x in (
        ("(" * deep, ")" * deep), ("-" * deep, ""),
        ("ReLU(" * deep, ")" * deep))]


PROMISES = [
    ("A program declares sizes and inputs, defines matrices and tensors by "
     "expressions, and names the outputs.",
     gives("Params M, K; Matrix A(M,K); Matrix B(K,M); P = A * B;"
           "Q = P + P; CodeGen(FLOAT, {Q});",
           {"Q": each(lambda x: 2 * x, product(A, B))}, {"M": 2, "K": 3}, AB)),
    ("Its matrix expressions are Diesel (Elango et al., MAPL 2018) with a few "
     "additions; this page decides what the paper leaves open. Index notation "
     "defines tensors of any rank element by element. A program may use both.",
     gives("Params M, N; Matrix A(M,N); tensor f32 t(M,N,2); P = A + A;"
           "q(i,j,k) = t(i,j,k) + P(i,j); s() = 7.0;",
           {"q": [[[2 * A[i][j] + 10 * k for k in range(2)]
                   for j in range(3)] for i in range(2)], "s": 7},
           {"M": 2, "N": 3},
           {"A": A, "t": [[[10 * k for k in range(2)] for _ in range(3)]
                          for _ in range(2)]})),
    ("Params M, K, N; Matrix X(M,K); Matrix W(K,N); Matrix b(1,N); "
     "H = ReLU(X * W + b); CodeGen(FLOAT, {H});",
     gives("Params M, K, N; Matrix X(M,K); Matrix W(K,N); Matrix b(1,N);"
           "H = ReLU(X * W + b); CodeGen(FLOAT, {H});",
           {"H": [[max(0, v + b) for v, b in zip(row, [1, -60])]
                  for row in product(A, B)]},
           {"M": 2, "K": 3, "N": 2}, {"X": A, "W": B, "b": [[1, -60]]})),

    # ----------------------------------------------------------- grammar
    ("- `NAME` is `[A-Za-z_][A-Za-z0-9_]*`, at most 64 characters long.",
     gives("Matrix _a9Z(2,3); %s = -_a9Z;" % ("n" * 64),
           {"n" * 64: each(lambda x: -x, A)}, inputs={"_a9Z": A}),
     refuses("Matrix A(2,3);\n%s = -A;" % ("n" * 65), "E104 2:1"),
     refuses("Matrix 9A(2,3); B = A;", "E103")),
    ("Case matters.",
     gives("Matrix A(2,3); a = A + A; B = a + A;",
           {"B": each(lambda x: 3 * x, A)}, inputs={"A": A})),
    ("`Params`, `Matrix` and `CodeGen` are reserved as written.",
     refuses("Matrix Params(2,3); B = Params;", "E107 1:8"),
     refuses("Matrix Matrix(2,3); B = Matrix;", "E107 1:8"),
     refuses("Matrix CodeGen(2,3); B = CodeGen;", "E107 1:8"),
     gives("Matrix params(2,3); MATRIX = -params; codegen = -MATRIX;",
           {"codegen": A}, inputs={"params": A})),
    ("- The words of `item` are not reserved: a matrix may be called `out`.",
     gives("Params param; Matrix tensor(param,3); Matrix assume(param,3);"
           "out = tensor + assume; case = -out; else = -case; for = -else;",
           {"for": each(lambda x, y: -x - y, A, C)}, {"param": 2},
           {"tensor": A, "assume": C})),
    ("- `CALL` is a type or a function of the tables below.",
     gives("tensor i32 x(3); y(i) = i64(abs(x(i)));", {"y": [1, 2, 3]},
           inputs={"x": [1, -2, 3]}),
     refuses("tensor f32 x(3); y(i) = sine(x(i));", "E201 1:25")),
    ("- `NUMBER` is written as `12`, `1.5`, `.5`, `2.` or `1e-3`.",
     gives("a = 12; b = 1.5; c = .5; d = 2.; e = 1e-3; "
           "CodeGen(DOUBLE, {a, b, c, d, e});",
           {"a": [[12]], "b": [[1.5]], "c": [[.5]], "d": [[2.]],
            "e": [[1e-3]]}),
     refuses("Matrix A(1,1); B = A + 0x12;", "E103 1:24")),
    ("`2.*A` is `2 .* A`.",
     gives("Matrix A(2,3); B = 2.*A; CodeGen(INT, {B});",
           {"B": each(lambda x: 2 * x, A)}, inputs={"A": A})),
    ("- `^T` is one token, so a matrix may be called `T`.",
     gives("Matrix T(2,3); B = T^T;", {"B": [list(c) for c in zip(*A)]},
           inputs={"T": A}),
     refuses("Matrix A(2,3); B = A^ T;", "E101 1:21")),
    ("- Comments run from `//` or `#` to the end of the line, or from `/*` to "
     "`*/`; the latter may be nested.",
     gives("Matrix A(2,3); // B = A;\n# B = A;\n"
           "/* B = /* A; */ B = A; */ B = -A;",
           {"B": each(lambda x: -x, A)}, inputs={"A": A}),
     refuses("Matrix A(2,3); /* B = /* A; */ B = A;", "E102 1:16")),
    ("- Outside comments the text is ASCII.",
     gives("Matrix A(2,3); // \u00e9\n/* \u00fc */ B = -A;",
           {"B": each(lambda x: -x, A)}, inputs={"A": A}),
     refuses("Matrix A(2,3); B\u00e9 = A;", "E101 1:17")),
    ("A byte order mark at its start is skipped.",
     gives("\ufeffMatrix A(2,3); B = -A;", {"B": each(lambda x: -x, A)},
           inputs={"A": A})),
    ("- Limits: 1 MiB of text, 10000 definitions, and 256 brackets, calls and "
     "signs inside one another.",
     says("Matrix A(1,1); B = A + A;" + " " * (2 ** 20 - 25), "1 output"),
     refuses("Matrix A(1,1); B = A + A;" + " " * (2 ** 20 - 24), "E105"),
     says("Matrix A(1,1); B = A;" + "B = -B;" * 9999, "1 output"),
     refuses("Matrix A(1,1); B = A;" + "B = -B;" * 10000, "E108"),
     *[says(t, "1 output") for t in nested(DEEP)],
     *[refuses(t, "E106") for t in nested(DEEP + 1)]),
    ("| function | arguments | integers | |",
     refuses("Matrix A(2,3); B = ReLU(A, A);", "E113 1:20"),
     refuses("Matrix A(2,3); B = min(A);", "E113 1:20")),
    ("| `ReLU` | 1 | yes | max(x, 0); NaN stays NaN |",
     functions("FLOAT", 0, ["ReLU"],
               lambda v: v if v > 0 or v != v else 0., X[0]),
     functions("INT", 0, ["ReLU"], lambda v: max(v, 0), [3, -4])),
    ("| `Sigmoid` `Tanh` `exp` `log` `sqrt` | 1 | no | |",
     *[functions("DOUBLE", 1e-14, [name], fn, [.5, 1.25, 3.]) for name, fn in (
         ("Sigmoid", lambda v: 1 / (1 + math.exp(-v))), ("Tanh", math.tanh),
         ("exp", math.exp), ("log", math.log), ("sqrt", math.sqrt))],
     *[refuses("Matrix A(2,3); B = %s(A); CodeGen(INT, {B});" % name,
               "E213 1:20") for name in
       ("Sigmoid", "Tanh", "exp", "log", "sqrt")]),
    ("| `expm1` `log1p` `rsqrt` `cbrt` `erf` `erfc` | 1 | no | exp(x) - 1, "
     "log(1 + x), 1 / sqrt(x), the cube root, the error function and 1 less it |",
     *[functions("DOUBLE", 1e-14, [name], fn, [.5, 1.25, 3.]) for name, fn in (
         ("expm1", math.expm1), ("Log1p", math.log1p),
         ("rsqrt", lambda v: v ** -.5), ("cbrt", lambda v: v ** (1 / 3)),
         ("erf", math.erf), ("ERFC", math.erfc))]),
    ("| `erfinv` | 1 | no | the number of which `erf` is x: infinite at 1 and -1, "
     "NaN beyond |",
     functions("DOUBLE", 1e-14, ["erfinv"], lambda v: {
         .5: .4769362762044699, -.9: -1.1630871536766743, .999:
         2.3267537655135247}[v], [.5, -.9, .999]),
     *[functions("FLOAT", 0, ["erfinv"], lambda v: v * math.inf, [1., -1.])]),
    ("| `sinpi` `cospi` `sinc` | 1 | no | sin(πx), cos(πx), sin(πx) / (πx), which "
     "is 1 at 0 |",
     *[functions("DOUBLE", 1e-14, [name], fn, [.25, 1.25, -1e-3])
       for name, fn in (
         ("sinpi", lambda v: math.sin(math.pi * v)),
         ("cospi", lambda v: math.cos(math.pi * v)),
         ("sinc", lambda v: math.sin(math.pi * v) / (math.pi * v)))],
     functions("FLOAT", 0, ["sinc"], lambda v: float(v == 0), [0., 1., -2.])),
    ("| `gelu` `silu` `softplus` `mish` | 1 | no | x (1 + erf(x/√2)) / 2, x "
     "sigmoid(x), log(1 + exp(x)), x tanh(softplus(x)) |",
     *[functions("DOUBLE", 1e-14, [name], fn, [.5, -1.25, 3.])
       for name, fn in (
         ("gelu", lambda v: v * (1 + math.erf(v / 2 ** .5)) / 2),
         ("SiLU", lambda v: v / (1 + math.exp(-v))),
         ("Softplus", lambda v: math.log(1 + math.exp(v))),
         ("mish", lambda v: v * math.tanh(math.log(1 + math.exp(v)))))],
     *[refuses("Matrix A(2,3); B = %s(A); CodeGen(INT, {B});" % name,
               "E213 1:20") for name in ("gelu", "silu", "softplus", "mish")]),
    ("| `abs` | 1 | yes | |",
     functions("FLOAT", 0, ["abs"], abs, [.5, -1.5]),
     functions("INT8", 0, ["abs"], abs, [5, -15])),
    ("| `min` `max` | 2 | yes | element by element; of a number and NaN, the "
     "number |",
     gives("Matrix X(1,4); Matrix Y(1,4); L = min(X, Y); G = max(X, Y);",
           {"L": [[-.5, 1., 2., 3.]], "G": [[1., 2., 2., 3.]]},
           inputs={"X": [[1., 2., math.nan, 3.]],
                   "Y": [[-.5, 1., 2., math.nan]]}),
     gives("Matrix X(1,2); Matrix Y(1,2); L = min(X, Y); G = max(X, Y);"
           "CodeGen(INT, {L, G});", {"L": [[-5, 1]], "G": [[1, 2]]},
           inputs={"X": [[1, 2]], "Y": [[-5, 1]]})),
    ("| `elementwise_mul` | 2 | yes | the same as `.*` |",
     gives(TWO + "D = elementwise_mul(A, C); E = A .* C; F = B * 1;"
           "CodeGen(INT, {D, E, F});",
           {"D": each(lambda x, y: x * y, A, C),
            "E": each(lambda x, y: x * y, A, C)},
           inputs={"A": A, "B": B, "C": C})),
    ("| `transpose` | 1 | yes | the same as `^T` and `'` |",
     gives("Matrix A(2,3); D = transpose(A); E = A^T; F = A'; G = A'';"
           "CodeGen(INT, {D, E, F, G});",
           {**{n: [list(c) for c in zip(*A)] for n in "DEF"}, "G": A},
           inputs={"A": A})),
    ("Function names match in any case, and nothing else may have such a name "
     "in any case.",
     functions("INT", 0, ["ReLU", "relu", "RELU"], lambda v: max(v, 0),
               [3, -4]),
     refuses("Matrix relu(2,3); Matrix A(2,3); B = -A;", "E204 1:8"),
     refuses("Params SQRT; Matrix A(2,SQRT); B = A;", "E204 1:8"),
     refuses("Matrix A(2,3); aBs = A;", "E204 1:16")),

    # ----------------------------------------------------------- meaning
    ("- Declarations come in any order, before the first definition. A size "
     "may be a parameter that is declared further down.",
     gives("Matrix A(M,3); Params K; Matrix B(3,K); Params M; P = A * B;",
           {"P": product(A, B)}, {"M": 2, "K": 2}, AB),
     refuses("Matrix A(2,3); B = A; Matrix C(2,3); D = B + C;", "E109 1:23")),
    ("- A definition gives a name a new value from the next definition on. "
     "`C = A * B; C = C + D;` makes two versions of `C`.",
     gives("Matrix A(2,3); Matrix B(3,2); Matrix D(2,2); C = A * B; C = C + D;",
           {"C": each(lambda x, y: x + y, product(A, B), [[1, 2], [3, 4]])},
           inputs={**AB, "D": [[1, 2], [3, 4]]})),
    ("An input may get a new version, too. An output is the last version of "
     "its name.",
     gives("Matrix A(2,3); A = A + A; A = A .* A; CodeGen(INT, {A});",
           {"A": each(lambda x: 4 * x * x, A)}, inputs={"A_0": A})),
    ("- Without `CodeGen` the type is `FLOAT`, and the outputs are all "
     "matrices whose last version is never read.",
     says("Matrix A(2,3); B = A + A; C = B + A; B = C + A; D = A - A;",
          "2 outputs: B[2,3] D[2,3]", "stored as f32")),
    ("- A definition that no output needs is left out, with a warning.",
     makes("Matrix A(2,3); B = A + A; C = A - A; CodeGen(FLOAT, {C});",
           "deps", "warning[W233]", "C_sub", lacks=["B_add"])),
    ("**Sizes** agree if they are the same parameter or equal numbers.",
     gives("Params N; Matrix A(2,N); Matrix B(2,N); C = A + B;",
           {"C": each(lambda x, y: x + y, A, C)}, {"N": 3},
           {"A": A, "B": C}),
     gives("Matrix A(2,3); Matrix B(2,3); C = A + B;",
           {"C": each(lambda x, y: x + y, A, C)}, inputs={"A": A, "B": C}),
     refuses("Params M, N; Matrix A(2,M); Matrix B(2,N); C = A + B;",
             "E205 1:50")),
    ("`-D M=3` makes `M` the number 3 here.",
     gives("Params M; Matrix A(2,M); Matrix B(2,3); C = A + B;",
           {"C": each(lambda x, y: x + y, A, C)}, {"M": 3},
           {"A": A, "B": C}),
     refuses("Params M; Matrix A(2,M); Matrix B(2,3); C = A + B;", "E205"),
     refuses("Params M; Matrix A(2,M); Matrix B(2,3); C = A + B;", "E205",
             options=["-DM=4"])),
    ("Parameters that only happen to be equal when the program runs do not "
     "agree.",
     refuses("Params M, N; assume M == N; Matrix A(2,M); Matrix B(2,N);"
             "C = A + B;", "E205")),
    ("A size may be 0, and is at most 2147483647.",
     gives("Params N; Matrix A(2,N); B = A + A;", {"B": [[], []]}, {"N": 0}),
     says("Matrix A(2147483647,1); B = A + A;", "B[2147483647,1]"),
     refuses("Matrix A(2147483648,1); B = A + A;", "E114 1:10"),
     refuses("Params N; Matrix A(N,1); B = A + A;", "E217",
             options=["-DN=2147483648"])),
    ("**Element-wise operations** are `+`, `-`, `.*`, `min`, `max` and the "
     "other functions but `transpose`.",
     gives(TWO + "D = ReLU(A - C) + min(A, C) .* max(A, B');"
           "CodeGen(INT, {D});",
           {"D": each(lambda x, y, b: max(x - y, 0) + min(x, y) * max(x, b),
                      A, C, list(zip(*B)))},
           inputs={"A": A, "B": B, "C": C})),
    ("Two operands have the same shape, or one is repeated to fill the shape "
     "of the other: a row `1 x n` or a column `m x 1` fills `m x n`, and a "
     "single element fills any shape.",
     gives("Matrix A(2,3); Matrix r(1,3); Matrix c(2,1); Matrix s(1,1);"
           "D = r - A; E = A .* c; F = s - A; G = r + s; H = c + s;",
           {"D": each(lambda x, y: y - x, A, [[7, 8, 9]] * 2),
            "E": each(lambda x, y: x * y, A, [[5] * 3, [-2] * 3]),
            "F": each(lambda x: 9 - x, A), "G": [[16, 17, 18]],
            "H": [[14], [7]]},
           inputs={"A": A, "r": [[7, 8, 9]], "c": [[5], [-2]],
                   "s": [[9]]}),
     refuses("Matrix A(2,3); Matrix r(2,2); D = A + r;", "E205")),
    ("A row with a column is an error, since both would have to be repeated.",
     refuses("Matrix r(1,3); Matrix c(2,1); D = r + c;", "E207 1:37")),
    ("Only a size that is known to be 1 is repeated.",
     refuses("Params M; Matrix A(2,3); Matrix r(M,3); D = A + r;", "E205"),
     gives("Params M; Matrix A(2,3); Matrix r(M,3); D = A + r;",
           {"D": each(lambda x, y: x + y, A, [[7, 8, 9]] * 2)}, {"M": 1},
           {"A": A, "r": [[7, 8, 9]]})),
    ("**`*`** follows the first of these rules that applies:",
     # By the third rule alone it would be a product of inner size 1.
     gives("Matrix c(2,1); Matrix s(1,1); D = 2 * c; E = c * s;",
           {"D": [[10], [-4]], "E": [[15], [-6]]},
           inputs={"c": [[5], [-2]], "s": [[3]]})),
    ("1. An operand made of literals alone (`2`, `-0.5`, `(2 * 3)`, or a name "
     "defined so) is a factor that multiplies every element.",
     gives("Matrix A(2,3); k = 2 - 5; D = 2 * A; E = A * -0.5; F = (2 * 3) * A;"
           "G = A * k; CodeGen(DOUBLE, {D, E, F, G});",
           {n: each(lambda x, f=f: f * x, A)
            for n, f in (("D", 2), ("E", -.5), ("F", 6), ("G", -3))},
           inputs={"A": A})),
    ("2. If the inner sizes agree, `*` is the matrix product.",
     gives("Matrix A(2,3); Matrix B(3,2); P = A * B;", {"P": product(A, B)},
           inputs=AB),
     # An inner size of 1 is a product, too: of a column with a row.
     gives("Matrix c(2,1); Matrix r(1,3); P = c * r;",
           {"P": [[35, 40, 45], [-14, -16, -18]]},
           inputs={"c": [[5], [-2]], "r": [[7, 8, 9]]})),
    ("With an inner size of 0 the product is 0.",
     gives("Params K; Matrix A(2,K); Matrix B(K,3); P = A * B;",
           {"P": [[0, 0, 0], [0, 0, 0]]}, {"K": 0})),
    ("3. An operand of shape `1 x 1` is a factor.",
     gives("Matrix A(2,3); Matrix s(1,1); D = A * s; E = s * A;",
           {"D": each(lambda x: 9 * x, A), "E": each(lambda x: 9 * x, A)},
           inputs={"A": A, "s": [[9]]})),
    ("4. Anything else is an error.",
     refuses("Matrix A(2,3); Matrix C(2,3); D = A * C;", "E206 1:37"),
     refuses("Matrix A(2,3); Matrix r(1,2); D = A * r;", "E206 1:37")),
    ("**Literals** are `1 x 1` matrices of the element type: they are read as "
     "f64 and rounded to that type.",
     gives("Matrix s(1,1); A = 0.1; C = s * 0.1; CodeGen(FLOAT, {A, C});",
           {"A": [[single(.1)]], "C": [[single(3 * single(.1))]]},
           inputs={"s": [[3]]}),
     gives("A = 0.1; CodeGen(HALF, {A});", {"A": [[half(.1)]]}),
     gives("A = 0.1; CodeGen(DOUBLE, {A});", {"A": [[.1]]})),
    ("In `INT` and `INT8` they must be whole numbers; in every type they must "
     "be within its range.",
     refuses("Matrix A(2,3); B = A * 1.5; CodeGen(INT, {B});", "E214 1:24"),
     refuses("Matrix A(2,3); B = A * 1.5; CodeGen(INT8, {B});", "E214 1:24"),
     refuses("Matrix A(2,3); B = A * 128; CodeGen(INT8, {B});", "E215 1:24"),
     refuses("Matrix A(2,3); B = A * 3e9; CodeGen(INT, {B});", "E215 1:24"),
     refuses("Matrix A(2,3); B = A * 7e4; CodeGen(HALF, {B});", "E215 1:24"),
     refuses("Matrix A(2,3); B = A * 1e39; CodeGen(FLOAT, {B});",
             "E215 1:24")),
]
NOTHING = []
ELSEWHERE = []
