#!/usr/bin/env python3
"""Rows whose length is data, some of them long, which are made in pieces.

usage: test_helped.py CETANE

Rows of a sparse matrix, by a vector and by a matrix, their largest element and their
products, under all checks and in several orders of blocks; elements that are small
integers, whose sums NumPy has exactly, and others, which must have the same bits in
each order. Rows that have elements together, for whose pieces there is no room; rows
of loops that do not begin at 0, in two dimensions, and of a kernel that is launched
again and again.
"""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

VECTOR = """void vector(int n, int m, int z, const int row[n + 1], const int col[z],
	const float val[z], const float x[m], float y[n], float top[n], long h[n])
{
	for (int i = 0; i < n; i++) {
		float s = 1;

		for (int j = row[i]; j < row[i + 1]; j++)
			s += val[j] * x[col[j]];
		y[i] = s;
	}
	for (int i = 0; i < n; i++) {
		float t = -100;

		for (int j = row[i]; j < row[i + 1]; j++)
			t = val[j] > t ? val[j] : t;
		top[i] = t;
	}
	for (int i = 0; i < n; i++) {
		h[i] = i;
		for (int j = row[i]; j < row[i + 1]; j++)
			h[i] ^= (long)col[j] << (j & 31);
	}
}
"""
MATRIX = """void matrix(int n, int m, int f, int z, const int row[n + 1],
	const int col[z], const double val[z], const double B[m][f], double C[n][f])
{
	for (int i = 0; i < n; i++)
		for (int j = row[i]; j < row[i + 1]; j++)
			for (int k = 0; k < f; k++)
				C[i][k] += val[j] * B[col[j]][k];
}
"""
AGAIN = """void again(int n, int t, int z, const int row[n + 1], const double val[z],
	double x[n], double y[n])
{
	for (int k = 0; k < t; k++) {
		for (int i = 2; i < n - 2; i++) {
			double s = 0;

			for (int j = row[i]; j < row[i + 1]; j++)
				s += val[j] * k;
			y[i] = s + x[i];
		}
		for (int i = 2; i < n - 2; i++)
			x[i] = y[n - 1 - i];
	}
}
"""
PLANES = """void planes(int n, int p, int z, const int row[p][n + 1], const long val[z],
	long y[p][n])
{
	for (int q = 1; q < p; q++)
		for (int i = 1; i < n; i++) {
			long s = 0;

			for (int j = row[q][i]; j < row[q][i + 1]; j++)
				s += val[j];
			y[q][i] = s;
		}
}
"""
START = """void start(int n, int z, const int row[n + 1], const double val[z],
	const double x[n], double y[n])
{
	for (int i = 0; i < n; i++) {
		y[i] = 2 * x[i];
		for (int j = row[i]; j < row[i + 1]; j++)
			y[i] += val[j];
	}
}
"""
UPDATES = """void updates(int n, int m, const int k[n], const float x[n], float y[m])
{
	for (int i = 0; i < n; i++)
		if (k[i] >= 0 && k[i] < m)
			y[k[i]] += x[i];
}
"""

IN_PLACE = """void in_place(int n, int z, const int row[n + 1], const float val[z], float y[n])
{
	for (int i = 0; i < n; i++)
		for (int e = row[i]; e < row[i + 1]; e++)
			y[i] = y[i] OP val[e];
}
"""


