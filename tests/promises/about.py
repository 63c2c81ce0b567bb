"""The grammar, messages, the reference interpreter; and what names the files of
the compiler, which shows in no program.
"""
from nests import LOOP
from programs import all_of, gives, refuses, says

SUM = "Matrix A(2,3); Matrix B(3,2); C = A * B;"


def numbers(row, *shown):
    """A row of the table of messages, with (text, number) for some of it."""
    return (row, *[
        refuses(text, "E%d" % number, suffix=".c" if "void " in text else
                ".dag" if text.startswith("int f") else ".dsl",
                **(more[0] if more else {}))
        for text, number, *more in shown])


def warns(row, *shown):
    return (row, *[says(text, word) for text, word in shown])


def wrong_lines(n):
    """n lines with an error each."""
    return "Matrix A(2,3);\n" + "".join(
        "B%d = A * A;\n" % k for k in range(n))


KINDS = ["D%d = A + A(1);\n", "F%d = exp(A, A);\n", "H%d = A ^ 2;\n", "J%d = A / A;\n",
         "Matrix Q%d(99999999999, 2);\n"]


def wrong_kinds(n):
    """n lines of each of the kinds, with errors of six numbers."""
    return "Matrix A(2,3);\n" + "".join(
        kind % k for kind in KINDS for k in range(n))


def shown(n, last):
    """Of n errors, those of the first lines are shown, in this order."""
    def program(bench):
        bench.write("p.dsl", wrong_lines(n))
        lines = [int(line.split(":")[1])
                 for line in bench.run("check", "p.dsl").stderr.splitlines()
                 if "error[E206]" in line]
        if lines != list(range(2, last + 2)):
            raise ValueError("lines %s" % lines)
    return program


