"""Loop nests in C: what is affine, arrays, sizes, conditions, roles."""
from nests import LOOP, c_gives, c_refuses, c_says
from programs import all_of, body, body_refused, like_c, makes, same_kernels

# A subscript is affine if this is accepted without a warning and agrees.
PRODUCT = ("void f(int n, int m, double a[n * m]) {\n"
           "for (int i = 0; i < n * m; i++) a[i] += i;\n}\n")
QUOTIENT = ("void f(int n, int m, double a[m]) {\n"
            "for (int i = 0; i < m / n; i++) a[i * n] += i % n;\n}\n")
LIMITED = """void f(int n, int m, const int col[n], const float x[m], float y[n])
{
#pragma cetane assume 0 <= col < m
	for (int i = 0; i < n; i++)
		y[i] = x[col[i]];
}
"""
GATHER = ("void f(int n, int m, const int col[n], const float *x, float y[n]) "
          "{\n%sy[i] = x[col[i] & 3];\n}\n" % LOOP)
LAST = ("void f(int n, const int x[n], int a[999]) {\n%sa[x[i] + 7] = i;\n}\n" %
        LOOP)
LOCAL = ("void use(double);\nvoid f(int n) {\ndouble a[n], b[n], s;\n"
         "#pragma scop\n%s{ a[i] = i; b[i] = a[i] + 1; s = i; }\n"
         "#pragma endscop\nuse(%%s);\n}\n" % LOOP)


def affine(statement, n=9, **more):
    """The statement is in loops over i and j, and a has enough elements."""
    text = ("void f(int n, int m, int a[4 * n + 40], const int b[n]) {\n" +
            LOOP + "for (int j = 0; j <= i; j++) " + statement + "\n}\n")
    return all_of(
        like_c(text, {"n": 1, "m": 2}, {"n": n, "m": 3}, **more),
        c_says(text, lacks=["W283", "error"]))


def update(statement, kind="int", op="add"):
    """The statement on s and x[i] is an update."""
    return makes("%s f(int n, const %s x[n], %s s) {\n%s{ %s }\nreturn s; }\n" %
                 (kind, kind, kind, LOOP, statement), "poly",
                 "reduce " + op, suffix=".c", options=["--stop-after=deps"])


def no_update(statement, kind="int"):
    return makes("%s f(int n, const %s x[n], %s s) {\n%s{ %s }\nreturn s; }\n" %
                 (kind, kind, kind, LOOP, statement), "poly", suffix=".c",
                 options=["--stop-after=deps"], lacks=["reduce"])


RAGGED = ("void f(int n, int len[n], const int t[16], int a[n], int b[n], "
          "int c[n][3]) {\n" + LOOP + "for (int j = len[i] + 4; j <\nlen[i] + 9; "
          "%s) %s\n}\n")


def ragged(text):
    """A loop over data with this body gives what C gives."""
    return like_c(RAGGED % ("j++", text if text.startswith("{") else
                            "{ %s }" % text), {"n": 9})


def ragged_refused(head, text):
    """A loop over data with this step and body is refused."""
    return c_refuses(RAGGED % (head, text if text.startswith("{") else
                               "{ %s }" % text), "E258")


