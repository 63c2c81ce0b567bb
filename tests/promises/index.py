"""Index notation: functions, ranges, cases, reductions, types, outputs."""
import itertools
import math
from fractions import Fraction

from matrix import half, single
from programs import gives, makes, refuses, says

X = [1, -2, 3, 40, 5]
R = [.25, -1.5, 3.75]
ONE = [.5, 1.25, 3.]
NEXT = [(1., 2.), (0., -1.), (-1.5, 7.), (2. ** -1074, 0.)]


def floats(names, fns, *args, near=1e-13):
    """Functions of floats; integers are refused."""
    letters = "xyz"[:len(args)]
    text = "".join("tensor f64 %s(%d); " % (c, len(args[0])) for c in letters)
    want = {}
    for name, fn in zip(names, fns):
        text += "F%s(i) = %s(%s); " % (name, name, ", ".join(
            c + "(i)" for c in letters))
        want["F" + name] = [fn(*values) for values in zip(*args)]
    return [gives(text, want, inputs=dict(zip(letters, args)), near=near)] + [
        refuses("tensor i32 x(3); y(i) = %s(%s);" % (
            name, ", ".join(["x(i)"] * len(args))), "E227 1:25")
        for name in names]


def away(x):
    """x rounded, halves away from 0."""
    return math.copysign(math.floor(abs(x) + .5), x)


def fma(a, b, c):
    return float(Fraction(a) * Fraction(b) + Fraction(c))


def lerp(a, b, t):
    return single(single(a * single(1 - t)) + single(b * t))


def heat(u, steps):
    for _ in range(steps):
        u = [u[0]] + [.25 * a + .5 * b + .25 * c
                      for a, b, c in zip(u, u[1:], u[2:])] + [u[-1]]
    return u


def over_nothing(kind, least, most):
    """What reductions over nothing give."""
    return gives("param N; tensor %s x(N); s() = sum(i: x(i)); "
                 "p() = prod(i: x(i)); l() = min(i: x(i)); "
                 "g() = max(i: x(i)); S() += x(i); P() *= x(i);"
                 "L() min= x(i); G() max= x(i);" % kind,
                 {"s": 0, "p": 1, "l": most, "g": least,
                  "S": 0, "P": 1, "L": most, "G": least}, {"N": 0})


def wide(n):
    return ", ".join("i%d" % k for k in range(n))


def recurrence(kind, value):
    return ("param N; tensor %s x(N); out h(t) for 0 <= t < N = "
            "case { t == 0: x(0); else: %s; };" % (kind, value))


def explains(kind, value, word, options):
    """What inspect --explain says of a recurrence."""
    return says(recurrence(kind, value), word, verb="inspect",
                options=["--explain", *options])


def scan(value, step):
    """The recurrence is a scan, and gives what "step" makes of two values."""
    def program(bench):
        want = list(itertools.accumulate(X, step))
        gives(recurrence("i32", value), {"h": want}, sizes={"N": 5},
              inputs={"x": X})(bench)
        explains("i32", value, "h_def_1: a scan", ["-DN=5"])(bench)
    return program


SCANS = [("h(t-1) + x(t)", lambda h, x: h + x),
         ("h(t-1) - x(t)", lambda h, x: h - x),
         ("x(t) * h(t-1)", lambda h, x: h * x),
         ("min(x(t), h(t-1))", min), ("max(h(t-1), x(t))", max),
         ("h(t-1) & x(t)", lambda h, x: h & x),
         ("h(t-1) | x(t)", lambda h, x: h | x),
         ("xor(h(t-1), x(t))", lambda h, x: h ^ x),
         ("3 * h(t-1) + x(t)", lambda h, x: 3 * h + x),
         ("x(t) * h(t-1) - x(t)", lambda h, x: x * h - x)]