PROMISES = [
    ("Each message has a number.",
     refuses("B = A;", "E201 1:5", "error[E201]"),
     says("Params N; Matrix A(2,3); B = A;", "warning[W232]")),
    ("A stage shows all its errors, at most ten of one number and 50 in all, in "
     "the order of the text.", shown(3, 3), shown(10, 10), shown(60, 10),
     refuses(wrong_lines(11), "E206", "remark[R116]"), refuses(wrong_kinds(10), "E115")),
    ("| numbers | about |", refuses("B = A;", "E201")),
    numbers("| 101-104 | bytes, comments, numbers, names |",
            ("Matrix A(2,3); B = A $ A;", 101),
            ("Matrix A(2,3); /* B = A;", 102),
            ("Matrix A(2,3); B = 1x * A;", 103),
            ("Matrix %s(2,3); B = A;" % ("A" * 65), 104)),
    numbers("| 105-106 | size of the text, nesting |",
            ("#" * (2 ** 20 + 1), 105),
            ("Matrix A(2,3); B = %sA;" % ("(" * 300), 106)),
    numbers("| 107-114 | grammar: what was expected, order of the parts, type "
            "and function names, numbers of arguments, sizes |",
            ("Matrix A(2,3) B = A;", 107), ("B = 1; Matrix A(2,3);", 109),
            (SUM + "CodeGen(FLOAT, {C}); D = C;", 110),
            (SUM + "CodeGen(REAL, {C});", 111),
            ("Matrix A(2,3); B = f(A);", 112),
            ("Matrix A(2,3); B = min(A);", 113),
            ("Matrix A(2.5,3); B = A;", 114)),
    numbers("| 115-116 | too many errors |", (wrong_kinds(10), 115)),
    numbers("| 117-122 | index notation: numbers, ranks, depth, functions of "
            "matrices, type names |",
            ("y() = 99999999999999999999;", 117),
            ("tensor f32 x(1,1,1,1,1,1,1,1,1);", 118),
            ("y() = 1%s;" % (" + 1" * 1001), 119),
            ("tensor f32 x(3); y(i) = transpose(x(i));", 120),
            ("tensor f99 x(3); y(i) = x(i);", 121)),
    numbers("| 123-124, 244-250, 270 | calls of nests |",
            ("tensor i32 x(3); f(x); out y(i) = x(i);", 123),
            ("nest f(param n, i32 a[n]) { a[0] = 1; }\ntensor f32 x(3); f(x);"
             "y(i) = x(i);", 250),
            ("nest f(param n, i32 a[n], i32 b[n]) { a[0] = b[0]; }\n"
             "tensor i32 x(3); f(x, x); y(i) = x(i);", 247)),
    numbers("| 125-130, 274-280, 285-290 | data-parallel functions |",
            ("int f(int x) { int y = x; }", 126),
            ("int f(int x) { return f(x); }", 279),
            ("int f(int[] xs) { return xs[0 - 1]; }", 288)),
    numbers("| 141-170, 251-273, 281-284 | C nests |",
            ("void f(int n, int a[n]) { while (n) a[0] = 1; }", 144),
            ("void f(int n, int a[n]) { %sa[i] = k; }" % LOOP, 251),
            ("void f(int n, int a[n]) { %sa[i] = 09; }" % LOOP, 103)),
    numbers("| 201-204 | names: not defined, not declared, declared twice, "
            "reserved |", ("B = A;", 201), ("Matrix A(M,3); B = A;", 202),
            ("Matrix A(2,3); Matrix A(2,3); B = A;", 203),
            ("Matrix exp(2,3); B = 3;", 204)),
    numbers("| 205-207 | shapes |",
            ("Matrix A(2,3); Matrix B(3,2); C = A + B;", 205),
            ("Matrix A(2,3); C = A * A;", 206),
            ("Matrix A(2,1); Matrix B(1,2); C = A + B;", 207)),
    numbers("| 208-210 | a parameter as a matrix, a matrix as a size, use "
            "before definition |",
            ("Params M; Matrix A(M,3); C = A + M;", 208),
            ("Matrix A(2,3); Matrix B(A,3); C = B;", 209),
            ("Matrix A(2,3); C = A + D; D = A;", 210)),
    numbers("| 211-212, 219 | outputs |",
            (SUM + "CodeGen(FLOAT, {D});", 211),
            (SUM + "CodeGen(FLOAT, {C, C});", 212), ("Matrix A(2,3);", 219)),
    numbers("| 213-215 | types and literals |",
            (SUM + "D = exp(C); CodeGen(INT, {D});", 213),
            (SUM + "D = C * 1.5; CodeGen(INT, {D});", 214),
            (SUM + "D = C * 300; CodeGen(INT8, {D});", 215)),
    numbers("| 216-218 | `-D` |", (SUM, 216, {"options": ["-DQ=3"]}),
            ("Params N; Matrix A(N,3); B = -A;", 217,
             {"options": ["-DN=9999999999"]}),
            ("Params N; Matrix A(N,3); B = -A;", 218,
             {"options": ["-DN=3", "-DN=4"]})),
    numbers("| 220-225, 229-230, 235 | names, positions, conditions, ranges |",
            ("param N; tensor f32 x(N); y(i) = x(i) + N(i);", 220),
            ("tensor f32 x(3); y(i) = x(i,i);", 221),
            ("param N; tensor f32 x(N*N); y(i) = x(i);", 222),
            ("tensor f32 x(3); y(i,i) = x(i);", 224),
            ("param i; tensor f32 x(i); y(i) = x(i);", 225),
            ("y(i) = 3;", 229), ("y(i) for i < 3 = 3;", 230)),
    numbers("| 291-297 | index notation: positions, updates, what inputs hold |",
            ("tensor f32 x(3); y(i) for 0 <= i < 3 = x(i*i);", 291),
            ("tensor f32 x(3); y(i) = x(x(i));", 292),
            ("tensor i32 x(3); y(i) = case { i == 0: 1; else: y(x(i)); };",
             293),
            ("tensor i32 x(3); h(x(i)) += 1;", 294),
            ("tensor i32 x(3); h(b) for 0 <= b < 3 = 0.5; h(x(i)) += x(i);",
             295),
            ("tensor i32 x(3); h(b) for 0 <= b < 3 = x(b); h(x(i)) += h(0);",
             296),
            ("tensor f32 x(3); assume 0 <= x < 3; y(i) = x(i);", 297)),
    numbers("| 226-228 | types of index notation |",
            ("tensor f32 x(3); tensor i32 z(3); y(i) = x(i) + z(i);", 226),
            ("tensor f32 x(3); y(i) = not x(i);", 227),
            ("tensor f32 x(3); tensor i32 z(3); y(i) = case { i < 1: x(i); "
             "else: z(i); };", 228)),
    warns("| 231-234 | warnings: unused matrix, parameter, input; definition "
          "left out |",
          ("Matrix A(2,3); Matrix B(2,3); C = -A;", "W231"),
          ("Params N; Matrix A(2,3); C = -A;", "W232"),
          (SUM + "D = C + C; CodeGen(FLOAT, {C});", "W233"),
          ("tensor f32 x(3), z(3); y(i) = x(i);", "W234")),
    numbers("| 236-237 | definitions as matrices |",
            ("Matrix A(2,3); y(i) = A(i,0); B = y + A;", 236),
            ("Matrix A(2,3); tensor i32 x(2,3); B = x + A;", 237)),
    numbers("| 238, 240-243 | values that are missing, read outside, need "
            "themselves; assumptions; choices |",
            ("tensor f32 x(3); y(i) = case { i < 1: x(i); };", 238),
            ("tensor f32 x(3); y(i) for 0 <= i < 4 = x(i);", 240),
            ("param N; assume N < 0; tensor f32 x(N); y(i) = x(i);", 241),
            ("tensor f32 x(3); y(i) = x(i) + y(i);", 242)),
    warns("| 239 | remark: pieces that overlap |",
          ("tensor f32 x(3); y(i) = case { i < 2: x(i); i > 0: -x(i); };",
           "remark[R239]")),

    # -------------------------------------------------------- interpreter
    ("`cetane run` verifies results against it.",
     says(SUM, "C f32[2,2]: verified against the interpreter", verb="run"),
     says("void f(int n, int a[n]) { %sa[i] = 1; }" % LOOP,
          "a i32[3]: verified against the interpreter", verb="run",
          options=["-Dn=3"], suffix=".c")),
    ("A result that may overflow has an infinite bound, and so has one that is "
     "not a number.",
     *[says("tensor f32 x(); y() = x() * f32(0) %s;" % e, words, verb="run")
       for e, words in (("+ f32(3e38) * f32(10)", "no element has a bound"),
                        ("/ f32(0)", "no element has a bound"),
                        ("+ f32(3e38)", "1 of 1 elements"))]),
]
NOTHING = [
    "`lex.c` splits the text into tokens, ...",
    "A notation is a row of `notation.def`: how programs in it are told, read, "
    "shown, lowered and executed (`struct fe_notation`). `notation.c` chooses by "
    "the name of a file or by its text, and `lower.c` and `interp.c` do what the "
    "row says. A row is in a file of its own, as that of `parallel.c`.",
    "Data-parallel functions have a page of their own, [parallel/README.md](parallel/README.md).",
    "`polyir/base/message.def` is the table of all texts.",
    "`c_lex.c` makes tokens with places in the user's file, and `c_file.c` "
    "finds the function. ...",
    "The header comment of `value.c` derives the bound.",
    "The interpreter shares with the compiler what comes before the lowering: "
    "the parser, names, types, shapes, the ranges of indices, and that matrix "
    "expressions become tensors. It shares no statement, no access and no "
    "schedule.",
]
ELSEWHERE = [
    ("program = { decl | item } ...", "frontend_grammar"),
    ("Each message has a number.", "messages"),
    ("`format.c` formats the text of these two (`cetane fmt`): its tokens and "
     "comments stay.", "tools_fmt"),
    ("`interp_index.c` evaluates single elements of tensors and knows nothing "
     "of any schedule.", "frontend_interp"),
    ("It evaluates each element twice: once exactly as the rules above say, "
     "with sums in order and nothing fused, and once in long double beside a "
     "bound for how far any correct result may be away.", "frontend_interp"),
    ("A C nest is executed as a whole, and `c_store.c` keeps both values of "
     "each element that is written. Where rounding may turn a condition, both "
     "branches are executed, and what they write is in doubt.",
     "frontend_nest"),
    ("In ring mode `ring.c` computes what `nvptx/value/lower_ring.c` makes "
     "code of.",
     "fuzz.differential"),
    ("`cetane run` verifies results against it.", "run.verify"),
]
