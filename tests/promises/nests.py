"""Loop nests in C: files, functions, the grammar, expressions, calls."""
from programs import (all_of, body, body_refused, gives, like_c, makes, refuses,
                      says)

LOOP = "for (int i = 0; i < n; i++) "
TWO = ("void g(int n, int a[n]) { %sa[i] = 1; }\n"
       "void f(int n, int b[n]) { %sb[i] = 2; }\n" % (LOOP, LOOP))
V = "struct v { int a[2], k; };"
MIX = "struct s { short k; double x, v[2]; struct { char c; } in; };"
REGION = ("void g(int n, int a[n]) { %sa[i] = 1; }\n"
          "void f(int n, int c[n]) { int k = 3; c[0] = 5;\n"
          "#pragma scop\n%sc[i] += k;\n#pragma endscop\n}\n" % (LOOP, LOOP))


def c_says(text, *words, **more):
    return says(text, *words, suffix=".c", **more)


def c_gives(text, want, sizes=None, inputs=None, **more):
    return gives(text, want, sizes, inputs, suffix=".c", **more)


def c_refuses(text, code, *words, **more):
    return refuses(text, code, *words, suffix=".c", **more)


def with_file(name, text, program):
    """The program beside a file of this name."""
    def both(bench):
        bench.write(name, text)
        program(bench)
    return both


def with_compiler(program):
    """The program where $CC is a script that says so in a macro."""
    def run(bench):
        bench.write("own-cc", "#!/bin/sh\nexec cc -DOWN=5 \"$@\"\n")
        bench.allow("own-cc")
        bench.environment["CC"] = bench.path("own-cc")
        program(bench)
    return run