PROMISES = [
    ("param T, N; tensor f32 u0(N); u(t,i) for 0 <= t <= T, 0 <= i < N = "
     "case { t == 0: u0(i); i == 0 or i == N-1: u(t-1,i); else: "
     "0.25*u(t-1,i-1) + 0.5*u(t-1,i) + 0.25*u(t-1,i+1); }; "
     "out mean() = sum(i: u(T,i)) / f32(N);",
     gives("param T, N; tensor f32 u0(N); u(t,i) for 0 <= t <= T, "
           "0 <= i < N = case { t == 0: u0(i); i == 0 or i == N-1: u(t-1,i);"
           "else: 0.25*u(t-1,i-1) + 0.5*u(t-1,i) + 0.25*u(t-1,i+1); };"
           "out mean() = sum(i: u(T,i)) / f32(N);",
           {"mean": sum(heat([8., 16., 0., 32.], 2)) / 4}, {"T": 2, "N": 4},
           {"u0": [8, 16, 0, 32]})),
    ("Index notation has all of these functions except `transpose`, and the "
     "following, whose names match only as written:",
     gives("tensor i32 x(5); y(i) = ReLU(x(i)) + abs(x(i)) * min(x(i), 2) - "
           "max(x(i), 3); z(i) = relu(x(i));",
           {"y": [max(x, 0) + abs(x) * min(x, 2) - max(x, 3) for x in X],
            "z": [max(x, 0) for x in X]}, inputs={"x": X}),
     gives("tensor f64 x(3); y(i) = elementwise_mul(Sigmoid(x(i)), Tanh(x(i)));"
           "z(i) = exp(log(sqrt(x(i))));",
           {"y": [math.tanh(x) / (1 + math.exp(-x)) for x in ONE],
            "z": [math.sqrt(x) for x in ONE]}, inputs={"x": ONE}, near=1e-13),
     refuses("tensor f32 x(3); y(i) = transpose(x(i));", "E120 1:25"),
     refuses("tensor f32 x(3); y(i) = Sin(x(i));", "E201 1:25"),
     refuses("Matrix A(2,3); B = sin(A);", "E112 1:20")),
    ("| function | arguments | types |",
     refuses("tensor f32 x(3); y(i) = pow(x(i));", "E113 1:25"),
     refuses("tensor f32 x(3); y(i) = sin(x(i), x(i));", "E113 1:25")),
    ("| `exp2` `log2` `log10` `sin` `cos` `tan` `asin` `acos` `atan` `sinh` "
     "`cosh` `asinh` `acosh` `atanh` | 1 | floats |",
     *floats(["exp2", "log2", "log10", "sin", "cos", "tan", "atan", "sinh",
              "cosh", "asinh"],
             [lambda x: 2 ** x, math.log2, math.log10, math.sin, math.cos,
              math.tan, math.atan, math.sinh, math.cosh, math.asinh], ONE),
     *floats(["asin", "acos", "atanh"], [math.asin, math.acos, math.atanh],
             [.5, -.25, .75]),
     *floats(["acosh"], [math.acosh], [1.5, 2.])),
    ("| `floor` `ceil` `trunc` `round` | 1 | floats |",
     *floats(["floor", "ceil", "trunc", "round"],
             [math.floor, math.ceil, math.trunc, away],
             [2.5, -2.5, 3.25, -3.75], near=0)),
    ("| `clz(x)`, the bits above the highest that is 1, in the type that `x` is "
     "computed in | 1 | integers |",
     gives("tensor i32 x(4); tensor u8 z(3); tensor i64 w(2); out y(i) = clz(x(i)); "
           "out u(i) = i32(clz(z(i))); out v(i) = i32(clz(w(i)));",
           {"y": [32, 31, 0, 24], "u": [32, 31, 24], "v": [64, 58]},
           inputs={"x": [0, 1, -1, 255], "z": [0, 1, 255], "w": [0, 32]})),
    ("| `pow` `atan2` `hypot` `copysign` | 2 | floats |",
     *floats(["pow", "atan2", "hypot", "copysign"],
             [math.pow, math.atan2, math.hypot, math.copysign],
             [.5, 1.25, 3.], [-2., .75, 1.5])),
    ("| `nextafter(a, b)`, the number next to `a` on the way to `b`, in the type "
     "that they are computed in | 2 | floats |",
     gives("tensor f64 x(4), z(4); y(i) = nextafter(x(i), z(i));",
           {"y": [math.nextafter(a, b) for a, b in NEXT]},
           inputs={"x": [a for a, _ in NEXT], "z": [b for _, b in NEXT]}),
     gives("tensor f32 x(2); y(i) = nextafter(x(i), 3.0);",
           {"y": [1 + 2. ** -23, 3.]}, inputs={"x": [1., 3.]})),
    ("| `fmin` `fmax`, which are `min` and `max`: of a number and NaN, the number "
     "| 2 | any but bool |",
     gives("tensor f32 x(3), z(3); y(i) = fmin(x(i), z(i)); "
           "w(i) = fmax(x(i), z(i));",
           {"y": [-1., 2., 5.], "w": [1., 2., 5.]},
           inputs={"x": [1., math.nan, 5.], "z": [-1., 2., math.nan]}),
     gives("tensor i32 x(3); y(i) = fmin(x(i), 2) - fmax(x(i), 1);",
           {"y": [-1, 0, -1]}, inputs={"x": [0, 2, 3]}),
     refuses("tensor bool x(3); y(i) = fmin(x(i), x(i));", "E227 1:26")),
    ("| `fma(a, b, c)`, which is `a*b + c` rounded once | 3 | floats |",
     *floats(["fma"], [fma], [1 + 2. ** -30, .1], [1 - 2. ** -30, .3],
             [-1., -.03], near=0)),
    ("| `lerp(a, b, t)`, which is `a*(1 - t) + b*t` with each operation "
     "rounded | 3 | floats |",
     gives("tensor f32 a(4), b(4), t(4); y(i) = lerp(a(i), b(i), t(i));",
           {"y": [lerp(*map(single, v)) for v in (
               (.1, .7, .3), (1.1, -3.3, .9), (1e3, .001, .7),
               (.3, .3, .123))]},
           inputs={"a": [.1, 1.1, 1e3, .3], "b": [.7, -3.3, .001, .3],
                   "t": [.3, .9, .7, .123]}),
     refuses("tensor i32 x(3); y(i) = lerp(x(i), x(i), x(i));",
             "E227 1:25")),
    ("| `xor` | 2 | integers, bool |",
     gives("tensor i32 x(5); tensor bool b(2), c(2); y(i) = xor(x(i), 6);"
           "z(i,j) = xor(b(i), c(j));",
           {"y": [x ^ 6 for x in X],
            "z": [[True, False], [False, True]]},
           inputs={"x": X, "b": [False, True], "c": [True, False]}),
     refuses("tensor f32 x(3); y(i) = xor(x(i), x(i));", "E227 1:25")),
    ("| `select(c, a, b)`, which is `c ? a : b` | 3 | bool, then any |",
     gives("tensor i32 x(5); y(i) = select(x(i) > 3, x(i), 7);"
           "z(i) = x(i) > 3 ? x(i) : 7;"
           "b(i) = select(x(i) > 3, true, x(i) < 0);",
           {"y": [x if x > 3 else 7 for x in X],
            "z": [x if x > 3 else 7 for x in X],
            "b": [x > 3 or x < 0 for x in X]}, inputs={"x": X}),
     refuses("tensor i32 x(3); y(i) = select(x(i), x(i), 7);", "E227 1:25")),
    ("| `f32(x)`, `i8(x)` ...: the type's name converts | 1 | any |",
     gives("tensor i32 x(5); tensor f32 r(3); tensor bool b(2);"
           "a(i) = f32(x(i)); c(i) = i8(100 * x(i)); d(i) = i64(r(i));"
           "e(i) = u16(b(i)); f(i) = bool(x(i)); g(i) = f16(r(i));",
           {"a": [float(x) for x in X],
            "c": [(100 * x + 128) % 256 - 128 for x in X],
            "d": [math.trunc(r) for r in R], "e": [0, 1],
            "f": [True] * 5, "g": R},
           inputs={"x": X, "r": R, "b": [False, True]})),

    ("A tensor may not have a name of this table, nor the name of a type, "
     "`and`, `or`, `not`, `true` or `false`.",
     *[refuses("tensor f32 x(3); %s(i) = x(i);" % name, "E204 1:18")
       for name in ("sin", "lerp", "select", "f32", "u8", "and", "or", "not",
                    "true", "false")],
     gives("tensor i32 Sin(5), f128(5); False(i) = Sin(i) + f128(i);",
           {"False_1": [2 * x for x in X]}, inputs={"Sin": X, "f128": X})),

    # ------------------------------------------------- definitions, ranges
    ("`y(i,j) = e` defines a value for each `i` and `j` of a range.",
     gives("param N; tensor i32 x(5); "
           "y(i,j) for 0 <= i < N, 0 <= j < 2 = 10 * x(i) + j;",
           {"y": [[10 * x + j for j in range(2)] for x in X[:3]]}, {"N": 3},
           {"x": X})),
    ("A name has one definition, and the order of definitions does not "
     "matter.",
     gives("tensor i32 x(5); z(i) = y(i) + 1; y(i) = 2 * x(i);",
           {"z": [2 * x + 1 for x in X]}, inputs={"x": X}),
     refuses("tensor i32 x(5);\ny(i) = x(i);\ny(i) = 2 * x(i);", "E203 3:1")),
    ("Matrix expressions are the exception: they follow the order of the "
     "text, and what they define can be read only below them.",
     gives("Matrix A(2,2); B = A + A; y(i) = B(i,0); B = B + A;",
           {"y": [2, 6]}, inputs={"A": [[1, 2], [3, 4]]}),
     refuses("Matrix A(2,2);\ny(i) = B(i,0);\nB = A + A;", "E210 2:8")),
    ("**Ranges.** Conditions behind `for` bound the indices that they name.",
     says("param N; tensor f32 x(N); y(i) for 1 <= i, 2*i < N+1 = x(i);",
          "f32 y[1:floor((N)/2)+1]"),
     gives("tensor i32 x(5); y(i) for 1 <= i < 3 = x(i);", {"y": X[1:3]},
           inputs={"x": X})),
    ("Any other index takes its range from the reads in its expression: it "
     "has all values for which every position made of this index alone is "
     "inside the tensor.",
     gives("tensor i32 x(5), z(4); y(i) = x(i) + z(i-2); w(i) = x(2*i+1);",
           {"y": [X[i] + i - 2 for i in range(2, 5)], "w": [X[1], X[3]]},
           inputs={"x": X, "z": [0, 1, 2, 3]}),
     says("param N, M; tensor f32 x(N), z(M); y(i) = x(i) + z(i-2);",
          "f32 y[2:min(N,M+2)]")),
    ("Reads of other definitions count, too, with the ranges of those.",
     says("param N; tensor f32 x(N); y(i) = x(i-1); z(i) = y(i) + y(i+1);",
          "f32 y[1:N+1]", "f32 z[1:N]")),
    ("If an index then still lacks a bound, a position made of several "
     "indices gives it one, provided that the ranges of the others are "
     "known.",
     says("param N; tensor f32 x(N); "
          "y(p) = sum(r for 0 <= r < 3: x(p+r));", "f32 y[N-2]"),
     # p has its range from z, which x(p+r) makes no smaller.
     refuses("param N; tensor f32 x(N), z(N); "
             "y(p) = z(p) + sum(r for 0 <= r < 3: x(p+r));", "E240"),
     refuses("param N; tensor f32 x(N); y(p) = sum(r: x(p+r));", "E229")),
    ("A position that names an index twice, or with `%`, gives it no range: "
     "`x(i/2)` of `N` elements gives `0 <= i < 2*N`, and `x(i%4)` gives "
     "nothing.",
     says("param N; tensor f32 x(N); y(i) = x(i/2);", "f32 y[2*N]"),
     gives("tensor i32 x(5); y(i) = x(i/2);",
           {"y": [X[i // 2] for i in range(10)]}, inputs={"x": X}),
     refuses("param N; tensor f32 x(N); y(i) = x(i%4);", "E229 1:29"),
     refuses("param N; tensor f32 x(N); y(i) = x(i + i/2);", "E229 1:29")),
    ("`check` prints the ranges: `a[-1:N]` from -1 to N-1, and `a[N]` from 0 "
     "to N-1.",
     says("param N; tensor f32 x(N); b(i) = x(i); a(i) for -1 <= i < N = 1.0;",
          "f32 a[-1:N]", "f32 b[N]"),
     gives("tensor i32 x(5); a(i) for -1 <= i < 5 = i >= 0 ? i : 9;",
           {"a": [9, 0, 1, 2, 3, 4]})),
    ("Sizes, the conditions of ranges and positions are *affine*: sums and "
     "differences of indices, sizes and whole numbers, products of these by "
     "whole numbers, and `/` and `%` of these by positive whole numbers.",
     gives("param N; tensor i32 x(N/2 + 2), z((N-1)%4 + 7);"
           "y(i) for 0 <= i < N/2, 1 <= i%3 = x((5*i + N) / 4 - i)"
           " + z((2*i - N + 1)%5);",
           {"y": [0] + [X[(5 * i + 6) // 4 - i] + 10 * ((2 * i - 5) % 5)
                        for i in range(1, 3)]}, {"N": 6},
           {"x": X, "z": [10 * k for k in range(8)]}),
     *[refuses("param N; tensor f32 x(N); tensor i32 k(N);\n"
               "y(i) for 0 <= i < N = x(%s);" % e, "E291 2:%d" % at)
       for e, at in (("i*i", 26), ("i*N", 26), ("i/N", 26), ("N/i", 26),
                     ("i/0", 26), ("i%(-2)", 26), ("i*0.5", 26))],
     refuses("param N; tensor f32 x(N*N); y(i) = x(i);", "E222 1:24"),
     refuses("param N; y(i) for 0 <= i*i < N = 1.0;", "E222 1:25")),
    ("`/` rounds down, and `%` is what that leaves, from 0 to the divisor "
     "minus 1.",
     gives("tensor i32 x(5); a(i) for -7 <= i < 8 = x((i-1)/4 + 2);"
           "b(i) for -7 <= i < 8 = x((i-1)%4);",
           {"a": [X[(i - 1) // 4 + 2] for i in range(-7, 8)],
            "b": [X[(i - 1) % 4] for i in range(-7, 8)]}, inputs={"x": X})),

    # -------------------------------------------------- positions that are data
    ("A position may also be an expression of integers that reads values: "
     "`O(t,d) = emb(id(t),d);`.",
     gives("tensor i32 e(5,2); tensor i32 id(3); O(t,d) = e(id(t),d);"
           "S(t) = sum(d: e(id(t),d) * e(4-id(t),d));",
           {"O": [[5, 6], [1, 2], [9, 10]],
            "S": [61, 29, 29]},
           inputs={"e": [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]],
                   "id": [2, 0, 4]}),
     refuses("tensor f32 x(3), p(3); y(i) = x(p(i));", "E292 1:33")),
    ("It gives no index a range.",
     refuses("tensor i32 x(3), k(3); y(i) = x(i + k(0));", "E229 1:26")),
    ("A definition that is read so has a value everywhere in its box, and does "
     "not need the value that reads it.",
     gives("tensor i32 x(3), k(4); z(i) = 2 * x(i) + 1;"
           "y(i) = z(k(i)) + z(2 - k(i));",
           {"y": [8, 14, 8, 8]}, inputs={"x": [1, 3, 2], "k": [0, 1, 2, 0]}),
     refuses("tensor i32 x(3); z(i,j) for 0 <= i <= j < 3 = x(i);"
             "y(i) = z(x(i),2);", "E293 1:59"),
     refuses("tensor i32 x(3); y(i) = case { i == 0: 1; else: y(x(i)); };",
             "E293 1:49")),
    ("The program assumes that an input has elements there for some value.",
     makes("param N; tensor i32 x(N), k(3); y(i) = x(k(i));", "poly",
           'context "[N] -> {  : N > 0 }"')),
    ("So `id(t) >= 0 and id(t) < V ? emb(id(t),d) : 0.5` is a read with a guard: positions "
     "outside have the value that it states.",
     gives("param V; tensor f32 e(V,2); tensor i32 k(6); out O(t,d) = k(t) >= 0 and k(t) < V "
           "? e(k(t),d) : 0.5; out S(d) = sum(t: k(t) >= 0 and k(t) < V ? e(k(t),d) : 0.5);"
           "out C(t) = case { k(t) >= 0 and k(t) < V: e(k(t),1); else: -1.0; };",
           {"O": [[3, 4], [.5, .5], [1, 2], [.5, .5], [.5, .5], [1, 2]],
            "S": [6.5, 9.5], "C": [4, -1, 2, -1, -1, 2]}, {"V": 2},
           inputs={"e": [[1, 2], [3, 4]], "k": [1, -1, 0, 2, -2147483648, 0]})),
    ("A compiled object reads 0 where no guard stands.",
     makes("tensor f32 x(3); tensor i32 k(3); y(i) = x(k(i));", "llvm",
           "icmp sge i64", "select i1", "float 0.000000e+00")),
    ("Where `--input` gives no positions, `run` makes some up.",
     gives("tensor i32 x(3); tensor i64 k(90); y(i) = x(k(i)) == 1;",
           {"y": [1] * 90}, inputs={"x": [1, 1, 1]})),
    ("`assume 0 <= id < V;` says of all elements of an input what they hold, from a "
     "least to a greatest number.",
     says("param V; assume 0 <= id < V; tensor i32 id(4), x(V); y(i) = x(id(i));",
          "1 output"),
     gives("param V; assume -2 < k, k <= V - 1; tensor i8 k(50); y(i) = i32(k(i)) >= "
           "-1 and i32(k(i)) < V;", {"y": [1] * 50}, {"V": 3})),
    ("The device looks at each of them before `run`, `NAME_checked` and functions that "
     "stand in the place of one in C run the program, and what is none of these numbers "
     "is refused, with its place and value.",
     *[refuses("param V; assume 0 <= k < V; tensor i32 k(2,2), x(V); y(i) = x(k(0,i));",
               "E737", "k[1,0] is %d, but" % k, verb="run",
               options=["-DV=3", "--input=k=[[0, 1], [%d, 2]]" % k]) for k in (3, -1)]),
    ("`h(bin(i)) += 1;`, and the like by `*=`, `min=` and `max=`, updates the "
     "definition of that name above, which says which elements there are, and "
     "what they are before: `h(b) for 0 <= b < 256 = i32(0);`.",
     gives("tensor i32 k(5); out h(b) for 0 <= b < 4 = i32(0); h(k(i)) += 1;"
           "out m(b) for 1 <= b < 4 = 2 * b; m(k(i) + 1) max= k(i) + 5;"
           "out l(b) for 0 <= b < 3 = i32(7); l(k(i)) min= i;"
           "out p(b) for 0 <= b < 3 = case { b == 1: i32(3); else: 1; };"
           "p(k(i)) *= 2;",
           {"h": [1, 1, 3, 0], "m": [5, 6, 7], "l": [1, 3, 0],
            "p": [2, 6, 8]}, inputs={"k": [2, 0, 2, 1, 2]}),
     refuses("tensor i32 k(5); h(k(i)) += 1;", "E294 1:18"),
     refuses("tensor i32 k(5); h(b) for 0 <= b < 4 = i32(0);"
             "h(k(i)) += 1.5;", "E295 1:47"),
     refuses("tensor f32 k(5); h(b) for 0 <= b < 4 = i32(0);"
             "h(k(i)) += 1;", "E292 1:49")),
    ("All indices that are not on the left by themselves are gone over, and "
     "each term goes to the element at that position, in open order: "
     "`y(id(t),d) += g(t,d)` adds rows.",
     gives("tensor i32 x(3,2), id(4), g(4,2); y(j,e) = x(j,e);"
           "y(id(t),d) += g(t,d);",
           {"y": [[2, 5], [3, 4], [17, 21]]},
           inputs={"x": [[1, 3], [3, 4], [5, 6]], "id": [0, 2, 2, 2],
                   "g": [[1, 2], [3, 4], [4, 5], [5, 6]]}),
     gives("tensor i32 k(3); h(b) for 0 <= b < 4 = i32(0);"
           "h(k(i)) for 1 <= i < 3, 0 <= j < 2 += 10 * i + j;",
           {"h": [0, 21, 0, 41]}, inputs={"k": [0, 1, 3]})),
    ("What is read there gives no element to the definition.",
     says("tensor f32 x(3,2); tensor i32 id(4); tensor f32 g(4,1);"
            "y(j,e) = x(j,e); y(id(t),d) for 0 <= d < 1 += g(t,d);",
            "f32 y[3,2]")),
    ("Several updates follow one another; elsewhere the name means what the "
     "last one leaves.",
     gives("tensor i32 k(3); h(b) for 0 <= b < 3 = i32(1); h(k(i)) *= 3;"
           "h(k(i)) += 1; out y(b) = h(b);",
           {"y": [4, 11, 1]}, inputs={"k": [0, 1, 1]})),
    ("An update needs no value of its own definition.",
     refuses("tensor i32 k(3); h(b) for 0 <= b < 3 = i32(0);"
             "h(k(i)) += h(i);", "E296 1:58")),
    ("A factor of a sum of products that is read so, and is the same for "
     "several cells, is stored first, before it is converted, so that the "
     "products are those of a matrix.",
     makes("param T, V, K, N; tensor f32 e(V,K), w(K,N); tensor i32 id(T);"
           "P(t,n) += e(id(t),k) * w(k,n);", "poly", "write P_rows",
           "contract", options=["-DT=512", "-DV=90", "-DK=256", "-DN=512"]),
     gives("tensor i32 e(3,2), w(2,2); tensor i32 id(2);"
           "P(t,n) += w(k,n) * e(id(t),k);", {"P": [[7, 10], [1, 2]]},
           inputs={"e": [[1, 0], [5, 5], [1, 2]], "w": [[1, 2], [3, 4]],
                   "id": [2, 0]}),
     makes("param T, V, K, N; tensor bf16 e(V,K), w(K,N); tensor i32 id(T);"
           "P(t,n) += f32(e(id(t),k)) * f32(w(k,n));", "poly", "write P_rows",
           "P_rows bf16 temp", "contract",
           options=["-DT=512", "-DV=90", "-DK=256", "-DN=512"]),
     gives("tensor i8 e(3,2); tensor i32 w(2,2); tensor i32 id(2);"
           "P(t,n) += w(k,n) * i32(u8(e(id(t),k)));",
           {"P": [[7, 10], [255, 510]]},
           inputs={"e": [[-1, 0], [5, 5], [1, 2]], "w": [[1, 2], [3, 4]],
                   "id": [2, 0]})),

    # ---------------------------------------------------------------- case
    ("**case** takes the first piece whose condition holds.",
     gives("tensor i32 x(5); y(i) = case { i == 1: 7; i <= 2: 8; else: "
           "x(i); };", {"y": [8, 7, 8, 40, 5]}, inputs={"x": X})),
    ("An instance for which no condition holds is an error; where a later "
     "piece would hold, too, a remark says so.",
     refuses("tensor i32 x(5); y(i) = case { i == 1: 7; i > 1: x(i); };",
             "E238"),
     says("tensor i32 x(5); y(i) = case { i <= 2: 7; i > 1: x(i); };",
          "remark[R239]")),
    ("A read that finds no value is an error, and so is a value that needs "
     "itself.",
     refuses("tensor i32 x(5); y(i) for 0 <= i < 5 = x(i+1);", "E240 1:40"),
     refuses("tensor i32 x(5); y(i) for 0 <= i < 5 = y(i) + x(i);", "E242 1:18",
             "y[0] needs y[0]"),
     refuses("tensor i32 x(5); y(i) = x(i) + y(4-i);", "E242",
             "y[2] needs y[2]")),
    ("A condition may also compare values, beside affine conditions, as in "
     "`a(i) > 0: b(i);`.",
     gives("tensor i32 a(5), b(5); y(i) = case { a(i) > 0: b(i); i < 2 and "
           "a(i) < 0: -7; else: 9; };", {"y": [0, -7, 2, 3, 4]},
           inputs={"a": X, "b": [0, 1, 2, 3, 4]})),
    ("Such a piece may hold or not, so it is neither counted as the value of "
     "its instances nor as an earlier piece; what it and its condition read "
     "must have values wherever the affine conditions let it hold.",
     refuses("tensor i32 a(5); y(i) = case { a(i) > 0: 1; a(i) <= 0: 2; };",
             "E238"),
     says("tensor i32 a(5); y(i) = case { a(i) > 0: 1; else: 2; };",
          lacks=["R239"]),
     refuses("tensor i32 a(5); y(i) for 0 <= i < 6 = case { a(i) > 0: 1; "
             "else: 2; };", "E240"),
     says("tensor i32 a(5); y(i) for 0 <= i < 6 = case { i < 5 and a(i) > 0:"
          " a(i); else: 2; };", "i32 y[6]")),
    ("In the kernel such a condition is a branch; `?:` computes both values.",
     makes("tensor i32 a(5); y(i) = case { a(i) > 0: 1; else: 2; };", "poly",
           "branch", lacks=["select"]),
     makes("tensor i32 a(5); y(i) = a(i) > 0 ? 1 : 2;", "poly", "select",
           lacks=["branch"])),
    ("These errors are decided for all sizes, 0 included, that meet the "
     "conditions behind `assume`.",
     refuses("param N; tensor f32 x(N); y() = x(0);", "E240 1:33"),
     says("param N; tensor f32 x(N); assume N > 0; y() = x(0);", "1 output"),
     refuses("param N; assume 0 < N, N < 9; tensor f32 x(N); y() = x(3);",
             "E240")),
    ("If the program is right only for the values that `-D` gives, it is "
     "compiled for these alone.",
     gives("param N; tensor i32 x(N); y() = x(3);", {"y": 40}, {"N": 5},
           {"x": X}),
     refuses("param N; tensor i32 x(N); y() = x(3);", "E240",
             options=["-DN=3"]),
     refuses("param N; tensor i32 x(N); y() = x(3);", "E240")),
    ("`run` refuses sizes that do not meet the assumptions, as does `NAME_checked` "
     "of a compiled object; `NAME` trusts its caller.",
     refuses("param N; assume N > 3; tensor i32 x(N); y() = x(3);", "E241",
             verb="run", options=["-DN=3"])),

    # ---------------------------------------------------------- reductions
    ("**Reductions.** `y(i) += e` sums `e` over all indices that are not on "
     "the left; a scalar, `s() += e`, needs no brackets behind `out` and "
     "before an update: `s += e`.",
     gives("tensor i32 x(5); s += x(i); p *= x(i); l min= x(i); "
           "out max= x(i); out t = s + p(); out u += l * x(i); "
           "out v = max(i: x(i)) + out;",
           {"t": sum(X) + math.prod(X), "u": -2 * sum(X), "v": 80},
           inputs={"x": X}),
     refuses("tensor i32 x(5); s = sum(i: x(i));", "E107 1:26"),
     refuses("tensor i32 x(5); s = 1 + max(i: x(i));", "E107 1:30"),
     refuses("tensor i32 x(5); out s;", "E107 1:23"),
     refuses("tensor i32 x(5); s = x(0);", "E112 1:22"),
     gives("tensor i32 x(5), z(3,5); y(i) += z(i,j) * x(j); s() += x(a);",
           {"y": [sum((10 * i + j) * X[j] for j in range(5))
                  for i in range(3)], "s": sum(X)},
           inputs={"x": X, "z": [[10 * i + j for j in range(5)]
                                 for i in range(3)]})),
    ("Inside an expression `sum(j: e)` sums over `j`, and a range may follow "
     "behind `for`.",
     gives("tensor i32 x(5); y(i) = x(i) - sum(j: x(j)) * 2 + "
           "sum(j, k for 0 <= j < i, j <= k < 2: x(j) + k);",
           {"y": [X[i] - 2 * sum(X) + sum(X[j] + k for j in range(i)
                                          for k in range(j, 2))
                  for i in range(5)]}, inputs={"x": X})),
    ("`*=` and `prod`, `min=` and `min`, `max=` and `max` work in the same "
     "way.",
     gives("tensor i32 x(5); p() *= x(i); q() = prod(i: x(i)); "
           "l() min= x(i); m() = min(i for 0 <= i < 4: x(i)); g() max= x(i);"
           "h() = 1 + max(i: x(i));",
           {"p": math.prod(X), "q": math.prod(X), "l": -2, "m": -2,
            "g": 40, "h": 41}, inputs={"x": X})),
    ("Over nothing the four give 0, 1, the largest and the smallest value of "
     "the type (for floats: infinities).",
     over_nothing("i32", -2 ** 31, 2 ** 31 - 1),
     over_nothing("u8", 0, 255),
     over_nothing("f32", -math.inf, math.inf)),
    ("`argmax(j: e)` is the first index at which `e` is greatest, an `i64`, and "
     "`argmin` the first at which it is least; NaN is passed over, and over "
     "nothing else they are -1.",
     gives("tensor i32 x(5); tensor f32 z(3,4); out g() = argmax(i: x(i)); "
           "out l() = argmin(i: x(i)); "
           "out m() = argmin(i for 1 <= i < 1: x(i)); "
           "out t() = argmax(i: x(i) * 0); out k(i) = argmax(j: z(i,j)); "
           "out s(i) = argmin(j for 0 < j < 4: z(i,j)) - argmax(j: -z(i,j));",
           {"g": X.index(max(X)), "l": X.index(min(X)), "m": -1, "t": 0,
            "k": [1, 3, -1], "s": [0, 2, 0]},
           inputs={"x": X, "z": [[math.nan, 5, 2, 2], [-math.inf, 3, 1, 4],
                                 [math.nan] * 4]})),
    ("What `for` says of a `sum` or `prod` may compare values: "
     "`sum(j for row(i) <= j < row(i+1): val(j)*x(col(j)))`.",
     gives("tensor i32 row(4), col(5), val(5), x(3);"
           "out y(i) = sum(j for row(i) <= j < row(i+1): val(j)*x(col(j)));"
           "out p(i) for 0 <= i < 3 = prod(j for row(i) <= j: val(j));",
           {"y": [20, 0, 74], "p": [120, 60, 60]},
           inputs={"row": [0, 2, 2, 5], "col": [0, 2, 1, 0, 2],
                   "val": [1, 2, 3, 4, 5], "x": [2, 7, 9]}),
     refuses("tensor i32 r(4); tensor f32 v(5); out y(i) for 0 <= i < 3 = "
             "max(j for r(i) <= j: v(j));", "E222 1:71")),
    ("That gives no index a range and leaves terms out; where it bounds an "
     "index on both sides, as in rows of a sparse matrix, each cell goes over "
     "its own terms alone.",
     refuses("tensor i32 r(4); out y(i) = sum(j for r(i) <= j < r(i+1): j);",
             "E229 1:33"),
     makes("param N, Z; tensor i32 r(N+1); tensor f32 v(Z);"
           "out y(i) = sum(j for r(i) <= j < r(i+1): v(j));", "poly",
           "(loop ", "reduce add"),
     gives("tensor i32 r(4); tensor i32 v(5);"
           "out y(i) = sum(j for r(i) < j and j <= r(i+1): v(j));",
           {"y": [6, 0, 12]}, inputs={"r": [-3, 2, 1, 40],
                                      "v": [1, 2, 3, 4, 5]})),
    ("Where each cell takes only the terms that name it, as in `h(b) for 0 <= b "
     "< 300 += k(i) == b ? v(i) : 0`, and there are 256 cells or more, or a known "
     "number from 8 on that are updated often, each term goes to its cell, and "
     "the cells do not look at all terms.",
     makes("param N; tensor i32 k(N), v(N);"
           "h(b) for 0 <= b < 300 += k(i) == b ? v(i) : 0;", "poly",
           "reduce add atomic"),
     makes("param N; tensor i32 k(N), v(N);"
           "h(b) for 0 <= b < 8 += k(i) == b ? v(i) : 0;", "poly",
           "reduce add atomic"),
     makes("param N; tensor i32 k(N), v(N);"
           "h(b) for 0 <= b < 7 += k(i) == b ? v(i) : 0;", "poly",
           lacks=["atomic"]),
     makes("tensor i32 k(900), v(900);"
           "h(b) for 0 <= b < 255 += k(i) == b ? v(i) : 0;", "poly",
           lacks=["atomic"]),
     gives("tensor i32 k(5), v(5); out s(b) for 0 <= b < 4 = h(b);"
           "h(b) for 0 <= b < 300 += k(i) == b ? v(i) : 0;",
           {"s": [7, 0, 1, 2]},
           inputs={"k": [3, 2, 0, 0, -1], "v": [2, 1, 3, 4, 5]})),
    ("Updates at positions that are data are the same.",
     makes("param N; tensor i32 k(N); h(b) for 0 <= b < 8 = i32(0);"
           "h(k(i)) += 1;", "poly", "reduce add atomic", " near "),
     makes("param N; tensor i32 k(N); h(b) for 0 <= b < 8 = 0.5;"
           "h(k(i)) += 1.5;", "poly", lacks=["atomic"])),
    ("Terms are integers, and what they are elsewhere changes nothing; floats "
     "are added so with `--fp=relaxed`.",
     makes("param N; tensor i32 k(N), v(N);"
           "h(b) for 0 <= b < 300 += k(i) == b ? v(i) : 1;", "poly",
           lacks=["atomic"]),
     makes("param N; tensor i32 k(N); tensor f32 v(N);"
           "h(b) for 0 <= b < 200 += k(i) == b ? v(i) : 0;", "poly",
           lacks=["atomic"]),
     makes("param N; tensor i32 k(N); tensor f32 v(N);"
           "h(b) for 0 <= b < 300 += k(i) == b ? v(i) : 0;", "poly",
           "reduce add atomic", options=["--fp=relaxed"])),
    ("Otherwise floats that are added, or multiplied, have the same bits in "
     "each run: where that is expected to take less time than to look at all "
     "terms, and both have numbers below 2^31 (of open sizes, by `assume`), "
     "they are sorted by their cells.",
     *[makes("param N; assume N <= 1073741824; tensor i32 k(N); "
             "tensor f32 v(N); h(b) for 0 <= b < %s = f32(0); h(k(i)) %s= v(i);" % (cells, op),
             "poly", "write h ", "(loop 0 ", options=["--fp=" + fp])
       for cells, op, fp in ((300, "+", "reassoc"), ("N", "*", "reassoc"),
                             (8, "+", "strict"))],
     makes("tensor i32 k(100); tensor f32 v(100);"
           "h(b) for 0 <= b < 300 = f32(0); h(k(i)) += v(i);", "poly",
           lacks=["(loop "]),
     makes("param N; tensor i32 k(N); tensor f32 v(N);"
           "h(b) for 0 <= b < 300 = f32(0); h(k(i)) += v(i);", "poly",
           lacks=["(loop "])),
    ("**Recurrences** read other instances of the definition itself, directly "
     "or through others: `h(t) = case { t == 0: x(0); else: h(t-1) + x(t); "
     "}`.",
     gives("tensor i32 x(5); "
           "out h(t) = case { t == 0: x(0); else: h(t-1) + x(t); };"
           "a(t) for 0 <= t < 5 = case { t == 0: 1; else: 2 * b(t-1); };"
           "out b(t) = a(t) + x(t);",
           {"h": [1, -1, 2, 42, 47], "b": [2, 2, 7, 54, 113]},
           inputs={"x": X})),
    ("Where sizes are fixed, threads compute a recurrence together, a *scan*, "
     "if each value is that before it along one index, and `+`, `-`, `*`, "
     "`min`, `max`, `&`, `|` or `xor` with something, or a number times that "
     "before it plus something.",
     *(scan(*s) for s in SCANS)),
    ("Scans of floats add and multiply in another order, which `--fp=strict` "
     "does not allow.",
     explains("f32", "h(t-1) + x(t)", "h_def_1: no scan: --fp=strict",
              ["-DN=5", "--fp=strict"]),
     explains("f32", "max(h(t-1), x(t))", "h_def_1: a scan",
              ["-DN=5", "--fp=strict"])),
    ("`inspect --explain` says which recurrences are scans, and why others are "
     "none.",
     explains("i32", "h(t-1) + x(t)", "h_def_1: a scan", ["-DN=5"]),
     explains("i32", "h(t-1) + x(t)", "h_def_1: no scan: sizes are not fixed",
              []),
     explains("i32", "h(t-1) / 2 + x(t)", "h_def_1: no scan: its value is no "
              "operator", ["-DN=5"])),
]
NOTHING = [
    "The order is open, as for products of matrices.",
]
ELSEWHERE = [
    ("`run` refuses inputs that tell a position outside of what is read there, "
     "and names it; what a piece or `?:` does not choose is not read.",
     "tools_run"),
    ("`run` refuses inputs that tell a position outside of the definition; a "
     "compiled object leaves out what is outside.", "tools_run"),
]
