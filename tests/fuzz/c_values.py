"""Random values in C: one loop, in which long chains of integer and floating-point
operations go from some arrays to others.

The loops of c_nests.py have short expressions. Here it is the operations that matter,
and what compilers, that of PTX among them, make of them together: chains of min, max,
negations, absolute values, shifts, divisions, casts and comparisons with constants, in
all types. What c_nests.py promises about undefined behaviour holds here, too.
"""
import random

import affine
import c_nests
import c_program

WIDTH = {"int": 32, "long": 64, "short": 16, "signed char": 8, "unsigned": 32,
         "unsigned long": 64, "unsigned short": 16, "unsigned char": 8}
CONSTANTS = ["0", "1", "2", "3", "4", "5", "7", "9", "15", "16", "31", "63", "100",
             "127", "128", "255", "256", "32767", "65535", "65536", "2147483647",
             "(-1)", "(-2)", "(-3)", "(-5)", "(-8)", "(-100)", "(-128)",
             "(-32768)", "(-2147483647)", "4294967295l", "4294967296l",
             "(-4294967296l)", "3000000000u", "9223372036854775807l"]
SIGNS = ["<", ">", "<=", ">=", "==", "!="]


class Maker(c_nests.Maker):
    def __init__(self, seed):
        super().__init__(seed)
        self.r = r = random.Random("values %d" % seed)
        self.family = r.choice([["int"], ["long"], ["int", "long"],
                                ["short", "signed char"], ["unsigned", "int"],
                                c_nests.INTEGERS, c_nests.INTEGERS,
                                ["float", "int"], ["double", "long"],
                                ["double", "float"] + c_nests.INTEGERS])
        self.arrays = {n: (r.choice(self.family), False, 1, n >= "P")
                       for n in "ABCDPQR"}
        self.kinds = {}     # of the variables

    def pick(self, is_float):
        """A variable, an element or a constant."""
        r = self.r
        names = [n for n, kind in self.kinds.items()
                 if (kind in c_program.FLOATS) == is_float]
        if names and r.random() < .6:
            return ["var", r.choice(names[-4:])]
        names = [n for n in "ABCD"
                 if (self.arrays[n][0] in c_program.FLOATS) == is_float]
        if names and r.random() < .75:
            return ["ref", r.choice(names), [affine.term(i=1)]]
        if is_float:
            return self.number(True)
        return ["num", r.choice(CONSTANTS)]

    def test(self, is_float):
        r = self.r
        if r.random() < .1:
            return ["bin", r.choice(["&&", "||"]), self.test(is_float),
                    self.test(is_float)]
        return ["bin", r.choice(SIGNS), self.pick(is_float),
                self.number(True) if is_float else
                ["num", r.choice(CONSTANTS)] if r.random() < .5 else
                self.pick(False)]

    def choice(self, is_float):
        """A minimum, a maximum, an absolute value or its negation, or any choice."""
        r = self.r
        x, y, sign = self.pick(is_float), self.pick(is_float), r.choice(SIGNS[:4])
        zero, less = ["num", "0"], ["un", "-", x]
        return r.choice([
            ["cond", ["bin", sign, x, y], x, y],
            ["cond", ["bin", sign, x, y], y, x],
            ["cond", ["bin", sign, x, zero], x, less],
            ["cond", ["bin", sign, x, zero], less, x],
            ["un", "-", ["cond", ["bin", sign, x, zero], less, x]],
            ["cond", self.test(is_float), x, y]])

    def bits(self):
        """A product of choices by bits of one number, with conditions between them."""
        r = self.r
        x, e = self.pick(False), self.pick(False)
        for bit in r.sample(range(16), r.randrange(2, 7)):
            test = ["bin", "&", x, ["num", str(1 << bit)]]
            if r.random() < .2:
                test = self.test(False)
            e = ["bin", "*", e, ["cond", test, ["num", str(2 * bit + 3)], ["num", "1"]]]
        return e

    def integer(self):
        r = self.r
        x, y = self.pick(False), self.pick(False)
        roll = r.randrange(14)
        if roll == 13:
            return self.bits()
        if roll < 3:
            return self.choice(False)
        if roll == 12:      # the least and other large values of a type
            kind = r.choice([k for k in self.family if k in WIDTH])
            return ["cast", kind, ["bin", "<<", ["cast", "unsigned long", x],
                                   ["num", str(WIDTH[kind] - 3)]]]
        if roll < 6:
            return ["bin", r.choice(["+", "-", "-", "*", "&", "|", "^"]), x, y]
        if roll == 6:
            return ["un", r.choice(["-", "-", "~", "!"]), x]
        if roll == 7:
            return ["bin", r.choice("/%"), x, ["num", r.choice([
                "2", "3", "5", "7", "8", "10", "255", "(-2)", "(-3)", "(-16)",
                "1000", "65536"])]]
        if roll == 8:
            kind = r.choice(["int", "long", "unsigned", "unsigned long"])
            return ["bin", r.choice(["<<", ">>", ">>"]), ["cast", kind, x],
                    ["num", str(r.randrange(WIDTH[kind]))]]
        if roll == 9:
            return ["cast", r.choice(c_nests.INTEGERS + ["_Bool"]), x]
        if roll == 10:
            return ["bin", r.choice("/%"), x, ["bin", "+", ["bin", "&", y,
                    ["num", r.choice(["3", "7", "255"])]], ["num", "1"]]]
        return self.test(any(k in c_program.FLOATS for k in self.family) and
                         r.random() < .5)

    def real(self):
        r = self.r
        x, y = self.pick(True), self.pick(True)
        roll = r.randrange(8)
        if roll < 2:
            return self.choice(True)
        if roll < 5:
            return ["bin", r.choice("+-*"), x, y]
        if roll == 5:
            return ["cast", r.choice(c_program.FLOATS), self.pick(False)]
        if roll == 6:
            return ["un", "-", ["call", r.choice(["fabs", "fabsf"]), x]]
        return ["bin", "/", x, ["bin", "+", ["num", "2.0"], ["call", "fabs", y]]]

    def value(self, kind):
        if kind in c_program.FLOATS:
            return self.real() if self.r.random() < .9 else self.pick(False)
        if self.r.random() < .08 and any(k in c_program.FLOATS
                                         for k in self.family):
            return ["whole", ["bin", "*", ["num", "4.0"], self.pick(True)]]
        return self.integer()

    def mixed(self, e, kind):
        """With some variables, lest what they are computed from goes unseen."""
        is_float = kind in c_program.FLOATS
        names = [n for n, k in self.kinds.items()
                 if (k in c_program.FLOATS) == is_float]
        for n in self.r.sample(names, min(3, len(names))):
            e = ["bin", "+" if is_float else "^", e, ["var", n]]
        return e

    def program(self, seed):
        r = self.r
        body = []
        for i in range(r.randrange(4, 16)):
            kind = r.choice(self.family)
            body.append(["decl", "t%d" % i, kind, self.value(kind)])
            self.kinds["t%d" % i] = kind
        for name in "PQR"[:r.randrange(1, 4)]:
            kind = self.arrays[name][0]
            body.append(["set", ["ref", name, [affine.term(i=1)]], "=",
                         self.mixed(self.value(kind), kind)])
        tree = [["for", "i", [affine.term(0)], [affine.term(n=1)], 1, False, body]]
        sizes = {"n": r.choice([1, 31, 64, 257]), "m": 1}
        return c_program.Program(seed, tree, self.arrays, sizes)


def make(seed):
    """The program that "seed" stands for."""
    return Maker(seed).program(seed)
