#!/usr/bin/env python3
"""The command with C files: macros, functions, and what it refuses.

usage: command.py CETANE
"""
import os
import unittest

from c_case import Case

COPY = """#include "extent.h"
void copy(int n, const double a[EXTENT], double b[EXTENT])
{
	for (int i = 0; i < n; i++)
		b[i] = FACTOR * a[i];
}
"""


class Command(Case):
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
