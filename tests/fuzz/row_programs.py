"""Random row programs in index notation: graphs of maps, reductions along any
axes, and broadcasts, of one to five dimensions.

The tree of a program is a list of definitions: ["def", name, expression, order].
All live in one space of indices "ijklp"; a definition has the indices of its
expression, and where it is read, it is repeated along those that it lacks. One
with an "order" of the indices, and each that is never read, is an output. An
expression is ["read", name], ["num", text], ["bin", operator, a, b],
["call", function, a, ...] or ["reduce", operator, indices, a], where a sum is
divided by the number of its terms; "update" is the same, written as an update.
Values are computed as f32 and stay near one; inputs and outputs are f32 or bf16.
"""
import math
import random

import shrinking

INDICES, SIZES = "ijklp", "ABCDE"
EXTENT = dict(zip(INDICES, SIZES))
CALLS = {"tanh": "tanh(%s)", "sigmoid": "sigmoid(%s)", "abs": "abs(%s)",
         "relu": "max(%s, 0.0)", "fall": "exp(-abs(%s))",
         "root": "sqrt(abs(%s))", "ratio": "%s / (1.0 + abs(%s))",
         "min": "min(%s, %s)", "max": "max(%s, %s)"}
EXTENTS = [1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 33]
MOST_POINTS = 1500
# Extents of programs that are measured.
LONG = [64, 127, 128, 251, 256, 509, 512, 768, 1000, 1021, 1024, 2039, 2048,
        4093, 4096, 8192, 16381, 32768, 65521, 131072, 262139, 262144]
SHORT = [2, 3, 4, 5, 7, 8, 12, 16, 17, 31, 32, 61]


def value(np, function, a, b=None):
    """What a call computes, by NumPy or what is written like it."""
    if function == "ratio":
        return a / (1 + np.abs(b))
    if function in ("min", "max"):
        return np.where((a < b) == (function == "min"), a, b)
    return {"tanh": np.tanh, "abs": np.abs,
            "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
            "relu": lambda x: np.where(x > 0, x, 0 * x),
            "fall": lambda x: np.exp(-np.abs(x)),
            "root": lambda x: np.sqrt(np.abs(x))}[function](a)


def ordered(indices, order):
    return "".join(i for i in order if i in indices)


