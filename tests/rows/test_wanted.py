#!/usr/bin/env python3
"""What rounding may put off (wanted.py): f32 by NumPy keeps to it where the part of a
result is too strict, and what leaves out a term or takes another row does not.
"""
import math
import unittest

import backends
import program
import wanted

try:
    import numpy
except ImportError:
    numpy = None

READ = {n: ["read", n] for n in ("x0", "x1", "d0", "d1", "d2")}
AWAY = ["bin", "-", ["call", "tanh", READ["x1"]], READ["x0"]]


class Array:
    """An output, or an input."""

    def __init__(self, shape, kind="f32"):
        self.shape, self.type = shape, kind


def case_of(sizes, *definitions):
    """A random program with these definitions, of x0 and x1, over i and j."""
    case = program.Random(1)
    tree = [["def", "d%d" % k, e, "ij" if k == len(definitions) - 1 else ""]
            for k, e in enumerate(definitions)]
    case.program = case.maker.Program(
        tree, {"x0": ("f32", "ij"), "x1": ("f32", "ij")},
        dict(zip("AB", sizes)))
    case.sizes = case.program.sizes
    return case


# The mean over all of what is left of a row without its mean: zero.
CANCELS = [["reduce", "sum", "j", READ["x0"]],
           ["reduce", "sum", "ij", ["bin", "-", READ["x0"], READ["d0"]]]]
# The root of the least of a row's differences.
NEAR_ZERO = [["reduce", "min", "j", ["call", "abs", AWAY]],
             ["call", "root", READ["d0"]]]


@unittest.skipUnless(numpy, "there is no NumPy")
class Wanted(unittest.TestCase):
    def setUp(self):
        self.np = backends.Numpy()

    def inputs(self, case, seed):
        np = backends.Numpy(seed)
        return [np.input(Array([case.sizes["ABCDE"["ijklp".index(i)]]
                                for i in case.program.inputs[n][1]]),
                         None, []) for n in case.program.inputs_read()]

    def judged(self, case, inputs, got):
        """The largest error as a part of what is allowed, and of the part of
        results alone.
        """
        what = wanted.Wanted(self.np, case, [x.astype(float) for x in inputs])
        arrays = [Array(w.shape) for w in what.outs]
        got = [x.astype(float) for x in got]
        return max(what.errors(arrays, got)), max(
            self.np.error(x, w, "f32") for x, w in zip(got, what.outs))

    def test_f32(self):
        """What f32 computes is right, though it is not within the part."""
        for tree in CANCELS, NEAR_ZERO:
            case = case_of([300, 2000], *tree)
            inputs = self.inputs(case, 3)
            error, alone = self.judged(case, inputs,
                                       case.reference(self.np, inputs))
            self.assertLessEqual(error, 1)
            self.assertGreater(alone, 1)

    def test_term_left_out(self):
        case = case_of([30, 200], *CANCELS)
        x = self.inputs(case, 3)
        y = x[0].astype(float)
        sums = (y - y.mean(1, keepdims=True))
        sums[7, 9] = 1      # one of 6000 is another one
        self.assertGreater(self.judged(case, x, [numpy.array(
            sums.sum() / sums.size)])[0], 1)

    def test_another_row(self):
        case = case_of([300, 2000], *NEAR_ZERO)
        inputs = self.inputs(case, 3)
        outs = case.reference(self.np, [x.astype(float) for x in inputs])
        self.assertGreater(self.judged(
            case, inputs, [numpy.roll(x, 1, 0) for x in outs])[0], 1)
        half = case.reference(self.np, [
            numpy.concatenate([x[:, :1000]] * 2, 1).astype(float)
            for x in inputs])
        self.assertGreater(self.judged(case, inputs, half)[0], 1)

    def test_not_a_number(self):
        """It is wrong, however far results may be off."""
        case = case_of([3, 20], *CANCELS)
        self.assertEqual(self.judged(case, self.inputs(case, 1), [
            numpy.array(math.nan)])[0], math.inf)

    def test_random(self):
        """Rounding to f32 stays within it, without the part, and it is small."""
        for seed in range(1, 121):
            case = program.Random(seed)
            inputs = self.inputs(case, seed)
            wide = [x.astype(float) for x in inputs]
            for x, y, off in zip(case.reference(self.np, inputs),
                                 case.reference(self.np, wide),
                                 wanted.roundings(self.np, case, wide)):
                self.assertEqual(off.shape, y.shape)
                self.assertTrue((abs(x - y) <= off).all(), seed)
                self.assertLess(numpy.median(off), 1e-4, seed)

    def test_ends(self):
        """A function is off as far as at the worse end of what its operand may be,
        the greatest as far as any element that may be the greatest.
        """
        track = wanted.Track(self.np)

        def off(name, x, off, *more):
            return float(getattr(track, name)(wanted.Value(
                track, numpy.array(x), numpy.array(off)), *more).off.max())
        for got, least in (
                (off("exp", 0., .5), math.exp(.5) - 1),
                (off("sqrt", 4., 1.), 2 - math.sqrt(3)),
                (off("sqrt", 0., 1.), 1),
                (off("max", [1., 2., 1.5], [0., .1, 2.], (0,)), 1.5),
                (off("min", [1., 2., 1.5], [0., .1, 2.], (0,)), 1.5),
                (off("sum", [1., -1., 3.], [0., .5, 2.], (0,)), 2.5)):
            self.assertGreaterEqual(got, least)
            self.assertLess(got, least + 1e-5)

    def test_choice(self):
        """What is not chosen counts if it is near."""
        track = wanted.Track(self.np)
        a = wanted.Value(track, numpy.array([1., 1.]), numpy.array([.1, .1]))
        b = wanted.Value(track, numpy.array([2., 9.]), numpy.array([3., 3.]))
        self.assertEqual(list(track.where(a < b, a, b).off), [3, .1])

    def test_only_random(self):
        """A program of the table has the part alone."""
        case = program.Case("softmax", "f32", [3, 5])
        x = self.np.normal([3, 5])
        what = wanted.Wanted(self.np, case, [x])
        self.assertEqual(what.errors([Array([3, 5])], what.outs), [0])
        self.assertGreater(what.errors([Array([3, 5])], [
            what.outs[0] * 1.001])[0], 1)


if __name__ == "__main__":
    unittest.main()
