#!/usr/bin/env python3
"""The benchmark of the rows: what it shares with the verb bench. What needs a GPU
runs by hand.
"""
import os
import unittest

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
            self.assertIn(len(row.sizes), (1, 3), name)

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


if __name__ == "__main__":
    unittest.main()
