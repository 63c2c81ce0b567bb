"""Random programs that the language allows, and their text.

An expression is made for a shape that is asked for, so every program is
valid: a leaf is a matrix of that shape (or of the transposed one), and when
there is none, a new input. Names are chosen to be awkward: those of isl, of
the passes' dimensions, of generated arrays, and of C and PTX.

Expressions are tuples:
    ("name", NAME), ("num", TEXT), ("neg", e), ("T", SPELLING, e),
    ("bin", OP, a, b), ("call", FUNCTION, (a, ...))
A shape is a pair of sizes, each a parameter's name or a number.
"""
import random

FLOATS = ["FLOAT", "HALF", "DOUBLE", "BFLOAT16"]
TYPES = FLOATS + ["INT", "INT8"]
SIZES = [0, 1, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 33, 63, 64, 65, 100, 127,
         128, 129, 130, 257]
SMALL = [0, 1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33]
SIZE_NAMES = ["M", "N", "K", "L", "mod", "i", "j", "k", "p0", "pk", "t0",
              "tk", "b0", "c", "r", "floor", "n", "exists", "t1", "w_param"]
NAMES = ["A", "B", "C", "D", "E", "F", "G", "H", "T", "U", "V", "W", "X", "Y",
         "Z", "x", "y", "s", "and", "ceil", "true", "infty", "D_mul",
         "D_init", "E_1", "A_0", "X_1", "T_acc", "T_round", "_", "_a",
         "shared", "main", "printf", "tid", "entry", "reg", "k0", "copy_A",
         "kernel", "F_copy", "acc", "D_1_add", "f32", "define", "param",
         "E_init", "implies", "xor", "sync", "S_0", "T_T", "min_", "a1"]
ENTRIES = ["f", "main", "kernel", "A", "M", "entry", "k0", "mod", "x1", "T"]
UNARY = ["ReLU", "relu", "abs", "ABS"]
FUNCTIONS = ["Sigmoid", "Tanh", "tanh", "exp", "sqrt", "log", "sigmoid"]
SIGNS = ["+", "-", ".*"]
RANK = {"+": 1, "-": 1, "*": 2, ".*": 2}


class Program:
    """The parts of a program, so that a shrinker can take some away."""

    def __init__(self, kind):
        self.kind = kind
        self.sizes = {}		# parameter -> value
        self.inputs = []	# (name, shape)
        self.defs = []		# (name, expression)
        self.outputs = []	# names
        self.entry = None
        self.spelling = 0	# seed of the choices that text() makes

    def copy(self):
        new = Program(self.kind)
        new.sizes = dict(self.sizes)
        new.inputs, new.defs = list(self.inputs), list(self.defs)
        new.outputs, new.entry = list(self.outputs), self.entry
        new.spelling = self.spelling
        return new

    def value(self, size):
        return self.sizes.get(size, size)

    def text(self):
        rng = random.Random(self.spelling)
        lines = []
        if self.sizes:
            lines.append("Params %s;" % ", ".join(self.sizes))
        for name, (m, n) in self.inputs:
            lines.append("Matrix %s(%s, %s);" % (name, m, n))
        for name, expr in self.defs:
            line = "%s = %s;" % (name, spell(expr, rng)[0])
            if rng.random() < .05:
                line += rng.choice(["  // a * b", "  # C = D;", " /* /* */ */"])
            lines.append(line)
        lines.append("CodeGen%s(%s, {%s});" % (
            " " + self.entry if self.entry else "", self.kind,
            ", ".join(self.outputs)))
        return "\n".join(lines) + "\n"


def bracket(expr, rank, rng):
    text, mine = spell(expr, rng)
    if mine < rank or rng.random() < .05:
        return "(%s)" % text
    return text


def spell(expr, rng):
    """The text of "expr" and how tightly it binds (4: a primary)."""
    if expr[0] in ("name", "num"):
        return expr[1], 4
    if expr[0] == "neg":
        return "-" + bracket(expr[1], 3, rng), 3
    if expr[0] == "T" and expr[1] == "transpose":
        return "transpose(%s)" % spell(expr[2], rng)[0], 4
    if expr[0] == "T":
        return bracket(expr[2], 4, rng) + expr[1], 4
    if expr[0] == "call":
        return "%s(%s)" % (expr[1], ", ".join(spell(e, rng)[0]
                                              for e in expr[2])), 4
    op, rank = expr[1], RANK[expr[1]]
    left, right = bracket(expr[2], rank, rng), bracket(expr[3], rank + 1, rng)
    space = "" if rng.random() < .2 and not left.endswith(".") else " "
    return left + space + op + space + right, rank


