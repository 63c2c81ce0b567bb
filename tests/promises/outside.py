"""Names outside, and what statements and arrays programs become."""
from matrix import A, B, C, each, product
from programs import (Wrong, all_of, gives, header, makes, refuses,
                      same_kernels, says)

WORDS = ("and ceil ceild exists false floor floord implies infinity infty max "
         "min mod nan not or rat true").split()
# Not names of functions, which a parameter may not have.
FREE = [w for w in WORDS if w not in ("max", "min")]
SHIFT = ("void f(int n, int m, float a[n + m]) {\n"
         "for (int i = 0; i < n; i++) a[i+m] = a[i];\n}\n")


def lowers(text, *lines, lacks=(), options=()):
    """The program has these arrays, as "D f32", and statements with so many
    indices, as "D_mul[3]", and beside inputs no others.
    """
    def program(bench):
        bench.write("p.dsl", text)
        said = bench.need("build", "p.dsl", "--emit=poly", "--stop-after=deps",
                          "-o", "-", *options).stdout
        have = []
        for line in said.splitlines():
            word = line.split()
            if word[:1] == ["array"] and word[3] != "input":
                have.append("%s %s" % (word[1], word[2]))
            elif word[:1] == ["stmt"]:
                form = line.split("{ ")[1].split("[")[1].split("]")[0]
                have.append("%s[%s]" % (word[1], form.count(",") + 1
                                        if form else ""))
        if sorted(have) != sorted(lines):
            raise Wrong("%s, not %s\n%s" % (have, lines, said))
        for word in lacks:
            if word in said:
                raise Wrong("%r is in\n%s" % (word, said))
    return program


