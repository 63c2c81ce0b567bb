"""Random programs of many statements in index notation: products over any index,
reductions and maps, of any rank and in any order.

They are row programs (row_programs.py) with one kind of expression more:
["product", indices, a, b] is the sum over the indices of a times b, divided by the root
of the number of its terms, and as "productupdate" it is a statement "+=", whose reader
divides. Types are f32. Programs that are measured have 5 to 60 statements.
"""
import math
import random

import row_programs
from row_programs import EXTENT, INDICES, ordered

BATCH = [2, 3, 4, 8, 12, 16]
LONG = [32, 64, 96, 100, 128, 192, 250, 256, 384, 512, 768, 1000, 1024, 2048]
FEW = [1, 2, 3, 5, 8, 9, 17]
MOST_TERMS = 1 << 32    # of a product
INPUTS = 8
PRODUCTS = "product", "productupdate"
# None makes errors much greater; the first few have values that are no greater than 1.
MAPS = "tanh", "sigmoid", "fall", "abs", "relu"
BOUNDED = MAPS[:3]


class Program(row_programs.Program):
    def indices_of(self, e):
        if e[0] == "divided":
            return self.indices_of(e[2])
        if e[0] not in PRODUCTS:
            return super().indices_of(e)
        both = [self.indices_of(a) for a in e[2:]]
        if any(i not in at for i in e[1] for at in both):
            raise ValueError
        return ordered(set("".join(both)) - set(e[1]), INDICES)

    def root(self, at):
        return " / sqrt(%s)" % " * ".join("f32(%s)" % EXTENT[i] for i in at)

    def definition(self, d):
        if d[2][0] != "productupdate":
            return super().definition(d)
        names = {i: i for i in INDICES}
        return "%s(%s) += %s * %s;" % (
            d[1], ",".join(self.indices[d[1]]), self.expr(d[2][2], names),
            self.expr(d[2][3], names))

    def expr(self, e, names):
        if e[0] == "divided":
            return "(%s%s)" % (self.expr(e[2], names), self.root(e[1]))
        if e[0] != "product":
            return super().expr(e, names)
        inside = dict(names, **{i: names[i] + "r" for i in e[1]})
        return "(sum(%s: %s * %s)%s)" % (
            ", ".join(inside[i] for i in e[1]), self.expr(e[2], inside),
            self.expr(e[3], inside), self.root(e[1]))

    def evaluate(self, np, e, known):
        if e[0] == "divided":
            return self.evaluate(np, e[2], known) / self.root_of(e[1])
        if e[0] not in PRODUCTS:
            return super().evaluate(np, e, known)
        at = [self.indices_of(a) for a in e[2:]]
        x, y = (self.evaluate(np, a, known).reshape(
            [self.sizes[EXTENT[i]] for i in there])
            for a, there in zip(e[2:], at))
        out = self.indices_of(e)
        z = np.einsum("%s,%s->%s" % (*at, out), x, y).reshape(
            [self.sizes[EXTENT[i]] if i in out else 1 for i in INDICES])
        return z / self.root_of(e[1]) if e[0] == "product" else z

    def root_of(self, at):
        return math.sqrt(math.prod(self.sizes[EXTENT[i]] for i in at))

    def instead(self, node):
        if node[0] in PRODUCTS + ("divided",):
            yield from node[2:]
        else:
            yield from super().instead(node)


