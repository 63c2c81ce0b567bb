#!/usr/bin/env python3
"""Reduces and scans by functions: into which kernels they go.

usage: test_reduce.py CETANE
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

CETANE = os.path.abspath(sys.argv.pop(1))
TEXT = """float most(float x, float y) { return x < y ? y : x; }
float f(float[] xs) { return reduce(most, -1000.0, xs); }
"""


class Reduce(unittest.TestCase):

    def kernels(self, n, *options, text=TEXT):
        """What "inspect --explain" says of each kernel, and of the workspace."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "f.dag")
            with open(path, "w") as f:
                f.write(text)
            done = subprocess.run(
                [CETANE, "inspect", "--explain", path, "-Dxs_0=%d" % n,
                 *options], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        head, *rest = re.split(r"^kernel ", done.stdout, flags=re.M)
        words = re.search(r"_arrived u64\[(\d+)\]", head)
        return rest, int(words[1]) if words else 0

    def test_pieces(self):
        """Blocks wait for one another only for what pieces make."""
        kernels, words = self.kernels(1 << 24)
        self.assertEqual(len(kernels), 2)
        self.assertLess(words, 16)
        for n in (1 << 24) - 1, 3 << 20, 1000003:
            kernels, words = self.kernels(n)
            self.assertLess(len(kernels), 5)
            self.assertLess(words, 16)

    def test_vectors(self):
        """Pieces begin where several elements can be read at once."""
        for n in 1 << 24, 1000003:
            self.assertIn("4 elements at once", self.kernels(n)[0][0])

    def test_strict(self):
        """The text's own grouping is kept where it is asked for."""
        kernels, words = self.kernels(1 << 24, "--fp=strict")
        self.assertEqual(len(kernels), 1)

    def test_read_anywhere(self):
        """A scan by a function stays one if data tell where it is read."""
        text = TEXT.split("\n")[0] + "\nfloat[] f(float[] xs) { " \
            "float[] s = scan(most, -9.0, xs); return for (float x : xs) " \
            "{ return s[int(x)] + s[int(x) + 1]; }; }\n"
        kernels, words = self.kernels(1000000, text=text)
        self.assertEqual(len(kernels), 2)
        self.assertGreater(words, 100)

    def test_short(self):
        self.assertEqual(len(self.kernels(100000)[0]), 1)


if __name__ == "__main__":
    unittest.main()