class Maker:
    def __init__(self, seed, small):
        self.rng = random.Random(seed)
        rng = self.rng
        self.p = Program(rng.choice(TYPES))
        self.p.spelling = rng.randrange(1 << 30)
        self.used = set()
        self.shape = {}		# name -> shape of its last version
        self.last_input = {}
        sizes = SMALL if small else SIZES
        for _ in range(rng.choice([0, 1, 2, 2, 3, 3])):
            self.p.sizes[self.fresh(SIZE_NAMES)] = rng.choice(sizes)
        self.dims = list(self.p.sizes)
        for _ in range(rng.choice([0, 0, 0, 1, 2]) or not self.dims):
            self.dims.append(rng.choice(sizes))

    def chance(self, p):
        return self.rng.random() < p

    def fresh(self, names):
        name = self.rng.choice(names)
        while name in self.used:
            name = "%s%d" % (self.rng.choice(names), self.rng.randrange(30))
        self.used.add(name)
        return name

    def dim(self):
        return 1 if self.chance(.06) else self.rng.choice(self.dims)

    def number(self):
        rng = self.rng
        if self.p.kind in ("INT", "INT8"):
            return ("num", rng.choice(["0", "1", "2", "3", "7", "2.0", "1e1",
                                       "100", "127"]))
        return ("num", rng.choice(["0", "1", "2", "3", "0.5", ".25", "2.",
                                   "1e-3", "0.1", "3.5e1", "0.3333333333"]))

    def leaf(self, shape):
        turned = shape[::-1]
        made = {n for n, _ in self.p.defs}
        same = [n for n, s in self.shape.items() if s == shape]
        same += [n for n in same if n in made] * 2
        other = [n for n, s in self.shape.items()
                 if s == turned and s != shape]
        names = same * 2 + other
        if names and (len(self.p.inputs) > 5 or not self.chance(.25)):
            name = self.rng.choice(names)
            return self.transposed(("name", name)) if name in other \
                else ("name", name)
        if self.chance(.25) and shape != turned:
            return self.transposed(("name", self.input(turned)))
        return ("name", self.input(shape))

    def input(self, shape):
        name = self.fresh(NAMES)
        self.p.inputs.append((name, shape))
        self.shape[name] = shape
        return name

    def transposed(self, expr):
        return ("T", self.rng.choice(["^T", "'", "transpose"]), expr)

    def call(self, shape, depth):
        e = self.expr(shape, depth - 1)
        if self.p.kind in FLOATS and self.chance(.4):
            name = self.rng.choice(FUNCTIONS)
            if name in ("log", "sqrt") and self.chance(.7):
                e = ("call", "abs", (e,))
            return ("call", name, (e,))
        return ("call", self.rng.choice(UNARY), (e,))

    def pair(self, shape, depth):
        """Two operands, one of which may be repeated to "shape"."""
        m, n = shape
        a = self.expr(shape, depth - 1)
        kind = self.rng.randrange(10)
        if kind < 5:
            b = self.expr(shape, depth - 1)
        elif kind == 5:
            b = self.expr((1, n), depth - 1)
        elif kind == 6:
            b = self.expr((m, 1), depth - 1)
        elif kind == 7:
            b = self.expr((1, 1), depth - 1)
        else:
            b = self.number()
        return (a, b) if self.chance(.6) else (b, a)

    def elementwise(self, shape, depth):
        a, b = self.pair(shape, depth)
        name = self.rng.choice(SIGNS + SIGNS + ["min", "max",
                                                "elementwise_mul", "Max"])
        if name in SIGNS:
            return ("bin", name, a, b)
        return ("call", name, (a, b))

    def factor(self, shape, depth):
        a = self.expr(shape, depth - 1)
        b = self.number() if self.chance(.6) else self.expr((1, 1), depth - 1)
        return ("bin", "*", a, b) if self.chance(.5) else ("bin", "*", b, a)

    def expr(self, shape, depth):
        if depth <= 0 or self.chance(.1):
            return self.leaf(shape)
        kind = self.rng.randrange(20)
        if kind < 7:
            inner = self.dim()
            return ("bin", "*", self.expr((shape[0], inner), depth - 1),
                    self.expr((inner, shape[1]), depth - 1))
        if kind < 13:
            return self.elementwise(shape, depth)
        if kind < 15:
            return self.call(shape, depth)
        if kind < 16:
            return ("neg", self.expr(shape, depth - 1))
        if kind < 18:
            return self.transposed(self.expr(shape[::-1], depth - 1))
        if kind < 19:
            return self.factor(shape, depth)
        if shape == (1, 1) and self.chance(.5):
            return self.number()
        return self.leaf(shape)

    def definition(self):
        """A new matrix, or a new version of an old one."""
        shape = (self.dim(), self.dim())
        expr = self.expr(shape, self.rng.choice([0, 1, 2, 2, 3, 4]))
        if self.shape and self.chance(.15):
            name = self.rng.choice(list(self.shape))
        else:
            name = self.fresh(NAMES)
        self.shape[name] = shape
        self.p.defs.append((name, expr))

    def program(self):
        p, rng = self.p, self.rng
        for _ in range(rng.choice([1, 2, 2, 3, 4, 5, 7, 9]
                                  if self.chance(.9) else [12, 20, 30])):
            self.definition()
        defined = sorted({name for name, _ in p.defs})
        p.outputs = rng.sample(defined, rng.randint(1, len(defined)))
        if p.defs[-1][0] not in p.outputs and self.chance(.8):
            p.outputs.append(p.defs[-1][0])
        p.entry = rng.choice(ENTRIES) if self.chance(.5) else None
        return p


def make(seed, small=False):
    """The program that "seed" stands for."""
    return Maker(seed, small).program()
