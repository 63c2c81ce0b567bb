"""C functions in place of C's, what is refused, nests in files of the language
and beside definitions.
"""
from matrix import A, B, each, product, single
from nests import LOOP, c_says
from programs import (all_of, body, body_refused, gives, header, makes,
                      refuses, says)

REGION = ("void g(void);\nfloat f(float a[9]) {\nfloat s = 0; %s\n"
          "#pragma scop\nfor (int i = 0; i < 9; i++) s += a[i];\n"
          "#pragma endscop\n%sreturn s;\n}\n")
GOTO = "for (int i = 0; i < n; i++) {\n%s\n}\n%s"
FORWARD = """nest forward(param N, const f64 L[N][N], const f64 b[N], f64 x[N]) {
	for (int i = 0; i < N; i++) {
		double s = b[i];
		for (int j = 0; j < i; j++) s -= L[i][j] * x[j];
		x[i] = s / L[i][i];
	}
}
"""
DECAY = """Params M, K, N;  Matrix A(M,K);  Matrix B(K,N);
P = A * B;
nest decay(param M, param N, f32 P[M][N]) {
	for (int j = 1; j < N; j++)
		for (int i = 0; i < M; i++)
			P[i][j] += 0.9f * P[i][j-1];
}
decay(P);
CodeGen(FLOAT, {P});
"""
# Adds 1 to each element, or what it is given.
ADD = ("nest add(param n, i32 a[n]) { for (int i = 0; i < n; i++) a[i] += 1; }"
       "\nnest more(param n, const i32 k, i32 a[n]) {\n"
       "for (int i = 0; i < n; i++) a[i] += k; }\n"
       "param N; tensor i32 x(N);\n")
X = [1, -2, 3, 40, 5]
SIZED = dict(sizes={"N": 5}, inputs={"x": X})


def shifted(k):
    return [x + k for x in X]


def decayed(p):
    for row in p:
        for j in range(1, len(row)):
            row[j] = single(row[j] + single(single(.9) * row[j - 1]))
    return p


def call(text, want, code=None):
    """What a call gives, beside nests that add."""
    return gives(ADD + text, want, **SIZED)


def call_refused(text, code, *words, ahead=""):
    """The place is in the text, whose first line is 5."""
    return refuses(ADD + text, code, *words)


def ways(n):
    """Data decide n times whether to go on, so that ways multiply."""
    return "for (int i = 0; i < n; i++) { %s x[i] = 5; }" % " ".join(
        "if (b[i] == %d) { if (a[i] == %d) continue; y[i] = %d; }" % (
            k, k + 3, k) for k in range(n))