PROMISES = [
    ("- **Affine** expressions are made of sizes, of the variables of the "
     "loops around, of local integers that are affine where they are read, and "
     "of local integers to which each iteration of a loop adds a constant or a "
     "size.",
     affine("a[2 * i - j + n + m] += b[i];"),
     affine("{ int k = i + 3, l = k - j; if (m > 2) k += 1; a[k + l] = j; }"),
     body("int k = 0, l = n; " + LOOP + "{ a[k] = i; k++; l -= 1; b[l] = i; }"),
     like_c("void f(int n, int s, int a[n][s]) { int k = 0, *p = &a[0][0]; " +
            LOOP + "{ for (int j = 0; j < s; j++) a[i][j] = 3; k += s; } "
            "a[0][0] = k; }\n", {"n": 3, "s": 4}),
     like_c("void f(int n, int s, int *a) { int k = 0; " + LOOP +
            "{ a[k] = i; k += s; } }\n", {"n": 3, "s": 4},
            flat={"a": "n*s"}),
     body_refused("int k = 0; " + LOOP + "{ k += i; a[i] += a[\nk]; }",
                  "E259 4:1")),
    ("Their operations are sums, multiples by constants, `/ % << >>` and "
     "`& (2^k - 1)` by constants with C's meaning, `?:` and comparisons.",
     affine("a[(i + j) / 3 + (i * 5) % 7] += j;"),
     affine("a[(j << 2) + (i >> 1)] += j;"), affine("a[i + (j & 7)] += j;"),
     affine("a[(i - 4) / 3 + (i - 5) % 4 + 8] += j;"),
     affine("a[(i > j ? i - j : 3) + (i >= 2) + (i == m && j < 2) + "
            "!(j > 1)] += 2;"),
     affine("if ((i - 4) / 3 < j && (i - 7) % 3 != -1 && (i - 3 & 3) > 0) "
            "a[i] += j;"),
     *[body_refused(LOOP + "a[i] = a[\n%s];" % e, "E259 4:1")
       for e in ("i * i", "i / m", "i % m", "i & 5", "i << m", "m / i",
                 "i | 1", "i ^ 3")]),
    ("`(i + 1) % n`, `(i - 1 + n) % n` and the like are affine in a loop whose "
     "`i` goes from 0 to `n - 1`.",
     body(LOOP + "a[(i + 1) % n] = b[(i - 1 + n) % n] + b[(i + n - 2) % n];",
          {"n": 2, "m": 1}, {"n": 9, "m": 1}),
     c_says("void f(int n, int a[n], int b[n]) { " + LOOP +
            "a[(i + 1) % n] = b[(i - 1 + n) % n]; }\n", lacks=["W283"])),
    ("Extents must be affine, and so must bounds and subscripts, unless they "
     "count as data.",
     body_refused("for (int i = 0; i <\nm * n; i++) a[0] = 3;", "E258"),
     body_refused("for (int i = 0; i <\nb[0]; i++) a[i] = 3;", "E258"),
     body_refused(LOOP + "a[i] = a[m *\ni];", "E259"),
     body_refused("int t[m *\nn]; t[1] = 3; a[1] = t[1];", "E260")),
    ("- **Variables of loops** are affine behind their loop, too, where "
     "another loop may go on with them: `for (; i < n; i++)`.",
     body("int i; for (i = 0; i < n / 2; i++) a[i] = 3; for (; i < n; i++) "
          "b[i] = 4; a[i - 1] = 5;"),
     c_says("void f(int n, int a[n + 1]) { int i; for (i = 0; i < n; i += 2) "
            "a[i] = 3; a[i] = 5; }\n", lacks=["W283"])),
    ("Where the head of a loop has several variables, its condition names the "
     "loop's own, which what the head does to the others does not read.",
     body("int i, j, k; for (i = 0, j = n - 1, k = 7; j > 2; i++, j--, k *= 3) "
          "{ a[j] = i; b[i] = k; }"),
     body_refused("int i, k = 0; for (i = 0; i < n; i++,\nk += i) a[i] = k;",
                  "E145 4:1"),
     body_refused("int i, k = 0; for (i = 0, k = 3; i < n; i++,\nk = i) "
                  "a[i] = k;", "E145 4:1")),
    ("The step of a loop must be a number, or follow from numbers, local "
     "integers and sizes that have a value by `-D`.",
     body("int s = 2; for (int i = 0; i < n; i += s + 1) a[i] = 3; "
          "for (int i = n - 1; i >= 0; i -= 4) b[i] = 3;"),
     like_c("void f(int n, int m, int a[n]) { for (int i = 0; i < n; i += m) "
            "a[i] = 3; }\n", {"n": 9, "m": 4}),
     body_refused("for (int i = 0; i < n;\ni += m) a[i] = 3;", "E145 4:1"),
     body_refused("for (int i = 0; i < n;\ni += b[0]) a[i] = 3;",
                  "E145 4:1")),
    ("- **A variable that doubles**, `k *= 2`, or is multiplied, divided or "
     "shifted by another constant of at most 30, has few values: the "
     "iterations of such a loop are written out, each with its own.",
     body("int k; for (k = 1; k < n; k *= 2) { int h = k / 2; a[h] = k; } "
          "x[0] = k; for (k = n - 1; k > 1; k = k / 3) b[k] = k; "
          "for (int i = 5; i < n; i <<= 2) y[i] = i;"),
     body_refused("for (int i = 1; i < n;\ni *= 31) a[i] = 3;", "E145 4:1"),
     body_refused("for (int i = 1; i < n;\ni *= n) a[i] = 3;", "E145 4:1")),
    ("Its first value is made of sizes, variables of loops around and numbers, "
     "and no `break` leaves the loop.",
     body(LOOP + "for (int k = i + 1; k < n; k *= 3) a[k] += 1;"),
     body_refused("for (long k = b[0]; k < n;\nk *= 2) a[k] = 3;", "E145 4:1"),
     body_refused("for (int k = 1; k < n;\nk *= 2) { if (b[k] > 1) break; "
                  "a[k] = 3; }", "E145 4:1")),
    ("- **Values by `-D`** make products, and quotients of sizes, affine: `n * m` and `m / "
     "n` are, with `-D n=100`.",
     like_c(QUOTIENT, {"n": 3, "m": 10}),
     c_refuses(QUOTIENT, "E258"),
     like_c(PRODUCT, {"n": 100, "m": 3}),
     c_says(PRODUCT, "f64 a", options=["-Dn=100"]),
     c_refuses(PRODUCT, "E258", options=["-DK=100"])),
    ("The program then holds for that value alone.",
     c_says(PRODUCT, "param  n = 100\n", options=["-Dn=100"])),
    ("- **Flat arrays**: an array of one dimension with subscripts such as "
     "`a[(i * n + j) * m + k]` becomes one of several dimensions, `a[][n][m]`, "
     "if the strides of all accesses are multiples of one another.",
     all_of(*[run("void f(int n, int m, int *a) {\n%sfor (int j = 0; j < n; "
                  "j++) for (int k = 0; k < m; k++) a[(i * n + j) * m + k] += "
                  "a[i * n * m] + k;\n}\n" % LOOP) for run in (
         lambda text: c_says(text, "[n][m]\n", lacks=["W28"]),
         lambda text: like_c(text, {"n": 1, "m": 1}, {"n": 4, "m": 3},
                             flat={"a": "n*n*m"}))]),
     c_refuses("void f(int n, int m, int k, int *a) {\n%s"
               "a[i * m] = a[i * k];\n}\n" % LOOP, "E259")),
    ("Conditions may choose between subscripts, as in `i > 0 ? c - m : c`.",
     like_c("void f(int n, int m, int *a) {\n%sfor (int j = 0; j < m; j++) { "
            "int c = i * m + j; a[c] = a[i > 0 ? c - m : c] + j; }\n}\n" %
            LOOP, {"n": 4, "m": 3}, flat={"a": "n*m"})),
    ("Sizes for which a subscript would go on into the next row are assumed "
     "not to occur (W282).",
     all_of(*[run("void f(int n, int m, int s, int *a) {\n%s"
                  "for (int j = 0; j < m; j++)\na[i * s + j] = i;\n}\n" % LOOP)
              for run in (
                  lambda text: c_says(text, "3:1: warning[W282]", "m <= s"),
                  lambda text: c_refuses(
                      text, "E268", options=["-Dn=2", "-Dm=4", "-Ds=3"]),
                  lambda text: like_c(text, {"n": 2, "m": 3, "s": 4},
                                      flat={"a": "n*s"}))])),
    ("- **Subscripts that are data**, as in `x[col[i]]`, or not affine, as in "
     "`x[i * i]`, are accepted where the array has written extents and the "
     "outermost loop around does not write it; other loops may.",
     like_c("void f(int n, const double x[50], double y[n]) {\n%s"
            "y[i] = x[i * i];\n}\n" % LOOP, {"n": 8}),
     like_c("void f(int n, const int col[n], const double x[5], double y[n]) "
            "{\n%sy[i] = x[col[i] & 3];\n}\n" % LOOP),
     body(LOOP + "a[i] += 3; " + LOOP + "x[i] = a[i * i % n]; " +
          LOOP + "a[i] = b[i];"),
     c_refuses(GATHER, "E284 2:38"),
     body_refused(LOOP + "a[i] =\na[b[i]];", "E259")),
    ("- **What arrays hold** is said by `#pragma cetane assume 0 <= col < M` inside of "
     "the function, with a name of an array of integers in the middle: the device looks "
     "at all its elements before the program runs, and refuses others.",
     *[c_refuses(LIMITED, "E737", "col[1] is %d," % k, verb="run",
                 options=["-Dn=2", "-Dm=3", "--input=col=[0, %d]" % k])
       for k in (3, -1)],
     c_gives(LIMITED, {"y": [3, 1]}, {"n": 2, "m": 3},
             {"col": [2, 0], "x": [1, 2, 3]})),
    ("Without it a subscript that is data reads 0 outside.",
     makes(LIMITED.replace("cetane", "other"), "llvm", "icmp ult",
           "[ 0.000000e+00, %if ]", suffix=".c", lacks=["$within"])),
    ("For a pointer `float *x` the option `--extent=x=SIZE` states the extent, "
     "by an expression of sizes.",
     c_gives(GATHER, {"y": [1, 3, 2]}, {"n": 3, "m": 1},
             {"col": [0, 2, 1], "x": [1, 2, 3, 4, 5, 6, 7]},
             options=["--extent=x=2*n+m"]),
     c_refuses(GATHER, "E163", options=["--extent=x=q"])),
    ("Where the nest writes at such a subscript, each element is compared with "
     "it (W283); the subscript may not read the array itself.",
     all_of(*[run("void f(int n, const int k[n], int a[9]) {\n%s"
                  "a[k[i] + 4] += i;\n}\n" % LOOP) for run in (
         like_c, lambda text: c_says(text, "2:29: warning[W283]"))]),
     body_refused(LOOP + "a[\na[i]] = 3;", "E259")),
    ("So is `b[++k] = a[i]`.",
     like_c("void f(int n, const int a[n], int b[n], int s[1]) {\nint k = -1;\n" +
            LOOP + "if (a[i] > 0) b[++k] = a[i];\ns[0] = k;\n}\n", {"n": 9}),
     c_says("void f(int n, const int a[n], int b[n]) {\nint k = -1;\n" + LOOP +
            "if (a[i] > 0) b[++k] = a[i];\n}\n", lacks=["W283"])),
    ("- **Last turns**: `if (a[i] < 0) k = i;` finds the last iteration that the "
     "condition chooses, in any order, and then what it leaves, also for what the loop "
     "reads behind that.",
     body("int k = -1; " + LOOP + "{ if (b[i] < 0) k = i; a[i] = k + 1; } x[0] = k;"),
     body("int k = -1; " + LOOP + "if (b[i] < 0) k = i; x[0] = k;"),
     makes("void f(int n, const int a[n], int s[1]) {\nint k = -1;\n" + LOOP +
           "if (a[i] < 0) k = i;\ns[0] = k;\n}\n", "poly", "reduce max",
           suffix=".c", options=["--stop-after=deps"])),
    ("So does each element of `a[x[i]] = b[i]`, where the loop has nothing else of "
     "`a`, and changes nothing of the rest.",
     like_c(LAST, {"n": 9}),
     makes(LAST, "poly", "reduce max atomic", suffix=".c",
           options=["-Dn=9", "--stop-after=schedule"]),
     makes(LAST.replace("= i", "= a[3]"), "poly", suffix=".c",
           options=["-Dn=9", "--stop-after=schedule"], lacks=["reduce"])),
    ("- **Bounds that are data**, as in `for (j = row[i]; j < row[i + 1]; j++)`, "
     "are accepted of a loop that counts up by 1, whose body leaves its bounds "
     "alone, and of whose cells each stays in place and needs no other one that "
     "the loop writes: sums, largest values with their places, what comes last.",
     ragged("if (t[j] > a[i]) { a[i] = t[j]; b[i] = j; }"), ragged("a[i] += t[j];"), ragged("if (t[j] > a[i]) a[i] = t[j];"),
     ragged("a[i] = t[j] - 1; b[i] += j;"),
     *[ragged_refused(head, text) for head, text in (
         ("j += 2", "a[i] += t[j];"), ("j--", "a[i] += t[j];"),
         ("j++", "a[j] = t[j];"), ("j++", "a[i] += b[i]; b[i] += 1;"),
         ("j++", "a[i] += a[i - 1];"), ("j++", "a[i] += 1; a[b[0]] += 1;"),
         ("j++", "{ len[i] += 1; a[i] += 1; }"))]),
    ("Bounds of loops inside may be data, too.",
     ragged("for (int k = len[i]; k < t[j]; k++) a[i] += k * j;")),
    ("A loop over features whose cells move with it may stand inside, `c[i][k] += "
     "a[j] * b[col[j]][k]`.",
     ragged("for (int k = 0; k < 3; k++) c[i][k] += t[j] * k;"),
     ragged_refused("j++", "for (int k = 0; k < 3; k++) { c[i][k] += t[j]; "
                    "a[i] += k; }"),
     ragged_refused("j++", "{ int s = 0; for (int k = 0; k < 3; k++) { s += k; "
                    "c[i][k] += s; } }")),
    ("What is subscripted by the loop's variable is data, so its extents must be "
     "written.",
     c_refuses("void f(int n, const int row[n + 1], const float *x, float y[n]) {\n"
               + LOOP + "for (int j = row[i]; j < row[i + 1]; j++) y[i] += x[j];"
               "\n}\n", "E284"),
     makes("void f(int n, const int row[n + 1], const float *x, float y[n]) {\n"
           + LOOP + "for (int j = row[i]; j < row[i + 1]; j++) y[i] += x[j];"
           "\n}\n", "poly", "(loop 0 1 ", suffix=".c",
           options=["--extent=x=9", "--stop-after=deps"])),
    ("- **Sizes** are those integers from outside that nothing changes and "
     "that a bound, a subscript, an extent or the condition of an `if` needs.",
     c_says("void f(int n, int b, int s, int c, int d, int k, int a[n + 9]) {\n"
            "for (int i = 0; i < b; i++) { a[s] = d; if (c > i) a[1] = 2; "
            "k += 1; a[3] = k; }\n}\n", "param  n\n", "param  b\n",
            "param  s\n", "param  c\n", "input  i32 d\n", "inout  i32 k\n")),
    ("They are not negative.",
     c_refuses("void f(int n, int a[n]) { %sa[i] = 3; }\n" % LOOP, "E217",
               options=["-Dn=-1"])),
    ("`-D NAME=VALUE` gives a size its value; if the function declares no such "
     "variable, it defines a macro.",
     c_gives("void f(int n, int a[n]) { %sa[i] = VALUE; }\n" % LOOP,
             {"a": [7, 7, 7]}, {"n": 3, "VALUE": 7}),
     c_gives("void f(int n, int a[9]) {\n#ifdef n\na[0] = 1;\n#endif\n"
             "%sa[i] = 3; }\n" % LOOP, {"a": [3, 3] + [2] * 7}, {"n": 2},
             {"a": [2] * 9})),
    ("Other integers are data.",
     c_says("void f(int n, int d, int a[n]) { %sa[i] = d * d; }\n" % LOOP,
            "input  i32 d\n", lacks=["param  d"])),
    ("- **Conditions** that are affine restrict which iterations run.",
     makes("void f(int n, int a[n]) { %sif (i > 3) a[i] = 3; }\n" % LOOP,
           "poly", "{ S1[i] : 4 <= i < n }", suffix=".c",
           options=["--stop-after=deps"]),
     body(LOOP + "if (i > 3 && i % 2 || i == m - 1) a[i] = 5; else b[i] = 6;"),
     body(LOOP + "if (i < n - 1) a[i] = b[i + 1];")),
    ("Other conditions choose between the new value and the old one: the GPU "
     "then makes accesses that C would leave out, so these must surely be in "
     "bounds.",
     body(LOOP + "if (b[i] > 0) a[i] = 5; else x[i] = b[i];"),
     body_refused(LOOP + "if (b[i] > 0) a[i] =\nb[i + 1];", "E266 4:1")),
    ("- **Bounds of arrays**: an access that C makes in any case is taken to "
     "be in bounds, and what follows from that for the sizes must not "
     "contradict `-D`.",
     c_says("void f(int n, int m, int a[n]) { for (int i = 0; i < m; i++) "
            "a[i] = 3; }\n", "i32 a[n]"),
     c_refuses("void f(int n, int m, int a[n]) { for (int i = 0; i < m; i++) "
               "a[i] = 3; }\n", "E268", "n >= m",
               options=["-Dn=3", "-Dm=4"]),
     c_refuses("void f(int a[9]) { for (int i = 0; i < 9; i++) a[\ni + 1] = 3;"
               " }\n", "E265")),
    ("Unsigned values in bounds and subscripts must not wrap, and neither may "
     "variables of loops.",
     all_of(*[run("void f(unsigned n, int a[n]) {\nfor (unsigned i = 0; i < "
                  "n - 1; i++) a[i + 1] = i;\n}\n") for run in (
         lambda text: c_says(text, "2:26: warning[W281]", "n > 0"),
         lambda text: c_refuses(text, "E268", options=["-Dn=0"]),
         lambda text: like_c(text, {"n": 1}, {"n": 5}))]),
     body_refused("for (unsigned char i = 0; i < 3; i++) a[i -\n1u] = 3;",
                  "E264"),
     body_refused("for (unsigned char i = 0;\ni < 300; i++) a[0] += 3;",
                  "E264 4:1")),
    ("- **Roles**: an array or scalar that is only read is an input. An array "
     "with written extents that is written whole before it is read is an "
     "output; any other that is written is both.",
     c_says("int f(int n, float k, const int a[n], int b[n], int c[n], "
            "int d[n], int *p) { %s{ b[i] = a[i] * k; d[i] += b[i]; "
            "p[i] = 3; } for (int i = 1; i < n; i++) c[i] = 4; }\n" % LOOP,
            "input  f32 k", "input  i32 a", "output i32 b", "inout  i32 c",
            "inout  i32 d", "inout  i32 p")),
    ("A returned value is the output `result`.",
     c_gives("long f(int n, const int a[n]) { long s = 0; %ss += a[i]; "
             "return s * 2; }\n" % LOOP, {"result": 2 * 24}, {"n": 3},
             {"a": [7, 8, 9]})),
    ("- **Local** arrays and scalars are temporaries.",
     c_says("void f(int n, int a[n]) { int s = 0, t[n]; %st[i] = a[i]; "
            "for (int i = 0; i < n; i++) { s += t[n - 1 - i]; a[i] = s; } }\n" %
            LOOP, "temp   i32 s\n", "temp   i32 t[n]\n")),
    ("Of those that are declared in front of a region, the ones that the text "
     "behind the region uses are outputs, and so are those that "
     "`--live-out=NAME` names; `--live-out=all` names all arrays.",
     c_says(LOCAL % "a[0]", "output f64 a[n]", lacks=["f64 b", "f64 s"]),
     c_says(LOCAL % "1", "temp   f64 a[n]", "output f64 b[n]",
            options=["--live-out=b"]),
     c_says(LOCAL % "1", "f64 s\n", options=["--live-out=s"]),
     c_says(LOCAL % "1", "output f64 a[n]", "output f64 b[n]",
            options=["--live-out=all"], lacks=["f64 s"]),
     c_refuses(LOCAL % "1", "E271"),
     c_refuses(LOCAL % "1", "E164", options=["--live-out=q"])),
    ("- What nothing reads is not computed.",
     c_says("void f(int n, int a[n], int b[n]) { int s = 0, t[n]; %s{ "
            "t[i] = b[i]; s += t[i]; a[i] = 3; } }\n" % LOOP,
            "output i32 a[n]", lacks=["i32 b", "i32 s", "i32 t"])),
    ("A float that is declared with a constant and never changed is that "
     "constant, wherever it is read.",
     c_says("void f(int n, float x[n]) { float k = 2.5f, l = k; %sx[i] *= l; "
            "}\n" % LOOP, "inout  f32 x[n]", lacks=["f32 k", "f32 l"]),
     makes("void f(int n, float x[n]) { float k = 2.5f, l = k; %sx[i] *= l; "
           "}\n" % LOOP, "poly", "(const f32 2.5)", suffix=".c",
           options=["--stop-after=deps"])),
    ("- **Updates**: `x = x op e` is an update of `x` where `op` is "
     "`+ - * & | ^`, a minimum or a maximum. If `x` is a float, the value must "
     "have its type.",
     update("s = s + x[i];"), update("s += x[i];"), update("s = s - x[i];"),
     update("s *= x[i];", op="mul"), update("s = s & x[i];", op="and"),
     update("s |= x[i];", op="or"), update("s = s ^ x[i];", op="xor"),
     update("s = fmin(s, x[i]);", "double", "min"),
     update("s = fmax(s, x[i]);", "double", "max"),
     update("s = s + x[i];", "short"), update("s = s + x[i];", "float"),
     no_update("s = s + x[i] * 2.0;", "float"), no_update("s = s / x[i];"),
     no_update("s = x[i] - s;")),
    ("Of integers, `x = x < e ? e : x` and `if (x < e) x = e` are updates, "
     "too.",
     update("s = s < x[i] ? x[i] : s;", op="max"),
     update("if (s < x[i]) s = x[i];", op="max"),
     update("s = s > x[i] ? x[i] : s;", op="min"),
     update("s = s < x[i] ? x[i] : s;", "double", "max")),
    ("- Parameters do not overlap.",
     same_kernels("void f(int n, float *a, float *b) { %sa[i] = b[n - i]; }\n" %
                  LOOP, [], "void f(int n, float *restrict a, float *restrict "
                  "b) { %sa[i] = b[n - i]; }\n" % LOOP, [], suffix=".c")),
]
NOTHING = []
ELSEWHERE = [
    ("What ends it is asked of all iterations at once where the loop changes "
     "nothing of it and no subscript in it is data.", "nest.parallel"),
    ("Steps run in the order of the text, those of integers, and of floats where "
     "`--fp` leaves it open, side by side.", "nest.programs"),
    ("All blocks share such a loop where it is long, and it has the same bits each "
     "time.", "run.helped"),
    ("`run` names what is read outside of an array.", "nest.arrays"),
    ("`(i + 1) % n`, `(i - 1 + n) % n` and the like are affine in a loop whose "
     "`i` goes from 0 to `n - 1`.", "nest.remainders"),
    ("So are updates under conditions that are data, of several terms "
     "(`x = x + a - b`), and several of one cell in an iteration.",
     "nest.parallel"),
    ("Updates of integers run in any order, those of floats where `--fp` leaves "
     "it open.", "nest.parallel"),
    ("`if (a[i] > m) { m = a[i]; k = i; }` is the largest value and the first "
     "place of it, `>=` the last one.", "nest.programs"),
    ("It runs in parallel, in the order of the text, too: zeros of either sign "
     "and NaN give what C gives.", "nest.parallel"),
    ("So does a choice such as `m = m > a[i] ? m : a[i]`.", "nest.parallel"),
    ("`s += a[i]; y[i] = s;` is a scan, and so is a linear function of the value "
     "before, `s = 0.9f * s + a[i]`; of floats, where `--fp` leaves the order "
     "open.", "nest.parallel"),
    ("So is `s += y[i]; y[i] = s;`, of a copy, where sizes are fixed.", "golden"),
    ("What an iteration keeps for a later one keeps no loop from being parallel.",
     "nest.parallel"),
    ("`if (a[i] > 0) b[k++] = a[i];` is a scan, where `k` is a number before the "
     "loop, the loop counts from 0 and the extents of `b` are as large as its "
     "end.", "nest.parallel"),
    ("- **Chains over every k-th iteration**, `a[i] = a[i - 4] + b[i]` and "
     "`h[i % 64] += a[i]`, run k side by side.", "nest.parallel"),
    ("- `NAN`, `INFINITY`, `isnan`, `isinf`, `isfinite` and `signbit` of `math.h` "
     "are known.", "nest.programs"),
]
