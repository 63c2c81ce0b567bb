"""The verb test, and --expect and values of the verb run, which it is made of."""
import os
import unittest
import xml.etree.ElementTree

import command

FAKE = os.environ.get("CETANE_FAKE_CUDA")
SUMS = """{cases}
param M, N;
tensor f32 X(M,N);
out Y(i) = sum(j: X(i,j));
out Z(i) = sum(j: X(i,j)) + 0.25;
"""
GOOD = """# test: M=30 N=40
# random: 5
# A comment that is none of its lines.
# test: M=2 N=2
# input: X = [[1, 2], [3, 4]]
# output: Y = [3, 7]
# test: M=2 N=2 --within=0.3
# output: Y = Z
# test: M=2
# error: size N has [a-z]+ value"""
# Reads what nothing has written from n = 5 on.
HALF = """// test: n=37
void f(int n, const double x[n], double y[n])
{
	double t[n];
	for (int i = 0; i < n; i++)
		if (i < 4)
			t[i] = x[i];
	for (int i = 0; i < n; i++)
		y[i] = t[i];
}
"""


class Case(command.Case):
    def cetane(self, *args, **more):
        out, err = super().cetane(*args, **more)
        return out.decode(), err


class Test(Case):
    def sums(self, cases, name="sums.dsl"):
        self.write(name, SUMS.format(cases=cases))
        return name

    def test_good(self):
        out, _ = self.cetane("test", self.sums(GOOD), "--device=host")
        self.assertEqual(out, "".join(
            f"ok      sums.dsl:{line}: {title} [host]\n" for line, title in [
                (1, "M=30 N=40"), (4, "M=2 N=2"), (7, "M=2 N=2 --within=0.3"),
                (9, "M=2")]) + "4 passed, 0 failed\n")

    @unittest.skipUnless(FAKE, "there is no fake driver")
    def test_all_devices(self):
        """Without --device each GPU runs the cases, too, in processes of their own."""
        out, _ = self.cetane("test", self.sums("# test: M=3 N=4"), code=5,
                             env={"CETANE_DRIVER": FAKE})
        self.assertIn("ok      sums.dsl:1: M=3 N=4 [host]", out)
        self.assertIn("FAILED  sums.dsl:1: M=3 N=4 [cuda:0]", out)
        # A driver refuses children of a process that has called it. The kernels of
        # this one do nothing.
        self.assertIn("was never written", out)

    def test_sanitized(self):
        self.cetane("test", self.sums("# test: M=3 N=4"), "--sanitize=all",
                    "--host-orders=3", "--device=host")

    def test_wrong(self):
        out, _ = self.cetane("test", self.sums(
            "# test: M=2 N=2\n# input: X = [[1, 2], [3, 4]]\n"
            "# output: Y = [3, 8]\n# test: M=2 N=1\n# output: Y = Z\n"
            "# test: M=2\n# error: nothing of the kind\n"
            "# test: M=1 N=1\n# error: .\n# test: M=1 N=1"),
            "--device=host", code=5)
        for text in ["FAILED  sums.dsl:1: M=2 N=2", "Y[1] is 7, not 8",
                     "WRONG, 1 of 2 elements, against the values",
                     "WRONG, 2 of 2 elements, against Z",
                     "E701", "an error was expected: nothing of the kind",
                     "an error was expected: .\n",
                     "ok      sums.dsl:10", "1 passed, 4 failed"]:
            self.assertIn(text, out)

    def test_nothing_shown(self):
        """A case of which all is NaN passes no more than one that is wrong."""
        self.write("root.dsl", "param N;\ntensor f32 X(N);\n"
                   "out Y(i) = sqrt(-1.0 - X(i)*X(i));\n"
                   "# test: N=3\n# test: N=0\n")
        out, _ = self.cetane("test", "root.dsl", "--device=host", code=5)
        self.assertIn("FAILED  root.dsl:4: N=3", out)
        self.assertIn("no element has a bound", out)
        self.assertIn("ok      root.dsl:5: N=0", out)

    def test_shrunk(self):
        """A random case that goes wrong is told with the smallest sizes."""
        self.write("half.c", HALF)
        out, _ = self.cetane("test", "half.c", "--device=host", code=5)
        self.assertIn("it fails, too, for n=5\n", out)

    def test_files(self):
        """Several programs; files beside them; JUnit's XML."""
        os.mkdir(self.path("a"))
        one = self.sums("# test: M=2 N=3", "one.dsl")
        self.cetane("run", one, "-DM=2", "-DN=3", "-o", "Y=a/y.npy",
                    "-o", "Z=a/z.npy")
        self.sums("# test: M=2 N=3\n# output: Y = y.npy\n"
                  "# test: M=2 N=3\n# output: Y = z.npy", "a/two.dsl")
        out, _ = self.cetane("test", one, "a/two.dsl", "--device=host",
                             "--junit=<&>.xml", code=5)
        self.assertIn("2 passed, 1 failed", out)
        root = xml.etree.ElementTree.parse(self.path("<&>.xml")).getroot()
        self.assertEqual(root.attrib, {"tests": "3", "failures": "1"})
        self.assertEqual([s.attrib["name"] for s in root],
                         ["one.dsl", "a/two.dsl"])
        self.assertEqual(root[1][0].attrib["name"],
                         "line 1: M=2 N=3 [host]")
        self.assertEqual(root[1][1][0].attrib, {"message": "exit code 5"})
        self.assertIn("against a/z.npy", root[1][1][0].text)

    def test_comments(self):
        """Those of C, in lines of their own; what only looks like a case."""
        self.write("f.c", "/* test: n=4 */\n/*\n * test: n=5\n"
                   " * error: no such thing\n */\n// a test: none\n"
                   "// input: none\nvoid f(int n, double x[n])\n{\n"
                   "\tfor (int i = 0; i < n; i++) x[i] = 2 * x[i];\n}\n")
        out, _ = self.cetane("test", "f.c", "--device=host", code=5)
        self.assertIn("ok      f.c:1: n=4", out)
        self.assertIn("FAILED  f.c:3: n=5", out)

    def test_lines(self):
        for cases, says in [
                ("# test: M", r"sums.dsl:1:3: error.E725.: test: takes sizes"),
                ("# test: M=1\n# random: x", r":2:3: error.E725.: random: takes a "
                 r"seed, such as 7\n +# random: x\n +\^"),
                ("# test: error: no size", "error: begins a line of its own, "
                 "behind that of test:"),
                ("# test: M=1\n# input: X", "NAME = VALUES was expected"),
                ("# test: M=1 --output=Y=x.npy", "test: takes sizes"),
                ("# test: M=1 --config=x", "test: takes sizes"),
                ("# test: M=1 -ox=y", "test: takes sizes"),
                ("# test: M=1\n# input: X = /x.npy", "a .npy file beside"),
                ("# test: M=1\n# input: X = ../x.npy", "a .npy file beside"),
                ("# test: M=1\n# input: X = a/x", "a .npy file beside"),
                ("# test: M=1\n# input: X = x", "a .npy file beside"),
                ("# test: M=1\n# output: Y = ./x", "a .npy file beside"),
                ("# test: M=1\n# error:", "takes a regular expression"),
                ("# test: M=1\n# error: (", ":1:3: .*[Uu]nmatched"),
                ("# test: M=1\n# outptu: Y = 1", "in a case there are"),
                ("# tests: M=1", "E726.*has no case")]:
            _, err = self.cetane("test", self.sums(cases), "--device=host",
                                 code=1)
            self.assertRegex(err, says, cases)
        self.cetane("test", code=2)
        self.cetane("test", "none.dsl", code=1)
        _, err = self.cetane("test", self.sums(GOOD), "--device=tpu", code=5)
        self.assertEqual(err, "")


