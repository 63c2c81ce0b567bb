#!/usr/bin/env python3
"""Arrays of C functions: roles, extents, and subscripts and bounds that are data.

usage: arrays.py CETANE
"""
import unittest

from c_case import Case


class Arrays(Case):
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
        for m, lanes in ((20000, 4), (40000, 8), (180000, 32)):
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


if __name__ == "__main__":
    unittest.main()
