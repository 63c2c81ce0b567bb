#!/usr/bin/env python3
"""The command with C files: macros, sizes, functions, regions, roles.

usage: command.py CETANE
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

CETANE = os.path.abspath(sys.argv.pop(1))

COPY = """#include "extent.h"
void copy(int n, const double a[EXTENT], double b[EXTENT])
{
	for (int i = 0; i < n; i++)
		b[i] = FACTOR * a[i];
}
"""


class Command(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        return path

    def run_it(self, *args, env=None):
        return subprocess.run([CETANE] + list(args), text=True,
                              capture_output=True, cwd=self.folder.name,
                              env=dict(os.environ, **(env or {})))

    def check(self, text, *args, name="f.c"):
        out = self.run_it("check", self.write(name, text), *args)
        self.assertEqual(out.returncode, 0, out.stderr)
        return out.stdout

    def roles(self, text, *args):
        return dict((name, role) for role, name in re.findall(
            r"(?m)^(\w+) +(?:[a-z]+\d+ |bool )?(\w+)",
            self.check(text, *args)))

    def test_rough_dependences(self):
        """Subscripts that take too long to follow are told, and no error."""
        path = os.path.join(os.path.dirname(os.path.dirname(
            os.path.abspath(__file__))), "programs", "tangled.c")
        out = self.run_it("run", path, "-Dn=5", "--sanitize=all")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("remark[R320]", out.stderr)

    def test_lost_condition(self):
        """A tree of which isl's loops lose a condition is no kernel."""
        path = os.path.join(os.path.dirname(os.path.dirname(
            os.path.abspath(__file__))), "nest", "lost_condition.poly")
        out = self.run_it("build", "--from=poly", path, "--emit=llvm")
        self.assertEqual(out.returncode, 70, out.stderr)
        self.assertIn("the AST cannot be walked", out.stderr)

    def test_long_constants(self):
        """Folded constants that a double does not hold."""
        path = self.write("long.c", "#include <stdint.h>\n"
                          "void f(int n, uint64_t a[n], int64_t b[n])\n"
                          "{ for (int i = 0; i < n; i++) {\n"
                          "a[i] = (-100 & a[i]) ^ (uint64_t)-5;\n"
                          "b[i] = b[i] ^ (4503599627370497 * 1027);\n"
                          "} }\n")
        for how in ["naive", "full"]:
            out = self.run_it("run", path, "-Dn=5", "--verify=" + how)
            self.assertEqual(out.returncode, 0, out.stderr)

    def test_macros_and_includes(self):
        self.write("extent.h", "#define EXTENT n\n")
        text = self.check(COPY, "-D", "FACTOR=2.0")
        self.assertIn("output f64 b[n]", text)
        self.assertIn("param  n\n", text)

    def test_include_folder(self):
        self.write("inc/extent.h", "#define EXTENT 100\n")
        text = self.check(COPY, "-DFACTOR=2", "-I", "inc")
        self.assertIn("inout  f64 b[100]", text)

    def test_size_and_macro_by_one_option(self):
        self.write("extent.h", "#ifndef EXTENT\n#error none\n#endif\n")
        text = self.check(COPY, "-D", "n=3", "-DEXTENT=20", "-DFACTOR=1")
        self.assertIn("param  n = 3", text)
        self.assertIn("b[20]", text)

    def test_no_compiler(self):
        path = self.write("f.c", COPY)
        out = self.run_it("check", path, env={"CC": "./no-such-compiler"})
        self.assertEqual(out.returncode, 3)
        self.assertIn("error[E503]: cannot run ./no-such-compiler",
                      out.stderr)

    def test_preprocessed(self):
        text = ('# 1 "other.c"\nvoid f(int n, double a[n])\n{\n'
                "\tfor (int i = 0; i < n; i++)\n\t\ta[i] = x;\n}\n")
        out = self.run_it("check", self.write("f.i", text))
        self.assertIn("f.i:5:10: error[E251]", out.stderr)

    def test_directive_in_preprocessed(self):
        out = self.run_it("check", self.write("f.i", "#include <math.h>\n"))
        self.assertIn("f.i:1:1: error[E141]", out.stderr)

    def test_place_behind_headers(self):
        text = ("#include <math.h>\n#include <stdio.h>\n"
                "#define ONE 1.0\n\nvoid f(int n, double a[n])\n{\n"
                "\tfor (int i = 0; i < n; i++)\n\t\ta[i] = ONE + x;\n}\n")
        out = self.run_it("check", self.write("f.c", text))
        self.assertIn("f.c:8:16: error[E251]", out.stderr)
        self.assertIn("\t\ta[i] = ONE + x;\n    \t\t             ^",
                      out.stderr)

    def test_function(self):
        text = "".join("void %s(int n, double %s[n])\n{ for (int i = 0; i < "
                       "n; i++) %s[i] = 1; }\n" % (c, c + "x", c + "x")
                       for c in "fgh")
        self.assertIn("output f64 gx[n]", self.check(text, "--function=g"))

    def test_region(self):
        text = """
#include <stdio.h>
double G[10];
int main(void)
{
	int n = 10, unused = 3;
	double A[10], B[10], t, out, factor = 2;
	FILE *f = stdin;
	while (fscanf(f, "%lf", &A[0]) == 1)
		A[1] = A[0];
#pragma scop
	for (int i = 0; i < n; i++) {
		t = A[i] * factor;
		B[i] = t;
		G[i] += t;
		out = t;
	}
#pragma endscop
	printf("%g %g\\n", B[0], out);
	return unused;
}
"""
        self.assertEqual(self.roles(text), {
            "A": "input", "B": "output", "G": "inout", "t": "temp",
            "out": "output"})

    def test_scalars_in_front_of_region(self):
        """Constants stand where they are read, and what is dead is gone."""
        text = """
void f(int n, float x, float dead_too, double a[n])
{
	int m = 10, k = 3;
	double alpha = 1.5, beta = 2 * 1.5, t, dead, gone[n], gamma = x;
#pragma scop
	for (int i = 0; i < n; i++) {
		t = a[i];
		dead = t * dead_too;
		gone[i] = dead;
		a[i] = t * alpha + beta + m * k + gamma;
		if (dead > 3)
			for (int j = 0; j < n; j++)
				dead += gone[j];
	}
	t = 5;
#pragma endscop
}
"""
        self.assertEqual(self.roles(text), {"n": "param", "x": "input",
                                            "a": "inout", "t": "temp"})
        path = self.write("f.c", text)
        out = self.run_it("inspect", path)
        self.assertEqual(out.stdout.count("\nkernel "), 1, out.stdout)
        out = self.run_it("run", path, "-Dn=20", "--sanitize=all",
                          "--verify=both")
        self.assertIn("a f64[20]: verified against the interpreter", out.stdout)

    def test_view_in_front_of_region(self):
        """A pointer that is declared there is a part of its array."""
        text = ("void f(int n, double *buf, double y[n])\n{\n"
                "\tdouble (*u)[3] = (double (*)[3])buf, *v = &buf[9];\n"
                "#pragma scop\n\tfor (int i = 0; i < n; i++)\n"
                "\t\ty[i] = u[i][1] + v[i];\n#pragma endscop\n}\n")
        self.assertEqual(self.roles(text), {"n": "param", "buf": "input",
                                            "y": "output"})
        path = self.write("f.c", text)
        out = self.run_it("build", path, "--emit=object", "--drop-in")
        self.assertEqual(out.returncode, 0, out.stderr)
        text = text.replace("#pragma scop", "v++;\n#pragma scop")
        self.assertEqual(self.roles(text), {
            "n": "param", "buf": "input", "v": "input", "y": "output"})

    def test_region_alone(self):
        """A region outside of all functions, and what it cannot be."""
        text = ("int n; double a[100], b[100];\n#pragma scop\n"
                "for (int i = 0; i < n; i++)\n\ta[i] = b[i];\n"
                "#pragma endscop\nvoid other(double *x) { *x = 1; }\n")
        self.assertEqual(self.roles(text), {"n": "param", "a": "inout",
                                            "b": "input"})
        path = self.write("alone.c", text)
        out = self.run_it("run", path, "-Dn=30", "--sanitize=all")
        self.assertIn("a f64[100]: verified against the interpreter", out.stdout, out.stderr)
        out = self.run_it("build", path, "--emit=llvm", "-o", "-")
        self.assertIn("alone", out.stdout)
        self.refused(text, "f.c:2:9: error[E157]: no object can stand in the "
                     "place of the function: no function is around the")

    def test_deep(self):
        """Whatever is nested or long is refused by a message, not by the stack."""
        n = 20000
        for body, says in [
                ("k[0] = k[0]" + " ^ 1" * n + ";", "E119"),
                ("if (k[0]" + " && k[0]" * n + ") a[0] = 1;", "E119"),
                ("a[0] = " + "(" * n + "a[0]" + ")" * n + ";", "E142"),
                ("a[0] = " + "- " * n + "a[0];", "E142"),
                ("a[0] = " + "(double)" * n + "a[0];", "E142"),
                ("k[0] = " + "k[0] ? 1 : " * n + "2;", "E142"),
                ("a[0] = " * n + "1;", "E142"),
                ("if (k[0]) a[0] = 1;" + "else if (n) a[0] = 2;" * n, "E142"),
                ("for (int i = 0; i < n; i++) " * n + "a[0] = 1;", "E142"),
                ("a[" + "k[" * n + "0" + "]" * n + "] = 1;", "E142"),
                ("{" * n + "a[0] = 1;" + "}" * n, "E142"),
                ("int x = 0;" + "x = x + n;" * n + "k[0] = x;", "E155")]:
            path = self.write("f.c", "void f(int n, double a[n], int k[n])\n{\n"
                              + body + "\n}\n")
            out = self.run_it("check", path)
            self.assertEqual(out.returncode, 1, out.stderr[:2000])
            self.assertIn(f"error[{says}]", out.stderr[:2000])

    def test_only_function(self):
        """One function without a loop is the one that is meant."""
        path = self.write("f.c", "#include <math.h>\nvoid f(double a[2])\n"
                          "{ a[0] = sqrt(a[1]); }\n")
        out = self.run_it("run", path)
        self.assertIn("a f64[2]: verified against the interpreter: 1 of 2",
                      out.stdout, out.stderr)
        text = "void g(int *x) { x[0]++; }\nvoid h(int *x) { x[0] = 7; }\n"
        self.assertEqual(self.check(text, "--function=h"),
                         "inout  i32 x[1]\n")

    OLD = ("float old(n, a, k, b)\n\tregister int n; long k;\n"
           "\tconst double a[n], *b;\n"
           "{ float s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i] + k; "
           "return s; }\n")

    def test_old_style(self):
        """A function without a prototype has one in the header."""
        path = self.write("old.c", self.OLD)
        out = self.run_it("run", path, "-Dn=9", "--sanitize=all")
        self.assertIn("result f32: verified against the interpreter", out.stdout, out.stderr)
        out = self.run_it("build", path, "--emit=object", "--drop-in")
        self.assertEqual(out.returncode, 0, out.stderr)
        with open(os.path.join(self.folder.name, "old.h")) as f:
            self.assertIn("float old(register int n, const double a[n], "
                          "long k, const double *b);", f.read())
        self.refused(self.OLD.replace("long k", "short k"),
                     "f.c:2:24: error[E157]: no object can stand in the place "
                     "of the function: without a prototype")

    def test_size_in_front_of_region(self):
        text = """
void f(double A[10])
{
	int m = 10;
#pragma scop
	for (int i = 0; i < m; i++)
		A[i] = 1;
#pragma endscop
}
"""
        self.assertEqual(self.roles(text), {"A": "output"})

    def test_roles(self):
        text = """
void f(int n, int m, float x, double w, double a[n], double b[n],
	double c[n], double *d, int flag, long k)
{
	double s = 0, t[n];
	for (int i = 0; i < n; i++)
		t[i] = a[i] * x * k;
	for (int i = 0; i < n; i++)
		b[i] = t[i];
	for (int i = 1; i < n; i++)
		c[i] = b[i] + w;
	for (int i = 0; i < n; i++)
		s += d[2 * i + 1];
	w = s;
	if (flag)
		a[0] = w;
}
"""
        self.assertEqual(self.roles(text), {
            "n": "param", "x": "input", "w": "inout", "a": "inout",
            "b": "output", "c": "inout", "d": "input", "flag": "param",
            "k": "input", "s": "temp", "t": "temp"})

    def test_found_extent(self):
        text = """
void f(int n, const double *d, double s[1], double (*m)[n])
{
	for (int i = 0; i < n; i++) {
		*s += d[2 * i + 1];
		m[2 * i][i] = 0;
	}
}
"""
        out = self.check(text)
        self.assertIn("d[2n]", out)
        self.assertRegex(out, r"m\[.*-1 \+ 2n if n > 0")

    def test_wrap_is_assumed(self):
        text = ("void f(unsigned n, double a[n])\n{\n"
                "\tfor (unsigned i = 0; i < n - 1; i++)\n"
                "\t\ta[i] = a[i + 1];\n}\n")
        out = self.run_it("check", self.write("f.c", text))
        self.assertEqual(out.returncode, 0)
        self.assertIn("f.c:3:27: warning[W281]: assuming n > 0, "
                      "so", out.stderr)
        out = self.run_it("check", self.write("f.c", text), "-D", "n=0")
        self.assertEqual(out.returncode, 1)
        self.assertIn("error[E268]", out.stderr)

    def test_value_makes_affine(self):
        text = ("void f(int n, double *a, double b[n * n])\n{\n"
                "\tfor (int i = 0; i < n * n; i++)\n"
                "\t\ta[i] += b[i];\n}\n")
        path = self.write("f.c", text)
        out = self.run_it("check", path)
        self.assertIn("f.c:1:35: error[E260]", out.stderr)
        self.assertIn("f.c:3:22: error[E258]", out.stderr)
        for args in [], ["--parametric"]:
            out = self.run_it("run", path, "-D", "n=5", *args)
            self.assertIn("a f64[25]: verified against the interpreter", out.stdout,
                          out.stderr)

    def test_flat(self):
        """One dimension in the text, several in what is read and written."""
        text = ("void f(int n, int m, double *a, double b[n * m * 3])\n{\n"
                "\tfor (int i = 0; i < n; i++)\n"
                "\t\tfor (int j = 0; j < m; j++)\n"
                "\t\t\ta[(i + 1) * m - 1 - j] += b[(i * m + j) * 3 + 2] "
                "+ b[i * m * 3];\n}\n")
        out = self.check(text)
        self.assertRegex(out, r"inout  f64 a\[.*\]\[m\]\n")
        self.assertRegex(out, r"input  f64 b\[n\]\[\.\.\]\n")
        path = self.write("f.c", text)
        for args in [], ["--parametric"]:
            out = self.run_it("run", path, "-Dn=5", "-Dm=3", "--sanitize=all",
                              *args)
            self.assertIn("a f64[5,3]: verified against the interpreter", out.stdout,
                          out.stderr)

    def test_flat_rows(self):
        text = ("void f(int n, int m, int s, double *a)\n{\n"
                "\tfor (int i = 0; i < n; i++)\n"
                "\t\tfor (int j = 0; j < m; j++)\n"
                "\t\t\ta[i * s + j] = 0;\n}\n")
        path = self.write("f.c", text)
        out = self.run_it("check", path)
        self.assertEqual(out.returncode, 0)
        self.assertRegex(out.stderr, r"f.c:5:4: warning\[W282\]: assuming "
                         r".*m <= s, so that this stays in its row of 'a'")
        out = self.run_it("check", path, "-Dn=2", "-Dm=4", "-Ds=3")
        self.assertEqual(out.returncode, 1)
        self.assertIn("error[E268]", out.stderr)

    def test_nest(self):
        """A nest in a file of the language, and places of what is wrong."""
        text = ("/* a comment */\n// and one more\n"
                "nest forward(param N, const f64 L[N][N], const f64 b[N],\n"
                "\tf64 x[N], u8 flag[N]) {\n"
                "\tfor (int i = 0; i < N; i++) {\n"
                "\t\tdouble s = b[i];\n"
                "\t\tfor (int j = 0; j < i; j++) s -= L[i][j] * x[j];\n"
                "\t\tx[i] = s / (L[i][i] + 3);\n"
                "\t\tflag[i] = x[i] > 0;\n\t}\n}\n")
        path = self.write("f.dsl", text)
        out = self.run_it("run", path, "-DN=9", "--sanitize=all")
        self.assertIn("x f64[9]: verified against the interpreter", out.stdout, out.stderr)
        self.assertIn("flag u8[9]: verified against the interpreter", out.stdout, out.stderr)
        out = self.run_it("build", path, "--emit=poly", "--stop-after=deps",
                          "-o", "-")
        self.assertIn("program \"forward\"", out.stdout)
        self.assertIn("\nfp strict\n", out.stdout)
        path = self.write("f.dsl", text.replace("x[j]", "y[j]"))
        out = self.run_it("check", path)
        self.assertEqual(out.returncode, 1)
        self.assertIn("f.dsl:7:46: error[E251]: 'y' is not declared",
                      out.stderr)

    NESTS = ("# two nests # and a function\n/* x */ # and more\n"
             "nest first(param N, f32 x[N]) { # adds\n"
             "\tfor (int i = 0; i < N; i++) x[i] += one();\n}\n"
             "#pragma once\nstatic f32 one(void) { return 1; };\n"
             "nest second(param N, f32 x[N]) { // sums # up\n"
             "\tfor (int i = 1; i < N; i++) x[i] += x[i-1]; /* # */\n}\n")

    def test_nests(self):
        """Several in a file, with comments of the language."""
        path = self.write("f.dsl", self.NESTS)
        out = self.run_it("check", path)
        self.assertEqual(out.returncode, 1)
        self.assertIn("f.dsl:8:6: error[E154]: 2 functions could be meant",
                      out.stderr)
        for name, flow in [("first", False), ("second", True)]:
            out = self.run_it("build", path, f"--function={name}",
                              "--emit=deps", "-o", "-")
            self.assertEqual(out.returncode, 0, out.stderr)
            self.assertEqual("RAW S1 -> S1" in out.stdout,
                             flow, out.stdout)
            out = self.run_it("run", path, f"--function={name}", "-DN=9",
                              "--sanitize=all")
            self.assertIn("x f32[9]: verified against the interpreter", out.stdout, out.stderr)

    def test_nests_and_nothing_else(self):
        for more, place in [("y(i) = x(i);\n", "11:1"),
                            ("typedef f32 real;\n", "11:1")]:
            path = self.write("f.dsl", self.NESTS + more)
            out = self.run_it("check", path, "--function=first")
            self.assertEqual(out.returncode, 1, out.stdout)
            self.assertIn(f"f.dsl:{place}: error[E107]: expected a nest, "
                          f"found '{more.split('(')[0].split(' ')[0]}'",
                          out.stderr)

    def test_versions(self):
        """What calls make of sums of odd numbers are squares: text above a call
        reads the version before, text below it the one behind.
        """
        path = self.write("f.dsl", """nest sums(param n, i32 a[n]) {
	for (int i = 1; i < n; i++) a[i] += a[i-1];
}
param N;
a(i) for 0 <= i < N = 2*i + 1;
out first(i) = a(i) - i32(2*i + 1);
late(i) = below(i) - i32((i + 1)*(i + 1));
sums(a);
out second(i) = a(i) - i32((i + 1)*(i + 1));
below(i) = a(i);
sums(a);
out third(i) = 6*a(i) - i32((i + 1)*(i + 2)*(2*i + 3));
out fourth(i) = late(i);
""")
        names = ["first", "second", "third", "fourth"]
        out = self.run_it("run", path, "-DN=50", "--sanitize=all",
                          *[f"--output={n}={n}.npy" for n in names])
        self.assertEqual(out.returncode, 0, out.stderr)
        for name in names:
            with open(os.path.join(self.folder.name, name + ".npy"),
                      "rb") as f:
                self.assertEqual(f.read()[-200:], bytes(200), name)

    def test_pieces_and_calls(self):
        """What a call leaves out has no place in the order of the program."""
        path = self.write("f.dsl", """nest fill(param n, i32 a[n][n]) {
\tfor (int i = 0; i < n; i++)
\t\ta[i][0] = 1;
}
nest nothing(param n, i32 a[n][n]) {
\tfor (int i = n; i < n; i++)
\t\ta[i][0] = 2;
}
Params N;
Matrix A(N,N);
B(i,j) = case { i == j: 1; else: A(j,i); };
fill(A);
fill(B);
nothing(B);
CodeGen(INT, {B});
""")
        for size in "0", "1", "11":
            for how in [], ["--parametric"]:
                out = self.run_it("run", path, "-DN=" + size,
                                  "--sanitize=all", *how)
                self.assertEqual(out.returncode, 0, out.stderr)

    def test_calls(self):
        """A nest is told of once however often it is called; sizes that it
        cannot have, and a nest that nobody calls, are told.
        """
        text = """param N;
tensor f32 x(N);
nest first(param n, f32 a[n]) { a[0] = 1; }
nest second(param n, f32 a[n]) {
	for (int i = 0; i < n; i++) a[i] += zz;
}
second(x);
second(x);
first(x);
"""
        path = self.write("f.dsl", text)
        out = self.run_it("check", path)
        self.assertEqual(out.returncode, 1)
        self.assertEqual(out.stderr.count("error["), 1, out.stderr)
        self.assertIn("f.dsl:5:38: error[E251]: 'zz' is not declared",
                      out.stderr)
        path = self.write("f.dsl", text.replace("zz", "a[0]"))
        out = self.run_it("check", path)
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        path = self.write("f.dsl", text.replace(
            "a[i] += zz;", "a[i] += 1;\n\tfirst(n, a);").replace(
            "first(x);\n", ""))
        out = self.run_it("check", path)
        self.assertEqual((out.returncode, out.stderr), (0, ""))
        path = self.write("f.dsl", text.replace("zz", "a[0]").replace(
            "second(x);\n", ""))
        out = self.run_it("check", path)
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("f.dsl:4:6: warning[W124]: the nest 'second' is never "
                      "called", out.stderr)
        out = self.run_it("check", path, "-DN=0")
        self.assertEqual(out.returncode, 1)
        self.assertIn("f.dsl:7:1: error[E268]: with the sizes given, accesses "
                      "leave their arrays; they assume N > 0", out.stderr)

    def test_scatter_is_told(self):
        out = self.run_it("check", self.write("f.c", "void f(int n, int k[n],"
                          " int a[9])\n{ for (int i = 0; i < n; i++)\n"
                          "\ta[k[i]] = i;\n}\n"))
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("f.c:3:2: warning[W283]: each element of 'a' may "
                      "be compared", out.stderr)

    def test_gather(self):
        """The text of a gather reads back; a statement does not write its array."""
        path = self.write("f.c", "void f(int n, const int k[n], const double "
                          "a[9], double b[n]) { for (int i = 0; i < n; i++) "
                          "b[i] = a[k[i] + 4]; }\n")
        out = self.run_it("run", path, "-Dn=20", "--roundtrip",
                          "--sanitize=all")
        self.assertIn("b f64[20]: verified against the interpreter", out.stdout, out.stderr)
        out = self.run_it("build", path, "--emit=poly", "--stop-after=deps",
                          "-o", "-")
        self.assertIn("(gather a (cast i64 ", out.stdout)
        text = self.write("f.poly", out.stdout.replace("(gather a ",
                                                       "(gather b "))
        out = self.run_it("build", text, "--from=poly", "-o", "-")
        self.assertEqual(out.returncode, 1)
        self.assertIn("S1 cannot gather from b", out.stderr)

    def test_gather_outside(self):
        """The checks see a subscript that is no element."""
        path = self.write("f.c", "void f(int n, const int k[n], const double "
                          "a[3], double b[n]) { for (int i = 0; i < n; i++) "
                          "b[i] = a[k[i] + 100]; }\n")
        out = self.run_it("run", path, "-Dn=2", "--sanitize=all",
                          "--no-verify")
        self.assertEqual(out.returncode, 5, out.stderr)
        self.assertIn("f.c:1: a", out.stderr)

    ROWS = ("void f(int n, int m, const int row[n + 1], const float a[m],\n"
            "float y[n])\n{ for (int i = 0; i < n; i++) {\n\ty[i] = 0;\n"
            "\tfor (int j = row[i]; j < row[i + 1]; j++) y[i] += a[j];\n} }\n")

    def test_bounds_that_are_data(self):
        """The text of a loop reads back; what it reads outside is named, and
        is 0 on a device."""
        path = self.write("f.c", self.ROWS)
        sizes = ["-Dn=3", "-Dm=5"]
        out = self.run_it("run", path, *sizes, "--input=row=[0,2,2,5]",
                          "--roundtrip", "--sanitize=all")
        self.assertIn("y f32[3]: verified against the interpreter", out.stdout,
                      out.stderr)
        many = ["-Dn=2", "-Dm=99", "--input=row=[1,1,98]", "--fp=reassoc"]
        out = self.run_it("run", path, *many, "--roundtrip", "--sanitize=all")
        self.assertIn("y f32[2]: verified against the interpreter", out.stdout,
                      out.stderr)
        out = self.run_it("build", path, "--fp=reassoc", "--emit=poly", "-o",
                          "-")
        self.assertIn(" across 32", out.stdout)
        far = self.write("far.c", self.ROWS.replace(
            "\ty[i] = 0;\n", "\tint from = row[i], to = row[i + 1];\n").replace(
            "j = row[i]; j < row[i + 1];", "j = from; j < to;"))
        for m, lanes in ((2000, 4), (20000, 8), (90000, 32)):
            out = self.run_it("build", far, "--fp=reassoc", "-Dn=1000",
                              "-Dm=%d" % m, "--emit=poly", "-o", "-")
            self.assertIn(" across %d" % lanes, out.stdout)
            self.assertEqual(out.stdout.count("\nkernel "), 1)
        out = self.run_it("run", far, *many, "--sanitize=all")
        self.assertIn("y f32[2]: verified against the interpreter", out.stdout,
                      out.stderr)
        out = self.run_it("run", path, *sizes, "--input=row=[0,2,2,7]")
        self.assertEqual(out.returncode, 1)
        self.assertIn("f.c:5:52: 'a' is read at position 5 of "
                      "dimension 1, which goes from 0 to 4", out.stderr)
        out = self.run_it("run", path, *sizes, "--input=row=[-3,2,1,4]",
                          "--no-verify", "--sanitize=bounds")
        self.assertEqual(out.returncode, 5)
        self.assertIn("f.c:5: a", out.stderr)
        out = self.run_it("run", path, *sizes, "--input=row=[-3,2,1,4]",
                          "--input=a=[1,2,4,8,16]", "--expect=y=[3,0,14]",
                          "--no-verify")
        self.assertEqual(out.returncode, 0, out.stderr)
        out = self.run_it("build", path, "--emit=poly", "--stop-after=deps",
                          "-o", "-")
        self.assertNotIn("lane", out.stdout)
        self.assertIn("(add (carry f32 0) (gather a (cast i64 (cast i32 (step i64 0)"
                      ")))", out.stdout)
        text = self.write("f.poly", out.stdout.replace("(step i64 0)",
                                                       "(step i64 1)"))
        out = self.run_it("build", text, "--from=poly", "-o", "-")
        self.assertEqual(out.returncode, 1)
        self.assertIn("has a step without its loop", out.stderr)

    POINTERS = ("void f(int n, int m, const int col[n], const float *x, "
                "float *y, float (*z)[2])\n"
                "{ for (int i = 0; i < n; i++) {\n"
                "\ty[i] = x[col[i] + 4];\n\tz[col[i] + 4][1] += 1;\n} }\n")

    def test_stated_extents(self):
        """Subscripts that are data, of pointers whose extents options give."""
        path = self.write("f.c", self.POINTERS)
        out = self.run_it("check", path)
        self.assertIn("f.c:3:11: error[E284]: this subscript of 'x' is data, "
                      "which needs an extent: declare x[SIZE], or give "
                      "--extent=x=SIZE", out.stderr)
        self.assertIn("f.c:4:4: error[E284]: this subscript of 'z'",
                      out.stderr)
        stated = ["--extent=x=m + 9", "--extent=z=2*m+9"]
        out = self.run_it("run", path, *stated, "-Dn=20", "-Dm=3",
                          "--sanitize=all", "--verify=both")
        self.assertIn("y f32[20]: verified against the interpreter", out.stdout,
                      out.stderr)
        self.assertIn("z f32[15,2]: agrees with", out.stdout)
        for wrong, said in [
                ("xx=9", "f.c: error[E163]: --extent=xx=9: there is no such"),
                ("m=9", "f.c:1:19: error[E163]: --extent=m=9: this is no"),
                ("col=9", "f.c:1:32: error[E163]: --extent=col=9: this array "
                 "has one"),
                ("x=k", "f.c:1:53: error[E163]: --extent=x=k: the size is no "
                 "expression"), ("x=", "--extent=x=: the size is no")]:
            out = self.run_it("check", path, "--extent=" + wrong)
            self.assertEqual(out.returncode, 1)
            self.assertIn(said, out.stderr)
        out = self.run_it("check", path, "--extent=x")
        self.assertEqual(out.returncode, 2)

    LOCAL = ("void use(double);\nvoid f(int n)\n{\n\tdouble a[n], b[n], s;\n"
             "#pragma scop\n\tfor (int i = 0; i < n; i++) {\n"
             "\t\ta[i] = i; b[i] = a[i] + 1; s = i;\n\t}\n"
             "#pragma endscop\n\tuse(%s);\n}\n")

    def test_live_out(self):
        """What is declared in front of a region counts behind it by the text,
        or as the option says."""
        self.assertEqual(self.roles(self.LOCAL % "a[0]"), {
            "n": "param", "a": "output"})
        self.assertEqual(self.roles(self.LOCAL % "a[0]", "--live-out=all"), {
            "n": "param", "a": "output", "b": "output"})
        self.assertEqual(self.roles(self.LOCAL % "1", "--live-out=b",
                                    "--live-out=s"), {
            "n": "param", "a": "temp", "b": "output", "s": "inout"})
        path = self.write("f.c", self.LOCAL % "1")
        out = self.run_it("check", path)
        self.assertIn("error[E271]: the nest changes nothing that is seen "
                      "outside; --live-out=all counts the arrays", out.stderr)
        out = self.run_it("check", path, "--live-out=bb")
        self.assertEqual(out.returncode, 1)
        self.assertIn("error[E164]: --live-out=bb: no variable of this name is"
                      " declared in front of the region; did you mean b",
                      out.stderr)

    def refused(self, text, *parts):
        path = self.write("f.c", text)
        out = self.run_it("build", path, "--emit=object", "--drop-in", "-o",
                          os.path.join(self.folder.name, "f.o"))
        self.assertEqual(out.returncode, 1, out.stderr)
        for part in parts:
            self.assertIn(part, out.stderr)

    def test_drop_in_refused(self):
        loop = "for (int i = 0; i < 9; i++)\n\t\ta[i] = b[i];\n"
        self.refused("static double a[9];\nvoid f(double b[9])\n{\n\t" +
                     loop + "}\n", "f.c:1:15: error[E157]: no object can "
                     "stand in the place of the function: this variable is "
                     "static")
        self.refused("double a[9] = { 1 };\nvoid f(double b[9])\n{\n\t" +
                     loop + "}\n", "f.c:1:8: error[E157]", "given a value")
        self.refused("void g(double *);\nvoid f(double b[9])\n{\n"
                     "\tdouble a[9];\n#pragma scop\n\t" + loop +
                     "#pragma endscop\n\tg(a);\n}\n",
                     "f.c:4:9: error[E157]", "outside of the region",
                     "f.c:9:2: error[E157]")
        self.refused("typedef struct { int x; } s;\nvoid f(double a[9], "
                     "double b[9], s t)\n{\n\t" + loop + "}\n",
                     "f.c:2:36: error[E157]", "has no tag")
        self.refused("struct s { int x; };\nvoid f(double a[9], double b[9],"
                     " struct s)\n{\n\t" + loop + "}\n",
                     "f.c:2:1: error[E157]", "cannot be passed on")
        self.refused("struct s { int x; double y; };\nstatic struct s t;\n"
                     "void f(double a[9], double b[9])\n{\n\ta[0] = t.y;\n\t" +
                     loop + "}\n", "f.c:2:17: error[E157]",
                     "this variable is static")
        self.refused("struct s { int x; double y[1200]; };\n"
                     "void f(double a[9], double b[9], struct s *t)\n{\n"
                     "\ta[0] = t->y[0];\n\t" + loop + "}\n",
                     "f.c:2:44: error[E157]", "is too large")

    def test_bound_of_what_a_sum_begins_with(self):
        """The rounding of a sum counts what its cell held before: an input,
        or what another statement put there."""
        self.write("axpy.c", """
void axpy(int n, int m, float a, const float x[n], float y[n], float z[n][m])
{
	for (int i = 0; i < n; i++)
		y[i] += a * x[i];
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			z[i][j] = 1000.0f + x[i] * 3.0f;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < m; j++)
			z[i][j] -= x[j % n] * 7.0f;
}
""")
        for fp in "strict", "reassoc":
            p = self.run_it("run", "axpy.c", "--fp=" + fp, "-Dn=400", "-Dm=7",
                            "--verify=full")
            self.assertEqual(p.returncode, 0, p.stdout + p.stderr)
            self.assertIn("400 of 400 elements", p.stdout + p.stderr)

    def test_fp(self):
        path = self.write("f.c", "void f(int n, double a[n]) { for (int i ="
                          " 0; i < n; i++) a[0] += a[i]; }\n")
        for args, fp in ([], "strict"), (["--fp=relaxed"], "relaxed"):
            out = self.run_it("build", path, "--emit=poly",
                              "--stop-after=deps", *args)
            self.assertIn("\nfp %s\n" % fp, out.stdout)


if __name__ == "__main__":
    unittest.main()