MACRO = "void f(int a[2]) { a[0] = OWN; a[1] = 2; }\n"
PROMISES = [
    ("The system's compiler (`cc -E`, or `$CC -E`) preprocesses a file that "
     "ends in `.c`, with the `-D` and `-I` of the command line.",
     c_gives("#define TWICE(x) (2 * (x))\nvoid f(int a[2]) "
             "{ a[0] = TWICE(K); a[1] = K; }\n", {"a": [10, 5]},
             options=["-DK=5"]),
     with_file("k.h", "#define OWN 7\n", c_gives(
         "#include <k.h>\n" + MACRO, {"a": [7, 2]}, options=["-I."])),
     c_refuses("#include <k.h>\n" + MACRO, "E156"),
     with_compiler(c_gives(MACRO, {"a": [5, 2]}))),
    ("A file that ends in `.i` is read as it is.",
     gives("void f(int a[2]) { a[0] = 3; a[1] = 2; }\n", {"a": [3, 2]},
           suffix=".i"),
     refuses("#define OWN 3\n" + MACRO, "E141 1:1", suffix=".i"),
     refuses(MACRO, "E251 1:27", suffix=".i")),
    ("One function of the file is compiled. It is the first of these that "
     "exists:", c_says(TWO + "int main(void) { return 0; }", "i32 b[n]",
                       lacks=["i32 a"], options=["--function=f"])),
    ("1. the function that `--function=NAME` names;",
     c_says(REGION, "i32 a[n]", options=["--function=g"], lacks=["i32 c"]),
     c_refuses(TWO, "E152", options=["--function=h"])),
    ("2. the one that holds `#pragma scop` and `#pragma endscop`;",
     c_says(REGION, "i32 c[n]", lacks=["i32 a"])),
    ("3. the only one with a loop; of several, the one that no other of them "
     "calls, where `main` does not count;",
     c_says("void g(int a[2]) { a[1] = 1; }\nvoid f(int n, int b[n]) "
            "{ %sb[i] = 2; }\n" % LOOP, "i32 b[n]", lacks=["i32 a"]),
     c_says("void g(int n, int a[n]) { %sa[i] = 1; }\n"
            "void f(int n, int b[n]) { %sb[i] = 2; g(n, b); }\n"
            "int main(void) { int b[3]; f(3, b); for (;;) ; }\n" % (
                LOOP, LOOP), "i32 b[n]", lacks=["i32 a"]),
     c_refuses(TWO, "E154")),
    ("4. the only function of the file.",
     c_gives("void f(int a[2]) { a[0] = 3; a[1] = 4; }\n", {"a": [3, 4]}),
     c_refuses("void f(int a[2]) { a[0] = 3; }\nvoid g(int a[2]) "
               "{ a[0] = 4; }\n", "E153")),
    ("Of a function with a region only the region is compiled; what the "
     "function declares around the region comes from outside.",
     c_gives("int f(int n, int c[n]) { int k; c[0] = 50;\n#pragma scop\n"
             "%sc[i] += k;\n#pragma endscop\nc[1] = 60; return 3; }\n" % LOOP,
             {"c": [5, 6, 7]}, {"n": 3}, {"c": [1, 2, 3], "k": 4})),
    ("A region may also stand outside of all functions, behind the "
     "declarations of what it uses.",
     c_gives("int n, k; int c[100];\n#pragma scop\n%sc[i] += k;\n"
             "#pragma endscop\nvoid g(int *a) { *a = 1; }\n" % LOOP,
             {"c": [9, 11] + list(range(2, 100))}, {"n": 2},
             {"c": [4, 6] + list(range(2, 100)), "k": 5}),
     c_refuses("#pragma scop\nfor (int i = 0; i < n; i++) a[i] = 1;\n"
               "#pragma endscop\nint n, a[9];\n", "E251 2:21")),
    ("A function may be written as before C had prototypes, with the types of "
     "its parameters behind the list of their names.",
     c_gives("void f(n, k, a) int n; short k; int a[n];\n{ %sa[i] *= k; }\n" %
             LOOP, {"a": [7, -14]}, {"n": 2}, {"k": 7, "a": [1, -2]})),
    ("Statements run in the order of the text (`--fp=strict`, unless another "
     "class is given), and values have C's types and conversions.",
     # Regrouped, the sum would be 4.
     c_gives("float f(int n, const float x[n]) { float s = 1e8f; "
             "%ss += x[i]; return s; }\n" % LOOP, {"result": 1e8}, {"n": 4},
             {"x": [1.] * 4}),
     makes("void f(int n, int a[n]) { %sa[i] = 1; }\n" % LOOP, "poly",
           "\nfp strict\n", suffix=".c"),
     makes("void f(int n, int a[n]) { %sa[i] = 1; }\n" % LOOP, "poly",
           "\nfp relaxed\n", suffix=".c", options=["--fp=relaxed"]),
     body("unsigned u = -1; signed char c = 300; short s = 70000;\n" + LOOP +
          "{ a[i] = c / 7 + (u > 0) + s; b[i] = (char)(b[i] * 77) >> 1;"
          "x[i] = a[i] / 2 + 1.0f / 3; y[i] = (float)y[i] / 3; }")),

    # ----------------------------------------------------------- grammar
    ('nest = { statement } statement = ";" | "{" nest "}" | declaration | loop '
     '| condition', body("; { int k = 3; { ; a[0] = k; } if (n > 2) a[1] = k; "
                         "for (int i = 2; i < n; i++) { a[i] = k; } }"),
     c_refuses("void f(int a[2]) { }\n", "E271")),
    ('| assignment { "," assignment } ";"',
     body("int k = 3; a[0] = k, b[1] = 4, k += 2, a[2] = k;")),
    ('| "return" [ expression ] ";" outside of the function\'s loops',
     like_c("int f(int n, int a[n + 3]) { %sa[i] += 2; if (a[0] > 3) "
            "return a[1]; a[2] = 7; return n; }\n" % LOOP),
     body("if (n > 5) return; a[0] = 1;", {"n": 5, "m": 1},
          {"n": 6, "m": 1}),
     body_refused(LOOP + "if (i == m) return; a[0] = 1;", "E144")),
    ('| "continue" ";" | "break" ";"',
     body(LOOP + "{ if (i == m) break; if (b[i] > 0) continue; a[i] = i; }",
          {"n": 9, "m": 3}, {"n": 9, "m": 20})),
    ('| "switch" "(" expression ")" "{" { { label } nest } "}"',
     body(LOOP + "switch (b[i]) { case 1: case -2: a[i] = 3; break; default: "
          "a[i] += 2; case 3: b[i] = 1; }")),
    ('| "goto" NAME ";" to what is further down | call ";" | NAME ":" '
     'statement', body(LOOP + "{ if (b[i] > 0) goto next; g(i, a); next: b[i]"
                       "= 3; }", ahead="void g(int i, int *a) { a[i] = 5; }")),
    ('declaration = type declarator [ "=" initialiser ] { "," .. } ";"',
     body("int k = 3, l, t[3] = { 1, 2 }, u = k + 1; l = t[1]; a[0] = l + u +"
          "t[2]; const unsigned char c = 250; x[0] = c;")),
    ('declarator = NAME { "[" expression "]" } | ( "*" NAME | "(" "*" NAME ")" '
     '"[" expression "]" .. ) "=" pointer',
     body("int t[n][3], *p = a + 1, (*q)[2] = (int (*)[2])b; t[1][2] = 7;"
          "p[1] = t[1][2]; q[1][1] = 4;"),
     body_refused("int *p;\np = a; p[0] = 1;", "E253")),
    ('pointer = operand { ( "+" | "-" ) expression } operand = NAME { part } '
     '| "*" operand | "&" operand | "(" pointer ")" { part } | "(" type ")" '
     'operand',
     body("int k = 2, *s = &k, *p = &a[3] - 1 + 1, *q = (int *)b, "
          "(*t)[3] = (int (*)[3])a; *s = 6; *p = *s; (a + 1)[1] = 4; "
          "*&b[0] = 5; (q + 2)[0] = 8; *(*(t + 1) + 2) = 9; t[2][0] = 3;")),
    ('part = "[" expression "]" | "." NAME | "->" NAME',
     body(LOOP + "{ struct v t, *p = &t; t.a[1] = b[i]; (*p).k = 3; "
          "a[i] = p->a[1] + t.k; }", ahead=V)),
    ('member = [ "." NAME "=" ] initialiser',
     body("struct v t = { .k = 3, .a = { 1 } }; a[0] = t.k + t.a[0] + t.a[1];",
          ahead=V)),
    ('structure = operand | call | "(" type ")" "{" member { "," member } '
     '[ "," ] "}"',
     body(LOOP + "{ struct v t = made(b[i]), u = t; u.k = 4; t = u; "
          "u = (struct v){ { 5 }, .k = i, }; a[i] = t.k + t.a[0] + u.k; }",
          ahead=V + "struct v made(int k) { struct v v = { { k, 2 }, 3 }; "
          "return v; }")),
    ('initialiser = expression | structure | "{" member { "," member } [ "," ] '
     '"}"', body("double t[2][3] = { { 1, 2.5, }, { 4 } }; " + LOOP +
                 "x[i] = t[i % 2][i % 3];")),
    ('loop = "for" "(" [ [ type ] NAME "=" expression { "," NAME "=" '
     'expression } ] ";" [ expression ] ";" [ step { "," ( step | assignment '
     ') } ] ")" statement',
     body("int i, k = 1, l; for (i = 0, l = 4; i < n; i++, k *= 2, l--) "
          "a[i] = k + l; for (long j = 0, o = n; j < o; ++j) b[j] = j;")),
    ('step = "++" NAME | NAME "++" | "--" NAME | NAME "--" | NAME ( "+=" | '
     '"-=" | "*=" | "/=" | "<<=" | ">>=" ) expression | NAME "=" NAME ( "+" | '
     '"-" | "*" | "/" | "<<" | ">>" ) expression',
     body("for (int i = 0; i < n; ++i) a[i] = i; for (int i = 2; i < n; i++) "
          "a[i] += 2; for (int i = n - 1; i >= 0; --i) b[i] = a[i]; "
          "for (int i = n - 1; i > 3; i--) b[i] += b[i-1]; "
          "for (int i = 0; i < n; i += 2) x[i] = i; "
          "for (int i = n - 1; i >= 0; i -= 3) x[i] += 7; "
          "for (int i = 0; i < n; i = i + 4) y[i] = i; "
          "for (int i = n - 1; i >= 0; i = i - 2) y[i] += 7;")),
    ('label = "case" expression ":" | "default" ":"',
     body(LOOP + "switch (b[i] & 3) { case 1 + 1: a[i] = 3; default: "
          "a[i] += 2; }")),
    ('condition = "if" "(" expression ")" statement [ "else" statement ]',
     body(LOOP + "if (i > m) a[i] = 1; else if (b[i] > 0) a[i] = 2; else "
          "a[i] = 3;")),
    ('assignment = place ( "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | '
     '"|=" | "^=" | "<<=" | ">>=" ) ( expression | assignment )',
     body(LOOP + "{ a[i] += 3; a[i] -= b[i]; a[i] *= 5; a[i] /= 2; a[i] %= 7;"
          "b[i] &= 5; b[i] |= 8; b[i] ^= 3; b[i] <<= 2; b[i] >>= 1; "
          "x[i] = y[i] += 2; }")),
    ('| "++" place | "--" place | place "++" | place "--" | place "=" '
     'structure place = operand',
     body(LOOP + "{ ++a[i]; --b[i]; x[i]++; y[i]--; (*(a + i))++; }")),

    # ------------------------------------------------------- expressions
    ("- **Expressions** have all operators of C on arithmetic types except the "
     "comma, casts, `sizeof` of a type, and calls of the functions in "
     "`c_math.def` and of those that the file defines.",
     body(LOOP + "{ a[i] = -b[i] + ~b[i] * !b[i] - +b[i] / 3 % 4; "
          "b[i] = (a[i] << 2) >> 1 & 12 | a[i] ^ 5; "
          "x[i] = (a[i] < 2) + (a[i] <= 3) * 2 + (a[i] > 1) * 4 + "
          "(a[i] >= b[i]) * 8 + (a[i] == 2) * 16 + (a[i] != b[i]) * 32 + "
          "(a[i] && b[i]) * 64 + (a[i] || b[i]) * 128; "
          "y[i] = (x[i] > 3 ? y[i] : -y[i]) + (int)(3 * y[i]) + "
          "sizeof(double) + sizeof(short); }"),
     body(LOOP + "{ x[i] = sqrt(fabs(x[i])) + fmax(x[i], 0.25) + "
          "floorf(3 * x[i]) + g(a[i]); a[i] = abs(b[i]); }",
          ahead="#include <math.h>\n#include <stdlib.h>\n"
          "static double g(int k) { return k / 2.0; }"),
     body_refused("a[0] = (m,\n2);", "E107"),
     body_refused("a[0] =\ntgamma(x[0]);", "E254 4:1",
                  ahead="double tgamma(double);")),
    ("An assignment is a statement, never an expression.",
     body_refused("int k; a[0] = (k = 3) + 1;", "E146"),
     body_refused("int k;\nif (k = m) a[0] = 1;", "E146 4:7")),
    ("- **`++` and `--`** may stand inside assignments, initialisers, returned "
     "values and conditions of `if`, as in `a[k++] = b[--m]` and `x = d[i]++`.",
     body("int k = 0, l = n; " + LOOP + "a[k++] = b[--l];"),
     body("int k; " + LOOP + "{ k = a[i]++; b[i] = --k; int j = b[i]--; "
          "x[i] = j; if (a[i]-- > 2) y[i] = 3; }"),
     like_c("int f(int n, int a[n]) { %sa[i] += 2; return a[1]++; }\n" %
            LOOP)),
    ("Nothing else in the statement may name the variable or array, and no "
     "`?:`, `&&`, `||` or call of one of the file's functions may decide "
     "whether they run.",
     body_refused("int k = 0;\na[k] = k++;", "E165"),
     body_refused("int k = 0;\na[0] = a[1]++;", "E165"),
     body_refused("int k = 0;\na[0] = m > 2 ?\nk++ : 3;", "E146 5:2"),
     body_refused("int k = 0;\nif (m > 2 &&\nk++ > 3) a[0] = 1;", "E146 5:2"),
     body_refused("int k = 0;\na[0] = m > 2 ||\nk++ > 3;", "E146 5:2"),
     body_refused("int k = 0;\na[0] = g(\nk++);", "E146",
                  ahead="int g(int x) { return 3; }")),
    ("In the condition of a loop they are the step of that loop: "
     "`for (size_t i = n; i-- > 0; )`.",
     body("for (size_t i = n; i-- > 0; ) a[i] = i ? b[i] : 7; int k = n; "
          "for (; k-- > 3; ) b[k] = k;", ahead="#include <stddef.h>")),
    ("- A loop without a condition ends by `break`.",
     body("for (int i = 0; ; i++) { if (i >= n - 2) break; a[i] = i; }"),
     body_refused("for (int i = 0; ; i++) a[0] = i;", "E145 3:17")),
    ("- **`while` and `do`** are read as `for` if they end in a step of a "
     "variable of their condition, as in `while (i < n) { a[i] = 3; i++; }`, "
     "which no `continue` leaves out; `do` must have no `break`.",
     body("int i = 0; while (i < n) { a[i] = 3; i++; } x[0] = i; "
          "do { int k = i * 2; b[i - 1] = k; i--; } while (i > 0);"),
     body_refused("int i = 0;\nwhile (i < n) { if (b[i] > 0) { i++; continue; }"
                  " a[i] = 3; i++; }", "E144 4:1"),
     body_refused("int i = 0;\ndo { if (b[i] > 0) break; a[i] = 3; i++; } "
                  "while (i < n);", "E144 4:1")),
    ("So is a `while` whose condition has the step, as in `while (k-- > 3)`, or "
     "is 1; and `do { } while (0)` is a block.",
     body("int k = n; while (k-- > 3) b[k] = k; while (1) { if (k >= n - 1) "
          "break; k++; } if (n > 3) do { y[0] = 1; } while (0); "
          "else y[0] = 2;"),
     body_refused("while (1) a[0] = 3;", "E145 3:8")),
    ("- **Data may end a loop**, by a `break` or a part of its condition, as in "
     "`i < n && a[i] > 0`; another part that is affine bounds it.",
     body(LOOP + "{ a[i] += 1; if (b[i] > 3) break; x[i] = i; }"),
     body("int i; for (i = 0; i < n && b[i] > -3; i++) a[i] = i; x[0] = i;"),
     body_refused("for (int i = 0; b[i] > 0; i++) a[i] = 3;", "E258")),
    ("A loop that goes on from there, `for (; i < n; i++)`, or goes as far, `for "
     "(j = 0; j < i; j++)`, is asked for each iteration that it could have.",
     body("int i; for (i = 0; i < n && b[i] > 1; i++) a[i] = 3; x[0] = i; "
          "for (; i < n; i++) a[i] = 7; y[0] = i;"),
     body("int i; for (i = 0; i < n; i++) if (b[i] < 0) break; "
          "for (int j = 0; j < i; j++) a[j] = 3;"),
     body_refused("int i; for (i = 0; i < n; i++) if (b[i] < 0) break;\n"
                  "for (int j = 0; j < n; j += i) a[j] = 3;", "E145 4:24")),
    ("- **Calls**: the text of a function stands in the place of its call.",
     body(LOOP + "{ g(a, i, b[i]); x[i] = h(x[i]) + h(2); }",
          ahead="static double h(double v) { return v * v; }\n"
          "static void g(int *a, int i, int v) { if (v > 0) a[i] = v; "
          "else for (int k = 0; k < i; k++) a[i] += k; }")),
    ("A function that has more than declarations, conditions and returns runs "
     "before the statement; its call may not stand under a condition inside "
     "the expression.",
     body(LOOP + "a[i] = b[i] + g(i) * g(2);",
          ahead="int g(int x) { int s = 0; for (int k = 0; k < 3; k++) "
          "s += x; return s; }"),
     body(LOOP + "a[i] = b[i] > 0 ? g(i) : 3;",
          ahead="int g(int x) { int s = 2 * x; if (s > 3) return 4; "
          "return s; }"),
     body_refused("a[0] = b[0] > 0 ?\ng(1) : 3;", "E272 4:1",
                  ahead="int g(int x) { int s = 0; s += x; return s; }")),
    ("- **Pointers**: a pointer that is declared with a value and never "
     "changes is another name for a part of its array, or for a scalar.",
     body("int *p = &a[2], k = 3, *q = &k; for (int i = 0; i < n - 2; i++) "
          "{ p[i] = b[i]; *q += p[i]; } x[0] = k;"),
     body_refused("int *p = a;\nfor (int i = 0; i < n; i++) { *p = 3; p = b; }",
                  "E253")),
    ("One that is declared inside of the function may walk along its array, by `++`, "
     "`--`, `+=` and `-=`.",
     body("int *p = a, *q = b + n; " + LOOP + "*p++ = *--q;"),
     body("int *p = a; for (int i = 0; i < n / 2; i++) { *p += p[1]; p += 2; }"),
     body("int *p = a + n - 1; " + LOOP + "{ *p = i; p -= 1; }")),
    ("It may see an array of one dimension as one of several: "
     "`double (*u)[n] = (double (*)[n])buf;`.",
     like_c("void f(int n, double *buf) { double (*u)[n] = (double (*)[n])buf;"
            "%sfor (int j = 0; j <= i; j++) u[i][j] += u[j][i]; }\n" % LOOP,
            {"n": 1}, {"n": 5}, flat={"buf": "n*n"})),
    ("- **Structures** have numbers, arrays of numbers and other structures as "
     "members.",
     body("struct s t = { 1, 2.5, { 3 }, { 4 } }; x[0] = t.k + t.x + t.v[0] + "
          "t.in.c + t.v[1];", ahead=MIX)),
    ("They may be local variables, parameters, returned values, and elements "
     "of arrays, and pointers may point to them.",
     body("struct s t[2], *p = t + 1; p->x = 3; t[0] = g(t[1]); x[0] = "
          "t[0].x;", ahead=MIX + "struct s g(struct s s) { s.x += 2; "
          "return s; }")),
    ("`a[i] = b[j]`, passing by value and returning copy each member.",
     body("struct s t[2] = { { 0 }, { 1, 2, { 3, 4 }, { 5 } } }; t[0] = t[1]; "
          "t[1] = g(t[0]); t[0].v[1] = 9; x[0] = t[1].v[1] + t[1].in.c; "
          "x[1] = t[0].v[1] + t[0].in.c;", ahead=MIX +
          "struct s g(struct s s) { s.v[1] += 2; return s; }")),
    ("- **Arrays of structures** whose K scalars have one type are arrays "
     "`T a[n][K]`, in memory and in a `.npy` file.",
     c_says(V + "void f(int n, struct v a[n]) { %sa[i].k = 2; }" % LOOP,
            "inout  i32 a[n][3]"),
     c_gives(V + "void f(int n, struct v a[n]) { %sa[i].k = a[i].a[1]; }" %
             LOOP, {"a": [[1, 2, 2], [4, 5, 5]]}, {"n": 2},
             {"a": [[1, 2, 3], [4, 5, 6]]})),
    ("If the types differ, each member is an array of its own, `a_x[n]`.",
     c_says(MIX + "void f(int n, struct s a[n]) { %sa[i].x = a[i].k; }" % LOOP,
            "output f64 a_x[n]", "input  i16 a_k[n]")),
    ("The members of a local structure, and of one that is passed by value, "
     "are variables: `-D g.n=100` gives the size `n` of a parameter `g` its "
     "value.",
     c_says("struct g { int n; float x; };void f(struct g g, float a[g.n]) { "
            "for (int i = 0; i < g.n; i++) a[i] = g.x; }", "param  g.n = 100",
            "input  f32 g_x", options=["-D", "g.n=100"])),
    ("- **Types** are `_Bool`, `char`, `short`, `int` and `long`, signed or "
     "not (a plain `char` is on x86-64, and is not on AArch64, see `--host`), "
     "`float`, `double`, `_Float16`, and names of these by `typedef`.",
     like_c("typedef short little; typedef unsigned long wide;\n"
            "void f(int n, _Bool a[n], char b[n], unsigned char c[n], "
            "little d[n], unsigned short e[n], unsigned g[n], long h[n], "
            "wide k[n], float x[n], double y[n]) { %s{ a[i] = b[i]; b[i] *= 99;"
            "c[i] -= 7; d[i] *= 9999; e[i] -= 9; g[i] -= b[i]; h[i] <<= 40; "
            "k[i] -= d[i]; x[i] /= 3; y[i] = x[i] * c[i]; } }\n" % LOOP),
     body_refused("long double v = 1;\na[0] = v;", "E253 4:8")),
    ("Values of `_Float16` are computed as `float`.",
     c_gives("void f(int n, _Float16 a[n], float b[n]) { %s{ "
             "b[i] = a[i] + 0.00048828125f16 - a[i]; } }\n".replace("f16", "f")
             % LOOP, {"b": [2. ** -11, 2. ** -11]}, {"n": 2},
             {"a": [1, 1.5]}),
     c_gives("void f(int n, const _Float16 a[n], _Float16 b[n]) "
             "{ %sb[i] = a[i] * a[i] - a[i] * 300; }\n" % LOOP,
             {"b": [-22400]}, {"n": 1}, {"a": [160]})),
    ("- **Literals** of all forms have C's value and type.",
     body("x[0] = 0x1p-3 + 1e2 + .5f + 'a' + '\\n' + 0x7f + 017; "
          "x[1] = 4294967295 + 1; x[2] = 4294967295u + 1; "
          "x[3] = 0x80000000 + 1 < 0; x[4] = -2147483648 / 2; "
          "x[5] = 1 / 3.f; x[6] = 10L << 40;")),
    ("A literal that has none in C, such as an integer that no type holds, is "
     "an error (E158).",
     body_refused("x[0] =\n99999999999999999999999;", "E158 4:1"),
     body_refused("x[0] =\n'\\xfff';", "E158 4:1")),
    ("- **Parameters** are scalars, arrays such as `double A[n][m]`, and "
     "single pointers.",
     like_c("void f(int n, int m, float k, double A[n][m], int *p) "
            "{ %sfor (int j = 0; j < m; j++) A[i][j] = k * j; p[0] = 3; }\n" %
            LOOP, {"n": 3, "m": 2}, flat={"p": "1"}),
     c_refuses("void f(int n, int **p) {\np[0][0] = 3; }\n", "E253 2:1")),
    ("The extent of a pointer, like the first of `A[][m]`, is found from the "
     "accesses.",
     c_says("void f(int n, int *p, const int *q, int A[][n]) { "
            "for (int i = 1; i < n; i++) { p[i] = q[2 * i]; A[4][i] = 1; } }\n",
            "i32 A[0 if n <= 1; 5 if n >= 2][n]", "i32 p[0 if n <= 1; n if "
            "n >= 2]", "i32 q[0 if n <= 1; -1 + 2n if n >= 2]")),
]
NOTHING = []
ELSEWHERE = [
    ("Statements run in the order of the text (`--fp=strict`, unless another "
     "class is given), and values have C's types and conversions.",
     "nest.integers"),
    ("- **Literals** of all forms have C's value and type.", "nest.literals"),
]
