#!/usr/bin/env python3
"""The text of a program that scatters: what it means, and what is wrong in one.

usage: test_scatter.py CETANE
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

CETANE = os.path.abspath(sys.argv.pop(1))
FILTER = "int[] f(int[] xs, bool[] bs) { return filter_with(xs, bs); }\n"


class Scatter(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        path = self.path("f.dag")
        with open(path, "w") as f:
            f.write(FILTER)
        done = self.call("build", path, "-Dxs_0=1000", "--emit=poly", "-o",
                         self.path("f.poly"))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.path("f.poly")) as f:
            self.text = f.read()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def call(self, *args):
        return subprocess.run([CETANE, *args], text=True, capture_output=True,
                              cwd=self.folder.name)

    def run_with(self, value):
        """The program with "value" in the place of what it scatters."""
        text, n = re.subn(r"value \(scatter 0 (.*) (\(cast i64 .*\))\)\n",
                          lambda m: "value %s\n" % value(m[1], m[2]),
                          self.text)
        self.assertEqual(n, 1)
        with open(self.path("g.poly"), "w") as f:
            f.write(text)
        return self.call("run", self.path("g.poly"), "--from=poly",
                         "--device=host", "--sanitize=all", "-Dxs_0=1000")

    def test_reads_back(self):
        done = self.run_with(lambda v, at: "(scatter 0 %s %s)" % (v, at))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_another_permutation(self):
        back = "(sub (const i64 999) %s)"
        done = self.run_with(lambda v, at: "(scatter 0 %s %s)" % (
            v, back % at))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_two_in_one_cell(self):
        done = self.run_with(lambda v, at: "(scatter 0 %s (const i64 3))" % v)
        self.assertIn("E706", done.stderr)

    def test_outside(self):
        done = self.run_with(lambda v, at:
                             "(scatter 0 %s (const i64 1000))" % v)
        self.assertIn("E708", done.stderr)

    def test_no_such_coordinate(self):
        done = self.run_with(lambda v, at: "(scatter 1 %s %s)" % (v, at))
        self.assertIn("E314", done.stderr)
        self.assertIn("cannot scatter into", done.stderr)

    def test_within_a_value(self):
        done = self.run_with(lambda v, at: "(neg (scatter 0 %s %s))" % (v, at))
        self.assertIn("E314", done.stderr)
        self.assertIn("in the midst of a value", done.stderr)

    def test_type_of_place(self):
        done = self.run_with(lambda v, at: "(scatter 0 %s (const i32 3))" % v)
        self.assertIn("E314", done.stderr)
        self.assertIn("mixes types", done.stderr)


if __name__ == "__main__":
    unittest.main()