class Expect(Case):
    def run_it(self, *args, code=0):
        self.write("sums.dsl", SUMS.format(cases=""))
        return self.cetane("run", "sums.dsl", "-DM=2", "-DN=2",
                           "--input=X=[[1, 2.5], [3, -4e0]]", *args,
                           code=code)

    def test_values(self):
        out, _ = self.run_it("--expect=Y=[3.5, -1]")
        self.assertIn("Y f32[2]: the same as the values: 2 of 2", out)
        _, err = self.run_it("--expect=Y=[3.6, -1]", code=5)
        self.assertIn("Y[0] is 3.5, not 3.5999", err)
        self.run_it("--expect=Y=[3.6, -1]", "--within=0.05")

    def test_words(self):
        self.write("same.dsl", "param N;\ntensor bool X(N);\ntensor i64 K(N);\n"
                   "out Y(i) = X(i);\nout L(i) = K(i);\n")
        self.cetane("run", "same.dsl", "-DN=2", "--input=X=[true,false]",
                    "--input=K=[-7, 8]", "--expect=Y=[true, false]",
                    "--expect=L=[-7, 8]")
        self.cetane("run", "same.dsl", "-DN=1", "--input=K=5",
                    "--expect=L=[5]")

    def test_bad_values(self):
        for values, says in [
                ("[1, 2", "\\] or , was expected"), ("[1 2]", "was expected"),
                ("[[1], [2, 3]]", "different lengths"),
                ("[1, [2]]", "different depth"), ("[[]]", "but Y is f32"),
                ("[x]", "a number was expected"),
                ("[1, 2] 3", "text behind the values"),
                ("[1, 2, 3]", "holds f32.3., but Y is f32.2."),
                ("[" * 40, "nested too deep")]:
            _, err = self.run_it("--expect=Y=" + values, code=1)
            self.assertRegex(err, says, values)
        _, err = self.run_it("--expect=X=[1]", code=2)
        self.assertIn("option --expect: X is no output", err)
        _, err = self.run_it("--expect=Y=sums", code=1)
        self.assertIn("neither values nor a .npy file nor an output", err)
        self.run_it("--expect=Y=none.npy", code=1)


if __name__ == "__main__":
    unittest.main()