TWO = "Matrix A(2,3); Matrix B(3,4); "
PROMISES = [
    ("The compiled program has one name space for parameters, arrays and "
     "statements.",
     # A parameter, an array and an index of one name: each has its own.
     gives("param N; tensor i32 S1(N), S2(N); p(S3) = S1(S3) + S2(S3);"
           "q(S1) = S2(S1);", {"p": [11, 22], "q": [10, 20]}, {"N": 2},
           {"S1": [1, 2], "S2": [10, 20]}),
     refuses("Params N; Matrix N(2,3); B = N + N;", "E203 1:18")),
    ("Parameters, inputs and outputs keep the names that they have in the "
     "text, with two exceptions:",
     says("Params size; Matrix int(size,3); register = int + int;",
          "1 param: size", "1 input: int[size,3]",
          "1 output: register[size,3]")),
    ("- A word that isl keeps for itself, in upper or lower case, gets a "
     "number, as in `mod_1`. These words are `and ceil ceild exists false "
     "floor floord implies infinity infty max min mod nan not or rat true`.",
     *[says("Params %s; Matrix A(%s,3); B = A + A;" % (w, w),
            "%s (%s_1)" % (w, w), "A[%s_1,3]" % w) for w in
       FREE + [w.upper() for w in FREE[:2]]],
     says("void f(int n, int min, int MAX, int a[n]) {\n"
          "for (int i = 0; i < n; i++) a[i] = min + MAX;\n}\n",
          "min_1", "MAX_1", suffix=".c"),
     gives("Params mod; Matrix floord(2,mod); rat = floord + floord;",
           {"rat_1": each(lambda x: 2 * x, A)}, {"mod": 3},
           {"floord_1": A})),
    ("- An input `X` whose name is also an output's is called `X_0`.",
     gives("Matrix X(2,3); X = X + X;", {"X": each(lambda x: 2 * x, A)},
           inputs={"X_0": A})),
    ("No name that the compiler makes up is in the text.",
     # Each of these is what the compiler would call a part of D or E.
     gives("Matrix A(2,3); Matrix B(3,2); Matrix D_init(2,2);"
           "Matrix D_mul(2,2); Matrix E_1(2,2); Matrix E_1_add(2,2);"
           "D = A * B; D_acc = -D; E = ReLU(D + D_acc + D_init .* D_mul +"
           "E_1 - E_1_add); CodeGen(HALF, {D, D_acc, E});",
           {"D": product(A, B),
            "D_acc": each(lambda x: -x, product(A, B)),
            "E": [[5 + 3, 10 + 4], [15 + 5, 20 + 6]]},
           inputs={"A": A, "B": B, "D_init": [[1, 2], [3, 4]],
                   "D_mul": [[5, 5], [5, 5]], "E_1": [[4, 5], [6, 7]],
                   "E_1_add": [[1, 1], [1, 1]]}),
     lowers("Matrix C(2,3); Matrix E_1(2,3); E = ReLU(E_1 + C);", "E f32",
            "E_2 f32", "E_2_add[2]", "E_relu[2]")),
    ("`cetane check` prints inputs and outputs by the names of the compiled "
     "program. Where a parameter has another name in the text, it prints both: "
     "`mod (mod_1)`.",
     says("Params mod; Matrix nan(mod,3); B = nan + nan;",
          "1 param: mod (mod_1)", "1 input: nan_1[mod_1,3]"),
     says("param mod; tensor f32 nan(mod); rat(i) = nan(i);", "mod (mod_1)",
          "f32 nan_1[mod]", "f32 rat_1[mod]")),
    ("It prints a size of a C nest by its name in the text.",
     says("void f(int mod, int min, int a[mod]) {\n"
          "for (int i = 0; i < mod; i++) a[i] = min;\n}\n", "param  mod\n",
          "output i32 a[mod]", "input  i32 min_1", suffix=".c")),
    ("`-D` takes the names in the text.",
     gives("Params mod; Matrix A(2,mod); B = A + A;",
           {"B": each(lambda x: 2 * x, A)}, {"mod": 3}, {"A": A}),
     refuses("Params mod; Matrix A(2,mod); B = A + A;", "E216",
             options=["-Dmod_1=3"])),
    ("In the header of an object a parameter `N` is called `size_N`, an input "
     "`in_X`, an output `out_Y`, and an array that is both `inout_Z`.",
     header("Params N; Matrix X(N,3); Y = X + X;", "int64_t size_N",
            "const float *in_X", "float *CETANE_RESTRICT out_Y"),
     header("void f(int N, const float X[N], float Y[N], float Z[N]) {\n"
            "for (int i = 0; i < N; i++) { Y[i] = X[i]; Z[i] += 1; }\n}\n",
            "int64_t size_N", "const float *in_X", "float *CETANE_RESTRICT out_Y",
            "float *CETANE_RESTRICT inout_Z", suffix=".c")),
    ("So no name in it is a word of C.",
     header("Params int; Matrix for(int,3); while = for + for;",
            "int64_t size_int", "*in_for", "*CETANE_RESTRICT out_while")),
    ("The entry point has the name that `CodeGen NAME(...)` gives, or that of "
     "the file.",
     header("Matrix A(2,3); B = A + A; CodeGen twice(FLOAT, {B});",
            "int twice(void *stream", lacks=["int p("]),
     header("Matrix A(2,3); B = A + A; CodeGen(FLOAT, {B});",
            "int p(void *stream")),
    ("An object may not have a word of C or C++ or a name of the C library as "
     "its name; `--name` gives another.",
     *[refuses("Matrix A(2,3); B = A + A; CodeGen %s(FLOAT, {B});" % name,
               "E603", "not \"%s\"" % name, verb="build", exit_code=2,
               options=["--emit=object"])
       for name in ("register", "template", "printf")],
     header("Matrix A(2,3); B = A + A; CodeGen register(FLOAT, {B});",
            "int other(void *stream", options=["--name=other"])),

    # ---------------------------------------------------------- lowering
    ("Each operation becomes one statement. A product becomes two statements, "
     "and a third one if the type in memory is not the compute type.",
     lowers(TWO + "D = -A; CodeGen(FLOAT, {D});", "D f32", "D_neg[2]"),
     lowers("tensor f32 x(5); y(i) = -x(i) * x(i) + x(i);", "y f32",
            "y_def[1]"),
     lowers(TWO + "D = A * B; CodeGen(INT8, {D});", "D i8", "D_acc i32",
            "D_init[2]", "D_mul[3]", "D_round[2]"),
     lowers(TWO + "D = A * B; CodeGen(DOUBLE, {D});", "D f64", "D_init[2]",
            "D_mul[3]")),
    ("Matrix expressions become the same whether index notation stands beside "
     "them or not:",
     lowers(TWO + "D = A * B;", "D f32", "D_init[2]", "D_mul[3]"),
     lowers(TWO + "D = A * B; tensor f32 x(5); y(i) = -x(i);", "D f32",
            "D_init[2]", "D_mul[3]", "y f32", "y_def[1]")),
    ("| | statements | arrays |", lowers(TWO + "D = A * B;", "D f32",
                                         "D_init[2]", "D_mul[3]")),
    ("| `D = A * B` | `D_init[i,j]`, `D_mul[i,j,k]` | `D` |",
     lowers(TWO + "D = A * B;", "D f32", "D_init[2]", "D_mul[3]")),
    ("| the same, `HALF` | and `D_round[i,j]` | `D_acc` of f32, `D` of f16 |",
     lowers(TWO + "D = A * B; CodeGen(HALF, {D});", "D f16", "D_acc f32",
            "D_init[2]", "D_mul[3]", "D_round[2]")),
    ("| `E = ReLU(D + C)` | `E_1_add[i,j]`, `E_relu[i,j]` | `E_1`, `E` |",
     lowers("Matrix D(2,3); Matrix C(2,3); E = ReLU(D + C);", "E_1 f32",
            "E f32", "E_1_add[2]", "E_relu[2]")),
    ("| `U = D^T`, an output | `U_copy[i,j]` | `U` |",
     lowers("Matrix D(2,3); U = D^T;", "U f32", "U_copy[2]")),
    ("| `U = (A * B)^T` | `U_init[i,j]`, `U_mul[i,j,k]` | `U`, never its "
     "transpose |",
     lowers(TWO + "U = (A * B)^T;", "U f32", "U_init[2]", "U_mul[3]")),
    ("| `y(i) = a(i) + sum(j: b(i,j))` | `y_sum_init[i]`, `y_sum_add[i,j]`, "
     "`y_def[i]` | `y_sum`, `y` |",
     lowers("tensor f32 a(3), b(3,4); y(i) = a(i) + sum(j: b(i,j));",
            "y_sum f32", "y f32", "y_sum_init[1]", "y_sum_add[2]",
            "y_def[1]")),
    ("| `y(i) += b(i,j)` | `y_init[i]`, `y_add[i,j]` | `y` |",
     lowers("tensor f32 b(3,4); y(i) += b(i,j);", "y f32", "y_init[1]",
            "y_add[2]")),
    ("| `y(i) = case {...}` | `y_def[i]`, `y_def_1[i]` ... on disjoint sets; "
     "values choose by `branch` | `y` |",
     lowers("tensor f32 a(9); y(i) = case { i < 2: 0; i < 5: 1; else: a(i); };",
            "y f32", "y_def[1]", "y_def_1[1]", "y_def_2[1]",
            lacks=["branch"]),
     makes("tensor f32 a(9); y(i) = case { i < 2: 0; i < 5: 1; else: a(i); };",
           "poly", "{ y_def[i] : 0 <= i <= 1 }",
           "{ y_def_1[i] : 2 <= i <= 4 }", "{ y_def_2[i] : 5 <= i <= 8 }",
           options=["--stop-after=deps"]),
     makes("tensor f32 a(9); y(i) = case { a(i) > 2: 0; else: a(i); };",
           "poly", "value (branch (", options=["--stop-after=deps"],
           lacks=["y_def_1"])),
    ("A reduction inside an expression has those indices around it that it "
     "uses.",
     lowers("tensor f32 a(3), b(4), d(3,4); y(i,j) = a(i) + sum(k: d(k,j)) + "
            "sum(k: d(i,k)) + sum(k: b(k));",
            "y f32", "y_def[2]", "y_sum f32", "y_sum_init[1]",
            "y_sum_add[2]", "y_sum_1 f32", "y_sum_1_init[1]",
            "y_sum_1_add[2]", "y_sum_2 f32", "y_sum_2_init[]",
            "y_sum_2_add[1]")),
    ("Transposition and broadcast become part of the index maps of reads.",
     makes("Matrix A(2,3); Matrix r(1,2); D = A^T + r;", "poly",
           "{ D_add[i, j] -> A[(j), (i)] }", "{ D_add[i, j] -> r[(0), (j)] }",
           options=["--stop-after=deps"])),
    ("A size that is a parameter stays symbolic, even if `-D` gives its "
     "value.",
     makes("Params N; Matrix A(N,3); B = A + A;", "poly",
           "{ B_add[i, j] : 0 <= i < N and 0 <= j <= 2 }", "param N = 7",
           options=["--stop-after=deps", "-DN=7"])),
    ("Only the dependences know these values (`polyir/deps/deps_sizes.c`): "
     "`a[i+m] = a[i]` with `-D m=2000` is as parallel as `a[i+2000] = a[i]`.",
     all_of(same_kernels(SHIFT, ["-Dn=1000", "-Dm=2000"],
                         SHIFT.replace("int m, ", "").replace("m", "2000"),
                         ["-Dn=1000"], suffix=".c"),
            says(SHIFT, "1 x 1 threads", suffix=".c", verb="inspect",
                 options=["-Dn=1000"]),
            says(SHIFT, suffix=".c", verb="inspect", lacks=["1 x 1 threads"],
                 options=["-Dn=1000", "-Dm=2000"]))),
]
NOTHING = []
ELSEWHERE = [
    ("Parameters, inputs and outputs keep the names that they have in the "
     "text, with two exceptions:", "names.wide"),
    ("No name that the compiler makes up is in the text.", "names.made"),
    ("An object may not have a word of C or C++ or a name of the C library as "
     "its name; `--name` gives another.", "names.entries"),
]
