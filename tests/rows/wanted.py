"""What should come out of a program of a row, and how far rounding may put it off.

A result is allowed a part of itself and of the largest element (backends.py). For a
sum that cancels, or the root of a difference near zero, no computation in f32 can keep
to that. Of a random program the reference is then evaluated once more on values that
carry how far each may be off: an operation adds a few roundings of its result, a sum
some of the sum of absolute values, and each passes on how far its operands are off.
That is allowed beside the part, and no more.
"""
import math

ROUNDING = 2.**-24      # of f32, as a part of the result
FEW = 4                 # roundings of an operation


class Wanted:
    """The outputs of "case" for inputs in f64, which are a list."""

    def __init__(self, np, case, values):
        self.np, self.case, self.values = np, case, values
        self.outs, self.rounding = case.reference(np, values), None

    def errors(self, arrays, got):
        """The largest error of each output, as a part of what is allowed."""
        return [self.error(k, a, x) for k, (a, x) in enumerate(
            zip(arrays, got))]

    def error(self, k, array, got):
        want, kind = self.outs[k], array.type
        error = self.np.error(got, want, kind)
        if error <= self.case.slack or not self.case.is_tracked:
            return error / self.case.slack
        if self.rounding is None:
            self.rounding = roundings(self.np, self.case, self.values)
        return self.np.error(got, want, kind,
                             self.rounding[k]) / self.case.slack


def roundings(np, case, values):
    """How far each output may be off as it is computed in f32."""
    track = Track(np)
    outs = case.reference(track, [Value(track, x, 0. * x) for x in values])
    return [out.off for out in outs]


class Value:
    """Elements "x", and how far each may be off."""

    def __init__(self, track, x, off):
        self.track, self.x, self.off = track, x, off

    def same(self, function):
        """What moves elements alone."""
        return Value(self.track, function(self.x), function(self.off))

    def rounded(self, x, off):
        return Value(self.track, x, off + FEW * ROUNDING * abs(x))

    def reshape(self, shape):
        return self.same(lambda x: x.reshape(shape))

    def __neg__(self):
        return Value(self.track, -self.x, self.off)

    def __add__(self, other):
        x, off = parts(other)
        return self.rounded(self.x + x, self.off + off)

    def __sub__(self, other):
        x, off = parts(other)
        return self.rounded(self.x - x, self.off + off)

    def __mul__(self, other):
        x, off = parts(other)
        return self.rounded(self.x * x, abs(self.x) * off +
                            abs(x) * self.off + self.off * off)

    def __truediv__(self, other):
        return self.over(*parts(other))

    def __rtruediv__(self, number):
        return self.same(lambda x: 0. * x + number).exact().over(
            self.x, self.off)

    def exact(self):
        return Value(self.track, self.x, 0. * self.off)

    def over(self, x, off):
        """Divisors are far from zero: numbers, or one and more."""
        ratio = self.x / x
        return self.rounded(ratio, (self.off + abs(ratio) * off) /
                            (abs(x) - off))

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, other):
        return self.x < parts(other)[0]

    def __gt__(self, other):
        return self.x > parts(other)[0]


def parts(value):
    return (value.x, value.off) if isinstance(value, Value) else (value, 0.)


class Track:
    """The functions that references of random programs use, of such values."""

    def __init__(self, np):
        self.np = np

    def larger(self, a, b):
        return self.np.where(a > b, a, b)

    def transpose(self, v, order):
        return v.same(lambda x: self.np.transpose(x, order))

    def where(self, chosen, a, b):
        """The less or the greater of both, or what is zero where they meet: one
        that is not chosen counts where it is so near that it may be.
        """
        (x, off), (y, more) = parts(a), parts(b)
        return Value(self, self.np.where(chosen, x, y), self.np.where(
            abs(x - y) > off + more, self.np.where(chosen, off, more),
            self.larger(off, more)))

    def abs(self, v):
        return Value(self, abs(v.x), v.off)

    def between(self, v, function):
        """How far a function that never falls is off, at both ends."""
        x = function(v.x)
        return x, self.larger(function(v.x + v.off) - x,
                              x - function(v.x - v.off))

    def exp(self, v):
        return v.rounded(*self.between(v, self.np.exp))

    def tanh(self, v):
        return v.rounded(*self.between(v, self.np.tanh))

    def sqrt(self, v):
        """Of what is not negative."""
        return v.rounded(*self.between(v, lambda x: self.np.sqrt(
            self.larger(x, 0. * x))))

    def max(self, v, axes):
        return Value(self, *self.between(v, lambda x: self.np.max(x, axes)))

    def min(self, v, axes):
        return Value(self, *self.between(v, lambda x: self.np.min(x, axes)))

    def sum(self, v, axes):
        """A tree of additions, and some in order."""
        terms = math.prod(v.x.shape[a] for a in axes)
        steps = min(terms, FEW + 2 * math.log2(terms))
        return Value(self, self.np.sum(v.x, axes), self.np.sum(
            v.off + steps * ROUNDING * abs(v.x), axes))
