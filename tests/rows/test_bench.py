#!/usr/bin/env python3
"""The benchmark of the rows: what it shares with the verb bench, and what becomes
of a row, with NumPy in place of PyTorch. What needs a GPU runs by hand.
"""
import os
import types
import unittest
import unittest.mock

import backends
import bench
import program
import table

ROOT = os.path.dirname(os.path.dirname(program.HERE))


class Bench(unittest.TestCase):
    def test_columns(self):
        """The first columns are those of the verb, in its order."""
        with open(os.path.join(ROOT, "tools", "bench", "bench_report.c")) as f:
            text = f.read()
        head = text[text.index('"suite\\tform'):]
        head = head[:head.index('\\n"')].replace('"\n\t\t"', "").strip('"')
        self.assertEqual(head.split("\\t"), bench.COLUMNS)

    def test_statistics(self):
        self.assertEqual(bench.median([3, 1, 2]), 2)
        self.assertEqual(bench.median([4, 1, 2, 3]), 2.5)
        ours, theirs = [1.0] * 7, [2, 2, 2, 2, 2, 2, 2.5]
        middle, spread = bench.ratio(theirs, ours)
        self.assertEqual(middle, 2)
        # Of seven values, the interval is from the least to the largest.
        self.assertAlmostEqual(spread, 0.125)
        middle, spread = bench.ratio(theirs * 3, ours * 3)
        self.assertEqual((middle, spread), (2, 0))
        self.assertAlmostEqual(bench.geometric_mean([1, 4, 2]), 2)

    def test_fastest(self):
        """The rival is the fastest other side by its median."""
        times = [[5] * 7, [3, 9, 3, 3, 3, 3, 9], [4] * 7]
        self.assertEqual(bench.fastest(times), 1)
        self.assertEqual(bench.fastest(times[:1]), 0)
        self.assertFalse(bench.is_settled(times))
        self.assertTrue(bench.is_settled([[5] * 7, [9] * 7, [4] * 7]))

    def test_rows(self):
        """As many programs and sizes as promised, lengths among them."""
        self.assertGreaterEqual(len(table.ROWS), 40)
        for name, row in table.ROWS.items():
            names = program.sizes_of(program.text_of(name, "f32"))
            for kind, *values in row.sizes:
                self.assertEqual(len(values), len(names), name)
            self.assertIn(len(row.sizes), (1, 3, 4), name)

    def test_types(self):
        """A program in another type has it in the place of f16 alone."""
        self.assertIn("tensor bf16 X(M,N), P(M,N);",
                      program.text_of("cross_entropy", "bf16"))
        self.assertNotIn("bbf16", program.text_of("softmax", "bf16"))
        self.assertIn("CodeGen(FLOAT,", program.text_of("transpose", "f32"))

    def test_summary(self):
        row = {"family": "norms", "state": "verified", "form": "x",
               "type": "f32", "size": "3", "kernels": 1, "workspace": 0}
        rows = [dict(row, ratio=1.0, roof=.5), dict(row, ratio="4",
                                                    roof="0.5"),
                dict(row, state="wrong")]
        self.assertEqual(bench.summary(rows), [
            "# norms: 2 of 3 verified; ratio 2.000, least 1.000 (x f32 3), 2 "
            "from 1 on; of the roofline 0.500; one kernel without "
            "workspace: 2"])


try:
    import numpy
except ImportError:
    numpy = None


class Side:
    """A side of a row: what should come out, times "factor"; the outputs of the
    launches from number "late" on are wrong.
    """
    in_graph = True

    def __init__(self, case, factor=1, late=1000, image=None):
        self.case, self.factor, self.late = case, factor, late
        arrays = [program.Array(n, "f32", n == "X", "MN", case.sizes)
                  for n in "XY"]
        self.program = types.SimpleNamespace(
            arrays=arrays, inputs=arrays[:1], outputs=arrays[1:],
            workspace=64, image=image or {"kernels": [{"registers": 7}]})
        self.calls = 0

    def make_outputs(self, sets):
        self.outs = None

    def poison(self):
        self.outs = [numpy.full((3, 5), numpy.nan)]

    def call(self, inputs, i):
        self.calls += 1
        self.outs = [y * self.factor * (1 + (self.calls >= self.late))
                     for y in self.case.reference(
                         backends.Numpy(), [numpy.float64(inputs[i][0])])]

    def results(self):
        return self.outs

    def close(self):
        pass


@unittest.skipUnless(numpy, "there is no NumPy")
class Row(unittest.TestCase):
    def row(self, ours, rivals, times, against=None):
        """The row of these sides, whose times are given; "rivals" are the
        factors of eager and compiled.
        """
        run = bench.Run.__new__(bench.Run)
        run.args = types.SimpleNamespace(
            folder="new", against="old" if against else None, repeat=7,
            seed=1, no_rivals=not rivals)
        run.torch = unittest.mock.MagicMock()
        run.np, run.rate, run.cache = backends.Numpy(), 1e-6, 100
        self.timed = 0

        def time_sides(torch, sides, inputs, repeat, seed):
            self.timed += 1
            for side in sides:
                side.call(inputs, 0)
            return [[t * self.timed if k else t] * 7
                    for k, t in enumerate(times[:len(sides)])], 4
        with unittest.mock.patch.multiple(
                bench, time_sides=time_sides,
                Ours=lambda torch, folder, case: {
                    "new": ours, "old": against}[folder],
                Theirs=lambda torch, case, function, compiled, sets: Side(
                    case, rivals[compiled])):
            return run.row(self.case)

    def setUp(self):
        self.case = program.Case("softmax", "f32", [3, 5])

    def test_fastest_rival(self):
        row = self.row(Side(self.case), [1, 1], [2., 6., 3.])
        self.assertEqual((row["state"], row["base"], row["ratio"]),
                         ("verified", "compile", 1.5))
        self.assertEqual((row["kernels"], row["registers"], row["workspace"],
                          row["bytes"]), (1, 7, 64, 120))
        self.assertAlmostEqual(row["roof"], 120 / 2. * 1e-6 / 1e-6)
        self.assertEqual(row["sides"], "ours=2,eager=6,compile=3")

    def test_wrong_rival(self):
        """It is no rival."""
        row = self.row(Side(self.case), [1, 2], [2., 6., 3.])
        self.assertEqual((row["base"], row["ratio"]), ("eager", 3))

    def test_wrong(self):
        """What is wrong is not timed; what becomes wrong has no state of one
        that is right.
        """
        row = self.row(Side(self.case, 1.001), [1, 1], [2., 6., 3.])
        self.assertEqual((row["state"], self.timed), ("wrong", 0))
        row = self.row(Side(self.case, late=2), [1, 1], [2., 6., 3.])
        self.assertEqual((row["state"], self.timed), ("wrong", 1))

    def test_without_rivals(self):
        with unittest.mock.patch.object(bench, "Copy", lambda *_: Side(
                self.case)):
            row = self.row(Side(self.case), [], [2., 1.])
        self.assertEqual((row["base"], row["ratio"]), ("copy", .5))

    def test_against(self):
        """The median of three, unless the program is the same."""
        other = Side(self.case, image={"kernels": []})
        row = self.row(Side(self.case), [1, 1], [2., 3.], other)
        self.assertEqual((row["base"], row["ratio"], self.timed),
                         ("against", 3, 3))
        row = self.row(Side(self.case), [1, 1], [2., 3.], Side(self.case))
        self.assertEqual((row["state"], self.timed), ("same", 0))


if __name__ == "__main__":
    unittest.main()