class Program(shrinking.Sized):
    def __init__(self, tree, inputs, sizes):
        """"inputs": name -> (type, indices in the order of its dimensions)"""
        self.tree, self.inputs, self.sizes = tree, inputs, sizes

    # ------------------------------------------------------------- analysis

    def analyse(self):
        """The indices of each definition, and who is read. ValueError for what
        is no program.
        """
        self.indices = {n: ordered(at, INDICES)
                        for n, (_, at) in self.inputs.items()}
        self.used = set()
        for d in self.tree:
            self.indices[d[1]] = self.indices_of(d[2])
        if not self.tree or not self.used:
            raise ValueError

    def indices_of(self, e):
        if e[0] == "read":
            self.used.add(e[1])
            return self.indices[e[1]]
        if e[0] == "num":
            return ""
        if e[0] in ("reduce", "update"):
            inner = self.indices_of(e[3])
            if not set(e[2]) & set(inner):
                raise ValueError
            return ordered(set(inner) - set(e[2]), INDICES)
        return ordered("".join(self.indices_of(a) for a in e[2:]), INDICES)

    def outputs(self):
        """Name, indices in the order of its dimensions, of each output."""
        self.analyse()
        return [(d[1], ordered(self.indices[d[1]], d[3] or INDICES))
                for d in self.tree if d[3] or d[1] not in self.used]

    def kind(self):
        """The type of inputs and outputs."""
        return next(iter(self.inputs.values()))[0]

    def inputs_read(self):
        """Names, in the order of their declaration."""
        self.analyse()
        return [n for n in self.inputs if n in self.used]

    # ----------------------------------------------------------------- text

    def text(self):
        outputs = dict(self.outputs())
        lines = ["param %s;" % ", ".join(self.sizes)]
        for name in self.inputs_read():
            kind, at = self.inputs[name]
            lines.append("tensor %s %s(%s);" % (
                kind, name, ",".join(EXTENT[i] for i in at)))
        for d in self.tree:
            lines.append(self.definition(d))
            if d[1] in outputs:
                at = outputs[d[1]]
                lines.append("out %s(%s) = %s(%s(%s));" % (
                    d[1].upper(), ",".join(at), self.kind(), d[1],
                    ",".join(self.indices[d[1]])))
        return "\n".join(lines) + "\n"

    def definition(self, d):
        head = "%s(%s)" % (d[1], ",".join(self.indices[d[1]]))
        names = {i: i for i in INDICES}
        if d[2][0] != "update":
            return "%s = %s;" % (head, self.expr(d[2], names))
        _, op, at, inner = d[2]
        text = self.expr(inner, names)
        if op == "sum":
            text += self.divisor(at, inner)
        return "%s %s= %s;" % (head, "+" if op == "sum" else op, text)

    def divisor(self, at, inner):
        return "".join(" / f32(%s)" % EXTENT[i] for i in at
                       if i in self.indices_of(inner))

    def expr(self, e, names):
        """"names" are what the indices are called here."""
        if e[0] == "num":
            return e[1]
        if e[0] == "read":
            kind, at = self.inputs.get(e[1], ("f32", self.indices[e[1]]))
            text = "%s(%s)" % (e[1], ",".join(names[i] for i in at))
            return text if kind == "f32" else "f32(%s)" % text
        if e[0] in ("reduce", "update"):
            _, op, at, inner = e
            at = ordered(set(at) & set(self.indices_of(inner)), INDICES)
            inside = dict(names, **{i: names[i] + "r" for i in at})
            return "(%s(%s: %s)%s)" % (
                op, ", ".join(inside[i] for i in at),
                self.expr(inner, inside),
                self.divisor(at, inner) if op == "sum" else "")
        words = tuple(self.expr(a, names) for a in e[2:])
        if e[0] == "bin":
            return "(%s %s %s)" % (words[0], e[1], words[1])
        return "(%s)" % CALLS[e[1]] % words

    # --------------------------------------------------------------- values

    def reference(self, np, inputs):
        """The outputs for values of the inputs, by name."""
        outputs = self.outputs()
        known, space = {}, [INDICES.index(i) for i in INDICES]
        for name, x in inputs.items():
            at = self.inputs[name][1]
            inside = [i for i in INDICES if i in at]
            x = np.transpose(x, [at.index(i) for i in inside])
            known[name] = x.reshape([self.sizes[EXTENT[i]] if i in at else 1
                                     for i in INDICES])
        for d in self.tree:
            known[d[1]] = self.evaluate(np, d[2], known)
        found = []
        for name, at in outputs:
            x = known[name].reshape([self.sizes[EXTENT[i]]
                                     for i in self.indices[name]])
            inside = self.indices[name]
            found.append(np.transpose(x, [inside.index(i) for i in at]))
        return found

    def evaluate(self, np, e, known):
        """The value with all five dimensions, 1 for those it lacks."""
        if e[0] == "read":
            return known[e[1]]
        if e[0] == "num":
            return float(e[1])
        if e[0] in ("reduce", "update"):
            x = self.evaluate(np, e[3], known)
            axes = tuple(INDICES.index(i) for i in e[2]
                         if i in self.indices_of(e[3]))
            if e[1] == "sum":
                return np.sum(x, axes) / math.prod(
                    self.sizes[SIZES[a]] for a in axes)
            return (np.max if e[1] == "max" else np.min)(x, axes)
        words = [self.evaluate(np, a, known) for a in e[2:]]
        if e[0] == "call":
            return value(np, e[1], *words)
        a, b = words
        return a + b if e[1] == "+" else a - b if e[1] == "-" else a * b

    # -------------------------------------------------------------- smaller

    def instead(self, node):
        kind = node[0]
        if kind == "def":
            yield None
            if node[3]:
                yield node[:3] + [""]
        if kind in ("bin", "call"):
            yield from node[2:]
        if kind in ("reduce", "update"):
            yield node[3]
            if len(node[2]) > 1:
                yield from (node[:2] + [i] + node[3:] for i in node[2])