PROMISES = [
    # ------------------------------------------------------------ drop-in
    ("**In place of the C function**: `cetane build f.c --emit=object "
     "--drop-in` makes an object with the function itself, under its own "
     "prototype.",
     header("float f(int n, const double a[n], short *b) { float s = 0; %s"
            "{ s += a[i]; b[i] = i; } return s; }\n" % LOOP,
            "float f(int n, const double a[n], short *b);", suffix=".c",
            options=["--drop-in"])),
    ("`f.h` says where it runs.",
     header("void f(int a[2]) { a[0] = 3; }\n", "the device that the thread "
            "uses", "on the CPU", suffix=".c", options=["--drop-in"])),
    ("Failures go to `f_failed`, which by default prints them and aborts.",
     header("void f(int a[2]) { a[0] = 3; }\n", "void f_failed(int status, "
            "const char *reason);", "prints them on standard error and",
            suffix=".c", options=["--drop-in"])),
    ("Around a region the function may have declarations only, and behind it "
     "`return e;`, which is then computed, too.",
     header(REGION % ("", ""), "float f(float a[9]);", suffix=".c",
            options=["--drop-in"]),
     *[refuses(REGION % more, "E157", suffix=".c", verb="build",
               options=["--emit=object", "--drop-in"])
       for more in (("s = 1;", ""), ("", "a[0] = 1;"), ("", "g();"))]),
    ("Arrays of structures have C's layout, whatever the types of their "
     "members. The header declares a pointer to a structure with a tag as "
     "`struct p *`, and any other as `void *`.",
     header("struct p { char c; int k; }; typedef struct { int k; } q;\n"
            "void f(struct p a[2], q *b) { a[1].k += b->k; }\n",
            "struct p;", "void f(struct p *a, void *b);", suffix=".c",
            options=["--drop-in"])),
    ("A structure by value has to have a tag.",
     header("struct p { char c; int k; };\nstruct p g;\n"
            "void f(struct p p, int a[p.k]) { a[1] = p.c + g.k; }\n",
            "struct p;", "void f(struct p p, int a[*]);", suffix=".c",
            options=["--drop-in"]),
     refuses("typedef struct { char c; int k; } p;\n"
             "void f(p s, int a[2]) { a[1] = s.k; }\n", "E157", suffix=".c",
             verb="build", options=["--emit=object", "--drop-in"])),
    ("With `--no-contract` the results are those of a C compiler that fuses "
     "nothing.",
     header("void f(float a[2]) { a[0] += a[1] * 3; }\n", suffix=".c",
            options=["--drop-in", "--no-contract"],
            lacks=["Products and sums may be fused"]),
     body(LOOP + "x[i] = x[i] * y[i] + a[i] * 0.1;")),

    # ------------------------------------------------------------ refused
    ("**Refused**, with the place underlined:",
     body_refused("int i = 0;\nwhile (i < n) a[i++] = 3;", "E144 4:1",
                  "    while (i < n) a[i++] = 3;\n    ^~~~~")),
    ("- `while` and `do` that do not count;",
     body_refused("int i = 0;\nwhile (i < n) a[i++] = 3;", "E144 4:1"),
     body_refused("int i = 0;\ndo a[i++] = 3; while (i < n);", "E144 4:1")),
    ("- `break` in a loop with several variables;",
     body_refused("for (int i = 0, j = n; i < n; i++, j--) { if (i > 3)\n"
                  "break; a[i] = j; }", "E145 3:36")),
    ("- `return` inside a loop, but for `return;` in one that stands alone at the end of "
     "its function, and in front of the end of a region;",
     body_refused(LOOP + "{ if (i > 3)\nreturn; a[i] = 3; } a[0] = 1;", "E144 4:1"),
     body_refused(LOOP + "for (int j = 0; j < 3; j++) { if (b[j] > 3)\nreturn; "
                  "a[i] = 3; }", "E144 4:1"),
     body(LOOP + "{ if (b[i] > 3) return; a[i] = 3; }"),
     body_refused("\n#pragma scop\nif (n > 3)\nreturn;\n" + LOOP +
                  "a[i] = 3;\n#pragma endscop\n", "E144 6:1")),
    ("- `goto` to what is further up, inside another statement or outside of "
     "the loop;",
     body_refused("up: a[0] += 3;\ngoto up;", "E166 4:1"),
     body_refused("\ngoto in; " + LOOP + "{ in: a[i] = 3; }", "E166 4:1"),
     body_refused(GOTO % ("if (i > 3)\ngoto out; a[i] = 3;",
                          "a[1] = 4; out: a[2] = 5;"), "E166 5:1")),
    ("- pointers that change in other ways, recursion, and functions that are not in the "
     "file;",
     body_refused("int *p = a;\n" + LOOP + "{ *p = 3; p = a + i; }", "E253 4:32"),
     body_refused("a[0] = g(3);\n", "E161",
                  ahead="int g(int k) { return k ? g(k - 1) : 0; }"),
     body_refused("a[0] =\ng(3);\n", "E254 4:1", ahead="int g(int k);")),
    ("- unions, and structures with pointers, bit fields or a layout that an "
     "attribute changes;",
     *[body_refused("%s t;\na[0] = t.k;" % kind, "E253 4:8")
       for kind in ("union { int k; }", "struct { int k, *p; }",
                    "struct { int k : 3; }",
                    "struct { int k; } __attribute__((packed))")]),
    ("- `++` and `--` in other places than those above;",
     body_refused("int k = 0;\na[0] = m > 2 ? k++ : 3;", "E146 4:17"),
     body_refused("int k = 0;\nfor (int i = k++; i < n; i++) a[i] = 3;",
                  "E146 4:15")),
    ("- what is not affine and must be.",
     body_refused(LOOP + "a[i] = a[\ni * i];", "E259 4:1"),
     body_refused("for (int i = 0; i <\nb[0]; i++) a[i] = 3;", "E258 4:1")),
    ("A `goto` to what stands right behind its loop is a `break`.",
     body(GOTO % ("if (i == m) goto out; a[i] = 3;", "out: b[1] = 4;"))),
    ("Text that nothing reaches is left out.",
     body(LOOP + "{ a[i] = 3; continue; a[i] = b[i]; } return; a[1] = 4;"),
     c_says("void f(int n, int a[n], int b[n]) { %s{ a[i] = 3; continue; "
            "a[i] = b[i]; } }\n" % LOOP, "output i32 a[n]",
            lacks=["i32 b"])),
    ("Text behind a `continue`, `return` or `goto` is read once for each way "
     "that leads to it, up to where all ways meet; where that makes more than "
     "64 copies, the word is refused.",
     body(ways(6)), body_refused(ways(7), "E144", "'continue'"),
     body(LOOP + "{ if (b[i] > 0) { if (a[i] > 0) goto L; x[i] = 1; } x[i] += "
          "2; L: y[i] = x[i]; }")),

    # ------------------------------------------------ files of the language
    ("**In a `.dsl` file** nests may stand alone, with lists of parameters and "
     "without preprocessor, beside functions that they call; of several, "
     "`--function` chooses one.",
     gives("static i32 twice(i32 k) { return 2 * k; }\n"
           "nest one(param n, i32 a[n]) { %sa[i] = twice(a[i]); }\n"
           "nest two(param n, i32 a[n]) { %sa[i] += 3; }\n" % (LOOP, LOOP),
           {"a": [14, -4]}, {"n": 2}, {"a": [7, -2]},
           options=["--function=one"]),
     refuses("nest one(param n, i32 a[n]) { %sa[i] = 1; }\n"
             "nest two(param n, i32 a[n]) { %sa[i] = 2; }\n" % (LOOP, LOOP),
             "E154 2:6"),
     refuses("nest one(param n, i32 a[n]) {\n#define K 7\n%sa[i] = 4; }\n" %
             LOOP, "E141 2:1")),
    ("`param` declares a size, and element types but `bf16` have their own "
     "names:",
     says("nest f(param n, i8 a[n], u8 b[n], i16 c[n], u16 d[n], i32 e[n], "
          "u32 g[n], i64 h[n], u64 k[n], f16 l[n], f32 o[n], f64 p[n]) { %s{ "
          "a[i] = b[i] = c[i] = d[i] = e[i] = 1; g[i] = h[i] = k[i] = 2; "
          "l[i] = o[i] = p[i] = 3; } }\n" % LOOP, "param  n\n",
          *["output %s %s[n]\n" % pair for pair in (
              ("i8", "a"), ("u8", "b"), ("i16", "c"), ("u16", "d"),
              ("i32", "e"), ("u32", "g"), ("i64", "h"), ("u64", "k"),
              ("f16", "l"), ("f32", "o"), ("f64", "p"))])),
    (FORWARD,
     gives(FORWARD, {"x": [2., 1., 3.]}, {"N": 3},
           {"L": [[2., 0., 0.], [1., 4., 0.], [3., -1., .5]],
            "b": [4., 6., 6.5]})),
    ('**Beside definitions** nests are called. A call is an `item` of the '
     'grammar, `NAME "(" [ expr { "," expr } ] ")" ";"`.',
     call("add(x); out y(i) = x(i);", {"y": shifted(1)}),
     call_refused("add(x)\nout y(i) = x(i);", "E107")),
    ("Its arguments are names of matrices and tensors, and values made of "
     "sizes and numbers:",
     call("more(2*N - 3, x); more(4, x); out y(i) = x(i);",
          {"y": shifted(11)}),
     call_refused("more(1.5, x); out y(i) = x(i);", "E250 5:6"),
     call_refused("add(x + x); out y(i) = x(i);", "E250 5:7")),
    (DECAY, gives(DECAY, {"P": decayed(product(A, B))},
                  {"M": 2, "K": 3, "N": 2}, {"A": A, "B": B}, near=1e-6)),
    ("- A call reads the versions above it, and makes new versions of the "
     "arrays that the nest writes.",
     call("out a(i) = x(i); add(x); out b(i) = x(i); add(x); out c(i) = x(i);",
          {"a": X, "b": shifted(1), "c": shifted(2)})),
    ("A definition of index notation above the call reads the version before "
     "it, and one below reads the new version, in whatever order the "
     "definitions need one another.",
     call("out a(i) = x(i) + 2*late(i); add(x); late(i) = 3 * x(i);",
          {"a": [x + 6 * (x + 1) for x in X]})),
    ("A matrix changes for the text below.",
     gives("nest add(i32 a[2][3]) { for (int i = 0; i < 2; i++) "
           "for (int j = 0; j < 3; j++) a[i][j] += 1; }\n"
           "Matrix A(2,3); B = A + A; add(A); C = A + B; CodeGen(INT, {B, C});",
           {"B": each(lambda x: 2 * x, A), "C": each(lambda x: 3 * x + 1, A)},
           inputs={"A": A})),
    ("An input gets a new version that can be an output, as with `X = X + Y;`. "
     "The last version is the output.",
     gives("nest add(i32 a[2][3]) { for (int i = 0; i < 2; i++) "
           "for (int j = 0; j < 3; j++) a[i][j] += 1; }\n"
           "Matrix A(2,3); add(A); add(A); CodeGen(INT, {A});",
           {"A": each(lambda x: x + 2, A)}, inputs={"A_0": A})),
    ("- All `param`s may be left out together, if each of them is an extent of "
     "an array by itself.",
     call("add(N, x); more(N, 1, x); out y(i) = x(i);", {"y": shifted(2)}),
     refuses("nest f(param n, i32 a[2 * n]) { for (int i = 0; i < n; i++) "
             "a[i] = 1; }\ntensor i32 x(4);\nf(x); y(i) = x(i);", "E246 3:1"),
     call_refused("add(N, N, x);", "E113 5:1")),
    ("Types, numbers of dimensions and extents must be those of the nest, for "
     "all sizes.",
     call_refused("z(i) = f32(x(i)); add(z); out y(i) = z(i);", "E250 5:23"),
     call_refused("z(i,j) = x(i) + x(j); add(z); out y(i) = z(i,i);",
                  "E250 5:27"),
     refuses("nest f(param n, i32 a[n], i32 b[n]) { for (int i = 0; i < n; "
             "i++) a[i] = b[i]; }\nparam N, M; tensor i32 x(N), z(M);\n"
             "f(x, z); y(i) = x(i);", "E244 3:6")),
    ("Arrays begin at 0 and have all their elements.",
     call_refused("z(i) for 1 <= i < N = x(i); add(z); out y(i) = z(i);",
                  "E245 5:33"),
     call_refused("z(i) for 0 <= i < N, i%2 == 0 = x(i); add(z); out y(i) = "
                  "z(2*i);", "E245")),
    ("An array that the nest writes is given once.",
     refuses("nest f(param n, i32 a[n], i32 b[n]) { for (int i = 0; i < n; "
             "i++) a[i] = b[i]; }\nparam N; tensor i32 x(N);\n"
             "f(x, x); y(i) = x(i);", "E247 3:6"),
     gives("nest f(param n, const i32 a[n], const i32 b[n], i32 c[n]) { "
           "for (int i = 0; i < n; i++) c[i] = a[i] + b[i]; }\n"
           "param N; tensor i32 x(N);\nz(i) = x(i); f(x, x, z); "
           "out y(i) = z(i);", {"y": [2 * x for x in X]}, **SIZED)),
    ("- Every parameter that is an array has its extents written, as in "
     "`f32 A[M][N]`.",
     refuses("nest f(param n, i32 *a) { a[0] = n; }\nparam N; tensor i32 x(N);"
             "\nf(x); y(i) = x(i);", "E249 3:1"),
     refuses("nest f(param n, i32 a[][n]) { a[0][0] = n; }\nparam N; "
             "tensor i32 x(N,N);\nf(x); y(i) = x(i,i);", "E249 3:1")),
    ("Nests may call one another and the functions beside them, which are "
     "`static`.",
     gives("static i32 twice(i32 k) { return 2 * k; }\n"
           "nest one(param n, i32 a[n]) { %sa[i] = twice(a[i]); }\n"
           "nest two(param n, i32 a[n]) { one(n, a); %sa[i] += 7; }\n"
           "param N; tensor i32 x(N); two(x); out y(i) = x(i);\n" %
           (LOOP, LOOP), {"y": [2 * x + 7 for x in X]}, **SIZED),
     refuses("i32 twice(i32 k) { return 2 * k; }\n"
             "nest one(param n, i32 a[n]) { %sa[i] = twice(a[i]); }\n"
             "param N; tensor i32 x(N); one(x); out y(i) = x(i);\n" % LOOP,
             "E254 2:66")),
    ("- Sums of floats in a nest run in the order of its text in every class "
     "of `--fp`. Those of definitions follow the class, by default "
     "`reassoc`.",
     gives("nest sum(param n, const f32 a[n], f32 s[1]) { s[0] = 1e8f; "
           "%ss[0] += a[i]; }\nparam N; tensor f32 x(N), s(1); sum(x, s); "
           "out y(i) = s(i);" % LOOP, {"y": [1e8]}, {"N": 300},
           {"x": [1.] * 300, "s": [0.]}, how=["--fp=relaxed"]),
     header("param N; tensor f32 x(N); y() = sum(i: x(i));",
            "class reassoc"),
     header("param N; tensor f32 x(N); y() = sum(i: x(i));",
            "class strict", options=["--fp=strict"])),
    ("- `-D` makes nothing affine in such a nest.",
     refuses("nest f(param n, param m, i32 a[n]) { for (int i = 0; i < n; i++) "
             "a[i] += a[i * m];\n}\nparam N, M; tensor i32 x(N);\n"
             "f(N, M, x); y(i) = x(i);", "E259", options=["-DM=1"])),
    ("The new version has the storage of the old one if nothing else reads the "
     "old one; else the call begins with a copy, `P_copy[i,j]`.",
     *[makes(DECAY.replace("decay(P);", early + "decay(P);").replace(
         "{P}", outputs), "poly", *words, lacks=lacks,
         options=["--stop-after=deps"]) for early, outputs, words, lacks in (
             ("", "{P}", ["P_init"], ["P_copy"]),
             ("Q = P + P;\n", "{P, Q}", ["stmt P_copy point"], []))]),
    ("Locals of each call are its own.",
     gives("nest f(param n, i32 a[n]) { int s = 3; %s{ s += a[i]; a[i] = s; } }"
           "\nparam N; tensor i32 x(N), z(N); f(x); f(z); "
           "out y(i) = x(i) - z(i);" % LOOP,
           {"y": [9, 18]}, {"N": 2}, {"x": [10, 20], "z": [1, 11]})),
    ("The statements of the program then have an order, in which each call "
     "comes behind what it reads. For definitions that need themselves isl "
     "finds the order.",
     call("out y(i) = h(i); z(i) = 2 * x(i); h(i) = case { i == 0: z(0); else: "
          "h(i-1) + z(i); }; add(z);",
          {"y": [2, -2, 4, 84, 94]}),
     call_refused("z(i) = x(i) + w(i);\nadd(z);\nw(i) = z(i);\n"
                  "out y(i) = z(i);", "E248 6:1")),
]
NOTHING = [
    "Link it instead of what the C compiler makes of the file.",
    "`call.c` finds versions, and `call_check.c` checks the arguments of calls. "
    "`call_nest.c` has the nest read once more for each call: the program's "
    "sizes and the arrays stand for its parameters, and from there on it is a "
    "nest as any other.",
]
ELSEWHERE = [
    ("A call copies to the GPU the arrays of the host that are read, runs, "
     "waits, and copies back those that are written.", "object"),
    ("Failures go to `f_failed`, which by default prints them and aborts.",
     "object"),
    ("Sizes that the program does not hold for are failures, and so are arrays "
     "that overlap.", "object"),
    ("Variables outside are found by their names.", "object"),
    ("**Refused**, with the place underlined:", "nest.reject"),
]