class Maker:
    def __init__(self, seed, points=None):
        self.r = r = random.Random("mixed %d" % seed)
        self.most = points or row_programs.MOST_POINTS
        self.terms = MOST_TERMS if points else 40 * self.most
        self.count = r.randrange(5, 61) if points else r.randrange(3, 9)
        n = r.choice([3, 4, 4, 5])
        self.space = INDICES[:n]
        short = r.sample(self.space, n - 3)
        self.sizes = {EXTENT[i]: r.choice(
            (BATCH if i in short else LONG) if points else FEW)
            for i in self.space}
        self.inputs, self.tree = {}, []
        self.at, self.read = {}, set()
        self.new_input(self.some(self.space, 2, 4))

    def size(self, at):
        return math.prod(self.sizes[EXTENT[i]] for i in set(at))

    def some(self, of, least, most):
        """Some of the indices "of" whose points are not too many."""
        while True:
            count = self.r.randrange(least, min(most, len(of)) + 1)
            at = self.r.sample(of, count)
            if self.size(at) <= self.most:
                return ordered(at, INDICES)
            least = min(least, max(1, count - 1))

    def new_input(self, at):
        name = "x%d" % len(self.inputs)
        self.inputs[name] = ("f32", at)
        self.at[name] = at
        return name

    def define(self, e, at):
        name = "d%d" % len(self.tree)
        self.tree.append(["def", name, e, ""])
        self.at[name] = ordered(at, INDICES)

    def choose(self, fits=lambda at: True):
        """A value that fits, most often a late one that nobody has read; or None."""
        names = []
        for k, (name, at) in enumerate(self.at.items()):
            if fits(at):
                names += [name] * (1 if name in self.read else 6) * (
                    3 if k + 4 > len(self.at) else 1)
        return self.r.choice(names) if names else None

    def take(self, name):
        self.read.add(name)
        return ["read", name]

    def product(self):
        r = self.r
        a = self.choose(lambda at: len(at) > 1)
        if a is None:
            return False
        k = r.choice(self.at[a])

        def fits(at):
            both = set(self.at[a]) | set(at)
            return k in at and len(at) > 1 and self.size(both) <= self.terms \
                and self.size(both - {k}) <= self.most and \
                self.size(at) <= self.most and both != set(self.at[a])
        b = self.choose(fits)
        if len(self.inputs) < INPUTS and (b is None or r.random() < .3):
            free = [i for i in self.space if i not in self.at[a]] or \
                [i for i in self.at[a] if i != k]
            at = ordered({k, r.choice(free)} | (
                {self.at[a][0]} if r.random() < .3 else set()), INDICES)
            b = self.new_input(at) if fits(at) else b
        if b is None or b == a:
            return False
        out = set(self.at[a] + self.at[b]) - {k}
        pair = [self.take(a), self.take(b)]
        if r.random() < .5:
            self.define(["product", k, *pair], out)
            return True
        self.define(["productupdate", k, *pair], out)
        e = ["divided", k, ["read", self.tree[-1][1]]]
        del self.at[self.tree[-1][1]]
        self.define(["call", r.choice(MAPS), e] if r.random() < .6 else e, out)
        return True

    def reduction(self):
        r = self.r
        a = self.choose(lambda at: len(at) > 1)
        if a is None:
            return False
        at = self.at[a]
        over = ordered(r.sample(at, r.choice([1, 1, 1, len(at) - 1])), INDICES)
        inner = self.take(a)
        if r.random() < .3:
            inner = ["call", r.choice(MAPS), inner]
        self.define([r.choice(["reduce", "update"]),
                     r.choice(["sum", "sum", "max", "min"]), over, inner],
                    set(at) - set(over))
        return True

    def map(self):
        r = self.r
        a = self.choose()
        e, at = self.take(a), set(self.at[a])
        if r.random() < .7:
            b = self.choose(lambda more: self.size(at | set(more)) <= self.most)
            at |= set(self.at[b])
            e = ["bin", r.choice("+*") if a == b else r.choice("+*-"), e,
                 self.take(b)]
        if e[:2] == ["bin", "*"]:
            e = ["call", r.choice(BOUNDED), e]
        elif e[0] == "read" or r.random() < .5:
            e = ["call", r.choice(MAPS), e]
        self.define(e, at)
        return True

    def program(self):
        while len(self.tree) < self.count:
            roll = self.r.random()
            if roll < .25:
                self.product()
            elif roll < .45:
                self.reduction()
            else:
                self.map()
        return Program(self.tree, self.inputs, self.sizes)


def make(seed, points=None):
    """The program that "seed" stands for, small or of about "points" points."""
    return Maker(seed, points).program()
