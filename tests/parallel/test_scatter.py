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


class Work(unittest.TestCase):
    """Nothing that has no order goes over cells and updates both."""

    def statements(self, op, kind, place="int", *options):
        """(name, sizes that its instances depend on, is it atomic?) of each."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.dag")
            with open(path, "w") as f:
                f.write("%s[] f(%s[] xs, %s[] is, %s[] ys) "
                        "{ return scatter(%s, xs, is, ys); }\n" % (
                            kind, kind, place, kind, op))
            done = subprocess.run(
                [CETANE, "build", path, "-Dxs_0=3000", "-Dis_0=5000",
                 "--emit=poly", "-o", "f.poly", *options], text=True,
                capture_output=True, cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(folder, "f.poly")) as f:
                text = f.read()
        found = re.findall(r"^stmt (\w+) point \"(?:\[.*?\] -> )?"
                           r"\{(.*)\}\".*\n  write .*?\"( .*)?$", text, re.M)
        return [(name, {"xs_0", "is_0"} & set(re.findall(r"\w+", domain)),
                 "atomic" in how) for name, domain, how in found]

    def check(self, *args):
        statements = self.statements(*args)
        self.assertGreater(len(statements), 1)
        for name, sizes, atomic in statements:
            self.assertTrue(atomic or len(sizes) < 2, (args, name))
        return statements

    def test_floats(self):
        for op in "+", "max", "min", "*":
            self.check(op, "float")
        self.check("+", "f64", "i64")

    def test_others(self):
        for op, kind in ("*", "int"), ("+", "i16"), ("max", "u8"), (
                "+", "int"), ("max", "i64"):
            self.check(op, kind)

    def test_atomic(self):
        """Where memory does it, nothing is sorted."""
        for args in ("+", "int"), ("min", "u64"), (
                "+", "float", "int", "--fp=relaxed"):
            self.assertLess(len(self.check(*args)), 4, args)


class SortBy(unittest.TestCase):

    def text(self, kind):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.dag")
            with open(path, "w") as f:
                f.write("%s[] f(int[] ks, %s[] xs) "
                        "{ return sort_by(ks, xs); }\n" % (kind, kind))
            done = subprocess.run(
                [CETANE, "build", path, "-Dks_0=5000", "--emit=poly", "-o",
                 "-"], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_beside(self):
        """Short elements go along with their keys; others are found last."""
        for kind in "float", "int", "i8", "bool":
            self.assertNotIn("(gather xs", self.text(kind))
        self.assertIn("(gather xs", self.text("f64"))


if __name__ == "__main__":
    unittest.main()
