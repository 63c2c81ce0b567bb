#!/usr/bin/env python3
"""What the Dag language promises of a program beside its results: which tables its
functions follow, what it stores, how often something is computed, and what is said
of it.

usage: test_features.py CETANE
"""
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

CETANE = os.path.abspath(sys.argv.pop(1))
PRODUCT = """int dot(int[] a, int[] b) { return reduce(+, 0, zip_with(*, a, b)); }
int[][] mmult(int[][] A, int[][] B) {
	int[][] C = transpose(B);
	return for (int[] r : A) {
		return for (int[] c : C) { return dot(r, c); };
	};
}
"""
TABLE = """struct row { int least; int most; int log; int cut; float from; };
row[] f(int[] xs, int[] ys, float[] zs) {
	return for (int i : range(dim0(xs))) {
		return struct row { least = min(xs[i], ys[i]);
			most = max(xs[i], ys[i]); log = log2(xs[i]);
			cut = int_of_float(zs[i]); from = float_of_int(xs[i]); };
	};
}
"""


class Features(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def call(self, verb, text, *options):
        path = os.path.join(self.folder.name, "f.dag")
        with open(path, "w") as f:
            f.write(text)
        done = subprocess.run([CETANE, verb, path, *options], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def explain(self, text, *options):
        return self.call("inspect", text, "--explain", "--arch=sm_90a",
                         *options)

    def test_table(self):
        """min, max, log2 of an int, and conversions, at the ends of their ranges."""
        most, least = 2 ** 31 - 1, -2 ** 31
        xs = [0, 1, -1, most, least, 7, 8, 1023, 1024, 2 ** 24 + 1]
        ys = [1, 0, 5, -3, most, 7, 9, -1, least, 0]
        zs = [0.5, -0.5, 1.9, -1.9, 2147483520.0, float(least), -0.0, 3.0,
              16777217.0, -0.9999]
        want = {
            "least": [min(x, y) for x, y in zip(xs, ys)],
            "most": [max(x, y) for x, y in zip(xs, ys)],
            "log": [x.bit_length() - 1 if x > 0 else -1 for x in xs],
            "cut": [math.trunc(z) if z != 16777217.0 else 16777216
                    for z in zs],
            "from": [float(x) if x != 2 ** 24 + 1 else float(2 ** 24)
                     for x in xs],
        }
        want["from"][3] = 2147483648.0
        sizes = ["-D%s_0=%d" % (n, len(xs)) for n in ("xs", "ys", "zs")]
        given = [part for n, v in (("xs", xs), ("ys", ys), ("zs", zs))
                 for part in ("-i", "%s=%s" % (n, v))]
        self.call("run", TABLE, "--device=host", *sizes, *given, "--within=0",
                  *["--expect=result_%s=%s" % (n, v)
                    for n, v in want.items()])

    def test_views(self):
        """Views are positions: nothing is stored but what goes in and out."""
        small = ["-DA_0=64", "-DA_1=32", "-DB_1=48"]
        said = self.explain(PRODUCT, *small)
        self.assertIn("\nworkspace: 0 bytes\n", said)
        poly = self.call("build", PRODUCT, "--stop-after=cut", "--emit=poly",
                         "-o", "-", *small)
        arrays = re.findall(r"^array (\w+) \w+ (\w+)", poly, re.M)
        self.assertEqual(sorted(arrays), [("A", "input"), ("B", "input"),
                                          ("result", "output")])

    def test_hoisted(self):
        """What does not depend on the element is computed once."""
        said = self.explain(
            "int[] f(int[] xs, int[] ys) { return for (int x : xs) { "
            "return x * reduce(*, 1, ys); }; }", "-Dxs_0=1000", "-Dys_0=2000")
        work = sum(int(n) for n in re.findall(r"work +(\d+) operations", said))
        self.assertLess(work, 2 * (1000 + 2000))

    def test_candidates(self):
        """The ways to run a product are listed with what the model expects."""
        said = self.explain(PRODUCT, "-DA_0=1024", "-DA_1=1024", "-DB_1=1024")
        ranked = re.findall(r"ranked: (tile .*?): (\d+) cycles", said)
        chosen = re.search(r"chosen: (tile .*?): (\d+) cycles", said)
        self.assertGreater(len(set(ranked)), 1)
        self.assertLess(int(chosen[2]), 1.1 * min(int(c) for _, c in ranked))
        self.assertRegex(said, r"apart [\d+ ]+ cycles, as one \d+ at least")

    def test_merged(self):
        """Loops in one another are one launch, of all their points."""
        said = self.explain(
            "int[][] f(int[] xs, int[] ys) { return for (int x : xs) { return "
            "for (int y : ys) { return x * y + x; }; }; }",
            "-Dxs_0=1000", "-Dys_0=777")
        self.assertEqual(said.count("\nkernel "), 1)
        grid = re.search(r"grid .*: (\d+) x (\d+)$", said, re.M)
        block = re.search(r"block +(\d+) x (\d+) threads", said)
        threads = [int(grid[k]) * int(block[k]) for k in (1, 2)]
        self.assertGreaterEqual(threads[0], 777)
        self.assertGreaterEqual(threads[1], 1000)
        self.assertEqual(re.findall(r"result_def, (\w): (\w+)", said),
                         [("i", "parallel"), ("j", "parallel")])

    def test_access(self):
        """Neighbouring threads have neighbouring elements, and it is said so."""
        said = self.explain(
            "float axpy(float x, float y) { return 2.0 * x + y; }\n"
            "float[] f(float[] xs, float[] ys) { return zip_with(axpy, xs, ys);"
            " }", "-Dxs_0=4194304", "-Dys_0=4194304")
        sectors = re.findall(r"sectors +(\d+), at least +(\d+)", said)
        self.assertEqual(len(sectors), 3)
        for have, least in sectors:
            self.assertEqual(have, least)

    def test_filter_at_once(self):
        """A filter reads each element once, in one kernel, and stores no counts."""
        said = self.explain(
            "bool some(float x) { return x > 0.0; }\n"
            "float[] f(float[] xs) { return filter_with(some, xs); }",
            "-Dxs_0=4194304")
        self.assertEqual(said.count("\nkernel "), 1)
        self.assertEqual(re.findall(r"line \d+ +reads +(\w+) ", said), ["xs"])
        self.assertEqual(set(re.findall(r"line \d+ +writes +(\w+) ", said)),
                         {"result", "result_0"})

    def test_runs_at_once(self):
        """Runs of a scan that is read at an offset are stored by one instruction each."""
        ptx = self.call("build", "float[] f(float[] xs) { return exscan(+, 0.0, xs); }",
                        "--emit=ptx", "--arch=sm_90a", "-Dxs_0=67108864", "-o", "-")
        self.assertGreaterEqual(ptx.count("st.global.v4"), 7)
        self.assertLessEqual(ptx.count("st.global.b32"), 2)

    def test_analyses(self):
        """Lengths of arrays, positions of views, and what kernels take are printed."""
        self.assertIn("result[A_0,B_1]", self.call("check", PRODUCT))
        poly = self.call("build", PRODUCT, "--emit=poly", "--stop-after=cut",
                         "-o", "-")
        self.assertRegex(poly, r"read A \"\{ \w+\[(\w+), \w+, (\w+)\] -> "
                         r"A\[\(\1\), \(\2\)\]")
        self.assertRegex(poly, r"read B \"\{ \w+\[\w+, (\w+), (\w+)\] -> "
                         r"B\[\(\2\), \(\1\)\]")
        said = self.explain(PRODUCT, "-DA_0=64", "-DA_1=32", "-DB_1=48")
        self.assertIn("sizes: A_0 = 64 (fixed), A_1 = 32 (fixed), B_1 = 48",
                      said)
        self.assertEqual(sorted(set(re.findall(
            r"line \d+ +(?:reads|writes) +(A|B|result) ", said))),
            ["A", "B", "result"])


if __name__ == "__main__":
    unittest.main()