class Helped(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, length, m, f, whole):
        """A matrix with rows of such lengths; "whole": of small integers."""
        r = numpy.random.default_rng(len(length))
        row = numpy.concatenate([[0], numpy.cumsum(length)]).astype(numpy.int32)
        z = int(row[-1])

        def numbers(*shape):
            return r.integers(-9, 9, shape) if whole else r.standard_normal(shape)
        a = {"row": row, "col": r.integers(0, m, z).astype(numpy.int32),
             "val": numbers(z), "x": numbers(m).astype(numpy.float32),
             "B": numbers(m, f).astype(numpy.float64),
             "C": numbers(len(length), f).astype(numpy.float64)}
        for name, value in a.items():
            numpy.save(self.path(name + ".npy"), value)
        for t in "float32", "float64":
            numpy.save(self.path(t + ".npy"), a["val"].astype(t))
        self.size = {"n": len(length), "m": m, "f": f, "z": z}
        self.a = a

    def run_it(self, text, debug, *options):
        name = "matrix" if text is MATRIX else "vector"
        names = "row col B C" if text is MATRIX else "row col x"
        path = self.path(name + ".c")
        with open(path, "w") as out:
            out.write(text)
        args = [sys.argv[1], "run", path, "--fp=reassoc", *options,
                "--input=val=" + self.path("float64.npy" if text is MATRIX else
                                           "float32.npy")]
        args += ["--input=%s=%s" % (k, self.path(k + ".npy"))
                 for k in names.split()]
        args += ["-D%s=%d" % (k, v) for k, v in self.size.items()
                 if k != "f" or text is MATRIX]
        got = subprocess.run(args, capture_output=True, text=True,
                             env=dict(os.environ, CETANE_DEBUG=debug))
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        return got.stdout

    def result(self, text, debug, names, *options):
        files = {k: self.path(k + ".out.npy") for k in names}
        self.run_it(text, debug, "--no-verify", *options,
                    *["--output=%s=%s" % kv for kv in files.items()])
        return {k: numpy.load(v) for k, v in files.items()}

    def rows(self, fn):
        row = self.a["row"]
        return [fn(slice(row[i], row[i + 1])) for i in range(self.size["n"])]

    def check_whole(self, debug, *options):
        a = self.a
        got = self.result(VECTOR, debug, ["y", "top", "h"], *options)
        val, col, x = a["val"], a["col"].astype(numpy.int64), a["x"]
        want = self.rows(lambda s: 1 + (val[s] * x[col[s]]).sum())
        self.assertEqual(got["y"].tolist(), want)
        self.assertEqual(got["top"].tolist(), self.rows(
            lambda s: max([-100, *val[s]])))
        at = numpy.arange(len(col)) & 31
        bits = self.rows(lambda s: numpy.bitwise_xor.reduce(col[s] << at[s],
                                                            initial=0))
        self.assertEqual(got["h"].tolist(),
                         [i ^ int(b) for i, b in enumerate(bits)])
        got = self.result(MATRIX, debug, ["C"], *options)
        want = a["C"] + numpy.array(self.rows(lambda s: val[s] @ a["B"][col[s]]))
        self.assertEqual(got["C"].tolist(), want.tolist())

    def test_small(self):
        """Rows of 0 to 14 steps, where 3 are long, of few cells and many."""
        for f in 3, 40:
            self.write([0, 7, 3, 14, 1, 9, 2] * 5, 30, f, True)
            self.check_whole("helped", "--sanitize=all", "--host-orders=3")
            self.check_whole("helped")

    def test_long(self):
        """Rows that are long for everybody: the first, in the midst, the last."""
        length = [4000] + [5] * 30 + [0, 9000] + [3] * 20 + [20000]
        self.write(length, 50, 33, True)
        self.check_whole("")
        self.check_whole("roundtrip", "--host-orders=2", "--sanitize=bounds,uninit")

    def test_bits(self):
        """The same bits whoever has helped, and where the list is full."""
        for length in ([9] * 700, [5000, 1, 2, 70000] * 3):
            self.write(length, 40, 36, False)
            debug = "helped" if length[0] == 9 else ""
            for text, names in (VECTOR, ["y", "top", "h"]), (MATRIX, ["C"]):
                first = self.result(text, debug, names)
                for seed in 1, 2, 3:
                    again = self.result(text, debug, names,
                                        "--host-seed=%d" % seed)
                    for k in names:
                        self.assertEqual(first[k].tobytes(), again[k].tobytes())

    def call(self, text, given, size, out, *options, debug=""):
        """Run a program on the arrays of "given"; its array "out"."""
        name = text.split("(")[0].split()[1]
        with open(self.path(name + ".c"), "w") as file:
            file.write(text)
        args = [sys.argv[1], "run", self.path(name + ".c"), "--fp=reassoc",
                "--no-verify", "--output=%s=%s" % (out, self.path("out.npy"))]
        for k, v in given.items():
            numpy.save(self.path(k + ".npy"), v)
            args.append("--input=%s=%s" % (k, self.path(k + ".npy")))
        args += ["-D%s=%d" % kv for kv in size.items()]
        got = subprocess.run([*args, *options], capture_output=True, text=True,
                             env=dict(os.environ, CETANE_DEBUG=debug))
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)
        return numpy.load(self.path("out.npy"))

    def test_overlap(self):
        """Rows that have elements together: more pieces than there is room for."""
        z, n = 20000, 301
        row = numpy.zeros(n + 1, numpy.int32)
        row[1::2] = z - numpy.arange(len(row[1::2]))
        r = numpy.random.default_rng(1)
        val = r.integers(-9, 9, z)
        sums = numpy.concatenate([[0], numpy.cumsum(val)])
        want = [int(sums[b] - sums[a]) if b > a else 0
                for a, b in zip(row[:-1], row[1:])]
        for debug in "", "helped":
            got = self.call(PLANES, {"row": numpy.stack([row, row]), "val": val},
                            {"n": n, "p": 2, "z": z}, "y", debug=debug)
            self.assertEqual(got[1, 1:].tolist(), want[1:])

    def test_ends(self):
        """Rows whose ends lie before their beginnings, and below 0."""
        row = numpy.array([3, 5, 40, 7, 7, 4000, 3, 9000, 8990, -7], numpy.int32)
        val = numpy.random.default_rng(3).integers(-9, 9, 20000)
        want = [int(val[a:b].sum()) if a < b else 0
                for a, b in zip(row[:-1], row[1:])]
        for debug in "", "helped":
            got = self.call(PLANES, {"row": numpy.stack([row, row]), "val": val},
                            {"n": 9, "p": 2, "z": 20000}, "y", debug=debug)
            self.assertEqual(got[1, 1:].tolist(), want[1:])

    def test_planes(self):
        """Loops in two dimensions, that begin at 1; bounds beyond the elements."""
        r = numpy.random.default_rng(2)
        length = r.integers(0, 9, (4, 70))
        length[2, 5] = length[3, 69] = 4000
        row = numpy.zeros((4, 71), numpy.int32)
        row[:, 1:] = numpy.cumsum(length, 1)
        z = int(row.max()) - 9
        val = r.integers(-9, 9, z)
        want = [[int(val[row[q, i]:row[q, i + 1]].sum()) for i in range(1, 70)]
                for q in range(1, 4)]
        for debug in "", "helped":
            got = self.call(PLANES, {"row": row, "val": val},
                            {"n": 70, "p": 4, "z": z}, "y", debug=debug)
            self.assertEqual(got[1:, 1:].tolist(), want)

    def test_again(self):
        """A kernel in a loop of launches, each of which has long rows of its own."""
        r = numpy.random.default_rng(3)
        n, t = 60, 3
        length = r.integers(0, 9, n)
        length[[4, 30]] = 3000, 700
        row = numpy.concatenate([[0], numpy.cumsum(length)]).astype(numpy.int32)
        z = int(row[-1])
        val = r.integers(-9, 9, z)
        x = r.integers(-9, 9, n).astype(numpy.float64)
        want = x.copy()
        for k in range(t):
            old = want.copy()
            for i in range(2, n - 2):
                s = slice(row[i], row[i + 1])
                want[n - 1 - i] = (val[s] * k).sum() + old[i]
        for debug in "", "helped", "roundtrip":
            got = self.call(AGAIN, {"row": row, "x": x,
                                    "val": val.astype(numpy.float64)},
                            {"n": n, "t": t, "z": z}, "x", "--sanitize=all",
                            debug=debug)
            self.assertEqual(got.tolist(), want.tolist())

    def test_verified(self):
        self.write([300, 2, 0, 2000, 5, 40], 20, 35, False)
        for text, name in (VECTOR, "y f32[6]"), (MATRIX, "C f64[6,35]"):
            self.assertIn(name + ": verified against the interpreter",
                          self.run_it(text, "", "--sanitize=all"))

    def in_order(self, out, term, type_):
        """What "out" is behind the terms of each row, one after the other."""
        row, out = self.a["row"], out.astype(type_)
        for i in range(self.size["n"]):
            for j in range(row[i], row[i + 1]):
                out[i] = (out[i] + term(j).astype(type_)).astype(type_)
        return out

    def test_strict(self):
        """The order of the text: as one thread has it, in groups that end anywhere."""
        strict = "--fp=strict", "--no-contract"
        self.write([5000, 3, 1, 64, 0, 65, 127, 128, 129, 200], 20, 5, False)
        a, n = self.a, self.size["n"]
        val, col = a["val"].astype(numpy.float32), a["col"]
        want = self.in_order(numpy.ones(n), lambda j: val[j] * a["x"][col[j]],
                             numpy.float32)
        for options in [], ["--sanitize=all"]:
            got = self.result(VECTOR, "helped", ["y"], *strict, *options)
            self.assertEqual(got["y"].tolist(), want.tolist())
        want = self.in_order(a["C"], lambda j: a["val"][j] * a["B"][col[j]],
                             numpy.float64)
        got = self.result(MATRIX, "helped", ["C"], *strict)
        self.assertEqual(got["C"].tolist(), want.tolist())

    def test_strict_helped(self):
        """Products that are fused: the same bits, whoever makes a row."""
        for f in 3, 40:
            self.write([9, 60, 0, 2, 33, 45], 20, f, False)
            for text, name in (VECTOR, "y"), (MATRIX, "C"):
                alone, helped = (self.result(text, debug, [name], "--fp=strict")
                                 for debug in ("", "helped"))
                self.assertEqual(alone[name].tobytes(), helped[name].tobytes())

    def test_strict_ends(self):
        """Differences and quotients, and bounds beyond the elements."""
        row = numpy.array([3, 500, 40, 7, 7, 400, 3, 900, 890, -7], numpy.int32)
        val = 1 + numpy.random.default_rng(4).standard_normal(900) / 1000
        text = PLANES.replace("long", "double").replace("s = 0", "s = 1")
        for op, z in ("-", 800), ("/", 900):
            got = self.call(text.replace("s +=", "s %s=" % op),
                            {"row": numpy.stack([row, row]), "val": val[:z]},
                            {"n": 9, "p": 2, "z": z}, "y", "--fp=strict",
                            debug="helped")
            for i in range(1, 9):
                s = numpy.float64(1)
                for v in val[row[i]:min(row[i + 1], z)] if row[i + 1] > 0 else []:
                    s = s - v if op == "-" else s / v
                self.assertEqual(got[1, i], s)

    def test_strict_in_place(self):
        """Differences, products and quotients that a warp makes in order."""
        row = numpy.array([0, 4000, 4001, 4001, 5003], numpy.int32)
        val = (.99 + numpy.random.default_rng(7).random(5003) / 50).astype(
            numpy.float32)
        start = numpy.array([1.5, -2, 5, 3], numpy.float32)
        for op in "-*/":
            got = self.call(IN_PLACE.replace("OP", op),
                            {"row": row, "val": val, "y": start},
                            {"n": 4, "z": 5003}, "y", "--fp=strict",
                            debug="helped")
            for i, s in enumerate(start):
                for v in val[row[i]:row[i + 1]]:
                    s = s - v if op == "-" else s * v if op == "*" else s / v
                self.assertEqual(got[i], s, op)

    def test_strict_start(self):
        """Rows that begin with what another statement of the kernel writes."""
        r = numpy.random.default_rng(6)
        row = numpy.cumsum([0, 3, 200, 1, 90]).astype(numpy.int32)
        val, x = r.standard_normal(row[-1]), r.standard_normal(4)
        got = self.call(START, {"row": row, "val": val, "x": x},
                        {"n": 4, "z": row[-1]}, "y", "--fp=strict",
                        debug="helped")
        for i in range(4):
            s = 2 * x[i]
            for v in val[row[i]:row[i + 1]]:
                s = s + v
            self.assertEqual(got[i], s)

    def test_strict_zero(self):
        """Sums that are -0 stay so, though nothing is added behind the last term."""
        n, m = 30000, 301
        got = self.call(UPDATES, {"k": numpy.arange(n, dtype=numpy.int32) % 2,
                                  "x": numpy.full(n, -0.0, numpy.float32),
                                  "y": numpy.full(m, -0.0, numpy.float32)},
                        {"n": n, "m": m}, "y", "--fp=strict")
        self.assertTrue(numpy.signbit(got).all())

    def test_strict_updates(self):
        """Cells that own their updates, some of which have many."""
        r = numpy.random.default_rng(5)
        n, m = 30000, 301
        k = numpy.where(r.random(n) < .5, 7, r.integers(-9, m + 9, n))
        x = r.standard_normal(n).astype(numpy.float32)
        start = r.standard_normal(m).astype(numpy.float32)
        want, inside = start.copy(), (k >= 0) & (k < m)
        numpy.add.at(want, k[inside], x[inside])
        got = self.call(UPDATES, {"k": k.astype(numpy.int32), "x": x, "y": start},
                        {"n": n, "m": m}, "y", "--fp=strict")
        self.assertEqual(got.tolist(), want.tolist())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