class Maker:
    def __init__(self, seed, points=None):
        self.r = r = random.Random("rows %d" % seed)
        self.rank = r.choice([1, 2, 2, 2, 3, 3, 4, 5])
        self.space = INDICES[:self.rank]
        self.kind = r.choice(["f32", "bf16"])
        self.inputs = {}
        for k in range(r.choice([1, 1, 2, 3])):
            at = list(self.space)
            if k and r.random() < .6:
                at = r.sample(at, r.randrange(1, len(at) + 1))
                at.sort()
            if r.random() < .15:
                r.shuffle(at)
            self.inputs["x%d" % k] = (self.kind, "".join(at))
        self.sizes = self.long_sizes(points) if points else self.few_sizes()
        self.tree, self.read = [], set()

    def few_sizes(self):
        r = self.r
        while True:
            sizes = {EXTENT[i]: r.choice(EXTENTS) for i in self.space}
            if math.prod(sizes.values()) <= MOST_POINTS:
                return sizes

    def long_sizes(self, points):
        """Extents of about "points" points; one at least is long."""
        r = self.r
        while True:
            sizes = {EXTENT[i]: r.choice(SHORT + LONG) for i in self.space}
            if self.rank == 1:
                sizes = {"A": r.choice([points, points - 1, points - 61])}
            if points / 2 <= math.prod(sizes.values()) <= points and \
                    max(sizes.values()) >= 64:
                return sizes

    def source(self, whole):
        """A read: of all indices, if "whole"; otherwise most often of what was
        reduced, which is repeated. What is not read yet comes first.
        """
        known = Program(self.tree + [["def", "", ["read", "x0"], ""]],
                        self.inputs, self.sizes)
        known.analyse()
        names = []
        for name in list(self.inputs) + [d[1] for d in self.tree]:
            is_whole = len(known.indices[name]) == self.rank
            if is_whole or not whole:
                names += [name] * (1 if name in self.inputs else 3) * (
                    1 if is_whole else 3) * (1 if name in self.read else 3)
        name = self.r.choice(names)
        self.read.add(name)
        return ["read", name]

    def expr(self, depth, whole=True):
        r = self.r
        if depth == 0 or r.random() < .15:
            return self.source(whole)
        roll = r.random()
        a = self.expr(depth - 1, whole)
        if roll < .45:
            b = ["num", r.choice(["0.5", "2.0", "0.25"])] \
                if r.random() < .2 else self.expr(depth - 1, False)
            return ["bin", r.choice("+*" if b == a else "+-*"), a, b]
        if roll < .6:
            return ["call", r.choice(["ratio", "min", "max"]), a,
                    self.expr(depth - 1, False)]
        if roll < .75 and not whole:
            return self.reduction("reduce", self.expr(depth - 1, True))
        return ["call", r.choice(["tanh", "sigmoid", "abs", "relu", "fall",
                                  "root"]), a]

    def reduction(self, tag, inner):
        r = self.r
        n = r.choice([1, 1, 1, 2, self.rank])
        at = r.sample(self.space, min(n, self.rank))
        if r.random() < .5:     # the last axis is the most common
            at = list(dict.fromkeys(at[1:] + [self.space[-1]]))
        return [tag, r.choice(["sum", "sum", "max", "min"]),
                ordered(at, INDICES), inner]

    def program(self):
        r = self.r
        for k in range(r.choice([1, 2, 3, 4, 5])):
            e = self.expr(r.choice([1, 2, 2]))
            if r.random() < .45:
                e = self.reduction(r.choice(["reduce", "update"]), e)
            order = list(INDICES)
            if r.random() < .1:
                r.shuffle(order)
            self.tree.append(["def", "d%d" % k, e, "".join(order)
                              if r.random() < .2 else ""])
        return Program(self.tree, self.inputs, self.sizes)


def make(seed, points=None):
    """The program that "seed" stands for, small or of about "points" points."""
    return Maker(seed, points).program()
