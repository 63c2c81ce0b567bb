"""Random loops in C whose values go from one iteration to the next.

A few scalars are declared, one to three loops put values together in them, by the
forms that programs have (sums under conditions and of several terms, extremes with
their places, running and kept values, chains over every k-th element, updates of few
cells, a "break" or a loop's condition where data tell, some at the very edge), in any
mixture, and what they hold is stored. What c_nests.py promises about undefined behaviour
holds here, too.
"""
import random

import c_program
import c_values
from affine import term

SIGNS = ["<", ">", "<=", ">="]


class Maker(c_values.Maker):
    def __init__(self, seed):
        super().__init__(seed)
        self.r = r = random.Random("forms %d" % seed)
        self.family = r.choice([["int"], ["float"], ["double"], ["float", "int"],
                                ["long", "int"], ["unsigned", "short"],
                                ["double", "float", "int", "unsigned char"]])
        self.arrays = {n: (r.choice(self.family), False, 1, True)
                       for n in "ABCDPQRH"}
        self.kinds, self.carried = {}, []

    def is_float(self, name):
        return self.kinds[name] in c_program.FLOATS

    def element(self, is_float=None):
        """An element that no loop writes."""
        names = [n for n in "ABCD" if is_float is None or
                 (self.arrays[n][0] in c_program.FLOATS) == is_float]
        if not names:
            return self.number(bool(is_float))
        return ["ref", self.r.choice(names), [term(self.r.choice(
            [0, 0, 0, 0, 1, -1]), i=1)]]

    def operand(self, is_float):
        r = self.r
        roll = r.random()
        if roll < .6:
            return self.element(is_float)
        if roll < .75:
            return self.number(is_float)
        return ["bin", r.choice("+-*"), self.element(is_float),
                self.element(is_float)]

    def condition(self):
        r = self.r
        x = self.element()
        is_float = self.arrays[x[1]][0] in c_program.FLOATS if x[0] == "ref" \
            else False
        return ["bin", r.choice(SIGNS + ["=="]), x,
                self.number(is_float) if r.random() < .6 else
                self.element(is_float)]

    def scalar(self):
        return self.r.choice(self.carried)

    def update(self, s=None):
        """x += e, also of several terms."""
        r = self.r
        s = s or self.scalar()
        is_float = self.is_float(s)
        ops = ["+", "+", "+", "-", "-"] if is_float else ["+", "+", "-", "&",
                                                          "|", "^", "*"]
        e = self.operand(is_float)
        if r.random() < .6:
            return ["set", ["var", s], r.choice(ops) + "=", e]
        return ["set", ["var", s], "=", ["bin", r.choice("+-"), ["bin",
                r.choice("+-"), ["var", s], e], self.operand(is_float)]]

    def guarded(self):
        s = self.scalar()
        other = [self.update(s)] if self.r.random() < .3 else []
        return ["if", self.condition(), [self.update(s)], other]

    def extreme(self):
        """The largest or smallest value, with or without what belongs to it."""
        r = self.r
        s = self.scalar()
        e = self.element(self.is_float(s))
        sides = [["var", s], e]
        if r.random() < .5:
            sides.reverse()
        test = ["bin", r.choice(SIGNS)] + sides
        if r.random() < .25:
            test = ["un", "!", test]
        body = [["set", ["var", s], "=", e]]
        whole = [n for n in self.carried if n != s and not self.is_float(n)]
        if whole and r.random() < .6:
            body.insert(r.randrange(2), ["set", ["var", r.choice(whole)], "=",
                                         term(r.randrange(3),
                                              i=r.choice([1, 1, 2]))])
        elif r.random() < .4:
            arms = [["var", s], e]
            if r.random() < .5:
                arms.reverse()
            return ["set", ["var", s], "=", ["cond", test] + arms]
        return ["if", test, body, []]

    def linear(self):
        s = self.scalar()
        if not self.is_float(s):
            return ["set", ["var", s], "=", ["bin", "+", ["bin", "*", ["var", s],
                    ["num", self.r.choice(["3", "5", "31"])]],
                    self.operand(False)]]
        return ["set", ["var", s], "=", ["bin", self.r.choice("+-"), ["bin", "*",
                ["num", self.r.choice(["0.5f", "0.25", "0.9f"])], ["var", s]],
                self.operand(True)]]

    def keep(self):
        """What a later iteration reads."""
        s = self.scalar()
        return ["set", ["var", s], "=", self.operand(self.is_float(s))]

    def read(self):
        """An element that is made of what the scalars hold."""
        name = self.r.choice("PQ")
        kind = self.arrays[name][0]
        is_float = kind in c_program.FLOATS
        names = [n for n in self.carried if self.is_float(n) == is_float]
        e = self.operand(is_float)
        if names:
            e = ["bin", "+", ["var", self.r.choice(names)], e]
        return ["set", ["ref", name, [term(i=1)]], "=", e]

    def chain(self):
        name = self.r.choice("PQR")
        is_float = self.arrays[name][0] in c_program.FLOATS
        before = ["ref", name, [term(-self.r.choice([1, 1, 2, 3, 4]), i=1)]]
        if is_float:
            before = ["bin", "*", before, ["num", "0.5f"]]
        return ["set", ["ref", name, [term(i=1)]], "=",
                ["bin", self.r.choice("+-") if before[0] == "ref" else "+",
                 before, self.operand(is_float)]]

    def cells(self):
        is_float = self.arrays["H"][0] in c_program.FLOATS
        return ["set", ["ref", "H", [["wrap", term(i=1), "m"]]], "+=",
                self.operand(is_float)]

    def place(self):
        """Where the loop is."""
        whole = [n for n in self.carried if not self.is_float(n)]
        if not whole:
            return self.keep()
        return ["set", ["var", self.r.choice(whole)], "=",
                term(self.r.randrange(3), i=1)]

    def edge(self):
        """A loop that is left where a number of it is exactly that one, or not quite as
        far as anybody knows who rounds; what it leaves is stored.
        """
        r = self.r
        floats = [n for n in self.carried if self.is_float(n)]
        if not floats:
            return [self.loop()]
        s, x = r.choice(floats), r.choice([-.5, .25, 1.5, 3])
        a, b = r.choice([.5, 1, 2, -1, .25]), r.choice([.5, .25, -.5, 1])
        begin = ["set", ["var", s], "=", ["num", str(float(x))]]
        for _ in range(r.choice([0, 1, 1, 2, 3])):
            x = a * x + b
        step = ["set", ["var", s], "=", ["bin", "+", ["bin", "*", ["num", str(float(a)) +
                r.choice(["", "f"])], ["var", s]], ["num", str(float(b))]]]
        test = ["bin", r.choice(SIGNS + ["=="]), ["var", s], ["num", str(float(x))]]
        ways = [self.update, self.keep, self.read, self.place, self.guarded]
        body = [r.choice(ways)() for _ in range(r.choice([0, 1, 1, 2]))]
        more = {}
        if r.random() < .4:
            more["while"] = test
        else:
            body.insert(r.randrange(len(body) + 1), ["if", test, [
                r.choice(ways)() for _ in range(r.choice([0, 0, 1]))] +
                [["jump", "break"]], []])
        body.insert(r.randrange(len(body) + 1), step)
        seen = ["set", ["ref", r.choice("DR"), [term(4 + r.randrange(4))]], "=",
                ["var", s]]
        return [begin, self.for_i(body, more), seen]

    def for_i(self, body, more):
        r = self.r
        low = r.choice([0, 0, 0, 1, 2])
        whole = [n for n in self.carried if not self.is_float(n)]
        if whole and r.random() < .2:
            more["behind"] = r.choice(whole)
        return ["for", "i", [term(low)], [term(r.choice([0, 0, -1]), n=1)],
                r.choice([1, 1, 1, 1, 2]), False, body, more]

    def leave(self):
        """Data end the loop: elements, or what the loop has made of them."""
        r = self.r
        test = self.condition()
        if r.random() < .3:
            s = self.scalar()
            test = ["bin", r.choice(SIGNS), ["var", s],
                    self.number(self.is_float(s))]
        ways = [self.update, self.keep, self.read, self.place]
        body = [r.choice(ways)() for _ in range(r.choice([0, 0, 1, 2]))]
        return ["if", test, body + [["jump", "break"]],
                [self.update()] if r.random() < .2 else []]

    def loop(self):
        r = self.r
        ways = [self.update, self.update, self.guarded, self.guarded,
                self.extreme, self.extreme, self.linear, self.keep, self.read,
                self.read, self.chain, self.cells]
        body = [r.choice(ways)() for _ in range(r.choice([1, 1, 2, 2, 3, 4]))]
        for _ in range(r.choice([0, 0, 0, 0, 1, 1, 2])):
            body.insert(r.randrange(len(body) + 1), self.leave())
        more = {}
        if r.random() < .08:
            s = self.scalar()
            more["while"] = ["bin", r.choice(SIGNS), ["var", s],
                             self.number(self.is_float(s))]
        return self.for_i(body, more)

    def program(self, seed):
        r = self.r
        tree = []
        for k in range(r.randrange(1, 4)):
            kind = r.choice(self.family)
            name = "s%d" % k
            self.kinds[name] = kind
            self.carried.append(name)
            tree.append(["decl", name, kind,
                         self.number(kind in c_program.FLOATS)])
        edges = r.choice([0, 0, .2, 1])
        for _ in range(r.choice([1, 1, 2, 3])):
            if r.random() < edges:
                tree += self.edge()
            else:
                tree.append(self.loop())
        for k, name in enumerate(self.carried):
            tree.append(["set", ["ref", "D" if r.random() < .5 else "R",
                                 [term(k)]], "=", ["var", name]])
        sizes = {"n": r.choice([1, 2, 3, 7, 31, 64, 257, 600]),
                 "m": r.choice([1, 2, 3, 5, 8])}
        return c_program.Program(seed, tree, self.arrays, sizes)


def make(seed):
    """The program that "seed" stands for."""
    return Maker(seed).program(seed)
