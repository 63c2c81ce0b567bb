#!/usr/bin/env python3
"""Nests in files of the language, and calls of them.

usage: nests.py CETANE
"""
import os
import unittest

from c_case import Case


class Nests(Case):
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


if __name__ == "__main__":
    unittest.main()
