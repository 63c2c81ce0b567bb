"""What a random program computes, from the rules of the language alone.

Nothing here knows the compiler. INT and INT8 are exact. FLOAT and DOUBLE are
evaluated with whole numbers that these types hold exactly, so rounding and
the order of sums do not matter; Unknown is raised where that ends, and for
the other types.
"""
BITS = {"INT": 32, "INT8": 8}
LARGEST = {"FLOAT": 2 ** 24, "DOUBLE": 2 ** 53}


class Unknown(Exception):
    pass


def wrap(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


class Matrix:
    """Elements by rows, the shape as written, and whether all is literal."""

    def __init__(self, shape, rows, literal=False):
        self.shape, self.rows, self.literal = shape, rows, literal


class Evaluator:
    def __init__(self, program, fixed, inputs):
        self.p, self.fixed = program, fixed
        self.env = {}
        for name, shape in program.inputs:
            self.env[name] = Matrix(self.shape(shape), [
                [self.compute(x) for x in row] for row in inputs[name]])

    def shape(self, shape):
        return tuple(self.p.value(d) for d in shape) if self.fixed else shape

    def count(self, size):
        return self.p.value(size)

    def compute(self, x):
        """The value of one operation in the compute type."""
        if self.p.kind in BITS:
            return wrap(x, 32)
        if x != int(x) or abs(x) > LARGEST[self.p.kind]:
            raise Unknown
        return x

    def stored(self, m):
        if self.p.kind != "INT8":
            return m
        return Matrix(m.shape, [[wrap(x, 8) for x in row] for row in m.rows],
                      m.literal)

    def each(self, f, m, *others):
        """f over elements of equally large matrices."""
        rows = [[self.compute(f(*xs)) for xs in zip(*row)]
                for row in zip(m.rows, *(o.rows for o in others))]
        return Matrix(m.shape, rows, all(o.literal for o in (m,) + others))

    def repeated(self, m, shape):
        rows = m.rows
        if m.shape[1] != shape[1]:
            rows = [row * self.count(shape[1]) for row in rows]
        if m.shape[0] != shape[0]:
            rows = rows * self.count(shape[0])
        return Matrix(shape, rows, m.literal)

    def pair(self, f, a, b):
        if a.shape != b.shape:
            shape = tuple(y if x == 1 else x
                          for x, y in zip(a.shape, b.shape))
            a, b = self.repeated(a, shape), self.repeated(b, shape)
        return self.each(f, a, b)

    def star(self, a, b):
        if a.literal or b.literal or (
                a.shape[1] != b.shape[0] and (1, 1) in (a.shape, b.shape)):
            return self.pair(lambda x, y: x * y, a, b)
        assert a.shape[1] == b.shape[0]
        a, b = self.stored(a), self.stored(b)
        columns = list(zip(*b.rows)) or [()] * self.count(b.shape[1])
        rows = []
        for row in a.rows:
            for column in columns:
                self.compute(sum(abs(x * y) for x, y in zip(row, column)))
            rows.append([self.compute(sum(x * y for x, y in zip(row, column)))
                         for column in columns])
        return Matrix((a.shape[0], b.shape[1]), rows)

    def call(self, name, args):
        name = name.lower()
        if name == "relu":
            return self.each(lambda x: max(x, 0), *args)
        if name == "abs":
            return self.each(abs, *args)
        if name in ("min", "max"):
            return self.pair(min if name == "min" else max, *args)
        if name == "elementwise_mul":
            return self.pair(lambda x, y: x * y, *args)
        raise Unknown

    def transpose(self, m):
        rows = [list(row) for row in zip(*m.rows)]
        if not rows:
            rows = [[] for _ in range(self.count(m.shape[1]))]
        return Matrix(m.shape[::-1], rows, m.literal)

    def expr(self, e):
        if e[0] == "name":
            return self.env[e[1]]
        if e[0] == "num":
            return Matrix((1, 1), [[self.compute(float(e[1]))
                                    if self.p.kind not in BITS
                                    else int(float(e[1]))]], True)
        if e[0] == "neg":
            return self.each(lambda x: -x, self.expr(e[1]))
        if e[0] == "T":
            return self.transpose(self.expr(e[2]))
        if e[0] == "call":
            return self.call(e[1], [self.expr(x) for x in e[2]])
        a, b = self.expr(e[2]), self.expr(e[3])
        if e[1] == "*":
            return self.star(a, b)
        ops = {"+": lambda x, y: x + y, "-": lambda x, y: x - y,
               ".*": lambda x, y: x * y}
        return self.pair(ops[e[1]], a, b)

    def outputs(self):
        for name, e in self.p.defs:
            self.env[name] = self.stored(self.expr(e))
        return {name: self.env[name].rows for name in self.p.outputs}


def evaluate(program, fixed, inputs):
    """Rows of each output; "fixed": the sizes are known when shapes are
    compared."""
    if program.kind not in BITS and program.kind not in LARGEST:
        raise Unknown
    return Evaluator(program, fixed, inputs).outputs()


def cost(program):
    """Scalar operations, roughly, and the largest matrix; walks shapes."""
    shapes = {n: tuple(program.value(d) for d in s) for n, s in program.inputs}
    total = [0]
    literal = {}

    def walk(e):
        if e[0] == "name":
            return shapes[e[1]], literal.get(e[1], False)
        if e[0] == "num":
            return (1, 1), True
        if e[0] in ("neg", "T"):
            s, lit = walk(e[-1])
            total[0] += s[0] * s[1]
            return (s[::-1] if e[0] == "T" else s), lit
        args = [walk(x) for x in (e[2] if e[0] == "call" else e[2:])]
        (a, la), (b, lb) = args[0], args[-1]
        if e[:2] == ("bin", "*") and not la and not lb and a[1] == b[0]:
            total[0] += a[0] * b[1] * (a[1] + 1)
            return (a[0], b[1]), False
        s = tuple(y if x == 1 else x for x, y in zip(a, b))
        total[0] += s[0] * s[1]
        return s, la and lb

    for name, e in program.defs:
        shapes[name], literal[name] = walk(e)
    return total[0]
