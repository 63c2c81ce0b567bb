"""NumPy and PyTorch for the rows: what references are written in, inputs, and
whether outputs are right.

References see functions of NumPy whose reductions keep the dimensions, and
elements of all types as f64.
"""
import math

# How far an element may be off: a part of itself, and a quarter of that part
# of the largest element. Integers that are rounded may be off by one.
ALLOWED = {"f64": 1e-12, "f32": 1e-5, "f16": 2.**-10, "bf16": 2.**-7}


class Backend:
    """What both have in common: "f" has the functions, "t" the types."""

    def input(self, array, spec, arrays):
        """Random elements of "array" as table.py specifies them."""
        shape, words = array.shape, (spec or "").split()
        if spec and spec.startswith("columns of"):
            other = next(a for a in arrays if a.name == words[-1])
            return self.integers(other.shape[-1], shape)
        if spec and spec.startswith("between"):
            low, high = float(words[1]), float(words[3])
            return self.rounded(low + (high - low) * self.uniform(shape),
                                array.type)
        x = self.normal(shape)
        if spec in ("rows of probabilities", "logarithms"):
            e = self.exp(x - self.max(x, -1))
            x = e / self.sum(e, -1)
            x = self.log(x) if spec == "logarithms" else x
        elif spec:
            raise ValueError(spec)
        return self.rounded(x, array.type)

    def error(self, got, want, kind, more=0.):
        """The largest error as a part of what is allowed, and "more" beside
        that.
        """
        if tuple(got.shape) != tuple(want.shape):
            raise ValueError("shape %s, not %s" % (
                tuple(got.shape), tuple(want.shape)))
        if want.shape and 0 in want.shape:
            return 0.
        off = self.abs(got - want)
        if kind[0] == "i":
            return float(off.max())
        part = ALLOWED[kind]
        largest = float(self.abs(want).max())
        least = 6e-8 if kind == "f16" else 1e-30
        error = float((off / (part * self.abs(want) +
                              part / 4 * largest + least + more)).max())
        return error if error == error else math.inf


class Numpy(Backend):
    def __init__(self, seed=1):
        import numpy
        self.np = numpy
        self.random = numpy.random.default_rng(seed)
        self.erf = numpy.vectorize(math.erf, otypes=[float])
        self.types = {"f16": numpy.float16, "f32": numpy.float32,
                      "f64": numpy.float64, "i8": numpy.int8,
                      "i32": numpy.int32, "i64": numpy.int64,
                      "bf16": numpy.uint16, "bool": numpy.bool_}

    def __getattr__(self, name):
        return getattr(self.np, name)

    def sum(self, x, axis):
        return self.np.sum(x, axis=axis, keepdims=True)

    def cummax(self, x, axis):
        return self.np.maximum.accumulate(x, axis)

    def max(self, x, axis):
        return self.np.max(x, axis=axis, keepdims=True)

    def min(self, x, axis):
        return self.np.min(x, axis=axis, keepdims=True)

    def normal(self, shape):
        return self.random.standard_normal(shape)

    def uniform(self, shape):
        return self.random.random(shape)

    def integers(self, end, shape):
        return self.random.integers(0, end, shape)

    def rounded(self, x, kind):
        """In memory: the bits, for bf16."""
        np = self.np
        if kind != "bf16":
            return np.asarray(x).astype(self.types[kind])
        bits = np.asarray(x).astype(np.float32).view(np.uint32)
        return ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).astype(np.uint16)

    def wide(self, x, kind):
        """The values: f64, or integers as they are."""
        np = self.np
        if kind == "bf16":
            return (x.astype(np.uint32) << 16).view(np.float32).astype(
                np.float64)
        return x if kind[0] == "i" else x.astype(np.float64)

    def from_bytes(self, data, array):
        return self.np.frombuffer(data, self.types[array.type]).reshape(
            array.shape)


class Torch(Backend):
    def __init__(self, torch, device, seed=None):
        self.torch, self.device = torch, device
        if seed is not None:
            torch.manual_seed(seed)
        self.types = {"f16": torch.float16, "f32": torch.float32,
                      "f64": torch.float64, "bf16": torch.bfloat16,
                      "i8": torch.int8, "i32": torch.int32,
                      "i64": torch.int64, "bool": torch.bool}

    def __getattr__(self, name):
        return getattr(self.torch, name)

    def sum(self, x, axis):
        return self.torch.sum(x, axis, keepdim=True)

    def max(self, x, axis):
        return self.torch.amax(x, axis, keepdim=True)

    def min(self, x, axis):
        return self.torch.amin(x, axis, keepdim=True)

    def arange(self, n):
        return self.torch.arange(n, device=self.device)

    def cummax(self, x, axis):
        return self.torch.cummax(x, axis)[0]

    def transpose(self, x, order):
        return x.permute(order)

    def concatenate(self, parts, axis):
        return self.torch.cat(parts, axis)

    def repeat(self, x, times, axis):
        return self.torch.repeat_interleave(x, times, axis)

    def pad(self, x, ends):
        return self.torch.nn.functional.pad(
            x, [n for pair in reversed(ends) for n in pair])

    def normal(self, shape):
        return self.torch.randn(shape, device=self.device)

    def uniform(self, shape):
        return self.torch.rand(shape, device=self.device)

    def integers(self, end, shape):
        return self.torch.randint(0, end, shape, device=self.device)

    def rounded(self, x, kind):
        return x.to(self.types[kind])

    def wide(self, x, kind):
        return x if kind[0] == "i" else x.double()
