#!/usr/bin/env python3
"""Regions of C functions: what counts in front of them and behind.

usage: regions.py CETANE
"""
import unittest

from c_case import Case


class Regions(Case):
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

    def test_blocks_in_front_of_region(self):
        """Blocks that ended have taken their names with them."""
        text = """
void f(double A[10])
{
	int m = 10;
	{
		double m[3], A[7][7];
	}
#pragma scop
	for (int i = 0; i < m; i++)
		A[i] = 1;
#pragma endscop
}
"""
        self.assertEqual(self.roles(text), {"m": "param", "A": "inout"})

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


if __name__ == "__main__":
    unittest.main()
